//! A derivation as a LaTeX document.
//!
//! Formulas are paragraphs of their own, so that TeX breaks them into lines; theorem numbers are at
//! the right margin. The document needs nothing but `amsmath` and `amssymb`.

mod prose;

use std::fmt::Write;

use crate::chapter::chapters;
use crate::derivation::{Formula, Section};
use crate::matrix::written;
use crate::theorem::{PAPERS, theorem};
use prose::{plain, text};

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
\relpenalty=300 \binoppenalty=100 \emergencystretch=3em
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
        plain(title)
    );
    let mut cited = Vec::new();
    for chapter in chapters(sections) {
        let _ = writeln!(out, "\n\\section{{{}}}", plain(chapter.title));
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
                said.push(format!("[{}]", plain(t.source)));
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
        let _ = writeln!(out, "\\item[{}] {}", plain(letters), plain(paper));
    }
    out.push_str("\\end{description}\n");
}
