//! The quantities that free motion conserves, and whether impacts, closed contacts and friction keep them. (T-203, T-204)

use galilei_expr::{Expr, Verdict};
use galilei_geometry::decide_all_zero;

use crate::Checker;
use crate::finding::Finding;

/// A statement with expressions that vanish if it keeps a quantity.
type Claim<'p> = (String, Vec<Expr<'p>>);

impl<'p> Checker<'p> {
    /// For each quantity that free motion conserves, whether contacts, friction and impacts keep it, too.
    pub(crate) fn through_contacts(self, energy: bool, momenta: &[String]) -> Vec<Finding> {
        let mut list = Vec::new();
        if energy {
            let why = "restitution 1 and a gap at rest, without friction";
            list.push(self.kept("E", self.energy_claims(), why));
        }
        let coordinates = &self.model.contents().coordinates;
        for name in momenta {
            let Some(place) = coordinates.iter().position(|c| c.name == *name) else {
                continue;
            };
            let why = "no gap and no velocity of a friction depends on the coordinate";
            list.push(self.kept(&format!("p({name})"), self.momentum_claims(place), why));
        }
        list
    }

    /// The finding on a quantity.
    fn kept(self, quantity: &str, claims: Vec<Claim<'p>>, why: &str) -> Finding {
        let name = format!("conserved through contacts: {quantity}");
        let mut all: Option<Verdict> = None;
        let mut changing = Vec::new();
        for (statement, zeros) in claims {
            let verdict = decide_all_zero(zeros);
            if !verdict.is_proved() {
                changing.push(statement);
            }
            all = Some(match all {
                Some(before) => before.and(verdict),
                None => verdict,
            });
        }
        if !self.model.contents().impacts.is_empty() {
            let why = "the velocities after an `impact` statement are its own";
            return Finding::new(name, "T-203", None, why, false);
        }
        let detail = match changing.as_slice() {
            [] => why.to_owned(),
            list => format!(
                "{} may change it; between impacts, while contacts are open and nothing rubs, it is conserved",
                list.join(", ")
            ),
        };
        Finding::new(name, "T-203", all, detail, false)
    }

    /// The energy: no impulse, reaction or friction does work.
    fn energy_claims(self) -> Vec<Claim<'p>> {
        let (c, one) = (self.model.contents(), self.model.pool().one());
        let mut claims = Vec::new();
        for contact in &c.contacts {
            let moves = self.model.expr(contact.gap).diff(self.model.time());
            let mut zeros = vec![self.model.expr(contact.restitution) - one, moves];
            if !contact.along.is_empty() {
                zeros.push(self.model.expr(contact.friction));
            }
            claims.push((contact.name.clone(), zeros));
        }
        for f in &c.frictions {
            claims.push((f.name.clone(), vec![self.model.expr(f.limit)]));
        }
        // Impulses of moving constraints do work.
        let zero = self.model.pool().zero();
        let rest: Vec<_> = (self.model.velocities().into_iter())
            .map(|u| (u, zero))
            .collect();
        for row in self.model.constraint_rows() {
            if let Some(rate) = row.rate.or(row.residual) {
                claims.push((row.name.clone(), vec![rate.substitute(&rest)]));
            }
        }
        claims
    }

    /// The momentum of a coordinate: impulses, reactions and friction have no component along it.
    fn momentum_claims(self, place: usize) -> Vec<Claim<'p>> {
        let c = self.model.contents();
        let (x, u) = (
            self.model.positions()[place],
            self.model.velocities()[place],
        );
        let along = |list: &[galilei_expr::ExprId]| -> Vec<Expr<'p>> {
            let velocities = self.model.exprs(list).into_iter();
            velocities.map(|v| v.diff(u)).collect()
        };
        let contacts = c.contacts.iter().map(|contact| {
            let mut zeros = vec![self.model.expr(contact.gap).diff(x)];
            zeros.extend(along(&contact.along));
            (contact.name.clone(), zeros)
        });
        let frictions = c
            .frictions
            .iter()
            .map(|f| (f.name.clone(), along(&f.along)));
        contacts.chain(frictions).collect()
    }
}
