//! Mass matrices that are not written out: many velocities that are sums of each other.

use super::Wanted;
use super::plan::Plan;
use super::system::System;
use crate::code::{Assembler, Code, Value};
use crate::jets::Rates;
use crate::problem::Problem;
use crate::tape::{Op, Reg, Tape};

/// The linear system of the accelerations as code: its factors, then the solution for any right-hand side.
#[derive(Clone, Debug)]
pub(crate) struct Elimination {
    /// The registers from which the factors are computed.
    registers: Vec<Reg>,
    /// The factors, then a number that is positive as long as they can be trusted.
    factor: Code,
    /// The unknowns; inputs are the factors and the right-hand side.
    solve: Code,
    inputs: Vec<[f64; 1]>,
    scratch: Vec<[f64; 1]>,
}

impl Elimination {
    /// The elimination for equations whose matrix is not written out; `None` if there is none.
    pub(crate) fn new(tape: &Tape, rates: &Rates) -> Option<Self> {
        let plan = Plan::new(tape, rates, &Wanted::default(), 1);
        let registers = plan.valued.clone();
        let mut places = vec![None; tape.len()];
        for (k, &r) in registers.iter().enumerate() {
            places[r as usize] = Some(k);
        }
        let mut asm = Assembler::new(registers.len());
        let values: Vec<Option<Value>> = (tape.ops.iter().zip(&places))
            .map(|(op, place)| match (op, place) {
                (Op::Const(c), _) => Some(asm.number(*c)),
                (_, Some(k)) => Some(asm.input(*k)),
                _ => None,
            })
            .collect();
        let zero = asm.number(0.0);
        let value = |r: Reg| values[r as usize].unwrap_or(zero);
        let (system, guard) = plan.eliminated(&mut asm, rates, &value)?;
        let mut kept: Vec<Value> = Vec::new();
        let varies = |v: Value| asm.constant_of(v).is_none();
        system.map(&mut |v| {
            kept.extend(varies(v).then_some(v));
            v
        });
        let mut second = Assembler::new(kept.len() + rates.unknowns);
        let mut places = 0..kept.len();
        let there = system.map(&mut |v| match asm.constant_of(v) {
            Some(c) => second.number(c),
            None => second.input(places.next().unwrap_or_default()),
        });
        let right: Vec<Value> = (0..rates.unknowns)
            .map(|i| second.input(kept.len() + i))
            .collect();
        let mut solution = there.solve(&mut second, right, plan.velocities, false);
        solution.truncate(rates.unknowns);
        kept.push(guard);
        Some(Self {
            registers,
            factor: asm.finish(kept),
            solve: second.finish(solution),
            inputs: vec![],
            scratch: vec![],
        })
    }

    /// Computes the factors; returns whether they can be trusted.
    pub(crate) fn factor(&mut self, value: impl Fn(Reg) -> f64) -> bool {
        let registers: Vec<[f64; 1]> = self.registers.iter().map(|&r| [value(r)]).collect();
        self.inputs = self.factor.run(&registers, &mut self.scratch);
        self.inputs.pop().is_some_and(|guard| guard[0] > 0.0)
    }

    /// Solves for a right-hand side, in place.
    pub(crate) fn solve(&mut self, right: &mut [f64]) {
        let factors = self.inputs.len();
        self.inputs.extend(right.iter().map(|&f| [f]));
        let solution = self.solve.run(&self.inputs, &mut self.scratch);
        self.inputs.truncate(factors);
        for (to, x) in right.iter_mut().zip(solution) {
            *to = x[0];
        }
    }
}

impl System {
    /// The system with other entries.
    fn map(&self, f: &mut dyn FnMut(Value) -> Value) -> Self {
        match self {
            Self::Inverse(rows) => {
                let mut row = |list: &Vec<Value>| list.iter().map(|&v| f(v)).collect();
                Self::Inverse(rows.iter().map(&mut row).collect())
            }
            Self::Plain(factors) => Self::Plain(factors.map(f)),
            Self::Augmented(factors) => Self::Augmented(factors.map(f)),
            Self::Articulated(steps) => Self::Articulated(steps.map(f)),
        }
    }
}

impl Rates {
    /// Whether the matrix is not written out, and follows from the velocities of the squares.
    pub fn is_unwritten(&self) -> bool {
        self.matrix.is_empty() && self.unknowns > 0
    }

    /// The registers on which the matrix depends.
    pub fn matrix_registers(&self) -> Vec<Reg> {
        let mut list = self.matrix.clone();
        if let Some(s) = self.squares.as_ref().filter(|_| self.is_unwritten()) {
            list.extend(&s.rest);
            for v in &s.velocities {
                list.push(v.mass);
                list.extend(v.entries.iter().map(|e| e.1));
            }
        }
        list
    }

    /// The tape and the equations with the registers of the matrix; `None` where they are there already.
    ///
    /// A product of two entries of the matrix belongs to two coordinates by which a velocity and one of those it is made
    /// of move: its factor is the mass of everything that is made of the former.
    pub fn written_out(&self, tape: &Tape) -> Option<(Tape, Self)> {
        let squares = self.squares.as_ref().filter(|_| self.is_unwritten())?;
        let n = self.unknowns;
        let (mut tape, mut rates) = (tape.clone(), self.clone());
        let list = &squares.velocities;
        let mass = |r: Reg| match tape.ops[r as usize] {
            Op::Const(m) => m,
            _ => f64::NAN,
        };
        let mut carried: Vec<f64> = list.iter().map(|v| mass(v.mass)).collect();
        for (k, v) in list.iter().enumerate().rev() {
            if let Some(parent) = v.parent {
                carried[parent] += carried[k];
            }
        }
        let mut push = |op: Op| {
            tape.ops.push(op);
            (tape.ops.len() - 1) as Reg
        };
        let mut matrix: Vec<Option<Reg>> = vec![None; n * n];
        for (k, v) in list.iter().enumerate() {
            let mut place = Some(k);
            while let Some(at) = place {
                for (e, &(i, b)) in v.entries.iter().enumerate() {
                    let others = &list[at].entries;
                    for &(j, c) in &others[..if at == k { e + 1 } else { others.len() }] {
                        let product = push(Op::Mul(b, c));
                        let mut sum = push(Op::Scale(product, carried[k]));
                        if let Some(known) = matrix[i * n + j] {
                            sum = push(Op::Add(known, sum));
                        }
                        matrix[i * n + j] = Some(sum);
                        matrix[j * n + i] = Some(sum);
                    }
                }
                place = list[at].parent;
            }
        }
        rates.matrix = (matrix.into_iter().zip(&squares.rest))
            .map(|(entry, &rest)| match entry {
                None => rest,
                Some(entry) => push(Op::Add(entry, rest)),
            })
            .collect();
        Some((tape, rates))
    }
}

impl Problem {
    /// The problem with the registers of the matrix of its equations.
    #[must_use]
    pub fn written_out(&self) -> Self {
        let mut problem = self.clone();
        if let Some((tape, rates)) = self.rates.written_out(&self.tape) {
            problem.tape = tape.into();
            problem.rates = rates.into();
        }
        problem
    }
}
