//! Runs of models in short texts, and how they are compared. Each test uses a part of it.

#![allow(dead_code)]

use galilei::{Compiled, Method, Model, Motion, RunSettings};
use galilei_integrate::{Run, Status};

/// The model of a text.
#[track_caller]
pub(crate) fn model(text: &str) -> Model {
    Model::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

/// A model of the gallery.
pub(crate) fn open(name: &str) -> Model {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    Model::open(format!("{folder}/{name}.gal")).unwrap_or_else(|e| panic!("{e}"))
}

/// The text of a model of the gallery.
pub(crate) fn file(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    std::fs::read_to_string(format!("{folder}/{name}.gal")).expect("the model")
}

/// The names and texts of all models of the gallery, in order.
pub(crate) fn gallery() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    let entries = std::fs::read_dir(folder).expect("the models");
    let names = entries.filter_map(|e| e.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names
        .filter_map(|n| n.strip_suffix(".gal").map(str::to_owned))
        .collect();
    names.sort();
    assert!(names.len() > 40);
    names.into_iter().map(|n| (n.clone(), file(&n))).collect()
}

/// A run with some settings.
pub(crate) fn with(text: &str, settings: &RunSettings) -> Motion {
    model(text)
        .simulate()
        .settings(settings.clone())
        .run()
        .unwrap()
}

/// With a tolerance, or that of the model.
pub(crate) fn by(method: &str, text: &str, tolerance: impl Into<Option<f64>>) -> Motion {
    with(
        text,
        &RunSettings::new()
            .method(method.parse::<Method>().unwrap())
            .tolerance(tolerance.into()),
    )
}

pub(crate) fn steps_of(method: &str, text: &str, step: f64) -> Motion {
    with(
        text,
        &RunSettings::new()
            .method(method.parse::<Method>().unwrap())
            .step(step),
    )
}

/// A run that must come to its end.
pub(crate) fn finished(method: &str, text: &str, tolerance: f64) -> Run {
    let run = by(method, text, tolerance).run;
    assert_eq!(run.status, Status::Finished, "{method}");
    run
}

/// A run by Taylor series that comes to its end with a balanced energy.
#[track_caller]
pub(crate) fn balanced(text: &str) -> Motion {
    let motion = by("taylor", text, None);
    let (run, status) = (&motion.run, &motion.run.status);
    assert_eq!(*status, Status::Finished, "{text}");
    let balance = run.energy_balance;
    assert!(balance < 1e-10, "{text}: {balance}");
    motion
}

pub(crate) fn compiled(text: &str) -> Compiled {
    Model::parse(text).unwrap().compile().unwrap()
}

/// Whether the model is given by a Hamiltonian whose Legendre transform has no closed form.
pub(crate) fn has_implicit_lagrangian(model: &Model) -> bool {
    model
        .compile()
        .is_err_and(|e| e.diagnostics()[0].code.as_str() == "not_available")
}

#[track_caller]
pub(crate) fn near(a: f64, b: f64, tolerance: f64) {
    assert!(
        (a - b).abs() <= tolerance * b.abs().max(1.0),
        "{a} is not {b}"
    );
}

/// Components that differ by no more than a part of the largest.
#[track_caller]
pub(crate) fn all_near(what: &str, found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    let scale = wanted.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    for (f, w) in found.iter().zip(wanted) {
        assert!(
            (f - w).abs() <= tolerance * scale,
            "{what}: {found:?} is not {wanted:?}"
        );
    }
}

/// The largest magnitude; not a number as soon as one of the values is none, so that no bound holds for it.
pub(crate) fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |m: f64, x| match x.is_nan() {
        true => x,
        false if m.is_nan() => m,
        false => m.max(x.abs()),
    })
}

/// The largest difference of the components of two lists of one length; not a number if one of the components is none.
#[track_caller]
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "{a:?} {b:?}");
    largest(a.iter().zip(b).map(|(a, b)| a - b))
}

/// No component is farther off than a part of the largest.
#[track_caller]
pub(crate) fn alike(ours: &[f64], theirs: &[f64], tolerance: f64) {
    let size = largest(theirs.iter().copied()).max(1.0);
    let off = distance(ours, theirs);
    assert!(off < tolerance * size, "{off:e}: {ours:?} {theirs:?}");
}

/// Numbers that are none are not near anything.
#[test]
fn comparisons_see_what_is_no_number() {
    for list in [[f64::NAN, 1.0], [1.0, f64::NAN]] {
        assert!(largest(list).is_nan());
        assert!(distance(&list, &[1.0, 1.0]).is_nan());
        assert!(distance(&[1.0, 1.0], &list).is_nan());
        assert!(std::panic::catch_unwind(|| alike(&list, &[1.0, 1.0], 1e9)).is_err());
        assert!(std::panic::catch_unwind(|| alike(&[1.0, 1.0], &list, 1e9)).is_err());
    }
    assert_eq!(largest([-2.0, 1.0]), 2.0);
    assert_eq!(distance(&[1.0, 5.0], &[2.0, 3.0]), 2.0);
}

/// The mass matrix depends on the positions: neither separable nor constant.
pub(crate) const DOUBLE: &str = "coord a, b\nkinetic: a'^2 + b'^2/2 + a'*b'*cos(a - b)\n\
                      potential: -2*cos(a) - cos(b)\ninitial a = 0.5, b = 1\n";
pub(crate) const KEPLER: &str = "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: -1/sqrt(x^2 + y^2)\n\
                      initial x = 1, y' = 1.2\n";
/// L is not quadratic in the velocities, and there is a field.
pub(crate) const FAST: &str = "coord x, y\nlagrangian: -sqrt(1 - x'^2 - y'^2) + 0.3*(x*y' - y*x')\npotential: x^2/2 + y^2\n\
                    initial x = 0.5, y' = 0.4\n";

/// Robertson's reaction, of first order: as the velocities of three coordinates whose accelerations are its right-hand
/// side, differentiated by nothing.
pub(crate) const ROBERTSON: &str = "coord a, b, c\nkinetic: (a'^2 + b'^2 + c'^2)/2\n\
                    force: a = -0.04*a' + 1e4*b'*c', b = 0.04*a' - 1e4*b'*c' - 3e7*b'^2, c = 3e7*b'^2\n\
                    initial a' = 1\n";

/// Van der Pol's oscillator in the time of its slow motion: εx″ = (1 − x²)x′ − x.
pub(crate) fn van_der_pol(epsilon: f64, start: [f64; 2]) -> String {
    let [x, u] = start;
    format!(
        "coord x\nkinetic: {epsilon}*x'^2/2\npotential: x^2/2\nforce: x = (1 - x^2)*x'\n\
         initial x = {x}, x' = {u}\n"
    )
}

/// The energy errors of a run: the mean over its first and its last tenth, and the largest.
pub(crate) fn energy_errors(method: &str, step: f64, steps: usize) -> [f64; 3] {
    let text = format!(
        "{DOUBLE}output e: a'^2 + b'^2/2 + a'*b'*cos(a - b) - 2*cos(a) - cos(b)\nsimulate to {:?} every {:?}\n",
        step * steps as f64,
        10.0 * step,
    );
    let m = steps_of(method, &text, step);
    assert_eq!(m.run.status, Status::Finished);
    assert_eq!(m.run.steps, steps);
    let rows = &m.run.rows;
    let start = *rows[0].last().unwrap();
    let errors: Vec<f64> = rows.iter().map(|r| r.last().unwrap() - start).collect();
    let tenth = errors.len() / 10;
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
    let largest = largest(errors.iter().copied());
    [
        mean(&errors[..tenth]),
        mean(&errors[errors.len() - tenth..]),
        largest,
    ]
}

/// Runs with steps of one length keep their energy: its mean error moves by no more than it oscillates in a few steps.
pub(crate) fn no_drift(methods: &[(&str, f64)], steps: usize) {
    for &(method, step) in methods {
        let [first, last, largest] = energy_errors(method, step, steps);
        println!("{method}, {steps} steps of {step}: {first:e}, {last:e}, at most {largest:e}");
        assert!(largest < 1e-3, "{method}: {largest:e}");
        assert!(
            (last - first).abs() < 0.1 * largest,
            "{method}: {first:e} {last:e}"
        );
    }
}
