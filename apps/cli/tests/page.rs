//! `report` and `simulate --plot`: files, formats, refusals.

mod common;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use common::{Json, galilei, model};

/// A folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn path(folder: &std::path::Path, name: &str) -> String {
    folder.join(name).to_str().expect("UTF-8").to_owned()
}

const PENDULUM: &str = "param m = 1, l = 2, g = 9.81\ncoord a [rad]\n\
    particle bob: mass m at (l*sin(a), -l*cos(a))\ngravity: (0, -g)\ninitial a = 1\nsimulate to 2\n";

#[test]
fn a_page_is_written_where_it_is_asked_for() {
    let file = path(&folder("page"), "kapitza.html");
    let answer = galilei(&["report", &model("kapitza-pendulum"), "-o", &file], "");
    assert_eq!((answer.code, answer.err.as_str()), (0, ""));
    assert!(
        answer.out.starts_with("Kapitza pendulum: "),
        "{}",
        answer.out
    );
    let html = std::fs::read_to_string(&file).expect("a page");
    for part in ["model", "derivation", "checks", "run", "reproduce"] {
        assert!(html.contains(&format!("<section id=\"{part}\"")), "{part}");
    }
    assert!(html.contains("param m = 0.2 [kg]"));
}

#[test]
fn the_command_on_the_page_makes_the_page() {
    let settings = ["--set", "l=0.3", "--to", "1.5", "--tolerance", "1e-9"];
    let arguments = [&["report", "-", "-o", "-"], &settings[..]].concat();
    let answer = galilei(&arguments, PENDULUM);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let command = "galilei report - --set l=0.3 --to 1.5 --tolerance 1e-9";
    assert!(answer.out.contains(command));
    assert!(answer.out.contains("l = 0.3") && answer.out.contains("It reached t = 1.5"));
}

#[test]
fn the_answer_for_scripts_names_the_file() {
    let file = path(&folder("json"), "page.html");
    let answer = galilei(&["report", "-", "--json", "-o", &file], PENDULUM);
    let bytes = std::fs::metadata(&file).expect("a page").len();
    assert_eq!(*answer.json().get("file"), Json::Text(file));
    assert_eq!(*answer.json().get("bytes"), Json::Number(bytes.to_string()));
}

#[test]
fn a_run_that_fails_has_a_page_and_says_so() {
    let text = "coord x\nkinetic: x'^2/2\nforce: x = x^3\ninitial x = 1, x' = 1\nsimulate to 100\n";
    let file = path(&folder("fails"), "page.html");
    let answer = galilei(&["report", "-", "-o", &file], text);
    assert_eq!(answer.code, 3, "{}", answer.err);
    let html = std::fs::read_to_string(&file).expect("a page");
    assert!(html.contains("It failed at t = "));
}

#[test]
fn a_model_without_numbers_has_a_page_without_a_run() {
    let answer = galilei(&["report", &model("central-force"), "-o", "-"], "");
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("There is no run: ") && answer.out.contains("Lagrange"));
}

#[test]
fn what_is_wrong_is_refused() {
    let answer = galilei(&["report", "-", "--json"], "coord x\nkinetic: y\n");
    assert_eq!(answer.code, 1);
    assert_eq!(*answer.json().get("ok"), Json::Bool(false));
    let answer = galilei(&["report", "-", "-o", "/nowhere/at/all.html"], PENDULUM);
    assert!(
        answer.code == 1 && answer.err.contains("cannot_write"),
        "{}",
        answer.err
    );
    let answer = galilei(&["simulate", "-", "--plot", "run.png"], PENDULUM);
    assert!(
        answer.code == 1 && answer.err.contains("unknown_format"),
        "{}",
        answer.err
    );
}

#[test]
fn a_run_is_drawn() {
    let file = path(&folder("plot"), "run.svg");
    let answer = galilei(&["simulate", "-", "--plot", &file, "--quiet"], PENDULUM);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let svg = std::fs::read_to_string(&file).expect("a sheet");
    assert!(svg.starts_with("<svg xmlns=") && svg.trim_end().ends_with("</svg>"));
    for title in [
        "Coordinates",
        "Velocities",
        "Phase portrait of a",
        "Energies",
        "Energy balance",
    ] {
        assert!(svg.contains(&format!(">{title}</text>")), "{title}");
    }
}

/// The documents of all systems by a real LaTeX, where one is installed; no line is too wide.
#[test]
fn documents_compile() {
    let works = |program: &str| {
        let mut command = Command::new(program);
        command
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().is_ok_and(|s| s.success())
    };
    if !works("pdflatex") {
        eprintln!("no LaTeX is installed: the documents were not compiled");
        return;
    }
    let folder = folder("latex");
    for name in common::names(common::models(), ".gal") {
        let kept = common::models().join(format!("{name}.tex"));
        // Longer derivations are not kept, and nobody prints them.
        let Ok(source) = std::fs::read_to_string(&kept) else {
            continue;
        };
        let file = path(&folder, &format!("{name}.tex"));
        std::fs::write(&file, source).expect("a file");
        let run = Command::new("pdflatex")
            .args(["-interaction=nonstopmode", "-halt-on-error", &file])
            .current_dir(&folder)
            .output()
            .expect("LaTeX starts");
        let log = String::from_utf8_lossy(&run.stdout).into_owned();
        assert!(run.status.success(), "{name}: {log}");
        assert!(!log.contains("[U+"), "{name}: a letter was not written");
        let wide = log.lines().find(|l| l.starts_with("Overfull \\hbox"));
        assert!(wide.is_none(), "{name}: a line is too wide: {wide:?}");
    }
}
