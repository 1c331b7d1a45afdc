//! Taylor jets: the coefficients of every register along a motion, order by order.

use galilei_linear::{Factors, Singular};

use crate::sensitivity::{Plain, Reach, Sensitivity};
use crate::series::{Ahead, Elimination, Reduced, Squares};
use crate::tape::{Op, Reg, Tape};

/// The rates of the inputs: ṫ = 1, ẋ = u, u̇ = a, where a is the first part of the solution of a linear system: g·a =
/// f, or with constraints that of the accelerations and multipliers together.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    /// The number of degrees of freedom n.
    pub dimension: usize,
    /// The number of unknowns of the linear system; the first n are the accelerations.
    pub unknowns: usize,
    /// The registers of the matrix, row by row; none where it is long and the velocities of the squares do without: see
    /// [`Self::written_out`].
    pub matrix: Vec<Reg>,
    /// The registers of the right-hand side; none where there are squares.
    pub right: Vec<Reg>,
    /// The equations with kinetic energies as sums of squares, where they have this form.
    pub squares: Option<Squares>,
    /// The register of a Lagrangian whose Hessian by velocities is the block of the accelerations in the matrix, where
    /// it is known: a graph along which the linear system can be solved.
    pub lagrangian: Option<Reg>,
    /// The derivatives of accelerations with respect to velocities, where a prediction by them saves time.
    pub ahead: Option<Ahead>,
    /// The motion with fewer unknowns, where constraints are solved; it gives no multipliers.
    pub reduced: Option<Reduced>,
    /// Whether the border of the matrix is not symmetric: reactions act along other covectors than the rows of their
    /// constraints.
    pub asymmetric: bool,
    /// Whether products and sums are rounded separately, instead of being fused into one instruction.
    pub separate: bool,
}

impl Rates {
    /// The momenta of the squares: a sensitivity needs their series to the highest order.
    pub fn momenta(&self, packed: bool) -> Vec<Reg> {
        let squares = self.squares.iter();
        squares.flat_map(|s| s.terms(packed).map(|t| t.2)).collect()
    }
}

/// Marks the registers that depend on the velocities.
pub(crate) fn moving(tape: &Tape, n: usize) -> Vec<bool> {
    let mut list = vec![false; tape.ops.len()];
    for (at, op) in tape.ops.iter().enumerate() {
        // Factors of derivatives are registers behind their function, but depend on the same inputs.
        let before = |&r: &Reg| (r as usize) < at && list[r as usize];
        let velocity = matches!(op, Op::Input(i) if *i as usize > n);
        let looked_up = match op {
            Op::Piece(l, _) => before(&tape.lookups[*l as usize].argument),
            _ => false,
        };
        list[at] = velocity || looked_up || op.operands().iter().any(before);
    }
    list
}

/// The registers that have series, in order and without the inputs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Needs {
    /// Registers that do not depend on u.
    pub(crate) still: Vec<Reg>,
    /// Registers that depend on u.
    pub(crate) moving: Vec<Reg>,
    /// The moving registers that are needed to the highest order.
    pub(crate) last: Vec<Reg>,
    /// Registers that the squares need before the accelerations.
    pub(crate) squared: Vec<Reg>,
}

impl Needs {
    pub(crate) fn new(tape: &Tape, rates: &Rates, wanted: &[Reg], packed: bool) -> Self {
        let first = 2 * rates.dimension + 1;
        let moves = moving(tape, rates.dimension);
        let (mut series, mut ahead): (Vec<Reg>, Vec<Reg>) = (Vec::new(), Vec::new());
        match &rates.squares {
            None => series.extend(rates.right.iter().chain(&rates.matrix)),
            Some(s) => {
                series.extend(s.right.iter().chain(&s.rest));
                series.extend(s.terms(packed).flat_map(|t| [t.1, t.2]));
                ahead.extend(s.terms(packed).map(|t| t.2));
            }
        }
        series.extend(wanted);
        let moved = |list: Vec<Reg>| -> (Vec<Reg>, Vec<Reg>) {
            list.into_iter()
                .filter(|&r| !matches!(tape.ops[r as usize], Op::Const(_)))
                .partition(|&r| moves[r as usize])
        };
        let (moving, still) = moved(tape.reached(series.into_iter(), first));
        Self {
            still,
            moving,
            last: moved(tape.reached(wanted.iter().copied(), first)).0,
            squared: moved(tape.reached_only(ahead.into_iter(), first)).0,
        }
    }
}

/// The jets of a tape whose inputs are (t, x, u) of a second-order system.
#[derive(Clone, Debug)]
pub struct Jets {
    order: usize,
    /// Coefficient k of register r at r·(order + 2) + k.
    values: Vec<f64>,
    /// Coefficients of the unknowns, up to the order.
    accelerations: Vec<f64>,
    /// The elimination without the matrix, where it is not written out.
    elimination: Option<Elimination>,
    /// Whether the factors are those of the matrix.
    pivoted: bool,
    factors: Factors,
    /// The entries of the matrix before the accelerations whose series are needed: row, column, register.
    coupled: Vec<(usize, usize, Reg)>,
    inverse: Vec<f64>,
    right: Vec<f64>,
    needs: Needs,
}

/// Σ_{j} a_j b_{m−j} over all of two slices of length m + 1, in four partial sums.
fn convolve(a: &[f64], b: &[f64]) -> f64 {
    let m = a.len().min(b.len());
    let (a, b) = (&a[..m], &b[..m]);
    let mut sums = [0.0; 4];
    let whole = m / 4 * 4;
    for j in (0..whole).step_by(4) {
        for l in 0..4 {
            sums[l] += a[j + l] * b[m - 1 - j - l];
        }
    }
    for j in whole..m {
        sums[0] += a[j] * b[m - 1 - j];
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

impl Jets {
    /// Storage for jets up to an order: positions and velocities have coefficients up to that order. Of the other
    /// registers, those that the rates and `wanted` need have series; all others have values.
    pub fn new(tape: &Tape, rates: &Rates, wanted: &[Reg], order: usize) -> Self {
        let n = rates.unknowns;
        let matrix = match &rates.squares {
            Some(s) => &s.rest,
            None => &rates.matrix,
        };
        let varies = |r: &Reg| !matches!(tape.ops[*r as usize], Op::Const(_));
        let coupled = matrix.iter().enumerate().filter(|e| varies(e.1));
        let unwritten = rates.is_unwritten();
        Self {
            order,
            elimination: unwritten.then(|| Elimination::new(tape, rates)).flatten(),
            pivoted: !unwritten,
            coupled: coupled.map(|(k, &r)| (k / n, k % n, r)).collect(),
            values: vec![0.0; tape.len() * (order + 2)],
            accelerations: vec![0.0; n * (order + 1)],
            factors: Factors::new(if unwritten { 0 } else { n }),
            inverse: (0..order + 2)
                .map(|k| if k == 0 { 0.0 } else { 1.0 / k as f64 })
                .collect(),
            right: vec![0.0; n],
            needs: Needs::new(tape, rates, wanted, false),
        }
    }

    /// The order.
    pub fn order(&self) -> usize {
        self.order
    }

    /// The coefficients 0 … order of a register.
    pub fn series(&self, r: Reg) -> &[f64] {
        let start = r as usize * (self.order + 2);
        &self.values[start..=start + self.order]
    }

    /// The accelerations at the start.
    pub fn acceleration(&self, i: usize) -> f64 {
        self.accelerations[i * (self.order + 1)]
    }

    /// The coefficients 0 … order − 1 of an unknown of the linear system: accelerations, then
    /// multipliers.
    pub fn unknown(&self, i: usize) -> &[f64] {
        let start = i * (self.order + 1);
        &self.accelerations[start..start + self.order]
    }

    /// Computes all jets at a state; the order of the registers' own series is `order − 1`, that of
    /// positions and velocities `order`.
    pub fn compute(
        &mut self,
        tape: &Tape,
        rates: &Rates,
        state: &[f64],
        branches: &[f64],
    ) -> Result<(), Singular> {
        let n = rates.dimension;
        let stride = self.order + 2;
        let p = self.order;
        // Inputs are the first registers: t, x, u.
        self.values[..(2 * n + 1) * stride].fill(0.0);
        for (i, v) in state[..=2 * n].iter().enumerate() {
            self.values[i * stride] = *v;
        }
        self.values[1] = 1.0;
        for at in 2 * n + 1..tape.len() {
            let v = &self.values;
            let value = tape.order_zero(at, |r| v[r as usize * stride], state, branches);
            self.values[at * stride] = value;
        }
        self.factor(tape, rates, state, branches)?;
        let needs = std::mem::take(&mut self.needs);
        for k in 1..=p {
            for i in 1..=n {
                self.values[i * stride + k] =
                    self.values[(i + n) * stride + k - 1] * self.inverse[k];
                self.values[(i + n) * stride + k] = 0.0;
            }
            self.coefficients(tape, &needs.still, k, branches);
            // The coefficients with u_k taken as zero.
            self.coefficients(tape, &needs.squared, k, branches);
            self.accelerate(rates, k - 1);
            for i in 0..n {
                self.values[(1 + n + i) * stride + k] = self.right[i] * self.inverse[k];
            }
            let moving = if k < p { &needs.moving } else { &needs.last };
            self.coefficients(tape, moving, k, branches);
        }
        self.needs = needs;
        Ok(())
    }

    /// The derivatives of the motion with respect to its initial state and the parameters of the tape, in directions
    /// (δx, δu, parameters): for each the coefficients 0 … order of δu, order by order, then the sensitivities of the
    /// kinks' registers at the start. [`Rates::momenta`] must have been wanted.
    pub fn sensitivities(
        &mut self,
        tape: &Tape,
        rates: &Rates,
        branches: &[f64],
        directions: &[Vec<f64>],
    ) -> Vec<Vec<f64>> {
        let reach = Reach::new(tape, rates, false);
        let one =
            |direction: &Vec<f64>| self.sensitivity((tape, rates), &reach, branches, direction);
        directions.iter().map(one).collect()
    }

    fn sensitivity(
        &mut self,
        (tape, rates): (&Tape, &Rates),
        reach: &Reach,
        branches: &[f64],
        direction: &[f64],
    ) -> Vec<f64> {
        let (n, order) = (rates.dimension, self.order);
        let mut along = Plain {
            tape,
            jets: self,
            branches,
        };
        let mut sensitivity = Sensitivity::new(&mut along, (tape, rates), reach, direction);
        for k in 1..=order {
            sensitivity.step(&mut along, k, k == order);
        }
        let mut list = Vec::with_capacity(n * (order + 1) + tape.kinks.len());
        for k in 0..=order {
            list.extend((0..n).map(|i| sensitivity.velocity(i, k)));
        }
        for kink in &tape.kinks {
            list.push(sensitivity.value(&mut along, kink.register));
        }
        list
    }

    /// Factors the linear system at the values of its registers.
    fn factor(
        &mut self,
        tape: &Tape,
        rates: &Rates,
        state: &[f64],
        branches: &[f64],
    ) -> Result<(), Singular> {
        let (size, stride, v) = (rates.unknowns, self.order + 2, &self.values);
        if let Some(elimination) = &mut self.elimination {
            self.pivoted = !elimination.factor(|r| v[r as usize * stride]);
            if !self.pivoted {
                return Ok(());
            }
        }
        let Some((tape, rates)) = rates.written_out(tape) else {
            return self
                .factors
                .factor(|i, j| v[rates.matrix[i * size + j] as usize * stride]);
        };
        let mut values = vec![0.0; tape.len()];
        tape.evaluate(state, branches, &mut values);
        self.pivoted = true;
        self.factors = Factors::new(size);
        self.factors
            .factor(|i, j| values[rates.matrix[i * size + j] as usize])
    }

    /// Solves the linear system, in place.
    pub(crate) fn solve(&mut self, right: &mut [f64]) {
        match &mut self.elimination {
            Some(elimination) if !self.pivoted => elimination.solve(right),
            _ => self.factors.solve(right),
        }
    }

    fn coefficients(&mut self, tape: &Tape, list: &[Reg], k: usize, branches: &[f64]) {
        for &at in list {
            let value = self.coefficient(tape, at as usize, k, branches);
            self.values[at as usize * (self.order + 2) + k] = value;
        }
    }

    /// Coefficient k of the unknowns: M₀aₖ = fₖ − Σ Mⱼaₖ₋ⱼ, and without M for the squares.
    fn accelerate(&mut self, rates: &Rates, k: usize) {
        let (size, stride, p) = (rates.unknowns, self.order + 2, self.order);
        let right = match &rates.squares {
            Some(s) => &s.right,
            None => &rates.right,
        };
        for i in 0..size {
            self.right[i] = self.values[right[i] as usize * stride + k];
        }
        for &(i, j, g) in &self.coupled {
            let (g, a) = (g as usize * stride, j * (p + 1));
            let mut f = self.right[i];
            for l in 1..=k {
                f -= self.values[g + l] * self.accelerations[a + k - l];
            }
            self.right[i] = f;
        }
        if let Some(s) = &rates.squares {
            for &(i, b, w) in &s.terms {
                let (b, w) = (b as usize * stride, w as usize * stride);
                let mut sum = 0.0;
                for j in 0..=k {
                    sum += self.values[b + k - j] * (j + 1) as f64 * self.values[w + j + 1];
                }
                self.right[i] -= sum;
            }
        }
        let mut right = std::mem::take(&mut self.right);
        self.solve(&mut right);
        self.right = right;
        for i in 0..size {
            self.accelerations[i * (p + 1) + k] = self.right[i];
        }
    }

    /// Coefficient k ≥ 1 of one operation, from lower ones of itself and of its operands.
    fn coefficient(&self, tape: &Tape, at: usize, k: usize, branches: &[f64]) -> f64 {
        let stride = self.order + 2;
        let s = |r: Reg| &self.values[r as usize * stride..r as usize * stride + k + 1];
        let own = &self.values[at * stride..at * stride + k];
        // (1/k) Σ_{j=1}^{k} j a_j b_{k−j}: the integral of a′b.
        let along = |a: &[f64], b: &[f64]| {
            let mut sum = 0.0;
            for j in 1..=k {
                sum += j as f64 * a[j] * b[k - j];
            }
            sum * self.inverse[k]
        };
        match tape.ops[at] {
            Op::Const(_) | Op::Input(_) | Op::Fixed(_) | Op::Parameter(..) | Op::Piece(..) => 0.0,
            Op::Add(a, b) => s(a)[k] + s(b)[k],
            Op::Sub(a, b) => s(a)[k] - s(b)[k],
            Op::Scale(a, c) => s(a)[k] * c,
            Op::Shift(a, _) => s(a)[k],
            Op::Mul(a, b) => convolve(s(a), s(b)),
            Op::Square(a) => {
                let a = s(a);
                let mut sum = 0.0;
                for j in 0..k.div_ceil(2) {
                    sum += a[j] * a[k - j];
                }
                sum *= 2.0;
                if k.is_multiple_of(2) {
                    sum += a[k / 2] * a[k / 2];
                }
                sum
            }
            Op::Div(a, b) => {
                let b = s(b);
                let mut sum = s(a)[k];
                for j in 0..k {
                    sum -= own[j] * b[k - j];
                }
                sum / b[0]
            }
            Op::Recip(b, _) => {
                let b = s(b);
                let mut sum = 0.0;
                for j in 0..k {
                    sum -= own[j] * b[k - j];
                }
                sum / b[0]
            }
            Op::Sqrt(a) => {
                let mut sum = s(a)[k];
                for j in 1..k {
                    sum -= own[j] * own[k - j];
                }
                sum / (2.0 * own[0])
            }
            Op::Power(a, r) => self.power(s(a), own, k, r),
            Op::OddPower(a, n, d) => self.power(s(a), own, k, f64::from(n) / f64::from(d)),
            Op::Exp(a) => {
                let a = s(a);
                let mut sum = 0.0;
                for j in 1..=k {
                    sum += j as f64 * a[j] * own[k - j];
                }
                sum * self.inverse[k]
            }
            Op::Log(a) => {
                let a = s(a);
                let mut sum = 0.0;
                for j in 1..k {
                    sum += j as f64 * own[j] * a[k - j];
                }
                (a[k] - sum * self.inverse[k]) / a[0]
            }
            Op::Sin(a) => along(s(a), self.lower(at + 1, k)),
            Op::Cos(a) => -along(s(a), self.lower(at - 1, k)),
            Op::Sinh(a) => along(s(a), self.lower(at + 1, k)),
            Op::Cosh(a) => along(s(a), self.lower(at - 1, k)),
            Op::Tan(a, w) | Op::Tanh(a, w) | Op::Asin(a, w) | Op::Acos(a, w) | Op::Atan(a, w) => {
                along(s(a), self.lower(w as usize, k))
            }
            Op::Atan2(y, x, r, _) => {
                let (y, x, r) = (s(y), s(x), s(r));
                let mut sum = 0.0;
                for j in 1..=k {
                    sum += j as f64 * (y[j] * x[k - j] - x[j] * y[k - j]);
                }
                for j in 1..k {
                    sum -= j as f64 * own[j] * r[k - j];
                }
                sum * self.inverse[k] / r[0]
            }
            Op::Abs(a, kink) => {
                if self.positive(tape, kink, branches) {
                    s(a)[k]
                } else {
                    -s(a)[k]
                }
            }
            Op::Sign(..) => 0.0,
            Op::Choose(a, b, kink) => {
                if self.positive(tape, kink, branches) {
                    s(a)[k]
                } else {
                    s(b)[k]
                }
            }
        }
    }

    /// The coefficients below k of a register that may come later on the tape.
    fn lower(&self, at: usize, k: usize) -> &[f64] {
        let start = at * (self.order + 2);
        &self.values[start..start + k]
    }

    pub(crate) fn positive(&self, tape: &Tape, kink: u32, branches: &[f64]) -> bool {
        if let Some(side) = branches.get(kink as usize) {
            return *side > 0.0;
        }
        let k = tape.kinks[kink as usize];
        let x = self.values[k.register as usize * (self.order + 2)];
        x > 0.0 || (k.closed && x == 0.0)
    }

    fn power(&self, a: &[f64], own: &[f64], k: usize, r: f64) -> f64 {
        let mut sum = 0.0;
        for j in 0..k {
            sum += (r * (k - j) as f64 - j as f64) * a[k - j] * own[j];
        }
        sum * self.inverse[k] / a[0]
    }
}
