//! Sums, products and powers.

use galilei_expr::Expr;
use galilei_syntax::{Expression, Span};

use super::Reader;
use crate::code::Code;
use crate::dimension::Dimension;
use crate::value::{Uses, Value};

/// The largest number of factors of a product: its derivative has one term per factor, each with all factors.
const MAX_FACTORS: usize = 64;

impl<'p, 's> Reader<'p, 's> {
    pub(super) fn sum(&mut self, terms: &'s [(bool, Expression)], span: Span) -> Option<Value<'p>> {
        let mut values = Vec::with_capacity(terms.len());
        for (_, e) in terms {
            values.push(self.read(e));
        }
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        let first = &values[0];
        let n = first.len();
        let mut uses = first.uses;
        for (v, (_, e)) in values.iter().zip(terms).skip(1) {
            if v.len() != n {
                let (a, b) = (first.shape(), v.shape());
                self.error(
                    Code::ShapeMismatch,
                    format!("{a} and {b} cannot be added"),
                    "both must have the same number of components",
                    span,
                );
                return None;
            }
            for k in 0..n {
                let left = format!("`{}`", self.text(terms[0].1.span));
                let right = format!("`{}`", self.text(e.span));
                let place = terms[0].1.span.to(e.span);
                if !self.agree(
                    (&first.dimensions[k], &left),
                    (&v.dimensions[k], &right),
                    place,
                ) {
                    return None;
                }
            }
            uses = uses.with(v.uses);
        }
        let parts = (0..n)
            .map(|k| {
                self.pool
                    .sum(values.iter().zip(terms).map(|(v, (minus, _))| {
                        if *minus { -v.parts[k] } else { v.parts[k] }
                    }))
            })
            .collect();
        let tuple = values.iter().any(|v| v.tuple);
        Some(Value {
            parts,
            dimensions: first.dimensions.clone(),
            tuple,
            uses,
        })
    }

    pub(super) fn product(
        &mut self,
        factors: &'s [(bool, Expression)],
        span: Span,
    ) -> Option<Value<'p>> {
        let turned = factors.iter().position(|f| self.turns(&f.1));
        if let Some(k) = turned {
            return self.turned_product(factors, k, span);
        }
        let mut values = Vec::with_capacity(factors.len());
        for (_, e) in factors {
            values.push(self.read(e));
        }
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        let mut uses = Uses::default();
        let mut vector: Option<usize> = None;
        let mut scalars = Vec::with_capacity(values.len());
        let mut dimension = Dimension::none();
        for (k, (v, (divides, e))) in values.iter().zip(factors).enumerate() {
            uses = uses.with(v.uses);
            if v.len() == 1 {
                let x = v.parts[0];
                if *divides {
                    if x.is_zero() {
                        self.error(
                            Code::UndefinedValue,
                            format!("`{}` is zero and cannot divide", self.text(e.span)),
                            "check the values and ranges that make it zero",
                            e.span,
                        );
                        return None;
                    }
                    scalars.push(x.recip());
                    dimension = dimension.div(&v.dimensions[0]);
                } else {
                    scalars.push(x);
                    dimension = dimension.mul(&v.dimensions[0]);
                }
            } else if *divides || vector.is_some() {
                self.error(
                    Code::ShapeMismatch,
                    if *divides {
                        "nothing can be divided by a tuple"
                    } else {
                        "two tuples cannot be multiplied with *"
                    },
                    "use dot(a, b), cross(a, b) or norm(a)",
                    e.span,
                );
                return None;
            } else {
                vector = Some(k);
            }
        }
        let tuple = values.iter().any(|v| v.tuple);
        let Some(k) = vector else {
            let mut v = Value::scalar(self.factors(scalars, span)?, dimension, uses);
            v.tuple = tuple;
            return Some(v);
        };
        let scale = self.factors(scalars, span)?;
        let v = &values[k];
        Some(Value {
            parts: v.parts.iter().map(|x| *x * scale).collect(),
            dimensions: v.dimensions.iter().map(|d| d.mul(&dimension)).collect(),
            tuple: true,
            uses,
        })
    }

    /// A product, unless it has too many factors.
    pub(super) fn factors(&mut self, list: Vec<Expr<'p>>, span: Span) -> Option<Expr<'p>> {
        let e = self.pool.product(list);
        let count = match e.view() {
            galilei_expr::View::Product(factors) => factors.len(),
            _ => 1,
        };
        if count > MAX_FACTORS {
            self.error(
                Code::ModelTooLarge,
                format!("this is a product of {count} factors; the limit is {MAX_FACTORS}"),
                "equal factors are one power; a sum of logarithms may say the same",
                span,
            );
            return None;
        }
        Some(e)
    }

    pub(super) fn power(
        &mut self,
        base: &'s Expression,
        exponent: &'s Expression,
        span: Span,
    ) -> Option<Value<'p>> {
        let b = self.read(base);
        let n = self.read(exponent);
        let (b, n) = (b?, n?);
        let (x, dx) = self.scalar(&b, base)?;
        let (y, dy) = self.scalar(&n, exponent)?;
        let what = format!("the exponent `{}`", self.text(exponent.span));
        if !self.agree(
            (&dy, &what),
            (&Dimension::none(), "an exponent must have none,"),
            exponent.span,
        ) {
            return None;
        }
        let dimension = match y.as_rational().filter(|_| !n.uses.symbols) {
            Some(q) => dx.pow(&q),
            None => {
                let what = format!("`{}`", self.text(base.span));
                let none = Dimension::none();
                if !self.agree(
                    (&dx, &what),
                    (
                        &none,
                        "the base of a power with a symbolic exponent must have none,",
                    ),
                    span,
                ) {
                    return None;
                }
                none
            }
        };
        Some(Value::scalar(x.pow(y), dimension, b.uses.with(n.uses)))
    }
}
