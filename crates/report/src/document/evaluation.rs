//! The document of `eval`.

use serde::Serialize;

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
        }
    }
}
