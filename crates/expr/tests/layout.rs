//! Formulas as they are drawn: snapshots in three media, and errors that a printer must not make.

mod common;
#[path = "common/draw.rs"]
mod draw;
#[path = "common/tree.rs"]
mod tree;

use common::read;
use draw::{Bytes, Dice, Menu};
use galilei_expr::{Differential, Expr, Layout, Place, Plain, Pool, Shared, Sign, Style};
use tree::Tree;

/// Names of the formulas below: parameters in the order of the alphabet of mechanics, then
/// coordinates, velocities, accelerations.
struct Mechanics;

const PARAMETERS: [&str; 17] = [
    "M", "m", "m_1", "m_2", "l", "l_1", "l_2", "L", "g", "a", "w", "c", "k", "A", "B", "C", "t",
];

impl Style for Mechanics {
    fn place(&self, name: &str) -> Place {
        match PARAMETERS.iter().position(|p| *p == name) {
            Some(k) => Place {
                rank: 0,
                position: k as u32,
            },
            None => Place {
                rank: 1 + name.matches('\'').count() as u8,
                position: 0,
            },
        }
    }
}

/// A formula of the test reader; names it cannot read are written with dollars there.
fn formula<'p>(pool: &'p Pool, text: &str) -> Expr<'p> {
    let names = [
        ("Q1", "q[1]'"),
        ("PT", "p(theta)"),
        ("LN", "multiplier(N)"),
        ("DX", "delta(x)"),
        ("JX", "jacobi(x)"),
        ("Q12", "q[1,2]"),
        ("BS", "s#"),
    ];
    let pairs: Vec<_> = names
        .iter()
        .map(|(from, to)| (pool.symbol(from), pool.symbol(to)))
        .collect();
    read(pool, text).substitute(&pairs)
}

/// Formulas of the snapshot.
const FORMULAS: [&str; 44] = [
    "m*l^2*theta'' + c*theta' + m*l*(g - a*w^2*cos(w*t))*sin(theta)",
    "m*l^2*theta'^2/2 + m*g*l*cos(theta)",
    "(x'^2 + y'^2)*m/2 - m*g*y",
    "x'^2/2 + y'^2/2",
    "L^2/(2*m*r^2) - k/r",
    "1 - cos(theta)",
    "x^2 - 2*x + 1",
    "-(x + y)*z/3",
    "sin(theta_1 - theta_2)^2*theta_1'^2",
    "(m_1 + m_2)*x''",
    "(l_1^2 + l_2^2 + 2*l_1*l_2*cos(theta_2))*theta_1'^2",
    "x/(x^2 + y^2)^(3/2)",
    "x^(1/3) + y^(1/5) + z^(2/3)",
    "sqrt(2)*x",
    "2*3^x",
    "x^(y/2)",
    "x*exp(-k*t/2)",
    "V(r)^2",
    "diff(diff(V(r), r), r)*r",
    "m*diff(F(x, y), x)",
    "diff(diff(F(x, y), x), y)*diff(F(x, y), x)^2",
    "diff(F(x, 2*y), y)",
    "abs(x)^3*y",
    "sign(x/y)",
    "atan2(y, x) + min(x, y)^2",
    "2*if(x <= 0, 1, -x)",
    "Q1^2 + Q12",
    "PT^2/(2*m)",
    "LN*JX",
    "DX^2",
    "c1 + x10 + x2",
    "x + pi/4",
    "9.81*m - 3/7*x",
    "1/(2*x + 2*y)",
    "x/2 + 3*y/2",
    "1/(a*sin(x)^2)",
    "sin(x)*cos(x)*(x + 1)",
    "asin(x/l)*log(x)^2",
    "bob' + x_max^2*v_bob",
    "x*(y*(z + 1) + 1)",
    "sin(sqrt(x)) - sqrt(x)^3",
    "sin(x^2)*cos(2*x)*tan(x')",
    "phi'*cos(theta) + psi'",
    "1/0",
];

fn drawn(pool: &Pool) -> Vec<(String, Layout)> {
    let draw = |text: &str| formula(pool, text).layout(&Mechanics);
    let mut list: Vec<(String, Layout)> = FORMULAS
        .iter()
        .map(|text| (text.to_string(), draw(text)))
        .collect();
    let s = pool.bound_variable();
    let d = |x: &str| Layout::name(x).differential();
    let integral = pool.integral(s, formula(pool, "x*F(BS*x) + 1"));
    let form = Layout::combination([
        (draw("m*l + 1"), Layout::wedge([d("theta"), d("t")])),
        (draw("-1/r"), Layout::wedge([d("r"), d("theta'")])),
        (draw("-1"), d("x")),
        (draw("0"), d("y")),
    ]);
    let field = Layout::combination([
        (draw("1"), Layout::name("t").coordinate_field()),
        (draw("theta'"), Layout::name("theta").coordinate_field()),
        (
            draw("-sin(theta)"),
            Layout::name("theta'").coordinate_field(),
        ),
    ]);
    let matrix = Layout::Matrix(vec![
        vec![draw("M + m"), draw("m*l*cos(theta)/2")],
        vec![draw("0"), draw("-m*l^2")],
    ]);
    let total = Layout::Derivative(
        Differential::Total,
        Box::new(draw("x^2")),
        vec![(Layout::name("t"), 2)],
    );
    let chain = draw("x")
        .related(Sign::LessEqual, draw("y + 1"))
        .equals(draw("-z"));
    list.extend([
        ("integral".into(), integral.layout(&Mechanics)),
        ("form".into(), form),
        ("field".into(), field),
        ("matrix".into(), matrix),
        ("total".into(), total),
        ("chain".into(), chain),
        (
            "tuple".into(),
            Layout::Tuple(vec![draw("x/2"), draw("1/y")]),
        ),
    ]);
    list
}

/// The drawn formulas equal the snapshot, which was reviewed by eye. `UPDATE_SNAPSHOTS=1` rewrites the file.
#[test]
fn formulas_are_drawn_as_before() {
    let pool = Pool::new();
    let mut out = String::new();
    for (source, layout) in drawn(&pool) {
        out += &format!(
            "{source}\n  {}\n  {}\n  {}\n",
            layout.to_text(),
            layout.to_latex(),
            layout.to_mathml(false)
        );
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/layout.snapshot");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(path, &out).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap();
    for (line, (got, want)) in out.lines().zip(expected.lines()).enumerate() {
        assert_eq!(got, want, "line {}", line + 1);
    }
    assert_eq!(out.lines().count(), expected.lines().count());
}

/// Random expressions, the same ones every time.
fn random(n: u64, depth: usize, mut f: impl FnMut(Expr<'_>)) {
    for seed in 0..n {
        let bytes = Dice::new(seed).bytes(96);
        let pool = Pool::new();
        f(Tree::draw(&mut Bytes::new(&bytes), &Menu::ALL, depth).build(&pool));
    }
}

/// Braces, brackets of environments and fences of a LaTeX text come in pairs.
fn latex_is_balanced(text: &str) -> Result<(), String> {
    let (mut depth, mut previous) = (0i32, ' ');
    for c in text.chars() {
        match c {
            '{' if previous != '\\' => depth += 1,
            '}' if previous != '\\' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return Err(format!("a brace too many: {text}"));
        }
        previous = c;
    }
    let count = |s: &str| text.matches(s).count();
    let pairs = [
        (r"\left", r"\right"),
        (r"\begin", r"\end"),
        (r"\lvert", r"\rvert"),
    ];
    match pairs.iter().find(|(a, b)| count(a) != count(b)) {
        _ if depth != 0 => Err(format!("a brace is missing: {text}")),
        Some((a, b)) => Err(format!("{a} without {b}: {text}")),
        None => Ok(()),
    }
}

/// Every element is closed in its turn, and fractions, scripts and roots have their children.
fn mathml_is_well_formed(text: &str) -> Result<(), String> {
    let mut open: Vec<(&str, usize)> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let end = rest[at..].find('>').ok_or("no >")? + at;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let (last, children) = open.pop().ok_or("closed too often")?;
            let wanted = match name {
                "mfrac" | "msup" | "msub" | "mover" | "mroot" => Some(2),
                "msubsup" => Some(3),
                _ => None,
            };
            if last != name || wanted.is_some_and(|n| n != children) {
                return Err(format!("{name} with {children} children: {text}"));
            }
        } else {
            if let Some(parent) = open.last_mut() {
                parent.1 += 1;
            }
            if !tag.ends_with('/') {
                open.push((tag.split(' ').next().unwrap_or(tag), 0));
            }
        }
    }
    match open.is_empty() {
        true => Ok(()),
        false => Err(format!("not closed: {text}")),
    }
}

/// The `<math>` elements of a formula that flows.
fn pieces(flow: &str) -> Vec<String> {
    let parts = flow.split_inclusive("</math>");
    let parts = parts.filter_map(|p| p.find("<math>").map(|k| p[k..].to_owned()));
    parts.collect()
}

#[test]
fn markup_is_well_formed() {
    random(3000, 4, |e| {
        let layout = e.layout(&Mechanics);
        for text in [
            layout.to_latex(),
            layout.to_latex_lines(40),
            layout.to_latex_flow(12),
        ] {
            latex_is_balanced(&text).unwrap();
        }
        mathml_is_well_formed(&layout.to_mathml(true)).unwrap();
        for piece in pieces(&layout.to_mathml_flow(12)) {
            mathml_is_well_formed(&piece).unwrap();
        }
        assert_eq!(pieces(&layout.to_mathml_flow(usize::MAX)).len(), 1);
    });
    let pool = Pool::new();
    for (_, layout) in drawn(&pool) {
        latex_is_balanced(&layout.to_latex()).unwrap();
        mathml_is_well_formed(&layout.to_mathml(true)).unwrap();
    }
    // The checks detect errors.
    assert!(latex_is_balanced(r"\frac{x}{y").is_err());
    assert!(latex_is_balanced(r"\left(x)").is_err());
    assert!(mathml_is_well_formed("<math><mfrac><mi>x</mi></mfrac></math>").is_err());
    assert!(mathml_is_well_formed("<math><mi>x</math>").is_err());
}

/// Parentheses where the meaning needs them, and nowhere else.
#[test]
fn parentheses() {
    let pool = Pool::new();
    for (source, text) in [
        ("a*(x + y)", "a (x + y)"),
        ("x + (y + z)", "x + y + z"),
        ("x*(y*z)", "x y z"),
        ("x - (y - z)", "x − y + z"),
        ("(x*y)/z", "x y/z"),
        ("x/(y*z)", "x/(y z)"),
        ("x/y/z", "x/(y z)"),
        ("(x + y)/z", "(x + y)/z"),
        ("x/(y + z)", "x/(y + z)"),
        ("1/x^2", "1/x²"),
        ("(x + y)^2", "(x + y)²"),
        ("(x*y)^2", "x² y²"),
        ("sqrt(x)", "√x"),
        ("sqrt(x*y)", "√(x y)"),
        ("sqrt(V(x))", "√V(x)"),
        ("sin(x)^2", "sin² x"),
        ("sin(x + y)^2", "sin²(x + y)"),
        ("sin(x_1)", "sin x₁"),
        ("sin(x/2)", "sin(½ x)"),
        ("exp(x)^2", "exp(2 x)"),
        ("-(x + y)*z", "−z (x + y)"),
        ("sin(-x)", "−sin x"),
        ("-k*(x^2 - y^2)/(x - z)", "k (y² − x²)/(x − z)"),
        ("x^(-1/2)", "1/√x"),
        ("abs(x + y)", "|x + y|"),
        ("(x^y)^z", "x^(y z)"),
        ("x^(y + 1)", "x^(y + 1)"),
    ] {
        assert_eq!(formula(&pool, source).layout(&Mechanics).to_text(), text);
    }
}

/// Lines are as long as allowed, and together they are the text.
#[test]
fn lines_fit() {
    let pool = Pool::new();
    let long = "m_1*l_1^2*theta_1''*(1 + cos(theta_2)) - m_2*l_2*(g*sin(theta_1) + a*w^2*cos(w*t)\
                *sin(theta_2) - l_1*theta_1'^2) + c*theta_1' - k*(theta_1 - theta_2) + M*g*l*t";
    let layout = Layout::name("F").equals(formula(&pool, long).layout(&Mechanics));
    let squeeze = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ");
    for width in [40, 60, 80, 200] {
        let lines = layout.to_lines(width, 4);
        for line in &lines {
            let columns = line
                .chars()
                .filter(|c| !('\u{300}'..='\u{36f}').contains(c));
            assert!(columns.count() <= width, "{line} at {width}");
        }
        assert_eq!(squeeze(&lines.join(" ")), squeeze(&layout.to_text()));
    }
    assert_eq!(layout.to_lines(500, 4).len(), 1);
    assert!(layout.to_latex_lines(500).starts_with("F = "));
    let rows = layout.to_latex_lines(40);
    assert!(rows.starts_with("\\begin{aligned}\nF &= "), "{rows}");
    assert!(rows.matches("&\\quad").count() >= 2, "{rows}");
    latex_is_balanced(&rows).unwrap();
}

/// Every text of shared expressions reads back, and together they are what was shared.
fn reads_back<'p>(shared: &Shared<'p>, exprs: &[Expr<'p>]) -> Result<(), String> {
    let Some(first) = exprs.first() else {
        return Ok(());
    };
    let pool = first.pool();
    let all = shared.definitions.iter().map(|d| &d.1).chain(&shared.exprs);
    for e in all {
        let text = e.to_string();
        if text.len() > 64_000 || text.contains(" where ") {
            return Err(format!("a text of {} bytes", text.len()));
        }
        if !text.contains("integral") && read(pool, &text) != *e {
            return Err(format!("{text} reads back differently"));
        }
    }
    for (&e, back) in exprs.iter().zip(shared.expand()) {
        if e != back && e.decide_equal(back).is_refuted() {
            return Err(format!("{back} instead of {e}"));
        }
    }
    Ok(())
}

#[test]
fn shared_expressions_read_back() {
    let mut names = 0;
    random(500, 5, |e| {
        let pool = e.pool();
        let exprs = [e, e.diff(pool.symbol("x"))];
        for budget in [0, 100, 100_000] {
            let shared = pool.share(&exprs, budget);
            names += shared.definitions.len();
            reads_back(&shared, &exprs).unwrap();
        }
    });
    assert!(names > 1000, "{names}");
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let wrong = Shared {
        exprs: vec![x],
        definitions: vec![],
    };
    assert!(reads_back(&wrong, &[y]).is_err());
}

/// A tree of 2²⁰⁰ nodes, a chain of 10⁵, a sum of 10⁵ terms: all are printed, in short texts.
#[test]
fn large_graphs_print_in_pieces() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let mut bush = x;
    for k in 1..200 {
        bush = (bush * bush + y).sin() + k * bush;
    }
    let mut chain = x;
    for k in 0..100_000 {
        chain = (chain + k).sin();
    }
    let wide = pool.sum((0..100_000).map(|k| pool.symbol(&format!("x_{k}")).cos() * k));
    let product = pool.product((0..20_000).map(|k| pool.symbol(&format!("x_{k}")).cos()));
    for e in [bush, chain, wide, product] {
        let shared = pool.share(&[e], 10_000);
        assert!(!shared.definitions.is_empty());
        let longest = shared.definitions.iter().map(|d| d.1).chain(shared.exprs);
        let mut most = 0;
        for part in longest {
            let layout = part.layout(&Mechanics);
            assert!(!matches!(layout, Layout::Where(..)));
            most = most
                .max(part.to_string().len())
                .max(layout.to_latex().len());
        }
        assert!(most < 64_000, "{most}");
        let layout = e.layout(&Mechanics);
        assert!(matches!(layout, Layout::Where(..)));
        assert!(layout.to_text().len() < 100 * e.node_count());
    }
}

/// A long part gets a name in a formula that is too long with it, and in no other: m·c₁ = 0 would tell the reader nothing.
#[test]
fn only_long_formulas_are_taken_apart() {
    let pool = Pool::new();
    let m = pool.symbol("m");
    let sum = |letter: &str, n: usize| {
        let terms = (0..n).map(|k| pool.symbol(&format!("{letter}{k}")).sin());
        pool.sum(terms)
    };
    let [a, b] = ["a", "b"].map(|letter| m * sum(letter, 14));
    assert!([a, b].iter().all(|e| e.to_string().len() > 100));
    assert!(pool.share(&[a, b], 400).definitions.is_empty());
    let long = m * (sum("a", 14) * sum("b", 14) * sum("c", 14) + 1);
    assert!(!pool.share(&[long], 400).definitions.is_empty());
}

/// The names of abbreviations avoid those in use, and all that are drawn like them.
#[test]
fn abbreviations_are_fresh() {
    for taken in ["c1", "c_1", "c[1]", "c₁", "c1'"] {
        let pool = Pool::new();
        let [c1, x] = pool.symbols([taken, "x"]);
        let part = (c1 + x + x.sin() + c1.exp()).sqrt();
        let shared = pool.share(&[part.sin(), part.cos()], 0);
        assert_eq!(shared.definitions[0].0.to_string(), "c2", "{taken}");
        assert_eq!(shared.expand(), [part.sin(), part.cos()]);
        // Names that the expressions do not contain are avoided if they are passed.
        let avoiding = pool.share_avoiding(&[part.sin(), part.cos()], 0, ["x", "c_2", "c3"]);
        assert_eq!(avoiding.definitions[0].0.to_string(), "c4", "{taken}");
    }
}

/// Flowing formulas keep their meaning: parentheses replace the grouping of fractions and roots.
#[test]
fn flowing_formulas_keep_their_parentheses() {
    let pool = Pool::new();
    let [a, b, c, d, x] = pool.symbols(["a", "b", "c", "d", "x"]);
    let seen = |e: Expr<'_>| {
        let pieces = e.layout(&Plain).to_mathml_flow(5);
        let mut text = String::new();
        for part in pieces.split('<') {
            text.push_str(part.split_once('>').map_or("", |p| p.1));
        }
        text.replace([' ', '\u{202f}', '\u{2009}'], "")
    };
    for (e, flowing, latex) in [
        ((a + b) / (c + d), "(a+b)/(c+d)", "(a + b)/(c + d)"),
        (x - (a + b) / (c * d), "x−(a+b)/(cd)", "x - (a + b)/(c d)"),
        ((a + b).sqrt() * (c + d).sqrt(), "(a+b)1/2(c+d)1/2", ""),
        (((a + b) / (c + d)).sin(), "sin((a+b)/(c+d))", ""),
        ((a + b + c).pow(2) * (c - d), "(c−d)(a+b+c)2", ""),
    ] {
        assert_eq!(seen(e), flowing);
        if !latex.is_empty() {
            assert_eq!(e.layout(&Plain).to_latex_flow(5), latex);
        }
    }
}

#[test]
fn what_carries_indices_or_is_differentiated_flows() {
    use galilei_expr::Differential;
    let pool = Pool::new();
    let [a, b, c] = pool.symbols(["a", "b", "c"]);
    let sum = (a + b + c).layout(&Plain);
    let ends = Layout::Tuple(vec![sum.clone()])
        .indexed(Layout::name("t"))
        .power(Layout::name("s"));
    let below = Layout::Subscript(Box::new(sum.clone()), Box::new(Layout::name("t")));
    let bounds = Layout::Power(Box::new(below.clone()), Box::new(Layout::name("s")));
    let rate = Layout::Derivative(
        Differential::Total,
        Box::new(sum),
        vec![(Layout::name("t"), 1)],
    );
    for (layout, script) in [
        (below, "<msub><mo"),
        (bounds, "<msubsup><mo"),
        (ends, "<msubsup><mo"),
        (rate.clone(), "/mfrac>"),
    ] {
        let flow = layout.to_mathml_flow(5);
        assert_eq!(pieces(&flow).len(), 3, "{flow}");
        assert!(flow.contains(script), "{flow}");
        assert_eq!(pieces(&layout.to_mathml_flow(50)).len(), 1);
    }
    assert_eq!(
        rate.to_latex_flow(5),
        r"\frac{\mathrm{d}}{\mathrm{d} t}(a + b + c)"
    );
}

/// TeX drops braces around an accent, so that `{\dot{x}_a}_1` has two indices and stops it; a prime is a sign that it knows.
#[test]
fn latex_has_one_index_and_no_unknown_sign() {
    let twice = |name: &str| Layout::name(name).indexed(Layout::Number("2".into()));
    assert_eq!(twice("theta_n'").to_latex(), r"\dot{\theta}_{n,2}");
    assert_eq!(twice("theta_n").to_latex(), r"\theta_{n,2}");
    let thrice = twice("q_a_b").indexed(Layout::name("c"));
    assert_eq!(thrice.to_latex(), "q_{a, b,2,c}");
    assert_eq!(Layout::Name("L′".into()).to_latex(), "{L'}");
}

/// Parentheses around a fraction are as high as it is, also where lines end inside of them; others are not.
#[test]
fn parentheses_of_flowing_formulas_are_as_high_as_fractions() {
    let pool = Pool::new();
    let [a, b, c, d] = pool.symbols(["a", "b", "c", "d"]);
    let html = |e: Expr<'_>| e.layout(&Plain).to_mathml_flow(4);
    let high = html((a / b + c * d) * d);
    assert_eq!(high.matches("minsize=\"2.2em\"").count(), 2, "{high}");
    let flat = html((a * b + c * d) * d);
    assert!(
        flat.contains("(</mo>") && !flat.contains("minsize"),
        "{flat}"
    );
}
