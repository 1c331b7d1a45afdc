//! Wrong models from dice: never a panic, never a hang, never memory without bound.
//!
//! `GALILEI_RANDOM_SECONDS` runs longer, `GALILEI_RANDOM_SEED` starts elsewhere. The model at hand is
//! kept in the temporary folder of the build, should everything else be lost.

use std::time::{Duration, Instant};

use galilei_model::{Code, Settings, Severity, read};

#[path = "random/mutate.rs"]
mod mutate;
use mutate::{Dice, MODELS, draw};

fn setting(name: &str, otherwise: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.and_then(|s| s.parse().ok()).unwrap_or(otherwise)
}

/// The largest amount of memory so far, where the system says.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:"));
    line.and_then(|l| l.split_whitespace().nth(1)?.parse().ok())
        .unwrap_or(0)
}

/// Reads a text and asks everything of what comes out. Whether it was a model.
fn try_out(text: &str) -> bool {
    let outcome = read(text, &Settings::default());
    for d in &outcome.diagnostics {
        assert!(!d.message.is_empty());
        if let Some(s) = d.span {
            assert!(s.start <= s.end && s.end as usize <= text.len(), "{d:?}");
            assert!(text.is_char_boundary(s.start as usize), "{d:?}");
            assert!(text.is_char_boundary(s.end as usize), "{d:?}");
        }
        d.render("model", text);
    }
    let errors = outcome
        .diagnostics
        .iter()
        .any(|d| d.severity == Severity::Error);
    let Some(model) = outcome.model else {
        assert!(errors, "a refusal says why");
        return false;
    };
    assert!(!errors, "a model with errors");
    if model
        .validate()
        .iter()
        .all(|d| d.severity == Severity::Warning)
    {
        let check = galilei_check::check(&model);
        assert_eq!(check.dimension, model.degrees_of_freedom());
        let _ = model.initial_state().and_then(|s| model.evaluate(&s));
    }
    true
}

#[test]
fn the_models_are_right() {
    for text in MODELS {
        // One line of the second is wrong on purpose: dice take statements from there too.
        assert!(try_out(&text.replace("\nset\n", "\n")), "{text}");
    }
}

#[test]
fn wrong_models() {
    let kept = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("random.gal");
    let until = Instant::now() + Duration::from_secs(setting("GALILEI_RANDOM_SECONDS", 4));
    let first = setting("GALILEI_RANDOM_SEED", 1);
    let (mut tried, mut models) = (0, 0);
    for seed in first.. {
        if Instant::now() > until
            || (tried >= 1 && std::env::var_os("GALILEI_RANDOM_ONCE").is_some())
        {
            break;
        }
        let text = draw(&mut Dice::new(seed));
        let _ = std::fs::write(&kept, &text);
        let start = Instant::now();
        let result = std::panic::catch_unwind(|| try_out(&text));
        let Ok(is_model) = result else {
            panic!("seed {seed}:\n{text}");
        };
        assert!(
            start.elapsed().as_secs() < 120,
            "seed {seed}: {:?}\n{text}",
            start.elapsed()
        );
        assert!(memory() < 3 << 20, "seed {seed}: {} kB\n{text}", memory());
        if std::env::var_os("GALILEI_RANDOM_SLOW").is_some() && start.elapsed().as_millis() > 500 {
            let name: String = text.chars().take(300).collect();
            eprintln!("seed {seed}: {:?}: {name}", start.elapsed());
        }
        tried += 1;
        models += usize::from(is_model);
    }
    eprintln!("{tried} texts, {models} models");
    assert!(models > 0 || tried < 100, "the dice are loaded");
}

/// Small texts that ask for a lot of work: an answer or a limit, soon.
#[test]
fn much_from_little() {
    let free = "coord x\nkinetic: x'^2/2\n";
    let chain = |n: usize, step: &str| {
        let line = |k: usize| format!("let a{} = {}\n", k + 1, step.replace("{}", &k.to_string()));
        let lets: String = (0..n).map(line).collect();
        format!("{free}let a0 = x\n{lets}potential: a{n}\n")
    };
    let cases: Vec<(String, Option<&str>)> = vec![
        (format!("{free}potential: x^(10^9)\n"), None),
        (
            format!("{free}potential: (x + 1)^(10^9) + 2^(10^9)*x\n"),
            None,
        ),
        (format!("{free}potential: x^(10^(10^(10^10)))\n"), None),
        (format!("{free}potential: x*(1e9999)^9999\n"), None),
        (chain(60, "a{} + a{}*sin(a{})"), None),
        (chain(200, "a{} + a{}*x"), None),
        (chain(12, "(a{} + 1)^9"), None),
        (chain(40, "sqrt(1 + a{}^2) + a{}"), None),
        (chain(300, "sin(a{})"), None),
        (
            chain(20, "a{}*sin(a{})").replace("potential: a20", "kinetic: D(a20)^2"),
            None,
        ),
        (
            format!("{free}potential: sum(i in 1..10000: sum(j in 1..10000: i*j*x))\n"),
            Some("model_too_large"),
        ),
        (
            format!("{free}potential: product(k in 1..10000: x - k)\n"),
            Some("model_too_large"),
        ),
        (
            format!("{free}potential: sum(k in 1..10^9: x)\n"),
            Some("family_too_large"),
        ),
        (
            format!("{free}for i in 1..9999 {{ for j in 1..9999 {{ output: x }} }}\n"),
            Some("model_too_large"),
        ),
        (
            "let f0(s) = s + 1\n".to_owned()
                + &(0..40)
                    .map(|k| format!("let f{}(s) = f{k}(f{k}(s))\n", k + 1))
                    .collect::<String>()
                + free
                + "potential: f40(x)\n",
            Some("model_too_large"),
        ),
        (
            format!("let f(s) = g(s)\nlet g(s) = f(s)\n{free}potential: f(x)\n"),
            Some("self_reference"),
        ),
        (
            (0..11_000)
                .rev()
                .map(|k| format!("let a{} = ((((((((a{k} + 1))))))))\n", k + 1))
                .collect::<String>()
                + "let a0 = x\n"
                + free
                + "potential: a11000\n",
            Some("nesting_too_deep"),
        ),
        (
            (0..40_000)
                .map(|k| format!("let a{k} = b{k}\n"))
                .collect::<String>(),
            Some("too_many_errors"),
        ),
        (
            format!("{free}potential: ({}x)\n", "\n#\n".repeat(200_000)),
            None,
        ),
        ("\"".repeat(1 << 20), Some("expected_statement")),
        ("@".repeat(1 << 20), Some("too_many_errors")),
    ];
    for (text, code) in cases {
        let name: String = text.chars().take(200).collect();
        let start = Instant::now();
        let outcome = read(&text, &Settings::default());
        match code {
            Some(code) => assert!(
                outcome.diagnostics.iter().any(|d| d.code.as_str() == code),
                "{name}: {:?}",
                outcome.diagnostics.first()
            ),
            None => {
                let model = outcome
                    .model
                    .unwrap_or_else(|| panic!("{name}: {:?}", outcome.diagnostics.first()));
                galilei_check::check(&model);
            }
        }
        assert!(
            start.elapsed().as_secs() < 120,
            "{name}: {:?}",
            start.elapsed()
        );
        assert!(memory() < 3 << 20, "{name}: {} kB", memory());
    }
}

/// Very large models are checked in part, and that is said.
#[test]
fn large_models_are_checked_in_part() {
    let text = "const n = 400\ncoord q[1..n]\nkinetic: sum(k in 1..n: q[k]'^2)/2\npotential: sum(k in 2..n: (q[k] - q[k-1])^2)/2\n";
    let model = read(text, &Settings::default()).model.unwrap();
    let start = Instant::now();
    let check = galilei_check::check(&model);
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
    assert_eq!(check.ok, None);
    assert!(
        check
            .diagnostics
            .iter()
            .any(|d| d.code == Code::CheckInPart && d.severity == Severity::Warning)
    );
    let postulate = check.findings.iter().find(|f| f.theorem == "T-47").unwrap();
    assert_eq!(postulate.status.word(), "undecided");
    assert!(
        postulate
            .detail
            .contains("longer than their budget of 10 s")
    );
    let hamilton = check.findings.iter().find(|f| f.theorem == "T-65").unwrap();
    assert_eq!(hamilton.status.word(), "undecided");
    let small = Settings {
        set: vec!["n=4".into()],
        title: String::new(),
    };
    let model = read(text, &small).model.unwrap();
    let check = galilei_check::check(&model);
    assert!(check.diagnostics.is_empty());
    let postulate = check.findings.iter().find(|f| f.theorem == "T-47").unwrap();
    assert_eq!(postulate.status.word(), "proved");
}
