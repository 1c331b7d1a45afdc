//! What every evaluator of code must do, instantiated for each of them.

mod support;

use galilei_jit::Encoding;
use galilei_tape::Function;
use galilei_tape::code::{Assembler, Code, Instr, Value};
use support::random::{self, Dice, SPECIAL, Source};
use support::{Compiled, Evaluator, Interpreter, check};

/// Every instruction of arithmetic on three values.
fn arithmetic(a: Value, b: Value, c: Value) -> Vec<Instr> {
    vec![
        Instr::Add(a, b),
        Instr::Sub(a, b),
        Instr::Least(a, b),
        Instr::Least(b, a),
        Instr::Greatest(a, b),
        Instr::Greatest(b, a),
        Instr::Mul(a, b),
        Instr::Div(a, b),
        Instr::Neg(a),
        Instr::Abs(a),
        Instr::Sqrt(a),
        Instr::Fma(a, b, c),
        Instr::Fnma(a, b, c),
        Instr::Fms(a, b, c),
        Instr::Positive(a, b, c),
        Instr::NotNegative(a, b, c),
    ]
}

/// All triples of special values, lane after lane.
fn triples() -> impl FnMut(usize) -> f64 {
    let mut turn = 0;
    move |i| {
        let n = SPECIAL.len();
        let value = SPECIAL[turn / n.pow(i as u32 % 3) % n];
        if i == 2 {
            turn += 1;
        }
        value
    }
}

fn every_instruction_on_special_values(e: &dyn Evaluator) {
    let mut a = Assembler::new(3);
    let [x, y, z] = [0, 1, 2].map(|k| a.input(k));
    let outputs = arithmetic(x, y, z).into_iter().map(|i| a.push(i)).collect();
    check(e, &a.finish(outputs), SPECIAL.len().pow(3), triples());
}

/// One instruction at a time, so that each finds its operands in memory, with each repeated operand.
fn every_instruction_alone(e: &dyn Evaluator) {
    for pick in 0..27 {
        for k in 0..12 {
            let mut a = Assembler::new(3);
            let list = [0, 1, 2].map(|k| a.input(k));
            let [x, y, z] = [pick % 3, pick / 3 % 3, pick / 9].map(|k| list[k]);
            let r = a.push(arithmetic(x, y, z)[k]);
            check(e, &a.finish(vec![r]), 40, |i| {
                [0.75, -3.0, f64::NAN, 1.5, 2.0, -0.0, 7.0][(pick + k + 3 * i) % 7]
            });
        }
    }
}

/// Fused products whose operands are in registers or memory, die or live on, in every combination.
fn operands_of_fused_products(e: &dyn Evaluator) {
    let dice = &mut Dice(7);
    for case in 0..(1 << 6) * 3 {
        let mut a = Assembler::new(3);
        let inputs = [0, 1, 2].map(|k| a.input(k));
        // Computed values are in registers, inputs in memory.
        let [x, y, z] = [0, 1, 2].map(|k| {
            if case >> k & 1 == 1 {
                a.push(Instr::Sqrt(inputs[k]))
            } else {
                inputs[k]
            }
        });
        let r = a.push(
            [
                Instr::Fma(x, y, z),
                Instr::Fnma(x, y, z),
                Instr::Fms(x, y, z),
            ][case >> 6],
        );
        let mut sum = r;
        for (k, v) in [x, y, z].into_iter().enumerate() {
            if case >> (3 + k) & 1 == 1 {
                sum = a.push(Instr::Add(sum, v));
            }
        }
        check(e, &a.finish(vec![sum]), 2, |_| {
            dice.below(1000) as f64 / 7.0
        });
    }
}

fn wide_values(e: &dyn Evaluator) {
    let mut a = Assembler::new(6);
    let v: Vec<Value> = (0..6).map(|k| a.input(k)).collect();
    let s: Vec<Value> = v.iter().map(|&x| a.push(Instr::Abs(x))).collect();
    let t = a.table([1.0, -0.0, f64::INFINITY, f64::NAN]);
    let row = a.push(Instr::Pack([v[1], v[2], v[3], v[4]]));
    let mixed = a.push(Instr::Pack([s[0], v[1], v[5], s[1]]));
    let computed = a.push(Instr::Pack([s[3], s[2], s[1], s[0]]));
    let spread = a.push(Instr::Pack([s[2]; 4]));
    let spread_input = a.push(Instr::Pack([v[0]; 4]));
    let twice = a.push(Instr::Pack([v[0], v[0], s[1], s[1]]));
    let all = [t, row, mixed, computed, spread, spread_input, twice];
    let mut outputs = all.to_vec();
    for (k, &w) in all.iter().enumerate() {
        let (x, y) = (all[(k + 1) % all.len()], all[(k + 2) % all.len()]);
        for i in arithmetic(w, x, y) {
            let r = a.push(i);
            outputs.push(r);
            outputs.push(a.push(Instr::Lane(r, (outputs.len() % 4) as u8)));
        }
        for l in 0..4 {
            outputs.push(a.push(Instr::Lane(w, l)));
        }
    }
    let code = a.finish(outputs);
    let dice = &mut Dice(3);
    check(e, &code, 300, |_| random::number(dice));
    // Lanes of what only lives in a register.
    for l in 0..4 {
        let mut a = Assembler::new(4);
        let p = [0, 1, 2, 3].map(|k| a.input(k));
        let w = a.push(Instr::Pack(p));
        let w = a.push(Instr::Mul(w, w));
        let one = a.push(Instr::Lane(w, l));
        let sum = a.push(Instr::Add(one, p[0]));
        check(e, &a.finish(vec![sum]), 3, |i| i as f64 + 1.5);
    }
}

fn functions_of_few_and_many_arguments(e: &dyn Evaluator) {
    let dice = &mut Dice(11);
    for f in Function::ALL {
        for count in 1..=11 {
            let mut a = Assembler::new(count + 1);
            let x: Vec<Value> = (0..=count).map(|k| a.input(k)).collect();
            let call = |k: usize| {
                let second = if f.binary() { x[k + 1] } else { x[k] };
                Instr::Call(f, x[k], second)
            };
            let mut results: Vec<Value> = (0..count).map(|k| a.push(call(k))).collect();
            // Also of arguments that were computed.
            let sums: Vec<Value> = (0..count)
                .map(|k| a.push(Instr::Add(x[k], x[k + 1])))
                .collect();
            results.extend(sums.iter().map(|&s| a.push(Instr::Call(f, s, s))));
            check(e, &a.finish(results), 12, |_| random::number(dice));
        }
    }
}

fn functions_that_share_their_work(e: &dyn Evaluator) {
    use Function::{Cos, Cosh, Sin, Sinh};
    let dice = &mut Dice(12);
    for (f, g) in [(Sin, Cos), (Sinh, Cosh)] {
        for case in 0..64 {
            let mut a = Assembler::new(3);
            let x = [0, 1, 2].map(|k| a.input(k));
            let mut list = Vec::new();
            for bit in 0..6 {
                if case >> bit & 1 == 1 {
                    let h = if bit < 3 { f } else { g };
                    list.push(a.push(Instr::Call(h, x[bit % 3], x[bit % 3])));
                }
            }
            // The same again: what is given as second argument does not matter.
            if case % 2 == 1 {
                list.push(a.push(Instr::Call(f, x[0], x[1])));
                list.push(a.push(Instr::Call(f, x[0], x[2])));
                list.extend(x);
            }
            // One that waits for the others, right behind them.
            if let Some(&last) = list.last() {
                list.push(a.push(Instr::Call(f, last, last)));
            }
            let mut sum = x[0];
            for &v in &list {
                sum = a.push(Instr::Add(sum, v));
            }
            list.push(sum);
            check(e, &a.finish(list), 4, |_| random::number(dice));
        }
    }
}

fn values_live_across_calls(e: &dyn Evaluator) {
    let dice = &mut Dice(13);
    for live in [1, 5, 15, 16, 17, 31, 33, 60] {
        let mut a = Assembler::new(4);
        let x = [0, 1, 2, 3].map(|k| a.input(k));
        let before: Vec<Value> = (0..live)
            .map(|k| {
                let c = a.number(k as f64 + 0.25);
                a.push(Instr::Fma(x[k % 4], c, x[(k + 1) % 4]))
            })
            .collect();
        let called: Vec<Value> = before
            .iter()
            .map(|&v| a.push(Instr::Call(Function::Cos, v, v)))
            .collect();
        let outputs = (0..live)
            .map(|k| a.push(Instr::Mul(before[k], called[live - 1 - k])))
            .collect();
        check(e, &a.finish(outputs), 4, |_| random::number(dice));
    }
}

fn outputs_of_every_kind(e: &dyn Evaluator) {
    let mut a = Assembler::new(3);
    let [x, y, unused] = [0, 1, 2].map(|k| a.input(k));
    let c = a.number(0.1);
    let s = a.push(Instr::Add(x, c));
    let f = a.push(Instr::Call(Function::Exp, y, y));
    let p = a.push(Instr::Mul(s, f));
    let code = a.finish(vec![x, c, s, x, s, f, p, f, c, unused, p, s]);
    check(e, &code, 3, |i| i as f64 - 0.7);
    // Tables are outputs too.
    let mut a = Assembler::new(1);
    let x = a.input(0);
    let t = a.table([1.0, 2.0, 3.0, 4.0]);
    check(e, &a.finish(vec![x, t, x, t]), 1, |_| 9.0);
}

fn little_or_nothing(e: &dyn Evaluator) {
    check(e, &Assembler::new(0).finish(vec![]), 1, |_| 0.0);
    check(e, &Assembler::new(5).finish(vec![]), 1, |_| 0.0);
    let mut a = Assembler::new(0);
    let c = a.number(-0.0);
    check(e, &a.finish(vec![c, c]), 1, |_| 0.0);
}

/// Values computed one after another, used in the opposite order.
fn mirror(count: usize, calls: bool) -> Code {
    let mut a = Assembler::new(4);
    let x = [0, 1, 2, 3].map(|k| a.input(k));
    let mut list = Vec::with_capacity(count);
    let mut last = x[0];
    for k in 0..count {
        last = a.push(match k % 3 {
            0 => Instr::Fma(last, x[1], x[k / 3 % 4]),
            1 => Instr::Sub(last, x[2]),
            _ => Instr::Mul(last, x[3]),
        });
        list.push(last);
    }
    if calls {
        last = a.push(Instr::Call(Function::Sin, last, last));
    }
    let mut sum = last;
    for (k, &v) in list.iter().enumerate().rev() {
        sum = a.push(if k % 2 == 0 {
            Instr::Add(sum, v)
        } else {
            Instr::Fnma(x[k % 4], v, sum)
        });
    }
    a.finish(vec![sum])
}

fn hundreds_of_live_values(e: &dyn Evaluator) {
    let dice = &mut Dice(17);
    for count in [14, 15, 16, 17, 18, 30, 31, 32, 33, 34, 64, 100, 300, 800] {
        for calls in [false, true] {
            let code = mirror(count, calls);
            check(e, &code, 2, |_| 0.5 + dice.below(1000) as f64 / 1000.0);
        }
    }
}

fn frames_of_more_than_a_mebibyte(e: &dyn Evaluator) {
    for calls in [false, true] {
        let code = mirror(150_000, calls);
        check(e, &code, 1, |i| [0.9, 0.999, 1e-3, 1.001][i]);
    }
}

/// Many inputs, outputs and constants: displacements of one byte and of four, on either side of zero.
fn displacements_near_and_far(e: &dyn Evaluator) {
    for count in [15, 16, 17, 31, 33, 40, 127, 129, 200, 1500] {
        let mut a = Assembler::new(count);
        let outputs = (0..count)
            .map(|k| {
                let x = a.input(k);
                let y = a.input(count - 1 - k);
                let c = a.number(k as f64 + 0.1);
                let m = a.push(Instr::Neg(x));
                a.push(Instr::Fms(m, c, y))
            })
            .collect();
        check(e, &a.finish(outputs), 1, |i| i as f64);
    }
}

macro_rules! conformance {
    ($($name:ident: $evaluator:expr;)*) => {
        $(conformance!(@ $name, $evaluator,
            every_instruction_on_special_values,
            every_instruction_alone,
            operands_of_fused_products,
            wide_values,
            functions_of_few_and_many_arguments,
            functions_that_share_their_work,
            values_live_across_calls,
            outputs_of_every_kind,
            little_or_nothing,
            hundreds_of_live_values,
            frames_of_more_than_a_mebibyte,
            displacements_near_and_far,
        );)*
    };
    (@ $name:ident, $evaluator:expr, $($test:ident,)*) => {
        mod $name {
            use super::*;
            $(#[test]
            fn $test() {
                super::$test(&$evaluator);
            })*
        }
    };
}

conformance! {
    interpreter: Interpreter::<1>;
    interpreter4: Interpreter::<4>;
    interpreter8: Interpreter::<8>;
    scalar_sse: Compiled(1, Encoding::Sse);
    lanes2_sse: Compiled(2, Encoding::Sse);
    lanes4_sse: Compiled(4, Encoding::Sse);
    scalar_vex: Compiled(1, Encoding::Vex);
    lanes4_vex: Compiled(4, Encoding::Vex);
    scalar_evex: Compiled(1, Encoding::Evex);
    lanes4_evex: Compiled(4, Encoding::Evex);
    lanes8_evex: Compiled(8, Encoding::Evex);
    scalar_neon: Compiled(1, Encoding::Neon);
    lanes2_neon: Compiled(2, Encoding::Neon);
    lanes4_neon: Compiled(4, Encoding::Neon);
    lanes8_neon: Compiled(8, Encoding::Neon);
}
