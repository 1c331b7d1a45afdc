//! Series by a loop over the orders, ready to be called.

use std::sync::Arc;

use galilei_tape::code::Code;
use galilei_tape::rolled::{Group, Memory, Parts, Rolled, add_order};

use crate::kernel::Kernel;
#[cfg(target_arch = "x86_64")]
use crate::mode::Encoding;

/// A [`Rolled`] ready to be called for one state. Its bits are those of [`Rolled::run`].
#[derive(Clone, Debug)]
pub struct RolledKernel {
    rolled: Arc<Rolled>,
    start: Kernel,
    step: Kernel,
    sums: Sums,
    memory: Memory,
}

/// A form of [`add_order`].
#[derive(Clone, Copy, Debug)]
enum Sums {
    #[cfg(target_arch = "x86_64")]
    Evex,
    #[cfg(target_arch = "x86_64")]
    Vex,
    Plain,
}

impl Sums {
    fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        match () {
            () if Encoding::Evex.detected() => return Self::Evex,
            () if Encoding::Vex.detected() => return Self::Vex,
            () => {}
        }
        Self::Plain
    }
}

/// [`add_order`] by the instructions of AVX-512.
///
/// # Safety
/// The processor has [`Encoding::Evex`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512dq")]
unsafe fn by_avx512(factors: &mut [[Group; 2]], orders: [usize; 2], new: &[f64], sums: &mut [f64]) {
    add_order(factors, orders, new, sums);
}

/// [`add_order`] by the instructions of AVX2.
///
/// # Safety
/// The processor has [`Encoding::Vex`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn by_avx2(factors: &mut [[Group; 2]], orders: [usize; 2], new: &[f64], sums: &mut [f64]) {
    add_order(factors, orders, new, sums);
}

impl RolledKernel {
    /// The codes as machine code, each in the form that a function gives it.
    pub fn new(rolled: Rolled, arranged: impl Fn(&Code) -> Code) -> Self {
        let kernel = |code: &Code| Kernel::new(arranged(code), 1);
        Self {
            start: kernel(&rolled.start),
            step: kernel(&rolled.step),
            sums: Sums::best(),
            memory: rolled.memory(),
            rolled: Arc::new(rolled),
        }
    }

    /// Computes all coefficients, as [`Rolled::run`] does.
    ///
    /// # Panics
    /// If the lengths are not [`Rolled::inputs`] and [`Rolled::output_len`].
    #[inline]
    pub fn call(&mut self, inputs: &[f64], outputs: &mut [f64]) {
        let Self {
            rolled,
            start,
            step,
            sums,
            memory,
        } = self;
        rolled.compute(&mut Native(start, step, *sums), memory, inputs, outputs);
    }
}

/// Kernels as the parts of a series.
struct Native<'a>(&'a mut Kernel, &'a mut Kernel, Sums);

impl Parts for Native<'_> {
    fn start(&mut self, inputs: &[f64], outputs: &mut [f64]) {
        self.0.call(inputs, outputs);
    }

    fn step(&mut self, inputs: &[f64], outputs: &mut [f64]) {
        self.1.call(inputs, outputs);
    }

    fn add_order(
        &mut self,
        factors: &mut [[Group; 2]],
        orders: [usize; 2],
        new: &[f64],
        sums: &mut [f64],
    ) {
        match self.2 {
            // SAFETY: the processor was asked for these instructions.
            #[cfg(target_arch = "x86_64")]
            Sums::Evex => unsafe { by_avx512(factors, orders, new, sums) },
            // SAFETY: the processor was asked for these instructions.
            #[cfg(target_arch = "x86_64")]
            Sums::Vex => unsafe { by_avx2(factors, orders, new, sums) },
            Sums::Plain => add_order(factors, orders, new, sums),
        }
    }
}
