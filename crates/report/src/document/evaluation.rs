//! The document of `eval`.

use galilei_integrate::Situation;
use serde::Serialize;

use super::Entries;

/// Every quantity at one state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation<'a> {
    /// The title of the system.
    pub system: &'a str,
    /// The time.
    pub time: f64,
    /// The names of the coordinates.
    pub coordinates: &'a [String],
    /// Their values.
    pub position: &'a [f64],
    /// Their velocities.
    pub velocity: &'a [f64],
    /// The mass matrix, row by row.
    pub mass_matrix: &'a [Vec<f64>],
    /// The reference field of the kinetic energy.
    pub reference_field: Option<&'a [f64]>,
    /// The kinetic energy.
    pub kinetic_energy: Option<f64>,
    /// The potential energy.
    pub potential_energy: Option<f64>,
    /// The Lagrangian.
    pub lagrangian: f64,
    /// The Hamiltonian.
    pub hamiltonian: f64,
    /// The momenta.
    pub momentum: &'a [f64],
    /// The components of the force.
    pub force: &'a [f64],
    /// The accelerations.
    pub acceleration: &'a [f64],
    /// The rates of the momenta.
    pub momentum_rate: &'a [f64],
    /// The rate of the energy.
    pub energy_rate: f64,
    /// Constraints and their reactions.
    pub constraints: Option<Reactions<'a>>,
    /// Contact and friction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contacts: Option<Contacts<'a>>,
}

/// Contact and friction at one state, with the accelerations of its mode. All but `colliding` is null where contacts collide at
/// once, or do not determine the motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contacts<'a> {
    /// The closed contacts.
    pub closed: Option<&'a [String]>,
    /// The friction elements and contacts that stick.
    pub sticking: Option<&'a [String]>,
    /// The contacts that touch and approach.
    pub colliding: &'a [String],
    /// The multipliers of contacts, normal and then tangential, of friction elements and of constraints, by name.
    pub multipliers: Option<Entries<Vec<f64>>>,
    /// The accelerations.
    pub acceleration: Option<&'a [f64]>,
}

/// Constraints at one state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reactions<'a> {
    /// The names of the constraints.
    pub names: &'a [String],
    /// Their residuals.
    pub residual: &'a [f64],
    /// Their multipliers.
    pub multipliers: &'a [Option<f64>],
    /// The components of the reaction of all of them.
    pub reaction: &'a [f64],
}

impl<'a> Evaluation<'a> {
    /// The document of values of a system.
    pub fn new(title: &'a str, e: &'a galilei_model::Evaluation) -> Self {
        Self {
            system: title,
            time: e.time,
            coordinates: &e.coordinates,
            position: &e.position,
            velocity: &e.velocity,
            mass_matrix: &e.mass_matrix,
            reference_field: e.reference_field.as_deref(),
            kinetic_energy: e.kinetic_energy,
            potential_energy: e.potential_energy,
            lagrangian: e.lagrangian,
            hamiltonian: e.hamiltonian,
            momentum: &e.momentum,
            force: &e.force,
            acceleration: &e.acceleration,
            momentum_rate: &e.momentum_rate,
            energy_rate: e.energy_rate,
            constraints: e.constraints.as_ref().map(|c| Reactions {
                names: &c.names,
                residual: &c.residual,
                multipliers: &c.multipliers,
                reaction: &c.reaction,
            }),
            contacts: None,
        }
    }

    /// With contact and friction there; `None` if they do not determine the motion.
    #[must_use]
    pub fn with_contacts(mut self, found: Option<&'a Situation>) -> Self {
        let known = found.filter(|s| s.hitting.is_empty());
        let names = self.constraints.as_ref().map_or(&[][..], |c| c.names);
        let of_constraints = |s: &Situation| -> Vec<(String, Vec<f64>)> {
            let values = s.constraints.iter().map(|&x| vec![x]);
            names.iter().cloned().zip(values).collect()
        };
        self.contacts = Some(Contacts {
            closed: known.map(|s| &s.closed[..]),
            sticking: known.map(|s| &s.sticking[..]),
            colliding: found.map_or(&[], |s| &s.hitting),
            multipliers: known.map(|s| {
                let own = s.multipliers.iter().cloned();
                own.chain(of_constraints(s)).collect()
            }),
            acceleration: known.map(|s| &s.acceleration[..]),
        });
        self
    }
}
