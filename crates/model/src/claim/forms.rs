//! Claims about differential forms, on the space of all symbols of a claim.

use galilei_expr::Expr;
use galilei_geometry::{Chart, Form};
use galilei_syntax::{Expression, ExpressionKind as E, Span};

use super::{Claim, MAX_OPERANDS, derivative_size, names_something, parsed};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::dimension::Dimension;
use crate::forms::{FormScope, FormValue, contains_form};
use crate::value::Uses;

/// Reads a FORM on a chart outside of models. Symbols that are no coordinates are constants.
///
/// ```
/// use galilei_expr::Pool;
/// use galilei_geometry::Chart;
/// use galilei_model::read_form;
/// let pool = Pool::new();
/// let chart = Chart::new(&pool, ["t", "x", "x'"]);
/// let form = read_form(&chart, "m*d(x') /\\ contact(x)").unwrap();
/// assert_eq!(form.written(), "m*x'*d(t) /\\ d(x') - m*d(x) /\\ d(x')");
/// ```
pub fn read_form<'p>(chart: &Chart<'p>, text: &str) -> Result<Form<'p>, Vec<Diagnostic>> {
    let tree = parsed(text)?;
    let mut claim = Claim::new(chart.pool(), text);
    claim.chart = Some(chart.clone());
    let read = claim.form(&tree).map(|v| v.form);
    read.ok_or(claim.errors)
}

impl<'p> Claim<'p, '_> {
    /// Whether an expression contains `d( )`, `contact( )` or `/\`.
    pub(super) fn is_about_forms(&self, e: &Expression) -> bool {
        contains_form(e, &|_| false)
    }

    /// The components of both sides of an equation between forms; at least one pair.
    pub(super) fn form_equation(
        &mut self,
        left: &Expression,
        right: &Expression,
        whole: &Expression,
    ) -> Option<Vec<(Expr<'p>, Expr<'p>)>> {
        let mut symbols = Vec::new();
        self.symbols(whole, &mut symbols)?;
        symbols.sort_by_key(Expr::to_string);
        symbols.dedup();
        self.chart = Some(Chart::of(self.pool, symbols));
        let (a, b) = (self.form(left)?, self.form(right)?);
        let k = a.form.degree().max(b.form.degree());
        let (a, b) = (a.of_degree(k), b.of_degree(k));
        if a.form.degree() != b.form.degree() {
            self.error(
                Code::DegreeMismatch,
                format!(
                    "the left side is {}, the right side {}: their degrees differ",
                    a.degree(),
                    b.degree()
                ),
                "both sides of an equation between forms have one degree",
                whole,
            );
            return None;
        }
        let mut indices: Vec<Vec<usize>> = a.form.terms().map(|t| t.0).collect();
        indices.extend(b.form.terms().map(|t| t.0));
        indices.sort();
        indices.dedup();
        let mut pairs: Vec<_> = (indices.iter())
            .map(|i| (a.form.component(i), b.form.component(i)))
            .collect();
        if pairs.is_empty() {
            pairs.push((self.pool.zero(), self.pool.zero()));
        }
        Some(pairs)
    }

    /// Collects the symbols of an expression.
    fn symbols(&mut self, e: &Expression, out: &mut Vec<Expr<'p>>) -> Option<()> {
        match &e.kind {
            E::Number(_) | E::Missing => Some(()),
            E::Name(_) | E::Index(..) | E::Prime(..) => {
                let symbol = self.read(e)?;
                out.extend(Some(symbol).filter(|s| s.is_symbol()));
                Some(())
            }
            E::Negate(a) | E::Component(a, _) | E::Fold(_, _, a) => self.symbols(a, out),
            E::Sum(list) | E::Product(list) => {
                list.iter().try_for_each(|t| self.symbols(&t.1, out))
            }
            E::Power(a, b) | E::Compare(_, a, b) | E::Equals(a, b) => {
                self.symbols(a, out)?;
                self.symbols(b, out)
            }
            E::Tuple(list) | E::Wedge(list) => list.iter().try_for_each(|e| self.symbols(e, out)),
            E::Call(name, index, arguments) => {
                let symbol = matches!(
                    name.text.as_str(),
                    "p" | "multiplier" | "delta" | "jacobi" | "reaction"
                );
                if let [argument] = arguments.as_slice()
                    && symbol
                    && index.is_empty()
                    && names_something(argument)
                {
                    let symbol = self.read(e)?;
                    out.extend(Some(symbol).filter(|s| s.is_symbol()));
                    return Some(());
                }
                if name.text == "contact"
                    && let [argument] = arguments.as_slice()
                {
                    let (_, velocity) = self.contact_symbols(argument)?;
                    out.extend([self.pool.symbol("t"), velocity]);
                }
                arguments.iter().try_for_each(|e| self.symbols(e, out))
            }
        }
    }

    /// x and x' of `contact(x)`.
    fn contact_symbols(&mut self, argument: &Expression) -> Option<(Expr<'p>, Expr<'p>)> {
        if !matches!(argument.kind, E::Name(_) | E::Index(..)) {
            self.error(
                Code::NotACoordinate,
                format!("`{}` is no coordinate", self.text(argument)),
                "a contact form belongs to a name: contact(x)",
                argument,
            );
            return None;
        }
        let position = self.read(argument)?;
        let velocity = self.pool.symbol(&format!("{position}'"));
        Some((position, velocity))
    }
}

impl<'p, 's> FormScope<'p, 's> for Claim<'p, '_> {
    fn chart(&self) -> Chart<'p> {
        let none = || Chart::of(self.pool, []);
        self.chart.clone().unwrap_or_else(none)
    }

    fn function(&mut self, e: &'s Expression) -> Option<FormValue<'p>> {
        let f = self.read(e)?;
        let chart = self.chart();
        Some(FormValue::function(
            &chart,
            f,
            Dimension::none(),
            Uses::default(),
        ))
    }

    fn contact(&mut self, argument: &'s Expression) -> Option<FormValue<'p>> {
        let (position, velocity) = self.contact_symbols(argument)?;
        let chart = self.chart();
        let d = |e: Expr<'p>| Form::function(&chart, e).d();
        let time = d(self.pool.symbol("t"));
        Some(FormValue {
            form: d(position).minus(&time.scaled(velocity)),
            dimension: Dimension::none(),
            uses: Uses::default(),
        })
    }

    fn differentiable(&mut self, v: &FormValue<'p>, e: &'s Expression) -> Option<()> {
        let coefficients: Vec<Expr<'p>> = v.form.terms().map(|t| t.1).collect();
        if coefficients
            .iter()
            .any(|&c| derivative_size(c) > MAX_OPERANDS)
        {
            self.error(
                Code::ModelTooLarge,
                "the derivatives of this claim grow too large",
                "",
                e,
            );
            return None;
        }
        self.differentiated.extend(coefficients);
        Some(())
    }

    fn same_dimension(
        &mut self,
        _: (&FormValue<'p>, &'s Expression),
        _: (&FormValue<'p>, &'s Expression),
    ) -> Option<()> {
        Some(())
    }

    fn mentions_form(&self, e: &Expression) -> bool {
        self.is_about_forms(e)
    }

    fn named_form(&mut self, e: &'s Expression) -> Option<FormValue<'p>> {
        self.error(
            Code::OnlyInModels,
            format!("`{}` has a meaning only in a model", self.text(e)),
            "forms are made by d( ), contact( ), /\\, sums and multiples",
            e,
        );
        None
    }

    fn refuse(&mut self, code: Code, message: String, hint: &str, span: Span) {
        self.errors
            .push(Diagnostic::error(code, message, hint, span));
    }
}
