//! T-116, T-120, T-122 … T-124: definitions without coordinates, the inverse problem, the Legendre image of a field,
//! leaves of simultaneous events, closed forces without potentials. Each by a route that does not go through the
//! formula it is compared with.

mod common;

use common::*;
use galilei_expr::{Expr, Pool, Rational};
use galilei_geometry::{Chart, Codistribution, Form, Integrability, SmoothMap, VectorField};
use galilei_mechanics::{
    AdaptedChart, Canonical, Force, PotentialTest, SecondOrderField, SolvedForm, StateSpace,
    newtonian_defect,
};

/// Dπ(w) by the action of w on the components of the projection.
fn projected<'p>(s: &StateSpace<'p>, w: &VectorField<'p>) -> Vec<Expr<'p>> {
    let map = s.projection();
    map.components().iter().map(|&c| w.apply(c)).collect()
}

/// ξ_a(w) = Dπ(w) − ϑ(Dπ(w))·a, the spacelike part of Dπ(w) relative to the state a.
fn spacelike_part<'p>(s: &StateSpace<'p>, w: &VectorField<'p>) -> Vec<Expr<'p>> {
    let below = projected(s, w);
    // The state itself, a vector with ϑ(a) = 1.
    let state: Vec<Expr<'p>> = std::iter::once(s.pool().one())
        .chain(s.velocities().iter().copied())
        .collect();
    let time = below[0];
    below
        .iter()
        .zip(state)
        .map(|(&v, a)| v - time * a)
        .collect()
}

/// The vertical lift of a spacelike vector v at a state a: the tangent of ε ↦ a + εv.
fn vertical_lift<'p>(s: &StateSpace<'p>, v: &[Expr<'p>]) -> VectorField<'p> {
    let (pool, n) = (s.pool(), s.degrees_of_freedom());
    let eps = pool.symbol("eps");
    let moved = |k: usize| match k {
        k if k <= n => s.chart().coordinate(k),
        k => s.chart().coordinate(k) + eps * v[k - n],
    };
    let rates = (0..=2 * n).map(|k| moved(k).diff(eps).substitute(&[(eps, pool.zero())]));
    VectorField::new(s.chart(), rates.collect())
}

/// μ = vertical lift ∘ ξ.
fn intrinsic_mu<'p>(s: &StateSpace<'p>, w: &VectorField<'p>) -> VectorField<'p> {
    vertical_lift(s, &spacelike_part(s, w))
}

/// η(X) = ½([Z, μX] − μ[Z, X] + X − ϑ̂(X)Z).
fn intrinsic_eta<'p>(z: &SecondOrderField<'p>, x: &VectorField<'p>) -> VectorField<'p> {
    let s = z.state();
    let field = z.as_vector();
    let time = projected(s, x)[0];
    field
        .bracket(&intrinsic_mu(s, x))
        .minus(&intrinsic_mu(s, &field.bracket(x)))
        .plus(x)
        .minus(&field.scaled(time))
        .scaled(s.pool().number(Rational::new(1, 2)))
}

#[test]
fn t_116_vertical_homomorphism_without_coordinates() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let w = vector(s.chart(), "w");
        let spacelike = spacelike_part(&s, &w);
        proved(spacelike[0].decide_zero());
        let mu = s.vertical_homomorphism();
        proved(mu.on_vector(&w).decide_equal(&intrinsic_mu(&s, &w)));
        // Without the part along a it is another map.
        let naive = vertical_lift(&s, &projected(&s, &w));
        refuted(mu.on_vector(&w).decide_equal(&naive));
        // η by its definition is ∂_u⊗η of T-22.
        let z = field(&s, "Z");
        let eta = intrinsic_eta(&z, &w);
        proved(z.eta().on_vector(&w).decide_equal(&eta));
    }
}

/// Ω(X, Y) = ĝ(ηX, μY) − ĝ(ηY, μX) is the action form of T-23, for undetermined g, Z, X and Y.
#[test]
fn t_23_t_116_action_form_without_coordinates() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (g, z) = (metric(s.base()), field(&s, "Z"));
        let (x, y) = (vector(s.chart(), "X"), vector(s.chart(), "Y"));
        // ĝ of two vertical vectors is g of the spacelike vectors they are lifts of.
        let vertical = |a: &VectorField<'_>, b: &VectorField<'_>| {
            let part = |v: &VectorField<'_>| -> Vec<Expr<'_>> {
                v.components()[1 + n..]
                    .iter()
                    .map(|e| pool.expr(e.id()))
                    .collect()
            };
            pool.expr(g.pair(&part(a), &part(b)).id())
        };
        let (eta_x, eta_y) = (intrinsic_eta(&z, &x), intrinsic_eta(&z, &y));
        let (mu_x, mu_y) = (intrinsic_mu(&s, &x), intrinsic_mu(&s, &y));
        for v in [&eta_x, &eta_y, &mu_x, &mu_y] {
            for k in 0..=n {
                proved(v.component(k).decide_zero());
            }
        }
        let intrinsic = vertical(&eta_x, &mu_y) - vertical(&eta_y, &mu_x);
        let omega = action_form(&g.matrix(), &z);
        let value = omega.as_two_form().evaluate(&[&x, &y]);
        proved(value.decide_equal(intrinsic));
        let wrong = vertical(&eta_x, &mu_y) + vertical(&eta_y, &mu_x);
        refuted(value.decide_equal(wrong));
    }
}

/// Undetermined symmetric m(t, x, u).
fn mass<'p>(s: &StateSpace<'p>) -> galilei_geometry::Matrix<'p> {
    let entry = |i: usize, j: usize| of_state(s, &format!("m{}{}", i.min(j), i.max(j)));
    galilei_geometry::Matrix::new(s.pool(), square(s.degrees_of_freedom(), entry))
}

/// gᵢⱼηⁱ∧θʲ for any matrix.
fn two_form<'p>(m: &galilei_geometry::Matrix<'p>, z: &SecondOrderField<'p>) -> Form<'p> {
    let s = z.state();
    let n = s.degrees_of_freedom();
    let mut omega = Form::zero(s.chart(), 2);
    for i in 0..n {
        for j in 0..n {
            let term = z.eta_form(i).wedge(&s.contact(j));
            omega = omega.plus(&term.scaled(m.rows()[i][j]));
        }
    }
    omega
}

/// dΩ and the frame Z, Hᵢ, Vᵢ it is read in.
struct Frame<'p> {
    z: VectorField<'p>,
    h: Vec<VectorField<'p>>,
    v: Vec<VectorField<'p>>,
    d: Form<'p>,
}

impl<'p> Frame<'p> {
    fn new(m: &galilei_geometry::Matrix<'p>, xi: &SecondOrderField<'p>) -> Self {
        let s = xi.state();
        let n = s.degrees_of_freedom();
        Self {
            z: xi.as_vector(),
            h: (0..n).map(|i| xi.horizontal(i)).collect(),
            v: (0..n).map(|i| s.chart().partial(1 + n + i)).collect(),
            d: two_form(m, xi).d(),
        }
    }

    fn at(&self, a: &VectorField<'p>, b: &VectorField<'p>, c: &VectorField<'p>) -> Expr<'p> {
        self.d.evaluate(&[a, b, c])
    }

    /// d(dΩ)(a, b, c, e), which vanishes, without the brackets of some pairs: the derivatives of dΩ and dΩ of
    /// brackets, by the formula for d of a three-form.
    fn rest(&self, fields: [&VectorField<'p>; 4], skip: &[(usize, usize)]) -> Expr<'p> {
        let pool = self.d.chart().pool();
        let mut sum = pool.zero();
        for i in 0..4 {
            let others: Vec<_> = (0..4).filter(|k| *k != i).map(|k| fields[k]).collect();
            let value = fields[i].apply(self.at(others[0], others[1], others[2]));
            sum += if i % 2 == 0 { value } else { -value };
            for j in i + 1..4 {
                if skip.contains(&(i, j)) {
                    continue;
                }
                let others: Vec<_> = (0..4)
                    .filter(|k| *k != i && *k != j)
                    .map(|k| fields[k])
                    .collect();
                let value = self.at(&fields[i].bracket(fields[j]), others[0], others[1]);
                sum += if (i + j) % 2 == 0 { value } else { -value };
            }
        }
        sum
    }
}

/// The inverse problem for a given m. dΩ = 0 gives the conditions: in the frame (Z, H, V) its components are those
/// of T-89 and of mΦ − (mΦ)ᵀ with the Jacobi endomorphism of T-76.
#[test]
fn t_120_closed_forms_satisfy_the_conditions() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (m, xi) = (mass(&s), field(&s, "xi"));
        let f = Frame::new(&m, &xi);
        let rows = m.rows();
        let defect = newtonian_defect(&m, &xi);
        let free = SolvedForm::new(&s, vec![], vec![]);
        let jacobi = free.jacobi_endomorphism(xi.accelerations());
        let lowered = m.times(&jacobi);
        for i in 0..n {
            for j in 0..n {
                // 2dΩ(Z, Vᵢ, Hⱼ) is the second condition of T-89, dΩ(Z, Vᵢ, Vⱼ) = 0 always.
                let mixed = f.at(&f.z, &f.v[i], &f.h[j]);
                proved((2 * mixed).decide_equal(defect[i][j]));
                proved(f.at(&f.z, &f.v[i], &f.v[j]).decide_zero());
                // dΩ(Z, Hᵢ, Hⱼ) = (mΦ)ⱼᵢ − (mΦ)ᵢⱼ.
                let skew = lowered.rows()[i][j] - lowered.rows()[j][i];
                let turned = f.at(&f.z, &f.h[i], &f.h[j]);
                proved(turned.decide_equal(-skew));
                if i != j {
                    refuted(turned.decide_zero());
                }
                for k in 0..n {
                    // dΩ(Vᵢ, Vⱼ, Hₖ) is the first condition of T-89.
                    let slope = rows[j][k].diff(s.velocity(i)) - rows[i][k].diff(s.velocity(j));
                    proved(f.at(&f.v[i], &f.v[j], &f.h[k]).decide_equal(slope));
                    proved(f.at(&f.v[i], &f.v[j], &f.v[k]).decide_zero());
                }
            }
        }
    }
}

/// Conversely, the conditions give dΩ = 0: the other components of dΩ, those on (V, H, H) and (H, H, H), follow from
/// them by d(dΩ) = 0. With A = dΩ(Vᵢ, Hⱼ, Hₖ) and the rest R of d(dΩ)(Z, Vᵢ, Vⱼ, Hₖ), which contains only the
/// conditions, A is a combination of R as Christoffel's symbols are of ∂g.
#[test]
fn t_120_the_conditions_suffice() {
    for n in 2..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (m, xi) = (mass(&s), field(&s, "xi"));
        let f = Frame::new(&m, &xi);
        let half = Rational::new(1, 2);
        // [Z, Vᵢ] = −Hᵢ + vertical: those brackets bring A in, all others the conditions alone.
        let a = |i: usize, j: usize, k: usize| f.at(&f.v[i], &f.h[j], &f.h[k]);
        let r = |i: usize, j: usize, k: usize| {
            let all = f.rest([&f.z, &f.v[i], &f.v[j], &f.h[k]], &[(0, 1), (0, 2)]);
            let vertical = |l: usize| f.z.bracket(&f.v[l]).plus(&f.h[l]);
            let first = f.at(&vertical(i), &f.v[j], &f.h[k]);
            let second = f.at(&vertical(j), &f.v[i], &f.h[k]);
            first - second - all
        };
        for i in 0..n {
            for j in 0..n {
                // The bracket [Z, Vᵢ] + Hᵢ has no horizontal part.
                for l in 0..=n {
                    let left = f.z.bracket(&f.v[i]).plus(&f.h[i]);
                    proved(left.component(l).decide_zero());
                }
                for k in 0..n {
                    let known = (r(i, j, k) - r(j, k, i) + r(k, i, j)) * half.clone();
                    let unknown = a(i, j, k);
                    proved(unknown.decide_equal(known));
                    if n == 2 && j != k {
                        refuted(unknown.decide_zero());
                    }
                }
            }
        }
        // dΩ(Hᵢ, Hⱼ, Hₖ) from d(dΩ)(Z, Vᵢ, Hⱼ, Hₖ), which contains A and the conditions.
        if n == 3 {
            let whole = f.at(&f.h[0], &f.h[1], &f.h[2]);
            let all = f.rest([&f.z, &f.v[0], &f.h[1], &f.h[2]], &[(0, 1)]);
            let vertical = f.z.bracket(&f.v[0]).plus(&f.h[0]);
            let known = f.at(&vertical, &f.h[1], &f.h[2]) - all;
            proved(whole.decide_equal(known));
            refuted(whole.decide_zero());
        }
    }
}

/// Two systems at once: a Lagrangian one satisfies all conditions, and a force that keeps those of T-89 breaks the
/// last one exactly where it has no potential.
#[test]
fn t_120_forces_that_only_the_last_condition_sees() {
    let pool = Pool::new();
    let s = state(&pool, 2);
    let (x, u) = (s.base().positions(), s.velocities());
    let unit =
        galilei_geometry::Matrix::new(&pool, square(2, |i, j| pool.number(i64::from(i == j))));
    let free = SolvedForm::new(&s, vec![], vec![]);
    let skew = |f: [Expr<'_>; 2]| {
        let xi: Vec<_> = f.iter().map(|e| pool.expr(e.id())).collect();
        let xi = SecondOrderField::new(&s, xi);
        let defect = newtonian_defect(&unit, &xi);
        proved(galilei_geometry::decide_all_zero(
            defect.into_iter().flatten(),
        ));
        let phi = free.jacobi_endomorphism(xi.accelerations());
        (
            pool.expr((phi.rows()[0][1] - phi.rows()[1][0]).id()),
            two_form(&unit, &xi).d().decide_zero(),
        )
    };
    // A spring and a magnetic field.
    let (condition, closed) = skew([-x[0] + u[1], -x[1] - u[0]]);
    proved(condition.decide_zero());
    proved(closed);
    // A swirl, and a magnetic field that changes without induction.
    for f in [[-x[1], x[0]], [s.time() * u[1], -s.time() * u[0]]] {
        let (condition, closed) = skew(f);
        refuted(condition.decide_zero());
        refuted(closed);
    }
}

/// γ_H = J¹L̂∘ξ_L∘Ĥ: the Legendre image of the Lagrangian field, pushed forward as a vector field, is Hamilton's,
/// for undetermined g, R, V, A and F.
#[test]
fn t_122_legendre_image_of_the_lagrangian_field() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = quadratic(&s);
        let f = force(&s, "F");
        let xi = l.field(&f).unwrap().as_vector();
        let canonical = Canonical::new(&l).unwrap().unwrap();
        // L̂: (t, x, u) ↦ (t, x, ∂L/∂u), its tangent map applied to ξ, then u = ∂H/∂p substituted.
        let back = canonical.to_natural();
        let mut image: Vec<Expr<'_>> = s.chart().coordinates()[..=n].to_vec();
        image.extend(l.momenta());
        let pushed = image.iter().map(|&e| back.pullback(&xi.apply(e)));
        let pushed = VectorField::new(canonical.chart(), pushed.collect());
        let hamilton = canonical.hamilton(&f);
        proved(pushed.decide_equal(&hamilton));
        let without = canonical.hamilton(&Force::new(&s, vec![pool.zero(); n]));
        refuted(pushed.decide_equal(&without));
    }
}

/// dϑ = 0 makes ker ϑ integrable: brackets of spacelike fields are spacelike, and the leaves are τ = const.
#[test]
fn t_123_simultaneous_events() {
    for n in 1..=3 {
        let pool = Pool::new();
        let m = base(&pool, "x", n);
        let chart = m.chart();
        // ϑ = dτ with an undetermined τ(t, x).
        let tau = of_base(&m, "tau");
        let theta = Form::function(chart, tau).d();
        proved(theta.d().decide_zero());
        let spread = Codistribution::new(chart, vec![theta.clone()]);
        assert!(matches!(
            spread.integrability(),
            Integrability::Integrable(_)
        ));
        // X − (ϑ(X)/ϑ(T))T is spacelike, for any X and T.
        let (x, y, t) = (vector(chart, "X"), vector(chart, "Y"), vector(chart, "T"));
        let spacelike = |v: &VectorField<'_>| {
            let v = VectorField::new(
                chart,
                v.components().iter().map(|e| pool.expr(e.id())).collect(),
            );
            let time = theta.evaluate(&[&v]) / theta.evaluate(&[&t]);
            v.minus(&t.scaled(time))
        };
        let (a, b) = (spacelike(&x), spacelike(&y));
        proved(theta.evaluate(&[&a]).decide_zero());
        proved(theta.evaluate(&[&a.bracket(&b)]).decide_zero());
        // τ is constant on the leaves.
        proved(a.apply(tau).decide_zero());
        // A form that is not closed has no leaves, from two dimensions of space on.
        let crooked = chart
            .differential(0)
            .plus(&chart.differential(1).scaled(match n {
                1 => m.position(0),
                _ => m.position(1),
            }));
        let spread = Codistribution::new(chart, vec![crooked]);
        let integrable = matches!(spread.integrability(), Integrability::Integrable(_));
        assert_eq!(integrable, n == 1);
    }
}

/// ∮ of a one-form along a closed curve s ↦ (x(s), y(s)): the coefficient of ds.
fn along<'p>(curve: &Chart<'p>, form: &Form<'p>, place: Vec<Expr<'p>>) -> Expr<'p> {
    let map = SmoothMap::new(curve, form.chart(), place);
    map.pullback(form).component(&[0])
}

/// Closed forces without potentials: a vortex has the period 2πk around the hole of the plane, and a monopole the
/// flux 4πg through spheres, so that no potential exists on all of the domain; on star-shaped parts one does.
#[test]
fn t_124_closed_and_not_exact() {
    let pool = Pool::new();
    let s = state(&pool, 2);
    let (x, y) = (s.position(0), s.position(1));
    let [k, r, angle] = pool.symbols(["k", "r", "s"]);
    let square = x.pow(2) + y.pow(2);
    let vortex = Force::new(&s, vec![-k * y / square, k * x / square]);
    // Closed: P1 … P4 hold.
    let PotentialTest::Potential { e, .. } = vortex.potential_test() else {
        panic!("the vortex is closed");
    };
    // ∮E = ∫k ds = 2πk, for every radius.
    let curve = Chart::of(&pool, [angle]);
    let plane = Chart::of(&pool, [x, y]);
    let circle = vec![r * angle.cos(), r * angle.sin()];
    let circulation = along(&curve, &Form::one_form(&plane, &e), circle.clone());
    proved(circulation.decide_equal(k));
    refuted(circulation.decide_zero());
    // A potential of its own on the half plane x > 0, and not on the circle: V = −k·atan(y/x) jumps.
    let local = -k * (y / x).atan();
    proved((-local.diff(x)).decide_equal(e[0]));
    proved((-local.diff(y)).decide_equal(e[1]));
    // What has a potential has no period.
    let exact = Form::one_form(&plane, &[x, y].map(|v| square.sqrt().diff(v)));
    proved(along(&curve, &exact, circle).decide_zero());
    // A monopole: B = g r/|r|³, closed, with the flux ∫g sin θ dθ dφ = 4πg.
    let s = state(&pool, 3);
    let (x, u) = (s.base().positions(), s.velocities());
    let g = pool.symbol("g");
    let distance = pool.sum(x.iter().map(|x| x.pow(2))).sqrt();
    let b: Vec<Expr<'_>> = x.iter().map(|&x| g * x / distance.pow(3)).collect();
    let turned = |i: usize, j: usize| u[i] * b[j] - u[j] * b[i];
    let monopole = Force::new(&s, vec![turned(1, 2), turned(2, 0), turned(0, 1)]);
    let PotentialTest::Potential { b: field, .. } = monopole.potential_test() else {
        panic!("the monopole is closed");
    };
    let space = Chart::of(&pool, x.iter().copied());
    let mut flux = Form::zero(&space, 2);
    for i in 0..3 {
        for j in i + 1..3 {
            let plane = space.differential(i).wedge(&space.differential(j));
            flux = flux.plus(&plane.scaled(field[i][j]));
        }
    }
    proved(flux.d().decide_zero());
    let [theta, phi] = pool.symbols(["theta", "phi"]);
    let sphere = Chart::of(&pool, [theta, phi]);
    let place = vec![
        r * theta.sin() * phi.cos(),
        r * theta.sin() * phi.sin(),
        r * theta.cos(),
    ];
    let map = SmoothMap::new(&sphere, &space, place);
    let density = map.pullback(&flux).component(&[0, 1]);
    let assumed = galilei_expr::Assumptions::new().positive(r);
    let query = galilei_expr::Query::equal(density, g * theta.sin()).assuming(&assumed);
    assert!(query.decide().verdict.is_proved(), "{density}");
    // −g cos θ from 0 to π, times 2π.
    let primitive = -g * theta.cos();
    proved(primitive.diff(theta).decide_equal(g * theta.sin()));
    let at = |e: Expr<'_>| pool.expr(primitive.substitute(&[(theta, pool.expr(e.id()))]).id());
    let total = 2 * pool.pi() * (at(pool.pi()) - at(pool.zero()));
    proved(total.decide_equal(4 * pool.pi() * g));
}

/// Systems of one chart and of another are one action form: the changes of T-10 pull Ω of one back to Ω of the other.
#[test]
fn t_125_three_charts_fit_together() {
    let pool = Pool::new();
    // Y_ca = Y_cb∘Y_ba for undetermined shears, and the changes of states with them.
    let charts: Vec<AdaptedChart<'_>> = ["x", "y", "z"].iter().map(|l| base(&pool, l, 2)).collect();
    let shear = |from: &AdaptedChart<'_>, name: &str| -> Vec<Expr<'_>> {
        let from = AdaptedChart::new(&pool, "t", from.positions().iter().map(ToString::to_string));
        let h = pool.function(name).at([from.time(), from.position(0)]);
        vec![from.position(0), from.position(1) + h]
    };
    let ba = shear(&charts[0], "h");
    let cb = shear(&charts[1], "k");
    let pairs: Vec<_> = charts[1]
        .positions()
        .iter()
        .copied()
        .zip(ba.iter().copied())
        .collect();
    let ca = pool.substitute_all(&cb, &pairs);
    let lifted = |from: &AdaptedChart<'_>, y: &[Expr<'_>]| -> Vec<Expr<'_>> {
        let s = StateSpace::new(AdaptedChart::new(
            &pool,
            "t",
            from.positions().iter().map(ToString::to_string),
        ));
        y.iter().map(|e| s.drift(pool.expr(e.id()))).collect()
    };
    // w = ∂_tY + J·u, composed as the changes are.
    let middle = StateSpace::new(charts[1].clone());
    let mut put = pairs.clone();
    put.extend(
        middle
            .velocities()
            .iter()
            .copied()
            .zip(lifted(&charts[0], &ba)),
    );
    let composed = pool.substitute_all(&lifted(&charts[1], &cb), &put);
    for (a, b) in composed.iter().zip(lifted(&charts[0], &ca)) {
        proved(a.decide_equal(b));
    }
}
