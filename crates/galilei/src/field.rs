//! The equations of motion as a vector field on state space.

use galilei_integrate::Accelerations;

use crate::compiled::Compiled;

/// (t, x, u) ↦ (u, a): the right-hand side for any integrator of ordinary differential equations, for one state or
/// for many. It is self-contained.
///
/// ```
/// use galilei::{Field, Model};
/// let text = "coord x\nkinetic: x'^2/2\npotential: 2*x^2\n";
/// let compiled = Model::parse(text)?.compile()?;
/// let mut field = Field::new(&compiled);
/// drop(compiled);
/// let mut rates = [0.0; 2];
/// field.at(0.0, &[3.0, 5.0], &mut rates);
/// assert_eq!(rates, [5.0, -12.0]);
/// # Ok::<(), galilei::Error>(())
/// ```
pub struct Field {
    n: usize,
    one: Accelerations,
    many: Accelerations,
    states: Vec<f64>,
    result: Vec<f64>,
}

impl Field {
    /// The field of compiled equations, with reactions where there are constraints.
    pub fn new(compiled: &Compiled) -> Self {
        let n = compiled.lowered().coordinates.len();
        let lanes = Accelerations::widest();
        Self {
            n,
            one: compiled.accelerations(1),
            many: compiled.accelerations(lanes),
            states: vec![0.0; (2 * n + 1) * lanes],
            result: vec![0.0; compiled.rates().unknowns * lanes],
        }
    }

    /// The number of components of a state: twice the degrees of freedom.
    pub fn size(&self) -> usize {
        2 * self.n
    }

    /// The rates of one state, x then u. Where the mass matrix is singular they are not numbers.
    ///
    /// # Panics
    /// If the lengths are not [`Field::size`].
    pub fn at(&mut self, t: f64, state: &[f64], rates: &mut [f64]) {
        let n = self.n;
        let known = &mut self.states[..=2 * n];
        known[0] = t;
        known[1..].copy_from_slice(state);
        self.one.compute(known, &mut self.result);
        rates[..n].copy_from_slice(&state[n..]);
        rates[n..].copy_from_slice(&self.result[..n]);
    }

    /// The rates of many states. Component i of state k is at `i·count + k`, also in the result. All states have one
    /// time, or each its own.
    ///
    /// # Panics
    /// If the lengths do not fit.
    pub fn at_all(&mut self, times: &[f64], states: &[f64], rates: &mut [f64]) {
        let (n, lanes) = (self.n, self.many.lanes());
        let count = states.len() / (2 * n);
        let mut first = 0;
        while first < count {
            let used = lanes.min(count - first);
            let chunk = first..first + used;
            let (time, known) = self.states.split_at_mut(lanes);
            match times {
                [one] => time.fill(*one),
                each => fill(time, &each[chunk.clone()]),
            }
            let rows = states.chunks(count).zip(known.chunks_mut(lanes));
            rows.for_each(|(row, lanes)| fill(lanes, &row[chunk.clone()]));
            self.many.compute(&self.states, &mut self.result);
            for i in 0..n {
                let (x, u) = (i * count + first, (n + i) * count + first);
                rates[x..x + used].copy_from_slice(&states[u..u + used]);
                rates[u..u + used].copy_from_slice(&self.result[i * lanes..i * lanes + used]);
            }
            first += used;
        }
    }
}

/// Copies numbers into lanes; unused lanes repeat the last number.
fn fill(lanes: &mut [f64], numbers: &[f64]) {
    let (used, over) = lanes.split_at_mut(numbers.len());
    used.copy_from_slice(numbers);
    over.fill(numbers[numbers.len() - 1]);
}
