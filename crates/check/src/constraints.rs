//! Findings about the constraints of a model and about its motion under them.

mod energy;

use galilei_expr::{Expr, ExprId, Reason, Verdict};
use galilei_geometry::Integrability;
use galilei_mechanics::{
    AdmissibleCodistribution, ConstrainedSystem, Constraint, ConstraintSet, Inadmissible, OnSheets,
    Reaction, ReducedSystem, System, decide_together,
};
use galilei_model::{ConstraintRegularity, Constructions, Contents, Level, Regularity, Validation};

use crate::Checker;
use crate::check::JudgedConstraints;
use crate::finding::Finding;
use crate::locus::Locus;
use crate::reactions::ask_enforced;
pub use energy::ConstrainedEnergy;
pub(crate) use energy::{CLOSED, ENERGY_LAW, powerless};
use energy::{CONSERVED, ask_closed};

/// Coordinates and constraints together up to which constrained motion is written out for proofs.
const MAX_UNKNOWNS: usize = 48;
/// Coordinates up to which solutions are compared; beyond, the equations they solve are.
pub(crate) const MAX_SOLVED_COORDINATES: usize = 5;
/// Rows of [m ṡᵀ; ṡ 0] up to which its determinant is written out.
const MAX_DETERMINANT_ROWS: usize = 5;
/// Coordinates up to which the Hamiltonian is written out.
const MAX_HAMILTONIAN_COORDINATES: usize = 12;

/// The answers about constraints.
pub(crate) struct ConstraintAnswers {
    pub(crate) findings: Vec<Finding>,
    /// Whether the energy is conserved along the constrained motion.
    pub(crate) energy: Finding,
    /// dE/dt = −∂L/∂t + uⁱ(Fᵢ + Fᶜᵢ).
    pub(crate) energy_law: Finding,
    /// Whether dΩ_c = 0.
    pub(crate) closed: Finding,
    /// The momenta that are conserved, by coordinate.
    pub(crate) momenta: Vec<(String, Finding)>,
    /// Whether the constraint set depends on time.
    pub(crate) time_dependent: bool,
}

/// One sheet of the constraint set with the motion on it.
pub(crate) struct SheetMotion<'p> {
    /// The system under the factors of the constraints that vanish on the sheet; `None` if these are not
    /// independent there.
    pub(crate) constrained: Option<ConstrainedSystem<'p>>,
    /// The reaction, if the model is small.
    pub(crate) reaction: Option<Reaction<'p>>,
}

impl<'p> Checker<'p> {
    /// The summary of the contract.
    pub(crate) fn judge_constraints(
        self,
        system: &System<'p>,
        c: &Contents<ExprId>,
        validation: &Validation,
    ) -> Option<JudgedConstraints> {
        if c.constraints.is_empty() {
            return None;
        }
        let admissible = validation.constraints != ConstraintRegularity::Inadmissible;
        let regular = validation.constraints == ConstraintRegularity::Regular
            && validation.lagrangian == Regularity::Regular;
        // Kinds and integrability do not need independence.
        let u = system.state().velocities();
        let mut curvature = Vec::new();
        let bends = |level: Level| c.constraints.iter().filter(move |f| f.level == level);
        for f in bends(Level::Acceleration) {
            let slopes = self.model.exprs(&f.form)[1 + u.len()..].to_vec();
            curvature.extend(slopes.iter().flat_map(|s| s.gradient(u)));
        }
        for f in bends(Level::Velocity) {
            let h = self.model.expr(f.function).hessian(u);
            curvature.extend(
                (0..u.len())
                    .flat_map(|i| (0..=i).map(move |j| (i, j)))
                    .map(|(i, j)| h[i][j]),
            );
        }
        let linear = decide_together(&curvature).is_proved();
        let holonomic = || c.constraints.iter().all(|f| f.level == Level::Position);
        let frobenius = || match self.model.codistribution(system) {
            Some(Ok(d)) => matches!(d.integrability(), Some(Integrability::Integrable(_))),
            _ => false,
        };
        Some(JudgedConstraints {
            count: c.constraints.len(),
            admissible,
            linear,
            integrable: linear && (holonomic() || frobenius()),
            regular,
        })
    }

    /// All findings about constrained motion; `None` without constraints.
    pub(crate) fn constraint_answers(self, system: &System<'p>) -> Option<ConstraintAnswers> {
        let constructions = match self.model.constructions(system)? {
            Ok(found) => found,
            Err(why) => {
                let verdict = match why {
                    Inadmissible::Undecided(v) => v,
                    _ => Verdict::Refuted(galilei_expr::Witness::default()),
                };
                let finding = Finding::new(ADMISSIBLE, "T-82", Some(verdict), "", true);
                let open = |name: &str, theorem, required| {
                    let why = Verdict::Undecided(Reason::OutOfReach(NOT_ADMISSIBLE));
                    Finding::new(name, theorem, Some(why), NOT_ADMISSIBLE, required)
                };
                return Some(ConstraintAnswers {
                    findings: vec![finding],
                    energy: open(CONSERVED, "T-92", false),
                    energy_law: open(ENERGY_LAW, "T-92", true),
                    closed: open(CLOSED, "T-105", false),
                    momenta: vec![],
                    time_dependent: self.constraints_contain_time(system),
                });
            }
        };
        Some(self.ask(&constructions))
    }

    fn constraints_contain_time(self, system: &System<'_>) -> bool {
        let t = system.state().time();
        let mut list = self.model.contents().constraints.iter();
        list.any(|f| self.model.expr(f.function).contains(t))
    }

    /// The motion on each sheet of the constraint set.
    pub(crate) fn motions(
        self,
        system: &System<'p>,
        set: &ConstraintSet<'p>,
        along: &[Option<Vec<Expr<'p>>>],
    ) -> Vec<SheetMotion<'p>> {
        let assumptions = self.model.assumptions();
        let motion = |k: usize| {
            let sheet = &set.sheets[k];
            let lost = set.decide_rank(k).is_refuted();
            let own = AdmissibleCodistribution::new(
                system.state(),
                sheet.constraints.clone(),
                &assumptions,
            );
            let constrained = match (own, lost) {
                (Ok(d), false) => {
                    let own = ConstrainedSystem::new(system.clone(), d);
                    Some(match along.is_empty() {
                        true => own,
                        false => own.with_reactions(along.to_vec()),
                    })
                }
                _ => None,
            };
            let n = system.state().degrees_of_freedom();
            let small = n + sheet.constraints.len() <= MAX_UNKNOWNS;
            let reaction = match (&constrained, small) {
                (Some(c), true) => c.reaction().ok(),
                _ => None,
            };
            SheetMotion {
                constrained,
                reaction,
            }
        };
        (0..set.sheets.len()).map(motion).collect()
    }

    fn ask(self, found: &Constructions<'p>) -> ConstraintAnswers {
        let constrained = &found.constrained;
        let system = constrained.system();
        let d = constrained.codistribution();
        let n = constrained.state().degrees_of_freedom();
        let set = self
            .model
            .constraint_set(system)
            .unwrap_or_else(|| unreachable!("a model with constraints"));
        let motions = self.motions(system, &set, constrained.reactions());
        let mut out = vec![self.ask_admissible(system, &set)];
        self.ask_kind(found, &set, &motions, &mut out);
        let small = n + d.count() <= MAX_UNKNOWNS;
        out.push(self.ask_regular(system, &set, &motions));
        let reaction = if small {
            constrained.reaction().ok()
        } else {
            None
        };
        if !constrained.is_ideal() {
            out.extend(ask_enforced(constrained, reaction.as_ref(), n));
        }
        out.push(self.ask_agreements(found, &set, &motions, small));
        out.push(self.ask_gauss(constrained, reaction.as_ref(), n));
        let (verdict, detail) = Self::ask_canonical(constrained, reaction.as_ref(), n);
        out.push(Finding::new(CANONICAL_IMAGE, "T-98", verdict, detail, true));
        let energy = self.ask_power(found, &set, &motions, &mut out);
        ConstraintAnswers {
            findings: out,
            energy,
            energy_law: self.ask_energy_law(constrained, reaction.as_ref()),
            closed: ask_closed(constrained, reaction.as_ref(), n),
            momenta: self.ask_momenta(system, &set, &motions),
            time_dependent: depends_on_time(system, &set, &motions),
        }
    }

    /// A finding that was decided sheet by sheet.
    pub(crate) fn on_sheets(
        set: &ConstraintSet<'_>,
        found: OnSheets,
        name: &str,
        theorem: &'static str,
        detail: impl Into<String>,
        required: bool,
    ) -> Finding {
        let sheets = found.sheets.map(|list| {
            let labels = list.into_iter().map(|k| set.label(k));
            labels.collect::<Vec<_>>()
        });
        let mut detail: String = detail.into();
        if let Some(list) = &sheets {
            let others = (0..set.sheets.len()).map(|k| set.label(k));
            let others: Vec<String> = others.filter(|l| !list.contains(l)).collect();
            detail = format!(
                "{detail}; on {}, not on {}",
                list.join(" and "),
                others.join(" and ")
            );
        }
        Finding {
            sheets,
            ..Finding::new(name, theorem, Some(found.verdict), detail, required)
        }
    }

    /// rank ∂f/∂u = c almost everywhere on the constraint set, and where it is lost. (T-82)
    fn ask_admissible(self, system: &System<'p>, set: &ConstraintSet<'p>) -> Finding {
        let verdict = |k: usize| {
            let found = set.decide_rank(k);
            match found.is_proved() || found.is_refuted() {
                true => found,
                false => match self.full_rank_at_start(system, set, k) {
                    true => Verdict::Certified,
                    false => found,
                },
            }
        };
        let verdicts: Vec<Verdict> = (0..set.sheets.len()).map(verdict).collect();
        let seen = verdicts.iter().any(Verdict::is_certified);
        let good = (0..verdicts.len()).filter(|&k| !verdicts[k].is_refuted());
        let locus = good.map(|k| self.rank_locus(system, set, k));
        let locus = locus.fold(Locus::Empty, Locus::or);
        let detail = match (&locus, seen) {
            (_, true) => "the constraints are independent at the initial state",
            (Locus::Empty, _) => "the constraints are independent wherever they hold",
            _ => "the constraints are independent almost everywhere on their set",
        };
        let found = match seen {
            // What was seen at one state says nothing about further sheets.
            true => OnSheets::of(verdicts, true),
            false => OnSheets::of(verdicts, set.complete),
        };
        let holds = found.verdict.is_proved() || found.verdict.is_certified();
        let finding = Self::on_sheets(set, found, ADMISSIBLE, "T-82", detail, true);
        let (generic, except) = locus.scope();
        Finding {
            generic: generic && holds,
            except: except.filter(|_| holds),
            ..finding
        }
    }

    /// Whether the constraints are independent at the initial state, by numbers, if that is on a sheet.
    fn full_rank_at_start(
        self,
        system: &System<'p>,
        set: &ConstraintSet<'p>,
        sheet: usize,
    ) -> bool {
        let state = self.model.initial_state().ok();
        let Some(values) = state.and_then(|s| self.model.symbol_values(system, &s)) else {
            return false;
        };
        if !self.is_on_sheet(set, sheet, &values) {
            return false;
        }
        let rows = set.rows();
        self.model.rank_at(rows, &values) == Some(rows.len())
    }

    /// Whether the factors of a sheet vanish at a state, up to rounding.
    fn is_on_sheet(
        self,
        set: &ConstraintSet<'p>,
        sheet: usize,
        values: &[(Expr<'p>, Expr<'p>)],
    ) -> bool {
        let mut functions = set.sheets[sheet].functions.iter();
        functions.all(|&f| self.model.vanishes_at(f, values))
    }

    fn velocity_names(self, dependent: &[usize]) -> String {
        let c = self.model.contents();
        let names = dependent.iter();
        let names: Vec<String> = names
            .map(|&k| format!("{}'", c.coordinates[k].name))
            .collect();
        names.join(", ")
    }

    fn ask_kind(
        self,
        found: &Constructions<'p>,
        set: &ConstraintSet<'p>,
        motions: &[SheetMotion<'p>],
        out: &mut Vec<Finding>,
    ) {
        let d = found.constrained.codistribution();
        let affine = d.decide_affine();
        let kind = d.dependence();
        let detail = match kind {
            Some(kind) => format!("{kind} in the velocities"),
            None => "it could not be decided how they depend on the velocities".into(),
        };
        let name = "constraints: affine in the velocities";
        out.push(Finding::new(name, "T-71", Some(affine), detail, false));
        if set.sheets.len() > 1 {
            let each = motions.iter().map(|m| match &m.constrained {
                Some(c) => match c.codistribution().integrability() {
                    Some(
                        Integrability::NotIntegrable { verdict: v, .. }
                        | Integrability::Integrable(v)
                        | Integrability::Undecided(v),
                    ) => v,
                    None => Verdict::Refuted(galilei_expr::Witness::default()),
                },
                None => Verdict::Undecided(Reason::OutOfReach(NOT_ADMISSIBLE)),
            });
            let each = OnSheets::of(each.collect(), set.complete);
            let detail = "from equations between positions";
            out.push(Self::on_sheets(
                set, each, INTEGRABLE, "T-75", detail, false,
            ));
            return;
        }
        let (verdict, detail) = match (&found.reduced, d.integrability()) {
            (_, None) if d.functions().is_none() => (
                None,
                "a constraint restricts accelerations alone".to_owned(),
            ),
            (_, None) => (None, "the constraints are not affine".to_owned()),
            (_, Some(Integrability::NotIntegrable { verdict, .. })) => {
                (Some(verdict), "not from equations between positions".into())
            }
            (reduced, Some(Integrability::Integrable(v) | Integrability::Undecided(v))) => {
                // The same question, asked of the solved form: 𝒩_N = 0.
                let flat = match reduced {
                    Ok(r) if d.forms().len() <= 3 => r.solved().curvature().decide_zero(),
                    _ => v.clone(),
                };
                (Some(v.and(flat)), integrals(d))
            }
        };
        out.push(Finding::new(INTEGRABLE, "T-75", verdict, detail, false));
    }

    /// [m ṡᵀ; ṡ 0] regular on the constraint set, which is det M_αβ ≠ 0 for a solved form. (T-79, T-87)
    fn ask_regular(
        self,
        system: &System<'p>,
        set: &ConstraintSet<'p>,
        motions: &[SheetMotion<'p>],
    ) -> Finding {
        let n = system.state().degrees_of_freedom();
        let mut seen = false;
        let mut locus = Locus::Empty;
        let (mass, positive) = self.mass_locus(system);
        let mut verdicts = Vec::new();
        for (k, m) in motions.iter().enumerate() {
            let Some(constrained) = &m.constrained else {
                let why = Reason::OutOfReach(NOT_ADMISSIBLE);
                verdicts.push(Verdict::Undecided(why));
                continue;
            };
            let (augmented, _) = constrained.augmented();
            let size = n + set.sheets[k].constraints.len();
            let found = set.decide_regular_on(k, augmented.rows(), size);
            let state = self.model.initial_state().ok();
            let values = state
                .as_ref()
                .and_then(|s| self.model.symbol_values(system, s));
            let here = values.is_some_and(|v| self.is_on_sheet(set, k, &v));
            verdicts.push(match found.is_proved() || found.is_refuted() || !here {
                true => found,
                false => match self
                    .model
                    .regular_at(system, state.as_ref(), augmented.rows())
                {
                    Some(true) => {
                        seen = true;
                        Verdict::Certified
                    }
                    _ => found,
                },
            });
            // Reactions that are not ideal may not be felt although m is positive.
            let here = match (positive && constrained.is_ideal(), &set.sheets[k].covered) {
                // A positive m is singular on ker ṡ nowhere: the rank of ṡ is what counts.
                (true, true) => mass.clone().or(self.rank_locus(system, set, k)),
                (false, true) if size <= MAX_DETERMINANT_ROWS => {
                    let det = augmented.determinant();
                    let branches = set.sheets[k].branches.iter();
                    let branches = branches.map(|b| self.zeros(system, b.pullback(det)));
                    branches.fold(Locus::Empty, Locus::or)
                }
                _ => Locus::Unknown,
            };
            locus = locus.or(here);
        }
        let ideal = self.model.reactions_are_ideal();
        let detail = match (ideal, seen) {
            (true, true) => "[m ṡᵀ; ṡ 0] is regular at the initial state",
            (true, false) => "[m ṡᵀ; ṡ 0] is regular: the constraints determine the motion",
            (false, true) => {
                "[m Cᵀ; ṡ 0] is regular at the initial state, C the covectors of the reactions"
            }
            (false, false) => {
                "[m Cᵀ; ṡ 0] is regular: the constraints feel the covectors C of their reactions"
            }
        };
        let found = OnSheets::of(verdicts, set.complete || seen);
        let holds = found.verdict.is_proved() || found.verdict.is_certified();
        let name = "constraints: regular, det M ≠ 0";
        let finding = Self::on_sheets(set, found, name, "T-79", detail, true);
        let (generic, except) = locus.scope();
        Finding {
            generic: generic && holds,
            except: except.filter(|_| holds),
            ..finding
        }
    }

    /// i_ΓΩ_Γ = 0 on J¹_σ against the ideal reaction, on each sheet. (T-94)
    fn ask_agreements(
        self,
        found: &Constructions<'p>,
        set: &ConstraintSet<'p>,
        motions: &[SheetMotion<'p>],
        small: bool,
    ) -> Finding {
        if self.model.is_implicit() {
            let why = "the Lagrangian has no closed form, and none on the constraint manifold";
            return Finding::new(AGREE, "T-94", None, why, true);
        }
        let d = found.constrained.codistribution();
        let n = found.constrained.state().degrees_of_freedom();
        let solvable = found.constrained.is_ideal() && d.functions().is_some();
        if set.sheets.len() > 1 && small && solvable {
            let state = self.model.initial_state().ok();
            let each = motions.iter().map(|m| match &m.constrained {
                None => Verdict::Undecided(Reason::OutOfReach(NOT_ADMISSIBLE)),
                Some(c) => {
                    let d = c.codistribution().clone();
                    let own = self.model.construct(c.system(), d, &[], state.as_ref());
                    match &own.reduced {
                        Ok(reduced) => Self::ask_agreement(reduced, c, n),
                        Err(_) => Verdict::Undecided(Reason::OutOfReach("not solved")),
                    }
                }
            });
            let each = OnSheets::of(each.collect(), set.complete);
            let detail = "solved for velocities, and by the ideal reaction, on each sheet";
            return Self::on_sheets(set, each, AGREE, "T-94", detail, true);
        }
        let (verdict, detail) = match (&found.reduced, small) {
            (Err(why), _) => (None, format!("{why}: construction B alone")),
            (Ok(_), false) => {
                let why = Verdict::Undecided(Reason::OutOfReach(LARGE));
                (Some(why), LARGE.into())
            }
            (Ok(reduced), true) => {
                let names = self.velocity_names(reduced.solved().dependent());
                let detail = format!("solved for {names}, and by the ideal reaction");
                let verdict = Self::ask_agreement(reduced, &found.constrained, n);
                (Some(verdict), detail)
            }
        };
        Finding::new(AGREE, "T-94", verdict, detail, true)
    }

    fn ask_agreement(
        reduced: &ReducedSystem<'p>,
        constrained: &ConstrainedSystem<'p>,
        n: usize,
    ) -> Verdict {
        let unsolved = reduced.decide_agreement_unsolved(constrained);
        if n > MAX_SOLVED_COORDINATES || !unsolved.is_proved() {
            return unsolved;
        }
        match reduced.decide_agreement(constrained) {
            Ok(v) if v.is_proved() || v.is_refuted() => unsolved.and(v),
            // The equations are the same; their solutions were too intricate to compare.
            _ => unsolved,
        }
    }

    fn ask_canonical(
        constrained: &ConstrainedSystem<'p>,
        reaction: Option<&Reaction<'p>>,
        n: usize,
    ) -> (Option<Verdict>, String) {
        if n > MAX_HAMILTONIAN_COORDINATES {
            let why = Verdict::Undecided(Reason::OutOfReach(LARGE));
            return (Some(why), LARGE.into());
        }
        let (Some(canonical), Some(reaction)) = (constrained.system().canonical(), reaction) else {
            let why = "H has no closed form: L is not quadratic in the velocities, or degenerate";
            return (None, why.into());
        };
        let below = constrained.canonical(&canonical);
        let unsolved = constrained.decide_legendre_image_unsolved(&below);
        let detail = "βᵃ = Ĥ*sᵃ, at p = ∂L/∂u".to_owned();
        if n > MAX_SOLVED_COORDINATES || !unsolved.is_proved() {
            return (Some(unsolved), detail);
        }
        let verdict = match below.reaction() {
            Ok(solution) => match constrained.decide_legendre_image(reaction, &solution) {
                v if v.is_proved() || v.is_refuted() => unsolved.and(v),
                // The equations are the same; their solutions were too intricate to compare.
                _ => unsolved,
            },
            Err(why) => return (None, why.to_string()),
        };
        (Some(verdict), detail)
    }
}

/// Whether the constraint set depends on time: ∂ₜfᵃ does not vanish on it.
fn depends_on_time<'p>(
    system: &System<'p>,
    set: &ConstraintSet<'p>,
    motions: &[SheetMotion<'p>],
) -> bool {
    let t = system.state().time();
    let along = motions.iter().filter_map(|m| m.constrained.as_ref());
    let along = along.flat_map(|c| c.reactions().iter().flatten().flatten());
    let mut along = along.filter(|e| e.contains(t)).map(|e| e.diff(t));
    if along.any(|slope| !slope.decide_zero().is_proved()) {
        return true;
    }
    let moving = |k: usize| {
        // Every state is on a constraint that restricts accelerations, which may change with time.
        let forms = set.sheets[k].constraints.iter().filter_map(|c| match c {
            Constraint::Form(s) => Some(s),
            _ => None,
        });
        let mut components = forms.flat_map(|s| s.terms().map(|t| t.1).collect::<Vec<_>>());
        if components.any(|e| e.contains(t) && !e.diff(t).decide_zero().is_proved()) {
            return true;
        }
        let functions = set.sheets[k].functions.iter();
        let mut slopes = functions.filter(|f| f.contains(t)).map(|f| f.diff(t));
        slopes.any(|s| !set.decide_zero_on(k, s).is_proved())
    };
    (0..motions.len()).any(|k| motions[k].constrained.is_some() && moving(k))
}

/// The integrals that were found, as text.
fn integrals(d: &AdmissibleCodistribution<'_>) -> String {
    let found = d.evident_integrals();
    let all: Option<Vec<String>> = found
        .into_iter()
        .map(|h| h.map(|h| format!("{} = const", crate::forces::short(h))))
        .collect();
    match all {
        Some(list) => format!("from positions: {}", list.join(", ")),
        None => "from equations between positions, not found in closed form".into(),
    }
}

const ADMISSIBLE: &str = "constraints: admissible, rank ∂f/∂u = c";
const AGREE: &str = "constraints: i_ΓΩ_Γ = 0 on J¹_σ ⇔ ideal reaction";
const CANONICAL_IMAGE: &str = "constraints: Hamilton with reactions ⇔ Lagrange";
const INTEGRABLE: &str = "constraints: integrable, 𝒩_N = 0";
pub(crate) const LARGE: &str = "the model is too large for this proof";
const NOT_ADMISSIBLE: &str = "the constraints are not independent there";
