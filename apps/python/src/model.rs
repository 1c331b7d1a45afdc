//! A model that Python holds.

use std::sync::{Arc, OnceLock};

use galilei::report::{Derivation, Json, Request, contract, text, typeset};
use galilei::{Compiled, Diagnostic, Loaded, RunSettings, Told, Trajectory, VariationSettings};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::convert;
use crate::field::Field;
use crate::interrupt::Interrupt;
use crate::neighbours::Neighbours;
use crate::refusal::{refused, told};
use crate::run::Run;
use crate::span::Span;
use crate::stationary::{Sought, Stationary};
use crate::sweep::{Axes, Sweep};

/// Columns of texts.
const COLUMNS: usize = 100;

/// A model with its text; it owns everything it needs. See `galilei.System`.
#[pyclass(frozen, module = "galilei._galilei")]
pub(crate) struct Model {
    loaded: Loaded,
    model: galilei::Model,
    compiled: OnceLock<Arc<Compiled>>,
}

type Refusal = Vec<Diagnostic>;

/// The warnings among diagnostics, unless one of them is an error.
fn allowed(diagnostics: Vec<Diagnostic>) -> Result<Vec<Diagnostic>, Refusal> {
    match diagnostics.iter().any(Diagnostic::is_error) {
        true => Err(diagnostics),
        false => Ok(diagnostics),
    }
}

impl Model {
    fn from_loaded(py: Python<'_>, loaded: Loaded) -> PyResult<Self> {
        match loaded.model.clone() {
            Some(model) => Ok(Self {
                loaded,
                model,
                compiled: OnceLock::new(),
            }),
            None => Err(refused(
                py,
                &loaded.diagnostics,
                &loaded.name,
                &loaded.source,
            )),
        }
    }

    fn refused(&self, py: Python<'_>, diagnostics: &[Diagnostic]) -> PyErr {
        refused(py, diagnostics, &self.loaded.name, &self.loaded.source)
    }

    fn told<'py>(&self, py: Python<'py>, list: &[Diagnostic]) -> PyResult<Bound<'py, PyList>> {
        told(py, list, &self.loaded.name, &self.loaded.source)
    }

    /// The equations in machine code, made once. A run from them keeps its trail.
    fn compiled(&self) -> Result<Arc<Compiled>, Refusal> {
        if let Some(compiled) = self.compiled.get() {
            return Ok(Arc::clone(compiled));
        }
        let made = Arc::new(galilei::compile(&self.model)?.with_trail(true));
        Ok(Arc::clone(self.compiled.get_or_init(|| made)))
    }

    /// The model with another start, if that is given, and the warnings before a run.
    fn started(
        &self,
        at: &str,
        settings: &RunSettings,
    ) -> Result<(galilei::Model, Vec<Diagnostic>), Refusal> {
        let model = match at.trim() {
            "" => self.model.clone(),
            at => self.model.starting_at(at)?,
        };
        let warnings = allowed(self.loaded.before_run(&model, settings))?;
        Ok((model, warnings))
    }

    fn names<T>(list: Vec<T>, name: impl Fn(T) -> String) -> Vec<String> {
        list.into_iter().map(name).collect()
    }
}

#[pymethods]
impl Model {
    /// Reads a text.
    #[new]
    fn new(py: Python<'_>, text: &str, name: &str, set: Vec<String>) -> PyResult<Self> {
        let loaded = py.detach(|| Loaded::from_text(name, text, &set));
        Self::from_loaded(py, loaded)
    }

    /// Reads a file.
    #[staticmethod]
    fn open(py: Python<'_>, path: &str, set: Vec<String>) -> PyResult<Self> {
        let loaded = py.detach(|| Loaded::open(path, &set));
        Self::from_loaded(py, loaded)
    }

    #[getter]
    fn title(&self) -> &str {
        self.model.title()
    }

    #[getter]
    fn name(&self) -> &str {
        &self.loaded.name
    }

    #[getter]
    fn source(&self) -> &str {
        &self.loaded.source
    }

    /// What reading had to say.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.told(py, &self.loaded.diagnostics)
    }

    #[getter]
    fn coordinates(&self) -> Vec<String> {
        Self::names(self.model.contents().coordinates, |c| c.name)
    }

    /// Names with values as written, in SI units; none without a default.
    #[getter]
    fn parameters(&self) -> Vec<(String, Option<String>)> {
        let list = self.model.contents().parameters.into_iter();
        list.map(|p| (p.name, p.value.map(|v| v.to_string())))
            .collect()
    }

    /// Names and functions: left side − right side.
    #[getter]
    fn constraints(&self) -> Vec<(String, String)> {
        let list = self.model.contents().constraints.into_iter();
        list.map(|c| (c.name, c.function.to_string())).collect()
    }

    #[getter]
    fn outputs(&self) -> Vec<String> {
        Self::names(self.model.contents().outputs, |o| o.name)
    }

    #[getter]
    fn events(&self) -> Vec<String> {
        Self::names(self.model.contents().events, |e| e.name)
    }

    #[getter]
    fn charts(&self) -> Vec<String> {
        Self::names(self.model.contents().charts, |c| c.name)
    }

    /// The document of `check`, its text, and warnings.
    fn check<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, String, Bound<'py, PyList>)> {
        let done: Result<(Json, String, Vec<Diagnostic>), Refusal> = py.detach(|| {
            let mut check = galilei::check(&self.model);
            let mut all = self.loaded.diagnostics.clone();
            all.append(&mut check.diagnostics);
            let warnings = allowed(all)?;
            let title = self.model.title();
            let words = text::check(title, &check, COLUMNS);
            Ok((contract::check(title, &check), words, warnings))
        });
        let (document, words, warnings) = done.map_err(|e| self.refused(py, &e))?;
        Ok((
            convert::object(py, &document)?,
            words.trim_end().to_owned(),
            self.told(py, &warnings)?,
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
            let mut request = Request::of(&words);
            let mut all = self.loaded.before_formulas(&self.model);
            all.append(&mut request.diagnostics);
            let warnings = allowed(all)?;
            let derivation = match &chart {
                None => Derivation::new(&self.model),
                Some(name) => Derivation::in_chart(&self.model, name).map_err(|e| vec![e])?,
            };
            let sections = request.sections.iter();
            let sections = sections
                .filter_map(|word| derivation.section(word))
                .map(|s| {
                    (
                        s.what,
                        s.title,
                        typeset::json_section(&s),
                        typeset::html_section(&s),
                    )
                });
            Ok((sections.collect::<Vec<_>>(), warnings))
        });
        let (sections, warnings) = done.map_err(|e: Refusal| self.refused(py, &e))?;
        let sections = sections
            .into_iter()
            .map(|(what, title, json, html)| Ok((what, title, convert::object(py, &json)?, html)));
        let sections: PyResult<Vec<_>> = sections.collect();
        Ok((sections?, self.told(py, &warnings)?))
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
            let warnings = allowed(self.loaded.before_values(&self.model, here))?;
            let values = match &chart {
                None => self.model.evaluate(&state?)?,
                Some(name) => self.model.evaluate_in_chart(name, at)?,
            };
            Ok((contract::evaluation(self.model.title(), &values), warnings))
        });
        let (document, warnings) = done.map_err(|e: Refusal| self.refused(py, &e))?;
        Ok((convert::object(py, &document)?, self.told(py, &warnings)?))
    }

    /// The equations of motion as a callable.
    fn field(&self, py: Python<'_>) -> PyResult<Field> {
        let made = py.detach(|| self.compiled().map(|compiled| Field::new(&compiled)));
        made.map_err(|e| self.refused(py, &e))
    }

    /// A run, and warnings.
    fn simulate<'py>(
        &self,
        py: Python<'py>,
        at: &str,
        span: Span,
        dense: bool,
    ) -> PyResult<(Run, Bound<'py, PyList>)> {
        let settings = span.settings();
        let mut interrupt = Interrupt::new();
        let done = py.detach(|| {
            let (model, mut warnings) = self.started(at, &settings)?;
            let compiled = self.compiled()?;
            let kept = match dense {
                true => compiled,
                false => Arc::new(Compiled::clone(&compiled).with_trail(false)),
            };
            let mut motion = kept.simulate(&model, &settings, |_, _, _| interrupt.go_on())?;
            let trajectory = dense.then(|| Trajectory::of(&kept, &mut motion));
            warnings.extend(motion.warnings.iter().cloned());
            Ok((motion, trajectory, warnings))
        });
        interrupt.raised()?;
        let (motion, trajectory, warnings) = done.map_err(|e: Refusal| self.refused(py, &e))?;
        Ok((Run::new(py, motion, trajectory)?, self.told(py, &warnings)?))
    }

    /// A run with its neighbours, and warnings.
    fn neighbours<'py>(
        &self,
        py: Python<'py>,
        at: &str,
        span: Span,
        by: Vec<String>,
        gradient: Option<String>,
    ) -> PyResult<(Neighbours, Bound<'py, PyList>)> {
        let settings = VariationSettings {
            run: span.settings(),
            parameters: by,
            gradient,
        };
        let mut interrupt = Interrupt::new();
        let done = py.detach(|| {
            let (model, mut warnings) = self.started(at, &settings.run)?;
            let found = galilei::neighbours(&model, &settings, |_, _, _| interrupt.go_on())?;
            warnings.extend(found.motion.warnings.iter().cloned());
            Ok((found, warnings))
        });
        interrupt.raised()?;
        let (found, warnings) = done.map_err(|e: Refusal| self.refused(py, &e))?;
        Ok((Neighbours::new(py, found)?, self.told(py, &warnings)?))
    }

    /// Many runs, and warnings.
    fn sweep<'py>(
        &self,
        py: Python<'py>,
        at: &str,
        span: Span,
        axes: Axes,
    ) -> PyResult<(Sweep, Bound<'py, PyList>)> {
        let settings = axes.settings(span.settings());
        let done = py.detach(|| {
            let (model, warnings) = self.started(at, &settings.run)?;
            Ok((galilei::Sweep::new(&model, &settings)?, warnings))
        });
        let (sweep, warnings) = done.map_err(|e: Refusal| self.refused(py, &e))?;
        Ok((Sweep::compute(py, sweep)?, self.told(py, &warnings)?))
    }

    /// Motions between given ends, and warnings.
    fn stationary<'py>(
        &self,
        py: Python<'py>,
        sought: Sought,
        span: Span,
    ) -> PyResult<(Stationary, Bound<'py, PyList>)> {
        let mut interrupt = Interrupt::new();
        let done = py.detach(|| {
            let settings = sought.settings(span.settings())?;
            let (model, mut warnings) = self.started("", &settings.run)?;
            let found = galilei::stationary(&model, &settings, || interrupt.go_on())?;
            warnings.extend(found.warning());
            Ok((found, self.compiled()?, warnings))
        });
        interrupt.raised()?;
        let (found, compiled, warnings) = done.map_err(|e: Refusal| self.refused(py, &e))?;
        let found = Stationary::new(py, &compiled, found)?;
        Ok((found, self.told(py, &warnings)?))
    }

    /// The equations as a source file of another language, and warnings.
    fn export<'py>(
        &self,
        py: Python<'py>,
        language: &str,
    ) -> PyResult<(String, Bound<'py, PyList>)> {
        let done = py.detach(|| {
            let warnings = allowed(self.loaded.before_formulas(&self.model))?;
            let source = galilei::export(&self.model, galilei::language(language)?)?;
            Ok((source, warnings))
        });
        let (source, warnings) = done.map_err(|e: Refusal| self.refused(py, &e))?;
        Ok((source, self.told(py, &warnings)?))
    }

    /// The page as HTML; `command` says how it was made.
    fn page(&self, py: Python<'_>, span: Span, command: String) -> PyResult<String> {
        let settings = span.settings();
        let mut interrupt = Interrupt::new();
        let done = py.detach(|| {
            allowed(self.loaded.before_run(&self.model, &settings))?;
            let told = Told {
                source: &self.loaded.source,
                command,
                version: env!("CARGO_PKG_VERSION"),
            };
            let page = galilei::page(&self.model, told, &settings, |_, _, _| interrupt.go_on());
            Ok(page.to_html())
        });
        interrupt.raised()?;
        done.map_err(|e: Refusal| self.refused(py, &e))
    }
}
