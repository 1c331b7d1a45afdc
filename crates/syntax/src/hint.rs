//! Hints: the forms of statements, and words of everyday speech and of other programs.

use crate::statement::WORDS;

/// Statements and their forms, the usual one first. The language reference lists them, too.
const FORMS: [(&str, &[&str]); 43] = [
    ("system", &["system \"Title\""]),
    ("const", &["const n = 4"]),
    ("param", &["param m = EXPR [unit]"]),
    ("coord", &["coord x [m], y [m]"]),
    ("let", &["let h = EXPR"]),
    ("function", &["function V(r)"]),
    ("input", &["input u [N] = EXPR"]),
    (
        "table",
        &["table f(s) = [(0, 1), (0.5, 2), …] linear | cubic | periodic | steps"],
    ),
    ("assume", &["assume m > 0, r > 0"]),
    (
        "particle",
        &[
            "particle NAME: mass M at (x, y)",
            "particle NAME: mass M in FRAME at (a, b, c)",
        ],
    ),
    (
        "frame",
        &[
            "frame NAME: in FRAME at (a, b) angle φ",
            "frame NAME: in FRAME at (a, b, c) rotation ROT",
        ],
    ),
    (
        "body",
        &[
            "body NAME: mass M inertia J at (x, y) angle φ",
            "body NAME: mass M inertia J in FRAME at (x, y) angle φ",
            "body NAME: mass M inertia (A, B, C) at (x, y, z) rotation zxz(φ, θ, ψ)",
        ],
    ),
    ("shape", &["shape NAME: sphere R on BODY"]),
    ("gravity", &["gravity: (0, -g)"]),
    ("spring", &["spring NAME: stiffness K length L from P to Q"]),
    ("damper", &["damper NAME: coefficient C from P to Q"]),
    ("kinetic", &["kinetic NAME: EXPR"]),
    ("potential", &["potential NAME: EXPR"]),
    ("lagrangian", &["lagrangian NAME: EXPR"]),
    ("hamiltonian", &["hamiltonian NAME: EXPR"]),
    ("vector", &["vector potential NAME: x = EXPR, y = EXPR"]),
    ("metric", &["metric: x x = EXPR, x y = EXPR, …"]),
    ("reference", &["reference NAME: x = EXPR, …"]),
    (
        "force",
        &[
            "force NAME: x = EXPR, …",
            "force NAME: (Fx, Fy) at (px, py)",
            "force NAME: torque M on BODY",
        ],
    ),
    ("dissipation", &["dissipation NAME: EXPR"]),
    ("constraint", &["constraint NAME: EXPR = EXPR"]),
    ("reaction", &["reaction CONSTRAINT: x = EXPR, …"]),
    (
        "contact",
        &["contact NAME: GAP >= 0 restitution E friction MU along (T, …)"],
    ),
    ("friction", &["friction NAME: limit F static F0 along V"]),
    ("impact", &["impact NAME: EVENT x' = EXPR, …"]),
    ("dependent", &["dependent x', y'"]),
    ("chart", &["chart NAME(r, φ): x = EXPR, y = EXPR"]),
    ("inverse", &["inverse NAME: r = EXPR, φ = EXPR"]),
    ("atlas", &["atlas: NAME, …"]),
    ("symmetry", &["symmetry NAME: x = EXPR, …"]),
    ("variation", &["variation NAME: x = EXPR, …"]),
    ("initial", &["initial x = EXPR, x' = EXPR"]),
    ("output", &["output NAME: EXPR"]),
    ("event", &["event NAME: EXPR rising|falling|both terminal"]),
    (
        "simulate",
        &["simulate from 0 to 10 every 0.01 method taylor tolerance 1e-10"],
    ),
    ("action", &["action form: FORM"]),
    ("acceleration", &["acceleration: x = EXPR, …"]),
    ("for", &["for k in 1..n { … }"]),
];

/// The forms of a statement, the usual one first; none for a word that starts no statement.
pub fn statement_forms(word: &str) -> &'static [&'static str] {
    let entry = FORMS.into_iter().find(|(w, _)| *w == word);
    entry.map_or(&[], |(_, forms)| forms)
}

/// The hint that shows the form of a statement: the first one with this clause, otherwise the usual one.
pub(crate) fn form_with(statement: &str, clause: &str) -> Option<String> {
    let forms = statement_forms(statement);
    let has = |form: &&&str| form.split(' ').any(|w| w == clause);
    let form = forms.iter().find(has).or_else(|| forms.first())?;
    Some(format!("the statement has the form `{form}`"))
}

/// The statement that a word means which starts none, and a sentence that says how it is written.
pub(crate) fn meant_by(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word.to_lowercase().as_str() {
        "point" | "position" => ("let", "a point is a tuple with a name: `let P = (x, y)`"),
        "define" | "def" | "set" | "where" => ("let", "a name is given by `let h = EXPR`"),
        "mass" | "pointmass" => (
            "particle",
            "a point mass is `particle NAME: mass M at (x, y)`",
        ),
        "rod" | "bar" | "link" | "disk" | "disc" | "wheel" | "rigid" | "rigidbody" => (
            "body",
            "a rigid body is `body NAME: mass M inertia J at (x, y) angle φ`",
        ),
        "torque" | "moment" => (
            "force",
            "a torque is the force on an angle, `force NAME: theta = EXPR`, or acts on a body, `force NAME: torque M on BODY`",
        ),
        "drag" | "damping" | "load" | "motor" => (
            "force",
            "a force on a coordinate is `force NAME: x = -c*x'`, between two points `damper NAME: coefficient C from P to Q`",
        ),
        "joint" | "hinge" | "pin" | "revolute" | "rolling" => (
            "constraint",
            "a joint is a choice of coordinates, or an equation: `constraint NAME: EXPR = EXPR`",
        ),
        "var" | "variable" | "variables" | "state" | "states" | "dof" | "unknown" => {
            ("coord", "coordinates are `coord x [m], theta [rad]`")
        }
        "ic" | "start" => ("initial", "a start is `initial x = 1, x' = 0`"),
        "solve" | "integrate" | "run" | "tspan" | "time" => {
            ("simulate", "a run is `simulate to 10`")
        }
        "print" | "plot" | "measure" | "observe" => ("output", "an output is `output NAME: EXPR`"),
        "energy" => (
            "kinetic",
            "energies are `kinetic: EXPR` and `potential: EXPR`",
        ),
        _ => return None,
    })
}

/// The statement that a word goes on from, or begins: `coordinate`, `sim`.
pub(crate) fn longer_or_shorter(word: &str) -> Option<&'static str> {
    let long = |w: &str| w.len() >= 4 && word.starts_with(w);
    let short = |w: &str| word.len() >= 3 && w.starts_with(word);
    WORDS.into_iter().find(|w| long(w) || short(w))
}

/// The hint for a unit behind a value that has one already.
pub(crate) const UNITS_ELSEWHERE: &str = "units stand where a name is declared: `param m = 1 [kg]`, `coord theta [deg]`; a number alone in `initial` has the \
     unit of its coordinate";

/// Units that are often written without brackets.
const FREQUENT_UNITS: [&str; 20] = [
    "kg", "g", "m", "cm", "mm", "km", "s", "ms", "min", "h", "N", "Nm", "J", "W", "Hz", "rad",
    "deg", "Pa", "C", "T",
];

/// The hint for a unit without brackets in a statement; `rest` is the text from the unit to the end of the entry.
pub(crate) fn bare_unit(statement: &str, rest: &str) -> Option<String> {
    let letters = |c: char| c.is_alphabetic();
    let first = rest.split(|c| !letters(c)).next()?;
    let is_unit = |c: char| c.is_alphanumeric() || "*/^-() ".contains(c);
    if !FREQUENT_UNITS.contains(&first) || !rest.chars().all(is_unit) {
        return None;
    }
    match statement {
        "param" | "coord" | "input" => Some(format!(
            "units are in brackets: write [{rest}]; write * for a product"
        )),
        "const" => Some(format!(
            "a constant has no unit: write `param NAME = … [{rest}]`; write * for a product"
        )),
        "initial" => Some(UNITS_ELSEWHERE.to_owned()),
        _ => None,
    }
}
