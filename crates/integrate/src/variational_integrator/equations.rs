//! The equations of a variational step, and their derivatives.

use galilei_linear::Factors;

use super::DiscreteAction;
use super::constraints::Constraints;
use super::galerkin::{Galerkin, Node, Point};
use crate::implicit::{Field, Place, Slopes, Stages};
use crate::problem::{Error, Problem};

/// The equations of a step. Unknowns are the velocities W, then the impulses M but the last one.
pub(crate) struct Variational {
    pub(super) galerkin: Galerkin,
    pub(super) field: Field,
    pub(super) constraints: Constraints,
    pub(super) n: usize,
    /// The residual of the equations.
    pub(super) residual: Vec<f64>,
    pub(super) factors: Factors,
    matrix: Matrix,
    path: Path,
    /// P at a point.
    momenta: Vec<f64>,
}

/// The polynomial of a step.
struct Path {
    /// hβₖWₖ
    moves: Vec<f64>,
    /// x and u at a point or node.
    x: Vec<f64>,
    u: Vec<f64>,
}

impl Path {
    fn new(n: usize, degree: usize) -> Self {
        Self {
            moves: vec![0.0; degree * n],
            x: vec![0.0; n],
            u: vec![0.0; n],
        }
    }

    /// Takes the velocities of some stages.
    fn take(&mut self, betas: &[f64], stages: &Stages) {
        let n = self.x.len();
        for (at, (part, w)) in self.moves.iter_mut().zip(&stages.velocities).enumerate() {
            *part = stages.h * betas[at / n] * w;
        }
    }

    /// Goes to where the basis has spent parts ½ + s of its integrals.
    fn reach(&mut self, start: &Place, shares: &[f64]) {
        let n = self.x.len();
        for (p, x) in self.x.iter_mut().enumerate() {
            let parts = self.moves.iter().skip(p).step_by(n);
            let total: f64 = parts.clone().sum();
            let other: f64 = parts.zip(shares).map(|(part, s)| s * part).sum();
            *x = start.x[p].plus(0.5 * total + other);
        }
    }

    /// Has the velocities where the basis has some values.
    fn hurry(&mut self, basis: &[f64], stages: &Stages) {
        let n = self.u.len();
        for (p, u) in self.u.iter_mut().enumerate() {
            let parts = stages.velocities.iter().skip(p).step_by(n);
            *u = parts.zip(basis).map(|(w, b)| b * w).sum();
        }
    }
}

/// The derivatives of the equations, with the opposite sign.
struct Matrix {
    n: usize,
    size: usize,
    entries: Vec<f64>,
}

impl Matrix {
    fn new(n: usize, size: usize) -> Self {
        Self {
            n,
            size,
            entries: vec![0.0; size * size],
        }
    }

    fn entry(&mut self, i: usize, j: usize) -> &mut f64 {
        &mut self.entries[i * self.size + j]
    }

    /// Adds a block n by n at velocities k and l.
    fn add(&mut self, k: usize, l: usize, block: impl Fn(usize) -> f64) {
        let n = self.n;
        for at in 0..n * n {
            *self.entry(k * n + at / n, l * n + at % n) += block(at);
        }
    }

    /// Adds what a point of the quadrature has part in.
    fn add_point(&mut self, betas: &[f64], point: &Point, slopes: &Slopes, h: f64) {
        for (k, test) in point.tests.iter().enumerate() {
            let weight = h * point.weight * (0.5 - point.shares[k]);
            for (l, beta) in betas.iter().enumerate() {
                // ∂X/∂W and ∂V/∂W
                let (x, u) = (h * (0.5 + point.shares[l]) * beta, point.basis[l]);
                self.add(k, l, |at| {
                    test * (x * slopes.z_x[at] + u * slopes.z_u[at])
                        - weight * (x * slopes.phi_x[at] + u * slopes.phi_u[at])
                });
            }
        }
    }

    /// Writes the rows J of constraints at node j down: in the columns of their impulses, which the last node has
    /// not, and in the rows that hold positions there, which the first has not.
    fn border(&mut self, betas: &[f64], node: &Node, j: usize, rows: &[f64]) {
        let (n, degree, m) = (self.n, betas.len(), rows.len() / self.n);
        for (k, share) in node.shares.iter().enumerate() {
            for (at, row) in rows.iter().enumerate() {
                let (a, p) = (at / n, k * n + at % n);
                if j < degree {
                    *self.entry(p, degree * n + j * m + a) = (share - 0.5) * row;
                }
                if j > 0 {
                    let held = degree * n + (j - 1) * m + a;
                    *self.entry(held, p) = -(0.5 + share) * betas[k] * row;
                }
            }
        }
    }

    /// Adds how reactions at a node turn with the positions.
    fn add_curvature(&mut self, betas: &[f64], node: &Node, curvature: &[f64], h: f64) {
        for (k, own) in node.shares.iter().enumerate() {
            for (l, share) in node.shares.iter().enumerate() {
                let x = h * (0.5 + share) * betas[l];
                self.add(k, l, |at| (own - 0.5) * x * curvature[at]);
            }
        }
    }
}

impl Variational {
    /// `None` unless all constraints are between positions.
    pub(crate) fn new(problem: &Problem, action: DiscreteAction) -> Option<Self> {
        let n = problem.rates.dimension;
        let constraints = Constraints::new(problem)?;
        let galerkin = Galerkin::new(action);
        let degree = galerkin.degree();
        let size = degree * (n + constraints.count);
        Some(Self {
            galerkin,
            field: Field::of_momenta(problem),
            constraints,
            n,
            residual: vec![0.0; size],
            factors: Factors::new(size),
            matrix: Matrix::new(n, size),
            path: Path::new(n, degree),
            momenta: vec![0.0; n],
        })
    }

    /// The number of nodes at which positions are held.
    fn held(&self) -> usize {
        match self.constraints.count {
            0 => 0,
            _ => self.galerkin.held.len(),
        }
    }

    /// Goes to a point of the quadrature.
    fn place(&mut self, start: &Place, stages: &Stages, i: usize) {
        let point = &self.galerkin.points[i];
        self.path.reach(start, &point.shares);
        self.path.hurry(&point.basis, stages);
        let time = start.time.plus(point.node * stages.h);
        let Path { x, u, .. } = &self.path;
        self.field.place(time, x.iter().copied(), u);
    }

    /// Goes to a node where positions are held, and computes the constraints there.
    fn hold(&mut self, start: &Place, stages: &Stages, j: usize) -> Result<(), Error> {
        let node = &self.galerkin.held[j];
        self.path.reach(start, &node.shares);
        let time = start.time.plus(node.node * stages.h);
        let x = self.path.x.iter().copied();
        self.field.place(time, x, &stages.u);
        self.constraints.values(self.field.inputs())
    }

    /// Computes rates and powers at the points, and what is missing in the equations.
    pub(super) fn evaluate(&mut self, start: &Place, stages: &mut Stages) -> Result<(), Error> {
        self.path.take(&self.galerkin.betas, stages);
        self.residual.fill(0.0);
        for i in 0..self.galerkin.points.len() {
            self.balance(start, stages, i)?;
        }
        for j in 0..self.held() {
            self.hold(start, stages, j)?;
            self.react(stages, j);
        }
        Ok(())
    }

    /// The contribution of momenta and rates at a point to the equations.
    fn balance(&mut self, start: &Place, stages: &mut Stages, i: usize) -> Result<(), Error> {
        let n = self.n;
        self.place(start, stages, i);
        let rates = &mut stages.rates[i * n..(i + 1) * n];
        stages.powers[i] = self.field.values(&mut self.momenta, rates)?;
        let point = &self.galerkin.points[i];
        for (k, test) in point.tests.iter().enumerate() {
            let weight = stages.h * point.weight * (0.5 - point.shares[k]);
            for p in 0..n {
                let change = start.z[p].from(self.momenta[p]);
                self.residual[k * n + p] += weight * rates[p] - test * change;
            }
        }
        Ok(())
    }

    /// The contribution of constraints at a node to the equations.
    fn react(&mut self, stages: &Stages, j: usize) {
        let (n, m, degree) = (self.n, self.constraints.count, self.galerkin.degree());
        if j > 0 {
            let rows = &mut self.residual[degree * n + (j - 1) * m..];
            let missing = self.constraints.missing().iter();
            rows.iter_mut()
                .zip(missing)
                .for_each(|(r, g)| *r = g / stages.h);
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

    /// Computes the derivatives of the equations, exactly, and factors them.
    pub(super) fn linearise(&mut self, start: &Place, stages: &Stages) -> Result<(), Error> {
        self.matrix.entries.fill(0.0);
        for i in 0..self.galerkin.points.len() {
            self.place(start, stages, i);
            self.field.differentiate()?;
            let Galerkin { betas, points, .. } = &self.galerkin;
            self.matrix
                .add_point(betas, &points[i], &self.field.slopes, stages.h);
        }
        for j in 0..self.held() {
            self.hold(start, stages, j)?;
            let Galerkin { betas, held, .. } = &self.galerkin;
            let rows = self.constraints.matrix();
            self.matrix.border(betas, &held[j], j, rows);
            // The start does not move, and the last impulse is no part of these equations.
            if j > 0 && j < betas.len() {
                let m = self.constraints.count;
                let impulses = &stages.impulses[j * m..(j + 1) * m];
                let curvature = self.constraints.curvature(self.field.inputs(), impulses);
                self.matrix
                    .add_curvature(betas, &held[j], curvature, stages.h);
            }
        }
        let Matrix { size, entries, .. } = &self.matrix;
        self.factors
            .factor(|i, j| entries[i * size + j])
            .map_err(|_| Error::SingularMassMatrix)
    }

    /// Moves positions to the end of a step, and momenta by all impulses but the last; the work done by then.
    pub(super) fn advance(
        &mut self,
        start: &Place,
        stages: &Stages,
        end: &mut Place,
    ) -> Result<f64, Error> {
        let (n, m) = (self.n, self.constraints.count);
        self.path.take(&self.galerkin.betas, stages);
        for p in 0..n {
            end.x[p] = start.x[p];
            end.x[p].add(self.path.moves.iter().skip(p).step_by(n).sum());
            let rates = stages.rates.iter().skip(p).step_by(n);
            let points = self.galerkin.points.iter();
            end.z[p] = start.z[p];
            end.z[p].add(
                points
                    .zip(rates)
                    .map(|(c, r)| stages.h * c.weight * r)
                    .sum(),
            );
        }
        let powers = self.galerkin.points.iter().zip(&stages.powers);
        let mut work = powers.map(|(c, w)| stages.h * c.weight * w).sum();
        for j in 0..self.held().saturating_sub(1) {
            self.hold(start, stages, j)?;
            let impulses = &stages.impulses[j * m..(j + 1) * m];
            work += self.constraints.strike(impulses, &mut end.z);
        }
        Ok(work)
    }

    /// Brings velocities to the end of a step, and with the last impulse to the constraints; the work of that.
    pub(super) fn settle(
        &mut self,
        time: f64,
        guess: &[f64],
        end: &mut Place,
    ) -> Result<f64, Error> {
        let x = end.x.iter().map(|c| c.high);
        self.field.place(time, x, guess);
        self.constraints.values(self.field.inputs())?;
        let rows = self.constraints.rows();
        let impulses = self.field.invert_under(|i| end.z[i].high, &rows)?;
        end.u.copy_from_slice(self.field.velocities());
        Ok(self.constraints.strike(&impulses, &mut end.z))
    }
}
