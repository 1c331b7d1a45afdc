//! Source files of a driven oscillator, m·a = −k·sin x + cos t, against the formula.

use std::process::Command;

use galilei_export::source::{Equations, Language};
use galilei_expr::{Expr, Pool};
use galilei_tape::Builder;
use galilei_tape::code::Code;

/// Code for expressions of inputs.
fn code(inputs: &[Expr<'_>], outputs: &[Expr<'_>]) -> Code {
    let mut builder = Builder::new(inputs);
    let outputs = outputs.iter().map(|e| builder.expr(*e).expect("numbers"));
    let outputs: Vec<_> = outputs.collect();
    builder.finish(outputs.clone()).code(&outputs)
}

fn oscillator(title: &str) -> Equations {
    let pool = Pool::new();
    let [t, x, u, m, k, a] = pool.symbols(["t", "x", "u", "m", "k", "a"]);
    let known = [t, x, u, m, k];
    let force = t.cos() - k * x.sin();
    let energy = m * u.pow(2) / 2 - k * x.cos();
    // The defect m·a − force, by t, x, u.
    let slopes = [m, t.sin(), k * x.cos(), pool.number(0)];
    Equations {
        title: title.to_owned(),
        coordinates: vec![("x".into(), Some("rad".into()))],
        parameters: vec![
            ("m".into(), 2.0, Some("kg".into())),
            ("k".into(), 4.0, None),
        ],
        constraints: vec![],
        system: code(&known, &[m, force]),
        mass: Some(code(&known, &[m])),
        energy: code(&known, &[energy]),
        hamilton: None,
        outputs: None,
        signals: None,
        slopes: Some(code(&[t, x, u, m, k, a], &slopes)),
    }
}

#[test]
fn python_computes_what_the_formula_says() {
    let source = oscillator("Oscillator")
        .source(Language::Python)
        .expect("a short file");
    let script = format!(
        "{source}\n\
         print(accelerations(0.5, [0.25], [3.0])[0][0], energy(0.5, [0.25], [3.0]),\n\
         *jacobian(0.5, [0.25], [3.0])[0], accelerations(0.5, [0.25], [3.0], [1.0, 0.0])[0][0])\n"
    );
    let Ok(out) = Command::new("python3").args(["-c", &script]).output() else {
        eprintln!("python3 is not on this machine: nothing is tested with it");
        return;
    };
    let text = String::from_utf8_lossy(&out.stdout);
    let found = text
        .split_whitespace()
        .map(|w| w.parse().expect("a number"));
    let found: Vec<f64> = found.collect();
    let (t, x) = (0.5_f64, 0.25_f64);
    let wanted = [
        (t.cos() - 4.0 * x.sin()) / 2.0,
        9.0 - 4.0 * x.cos(),
        -t.sin() / 2.0,
        -4.0 * x.cos() / 2.0,
        0.0,
        t.cos(),
    ];
    assert_eq!(
        found.len(),
        wanted.len(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    for (f, w) in found.iter().zip(wanted) {
        assert!((f - w).abs() <= 1e-15 * w.abs().max(1.0), "{f} {w}");
    }
}

/// A title cannot end the comment it is in, nor fill a place of the template.
#[test]
fn titles_stay_in_their_comment() {
    for language in Language::ALL {
        let source = oscillator("@SYSTEM@ \\\u{7}\n import os");
        let source = source.source(language).expect("a short file");
        let line = source.lines().find(|l| l.contains("@SYSTEM@ "));
        let line = line.expect("the title");
        assert!(line.ends_with("@SYSTEM@  import os: equations of motion."));
        assert!(line.starts_with(['#', '/']), "{line}");
    }
}

#[test]
fn languages_are_named_once() {
    for language in Language::ALL {
        assert_eq!(language.to_string().parse(), Ok(language));
    }
    let unknown = "cobol".parse::<Language>().expect_err("no language");
    assert_eq!(unknown.to_string(), "there is no export to `cobol`");
    assert_eq!(
        unknown.hint(),
        "there are rust, c, python, julia, jax, casadi, pytorch, fmu and fmu2"
    );
}
