//! The declared symmetries of a model, judged by Noether's theorem.

use galilei_expr::{Expr, ExprId, Reading, Reason, Verdict, Witness};
use galilei_mechanics::{FirstIntegral, OnSheets, SpaceTimeField, System};
use galilei_model::{Contents, Symmetry, term_count};

use crate::Checker;
use crate::finding::Finding;

/// Number of terms up to which a first integral is shortened.
const MAX_SHORTENED_TERMS: usize = 800;
/// Characters up to which formulas are part of a finding.
const MAX_PRINTED_CHARACTERS: usize = 20_000;

const FURTHER: &str = "the constraints may have further sheets";
const NO_FORMULA: &str = "h with v̄(L) = dh/dt exists, and no closed form was found";

/// A declared symmetry with the verdict on its first integral. (T-111)
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JudgedSymmetry<'p> {
    /// Its name.
    pub name: String,
    /// Whether it gives a first integral.
    pub verdict: Verdict,
    /// πᵢvⁱ − v⁰(πᵢuⁱ − L) − h; `None` if h has no closed form.
    pub quantity: Option<Expr<'p>>,
    /// The rate of the quantity along motions, with `multiplier(NAME)` for reactions.
    pub rate: Expr<'p>,
    /// The basis of the verdict, or the reason why there is none; may be empty.
    pub remark: String,
    /// The sheets of the constraint set on which it gives a first integral; `None` for all.
    pub sheets: Option<Vec<String>>,
}

impl JudgedSymmetry<'_> {
    /// The answer in words, with formulas in the model language.
    pub fn detail(&self) -> String {
        let proved = self.verdict.is_proved();
        let (quantity, rate) = match self.quantity {
            Some(quantity) => (quantity.to_string(), self.rate.to_string()),
            None => ("πᵢvⁱ − v⁰E − h".to_owned(), self.rate.to_string()),
        };
        if quantity.len() + rate.len() > MAX_PRINTED_CHARACTERS {
            return self.with_remark("the formulas are too long to be printed".into());
        }
        self.with_remark(match (proved, self.quantity) {
            (true, Some(_)) => format!("first integral: {quantity}"),
            (true, None) => format!("{quantity} is conserved; {NO_FORMULA}"),
            (false, Some(_)) => format!("d/dt({quantity}) = {rate}"),
            (false, None) => format!("d/dt({quantity}) = {rate}; {NO_FORMULA}"),
        })
    }

    fn with_remark(&self, text: String) -> String {
        if self.remark.is_empty() {
            text
        } else {
            format!("{text}; {}", self.remark)
        }
    }

    /// The symmetry as a finding of `check`. A field that is not a symmetry is an answer, not an error.
    pub(crate) fn finding(&self) -> Finding {
        let name = format!("symmetry {}: πᵢvⁱ − v⁰E − h is conserved", self.name);
        let verdict = Some(self.verdict.clone());
        Finding {
            sheets: self.sheets.clone(),
            ..Finding::new(name, "T-111", verdict, self.detail(), false)
        }
    }
}

impl<'p> Checker<'p> {
    /// Every declared symmetry, with the first integral it gives or the term that breaks it. (T-111)
    pub fn symmetries(self) -> Vec<JudgedSymmetry<'p>> {
        self.judge_symmetries(&self.model.system(), self.model.contents())
    }

    pub(crate) fn judge_symmetries(
        self,
        system: &System<'p>,
        c: &Contents<ExprId>,
    ) -> Vec<JudgedSymmetry<'p>> {
        if c.symmetries.is_empty() {
            return vec![];
        }
        let assumptions = self.model.assumptions();
        let restricted = self.model.codistribution(system);
        let set = match restricted {
            Some(Ok(_)) => self.model.constraint_set(system),
            _ => None,
        };
        let along = self.model.reaction_covectors(system);
        let motions = set.as_ref().map(|set| self.motions(system, set, &along));
        let symbol = |name: &String| self.model.pool().symbol(&format!("multiplier({name})"));
        let multipliers: Vec<Expr<'p>> = c.constraints.iter().map(|f| symbol(&f.name)).collect();
        let judge = |s: &Symmetry<ExprId>| {
            let time = if s.time {
                self.model.pool().one()
            } else {
                self.model.pool().zero()
            };
            let field =
                SpaceTimeField::new(system.state().base(), time, self.model.exprs(&s.components));
            if let Some(Err(why)) = &restricted {
                let why = format!("the constraints are not admissible: {why}");
                let free = system.noether(&field, &assumptions);
                return self.judged_symmetry(s, undecided(free), c, Some(why));
            }
            let (Some(set), Some(motions)) = (&set, &motions) else {
                let found = system.noether(&field, &assumptions);
                return self.judged_symmetry(s, found, c, None);
            };
            let found = motions
                .iter()
                .enumerate()
                .map(|(k, m)| match &m.constrained {
                    Some(constrained) => constrained.noether_on(
                        &field,
                        &multipliers,
                        (set, k),
                        m.reaction.as_ref(),
                        &assumptions,
                    ),
                    None => undecided(system.noether(&field, &assumptions)),
                });
            let mut found: Vec<FirstIntegral<'p>> = found.collect();
            if let [only] = &mut found[..] {
                let own = self.at_initial_state(system, only.clone());
                let mut judged = self.judged_symmetry(s, own, c, None);
                if judged.verdict.is_proved() && !set.complete {
                    judged.verdict = Verdict::Undecided(Reason::OutOfReach(FURTHER));
                }
                return judged;
            }
            let verdicts = found.iter().map(|f| f.verdict.clone()).collect();
            let whole = OnSheets::of(verdicts, set.complete);
            // The formulas are those of a sheet on which it is conserved, or of the first.
            let shown = whole.sheets.as_ref().and_then(|l| l.first().copied());
            let shown = shown.unwrap_or(0);
            if found.is_empty() {
                let none = system.noether(&field, &assumptions);
                return self.judged_symmetry(s, undecided(none), c, None);
            }
            let mut own = found.swap_remove(shown);
            own.verdict = whole.verdict;
            let mut judged = self.judged_symmetry(s, own, c, None);
            judged.sheets = whole
                .sheets
                .map(|list| list.into_iter().map(|k| set.label(k)).collect());
            if let Some(sheets) = &judged.sheets {
                judged.remark = format!("{}, on {} only", judged.remark, sheets.join(" and "));
            }
            judged
        };
        c.symmetries.iter().map(judge).collect()
    }

    /// The symmetry with short formulas and its remark.
    fn judged_symmetry(
        self,
        s: &Symmetry<ExprId>,
        found: FirstIntegral<'p>,
        c: &Contents<ExprId>,
        why: Option<String>,
    ) -> JudgedSymmetry<'p> {
        let mut remarks: Vec<String> = why.into_iter().collect();
        match &found.verdict {
            Verdict::Undecided(reason) if remarks.is_empty() => remarks.push(reason.to_string()),
            v if v.is_proved() && !c.constraints.is_empty() => {
                remarks.push("where the constraints hold".into());
            }
            _ => {}
        }
        let kinked = c.forces.iter().filter(|f| f.kinked);
        let kinked: Vec<&str> = kinked.map(|f| f.name.as_str()).collect();
        if !kinked.is_empty() {
            remarks.push(format!("between the kinks of {}", kinked.join(", ")));
        }
        JudgedSymmetry {
            name: s.name.clone(),
            quantity: found.quantity().map(|q| self.readable(q)),
            rate: self.readable(found.defect),
            verdict: found.verdict,
            remark: remarks.join("; "),
            sheets: None,
        }
    }

    fn readable(self, e: Expr<'p>) -> Expr<'p> {
        if term_count(vec![e]) > MAX_SHORTENED_TERMS {
            return e;
        }
        e.present(&Reading::new().assuming(&self.model.assumptions()))
    }

    /// Where the constraints are not solved, one state on them where the rate is not zero settles the
    /// question: the initial state, if it satisfies them exactly.
    fn at_initial_state(
        self,
        system: &System<'p>,
        mut found: FirstIntegral<'p>,
    ) -> FirstIntegral<'p> {
        if found.verdict.is_proved() || found.verdict.is_refuted() {
            return found;
        }
        let state = self.model.initial_state().ok();
        let Some(values) = state.and_then(|s| self.model.symbol_values(system, &s)) else {
            return found;
        };
        let here = |e: Expr<'p>| e.substitute(&values).decide_zero();
        let rows = self.model.constraint_rows();
        let admissible = rows.iter().flat_map(|r| [r.residual, r.rate]);
        let rate = found.solved.unwrap_or(found.defect);
        if admissible.flatten().all(|e| here(e).is_proved()) && here(rate).is_refuted() {
            let place = values.iter().map(|(s, v)| (s.to_string(), v.to_string()));
            found.verdict = Verdict::Refuted(Witness {
                values: place.collect(),
            });
        }
        found
    }
}

/// The first integral with the verdict undecided.
fn undecided(found: FirstIntegral<'_>) -> FirstIntegral<'_> {
    FirstIntegral {
        verdict: Verdict::Undecided(Reason::OutOfReach("the motion is not determined")),
        ..found
    }
}
