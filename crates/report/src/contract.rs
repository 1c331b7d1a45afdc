//! The documents of the contract: what `check`, `eval`, `decide` print with `--json`.

use galilei_check::Check;
use galilei_expr::{Decision, Verdict};
use galilei_model::{Diagnostic, Evaluation, Lines};

use crate::json::Json;

/// `{ "code", "message", "hint", "line", "column", "end_line", "end_column" }`
pub fn diagnostic(d: &Diagnostic, source: &str) -> Json {
    let lines = Lines::new(source);
    let place = d.span.map(|s| (lines.place(s.start), lines.place(s.end)));
    let number = |n: Option<usize>| Json::maybe(n, |n| Json::Integer(n as i64));
    Json::object([
        ("code", Json::text(d.code.as_str())),
        ("message", Json::text(&d.message)),
        ("hint", Json::text(&d.hint)),
        ("line", number(place.map(|p| p.0.0))),
        ("column", number(place.map(|p| p.0.1))),
        ("end_line", number(place.map(|p| p.1.0))),
        ("end_column", number(place.map(|p| p.1.1))),
    ])
}

/// `{ "ok": false, "errors": [ … ] }`, with the warnings if there are any.
pub fn refusal(diagnostics: &[Diagnostic], source: &str) -> Json {
    let list = |errors: bool| {
        let some = diagnostics.iter().filter(|d| d.is_error() == errors);
        Json::List(some.map(|d| diagnostic(d, source)).collect())
    };
    let mut entries = vec![
        ("ok".to_owned(), Json::Bool(false)),
        ("errors".into(), list(true)),
    ];
    if diagnostics.iter().any(|d| !d.is_error()) {
        entries.push(("warnings".into(), list(false)));
    }
    Json::Object(entries)
}

/// An answer with the warnings added.
pub fn with_warnings(answer: Json, diagnostics: &[Diagnostic], source: &str) -> Json {
    let warnings: Vec<Json> = diagnostics
        .iter()
        .filter(|d| !d.is_error())
        .map(|d| diagnostic(d, source))
        .collect();
    match answer {
        Json::Object(mut entries) if !warnings.is_empty() => {
            entries.push(("warnings".into(), Json::List(warnings)));
            Json::Object(entries)
        }
        other => other,
    }
}

/// An answer that always has a list of warnings, empty where there are none.
pub fn with_all_warnings(answer: Json, diagnostics: &[Diagnostic], source: &str) -> Json {
    match with_warnings(answer, diagnostics, source) {
        Json::Object(mut entries) if entries.iter().all(|e| e.0 != "warnings") => {
            entries.push(("warnings".into(), Json::List(vec![])));
            Json::Object(entries)
        }
        other => other,
    }
}

/// `eval --json`
pub fn evaluation(title: &str, e: &Evaluation) -> Json {
    Json::object([
        ("system", Json::text(title)),
        ("time", Json::Number(e.time)),
        ("coordinates", Json::texts(e.coordinates.clone())),
        ("position", Json::numbers(&e.position)),
        ("velocity", Json::numbers(&e.velocity)),
        (
            "mass_matrix",
            Json::List(e.mass_matrix.iter().map(|r| Json::numbers(r)).collect()),
        ),
        (
            "reference_field",
            Json::maybe(e.reference_field.as_ref(), |r| Json::numbers(r)),
        ),
        (
            "kinetic_energy",
            Json::maybe(e.kinetic_energy, Json::Number),
        ),
        (
            "potential_energy",
            Json::maybe(e.potential_energy, Json::Number),
        ),
        ("lagrangian", Json::Number(e.lagrangian)),
        ("hamiltonian", Json::Number(e.hamiltonian)),
        ("momentum", Json::numbers(&e.momentum)),
        ("force", Json::numbers(&e.force)),
        ("acceleration", Json::numbers(&e.acceleration)),
        ("momentum_rate", Json::numbers(&e.momentum_rate)),
        ("energy_rate", Json::Number(e.energy_rate)),
        (
            "constraints",
            Json::maybe(e.constraints.as_ref(), |c| {
                Json::object([
                    ("names", Json::texts(c.names.clone())),
                    ("residual", Json::numbers(&c.residual)),
                    ("multipliers", Json::numbers(&c.multipliers)),
                    ("reaction", Json::numbers(&c.reaction)),
                ])
            }),
        ),
    ])
}

/// `check --json`
pub fn check(title: &str, c: &Check<'_>) -> Json {
    let findings = c.findings.iter().map(|f| {
        let detail = match f.bound().and_then(galilei_expr::Bound::exponent) {
            Some(k) => format!("{}; error below 2^{k}", f.detail),
            None => f.detail.clone(),
        };
        Json::object([
            ("name", Json::text(&f.name)),
            ("theorem", Json::text(f.theorem)),
            ("status", Json::text(f.status.word())),
            ("detail", Json::text(detail)),
            ("witness", Json::maybe(f.witness(), Json::text)),
            ("generic", Json::Bool(f.generic)),
            ("except", Json::maybe(f.except.as_ref(), Json::text)),
            (
                "sheets",
                Json::maybe(f.sheets.as_ref(), |s| Json::texts(s.iter().cloned())),
            ),
        ])
    });
    let forces = c.forces.iter().map(|f| {
        Json::object([
            ("name", Json::text(&f.name)),
            ("potential", Json::Bool(f.verdict.is_proved())),
            ("reason", Json::text(&f.reason)),
            (
                "V",
                Json::maybe(f.potentials.as_ref(), |p| Json::text(p.0.to_string())),
            ),
            (
                "A",
                Json::maybe(f.potentials.as_ref(), |p| {
                    Json::texts(p.1.iter().map(|a| a.to_string()))
                }),
            ),
        ])
    });
    let constraints = c.constraints.as_ref().map(|k| {
        Json::object([
            ("count", Json::Integer(k.count as i64)),
            ("admissible", Json::Bool(k.admissible)),
            ("linear", Json::Bool(k.linear)),
            ("integrable", Json::Bool(k.integrable)),
            ("regular", Json::Bool(k.regular)),
        ])
    });
    Json::object([
        ("system", Json::text(title)),
        ("ok", Json::maybe(c.ok, Json::Bool)),
        ("dimension", Json::Integer(c.dimension as i64)),
        ("time_dependent", Json::Bool(c.time_dependent)),
        ("closed", Json::Bool(c.closed)),
        ("quadratic", Json::Bool(c.quadratic)),
        ("findings", Json::List(findings.collect())),
        ("forces", Json::List(forces.collect())),
        ("constraints", constraints.unwrap_or(Json::Null)),
    ])
}

/// `decide --json`
pub fn decision(d: &Decision) -> Json {
    let word = match &d.verdict {
        Verdict::Proved(_) => "proved",
        Verdict::Certified => "certified",
        Verdict::Sampled(_) => "sampled",
        Verdict::Refuted(_) => "refuted",
        Verdict::Undecided(_) => "undecided",
    };
    let bound = match &d.verdict {
        Verdict::Proved(b) => Json::text(b.to_string()),
        _ => Json::Null,
    };
    let witness = match &d.verdict {
        Verdict::Refuted(w) => {
            Json::object(w.values.iter().map(|(n, v)| (n.clone(), Json::text(v))))
        }
        _ => Json::Null,
    };
    let mut reason = match &d.verdict {
        Verdict::Proved(b) if b.exponent().is_none() => {
            "both sides have the same canonical form".to_owned()
        }
        Verdict::Proved(_) => {
            "zero at all points of random prime fields and consistent with real enclosures".into()
        }
        Verdict::Refuted(_) => "the sides differ at the witness, by rigorous enclosures".into(),
        Verdict::Sampled(size) => format!("zero at every point tried, up to {size:e}; not a proof"),
        Verdict::Undecided(r) => r.to_string(),
        Verdict::Certified => "by rigorous enclosures".into(),
    };
    if !d.assumptions.is_empty() {
        reason = format!("{reason}; assuming {}", d.assumptions.join(", "));
    }
    Json::object([
        ("verdict", Json::text(word)),
        ("bound", bound),
        ("witness", witness),
        ("reason", Json::text(reason)),
    ])
}
