//! The reader: meanings of names and expressions of the language.

mod arithmetic;
mod bodies;
mod calls;
mod conditions;
mod definitions;
mod dimensions;
mod expressions;
mod folds;
mod forms;
mod functions;
mod inputs;
mod integers;
mod labels;
mod manifolds;
mod meaning;
mod momenta;
mod names;
mod vectors;

use std::collections::HashMap;

use galilei_expr::{Expr, Pool, Table};
use galilei_syntax::{Span, SyntaxCode};

use crate::body::{Body, Frame};
use crate::code::Code;
use crate::culprit::Written;
use crate::data::Folder;
use crate::diagnostic::Diagnostic;
use crate::dimension::{Dimension, Unifier};
use crate::manifold::{Charts, Manifold};
use crate::value::Value;

pub(crate) use bodies::{BodyStatement, FrameStatement};
pub(crate) use calls::{BUILT_IN, function_names};
use meaning::Progress;
pub(crate) use meaning::{Callable, Coordinate, Definition, InputUnit, Meaning, Parameter};
pub(crate) use momenta::MOMENTUM;
pub use names::is_reserved;

/// The state of the reader of a file.
pub(crate) struct Reader<'p, 's> {
    pub(crate) pool: &'p Pool,
    pub(crate) source: &'s str,
    pub(crate) unifier: Unifier,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) names: HashMap<String, (Meaning, Span)>,
    pub(crate) callables: HashMap<String, (Callable, Span)>,
    pub(crate) definitions: Vec<Definition<'s>>,
    pub(crate) parameters: Vec<Parameter<'p>>,
    pub(crate) coordinates: Vec<Coordinate<'p>>,
    pub(crate) manifolds: Vec<Manifold>,
    /// The charts in which points of manifolds are read.
    pub(crate) charts: Charts,
    /// Whether the charts are not those in which the model starts.
    pub(crate) is_alternative: bool,
    /// A bit for each sphere whose point at the start is nearer to (0, 0, −1).
    pub(crate) turned: usize,
    /// The symbols of the momenta, in a model given by its Hamiltonian.
    pub(crate) momenta: Option<Vec<Expr<'p>>>,
    /// The momenta as functions of (t, x, u), where the Legendre map has an inverse in closed form.
    pub(crate) closed_momenta: Vec<(Expr<'p>, Expr<'p>)>,
    pub(crate) time: Expr<'p>,
    pub(crate) time_dimension: Dimension,
    pub(crate) energy: Dimension,
    pub(crate) locals: Vec<(String, Value<'p>)>,
    pub(crate) body_statements: HashMap<String, BodyStatement<'s>>,
    bodies: HashMap<String, Option<Option<Body<'p>>>>,
    pub(crate) frame_statements: HashMap<String, FrameStatement<'s>>,
    frames: HashMap<String, Option<Option<Frame<'p>>>>,
    /// Members of families of abbreviations: the first and last index of each definition, and its place.
    pub(crate) families: HashMap<String, Vec<(i64, i64, usize)>>,
    memo: HashMap<(usize, Option<i64>), Progress<'p>>,
    calls: Vec<usize>,
    /// Abbreviations of forms that are being read.
    open_forms: Vec<usize>,
    /// Names of constraints, where `reaction` and `multiplier` may be used.
    pub(crate) constraint_names: Option<Vec<String>>,
    /// Names of all constraints of the file.
    pub(crate) all_constraints: Vec<String>,
    /// Names of contacts and friction elements, whose reactions have no single norm.
    pub(crate) unilateral: Vec<String>,
    /// Names of friction elements.
    pub(crate) friction_names: Vec<String>,
    /// Names of constraints whose reactions have no multipliers.
    pub(crate) without_multipliers: Vec<String>,
    /// The symbols of the velocities before a jump, where `before` may be used.
    pub(crate) before: Option<Vec<Expr<'p>>>,
    /// Whether accelerations may stand in what is read.
    pub(crate) allows_accelerations: bool,
    /// The dimensions of the multipliers of constraints, one for each component.
    pub(crate) multipliers: HashMap<String, Vec<Dimension>>,
    /// The points of bodies that the file names by `position`: the name of the body and the arm in its axes.
    pub(crate) named_points: Vec<(String, Value<'p>)>,
    /// Components of constraints that outputs name, `roll.x`, and where.
    pub(crate) named_components: Vec<(String, Span)>,
    /// Names declared anywhere, while declarations are read.
    pub(crate) declared: HashMap<String, Span>,
    /// Quotients, powers and calls of what changes with the state.
    pub(crate) written: Vec<Written<Expr<'p>>>,
    lines: std::cell::OnceCell<galilei_syntax::Lines<'s>>,
    /// Statements with errors of syntax, in order of place.
    pub(crate) spoilt: Vec<Span>,
    /// The folder that tables are read from.
    pub(crate) folder: Folder,
    /// Whether inputs have increments.
    pub(crate) increments: bool,
    /// Functions of time that replace the formulas of inputs.
    pub(crate) signals: Vec<(String, Table)>,
    /// Whether an integer known while the file is read is being read.
    whole: bool,
    /// The first statement that gave energies their dimension.
    energy_from: Option<Span>,
    steps: usize,
    depth: usize,
    exhausted: bool,
}

impl<'p, 's> Reader<'p, 's> {
    pub(crate) fn new(pool: &'p Pool, source: &'s str) -> Self {
        let mut unifier = Unifier::default();
        let (time_dimension, energy) = (unifier.unknown(), unifier.unknown());
        Self {
            pool,
            source,
            unifier,
            diagnostics: Vec::new(),
            names: HashMap::new(),
            callables: HashMap::new(),
            definitions: Vec::new(),
            parameters: Vec::new(),
            coordinates: Vec::new(),
            manifolds: Vec::new(),
            charts: Charts::default(),
            is_alternative: false,
            turned: 0,
            momenta: None,
            closed_momenta: Vec::new(),
            time: pool.symbol("t"),
            time_dimension,
            energy,
            locals: Vec::new(),
            body_statements: HashMap::new(),
            bodies: HashMap::new(),
            frame_statements: HashMap::new(),
            frames: HashMap::new(),
            families: HashMap::new(),
            memo: HashMap::new(),
            calls: Vec::new(),
            open_forms: Vec::new(),
            constraint_names: None,
            all_constraints: Vec::new(),
            unilateral: Vec::new(),
            friction_names: Vec::new(),
            without_multipliers: Vec::new(),
            before: None,
            allows_accelerations: false,
            multipliers: HashMap::new(),
            named_points: Vec::new(),
            named_components: Vec::new(),
            declared: HashMap::new(),
            written: Vec::new(),
            lines: std::cell::OnceCell::new(),
            spoilt: Vec::new(),
            folder: Folder::default(),
            increments: false,
            signals: Vec::new(),
            whole: false,
            energy_from: None,
            steps: 0,
            depth: 0,
            exhausted: false,
        }
    }

    pub(crate) fn error(
        &mut self,
        code: impl Into<Code>,
        message: impl Into<String>,
        hint: impl Into<String>,
        span: impl Into<Option<Span>>,
    ) {
        self.say(Diagnostic::error(code, message, hint, span));
    }

    /// Keeps a diagnostic, once per place.
    pub(crate) fn say(&mut self, d: Diagnostic) {
        let again = |o: &Diagnostic| o.code == d.code && o.span == d.span && d.span.is_some();
        let count = self.diagnostics.len();
        if count > galilei_syntax::MAX_ERRORS || self.diagnostics.iter().any(again) {
            return;
        }
        if count == galilei_syntax::MAX_ERRORS {
            self.diagnostics.push(Diagnostic::error(
                SyntaxCode::TooManyErrors,
                format!("there are more than {count} errors; the rest is not listed"),
                "correct the first ones and try again",
                None,
            ));
            return;
        }
        self.diagnostics.push(d);
    }

    /// A place without the parentheses around it.
    pub(crate) fn bare(&self, span: Span) -> Span {
        let mut span = span;
        loop {
            let text = self.text(span);
            let Some(inner) = text.strip_prefix('(').and_then(|s| s.strip_suffix(')')) else {
                return span;
            };
            let mut open = 0_i64;
            for c in inner.chars() {
                open += i64::from(c == '(') - i64::from(c == ')');
                if open < 0 {
                    return span;
                }
            }
            let start = span.start as usize + 1 + (inner.len() - inner.trim_start().len());
            span = Span::new(start, start + inner.trim().len());
        }
    }

    /// Whether a place is inside of a statement with errors of syntax.
    pub(crate) fn is_spoilt(&self, span: Span) -> bool {
        is_inside(&self.spoilt, span)
    }

    /// The line of a place.
    pub(crate) fn line(&self, span: Span) -> usize {
        let lines = self
            .lines
            .get_or_init(|| galilei_syntax::Lines::new(self.source));
        lines.place(span.start).0
    }

    pub(crate) fn text(&self, span: Span) -> &'s str {
        span.text(self.source)
    }
}

/// Whether a place is inside of one of some places that are in order and apart.
pub(crate) fn is_inside(places: &[Span], span: Span) -> bool {
    let after = places.partition_point(|p| p.start <= span.start);
    after > 0 && span.end <= places[after - 1].end
}
