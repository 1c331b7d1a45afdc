//! Pages: every model has one; it is well-formed, whole, self-contained, and its plots show the motion.

use std::collections::HashSet;
use std::path::Path;

use galilei::{Method, Model};
use galilei_report::{Histories, Page, Record, theorem};

use crate::common::{file, gallery, largest, model};

fn page_of(model: &Model) -> Page<'_, '_> {
    model.simulate().page("galilei report model.gal", "0")
}

fn record(model: &Model) -> Record {
    let motion = model.simulate().run_for_plots().expect("a run");
    Record {
        run: motion.run,
        method: motion.method.to_owned(),
        tolerance: motion.tolerance,
        step: motion.step,
    }
}

/// Tags are balanced, attributes quoted, nothing is left unescaped, ids are unique and what refers to one
/// finds it.
fn well_formed(html: &str) -> Result<(), String> {
    const VOID: [&str; 4] = ["meta", "wbr", "br", "input"];
    let mut open: Vec<String> = Vec::new();
    let mut ids = HashSet::new();
    let mut wanted = Vec::new();
    let mut rest = html.strip_prefix("<!DOCTYPE html>").ok_or("no doctype")?;
    while let Some(at) = rest.find('<') {
        if rest[..at].contains('>') {
            return Err(format!("a stray > in {:?}", &rest[..at]));
        }
        rest = &rest[at + 1..];
        let end = rest.find('>').ok_or("a tag without an end")?;
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            match open.pop() {
                Some(last) if last == name => continue,
                last => return Err(format!("</{name}> closes {last:?}")),
            }
        }
        let name: String = tag.chars().take_while(|c| c.is_alphanumeric()).collect();
        let mut attributes = tag[name.len()..].trim_end_matches('/');
        while let Some((key, after)) = attributes.split_once("=\"") {
            let (value, next) = after.split_once('"').ok_or("an attribute without an end")?;
            let refers = ["href", "aria-labelledby"].contains(&key.trim());
            if key.trim() == "id" && !ids.insert(value.to_owned()) {
                return Err(format!("two elements are called {value}"));
            }
            if refers {
                wanted.extend(
                    value
                        .split(' ')
                        .map(|v| v.trim_start_matches('#').to_owned()),
                );
            }
            attributes = next;
        }
        if attributes.contains('=') {
            return Err(format!("an attribute without quotes in <{tag}>"));
        }
        if tag.ends_with('/') || VOID.contains(&name.as_str()) {
            continue;
        }
        if name == "script" || name == "style" {
            let close = format!("</{name}>");
            let end = rest.find(&close).ok_or("a script without an end")?;
            rest = &rest[end + close.len()..];
            continue;
        }
        open.push(name);
    }
    if let Some(name) = open.pop() {
        return Err(format!("<{name}> stays open"));
    }
    match wanted.into_iter().find(|w| !ids.contains(w)) {
        Some(missing) => Err(format!("nothing is called {missing}")),
        None => Ok(()),
    }
}

#[test]
fn the_checker_sees_mistakes() {
    let good = "<!DOCTYPE html><p id=\"a\">x<wbr>y</p>";
    assert_eq!(well_formed(good), Ok(()));
    for bad in [
        "<!DOCTYPE html><p>",
        "<!DOCTYPE html><p></div>",
        "<!DOCTYPE html><p>a > b</p>",
        "<!DOCTYPE html><p id=a></p>",
        "<!DOCTYPE html><p id=\"a\"></p><p id=\"a\"></p>",
        "<!DOCTYPE html><a href=\"#b\"></a>",
    ] {
        assert!(well_formed(bad).is_err(), "{bad}");
    }
}

#[test]
fn every_model_has_a_page() {
    let list = gallery();
    assert!(list.len() >= 40);
    for (name, _) in list {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
        let model = Model::open(folder.join(format!("{name}.gal"))).expect("a model");
        let page = page_of(&model);
        let html = page.to_html();
        well_formed(&html).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(html.len() < 1_500_000, "{name}: {} bytes", html.len());
        // Nothing comes from elsewhere.
        for word in ["http", "src=", "@import", "url("] {
            assert!(!html.contains(word), "{name}: {word}");
        }
        // Nothing is cut: every formula is there, and every theorem can be looked up.
        let formulas = page.sections.iter().flat_map(|s| &s.formulas);
        let numbers: Vec<&str> = formulas.map(|f| f.theorem).collect();
        assert!(
            html.matches("class=\"formula\"").count() >= numbers.len(),
            "{name}"
        );
        // Notes on where a motion is not smooth rest on no theorem.
        let findings = page.check.findings.iter().map(|f| f.theorem);
        let findings = findings.filter(|theorem| !theorem.is_empty());
        for number in numbers.into_iter().chain(findings) {
            assert!(theorem(number).is_some(), "{name}: {number}");
        }
        // Pictures have words beside them.
        let pictures = html.matches("<svg ").count();
        assert_eq!(pictures, html.matches("<desc ").count(), "{name}");
    }
}

#[test]
fn names_stay_text() {
    let text = "system \"<script>alert(1)</script>\"\ncoord x\nkinetic: x'^2/2\n# </pre><script>\n";
    let model = model(text);
    let html = page_of(&model).to_html();
    assert_eq!(well_formed(&html), Ok(()));
    assert!(html.contains("<h1>&lt;script&gt;alert(1)&lt;/script&gt;</h1>"));
    assert!(!html.contains("<script>alert") && !html.contains("</pre><script>"));
    assert!(html.contains("There is no run: the run has no end"));
}

/// T and V of the plots are those of `eval`, E is their sum, and it is constant.
#[test]
fn energies_are_those_of_the_states() {
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/double-pendulum.gal"),
    );
    let model = model(&text.expect("the model"));
    let record = record(&model);
    let plots = Histories::new(&model, &record).energies;
    let value = |name: &str, k: usize| {
        let curve = plots[0].curves.iter().find(|c| c.name == name);
        curve.unwrap_or_else(|| panic!("{name}")).points[k][1]
    };
    for k in [0, 700, record.run.rows.len() - 1] {
        let row = &record.run.rows[k];
        let at = format!(
            "t={:?}, th1={:?}, th2={:?}, th1'={:?}, th2'={:?}",
            row[0], row[1], row[2], row[3], row[4]
        );
        let e = model.evaluate(&model.state_at(&at).unwrap()).unwrap();
        let kinetic = value("T upper", k) + value("T lower", k);
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * (1.0 + b.abs());
        assert!(near(kinetic, e.kinetic_energy.unwrap()));
        assert!(near(value("V", k), e.potential_energy.unwrap()));
        assert!(near(value("E", k), kinetic + value("V", k)));
        assert!(near(value("E", k), value("E", 0)));
    }
}

/// The ledger's largest entries are the numbers of the run, by all methods.
#[test]
fn the_ledger_agrees_with_the_run() {
    for name in ["andrews-squeezer", "kapitza-pendulum"] {
        let text = file(name);
        let model = model(&text);
        for method in ["taylor", "dop853", "gauss6", "radau"] {
            let run = model
                .simulate()
                .method(method.parse::<Method>().unwrap())
                .tolerance(1e-9)
                .run_for_plots()
                .expect("a run")
                .run;
            let entries = run.ledger.entries();
            let defect = largest(entries.iter().map(|e| e.defect));
            assert!(defect <= run.energy_balance && defect > 0.5 * run.energy_balance);
            let residual = largest(entries.iter().map(|e| e.residual));
            assert_eq!(
                residual,
                run.constraint_residual.unwrap_or(0.0),
                "{name} {method}"
            );
            assert!(entries.windows(2).all(|w| w[0].time < w[1].time));
        }
    }
}

/// A run that is looked at has the states of the run itself, only closer.
#[test]
fn looking_closely_changes_nothing() {
    let text = file("kapitza-pendulum");
    let model = model(&text);
    let plain = model.simulate().run().expect("a run");
    let close = model.simulate().run_for_plots().expect("a run");
    assert_eq!(plain.run.state, close.run.state);
    assert_eq!(plain.run.steps, close.run.steps);
    // 400 shakes of the pivot, each seen dozens of times.
    assert!(close.run.rows.len() > 400 * 24);
}

/// Time never goes back: a run that is drawn is integrated once. Only one that ended far from its end is repeated.
#[test]
fn a_run_for_plots_is_integrated_once() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\noutput e: x'^2 + x^2\nsimulate to 50\n";
    let passes = |text: &str| {
        let (mut last, mut passes) = (f64::INFINITY, 0);
        let motion = model(text)
            .simulate()
            .progress(|p| {
                passes += usize::from(p.time < last);
                last = p.time;
                true
            })
            .run_for_plots();
        (passes, motion.expect("a run").run)
    };
    let (once, run) = passes(text);
    assert_eq!((once, run.time), (1, 50.0));
    assert!((1500..20_001).contains(&run.rows.len()));
    let spacing = run.rows[1][0];
    for (k, row) in run.rows.iter().enumerate() {
        let t = (k as f64 * spacing).min(50.0);
        assert!((row[0] - t).abs() < 1e-9);
        assert!((row[1] - row[0].cos()).abs() < 1e-11 && (row[3] - 1.0).abs() < 1e-11);
    }
    let early = format!("{text}event zero: x terminal\n");
    let (_, run) = passes(&early);
    assert!(run.rows.len() >= 1500, "{}", run.rows.len());
    assert!((run.time - std::f64::consts::FRAC_PI_2).abs() < 1e-11);
    assert!(matches!(run.status, galilei::Status::Event(0)));
}
