//! A model that was read, with its text.

use std::io::Read;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use galilei_check::Check;
use galilei_export::source::Language;
use galilei_expr::Table;
use galilei_integrate::Situation;
use galilei_lower::Form;
use galilei_model::{
    Code, Diagnostic, Evaluation, Folder, Settings, State, Surroundings, read_with,
};

use crate::compiled::Compiled;
use crate::error::Error;
use crate::method::method_warnings;
use crate::sensitivities::{SensitivityAnalysis, parameter_symbols};
use crate::settings::{RunSettings, setters};
use crate::simulation::Simulation;
use crate::stationary::StationarySearch;
use crate::sweep::SweepBuilder;

/// A mechanical system read from a model file, with its text.
///
/// Everything starts from it: [`check`](Self::check) says what holds, [`simulate`](Self::simulate),
/// [`sensitivities`](Self::sensitivities), [`sweep`](Self::sweep) and [`stationary`](Self::stationary) make runs,
/// [`compile`](Self::compile) gives the equations as functions. It dereferences to the
/// [statements that were read](galilei_model::Model): coordinates, parameters, constraints, expressions.
///
/// ```
/// use galilei::Model;
/// let model = Model::parse("coord x\nkinetic: x'^2/2\npotential: 2*x^2\ninitial x = 1\n")?;
/// let motion = model.simulate().to(1.0).run()?;
/// assert!((motion.run.state[0] - 2f64.cos()).abs() < 1e-12);
/// # Ok::<(), galilei::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    read: galilei_model::Model,
    origin: Arc<Origin>,
    warnings: Vec<Diagnostic>,
}

/// The origin of a model: its name and text.
#[derive(Debug)]
struct Origin {
    name: String,
    source: String,
    settings: Settings,
    around: Surroundings,
}

impl Deref for Model {
    type Target = galilei_model::Model;

    fn deref(&self) -> &galilei_model::Model {
        &self.read
    }
}

/// Reads a model with values for parameters, and with a name for its text.
///
/// ```
/// let text = "param k = 1\ncoord x\nkinetic: x'^2/2\npotential: k*x^2/2\n";
/// let model = galilei::Model::reader().set("k=4").name("oscillator.gal").parse(text)?;
/// assert_eq!(model.title(), "oscillator");
/// assert_eq!(model.evaluate(&model.state_at("x=1")?)?.acceleration, [-4.0]);
/// # Ok::<(), galilei::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ModelReader {
    set: Vec<String>,
    name: String,
    around: Surroundings,
}

impl ModelReader {
    /// Values for parameters and constants that override those of the file: `"m=2,l=0.3"`.
    #[must_use]
    pub fn set(mut self, values: impl Into<String>) -> Self {
        self.set.push(values.into());
        self
    }

    /// Several texts of values, as [`set`](Self::set) takes one.
    #[must_use]
    pub fn set_all(mut self, values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.set.extend(values.into_iter().map(Into::into));
        self
    }

    setters! {
        /// The name of the text in diagnostics. A model without a title is called by its stem. Files have their paths.
        name(name: impl Into<String>) => name = name.into();

        /// The folder that tables are read from; that of the file for files, the current one for texts.
        folder(folder: impl AsRef<Path>)
            => around.folder.path = Some(folder.as_ref().to_path_buf());
    }

    /// Allows tables outside of the folder of the model: all files of a folder, or all files.
    #[must_use]
    pub fn allow_path(mut self, folder: Option<&Path>) -> Self {
        match folder {
            Some(folder) => self.around.folder.allowed.push(folder.to_path_buf()),
            None => self.around.folder.anywhere = true,
        }
        self
    }

    /// Replaces the formula of an input by a function of time.
    #[must_use]
    pub fn signal(mut self, input: impl Into<String>, signal: Table) -> Self {
        self.around.signals.push((input.into(), signal));
        self
    }

    /// Reads a text.
    ///
    /// # Errors
    /// Where the text is not a model.
    pub fn parse(mut self, text: &str) -> Result<Model, Error> {
        if self.around.folder.path.is_none() {
            self.around.folder.path = Folder::of_file(Path::new(&self.name)).path;
        }
        let stem = Path::new(&self.name).file_stem();
        let title = stem.map(|s| s.to_string_lossy().into_owned());
        let settings = Settings {
            set: self.set,
            title: title.unwrap_or_else(|| self.name.clone()),
        };
        // A byte order mark is not a part of the text.
        let source = text.strip_prefix('\u{feff}').unwrap_or(text);
        let outcome = read_with(source, &settings, &self.around);
        let Some(read) = outcome.model else {
            return Err(Error::about(&self.name, source, outcome.diagnostics));
        };
        Ok(Model {
            read,
            origin: Arc::new(Origin {
                name: self.name,
                source: source.to_owned(),
                settings,
                around: self.around,
            }),
            warnings: outcome.diagnostics,
        })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Where the file cannot be read, or is not a model.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Model, Error> {
        let path = path.as_ref();
        let name = path.display().to_string();
        match std::fs::File::open(path) {
            Ok(file) => self.name(name).read(file),
            Err(cause) => Err(Error::unreadable(&name, cause)),
        }
    }

    /// Reads anything that gives bytes.
    ///
    /// # Errors
    /// Where the bytes cannot be read, or are not the text of a model.
    pub fn read(self, reader: impl Read) -> Result<Model, Error> {
        let name = &self.name;
        let mut bytes = Vec::new();
        let limit = 1 + galilei_syntax::MAX_FILE_BYTES as u64;
        if let Err(cause) = reader.take(limit).read_to_end(&mut bytes) {
            return Err(Error::unreadable(name, cause));
        }
        match String::from_utf8(bytes) {
            Ok(text) => self.parse(&text),
            Err(e) => {
                let at = e.utf8_error().valid_up_to();
                let line = 1 + e.as_bytes()[..at].iter().filter(|b| **b == b'\n').count();
                let message = format!("{name} is not UTF-8 text (line {line}, byte {at})");
                let hint = "save the file as UTF-8";
                let diagnostic = Diagnostic::error(Code::CannotRead, message, hint, None);
                Err(Error::about(name, "", vec![diagnostic]))
            }
        }
    }
}

impl Model {
    /// Reads a text in the model language.
    ///
    /// # Errors
    /// Where the text is not a model: the error says where and why.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::reader().parse(text)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Where the file cannot be read, or is not a model.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::reader().open(path)
    }

    /// Reading with values for parameters, or from other sources than files.
    pub fn reader() -> ModelReader {
        ModelReader::default()
    }

    /// The name of the text: the path of a file; empty if it has none.
    pub fn name(&self) -> &str {
        &self.origin.name
    }

    /// The text, without a byte order mark.
    pub fn source(&self) -> &str {
        &self.origin.source
    }

    /// The statements read again, with a parameter of the value zero added to each input.
    pub(crate) fn with_increments(&self) -> Result<galilei_model::Model, Error> {
        let around = Surroundings {
            increments: true,
            ..self.origin.around.clone()
        };
        self.read_again(&around)
    }

    /// The statements read again, with expressions of their own, in the chart of this model.
    pub(crate) fn anew(&self) -> Result<galilei_model::Model, Error> {
        Ok(self
            .read_again(&self.origin.around)?
            .in_chart_of(&self.read))
    }

    fn read_again(&self, around: &Surroundings) -> Result<galilei_model::Model, Error> {
        let outcome = read_with(self.source(), &self.origin.settings, around);
        outcome.model.ok_or_else(|| self.error(outcome.diagnostics))
    }

    /// The model with a parameter of the value zero added to each input.
    pub(crate) fn driven(&self) -> Result<Self, Error> {
        Ok(Self {
            read: self.with_increments()?,
            origin: Arc::clone(&self.origin),
            warnings: self.warnings.clone(),
        })
    }

    /// The model in the charts in which its formulas read best: points of ready-made manifolds are functions of angles.
    /// Without such manifolds it is the model itself. It is not for runs: angles have singular points.
    ///
    /// ```
    /// let text = "coord n on sphere\nparticle: mass 1 at n\ninitial n = (0, 0, 1), n' = (1, 0, 0)\n";
    /// let model = galilei::Model::parse(text)?;
    /// assert_eq!(model.contents().coordinates[0].name, "n_1");
    /// assert_eq!(model.for_reading().contents().coordinates[0].name, "theta_n");
    /// # Ok::<(), galilei::Error>(())
    /// ```
    #[must_use]
    pub fn for_reading(&self) -> Self {
        let around = Surroundings {
            angles: true,
            ..self.origin.around.clone()
        };
        let read = match self.manifolds().is_empty() {
            true => None,
            false => read_with(self.source(), &self.origin.settings, &around).model,
        };
        Self {
            read: read.unwrap_or_else(|| self.read.clone()),
            ..self.clone()
        }
    }

    /// The model in a chart of its ready-made manifolds: `n_north` or `n_south` for a sphere of n, `rodrigues` for
    /// rotations, `angles` for reading. `None` where there is no such chart.
    #[must_use]
    pub fn in_ready_chart(&self, name: &str) -> Option<Self> {
        if self.manifolds().is_empty() {
            return None;
        }
        if name == "angles" {
            return Some(self.for_reading());
        }
        let bits = (0..self.manifold_chart_count())
            .find(|&bits| self.manifold_chart_name(bits) == name)?;
        Some(Self {
            read: self.read.in_manifold_chart(bits),
            ..self.clone()
        })
    }

    /// The model with functions of time instead of the formulas of some inputs.
    ///
    /// # Errors
    /// Where a name is no input, or the model does not admit such a signal.
    pub fn with_signals(
        &self,
        signals: impl IntoIterator<Item = (String, Table)>,
    ) -> Result<Self, Error> {
        let mut around = self.origin.around.clone();
        for (name, table) in signals {
            around.signals.retain(|s| s.0 != name);
            around.signals.push((name, table));
        }
        let reader = ModelReader {
            set: self.origin.settings.set.clone(),
            name: self.origin.name.clone(),
            around,
        };
        reader.parse(&self.origin.source)
    }

    /// Warnings of reading.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// An error about this model, which points at its text.
    pub fn error(&self, why: impl Into<Error>) -> Error {
        let diagnostics = why.into().into_diagnostics();
        Error::about(self.name(), self.source(), diagnostics)
    }

    /// Decides properties of the model: whether three routes to its equations agree, which forces have potentials,
    /// which quantities are conserved, of which kind its constraints are.
    ///
    /// ```
    /// let model = galilei::Model::parse("coord x\nkinetic: x'^2/2\npotential: x^4\n")?;
    /// let check = model.check();
    /// assert!(check.ok == Some(true) && check.conservative);
    /// # Ok::<(), galilei::Error>(())
    /// ```
    pub fn check(&self) -> Check<'_> {
        galilei_check::check(&self.read)
    }

    /// The model from another start, `"theta=0.1, theta'=2"`; all other entries are those of the file.
    ///
    /// # Errors
    /// Where the text is not a state of the model.
    pub fn starting_at(&self, state: &str) -> Result<Self, Error> {
        let read = self.read.starting_at(state);
        Ok(Self {
            read: read.map_err(|e| self.error(e))?,
            ..self.clone()
        })
    }

    /// The model from another start, which stays in the chart of its ready-made manifolds.
    ///
    /// # Errors
    /// Where the text is not a state of the model.
    pub fn starting_in_chart(&self, state: &str) -> Result<Self, Error> {
        let read = self.read.starting_here(state);
        Ok(Self {
            read: read.map_err(|e| self.error(e))?,
            ..self.clone()
        })
    }

    /// The model in the chart of its ready-made manifolds that suits a state, given as for [`Self::state_at`].
    #[must_use]
    pub fn facing_state(&self, state: &str) -> Self {
        Self {
            read: self.read.facing(state),
            ..self.clone()
        }
    }

    /// A state, `"t=1, theta=0.1, theta'=2"`; all other entries are those of the file.
    ///
    /// # Errors
    /// Where the text is not a state of the model.
    pub fn state_at(&self, state: &str) -> Result<State<'_>, Error> {
        self.read.state_at(state).map_err(|e| self.error(e))
    }

    /// Mass matrix, energies, momenta, accelerations, reactions and more at a state.
    ///
    /// # Errors
    /// Where a value is missing or not a number.
    pub fn evaluate<'m>(&'m self, state: &State<'m>) -> Result<Evaluation, Error> {
        self.read.evaluate(state).map_err(|e| self.error(e))
    }

    /// Contact and friction at a time and a state, x then u; `None` for models without them. Where they do not determine the
    /// motion there is a warning instead.
    ///
    /// ```
    /// let text = "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\ncontact floor: y >= 0 friction 0.1 along x'\n";
    /// let model = galilei::Model::parse(text)?;
    /// let slides = model.contacts_at(0.0, &[0.0, 0.0, 2.0, 0.0])?.unwrap().unwrap();
    /// assert_eq!(slides.closed, ["floor"]);
    /// assert!((slides.acceleration[0] + 0.981).abs() < 1e-14);
    /// # Ok::<(), galilei::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the contacts have no numbers.
    pub fn contacts_at(
        &self,
        time: f64,
        state: &[f64],
    ) -> Result<Option<Result<Situation, Diagnostic>>, Error> {
        let model = &self.read;
        let asked = model.has_contacts();
        let found = asked.then(|| crate::contacts::situation(model, time, state));
        found.transpose().map_err(|e| self.error(e))
    }

    /// The equations of motion as code, which computes accelerations, steps and runs.
    ///
    /// # Errors
    /// Where a parameter has no value, or something has no numbers.
    pub fn compile(&self) -> Result<Compiled, Error> {
        self.compile_as(Form::Shortest)
    }

    /// The equations of motion as code for [`Simulation::compiled`]: those of [`Self::compile`], or Hamilton's equations where the
    /// Lagrangian of a `hamiltonian:` has no closed form.
    ///
    /// # Errors
    /// Where a parameter has no value, or something has no numbers.
    ///
    /// ```
    /// let text = "coord x\nhamiltonian: p(x)^2/2 + p(x)^4/4 + x^2/2\ninitial p(x) = 1\n";
    /// let model = galilei::Model::parse(text)?;
    /// let compiled = model.compile_for_runs()?;
    /// let motion = model.simulate().compiled(&compiled).to(1.0).run()?;
    /// assert!(motion.run.energy_balance < 1e-12);
    /// assert!(model.compile().is_err());
    /// # Ok::<(), galilei::Error>(())
    /// ```
    pub fn compile_for_runs(&self) -> Result<Compiled, Error> {
        Compiled::for_runs(&self.read).map_err(|e| self.error(e))
    }

    /// The equations of motion as code, written in a given form.
    ///
    /// # Errors
    /// Where a parameter has no value, or something has no numbers.
    pub fn compile_as(&self, form: Form) -> Result<Compiled, Error> {
        Compiled::new(&self.read, form).map_err(|e| self.error(e))
    }

    /// The equations of motion as code that can be differentiated with respect to the start and some parameters: see
    /// [`Compiled::integrate_with_sensitivities`].
    ///
    /// # Errors
    /// Where a parameter is unknown or has no value, or something has no numbers.
    pub fn compile_with_sensitivities(&self, parameters: &[String]) -> Result<Compiled, Error> {
        let symbols = parameter_symbols(&self.read, parameters);
        symbols
            .and_then(|symbols| Compiled::differentiated(&self.read, &symbols))
            .map_err(|e| self.error(e))
    }

    /// A run: choose its settings, then call [`Simulation::run`].
    pub fn simulate(&self) -> Simulation<'_> {
        Simulation::new(self)
    }

    /// A run with its sensitivities to the start and to parameters: choose settings, then call
    /// [`SensitivityAnalysis::run`].
    pub fn sensitivities(&self) -> SensitivityAnalysis<'_> {
        SensitivityAnalysis::new(self)
    }

    /// Many runs over initial values and parameters: choose settings, then call [`SweepBuilder::build`].
    pub fn sweep(&self) -> SweepBuilder<'_> {
        SweepBuilder::new(self)
    }

    /// Motions between given ends: choose settings, then call [`StationarySearch::run`].
    pub fn stationary(&self) -> StationarySearch<'_> {
        StationarySearch::new(self)
    }

    /// The equations of motion as a source file without dependencies: accelerations, mass matrix, energy, reactions
    /// and Hamilton's right-hand side, as functions of state and parameters.
    ///
    /// ```
    /// use galilei::{Language, Model};
    /// let model = Model::parse("param k = 4\ncoord x\nkinetic: x'^2/2\npotential: k*x^2/2\n")?;
    /// let source = model.export(Language::Python)?;
    /// assert!(source.contains("def accelerations(t, x, u, parameters=DEFAULTS):"));
    /// # Ok::<(), galilei::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where a value is missing, the model has no numbers, or the file would be too long.
    pub fn export(&self, language: Language) -> Result<String, Error> {
        self.source_of(language, false)
    }

    /// The source file of [`Model::export`] with the derivatives of the accelerations by time, positions and
    /// velocities. They take up most of the file.
    ///
    /// # Errors
    /// Where a value is missing, the model has no numbers, or the file would be too long.
    pub fn export_with_jacobian(&self, language: Language) -> Result<String, Error> {
        self.source_of(language, true)
    }

    fn source_of(&self, language: Language, jacobian: bool) -> Result<String, Error> {
        let source = match self.contents().inputs.is_empty() {
            true => galilei_export::source::export(&self.read, language, jacobian),
            false => galilei_export::source::export(&self.with_increments()?, language, jacobian),
        };
        source.map_err(|e| self.error(e))
    }

    /// Diagnostics before formulas are derived, for which the initial state does not matter: those of reading and of the
    /// model.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.with(of_all_states(self.read.validate()).chain(self.read.free_motion()))
    }

    /// Diagnostics before values are computed at a state, which is judged instead of the initial one.
    pub fn diagnostics_at<'m>(&'m self, state: Option<&State<'m>>) -> Vec<Diagnostic> {
        self.with(of_all_states(self.read.validate_at(state)).chain(self.read.free_motion()))
    }

    /// Diagnostics before a run: those of reading, of the model, of its initial state, and of the method.
    pub fn diagnostics_before(&self, settings: &RunSettings) -> Vec<Diagnostic> {
        let found = match settings.from {
            Some(from) => self.read.validate_from(from),
            None => self.read.validate(),
        };
        let found = found.into_iter();
        let found = found.filter(|d| !settings.project || d.code != Code::StateViolatesConstraint);
        self.with(found.chain(method_warnings(&self.read, settings)))
    }

    fn with(&self, more: impl Iterator<Item = Diagnostic>) -> Vec<Diagnostic> {
        self.warnings.iter().cloned().chain(more).collect()
    }
}

/// Diagnostics about the model at all states, not about one.
fn of_all_states(list: Vec<Diagnostic>) -> impl Iterator<Item = Diagnostic> {
    (list.into_iter()).filter(|d| !d.code.concerns_one_state())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(list: &[Diagnostic]) -> Vec<Code> {
        list.iter().map(|d| d.code).collect()
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        let bytes: &[u8] = b"coord x\n\xff";
        let broken = Model::reader().name("m.gal").read(bytes).unwrap_err();
        assert!(broken.diagnostics()[0].message.contains("line 2, byte 8"));
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_text() {
        let text = "\u{feff}coord x\nkinetic: x'^2";
        let marked = Model::reader().name("a/pendulum.gal").parse(text).unwrap();
        assert_eq!(marked.title(), "pendulum");
        assert!(marked.source().starts_with("coord"));
    }

    #[test]
    fn a_start_off_the_constraint_matters_to_runs() {
        let text = "coord x, y\nkinetic: x'^2 + y'^2\nconstraint c: x^2 + y^2 = 1\ninitial x = 2\n";
        let model = Model::parse(text).unwrap();
        let settings = RunSettings::new();
        assert_eq!(
            codes(&model.diagnostics_before(&settings)),
            [Code::StateViolatesConstraint]
        );
        assert!(model.diagnostics_before(&settings.project(true)).is_empty());
        assert!(model.diagnostics().is_empty());
    }
}
