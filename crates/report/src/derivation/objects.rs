//! Vector fields and forms in the chart of the state space, as formulas and as components.

use galilei_expr::{Expr, Layout};
use galilei_geometry::{Form, VectorField};

use super::Derivation;
use super::draft::Draft;
use super::shape::Shape;
use super::tree::Tree;

/// Characters up to which a form is written as one text of the model language.
const MAX_FORM_CHARACTERS: usize = 4000;

/// Terms of a formula with their basis, and the same as components.
pub(crate) type Terms<'m> = (Vec<(Expr<'m>, Layout)>, Vec<(String, Tree<'m>)>);

impl<'m> Derivation<'m> {
    /// A vector field over the chart with these names, without zero components.
    pub(crate) fn vector_terms(&self, v: &VectorField<'m>, names: &[String]) -> Terms<'m> {
        let mut terms = Vec::new();
        let mut entries = Vec::new();
        for (k, &c) in v.components().iter().enumerate() {
            let c = self.present_short(c);
            if !c.is_zero() {
                terms.push((c, Layout::name(&names[k]).coordinate_field()));
                entries.push((names[k].clone(), Tree::One(c)));
            }
        }
        (terms, entries)
    }

    /// A form over the chart with these names: du before dx before dt, two factors in that order.
    pub(crate) fn form_terms(&self, form: &Form<'m>, names: &[String]) -> Terms<'m> {
        let mut list: Vec<(Vec<usize>, Expr<'m>)> = form.terms().collect();
        let weight = |k: &[usize]| -> usize { k.iter().sum() };
        list.sort_by_key(|(k, _)| (std::cmp::Reverse(weight(k)), k.clone()));
        let mut terms = Vec::new();
        let mut entries = Vec::new();
        for (indices, e) in list {
            let (order, e) = match indices.as_slice() {
                [a, b] => (vec![*b, *a], -e),
                _ => (indices.clone(), e),
            };
            let e = self.present_short(e);
            if e.is_zero() {
                continue;
            }
            let basis = Layout::wedge(order.iter().map(|&k| Self::differential(&names[k])));
            let key: Vec<&str> = order.iter().map(|&k| names[k].as_str()).collect();
            entries.push((key.join(" "), Tree::One(e)));
            terms.push((e, basis));
        }
        (terms, entries)
    }

    /// A form as a line, and as components with the form itself as one text of the model language.
    pub(crate) fn add_form(
        &self,
        d: &mut Draft<'m>,
        (label, left, theorem, note): (&str, Layout, &'static str, &str),
        form: &Form<'m>,
    ) -> Tree<'m> {
        let names = self.chart_names();
        let (terms, entries) = self.form_terms(form, &names);
        let text = form_text(&entries);
        Self::line(d, label, Shape::Combination(left, terms), theorem, note);
        Tree::Many(vec![
            ("components".into(), Tree::Many(entries)),
            ("form".into(), text.map_or(Tree::Null, Tree::Words)),
        ])
    }

    /// A vector field as a line, and as components.
    pub(crate) fn add_vector(
        &self,
        d: &mut Draft<'m>,
        (label, left, theorem, note): (&str, Layout, &'static str, &str),
        v: &VectorField<'m>,
        names: &[String],
    ) -> Tree<'m> {
        let (terms, entries) = self.vector_terms(v, names);
        Self::line(d, label, Shape::Combination(left, terms), theorem, note);
        Tree::Many(entries)
    }

    /// A matrix as a line, and by the names of its rows and columns; entries that vanish are left out of the components.
    pub(crate) fn add_matrix(
        &self,
        d: &mut Draft<'m>,
        (label, left, theorem, note): (&str, Layout, &'static str, &str),
        rows: &[Vec<Expr<'m>>],
        names: &[String],
    ) -> Tree<'m> {
        let rows: Vec<Vec<Expr<'m>>> = rows.iter().map(|row| self.all_present(row)).collect();
        let entries = rows.iter().enumerate().map(|(i, row)| {
            let list = row.iter().enumerate();
            let list = list.map(|(j, e)| (names[j].clone(), Tree::One(*e)));
            (names[i].clone(), Tree::Many(list.collect()))
        });
        let tree = Tree::Many(entries.collect());
        Self::line(d, label, Shape::Matrix(left, rows), theorem, note);
        tree
    }
}

/// A form as a text of the model language: `2*x*d(x') /\ d(x) + …`; `None` if it is too long.
fn form_text(entries: &[(String, Tree<'_>)]) -> Option<String> {
    let mut text = String::new();
    for (key, tree) in entries {
        let Tree::One(e) = tree else { continue };
        let basis: Vec<String> = key.split(' ').map(|k| format!("d({k})")).collect();
        let basis = basis.join(" /\\ ");
        let coefficient = e.to_string();
        let term = match coefficient.as_str() {
            "1" => basis,
            "-1" => format!("-{basis}"),
            c => {
                let sum = c
                    .char_indices()
                    .any(|(k, s)| matches!(s, '+' | '-') && k > 0);
                match sum {
                    true => format!("({c})*{basis}"),
                    false => format!("{c}*{basis}"),
                }
            }
        };
        match (text.is_empty(), term.strip_prefix('-')) {
            (true, _) => text = term,
            (false, Some(rest)) => text += &format!(" - {rest}"),
            (false, None) => text += &format!(" + {term}"),
        }
        if text.len() > MAX_FORM_CHARACTERS {
            return None;
        }
    }
    Some(if text.is_empty() { "0".into() } else { text })
}
