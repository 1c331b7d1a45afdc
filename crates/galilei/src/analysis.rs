//! Linearisations, equilibria, periodic motions and Lyapunov exponents of a model.

use std::path::Path;

use galilei_analyse::{
    Equilibria, EquilibriumSearch, Fit, FitSettings, Measurements, Modes, PeriodicMotion,
    PeriodicMotions, PeriodicSearch,
};
use galilei_certify::{OrbitGuess, PeriodicProof};
use galilei_model::{Code, Column, DataError, Diagnostic, State, read_columns, refused};

use crate::error::Error;
use crate::lyapunov::LyapunovAnalysis;
use crate::model::Model;

impl Model {
    /// The linearised motion at a state, on the constraints: matrices in independent coordinates, eigenvalues, modes.
    ///
    /// ```
    /// let model = galilei::Model::parse("coord x\nkinetic: x'^2/2\npotential: 8*x^2\nforce: x = -x'/5\n")?;
    /// let modes = model.modes(&model.state_at("x=0")?)?;
    /// assert_eq!(modes.independent, ["x", "x'"]);
    /// assert!((modes.damping_ratios[0].unwrap() - 0.025).abs() < 1e-15);
    /// # Ok::<(), galilei::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the motion has no derivatives at the state.
    pub fn modes<'m>(&'m self, state: &State<'m>) -> Result<Modes, Error> {
        if self.is_implicit() {
            return self.phase_space().modes(state);
        }
        if self.contents().inputs.is_empty() {
            return galilei_analyse::modes(self, state).map_err(|e| self.error(e));
        }
        let state = galilei_analyse::state_numbers(state).map_err(|e| self.error(e))?;
        let model = self.with_increments()?;
        galilei_analyse::modes_at(&model, &state).map_err(|e| self.error(e))
    }

    /// Parameters and initial values for which outputs come nearest to measurements, with standard errors.
    ///
    /// # Errors
    /// Where names or data do not fit the model, or no run reaches the end of the data.
    pub fn fit(&self, data: &Measurements, settings: &FitSettings) -> Result<Fit, Error> {
        self.fit_runs(std::slice::from_ref(data), settings)
    }

    /// Parameters that several runs have in common, and initial values of each: `x@1` of the first, `x@2` of the second run.
    ///
    /// # Errors
    /// Where names or data do not fit the model, or no run reaches the end of the data.
    pub fn fit_runs(&self, runs: &[Measurements], settings: &FitSettings) -> Result<Fit, Error> {
        if self.is_implicit() {
            return self.phase_space().fit(runs, settings);
        }
        galilei_analyse::fit_runs(self, runs, settings).map_err(|e| self.error(e))
    }

    /// Rest positions and steady motions with their stability, the nearest to a guess first.
    ///
    /// ```
    /// use galilei::{EquilibriumSearch, Model};
    /// let model = Model::parse("coord q\nkinetic: q'^2/2\npotential: -cos(q)\n")?;
    /// let found = model.equilibria(&EquilibriumSearch::default())?;
    /// let stable: Vec<_> = found.list.iter().map(|e| (e.position[0], e.stable)).collect();
    /// assert_eq!(stable[0], (0.0, Some(true)));
    /// assert_eq!(stable[1].1, Some(false));
    /// # Ok::<(), galilei::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the guess cannot be read, or the model has no numbers.
    pub fn equilibria(&self, search: &EquilibriumSearch) -> Result<Equilibria, Error> {
        if self.is_implicit() {
            return self.phase_space().equilibria(search);
        }
        galilei_analyse::equilibria(self, search).map_err(|e| self.error(e))
    }

    /// A periodic motion near a start with its Floquet multipliers, or a family of them along a parameter.
    ///
    /// ```
    /// use galilei::{Model, PeriodicSearch};
    /// let model = Model::parse("coord x\nkinetic: x'^2/2\npotential: x^4/4\ninitial x = 1\n")?;
    /// let found = model.periodic(&PeriodicSearch::new(7.0))?;
    /// assert!((found.motions[0].period - 7.416298709205487).abs() < 1e-10);
    /// # Ok::<(), galilei::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where no periodic motion is found, or the request does not fit the model.
    pub fn periodic(&self, search: &PeriodicSearch) -> Result<PeriodicMotions, Error> {
        if self.is_implicit() {
            return self.phase_space().periodic(search);
        }
        galilei_analyse::periodic(self, search).map_err(|e| self.error(e))
    }

    /// A proof that there is a periodic motion near one that was found, in a box that contains it.
    ///
    /// ```
    /// use galilei::{Model, PeriodicSearch};
    /// let model = Model::parse("coord x\nkinetic: x'^2/2\npotential: x^4/4\ninitial x = 1\n")?;
    /// let found = model.periodic(&PeriodicSearch::new(7.0))?;
    /// let proof = model.prove_periodic(&found.motions[0])?;
    /// assert!(proof.certified && proof.period[1] - proof.period[0] < 1e-11);
    /// # Ok::<(), galilei::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the model has something that cannot be enclosed. A proof that fails is returned with its reason.
    pub fn prove_periodic(&self, motion: &PeriodicMotion) -> Result<PeriodicProof, Error> {
        let guess = OrbitGuess {
            time: motion.time,
            state: [&motion.position[..], &motion.velocity].concat(),
            period: motion.period,
        };
        galilei_certify::prove_periodic(self, &guess).map_err(|e| self.error(e))
    }

    /// Lyapunov exponents of a motion: choose settings, then call [`run`](crate::LyapunovAnalysis::run).
    pub fn lyapunov(&self) -> LyapunovAnalysis<'_> {
        LyapunovAnalysis::new(self)
    }
}

/// Measurements from files: columns named like outputs next to one of the times, `t`. Empty cells are missing values; units
/// behind the names are converted to SI units.
///
/// # Errors
/// Where a file cannot be read, has no column `t`, or has an entry that is no number.
pub fn read_measurements(files: &[&Path]) -> Result<Measurements, Vec<Diagnostic>> {
    let mut all = Measurements::default();
    let refuse = |e: DataError| refused(e.code, e.message, e.hint);
    for file in files {
        let name = file.display();
        if !file.is_file() {
            return Err(refuse(DataError {
                code: Code::TableFileMissing,
                message: format!("there is no file `{name}`"),
                hint: "check the path".into(),
            }));
        }
        let columns = read_columns(file).map_err(refuse)?;
        let time = columns.iter().find(|c| c.name == "t").ok_or_else(|| {
            refuse(DataError {
                code: Code::TableColumnMissing,
                message: format!("`{name}` has no column `t`"),
                hint: "measurements have their times in a column `t`".into(),
            })
        })?;
        let number = |c: &Column, row: usize, text: &str| {
            refuse(DataError {
                code: Code::TableNotANumber,
                message: format!("row {} of the column `{}` has `{text}`", row + 1, c.name),
                hint: "entries are numbers; leave the cell of a missing value empty".into(),
            })
        };
        let scale = time.scale().map_err(refuse)?;
        let before = all.times.len();
        for (row, t) in time.values.iter().enumerate() {
            let t = t.as_ref().map_err(|text| number(time, row, text))?;
            all.times.push(t * scale);
        }
        for (_, list) in &mut all.outputs {
            list.resize(all.times.len(), None);
        }
        for column in columns.iter().filter(|c| c.name != "t") {
            let scale = column.scale().map_err(refuse)?;
            let mut list = vec![None; before];
            for (row, value) in column.values.iter().enumerate() {
                list.push(match value {
                    Ok(x) => Some(x * scale),
                    Err(text) if is_missing(text) => None,
                    Err(text) => return Err(number(column, row, text)),
                });
            }
            if list.len() != all.times.len() {
                return Err(refuse(DataError {
                    code: Code::TableNotANumber,
                    message: format!("the column `{}` has other rows than `t`", column.name),
                    hint: "all columns have one entry for each time".into(),
                }));
            }
            match all.outputs.iter_mut().find(|o| o.0 == column.name) {
                Some((_, known)) => known.splice(before.., list.drain(before..)).for_each(drop),
                None => all.outputs.push((column.name.clone(), list)),
            }
        }
    }
    Ok(all)
}

/// Whether a cell stands for a missing value.
fn is_missing(text: &str) -> bool {
    text.is_empty() || text.eq_ignore_ascii_case("nan") || text.eq_ignore_ascii_case("na")
}
