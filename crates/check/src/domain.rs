//! Where forces are defined: closed forces have potentials on star-shaped domains, and on others perhaps not.

use galilei_expr::{Expr, Function, Query, Reading, View};
use galilei_mechanics::{Force, PotentialTest};

use crate::Checker;
use crate::forces::short;

/// Written size (symbols and numbers) up to which a force is searched for points where it is not defined.
const MAX_SEARCHED_SIZE: u64 = 4_000;

/// The domain of a closed force. (T-124)
#[derive(Clone, Debug, Default)]
pub(super) struct Domain {
    /// Where the force is not defined, as equations.
    pub(super) holes: Vec<String>,
    /// Why there are no potentials on all of the domain, if that is known.
    pub(super) period: Option<String>,
    /// Whether the potentials that were found are defined wherever the force is.
    pub(super) exact: bool,
}

impl<'p> Checker<'p> {
    /// The holes in the domain of a closed force, and a period that does not vanish. (T-124)
    pub(super) fn domain(
        self,
        force: &Force<'p>,
        potentials: Option<&(Expr<'p>, Vec<Expr<'p>>)>,
    ) -> Domain {
        let PotentialTest::Potential { e, b, .. } = force.potential_test() else {
            return Domain::default();
        };
        let assumptions = self.model.assumptions();
        let constants = self.model.known_constants();
        let positions = force.state().base().positions();
        let mut found: Vec<Expr<'p>> = Vec::new();
        let mut all = e.clone();
        all.extend(b.iter().flatten());
        if all.iter().any(|c| c.written_size() > MAX_SEARCHED_SIZE) {
            return Domain::default();
        }
        for c in all {
            collect_singular(c, &mut found);
        }
        let can_vanish = |e: &Expr<'p>| {
            let fixed = e.substitute(&constants);
            e.contains_any(positions) && !fixed.decide_never_zero(&assumptions).is_proved()
        };
        found.retain(can_vanish);
        let holes: Vec<String> = found.iter().map(|e| format!("{} = 0", short(*e))).collect();
        if holes.is_empty() {
            return Domain::default();
        }
        let exact = potentials.is_some_and(|(v, a)| {
            if v.written_size() > MAX_SEARCHED_SIZE
                || a.iter().any(|a| a.written_size() > MAX_SEARCHED_SIZE)
            {
                return false;
            }
            let mut own = Vec::new();
            let mut single = is_single_valued(*v);
            collect_singular(*v, &mut own);
            for &a in a {
                single &= is_single_valued(a);
                collect_singular(a, &mut own);
            }
            own.retain(can_vanish);
            single && own.iter().all(|e| found.contains(e))
        });
        let period = match exact {
            true => None,
            false => self.period(&e, &b, positions),
        };
        Domain {
            holes,
            period,
            exact,
        }
    }

    /// ", on a domain that …" for a force with holes in its domain, else nothing.
    pub(super) fn domain_remark(self, force: &Force<'p>) -> String {
        let potentials = self.potentials(force);
        let domain = self.domain(force, potentials.as_ref());
        if domain.holes.is_empty() || domain.exact {
            return String::new();
        }
        let mut text = format!(
            "; the domain leaves out {}, so it is not star-shaped",
            domain.holes.join(" and ")
        );
        if let Some(why) = domain.period {
            text = format!("{text}; {why}");
        }
        text
    }

    /// ∮E around the origin of a plane, or ∫B over a sphere about the origin of a space, where the integrand is
    /// constant and so the integral known.
    fn period(self, e: &[Expr<'p>], b: &[Vec<Expr<'p>>], x: &[Expr<'p>]) -> Option<String> {
        let pool = self.model.pool();
        let n = x.len();
        let reading = Reading::new().assuming(&self.model.assumptions());
        let nonzero = |c: Expr<'p>| {
            let fixed = c.substitute(&self.model.known_constants());
            Query::zero(fixed).decide().verdict.is_refuted()
        };
        let flat = b.iter().flatten().all(|b| b.is_zero());
        // Circles in each coordinate plane, the other coordinates anywhere.
        for i in 0..n {
            for j in i + 1..n {
                if !flat {
                    continue;
                }
                let (s, r) = (pool.symbol("s#"), pool.symbol("r#"));
                let place = [(x[i], r * s.cos()), (x[j], r * s.sin())];
                let along = x[i] * e[j] - x[j] * e[i];
                let on_circle = along.substitute(&place).present(&reading);
                let constant = on_circle.diff(s).decide_zero().is_proved();
                if constant && !on_circle.contains(s) && nonzero(on_circle) {
                    let value = (2 * pool.pi() * on_circle).present(&reading);
                    if value.contains(r) {
                        continue;
                    }
                    return Some(format!(
                        "∮F = {} around {} = {} = 0: no potential on all of it",
                        short(value),
                        x[i],
                        x[j]
                    ));
                }
            }
        }
        if n == 3 {
            // B = (B₂₃, B₃₁, B₁₂); its flux through a sphere is 4πr·(x·B) if that is constant.
            let across = x[0] * b[1][2] + x[1] * b[2][0] + x[2] * b[0][1];
            let radius = pool.sum(x.iter().map(|x| x.pow(2))).sqrt();
            let density = (across * radius).present(&reading);
            let constant = x.iter().all(|&x| density.diff(x).decide_zero().is_proved());
            if constant && !density.contains_any(x) && nonzero(density) {
                let value = (4 * pool.pi() * density).present(&reading);
                return Some(format!(
                    "∫B = {} over spheres about the origin: no potential on all of it",
                    short(value)
                ));
            }
        }
        None
    }
}

/// Whether an expression has no function with branches or a restricted domain.
fn is_single_valued(e: Expr<'_>) -> bool {
    match e.view() {
        View::Sum(terms) => terms.into_iter().all(|t| is_single_valued(t.1)),
        View::Product(parts) => parts.into_iter().all(|p| is_single_valued(p.0)),
        View::Call(Function::Log, arguments) => {
            let none = galilei_expr::Assumptions::new();
            arguments[0].is_nonnegative_everywhere(&none) && is_single_valued(arguments[0])
        }
        View::Call(
            Function::Atan2 | Function::Atan | Function::Asin | Function::Acos | Function::Tan,
            _,
        ) => false,
        View::Call(_, arguments) => arguments.into_iter().all(is_single_valued),
        View::Integral { .. } => false,
        _ => true,
    }
}

/// The divisors, radicands and arguments of logarithms in an expression.
fn collect_singular<'p>(e: Expr<'p>, out: &mut Vec<Expr<'p>>) {
    let add = |e: Expr<'p>, out: &mut Vec<Expr<'p>>| {
        if e.as_rational().is_none() && !out.contains(&e) {
            out.push(e);
        }
    };
    match e.view() {
        View::Sum(terms) => {
            for (_, t) in terms {
                collect_singular(t, out);
            }
        }
        View::Product(parts) => {
            for (base, q) in parts {
                if q.is_negative() {
                    add(base, out);
                }
                collect_singular(base, out);
            }
        }
        View::Call(f, arguments) => {
            if matches!(f, Function::Log) {
                add(arguments[0], out);
            }
            for a in arguments {
                collect_singular(a, out);
            }
        }
        _ => {}
    }
}
