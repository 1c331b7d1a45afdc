//! The constraint set N: its sheets, and claims decided on them.
//!
//! A constraint that is a product vanishes where one of its factors does. Each choice of factors is a
//! sheet of N; a sheet is parametrised by branches, on which some of t, x, u are functions of the others.

mod solver;

use galilei_expr::{
    Assumptions, Expr, Query, Reading, Reason, Verdict, View, Witness, generic_rank,
};
use galilei_geometry::Matrix;

use crate::codistribution::Constraint;
use crate::state_space::StateSpace;
use solver::Solver;

/// Number of sheets and branches up to which all are followed.
const MAX_BRANCHES: usize = 24;
/// Written size (symbols and numbers) up to which a function is restricted to a branch.
const MAX_RESTRICTED_SIZE: u64 = 1_000_000;
/// Number of constraints up to which the determinant of their Gram matrix is written out.
const MAX_GRAM_ROWS: usize = 4;
/// Degree up to which constraints are read as polynomials.
const MAX_DEGREE: u32 = 12;
/// A parametrisation of a part of N, in which some symbols are functions of the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch<'p> {
    /// Symbols with their values.
    pub values: Vec<(Expr<'p>, Expr<'p>)>,
}

impl<'p> Branch<'p> {
    /// The restriction of a function on the state space to this part of N.
    pub fn pullback(&self, e: Expr<'p>) -> Expr<'p> {
        e.substitute(&self.values)
    }
}

/// The part of N on which each constraint vanishes through one of its factors.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet<'p> {
    /// The factors, one for each constraint, at the level the constraint was given.
    pub functions: Vec<Expr<'p>>,
    /// The factors as constraints of their own, which vanish to first order.
    pub constraints: Vec<Constraint<'p>>,
    /// Parametrisations; together they are the sheet, up to sets of lower dimension, if it is `covered`.
    pub branches: Vec<Branch<'p>>,
    /// Whether the branches are all of the sheet.
    pub covered: bool,
    /// A larger set that contains the sheet, on which velocities are functions of the rest: a claim that holds on it holds
    /// on the sheet.
    pub around: Option<Branch<'p>>,
}

/// The set of admissible states.
#[derive(Clone, Debug)]
pub struct ConstraintSet<'p> {
    /// Its sheets. None if no state satisfies the constraints.
    pub sheets: Vec<Sheet<'p>>,
    /// Whether these are all sheets.
    pub complete: bool,
    /// Sheets of lower dimension inside of others, where the rank is lost.
    pub hidden: Vec<Sheet<'p>>,
    rows: Vec<Vec<Expr<'p>>>,
    state: StateSpace<'p>,
    constants: Vec<(Expr<'p>, Expr<'p>)>,
    assumptions: Assumptions<'p>,
}

/// A claim that was decided sheet by sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct OnSheets {
    /// The answer: proved if the claim was proved on some sheet.
    pub verdict: Verdict,
    /// The sheets on which it was proved, by number; `None` if these are all.
    pub sheets: Option<Vec<usize>>,
}

impl OnSheets {
    /// The claim with one verdict for each sheet.
    pub fn of(verdicts: Vec<Verdict>, complete: bool) -> Self {
        let holds = |v: &Verdict| v.is_proved() || v.is_certified();
        let some: Vec<usize> = (0..verdicts.len())
            .filter(|&k| holds(&verdicts[k]))
            .collect();
        if some.is_empty() || some.len() == verdicts.len() {
            let certain = Verdict::Proved(galilei_expr::Bound::CERTAIN);
            let refuted = verdicts.iter().find(|v| v.is_refuted()).cloned();
            let all = verdicts.into_iter().fold(certain, Verdict::and);
            let verdict = match (refuted, complete) {
                (Some(v), _) => v,
                (None, true) => all,
                (None, false) if holds(&all) => Verdict::Undecided(Reason::OutOfReach(
                    "the constraints may have further sheets",
                )),
                (None, false) => all,
            };
            return Self {
                verdict,
                sheets: None,
            };
        }
        let proofs = some.iter().map(|&k| verdicts[k].clone());
        let verdict = proofs.reduce(Verdict::and);
        Self {
            verdict: verdict.unwrap_or(Verdict::Undecided(Reason::Unseen)),
            sheets: Some(some),
        }
    }

    /// Whether the claim was proved on all of N.
    pub fn is_proved(&self) -> bool {
        self.sheets.is_none() && (self.verdict.is_proved() || self.verdict.is_certified())
    }
}

impl<'p> ConstraintSet<'p> {
    /// The set on which constraints vanish. `constants` are the values of parameters that have
    /// one: whether a root is real may depend on them.
    ///
    /// ```
    /// use galilei_expr::{Assumptions, Pool};
    /// use galilei_mechanics::{AdaptedChart, Constraint, ConstraintSet, StateSpace};
    /// let pool = Pool::new();
    /// let state = StateSpace::new(AdaptedChart::new(&pool, "t", ["x", "y"]));
    /// let (x, u, v) = (state.position(0), state.velocity(0), state.velocity(1));
    /// let product = [Constraint::Velocity((v - 1) * (v - x * u))];
    /// let set = ConstraintSet::new(&state, &product, &[], &Assumptions::new());
    /// assert!(set.complete && set.sheets.len() == 2);
    /// // A sum of squares vanishes where all of them do, and so do its derivatives.
    /// let point = [Constraint::Velocity(u.pow(2) + v.pow(2))];
    /// let set = ConstraintSet::new(&state, &point, &[], &Assumptions::new());
    /// assert!(set.decide_rank(0).is_refuted());
    /// ```
    pub fn new(
        state: &StateSpace<'p>,
        constraints: &[Constraint<'p>],
        constants: &[(Expr<'p>, Expr<'p>)],
        assumptions: &Assumptions<'p>,
    ) -> Self {
        let constraints = &without_zeros(constraints, constants);
        let solver = Solver {
            state,
            constants,
            assumptions,
        };
        let mut complete = true;
        // For each constraint the factors that can vanish.
        let mut choices: Vec<Vec<Expr<'p>>> = vec![vec![]];
        for c in constraints {
            let written = match c {
                Constraint::Velocity(f) | Constraint::Position(f) => *f,
                // One-forms admit every state.
                Constraint::Form(_) => {
                    let zero = state.pool().zero();
                    choices.iter_mut().for_each(|list| list.push(zero));
                    continue;
                }
            };
            let (factors, all) = solver.vanishing_factors(written);
            complete &= all;
            choices = choices
                .iter()
                .flat_map(|list| {
                    factors.iter().map(move |&f| {
                        let mut longer = list.clone();
                        longer.push(f);
                        longer
                    })
                })
                .collect();
            if choices.len() > MAX_BRANCHES {
                choices.truncate(MAX_BRANCHES);
                complete = false;
            }
        }
        let sheet = |functions: Vec<Expr<'p>>| {
            let pairs = constraints.iter().zip(&functions);
            let own: Vec<Constraint<'p>> = pairs
                .map(|(c, &f)| match c {
                    Constraint::Velocity(_) => Constraint::Velocity(f),
                    Constraint::Position(_) => Constraint::Position(f),
                    Constraint::Form(_) => c.clone(),
                })
                .collect();
            let positions = own.iter().filter_map(|c| match c {
                Constraint::Position(h) => Some(*h),
                _ => None,
            });
            let rates = own.iter().filter_map(|c| match c {
                Constraint::Form(_) => None,
                c => c.function(state),
            });
            let equations: Vec<Expr<'p>> = positions.chain(rates).collect();
            let mut branches = Vec::new();
            let covered = solver.solve(&equations, &Branch { values: vec![] }, &mut branches);
            Sheet {
                functions,
                constraints: own,
                branches,
                covered,
                around: None,
            }
        };
        let sheets: Vec<Sheet<'p>> = choices.into_iter().map(sheet).collect();
        // A sheet that is covered by no branch has no states.
        let sheets = sheets
            .into_iter()
            .filter(|s| !s.covered || !s.branches.is_empty());
        let sheets: Vec<Sheet<'p>> = sheets.collect();
        let inside = |k: usize| {
            let mut others = (0..sheets.len()).filter(|&j| j != k);
            others.any(|j| is_part_of(state, &sheets[k], &sheets[j]))
        };
        let parts: Vec<bool> = (0..sheets.len()).map(inside).collect();
        let (hidden, sheets): (Vec<_>, Vec<_>) = sheets.into_iter().zip(parts).partition(|s| s.1);
        let alone = |list: Vec<(Sheet<'p>, bool)>| list.into_iter().map(|s| s.0).collect();
        Self {
            sheets: alone(sheets),
            complete,
            hidden: alone(hidden),
            rows: rows_of(state, constraints),
            state: state.clone(),
            constants: constants.to_vec(),
            assumptions: assumptions.clone(),
        }
    }

    /// The constraint set without sheets or branches, for constraints that are too many to be solved: a claim is known to
    /// hold on it only if it holds everywhere, or is about a multiple of a constraint.
    pub fn unsolved(
        state: &StateSpace<'p>,
        constraints: &[Constraint<'p>],
        constants: &[(Expr<'p>, Expr<'p>)],
        assumptions: &Assumptions<'p>,
    ) -> Self {
        let zero = state.pool().zero();
        let written = |c: &Constraint<'p>| match c {
            Constraint::Velocity(f) | Constraint::Position(f) => *f,
            Constraint::Form(_) => zero,
        };
        Self {
            sheets: vec![Sheet {
                functions: constraints.iter().map(written).collect(),
                constraints: constraints.to_vec(),
                branches: vec![],
                covered: false,
                around: None,
            }],
            complete: true,
            hidden: vec![],
            rows: rows_of(state, constraints),
            state: state.clone(),
            constants: constants.to_vec(),
            assumptions: assumptions.clone(),
        }
    }

    /// Whether no state satisfies the constraints.
    pub fn is_empty(&self) -> bool {
        self.complete && self.sheets.is_empty()
    }

    /// The equations of a sheet in the model language.
    pub fn label(&self, sheet: usize) -> String {
        let functions = self.sheets[sheet].functions.iter();
        let named = functions.enumerate().filter(|&(k, f)| {
            // Constraints that are the same on every sheet do not distinguish sheets.
            let same = |s: &Sheet<'p>| s.functions[k] == *f;
            !f.is_zero() && !self.sheets.iter().all(same)
        });
        let list: Vec<String> = named.map(|(_, &f)| self.equation(f)).collect();
        list.join(", ")
    }

    /// The equation f = 0 in the model language, with the sign chosen so that the simplest term with a velocity is positive.
    pub fn equation(&self, f: Expr<'p>) -> String {
        let u = self.state.velocities();
        let degree = |e: Expr<'p>| match e.view() {
            View::Product(parts) => parts.len(),
            _ => 1,
        };
        let View::Sum(terms) = f.view() else {
            return format!("{f} = 0");
        };
        let moving = terms.into_iter().filter(|t| t.1.contains_any(u));
        let first = moving.min_by(|a, b| {
            let names = || a.1.to_string().cmp(&b.1.to_string());
            degree(a.1).cmp(&degree(b.1)).then_with(names)
        });
        match first {
            Some((c, _)) if c.is_negative() => format!("{} = 0", -f),
            _ => format!("{f} = 0"),
        }
    }

    /// Whether a function vanishes on a sheet.
    pub fn decide_zero_on(&self, sheet: usize, e: Expr<'p>) -> Verdict {
        let s = &self.sheets[sheet];
        let zero = |e: Expr<'p>| {
            let query = Query::zero(e).assuming(&self.assumptions);
            query.decide().verdict
        };
        if e.is_zero() {
            return zero(e);
        }
        if let Some(around) = &s.around {
            let found = zero(around.pullback(e));
            if found.is_proved() {
                return found;
            }
        }
        if !s.covered {
            let everywhere = zero(e);
            return match everywhere.is_refuted() {
                true => self
                    .multiple_of_one(s, e)
                    .or_else(|| self.refuted_on_some(s, e))
                    .unwrap_or(Verdict::Undecided(Reason::OutOfReach(UNSOLVED))),
                false => everywhere,
            };
        }
        let restricted = |b: &Branch<'p>| {
            let below = b.pullback(e);
            match below.written_size() > MAX_RESTRICTED_SIZE {
                true => Verdict::Undecided(Reason::OutOfReach("the formulas are too long")),
                // Points with other values of a parameter refute nothing here.
                false => match zero(below) {
                    Verdict::Refuted(_) if self.fixes_parameter(b) => {
                        Verdict::Undecided(Reason::OutOfReach(UNSOLVED))
                    }
                    found => found,
                },
            }
        };
        let each = s.branches.iter().map(restricted);
        each.reduce(combined)
            .unwrap_or(Verdict::Undecided(Reason::DefinedNowhere))
    }

    /// Whether all functions of a list vanish on a sheet.
    pub fn decide_all_zero_on(&self, sheet: usize, list: &[Expr<'p>]) -> Verdict {
        let certain = Verdict::Proved(galilei_expr::Bound::CERTAIN);
        let each = list.iter().map(|&e| self.decide_zero_on(sheet, e));
        each.fold(certain, combined)
    }

    /// Whether a function vanishes on N, sheet by sheet.
    pub fn decide_zero(&self, e: Expr<'p>) -> OnSheets {
        let each = (0..self.sheets.len()).map(|k| self.decide_zero_on(k, e));
        OnSheets::of(each.collect(), self.complete)
    }

    /// The verdict on a small multiple of a constraint, which vanishes with it also where it was not solved.
    fn multiple_of_one(&self, s: &Sheet<'p>, e: Expr<'p>) -> Option<Verdict> {
        for c in &s.constraints {
            let given = match c {
                Constraint::Position(h) => Some(*h),
                _ => None,
            };
            for f in c.function(&self.state).into_iter().chain(given) {
                let v = (e - f).decide_zero();
                if v.is_proved() {
                    return Some(v);
                }
                let reading = Reading::new().assuming(&self.assumptions);
                let quotient = e.divided_by(f, &reading);
                // The quotient must be defined where the constraint vanishes.
                let whole = |q: &Expr<'p>| {
                    let coordinates = self.state.chart().coordinates();
                    q.polynomial(coordinates, MAX_DEGREE).is_ok()
                };
                if quotient.filter(whole).is_some() {
                    return Some(Verdict::Proved(galilei_expr::Bound::CERTAIN));
                }
            }
        }
        None
    }

    /// A refutation on one branch, which refutes the claim on the sheet.
    fn refuted_on_some(&self, s: &Sheet<'p>, e: Expr<'p>) -> Option<Verdict> {
        let own = s.branches.iter().filter(|b| !self.fixes_parameter(b));
        let verdicts = own.map(|b| {
            let query = Query::zero(b.pullback(e)).assuming(&self.assumptions);
            query.decide().verdict
        });
        verdicts.into_iter().find(Verdict::is_refuted)
    }

    /// Whether the constraints, as they were given, are independent almost everywhere on a sheet:
    /// rank ṡ = c there. Refuted if the rank is lost on all of the sheet. (T-82)
    pub fn decide_rank(&self, sheet: usize) -> Verdict {
        let s = &self.sheets[sheet];
        let u = self.state.velocities();
        let between_positions = |c: &Constraint<'p>| match c {
            Constraint::Velocity(f) => !f.contains_any(u),
            _ => false,
        };
        // A factor without velocities makes all derivatives by velocities vanish with it.
        if s.constraints.iter().any(between_positions) {
            return Verdict::Refuted(Witness::default());
        }
        self.decide_regular_on(sheet, &self.rows, self.rows.len())
    }

    /// Whether a matrix has at least a given rank almost everywhere on a sheet. Refuted if that is so
    /// nowhere on it.
    pub fn decide_regular_on(&self, sheet: usize, rows: &[Vec<Expr<'p>>], rank: usize) -> Verdict {
        let s = &self.sheets[sheet];
        let verdicts: Vec<Verdict> = (s.branches.iter())
            .map(|b| self.rank_on(b, rows, rank))
            .collect();
        let holds = |v: &&Verdict| v.is_proved();
        if s.covered && verdicts.iter().all(Verdict::is_refuted) {
            let first = verdicts.into_iter().next();
            return first.unwrap_or(Verdict::Undecided(Reason::DefinedNowhere));
        }
        if s.covered && verdicts.iter().filter(holds).count() == verdicts.len() {
            let all = verdicts.into_iter().reduce(Verdict::and);
            return all.unwrap_or(Verdict::Undecided(Reason::DefinedNowhere));
        }
        if let [c] = &s.constraints[..]
            && rank == rows.len()
            && rows == self.rows
            && !s.covered
            && self.vanishes_doubly(c)
        {
            return Verdict::Refuted(Witness::default());
        }
        // A claim that holds on the whole state space holds on the constraints.
        let everywhere = self.never_singular(rows, rank);
        if everywhere.is_proved() {
            return everywhere;
        }
        if s.covered && verdicts.iter().any(Verdict::is_refuted) {
            let why = "the rank is lost on a part of the constraint set";
            return Verdict::Undecided(Reason::OutOfReach(why));
        }
        let open = verdicts
            .into_iter()
            .find(|v| !v.is_proved() && !v.is_refuted());
        open.unwrap_or(Verdict::Undecided(Reason::OutOfReach(UNSOLVED)))
    }

    /// Whether the squares of all derivatives of one constraint are multiples of it: the rank is lost wherever it
    /// holds.
    fn vanishes_doubly(&self, c: &Constraint<'p>) -> bool {
        let f = match c {
            Constraint::Velocity(f) | Constraint::Position(f) => *f,
            Constraint::Form(_) => return false,
        };
        let reading = Reading::new().assuming(&self.assumptions);
        let slopes = self.rows.iter().flatten().filter(|e| !e.is_zero());
        let coordinates = self.state.chart().coordinates();
        let entire = |q: Expr<'p>| {
            let mut calls = vec![q];
            // Sums, products and functions that are defined everywhere.
            while let Some(e) = calls.pop() {
                match e.view() {
                    View::Sum(terms) => calls.extend(terms.into_iter().map(|t| t.1)),
                    View::Product(parts) => {
                        for (b, k) in parts {
                            if k.is_negative() && b.contains_any(coordinates) {
                                return false;
                            }
                            calls.push(b);
                        }
                    }
                    _ => {}
                }
            }
            true
        };
        slopes
            .into_iter()
            .all(|&s| s.pow(2).divided_by(f, &reading).is_some_and(entire))
    }

    /// Whether a branch covers all values of a parameter, of which a single value may be exceptional.
    fn fixes_parameter(&self, branch: &Branch<'p>) -> bool {
        let mut values = branch.values.iter();
        values.any(|v| self.constants.iter().any(|c| c.0 == v.0))
    }

    fn rank_on(&self, branch: &Branch<'p>, rows: &[Vec<Expr<'p>>], rank: usize) -> Verdict {
        if self.fixes_parameter(branch) {
            return Verdict::Undecided(Reason::OutOfReach(UNSOLVED));
        }
        let rows: Vec<Vec<Expr<'p>>> = (rows.iter())
            .map(|r| r.iter().map(|&e| branch.pullback(e)).collect())
            .collect();
        let found = generic_rank(&rows, &self.assumptions);
        match (found.verdict.is_proved(), found.rank >= rank) {
            (true, true) => return found.verdict,
            (true, false) => return Verdict::Refuted(Witness::default()),
            _ => {}
        }
        if rows.len() != rank || rank > MAX_GRAM_ROWS {
            return found.verdict;
        }
        // Roots may hide signs: the sum of the squares of all minors is one function.
        let gram = gram_determinant(&rows);
        let vanishes = Query::zero(gram)
            .assuming(&self.assumptions)
            .decide()
            .verdict;
        match vanishes {
            Verdict::Refuted(_) => Verdict::Proved(galilei_expr::Bound::CERTAIN),
            Verdict::Proved(_) => Verdict::Refuted(Witness::default()),
            other => other,
        }
    }

    fn never_singular(&self, rows: &[Vec<Expr<'p>>], rank: usize) -> Verdict {
        if rows.len() != rank || rank > MAX_GRAM_ROWS {
            return Verdict::Undecided(Reason::OutOfReach(UNSOLVED));
        }
        let gram = gram_determinant(rows).substitute(&self.constants);
        gram.decide_never_zero(&self.assumptions)
    }

    /// The functions that vanish where the rank of ∂f/∂u is lost on a sheet through the factors that define it: the sum of
    /// the squares of their largest minors, restricted to each branch if that is a polynomial, otherwise unrestricted.
    /// `None` if there are too many constraints.
    pub fn rank_loss(&self, sheet: usize) -> Option<Vec<Expr<'p>>> {
        let s = &self.sheets[sheet];
        if self.rows.is_empty() || self.rows.len() > MAX_GRAM_ROWS {
            return None;
        }
        let gram = gram_determinant(&rows_of(&self.state, &s.constraints));
        let fixed = gram.substitute(&self.constants);
        if fixed.decide_never_zero(&self.assumptions).is_proved() {
            return Some(vec![]);
        }
        if !s.covered {
            return None;
        }
        let coordinates = self.state.chart().coordinates();
        let whole = |b: &Branch<'p>| {
            let polynomial = |e: &Expr<'p>| e.polynomial(coordinates, MAX_DEGREE).is_ok();
            b.values.iter().all(|v| polynomial(&v.1))
        };
        if s.branches.iter().any(|b| self.fixes_parameter(b)) {
            return None;
        }
        let on = |b: &Branch<'p>| {
            let below = b
                .pullback(gram)
                .present(&Reading::new().assuming(&self.assumptions));
            match whole(b) || !below.contains_any(coordinates) {
                true => below,
                // Where the branch is not defined its formulas say nothing about the sheet.
                false => {
                    let fixed = below.substitute(&self.constants);
                    let never = fixed.decide_never_zero(&self.assumptions).is_proved();
                    let shown = if whole_denominators(b, coordinates) {
                        below
                    } else {
                        gram
                    };
                    if never {
                        self.state.pool().one()
                    } else {
                        shown
                    }
                }
            }
        };
        Some(s.branches.iter().map(on).collect())
    }

    /// The factors that vanish on other sheets, which one sheet may meet: the rank is lost there. With each the number of
    /// its sheet; `None` for one that lies inside of this sheet.
    pub fn other_factors(&self, sheet: usize) -> Vec<(Expr<'p>, Option<usize>)> {
        let own = &self.sheets[sheet].functions;
        let named = self.sheets.iter().enumerate().map(|(j, s)| (s, Some(j)));
        let all = named.chain(self.hidden.iter().map(|s| (s, None)));
        let mut out: Vec<(Expr<'p>, Option<usize>)> = Vec::new();
        for (s, j) in all {
            for (&f, &g) in s.functions.iter().zip(own) {
                if f != g && !out.iter().any(|o| o.0 == f) {
                    out.push((f, j));
                }
            }
        }
        out
    }

    /// ∂f/∂u of the constraints as they were given, ∂f/∂x of those between positions.
    pub fn rows(&self) -> &[Vec<Expr<'p>>] {
        &self.rows
    }
}

/// Constraints without the parameters that are zero, which may make them exceptional: a square, or shorter.
fn without_zeros<'p>(
    constraints: &[Constraint<'p>],
    constants: &[(Expr<'p>, Expr<'p>)],
) -> Vec<Constraint<'p>> {
    let zeros: Vec<_> = constants
        .iter()
        .copied()
        .filter(|c| c.1.is_zero())
        .collect();
    let put = |c: &Constraint<'p>| match c {
        Constraint::Velocity(f) => Constraint::Velocity(f.substitute(&zeros)),
        Constraint::Position(h) => Constraint::Position(h.substitute(&zeros)),
        Constraint::Form(_) => c.clone(),
    };
    constraints.iter().map(put).collect()
}

/// Whether a sheet lies inside of another, as a set of lower dimension.
fn is_part_of<'p>(state: &StateSpace<'p>, small: &Sheet<'p>, large: &Sheet<'p>) -> bool {
    let fixed = |s: &Sheet<'p>| s.branches.iter().map(|b| b.values.len()).min();
    let (Some(a), Some(b)) = (fixed(small), fixed(large)) else {
        return false;
    };
    if !small.covered || !large.covered || a <= b {
        return false;
    }
    let vanishing = large.constraints.iter().flat_map(|c| {
        let given = match c {
            Constraint::Position(h) => Some(*h),
            _ => None,
        };
        c.function(state).into_iter().chain(given)
    });
    let vanishing: Vec<Expr<'p>> = vanishing.collect();
    let on = |b: &Branch<'p>| {
        let mut each = vanishing.iter().map(|&f| b.pullback(f).decide_zero());
        each.all(|v| v.is_proved())
    };
    small.branches.iter().all(on)
}

/// ∂f/∂u of constraints at velocity level, ∂f/∂x of the others.
fn rows_of<'p>(state: &StateSpace<'p>, constraints: &[Constraint<'p>]) -> Vec<Vec<Expr<'p>>> {
    let u = state.velocities();
    let row = |c: &Constraint<'p>| match c {
        Constraint::Form(s) => {
            let component = |i: usize| s.component(&[state.u(i)]);
            (0..u.len()).map(component).collect()
        }
        Constraint::Velocity(f) => f.gradient(u),
        Constraint::Position(h) => h.gradient(state.base().positions()),
    };
    constraints.iter().map(row).collect()
}

/// The weaker of two verdicts on one claim at different places; a claim that fails anywhere fails.
fn combined(a: Verdict, b: Verdict) -> Verdict {
    a.and(b)
}

/// det(rows·rowsᵀ)
fn gram_determinant<'p>(rows: &[Vec<Expr<'p>>]) -> Expr<'p> {
    let pool = rows[0][0].pool();
    let dot = |a: &[Expr<'p>], b: &[Expr<'p>]| pool.sum(a.iter().zip(b).map(|(&a, &b)| a * b));
    let gram = rows.iter();
    let gram = gram.map(|a| rows.iter().map(|b| dot(a, b)).collect());
    Matrix::new(pool, gram.collect()).determinant()
}

/// Whether no divisor in the formulas of a branch depends on the state: then it is defined wherever its roots are.
fn whole_denominators<'p>(b: &Branch<'p>, coordinates: &[Expr<'p>]) -> bool {
    fn divisors<'p>(e: Expr<'p>, coordinates: &[Expr<'p>]) -> bool {
        match e.view() {
            View::Sum(terms) => terms.into_iter().all(|t| divisors(t.1, coordinates)),
            View::Product(parts) => parts.into_iter().all(|(b, q)| {
                !(q.is_negative() && b.contains_any(coordinates)) && divisors(b, coordinates)
            }),
            View::Call(_, arguments) => arguments.into_iter().all(|a| divisors(a, coordinates)),
            _ => true,
        }
    }
    b.values.iter().all(|v| divisors(v.1, coordinates))
}

const UNSOLVED: &str = "the constraints were not solved on all of their set";
