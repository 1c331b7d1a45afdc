//! The set on which the constraints of a model hold, with its sheets.

use galilei_mechanics::{AdmissibleCodistribution, Branch, Constraint, ConstraintSet, System};

use crate::model::Model;

/// Coordinates and constraints together up to which the constraint set is solved for its sheets.
const MAX_UNKNOWNS_FOR_SHEETS: usize = 12;

impl Model {
    /// The set on which the constraints of the model hold, with its sheets as far as they can be written;
    /// `None` without constraints.
    pub fn constraint_set<'p>(&'p self, system: &System<'p>) -> Option<ConstraintSet<'p>> {
        let list = self.constraint_list();
        (!list.is_empty()).then(|| self.constraint_set_of(system, &list))
    }

    /// The set on which some constraints hold, for a system of this model that may be written in another
    /// chart.
    pub fn constraint_set_of<'p>(
        &'p self,
        system: &System<'p>,
        list: &[Constraint<'p>],
    ) -> ConstraintSet<'p> {
        let state = system.state();
        let (constants, assumptions) = (self.known_constants(), self.assumptions());
        let large = state.degrees_of_freedom() + list.len() > MAX_UNKNOWNS_FOR_SHEETS;
        let mut set = match large {
            true => ConstraintSet::unsolved(state, list, &constants, &assumptions),
            false => ConstraintSet::new(state, list, &constants, &assumptions),
        };
        self.enclose(system, list, &mut set);
        set
    }

    /// Affine constraints solved for velocities contain their set, whatever the positions are.
    fn enclose<'p>(
        &'p self,
        system: &System<'p>,
        list: &[Constraint<'p>],
        set: &mut ConstraintSet<'p>,
    ) {
        let positions = list.iter().any(|c| matches!(c, Constraint::Position(_)));
        let [only] = &mut set.sheets[..] else {
            return;
        };
        if only.covered && !positions {
            return;
        }
        let restricting = |c: &&Constraint<'p>| !matches!(c, Constraint::Form(_));
        let own: Vec<Constraint<'p>> = only
            .constraints
            .iter()
            .filter(restricting)
            .cloned()
            .collect();
        if own.is_empty() {
            return;
        }
        let found = AdmissibleCodistribution::new(system.state(), own, &self.assumptions());
        let Ok(d) = found else {
            return;
        };
        if !d.decide_affine().is_proved() {
            return;
        }
        let state = self.initial_state().ok();
        let state = state.filter(|_| *system.state() == self.state_space());
        if let Ok(reduced) = self.construct(system, d, &[], state.as_ref()).reduced {
            let solved = reduced.solved();
            let names = solved.dependent().iter();
            let names = names.map(|&k| system.state().velocity(k));
            let values = names.zip(solved.functions().iter().copied()).collect();
            only.around = Some(Branch { values });
        }
    }
}
