//! Virtual displacements, virtual work and the central equations of a derivation.

use galilei_check::Checker;
use galilei_expr::{Differential, Expr, Layout, Sign};
use galilei_mechanics::{SecondOrderField, VirtualDisplacement};

use crate::derivation::{Derivation, Draft, Shape, Tree};
use crate::topic::Topic;

/// [A, B, …]·[δx, δy, …] as a layout.
pub(crate) fn combined(coefficients: &[Layout], basis: &[Layout]) -> Layout {
    let pairs = coefficients.iter().cloned().zip(basis.iter().cloned());
    Layout::combination(pairs)
}

/// The terms of a sum with one more, whose sign moves out.
pub(crate) fn with_term(
    mut terms: Vec<(bool, Layout)>,
    negative: bool,
    term: Layout,
) -> Vec<(bool, Layout)> {
    match term {
        Layout::Number(n) if n == "0" => {}
        Layout::Sum(list) => {
            terms.extend(list.into_iter().map(|(minus, t)| (minus != negative, t)));
        }
        term => terms.push((negative, term)),
    }
    terms
}

/// δ of a named quantity.
pub(crate) fn delta(of: Layout) -> Layout {
    Layout::Row(vec![Layout::Word("δ".into()), of])
}

pub(crate) fn is_zero(sum: Layout) -> Layout {
    sum.related(Sign::Equal, Layout::Number("0".into()))
}

const KINDS: &str =
    "Virt(A¹M): δu is free; Virt_Z: δu = Z[δx]; complete lifts of δx(t, x): δu = ∂ₜδx + uʲ∂ⱼδx";
const FREE: &str =
    "Ω(Z, Y) = 0 for all Y of any of the three kinds is the motion (T-59); δu has no part in it";
const ADMISSIBLE: &str = "admissible displacements, by Chetaev's rule (∂fᵃ/∂uⁱ)δxⁱ = 0";
const DALEMBERT: &str =
    "Ω(Z, Y) = 0 for all admissible Y is the motion: the principle of Lagrange and d'Alembert";

const NOT_IDEAL: &str =
    "with the reactions, which are not ideal: Ω_c(Z, Y) = 0 for all Y is the motion";

impl<'m> Derivation<'m> {
    /// δx for each coordinate.
    pub(crate) fn delta_x(&self) -> Vec<Layout> {
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
        let mut d = self.draft(Topic::VirtualWork);
        let displacement = VirtualDisplacement::symbols(self.readable.state());
        self.add_displacement(&mut d, &displacement);
        let a = self.readable.acceleration_symbols();
        let z = SecondOrderField::new(self.readable.state(), a);
        let mut residual = self.readable.by_lagrange(z.accelerations());
        // Reactions that are not ideal do virtual work, and are forces like others.
        if !self.is_ideal() {
            for (i, e) in residual.iter_mut().enumerate() {
                *e -= self.reaction(i);
            }
        }
        let residual = self.all_present(&residual);
        let note = match (self.is_constrained(), self.is_ideal()) {
            (false, _) => FREE,
            (true, true) => DALEMBERT,
            (true, false) => NOT_IDEAL,
        };
        self.add_work(&mut d, &residual, note);
        d.components = vec![
            ("components".into(), self.named(&residual)),
            ("value".into(), Tree::One(displacement.pair(&residual))),
        ];
        match self.canonical_residual().filter(|_| self.is_ideal()) {
            Some(rows) => {
                self.add_work(&mut d, &rows, "in the canonical chart");
                d.components.push(("canonical".into(), self.named(&rows)));
            }
            None => {
                d.components.push(("canonical".into(), Tree::Null));
                d.reason = Some(match self.is_ideal() {
                    true => format!("not in the canonical chart: {}", self.no_canonical()),
                    false => "in the canonical chart: see `constrained-hamilton`".into(),
                });
            }
        }
        let moved = self.all_present(&displacement.momenta(self.readable.lagrangian()));
        d.components.push(("momenta".into(), self.named(&moved)));
        self.add_work_of_forces(&mut d, &displacement);
        self.add_admissible(&mut d, &displacement);
        self.add_variations(&mut d, &residual);
        d
    }

    /// The variations of the file: their complete lifts, their virtual work, and whether the constraints admit them.
    /// (T-57, T-58, T-81)
    fn add_variations(&self, d: &mut Draft<'m>, residual: &[Expr<'m>]) {
        if self.is_in_another_chart() || self.contents.variations.is_empty() {
            return;
        }
        let mut all = Vec::new();
        for v in Checker::new(self.model).variations() {
            let y = &v.displacement;
            let names = self.names.iter().cloned();
            let names: Vec<String> = names
                .chain(self.names.iter().map(|n| format!("{n}'")))
                .collect();
            let parts = y.positions().iter().chain(y.velocities()).copied();
            let parts = self.all_present(&parts.collect::<Vec<_>>());
            let terms = parts.iter().zip(&names).filter(|(e, _)| !e.is_zero());
            let terms = terms.map(|(&e, n)| (e, Layout::name(n).coordinate_field()));
            let left = Layout::name("Y").indexed(Layout::Name(v.name.clone()));
            let shape = Shape::Combination(left, terms.collect());
            let label = format!("Variation {}", v.name);
            Self::line(d, &label, shape, "T-57", v.remark.clone());
            let work = self.present_short(y.pair(residual));
            let left = Layout::Apply(
                Box::new(Layout::name("Ω")),
                vec![Layout::name("Z"), Layout::name("Y")],
            );
            Self::line(d, &label, Shape::Equal(left, work), "T-58", "");
            let entries = names.iter().zip(&parts);
            let lift = entries.map(|(n, &e)| (n.clone(), Tree::One(e))).collect();
            let mut own = vec![
                ("lift".into(), Tree::Many(lift)),
                ("work".into(), Tree::One(work)),
            ];
            let mut conditions = Vec::new();
            for c in &self.constraints {
                let e = self.present_short(y.pair(&c.row));
                conditions.push((c.name.clone(), Tree::One(e)));
            }
            if !conditions.is_empty() {
                own.push(("admissible".into(), Tree::Many(conditions)));
            }
            all.push((v.name.clone(), Tree::Many(own)));
        }
        d.components.push(("variations".into(), Tree::Many(all)));
    }

    /// Y = δxⁱ∂_{xⁱ} + δuⁱ∂_{uⁱ} and δpᵢ. (T-56)
    fn add_displacement(&self, d: &mut Draft<'m>, displacement: &VirtualDisplacement<'m>) {
        if !self.is_written_out() {
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
    pub(crate) fn add_admissible(&self, d: &mut Draft<'m>, displacement: &VirtualDisplacement<'m>) {
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
        let mut d = self.draft(Topic::Central);
        let central = self.readable.central_equation_in_symbols();
        let lagrangian = self.readable.lagrangian();
        let state = self.readable.state();
        let p = self.all_present(&lagrangian.momenta());
        let slopes = lagrangian.function().gradient(state.base().positions());
        let slopes = self.all_present(&slopes);
        let mut force = self.readable.total_force().components().to_vec();
        if !self.is_ideal() {
            for (i, f) in force.iter_mut().enumerate() {
                *f += self.reaction(i);
            }
        }
        let force = self.all_present(&force);
        let coefficients = slopes.iter().chain(&p).copied();
        let basis = self.delta_x().into_iter().chain(self.delta_u());
        let shape = Shape::Combination(delta(Layout::name("L")), coefficients.zip(basis).collect());
        Self::line(&mut d, "Variation", shape, "T-61", "");
        let of = if self.is_constrained() && self.is_ideal() {
            "admissible δx"
        } else {
            "all δx"
        };
        // In larger systems the momenta keep their names.
        let (p, where_p) = if self.is_written_out() {
            (p, "")
        } else {
            let form = lagrangian.legendre_map();
            (form.momenta().to_vec(), "; p = ∂L/∂u as in `hamiltonian`")
        };
        let note = format!("for {of} with δu = d(δx)/dt, that is Y in Virt_Z{where_p}");
        self.add_central(&mut d, "Lagrange", [&p, &force], false, ("T-61", &note));
        let note = format!("for {of} and δu, independent of each other; the left side is Ω(Z, Y)");
        self.add_central(&mut d, "Hamel", [&p, &force], true, ("T-60", &note));
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
}
