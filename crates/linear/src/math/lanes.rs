//! A function of one number, over lanes.

use std::hint::black_box;

/// f over the lanes, if every lane is ordinary, which may depend on the second result; else the
/// function for any arguments.
#[inline(always)]
pub(super) fn lanes<const N: usize>(
    x: &[f64; N],
    y: &[f64; N],
    f: impl Fn(f64, f64) -> (f64, f64),
    ordinary: impl Fn(f64, f64, f64) -> bool,
    any: impl Fn(f64, f64) -> (f64, f64),
) -> ([f64; N], [f64; N]) {
    let (a, b) = if N == 2 {
        // Two copies, so that the loop has four lanes.
        repeated::<N, 4>(x, y, 2, f)
    } else if N.is_multiple_of(4) {
        repeated::<N, 2>(x, y, 1, f)
    } else {
        let (mut a, mut b) = ([0.0; N], [0.0; N]);
        for l in 0..N {
            (a[l], b[l]) = f(x[l], y[l]);
        }
        (a, b)
    };
    let mut usual = true;
    for l in 0..N {
        usual &= ordinary(x[l], y[l], b[l]);
    }
    if usual {
        (a, b)
    } else {
        // Copies, so that the lanes need not be kept in memory.
        let (x, y) = (*x, *y);
        each(&x, &y, any)
    }
}

/// Applies f to `copies` copies of the lanes.
///
/// The compiler does not know the exact length of the loop, which might be twice as large. Otherwise it would unroll
/// the lanes one by one before it vectorises, and then fail to vectorise long formulas. In this form the loop becomes
/// vectors, whatever the length of the formula.
#[inline(always)]
fn repeated<const N: usize, const M: usize>(
    x: &[f64; N],
    y: &[f64; N],
    copies: usize,
    f: impl Fn(f64, f64) -> (f64, f64),
) -> ([f64; N], [f64; N]) {
    let n = N * copies * black_box(1usize).clamp(1, 2);
    let (mut a, mut b) = ([[0.0; N]; M], [[0.0; N]; M]);
    {
        let (x, y) = ([*x; M], [*y; M]);
        let (x, y) = (&x.as_flattened()[..n], &y.as_flattened()[..n]);
        let a = &mut a.as_flattened_mut()[..n];
        let b = &mut b.as_flattened_mut()[..n];
        for l in 0..n {
            (a[l], b[l]) = f(x[l], y[l]);
        }
    }
    (a[0], b[0])
}

/// Every lane, by the function for any arguments.
#[cold]
#[inline(never)]
fn each<const N: usize>(
    x: &[f64; N],
    y: &[f64; N],
    any: impl Fn(f64, f64) -> (f64, f64),
) -> ([f64; N], [f64; N]) {
    let (mut a, mut b) = ([0.0; N], [0.0; N]);
    for l in 0..N {
        (a[l], b[l]) = any(x[l], y[l]);
    }
    (a, b)
}
