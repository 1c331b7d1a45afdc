//! Our side of the benchmarks: `galilei-bench WORK [options]`, one JSON line per measurement.

mod callable;
mod chain;
mod clock;
mod counted;
mod decide;
mod derive;
mod ensemble;
mod evaluate;
mod forms;
mod given;
mod kane;
mod linearize;
mod mechanisms;
mod models;
mod motion;
mod process;
mod variational;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|a| a == name)?;
        arguments.get(at + 1).map(String::as_str)
    };
    let sizes: Vec<usize> = option("--sizes")
        .unwrap_or("2,4,8,16,32")
        .split(',')
        .filter_map(|s| s.parse().ok())
        .collect();
    let angles = match option("--angles") {
        Some("rel") => chain::Angles::Relative,
        _ => chain::Angles::Absolute,
    };
    match arguments.first().map(String::as_str) {
        Some("derive") => derive::run(&sizes, angles),
        Some("decide") => decide::run(&sizes, angles),
        Some("forms") => forms::run(&sizes),
        Some("callable") => callable::run(&sizes),
        Some("evaluate") => evaluate::run(&sizes, option("--variant").unwrap_or("scalar")),
        Some("motion") => motion::run(&sizes, option("--variant").unwrap_or("regular")),
        Some("kane") => kane::run(option("--variant").unwrap_or("sleigh")),
        Some("linearize") => linearize::run(&sizes, option("--variant").unwrap_or("cart")),
        Some("mechanisms") => mechanisms::run(&sizes),
        Some("accelerations") => given::run(option("--model").unwrap_or("-")),
        Some("process") => process::run(),
        Some("ensemble") if option("--variant") == Some("threads") => ensemble::threads(),
        Some("ensemble") => ensemble::run(),
        Some("variational") => variational::run(option("--variant").unwrap_or("varied")),
        Some("counted") => counted::run(
            option("--work").unwrap_or("motion"),
            option("--variant").unwrap_or("regular"),
            sizes[0],
            option("--tolerance")
                .and_then(|t| t.parse().ok())
                .unwrap_or(1e-9),
            option("--repeats")
                .and_then(|t| t.parse().ok())
                .unwrap_or(1),
        ),
        _ => {
            eprintln!(
                "usage: galilei-bench derive|decide|forms|callable|evaluate|motion|kane|linearize|mechanisms|process|ensemble|variational|counted|accelerations \
                 [--sizes 2,4,8] [--angles abs|rel] [--variant NAME] [--work NAME --tolerance T --repeats N] [--model FILE]"
            );
            std::process::exit(2);
        }
    }
}
