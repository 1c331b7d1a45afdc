//! Formulas of equilibria, proved for all values of the parameters.

use galilei_expr::{Expr, Pool, Query, Rational, View};

use nalgebra::DMatrix;

use super::problem::{Problem, Unknowns, Zero};
use crate::setting::Setting;

/// The largest number of multipliers for which formulas are found.
const MAX_SOLVED_MULTIPLIERS: usize = 6;

impl<'p> Problem<'_, 'p> {
    /// Formulas for the positions of a zero that satisfy the equations for all values of parameters and speeds: whole
    /// parts of π, simple fractions, roots of equations that factor, and functions of the parameters that the slopes of the
    /// zero suggest. Multipliers are those that solve the equations. `None` if none are found.
    pub(super) fn formulas(&self, plan: &Unknowns, zero: &Zero) -> Option<Vec<(usize, Expr<'p>)>> {
        if !self.free.is_empty() || !plan.speeds.is_empty() || plan.stopped.is_some() {
            return None;
        }
        // At several times there are several sets of multipliers.
        if self.times().len() > 1 && !self.setting.rows.is_empty() {
            return None;
        }
        let model = self.setting.model;
        let pool = model.pool();
        // Parameters are symbols here.
        let parameters: Vec<Expr<'p>> = model
            .contents()
            .parameters
            .iter()
            .map(|p| model.expr(p.symbol))
            .collect();
        let general = Setting::new(model, &parameters).ok()?;
        let problem = Problem {
            setting: &general,
            generators: self.generators.clone(),
            guess: self.guess.clone(),
            speeds: self.speeds.clone(),
            free: vec![],
            autonomous: self.autonomous,
            ended: self.ended.clone(),
        };
        // Nothing depends on ignorable coordinates.
        let ignorable: Vec<(Expr<'p>, Expr<'p>)> = (0..self.n())
            .filter(|&i| self.is_ignorable(i))
            .map(|i| (self.setting.x[i], pool.zero()))
            .collect();
        let equations = pool.substitute_all(&problem.general(), &ignorable);
        let values = model.parameter_values().ok()?;
        let mut at: Vec<(Expr<'p>, f64)> = values
            .iter()
            .map(|(s, v)| (*s, v.evaluate_f64(&[])))
            .collect();
        at.extend((0..self.speeds.len()).map(|k| (self.speed_symbol(k), self.speeds[k])));
        for i in (0..self.n()).filter(|i| !plan.positions.contains(i)) {
            at.push((self.setting.x[i], zero.x[i]));
        }
        let unknown: Vec<Expr<'p>> = (0..self.setting.rows.len())
            .map(|a| self.multiplier_symbol(a, 0))
            .collect();
        let holds = |rules: &[(Expr<'p>, Expr<'p>)]| {
            let list = pool.substitute_all(&equations, rules);
            let Some(multipliers) = solved(&list, &unknown, &at) else {
                return false;
            };
            let list = pool.substitute_all(&list, &multipliers);
            let assumptions = model.assumptions();
            let proved = |e: Expr<'p>| Query::zero(e).assuming(&assumptions).decide().is_proved();
            list.into_iter().all(|e| e.is_zero() || proved(e))
        };
        // Numbers that are simple by chance satisfy no equation with symbols: then only zeros are taken as they are.
        let attempt = |simple: &dyn Fn(f64) -> bool| {
            let mut known: Vec<(Expr<'p>, Expr<'p>)> = Vec::new();
            let mut open: Vec<usize> = Vec::new();
            for &i in &plan.positions {
                match recognised(pool, zero.x[i]).filter(|_| simple(zero.x[i])) {
                    Some(e) => known.push((self.setting.x[i], e)),
                    None => open.push(i),
                }
            }
            let mut rules = known.clone();
            // Each open position from an equation in which it is the only one.
            while !open.is_empty() {
                let list = pool.substitute_all(&equations, &rules);
                let symbols: Vec<Expr<'p>> = open.iter().map(|&i| self.setting.x[i]).collect();
                let (k, q, (root, rule)) = open.iter().enumerate().find_map(|(k, &i)| {
                    let q = self.setting.x[i];
                    let others: Vec<Expr<'p>> =
                        symbols.iter().copied().filter(|s| *s != q).collect();
                    let near = |x: f64| (x - zero.x[i]).abs() <= 1e-7 * zero.x[i].abs().max(1.0);
                    let alone = |e: &&Expr<'p>| e.contains(q) && !e.contains_any(&others);
                    let mut candidates = list.iter().filter(alone).flat_map(|e| roots(*e, q));
                    let root = candidates.find(|(root, _)| near(root.evaluate_f64(&at)))?;
                    Some((k, q, root))
                })?;
                known.push((q, root));
                rules.push(rule);
                open.remove(k);
            }
            holds(&rules).then_some(known)
        };
        let fitted = || {
            let known = self.fitted(plan, zero, &equations, &unknown, &at)?;
            holds(&known).then_some(known)
        };
        let known = fitted()
            .or_else(|| attempt(&|_| true))
            .or_else(|| attempt(&|x| x == 0.0))?;
        // Speeds along ignorable coordinates are their velocities.
        let speeds = self.generators.iter().enumerate();
        let speeds: Vec<(Expr<'p>, Expr<'p>)> = speeds
            .filter_map(|(k, g)| Some((self.speed_symbol(k), self.setting.u[g.ignorable?])))
            .collect();
        let place = |q: Expr<'p>| self.setting.x.iter().position(|x| *x == q);
        let mut list: Vec<(usize, Expr<'p>)> = known
            .iter()
            .filter_map(|(q, e)| Some((place(*q)?, e.substitute(&speeds))))
            .collect();
        list.sort_by_key(|f| f.0);
        Some(list)
    }
}

impl<'p> Problem<'_, 'p> {
    /// Formulas that the slopes of a zero by parameters and speeds suggest: sums of multiples, or products of powers.
    fn fitted(
        &self,
        plan: &Unknowns,
        zero: &Zero,
        equations: &[Expr<'p>],
        multipliers: &[Expr<'p>],
        at: &[(Expr<'p>, f64)],
    ) -> Option<Vec<(Expr<'p>, Expr<'p>)>> {
        let pool = self.setting.pool();
        let mut unknowns: Vec<Expr<'p>> =
            plan.positions.iter().map(|&i| self.setting.x[i]).collect();
        unknowns.extend(multipliers);
        let given: Vec<(Expr<'p>, f64)> = at
            .iter()
            .copied()
            .filter(|(s, v)| equations.iter().any(|e| e.contains(*s)) && v.is_finite())
            .collect();
        let symbols: Vec<Expr<'p>> = [
            &unknowns[..],
            &given.iter().map(|g| g.0).collect::<Vec<_>>(),
        ]
        .concat();
        let slopes: Vec<Expr<'p>> = equations
            .iter()
            .flat_map(|e| e.gradient(&symbols))
            .collect();
        let program = galilei_expr::Program::new(&slopes, &symbols).ok()?;
        let mut point: Vec<f64> = plan.positions.iter().map(|&i| zero.x[i]).collect();
        point.extend(&zero.multipliers);
        point.extend(given.iter().map(|g| g.1));
        let values = program.f64(&point);
        if values.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let (width, k) = (symbols.len(), unknowns.len());
        let entry = |i: usize, j: usize| values[i * width + j];
        let own = DMatrix::from_fn(equations.len(), k, entry);
        let others = DMatrix::from_fn(equations.len(), given.len(), |i, j| entry(i, k + j));
        let by = match own.is_empty() {
            // No coordinate matters, or no equation is left.
            true => DMatrix::zeros(k, given.len()),
            false => own.svd(true, true).solve(&-others, 1e-9).ok()?,
        };
        let mut list = Vec::new();
        for (c, &i) in plan.positions.iter().enumerate() {
            let x = zero.x[i];
            let slope = |j: usize| by[(c, j)];
            let affine = || {
                let mut rest = x;
                let mut terms = Vec::new();
                for (j, (symbol, value)) in given.iter().enumerate() {
                    let factor = simple(slope(j))?;
                    rest -= factor.to_f64() * value;
                    terms.push(*symbol * pool.number(factor));
                }
                Some(pool.sum(terms) + constant(pool, rest)?)
            };
            let powers = || {
                let mut rest = x;
                let mut product = pool.one();
                for (j, (symbol, value)) in given.iter().enumerate() {
                    let exponent = simple(value / x * slope(j))?;
                    rest /= value.powf(exponent.to_f64());
                    product *= symbol.pow(pool.number(exponent));
                }
                Some(product * constant(pool, rest)?)
            };
            let formula = affine().or_else(|| if x == 0.0 { None } else { powers() })?;
            list.push((self.setting.x[i], formula));
        }
        Some(list)
    }
}

/// A fraction with a small denominator near a number.
fn simple(x: f64) -> Option<Rational> {
    for denominator in [1i64, 2, 3, 4, 6] {
        let numerator = (x * denominator as f64).round();
        if numerator.abs() < 1e3 && (x - numerator / denominator as f64).abs() <= 1e-7 {
            return Some(Rational::new(numerator as i64, denominator));
        }
    }
    None
}

/// A simple fraction, a part of π, or the root of a fraction.
fn constant(pool: &Pool, x: f64) -> Option<Expr<'_>> {
    recognised(pool, x).or_else(|| {
        let square = recognised_fraction(x * x)?;
        let root = pool.number(square).sqrt();
        Some(if x < 0.0 { -root } else { root })
    })
}

/// The multipliers that solve equations in which they are linear, as formulas: by elimination with pivots that are not
/// zero at given values. `None` if the equations do not determine them.
pub(crate) fn solved<'p>(
    equations: &[Expr<'p>],
    unknowns: &[Expr<'p>],
    at: &[(Expr<'p>, f64)],
) -> Option<Vec<(Expr<'p>, Expr<'p>)>> {
    let m = unknowns.len();
    if m == 0 {
        return Some(vec![]);
    }
    if m > MAX_SOLVED_MULTIPLIERS {
        return None;
    }
    let pool = unknowns[0].pool();
    let nothing: Vec<(Expr<'p>, Expr<'p>)> = unknowns.iter().map(|u| (*u, pool.zero())).collect();
    let mut rows: Vec<Vec<Expr<'p>>> = equations
        .iter()
        .filter(|e| e.contains_any(unknowns))
        .map(|e| {
            let mut row = e.gradient(unknowns);
            row.push(-e.substitute(&nothing));
            row
        })
        .collect();
    for k in 0..m {
        let size = |e: Expr<'p>| match e.evaluate_f64(at).abs() {
            v if v.is_finite() => v,
            _ => 0.0,
        };
        let best =
            (k..rows.len()).max_by(|&a, &b| size(rows[a][k]).total_cmp(&size(rows[b][k])))?;
        if size(rows[best][k]) <= 1e-9 {
            return None;
        }
        rows.swap(best, k);
        for i in (0..rows.len()).filter(|&i| i != k) {
            let factor = rows[i][k] / rows[k][k];
            if factor.is_zero() {
                continue;
            }
            for j in 0..=m {
                let change = factor * rows[k][j];
                rows[i][j] = match j == k {
                    true => pool.zero(),
                    false => rows[i][j] - change,
                };
            }
        }
    }
    let value = |k: usize| rows[k][m] / rows[k][k];
    Some((0..m).map(|k| (unknowns[k], value(k))).collect())
}

/// A fraction with a small denominator that a number is up to rounding.
fn recognised_fraction(x: f64) -> Option<Rational> {
    for denominator in [1i64, 2, 3, 4, 5, 6, 8, 9, 10, 12, 16] {
        let numerator = (x * denominator as f64).round();
        if numerator.abs() < 1e6
            && numerator > 0.0
            && (x - numerator / denominator as f64).abs() <= 1e-7 * x.abs().max(1e-1)
        {
            return Some(Rational::new(numerator as i64, denominator));
        }
    }
    None
}

/// A whole part of π or a simple fraction.
fn recognised(pool: &Pool, x: f64) -> Option<Expr<'_>> {
    let part = x / std::f64::consts::PI;
    for (value, of_pi) in [(x, false), (part, true)] {
        for denominator in [1i64, 2, 3, 4, 5, 6, 8, 10, 12] {
            let numerator = (value * denominator as f64).round();
            if numerator.abs() < 1e6
                && (value - numerator / denominator as f64).abs() <= 1e-7 * value.abs().max(1e-1)
            {
                let q = pool.number(Rational::new(numerator as i64, denominator));
                return Some(if of_pi { q * pool.pi() } else { q });
            }
        }
    }
    None
}

/// Candidates for the roots of e(q) = 0, each with a substitution that is true for it and from which the equation follows: of factors that are linear in sin q, in cos q or in both, and of polynomials in q
/// with one or two terms, or of degree two.
fn roots<'p>(e: Expr<'p>, q: Expr<'p>) -> Vec<(Expr<'p>, (Expr<'p>, Expr<'p>))> {
    let pool = e.pool();
    let mut list = Vec::new();
    let (s, c) = (
        pool.symbol("sine of the unknown"),
        pool.symbol("cosine of the unknown"),
    );
    let half = pool.substitute_all(&[e], &[(q.sin(), s), (q.cos(), c)])[0];
    if !half.contains(q)
        && let Ok(p) = half.polynomial(&[s, c], 8)
    {
        let terms: Vec<([u32; 2], Expr<'p>)> = p.terms().map(|(k, e)| ([k[0], k[1]], e)).collect();
        let least = |i: usize| terms.iter().map(|t| t.0[i]).min().unwrap_or(0);
        let lowest = [least(0), least(1)];
        let at = |i: u32, j: u32| p.coefficient(&[lowest[0] + i, lowest[1] + j]);
        let degree = terms
            .iter()
            .map(|t| t.0[0] - lowest[0] + t.0[1] - lowest[1])
            .max()
            .unwrap_or(0);
        if degree == 1 {
            let (a, b, d) = (at(1, 0), at(0, 1), at(0, 0));
            if a.is_zero() && !b.is_zero() {
                let angle = (-d / b).acos();
                let cosine = (q.cos(), -d / b);
                list.extend([(angle, cosine), (-angle, cosine)]);
            } else if b.is_zero() && !a.is_zero() {
                let angle = (-d / a).asin();
                let sine = (q.sin(), -d / a);
                let all = [angle, pool.pi() - angle, -pool.pi() - angle];
                list.extend(all.map(|angle| (angle, sine)));
            } else if d.is_zero() {
                let angle = (-b).atan2(a);
                let all = [angle, angle + pool.pi(), angle - pool.pi()];
                list.extend(all.map(|angle| (angle, (q, angle))));
            }
        }
    }
    let mut plain: Vec<Expr<'p>> = Vec::new();
    // Powers of q below the line are multiplied away.
    for power in 0..5i64 {
        // Term by term: products are not multiplied out by themselves.
        let raised = match e.view() {
            View::Sum(terms) => {
                let terms = terms.into_iter();
                pool.sum(terms.map(|(c, term)| term * q.pow(power) * pool.number(c)))
            }
            _ => e * q.pow(power),
        };
        let Ok(p) = raised.polynomial(&[q], 12) else {
            continue;
        };
        let terms: Vec<(u32, Expr<'p>)> = p
            .terms()
            .map(|(k, e)| (k[0], e))
            .filter(|t| !t.1.is_zero())
            .collect();
        match &terms[..] {
            [(low, a), (high, b)] => {
                let root = (-*a / *b).pow(pool.number(Rational::new(1, i64::from(high - low))));
                plain.extend([root, -root]);
            }
            [(k, a), (_, b), (high, d)] if *high == k + 2 => {
                let root = (b.pow(2) - *a * *d * 4).sqrt();
                plain.extend([(root - *b) / (*d * 2), (-root - *b) / (*d * 2)]);
            }
            [(k, a), (middle, b), (high, d)] if high - k == 2 * (middle - k) => {
                let root = (b.pow(2) - *a * *d * 4).sqrt();
                let part = pool.number(Rational::new(1, i64::from(middle - k)));
                for square in [(root - *b) / (*d * 2), (-root - *b) / (*d * 2)] {
                    plain.extend([square.pow(part), -square.pow(part)]);
                }
            }
            _ => {}
        }
        break;
    }
    list.extend(plain.into_iter().map(|root| (root, (q, root))));
    list
}
