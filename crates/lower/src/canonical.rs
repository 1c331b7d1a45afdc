//! Runs in (x, p): systems given by a Hamiltonian whose Legendre map has no inverse in closed form.
//!
//! Hamilton's equations y′ = γ(t, y) for y = (x, p) (T-54, T-98) are followed as the second-order system y″ = dγ/dt of twice as
//! many coordinates, which starts on y′ = γ and keeps y′ − γ. Multipliers are written out. All other quantities are written
//! in (t, x, p).

use std::sync::Arc;

use galilei_expr::Expr;
use galilei_geometry::Matrix;
use galilei_model::{Code, Diagnostic, Hamiltonian, Model, refused};
use galilei_tape::{Problem, Rates, Reg, Tape, Unsupported};

use crate::lowering::{Lowered, Lowering, Parameters, no_numbers};
use crate::stopwatch::Stopwatch;

/// Hamilton's equations as code, for runs in (x, p).
#[derive(Clone, Debug)]
pub struct CanonicalField {
    /// γ from (t, x, p).
    tape: Arc<Tape>,
    /// n
    degrees: usize,
}

impl CanonicalField {
    /// The state (x, p, ẋ, ṗ) that belongs to (x, p).
    pub fn lifted(&self, time: f64, canonical: &[f64]) -> Vec<f64> {
        let inputs: Vec<f64> = [&[time], canonical].concat();
        let mut values = vec![0.0; self.tape.len()];
        self.tape.evaluate(&inputs, &[], &mut values);
        let rates = self.tape.outputs().iter().map(|r| values[*r as usize]);
        canonical.iter().copied().chain(rates).collect()
    }

    /// (x, ẋ) of a state (x, p, ẋ, ṗ).
    pub fn natural(&self, lifted: &[f64]) -> Vec<f64> {
        let n = self.degrees;
        [&lifted[..n], &lifted[2 * n..3 * n]].concat()
    }

    /// n
    pub fn degrees(&self) -> usize {
        self.degrees
    }
}

/// The refusal of something that has no form in (x, p).
pub fn not_available(what: &str) -> Vec<Diagnostic> {
    refused(
        Code::NotAvailable,
        format!(
            "{what} needs the Lagrangian as a formula, and the Legendre transform of this Hamiltonian has no closed form"
        ),
        "runs (`simulate`, `report`), `check`, `derive` and `eval` work in (x, p); a Hamiltonian that is quadratic in the momenta, or a function of one quadratic form of them, has a closed form",
    )
}

/// Lowers the motion of a model in (x, p): see the module. The state of the problem is (x, p, ẋ, ṗ).
///
/// # Errors
/// Where a parameter has no value, something in the model has no numbers, or a force has kinks.
pub fn lower_canonical(model: &Model) -> Result<Lowered, Vec<Diagnostic>> {
    let started = Stopwatch::start();
    let Some(h) = model.given_hamiltonian() else {
        return Err(not_available("this run"));
    };
    if model.contents().atlas.is_some() {
        return Err(not_available("a run in an atlas"));
    }
    if let Some(f) = model.contents().forces.iter().find(|f| f.kinked) {
        return Err(vec![Diagnostic::error(
            Code::NotAvailable,
            format!(
                "`{}` has kinks, across which momenta have no second derivative, and this Hamiltonian has no closed Legendre transform",
                f.name
            ),
            "make the force smooth, or give the system by its Lagrangian",
            f.span,
        )]);
    }
    let lowering = Lowering::new(model, Parameters::Constant)?;
    let equations = Canonical::new(&lowering, &h).ok_or_else(|| not_available("this run"))?;
    let derive_seconds = started.seconds();
    let started = Stopwatch::start();
    let failed = |why: Unsupported| no_numbers(&why);
    let problem = equations.problem().map_err(failed)?;
    let inputs = &equations.inputs()[..=2 * equations.n];
    let field = lowering.tape(inputs, &equations.field).map_err(failed)?;
    let force = lowering.tape(&equations.inputs(), &equations.right());
    let contents = model.contents();
    Ok(Lowered {
        canonical: Some(CanonicalField {
            tape: Arc::new(field),
            degrees: equations.n,
        }),
        problem,
        force: Arc::new(force.map_err(failed)?),
        coordinates: (contents.coordinates.iter())
            .map(|c| c.name.clone())
            .collect(),
        output_names: contents.outputs.iter().map(|o| o.name.clone()).collect(),
        event_names: contents.events.iter().map(|e| e.name.clone()).collect(),
        derive_seconds,
        compile_seconds: started.seconds(),
    })
}

/// Hamilton's equations and the followed quantities, in (t, x, p).
struct Canonical<'a, 'p> {
    lowering: &'a Lowering<'a, 'p>,
    n: usize,
    /// (x, p)
    positions: Vec<Expr<'p>>,
    /// Symbols of (ẋ, ṗ).
    rates: Vec<Expr<'p>>,
    /// γ
    field: Vec<Expr<'p>>,
    energy: Expr<'p>,
    power: Expr<'p>,
    lagrangian: Expr<'p>,
    residuals: Vec<Expr<'p>>,
    events: Vec<Expr<'p>>,
    outputs: Vec<Expr<'p>>,
}

impl<'a, 'p> Canonical<'a, 'p> {
    fn new(lowering: &'a Lowering<'a, 'p>, h: &Hamiltonian<Expr<'p>>) -> Option<Self> {
        let (model, state) = (lowering.model, lowering.state());
        let pool = model.pool();
        let (time, x, u) = (state.time(), state.base().positions(), state.velocities());
        let (p, n) = (&h.momenta, x.len());
        // The Lagrangian itself makes all of a list unfold.
        let l = lowering.system.lagrangian().function();
        let unfold = |list: Vec<Expr<'p>>| -> Option<Vec<Expr<'p>>> {
            let mut all = vec![l];
            all.extend(list);
            let all = pool.legendre_unfolded(&lowering.with_values(&all))?;
            Some(all[1..].to_vec())
        };
        let function = lowering.with_values(&[h.function])[0];
        let slopes = lowering.with_values(&h.velocities);
        let force = unfold(lowering.force().components().to_vec())?;
        let pushed = |i: usize, f: &[Expr<'p>]| f[i] - function.diff(x[i]);
        let free: Vec<Expr<'p>> = (0..n).map(|i| pushed(i, &force)).collect();
        let along = |e: Expr<'p>, momenta: &[Expr<'p>]| {
            let mut rates = vec![(time, pool.one())];
            rates.extend(x.iter().copied().zip(slopes.iter().copied()));
            rates.extend(p.iter().copied().zip(momenta.iter().copied()));
            e.derivative_along(&rates)
        };
        // J·a + d = 0 with a = dẋ/dt = a_free + M·Cᵀλ. (T-98)
        let rows = &lowering.constraints;
        let mut list = Vec::new();
        for r in rows {
            list.extend(&r.row);
            list.extend(&r.covector);
            list.push(r.drift);
        }
        let list = unfold(list)?;
        let row = |k: usize| &list[k * (2 * n + 1)..(k + 1) * (2 * n + 1)];
        let accelerations: Vec<Expr<'p>> = slopes.iter().map(|&s| along(s, &free)).collect();
        let inverse_mass = pool.jacobian(&slopes, p);
        let dot = |a: &[Expr<'p>], b: &[Expr<'p>]| pool.sum(a.iter().zip(b).map(|(&a, &b)| a * b));
        let raised =
            |c: &[Expr<'p>]| -> Vec<Expr<'p>> { inverse_mass.iter().map(|m| dot(m, c)).collect() };
        let entry = |a: usize, b: usize| dot(&row(a)[..n], &raised(&row(b)[n..2 * n]));
        let right: Vec<Expr<'p>> = (0..rows.len())
            .map(|a| -(dot(&row(a)[..n], &accelerations) + row(a)[2 * n]))
            .collect();
        let multipliers = match rows.is_empty() {
            true => vec![],
            false => {
                let all = 0..rows.len();
                let matrix = (all.clone())
                    .map(|a| all.clone().map(|b| entry(a, b)).collect())
                    .collect();
                Matrix::new(pool, matrix).solve(&right).ok()?
            }
        };
        let reaction = |members: &[usize]| -> Vec<Expr<'p>> {
            let component =
                |i: usize| pool.sum(members.iter().map(|&a| multipliers[a] * row(a)[n + i]));
            (0..n).map(component).collect()
        };
        let every: Vec<usize> = (0..rows.len()).collect();
        let reactions = reaction(&every);
        let momenta: Vec<Expr<'p>> = (0..n).map(|i| free[i] + reactions[i]).collect();
        let forced: Vec<Expr<'p>> = (0..n).map(|i| force[i] + reactions[i]).collect();
        let residuals = rows
            .iter()
            .flat_map(|r| r.residual.into_iter().chain(r.rate));
        let outputs = (lowering.contents.outputs.iter()).map(|o| model.expr(o.value));
        let outputs =
            pool.substitute_all(&outputs.collect::<Vec<_>>(), &lowering.mentions.synonyms());
        let mut values: Vec<(Expr<'p>, Expr<'p>)> = Vec::new();
        let symbols: Vec<Expr<'p>> = lowering.mentions.inputs().collect();
        for (k, &symbol) in symbols.iter().enumerate() {
            let value = match k.checked_sub(rows.len()) {
                None => multipliers[k],
                Some(k) => {
                    let own = reaction(&lowering.mentions.reactions()[k]);
                    dot(&own, &raised(&own)).sqrt()
                }
            };
            values.push((symbol, value));
        }
        let outputs = pool.substitute_all(&unfold(outputs)?, &values);
        let events = (lowering.contents.events.iter()).map(|e| model.expr(e.value));
        let symbol = |x: &Expr<'p>| pool.symbol(&format!("p({x})'"));
        Some(Self {
            lowering,
            n,
            positions: x.iter().chain(p).copied().collect(),
            rates: u.iter().copied().chain(x.iter().map(symbol)).collect(),
            energy: function,
            power: function.diff(time) + dot(&forced, &slopes),
            lagrangian: dot(p, &slopes) - function,
            residuals: unfold(residuals.collect())?,
            events: unfold(events.collect())?,
            outputs,
            field: slopes.iter().copied().chain(momenta).collect(),
        })
    }

    /// (t, x, p, ẋ, ṗ)
    fn inputs(&self) -> Vec<Expr<'p>> {
        let mut list = vec![self.lowering.state().time()];
        list.extend(&self.positions);
        list.extend(&self.rates);
        list
    }

    /// dγ/dt along (ẋ, ṗ).
    fn right(&self) -> Vec<Expr<'p>> {
        let pool = self.lowering.model.pool();
        let mut along = vec![(self.lowering.state().time(), pool.one())];
        along.extend(
            self.positions
                .iter()
                .copied()
                .zip(self.rates.iter().copied()),
        );
        (self.field.iter())
            .map(|e| e.derivative_along(&along))
            .collect()
    }

    fn problem(&self) -> Result<Problem, Unsupported> {
        let mut builder = self.lowering.builder(&self.inputs());
        let pool = self.lowering.model.pool();
        let half = galilei_expr::Rational::new(1, 2);
        // The second-order system of y has the Lagrangian ½|ẏ|².
        let kinetic = half * pool.sum(self.rates.iter().map(|&r| r.pow(2)));
        let mut all = |list: &[Expr<'p>]| -> Result<Vec<Reg>, Unsupported> {
            list.iter().map(|&e| builder.expr(e)).collect()
        };
        let followed = all(&[self.energy, self.power, kinetic, self.lagrangian])?;
        let (residuals, outputs) = (all(&self.residuals)?, all(&self.outputs)?);
        let events = all(&self.events)?;
        let right = all(&self.right())?;
        let size = 2 * self.n;
        let matrix = (0..size * size)
            .map(|k| builder.number(f64::from(u8::from(k % (size + 1) == 0))))
            .collect();
        let scale = builder.expr(self.lagrangian + self.energy)?;
        let rates = Rates {
            dimension: size,
            unknowns: size,
            matrix,
            right,
            ..Rates::default()
        };
        Ok(Problem {
            bounded: vec![],
            events: self.lowering.declared_events(&events),
            tape: Arc::new(builder.finish(vec![])),
            rates: Arc::new(rates),
            energy: followed[0],
            power: followed[1],
            lagrangian: followed[2],
            scale: vec![followed[0], followed[3], scale],
            residuals,
            levels: vec![],
            reaction_rates: vec![],
            outputs: outputs
                .into_iter()
                .map(galilei_tape::Output::Register)
                .collect(),
            multiplier_outputs: None,
        })
    }
}
