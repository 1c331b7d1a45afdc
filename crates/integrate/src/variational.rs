//! Variational integrators: steps that make a discrete action stationary.
//!
//! Over a step positions are a polynomial, with velocities W at its nodes, and the action is a quadrature of points
//! cᵢ and weights bᵢ: L_d = hΣbᵢL(tᵢ, Xᵢ, Vᵢ). The discrete principle of Lagrange and d'Alembert,
//!
//! δL_d + hΣbᵢFᵢ·δXᵢ + ΣMⱼ·δg(tⱼ, Yⱼ) = p₁·δx₁ − p₀·δx₀,
//!
//! with impulses M of reactions where positions Y at some nodes are held to constraints g = 0, gives with P = ∂L/∂u,
//! φ = ∂L/∂x + F and J = ∂g/∂x the equations of a step in positions and momenta. Basis function k has spent the part
//! ½ + sᵢₖ of its integral βₖ at point i (s̃ⱼₖ at node j), so
//!
//! Xᵢ = x₀ + hΣ(½ + sᵢₖ)βₖWₖ,  x₁ = x₀ + hΣβₖWₖ,
//! Σeᵢₖ(Pᵢ − p₀) = hΣ(½ − sᵢₖ)bᵢφᵢ + Σ(½ − s̃ⱼₖ)JⱼᵀMⱼ  for every k,
//! p₁ = p₀ + hΣbᵢφᵢ + ΣJⱼᵀMⱼ,  g(tⱼ, Yⱼ) = 0,  J(x₁)u₁ + ∂g/∂t = 0 for p₁ = ∂L/∂u at u₁.
//!
//! The same numbers s stand in both sums: that is what makes the map symplectic, however they are rounded. The last
//! impulse appears in p₁ alone and brings the velocity to the constraints; with one basis function and two points
//! this is the method of Störmer and Verlet, with constraints RATTLE.
//!
//! J. E. Marsden, M. West, Discrete mechanics and variational integrators, Acta Numerica 10 (2001) 357; L. O. Jay,
//! Specialized partitioned additive Runge–Kutta methods, SIAM J. Numer. Anal. 45 (2007) 1814: Gauss' points for the
//! action and Lobatto's for constraints are of order 2s.

mod constraints;
mod galerkin;
mod single;

pub use single::VariationalStep;

use galilei_tape::Factors;

use crate::constant::{Scheme, integrate};
use crate::implicit::{Convergence, Field, Goal, Place, Rows, Stages, Verdict};
use crate::problem::{Options, Problem, Run, Status, Stop};
use crate::record::started;
use constraints::Constraints;
use galerkin::Galerkin;

/// Derivatives are kept as soon as an increment is below this part of the velocities: they are exact to that part
/// then, and every further increment is shorter by as much.
const CLOSE: f64 = 1e-3;

/// Which discrete action is made stationary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiscreteAction {
    /// h·L(t + h/2, (x₀ + x₁)/2, (x₁ − x₀)/h)
    Midpoint,
    /// h/2·[L(t, x₀, (x₁ − x₀)/h) + L(t + h, x₁, (x₁ − x₀)/h)]
    Trapezoid,
    /// Stationary among polynomials of a degree from one to three, by as many of Gauss' points.
    Galerkin(usize),
}

/// Integrates by steps that make a discrete action stationary. Their length is chosen as by
/// [`integrate_gauss`](crate::integrate_gauss). Constraints must be between positions. `progress` is told the time now
/// and then, and says whether to go on.
pub fn integrate_variational(
    problem: &Problem<'_>,
    action: DiscreteAction,
    state: &[f64],
    options: &Options,
    progress: impl FnMut(f64) -> bool,
) -> Run {
    match Variational::new(problem, action) {
        Some(scheme) => integrate(problem, scheme, state, options, progress),
        None => Run {
            status: Status::Failed(Stop::Nonholonomic),
            ..started(problem, state, options, 0)
        },
    }
}

/// The equations of a step and their derivatives.
struct Variational<'t> {
    galerkin: Galerkin,
    field: Field<'t>,
    constraints: Constraints,
    n: usize,
    factors: Factors,
    /// The matrix of Newton's method, and what is missing in the equations.
    matrix: Vec<f64>,
    residual: Vec<f64>,
    /// hβₖWₖ
    moves: Vec<f64>,
    /// Pᵢ − p₀
    momenta: Vec<f64>,
}

impl<'t> Variational<'t> {
    /// `None` unless all constraints are between positions.
    fn new(problem: &Problem<'t>, action: DiscreteAction) -> Option<Self> {
        let n = problem.rates.dimension;
        let constraints = Constraints::new(problem)?;
        let galerkin = Galerkin::new(action);
        let (degree, points) = (galerkin.degree(), galerkin.points.len());
        let size = degree * (n + constraints.count);
        Some(Self {
            galerkin,
            field: Field::of_momenta(problem),
            constraints,
            n,
            factors: Factors::new(size),
            matrix: vec![0.0; size * size],
            residual: vec![0.0; size],
            moves: vec![0.0; degree * n],
            momenta: vec![0.0; points * n],
        })
    }

    /// Writes hβₖWₖ down.
    fn weigh(&mut self, stages: &Stages) {
        let betas = self.galerkin.betas.iter().flat_map(|b| vec![*b; self.n]);
        let velocities = stages.velocities.iter().zip(betas);
        for (part, (w, beta)) in self.moves.iter_mut().zip(velocities) {
            *part = stages.h * beta * w;
        }
    }

    /// By how much positions have changed where the basis has spent parts ½ + s of its integrals.
    fn change(&self, shares: &[f64], p: usize) -> f64 {
        let own = |k: usize| self.moves[k * self.n + p];
        let total: f64 = (0..shares.len()).map(own).sum();
        let other: f64 = shares.iter().enumerate().map(|(k, s)| s * own(k)).sum();
        0.5 * total + other
    }

    /// Goes to a point of the quadrature.
    fn place(&mut self, start: &Place, stages: &Stages, i: usize) {
        let point = &self.galerkin.points[i];
        let velocity = |p: usize| -> f64 {
            let terms = point.basis.iter().enumerate();
            terms
                .map(|(k, b)| b * stages.velocities[k * self.n + p])
                .sum()
        };
        let u: Vec<f64> = (0..self.n).map(velocity).collect();
        let x: Vec<f64> = (0..self.n)
            .map(|p| start.x[p].plus(self.change(&point.shares, p)))
            .collect();
        let time = start.time.plus(point.node * stages.h);
        self.field.place(time, x.into_iter(), &u);
    }

    /// Goes to a node where positions are held to the constraints.
    fn place_held(&mut self, start: &Place, stages: &Stages, j: usize) {
        let node = &self.galerkin.held[j];
        let x: Vec<f64> = (0..self.n)
            .map(|p| start.x[p].plus(self.change(&node.shares, p)))
            .collect();
        let time = start.time.plus(node.node * stages.h);
        self.field.place(time, x.into_iter(), &stages.u);
    }

    /// Computes rates and powers at the points, and what is missing in the equations.
    fn evaluate(&mut self, start: &Place, stages: &mut Stages) -> Result<(), Stop> {
        let (n, degree) = (self.n, self.galerkin.degree());
        self.weigh(stages);
        self.residual.fill(0.0);
        for i in 0..self.galerkin.points.len() {
            self.place(start, stages, i);
            let own = i * n..(i + 1) * n;
            let momenta = &mut self.momenta[own.clone()];
            let rates = &mut stages.rates[own];
            stages.powers[i] = self.field.values(momenta, rates)?;
            let point = &self.galerkin.points[i];
            for (k, (share, test)) in point.shares.iter().zip(&point.tests).enumerate() {
                let weight = stages.h * point.weight * (0.5 - share);
                for p in 0..n {
                    let change = start.z[p].from(momenta[p]);
                    self.residual[k * n + p] += weight * rates[p] - test * change;
                }
            }
        }
        let m = self.constraints.count;
        if m == 0 {
            return Ok(());
        }
        for j in 0..=degree {
            self.place_held(start, stages, j);
            self.constraints.values(self.field.inputs())?;
            if j > 0 {
                let row = degree * n + (j - 1) * m;
                let missing = self.constraints.missing().iter();
                for (r, g) in self.residual[row..].iter_mut().zip(missing) {
                    *r = g / stages.h;
                }
            }
            if j < degree {
                let reaction = self.constraints.reaction(&stages.impulses[j * m..], n);
                for (k, share) in self.galerkin.held[j].shares.iter().enumerate() {
                    for (p, force) in reaction.iter().enumerate() {
                        self.residual[k * n + p] += (0.5 - share) * force;
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds a block n by n to the matrix at velocities k and l.
    fn add(&mut self, k: usize, l: usize, factor: f64, block: impl Fn(usize) -> f64) {
        let (n, size) = (self.n, self.residual.len());
        for at in 0..n * n {
            let (p, q) = (k * n + at / n, l * n + at % n);
            self.matrix[p * size + q] += factor * block(at);
        }
    }

    /// Computes the derivatives of the equations, exactly, and factors them.
    fn linearise(&mut self, start: &Place, stages: &Stages) -> Result<(), Stop> {
        self.matrix.fill(0.0);
        for i in 0..self.galerkin.points.len() {
            self.place(start, stages, i);
            self.field.differentiate()?;
            self.add_point(i, stages.h);
        }
        if self.constraints.count > 0 {
            for j in 0..self.galerkin.held.len() {
                self.place_held(start, stages, j);
                self.add_held(j, stages)?;
            }
        }
        let size = self.residual.len();
        self.factors
            .factor(|i, j| self.matrix[i * size + j])
            .map_err(|_| Stop::SingularMassMatrix)
    }

    /// What a point of the quadrature adds to the matrix, with the derivatives at hand.
    fn add_point(&mut self, i: usize, h: f64) {
        let point = self.galerkin.points[i].clone();
        let slopes = std::mem::take(&mut self.field.slopes);
        let betas = self.galerkin.betas.clone();
        for k in 0..betas.len() {
            let weight = h * point.weight * (0.5 - point.shares[k]);
            for l in 0..betas.len() {
                // ∂X/∂W and ∂V/∂W
                let (x, u) = (h * (0.5 + point.shares[l]) * betas[l], point.basis[l]);
                self.add(k, l, 1.0, |at| {
                    point.tests[k] * (x * slopes.z_x[at] + u * slopes.z_u[at])
                        - weight * (x * slopes.phi_x[at] + u * slopes.phi_u[at])
                });
            }
        }
        self.field.slopes = slopes;
    }

    /// What a node where positions are held adds to the matrix, the field being there.
    fn add_held(&mut self, j: usize, stages: &Stages) -> Result<(), Stop> {
        let (n, m, size) = (self.n, self.constraints.count, self.residual.len());
        let (shares, betas) = (self.galerkin.held[j].shares.clone(), &self.galerkin.betas);
        let betas = betas.clone();
        let degree = betas.len();
        self.constraints.values(self.field.inputs())?;
        let inputs = self.field.inputs();
        let rows = self.constraints.matrix().to_vec();
        for (k, share) in shares.iter().enumerate() {
            for at in 0..m * n {
                let (a, p) = (at / n, at % n);
                if j < degree {
                    let column = degree * n + j * m + a;
                    self.matrix[(k * n + p) * size + column] = (share - 0.5) * rows[at];
                }
                if j > 0 {
                    let row = degree * n + (j - 1) * m + a;
                    let spent = (0.5 + share) * betas[k];
                    self.matrix[row * size + k * n + p] = -spent * rows[at];
                }
            }
        }
        if j == 0 || j == degree {
            // The start does not move, and the last impulse is no part of these equations.
            return Ok(());
        }
        let impulses = &stages.impulses[j * m..(j + 1) * m];
        let bent = self.constraints.curvature(inputs, impulses).to_vec();
        for k in 0..degree {
            for l in 0..degree {
                let x = stages.h * (0.5 + shares[l]) * betas[l];
                self.add(k, l, (shares[k] - 0.5) * x, |at| bent[at]);
            }
        }
        Ok(())
    }
}

/// The largest of some values.
fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |m, x| m.max(x.abs()))
}

impl<'t> Scheme<'t> for Variational<'t> {
    fn order(&self) -> usize {
        self.galerkin.order
    }

    fn stages(&self) -> Stages {
        let (n, degree) = (self.n, self.galerkin.degree());
        let points = self.galerkin.points.len();
        Stages {
            rates: vec![0.0; points * n],
            powers: vec![0.0; points],
            impulses: vec![0.0; degree * self.constraints.count],
            ..Stages::new(n, degree)
        }
    }

    fn field(&mut self) -> &mut Field<'t> {
        &mut self.field
    }

    fn evaluations(&self) -> usize {
        self.field.evaluations
    }

    fn solve(
        &mut self,
        start: &Place,
        before: Option<(&Stages, f64)>,
        stages: &mut Stages,
    ) -> Result<(), Stop> {
        stages.guess(&self.galerkin.nodes, start, before);
        match before {
            Some((before, _)) => stages.impulses.copy_from_slice(&before.impulses),
            None => stages.impulses.fill(0.0),
        }
        let unknowns = stages.velocities.len();
        let mut convergence = Convergence::new(self.n, Goal::Rounding);
        let mut close = false;
        loop {
            self.evaluate(start, stages)?;
            if !close {
                self.linearise(start, stages)?;
            }
            self.factors.solve(&mut self.residual);
            let (velocities, impulses) = self.residual.split_at(unknowns);
            match convergence.judge(velocities, start, stages) {
                Verdict::Settled => return Ok(()),
                Verdict::Diverges => return Err(Stop::StepTooLong),
                Verdict::On | Verdict::Near => {}
            }
            close = largest(velocities) <= CLOSE * largest(&stages.velocities);
            let all = stages.velocities.iter_mut().chain(&mut stages.impulses);
            let increments = velocities.iter().chain(impulses);
            all.zip(increments).for_each(|(v, d)| *v += d);
        }
    }

    fn finish(&mut self, start: &Place, stages: &Stages, end: &mut Place) -> Result<f64, Stop> {
        let (n, degree, m) = (self.n, self.galerkin.degree(), self.constraints.count);
        self.weigh(stages);
        for p in 0..n {
            end.x[p] = start.x[p];
            end.x[p].add(self.moves.iter().skip(p).step_by(n).sum());
            let rate = |(i, point): (usize, &galerkin::Point)| {
                stages.h * point.weight * stages.rates[i * n + p]
            };
            end.z[p] = start.z[p];
            end.z[p].add(self.galerkin.points.iter().enumerate().map(rate).sum());
        }
        let powers = self.galerkin.points.iter().zip(&stages.powers);
        let mut work = powers.map(|(point, w)| stages.h * point.weight * w).sum();
        for j in 0..if m > 0 { degree } else { 0 } {
            self.place_held(start, stages, j);
            self.constraints.values(self.field.inputs())?;
            let impulses = &stages.impulses[j * m..(j + 1) * m];
            work += self.constraints.work(impulses);
            let reaction = self.constraints.reaction(impulses, n);
            end.z.iter_mut().zip(reaction).for_each(|(z, r)| z.add(r));
        }
        let last = &stages.velocities[(degree - 1) * n..];
        let x = end.x.iter().map(|c| c.high);
        self.field.place(start.time.plus(stages.h), x, last);
        self.constraints.values(self.field.inputs())?;
        let rows = Rows {
            matrix: self.constraints.matrix(),
            offsets: self.constraints.offsets(),
        };
        let impulses = self.field.invert_under(|i| end.z[i].high, &rows)?;
        work += self.constraints.work(&impulses);
        let reaction = self.constraints.reaction(&impulses, n);
        end.z.iter_mut().zip(reaction).for_each(|(z, r)| z.add(r));
        end.u.copy_from_slice(self.field.velocities());
        Ok(work)
    }

    fn keeps_constraints(&self) -> bool {
        true
    }

    fn has_momenta(&self) -> bool {
        true
    }
}
