//! T-71 … T-81, T-94, T-112: constraints solved for some velocities, affine and nonlinear, for
//! undetermined functions at (k, c) = (1, 1), (2, 1), (1, 2), (2, 2).

mod common;

use common::*;
use galilei_expr::{Assumptions, Expr, Pool, Rational, generic_rank};
use galilei_geometry::{Endomorphism, Form, SmoothMap, VectorField};
use galilei_mechanics::{
    AdmissibleCodistribution, ConstrainedSystem, Constraint, KineticEnergy, Lagrangian, NotSolved,
    ReducedSystem, ReferenceField, RootChoice, SolvedForm, StateSpace, System,
};

const SIZES: [(usize, usize); 4] = [(1, 1), (2, 1), (1, 2), (2, 2)];

/// uᵃ = gᵃ for the last c coordinates; gᵃ undetermined, or affine with undetermined coefficients.
fn solved<'p>(s: &StateSpace<'p>, c: usize, affine: bool) -> SolvedForm<'p> {
    let (pool, n) = (s.pool(), s.degrees_of_freedom());
    let k = n - c;
    let mut arguments: Vec<Expr<'p>> = s.base().chart().coordinates().to_vec();
    arguments.extend(&s.velocities()[..k]);
    let function = |a: usize| {
        if affine {
            let linear = (0..k).map(|j| of_base(s.base(), &format!("B{a}{j}")) * s.velocity(j));
            pool.sum(linear) + of_base(s.base(), &format!("B{a}"))
        } else {
            pool.function(&format!("g{a}"))
                .at(arguments.iter().copied())
        }
    };
    SolvedForm::new(s, (k..n).collect(), (0..c).map(function).collect())
}

/// f^α, undetermined on J¹_σ.
fn accelerations<'p>(form: &SolvedForm<'p>) -> Vec<Expr<'p>> {
    let pool = form.chart().pool();
    (0..form.independent().len())
        .map(|k| {
            let f = pool.function(&format!("f{k}"));
            f.at(form.chart().coordinates().iter().copied())
        })
        .collect()
}

/// A system with undetermined L and F.
fn system<'p>(s: &StateSpace<'p>) -> System<'p> {
    System::new(Lagrangian::new(s, of_state(s, "L"))).with_force("F", force(s, "F"))
}

/// A system with undetermined L and F, quadratic above three degrees of freedom: there solutions of the general system have
/// values that enclosures cannot distinguish from zero.
fn solvable<'p>(s: &StateSpace<'p>) -> System<'p> {
    if s.degrees_of_freedom() < 4 {
        return system(s);
    }
    let (base, n) = (s.base(), s.degrees_of_freedom());
    let kinetic = KineticEnergy::new(s, &metric(base), &ReferenceField::resting(base)).energy();
    let linear = (0..n).map(|i| of_base(base, &format!("A{i}")) * s.velocity(i));
    let l = kinetic - of_base(base, "V") + s.pool().sum(linear);
    System::new(Lagrangian::new(s, l)).with_force("F", force(s, "F"))
}

fn each(mut law: impl for<'p> FnMut(&StateSpace<'p>, &SolvedForm<'p>)) {
    for (k, c) in SIZES {
        for affine in [true, false] {
            let pool = Pool::new();
            let s = state(&pool, k + c);
            law(&s, &solved(&s, c, affine));
        }
    }
}

#[test]
fn t_72_t_73_second_order_fields() {
    each(|s, form| {
        let (n, k) = (s.degrees_of_freedom(), form.independent().len());
        let f = accelerations(form);
        let gamma = form.second_order(&f);
        let values = (0..k)
            .map(|j| form.contact(j))
            .chain((0..n - k).map(|a| form.eta(a)))
            .map(|alpha| alpha.evaluate(&[&gamma]));
        for v in values {
            proved(v.decide_zero());
        }
        // T = ∂ₜ + u^αX_α + Bᵃ∂ₐ
        let mut total = form.chart().partial(0);
        for j in 0..k {
            total = total.plus(&form.horizontal(j).scaled(form.velocities()[j]));
        }
        for (a, &i) in form.dependent().iter().enumerate() {
            total = total.plus(&form.chart().partial(1 + i).scaled(form.offset(a)));
        }
        proved(total.decide_equal(&form.total()));
        // Conversely these conditions say all but f.
        let wrong = gamma.plus(&form.chart().partial(1 + form.dependent()[0]));
        refuted(form.eta(0).evaluate(&[&wrong]).decide_zero());
        // N² = N, S² = 0
        let (v, p) = (form.vertical_endomorphism(), form.projector());
        proved(p.compose(&p).decide_equal(&p));
        proved(v.compose(&v).decide_zero());
    });
}

#[test]
fn t_74_projectors_and_lifts() {
    each(|s, form| {
        let f = accelerations(form);
        let gamma = form.second_order(&f);
        let lie = gamma.lie(&form.vertical_endomorphism());
        let one = Endomorphism::identity(form.chart());
        let along = Endomorphism::simple(&gamma, &form.chart().differential(0));
        let rest = one.minus(&along).minus(&form.projector());
        proved(lie.compose(&lie).decide_equal(&rest));
        refuted(lie.compose(&lie).decide_equal(&one.minus(&along)));
        let (h, v) = (
            form.horizontal_projector(&gamma),
            form.vertical_projector(&gamma),
        );
        proved(h.compose(&h).decide_equal(&h));
        proved(v.compose(&v).decide_equal(&v));
        proved(h.compose(&v).decide_zero());
        for k in 0..=s.degrees_of_freedom() {
            let lift = h.on_vector(&form.chart().partial(k));
            proved(lift.decide_equal(&form.horizontal_lift(&f, k)));
        }
        // The sign of Γ^β_α.
        let flipped: Vec<Expr<'_>> = f.iter().map(|&f| -f).collect();
        let lift = h.on_vector(&form.chart().partial(1));
        refuted(lift.decide_equal(&form.horizontal_lift(&flipped, 1)));
    });
}

#[test]
fn t_75_curvature() {
    for (k, c) in SIZES {
        for affine in [true, false] {
            let pool = Pool::new();
            let s = state(&pool, k + c);
            let form = solved(&s, c, affine);
            let f = accelerations(&form);
            let gamma = form.second_order(&f);
            let along = form.curvature().with_first(&gamma);
            for a in 0..c {
                let wanted = (0..k).fold(Form::zero(form.chart(), 1), |sum, b| {
                    sum.plus(&form.contact(b).scaled(form.curvature_along(&gamma, a, b)))
                });
                proved(
                    along
                        .component(1 + form.dependent()[a])
                        .decide_equal(&wanted),
                );
                refuted(
                    along
                        .component(1 + form.dependent()[a])
                        .decide_equal(&wanted.scaled(pool.number(2))),
                );
                for b in 0..k {
                    // For affine constraints f does not occur.
                    let without = form.curvature_along(&form.total(), a, b);
                    let same = form.curvature_along(&gamma, a, b).decide_equal(without);
                    if affine { proved(same) } else { refuted(same) }
                }
            }
            // 𝒩_N(X, Y) = N[(1 − N)X, (1 − N)Y], the curvature of σ̃₁. (T-112)
            let connection = form.connection().expect("a projector");
            proved(form.curvature().decide_equal(&connection.curvature()));
        }
    }
}

#[test]
fn t_75_integrable_exactly_if_flat() {
    let pool = Pool::new();
    let s = state(&pool, 3);
    let (x, y, t) = (s.position(0), s.position(1), s.time());
    let u = s.velocities();
    // z = x²y + t·y is integrable, z' = y·x' is not.
    let flat = 2 * x * y * u[0] + (x.pow(2) + t) * u[1] + y;
    for (g, integrable) in [(flat, true), (y * u[0], false), (y * u[0] + x * u[1], true)] {
        let form = SolvedForm::new(&s, vec![2], vec![g]);
        let verdict = form.curvature().decide_zero();
        assert_eq!(verdict.is_proved(), integrable);
        assert_eq!(verdict.is_refuted(), !integrable);
        let d = form.codistribution(&Assumptions::new()).unwrap();
        let found = matches!(
            d.integrability(),
            Some(galilei_geometry::Integrability::Integrable(_))
        );
        assert_eq!(found, integrable);
        // The integral is found, and its rate is the constraint.
        let h = d.evident_integrals()[0];
        assert_eq!(h.is_some(), integrable);
        if let Some(h) = h {
            let rate = Constraint::Position(h).function(&s).unwrap();
            proved(rate.decide_equal(u[2] - g));
        }
    }
}

#[test]
fn t_76_jacobi_endomorphism() {
    each(|s, form| {
        let f = accelerations(form);
        let gamma = form.second_order(&f);
        let (h, v) = (
            form.horizontal_projector(&gamma),
            form.vertical_projector(&gamma),
        );
        let phi = form.jacobi_endomorphism(&f);
        let k = f.len();
        let n = s.degrees_of_freedom();
        for j in 0..=n {
            let y = form.chart().partial(j);
            let bracket = h.on_vector(&gamma).bracket(&h.on_vector(&y));
            let found = v.on_vector(&bracket);
            let mut wanted = VectorField::zero(form.chart());
            for b in 0..k {
                let mut c = s.pool().zero();
                for a in 0..k {
                    c -= phi.rows()[b][a] * form.contact(a).evaluate(&[&y]);
                }
                for (a, &i) in form.dependent().iter().enumerate() {
                    c -= f[b].diff(s.position(i)) * form.eta(a).evaluate(&[&y]);
                }
                wanted = wanted.plus(&form.chart().partial(1 + n + b).scaled(c));
            }
            proved(found.decide_equal(&wanted));
            if j == 1 {
                refuted(found.decide_equal(&wanted.negated()));
            }
        }
    });
}

#[test]
fn t_112_connection() {
    each(|s, form| {
        let horizontal = form.connection().expect("a projector").horizontal();
        let chart = form.chart();
        let lift = |k: usize| horizontal.on_vector(&chart.partial(k));
        let mut start = chart.partial(0);
        for (a, &i) in form.dependent().iter().enumerate() {
            start = start.plus(&chart.partial(1 + i).scaled(form.offset(a)));
        }
        proved(lift(0).decide_equal(&start));
        for (j, &i) in form.independent().iter().enumerate() {
            proved(lift(1 + i).decide_equal(&form.horizontal(j)));
            let u = 1 + s.degrees_of_freedom() + j;
            proved(lift(u).decide_equal(&chart.partial(u)));
        }
        for &i in form.dependent() {
            proved(lift(1 + i).decide_zero());
        }
    });
}

#[test]
fn t_77_t_78_t_80_fundamental_two_form() {
    each(|s, form| {
        let reduced = ReducedSystem::new(system(s), form.clone());
        let f = accelerations(form);
        let gamma = form.second_order(&f);
        let omega = reduced.fundamental_two_form(&gamma);
        let l = reduced.lagrangian();
        let (q, p) = (reduced.forces(), reduced.dependent_momenta());
        let slopes = l.gradient(form.velocities());
        let k = f.len();
        let right = |b: usize| {
            let bent = (0..p.len()).map(|a| form.curvature_along(&gamma, a, b) * p[a]);
            form.horizontal(b).apply(l) + s.pool().sum(bent) + q[b]
        };
        // i_ΓΩ_Γ = [Γ(∂L̄/∂u^α) − X_αL̄ − Cᵃ_αL_a − Q_α]θ^α
        let inserted = gamma.interior(&omega);
        let wanted = (0..k).fold(Form::zero(form.chart(), 1), |sum, b| {
            sum.plus(&form.contact(b).scaled(gamma.apply(slopes[b]) - right(b)))
        });
        proved(inserted.decide_equal(&wanted));
        // Without Cᵃ_αL_a, as if the constraint were put into L, it is wrong.
        let naive = (0..k).fold(Form::zero(form.chart(), 1), |sum, b| {
            let c = gamma.apply(slopes[b]) - form.horizontal(b).apply(l) - q[b];
            sum.plus(&form.contact(b).scaled(c))
        });
        refuted(inserted.decide_equal(&naive));
        // Ω_Γ = (d(∂L̄/∂u^α) − (X_αL̄ + Cᵃ_αL_a + Q_α)dt)∧θ^α
        let factored = (0..k).fold(Form::zero(form.chart(), 2), |sum, b| {
            let d = Form::function(form.chart(), slopes[b]).d();
            let dt = form.chart().differential(0);
            sum.plus(&d.minus(&dt.scaled(right(b))).wedge(&form.contact(b)))
        });
        proved(omega.decide_equal(&factored));
    });
}

/// The rank of a two-form, as that of its matrix.
fn rank(omega: &Form<'_>) -> usize {
    let m = omega.chart().dimension();
    let rows: Vec<Vec<_>> = (0..m)
        .map(|i| (0..m).map(|j| omega.component(&[i, j])).collect())
        .collect();
    generic_rank(&rows, &Assumptions::new()).rank
}

#[test]
fn t_79_t_80_regularity_and_the_kernel() {
    each(|s, form| {
        let reduced = ReducedSystem::new(system(s), form.clone());
        // M = WᵀL_ABW, and M is what multiplies f.
        let i = form.embedding();
        let hessian = reduced.system().lagrangian().mass_matrix();
        let rows = hessian.rows().iter();
        let rows = rows
            .map(|r| r.iter().map(|e| i.pullback(e)).collect())
            .collect();
        let hessian = galilei_geometry::Matrix::new(s.pool(), rows);
        let w = form.directions();
        let wanted = w.transposed().times(&hessian).times(&w);
        let found = reduced.regularity_matrix();
        let k = form.independent().len();
        let f: Vec<Expr<'_>> = (0..k).map(|a| s.pool().symbol(&format!("f{a}"))).collect();
        let equations = reduced.equations(&f);
        for a in 0..k {
            for b in 0..k {
                proved(found.rows()[a][b].decide_equal(wanted.rows()[a][b]));
                proved(equations[a].diff(f[b]).decide_equal(found.rows()[a][b]));
            }
        }
        // rank Ω_Γ = 2k, so that its kernel has dimension 1 + c: ηᵃ(Γ) = 0 is imposed.
        let omega = reduced.fundamental_two_form(&form.second_order(&f));
        assert_eq!(rank(&omega), 2 * k);
    });
    // A prescribed speed x'² + y'² = v(t)², y' = √(v² − x'²): L̄ = v²/2, so that ∂²L̄/∂u² = 0 and
    // Ω_Γ has rank 0 on shell, while M = v²/(v² − x'²) is regular.
    let pool = Pool::new();
    let s = state(&pool, 2);
    let v = pool.function("v").at([s.time()]);
    let u = s.velocities();
    let half = Rational::new(1, 2);
    let l = Lagrangian::new(&s, half * (u[0].pow(2) + u[1].pow(2)));
    let g = (v.pow(2) - u[0].pow(2)).sqrt();
    let form = SolvedForm::new(&s, vec![1], vec![g]);
    let reduced = ReducedSystem::new(System::new(l), form.clone());
    let m = reduced.regularity_matrix();
    proved(m.rows()[0][0].decide_equal(v.pow(2) / (v.pow(2) - u[0].pow(2))));
    let f = reduced.accelerations().expect("regular");
    proved(f[0].decide_equal(u[0] * v.diff(s.time()) / v));
    let omega = reduced.fundamental_two_form(&form.second_order(&f));
    proved(omega.decide_zero());
}

#[test]
fn t_78_t_81_t_94_both_constructions() {
    each(|s, form| {
        let d = form.codistribution(&Assumptions::new()).unwrap();
        let reduced = ReducedSystem::new(system(s), form.clone());
        let constrained = ConstrainedSystem::new(reduced.system().clone(), d.clone());
        proved(reduced.decide_agreement_unsolved(&constrained));
        let reduced = ReducedSystem::new(solvable(s), form.clone());
        let constrained = ConstrainedSystem::new(reduced.system().clone(), d);
        proved(reduced.decide_agreement(&constrained).unwrap());
        // Another force on one side only: they differ.
        let other = reduced.system().clone().with_force("G", force(s, "G"));
        let other = ReducedSystem::new(other, form.clone());
        refuted(other.decide_agreement(&constrained).unwrap());
        refuted(other.decide_agreement_unsolved(&constrained));
    });
}

#[test]
fn t_81_multipliers_and_chetaev() {
    each(|s, form| {
        // Along Γ with free f: E_α + λ_aBᵃ_α = the reduced equation, E_a = λ_a.
        let reduced = ReducedSystem::new(system(s), form.clone());
        let pool = s.pool();
        let k = form.independent().len();
        let f: Vec<Expr<'_>> = (0..k).map(|a| pool.symbol(&format!("f{a}"))).collect();
        let a = reduced.system().acceleration_symbols();
        let all = reduced.all_accelerations(&f);
        let pairs: Vec<_> = a.iter().copied().zip(all).collect();
        let i = form.embedding();
        let euler: Vec<Expr<'_>> = reduced
            .system()
            .by_lagrange(&a)
            .iter()
            .map(|e| i.pullback(e).substitute(&pairs))
            .collect();
        let lambda = reduced.multipliers(&f);
        for (b, &j) in form.dependent().iter().enumerate() {
            proved(lambda[b].decide_equal(euler[j]));
        }
        let equations = reduced.equations(&f);
        for (b, &j) in form.independent().iter().enumerate() {
            let sum = (0..lambda.len()).map(|c| lambda[c] * form.slope(c, b));
            proved((euler[j] + pool.sum(sum)).decide_equal(equations[b]));
        }
        let reduced = ReducedSystem::new(solvable(s), form.clone());
        // For constraints written otherwise, f = 2(u − g) + …, the multipliers change with them.
        let n = s.degrees_of_freedom();
        let own = |c: usize| s.velocity(form.dependent()[c]) - form.functions()[c];
        let mixed: Vec<Expr<'_>> = (0..n - k).map(|c| 2 * own(c) + own(0) * s.time()).collect();
        let list = mixed.into_iter().map(Constraint::Velocity).collect();
        let d = AdmissibleCodistribution::new(s, list, &Assumptions::new()).unwrap();
        let constrained = ConstrainedSystem::new(reduced.system().clone(), d);
        let f = reduced.accelerations().unwrap();
        let reaction = constrained.ideal().unwrap();
        let claims = reduced.disagreement(&constrained, &f, &reaction).unwrap();
        for claim in claims {
            proved(claim.decide_zero());
        }
    });
}

#[test]
fn solving_for_velocities() {
    let pool = Pool::new();
    let s = state(&pool, 3);
    let u = s.velocities();
    let (x, a) = (s.position(0), pool.symbol("a"));
    let none = Assumptions::new();
    let upper: RootChoice<'_, '_> = &|_, roots| roots[0];
    let one = Constraint::Velocity;
    // Affine.
    let d = AdmissibleCodistribution::new(&s, vec![one(u[0] * x.sin() - u[1] * x.cos())], &none);
    let d = d.unwrap();
    let form = SolvedForm::of(&d, &[1], upper, &none).unwrap();
    proved(form.functions()[0].decide_equal(u[0] * x.tan()));
    assert_eq!(
        SolvedForm::of(&d, &[2], upper, &none),
        Err(NotSolved::Singular)
    );
    assert_eq!(
        SolvedForm::of(&d, &[0, 1], upper, &none),
        Err(NotSolved::WrongCount)
    );
    assert_eq!(
        SolvedForm::of(&d, &[7], upper, &none),
        Err(NotSolved::WrongCount)
    );
    // A square: the sheet asked for.
    let cone = u[2].pow(2) - a.pow(2) * (u[0].pow(2) + u[1].pow(2));
    let d = AdmissibleCodistribution::new(&s, vec![one(cone)], &none).unwrap();
    for (k, sign) in [(0, 1), (1, -1)] {
        let form = SolvedForm::of(&d, &[2], &|_, roots| roots[k], &none).unwrap();
        let wanted = sign * (a.pow(2) * (u[0].pow(2) + u[1].pow(2))).sqrt();
        proved(form.functions()[0].decide_equal(wanted));
    }
    // A square and a linear one together.
    let both = vec![one(cone), one(u[0] - 2 * u[1] - s.time())];
    let d = AdmissibleCodistribution::new(&s, both, &none).unwrap();
    assert!(SolvedForm::of(&d, &[2, 0], upper, &none).is_ok());
    assert!(SolvedForm::of(&d, &[0, 2], upper, &none).is_ok());
    // No formula.
    let d =
        AdmissibleCodistribution::new(&s, vec![one(u[0].sin() + u[0] + u[1].exp() + u[1])], &none);
    assert_eq!(
        SolvedForm::of(&d.unwrap(), &[0], upper, &none),
        Err(NotSolved::NoFormula)
    );
}

/// Constraints with symbols for all coefficients: the solution by elimination is proved, and Cramer's rule at whole numbers says
/// the same. The degrees of its formulas grow like 2ᶜ.
#[test]
fn eleven_dense_constraints_are_solved() {
    const C: usize = 11;
    let pool = Pool::new();
    let s = state(&pool, C + 1);
    let u = s.velocities();
    let entry = |i: usize, j: usize| pool.symbol(&format!("a{i}_{j}"));
    let row = |i: usize| pool.sum((0..=C).map(|j| entry(i, j) * u[j]));
    let list = (0..C).map(|i| Constraint::Velocity(row(i))).collect();
    let none = Assumptions::new();
    let d = AdmissibleCodistribution::new(&s, list, &none).unwrap();
    let dependent: Vec<usize> = (1..=C).collect();
    let form = SolvedForm::of(&d, &dependent, &|_, roots| roots[0], &none).unwrap();
    // A residue of another right-hand side is no identity.
    let pairs: Vec<_> = (1..=C).map(|k| (u[k], form.functions()[k - 1])).collect();
    let wrong = (row(C - 1) + entry(0, 0) * u[0]).substitute(&pairs);
    assert!(!wrong.decide_zero().is_proved());
    // aᵢⱼ = 1 + δᵢⱼ for j > 0, aᵢ₀ = i: u_{i+1} = −u₀(i − Σi/12).
    let value = |i: usize, j: usize| match j {
        0 => i as i64,
        j => 1 + i64::from(j == i + 1),
    };
    let numbers: Vec<_> = (0..C)
        .flat_map(|i| (0..=C).map(move |j| (i, j)))
        .map(|(i, j)| (entry(i, j), pool.number(value(i, j))))
        .collect();
    for i in 0..C {
        let found = form.functions()[i].substitute(&numbers);
        let slope = Rational::new(
            (C * (C - 1) / 2) as i64 - (i * (C + 1)) as i64,
            C as i64 + 1,
        );
        proved(found.decide_equal(slope * u[0]));
    }
}

/// θ_L̄ = L̄dt + S(dL̄) and ψ = i*(Ψ̇_Γ(dL)) − N(dL̄) from the operators S, N and i_Γ𝒩_N alone: none of Cᵃ_α, X_α or Bᵃ is
/// used. Ω_Γ = dθ_L̄ + ψ∧dt, with i*F restricted to the contact forms for the forces, is that of T-77.
fn fundamental_form_by_operators<'p>(
    reduced: &ReducedSystem<'p>,
    gamma: &VectorField<'p>,
) -> Form<'p> {
    let form = reduced.solved();
    let (s, chart) = (form.state(), form.chart());
    let i = form.embedding();
    let dt = chart.differential(0);
    let l = reduced.system().lagrangian().function();
    let reduced_l = Form::function(chart, i.pullback(&l));
    let (v, n) = (form.vertical_endomorphism(), form.projector());
    let theta = reduced_l.wedge(&dt).plus(&v.on_one_form(&reduced_l.d()));
    // Ψ_Γ = i_Γ𝒩_N takes values along ∂_{xᵃ}; its vertical lift Ψ̇_Γ along ∂_{uᵃ}, on which dL acts.
    let psi = form.curvature().with_first(gamma);
    let momenta: Vec<Expr<'p>> = (reduced.system().lagrangian().momenta().iter())
        .map(|p| i.pullback(p))
        .collect();
    let lifted = (0..s.degrees_of_freedom()).fold(Form::zero(chart, 1), |sum, a| {
        sum.plus(&psi.component(1 + a).scaled(momenta[a]))
    });
    // The virtual work of the forces, along what the constraints admit: i*(F_Aθ^A) ∘ (1 − N).
    let admissible = Endomorphism::identity(chart).minus(&n);
    let force = reduced.system().total_force();
    let work = (0..s.degrees_of_freedom()).fold(Form::zero(chart, 1), |sum, a| {
        let contact = i.pullback(&s.contact(a));
        sum.plus(&contact.scaled(i.pullback(&force.components()[a])))
    });
    let work = admissible.on_one_form(&work);
    let sum = lifted.minus(&n.on_one_form(&reduced_l.d())).plus(&work);
    theta.d().plus(&sum.wedge(&dt))
}

#[test]
fn t_77_t_118_fundamental_two_form_from_operators() {
    each(|s, form| {
        let reduced = ReducedSystem::new(system(s), form.clone());
        let gamma = form.second_order(&accelerations(form));
        let by_operators = fundamental_form_by_operators(&reduced, &gamma);
        let omega = reduced.fundamental_two_form(&gamma);
        proved(by_operators.decide_equal(&omega));
        // Without the curvature it is another one.
        let dt = form.chart().differential(0);
        let psi = form.curvature().with_first(&gamma);
        let p = reduced.dependent_momenta();
        let bent = (form.dependent().iter().zip(p))
            .fold(Form::zero(form.chart(), 1), |sum, (&a, &p)| {
                sum.plus(&psi.component(1 + a).scaled(p))
            });
        refuted(by_operators.minus(&bent.wedge(&dt)).decide_equal(&omega));
    });
}

/// Ω_Γ does not depend on the bundle chart: under x̄^α = X^α(t, x^β), x̄ᵃ = Xᵃ(t, x^β, xᵇ) with undetermined X, L and
/// constraints given in one chart and carried to the other, the forms are pulled back into each other.
#[test]
fn t_118_independence_of_bundle_charts() {
    for (k, c) in [(1, 1), (2, 1), (1, 2)] {
        let pool = Pool::new();
        let n = k + c;
        let old = state(&pool, n);
        let new = StateSpace::new(base(&pool, "y", n));
        // New positions as functions of the old ones; the first k do not depend on the last c.
        let x = old.base().positions();
        let change = |j: usize| {
            let seen = if j < k { &x[..k] } else { x };
            let arguments = std::iter::once(old.time()).chain(seen.iter().copied());
            pool.function(&format!("X{j}")).at(arguments)
        };
        let y: Vec<Expr<'_>> = (0..n).map(change).collect();
        let w: Vec<Expr<'_>> = y.iter().map(|&e| old.drift(e)).collect();
        let jacobian = pool.jacobian(&y, x);
        let block = |rows: std::ops::Range<usize>| {
            let part = rows.clone().map(|i| jacobian[i][rows.clone()].to_vec());
            galilei_geometry::Matrix::new(&pool, part.collect())
        };
        // In the new chart: undetermined L, F and constraint.
        let bar = solved(&new, c, false);
        let system_new = system(&new);
        // In the old one: L is a scalar, F a covector, and ∂ₜY + J·u satisfies the constraint.
        let mut put: Vec<_> = pairs(new.base().positions(), &y);
        put.extend(pairs(new.velocities(), &w));
        let l = system_new.lagrangian().function().substitute(&put);
        let f_new = pool.substitute_all(system_new.total_force().components(), &put);
        let f = (0..n).map(|j| pool.sum((0..n).map(|i| f_new[i] * jacobian[i][j])));
        let f = galilei_mechanics::Force::new(&old, f.collect());
        let system_old = System::new(Lagrangian::new(&old, l)).with_force("F", f);
        let free: Vec<_> = put[..n].iter().chain(&put[n..n + k]).copied().collect();
        let wanted = pool.substitute_all(bar.functions(), &free);
        let rest: Vec<_> = old.velocities()[k..]
            .iter()
            .map(|&u| (u, pool.zero()))
            .collect();
        let right: Vec<Expr<'_>> = (0..c)
            .map(|a| wanted[a] - w[k + a].substitute(&rest))
            .collect();
        let functions = block(k..n).solve(&right).expect("a chart change");
        let form = SolvedForm::new(&old, (k..n).collect(), functions.clone());
        // j: J¹_σ → J¹_σ̄, and Γ̄ with undetermined accelerations carried back.
        let mut components = vec![old.time()];
        components.extend(&y);
        components.extend(&w[..k]);
        let j = SmoothMap::new(form.chart(), bar.chart(), components);
        let f_bar = accelerations(&bar);
        let gamma_bar = bar.second_order(&f_bar);
        let total = form.total();
        let right: Vec<Expr<'_>> = (0..k)
            .map(|a| j.pullback(&f_bar[a]) - total.apply(w[a]))
            .collect();
        let accelerations = block(0..k).solve(&right).expect("a chart change");
        let gamma = form.second_order(&accelerations);
        // Γ̄ is the image of Γ.
        for (image, wanted) in j.components().iter().zip(gamma_bar.components()) {
            proved(gamma.apply(*image).decide_equal(j.pullback(wanted)));
        }
        let omega = ReducedSystem::new(system_old, form.clone()).fundamental_two_form(&gamma);
        let omega_bar =
            ReducedSystem::new(system_new, bar.clone()).fundamental_two_form(&gamma_bar);
        proved(j.pullback(&omega_bar).decide_equal(&omega));
        // θ_L̄ and ψ are invariant, too; without its curvature the form is not.
        let dt = form.chart().differential(0);
        let other = omega.plus(&form.contact(0).wedge(&dt).scaled(of_state(&old, "L")));
        refuted(j.pullback(&omega_bar).decide_equal(&other));
    }
}
