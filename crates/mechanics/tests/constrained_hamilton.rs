//! T-95 … T-98, T-114: Hamiltonian forms, constraints on V*Q, and the Legendre image of the
//! constrained motion, for undetermined functions at (k, c) = (1, 1), (2, 1), (1, 2), (2, 2);
//! ERRATA E10 … E12.

mod common;

use common::*;
use galilei_expr::{Assumptions, Expr, Pool};
use galilei_mechanics::{
    AdmissibleCodistribution, ConstrainedHamiltonian, ConstrainedSystem, Constraint,
    HamiltonianForm, KineticEnergy, Lagrangian, ReferenceField, StateSpace, System,
};

const SIZES: [(usize, usize); 4] = [(1, 1), (2, 1), (1, 2), (2, 2)];

/// ½g(u − R, u − R) + A·u − V with a force.
fn system<'p>(s: &StateSpace<'p>) -> System<'p> {
    let (base, n) = (s.base(), s.degrees_of_freedom());
    let kinetic = KineticEnergy::new(s, &metric(base), &ReferenceField::resting(base)).energy();
    let linear = (0..n).map(|i| of_base(base, &format!("A{i}")) * s.velocity(i));
    let l = kinetic - of_base(base, "V") + s.pool().sum(linear);
    System::new(Lagrangian::new(s, l)).with_force("F", force(s, "F"))
}

fn constraints<'p>(s: &StateSpace<'p>, c: usize, forms: bool) -> AdmissibleCodistribution<'p> {
    let one = |a: usize| {
        if forms {
            Constraint::Form(form(s, 1, &format!("s{a}"), false))
        } else {
            Constraint::Velocity(of_state(s, &format!("f{a}")))
        }
    };
    let list = (0..c).map(one).collect();
    AdmissibleCodistribution::new(s, list, &Assumptions::new()).expect("admissible")
}

#[test]
fn t_95_t_96_t_114_hamiltonian_forms() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let form = hamiltonian(&s);
        let h = form.function();
        // γ_H ⌟ Ω = dH
        let gamma = form.field();
        proved(
            gamma
                .interior(&form.three_form())
                .decide_equal(&form.as_form().d()),
        );
        refuted(
            gamma
                .interior(&form.three_form())
                .decide_equal(&form.as_form().d().negated()),
        );
        // ℋ = pᵢΓⁱ + ℋ̃_Γ
        let frame = reference(s.base(), "R");
        let moved = (0..n).map(|i| form.momenta()[i] * frame.components()[i]);
        proved((form.relative_to(&frame) + pool.sum(moved)).decide_equal(h));
        // L∘Ĥ = pᵢ∂ⁱℋ − ℋ
        let slopes = h.gradient(form.momenta());
        let pairs = form.momenta().iter().zip(slopes);
        proved(
            form.lagrangian()
                .decide_equal(pool.sum(pairs.map(|(&p, u)| p * u)) - h),
        );
        // For a Lagrangian this is L at the velocities of p.
        let system = system(&s);
        let c = system.canonical().expect("quadratic");
        let of_l = HamiltonianForm::new(c.chart(), c.hamiltonian());
        let below = c.to_natural().pullback(&system.lagrangian().function());
        proved(of_l.lagrangian().decide_equal(below));
        proved(of_l.as_form().decide_equal(&c.cartan_form()));
    }
}

#[test]
fn t_97_pulled_back_constraints() {
    for (k, c) in SIZES {
        for forms in [false, true] {
            let pool = Pool::new();
            let n = k + c;
            let s = state(&pool, n);
            let d = constraints(&s, c, forms);
            let constrained = ConstrainedSystem::new(system(&s), d.clone());
            let canonical = constrained.system().canonical().expect("quadratic");
            let map = canonical.to_natural();
            let below = constrained.canonical(&canonical);
            let form = below.form();
            let x = &form.chart().coordinates()[..=n];
            let u = form.function().gradient(form.momenta());
            let m = form.inverse_mass();
            for (beta, s1) in below.forms().iter().zip(d.forms()) {
                let vertical: Vec<Expr<'_>> = (0..n)
                    .map(|j| map.pullback(&s1.component(&[1 + n + j])))
                    .collect();
                // β₀ = s₀ + ṡⱼ∂ₜ∂ʲℋ, βᵢ = sᵢ + ṡⱼ∂ᵢ∂ʲℋ, β̇ⁱ = ṡⱼMʲⁱ
                for (i, &x) in x.iter().enumerate() {
                    let sum = (0..n).map(|j| vertical[j] * u[j].diff(x));
                    let wanted = map.pullback(&s1.component(&[i])) + pool.sum(sum);
                    proved(beta.component(&[i]).decide_equal(wanted));
                }
                for (i, e) in m.times_vector(&vertical).into_iter().enumerate() {
                    proved(beta.component(&[1 + n + i]).decide_equal(e));
                }
            }
            // Mᵢⱼ = mᵢⱼ∘Ĥ, β(γ_F) = s(ξ)∘Ĥ, M̃ᵃᵇ = m̃ᵃᵇ∘Ĥ (E12)
            let mass = constrained.system().lagrangian().mass_matrix();
            let lower = m.inverse().unwrap();
            for i in 0..n {
                for j in 0..n {
                    proved(lower.rows()[i][j].decide_equal(map.pullback(&mass.rows()[i][j])));
                }
            }
            let xi = constrained.system().lagrange().unwrap();
            let free = below.free_field();
            for (beta, e) in below.forms().iter().zip(d.on_field(&xi)) {
                proved(beta.evaluate(&[&free]).decide_equal(map.pullback(&e)));
            }
        }
    }
}

#[test]
fn t_98_legendre_image() {
    for (k, c) in SIZES {
        for forms in [false, true] {
            let pool = Pool::new();
            let s = state(&pool, k + c);
            let constrained = ConstrainedSystem::new(system(&s), constraints(&s, c, forms));
            let canonical = constrained.system().canonical().expect("quadratic");
            let below = constrained.canonical(&canonical).ideal().expect("regular");
            let reaction = constrained.ideal().expect("regular");
            proved(constrained.decide_legendre_image(&reaction, &below));
            let form = constrained.canonical(&canonical);
            proved(constrained.decide_legendre_image_unsolved(&form));
            // β(γ̃) = 0
            for beta in form.forms() {
                proved(beta.evaluate(&[&below.field]).decide_zero());
            }
            // Not that of another reaction.
            let free = constrained.system().clone().with_force("G", force(&s, "G"));
            let other = ConstrainedSystem::new(free, constrained.codistribution().clone());
            refuted(other.decide_legendre_image_unsolved(&form));
            let other = other.ideal().expect("regular");
            refuted(constrained.decide_legendre_image(&other, &below));
        }
    }
}

/// An undetermined Hamiltonian form with undetermined forces and one-forms: no Lagrangian is given. Above
/// three degrees of freedom ℋ is quadratic in p, which loses no generality: the claims hold state by state and
/// contain only ∂ℋ and ∂²ℋ/∂p∂p, which may have any values there.
fn undetermined<'p>(s: &StateSpace<'p>, c: usize) -> ConstrainedHamiltonian<'p> {
    let (chart, n) = (canonical(s), s.degrees_of_freedom());
    let p = |i: usize| chart.coordinate(1 + n + i);
    let places = (0..n).flat_map(|i| (0..=i).map(move |j| (i, j)));
    let square = places.map(|(i, j)| of_base(s.base(), &format!("m{i}{j}")) * p(i) * p(j));
    let h = match n {
        1..=3 => on(&chart, "H"),
        _ => s.pool().sum(square) + of_base(s.base(), "V"),
    };
    let force = (0..n).map(|i| on(&chart, &format!("F{i}"))).collect();
    let forms = (0..c).map(|a| form_on(&chart, 1, &format!("b{a}")));
    ConstrainedHamiltonian::new(HamiltonianForm::new(&chart, h), force, forms.collect())
}

#[test]
fn t_98_t_114_e_10_e_11_momentum_equations() {
    for (k, c) in SIZES {
        let pool = Pool::new();
        let n = k + c;
        let s = state(&pool, n);
        let system = undetermined(&s, c);
        let found = system.ideal().expect("regular");
        let upper = system.form().inverse_mass();
        let lower = upper.inverse().unwrap();
        let vertical = |a: usize, i: usize| system.forms()[a].component(&[1 + n + i]);
        // The constraints hold, and the reaction does no work on ker ṡ, ṡᵃᵢ = Mᵢⱼβ̇ᵃʲ: it is a
        // combination of them.
        for beta in system.forms() {
            proved(beta.evaluate(&[&found.field]).decide_zero());
        }
        let free = system.free_field();
        for i in 0..n {
            let row = |a: usize| pool.sum((0..n).map(|j| lower.rows()[i][j] * vertical(a, j)));
            let sum = pool.sum((0..c).map(|a| found.multipliers[a] * row(a)));
            let change = found.field.component(1 + n + i) - free.component(1 + n + i);
            proved(change.decide_equal(sum));
            // E10: with Mᵢⱼ read as ∂²ℋ/∂p∂p the force is another one.
            let row = |a: usize| pool.sum((0..n).map(|j| upper.rows()[i][j] * vertical(a, j)));
            let sum = pool.sum((0..c).map(|a| found.multipliers[a] * row(a)));
            refuted(change.decide_equal(sum));
            // E11: M̃_ab Mᵢⱼβ̇ᵃⁱ with the free index summed is a number for each j, not a covector
            // component i: taken literally, summed over i too, it is not the equation.
            let all = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
            let literal = |a: usize| {
                pool.sum(
                    all.clone()
                        .map(|(i, j)| lower.rows()[i][j] * vertical(a, i)),
                )
            };
            let sum = pool.sum((0..c).map(|a| found.multipliers[a] * literal(a)));
            refuted(change.decide_equal(sum));
        }
    }
}

#[test]
fn e_12_domains() {
    // f = u² + v and L = u² + 2v²: m̃ depends on u, and p is not u.
    let pool = Pool::new();
    let s = state(&pool, 2);
    let u = s.velocities();
    let f = Constraint::Velocity(u[0].pow(2) + u[1]);
    let d = AdmissibleCodistribution::new(&s, vec![f], &Assumptions::new()).unwrap();
    let l = Lagrangian::new(&s, u[0].pow(2) + 2 * u[1].pow(2));
    let constrained = ConstrainedSystem::new(System::new(l), d);
    let canonical = constrained.system().canonical().unwrap();
    let below = constrained.canonical(&canonical);
    let map = canonical.to_natural();
    let rows = constrained.codistribution().vertical();
    let inverse = constrained
        .system()
        .lagrangian()
        .mass_matrix()
        .inverse()
        .unwrap();
    let natural = rows.times(&inverse).times(&rows.transposed()).rows()[0][0];
    let beta = &below.forms()[0];
    let vertical: Vec<Expr<'_>> = (0..2).map(|i| beta.component(&[3 + i])).collect();
    let lower = below.form().inverse_mass().inverse().unwrap();
    let pairs = lower.times_vector(&vertical).into_iter().zip(&vertical);
    let momentum = pool.sum(pairs.map(|(a, &b)| a * b));
    // M̃ᵃᵇ = m̃ᵃᵇ∘Ĥ, where Ĥ puts ∂ℋ/∂p for u.
    proved(momentum.decide_equal(map.pullback(&natural)));
    // m̃ᵃᵇ = M̃ᵃᵇ∘Ĥ, with ∂ℋ/∂p put where M̃ has p, is false.
    let slots: Vec<(Expr<'_>, Expr<'_>)> = (0..2)
        .map(|i| (below.form().momenta()[i], map.pullback(&u[i])))
        .collect();
    let renamed: Vec<(Expr<'_>, Expr<'_>)> =
        (0..2).map(|i| (u[i], below.form().momenta()[i])).collect();
    refuted(
        natural
            .substitute(&renamed)
            .decide_equal(momentum.substitute(&slots)),
    );
}
