//! Topics: what can be derived for a model.

use std::fmt;
use std::str::FromStr;

use galilei_model::{Code, Diagnostic};

/// Declares [`Topic`] with the name and the title of each variant.
macro_rules! topics {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $title:literal;)*) => {
        /// One thing that can be derived for a model: a section of a derivation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Topic {
            $($(#[$doc])* $variant,)*
        }

        impl Topic {
            /// All topics in reading order, those of pages only first.
            const EVERY: &'static [Self] = &[$(Self::$variant),*];

            /// The word that asks for it: `action-form`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The title of its section: `Action form`.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$variant => $title,)*
                }
            }
        }
    };
}

topics! {
    /// Time and space, and their charts. On pages only.
    SpaceTime = "spacetime", "Space-time";
    /// The second-order field of the motion. On pages only.
    Field = "field", "Motion";
    /// The metric of the kinetic energy.
    Metric = "metric", "Metric";
    /// The kinetic energy.
    Kinetic = "kinetic", "Kinetic energy";
    /// The Lagrangian.
    Lagrangian = "lagrangian", "Lagrangian";
    /// The Cartan form.
    Cartan = "cartan", "Cartan form";
    /// The action form Ω.
    ActionForm = "action-form", "Action form";
    /// Lagrange's equations.
    Lagrange = "lagrange", "Lagrange's equations";
    /// The Hamiltonian.
    Hamiltonian = "hamiltonian", "Hamiltonian";
    /// Hamilton's equations.
    Hamilton = "hamilton", "Hamilton's equations";
    /// The energy and its rate.
    Energy = "energy", "Energy";
    /// Forces, and which of them have potentials.
    Forces = "forces", "Forces";
    /// Forces as one-forms and two-forms.
    ForceForms = "force-forms", "Forces as forms";
    /// Inertia forces with respect to reference fields.
    Inertia = "inertia", "Inertia forces";
    /// Reference frames, declared and of constraints.
    Frames = "frames", "Reference frames";
    /// Metric, reference field and potentials recovered from L.
    Recovery = "recovery", "Recovery from the Lagrangian";
    /// The conditions of Newtonian systems.
    Newtonian = "newtonian", "Newtonian systems";
    /// The structure of the state space.
    Structure = "structure", "Structure of the state space";
    /// The connection of the motion and its curvature.
    Connection = "connection", "Connection of the motion";
    /// Formulations of systems that do not depend on time.
    TimeIndependent = "time-independent", "Time-independent formulations";
    /// Virtual work in its three forms.
    VirtualWork = "virtual-work", "Virtual work";
    /// The central equations.
    Central = "central", "Central equations";
    /// The action functionals.
    Action = "action", "Action";
    /// The first variation of the action.
    FirstVariation = "first-variation", "First variation";
    /// Constraints solved for velocities, and the reduced equations.
    Nonholonomic = "nonholonomic", "Constraints solved for velocities";
    /// Reactions and multipliers of constraints.
    Reaction = "reaction", "Reactions";
    /// Hamilton's equations with reactions.
    ConstrainedHamilton = "constrained-hamilton", "Hamilton's equations with reactions";
    /// The vertical extension.
    Vertical = "vertical", "Vertical extension";
    /// The Jacobi equations and the second variation.
    Jacobi = "jacobi", "Jacobi equations";
    /// The linearised equations at an equilibrium.
    Linear = "linear", "Linearised equations";
}

impl Topic {
    /// The number of topics that introduce a page and cannot be asked for by name.
    const INTRODUCTION: usize = 2;
    /// The topics of `derive` without words.
    pub const DEFAULT: [Self; 2] = [Self::Lagrange, Self::Energy];

    /// The topics that can be asked for by name, in reading order.
    pub const ALL: &'static [Self] = Self::EVERY.split_at(Self::INTRODUCTION).1;
    /// Topics that pages leave out: what they say is on the page in another form.
    const OFF_PAGE: [Self; 7] = [
        Self::ForceForms,
        Self::Frames,
        Self::Recovery,
        Self::Newtonian,
        Self::Structure,
        Self::Connection,
        Self::Linear,
    ];

    /// The topics of a page, in reading order.
    pub fn of_page() -> Vec<Self> {
        let on_page = |t: &&Self| !Self::OFF_PAGE.contains(t);
        Self::EVERY.iter().filter(on_page).copied().collect()
    }

    /// The names of all topics, separated by a text.
    pub fn names(separator: &str) -> String {
        let names: Vec<&str> = Self::ALL.iter().map(|t| t.name()).collect();
        names.join(separator)
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for a word that is the name of no [`Topic`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTopic(String);

impl UnknownTopic {
    /// The topic that was probably meant, or all there are.
    pub fn hint(&self) -> String {
        let known = Topic::ALL.iter().map(|t| t.name());
        match galilei_syntax::nearest(&self.0, known) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("what can be derived: {}, all", Topic::names(", ")),
        }
    }
}

impl fmt::Display for UnknownTopic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` cannot be derived", self.0)
    }
}

impl std::error::Error for UnknownTopic {}

impl From<UnknownTopic> for Diagnostic {
    fn from(e: UnknownTopic) -> Self {
        Self::error(Code::UnknownRequest, e.to_string(), e.hint(), None)
    }
}

impl FromStr for Topic {
    type Err = UnknownTopic;

    fn from_str(word: &str) -> Result<Self, UnknownTopic> {
        let known = Self::ALL.iter().copied().find(|t| t.name() == word);
        known.ok_or_else(|| UnknownTopic(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_those_of_pages_are_not() {
        for &topic in Topic::ALL {
            assert_eq!(topic.name().parse(), Ok(topic));
        }
        for word in ["field", "spacetime", "all", ""] {
            assert!(word.parse::<Topic>().is_err(), "{word}");
        }
        assert_eq!(Topic::ALL.len() + 2, Topic::EVERY.len());
        assert!(Topic::of_page().starts_with(&[Topic::SpaceTime, Topic::Field]));
    }
}
