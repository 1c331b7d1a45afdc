//! A model that Python holds.

use std::sync::{Arc, OnceLock};

use galilei::{
    Compiled, Derivation, Diagnostic, EquilibriumSearch, Error, Fmi, Language, Precision,
    RunSettings, document,
};
use galilei_report::{Request, text, typeset};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::analysis::PeriodicRequest;
use crate::convert;
use crate::field::{Field, Written};
use crate::interrupt::Interrupt;
use crate::precise::PreciseRun;
use crate::refusal::{dictionaries, refused};
use crate::run::Run;
use crate::sensitivities::Sensitivities;
use crate::signals::{Signal, table};
use crate::span::Span;
use crate::stationary::{Stationary, StationaryRequest};
use crate::sweep::{Axes, Sweep};

/// The width of texts in columns.
const TEXT_COLUMNS: usize = 100;

/// A self-contained model with its text. See `galilei.System`.
#[pyclass(frozen, module = "galilei._galilei")]
pub(crate) struct Model {
    model: galilei::Model,
    /// The values that were given, as texts.
    set: Vec<String>,
    compiled: OnceLock<Arc<Compiled>>,
}

impl Model {
    fn held(
        py: Python<'_>,
        set: Vec<String>,
        read: Result<galilei::Model, Error>,
    ) -> PyResult<Self> {
        Ok(Self {
            model: read.map_err(|e| refused(py, &e))?,
            set,
            compiled: OnceLock::new(),
        })
    }

    /// The diagnostics, unless one of them is an error.
    fn allowed(&self, diagnostics: Vec<Diagnostic>) -> Result<Vec<Diagnostic>, Error> {
        match diagnostics.iter().any(Diagnostic::is_error) {
            true => Err(self.model.error(diagnostics)),
            false => Ok(diagnostics),
        }
    }

    fn dictionaries<'py>(
        &self,
        py: Python<'py>,
        list: &[Diagnostic],
    ) -> PyResult<Bound<'py, PyList>> {
        dictionaries(py, list, self.model.name(), self.model.source())
    }

    /// The equations as code, compiled once.
    fn compiled(&self) -> Result<Arc<Compiled>, Error> {
        if let Some(compiled) = self.compiled.get() {
            return Ok(Arc::clone(compiled));
        }
        let made = Arc::new(self.model.compile_for_runs()?);
        Ok(Arc::clone(self.compiled.get_or_init(|| made)))
    }

    /// The model with another start, if given, and the warnings before a run.
    fn started(
        &self,
        at: &str,
        settings: &RunSettings,
    ) -> Result<(galilei::Model, Vec<Diagnostic>), Error> {
        let model = match at.trim() {
            "" => self.model.clone(),
            at => self.model.starting_at(at)?,
        };
        let warnings = self.allowed(model.diagnostics_before(settings))?;
        Ok((model, warnings))
    }

    fn names<T>(list: &[T], name: impl Fn(&T) -> &String) -> Vec<String> {
        list.iter().map(|e| name(e).clone()).collect()
    }
}

#[pymethods]
impl Model {
    /// Reads a text.
    #[new]
    fn new(py: Python<'_>, text: &str, name: &str, set: Vec<String>) -> PyResult<Self> {
        let reader = galilei::Model::reader().set_all(set.clone()).name(name);
        Self::held(py, set, py.detach(|| reader.parse(text)))
    }

    /// Reads a file.
    #[staticmethod]
    fn open(py: Python<'_>, path: &str, set: Vec<String>) -> PyResult<Self> {
        let reader = galilei::Model::reader().set_all(set.clone());
        Self::held(py, set, py.detach(|| reader.open(path)))
    }

    #[getter]
    fn title(&self) -> &str {
        self.model.title()
    }

    #[getter]
    fn name(&self) -> &str {
        self.model.name()
    }

    #[getter]
    fn source(&self) -> &str {
        self.model.source()
    }

    /// Warnings of reading.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.dictionaries(py, self.model.warnings())
    }

    #[getter]
    fn coordinates(&self) -> Vec<String> {
        Self::names(&self.model.contents().coordinates, |c| &c.name)
    }

    /// Names with values as written, in SI units, and as numbers; none without a default.
    #[getter]
    fn parameters(&self) -> Vec<(String, Option<String>, Option<f64>)> {
        let mut known = Vec::new();
        let mut list = Vec::new();
        for p in &self.model.contents().parameters {
            let value = p.value.map(|id| self.model.expr(id));
            let number = value.map(|e| e.substitute(&known));
            let number = number.filter(|e| e.symbols().is_empty());
            if let Some(number) = number {
                known.push((self.model.expr(p.symbol), number));
            }
            list.push((
                p.name.clone(),
                value.map(|e| e.to_string()),
                number.map(|e| e.evaluate_f64(&[])),
            ));
        }
        list
    }

    /// Names and functions: left side − right side.
    #[getter]
    fn constraints(&self) -> Vec<(String, String)> {
        let list = self.model.contents().constraints.iter();
        list.map(|c| (c.name.clone(), self.model.expr(c.function).to_string()))
            .collect()
    }

    #[getter]
    fn outputs(&self) -> Vec<String> {
        Self::names(&self.model.contents().outputs, |o| &o.name)
    }

    /// The names of the inputs.
    #[getter]
    fn inputs(&self) -> Vec<String> {
        Self::names(&self.model.contents().inputs, |i| &i.name)
    }

    /// The model with functions of time instead of the formulas of some inputs.
    fn with_signals(&self, py: Python<'_>, signals: Vec<Signal>) -> PyResult<Self> {
        let mut tables = Vec::new();
        for (name, times, values, interpolation) in signals {
            tables.push((name, table(times, values, &interpolation)?));
        }
        let model = py.detach(|| self.model.with_signals(tables));
        Self::held(py, self.set.clone(), model)
    }

    /// The document of `modes`, and warnings.
    fn modes<'py>(
        &self,
        py: Python<'py>,
        at: &str,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyList>)> {
        let done = py.detach(|| {
            let model = self.model.facing_state(at);
            let state = model.state_at(at)?;
            let mut warnings = self.allowed(model.diagnostics_at(Some(&state)))?;
            model.evaluate(&state)?;
            let mut modes = model.modes(&state)?;
            warnings.append(&mut modes.warnings);
            Ok((modes, warnings))
        });
        let (modes, warnings) = done.map_err(|e: Error| refused(py, &e))?;
        let document = document::Modes::new(&modes);
        Ok((
            convert::object(py, &document)?,
            self.dictionaries(py, &warnings)?,
        ))
    }

    /// The document of `fit`, residuals (time, output, measured, computed), whether it converged, and warnings.
    #[allow(clippy::type_complexity, clippy::too_many_arguments)]
    fn fit<'py>(
        &self,
        py: Python<'py>,
        runs: Vec<(Vec<f64>, Vec<(String, Vec<Option<f64>>)>)>,
        free: Vec<String>,
        bounds: Vec<(String, f64, f64)>,
        deviations: Vec<(String, f64)>,
        starts: usize,
        seed: u64,
        segments: usize,
        profile: bool,
    ) -> PyResult<(
        Bound<'py, PyAny>,
        Vec<(f64, usize, f64, f64)>,
        bool,
        Bound<'py, PyList>,
    )> {
        let runs: Vec<galilei::Measurements> = runs
            .into_iter()
            .map(|(times, outputs)| galilei::Measurements { times, outputs })
            .collect();
        let settings = galilei::FitSettings {
            free,
            bounds,
            deviations,
            starts,
            seed,
            segments,
            profile,
            ..galilei::FitSettings::default()
        };
        let done = py.detach(|| {
            let mut warnings = self.allowed(self.model.diagnostics())?;
            let mut found = self.model.fit_runs(&runs, &settings)?;
            warnings.append(&mut found.warnings);
            Ok((found, warnings))
        });
        let (found, warnings) = done.map_err(|e: Error| refused(py, &e))?;
        let document = document::Fit::new(&found);
        Ok((
            convert::object(py, &document)?,
            found.residuals.clone(),
            found.converged,
            self.dictionaries(py, &warnings)?,
        ))
    }

    /// The columns of a file of measurements.
    #[staticmethod]
    #[allow(clippy::type_complexity)]
    fn measurements(
        py: Python<'_>,
        paths: Vec<String>,
    ) -> PyResult<(Vec<f64>, Vec<(String, Vec<Option<f64>>)>)> {
        let files: Vec<&std::path::Path> = paths.iter().map(std::path::Path::new).collect();
        let data = galilei::read_measurements(&files).map_err(|e| refused(py, &Error::from(e)))?;
        Ok((data.times, data.outputs))
    }

    /// A functional mock-up unit, and warnings.
    fn unit<'py>(
        &self,
        py: Python<'py>,
        two: bool,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyList>)> {
        let version = if two { Fmi::Two } else { Fmi::Three };
        let done = py.detach(|| {
            let mut warnings = self.allowed(self.model.diagnostics())?;
            let (bytes, mut more) = self.model.export_unit(version)?;
            warnings.append(&mut more);
            Ok((bytes, warnings))
        });
        let (bytes, warnings) = done.map_err(|e: Error| refused(py, &e))?;
        Ok((PyBytes::new(py, &bytes), self.dictionaries(py, &warnings)?))
    }

    /// The start and the end of a run by the model, as far as it gives them.
    #[getter]
    fn span(&self) -> (f64, Option<f64>) {
        let run = &self.model.contents().run;
        let number = |id| {
            let numbers = self.model.parameter_values().unwrap_or_default();
            self.model.expr(id).substitute(&numbers).evaluate_f64(&[])
        };
        (run.from.map_or(0.0, number), run.to.map(number))
    }

    #[getter]
    fn events(&self) -> Vec<String> {
        Self::names(&self.model.contents().events, |e| &e.name)
    }

    #[getter]
    fn charts(&self) -> Vec<String> {
        Self::names(&self.model.contents().charts, |c| &c.name)
    }

    /// The document of `check`, its text, and warnings.
    fn check<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, String, Bound<'py, PyList>)> {
        let done: Result<(document::Check, String, Vec<Diagnostic>), Error> = py.detach(|| {
            let mut check = self.model.check();
            let mut all = self.model.warnings().to_vec();
            all.append(&mut check.diagnostics);
            let warnings = self.allowed(all)?;
            let title = self.model.title();
            let words = text::check(title, &check, TEXT_COLUMNS);
            Ok((document::Check::new(title, &check), words, warnings))
        });
        let (document, words, warnings) = done.map_err(|e| refused(py, &e))?;
        Ok((
            convert::object(py, &document)?,
            words.trim_end().to_owned(),
            self.dictionaries(py, &warnings)?,
        ))
    }

    /// Sections of the derivation, each with its word, title, document and HTML, and warnings.
    #[allow(clippy::type_complexity)]
    fn derive<'py>(
        &self,
        py: Python<'py>,
        words: Vec<String>,
        chart: Option<String>,
    ) -> PyResult<(
        Vec<(&'static str, &'static str, Bound<'py, PyAny>, String)>,
        Bound<'py, PyList>,
    )> {
        let done = py.detach(|| {
            let mut request = Request::of(&words).in_order_of(&self.model);
            let mut all = self.model.diagnostics();
            all.append(&mut request.diagnostics);
            let warnings = self.allowed(all)?;
            let reading = match &chart {
                None => Some(self.model.for_reading()),
                Some(name) => self.model.in_ready_chart(name),
            };
            let derivation = match (&chart, &reading) {
                (_, Some(reading)) => Derivation::new(reading),
                (None, None) => Derivation::new(&self.model),
                (Some(name), None) => {
                    Derivation::in_chart(&self.model, name).map_err(|e| self.model.error(e))?
                }
            };
            let derivation = derivation
                .between(request.between.take())
                .map_err(|e| self.model.error(e))?;
            let sections = request.topics.iter().map(|&topic| {
                let section = derivation.section(topic);
                (
                    topic,
                    document::Section::new(&section),
                    typeset::html_section(&section),
                )
            });
            Ok((sections.collect::<Vec<_>>(), warnings))
        });
        let (sections, warnings) = done.map_err(|e: Error| refused(py, &e))?;
        let sections = sections.into_iter().map(|(topic, section, html)| {
            let section = convert::object(py, &section)?;
            Ok((topic.name(), topic.title(), section, html))
        });
        let sections: PyResult<Vec<_>> = sections.collect();
        Ok((sections?, self.dictionaries(py, &warnings)?))
    }

    /// The document of `eval`, and warnings.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        at: &str,
        chart: Option<String>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyList>)> {
        let done = py.detach(|| {
            let state = self.model.state_at(if chart.is_none() { at } else { "" });
            let here = state.as_ref().ok().filter(|_| chart.is_none());
            let warnings = self.allowed(self.model.diagnostics_at(here))?;
            let values = match &chart {
                None => self.model.evaluate(&state?)?,
                Some(name) => {
                    let values = self.model.evaluate_in_chart(name, at);
                    values.map_err(|e| self.model.error(e))?
                }
            };
            Ok((values, warnings))
        });
        let (values, warnings) = done.map_err(|e: Error| refused(py, &e))?;
        let document = document::Evaluation::new(self.model.title(), &values);
        Ok((
            convert::object(py, &document)?,
            self.dictionaries(py, &warnings)?,
        ))
    }

    /// The equations of motion as a callable.
    fn field(&self, py: Python<'_>) -> PyResult<Field> {
        let written = Written {
            source: self.model.source().to_owned(),
            name: self.model.name().to_owned(),
            set: self.set.clone(),
        };
        let made = py.detach(|| {
            // A right-hand side in (x, u) takes the Lagrangian as a formula.
            if self.model.is_implicit() {
                self.model.compile()?;
            }
            self.compiled()
                .map(|compiled| Field::new(&compiled, written))
        });
        made.map_err(|e| refused(py, &e))
    }

    /// A run, and warnings.
    fn simulate<'py>(
        &self,
        py: Python<'py>,
        at: &str,
        span: Span,
        dense: bool,
    ) -> PyResult<(Run, Bound<'py, PyList>)> {
        let mut interrupt = Interrupt::new();
        let done = py.detach(|| {
            let settings = span.settings(&self.model)?;
            let (model, mut warnings) = self.started(at, &settings)?;
            let compiled = self.compiled()?;
            let run = model.simulate().settings(settings).compiled(&compiled);
            let run = run.progress(|_| interrupt.go_on());
            let (motion, trajectory) = match dense {
                true => run.run_dense().map(|(motion, path)| (motion, Some(path)))?,
                false => (run.run()?, None),
            };
            warnings.extend(motion.warnings.iter().cloned());
            Ok((motion, trajectory, warnings))
        });
        interrupt.raised()?;
        let (motion, trajectory, warnings) = done.map_err(|e: Error| refused(py, &e))?;
        Ok((
            Run::new(py, motion, trajectory)?,
            self.dictionaries(py, &warnings)?,
        ))
    }

    /// A run in 106 or 212 bits, and warnings.
    fn simulate_precisely<'py>(
        &self,
        py: Python<'py>,
        at: &str,
        span: Span,
        bits: usize,
    ) -> PyResult<(PreciseRun, Bound<'py, PyList>)> {
        let precision = Precision::of_bits(bits)
            .ok_or_else(|| PyValueError::new_err(format!("precision is 106 or 212, not {bits}")))?;
        let mut interrupt = Interrupt::new();
        let done = py.detach(|| {
            let settings = span.settings(&self.model)?;
            let (model, mut warnings) = self.started(at, &settings)?;
            let run = model.simulate_precisely(precision).settings(settings);
            let motion = run.progress(|_| interrupt.go_on()).run()?;
            warnings.extend(motion.warnings.iter().cloned());
            Ok((motion, warnings))
        });
        interrupt.raised()?;
        let (motion, warnings) = done.map_err(|e: Error| refused(py, &e))?;
        Ok((PreciseRun::new(motion), self.dictionaries(py, &warnings)?))
    }

    /// A run with its sensitivities, and warnings.
    fn sensitivities<'py>(
        &self,
        py: Python<'py>,
        at: &str,
        span: Span,
        by: Vec<String>,
        gradient: Option<String>,
    ) -> PyResult<(Sensitivities, Bound<'py, PyList>)> {
        let mut interrupt = Interrupt::new();
        let done = py.detach(|| {
            let settings = span.settings(&self.model)?;
            let (model, mut warnings) = self.started(at, &settings)?;
            let mut analysis = model.sensitivities().settings(settings).by_all(by);
            if let Some(of) = gradient {
                analysis = analysis.gradient(of);
            }
            let found = analysis.progress(|_| interrupt.go_on()).run()?;
            warnings.extend(found.motion.warnings.iter().cloned());
            Ok((found, warnings))
        });
        interrupt.raised()?;
        let (found, warnings) = done.map_err(|e: Error| refused(py, &e))?;
        Ok((
            Sensitivities::new(py, found)?,
            self.dictionaries(py, &warnings)?,
        ))
    }

    /// Many runs, and warnings.
    fn sweep<'py>(
        &self,
        py: Python<'py>,
        at: &str,
        span: Span,
        axes: Axes,
    ) -> PyResult<(Sweep, Bound<'py, PyList>)> {
        let done = py.detach(|| {
            let settings = span.settings(&self.model)?;
            let (model, warnings) = self.started(at, &settings)?;
            let sweep = axes.vary(model.sweep().settings(settings));
            Ok((sweep.build()?, warnings))
        });
        let (sweep, warnings) = done.map_err(|e: Error| refused(py, &e))?;
        Ok((
            Sweep::compute(py, sweep)?,
            self.dictionaries(py, &warnings)?,
        ))
    }

    /// Motions between given ends, and warnings.
    fn stationary<'py>(
        &self,
        py: Python<'py>,
        request: StationaryRequest,
        span: Span,
    ) -> PyResult<(Stationary, Bound<'py, PyList>)> {
        let mut interrupt = Interrupt::new();
        let done = py.detach(|| {
            let settings = span.settings(&self.model)?;
            let (model, mut warnings) = self.started("", &settings)?;
            let search = request.search(&model)?.settings(settings);
            let found = search.progress(|_| interrupt.go_on()).run()?;
            warnings.extend(found.warning());
            Ok((found, self.compiled()?, warnings))
        });
        interrupt.raised()?;
        let (found, compiled, warnings) = done.map_err(|e: Error| refused(py, &e))?;
        let found = Stationary::new(py, &compiled, found)?;
        Ok((found, self.dictionaries(py, &warnings)?))
    }

    /// The document of `equilibrium`, and warnings.
    fn equilibria<'py>(
        &self,
        py: Python<'py>,
        at: String,
        free: Vec<String>,
        seed: u64,
        nearest: bool,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyList>)> {
        let done = py.detach(|| {
            let mut warnings = self.allowed(self.model.diagnostics())?;
            let mut search = EquilibriumSearch::default();
            search.at = at;
            search.free = free;
            search.seed = seed;
            search.nearest_only = nearest;
            let model = self.model.facing_state(&search.at);
            let mut found = model.equilibria(&search)?;
            warnings.append(&mut found.warnings);
            Ok((found, warnings))
        });
        let (found, warnings) = done.map_err(|e: Error| refused(py, &e))?;
        let document = convert::object(py, &document::Equilibria::new(&found))?;
        Ok((document, self.dictionaries(py, &warnings)?))
    }

    /// The document of `periodic`, and warnings.
    fn periodic<'py>(
        &self,
        py: Python<'py>,
        request: PeriodicRequest,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyList>)> {
        let done = py.detach(|| {
            let mut warnings = self.allowed(self.model.diagnostics())?;
            let search = request.search();
            let mut found = self.model.facing_state(&search.at).periodic(&search)?;
            warnings.append(&mut found.warnings);
            Ok((found, warnings))
        });
        let (found, warnings) = done.map_err(|e: Error| refused(py, &e))?;
        let document = convert::object(py, &document::Periodic::new(&found, 1.0))?;
        Ok((document, self.dictionaries(py, &warnings)?))
    }

    /// The document of `lyapunov`, and warnings.
    fn lyapunov<'py>(
        &self,
        py: Python<'py>,
        state: &str,
        span: Span,
        count: Option<usize>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyList>)> {
        let mut interrupt = Interrupt::new();
        let done = py.detach(|| {
            let settings = span.settings(&self.model)?;
            let (model, mut warnings) = self.started(state, &settings)?;
            let analysis = model.lyapunov().settings(settings).count(count);
            let mut found = analysis.progress(|_| interrupt.go_on()).run()?;
            warnings.append(&mut found.warnings);
            Ok((found, warnings))
        });
        interrupt.raised()?;
        let (found, warnings) = done.map_err(|e: Error| refused(py, &e))?;
        let document = convert::object(py, &document::Lyapunov::new(&found))?;
        Ok((document, self.dictionaries(py, &warnings)?))
    }

    /// The equations as a source file of another language, and warnings.
    fn export<'py>(
        &self,
        py: Python<'py>,
        language: &str,
    ) -> PyResult<(String, Bound<'py, PyList>)> {
        let done = py.detach(|| {
            let warnings = self.allowed(self.model.diagnostics())?;
            let language = language.parse::<Language>();
            let language = language.map_err(|e| self.model.error(e))?;
            let source = self.model.export(language)?;
            Ok((source, warnings))
        });
        let (source, warnings) = done.map_err(|e: Error| refused(py, &e))?;
        Ok((source, self.dictionaries(py, &warnings)?))
    }

    /// Ω of the system without its constraints, as a form of the language.
    fn action_form(&self, py: Python<'_>) -> PyResult<String> {
        let done = py.detach(|| {
            self.allowed(self.model.diagnostics())?;
            Ok(self.model.system().action_two_form().written())
        });
        done.map_err(|e: Error| refused(py, &e))
    }

    /// The accelerations of the system without its constraints; `None` where they cannot be written out.
    fn accelerations(&self, py: Python<'_>) -> PyResult<Option<Vec<String>>> {
        let done = py.detach(|| {
            self.allowed(self.model.diagnostics())?;
            let field = self.model.system().lagrange().ok();
            Ok(field.map(|z| z.accelerations().iter().map(ToString::to_string).collect()))
        });
        done.map_err(|e: Error| refused(py, &e))
    }

    /// The page as HTML; `command` records how it was made.
    fn page(&self, py: Python<'_>, span: Span, command: String) -> PyResult<String> {
        let mut interrupt = Interrupt::new();
        let done = py.detach(|| {
            let settings = span.settings(&self.model)?;
            self.allowed(self.model.diagnostics_before(&settings))?;
            let run = self.model.simulate().settings(settings);
            let run = run.progress(|_| interrupt.go_on());
            let page = run.page(command, env!("CARGO_PKG_VERSION"));
            Ok(page.to_html())
        });
        interrupt.raised()?;
        done.map_err(|e: Error| refused(py, &e))
    }
}
