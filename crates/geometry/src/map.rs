//! Smooth maps between charts, pullbacks and pushforwards.

use std::fmt;

use galilei_expr::{Assumptions, Expr, Verdict};

use crate::chart::{Chart, Point};
use crate::endomorphism::Endomorphism;
use crate::form::Form;
use crate::symmetric::SymmetricTensor;
use crate::vector::VectorField;
use crate::verdict::decide_equal_on;

/// A smooth map φ between charts: every target coordinate as a function of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SmoothMap<'p> {
    source: Chart<'p>,
    target: Chart<'p>,
    components: Vec<Expr<'p>>,
}

/// Objects that a map pulls back.
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

    /// The chart that the map starts from.
    pub fn source(&self) -> &Chart<'p> {
        &self.source
    }

    /// The chart that the map leads to.
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

/// Two maps that were not shown to be inverse to each other, with the verdicts on φ⁻¹∘φ = 1 and
/// φ∘φ⁻¹ = 1.
#[derive(Clone, Debug, PartialEq)]
pub struct NotInverse {
    /// On φ⁻¹∘φ = 1, in the source.
    pub source: Verdict,
    /// On φ∘φ⁻¹ = 1, in the target.
    pub target: Verdict,
}

impl fmt::Display for NotInverse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the two maps were not shown to be inverse to each other: there and back, {}; back and there, {}",
            self.source, self.target
        )
    }
}
impl std::error::Error for NotInverse {}

/// The evidence that two maps are inverse to each other.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// Both compositions are the identity: proved, on the domain that was given.
    Proved(Verdict),
    /// One composition is proved. The map applied first in it is therefore injective, and the two are
    /// inverse to each other on its image, one branch of the other map. That the image is all of
    /// the given domain was sampled, not proved.
    OnBranch {
        /// On φ⁻¹∘φ = 1, in the source.
        source: Verdict,
        /// On φ∘φ⁻¹ = 1, in the target.
        target: Verdict,
    },
    /// Assumed by [`Diffeomorphism::assume_inverse`], with the verdicts that could be reached.
    Assumed {
        /// On φ⁻¹∘φ = 1, in the source.
        source: Verdict,
        /// On φ∘φ⁻¹ = 1, in the target.
        target: Verdict,
    },
}

impl Evidence {
    /// The evidence with source and target exchanged.
    fn reversed(&self) -> Self {
        match self.clone() {
            Self::Proved(verdict) => Self::Proved(verdict),
            Self::OnBranch { source, target } => Self::OnBranch {
                source: target,
                target: source,
            },
            Self::Assumed { source, target } => Self::Assumed {
                source: target,
                target: source,
            },
        }
    }
}

/// A map with its inverse, and the evidence for that. (T-9)
#[derive(Clone, PartialEq, Debug)]
pub struct Diffeomorphism<'p> {
    map: SmoothMap<'p>,
    inverse: SmoothMap<'p>,
    evidence: Evidence,
    /// The conditions under which the maps are inverse, as text.
    domain: Vec<String>,
}

impl<'p> Diffeomorphism<'p> {
    /// The map with its inverse, if both compositions are proved to be the identity wherever they are defined.
    pub fn new(map: SmoothMap<'p>, inverse: SmoothMap<'p>) -> Result<Self, NotInverse> {
        let everywhere = Assumptions::new();
        match Self::compositions(&map, &inverse, &everywhere) {
            (source, target) if source.is_proved() && target.is_proved() => {
                let evidence = Evidence::Proved(source.and(target));
                Ok(Self::with(map, inverse, evidence, &everywhere))
            }
            (source, target) => Err(NotInverse { source, target }),
        }
    }

    /// The map with its inverse on a domain, given by conditions on coordinates of either chart: for maps such as
    /// polar coordinates, which are inverse to each other for r > 0 and one turn of the angle.
    ///
    /// One composition must be proved; the other must be proved or, at least, hold at every point
    /// of the domain that was tried. [`Diffeomorphism::evidence`] says which.
    pub fn on(
        map: SmoothMap<'p>,
        inverse: SmoothMap<'p>,
        domain: &Assumptions<'p>,
    ) -> Result<Self, NotInverse> {
        let (source, target) = Self::compositions(&map, &inverse, domain);
        let tried = |v: &Verdict| matches!(v, Verdict::Proved(_) | Verdict::Sampled(_));
        let one = source.is_proved() || target.is_proved();
        if !(one && tried(&source) && tried(&target)) {
            return Err(NotInverse { source, target });
        }
        let evidence = if source.is_proved() && target.is_proved() {
            Evidence::Proved(source.and(target))
        } else {
            Evidence::OnBranch { source, target }
        };
        Ok(Self::with(map, inverse, evidence, domain))
    }

    /// The map with an inverse that is assumed: for undetermined functions, and for maps that are too complicated for a
    /// proof. [`Diffeomorphism::evidence`] records the assumption, with the verdicts that were reached.
    pub fn assume_inverse(map: SmoothMap<'p>, inverse: SmoothMap<'p>) -> Self {
        let everywhere = Assumptions::new();
        let (source, target) = Self::compositions(&map, &inverse, &everywhere);
        let evidence = Evidence::Assumed { source, target };
        Self::with(map, inverse, evidence, &everywhere)
    }

    fn with(
        map: SmoothMap<'p>,
        inverse: SmoothMap<'p>,
        evidence: Evidence,
        domain: &Assumptions<'p>,
    ) -> Self {
        Self {
            map,
            inverse,
            evidence,
            domain: domain.iter().map(|a| a.to_string()).collect(),
        }
    }

    /// The verdicts on φ⁻¹∘φ = 1 and φ∘φ⁻¹ = 1.
    fn compositions(
        map: &SmoothMap<'p>,
        inverse: &SmoothMap<'p>,
        domain: &Assumptions<'p>,
    ) -> (Verdict, Verdict) {
        map.target.assert_same(&inverse.source);
        map.source.assert_same(&inverse.target);
        let identity = |there: &SmoothMap<'p>, back: &SmoothMap<'p>| {
            let round = there.then(back);
            decide_equal_on(&round.components, there.source.coordinates(), domain)
        };
        (identity(map, inverse), identity(inverse, map))
    }

    /// The evidence that the two maps are inverse to each other.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// The conditions under which the two maps are inverse to each other.
    pub fn domain(&self) -> &[String] {
        &self.domain
    }

    /// The map.
    pub fn map(&self) -> &SmoothMap<'p> {
        &self.map
    }

    /// The inverse map.
    pub fn inverse_map(&self) -> &SmoothMap<'p> {
        &self.inverse
    }

    /// The inverse diffeomorphism.
    pub fn inverse(&self) -> Self {
        Self {
            map: self.inverse.clone(),
            inverse: self.map.clone(),
            evidence: self.evidence.reversed(),
            domain: self.domain.clone(),
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
