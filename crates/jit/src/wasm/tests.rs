//! Modules in an interpreter of WebAssembly that does not share our code, against the interpreter of code.

use galilei_tape::Function;
use galilei_tape::code::{Assembler, Code, Instr};
use wasmi::{Caller, Engine, Func, Linker, Memory, MemoryType, Module, Store};

use super::emit;
use crate::mode::Mode;
use crate::testing::random::{Dice, Source, number};
use crate::testing::{compare, framed_codes, random_codes};

/// The place of the workspace in memory; inputs and outputs follow.
const WORKSPACE: usize = 64;
const _: () = assert!(WORKSPACE + super::WORKSPACE_BYTES <= INPUTS);
const INPUTS: usize = 128;

/// How often the imported functions were called: fma, call, pair.
type Calls = [usize; 3];

fn run(code: &Code, inputs: &[f64], outputs: usize) -> (Vec<f64>, Calls) {
    let engine = Engine::default();
    let module = Module::new(&engine, &emit(code).unwrap()[..]).unwrap();
    let mut store = Store::new(&engine, [0; 3]);
    let end = INPUTS + 8 * (inputs.len() + outputs + 8);
    let pages = (end >> 16) as u32 + 1;
    let memory = Memory::new(&mut store, MemoryType::new(pages, None)).unwrap();
    let fma = Func::wrap(
        &mut store,
        |mut c: Caller<'_, Calls>, x: f64, y: f64, z: f64| {
            c.data_mut()[0] += 1;
            x.mul_add(y, z)
        },
    );
    let call = Func::wrap(
        &mut store,
        |mut c: Caller<'_, Calls>, f: i32, a: f64, b: f64| {
            c.data_mut()[1] += 1;
            Function::ALL[f as usize].apply(&[a], &[b])[0]
        },
    );
    let pair = Func::wrap(
        &mut store,
        move |mut c: Caller<'_, Calls>, f: i32, a: f64, place: i32| {
            c.data_mut()[2] += 1;
            let first = Function::ALL[f as usize];
            let second = match first {
                Function::Sin => Function::Cos,
                Function::Cos => Function::Sin,
                Function::Sinh => Function::Cosh,
                _ => Function::Sinh,
            };
            for (k, f) in [first, second].into_iter().enumerate() {
                let value = f.at(a).to_le_bytes();
                memory
                    .write(&mut c, place as usize + 8 * k, &value)
                    .unwrap();
            }
        },
    );
    let mut linker = Linker::new(&engine);
    linker.define("galilei", "memory", memory).unwrap();
    linker.define("galilei", "fma", fma).unwrap();
    linker.define("galilei", "call", call).unwrap();
    linker.define("galilei", "pair", pair).unwrap();
    let instance = linker.instantiate_and_start(&mut store, &module).unwrap();
    let function = instance
        .get_typed_func::<(i32, i32, i32), ()>(&store, "run")
        .unwrap();
    for (k, x) in inputs.iter().enumerate() {
        memory
            .write(&mut store, INPUTS + 8 * k, &x.to_le_bytes())
            .unwrap();
    }
    let results = INPUTS + 8 * inputs.len();
    let guard = 123.25_f64.to_le_bytes();
    memory
        .write(&mut store, results + 8 * outputs, &guard)
        .unwrap();
    let places = (INPUTS as i32, results as i32, WORKSPACE as i32);
    function.call(&mut store, places).unwrap();
    let read = |at: usize| {
        let mut bytes = [0; 8];
        memory.read(&store, at, &mut bytes).unwrap();
        f64::from_le_bytes(bytes)
    };
    let list = (0..outputs).map(|k| read(results + 8 * k)).collect();
    assert_eq!(
        read(results + 8 * outputs),
        123.25,
        "wrote past the outputs"
    );
    (list, *store.data())
}

fn check(code: &Code, dice: &mut Dice) -> Calls {
    let mut calls = [0; 3];
    compare(code, Mode::Scalar, dice, |inputs, count| {
        let (outputs, made) = run(code, inputs, count);
        calls = made;
        outputs
    });
    calls
}

#[test]
fn random_code() {
    let mut sum = [0; 3];
    for (code, mut dice) in random_codes(0x0a50, 1500) {
        let calls = check(&code, &mut dice);
        for (sum, calls) in sum.iter_mut().zip(calls) {
            *sum += calls;
        }
    }
    assert!(sum.iter().all(|n| *n > 20), "{sum:?}");
}

#[test]
fn many_values() {
    for (k, code) in framed_codes().enumerate() {
        check(&code, &mut Dice(k as u64));
    }
}

#[test]
fn fused_products_round_once() {
    let mut a = Assembler::new(3);
    let (x, y, z) = (a.input(0), a.input(1), a.input(2));
    let products = [
        Instr::Fma(x, y, z),
        Instr::Fnma(x, y, z),
        Instr::Fms(x, y, z),
    ];
    let products: Vec<_> = products.into_iter().map(|i| a.push(i)).collect();
    let code = a.finish(products);
    let mut dice = Dice(7);
    for k in 0..20_000 {
        let (x, y) = (number(&mut dice), number(&mut dice));
        // A summand near the product, or of any size.
        let z = match k % 3 {
            0 => number(&mut dice),
            1 => -(x * y) * (1.0 + (k % 7) as f64 * f64::EPSILON),
            _ => x * y * 2f64.powi(k % 110 - 55) * (1.0 + dice.below(1 << 20) as f64 / 1e6),
        };
        if k % 20 != 0 && k > 400 {
            // Modules are made anew for each state; the function is the same.
            continue;
        }
        let (outputs, _) = run(&code, &[x, y, z], 3);
        let expected = [x.mul_add(y, z), (-x).mul_add(y, z), x.mul_add(y, -z)];
        for (own, expected) in outputs.iter().zip(expected) {
            let same = own.to_bits() == expected.to_bits() || own.is_nan() && expected.is_nan();
            assert!(same, "{x:e}·{y:e} + {z:e}: {own:e} for {expected:e}");
        }
    }
}
