//! The repository's own commands: `cargo xtask test`, `layers`, `blocks`, `book`, `package`, `gallery`, `browser`,
//! `studio`, `cross`, `release`, `picture`, `python`, `fuzz-motion`, `fuzz-certify`, `bench-peers`, `robots`.
//!
//! This crate knows Galilei's folders and documents, and nothing of mechanics.

use std::process::ExitCode;

mod blocks;
mod book;
mod browser;
mod cross;
mod debian;
mod foreign;
mod fuzz;
mod gallery;
mod installation;
mod layers;
mod package;
mod peers;
mod picture;
mod python;
mod release;
mod repository;
mod stream;
mod studio;
mod tally;
mod test;

const USAGE: &str = "\
cargo xtask test [--quick] [--cross]
                                every check; --quick leaves out documentation, Python package, pages and studio; --cross adds ARM,
                                Windows and a processor without AVX under emulation, which takes long
cargo xtask cross [aarch64|windows|old|steps]
                                these under emulation alone, or one of them; `steps` counts the instructions of a step on each
cargo xtask layers              check that crates use only crates above them in ARCHITECTURE.md
cargo xtask blocks [FILE...]    run the console blocks of the documentation and compare their output
cargo xtask book                check links and summary of the documentation, and make a book of it with mdbook
cargo xtask package [--verify]  package every crate for a registry; --verify compiles the packages, too
cargo xtask gallery [FOLDER]    a page for every model, and an index
cargo xtask browser             measure pages in a real browser: widths, formulas, contrast, animation
cargo xtask studio [--check]    the studio as one page with the engine inside; --check tests it in a browser
cargo xtask picture [--check]   the picture of the README: draw it, or check whether it is up to date
cargo xtask python [ARGUMENT...]  the Python package: build it and run its tests, with arguments for pytest
cargo xtask release [versions|rust|python|licences|debian|twice]
                                the files of a release that can be made here, tried: wheel, source, Debian package, licences; or one part
cargo xtask fuzz-motion [--seconds N] [--seed S]
                                random motions by every adaptive method against independent integrators
cargo xtask fuzz-certify [--seconds N] [--motions M] [--seed S]
                                random short motions in their enclosures, against independent integrators
cargo xtask bench-peers [--only WORK] [--variant NAME] [--sizes 2,4,8] [--json FILE] [--with-sage]
                                the same work done by Galilei and by its peers, in one run
cargo xtask robots [PART...]    robots of example-robot-data in Galilei and in Pinocchio: accelerations, momenta, inverse dynamics";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("", arguments.as_slice()),
    };
    let outcome = match command {
        "test" => test::main(rest),
        "layers" => layers::main(rest),
        "blocks" => blocks::main(rest),
        "book" => book::main(rest),
        "package" => package::main(rest),
        "gallery" => gallery::main(rest),
        "browser" => browser::main(rest),
        "picture" => picture::main(rest),
        "studio" => studio::main(rest),
        "python" => python::main(rest),
        "cross" => cross::main(rest),
        "release" => release::main(rest),
        "fuzz-motion" => fuzz::main(rest, &fuzz::MOTION),
        "fuzz-certify" => fuzz::main(rest, &fuzz::CERTIFY),
        "bench-peers" => peers::main(rest),
        "robots" => peers::robots::main(rest),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(true)
        }
        _ => Err(USAGE.to_string()),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// Refuses arguments a command does not take.
fn no_arguments(rest: &[String]) -> Result<(), String> {
    match rest.first() {
        None => Ok(()),
        Some(argument) => Err(format!("unexpected argument `{argument}`\n\n{USAGE}")),
    }
}
