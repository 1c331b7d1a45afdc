//! Multipliers of a periodic motion: those that must be 1, and the others. (T-205)

use galilei_expr::Expr;
use nalgebra::{DMatrix, DVector};

use super::{Orbit, Shooting};
use crate::eigen::eigenvalues;
use crate::flow::{Flow, Passage};
use crate::setting::unit_null_space;

/// Moduli closer to 1 than this do not decide.
const ON_CIRCLE: f64 = 1e-6;

/// The multipliers of a motion and those that are left when symmetries and first integrals are split off.
#[derive(Clone, Debug)]
pub(crate) struct Structure {
    pub(crate) multipliers: Vec<[f64; 2]>,
    pub(crate) trivial: usize,
    pub(crate) rest: Vec<[f64; 2]>,
    /// The norm of the monodromy matrix.
    norm: f64,
}

impl Structure {
    /// The multipliers of an orbit whose monodromy matrix is that of a passage; `basis` is orthonormal in the tangent space
    /// of the constraints.
    pub(crate) fn new(
        flow: &Flow<'_>,
        shooting: &Shooting<'_>,
        orbit: &Orbit,
        passage: &Passage,
        basis: &DMatrix<f64>,
    ) -> Option<Self> {
        let s = &flow.setting;
        let n = flow.n();
        let monodromy = basis.transpose() * &passage.transition * basis;
        let mut generators = s.generators();
        generators.extend(s.affine_generators(&generators));
        let inputs: Vec<f64> = [shooting.time]
            .into_iter()
            .chain(orbit.state.iter().copied())
            .collect();
        let symbols = [&s.x[..], &s.u].concat();
        let momenta = s.lagrangian.gradient(&s.u);
        let mut fields: Vec<DVector<f64>> = Vec::new();
        let mut integrals: Vec<DVector<f64>> = Vec::new();
        if shooting.autonomous {
            fields.push(flow.rate(shooting.time, &orbit.state)?);
        }
        if shooting.conservative {
            integrals.push(flow.energy(shooting.time, &orbit.state)?.1);
        }
        for g in &generators {
            let pairs: Vec<(Expr<'_>, Expr<'_>)> =
                s.x.iter().copied().zip(s.u.iter().copied()).collect();
            let rates: Vec<Expr<'_>> = g
                .components
                .iter()
                .map(|v| v.derivative_along(&pairs))
                .collect();
            fields.push(DVector::from_vec(
                s.at(&[&g.components[..], &rates].concat(), &inputs)?,
            ));
            if g.conserved {
                let j = s.pool().sum((0..n).map(|i| momenta[i] * g.components[i]));
                integrals.push(DVector::from_vec(s.at(&j.gradient(&symbols), &inputs)?));
            }
        }
        let unit = |list: Vec<DVector<f64>>| -> DMatrix<f64> {
            let list: Vec<DVector<f64>> = list
                .into_iter()
                .map(|v| basis.transpose() * v)
                .filter(|v| v.norm() > 1e-12)
                .map(|v| v.normalize())
                .collect();
            match list.is_empty() {
                true => DMatrix::zeros(basis.ncols(), 0),
                false => span(&DMatrix::from_columns(&list)),
            }
        };
        let (right, left) = (unit(fields), unit(integrals));
        let pairing = left.transpose() * &right;
        let coupled = rank(&pairing);
        let trivial = right.ncols() + left.ncols() - coupled;
        // Directions that keep the integrals, modulo those of symmetries.
        let inside = match left.ncols() {
            0 => DMatrix::identity(basis.ncols(), basis.ncols()),
            _ => unit_null_space(&left.transpose(), 1e-9),
        };
        let along = match right.ncols() {
            0 => right,
            _ if left.ncols() == 0 => right,
            _ => &right * unit_null_space(&pairing, 1e-7),
        };
        let across = match along.ncols() {
            0 => inside.clone(),
            _ => &inside * unit_null_space(&(inside.transpose() * along).transpose(), 1e-9),
        };
        let reduced = across.transpose() * &monodromy * &across;
        let list = |m: &DMatrix<f64>| -> Option<Vec<[f64; 2]>> {
            let mut values: Vec<[f64; 2]> = eigenvalues(m)?
                .iter()
                .map(|s| [s.re + 0.0, s.im + 0.0])
                .collect();
            order(&mut values);
            Some(values)
        };
        let rest = list(&reduced)?;
        // Those that must be 1 belong to Jordan blocks, where eigenvalues lose half of their digits: they are 1.
        let mut multipliers = rest.clone();
        multipliers.resize(basis.ncols(), [1.0, 0.0]);
        order(&mut multipliers);
        Some(Self {
            multipliers,
            trivial,
            rest,
            norm: monodromy.norm(),
        })
    }

    /// The uncertainty of a modulus: rounding of the monodromy matrix, enlarged where multipliers nearly coincide.
    fn uncertainty(&self, k: usize) -> f64 {
        let own = self.rest[k];
        let others = (0..self.rest.len()).filter(|&j| j != k);
        let gap = others.fold(1.0_f64, |m, j| {
            m.min((own[0] - self.rest[j][0]).hypot(own[1] - self.rest[j][1]))
        });
        (1e-11 * self.norm * self.norm / gap.max(1e-12)).clamp(ON_CIRCLE, 1e-2)
    }

    /// det(M − λ·1) of the part of the monodromy matrix whose multipliers are not trivial, for a real λ.
    pub(crate) fn characteristic(&self, at: f64) -> f64 {
        let product = |[a, b]: [f64; 2], s: &[f64; 2]| {
            let (x, y) = (s[0] - at, s[1]);
            [a * x - b * y, a * y + b * x]
        };
        self.rest.iter().fold([1.0, 0.0], product)[0]
    }

    /// The distance of the multipliers that are not trivial from a real number; infinite without any.
    pub(crate) fn distance(&self, at: f64) -> f64 {
        let own = self.rest.iter().map(|s| (s[0] - at).hypot(s[1]));
        own.fold(f64::INFINITY, f64::min)
    }

    /// Whether a real multiplier near ±1 is outside of the unit circle, though perhaps within its uncertainty.
    pub(crate) fn has_left(&self, at: f64, least: f64) -> bool {
        let far = |s: &&[f64; 2]| s[1] == 0.0 && s[0] * at > 1.0 + least && s[0] * at < 1.1;
        self.rest.iter().any(|s| far(&s))
    }

    /// The number of multipliers outside of the unit circle.
    pub(crate) fn outside(&self) -> usize {
        let far = |k: &usize| self.size(*k) > 1.0 + self.uncertainty(*k);
        (0..self.rest.len()).filter(far).count()
    }

    /// Whether the orbit is stable; for a linear system distinct multipliers on the unit circle decide, too.
    pub(crate) fn stable(&self, linear: bool) -> Option<bool> {
        let inside = |k: usize| self.size(k) < 1.0 - self.uncertainty(k);
        if (0..self.rest.len()).all(inside) {
            return Some(true);
        }
        match self.linearly_stable() {
            Some(true) if !linear => None,
            known => known,
        }
    }

    /// Whether the linearised motion is bounded, modulo symmetries: no multiplier is outside of the unit circle, and those
    /// on it are distinct; `None` where they may coincide.
    pub(crate) fn linearly_stable(&self) -> Option<bool> {
        if self.outside() > 0 {
            return Some(false);
        }
        let on = |k: &usize| self.size(*k) >= 1.0 - self.uncertainty(*k);
        let neutral: Vec<usize> = (0..self.rest.len()).filter(on).collect();
        let apart = |&i: &usize| {
            neutral.iter().filter(|&&j| j != i).all(|&j| {
                (self.rest[i][0] - self.rest[j][0]).hypot(self.rest[i][1] - self.rest[j][1]) > 1e-4
            })
        };
        neutral.iter().all(apart).then_some(true)
    }

    fn size(&self, k: usize) -> f64 {
        self.rest[k][0].hypot(self.rest[k][1])
    }
}

/// Sorts multipliers by their moduli, the largest first.
fn order(values: &mut [[f64; 2]]) {
    let size = |s: &[f64; 2]| s[0].hypot(s[1]);
    values.sort_by(|a, b| {
        let order = ((size(b) * 1e9).round()).total_cmp(&(size(a) * 1e9).round());
        order
            .then(b[0].total_cmp(&a[0]))
            .then(b[1].total_cmp(&a[1]))
    });
}

/// An orthonormal basis of the span of columns.
fn span(columns: &DMatrix<f64>) -> DMatrix<f64> {
    let svd = columns.clone().svd(true, false);
    let kept: Vec<usize> = (0..svd.singular_values.len())
        .filter(|&k| svd.singular_values[k] > 1e-8)
        .collect();
    svd.u
        .map_or_else(|| columns.clone(), |u| u.select_columns(&kept))
}

fn rank(matrix: &DMatrix<f64>) -> usize {
    match matrix.is_empty() {
        true => 0,
        false => matrix
            .clone()
            .svd(false, false)
            .singular_values
            .iter()
            .filter(|s| **s > 1e-7)
            .count(),
    }
}
