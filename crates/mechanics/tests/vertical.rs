//! T-99, T-100, T-102 … T-104, T-115: the vertical extension and adjoint equations, for undetermined
//! functions of time, places and momenta at n = 1, 2, 3; ERRATA E11. (T-101: `jacobi`)

mod common;

use common::*;
use galilei_expr::{Expr, Pool, Verdict};
use galilei_geometry::{Chart, Form, SmoothMap, VectorField};
use galilei_mechanics::{
    ConstrainedHamiltonian, HamiltonianForm, StateSpace, System, VerticalBundle,
    VerticalConfiguration, VerticalHamiltonian, VerticalPhaseSpace,
};

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
        // The Jacobi equation only if γ is Hamiltonian: what it has more is (dσ)(ż, ·) for
        // σ = γⁱdpᵢ − γᵢdxⁱ, nothing exactly where σ is closed at every time, and so locally dℋ.
        refuted(space.decide_hamiltonian(&gamma));
        proved(space.decide_hamiltonian(&hamiltonian(&s).field()));
        let (x, p) = gamma.components()[1..].split_at(n);
        let minus = p.iter().map(|&e| -e);
        let sigma: Vec<Expr<'_>> = (std::iter::once(pool.zero()).chain(minus))
            .chain(x.iter().copied())
            .collect();
        let sigma = Form::one_form(&chart, &sigma).d();
        let varied = [&[pool.zero()], space.bundle().fibre()].concat();
        let varied = VectorField::new(&chart, varied);
        let more = |k: usize| sigma.evaluate(&[&varied, &chart.partial(k)]);
        let jacobi = space.bundle().extension(&gamma).minus(&field);
        for i in 0..n {
            let [xi, pi] = [2 * n, 3 * n].map(|k| jacobi.component(1 + k + i));
            proved(xi.decide_equal(more(1 + n + i)));
            proved(pi.decide_equal(-more(1 + i)));
            refuted(pi.decide_equal(more(1 + i)));
        }
    }
}

/// An undetermined Hamiltonian form with forces and c one-forms, without a Lagrangian.
fn restricted<'p>(s: &StateSpace<'p>, c: usize) -> ConstrainedHamiltonian<'p> {
    let form = hamiltonian(s);
    let (chart, n) = (form.chart().clone(), s.degrees_of_freedom());
    let force = (0..n).map(|i| on(&chart, &format!("F{i}"))).collect();
    let forms = (0..c)
        .map(|a| form_on(&chart, 1, &format!("b{a}")))
        .collect();
    ConstrainedHamiltonian::new(form, force, forms)
}

#[test]
fn t_103_e_11_constrained_systems() {
    for (n, c) in [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)] {
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
        // The multipliers are those of the definition: M̃ᵃᵇλ_b = −βᵃ(γ_F), M̃ᵃᵇ = ṡᵃᵢṡᵇⱼMⁱʲ.
        let upper = system.form().inverse_mass();
        let s: Vec<Vec<Expr<'_>>> = (0..c).map(|a| lower.times_vector(&row(a))).collect();
        let free = system.free_field();
        for a in 0..c {
            let entry = |b: usize| dot(&s[a], &upper.times_vector(&s[b]));
            let sum = pool.sum((0..c).map(|b| entry(b) * motion.multipliers[b]));
            proved((sum + system.forms()[a].evaluate(&[&free])).decide_zero());
        }
        // L_H vanishes on solutions, as for every equation of T-102.
        proved(on_solutions(&vertical));
    }
}

/// Whether L_H = 0 along Hamilton's equations. (T-104)
fn on_solutions(v: &VerticalHamiltonian<'_>) -> Verdict {
    let l = v.lagrangian();
    let field = v.field();
    let rates = pairs(l.state().velocities(), &field.components()[1..]);
    l.function().substitute(&rates).decide_zero()
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
