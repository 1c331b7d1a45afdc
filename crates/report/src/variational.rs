//! The variational half of a derivation: virtual work, central equations, action functionals and their
//! first variation.

use galilei_expr::{Differential, Expr, Layout, Sign};
use galilei_mechanics::{
    ActionFunctional, ActionKind, HamiltonianForm, HamiltonsPrinciple, Lagrangian, Principle,
    SecondOrderField, System, VirtualDisplacement,
};

use crate::derivation::{Derivation, Draft, Shape, Tree, WRITTEN_OUT};

/// [A, B, …]·[δx, δy, …] as a layout.
fn combined(coefficients: &[Layout], basis: &[Layout]) -> Layout {
    let pairs = coefficients.iter().cloned().zip(basis.iter().cloned());
    Layout::combination(pairs)
}

/// ∫ … dt from t₀ to t₁
fn integral(of: Layout) -> Layout {
    let ends = ["t0", "t1"].map(Layout::name);
    let [from, to] = ends;
    Layout::Integral(Box::new([from, to, of, Layout::name("t")]))
}

/// An integral as a term of a sum: whether it is subtracted, and what.
fn integral_term(of: Layout) -> (bool, Layout) {
    match of {
        Layout::Sum(mut one) if one.len() == 1 => {
            let (negative, of) = one.remove(0);
            (negative, integral(of))
        }
        of => (false, integral(of)),
    }
}

/// What is left of a quantity at the ends.
fn between_ends(of: Layout) -> Layout {
    let [from, to] = ["t0", "t1"].map(Layout::name);
    Layout::Tuple(vec![of]).indexed(from).power(to)
}

/// The terms of a sum with one more, whose sign moves out.
fn with_term(mut terms: Vec<(bool, Layout)>, negative: bool, term: Layout) -> Vec<(bool, Layout)> {
    match term {
        Layout::Number(n) if n == "0" => {}
        Layout::Sum(list) => {
            terms.extend(list.into_iter().map(|(minus, t)| (minus != negative, t)));
        }
        term => terms.push((negative, term)),
    }
    terms
}

/// δ of something that has a name.
fn delta(of: Layout) -> Layout {
    Layout::Row(vec![Layout::Word("δ".into()), of])
}

fn is_zero(sum: Layout) -> Layout {
    sum.related(Sign::Equal, Layout::Number("0".into()))
}

const KINDS: &str =
    "Virt(A¹M): δu is free; Virt_Z: δu = Z[δx]; complete lifts of δx(t, x): δu = ∂ₜδx + uʲ∂ⱼδx";
const FREE: &str =
    "Ω(Z, Y) = 0 for all Y of any of the three kinds is the motion (T-59); δu has no part in it";
const ADMISSIBLE: &str = "admissible displacements, by Chetaev's rule (∂fᵃ/∂uⁱ)δxⁱ = 0";
const DALEMBERT: &str =
    "Ω(Z, Y) = 0 for all admissible Y is the motion: the principle of Lagrange and d'Alembert";

impl<'m> Derivation<'m> {
    /// δx for each coordinate.
    fn delta_x(&self) -> Vec<Layout> {
        let names = self.names.iter();
        names
            .map(|n| Layout::name(&format!("delta({n})")))
            .collect()
    }

    /// δẋ for each coordinate.
    fn delta_u(&self) -> Vec<Layout> {
        let names = self.names.iter();
        names
            .map(|n| Layout::name(&format!("delta({n}')")))
            .collect()
    }

    /// ṗᵢ + ∂H/∂xⁱ − Fᵢ with symbols for p and ṗ, where H is written out.
    fn canonical_residual(&self) -> Option<Vec<Expr<'m>>> {
        let canonical = self.canonical()?;
        let field = canonical.hamilton(&self.readable.total_force());
        let pool = self.model.pool();
        let n = self.n();
        let rows = (0..n).map(|i| {
            let rate = pool.symbol(&format!("p({})'", self.names[i]));
            self.present(rate - field.component(1 + n + i))
        });
        Some(rows.collect())
    }

    /// Virtual displacements and virtual work. (T-56 … T-59)
    pub(crate) fn virtual_work(&self) -> Draft<'m> {
        let mut d = self.draft("virtual-work", "Virtual work");
        let displacement = VirtualDisplacement::symbols(self.readable.state());
        self.add_displacement(&mut d, &displacement);
        let a = self.readable.acceleration_symbols();
        let z = SecondOrderField::new(self.readable.state(), a);
        let residual = self.all_present(&self.readable.by_lagrange(z.accelerations()));
        let note = if self.is_constrained() {
            DALEMBERT
        } else {
            FREE
        };
        self.add_work(&mut d, &residual, note);
        d.components = vec![
            ("components".into(), self.named(&residual)),
            ("value".into(), Tree::One(displacement.pair(&residual))),
        ];
        match self.canonical_residual() {
            Some(rows) => {
                self.add_work(&mut d, &rows, "in the canonical chart");
                d.components.push(("canonical".into(), self.named(&rows)));
            }
            None => d.components.push(("canonical".into(), Tree::Null)),
        }
        let moved = self.all_present(&displacement.momenta(self.readable.lagrangian()));
        d.components.push(("momenta".into(), self.named(&moved)));
        self.add_work_of_forces(&mut d, &displacement);
        self.add_admissible(&mut d, &displacement);
        d
    }

    /// Y = δxⁱ∂_{xⁱ} + δuⁱ∂_{uⁱ} and δpᵢ. (T-56)
    fn add_displacement(&self, d: &mut Draft<'m>, displacement: &VirtualDisplacement<'m>) {
        if self.n() > WRITTEN_OUT {
            return;
        }
        let u = self.names.iter().map(|n| Layout::name(&format!("{n}'")));
        let x = self.names.iter().map(|n| Layout::name(n));
        let basis = x.chain(u).map(Layout::coordinate_field);
        let symbols = displacement.positions().iter();
        let symbols = symbols.chain(displacement.velocities()).copied();
        let shape = Shape::Combination(Layout::name("Y"), symbols.zip(basis).collect());
        Self::line(d, "Displacement", shape, "T-56", KINDS);
        let moved = displacement.momenta(self.readable.lagrangian());
        for (name, &e) in self.names.iter().zip(&self.all_present(&moved)) {
            let left = Layout::name(&format!("delta(p({name}))"));
            Self::line(d, "Displacement", Shape::Equal(left, e), "T-56", "");
        }
    }

    /// Ω(Z, Y) = Eᵢδxⁱ (T-58)
    fn add_work(&self, d: &mut Draft<'m>, residual: &[Expr<'m>], note: &str) {
        let left = Layout::Apply(
            Box::new(Layout::name("Ω")),
            ["Z", "Y"].map(Layout::name).to_vec(),
        );
        let terms = residual.iter().copied().zip(self.delta_x());
        let shape = Shape::Combination(left, terms.collect());
        Self::line(d, "Virtual work", shape, "T-58", note);
    }

    /// δW of each force. (T-58)
    fn add_work_of_forces(&self, d: &mut Draft<'m>, displacement: &VirtualDisplacement<'m>) {
        let mut entries = Vec::new();
        for (name, force) in self.readable.forces() {
            let f = self.all_present(force.components());
            entries.push((name.clone(), Tree::One(displacement.pair(&f))));
            let left = delta(Layout::name("W").indexed(Layout::Name(name.clone())));
            let terms = f.into_iter().zip(self.delta_x()).collect();
            Self::line(d, "of forces", Shape::Combination(left, terms), "T-58", "");
        }
        d.components.push(("forces".into(), Tree::Many(entries)));
    }

    /// ∂fᵃ/∂uⁱ δxⁱ = 0 (T-81, T-82)
    fn add_admissible(&self, d: &mut Draft<'m>, displacement: &VirtualDisplacement<'m>) {
        if !self.is_constrained() {
            return;
        }
        let mut entries = Vec::new();
        for (k, c) in self.constraints.iter().enumerate() {
            let row = self.all_present(&c.row);
            entries.push((c.name.clone(), Tree::One(displacement.pair(&row))));
            let basis = self.delta_x();
            let frame = move |parts: Vec<Layout>| is_zero(combined(&parts, &basis));
            let note = if k + 1 == self.constraints.len() {
                ADMISSIBLE
            } else {
                ""
            };
            Self::line(d, "Admissible", Shape::framed(row, frame), "T-81", note);
        }
        d.components
            .push(("admissible".into(), Tree::Many(entries)));
    }

    /// The central equations of Lagrange and Hamel. (T-60, T-61)
    pub(crate) fn central(&self) -> Draft<'m> {
        let mut d = self.draft("central", "Central equations");
        let central = self.readable.central_equation_in_symbols();
        let lagrangian = self.readable.lagrangian();
        let state = self.readable.state();
        let p = self.all_present(&lagrangian.momenta());
        let slopes = lagrangian.function().gradient(state.base().positions());
        let slopes = self.all_present(&slopes);
        let force = self.all_present(self.readable.total_force().components());
        let coefficients = slopes.iter().chain(&p).copied();
        let basis = self.delta_x().into_iter().chain(self.delta_u());
        let shape = Shape::Combination(delta(Layout::name("L")), coefficients.zip(basis).collect());
        Self::line(&mut d, "Variation", shape, "T-61", "");
        let of = if self.is_constrained() {
            "admissible δx"
        } else {
            "all δx"
        };
        let whole = &format!("for {of} with δu = d(δx)/dt, that is Y in Virt_Z");
        self.add_central(&mut d, "Lagrange", [&p, &force], false, ("T-61", whole));
        let whole =
            &format!("for {of} and δu, independent of each other; the left side is Ω(Z, Y)");
        self.add_central(&mut d, "Hamel", [&p, &force], true, ("T-60", whole));
        let parts = [
            ("momentum", central.momentum),
            ("variation", central.variation),
            ("work", central.work),
            ("transposition", central.transposition),
            ("lagrange", central.lagrange()),
            ("hamel", central.hamel()),
        ];
        let parts = parts.map(|(k, e)| (k.to_owned(), Tree::One(self.present_short(e))));
        d.components.extend(parts);
        self.add_admissible(&mut d, &VirtualDisplacement::symbols(state));
        d
    }

    /// d(pᵢδxⁱ)/dt − δL − Fᵢδxⁱ = 0, with pᵢ(δuⁱ − d(δxⁱ)/dt) added where the two differ.
    fn add_central(
        &self,
        d: &mut Draft<'m>,
        label: &str,
        [p, force]: [&[Expr<'m>]; 2],
        general: bool,
        (theorem, note): (&'static str, &str),
    ) {
        let n = self.n();
        let (dx, du) = (self.delta_x(), self.delta_u());
        let frame = move |parts: Vec<Layout>| {
            let rate = |of: Layout| {
                let by = vec![(Layout::name("t"), 1)];
                Layout::Derivative(Differential::Total, Box::new(of), by)
            };
            let momentum = combined(&parts[..n], &dx);
            let mut terms = vec![(false, rate(momentum)), (true, delta(Layout::name("L")))];
            terms = with_term(terms, true, combined(&parts[n..], &dx));
            if general {
                let off = dx.iter().zip(&du);
                let off = off
                    .map(|(x, u)| Layout::Sum(vec![(false, u.clone()), (true, rate(x.clone()))]));
                let off: Vec<Layout> = off.collect();
                terms = with_term(terms, false, combined(&parts[..n], &off));
            }
            is_zero(Layout::Sum(terms))
        };
        let shape = Shape::framed([p, force].concat(), frame);
        Self::line(d, label, shape, theorem, note);
    }

    /// The functionals of a short L and, where it is written out, of a short H.
    fn hamiltons_principle(&self) -> HamiltonsPrinciple<'m> {
        let form = self.canonical().map(|c| {
            let short = self.present(c.hamiltonian());
            HamiltonianForm::new(c.chart(), short)
        });
        HamiltonsPrinciple::new(self.readable.lagrangian(), form)
    }

    /// The six action functionals and what their Euler operators say. (T-63 … T-66)
    pub(crate) fn action(&self) -> Draft<'m> {
        let mut d = self.draft("action", "Action");
        let principle = self.hamiltons_principle();
        let mut entries = Vec::new();
        for kind in ActionKind::ALL {
            let Some(functional) = principle.functional(kind) else {
                entries.push((kind.to_string(), Tree::Null));
                continue;
            };
            let written = self.n() <= WRITTEN_OUT || kind == ActionKind::E;
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
        d.reason = self.why_not_exact();
        d
    }

    /// What keeps a system from being the stationary point of its action.
    fn why_not_exact(&self) -> Option<String> {
        if self.is_constrained() {
            Some(
                "constraints restrict the variations, not the varied curves: `first-variation`"
                    .into(),
            )
        } else if !self.readable.forces().is_empty() {
            Some("forces beside L have no part in A: see `first-variation`".into())
        } else {
            None
        }
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
        Tree::Many(vec![
            ("integrand".into(), Tree::One(parts.sum())),
            ("conditions".into(), named(&conditions)),
            ("euler".into(), named(e)),
            ("curves".into(), Tree::Words(words.into())),
        ])
    }

    /// A = ∫F dt, and below it E = 0 where no multipliers are in the way.
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
        for (k, &e) in e.iter().enumerate() {
            // E_x is minus the equation of motion.
            let shown = if k < self.n() {
                self.present_short(-e)
            } else {
                e
            };
            let varied = functional.curve().components()[k];
            let label = Layout::name(&format!("delta({varied})")).to_text();
            Self::line(d, &label, Shape::Zero(shown), principle.theorem(), "");
        }
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
            rest: self.present_short(rest),
            terms: self
                .all_present(&coefficients)
                .into_iter()
                .zip(basis)
                .collect(),
        }
    }

    /// The first variation with its boundary terms, and with forces and constraints. (T-62)
    pub(crate) fn first_variation(&self) -> Draft<'m> {
        let mut d = self.draft("first-variation", "First variation");
        let lagrangian = self.readable.lagrangian();
        let displacement = VirtualDisplacement::symbols(self.readable.state());
        let p = self.all_present(&lagrangian.momenta());
        let exact = System::new(lagrangian.clone());
        let residual = exact.by_lagrange(&exact.acceleration_symbols());
        let residual = self.all_present(&residual);
        if self.n() <= WRITTEN_OUT {
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

/// Which curves a functional is for.
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
