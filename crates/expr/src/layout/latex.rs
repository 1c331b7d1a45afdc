//! LaTeX, with nothing but `amsmath`.

use super::{Binding, Differential, Layout};

impl Layout {
    /// LaTeX for a display on one line, without the dollars. `amsmath` is all it needs.
    pub fn to_latex(&self) -> String {
        Latex::default().print(self)
    }

    /// LaTeX for a formula in a paragraph, which TeX breaks into lines: a part wider than `room`
    /// characters has no growing parentheses, no built-up fractions and no roots, inside which lines
    /// cannot end.
    ///
    /// ```
    /// use galilei_expr::{Layout, Plain, Pool};
    /// let pool = Pool::new();
    /// let [a, b, c] = pool.symbols(["a", "b", "c"]);
    /// let quotient = ((a + b) / (a - c)).layout(&Plain);
    /// assert_eq!(quotient.to_latex_flow(40), r"\frac{a + b}{a - c}");
    /// assert_eq!(quotient.to_latex_flow(5), r"(a + b)/(a - c)");
    /// ```
    pub fn to_latex_flow(&self, room: usize) -> String {
        let mut latex = Latex {
            room: Some(room),
            ..Latex::default()
        };
        latex.print(self)
    }

    /// LaTeX in an `aligned` block, its sums broken into lines of about `width` characters of
    /// what is seen. What fits stays on one line, without the block.
    pub fn to_latex_lines(&self, width: usize) -> String {
        if let Self::Where(body, definitions) = self {
            let mut rows = vec![body.rows(width)];
            for (name, part) in definitions {
                rows.push(name.clone().equals(part.clone()).rows(width));
            }
            return aligned(&rows.concat());
        }
        match self.text_width() <= width {
            true => self.to_latex(),
            false => aligned(&self.rows(width)),
        }
    }

    /// The rows of an `aligned` block, with their ampersands.
    fn rows(&self, width: usize) -> Vec<String> {
        let mut rows = Vec::new();
        let (left, chain) = match self {
            Self::Relation(left, chain) => (Some(&**left), chain.as_slice()),
            _ => (None, &[][..]),
        };
        let mut first = match left {
            Some(left) => {
                let column = Latex::default().print(left);
                format!("{column} ")
            }
            None => String::new(),
        };
        if left.is_none() {
            broken(self, width, "&", &mut rows);
            return rows;
        }
        for (sign, right) in chain {
            let start = format!("{first}&{} ", sign.latex());
            first.clear();
            broken(right, width, &start, &mut rows);
        }
        rows
    }
}

impl Layout {
    /// A letter, which may have dots, and all its indices.
    fn indices(&self) -> Option<(&Self, Vec<&Self>)> {
        match self {
            Self::Subscript(base, index) => {
                let (letter, mut indices) = base.indices()?;
                indices.push(index);
                Some((letter, indices))
            }
            Self::Name(_) => Some((self, vec![])),
            Self::Dots(base, _) if matches!(**base, Self::Name(_)) => Some((self, vec![])),
            _ => None,
        }
    }
}

fn aligned(rows: &[String]) -> String {
    format!(
        "\\begin{{aligned}}\n{}\n\\end{{aligned}}",
        rows.join(" \\\\\n")
    )
}

/// A sum over several rows, the first after `start`.
fn broken(layout: &Layout, width: usize, start: &str, rows: &mut Vec<String>) {
    let mut latex = Latex::default();
    let Layout::Sum(terms) = layout else {
        rows.push(format!("{start}{}", latex.print(layout)));
        return;
    };
    let mut row = start.to_owned();
    let mut filled = 0;
    for (k, (negative, term)) in terms.iter().enumerate() {
        let size = term.text_width() + 3;
        if k > 0 && filled + size > width {
            rows.push(
                std::mem::replace(&mut row, r"&\quad ".into())
                    .trim_end()
                    .into(),
            );
            filled = 0;
        }
        match (k, negative) {
            (0, false) => {}
            (0, true) => row += "-",
            (_, true) => row += " - ",
            (_, false) => row += " + ",
        }
        filled += size;
        row += &latex.inner_text(term, Binding::Quotient);
    }
    rows.push(row.replace(r"\quad  ", r"\quad "));
}

#[derive(Default)]
struct Latex {
    out: String,
    /// Inside an exponent or an index, where fractions are written with a slash.
    small: bool,
    /// Characters beyond which lines must be able to end inside.
    room: Option<usize>,
}

impl Latex {
    /// Whether lines must be able to end inside.
    fn is_wide(&self, layout: &Layout) -> bool {
        let room = self.room.filter(|_| !self.small);
        room.is_some_and(|room| layout.text_width() > room)
    }

    /// Whether a fraction is written with a slash.
    fn is_slashed(&self, layout: &Layout) -> bool {
        matches!(layout, Layout::Fraction(..)) && (self.small || self.is_wide(layout))
    }

    /// A formula in parentheses, which grow with its height unless it is wide.
    fn parenthesised(&mut self, layout: &Layout) {
        let tall = layout.is_tall() && !self.small;
        match tall && self.is_wide(layout) {
            true => self.fenced(r"\bigl(", r"\bigr)", false, |t| t.layout(layout)),
            false => self.fenced("(", ")", tall, |t| t.layout(layout)),
        }
    }

    fn print(&mut self, layout: &Layout) -> String {
        let before = std::mem::take(&mut self.out);
        self.layout(layout);
        std::mem::replace(&mut self.out, before)
    }

    fn inner_text(&mut self, layout: &Layout, least: Binding) -> String {
        let before = std::mem::take(&mut self.out);
        self.inner(layout, least);
        std::mem::replace(&mut self.out, before)
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn inner(&mut self, layout: &Layout, least: Binding) {
        let flat = self.small || self.is_slashed(layout);
        if layout.binding(flat) < least {
            self.parenthesised(layout);
        } else {
            self.layout(layout);
        }
    }

    fn fenced(&mut self, open: &str, close: &str, tall: bool, f: impl FnOnce(&mut Self)) {
        if tall {
            self.push(r"\left");
        }
        self.push(open);
        f(self);
        if tall {
            self.push(r"\right");
        }
        self.push(close);
    }

    fn braced(&mut self, layout: &Layout) {
        self.push("{");
        self.layout(layout);
        self.push("}");
    }

    /// A formula in braces, as an exponent or an index.
    fn script(&mut self, layout: &Layout) {
        let before = std::mem::replace(&mut self.small, true);
        self.braced(layout);
        self.small = before;
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
            Layout::Number(text) => self.push(text),
            Layout::Name(text) => self.name(text),
            Layout::Word(text) => self.word(text),
            Layout::Row(parts) => {
                for p in parts {
                    let text = self.inner_text(p, Binding::Power);
                    // A command must not run into the letter behind it.
                    if self.ends_with_command() && text.starts_with(char::is_alphabetic) {
                        self.push(" ");
                    }
                    self.push(&text);
                }
            }
            Layout::Dots(base, n) => {
                let accent = ["", r"\dot", r"\ddot", r"\dddot", r"\ddddot"].get(*n);
                match accent {
                    Some(a) => {
                        self.push(a);
                        self.braced(base);
                    }
                    None => {
                        self.inner(base, Binding::Atom);
                        self.push(&format!("^{{({n})}}"));
                    }
                }
            }
            Layout::Primes(base, n) => {
                self.inner(base, Binding::Atom);
                self.push(&"'".repeat(*n));
            }
            Layout::Subscript(base, index) => match layout.indices() {
                // x_a_1 would be a double subscript, and so would {\dot{x}_a}_1, whose braces TeX drops.
                Some((letter, indices)) if indices.len() > 1 => {
                    self.layout(letter);
                    self.push("_{");
                    let before = std::mem::replace(&mut self.small, true);
                    for (k, index) in indices.into_iter().enumerate() {
                        self.push(if k > 0 { "," } else { "" });
                        self.layout(index);
                    }
                    self.small = before;
                    self.push("}");
                }
                _ => {
                    match **base {
                        Layout::Subscript(..) => self.braced(base),
                        _ => self.inner(base, Binding::Atom),
                    }
                    self.push("_");
                    self.script(index);
                }
            },
            Layout::Power(base, exponent) => {
                // x'^2 would be a double superscript.
                match **base {
                    Layout::Primes(..) => self.braced(base),
                    Layout::Dots(_, 5..) => self.braced(base),
                    _ => self.inner(base, Binding::Atom),
                }
                self.push("^");
                self.script(exponent);
            }
            Layout::Root(n, radicand) if self.is_wide(radicand) => {
                self.parenthesised(radicand);
                self.push(&format!("^{{1/{n}}}"));
            }
            Layout::Root(n, radicand) => {
                self.push(r"\sqrt");
                if *n > 2 {
                    self.push(&format!("[{n}]"));
                }
                self.braced(radicand);
            }
            Layout::Fraction(above, below) if self.is_slashed(layout) => {
                self.inner(above, Binding::Product);
                self.push("/");
                self.inner(below, Binding::Prefix);
            }
            Layout::Fraction(above, below) => {
                let numbers =
                    matches!((&**above, &**below), (Layout::Number(_), Layout::Number(_)));
                self.push(if numbers { r"\tfrac" } else { r"\frac" });
                self.braced(above);
                self.braced(below);
            }
            Layout::Product(factors) => self.product(factors),
            Layout::Wedge(factors) => {
                for (k, f) in factors.iter().enumerate() {
                    if k > 0 {
                        self.push(r" \wedge ");
                    }
                    self.inner(f, Binding::Product);
                }
            }
            Layout::Sum(terms) => {
                if terms.is_empty() {
                    self.push("0");
                }
                for (k, (negative, term)) in terms.iter().enumerate() {
                    self.push(match (k, negative) {
                        (0, false) => "",
                        (0, true) => "-",
                        (_, false) => " + ",
                        (_, true) => " - ",
                    });
                    self.inner(term, Binding::Quotient);
                }
            }
            Layout::Apply(f, arguments) => {
                match &**f {
                    Layout::Row(_) => self.layout(f),
                    _ => self.inner(f, Binding::Power),
                }
                if layout.is_bare() {
                    self.push(" ");
                    self.layout(&arguments[0]);
                } else {
                    match arguments.as_slice() {
                        [argument] => self.parenthesised(argument),
                        _ => self.layout(&Layout::Tuple(arguments.clone())),
                    }
                }
            }
            Layout::Abs(inner) => {
                let tall = inner.is_tall() && !self.small;
                match tall {
                    true => self.fenced("|", "|", true, |t| t.layout(inner)),
                    false => self.fenced(r"\lvert ", r" \rvert", false, |t| t.layout(inner)),
                }
            }
            Layout::List(items) => self.list(items),
            Layout::Tuple(items) => {
                let tall = items.iter().any(Layout::is_tall) && !self.small;
                match tall && self.is_wide(layout) {
                    true => self.fenced(r"\bigl(", r"\bigr)", false, |t| t.list(items)),
                    false => self.fenced("(", ")", tall, |t| t.list(items)),
                }
            }
            Layout::Matrix(rows) => {
                self.push(r"\begin{pmatrix} ");
                for (k, row) in rows.iter().enumerate() {
                    if k > 0 {
                        self.push(r" \\ ");
                    }
                    for (j, entry) in row.iter().enumerate() {
                        if j > 0 {
                            self.push(" & ");
                        }
                        self.layout(entry);
                    }
                }
                self.push(r" \end{pmatrix}");
            }
            Layout::Cases(cases) => {
                self.push(r"\begin{cases} ");
                for (k, (value, condition)) in cases.iter().enumerate() {
                    if k > 0 {
                        self.push(r" \\ ");
                    }
                    self.layout(value);
                    match condition {
                        Some(c) => {
                            self.push(r" & \text{if } ");
                            self.layout(c);
                        }
                        None => self.push(r" & \text{otherwise}"),
                    }
                }
                self.push(r" \end{cases}");
            }
            Layout::Relation(left, chain) => {
                self.layout(left);
                for (sign, right) in chain {
                    self.push(&format!(" {} ", sign.latex()));
                    self.inner(right, Binding::Sum);
                }
            }
            Layout::Integral(parts) => {
                let [from, to, of, over] = &**parts;
                self.push(r"\int_");
                self.script(from);
                self.push("^");
                self.script(to);
                self.push(" ");
                self.inner(of, Binding::Product);
                self.push(r" \, \mathrm{d} ");
                self.layout(over);
            }
            Layout::Derivative(d, of, by) => self.derivative(*d, of, by),
            Layout::Where(body, definitions) => {
                self.layout(body);
                for (k, (name, part)) in definitions.iter().enumerate() {
                    self.push(match k {
                        0 => r" \quad \text{where } ",
                        _ => r", \quad ",
                    });
                    self.layout(name);
                    self.push(" = ");
                    self.layout(part);
                }
            }
        }
    }

    fn ends_with_command(&self) -> bool {
        let word = self.out.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        word.len() < self.out.len() && word.ends_with('\\')
    }

    fn derivative(&mut self, d: Differential, of: &Layout, by: &[(Layout, usize)]) {
        let sign = match d {
            Differential::Partial => r"\partial",
            Differential::Total => r"\mathrm{d}",
        };
        let total: usize = by.iter().map(|b| b.1).sum();
        self.push(if self.small { r"{\tfrac{" } else { r"\frac{" });
        self.push(sign);
        if total > 1 {
            self.push(&format!("^{{{total}}}"));
        }
        // Lines cannot end within a fraction: a wide operand is written behind it.
        let wide = self.is_wide(of);
        if !wide {
            self.push(" ");
            self.inner(of, Binding::Atom);
        }
        self.push("}{");
        for (k, (x, n)) in by.iter().enumerate() {
            self.push(if k > 0 { r" \, " } else { "" });
            self.push(sign);
            self.push(" ");
            self.inner(x, Binding::Atom);
            if *n > 1 {
                self.push(&format!("^{{{n}}}"));
            }
        }
        self.push(if self.small { "}}" } else { "}" });
        if wide {
            self.parenthesised(of);
        }
    }

    fn product(&mut self, factors: &[Layout]) {
        let wide = self.room.is_some() && self.is_wide(&Layout::Product(factors.to_vec()));
        for (k, f) in factors.iter().enumerate() {
            let last = k + 1 == factors.len();
            let least = match f {
                Layout::Wedge(_) if last => Binding::Wedge,
                Layout::Integral(_) if last => Binding::Quotient,
                _ => Binding::Prefix,
            };
            let text = self.inner_text(f, least);
            if k > 0 {
                let before = &factors[k - 1];
                let numbers = text.starts_with(|c: char| c.is_ascii_digit())
                    && self.out.ends_with(|c: char| c.is_ascii_digit() || c == '}');
                let spaced = matches!(before, Layout::Fraction(..) | Layout::Row(_))
                    || matches!(f, Layout::Row(_) | Layout::Wedge(_) | Layout::Fraction(..))
                    || before.is_bare() && !f.is_operator();
                self.push(match (numbers, spaced) {
                    (true, _) => r" \cdot ",
                    (_, true) => r" \, ",
                    _ => " ",
                });
                if wide {
                    self.push(r"\allowbreak ");
                }
            }
            self.push(&text);
        }
    }

    fn name(&mut self, name: &str) {
        if let Some(command) = super::name::command(name) {
            return self.push(command);
        }
        let mut letters = name.chars();
        match (letters.next(), letters.next()) {
            (Some(c), None) if c.is_ascii_alphabetic() => self.out.push(c),
            // Of other letters every known one has its command: Φ_R.
            _ if !name.is_ascii() => {
                self.push("{");
                self.signs(name);
                self.push("}");
            }
            _ => {
                self.push(r"\mathit{");
                for c in name.chars() {
                    if matches!(c, '_' | '#' | '$' | '%' | '&' | '{' | '}') {
                        self.out.push('\\');
                    }
                    self.out.push(c);
                }
                self.push("}");
            }
        }
    }

    /// Letters and signs one by one, each known one by its command.
    fn signs(&mut self, text: &str) {
        for c in text.chars() {
            let sign = match c {
                '∂' => Some(r"\partial"),
                'ᵀ' => Some(r"^{\mathrm{T}}"),
                '−' => Some("-"),
                '²' => Some("^{2}"),
                'ⁱ' => Some("^{i}"),
                'ʲ' => Some("^{j}"),
                'ᵢ' => Some("_{i}"),
                'ⱼ' => Some("_{j}"),
                '⌟' => Some(r"\mathbin{\lrcorner}"),
                '∧' => Some(r"\wedge"),
                '_' => Some(r"\_"),
                '′' => Some("'"),
                c => super::name::command(c.encode_utf8(&mut [0; 4])),
            };
            match sign {
                Some(sign) if sign.ends_with(|c: char| c.is_ascii_alphabetic()) => {
                    self.push(&format!("{sign} "));
                }
                Some(sign) => self.push(sign),
                None if c.is_ascii()
                    && !matches!(c, '#' | '$' | '%' | '&' | '{' | '}' | '\\' | '~' | '^') =>
                {
                    self.out.push(c);
                }
                None => self.push(&format!(r"\text{{{c}}}")),
            }
        }
    }

    fn word(&mut self, word: &str) {
        let text = match word {
            "∂" => r"\partial".into(),
            "δ" => r"\delta".into(),
            "⌟" => r"\mathbin{\lrcorner}".into(),
            "sgn" | "atan2" => format!(r"\operatorname{{{word}}}"),
            "undefined" => r"\text{undefined}".into(),
            "d" | "e" => format!(r"\mathrm{{{word}}}"),
            w if w.len() > 1 && w.chars().all(|c| c.is_ascii_alphabetic()) => format!(r"\{w}"),
            w if !w.is_ascii() => {
                self.push("{");
                self.signs(w);
                return self.push("}");
            }
            w => format!(r"\mathrm{{{w}}}"),
        };
        self.push(&text);
    }
}
