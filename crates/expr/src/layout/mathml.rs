//! MathML Core, which browsers draw without a script.

use super::{Binding, Layout};

impl Layout {
    /// A `<math>` element, as a block of its own or inside a line of text.
    ///
    /// ```
    /// use galilei_expr::Layout;
    /// assert_eq!(
    ///     Layout::name("theta'").to_mathml(false),
    ///     "<math><mover><mi>θ</mi><mo>˙</mo></mover></math>"
    /// );
    /// ```
    pub fn to_mathml(&self, block: bool) -> String {
        let mut printer = MathMl {
            signs: true,
            ..MathMl::default()
        };
        printer.layout(self);
        let display = if block { " display=\"block\"" } else { "" };
        format!("<math{display}>{}</math>", printer.out)
    }
}

/// The space between a function and an argument without parentheses, and around d in integrals.
pub(super) const SPACE: &str = "\u{2009}";
pub(super) const THIN: &str = "<mtext>\u{2009}</mtext>";
const TIMES: &str = "<mo>\u{2062}</mo>";
const APPLY: &str = "<mo>\u{2061}</mo>";

/// Text with the characters escaped that markup reserves.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '#' => {}
            c => out.push(c),
        }
    }
    out
}

#[derive(Default)]
pub(super) struct MathMl {
    pub(super) out: String,
    /// Whether products and applications carry their invisible signs, for programs that read a formula.
    /// Pieces of one are only looked at.
    signs: bool,
}

impl MathMl {
    pub(super) fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// An element with text; the tag may carry attributes.
    pub(super) fn element(&mut self, tag: &str, text: &str) {
        self.push(&format!("<{tag}>"));
        self.push(&escaped(text));
        self.close(tag);
    }

    fn close(&mut self, tag: &str) {
        let name = tag.split(' ').next().unwrap_or(tag);
        self.push(&format!("</{name}>"));
    }

    pub(super) fn tagged(&mut self, tag: &str, f: impl FnOnce(&mut Self)) {
        self.push(&format!("<{tag}>"));
        f(self);
        self.close(tag);
    }

    /// A formula as one child of its parent.
    pub(super) fn row(&mut self, layout: &Layout) {
        let start = self.out.len();
        self.layout(layout);
        self.bundle(start);
    }

    /// Wraps the output from `start` on into one element.
    fn bundle(&mut self, start: usize) {
        if !self.is_one_element(start) {
            self.out.insert_str(start, "<mrow>");
            self.push("</mrow>");
        }
    }

    /// Whether the output from `start` on is a single element.
    fn is_one_element(&self, start: usize) -> bool {
        let text = &self.out[start..];
        let (mut depth, mut at) = (0usize, 0);
        while let Some(open) = text[at..].find('<') {
            let tag = &text[at + open..];
            let end = at + open + tag.find('>').unwrap_or(0) + 1;
            if tag.starts_with("</") {
                depth -= 1;
            } else if !text[..end].ends_with("/>") {
                depth += 1;
            }
            if depth == 0 {
                return end == text.len();
            }
            at = end;
        }
        false
    }

    /// A formula between fences, which grow only if it is tall.
    fn fenced(&mut self, open: &str, close: &str, tall: bool, f: impl FnOnce(&mut Self)) {
        // Browsers know opening from closing parentheses.
        let form = |side| match open {
            "(" => String::new(),
            _ => format!(" form=\"{side}\""),
        };
        let fence = |side| match tall {
            true => format!("mo{}", form(side)),
            false => format!("mo{} stretchy=\"false\"", form(side)),
        };
        let inside = |t: &mut Self| {
            t.element(&fence("prefix"), open);
            f(t);
            t.element(&fence("postfix"), close);
        };
        // Growing fences need a row around their contents.
        match tall {
            true => self.tagged("mrow", inside),
            false => inside(self),
        }
    }

    pub(super) fn inner(&mut self, layout: &Layout, least: Binding) {
        if layout.binding(false) < least {
            self.fenced("(", ")", layout.is_tall(), |t| t.layout(layout));
        } else {
            self.layout(layout);
        }
    }

    /// A formula as one child of its parent, in parentheses if it binds less tightly than `least`.
    pub(super) fn inner_row(&mut self, layout: &Layout, least: Binding) {
        let start = self.out.len();
        self.inner(layout, least);
        self.bundle(start);
    }

    fn list(&mut self, items: &[Layout]) {
        for (k, item) in items.iter().enumerate() {
            if k > 0 {
                self.element("mo", ",");
            }
            self.layout(item);
        }
    }

    /// A derivative as a fraction; without what is differentiated, the operator alone.
    pub(super) fn derivative(
        &mut self,
        d: super::Differential,
        of: Option<&Layout>,
        by: &[(Layout, usize)],
    ) {
        let total: usize = by.iter().map(|b| b.1).sum();
        let sign = format!("<mi mathvariant=\"normal\">{}</mi>", d.text());
        self.tagged("mfrac", |t| {
            t.tagged("mrow", |t| {
                match total {
                    0 | 1 => t.push(&sign),
                    n => t.push(&format!("<msup>{sign}<mn>{n}</mn></msup>")),
                }
                if let Some(of) = of {
                    t.inner(of, Binding::Atom);
                }
            });
            t.tagged("mrow", |t| {
                for (x, n) in by {
                    t.push(&sign);
                    match n {
                        0 | 1 => t.inner(x, Binding::Atom),
                        n => t.layout(&Layout::Power(
                            Box::new(x.clone()),
                            Box::new(Layout::Number(n.to_string())),
                        )),
                    }
                }
            });
        });
    }

    pub(super) fn layout(&mut self, layout: &Layout) {
        match layout {
            Layout::Number(text) => self.element("mn", text),
            // Words would be upright, like units.
            Layout::Name(text) if text.chars().count() > 1 => {
                self.element("mi class=\"w\"", text);
            }
            Layout::Name(text) => self.element("mi", text),
            Layout::Word(text) => {
                let upright = text.chars().count() == 1;
                match upright {
                    true => self.push(&format!("<mi mathvariant=\"normal\">{text}</mi>")),
                    false => self.element("mi", text),
                }
            }
            Layout::Row(parts) => self.tagged("mrow", |t| {
                parts.iter().for_each(|p| t.inner(p, Binding::Power));
            }),
            // Not as accents: Chromium would set those into the letter.
            Layout::Dots(base, n) => self.tagged("mover", |t| {
                t.row(base);
                t.element("mo", ["", "˙", "¨", "⃛", "⃜"].get(*n).unwrap_or(&"⃜"));
            }),
            Layout::Primes(base, n) => self.tagged("msup", |t| {
                t.inner_row(base, Binding::Atom);
                t.element("mo", ["", "′", "″", "‴"].get(*n).unwrap_or(&"⁗"));
            }),
            Layout::Subscript(base, index) => self.tagged("msub", |t| {
                t.inner_row(base, Binding::Atom);
                t.row(index);
            }),
            Layout::Power(base, exponent) => match &**base {
                Layout::Subscript(base, index) => self.tagged("msubsup", |t| {
                    t.inner_row(base, Binding::Atom);
                    t.row(index);
                    t.script(exponent);
                }),
                _ => self.tagged("msup", |t| {
                    t.inner_row(base, Binding::Atom);
                    t.script(exponent);
                }),
            },
            Layout::Root(2, radicand) => self.tagged("msqrt", |t| t.layout(radicand)),
            Layout::Root(n, radicand) => self.tagged("mroot", |t| {
                t.row(radicand);
                t.element("mn", &n.to_string());
            }),
            Layout::Fraction(above, below) => self.tagged("mfrac", |t| {
                t.row(above);
                t.row(below);
            }),
            Layout::Product(factors) => self.product(factors),
            Layout::Wedge(factors) => {
                for (k, f) in factors.iter().enumerate() {
                    if k > 0 {
                        self.element("mo", "∧");
                    }
                    self.inner(f, Binding::Product);
                }
            }
            Layout::Sum(terms) => {
                if terms.is_empty() {
                    self.element("mn", "0");
                }
                for (k, (negative, term)) in terms.iter().enumerate() {
                    match (k, negative) {
                        (0, false) => {}
                        (0, true) => self.push("<mo form=\"prefix\">−</mo>"),
                        (_, false) => self.element("mo", "+"),
                        (_, true) => self.element("mo", "−"),
                    }
                    self.inner(term, Binding::Quotient);
                }
            }
            Layout::Apply(f, arguments) => self.applied(f, arguments, layout.is_bare(), ""),
            Layout::Abs(inner) => self.fenced("|", "|", inner.is_tall(), |t| t.row(inner)),
            Layout::List(items) => self.list(items),
            Layout::Tuple(items) => {
                self.fenced("(", ")", layout.is_tall(), |t| t.list(items));
            }
            Layout::Matrix(rows) => self.fenced("(", ")", true, |t| {
                t.tagged("mtable", |t| {
                    for row in rows {
                        t.tagged("mtr", |t| {
                            for entry in row {
                                t.tagged("mtd", |t| t.layout(entry));
                            }
                        });
                    }
                });
            }),
            Layout::Cases(cases) => self.tagged("mrow", |t| {
                t.element("mo", "{");
                t.tagged("mtable", |t| {
                    for (value, condition) in cases {
                        t.tagged("mtr", |t| {
                            t.tagged("mtd", |t| t.layout(value));
                            t.tagged("mtd", |t| match condition {
                                Some(c) => {
                                    t.push("<mtext>if\u{a0}</mtext>");
                                    t.layout(c);
                                }
                                None => t.element("mtext", "otherwise"),
                            });
                        });
                    }
                });
            }),
            Layout::Relation(left, chain) => {
                self.layout(left);
                for (sign, right) in chain {
                    self.element("mo", sign.text());
                    self.inner(right, Binding::Sum);
                }
            }
            Layout::Integral(parts) => {
                let [from, to, of, over] = &**parts;
                self.tagged("msubsup", |t| {
                    t.element("mo", "∫");
                    t.row(from);
                    t.row(to);
                });
                self.inner(of, Binding::Product);
                self.push(THIN);
                self.push("<mi mathvariant=\"normal\">d</mi>");
                self.layout(over);
            }
            Layout::Derivative(d, of, by) => {
                self.derivative(*d, Some(of), by);
            }
            Layout::Where(body, definitions) => self.tagged("mtable", |t| {
                t.tagged("mtr", |t| t.tagged("mtd", |t| t.layout(body)));
                for (name, part) in definitions {
                    t.tagged("mtr", |t| {
                        t.tagged("mtd", |t| {
                            t.layout(name);
                            t.element("mo", "=");
                            t.layout(part);
                        });
                    });
                }
            }),
        }
    }

    /// An exponent: numerical fractions with a slash.
    pub(super) fn script(&mut self, layout: &Layout) {
        match layout {
            Layout::Fraction(above, below) if !above.is_tall() && !below.is_tall() => {
                self.tagged("mrow", |t| {
                    t.inner(above, Binding::Product);
                    t.element("mo", "/");
                    t.inner(below, Binding::Prefix);
                });
            }
            _ => self.row(layout),
        }
    }

    /// A function and its arguments, with a space before it where it follows a factor.
    fn applied(&mut self, f: &Layout, arguments: &[Layout], bare: bool, before: &str) {
        let after = if bare { SPACE } else { "" };
        match f {
            // The spaces of a word are its own: much shorter than elements for them.
            Layout::Word(word) => self.element("mi", &format!("{before}{word}{after}")),
            _ => {
                if !before.is_empty() {
                    self.push(THIN);
                }
                match f {
                    Layout::Row(_) => self.layout(f),
                    _ => self.inner_row(f, Binding::Power),
                }
                if bare {
                    self.push(THIN);
                }
            }
        }
        if self.signs {
            self.push(APPLY);
        }
        if bare {
            self.layout(&arguments[0]);
        } else {
            let tall = arguments.iter().any(Layout::is_tall);
            self.fenced("(", ")", tall, |t| t.list(arguments));
        }
    }

    /// A product: thin spaces around functions and around names of several letters, which contain the spaces
    /// themselves.
    fn product(&mut self, factors: &[Layout]) {
        for (k, f) in factors.iter().enumerate() {
            let before = k.checked_sub(1).map(|j| &factors[j]);
            let after = factors.get(k + 1);
            let mut lead = "";
            if let Some(before) = before {
                if is_number(before) && (is_number(f) || is_power_of_number(f)) {
                    self.element("mo", "·");
                } else {
                    if self.signs {
                        self.push(TIMES);
                    }
                    let there = is_word(before) && !brings_space(f);
                    lead = if !there && are_apart(before, f) {
                        SPACE
                    } else {
                        ""
                    };
                }
            }
            let least = match f {
                Layout::Wedge(_) if after.is_none() => Binding::Wedge,
                Layout::Integral(_) if after.is_none() => Binding::Quotient,
                _ => Binding::Prefix,
            };
            match f {
                Layout::Name(name) if is_word(f) => {
                    let alone = after.is_none_or(brings_space);
                    let trail = if alone { "" } else { SPACE };
                    self.element("mi class=\"w\"", &format!("{lead}{name}{trail}"));
                }
                Layout::Apply(function, arguments) => {
                    self.applied(function, arguments, f.is_bare(), lead);
                }
                _ => {
                    if !lead.is_empty() {
                        self.push(THIN);
                    }
                    self.inner(f, least);
                }
            }
        }
    }
}

/// Whether two factors need space between them.
fn are_apart(before: &Layout, f: &Layout) -> bool {
    let row = |l: &Layout| matches!(l, Layout::Row(_));
    f.is_operator()
        || row(f)
        || matches!(f, Layout::Wedge(_))
        || before.is_bare()
        || row(before)
        || is_wordy(before)
        || is_wordy(f)
}

/// Whether a factor carries the space before it.
fn brings_space(f: &Layout) -> bool {
    is_word(f) || matches!(f, Layout::Apply(..) if f.is_operator())
}

fn is_number(layout: &Layout) -> bool {
    matches!(layout, Layout::Number(_))
}

fn is_power_of_number(layout: &Layout) -> bool {
    matches!(layout, Layout::Power(base, _) if is_number(base))
}

/// A name of several letters.
fn is_word(layout: &Layout) -> bool {
    matches!(layout, Layout::Name(name) if name.chars().nth(1).is_some())
}

/// A name of several letters, with dots, indices and exponents.
fn is_wordy(layout: &Layout) -> bool {
    match layout {
        Layout::Dots(base, _) | Layout::Subscript(base, _) | Layout::Power(base, _) => {
            is_wordy(base)
        }
        other => is_word(other),
    }
}
