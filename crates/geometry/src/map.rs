//! Smooth maps between charts, and what they carry along.

use std::fmt;

use galilei_expr::{Expr, Verdict};

use crate::chart::{Chart, Point};
use crate::endomorphism::Endomorphism;
use crate::form::Form;
use crate::symmetric::SymmetricTensor;
use crate::vector::VectorField;
use crate::verdict::decide_equal;

/// A smooth map φ between charts: every target coordinate as a function of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SmoothMap<'p> {
    source: Chart<'p>,
    target: Chart<'p>,
    components: Vec<Expr<'p>>,
}

/// What a map pulls back.
pub trait Pullback<'p>: Sized {
    /// φ* of the object.
    fn pulled_back(&self, map: &SmoothMap<'p>) -> Self;
}

impl<'p> SmoothMap<'p> {
    /// The map with target coordinates given as functions of the source coordinates.
    ///
    /// # Panics
    /// If there are not as many components as target coordinates.
    pub fn new(source: &Chart<'p>, target: &Chart<'p>, components: Vec<Expr<'p>>) -> Self {
        assert_eq!(components.len(), target.dimension(), "components of a map");
        Self {
            source: source.clone(),
            target: target.clone(),
            components,
        }
    }

    /// The identity of a chart.
    pub fn identity(chart: &Chart<'p>) -> Self {
        Self::new(chart, chart, chart.coordinates().to_vec())
    }

    /// Where the map starts.
    pub fn source(&self) -> &Chart<'p> {
        &self.source
    }

    /// Where the map ends.
    pub fn target(&self) -> &Chart<'p> {
        &self.target
    }

    /// The target coordinates as functions of the source coordinates.
    pub fn components(&self) -> &[Expr<'p>] {
        &self.components
    }

    /// ψ∘φ, for ψ from this map's target.
    pub fn then(&self, next: &Self) -> Self {
        self.target.assert_same(&next.source);
        let components = next.components.iter().map(|&c| self.pullback(&c)).collect();
        Self::new(&self.source, &next.target, components)
    }

    /// ∂(target k)/∂(source j), row k.
    pub fn jacobian(&self) -> Vec<Vec<Expr<'p>>> {
        self.source
            .pool()
            .jacobian(&self.components, self.source.coordinates())
    }

    /// φ* of a function, a form or a symmetric tensor.
    pub fn pullback<T: Pullback<'p>>(&self, object: &T) -> T {
        object.pulled_back(self)
    }

    fn pairs(&self) -> Vec<(Expr<'p>, Expr<'p>)> {
        let target = self.target.coordinates().iter().copied();
        target.zip(self.components.iter().copied()).collect()
    }

    /// The image of a point.
    pub fn image(&self, point: &Point<'p>) -> Point<'p> {
        self.source.assert_same(point.chart());
        let values = self.components.iter().map(|&c| point.evaluate(c)).collect();
        Point::new(&self.target, values)
    }
}

impl<'p> Pullback<'p> for Expr<'p> {
    fn pulled_back(&self, map: &SmoothMap<'p>) -> Self {
        self.substitute(&map.pairs())
    }
}

impl<'p> Pullback<'p> for Form<'p> {
    fn pulled_back(&self, map: &SmoothMap<'p>) -> Self {
        map.target.assert_same(self.chart());
        let jacobian = map.jacobian();
        let differentials: Vec<Form<'p>> = jacobian
            .iter()
            .map(|row| Form::one_form(&map.source, row))
            .collect();
        let terms: Vec<(Vec<usize>, Expr<'p>)> = self.terms().collect();
        let coefficients: Vec<Expr<'p>> = terms.iter().map(|t| t.1).collect();
        let pool = map.source.pool();
        let coefficients = pool.substitute_all(&coefficients, &map.pairs());
        let mut result = Form::zero(&map.source, self.degree());
        for ((indices, _), c) in terms.iter().zip(coefficients) {
            let start = Form::function(&map.source, c);
            let wedge = indices
                .iter()
                .fold(start, |w, &k| w.wedge(&differentials[k]));
            result = result.plus(&wedge);
        }
        result
    }
}

impl<'p> Pullback<'p> for SymmetricTensor<'p> {
    fn pulled_back(&self, map: &SmoothMap<'p>) -> Self {
        map.target.assert_same(self.chart());
        let (jacobian, pool) = (map.jacobian(), map.source.pool());
        let n = map.target.dimension();
        let moved: Vec<Vec<Expr<'p>>> = (0..n)
            .map(|i| {
                (0..n)
                    .map(|j| map.pullback(&self.component(i, j)))
                    .collect()
            })
            .collect();
        SymmetricTensor::from_upper(&map.source, |a, b| {
            let row = |k: usize| pool.sum((0..n).map(|l| moved[k][l] * jacobian[l][b]));
            pool.sum((0..n).map(|k| jacobian[k][a] * row(k)))
        })
    }
}

/// Two maps that are not inverse to each other, with the verdict on the compositions.
#[derive(Clone, Debug, PartialEq)]
pub struct NotInverse(pub Verdict);

impl fmt::Display for NotInverse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the two maps are not inverse to each other: {}", self.0)
    }
}
impl std::error::Error for NotInverse {}

/// A map with its inverse, checked. (T-9)
#[derive(Clone, PartialEq, Debug)]
pub struct Diffeomorphism<'p> {
    map: SmoothMap<'p>,
    inverse: SmoothMap<'p>,
}

impl<'p> Diffeomorphism<'p> {
    /// The pair, if one composition is the identity as far as can be decided: proved, or zero at
    /// every point tried on the branch that the inverse belongs to. A refutation of *both*
    /// compositions is an error; one of them may fail on other branches, as with polar angles.
    pub fn new(map: SmoothMap<'p>, inverse: SmoothMap<'p>) -> Result<Self, NotInverse> {
        map.target.assert_same(&inverse.source);
        map.source.assert_same(&inverse.target);
        let there = map.then(&inverse);
        let back = inverse.then(&map);
        let first = decide_equal(&there.components, map.source.coordinates());
        let second = decide_equal(&back.components, map.target.coordinates());
        let good = |v: &Verdict| matches!(v, Verdict::Proved(_) | Verdict::Sampled(_));
        if good(&first) || good(&second) {
            Ok(Self { map, inverse })
        } else {
            Err(NotInverse(first.and(second)))
        }
    }

    /// Both maps taken on trust: for undetermined functions whose inverse property is an
    /// assumption. The caller records it.
    pub fn assume_inverse(map: SmoothMap<'p>, inverse: SmoothMap<'p>) -> Self {
        Self { map, inverse }
    }

    /// The map.
    pub fn map(&self) -> &SmoothMap<'p> {
        &self.map
    }

    /// The inverse map.
    pub fn inverse_map(&self) -> &SmoothMap<'p> {
        &self.inverse
    }

    /// The same pair read backwards.
    pub fn inverse(&self) -> Self {
        Self {
            map: self.inverse.clone(),
            inverse: self.map.clone(),
        }
    }

    /// φ_*X on the target: (φ_*X)ᵏ = (∂φᵏ/∂xʲ Xʲ)∘φ⁻¹.
    pub fn pushforward(&self, x: &VectorField<'p>) -> VectorField<'p> {
        self.map.source.assert_same(x.chart());
        let images = self.map.components.iter().map(|&c| x.apply(c));
        let moved = images.map(|c| self.inverse.pullback(&c)).collect();
        VectorField::new(&self.map.target, moved)
    }

    /// φ_*K on the target: (φ_*K)(Y) = φ_*(K(φ⁻¹_*Y)).
    pub fn pushforward_endomorphism(&self, k: &Endomorphism<'p>) -> Endomorphism<'p> {
        let n = self.map.target.dimension();
        let back = self.inverse();
        let columns: Vec<VectorField<'p>> = (0..n)
            .map(|j| {
                let e = back.pushforward(&self.map.target.partial(j));
                self.pushforward(&k.on_vector(&e))
            })
            .collect();
        let rows = (0..n)
            .map(|i| (0..n).map(|j| columns[j].component(i)).collect())
            .collect();
        Endomorphism::new(&self.map.target, rows)
    }
}
