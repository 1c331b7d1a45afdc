//! Analyses of systems given by a Hamiltonian without a closed Legendre transform: they are made in (x, p), and their
//! results are those of (x, ẋ). (T-54, T-102)

use galilei_analyse::{
    Equilibria, EquilibriumSearch, Fit, FitSettings, Lyapunov, LyapunovRequest, Measurements,
    Modes, PeriodicMotions, PeriodicSearch,
};
use galilei_integrate::Run;
use galilei_model::{Code, Diagnostic, State};

use crate::error::Error;
use crate::model::Model;

/// The components x and u of (x, p, ẋ, ṗ).
fn natural(state: &[f64]) -> Vec<f64> {
    let n = state.len() / 4;
    [&state[..n], &state[2 * n..3 * n]].concat()
}

/// A run in (x, p) as one in (x, u).
pub(crate) fn natural_run(run: &mut Run, degrees: usize) {
    run.state = natural(&run.state);
    for crossing in &mut run.crossings {
        crossing.state = natural(&crossing.state);
    }
    let size = 4 * degrees;
    for row in &mut run.rows {
        let there = natural(&row[1..=size]);
        row.splice(1..=size, there);
    }
}

/// A model on its way to phase space.
pub(crate) struct PhaseSpace<'a> {
    model: &'a Model,
    /// The number of coordinates of the model.
    degrees: usize,
}

impl Model {
    /// The analyses of the model in (x, p).
    pub(crate) fn phase_space(&self) -> PhaseSpace<'_> {
        PhaseSpace {
            model: self,
            degrees: self.contents().coordinates.len(),
        }
    }
}

impl<'a> PhaseSpace<'a> {
    fn error(&self, why: impl Into<Error>) -> Error {
        self.model.error(why)
    }

    /// The model on phase space, from a start.
    fn from(&self, at: &str) -> Result<galilei_model::Model, Error> {
        let moved = match at.is_empty() {
            true => self.model.on_phase_space(),
            false => self.model.starting_at(at)?.on_phase_space(),
        };
        moved.map_err(|e| self.error(e))
    }

    pub(crate) fn modes(&self, state: &State<'a>) -> Result<Modes, Error> {
        let numbers = galilei_analyse::state_numbers(state).map_err(|e| self.error(e))?;
        let momenta = self.model.momenta_of(state).map_err(|e| self.error(e))?;
        let model = match self.model.contents().inputs.is_empty() {
            true => self.from("")?,
            false => {
                let model = self.model.with_increments()?;
                model.on_phase_space().map_err(|e| self.error(e))?
            }
        };
        let place = &numbers[1..=self.degrees];
        let state = model.phase_state(numbers[0], place, &momenta);
        let state = state.map_err(|e| self.error(e))?;
        let mut found = galilei_analyse::modes_at(&model, &state).map_err(|e| self.error(e))?;
        found.position.truncate(self.degrees);
        found.velocity.truncate(self.degrees);
        Ok(found)
    }

    pub(crate) fn equilibria(&self, search: &EquilibriumSearch) -> Result<Equilibria, Error> {
        // Momenta rest; velocities of ignorable coordinates are held.
        let model = self.from(&search.at)?.with_resting_momenta();
        let (state, given) =
            (self.model.state_and_entries(&search.at)).map_err(|e| self.error(e))?;
        let numbers = galilei_analyse::state_numbers(&state).map_err(|e| self.error(e))?;
        let mut search = search.clone();
        // Positions of the guess are given again, since some of them may be held.
        let names = self.model.contents().coordinates.iter();
        let places: Vec<String> = (names.zip(&numbers[1..]).zip(&given))
            .filter(|(_, given)| **given)
            .map(|((c, x), _)| format!("{} = {x:?}", c.name))
            .collect();
        search.at = places.join(", ");
        let found = galilei_analyse::equilibria(&model, &search);
        let mut found = found.map_err(|e| self.error(e))?;
        for e in &mut found.list {
            e.position.truncate(self.degrees);
            e.velocity.truncate(self.degrees);
            e.multipliers.clear();
            let own = |name: &str| {
                let mut list = self.model.contents().coordinates.iter();
                list.any(|c| c.name == name)
            };
            if let Some(list) = &mut e.formulas {
                list.retain(|f| own(&f.0));
            }
            if let Some(list) = &mut e.expressions {
                list.retain(|f| f.0 < self.degrees);
            }
        }
        Ok(found)
    }

    pub(crate) fn periodic(&self, search: &PeriodicSearch) -> Result<PeriodicMotions, Error> {
        let model = self.from(&search.at)?;
        let mut search = search.clone();
        search.at.clear();
        let found = galilei_analyse::periodic(&model, &search);
        let mut found = found.map_err(|e| self.error(e))?;
        for m in &mut found.motions {
            m.position.truncate(self.degrees);
            m.velocity.truncate(self.degrees);
        }
        Ok(found)
    }

    pub(crate) fn fit(&self, runs: &[Measurements], settings: &FitSettings) -> Result<Fit, Error> {
        let velocity = |name: &&String| name.ends_with('\'');
        if let Some(name) = settings.free.iter().find(velocity) {
            return Err(self.error(Diagnostic::error(
                Code::NotAvailable,
                format!("the initial velocity `{name}` is not fitted: motions of this Hamiltonian are followed in (x, p)"),
                "fit the momentum, `p(x)`, instead",
                None,
            )));
        }
        galilei_analyse::fit_runs(&self.from("")?, runs, settings).map_err(|e| self.error(e))
    }

    /// Lyapunov exponents; the request starts from (x, p).
    pub(crate) fn lyapunov(
        &self,
        mut request: LyapunovRequest,
        shown: impl FnMut(f64) -> bool,
    ) -> Result<Lyapunov, Error> {
        let model = self.from("")?;
        let (x, p) = request.start.split_at(self.degrees);
        let state = model.phase_state(request.from, x, p);
        request.start = state.map_err(|e| self.error(e))?[1..].to_vec();
        galilei_analyse::lyapunov(&model, &request, shown).map_err(|e| self.error(e))
    }
}
