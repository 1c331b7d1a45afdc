//! T-82 … T-93, T-105, T-106, T-113: reactions of codistributions on the state space, for
//! undetermined Lagrangians, forces and constraints at (k, c) = (1, 1), (2, 1), (1, 2), (2, 2);
//! ERRATA E9.

mod common;

use common::*;
use galilei_expr::{Assumptions, Expr, Pool, Rational};
use galilei_geometry::{Integrability, Matrix};
use galilei_mechanics::{
    AdmissibleCodistribution, ConstrainedSystem, Constraint, Dependence, Force, Inadmissible,
    KineticEnergy, Lagrangian, NotDetermined, ReferenceField, SecondOrderField, StateSpace, System,
    decide_newtonian, newtonian_defect,
};

const SIZES: [(usize, usize); 4] = [(1, 1), (2, 1), (1, 2), (2, 2)];

/// L and F undetermined; above three degrees of freedom L = ½g(u, u) + A·u − V.
fn system<'p>(s: &StateSpace<'p>) -> System<'p> {
    let l = if s.degrees_of_freedom() < 4 {
        of_state(s, "L")
    } else {
        quadratic(s)
    };
    System::new(Lagrangian::new(s, l)).with_force("F", force(s, "F"))
}

fn quadratic<'p>(s: &StateSpace<'p>) -> Expr<'p> {
    let (base, n) = (s.base(), s.degrees_of_freedom());
    let kinetic = KineticEnergy::new(s, &metric(base), &ReferenceField::resting(base)).energy();
    let linear = (0..n).map(|i| of_base(base, &format!("A{i}")) * s.velocity(i));
    kinetic - of_base(base, "V") + s.pool().sum(linear)
}

/// c constraints: undetermined fᵃ(t, x, u), affine ones, or undetermined one-forms.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Affine,
    Nonlinear,
    Forms,
}

fn codistribution<'p>(s: &StateSpace<'p>, c: usize, kind: Kind) -> AdmissibleCodistribution<'p> {
    let (pool, n) = (s.pool(), s.degrees_of_freedom());
    let one = |a: usize| match kind {
        Kind::Nonlinear => Constraint::Velocity(of_state(s, &format!("f{a}"))),
        Kind::Forms => Constraint::Form(form(s, 1, &format!("s{a}"), false)),
        Kind::Affine => {
            let linear = (0..n).map(|i| of_base(s.base(), &format!("f{a}{i}")) * s.velocity(i));
            Constraint::Velocity(pool.sum(linear) + of_base(s.base(), &format!("f{a}")))
        }
    };
    let list = (0..c).map(one).collect();
    AdmissibleCodistribution::new(s, list, &Assumptions::new()).expect("admissible")
}

fn each(mut law: impl for<'p> FnMut(&ConstrainedSystem<'p>, Kind)) {
    for (k, c) in SIZES {
        for kind in [Kind::Affine, Kind::Nonlinear, Kind::Forms] {
            let pool = Pool::new();
            let s = state(&pool, k + c);
            let d = codistribution(&s, c, kind);
            law(&ConstrainedSystem::new(system(&s), d), kind);
        }
    }
}

#[test]
fn t_82_admissible_codistributions() {
    let pool = Pool::new();
    let s = state(&pool, 2);
    let (x, u) = (s.position(0), s.velocities());
    let none = Assumptions::new();
    let make = |list: Vec<Constraint<'_>>| AdmissibleCodistribution::new(&s, list, &none).err();
    let v = Constraint::Velocity;
    assert!(matches!(
        make(vec![v(u[0]), v(u[1]), v(u[0] + u[1])]),
        Some(Inadmissible::TooMany {
            count: 3,
            dimension: 2
        })
    ));
    assert_eq!(
        make(vec![v(u[0]), v(x)]),
        Some(Inadmissible::WithoutVelocities(1))
    );
    // One a multiple of the other, or of its square.
    for second in [(1 + x.pow(2)) * u[0], u[0].pow(2)] {
        assert!(matches!(
            make(vec![v(u[0]), v(second)]),
            Some(Inadmissible::Dependent {
                rank: 1,
                superfluous: 1,
                ..
            })
        ));
    }
    assert!(make(vec![v(u[0] * x.sin() - u[1] * x.cos())]).is_none());
    // The one-form counts, not the function.
    let du = s.du(0);
    assert!(make(vec![Constraint::Form(du.clone())]).is_none());
    assert!(make(vec![Constraint::Form(s.dx(0))]).is_some());
    // s(ξ) = s₀ + sᵢuⁱ + ṡᵢξⁱ
    let d = codistribution(&s, 1, Kind::Forms);
    let xi = field(&s, "Z");
    let s1 = &d.forms()[0];
    let mut sum = s1.component(&[0]);
    for i in 0..2 {
        sum += s1.component(&[1 + i]) * u[i] + s1.component(&[3 + i]) * xi.accelerations()[i];
    }
    proved(d.on_field(&xi)[0].decide_equal(sum));
    proved(
        d.drift()[0]
            .decide_equal(d.on_field(&xi)[0] - d.vertical().times_vector(xi.accelerations())[0]),
    );
}

#[test]
fn constraints_are_classified() {
    let pool = Pool::new();
    let s = state(&pool, 3);
    let (x, u, t) = (s.base().positions(), s.velocities(), s.time());
    for (f, wanted) in [
        (u[0] * x[1].sin() - u[1] * x[1].cos(), Dependence::Linear),
        (u[0] - t * u[1] - x[2], Dependence::Affine),
        (
            u[2].pow(2) - u[0].pow(2) - u[1].pow(2),
            Dependence::Nonlinear,
        ),
        // Affine, though it does not look so.
        (
            (u[0] + u[1]).pow(2) - u[0].pow(2) - 2 * u[0] * u[1] - u[1].pow(2) + u[2],
            Dependence::Linear,
        ),
    ] {
        let d =
            AdmissibleCodistribution::new(&s, vec![Constraint::Velocity(f)], &Assumptions::new());
        assert_eq!(d.unwrap().dependence(), Some(wanted));
    }
}

#[test]
fn t_75_evident_integrals() {
    let pool = Pool::new();
    let s = state(&pool, 2);
    let (x, u, t) = (s.base().positions(), s.velocities(), s.time());
    let one = |f: Expr<'_>| {
        AdmissibleCodistribution::new(
            &s,
            vec![Constraint::Velocity(pool.expr(f.id()))],
            &Assumptions::new(),
        )
        .unwrap()
    };
    // x x' + y y' = l l': the length is prescribed.
    let l = 1 + t.sin() / 5;
    let d = one(x[0] * u[0] + x[1] * u[1] - l * l.diff(t));
    assert!(matches!(
        d.integrability(),
        Some(Integrability::Integrable(_))
    ));
    let h = d.evident_integrals()[0].expect("an integral");
    let wanted = (x[0].pow(2) + x[1].pow(2) - l.pow(2)) / 2;
    proved((h - wanted).diff(x[0]).decide_zero());
    proved((h - wanted).diff(t).decide_zero());
    // With a factor: x(y x' + x y') = 0.
    let d = one(x[0] * (x[1] * u[0] + x[0] * u[1]));
    assert!(d.evident_integrals()[0].is_some());
    // (1 + y²)x' = 0, and y x' = x y', which is d(x/y) after division by y².
    let d = one((1 + x[1].pow(2)) * u[0]);
    assert!(d.evident_integrals()[0].is_some());
    let d = one(x[1] * u[0] - x[0] * u[1]);
    let h = d.evident_integrals()[0].expect("an integral");
    proved((x[0] * h.diff(x[0]) + x[1] * h.diff(x[1])).decide_zero());
    // In the plane, without time, every linear constraint is integrable; with time it need not be.
    let d = one(u[0] * x[1] - u[1] + x[0]);
    assert!(matches!(
        d.integrability(),
        Some(Integrability::NotIntegrable { .. })
    ));
    assert!(d.evident_integrals()[0].is_none());
    // A nonlinear one has no answer.
    assert!(one(u[0].pow(2) - u[1]).integrability().is_none());
}

#[test]
fn t_83_splittings() {
    for (k, c) in SIZES {
        let pool = Pool::new();
        let s = state(&pool, k + c);
        let base: Vec<Expr<'_>> = s.chart().coordinates()[..1 + k + c + k].to_vec();
        let g = |a: usize| pool.function(&format!("g{a}")).at(base.iter().copied());
        let list = (0..c).map(|a| Constraint::Velocity(s.velocity(k + a) - g(a)));
        let d = AdmissibleCodistribution::new(&s, list.collect(), &Assumptions::new()).unwrap();
        let constrained = ConstrainedSystem::new(system(&s), d);
        // ṡ = (−B, 1), so σ = (Y, 1 + BY) splits it for every Y.
        let b = |a: usize, j: usize| g(a).diff(s.velocity(j));
        let y = |j: usize, a: usize| of_state(&s, &format!("Y{j}{a}"));
        let entry = |i: usize, a: usize| {
            if i < k {
                return y(i, a);
            }
            let one = if i - k == a { pool.one() } else { pool.zero() };
            one + pool.sum((0..k).map(|j| b(i - k, j) * y(j, a)))
        };
        let sigma: Vec<Vec<Expr<'_>>> = (0..k + c)
            .map(|i| (0..c).map(|a| entry(i, a)).collect())
            .collect();
        let sigma = Matrix::new(&pool, sigma);
        let reaction = constrained.with_splitting(&sigma).expect("a splitting");
        proved(constrained.decide_compatible(&reaction));
        // It does virtual work in general; the ideal one does not.
        refuted(constrained.decide_ideal(&reaction).unwrap());
        let ideal = constrained.ideal_splitting().unwrap();
        let again = constrained.with_splitting(&ideal).expect("a splitting");
        proved(again.decide_equal(&constrained.ideal().unwrap()));
        // Twice σ does not split.
        let twice = sigma
            .rows()
            .iter()
            .map(|r| r.iter().map(|&e| 2 * e).collect());
        assert!(
            constrained
                .with_splitting(&Matrix::new(&pool, twice.collect()))
                .is_err()
        );
        // T-113: σ = (0, 1), the splitting by the connection of the solved form.
        let dependent: Vec<usize> = (k..k + c).collect();
        let reaction = constrained.by_connection(&dependent).expect("a splitting");
        proved(constrained.decide_compatible(&reaction));
        assert!(constrained.by_connection(&dependent[1..]).is_err());
        let free = constrained.system().lagrange().unwrap();
        for j in 0..k {
            proved(reaction.field.accelerations()[j].decide_equal(free.accelerations()[j]));
        }
        refuted(constrained.decide_ideal(&reaction).unwrap());
    }
}

#[test]
fn t_113_ideal_exactly_if_the_metric_splits() {
    // z' = y·x' with T = ½(x'² + y'² + z'²) + m·x'z': ideal iff m + y = 0.
    let pool = Pool::new();
    let s = state(&pool, 3);
    let (y, u) = (s.position(1), s.velocities());
    for (m, ideal) in [(-y, true), (pool.zero(), false)] {
        let half = Rational::new(1, 2);
        let square = pool.sum(u.iter().map(|u| u.pow(2)));
        let l = half * square + m * u[0] * u[2];
        let f = Constraint::Velocity(u[2] - y * u[0]);
        let d = AdmissibleCodistribution::new(&s, vec![f], &Assumptions::new()).unwrap();
        let free = System::new(Lagrangian::new(&s, l)).with_force("F", force(&s, "F"));
        let constrained = ConstrainedSystem::new(free, d);
        let reaction = constrained.by_connection(&[2]).unwrap();
        let verdict = constrained.decide_ideal(&reaction).unwrap();
        assert_eq!(verdict.is_proved(), ideal, "{verdict}");
        assert_eq!(verdict.is_refuted(), !ideal, "{verdict}");
    }
}

#[test]
fn t_84_t_85_t_87_ideal_reaction() {
    each(|constrained, _| {
        let reaction = constrained.ideal().expect("regular");
        proved(constrained.decide_compatible(&reaction));
        proved(constrained.decide_ideal(&reaction).unwrap());
        // Fᶜ = m(ξ̃ − ξ) = λ_aṡᵃ
        let s = constrained.state();
        let free = constrained.system().lagrange().unwrap();
        let change: Vec<Expr<'_>> = (reaction.field.accelerations().iter())
            .zip(free.accelerations())
            .map(|(&a, &b)| a - b)
            .collect();
        let m = constrained.system().lagrangian().mass_matrix();
        let lambda = reaction.multipliers.clone().expect("multipliers");
        let rows = constrained.codistribution().vertical();
        let by_multipliers = rows.transposed().times_vector(&lambda);
        for (i, f) in m.times_vector(&change).into_iter().enumerate() {
            proved(f.decide_equal(reaction.force.components()[i]));
            proved(by_multipliers[i].decide_equal(reaction.force.components()[i]));
        }
        // λ satisfies m̃ᵃᵇλ_b = −sᵃ(ξ).
        let raised = m.inverse().unwrap().times(&rows.transposed());
        let left = rows.times(&raised).times_vector(&lambda);
        for (a, e) in constrained
            .codistribution()
            .on_field(&free)
            .into_iter()
            .enumerate()
        {
            proved((left[a] + e).decide_zero());
        }
        refuted(lambda[0].decide_zero());
        // The augmented system has the same solution.
        let (matrix, right) = constrained.augmented();
        let mut unknown = reaction.field.accelerations().to_vec();
        unknown.extend(lambda.iter().map(|&l| -l));
        for (e, r) in matrix.times_vector(&unknown).into_iter().zip(right) {
            proved(e.decide_equal(r));
        }
        if s.degrees_of_freedom() < 4 {
            let other = constrained.reaction_augmented().expect("regular");
            proved(other.decide_equal(&reaction));
        }
    });
}

#[test]
fn t_87_singular_mass_matrix() {
    // L = ½x'² − ½(x² + y²) gives y no inertia, y' = x' makes the motion determined all the same.
    let pool = Pool::new();
    let s = state(&pool, 2);
    let (x, u) = (s.base().positions(), s.velocities());
    let half = Rational::new(1, 2);
    let l = half.clone() * (u[0].pow(2) - x[0].pow(2) - x[1].pow(2));
    let f = Constraint::Velocity(u[1] - u[0]);
    let d = AdmissibleCodistribution::new(&s, vec![f], &Assumptions::new()).unwrap();
    let constrained = ConstrainedSystem::new(System::new(Lagrangian::new(&s, l)), d);
    assert_eq!(constrained.ideal(), Err(NotDetermined::Lagrangian));
    let reaction = constrained.reaction_augmented().expect("regular on ker ṡ");
    proved(reaction.field.accelerations()[0].decide_equal(-x[0] - x[1]));
    // Indefinite: m̃ = 0 for x' = y' and L = ½(x'² − y'²).
    let l = half * (u[0].pow(2) - u[1].pow(2));
    let constrained = ConstrainedSystem::new(
        System::new(Lagrangian::new(&s, l)),
        constrained.codistribution().clone(),
    );
    assert_eq!(constrained.ideal(), Err(NotDetermined::Constraints));
    assert_eq!(
        constrained.reaction_augmented(),
        Err(NotDetermined::Constraints)
    );
}

#[test]
fn t_86_e_9_gauss() {
    each(|constrained, _| {
        let reaction = constrained.ideal().expect("regular");
        proved(constrained.decide_gauss(&reaction).unwrap());
        proved(constrained.decide_gauss_unsolved());
    });
    // Another compatible field does not have the property.
    let pool = Pool::new();
    let s = state(&pool, 2);
    let u = s.velocities();
    let half = Rational::new(1, 2);
    let l = Lagrangian::new(&s, half * (u[0].pow(2) + u[1].pow(2)));
    let f = Constraint::Velocity(u[1] - s.position(0) * u[0]);
    let d = AdmissibleCodistribution::new(&s, vec![f], &Assumptions::new()).unwrap();
    let constrained = ConstrainedSystem::new(System::new(l).with_force("F", force(&s, "F")), d);
    let sigma = Matrix::new(&pool, vec![vec![pool.zero()], vec![pool.one()]]);
    let other = constrained.with_splitting(&sigma).unwrap();
    refuted(constrained.decide_gauss(&other).unwrap());
    // E9: the squares of the norms add, not the norms, ‖w‖ = G(w)^½. ζ = ξ̃ + (1, x)w.
    let reaction = constrained.ideal().unwrap();
    let w = pool.symbol("w");
    let w = [w, s.position(0) * w];
    let found = reaction.field.accelerations();
    let zeta: Vec<Expr<'_>> = found.iter().zip(w).map(|(&a, w)| a + w).collect();
    proved(
        constrained
            .codistribution()
            .on_field(&SecondOrderField::new(&s, zeta.clone()))[0]
            .decide_zero(),
    );
    let (left, right) = (
        constrained.gauss(&zeta).unwrap(),
        constrained.gauss(found).unwrap(),
    );
    let square = w[0].pow(2) + w[1].pow(2);
    proved(left.decide_equal(right + square));
    refuted(left.sqrt().decide_equal(right.sqrt() + square));
}

#[test]
fn t_89_newtonian_systems() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = Lagrangian::new(
            &s,
            if n < 3 {
                of_state(&s, "L")
            } else {
                quadratic(&s)
            },
        );
        let none = Force::new(&s, vec![pool.zero(); n]);
        let m = l.mass_matrix();
        proved(decide_newtonian(&m, &l.field(&none).unwrap()));
        // Under a force exactly if ∂Fᵢ/∂uʲ + ∂Fⱼ/∂uⁱ = 0.
        refuted(decide_newtonian(&m, &l.field(&force(&s, "F")).unwrap()));
        let friction = s.velocities().iter().map(|&u| -u).collect();
        refuted(decide_newtonian(
            &m,
            &l.field(&Force::new(&s, friction)).unwrap(),
        ));
        let b = |i: usize, j: usize| match i.cmp(&j) {
            std::cmp::Ordering::Less => of_base(s.base(), &format!("b{i}{j}")),
            std::cmp::Ordering::Equal => pool.zero(),
            std::cmp::Ordering::Greater => -of_base(s.base(), &format!("b{j}{i}")),
        };
        let turning = (0..n).map(|i| {
            let magnetic = (0..n).map(|j| b(i, j) * s.velocity(j));
            of_base(s.base(), &format!("e{i}")) + pool.sum(magnetic)
        });
        let turning = Force::new(&s, turning.collect());
        proved(decide_newtonian(&m, &l.field(&turning).unwrap()));
    }
    // The knife edge is not one.
    let pool = Pool::new();
    let s = state(&pool, 3);
    let (x, u) = (s.base().positions(), s.velocities());
    let l = Lagrangian::new(&s, pool.sum(u.iter().map(|u| u.pow(2))) / 2);
    let f = Constraint::Velocity(u[0] * x[2].sin() - u[1] * x[2].cos());
    let d = AdmissibleCodistribution::new(&s, vec![f], &Assumptions::new()).unwrap();
    let constrained = ConstrainedSystem::new(System::new(l.clone()), d);
    let reaction = constrained.ideal().unwrap();
    refuted(decide_newtonian(&l.mass_matrix(), &reaction.field));
}

/// "Exactly": for every regular L and every field ξ, F = mξ − (what L gives) is the force, and the second condition
/// of Newtonian systems is ∂Fᵢ/∂uʲ + ∂Fⱼ/∂uⁱ. No inverse is needed, so n = 3 with undetermined L.
#[test]
fn t_89_newtonian_exactly_if_the_force_is_skew() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = Lagrangian::new(&s, of_state(&s, "L"));
        let xi = field(&s, "xi");
        let f = System::new(l.clone()).by_lagrange(xi.accelerations());
        let defect = newtonian_defect(&l.mass_matrix(), &xi);
        let slopes = pool.jacobian(&f, s.velocities());
        for i in 0..n {
            for j in 0..n {
                let skew = slopes[i][j] + slopes[j][i];
                proved(defect[i][j].decide_equal(skew));
                refuted(defect[i][j].decide_zero());
                refuted(defect[i][j].decide_equal(skew + slopes[i][j]));
            }
        }
    }
}

#[test]
fn t_90_t_93_constraint_frame() {
    for (k, c) in SIZES {
        let pool = Pool::new();
        let s = state(&pool, k + c);
        let d = codistribution(&s, c, Kind::Affine);
        let l = Lagrangian::new(&s, quadratic(&s));
        let constrained = ConstrainedSystem::new(System::new(l), d.clone());
        let frame = constrained.constraint_frame().expect("affine");
        // fᵃ₀ + fᵃᵢΓⁱ = 0, so that fᵃ = fᵃᵢ(uⁱ − Γⁱ).
        let factors = constrained.power_factors(&frame);
        for (f, p) in d.functions().unwrap().into_iter().zip(&factors) {
            proved(p.decide_equal(f));
        }
        // The power of the reaction is λ_afᵃ: zero where the constraints hold.
        let reaction = constrained.ideal().unwrap();
        let lambda = reaction.multipliers.clone().unwrap();
        let pairs = lambda.iter().zip(d.functions().unwrap());
        let wanted = pool.sum(pairs.map(|(&l, f)| l * f));
        proved(constrained.power(&reaction, &frame).decide_equal(wanted));
        let rest = ReferenceField::resting(s.base());
        refuted(constrained.power(&reaction, &rest).decide_equal(wanted));
    }
    // A prescribed speed: the power is 2c²λ.
    let pool = Pool::new();
    let s = state(&pool, 2);
    let (u, speed) = (s.velocities(), pool.function("c").at([s.time()]));
    let f = u[0].pow(2) + u[1].pow(2) - speed.pow(2);
    let d = AdmissibleCodistribution::new(&s, vec![Constraint::Velocity(f)], &Assumptions::new())
        .unwrap();
    let l = Lagrangian::new(&s, (u[0].pow(2) + u[1].pow(2)) / 2);
    let constrained = ConstrainedSystem::new(System::new(l), d);
    assert!(constrained.constraint_frame().is_none());
    let factor = constrained.power_factors(&ReferenceField::resting(s.base()))[0];
    proved(factor.decide_equal(2 * f + 2 * speed.pow(2)));
}

#[test]
fn t_92_energy_with_reactions() {
    each(|constrained, _| {
        let s = constrained.state();
        let reaction = constrained.ideal().expect("regular");
        for frame in [ReferenceField::resting(s.base()), reference(s.base(), "R")] {
            let energy = constrained.system().energy_balance(&frame).energy;
            let rate = reaction.field.rate(energy);
            proved(rate.decide_equal(constrained.energy_rate(&reaction, &frame)));
            let without = constrained.system().energy_balance(&frame).rate();
            refuted(rate.decide_equal(without));
        }
    });
}

#[test]
fn t_105_the_constrained_system_is_an_action_form() {
    each(|constrained, _| {
        let s = constrained.state();
        if s.degrees_of_freedom() > 3 {
            return;
        }
        let reaction = constrained.ideal().expect("regular");
        let omega = constrained.action_two_form(&reaction);
        let z = reaction.field.as_vector();
        proved(z.interior(&omega).decide_zero());
        // Without the reaction it is another one.
        let free = constrained.system().action_two_form();
        refuted(z.interior(&free).decide_zero());
        proved(s.del(&omega).decide_zero());
    });
}

/// ∂Ω_c = 0 whatever the reaction is: ∂ of the two-form of any force vanishes (T-30), so for n = 3, too.
#[test]
fn t_105_the_constrained_form_is_del_closed_for_every_reaction() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let omega = system(&s)
            .with_force("reaction", force(&s, "R"))
            .action_two_form();
        proved(s.del(&omega).decide_zero());
        // A two-form that is no force's is not harmless.
        if n > 1 {
            let other = s.contact(0).wedge(&s.contact(1)).scaled(of_state(&s, "h"));
            refuted(s.del(&omega.plus(&other)).decide_zero());
        }
    }
}

#[test]
fn t_88_t_106_both_levels_of_a_position() {
    for (k, c) in SIZES {
        let pool = Pool::new();
        let s = state(&pool, k + c);
        let h = |a: usize| of_base(s.base(), &format!("h{a}"));
        let list = (0..c).map(|a| Constraint::Position(h(a))).collect();
        let d = AdmissibleCodistribution::new(&s, list, &Assumptions::new()).unwrap();
        let constrained = ConstrainedSystem::new(system(&s), d.clone());
        // ∂f/∂u = ∂h/∂x
        for a in 0..c {
            for i in 0..k + c {
                let slope = h(a).diff(s.position(i));
                proved(d.vertical().rows()[a][i].decide_equal(slope));
            }
        }
        // h changes at the rate f, and f not at all.
        let reaction = constrained.ideal().expect("regular");
        for (a, f) in d.functions().unwrap().into_iter().enumerate() {
            proved(reaction.field.rate(h(a)).decide_equal(f));
            proved(reaction.field.rate(f).decide_zero());
        }
        assert!(matches!(
            d.integrability(),
            Some(Integrability::Integrable(_))
        ));
        assert_eq!(
            d.evident_integrals(),
            (0..c).map(|a| Some(h(a))).collect::<Vec<_>>()
        );
    }
}
