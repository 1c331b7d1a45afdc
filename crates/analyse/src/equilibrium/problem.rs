//! The equations of equilibria, their unknowns and their zeros.

use galilei_expr::Expr;
use galilei_model::{Code, Diagnostic, Model};
use nalgebra::{DMatrix, DVector};

use crate::newton::Equations;
use crate::setting::{Generator, Setting, refused};
use crate::steady::exact;

/// Times at which a system that depends on time must rest.
const OTHER_TIMES: [f64; 2] = [0.377_215, 1.234_177];

/// Velocities of a guess that symmetries leave unexplained, relative to the largest velocity, at most.
const MAX_UNEXPLAINED: f64 = 1e-9;

/// A guess on its way to equilibria.
pub(super) struct Problem<'a, 'p> {
    pub(super) setting: &'a Setting<'p>,
    pub(super) generators: Vec<Generator<'p>>,
    /// (t, x, u) of the guess.
    pub(super) guess: Vec<f64>,
    /// The speeds along the generators.
    pub(super) speeds: Vec<f64>,
    pub(super) free: Vec<(String, Expr<'p>, f64)>,
    pub(super) autonomous: bool,
    /// Whether starts led to where the chart of a sphere ends.
    pub(super) ended: std::cell::Cell<bool>,
}

/// The unknowns that are solved for: positions, speeds, parameters; multipliers behind them.
pub(super) struct Unknowns {
    pub(super) positions: Vec<usize>,
    pub(super) speeds: Vec<usize>,
    /// The generator along which the motion of the guess is left out.
    pub(super) stopped: Option<usize>,
}

/// A zero of the equations.
#[derive(Clone)]
pub(super) struct Zero {
    pub(super) x: Vec<f64>,
    pub(super) speeds: Vec<f64>,
    pub(super) parameters: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
}

/// The free parameters: name, symbol, value to start from.
pub(super) fn free_parameters<'p>(
    model: &'p Model,
    names: &[String],
) -> Result<Vec<(String, Expr<'p>, f64)>, Vec<Diagnostic>> {
    let parameters = &model.contents().parameters;
    let mut list: Vec<(String, Expr<'p>, f64)> = Vec::new();
    for name in names {
        let Some(p) = parameters.iter().find(|p| p.name == *name) else {
            let known: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
            return Err(refused(
                Code::UnknownParameter,
                format!("there is no parameter `{name}`"),
                format!("there are {}", known.join(", ")),
            ));
        };
        if list.iter().any(|f| f.0 == *name) {
            continue;
        }
        let value = match p.value {
            Some(v) => {
                let known = model.known_constants();
                model.expr(v).substitute(&known).evaluate_f64(&[])
            }
            None => 1.0,
        };
        list.push((name.clone(), model.expr(p.symbol), value));
    }
    Ok(list)
}

impl<'a, 'p> Problem<'a, 'p> {
    /// The problem at a guess (t, x, u), with the symmetries that the setting knows.
    pub(super) fn new(
        setting: &'a Setting<'p>,
        guess: Vec<f64>,
        free: Vec<(String, Expr<'p>, f64)>,
    ) -> Self {
        Self {
            setting,
            generators: setting.generators(),
            guess,
            speeds: vec![],
            free,
            autonomous: setting.is_autonomous(),
            ended: std::cell::Cell::new(false),
        }
    }

    /// Explains the velocities of the guess by symmetries, those that were not declared if it must be; whether they could
    /// be explained.
    pub(super) fn explain_velocities(&mut self) -> bool {
        if self.fit_speeds() <= MAX_UNEXPLAINED {
            return true;
        }
        let declared = self.generators.len();
        let more = self.setting.affine_generators(&self.generators);
        self.generators.extend(more);
        if self.fit_speeds() <= MAX_UNEXPLAINED {
            return true;
        }
        self.generators.truncate(declared);
        self.fit_speeds() <= MAX_UNEXPLAINED
    }

    /// The sets of unknowns to solve for, one after the other until one has zeros: first with all that is given held, then
    /// with given positions free, then with velocities that merely follow from given ones, then without the motion along one symmetry, then with all
    /// velocities.
    /// `hold`: whether given positions (`given`: x, then u) are held.
    pub(super) fn attempts(&self, given: &[bool], hold: bool) -> Vec<Unknowns> {
        let n = self.n();
        let all: Vec<usize> = (0..n).filter(|&i| !self.is_ignorable(i)).collect();
        let some: Vec<usize> = (all.iter().copied())
            .filter(|&i| !(hold && given[i]))
            .collect();
        let moving: Vec<usize> = (0..self.speeds.len())
            .filter(|&k| self.speeds[k] != 0.0)
            .collect();
        let is_given = |k: usize| self.generators[k].ignorable.is_some_and(|i| given[n + i]);
        let loose: Vec<usize> = (moving.iter().copied()).filter(|&k| !is_given(k)).collect();
        let with = |positions: &[usize], speeds: &[usize]| Unknowns {
            positions: positions.to_vec(),
            speeds: speeds.to_vec(),
            stopped: None,
        };
        let mut list = vec![with(&some, &[])];
        if some.len() < all.len() {
            list.push(with(&all, &[]));
        }
        // The motion along one symmetry may keep that along others from being steady: a sleigh that turns.
        let without = |k: usize| Unknowns {
            stopped: Some(k),
            ..with(&all, &[])
        };
        let turns = |k: &usize| self.generators[*k].ignorable.is_none();
        let several = moving.len() > 1;
        if several && !given[n..].contains(&true) {
            list.extend(moving.iter().copied().filter(turns).map(without));
        }
        if !loose.is_empty() {
            list.push(with(&all, &loose));
        }
        if several {
            list.extend(moving.iter().copied().map(without));
        }
        if moving.len() > loose.len() {
            list.push(with(&all, &moving));
        }
        list
    }

    /// The speed along a generator that a plan holds.
    fn held_speed(&self, plan: &Unknowns, k: usize) -> f64 {
        match plan.stopped == Some(k) {
            true => 0.0,
            false => self.speeds[k],
        }
    }

    pub(super) fn n(&self) -> usize {
        self.setting.n()
    }

    pub(super) fn is_ignorable(&self, i: usize) -> bool {
        self.generators.iter().any(|g| g.ignorable == Some(i))
    }

    /// Explains the velocities of the guess by symmetries: ignorable coordinates first, then the others. What is left
    /// over, relative to the velocities.
    pub(super) fn fit_speeds(&mut self) -> f64 {
        let n = self.n();
        let mut rest = self.guess[1 + n..].to_vec();
        let size = rest.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        self.speeds = vec![0.0; self.generators.len()];
        if size == 0.0 {
            return 0.0;
        }
        for (k, g) in self.generators.iter().enumerate() {
            if let Some(i) = g.ignorable {
                self.speeds[k] = rest[i];
                rest[i] = 0.0;
            }
        }
        let others: Vec<usize> = (0..self.generators.len())
            .filter(|&k| self.generators[k].ignorable.is_none())
            .collect();
        if others.is_empty() || rest.iter().all(|x| *x == 0.0) {
            return rest.iter().fold(0.0_f64, |m, x| m.max(x.abs())) / size;
        }
        let list: Vec<Expr<'p>> = others
            .iter()
            .flat_map(|&k| self.generators[k].components.clone())
            .collect();
        let Some(values) = self.setting.at(&list, &self.guess) else {
            return 1.0;
        };
        // Ignorable coordinates that a declared field moves, too, keep their own velocity.
        let seen: Vec<usize> = (0..n).filter(|&i| !self.is_ignorable(i)).collect();
        let matrix = DMatrix::from_fn(seen.len(), others.len(), |i, k| values[k * n + seen[i]]);
        let right = DVector::from_fn(seen.len(), |i, _| rest[seen[i]]);
        if seen.is_empty() {
            return 0.0;
        }
        if let Ok(found) = matrix.clone().svd(true, true).solve(&right, 1e-12) {
            let left = &right - &matrix * &found;
            for (c, &k) in others.iter().enumerate() {
                let w = if found[c].abs() <= 1e-14 * size {
                    0.0
                } else {
                    found[c]
                };
                self.speeds[k] = w;
                for (own, g) in self.generators.iter().enumerate() {
                    if let Some(i) = g.ignorable {
                        self.speeds[own] -= w * values[c * n + i];
                    }
                }
            }
            return left.amax() / size;
        }
        1.0
    }

    pub(super) fn speed_symbol(&self, k: usize) -> Expr<'p> {
        self.setting.pool().symbol(&format!("speed({k})"))
    }

    pub(super) fn multiplier_symbol(&self, a: usize, copy: usize) -> Expr<'p> {
        self.setting
            .pool()
            .symbol(&format!("reaction multiplier({a}, {copy})"))
    }

    /// The times at which the equations must hold: one, or several if they depend on time.
    pub(super) fn times(&self) -> Vec<f64> {
        let first = self.guess[0];
        let others = OTHER_TIMES.iter().map(|d| first + d);
        match self.autonomous {
            true => vec![first],
            false => [first].into_iter().chain(others).collect(),
        }
    }

    /// The symbols of the unknowns: positions, speeds, parameters, multipliers.
    pub(super) fn symbols(&self, plan: &Unknowns) -> Vec<Expr<'p>> {
        let mut list: Vec<Expr<'p>> = plan.positions.iter().map(|&i| self.setting.x[i]).collect();
        list.extend(plan.speeds.iter().map(|&k| self.speed_symbol(k)));
        list.extend(self.free.iter().map(|f| f.1));
        for copy in 0..self.times().len() {
            list.extend((0..self.setting.rows.len()).map(|a| self.multiplier_symbol(a, copy)));
        }
        list
    }

    /// Lagrange's equations with multipliers on the field of the symmetries, then the constraints, with symbols for all
    /// positions and speeds.
    pub(super) fn general(&self) -> Vec<Expr<'p>> {
        self.general_along(|k| self.speeds[k] != 0.0)
    }

    /// Lagrange's equations with multipliers and the constraints on the field of chosen symmetries.
    pub(super) fn general_along(&self, moving: impl Fn(usize) -> bool) -> Vec<Expr<'p>> {
        let s = self.setting;
        let pool = s.pool();
        let n = s.n();
        let terms = |i: usize| {
            let moving = self
                .generators
                .iter()
                .enumerate()
                .filter(|(k, _)| moving(*k));
            pool.sum(moving.map(|(k, g)| g.components[i] * self.speed_symbol(k)))
        };
        let field: Vec<Expr<'p>> = (0..n).map(terms).collect();
        let along: Vec<(Expr<'p>, Expr<'p>)> =
            s.x.iter().copied().zip(field.iter().copied()).collect();
        let turning: Vec<Expr<'p>> = field.iter().map(|v| v.derivative_along(&along)).collect();
        let mut motion: Vec<(Expr<'p>, Expr<'p>)> = s.u.iter().copied().zip(field).collect();
        motion.extend(s.a.iter().copied().zip(turning));
        let equations = s.equations();
        let mut all = Vec::new();
        for (copy, time) in self.times().into_iter().enumerate() {
            let mut fixed = motion.clone();
            fixed.push((s.time, exact(pool, time)));
            let mut own: Vec<Expr<'p>> = Vec::new();
            for i in 0..n {
                let reactions = s
                    .rows
                    .iter()
                    .enumerate()
                    .map(|(a, r)| r.covector[i] * self.multiplier_symbol(a, copy));
                own.push(equations[i] - pool.sum(reactions));
            }
            own.extend(s.rows.iter().map(|r| r.equation));
            all.extend(pool.substitute_all(&own, &fixed));
        }
        all
    }

    /// The equations for some unknowns, with the guess for the other positions and speeds.
    pub(super) fn equations(&self, plan: &Unknowns) -> Option<Equations<'p>> {
        let pool = self.setting.pool();
        let n = self.n();
        let mut fixed: Vec<(Expr<'p>, Expr<'p>)> = Vec::new();
        for i in (0..n).filter(|i| !plan.positions.contains(i)) {
            fixed.push((self.setting.x[i], exact(pool, self.guess[1 + i])));
        }
        for k in (0..self.speeds.len()).filter(|k| !plan.speeds.contains(k)) {
            fixed.push((self.speed_symbol(k), exact(pool, self.held_speed(plan, k))));
        }
        let functions = pool.substitute_all(&self.general(), &fixed);
        // Equations that hold everywhere say nothing.
        let functions = functions.into_iter().filter(|e| !e.is_zero()).collect();
        Equations::new(functions, self.symbols(plan))
    }

    pub(super) fn free_values(&self, zero: &Zero) -> Vec<(Expr<'p>, Expr<'p>)> {
        let pool = self.setting.pool();
        let pairs = self.free.iter().zip(&zero.parameters);
        pairs.map(|(f, v)| (f.1, exact(pool, *v))).collect()
    }

    /// The unknowns at the guess, multipliers zero.
    pub(super) fn unknowns_of_guess(&self, plan: &Unknowns, equations: &Equations<'p>) -> Vec<f64> {
        let mut y: Vec<f64> = plan.positions.iter().map(|&i| self.guess[1 + i]).collect();
        y.extend(plan.speeds.iter().map(|&k| self.speeds[k]));
        y.extend(self.free.iter().map(|f| f.2));
        y.resize(equations.unknowns.len(), 0.0);
        y
    }

    /// Multipliers that fit a start best: the equations are linear in them.
    pub(super) fn fill_multipliers(
        &self,
        plan: &Unknowns,
        equations: &Equations<'p>,
        y: &mut [f64],
    ) {
        let first = plan.positions.len() + plan.speeds.len() + self.free.len();
        let count = y.len() - first;
        if count == 0 {
            return;
        }
        let Some(values) = equations.at(y) else {
            return;
        };
        let columns = values.j.columns(first, count).into_owned();
        if let Ok(found) = columns.svd(true, true).solve(&values.f, 1e-10) {
            for (a, l) in found.iter().enumerate() {
                y[first + a] -= l;
            }
        }
    }

    pub(super) fn zero(&self, plan: &Unknowns, y: &[f64]) -> Zero {
        let n = self.n();
        let mut x = self.guess[1..=n].to_vec();
        let mut rest = y.iter().copied();
        for (&i, v) in plan.positions.iter().zip(rest.by_ref()) {
            x[i] = v + 0.0;
        }
        let held = |k: usize| self.held_speed(plan, k);
        let mut speeds: Vec<f64> = (0..self.speeds.len()).map(held).collect();
        for &k in &plan.speeds {
            speeds[k] = rest.next().unwrap_or(0.0);
        }
        let parameters = rest.by_ref().take(self.free.len()).collect();
        let multipliers = rest.take(self.setting.rows.len()).collect();
        Zero {
            x,
            speeds,
            parameters,
            multipliers,
        }
    }

    /// (t, x, u) of a zero.
    pub(super) fn state_of(&self, zero: &Zero) -> Vec<f64> {
        let n = self.n();
        let mut state = vec![self.guess[0]];
        state.extend(&zero.x);
        state.resize(1 + 2 * n, 0.0);
        let field = self.setting.field(&self.generators, &zero.speeds);
        if let Some(values) = self.setting.at(&field, &state) {
            state[1 + n..].copy_from_slice(&values);
        }
        state
    }
}
