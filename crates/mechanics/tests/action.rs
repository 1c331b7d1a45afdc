//! T-62 … T-66: action functionals, first variation, Hamilton's principle; ERRATA E16.

mod common;

use common::*;
use galilei_expr::{Assumptions, Expr, Pool, Rational};
use galilei_geometry::{Chart, VectorField};
use galilei_mechanics::{
    ActionFunctional, ActionKind, AdaptedChart, CurveJets, DisplacementKind, HamiltonianForm,
    HamiltonsPrinciple, Lagrangian, Principle, SecondOrderField, StateSpace, System,
    VirtualDisplacement, decide_together,
};

#[test]
fn t_63_t_64_t_65_lagrangian_functionals() {
    // (a), (c), (e) for every L.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let principle = HamiltonsPrinciple::new(&Lagrangian::new(&s, of_state(&s, "L")), None);
        for kind in [ActionKind::A, ActionKind::C, ActionKind::E] {
            proved(principle.decide(kind).unwrap());
            // Another integrand over the same curves has other stationary curves.
            let functional = principle.functional(kind).unwrap();
            let x = functional.curve().components()[0];
            let other = functional.integrand() + x.pow(2);
            let broken = functional.clone().with_integrand(other);
            refuted(decide_together(&principle.claims(&broken).unwrap()));
            let minus = -functional.integrand();
            let broken = functional.with_integrand(minus);
            refuted(decide_together(&principle.claims(&broken).unwrap()));
        }
        for kind in [ActionKind::B, ActionKind::D, ActionKind::F] {
            assert!(principle.functional(kind).is_none());
        }
    }
}

#[test]
fn t_63_t_64_t_65_all_six_for_quadratic_lagrangians() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = quadratic(&s);
        let canonical = System::new(l.clone()).canonical().unwrap();
        let principle = HamiltonsPrinciple::new(&l, Some(canonical.hamiltonian_form()));
        for kind in ActionKind::ALL {
            proved(principle.decide(kind).unwrap());
            let functional = principle.functional(kind).unwrap();
            let broken = functional.clone().with_integrand(-functional.integrand());
            refuted(decide_together(&principle.claims(&broken).unwrap()));
        }
        // On admissible curves all six have the same value, that of (e).
        let along = |kind: ActionKind| {
            let f = principle.functional(kind).unwrap();
            let u = l.independent_velocities().into_iter();
            let u = u.zip(s.velocities().iter().copied());
            let p = (0..n).map(|i| canonical.momentum(i)).zip(l.momenta());
            f.integrand().substitute(&u.chain(p).collect::<Vec<_>>())
        };
        for kind in ActionKind::ALL {
            proved(along(kind).decide_equal(l.function()));
        }
    }
}

#[test]
fn t_65_momenta_for_every_pair() {
    // (f) for any L and any H: with D = ẋ − ∂H/∂p at p = ∂L/∂u the Euler operator is
    // −(dpᵢ/dt + ∂H/∂xⁱ) + Dʲ∂pⱼ/∂xⁱ − d/dt(Dʲ∂pⱼ/∂uⁱ). Where H belongs to L, D = 0 everywhere.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = Lagrangian::new(&s, of_state(&s, "L"));
        let h = hamiltonian(&s);
        let f = l.action_by_momenta(&h);
        let p = l.momenta();
        let field = h.field();
        let at_p = pool.substitute_all(&field.components()[1..], &pairs(h.momenta(), &p));
        let (by_p, minus_by_x) = at_p.split_at(n);
        let off: Vec<Expr<'_>> = pairs(s.velocities(), by_p)
            .into_iter()
            .map(|(u, v)| u - v)
            .collect();
        let found = f.stationarity().equations;
        for i in 0..n {
            let rate = f.curve().total_derivative(p[i]);
            let slope = |z| dot(&off, &p.iter().map(|p| p.diff(z)).collect::<Vec<_>>());
            let bent = f.curve().total_derivative(slope(s.velocity(i)));
            let motion = minus_by_x[i] - rate;
            proved(found[i].decide_equal(motion + slope(s.position(i)) - bent));
            refuted(found[i].decide_equal(motion));
        }
        // With H at p = ∂L/∂u the energy of L, the integrand is that of (e).
        let energy = l.canonical_frame().unwrap().hamiltonian();
        let pairing = dot(&p, s.velocities());
        proved((pairing - energy).decide_equal(l.function()));
    }
}

#[test]
fn t_63_t_65_a_lagrangian_that_is_not_quadratic() {
    // The relativistic particle: p = mu/√(1 − u²), H = √(m² + p²).
    let pool = Pool::new();
    let s = StateSpace::new(AdaptedChart::new(&pool, "t", ["x"]));
    let m = pool.symbol("m");
    let (x, u) = (s.position(0), s.velocity(0));
    let v = pool.function("V").at([x]);
    let l = Lagrangian::new(&s, -m * (1 - u.pow(2)).sqrt() - v);
    let p = pool.symbol("p(x)");
    let domain = Assumptions::new().positive(m);
    let velocity = p / (m.pow(2) + p.pow(2)).sqrt();
    let canonical =
        galilei_mechanics::Canonical::with_velocities(&l, vec![velocity], &domain).unwrap();
    let principle = HamiltonsPrinciple::new(&l, Some(canonical.hamiltonian_form()));
    for kind in ActionKind::ALL {
        let claims = principle
            .claims(&principle.functional(kind).unwrap())
            .unwrap();
        for claim in claims {
            let query = galilei_expr::Query::zero(claim).assuming(&domain);
            proved(query.decide().verdict);
        }
    }
}

/// The Euler operator of a functional on the curves that obey Hamilton's equations.
fn on_motions<'p>(form: &HamiltonianForm<'p>, functional: &ActionFunctional<'p>) -> Vec<Expr<'p>> {
    let rates = functional.curve().derivatives(1).iter().copied();
    let field = form.field();
    let values = field.components()[1..].iter().copied();
    let pairs: Vec<_> = rates.zip(values).collect();
    let e = functional.stationarity().equations;
    form.chart().pool().substitute_all(&e, &pairs)
}

#[test]
fn t_66_the_trap_of_free_variations() {
    // For every H: the Euler operator of (b) vanishes along motions, that of (d) with x and p varied
    // freely does not. With ẋ = ∂H/∂p kept it does, for λ = p.
    for n in 1..=3 {
        let pool = Pool::new();
        let form = hamiltonian(&state(&pool, n));
        for e in on_motions(&form, &form.action(ActionKind::B).unwrap()) {
            proved(e.decide_zero());
        }
        let d = form.action(ActionKind::D).unwrap();
        let free = d.clone().without_conditions();
        for e in on_motions(&form, &free) {
            refuted(e.decide_zero());
        }
        let kept = d.stationarity();
        let (x, p) = kept.equations.split_at(n);
        let field = form.field();
        let momenta = form.momenta();
        let lambda = kept.multipliers.components().iter().copied();
        let rates = kept.multipliers.derivatives(1).iter().copied();
        let pairs = lambda.zip(momenta.iter().copied());
        let pairs = pairs.chain(rates.zip(field.components()[1 + n..].iter().copied()));
        let pairs: Vec<_> = pairs.collect();
        for e in pool.substitute_all(&[x, p].concat(), &pairs) {
            proved(e.decide_zero());
        }
        // What the free variation says instead: (∂²H/∂p∂p)p = 0 and p·∂²H/∂x∂p = ∂H/∂x, no equations of
        // motion at all.
        let expected = form.inverse_mass().times_vector(momenta);
        let found = free.stationarity().equations;
        for i in 0..n {
            proved(found[n + i].decide_equal(expected[i]));
            let rates = free.curve().derivatives(1);
            assert!(found.iter().all(|e| !e.contains_any(rates)));
        }
    }
}

#[test]
fn t_66_an_oscillator() {
    // H = p²/2 + x²/2: (d) is ∫(p² − x²)/2, freely varied p = 0 and x = 0 instead of ẋ = p, ṗ = −x.
    let pool = Pool::new();
    let chart = Chart::new(&pool, ["t", "x", "p(x)"]);
    let [x, p] = pool.symbols(["x", "p(x)"]);
    let form = HamiltonianForm::new(&chart, (p.pow(2) + x.pow(2)) / 2);
    let d = form.action(ActionKind::D).unwrap();
    let half = Rational::new(1, 2);
    proved(d.integrand().decide_equal(half * (p.pow(2) - x.pow(2))));
    let free = d.without_conditions().stationarity().equations;
    assert_eq!(free, [-x, p]);
    let b = form.action(ActionKind::B).unwrap().stationarity().equations;
    let [v, w] = pool.symbols(["x'", "p(x)'"]);
    proved(b[0].decide_equal(-x - w));
    proved(b[1].decide_equal(v - p));
}

#[test]
fn admissible_variations() {
    let kinds = ActionKind::ALL.map(|k| k.principle());
    use Principle::{I, II, III};
    assert_eq!(kinds, [I, I, II, II, III, III]);
    assert_eq!(
        [I, II, III].map(Principle::variations),
        DisplacementKind::ALL
    );
}

/// β̇ = ∂ₜ + ẋ∂ₓ + u̇∂ᵤ of a curve that need not be of second order, with ẋ named `v#`.
fn tangent<'p>(s: &StateSpace<'p>) -> VectorField<'p> {
    let (pool, n) = (s.pool(), s.degrees_of_freedom());
    let v = (0..n).map(|i| pool.symbol(&format!("v#{i}")));
    let w = (0..n).map(|i| pool.symbol(&format!("{}''", s.position(i))));
    let components = std::iter::once(pool.one()).chain(v).chain(w);
    VectorField::new(s.chart(), components.collect())
}

/// From the natural chart with tangent v# to the jets of (a): u is `u(x)`, ẋ is `x'`.
fn renamed<'p>(l: &Lagrangian<'p>, e: Expr<'p>) -> Expr<'p> {
    let s = l.state();
    let (pool, n) = (s.pool(), s.degrees_of_freedom());
    let u = l.independent_velocities();
    let mut pairs = Vec::new();
    for i in 0..n {
        let x = s.position(i);
        pairs.push((s.velocity(i), u[i]));
        pairs.push((pool.symbol(&format!("v#{i}")), s.velocity(i)));
        pairs.push((
            pool.symbol(&format!("{x}''")),
            pool.symbol(&format!("{}'", u[i])),
        ));
        pairs.push((
            pool.symbol(&format!("delta({x}')")),
            pool.symbol(&format!("delta({})", u[i])),
        ));
    }
    e.substitute(&pairs)
}

#[test]
fn t_62_first_variation() {
    // The integrand of (a), differentiated along x + εδx, u + εδu, is dω(Y, β̇) + d/dt(Y ⌟ ω), for every L
    // and every curve and every variation.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = Lagrangian::new(&s, of_state(&s, "L"));
        let y = VirtualDisplacement::symbols(&s);
        let first = l.first_variation(&y, &tangent(&s));
        // Y ⌟ ω = pᵢδxⁱ
        proved(first.boundary.decide_equal(y.pair(&l.momenta())));
        let (inner, boundary) = (renamed(&l, first.integrand), renamed(&l, first.boundary));
        let a = l.action(ActionKind::A).unwrap();
        let delta = a.curve().variations();
        let both = a.curve().joined(&delta);
        let varied = a.curve().variation(a.integrand(), &delta);
        proved(varied.decide_equal(inner + both.total_derivative(boundary)));
        refuted(varied.decide_equal(inner));
        refuted(varied.decide_equal(inner - both.total_derivative(boundary)));
        // The boundary term is that of the Euler operator, and dω(Y, β̇) is E_A δyᴬ.
        proved(
            a.curve()
                .boundary(a.integrand(), &delta)
                .decide_equal(boundary),
        );
        let e = a.stationarity().equations;
        let pairs = e.iter().zip(delta.components());
        proved(inner.decide_equal(pool.sum(pairs.map(|(&e, &d)| e * d))));
    }
}

#[test]
fn t_62_a_flow_of_fields() {
    // For a field Y on the state space and any field X̃ of which β is an integral curve:
    // (L_Yω)(X̃) = dω(Y, X̃) + X̃[Y ⌟ ω].
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = Lagrangian::new(&s, of_state(&s, "L"));
        let y = VirtualDisplacement::new(&s, of_state_list(&s, "dx"), of_state_list(&s, "du"));
        let mut x = vector(s.chart(), "X").components().to_vec();
        x[0] = pool.one();
        let x = VectorField::new(s.chart(), x);
        let first = l.first_variation(&y, &x);
        let lie = y.as_vector().lie(&l.cartan_form()).evaluate(&[&x]);
        proved(lie.decide_equal(first.integrand + x.apply(first.boundary)));
        refuted(lie.decide_equal(first.integrand));
    }
}

#[test]
fn t_62_with_forces() {
    // δA + ∫Fᵢδxⁱdt has −Ω(Z, Y) under the integral: it vanishes for all variations along motions only.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = Lagrangian::new(&s, of_state(&s, "L"));
        let system = System::new(l.clone()).with_force("F", force(&s, "F"));
        let z = field(&s, "Z");
        let y = VirtualDisplacement::along(&z, of_state_list(&s, "dx"));
        let first = system.first_variation(&y, &z.as_vector());
        proved(first.integrand.decide_equal(-system.virtual_work(&z, &y)));
        let exact = l.first_variation(&y, &z.as_vector());
        refuted(exact.integrand.decide_equal(-system.virtual_work(&z, &y)));
        proved(first.boundary.decide_equal(exact.boundary));
        let motion = system.lagrange().unwrap();
        let y = VirtualDisplacement::along(&motion, of_state_list(&s, "dx"));
        let first = system.first_variation(&y, &motion.as_vector());
        proved(first.integrand.decide_zero());
        let exact = l.first_variation(&y, &motion.as_vector());
        refuted(exact.integrand.decide_zero());
    }
}

/// A curve γ in M displaced along δx(t, x), and a form on A¹M to be integrated over it.
struct Displaced<'p> {
    lagrangian: Lagrangian<'p>,
    epsilon: Expr<'p>,
    /// x + εδx
    places: Vec<Expr<'p>>,
    /// The velocities of the displaced curve, d(x + εδx)/dt.
    rates: Vec<Expr<'p>>,
}

impl<'p> Displaced<'p> {
    fn new(l: &Lagrangian<'p>, y: &VirtualDisplacement<'p>) -> Self {
        let s = l.state();
        let epsilon = s.pool().symbol("ε");
        let curve = CurveJets::new(s.time(), s.base().positions(), 1);
        let places = pairs(s.base().positions(), y.positions()).into_iter();
        let places: Vec<Expr<'p>> = places.map(|(x, d)| x + epsilon * d).collect();
        Self {
            lagrangian: l.clone(),
            epsilon,
            rates: places.iter().map(|&x| curve.total_derivative(x)).collect(),
            places,
        }
    }

    /// f(t, x, u) at the displaced place with these velocities.
    fn at(&self, f: Expr<'p>, velocities: &[Expr<'p>]) -> Expr<'p> {
        let s = self.lagrangian.state();
        let mut moved = pairs(s.base().positions(), &self.places);
        moved.extend(pairs(s.velocities(), velocities));
        f.substitute(&moved)
    }

    /// ω = L dt + pᵢ(dxⁱ − uⁱdt) along the displaced curve with these velocities.
    fn cartan_form(&self, velocities: &[Expr<'p>]) -> Expr<'p> {
        let p = self.lagrangian.momenta().into_iter();
        let p: Vec<Expr<'p>> = p.map(|p| self.at(p, velocities)).collect();
        let l = self.at(self.lagrangian.function(), velocities);
        l + dot(&p, &self.rates) - dot(&p, velocities)
    }

    fn first(&self, f: Expr<'p>) -> Expr<'p> {
        f.diff(self.epsilon)
            .substitute(&[(self.epsilon, f.pool().zero())])
    }

    fn second(&self, f: Expr<'p>) -> Expr<'p> {
        self.first(f.diff(self.epsilon))
    }
}

#[test]
fn t_65_e_16_the_lifted_curve() {
    // Printed: the action of the displaced curve is an integral over (φ_ε∘γ)(I), a curve in M, of a form on A¹M,
    // which is defined at velocities only. Corrected: the integral goes over the lift of the displaced curve.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = Lagrangian::new(&s, of_state(&s, "L"));
        let a = System::new(l.clone()).acceleration_symbols();
        let z = SecondOrderField::new(&s, a.clone());
        let y = VirtualDisplacement::complete_lift(&s, of_base_list(s.base(), "dx")).unwrap();
        let first = l.first_variation(&y, &z.as_vector());
        let expected = first.integrand + z.rate(first.boundary);
        let moved = Displaced::new(&l, &y);
        let lifted = moved.cartan_form(&moved.rates);
        proved(lifted.decide_equal(moved.at(l.function(), &moved.rates)));
        proved(moved.first(lifted).decide_equal(expected));
        // Read with L alone at the velocities of γ: not the first variation.
        let printed = moved.at(l.function(), s.velocities());
        refuted(moved.first(printed).decide_equal(expected));
        // Read with all of ω at the velocities of γ: not the action, and not its second variation. But Ω is
        // blind on vertical displacements (T-58), so the first variation comes out right.
        let carried = moved.cartan_form(s.velocities());
        refuted(carried.decide_equal(lifted));
        refuted(moved.second(carried).decide_equal(moved.second(lifted)));
        proved(moved.first(carried).decide_equal(expected));
        // Read as a form on M by a field of velocities v(t, x), as the reference field: not the first variation,
        // unless γ is an integral curve of v.
        let v = of_base_list(s.base(), "v");
        let there: Vec<Expr<'_>> = v.iter().map(|&v| moved.at(v, s.velocities())).collect();
        let by_field = moved.first(moved.cartan_form(&there));
        refuted(by_field.decide_equal(expected));
        let rates: Vec<Expr<'_>> = v.iter().map(|&v| s.drift(v)).collect();
        let along = |e: Expr<'_>| {
            let e = pool.expr(e.id()).substitute(&pairs(&a, &rates));
            e.substitute(&pairs(s.velocities(), &v))
        };
        proved(along(by_field).decide_equal(along(expected)));
    }
}
