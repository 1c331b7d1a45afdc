//! The linearised equations at an equilibrium. (T-201)

use galilei_expr::{Expr, Layout};

use super::Derivation;
use super::draft::Draft;
use super::shape::Shape;
use super::tree::Tree;
use crate::topic::Topic;

impl<'m> Derivation<'m> {
    /// M q̈ + (C + G) q̇ + (K + N) q = 0 at an equilibrium with a formula. (T-201, T-202)
    pub(super) fn linear(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Linear);
        let refused = |d: &mut Draft<'m>, why: String| {
            d.reason = Some(why);
            d.components = vec![("components".into(), Tree::Null)];
        };
        if self.is_in_another_chart() {
            refused(
                &mut d,
                "the equations are linearised in the chart of the model".into(),
            );
            return d;
        }
        let found = match galilei_analyse::symbolic_linearisation(self.model) {
            Ok(found) => found,
            Err(why) => {
                refused(&mut d, why);
                return d;
            }
        };
        let position = self.all_present(&found.position);
        let stable = match found.stable {
            Some(true) => ", stable for the numbers of the model",
            Some(false) => ", unstable for the numbers of the model",
            None => "",
        };
        let moving = found.velocity.iter().zip(&self.names);
        let moving: Vec<String> = moving
            .filter(|(v, _)| !v.is_zero())
            .map(|(_, name)| format!("{name}'"))
            .collect();
        let constant = match moving.is_empty() {
            true => String::new(),
            false => format!(", with constant {}", moving.join(", ")),
        };
        let note = match found.proved {
            true => format!(
                "it satisfies the equations for all values of the parameters{constant}{stable}"
            ),
            false => {
                "no formula of an equilibrium was found: the matrices hold at every one".into()
            }
        };
        // Ignorable coordinates have any value.
        let x = self.model.positions();
        let shown: Vec<usize> = (0..position.len())
            .filter(|&i| position[i] != x[i])
            .collect();
        for (k, &i) in shown.iter().enumerate() {
            let note = if k + 1 == shown.len() {
                note.as_str()
            } else {
                ""
            };
            let label = if k == 0 { "Equilibrium" } else { "" };
            let shape = Shape::Equal(self.name(i), position[i]);
            Self::line(&mut d, label, shape, "T-202", note);
        }
        if shown.is_empty() && !found.proved {
            d.reason = Some(note);
        }
        d.components
            .push(("equilibrium".into(), self.named(&position)));
        let reactions: Vec<(String, Tree<'m>)> = found
            .multipliers
            .iter()
            .map(|(name, e)| (name.clone(), Tree::One(self.present_short(*e))))
            .collect();
        if !reactions.is_empty() {
            d.components
                .push(("multipliers".into(), Tree::Many(reactions)));
        }
        for &e in &found.conditions {
            let e = self.present_short(e);
            Self::line(&mut d, "Condition", Shape::Zero(e), "T-202", "");
        }
        let parts: [(&str, &Vec<Vec<Expr<'m>>>, &str); 5] = [
            ("M", &found.mass, "the mass matrix"),
            ("C", &found.damping, "damping"),
            (
                "G",
                &found.gyroscopic,
                "gyroscopic forces, which do no work",
            ),
            ("K", &found.stiffness, "stiffness"),
            (
                "N",
                &found.circulatory,
                "circulatory forces, which have no potential",
            ),
        ];
        for (name, rows, note) in parts {
            let rows: Vec<Vec<Expr<'m>>> = rows.iter().map(|row| self.all_present(row)).collect();
            let rows = &rows;
            let zero = rows.iter().flatten().all(|e| e.is_zero());
            let names = &found.independent;
            let tree = match zero && name != "M" && name != "K" {
                true => {
                    let entries = names.iter().map(|a| {
                        let row = names
                            .iter()
                            .map(|b| (b.clone(), Tree::One(self.model.pool().zero())));
                        (a.clone(), Tree::Many(row.collect()))
                    });
                    Tree::Many(entries.collect())
                }
                false => {
                    let label = if name == "M" { "Matrices" } else { "" };
                    let line = (label, Layout::Name(name.into()), "T-201", note);
                    self.add_matrix(&mut d, line, rows, names)
                }
            };
            d.components.push((name.into(), tree));
        }
        let words = found.independent.join(", ");
        d.components.push(("q".into(), Tree::Words(words)));
        d
    }
}
