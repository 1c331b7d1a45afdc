//! Functions that machine code calls: one function over many arguments, a few at a time.

use galilei_tape::Function;

use crate::mode::Encoding;

/// The task of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// A function of every argument.
    One(Function),
    /// Sine and cosine, or their hyperbolic cousins, of every argument; named by the first.
    Pair(Function),
}

impl Task {
    /// Whether the function has two arguments.
    pub(crate) fn binary(self) -> bool {
        matches!(self, Self::One(f) if f.binary())
    }
}

/// The signature of a routine: arguments, second arguments, results, results of the pair's second function, number of
/// chunks.
#[cfg(target_arch = "x86_64")]
pub(crate) type Routine =
    unsafe extern "sysv64" fn(*const f64, *const f64, *mut f64, *mut f64, usize);
/// The signature of a routine: arguments, second arguments, results, results of the pair's second function, number of
/// chunks.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Routine = unsafe extern "C" fn(*const f64, *const f64, *mut f64, *mut f64, usize);

/// Applies function `F` (its index in [`Function::ALL`]) to chunks of N numbers.
///
/// # Safety
/// `a`, `result` (and `b`, for functions of two arguments) are valid for `chunks`·N numbers.
#[inline(always)]
unsafe fn each<const F: usize, const N: usize>(
    a: *const f64,
    b: *const f64,
    result: *mut f64,
    chunks: usize,
) {
    let f = const { Function::ALL[F] };
    for k in 0..chunks {
        // SAFETY: chunk k is inside what the caller promises; arrays are aligned like their numbers.
        unsafe {
            let x = a.add(k * N).cast::<[f64; N]>().read();
            let y = if f.binary() {
                b.add(k * N).cast::<[f64; N]>().read()
            } else {
                x
            };
            let value = f.apply(&x, &y);
            result.add(k * N).cast::<[f64; N]>().write(value);
        }
    }
}

/// Applies functions `F` and `G`, which share their work, to chunks of N numbers.
///
/// # Safety
/// `a`, `first` and `second` are valid for `chunks`·N numbers.
#[inline(always)]
unsafe fn both<const F: usize, const G: usize, const N: usize>(
    a: *const f64,
    first: *mut f64,
    second: *mut f64,
    chunks: usize,
) {
    let (f, g) = const { (Function::ALL[F], Function::ALL[G]) };
    for k in 0..chunks {
        // SAFETY: chunk k is inside what the caller promises; arrays are aligned like their numbers.
        unsafe {
            let x = a.add(k * N).cast::<[f64; N]>().read();
            let (u, v) = f
                .apply_pair(&x)
                .unwrap_or_else(|| (f.apply(&x, &x), g.apply(&x, &x)));
            first.add(k * N).cast::<[f64; N]>().write(u);
            second.add(k * N).cast::<[f64; N]>().write(v);
        }
    }
}

/// The routines under one set of processor features.
macro_rules! routines {
    ($module:ident, $convention:literal $(, $features:literal)?) => {
        mod $module {
            use super::{Function, Routine, Task};

            /// # Safety
            /// See [`super::each`]; and the processor has the features.
            $(#[target_feature(enable = $features)])?
            unsafe extern $convention fn one<const F: usize, const N: usize>(
                a: *const f64,
                b: *const f64,
                result: *mut f64,
                _: *mut f64,
                chunks: usize,
            ) {
                // SAFETY: the caller promises the same.
                unsafe { super::each::<F, N>(a, b, result, chunks) }
            }

            /// # Safety
            /// See [`super::both`]; and the processor has the features.
            $(#[target_feature(enable = $features)])?
            unsafe extern $convention fn pair<const F: usize, const G: usize, const N: usize>(
                a: *const f64,
                _: *const f64,
                first: *mut f64,
                second: *mut f64,
                chunks: usize,
            ) {
                // SAFETY: the caller promises the same.
                unsafe { super::both::<F, G, N>(a, first, second, chunks) }
            }

            pub(super) fn choose<const N: usize>(task: Task) -> Routine {
                use Function::*;
                const fn at(f: Function) -> usize {
                    f as usize
                }
                match task {
                    Task::Pair(Sinh) => pair::<{ at(Sinh) }, { at(Cosh) }, N>,
                    Task::Pair(_) => pair::<{ at(Sin) }, { at(Cos) }, N>,
                    Task::One(f) => match f {
                        Sin => one::<{ at(Sin) }, N>,
                        Cos => one::<{ at(Cos) }, N>,
                        Tan => one::<{ at(Tan) }, N>,
                        Exp => one::<{ at(Exp) }, N>,
                        Log => one::<{ at(Log) }, N>,
                        Pow => one::<{ at(Pow) }, N>,
                        Sinh => one::<{ at(Sinh) }, N>,
                        Cosh => one::<{ at(Cosh) }, N>,
                        Tanh => one::<{ at(Tanh) }, N>,
                        Asin => one::<{ at(Asin) }, N>,
                        Acos => one::<{ at(Acos) }, N>,
                        Atan => one::<{ at(Atan) }, N>,
                        Atan2 => one::<{ at(Atan2) }, N>,
                        RoughLog2 => one::<{ at(RoughLog2) }, N>,
                        RoughExp2 => one::<{ at(RoughExp2) }, N>,
                    },
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
routines!(sse, "sysv64");
#[cfg(target_arch = "x86_64")]
routines!(avx2, "sysv64", "avx2,fma");
#[cfg(target_arch = "x86_64")]
routines!(avx512, "sysv64", "avx2,fma,avx512f,avx512vl,avx512dq");
#[cfg(not(target_arch = "x86_64"))]
routines!(plain, "C");

/// The routine for a task in chunks of `width` numbers: 1, 2, 4, or 8. Up to four, AVX-512 adds nothing, and
/// compilers write worse code with it.
#[cfg(target_arch = "x86_64")]
pub(crate) fn routine(task: Task, width: usize, encoding: Encoding) -> Routine {
    match (encoding, width) {
        (Encoding::Sse, 1) => sse::choose::<1>(task),
        (Encoding::Sse, 2) => sse::choose::<2>(task),
        (Encoding::Sse, _) => sse::choose::<4>(task),
        (_, 1) => avx2::choose::<1>(task),
        (_, 2) => avx2::choose::<2>(task),
        (Encoding::Evex, 8) => avx512::choose::<8>(task),
        (_, 8) => avx2::choose::<8>(task),
        _ => avx2::choose::<4>(task),
    }
}

/// The routine for a task in chunks of `width` numbers: 1, 2, 4, or 8.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn routine(task: Task, width: usize, _: Encoding) -> Routine {
    match width {
        1 => plain::choose::<1>(task),
        2 => plain::choose::<2>(task),
        4 => plain::choose::<4>(task),
        _ => plain::choose::<8>(task),
    }
}

/// The best chunk size for `count` numbers of a single state. With AVX2 a pair of sine and cosine takes 8.6 ns alone,
/// 9.9 ns in a chunk of two or four. Eight would first have to be collected in one register, because a load waits for
/// each of several stores that it spans.
pub(crate) fn width_for(count: usize) -> usize {
    match count {
        0..=1 => 1,
        2 => 2,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_stand_at_their_place_in_the_list() {
        for (k, f) in Function::ALL.into_iter().enumerate() {
            assert_eq!(f as usize, k);
        }
    }
}
