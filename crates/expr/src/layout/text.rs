//! Text for terminals.

use std::fmt;

use super::{Binding, Layout};
use crate::number::Rational;

/// A mark for a place where a line may end; the depth in parentheses follows as a character.
const BREAK: char = '\u{F0000}';

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

impl Layout {
    /// Plain Unicode text on one line.
    pub fn to_text(&self) -> String {
        let mut out = self.with_breaks();
        if out.contains(BREAK) {
            let mut clean = String::with_capacity(out.len());
            let mut marks = out.chars();
            while let Some(c) = marks.next() {
                match c {
                    BREAK => {
                        marks.next();
                    }
                    c => clean.push(c),
                }
            }
            out = clean;
        }
        out
    }

    /// Plain Unicode text in lines of at most `width` characters where that is possible, broken
    /// before relations, + and −, the outermost first. Lines after the first are indented.
    ///
    /// ```
    /// use galilei_expr::{Layout, Plain, Pool};
    /// let pool = Pool::new();
    /// let sum = pool.sum((1..8).map(|k| pool.symbol(&format!("x_{k}")).sin()));
    /// let equation = Layout::name("F").equals(sum.layout(&Plain));
    /// assert_eq!(
    ///     equation.to_lines(30, 4),
    ///     ["F = sin x₁ + sin x₂ + sin x₃", "    + sin x₄ + sin x₅ + sin x₆", "    + sin x₇"]
    /// );
    /// ```
    pub fn to_lines(&self, width: usize, indent: usize) -> Vec<String> {
        wrap(&self.with_breaks(), width, indent)
    }

    /// The width of the text in columns.
    pub fn text_width(&self) -> usize {
        self.to_text().chars().map(columns).sum()
    }

    fn with_breaks(&self) -> String {
        let mut printer = Text {
            out: String::new(),
            depth: 0,
        };
        printer.layout(self);
        printer.out
    }
}

/// The width of a character: combining marks take no column of their own.
fn columns(c: char) -> usize {
    usize::from(!('\u{300}'..='\u{36F}').contains(&c))
}

fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    // The pieces between the places where a line may end, each with the depth of the place
    // before it.
    let mut pieces: Vec<(u32, String)> = vec![(0, String::new())];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == BREAK {
            let depth = chars.next().map_or(0, |d| d as u32 - 0x100);
            pieces.push((depth, String::new()));
        } else if let Some(last) = pieces.last_mut() {
            last.1.push(c);
        }
    }
    let size = |s: &str| -> usize { s.trim_end().chars().map(columns).sum() };
    let mut lines = Vec::new();
    let mut start = 0;
    while start < pieces.len() {
        let room = if lines.is_empty() {
            width
        } else {
            width.saturating_sub(indent)
        };
        let mut line = String::new();
        let mut end = start;
        while end < pieces.len() {
            let grown = line.clone() + &pieces[end].1;
            if end > start && size(&grown) > room {
                break;
            }
            line = grown;
            end += 1;
        }
        if end < pieces.len() {
            // Prefer the outermost place that leaves the line half full.
            let mut filled = 0;
            let mut best: Option<(u32, usize)> = None;
            for k in start..end {
                filled += size(&pieces[k].1) + 1;
                let depth = pieces[k + 1].0;
                if (filled * 2 >= room || k + 1 == end)
                    && best.is_none_or(|(least, _)| depth <= least)
                {
                    best = Some((depth, k + 1));
                }
            }
            end = best.map_or(end, |b| b.1);
        }
        let line: String = pieces[start..end].iter().map(|p| p.1.as_str()).collect();
        let space = if lines.is_empty() { 0 } else { indent };
        lines.push(format!("{}{}", " ".repeat(space), line.trim_end()));
        start = end;
    }
    lines
}

struct Text {
    out: String,
    depth: u32,
}

impl Text {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn mark(&mut self) {
        self.out.push(BREAK);
        let depth = char::from_u32(0x100 + self.depth.min(0x100));
        self.out.push(depth.unwrap_or(' '));
    }

    fn inside(&mut self, open: &str, close: &str, f: impl FnOnce(&mut Self)) {
        self.push(open);
        self.depth += 1;
        f(self);
        self.depth -= 1;
        self.push(close);
    }

    /// A formula, in parentheses if it binds less tightly than `least`.
    fn inner(&mut self, layout: &Layout, least: Binding) {
        if layout.binding(true) < least {
            self.inside("(", ")", |t| t.layout(layout));
        } else {
            self.layout(layout);
        }
    }

    fn list(&mut self, items: &[Layout]) {
        for (k, item) in items.iter().enumerate() {
            if k > 0 {
                self.push(", ");
            }
            self.layout(item);
        }
    }

    fn layout(&mut self, layout: &Layout) {
        match layout {
            Layout::Number(text) | Layout::Name(text) | Layout::Word(text) => self.push(text),
            Layout::Row(parts) => parts.iter().for_each(|p| self.inner(p, Binding::Power)),
            Layout::Dots(base, n) => self.dots(base, *n),
            Layout::Primes(base, n) => {
                self.inner(base, Binding::Atom);
                match ["", "′", "″", "‴"].get(*n) {
                    Some(primes) => self.push(primes),
                    None => self.push(&"′".repeat(*n)),
                }
            }
            Layout::Subscript(base, index) => {
                self.inner(base, Binding::Atom);
                self.index(index);
            }
            Layout::Power(base, exponent) => self.power(base, exponent),
            Layout::Root(n, radicand) => self.root(*n, radicand),
            Layout::Fraction(above, below) => match vulgar(above, below) {
                Some(glyph) => self.push(glyph),
                None => {
                    self.inner(above, Binding::Product);
                    self.push("/");
                    self.inner(below, Binding::Prefix);
                }
            },
            Layout::Product(factors) => self.product(factors),
            Layout::Wedge(factors) => {
                for (k, f) in factors.iter().enumerate() {
                    if k > 0 {
                        self.push(" ∧ ");
                    }
                    self.inner(f, Binding::Product);
                }
            }
            Layout::Sum(terms) => self.sum(terms),
            Layout::Apply(f, arguments) => {
                match &**f {
                    Layout::Row(_) => self.layout(f),
                    _ => self.inner(f, Binding::Power),
                }
                if layout.is_bare() {
                    self.push(" ");
                    self.layout(&arguments[0]);
                } else {
                    self.inside("(", ")", |t| t.list(arguments));
                }
            }
            Layout::Abs(inner) => self.inside("|", "|", |t| t.layout(inner)),
            Layout::List(items) => self.list(items),
            Layout::Tuple(items) => self.inside("(", ")", |t| t.list(items)),
            Layout::Matrix(rows) => self.inside("[", "]", |t| {
                for (k, row) in rows.iter().enumerate() {
                    if k > 0 {
                        t.push("; ");
                    }
                    t.list(row);
                }
            }),
            Layout::Cases(cases) => self.inside("{", "}", |t| t.cases(cases)),
            Layout::Relation(left, chain) => {
                self.layout(left);
                for (sign, right) in chain {
                    self.push(" ");
                    self.mark();
                    self.push(sign.text());
                    self.push(" ");
                    self.inner(right, Binding::Sum);
                }
            }
            Layout::Integral(parts) => {
                let [from, to, of, over] = &**parts;
                self.push("∫");
                self.index(from);
                self.exponent(to);
                self.push(" ");
                self.inner(of, Binding::Product);
                self.push(" d");
                self.layout(over);
            }
            Layout::Derivative(d, of, by) => {
                let total: usize = by.iter().map(|b| b.1).sum();
                self.push(d.text());
                if total > 1 {
                    self.exponent(&Layout::Number(total.to_string()));
                }
                self.inner(of, Binding::Atom);
                self.push("/");
                for (x, n) in by {
                    self.push(d.text());
                    self.inner(x, Binding::Atom);
                    if *n > 1 {
                        self.exponent(&Layout::Number(n.to_string()));
                    }
                }
            }
            Layout::Where(body, definitions) => {
                self.layout(body);
                for (k, (name, part)) in definitions.iter().enumerate() {
                    self.push(if k == 0 { " where " } else { ", " });
                    self.mark();
                    self.layout(name);
                    self.push(" = ");
                    self.layout(part);
                }
            }
        }
    }

    /// A base with combining dots on its middle letter.
    fn dots(&mut self, base: &Layout, n: usize) {
        let Layout::Name(name) = base else {
            self.inner(base, Binding::Atom);
            return self.push(&"˙".repeat(n));
        };
        let middle = name.chars().count().saturating_sub(1) / 2;
        for (k, c) in name.chars().enumerate() {
            self.out.push(c);
            if k == middle {
                match n {
                    1 => self.push("\u{307}"),
                    2 => self.push("\u{308}"),
                    _ => {}
                }
            }
        }
        if n > 2 {
            self.push(&"′".repeat(n));
        }
    }

    fn index(&mut self, index: &Layout) {
        let digits = |text: &str| -> Option<String> {
            text.chars()
                .map(|c| {
                    let d = c.to_digit(10)?;
                    char::from_u32(0x2080 + d)
                })
                .collect()
        };
        match index {
            Layout::Number(n) if digits(n).is_some() => {
                self.push(&digits(n).unwrap_or_default());
            }
            Layout::List(items) | Layout::Row(items)
                if items.iter().all(|i| matches!(i, Layout::Number(_))) =>
            {
                for (k, item) in items.iter().enumerate() {
                    if k > 0 && matches!(index, Layout::List(_)) {
                        self.push(",");
                    }
                    self.index(item);
                }
            }
            _ => {
                self.push("_");
                self.inner(index, Binding::Atom);
            }
        }
    }

    fn exponent(&mut self, exponent: &Layout) {
        if let Layout::Number(n) = exponent
            && n.chars().all(|c| c.is_ascii_digit())
        {
            return self.out.extend(n.chars().map(superscript));
        }
        self.push("^");
        match exponent {
            // A glyph would be too small to read up there.
            Layout::Fraction(above, below) => self.inside("(", ")", |t| {
                t.inner(above, Binding::Product);
                t.push("/");
                t.inner(below, Binding::Prefix);
            }),
            _ => self.inner(exponent, Binding::Atom),
        }
    }

    fn power(&mut self, base: &Layout, exponent: &Layout) {
        if base.is_e() {
            self.push("exp");
            return self.inside("(", ")", |t| t.layout(exponent));
        }
        self.inner(base, Binding::Atom);
        self.exponent(exponent);
    }

    fn root(&mut self, n: u32, radicand: &Layout) {
        let sign = match n {
            2 => "√",
            3 => "∛",
            4 => "∜",
            n => {
                self.inner(radicand, Binding::Atom);
                return self.push(&format!("^(1/{n})"));
            }
        };
        self.push(sign);
        self.inner(radicand, Binding::Atom);
    }

    fn product(&mut self, factors: &[Layout]) {
        let mut number = false;
        for (k, f) in factors.iter().enumerate() {
            let start = self.out.len();
            if k > 0 {
                self.push(" ");
            }
            let last = k + 1 == factors.len();
            let least = match f {
                Layout::Wedge(_) if last => Binding::Wedge,
                Layout::Integral(_) if last => Binding::Quotient,
                _ => Binding::Prefix,
            };
            self.inner(f, least);
            // 2·3^x, not 2 3^x.
            let digit = self.out[start..]
                .trim_start()
                .starts_with(|c: char| c.is_ascii_digit());
            if number && digit {
                self.out.replace_range(start..=start, "·");
            }
            number = self.out.ends_with(|c: char| c.is_ascii_digit()) && digit;
        }
    }

    fn sum(&mut self, terms: &[(bool, Layout)]) {
        if terms.is_empty() {
            return self.push("0");
        }
        for (k, (negative, term)) in terms.iter().enumerate() {
            match (k, negative) {
                (0, false) => {}
                (0, true) => self.push("−"),
                (_, negative) => {
                    self.push(" ");
                    self.mark();
                    self.push(if *negative { "− " } else { "+ " });
                }
            }
            self.inner(term, Binding::Quotient);
        }
    }

    fn cases(&mut self, cases: &[(Layout, Option<Layout>)]) {
        for (k, (value, condition)) in cases.iter().enumerate() {
            if k > 0 {
                self.push(", ");
            }
            match condition {
                Some(c) => {
                    self.layout(value);
                    self.push(" if ");
                    self.layout(c);
                }
                None => {
                    self.push("else ");
                    self.layout(value);
                }
            }
        }
    }
}

/// The single character of a fraction, if there is one.
pub(super) fn vulgar(above: &Layout, below: &Layout) -> Option<&'static str> {
    let (Layout::Number(n), Layout::Number(d)) = (above, below) else {
        return None;
    };
    GLYPHS
        .iter()
        .find(|g| (g.0, g.1) == (n.as_str(), d.as_str()))
        .map(|g| g.2)
}

/// Whether a number is a fraction with a single character.
pub(super) fn vulgar_rational(q: &Rational) -> bool {
    let text = q.to_string();
    let mut parts = text.split('/');
    let parts = (parts.next(), parts.next());
    GLYPHS.iter().any(|g| parts == (Some(g.0), Some(g.1)))
}

const GLYPHS: [(&str, &str, &str); 9] = [
    ("1", "2", "½"),
    ("1", "3", "⅓"),
    ("2", "3", "⅔"),
    ("1", "4", "¼"),
    ("3", "4", "¾"),
    ("1", "6", "⅙"),
    ("1", "8", "⅛"),
    ("3", "8", "⅜"),
    ("1", "5", "⅕"),
];

fn superscript(c: char) -> char {
    match c {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        d => char::from_u32(0x2070 + d.to_digit(10).unwrap_or(0)).unwrap_or(d),
    }
}
