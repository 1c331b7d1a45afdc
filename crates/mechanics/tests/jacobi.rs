//! T-101: the complete extension, L_V and its Legendre transform, Jacobi equations under forces and
//! constraints, the second variation, for undetermined functions of time, places and velocities or
//! momenta at n = 1, 2, 3; ERRATA E13.

mod common;

use common::*;
use galilei_expr::{Assumptions, Expr, Pool, generic_rank};
use galilei_geometry::VectorField;
use galilei_mechanics::{
    AdmissibleCodistribution, CanonicalFrame, ConstrainedSystem, Constraint, HamiltonianForm,
    JacobiEquations, Lagrangian, SecondVariation, StateSpace, System, VerticalConfiguration,
    VerticalHamiltonian,
};

#[test]
fn t_101_e_13_complete_extension() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let h = hamiltonian(&s);
        let complete = VerticalHamiltonian::complete(&h);
        let bundle = complete.space().bundle();
        let gamma = h.field();
        // Hamilton's field of ∂_Vℋ is Vγ_H …
        let lifted = bundle.extension(&gamma);
        proved(lifted.decide_equal(&complete.field()));
        // … and not the printed one, with γᵢ along ∂ᵢ and nothing along ∂ⁱ.
        let (x, p, xi, pi) = (1, 1 + n, 1 + 2 * n, 1 + 3 * n);
        let mut printed = lifted.components().to_vec();
        for i in 0..n {
            printed[x + i] = lifted.component(x + i) + lifted.component(p + i);
            printed[xi + i] = lifted.component(xi + i) + lifted.component(pi + i);
            printed[p + i] = pool.zero();
            printed[pi + i] = pool.zero();
        }
        let printed = VectorField::new(complete.space().chart(), printed);
        refuted(printed.decide_equal(&complete.field()));
        // (ξ, π) solve the linearised equations: γ at z + εż, differentiated at ε = 0.
        let z = &h.chart().coordinates()[1..];
        for k in 0..2 * n {
            let rate = along_epsilon(gamma.component(1 + k), z, bundle.fibre());
            proved(rate.decide_equal(lifted.component(1 + 2 * n + k)));
        }
    }
}

#[test]
fn t_101_vertical_lagrangian() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let lagrangian = Lagrangian::new(&s, of_state(&s, "L"));
        let system = System::new(lagrangian.clone());
        let above = VerticalConfiguration::over(&s);
        let vertical = System::new(above.lagrangian(&lagrangian));
        assert_eq!(above.rates()[0].to_string(), "jacobi(x1)'");
        // Lagrange's equations of L_V: along ξ those of L, along x the linearised ones.
        let a = vertical.acceleration_symbols();
        let equations = vertical.by_lagrange(&a);
        let jacobi = system.jacobi();
        assert_eq!(jacobi.accelerations, a[n..]);
        let own = system.by_lagrange(&a[..n]);
        for i in 0..n {
            proved(equations[n + i].decide_equal(own[i]));
            proved(equations[i].decide_equal(jacobi.equations[i]));
            refuted(equations[i].decide_equal(own[i]));
        }
        // The Hessian is [Q m; m 0]: regular with m, and on the vectors (w, 0) and (0, w) it pairs,
        // so that it is zero on (0, w) and not definite.
        let hessian = vertical.lagrangian().mass_matrix();
        let m = lagrangian.mass_matrix();
        for i in 0..n {
            for j in 0..n {
                proved(hessian.rows()[i][n + j].decide_equal(m.rows()[i][j]));
                proved(hessian.rows()[n + i][n + j].decide_zero());
            }
        }
        let rank = generic_rank(hessian.rows(), &Assumptions::new());
        assert_eq!(rank.rank, 2 * n);
        proved(rank.verdict);
    }
}

/// VQ over an undetermined L with its canonical frame, and π = ∂_V∂L/∂u.
struct Lifted<'p> {
    system: System<'p>,
    frame: CanonicalFrame<'p>,
    above: VerticalConfiguration<'p>,
    pi: Vec<Expr<'p>>,
}

impl<'p> Lifted<'p> {
    fn new(s: &StateSpace<'p>) -> Self {
        let l = Lagrangian::new(s, of_state(s, "L"));
        let above = VerticalConfiguration::over(s);
        let p = l.momenta().into_iter();
        Self {
            pi: p.map(|p| above.jets().derivative(p)).collect(),
            frame: l.canonical_frame().expect("regular"),
            system: System::new(l).with_force("F", force(s, "F")),
            above,
        }
    }

    /// ∂_Vf = ξⁱ∂ᵢf + πᵢ∂ⁱf for a function f on V*Q, all at p = ∂L/∂u, π = ∂_Vp.
    fn vertical(&self, f: Expr<'p>) -> Expr<'p> {
        let [x, p] = [self.frame.by_positions(f), self.frame.by_momenta(f)];
        dot(self.above.variations(), &x) + dot(&self.pi, &p)
    }
}

#[test]
fn t_101_both_sides_agree_for_every_lagrangian() {
    // Through VV*Q ≅ V*VQ the Legendre transform of L_V is ∂_Vℋ, and the linearised Hamilton equations are the
    // Jacobi equations, for every regular L and every F.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let lifted = Lifted::new(&s);
        let (above, l) = (&lifted.above, lifted.system.lagrangian());
        // π is the momentum of x, p that of ξ, and the energy of L_V is ∂_Vℋ.
        let of_l_v = above.lagrangian(l);
        let momenta = of_l_v.momenta();
        for i in 0..n {
            proved(momenta[i].decide_equal(lifted.pi[i]));
            proved(momenta[n + i].decide_equal(l.momenta()[i]));
        }
        let h = lifted.frame.hamiltonian();
        proved(of_l_v.energy().decide_equal(lifted.vertical(h)));
        refuted(of_l_v.energy().decide_equal(h));
        // ∂_V of a function on V*Q is ∂_V of its values on J¹Q.
        let f = of_state(&s, "f");
        proved(lifted.vertical(f).decide_equal(above.jets().derivative(f)));
        // ξ′ = ∂_V∂ⁱℋ; π′ + ∂_V∂ᵢℋ − ∂_VFᵢ are the Jacobi equations.
        let along = System::new(of_l_v).acceleration_symbols();
        let state = above.state();
        let mut rates = vec![(state.time(), pool.one())];
        rates.extend(pairs(state.base().positions(), state.velocities()));
        rates.extend(pairs(state.velocities(), &along));
        let (x, p) = (lifted.frame.by_positions(h), lifted.frame.by_momenta(h));
        let jacobi = lifted.system.jacobi();
        for i in 0..n {
            proved(lifted.vertical(p[i]).decide_equal(above.rates()[i]));
            let f = lifted.system.total_force().components()[i];
            let free = lifted.pi[i].derivative_along(&rates) + lifted.vertical(x[i]);
            let equation = free - lifted.vertical(f);
            proved(equation.decide_equal(jacobi.equations[i]));
            refuted(free.decide_equal(jacobi.equations[i]));
        }
    }
}

#[test]
fn t_101_both_sides_agree_for_every_hamiltonian() {
    // The other way: an undetermined ℋ, without a Lagrangian. Legendre's transformation is its own inverse, so
    // the frame of (t, x, u = ∂ℋ/∂p) over (t, x, p) is the canonical frame of ℋ taken for a Lagrangian.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let p = s.velocities();
        let dual = Lagrangian::new(&s, of_state(&s, "H"));
        let natural = dual.canonical_frame().expect("regular");
        let h = HamiltonianForm::new(s.chart(), dual.function());
        // L = pᵢ∂ⁱℋ − ℋ with ∂L/∂u = p and ∂L/∂x = −∂ℋ/∂x.
        let l = natural.hamiltonian();
        proved(l.decide_equal(h.lagrangian()));
        let slopes = h.function().gradient(s.base().positions());
        for i in 0..n {
            proved(natural.by_momenta(l)[i].decide_equal(p[i]));
            proved(natural.by_positions(l)[i].decide_equal(-slopes[i]));
        }
        proved((natural.time().apply(l) + h.function().diff(s.time())).decide_zero());
        // L_V = ξⁱ∂L/∂xⁱ + ξ̇ⁱ∂L/∂uⁱ at u = ∂ℋ/∂p, ξ̇ = ∂_Vu: its momenta are (π, p), its energy is ∂_Vℋ.
        let complete = VerticalHamiltonian::complete(&h);
        let space = complete.space();
        let u = dual.momenta();
        let rates: Vec<Expr<'_>> = (u.iter()).map(|&u| space.bundle().derivative(u)).collect();
        let xi = space.varied_positions();
        let l_v = dot(xi, &natural.by_positions(l)) + dot(&rates, &natural.by_momenta(l));
        let energy = dot(p, &rates) + dot(space.varied_momenta(), &u) - l_v;
        proved(energy.decide_equal(complete.function()));
        refuted((energy + l_v).decide_equal(complete.function()));
    }
}

#[test]
fn t_101_t_102_over_the_natural_chart() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let lifted = Lifted::new(&s);
        let l = lifted.system.lagrangian();
        // Without forces, at π = ∂_Vp: ξ′ is the rate that ∂_Vp is taken with, and π′ = ∂_V∂L/∂x.
        let exact = System::new(l.clone()).vertical_motion().expect("regular");
        proved(exact.decide_hamiltonian());
        let at = pairs(exact.space.varied_momenta(), &lifted.pi);
        let slopes = l.function().gradient(s.base().positions());
        let energy = lifted.above.jets().derivative(l.energy());
        proved(exact.function.substitute(&at).decide_equal(energy));
        for i in 0..n {
            let rate = exact.varied_positions[i].substitute(&at);
            proved(rate.decide_equal(lifted.above.rates()[i]));
            let rate = exact.varied_momenta[i].substitute(&at);
            let varied = lifted.above.jets().derivative(slopes[i]);
            proved(rate.decide_equal(varied));
            refuted(rate.decide_equal(-varied));
        }
        // With forces: adjoint.
        let forced = lifted.system.vertical_motion().expect("regular");
        refuted(forced.decide_hamiltonian());
        // Where H has a closed form, these are the equations of T-102 with p = ∂L/∂u substituted.
        let system = System::new(quadratic(&s)).with_force("F", force(&s, "F"));
        let found = system.vertical_motion().expect("regular");
        let canonical = system.canonical().expect("quadratic");
        let adjoint = VerticalHamiltonian::adjoint(&canonical.hamilton(&system.total_force()));
        let p = system.lagrangian().momenta();
        let at = pairs(adjoint.space().momenta(), &p);
        proved(
            adjoint
                .function()
                .substitute(&at)
                .decide_equal(found.function),
        );
        let parts = [
            &found.momenta,
            &found.varied_positions,
            &found.varied_momenta,
        ];
        let field = adjoint.field();
        for (k, part) in parts.into_iter().enumerate() {
            for (i, &rate) in part.iter().enumerate() {
                let wanted = field.component(1 + (k + 1) * n + i).substitute(&at);
                proved(wanted.decide_equal(rate));
            }
        }
    }
}

#[test]
fn t_103_t_105_over_the_natural_chart() {
    // Reactions are forces: with p = ∂L/∂u substituted, the constrained system on VV*Q is the extension of the
    // system under F + Fᶜ. For undetermined g, R, V, A, F, f.
    for (n, c) in [(1, 1), (2, 1), (3, 1)] {
        let pool = Pool::new();
        let s = state(&pool, n);
        let system = System::new(quadratic(&s)).with_force("F", force(&s, "F"));
        let list = restrictions(&s, c, false);
        let d = AdmissibleCodistribution::new(&s, list, &Assumptions::new());
        let constrained = ConstrainedSystem::new(system.clone(), d.expect("admissible"));
        let canonical = system.canonical().expect("quadratic");
        let wanted = constrained.canonical(&canonical).vertical_extension();
        let wanted = wanted.expect("regular");
        let reaction = constrained.ideal().expect("regular").force;
        let found = system.clone().with_force("R", reaction).vertical_motion();
        let found = found.expect("regular");
        let at = pairs(wanted.space().momenta(), &system.lagrangian().momenta());
        let own = wanted.function().substitute(&at);
        proved(own.decide_equal(found.function));
        let without = system.vertical_motion().expect("regular");
        refuted(own.decide_equal(without.function));
    }
}

#[test]
fn t_101_both_sides_agree_in_formulas() {
    // The same with ℋ(t, x, p) written out, for undetermined g, R, A, V.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = quadratic(&s);
        let below = System::new(l.clone()).canonical().expect("quadratic");
        let h = HamiltonianForm::new(below.chart(), below.hamiltonian());
        let complete = VerticalHamiltonian::complete(&h);
        let above = VerticalConfiguration::over(&s);
        let vertical = System::new(above.lagrangian(&l));
        let of_l_v = vertical.canonical().expect("regular and quadratic");
        let to = complete.space().to_canonical(of_l_v.chart());
        let found = to.pullback(&of_l_v.hamiltonian());
        proved(found.decide_equal(complete.function()));
        refuted(found.decide_equal(h.function()));
    }
}

#[test]
fn t_101_second_variation() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = Lagrangian::new(&s, of_state(&s, "L"));
        let second = SecondVariation::new(&l);
        let above = second.configuration();
        // d²/dε² L(t, x + εξ, u + εξ̇) at ε = 0.
        let eps = pool.symbol("eps");
        let z = s.chart().coordinates()[1..].iter().copied();
        let moved: Vec<_> = z
            .zip(above.jets().fibre())
            .map(|(z, &w)| (z, z + eps * w))
            .collect();
        let near = l.function().substitute(&moved).diff(eps).diff(eps);
        let twice = near.substitute(&[(eps, pool.zero())]);
        proved(twice.decide_equal(second.integrand()));
        refuted((twice / 2).decide_equal(second.integrand()));
        // Its Lagrange equations along ξ are twice the Jacobi equations.
        let q = System::new(second.as_lagrangian());
        let a = q.acceleration_symbols();
        let equations = q.by_lagrange(&a);
        let jacobi = System::new(l.clone()).jacobi();
        for i in 0..n {
            proved(equations[n + i].decide_equal(2 * jacobi.equations[i]));
        }
        // Q = d_t(ξⁱπᵢ) − ξⁱ(Jacobi)ᵢ, so that δ²A of a Jacobi field is a boundary term.
        let pi = second.momenta();
        let state = above.state();
        let along: Vec<_> = std::iter::once((state.time(), pool.one()))
            .chain(pairs(state.base().positions(), state.velocities()))
            .chain(pairs(state.velocities(), &a))
            .collect();
        let boundary = dot(above.variations(), &pi).derivative_along(&along);
        let rest = dot(above.variations(), &jacobi.equations);
        proved(second.integrand().decide_equal(boundary - rest));
        refuted(second.integrand().decide_equal(boundary + rest));
    }
}

/// Everything that varies along a motion, and its variation: (x, u, a, λ) and (ξ, ξ̇, ξ̈, jacobi(λ)).
fn varying<'p>(
    system: &System<'p>,
    lambda: &[Expr<'p>],
    found: &JacobiEquations<'p>,
) -> [Vec<Expr<'p>>; 2] {
    let own = [
        &system.state().chart().coordinates()[1..],
        &system.acceleration_symbols(),
        lambda,
    ];
    let fibre = found.configuration.jets().fibre();
    let varied = [fibre, &found.accelerations, &found.multipliers];
    [own.concat(), varied.concat()]
}

#[test]
fn t_101_jacobi_fields_under_forces() {
    // Equations at x + εξ, differentiated at ε = 0, for every L and F.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let exact = System::new(Lagrangian::new(&s, of_state(&s, "L")));
        let system = exact.clone().with_force("F", force(&s, "F"));
        let found = system.jacobi();
        let [z, w] = varying(&system, &[], &found);
        let a = system.acceleration_symbols();
        let (whole, free) = (system.by_lagrange(&a), exact.by_lagrange(&a));
        for i in 0..n {
            proved(along_epsilon(whole[i], &z, &w).decide_equal(found.equations[i]));
            refuted(along_epsilon(free[i], &z, &w).decide_equal(found.equations[i]));
        }
    }
}

/// c undetermined constraints, the last of them between positions if there are two, or on request.
fn restrictions<'p>(s: &StateSpace<'p>, c: usize, positions: bool) -> Vec<Constraint<'p>> {
    let one = |a: usize| match positions || a > 0 {
        true => Constraint::Position(of_base(s.base(), &format!("h{a}"))),
        false => Constraint::Velocity(of_state(s, &format!("f{a}"))),
    };
    (0..c).map(one).collect()
}

#[test]
fn t_101_jacobi_fields_under_forces_and_constraints() {
    // The same with reactions, the multipliers varied as well. For c = n the constraints leave one motion.
    for (n, c) in [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2)] {
        for positions in [false, true] {
            let pool = Pool::new();
            let s = state(&pool, n);
            let system =
                System::new(Lagrangian::new(&s, of_state(&s, "L"))).with_force("F", force(&s, "F"));
            let list = restrictions(&s, c, positions);
            let functions: Vec<Expr<'_>> = (list.iter())
                .map(|c| match c {
                    Constraint::Velocity(e) | Constraint::Position(e) => *e,
                    Constraint::Form(_) => unreachable!("functions"),
                })
                .collect();
            let slope = |a: usize, i: usize| match list[a] {
                Constraint::Velocity(e) => e.diff(s.velocity(i)),
                _ => functions[a].diff(s.position(i)),
            };
            let d = AdmissibleCodistribution::new(&s, list.clone(), &Assumptions::new());
            let constrained = ConstrainedSystem::new(system.clone(), d.expect("admissible"));
            let lambda: Vec<Expr<'_>> = (0..c)
                .map(|a| pool.symbol(&format!("multiplier({a})")))
                .collect();
            let found = constrained.jacobi(&lambda);
            assert_eq!(found.multipliers[0].to_string(), "jacobi(multiplier(0))");
            let [z, w] = varying(&system, &lambda, &found);
            let free = system.by_lagrange(&system.acceleration_symbols());
            for i in 0..n {
                let reaction = pool.sum((0..c).map(|a| lambda[a] * slope(a, i)));
                let whole = along_epsilon(free[i] - reaction, &z, &w);
                proved(whole.decide_equal(found.equations[i]));
                let alone = along_epsilon(free[i], &z, &w);
                refuted(alone.decide_equal(found.equations[i]));
            }
            for (&f, &varied) in functions.iter().zip(&found.constraints) {
                proved(along_epsilon(f, &z, &w).decide_equal(varied));
            }
        }
    }
}
