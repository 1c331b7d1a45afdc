//! The model: a pool and the contents of the file, as ids into it.

use std::sync::Arc;

use galilei_expr::{Assumptions, Expr, ExprId, Pool, Rational, Table};
use galilei_mechanics::{AdaptedChart, Force, Lagrangian, StateSpace, System};
use galilei_syntax::Kind;

use crate::code::Code;
use crate::contents::{Contents, Part, WithHandles};
use crate::culprit::Written;
use crate::data::Folder;
use crate::diagnostic::Diagnostic;
use crate::glossary::{NameEntry, glossary};
use crate::manifold::{Charts, Manifold, ManifoldKind};
use crate::reader::Reader;
use crate::statements;
use crate::unread::{Unread, spoilt_statements};

/// The stack size, in bytes, of the thread that reads a file: definitions may refer to definitions deeply.
const STACK_BYTES: usize = 256 << 20;

/// Settings for reading a file.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// `m=2,l=0.3`: values for parameters and constants.
    pub set: Vec<String>,
    /// The title of a file that has none.
    pub title: String,
}

/// The surroundings of a model file: its folder, and how its inputs are read.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The folder that tables are read from.
    pub folder: Folder,
    /// Whether each input has an increment, a parameter with the value zero that is added to it.
    pub increments: bool,
    /// Functions of time that replace the formulas of inputs, by name.
    pub signals: Vec<(String, Table)>,
    /// Whether points of ready-made manifolds are read as functions of angles: for formulas, not for runs.
    pub angles: bool,
}

/// The result of reading a file.
#[derive(Debug)]
pub struct Outcome {
    /// The model, unless something was an error.
    pub model: Option<Model>,
    /// Everything there is to say, in order of place.
    pub diagnostics: Vec<Diagnostic>,
}

/// A model: it owns its expressions.
#[derive(Clone, Debug)]
pub struct Model {
    pool: Arc<Pool>,
    contents: Contents<ExprId>,
    /// Quotients, powers and calls of what changes with the state, with their places.
    written: Arc<[Written<ExprId>]>,
    /// The contents in the charts of ready-made manifolds, the first of which is that of the start; empty without
    /// spheres.
    manifold_charts: Arc<[Contents<ExprId>]>,
}

/// Reads a model file whose tables are in the current folder.
pub fn read(text: &str, settings: &Settings) -> Outcome {
    read_with(text, settings, &Surroundings::default())
}

/// Reads a model file in its surroundings.
pub fn read_with(text: &str, settings: &Settings, around: &Surroundings) -> Outcome {
    read_deep(text, settings, around, false).0
}

/// Reads a model file, and returns what each of its names is, also where the file has errors.
///
/// ```
/// use galilei_model::{Settings, read_with_glossary};
/// let text = "param m = 2 [kg], k = 3 [N/m]\ncoord x [m]\nlet p = m*x'\nkinetic: m*x'^2/2\npotential: k*x^2/2\n";
/// let (_, names) = read_with_glossary(text, &Settings::default());
/// assert_eq!(names[2].name, "p");
/// assert_eq!(names[2].dimension.as_deref(), Some("kg*m/s"));
/// ```
pub fn read_with_glossary(text: &str, settings: &Settings) -> (Outcome, Vec<NameEntry>) {
    read_deep(text, settings, &Surroundings::default(), true)
}

/// Reads a file on a thread with a large stack, where there are threads.
fn read_deep(
    text: &str,
    settings: &Settings,
    around: &Surroundings,
    names: bool,
) -> (Outcome, Vec<NameEntry>) {
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(STACK_BYTES);
        let spawned = worker.spawn_scoped(scope, || read_here(text, settings, around, names));
        match spawned.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => read_here(text, settings, around, names),
        }
    })
}

/// `name=value` pairs of `--set`: exact numbers.
fn overrides<'p>(
    pool: &'p Pool,
    settings: &Settings,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<(String, Rational, Option<Expr<'p>>)> {
    let mut out: Vec<(String, Rational, Option<Expr<'p>>)> = Vec::new();
    for text in &settings.set {
        let line = format!("initial {text}");
        let file = galilei_syntax::parse(&line);
        let wrong = |message: String| {
            Diagnostic::error(
                Code::InvalidSetting,
                message,
                "write --set m=2,l=0.3 or --set k[1]=4",
                None,
            )
        };
        if let Some(e) = file.errors.first() {
            diagnostics.push(wrong(format!("`{text}` cannot be read: {}", e.message)));
            continue;
        }
        let Some(Kind::Initial(list)) = file.statements.first().map(|s| &s.kind) else {
            continue;
        };
        for a in list {
            let mut r = Reader::new(pool, &line);
            let name = r.label_of(&a.target);
            let value = r
                .read(&a.value)
                .filter(|v| !v.uses.symbols)
                .and_then(|v| v.only().map(|(x, _)| x));
            let (Some(name), Some(value)) = (name, value) else {
                let at = a.target.span.to(a.value.span).text(&line);
                diagnostics.push(wrong(format!("`{at}` does not give a name a number")));
                continue;
            };
            if out.iter().any(|o| o.0 == name) {
                diagnostics.push(wrong(format!("`{name}` is set twice")));
                continue;
            }
            match value.as_rational() {
                Some(q) => out.push((name, q, None)),
                None => out.push((name, Rational::from(0), Some(value))),
            }
        }
    }
    out
}

/// Reads a model file on this thread's stack. Ready-made manifolds are read once for each of their charts.
fn read_here(
    text: &str,
    settings: &Settings,
    around: &Surroundings,
    names: bool,
) -> (Outcome, Vec<NameEntry>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let pool = Arc::new(Pool::new());
    let file = galilei_syntax::parse(text);
    let mut diagnostics: Vec<Diagnostic> =
        file.errors.iter().cloned().map(Diagnostic::from).collect();
    let overrides = overrides(&pool, settings, &mut diagnostics);
    let spoilt = spoilt_statements(&file);
    let (contents, written, said, names, manifold_charts) = {
        let read = |charts: Charts, is_alternative: bool| {
            let mut reader = Reader::new(&pool, text);
            reader.spoilt.clone_from(&spoilt);
            reader.folder.clone_from(&around.folder);
            reader.increments = around.increments;
            reader.signals.clone_from(&around.signals);
            (reader.charts, reader.is_alternative) = (charts, is_alternative);
            let contents = statements::contents(&mut reader, &file, &settings.title, &overrides);
            let ids = contents.map(|c| c.with_handles(&|e: &Expr<'_>| e.id()));
            (ids, reader)
        };
        let first = match around.angles {
            true => Charts::Angles,
            false => Charts::Runs(0),
        };
        let (mut ids, mut reader) = read(first, false);
        let turned = reader.turned;
        if turned != 0 && !around.angles {
            (ids, reader) = read(Charts::Runs(turned), false);
        }
        let is_sphere = |m: &&Manifold| m.kind == ManifoldKind::Sphere;
        let spheres = reader.manifolds.iter().filter(is_sphere).count();
        let good = !reader.diagnostics.iter().any(Diagnostic::is_error) && !around.angles;
        let mut manifold_charts: Vec<Contents<ExprId>> = Vec::new();
        if let Some(own) = ids.as_ref().filter(|_| good && spheres > 0) {
            manifold_charts.push(own.clone());
            for bits in 1..1 << spheres {
                let (ids, other) = read(Charts::Runs(turned ^ bits), true);
                manifold_charts.extend(ids);
                let errors = other.diagnostics.into_iter().filter(Diagnostic::is_error);
                reader.diagnostics.extend(errors);
            }
        }
        let written = reader.written.iter().map(|w| w.map(|e| e.id())).collect();
        let names = match names {
            true => glossary(&reader),
            false => vec![],
        };
        (ids, written, reader.diagnostics, names, manifold_charts)
    };
    let unread = Unread::new(text, &file, &spoilt);
    diagnostics.extend(said.into_iter().filter(|d| !unread.explains(d)));
    diagnostics.sort_by_key(|d| {
        (
            d.span.map_or((u32::MAX, 0), |s| (s.start, s.end)),
            d.severity,
        )
    });
    let good = !diagnostics.iter().any(Diagnostic::is_error);
    let model = contents
        .filter(|_| good)
        .map(|contents| Model {
            pool,
            contents,
            written,
            manifold_charts: manifold_charts.into(),
        })
        .map(Model::with_vertices);
    (Outcome { model, diagnostics }, names)
}

impl Model {
    /// The contents in the charts of ready-made manifolds.
    pub(crate) fn manifold_charts(&self) -> &[Contents<ExprId>] {
        &self.manifold_charts
    }

    /// The model with an event at every branch point of its constraints.
    pub(crate) fn with_vertices(mut self) -> Self {
        let found = self.vertices();
        if found.is_empty() {
            return self;
        }
        let ids: Vec<_> = found
            .iter()
            .map(|e| e.with_handles(&|e: &Expr<'_>| e.id()))
            .collect();
        self.contents.events.extend(ids);
        self
    }

    /// The pool its expressions live in.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The contents of the file. Its expressions are ids; [`Model::expr`] makes formulas of them.
    ///
    /// ```
    /// use galilei_model::{Settings, read};
    /// let text = "coord x\nkinetic: x'^2/2\noutput twice: 2*x\n";
    /// let model = read(text, &Settings::default()).model.unwrap();
    /// let output = &model.contents().outputs[0];
    /// assert_eq!(output.name, "twice");
    /// assert_eq!(model.expr(output.value).to_string(), "2*x");
    /// ```
    pub fn contents(&self) -> &Contents<ExprId> {
        &self.contents
    }

    /// The formula of an id in the contents.
    pub fn expr(&self, id: ExprId) -> Expr<'_> {
        self.pool.expr(id)
    }

    /// The formulas of some ids in the contents.
    pub fn exprs(&self, ids: &[ExprId]) -> Vec<Expr<'_>> {
        ids.iter().map(|&id| self.expr(id)).collect()
    }

    /// The symbol of time.
    pub fn time(&self) -> Expr<'_> {
        self.expr(self.contents.time)
    }

    /// The symbols of the positions.
    pub fn positions(&self) -> Vec<Expr<'_>> {
        let list = self.contents.coordinates.iter();
        list.map(|c| self.expr(c.position)).collect()
    }

    /// The symbols of the velocities.
    pub fn velocities(&self) -> Vec<Expr<'_>> {
        let list = self.contents.coordinates.iter();
        list.map(|c| self.expr(c.velocity)).collect()
    }

    /// Quotients, powers and calls of what changes with the state, as they were written.
    pub(crate) fn written(&self) -> Vec<Written<Expr<'_>>> {
        let pool: &Pool = &self.pool;
        (self.written.iter())
            .map(|w| w.map(|id| pool.expr(*id)))
            .collect()
    }

    /// The model with other contents, whose expressions are in the same pool.
    #[must_use]
    pub fn with_contents(&self, contents: Contents<ExprId>) -> Self {
        Self {
            contents,
            ..self.clone()
        }
    }

    pub(crate) fn contents_mut(&mut self) -> &mut Contents<ExprId> {
        &mut self.contents
    }

    /// The title.
    pub fn title(&self) -> &str {
        &self.contents.title
    }

    /// The number of degrees of freedom.
    pub fn degrees_of_freedom(&self) -> usize {
        self.contents.coordinates.len()
    }

    /// The sum of the contributions to one part of L.
    pub fn part(&self, part: Part) -> Expr<'_> {
        let list = self
            .contents
            .contributions
            .iter()
            .filter(|c| c.part == part);
        self.pool.sum(list.map(|c| self.pool.expr(c.value)))
    }

    /// T − V + Aᵢuⁱ + what was given as L.
    pub fn lagrangian(&self) -> Expr<'_> {
        self.pool.sum([
            self.part(Part::Kinetic),
            -self.part(Part::Potential),
            self.part(Part::VectorPotential),
            self.part(Part::Lagrangian),
        ])
    }

    /// The state space over the declared coordinates.
    pub fn state_space(&self) -> StateSpace<'_> {
        let names: Vec<&str> = self
            .contents
            .coordinates
            .iter()
            .map(|c| c.name.as_str())
            .collect();
        StateSpace::new(AdaptedChart::new(&self.pool, "t", names))
    }

    /// The system without its constraints.
    pub fn system(&self) -> System<'_> {
        let state = self.state_space();
        let mut system = System::new(Lagrangian::new(&state, self.lagrangian()));
        if let Some(canonical) = self.given_canonical(&state) {
            system = system.with_canonical(canonical);
        }
        for f in &self.contents.forces {
            let components = f.components.iter().map(|id| self.pool.expr(*id)).collect();
            system = system.with_force(&f.name, Force::new(&state, components));
        }
        system
    }

    /// The values of those parameters that have one.
    pub fn known_constants(&self) -> Vec<(Expr<'_>, Expr<'_>)> {
        let mut known: Vec<(Expr<'_>, Expr<'_>)> = Vec::new();
        for p in &self.contents.parameters {
            if let Some(v) = p.value {
                known.push((self.expr(p.symbol), self.expr(v).substitute(&known)));
            }
        }
        known
    }

    /// The assumptions of the file.
    pub fn assumptions(&self) -> Assumptions<'_> {
        self.contents
            .assumptions
            .iter()
            .fold(Assumptions::new(), |all, a| {
                all.positive(self.pool.expr(a.positive))
            })
    }
}
