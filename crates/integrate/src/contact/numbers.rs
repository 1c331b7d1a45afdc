//! The quantities of contact and friction at a state.

use galilei_linear::Factors;
use galilei_tape::ContactQuantities;

/// A size of friction: a number, and factors of multipliers.
#[derive(Clone, Debug)]
pub(super) struct Limit {
    pub(super) own: f64,
    pub(super) constraints: Vec<f64>,
    pub(super) absolute: Vec<f64>,
    pub(super) contacts: Vec<f64>,
    pub(super) norms: Vec<f64>,
}

impl Limit {
    /// Whether it is the same number for all multipliers.
    pub(super) fn is_own(&self) -> bool {
        let lists = [
            &self.constraints,
            &self.absolute,
            &self.contacts,
            &self.norms,
        ];
        lists.iter().all(|l| l.iter().all(|f| *f == 0.0))
    }

    /// The size, and the sum of the sizes of its terms, to which rounding is relative.
    pub(super) fn value(&self, frame: &Frame, multipliers: &[f64]) -> (f64, f64) {
        let m = multipliers;
        let rows = (0..frame.constraints)
            .map(|r| self.constraints[r] * m[r] + self.absolute[r] * m[r].abs());
        let contacts = frame.contacts.iter().zip(&self.contacts);
        let pressed = contacts.map(|(c, f)| f * m[c.line]);
        let norms = frame.norm_sizes(m);
        let sizes = self.norms.iter().zip(&norms).map(|(f, x)| f * x);
        let terms = std::iter::once(self.own)
            .chain(rows)
            .chain(pressed)
            .chain(sizes);
        terms.fold((0.0, 0.0), |(sum, size), x| (sum + x, size + x.abs()))
    }
}

/// A direction in which a multiplier acts: a constraint, the normal of a contact, a component of friction.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// The velocity along it: the rate of a constraint or gap, a component of a slip velocity.
    pub(super) velocity: f64,
    pub(super) row: Vec<f64>,
    /// The covector of the force; the row, unless a reaction is not ideal.
    pub(super) covector: Vec<f64>,
    /// The part of its acceleration without accelerations of coordinates.
    pub(super) drift: f64,
    /// g⁻¹ of the covector.
    pub(super) raised: Vec<f64>,
}

/// A contact at a state.
#[derive(Clone, Debug)]
pub(super) struct ContactNumbers {
    pub(super) gap: f64,
    pub(super) restitution: f64,
    /// The place of its normal among the lines.
    pub(super) line: usize,
}

/// A friction element at a state.
#[derive(Clone, Debug)]
pub(super) struct ElementNumbers {
    pub(super) contact: Option<usize>,
    pub(super) slipping: Limit,
    pub(super) sticking: Limit,
    pub(super) sticks_more: bool,
    /// The places of its components among the lines.
    pub(super) lines: Vec<usize>,
}

impl ElementNumbers {
    /// The slip velocity.
    pub(super) fn velocity(&self, frame: &Frame) -> Vec<f64> {
        self.lines
            .iter()
            .map(|&l| frame.lines[l].velocity)
            .collect()
    }
}

/// All quantities at a state.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) energy: f64,
    /// Twice the kinetic energy u·g·u of the velocities.
    pub(super) speed_square: f64,
    /// The accelerations without any multiplier.
    pub(super) free: Vec<f64>,
    /// a·g·a of these accelerations.
    pub(super) pull_square: f64,
    /// The number of constraints of the model, whose lines come first.
    pub(super) constraints: usize,
    pub(super) signed: Vec<bool>,
    pub(super) lines: Vec<Line>,
    pub(super) contacts: Vec<ContactNumbers>,
    pub(super) elements: Vec<ElementNumbers>,
    /// The matrix of each norm, by the multipliers of constraints and then of contacts.
    pub(super) norms: Vec<Vec<Vec<f64>>>,
}

/// Reads numbers one after the other.
struct Reader<'a>(&'a [f64]);

impl Reader<'_> {
    fn one(&mut self) -> f64 {
        let (first, rest) = self
            .0
            .split_first()
            .expect("the layout is that of the tape");
        self.0 = rest;
        *first
    }

    fn list(&mut self, n: usize) -> Vec<f64> {
        let (first, rest) = self.0.split_at(n);
        self.0 = rest;
        first.to_vec()
    }
}

/// The quantities as the code gives them, or their derivatives with respect to one of its inputs.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    pub(super) mass: Vec<Vec<f64>>,
    /// The right-hand side of g·a = f.
    pub(super) pull: Vec<f64>,
    pub(super) energy: f64,
    /// Lines without g⁻¹ of their covectors.
    pub(super) lines: Vec<Line>,
    pub(super) contacts: Vec<ContactNumbers>,
    pub(super) elements: Vec<ElementNumbers>,
    pub(super) norms: Vec<Vec<Vec<f64>>>,
}

impl Numbers {
    /// Reads the outputs of the code.
    pub(super) fn read(q: &ContactQuantities, values: &[f64]) -> Self {
        let n = q.dimension;
        let mut r = Reader(values);
        let mut mass = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in i..n {
                mass[i][j] = r.one();
                mass[j][i] = mass[i][j];
            }
        }
        let pull = r.list(n);
        let energy = r.one();
        let line = |velocity: f64, row: Vec<f64>, covector: Vec<f64>, drift: f64| Line {
            velocity,
            row,
            covector,
            drift,
            raised: vec![],
        };
        let mut lines = Vec::new();
        for _ in 0..q.constraints {
            let (row, covector) = (r.list(n), r.list(n));
            let (drift, velocity) = (r.one(), r.one());
            r.one();
            lines.push(line(velocity, row, covector, drift));
        }
        let mut contacts = Vec::new();
        for _ in &q.contacts {
            let (gap, rate) = (r.one(), r.one());
            let row = r.list(n);
            let (drift, restitution) = (r.one(), r.one());
            r.one();
            contacts.push(ContactNumbers {
                gap,
                restitution,
                line: lines.len(),
            });
            lines.push(line(rate, row.clone(), row, drift));
        }
        let mut elements = Vec::new();
        for e in &q.elements {
            let mut limit = || Limit {
                own: r.one(),
                constraints: r.list(q.constraints),
                absolute: r.list(q.constraints),
                contacts: r.list(q.contacts.len()),
                norms: r.list(q.norms),
            };
            let (slipping, sticking) = (limit(), limit());
            let mut own = Vec::new();
            for _ in 0..e.tangents {
                let velocity = r.one();
                let row = r.list(n);
                let drift = r.one();
                own.push(lines.len());
                lines.push(line(velocity, row.clone(), row, drift));
            }
            elements.push(ElementNumbers {
                contact: e.contact,
                slipping,
                sticking,
                sticks_more: e.sticks_more,
                lines: own,
            });
        }
        let size = q.constraints + q.contacts.len();
        let norm = |_| {
            let mut form = vec![vec![0.0; size]; size];
            for i in 0..size {
                for j in i..size {
                    form[i][j] = r.one();
                    form[j][i] = form[i][j];
                }
            }
            form
        };
        Self {
            norms: (0..q.norms).map(norm).collect(),
            mass,
            pull,
            energy,
            lines,
            contacts,
            elements,
        }
    }
}

impl Frame {
    /// The quantities at a time and a state, x then u; `None` where one is not a number or the mass matrix is singular.
    pub(super) fn new(q: &ContactQuantities, time: f64, state: &[f64]) -> Option<Self> {
        let n = q.dimension;
        let inputs = [&[time], state].concat();
        let values = q.tape.run(&inputs, &[]);
        if values.iter().any(|v| !v.is_finite()) {
            return None;
        }
        let Numbers {
            mass,
            pull,
            energy,
            mut lines,
            contacts,
            elements,
            norms,
        } = Numbers::read(q, &values);
        let mut factors = Factors::new(n);
        factors.factor(|i, j| mass[i][j]).ok()?;
        let u = &state[n..2 * n];
        let speed_square = (0..n)
            .map(|i| u[i] * (0..n).map(|j| mass[i][j] * u[j]).sum::<f64>())
            .sum();
        let mut free = pull.clone();
        factors.solve(&mut free);
        let pull_square = dot(&pull, &free);
        for l in &mut lines {
            l.raised.clone_from(&l.covector);
            factors.solve(&mut l.raised);
        }
        Some(Self {
            energy,
            speed_square,
            free,
            pull_square,
            constraints: q.constraints,
            signed: q.signed.clone(),
            lines,
            contacts,
            elements,
            norms,
        })
    }

    /// aᵀ·A·b with the matrix of a norm, for multipliers along all lines.
    pub(super) fn norm_product(&self, norm: usize, a: &[f64], b: &[f64]) -> f64 {
        let line = |k: usize| match k.checked_sub(self.constraints) {
            None => k,
            Some(k) => self.contacts[k].line,
        };
        let form = &self.norms[norm];
        let row = |r: &Vec<f64>| -> f64 { r.iter().enumerate().map(|(j, x)| x * b[line(j)]).sum() };
        form.iter()
            .enumerate()
            .map(|(i, r)| a[line(i)] * row(r))
            .sum()
    }

    /// The sizes of several multipliers together.
    pub(super) fn norm_sizes(&self, multipliers: &[f64]) -> Vec<f64> {
        let square = |k: usize| self.norm_product(k, multipliers, multipliers);
        (0..self.norms.len())
            .map(|k| square(k).max(0.0).sqrt())
            .collect()
    }

    /// The velocity along a line that the kinetic energy allows at most.
    pub(super) fn largest_rate(&self, line: usize) -> f64 {
        let l = &self.lines[line];
        (dot(&l.row, &l.raised) * self.speed_square).abs().sqrt()
    }

    /// The acceleration along a line that the accelerations without multipliers allow at most. Their components may cancel
    /// each other, as at the instant at which a particle leaves a sphere; their size in the metric does not.
    pub(super) fn largest_pull(&self, line: usize) -> f64 {
        let l = &self.lines[line];
        (dot(&l.row, &l.raised) * self.pull_square).abs().sqrt()
    }
}

/// Σ aᵢbᵢ
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
