//! Action functionals and their first variation in a derivation.

use galilei_expr::{Expr, Layout};
use galilei_mechanics::{
    ActionFunctional, ActionKind, HamiltonianForm, HamiltonsPrinciple, Lagrangian, Principle,
    System, VirtualDisplacement,
};

use crate::derivation::{Derivation, Draft, Shape, Tree};
use crate::topic::Topic;
use crate::virtual_work::{combined, delta, is_zero, with_term};

/// ∫ … dt from t₀ to t₁
fn integral(of: Layout) -> Layout {
    let [from, to] = ["t0", "t1"].map(Layout::name);
    Layout::Integral(Box::new([from, to, of, Layout::name("t")]))
}

/// An integral as a term of a sum: whether it is subtracted, and its layout.
fn integral_term(of: Layout) -> (bool, Layout) {
    match of {
        Layout::Sum(mut one) if one.len() == 1 => {
            let (negative, of) = one.remove(0);
            (negative, integral(of))
        }
        of => (false, integral(of)),
    }
}

/// The difference of a quantity between the ends.
fn between_ends(of: Layout) -> Layout {
    let [from, to] = ["t0", "t1"].map(Layout::name);
    Layout::Tuple(vec![of]).indexed(from).power(to)
}

impl<'m> Derivation<'m> {
    /// The functionals of a short L and, where it is written out, of a short H.
    fn hamiltons_principle(&self) -> HamiltonsPrinciple<'m> {
        let form = self.canonical().map(|c| {
            let short = self.present(c.hamiltonian());
            HamiltonianForm::new(c.chart(), short)
        });
        HamiltonsPrinciple::new(self.readable.lagrangian(), form)
    }

    /// The six action functionals and their Euler operators. (T-63 … T-66)
    pub(crate) fn action(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Action);
        let principle = self.hamiltons_principle();
        let mut entries = Vec::new();
        for kind in ActionKind::ALL {
            let Some(functional) = principle.functional(kind) else {
                entries.push((kind.to_string(), Tree::Null));
                continue;
            };
            let written = self.is_written_out() || kind == ActionKind::E;
            let parts = self.integrand_parts(&functional);
            let mut e = functional.stationarity().equations;
            if written && has_own_equations(&functional) {
                e = self.all_present(&e);
            }
            entries.push((
                kind.to_string(),
                self.functional_tree(&functional, &parts, &e),
            ));
            if written {
                self.add_functional(&mut d, &functional, parts, &e);
            }
        }
        d.components = vec![("components".into(), Tree::Many(entries))];
        let canonical = principle.functional(ActionKind::B).is_some();
        d.reason = self.left_out(canonical);
        d
    }

    /// The note on functionals that are not written, and on why a motion is not a stationary point of its action.
    fn left_out(&self, canonical: bool) -> Option<String> {
        let mut out = Vec::new();
        if !self.is_written_out() {
            out.push("(a) and (c) stand in the components only".to_owned());
        }
        if !canonical {
            out.push(format!("without (b), (d), (f): {}", self.no_canonical()));
        }
        if self.is_constrained() {
            let why =
                "constraints restrict the variations, not the varied curves: see `first-variation`";
            out.push(why.into());
        } else if !self.readable.forces().is_empty() {
            out.push("forces beside L have no part in A: see `first-variation`".into());
        }
        (!out.is_empty()).then(|| out.join("; "))
    }

    /// The integrand, the conditions on curves, and the Euler operator by component; with conditions their
    /// multipliers `multiplier(x)` are in it.
    fn functional_tree(
        &self,
        functional: &ActionFunctional<'m>,
        parts: &Parts<'m>,
        e: &[Expr<'m>],
    ) -> Tree<'m> {
        let curve = functional.curve().components();
        let named = |list: &[Expr<'m>]| {
            let entries = curve.iter().zip(list);
            let entries = entries.map(|(y, &e)| (y.to_string(), Tree::One(e)));
            Tree::Many(entries.collect())
        };
        let conditions = self.all_present(functional.conditions());
        let words = curves_in_words(functional.kind());
        let mut tree = vec![
            ("integrand".into(), Tree::One(parts.sum())),
            ("conditions".into(), named(&conditions)),
            ("euler".into(), named(e)),
            ("curves".into(), Tree::Words(words.into())),
        ];
        let work = self.work_on(functional);
        if !work.is_empty() && has_own_equations(functional) {
            tree.push(("work".into(), named(&work)));
        }
        Tree::Many(tree)
    }

    /// Adds A = ∫F dt and, unless it contains multipliers, the value of its Euler operator along motions: zero, or
    /// the forces and reactions.
    fn add_functional(
        &self,
        d: &mut Draft<'m>,
        functional: &ActionFunctional<'m>,
        parts: Parts<'m>,
        e: &[Expr<'m>],
    ) {
        let kind = functional.kind();
        let principle = kind.principle();
        let letter = Layout::name("A").indexed(Layout::Name(kind.to_string()));
        let basis: Vec<Layout> = parts.terms.iter().map(|t| self.draw(t.1)).collect();
        let frame = move |mut parts: Vec<Layout>| {
            let rest = parts.remove(0);
            let terms = with_term(vec![], false, combined(&parts, &basis));
            let sum = match kind {
                ActionKind::A => [with_term(vec![], false, rest), terms].concat(),
                _ => with_term(terms, false, rest),
            };
            letter.clone().equals(integral(Layout::Sum(sum)))
        };
        let label = format!("{principle} ({kind})");
        let coefficients = parts.terms.iter().map(|t| t.0);
        let shown = std::iter::once(parts.rest).chain(coefficients).collect();
        let words = curves_in_words(kind);
        Self::line(
            d,
            &label,
            Shape::framed(shown, frame),
            principle.theorem(),
            words,
        );
        if !has_own_equations(functional) {
            return;
        }
        let work = self.work_on(functional);
        for (k, &e) in e.iter().enumerate() {
            // E_x is minus the equation of motion.
            let shown = if k < self.n() {
                self.present_short(-e)
            } else {
                e
            };
            let varied = functional.curve().components()[k];
            let label = Layout::name(&format!("delta({varied})")).to_text();
            let shape = match work.get(k) {
                None => Shape::Zero(shown),
                Some(&f) => Shape::framed(vec![shown, f], |mut parts| {
                    let right = parts.remove(1);
                    parts.remove(0).equals(right)
                }),
            };
            Self::line(d, &label, shape, principle.theorem(), "");
        }
        if !work.is_empty()
            && let Some(last) = d.lines.last_mut()
        {
            last.note = match self.is_constrained() {
                true => "not δA = 0: forces and reactions stand on the right, δA + ∫δW dt = 0",
                false => "not δA = 0: the forces stand on the right, δA + ∫δW dt = 0",
            }
            .into();
        }
    }

    /// The value of the Euler operator along motions: forces and reactions at the velocities of the curve; empty
    /// if there are neither.
    fn work_on(&self, functional: &ActionFunctional<'m>) -> Vec<Expr<'m>> {
        if self.readable.forces().is_empty() && !self.is_constrained() {
            return vec![];
        }
        let n = self.n();
        let force = self.readable.total_force();
        let all = (0..n).map(|i| force.components()[i] + self.reaction(i));
        let u = self.readable.state().velocities();
        let along = match functional.kind() {
            ActionKind::A => functional.curve().components()[n..2 * n].to_vec(),
            _ => functional.curve().derivatives(1)[..n].to_vec(),
        };
        let pairs: Vec<_> = u
            .iter()
            .copied()
            .zip(along)
            .filter(|p| p.0 != p.1)
            .collect();
        let moved = all.map(|e| self.present_short(e).substitute(&pairs));
        moved.collect()
    }

    /// F as it is usually written. (a) and (b) are affine in ẋ and written about ẋ = u and ẋ = 0, (f) is
    /// pᵢẋⁱ − H, the others stay whole.
    fn integrand_parts(&self, functional: &ActionFunctional<'m>) -> Parts<'m> {
        let f = functional.integrand();
        let (pool, n) = (self.model.pool(), self.n());
        let rates = &functional.curve().derivatives(1)[..n];
        let about = match functional.kind() {
            ActionKind::A => functional.curve().components()[n..].to_vec(),
            _ => vec![pool.zero(); n],
        };
        let (coefficients, rest) = match functional.kind() {
            ActionKind::A | ActionKind::B => {
                let pairs = rates.iter().copied().zip(about.iter().copied());
                (f.gradient(rates), f.substitute(&pairs.collect::<Vec<_>>()))
            }
            ActionKind::F => {
                let p = self.readable.lagrangian().momenta();
                let paired = pool.sum(p.iter().zip(rates).map(|(&p, &v)| p * v));
                (p, f - paired)
            }
            _ => (vec![], f),
        };
        let basis = rates.iter().zip(&about).map(|(&v, &u)| v - u);
        Parts {
            // L and H are short as they are.
            rest: match functional.kind() {
                ActionKind::D | ActionKind::F => self.present_short(rest),
                _ => rest,
            },
            terms: self
                .all_present(&coefficients)
                .into_iter()
                .zip(basis)
                .collect(),
        }
    }

    /// The first variation with its boundary terms, and with forces and constraints. (T-62)
    pub(crate) fn first_variation(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::FirstVariation);
        let lagrangian = self.readable.lagrangian();
        let displacement = VirtualDisplacement::symbols(self.readable.state());
        let p = self.all_present(&lagrangian.momenta());
        let exact = System::new(lagrangian.clone());
        let residual = exact.by_lagrange(&exact.acceleration_symbols());
        let residual = self.all_present(&residual);
        if self.is_written_out() {
            self.add_free_variation(&mut d, lagrangian);
        }
        let n = self.n();
        let basis = self.delta_x();
        let frame = move |parts: Vec<Layout>| {
            let ends = between_ends(combined(&parts[..n], &basis));
            let (negative, inner) = integral_term(combined(&parts[n..], &basis));
            let sum = Layout::Sum(vec![(false, ends), (!negative, inner)]);
            delta(Layout::name("A")).equals(sum)
        };
        let shape = Shape::framed([p.as_slice(), &residual].concat(), frame);
        let note =
            "along second-order curves; what stands at the ends vanishes where positions are fixed";
        Self::line(&mut d, "Variation", shape, "T-62", note);
        let minus: Vec<Expr<'m>> = residual.iter().map(|&e| -e).collect();
        d.components
            .push(("boundary".into(), Tree::One(displacement.pair(&p))));
        d.components
            .push(("integrand".into(), Tree::One(displacement.pair(&minus))));
        d.components.push(("components".into(), self.named(&minus)));
        self.add_principle(&mut d, &displacement);
        self.add_admissible(&mut d, &displacement);
        d
    }

    /// δA along curves on which ẋ need not be u, from (a). (T-62)
    fn add_free_variation(&self, d: &mut Draft<'m>, lagrangian: &Lagrangian<'m>) {
        let Some(functional) = lagrangian.action(ActionKind::A) else {
            return;
        };
        let curve = functional.curve();
        let delta_y = curve.variations();
        let e = self.all_present(&curve.euler(functional.integrand()));
        let momenta = functional
            .integrand()
            .gradient(&curve.derivatives(1)[..self.n()]);
        let p = self.all_present(&momenta);
        let names = delta_y.components().iter();
        let basis: Vec<Layout> = names.map(|y| Layout::name(&y.to_string())).collect();
        let n = self.n();
        let frame = move |parts: Vec<Layout>| {
            let ends = between_ends(combined(&parts[..n], &basis[..n]));
            let inner = integral_term(combined(&parts[n..], &basis));
            let sum = Layout::Sum(vec![(false, ends), inner]);
            delta(Layout::name("A")).equals(sum)
        };
        let pairs = e.iter().zip(delta_y.components());
        let pool = self.model.pool();
        let whole = pool.sum(pairs.map(|(&e, &y)| e * y));
        let shape = Shape::framed([p, e].concat(), frame);
        let note = "along any curve in the state space: dω(Y, β̇) and Y ⌟ ω at the ends";
        Self::line(d, "Variation", shape, "T-62", note);
        d.components.push(("free".into(), Tree::One(whole)));
    }

    /// δA = 0, or δA + ∫δW dt = 0 where there are forces. (T-58, T-63 … T-65)
    fn add_principle(&self, d: &mut Draft<'m>, displacement: &VirtualDisplacement<'m>) {
        let force = self.all_present(self.readable.total_force().components());
        d.components
            .push(("work".into(), Tree::One(displacement.pair(&force))));
        let basis = self.delta_x();
        let forced = !self.readable.forces().is_empty();
        let frame = move |parts: Vec<Layout>| {
            let mut terms = vec![(false, delta(Layout::name("A")))];
            if forced {
                terms.push(integral_term(combined(&parts, &basis)));
            }
            is_zero(Layout::Sum(terms))
        };
        let whose = match (self.is_constrained(), forced) {
            (true, _) => {
                "for all admissible variations that vanish at the ends: the motion; the varied curves need not obey the constraints"
            }
            (false, true) => {
                "for all variations with δx = 0 at the ends: the motion; δA + ∫δW dt need not be the variation of anything"
            }
            (false, false) => "for all variations with δx = 0 at the ends: the motion",
        };
        let shape = Shape::framed(force, frame);
        let theorem = if forced {
            "T-58"
        } else {
            Principle::III.theorem()
        };
        Self::line(d, "Principle", shape, theorem, whose);
    }
}

/// An integrand F₀ + Σ cᵢ·basisᵢ.
struct Parts<'m> {
    rest: Expr<'m>,
    terms: Vec<(Expr<'m>, Expr<'m>)>,
}

impl<'m> Parts<'m> {
    fn sum(&self) -> Expr<'m> {
        let terms = self.terms.iter().map(|&(c, b)| c * b);
        self.rest.pool().sum(terms.chain([self.rest]))
    }
}

/// Whether the Euler operator is written below a functional: not with multipliers, and not twice.
fn has_own_equations(functional: &ActionFunctional<'_>) -> bool {
    functional.conditions().is_empty() && functional.kind() != ActionKind::F
}

/// The curves of a functional, in words.
fn curves_in_words(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::A => "curves (x, u) in the state space, x fixed at the ends: ẋ = u is a result",
        ActionKind::B => {
            "curves (x, p), x fixed at the ends: both of Hamilton's equations are results"
        }
        ActionKind::C => {
            "curves (x, u) with ẋ = u, x fixed at the ends: δu = d(δx)/dt, or a multiplier, which is p"
        }
        ActionKind::D => {
            "curves (x, p) with ẋ = ∂H/∂p, x fixed at the ends; varied freely it would give other equations (T-66)"
        }
        ActionKind::E => "curves x in space-time, fixed at the ends",
        ActionKind::F => {
            "curves x in space-time, fixed at the ends: pᵢẋⁱ − H at p = ∂L/∂u(t, x, ẋ)"
        }
    }
}
