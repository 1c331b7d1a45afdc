//! Turns drafts into sections: formulas become layouts, and parts that occur repeatedly in long formulas get abbreviations,
//! `where c₁ = …`.
//!
//! A [`Draft`] has expressions, a [`Section`] has what is shown. Each section has abbreviations of its own and can be read alone,
//! unless a whole derivation needs so many that its sections share them.

use std::collections::HashSet;

use galilei_expr::{Expr, ExprId, Pool, Shared};

use crate::chapter::place;
use crate::derivation::{Derivation, Draft, Formula, Section};
use crate::document::{Component, Entries};

/// Characters up to which the formulas of a section are written without abbreviations.
const MAX_SECTION_CHARACTERS: usize = 1500;
/// Characters up to which components, which programs read, are written without abbreviations.
const MAX_COMPONENT_CHARACTERS: usize = 20_000;
/// The number of abbreviations of a whole derivation above which its sections share them: the definitions of long parts
/// would otherwise be printed in each section again.
const MIN_SHARED_ABBREVIATIONS: usize = 120;
/// The largest number of characters of a formula with common abbreviations: two screens.
const MAX_FORMULA_CHARACTERS: usize = 3000;

/// The pool of abbreviations, and the names of the model, which no abbreviation may have.
struct Names<'m> {
    pool: &'m Pool,
    taken: Vec<String>,
}

impl<'m> Names<'m> {
    /// The expressions with abbreviations for their common parts, chosen so that all of it has at most about `budget`
    /// characters.
    fn share(&self, exprs: &[Expr<'m>], budget: usize) -> Shared<'m> {
        let taken = self.taken.iter().map(String::as_str);
        self.pool.share_avoiding(exprs, budget, taken)
    }
}

impl<'m> Draft<'m> {
    /// The expressions in the formulas, from the first line to the last.
    fn exprs(&self) -> Vec<Expr<'m>> {
        let mut list = Vec::new();
        for line in &self.lines {
            line.shape.collect(&mut list);
        }
        unfolded(list)
    }

    /// The formulas with abbreviations of their own, if they are long.
    fn shared(&self, names: &Names<'m>) -> Shared<'m> {
        names.share(
            &self.exprs(),
            MAX_SECTION_CHARACTERS.max(self.lines.len() * 400),
        )
    }
}

impl Section {
    /// The words that introduce the list of abbreviations.
    pub(crate) fn meaning(&self) -> &'static str {
        match (self.earlier, self.abbreviations.is_empty()) {
            (false, _) => "where",
            (true, false) => "where, with abbreviations defined above,",
            (true, true) => "with abbreviations defined above",
        }
    }
}

impl<'m> Derivation<'m> {
    /// A section with abbreviations of its own.
    pub(crate) fn finish(&self, d: &Draft<'m>) -> Section {
        self.written(d, &d.shared(&self.abbreviating()))
    }

    /// The names that are taken: those of parameters, functions and coordinates, also of other charts.
    fn abbreviating(&self) -> Names<'m> {
        let c = self.contents;
        let parameters = c.parameters.iter().map(|p| &p.name);
        let coordinates = c.coordinates.iter().map(|x| &x.name);
        let charts = c.charts.iter().flat_map(|k| &k.coordinates);
        let taken = parameters.chain(coordinates).chain(charts);
        Names {
            pool: self.model.pool(),
            taken: taken.chain(&c.functions).cloned().collect(),
        }
    }

    /// The sections of a whole derivation, in the order of their drafts. If they need many abbreviations,
    /// these are shared, each defined in the section in which it is first used.
    pub fn render(&self, drafts: &[Draft<'m>]) -> Vec<Section> {
        let names = self.abbreviating();
        let mut shared: Vec<Shared<'m>> = drafts.iter().map(|d| d.shared(&names)).collect();
        let many =
            shared.iter().map(|s| s.definitions.len()).sum::<usize>() > MIN_SHARED_ABBREVIATIONS;
        let earlier = match many {
            true => share_together(&names, drafts, &mut shared),
            false => vec![false; drafts.len()],
        };
        let both = drafts.iter().zip(&shared).zip(earlier);
        let sections = both.map(|((d, s), earlier)| Section {
            earlier,
            ..self.written(d, s)
        });
        sections.collect()
    }

    /// The section of a draft whose expressions are replaced by those of `formulas`, in the same order.
    fn written(&self, d: &Draft<'m>, formulas: &Shared<'m>) -> Section {
        let draw = |e: Expr<'m>| self.draw(e);
        let definitions = &formulas.definitions;
        let mut next = formulas.exprs.iter().copied();
        let formulas = d.lines.iter().map(|line| Formula {
            label: line.label.clone(),
            layout: line.shape.layout(&mut next, &draw),
            theorem: line.theorem,
            note: line.note.clone(),
        });
        let formulas = formulas.collect();
        let abbreviations = definitions.iter();
        let (components, shared) = self.components(d);
        Section {
            topic: d.topic,
            formulas,
            abbreviations: abbreviations.map(|&(s, e)| (draw(s), draw(e))).collect(),
            earlier: false,
            components,
            shared,
            reason: d.reason.clone(),
        }
    }

    /// The components for programs, and the definitions of their abbreviations.
    fn components(&self, d: &Draft<'m>) -> (Entries<Component>, Entries<String>) {
        let mut exprs: Vec<Expr<'m>> = Vec::new();
        for (_, tree) in &d.components {
            tree.collect(&mut exprs);
        }
        let exprs = unfolded(exprs);
        let shared = self.abbreviating().share(&exprs, MAX_COMPONENT_CHARACTERS);
        let mut next = shared.exprs.iter().copied();
        let components = d.components.iter();
        let components = components.map(|(k, t)| (k.clone(), t.component(&mut next)));
        let components = components.collect();
        let definitions = shared.definitions.iter();
        let definitions = definitions.map(|(s, e)| (s.to_string(), e.to_string()));
        (components, definitions.collect())
    }
}

/// Formulas in (t, x, p) in place of those that contain a Lagrangian without closed form, the Legendre transform of a given
/// Hamiltonian, where there are any.
fn unfolded<'m>(list: Vec<Expr<'m>>) -> Vec<Expr<'m>> {
    let Some(first) = list.first() else {
        return list;
    };
    let pool = first.pool();
    let one = |e: &Expr<'m>| match pool.legendre_unfolded(&[*e]).as_deref() {
        Some([moved]) if moved != e => moved.present(&galilei_expr::Reading::new()),
        _ => *e,
    };
    list.iter().map(one).collect()
}

/// Replaces the abbreviations of all drafts that need some by common ones, each listed in the first section, in the order of
/// chapters, that uses it. The result says which drafts use abbreviations of earlier sections.
fn share_together<'m>(
    names: &Names<'m>,
    drafts: &[Draft<'m>],
    shared: &mut [Shared<'m>],
) -> Vec<bool> {
    let mut long: Vec<usize> = (0..drafts.len()).collect();
    long.retain(|&k| !shared[k].definitions.is_empty());
    long.sort_by_key(|&k| place(drafts[k].topic));
    let all: Vec<Expr<'m>> = long.iter().flat_map(|&k| drafts[k].exprs()).collect();
    let together = names.share(&all, MAX_FORMULA_CHARACTERS);
    let mut exprs = together.exprs.iter().copied();
    let mut defined = vec![false; together.definitions.len()];
    let mut earlier = vec![false; drafts.len()];
    for k in long {
        let few: Vec<Expr<'m>> = exprs.by_ref().take(shared[k].exprs.len()).collect();
        let needed = needed(&few, &together);
        earlier[k] = needed.iter().any(|&i| defined[i]);
        let new = needed.into_iter().filter(|&i| !defined[i]);
        let new: Vec<usize> = new.collect();
        for &i in &new {
            defined[i] = true;
        }
        shared[k] = Shared {
            exprs: few,
            definitions: new.iter().map(|&i| together.definitions[i]).collect(),
        };
    }
    earlier
}

/// The definitions that some expressions use, directly or through others, each after those it uses.
fn needed<'m>(exprs: &[Expr<'m>], together: &Shared<'m>) -> Vec<usize> {
    let names = |e: &Expr<'m>| e.symbols().into_iter().map(Expr::id);
    let mut used: HashSet<ExprId> = exprs.iter().flat_map(names).collect();
    let mut needed = Vec::new();
    for (i, (name, value)) in together.definitions.iter().enumerate().rev() {
        if used.contains(&name.id()) {
            used.extend(names(value));
            needed.push(i);
        }
    }
    needed.reverse();
    needed
}
