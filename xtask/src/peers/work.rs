//! The works that are compared. A new one is an entry of [`WORKS`] and a program for each side.

/// The name of our own side in every figure.
pub(crate) const OURS: &str = "galilei";

/// The environment variable with the path of our command.
pub(crate) const COMMAND: &str = "GALILEI";

/// One benchmark that Galilei and its peers run.
#[derive(Debug)]
pub(crate) struct Work {
    /// Its name, as in `--only`.
    pub(crate) name: &'static str,
    /// The property in which its variants differ; the name of their field in the figures.
    pub(crate) aspect: &'static str,
    /// Its variants.
    pub(crate) variants: &'static [&'static str],
    /// The sizes to run unless others are requested.
    pub(crate) sizes: &'static [usize],
    /// Arguments of `galilei-bench`, or of Python where the first is one of its programs; `{n}` and `{variant}` are replaced.
    pub(crate) ours: &'static [&'static str],
    /// Arguments of Python for a peer; `{peer}`, `{n}` and `{variant}` are replaced.
    pub(crate) theirs: &'static [&'static str],
    /// The peers.
    pub(crate) peers: &'static [Peer],
    /// The largest relative difference between two sides' results.
    pub(crate) agreement: f64,
    /// The goals of the work.
    pub(crate) goals: &'static [Goal],
}

/// A goal for some variants and sizes of a work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Goal {
    /// The variant; empty for all.
    variant: &'static str,
    /// The sizes, both ends included.
    sizes: (usize, usize),
    /// The figure aimed at.
    pub(crate) aim: Aim,
}

/// A figure aimed at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Aim {
    /// The smallest ratio of the time of a peer to ours.
    Ratio(&'static str, f64),
    /// The limit of our own time, in seconds.
    Below(f64),
    /// The limit of the compile time, in seconds.
    CompiledBelow(f64),
    /// The limit of another of our figures: its key, its name, seconds.
    Figure(&'static str, &'static str, f64),
}

const fn goal(variant: &'static str, sizes: (usize, usize), aim: Aim) -> Goal {
    Goal {
        variant,
        sizes,
        aim,
    }
}

/// A peer in a work.
#[derive(Debug)]
pub(crate) struct Peer {
    /// Its name.
    pub(crate) name: &'static str,
    /// The largest size that it is run for.
    pub(crate) largest: usize,
    /// The only variant that it is run for; empty for all.
    pub(crate) variant: &'static str,
    /// The environment in which it is installed.
    pub(crate) environment: Environment,
}

/// A Python with peers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Environment {
    /// The environment that most peers share.
    Common,
    /// The environment of Sage, created only on request: it takes more than a gigabyte.
    Sage,
}

const fn peer(name: &'static str) -> Peer {
    Peer {
        name,
        largest: usize::MAX,
        variant: "",
        environment: Environment::Common,
    }
}

impl Peer {
    const fn up_to(self, largest: usize) -> Peer {
        Peer { largest, ..self }
    }

    const fn only_for(self, variant: &'static str) -> Peer {
        Peer { variant, ..self }
    }

    const fn in_sage(self) -> Peer {
        let environment = Environment::Sage;
        Peer {
            environment,
            ..self
        }
    }
}

impl Peer {
    /// Whether the peer is run for a variant and size.
    pub(crate) fn takes(&self, variant: &str, n: usize) -> bool {
        n <= self.largest && (self.variant.is_empty() || self.variant == variant)
    }
}

impl Work {
    /// The goals for a variant and size.
    pub(crate) fn goals(&self, variant: &str, n: usize) -> impl Iterator<Item = Aim> {
        let here = move |goal: &&Goal| {
            let (least, largest) = goal.sizes;
            (goal.variant.is_empty() || goal.variant == variant) && least <= n && n <= largest
        };
        self.goals.iter().filter(here).map(|goal| goal.aim)
    }

    /// Whether our own side, too, is run by a program in Python, which finds the command in the variable [`COMMAND`].
    pub(crate) fn is_by_python(&self) -> bool {
        self.ours
            .first()
            .is_some_and(|first| first.ends_with(".py"))
    }

    /// True if a peer is installed in the environment.
    pub(crate) fn uses(&self, environment: Environment) -> bool {
        self.peers
            .iter()
            .any(|peer| peer.environment == environment)
    }

    /// The environment of a peer.
    pub(crate) fn environment(&self, name: &str) -> Environment {
        let peer = self.peers.iter().find(|peer| peer.name == name);
        peer.map_or(Environment::Common, |peer| peer.environment)
    }
}

/// All works.
pub(crate) const WORKS: &[Work] = &[
    DERIVE,
    FORMS,
    CALLABLE,
    EVALUATE,
    MECHANISMS,
    PENDULUM,
    CHAIN,
    SOLAR,
    PROCESS,
    KANE,
    ROLLING,
    LINEARIZE,
    VARIATIONAL,
    ENSEMBLE,
    PERIODIC,
];

/// The largest relative difference of results: far above rounding in sums of a few thousand terms, far below a wrong entry.
const AGREEMENT: f64 = 1e-9;

/// From the Lagrangian of a chain of pendulums to its first and second derivatives.
const DERIVE: Work = Work {
    name: "derive",
    aspect: "angles",
    variants: &["abs", "rel"],
    sizes: &[2, 4, 8, 16, 32],
    ours: &["derive", "--sizes", "{n}", "--angles", "{variant}"],
    theirs: &["bench/peers/derive.py", "{peer}", "{n}", "{variant}"],
    peers: &[
        peer("casadi-c++"),
        peer("casadi"),
        peer("heyoka"),
        peer("symengine"),
        // SymPy needs 3 s for one repeat of n = 8 in relative angles.
        peer("sympy").up_to(8),
    ],
    agreement: AGREEMENT,
    goals: &[],
};

/// The exterior derivative of the chain's Cartan one-form, all components.
const FORMS: Work = Work {
    name: "forms",
    aspect: "variant",
    variants: &["cartan"],
    sizes: &[2, 4, 6, 16, 32],
    ours: &["forms", "--sizes", "{n}"],
    theirs: &["bench/peers/forms.py", "{peer}", "{n}"],
    peers: &[
        // SymPy needs more than a minute for one repeat of n = 6, Sage with simplification for one of n = 32.
        peer("sympy").up_to(4),
        peer("sage").in_sage().up_to(16),
        peer("sage-raw").in_sage(),
    ],
    agreement: AGREEMENT,
    goals: &[],
};

/// From the model of the chain to its accelerations as machine code.
const CALLABLE: Work = Work {
    name: "callable",
    aspect: "angles",
    variants: &["abs"],
    sizes: &[2, 4, 8, 16, 32],
    ours: &["callable", "--sizes", "{n}"],
    theirs: &[
        "bench/peers/accelerations.py",
        "callable",
        "{peer}",
        "{n}",
        "{variant}",
    ],
    peers: &[peer("heyoka"), peer("heyoka-compact"), peer("casadi")],
    agreement: AGREEMENT,
    goals: &[
        goal("", (8, 8), Aim::Ratio("heyoka", 50.0)),
        goal("", (16, 16), Aim::Ratio("heyoka", 100.0)),
        goal("", (32, 32), Aim::Ratio("heyoka", 300.0)),
        goal("", (8, 8), Aim::Ratio("casadi", 30.0)),
        goal("", (16, 16), Aim::Ratio("casadi", 100.0)),
        goal("", (32, 32), Aim::Ratio("casadi", 300.0)),
    ],
};

/// One evaluation of the accelerations of the chain, at one state or at several at once.
const EVALUATE: Work = Work {
    name: "evaluate",
    aspect: "variant",
    variants: &["scalar", "lanes"],
    sizes: &[2, 4, 8, 16, 32, 64],
    ours: &["evaluate", "--sizes", "{n}", "--variant", "{variant}"],
    theirs: &[
        "bench/peers/accelerations.py",
        "evaluate",
        "{peer}",
        "{n}",
        "{variant}",
    ],
    peers: &[
        peer("hand-c").only_for("scalar"),
        // gcc and LLVM need minutes for n = 64.
        peer("casadi").only_for("scalar").up_to(32),
        peer("heyoka").up_to(32),
    ],
    agreement: AGREEMENT,
    goals: &[
        goal("scalar", (2, 16), Aim::Ratio("casadi", 1.0)),
        goal("scalar", (32, 64), Aim::Ratio("hand-c", 1.0)),
        goal("lanes", (2, 8), Aim::Ratio("heyoka", 1.5)),
        goal("lanes", (32, 32), Aim::Ratio("heyoka", 5.0)),
    ],
};

/// Names of our own figures about mechanisms.
const TO_ACCELERATIONS: &str = "from the text to accelerations";
const TAYLOR_STEP: &str = "a Taylor step of order 20";

/// One evaluation of the accelerations of a spatial arm. The goals of Taylor steps are linear in the number of joints.
const MECHANISMS: Work = Work {
    name: "mechanisms",
    aspect: "system",
    variants: &["arm"],
    sizes: &[2, 4, 6, 8, 16, 32],
    ours: &["mechanisms", "--sizes", "{n}"],
    theirs: &["bench/peers/mechanisms.py", "{peer}", "{n}"],
    peers: &[
        peer("pinocchio"),
        peer("casadi"),
        peer("mujoco"),
        peer("drake"),
    ],
    agreement: AGREEMENT,
    goals: &[
        goal("", (6, 6), Aim::Ratio("pinocchio", 4.0)),
        goal("", (6, 6), Aim::Ratio("casadi", 2.0)),
        goal("", (32, 32), Aim::Ratio("pinocchio", 4.0)),
        goal(
            "",
            (2, 6),
            Aim::Figure("compile_s", TO_ACCELERATIONS, 20e-3),
        ),
        goal(
            "",
            (8, 32),
            Aim::Figure("compile_s", TO_ACCELERATIONS, 200e-3),
        ),
        goal("", (2, 6), Aim::Figure("taylor_s", TAYLOR_STEP, 25e-6)),
        goal("", (8, 8), Aim::Figure("taylor_s", TAYLOR_STEP, 34e-6)),
        goal("", (16, 16), Aim::Figure("taylor_s", TAYLOR_STEP, 67e-6)),
        goal("", (32, 32), Aim::Figure("taylor_s", TAYLOR_STEP, 134e-6)),
    ],
};

/// One trajectory of the double pendulum.
const PENDULUM: Work = Work {
    name: "motion",
    aspect: "orbit",
    variants: &["regular", "chaotic"],
    sizes: &[2],
    ours: &["motion", "--sizes", "{n}", "--variant", "{variant}"],
    theirs: &["bench/peers/motion.py", "{peer}", "{n}", "{variant}"],
    peers: &[peer("heyoka-L"), peer("heyoka-hand")],
    agreement: AGREEMENT,
    goals: &[
        goal("", (2, 2), Aim::Ratio("heyoka-L", 8.0)),
        goal("", (2, 2), Aim::Ratio("heyoka-hand", 3.0)),
    ],
};

/// One trajectory of the chain.
const CHAIN: Work = Work {
    aspect: "system",
    variants: &["chain"],
    sizes: &[4, 8, 16],
    goals: &[goal("", (4, 16), Aim::Ratio("heyoka-hand", 5.0))],
    ..PENDULUM
};

/// The outer solar system; there are no better equations than those of its Lagrangian.
const SOLAR: Work = Work {
    aspect: "system",
    variants: &["solar"],
    sizes: &[6],
    peers: &[peer("heyoka-hand")],
    goals: &[
        goal("", (6, 6), Aim::Ratio("heyoka-hand", 1.5)),
        goal("", (6, 6), Aim::CompiledBelow(0.020)),
    ],
    ..PENDULUM
};

/// The whole command, from the file to the last state. The error at t = 1000 is about 1e-9.
const PROCESS: Work = Work {
    name: "process",
    aspect: "orbit",
    variants: &["regular"],
    sizes: &[2],
    ours: &["process"],
    theirs: &["bench/peers/process.py", "{peer}", "{n}"],
    peers: &[peer("heyoka-L"), peer("heyoka-hand")],
    agreement: 1e-6,
    goals: &[goal("", (2, 2), Aim::Below(0.060))],
};

/// From the model of a system with velocity constraints to its equations of motion.
const KANE: Work = Work {
    name: "nonholonomic",
    aspect: "derivation",
    variants: &["sleigh", "disk"],
    sizes: &[2],
    ours: &["kane", "--variant", "{variant}"],
    theirs: &["bench/peers/kane.py", "{peer}", "{n}", "{variant}"],
    peers: &[peer("sympy")],
    agreement: AGREEMENT,
    goals: &[goal("", (2, 2), Aim::Ratio("sympy", 20.0))],
};

/// From the model of a hanging chain to the matrix of its small motions: in angles under a cart, and in Cartesian coordinates
/// with a constraint for each rod.
const LINEARIZE: Work = Work {
    name: "linearize",
    aspect: "form",
    variants: &["cart", "rods"],
    sizes: &[2, 4, 8],
    ours: &["linearize", "--sizes", "{n}", "--variant", "{variant}"],
    theirs: &["bench/peers/linearize.py", "{peer}", "{n}", "{variant}"],
    peers: &[peer("sympy")],
    agreement: AGREEMENT,
    goals: &[goal("", (2, 8), Aim::Ratio("sympy", 20.0))],
};

/// Motions under velocity constraints, compared with equations from which the constraints were eliminated by hand.
const ROLLING: Work = Work {
    name: "nonholonomic",
    aspect: "motion",
    variants: &["sleigh", "disk"],
    peers: &[peer("heyoka-hand")],
    goals: &[goal("", (2, 2), Aim::Ratio("heyoka-hand", 3.0))],
    ..PENDULUM
};

/// The double pendulum alone, and with its state-transition matrix.
const VARIATIONAL: Work = Work {
    name: "variational",
    aspect: "motion",
    variants: &["plain", "varied"],
    sizes: &[2],
    ours: &["variational", "--variant", "{variant}"],
    theirs: &["bench/peers/variational.py", "{peer}", "{n}", "{variant}"],
    peers: &[peer("heyoka-L"), peer("heyoka-hand")],
    agreement: AGREEMENT,
    goals: &[],
};

/// Many damped driven double pendulums on one core.
const ENSEMBLE: Work = Work {
    name: "ensemble",
    aspect: "system",
    variants: &["driven"],
    sizes: &[2],
    ours: &["ensemble"],
    theirs: &["bench/peers/ensemble.py", "{peer}", "{n}"],
    peers: &[peer("heyoka-L"), peer("heyoka-hand")],
    agreement: 1e-6,
    goals: &[
        goal("", (2, 2), Aim::Ratio("heyoka-L", 8.0)),
        goal("", (2, 2), Aim::Ratio("heyoka-hand", 3.0)),
    ],
};

/// Families of periodic motions, from the start of the process to the last motion. AUTO-07p is a package of the system.
const PERIODIC: Work = Work {
    name: "periodic",
    aspect: "family",
    variants: &["backbone", "driven", "cycle", "lyapunov"],
    sizes: &[1],
    ours: &["bench/peers/auto.py", "{peer}", "{n}", "{variant}"],
    theirs: &["bench/peers/auto.py", "{peer}", "{n}", "{variant}"],
    peers: &[peer("auto")],
    agreement: 1e-6,
    goals: &[],
};

/// The arguments with their placeholders replaced.
pub(crate) fn with_values(arguments: &[&str], peer: &str, variant: &str, n: usize) -> Vec<String> {
    arguments
        .iter()
        .map(|argument| match *argument {
            "{peer}" => peer.to_string(),
            "{variant}" => variant.to_string(),
            "{n}" => n.to_string(),
            other => other.to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_replaced() {
        let work = &WORKS[0];
        assert_eq!(
            with_values(work.ours, OURS, "rel", 4),
            ["derive", "--sizes", "4", "--angles", "rel"]
        );
        assert_eq!(
            with_values(work.theirs, "heyoka", "abs", 8),
            ["bench/peers/derive.py", "heyoka", "8", "abs"]
        );
    }

    #[test]
    fn goals_and_peers_belong_to_variants_and_sizes() {
        let goals: Vec<Aim> = CALLABLE.goals("abs", 16).collect();
        assert_eq!(
            goals,
            [Aim::Ratio("heyoka", 100.0), Aim::Ratio("casadi", 100.0)]
        );
        assert_eq!(EVALUATE.goals("lanes", 16).count(), 0);
        let hand = &EVALUATE.peers[0];
        assert!(hand.takes("scalar", 64) && !hand.takes("lanes", 64));
        assert!(!EVALUATE.peers[1].takes("scalar", 64));
    }

    #[test]
    fn our_side_of_families_is_run_by_python() {
        assert!(PERIODIC.is_by_python() && !PROCESS.is_by_python());
        let arguments = with_values(PERIODIC.ours, OURS, "cycle", 1);
        assert_eq!(arguments, ["bench/peers/auto.py", "galilei", "1", "cycle"]);
    }

    #[test]
    fn a_peer_has_its_environment() {
        assert_eq!(FORMS.environment("sage"), Environment::Sage);
        assert_eq!(FORMS.environment("sympy"), Environment::Common);
        assert!(FORMS.uses(Environment::Sage) && !DERIVE.uses(Environment::Sage));
    }
}
