//! The motion of a system given by a Hamiltonian as a model on phase space: a first-order system. (T-54, T-102)

use galilei_expr::{Expr, ExprId, Rational};

use crate::code::Code;
use crate::contents::{
    Constraint, Contribution, Coordinate, Enforcement, Level, Part, PhaseEnergies,
};
use crate::diagnostic::Diagnostic;
use crate::initial_rates::InitialRates;
use crate::model::Model;

impl Model {
    /// Hamilton's equations as a model whose coordinates are (x, p) and whose constraints x' = ∂H/∂p, p' = −∂H/∂x + F
    /// determine all velocities, so that its constraint manifold is phase space. Outputs, events and the
    /// initial state are written in (t, x, p). Vector fields and other charts are left out.
    ///
    /// ```
    /// use galilei_model::{Settings, read};
    /// let text = "coord x\nhamiltonian: p(x)^2/2 + p(x)^4/4 + x^2/2\ninitial p(x) = 1\n";
    /// let model = read(text, &Settings::default()).model.unwrap();
    /// let above = model.on_phase_space().unwrap();
    /// let names: Vec<&str> = above.contents().coordinates.iter().map(|c| c.name.as_str()).collect();
    /// assert_eq!(names, ["x", "p(x)"]);
    /// assert_eq!(above.phase_state(0.0, &[0.5], &[1.0]).unwrap(), [0.0, 0.5, 1.0, 2.0, -0.5]);
    /// ```
    ///
    /// # Errors
    /// Where the model is not given by a Hamiltonian, has constraints, or a force with kinks.
    pub fn on_phase_space(&self) -> Result<Self, Diagnostic> {
        let own = self.contents();
        let refuse = |what: &str, hint: &str, span| {
            let message = format!(
                "{what}, and the Legendre transform of this Hamiltonian has no closed form"
            );
            Diagnostic::error(Code::NotAvailable, message, hint, span)
        };
        let Some(h) = self.given_hamiltonian() else {
            let message = "a model without `hamiltonian:` is not followed in (x, p)";
            let hint = "give the system by its Hamiltonian";
            return Err(Diagnostic::error(Code::NotAvailable, message, hint, None));
        };
        let runs = "runs (`simulate`, `report`), `check`, `derive` and `eval` work in (x, p) with constraints";
        if let Some(c) = own.constraints.first() {
            let what = "this command does not follow constraints in (x, p)";
            return Err(refuse(what, runs, Some(c.span)));
        }
        if let Some(f) = own.forces.iter().find(|f| f.kinked) {
            let what = format!(
                "`{}` has kinks, across which momenta have no second derivative",
                f.name
            );
            let hint = "make the force smooth, or give the system by its Lagrangian";
            return Err(refuse(&what, hint, Some(f.span)));
        }
        let (pool, system, time) = (self.pool(), self.system(), self.time());
        let (x, u, p) = (self.positions(), self.velocities(), &h.momenta);
        let n = x.len();
        let mut list = vec![system.lagrangian().function()];
        list.extend(system.total_force().components());
        list.extend(own.outputs.iter().map(|o| self.expr(o.value)));
        list.extend(own.events.iter().map(|e| self.expr(e.value)));
        let list = pool
            .legendre_unfolded(&list)
            .ok_or_else(|| refuse("this system is not written in (x, p)", runs, Some(h.span)))?;
        // Where L has a closed form its momenta are formulas of the velocities.
        let flat: Vec<_> = match h.implicit {
            true => vec![],
            false => u
                .iter()
                .copied()
                .zip(h.velocities.iter().copied())
                .collect(),
        };
        let list = pool.substitute_all(&list, &flat);
        let (force, rest) = list[1..].split_at(n);
        let field: Vec<Expr<'_>> = (h.velocities.iter().copied())
            .chain((0..n).map(|i| force[i] - h.function.diff(x[i])))
            .collect();
        let rate = |x: &Expr<'_>| pool.symbol(&format!("p({x})'"));
        let y: Vec<Expr<'_>> = x.iter().chain(p).copied().collect();
        let v: Vec<Expr<'_>> = u.iter().copied().chain(x.iter().map(rate)).collect();
        let mut contents = own.clone();
        let (outputs, events) = rest.split_at(own.outputs.len());
        for (o, e) in contents.outputs.iter_mut().zip(outputs) {
            o.value = e.id();
        }
        for (o, e) in contents.events.iter_mut().zip(events) {
            o.value = e.id();
        }
        let start = self.phase_start();
        let mut at = vec![(time, own.run.from.map_or(pool.zero(), |t| self.expr(t)))];
        at.extend(y.iter().copied().zip(start.iter().copied()));
        let rates = pool.substitute_all(&field, &at);
        contents.coordinates = (0..2 * n)
            .map(|k| {
                let below = &own.coordinates[k % n];
                let name = match k < n {
                    true => below.name.clone(),
                    false => format!("p({})", below.name),
                };
                Coordinate {
                    name,
                    position: y[k].id(),
                    velocity: v[k].id(),
                    unit: below.unit.clone().filter(|_| k < n),
                    scale: if k < n { below.scale } else { pool.one().id() },
                    initial_position: Some(start[k].id()),
                    initial_velocity: Some(rates[k].id()),
                    given_velocity: Some(rates[k].id()),
                }
            })
            .collect();
        let half = Rational::new(1, 2);
        contents.contributions = vec![Contribution {
            name: "phase space".into(),
            statement: "kinetic",
            part: Part::Kinetic,
            value: (half * pool.sum(v.iter().map(|&v| v.pow(2)))).id(),
            span: h.span,
        }];
        let equations: Vec<ExprId> = (v.iter().zip(&field))
            .map(|(&v, &g)| (v - g).id())
            .collect();
        contents.constraints = (contents.coordinates.iter().zip(&equations))
            .map(|(c, &function)| Constraint {
                name: format!("{}'", c.name),
                function,
                form: vec![],
                level: Level::Velocity,
                enforcement: Enforcement::Ideal,
                enforced_at: None,
                span: h.span,
            })
            .collect();
        contents.initial_rates = InitialRates {
            written: equations.len(),
            equations,
            unknown: (0..2 * n).collect(),
            solved: (0..2 * n).collect(),
        };
        let dot = |a: &[Expr<'_>], b: &[Expr<'_>]| {
            let products: Vec<ExprId> = a.iter().zip(b).map(|(&a, &b)| (a * b).id()).collect();
            pool.sum(products.into_iter().map(|e| pool.expr(e)))
        };
        contents.phase = Some(PhaseEnergies {
            energy: h.function.id(),
            power: (h.function.diff(time) + dot(force, &h.velocities)).id(),
            lagrangian: (dot(p, &h.velocities) - h.function).id(),
        });
        contents.forces.clear();
        contents.dependent.clear();
        contents.dependent_span = None;
        contents.hamiltonian = None;
        contents.given = None;
        contents.metric = None;
        contents.references.clear();
        contents.symmetries.clear();
        contents.variations.clear();
        contents.charts.clear();
        contents.atlas = None;
        Ok(self.with_contents(contents))
    }

    /// A model on phase space in which momenta rest at the start, and velocities are those of the start.
    #[must_use]
    pub fn with_resting_momenta(mut self) -> Self {
        let zero = self.pool().zero().id();
        let contents = self.contents_mut();
        let n = contents.coordinates.len() / 2;
        for c in &mut contents.coordinates[n..] {
            (c.initial_velocity, c.given_velocity) = (Some(zero), Some(zero));
        }
        contents.initial_rates = InitialRates::default();
        self
    }

    /// (x, p) at the start as formulas of the parameters.
    fn phase_start(&self) -> Vec<Expr<'_>> {
        let own = self.contents();
        let zero = self.pool().zero();
        let value = |e: Option<ExprId>| e.map_or(zero, |e| self.expr(e));
        let mut start: Vec<Expr<'_>> = (own.coordinates.iter())
            .map(|c| value(c.initial_position))
            .collect();
        let Some(h) = self.given_hamiltonian() else {
            return start;
        };
        if h.initial.iter().any(Option::is_some) {
            start.extend(h.initial.iter().map(|p| p.unwrap_or(zero)));
            return start;
        }
        let mut at = vec![(self.time(), value(own.run.from))];
        at.extend(self.positions().into_iter().zip(start.iter().copied()));
        let u = own.coordinates.iter().map(|c| value(c.initial_velocity));
        at.extend(self.velocities().into_iter().zip(u));
        start.extend(self.pool().substitute_all(&h.closed, &at));
        start
    }

    /// (t, x, p, ẋ, ṗ) of a model on phase space at a time, positions and momenta.
    ///
    /// # Errors
    /// Where a parameter has no value.
    pub fn phase_state(
        &self,
        time: f64,
        x: &[f64],
        p: &[f64],
    ) -> Result<Vec<f64>, Vec<Diagnostic>> {
        let zero = self.pool().zero();
        let numbers = self.parameter_values()?;
        let still: Vec<_> = (self.velocities().into_iter()).map(|v| (v, zero)).collect();
        let field = self.exprs(&self.contents().initial_rates.equations);
        let field = self.pool().substitute_all(&field, &still);
        let field = self.pool().substitute_all(&field, &numbers);
        let mut at = vec![(self.time(), time)];
        at.extend(self.positions().into_iter().zip(x.iter().chain(p).copied()));
        let mut state: Vec<f64> = [&[time], x, p].concat();
        state.extend(field.iter().map(|e| -e.evaluate_f64(&at)));
        Ok(state)
    }
}
