//! The normal form of a Hamiltonian at an elliptic equilibrium of two degrees of freedom, and the theorem of Arnold and Moser.

use std::collections::BTreeMap;

use galilei_expr::{Expr, Program};
use nalgebra::{Complex, DMatrix};

use crate::eigen::eigen;
use crate::setting::{Setting, vanishes};

/// Divisors below this part of the largest frequency belong to resonances.
const RESONANT: f64 = 1e-6;
/// Coefficients below this part of the largest of their degree are zero.
const NEGLIGIBLE: f64 = 1e-10;
/// Determinants below this part of their terms do not decide.
const UNDECIDED: f64 = 1e-6;

type Exponents = [u8; 4];
type Number = Complex<f64>;

/// A polynomial in (z₁, z₂, z̄₁, z̄₂).
#[derive(Clone, Default)]
struct Polynomial(BTreeMap<Exponents, Number>);

impl Polynomial {
    fn constant(c: f64) -> Self {
        Self([([0; 4], Number::new(c, 0.0))].into())
    }

    fn add(&mut self, exponents: Exponents, c: Number) {
        *self.0.entry(exponents).or_default() += c;
    }

    fn times(&self, other: &Self) -> Self {
        let mut all = Self::default();
        for (a, c) in &self.0 {
            for (b, d) in &other.0 {
                all.add(std::array::from_fn(|i| a[i] + b[i]), c * d);
            }
        }
        all
    }

    fn derivative(&self, i: usize) -> Self {
        let mut all = Self::default();
        for (a, c) in self.0.iter().filter(|(a, _)| a[i] > 0) {
            let mut lower = *a;
            lower[i] -= 1;
            all.add(lower, c * f64::from(a[i]));
        }
        all
    }

    /// {f, g}, with {z, z̄} = −i.
    fn bracket(&self, other: &Self) -> Self {
        let mut all = Self::default();
        for k in 0..2 {
            for (i, j, sign) in [(k, k + 2, -1.0), (k + 2, k, 1.0)] {
                let product = self.derivative(i).times(&other.derivative(j));
                for (a, c) in product.0 {
                    all.add(a, c * Number::new(0.0, sign));
                }
            }
        }
        all
    }

    fn largest(&self) -> f64 {
        self.0.values().fold(0.0_f64, |m, c| m.max(c.norm()))
    }
}

/// Arnold's determinant D = H₄(ω₂, −ω₁) of the actions at a state of rest, and the sum of its terms' sizes; H₂ = ω₁I₁ + ω₂I₂.
/// `None` unless there are two degrees of freedom, no forces and no constraints, two frequencies, and no resonance up to
/// degree 4.
fn determinant(setting: &Setting<'_>, state: &[f64]) -> Option<(f64, f64)> {
    let pool = setting.pool();
    let (x, u) = (&setting.x, &setting.u);
    let l = setting.lagrangian;
    let rests = state[3..].iter().all(|u| *u == 0.0);
    let free = setting.rows.is_empty() && !setting.model.has_contacts();
    if setting.n() != 2 || !rests || !free || !setting.force.iter().all(|f| vanishes(*f)) {
        return None;
    }
    let mass = l.hessian(u);
    let still: Vec<(Expr<'_>, Expr<'_>)> = u.iter().map(|v| (*v, pool.zero())).collect();
    if l.contains(setting.time) || mass.iter().flatten().any(|e| e.contains_any(u)) {
        return None;
    }
    let linear = pool.substitute_all(&l.gradient(u), &still);
    let p: Vec<Expr<'_>> = (x.iter())
        .map(|x| pool.symbol(&format!("momentum of {x}")))
        .collect();
    let w: Vec<Expr<'_>> = (0..2).map(|i| p[i] - linear[i]).collect();
    let (a, b, c) = (mass[0][0], mass[0][1], mass[1][1]);
    let square = c * w[0].pow(2) - b * w[0] * w[1] * 2 + a * w[1].pow(2);
    let h = square / ((a * c - b.pow(2)) * 2) - l.substitute(&still);
    let symbols = [x[0], x[1], p[0], p[1]];
    // All derivatives up to the fourth order.
    let mut list: Vec<(Exponents, Expr<'_>)> = vec![([0; 4], h)];
    let mut first = 0;
    for _ in 0..4 {
        let last = list.len();
        for k in first..last {
            let (exponents, e) = list[k];
            // Each once: by variables that are not before the last one.
            let from = (0..4).rev().find(|&i| exponents[i] > 0).unwrap_or(0);
            for i in from..4 {
                let mut higher = exponents;
                higher[i] += 1;
                list.push((higher, e.diff(symbols[i])));
            }
        }
        first = last;
    }
    let functions: Vec<Expr<'_>> = list.iter().map(|e| e.1).collect();
    let momenta = setting.at(&linear, state)?;
    let point = [state[1], state[2], momenta[0], momenta[1]];
    let values = Program::new(&functions, &symbols).ok()?.f64(&point);
    if values.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let (basis, frequencies) = canonical_basis(&list, &values)?;
    let largest = frequencies[0].abs().max(frequencies[1].abs());
    // H in complex canonical coordinates, by degrees.
    let variable = |row: usize| {
        let mut form = Polynomial::default();
        for k in 0..4 {
            let mut one = [0; 4];
            one[k] = 1;
            form.add(one, basis[row][k]);
        }
        form
    };
    let variables: [Polynomial; 4] = std::array::from_fn(variable);
    let mut parts = [Polynomial::default(), Polynomial::default()];
    for ((exponents, _), value) in list.iter().zip(&values) {
        let degree: u8 = exponents.iter().sum();
        if degree < 3 || *value == 0.0 {
            continue;
        }
        let factorial = |k: u8| (1..=k).map(f64::from).product::<f64>();
        let mut term =
            Polynomial::constant(value / exponents.map(factorial).iter().product::<f64>());
        for (i, &power) in exponents.iter().enumerate() {
            for _ in 0..power {
                term = term.times(&variables[i]);
            }
        }
        for (a, c) in term.0 {
            parts[usize::from(degree) - 3].add(a, c);
        }
    }
    let [cubic, mut quartic] = parts;
    let divisor = |a: &Exponents| {
        let turn = |k: usize| f64::from(a[k]) - f64::from(a[k + 2]);
        frequencies[0] * turn(0) + frequencies[1] * turn(1)
    };
    // {H₂, χ} = −H₃, with {H₂, m} = iλm for a monomial m.
    let mut generator = Polynomial::default();
    let least = NEGLIGIBLE * cubic.largest();
    for (a, c) in cubic.0.iter().filter(|(_, c)| c.norm() > least) {
        let divisor = divisor(a);
        if divisor.abs() <= RESONANT * largest {
            return None;
        }
        generator.add(*a, c * Number::new(0.0, 1.0 / divisor));
    }
    for (a, c) in cubic.bracket(&generator).0 {
        quartic.add(a, c * 0.5);
    }
    let least = NEGLIGIBLE * quartic.largest();
    let resonant = |(a, c): (&Exponents, &Number)| {
        a[..2] != a[2..] && c.norm() > least && divisor(a).abs() <= RESONANT * largest
    };
    if quartic.0.iter().any(resonant) {
        return None;
    }
    let at = |a: Exponents| quartic.0.get(&a).map_or(0.0, |c| c.re);
    let terms = [
        at([2, 0, 2, 0]) * frequencies[1].powi(2),
        -at([1, 1, 1, 1]) * frequencies[0] * frequencies[1],
        at([0, 2, 0, 2]) * frequencies[0].powi(2),
    ];
    Some((terms.iter().sum(), terms.iter().map(|t| t.abs()).sum()))
}

/// The coordinates (x, p) by complex canonical ones in which the quadratic part is ω₁z₁z̄₁ + ω₂z₂z̄₂, and the frequencies with
/// their signs. `None` unless there are two different ones.
fn canonical_basis(
    list: &[(Exponents, Expr<'_>)],
    values: &[f64],
) -> Option<([[Number; 4]; 4], [f64; 2])> {
    let mut hessian = DMatrix::zeros(4, 4);
    for ((exponents, _), value) in list.iter().zip(values) {
        let places: Vec<usize> = (0..4)
            .flat_map(|i| std::iter::repeat_n(i, usize::from(exponents[i])))
            .collect();
        if let [i, j] = places[..] {
            hessian[(i, j)] = *value;
            hessian[(j, i)] = *value;
        }
    }
    let symplectic = DMatrix::from_fn(4, 4, |i, j| match (i < 2, j) {
        (true, j) if j == i + 2 => 1.0,
        (false, j) if j + 2 == i => -1.0,
        _ => 0.0,
    });
    let field = &symplectic * hessian;
    let rows: Vec<Vec<f64>> = field
        .row_iter()
        .map(|r| r.iter().copied().collect())
        .collect();
    let found = eigen(&rows)?;
    let upper: Vec<usize> = (0..4).filter(|&k| found.values[k][1] > 0.0).collect();
    let [first, second] = upper[..] else {
        return None;
    };
    let mut basis = [[Number::default(); 4]; 4];
    let mut frequencies = [0.0; 2];
    let largest = found.values[first][1].max(found.values[second][1]);
    if (found.values[first][1] - found.values[second][1]).abs() <= RESONANT * largest {
        return None;
    }
    for (k, place) in [first, second].into_iter().enumerate() {
        let vector = &found.vectors[place];
        let a: Vec<f64> = vector.iter().map(|z| z[0]).collect();
        let b: Vec<f64> = vector.iter().map(|z| z[1]).collect();
        let product: f64 = (0..2).map(|i| a[i] * b[i + 2] - a[i + 2] * b[i]).sum();
        if product.abs() <= 1e-12 {
            return None;
        }
        let (a, b, frequency) = match product > 0.0 {
            true => (a, b, found.values[place][1]),
            false => (b, a, -found.values[place][1]),
        };
        frequencies[k] = frequency;
        let size = (2.0 * product.abs()).sqrt();
        for i in 0..4 {
            basis[i][k] = Number::new(a[i], -b[i]) / size;
            basis[i][k + 2] = Number::new(a[i], b[i]) / size;
        }
    }
    Some((basis, frequencies))
}

/// The argument that an elliptic state of rest with two degrees of freedom is stable, where Arnold's determinant does not
/// vanish.
pub(crate) fn twist(setting: &Setting<'_>, state: &[f64]) -> Option<String> {
    let (value, size) = determinant(setting, state)?;
    (value.abs() > UNDECIDED * size).then(|| {
        format!(
            "the frequencies have no resonance up to order 4 and Arnold's determinant is {value:.4e}: invariant tori enclose the state (Arnold–Moser)"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use galilei_model::{Settings, read};

    /// Deprit and Deprit-Bartholomé (1967): 2H₄(ω₂, −ω₁) is, up to the sign that they give it, (36 − 541w + 644w²)/(8(1 − 4w)(4 −
    /// 25w)) with w = ω₁²ω₂² = 27μ(1 − μ)/4, which vanishes at μ = 0.0109136676…
    #[test]
    fn t_202_the_determinant_of_triangular_points() {
        for mu in [0.001, 0.005, 0.010_9, 0.010_92, 0.02, 0.03, 0.038] {
            let text = format!(
                "coord x, y\nlet a = sqrt((x + {mu})^2 + y^2)\nlet b = sqrt((x - 1 + {mu})^2 + y^2)\n\
                 lagrangian: (x' - y)^2/2 + (y' + x)^2/2 + (1 - {mu})/a + {mu}/b\n"
            );
            let model = read(&text, &Settings::default()).model.unwrap();
            let setting = Setting::new(&model, &[]).unwrap();
            let state = [0.0, 0.5 - mu, 0.75_f64.sqrt(), 0.0, 0.0];
            let (found, size) = determinant(&setting, &state).unwrap();
            let w = 27.0 * mu * (1.0 - mu) / 4.0;
            let published =
                (36.0 - 541.0 * w + 644.0 * w * w) / (8.0 * (1.0 - 4.0 * w) * (4.0 - 25.0 * w));
            assert!(
                (2.0 * found - published).abs() < 1e-7 * size,
                "{mu}: {found} {published}"
            );
        }
    }
}
