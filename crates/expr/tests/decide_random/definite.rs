//! Positive definiteness: certified, refuted at a point, and never certified on the border.

use galilei_expr::{Expr, Interval, Pool, Rational, SymmetricMatrix, Verdict};

fn matrix<'p, const N: usize>(rows: [[Expr<'p>; N]; N]) -> SymmetricMatrix<'p> {
    SymmetricMatrix::new(rows.map(|r| r.to_vec()).to_vec()).expect("a symmetric matrix")
}

/// ½·ẋᵀM(q)ẋ of two point masses on rods, angles from the vertical.
fn double_pendulum(pool: &Pool) -> SymmetricMatrix<'_> {
    let [m1, m2, l1, l2] = pool.symbols(["m1", "m2", "l1", "l2"]);
    let [a, b, u, v] = pool.symbols(["a", "b", "u", "v"]);
    let first = (l1 * u).pow(2);
    let second =
        (l1 * a.cos() * u + l2 * b.cos() * v).pow(2) + (l1 * a.sin() * u + l2 * b.sin() * v).pow(2);
    let kinetic = (m1 * first + m2 * second) / 2;
    SymmetricMatrix::new(kinetic.hessian(&[u, v])).expect("a symmetric matrix")
}

#[test]
fn a_double_pendulum_has_a_mass_matrix() {
    let pool = Pool::new();
    let [m1, m2, l1, l2] = pool.symbols(["m1", "m2", "l1", "l2"]);
    let [a, b] = pool.symbols(["a", "b"]);
    let mass = double_pendulum(&pool);
    let numbers = [(m1, 1), (m2, 2), (l1, 1), (l2, 3)].map(|(s, n)| (s, Rational::new(n, 2)));
    for (p, q) in [(0, 0), (1, 1), (3, -2), (22, 7)] {
        let mut at = numbers.to_vec();
        at.extend([(a, Rational::new(p, 3)), (b, Rational::new(q, 3))]);
        assert!(mass.positive_definite_at(&at).is_certified());
    }
    let angles = [(a, Interval::new(-1.0, 1.0)), (b, Interval::new(-1.0, 1.0))];
    let mut domain: Vec<(Expr<'_>, Interval)> = numbers
        .iter()
        .map(|(s, q)| (*s, Interval::point(q.to_f64())))
        .collect();
    domain.extend(angles);
    let verdict = mass.positive_definite_on(&domain);
    assert!(verdict.is_certified(), "{verdict}");
    // Without the first mass it is only semidefinite, where both rods point the same way.
    domain[0].1 = Interval::point(0.0);
    let verdict = mass.positive_definite_on(&domain);
    assert!(!verdict.is_certified(), "{verdict}");
    // With a negative one it is not even that.
    domain[0].1 = Interval::point(-3.0);
    let verdict = mass.positive_definite_on(&domain);
    assert!(verdict.is_refuted(), "{verdict}");
}

#[test]
fn the_border_of_a_domain() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let m = matrix([[pool.one(), x], [x, pool.one()]]);
    let on = |low, high| m.positive_definite_on(&[(x, Interval::new(low, high))]);
    assert!(on(-0.999, 0.999).is_certified());
    assert!(!on(-1.0, 0.5).is_certified());
    assert!(!on(-1.0, 1.0).is_certified());
    assert!(on(-2.0, 2.0).is_refuted());
    assert!(on(1.5, 2.0).is_refuted());
    let at = |n, d| m.positive_definite_at(&[(x, Rational::new(n, d))]);
    assert!(at(999_999, 1_000_000).is_certified());
    assert!(at(1, 1).is_refuted());
    assert!(at(1_000_001, 1_000_000).is_refuted());
    // A symbol without a value: nothing is known.
    let open = matrix([[y, x], [x, pool.one()]]);
    let verdict = open.positive_definite_at(&[(x, Rational::ZERO)]);
    assert!(matches!(verdict, Verdict::Undecided(_)), "{verdict}");
}

/// Matrices vvᵀ and others with a kernel everywhere or somewhere.
#[test]
fn semidefinite_matrices_are_never_certified() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let (s, c, one, zero) = (x.sin(), x.cos(), pool.one(), pool.zero());
    let third = pool.number(Rational::new(1, 3));
    let root = pool.number(2).sqrt();
    let list = [
        matrix([[one, one], [one, one]]),
        matrix([[s.pow(2), s * c], [s * c, c.pow(2)]]),
        matrix([[x.pow(2), x * y], [x * y, y.pow(2)]]),
        matrix([[one, third], [third, third.pow(2)]]),
        matrix([[pool.number(2), root], [root, one]]),
        matrix([[x.exp(), one], [one, (-x).exp()]]),
        matrix([[one, zero], [zero, s.pow(2) + c.pow(2) - 1]]),
        matrix([[x.pow(2) + y.pow(2), zero], [zero, one]]),
        matrix([[one, x.cosh()], [x.cosh(), x.sinh().pow(2) + 1]]),
    ];
    for (k, m) in list.iter().enumerate() {
        let domain = [(x, Interval::new(-1.0, 1.0)), (y, Interval::new(-1.0, 1.0))];
        let verdict = m.positive_definite_on(&domain);
        assert!(!verdict.is_certified(), "number {k} on a box: {verdict}");
        for (p, q) in [(0, 0), (1, 3), (-2, 7)] {
            let at = [(x, Rational::new(p, 7)), (y, Rational::new(q, 7))];
            let verdict = m.positive_definite_at(&at);
            // Number 7 is definite away from the origin.
            assert!(
                !verdict.is_certified() || (k == 7 && p != 0),
                "number {k}: {verdict}"
            );
        }
    }
}

/// A refutation names a point, at which the matrix is indeed not positive definite.
#[test]
fn indefinite_matrices_are_refuted_at_a_point() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let m = matrix([[x.exp(), x * y + 2], [x * y + 2, y.cos()]]);
    let domain = [(x, Interval::new(-1.0, 1.0)), (y, Interval::new(-1.0, 1.0))];
    let Verdict::Refuted(witness) = m.positive_definite_on(&domain) else {
        panic!("not refuted");
    };
    let at: Vec<(Expr<'_>, f64)> = witness
        .values
        .iter()
        .map(|(n, q)| (pool.symbol(n), q.parse::<Rational>().unwrap().to_f64()))
        .collect();
    let determinant = x.exp() * y.cos() - (x * y + 2).pow(2);
    assert!(determinant.evaluate_f64(&at) <= 0.0);
    // A matrix whose handles are not symmetric is not taken.
    assert!(SymmetricMatrix::new(vec![vec![x, y], vec![y * 2, x]]).is_none());
    assert!(SymmetricMatrix::new(vec![vec![x, y]]).is_none());
    assert!(SymmetricMatrix::new(vec![]).is_none());
}

/// Sizes up to six: the matrix of moments of a positive weight is definite, and is not when a little is subtracted.
#[test]
fn larger_matrices() {
    let pool = Pool::new();
    let x = pool.symbol("x");
    for n in 1..=6i64 {
        let hilbert = |shift: i64| {
            let rows = (0..n)
                .map(|i| {
                    (0..n)
                        .map(|j| {
                            let entry = pool.number(Rational::new(1, i + j + 1));
                            if i + j == 2 * n - 2 {
                                entry - x * shift
                            } else {
                                entry
                            }
                        })
                        .collect()
                })
                .collect();
            SymmetricMatrix::new(rows).expect("a symmetric matrix")
        };
        let at = [(x, Rational::ONE)];
        assert!(hilbert(0).positive_definite_at(&at).is_certified(), "{n}");
        assert!(hilbert(1).positive_definite_at(&at).is_refuted(), "{n}");
    }
}
