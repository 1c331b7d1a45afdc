//! Expressions as text: the model language, which reads back to the same handle, and plain
//! Unicode for people.
//!
//! Terms and factors appear in a reading order that depends on the text alone. Large graphs
//! print with their shared parts named, so the text is never much larger than the graph.

use std::fmt;

use crate::expr::Expr;
use crate::function::Function;
use crate::node::{Ix, Node, ONE, Tag, Word};
use crate::number::Rational;
use crate::plan::Plan;
use crate::pool::Pool;

/// Which of the two notations to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// The model language: `m*l^2*cos(theta)/2`.
    Model,
    /// Unicode text: `½ l² m cos θ`.
    Unicode,
}

/// Text of several expressions, with the parts they share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The expressions, in the order they were given.
    pub texts: Vec<String>,
    /// Names used in the texts and their definitions, each using only earlier ones.
    pub shared: Vec<(String, String)>,
}

/// Number of nodes up to which trees are written out; in larger trees shared parts get names.
const MAX_UNSHARED_NODES: u64 = 20_000;
/// The smallest tree, in nodes, of a repeated part that gets a name.
const MIN_SHARED_NODES: u64 = 16;
/// Bytes of text from which on a part gets a name.
const MAX_TEXT_BYTES: usize = 8_000;

/// How tightly the outermost operator of a text binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Binding {
    Sum,
    Product,
    Power,
    Atom,
}

#[derive(Clone)]
struct Text {
    text: String,
    binding: Binding,
    /// Sum of the exponents of symbols, for the order of terms.
    degree: f64,
}

impl fmt::Display for Expr<'_> {
    /// Writes the model language; a large expression as `… where c1 = …, c2 = …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let printed = self.pool().print(&[*self], Notation::Model);
        f.write_str(&printed.texts[0])?;
        for (k, (name, text)) in printed.shared.iter().enumerate() {
            write!(f, "{} {name} = {text}", if k == 0 { " where" } else { "," })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Expr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Expr<'_> {
    /// The expression in the model language, numbers as fractions: `6.25` is `25/4`.
    pub(crate) fn exact_text(self) -> String {
        match self.as_rational() {
            Some(q) => q.to_string(),
            None => self.to_string(),
        }
    }

    /// Plain Unicode text for people.
    pub fn to_unicode(self) -> String {
        let printed = self.pool().print(&[self], Notation::Unicode);
        let mut text = printed.texts[0].clone();
        for (k, (name, part)) in printed.shared.iter().enumerate() {
            text += &format!("{} {name} = {part}", if k == 0 { " where" } else { "," });
        }
        text
    }
}

impl Pool {
    /// Prints several expressions together, naming what they share if they are large.
    pub fn print(&self, exprs: &[Expr<'_>], notation: Notation) -> Printed {
        let unfold = |ix: Ix| self.legendre_written(Expr::new(self, ix)).ix();
        let roots = self.indices(exprs.iter().copied());
        let roots: Vec<Ix> = roots.into_iter().map(unfold).collect();
        let plan = Plan::new(self, &roots);
        let mut uses = vec![0u32; plan.len()];
        let mut size = vec![1u64; plan.len()];
        for (k, &ix) in plan.nodes().iter().enumerate() {
            for w in self.words(&self.node(ix)) {
                let p = plan.position(w.child);
                uses[p] += 1;
                size[k] = size[k].saturating_add(size[p]);
            }
        }
        let total = roots
            .iter()
            .fold(0u64, |s, &r| s.saturating_add(size[plan.position(r)]));
        let naming = total > MAX_UNSHARED_NODES;
        for &r in &roots {
            uses[plan.position(r)] += 1;
        }
        // A term of a sum is written factor by factor, so a sum also needs what its products are
        // made of.
        let needed = |node: &Node| -> Vec<usize> {
            let mut list = Vec::new();
            for w in self.words(node) {
                list.push(plan.position(w.child));
                let child = self.node(w.child);
                if node.tag == Tag::Sum && child.tag == Tag::Product {
                    list.extend(self.words(&child).map(|v| plan.position(v.child)));
                }
            }
            list
        };
        let mut left = vec![0u32; plan.len()];
        for &ix in plan.nodes() {
            for p in needed(&self.node(ix)) {
                left[p] += 1;
            }
        }
        for &r in &roots {
            left[plan.position(r)] += 1;
        }
        let mut printer = Printer {
            pool: self,
            plan: &plan,
            notation,
            texts: vec![None; plan.len()],
        };
        let taken: Vec<&str> = plan
            .nodes()
            .iter()
            .map(|&ix| self.node(ix))
            .filter(|node| matches!(node.tag, Tag::Symbol | Tag::FunctionName))
            .map(|node| self.name(&node))
            .collect();
        let mut shared = Vec::new();
        for k in self.reading_order(&plan, &roots) {
            let ix = plan.nodes()[k];
            let node = self.node(ix);
            let mut text = printer.node(ix, &node);
            let worth = naming && uses[k] > 1 && size[k] >= MIN_SHARED_NODES;
            if worth || (naming && text.text.len() > MAX_TEXT_BYTES) {
                let name = fresh_name(shared.len() + 1, &taken);
                shared.push((name.clone(), text.text));
                text = Text {
                    text: name,
                    binding: Binding::Atom,
                    degree: 0.0,
                };
            }
            printer.texts[k] = Some(text);
            for p in needed(&node) {
                left[p] -= 1;
                if left[p] == 0 {
                    printer.texts[p] = None;
                }
            }
        }
        let texts = roots
            .iter()
            .map(|&r| {
                printer.texts[plan.position(r)]
                    .as_ref()
                    .map_or(String::new(), |t| t.text.clone())
            })
            .collect();
        Printed { texts, shared }
    }
}

impl Pool {
    /// The positions of a plan, children first, in the order in which a reader meets them: it does
    /// not depend on the order of creation.
    pub(crate) fn reading_order(&self, plan: &Plan, roots: &[Ix]) -> Vec<usize> {
        let mut order = Vec::with_capacity(plan.len());
        let mut seen = vec![false; plan.len()];
        let mut pending: Vec<(Ix, usize)> = roots.iter().rev().map(|&r| (r, 0)).collect();
        while let Some((ix, k)) = pending.pop() {
            let position = plan.position(ix);
            let node = self.node(ix);
            if k == 0 && std::mem::replace(&mut seen[position], true) {
                continue;
            }
            if k < node.operands() as usize {
                pending.push((ix, k + 1));
                pending.push((self.word(&node, k).child, 0));
            } else {
                order.push(position);
            }
        }
        order
    }
}

/// c1, c2, … with underscores added while a symbol in the text has that name.
fn fresh_name(k: usize, taken: &[&str]) -> String {
    let mut name = format!("c{k}");
    while taken.contains(&name.as_str()) {
        name.insert(1, '_');
    }
    name
}

struct Printer<'a> {
    pool: &'a Pool,
    plan: &'a Plan,
    notation: Notation,
    texts: Vec<Option<Text>>,
}

impl Printer<'_> {
    fn model(&self) -> bool {
        self.notation == Notation::Model
    }

    fn text(&self, ix: Ix) -> &Text {
        self.texts[self.plan.position(ix)]
            .as_ref()
            .expect("children are printed first")
    }

    /// The text of a child, in parentheses if it binds less tightly than `least`.
    fn inner(&self, ix: Ix, least: Binding) -> String {
        let t = self.text(ix);
        if t.binding < least {
            format!("({})", t.text)
        } else {
            t.text.clone()
        }
    }

    fn node(&self, ix: Ix, node: &Node) -> Text {
        let atom = |text: String| Text {
            text,
            binding: Binding::Atom,
            degree: 0.0,
        };
        match node.tag {
            Tag::Small | Tag::Big => {
                let q = self.pool.rational(ix);
                let binding = if q.is_negative() {
                    Binding::Sum
                } else if q.is_integer() {
                    Binding::Atom
                } else {
                    Binding::Product
                };
                Text {
                    text: self.number(&q),
                    binding,
                    degree: 0.0,
                }
            }
            Tag::Pi => atom(if self.model() { "pi" } else { "π" }.into()),
            Tag::Undefined => Text {
                text: if self.model() { "1/0" } else { "undefined" }.into(),
                binding: Binding::Product,
                degree: 0.0,
            },
            Tag::Symbol | Tag::FunctionName => {
                let name = self.pool.name(node);
                let text = if self.model() {
                    name.to_owned()
                } else {
                    pretty_name(name)
                };
                Text {
                    degree: 1.0,
                    ..atom(text)
                }
            }
            Tag::Sum => self.sum(node),
            Tag::Product => self.product(&Rational::ONE, ix, node),
            Tag::If => {
                let w: Vec<Word> = self.pool.words(node).collect();
                let sign = match (w[0].attr, self.model()) {
                    (0, _) => "<",
                    (_, true) => "<=",
                    (_, false) => "≤",
                };
                let t = |k: usize| self.text(w[k].child).text.clone();
                atom(format!("if({} {sign} {}, {}, {})", t(0), t(1), t(2), t(3)))
            }
            Tag::Undetermined => self.undetermined(node),
            Tag::Integral => {
                let [v, e] = [0, 1].map(|k| &self.text(self.pool.word(node, k).child).text);
                let v = v.trim_end_matches('#');
                let e = e.replace("s#", "s");
                match self.model() {
                    true => atom(format!("integral({e}, {v})")),
                    false => atom(format!("∫₀¹({e})d{v}")),
                }
            }
            Tag::Call(f) => {
                let arguments: Vec<String> = self
                    .pool
                    .words(node)
                    .map(|w| self.text(w.child).text.clone())
                    .collect();
                let first = self.pool.word(node, 0).child;
                let bare = !self.model()
                    && f.arity() == 1
                    && f != Function::Abs
                    && self.pool.node(first).tag == Tag::Symbol;
                match (f, self.model()) {
                    (Function::Abs, false) => atom(format!("|{}|", arguments[0])),
                    _ if bare => Text {
                        text: format!("{} {}", f.name(), arguments[0]),
                        binding: Binding::Power,
                        degree: 0.0,
                    },
                    _ => atom(format!("{}({})", f.name(), arguments.join(", "))),
                }
            }
        }
    }

    fn undetermined(&self, node: &Node) -> Text {
        let words: Vec<Word> = self.pool.words(node).collect();
        let mut places = Vec::new();
        for (k, w) in words[1..].iter().enumerate() {
            places.extend((0..w.attr).map(|_| k + 1));
        }
        let arguments: Vec<&str> = words[1..]
            .iter()
            .map(|w| self.text(w.child).text.as_str())
            .collect();
        let name = crate::legendre::shown(&self.text(words[0].child).text).to_owned();
        let index = |join: &str| {
            places
                .iter()
                .map(usize::to_string)
                .collect::<Vec<_>>()
                .join(join)
        };
        let head = match (places.is_empty(), self.model()) {
            (true, _) => name.clone(),
            (false, true) => format!("{name}[{}]", index(",")),
            (false, false) => format!(
                "∂{}{name}",
                index("").chars().map(subscript).collect::<String>()
            ),
        };
        Text {
            text: format!("{head}({})", arguments.join(", ")),
            binding: Binding::Atom,
            degree: 0.0,
        }
    }

    fn sum(&self, node: &Node) -> Text {
        // Each term without its sign, with what decides its place: constants last, higher
        // degrees first, then alphabetically.
        let mut terms: Vec<(bool, f64, Text)> = Vec::new();
        for w in self.pool.words(node) {
            let c = self.pool.rational(w.attr);
            let text = self.scaled(&c.abs(), w.child);
            let degree = if w.child == ONE {
                f64::NEG_INFINITY
            } else {
                text.degree
            };
            terms.push((c.is_negative(), degree, text));
        }
        terms.sort_by(|a, b| {
            b.1.total_cmp(&a.1)
                .then_with(|| natural(&a.2.text).cmp(&natural(&b.2.text)))
        });
        if let Some(k) = terms.iter().position(|t| !t.0) {
            terms[..=k].rotate_right(1);
        }
        let mut out = String::new();
        for (k, (negative, _, t)) in terms.iter().enumerate() {
            let minus = if self.model() { "-" } else { "−" };
            match (k, negative) {
                (0, false) => {}
                (0, true) => out += minus,
                (_, false) => out += " + ",
                (_, true) => {
                    out.push(' ');
                    out += minus;
                    out.push(' ');
                }
            }
            // After a minus sign a sum needs parentheses, and so does a leading product: −(a·b)
            // reads back as the same node, since unary minus scales what follows.
            if t.binding == Binding::Sum {
                out += &format!("({})", t.text);
            } else {
                out += &t.text;
            }
        }
        let degree = terms.iter().map(|t| t.1).fold(0.0, f64::max);
        Text {
            text: out,
            binding: Binding::Sum,
            degree,
        }
    }

    /// c·t for a positive number c.
    fn scaled(&self, c: &Rational, t: Ix) -> Text {
        if t == ONE {
            return Text {
                text: self.number(c),
                binding: Binding::Product,
                degree: 0.0,
            };
        }
        let node = self.pool.node(t);
        let named = self.text(t).binding == Binding::Atom && node.tag == Tag::Product;
        if node.tag == Tag::Product && !named {
            return self.product(c, t, &node);
        }
        if c.is_one() {
            return self.text(t).clone();
        }
        self.fraction(
            c,
            vec![(self.inner(t, Binding::Power), self.text(t).degree, 0)],
            vec![],
        )
    }

    /// c·Π bᵢ^qᵢ as a fraction: negative exponents below the bar.
    fn product(&self, c: &Rational, _ix: Ix, node: &Node) -> Text {
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for w in self.pool.words(node) {
            let q = self.pool.rational(w.attr);
            let degree = self.text(w.child).degree * q.to_f64();
            let base = self.pool.node(w.child);
            let rank = match base.tag {
                Tag::Small | Tag::Big | Tag::Pi => 0,
                Tag::Symbol => 1,
                Tag::Sum => 2,
                _ => 3,
            };
            let text = self.power(w.child, &q.abs());
            if q.is_negative() {
                below.push((text, degree, rank))
            } else {
                above.push((text, degree, rank))
            }
        }
        self.fraction(c, above, below)
    }

    /// b^q for q > 0.
    fn power(&self, base: Ix, q: &Rational) -> String {
        if q.is_one() {
            return self.inner(base, Binding::Power);
        }
        if *q == Rational::new(1, 2) {
            let t = self.text(base);
            return match (self.model(), t.binding) {
                (true, _) => format!("sqrt({})", t.text),
                (false, Binding::Atom) => format!("√{}", t.text),
                (false, _) => format!("√({})", t.text),
            };
        }
        let node = self.pool.node(base);
        if let (false, Tag::Call(f), Some(n @ 2..)) = (self.model(), node.tag, q.to_i64())
            && let Some(argument) = self.text(base).text.strip_prefix(f.name())
            && f.arity() == 1
        {
            // cos² θ
            return format!("{}{}{argument}", f.name(), superscripts(n));
        }
        let base = self.inner(base, Binding::Atom);
        if self.model() {
            return match q.is_integer() {
                true => format!("{base}^{q}"),
                false => format!("{base}^({q})"),
            };
        }
        match q.to_i64() {
            Some(n) => format!("{base}{}", superscripts(n)),
            None => format!("{base}^({q})"),
        }
    }

    fn fraction(
        &self,
        c: &Rational,
        mut above: Vec<(String, f64, u8)>,
        mut below: Vec<(String, f64, u8)>,
    ) -> Text {
        let degree = above.iter().chain(&below).map(|t| t.1).sum();
        for list in [&mut above, &mut below] {
            list.sort_by(|a, b| {
                a.2.cmp(&b.2)
                    .then_with(|| natural(&a.0).cmp(&natural(&b.0)))
            });
        }
        let sum_below = self.model() && below.iter().any(|t| t.2 == 2);
        let mut top: Vec<String> = above.into_iter().map(|t| t.0).collect();
        let mut bottom: Vec<String> = below.into_iter().map(|t| t.0).collect();
        let decimal = decimal(c);
        let glyph = (!self.model()).then(|| vulgar(c)).flatten();
        if let Some(g) = glyph {
            top.insert(0, g.into());
        } else if let Some(d) = decimal {
            top.insert(0, d);
        } else if sum_below && !c.is_integer() {
            // 1/(2*(a + b)) would read back as 1/(2*a + 2*b).
            top.insert(0, c.to_string());
        } else {
            if !c.numerator().is_one() || top.is_empty() {
                top.insert(0, c.numerator().to_string());
            }
            if !c.is_integer() {
                bottom.insert(0, c.denominator().to_string());
            }
        }
        let times = if self.model() { "*" } else { " " };
        let lone = top.len() == 1 && bottom.is_empty();
        let mut text = top.join(times);
        match bottom.len() {
            0 => {}
            1 => text += &format!("/{}", bottom[0]),
            _ => text += &format!("/({})", bottom.join(times)),
        }
        let binding = if lone {
            Binding::Power
        } else {
            Binding::Product
        };
        Text {
            text,
            binding,
            degree,
        }
    }

    fn number(&self, q: &Rational) -> String {
        let negative = q.is_negative();
        let minus = if self.model() { "-" } else { "−" };
        let a = q.abs();
        let text = match (self.model(), vulgar(&a)) {
            (false, Some(g)) => g.to_owned(),
            _ => decimal(&a).unwrap_or_else(|| a.to_string()),
        };
        if negative {
            format!("{minus}{text}")
        } else {
            text
        }
    }
}

/// A key under which `x10` comes after `x2`.
fn natural(text: &str) -> Vec<(bool, u64, char)> {
    let mut key = Vec::new();
    let mut digits: Option<u64> = None;
    for c in text.chars() {
        if let Some(d) = c.to_digit(10) {
            digits = Some(
                digits
                    .unwrap_or(0)
                    .saturating_mul(10)
                    .saturating_add(d.into()),
            );
            continue;
        }
        if let Some(n) = digits.take() {
            key.push((false, n, '0'));
        }
        key.push((true, 0, c));
    }
    if let Some(n) = digits {
        key.push((false, n, '0'));
    }
    key
}

fn vulgar(q: &Rational) -> Option<&'static str> {
    Some(match q.small()? {
        (1, 2) => "½",
        (1, 3) => "⅓",
        (2, 3) => "⅔",
        (1, 4) => "¼",
        (3, 4) => "¾",
        (1, 6) => "⅙",
        (1, 8) => "⅛",
        _ => return None,
    })
}

fn superscripts(n: i64) -> String {
    n.to_string().chars().map(superscript).collect()
}

fn superscript(c: char) -> char {
    match c {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        d => char::from_u32(0x2070 + d.to_digit(10).unwrap_or(0)).unwrap_or(d),
    }
}

fn subscript(c: char) -> char {
    c.to_digit(10)
        .and_then(|d| char::from_u32(0x2080 + d))
        .unwrap_or(c)
}

/// `theta_1'` as θ̇₁: Greek letters, indices below, primes as dots.
fn pretty_name(name: &str) -> String {
    let stem = name.trim_end_matches('\'');
    let primes = name.len() - stem.len();
    let (letters, index) = match stem.split_once(['_', '[']) {
        Some((l, i)) => (l, i.trim_end_matches(']')),
        None => (stem, ""),
    };
    let mut out = greek(letters).map_or(letters.to_owned(), str::to_owned);
    match primes {
        0 => {}
        1 => out.push('\u{307}'),
        2 => out.push('\u{308}'),
        n => out.extend(std::iter::repeat_n('′', n)),
    }
    if !index.is_empty() && index.chars().all(|c| c.is_ascii_digit()) {
        out.extend(index.chars().map(subscript));
    } else if !index.is_empty() {
        out.push('_');
        out += index;
    }
    out
}

fn greek(name: &str) -> Option<&'static str> {
    const LETTERS: [(&str, &str); 34] = [
        ("alpha", "α"),
        ("beta", "β"),
        ("gamma", "γ"),
        ("delta", "δ"),
        ("epsilon", "ε"),
        ("zeta", "ζ"),
        ("eta", "η"),
        ("theta", "θ"),
        ("iota", "ι"),
        ("kappa", "κ"),
        ("lambda", "λ"),
        ("mu", "μ"),
        ("nu", "ν"),
        ("xi", "ξ"),
        ("omicron", "ο"),
        ("rho", "ρ"),
        ("sigma", "σ"),
        ("tau", "τ"),
        ("upsilon", "υ"),
        ("phi", "φ"),
        ("chi", "χ"),
        ("psi", "ψ"),
        ("omega", "ω"),
        ("Gamma", "Γ"),
        ("Delta", "Δ"),
        ("Theta", "Θ"),
        ("Lambda", "Λ"),
        ("Xi", "Ξ"),
        ("Pi", "Π"),
        ("Sigma", "Σ"),
        ("Upsilon", "Υ"),
        ("Phi", "Φ"),
        ("Psi", "Ψ"),
        ("Omega", "Ω"),
    ];
    LETTERS.iter().find(|(n, _)| *n == name).map(|(_, g)| *g)
}

/// A decimal such as 9.81, where a number is one and a fraction would be harder to read.
pub(crate) fn decimal(q: &Rational) -> Option<String> {
    let (n, d) = q.small()?;
    if d <= 16 {
        return None;
    }
    let mut power: i64 = 10;
    for digits in 1..=9usize {
        if power % d == 0 {
            let scaled = (i128::from(n) * i128::from(power / d)).to_string();
            let padded = format!("{scaled:0>width$}", width = digits + 1);
            let (whole, part) = padded.split_at(padded.len() - digits);
            return Some(format!("{whole}.{part}"));
        }
        power *= 10;
    }
    None
}
