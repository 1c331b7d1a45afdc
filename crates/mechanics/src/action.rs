//! Action functionals: six integrals over three sets of curves.

use std::fmt;
use std::str::FromStr;

use galilei_expr::Expr;

use crate::constrained_hamilton::HamiltonianForm;
use crate::jets::CurveJets;
use crate::lagrangian::Lagrangian;
use crate::virtual_displacement::DisplacementKind;

/// The versions of Hamilton's principle, by the curves among which a motion is distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Principle {
    /// Time-parametrised curves in A¹M, positions fixed at the ends: x and u are independent. (T-63)
    I,
    /// Second-order curves in A¹M. (T-64)
    II,
    /// Time-parametrised curves in M. (T-65)
    III,
}

/// The six functionals, two for each principle: by L in the natural, by H in the canonical chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// ∫\[L + (∂L/∂uⁱ)(ẋⁱ − uⁱ)\]dt
    A,
    /// ∫\[pᵢẋⁱ − H\]dt
    B,
    /// ∫L(t, x, u)dt with ẋ = u
    C,
    /// ∫\[pᵢ∂H/∂pᵢ − H\]dt with ẋ = ∂H/∂p
    D,
    /// ∫L(t, x, ẋ)dt
    E,
    /// ∫\[pᵢẋⁱ − H\]dt at p = ∂L/∂u(t, x, ẋ)
    F,
}

impl ActionKind {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::A, Self::B, Self::C, Self::D, Self::E, Self::F];

    /// The principle it belongs to.
    pub fn principle(self) -> Principle {
        match self {
            Self::A | Self::B => Principle::I,
            Self::C | Self::D => Principle::II,
            Self::E | Self::F => Principle::III,
        }
    }
}

impl fmt::Display for ActionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "a",
            Self::B => "b",
            Self::C => "c",
            Self::D => "d",
            Self::E => "e",
            Self::F => "f",
        })
    }
}

impl FromStr for ActionKind {
    type Err = UnknownActionKind;

    fn from_str(name: &str) -> Result<Self, UnknownActionKind> {
        let mut kinds = Self::ALL.into_iter();
        kinds
            .find(|k| k.to_string() == name)
            .ok_or_else(|| UnknownActionKind(name.to_owned()))
    }
}

/// The error of a name that no [`ActionKind`] has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownActionKind(String);

impl fmt::Display for UnknownActionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no functional `{}`", self.0)
    }
}

impl std::error::Error for UnknownActionKind {}

impl Principle {
    /// The displacements that lead from an admissible curve to admissible curves; their δx vanish at
    /// both ends.
    pub fn variations(self) -> DisplacementKind {
        match self {
            Self::I => DisplacementKind::StateSpace,
            Self::II => DisplacementKind::SecondOrder,
            Self::III => DisplacementKind::CompleteLift,
        }
    }

    /// Its number in the theory.
    pub fn theorem(self) -> &'static str {
        match self {
            Self::I => "T-63",
            Self::II => "T-64",
            Self::III => "T-65",
        }
    }
}

impl fmt::Display for Principle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::I => "I",
            Self::II => "II",
            Self::III => "III",
        })
    }
}

/// ∫F dt over the curves on which some conditions hold; positions are fixed at the ends.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionFunctional<'p> {
    kind: ActionKind,
    curve: CurveJets<'p>,
    integrand: Expr<'p>,
    conditions: Vec<Expr<'p>>,
}

/// The conditions on a curve on which a functional is stationary.
#[derive(Clone, Debug, PartialEq)]
pub struct Stationarity<'p> {
    /// E_A = 0, one for each component of the curve, with multipliers where there are conditions.
    pub equations: Vec<Expr<'p>>,
    /// The conditions, which are E = 0 for the multipliers.
    pub conditions: Vec<Expr<'p>>,
    /// The multipliers, one for each condition, `multiplier(x)` for the one on ẋ.
    pub multipliers: CurveJets<'p>,
}

impl<'p> ActionFunctional<'p> {
    /// Which of the six it is.
    pub fn kind(&self) -> ActionKind {
        self.kind
    }

    /// The curve: positions first, then velocities `u(x)` or momenta `p(x)` if they are independent.
    pub fn curve(&self) -> &CurveJets<'p> {
        &self.curve
    }

    /// F(t, y, ẏ)
    pub fn integrand(&self) -> Expr<'p> {
        self.integrand
    }

    /// The functions that vanish along admissible curves: ẋ − u, or ẋ − ∂H/∂p, one for each position, or none.
    pub fn conditions(&self) -> &[Expr<'p>] {
        &self.conditions
    }

    /// The functional over the same curves with another integrand.
    #[must_use]
    pub fn with_integrand(mut self, integrand: Expr<'p>) -> Self {
        self.integrand = integrand;
        self
    }

    /// The integral over all curves, without the conditions. For (d) that is another
    /// problem, with other solutions. (T-66)
    #[must_use]
    pub fn without_conditions(mut self) -> Self {
        self.conditions.clear();
        self
    }

    /// The Euler operator of F + λ_a cᵃ, computed from the integrand: a curve on which the conditions
    /// cᵃ hold is stationary among such curves exactly if there are λ with E = 0. The conditions of (c)
    /// and (d) can be solved for ẋ, so that no curve is singular for them.
    pub fn stationarity(&self) -> Stationarity<'p> {
        let pool = self.curve.pool();
        let held = self.curve.components().iter().zip(&self.conditions);
        let named = held.map(|(x, _)| pool.symbol(&format!("multiplier({x})")));
        let named: Vec<Expr<'p>> = named.collect();
        let multipliers = CurveJets::new(self.curve.time(), &named, self.curve.order());
        let pairs = named.iter().zip(&self.conditions);
        let whole = self.integrand + pool.sum(pairs.map(|(&l, &c)| l * c));
        let mut equations = self.curve.joined(&multipliers).euler(whole);
        let conditions = equations.split_off(self.curve.components().len());
        Stationarity {
            equations,
            conditions,
            multipliers,
        }
    }
}

impl<'p> Lagrangian<'p> {
    /// Symbols for velocities that vary independently of the positions, `u(x)`.
    pub fn independent_velocities(&self) -> Vec<Expr<'p>> {
        let pool = self.state().pool();
        let x = self.state().base().positions().iter();
        x.map(|x| pool.symbol(&format!("u({x})"))).collect()
    }

    /// The functional (a), (c) or (e); `None` for those that need a Hamiltonian.
    pub fn action(&self, kind: ActionKind) -> Option<ActionFunctional<'p>> {
        let state = self.state();
        let (x, v) = (state.base().positions(), state.velocities());
        let u = self.independent_velocities();
        let renamed: Vec<_> = v.iter().copied().zip(u.iter().copied()).collect();
        let l = self.function().substitute(&renamed);
        // ẋ − u
        let off: Vec<Expr<'p>> = v.iter().zip(&u).map(|(&v, &u)| v - u).collect();
        let lifted = CurveJets::new(state.time(), &[x, u.as_slice()].concat(), 1);
        let (curve, integrand, conditions) = match kind {
            ActionKind::A => {
                let pairs = l.gradient(&u).into_iter().zip(&off);
                let sum = state.pool().sum(pairs.map(|(p, &d)| p * d));
                (lifted, l + sum, vec![])
            }
            ActionKind::C => (lifted, l, off),
            ActionKind::E => (CurveJets::new(state.time(), x, 1), self.function(), vec![]),
            _ => return None,
        };
        Some(ActionFunctional {
            kind,
            curve,
            integrand,
            conditions,
        })
    }

    /// The functional (f): pᵢẋⁱ − H with p = ∂L/∂u(t, x, ẋ) substituted.
    ///
    /// # Panics
    /// If H does not belong to a chart (t, x, p) over the same positions.
    pub fn action_by_momenta(&self, form: &HamiltonianForm<'p>) -> ActionFunctional<'p> {
        let state = self.state();
        let n = state.degrees_of_freedom();
        assert!(
            form.chart().coordinates()[..=n] == *state.base().chart().coordinates(),
            "a Hamiltonian over another chart"
        );
        let momenta = form.momenta().iter().copied().zip(self.momenta());
        let curve = CurveJets::new(state.time(), state.base().positions(), 1);
        ActionFunctional {
            kind: ActionKind::F,
            integrand: form
                .pairing(&curve)
                .substitute(&momenta.collect::<Vec<_>>()),
            curve,
            conditions: vec![],
        }
    }
}

impl<'p> HamiltonianForm<'p> {
    fn positions(&self) -> &[Expr<'p>] {
        &self.chart().coordinates()[1..=self.degrees_of_freedom()]
    }

    /// pᵢẋⁱ − H along curves whose first components are the positions.
    fn pairing(&self, curve: &CurveJets<'p>) -> Expr<'p> {
        let pairs = self.momenta().iter().zip(curve.derivatives(1));
        let pool = self.chart().pool();
        pool.sum(pairs.map(|(&p, &v)| p * v)) - self.function()
    }

    /// The functional (b) or (d); `None` for the others.
    pub fn action(&self, kind: ActionKind) -> Option<ActionFunctional<'p>> {
        let (pool, p) = (self.chart().pool(), self.momenta());
        let components = [self.positions(), p].concat();
        let curve = CurveJets::new(self.chart().coordinate(0), &components, 1);
        let (integrand, conditions) = match kind {
            ActionKind::B => (self.pairing(&curve), vec![]),
            ActionKind::D => {
                let slopes = self.function().gradient(p);
                let pairs = p.iter().zip(&slopes);
                let sum = pool.sum(pairs.map(|(&p, &s)| p * s));
                let off = curve.derivatives(1).iter().zip(&slopes);
                (sum - self.function(), off.map(|(&v, &s)| v - s).collect())
            }
            _ => return None,
        };
        Some(ActionFunctional {
            kind,
            curve,
            integrand,
            conditions,
        })
    }
}
