//! Mechanics as geometry: space-time, state space, action forms, forces, reference fields.
//!
//! A system with n degrees of freedom lives on a *Galilean manifold* M of dimension n + 1 with a
//! time structure ϑ and a metric g on spacelike vectors, the mass matrix. Its states are the
//! time-normalised tangent vectors A¹M, with natural coordinates (t, xⁱ, uⁱ). Motions are integral
//! curves of second-order fields, and those correspond one to one to *action forms*, two-forms on
//! A¹M. Numbers `T-…` are those of the theory; see VERIFICATION.md.
//!
//! This crate knows neither files nor floating-point numbers.
//!
//! ```
//! use galilei_expr::Pool;
//! use galilei_mechanics::{AdaptedChart, Force, SecondOrderField, StateSpace};
//! let pool = Pool::new();
//! let state = StateSpace::new(AdaptedChart::new(&pool, "t", ["x"]));
//! // Friction F = −c·u is a force, but has no potential: it fails condition P2.
//! let c = pool.symbol("c");
//! let friction = Force::new(&state, vec![-c * state.velocity(0)]);
//! assert_eq!(friction.potential_test().failure().unwrap().condition.to_string(), "P2");
//! ```

mod action;
mod action_form;
mod adjoint;
mod canonical;
mod canonical_frame;
mod central;
mod change;
mod chetaev;
mod codistribution;
mod conserved;
mod constrained;
mod constrained_hamilton;
mod constraint_set;
mod energy;
mod euler;
mod failing;
mod first_variation;
mod force;
mod given;
mod hamiltons_principle;
mod implicit_hamiltonian;
mod inertia;
mod jets;
mod kinetic;
mod lagrangian;
mod legendre;
mod legendre_inverse;
mod metric;
mod noether;
mod potential;
mod primitive;
mod quasi_velocities;
mod reduced;
mod reference;
mod routes;
mod second_order;
mod second_variation;
mod solved;
mod space_time;
mod squares;
mod state_space;
mod system;
mod time_independent;
mod vertical;
mod vertical_hamilton;
mod vertical_lagrange;
mod vertical_motion;
mod virtual_displacement;
mod virtual_work;

pub use action::{ActionFunctional, ActionKind, Principle, Stationarity, UnknownActionKind};
pub use action_form::{ActionForm, Definiteness, NotAnActionForm, Notion, Recognised};
pub use canonical::Canonical;
pub use canonical_frame::CanonicalFrame;
pub use central::CentralEquation;
pub use change::AdaptedChange;
pub use codistribution::{AdmissibleCodistribution, Constraint, Dependence, Inadmissible};
pub use conserved::{Conservation, Conserved};
pub use constrained::{
    ConstrainedSystem, NotASplitting, NotDetermined, Reaction, decide_newtonian, newtonian_defect,
};
pub use constrained_hamilton::{CanonicalReaction, ConstrainedHamiltonian, HamiltonianForm};
pub use constraint_set::{Branch, ConstraintSet, OnSheets, Sheet};
pub use energy::EnergyBalance;
pub use failing::FailingPart;
pub use first_variation::FirstVariation;
pub use force::{Force, ForceTwoForm, NotAForceOneForm, NotAForceTwoForm};
pub use given::{GivenSystem, InverseFailure, decide_inverse_problem, has_kinks, whole_lagrangian};
pub use hamiltons_principle::HamiltonsPrinciple;
pub use implicit_hamiltonian::ImplicitHamiltonian;
pub use inertia::{Inertia, InertiaParts};
pub use jets::CurveJets;
pub use kinetic::KineticEnergy;
pub use lagrangian::{Lagrangian, Recovered};
pub use legendre::{LegendreMap, NotLegendreInverse};
pub use legendre_inverse::{ClosedLegendre, canonical_chart};
pub use metric::{GalileanManifold, GalileanMetric, NotAMetric};
pub use noether::{FirstIntegral, SpaceTimeField};
pub use potential::{Condition, Failure, PotentialTest, Potentials};
pub use quasi_velocities::{AffineRow, Choice, Minor, QuasiEquations, QuasiVelocities};
pub use reduced::ReducedSystem;
pub use reference::ReferenceField;
pub use routes::{HamiltonRoute, Routes, decide_together};
pub use second_order::SecondOrderField;
pub use second_variation::SecondVariation;
pub use solved::{NotSolved, RootChoice, SolvedForm};
pub use space_time::{AdaptedChart, NotATimeStructure, TimeStructure};
pub use squares::{SquaredVelocity, SumOfSquares};
pub use state_space::StateSpace;
pub use system::System;
pub use time_independent::{DependsOnTime, TimeIndependent};
pub use vertical::VerticalBundle;
pub use vertical_hamilton::{VerticalHamiltonian, VerticalPhaseSpace};
pub use vertical_lagrange::{JacobiEquations, VerticalConfiguration};
pub use vertical_motion::VerticalMotion;
pub use virtual_displacement::{
    DisplacementKind, NotOnSpaceTime, NotSpacelike, VirtualDisplacement,
};
pub use virtual_work::{PrincipleOfVirtualWork, VirtualWork};
