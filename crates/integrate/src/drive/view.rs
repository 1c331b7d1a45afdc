//! The quantities that are watched along a run.

use std::sync::Arc;

use galilei_jit::Kernel;
use galilei_tape::code::Code;
use galilei_tape::{Reg, Surfaces, Tape};

use super::{Driver, Phase};
use crate::branch_points::Branch;
use crate::problem::Problem;
use crate::steps::Steps;

/// Energy, scales, residuals, events, kinks and thresholds at a state on given sides. Clones share their code.
#[derive(Clone)]
pub(crate) struct View {
    /// Code for all of them, and for events, kinks and thresholds alone; compiled when first needed.
    kernels: Option<[Kernel; 2]>,
    registers: Vec<Reg>,
    tape: Arc<Tape>,
    pub(super) surfaces: Surfaces,
    /// t, x, u, the fixed inputs, and the branches of the kinks.
    pub(super) inputs: Vec<f64>,
    pub(super) seen: Vec<f64>,
    /// Whether that is what is seen at the start of the step.
    pub(super) shown: bool,
    /// The number of scales.
    pub(super) scales: usize,
    /// Where events and kinks start among those.
    pub(super) events: usize,
    pub(super) kinks: usize,
    /// Where arguments of flat functions start.
    pub(super) thresholds: usize,
    /// Whether anything may happen within a step.
    watching: bool,
}

impl View {
    pub(crate) fn new(problem: &Problem) -> Self {
        let surfaces = problem.surfaces();
        let mut registers: Vec<Reg> = vec![problem.energy];
        registers.extend(problem.scale.iter().chain(&problem.residuals));
        let events = registers.len();
        registers.extend(problem.events.iter().map(|e| e.register));
        let (tape, kinks) = (&problem.tape, registers.len());
        registers.extend(tape.kinks().iter().map(|k| k.register));
        let thresholds = registers.len();
        registers.extend(surfaces.thresholds.iter().map(|t| t.register));
        let located = |b: Option<Branch>| b != Some(Branch::Rank);
        Self {
            kernels: None,
            tape: Arc::clone(tape),
            inputs: vec![0.0; tape.inputs() + tape.branch_len()],
            seen: vec![0.0; registers.len()],
            watching: registers.len() > kinks || problem.events.iter().any(|e| located(e.branch)),
            shown: false,
            scales: problem.scale.len(),
            registers,
            surfaces,
            events,
            kinks,
            thresholds,
        }
    }

    /// Compiles its code, so that clones share it.
    pub(crate) fn compiled(mut self) -> Self {
        self.kernels();
        self
    }

    /// The code that computes all of them.
    pub(crate) fn code(&self) -> Code {
        self.tape.code_on_branches(&self.registers)
    }

    /// The code that computes all of them, and the code of those that are watched within a step.
    fn kernels(&mut self) -> (&mut [Kernel; 2], &[f64], &mut [f64]) {
        let kernels = self.kernels.get_or_insert_with(|| {
            [&self.registers[..], &self.registers[self.events..]]
                .map(|list| Kernel::new(self.tape.code_on_branches(list), 1))
        });
        (kernels, &self.inputs, &mut self.seen)
    }

    /// Computes all quantities at the state in the inputs.
    pub(super) fn look(&mut self) {
        let ([all, _], inputs, seen) = self.kernels();
        all.call(inputs, seen);
    }

    /// Computes events, kinks and thresholds alone at the state in the inputs.
    pub(super) fn watch(&mut self) {
        let events = self.events;
        let ([_, watched], inputs, seen) = self.kernels();
        watched.call(inputs, &mut seen[events..]);
    }

    /// Takes over what somebody else has seen at the start of the step.
    pub(super) fn show(&mut self, seen: impl Iterator<Item = f64>) {
        self.seen.iter_mut().zip(seen).for_each(|(to, v)| *to = v);
        self.shown = true;
    }

    /// The surfaces of the problem.
    pub(crate) fn surfaces(&self) -> &Surfaces {
        &self.surfaces
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

impl Driver<'_> {
    /// Takes over what was seen at the start of the step together with those of other runs, if this one is there.
    pub(crate) fn show(&mut self, seen: impl Iterator<Item = f64>) {
        if self.phase == Phase::Start {
            self.view.show(seen);
        }
    }

    /// (t, x, u) and the fixed inputs, now.
    pub(super) fn plain(&self) -> Vec<f64> {
        let time = std::iter::once(self.time.high);
        time.chain(self.state.iter().map(|c| c.high)).collect()
    }

    /// Computes the watched quantities at the start of the step.
    #[inline]
    pub(super) fn look(&mut self, stages: &impl Steps) {
        if !stages.look(&mut self.view.seen) {
            self.look_by_code();
        }
    }

    /// Computes the watched quantities at the start of the step by code, independently of the method.
    pub(super) fn look_by_code(&mut self) {
        let (known, state) = self.view.inputs.split_at_mut(1);
        known[0] = self.time.high;
        let state = state.iter_mut().zip(&self.state);
        state.for_each(|(input, c)| *input = c.high);
        self.show_branches();
        self.view.look();
    }

    pub(super) fn show_branches(&mut self) {
        let known = 1 + self.state.len();
        let inputs = &mut self.view.inputs[known..];
        for (input, side) in inputs.iter_mut().zip(&self.branches.list) {
            *input = *side;
        }
    }

    /// Fills in the state at the start of the step, or after a part of it, with the branches of the kinks.
    pub(super) fn place(&mut self, theta: f64, h: f64, stages: &mut impl Steps) {
        let known = 1 + self.state.len();
        let inputs = &mut self.view.inputs;
        inputs[0] = self.time.plus(theta * h);
        for (input, c) in inputs[1..known].iter_mut().zip(&self.state) {
            *input = c.high;
        }
        if theta != 0.0 {
            stages.between(theta, &mut inputs[1..known]);
        }
        self.show_branches();
    }

    /// Computes the watched quantities at the start of the step, or events, kinks and thresholds after a part of it.
    pub(super) fn look_at(&mut self, theta: f64, h: f64, stages: &mut impl Steps) {
        self.place(theta, h, stages);
        match theta == 0.0 {
            true => self.view.look(),
            false => self.view.watch(),
        }
    }
}
