//! How names are drawn: Greek letters, indices, dots, and the compound names of mechanics.

use super::Layout;

impl Layout {
    /// A name of the model language, drawn.
    ///
    /// `theta` is θ, `theta'` θ̇, `q[1]''` q̈₁, `theta_1` and `theta1` θ₁, `p(theta)` p with the
    /// index θ, `multiplier(N)` λ with the index N, `delta(x)` δx, `delta(x')` δẋ, which
    /// `delta(x)'` need not be, `jacobi(x)` ξ with the index x and `jacobi(p(x))` π with the
    /// index x. The usual short names of Greek letters are drawn as the letters: `th1` is θ₁. Of a name of two letters
    /// the second is an index, `kg` is k with the index g and no unit, and so is a last capital, `yawF`.
    ///
    /// ```
    /// use galilei_expr::Layout;
    /// for (name, drawn) in [
    ///     ("theta''", "θ̈"),
    ///     ("q[1]'", "q̇₁"),
    ///     ("p(theta_2)", "p_θ₂"),
    ///     ("multiplier(N)", "λ_N"),
    ///     ("delta(theta')", "δθ̇"),
    ///     ("jacobi(theta)'", "ξ̇_θ"),
    ///     ("jacobi(p(theta))", "π_θ"),
    ///     ("delta(theta)'", "(δθ)˙"),
    ///     ("th1'", "θ̇₁"),
    ///     ("kg", "k_g"),
    ///     ("yawF", "yaw_F"),
    ///     ("mgl", "mgl"),
    /// ] {
    ///     assert_eq!(Layout::name(name).to_text(), drawn);
    /// }
    /// ```
    pub fn name(name: &str) -> Self {
        let stem = name.trim_end_matches('\'');
        let primes = &name[stem.len()..];
        let dots = primes.len();
        if let Some((head, inner)) = stem.strip_suffix(')').and_then(|s| s.split_once('(')) {
            let inside = |primes: &str| Self::name(&format!("{}{primes}", inner.trim()));
            return match head {
                "delta" => dotted(Self::Row(vec![Self::Word("δ".into()), inside("")]), dots),
                "d" => Self::Row(vec![Self::Word("d".into()), inside(primes)]),
                "multiplier" => dotted(Self::Name("λ".into()), dots).indexed(inside("")),
                "jacobi" => {
                    let momentum = inner.strip_prefix("p(").and_then(|s| s.strip_suffix(')'));
                    let (letter, of) = match momentum {
                        Some(of) => ("π", Self::name(of)),
                        None => ("ξ", inside("")),
                    };
                    dotted(Self::Name(letter.into()), dots).indexed(of)
                }
                _ => dotted(Self::name(head), dots).indexed(inside("")),
            };
        }
        // `s#` is the bound variable of integrals.
        let stem = stem.trim_end_matches('#');
        if let Some((head, index)) = stem.strip_suffix(']').and_then(|s| s.split_once('[')) {
            let indices: Vec<Self> = index.split(',').map(|i| piece(i.trim())).collect();
            return dotted(Self::name(head), dots).indexed(list(indices));
        }
        if let Some((head, index)) = stem.split_once('_')
            && !head.is_empty()
            && index.chars().any(|c| c != '_')
        {
            let indices: Vec<Self> = index
                .split('_')
                .filter(|i| !i.is_empty())
                .map(piece)
                .collect();
            return with_indices(head, indices, dots);
        }
        let head = stem.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &stem[head.len()..];
        if !digits.is_empty() && head.ends_with(char::is_alphabetic) {
            return with_indices(head, vec![Self::Number(digits.into())], dots);
        }
        with_indices(stem, vec![], dots)
    }

    /// The differential of a quantity: dθ.
    #[must_use]
    pub fn differential(self) -> Self {
        Self::Row(vec![Self::Word("d".into()), self])
    }

    /// The vector field of a coordinate: ∂ with the coordinate as its index.
    #[must_use]
    pub fn coordinate_field(self) -> Self {
        Self::Word("∂".into()).indexed(self)
    }
}

fn list(mut items: Vec<Layout>) -> Layout {
    match items.len() {
        1 => items.remove(0),
        _ => Layout::List(items),
    }
}

/// An index: digits, or a name.
fn piece(text: &str) -> Layout {
    if text.chars().all(|c| c.is_ascii_digit()) {
        Layout::Number(text.into())
    } else {
        Layout::name(text)
    }
}

/// A name without digits, with the index that its letters contain before the given ones.
fn with_indices(name: &str, mut indices: Vec<Layout>, dots: usize) -> Layout {
    let letter = |name: &str| Layout::Name(greek(name).map_or(name.to_owned(), str::to_owned));
    let base = match greek(name) {
        Some(_) => letter(name),
        None => match split(name) {
            Some((head, index)) => {
                indices.insert(0, letter(index));
                letter(head)
            }
            None => letter(name),
        },
    };
    let base = dotted(base, dots);
    match indices.is_empty() {
        true => base,
        false => base.indexed(list(indices)),
    }
}

/// Two letters, the second of which is an index, or a word that ends in a capital.
fn split(name: &str) -> Option<(&str, &str)> {
    if !name.bytes().all(|b| b.is_ascii_alphabetic()) || name.len() < 2 {
        return None;
    }
    let (head, index) = name.split_at(name.len() - 1);
    let lower = |text: &str| text.bytes().all(|b| b.is_ascii_lowercase());
    (head.len() == 1 || lower(head) && !lower(index)).then_some((head, index))
}

/// Dots belong to the letter: θ̇₁, not (θ₁)˙.
fn dotted(base: Layout, dots: usize) -> Layout {
    match (dots, base) {
        (0, base) => base,
        (n, Layout::Subscript(base, index)) => Layout::Subscript(Box::new(dotted(*base, n)), index),
        (n, Layout::Dots(base, m)) => Layout::Dots(base, n + m),
        (n, base) => Layout::Dots(Box::new(base), n),
    }
}

/// Names, letters and LaTeX commands.
const LETTERS: [(&str, &str, &str); 49] = [
    ("alpha", "α", r"\alpha"),
    ("beta", "β", r"\beta"),
    ("gamma", "γ", r"\gamma"),
    ("delta", "δ", r"\delta"),
    ("epsilon", "ε", r"\varepsilon"),
    ("varepsilon", "ε", r"\varepsilon"),
    ("zeta", "ζ", r"\zeta"),
    ("eta", "η", r"\eta"),
    ("theta", "θ", r"\theta"),
    ("vartheta", "ϑ", r"\vartheta"),
    ("iota", "ι", r"\iota"),
    ("kappa", "κ", r"\kappa"),
    ("lambda", "λ", r"\lambda"),
    ("mu", "μ", r"\mu"),
    ("nu", "ν", r"\nu"),
    ("xi", "ξ", r"\xi"),
    ("omicron", "ο", "o"),
    ("pi", "π", r"\pi"),
    ("rho", "ρ", r"\rho"),
    ("sigma", "σ", r"\sigma"),
    ("tau", "τ", r"\tau"),
    ("upsilon", "υ", r"\upsilon"),
    ("phi", "φ", r"\varphi"),
    ("varphi", "φ", r"\varphi"),
    ("chi", "χ", r"\chi"),
    ("psi", "ψ", r"\psi"),
    ("omega", "ω", r"\omega"),
    ("Gamma", "Γ", r"\Gamma"),
    ("Delta", "Δ", r"\Delta"),
    ("Theta", "Θ", r"\Theta"),
    ("Lambda", "Λ", r"\Lambda"),
    ("Xi", "Ξ", r"\Xi"),
    ("Pi", "Π", r"\Pi"),
    ("Sigma", "Σ", r"\Sigma"),
    ("Upsilon", "Υ", r"\Upsilon"),
    ("Phi", "Φ", r"\Phi"),
    ("Psi", "Ψ", r"\Psi"),
    ("Omega", "Ω", r"\Omega"),
    ("al", "α", r"\alpha"),
    ("gam", "γ", r"\gamma"),
    ("eps", "ε", r"\varepsilon"),
    ("th", "θ", r"\theta"),
    ("lam", "λ", r"\lambda"),
    ("sig", "σ", r"\sigma"),
    ("ph", "φ", r"\varphi"),
    ("om", "ω", r"\omega"),
    ("H_", "ℋ", r"\mathcal{H}"),
    ("phi_", "ϕ", r"\phi"),
    ("epsilon_", "ϵ", r"\epsilon"),
];

/// The letter of a spelled-out name.
pub(super) fn greek(name: &str) -> Option<&'static str> {
    LETTERS.iter().find(|l| l.0 == name).map(|l| l.1)
}

/// The LaTeX command of a letter.
pub(super) fn command(letter: &str) -> Option<&'static str> {
    LETTERS.iter().find(|l| l.1 == letter).map(|l| l.2)
}
