//! Outputs and events that use the multipliers of constraints or the norms of their reactions.

use galilei_expr::Expr;
use galilei_model::{ConstraintRow, Model};

/// `multiplier(NAME)` or `reaction(NAME)` in an output, and the constraints it means.
struct Mention<'p> {
    symbol: Expr<'p>,
    /// Whether the output is the norm of a reaction.
    norm: bool,
    members: Vec<usize>,
}

/// The multipliers and reactions that the outputs and events of a model mention.
pub(crate) struct Mentions<'p> {
    list: Vec<Mention<'p>>,
    /// The multiplier of each constraint.
    multipliers: Vec<Expr<'p>>,
}

/// The name of a constraint without its component: a constraint between tuples has one row per component, `contact.x`.
fn stem(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

impl<'p> Mentions<'p> {
    pub(crate) fn new(model: &'p Model, constraints: &[ConstraintRow<'p>]) -> Self {
        let pool = model.pool();
        let outputs = model.contents().outputs.iter().map(|o| o.value);
        let events = model.contents().events.iter().map(|e| e.value);
        let users: Vec<Expr<'p>> = outputs.chain(events).map(|e| model.expr(e)).collect();
        let mut names: Vec<&str> = Vec::new();
        for c in constraints {
            for name in [stem(&c.name), &c.name] {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let mut list = Vec::new();
        for name in names {
            let within = |c: &ConstraintRow<'p>| c.name == name || stem(&c.name) == name;
            let members: Vec<usize> = (0..constraints.len())
                .filter(|&k| within(&constraints[k]))
                .collect();
            for (word, norm) in [("reaction", true), ("multiplier", false)] {
                let symbol = pool.symbol(&format!("{word}({name})"));
                if users.iter().any(|e| e.contains(symbol)) {
                    list.push(Mention {
                        symbol,
                        norm,
                        members: members.clone(),
                    });
                }
            }
        }
        let multipliers = constraints
            .iter()
            .map(|c| pool.symbol(&format!("multiplier({})", c.name)))
            .collect();
        Self { list, multipliers }
    }

    /// Whether an expression contains a multiplier or a reaction.
    pub(crate) fn are_in(&self, e: Expr<'p>) -> bool {
        self.list.iter().any(|m| e.contains(m.symbol))
    }

    /// The inputs of expressions with multipliers and reactions, behind those of the state: all multipliers, and the
    /// norms that are mentioned.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = Expr<'p>> + '_ {
        let norms = self.list.iter().filter(|m| m.norm);
        let multipliers = self.multipliers.iter().copied();
        multipliers.chain(norms.map(|m| m.symbol))
    }

    /// The constraints of each norm that is mentioned.
    pub(crate) fn reactions(&self) -> Vec<Vec<usize>> {
        let norms = self.list.iter().filter(|m| m.norm);
        norms.map(|m| m.members.clone()).collect()
    }

    /// Multipliers that are called by the name of their statement, and what they are called here.
    pub(crate) fn synonyms(&self) -> Vec<(Expr<'p>, Expr<'p>)> {
        let multipliers = self.list.iter().filter(|m| !m.norm);
        multipliers
            .map(|m| (m.symbol, self.multipliers[m.members[0]]))
            .collect()
    }
}
