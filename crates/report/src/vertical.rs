//! The derivation of the vertical extension: Hamilton's equations on VV*Q.

use galilei_expr::{Bound, Expr, Layout, Verdict};
use galilei_geometry::{Form, VectorField};
use galilei_mechanics::{
    Canonical, Force, HamiltonianForm, System, VerticalHamiltonian, VerticalPhaseSpace,
};
use galilei_model::Constructions;

use crate::constrained::too_long;
use crate::derivation::{Derivation, Draft, Shape, Tree};
use crate::topic::Topic;

/// Number of nonzero entries of the mass matrix up to which its inverse is computed: that of a dense matrix for
/// eight coordinates, whose H has over a thousand terms and is found in some ten milliseconds. The size of the result
/// decides whether it is shown.
const MAX_MATRIX_ENTRIES: usize = 64;

/// The function in H_V = πᵢdxⁱ − ξⁱdpᵢ − ℋ_Vdt.
const FUNCTION: &str = "ℋ_V";
const PAIRS: &str = "ξ varies x and π varies p at fixed time; (x, π) and (ξ, p) are conjugate";
const ADJOINT: &str = "λ = (π, −ξ) is adjoint, λ̇ = −(Dγ)ᵀλ, and λ·δz is constant for every variation δz of the motion";
const IN_VELOCITIES: &str =
    "L is not quadratic in the velocities: the equations are written at p = ∂L/∂u";

/// The extension of a first-order equation on V*Q to VV*Q.
struct Extended<'m> {
    space: VerticalPhaseSpace<'m>,
    /// ℋ_V
    function: Expr<'m>,
    /// The rates of (x, p, ξ, π).
    rates: Vec<Expr<'m>>,
    /// pᵢ = ∂L/∂uⁱ, if the equations are written in velocities.
    momenta: Option<Vec<Expr<'m>>>,
    /// Whether the equation is Hamiltonian: then (ξ, π) is a variation of the motion, and not only
    /// adjoint to one.
    hamiltonian: Verdict,
    theorem: &'static str,
}

impl<'m> Extended<'m> {
    /// ∂_Vℋ and its equations. (T-101)
    fn complete(form: &HamiltonianForm<'m>) -> Self {
        let vertical = VerticalHamiltonian::complete(form);
        Self::of(&vertical, Verdict::Proved(Bound::CERTAIN), "T-101")
    }

    /// The equations γ on V*Q with their adjoint. (T-102)
    fn adjoint(motion: &VectorField<'m>, theorem: &'static str) -> Self {
        let vertical = VerticalHamiltonian::adjoint(motion);
        let hamiltonian = vertical.space().decide_hamiltonian(motion);
        Self::of(&vertical, hamiltonian, theorem)
    }

    fn of(vertical: &VerticalHamiltonian<'m>, hamiltonian: Verdict, theorem: &'static str) -> Self {
        Self {
            space: vertical.space().clone(),
            function: vertical.function(),
            rates: vertical.field().components()[1..].to_vec(),
            momenta: None,
            hamiltonian,
            theorem,
        }
    }

    /// The equations with p = ∂L/∂u substituted. (T-101, T-102)
    fn in_velocities(system: &System<'m>, theorem: &'static str) -> Result<Self, String> {
        let motion = system.vertical_motion();
        let motion = motion.map_err(|singular| singular.to_string())?;
        let hamiltonian = motion.decide_hamiltonian();
        let parts = [
            system.state().velocities(),
            &motion.momenta,
            &motion.varied_positions,
            &motion.varied_momenta,
        ];
        Ok(Self {
            rates: parts.concat(),
            function: motion.function,
            space: motion.space,
            momenta: Some(system.lagrangian().momenta()),
            hamiltonian,
            theorem,
        })
    }

    /// All expressions that are written.
    fn written(&self) -> Vec<Expr<'m>> {
        let momenta = self.momenta.iter().flatten();
        let rates = self.rates.iter().chain(momenta);
        rates.copied().chain([self.function]).collect()
    }
}

/// An error with the length of the formulas if they are too long to be written.
fn writable(list: &[Expr<'_>]) -> Result<(), String> {
    match too_long(list) {
        None => Ok(()),
        Some(terms) => Err(format!("the formulas have {terms} terms and are left out")),
    }
}

impl<'m> Derivation<'m> {
    /// ℋ_V, Ω_V and Hamilton's equations on VV*Q. (T-99 … T-103)
    pub(crate) fn vertical(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Vertical);
        let extended = self.extended().and_then(|extended| {
            writable(&extended.written())?;
            Ok(extended)
        });
        let extended = match extended {
            Ok(extended) => extended,
            Err(why) => {
                d.reason = Some(why);
                d.components = vec![("components".into(), Tree::Null)];
                return d;
            }
        };
        let h = self.present_linear(extended.function, extended.space.bundle().fibre());
        let kind = match extended.hamiltonian.is_proved() {
            true => "jacobi",
            false => "adjoint",
        };
        d.components.push(("kind".into(), Tree::Words(kind.into())));
        d.components.push(("hamiltonian".into(), Tree::One(h)));
        let shape = Shape::Equal(Layout::name(FUNCTION), h);
        Self::line(&mut d, "Hamiltonian", shape, extended.theorem, PAIRS);
        self.add_vertical_forms(&mut d, &extended.space);
        self.add_hamiltonian_lagrangian(&mut d, &extended.space, h);
        self.add_momenta(&mut d, &extended);
        self.add_vertical_equations(&mut d, &extended);
        d
    }

    /// The vertical Hamiltonian of the system that is written down: ∂_Vℋ, and where forces and reactions act,
    /// that of their first-order equations. (T-101 … T-103)
    fn extended(&self) -> Result<Extended<'m>, String> {
        match self.constructions() {
            None => match self.written_canonical(&self.readable)? {
                None if self.readable.forces().is_empty() => {
                    Extended::in_velocities(&self.readable, "T-101")
                }
                None => Extended::in_velocities(&self.readable, "T-102"),
                Some(canonical) if self.readable.forces().is_empty() => {
                    Ok(Extended::complete(&canonical.hamiltonian_form()))
                }
                Some(canonical) => {
                    let motion = canonical.hamilton(&self.readable.total_force());
                    Ok(Extended::adjoint(&motion, "T-102"))
                }
            },
            Some(Err(why)) => Err(why.to_string()),
            Some(Ok(found)) => match self.written_canonical(found.constrained.system())? {
                None => self.restricted_in_velocities(&found),
                Some(canonical) => self.restricted(&found, &canonical),
            },
        }
    }

    /// The canonical chart, if H is not too large; `None` if L is not quadratic and not given by H.
    fn written_canonical(&self, system: &System<'m>) -> Result<Option<Canonical<'m>>, String> {
        if let Some(given) = system.given_canonical() {
            writable(&[given.hamiltonian()])?;
            return Ok(Some(given.clone()));
        }
        let rows = system.lagrangian().mass_matrix();
        let entries = rows
            .rows()
            .iter()
            .flatten()
            .filter(|e| !e.is_zero())
            .count();
        if entries > MAX_MATRIX_ENTRIES {
            return Err(format!(
                "the mass matrix has {entries} entries: velocities are solved for, not written out"
            ));
        }
        match Canonical::new(system.lagrangian()) {
            None => Ok(None),
            Some(Err(singular)) => Err(singular.to_string()),
            Some(Ok(canonical)) => {
                writable(&[canonical.hamiltonian()])?;
                Ok(Some(canonical))
            }
        }
    }

    /// The extension of the constrained momentum equations. (T-98, T-103)
    fn restricted(
        &self,
        found: &Constructions<'m>,
        canonical: &Canonical<'m>,
    ) -> Result<Extended<'m>, String> {
        let motion = found.constrained.canonical(canonical).reaction();
        let motion = motion.map_err(|why| why.to_string())?.field;
        // Formulas derived from short formulas are short.
        writable(motion.components())?;
        let short = self.all_present(motion.components());
        let motion = VectorField::new(motion.chart(), short);
        Ok(Extended::adjoint(&motion, "T-103"))
    }

    /// The extension of the constrained equations in velocities instead of momenta: reactions are forces. (T-103, T-105)
    fn restricted_in_velocities(&self, found: &Constructions<'m>) -> Result<Extended<'m>, String> {
        let reaction = found
            .constrained
            .reaction()
            .map_err(|why| why.to_string())?;
        writable(reaction.force.components())?;
        let short = self.all_present(reaction.force.components());
        let force = Force::new(found.constrained.state(), short);
        let system = found.constrained.system().clone();
        Extended::in_velocities(&system.with_force("reactions", force), "T-103")
    }

    /// H_V with ℋ_V as a symbol, which was written out before; Ξ_V on VT*Q, of which it is a pull-back; and Ω_V.
    /// (T-99, T-115)
    fn add_vertical_forms(&self, d: &mut Draft<'m>, space: &VerticalPhaseSpace<'m>) {
        let pool = self.model.pool();
        let short = VerticalHamiltonian::new(space.clone(), pool.symbol(FUNCTION));
        let shape = self.chart_form(Layout::name("H_V"), &short.as_form());
        Self::line(d, "Form", shape, "T-99", "up to d(pᵢξⁱ)");
        // Ξ_V is H_V with −π₀ for ℋ_V.
        let whole = VerticalHamiltonian::new(space.clone(), -pool.symbol("π_0"));
        let left = Layout::name("Ξ").indexed(Layout::name("V"));
        let shape = self.chart_form(left, &whole.as_form());
        let note = "on VT*Q; H_V is its pull-back by π₀ = −ℋ_V";
        Self::line(d, "On VT*Q", shape, "T-115", note);
        let left = Layout::name("Ω").indexed(Layout::name("V"));
        let shape = self.chart_form(left, &space.three_form());
        Self::line(d, "Three-form", shape, "T-99", "X ⌟ Ω_V = dH_V");
    }

    /// L_H = πᵢẋⁱ − ξⁱṗᵢ − ℋ_V on the jets of VV*Q, and H_V as components. (T-99, T-104)
    fn add_hamiltonian_lagrangian(
        &self,
        d: &mut Draft<'m>,
        space: &VerticalPhaseSpace<'m>,
        h: Expr<'m>,
    ) {
        let pool = self.model.pool();
        let short = VerticalHamiltonian::new(space.clone(), pool.symbol(FUNCTION));
        let shape = Shape::Equal(Layout::name("L_H"), short.lagrangian().function());
        let note = "its Lagrange equations are Hamilton's; it vanishes on solutions";
        Self::line(d, "Lagrangian", shape, "T-104", note);
        let whole = VerticalHamiltonian::new(space.clone(), h);
        let names = space.chart().coordinates().iter().map(ToString::to_string);
        let form = whole.as_form();
        let entries = names
            .enumerate()
            .map(|(k, name)| (name, form.component(&[k])));
        let entries = entries.filter(|e| !e.1.is_zero());
        let entries = entries.map(|(name, e)| (name, Tree::One(e))).collect();
        d.components.push(("form".into(), Tree::Many(entries)));
        let lagrangian = whole.lagrangian().function();
        d.components
            .push(("lagrangian".into(), Tree::One(lagrangian)));
    }

    /// A form with coefficients that need no rewriting. A pair dz∧dz̄∧dt is written from its momentum
    /// to its position.
    fn chart_form(&self, left: Layout, form: &Form<'m>) -> Shape<'m> {
        let chart = form.chart();
        let name = |k: usize| chart.coordinate(k).to_string();
        let momenta = 1 + self.n()..1 + 2 * self.n();
        let mut list: Vec<(Vec<usize>, Expr<'m>)> = form.terms().collect();
        list.sort_by_key(|(k, _)| (k.len() == 1 && k[0] == 0, k.clone()));
        let terms = list.into_iter().map(|(indices, e)| {
            let (order, e) = match *indices.as_slice() {
                [t, p, xi] if momenta.contains(&p) => (vec![p, xi, t], e),
                [t, x, pi] => (vec![pi, x, t], -e),
                _ => (indices, e),
            };
            let basis = order.into_iter().map(|k| Self::differential(&name(k)));
            (e, Layout::wedge(basis))
        });
        Shape::Combination(left, terms.collect())
    }

    /// Adds p = ∂L/∂u, if the equations are written in velocities.
    fn add_momenta(&self, d: &mut Draft<'m>, extended: &Extended<'m>) {
        let Some(momenta) = &extended.momenta else {
            return;
        };
        let mut entries = Vec::new();
        for (name, &p) in self.names.iter().zip(momenta) {
            let p = self.present(p);
            entries.push((name.clone(), Tree::One(p)));
            let left = Layout::name(&format!("p({name})"));
            Self::line(d, "Momenta", Shape::Equal(left, p), "T-51", "");
        }
        if let Some(last) = d.lines.last_mut() {
            last.note = IN_VELOCITIES.into();
        }
        d.components.push(("momenta".into(), Tree::Many(entries)));
    }

    fn add_vertical_equations(&self, d: &mut Draft<'m>, extended: &Extended<'m>) {
        let space = &extended.space;
        let fibre = space.bundle().fibre();
        let below = space.bundle().base().dimension();
        let last = space.chart().dimension() - 1;
        let adjoint = match extended.hamiltonian.is_refuted() {
            true => format!("not Hamiltonian: {ADJOINT}"),
            false => ADJOINT.to_owned(),
        };
        let mut entries = Vec::new();
        for (k, &z) in space.chart().coordinates().iter().enumerate().skip(1) {
            let e = self.present_linear(extended.rates[k - 1], fibre);
            entries.push((z.to_string(), Tree::One(e)));
            if extended.momenta.is_some() && k <= self.n() {
                // ẋ = u is trivial where u is written ẋ.
                continue;
            }
            let left = Layout::name(&format!("{z}'"));
            let (label, theorem, note) = match (k < below, extended.hamiltonian.is_proved()) {
                (true, _) => ("Hamilton", "T-100", ""),
                (false, true) => ("Jacobi", "T-101", ""),
                (false, false) if k == last => ("Adjoint", "T-102", adjoint.as_str()),
                (false, false) => ("Adjoint", "T-102", ""),
            };
            Self::line(d, label, Shape::Equal(left, e), theorem, note);
        }
        d.components
            .push(("components".into(), Tree::Many(entries)));
    }
}
