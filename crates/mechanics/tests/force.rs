//! T-28 … T-37, T-107: forces and their potentials; ERRATA E1, E7, E8.

mod common;

use common::*;
use galilei_expr::{Expr, Pool};
use galilei_geometry::{Form, Homotopy};
use galilei_mechanics::{
    Condition, Force, ForceTwoForm, NotAForceTwoForm, PotentialTest, Potentials, SecondOrderField,
};

#[test]
fn t_29_three_equivalent_objects() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let f = force(&s, "F");
        let (phi, two) = (f.one_form(), f.two_form());
        let z = field(&s, "Z").as_vector();
        // φ = F∘μ
        let mu = s.vertical_homomorphism();
        let y = field(&s, "Y")
            .as_vector()
            .plus(&field(&s, "X").horizontal(0));
        let image = mu.on_vector(&y);
        let direct = pool.sum((0..n).map(|i| f.components()[i] * image.component(1 + n + i)));
        proved(phi.evaluate(&[&y]).decide_equal(direct));
        // φ = −Z⌟Φ for any second-order Z
        proved(z.interior(two.as_two_form()).negated().decide_equal(&phi));
        refuted(z.interior(two.as_two_form()).decide_equal(&phi));
        // Φ = −½(∂φ + dt∧φ)
        let back = s
            .del(&phi)
            .plus(&s.dt().wedge(&phi))
            .scaled(pool.number((-1, 2)));
        proved(back.decide_equal(two.as_two_form()));
        // Fᵢ = Φ(∂xⁱ, ∂t + u∂x)
        for (a, b) in two.force().components().iter().zip(f.components()) {
            proved(a.decide_equal(*b));
        }
        for (a, b) in Force::from_one_form(&s, &phi)
            .unwrap()
            .components()
            .iter()
            .zip(f.components())
        {
            proved(a.decide_equal(*b));
        }
    }
}

#[test]
fn t_30_recognition_and_projection() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let two = force(&s, "F").two_form();
        assert!(ForceTwoForm::new(&s, two.as_two_form().clone()).is_ok());
        let any = form(&s, 2, "w", true);
        if n > 1 {
            let err = ForceTwoForm::new(&s, any.clone()).unwrap_err();
            assert!(matches!(err, NotAForceTwoForm::NotDelClosed(_)));
        }
        let projected = ForceTwoForm::projected(&s, &any).unwrap();
        assert!(ForceTwoForm::new(&s, projected.as_two_form().clone()).is_ok());
        // A projector: force two-forms stay as they are, and the force is that of −Z⌟Φ.
        let again = ForceTwoForm::projected(&s, projected.as_two_form()).unwrap();
        proved(again.as_two_form().decide_equal(projected.as_two_form()));
        let z = field(&s, "Z").as_vector();
        let phi = z.interior(&any).negated();
        let same = projected.force().one_form();
        proved(same.decide_equal(&phi));
        let vertical = s.du(0).wedge(&s.dt());
        let err = ForceTwoForm::new(&s, vertical).unwrap_err();
        assert!(matches!(err, NotAForceTwoForm::NotSemiBasic(_)));
    }
}

#[test]
fn t_28_t_31_superposition() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (g, z, f) = (metric(s.base()), field(&s, "Z"), force(&s, "F"));
        let omega = action_form(&g.matrix(), &z);
        let push = g.matrix().solve(f.components()).unwrap();
        let pairs = z.accelerations().iter().zip(&push);
        let moved = SecondOrderField::new(&s, pairs.map(|(&a, &b)| a + b).collect());
        // V = g⁻¹F is what the force does: F = gV.
        same_force(&Force::new(&s, g.lower(&push)), &f);
        let sum = omega.as_two_form().plus(f.two_form().as_two_form());
        let action = action_form(&g.matrix(), &moved);
        proved(action.as_two_form().decide_equal(&sum));
        refuted(omega.as_two_form().decide_equal(&sum));
    }
}

/// dΦ = 0?
fn closed<'p>(f: &Force<'p>) -> galilei_expr::Verdict {
    f.two_form().as_two_form().d().decide_zero()
}

/// A force that is affine in u between kinks, and another one beyond them, has no potentials: its value at rest
/// does not determine it.
#[test]
fn t_32_kinks_in_the_velocities_break_p1() {
    let pool = Pool::new();
    let s = state(&pool, 2);
    let (y, [u, v]) = (s.position(1), [0, 1].map(|i| s.velocity(i)));
    let o = pool.zero();
    let root = (u * u).sqrt();
    let jump = u.if_less(o, 1, -1);
    let jumping = [-u.sign() * y, -(u + v).sign(), jump, -u / root];
    let kinked = [-u.abs(), v.max(u), root * y];
    for (indices, forces) in [(vec![0], &jumping[..]), (vec![0, 0], &kinked[..])] {
        for &f in forces {
            let test = Force::new(&s, vec![f, o]).potential_test();
            let failure = test.failure().unwrap_or_else(|| panic!("{f}"));
            assert_eq!(failure.condition, Condition::P1, "{f}");
            assert_eq!(failure.indices, indices, "{f}");
            refuted(failure.verdict.clone());
        }
    }
    // Kinks in positions are none of P1, and what only looks kinked has potentials.
    let same = v.max(o) + v.min(o);
    for f in [vec![y.sign(), o], vec![same, -u], vec![same * u / u, -u]] {
        assert!(Force::new(&s, f).potential_test().is_potential());
    }
}

#[test]
fn t_32_each_condition_fails_on_its_own() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let [y, z] = [1, 2].map(|i: usize| s.position(i.min(n - 1)));
        let [u, v, w] = [0, 1, 2].map(|i: usize| s.velocity(i.min(n - 1)));
        let (t, o) = (s.time(), pool.zero());
        let f = of_base(s.base(), "f");
        // On a line only P1 and P2 can fail, and P3 only in space.
        let cases = [
            (1, vec![f * u * v, o, o], Condition::P1),
            (1, vec![-f * u, o, o], Condition::P2),
            (2, vec![v, u, o], Condition::P2),
            (2, vec![f * y, o, o], Condition::P4),
            (2, vec![t * v, -t * u, o], Condition::P4),
            (3, vec![z * v, -z * u, o], Condition::P3),
            (3, vec![o, t * w, -t * v], Condition::P4),
        ];
        for (least, components, condition) in cases {
            if n < least {
                continue;
            }
            let force = Force::new(&s, components[..n].to_vec());
            let test = force.potential_test();
            let failure = test.failure().unwrap();
            assert_eq!(failure.condition, condition);
            assert!(failure.verdict.is_refuted());
            refuted(closed(&force));
            assert!(force.potentials(&vec![o; n]).is_err());
        }
    }
}

#[test]
fn t_33_t_34_potentials_give_closed_basic_forms() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let base = s.base();
        let a = (0..n).map(|i| of_base(base, &format!("A{i}"))).collect();
        let potentials = Potentials::new(base, of_base(base, "V"), a);
        let f = potentials.force(&s);
        proved(closed(&f));
        proved(s.decide_basic(f.two_form().as_two_form()));
        // Φ = dφ
        let pulled = s.projection().pullback(&potentials.one_form());
        proved(f.two_form().as_two_form().decide_equal(&pulled.d()));
        assert!(f.potential_test().is_potential());
    }
}

#[test]
fn e_1_the_magnetic_matrix() {
    // Printed: Bᵢⱼ = 2∂Aⱼ/∂xⁱ. Corrected: Bᵢⱼ = ∂Aⱼ/∂xⁱ − ∂Aᵢ/∂xʲ.
    let pool = Pool::new();
    let s = state(&pool, 2);
    let (base, x) = (s.base(), s.base().positions());
    let a: Vec<Expr<'_>> = (0..2).map(|i| of_base(base, &format!("A{i}"))).collect();
    let pulled = s
        .projection()
        .pullback(&Potentials::new(base, pool.zero(), a.clone()).one_form());
    let force = |printed: bool| {
        let components = (0..2)
            .map(|i| {
                let magnetic = (0..2).map(|j| {
                    let b = if printed {
                        2 * a[j].diff(x[i])
                    } else {
                        a[j].diff(x[i]) - a[i].diff(x[j])
                    };
                    b * s.velocity(j)
                });
                -a[i].diff(s.time()) + pool.sum(magnetic)
            })
            .collect();
        Force::new(&s, components)
    };
    refuted(
        force(true)
            .two_form()
            .as_two_form()
            .decide_equal(&pulled.d()),
    );
    proved(
        force(false)
            .two_form()
            .as_two_form()
            .decide_equal(&pulled.d()),
    );
}

#[test]
fn e_7_affinity_needs_both_terms() {
    // The dx∧dx∧du part of dΦ alone vanishes also for forces that are not affine, such as every
    // F = −∂D/∂u: printed "iff F is affine", refuted by D = u₁⁴ + u₁²u₂². Together with the
    // dt∧dx∧du part it does follow.
    let pool = Pool::new();
    let s = state(&pool, 2);
    let [u, v] = [s.velocity(0), s.velocity(1)];
    let d = u.pow(4) + u.pow(2) * v.pow(2);
    let f = Force::new(&s, vec![-d.diff(u), -d.diff(v)]);
    let exterior = f.two_form().as_two_form().d();
    for k in [3, 4] {
        // components dx¹∧dx²∧duᵏ
        proved(exterior.component(&[1, 2, k]).decide_zero());
    }
    refuted(f.components()[0].diff(u).diff(u).decide_zero());
    let time_part = (1..3).flat_map(|i| (3..5).map(move |k| (i, k)));
    let verdicts: Vec<_> = time_part
        .map(|(i, k)| exterior.component(&[0, i, k]).decide_zero())
        .collect();
    assert!(verdicts.iter().any(|v| v.is_refuted()));
    assert_eq!(
        f.potential_test().failure().unwrap().condition,
        Condition::P1
    );
}

#[test]
fn e_8_removing_a_curl_free_vector_potential() {
    // Printed: B = 0 leaves Aᵢ(t). Corrected: Aᵢ = ∂ᵢχ, removed by f = −χ with V′ = V + ∂ₜχ.
    let pool = Pool::new();
    let s = state(&pool, 2);
    let (base, x) = (s.base(), s.base().positions());
    let (chi, v) = (of_base(base, "chi"), of_base(base, "V"));
    let potentials = Potentials::new(base, v, vec![chi.diff(x[0]), chi.diff(x[1])]);
    let force = potentials.force(&s);
    // B = 0 although A depends on x:
    for f in force.components() {
        for &u in s.velocities() {
            proved(f.diff(u).decide_zero());
        }
    }
    refuted(chi.diff(x[0]).diff(x[0]).decide_zero());
    let gauged = potentials.gauged(-chi);
    for a in &gauged.vector {
        proved(a.decide_zero());
    }
    proved(gauged.scalar.decide_equal(v + chi.diff(s.time())));
    refuted(gauged.scalar.decide_equal(v));
    for (a, b) in gauged.force(&s).components().iter().zip(force.components()) {
        proved(a.decide_equal(*b));
    }
}

#[test]
fn t_36_gauge() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let base = s.base();
        let known = potentials(base);
        let f = of_base(base, "f");
        let gauged = known.gauged(f);
        same_force(&gauged.force(&s), &known.force(&s));
        let df = Form::function(base.chart(), f).d();
        let difference = gauged.one_form().minus(&known.one_form());
        proved(difference.decide_equal(&df));
        refuted(difference.decide_equal(&df.negated()));
        // B = 0: A = ∂χ can be removed, V′ = V + ∂ₜχ.
        let (chi, v) = (of_base(base, "chi"), of_base(base, "V"));
        let gradient = chi.gradient(base.positions());
        let removed = Potentials::new(base, v, gradient).gauged(-chi);
        for a in &removed.vector {
            proved(a.decide_zero());
        }
        proved(removed.scalar.decide_equal(v + chi.diff(s.time())));
        refuted(removed.scalar.decide_equal(v - chi.diff(s.time())));
    }
}

#[test]
fn t_35_the_integrands_for_undetermined_fields() {
    // With y = x₀ + s(x − x₀), aⱼ = s(x − x₀)ⁱBᵢⱼ(t, y), v = −(x − x₀)ⁱEᵢ(t, y):
    // −∂ᵢv − ∂ₜaᵢ = d/ds (s·Eᵢ(t, y)) and ∂ᵢaⱼ − ∂ⱼaᵢ = d/ds (s²·Bᵢⱼ(t, y)), so that the integrals
    // over 0 ≤ s ≤ 1 are potentials of E + Bu.
    for n in 1..=3 {
        let pool = Pool::new();
        let st = state(&pool, n);
        let (base, x, t) = (st.base(), st.base().positions(), st.time());
        let force = potentials(base).force(&st);
        let PotentialTest::Potential { e, b, .. } = force.potential_test() else {
            panic!("a force with potentials")
        };
        let s = pool.symbol("s");
        let arm: Vec<Expr<'_>> = (0..n)
            .map(|i| x[i] - pool.symbol(&format!("c{i}")))
            .collect();
        let pairs: Vec<_> = (0..n).map(|i| (x[i], x[i] - arm[i] + s * arm[i])).collect();
        let moved = |c: Expr<'_>| pool.expr(c.id()).substitute(&pairs);
        let scalar = -pool.sum((0..n).map(|i| arm[i] * moved(e[i])));
        let vector: Vec<Expr<'_>> = (0..n)
            .map(|j| s * pool.sum((0..n).map(|i| arm[i] * moved(b[i][j]))))
            .collect();
        for i in 0..n {
            let electric = -scalar.diff(x[i]) - vector[i].diff(t);
            proved(electric.decide_equal((s * moved(e[i])).diff(s)));
            refuted(electric.decide_equal(-(s * moved(e[i])).diff(s)));
            for j in 0..i {
                let magnetic = vector[j].diff(x[i]) - vector[i].diff(x[j]);
                proved(magnetic.decide_equal((s.pow(2) * moved(b[i][j])).diff(s)));
            }
        }
        // The radial gauge (x − x₀)ⁱAᵢ = 0
        let radial = (0..n).map(|i| arm[i] * vector[i]);
        proved(pool.sum(radial).decide_zero());
        // These are the integrals that the library writes.
        let point = (0..n).map(|i| x[i] - arm[i]);
        let point = std::iter::once(t).chain(point).collect();
        let moving = (0..=n).map(|k| k > 0).collect();
        let homotopy = Homotopy::partial(base.chart(), point, moving);
        let written = homotopy.integrand(&potentials(base).one_form().d(), s);
        proved(written.component(&[0]).decide_equal(-scalar));
        for j in 0..n {
            proved(written.component(&[1 + j]).decide_equal(vector[j]));
        }
    }
}

#[test]
fn t_35_potentials_recover_the_force_in_the_radial_gauge() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let base = s.base();
        let [x, y, z] = [0, 1, 2].map(|i| s.position(i.min(n - 1)));
        let t = s.time();
        let vector = [y * z * t, x.pow(2) * (z + t).sin(), x * y];
        let original =
            Potentials::new(base, x * y * (2 * t).cos() + z.pow(3), vector[..n].to_vec());
        let force = original.force(&s);
        let centre = [pool.one(), pool.zero(), pool.number(-2)];
        let found = force.potentials(&centre[..n]).unwrap();
        assert!(found.closed_form);
        same_force(&found.force(&s), &force);
        let radial = (0..n).map(|i| (s.position(i) - centre[i]) * found.vector[i]);
        proved(pool.sum(radial).decide_zero());
    }
}

#[test]
fn t_107_homogeneous_fields() {
    // E = −∂W for W of degree d + 1 in x − c, written with an undetermined function f(t, …) of
    // ratios: (x − c)ᵏ∂ₖEᵢ = d·Eᵢ, and V = −(x − c)ⁱEᵢ/(d + 1) is a potential, here W itself.
    for n in 1..=3 {
        for (above, below) in [(-2, 1), (1, 1), (3, 1), (1, 2), (0, 1), (-5, 3)] {
            let pool = Pool::new();
            let s = state(&pool, n);
            let x = s.base().positions();
            let arm: Vec<Expr<'_>> = (0..n)
                .map(|i| x[i] - pool.symbol(&format!("c{i}")))
                .collect();
            let degree = pool.number((above, below));
            let ratios = arm[1..].iter().map(|&a| a / arm[0]);
            let f = pool.function("f");
            let f = f.at(std::iter::once(s.time()).chain(ratios));
            let w = f * arm[0].pow(degree + 1);
            let e: Vec<Expr<'_>> = w.gradient(x).iter().map(|&e| -e).collect();
            let v = -pool.sum((0..n).map(|i| arm[i] * e[i])) / (degree + 1);
            proved(v.decide_equal(w));
            for i in 0..n {
                let euler = pool.sum((0..n).map(|k| arm[k] * e[i].diff(x[k])));
                proved(euler.decide_equal(degree * e[i]));
                proved((-v.diff(x[i])).decide_equal(e[i]));
                refuted(v.diff(x[i]).decide_equal(e[i]));
            }
        }
        // d = −1 is excluded: (x − c)ⁱEᵢ is then constant along rays, here the potential is a
        // logarithm.
        let pool = Pool::new();
        let s = state(&pool, n);
        let r2 = pool.sum(s.base().positions().iter().map(|x| x.pow(2)));
        let e: Vec<Expr<'_>> = s.base().positions().iter().map(|&x| x / r2).collect();
        let inner = pool.sum(s.base().positions().iter().zip(&e).map(|(&x, &e)| x * e));
        proved(inner.decide_equal(pool.one()));
    }
}

#[test]
fn t_107_kepler() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let k = pool.symbol("k");
        let r = pool.sum((0..n).map(|i| s.position(i).pow(2))).sqrt();
        let f = Force::new(&s, (0..n).map(|i| -k * s.position(i) / r.pow(3)).collect());
        let found = f.potentials(&vec![pool.zero(); n]).unwrap();
        assert!(found.closed_form);
        proved(found.scalar.decide_equal(-k / r));
        refuted(found.scalar.decide_equal(k / r));
        for a in &found.vector {
            assert!(a.is_zero());
        }
    }
}

#[test]
fn t_37_the_split_is_not_unique() {
    // A closed part may be moved from one force to another: each force is judged as given.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let c = pool.symbol("c");
        let damping = Force::new(&s, s.velocities().iter().map(|&u| -c * u).collect());
        let closed = potentials(s.base()).force(&s);
        let minus = Force::new(&s, closed.components().iter().map(|&f| -f).collect());
        // (0, damping) and (closed, damping − closed) are the same force, split twice:
        let rest = damping.plus(&minus);
        let sum = closed
            .two_form()
            .as_two_form()
            .plus(rest.two_form().as_two_form());
        proved(sum.decide_equal(damping.two_form().as_two_form()));
        // of each split the first part is potential, the second not, for the same reason.
        assert!(closed.potential_test().is_potential());
        for f in [&damping, &rest] {
            let test = f.potential_test();
            assert_eq!(test.failure().unwrap().condition, Condition::P2);
        }
        // The test recovers the parts that were given.
        let PotentialTest::Potential { e, b, .. } = closed.potential_test() else {
            panic!("a force with potentials")
        };
        for i in 0..n {
            let magnetic = (0..n).map(|j| b[i][j] * s.velocity(j));
            let again = e[i] + pool.sum(magnetic);
            proved(again.decide_equal(closed.components()[i]));
        }
    }
}

#[test]
fn t_32_the_expansion_of_d_phi() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (chart, u) = (s.chart(), s.velocities());
        let half = pool.number((1, 2));
        // With flow = ∂t + uʲ∂xʲ, for undetermined F: the parts with du vanish exactly if P1, P2 hold.
        let f = force(&s, "F");
        let exterior = f.two_form().as_two_form().d();
        let mut flow = chart.partial(0);
        for j in 0..n {
            flow = flow.plus(&chart.partial(1 + j).scaled(u[j]));
        }
        let slope = |i: usize, j: usize| f.components()[i].diff(u[j]);
        for k in 0..n {
            let du = chart.partial(1 + n + k);
            for i in 0..n {
                let dx = chart.partial(1 + i);
                let time_part = exterior.evaluate(&[&du, &dx, &flow]);
                proved(time_part.decide_equal(half * (slope(i, k) + slope(k, i))));
                for j in 0..n {
                    let space_part = exterior.evaluate(&[&du, &dx, &chart.partial(1 + j)]);
                    let twist = half * (slope(i, j) - slope(j, i)).diff(u[k]);
                    proved(space_part.decide_equal(twist));
                }
            }
        }
        // For affine F = E + Bu with B antisymmetric, what is left is P3 and P4.
        let base = s.base();
        let b = |i: usize, j: usize| match i.cmp(&j) {
            std::cmp::Ordering::Less => of_base(base, &format!("B{i}{j}")),
            std::cmp::Ordering::Equal => pool.zero(),
            std::cmp::Ordering::Greater => -of_base(base, &format!("B{j}{i}")),
        };
        let e = |i: usize| of_base(base, &format!("E{i}"));
        let components = (0..n)
            .map(|i| e(i) + pool.sum((0..n).map(|j| b(i, j) * u[j])))
            .collect();
        let affine = Force::new(&s, components);
        let exterior = affine.two_form().as_two_form().d();
        let (t, x) = (s.time(), base.positions());
        for i in 0..n {
            for j in 0..n {
                let faraday = b(i, j).diff(t) - e(i).diff(x[j]) + e(j).diff(x[i]);
                proved(exterior.component(&[0, 1 + i, 1 + j]).decide_equal(faraday));
                for k in 0..n {
                    let cyclic = b(i, j).diff(x[k]) + b(k, i).diff(x[j]) + b(j, k).diff(x[i]);
                    let component = exterior.component(&[1 + i, 1 + j, 1 + k]);
                    // For a repeated index both sides are zero.
                    proved(component.decide_equal(cyclic));
                }
            }
        }
    }
}
