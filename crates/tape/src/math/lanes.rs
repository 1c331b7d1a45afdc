//! A function of one number, over lanes.

use std::hint::black_box;

/// f over the lanes, if every lane is ordinary; else the function for any arguments.
///
/// The loop runs once over the N lanes, but the compiler is not told so, it might be twice: it would
/// otherwise write the lanes out one by one before it looks for vectors, and lose them in long
/// formulas. As it stands, the loop becomes vector code of any length of formula.
#[inline(always)]
pub(super) fn lanes<const N: usize>(
    x: &[f64; N],
    y: &[f64; N],
    f: impl Fn(f64, f64) -> (f64, f64),
    ordinary: impl Fn(f64, f64, f64) -> bool,
    any: fn(f64, f64) -> (f64, f64),
) -> ([f64; N], [f64; N]) {
    let (mut a, mut b) = ([[0.0; N]; 2], [[0.0; N]; 2]);
    if N == 1 {
        (a[0][0], b[0][0]) = f(x[0], y[0]);
    } else {
        let n = N * black_box(1usize).clamp(1, 2);
        let (x, y) = ([*x; 2], [*y; 2]);
        let (x, y) = (&x.as_flattened()[..n], &y.as_flattened()[..n]);
        let a = &mut a.as_flattened_mut()[..n];
        let b = &mut b.as_flattened_mut()[..n];
        for l in 0..n {
            (a[l], b[l]) = f(x[l], y[l]);
        }
    }
    let mut usual = true;
    for l in 0..N {
        usual &= ordinary(x[l], y[l], b[0][l]);
    }
    if usual {
        (a[0], b[0])
    } else {
        // Copies, so that the lanes need not live in memory otherwise.
        let (x, y) = (*x, *y);
        each(&x, &y, any)
    }
}

/// Every lane, by the function for any arguments.
#[cold]
#[inline(never)]
fn each<const N: usize>(
    x: &[f64; N],
    y: &[f64; N],
    any: fn(f64, f64) -> (f64, f64),
) -> ([f64; N], [f64; N]) {
    let (mut a, mut b) = ([0.0; N], [0.0; N]);
    for l in 0..N {
        (a[l], b[l]) = any(x[l], y[l]);
    }
    (a, b)
}
