//! Limits of friction that contain the size of several multipliers together, as in a journal bearing. (T-204)

use galilei_expr::{Expr, Rational, View, subexpressions};
use galilei_geometry::{Matrix, decide_all_zero};
use galilei_model::{Code, Diagnostic};
use galilei_tape::{Grip, Mode, Touch};

use super::{Contacts, Limit, rates_of};

/// The size of several multipliers together, √(λᵀ·A·λ).
#[derive(Clone, Debug)]
pub(super) struct Norm<'p> {
    /// The symbol that stands for it.
    pub(super) symbol: Expr<'p>,
    /// λᵀ·A·λ with the multipliers as symbols.
    pub(super) square: Expr<'p>,
    /// A, by the multipliers of constraints and then of contacts.
    pub(super) form: Vec<Vec<Expr<'p>>>,
}

pub(super) fn vanish<'p>(list: impl IntoIterator<Item = Expr<'p>>) -> bool {
    let list: Vec<Expr<'p>> = list.into_iter().filter(|e| !e.is_zero()).collect();
    list.is_empty() || decide_all_zero(list).is_proved()
}

/// An expression in which each square root of a quadratic form of some multipliers is a symbol; new ones are added to a list.
pub(super) fn with_norms<'p>(
    e: Expr<'p>,
    multipliers: &[Expr<'p>],
    norms: &mut Vec<Norm<'p>>,
) -> Expr<'p> {
    let Some(&first) = multipliers.first() else {
        return e;
    };
    let pool = first.pool();
    let half = Rational::new(1, 2);
    let mut pairs = Vec::new();
    for product in subexpressions([e]) {
        let View::Product(factors) = product.view() else {
            continue;
        };
        let mut changed = false;
        let mut part = |base: Expr<'p>, exponent: Rational| {
            if exponent != half || !base.contains_any(multipliers) {
                return base.pow(exponent);
            }
            let known = norms.iter().find(|n| n.square == base).map(|n| n.symbol);
            let found = known.or_else(|| {
                let form = quadratic(base, multipliers)?;
                let symbol = pool.symbol(&format!("norm {}", norms.len()));
                norms.push(Norm {
                    symbol,
                    square: base,
                    form,
                });
                Some(symbol)
            });
            changed |= found.is_some();
            found.unwrap_or_else(|| base.sqrt())
        };
        let parts: Vec<Expr<'p>> = (factors.into_iter())
            .map(|(base, exponent)| part(base, exponent))
            .collect();
        if changed {
            pairs.push((product, pool.product(parts)));
        }
    }
    e.substitute(&pairs)
}

/// The symmetric matrix of a quadratic form; `None` for any other function.
fn quadratic<'p>(e: Expr<'p>, by: &[Expr<'p>]) -> Option<Vec<Vec<Expr<'p>>>> {
    let half = Rational::new(1, 2);
    let form: Vec<Vec<Expr<'p>>> = (e.gradient(by).into_iter())
        .map(|s| {
            s.gradient(by)
                .into_iter()
                .map(|b| b * half.clone())
                .collect()
        })
        .collect();
    let plain = !form.iter().flatten().any(|b| b.contains_any(by));
    (plain && vanish([e - value(&form, by, by)])).then_some(form)
}

/// aᵀ·A·b
fn value<'p>(form: &[Vec<Expr<'p>>], a: &[Expr<'p>], b: &[Expr<'p>]) -> Expr<'p> {
    let pool = a[0].pool();
    pool.sum((form.iter().zip(a)).map(|(row, &a)| {
        let terms = row.iter().zip(b).map(|(&f, &b)| f * b);
        a * pool.sum(terms)
    }))
}

/// A line along which a multiplier acts in a mode: its row, the covector of its force and the part of its acceleration without
/// accelerations of coordinates.
pub(super) struct Line<'p> {
    pub(super) row: Vec<Expr<'p>>,
    pub(super) covector: Vec<Expr<'p>>,
    pub(super) drift: Expr<'p>,
    /// The place among the multipliers of constraints and contacts, if it is one of them.
    pub(super) pressing: Option<usize>,
}

/// The sizes of norms in a mode, in which forces depend on them: g·a = f + Σ covector·λ + Σ force·norm. `None` where norms feel
/// each other, or the multipliers are not determined.
///
/// The multipliers are λ₀ + Σ λᵣ·ρᵣ; so ρ² = λᵀ·A·λ is a quadratic equation for each ρ, and it has one solution that is not
/// negative while λ₁ᵀ·A·λ₁ < 1.
pub(super) fn sizes_in_mode<'p>(
    mass: &Matrix<'p>,
    pull: &[Expr<'p>],
    lines: &[Line<'p>],
    norms: &[(&Norm<'p>, Vec<Expr<'p>>)],
) -> Option<Vec<Expr<'p>>> {
    let pool = pull.first()?.pool();
    if lines.is_empty() {
        return Some(vec![pool.zero(); norms.len()]);
    }
    let inverse = mass.inverse().ok()?;
    let dot = |a: &[Expr<'p>], b: &[Expr<'p>]| pool.sum(a.iter().zip(b).map(|(&a, &b)| a * b));
    let raised: Vec<Vec<Expr<'p>>> = lines
        .iter()
        .map(|l| inverse.times_vector(&l.covector))
        .collect();
    let rows = lines
        .iter()
        .map(|l| raised.iter().map(|r| dot(&l.row, r)).collect())
        .collect();
    let matrix = Matrix::new(pool, rows);
    let free = inverse.times_vector(pull);
    let right: Vec<Expr<'p>> = lines
        .iter()
        .map(|l| -(l.drift + dot(&l.row, &free)))
        .collect();
    let solved = |b: &[Expr<'p>]| -> Option<Vec<Expr<'p>>> {
        let found = matrix.solve(b).ok()?;
        let count = norms.first()?.0.form.len();
        let mut all = vec![pool.zero(); count];
        for (l, x) in lines.iter().zip(found) {
            if let Some(k) = l.pressing {
                all[k] = x;
            }
        }
        Some(all)
    };
    let own = solved(&right)?;
    let by: Vec<Vec<Expr<'p>>> = norms
        .iter()
        .map(|(_, force)| {
            let pushed = inverse.times_vector(force);
            let right: Vec<Expr<'p>> = lines.iter().map(|l| -dot(&l.row, &pushed)).collect();
            solved(&right)
        })
        .collect::<Option<_>>()?;
    let mut sizes = Vec::new();
    for (k, (norm, _)) in norms.iter().enumerate() {
        let feels = |other: &[Expr<'p>]| {
            let list = norm.form.iter().map(|row| dot(row, other));
            !vanish(list)
        };
        if (0..norms.len()).any(|j| j != k && feels(&by[j])) {
            return None;
        }
        let q = |a: &[Expr<'p>], b: &[Expr<'p>]| value(&norm.form, a, b);
        let (start, middle) = (q(&own, &own), q(&own, &by[k]));
        let rest = pool.one() - q(&by[k], &by[k]);
        sizes.push((middle + (middle * middle + rest * start).sqrt()) / rest);
    }
    Some(sizes)
}

impl<'p> Contacts<'p> {
    /// Refuses sizes of several multipliers that feel each other, and their derivatives.
    pub(super) fn check_norms(&self) -> Result<(), Vec<Diagnostic>> {
        let first = self.model.contents().frictions.iter();
        let span = first.map(|f| f.span).next();
        let refuse = |message: &str, hint: &str| {
            let why = Diagnostic::error(Code::NotAvailable, message.to_owned(), hint, span);
            Err(vec![why])
        };
        if self.norms.is_empty() {
            return Ok(());
        }
        if self.differentiated {
            return refuse(
                "derivatives of motions are not available where a limit of friction contains the size of several multipliers together",
                "differences of runs with nearby values give them",
            );
        }
        let all = Mode {
            touches: vec![Touch::Closed; self.model.contents().contacts.len()],
            grips: (self.elements.iter())
                .map(|e| match e.along.len() {
                    1 => Grip::Slip(1),
                    _ => Grip::Glide,
                })
                .collect(),
            signs: vec![1; self.rows.len()],
            stopping: 0,
        };
        match self.norms.len() == 1 || self.norm_sizes(&all).is_some() {
            true => Ok(()),
            false => refuse(
                "the sizes of several multipliers together in limits of friction depend on each other",
                "one of the limits may contain a size of several multipliers; give the other a number, or its absolute values one by one",
            ),
        }
    }

    /// The sizes of several multipliers together in a mode, as functions of the state; zero where no force depends on them.
    pub(super) fn norm_sizes(&self, mode: &Mode) -> Option<Vec<Expr<'p>>> {
        let pool = self.model.pool();
        let own = self.model.contents();
        let mut sizes = vec![pool.zero(); self.norms.len()];
        let slipping: Vec<(usize, Vec<Expr<'p>>)> = (0..self.elements.len())
            .filter_map(|k| Some((k, self.pull(k, &self.direction(k, mode)?))))
            .collect();
        let moved = |k: usize| {
            slipping
                .iter()
                .any(|(e, _)| !self.elements[*e].slipping.norms[k].is_zero())
        };
        let active: Vec<usize> = (0..sizes.len()).filter(|&k| moved(k)).collect();
        if active.is_empty() {
            return Some(sizes);
        }
        let (x, u) = (self.model.positions(), self.model.velocities());
        let rates = rates_of(self.model);
        let n = u.len();
        // −Σ factor·pull of the elements at their limits.
        let pushed = |factor: &dyn Fn(&Limit<'p>) -> Expr<'p>| -> Vec<Expr<'p>> {
            let mut sum = vec![pool.zero(); n];
            for (e, pull) in &slipping {
                let factor = factor(&self.elements[*e].slipping);
                for (s, &p) in sum.iter_mut().zip(pull) {
                    *s -= factor * p;
                }
            }
            sum
        };
        let with = |a: &[Expr<'p>], b: Vec<Expr<'p>>| -> Vec<Expr<'p>> {
            a.iter().zip(b).map(|(&a, b)| a + b).collect()
        };
        let mut lines = Vec::new();
        for (k, r) in self.rows.iter().enumerate() {
            lines.push(Line {
                row: r.row.clone(),
                covector: with(&r.covector, pushed(&|l| l.factor(k, mode.signs[k]))),
                drift: r.drift,
                pressing: Some(k),
            });
        }
        for (k, contact) in own.contacts.iter().enumerate() {
            if mode.touches[k] == Touch::Closed {
                let gap = self.model.expr(contact.gap);
                let row = gap.gradient(&x);
                lines.push(Line {
                    covector: with(&row, pushed(&|l| l.contacts[k])),
                    row,
                    drift: gap.derivative_along(&rates).derivative_along(&rates),
                    pressing: Some(self.rows.len() + k),
                });
            }
        }
        for (k, e) in self.elements.iter().enumerate() {
            let Grip::Stick(mask) = mode.grips[k] else {
                continue;
            };
            for (_, v) in e
                .along
                .iter()
                .enumerate()
                .filter(|(j, _)| mask & (1 << j) != 0)
            {
                let row = v.gradient(&u);
                lines.push(Line {
                    covector: row.clone(),
                    row,
                    drift: v.derivative_along(&rates),
                    pressing: None,
                });
            }
        }
        let system = self.model.system();
        let lagrangian = system.lagrangian();
        let pull = lagrangian.right_hand_side(&system.total_force());
        let pull = with(&pull, pushed(&|l| l.own));
        let norms: Vec<(&Norm<'p>, Vec<Expr<'p>>)> = (active.iter())
            .map(|&k| (&self.norms[k], pushed(&|l| l.norms[k])))
            .collect();
        let found = sizes_in_mode(&lagrangian.mass_matrix(), &pull, &lines, &norms)?;
        for (k, size) in active.into_iter().zip(found) {
            sizes[k] = size;
        }
        Some(sizes)
    }
}
