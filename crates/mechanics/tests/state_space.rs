//! T-1 … T-8, T-14 … T-22: space-time, and the calculus of the state space, for undetermined forms and fields.

mod common;

use common::*;
use galilei_expr::{Expr, Pool, Rational};
use galilei_geometry::{Chart, Endomorphism, Form, SmoothMap, VectorField};
use galilei_mechanics::{
    GalileanMetric, NotAMetric, NotATimeStructure, ReferenceField, TimeStructure,
};

/// α(X) = αₖXᵏ
fn on<'p>(a: &Form<'p>, x: &VectorField<'p>) -> Expr<'p> {
    let dimension = a.chart().dimension();
    let terms = (0..dimension).map(|k| a.component(&[k]) * x.component(k));
    a.chart().pool().sum(terms)
}

#[test]
fn t_1_t_2_t_3_t_4_conventions() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        // The natural chart is (t, x, u).
        assert_eq!(s.chart().coordinate(0), s.time());
        for i in 0..n {
            assert_eq!(s.chart().coordinate(1 + i), s.position(i));
            assert_eq!(s.chart().coordinate(1 + n + i), s.velocity(i));
        }
        // (α∧β)(X, Y) = α(X)β(Y) − α(Y)β(X); X ⌟ ω fills the first slot.
        let (a, b) = (form(&s, 1, "a", false), form(&s, 1, "b", false));
        let (x, y) = (vector(s.chart(), "X"), vector(s.chart(), "Y"));
        let both = a.wedge(&b).evaluate(&[&x, &y]);
        proved(both.decide_equal(on(&a, &x) * on(&b, &y) - on(&a, &y) * on(&b, &x)));
        refuted(both.decide_equal(on(&a, &y) * on(&b, &x) - on(&a, &x) * on(&b, &y)));
        let slot = x.interior(&a.wedge(&b));
        proved(slot.evaluate(&[&y]).decide_equal(both));
        // L_Xω = d(X ⌟ ω) + X ⌟ dω; [X, Y]f = X(Yf) − Y(Xf).
        let cartan = x.interior(&a).d().plus(&x.interior(&a.d()));
        proved(x.lie(&a).decide_equal(&cartan));
        let f = of_state(&s, "f");
        let commutator = x.apply(y.apply(f)) - y.apply(x.apply(f));
        proved(x.bracket(&y).apply(f).decide_equal(commutator));
        refuted(x.bracket(&y).apply(f).decide_equal(-commutator));
        // θⁱ = dxⁱ − uⁱdt; Z[f] = ∂ₜf + uⁱ∂f/∂xⁱ + Zⁱ∂f/∂uⁱ.
        let z = field(&s, "Z");
        let mut rate = f.diff(s.time());
        for i in 0..n {
            let theta = s.dx(i).minus(&s.dt().scaled(s.velocity(i)));
            proved(s.contact(i).decide_equal(&theta));
            rate += s.velocity(i) * f.diff(s.position(i));
            rate += z.accelerations()[i] * f.diff(s.velocity(i));
        }
        proved(z.rate(f).decide_equal(rate));
        // (Kα)(X) = α(KX), (L_XK)(Y) = [X, KY] − K[X, Y], for K = μ and K = η.
        for k in [s.vertical_homomorphism(), z.eta()] {
            let moved = k.on_one_form(&a).evaluate(&[&x]);
            proved(moved.decide_equal(a.evaluate(&[&k.on_vector(&x)])));
            let right = x
                .bracket(&k.on_vector(&y))
                .minus(&k.on_vector(&x.bracket(&y)));
            proved(x.lie(&k).on_vector(&y).decide_equal(&right));
            refuted(x.lie(&k).on_vector(&y).decide_equal(&right.negated()));
        }
    }
}

#[test]
fn t_5_time_structure() {
    for n in 1..=3 {
        let pool = Pool::new();
        let base = base(&pool, "x", n);
        let chart = base.chart();
        let theta = base.time_structure();
        proved(theta.as_form().d().decide_zero());
        // R is time-normalised, differences of such are spacelike.
        let (r, q) = (reference(&base, "R"), reference(&base, "Q"));
        proved(theta.decide_normalised(&r.as_vector()));
        proved(theta.decide_spacelike(&r.as_vector().minus(&q.as_vector())));
        refuted(theta.decide_spacelike(&r.as_vector()));
        for i in 1..=n {
            proved(theta.decide_spacelike(&chart.partial(i)));
        }
        // dt + 2dxⁿ is one too; f·(dt + dx¹) and t·dt are none.
        let dt = chart.differential(0);
        let tilted = TimeStructure::new(dt.plus(&chart.differential(n).scaled(pool.number(2))));
        assert!(tilted.is_ok());
        let scaled = dt.plus(&chart.differential(1)).scaled(of_base(&base, "f"));
        assert!(matches!(
            TimeStructure::new(scaled),
            Err(NotATimeStructure::NotClosed(_))
        ));
        let vanishing = dt.scaled(base.time());
        assert!(matches!(
            TimeStructure::new(vanishing),
            Err(NotATimeStructure::MayVanish)
        ));
        assert!(matches!(
            TimeStructure::new(dt.d()),
            Err(NotATimeStructure::Degree(2))
        ));
    }
}

#[test]
fn t_6_galilean_metric() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let g = metric(s.base());
        // ĝ(∂uⁱ, ∂uʲ) = gᵢⱼ: what the action form pairs ∂uⁱ and ∂xʲ to.
        let omega = action_form(&g.matrix(), &field(&s, "Z"));
        for i in 0..n {
            for j in 0..n {
                assert_eq!(g.component(i, j), g.component(j, i));
                let (du, dx) = (s.chart().partial(1 + n + i), s.chart().partial(1 + j));
                let paired = omega.as_two_form().evaluate(&[&du, &dx]);
                proved(paired.decide_equal(g.component(i, j)));
            }
        }
        // Only symmetric matrices of the right size,
        let size = GalileanMetric::new(s.base(), vec![vec![pool.one(); n + 1]; n + 1]);
        assert!(matches!(size, Err(NotAMetric::Size)));
        let entry = |i: usize, j: usize| of_base(s.base(), &format!("m{i}{j}"));
        if n > 1 {
            let lopsided = GalileanMetric::new(s.base(), square(n, entry));
            assert!(matches!(lopsided, Err(NotAMetric::NotSymmetric(1, 0, _))));
        }
        // and positive definite where they are: MᵀM + 1, and not −1.
        let m = |i: usize, j: usize| pool.symbol(&format!("m{i}{j}"));
        let product = |i: usize, j: usize| {
            let sum = pool.sum((0..n).map(|k| m(k, i) * m(k, j)));
            sum + i64::from(i == j)
        };
        let positive = GalileanMetric::new(s.base(), square(n, product)).unwrap();
        let values: Vec<_> = (0..n * n)
            .map(|k| (m(k / n, k % n), Rational::new(2 * k as i64 - 3, 5)))
            .collect();
        assert!(positive.positive_definite_at(&values).is_certified());
        let rows = square(n, |i, j| -product(i, j));
        let negative = GalileanMetric::new(s.base(), rows).unwrap();
        refuted(negative.positive_definite_at(&values));
    }
}

#[test]
fn t_7_reference_fields() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let r = reference(s.base(), "R").as_vector();
        proved(r.component(0).decide_equal(pool.one()));
        // The resting field of the chart is ∂ₜ.
        let rest = ReferenceField::resting(s.base()).as_vector();
        proved(rest.decide_equal(&s.base().chart().partial(0)));
        refuted(rest.decide_equal(&r));
        // u − R: the spacelike part of a velocity, with components θⁱ of R negated.
        let lifted = SmoothMap::new(
            s.chart(),
            s.base().chart(),
            s.base().chart().coordinates().to_vec(),
        );
        for i in 0..n {
            let relative = s.velocity(i) - lifted.pullback(&r.component(1 + i));
            let zero = pool.zero();
            let on_state = (0..=2 * n).map(|k| if k <= n { r.component(k) } else { zero });
            let on_state = VectorField::new(s.chart(), on_state.collect());
            proved(s.contact(i).evaluate(&[&on_state]).decide_equal(-relative));
        }
    }
}

#[test]
fn t_8_t_21_curves_and_their_lifts() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let line = Chart::of(&pool, [s.time()]);
        let t = s.time();
        let at_t = |name: &str| pool.function(name).at([t]);
        let x: Vec<_> = (0..n).map(|i| at_t(&format!("x{i}"))).collect();
        let rates: Vec<_> = x.iter().map(|x| x.diff(t)).collect();
        let curve = |u: &[Expr<'_>]| {
            let u = u.iter().map(|u| pool.expr(u.id()));
            let components = std::iter::once(t).chain(x.iter().copied()).chain(u);
            SmoothMap::new(&line, s.chart(), components.collect())
        };
        // The lift (t, x, ẋ) annuls the contact forms; other curves over x do not.
        let lift = curve(&rates);
        let v: Vec<_> = (0..n).map(|i| at_t(&format!("v{i}"))).collect();
        let other = curve(&v);
        for i in 0..n {
            proved(lift.pullback(&s.contact(i)).decide_zero());
            refuted(other.pullback(&s.contact(i)).decide_zero());
        }
        // Z is second-order: ϑ̂(Z) = 1, μ(Z) = 0, and nothing else is. Along a lift Z[f] is the
        // rate of f exactly if Z is ẍ there.
        let z = field(&s, "Z");
        proved(s.dt().evaluate(&[&z.as_vector()]).decide_equal(pool.one()));
        let mu = s.vertical_homomorphism();
        proved(mu.on_vector(&z.as_vector()).decide_zero());
        let any = vector(s.chart(), "X");
        let image = mu.on_vector(&any);
        for i in 0..n {
            let slip = any.component(1 + i) - s.velocity(i) * any.component(0);
            proved(image.component(1 + n + i).decide_equal(slip));
        }
        let second: Vec<_> = rates.iter().map(|u| u.diff(t)).collect();
        let f = of_state(&s, "f");
        let rate = lift.pullback(&f).diff(t);
        let along = lift.pullback(&z.rate(f));
        let off = (0..n).map(|i| {
            let slope = lift.pullback(&f.diff(s.velocity(i)));
            slope * (lift.pullback(&z.accelerations()[i]) - second[i])
        });
        proved((along - rate).decide_equal(pool.sum(off)));
        refuted(along.decide_equal(rate));
    }
}

#[test]
fn t_14_operations_of_the_state_space() {
    // Those of the calculus are natural under maps of state charts, D_μ and ∂ as well for lifts.
    for n in 1..=3 {
        let pool = Pool::new();
        let (old, new) = (base(&pool, "x", n), base(&pool, "y", n));
        let x = (0..n).map(|i| of_base(&new, &format!("X{i}"))).collect();
        let change = galilei_mechanics::AdaptedChange::new(&old, &new, x);
        let (s, r, map) = (change.old_state(), change.new_state(), change.prolonged());
        let (a, b) = (form(s, 1, "a", false), form(s, 1, "b", true));
        let (f, g) = (map.pullback(&a), map.pullback(&b));
        proved(map.pullback(&a.plus(&b)).decide_equal(&f.plus(&g)));
        proved(map.pullback(&a.wedge(&b)).decide_equal(&f.wedge(&g)));
        proved(map.pullback(&a.d()).decide_equal(&f.d()));
        proved(map.pullback(&s.d_mu(&a)).decide_equal(&r.d_mu(&f)));
        proved(map.pullback(&s.del(&a)).decide_equal(&r.del(&f)));
        refuted(map.pullback(&s.del(&a)).decide_equal(&r.del(&f).negated()));
    }
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
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        for degree in 0..=2 * n + 1 {
            let omega = form(&s, degree, "w", false);
            proved(s.del(&omega.d()).decide_equal(&s.del(&omega).d().negated()));
            let twice = s.del(&s.del(&omega));
            let right = s.dt().wedge(&s.del(&omega));
            proved(twice.decide_equal(&right));
            // Not with the other sign, unless both sides are zero for want of room.
            if degree + 2 <= 2 * n {
                refuted(twice.decide_equal(&right.negated()));
                refuted(s.del(&omega.d()).decide_equal(&s.del(&omega).d()));
            }
        }
    }
}

#[test]
fn t_19_homotopy_of_del_on_semi_basic_forms() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let z = field(&s, "Z").as_vector();
        for degree in 1..=n + 1 {
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
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let vertical: Vec<_> = (0..n).map(|i| s.chart().partial(1 + n + i)).collect();
        for degree in 1..=n + 1 {
            // Semi-basic ⇔ V ⌟ ω = 0 for all vertical V.
            let semi = form(&s, degree, "w", true);
            proved(s.decide_semi_basic(&semi));
            for v in &vertical {
                proved(v.interior(&semi).decide_zero());
            }
            let any = form(&s, degree, "w", false);
            refuted(s.decide_semi_basic(&any));
            refuted(vertical[n - 1].interior(&any).decide_zero());
            // Basic ⇔ V ⌟ dω = 0 as well ⇔ a form on M.
            refuted(s.decide_basic(&semi));
            refuted(vertical[0].interior(&semi.d()).decide_zero());
            let below = s.base().chart();
            let labels = semi.terms().enumerate();
            let terms =
                labels.map(|(k, (indices, _))| (indices, of_base(s.base(), &format!("b{k}"))));
            let pulled = s
                .projection()
                .pullback(&Form::from_terms(below, degree, terms));
            proved(s.decide_basic(&pulled));
            for v in &vertical {
                proved(v.interior(&pulled).decide_zero());
                proved(v.interior(&pulled.d()).decide_zero());
            }
        }
    }
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
