//! T-3, T-15 … T-22: the calculus of the state space, for undetermined forms and fields.

mod common;

use common::*;
use galilei_expr::Pool;
use galilei_geometry::{Endomorphism, Form};
use galilei_mechanics::{NotATimeStructure, TimeStructure};

#[test]
fn t_5_time_structure() {
    let pool = Pool::new();
    let base = base(&pool, "x", 2);
    let chart = base.chart();
    proved(base.time_structure().as_form().d().decide_zero());
    proved(
        base.time_structure()
            .decide_normalised(&reference(&base, "R").as_vector()),
    );
    proved(base.time_structure().decide_spacelike(&chart.partial(1)));
    refuted(base.time_structure().decide_spacelike(&chart.partial(0)));
    let twisted = chart
        .differential(1)
        .scaled(base.position(1))
        .plus(&chart.differential(0));
    assert!(matches!(
        TimeStructure::new(twisted),
        Err(NotATimeStructure::NotClosed(_))
    ));
    let vanishing = chart.differential(0).scaled(base.time());
    assert!(matches!(
        TimeStructure::new(vanishing),
        Err(NotATimeStructure::MayVanish)
    ));
}

#[test]
fn t_15_vertical_homomorphism() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let mu = s.vertical_homomorphism();
        proved(mu.compose(&mu).decide_zero());
        let z = field(&s, "Z").as_vector();
        proved(mu.on_vector(&z).decide_zero());
        for i in 0..n {
            let du = s.chart().partial(1 + n + i);
            proved(mu.on_vector(&s.chart().partial(1 + i)).decide_equal(&du));
            proved(mu.on_vector(&du).decide_zero());
        }
        // The kernel is Ver ⊕ ⟨Z⟩: rank n.
        let rank = galilei_expr::generic_rank(mu.rows(), &Default::default());
        assert_eq!((rank.rank, rank.kernel_dimension(2 * n + 1)), (n, n + 1));
        // μ(∂t) = −uⁱ∂uⁱ
        let image = mu.on_vector(&s.chart().partial(0));
        proved(image.component(1 + n).decide_equal(-s.velocity(0)));
        refuted(image.component(1 + n).decide_equal(s.velocity(0)));
    }
}

#[test]
fn t_16_d_mu_on_generators() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        proved(
            s.d_mu(&Form::function(s.chart(), of_state(&s, "f")))
                .decide_zero(),
        );
        proved(s.d_mu(&s.dt()).decide_zero());
        for i in 0..n {
            proved(s.d_mu(&s.dx(i)).decide_zero());
            proved(s.d_mu(&s.du(i)).decide_equal(&s.contact(i)));
        }
        // (D_μω)(X, Y) = ω(μX, Y) + ω(X, μY)
        let mu = s.vertical_homomorphism();
        let omega = form(&s, 2, "w", false);
        let (x, y) = (field(&s, "X").as_vector(), field(&s, "Y").horizontal(0));
        let sum =
            omega.evaluate(&[&mu.on_vector(&x), &y]) + omega.evaluate(&[&x, &mu.on_vector(&y)]);
        proved(s.d_mu(&omega).evaluate(&[&x, &y]).decide_equal(sum));
    }
}

#[test]
fn t_17_del_on_generators_and_as_anti_derivation() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let f = Form::function(s.chart(), of_state(&s, "f"));
        let mut expected = Form::zero(s.chart(), 1);
        for i in 0..n {
            let c = of_state(&s, "f").diff(s.velocity(i));
            expected = expected.plus(&s.contact(i).scaled(c));
            proved(s.del(&s.dx(i)).decide_zero());
            proved(s.del(&s.du(i)).decide_equal(&s.du(i).wedge(&s.dt())));
            refuted(s.del(&s.du(i)).decide_equal(&s.dt().wedge(&s.du(i))));
            proved(
                s.del(&s.contact(i))
                    .decide_equal(&s.contact(i).wedge(&s.dt()).negated()),
            );
        }
        proved(s.del(&f).decide_equal(&expected));
        proved(s.del(&s.dt()).decide_zero());
        let (a, b) = (form(&s, 1, "a", false), form(&s, 1, "b", false));
        let right = s.del(&a).wedge(&b).minus(&a.wedge(&s.del(&b)));
        proved(s.del(&a.wedge(&b)).decide_equal(&right));
    }
}

#[test]
fn t_18_del_and_d() {
    for (n, top) in [(1, 2), (2, 2), (3, 1)] {
        let pool = Pool::new();
        let s = state(&pool, n);
        for degree in 0..=top {
            let omega = form(&s, degree, "w", false);
            proved(s.del(&omega.d()).decide_equal(&s.del(&omega).d().negated()));
            let twice = s.del(&s.del(&omega));
            proved(twice.decide_equal(&s.dt().wedge(&s.del(&omega))));
            if n == 2 {
                refuted(twice.decide_equal(&s.dt().wedge(&s.del(&omega)).negated()));
            }
        }
    }
}

#[test]
fn t_19_homotopy_of_del_on_semi_basic_forms() {
    for (n, top) in [(1, 2), (2, 3), (3, 3)] {
        let pool = Pool::new();
        let s = state(&pool, n);
        let z = field(&s, "Z").as_vector();
        for degree in 1..=top {
            let omega = form(&s, degree, "w", true);
            let left = s
                .del(&z.interior(&omega))
                .plus(&z.interior(&s.del(&omega)))
                .plus(&s.dt().wedge(&z.interior(&omega)));
            proved(left.decide_equal(&omega.scaled(pool.number(degree as i64))));
        }
        // False where there are du-components.
        let omega = s.du(0);
        let inserted = z.interior(&omega);
        let left = s
            .del(&inserted)
            .plus(&z.interior(&s.del(&omega)))
            .plus(&s.dt().wedge(&inserted));
        refuted(left.decide_equal(&omega));
    }
}

#[test]
fn t_20_semi_basic_and_basic() {
    let pool = Pool::new();
    let s = state(&pool, 2);
    proved(s.decide_semi_basic(&form(&s, 2, "w", true)));
    refuted(s.decide_semi_basic(&form(&s, 2, "w", false)));
    refuted(s.decide_basic(&form(&s, 1, "w", true)));
    let pulled = s.projection().pullback(&Form::one_form(
        s.base().chart(),
        &[
            of_base(s.base(), "a"),
            of_base(s.base(), "b"),
            of_base(s.base(), "c"),
        ],
    ));
    proved(s.decide_basic(&pulled));
    // basic ⇔ V⌟ω = 0 and V⌟dω = 0
    let v = s.chart().partial(4);
    proved(v.interior(&pulled.d()).decide_zero());
}

#[test]
fn t_22_eta_is_a_projector() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let field = field(&s, "Z");
        let (z, eta, mu) = (field.as_vector(), field.eta(), s.vertical_homomorphism());
        proved(eta.compose(&eta).decide_equal(&eta));
        proved(eta.on_vector(&z).decide_zero());
        for i in 0..n {
            let v = s.chart().partial(1 + n + i);
            proved(eta.on_vector(&v).decide_equal(&v));
            proved(eta.on_vector(&field.horizontal(i)).decide_zero());
        }
        // η(X) = ½([Z, μX] − μ[Z, X] + X − ϑ̂(X)Z) = ½(L_Zμ + 1 − Z⊗dt)
        let one = Endomorphism::identity(s.chart());
        let sum = z
            .lie(&mu)
            .plus(&one)
            .minus(&Endomorphism::simple(&z, &s.dt()));
        proved(sum.scaled(pool.number((1, 2))).decide_equal(&eta));
        refuted(sum.decide_equal(&eta));
        // ker μ ∩ ker η = ⟨Z⟩: the two together have rank 2n.
        let rows: Vec<Vec<_>> = mu.rows().iter().chain(eta.rows()).cloned().collect();
        assert_eq!(
            galilei_expr::generic_rank(&rows, &Default::default()).rank,
            2 * n
        );
    }
}
