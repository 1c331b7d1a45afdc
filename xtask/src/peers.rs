//! `cargo xtask bench-peers`: the same work done by Galilei and by its peers, in one run, on one core.
//!
//! For every size Galilei runs first, then each peer, then Galilei again; its time is the smaller of the two. A ratio
//! says how many times longer the peer needs. All sides report the value of their result at one point,
//! and figures whose results disagree fail the run.

use std::fs;
use std::io::Write;

use crate::{USAGE, repository};

use self::figure::Figure;
use self::machine::Machine;
use self::results::{Results, Size};
use self::work::{Environment, OURS, WORKS, Work};

mod curve;
mod figure;
mod machine;
mod results;
pub(crate) mod robots;
mod work;

/// The options of the command line.
#[derive(Debug, Default, PartialEq)]
struct Options {
    sizes: Option<Vec<usize>>,
    only: Option<String>,
    variant: Option<String>,
    json: Option<String>,
    with_sage: bool,
}

impl Options {
    fn read(arguments: &[String]) -> Result<Options, String> {
        let mut options = Options::default();
        let mut arguments = arguments.iter();
        while let Some(option) = arguments.next() {
            let mut value = || {
                let value = arguments.next().cloned();
                value.ok_or_else(|| format!("`{option}` needs a value"))
            };
            match option.as_str() {
                "--sizes" => {
                    let sizes: Result<Vec<usize>, _> =
                        value()?.split(',').map(str::parse).collect();
                    options.sizes = Some(sizes.map_err(|_| "`--sizes` takes numbers: 2,4,8")?);
                }
                "--only" => options.only = Some(value()?),
                "--variant" => options.variant = Some(value()?),
                "--json" => options.json = Some(value()?),
                "--with-sage" => options.with_sage = true,
                _ => return Err(format!("unexpected argument `{option}`\n\n{USAGE}")),
            }
        }
        Ok(options)
    }

    /// Whether Sage may be installed: it was requested, or the only requested work has it as a peer.
    fn sage(&self, works: &[&Work]) -> bool {
        let has = |work: &&Work| work.uses(Environment::Sage);
        self.with_sage || self.only.is_some() && works.iter().any(has)
    }

    fn works(&self) -> Result<Vec<&'static Work>, String> {
        let wanted = |work: &&Work| self.only.as_ref().is_none_or(|only| only == work.name);
        let works: Vec<&Work> = WORKS.iter().filter(wanted).collect();
        if works.is_empty() {
            let names: Vec<&str> = WORKS.iter().map(|work| work.name).collect();
            return Err(format!("`--only` takes one of: {}", names.join(", ")));
        }
        Ok(works)
    }
}

/// Runs the works and prints a table for each; true if every side that is present ran and all agree.
pub(crate) fn main(rest: &[String]) -> Result<bool, String> {
    let options = Options::read(rest)?;
    let works = options.works()?;
    let root = repository::root()?;
    let machine = Machine::prepare(&root, options.sage(&works))?;
    let mut lines = Vec::new();
    let mut good = true;
    for work in works {
        let wanted = |name: &&&str| options.variant.as_ref().is_none_or(|only| only == **name);
        for variant in work.variants.iter().filter(wanted) {
            let sizes = options.sizes.as_deref().unwrap_or(work.sizes);
            let rows = sizes
                .iter()
                .map(|&n| measure(&machine, work, variant, n, &mut lines))
                .collect();
            let results = Results {
                work,
                variant,
                rows,
            };
            print!("\n{}", results.table());
            print!("{}", results.goals());
            for problem in results.problems() {
                good = false;
                println!("WRONG: {problem}");
            }
        }
    }
    if let Some(file) = &options.json {
        let mut out = fs::File::create(file).map_err(|error| format!("{file}: {error}"))?;
        for line in &lines {
            writeln!(out, "{line}").map_err(|error| format!("{file}: {error}"))?;
        }
    }
    Ok(good)
}

/// Measures one size: Galilei, each peer, Galilei again.
fn measure(
    machine: &Machine,
    work: &Work,
    variant: &str,
    n: usize,
    lines: &mut Vec<String>,
) -> Size {
    let mut run = |side: &str| {
        eprintln!("{} {variant} n = {n}: {side}", work.name);
        let figure = machine.run(work, side, variant, n);
        lines.extend(figure.line());
        figure
    };
    let first = run(OURS);
    let peers = work
        .peers
        .iter()
        .map(|peer| {
            if peer.takes(variant, n) {
                run(peer.name)
            } else {
                Figure::NotRun
            }
        })
        .collect();
    let ours = match &first {
        Figure::Measured { .. } => first.faster(run(OURS)),
        _ => first,
    };
    Size { n, ours, peers }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        Options::read(&words)
    }

    #[test]
    fn options_are_read() {
        let options = read("--sizes 2,16 --only derive --variant rel --json out.jsonl");
        let options = options.expect("options");
        assert_eq!(options.variant.as_deref(), Some("rel"));
        assert_eq!(options.sizes, Some(vec![2, 16]));
        assert_eq!(options.works().expect("works")[0].name, "derive");
        assert_eq!(options.json.as_deref(), Some("out.jsonl"));
        assert_eq!(read("").expect("options"), Options::default());
    }

    #[test]
    fn sage_is_installed_only_when_asked_for() {
        let sage = |line: &str| {
            let options = read(line).expect("options");
            options.sage(&options.works().expect("works"))
        };
        assert!(sage("--only forms") && sage("--with-sage"));
        assert!(!sage("") && !sage("--only derive"));
    }

    #[test]
    fn wrong_options_are_refused() {
        assert!(read("--sizes two").is_err());
        assert!(read("--json").is_err());
        assert!(read("--fast").is_err());
        let none = read("--only nothing").expect("options").works();
        assert!(none.expect_err("no such work").contains("derive"));
    }
}
