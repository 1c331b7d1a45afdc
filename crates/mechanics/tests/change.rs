//! T-9 … T-13, T-23, T-27: changes of adapted charts, for undetermined X(t, y).

mod common;

use common::*;
use galilei_expr::{Expr, Pool};
use galilei_geometry::{Evidence, Form, Matrix};
use galilei_mechanics::{ActionForm, AdaptedChange, AdaptedChart, KineticEnergy};

fn generic<'p>(pool: &'p Pool, n: usize) -> AdaptedChange<'p> {
    let (old, new) = (base(pool, "x", n), base(pool, "y", n));
    let x = (0..n).map(|i| of_base(&new, &format!("X{i}"))).collect();
    AdaptedChange::new(&old, &new, x)
}

/// The shear yⁱ = xⁱ + hᵢ(t, x¹ … xⁱ⁻¹) with undetermined hᵢ, and X(t, y), its inverse.
fn shear<'p>(pool: &'p Pool, n: usize) -> (AdaptedChange<'p>, Vec<Expr<'p>>) {
    let (old, new) = (base(pool, "x", n), base(pool, "y", n));
    let h = |i: usize, x: &[Expr<'p>]| {
        let arguments = std::iter::once(old.time()).chain(x[..i].iter().copied());
        pool.function(&format!("h{i}")).at(arguments)
    };
    let y = (0..n)
        .map(|i| old.position(i) + h(i, old.positions()))
        .collect();
    let mut x: Vec<Expr<'p>> = Vec::new();
    for i in 0..n {
        x.push(new.position(i) - h(i, &x));
    }
    (AdaptedChange::new(&old, &new, x), y)
}

#[test]
fn t_9_inverse_is_checked() {
    for n in 1..=3 {
        let pool = Pool::new();
        let (change, y) = shear(&pool, n);
        let pair = change.with_inverse(y.clone()).unwrap();
        assert!(matches!(pair.evidence(), Evidence::Proved(_)));
        // K = J⁻¹: Jⁱₖ∘X · Kᵏⱼ = δ
        let old = change.old_state().base();
        let rows = pool.jacobian(&y, old.positions());
        let here = rows
            .iter()
            .map(|r| r.iter().map(|c| pair.map().pullback(c)).collect());
        let j = Matrix::new(&pool, here.collect());
        let product = j.times(&change.jacobian());
        for a in 0..n {
            for b in 0..n {
                let delta = pool.number(i64::from(a == b));
                proved(product.rows()[a][b].decide_equal(delta));
            }
        }
        // With one sign wrong it is none.
        let mut wrong = y;
        wrong[n - 1] = 2 * old.position(n - 1) - wrong[n - 1];
        let refusal = change.with_inverse(wrong).unwrap_err();
        assert!(refusal.source.is_refuted() && refusal.target.is_refuted());
    }
}

#[test]
fn t_9_inverse_of_a_turning_chart() {
    let pool = Pool::new();
    let old = AdaptedChart::new(&pool, "t", ["x", "y"]);
    let new = AdaptedChart::new(&pool, "t", ["a", "b"]);
    let (t, [a, b]) = (old.time(), [new.position(0), new.position(1)]);
    let w = pool.symbol("w");
    let change = AdaptedChange::new(
        &old,
        &new,
        vec![
            a * (w * t).cos() - b * (w * t).sin(),
            a * (w * t).sin() + b * (w * t).cos(),
        ],
    );
    let [x, y] = [old.position(0), old.position(1)];
    let turned_back = vec![
        x * (w * t).cos() + y * (w * t).sin(),
        y * (w * t).cos() - x * (w * t).sin(),
    ];
    assert!(change.with_inverse(turned_back).is_ok());
    let turned_on = vec![
        x * (w * t).cos() - y * (w * t).sin(),
        y * (w * t).cos() + x * (w * t).sin(),
    ];
    assert!(change.with_inverse(turned_on).is_err());
}

#[test]
fn t_10_t_11_as_functions_of_the_old_chart() {
    // The formulas with Y(t, x), undetermined: the change is read from y to x.
    for n in 1..=3 {
        let pool = Pool::new();
        let (target, source) = (base(&pool, "y", n), base(&pool, "x", n));
        let y: Vec<Expr<'_>> = (0..n).map(|i| of_base(&source, &format!("Y{i}"))).collect();
        let change = AdaptedChange::new(&target, &source, y.clone());
        let (s, map) = (change.new_state(), change.prolonged());
        let (t, x, u) = (s.time(), source.positions(), s.velocities());
        let j = change.jacobian();
        // wⁱ = ∂ₜYⁱ + Jⁱⱼuʲ
        let turned = j.times_vector(u);
        for i in 0..n {
            let w = y[i].diff(t) + turned[i];
            proved(change.velocities()[i].decide_equal(w));
        }
        // Wⁱ = ∂ₜ²Yⁱ + 2uʲ∂ₜ∂ⱼYⁱ + uʲuᵏ∂ⱼ∂ₖYⁱ + JⁱⱼZʲ
        let w = field(change.old_state(), "W");
        let z = change.field(&w).unwrap();
        let pushed = j.times_vector(z.accelerations());
        for i in 0..n {
            let mixed = (0..n).map(|a| 2 * u[a] * y[i].diff(t).diff(x[a]));
            let square = (0..n * n).map(|k| {
                let (a, b) = (k / n, k % n);
                u[a] * u[b] * y[i].diff(x[a]).diff(x[b])
            });
            let drift = y[i].diff(t).diff(t) + pool.sum(mixed) + pool.sum(square);
            let moved = map.pullback(&w.accelerations()[i]);
            proved(moved.decide_equal(drift + pushed[i]));
            refuted(moved.decide_equal(pushed[i] - drift));
        }
        // R̄ⁱ = ∂ₜYⁱ + JⁱⱼRʲ
        let r = reference(&target, "R");
        let r_here = change.reference(&r).unwrap();
        let carried = j.times_vector(r_here.components());
        for i in 0..n {
            let bar = change.map().pullback(&r.components()[i]);
            proved(bar.decide_equal(y[i].diff(t) + carried[i]));
        }
        // η̄ⁱ = Jⁱⱼηʲ, and ∂/∂uʲ = Jⁱⱼ∂/∂wⁱ: of any f(t, y, w).
        let f = of_state(change.old_state(), "f");
        for i in 0..n {
            let mut eta = Form::zero(s.chart(), 1);
            for k in 0..n {
                eta = eta.plus(&z.eta_form(k).scaled(j.rows()[i][k]));
            }
            proved(map.pullback(&w.eta_form(i)).decide_equal(&eta));
            let slopes = (0..n).map(|k| {
                let slope = f.diff(change.old_state().velocity(k));
                j.rows()[k][i] * map.pullback(&slope)
            });
            proved(map.pullback(&f).diff(u[i]).decide_equal(pool.sum(slopes)));
        }
    }
}

#[test]
fn t_10_t_11_contact_forms_and_fields() {
    for n in 1..=3 {
        let pool = Pool::new();
        let change = generic(&pool, n);
        let (old, new) = (change.old_state(), change.new_state());
        let map = change.prolonged();
        let k = change.jacobian();
        // θʲ∘φ = Kʲᵢ θ̄ⁱ
        for j in 0..n {
            let mut sum = Form::zero(new.chart(), 1);
            for i in 0..n {
                sum = sum.plus(&new.contact(i).scaled(k.rows()[j][i]));
            }
            proved(map.pullback(&old.contact(j)).decide_equal(&sum));
        }
        // A motion is a motion: Z̄ pushes to Z, Z̄[uʲ(t, y, w)] = Zʲ.
        let z = field(old, "Z");
        let moved = change.field(&z).unwrap();
        for (u, z) in change.velocities().iter().zip(z.accelerations()) {
            proved(moved.rate(*u).decide_equal(map.pullback(z)));
        }
    }
}

#[test]
fn t_23_is_independent_of_the_chart() {
    for n in 1..=3 {
        let pool = Pool::new();
        let change = generic(&pool, n);
        let (g, z) = (
            metric(change.old_state().base()),
            field(change.old_state(), "Z"),
        );
        let omega = ActionForm::of(&g.matrix(), &z);
        let (g_new, z_new) = (change.metric(&g), change.field(&z).unwrap());
        let omega_new = ActionForm::of(&g_new.matrix(), &z_new);
        let pulled = change.prolonged().pullback(omega.as_two_form());
        proved(omega_new.as_two_form().decide_equal(&pulled));
    }
}

#[test]
fn t_27_without_the_gyroscopic_part_it_depends_on_the_chart() {
    for n in 1..=3 {
        let pool = Pool::new();
        let change = generic(&pool, n);
        let (old, new) = (change.old_state(), change.new_state());
        let (g, z) = (metric(old.base()), field(old, "Z"));
        let map = change.prolonged();
        let pulled = map.pullback(&without_gyroscopic_part(&g, &z));
        let (g_new, z_new) = (change.metric(&g), change.field(&z).unwrap());
        let here = without_gyroscopic_part(&g_new, &z_new);
        // The two differ by gᵢⱼ(∂uⁱ/∂yᵏ)Kʲₗ θ̄ᵏ∧θ̄ˡ,
        let (k, u) = (change.jacobian(), change.velocities());
        let mut excess = Form::zero(new.chart(), 2);
        for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
            let c = pool.sum((0..n * n).map(|ij| {
                let (i, j) = (ij / n, ij % n);
                map.pullback(&g.component(i, j)) * u[i].diff(new.position(a)) * k.rows()[j][b]
            }));
            excess = excess.plus(&new.contact(a).wedge(&new.contact(b)).scaled(c));
        }
        proved(pulled.minus(&here).decide_equal(&excess));
        // which is nothing only on a line.
        if n == 1 {
            proved(pulled.decide_equal(&here));
        } else {
            refuted(pulled.decide_equal(&here));
            refuted(here.minus(&pulled).decide_equal(&excess));
        }
    }
}

#[test]
fn t_11_reference_force_and_energy() {
    for n in 1..=3 {
        let pool = Pool::new();
        let change = generic(&pool, n);
        let (old, new) = (change.old_state(), change.new_state());
        let map = change.prolonged();
        let (g, r, f) = (
            metric(old.base()),
            reference(old.base(), "R"),
            force(old, "F"),
        );
        // T_R is a scalar.
        let energy = KineticEnergy::new(old, &g, &r).energy();
        let r_new = change.reference(&r).unwrap();
        let energy_new = KineticEnergy::new(new, &change.metric(&g), &r_new).energy();
        proved(energy_new.decide_equal(map.pullback(&energy)));
        // The force one-form and two-form are forms.
        let f_new = change.force(&f);
        proved(f_new.one_form().decide_equal(&map.pullback(&f.one_form())));
        let two = map.pullback(f.two_form().as_two_form());
        proved(f_new.two_form().as_two_form().decide_equal(&two));
    }
}

#[test]
fn t_12_the_hamiltonian_is_not_a_scalar() {
    for n in 1..=3 {
        let pool = Pool::new();
        let change = generic(&pool, n);
        let (old, new) = (change.old_state(), change.new_state());
        let map = change.prolonged();
        let l = of_state(old, "L");
        let p = l.gradient(old.velocities());
        let energy = |s: &galilei_mechanics::StateSpace<'_>, l: Expr<'_>| {
            let l = pool.expr(l.id());
            let u: Vec<_> = s.velocities().iter().map(|u| pool.expr(u.id())).collect();
            let p = l.gradient(&u);
            pool.sum(p.iter().zip(&u).map(|(&p, &u)| p * u)) - l
        };
        let l_new = map.pullback(&l);
        let direct = energy(new, l_new);
        let h = energy(old, l);
        proved(direct.decide_equal(change.hamiltonian(h, &p)));
        refuted(direct.decide_equal(map.pullback(&h)));
        let p_new = l_new.gradient(new.velocities());
        for (a, b) in p_new.iter().zip(change.momenta(&p)) {
            proved(a.decide_equal(b));
        }
    }
}

#[test]
fn t_13_potentials_mix() {
    for n in 1..=3 {
        let pool = Pool::new();
        let change = generic(&pool, n);
        let known = potentials(change.old_state().base());
        let moved = change.potentials(&known);
        let map = change.map();
        // Components of one one-form, with one force;
        let pulled = map.pullback(&known.one_form());
        proved(moved.one_form().decide_equal(&pulled));
        let force = change.force(&known.force(change.old_state()));
        same_force(&moved.force(change.new_state()), &force);
        // V is no scalar.
        refuted(moved.scalar.decide_equal(map.pullback(&known.scalar)));
    }
}
