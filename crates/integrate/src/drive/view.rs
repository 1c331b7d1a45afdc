//! What is looked at along a run.

use galilei_jit::Kernel;
use galilei_tape::Reg;
use galilei_tape::code::Code;

use crate::branch::Branch;
use crate::problem::Problem;

/// Energy, scales, residuals, events and kinks at a state on given sides. Clones share their code.
#[derive(Clone)]
pub(crate) struct View {
    kernel: Kernel,
    /// Events and kinks alone.
    watch: Kernel,
    /// t, x, u, what is fixed, and the sides of the kinks.
    pub(super) inputs: Vec<f64>,
    pub(super) seen: Vec<f64>,
    /// Whether that is what is seen at the start of the step.
    pub(super) shown: bool,
    /// How many scales there are.
    pub(super) scales: usize,
    /// Where events and kinks start among those.
    pub(super) events: usize,
    pub(super) kinks: usize,
    /// Where arguments of flat functions start.
    pub(super) thresholds: usize,
    /// Whether anything may happen within a step.
    watching: bool,
}

/// What may happen within a step.
fn watched(problem: &Problem) -> Vec<Reg> {
    let events = problem.events.iter().map(|e| e.register);
    let kinks = problem.tape.kinks().iter().map(|k| k.register);
    let surfaces = problem.surfaces().thresholds;
    let thresholds = surfaces.iter().map(|t| t.register);
    events.chain(kinks).chain(thresholds).collect()
}

impl View {
    pub(crate) fn new(problem: &Problem) -> Self {
        let events = 1 + problem.scale.len() + problem.residuals.len();
        let (tape, kinks) = (&problem.tape, events + problem.events.len());
        let thresholds = kinks + tape.kinks().len();
        Self {
            kernel: Kernel::new(Self::code(problem), 1),
            watch: Kernel::new(tape.code_on_sides(&watched(problem)), 1),
            inputs: vec![0.0; tape.inputs() + tape.kinks().len()],
            seen: vec![0.0; events + watched(problem).len()],
            thresholds,
            watching: {
                let located = problem
                    .events
                    .iter()
                    .any(|e| e.branch != Some(Branch::Rank));
                located || watched(problem).len() > problem.events.len()
            },
            shown: false,
            scales: problem.scale.len(),
            events,
            kinks,
        }
    }

    /// What computes all of them.
    pub(crate) fn code(problem: &Problem) -> Code {
        let mut registers: Vec<Reg> = vec![problem.energy];
        registers.extend(problem.scale.iter().chain(&problem.residuals));
        registers.extend(watched(problem));
        problem.tape.code_on_sides(&registers)
    }

    /// Looks at what stands in the inputs.
    pub(super) fn look(&mut self) {
        self.kernel.call(&self.inputs, &mut self.seen);
    }

    /// Looks for events and kinks alone at what stands in the inputs.
    pub(super) fn watch(&mut self) {
        self.watch.call(&self.inputs, &mut self.seen[self.events..]);
    }

    /// Takes over what somebody else has seen at the start of the step.
    pub(super) fn show(&mut self, seen: impl Iterator<Item = f64>) {
        self.seen.iter_mut().zip(seen).for_each(|(to, v)| *to = v);
        self.shown = true;
    }

    /// Whether anything may happen within a step.
    pub(super) fn watches(&self) -> bool {
        self.watching
    }

    /// Energy, scales and residuals.
    pub(super) fn balance(&self) -> &[f64] {
        &self.seen[..self.events]
    }

    pub(super) fn residuals(&self) -> &[f64] {
        &self.seen[1 + self.scales..self.events]
    }
}
