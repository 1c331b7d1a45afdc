//! Models from dice: real models with tokens lost, doubled, exchanged and drawn from the grammar.

/// Models that between them use every statement.
pub(crate) const MODELS: [&str; 8] = [
    include_str!("../../../../models/kapitza-pendulum.gal"),
    "system \"Chain\"\nconst n = 3\nparam m[i in 1..n] = i [kg], l = 1 [m], g = 9.81 [m/s^2], c [N*s/m]\n\
     coord q[1..n] [rad]\nlet r[k in 1..n] = sum(j in 1..k: (l*sin(q[j]), -l*cos(q[j])))\n\
     for k in 1..n {\n  particle bob[k]: mass m[k] at r[k]\n  force f[k]: (0, sin(t*sqrt(g/l))*0) at r[k]\n}\n\
     gravity: (0, -g)\ninitial q[1] = 0.3, q[2]' = 1\nset\n",
    "param m = 1 [kg], J = 2 [kg*m^2], k = 5 [N/m], a = 30 [cm], w = 100 [rpm]\ncoord x [m], y [m], phi [deg]\n\
     body wheel: mass m inertia J at (x, y) angle phi\nspring s: stiffness k length a from (0, 0) to position(wheel, (a, 0))\n\
     damper d: coefficient k/w from (a, a) to (x, y)\nforce motor: torque k*a^2*sin(w*t) on wheel\n\
     output speed: norm(velocity(wheel, (a, 0)))\nevent top: phi rising terminal\ninitial x = 1, phi' = 3\nsimulate from 0 to 10 every 0.1 method radau tolerance 1e-9\n",
    "param A = 1, B = 2, C = 3, m = 1, g = 9\ncoord φ, θ, ψ\n\
     body top: mass m inertia (A, B, C) at (sin(θ)*sin(φ), -sin(θ)*cos(φ), cos(θ)) rotation zxz(φ, θ, ψ)\n\
     gravity: (0, 0, -g)\ninitial θ = 1, φ' = 1\noutput spin: omega(top).z\nsymmetry turn: φ = 1\n",
    "param m = 2, w = 3, B\ncoord x, y\nassume m > 0\nfunction V(r)\nmetric: x x = m, y y = m, x y = 0\nreference: x = -w*y, y = w*x\n\
     potential: V(sqrt(x^2 + y^2))\nvector potential: x = -B*y/2, y = B*x/2\nreference spin: x = -w*y, y = w*x\n\
     chart polar(r, φ): x = r*cos(φ), y = r*sin(φ)\ninitial x = 1\n",
    "coord x, y, phi\nkinetic: (x'^2 + y'^2 + phi'^2)/2\nconstraint blade: x'*sin(phi) = y'*cos(phi)\nconstraint place: x^2 + y^2 = 1\n\
     dependent y'\ninitial x = 1, y' = 0\noutput force: reaction(blade) + multiplier(place)\ndissipation drag: x'^2 + y'^2\n",
    "coord x\nlet f(s, k) = s^k + if(s < 1, 0, s), g(s) = f(s, 2)\nlagrangian: x'^2/2 - exp(-x^2)*log(2 + sin(x))\nforce dry: x = -sign(x')*max(0, min(1, abs(x))) + g(x)\nevent: g(x) falling\n",
    "coord a, b, c, d\nbody top: mass 1 inertia (1, 2, 3) at (0, 0, 0) rotation quaternion(a, b, c, d)\ninitial a = 1\nforce: torque (0, 0, 1) on top\n",
];

/// Words and marks of the grammar, with some that do harm.
const WORDS: [&str; 96] = [
    "system",
    "const",
    "param",
    "coord",
    "let",
    "function",
    "assume",
    "particle",
    "body",
    "gravity",
    "spring",
    "damper",
    "kinetic",
    "potential",
    "lagrangian",
    "vector",
    "metric",
    "reference",
    "force",
    "dissipation",
    "constraint",
    "dependent",
    "chart",
    "symmetry",
    "initial",
    "output",
    "event",
    "simulate",
    "for",
    "in",
    "mass",
    "at",
    "inertia",
    "angle",
    "rotation",
    "zxz",
    "quaternion",
    "stiffness",
    "length",
    "from",
    "to",
    "torque",
    "on",
    "rising",
    "terminal",
    "x",
    "y",
    "q",
    "q[1]",
    "q[k]",
    "x'",
    "x''",
    "t",
    "pi",
    "k",
    "n",
    "m",
    "\n",
    "\n",
    "\n",
    ";",
    ",",
    ":",
    "=",
    "<",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "^",
    ".",
    "..",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "'",
    "\"",
    "#",
    "0",
    "1",
    "2.5",
    "1e9",
    "1e9999",
    "-1",
    "10000",
    "1..n",
    "sin(",
    "D(",
    "sum(k in 1..n:",
    "sqrt(-1)",
    "1/0",
    "θ̇",
];

/// A generator of numbers: the same seed, the same numbers.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % n.max(1) as u64) as usize
    }
}

/// Words, numbers, marks and white space of a text.
fn tokens(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = false;
    for c in text.chars() {
        let joins = c.is_alphanumeric() || c == '_';
        match out.last_mut() {
            Some(last) if word && joins => last.push(c),
            _ => out.push(c.to_string()),
        }
        word = joins;
    }
    out
}

/// A model that may be wrong in any way.
pub(crate) fn draw(dice: &mut Dice) -> String {
    match dice.below(30) {
        0 => return garbage(dice),
        1 => return deep(dice),
        2 => return definitions(dice),
        _ => {}
    }
    let mut list = tokens(MODELS[dice.below(MODELS.len())]);
    for _ in 0..[1, 1, 1, 1, 2, 3][dice.below(6)] {
        let (i, j) = (dice.below(list.len()), dice.below(list.len()));
        let n = 1 + dice.below(6);
        match dice.below(10) {
            0 => drop(list.drain(i..(i + n).min(list.len()))),
            1 => {
                let copy: Vec<String> = list[i..(i + n).min(list.len())].to_vec();
                list.splice(j..j, copy);
            }
            2 => list.swap(i, j),
            3 | 4 => list[i] = WORDS[dice.below(WORDS.len())].into(),
            5 => list.insert(i, format!(" {} ", WORDS[dice.below(WORDS.len())])),
            6 => {
                // A statement of another model.
                let other = MODELS[dice.below(MODELS.len())];
                let lines: Vec<&str> = other.lines().collect();
                let line = lines[dice.below(lines.len())];
                let at = list[..i]
                    .iter()
                    .rposition(|t| t == "\n")
                    .map_or(0, |k| k + 1);
                list.insert(at, format!("{line}\n"));
            }
            _ => {
                // A name for a name.
                let names: Vec<usize> = (0..list.len())
                    .filter(|&k| list[k].starts_with(char::is_alphabetic))
                    .collect();
                if let (false, k) = (names.is_empty(), dice.below(names.len())) {
                    list[names[k]] = list[names[dice.below(names.len())]].clone();
                }
            }
        }
        if list.is_empty() {
            break;
        }
    }
    list.concat()
}

fn garbage(dice: &mut Dice) -> String {
    let length = [40, 400, 4000, 20_000][dice.below(4)];
    match dice.below(3) {
        0 => (0..length)
            .map(|_| WORDS[dice.below(WORDS.len())])
            .collect::<Vec<_>>()
            .join(" "),
        1 => (0..length)
            .map(|_| char::from_u32(dice.below(0x3000) as u32).unwrap_or('x'))
            .collect(),
        _ => WORDS[dice.below(WORDS.len())].repeat(length),
    }
}

fn deep(dice: &mut Dice) -> String {
    let n = [10, 100, 199, 250, 5000][dice.below(5)];
    let (open, close) = [
        ("(", ")"),
        ("sin(", ")"),
        ("-", ""),
        ("2^", ""),
        ("D(", ")"),
        ("if(x < 1, 2, ", ")"),
        ("(1, ", ")"),
        ("sum(k in 1..2: ", ")"),
        ("x[", "]"),
    ][dice.below(9)];
    let e = format!("{}x{}", open.repeat(n), close.repeat(n));
    let blocks = [0, 0, 0, 0, 3, 100][dice.below(6)];
    format!(
        "coord x\nkinetic: x'^2/2\n{}potential: {e}{}\n",
        "for k in 1..2 { ".repeat(blocks),
        "}".repeat(blocks)
    )
}

/// Chains of definitions: long, doubling, circular.
fn definitions(dice: &mut Dice) -> String {
    let n = [5, 5, 30, 30, 200, 1000][dice.below(6)];
    let step = [
        "a{}*a{} + 1",
        "sin(a{})",
        "a{} + a{}*x",
        "a{}^2",
        "1/(a{} + x)",
        "f(a{})",
        "sqrt(1 + a{}^2)",
        "a{}^a{}",
    ][dice.below(8)];
    let mut text =
        String::from("coord x\nlet f(s) = g(s) + s, g(s) = s*s\nkinetic: x'^2/2\nlet a0 = x\n");
    for k in 0..n {
        text += &format!("let a{} = {}\n", k + 1, step.replace("{}", &k.to_string()));
    }
    if dice.below(3) == 0 {
        text = text.replace("let a0 = x", &format!("let a0 = a{}", dice.below(n)));
    }
    if dice.below(3) == 0 {
        text = text.replace("g(s) = s*s", "g(s) = f(s) + 1");
    }
    format!("{text}potential: a{n}\n")
}
