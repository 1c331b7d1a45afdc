//! Text for a terminal: aligned and wrapped, short parts first.

use galilei_check::{Check, Finding, Status};
use galilei_expr::{Bound, Layout, Rational};
use galilei_integrate::Situation;
use galilei_mechanics::HamiltonRoute;
use galilei_model::{Evaluation, Model};

use crate::derivation::{Derivation, Section};
use crate::topic::Topic;

/// The column where formulas start.
const MARGIN: usize = 14;

/// Characters as a terminal counts them: combining marks take no room.
pub(crate) fn width(text: &str) -> usize {
    text.chars()
        .filter(|c| !('\u{300}'..='\u{36f}').contains(c))
        .count()
}

fn pad(text: &str, to: usize) -> String {
    format!("{text}{}", " ".repeat(to.saturating_sub(width(text))))
}

/// A label, a body of some lines, and something at the right end of the first line.
fn row(out: &mut String, label: &str, body: &[String], right: &str, columns: usize) {
    let mut label = label.to_owned();
    if width(&label) > MARGIN - 3 {
        out.push_str(&format!("  {label}\n"));
        label = String::new();
    }
    for (k, line) in body.iter().enumerate() {
        let first = k == 0;
        let head = pad(
            &format!("  {}", if first { label.as_str() } else { "" }),
            MARGIN,
        );
        let line = format!("{head}{line}");
        let last = k + 1 == body.len();
        if last && !right.is_empty() {
            let room = columns.saturating_sub(width(right) + 1);
            if width(&line) < room {
                out.push_str(&format!("{} {right}\n", pad(&line, room)));
                continue;
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

fn words(text: &str, columns: usize) -> Vec<String> {
    let room = columns.saturating_sub(MARGIN + 8).max(24);
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last().map_or(0, |l| width(l));
        if last > 0 && last + 1 + width(word) > room {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

fn formula(layout: &Layout, columns: usize) -> Vec<String> {
    let room = columns.saturating_sub(MARGIN + 8).max(24);
    layout.to_lines(room, 4)
}

/// Sections one after the other.
pub fn sections(list: &[Section], columns: usize) -> String {
    let mut out = String::new();
    for (k, s) in list.iter().enumerate() {
        if k > 0 {
            out.push('\n');
        }
        section(&mut out, s, columns);
    }
    out
}

fn section(out: &mut String, s: &Section, columns: usize) {
    for f in &s.formulas {
        row(
            out,
            &f.label,
            &formula(&f.layout, columns),
            f.theorem,
            columns,
        );
        if !f.note.is_empty() {
            row(out, "", &words(&f.note, columns), "", columns);
        }
    }
    if let Some(reason) = &s.reason {
        let label = if s.formulas.is_empty() {
            s.topic.title()
        } else {
            ""
        };
        row(out, label, &words(reason, columns), "", columns);
    }
    for (k, (name, value)) in s.abbreviations.iter().enumerate() {
        let line = name.clone().equals(value.clone());
        row(
            out,
            if k == 0 { "where" } else { "" },
            &formula(&line, columns),
            "",
            columns,
        );
    }
}

fn superscript(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '-' => '⁻',
            '0' => '⁰',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            '4'..='9' => char::from_u32('⁴' as u32 + c as u32 - '4' as u32).unwrap_or(c),
            other => other,
        })
        .collect()
}

fn bound(b: Bound) -> String {
    match b.exponent() {
        Some(k) => format!("error below 2{}", superscript(&k.to_string())),
        None => "exactly".into(),
    }
}

/// The first screen of `derive`.
pub fn overview(
    model: &Model,
    derivation: &Derivation<'_>,
    file: &str,
    columns: usize,
    prove: bool,
) -> String {
    let system = derivation.system();
    let n = system.state().degrees_of_freedom();
    let mut facts = vec![format!(
        "{n} degree{} of freedom",
        if n == 1 { "" } else { "s" }
    )];
    if derivation.depends_on_time() {
        facts.push("depends on time".into());
    }
    let forces = derivation.section(Topic::Forces);
    let mut out = String::new();
    let facts = facts.join(" · ");
    let title = model.title();
    let gap = columns.saturating_sub(width(title) + width(&facts));
    if gap >= 3 {
        out.push_str(&format!("{title}{}{facts}\n\n", " ".repeat(gap)));
    } else {
        out.push_str(&format!("{title}\n{facts}\n\n"));
    }
    if let Some(charts) = model.words_on_charts() {
        for line in words(&charts, columns) {
            out.push_str(&format!("{line}\n"));
        }
        out.push('\n');
    }
    for topic in Topic::DEFAULT {
        section(&mut out, &derivation.section(topic), columns);
    }
    out.push('\n');
    if prove {
        let routes = system.routes();
        let postulate = routes.decide_postulate();
        // Hamilton's route counts only where it is independent.
        let own = (routes.hamilton_route).is_some_and(HamiltonRoute::is_independent);
        let (claim, verdict) = match routes.decide_hamilton().filter(|_| own) {
            Some(h) => ("X ⌟ Ω = 0  ⇔  Lagrange  ⇔  Hamilton", postulate.and(h)),
            None => ("X ⌟ Ω = 0  ⇔  Lagrange", postulate),
        };
        let claim = if derivation.is_constrained() {
            format!("{claim}, before reactions")
        } else {
            claim.to_owned()
        };
        let (label, text) = match &verdict {
            galilei_expr::Verdict::Proved(b) => ("proved", format!("{claim}     {}", bound(*b))),
            other => ("not proved", format!("{claim}: {other}")),
        };
        row(&mut out, label, &words(&text, columns), "T-47", columns);
    }
    for f in &forces.formulas {
        row(
            &mut out,
            &f.label,
            &words(&f.note, columns),
            "T-32",
            columns,
        );
    }
    let more = [Topic::Hamilton, Topic::ActionForm, Topic::Inertia].map(Topic::name);
    let more = format!("galilei derive {file} {} | all", more.join(" | "));
    row(&mut out, "more", &words(&more, columns), "", columns);
    out
}

/// The text of `check` with all findings.
pub fn check(title: &str, c: &Check<'_>, columns: usize) -> String {
    let mut out = format!("{title}\n\n");
    findings(&mut out, &c.findings.iter().collect::<Vec<_>>(), columns);
    judgements(&mut out, c, columns);
    out.push('\n');
    out.push_str(match c.ok {
        Some(true) => "everything required holds\n",
        Some(false) => "something required does not hold\n",
        None => "not everything required could be decided\n",
    });
    out
}

/// The text of `check` in short: how many of the required properties hold, then only findings that fail, were not
/// decided, hold with exceptions or answer a question about this model.
pub fn check_summary(title: &str, c: &Check<'_>, columns: usize) -> String {
    let required = || c.findings.iter().filter(|f| f.required && is_asked(f));
    let (all, hold) = (required().count(), required().filter(|f| f.holds()).count());
    let worst = required().filter_map(|f| f.bound()?.exponent()).max();
    let certified = required().filter(|f| f.status.word() == "certified");
    let mut notes = Vec::new();
    match certified.count() {
        0 => {}
        k => notes.push(format!("{k} of them certified")),
    }
    if let Some(k) = worst {
        let power = superscript(&k.to_string());
        notes.push(format!("error of each below 2{power}"));
    }
    let notes = match notes.is_empty() {
        true => String::new(),
        false => format!(" ({})", notes.join(", ")),
    };
    let mut out = format!("{title}\n\n{hold} of {all} required properties proved{notes}\n");
    match c.ok {
        Some(true) => {}
        Some(false) => out.push_str("something required does not hold\n"),
        None => out.push_str("not everything required could be decided\n"),
    }
    let notable = |f: &&Finding| match f.holds() {
        true => !f.scope().is_empty() || (!f.required && is_question(f)),
        false => is_asked(f) || matches!(f.status, Status::Noted),
    };
    let shown: Vec<&Finding> = c.findings.iter().filter(notable).collect();
    if !shown.is_empty() {
        out.push('\n');
    }
    findings(&mut out, &shown, columns);
    judgements(&mut out, c, columns);
    if shown.len() < c.findings.len() {
        let rest = c.findings.len() - shown.len();
        out.push_str(&format!("\n{rest} more with --all\n"));
    }
    out
}

/// The beginnings of claims that answer a question about the physics of a model, whether they hold or not.
const QUESTIONS: [&str; 6] = [
    "closed",
    "conserved",
    "symmetry",
    "inverse problem",
    "constraints: integrable",
    "power of reactions",
];

fn is_question(f: &Finding) -> bool {
    QUESTIONS.iter().any(|q| f.name.starts_with(q))
}

/// Whether a finding makes sense for the model and claims something.
fn is_asked(f: &Finding) -> bool {
    matches!(f.status, Status::Verdict(_))
}

/// Findings as lines: status, claim, remark, theorem.
fn findings(out: &mut String, list: &[&Finding], columns: usize) {
    let names = list.iter().map(|f| width(&f.name));
    let longest = names.max().unwrap_or(0).min(56);
    for f in list {
        let extra = match (&f.status, f.bound()) {
            (Status::Verdict(_), Some(b)) if b.exponent().is_some() => bound(b),
            (Status::Verdict(galilei_expr::Verdict::Refuted(w)), _) if f.required => {
                format!("at {w}")
            }
            (Status::Verdict(galilei_expr::Verdict::Undecided(_)), _)
            | (Status::NotApplicable | Status::Noted, _) => f.detail.clone(),
            _ => String::new(),
        };
        let scope = f.scope();
        let extra = match (scope.is_empty(), extra.is_empty()) {
            (true, _) => extra,
            (false, true) => scope,
            (false, false) => format!("{scope}; {extra}"),
        };
        let line = format!("  {}  {}", pad(f.word(), 14), pad(&f.name, longest));
        let line = if extra.is_empty() {
            line
        } else {
            format!("{line}  {extra}")
        };
        let room = columns.saturating_sub(6);
        if width(&line) < room {
            out.push_str(&format!("{} {}\n", pad(&line, room), f.theorem));
        } else {
            out.push_str(&format!("{}\n", line.trim_end()));
        }
    }
}

/// Forces, symmetries and constraints, each group after an empty line.
fn judgements(out: &mut String, c: &Check<'_>, columns: usize) {
    if !c.forces.is_empty() {
        out.push('\n');
        for f in &c.forces {
            let head = if f.verdict.is_proved() {
                "potential"
            } else {
                "not potential"
            };
            row(
                out,
                &f.name,
                &words(&format!("{head}; {}", f.reason), columns),
                "T-32",
                columns,
            );
            if let Some((v, a)) = &f.potentials {
                row(out, "", &[format!("V = {}", v.to_unicode())], "", columns);
                if a.iter().any(|a| !a.is_zero()) {
                    let list: Vec<String> = a.iter().map(|a| a.to_unicode()).collect();
                    row(
                        out,
                        "",
                        &[format!("A = ({})", list.join(", "))],
                        "",
                        columns,
                    );
                }
            }
        }
    }
    if !c.symmetries.is_empty() {
        out.push('\n');
        for s in &c.symmetries {
            let body = words(&s.detail(), columns);
            row(out, &s.name, &body, "T-111", columns);
        }
    }
    if let Some(k) = &c.constraints {
        let asked = |f: &&Finding| f.name.starts_with("constraints: integrable");
        let found = c.findings.iter().find(asked);
        let undecided = found.is_some_and(|f| f.status.is_undecided());
        let kind = match (k.linear, k.integrable) {
            (_, true) => "integrable",
            (true, false) if undecided => {
                "linear in the velocities; integrable or not is undecided"
            }
            (true, false) => "linear in the velocities, not integrable",
            (false, false) => "nonlinear in the velocities",
        };
        let text = format!(
            "{} constraint{}: {kind}",
            k.count,
            if k.count == 1 { "" } else { "s" }
        );
        out.push('\n');
        row(out, "constraints", &[text], "T-82", columns);
    }
}

/// Contact and friction at a state, as lines.
pub fn contacts(s: &Situation, coordinates: &[String]) -> String {
    use std::fmt::Write;
    let list = |names: &[String]| match names {
        [] => "none".to_owned(),
        names => names.join(", "),
    };
    let mut out = String::from("\nwith contact and friction\n");
    if !s.hitting.is_empty() {
        let _ = writeln!(out, "  colliding     {}", list(&s.hitting));
        return out;
    }
    let _ = writeln!(out, "  closed        {}", list(&s.closed));
    let _ = writeln!(out, "  sticking      {}", list(&s.sticking));
    for (name, values) in &s.multipliers {
        let values: Vec<String> = values.iter().map(|x| format!("{x:?}")).collect();
        let _ = writeln!(out, "  multiplier({name}) = {}", values.join(", "));
    }
    for (name, a) in coordinates.iter().zip(&s.acceleration) {
        let _ = writeln!(out, "  {name}'' = {a:?}");
    }
    out
}

/// The note that printed numbers are in SI units, where a coordinate is declared in another unit.
pub fn in_si_units(model: &Model) -> Option<String> {
    let coordinates = model.contents().coordinates.iter();
    let other = coordinates.filter(|c| {
        model
            .expr(c.scale)
            .as_rational()
            .is_none_or(|q| q != Rational::from(1))
    });
    let list =
        other.filter_map(|c| Some(format!("{} is declared in {}", c.name, c.unit.as_ref()?)));
    let list: Vec<String> = list.take(4).collect();
    (!list.is_empty()).then(|| format!("in SI units, angles in rad; {}", list.join(", ")))
}

/// The text of `eval`.
pub fn evaluation(model: &Model, e: &Evaluation) -> String {
    let mut out = format!("{} at t = {}\n\n", model.title(), e.time);
    let number = |x: f64| {
        format!("{x:.10}")
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned()
    };
    let show = |x: f64| {
        if x != 0.0 && (x.abs() < 1e-4 || x.abs() >= 1e7) {
            format!("{x:.9e}")
        } else {
            number(x)
        }
    };
    let names = e
        .coordinates
        .iter()
        .map(|c| width(c))
        .max()
        .unwrap_or(1)
        .max(10);
    let heads = [
        "",
        "position",
        "velocity",
        "momentum",
        "force",
        "acceleration",
        "momentum rate",
    ];
    let mut line = pad("  ", names + 4);
    for h in &heads[1..] {
        line.push_str(&format!("{h:>17}"));
    }
    out.push_str(&format!("{line}\n"));
    for i in 0..e.coordinates.len() {
        let mut line = pad(&format!("  {}", e.coordinates[i]), names + 4);
        for v in [
            &e.position,
            &e.velocity,
            &e.momentum,
            &e.force,
            &e.acceleration,
            &e.momentum_rate,
        ] {
            line.push_str(&format!("{:>17}", show(v[i])));
        }
        out.push_str(&format!("{line}\n"));
    }
    if let Some(note) = in_si_units(model) {
        out.push_str(&format!("  {note}\n"));
    }
    out.push('\n');
    let mut one = |label: &str, x: Option<f64>| {
        if let Some(x) = x {
            out.push_str(&format!("  {}{}\n", pad(label, 24), show(x)));
        }
    };
    one("kinetic energy", e.kinetic_energy);
    one("potential energy", e.potential_energy);
    one("Lagrangian", Some(e.lagrangian));
    one("Hamiltonian", Some(e.hamiltonian));
    one("rate of the energy", Some(e.energy_rate));
    if e.coordinates.len() <= 8 {
        out.push_str("\n  mass matrix\n");
        for row in &e.mass_matrix {
            let list: Vec<String> = row.iter().map(|x| format!("{:>16}", show(*x))).collect();
            out.push_str(&format!("  {}\n", list.join(" ")));
        }
    }
    if let Some(c) = &e.constraints {
        out.push_str("\n  constraint                residual       multiplier\n");
        for i in 0..c.names.len() {
            let head = pad(&c.names[i], 18);
            out.push_str(&format!(
                "  {head}{:>16} {:>16}\n",
                show(c.residual[i]),
                c.multipliers[i].map_or_else(|| "–".to_owned(), &show)
            ));
        }
        let list: Vec<String> = c.reaction.iter().map(|x| show(*x)).collect();
        out.push_str(&format!("  reaction          ({})\n", list.join(", ")));
    }
    out
}
