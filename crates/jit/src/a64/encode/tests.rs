//! The encoder against an independent assembler: `a64.txt` holds what GNU as 2.40 for aarch64 makes of each line.

use super::*;

const NUMBERS: [u8; 6] = [0, 3, 8, 15, 18, 31];

/// Every instruction with various operands: as text, and as the encoder writes it.
fn cases() -> Vec<(String, u32)> {
    let mut list = Vec::new();
    let mut turn = 0;
    let mut next = || {
        turn += 1;
        NUMBERS[turn * turn % NUMBERS.len()]
    };
    let mut three =
        |list: &mut Vec<(String, u32)>, text: &str, word: &dyn Fn(u8, u8, u8) -> u32| {
            for _ in 0..6 {
                let (to, a, b) = (next(), next(), next());
                let text = text
                    .replace("$0", &to.to_string())
                    .replace("$1", &a.to_string())
                    .replace("$2", &b.to_string());
                list.push((text, word(to, a, b)));
            }
        };
    for (name, op) in [("fadd", ADD), ("fsub", SUB), ("fmul", MUL), ("fdiv", DIV)] {
        three(&mut list, &format!("{name} d$0, d$1, d$2"), &|t, a, b| {
            op.single.word(t, a, b)
        });
        let text = format!("{name} v$0.2d, v$1.2d, v$2.2d");
        three(&mut list, &text, &|t, a, b| op.pair.word(t, a, b));
    }
    for (name, op) in [("fneg", NEG), ("fabs", ABS), ("fsqrt", SQRT)] {
        three(&mut list, &format!("{name} d$0, d$1"), &|t, a, _| {
            op.single.word(t, a)
        });
        let text = format!("{name} v$0.2d, v$1.2d");
        three(&mut list, &text, &|t, a, _| op.pair.word(t, a));
    }
    for (text, op) in [
        ("fmla v$0.2d, v$1.2d, v$2.2d", ADD_PRODUCT),
        ("fmls v$0.2d, v$1.2d, v$2.2d", SUB_PRODUCT),
        ("fcmgt v$0.2d, v$1.2d, v$2.2d", GREATER),
        ("bsl v$0.16b, v$1.16b, v$2.16b", SELECT),
        ("zip1 v$0.2d, v$1.2d, v$2.2d", LOW),
        ("zip2 v$0.2d, v$1.2d, v$2.2d", HIGH),
        ("ext v$0.16b, v$1.16b, v$2.16b, #8", MIDDLE),
    ] {
        three(&mut list, text, &|t, a, b| op.word(t, a, b));
    }
    for (text, op) in [
        ("fmov d$0, d$1", COPY),
        ("fcmgt v$0.2d, v$1.2d, #0.0", POSITIVE),
        ("fcmge v$0.2d, v$1.2d, #0.0", NOT_NEGATIVE),
        ("dup v$0.2d, v$1.d[0]", SPREAD),
        ("dup d$0, v$1.d[1]", UPPER),
        ("ins v$0.d[1], v$1.d[1]", INSERT_UPPER),
    ] {
        three(&mut list, text, &|t, a, _| op.word(t, a));
    }
    three(&mut list, "mov v$0.16b, v$1.16b", &|t, a, _| {
        copy_pair(t, a)
    });
    for (name, op) in [
        ("fmadd", Fused::Add),
        ("fmsub", Fused::Sub),
        ("fnmsub", Fused::Reversed),
    ] {
        let text = format!("{name} d$0, d$1, d$2, d7");
        three(&mut list, &text, &|t, a, b| fused(op, t, a, b, 7));
    }
    three(&mut list, "fcmp d$0, d$1", &|a, b, _| compare(a, b));
    three(&mut list, "fcmp d$0, #0.0", &|a, _, _| compare_zero(a));
    for (name, condition) in [
        ("mi", Condition::Less),
        ("ge", Condition::GreaterOrEqual),
        ("gt", Condition::Greater),
    ] {
        let text = format!("fcsel d$0, d$1, d$2, {name}");
        three(&mut list, &text, &|t, a, b| choose(condition, t, a, b));
    }
    // Memory: bases are general registers below 31.
    for (name, load) in [("ldr", true), ("str", false)] {
        for (k, at) in [0, 8, 496, 4088, 32_760].into_iter().enumerate() {
            let (r, base) = (NUMBERS[k], [0, 1, 9, 15, 22][k]);
            list.push((
                format!("{name} d{r}, [x{base}, #{at}]"),
                memory(load, Size::Single, r, base, at),
            ));
            list.push((
                format!("{name} q{r}, [x{base}, #{}]", 2 * at),
                memory(load, Size::Pair, r, base, 2 * at),
            ));
        }
    }
    for (name, load) in [("ldp", true), ("stp", false)] {
        for (k, at) in [0, 16, 496].into_iter().enumerate() {
            let base = [4, 19, SP][k];
            let text = if base == SP {
                "sp".into()
            } else {
                format!("x{base}")
            };
            for (letter, kind) in [("d", Couple::Singles), ("x", Couple::General)] {
                list.push((
                    format!("{name} {letter}8, {letter}19, [{text}, #{at}]"),
                    couple(load, kind, [8, 19], base, at),
                ));
            }
            list.push((
                format!("{name} q8, q19, [{text}, #{}]", 2 * at),
                couple(load, Couple::Pairs, [8, 19], base, 2 * at),
            ));
        }
    }
    list.push(("add x9, x0, #4095".into(), add(9, 0, 4095)));
    list.push(("add x29, sp, #0".into(), add(29, SP, 0)));
    list.push(("add sp, x29, #0".into(), add(SP, 29, 0)));
    list.push(("add x9, x22, #4095, lsl #12".into(), add_pages(9, 22, 4095)));
    list.push(("sub sp, sp, #112".into(), sub(SP, SP, 112)));
    list.push(("sub sp, sp, #1, lsl #12".into(), sub_pages(SP, SP, 1)));
    list.push(("add x21, x21, x16".into(), add_registers(21, 21, 16)));
    list.push(("mov x22, x2".into(), copy_general(22, 2)));
    list.push(("str xzr, [sp]".into(), touch_stack()));
    list.push(("blr x16".into(), call(16)));
    list.push(("ret".into(), RETURN));
    list.push(("brk #0".into(), BREAKPOINT));
    for distance in [0u32, 4, 1234, (1 << 20) - 1] {
        list.push((format!("adr x4, .+{distance}"), address(4, distance)));
    }
    let long = number(16, 0x1234_0000_5678_9abc).collect::<Vec<_>>();
    assert_eq!(long.len(), 3, "parts that are zero take no instruction");
    list.push(("movz x16, #0x9abc".into(), long[0]));
    list.push(("movk x16, #0x5678, lsl #16".into(), long[1]));
    list.push(("movk x16, #0x1234, lsl #48".into(), long[2]));
    assert_eq!(number(4, 0).collect::<Vec<_>>(), [0xd280_0004]);
    let [low, high] = long_number(16, 0x10_0000);
    list.push(("movz x16, #0".into(), low));
    list.push(("movk x16, #0x10, lsl #16".into(), high));
    list
}

#[test]
fn words_are_those_of_the_assembler() {
    let expected = include_str!("a64.txt");
    let lines: Vec<String> = cases()
        .into_iter()
        .map(|(text, word)| format!("{word:08x} {text}"))
        .collect();
    if std::env::var_os("GALILEI_PRINT_CASES").is_some() {
        println!("{}", lines.join("\n"));
    }
    for (got, expected) in lines.iter().zip(expected.lines()) {
        assert_eq!(got, expected);
    }
    assert_eq!(lines.len(), expected.lines().count());
}
