//! Graphs of a million nodes, the growth of derivatives, and threads.

use std::thread;

use galilei_expr::{Expr, Notation, Pool, Program, Rational};

/// Runs on a stack that any recursion over a million nodes would overflow.
fn on_a_small_stack<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        thread::Builder::new()
            .stack_size(256 * 1024)
            .spawn_scoped(scope, f)
            .expect("a thread")
            .join()
            .expect("no panic")
    })
}

const MILLION: usize = 1_000_000;

/// … cos(sin(x)·z + y)·z + y …: every node uses the one before.
fn nested(pool: &Pool, n: usize) -> Expr<'_> {
    let [x, y, z] = pool.symbols(["x", "y", "z"]);
    (0..n).fold(x, |e, k| match k % 4 {
        0 => e.sin(),
        1 => e * z,
        2 => e + y,
        _ => e.cos(),
    })
}

/// x·(x + 1)·(x + 2)·…
fn product(pool: &Pool, n: usize) -> Expr<'_> {
    let x = pool.symbol("x");
    (1..n as i64).fold(x, |e, k| e * (x + k))
}

/// x + sin(x + 1) + sin(x + 2) + …
fn sum(pool: &Pool, n: usize) -> Expr<'_> {
    let x = pool.symbol("x");
    (1..n as i64 / 2).fold(x, |e, k| e + (x + k).sin())
}

/// All operations on an expression of a million nodes. `growth` is the largest number of nodes
/// that a derivative may have for each node of the expression.
fn everything(make: fn(&Pool, usize) -> Expr<'_>, n: usize, growth: usize) {
    on_a_small_stack(|| {
        let pool = Pool::new();
        let [x, y, z, stranger] = pool.symbols(["x", "y", "z", "stranger"]);
        let e = make(&pool, n);
        let nodes = e.node_count();
        assert!(nodes >= n, "{nodes} nodes");

        let derivative = e.diff(x);
        assert!(
            derivative.node_count() <= growth * nodes,
            "{}",
            derivative.node_count()
        );
        let moved = e.substitute(&[(x, stranger)]);
        assert!(moved.node_count() == nodes && moved.contains(stranger) && !moved.contains(x));
        assert!(e.contains(x) && !e.contains(stranger));

        let printed = pool.print(&[e], Notation::Model);
        let text = printed
            .shared
            .iter()
            .fold(printed.texts[0].len(), |n, s| n + s.1.len());
        assert!(text <= 64 * nodes, "{text} bytes of text");
        assert!(printed.shared.iter().all(|s| s.1.len() <= 100_000));

        let point = [(x, 0.25), (y, 0.5), (z, 0.75)];
        let values = pool.evaluate_f64(&[e, derivative], &point);
        // A product of so many factors is beyond doubles; nothing else is.
        assert!(
            values.iter().all(|v| !v.is_nan()) || values[0].is_infinite(),
            "{values:?}"
        );
    });
}

#[test]
fn a_million_nested_nodes() {
    everything(nested, MILLION, 4);
}

#[test]
fn a_gradient_of_a_million_nodes() {
    on_a_small_stack(|| {
        let pool = Pool::new();
        let e = nested(&pool, MILLION);
        for entry in e.gradient(&pool.symbols(["x", "y", "z"])) {
            assert!(entry.node_count() <= 4 * MILLION, "{}", entry.node_count());
        }
    });
}

#[test]
fn a_product_of_a_million_factors() {
    everything(product, MILLION, 4);
}

#[test]
fn a_sum_of_a_hundred_thousand_terms() {
    everything(sum, 200_000, 4);
}

/// Twice the nodes, twice the work: counted in nodes made, since clocks are noisy.
#[test]
fn work_grows_with_the_graph() {
    let made = |make: fn(&Pool, usize) -> Expr<'_>, n: usize| {
        let pool = Pool::new();
        let e = make(&pool, n);
        let _ = (
            e.diff(pool.symbol("x")),
            e.gradient(&pool.symbols(["x", "y"])),
        );
        pool.len()
    };
    for make in [nested, product, sum] {
        let (one, two) = (made(make, 20_000), made(make, 40_000));
        assert!(two <= one * 21 / 10, "{one} nodes became {two}");
    }
}

/// Which angles describe the links of a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Angles {
    Absolute,
    Relative,
}

/// L(q, u) of n point masses on massless rods under a cart: q₀ the cart, the others angles from
/// the downward vertical. Masses 1 + cos(k)/10 and lengths ½ + sin(2k)/20, to thousandths.
fn chain<'p>(pool: &'p Pool, n: usize, angles: Angles) -> (Expr<'p>, Vec<Expr<'p>>, Vec<Expr<'p>>) {
    let named = |name: &str| -> Vec<Expr<'p>> {
        (0..=n)
            .map(|k| pool.symbol(&format!("{name}{k}")))
            .collect()
    };
    let (q, u) = (named("q"), named("u"));
    let thousandths = |x: f64| Rational::new((x * 1000.0).round() as i64, 1000);
    let gravity = Rational::new(981, 100);
    let mut velocity = [u[0], pool.zero()];
    let mut height = pool.zero();
    let (mut angle, mut rate) = (pool.zero(), pool.zero());
    let mut terms = vec![thousandths(0.75) * velocity[0] * velocity[0]];
    for k in 1..=n {
        let mass = thousandths(1.0 + (k as f64).cos() / 10.0);
        let length = thousandths(0.5 + (2.0 * k as f64).sin() / 20.0);
        (angle, rate) = match angles {
            Angles::Absolute => (q[k], u[k]),
            Angles::Relative => (angle + q[k], rate + u[k]),
        };
        velocity[0] += length.clone() * angle.cos() * rate;
        velocity[1] += length.clone() * angle.sin() * rate;
        height -= length * angle.cos();
        let square = velocity[0] * velocity[0] + velocity[1] * velocity[1];
        terms.push((&mass * &Rational::new(1, 2)) * square - (&mass * &gravity) * height);
    }
    (pool.sum(terms), q, u)
}

/// Nodes of L, of its gradient, of its Hessian in the velocities, of the mixed second derivatives,
/// and of the pool with all of them.
fn counts(n: usize, angles: Angles) -> ([usize; 5], f64) {
    let pool = Pool::new();
    let (l, q, u) = chain(&pool, n, angles);
    let all: Vec<Expr<'_>> = q.iter().chain(&u).copied().collect();
    let size = |outputs: &[Expr<'_>]| Program::new(outputs, &all).map_or(0, |p| p.len());
    let gradient = l.gradient(&all);
    let hessian = l.hessian(&u).concat();
    let mixed = pool.jacobian(&gradient[n + 1..], &q).concat();
    let list = [
        l.node_count(),
        size(&gradient),
        size(&hessian),
        size(&mixed),
        pool.len(),
    ];
    (list, pool.bytes() as f64 / pool.len() as f64)
}

/// n; L, gradient, Hessian, mixed derivatives, pool.
const ABSOLUTE: [(usize, [usize; 5]); 5] = [
    (2, [22, 39, 18, 32, 197]),
    (4, [43, 72, 47, 87, 517]),
    (8, [85, 138, 141, 269, 1500]),
    (16, [171, 269, 473, 920, 4852]),
    (32, [340, 532, 1713, 3375, 16962]),
];
const RELATIVE: [(usize, [usize; 5]); 5] = [
    (2, [24, 41, 23, 37, 195]),
    (4, [49, 79, 69, 124, 524]),
    (8, [99, 153, 219, 432, 1562]),
    (16, [201, 306, 780, 1504, 4864]),
    (32, [402, 609, 2954, 5611, 16497]),
];

/// A change of these numbers is a change of the constructors or of the derivatives, and should be
/// intended.
#[test]
fn derivatives_of_a_chain_keep_their_size() {
    for (angles, table) in [(Angles::Absolute, ABSOLUTE), (Angles::Relative, RELATIVE)] {
        let found = table.map(|(n, _)| (n, counts(n, angles).0));
        assert_eq!(found, table, "{angles:?}");
    }
}

#[test]
fn a_node_takes_at_most_64_bytes() {
    for angles in [Angles::Absolute, Angles::Relative] {
        let heavy: Vec<(usize, f64)> = (2..=32)
            .map(|n| (n, counts(n, angles).1))
            .filter(|(_, bytes)| *bytes > 64.0)
            .collect();
        assert!(
            heavy.is_empty(),
            "links and bytes for each node, {angles:?}: {heavy:.1?}"
        );
    }
}

/// Threads that build the same expressions at the same time, each in an order of its own, end
/// with the same handles.
#[test]
fn threads_share_a_pool() {
    let pool = Pool::new();
    let pool = &pool;
    let build = |k: usize, j: usize| -> Expr<'_> {
        let x = pool.symbol(&format!("x{}", j % 7));
        let y = pool.symbol(&format!("y{}", j % 5));
        let e = (x * y + j as i64).sin() * (x.pow(2) - y).sqrt() + pool.function("f").at([x, y]);
        // Derivatives and substitutions in between, in an order that depends on the thread.
        if (j + k).is_multiple_of(3) {
            let _ = e.diff(x).to_string();
        }
        e.diff(y).substitute(&[(x, y + 1)]) / (e + 1)
    };
    let lists: Vec<Vec<Expr<'_>>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|k| {
                scope.spawn(move || {
                    let n = 400;
                    let mut list: Vec<(usize, Expr<'_>)> = (0..n)
                        .map(|i| (i * 37 + k * 91) % n)
                        .map(|j| (j, build(k, j)))
                        .collect();
                    list.sort_by_key(|&(j, _)| j);
                    list.into_iter().map(|(_, e)| e).collect()
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|t| t.join().expect("no panic"))
            .collect()
    });
    let alone: Vec<Expr<'_>> = (0..400).map(|j| build(0, j)).collect();
    assert!(lists.iter().all(|list| *list == alone));
    let fresh = Pool::new();
    let _ = fresh.symbol("unrelated");
    assert!(alone.iter().all(|e| e.pool().expr(e.id()) == *e));
}

/// Exponents so large that products of them are not written out: gradients are expressions all the same.
#[test]
fn gradients_of_huge_powers() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let n = pool.number("1e9999".parse::<Rational>().unwrap());
    let power = (x.pow(n) + y.pow(2)) / 3;
    for first in power.gradient(&[x, y]) {
        for (k, second) in first.gradient(&[x, y]).into_iter().enumerate() {
            let forward = first.diff([x, y][k]);
            let lengths = [second, forward].map(|e| e.to_string().len());
            assert!(lengths[0].abs_diff(lengths[1]) < 10, "{lengths:?}");
            assert_eq!(second.contains(x), forward.contains(x));
        }
    }
}
