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
}

const fn peer(name: &'static str) -> Peer {
    Peer {
        name,
        largest: usize::MAX,
    }
}

/// All works.
pub(crate) const WORKS: &[Work] = &[Work {
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
        Peer {
            name: "sympy",
            largest: 8,
        },
    ],
}];

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
}
