//! The equations of motion as registers of a tape.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use crate::reduced::ReducedEquations;
use galilei_expr::{Expr, ExprId, Function, View};
use galilei_mechanics::{Force, Lagrangian, SquaredVelocity, StateSpace, SumOfSquares};
use galilei_tape::{
    Ahead, Builder, MAX_MASS_RATIO, Rates, Reg, Squares, Unsupported, Velocity, Wanted,
};

/// b = β·base
fn split<'p>(b: Expr<'p>) -> (f64, Expr<'p>) {
    let one = b.pool().one();
    match b.view() {
        View::Number(q) => (q.to_f64(), one),
        View::Sum(terms) if terms.len() == 1 => (terms[0].0.to_f64(), terms[0].1),
        _ => (1.0, b),
    }
}

/// The largest number of velocities whose sums are written out over the products b·u, all in one order: computations
/// of equal form share instructions.
const MAX_FLAT_VELOCITIES: usize = 48;

/// A row of a velocity: coordinate, number and base of each entry.
type Row<'p> = Vec<(usize, f64, Expr<'p>)>;

/// The terms of an equation with one base: factor·base·Σ weight·v̇, over some velocities.
struct Group<'p> {
    equation: usize,
    base: Expr<'p>,
    factor: f64,
    weights: Vec<(usize, f64)>,
    /// Whether the velocities omit the contribution of the equation's own coordinate.
    others: bool,
}

impl<'p> Group<'p> {
    /// Σ weight·v is Σ factor·base·uⁱ and the drift: i, base and factor.
    fn products(&self, rows: &[Row<'p>]) -> Vec<(usize, Expr<'p>, f64)> {
        let mut list: Vec<(usize, Expr<'p>, f64)> = Vec::new();
        let mut places: HashMap<(usize, ExprId), usize> = HashMap::new();
        for &(k, weight) in &self.weights {
            for &(i, number, base) in &rows[k] {
                if self.others && i == self.equation {
                    continue;
                }
                match places.entry((i, base.id())) {
                    Entry::Occupied(at) => list[*at.get()].2 += weight * number,
                    Entry::Vacant(place) => {
                        place.insert(list.len());
                        list.push((i, base, weight * number));
                    }
                }
            }
        }
        list
    }

    /// Whether no velocities remain.
    fn is_empty(&self, rows: &[Row<'p>], squares: &[SquaredVelocity<'p>]) -> bool {
        let own = |i: usize| self.others && i == self.equation;
        let still = |k: usize| squares[k].drift.is_zero() && rows[k].iter().all(|e| own(e.0));
        self.weights.iter().all(|w| still(w.0))
    }
}

/// The largest number of degrees of freedom for which an equation omits the velocities of its own coordinate where
/// possible: their sums are shorter then. Beyond, sums are parts of each other.
const MAX_DEGREES_WITHOUT_OWN: usize = 3;

/// Σ m·bᵢ² for each coordinate, where it evidently is a number: made of numbers, and of cos² + sin². Then Σ
/// m·bᵢ·d/dt(bᵢuⁱ) is this number times u̇ⁱ. The angles depend on the coordinate alone, so a velocity that is the
/// rate of a function remains one without its own term.
fn own_inertia<'p>(rows: &[Row<'p>], masses: &[f64], state: &StateSpace<'p>) -> Vec<Option<f64>> {
    let x = state.base().positions();
    if x.len() > MAX_DEGREES_WITHOUT_OWN {
        return vec![None; x.len()];
    }
    let of = |i: usize| {
        let mut sum = 0.0;
        // For each angle, the coefficients of cos² and sin².
        let mut angles: Vec<(ExprId, [f64; 2])> = Vec::new();
        for (row, mass) in rows.iter().zip(masses) {
            for (_, number, base) in row.iter().filter(|e| e.0 == i) {
                let weight = mass * number * number;
                let (angle, which) = match base.view() {
                    _ if base.is_one() => {
                        sum += weight;
                        continue;
                    }
                    View::Call(Function::Cos, x) => (x[0], 0),
                    View::Call(Function::Sin, x) => (x[0], 1),
                    _ => return None,
                };
                let others = x.iter().enumerate().filter(|(j, _)| *j != i);
                let others: Vec<Expr<'p>> = others.map(|(_, x)| *x).chain([state.time()]).collect();
                if angle.contains_any(&others) {
                    return None;
                }
                let angle = angle.id();
                let at = angles.iter().position(|a| a.0 == angle).unwrap_or_else(|| {
                    angles.push((angle, [0.0; 2]));
                    angles.len() - 1
                });
                angles[at].1[which] += weight;
            }
        }
        let even = angles.iter().all(|(_, [cos, sin])| cos == sin);
        even.then(|| angles.iter().fold(sum, |sum, a| sum + a.1[0]))
    };
    (0..x.len()).map(|i| of(i).filter(|m| *m > 0.0)).collect()
}

/// Equation i is Σ_k m_k b_ki v̇_k. Terms of one base are collected; short sums come first and are parts of longer
/// ones. Where the inertia of a coordinate is a number, it replaces the contribution of the coordinate itself.
fn grouped<'p>(rows: &[Row<'p>], masses: &[f64], own: &[Option<f64>]) -> Vec<Group<'p>> {
    let mut groups: Vec<Group<'p>> = Vec::new();
    let mut places: HashMap<(usize, ExprId), usize> = HashMap::new();
    for (k, row) in rows.iter().enumerate() {
        for &(equation, number, base) in row {
            let at = *places.entry((equation, base.id())).or_insert_with(|| {
                groups.push(Group {
                    equation,
                    base,
                    factor: 1.0,
                    weights: vec![],
                    others: own[equation].is_some(),
                });
                groups.len() - 1
            });
            groups[at].weights.push((k, number));
        }
    }
    for group in &mut groups {
        // A common numeric factor is written before the sum.
        let common = group.weights[0].1;
        let shared = group.weights.iter().all(|w| w.1 == common);
        if shared {
            group.factor = common;
        }
        for (k, weight) in &mut group.weights {
            *weight = if shared {
                masses[*k]
            } else {
                masses[*k] * *weight
            };
        }
    }
    groups.sort_by_key(|group| group.weights.len());
    groups
}

/// The rows of some velocities, split into numbers and bases.
fn rows_of<'p>(squares: &[SquaredVelocity<'p>]) -> Vec<Row<'p>> {
    let row = |s: &SquaredVelocity<'p>| {
        let entries = s.row.iter();
        entries
            .map(|&(i, b)| {
                let (factor, base) = split(b);
                (i, factor, base)
            })
            .collect()
    };
    squares.iter().map(row).collect()
}

/// Whether a row has an entry; rows are in the order of the coordinates.
fn has_entry<'p>(row: &Row<'p>, entry: &(usize, f64, Expr<'p>)) -> bool {
    let at = row.binary_search_by_key(&entry.0, |e| e.0);
    at.is_ok_and(|at| row[at] == *entry)
}

/// Whether all entries of a row are entries of another one.
fn is_part<'p>(part: &Row<'p>, row: &Row<'p>) -> bool {
    part.len() <= row.len() && part.iter().all(|e| has_entry(row, e))
}

/// Σ weight·v times a number, over products.
fn flat<'p>(
    builder: &mut Builder,
    squares: &[SquaredVelocity<'p>],
    rows: &[Row<'p>],
    u: &[Expr<'p>],
    (group, number): (&Group<'p>, f64),
) -> Result<Reg, Unsupported> {
    let mut terms = group.products(rows);
    let mut drifts: Vec<(Expr<'p>, f64)> = Vec::new();
    for &(k, weight) in &group.weights {
        let drift = squares[k].drift;
        if !drift.is_zero() {
            match drifts.iter_mut().find(|d| d.0 == drift) {
                Some(d) => d.1 += weight,
                None => drifts.push((drift, weight)),
            }
        }
    }
    // Terms that only some of the sums have come last.
    terms.sort_by_key(|t| (t.1.is_one(), t.0));
    let mut sum = builder.number(0.0);
    for (i, base, weight) in terms {
        let (base, u) = (builder.expr(base)?, builder.expr(u[i])?);
        let product = builder.mul(base, u);
        let t = builder.scale(product, weight * number);
        sum = builder.add(sum, t);
    }
    for (drift, weight) in drifts {
        let drift = builder.expr(drift)?;
        let t = builder.scale(drift, weight * number);
        sum = builder.add(sum, t);
    }
    Ok(sum)
}

/// Sums Σ weight·v of some velocities, each made from an earlier one where that is shorter.
struct Sums {
    made: Vec<(Vec<(usize, u64)>, Reg)>,
}

/// The largest number of sums that is searched for parts of others.
const MAX_SEARCHED_SUMS: usize = 2000;

impl Sums {
    fn make(&mut self, builder: &mut Builder, velocities: &[Reg], terms: &[(usize, f64)]) -> Reg {
        let key: Vec<(usize, u64)> = terms.iter().map(|t| (t.0, t.1.to_bits())).collect();
        let part_of = |made: &[(usize, u64)]| made.iter().all(|t| key.binary_search(t).is_ok());
        let best = if self.made.len() > MAX_SEARCHED_SUMS {
            None
        } else {
            // Lists come by length: the last one is the longest.
            let made = self.made.iter().rev();
            made.into_iter()
                .find(|(list, _)| list.len() <= key.len() && part_of(list))
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

/// The form in which the equations of motion are written for the processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// g·a = f with the mass matrix and its right-hand side.
    Closed,
    /// Σ m·v̇·∂v/∂u = Q wherever the kinetic energy has squares.
    Squares,
    /// As many unknowns as degrees of freedom, where constraints allow it; elsewhere the shorter of the two other
    /// forms.
    Reduced,
    /// d/dt ∂L/∂u = ∂L/∂x + F with the momenta as they are: for bodies in frames, whose energies come from recursions.
    Momenta,
    /// The shortest of all.
    #[default]
    Shortest,
    /// The shortest for runs by Taylor series or with accelerations: a long mass matrix is not written out where the
    /// velocities of the squares do without it.
    ForRuns,
}

/// The largest number of degrees of freedom for which the form with momenta is compared with others. Beyond, for
/// mechanisms made of frames, it is the shortest by far.
const MAX_DEGREES_FOR_ALL_FORMS: usize = 2;
/// The largest number of degrees of freedom for which both forms are tried.
const MAX_DEGREES_FOR_BOTH_FORMS: usize = 6;
/// The largest number of degrees of freedom for which series predict the newest velocities.
const MAX_DEGREES_AHEAD: usize = 3;
/// The order at which forms of series are compared. All test models choose the same form at order 12.
const COMPARISON_ORDER: usize = 8;

/// The number of operations of the series.
fn length(builder: &Builder, rates: &Rates) -> usize {
    let tape = builder.clone().finish(vec![]);
    let series = tape.series(rates, &Wanted::default(), COMPARISON_ORDER);
    series.code.fused().operations()
}

/// The largest number of products of coefficients in a mass matrix that is written out although the velocities of the
/// squares do without it: a chain of about a hundred links.
const MAX_PRODUCTS_OF_MATRIX: usize = 700_000;

/// A constraint J·a = −d with the covector C of its reaction.
pub(crate) struct Border<'p> {
    /// J
    pub(crate) row: Vec<Expr<'p>>,
    /// C
    pub(crate) covector: Vec<Expr<'p>>,
    /// −d
    pub(crate) right: Expr<'p>,
}

/// The equations of a Lagrangian with numbers for all parameters.
pub(crate) struct Equations<'p> {
    force: Force<'p>,
    constraints: Vec<Border<'p>>,
    /// The squares, short rows first.
    squares: Option<(SumOfSquares<'p>, Vec<f64>)>,
    form: Form,
    reduced: Option<ReducedEquations<'p>>,
    /// The mass matrix and the right-hand side.
    closed: Option<(Vec<Vec<Expr<'p>>>, Vec<Expr<'p>>)>,
    momenta: Option<Momenta<'p>>,
}

/// The equations d/dt p = f.
struct Momenta<'p> {
    mass: Vec<Vec<Expr<'p>>>,
    /// ∂L/∂u
    momenta: Vec<Expr<'p>>,
    /// ∂L/∂x + F
    right: Vec<Expr<'p>>,
    /// L
    lagrangian: Expr<'p>,
}

impl<'p> Equations<'p> {
    pub(crate) fn new(
        lagrangian: &Lagrangian<'p>,
        force: &Force<'p>,
        constraints: Vec<Border<'p>>,
        reduced: Option<ReducedEquations<'p>>,
        (form, framed): (Form, bool),
    ) -> Self {
        let n = lagrangian.state().degrees_of_freedom();
        let open = matches!(form, Form::Shortest | Form::ForRuns | Form::Reduced);
        // The series of momenta eliminate multipliers with a symmetric border, which other reactions do not have.
        let ideal = constraints.iter().all(|c| c.row == c.covector);
        let momenta = (ideal && (form == Form::Momenta || open && framed)).then(|| {
            let slopes = lagrangian
                .function()
                .gradient(lagrangian.state().base().positions());
            let right = slopes.into_iter().zip(force.components());
            Momenta {
                mass: lagrangian.mass_matrix().rows().to_vec(),
                momenta: lagrangian.momenta(),
                right: right.map(|(slope, &f)| slope + f).collect(),
                lagrangian: lagrangian.function(),
            }
        });
        let alone = momenta.is_some() && (form == Form::Momenta || n > MAX_DEGREES_FOR_ALL_FORMS);
        let squares = (form != Form::Closed && !alone)
            .then(|| {
                let mut found = lagrangian.sum_of_squares();
                // Short rows first: they are parts of longer ones.
                found.squares.sort_by_key(|s| s.row.len());
                let mass = |s: &SquaredVelocity<'p>| s.mass.evaluate_f64(&[]);
                let masses: Vec<f64> = found.squares.iter().map(mass).collect();
                let sound = masses.iter().all(|m| m.is_finite() && *m > 0.0);
                (sound && !masses.is_empty()).then_some((found, masses))
            })
            .flatten();
        let closed = !alone && (squares.is_none() || n <= MAX_DEGREES_FOR_BOTH_FORMS);
        let closed = closed.then(|| {
            (
                lagrangian.mass_matrix().rows().to_vec(),
                lagrangian.right_hand_side(force),
            )
        });
        Self {
            force: force.clone(),
            constraints,
            squares,
            closed,
            momenta,
            reduced,
            form,
        }
    }

    /// The registers of the equations.
    pub(crate) fn rates(&self, builder: &mut Builder) -> Result<Rates, Unsupported> {
        let mut rates = self.unreduced(builder)?;
        let Some(reduced) = &self.reduced else {
            return Ok(rates);
        };
        let longer = length(builder, &rates);
        rates.reduced = Some(reduced.registers(builder)?);
        if self.form != Form::Reduced && length(builder, &rates) >= longer {
            rates.reduced = None;
        }
        Ok(rates)
    }

    /// The equations with one unknown for each coordinate and each constraint.
    fn unreduced(&self, builder: &mut Builder) -> Result<Rates, Unsupported> {
        let mut best: Option<(usize, Rates)> = None;
        if self.form == Form::Squares
            && let Some(rates) = self.squared(builder)?
        {
            return Ok(rates);
        }
        let forms = [
            self.squares.is_some(),
            self.closed.is_some(),
            self.momenta.is_some(),
        ];
        let two = forms.into_iter().filter(|f| *f).count() > 1;
        let parts = [
            self.squared(builder)?,
            self.closed(builder)?,
            self.with_momenta(builder)?,
        ];
        for part in parts {
            let Some(rates) = part else { continue };
            let length = if two { length(builder, &rates) } else { 0 };
            if best.as_ref().is_none_or(|b| length < b.0) {
                best = Some((length, rates));
            }
        }
        // One of the two forms always exists.
        Ok(best.map(|b| b.1).unwrap_or_default())
    }

    /// Whether a reaction acts along another covector than the row of its constraint.
    fn asymmetric(&self) -> bool {
        self.constraints.iter().any(|c| c.row != c.covector)
    }

    /// The matrix bordered by the constraints: [g −Cᵀ; J 0]·[a; λ] = [f; −d], for ideal reactions C = J. (T-83, T-87)
    fn bordered(&self, builder: &mut Builder, mass: &[Vec<Reg>]) -> Result<Vec<Reg>, Unsupported> {
        let zero = builder.number(0.0);
        let mut matrix = Vec::new();
        for (i, row) in mass.iter().enumerate() {
            matrix.extend(row);
            for c in &self.constraints {
                matrix.push(builder.expr(-c.covector[i])?);
            }
        }
        for c in &self.constraints {
            for &e in &c.row {
                matrix.push(builder.expr(e)?);
            }
            matrix.extend(self.constraints.iter().map(|_| zero));
        }
        Ok(matrix)
    }

    fn right(&self, builder: &mut Builder, f: &[Expr<'p>]) -> Result<Vec<Reg>, Unsupported> {
        let drifts = self.constraints.iter().map(|c| &c.right);
        f.iter().chain(drifts).map(|&e| builder.expr(e)).collect()
    }

    /// ∂f/∂u and ġ, for few degrees of freedom without constraints and a mass matrix that depends on
    /// time and place alone.
    fn ahead(&self, builder: &mut Builder) -> Result<Option<Ahead>, Unsupported> {
        let Some((mass, f)) = &self.closed else {
            return Ok(None);
        };
        if f.len() > MAX_DEGREES_AHEAD || !self.constraints.is_empty() {
            return Ok(None);
        }
        let state = self.force.state();
        let moves = |g: &Expr<'p>| g.contains_any(state.velocities());
        if mass.iter().flatten().any(moves) {
            return Ok(None);
        }
        let mut rates = vec![(state.time(), state.pool().one())];
        let x = state.base().positions().iter().copied();
        rates.extend(x.zip(state.velocities().iter().copied()));
        let mut ahead = Ahead::default();
        for f in f {
            for slope in f.gradient(state.velocities()) {
                ahead.slopes.push(builder.expr(slope)?);
            }
        }
        for g in mass.iter().flatten() {
            ahead.drift.push(builder.expr(g.derivative_along(&rates))?);
        }
        Ok(Some(ahead))
    }

    fn closed(&self, builder: &mut Builder) -> Result<Option<Rates>, Unsupported> {
        let Some((mass, f)) = &self.closed else {
            return Ok(None);
        };
        let mut rows = Vec::new();
        for row in mass {
            let row: Result<Vec<Reg>, _> = row.iter().map(|&e| builder.expr(e)).collect();
            rows.push(row?);
        }
        Ok(Some(Rates {
            dimension: f.len(),
            unknowns: f.len() + self.constraints.len(),
            matrix: self.bordered(builder, &rows)?,
            right: self.right(builder, f)?,
            squares: None,
            ahead: self.ahead(builder)?,
            asymmetric: self.asymmetric(),
            ..Rates::default()
        }))
    }

    /// The momenta are registers, and their rates are their series shifted by one place: the mass matrix needs no
    /// series.
    fn with_momenta(&self, builder: &mut Builder) -> Result<Option<Rates>, Unsupported> {
        let Some(known) = &self.momenta else {
            return Ok(None);
        };
        let n = known.momenta.len();
        let (zero, one) = (builder.number(0.0), builder.number(1.0));
        let mut rows = Vec::new();
        for row in &known.mass {
            let row: Result<Vec<Reg>, _> = row.iter().map(|&e| builder.expr(e)).collect();
            rows.push(row?);
        }
        let mut terms = Vec::new();
        for (i, &p) in known.momenta.iter().enumerate() {
            terms.push((i, one, builder.expr(p)?));
        }
        Ok(Some(Rates {
            dimension: n,
            unknowns: n + self.constraints.len(),
            matrix: self.bordered(builder, &rows)?,
            right: vec![],
            squares: Some(Squares {
                terms,
                written_out: vec![],
                rest: self.bordered(builder, &vec![vec![zero; n]; n])?,
                right: self.right(builder, &known.right)?,
                velocities: vec![],
            }),
            lagrangian: Some(builder.expr(known.lagrangian)?),
            ..Rates::default()
        }))
    }

    /// The terms of the squares, and the remaining right-hand sides. A force that is a number times the base of a
    /// term, such as a weight, is the rate of a velocity that grows with time. It becomes a part of the term; the
    /// rates are returned, one per term.
    fn pulled(
        &self,
        (found, masses): &(SumOfSquares<'p>, Vec<f64>),
        rows: &[Row<'p>],
    ) -> (Vec<(Group<'p>, f64)>, Vec<Expr<'p>>) {
        let mut right = found.rest.right_hand_side(&self.force);
        let own = own_inertia(rows, masses, self.force.state());
        let mut groups = Vec::new();
        for group in grouped(rows, masses, &own) {
            if group.is_empty(rows, &found.squares) {
                continue;
            }
            let f = &mut right[group.equation];
            let pull = match f.view() {
                _ if group.base.is_one() => None,
                View::Sum(terms) => terms.into_iter().find(|t| t.1 == group.base),
                _ => None,
            };
            let mut rate = 0.0;
            if let Some((number, base)) = pull {
                rate = -number.to_f64() / group.factor;
                *f -= base * number;
            }
            groups.push((group, rate));
        }
        (groups, right)
    }

    /// Whether the mass matrix is written out: where it is short, or elimination needs it.
    fn writes_matrix(&self, rows: &[Row<'p>], masses: &[f64], forest: &[Velocity]) -> bool {
        let long = rows.iter().map(|row| row.len() * row.len()).sum::<usize>();
        let even = forest.iter().zip(masses).all(|(v, mass)| {
            let parent = v.parent.map_or(*mass, |p| masses[p]);
            (mass / parent).max(parent / mass) <= MAX_MASS_RATIO
        });
        self.form != Form::ForRuns
            || !self.constraints.is_empty()
            || !even
            || self.force.state().degrees_of_freedom() <= MAX_DEGREES_WITHOUT_OWN
            || long <= MAX_PRODUCTS_OF_MATRIX
    }

    fn squared(&self, builder: &mut Builder) -> Result<Option<Rates>, Unsupported> {
        let Some(known) = &self.squares else {
            return Ok(None);
        };
        let (found, masses) = known;
        let squares: &[SquaredVelocity<'p>] = &found.squares;
        let state = found.rest.state();
        let n = state.degrees_of_freedom();
        let u = state.velocities();
        let zero = builder.number(0.0);
        let rows = rows_of(squares);
        let mut velocities = Vec::new();
        // The velocities as a forest: each from the one before it that has most of its row.
        let mut forest = Vec::new();
        for (k, s) in squares.iter().enumerate() {
            // Rows come by length: the last one that is a part is the longest.
            let earlier = (k.saturating_sub(MAX_SEARCHED_SUMS)..k).rev();
            let parent = earlier.into_iter().find(|&j| is_part(&rows[j], &rows[k]));
            let (mut entries, mut products) = (Vec::new(), Vec::new());
            for e in &rows[k] {
                if parent.is_none_or(|p| !has_entry(&rows[p], e)) {
                    let base = builder.expr(e.2)?;
                    entries.push((e.0, builder.scale(base, e.1)));
                    let u = builder.expr(u[e.0])?;
                    let product = builder.mul(base, u);
                    products.push(builder.scale(product, e.1));
                }
            }
            let velocity = match parent {
                Some(p) if squares[p].drift == s.drift => products
                    .into_iter()
                    .fold(velocities[p], |sum, t| builder.add(sum, t)),
                _ => builder.expr(s.velocity)?,
            };
            velocities.push(velocity);
            forest.push(Velocity {
                mass: builder.number(masses[k]),
                parent,
                entries,
            });
        }
        let own = own_inertia(&rows, masses, state);
        let (groups, mut right) = self.pulled(known, &rows);
        let time = builder.expr(state.time())?;
        let written = self.writes_matrix(&rows, masses, &forest);
        let mut sums = Sums { made: vec![] };
        let (mut terms, mut written_out) = (Vec::new(), Vec::new());
        let mut matrix: BTreeMap<(usize, usize), Reg> = BTreeMap::new();
        for (group, rate) in &groups {
            let (i, factor) = (&group.equation, group.factor);
            let growing = |builder: &mut Builder, w: Reg, rate: f64| {
                let pull = builder.scale(time, rate);
                builder.add(w, pull)
            };
            let w = match group.others {
                true => flat(builder, squares, &rows, u, (group, 1.0))?,
                false => sums.make(builder, &velocities, &group.weights),
            };
            let w = growing(builder, w, *rate);
            let base = builder.expr(group.base)?;
            if squares.len() <= MAX_FLAT_VELOCITIES {
                let w = flat(builder, squares, &rows, u, (group, factor))?;
                written_out.push((base, growing(builder, w, *rate * factor)));
            }
            let b = builder.scale(base, factor);
            terms.push((*i, b, w));
            if !written {
                continue;
            }
            // The mass matrix: b·∂w/∂uʲ.
            let slopes = group.products(&rows).into_iter().filter(|s| s.0 >= *i);
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
        // The remainder of the Lagrangian, the forces and the twist.
        let mass = found.rest.mass_matrix();
        for s in squares {
            for &(i, twist) in &s.twist {
                right[i] -= s.mass * s.velocity * twist;
            }
        }
        let (mut rest, mut whole) = (Vec::new(), Vec::new());
        for i in 0..n {
            let (mut left, mut row) = (Vec::new(), Vec::new());
            for j in 0..n {
                let entry = mass.rows()[i][j];
                let mut r = match entry.is_zero() {
                    true => zero,
                    false => builder.expr(entry)?,
                };
                if let Some(own) = own[i].filter(|_| i == j) {
                    let own = builder.number(own);
                    r = builder.add(r, own);
                }
                left.push(r);
                let t = matrix.get(&(i.min(j), i.max(j))).copied().unwrap_or(zero);
                row.push(builder.add(r, t));
            }
            rest.push(left);
            whole.push(row);
        }
        Ok(Some(Rates {
            dimension: n,
            unknowns: n + self.constraints.len(),
            matrix: match written {
                true => self.bordered(builder, &whole)?,
                false => vec![],
            },
            right: vec![],
            squares: Some(Squares {
                terms,
                written_out,
                rest: self.bordered(builder, &rest)?,
                right: self.right(builder, &right)?,
                // They have everything in them, also what an equation leaves out.
                velocities: match own.iter().any(Option::is_some) {
                    true => vec![],
                    false => forest,
                },
            }),
            ahead: self.ahead(builder)?,
            asymmetric: self.asymmetric(),
            ..Rates::default()
        }))
    }
}
