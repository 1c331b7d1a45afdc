//! `galilei export`: source files compiled and run, against `galilei eval`, whose numbers come from exact
//! expressions with 256 bits.

mod common;

use std::path::Path;
use std::process::Command;

use common::{Json, galilei, model, models, names, scratch};

/// Whether the machine has a program.
fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output();
    let there = found.is_ok_and(|o| o.status.success());
    if !there {
        eprintln!("{program} is not on this machine: nothing is tested with it");
    }
    there
}

/// A state of a model and what `eval` says there.
struct Case {
    t: f64,
    x: Vec<f64>,
    u: Vec<f64>,
    momenta: Vec<f64>,
    /// Accelerations, multipliers, mass matrix, energy, reaction, rates of the momenta.
    expected: Vec<f64>,
    quadratic: bool,
}

fn case(path: &str) -> Option<Case> {
    let answer = galilei(&["eval", path, "--json"], "");
    if answer.code != 0 {
        return None;
    }
    let json = answer.json();
    let constraints = json.get("constraints");
    let of_constraints = |key: &str| match constraints {
        Json::Null => vec![],
        some => some.get(key).numbers(),
    };
    // A connection has no multipliers.
    if let Json::Object(_) = constraints
        && constraints.get("multipliers").list().contains(&Json::Null)
    {
        return None;
    }
    let source = galilei(&["check", path, "--json"], "").json();
    let quadratic = *source.get("quadratic") == Json::Bool(true);
    let mut expected = json.get("acceleration").numbers();
    let n = expected.len();
    expected.extend(of_constraints("multipliers"));
    expected.extend(json.get("mass_matrix").flat());
    expected.push(json.get("hamiltonian").number());
    match constraints {
        Json::Null => expected.extend(vec![0.0; n]),
        some => expected.extend(some.get("reaction").numbers()),
    }
    if quadratic {
        expected.extend(json.get("momentum_rate").numbers());
    }
    Some(Case {
        t: json.get("time").number(),
        x: json.get("position").numbers(),
        u: json.get("velocity").numbers(),
        momenta: json.get("momentum").numbers(),
        expected,
        quadratic,
    })
}

fn export(path: &str, language: &str, to: &Path) -> bool {
    let to = to.to_str().unwrap();
    let words = ["export", path, "--lang", language, "--jacobian", "-o", to];
    let answer = galilei(&words, "");
    assert!(
        answer.code == 0
            || answer.err.contains("too_large")
            || ["contact", "friction", "impact"].iter().any(|kind| {
                let refusal = format!("not available for models with `{kind}` statements");
                answer.err.contains(&refusal)
            })
            || answer
                .err
                .contains("the Legendre transform of this Hamiltonian has no closed form"),
        "{path}: {}",
        answer.err
    );
    answer.code == 0
}

fn run(command: &mut Command) -> Vec<f64> {
    let done = command.output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(done.status.success(), "{}", text(&done.stderr));
    let words = text(&done.stdout);
    words
        .split_whitespace()
        .map(|w| w.parse().expect("a number"))
        .collect()
}

fn agree(name: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{name}");
    let size = expected.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-12 * size, "{name}: {a} {b}");
    }
}

fn list(numbers: &[f64], open: &str, close: &str) -> String {
    let words: Vec<String> = numbers.iter().map(|x| format!("{x:?}")).collect();
    format!("{open}{}{close}", words.join(", "))
}

/// Every model of the gallery that has numbers; the derivatives against differences of the accelerations.
#[test]
fn python_computes_what_eval_does() {
    if !has("python3") {
        return;
    }
    let folder = scratch("python");
    let mut tried = 0;
    for name in names(models(), ".gal") {
        let path = model(&name);
        let file = folder.join("exported.py");
        let Some(case) = case(&path).filter(|c| c.x.len() < 10) else {
            continue;
        };
        if !export(&path, "python", &file) {
            continue;
        }
        let hamilton = match case.quadratic {
            true => "out += e.hamilton(t, x, y)[1]",
            false => "assert not hasattr(e, 'hamilton')",
        };
        let driver = format!(
            "import exported as e\n\
             t, x, u, y = {:?}, {}, {}, {}\n\
             a, l = e.accelerations(t, x, u)\n\
             out = a + l + sum(e.mass_matrix(t, x, u), []) + [e.energy(t, x, u)] + e.reaction(t, x, u)\n\
             {hamilton}\n\
             z, worst = [t, *x, *u], 0.0\n\
             n, h = len(x), 1e-5\n\
             def at(k, d):\n\
             \x20   w = list(z); w[k] += d\n\
             \x20   return sum(e.accelerations(w[0], w[1:n+1], w[n+1:]), [])\n\
             j = e.jacobian(t, x, u)\n\
             size = 1.0 + max(abs(v) for row in j for v in row) + max(abs(v) for v in a)\n\
             for k in range(2*n + 1):\n\
             \x20   # At the knot of a table one side has the derivative.\n\
             \x20   v = [at(k, m*h) for m in (-2, -1, 0, 1, 2)]\n\
             \x20   for i in range(len(v[0])):\n\
             \x20       a, b, c, d, f = (w[i] for w in v)\n\
             \x20       slopes = ((d - b)/(2*h), (-3*c + 4*d - f)/(2*h), (3*c - 4*b + a)/(2*h))\n\
             \x20       worst = max(worst, min(abs(s - j[i][k]) for s in slopes)/size)\n\
             print(worst, *out)\n",
            case.t,
            list(&case.x, "[", "]"),
            list(&case.u, "[", "]"),
            list(&case.momenta, "[", "]"),
        );
        std::fs::write(folder.join("driver.py"), driver).unwrap();
        let mut python = Command::new("python3");
        let found = run(python.arg("-B").arg("driver.py").current_dir(&folder));
        assert!(
            found[0] < 1e-5,
            "{name}: derivatives differ by {}",
            found[0]
        );
        agree(&name, &found[1..], &case.expected);
        tried += 1;
    }
    assert!(tried >= 30, "{tried}");
}

const COMPILED: [&str; 5] = [
    "kapitza-pendulum",
    "double-pendulum",
    "chaplygin-sleigh",
    "charged-particle",
    "spherical-pendulum",
];

#[test]
fn c_computes_what_eval_does() {
    if !has("cc") {
        return;
    }
    let folder = scratch("c");
    let mut tried = 0;
    for name in COMPILED.iter().filter(|n| Path::new(&model(n)).exists()) {
        let path = model(name);
        let Some(case) = case(&path) else { continue };
        let file = folder.join("exported.c");
        assert!(export(&path, "c", &file));
        let source = std::fs::read_to_string(&file).unwrap();
        let prefix = source
            .split("_coordinates = ")
            .next()
            .and_then(|s| s.split_whitespace().last())
            .unwrap();
        let n = case.x.len();
        let m = case.expected.len() - 3 * n - n * n - 1;
        let driver = format!(
            "#include \"exported.c\"\n#include <stdio.h>\n\
             static void show(const double *v, int k) {{ for (int i = 0; i < k; i++) printf(\"%.17g \", v[i]); }}\n\
             int main(void) {{\n\
             double x[] = {}, u[] = {}, y[] = {}, a[{n}], l[{m} + 1] = {{0}}, g[{n}*{n}], r[{n}], d[{n}], w[{n}];\n\
             const double *p = {prefix}_defaults; double t = {:?};\n\
             if (!{prefix}_accelerations(t, x, u, p, a, l)) return 1;\n\
             show(a, {n}); show(l, {m});\n\
             {prefix}_mass_matrix(t, x, u, p, g); show(g, {n}*{n});\n\
             printf(\"%.17g \", {prefix}_energy(t, x, u, p));\n\
             if (!{prefix}_reaction(t, x, u, p, r)) return 1;\n\
             show(r, {n});\n\
             double j[({n} + {m})*(2*{n} + 1)]; if (!{prefix}_jacobian(t, x, u, p, j)) return 1;\n\
             if (!{prefix}_hamilton(t, x, y, p, d, w)) return 1;\n\
             show(w, {n}); return 0; }}\n",
            list(&case.x, "{", "}"),
            list(&case.u, "{", "}"),
            list(&case.momenta, "{", "}"),
            case.t,
        );
        std::fs::write(folder.join("driver.c"), driver).unwrap();
        let built = Command::new("cc")
            .args([
                "-std=c99",
                "-O1",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-Wno-type-limits",
            ])
            .args(["driver.c", "-o", "driver", "-lm"])
            .current_dir(&folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "{name}: {said}");
        agree(
            name,
            &run(&mut Command::new(folder.join("driver"))),
            &case.expected,
        );
        tried += 1;
    }
    assert!(tried >= 3, "{tried}");
}

#[test]
fn rust_computes_what_eval_does() {
    if !has("rustc") {
        return;
    }
    let folder = scratch("rust");
    for name in ["kapitza-pendulum", "chaplygin-sleigh"] {
        let path = model(name);
        let case = case(&path).unwrap();
        assert!(export(&path, "rust", &folder.join("exported.rs")));
        let driver = format!(
            "mod exported;\nfn main() {{\n\
             let (t, x, u, y, p) = ({:?}, {}, {}, {}, exported::DEFAULTS);\n\
             let (a, l) = exported::accelerations(t, &x, &u, &p).unwrap();\n\
             let mut out = [a, l, exported::mass_matrix(t, &x, &u, &p)].concat();\n\
             out.push(exported::energy(t, &x, &u, &p));\n\
             out.extend(exported::reaction(t, &x, &u, &p).unwrap());\n\
             out.extend(exported::hamilton(t, &x, &y, &p).unwrap().1);\n\
             assert!(exported::jacobian(t, &x, &u, &p).unwrap().iter().all(|v| v.is_finite()));\n\
             for v in out {{ print!(\"{{v:?}} \"); }} }}\n",
            case.t,
            list(&case.x, "[", "]"),
            list(&case.u, "[", "]"),
            list(&case.momenta, "[", "]"),
        );
        std::fs::write(folder.join("driver.rs"), driver).unwrap();
        let built = Command::new("rustc")
            .args([
                "--edition",
                "2021",
                "-D",
                "warnings",
                "driver.rs",
                "-o",
                "driver",
            ])
            .current_dir(&folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "{name}: {said}");
        agree(
            name,
            &run(&mut Command::new(folder.join("driver"))),
            &case.expected,
        );
    }
}

#[test]
fn julia_computes_what_eval_does() {
    if !has("julia") {
        return;
    }
    let folder = scratch("julia");
    let path = model("double-pendulum");
    let case = case(&path).unwrap();
    assert!(export(&path, "julia", &folder.join("exported.jl")));
    let driver = format!(
        "include(\"exported.jl\")\nusing .double_pendulum\n\
         t, x, u, y = {:?}, {}, {}, {}\n\
         a, l = accelerations(t, x, u)\n\
         out = [a; l; vec(mass_matrix(t, x, u)'); energy(t, x, u); reaction(t, x, u); hamilton(t, x, y)[2]]\n\
         println(join(out, \" \"))\n",
        case.t,
        list(&case.x, "[", "]"),
        list(&case.u, "[", "]"),
        list(&case.momenta, "[", "]"),
    );
    std::fs::write(folder.join("driver.jl"), driver).unwrap();
    let found = run(Command::new("julia").arg("driver.jl").current_dir(&folder));
    agree("julia", &found, &case.expected);
}

/// Two inputs with formulas, one of them feedback, in forces; a third with a number in the potential.
const DRIVEN: &str = "param m = 1.3, k = 2, c = 0.1\ncoord x, y\nkinetic: m*(x'^2 + y'^2)/2 + 0.3*x'*y'*cos(x)\n\
                      potential: k*(x^2 + y^2)/2 - w*x*y\ninput v = 2*u - c*x' + sin(t)\ninput u = 0.7\ninput w = 0.2\n\
                      force: x = u + v*y, y = u*v\n";
const DRIVEN_STATE: &str = "t = 0.4, x = 0.3, y = -0.2, x' = 0.5, y' = -0.7";

/// Accelerations, mass matrix, energy and rates of momenta of the driven model: by `eval`, and for given inputs by `eval` of a
/// model that has these numbers instead of formulas.
fn driven(values: Option<[f64; 3]>) -> Vec<f64> {
    let mut text = DRIVEN.to_owned();
    if let Some([v, u, w]) = values {
        for (old, new) in [
            ("input v = 2*u - c*x' + sin(t)", format!("input v = {v}")),
            ("input u = 0.7", format!("input u = {u}")),
            ("input w = 0.2", format!("input w = {w}")),
        ] {
            text = text.replace(old, &new);
        }
    }
    let json = galilei(&["eval", "-", "--at", DRIVEN_STATE, "--json"], &text).json();
    let mut out = json.get("acceleration").numbers();
    out.extend(json.get("mass_matrix").flat());
    out.push(json.get("hamiltonian").number());
    out.extend(json.get("momentum_rate").numbers());
    out
}

const GIVEN: [f64; 3] = [-0.4, 1.1, 0.9];

#[test]
fn inputs_are_arguments_of_python() {
    if !has("python3") {
        return;
    }
    let folder = scratch("python-inputs");
    let source = galilei(&["export", "-", "--to", "python", "--jacobian"], DRIVEN);
    std::fs::write(folder.join("exported.py"), source.out).unwrap();
    let driver = "import exported as e\n\
                  def show(i):\n\
                  \x20   s = (0.4, [0.3, -0.2], [0.5, -0.7])\n\
                  \x20   g = e.mass_matrix(*s, inputs=i)\n\
                  \x20   p = [sum(a*b for a, b in zip(row, s[2])) for row in g]\n\
                  \x20   return [*e.accelerations(*s, inputs=i)[0], *sum(g, []), e.energy(*s, inputs=i),\n\
                  \x20           *e.hamilton(s[0], s[1], p, inputs=i)[1]]\n\
                  print(*show(None), *show([-0.4, 1.1, 0.9]))\n\
                  assert not hasattr(e.jacobian, 'inputs') and 'inputs' not in e.jacobian.__code__.co_varnames\n\
                  try:\n\
                  \x20   e.energy(0.0, [0, 0], [0, 0], inputs=[1])\n\
                  \x20   assert False\n\
                  except ValueError:\n\
                  \x20   pass\n";
    std::fs::write(folder.join("driver.py"), driver).unwrap();
    let mut python = Command::new("python3");
    let found = run(python.arg("-B").arg("driver.py").current_dir(&folder));
    let expected = [driven(None), driven(Some(GIVEN))].concat();
    agree("python", &found, &expected);
}

#[test]
fn inputs_are_arguments_of_c() {
    if !has("cc") {
        return;
    }
    let folder = scratch("c-inputs");
    let text = format!("system \"driven\"\n{DRIVEN}");
    let source = galilei(&["export", "-", "--to", "c"], &text);
    std::fs::write(folder.join("exported.c"), source.out).unwrap();
    let driver = "#include \"exported.c\"\n#include <stdio.h>\n\
                  static void show(const double *v, int k) { for (int i = 0; i < k; i++) printf(\"%.17g \", v[i]); }\n\
                  static int all(const double *i) {\n\
                  double x[] = {0.3, -0.2}, u[] = {0.5, -0.7}, a[2], g[4], p[2], d[2], w[2], l[1];\n\
                  const double *q = driven_defaults;\n\
                  if (!driven_accelerations(0.4, x, u, q, i, a, l)) return 0;\n\
                  driven_mass_matrix(0.4, x, u, q, i, g);\n\
                  p[0] = g[0]*u[0] + g[1]*u[1]; p[1] = g[2]*u[0] + g[3]*u[1];\n\
                  const double e = driven_energy(0.4, x, u, q, i);\n\
                  if (!driven_hamilton(0.4, x, p, q, i, d, w)) return 0;\n\
                  show(a, 2); show(g, 4); show(&e, 1); show(w, 2); return 1; }\n\
                  int main(void) { const double i[driven_inputs] = {-0.4, 1.1, 0.9};\n\
                  return !(all(NULL) && all(i)); }\n";
    std::fs::write(folder.join("driver.c"), driver).unwrap();
    let built = Command::new("cc")
        .args([
            "-std=c99",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-type-limits",
        ])
        .args(["-Wno-unused-function", "driver.c", "-o", "driver", "-lm"])
        .current_dir(&folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    let expected = [driven(None), driven(Some(GIVEN))].concat();
    agree(
        "c",
        &run(&mut Command::new(folder.join("driver"))),
        &expected,
    );
}

#[test]
fn inputs_are_arguments_of_rust() {
    if !has("rustc") {
        return;
    }
    let folder = scratch("rust-inputs");
    let source = galilei(&["export", "-", "--to", "rust", "--jacobian"], DRIVEN);
    std::fs::write(folder.join("exported.rs"), source.out).unwrap();
    let driver = "mod exported;\nfn main() {\n\
                  let (x, u, q) = ([0.3, -0.2], [0.5, -0.7], exported::DEFAULTS);\n\
                  for i in [None, Some(&[-0.4, 1.1, 0.9])] {\n\
                  let g = exported::mass_matrix(0.4, &x, &u, &q, i);\n\
                  let p = [g[0]*u[0] + g[1]*u[1], g[2]*u[0] + g[3]*u[1]];\n\
                  let mut out = [exported::accelerations(0.4, &x, &u, &q, i).unwrap().0, g].concat();\n\
                  out.push(exported::energy(0.4, &x, &u, &q, i));\n\
                  out.extend(exported::hamilton(0.4, &x, &p, &q, i).unwrap().1);\n\
                  for v in out { print!(\"{v:?} \"); } } }\n";
    std::fs::write(folder.join("driver.rs"), driver).unwrap();
    let built = Command::new("rustc")
        .args(["--edition", "2021", "-D", "warnings", "driver.rs", "-o"])
        .arg("driver")
        .current_dir(&folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    let expected = [driven(None), driven(Some(GIVEN))].concat();
    agree(
        "rust",
        &run(&mut Command::new(folder.join("driver"))),
        &expected,
    );
}

#[test]
fn inputs_are_arguments_of_julia() {
    if !has("julia") {
        return;
    }
    let folder = scratch("julia-inputs");
    let text = format!("system \"driven\"\n{DRIVEN}");
    let source = galilei(&["export", "-", "--to", "julia"], &text);
    std::fs::write(folder.join("exported.jl"), source.out).unwrap();
    let driver = "include(\"exported.jl\")\nusing .driven\n\
                  x, u, q = [0.3, -0.2], [0.5, -0.7], driven.DEFAULTS\n\
                  for i in (nothing, [-0.4, 1.1, 0.9])\n\
                  g = mass_matrix(0.4, x, u, q, i)\n\
                  out = [accelerations(0.4, x, u, q, i)[1]; vec(g'); energy(0.4, x, u, q, i); hamilton(0.4, x, g*u, q, i)[2]]\n\
                  println(join(out, \" \"))\nend\n";
    std::fs::write(folder.join("driver.jl"), driver).unwrap();
    let found = run(Command::new("julia").arg("driver.jl").current_dir(&folder));
    let expected = [driven(None), driven(Some(GIVEN))].concat();
    agree("julia", &found, &expected);
}

/// The position that an input depends on is differentiated in a potential: a value alone does not give the force.
#[test]
fn inputs_of_energies_stay_at_formulas_that_change() {
    let text =
        "coord x, y\nkinetic: (x'^2 + y'^2)/2\ninput a = -3*x\ninput b = 2\npotential: a*x + b*y\n";
    let source = galilei(&["export", "-", "--to", "python"], text).out;
    assert!(source.contains("#   0  b = 2.0\n"), "{source}");
    assert!(source.contains("there are 1 inputs"));
}

#[test]
fn titles_are_no_code_and_unknown_languages_are_refused() {
    let text = "system \"x\\\\ @SYSTEM@ */ exit(1)\"\ncoord q\nkinetic: q'^2/2\n";
    for language in ["c", "rust", "python", "julia"] {
        let answer = galilei(&["export", "-", "--to", language], text);
        assert_eq!(answer.code, 0, "{}", answer.err);
        let lines = answer.out.lines().filter(|l| l.contains("exit(1)"));
        assert!(
            lines.clone().count() == 1 && lines.clone().all(|l| l.starts_with(['#', '/'])),
            "{}",
            answer.out
        );
    }
    // At the pole the mass matrix is singular: that is no concern of the equations.
    let pole = "coord a, b\nkinetic: (a'^2 + sin(a)^2*b'^2)/2\ninitial a = 0\n";
    assert_eq!(galilei(&["export", "-", "--to", "c"], pole).code, 0);
    let answer = galilei(&["export", "-", "--to", "cobol", "--json"], text);
    assert_eq!(answer.code, 1);
    assert!(answer.out.contains("unknown_language"));
}
