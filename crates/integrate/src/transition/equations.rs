//! The equations of sensitivities over a piece of a motion, by Gauss' collocation.
//!
//! With the slopes B = ∂a/∂x, C = ∂a/∂u, D = ∂a/∂p of the accelerations at Gauss' points, the second derivatives
//! κᵢ = h²ξ̈ᵢ satisfy κᵢ = h²Bᵢ(ξ + cᵢhη + Σ(A²)ᵢⱼκⱼ) + hCᵢ(hη + ΣAᵢⱼκⱼ) + h²Dᵢ: linear equations, solved for all
//! starts at once.

use super::arithmetic::Arithmetic;
use crate::double::Double;
use crate::legendre::{gauss, polynomials};

/// The least pivot that is trusted without looking for another; of an empty piece all are one.
const LEAST_PIVOT: f64 = 0.05;

/// The largest ratio of the square of the highest coefficients to the error. Coefficients of twice the degree are smaller
/// than this square, since they do not fall from the first one on.
const MAX_SQUARE_IN_ERRORS: f64 = 1.6e4;
/// A coefficient is about this part of the one before it, unless it vanishes by accident.
const COEFFICIENT_RATIO: f64 = 0.125;
/// A mass below this counts as none.
const LEAST_MASS: f64 = 1e-200;

/// Gauss' method with any number of stages.
#[derive(Clone, Debug)]
pub(super) struct Stages {
    /// c, and c − ½, as antisymmetric as they are.
    pub(super) nodes: Vec<f64>,
    offsets: Vec<f64>,
    /// b, and b(1 − c).
    weights: Vec<f64>,
    moments: Vec<f64>,
    /// A and A², row by row.
    matrix: Vec<f64>,
    square: Vec<f64>,
    /// The weights of Legendre's coefficients of the two highest degrees.
    highest: [Vec<f64>; 2],
}

impl Stages {
    pub(super) fn new(s: usize) -> Self {
        let (nodes, weights): (Vec<Double>, Vec<Double>) = gauss(s).into_iter().unzip();
        let [one, two] = [1.0, 2.0].map(Double::from);
        let values: Vec<Vec<Double>> = nodes
            .iter()
            .map(|&c| polynomials(s, two * c - one))
            .collect();
        // ∫P_k = (P_{k+1} − P_{k−1})/2 on [0, 1], where P_k are orthogonal with squares 1/(2k + 1).
        let entry = |i: usize, j: usize| {
            let terms = (1..s).map(|k| values[j][k] * (values[i][k + 1] - values[i][k - 1]) / two);
            weights[j] * (nodes[i] + terms.sum())
        };
        let matrix: Vec<Double> = (0..s * s).map(|k| entry(k / s, k % s)).collect();
        let product = |k: usize| -> Double {
            let terms = (0..s).map(|j| matrix[k / s * s + j] * matrix[j * s + k % s]);
            terms.sum()
        };
        let highest = [s - 1, s - 2].map(|k| {
            let factor = Double::from((2 * k + 1) as f64);
            let value = |i: usize| (factor * weights[i] * values[i][k]).rounded();
            (0..s).map(value).collect()
        });
        let rounded = |list: &[Double]| list.iter().map(|x| x.rounded()).collect();
        let pairs = weights.iter().zip(&nodes);
        let half = Double::from(0.5);
        Self {
            offsets: nodes.iter().map(|&c| (c - half).rounded()).collect(),
            square: (0..s * s).map(|k| product(k).rounded()).collect(),
            moments: pairs.map(|(&b, &c)| (b * (one - c)).rounded()).collect(),
            nodes: rounded(&nodes),
            weights: rounded(&weights),
            matrix: rounded(&matrix),
            highest,
        }
    }

    /// The number of nodes.
    pub(super) fn count(&self) -> usize {
        self.nodes.len()
    }
}

/// The shape of the equations: the numbers of coordinates and of columns of slopes (by x, u and parameters), and the
/// largest relative error of the solution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) n: usize,
    pub(super) columns: usize,
    pub(super) error: f64,
}

impl Shape {
    /// About how many operations solve them.
    pub(super) fn operations(&self, stages: usize) -> usize {
        let size = stages * self.n;
        size * size * (size / 3 + self.columns + 2)
    }
}

/// The scales of sizes: the mass of each coordinate, its acceleration, and one over the size of each parameter.
pub(super) struct Measures<V> {
    pub(super) masses: Vec<V>,
    pub(super) accelerations: Vec<V>,
    pub(super) parameters: Vec<f64>,
}

/// Solves the equations of a piece of length h. `slopes` gives those at a node by row and column. The result: by how
/// much ξ, then η, change, row by row by ξ, η and the parameters; then a number that is not negative where that can
/// be trusted.
pub(super) fn transition<A: Arithmetic>(
    arithmetic: &mut A,
    stages: &Stages,
    shape: Shape,
    h: A::Value,
    slopes: impl Fn(&mut A, usize, usize, usize) -> A::Value,
    measures: &Measures<A::Value>,
) -> Vec<A::Value> {
    let (n, columns, s) = (shape.n, shape.columns, stages.count());
    let size = s * n;
    let width = size + columns;
    let one = arithmetic.number(1.0);
    let square = arithmetic.mul(h, h);
    // Rows: κ of a node and a coordinate; columns: all κ, then the right sides.
    let mut elimination = Elimination::new(arithmetic, size);
    for (i, a) in (0..s).flat_map(|i| (0..n).map(move |a| (i, a))) {
        let scaled: Vec<A::Value> = (0..columns)
            .map(|c| {
                let factor = if (n..2 * n).contains(&c) { h } else { square };
                let slope = slopes(arithmetic, i, a, c);
                arithmetic.mul(slope, factor)
            })
            .collect();
        let mut row = Vec::with_capacity(width);
        for (j, b) in (0..s).flat_map(|j| (0..n).map(move |b| (j, b))) {
            let terms = [
                (-stages.square[i * s + j], scaled[b]),
                (-stages.matrix[i * s + j], scaled[n + b]),
            ];
            let mut entry = arithmetic.combination(terms.into_iter());
            if (i, a) == (j, b) {
                entry = arithmetic.add(one, entry);
            }
            row.push(entry);
        }
        for c in 0..columns {
            row.push(match c.checked_sub(n) {
                Some(b) if b < n => {
                    let middle = arithmetic.scale(scaled[b], 0.5);
                    let along = arithmetic.scale(scaled[b], stages.offsets[i]);
                    let middle = arithmetic.add(scaled[c], middle);
                    arithmetic.add(middle, along)
                }
                _ => scaled[c],
            });
        }
        elimination.row(arithmetic, row);
    }
    let (rows, sound) = elimination.solved(arithmetic);
    let solution = |i: usize, a: usize, c: usize| rows[i * n + a][size + c];
    let mut result = Vec::with_capacity(2 * n * columns + 1);
    for level in 0..2 {
        for (a, c) in (0..n).flat_map(|a| (0..columns).map(move |c| (a, c))) {
            let (whole, weights) = match level {
                0 => (0.5, &stages.moments),
                _ => (1.0, &stages.weights),
            };
            // Rounded weights do not add up to one. What they lack is the same in every step and would be felt like
            // another frequency; so they weigh differences to one of the nodes.
            let middle = solution(s / 2, a, c);
            let mut change = arithmetic.scale(middle, whole);
            for (i, &weight) in weights.iter().enumerate().filter(|(i, _)| *i != s / 2) {
                let other = arithmetic.sub(solution(i, a, c), middle);
                let part = arithmetic.scale(other, weight);
                change = arithmetic.add(change, part);
            }
            // From hη to η, at the start and at the end.
            let start = (n..2 * n).contains(&c);
            if level == 0 && c == n + a {
                change = arithmetic.add(one, change);
            }
            match (level, start) {
                (0, true) => change = arithmetic.mul(change, h),
                (1, false) => change = arithmetic.div(change, h),
                _ => {}
            }
            result.push(change);
        }
    }
    let piece = (stages, shape, square);
    result.push(checked(arithmetic, piece, &solution, measures, sound));
    result
}

/// Equations that are solved row by row. Over a short piece the matrix is next to one, and no rows are exchanged.
struct Elimination<V> {
    size: usize,
    /// The rest of each row: to the right of its pivot.
    rows: Vec<Vec<V>>,
    inverses: Vec<V>,
    /// Negative where a pivot is small.
    sound: V,
}

impl<V: Copy> Elimination<V> {
    fn new(arithmetic: &mut impl Arithmetic<Value = V>, size: usize) -> Self {
        Self {
            size,
            rows: Vec::with_capacity(size),
            inverses: Vec::with_capacity(size),
            sound: arithmetic.number(1.0),
        }
    }

    /// Adds a row, right sides behind it.
    fn row(&mut self, arithmetic: &mut impl Arithmetic<Value = V>, mut row: Vec<V>) {
        for (k, (above, &inverse)) in self.rows.iter().zip(&self.inverses).enumerate() {
            if arithmetic.is_zero(row[k]) {
                continue;
            }
            let factor = arithmetic.mul(row[k], inverse);
            for (x, &y) in row[k + 1..].iter_mut().zip(&above[k + 1..]) {
                let product = arithmetic.mul(factor, y);
                *x = arithmetic.sub(*x, product);
            }
        }
        let k = self.rows.len();
        let least = arithmetic.number(LEAST_PIVOT);
        let left = arithmetic.sub(row[k], least);
        self.sound = arithmetic.unless_negative(left, self.sound);
        let one = arithmetic.number(1.0);
        self.inverses.push(arithmetic.div(one, row[k]));
        self.rows.push(row);
    }

    /// The rows with the solutions in place of the right sides, and a number that is negative where a pivot is small.
    fn solved(mut self, arithmetic: &mut impl Arithmetic<Value = V>) -> (Vec<Vec<V>>, V) {
        for k in (0..self.size).rev() {
            let (above, below) = self.rows.split_at_mut(k + 1);
            let (matrix, right) = above[k].split_at_mut(self.size);
            for (&factor, row) in matrix[k + 1..].iter().zip(below) {
                for (x, &y) in right.iter_mut().zip(&row[self.size..]) {
                    let product = arithmetic.mul(factor, y);
                    *x = arithmetic.sub(*x, product);
                }
            }
            for x in right {
                *x = arithmetic.mul(*x, self.inverses[k]);
            }
        }
        (self.rows, self.sound)
    }
}

/// −1 where the error is larger than allowed, else what is given.
///
/// Gauss' method is wrong by what the rate lacks of degree s and more. That of degree s is felt as far as the response at the end
/// has it, too: both are about as large as the highest coefficients of the rate itself, for all starts and for unit
/// forces. A response without curvature feels degree 2s only, where coefficients are as much smaller again. What one coordinate
/// does to another is wrong by a part of itself, or of what is one if coordinates are measured by the roots of their masses.
///
/// A parameter is measured by what it does; or, since it may do nothing at all but rounding errors, by what it would do if accelerations
/// were in proportion to it.
fn checked<A: Arithmetic>(
    arithmetic: &mut A,
    (stages, shape, square): (&Stages, Shape, A::Value),
    solution: &impl Fn(usize, usize, usize) -> A::Value,
    measures: &Measures<A::Value>,
    mut sound: A::Value,
) -> A::Value {
    let (n, columns, s) = (shape.n, shape.columns, stages.count());
    let entries = || (0..n).flat_map(|a| (0..columns).map(move |c| (a, c)));
    // The highest coefficients, and the sizes, of each entry.
    let (mut last, mut sizes) = (vec![], vec![]);
    for (a, c) in entries() {
        let [first, second] = stages.highest.each_ref().map(|list| {
            let terms = (0..s).map(|i| (list[i], solution(i, a, c)));
            let sum = arithmetic.combination(terms);
            arithmetic.abs(sum)
        });
        let second = arithmetic.scale(second, COEFFICIENT_RATIO);
        last.push(arithmetic.add(first, second));
        let mut size = arithmetic.number(0.0);
        for i in 0..s {
            let part = arithmetic.abs(solution(i, a, c));
            size = arithmetic.add(size, part);
        }
        sizes.push(size);
    }
    // The roots of the masses, and what each column does to the coordinates in these units.
    let (one, nothing) = (arithmetic.number(1.0), arithmetic.number(LEAST_MASS));
    let roots: Vec<A::Value> = measures
        .masses
        .iter()
        .map(|&m| {
            let m = arithmetic.greatest(m, nothing);
            arithmetic.sqrt(m)
        })
        .collect();
    let inverses: Vec<A::Value> = roots.iter().map(|&r| arithmetic.div(one, r)).collect();
    let units: Vec<A::Value> = (0..columns)
        .map(|c| match c.checked_sub(2 * n) {
            None => roots[c % n],
            Some(p) => {
                let mut most = nothing;
                for a in 0..n {
                    let moved = arithmetic.mul(square, measures.accelerations[a]);
                    let moved = arithmetic.scale(moved, measures.parameters[p]);
                    let moved = arithmetic.abs(moved);
                    for size in [moved, sizes[a * columns + c]] {
                        let own = arithmetic.mul(roots[a], size);
                        most = arithmetic.greatest(own, most);
                    }
                }
                most
            }
        })
        .collect();
    // A response of degree s is an integral of the rate, and that of degree s is at least four times less than the one before.
    let factor = 1.0 / (16 * s * (2 * s + 1)) as f64;
    for (a, c) in entries() {
        let (own, high) = (sizes[a * columns + c], last[a * columns + c]);
        let mut error = arithmetic.number(0.0);
        for b in 0..n {
            let product = arithmetic.mul(last[a * columns + n + b], last[b * columns + c]);
            error = arithmetic.add(error, product);
        }
        let unit = arithmetic.mul(units[c], inverses[a]);
        let whole = arithmetic.add(own, unit);
        let allowed = arithmetic.scale(whole, shape.error);
        let error = arithmetic.scale(error, factor);
        let left = arithmetic.sub(allowed, error);
        sound = arithmetic.unless_negative(left, sound);
        let high = arithmetic.mul(high, high);
        let allowed = arithmetic.scale(allowed, MAX_SQUARE_IN_ERRORS);
        let allowed = arithmetic.mul(allowed, own);
        let left = arithmetic.sub(allowed, high);
        sound = arithmetic.unless_negative(left, sound);
    }
    sound
}

#[cfg(test)]
mod tests {
    use super::super::arithmetic::{Numbers, SIDE_BY_SIDE};
    use super::*;
    use galilei_tape::code::Assembler;

    /// Σ bᵢcᵢᵏ⁻¹ = 1/k up to k = 2s, Σ aᵢⱼcⱼᵏ⁻¹ = cᵢᵏ/k up to k = s, Σ (A²)ᵢⱼcⱼᵏ⁻¹ = cᵢᵏ⁺¹/(k(k + 1)) below that.
    #[test]
    fn the_simplifying_conditions_hold() {
        for s in 3..=16 {
            let t = Stages::new(s);
            let sum = |list: &[f64], k: usize| -> f64 {
                let terms = list.iter().zip(&t.nodes);
                terms.map(|(b, c)| b * c.powi(k as i32 - 1)).sum()
            };
            for k in 1..=2 * s {
                assert!(
                    (sum(&t.weights, k) - 1.0 / k as f64).abs() < 1e-14,
                    "{s} {k}"
                );
            }
            for (i, c) in t.nodes.iter().enumerate() {
                for k in 1..=s {
                    let once = sum(&t.matrix[i * s..(i + 1) * s], k);
                    assert!(
                        (once - c.powi(k as i32) / k as f64).abs() < 1e-14,
                        "{s} {k}"
                    );
                }
                for k in 1..s {
                    let twice = sum(&t.square[i * s..(i + 1) * s], k);
                    let wanted = c.powi(k as i32 + 1) / (k * (k + 1)) as f64;
                    assert!((twice - wanted).abs() < 1e-14, "{s} {k}");
                }
            }
        }
    }

    const SHAPE: Shape = Shape {
        n: 1,
        columns: 3,
        error: 2e-15,
    };

    /// ẍ = −x/m + f over a time, by numbers: (x, u) by (x, u, f), and whether that is trusted.
    fn oscillator(s: usize, h: f64, stiffness: f64) -> ([f64; 6], bool) {
        let all = |x: f64| [x; SIDE_BY_SIDE];
        let slopes = [-stiffness, 0.0, 1.0];
        let slope = |_: &mut Numbers, _: usize, _: usize, c: usize| all(slopes[c]);
        let found = transition(
            &mut Numbers,
            &Stages::new(s),
            SHAPE,
            all(h),
            slope,
            &Measures {
                masses: vec![all(1.0)],
                accelerations: vec![all(1.0)],
                parameters: vec![1.0],
            },
        );
        (std::array::from_fn(|k| found[k][0]), found[6][0] >= 0.0)
    }

    #[test]
    fn what_is_trusted_is_right_and_what_is_wrong_is_not_trusted() {
        for s in [5, 7, 10, 14] {
            let mut trusted = 0;
            for k in 0..200 {
                let h = 0.001 * 1.05_f64.powi(k);
                for h in [h, -h] {
                    let (found, sound) = oscillator(s, h, 1.0);
                    let (sin, cos) = h.sin_cos();
                    let wanted = [cos - 1.0, sin, 1.0 - cos, -sin, cos - 1.0, sin];
                    let error = found.iter().zip(wanted).map(|(a, b)| (a - b).abs());
                    let error = error.fold(0.0, f64::max);
                    trusted += usize::from(sound);
                    assert!(!sound || error < 1e-14 * (1.0 + h * h), "{s} {h} {error}");
                }
            }
            // Nor is nothing trusted.
            assert!(trusted > 2 * 20, "{s} {trusted}");
        }
        assert!(!oscillator(7, 0.1, f64::NAN).1);
        assert!(!oscillator(7, 0.1, f64::INFINITY).1);
    }

    /// Code and numbers are the same equations.
    #[test]
    fn code_computes_what_numbers_do() {
        let stages = Stages::new(4);
        let shape = Shape {
            n: 2,
            columns: 5,
            error: 1e-6,
        };
        let value = |k: usize| (1.3 * k as f64).sin();
        let own = 14;
        let mut asm = Assembler::new(1 + 4 * own);
        let h = asm.input(0);
        let at = |k: usize| 1 + 2 * own + 10 + k;
        let measures = Measures {
            masses: vec![asm.input(at(0)), asm.input(at(1))],
            accelerations: vec![asm.input(at(2)), asm.input(at(3))],
            parameters: vec![0.5],
        };
        let slope = |asm: &mut Assembler, i, a, c| asm.input(1 + i * own + a * 5 + c);
        let outputs = transition(&mut asm, &stages, shape, h, slope, &measures);
        let code = asm.finish(outputs);
        let all: Vec<f64> = (0..1 + 4 * own).map(|k| 0.3 + value(k) / 9.0).collect();
        let inputs: Vec<[f64; 1]> = all.iter().map(|x| [*x]).collect();
        let by_code = code.run(&inputs, &mut vec![]);
        let by_numbers = transition(
            &mut Numbers,
            &stages,
            shape,
            [all[0]; SIDE_BY_SIDE],
            |_, i, a, c| [all[1 + i * own + a * 5 + c]; SIDE_BY_SIDE],
            &Measures {
                masses: [0, 1].map(|k| [all[at(k)]; SIDE_BY_SIDE]).to_vec(),
                accelerations: [2, 3].map(|k| [all[at(k)]; SIDE_BY_SIDE]).to_vec(),
                parameters: vec![0.5],
            },
        );
        assert_eq!(by_code.len(), by_numbers.len());
        for (a, b) in by_code.iter().zip(&by_numbers) {
            assert!((a[0] - b[0]).abs() < 1e-15, "{a:?} {b:?}");
        }
    }
}
