//! Random models of one or two coordinates, each determined by its seed, and simpler variants of them.

use std::fmt::Write;

use super::formula::{Binary, Formula, Function, Hyper, NAMES, Place, significant};

/// Steele, Lea and Flood's generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number between both, of three digits.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        significant(low + (high - low) * self.unit(), 3)
    }

    /// A number between both, its logarithm uniform, of three digits.
    fn scale(&mut self, low: f64, high: f64) -> f64 {
        significant(low * (high / low).powf(self.unit()), 3)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    fn happens(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
}

/// A model and its run.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) seed: u64,
    pub(crate) kinetic: Vec<Formula>,
    pub(crate) potential: Vec<Formula>,
    /// The terms of each coordinate's force.
    pub(crate) forces: Vec<Vec<Formula>>,
    /// Positions, then velocities.
    pub(crate) start: Vec<f64>,
    pub(crate) to: f64,
}

fn position(index: usize) -> Formula {
    Formula::Position(index)
}

fn velocity(index: usize) -> Formula {
    Formula::Velocity(index)
}

fn sum(terms: &[Formula]) -> String {
    let terms: Vec<String> = terms.iter().map(|term| term.to_string()).collect();
    terms.join(" + ")
}

impl Case {
    pub(crate) fn kinetic_energy(&self, place: &Place) -> Hyper {
        let terms = self.kinetic.iter().map(|term| term.at(place));
        terms.fold(Hyper::default(), |sum, term| sum + term)
    }

    pub(crate) fn lagrangian(&self, place: &Place) -> Hyper {
        let terms = self.potential.iter().map(|term| term.at(place));
        terms.fold(self.kinetic_energy(place), |sum, term| sum - term)
    }

    /// The model in its own language.
    pub(crate) fn text(&self) -> String {
        let n = self.forces.len();
        let mut text = format!("coord {}\n", NAMES[..n].join(", "));
        let mut line = |line: String| writeln!(text, "{line}").expect("strings take everything");
        line(format!("kinetic: {}", sum(&self.kinetic)));
        if !self.potential.is_empty() {
            line(format!("potential: {}", sum(&self.potential)));
        }
        let forces: Vec<String> = (0..n)
            .filter(|i| !self.forces[*i].is_empty())
            .map(|i| format!("{} = {}", NAMES[i], sum(&self.forces[i])))
            .collect();
        if !forces.is_empty() {
            line(format!("force: {}", forces.join(", ")));
        }
        let start: Vec<String> = (0..2 * n)
            .filter(|k| self.start[*k] != 0.0)
            .map(|k| {
                let prime = if k < n { "" } else { "'" };
                format!("{}{prime} = {}", NAMES[k % n], self.start[k])
            })
            .collect();
        if !start.is_empty() {
            line(format!("initial {}", start.join(", ")));
        }
        line(format!("simulate to {}", self.to));
        text
    }

    /// Simpler models: a term fewer, a shorter run, rest at the start, fewer digits.
    pub(crate) fn simpler(&self) -> Vec<Case> {
        let mut list = Vec::new();
        let mut propose = |change: &dyn Fn(&mut Case)| {
            let mut case = self.clone();
            change(&mut case);
            if case.text() != self.text() {
                list.push(case);
            }
        };
        for k in 0..self.potential.len() {
            propose(&|case| {
                case.potential.remove(k);
            });
        }
        for (i, terms) in self.forces.iter().enumerate() {
            for k in 0..terms.len() {
                propose(&|case| {
                    case.forces[i].remove(k);
                });
            }
        }
        // A term of the kinetic energy beyond one for each coordinate is a coupling.
        if self.kinetic.len() > self.forces.len() {
            propose(&|case| {
                case.kinetic.pop();
            });
        }
        for fraction in [0.5, 0.8] {
            propose(&|case| case.to = significant(case.to * fraction, 2));
        }
        for k in 0..self.start.len() {
            propose(&|case| case.start[k] = 0.0);
        }
        for digits in [1, 2] {
            let round = |terms: &mut Vec<Formula>| {
                for term in terms {
                    *term = term.rounded(digits);
                }
            };
            propose(&|case| {
                round(&mut case.kinetic);
                round(&mut case.potential);
                case.forces.iter_mut().for_each(round);
            });
            propose(&|case| {
                for value in &mut case.start {
                    *value = significant(*value, digits);
                }
                case.to = significant(case.to, digits);
            });
        }
        list
    }
}

/// The model of a seed.
pub(crate) fn generate(seed: u64) -> Case {
    let mut maker = Maker {
        // Seeds that follow each other must not be near each other.
        random: Random(Random(seed).next()),
        n: 1,
        case: Case {
            seed,
            kinetic: Vec::new(),
            potential: Vec::new(),
            forces: Vec::new(),
            start: Vec::new(),
            to: 0.0,
        },
    };
    maker.build();
    maker.case
}

struct Maker {
    random: Random,
    n: usize,
    case: Case,
}

impl Maker {
    fn build(&mut self) {
        self.n = if self.random.happens(0.6) { 1 } else { 2 };
        self.case.forces = vec![Vec::new(); self.n];
        self.case.to = self.random.between(2.0, 12.0);
        let resting = self.random.happens(0.15);
        for k in 0..2 * self.n {
            let most = if k < self.n { 1.5 } else { 3.0 };
            let value = self.random.between(-most, most);
            self.case.start.push(if resting { 0.0 } else { value });
        }
        self.masses();
        self.background();
        for _ in 0..1 + self.random.below(2) {
            // What comes from rest must come by time.
            if resting {
                self.by_time();
                continue;
            }
            match self.random.below(4) {
                0 => self.potential(),
                1 => self.by_velocity(),
                2 => self.by_time(),
                _ => self.by_position(),
            }
        }
    }

    fn masses(&mut self) {
        for i in 0..self.n {
            let mass = self.random.between(0.5, 2.0);
            let square = velocity(i).pow(2) * (mass / 2.0);
            let term = match self.random.below(5) {
                0 => square * (position(i).call(Function::Cos) * 0.4 + 1.0),
                _ => square,
            };
            self.case.kinetic.push(term);
        }
        if self.n == 2 && self.random.happens(0.4) {
            let coupling = self.random.between(-0.25, 0.25);
            let across = (position(0) - position(1)).call(Function::Cos);
            let term = velocity(0) * velocity(1) * coupling * across;
            self.case.kinetic.push(term);
        }
    }

    /// Ordinary potentials and damping, so that motions come back.
    fn background(&mut self) {
        for i in 0..self.n {
            let strength = self.random.between(0.3, 4.0);
            match self.random.below(8) {
                0 => {}
                1 => {
                    let term = position(i).call(Function::Cos) * -strength;
                    self.case.potential.push(term);
                }
                2 => {
                    let term = position(i).pow(4) * (strength / 4.0);
                    self.case.potential.push(term);
                }
                _ => {
                    let term = position(i).pow(2) * (strength / 2.0);
                    self.case.potential.push(term);
                }
            }
            if self.random.happens(0.4) {
                let damping = self.random.between(0.02, 0.4);
                self.case.forces[i].push(velocity(i) * -damping);
            }
        }
        if self.n == 2 && self.random.happens(0.6) {
            let strength = self.random.between(0.3, 3.0);
            let term = (position(0) - position(1)).pow(2) * (strength / 2.0);
            self.case.potential.push(term);
        }
    }

    /// A position, or the difference of two.
    fn argument(&mut self) -> Formula {
        match self.random.below(3) {
            0 if self.n == 2 => position(0) - position(1),
            1 if self.n == 2 => position(1),
            _ => position(0),
        }
    }

    /// (argument − place)/width.
    fn narrow(&mut self, argument: Formula, low: f64, high: f64, width: [f64; 2]) -> Formula {
        let place = self.random.between(low, high);
        let width = self.random.scale(width[0], width[1]);
        (argument - place) / width
    }

    /// A feature of the potential energy.
    fn potential(&mut self) {
        let strength = self.random.between(0.3, 2.0);
        let argument = self.argument();
        let term = match self.random.below(11) {
            0 | 1 => {
                // A spring that passes its anchor, or comes near to it.
                let rest = self.random.between(0.2, 1.5);
                let place = self.random.between(-0.5, 0.5);
                let length = if self.n == 2 && self.random.happens(0.5) {
                    (position(0) - place).with(Binary::Norm, position(1))
                } else {
                    (argument - place).pow(2).call(Function::Sqrt)
                };
                (length - rest).pow(2) * strength
            }
            2 | 3 => {
                let well = self.narrow(argument, -1.0, 1.0, [0.01, 0.5]);
                let sign = if self.random.happens(0.7) { -1.0 } else { 1.0 };
                (-(well.pow(2))).call(Function::Exp) * (sign * strength)
            }
            4 => {
                let steepness = self.random.scale(5.0, 100.0);
                let place = self.random.between(1.6, 2.0);
                ((argument + place) * -steepness).call(Function::Exp) * strength
            }
            5 => {
                self.narrow(argument, -1.0, 1.0, [0.01, 0.5])
                    .call(Function::Tanh)
                    * strength
            }
            6 => {
                let well = self.narrow(argument, -1.0, 1.0, [0.01, 0.5]);
                Formula::from(-strength) / well.call(Function::Cosh).pow(2)
            }
            7 => {
                let power = [8, 12, 20, 40][self.random.below(4)];
                let size = self.random.between(1.8, 2.5);
                (argument / size).pow(power)
            }
            8 => {
                let power = [1, 2, 5][self.random.below(3)];
                let well = self.narrow(argument, -1.0, 1.0, [0.02, 0.5]);
                Formula::from(-strength) / (well.pow(2) + 1.0).pow(power)
            }
            9 => {
                let soft = self.narrow(argument, -1.0, 1.0, [0.02, 0.5]);
                (soft.call(Function::Exp) + 1.0).call(Function::Log) * (strength / 5.0)
            }
            _ => argument.root([8, 10, 14][self.random.below(3)], 3) * strength,
        };
        self.case.potential.push(term);
    }

    /// Friction and drag.
    fn by_velocity(&mut self) {
        let i = self.random.below(self.n);
        let strength = self.random.between(0.2, 3.0);
        let width = self.random.scale(2e-3, 0.5);
        let relative = self.n == 2 && self.random.happens(0.3);
        let slip = if relative {
            velocity(0) - velocity(1)
        } else {
            velocity(i)
        };
        let term = match self.random.below(9) {
            0..=2 => (slip / width).call(Function::Tanh) * -strength,
            7 => {
                let bounded = (slip / width).with(Binary::Max, (-1.0).into());
                bounded.with(Binary::Min, 1.0.into()) * -strength
            }
            3 => slip.clone() / (slip.pow(2) + width * width).call(Function::Sqrt) * -strength,
            4 => slip.clone().call(Function::Abs) * slip * (-0.3 * strength),
            5 => slip.clone().pow(2).call(Function::Sqrt) * slip * (-0.3 * strength),
            6 if self.n == 2 => {
                let speed = velocity(0).with(Binary::Norm, velocity(1));
                for k in 0..2 {
                    let term = speed.clone() * velocity(k) * (-0.3 * strength);
                    self.case.forces[k].push(term);
                }
                return;
            }
            _ => (slip / width).call(Function::Atan) * (-0.6 * strength),
        };
        if relative {
            self.case.forces[0].push(term.clone());
            self.case.forces[1].push(-term);
        } else {
            self.case.forces[i].push(term);
        }
    }

    /// Pulses and switches.
    fn by_time(&mut self) {
        let i = self.random.below(self.n);
        let to = self.case.to;
        let strength = self.random.between(0.5, 4.0);
        let pulse = self.narrow(Formula::Time, 0.1 * to, 0.95 * to, [0.01, 0.5]);
        let rate = self.random.between(0.5, 4.0);
        let term = match self.random.below(15) {
            0..=2 => (-(pulse.pow(2))).call(Function::Exp) * strength,
            11 => (-(pulse.call(Function::Abs))).call(Function::Exp) * strength,
            12 => {
                let above = (-(pulse.pow(2))).call(Function::Exp) - 0.5;
                Formula::from(0.0).with(Binary::Max, above) * strength
            }
            13 => {
                let steepness = self.random.scale(20.0, 2000.0);
                let dip = (Formula::Time * rate).call(Function::Cos) - 1.0;
                (dip * steepness).call(Function::Exp) * strength
            }
            14 => (-(pulse.pow([4, 8, 20][self.random.below(3)]))).call(Function::Exp) * strength,
            3 | 4 => (pulse.call(Function::Tanh) + 1.0) * strength,
            5 => Formula::from(strength) / ((-pulse).call(Function::Exp) + 1.0),
            6 => Formula::from(strength) / pulse.call(Function::Cosh),
            7 => {
                Formula::from(strength) / (pulse.pow(2) + 1.0).pow([1, 2, 8][self.random.below(3)])
            }
            8 => {
                let power = [20, 60, 200][self.random.below(3)];
                (Formula::Time * rate).call(Function::Cos).pow(power) * strength
            }
            9 => pulse.choose(0.0, strength.into(), 0.0.into()),
            _ => {
                (Formula::Time * rate)
                    .call(Function::Sin)
                    .call(Function::Abs)
                    * strength
            }
        };
        self.case.forces[i].push(term);
    }

    /// Kinks, cuts and fractional powers in positions.
    fn by_position(&mut self) {
        let i = self.random.below(self.n);
        let strength = self.random.between(0.5, 3.0);
        let place = self.random.between(-0.6, 0.6);
        let rate = self.random.between(1.0, 5.0);
        let argument = position(i);
        let phase = if self.random.happens(0.7) {
            argument.clone() * rate
        } else {
            Formula::Time * rate
        };
        let zero = || Formula::from(0.0);
        let term = match self.random.below(14) {
            0 | 1 => phase.call(Function::Sin).call(Function::Asin) * strength,
            2 => phase.call(Function::Cos).call(Function::Acos) * strength,
            3 => {
                let cos = phase.clone().call(Function::Cos);
                phase.call(Function::Sin).with(Binary::Atan2, cos) * strength
            }
            4 => phase.call(Function::Tan).call(Function::Atan) * strength,
            5 => {
                let stiffness = self.random.scale(10.0, 3000.0);
                zero().with(Binary::Max, argument * -1.0 + place).root(3, 2) * stiffness
            }
            6 => argument.root([5, 7][self.random.below(2)], 3) * -strength,
            7 => {
                let size = argument.clone().call(Function::Abs).root(3, 2);
                size * argument.call(Function::Sign) * -strength
            }
            8 => zero().with(Binary::Max, argument - place) * (-5.0 * strength),
            9 => {
                let pull = (argument * -4.0).with(Binary::Max, (-strength).into());
                pull.with(Binary::Min, strength.into())
            }
            10 => {
                let below = argument.clone() * -0.5;
                argument.clone().choose(place, argument * -strength, below)
            }
            11 => (argument - place).call(Function::Abs) * -strength,
            12 => (argument - place).pow(2).call(Function::Sqrt) * strength,
            _ => (argument - place).call(Function::Sign) * -strength,
        };
        self.case.forces[i].push(term);
    }
}
