//! T-23 … T-27: action forms and second-order fields, one to one; ERRATA E6.

mod common;

use common::*;
use galilei_expr::{Pool, Rational};
use galilei_geometry::{Form, Matrix};
use galilei_mechanics::{ActionForm, NotAnActionForm, Notion, StateSpace};

#[test]
fn t_23_components() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (g, z) = (metric(s.base()), field(&s, "Z"));
        let action = ActionForm::of(&g.matrix(), &z);
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
        assert_eq!(action.notion(), Notion::Strict);
    }
}

#[test]
fn t_24_t_25_theorem_1_both_ways() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (g, z) = (metric(s.base()), field(&s, "Z"));
        let action = ActionForm::of(&g.matrix(), &z);
        let found = ActionForm::recognise(&s, action.as_two_form()).unwrap();
        assert_eq!(found.action.notion(), Notion::Strict);
        proved(found.verdict);
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
    let action = ActionForm::of(&metric(s.base()).matrix(), &field(&s, "Z"));
    let omega = action.as_two_form();
    let f = of_state(&s, "f");
    let broken = |extra: &Form<'_>| {
        let extra = Form::from_terms(
            s.chart(),
            2,
            extra.terms().map(|(i, c)| (i, pool.expr(c.id()))),
        );
        ActionForm::recognise(&s, &omega.plus(&extra)).unwrap_err()
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
        ActionForm::recognise(&s, &nothing),
        Err(NotAnActionForm::Singular)
    ));
    assert!(matches!(
        ActionForm::recognise(&s, &s.dt()),
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
    // admits d(L dt + ∂L) of L = cosh u; the corrected one, ∂g/∂u = 0, tells it apart.
    let pool = Pool::new();
    let s = state(&pool, 1);
    let omega = cartan_two_form(&s, s.velocity(0).cosh());
    let found = ActionForm::recognise(&s, &omega).unwrap();
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
        proved(
            ActionForm::of(&hessian, &z)
                .as_two_form()
                .decide_equal(&omega),
        );
        proved(s.del(&omega).decide_zero());
        let found = ActionForm::recognise(&s, &omega).unwrap();
        assert_eq!(found.action.notion(), Notion::Extended);
    }
}

#[test]
fn t_27_without_the_gyroscopic_part_it_is_no_action_form() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let omega = without_gyroscopic_part(&metric(s.base()), &field(&s, "Z"));
        let found = ActionForm::recognise(&s, &omega);
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
