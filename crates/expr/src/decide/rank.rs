//! Generic rank of matrices of expressions.

use std::collections::HashSet;

use super::constants::Constants;
use super::degree::log2_error;
use super::field::even_roots;
use super::forms::Forms;
use super::guard::{Series, WithSeries, draw_point};
use super::prime::{Field, Random, Residue};
use super::residues::{Residues, Root};
use super::setup::Setup;
use super::verdict::{Bound, Reason, Verdict, Witness};
use super::{Assumptions, REDRAWS};
use crate::evaluate::{Ball, Balls, Step};
use crate::expr::Expr;

/// The rank a matrix has at almost every point.
#[derive(Clone, Debug, PartialEq)]
pub struct Rank {
    /// The rank found.
    pub rank: usize,
    /// Rows and columns of a minor of that size that does not vanish identically.
    pub minor: (Vec<usize>, Vec<usize>),
    /// A point at which the minor is certified not to vanish.
    pub witness: Option<Witness>,
    /// Whether this is the generic rank: proved, or undecided with the reason.
    pub verdict: Verdict,
}

impl Rank {
    /// The dimension of the kernel, given the number of columns.
    pub fn kernel_dimension(&self, columns: usize) -> usize {
        columns.saturating_sub(self.rank)
    }
}

/// The generic rank of a matrix, over the functions of its symbols.
///
/// The rank at a random point of a random prime field is the generic one with overwhelming
/// probability. That it is not smaller is certified over the reals: an enclosure of the minor
/// excludes zero at a point, which is given.
///
/// ```
/// use galilei_expr::{Assumptions, Pool, generic_rank};
/// let pool = Pool::new();
/// let [x, y] = pool.symbols(["x", "y"]);
/// // Chaplygin's sleigh: rank one wherever the angle points.
/// let rows = vec![vec![x.sin(), -x.cos(), pool.zero()], vec![y * x.sin(), -y * x.cos(), pool.zero()]];
/// let rank = generic_rank(&rows, &Assumptions::new());
/// assert_eq!((rank.rank, rank.kernel_dimension(3)), (1, 2));
/// assert!(rank.verdict.is_proved());
/// ```
pub fn generic_rank<'p>(matrix: &[Vec<Expr<'p>>], assumptions: &Assumptions<'p>) -> Rank {
    let columns = matrix.first().map_or(0, Vec::len);
    let entries: Vec<Expr<'p>> = matrix.iter().flatten().copied().collect();
    let Some(first) = entries.first() else {
        return Rank {
            rank: 0,
            minor: (vec![], vec![]),
            witness: None,
            verdict: Verdict::Proved(Bound::CERTAIN),
        };
    };
    let pool = first.pool();
    let undecided = |reason| Rank {
        rank: 0,
        minor: (vec![], vec![]),
        witness: None,
        verdict: Verdict::Undecided(reason),
    };
    let Some(entries) = pool.legendre_unfolded(&entries) else {
        return undecided(Reason::OutOfReach(
            "a Legendre transform without a closed form occurs at different arguments",
        ));
    };
    let setup = Setup::build(pool, pool.indices(entries.iter().copied()), assumptions);
    let found = field_rank(&setup, matrix.len(), columns);
    let (rank, minor, bound) = match found {
        Ok(found) => found,
        Err(reason) => return undecided(reason),
    };
    let witness = certify(&setup, columns, &minor);
    let verdict = match (rank, &witness) {
        (1.., None) => Verdict::Undecided(Reason::Unseen),
        _ => Verdict::Proved(bound),
    };
    Rank {
        rank,
        minor,
        witness,
        verdict,
    }
}

/// Whether the determinant of a square matrix vanishes identically: proved, or refuted with a
/// point at which it does not.
pub fn decide_singular<'p>(matrix: &[Vec<Expr<'p>>], assumptions: &Assumptions<'p>) -> Verdict {
    let rank = generic_rank(matrix, assumptions);
    match (rank.rank == matrix.len(), rank.witness) {
        (true, Some(witness)) => Verdict::Refuted(witness),
        _ => rank.verdict,
    }
}

type Minor = (Vec<usize>, Vec<usize>);

/// The largest rank over random points of random fields.
fn field_rank(
    setup: &Setup<'_>,
    rows: usize,
    columns: usize,
) -> Result<(usize, Minor, Bound), Reason> {
    let program = &setup.program;
    let forms = Forms::new(program).map_err(Reason::OutOfReach)?;
    let constants = Constants::new(program, &setup.settled);
    let size = (rows.min(columns) as f64).log2();
    let error =
        log2_error(program, &forms, &setup.positive_inputs).map_err(Reason::OutOfReach)? + size;
    let lazy = program.steps.iter().any(|s| matches!(s, Step::If(..)));
    if setup.signs() > 0 {
        let why = "the rank may differ from one combination of signs to another";
        return Err(Reason::OutOfReach(why));
    }
    let roots = even_roots(program, &forms).0;
    let rooted = !roots.is_empty();
    let mut failed: HashSet<Root> = HashSet::new();
    let wanted = if rooted { 64 } else { 3 };
    let mut random = Random::new(setup.seed);
    let (mut best, mut found, mut redraws, mut work) = ((vec![], vec![]), 0, 0, 0);
    while found < wanted {
        let field = Field::draw(&mut random);
        let mut point = Residues::new(field, random.next(), &forms, &constants.signs);
        let outputs = setup.field_outputs(&mut point, &mut Vec::new(), lazy, &mut work);
        failed.extend(point.failed_roots.iter().map(|root| match *root {
            Root::Operand(k) => Root::Base(program.operands[k].1),
            other => other,
        }));
        match outputs {
            Ok(values) => {
                let minor = eliminate(
                    &point.field,
                    values[..rows * columns].to_vec(),
                    rows,
                    columns,
                );
                if minor.0.len() > best.0.len() {
                    best = minor;
                }
                found += 1;
                redraws = 0;
            }
            Err(_) => {
                redraws += 1;
                if redraws >= REDRAWS << 4 {
                    return Err(Reason::DefinedNowhere);
                }
            }
        }
    }
    // A root that never failed may be a hidden absolute value.
    if roots.iter().any(|r| !failed.contains(r)) {
        let why = "a root may hide a sign on which the rank depends";
        return Err(Reason::OutOfReach(why));
    }
    Ok((best.0.len(), best, Bound::log2(error * found as f64)))
}

/// Gaussian elimination: the rows and columns of the pivots.
fn eliminate(f: &Field, mut a: Vec<Residue>, rows: usize, columns: usize) -> Minor {
    let mut order: Vec<usize> = (0..rows).collect();
    let mut pivots = (vec![], vec![]);
    let mut top = 0;
    for j in 0..columns {
        let Some(p) = (top..rows).find(|&i| !a[order[i] * columns + j].is_zero()) else {
            continue;
        };
        order.swap(top, p);
        let pivot = order[top];
        let inverse = f.inverse(a[pivot * columns + j]);
        for &i in &order[top + 1..] {
            let factor = f.mul(a[i * columns + j], inverse);
            if factor.is_zero() {
                continue;
            }
            for k in j..columns {
                let t = f.mul(factor, a[pivot * columns + k]);
                a[i * columns + k] = f.sub(a[i * columns + k], t);
            }
        }
        pivots.0.push(pivot);
        pivots.1.push(j);
        top += 1;
    }
    pivots
}

/// A real point at which the minor does not vanish.
fn certify(setup: &Setup<'_>, columns: usize, minor: &Minor) -> Option<Witness> {
    let n = minor.0.len();
    if n == 0 {
        return None;
    }
    let mut random = Random::new(!setup.seed);
    let series: Vec<Series> = setup
        .program
        .functions
        .iter()
        .map(|_| Series::draw(&mut random))
        .collect();
    for round in 0..REDRAWS {
        let point = draw_point(&mut random, &setup.positive_inputs, round);
        let inputs: Vec<Ball<4>> = point.iter().map(Ball::rational).collect();
        let mut arithmetic = WithSeries {
            inner: &mut Balls::<4>::new(),
            series: &series,
        };
        let outputs = setup.program.run(&mut arithmetic, &inputs);
        let holds = |k: &usize, positive: bool| match &outputs[*k] {
            Ok(v) => v.excludes_zero() && (!positive || v.to_f64() > 0.0),
            Err(_) => false,
        };
        if !setup.positive.iter().all(|k| holds(k, true))
            || !setup.nonzero.iter().all(|k| holds(k, false))
        {
            continue;
        }
        let mut a: Vec<Ball<4>> = Vec::with_capacity(n * n);
        for &i in &minor.0 {
            for &j in &minor.1 {
                match outputs[i * columns + j] {
                    Ok(v) => a.push(v),
                    Err(_) => break,
                }
            }
        }
        if a.len() == n * n && is_regular(a, n) {
            return Some(Witness::new(&setup.pairs(&point)));
        }
    }
    None
}

/// Whether elimination with balls, the largest pivot each time, meets no ball around zero.
fn is_regular(mut a: Vec<Ball<4>>, n: usize) -> bool {
    let mut order: Vec<usize> = (0..n).collect();
    for k in 0..n {
        let best = (k..n).max_by(|&i, &j| {
            a[order[i] * n + k]
                .to_f64()
                .abs()
                .total_cmp(&a[order[j] * n + k].to_f64().abs())
        });
        let Some(p) = best else { return false };
        order.swap(k, p);
        let pivot = order[k];
        if !a[pivot * n + k].excludes_zero() {
            return false;
        }
        for &i in &order[k + 1..] {
            let Some(factor) = a[i * n + k].div(&a[pivot * n + k]) else {
                return false;
            };
            for j in k..n {
                let t = factor.mul(&a[pivot * n + j]);
                a[i * n + j] = a[i * n + j].sub(&t);
            }
        }
    }
    true
}
