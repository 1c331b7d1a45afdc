//! Findings about the variational principles of a model: virtual work, central equations, Hamilton's principle.

use galilei_expr::{Reason, Verdict};
use galilei_mechanics::{
    ActionKind, Canonical, ConstrainedSystem, HamiltonsPrinciple, Principle, System,
};

use crate::Checker;
use crate::finding::Finding;

/// Degrees of freedom up to which H is written out.
const MAX_HAMILTONIAN_DEGREES: usize = 3;
/// Degrees of freedom up to which displacements with undetermined components and the functionals with
/// independent velocities are asked about: beyond, these proofs would take longer than all others.
const MAX_DISPLACED_DEGREES: usize = 128;
/// Coordinates up to which the constrained motion is solved for and displaced.
const MAX_SOLVED_COORDINATES: usize = 5;

const VIRTUAL_WORK: &str =
    "virtual work: Ω(Z, Y) = 0 demands the same of all three kinds of displacement";
const CENTRAL: &str = "central equations: Hamel's left side is Ω(Z, Y), Lagrange's for δu = Z[δx]";
const DALEMBERT: &str = "Lagrange and d'Alembert: no virtual work on admissible displacements";
const LARGE: &str = "the model is too large for this proof";

const PRINCIPLES: [Principle; 3] = [Principle::I, Principle::II, Principle::III];

/// The name of the finding on a principle: motions are stationary, or, under forces that are not in L and under
/// constraints, their virtual work cancels δA.
fn name_of(principle: Principle, working: Option<&str>) -> String {
    let result = match working {
        None => "stationary",
        Some(_) => "δA + ∫δW dt = 0",
    };
    let curves = match principle {
        Principle::I => "curves in the state space",
        Principle::II => "second-order curves",
        Principle::III => "curves in space-time",
    };
    format!("Hamilton's principle {principle}: {result} among {curves} ⇔ motion")
}

fn too_large() -> Verdict {
    Verdict::Undecided(Reason::OutOfReach(LARGE))
}

fn finding(
    name: impl Into<String>,
    theorem: &'static str,
    verdict: Option<Verdict>,
    detail: impl Into<String>,
) -> Finding {
    Finding::new(name, theorem, verdict, detail, true)
}

impl<'p> Checker<'p> {
    /// The findings about virtual work and Hamilton's principle; `regular` says whether L is, `hamilton`
    /// whether Hamilton's equations were proved to be Lagrange's: if not, their functionals are left out.
    pub(crate) fn variational_findings(
        self,
        system: &System<'p>,
        regular: bool,
        hamilton: bool,
    ) -> Vec<Finding> {
        let mut out: Vec<Finding> = ask_work(system).into();
        if !self.model.contents().constraints.is_empty() {
            // Under constraints only admissible displacements count: Lagrange and d'Alembert below.
            out.iter_mut()
                .for_each(|f| f.name.push_str(" (free system)"));
        }
        let working = self.working(system);
        out.extend(ask_hamilton(system, regular, hamilton, working));
        if let Some(Ok(codistribution)) = self.model.codistribution(system) {
            let constrained = ConstrainedSystem::new(system.clone(), codistribution);
            out.push(ask_dalembert(&self.model.reacting(constrained)));
        }
        out
    }

    /// The findings about virtual work and Hamilton's principle, all undecided, for a model that is too large.
    pub(crate) fn unasked_variational(self, system: &System<'_>) -> Vec<Finding> {
        let undecided = |name: String, theorem| finding(name, theorem, Some(too_large()), LARGE);
        let mut out = vec![
            undecided(VIRTUAL_WORK.into(), "T-59"),
            undecided(CENTRAL.into(), "T-60"),
        ];
        let working = self.working(system);
        out.extend(PRINCIPLES.map(|p| undecided(name_of(p, working), p.theorem())));
        out
    }

    /// The origin of the virtual work that is added to the variation of the action; `None` if there is none.
    fn working(self, system: &System<'_>) -> Option<&'static str> {
        match (
            system.forces().is_empty(),
            self.model.contents().constraints.is_empty(),
        ) {
            (true, true) => None,
            (false, true) => Some("the forces, which are not in L"),
            (true, false) => Some("the reactions"),
            (false, false) => Some("the forces, which are not in L, and of the reactions"),
        }
    }
}

/// The principle of virtual work in its three forms, and the central equations with free displacements.
/// (T-59 … T-61)
fn ask_work(system: &System<'_>) -> [Finding; 2] {
    if system.state().degrees_of_freedom() > MAX_DISPLACED_DEGREES {
        return [(VIRTUAL_WORK, "T-59"), (CENTRAL, "T-60")]
            .map(|(name, theorem)| finding(name, theorem, Some(too_large()), LARGE));
    }
    let principle = system.principle_of_virtual_work();
    let [whole, _, _] = &principle.forms;
    let left = system.central_equation_in_symbols().hamel();
    let kinds = "Virt(A¹M), Virt_Z and complete lifts, each demands Lagrange's equations";
    let free = "for free accelerations, δx, δu and d(δx)/dt";
    [
        finding(
            VIRTUAL_WORK,
            "T-59",
            Some(principle.decide_equivalent()),
            kinds,
        ),
        finding(CENTRAL, "T-60", Some(left.decide_equal(whole.work)), free),
    ]
}

/// The Euler operators of the functionals against Lagrange's and Hamilton's equations without forces.
/// The virtual work of forces and reactions adds the same right-hand side to both.
/// (T-63 … T-65)
fn ask_hamilton(
    system: &System<'_>,
    regular: bool,
    hamilton: bool,
    working: Option<&str>,
) -> Vec<Finding> {
    let lagrangian = system.lagrangian();
    let n = system.state().degrees_of_freedom();
    let canonical = (n <= MAX_HAMILTONIAN_DEGREES && hamilton)
        .then(|| system.canonical())
        .flatten();
    let form = canonical.as_ref().map(Canonical::hamiltonian_form);
    let principle = HamiltonsPrinciple::new(lagrangian, form);
    let ask = |which: Principle| {
        let name = name_of(which, working);
        if !regular {
            let detail = "L is degenerate";
            return finding(name, which.theorem(), None, detail);
        }
        if n > MAX_DISPLACED_DEGREES && which != Principle::III {
            return finding(name, which.theorem(), Some(too_large()), LARGE);
        }
        let kinds = ActionKind::ALL.into_iter();
        let kinds = kinds.filter(|k| k.principle() == which);
        let answers = kinds.filter_map(|k| Some((k, principle.decide(k)?)));
        let answers: Vec<(ActionKind, Verdict)> = answers.collect();
        let asked: Vec<String> = answers.iter().map(|(k, _)| format!("({k})")).collect();
        let verdict = answers.into_iter().map(|a| a.1).reduce(Verdict::and);
        let detail = detail(canonical.is_some(), &asked.join(" and "), working);
        finding(name, which.theorem(), verdict, detail)
    };
    PRINCIPLES.map(ask).into()
}

/// The functionals that were examined, and those that were left out, in words.
fn detail(canonical: bool, asked: &str, working: Option<&str>) -> String {
    let mut text = format!("Euler operator of {asked}, from the integrand");
    if !canonical {
        text.push_str("; without those of H, which is not written out or not proved");
    }
    if let Some(working) = working {
        text.push_str("; δW is the virtual work of ");
        text.push_str(working);
    }
    text
}

/// The principle of Lagrange and d'Alembert. (T-58, T-85)
fn ask_dalembert(constrained: &ConstrainedSystem<'_>) -> Finding {
    let n = constrained.state().degrees_of_freedom();
    if n > MAX_DISPLACED_DEGREES {
        return finding(DALEMBERT, "T-85", Some(too_large()), LARGE);
    }
    if !constrained.is_ideal() {
        let reaction = constrained.reaction().ok();
        let reaction = reaction.filter(|_| n <= MAX_SOLVED_COORDINATES);
        let work = reaction.and_then(|r| constrained.decide_lagrange_dalembert(&r).ok());
        let verdict = work.unwrap_or_else(too_large);
        let detail = match verdict.is_proved() {
            true => "the declared reactions are ideal",
            false => "a reaction is not ideal: it may do work on admissible displacements",
        };
        return Finding::new(DALEMBERT, "T-83", Some(verdict), detail, false);
    }
    let unsolved = constrained.decide_lagrange_dalembert_unsolved();
    let solved = if n <= MAX_SOLVED_COORDINATES {
        let reaction = constrained.ideal().ok();
        reaction.and_then(|r| constrained.decide_lagrange_dalembert(&r).ok())
    } else {
        None
    };
    let (verdict, detail) = match solved {
        Some(v) if v.is_proved() || v.is_refuted() => {
            let detail = "Chetaev's rule; also for the motion under the ideal reaction";
            (unsolved.and(v), detail)
        }
        _ => (unsolved, "Chetaev's rule, for any multipliers"),
    };
    finding(DALEMBERT, "T-85", Some(verdict), detail)
}
