//! `hamiltonian:` the system given by H(t, x, p), and momenta at the start.

use galilei_expr::{Assumptions, Expr, generic_rank};
use galilei_mechanics::HamiltonianForm;
use galilei_syntax::{Assignment, Expression, Label, Name, Span};

use super::draft::Draft;
use crate::code::Code;
use crate::contents::{Hamiltonian, Level, Part};
use crate::momenta::{Start, velocities_at};
use crate::reader::Reader;

/// The name of a Lagrangian without a closed form among the functions of its pool. No function of a file can have it.
const LEGENDRE: &str = "L#legendre";

impl<'p> Draft<'p> {
    /// A term of H.
    pub(super) fn hamiltonian<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        label: Option<&'s Label>,
        value: &'s Expression,
        span: Span,
    ) -> Option<()> {
        self.no_manifolds(r, "`hamiltonian`", span)?;
        let name = self.label(r, "hamiltonian", label, span);
        let h = self.energy(r, value, "a Hamiltonian", true);
        let (name, h) = (name?, h?);
        let moving = r.coordinates.iter().find(|c| h.contains(c.velocity));
        if let Some(c) = moving {
            let name = c.name.clone();
            r.error(
                Code::VelocityNotAllowed,
                format!("a Hamiltonian is a function of (t, x, p), and this one contains {name}'"),
                format!("write it with the momentum p({name})"),
                value.span,
            );
            return None;
        }
        self.hamiltonians.push((name, h, span));
        Some(())
    }

    /// `initial p(x) = …`
    pub(super) fn initial_momentum<'s>(
        &mut self,
        r: &mut Reader<'p, 's>,
        (name, arguments): (&'s Name, &'s [Expression]),
        a: &'s Assignment,
    ) -> Option<()> {
        if r.momenta.is_none() {
            r.unknown_function(name);
            let _ = r.read(&a.value);
            return None;
        }
        let (k, v) = (r.momentum_of(arguments, name), r.read(&a.value));
        let (k, v) = (k?, v?);
        let (x, d) = r.scalar(&v, &a.value)?;
        r.constant(&v, "an initial value")?;
        if v.uses.symbols {
            let wanted = r.momentum_dimension(k);
            let target = format!("`{}`, energy per velocity,", r.text(a.target.span));
            r.fits(&d, &a.value, &wanted, &target)?;
        }
        if self.initial_momenta.insert(k, (x, a.target.span)).is_some() {
            r.duplicate(&a.target);
        }
        Some(())
    }

    /// The Legendre transform of H, once all its terms are read: momenta are functions of (t, x, u) from then on.
    pub(super) fn prepare_hamiltonian(&mut self, r: &mut Reader<'p, '_>) -> Option<()> {
        let span = self.hamiltonians.first()?.2;
        if r.coordinates.is_empty() {
            return None;
        }
        let momenta = r.momenta.clone()?;
        let function = r.pool.sum(self.hamiltonians.iter().map(|h| h.1));
        let state = r.state_space();
        let form = HamiltonianForm::over(&state, function);
        let domain =
            (self.assumptions.iter()).fold(Assumptions::new(), |all, a| all.positive(a.positive));
        self.judge_hamiltonian(r, &form, &domain, span)?;
        let closed = form.legendre(&state, &domain);
        let implicit = closed.is_none();
        let found = closed.map(|l| (l.momenta, l.lagrangian.function()));
        let numerically = || {
            let u = state.velocities();
            let l = r.pool.legendre(LEGENDRE, function, &momenta, u)?;
            Some((l.gradient(u), l))
        };
        let Some((inverse, lagrangian)) = found.or_else(numerically) else {
            r.error(
                Code::NotAvailable,
                "the Legendre map u = ∂H/∂p has no inverse in closed form here, and it couples too many momenta for formulas of the Lagrangian side",
                "a Hamiltonian that is quadratic in the momenta, a function of one quadratic form of them, or one that couples at most five momenta will do",
                span,
            );
            return None;
        };
        r.closed_momenta = (momenta.iter().copied())
            .zip(inverse.iter().copied())
            .collect();
        self.hamiltonian = Some(Hamiltonian {
            function,
            velocities: form.velocities(),
            closed: inverse,
            implicit,
            initial: vec![],
            momenta,
            span,
        });
        self.legendre = Some(lagrangian);
        Some(())
    }

    /// Makes one system of H and everything else, as functions of (t, x, u).
    pub(super) fn finish_hamiltonian(&mut self, r: &mut Reader<'p, '_>) -> Option<()> {
        let (name, _, span) = self.hamiltonians.first()?.clone();
        for c in &self.contributions {
            r.error(
                Code::MixedFormulations,
                format!("`{}` stands beside `hamiltonian:`, which gives all of the energy", c.statement),
                "add the energy to H as a function of (t, x, p), or give no `hamiltonian:`; forces and constraints may be added",
                c.span,
            );
        }
        let mut both: Vec<(usize, Span)> = (self.initial_momenta.iter())
            .filter(|(k, _)| self.initial.contains_key(&(**k, true)))
            .map(|(k, (_, span))| (*k, *span))
            .collect();
        both.sort_unstable();
        for (k, span) in both {
            let name = r.coordinates[k].name.clone();
            r.error(
                Code::MomentumBesideVelocity,
                format!("both p({name}) and {name}' are given, and one determines the other"),
                "keep one of them",
                span,
            );
        }
        if !self.contributions.is_empty() {
            return None;
        }
        let mut given = self.hamiltonian.take()?;
        given.initial = (0..given.momenta.len())
            .map(|k| self.initial_momenta.get(&k).map(|m| m.0))
            .collect();
        let value = self.legendre?;
        self.contribute(name, "hamiltonian", Part::Lagrangian, value, span);
        let pairs = r.closed_momenta.clone();
        self.substitute_momenta(r, &pairs);
        self.start_with_momenta(r, &given);
        self.hamiltonian = Some(given);
        Some(())
    }

    /// Refuses a Hamiltonian whose Legendre map determines no momenta.
    fn judge_hamiltonian(
        &mut self,
        r: &mut Reader<'p, '_>,
        form: &HamiltonianForm<'p>,
        domain: &Assumptions<'p>,
        span: Span,
    ) -> Option<()> {
        let rows = form.inverse_mass().rows().to_vec();
        let (rank, n) = (generic_rank(&rows, domain), rows.len());
        if rank.rank == n || !rank.verdict.is_proved() {
            return Some(());
        }
        let idle: Vec<&str> = (0..n)
            .filter(|&i| rows[i].iter().all(|e| e.is_zero()))
            .map(|i| r.coordinates[i].name.as_str())
            .collect();
        let hint = match idle.as_slice() {
            [] => "the velocities ∂H/∂p must determine the momenta: every momentum needs a part of H that is not linear".to_owned(),
            _ => format!("H is at most linear in p({}), so the velocity does not depend on it", idle.join("), p(")),
        };
        r.error(
            Code::DegenerateHamiltonian,
            format!(
                "∂²H/∂p∂p has rank {} instead of {n}: the velocities do not determine the momenta",
                rank.rank
            ),
            hint,
            span,
        );
        None
    }

    /// Replaces momenta in forces, constraints, outputs and events.
    fn substitute_momenta(&mut self, r: &Reader<'p, '_>, pairs: &[(Expr<'p>, Expr<'p>)]) {
        let velocities: Vec<Expr<'p>> = r.coordinates.iter().map(|c| c.velocity).collect();
        for &(k, d) in &self.dissipations {
            let d = d.substitute(pairs);
            self.forces[k].components = d.gradient(&velocities).into_iter().map(|c| -c).collect();
        }
        for force in &mut self.forces {
            force.components = r.pool.substitute_all(&force.components, pairs);
        }
        for c in &mut self.constraints {
            c.function = c.function.substitute(pairs);
            c.form = r.pool.substitute_all(&c.form, pairs);
            c.level = match c.level {
                Level::Acceleration => Level::Acceleration,
                _ if c.function.contains_any(&velocities) => Level::Velocity,
                _ => Level::Position,
            };
        }
        for output in &mut self.outputs {
            output.value = output.value.substitute(pairs);
        }
        for event in &mut self.events {
            event.value = event.value.substitute(pairs);
        }
    }

    /// The velocities at the start, as functions of the parameters, where momenta are given.
    fn start_with_momenta(&mut self, r: &mut Reader<'p, '_>, given: &Hamiltonian<Expr<'p>>) {
        if self.initial_momenta.is_empty() {
            return;
        }
        let zero = r.pool.zero();
        let n = r.coordinates.len();
        let position: Vec<Expr<'p>> = (0..n)
            .map(|k| self.initial.get(&(k, false)).copied().unwrap_or(zero))
            .collect();
        let velocity: Vec<Option<Expr<'p>>> = (0..n)
            .map(|k| self.initial.get(&(k, true)).copied())
            .collect();
        let start = Start {
            time: self.run.from.unwrap_or(zero),
            position: &position,
            velocity: &velocity,
            momentum: &given.initial,
        };
        let x: Vec<Expr<'p>> = r.coordinates.iter().map(|c| c.position).collect();
        let u: Vec<Expr<'p>> = r.coordinates.iter().map(|c| c.velocity).collect();
        match velocities_at(given, r.time, (&x, &u), &start) {
            Ok(list) => self.implied_velocities = list,
            Err(message) => {
                let span = self.initial_momenta.values().map(|m| m.1).min();
                r.error(
                    Code::NotAvailable,
                    message,
                    "give all momenta, or all velocities",
                    span,
                );
            }
        }
    }
}
