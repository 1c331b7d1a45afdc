//! The test whether a force has potentials, and the potentials.

use std::fmt;

use galilei_expr::{Bound, Expr, Verdict};
use galilei_geometry::{Form, Homotopy};

use crate::force::Force;
use crate::space_time::AdaptedChart;

/// The conditions under which dΦ = 0. (T-32)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// ∂²Fᵢ/∂uʲ∂uᵏ = 0, and no kinks in u: F is affine in the velocities, Fᵢ = Eᵢ + Bᵢⱼuʲ.
    P1,
    /// Bᵢⱼ = −Bⱼᵢ.
    P2,
    /// ∂ₖBᵢⱼ + ∂ⱼBₖᵢ + ∂ᵢBⱼₖ = 0.
    P3,
    /// ∂ₜBᵢⱼ = ∂ⱼEᵢ − ∂ᵢEⱼ.
    P4,
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::P1 => "P1",
            Self::P2 => "P2",
            Self::P3 => "P3",
            Self::P4 => "P4",
        })
    }
}

/// A condition that fails (or could not be decided), at which indices, and by how much.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure<'p> {
    /// Which of P1 … P4.
    pub condition: Condition,
    /// The indices of the first entry that fails. For P1 the three of ∂²Fᵢ/∂uʲ∂uᵏ; where that vanishes
    /// only between kinks, the two of ∂Fᵢ/∂uʲ or the one of Fᵢ − uʲ∂Fᵢ/∂uʲ that depends on the velocities.
    pub indices: Vec<usize>,
    /// The expression that should vanish and does not.
    pub defect: Expr<'p>,
    /// The verdict on the vanishing of the defect.
    pub verdict: Verdict,
}

/// The outcome of the potential test.
#[derive(Clone, Debug, PartialEq)]
pub enum PotentialTest<'p> {
    /// dΦ = 0: Fᵢ = Eᵢ + Bᵢⱼuʲ with E and B of (t, x).
    Potential {
        /// Eᵢ(t, x)
        e: Vec<Expr<'p>>,
        /// Bᵢⱼ(t, x)
        b: Vec<Vec<Expr<'p>>>,
        /// The weakest of the verdicts on P1 … P4.
        verdict: Verdict,
    },
    /// The first condition that fails.
    NotPotential(Failure<'p>),
}

impl<'p> PotentialTest<'p> {
    /// The condition that fails, if one does.
    pub fn failure(&self) -> Option<&Failure<'p>> {
        match self {
            Self::Potential { .. } => None,
            Self::NotPotential(failure) => Some(failure),
        }
    }

    /// Whether the force has potentials.
    pub fn is_potential(&self) -> bool {
        self.failure().is_none()
    }
}

/// V and A with φ = −V dt + Aᵢdxⁱ and Φ = dφ. (T-34)
#[derive(Clone, Debug, PartialEq)]
pub struct Potentials<'p> {
    base: AdaptedChart<'p>,
    /// V(t, x)
    pub scalar: Expr<'p>,
    /// Aᵢ(t, x)
    pub vector: Vec<Expr<'p>>,
    /// Whether the potentials are free of ∫ nodes.
    pub closed_form: bool,
}

impl<'p> Potentials<'p> {
    /// The potentials V and A.
    pub fn new(base: &AdaptedChart<'p>, scalar: Expr<'p>, vector: Vec<Expr<'p>>) -> Self {
        assert_eq!(vector.len(), base.degrees_of_freedom(), "components of A");
        Self {
            base: base.clone(),
            scalar,
            vector,
            closed_form: true,
        }
    }

    /// φ = −V dt + Aᵢdxⁱ on M. (T-34)
    pub fn one_form(&self) -> Form<'p> {
        let components: Vec<Expr<'p>> = std::iter::once(-self.scalar)
            .chain(self.vector.iter().copied())
            .collect();
        Form::one_form(self.base.chart(), &components)
    }

    /// Fᵢ = −∂ᵢV − ∂ₜAᵢ + (∂ᵢAⱼ − ∂ⱼAᵢ)uʲ. (T-34)
    pub fn force(&self, state: &crate::StateSpace<'p>) -> Force<'p> {
        let (t, x) = (self.base.time(), self.base.positions());
        let components = (0..x.len())
            .map(|i| {
                let magnetic = (0..x.len()).map(|j| {
                    (self.vector[j].diff(x[i]) - self.vector[i].diff(x[j])) * state.velocity(j)
                });
                let electric = -self.scalar.diff(x[i]) - self.vector[i].diff(t);
                electric + self.base.pool().sum(magnetic)
            })
            .collect();
        Force::new(state, components)
    }

    /// V′ = V − ∂ₜf, A′ᵢ = Aᵢ + ∂ᵢf: other potentials of the same force. (T-36)
    pub fn gauged(&self, f: Expr<'p>) -> Self {
        let x = self.base.positions();
        let vector = self
            .vector
            .iter()
            .zip(x)
            .map(|(&a, &x)| a + f.diff(x))
            .collect();
        Self {
            scalar: self.scalar - f.diff(self.base.time()),
            vector,
            ..self.clone()
        }
    }
}

/// Eᵢ and Bᵢⱼ of an affine force.
type Parts<'p> = (Vec<Expr<'p>>, Vec<Vec<Expr<'p>>>);

/// The conditions tested so far: the weakest of their verdicts.
struct Tested(Verdict);

impl Tested {
    /// Succeeds if an entry of a condition vanishes.
    fn vanishes<'p>(
        &mut self,
        condition: Condition,
        indices: Vec<usize>,
        defect: Expr<'p>,
    ) -> Result<(), Failure<'p>> {
        self.holds(condition, indices, defect, defect.decide_zero())
    }

    /// Succeeds if the verdict on an entry is affirmative.
    fn holds<'p>(
        &mut self,
        condition: Condition,
        indices: Vec<usize>,
        defect: Expr<'p>,
        verdict: Verdict,
    ) -> Result<(), Failure<'p>> {
        if verdict.is_proved() {
            self.0 = self.0.clone().and(verdict);
            return Ok(());
        }
        Err(Failure {
            condition,
            indices,
            defect,
            verdict,
        })
    }
}

impl<'p> Force<'p> {
    /// Whether dΦ = 0, by the conditions P1 … P4 in this order. (T-32)
    pub fn potential_test(&self) -> PotentialTest<'p> {
        let mut tested = Tested(Verdict::Proved(Bound::CERTAIN));
        let found = self.affine_parts(&mut tested).and_then(|(e, b)| {
            self.test_parts(&e, &b, &mut tested)?;
            Ok((e, b))
        });
        match found {
            Ok((e, b)) => PotentialTest::Potential {
                e,
                b,
                verdict: tested.0,
            },
            Err(failure) => PotentialTest::NotPotential(failure),
        }
    }

    /// P1: E and B with Fᵢ = Eᵢ + Bᵢⱼuʲ, Bᵢⱼ = ∂Fᵢ/∂uʲ and Eᵢ = Fᵢ − uʲ∂Fᵢ/∂uʲ, which are the same at
    /// all velocities. Between kinks they are where ∂²Fᵢ/∂uʲ∂uᵏ = 0. (T-32)
    fn affine_parts(&self, tested: &mut Tested) -> Result<Parts<'p>, Failure<'p>> {
        let (state, f) = (self.state(), self.components());
        let (pool, u) = (state.pool(), state.velocities());
        let slopes = pool.jacobian(f, u);
        for (i, row) in slopes.iter().enumerate() {
            for (j, slope) in row.iter().enumerate() {
                for (k, &u) in u[..=j].iter().enumerate() {
                    tested.vanishes(Condition::P1, vec![i, j, k], slope.diff(u))?;
                }
            }
        }
        let mut below = |indices: Vec<usize>, part: Expr<'p>| {
            let (value, verdict) = state.on_space_time(part);
            tested.holds(Condition::P1, indices, part - value, verdict)?;
            Ok(value)
        };
        let (mut e, mut b) = (Vec::new(), Vec::new());
        for (i, row) in slopes.iter().enumerate() {
            let entries = row.iter().enumerate().map(|(j, &c)| below(vec![i, j], c));
            b.push(entries.collect::<Result<Vec<_>, _>>()?);
            let linear = row.iter().zip(u).map(|(&c, &u)| c * u);
            e.push(below(vec![i], f[i] - pool.sum(linear))?);
        }
        Ok((e, b))
    }

    /// P2, P3 and P4 for the parts of an affine force. (T-32)
    fn test_parts(
        &self,
        e: &[Expr<'p>],
        b: &[Vec<Expr<'p>>],
        tested: &mut Tested,
    ) -> Result<(), Failure<'p>> {
        let (x, t) = (self.state().base().positions(), self.state().time());
        let n = x.len();
        for i in 0..n {
            for j in 0..=i {
                tested.vanishes(Condition::P2, vec![i, j], b[i][j] + b[j][i])?;
            }
        }
        for i in 0..n {
            for j in 0..i {
                for k in 0..j {
                    let cyclic = b[i][j].diff(x[k]) + b[k][i].diff(x[j]) + b[j][k].diff(x[i]);
                    tested.vanishes(Condition::P3, vec![i, j, k], cyclic)?;
                }
            }
        }
        for i in 0..n {
            for j in 0..i {
                let faraday = b[i][j].diff(t) - e[i].diff(x[j]) + e[j].diff(x[i]);
                tested.vanishes(Condition::P4, vec![i, j], faraday)?;
            }
        }
        Ok(())
    }

    /// Potentials by the homotopy in space about x₀, if the force has any. (T-34, T-35)
    ///
    /// They are local to a domain that contains the segments to x₀ and satisfy (x − x₀)ⁱAᵢ = 0.
    pub fn potentials(&self, centre: &[Expr<'p>]) -> Result<Potentials<'p>, Failure<'p>> {
        let (e, b) = match self.potential_test() {
            PotentialTest::Potential { e, b, .. } => (e, b),
            PotentialTest::NotPotential(failure) => return Err(failure),
        };
        let base = self.state().base();
        let chart = base.chart();
        let n = base.degrees_of_freedom();
        assert_eq!(centre.len(), n, "coordinates of the centre");
        // Φ = Eᵢdxⁱ∧dt + ½Bᵢⱼdxⁱ∧dxʲ is a form on M. (T-33)
        let mut terms = Vec::new();
        for i in 0..n {
            terms.push((vec![1 + i, 0], e[i]));
            for j in 0..i {
                terms.push((vec![1 + j, 1 + i], b[j][i]));
            }
        }
        let phi = Form::from_terms(chart, 2, terms);
        let point: Vec<Expr<'p>> = std::iter::once(base.time())
            .chain(centre.iter().copied())
            .collect();
        let moving = (0..=n).map(|k| k > 0).collect();
        let found = Homotopy::partial(chart, point, moving).contract(&phi);
        Ok(Potentials {
            base: base.clone(),
            scalar: -found.form.component(&[0]),
            vector: (0..n).map(|i| found.form.component(&[1 + i])).collect(),
            closed_form: found.closed_form,
        })
    }
}
