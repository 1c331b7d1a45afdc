//! States given by momenta: the velocities that belong to them.

use galilei_expr::{Expr, ExprId, Rational};
use galilei_geometry::Matrix;
use galilei_linear::solve;
use galilei_mechanics::{Canonical, HamiltonianForm, StateSpace};

use crate::axes::Target;
use crate::code::Code;
use crate::contents::Hamiltonian;
use crate::diagnostic::{Diagnostic, refused};
use crate::model::Model;
use crate::numbers::doubles;
use crate::state::State;

/// A state of which some velocities and some momenta are given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start<'a, 'p> {
    /// t
    pub(crate) time: Expr<'p>,
    /// xⁱ
    pub(crate) position: &'a [Expr<'p>],
    /// uⁱ, where given.
    pub(crate) velocity: &'a [Option<Expr<'p>>],
    /// pᵢ, where given.
    pub(crate) momentum: &'a [Option<Expr<'p>>],
}

/// The velocities of a state. Where momenta are given, coordinates with neither entry have the momentum 0; where none
/// is given, the velocity 0.
///
/// # Errors
/// A message if momenta and velocities are given together and H is not quadratic.
pub(crate) fn velocities_at<'p>(
    given: &Hamiltonian<Expr<'p>>,
    time: Expr<'p>,
    (x, u): (&[Expr<'p>], &[Expr<'p>]),
    start: &Start<'_, 'p>,
) -> Result<Vec<Expr<'p>>, String> {
    let pool = given.function.pool();
    let (n, zero) = (x.len(), pool.zero());
    if start.momentum.iter().all(Option::is_none) {
        return Ok(start.velocity.iter().map(|v| v.unwrap_or(zero)).collect());
    }
    let mut values = vec![(time, start.time)];
    values.extend(x.iter().copied().zip(start.position.iter().copied()));
    if start.velocity.iter().all(Option::is_none) {
        let momentum = start.momentum.iter().map(|p| p.unwrap_or(zero));
        values.extend(given.momenta.iter().copied().zip(momentum));
        return Ok(pool.substitute_all(&given.velocities, &values));
    }
    let mixed = "momenta of some coordinates and velocities of others are given, and H is not quadratic in the momenta";
    let momenta = &given.closed;
    let unknown: Vec<usize> = (0..n).filter(|&i| start.velocity[i].is_none()).collect();
    let asked: Vec<Expr<'p>> = unknown.iter().map(|&i| momenta[i]).collect();
    let columns: Vec<Expr<'p>> = unknown.iter().map(|&i| u[i]).collect();
    let rows = pool.jacobian(&asked, &columns);
    if rows.iter().flatten().any(|e| e.contains_any(u)) {
        return Err(mixed.to_owned());
    }
    values.extend((0..n).map(|i| (u[i], start.velocity[i].unwrap_or(zero))));
    let rows: Vec<Vec<Expr<'p>>> = (rows.iter())
        .map(|row| pool.substitute_all(row, &values))
        .collect();
    let at_zero = pool.substitute_all(&asked, &values);
    let right: Vec<Expr<'p>> = (unknown.iter().zip(at_zero))
        .map(|(&i, own)| start.momentum[i].unwrap_or(zero) - own)
        .collect();
    let found = Matrix::new(pool, rows).solve(&right).map_err(|_| {
        "the momenta and velocities that are given do not determine the state".to_owned()
    })?;
    let mut all: Vec<Expr<'p>> = start.velocity.iter().map(|v| v.unwrap_or(zero)).collect();
    for (i, v) in unknown.into_iter().zip(found) {
        all[i] = v;
    }
    Ok(all)
}

/// The diagnostic of a state that mixes momenta with velocities.
fn mixed(message: String) -> Vec<Diagnostic> {
    let hint = "give all momenta, or all velocities";
    refused(Code::NotAvailable, message, hint)
}

impl Model {
    /// The velocities at the start as functions of the parameters and of those initial values that are free: their
    /// own symbols stand for them. `from` is another time than that of the file.
    ///
    /// # Errors
    /// If momenta and velocities are given together and H is not quadratic.
    pub fn start_velocities<'p>(
        &'p self,
        free: &[Target],
        from: Option<Expr<'p>>,
    ) -> Result<Vec<Expr<'p>>, Vec<Diagnostic>> {
        let c = self.contents();
        let zero = self.pool().zero();
        let (x, u) = (self.positions(), self.velocities());
        let given = |id: Option<ExprId>| id.map(|id| self.expr(id));
        let hamiltonian = self.given_hamiltonian();
        let mut momentum = hamiltonian
            .as_ref()
            .map_or(vec![None; x.len()], |h| h.initial.clone());
        let mut position: Vec<Expr<'p>> = (c.coordinates.iter())
            .map(|c| given(c.initial_position).unwrap_or(zero))
            .collect();
        let mut velocity: Vec<Option<Expr<'p>>> = (c.coordinates.iter())
            .map(|c| given(c.given_velocity))
            .collect();
        for target in free {
            match *target {
                Target::Position(k) => position[k] = x[k],
                Target::Velocity(k) => (velocity[k], momentum[k]) = (Some(u[k]), None),
                Target::Momentum(k) => {
                    let symbol = hamiltonian.as_ref().map(|h| h.momenta[k]);
                    (velocity[k], momentum[k]) = (None, symbol);
                }
                Target::Parameter(_) => {}
            }
        }
        let start = Start {
            time: from.or_else(|| given(c.run.from)).unwrap_or(zero),
            position: &position,
            velocity: &velocity,
            momentum: &momentum,
        };
        match &hamiltonian {
            None => {
                let mut all: Vec<Expr<'p>> = velocity.iter().map(|v| v.unwrap_or(zero)).collect();
                if from.is_some() || free.iter().any(|t| matches!(t, Target::Position(_))) {
                    let chosen = |k: usize| {
                        free.iter()
                            .any(|t| matches!(t, Target::Velocity(j) if *j == k))
                    };
                    let found = self.rates_at(&start, &chosen)?;
                    for (k, v) in found.into_iter().filter(|f| !chosen(f.0)) {
                        all[k] = v;
                    }
                }
                Ok(all)
            }
            Some(h) => velocities_at(h, self.time(), (&x, &u), &start).map_err(mixed),
        }
    }

    /// Whether the model is given by a Hamiltonian whose Legendre map has no inverse in closed form: its runs are in (x, p).
    pub fn is_implicit(&self) -> bool {
        let h = self.contents().hamiltonian.as_ref();
        h.is_some_and(|h| h.implicit)
    }

    /// The momenta of the start of a run at a state: those that the file gives, else those that belong to the velocities.
    ///
    /// # Errors
    /// Where no momenta belong to the velocities, or Newton's method does not converge to them.
    pub fn start_momenta<'p>(&'p self, state: &State<'p>) -> Result<Vec<f64>, Vec<Diagnostic>> {
        let entries = self.initial_entries()?;
        let given = entries.momentum.iter().any(Option::is_some);
        if given && entries.velocity.iter().all(Option::is_none) {
            let value = |p: &Option<Expr<'p>>| p.map_or(0.0, |p| p.evaluate_f64(&[]));
            return Ok(entries.momentum.iter().map(value).collect());
        }
        self.momenta_of(state)
    }

    /// The momenta ∂L/∂u of a state.
    ///
    /// # Errors
    /// Where no momenta belong to the velocities, or Newton's method does not converge to them.
    pub fn momenta_of<'p>(&'p self, state: &State<'p>) -> Result<Vec<f64>, Vec<Diagnostic>> {
        let system = self.system();
        let mut values = self.parameter_values()?;
        values.push((self.time(), state.time));
        values.extend(
            self.positions()
                .into_iter()
                .zip(state.position.iter().copied()),
        );
        values.extend(
            self.velocities()
                .into_iter()
                .zip(state.velocity.iter().copied()),
        );
        let found = doubles(self.pool(), &system.lagrangian().momenta(), &values);
        found.into_iter().collect::<Option<Vec<f64>>>().ok_or_else(|| {
            vec![Diagnostic::error(
                Code::LegendreFailed,
                "no momenta were found for the velocities of the start",
                "Newton's method did not converge: these velocities may belong to no momenta; give p(x) instead",
                self.contents().hamiltonian.as_ref().map(|h| h.span),
            )]
        })
    }

    /// The Hamiltonian by which the model is given, as formulas.
    pub fn given_hamiltonian(&self) -> Option<Hamiltonian<Expr<'_>>> {
        let h = self.contents().hamiltonian.as_ref()?;
        let maybe = |e: &Option<ExprId>| e.map(|e| self.expr(e));
        Some(Hamiltonian {
            function: self.expr(h.function),
            momenta: self.exprs(&h.momenta),
            velocities: self.exprs(&h.velocities),
            closed: self.exprs(&h.closed),
            implicit: h.implicit,
            initial: h.initial.iter().map(maybe).collect(),
            span: h.span,
        })
    }

    /// The canonical chart of the Hamiltonian by which the model is given.
    pub(crate) fn given_canonical<'p>(&'p self, state: &StateSpace<'p>) -> Option<Canonical<'p>> {
        let h = self.contents().hamiltonian.as_ref()?;
        let form = HamiltonianForm::over(state, self.expr(h.function));
        Some(Canonical::of_hamiltonian(state, &form))
    }

    /// The error of a state at which the Hamiltonian of the model is degenerate: ∂²H/∂p∂p is singular there.
    pub(crate) fn judge_momenta<'p>(
        &'p self,
        state: &State<'p>,
        place: &str,
    ) -> Option<Diagnostic> {
        let h = self.given_hamiltonian()?;
        let pool = self.pool();
        let mut values = self.parameter_values().ok()?;
        values.push((self.time(), state.time));
        values.extend(
            self.positions()
                .into_iter()
                .zip(state.position.iter().copied()),
        );
        values.extend(
            self.velocities()
                .into_iter()
                .zip(state.velocity.iter().copied()),
        );
        let momenta: Vec<f64> = doubles(pool, &h.closed, &values)
            .into_iter()
            .collect::<Option<_>>()?;
        for (&p, x) in h.momenta.iter().zip(momenta) {
            values.push((p, pool.number(Rational::from_f64(x)?)));
        }
        let rows = pool.jacobian(&h.velocities, &h.momenta);
        let flat: Vec<Expr<'p>> = rows.iter().flatten().copied().collect();
        let numbers: Vec<f64> = doubles(pool, &flat, &values)
            .into_iter()
            .collect::<Option<_>>()?;
        let n = h.momenta.len();
        let rows: Vec<Vec<f64>> = numbers.chunks(n).map(<[f64]>::to_vec).collect();
        if solve(&rows, &vec![0.0; n]).is_ok() {
            return None;
        }
        Some(Diagnostic::error(
            Code::DegenerateHamiltonian,
            format!(
                "∂²H/∂p∂p is singular at {place}: the velocities do not determine the momenta there"
            ),
            "start from another state, with other momenta",
            h.span,
        ))
    }

    /// The velocities of a state in which some momenta are given.
    pub(crate) fn velocities_of_start<'p>(
        &'p self,
        start: &Start<'_, 'p>,
    ) -> Result<Vec<Expr<'p>>, Vec<Diagnostic>> {
        let zero = self.pool().zero();
        let Some(given) = self.given_hamiltonian() else {
            return Ok(start.velocity.iter().map(|v| v.unwrap_or(zero)).collect());
        };
        let given = given.at(self)?;
        let (x, u) = (self.positions(), self.velocities());
        let found = velocities_at(&given, self.time(), (&x, &u), start).map_err(mixed)?;
        if given.implicit {
            self.judge_branch(&given, start, &found)?;
        }
        Ok(found)
    }
}

impl Model {
    /// Refuses a state whose velocities do not determine its momenta: Newton's method finds several.
    fn judge_branch<'p>(
        &'p self,
        given: &Hamiltonian<Expr<'p>>,
        start: &Start<'_, 'p>,
        velocity: &[Expr<'p>],
    ) -> Result<(), Vec<Diagnostic>> {
        let mut values = self.parameter_values()?;
        values.push((self.time(), start.time));
        values.extend(
            self.positions()
                .into_iter()
                .zip(start.position.iter().copied()),
        );
        let numbers: Vec<(Expr<'p>, f64)> = (values.iter())
            .map(|(s, v)| (*s, v.evaluate_f64(&[])))
            .collect();
        let speeds: Vec<f64> = velocity.iter().map(|u| u.evaluate_f64(&[])).collect();
        let roots = self.pool().legendre_roots(&numbers, &speeds);
        if roots.len() < 2 {
            return Ok(());
        }
        Err(vec![Diagnostic::error(
            Code::NotAvailable,
            format!(
                "{} momenta were found with the velocities of this state, so the velocities ∂H/∂p do not determine it",
                roots.len()
            ),
            "the Legendre map must be one to one where the motion is: ∂²H/∂p∂p does not keep its sign here",
            given.span,
        )])
    }
}

impl<'p> Hamiltonian<Expr<'p>> {
    /// The Hamiltonian with the values of the parameters.
    fn at(mut self, model: &'p Model) -> Result<Self, Vec<Diagnostic>> {
        let values = model.parameter_values()?;
        let pool = model.pool();
        self.function = self.function.substitute(&values);
        self.velocities = pool.substitute_all(&self.velocities, &values);
        self.closed = pool.substitute_all(&self.closed, &values);
        Ok(self)
    }
}
