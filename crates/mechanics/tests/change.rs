//! T-9 … T-13, T-23, T-27: changes of adapted charts, for undetermined X(t, y).

mod common;
#[path = "../../expr/tests/common/mod.rs"]
mod reader;

use common::*;
use galilei_expr::{Expr, Pool};
use galilei_geometry::{Evidence, Form, Matrix};
use galilei_mechanics::{
    AdaptedChange, AdaptedChart, KineticEnergy, Lagrangian, SecondOrderField, System,
};

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
        let omega = action_form(&g.matrix(), &z);
        let (g_new, z_new) = (change.metric(&g), change.field(&z).unwrap());
        let omega_new = action_form(&g_new.matrix(), &z_new);
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

#[test]
fn t_11_t_12_systems_move_without_an_inverse() {
    // Undetermined L, F and X(t, y): the equations of the system carried over are the equations
    // carried over.
    for n in 1..=3 {
        let pool = Pool::new();
        let change = generic(&pool, n);
        let old = change.old_state();
        let system = System::new(Lagrangian::new(old, of_state(old, "L")))
            .with_force("F", force(old, "F"))
            .with_force("G", force(old, "G"));
        let moved = change.system(&system);
        let names: Vec<&str> = moved.forces().iter().map(|f| f.0.as_str()).collect();
        assert_eq!(names, ["F", "G"]);
        let (z, w) = (system.lagrange().unwrap(), moved.lagrange().unwrap());
        proved(change.decide_same_motions(&z, &w));
        let carried = change.field(&z).unwrap();
        proved(w.as_vector().decide_equal(&carried.as_vector()));
        // Not without the forces, nor with the accelerations turned round.
        let free = System::new(moved.lagrangian().clone()).lagrange().unwrap();
        refuted(change.decide_same_motions(&z, &free));
        let minus = w.accelerations().iter().map(|&w| -w).collect();
        let back = SecondOrderField::new(change.new_state(), minus);
        refuted(change.decide_same_motions(&z, &back));
        // The Cartan form is one form, and the action form with it.
        let pulled = change.prolonged().pullback(&system.action_two_form());
        proved(moved.action_two_form().decide_equal(&pulled));
    }
}

#[test]
fn t_10_t_12_rotating_polar_coordinates() {
    // Derived by the classical route, and states computed elsewhere to 25 digits.
    let pool = Pool::new();
    let read = |text: &str| reader::read(&pool, text);
    let inertial = AdaptedChart::new(&pool, "t", ["X", "Y"]);
    let polar = AdaptedChart::new(&pool, "t", ["r", "s"]);
    let x = vec![read("r*cos(s + t*w)"), read("r*sin(s + t*w)")];
    let change = AdaptedChange::new(&inertial, &polar, x.clone());
    let l = Lagrangian::new(change.old_state(), read("m*(X'^2 + Y'^2)/2 - f*X"));
    let system = System::new(l.clone());
    let moved = change.system(&system);
    let z = moved.lagrange().unwrap();
    proved(change.decide_same_motions(&system.lagrange().unwrap(), &z));
    let canonical = moved.canonical().unwrap();
    let p = [canonical.momentum(0), canonical.momentum(1)];
    let named: Vec<_> = pool.symbols(["p_r", "p_s"]).into_iter().zip(p).collect();
    let flow = canonical.hamilton(&moved.total_force());
    let mass = moved.lagrangian().mass_matrix();
    for (got, text) in [
        (
            moved.lagrangian().function(),
            "-f*r*cos(s + t*w) + m*(r^2*(s' + w)^2 + r'^2)/2",
        ),
        (mass.rows()[0][0], "m"),
        (mass.rows()[0][1], "0"),
        (mass.rows()[1][1], "m*r^2"),
        (
            moved.lagrangian().energy(),
            "f*r*cos(s + t*w) + m*r^2*s'^2/2 - m*r^2*w^2/2 + m*r'^2/2",
        ),
        (
            change.hamiltonian(l.energy(), &l.momenta()),
            "f*r*cos(s + t*w) + m*r^2*s'^2/2 - m*r^2*w^2/2 + m*r'^2/2",
        ),
        (z.accelerations()[0], "-f*cos(s + t*w)/m + r*(s' + w)^2"),
        (
            z.accelerations()[1],
            "(f*sin(s + t*w) - 2*m*r'*(s' + w))/(m*r)",
        ),
        (
            canonical.hamiltonian(),
            "f*r*cos(s + t*w) - p_s*w + p_r^2/(2*m) + p_s^2/(2*m*r^2)",
        ),
        (flow.component(1), "p_r/m"),
        (flow.component(2), "-w + p_s/(m*r^2)"),
        (flow.component(3), "-f*cos(s + t*w) + p_s^2/(m*r^3)"),
        (flow.component(4), "f*r*sin(s + t*w)"),
    ] {
        proved(got.decide_equal(read(text).substitute(&named)));
    }
    // t, r, s, r', s' and then X, Y, X', Y', momenta in both charts, H in both, accelerations.
    let states: [([f64; 5], [f64; 12]); 2] = [
        (
            [1.783, 1.143, -1.125, 0.994, -0.313],
            [
                1.091_475_645_679_906,
                0.339_307_994_140_474_8,
                0.783_949_300_646_962_8,
                0.826_624_882_819_370_5,
                1.019_134_090_841_051_6,
                1.074_612_347_665_181_7,
                1.2922,
                0.8271128619,
                1.607_658_333_848_584_1,
                0.945_968_044_328_584_2,
                -0.243_104_507_860_982_67,
                -0.707_182_602_200_944_1,
            ],
        ),
        (
            [1.801, 1.423, -0.416, -0.62, 0.935],
            [
                0.738_920_952_847_033_4,
                1.216_110_531_754_261_3,
                -2.431_899_060_552_294_8,
                0.752_169_434_575_659_2,
                -3.161_468_778_717_983,
                0.977_820_264_948_357,
                -0.806,
                4.5672273595,
                4.729_174_401_359_173,
                1.075_392_513_759_173_3,
                4.003_943_349_229_459,
                1.835_259_877_194_548,
            ],
        ),
    ];
    let map = change.prolonged();
    let mut all = x;
    all.extend(change.velocities());
    all.extend(l.momenta().iter().map(|p| map.pullback(p)));
    all.extend(change.momenta(&l.momenta()));
    all.push(map.pullback(&l.energy()));
    all.push(change.hamiltonian(l.energy(), &l.momenta()));
    all.extend(z.accelerations());
    for (state, expected) in states {
        let coordinates = change.new_state().chart().coordinates().iter().copied();
        let mut values: Vec<_> = coordinates.zip(state).collect();
        for (name, value) in [("m", 1.3), ("f", 0.7), ("w", 0.8)] {
            values.push((pool.symbol(name), value));
        }
        for (got, expected) in pool.evaluate_f64(&all, &values).iter().zip(expected) {
            assert!((got - expected).abs() < 1e-14, "{got} {expected}");
        }
    }
}
