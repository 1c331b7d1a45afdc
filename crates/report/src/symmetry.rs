//! First integrals of declared symmetries.

use galilei_check::Checker;
use galilei_expr::Layout;

use crate::derivation::{Derivation, Draft, MAX_READABLE_DEGREES, Shape, Tree};

impl<'m> Derivation<'m> {
    /// I = πᵢvⁱ − v⁰E − h for each declared symmetry, and its rate where it is not conserved. (T-111)
    pub(crate) fn add_symmetries(&self, d: &mut Draft<'m>) {
        if self.n() > MAX_READABLE_DEGREES || self.is_in_another_chart() {
            return;
        }
        let mut entries = Vec::new();
        for s in Checker::new(self.model).symmetries() {
            let Some(quantity) = s.quantity else { continue };
            let letter = Layout::name("I").indexed(Layout::Name(s.name.clone()));
            let conserved = s.verdict.is_proved();
            let note = match (conserved, &s.sheets) {
                (true, None) => "conserved".to_owned(),
                (true, Some(sheets)) => format!("conserved on {}", sheets.join(" and ")),
                (false, _) => String::new(),
            };
            Self::line(d, "Noether", Shape::Equal(letter, quantity), "T-111", note);
            if !conserved {
                let rate = Layout::name("I'").indexed(Layout::Name(s.name.clone()));
                Self::line(d, "Noether", Shape::Equal(rate, s.rate), "T-111", s.remark);
            }
            let parts = vec![
                ("value".into(), Tree::One(quantity)),
                ("rate".into(), Tree::One(s.rate)),
            ];
            entries.push((s.name, Tree::Many(parts)));
        }
        if !entries.is_empty() {
            d.components
                .push(("symmetries".into(), Tree::Many(entries)));
        }
    }
}
