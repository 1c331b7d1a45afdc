//! The works that are compared. A new one is an entry of [`WORKS`] and a program for each side.

/// The name of our own side in every figure.
pub(crate) const OURS: &str = "galilei";

/// One work: what both sides are asked to do.
#[derive(Debug)]
pub(crate) struct Work {
    /// Its name, as in `--only`.
    pub(crate) name: &'static str,
    /// What its variants are variants of; the name of their field in the figures.
    pub(crate) aspect: &'static str,
    /// Its variants.
    pub(crate) variants: &'static [&'static str],
    /// The sizes to run unless others are asked for.
    pub(crate) sizes: &'static [usize],
    /// Arguments of `galilei-bench`; `{n}` and `{variant}` are filled in.
    pub(crate) ours: &'static [&'static str],
    /// Arguments of Python for a peer; `{peer}`, `{n}` and `{variant}` are filled in.
    pub(crate) theirs: &'static [&'static str],
    /// The peers.
    pub(crate) peers: &'static [Peer],
}

/// A peer in a work.
#[derive(Debug)]
pub(crate) struct Peer {
    /// Its name.
    pub(crate) name: &'static str,
    /// The largest size it is asked for.
    pub(crate) largest: usize,
    /// Where it is installed.
    pub(crate) environment: Environment,
}

/// A Python with peers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Environment {
    /// The one most peers share.
    Common,
    /// Sage's own, made only when it is asked for: it takes more than a gigabyte.
    Sage,
}

const fn peer(name: &'static str) -> Peer {
    Peer {
        name,
        largest: usize::MAX,
        environment: Environment::Common,
    }
}

impl Peer {
    const fn up_to(self, largest: usize) -> Peer {
        Peer { largest, ..self }
    }

    const fn in_sage(self) -> Peer {
        let environment = Environment::Sage;
        Peer {
            environment,
            ..self
        }
    }
}

impl Work {
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
pub(crate) const WORKS: &[Work] = &[DERIVE, FORMS];

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
};

/// The arguments with their places filled in.
pub(crate) fn filled(arguments: &[&str], peer: &str, variant: &str, n: usize) -> Vec<String> {
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
    fn places_are_filled_in() {
        let work = &WORKS[0];
        assert_eq!(
            filled(work.ours, OURS, "rel", 4),
            ["derive", "--sizes", "4", "--angles", "rel"]
        );
        assert_eq!(
            filled(work.theirs, "heyoka", "abs", 8),
            ["bench/peers/derive.py", "heyoka", "8", "abs"]
        );
    }

    #[test]
    fn a_peer_has_its_environment() {
        assert_eq!(FORMS.environment("sage"), Environment::Sage);
        assert_eq!(FORMS.environment("sympy"), Environment::Common);
        assert!(FORMS.uses(Environment::Sage) && !DERIVE.uses(Environment::Sage));
    }
}
