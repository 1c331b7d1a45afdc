//! Undetermined mechanical objects: a claim proved for them holds for every system.
#![allow(dead_code, unused_imports)]

#[path = "../../../geometry/tests/common/mod.rs"]
mod geometry;

use galilei_expr::{Expr, Pool};
use galilei_geometry::{Chart, Form, VectorField};
use galilei_mechanics::{
    ActionForm, AdaptedChart, Definiteness, Force, GalileanMetric, HamiltonianForm, KineticEnergy,
    Lagrangian, Potentials, ReferenceField, SecondOrderField, StateSpace,
};

pub(crate) use geometry::{form as form_on, function as on, proved, refuted, vector};

pub(crate) fn base<'p>(pool: &'p Pool, letter: &str, n: usize) -> AdaptedChart<'p> {
    AdaptedChart::new(pool, "t", (1..=n).map(|k| format!("{letter}{k}")))
}

pub(crate) fn state<'p>(pool: &'p Pool, n: usize) -> StateSpace<'p> {
    StateSpace::new(base(pool, "x", n))
}

/// An undetermined function of (t, x).
pub(crate) fn of_base<'p>(base: &AdaptedChart<'p>, name: &str) -> Expr<'p> {
    geometry::function(base.chart(), name)
}

/// An undetermined function of (t, x, u).
pub(crate) fn of_state<'p>(state: &StateSpace<'p>, name: &str) -> Expr<'p> {
    geometry::function(state.chart(), name)
}

pub(crate) fn metric<'p>(base: &AdaptedChart<'p>) -> GalileanMetric<'p> {
    let n = base.degrees_of_freedom();
    let rows = square(n, |i, j| {
        of_base(base, &format!("g{}{}", i.min(j), i.max(j)))
    });
    GalileanMetric::new(base, rows).unwrap()
}

/// The rows of an n × n matrix.
pub(crate) fn square<'p>(n: usize, entry: impl Fn(usize, usize) -> Expr<'p>) -> Vec<Vec<Expr<'p>>> {
    let row = |i: usize| (0..n).map(|j| entry(i, j)).collect();
    (0..n).map(row).collect()
}

pub(crate) fn field<'p>(state: &StateSpace<'p>, name: &str) -> SecondOrderField<'p> {
    let n = state.degrees_of_freedom();
    SecondOrderField::new(
        state,
        (0..n)
            .map(|i| of_state(state, &format!("{name}{i}")))
            .collect(),
    )
}

pub(crate) fn force<'p>(state: &StateSpace<'p>, name: &str) -> Force<'p> {
    let n = state.degrees_of_freedom();
    Force::new(
        state,
        (0..n)
            .map(|i| of_state(state, &format!("{name}{i}")))
            .collect(),
    )
}

pub(crate) fn reference<'p>(base: &AdaptedChart<'p>, name: &str) -> ReferenceField<'p> {
    let n = base.degrees_of_freedom();
    ReferenceField::new(
        base,
        (0..n)
            .map(|i| of_base(base, &format!("{name}{i}")))
            .collect(),
    )
}

/// A form on the state space with undetermined coefficients; `semi_basic` ones have no du.
pub(crate) fn form<'p>(
    state: &StateSpace<'p>,
    degree: usize,
    name: &str,
    semi_basic: bool,
) -> Form<'p> {
    let top = if semi_basic {
        1 + state.degrees_of_freedom()
    } else {
        state.chart().dimension()
    };
    geometry::form_of_first(state.chart(), top, degree, name)
}

/// Undetermined V and A.
pub(crate) fn potentials<'p>(base: &AdaptedChart<'p>) -> Potentials<'p> {
    let n = base.degrees_of_freedom();
    let a = (0..n).map(|i| of_base(base, &format!("A{i}"))).collect();
    Potentials::new(base, of_base(base, "V"), a)
}

/// Asserts that two forces are equal.
#[track_caller]
pub(crate) fn same_force(a: &Force<'_>, b: &Force<'_>) {
    for (a, b) in a.components().iter().zip(b.components()) {
        proved(a.decide_equal(*b));
    }
}

/// gᵢⱼ(duⁱ − Zⁱdt)∧θʲ, an action form without its gyroscopic part.
pub(crate) fn without_gyroscopic_part<'p>(
    g: &GalileanMetric<'p>,
    z: &SecondOrderField<'p>,
) -> Form<'p> {
    let s = z.state();
    let n = s.degrees_of_freedom();
    let mut omega = Form::zero(s.chart(), 2);
    for i in 0..n {
        let eta = s.du(i).minus(&s.dt().scaled(z.accelerations()[i]));
        for j in 0..n {
            omega = omega.plus(&eta.wedge(&s.contact(j)).scaled(g.component(i, j)));
        }
    }
    omega
}

/// L = ½g(u − R, u − R) − V + A·u with undetermined g, R, V, A.
pub(crate) fn quadratic<'p>(s: &StateSpace<'p>) -> Lagrangian<'p> {
    let (base, n) = (s.base(), s.degrees_of_freedom());
    let kinetic = KineticEnergy::new(s, &metric(base), &reference(base, "R")).energy();
    let linear = (0..n).map(|i| of_base(base, &format!("A{i}")) * s.velocity(i));
    Lagrangian::new(s, kinetic - of_base(base, "V") + s.pool().sum(linear))
}

/// n undetermined functions of (t, x, u).
pub(crate) fn of_state_list<'p>(state: &StateSpace<'p>, name: &str) -> Vec<Expr<'p>> {
    let n = state.degrees_of_freedom();
    (0..n)
        .map(|i| of_state(state, &format!("{name}{i}")))
        .collect()
}

/// n undetermined functions of (t, x).
pub(crate) fn of_base_list<'p>(base: &AdaptedChart<'p>, name: &str) -> Vec<Expr<'p>> {
    let n = base.degrees_of_freedom();
    (0..n)
        .map(|i| of_base(base, &format!("{name}{i}")))
        .collect()
}

/// (t, x, p) over a state space.
pub(crate) fn canonical<'p>(s: &StateSpace<'p>) -> Chart<'p> {
    let map = Lagrangian::new(s, s.pool().zero()).legendre_map();
    map.chart().clone()
}

/// The Hamiltonian form of an undetermined ℋ(t, x, p).
pub(crate) fn hamiltonian<'p>(s: &StateSpace<'p>) -> HamiltonianForm<'p> {
    let chart = canonical(s);
    HamiltonianForm::new(&chart, on(&chart, "H"))
}

/// ∂ₜ + γᵏ∂ₖ with undetermined γ on V*Q.
pub(crate) fn first_order<'p>(chart: &Chart<'p>) -> VectorField<'p> {
    let mut components = vec![chart.pool().one()];
    components.extend((1..chart.dimension()).map(|k| on(chart, &format!("c{k}"))));
    VectorField::new(chart, components)
}

/// Σ aₖbₖ
pub(crate) fn dot<'p>(a: &[Expr<'p>], b: &[Expr<'p>]) -> Expr<'p> {
    let terms = a.iter().zip(b).map(|(&a, &b)| a * b);
    a[0].pool().sum(terms)
}

/// (aₖ, bₖ)
pub(crate) fn pairs<'p>(a: &[Expr<'p>], b: &[Expr<'p>]) -> Vec<(Expr<'p>, Expr<'p>)> {
    a.iter().copied().zip(b.iter().copied()).collect()
}

/// df/dε at ε = 0 of f along z + εw.
pub(crate) fn along_epsilon<'p>(f: Expr<'p>, z: &[Expr<'p>], w: &[Expr<'p>]) -> Expr<'p> {
    let pool = f.pool();
    let eps = pool.symbol("eps");
    let moved: Vec<_> = (pairs(z, w).into_iter())
        .map(|(z, w)| (z, z + eps * w))
        .collect();
    let rate = f.substitute(&moved).diff(eps);
    rate.substitute(&[(eps, pool.zero())])
}

/// The action form of (g, Z) in either sense.
pub(crate) fn action_form<'p>(
    g: &galilei_geometry::Matrix<'p>,
    z: &SecondOrderField<'p>,
) -> ActionForm<'p> {
    let found = ActionForm::of(g, z, Definiteness::Unasked);
    found.expect("a regular metric").action
}

/// The assumption that the leading minors of a matrix are positive.
pub(crate) fn positive_minors<'p>(
    g: &galilei_geometry::Matrix<'p>,
) -> galilei_expr::Assumptions<'p> {
    let leading = |k: usize| {
        let rows = (0..k).map(|i| g.rows()[i][..k].to_vec()).collect();
        galilei_geometry::Matrix::new(g.rows()[0][0].pool(), rows).determinant()
    };
    (1..=g.size().0).fold(galilei_expr::Assumptions::new(), |all, k| {
        all.positive(leading(k))
    })
}
