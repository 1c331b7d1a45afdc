//! The order of symbols in formulas of a model.

use galilei_expr::{Place, Style};

/// How symbols of a model are ordered: parameters, time, coordinates, velocities, accelerations,
/// their variations.
pub(super) struct ModelStyle {
    pub(super) parameters: Vec<String>,
    pub(super) coordinates: Vec<String>,
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
        // Variations come after their factors.
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
