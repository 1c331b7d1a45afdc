//! FORMs: sums, multiples, wedge products and differentials of forms, in a model or in a claim.

use galilei_expr::Expr;
use galilei_geometry::{Chart, Form};
use galilei_syntax::{Expression, ExpressionKind as E, Name, Span};

use crate::code::Code;
use crate::dimension::Dimension;
use crate::value::Uses;

/// Products of terms up to which a wedge product is written out.
const MAX_TERM_PRODUCTS: usize = 1_000_000;

/// A differential form with its dimension.
#[derive(Clone, Debug)]
pub(crate) struct FormValue<'p> {
    /// The form; a function has degree 0.
    pub(crate) form: Form<'p>,
    /// Its dimension: d(e) has that of e.
    pub(crate) dimension: Dimension,
    /// The quantities used to compute it.
    pub(crate) uses: Uses,
}

impl<'p> FormValue<'p> {
    /// A function as a form.
    pub(crate) fn function(
        chart: &Chart<'p>,
        e: Expr<'p>,
        dimension: Dimension,
        uses: Uses,
    ) -> Self {
        Self {
            form: Form::function(chart, e),
            dimension,
            uses,
        }
    }

    /// The degree in words, for messages.
    pub(crate) fn degree(&self) -> String {
        degree(self.form.degree())
    }

    /// Whether this is the number 0, which fits every degree.
    fn is_zero_number(&self) -> bool {
        self.form.degree() == 0 && self.form.component(&[]).is_zero()
    }

    /// The form, or zero of the given degree where it is the number 0.
    pub(crate) fn of_degree(self, degree: usize) -> Self {
        if self.form.degree() == degree || !self.is_zero_number() {
            return self;
        }
        let form = Form::zero(self.form.chart(), degree);
        Self { form, ..self }
    }
}

/// A degree in words: `a function (degree 0)`, `a one-form (degree 1)`.
pub(crate) fn degree(k: usize) -> String {
    match k {
        0 => "a function (degree 0)".into(),
        1 => "a one-form (degree 1)".into(),
        2 => "a two-form (degree 2)".into(),
        k => format!("a {k}-form (degree {k})"),
    }
}

/// Where a FORM is read: what names and scalar expressions mean, and on which chart forms are.
pub(crate) trait FormScope<'p, 's> {
    /// The chart of the forms.
    fn chart(&self) -> Chart<'p>;
    /// A scalar expression as a form of degree 0.
    fn function(&mut self, e: &'s Expression) -> Option<FormValue<'p>>;
    /// `contact(x)`, d(x) − x'·d(t).
    fn contact(&mut self, argument: &'s Expression) -> Option<FormValue<'p>>;
    /// Succeeds if a form may be differentiated.
    fn differentiable(&mut self, v: &FormValue<'p>, e: &'s Expression) -> Option<()>;
    /// Succeeds if terms of a sum have one dimension.
    fn same_dimension(
        &mut self,
        first: (&FormValue<'p>, &'s Expression),
        other: (&FormValue<'p>, &'s Expression),
    ) -> Option<()>;
    /// Whether an expression that is not one of the operations on forms names or contains a form.
    fn mentions_form(&self, e: &Expression) -> bool;
    /// The value of an expression that mentions a form and is none of the operations on forms: a name, a sum over a
    /// family, or an error.
    fn named_form(&mut self, e: &'s Expression) -> Option<FormValue<'p>>;
    /// Reports an error.
    fn refuse(&mut self, code: Code, message: String, hint: &str, span: Span);

    /// The form that an expression denotes; `None` for an error, which has been reported.
    fn form(&mut self, e: &'s Expression) -> Option<FormValue<'p>> {
        if !self.mentions_form(e) {
            return self.function(e);
        }
        match &e.kind {
            E::Wedge(factors) => self.wedge_of(factors, e.span),
            E::Sum(terms) => self.sum_of_forms(terms),
            E::Product(factors) => self.multiple(factors),
            E::Negate(inner) => {
                let v = self.form(inner)?;
                Some(FormValue {
                    form: v.form.negated(),
                    ..v
                })
            }
            E::Call(name, index, arguments) if index.is_empty() && is_operator(&name.text) => {
                let [argument] = arguments.as_slice() else {
                    self.refuse(
                        Code::WrongArgumentCount,
                        format!("`{}` takes 1 argument, not {}", name.text, arguments.len()),
                        match name.text.as_str() {
                            "d" => "write d(e), the differential of an expression",
                            _ => "write contact(x), with a coordinate",
                        },
                        e.span,
                    );
                    return None;
                };
                if name.text == "contact" {
                    return self.contact(argument);
                }
                let v = self.form(argument)?;
                self.differentiable(&v, argument)?;
                Some(FormValue {
                    form: v.form.d(),
                    ..v
                })
            }
            E::Call(name, _, arguments) => {
                self.not_a_function(name, arguments, e.span);
                None
            }
            E::Power(base, exponent) => {
                let inner = [&**base, &**exponent];
                let found = inner.into_iter().find(|e| self.mentions_form(e));
                let degree = found.and_then(|e| self.form(e)).map(|v| v.degree());
                if let Some(degree) = degree {
                    self.refuse(
                        Code::DegreeMismatch,
                        format!(
                            "{degree} has no powers: base and exponent are functions (degree 0)"
                        ),
                        "the wedge product is written /\\",
                        e.span,
                    );
                }
                None
            }
            _ => self.named_form(e),
        }
    }

    /// α∧β∧…
    fn wedge_of(&mut self, factors: &'s [Expression], span: Span) -> Option<FormValue<'p>> {
        let values: Vec<_> = factors.iter().map(|f| self.form(f)).collect();
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        let mut values = values.into_iter();
        let mut product = values.next()?;
        for v in values {
            if product.form.terms().count() * v.form.terms().count() > MAX_TERM_PRODUCTS {
                self.refuse(
                    Code::ModelTooLarge,
                    "this wedge product has too many terms".into(),
                    "write the form with fewer terms",
                    span,
                );
                return None;
            }
            product = FormValue {
                form: product.form.wedge(&v.form),
                dimension: product.dimension.mul(&v.dimension),
                uses: product.uses.with(v.uses),
            };
        }
        Some(product)
    }

    /// α + β − …
    fn sum_of_forms(&mut self, terms: &'s [(bool, Expression)]) -> Option<FormValue<'p>> {
        let values: Vec<_> = terms.iter().map(|(_, t)| self.form(t)).collect();
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        let leading = values.iter().position(|v| !v.is_zero_number()).unwrap_or(0);
        let k = values[leading].form.degree();
        let values: Vec<_> = values.into_iter().map(|v| v.of_degree(k)).collect();
        let first = (values[leading].clone(), &terms[leading].1);
        let mut form = Form::zero(first.0.form.chart(), k);
        let mut uses = Uses::default();
        for (v, (minus, e)) in values.iter().zip(terms) {
            if v.form.degree() != k {
                let message = format!(
                    "{} and {} cannot be added: their degrees differ",
                    first.0.degree(),
                    v.degree()
                );
                let hint =
                    "all terms of a form have one degree: d(e) raises it by one, /\\ adds degrees";
                self.refuse(Code::DegreeMismatch, message, hint, first.1.span.to(e.span));
                return None;
            }
            self.same_dimension((&first.0, first.1), (v, e))?;
            form = match minus {
                true => form.minus(&v.form),
                false => form.plus(&v.form),
            };
            uses = uses.with(v.uses);
        }
        Some(FormValue {
            form,
            uses,
            dimension: first.0.dimension,
        })
    }

    /// f·α/g, with one form among functions
    fn multiple(&mut self, factors: &'s [(bool, Expression)]) -> Option<FormValue<'p>> {
        let values: Vec<_> = factors.iter().map(|(_, f)| self.form(f)).collect();
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        let chart = self.chart();
        let one = chart.pool().one();
        let mut product = FormValue::function(&chart, one, Dimension::none(), Uses::default());
        for (v, (divides, e)) in values.into_iter().zip(factors) {
            let (a, b) = (product.form.degree(), v.form.degree());
            if *divides && b > 0 {
                let message = format!("nothing can be divided by {}", v.degree());
                let hint = "divide by functions (degree 0)";
                self.refuse(Code::DegreeMismatch, message, hint, e.span);
                return None;
            }
            if a > 0 && b > 0 {
                let message = format!(
                    "{} and {} cannot be multiplied with *",
                    product.degree(),
                    v.degree()
                );
                let hint = "* multiplies by functions (degree 0); the wedge product is written /\\";
                self.refuse(Code::DegreeMismatch, message, hint, e.span);
                return None;
            }
            let (form, dimension) = if *divides {
                let f = v.form.component(&[]);
                if f.is_zero() {
                    let message = "a divisor is zero".to_owned();
                    let hint = "check the values that make it zero";
                    self.refuse(Code::UndefinedValue, message, hint, e.span);
                    return None;
                }
                (
                    product.form.scaled(f.recip()),
                    product.dimension.div(&v.dimension),
                )
            } else {
                let form = match b {
                    0 => product.form.scaled(v.form.component(&[])),
                    _ => v.form.scaled(product.form.component(&[])),
                };
                (form, product.dimension.mul(&v.dimension))
            };
            product = FormValue {
                form,
                dimension,
                uses: product.uses.with(v.uses),
            };
        }
        Some(product)
    }

    /// Reports a function of a form.
    fn not_a_function(&mut self, name: &Name, arguments: &'s [Expression], span: Span) {
        let found = arguments.iter().find(|a| self.mentions_form(a));
        let Some(v) = found.and_then(|a| self.form(a)) else {
            return;
        };
        let message = format!(
            "`{}` takes functions (degree 0), not {}",
            name.text,
            v.degree()
        );
        let hint = "forms are made by d( ), contact( ), /\\, sums and multiples";
        self.refuse(Code::DegreeMismatch, message, hint, span);
    }
}

/// Whether a call makes a form of its argument: `d`, `contact`.
pub(crate) fn is_operator(name: &str) -> bool {
    matches!(name, "d" | "contact")
}

/// Whether an expression contains `d( )`, `contact( )`, `/\` or a name for which `named` holds.
pub(crate) fn contains_form(e: &Expression, named: &dyn Fn(&str) -> bool) -> bool {
    let inner = |e: &Expression| contains_form(e, named);
    match &e.kind {
        E::Wedge(_) => true,
        E::Call(name, index, arguments) => {
            index.is_empty() && is_operator(&name.text) || arguments.iter().any(inner)
        }
        E::Name(name) => named(name),
        E::Index(name, _) => named(&name.text),
        E::Negate(a) | E::Component(a, _) | E::Fold(_, _, a) => inner(a),
        E::Sum(list) | E::Product(list) => list.iter().any(|(_, a)| inner(a)),
        E::Power(a, b) | E::Compare(_, a, b) | E::Equals(a, b) => inner(a) || inner(b),
        E::Tuple(list) => list.iter().any(inner),
        E::Number(_) | E::Prime(..) | E::Missing => false,
    }
}
