//! A model that Python holds.

use std::sync::{Arc, OnceLock};

use galilei::{Compiled, Derivation, Diagnostic, Error, Language, RunSettings, document};
use galilei_expr::ExprId;
use galilei_report::{Request, text, typeset};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::convert;
use crate::field::Field;
use crate::interrupt::Interrupt;
use crate::refusal::{dictionaries, refused};
use crate::run::Run;
use crate::sensitivities::Sensitivities;
use crate::span::Span;
use crate::stationary::{Stationary, StationaryRequest};
use crate::sweep::{Axes, Sweep};

/// The width of texts in columns.
const TEXT_COLUMNS: usize = 100;

/// A self-contained model with its text. See `galilei.System`.
#[pyclass(frozen, module = "galilei._galilei")]
pub(crate) struct Model {
    model: galilei::Model,
    compiled: OnceLock<Arc<Compiled>>,
}

impl Model {
    fn held(py: Python<'_>, read: Result<galilei::Model, Error>) -> PyResult<Self> {
        Ok(Self {
            model: read.map_err(|e| refused(py, &e))?,
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
        let made = Arc::new(self.model.compile()?);
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
        let reader = galilei::Model::reader().set_all(set).name(name);
        Self::held(py, py.detach(|| reader.parse(text)))
    }

    /// Reads a file.
    #[staticmethod]
    fn open(py: Python<'_>, path: &str, set: Vec<String>) -> PyResult<Self> {
        let reader = galilei::Model::reader().set_all(set);
        Self::held(py, py.detach(|| reader.open(path)))
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

    /// Names with values as written, in SI units; none without a default.
    #[getter]
    fn parameters(&self) -> Vec<(String, Option<String>)> {
        let list = self.model.contents().parameters.iter();
        let text = |id: ExprId| self.model.expr(id).to_string();
        list.map(|p| (p.name.clone(), p.value.map(text))).collect()
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
            let mut request = Request::of(&words);
            let mut all = self.model.diagnostics();
            all.append(&mut request.diagnostics);
            let warnings = self.allowed(all)?;
            let derivation = match &chart {
                None => Derivation::new(&self.model),
                Some(name) => {
                    Derivation::in_chart(&self.model, name).map_err(|e| self.model.error(e))?
                }
            };
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
        let made = py.detach(|| self.compiled().map(|compiled| Field::new(&compiled)));
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
