//! Work `accelerations`: compiled accelerations of a given model at given states.

use std::io::BufRead;

use galilei::Model;

/// Reads a state (t, x, u) from each line of standard input and writes its accelerations as a line of JSON. A model that cannot
/// be read or compiled ends the program with its diagnostics.
pub(crate) fn run(path: &str) {
    let fail = |why: &dyn std::fmt::Display| -> ! {
        eprintln!("{why}");
        std::process::exit(1);
    };
    let text = std::fs::read_to_string(path).unwrap_or_else(|why| fail(&why));
    let model = Model::parse(&text).unwrap_or_else(|why| fail(&why));
    let compiled = model.compile().unwrap_or_else(|why| fail(&why));
    let mut accelerations = compiled.accelerations(1);
    let n = compiled.rates().dimension;
    let mut result = vec![0.0; compiled.rates().unknowns];
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let state: Vec<f64> = (line.split_whitespace())
            .filter_map(|word| word.parse().ok())
            .collect();
        accelerations.compute(&state, &mut result);
        println!(r#"{{"acceleration":{:?}}}"#, &result[..n]);
    }
}
