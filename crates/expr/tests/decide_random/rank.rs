//! Generic ranks of textbook matrices, and of the same matrices with one entry changed.

use galilei_expr::{
    Assumptions, Expr, Pool, Rank, Rational, Verdict, decide_singular, generic_rank,
};

type Matrix<'p> = Vec<Vec<Expr<'p>>>;

/// The rank is what it should be, and the minor that shows it is regular at the witness.
fn has_rank(matrix: &Matrix<'_>, expected: usize) -> Result<(), String> {
    let found = generic_rank(matrix, &Assumptions::new());
    let columns = matrix[0].len();
    if found.rank != expected || found.kernel_dimension(columns) != columns - expected {
        return Err(format!("rank {} instead of {expected}", found.rank));
    }
    if !found.verdict.is_proved() {
        return Err(format!("rank {expected}: {}", found.verdict));
    }
    if expected == 0 {
        return Ok(());
    }
    let (rows, columns) = &found.minor;
    if rows.len() != expected || columns.len() != expected {
        return Err(format!("a minor of {rows:?} and {columns:?}"));
    }
    match determinant_at(matrix, &found) {
        // Undetermined functions have no values.
        Some(d) if d.is_nan() || d.abs() > 1e-12 => Ok(()),
        other => Err(format!("the minor is {other:?} at the witness")),
    }
}

/// The determinant of the minor at the witness, in doubles, by elimination.
fn determinant_at(matrix: &Matrix<'_>, rank: &Rank) -> Option<f64> {
    let pool = matrix[0][0].pool();
    let values: Vec<(Expr<'_>, f64)> = rank
        .witness
        .as_ref()?
        .values
        .iter()
        .map(|(name, q)| (pool.symbol(name), q.parse::<Rational>().unwrap().to_f64()))
        .collect();
    let (rows, columns) = &rank.minor;
    let mut a: Vec<Vec<f64>> = rows
        .iter()
        .map(|&i| {
            columns
                .iter()
                .map(|&j| matrix[i][j].evaluate_f64(&values))
                .collect()
        })
        .collect();
    let n = a.len();
    let mut determinant = 1.0;
    for k in 0..n {
        let p = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        a.swap(k, p);
        determinant *= a[k][k];
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    Some(determinant)
}

/// x = r·sin θ·cos φ, y = r·sin θ·sin φ, z = r·cos θ
fn spherical(pool: &Pool) -> Matrix<'_> {
    let [r, theta, phi] = pool.symbols(["r", "theta", "phi"]);
    let map = [
        r * theta.sin() * phi.cos(),
        r * theta.sin() * phi.sin(),
        r * theta.cos(),
    ];
    pool.jacobian(&map, &[r, theta, phi])
}

/// Rows (1, xᵢ, xᵢ², …).
fn vandermonde<'p>(x: &[Expr<'p>]) -> Matrix<'p> {
    let n = x.len() as i64;
    x.iter()
        .map(|x| (0..n).map(|k| x.pow(k)).collect())
        .collect()
}

#[test]
fn spherical_coordinates_are_coordinates() {
    let pool = Pool::new();
    has_rank(&spherical(&pool), 3).unwrap();
    // On the sphere, as functions of two angles, two.
    let two: Matrix<'_> = spherical(&pool)
        .iter()
        .map(|row| row[1..].to_vec())
        .collect();
    has_rank(&two, 2).unwrap();
    // x² + y² + z² depends on r alone: its gradient is parallel to that of r.
    let [r, theta, phi] = pool.symbols(["r", "theta", "phi"]);
    let square = (r * theta.sin() * phi.cos()).pow(2)
        + (r * theta.sin() * phi.sin()).pow(2)
        + (r * theta.cos()).pow(2);
    has_rank(&pool.jacobian(&[square, r], &[r, theta, phi]), 1).unwrap();
}

#[test]
fn a_singular_matrix_with_symbols() {
    let pool = Pool::new();
    let [a, b, c, d] = pool.symbols(["a", "b", "c", "d"]);
    // The third row is a times the first plus sin(b) times the second.
    let rows = [vec![a, b + 1, c.cos()], vec![d, a * b, c.exp()]];
    let third: Vec<Expr<'_>> = (0..3)
        .map(|j| a * rows[0][j] + b.sin() * rows[1][j])
        .collect();
    let matrix: Matrix<'_> = rows.iter().cloned().chain([third]).collect();
    has_rank(&matrix, 2).unwrap();
    assert!(decide_singular(&matrix, &Assumptions::new()).is_proved());
    // A skew matrix of odd size is singular.
    let zero = pool.zero();
    let skew = vec![vec![zero, a, b], vec![-a, zero, c], vec![-b, -c, zero]];
    has_rank(&skew, 2).unwrap();
    assert!(decide_singular(&skew, &Assumptions::new()).is_proved());
}

#[test]
fn vandermonde_matrices() {
    let pool = Pool::new();
    let x = pool.symbols(["x1", "x2", "x3", "x4", "x5"]);
    for n in 1..=5 {
        has_rank(&vandermonde(&x[..n]), n).unwrap();
    }
    has_rank(&vandermonde(&[x[0], x[1], x[0], x[2]]), 3).unwrap();
    has_rank(&vandermonde(&[x[0], x[0], x[0]]), 1).unwrap();
    let sum_of_angles = (x[0] + x[1]).sin();
    let expanded = x[0].sin() * x[1].cos() + x[0].cos() * x[1].sin();
    has_rank(&vandermonde(&[sum_of_angles, expanded, x[2]]), 2).unwrap();
}

/// Velocities of a skate at (x, y, θ) that do not slip sideways: x′·sin θ − y′·cos θ = 0.
#[test]
fn constraints_of_a_sleigh() {
    let pool = Pool::new();
    let [theta, offset] = pool.symbols(["theta", "a"]);
    let (s, c, zero) = (theta.sin(), theta.cos(), pool.zero());
    has_rank(&vec![vec![s, -c, zero]], 1).unwrap();
    has_rank(&vec![vec![s, -c, -offset]], 1).unwrap();
    // One constraint twice, the second time at another scale.
    has_rank(&vec![vec![s, -c, zero], vec![s / c, zero - 1, zero]], 1).unwrap();
    // The kernel: (cos θ, sin θ, 0) and (0, 0, 1).
    has_rank(
        &vec![
            vec![s, -c, zero],
            vec![c, s, zero],
            vec![zero, zero, pool.one()],
        ],
        3,
    )
    .unwrap();
}

#[test]
fn empty_and_zero_matrices() {
    let pool = Pool::new();
    let zero = pool.zero();
    assert_eq!(generic_rank(&[], &Assumptions::new()).rank, 0);
    has_rank(&vec![vec![zero, zero], vec![zero, zero]], 0).unwrap();
    let x = pool.symbol("x");
    let hidden = x.sin().pow(2) + x.cos().pow(2) - 1;
    has_rank(&vec![vec![hidden, zero], vec![zero, hidden]], 0).unwrap();
}

/// Undetermined functions and roots among the entries.
#[test]
fn ranks_with_undetermined_functions() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let (f, g) = (pool.function("f").at([x]), pool.function("g").at([x, y]));
    has_rank(&vec![vec![f, g], vec![f * x, g * x]], 1).unwrap();
    has_rank(&vec![vec![f, g], vec![g, f]], 2).unwrap();
    let wronskian = vec![vec![f, f.diff(x)], vec![f * 2, f.diff(x) * 2]];
    has_rank(&wronskian, 1).unwrap();
    let root = (x.pow(2) + 1).sqrt();
    has_rank(&vec![vec![root, x], vec![x.pow(2) + 1, x * root]], 1).unwrap();
}

/// With one entry changed the rank differs, and the law that expects the old rank fails.
#[test]
fn broken_ranks_are_noticed() {
    let pool = Pool::new();
    let mut matrix = spherical(&pool);
    assert!(has_rank(&matrix, 2).is_err());
    matrix[2] = matrix[1].clone();
    assert!(has_rank(&matrix, 3).is_err());
    assert!(decide_singular(&matrix, &Assumptions::new()).is_proved());
    matrix[2][0] += Rational::new(1, 1000);
    let verdict = decide_singular(&matrix, &Assumptions::new());
    assert!(matches!(verdict, Verdict::Refuted(_)), "{verdict}");
}

/// A matrix whose rank differs from one side of a sign to the other has no generic rank.
#[test]
fn ranks_with_signs_are_refused() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let zero = pool.zero();
    for entry in [
        x.abs() - x,
        x.sign() - 1,
        x.max(zero),
        x.if_less(zero, y, zero),
    ] {
        let matrix = vec![vec![entry, zero], vec![zero, y]];
        let found = generic_rank(&matrix, &Assumptions::new());
        assert!(
            matches!(found.verdict, Verdict::Undecided(_)),
            "{entry}: rank {}, {}",
            found.rank,
            found.verdict
        );
        let singular = decide_singular(&matrix, &Assumptions::new());
        assert!(!singular.is_proved(), "{entry}: {singular}");
    }
}
