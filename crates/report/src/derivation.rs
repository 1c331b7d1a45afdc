//! Derivations: what a model gives, as formulas with their theorems.

use galilei_expr::{Expr, Layout, Place, Rational, Sign, Style};
use galilei_geometry::{Form, LeviCivita};
use galilei_mechanics::{
    Canonical, DependsOnTime, Force, Inadmissible, Inertia, Lagrangian, PotentialTest,
    ReferenceField, System, TimeIndependent,
};
use galilei_model::{
    Chart, ConstraintRow, Constructions, Contents, Diagnostic, Model, Part, why_not_potential,
};

use crate::json::Json;
use crate::presented::Presented;

/// What can be derived, in reading order; the second entry says whether this version can.
pub const WHAT: [(&str, bool); 21] = [
    ("metric", true),
    ("kinetic", true),
    ("lagrangian", true),
    ("cartan", true),
    ("action-form", true),
    ("lagrange", true),
    ("hamiltonian", true),
    ("hamilton", true),
    ("energy", true),
    ("forces", true),
    ("inertia", true),
    ("time-independent", true),
    ("virtual-work", true),
    ("central", true),
    ("action", true),
    ("first-variation", true),
    ("nonholonomic", true),
    ("reaction", true),
    ("constrained-hamilton", true),
    ("vertical", true),
    ("jacobi", true),
];

/// Degrees of freedom up to which inverses are written out.
pub(crate) const WRITTEN_OUT: usize = 3;
/// Degrees of freedom up to which formulas are brought into the form a person wants to read.
pub(crate) const READABLE: usize = 6;

/// One formula with what is said about it.
#[derive(Clone, Debug)]
pub struct Formula {
    /// What it is: `Lagrange`, `Energy`, ….
    pub label: String,
    /// The formula.
    pub layout: Layout,
    /// Its theorem.
    pub theorem: &'static str,
    /// One line of explanation; may be empty.
    pub note: String,
}

/// One thing that was asked for.
#[derive(Clone, Debug)]
pub struct Section {
    /// The word it was asked with.
    pub what: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The formulas.
    pub formulas: Vec<Formula>,
    /// What the abbreviations in the formulas stand for.
    pub abbreviations: Vec<(Layout, Layout)>,
    /// Whether abbreviations of earlier sections are used as well.
    pub earlier: bool,
    /// The components, in the model's own syntax.
    pub components: Json,
    /// What the abbreviations in the components stand for.
    pub shared: Vec<(String, String)>,
    /// Why there is nothing here, if there is nothing.
    pub reason: Option<String>,
}

/// How symbols of a model are ordered: parameters, time, coordinates, velocities, accelerations,
/// their variations.
struct ModelStyle {
    parameters: Vec<String>,
    coordinates: Vec<String>,
}

impl Style for ModelStyle {
    fn place(&self, name: &str) -> Place {
        let at = |rank: u8, position: usize| Place {
            rank,
            position: position as u32,
        };
        if name == "t" {
            return at(1, 0);
        }
        if let Some(k) = self.parameters.iter().position(|p| p == name) {
            return at(0, 1 + k);
        }
        let stem = name.trim_end_matches('\'');
        let primes = (name.len() - stem.len()) as u8;
        let inside = |word: &str| stem.strip_prefix(word)?.strip_suffix(')');
        let known = |name: &str| self.coordinates.iter().position(|c| c == name);
        let momentum = |name: &str| known(name.strip_prefix("p(")?.strip_suffix(')')?);
        if let Some(k) = known(stem) {
            return at(2 + primes, k);
        }
        if let Some(k) = momentum(stem) {
            return at(3, k);
        }
        if let Some(k) = inside("u(").and_then(known) {
            return at(3, k);
        }
        // Variations stand behind what they multiply.
        if let Some(varied) = inside("delta(") {
            return Place {
                rank: 8 + self.place(varied).rank,
                ..self.place(varied)
            };
        }
        let varied = inside("jacobi(");
        match varied.map(|z| (known(z), momentum(z))) {
            Some((Some(k), _)) => at(5 + primes, k),
            Some((None, Some(k))) => at(8, k),
            _ => at(0, 0),
        }
    }
}

/// A system in one chart, ready to be written down.
pub struct Derivation<'m> {
    pub(crate) model: &'m Model,
    contents: Contents<Expr<'m>>,
    system: System<'m>,
    pub(crate) readable: System<'m>,
    pub(crate) constraints: Vec<ConstraintRow<'m>>,
    style: ModelStyle,
    pub(crate) names: Vec<String>,
    chart: Option<Chart<Expr<'m>>>,
    pub(crate) presented: Presented<'m>,
}

/// Formulas of one section before abbreviations.
pub struct Draft<'m> {
    pub(crate) what: &'static str,
    pub(crate) title: &'static str,
    /// Label, left side, terms on the right with their frames, theorem, note.
    pub(crate) lines: Vec<Line<'m>>,
    pub(crate) components: Vec<(String, Tree<'m>)>,
    pub(crate) reason: Option<String>,
}

pub(crate) struct Line<'m> {
    pub(crate) label: String,
    pub(crate) shape: Shape<'m>,
    pub(crate) theorem: &'static str,
    pub(crate) note: String,
}

/// How a formula is built around expressions.
pub(crate) enum Shape<'m> {
    /// left = expr
    Equal(Layout, Expr<'m>),
    /// expr = 0
    Zero(Expr<'m>),
    /// left = Σ cₖ·basisₖ
    Combination(Layout, Vec<(Expr<'m>, Layout)>),
    /// left = matrix
    Matrix(Layout, Vec<Vec<Expr<'m>>>),
    /// Expressions inside a formula of any other form.
    Framed(Vec<Expr<'m>>, Frame),
}

/// What is drawn around some expressions.
pub(crate) type Frame = Box<dyn Fn(Vec<Layout>) -> Layout + Send + Sync>;

/// Components as they go to JSON.
pub(crate) enum Tree<'m> {
    One(Expr<'m>),
    Words(String),
    Null,
    Many(Vec<(String, Tree<'m>)>),
}

impl<'m> Derivation<'m> {
    /// The model in its own chart.
    pub fn new(model: &'m Model) -> Self {
        let contents = model.contents();
        let names: Vec<String> = contents
            .coordinates
            .iter()
            .map(|c| c.name.clone())
            .collect();
        let rows = model.constraint_rows();
        Self::with(model, contents, model.system(), rows, names, None)
    }

    /// The model in another declared chart.
    pub fn in_chart(model: &'m Model, name: &str) -> Result<Self, Diagnostic> {
        let contents = model.contents();
        let chart = model.chart(name)?;
        let system = model.system();
        let moved = model.in_chart(&system, &chart).1;
        let names = chart.symbols.iter().map(ToString::to_string).collect();
        let rows = model.constraint_rows_in_chart(&chart);
        Ok(Self::with(model, contents, moved, rows, names, Some(chart)))
    }

    fn with(
        model: &'m Model,
        contents: Contents<Expr<'m>>,
        system: System<'m>,
        constraints: Vec<ConstraintRow<'m>>,
        names: Vec<String>,
        chart: Option<Chart<Expr<'m>>>,
    ) -> Self {
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
            presented: Presented::new(&model.assumptions()),
        };
        derivation.readable = derivation.short();
        derivation
    }

    /// The same system with L and the forces in the form a person wants to read, each proved equal
    /// to what the model says: what is derived from short formulas is short.
    fn short(&self) -> System<'m> {
        let state = self.system.state();
        let l = self.present(self.system.lagrangian().function());
        let start = System::new(Lagrangian::new(state, l));
        self.system.forces().iter().fold(start, |all, (name, f)| {
            let components = f.components().iter().map(|&c| self.present(c)).collect();
            all.with_force(name, Force::new(state, components))
        })
    }

    /// The system that is written down.
    pub fn system(&self) -> &System<'m> {
        &self.system
    }

    /// Whether there are constraints.
    pub fn is_constrained(&self) -> bool {
        !self.constraints.is_empty()
    }

    /// Whether the model is written in another chart than its own.
    pub(crate) fn is_in_another_chart(&self) -> bool {
        self.chart.is_some()
    }

    /// Both constructions of constrained motion for what is written down.
    pub(crate) fn constructions(&self) -> Option<Result<Constructions<'m>, Inadmissible>> {
        match &self.chart {
            None => self.model.constructions(&self.readable),
            Some(chart) => self.model.constructions_in_chart(chart, &self.readable),
        }
    }

    /// One section by itself; `None` if the word is not known.
    pub fn section(&self, what: &str) -> Option<Section> {
        Some(self.finish(&self.derive(what)?))
    }

    /// What a section says, before it is written; `None` if the word is not known. `spacetime` and `field`
    /// are words too.
    pub fn derive(&self, what: &str) -> Option<Draft<'m>> {
        let draft = match what {
            "spacetime" => self.spacetime(),
            "field" => self.field(),
            "metric" => self.metric(),
            "kinetic" => self.kinetic(),
            "lagrangian" => self.lagrangian(),
            "cartan" => self.cartan(),
            "action-form" => self.action_form(),
            "lagrange" => self.lagrange(),
            "hamiltonian" => self.hamiltonian(),
            "hamilton" => self.hamilton(),
            "energy" => self.energy(),
            "forces" => self.forces(),
            "inertia" => self.inertia(),
            "time-independent" => self.time_independent(),
            "virtual-work" => self.virtual_work(),
            "central" => self.central(),
            "action" => self.action(),
            "first-variation" => self.first_variation(),
            "nonholonomic" => self.nonholonomic(),
            "reaction" => self.reactions(),
            "constrained-hamilton" => self.constrained_hamilton(),
            "vertical" => self.vertical(),
            "jacobi" => self.jacobi(),
            _ => return None,
        };
        Some(draft)
    }

    pub(crate) fn name(&self, i: usize) -> Layout {
        Layout::name(&self.names[i])
    }

    pub(crate) fn n(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn draft(&self, what: &'static str, title: &'static str) -> Draft<'m> {
        Draft {
            what,
            title,
            lines: vec![],
            components: vec![],
            reason: None,
        }
    }

    /// The form a person wants to read, collected by accelerations, velocities and momenta. Larger
    /// systems are written as they are: the budget is for one screen.
    pub(crate) fn present(&self, e: Expr<'m>) -> Expr<'m> {
        if self.n() > READABLE {
            return e;
        }
        self.presented.form(e, &self.system.acceleration_symbols())
    }

    /// An expression as it is drawn in this model.
    pub(crate) fn draw(&self, e: Expr<'m>) -> Layout {
        e.layout(&self.style)
    }

    fn metric(&self) -> Draft<'m> {
        let mut d = self.draft("metric", "Metric");
        let rows = self.readable.lagrangian().mass_matrix().rows().to_vec();
        let rows: Vec<Vec<Expr<'m>>> = rows
            .into_iter()
            .map(|r| r.into_iter().map(|e| self.present(e)).collect())
            .collect();
        d.components = self.by_name(&rows);
        let left = Layout::name("g");
        d.lines.push(Line {
            label: "Metric".into(),
            shape: Shape::Matrix(left, rows),
            theorem: "T-6",
            note: "gᵢⱼ = ∂²L/∂uⁱ∂uʲ, the mass matrix".into(),
        });
        d
    }

    fn by_name(&self, rows: &[Vec<Expr<'m>>]) -> Vec<(String, Tree<'m>)> {
        let entries = rows.iter().enumerate().map(|(i, row)| {
            let list = row
                .iter()
                .enumerate()
                .map(|(j, e)| (self.names[j].clone(), Tree::One(*e)));
            (self.names[i].clone(), Tree::Many(list.collect()))
        });
        vec![("components".into(), Tree::Many(entries.collect()))]
    }

    fn kinetic(&self) -> Draft<'m> {
        let mut d = self.draft("kinetic", "Kinetic energy");
        let Some((t, _)) = self.split() else {
            d.reason = Some("L is not quadratic in the velocities and not given as T − V: there is no kinetic energy".into());
            return d;
        };
        let t = self.present(t);
        d.lines.push(Line {
            label: "Kinetic energy".into(),
            shape: Shape::Equal(Layout::name("T"), t),
            theorem: "T-38",
            note: String::new(),
        });
        let mut parts = Vec::new();
        let kinetic: Vec<_> = self
            .contents
            .contributions
            .iter()
            .filter(|c| c.part == Part::Kinetic)
            .collect();
        if self.chart.is_none() {
            for c in &kinetic {
                let value = self.present(c.value);
                parts.push((c.name.clone(), Tree::One(value)));
                if kinetic.len() > 1 && kinetic.len() <= 12 {
                    d.lines.push(Line {
                        label: format!("{} {}", c.statement, c.name),
                        shape: Shape::Equal(
                            Layout::name("T").indexed(Layout::Name(c.name.clone())),
                            value,
                        ),
                        theorem: "T-38",
                        note: String::new(),
                    });
                }
            }
        }
        d.components = vec![
            ("value".into(), Tree::One(t)),
            ("components".into(), Tree::Many(parts)),
        ];
        d
    }

    /// T and V of the system in this chart.
    pub(crate) fn split(&self) -> Option<(Expr<'m>, Expr<'m>)> {
        let (t, v) = self.model.split()?;
        if self.chart.is_none() {
            return Some((t, v));
        }
        let state = self.readable.state();
        let rest = ReferenceField::resting(state.base());
        let parts = self.readable.lagrangian().recover(&rest)?;
        let u = state.velocities();
        Some((
            Rational::new(1, 2) * parts.metric.pair(u, u),
            parts.potentials.scalar,
        ))
    }

    fn lagrangian(&self) -> Draft<'m> {
        let mut d = self.draft("lagrangian", "Lagrangian");
        let l = self.present(self.readable.lagrangian().function());
        d.components = vec![("value".into(), Tree::One(l))];
        d.lines.push(Line {
            label: "Lagrangian".into(),
            shape: Shape::Equal(Layout::name("L"), l),
            theorem: "T-42",
            note: String::new(),
        });
        d
    }

    pub(crate) fn differential(name: &str) -> Layout {
        Layout::name(name).differential()
    }

    /// The names of the chart (t, x, u).
    pub(crate) fn chart_names(&self) -> Vec<String> {
        let u = self.names.iter().map(|n| format!("{n}'"));
        std::iter::once("t".to_owned())
            .chain(self.names.iter().cloned())
            .chain(u)
            .collect()
    }

    fn cartan(&self) -> Draft<'m> {
        let mut d = self.draft("cartan", "Cartan form");
        let omega = self.readable.lagrangian().cartan_form();
        self.form(
            &mut d,
            "Cartan form",
            "ω",
            &omega,
            "T-42",
            "ω = L dt + ∂L/∂uⁱ θⁱ",
        );
        d
    }

    fn form(
        &self,
        d: &mut Draft<'m>,
        label: &str,
        letter: &str,
        form: &Form<'m>,
        theorem: &'static str,
        note: &str,
    ) {
        let names = self.chart_names();
        let mut terms = Vec::new();
        let mut entries = Vec::new();
        let mut list: Vec<(Vec<usize>, Expr<'m>)> = form.terms().collect();
        // du ∧ dx before dx ∧ dx before dx ∧ dt, and the reading order within.
        let weight = |k: &[usize]| -> usize { k.iter().sum() };
        list.sort_by_key(|(k, _)| (std::cmp::Reverse(weight(k)), k.clone()));
        for (indices, e) in list {
            // dx ∧ du is written du ∧ dx.
            let (order, e) = match indices.as_slice() {
                [a, b] => (vec![*b, *a], -e),
                _ => (indices.clone(), e),
            };
            let e = self.present(e);
            let basis = Layout::wedge(order.iter().map(|&k| Self::differential(&names[k])));
            let key: Vec<&str> = order.iter().map(|&k| names[k].as_str()).collect();
            entries.push((key.join(" "), Tree::One(e)));
            terms.push((e, basis));
        }
        d.components = vec![("components".into(), Tree::Many(entries))];
        d.lines.push(Line {
            label: label.into(),
            shape: Shape::Combination(Layout::Name(letter.into()), terms),
            theorem,
            note: note.into(),
        });
    }

    fn action_form(&self) -> Draft<'m> {
        let mut d = self.draft("action-form", "Action form");
        let omega = self.readable.action_two_form();
        self.form(
            &mut d,
            "Action form",
            "Ω",
            &omega,
            "T-47",
            "Ω = dω + ΣΦ, and X ⌟ Ω = 0",
        );
        d
    }

    fn lagrange(&self) -> Draft<'m> {
        let mut d = self.draft("lagrange", "Lagrange's equations");
        let a = self.readable.acceleration_symbols();
        let mut equations = self.readable.by_lagrange(&a);
        for (i, e) in equations.iter_mut().enumerate() {
            *e -= self.reaction(i);
        }
        let theorem = if self.constraints.is_empty() {
            "T-49"
        } else {
            "T-85"
        };
        let mut entries = Vec::new();
        for (i, e) in equations.into_iter().enumerate() {
            let e = self.present(e);
            entries.push((self.names[i].clone(), Tree::One(e)));
            d.lines.push(Line {
                label: if i == 0 {
                    "Lagrange".into()
                } else {
                    String::new()
                },
                shape: Shape::Zero(e),
                theorem,
                note: String::new(),
            });
        }
        d.components = vec![("components".into(), Tree::Many(entries))];
        self.add_constraints(&mut d);
        if self.n() <= WRITTEN_OUT
            && self.constraints.is_empty()
            && let Ok(field) = self.readable.lagrange()
        {
            let list = field.accelerations().iter().enumerate();
            let list = list.map(|(i, &z)| (self.names[i].clone(), Tree::One(self.present(z))));
            d.components
                .push(("accelerations".into(), Tree::Many(list.collect())));
        }
        d
    }

    /// λ_aJᵃᵢ with symbols for the multipliers. (T-85)
    pub(crate) fn reaction(&self, i: usize) -> Expr<'m> {
        let pool = self.model.pool();
        pool.sum(self.constraints.iter().map(|c| {
            let multiplier = pool.symbol(&format!("multiplier({})", c.name));
            multiplier * c.row[i]
        }))
    }

    /// The constraints themselves, as equations.
    pub(crate) fn add_constraints(&self, d: &mut Draft<'m>) {
        let mut entries = Vec::new();
        for (k, c) in self.constraints.iter().enumerate() {
            let f = self.present(c.residual);
            entries.push((c.name.clone(), Tree::One(f)));
            d.lines.push(Line {
                label: if k == 0 {
                    "Constraints".into()
                } else {
                    String::new()
                },
                shape: Shape::Zero(f),
                theorem: "T-82",
                note: String::new(),
            });
        }
        if !entries.is_empty() {
            d.components
                .push(("constraints".into(), Tree::Many(entries)));
        }
    }

    pub(crate) fn canonical(&self) -> Option<Canonical<'m>> {
        if self.n() > WRITTEN_OUT {
            return None;
        }
        self.readable.canonical()
    }

    pub(crate) fn no_canonical(&self) -> String {
        if self.n() > WRITTEN_OUT {
            "H = ½ wⁱ(pᵢ − aᵢ) − a₀ with gᵢⱼwʲ = pᵢ − aᵢ: above three degrees of freedom the velocities are solved for, not written out".into()
        } else {
            "L is not quadratic in the velocities: the velocities are found from the momenta numerically (T-26)".into()
        }
    }

    fn hamiltonian(&self) -> Draft<'m> {
        let mut d = self.draft("hamiltonian", "Hamiltonian");
        let momenta = self.readable.lagrangian().momenta();
        let mut entries = Vec::new();
        for (i, p) in momenta.into_iter().enumerate() {
            let p = self.present(p);
            let name = format!("p({})", self.names[i]);
            entries.push((self.names[i].clone(), Tree::One(p)));
            d.lines.push(Line {
                label: if i == 0 {
                    "Momenta".into()
                } else {
                    String::new()
                },
                shape: Shape::Equal(Layout::name(&name), p),
                theorem: "T-51",
                note: String::new(),
            });
        }
        d.components = vec![("momenta".into(), Tree::Many(entries))];
        match self.canonical() {
            Some(c) => {
                let h = self.present(c.hamiltonian());
                d.components.push(("value".into(), Tree::One(h)));
                d.lines.push(Line {
                    label: "Hamiltonian".into(),
                    shape: Shape::Equal(Layout::name("H"), h),
                    theorem: "T-51",
                    note: "H(t, x, p) = pᵢuⁱ − L".into(),
                });
            }
            None => {
                d.components.push(("value".into(), Tree::Null));
                d.reason = Some(self.no_canonical());
            }
        }
        d
    }

    fn hamilton(&self) -> Draft<'m> {
        let mut d = self.draft("hamilton", "Hamilton's equations");
        let Some(c) = self.canonical() else {
            d.reason = Some(self.no_canonical());
            d.components = vec![("components".into(), Tree::Null)];
            return d;
        };
        let field = c.hamilton(&self.readable.total_force());
        let n = self.n();
        // Reactions at the velocities that belong to the momenta. (T-98)
        let map = c.to_natural();
        let reaction = |i: usize| map.pullback(&self.reaction(i));
        let mut entries = Vec::new();
        for k in 0..2 * n {
            let mut e = field.component(1 + k);
            if k >= n {
                e += reaction(k - n);
            }
            let e = self.present(e);
            let name = if k < n {
                self.names[k].clone()
            } else {
                format!("p({})", self.names[k - n])
            };
            let left = Layout::name(&format!("{name}'"));
            entries.push((name, Tree::One(e)));
            d.lines.push(Line {
                label: if k == 0 {
                    "Hamilton".into()
                } else {
                    String::new()
                },
                shape: Shape::Equal(left, e),
                theorem: "T-54",
                note: String::new(),
            });
        }
        d.components = vec![("components".into(), Tree::Many(entries))];
        d
    }

    fn energy(&self) -> Draft<'m> {
        let mut d = self.draft("energy", "Energy");
        let e = self.present(self.readable.lagrangian().energy());
        let u = self.readable.state().velocities();
        let reactions = (0..self.n()).map(|i| self.reaction(i) * u[i]);
        let power = self.model.pool().sum(reactions);
        let rate = self.present(self.readable.energy_rate() + power);
        let dot = |l: Layout| Layout::Dots(Box::new(l), 1);
        d.components = vec![
            ("value".into(), Tree::One(e)),
            ("rate".into(), Tree::One(rate)),
        ];
        d.lines.push(Line {
            label: "Energy".into(),
            shape: Shape::Equal(Layout::name("E"), e),
            theorem: "T-50",
            note: String::new(),
        });
        d.lines.push(Line {
            label: String::new(),
            shape: Shape::Equal(dot(Layout::name("E")), rate),
            theorem: "T-50",
            note: if rate.is_zero() {
                "conserved".into()
            } else {
                String::new()
            },
        });
        let mut frames = Vec::new();
        if self.chart.is_none() {
            for r in &self.contents.references {
                let field = ReferenceField::new(self.readable.state().base(), r.components.clone());
                let balance = self.readable.energy_balance(&field);
                let relative = field.relative_velocities(self.readable.state());
                let reactions = (0..self.n()).map(|i| self.reaction(i) * relative[i]);
                let power = self.model.pool().sum(reactions);
                let value = self.present(balance.energy);
                let rate = self.present(balance.rate() + power);
                let letter = Layout::name("E").indexed(Layout::Name(r.name.clone()));
                frames.push((
                    r.name.clone(),
                    Tree::Many(vec![
                        ("value".into(), Tree::One(value)),
                        ("rate".into(), Tree::One(rate)),
                    ]),
                ));
                d.lines.push(Line {
                    label: format!("Energy in {}", r.name),
                    shape: Shape::Equal(letter.clone(), value),
                    theorem: "T-92",
                    note: String::new(),
                });
                d.lines.push(Line {
                    label: String::new(),
                    shape: Shape::Equal(
                        Layout::name("E'").indexed(Layout::Name(r.name.clone())),
                        rate,
                    ),
                    theorem: "T-92",
                    note: String::new(),
                });
            }
        }
        if !frames.is_empty() {
            d.components.push(("references".into(), Tree::Many(frames)));
        }
        self.add_symmetries(&mut d);
        d
    }

    fn forces(&self) -> Draft<'m> {
        let mut d = self.draft("forces", "Forces");
        let mut entries = Vec::new();
        for (name, force) in self.readable.forces() {
            let mut list = Vec::new();
            let letter = Layout::name("F").indexed(Layout::Name(name.clone()));
            let mut terms = Vec::new();
            for (i, &f) in force.components().iter().enumerate() {
                let f = self.present(f);
                list.push((self.names[i].clone(), Tree::One(f)));
                terms.push((f, Self::differential(&self.names[i])));
            }
            let test = force.potential_test();
            let note = match &test {
                PotentialTest::Potential { .. } => "has potentials".to_owned(),
                PotentialTest::NotPotential(f) => {
                    format!("not potential, {}", why_not_potential(f, &self.names))
                }
            };
            let kind = Tree::Words(note.clone());
            d.lines.push(Line {
                label: name.clone(),
                shape: Shape::Combination(letter, terms),
                theorem: "T-32",
                note,
            });
            entries.push((
                name.clone(),
                Tree::Many(vec![
                    ("components".into(), Tree::Many(list)),
                    ("potential".into(), kind),
                ]),
            ));
        }
        if entries.is_empty() {
            d.reason = Some("there are no forces beside those in the Lagrangian".into());
        }
        d.components = vec![("components".into(), Tree::Many(entries))];
        d
    }

    fn inertia(&self) -> Draft<'m> {
        let mut d = self.draft("inertia", "Inertia forces");
        if self.contents.references.is_empty() || self.chart.is_some() {
            d.reason = Some(
                "no reference field is declared in this chart: `reference NAME: x = …`".into(),
            );
            d.components = vec![("components".into(), Tree::Many(vec![]))];
            return d;
        }
        let lagrangian = self.readable.lagrangian();
        let base = self.readable.state().base();
        let recovered = lagrangian.recover(&ReferenceField::resting(base));
        let own = lagrangian.natural_reference();
        let (Some(recovered), Ok(own)) = (recovered, own) else {
            d.reason = Some(
                "inertia forces belong to Lagrangians that are quadratic in the velocities".into(),
            );
            d.components = vec![("components".into(), Tree::Null)];
            return d;
        };
        let mut entries = Vec::new();
        for r in &self.contents.references {
            let observer = ReferenceField::new(base, r.components.clone());
            let inertia = Inertia::new(self.readable.state(), &recovered.metric, &observer, &own);
            let parts = inertia.parts();
            let mut list = Vec::new();
            for (k, (kind, force)) in parts.named().into_iter().enumerate() {
                let values: Vec<Expr<'m>> = force
                    .components()
                    .iter()
                    .map(|&f| self.present(f))
                    .collect();
                let named = values
                    .iter()
                    .enumerate()
                    .map(|(i, &f)| (self.names[i].clone(), Tree::One(f)));
                list.push((kind.to_owned(), Tree::Many(named.collect())));
                let kind = Layout::Name(kind.into());
                let index = match self.contents.references.len() {
                    1 => kind,
                    _ => Layout::List(vec![kind, Layout::Name(r.name.clone())]),
                };
                let letter = Layout::name("F").indexed(index);
                let terms = values
                    .iter()
                    .enumerate()
                    .map(|(i, &f)| (f, Self::differential(&self.names[i])));
                d.lines.push(Line {
                    label: if k == 0 {
                        format!("in {}", r.name)
                    } else {
                        String::new()
                    },
                    shape: Shape::Combination(letter, terms.collect()),
                    theorem: "T-108",
                    note: String::new(),
                });
            }
            entries.push((r.name.clone(), Tree::Many(list)));
        }
        d.components = vec![("components".into(), Tree::Many(entries))];
        d
    }

    fn time_independent(&self) -> Draft<'m> {
        let mut d = self.draft("time-independent", "Time-independent formulations");
        let t = match TimeIndependent::new(&self.readable) {
            Ok(t) => t,
            Err(why) => {
                let why = match why {
                    DependsOnTime::Time(_) => "the system depends on time",
                    DependsOnTime::NotQuadratic => "L is not quadratic in the velocities",
                    DependsOnTime::LinearPart(_) => "L has a part linear in the velocities",
                };
                d.reason = Some(why.into());
                d.components = vec![("components".into(), Tree::Null)];
                return d;
            }
        };
        let n = self.n();
        if n > WRITTEN_OUT {
            d.reason = Some(
                "above three degrees of freedom Christoffel symbols are not written out".into(),
            );
            d.components = vec![("components".into(), Tree::Null)];
            return d;
        }
        let Ok(connection) = LeviCivita::new(t.metric()) else {
            d.reason = Some("the metric is singular".into());
            return d;
        };
        let mut entries = Vec::new();
        for k in 0..n {
            let mut list = Vec::new();
            for i in 0..n {
                for j in 0..=i {
                    let e = self.present(connection.christoffel(k, i, j));
                    if e.is_zero() {
                        continue;
                    }
                    list.push((format!("{} {}", self.names[j], self.names[i]), Tree::One(e)));
                    let upper = Layout::Name("Γ".into()).power(self.name(k));
                    let left = upper.indexed(Layout::List(vec![self.name(j), self.name(i)]));
                    d.lines.push(Line {
                        label: if d.lines.is_empty() {
                            "Christoffel".into()
                        } else {
                            String::new()
                        },
                        shape: Shape::Equal(left, e),
                        theorem: "T-67",
                        note: String::new(),
                    });
                }
            }
            entries.push((self.names[k].clone(), Tree::Many(list)));
        }
        let v = self.present(t.potential());
        d.lines.push(Line {
            label: "Potential".into(),
            shape: Shape::Equal(Layout::name("V"), v),
            theorem: "T-67",
            note: if v.is_zero() {
                "geodesics: the free case".into()
            } else {
                String::new()
            },
        });
        d.components = vec![
            ("christoffel".into(), Tree::Many(entries)),
            ("potential".into(), Tree::One(v)),
        ];
        d
    }
}

impl<'m> Shape<'m> {
    /// Expressions inside a formula.
    pub(crate) fn framed(
        parts: Vec<Expr<'m>>,
        frame: impl Fn(Vec<Layout>) -> Layout + Send + Sync + 'static,
    ) -> Self {
        Self::Framed(parts, Box::new(frame))
    }

    pub(crate) fn collect(&self, out: &mut Vec<Expr<'m>>) {
        match self {
            Self::Equal(_, e) | Self::Zero(e) => out.push(*e),
            Self::Combination(_, terms) => out.extend(terms.iter().map(|t| t.0)),
            Self::Matrix(_, rows) => out.extend(rows.iter().flatten()),
            Self::Framed(parts, _) => out.extend(parts),
        }
    }

    pub(crate) fn layout(
        &self,
        next: &mut impl Iterator<Item = Expr<'m>>,
        draw: &impl Fn(Expr<'m>) -> Layout,
    ) -> Layout {
        let mut one = || next.next().map_or(Layout::Number("0".into()), draw);
        match self {
            Self::Equal(left, _) => left.clone().equals(one()),
            Self::Zero(_) => one().related(Sign::Equal, Layout::Number("0".into())),
            Self::Combination(left, terms) => {
                let list: Vec<(Layout, Layout)> = terms
                    .iter()
                    .map(|(_, basis)| (one(), basis.clone()))
                    .collect();
                left.clone().equals(Layout::combination(list))
            }
            Self::Matrix(left, rows) => {
                let rows = rows
                    .iter()
                    .map(|row| row.iter().map(|_| one()).collect())
                    .collect();
                left.clone().equals(Layout::Matrix(rows))
            }
            Self::Framed(parts, frame) => frame(parts.iter().map(|_| one()).collect()),
        }
    }
}

impl<'m> Tree<'m> {
    pub(crate) fn collect(&self, out: &mut Vec<Expr<'m>>) {
        match self {
            Self::One(e) => out.push(*e),
            Self::Many(list) => list.iter().for_each(|(_, t)| t.collect(out)),
            Self::Words(_) | Self::Null => {}
        }
    }

    pub(crate) fn json(&self, next: &mut impl Iterator<Item = Expr<'m>>) -> Json {
        match self {
            Self::One(_) => next
                .next()
                .map_or(Json::Null, |e| Json::text(e.to_string())),
            Self::Many(list) => Json::Object(
                list.iter()
                    .map(|(k, t)| (k.clone(), t.json(next)))
                    .collect(),
            ),
            Self::Words(w) => Json::text(w),
            Self::Null => Json::Null,
        }
    }
}
