//! Both constructions of constrained motion, and runs of them by an integrator of the tests.

use galilei::Model;
use galilei_expr::{Expr, Program};
use galilei_mechanics::{ReducedSystem, ReferenceField, RootChoice, SolvedForm};

use super::common::Json;
use super::{Oracle, constrained};

/// What an oracle says at a state, as numbers in the order of its coordinates.
struct Wanted {
    time: f64,
    position: Vec<f64>,
    velocity: Vec<f64>,
    momentum: Vec<f64>,
}

impl Wanted {
    fn new(o: &Oracle, state: &Json) -> Self {
        Self {
            time: state.get("t").number(),
            position: o.row(state.get("q"), ""),
            velocity: o.row(state.get("u"), "u_"),
            momentum: o.row(state.get("p"), "p_"),
        }
    }
}

/// Functions of a chart, ready for numbers: parameters have their values.
struct Functions {
    program: Program,
    fixed: Vec<f64>,
}

impl Functions {
    fn new<'p>(model: &'p Model, chart: &[Expr<'p>], outputs: &[Expr<'p>]) -> Self {
        let parameters = model.parameter_values().expect("values");
        let mut inputs: Vec<Expr<'p>> = parameters.iter().map(|p| p.0).collect();
        let fixed = parameters.iter().map(|p| p.1.evaluate_f64(&[])).collect();
        inputs.extend(chart);
        let program = Program::new(outputs, &inputs).expect("functions of the chart");
        Self { program, fixed }
    }

    fn at(&self, point: &[f64]) -> Vec<f64> {
        let inputs: Vec<f64> = self.fixed.iter().chain(point).copied().collect();
        self.program.f64(&inputs)
    }

    /// The flow of these functions as a vector field, from a point for a time: steps of order four,
    /// refined once.
    fn flow(&self, start: &[f64], time: f64, steps: usize) -> Vec<f64> {
        let run = |steps: usize| {
            let h = time / steps as f64;
            let mut y = start.to_vec();
            let ahead = |y: &[f64], k: &[f64], c: f64| -> Vec<f64> {
                y.iter().zip(k).map(|(y, k)| y + c * k).collect()
            };
            for _ in 0..steps {
                let k1 = self.at(&y);
                let k2 = self.at(&ahead(&y, &k1, h / 2.0));
                let k3 = self.at(&ahead(&y, &k2, h / 2.0));
                let k4 = self.at(&ahead(&y, &k3, h));
                for i in 0..y.len() {
                    y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
                }
            }
            y
        };
        let (coarse, fine) = (run(steps), run(2 * steps));
        let pairs = coarse.iter().zip(&fine);
        pairs.map(|(a, b)| b + (b - a) / 15.0).collect()
    }
}

/// Relative to the largest entry.
fn near(what: &str, found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    let scale = wanted.iter().fold(1e-3_f64, |m, x| m.max(x.abs()));
    for (a, b) in found.iter().zip(wanted) {
        let fine = (a - b).abs() <= tolerance * scale;
        assert!(fine, "{what}: {found:?} instead of {wanted:?}");
    }
}

/// Every choice of c velocities among n.
fn choices(n: usize, c: usize) -> Vec<Vec<usize>> {
    (0..1_usize << n)
        .map(|mask| (0..n).filter(|k| mask >> k & 1 == 1).collect::<Vec<_>>())
        .filter(|set| set.len() == c)
        .collect()
}

/// Construction B by the mass metric and by the augmented system, construction A for every choice of
/// dependent velocities, and the momentum equations: each solved by itself.
#[test]
fn both_constructions_and_both_sides() {
    let mut solved_forms = 0;
    for o in constrained() {
        let model = Model::parse(&o.literal()).expect("a model");
        let system = model.system();
        let n = o.coordinates.len();
        for state in o.states() {
            let wanted = Wanted::new(&o, state);
            let here = model.state_at(&o.at(state)).expect("a state");
            let found = model
                .constructions_at(&system, Some(&here))
                .expect("constraints");
            let found = found.expect("admissible");
            let constrained = &found.constrained;
            let accelerations = o.row(state.get("accelerations"), "");
            let multipliers = state.get("multipliers").numbers();
            let reactions = o.row(state.get("reaction_forces"), "");
            let mut point = vec![wanted.time];
            point.extend(&wanted.position);
            let mut natural = point.clone();
            natural.extend(&wanted.velocity);
            let chart = system.state().chart().coordinates().to_vec();
            for (how, r) in [
                ("metric", constrained.ideal().expect("regular")),
                (
                    "augmented",
                    constrained.reaction_augmented().expect("regular"),
                ),
            ] {
                let what = |k: &str| format!("{} by the {how}: {k}", o.name);
                let number = |list: &[Expr<'_>]| {
                    let list: Vec<_> = list.iter().map(|e| model.pool().expr(e.id())).collect();
                    Functions::new(&model, &chart, &list).at(&natural)
                };
                near(
                    &what("a"),
                    &number(r.field.accelerations()),
                    &accelerations,
                    1e-11,
                );
                let lambda = r.multipliers.clone().expect("multipliers");
                near(&what("λ"), &number(&lambda), &multipliers, 1e-11);
                near(
                    &what("reaction"),
                    &number(r.force.components()),
                    &reactions,
                    1e-11,
                );
                let rest = ReferenceField::resting(system.state().base());
                let power = number(&[constrained.power(&r, &rest)]);
                near(
                    &what("power"),
                    &power,
                    &[state.get("reaction_power").number()],
                    1e-11,
                );
            }
            let d = constrained.codistribution();
            let at = |e: Expr<'_>| {
                let e = model.pool().expr(e.id());
                Functions::new(&model, &chart, &[e]).at(&natural)[0]
            };
            let sheet: RootChoice<'_, '_> = &|u, [upper, lower]| {
                let u = at(u);
                match (at(upper) - u).abs() <= (at(lower) - u).abs() {
                    true => upper,
                    false => lower,
                }
            };
            for dependent in choices(n, d.count()) {
                let Ok(form) = SolvedForm::of(d, &dependent, sheet, &model.assumptions()) else {
                    continue;
                };
                let reduced = ReducedSystem::new(system.clone(), form.clone());
                let f = reduced.accelerations().expect("regular");
                let mut outputs = reduced.all_accelerations(&f);
                outputs.extend(reduced.multipliers_of(constrained, &f).expect("regular"));
                let below = form.chart().coordinates().to_vec();
                let mut on = point.clone();
                on.extend(form.independent().iter().map(|&k| wanted.velocity[k]));
                let numbers = Functions::new(&model, &below, &outputs).at(&on);
                let what = format!("{} solved for {dependent:?}", o.name);
                near(&what, &numbers[..n], &accelerations, 1e-11);
                near(&what, &numbers[n..], &multipliers, 1e-11);
                solved_forms += 1;
            }
            let canonical = system.canonical().expect("quadratic");
            let below = constrained.canonical(&canonical);
            let r = below.ideal().expect("regular");
            let mut on = point.clone();
            on.extend(&wanted.momentum);
            let chart = canonical.chart().coordinates().to_vec();
            let mut outputs = r.field.components()[1..].to_vec();
            outputs.extend(&r.multipliers);
            let numbers = Functions::new(&model, &chart, &outputs).at(&on);
            let rates = state.get("hamilton_rhs");
            let what = format!("{} with momenta", o.name);
            near(&what, &numbers[..n], &o.row(rates, ""), 1e-11);
            near(&what, &numbers[n..2 * n], &o.row(rates, "p_"), 1e-11);
            near(&what, &numbers[2 * n..], &multipliers, 1e-11);
        }
    }
    assert!(solved_forms > 60, "{solved_forms}");
}

/// Runs on J¹_σ, where the constraints hold identically, and in the canonical chart, with an
/// integrator of the test's own.
#[test]
fn runs_on_the_constraint_manifold_and_with_momenta() {
    for o in constrained() {
        let model = Model::parse(&o.literal_run()).expect("a model");
        let system = model.system();
        let n = o.coordinates.len();
        let run = o.data.get("trajectory");
        let start: Vec<f64> = o.row(run.get("initial_q"), "");
        let speed = o.row(run.get("initial_u"), "u_");
        let (end, ends) = (
            o.row(run.get("final_q"), ""),
            o.row(run.get("final_u"), "u_"),
        );
        let time = run.get("T").number();
        let found = model
            .constructions(&system)
            .expect("constraints")
            .expect("admissible");
        let reduced = found.reduced.as_ref().expect("solved");
        let form = reduced.solved();
        let f = reduced.accelerations().expect("regular");
        let gamma = form.second_order(&f);
        let chart = form.chart().coordinates().to_vec();
        let mut y = vec![0.0];
        y.extend(&start);
        y.extend(form.independent().iter().map(|&k| speed[k]));
        let last = Functions::new(&model, &chart, gamma.components()).flow(&y, time, 1500);
        near(&format!("{} on J¹_σ", o.name), &last[1..=n], &end, 1e-10);
        let free: Vec<f64> = form.independent().iter().map(|&k| ends[k]).collect();
        near(&format!("{} on J¹_σ", o.name), &last[1 + n..], &free, 1e-10);
        let canonical = system.canonical().expect("quadratic");
        let below = found
            .constrained
            .canonical(&canonical)
            .ideal()
            .expect("regular");
        let natural = system.state().chart().coordinates().to_vec();
        let momenta = Functions::new(&model, &natural, &system.lagrangian().momenta());
        let mut y = vec![0.0];
        y.extend(&start);
        let mut at = y.clone();
        at.extend(&speed);
        y.extend(momenta.at(&at));
        let chart = canonical.chart().coordinates().to_vec();
        let last = Functions::new(&model, &chart, below.field.components()).flow(&y, time, 1500);
        near(
            &format!("{} with momenta", o.name),
            &last[1..=n],
            &end,
            1e-10,
        );
    }
}
