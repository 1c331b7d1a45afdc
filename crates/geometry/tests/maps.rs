//! Maps between charts, pushforwards, and integrability.

mod common;

use common::*;
use galilei_expr::{Assumptions, Expr, Pool};
use galilei_geometry::{
    Chart, Codistribution, Diffeomorphism, Evidence, Form, Integrability, Matrix, Point, SmoothMap,
    Verdict,
};

fn polar<'p>(pool: &'p Pool) -> (Chart<'p>, Chart<'p>, Diffeomorphism<'p>) {
    let (plane, polar) = (Chart::new(pool, ["x", "y"]), Chart::new(pool, ["r", "phi"]));
    let [x, y] = [plane.coordinate(0), plane.coordinate(1)];
    let [r, phi] = [polar.coordinate(0), polar.coordinate(1)];
    let there = SmoothMap::new(&polar, &plane, vec![r * phi.cos(), r * phi.sin()]);
    let back = SmoothMap::new(
        &plane,
        &polar,
        vec![(x.pow(2) + y.pow(2)).sqrt(), y.atan2(x)],
    );
    let change = Diffeomorphism::on(there, back, &one_turn(r, phi)).unwrap();
    (plane, polar, change)
}

/// r > 0, −π < φ < π
fn one_turn<'p>(r: Expr<'p>, phi: Expr<'p>) -> Assumptions<'p> {
    let pi = phi.pool().pi();
    Assumptions::new()
        .positive(r)
        .positive(pi + phi)
        .positive(pi - phi)
}

#[test]
fn polar_coordinates() {
    let pool = Pool::new();
    let (plane, polar, change) = polar(&pool);
    let [x, y] = [plane.coordinate(0), plane.coordinate(1)];
    let r = polar.coordinate(0);
    // dx∧dy = r dr∧dφ
    let area = plane.differential(0).wedge(&plane.differential(1));
    let pulled = change.map().pullback(&area);
    proved(pulled.component(&[0, 1]).decide_equal(r));
    // ∂φ becomes the rotation −y∂x + x∂y
    let turned = change.pushforward(&polar.partial(1));
    proved(turned.component(0).decide_equal(-y));
    proved(turned.component(1).decide_equal(x));
    refuted(turned.component(0).decide_equal(y));
    // Points are mapped forward, functions are pulled back.
    let point = Point::new(&polar, vec![pool.number(2), pool.pi() / 3]);
    let image = change.map().image(&point);
    assert_eq!(image.values(), [pool.one(), pool.number(3).sqrt()]);
    let f = x.pow(2) + y.pow(2);
    proved(
        point
            .evaluate(change.map().pullback(&f))
            .decide_equal(image.evaluate(f)),
    );
}

#[test]
fn t_9_inverses_are_proved() {
    let pool = Pool::new();
    let (plane, polar, change) = polar(&pool);
    let [x, y] = [plane.coordinate(0), plane.coordinate(1)];
    let [r, phi] = [polar.coordinate(0), polar.coordinate(1)];
    let (there, back) = (change.map().clone(), change.inverse_map().clone());
    // Wrong ones are refused, on every domain.
    let wrong = SmoothMap::new(&plane, &polar, vec![x.pow(2) + y.pow(2), y.atan2(x)]);
    let refusal = Diffeomorphism::new(there.clone(), wrong.clone()).unwrap_err();
    assert!(refusal.source.is_refuted() && refusal.target.is_refuted());
    let turn = one_turn(r, phi);
    assert!(Diffeomorphism::on(there.clone(), wrong.clone(), &turn).is_err());
    // Polar angles are recovered only within one turn, which algebra cannot show: one
    // composition is proved, the other sampled.
    let refusal = Diffeomorphism::new(there.clone(), back.clone()).unwrap_err();
    assert!(refusal.source.is_refuted() && refusal.target.is_proved());
    let half = Assumptions::new().positive(r);
    assert!(Diffeomorphism::on(there.clone(), back.clone(), &half).is_err());
    let Evidence::OnBranch { source, target } = change.evidence() else {
        panic!("{:?}", change.evidence())
    };
    assert!(!source.is_proved() && !source.is_refuted());
    assert!(target.is_proved());
    assert_eq!(change.domain().len(), 3);
    // Read backwards, source and target change places.
    assert!(matches!(
        change.inverse().evidence(),
        Evidence::OnBranch { source, .. } if source.is_proved()
    ));
    // The inverse of an undetermined function cannot be checked: it is a recorded assumption.
    let (line, copy) = (Chart::new(&pool, ["a"]), Chart::new(&pool, ["b"]));
    let [a, b] = [line.coordinate(0), copy.coordinate(0)];
    let (up, down) = (map(&line, &copy, "f"), map(&copy, &line, "g"));
    assert!(Diffeomorphism::new(up.clone(), down.clone()).is_err());
    let assumed = Diffeomorphism::assume_inverse(up, down);
    assert!(matches!(assumed.evidence(), Evidence::Assumed { .. }));
    // A domain on which both directions are proved.
    let (square, root) = (
        SmoothMap::new(&line, &copy, vec![a.pow(2)]),
        SmoothMap::new(&copy, &line, vec![b.sqrt()]),
    );
    assert!(Diffeomorphism::new(square.clone(), root.clone()).is_err());
    let right = Diffeomorphism::on(square, root, &Assumptions::new().positive(a)).unwrap();
    assert!(matches!(right.evidence(), Evidence::Proved(_)));
    assert_eq!(right.domain(), ["a > 0"]);
}

#[test]
fn t_9_sampled_is_not_proved() {
    // max is associative, but no field knows that: both directions are sampled.
    let pool = Pool::new();
    let (line, copy) = (Chart::new(&pool, ["a"]), Chart::new(&pool, ["b"]));
    let [a, b] = [line.coordinate(0), copy.coordinate(0)];
    let [c, d] = pool.symbols(["c", "d"]);
    let zero = |x: Expr<'_>| {
        let x = pool.expr(x.id());
        x.max(c).max(d) - x.max(c.max(d))
    };
    let up = SmoothMap::new(&line, &copy, vec![a + zero(a)]);
    let down = SmoothMap::new(&copy, &line, vec![b + zero(b)]);
    let refusal = Diffeomorphism::new(up.clone(), down.clone()).unwrap_err();
    for verdict in [&refusal.source, &refusal.target] {
        assert!(matches!(verdict, Verdict::Sampled(_)), "{verdict}");
    }
    assert!(Diffeomorphism::on(up.clone(), down.clone(), &Assumptions::new()).is_err());
    let assumed = Diffeomorphism::assume_inverse(up, down);
    assert!(matches!(
        assumed.evidence(),
        Evidence::Assumed {
            source: Verdict::Sampled(_),
            ..
        }
    ));
}

#[test]
fn pushforward_is_natural() {
    // φ_*[X, Y] = [φ_*X, φ_*Y], for an undetermined shear and undetermined fields.
    let pool = Pool::new();
    let (source, target) = (Chart::new(&pool, ["x", "y"]), Chart::new(&pool, ["a", "b"]));
    let [x, y] = [source.coordinate(0), source.coordinate(1)];
    let [a, b] = [target.coordinate(0), target.coordinate(1)];
    let h = pool.function("h");
    let there = SmoothMap::new(&source, &target, vec![x, y + h.at([x])]);
    let back = SmoothMap::new(&target, &source, vec![a, b - h.at([a])]);
    let shear = Diffeomorphism::new(there, back).unwrap();
    let (v, w) = (vector(&source, "V"), vector(&source, "W"));
    let bracket = shear.pushforward(&v).bracket(&shear.pushforward(&w));
    proved(shear.pushforward(&v.bracket(&w)).decide_equal(&bracket));
    // (φ_*K)(φ_*X) = φ_*(KX)
    let k = endomorphism(&source, "K");
    let moved = shear
        .pushforward_endomorphism(&k)
        .on_vector(&shear.pushforward(&v));
    proved(shear.pushforward(&k.on_vector(&v)).decide_equal(&moved));
    // Pulling back what was pushed forward: α(φ_*X)∘φ = (φ*α)(X)
    let alpha = form(&target, 1, "alpha");
    let left = shear
        .map()
        .pullback(&alpha.evaluate(&[&shear.pushforward(&v)]));
    proved(left.decide_equal(shear.map().pullback(&alpha).evaluate(&[&v])));
    // The Lie derivative of a metric is natural too.
    let g = metric(&target, "g");
    let pulled = shear.map().pullback(&g);
    let right = shear.map().pullback(&shear.pushforward(&v).lie(&g));
    proved(v.lie(&pulled).decide_equal(&right));
}

#[test]
fn frobenius() {
    let pool = Pool::new();
    let chart = Chart::new(&pool, ["x", "y", "z"]);
    let [x, y, _] = [0, 1, 2].map(|k| chart.coordinate(k));
    let one = pool.one();
    // dz − y dx is a contact form: not integrable, with the volume as obstruction.
    let contact = Form::one_form(&chart, &[-y, pool.zero(), one]);
    match Codistribution::new(&chart, vec![contact]).integrability() {
        Integrability::NotIntegrable {
            form,
            obstruction,
            verdict,
        } => {
            assert_eq!((form, obstruction.degree()), (0, 3));
            assert!(verdict.is_refuted());
        }
        other => panic!("{other:?}"),
    }
    // f·dg is, for any f and g;
    let (f, g) = (function(&chart, "f"), function(&chart, "g"));
    let exact = Form::function(&chart, g).d().scaled(f);
    assert!(matches!(
        Codistribution::new(&chart, vec![exact.clone()]).integrability(),
        Integrability::Integrable(_)
    ));
    // a superfluous form changes nothing,
    let doubled = Codistribution::new(&chart, vec![exact.clone(), exact.scaled(x)]);
    assert_eq!(doubled.rank().rank, 1);
    assert!(matches!(
        doubled.integrability(),
        Integrability::Integrable(_)
    ));
    // and a knife edge on a plane is not.
    let plane = Chart::new(&pool, ["x", "y", "theta"]);
    let theta = plane.coordinate(2);
    let edge = Form::one_form(&plane, &[theta.sin(), -theta.cos(), pool.zero()]);
    let verdict = Codistribution::new(&plane, vec![edge]).integrability();
    assert!(matches!(verdict, Integrability::NotIntegrable { .. }));
}

#[test]
fn matrices() {
    let pool = Pool::new();
    for n in 1..=6 {
        let entry = |i: usize, j: usize| pool.symbol(&format!("m{}{}", i.min(j), i.max(j)));
        let m = Matrix::new(
            &pool,
            (0..n)
                .map(|i| (0..n).map(|j| entry(i, j)).collect())
                .collect(),
        );
        let product = m.times(&m.inverse().unwrap());
        for i in 0..n {
            for j in 0..n {
                let expected = if i == j { pool.one() } else { pool.zero() };
                proved(product.rows()[i][j].decide_equal(expected));
            }
        }
    }
    let [a, b] = pool.symbols(["a", "b"]);
    let singular = Matrix::new(&pool, vec![vec![a, b], vec![a * b, b * b]]);
    assert!(singular.inverse().is_err());
    // Vandermonde, by minors and by elimination
    for n in [3, 7] {
        let x: Vec<_> = (0..n).map(|i| pool.symbol(&format!("v{i}"))).collect();
        let rows = x
            .iter()
            .map(|x| (0..n).map(|k| x.pow(k)).collect())
            .collect();
        let factors = (0..n as usize).flat_map(|j| {
            let x = &x;
            (0..j).map(move |i| x[j] - x[i])
        });
        let expected = pool.product(factors);
        proved(
            Matrix::new(&pool, rows)
                .determinant()
                .decide_equal(expected),
        );
    }
}
