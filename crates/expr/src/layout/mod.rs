//! Formulas as they are drawn: one tree, and a printer for each medium.
//!
//! An expression says what a formula means; a [`Layout`] says how it looks: fractions, roots,
//! accents, indices, the order of terms. Three printers read it: text for terminals
//! ([`Layout::to_text`]), LaTeX ([`Layout::to_latex`]) and MathML ([`Layout::to_mathml`]). None of
//! them knows expressions, and parentheses are the printers' affair: a fraction needs them in text
//! and not in print.

mod compose;
mod flow;
mod form;
mod latex;
mod mathml;
mod name;
mod share;
mod text;

pub use compose::{Place, Plain, Style};
pub use share::Shared;

/// A formula as it is drawn.
///
/// Made from an expression by [`Expr::layout`](crate::Expr::layout), from a name by
/// [`Layout::name`], or put together from parts.
///
/// ```
/// use galilei_expr::{Layout, Plain, Pool};
/// let pool = Pool::new();
/// let [m, l] = pool.symbols(["m", "l"]);
/// let [w, theta] = pool.symbols(["theta'", "theta"]);
/// let energy = m * l.pow(2) * w.pow(2) / 2 * theta.cos();
/// let formula = Layout::name("T").equals(energy.layout(&Plain));
/// assert_eq!(formula.to_text(), "T = ½ l² m θ̇² cos θ");
/// assert_eq!(
///     formula.to_latex(),
///     r"T = \tfrac{1}{2} \, l^{2} m \dot{\theta}^{2} \cos \theta"
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// The digits of a number without sign.
    Number(String),
    /// A letter or a word that names a quantity: `m`, `θ`, `bob`.
    Name(String),
    /// A word that is set upright: `sin`, `d`, `∂`.
    Word(String),
    /// Adjacent parts that form one symbol: δx, dθ.
    Row(Vec<Layout>),
    /// Derivatives with respect to time: dots above.
    Dots(Box<Layout>, usize),
    /// Derivatives of a function of one argument: primes behind.
    Primes(Box<Layout>, usize),
    /// A base and an index below.
    Subscript(Box<Layout>, Box<Layout>),
    /// A base and an exponent.
    Power(Box<Layout>, Box<Layout>),
    /// The root of that degree.
    Root(u32, Box<Layout>),
    /// Numerator and denominator.
    Fraction(Box<Layout>, Box<Layout>),
    /// Factors, in reading order.
    Product(Vec<Layout>),
    /// Factors of an exterior product.
    Wedge(Vec<Layout>),
    /// Terms, each with whether it is subtracted.
    Sum(Vec<(bool, Layout)>),
    /// A function and its arguments.
    Apply(Box<Layout>, Vec<Layout>),
    /// The absolute value.
    Abs(Box<Layout>),
    /// Formulas separated by commas, without parentheses.
    List(Vec<Layout>),
    /// Components in parentheses.
    Tuple(Vec<Layout>),
    /// Rows of a matrix.
    Matrix(Vec<Vec<Layout>>),
    /// Values and the conditions under which they hold; the last may have none.
    Cases(Vec<(Layout, Option<Layout>)>),
    /// A left side, then each relation with its right side.
    Relation(Box<Layout>, Vec<(Sign, Layout)>),
    /// ∫ from, to, of, over
    Integral(Box<[Layout; 4]>),
    /// The letter `d` or `∂`, the differentiated formula, and the variables with their orders.
    Derivative(Differential, Box<Layout>, Vec<(Layout, usize)>),
    /// A formula and the definitions of its abbreviations.
    Where(Box<Layout>, Vec<(Layout, Layout)>),
}

/// The sign of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// =
    Equal,
    /// ≠
    NotEqual,
    /// <
    Less,
    /// ≤
    LessEqual,
    /// >
    Greater,
    /// ≥
    GreaterEqual,
    /// :=, introduces an abbreviation
    Define,
    /// ↦
    MapsTo,
}

impl Sign {
    fn text(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "≠",
            Self::Less => "<",
            Self::LessEqual => "≤",
            Self::Greater => ">",
            Self::GreaterEqual => "≥",
            Self::Define => "≔",
            Self::MapsTo => "↦",
        }
    }

    fn latex(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => r"\neq",
            Self::Less => "<",
            Self::LessEqual => r"\leq",
            Self::Greater => ">",
            Self::GreaterEqual => r"\geq",
            Self::Define => ":=",
            Self::MapsTo => r"\mapsto",
        }
    }
}

/// The letter of a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Differential {
    /// ∂
    Partial,
    /// d
    Total,
}

impl Differential {
    fn text(self) -> &'static str {
        match self {
            Self::Partial => "∂",
            Self::Total => "d",
        }
    }
}

/// How tightly the outermost operation of a formula holds its parts together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Binding {
    /// Relations, lists.
    Open,
    Sum,
    /// A fraction on one line, an integral.
    Quotient,
    Wedge,
    Product,
    /// `sin x`, `∂V/∂x`
    Prefix,
    /// x², δx
    Power,
    Atom,
}

impl Layout {
    /// The binding; `flat` if fractions are written on one line.
    fn binding(&self, flat: bool) -> Binding {
        match self {
            Self::Number(_) | Self::Name(_) | Self::Word(_) => Binding::Atom,
            Self::Dots(..) | Self::Subscript(..) | Self::Primes(..) => Binding::Atom,
            Self::Abs(_) | Self::Tuple(_) | Self::Matrix(_) => Binding::Atom,
            Self::Row(parts) if parts.len() == 1 => parts[0].binding(flat),
            Self::Row(_) => Binding::Power,
            Self::Power(base, _) if flat && base.is_e() => Binding::Atom,
            Self::Power(..) => Binding::Power,
            Self::Root(..) => Binding::Power,
            Self::Fraction(n, d) if flat && text::vulgar(n, d).is_some() => Binding::Power,
            Self::Fraction(..) if flat => Binding::Quotient,
            Self::Fraction(..) => Binding::Power,
            Self::Product(list) if list.len() == 1 => list[0].binding(flat),
            Self::Product(_) => Binding::Product,
            Self::Wedge(list) if list.len() == 1 => list[0].binding(flat),
            Self::Wedge(_) => Binding::Wedge,
            Self::Sum(terms) => match terms.as_slice() {
                [(false, t)] => t.binding(flat),
                _ => Binding::Sum,
            },
            Self::Apply(..) if self.is_bare() => Binding::Prefix,
            Self::Apply(..) => Binding::Atom,
            Self::Cases(_) if flat => Binding::Atom,
            Self::Cases(_) => Binding::Sum,
            Self::Integral(_) => Binding::Quotient,
            Self::Derivative(..) => Binding::Prefix,
            Self::List(_) | Self::Relation(..) | Self::Where(..) => Binding::Open,
        }
    }

    /// The base of natural logarithms, upright.
    fn is_e(&self) -> bool {
        matches!(self, Self::Word(w) if w == "e")
    }

    /// A function that is a word and an argument that needs no parentheses: sin θ.
    fn is_bare(&self) -> bool {
        let Self::Apply(f, arguments) = self else {
            return false;
        };
        let word = match &**f {
            Self::Word(_) => true,
            Self::Power(base, _) => matches!(**base, Self::Word(_)),
            _ => false,
        };
        let [argument] = arguments.as_slice() else {
            return false;
        };
        let simple = matches!(
            argument,
            Self::Number(_) | Self::Name(_) | Self::Dots(..) | Self::Subscript(..) | Self::Row(_)
        );
        word && simple
    }

    /// Whether a factor is separated from the one before it by a thin space, as a function is.
    fn is_operator(&self) -> bool {
        match self {
            Self::Apply(f, _) => match &**f {
                Self::Word(_) => true,
                Self::Power(base, _) => matches!(**base, Self::Word(_)),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether the formula is higher than a line: its parentheses must grow.
    fn is_tall(&self) -> bool {
        match self {
            Self::Number(_) | Self::Name(_) | Self::Word(_) => false,
            Self::Fraction(..) | Self::Matrix(_) | Self::Cases(_) => true,
            Self::Integral(_) | Self::Derivative(..) => true,
            Self::Root(_, r) => r.is_tall(),
            Self::Dots(b, _) | Self::Primes(b, _) | Self::Abs(b) => b.is_tall(),
            Self::Subscript(b, _) | Self::Power(b, _) => b.is_tall(),
            Self::Row(l) | Self::Product(l) | Self::Wedge(l) | Self::List(l) | Self::Tuple(l) => {
                l.iter().any(Self::is_tall)
            }
            Self::Sum(terms) => terms.iter().any(|t| t.1.is_tall()),
            Self::Apply(f, l) => f.is_tall() || l.iter().any(Self::is_tall),
            Self::Relation(l, r) => l.is_tall() || r.iter().any(|r| r.1.is_tall()),
            Self::Where(..) => true,
        }
    }

    /// The number of fractions inside of numerators and denominators of others, or of sums in parentheses that are
    /// multiplied by more than a number: these are hard to read.
    ///
    /// ```
    /// use galilei_expr::{Plain, Pool};
    /// let pool = Pool::new();
    /// let [a, b, c] = pool.symbols(["a", "b", "c"]);
    /// let nested = (a / b + 1) / (c + 1);
    /// assert_eq!(nested.layout(&Plain).nested_fractions(), 1);
    /// assert_eq!(((a + b) / (b * (c + 1))).layout(&Plain).nested_fractions(), 0);
    /// ```
    pub fn nested_fractions(&self) -> usize {
        self.fractions(false)
    }

    fn is_number_fraction(&self) -> bool {
        match self {
            Self::Fraction(n, d) => matches!((&**n, &**d), (Self::Number(_), Self::Number(_))),
            _ => false,
        }
    }

    fn fractions(&self, inside: bool) -> usize {
        let all = |list: &[Self], inside| list.iter().map(|l| l.fractions(inside)).sum::<usize>();
        match self {
            Self::Number(_) | Self::Name(_) | Self::Word(_) => 0,
            Self::Fraction(n, d) => usize::from(inside) + n.fractions(true) + d.fractions(true),
            Self::Root(_, b) | Self::Dots(b, _) | Self::Primes(b, _) | Self::Abs(b) => {
                b.fractions(inside)
            }
            Self::Subscript(b, _) | Self::Power(b, _) => b.fractions(inside),
            Self::Product(l) => {
                let number = |f: &Self| matches!(f, Self::Number(_)) || f.is_number_fraction();
                let several = l.iter().filter(|f| !number(f)).count() > 1;
                let sum = |f: &Self| matches!(f, Self::Sum(terms) if terms.len() > 1);
                let factor = |f: &Self| f.fractions(inside || several && sum(f));
                l.iter().map(factor).sum()
            }
            Self::Row(l) | Self::Wedge(l) | Self::List(l) | Self::Tuple(l) => all(l, inside),
            Self::Sum(terms) => terms.iter().map(|t| t.1.fractions(inside)).sum(),
            Self::Apply(_, l) => all(l, inside),
            Self::Matrix(rows) => rows.iter().map(|r| all(r, inside)).sum(),
            Self::Cases(cases) => cases.iter().map(|c| c.0.fractions(inside)).sum(),
            Self::Relation(l, r) => {
                l.fractions(inside) + r.iter().map(|r| r.1.fractions(inside)).sum::<usize>()
            }
            Self::Integral(parts) => parts[2].fractions(inside),
            Self::Derivative(_, of, _) => of.fractions(true),
            Self::Where(body, definitions) => {
                let inner = definitions.iter().map(|d| d.1.fractions(inside));
                body.fractions(inside) + inner.sum::<usize>()
            }
        }
    }

    /// `self` = `right`.
    #[must_use]
    pub fn equals(self, right: Layout) -> Self {
        self.related(Sign::Equal, right)
    }

    /// `self` related to a right side; consecutive relations become one chain.
    #[must_use]
    pub fn related(self, sign: Sign, right: Layout) -> Self {
        match self {
            Self::Relation(left, mut chain) => {
                chain.push((sign, right));
                Self::Relation(left, chain)
            }
            left => Self::Relation(Box::new(left), vec![(sign, right)]),
        }
    }

    /// The formula squared, cubed, ….
    #[must_use]
    pub fn power(self, exponent: Layout) -> Self {
        Self::Power(Box::new(self), Box::new(exponent))
    }

    /// A fraction.
    #[must_use]
    pub fn over(self, denominator: Layout) -> Self {
        Self::Fraction(Box::new(self), Box::new(denominator))
    }

    /// The formula with an index.
    #[must_use]
    pub fn indexed(self, index: Layout) -> Self {
        Self::Subscript(Box::new(self), Box::new(index))
    }

    /// The negated formula: a minus is added, or removed if there is one.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Sum(mut terms) if terms.len() == 1 => {
                terms[0].0 = !terms[0].0;
                match terms.pop() {
                    Some((false, t)) => t,
                    Some(t) => Self::Sum(vec![t]),
                    None => Self::Sum(terms),
                }
            }
            t => Self::Sum(vec![(true, t)]),
        }
    }
}
