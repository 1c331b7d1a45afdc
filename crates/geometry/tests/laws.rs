//! The laws of exterior calculus, proved for undetermined forms, fields and maps; each law is
//! also refuted for a deliberately broken version of itself.

mod common;

use common::*;
use galilei_expr::Pool;
use galilei_geometry::{Connection, Endomorphism, Form, LeviCivita, VectorField};

#[test]
fn d_squared_is_zero() {
    for n in 1..=4 {
        let pool = Pool::new();
        let chart = chart(&pool, "x", n);
        for degree in 0..n {
            proved(form(&chart, degree, "a").d().d().decide_zero());
        }
    }
    let pool = Pool::new();
    let chart = chart(&pool, "x", 3);
    refuted(form(&chart, 1, "a").d().decide_zero());
}

#[test]
fn wedge_is_graded_commutative_and_associative() {
    let pool = Pool::new();
    let chart = chart(&pool, "x", 4);
    for (k, l) in [(1, 1), (1, 2), (2, 2), (0, 3)] {
        let (a, b) = (form(&chart, k, "a"), form(&chart, l, "b"));
        let swapped = b.wedge(&a);
        let signed = if k * l % 2 == 0 {
            swapped.clone()
        } else {
            swapped.negated()
        };
        proved(a.wedge(&b).decide_equal(&signed));
        if k + l < 4 || k * l > 0 {
            refuted(a.wedge(&b).decide_equal(&signed.negated()));
        }
    }
    let [a, b, c] = ["a", "b", "c"].map(|s| form(&chart, 1, s));
    proved(a.wedge(&b).wedge(&c).decide_equal(&a.wedge(&b.wedge(&c))));
}

#[test]
fn wedge_has_no_factor() {
    // (α∧β)(X, Y) = α(X)β(Y) − α(Y)β(X)
    let pool = Pool::new();
    let chart = chart(&pool, "x", 3);
    let (a, b) = (form(&chart, 1, "a"), form(&chart, 1, "b"));
    let (x, y) = (vector(&chart, "X"), vector(&chart, "Y"));
    let left = a.wedge(&b).evaluate(&[&x, &y]);
    let right = a.evaluate(&[&x]) * b.evaluate(&[&y]) - a.evaluate(&[&y]) * b.evaluate(&[&x]);
    proved(left.decide_equal(right));
    refuted((2 * left).decide_equal(right));
}

#[test]
fn d_obeys_the_graded_leibniz_rule() {
    let pool = Pool::new();
    let chart = chart(&pool, "x", 4);
    for (k, l) in [(0, 1), (1, 1), (1, 2), (2, 1)] {
        let (a, b) = (form(&chart, k, "a"), form(&chart, l, "b"));
        let second = a.wedge(&b.d());
        let sign = k % 2 == 1;
        let right = a.d().wedge(&b).plus(&if sign {
            second.negated()
        } else {
            second.clone()
        });
        proved(a.wedge(&b).d().decide_equal(&right));
        let wrong = a
            .d()
            .wedge(&b)
            .plus(&if sign { second } else { second.negated() });
        refuted(a.wedge(&b).d().decide_equal(&wrong));
    }
}

#[test]
fn interior_fills_the_first_slot() {
    let pool = Pool::new();
    let chart = chart(&pool, "x", 3);
    let omega = form(&chart, 2, "w");
    let (x, y) = (vector(&chart, "X"), vector(&chart, "Y"));
    let first = x.interior(&omega).evaluate(&[&y]);
    proved(first.decide_equal(omega.evaluate(&[&x, &y])));
    refuted(first.decide_equal(omega.evaluate(&[&y, &x])));
    proved(x.interior(&x.interior(&omega)).decide_zero());
}

#[test]
fn cartan_formula() {
    let pool = Pool::new();
    let chart = chart(&pool, "x", 3);
    let x = vector(&chart, "X");
    for degree in 0..=3 {
        let omega = form(&chart, degree, "w");
        let cartan = if degree == 0 {
            x.interior(&omega.d())
        } else {
            x.interior(&omega).d().plus(&x.interior(&omega.d()))
        };
        proved(x.lie(&omega).decide_equal(&cartan));
        if degree > 0 {
            refuted(x.lie(&omega).decide_equal(&x.interior(&omega.d())));
        }
    }
}

#[test]
fn brackets_obey_jacobi_and_act_as_commutators() {
    let pool = Pool::new();
    let chart = chart(&pool, "x", 3);
    let [x, y, z] = ["X", "Y", "Z"].map(|s| vector(&chart, s));
    let cyclic = x
        .bracket(&y.bracket(&z))
        .plus(&y.bracket(&z.bracket(&x)))
        .plus(&z.bracket(&x.bracket(&y)));
    proved(cyclic.decide_zero());
    let f = function(&chart, "f");
    proved(
        x.bracket(&y)
            .apply(f)
            .decide_equal(x.apply(y.apply(f)) - y.apply(x.apply(f))),
    );
    refuted(
        x.bracket(&y)
            .apply(f)
            .decide_equal(y.apply(x.apply(f)) - x.apply(y.apply(f))),
    );
    // L_[X,Y] = [L_X, L_Y] on forms
    let a = form(&chart, 1, "a");
    let commutator = x.lie(&y.lie(&a)).minus(&y.lie(&x.lie(&a)));
    proved(x.bracket(&y).lie(&a).decide_equal(&commutator));
}

#[test]
fn pullback_is_natural() {
    let pool = Pool::new();
    let (source, target) = (chart(&pool, "x", 2), chart(&pool, "y", 3));
    let phi = map(&source, &target, "phi");
    let (a, b) = (form(&target, 1, "a"), form(&target, 1, "b"));
    proved(phi.pullback(&a.d()).decide_equal(&phi.pullback(&a).d()));
    proved(
        phi.pullback(&a.wedge(&b))
            .decide_equal(&phi.pullback(&a).wedge(&phi.pullback(&b))),
    );
    refuted(
        phi.pullback(&a.wedge(&b))
            .decide_equal(&phi.pullback(&b).wedge(&phi.pullback(&a))),
    );
    // and functorial
    let back = chart(&pool, "z", 2);
    let psi = map(&back, &source, "psi");
    proved(
        psi.then(&phi)
            .pullback(&a)
            .decide_equal(&psi.pullback(&phi.pullback(&a))),
    );
}

#[test]
fn tensors_act_and_derive() {
    let pool = Pool::new();
    let chart = chart(&pool, "x", 3);
    let k = endomorphism(&chart, "K");
    let (x, y) = (vector(&chart, "X"), vector(&chart, "Y"));
    let a = form(&chart, 1, "a");
    // (Kα)(X) = α(KX)
    proved(
        k.on_one_form(&a)
            .evaluate(&[&x])
            .decide_equal(a.evaluate(&[&k.on_vector(&x)])),
    );
    // D_K is a derivation of degree 0, and on two-forms (D_Kω)(X,Y) = ω(KX,Y) + ω(X,KY)
    let (w, v) = (form(&chart, 2, "w"), form(&chart, 1, "v"));
    let sum = w.evaluate(&[&k.on_vector(&x), &y]) + w.evaluate(&[&x, &k.on_vector(&y)]);
    proved(k.derivation(&w).evaluate(&[&x, &y]).decide_equal(sum));
    let leibniz = k.derivation(&a).wedge(&v).plus(&a.wedge(&k.derivation(&v)));
    proved(k.derivation(&a.wedge(&v)).decide_equal(&leibniz));
    // [D_K, d] is an anti-derivation
    let f = function(&chart, "f");
    let fa = a.scaled(f);
    let df = Form::function(&chart, f);
    let anti = k
        .differential(&df)
        .wedge(&a)
        .plus(&k.differential(&a).scaled(f));
    proved(k.differential(&fa).decide_equal(&anti));
    // L_X is a derivation of the pairing: L_X(KY) = (L_XK)Y + K(L_XY)
    let right = x.lie(&k).on_vector(&y).plus(&k.on_vector(&x.lie(&y)));
    proved(x.lie(&k.on_vector(&y)).decide_equal(&right));
    // trace of a simple tensor is the pairing
    proved(
        Endomorphism::simple(&x, &a)
            .trace()
            .decide_equal(a.evaluate(&[&x])),
    );
}

#[test]
fn torsion_is_a_tensor() {
    let pool = Pool::new();
    let chart = chart(&pool, "x", 2);
    let k = endomorphism(&chart, "K");
    let (x, y) = (vector(&chart, "X"), vector(&chart, "Y"));
    let direct = |half: bool| {
        let (kx, ky) = (k.on_vector(&x), k.on_vector(&y));
        let mixed = k.on_vector(&kx.bracket(&y).plus(&x.bracket(&ky)));
        let square = k.on_vector(&k.on_vector(&x.bracket(&y)));
        let sum = kx.bracket(&ky).plus(&square).minus(&mixed);
        if half {
            sum.scaled(pool.number((1, 2)))
        } else {
            sum
        }
    };
    proved(k.torsion().evaluate(&[&x, &y]).decide_equal(&direct(false)));
    refuted(k.torsion().evaluate(&[&x, &y]).decide_equal(&direct(true)));
    // A projector N: torsion N[(1−N)X, (1−N)Y] + (1−N)[NX, NY]
    let f = function(&chart, "f");
    let [dx, dy] = [chart.differential(0), chart.differential(1)];
    let n = Endomorphism::simple(&chart.partial(1), &dy.minus(&dx.scaled(f)));
    let rest = Endomorphism::identity(&chart).minus(&n);
    let (hx, hy) = (rest.on_vector(&x), rest.on_vector(&y));
    let (vx, vy) = (n.on_vector(&x), n.on_vector(&y));
    let split = n
        .on_vector(&hx.bracket(&hy))
        .plus(&rest.on_vector(&vx.bracket(&vy)));
    proved(n.torsion().evaluate(&[&x, &y]).decide_equal(&split));
}

#[test]
fn connections_are_projectors_with_curvature() {
    let pool = Pool::new();
    let chart = galilei_geometry::Chart::new(&pool, ["x", "y", "z"]);
    let [a, b] = ["a", "b"].map(|s| function(&chart, s));
    // horizontal: dz = a dx + b dy
    let eta = Form::one_form(&chart, &[-a, -b, pool.one()]);
    let n = Endomorphism::simple(&chart.partial(2), &eta);
    let connection = Connection::from_vertical_projector(n).unwrap();
    let curvature = connection.curvature();
    let [x, y, z] = [0, 1, 2].map(|k| chart.coordinate(k));
    let expected = b.diff(x) + a * b.diff(z) - a.diff(y) - b * a.diff(z);
    let value = curvature
        .evaluate(&[&chart.partial(0), &chart.partial(1)])
        .component(2);
    proved(value.decide_equal(expected));
    refuted(value.decide_equal(-expected));
    let twice = Endomorphism::identity(&chart).scaled(pool.number(2));
    assert!(Connection::from_vertical_projector(twice).is_err());
}

#[test]
fn levi_civita_is_metric_and_torsion_free() {
    let pool = Pool::new();
    for n in [1, 2, 3] {
        let chart = chart(&pool, "x", n);
        let g = metric(&chart, "g");
        let nabla = LeviCivita::new(&g).unwrap();
        let [x, y, z] = ["X", "Y", "Z"].map(|s| vector(&chart, s));
        let torsion = nabla
            .covariant(&x, &y)
            .minus(&nabla.covariant(&y, &x))
            .minus(&x.bracket(&y));
        proved(torsion.decide_zero());
        let compatible = x.apply(g.evaluate(&y, &z))
            - g.evaluate(&nabla.covariant(&x, &y), &z)
            - g.evaluate(&y, &nabla.covariant(&x, &z));
        proved(compatible.decide_zero());
    }
}

#[test]
fn bianchi_identities() {
    let pool = Pool::new();
    let chart = chart(&pool, "x", 2);
    let g = metric(&chart, "g");
    let nabla = LeviCivita::new(&g).unwrap();
    let e: Vec<VectorField<'_>> = (0..2).map(|i| chart.partial(i)).collect();
    for i in 0..2 {
        for j in 0..2 {
            for k in 0..2 {
                let cyclic = nabla
                    .riemann(&e[i], &e[j], &e[k])
                    .plus(&nabla.riemann(&e[j], &e[k], &e[i]))
                    .plus(&nabla.riemann(&e[k], &e[i], &e[j]));
                proved(cyclic.decide_zero());
            }
        }
    }
    // Lowered curvature is antisymmetric in both pairs and symmetric in their exchange.
    let lowered = |i: usize, j: usize, k: usize, l: usize| {
        g.evaluate(&nabla.riemann(&e[i], &e[j], &e[k]), &e[l])
    };
    proved(lowered(0, 1, 0, 1).decide_equal(-lowered(0, 1, 1, 0)));
    refuted(lowered(0, 1, 0, 1).decide_equal(lowered(0, 1, 1, 0)));
}

#[test]
fn curvature_of_the_sphere_and_the_half_plane() {
    let pool = Pool::new();
    let chart = galilei_geometry::Chart::new(&pool, ["theta", "phi"]);
    let theta = chart.coordinate(0);
    let sphere = galilei_geometry::SymmetricTensor::from_upper(&chart, |i, j| match (i, j) {
        (0, 0) => pool.one(),
        (1, 1) => theta.sin().pow(2),
        _ => pool.zero(),
    });
    let nabla = LeviCivita::new(&sphere).unwrap();
    proved(
        nabla
            .christoffel(0, 1, 1)
            .decide_equal(-theta.sin() * theta.cos()),
    );
    // Gauss curvature R(∂θ,∂φ,∂φ,∂θ)/det g = 1
    let (e, f) = (chart.partial(0), chart.partial(1));
    let k = sphere.evaluate(&nabla.riemann(&e, &f, &f), &e) / theta.sin().pow(2);
    proved(k.decide_equal(pool.one()));
    let y = chart.coordinate(1);
    let plane = galilei_geometry::SymmetricTensor::from_upper(&chart, |i, j| {
        if i == j { y.pow(-2) } else { pool.zero() }
    });
    let nabla = LeviCivita::new(&plane).unwrap();
    let k = plane.evaluate(&nabla.riemann(&e, &f, &f), &e) * y.pow(4);
    proved(k.decide_equal(pool.number(-1)));
}
