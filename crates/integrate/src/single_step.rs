//! Single steps of any length, for measurements of orders and of what steps keep.

use std::sync::Arc;

use galilei_tape::Tape;

use crate::collocation::Collocation;
use crate::constant::Constant;
use crate::dop853::{self, field};
use crate::piecewise::branches_at;
use crate::problem::{Error, Method, Problem};
use crate::steps::SingleSteps;
use crate::sum::Compensated;
use crate::variational_integrator::Variational;

/// One step of any length by a method of constant steps or by `dop853`, compiled for a motion.
pub struct SingleStep {
    tape: Arc<Tape>,
    stepper: Stepper,
}

enum Stepper {
    RungeKutta(Box<dop853::Stages<1>>),
    Gauss(Box<Constant<Collocation>>),
    Variational(Box<Constant<Variational>>),
}

impl SingleStep {
    /// The steps of a method, compiled for a motion. `None` for methods that choose their steps by series or derivatives
    /// (`taylor`, `radau`), and for variational methods unless all constraints are between positions.
    pub fn new(problem: &Problem, method: Method) -> Option<Self> {
        let problem = problem.written_out();
        let stepper = match (method, method.gauss_stages(), method.discrete_action()) {
            (Method::Dop853, ..) => {
                Stepper::RungeKutta(Box::new(dop853::Stages::new(field(&problem, 1))))
            }
            (_, Some(stages), _) => return Some(Self::gauss(&problem, stages, true)),
            (.., Some(action)) => {
                let scheme = Variational::new(&problem, action)?;
                Stepper::Variational(Box::new(Constant::new(&problem, scheme)))
            }
            _ => return None,
        };
        let tape = Arc::clone(&problem.tape);
        Some(Self { tape, stepper })
    }

    /// A Gauss step with one, two or three stages on ẋ = u, u̇ = a: of the same order as the one in momenta, which runs
    /// take, but symplectic in (x, p) only where ∂²L/∂u² is constant.
    pub fn of_velocities(problem: &Problem, stages: usize) -> Self {
        Self::gauss(&problem.written_out(), stages, false)
    }

    fn gauss(problem: &Problem, stages: usize, momenta: bool) -> Self {
        let scheme = Collocation::gauss(problem, stages, momenta);
        Self {
            tape: Arc::clone(&problem.tape),
            stepper: Stepper::Gauss(Box::new(Constant::new(problem, scheme))),
        }
    }

    /// The state a time h after a state (t, x, u), with kinks on the branches of that state.
    pub fn step(&mut self, state: &[f64], h: f64) -> Result<Vec<f64>, Error> {
        let branches = branches_at(&self.tape, state);
        match &mut self.stepper {
            Stepper::RungeKutta(stages) => advance(&mut stages.lane(0), state, &branches, h),
            Stepper::Gauss(steps) => advance(&mut **steps, state, &branches, h),
            Stepper::Variational(steps) => advance(&mut **steps, state, &branches, h),
        }
    }

    /// x and u after a part of the last step, by dense output.
    pub fn between(&mut self, part: f64) -> Result<Vec<f64>, Error> {
        let size = self.tape.inputs() - 1;
        match &mut self.stepper {
            Stepper::RungeKutta(stages) => within(&mut stages.lane(0), part, size),
            Stepper::Gauss(steps) => within(&mut **steps, part, size),
            Stepper::Variational(steps) => within(&mut **steps, part, size),
        }
    }

    /// The discrete momenta at both ends of the last step, of variational methods; of others none.
    pub fn momenta(&self) -> [Vec<f64>; 2] {
        match &self.stepper {
            Stepper::Variational(steps) => steps.end_momenta(),
            _ => [vec![], vec![]],
        }
    }
}

fn advance(
    steps: &mut impl SingleSteps,
    state: &[f64],
    branches: &[f64],
    h: f64,
) -> Result<Vec<f64>, Error> {
    let mut parts: Vec<Compensated> = state[1..].iter().map(|x| Compensated::new(*x)).collect();
    steps.start(&Compensated::new(state[0]), &parts, branches)?;
    steps.step(h)?;
    steps.arrive(&mut parts);
    let end = parts.iter().map(|c| c.high);
    Ok(std::iter::once(state[0] + h).chain(end).collect())
}

fn within(steps: &mut impl SingleSteps, part: f64, size: usize) -> Result<Vec<f64>, Error> {
    steps.densify()?;
    let mut state = vec![0.0; size];
    steps.between(part, &mut state);
    Ok(state)
}
