//! Points of ready-made manifolds in expressions: unit vectors as tuples, rotations as factors.

use galilei_expr::{Expr, Rational};
use galilei_syntax::{Expression, ExpressionKind as E, Span};

use super::Reader;
use super::meaning::Meaning;
use crate::code::Code;
use crate::dimension::Dimension;
use crate::manifold::{Charts, Manifold, ManifoldKind};
use crate::rotation::{Factor, Turning};
use crate::value::{Uses, Value};

impl<'p, 's> Reader<'p, 's> {
    /// The coordinates of a manifold: positions and velocities.
    pub(crate) fn inner_symbols(&self, m: &Manifold) -> (Vec<Expr<'p>>, Vec<Expr<'p>>) {
        let list = &self.coordinates[m.first..m.first + m.kind.dimension()];
        list.iter().map(|c| (c.position, c.velocity)).unzip()
    }

    /// The manifold that an expression names; `Some(None)` where its index is wrong, which is reported.
    pub(crate) fn manifold_named(&mut self, e: &'s Expression) -> Option<Option<usize>> {
        match &e.kind {
            E::Name(name) if !self.locals.iter().any(|l| l.0 == *name) => {
                match self.names.get(name).map(|m| m.0) {
                    Some(Meaning::Manifold(k)) => Some(Some(k)),
                    _ => None,
                }
            }
            E::Index(name, index) => match self.names.get(&name.text).map(|m| m.0) {
                Some(Meaning::Manifolds(low, first, count)) => {
                    let [index] = &index[..] else {
                        // Reported as any other family with several indices.
                        return Some(self.indexed(name, index, e.span).and(None));
                    };
                    let Some(k) = self.integer(index, "an index") else {
                        return Some(None);
                    };
                    if k < low || k - low >= count as i64 {
                        return Some(self.out_of_range(&name.text, k, (low, count), index.span));
                    }
                    Some(Some(first + (k - low) as usize))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Reports an index that no member of a family has.
    pub(crate) fn out_of_range(
        &mut self,
        name: &str,
        k: i64,
        (low, count): (i64, usize),
        span: Span,
    ) -> Option<usize> {
        self.error(
            Code::IndexOutOfRange,
            format!(
                "`{name}` has no member {k}: its indices are {low}..{}",
                low + count as i64 - 1
            ),
            "check the ends of the range",
            span,
        );
        None
    }

    fn moving(span: Span) -> Uses {
        Uses {
            symbols: true,
            state: Some(span),
            ..Uses::default()
        }
    }

    /// A unit vector as a tuple; a rotation is no value.
    pub(super) fn point(&mut self, k: usize, span: Span) -> Option<Value<'p>> {
        let m = self.manifolds[k].clone();
        if m.kind == ManifoldKind::Rotations {
            let name = &m.name;
            self.error(
                Code::ShapeMismatch,
                format!("`{name}` is a rotation, which is neither a number nor a tuple"),
                format!("turn a vector with {name}*(a, b, c), orient a body or a frame with `rotation {name}`, or take omega({name})"),
                span,
            );
            return None;
        }
        let (y, _) = self.inner_symbols(&m);
        let parts = m.vector(self.pool, &y);
        Some(Value {
            dimensions: vec![Dimension::none(); parts.len()],
            parts,
            tuple: true,
            uses: Self::moving(span),
        })
    }

    /// n', the velocity of a unit vector.
    pub(super) fn point_rate(&mut self, k: usize, primes: u32, span: Span) -> Option<Value<'p>> {
        let name = self.manifolds[k].name.clone();
        if self.manifolds[k].kind == ManifoldKind::Rotations {
            self.error(
                Code::NotACoordinate,
                format!("`{name}` is a rotation: its rate is an angular velocity"),
                format!("write omega({name})"),
                span,
            );
            return None;
        }
        if primes > 1 {
            self.error(
                Code::SecondDerivative,
                format!("the acceleration of the unit vector `{name}` cannot be restricted"),
                format!("a constraint may use {name} and {name}'"),
                span,
            );
            return None;
        }
        let v = self.point(k, span)?;
        self.total_derivative(&v, span)
    }

    /// omega(R), in space axes.
    pub(super) fn point_omega(
        &mut self,
        k: usize,
        e: &'s Expression,
        span: Span,
    ) -> Option<Value<'p>> {
        let m = self.manifolds[k].clone();
        let name = m.name.clone();
        if m.kind != ManifoldKind::Rotations {
            self.error(
                Code::ShapeMismatch,
                format!("`{name}` is a unit vector and has no angular velocity"),
                format!("its velocity is {name}'"),
                e.span,
            );
            return None;
        }
        if self.body_statements.contains_key(&name) || self.frame_statements.contains_key(&name) {
            self.error(
                Code::DuplicateName,
                format!("`{name}` is both a coordinate on the rotations and a body or a frame"),
                "choose another name for one of them",
                e.span,
            );
            return None;
        }
        let outer = match m.charts {
            Charts::Runs(_) => {
                let (y, w) = self.inner_symbols(&m);
                Manifold::rotation(self.pool, &[y[0], y[1], y[2]], &[w[0], w[1], w[2]]).2
            }
            Charts::Angles => {
                let turning = self.turning_of(&m, span);
                let zero = self.pool.zero();
                let own = turning.rates(self.pool, &[zero; 3]);
                let rows = turning.matrix(self.pool, &crate::rotation::identity(self.pool));
                rows.map(|row| self.pool.sum((0..3).map(|k| row[k] * own[k])))
            }
        };
        let rate = self.rate(&Dimension::none());
        Some(Value {
            parts: outer.to_vec(),
            dimensions: vec![rate; 3],
            tuple: true,
            uses: Uses {
                velocity: Some(span),
                ..Self::moving(span)
            },
        })
    }

    /// A coordinate on the rotations as a product of turns.
    pub(crate) fn turning_of(&self, m: &Manifold, span: Span) -> Turning<'p> {
        let (y, w) = self.inner_symbols(m);
        let factors = match m.charts {
            Charts::Runs(_) => {
                let (y, w) = ([y[0], y[1], y[2]], [w[0], w[1], w[2]]);
                let (rows, rates, _) = Manifold::rotation(self.pool, &y, &w);
                let rows = Box::new(rows);
                vec![Factor::Matrix { rows, rates }]
            }
            Charts::Angles => (0..3)
                .filter_map(|k| Factor::about([2, 0, 2][k], y[k], w[k]))
                .collect(),
        };
        Turning {
            factors,
            uses: Self::moving(span),
            quaternion: None,
        }
    }

    /// The components of a point: of a unit vector, or of the matrix of a rotation by rows.
    pub(crate) fn components_of(&self, m: &Manifold) -> Vec<Expr<'p>> {
        match m.kind {
            ManifoldKind::Rotations => {
                let turning = self.turning_of(m, m.span);
                let rows = turning.matrix(self.pool, &crate::rotation::identity(self.pool));
                rows.concat()
            }
            _ => m.vector(self.pool, &self.inner_symbols(m).0),
        }
    }

    /// Whether a factor of a product is a coordinate on the rotations, or its inverse.
    pub(super) fn turns(&self, e: &'s Expression) -> bool {
        let e = match &e.kind {
            E::Power(base, _) => base,
            _ => e,
        };
        let name = match &e.kind {
            E::Name(name) if !self.locals.iter().any(|l| l.0 == *name) => name,
            E::Index(name, _) => &name.text,
            _ => return false,
        };
        let place = match self.names.get(name).map(|m| m.0) {
            Some(Meaning::Manifold(k) | Meaning::Manifolds(_, k, _)) => k,
            _ => return false,
        };
        let found = self.manifolds.get(place);
        found.is_some_and(|m| m.kind == ManifoldKind::Rotations)
    }

    /// `2*R*(a, b, c)`: a product whose factor with this place is the first rotation.
    pub(super) fn turned_product(
        &mut self,
        factors: &'s [(bool, Expression)],
        k: usize,
        span: Span,
    ) -> Option<Value<'p>> {
        let (divides, e) = &factors[k];
        let (base, inverse) = match &e.kind {
            E::Power(base, exponent) => {
                let n = self.read(exponent)?;
                let minus = n.only().and_then(|n| n.0.as_rational());
                if minus != Some(Rational::from(-1)) {
                    self.error(
                        Code::ShapeMismatch,
                        "the only power of a rotation is its inverse",
                        "write R^-1*(a, b, c)",
                        e.span,
                    );
                    return None;
                }
                (&**base, true)
            }
            _ => (e, false),
        };
        let m = self.manifold_named(base)??;
        let m = self.manifolds[m].clone();
        let rest = &factors[k + 1..];
        if *divides || rest.is_empty() {
            self.error(
                Code::ShapeMismatch,
                format!(
                    "a rotation turns the vector behind it, and there is none behind `{}`",
                    self.text(e.span)
                ),
                format!(
                    "write {}*(a, b, c), and R^-1*(a, b, c) for the inverse",
                    m.name
                ),
                e.span,
            );
            return None;
        }
        let behind = self.product(rest, span)?;
        if behind.len() != 3 {
            self.error(
                Code::ShapeMismatch,
                format!(
                    "a rotation turns a tuple of 3, and {} stands behind `{}`",
                    behind.shape(),
                    m.name
                ),
                format!("write {}*(a, b, c)", m.name),
                span,
            );
            return None;
        }
        let place = self.bare(e.span);
        let turning = self.turning_of(&m, place);
        for d in &behind.dimensions[1..] {
            let first = &behind.dimensions[0];
            if !self.agree((first, "one component"), (d, "another"), span) {
                return None;
            }
        }
        let v = [behind.parts[0], behind.parts[1], behind.parts[2]];
        let turned = match inverse {
            true => turning.inward(self.pool, &v),
            false => {
                let rows = turning.matrix(self.pool, &crate::rotation::identity(self.pool));
                rows.map(|row| self.pool.sum((0..3).map(|k| row[k] * v[k])))
            }
        };
        let mut all = Value {
            parts: turned.to_vec(),
            dimensions: behind.dimensions.clone(),
            tuple: true,
            uses: behind.uses.with(turning.uses),
        };
        if k > 0 {
            let before = self.product(&factors[..k], span)?;
            if before.len() != 1 {
                self.error(
                    Code::ShapeMismatch,
                    "two tuples cannot be multiplied with *",
                    "use dot(a, b) or cross(a, b)",
                    span,
                );
                return None;
            }
            all.uses = all.uses.with(before.uses);
            let (x, d) = (before.parts[0], &before.dimensions[0]);
            all.parts.iter_mut().for_each(|p| *p *= x);
            for own in &mut all.dimensions {
                *own = own.mul(d);
            }
        }
        Some(all)
    }

    /// Reports a coordinate of a chart of a manifold, which means something else in another chart.
    pub(super) fn inner(&mut self, name: &str, k: usize, span: Span) {
        let m = &self.manifolds[k];
        let (of, word) = (m.name.clone(), m.kind.word());
        let use_instead = match m.kind {
            ManifoldKind::Sphere => {
                format!("use the components {of}.x, {of}.y, {of}.z and the velocity {of}'")
            }
            ManifoldKind::Circle => {
                format!("use the components {of}.x, {of}.y and the velocity {of}'")
            }
            ManifoldKind::Rotations => format!("use {of}*(a, b, c) and omega({of})"),
        };
        self.error(
            Code::NotACoordinate,
            format!("`{name}` is a coordinate of one of the charts of the {word} of `{of}`, and runs change between them"),
            use_instead,
            span,
        );
    }
}
