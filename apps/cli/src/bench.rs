//! `galilei bench`.

use std::process::ExitCode;
use std::time::Instant;

use galilei::document;
use galilei::{Diagnostic, Error, Model};
use galilei_integrate::Accelerations;

use crate::{Common, allowed, load, print, print_document};

/// The shortest time of a call in seconds, over repetitions of about a tenth of a second in all.
fn shortest(mut call: impl FnMut()) -> f64 {
    let begin = Instant::now();
    call();
    let once = begin.elapsed().as_secs_f64().max(1e-9);
    let batch = ((1e-3 / once) as usize).clamp(1, 100_000);
    let mut best = f64::INFINITY;
    let all = Instant::now();
    while all.elapsed().as_secs_f64() < 0.1 {
        let begin = Instant::now();
        for _ in 0..batch {
            call();
        }
        best = best.min(begin.elapsed().as_secs_f64() / batch as f64);
    }
    best
}

pub(crate) fn bench(common: &Common) -> Result<ExitCode, Error> {
    let model = &load(common)?;
    let errors: Vec<Diagnostic> = model
        .validate()
        .into_iter()
        .filter(Diagnostic::is_error)
        .collect();
    allowed(model, errors)?;
    // Nothing is cached: read again from the text, derive again from the model.
    let reader = Model::reader().set_all(&common.set).name(model.name());
    let begin = Instant::now();
    let fresh = reader.parse(model.source())?;
    let parse_seconds = begin.elapsed().as_secs_f64();
    let compiled = fresh.compile()?;
    let state = fresh.initial_state().map_err(|e| model.error(e))?;
    let start: Vec<f64> = std::iter::once(state.time)
        .chain(state.position)
        .chain(state.velocity)
        .map(|e| e.evaluate_f64(&[]))
        .collect();
    let begin = Instant::now();
    let mut single = compiled.accelerations(1);
    let compile_seconds = compiled.lowered().compile_seconds + begin.elapsed().as_secs_f64();
    let mut result = vec![0.0; compiled.rates().unknowns];
    let evaluate = shortest(|| {
        single.compute(std::hint::black_box(&start), &mut result);
        std::hint::black_box(&mut result);
    });
    let lanes = Accelerations::widest();
    let mut several = compiled.accelerations(lanes);
    let states: Vec<f64> = start.iter().flat_map(|x| vec![*x; lanes]).collect();
    let mut results = vec![0.0; compiled.rates().unknowns * lanes];
    let together = shortest(|| {
        several.compute(std::hint::black_box(&states), &mut results);
        std::hint::black_box(&mut results);
    });
    let mut series = compiled.taylor_step(galilei::DEFAULT_TOLERANCE);
    let order = series.order();
    let step = shortest(|| {
        let _ = std::hint::black_box(series.compute(std::hint::black_box(&start)));
    });
    let backend = crate::backend();
    if common.json {
        let nanoseconds = |s: f64| (s * 1e10).round() / 10.0;
        print_document(&document::Bench {
            parse_seconds,
            derive_seconds: compiled.lowered().derive_seconds,
            compile_seconds,
            operations: single.operations(),
            evaluate_ns: nanoseconds(evaluate),
            evaluate_ns_per_lane: nanoseconds(together / lanes as f64),
            lanes,
            taylor_step_ns: nanoseconds(step),
            taylor_order: order,
            backend,
        });
    } else {
        let ms = |s: f64| format!("{:.3} ms", s * 1e3);
        print(&format!(
            "{}\n\n  parse        {}\n  derive       {}\n  compile      {}   {} operations\n  evaluate     {:.1} ns, {:.1} ns each with {lanes} lanes\n  Taylor step  {:.1} ns, order {order}\n  code         {backend}",
            model.title(),
            ms(parse_seconds),
            ms(compiled.lowered().derive_seconds),
            ms(compile_seconds),
            single.operations(),
            evaluate * 1e9,
            together / lanes as f64 * 1e9,
            step * 1e9,
        ));
    }
    Ok(ExitCode::SUCCESS)
}
