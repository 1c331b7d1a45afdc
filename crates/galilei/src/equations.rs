//! The equations of motion as registers of a tape.

use std::collections::{BTreeMap, HashMap};

use galilei_expr::{Expr, ExprId, View};
use galilei_mechanics::{Force, Lagrangian, SquaredVelocity};
use galilei_tape::{Builder, Reg, Squares, Unsupported, Velocity};

/// b = β·base
fn split<'p>(b: Expr<'p>) -> (f64, Expr<'p>) {
    let one = b.pool().one();
    match b.view() {
        View::Number(q) => (q.to_f64(), one),
        View::Sum(terms) if terms.len() == 1 => (terms[0].0.to_f64(), terms[0].1),
        _ => (1.0, b),
    }
}

/// Sums Σ weight·v of some velocities, each made from an earlier one where that is shorter.
struct Sums {
    made: Vec<(Vec<(usize, u64)>, Reg)>,
}

/// Longer lists of sums are not searched for parts of others.
const SEARCHED: usize = 2000;

impl Sums {
    fn make(&mut self, builder: &mut Builder, velocities: &[Reg], terms: &[(usize, f64)]) -> Reg {
        let key: Vec<(usize, u64)> = terms.iter().map(|t| (t.0, t.1.to_bits())).collect();
        let part_of = |made: &[(usize, u64)]| made.iter().all(|t| key.binary_search(t).is_ok());
        let best = if self.made.len() > SEARCHED {
            None
        } else {
            self.made
                .iter()
                .filter(|(list, _)| list.len() <= key.len() && part_of(list))
                .max_by_key(|(list, _)| list.len())
        };
        let (mut sum, used) = match best {
            Some((list, r)) => (Some(*r), list.clone()),
            None => (None, vec![]),
        };
        for &(k, weight) in terms {
            if used.binary_search(&(k, weight.to_bits())).is_ok() {
                continue;
            }
            let t = builder.scale(velocities[k], weight);
            sum = Some(match sum {
                None => t,
                Some(s) => builder.add(s, t),
            });
        }
        let r = sum.unwrap_or_else(|| builder.number(0.0));
        self.made.push((key, r));
        r
    }
}

/// The equations of a Lagrangian with numbers for all parameters, with its kinetic energies as squares;
/// `None` where there are none. `constraints` are rows J and right-hand sides that go below.
pub(crate) fn squares<'p>(
    builder: &mut Builder,
    lagrangian: &Lagrangian<'p>,
    force: &Force<'p>,
    constraints: &[(Vec<Expr<'p>>, Expr<'p>)],
) -> Result<Option<(Squares, Vec<Reg>)>, Unsupported> {
    let mut found = lagrangian.sum_of_squares();
    // Short rows first: they are parts of longer ones.
    found
        .squares
        .sort_by_key(|s| s.row.iter().filter(|b| !b.is_zero()).count());
    let squares: &[SquaredVelocity<'p>] = &found.squares;
    let masses: Vec<f64> = squares.iter().map(|s| s.mass.evaluate_f64(&[])).collect();
    if squares.is_empty() || masses.iter().any(|m| !m.is_finite() || *m <= 0.0) {
        return Ok(None);
    }
    let state = lagrangian.state();
    let n = state.degrees_of_freedom();
    let size = n + constraints.len();
    let zero = builder.number(0.0);
    // The rows of all velocities, split into numbers and bases.
    let mut rows: Vec<Vec<(usize, f64, Expr<'p>)>> = Vec::new();
    let mut velocities = Vec::new();
    for s in squares {
        velocities.push(builder.expr(s.velocity)?);
        let entries = s.row.iter().enumerate().filter(|(_, b)| !b.is_zero());
        rows.push(
            entries
                .map(|(i, &b)| {
                    let (factor, base) = split(b);
                    (i, factor, base)
                })
                .collect(),
        );
    }
    // Equation i: Σ_k m_k b_ki v̇_k, terms with one base together.
    let mut ordered: Vec<(usize, Expr<'p>, Vec<(usize, f64)>)> = Vec::new();
    let mut places: HashMap<(usize, ExprId), usize> = HashMap::new();
    for (k, row) in rows.iter().enumerate() {
        for &(i, factor, base) in row {
            let at = *places.entry((i, base.id())).or_insert_with(|| {
                ordered.push((i, base, vec![]));
                ordered.len() - 1
            });
            ordered[at].2.push((k, factor));
        }
    }
    // Short sums first: they are parts of longer ones.
    ordered.sort_by_key(|group| group.2.len());
    let mut sums = Sums { made: vec![] };
    let mut terms = Vec::new();
    let mut matrix: BTreeMap<(usize, usize), Reg> = BTreeMap::new();
    for (i, base, list) in &ordered {
        let common = list[0].1;
        let (factor, weights): (f64, Vec<(usize, f64)>) = if list.iter().all(|t| t.1 == common) {
            (common, list.iter().map(|t| (t.0, masses[t.0])).collect())
        } else {
            (1.0, list.iter().map(|t| (t.0, masses[t.0] * t.1)).collect())
        };
        let w = sums.make(builder, &velocities, &weights);
        let base = builder.expr(*base)?;
        let b = builder.scale(base, factor);
        terms.push((*i, b, w));
        // The mass matrix: b·∂w/∂uʲ.
        let mut slopes: Vec<(usize, Expr<'p>, f64)> = Vec::new();
        for &(k, weight) in &weights {
            for &(j, factor, base) in rows[k].iter().filter(|e| e.0 >= *i) {
                match slopes.iter_mut().find(|s| s.0 == j && s.1 == base) {
                    Some(s) => s.2 += weight * factor,
                    None => slopes.push((j, base, weight * factor)),
                }
            }
        }
        for (j, base, weight) in slopes {
            let base = builder.expr(base)?;
            let product = builder.mul(b, base);
            let t = builder.scale(product, weight);
            let entry = match matrix.get(&(*i, j)) {
                None => t,
                Some(&e) => builder.add(e, t),
            };
            matrix.insert((*i, j), entry);
        }
    }
    // What is left of the Lagrangian, the forces and the twist.
    let mass = found.rest.mass_matrix();
    let mut right = found.rest.right_hand_side(force);
    for s in squares {
        for (f, twist) in right.iter_mut().zip(&s.twist) {
            if !twist.is_zero() {
                *f = *f - s.mass * s.velocity * *twist;
            }
        }
    }
    let mut rest = Vec::with_capacity(size * size);
    let mut whole = Vec::with_capacity(size * size);
    for i in 0..n {
        for j in 0..n {
            let r = builder.expr(mass.rows()[i][j])?;
            rest.push(r);
            let t = matrix.get(&(i.min(j), i.max(j))).copied().unwrap_or(zero);
            whole.push(builder.add(r, t));
        }
        for (row, _) in constraints {
            let r = builder.expr(-row[i])?;
            rest.push(r);
            whole.push(r);
        }
    }
    for (row, _) in constraints {
        for e in row {
            let r = builder.expr(*e)?;
            rest.push(r);
            whole.push(r);
        }
        rest.extend(constraints.iter().map(|_| zero));
        whole.extend(constraints.iter().map(|_| zero));
    }
    right.extend(constraints.iter().map(|c| c.1));
    let right = right
        .into_iter()
        .map(|e| builder.expr(e))
        .collect::<Result<_, _>>()?;
    // The velocities as a forest: each from the one before it that has most of its row.
    let mut list = Vec::new();
    for k in 0..rows.len() {
        let contains = |j: usize| rows[j].iter().all(|e| rows[k].contains(e));
        let parent = (k.saturating_sub(SEARCHED)..k)
            .filter(|&j| rows[j].len() <= rows[k].len() && contains(j))
            .max_by_key(|&j| (rows[j].len(), j));
        let mut entries = Vec::new();
        for e in &rows[k] {
            if parent.is_none_or(|p| !rows[p].contains(e)) {
                let base = builder.expr(e.2)?;
                entries.push((e.0, builder.scale(base, e.1)));
            }
        }
        list.push(Velocity {
            mass: builder.number(masses[k]),
            parent,
            entries,
        });
    }
    Ok(Some((
        Squares {
            terms,
            rest,
            right,
            velocities: list,
        },
        whole,
    )))
}
