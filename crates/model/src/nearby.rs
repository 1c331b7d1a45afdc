//! A motion together with nearby ones, as one model without constraints. (T-101)

use galilei_expr::{Expr, ExprId, Rational};

use crate::contents::{Contribution, Coordinate, NamedForce, Part, PhaseEnergies};
use crate::manifold::ManifoldKind;
use crate::model::Model;

/// The largest number of degrees of freedom for which accelerations are written as formulas.
const MAX_DEGREES: usize = 4;

impl Model {
    /// The motion with solutions δ of its linearised equations, δ'' = (∂a/∂x) δ + (∂a/∂u) δ', as one model: behind the
    /// coordinates those of the first solution, then those of the second, and so on. All of them start at zero. Its energy is
    /// that of the motion alone; events are left out. `None` where accelerations have no formula that is short and smooth:
    /// under constraints, with contacts, piecewise forces, several charts, or many degrees of freedom.
    ///
    /// ```
    /// use galilei_model::{Settings, read};
    /// let text = "coord x\nkinetic: x'^2/2\npotential: x^4/4\n";
    /// let model = read(text, &Settings::default()).model.unwrap();
    /// let above = model.with_nearby_motions(2).unwrap();
    /// assert_eq!(above.contents().coordinates.len(), 3);
    /// let field = above.system().lagrange().unwrap();
    /// let x = model.positions()[0];
    /// let nearby = above.positions()[1];
    /// assert_eq!(field.accelerations()[1], -3 * x.pow(2) * nearby);
    /// ```
    pub fn with_nearby_motions(&self, count: usize) -> Option<Self> {
        let own = self.contents();
        let n = own.coordinates.len();
        let curved = |m: &crate::Manifold| m.kind != ManifoldKind::Circle;
        let simple = own.constraints.is_empty()
            && self.constraint_rows().is_empty()
            && !self.has_contacts()
            && own.atlas.is_none()
            && !own.manifolds.iter().any(curved)
            && own.forces.iter().all(|f| !f.kinked)
            && own.phase.is_none()
            && !self.is_implicit();
        if !simple || n > MAX_DEGREES || count == 0 {
            return None;
        }
        let pool = self.pool();
        let system = self.system();
        let field = system.lagrange().ok()?;
        let a = field.accelerations();
        let (x, u) = (self.positions(), self.velocities());
        let symbols: Vec<Expr<'_>> = x.iter().chain(&u).copied().collect();
        let slopes: Vec<Vec<Expr<'_>>> = a.iter().map(|a| a.gradient(&symbols)).collect();
        let mut contents = own.clone();
        let mut accelerations: Vec<ExprId> = a.iter().map(|a| a.id()).collect();
        let mut rates = u.clone();
        for k in 1..=count {
            // No name in a file has spaces.
            let name = |i: usize| format!("nearby motion {k} of {}", own.coordinates[i].name);
            let at: Vec<Expr<'_>> = (0..n).map(|i| pool.symbol(&name(i))).collect();
            let moving: Vec<Expr<'_>> = (0..n)
                .map(|i| pool.symbol(&format!("{}'", name(i))))
                .collect();
            let both: Vec<Expr<'_>> = at.iter().chain(&moving).copied().collect();
            for i in 0..n {
                let sum = pool.sum((0..2 * n).map(|j| slopes[i][j] * both[j]));
                accelerations.push(sum.id());
                contents.coordinates.push(Coordinate {
                    name: name(i),
                    position: at[i].id(),
                    velocity: moving[i].id(),
                    unit: None,
                    scale: pool.one().id(),
                    initial_position: Some(pool.zero().id()),
                    initial_velocity: Some(pool.zero().id()),
                    given_velocity: Some(pool.zero().id()),
                });
            }
            rates.extend(moving);
        }
        let lagrangian = system.lagrangian();
        contents.phase = Some(PhaseEnergies {
            energy: lagrangian.energy().id(),
            power: system.energy_rate().id(),
            lagrangian: lagrangian.function().id(),
        });
        let half = Rational::new(1, 2);
        contents.contributions = vec![Contribution {
            name: "nearby motions".into(),
            statement: "kinetic",
            part: Part::Kinetic,
            value: (half * pool.sum(rates.iter().map(|&u| u.pow(2)))).id(),
            span: Default::default(),
        }];
        contents.forces = vec![NamedForce {
            name: "nearby motions".into(),
            statement: "force",
            components: accelerations,
            kinked: false,
            span: Default::default(),
        }];
        contents.hamiltonian = None;
        contents.given = None;
        contents.metric = None;
        contents.events.clear();
        contents.references.clear();
        contents.symmetries.clear();
        contents.variations.clear();
        contents.charts.clear();
        contents.manifolds.clear();
        contents.dependent.clear();
        contents.dependent_span = None;
        Some(self.with_contents(contents))
    }
}
