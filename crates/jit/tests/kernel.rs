//! Kernels: numbers of lanes, independent clones, refusal of wrong lengths and of malformed code.

use galilei_jit::{Encoding, Kernel};
use galilei_tape::code::{Assembler, Code, Instr};

fn product() -> Code {
    let mut a = Assembler::new(2);
    let (x, y) = (a.input(0), a.input(1));
    let p = a.mul(x, y);
    a.finish(vec![p])
}

/// Both ways of running code for one state.
fn both(code: &Code) -> [Kernel; 2] {
    [
        Kernel::new(code.clone(), 1),
        Kernel::interpreted(code.clone(), 1),
    ]
}

#[test]
fn every_number_of_lanes_is_served() {
    let native = |lanes: usize| match lanes {
        1 | 4 => Encoding::Sse.detected() || Encoding::Neon.detected(),
        8 => Encoding::Evex.detected() || Encoding::Neon.detected(),
        2 => Encoding::Neon.detected() || Encoding::Sse.detected() && !Encoding::Vex.detected(),
        _ => false,
    };
    for lanes in 1..=9 {
        let mut kernel = Kernel::new(product(), lanes);
        assert_eq!(kernel.is_native(), native(lanes), "{lanes}");
        assert_eq!(kernel.is_native(), kernel.size() > 0);
        assert!(kernel.encoding().is_none_or(Encoding::detected));
        assert_eq!(kernel.lanes(), lanes);
        assert_eq!(kernel.input_len(), 2 * lanes);
        assert_eq!(kernel.output_len(), lanes);
        assert_eq!(kernel.operations(), 1);
        let inputs: Vec<f64> = (0..2 * lanes).map(|k| k as f64).collect();
        let expected: Vec<f64> = (0..lanes).map(|l| (l * (l + lanes)) as f64).collect();
        assert!(kernel.results().is_empty());
        assert_eq!(kernel.evaluate(&inputs), expected);
        assert_eq!(kernel.results(), expected);
    }
    assert!(native(Kernel::widest()) || Kernel::widest() == 1);
}

/// Code with more intermediate values than the stack takes: clones have memory of their own.
#[test]
fn clones_do_not_share_intermediate_values() {
    let mut a = Assembler::new(1);
    let x = a.input(0);
    let list: Vec<_> = (0..6000)
        .map(|k| {
            let c = a.number(f64::from(k));
            a.push(Instr::Add(x, c))
        })
        .collect();
    let mut sum = x;
    for &v in list.iter().rev() {
        sum = a.push(Instr::Mul(sum, v));
        sum = a.push(Instr::Add(sum, v));
    }
    let code = a.finish(vec![sum]);
    let kernel = Kernel::new(code.clone(), 1);
    std::thread::scope(|scope| {
        for t in 0..4 {
            let (mut own, code) = (kernel.clone(), &code);
            scope.spawn(move || {
                let x = -0.5 / f64::from(1 + t);
                let expected = code.run(&[[x]], &mut Vec::new())[0];
                for _ in 0..50 {
                    assert_eq!(own.evaluate(&[x])[0].to_bits(), expected[0].to_bits());
                }
            });
        }
    });
}

#[test]
fn wrong_lengths_are_refused() {
    for kernel in both(&product()) {
        let refused = |inputs: &[f64], outputs: &mut [f64]| {
            let mut kernel = kernel.clone();
            let call = std::panic::AssertUnwindSafe(|| kernel.call(inputs, outputs));
            let message = std::panic::catch_unwind(call).unwrap_err();
            message.downcast_ref::<String>().cloned().unwrap()
        };
        assert!(refused(&[1.0], &mut [0.0]).contains("number of inputs"));
        assert!(refused(&[1.0, 2.0], &mut []).contains("number of outputs"));
    }
}

/// Code that would read or write where nothing is.
#[test]
fn malformed_code_is_refused() {
    let cases: [fn(&mut Assembler) -> Instr; 6] = [
        |_| Instr::Input(1),
        |_| Instr::Table(3),
        |a| Instr::Lane(a.input(0), 0),
        |a| Instr::Pack([a.input(0), a.input(0), a.input(0), a.table([0.0; 4])]),
        |a| {
            let (t, x) = (a.table([1.0; 4]), a.input(0));
            Instr::Add(t, x)
        },
        |a| {
            let t = a.table([2.0; 4]);
            Instr::Lane(t, 4)
        },
    ];
    if Encoding::ALL.into_iter().all(|e| !e.detected()) {
        return;
    }
    for (k, make) in cases.iter().enumerate() {
        let mut a = Assembler::new(1);
        let i = make(&mut a);
        let v = a.push(i);
        let code = a.finish(vec![v]);
        let refused = std::panic::catch_unwind(|| Kernel::new(code, 1)).unwrap_err();
        let message = refused.downcast_ref::<&str>();
        assert_eq!(message, Some(&"malformed code"), "case {k}");
    }
}

#[test]
fn wide_values_are_for_a_single_lane() {
    let mut a = Assembler::new(0);
    let t = a.table([1.0, 2.0, 3.0, 4.0]);
    let code = a.finish(vec![t]);
    for encoding in Encoding::ALL {
        assert!(Kernel::native(&code, 4, encoding).is_none());
    }
    for mut kernel in both(&code) {
        assert_eq!(kernel.evaluate(&[]), [1.0, 2.0, 3.0, 4.0]);
    }
    let mut lanes = Kernel::new(code, 2);
    let expected = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0];
    assert_eq!(lanes.evaluate(&[]), expected);
}

/// Frames of every size around the largest on the stack, in a thread that has little of it.
#[test]
fn frames_fit_a_small_stack() {
    for live in [400, 4000, 4080, 4090, 4100, 5000] {
        let mut a = Assembler::new(1);
        let mut v = a.input(0);
        let list: Vec<_> = (0..live)
            .map(|_| {
                v = a.push(Instr::Sqrt(v));
                v
            })
            .collect();
        let mut sum = v;
        for &v in list.iter().rev() {
            sum = a.push(Instr::Add(sum, v));
        }
        let code = a.finish(vec![sum]);
        let kernel = Kernel::new(code.clone(), 1);
        let expected = code.run(&[[3.0]], &mut Vec::new())[0][0];
        std::thread::scope(|scope| {
            std::thread::Builder::new()
                .stack_size(96 << 10)
                .spawn_scoped(scope, || {
                    assert_eq!(kernel.clone().evaluate(&[3.0]), [expected]);
                })
                .unwrap();
        });
    }
}

/// The permissions and sizes of all mappings of this process that are no file's.
#[cfg(target_os = "linux")]
fn mappings() -> Vec<(String, u64)> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let fields = maps
        .lines()
        .map(|l| l.split_whitespace().collect::<Vec<_>>());
    let anonymous = fields.filter(|f| f.len() == 5);
    let address = |text: &str| u64::from_str_radix(text, 16).unwrap();
    anonymous
        .map(|f| {
            let (start, end) = f[0].split_once('-').unwrap();
            (f[1].to_owned(), address(end) - address(start))
        })
        .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_never_writable_and_executable_and_is_given_back() {
    // Neighbouring mappings may be listed as one, so bytes are counted, at least a page for each kernel.
    let executable = || -> u64 {
        let list = mappings();
        let with_code = list.iter().filter(|(p, _)| p.contains('x'));
        with_code.map(|(_, size)| size / 4096).sum()
    };
    let mut a = Assembler::new(1);
    let (x, c) = (a.input(0), a.number(0.5));
    let p = a.mul(x, c);
    let code = a.finish(vec![p]);
    let kernels: Vec<_> = (0..500).map(|_| Kernel::new(code.clone(), 1)).collect();
    if !kernels[0].is_native() {
        return;
    }
    assert!(mappings().iter().all(|(p, _)| !p.contains("wx")));
    assert!(executable() >= 500);
    drop(kernels);
    // Those of other tests may be there.
    assert!(executable() < 400);
}

/// Processors without fused products: sums, differences and negated products of numbers of every size, nearly cancelling ones and zeros
/// among them, are rounded once, at every place in a register and with all registers in use.
#[test]
fn fused_products_are_rounded_once_without_the_instruction() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let ordinary = |x: u64| f64::from_bits(x & !(0x7ff << 52) | (1023 + (x >> 52 & 7)) << 52);
    let few = |x: u64| f64::from_bits(x & (0x800f_ffff_f000_0000 << (x % 24)) | 1023 << 52);
    let mut triple = move |k: u64| {
        let (x, y, z) = (next(), next(), next());
        let scale = 2f64.powi((z % 240) as i32 - 120);
        match k % 8 {
            0 => [x, y, z].map(f64::from_bits),
            1 => {
                let (a, b) = (ordinary(x), ordinary(y));
                [
                    a,
                    b,
                    -(a * b) * (1.0 + ((z % 9) as f64 - 4.0) * f64::EPSILON),
                ]
            }
            2 => [few(x), few(y), few(z) * scale],
            3 => [ordinary(x), ordinary(y), ordinary(z) * scale],
            // Products near the smallest and the largest numbers for which the ordinary steps are exact.
            4 => [
                ordinary(x) * 2f64.powi(-530),
                ordinary(y) * 2f64.powi(-520),
                f64::from_bits(z >> 11),
            ],
            5 => [
                ordinary(x) * 2f64.powi(-453 + (x % 7) as i32),
                ordinary(y) * 2f64.powi(-453 + (y % 7) as i32),
                ordinary(z) * 2f64.powi(443 + (z % 14) as i32),
            ],
            // Halves of the last place of the summand, but for less than the last place of the half.
            6 => {
                let off = f64::EPSILON * (x % 5) as f64;
                let sign = [1.0, -1.0][(y % 2) as usize];
                let summand = 2f64.powi(53) + 2.0 * (y >> 40) as f64;
                [
                    1.0 + off,
                    sign * (1.0 - off),
                    [1.0, -1.0][(z % 2) as usize] * summand,
                ]
            }
            _ => {
                let list = [
                    0.0,
                    -0.0,
                    1.0,
                    -1.5,
                    f64::INFINITY,
                    f64::MIN_POSITIVE,
                    f64::NAN,
                ];
                [x, y, z].map(|k| list[(k % 7) as usize])
            }
        }
    };
    let mut a = Assembler::new(3);
    let [x, y, z] = [0, 1, 2].map(|k| a.input(k));
    // Values that live across the products, and their sum.
    let mut live = vec![a.push(Instr::Abs(x))];
    for k in 0..14 {
        live.push(a.push(Instr::Sub(live[k], y)));
    }
    let mut outputs = vec![
        a.push(Instr::Fma(x, y, z)),
        a.push(Instr::Fms(x, y, z)),
        a.push(Instr::Fnma(x, y, z)),
    ];
    outputs.extend(live);
    let code = a.finish(outputs);
    for lanes in [1, 2, 4] {
        let Some(mut kernel) = Kernel::native(&code, lanes, Encoding::Sse) else {
            return;
        };
        for k in 0..60_000 {
            let states: Vec<[f64; 3]> =
                (0..lanes as u64).map(|l| triple(k + l * (k % 3))).collect();
            let inputs: Vec<f64> = (0..3)
                .flat_map(|i| states.iter().map(move |s| s[i]))
                .collect();
            let outputs = kernel.evaluate(&inputs);
            for (l, &[x, y, z]) in states.iter().enumerate() {
                let mut expected = vec![
                    x.mul_add(y, z),
                    x.mul_add(y, -z),
                    (-x).mul_add(y, z),
                    x.abs(),
                ];
                for k in 0..14 {
                    expected.push(expected[3 + k] - y);
                }
                for (i, e) in expected.into_iter().enumerate() {
                    let got = outputs[i * lanes + l];
                    assert!(
                        got.to_bits() == e.to_bits() || got.is_nan() && e.is_nan(),
                        "output {i} of lane {l} of {lanes} at {x:e}, {y:e}, {z:e}: {got:e}, not {e:e}"
                    );
                }
            }
        }
    }
}
