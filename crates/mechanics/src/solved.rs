//! Constraints solved for some of the velocities, uᵃ = gᵃ(t, x, u^β), and the geometry of the
//! constraint manifold J¹_σ with coordinates (t, x^A, u^α).
//!
//! Indices: A runs over all coordinates, a over those with dependent velocities, α over the others.

use std::fmt;

use galilei_expr::{Assumptions, Expr, Rational, Verdict, generic_rank};
use galilei_geometry::{
    Chart, Connection, Endomorphism, Form, Matrix, NotAProjector, SmoothMap, VectorField,
    VectorForm, decide_all_zero,
};

use crate::codistribution::{AdmissibleCodistribution, Constraint, Inadmissible};
use crate::state_space::StateSpace;

/// uᵃ = gᵃ(t, x, u^β). (T-71)
#[derive(Clone, Debug, PartialEq)]
pub struct SolvedForm<'p> {
    state: StateSpace<'p>,
    chart: Chart<'p>,
    dependent: Vec<usize>,
    independent: Vec<usize>,
    functions: Vec<Expr<'p>>,
}

/// The reason why constraints have no solved form for the requested velocities.
#[derive(Clone, Debug, PartialEq)]
pub enum NotSolved {
    /// Not as many velocities as constraints, or one of them twice.
    WrongCount,
    /// ∂f/∂u_dep is singular: these velocities are not determined by the others. (T-94)
    Singular,
    /// No formula was found: only construction B applies.
    NoFormula,
    /// A constraint is a one-form, which admits every state: it determines no velocity.
    OneForm,
    /// A reaction is not ideal: the constrained motion is not that of J¹_σ. (T-83)
    NotIdeal,
    /// A formula was found and not proved to satisfy the constraints.
    Unproved(Verdict),
}

impl fmt::Display for NotSolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongCount => {
                f.write_str("there must be one dependent velocity for each constraint")
            }
            Self::Singular => {
                f.write_str("the constraints do not determine these velocities: ∂f/∂u is singular")
            }
            Self::NoFormula => f.write_str("the constraints have no solution in formulas"),
            Self::OneForm => {
                f.write_str("a constraint restricts accelerations and determines no velocity")
            }
            Self::NotIdeal => f.write_str("the reactions are not ideal"),
            Self::Unproved(v) => write!(f, "the solution does not satisfy the constraints: {v}"),
        }
    }
}
impl std::error::Error for NotSolved {}

/// Selects the root that a velocity is: given the velocity and both roots, it returns one of them.
pub type RootChoice<'a, 'p> = &'a dyn Fn(Expr<'p>, [Expr<'p>; 2]) -> Expr<'p>;

impl<'p> SolvedForm<'p> {
    /// The solved form with these functions gᵃ(t, x, u^α), one for each dependent velocity.
    ///
    /// # Panics
    /// If there are not as many functions as dependent velocities, one of which is there twice or
    /// does not exist, or if a function contains a dependent velocity.
    pub fn new(state: &StateSpace<'p>, dependent: Vec<usize>, functions: Vec<Expr<'p>>) -> Self {
        let n = state.degrees_of_freedom();
        assert_eq!(
            dependent.len(),
            functions.len(),
            "functions of a solved form"
        );
        for (k, a) in dependent.iter().enumerate() {
            assert!(
                *a < n && !dependent[..k].contains(a),
                "dependent velocities"
            );
            assert!(
                functions.iter().all(|g| !g.contains(state.velocity(*a))),
                "a solved form in terms of the other velocities"
            );
        }
        let independent: Vec<usize> = (0..n).filter(|i| !dependent.contains(i)).collect();
        let base = state.base().chart().coordinates().iter().copied();
        let free = independent.iter().map(|&i| state.velocity(i));
        Self {
            chart: Chart::of(state.pool(), base.chain(free).collect::<Vec<_>>()),
            state: state.clone(),
            dependent,
            independent,
            functions,
        }
    }

    /// The constraints solved for given velocities. Affine dependence is solved at once, squares one
    /// after the other; `sheet` says which of the two roots is the velocity. That the solution
    /// satisfies the constraints is proved.
    pub fn of(
        codistribution: &AdmissibleCodistribution<'p>,
        dependent: &[usize],
        sheet: RootChoice<'_, 'p>,
        assumptions: &Assumptions<'p>,
    ) -> Result<Self, NotSolved> {
        let state = codistribution.state();
        let n = state.degrees_of_freedom();
        let twice = |k: usize| dependent[..k].contains(&dependent[k]) || dependent[k] >= n;
        if dependent.len() != codistribution.count() || (0..dependent.len()).any(twice) {
            return Err(NotSolved::WrongCount);
        }
        let rows: Vec<Vec<Expr<'p>>> = codistribution
            .vertical()
            .rows()
            .iter()
            .map(|row| dependent.iter().map(|&k| row[k]).collect())
            .collect();
        let rank = generic_rank(&rows, assumptions);
        if rank.verdict.is_proved() && rank.rank < dependent.len() {
            return Err(NotSolved::Singular);
        }
        let functions = codistribution.functions().ok_or(NotSolved::OneForm)?;
        let unknown: Vec<Expr<'p>> = dependent.iter().map(|&k| state.velocity(k)).collect();
        let found = eliminate(&functions, &unknown, sheet).ok_or(NotSolved::NoFormula)?;
        if found
            .iter()
            .any(|g| g.is_undefined() || unknown.iter().any(|&u| g.contains(u)))
        {
            return Err(NotSolved::NoFormula);
        }
        let pairs: Vec<(Expr<'p>, Expr<'p>)> =
            unknown.iter().copied().zip(found.iter().copied()).collect();
        let claims = state.pool().substitute_all(&functions, &pairs);
        let verdict = decide_all_zero(claims);
        if !verdict.is_proved() {
            return Err(NotSolved::Unproved(verdict));
        }
        Ok(Self::new(state, dependent.to_vec(), found))
    }

    /// The state space J¹τ around J¹_σ.
    pub fn state(&self) -> &StateSpace<'p> {
        &self.state
    }

    /// J¹_σ with coordinates (t, x^A, u^α).
    pub fn chart(&self) -> &Chart<'p> {
        &self.chart
    }

    /// The coordinates with dependent velocities.
    pub fn dependent(&self) -> &[usize] {
        &self.dependent
    }

    /// The coordinates with independent velocities.
    pub fn independent(&self) -> &[usize] {
        &self.independent
    }

    /// gᵃ
    pub fn functions(&self) -> &[Expr<'p>] {
        &self.functions
    }

    /// u^α
    pub fn velocities(&self) -> &[Expr<'p>] {
        &self.chart.coordinates()[1 + self.state.degrees_of_freedom()..]
    }

    /// Index of x^A in the chart, for A = `self.independent()[α]` or `self.dependent()[a]`.
    pub(crate) fn x(&self, i: usize) -> usize {
        1 + i
    }

    /// Index of u^α in the chart.
    pub(crate) fn u(&self, alpha: usize) -> usize {
        1 + self.state.degrees_of_freedom() + alpha
    }

    /// i: J¹_σ → J¹τ, the embedding.
    pub fn embedding(&self) -> SmoothMap<'p> {
        let base = self.state.base().chart().coordinates().iter().copied();
        let all = base.chain(self.all_velocities()).collect();
        SmoothMap::new(&self.chart, self.state.chart(), all)
    }

    /// u^A on J¹_σ: u^α, and gᵃ for the dependent ones.
    fn all_velocities(&self) -> Vec<Expr<'p>> {
        (0..self.state.degrees_of_freedom())
            .map(|i| match self.dependent.iter().position(|&d| d == i) {
                Some(a) => self.functions[a],
                None => self.state.velocity(i),
            })
            .collect()
    }

    /// uᵃ − gᵃ as a codistribution on J¹τ, with ṡ = (−B, 1). (T-82)
    pub fn codistribution(
        &self,
        assumptions: &Assumptions<'p>,
    ) -> Result<AdmissibleCodistribution<'p>, Inadmissible> {
        let pairs = self.dependent.iter().zip(&self.functions);
        let list = pairs.map(|(&k, &g)| Constraint::Velocity(self.state.velocity(k) - g));
        AdmissibleCodistribution::new(&self.state, list.collect(), assumptions)
    }

    /// Bᵃ_α = ∂gᵃ/∂u^α. (T-71)
    pub fn slope(&self, a: usize, alpha: usize) -> Expr<'p> {
        self.functions[a].diff(self.velocities()[alpha])
    }

    /// Bᵃ = gᵃ − u^αBᵃ_α. (T-71)
    pub fn offset(&self, a: usize) -> Expr<'p> {
        let u = self.velocities();
        let slopes = self.functions[a].gradient(u);
        let linear = u.iter().zip(slopes).map(|(&u, b)| u * b);
        self.functions[a] - self.state.pool().sum(linear)
    }

    /// W^A_α = (δ^β_α; Bᵃ_α), a row for each coordinate: the admissible directions. (T-79)
    pub fn directions(&self) -> Matrix<'p> {
        let pool = self.state.pool();
        let slopes: Vec<Vec<Expr<'p>>> = self
            .functions
            .iter()
            .map(|g| g.gradient(self.velocities()))
            .collect();
        let rows = (0..self.state.degrees_of_freedom())
            .map(|i| match self.dependent.iter().position(|&d| d == i) {
                Some(a) => slopes[a].clone(),
                None => (self.independent.iter())
                    .map(|&j| if i == j { pool.one() } else { pool.zero() })
                    .collect(),
            })
            .collect();
        Matrix::new(pool, rows)
    }

    /// WᵀF, the components along the admissible directions of a covector on J¹τ given at points of J¹_σ.
    pub fn along_directions(&self, covector: &[Expr<'p>]) -> Vec<Expr<'p>> {
        let w = self.directions();
        let pool = self.state.pool();
        (0..self.independent.len())
            .map(|alpha| {
                let pairs = w.rows().iter().zip(covector);
                pool.sum(pairs.map(|(row, &f)| row[alpha] * f))
            })
            .collect()
    }

    /// θ^α = dx^α − u^αdt. (T-72)
    pub fn contact(&self, alpha: usize) -> Form<'p> {
        let dt = self.chart.differential(0);
        self.chart
            .differential(self.x(self.independent[alpha]))
            .minus(&dt.scaled(self.velocities()[alpha]))
    }

    /// ηᵃ = dxᵃ − Bᵃ_αdx^α − Bᵃdt. (T-72)
    pub fn eta(&self, a: usize) -> Form<'p> {
        let dt = self.chart.differential(0);
        let start = self
            .chart
            .differential(self.x(self.dependent[a]))
            .minus(&dt.scaled(self.offset(a)));
        (0..self.independent.len()).fold(start, |eta, alpha| {
            let dx = self.chart.differential(self.x(self.independent[alpha]));
            eta.minus(&dx.scaled(self.slope(a, alpha)))
        })
    }

    /// X_α = ∂_{x^α} + Bᵃ_α∂_{xᵃ}. (T-72)
    pub fn horizontal(&self, alpha: usize) -> VectorField<'p> {
        let start = self.chart.partial(self.x(self.independent[alpha]));
        (0..self.dependent.len()).fold(start, |x, a| {
            let along = self.chart.partial(self.x(self.dependent[a]));
            x.plus(&along.scaled(self.slope(a, alpha)))
        })
    }

    /// T = ∂ₜ + u^α∂_{x^α} + gᵃ∂_{xᵃ}. (T-72)
    pub fn total(&self) -> VectorField<'p> {
        let zero = self.state.pool().zero();
        self.second_order(&vec![zero; self.independent.len()])
    }

    /// Γ = T + f^α∂_{u^α}. (T-73)
    ///
    /// # Panics
    /// If there are not as many f^α as independent velocities.
    pub fn second_order(&self, f: &[Expr<'p>]) -> VectorField<'p> {
        assert_eq!(f.len(), self.independent.len(), "accelerations on J¹_σ");
        let mut components = vec![self.state.pool().one()];
        components.extend(self.all_velocities());
        components.extend_from_slice(f);
        VectorField::new(&self.chart, components)
    }

    /// S = ∂_{u^α}⊗θ^α. (T-72)
    pub fn vertical_endomorphism(&self) -> Endomorphism<'p> {
        (0..self.independent.len()).fold(Endomorphism::zero(&self.chart), |sum, alpha| {
            let along = self.chart.partial(self.u(alpha));
            sum.plus(&Endomorphism::simple(&along, &self.contact(alpha)))
        })
    }

    /// N = ∂_{xᵃ}⊗ηᵃ, a projector. (T-72)
    pub fn projector(&self) -> Endomorphism<'p> {
        (0..self.dependent.len()).fold(Endomorphism::zero(&self.chart), |sum, a| {
            let along = self.chart.partial(self.x(self.dependent[a]));
            sum.plus(&Endomorphism::simple(&along, &self.eta(a)))
        })
    }

    /// The connection σ̃₁ that the constraints define: its vertical projector is N, its horizontal one
    /// 1 − N. (T-112)
    pub fn connection(&self) -> Result<Connection<'p>, NotAProjector> {
        Connection::from_vertical_projector(self.projector())
    }

    /// 𝒩_N, the curvature of the constraints' connection: zero exactly if affine constraints are integrable.
    /// (T-75)
    pub fn curvature(&self) -> VectorForm<'p> {
        self.projector().torsion()
    }

    /// Cᵃ_β = Γ(Bᵃ_β) − X_β(gᵃ), with Ψ_Γ = i_Γ𝒩_N = Cᵃ_βθ^β⊗∂_{xᵃ}. (T-75)
    pub fn curvature_along(&self, gamma: &VectorField<'p>, a: usize, beta: usize) -> Expr<'p> {
        gamma.apply(self.slope(a, beta)) - self.horizontal(beta).apply(self.functions[a])
    }

    /// Γ⊗dt
    fn along_time(&self, gamma: &VectorField<'p>) -> Endomorphism<'p> {
        Endomorphism::simple(gamma, &self.chart.differential(0))
    }

    /// P_H = ½(I − L_ΓS + Γ⊗dt + N). (T-74)
    pub fn horizontal_projector(&self, gamma: &VectorField<'p>) -> Endomorphism<'p> {
        let half = self.state.pool().number(Rational::new(1, 2));
        Endomorphism::identity(&self.chart)
            .minus(&gamma.lie(&self.vertical_endomorphism()))
            .plus(&self.along_time(gamma))
            .plus(&self.projector())
            .scaled(half)
    }

    /// P_V = I − P_H. (T-74)
    pub fn vertical_projector(&self, gamma: &VectorField<'p>) -> Endomorphism<'p> {
        Endomorphism::identity(&self.chart).minus(&self.horizontal_projector(gamma))
    }

    /// Γ^β_α = −½∂f^β/∂u^α. (T-74)
    pub fn coefficient(&self, f: &[Expr<'p>], beta: usize, alpha: usize) -> Expr<'p> {
        f[beta].diff(self.velocities()[alpha]) * Rational::new(-1, 2)
    }

    /// The horizontal lift of ∂ₜ (index 0) and ∂_{x^A} (index 1 + A). (T-74)
    pub fn horizontal_lift(&self, f: &[Expr<'p>], k: usize) -> VectorField<'p> {
        let u = self.velocities();
        let pool = self.state.pool();
        let mut lift = self.chart.partial(k);
        for beta in 0..f.len() {
            let row = |alpha: usize| self.coefficient(f, beta, alpha);
            let c = if k == 0 {
                f[beta] + pool.sum((0..f.len()).map(|alpha| u[alpha] * row(alpha)))
            } else if let Some(alpha) = self.independent.iter().position(|&i| self.x(i) == k) {
                -row(alpha)
            } else {
                continue;
            };
            lift = lift.plus(&self.chart.partial(self.u(beta)).scaled(c));
        }
        lift
    }

    /// Φ^β_α = X_α(f^β) + Γ^γ_αΓ^β_γ + Γ(Γ^β_α), the Jacobi endomorphism, row β. (T-76)
    pub fn jacobi_endomorphism(&self, f: &[Expr<'p>]) -> Matrix<'p> {
        let pool = self.state.pool();
        let k = f.len();
        let gamma = self.second_order(f);
        let entry = |beta: usize, alpha: usize| {
            let square =
                (0..k).map(|c| self.coefficient(f, c, alpha) * self.coefficient(f, beta, c));
            self.horizontal(alpha).apply(f[beta])
                + pool.sum(square)
                + gamma.apply(self.coefficient(f, beta, alpha))
        };
        let rows = (0..k)
            .map(|b| (0..k).map(|a| entry(b, a)).collect())
            .collect();
        Matrix::new(pool, rows)
    }
}

/// Solves fᵃ = 0 for the unknowns: all at once if they occur affinely, else one at a time.
fn eliminate<'p>(
    functions: &[Expr<'p>],
    unknown: &[Expr<'p>],
    sheet: RootChoice<'_, 'p>,
) -> Option<Vec<Expr<'p>>> {
    let Some(first) = functions.first() else {
        return Some(vec![]);
    };
    let pool = first.pool();
    let rows = pool.jacobian(functions, unknown);
    let curved = rows
        .iter()
        .flatten()
        .flat_map(|e| e.gradient(unknown))
        .filter(|e| !e.is_zero());
    if decide_all_zero(curved.collect::<Vec<_>>()).is_proved() {
        let zero: Vec<_> = unknown.iter().map(|&u| (u, pool.zero())).collect();
        let flat: Vec<Expr<'p>> = rows.into_iter().flatten().collect();
        let flat = pool.substitute_all(&flat, &zero);
        let rows = flat.chunks(unknown.len()).map(<[_]>::to_vec).collect();
        let right: Vec<Expr<'p>> = pool
            .substitute_all(functions, &zero)
            .into_iter()
            .map(|e| -e)
            .collect();
        return Matrix::new(pool, rows).solve(&right).ok();
    }
    for (a, f) in functions.iter().enumerate() {
        for (k, &u) in unknown.iter().enumerate() {
            if !f.contains(u) {
                continue;
            }
            let Some(root) = root(*f, u, sheet) else {
                continue;
            };
            let mut others = functions.to_vec();
            others.remove(a);
            let others = pool.substitute_all(&others, &[(u, root)]);
            let mut rest = unknown.to_vec();
            rest.remove(k);
            let Some(mut found) = eliminate(&others, &rest, sheet) else {
                continue;
            };
            let pairs: Vec<_> = rest.iter().copied().zip(found.iter().copied()).collect();
            found.insert(k, root.substitute(&pairs));
            return Some(found);
        }
    }
    None
}

/// The root of a function that is a polynomial of degree one or two in u.
fn root<'p>(f: Expr<'p>, u: Expr<'p>, sheet: RootChoice<'_, 'p>) -> Option<Expr<'p>> {
    let pool = f.pool();
    let (first, second) = (f.diff(u), f.diff(u).diff(u));
    if !second.diff(u).decide_zero().is_proved() {
        return None;
    }
    let rest = |e: Expr<'p>| e.substitute(&[(u, pool.zero())]);
    let (c, b, a) = (rest(f), rest(first), rest(second) / 2);
    if a.decide_zero().is_proved() {
        return (!b.decide_zero().is_proved()).then(|| -c / b);
    }
    let (middle, radicand) = if b.decide_zero().is_proved() {
        (pool.zero(), -c / a)
    } else {
        (-b / (2 * a), (b.pow(2) - 4 * a * c) / (4 * a.pow(2)))
    };
    let width = radicand.sqrt();
    Some(sheet(u, [middle + width, middle - width]))
}
