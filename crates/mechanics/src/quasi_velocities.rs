//! Velocities bound by affine constraints, written with as many quasi-velocities v as there are degrees
//! of freedom: u = W(t, x)·v + w(t, x), where ṡW = 0.
//!
//! Constraints that share no velocity are treated separately. In a group of c constraints the columns
//! of W are made of minors of ṡ by Cramer's rule, and divided by the minor of the dependent
//! velocities only where that is a number. So W is a polynomial in ṡ and has no poles: it can only lose
//! its rank, where that minor vanishes. In a group with one quasi-velocity it does so only
//! where ṡ loses its own rank.

use galilei_expr::{Expr, Rational, View};
use galilei_geometry::Matrix;

use crate::force::Force;
use crate::lagrangian::Lagrangian;
use crate::state_space::StateSpace;

/// Number of constraints of a group up to which minors are written out.
const MAX_CONSTRAINTS_BY_MINORS: usize = 3;
/// Number of velocities of a group up to which all choices of dependent ones are compared.
const MAX_VELOCITIES_COMPARED: usize = 8;
/// Ratio of all minors together to the chosen one above which W counts as degenerate: the condition number
/// of WᵀmW grows with its square.
const MAX_MINOR_RATIO: i64 = 4;

/// u = W(t, x)·v + w(t, x), the general solution of constraints affine in the velocities. (T-71, T-94)
#[derive(Clone, Debug)]
pub struct QuasiVelocities<'p> {
    state: StateSpace<'p>,
    symbols: Vec<Expr<'p>>,
    functions: Vec<Expr<'p>>,
    directions: Matrix<'p>,
    drift: Vec<Expr<'p>>,
    measures: Vec<Expr<'p>>,
}

/// A constraint ṡᵢuⁱ + s = 0: the row ṡ and s, functions of (t, x).
pub type AffineRow<'p> = (Vec<Expr<'p>>, Expr<'p>);

/// WᵀmW·v̇ = Wᵀ(h − m(Ẇv + ẇ)). (T-79, T-94)
#[derive(Clone, Debug)]
pub struct QuasiEquations<'p> {
    /// WᵀmW
    pub matrix: Matrix<'p>,
    /// The right-hand side, a function of (t, x, v).
    pub right: Vec<Expr<'p>>,
}

/// A set of velocities and the minor of ṡ that makes them depend on the others.
pub type Minor<'p> = (Vec<usize>, Expr<'p>);

/// The criteria for choosing dependent velocities.
pub struct Choice<'a, 'p> {
    /// Selects one of some minors that are not zero.
    pub best: &'a dyn Fn(&[Minor<'p>]) -> usize,
    /// The scale of each velocity, so that the choice does not depend on units.
    pub scale: &'a [Rational],
}

/// One quasi-velocity: its column of W, and its value at a state.
struct Direction<'p> {
    column: Vec<(usize, Expr<'p>)>,
    function: Expr<'p>,
}

/// The general solution of a group of constraints.
#[derive(Default)]
struct Solution<'p> {
    directions: Vec<Direction<'p>>,
    drift: Vec<(usize, Expr<'p>)>,
    measure: Option<Expr<'p>>,
}

/// Constraints and the velocities they share.
struct Group {
    rows: Vec<usize>,
    columns: Vec<usize>,
}

impl<'p> QuasiVelocities<'p> {
    /// The general solution of constraints; `None` if it would have a pole, or takes minors that are not
    /// written out.
    pub fn of(
        state: &StateSpace<'p>,
        rows: &[AffineRow<'p>],
        choice: &Choice<'_, 'p>,
    ) -> Option<Self> {
        let (n, pool) = (state.degrees_of_freedom(), state.pool());
        let all = state.velocities();
        if rows
            .iter()
            .any(|(row, s)| row.iter().chain([s]).any(|e| e.contains_any(all)))
        {
            return None;
        }
        let groups = groups(rows, n);
        let mut drift = vec![pool.zero(); n];
        let (mut directions, mut measures) = (Vec::new(), Vec::new());
        for group in &groups {
            let found = group.solve(state, rows, choice)?;
            directions.extend(found.directions);
            measures.extend(found.measure);
            for (i, w) in found.drift {
                drift[i] = w;
            }
        }
        let free = (0..n).filter(|i| groups.iter().all(|g| !g.columns.contains(i)));
        directions.extend(free.map(|i| Direction {
            column: vec![(i, pool.one())],
            function: state.velocity(i),
        }));
        // In the order of the coordinates.
        directions.sort_by_key(|d| d.column.iter().map(|e| e.0).min());
        let entry = |i: usize, d: &Direction<'p>| {
            let own = d.column.iter().find(|e| e.0 == i);
            own.map_or(pool.zero(), |e| e.1)
        };
        let table = (0..n).map(|i| directions.iter().map(|d| entry(i, d)).collect());
        Some(Self {
            symbols: (1..=directions.len())
                .map(|k| pool.symbol(&format!("quasi-velocity {k}")))
                .collect(),
            directions: Matrix::new(pool, table.collect()),
            functions: directions.iter().map(|d| d.function).collect(),
            state: state.clone(),
            drift,
            measures,
        })
    }

    /// The state space of the constraints.
    pub fn state(&self) -> &StateSpace<'p> {
        &self.state
    }

    /// v
    pub fn symbols(&self) -> &[Expr<'p>] {
        &self.symbols
    }

    /// v(t, x, u) at states on the constraints.
    pub fn functions(&self) -> &[Expr<'p>] {
        &self.functions
    }

    /// W, a row for each coordinate.
    pub fn directions(&self) -> &Matrix<'p> {
        &self.directions
    }

    /// w
    pub fn drift(&self) -> &[Expr<'p>] {
        &self.drift
    }

    /// Functions of (t, x) that are positive where W is far from losing its rank.
    pub fn measures(&self) -> &[Expr<'p>] {
        &self.measures
    }

    /// u = Wv + w.
    pub fn velocities(&self) -> Vec<Expr<'p>> {
        let along = self.directions.times_vector(&self.symbols);
        along
            .iter()
            .zip(&self.drift)
            .map(|(&u, &w)| u + w)
            .collect()
    }

    /// The equations of motion with ideal reactions, which do no work along W. (T-79, T-94)
    pub fn equations(&self, lagrangian: &Lagrangian<'p>, force: &Force<'p>) -> QuasiEquations<'p> {
        let state = &self.state;
        let pool = state.pool();
        let velocities = self.velocities();
        let mut rates = vec![(state.time(), pool.one())];
        let x = state.base().positions().iter().copied();
        rates.extend(x.zip(velocities.iter().copied()));
        let on = state
            .velocities()
            .iter()
            .copied()
            .zip(velocities.iter().copied());
        let on: Vec<(Expr<'p>, Expr<'p>)> = on.collect();
        // m, h and Ẇv + ẇ on the constraints.
        let substituted = |list: &[Expr<'p>]| pool.substitute_all(list, &on);
        let mass = lagrangian.mass_matrix();
        let mass = mass.rows().iter().map(|row| substituted(row)).collect();
        let mass = Matrix::new(pool, mass);
        let h = substituted(&lagrangian.right_hand_side(force));
        let bend: Vec<Expr<'p>> = velocities
            .iter()
            .map(|u| u.derivative_along(&rates))
            .collect();
        let lost = mass.times_vector(&bend);
        let rest: Vec<Expr<'p>> = h.iter().zip(lost).map(|(&h, l)| h - l).collect();
        let transposed = self.directions.transposed();
        QuasiEquations {
            matrix: transposed.times(&mass).times(&self.directions),
            right: transposed.times_vector(&rest),
        }
    }
}

/// The groups of constraints that share velocities.
fn groups(rows: &[AffineRow<'_>], n: usize) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (a, (row, _)) in rows.iter().enumerate() {
        let mut own = Group {
            rows: vec![a],
            columns: (0..n).filter(|&i| !row[i].is_zero()).collect(),
        };
        let (joined, apart) = groups
            .into_iter()
            .partition(|g: &Group| g.columns.iter().any(|i| own.columns.contains(i)));
        groups = apart;
        for group in joined {
            own.rows.extend(group.rows);
            own.columns.extend(group.columns);
        }
        own.rows.sort_unstable();
        own.columns.sort_unstable();
        own.columns.dedup();
        groups.push(own);
    }
    groups
}

/// The sets of c of the columns.
fn subsets(columns: &[usize], c: usize) -> Vec<Vec<usize>> {
    let Some((&first, rest)) = columns.split_first().filter(|_| c > 0) else {
        return if c == 0 { vec![vec![]] } else { vec![] };
    };
    let mut list: Vec<Vec<usize>> = subsets(rest, c - 1);
    for set in &mut list {
        set.insert(0, first);
    }
    list.extend(subsets(rest, c));
    list
}

impl Group {
    fn solve<'p>(
        &self,
        state: &StateSpace<'p>,
        rows: &[AffineRow<'p>],
        choice: &Choice<'_, 'p>,
    ) -> Option<Solution<'p>> {
        let (pool, c) = (state.pool(), self.rows.len());
        if c > MAX_CONSTRAINTS_BY_MINORS || self.columns.len() > MAX_VELOCITIES_COMPARED {
            return None;
        }
        let offset: Vec<Expr<'p>> = self.rows.iter().map(|&a| rows[a].1).collect();
        let column = |i: usize| self.rows.iter().map(|&a| rows[a].0[i]).collect();
        let determinant = |columns: Vec<Vec<Expr<'p>>>| Matrix::new(pool, columns).determinant();
        let minor = |set: &[usize]| determinant(set.iter().map(|&i| column(i)).collect());
        let minors: Vec<Minor<'p>> = subsets(&self.columns, c)
            .into_iter()
            .map(|set| (minor(&set), set))
            .filter(|(m, _)| !m.is_zero())
            .map(|(m, set)| (set, m))
            .collect();
        if minors.is_empty() {
            return None;
        }
        let (dependent, det) = &minors[(choice.best)(&minors)];
        // The minor with one of its columns replaced, by Cramer's rule.
        let replaced = |d: usize, by: &[Expr<'p>]| {
            let own = |&i: &usize| if i == d { by.to_vec() } else { column(i) };
            -determinant(dependent.iter().map(own).collect())
        };
        let everywhere = matches!(det.view(), View::Number(_));
        let divided = |e: Expr<'p>| if everywhere { e / *det } else { e };
        let mut solution = Solution::default();
        if offset.iter().any(|s| !s.is_zero()) {
            if !everywhere {
                return None;
            }
            let part = |&d: &usize| (d, divided(replaced(d, &offset)));
            solution.drift = dependent.iter().map(part).collect();
        }
        let free: Vec<usize> = (self.columns.iter().copied())
            .filter(|i| !dependent.contains(i))
            .collect();
        for &i in &free {
            let mut list = vec![(i, divided(*det))];
            let along = dependent
                .iter()
                .map(|&d| (d, divided(replaced(d, &column(i)))));
            list.extend(along);
            let function = if everywhere || free.len() > 1 {
                state.velocity(i) / list[0].1
            } else {
                // Whatever the minor: Wᵀu/WᵀW.
                let along = pool.sum(list.iter().map(|&(j, w)| w * state.velocity(j)));
                along / pool.sum(list.iter().map(|(_, w)| w.pow(2)))
            };
            solution.directions.push(Direction {
                column: list,
                function,
            });
        }
        if !everywhere && free.len() > 1 {
            let square = |(set, m): &Minor<'p>| {
                let scale = pool.product(set.iter().map(|&i| pool.number(choice.scale[i].clone())));
                (*m / scale).pow(2)
            };
            let own = square(&(dependent.clone(), *det));
            let all = pool.sum(minors.iter().map(square));
            solution.measure =
                Some(own - Rational::new(1, MAX_MINOR_RATIO * MAX_MINOR_RATIO) * all);
        }
        Some(solution)
    }
}
