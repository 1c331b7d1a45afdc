//! Formulas that flow: pieces of MathML between which a browser may end a line.
//!
//! Browsers draw MathML but do not break it. A long formula is therefore handed over as a row of small ones
//! with the operators between them as text, and the lines are filled like those of a paragraph, whatever the
//! width of the screen.

use super::mathml::{MathMl, SPACE, THIN, escaped};
use super::{Binding, Layout};

impl Layout {
    /// Inline MathML that may be broken into lines. A part of at most `room` characters stays in one piece; wider sums,
    /// products, relations and parentheses are taken apart, wide fractions are written with a slash and
    /// wide roots as powers. Fractions are as high as `math-style` says.
    ///
    /// ```
    /// use galilei_expr::{Layout, Plain, Pool};
    /// let pool = Pool::new();
    /// let sum = pool.sum((1..4).map(|k| pool.symbol(&format!("x_{k}")).sin()));
    /// let equation = Layout::name("F").equals(sum.layout(&Plain));
    /// let pieces = |room| equation.to_mathml_flow(room).matches("<math>").count();
    /// assert_eq!([pieces(40), pieces(10)], [1, 4]);
    /// ```
    pub fn to_mathml_flow(&self, room: usize) -> String {
        let mut flow = Flow {
            room,
            pieces: vec![],
            lead: String::new(),
            sign: String::new(),
        };
        flow.layout(self);
        flow.finish()
    }
}

/// `1/2`, the exponent of a root that is written as a power.
fn reciprocal(n: u32) -> Layout {
    Layout::Number("1".into()).over(Layout::Number(n.to_string()))
}

/// The space behind an operator, at which no line may end; a line may end before the operator.
const NARROW_NO_BREAK_SPACE: char = '\u{202f}';

struct Flow {
    room: usize,
    /// The text before each piece, and the markup in it.
    pieces: Vec<(String, String)>,
    /// The markup with which the next piece begins.
    lead: String,
    /// The text before the next piece.
    sign: String,
}

impl Flow {
    fn finish(self) -> String {
        let mut out = String::new();
        for (k, (sign, markup)) in self.pieces.into_iter().enumerate() {
            if k > 0 && !sign.starts_with(' ') && sign != SPACE {
                out.push_str("<wbr>");
            }
            out += &format!("{sign}<math>{markup}</math>");
        }
        out
    }

    /// Markup that begins the next piece.
    fn lead(&mut self, markup: &str) {
        self.lead.push_str(markup);
    }

    /// An operator between two pieces.
    fn operator(&mut self, text: &str) {
        self.sign = format!(" {}{NARROW_NO_BREAK_SPACE}", escaped(text));
    }

    /// Markup that ends the last piece.
    fn trail(&mut self, markup: &str) {
        match self.pieces.last_mut() {
            Some((_, last)) => last.push_str(markup),
            None => self.lead.push_str(markup),
        }
    }

    /// One piece.
    fn piece(&mut self, print: impl FnOnce(&mut MathMl)) {
        let mut printer = MathMl::default();
        print(&mut printer);
        let lead = std::mem::take(&mut self.lead);
        let sign = std::mem::take(&mut self.sign);
        self.pieces.push((sign, lead + &printer.out));
    }

    /// Whether a formula stays in one piece.
    fn fits(&self, layout: &Layout) -> bool {
        layout.text_width() <= self.room
    }

    fn inner(&mut self, layout: &Layout, least: Binding) {
        if self.fits(layout) {
            return self.piece(|p| p.inner(layout, least));
        }
        // A wide fraction is written on one line.
        match layout.binding(true) < least {
            true => self.parenthesised(layout, ")"),
            false => self.layout(layout),
        }
    }

    /// Whether a formula contains a fraction that is built up: wide ones are not.
    fn is_tall(&self, layout: &Layout) -> bool {
        if self.fits(layout) {
            return layout.is_tall();
        }
        let any = |list: &[Layout]| list.iter().any(|l| self.is_tall(l));
        match layout {
            Layout::Sum(terms) => terms.iter().any(|(_, term)| self.is_tall(term)),
            Layout::Product(list)
            | Layout::Wedge(list)
            | Layout::List(list)
            | Layout::Tuple(list)
            | Layout::Apply(_, list) => any(list),
            Layout::Fraction(above, below) => self.is_tall(above) || self.is_tall(below),
            Layout::Power(base, _) | Layout::Subscript(base, _) | Layout::Abs(base) => {
                self.is_tall(base)
            }
            _ => layout.is_tall(),
        }
    }

    /// A formula in parentheses as high as it is; `close` may carry an exponent.
    fn parenthesised(&mut self, layout: &Layout, close: &str) {
        let sign = match self.is_tall(layout) && close == ")" {
            // Its lines end inside of the parentheses, which therefore cannot stretch by themselves.
            true => "<mo minsize=\"2.2em\" maxsize=\"2.2em\">",
            false => "<mo stretchy=\"false\">",
        };
        self.lead(&format!("{sign}(</mo>"));
        self.layout(layout);
        match close {
            ")" => self.trail(&format!("{sign})</mo>")),
            markup => self.trail(markup),
        }
    }

    /// A base in parentheses, with exponents and indices.
    fn scripted(&mut self, tag: &'static str, base: &Layout, scripts: &[&Layout]) {
        let mut printer = MathMl::default();
        for script in scripts {
            printer.script(script);
        }
        let close = format!(
            "<{tag}><mo stretchy=\"false\">)</mo>{}</{tag}>",
            printer.out
        );
        match base {
            // These parentheses are there already.
            Layout::Tuple(items) => self.parenthesised(&Layout::List(items.clone()), &close),
            _ => self.parenthesised(base, &close),
        }
    }

    fn layout(&mut self, layout: &Layout) {
        if self.fits(layout) {
            return self.piece(|p| p.layout(layout));
        }
        match layout {
            Layout::Relation(left, chain) => {
                self.layout(left);
                for (sign, right) in chain {
                    self.operator(sign.text());
                    self.inner(right, Binding::Sum);
                }
            }
            Layout::Sum(terms) => self.sum(terms),
            Layout::Product(factors) => self.product(factors),
            Layout::Wedge(factors) => {
                for (k, f) in factors.iter().enumerate() {
                    if k > 0 {
                        self.operator("∧");
                    }
                    self.inner(f, Binding::Product);
                }
            }
            Layout::Fraction(above, below) => {
                self.inner(above, Binding::Product);
                self.sign = "/".into();
                self.inner(below, Binding::Prefix);
            }
            Layout::Power(base, above) if !self.fits(base) => match &**base {
                Layout::Subscript(inner, below) => {
                    self.scripted("msubsup", inner, &[below, above]);
                }
                _ => self.scripted("msup", base, &[above]),
            },
            Layout::Subscript(base, below) if !self.fits(base) => {
                self.scripted("msub", base, &[below]);
            }
            // The operator in front, what is differentiated in parentheses.
            Layout::Derivative(d, of, by) if !self.fits(of) => {
                let mut printer = MathMl::default();
                printer.derivative(*d, None, by);
                self.lead(&printer.out);
                self.parenthesised(of, ")");
            }
            Layout::Root(n, radicand) => self.scripted("msup", radicand, &[&reciprocal(*n)]),
            Layout::Apply(f, arguments) => {
                let mut printer = MathMl::default();
                printer.inner_row(f, Binding::Power);
                let head = printer.out;
                self.lead(&head);
                self.lead("<mo stretchy=\"false\">(</mo>");
                self.list(arguments);
                self.trail("<mo stretchy=\"false\">)</mo>");
            }
            Layout::Abs(inner) => {
                self.lead("<mo form=\"prefix\" stretchy=\"false\">|</mo>");
                self.layout(inner);
                self.trail("<mo form=\"postfix\" stretchy=\"false\">|</mo>");
            }
            Layout::List(items) => self.list(items),
            Layout::Tuple(items) => self.parenthesised(&Layout::List(items.clone()), ")"),
            Layout::Integral(parts) => self.integral(parts),
            _ => self.piece(|p| p.layout(layout)),
        }
    }

    fn sum(&mut self, terms: &[(bool, Layout)]) {
        for (k, (negative, term)) in terms.iter().enumerate() {
            match (k, negative) {
                (0, false) => {}
                (0, true) => self.lead("<mo form=\"prefix\">−</mo>"),
                (_, false) => self.operator("+"),
                (_, true) => self.operator("−"),
            }
            self.inner(term, Binding::Quotient);
        }
    }

    /// A product: factors in one piece as long as they fit, the others one by one.
    fn product(&mut self, factors: &[Layout]) {
        let mut start = 0;
        while start < factors.len() {
            let mut end = start + 1;
            while end < factors.len() && self.fits(&Layout::Product(factors[start..=end].to_vec()))
            {
                end += 1;
            }
            if start > 0 {
                self.sign = SPACE.into();
            }
            if end == start + 1 {
                let last = end == factors.len();
                let least = match factors[start] {
                    Layout::Wedge(_) if last => Binding::Wedge,
                    _ => Binding::Prefix,
                };
                self.inner(&factors[start], least);
            } else {
                let few = Layout::Product(factors[start..end].to_vec());
                self.piece(|p| p.layout(&few));
            }
            start = end;
        }
    }

    fn list(&mut self, items: &[Layout]) {
        for (k, item) in items.iter().enumerate() {
            if k > 0 {
                self.trail("<mo>,</mo>");
            }
            self.layout(item);
        }
    }

    fn integral(&mut self, parts: &[Layout; 4]) {
        let [from, to, of, over] = parts;
        let mut printer = MathMl::default();
        printer.tagged("msubsup", |t| {
            t.element("mo", "∫");
            t.row(from);
            t.row(to);
        });
        let head = std::mem::take(&mut printer.out);
        self.lead(&head);
        self.inner(of, Binding::Product);
        printer.push(THIN);
        printer.push("<mi mathvariant=\"normal\">d</mi>");
        printer.layout(over);
        self.trail(&printer.out);
    }
}
