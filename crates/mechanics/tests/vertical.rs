//! T-99 … T-104, T-115: the vertical extension, Jacobi fields and adjoints, for undetermined
//! functions at n = 1, 2, 3; ERRATA E11, E13.

mod common;

use common::*;
use galilei_expr::{Assumptions, Expr, Pool, generic_rank};
use galilei_geometry::{Chart, Form, SmoothMap, VectorField};
use galilei_mechanics::{
    AdmissibleCodistribution, ConstrainedHamiltonian, ConstrainedSystem, Constraint,
    HamiltonianForm, KineticEnergy, Lagrangian, ReferenceField, SecondVariation, StateSpace,
    System, VerticalBundle, VerticalConfiguration, VerticalHamiltonian, VerticalPhaseSpace,
};

/// (t, x, p) over a state space.
fn canonical<'p>(s: &StateSpace<'p>) -> Chart<'p> {
    let map = Lagrangian::new(s, s.pool().zero()).legendre_map();
    map.chart().clone()
}

fn hamiltonian<'p>(s: &StateSpace<'p>) -> HamiltonianForm<'p> {
    let chart = canonical(s);
    HamiltonianForm::new(&chart, on(&chart, "H"))
}

/// ∂ₜ + γᵏ∂ₖ with undetermined γ on V*Q.
fn first_order<'p>(chart: &Chart<'p>) -> VectorField<'p> {
    let mut components = vec![chart.pool().one()];
    components.extend((1..chart.dimension()).map(|k| on(chart, &format!("c{k}"))));
    VectorField::new(chart, components)
}

fn dot<'p>(a: &[Expr<'p>], b: &[Expr<'p>]) -> Expr<'p> {
    let terms = a.iter().zip(b).map(|(&a, &b)| a * b);
    a[0].pool().sum(terms)
}

#[test]
fn t_99_charts_and_forms() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let h = hamiltonian(&s);
        let space = VerticalPhaseSpace::over(h.chart());
        assert_eq!(space.degrees_of_freedom(), n);
        assert_eq!(space.positions()[0].to_string(), "x1");
        assert_eq!(space.momenta()[0].to_string(), "p(x1)");
        assert_eq!(space.varied_positions()[0].to_string(), "jacobi(x1)");
        assert_eq!(space.varied_momenta()[0].to_string(), "jacobi(p(x1))");
        // Ω_V = ∂_VΩ, and it is closed; without one of the pairs it is not ∂_VΩ.
        let omega = space.three_form();
        let varied = space.bundle().derivative_of_form(&h.three_form());
        proved(omega.decide_equal(&varied));
        proved(omega.d().decide_zero());
        let chart = space.chart();
        let d = |k: usize| chart.differential(k);
        let pair = d(1 + 3 * n).wedge(&d(1)).wedge(&d(0));
        refuted(omega.minus(&pair).decide_equal(&varied));
        // H_V = ∂_VH − d(pᵢξⁱ).
        let vertical = VerticalHamiltonian::complete(&h);
        let gauge = Form::function(chart, dot(space.momenta(), space.varied_positions()));
        let whole = space.bundle().derivative_of_form(&h.as_form());
        proved(vertical.as_form().decide_equal(&whole.minus(&gauge.d())));
        refuted(vertical.as_form().decide_equal(&whole));
        // VV*Q ≅ V*VQ: the Liouville forms agree up to d(pᵢξⁱ), with the pairs (x, π) and (ξ, p).
        let above = VerticalConfiguration::over(&s);
        let target = canonical(above.state());
        let to = space.to_canonical(&target);
        let function = vertical.function();
        let of_q = HamiltonianForm::new(&target, pool.zero()).as_form();
        let energy = d(0).scaled(function);
        let pulled = to.pullback(&of_q).minus(&energy);
        proved(pulled.decide_equal(&whole));
    }
}

#[test]
fn t_99_the_vertical_derivative_is_natural() {
    for n in 1..=3 {
        let pool = Pool::new();
        let base = Chart::new(&pool, (0..=n).map(|k| format!("z{k}")));
        let bundle = VerticalBundle::over(&base);
        for degree in 0..=2 {
            let omega = form_on(&base, degree, "w");
            // ∂_Vd = d∂_V
            let left = bundle.derivative_of_form(&omega.d());
            proved(left.decide_equal(&bundle.derivative_of_form(&omega).d()));
        }
        // (Vf)*∂_Vω = ∂_Vf*ω for a map over time.
        let other = Chart::new(&pool, (0..=n).map(|k| format!("y{k}")));
        let mut parts = vec![base.coordinate(0)];
        parts.extend((1..=n).map(|k| on(&base, &format!("f{k}"))));
        let map = SmoothMap::new(&base, &other, parts);
        let above = VerticalBundle::over(&other);
        let omega = form_on(&other, 1, "w");
        let tangent = bundle.tangent(&map, &above);
        let left = tangent.pullback(&above.derivative_of_form(&omega));
        let right = bundle.derivative_of_form(&map.pullback(&omega));
        proved(left.decide_equal(&right));
    }
}

#[test]
fn t_100_hamilton_on_the_vertical_phase_space() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let space = VerticalPhaseSpace::over(&canonical(&s));
        let any = VerticalHamiltonian::new(space.clone(), on(space.chart(), "K"));
        // γ ⌟ Ω_V = dH_V
        let contracted = any.field().interior(&space.three_form());
        proved(contracted.decide_equal(&any.as_form().d()));
        refuted(contracted.decide_equal(&any.as_form().d().negated()));
        // On V*VQ these are the ordinary Hamilton equations of the same function.
        let above = VerticalConfiguration::over(&s);
        let target = canonical(above.state());
        let to = space.to_canonical(&target);
        let own: Vec<Expr<'_>> = to.components().to_vec();
        let renamed: Vec<_> = own
            .iter()
            .copied()
            .zip(target.coordinates().iter().copied())
            .collect();
        let ordinary = HamiltonianForm::new(&target, any.function().substitute(&renamed)).field();
        let back: Vec<_> = target.coordinates().iter().copied().zip(own).collect();
        let field = any.field();
        for (k, &z) in target.coordinates().iter().enumerate() {
            let here = back.iter().find(|p| p.0 == z).expect("a coordinate").1;
            let index = space.chart().coordinates().iter().position(|&c| c == here);
            let found = field.component(index.expect("a coordinate"));
            proved(found.decide_equal(ordinary.component(k).substitute(&back)));
        }
    }
}

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
        let eps = pool.symbol("eps");
        let fibre = bundle.fibre();
        let moved: Vec<_> = (0..2 * n)
            .map(|k| {
                let z = h.chart().coordinate(1 + k);
                (z, z + eps * fibre[k])
            })
            .collect();
        for k in 0..2 * n {
            let near = gamma.component(1 + k).substitute(&moved).diff(eps);
            let rate = near.substitute(&[(eps, pool.zero())]);
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

/// ½g(u, u) + A·u − V.
fn quadratic<'p>(s: &StateSpace<'p>) -> Lagrangian<'p> {
    let (base, n) = (s.base(), s.degrees_of_freedom());
    let kinetic = KineticEnergy::new(s, &metric(base), &ReferenceField::resting(base)).energy();
    let linear = (0..n).map(|i| of_base(base, &format!("A{i}")) * s.velocity(i));
    Lagrangian::new(s, kinetic - of_base(base, "V") + s.pool().sum(linear))
}

#[test]
fn t_101_both_sides_agree() {
    // The Legendre transform of L_V is ∂_Vℋ, through VV*Q ≅ V*VQ, for undetermined g, A, V.
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

fn pairs<'p>(a: &[Expr<'p>], b: &[Expr<'p>]) -> Vec<(Expr<'p>, Expr<'p>)> {
    a.iter().copied().zip(b.iter().copied()).collect()
}

#[test]
fn t_101_jacobi_fields_under_forces_and_constraints() {
    // Equations at x + εξ, differentiated at ε = 0, with the multipliers varied as well.
    for n in 2..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let system =
            System::new(Lagrangian::new(&s, of_state(&s, "L"))).with_force("F", force(&s, "F"));
        let (f, h) = (of_state(&s, "f"), of_base(s.base(), "h"));
        let list = vec![Constraint::Velocity(f), Constraint::Position(h)];
        let d = AdmissibleCodistribution::new(&s, list, &Assumptions::new());
        let constrained = ConstrainedSystem::new(system.clone(), d.expect("admissible"));
        let lambda = ["f", "h"].map(|name| pool.symbol(&format!("multiplier({name})")));
        let found = constrained.jacobi(&lambda).expect("functions");
        assert_eq!(found.multipliers[0].to_string(), "jacobi(multiplier(f))");
        let eps = pool.symbol("eps");
        let a = system.acceleration_symbols();
        let free = system.by_lagrange(&a);
        let mut all = s.chart().coordinates()[1..].to_vec();
        all.extend(a);
        all.extend(lambda);
        let mut varied = found.configuration.jets().fibre().to_vec();
        varied.extend(&found.accelerations);
        varied.extend(&found.multipliers);
        let moved: Vec<_> = all
            .iter()
            .zip(&varied)
            .map(|(&z, &w)| (z, z + eps * w))
            .collect();
        let linear = |e: Expr<'_>| {
            let e = pool.expr(e.id()).substitute(&moved).diff(eps);
            e.substitute(&[(eps, pool.zero())])
        };
        for i in 0..n {
            let reaction = lambda[0] * f.diff(s.velocity(i)) + lambda[1] * h.diff(s.position(i));
            let whole = free[i] - reaction;
            proved(linear(whole).decide_equal(found.equations[i]));
            refuted(linear(free[i]).decide_equal(found.equations[i]));
        }
        proved(linear(f).decide_equal(found.constraints[0]));
        proved(linear(h).decide_equal(found.constraints[1]));
    }
}

#[test]
fn t_102_adjoint_equations() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let chart = canonical(&s);
        let gamma = first_order(&chart);
        let vertical = VerticalHamiltonian::adjoint(&gamma);
        let space = vertical.space();
        let field = vertical.field();
        // x′ = γⁱ, p′ = γᵢ.
        for k in 0..=2 * n {
            proved(field.component(k).decide_equal(gamma.component(k)));
        }
        // λ = (π, −ξ) obeys λ′ = −(Dγ)ᵀλ.
        let rates = space.costate_rates(&gamma);
        let lambda = space.costate();
        for (l, rate) in lambda.iter().zip(&rates) {
            proved(field.apply(*l).decide_equal(*rate));
            refuted(field.apply(*l).decide_equal(-*rate));
        }
        // λ·δz is constant for every variation δz of the motion: δz′ = Dγ δz.
        let delta = VerticalBundle::with_fibre(
            &chart,
            (0..2 * n).map(|k| pool.symbol(&format!("dz{k}"))).collect(),
        );
        let moved = delta.extension(&gamma);
        let own = pairs(space.chart().coordinates(), field.components());
        let fibre = pairs(delta.fibre(), &moved.components()[1 + 2 * n..]);
        let along: Vec<_> = own.into_iter().chain(fibre).collect();
        let pairing = dot(&lambda, delta.fibre());
        proved(pairing.derivative_along(&along).decide_zero());
        let wrong = dot(space.bundle().fibre(), delta.fibre());
        refuted(wrong.derivative_along(&along).decide_zero());
        // The Jacobi equation only if γ is Hamiltonian.
        refuted(space.decide_hamiltonian(&gamma));
        proved(space.decide_hamiltonian(&hamiltonian(&s).field()));
    }
}

/// An undetermined Hamiltonian form with forces and c one-forms, without a Lagrangian; quadratic in
/// p above two degrees of freedom.
fn restricted<'p>(s: &StateSpace<'p>, c: usize) -> ConstrainedHamiltonian<'p> {
    let (chart, n) = (canonical(s), s.degrees_of_freedom());
    let pool = s.pool();
    let p = |i: usize| chart.coordinate(1 + n + i);
    let places = (0..n).flat_map(|i| (0..=i).map(move |j| (i, j)));
    let square = places.map(|(i, j)| of_base(s.base(), &format!("m{i}{j}")) * p(i) * p(j));
    let h = match n {
        1 | 2 => on(&chart, "H"),
        _ => pool.sum(square) + of_base(s.base(), "V"),
    };
    let force = (0..n).map(|i| on(&chart, &format!("F{i}"))).collect();
    let beta = |a: usize| {
        let parts: Vec<Expr<'p>> = (0..=2 * n)
            .map(|k| on(&chart, &format!("b{a}{k}")))
            .collect();
        Form::one_form(&chart, &parts)
    };
    let forms = (0..c).map(beta).collect();
    ConstrainedHamiltonian::new(HamiltonianForm::new(&chart, h), force, forms)
}

#[test]
fn t_103_e_11_constrained_systems() {
    for (n, c) in [(1, 1), (2, 1), (3, 1), (3, 2)] {
        let pool = Pool::new();
        let s = state(&pool, n);
        let system = restricted(&s, c);
        let vertical = system.vertical_extension().expect("regular");
        let motion = system.ideal().expect("regular");
        // ℋ_V is that of T-102 for the constrained equations …
        let adjoint = VerticalHamiltonian::adjoint(&motion.field);
        proved(vertical.function().decide_equal(adjoint.function()));
        // … and its first two equations are those of the constrained motion.
        let field = vertical.field();
        for k in 0..=2 * n {
            proved(field.component(k).decide_equal(motion.field.component(k)));
        }
        // ∂_Vℋ alone is not: forces and reactions are missing.
        let complete = VerticalHamiltonian::complete(system.form());
        refuted(vertical.function().decide_equal(complete.function()));
        // E11: as printed, ξⁱM̃_ab Mᵢⱼβ̇ᵃⁱβᵇ(γ) has i three times; with the sum over i inside, the
        // reaction is another one as soon as there is more than one i.
        let xi = vertical.space().varied_positions();
        let lower = system.form().inverse_mass().inverse().expect("regular");
        let row = |a: usize| -> Vec<Expr<'_>> {
            let beta = &system.forms()[a];
            (0..n).map(|i| beta.component(&[1 + n + i])).collect()
        };
        let forced = complete.function() - dot(xi, system.force());
        let corrected = |i: usize, a: usize| lower.times_vector(&row(a))[i];
        let all = |a: usize| pool.sum(lower.times_vector(&row(a)));
        let theta = |i: usize| pool.sum((0..c).map(|a| -motion.multipliers[a] * corrected(i, a)));
        let printed = |_: usize| pool.sum((0..c).map(|a| -motion.multipliers[a] * all(a)));
        let right = pool.sum((0..n).map(|i| xi[i] * theta(i)));
        proved(vertical.function().decide_equal(forced + right));
        if n > 1 {
            let wrong = pool.sum((0..n).map(|i| xi[i] * printed(i)));
            refuted(vertical.function().decide_equal(forced + wrong));
        }
        refuted(vertical.function().decide_equal(forced - right));
    }
}

#[test]
fn t_104_lagrangian_on_the_vertical_phase_space() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let chart = canonical(&s);
        let space = VerticalPhaseSpace::over(&chart);
        let any = VerticalHamiltonian::new(space.clone(), on(space.chart(), "K"));
        let l_h = any.lagrangian();
        let system = System::new(l_h.clone());
        let a = system.acceleration_symbols();
        let state = l_h.state();
        // The Lagrange equation of z is ±(z̄′ − γ) for the coordinate z̄ conjugate to z.
        let equations = system.by_lagrange(&a);
        let field = any.field();
        let off = |k: usize| state.velocity(k) - field.component(1 + k);
        for i in 0..n {
            let (x, p, xi, pi) = (i, n + i, 2 * n + i, 3 * n + i);
            proved(equations[pi].decide_equal(-off(x)));
            proved(equations[xi].decide_equal(off(p)));
            proved(equations[p].decide_equal(-off(xi)));
            proved(equations[x].decide_equal(off(pi)));
            refuted(equations[x].decide_equal(off(xi)));
        }
        // L_H vanishes on solutions for ∂_Vℋ and for T-102, not for any ℋ_V.
        let on_solutions = |v: &VerticalHamiltonian<'_>| {
            let l = v.lagrangian();
            let u = l.state().velocities().iter().copied();
            let rates: Vec<_> = u.zip(v.field().components()[1..].to_vec()).collect();
            l.function().substitute(&rates).decide_zero()
        };
        proved(on_solutions(&VerticalHamiltonian::complete(&hamiltonian(
            &s,
        ))));
        proved(on_solutions(&VerticalHamiltonian::adjoint(&first_order(
            &chart,
        ))));
        refuted(on_solutions(&any));
    }
}

#[test]
fn t_115_pull_back_by_the_vertical_tangent_map() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let h = hamiltonian(&s);
        let below = h.chart();
        // T*Q: (t, x, p, p₀), and the section h: p₀ = −ℋ.
        let time = pool.symbol("p(t)");
        let cotangent = Chart::of(&pool, below.coordinates().iter().copied().chain([time]));
        let mut parts = below.coordinates().to_vec();
        parts.push(-h.function());
        let section = SmoothMap::new(below, &cotangent, parts);
        let phase = VerticalPhaseSpace::over(below);
        let above = VerticalBundle::over(&cotangent);
        let tangent = phase.bundle().tangent(&section, &above);
        // VT*Q: (t, x, p, p₀, ξ, π, π₀) with Ξ_V = π₀dt + πᵢdxⁱ − ξⁱdpᵢ.
        let fibre = above.fibre();
        let (xi, pi, pi_0) = (&fibre[..n], &fibre[n..2 * n], fibre[2 * n]);
        assert_eq!(pi_0.to_string(), "jacobi(p(t))");
        let mut components = vec![pi_0];
        components.extend_from_slice(pi);
        components.extend(xi.iter().map(|&e| -e));
        components.resize(above.chart().dimension(), pool.zero());
        let liouville = Form::one_form(above.chart(), &components);
        let h_v = VerticalHamiltonian::complete(&h).as_form();
        proved(tangent.pullback(&liouville).decide_equal(&h_v));
        refuted(tangent.pullback(&liouville).decide_equal(&h_v.negated()));
        // Ξ_V = ∂_VΞ − d(pᵢξⁱ).
        let mut components = vec![time];
        components.extend_from_slice(h.momenta());
        components.resize(cotangent.dimension(), pool.zero());
        let below_form = Form::one_form(&cotangent, &components);
        let gauge = Form::function(above.chart(), dot(h.momenta(), xi));
        let varied = above.derivative_of_form(&below_form).minus(&gauge.d());
        proved(varied.decide_equal(&liouville));
    }
}
