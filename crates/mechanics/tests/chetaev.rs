//! T-58, T-81, T-82, T-85: admissible displacements and the principle of Lagrange and d'Alembert, for
//! undetermined Lagrangians, forces and constraints at (n, c) = (2, 1), (3, 1), (3, 2).

mod common;

use common::*;
use galilei_expr::{Assumptions, Expr, Pool};
use galilei_mechanics::{
    AdaptedChart, AdmissibleCodistribution, ConstrainedSystem, Constraint, CurveJets, Lagrangian,
    StateSpace, System, VirtualDisplacement,
};

fn constrained<'p>(s: &StateSpace<'p>, list: Vec<Constraint<'p>>) -> ConstrainedSystem<'p> {
    let system = System::new(Lagrangian::new(s, of_state(s, "L"))).with_force("F", force(s, "F"));
    let d = AdmissibleCodistribution::new(s, list, &Assumptions::new()).expect("admissible");
    ConstrainedSystem::new(system, d)
}

/// c undetermined constraints: f(t, x, u), h(t, x), or one-forms.
fn each(mut law: impl for<'p> FnMut(&ConstrainedSystem<'p>)) {
    for (n, c) in [(2, 1), (3, 1), (3, 2)] {
        let pool = Pool::new();
        let s = state(&pool, n);
        let velocity = (0..c).map(|a| Constraint::Velocity(of_state(&s, &format!("f{a}"))));
        law(&constrained(&s, velocity.collect()));
        let position = (0..c).map(|a| Constraint::Position(of_base(s.base(), &format!("h{a}"))));
        law(&constrained(&s, position.collect()));
        let forms = (0..c).map(|a| Constraint::Form(form(&s, 1, &format!("s{a}"), false)));
        law(&constrained(&s, forms.collect()));
    }
}

#[test]
fn t_58_t_85_lagrange_and_dalembert() {
    each(|constrained| {
        let pool = constrained.state().pool();
        let admissible = constrained.admissible_displacement().unwrap();
        for c in constrained.chetaev_conditions(&admissible) {
            proved(c.decide_zero());
        }
        let free = VirtualDisplacement::symbols(constrained.state());
        for c in constrained.chetaev_conditions(&free) {
            refuted(c.decide_zero());
        }
        // The motion under the ideal reaction does no virtual work on admissible displacements, and some on
        // others.
        let ideal = constrained.ideal().unwrap();
        proved(constrained.decide_lagrange_dalembert(&ideal).unwrap());
        let system = constrained.system();
        refuted(system.virtual_work(&ideal.field, &free).decide_zero());
        // That work is λ_aṡᵃ(δx).
        let lambda = ideal.multipliers.clone().unwrap();
        let pairs = lambda.iter().zip(constrained.chetaev_conditions(&free));
        let taken = pool.sum(pairs.map(|(&l, c)| l * c));
        proved(system.virtual_work(&ideal.field, &free).decide_equal(taken));
        refuted(
            system
                .virtual_work(&ideal.field, &free)
                .decide_equal(-taken),
        );
        proved(constrained.decide_lagrange_dalembert_unsolved());
        // A reaction that is not ideal does work.
        let other = constrained.by_connection(&dependent(constrained)).unwrap();
        refuted(constrained.decide_lagrange_dalembert(&other).unwrap());
    });
}

/// The first velocities, one for each constraint.
fn dependent(constrained: &ConstrainedSystem<'_>) -> Vec<usize> {
    (0..constrained.codistribution().count()).collect()
}

#[test]
fn t_81_a_skate() {
    // x' sin θ = y' cos θ: the skate may be displaced along itself and turned.
    let pool = Pool::new();
    let s = StateSpace::new(AdaptedChart::new(&pool, "t", ["x", "y", "theta"]));
    let [dx, dy] = pool.symbols(["delta(x)", "delta(y)"]);
    let theta = s.position(2);
    let f = s.velocity(0) * theta.sin() - s.velocity(1) * theta.cos();
    let constrained = constrained(&s, vec![Constraint::Velocity(f)]);
    let conditions = constrained.chetaev_conditions(&VirtualDisplacement::symbols(&s));
    let expected = dx * theta.sin() - dy * theta.cos();
    proved(conditions[0].decide_equal(expected));
}

#[test]
fn t_85_the_constraints_are_not_put_on_varied_curves() {
    // ∫(L + λf)dt demands f of the varied curves. Between positions that is the principle of Lagrange and
    // d'Alembert with the multiplier −λ̇; for other constraints its equations are others.
    for n in 2..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = of_state(&s, "L");
        let system = System::new(Lagrangian::new(&s, l));
        let residual = system.by_lagrange(&system.acceleration_symbols());
        let h = of_base(s.base(), "h");
        let linear = (0..n).map(|i| of_base(s.base(), &format!("f{i}")) * s.velocity(i));
        for (f, integrable) in [(s.drift(h), true), (pool.sum(linear), false)] {
            let lambda = pool.symbol("lambda");
            let curve = CurveJets::new(s.time(), &[s.base().positions(), &[lambda]].concat(), 1);
            let euler = curve.euler(l + lambda * f);
            let multiplier = -curve.derivatives(1)[n];
            for i in 0..n {
                let reaction: Expr<'_> = multiplier * f.diff(s.velocity(i));
                let claim = (euler[i] + residual[i]).decide_equal(reaction);
                if integrable {
                    proved(claim);
                } else {
                    refuted(claim);
                }
            }
        }
    }
}
