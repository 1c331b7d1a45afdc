//! The document of `check`.

use galilei_expr::Bound;
use serde::Serialize;

/// The check of a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// The title of the system.
    pub system: String,
    /// Whether all that must hold was proved; null where something is undecided.
    pub ok: Option<bool>,
    /// The number of coordinates.
    pub dimension: usize,
    /// Whether the equations depend on time.
    pub time_dependent: bool,
    /// Whether the action form is closed.
    pub closed: bool,
    /// Whether the Lagrangian is quadratic in the velocities.
    pub quadratic: bool,
    /// The findings with their verdicts.
    pub findings: Vec<Finding>,
    /// The forces.
    pub forces: Vec<Force>,
    /// The constraints, if there are any.
    pub constraints: Option<Constraints>,
}

/// One thing that was decided.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The claim.
    pub name: String,
    /// The number of the theorem.
    pub theorem: String,
    /// The verdict, as a word.
    pub status: String,
    /// The claim in words, and the bound of the error.
    pub detail: String,
    /// Where a refuted claim does not hold.
    pub witness: Option<String>,
    /// Whether it holds almost everywhere only.
    pub generic: bool,
    /// The set on which it does not hold.
    pub except: Option<String>,
    /// The sheets of the constraints on which it holds.
    pub sheets: Option<Vec<String>>,
}

/// A force, and its potentials if it has any.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Force {
    /// Its name.
    pub name: String,
    /// Whether it was proved to have potentials.
    pub potential: bool,
    /// Why it has none.
    pub reason: String,
    /// The scalar potential.
    #[serde(rename = "V")]
    pub scalar_potential: Option<String>,
    /// The components of the vector potential.
    #[serde(rename = "A")]
    pub vector_potential: Option<Vec<String>>,
}

/// The constraints of a model together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Constraints {
    /// How many there are.
    pub count: usize,
    /// Whether they are admissible.
    pub admissible: bool,
    /// Whether they are linear in the velocities.
    pub linear: bool,
    /// Whether they can be integrated.
    pub integrable: bool,
    /// Whether the motion under them is determined.
    pub regular: bool,
}

impl Check {
    /// The document of the check of a system.
    pub fn new(title: &str, c: &galilei_check::Check<'_>) -> Self {
        let finding = |f: &galilei_check::Finding| Finding {
            name: f.name.clone(),
            theorem: f.theorem.to_string(),
            status: f.status.word().to_string(),
            detail: match f.bound().and_then(Bound::exponent) {
                Some(k) => format!("{}; error below 2^{k}", f.detail),
                None => f.detail.clone(),
            },
            witness: f.witness(),
            generic: f.generic,
            except: f.except.clone(),
            sheets: f.sheets.clone(),
        };
        let forces = c.forces.iter().map(|f| {
            let potentials = f.potentials.as_ref();
            let components =
                |a: &[galilei_expr::Expr<'_>]| a.iter().map(ToString::to_string).collect();
            Force {
                name: f.name.clone(),
                potential: f.verdict.is_proved(),
                reason: f.reason.clone(),
                scalar_potential: potentials.map(|p| p.0.to_string()),
                vector_potential: potentials.map(|p| components(&p.1)),
            }
        });
        Self {
            system: title.to_owned(),
            ok: c.ok,
            dimension: c.dimension,
            time_dependent: c.time_dependent,
            closed: c.closed,
            quadratic: c.quadratic,
            findings: c.findings.iter().map(finding).collect(),
            forces: forces.collect(),
            constraints: c.constraints.as_ref().map(|k| Constraints {
                count: k.count,
                admissible: k.admissible,
                linear: k.linear,
                integrable: k.integrable,
                regular: k.regular,
            }),
        }
    }
}
