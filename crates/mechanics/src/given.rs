//! Energies and forces of a system that is given by an action form or a second-order field.
//!
//! The Hessian g of a Lagrangian is read off the form; integrating it twice along the velocities gives a kinetic energy. What it
//! leaves of the form is a force, of which the parts with potentials move into the Lagrangian.

use galilei_expr::{Expr, Function, Reading, Verdict, View, subexpressions};
use galilei_geometry::{Form, Homotopy};

use crate::action_form::ActionForm;
use crate::force::Force;
use crate::lagrangian::Lagrangian;
use crate::potential::Potentials;
use crate::reference::ReferenceField;
use crate::routes::decide_together;
use crate::state_space::StateSpace;

/// Energies and forces of an action form: Ω = d(L dt + ∂L) + Φ with L = T − V + A·u. (T-117)
#[derive(Clone, Debug)]
pub struct GivenSystem<'p> {
    /// T_R, or for g that depends on the velocities a function with the Hessian g.
    pub kinetic: Expr<'p>,
    /// V and A of the part of the force that has potentials.
    pub potentials: Option<Potentials<'p>>,
    /// The force that is in neither L nor its potentials; `None` if it vanishes.
    pub force: Option<Force<'p>>,
}

impl<'p> ActionForm<'p> {
    /// T_R = ½g(u − R, u − R), or for g that depends on the velocities the function with the Hessian g that vanishes
    /// with its slope at u = R. `None` if that has no closed form. (T-26, T-38)
    pub fn kinetic_energy(&self, reference: &ReferenceField<'p>) -> Option<Expr<'p>> {
        let state = self.state();
        let n = state.degrees_of_freedom();
        let g = Self::metric_of(state, self.as_two_form());
        let (u, r) = (state.velocities(), reference.components());
        let rows = g.rows().iter().flatten();
        let depends = rows.clone().any(|e| u.iter().any(|&u| e.contains(u)));
        let constant = || {
            let slopes = rows.flat_map(|e| u.iter().map(|&u| e.diff(u)));
            let slopes: Vec<Expr<'p>> = slopes.filter(|s| !s.is_zero()).collect();
            decide_together(&slopes).is_proved()
        };
        if !depends || constant() {
            let at_reference: Vec<_> = u.iter().copied().zip(r.iter().copied()).collect();
            let entry = |i: usize, j: usize| match depends {
                true => g.rows()[i][j].substitute(&at_reference),
                false => g.rows()[i][j],
            };
            let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
            let terms = pairs.map(|(i, j)| entry(i, j) * (u[i] - r[i]) * (u[j] - r[j]));
            return Some(state.pool().sum(terms) / 2).filter(|t| !t.is_undefined());
        }
        // Two integrations along the velocities: ∂pᵢ/∂uʲ = gᵢⱼ, ∂K/∂uⁱ = pᵢ.
        let chart = state.chart();
        let base = chart.coordinates()[..1 + n].iter().copied();
        let centre: Vec<Expr<'p>> = base.chain(r.iter().copied()).collect();
        let moving = (0..chart.dimension()).map(|k| k > n).collect();
        let homotopy = Homotopy::partial(chart, centre, moving);
        let integrated = |slopes: &[Expr<'p>]| {
            let zero = Form::zero(chart, 1);
            let form = (0..n).fold(zero, |f, j| f.plus(&state.du(j).scaled(slopes[j])));
            let found = homotopy.contract(&form);
            let value = found.form.component(&[]).present(&Reading::new());
            (found.closed_form && !value.is_undefined()).then_some(value)
        };
        let momenta = g.rows().iter().map(|row| integrated(row));
        let momenta: Vec<Expr<'p>> = momenta.collect::<Option<_>>()?;
        let kinetic = integrated(&momenta)?;
        let hessian = kinetic.hessian(u);
        let defects = hessian.iter().flatten().zip(g.rows().iter().flatten());
        let defects: Vec<Expr<'p>> = defects.map(|(&a, &b)| a - b).collect();
        decide_together(&defects).is_proved().then_some(kinetic)
    }

    /// The force that remains when a Lagrangian with the Hessian g is taken out of Ω: Fᵢ = Φ(∂_{xⁱ}, ∂ₜ + u∂ₓ) with
    /// Φ = Ω − d(L dt + ∂L); and the verdict that Φ is the two-form of that force. (T-29, T-117)
    pub fn remaining_force(&self, lagrangian: &Lagrangian<'p>) -> (Verdict, Force<'p>) {
        let state = self.state();
        let n = state.degrees_of_freedom();
        let difference = self.as_two_form().minus(&lagrangian.cartan_form().d());
        let zero = vec![state.pool().zero(); n];
        let flow = state.vector(state.pool().one(), state.velocities(), &zero);
        let inserted = flow.interior(&difference);
        let components = (0..n).map(|i| {
            let f = -inserted.component(&[state.x(i)]);
            let zero = !f.is_zero() && f.decide_zero().is_proved();
            if zero {
                state.pool().zero()
            } else {
                f.present(&Reading::new())
            }
        });
        let force = Force::new(state, components.collect());
        let verdict = force.two_form().as_two_form().decide_equal(&difference);
        (verdict, force)
    }

    /// L = T_R − V + A·u with a force: the part of Φ_R that does not depend on the velocities and the antisymmetric
    /// part that is linear in them are moved into L where they have potentials in closed form. `None` if there is no
    /// kinetic energy in closed form or the parts do not give Ω back. (T-35, T-37, T-117)
    pub fn split(&self, reference: &ReferenceField<'p>) -> Option<GivenSystem<'p>> {
        let kinetic = self.kinetic_energy(reference)?;
        let (verdict, force) = self.remaining_force(&Lagrangian::new(self.state(), kinetic));
        if !verdict.is_proved() {
            return None;
        }
        let (potentials, rest) = force.potential_part();
        let left = rest.components().iter().any(|f| !f.is_zero());
        Some(GivenSystem {
            kinetic,
            potentials,
            force: left.then_some(rest),
        })
    }
}

impl<'p> Force<'p> {
    /// Potentials in closed form of this force or of a part of it, and the force that is left: the whole force; its
    /// value at rest and its antisymmetric linear part; one of these. (T-35, T-37)
    pub fn potential_part(&self) -> (Option<Potentials<'p>>, Self) {
        let state = self.state();
        let (pool, n) = (state.pool(), state.degrees_of_freedom());
        let u = state.velocities();
        let none = || Self::new(state, vec![pool.zero(); n]);
        if self.components().iter().all(|f| f.is_zero()) {
            return (None, self.clone());
        }
        let mut parts = vec![self.clone()];
        let at_rest: Vec<_> = u.iter().map(|&u| (u, pool.zero())).collect();
        let rested = |e: Expr<'p>| Some(e.substitute(&at_rest)).filter(|e| !e.is_undefined());
        let values = self.components().iter().map(|&f| rested(f));
        if let Some(values) = values.collect::<Option<Vec<_>>>() {
            let slopes = pool.jacobian(self.components(), u);
            let slopes: Option<Vec<Vec<_>>> = (slopes.into_iter())
                .map(|row| row.into_iter().map(rested).collect())
                .collect();
            let turning = slopes.map(|b| {
                let row = |i: usize| {
                    (0..n)
                        .map(|j| (b[i][j] - b[j][i]) * u[j] / 2)
                        .collect::<Vec<_>>()
                };
                Self::new(state, (0..n).map(|i| pool.sum(row(i))).collect())
            });
            let resting = Self::new(state, values);
            if let Some(turning) = turning {
                parts.extend([resting.plus(&turning), resting, turning]);
            } else {
                parts.push(resting);
            }
        }
        for part in parts {
            if part.components().iter().all(|f| f.is_zero()) {
                continue;
            }
            let Some(potentials) = part.smooth_potentials() else {
                continue;
            };
            let pairs = self.components().iter().zip(part.components());
            let rest = pairs.map(|(&f, &p)| {
                let rest = f - p;
                let zero = rest.is_zero() || rest.decide_zero().is_proved();
                if zero {
                    pool.zero()
                } else {
                    rest.present(&Reading::new())
                }
            });
            let rest = Self::new(state, rest.collect());
            return (Some(potentials), rest);
        }
        (None, none().plus(self))
    }

    /// Potentials about the origin or about (1, …, 1) in closed form, without kinks, defined where the force is, and
    /// proved to give the force back.
    pub fn smooth_potentials(&self) -> Option<Potentials<'p>> {
        let state = self.state();
        let (pool, n) = (state.pool(), state.degrees_of_freedom());
        let undefined_at = |list: &[Expr<'p>], point: &[Expr<'p>]| {
            let x = state.base().positions().iter().copied();
            let pairs: Vec<_> = x.zip(point.iter().copied()).collect();
            list.iter().any(|e| e.substitute(&pairs).is_undefined())
        };
        for centre in [vec![pool.zero(); n], vec![pool.one(); n]] {
            let Ok(found) = self.potentials(&centre) else {
                return None;
            };
            let short = |e: Expr<'p>| e.present(&Reading::new());
            let scalar = without_constants(short(found.scalar), state.base().positions());
            let vector: Vec<Expr<'p>> = found.vector.iter().map(|&a| short(a)).collect();
            let all: Vec<Expr<'p>> = std::iter::once(scalar)
                .chain(vector.iter().copied())
                .collect();
            let good = found.closed_form
                && all
                    .iter()
                    .all(|e| !e.is_undefined() && !has_kinks(*e) && !has_cuts(*e))
                && (undefined_at(self.components(), &centre) || !undefined_at(&all, &centre));
            if !good {
                continue;
            }
            let potentials = Potentials::new(state.base(), scalar, vector);
            let back = potentials.force(state);
            let pairs = back.components().iter().zip(self.components());
            let defects: Vec<Expr<'p>> = pairs.map(|(&a, &b)| a - b).collect();
            if decide_together(&defects).is_proved() {
                return Some(potentials);
            }
        }
        None
    }
}

/// A potential without terms like V(0) of undetermined functions, which do not depend on the positions.
fn without_constants<'p>(e: Expr<'p>, positions: &[Expr<'p>]) -> Expr<'p> {
    let View::Sum(terms) = e.view() else {
        return e;
    };
    let undetermined = |e: Expr<'p>| {
        let inner = subexpressions([e]).into_iter();
        inner
            .map(Expr::view)
            .any(|v| matches!(v, View::Undetermined { .. }))
    };
    let kept = terms
        .into_iter()
        .filter(|(_, t)| positions.iter().any(|&x| t.contains(x)) || !undetermined(*t));
    let pool = e.pool();
    pool.sum(kept.map(|(c, t)| pool.number(c) * t))
}

/// Whether an expression contains abs, sign, min, max or if.
pub fn has_kinks(e: Expr<'_>) -> bool {
    subexpressions([e]).into_iter().any(|e| match e.view() {
        View::If { .. } => true,
        View::Undetermined { function, .. } => function
            .table()
            .is_some_and(|t| t.interpolation().degree() < 3),
        View::Call(f, _) => matches!(
            f,
            Function::Abs | Function::Sign | Function::Min | Function::Max
        ),
        _ => false,
    })
}

/// Whether an expression contains the angle atan2, which has a cut.
fn has_cuts(e: Expr<'_>) -> bool {
    let all = subexpressions([e]).into_iter().map(Expr::view);
    all.into_iter()
        .any(|v| matches!(v, View::Call(Function::Atan2, _)))
}

/// The condition of T-120 under which m(ẍ − ξ) = 0 comes from a Lagrangian.
#[derive(Clone, Debug, PartialEq)]
pub struct InverseFailure {
    /// The condition that fails, in words.
    pub condition: String,
    /// The expression that should vanish.
    pub defect: String,
    /// The verdict on its vanishing.
    pub verdict: Verdict,
}

/// Whether (m, ξ) comes from a Lagrangian, locally: the weakest verdict on the conditions of T-89 and on the symmetry
/// of mΦ with the Jacobi endomorphism Φ, or the first that fails. (T-120)
pub fn decide_inverse_problem<'p>(
    m: &galilei_geometry::Matrix<'p>,
    field: &crate::SecondOrderField<'p>,
) -> Result<Verdict, InverseFailure> {
    let state = field.state();
    let n = state.degrees_of_freedom();
    let name = |i: usize| state.position(i).to_string();
    let mut sure = Verdict::Proved(galilei_expr::Bound::CERTAIN);
    let mut require = |defect: Expr<'p>, condition: &dyn Fn() -> String| {
        let verdict = defect.decide_zero();
        if verdict.is_proved() {
            sure = sure.clone().and(verdict);
            return Ok(());
        }
        Err(InverseFailure {
            condition: condition(),
            defect: defect.present(&Reading::new()).to_string(),
            verdict,
        })
    };
    let (u, rows) = (state.velocities(), m.rows());
    for i in 0..n {
        for j in 0..n {
            for k in 0..j {
                let defect = rows[i][j].diff(u[k]) - rows[i][k].diff(u[j]);
                require(defect, &|| {
                    let (i, j, k) = (name(i), name(j), name(k));
                    format!("∂m_{i}{j}/∂{k}' is not symmetric in {j} and {k} (T-89)")
                })?;
            }
        }
    }
    let defect = crate::newtonian_defect(m, field);
    for (i, row) in defect.iter().enumerate() {
        for (j, &entry) in row.iter().enumerate().take(i + 1) {
            require(entry, &|| {
                let (i, j) = (name(i), name(j));
                format!("2ξ(m_{i}{j}) + m_{i}k ∂ξ^k/∂{j}' + m_{j}k ∂ξ^k/∂{i}' must vanish (T-89)")
            })?;
        }
    }
    let phi =
        crate::SolvedForm::new(state, vec![], vec![]).jacobi_endomorphism(field.accelerations());
    let lowered = m.times(&phi);
    for i in 0..n {
        for j in 0..i {
            let entry = lowered.rows()[i][j] - lowered.rows()[j][i];
            require(entry, &|| {
                let (i, j) = (name(i), name(j));
                format!(
                    "m_{i}k Φ^k_{j} − m_{j}k Φ^k_{i} must vanish, Φ the Jacobi endomorphism (T-76)"
                )
            })?;
        }
    }
    Ok(sure)
}

/// A Lagrangian of the whole system, if all its forces together have potentials in closed form. (T-120)
pub fn whole_lagrangian<'p>(system: &crate::System<'p>) -> Option<Lagrangian<'p>> {
    let total = system.total_force();
    let l = system.lagrangian();
    if total.components().iter().all(|f| f.is_zero()) {
        return Some(l.clone());
    }
    let potentials = total.smooth_potentials()?;
    let state: &StateSpace<'p> = system.state();
    let linear = potentials.vector.iter().zip(state.velocities());
    let linear = state.pool().sum(linear.map(|(&a, &u)| a * u));
    Some(Lagrangian::new(
        state,
        l.function() - potentials.scalar + linear,
    ))
}
