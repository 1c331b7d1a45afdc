//! T-23 … T-27: action forms and second-order fields, one to one; ERRATA E6.

mod common;

use common::*;
use galilei_expr::{Pool, Rational};
use galilei_geometry::{Form, Matrix};
use galilei_mechanics::{
    ActionForm, Definiteness, KineticEnergy, NotAnActionForm, Notion, ReferenceField,
    SecondOrderField, StateSpace, System,
};

#[test]
fn t_23_components() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (g, z) = (metric(s.base()), field(&s, "Z"));
        let action = action_form(&g.matrix(), &z);
        // Ω = gᵢⱼ(duⁱ − Zⁱdt)∧θʲ + ½bᵢⱼθⁱ∧θʲ
        let mut expected = Form::zero(s.chart(), 2);
        for i in 0..n {
            for j in 0..n {
                let eta = s.du(i).minus(&s.dt().scaled(z.accelerations()[i]));
                expected = expected.plus(&eta.wedge(&s.contact(j)).scaled(g.component(i, j)));
                let b = action.gyroscopic(i, j) * Rational::new(1, 2);
                expected = expected.plus(&s.contact(i).wedge(&s.contact(j)).scaled(b));
            }
        }
        proved(action.as_two_form().decide_equal(&expected));
        proved(z.as_vector().interior(action.as_two_form()).decide_zero());
    }
}

#[test]
fn t_24_t_25_theorem_1_both_ways() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (g, z) = (metric(s.base()), field(&s, "Z"));
        let action = action_form(&g.matrix(), &z);
        let minors = positive_minors(&g.matrix());
        let asked = Definiteness::Assuming(&minors);
        let found = ActionForm::recognise(&s, action.as_two_form(), asked).unwrap();
        assert_eq!(found.action.notion(), Notion::Strict);
        proved(found.verdict);
        proved(found.definite);
        for (a, b) in found
            .action
            .field()
            .accelerations()
            .iter()
            .zip(z.accelerations())
        {
            proved(a.decide_equal(*b));
        }
        // rank Ω = 2n
        let m = 2 * n + 1;
        let rows: Vec<Vec<_>> = (0..m)
            .map(|i| {
                (0..m)
                    .map(|j| action.as_two_form().component(&[i, j]))
                    .collect()
            })
            .collect();
        assert_eq!(
            galilei_expr::generic_rank(&rows, &Default::default()).rank,
            2 * n
        );
    }
}

#[test]
fn t_24_names_the_condition_that_fails() {
    let pool = Pool::new();
    let s = state(&pool, 2);
    let action = action_form(&metric(s.base()).matrix(), &field(&s, "Z"));
    let omega = action.as_two_form();
    let f = of_state(&s, "f");
    let broken = |extra: &Form<'_>| {
        let extra = Form::from_terms(
            s.chart(),
            2,
            extra.terms().map(|(i, c)| (i, pool.expr(c.id()))),
        );
        ActionForm::recognise(&s, &omega.plus(&extra), Definiteness::Unasked).unwrap_err()
    };
    assert!(matches!(
        broken(&s.du(0).wedge(&s.du(1)).scaled(f)),
        NotAnActionForm::Vertical(1, 0, _)
    ));
    assert!(matches!(
        broken(&s.du(0).wedge(&s.dt()).scaled(f)),
        NotAnActionForm::Contact(0, _)
    ));
    let lopsided = s.du(0).wedge(&s.contact(1));
    assert!(matches!(
        broken(&lopsided),
        NotAnActionForm::NotSymmetric(1, 0, _)
    ));
    let twisted = s.contact(0).wedge(&s.contact(1)).scaled(f);
    assert!(matches!(broken(&twisted), NotAnActionForm::NotDelClosed(_)));
    let u = s.velocity(1);
    let velocity_dependent = s.du(0).wedge(&s.contact(0)).scaled(u);
    assert!(matches!(
        broken(&velocity_dependent),
        NotAnActionForm::VelocityDependence(..)
    ));
    let nothing = Form::zero(s.chart(), 2);
    assert!(matches!(
        ActionForm::recognise(&s, &nothing, Definiteness::Unasked),
        Err(NotAnActionForm::Singular)
    ));
    assert!(matches!(
        ActionForm::recognise(&s, &s.dt(), Definiteness::Unasked),
        Err(NotAnActionForm::Degree(1))
    ));
}

/// d(L dt + ∂L)
fn cartan_two_form<'p>(s: &StateSpace<'p>, l: galilei_expr::Expr<'p>) -> Form<'p> {
    let l = Form::function(s.chart(), l);
    l.wedge(&s.dt()).plus(&s.del(&l)).d()
}

#[test]
fn e_6_a_metric_must_not_depend_on_velocities() {
    // The printed condition (ii), symmetric and positive definite, together with (i) and (iii),
    // admits d(L dt + ∂L) of L = cosh u; the corrected one, ∂g/∂u = 0, excludes it.
    let pool = Pool::new();
    let s = state(&pool, 1);
    let omega = cartan_two_form(&s, s.velocity(0).cosh());
    let found = ActionForm::recognise(&s, &omega, Definiteness::Unasked).unwrap();
    assert_eq!(found.action.notion(), Notion::Extended);
    let g = ActionForm::metric_of(&s, &omega).rows()[0][0];
    refuted(g.diff(s.velocity(0)).decide_zero());
    proved(s.del(&omega).decide_zero());
}

#[test]
fn t_26_every_regular_lagrangian() {
    // d(L dt + ∂L) = gᵢⱼηⁱ∧θʲ with g = Hess L and its own field, for undetermined L(t, x, u).
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = of_state(&s, "L");
        let omega = cartan_two_form(&s, l);
        let hessian = Matrix::new(&pool, l.hessian(s.velocities()));
        let z = ActionForm::field_of(&s, &omega).unwrap();
        proved(action_form(&hessian, &z).as_two_form().decide_equal(&omega));
        proved(s.del(&omega).decide_zero());
        let found = ActionForm::recognise(&s, &omega, Definiteness::Unasked).unwrap();
        assert_eq!(found.action.notion(), Notion::Extended);
    }
}

#[test]
fn t_27_without_the_gyroscopic_part_it_is_no_action_form() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let omega = without_gyroscopic_part(&metric(s.base()), &field(&s, "Z"));
        let found = ActionForm::recognise(&s, &omega, Definiteness::Unasked);
        if n == 1 {
            // θ∧θ = 0: there is no such part.
            assert!(found.is_ok());
            proved(s.del(&omega).decide_zero());
        } else {
            assert!(matches!(found, Err(NotAnActionForm::NotDelClosed(_))));
            refuted(s.del(&omega).decide_zero());
        }
    }
}

/// gᵢⱼ(duⁱ − Zⁱdt)∧θʲ + ½βᵢⱼθⁱ∧θʲ with undetermined β.
fn with_any_gyroscopic_part<'p>(s: &StateSpace<'p>, z: &SecondOrderField<'p>) -> Form<'p> {
    let n = s.degrees_of_freedom();
    let mut omega = without_gyroscopic_part(&metric(s.base()), z);
    for i in 0..n {
        for j in i + 1..n {
            let beta = of_state(s, &format!("beta{i}{j}"));
            omega = omega.plus(&s.contact(i).wedge(&s.contact(j)).scaled(beta));
        }
    }
    omega
}

/// Sufficiency in Theorem 1. Every two-form with (i) and (ii) is gᵢⱼ(duⁱ − Zⁱdt)∧θʲ + ½βᵢⱼθⁱ∧θʲ, and
/// ∂Ω(∂ₜ + u∂ₓ, ∂ᵢ, ∂ⱼ) = 2(βᵢⱼ − bᵢⱼ): ∂Ω = 0 exactly if β = b, for undetermined g, Z and β.
#[test]
fn t_24_t_25_sufficiency_with_undetermined_gyroscopic_part() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let z = field(&s, "Z");
        let omega = with_any_gyroscopic_part(&s, &z);
        let b = action_form(&metric(s.base()).matrix(), &z);
        // Z is read off Ω as T-25 says, whatever β is.
        let found = ActionForm::field_of(&s, &omega).unwrap();
        for (a, b) in found.accelerations().iter().zip(z.accelerations()) {
            proved(a.decide_equal(*b));
        }
        let zero = SecondOrderField::new(&s, vec![pool.zero(); n]).as_vector();
        let inserted = zero.interior(&s.del(&omega));
        for i in 0..n {
            for j in i + 1..n {
                let beta = of_state(&s, &format!("beta{i}{j}"));
                let defect = inserted.component(&[1 + i, 1 + j]);
                proved(defect.decide_equal(2 * (beta - b.gyroscopic(i, j))));
                refuted(defect.decide_equal(2 * beta - b.gyroscopic(i, j)));
            }
        }
        // β = b: what is left is the action form, and ∂Ω = 0.
        let put: Vec<_> = (0..n)
            .flat_map(|i| (i + 1..n).map(move |j| (i, j)))
            .map(|(i, j)| (i, j, of_state(&s, &format!("beta{i}{j}"))))
            .collect();
        let right = put.iter().fold(omega.clone(), |sum, (i, j, beta)| {
            let pair = s.contact(*i).wedge(&s.contact(*j));
            sum.plus(&pair.scaled(b.gyroscopic(*i, *j) - *beta))
        });
        proved(right.decide_equal(b.as_two_form()));
        proved(s.del(&right).decide_zero());
        match n {
            1 => proved(s.del(&omega).decide_zero()),
            _ => refuted(s.del(&omega).decide_zero()),
        }
    }
}

/// (i) and (ii) leave only g, Z and β: a two-form with undetermined components that satisfies (i) is of that shape.
#[test]
fn t_24_shape_of_two_forms_with_i_and_ii() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let g = metric(s.base());
        // Undetermined dt∧dx and dx∧dx, du∧dx by (ii), du∧dt by (i), no du∧du.
        let mut omega = Form::zero(s.chart(), 2);
        for i in 0..n {
            omega = omega.plus(
                &s.dt()
                    .wedge(&s.dx(i))
                    .scaled(of_state(&s, &format!("a{i}"))),
            );
            for j in 0..n {
                let entry = g.component(i, j);
                omega = omega.plus(&s.du(i).wedge(&s.dx(j)).scaled(entry));
                omega = omega.minus(&s.du(i).wedge(&s.dt()).scaled(entry * s.velocity(j)));
                if i < j {
                    let c = of_state(&s, &format!("c{i}{j}"));
                    omega = omega.plus(&s.dx(i).wedge(&s.dx(j)).scaled(c));
                }
            }
        }
        let z = ActionForm::field_of(&s, &omega).unwrap();
        let mut shape = without_gyroscopic_part(&g, &z);
        for i in 0..n {
            for j in i + 1..n {
                let c = of_state(&s, &format!("c{i}{j}"));
                shape = shape.plus(&s.contact(i).wedge(&s.contact(j)).scaled(c));
            }
        }
        proved(omega.decide_equal(&shape));
    }
}

/// An action form is strict only if its metric is shown to be definite; `of` checks the metric.
#[test]
fn t_24_strict_needs_a_definite_metric() {
    let pool = Pool::new();
    let s = state(&pool, 2);
    let (x, m) = (s.position(0), pool.symbol("m"));
    let z = field(&s, "Z");
    let of = |rows: Vec<Vec<galilei_expr::Expr<'_>>>, asked: Definiteness<'_, '_>| {
        let rows = rows
            .iter()
            .map(|r| r.iter().map(|e| pool.expr(e.id())).collect());
        let at: Vec<_> = match asked {
            Definiteness::At(values) => values.to_vec(),
            _ => vec![],
        };
        let at: Vec<_> = at
            .iter()
            .map(|(e, q)| (pool.expr(e.id()), q.clone()))
            .collect();
        let asked = match asked {
            Definiteness::At(_) => Definiteness::At(&at),
            _ => Definiteness::Unasked,
        };
        let found = ActionForm::of(&Matrix::new(&pool, rows.collect()), &z, asked);
        found.map(|f| (f.action.notion(), f.action.as_two_form().clone()))
    };
    let (one, zero) = (pool.one(), pool.zero());
    let diagonal = |a, b| vec![vec![a, zero], vec![zero, b]];
    let here = [(m, Rational::from(2)), (x, Rational::new(1, 3))];
    let asked = Definiteness::At(&here);
    // Regular, but not definite: extended, where the field is the same.
    assert_eq!(of(diagonal(m, -one), asked).unwrap().0, Notion::Extended);
    assert_eq!(of(diagonal(m, one), asked).unwrap().0, Notion::Strict);
    assert_eq!(of(diagonal(m, x), asked).unwrap().0, Notion::Strict);
    assert_eq!(of(diagonal(m, x - 1), asked).unwrap().0, Notion::Extended);
    // Without a request, definiteness is not decided.
    let unasked = of(diagonal(m, one), Definiteness::Unasked).unwrap();
    assert_eq!(unasked.0, Notion::Extended);
    // The notion found by recognition.
    for (entry, notion) in [(one, Notion::Strict), (-one, Notion::Extended)] {
        let omega = of(diagonal(m, entry), asked).unwrap().1;
        let found = ActionForm::recognise(&s, &omega, Definiteness::At(&here)).unwrap();
        assert_eq!(found.action.notion(), notion);
        assert_eq!(found.definite.is_certified(), notion == Notion::Strict);
    }
    // `of` refuses a matrix that is not a metric.
    let crooked = vec![vec![one, x], vec![zero, one]];
    assert!(matches!(
        of(crooked, asked),
        Err(NotAnActionForm::NotSymmetric(1, 0, _))
    ));
    let flat = vec![vec![one, one], vec![one, one]];
    assert!(matches!(of(flat, asked), Err(NotAnActionForm::Singular)));
    let bent = diagonal(one + s.velocity(1).pow(2), one);
    assert!(matches!(
        of(bent, asked),
        Err(NotAnActionForm::VelocityDependence(..))
    ));
    assert!(matches!(
        of(vec![vec![one]], asked),
        Err(NotAnActionForm::Size(1, 1))
    ));
}

/// gᵢⱼηⁱ∧θʲ is ∂-closed for g = ∂²K/∂u∂u of any function K(t, x, u) and any field Z, not only its own.
#[test]
fn t_26_extended_action_forms_of_any_field() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let hessian = Matrix::new(&pool, of_state(&s, "K").hessian(s.velocities()));
        let z = field(&s, "Z");
        let action = action_form(&hessian, &z);
        proved(s.del(action.as_two_form()).decide_zero());
        proved(z.as_vector().interior(action.as_two_form()).decide_zero());
    }
}

/// Proposition 1: for every action form and every reference field Φ_R = Ω − Ω_R is a force two-form, so that Ω
/// is the system with L = T_R and that force.
#[test]
fn t_117_every_action_form_is_a_system() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (g, z) = (metric(s.base()), field(&s, "Z"));
        let action = action_form(&g.matrix(), &z);
        let r = reference(s.base(), "R");
        let (verdict, force) = action.force_relative_to(&g, &r);
        proved(verdict);
        let kinetic = KineticEnergy::new(&s, &g, &r);
        let difference = action.as_two_form().minus(&kinetic.action_two_form());
        proved(force.two_form().as_two_form().decide_equal(&difference));
        let system = action.system(&g, &r);
        proved(system.action_two_form().decide_equal(action.as_two_form()));
        // Another reference field gives another force and the same system.
        let other = action.system(&g, &ReferenceField::resting(s.base()));
        proved(other.action_two_form().decide_equal(action.as_two_form()));
        let forces = system.total_force();
        let others = other.total_force();
        refuted(forces.components()[0].decide_equal(others.components()[0]));
        // Its motions are those of Z. With undetermined accelerations, the postulate and Lagrange's equations.
        let a = system.acceleration_symbols();
        let equations = system.by_lagrange(&a);
        for (i, e) in equations.iter().enumerate() {
            let moved = (0..n).map(|j| g.component(i, j) * (a[j] - z.accelerations()[j]));
            proved(e.decide_equal(pool.sum(moved)));
        }
    }
}

/// Every (m, ξ) with m(t, x) is ½m(u − Γ, u − Γ) with a force, for every frame Γ.
#[test]
fn t_119_every_standard_newtonian_system_has_a_lagrangian_and_a_force() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (m, xi) = (metric(s.base()), field(&s, "xi"));
        let frame = reference(s.base(), "G");
        let system = System::of_field(&m, &xi, &frame);
        let a = system.acceleration_symbols();
        for (i, e) in system.by_lagrange(&a).iter().enumerate() {
            let moved = (0..n).map(|j| m.component(i, j) * (a[j] - xi.accelerations()[j]));
            proved(e.decide_equal(pool.sum(moved)));
        }
        // L is the kinetic energy in that frame, and the force is not the same in another one.
        let kinetic = KineticEnergy::new(&s, &m, &frame).energy();
        assert_eq!(system.lagrangian().function(), kinetic);
        let other = System::of_field(&m, &xi, &ReferenceField::resting(s.base()));
        let (f, g) = (system.total_force(), other.total_force());
        refuted(f.components()[0].decide_equal(g.components()[0]));
    }
}

/// D_ξ(ẍ) = (ẍ − ξ)∂_u is the vertical part of a second-order curve: motions are its kernel.
#[test]
fn t_121_covariant_differential() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let xi = field(&s, "xi");
        let a: Vec<_> = (0..n).map(|i| pool.symbol(&format!("a{i}"))).collect();
        let differential = xi.covariant_differential(&a);
        // η of the tangent of the lifted curve, η by its definition (T-22).
        let tangent = SecondOrderField::new(&s, a.clone()).as_vector();
        proved(xi.eta().on_vector(&tangent).decide_equal(&differential));
        for i in 0..n {
            let component = differential.components()[1 + n + i];
            proved(component.decide_equal(a[i] - xi.accelerations()[i]));
        }
        let motion = xi.covariant_differential(xi.accelerations());
        proved(motion.decide_zero());
        refuted(differential.decide_zero());
    }
}
