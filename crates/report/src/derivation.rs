//! Derivations: the results of a model as formulas with their theorems.

mod draft;
mod energy;
mod forces;
mod forms;
mod frames;
mod given;
mod hamilton;
mod lagrange;
mod lagrangian;
mod linear;
mod newtonian;
mod objects;
mod section;
mod shape;
mod squares;
mod structure;
mod style;
mod time_independent;
mod tree;

use galilei_expr::{Expr, ExprId, Layout};
use galilei_mechanics::{Force, Inadmissible, Lagrangian, System};
use galilei_model::{Chart, Code, ConstraintRow, Constructions, Contents, Diagnostic, Model};

use crate::presented::Presented;
use crate::topic::Topic;

use style::ModelStyle;

pub use draft::Draft;
pub(crate) use draft::Line;
pub(crate) use given::GIVEN;
pub use section::{Formula, Section};
pub(crate) use shape::Shape;
pub(crate) use tree::Tree;

/// Number of degrees of freedom up to which inverses are written out if the mass matrix couples all of them.
pub(crate) const MAX_INVERSE_DEGREES: usize = 3;
/// Number of coordinates that the mass matrix may couple in larger systems whose inverses are written out.
const MAX_COUPLED_COORDINATES: usize = 2;
/// Number of degrees of freedom up to which formulas are shortened.
pub(crate) const MAX_READABLE_DEGREES: usize = 6;

/// A system in one chart, ready to be written down.
pub struct Derivation<'m> {
    pub(crate) model: &'m Model,
    pub(crate) contents: &'m Contents<ExprId>,
    system: System<'m>,
    pub(crate) readable: System<'m>,
    pub(crate) constraints: Vec<ConstraintRow<'m>>,
    style: ModelStyle,
    pub(crate) names: Vec<String>,
    chart: Option<&'m Chart<ExprId>>,
    /// The reference fields of `inertia A B`.
    pair: Option<[String; 2]>,
    pub(crate) presented: Presented<'m>,
}

impl<'m> Derivation<'m> {
    /// The model in its own chart.
    pub fn new(model: &'m Model) -> Self {
        let names: Vec<String> = model
            .contents()
            .coordinates
            .iter()
            .map(|c| c.name.clone())
            .collect();
        let rows = model.constraint_rows();
        Self::with(model, model.system(), rows, names, None)
    }

    /// The model in another declared chart.
    pub fn in_chart(model: &'m Model, name: &str) -> Result<Self, Diagnostic> {
        let chart = model.chart(name)?;
        if model.is_implicit() {
            return Err(Diagnostic::error(
                Code::NotAvailable,
                "the Legendre transform of this Hamiltonian has no closed form, so nothing can be written in another chart",
                "leave out --chart: formulas are written in (t, x, p) of the model's own chart; `eval --chart` has numbers",
                chart.span,
            ));
        }
        let system = model.system();
        let moved = model.in_chart(&system, chart).1;
        let names = model.exprs(&chart.symbols);
        let names = names.iter().map(ToString::to_string).collect();
        let rows = model.constraint_rows_in_chart(chart);
        Ok(Self::with(model, moved, rows, names, Some(chart)))
    }

    fn with(
        model: &'m Model,
        system: System<'m>,
        constraints: Vec<ConstraintRow<'m>>,
        names: Vec<String>,
        chart: Option<&'m Chart<ExprId>>,
    ) -> Self {
        let contents = model.contents();
        let style = ModelStyle {
            parameters: contents.parameters.iter().map(|p| p.name.clone()).collect(),
            coordinates: names.clone(),
        };
        let mut derivation = Self {
            model,
            contents,
            readable: system.clone(),
            system,
            constraints,
            style,
            names,
            chart,
            pair: None,
            presented: Presented::new(&model.assumptions()),
        };
        derivation.readable = derivation.short();
        derivation
    }

    /// The system with L and the forces in a short form, each proved equal to that of the model:
    /// formulas derived from short formulas are short.
    fn short(&self) -> System<'m> {
        let state = self.system.state();
        let l = self.present(self.system.lagrangian().function());
        let mut start = System::new(Lagrangian::new(state, l));
        if let Some(given) = self.system.given_canonical() {
            start = start.with_canonical(given.rewritten(self.present(given.hamiltonian())));
        }
        self.system.forces().iter().fold(start, |all, (name, f)| {
            let components = f.components().iter().map(|&c| self.present(c)).collect();
            all.with_force(name, Force::new(state, components))
        })
    }

    /// The system that is written down.
    pub fn system(&self) -> &System<'m> {
        &self.system
    }

    /// Whether L, a force or a constraint changes with time; formulas in which time cancels do not.
    pub fn depends_on_time(&self) -> bool {
        let t = self.system.state().time();
        let forces = self.readable.total_force().components().to_vec();
        let constraints = self.constraints.iter().map(|c| c.equation);
        let written = std::iter::once(self.readable.lagrangian().function());
        let mut written = written.chain(forces).chain(constraints);
        written.any(|e| e.contains(t) && !e.diff(t).decide_zero().is_proved())
    }

    /// Whether there are constraints.
    pub fn is_constrained(&self) -> bool {
        !self.constraints.is_empty()
    }

    /// Whether the model is written in another chart than its own.
    pub(crate) fn is_in_another_chart(&self) -> bool {
        self.chart.is_some()
    }

    /// Both constructions of constrained motion for the system that is written down.
    pub(crate) fn constructions(&self) -> Option<Result<Constructions<'m>, Inadmissible>> {
        match &self.chart {
            None => self.model.constructions(&self.readable),
            Some(chart) => self.model.constructions_in_chart(chart, &self.readable),
        }
    }

    /// The section of a topic, with abbreviations of its own.
    pub fn section(&self, topic: Topic) -> Section {
        self.finish(&self.derive(topic))
    }

    /// The content of a section before it is written.
    pub fn derive(&self, topic: Topic) -> Draft<'m> {
        match topic {
            Topic::SpaceTime => self.spacetime(),
            Topic::Field => self.field(),
            Topic::Metric => self.metric(),
            Topic::Kinetic => self.kinetic(),
            Topic::Lagrangian => self.lagrangian(),
            Topic::Cartan => self.cartan(),
            Topic::ActionForm => self.action_form(),
            Topic::Lagrange => self.lagrange(),
            Topic::Hamiltonian => self.hamiltonian(),
            Topic::Hamilton => self.hamilton(),
            Topic::Energy => self.energy(),
            Topic::Forces => self.forces(),
            Topic::ForceForms => self.force_forms(),
            Topic::Inertia => match &self.pair {
                Some(pair) => self.inertia_between(pair),
                None => self.inertia(),
            },
            Topic::Frames => self.frames(),
            Topic::Recovery => self.recovery(),
            Topic::Newtonian => self.newtonian(),
            Topic::Structure => self.structure(),
            Topic::Connection => self.connection(),
            Topic::TimeIndependent => self.time_independent(),
            Topic::VirtualWork => self.virtual_work(),
            Topic::Central => self.central(),
            Topic::Action => self.action(),
            Topic::FirstVariation => self.first_variation(),
            Topic::Nonholonomic => self.nonholonomic(),
            Topic::Reaction => self.reactions(),
            Topic::ConstrainedHamilton => self.constrained_hamilton(),
            Topic::Vertical => self.vertical(),
            Topic::Jacobi => self.jacobi(),
            Topic::Linear => self.linear(),
        }
    }

    pub(crate) fn name(&self, i: usize) -> Layout {
        Layout::name(&self.names[i])
    }

    pub(crate) fn n(&self) -> usize {
        self.names.len()
    }

    /// Whether accelerations and velocities are written out: few degrees of freedom, or none that the mass matrix couples
    /// with more than one other.
    pub(crate) fn is_written_out(&self) -> bool {
        let n = self.n();
        n <= MAX_INVERSE_DEGREES
            || n <= MAX_READABLE_DEGREES && self.largest_block() <= MAX_COUPLED_COORDINATES
    }

    /// The largest number of coordinates that the mass matrix couples.
    fn largest_block(&self) -> usize {
        let m = self.readable.lagrangian().mass_matrix();
        let mut block: Vec<usize> = (0..self.n()).collect();
        for i in 0..self.n() {
            for j in 0..i {
                let (a, b) = (block[i], block[j]);
                if a != b && !m.rows()[i][j].is_zero() {
                    block.iter_mut().filter(|k| **k == a).for_each(|k| *k = b);
                }
            }
        }
        let size = |k: &usize| block.iter().filter(|l| *l == k).count();
        block.iter().map(size).max().unwrap_or(0)
    }

    pub(crate) fn draft(&self, topic: Topic) -> Draft<'m> {
        Draft {
            topic,
            lines: vec![],
            components: vec![],
            reason: None,
        }
    }

    /// The short form of an expression, collected by accelerations, velocities and momenta. Expressions of larger
    /// systems are not shortened.
    pub(crate) fn present(&self, e: Expr<'m>) -> Expr<'m> {
        if self.n() > MAX_READABLE_DEGREES {
            return e;
        }
        self.presented.form(e, &self.system.acceleration_symbols())
    }

    /// An expression as it is drawn in this model.
    pub(crate) fn draw(&self, e: Expr<'m>) -> Layout {
        e.layout(&self.style)
    }
}
