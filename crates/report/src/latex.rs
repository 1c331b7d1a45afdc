//! A derivation as a LaTeX document.
//!
//! Formulas are paragraphs of their own, so that TeX breaks them into lines; theorem numbers are at
//! the right margin. The document needs nothing but `amsmath` and `amssymb`.

use std::fmt::Write;

use crate::chapter::chapters;
use crate::derivation::{Formula, Section};
use crate::matrix::written;
use crate::theorem::{PAPERS, theorem};

/// Characters that fit on a line.
const MAX_LINE_CHARACTERS: usize = 62;

const PREAMBLE: &str = r"\documentclass[11pt,a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage{amsmath,amssymb}
\setlength{\textwidth}{150mm}\setlength{\oddsidemargin}{4.6mm}
\setlength{\textheight}{230mm}\setlength{\topmargin}{-14mm}
\setlength{\parindent}{0pt}\setlength{\parskip}{3pt plus 1pt}
\relpenalty=10000 \binoppenalty=100 \emergencystretch=3em
% A label with its theorem, a formula that may take several lines, a remark.
\newcommand{\step}[2]{\par\addvspace{10pt}\textsc{#1}\hfill{\footnotesize #2}\par\nobreak}
\newcommand{\formula}[1]{{\raggedright\leftskip=3.2em\parindent=-1.6em\indent$\displaystyle #1$\par}}
\newcommand{\remark}[1]{{\small\raggedright #1\par}}
";

/// A complete LaTeX document.
pub(crate) fn document(title: &str, sections: &[Section]) -> String {
    let mut out = PREAMBLE.to_owned();
    let _ = write!(
        out,
        "\\title{{{}}}\n\\author{{}}\\date{{}}\n\\begin{{document}}\n\\maketitle\n",
        text(title)
    );
    let mut cited = Vec::new();
    for chapter in chapters(sections) {
        let _ = writeln!(out, "\n\\section{{{}}}", text(chapter.title));
        for section in chapter.sections {
            steps(&mut out, section, &mut cited);
        }
    }
    if !cited.is_empty() {
        sources(&mut out, &cited);
    }
    out.push_str("\\end{document}");
    out
}

fn steps(out: &mut String, section: &Section, cited: &mut Vec<&'static str>) {
    let together = |a: &Formula, b: &Formula| b.label.is_empty() && a.theorem == b.theorem;
    for step in section.formulas.chunk_by(together) {
        let first = &step[0];
        let _ = writeln!(out, "\\step{{{}}}{{{}}}", text(&first.label), first.theorem);
        for f in step {
            formula(out, &f.layout);
        }
        let mut said: Vec<String> = step
            .iter()
            .filter(|f| !f.note.is_empty())
            .map(|f| format!("{}.", text(&f.note)))
            .collect();
        if let Some(t) = theorem(first.theorem)
            && !cited.contains(&t.number)
        {
            cited.push(t.number);
            said.push(text(t.says));
            if !t.source.is_empty() {
                said.push(format!("[{}]", text(t.source)));
            }
        }
        if !said.is_empty() {
            let _ = writeln!(out, "\\remark{{{}}}", said.join(" "));
        }
    }
    if let Some(reason) = &section.reason {
        let _ = writeln!(out, "\\remark{{{}}}", text(reason));
    }
    if !section.abbreviations.is_empty() || section.earlier {
        let _ = writeln!(out, "\\step{{{}}}{{}}", section.meaning());
        for (name, value) in &section.abbreviations {
            formula(out, &name.clone().equals(value.clone()));
        }
    }
}

fn formula(out: &mut String, layout: &galilei_expr::Layout) {
    for layout in written(layout, MAX_LINE_CHARACTERS) {
        let _ = writeln!(
            out,
            "\\formula{{{}}}",
            layout.to_latex_flow(MAX_LINE_CHARACTERS)
        );
    }
}

fn sources(out: &mut String, cited: &[&'static str]) {
    let cited = |letters: &str| {
        let sources = cited.iter().filter_map(|n| theorem(n)).map(|t| t.source);
        sources
            .flat_map(|s| s.split("; "))
            .any(|s| s.split(' ').next() == Some(letters))
    };
    let list: Vec<_> = PAPERS.iter().filter(|p| cited(p.0)).collect();
    if list.is_empty() {
        return;
    }
    out.push_str("\n\\section*{Sources}\n\\begin{description}\n");
    for (letters, paper) in list {
        let _ = writeln!(out, "\\item[{}] {}", text(letters), text(paper));
    }
    out.push_str("\\end{description}\n");
}

/// Text for LaTeX: special characters are escaped, mathematical letters become mathematics.
pub(crate) fn text(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        if let Some(accent) = letters.peek().and_then(|a| accent(*a)) {
            letters.next();
            let base = mathematics(c).unwrap_or_else(|| c.to_string());
            let _ = write!(out, "\\ensuremath{{{accent}{{{base}}}}}");
            continue;
        }
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' | '>' | '|' => {
                let _ = write!(out, "\\ensuremath{{{c}}}");
            }
            c if c.is_ascii() => out.push(c),
            c => match mathematics(c) {
                Some(m) => {
                    let _ = write!(out, "\\ensuremath{{{m}}}");
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
    if let Some(raised) = raised(c) {
        return Some(raised);
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

/// Raised and lowered digits and letters.
fn raised(c: char) -> Option<String> {
    const UP: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁱʲᵏˡᵐⁿᵃᵇᶜᵀ";
    const UP_AS: &str = "0123456789+-ijklmnabcT";
    const DOWN: &str = "₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₗₘₙₐₜₓᵣ";
    const DOWN_AS: &str = "0123456789+-ijklmnatxr";
    let find = |list: &str, plain: &str| {
        let k = list.chars().position(|x| x == c)?;
        plain.chars().nth(k)
    };
    find(UP, UP_AS)
        .map(|p| format!("^{{{p}}}"))
        .or_else(|| find(DOWN, DOWN_AS).map(|p| format!("_{{{p}}}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_mathematics_is_mathematics() {
        assert_eq!(text("50 % of a_b"), r"50 \% of a\_b");
        assert_eq!(text("gᵢⱼ"), r"g\ensuremath{_{i}}\ensuremath{_{j}}");
        assert_eq!(text("θ"), r"\ensuremath{\theta}");
        assert_eq!(text("q̈ᵏ"), r"\ensuremath{\ddot{q}}\ensuremath{^{k}}");
        assert_eq!(text("λ ≠ 0"), r"\ensuremath{\lambda} \ensuremath{\neq } 0");
        assert_eq!(text("Aᵀ"), r"A\ensuremath{^{T}}");
    }
}
