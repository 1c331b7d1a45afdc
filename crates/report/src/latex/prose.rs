//! Explanations for LaTeX: words, with formulas between them set as mathematics.
//!
//! Explanations are written with Unicode, `g\u{1d62}\u{2c7c} = ∂²L/∂uⁱ∂uʲ, the mass matrix`, or quote the model language,
//! `∂F_theta/∂theta' = -c must vanish`. A run of words that contains signs of mathematics is one formula.

use std::fmt::Write;

use galilei_expr::Layout;

/// The kind of a word in an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Word,
    /// Surely mathematics: it has a sign that no word has.
    Formula,
    /// A sign between two sides.
    Sign,
    /// A number or an article, which is mathematics next to a sign only.
    Perhaps,
}

/// Signs that join what stands before and behind them.
const SIGNS: &[&str] = &[
    "=", "+", "-", "−", "<", ">", "≠", "≤", "≥", "⇔", "→", "↦", "≔", "∧", "⌟", "·", "×", "⊗", "/",
    "*",
];

/// Functions that are set upright.
const FUNCTIONS: &[&str] = &[
    "sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "det", "min", "max",
];

/// Text for LaTeX: formulas are mathematics, special characters of words are escaped.
pub(crate) fn text(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let mut kinds: Vec<Kind> = words.iter().map(|w| kind(w)).collect();
    for k in 0..kinds.len() {
        if kinds[k] == Kind::Perhaps {
            let before = k > 0 && kinds[k - 1] == Kind::Sign;
            let behind = kinds.get(k + 1) == Some(&Kind::Sign) && !ends(words[k]);
            kinds[k] = match before || behind {
                true => Kind::Formula,
                false => Kind::Word,
            };
        }
    }
    let mut out = String::new();
    let mut k = 0;
    while k < words.len() {
        if k > 0 {
            out.push(' ');
        }
        if kinds[k] == Kind::Word || kinds[k] == Kind::Sign && words[k] == "-" {
            out.push_str(&plain(words[k]));
            k += 1;
            continue;
        }
        // A formula goes on until a word, or until a word of it ends outside of its parentheses.
        let first = k;
        let mut depth = depth_of(words[k]);
        while k + 1 < words.len()
            && matches!(kinds[k + 1], Kind::Formula | Kind::Sign)
            && (depth > 0 || !ends(words[k]))
        {
            k += 1;
            depth += depth_of(words[k]);
        }
        let run = words[first..=k].join(" ");
        let body = run.trim_end_matches(['.', ',', ';', ':', '?']);
        let (body, rest) = run.split_at(body.len());
        out.push_str(&balanced(body, rest));
        k += 1;
    }
    out
}

/// A formula with the punctuation behind it. Parentheses that belong to the sentence are set as text.
fn balanced(body: &str, rest: &str) -> String {
    match depth_of(body) {
        0 => format!("${}${}", formula(body), plain(rest)),
        d if d > 0 && body.starts_with('(') => {
            format!("({}", balanced(&body[1..], rest))
        }
        d if d < 0 && body.ends_with(')') => balanced(&body[..body.len() - 1], &format!("){rest}")),
        _ => format!("${}${}", formula(body), plain(rest)),
    }
}

/// Opened minus closed parentheses.
fn depth_of(word: &str) -> i32 {
    let count = |c: char| word.matches(c).count() as i32;
    count('(') - count(')')
}

/// Whether a sentence or a part of it ends with a word.
fn ends(word: &str) -> bool {
    word.ends_with(['.', ',', ';', ':', '?'])
}

fn kind(word: &str) -> Kind {
    let bare = word.trim_end_matches(['.', ',', ';', ':', '?']);
    if SIGNS.contains(&bare) {
        return Kind::Sign;
    }
    let inner = bare.trim_matches(['(', ')', '[', ']', '"', '`']);
    let mut letters = inner.chars();
    let first = letters.next();
    let alone = letters.next().is_none();
    if first.is_none() {
        return Kind::Word;
    }
    // T-47 and P1 are numbers of theorems and conditions.
    if inner.starts_with("T-") {
        return Kind::Word;
    }
    let special = |c: char| {
        script(c).is_some() || accent(c).is_some() || mathematics(c).is_some() && c != '’'
    };
    if inner.chars().any(special) {
        return Kind::Formula;
    }
    if inner.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return Kind::Perhaps;
    }
    if alone {
        return match first {
            Some('a' | 'A' | 'I') => Kind::Perhaps,
            Some(c) if c.is_ascii_alphabetic() => Kind::Formula,
            _ => Kind::Word,
        };
    }
    let quoted = |c: char| matches!(c, '_' | '^' | '*' | '=' | '<' | '>');
    let differential = inner.len() == 2 && inner.starts_with('d') && "txuqp".contains(&inner[1..]);
    let application =
        bare.len() > 2 && bare.as_bytes()[1] == b'(' && bare.as_bytes()[0].is_ascii_alphabetic();
    let velocity = inner.ends_with('\'')
        && inner
            .trim_end_matches('\'')
            .chars()
            .all(|c| c.is_ascii_alphanumeric());
    if inner.is_ascii() && inner.contains(quoted) && !inner.contains("--") {
        return Kind::Formula;
    }
    match differential || application || velocity || inner == "d/dt" {
        true => Kind::Formula,
        false => match inner.starts_with('-') && inner.len() > 1 {
            true => Kind::Perhaps,
            false => Kind::Word,
        },
    }
}

/// A run of words as mathematics.
fn formula(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut k = 0;
    while k < letters.len() {
        let c = letters[k];
        // d of a form is upright: dt, dω.
        if c == 'd'
            && !(k > 0 && letters[k - 1].is_ascii_alphanumeric())
            && letters
                .get(k + 1)
                .is_some_and(|n| is_differentiated(*n, letters.get(k + 2)))
        {
            out.push_str(r"\mathrm{d}");
            k += 1;
            continue;
        }
        if let Some(mark) = letters.get(k + 1).and_then(|a| accent(*a)) {
            let base = mathematics(c).unwrap_or_else(|| c.to_string());
            let _ = write!(out, "{mark}{{{base}}}");
            k += 2;
            continue;
        }
        if let Some((up, _)) = script(c) {
            let run = letters[k..].iter().map_while(|c| script(*c));
            let run: Vec<char> = run.take_while(|s| s.0 == up).map(|s| s.1).collect();
            let sign = if up { '^' } else { '_' };
            let _ = write!(out, "{sign}{{{}}}", run.iter().collect::<String>());
            k += run.len();
            continue;
        }
        if c.is_ascii_alphabetic() {
            let mut name: String = letters[k..]
                .iter()
                .take_while(|c| is_of_name(**c))
                .collect();
            k += name.chars().count();
            // i_Γ is i with the index Γ.
            if name.len() > 1 && name.ends_with('_') && grouped('_', &letters[k..]).is_some() {
                name.pop();
                k -= 1;
            }
            // An index of an index: u_e₀ is u with the index e₀.
            if name.contains('_') {
                let lower = letters[k..].iter().map_while(|c| script(*c));
                let lower: String = lower.take_while(|s| !s.0).map(|s| s.1).collect();
                k += lower.chars().count();
                name += &lower;
            }
            out.push_str(&named(&name));
            continue;
        }
        match c {
            '*' => out.push_str(r"\, "),
            '^' | '_' if grouped(c, &letters[k + 1..]).is_some() => {
                let (inner, length) = grouped(c, &letters[k + 1..]).unwrap_or_default();
                k += length;
                let _ = write!(out, "{c}{{{}}}", formula(&inner).trim_end());
            }
            '^' => out.push_str(r"\hat{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\\' => out.push_str(r"\backslash "),
            '`' => {}
            '"' => out.push_str("''"),
            '~' => out.push_str(r"\sim "),
            '…' => out.push_str(r"\dots "),
            '’' => out.push('\''),
            '\u{a0}' => out.push('~'),
            c if c.is_ascii() => out.push(c),
            c => match mathematics(c) {
                Some(m) => {
                    out.push_str(&m);
                    // A command must not run into the letter behind it.
                    let letter = letters.get(k + 1).is_some_and(char::is_ascii_alphabetic);
                    if letter && m.ends_with(|c: char| c.is_ascii_alphabetic()) {
                        out.push(' ');
                    }
                }
                None => {
                    let _ = write!(out, "\\text{{{}}}", written_letter(c));
                }
            },
        }
        k += 1;
    }
    out
}

/// The exponent or index behind a sign, and the number of letters that it takes: digits, one letter, or what is in braces or
/// parentheses. An index has indices of its own: u_θ₁ is u with the index θ₁.
fn grouped(sign: char, letters: &[char]) -> Option<(String, usize)> {
    let first = *letters.first()?;
    let text = |n: usize| letters[..n].iter().collect::<String>();
    if first == '{' {
        let end = letters.iter().position(|c| *c == '}')?;
        return Some((text(end).split_off(1), end + 1));
    }
    if first == '(' && sign == '^' {
        let end = letters.iter().position(|c| *c == ')')?;
        return Some((text(end + 1), end + 1));
    }
    let digits = letters.iter().take_while(|c| c.is_ascii_digit()).count();
    if digits > 0 {
        return Some((text(digits), digits));
    }
    if !first.is_alphabetic() || script(first).is_some() {
        return None;
    }
    let mut n = 1;
    while let Some(next) = letters.get(n).filter(|_| sign == '_') {
        n += match script(*next) {
            Some((false, _)) => 1,
            None if *next == '_' => match grouped('_', &letters[n + 1..]) {
                Some((_, length)) => 1 + length,
                None => break,
            },
            _ => break,
        };
    }
    Some((text(n), n))
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '\'')
}

/// Whether d before this letter is a differential: dt, dxⁱ, dω, not `det`.
fn is_differentiated(letter: char, next: Option<&char>) -> bool {
    let word = next.is_some_and(|n| n.is_ascii_alphanumeric());
    !word
        && (letter.is_ascii_alphabetic() || mathematics(letter).is_some() && letter.is_alphabetic())
}

/// Letters of a formula: a function, a name of the model language, or factors.
fn named(name: &str) -> String {
    let stem = name.trim_end_matches('\'');
    if FUNCTIONS.contains(&name) {
        return format!(r"\{name} ");
    }
    let known = Layout::name(stem);
    let letter = matches!(&known, Layout::Name(n) if !n.is_ascii());
    let written = name.contains(['_', '\'']) || stem.ends_with(|c: char| c.is_ascii_digit());
    match letter || written && name.len() > 1 {
        true => Layout::name(name).to_latex(),
        false if name.len() > 3 => format!(r"\text{{{name}}}"),
        false => name.to_owned(),
    }
}

/// Words, with their special characters escaped.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' | '>' | '|' => {
                let _ = write!(out, "${c}$");
            }
            c if c.is_ascii() => out.push(c),
            c => match mathematics(c) {
                Some(m) => {
                    let _ = write!(out, "${}$", m.trim_end());
                }
                None => out.push_str(written_letter(c).as_str()),
            },
        }
    }
    out
}

/// A letter or sign as it is if T1 fonts have it, otherwise its replacement.
fn written_letter(c: char) -> String {
    match c {
        '’' => "'".into(),
        '–' => "--".into(),
        '—' => "---".into(),
        '…' => "\\dots{}".into(),
        '\u{a0}' => "~".into(),
        c if ('\u{a1}'..='\u{17f}').contains(&c) => c.to_string(),
        c => format!("[U+{:04X}]", c as u32),
    }
}

/// A character as LaTeX mathematics.
fn mathematics(c: char) -> Option<String> {
    if c.is_ascii() {
        return None;
    }
    let command = match c {
        '∂' => r"\partial ",
        '⌟' => r"\mathbin{\lrcorner}",
        '∧' => r"\wedge ",
        '⇔' => r"\Leftrightarrow ",
        '→' => r"\to ",
        '↦' => r"\mapsto ",
        '≔' => ":=",
        '−' => "-",
        '·' => r"\cdot ",
        '×' => r"\times ",
        '≠' => r"\neq ",
        '≤' => r"\leq ",
        '≥' => r"\geq ",
        '½' => r"\tfrac12 ",
        '⅓' => r"\tfrac13 ",
        '⅔' => r"\tfrac23 ",
        '¼' => r"\tfrac14 ",
        '¾' => r"\tfrac34 ",
        '⅕' => r"\tfrac15 ",
        '⅙' => r"\tfrac16 ",
        '⅛' => r"\tfrac18 ",
        '⅜' => r"\tfrac38 ",
        '√' => r"\surd ",
        '∛' => r"{}^3\surd ",
        '∜' => r"{}^4\surd ",
        '∫' => r"\int ",
        '∇' => r"\nabla ",
        '⊗' => r"\otimes ",
        '′' => "'",
        '″' => "''",
        '‴' => "'''",
        '⁗' => "''''",
        '˙' => r"{}^{\cdot}",
        'ο' => "o",
        '𝒩' => r"\mathcal N",
        'ℋ' => r"\mathcal H",
        'ℝ' => r"\mathbb R",
        'Σ' => r"\Sigma ",
        'ẋ' => r"\dot x",
        'ẏ' => r"\dot y",
        'ẍ' => r"\ddot x",
        'ṡ' => r"\dot s",
        'ṗ' => r"\dot p",
        'Ė' => r"\dot E",
        'Ḣ' => r"\dot H",
        // Greek letters have their commands.
        c => {
            let letter = galilei_expr::Layout::Name(c.to_string()).to_latex();
            let known = letter.starts_with('\\') && !letter.starts_with("\\text");
            return known.then_some(letter);
        }
    };
    Some(command.to_owned())
}

/// The accent of a combining mark.
fn accent(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{307}' => r"\dot",
        '\u{308}' => r"\ddot",
        '\u{20db}' => r"\dddot",
        '\u{20dc}' => r"\ddddot",
        '\u{303}' => r"\tilde",
        '\u{304}' | '\u{305}' => r"\bar",
        _ => return None,
    })
}

/// Raised (true) and lowered digits and letters.
fn script(c: char) -> Option<(bool, char)> {
    const UP: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁱʲᵏˡᵐⁿᵃᵇᶜᵀ";
    const UP_AS: &str = "0123456789+-ijklmnabcT";
    const DOWN: &str = "₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₗₘₙₐₜₓᵣ";
    const DOWN_AS: &str = "0123456789+-ijklmnatxr";
    let find = |list: &str, plain: &str| {
        let k = list.chars().position(|x| x == c)?;
        plain.chars().nth(k)
    };
    find(UP, UP_AS)
        .map(|p| (true, p))
        .or_else(|| find(DOWN, DOWN_AS).map(|p| (false, p)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_words_and_formulas_are_mathematics() {
        for (given, set) in [
            ("50 % of a_b", r"50 \% of $a_{b}$"),
            (
                "gᵢⱼ = ∂²L/∂uⁱ∂uʲ, the mass matrix",
                r"$g_{ij} = \partial ^{2}L/\partial u^{i}\partial u^{j}$, the mass matrix",
            ),
            ("A force is a covector F.", r"A force is a covector $F$."),
            (
                "the gauge: V − ∂ₜf and A + ∂f",
                r"the gauge: $V - \partial _{t}f$ and $A + \partial f$",
            ),
            ("q̈ᵏ", r"$\ddot{q}^{k}$"),
            ("λ ≠ 0", r"$\lambda \neq  0$"),
            ("Aᵀ", r"$A^{T}$"),
            ("δu_e₀", r"$\delta u_{e_{0}}$"),
            ("δxⁱ = 2 and (82)", r"$\delta x^{i} = 2$ and (82)"),
            (
                "ω = L dt + pᵢdxⁱ",
                r"$\omega = L \mathrm{d}t + p_{i}\mathrm{d}x^{i}$",
            ),
            ("H(t, x, p) = pᵢuⁱ − L", r"$H(t, x, p) = p_{i}u^{i} - L$"),
            (
                "P2: ∂F_theta/∂theta' = -c must vanish",
                r"P2: $\partial F_{\theta}/\partial \dot{\theta} = -c$ must vanish",
            ),
            (
                "Γ^β_α = −½ ∂f^β/∂u^α, β is the row",
                r"$\Gamma^{\beta}_{\alpha} = -\tfrac12  \partial f^{\beta}/\partial u^{\alpha}$, $\beta$ is the row",
            ),
            (
                "i_ΓR = −Φ^β_α θ^α ⊗ ∂_{u^β}",
                r"$i_{\Gamma}R = -\Phi^{\beta}_{\alpha} \theta^{\alpha} \otimes  \partial _{u^{\beta}}$",
            ),
            ("δu_φ_R", r"$\delta u_{\varphi_{R}}$"),
            (
                "δu_φ_c₁ and δφ_c₁",
                r"$\delta u_{\varphi_{c_{1}}}$ and $\delta\varphi_{c_{1}}$",
            ),
            ("r^(3/2)", r"$r^{(3/2)}$"),
            (
                "X ⌟ Ω_L = x^10",
                r"$X \mathbin{\lrcorner} \Omega_{L} = x^{10}$",
            ),
            ("T-47 and (T-26)", "T-47 and (T-26)"),
            ("in the chart (t, x, p).", r"in the chart $(t, x, p)$."),
            ("well-known, Hamilton’s", "well-known, Hamilton's"),
        ] {
            assert_eq!(text(given), set, "{given}");
        }
    }
}
