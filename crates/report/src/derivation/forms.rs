//! Differential forms: Cartan form and action form.

use galilei_expr::{Expr, Layout};
use galilei_geometry::Form;

use super::Derivation;
use super::draft::{Draft, Line};
use super::shape::Shape;
use super::tree::Tree;
use crate::topic::Topic;

/// The length up to which a form is written as one text.
const MAX_FORM_BYTES: usize = 60_000;

impl<'m> Derivation<'m> {
    pub(crate) fn differential(name: &str) -> Layout {
        Layout::name(name).differential()
    }

    /// The names of the chart (t, x, u).
    pub(crate) fn chart_names(&self) -> Vec<String> {
        let u = self.names.iter().map(|n| format!("{n}'"));
        std::iter::once("t".to_owned())
            .chain(self.names.iter().cloned())
            .chain(u)
            .collect()
    }

    pub(super) fn cartan(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Cartan);
        let omega = self.readable.lagrangian().cartan_form();
        self.form(
            &mut d,
            "Cartan form",
            "ω",
            &omega,
            "T-42",
            "ω = L dt + ∂L/∂uⁱ θⁱ",
        );
        d
    }

    pub(super) fn form(
        &self,
        d: &mut Draft<'m>,
        label: &str,
        letter: &str,
        form: &Form<'m>,
        theorem: &'static str,
        note: &str,
    ) {
        let names = self.chart_names();
        let mut terms = Vec::new();
        let mut entries = Vec::new();
        let mut list: Vec<(Vec<usize>, Expr<'m>)> = form.terms().collect();
        // du ∧ dx before dx ∧ dx before dx ∧ dt, and the reading order within.
        let weight = |k: &[usize]| -> usize { k.iter().sum() };
        list.sort_by_key(|(k, _)| (std::cmp::Reverse(weight(k)), k.clone()));
        for (indices, e) in list {
            // dx ∧ du is written du ∧ dx.
            let (order, e) = match indices.as_slice() {
                [a, b] => (vec![*b, *a], -e),
                _ => (indices.clone(), e),
            };
            let e = self.present(e);
            let basis = Layout::wedge(order.iter().map(|&k| Self::differential(&names[k])));
            let key: Vec<&str> = order.iter().map(|&k| names[k].as_str()).collect();
            entries.push((key.join(" "), Tree::One(e)));
            terms.push((e, basis));
        }
        d.components = vec![("components".into(), Tree::Many(entries))];
        let written = form.map_coefficients(|e| self.present(e)).written();
        if written.len() < MAX_FORM_BYTES {
            d.components.push(("form".into(), Tree::Words(written)));
        }
        d.lines.push(Line {
            label: label.into(),
            shape: Shape::Combination(Layout::Name(letter.into()), terms),
            theorem,
            note: note.into(),
        });
    }

    pub(super) fn action_form(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::ActionForm);
        if let Some(given) = self.given() {
            self.given_action_form(&mut d, given);
            return d;
        }
        let omega = self.readable.action_two_form();
        self.form(
            &mut d,
            "Action form",
            "Ω",
            &omega,
            "T-47",
            "Ω = dω + ΣΦ, and X ⌟ Ω = 0",
        );
        d
    }
}
