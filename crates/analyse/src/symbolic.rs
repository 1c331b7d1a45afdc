//! The linearised equations with symbols: M q̈ + (C + G) q̇ + (K + N) q = 0 at an equilibrium. (T-201)

use galilei_expr::{Expr, Function, View};
use galilei_model::{Enforcement, Model};
use nalgebra::DMatrix;

use crate::equilibrium::formulas::solved;
use crate::setting::{Setting, null_space};
use crate::{Equilibrium, EquilibriumSearch, equilibria};

/// The largest number of degrees of freedom for which all equilibria are compared.
const MAX_DEGREES_FOR_ALL: usize = 6;

/// Linearised equations M q̈ + (C + G) q̇ + (K + N) q = 0 about an equilibrium, with symbols.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SymbolicLinearisation<'p> {
    /// The names of q: the coordinates that constraints leave free.
    pub independent: Vec<String>,
    /// The positions of the equilibrium: formulas, or the coordinates themselves where no formula was found.
    pub position: Vec<Expr<'p>>,
    /// The velocities of the steady motion: those of ignorable coordinates are symbols.
    pub velocity: Vec<Expr<'p>>,
    /// The multipliers at the equilibrium.
    pub multipliers: Vec<(String, Expr<'p>)>,
    /// Whether the positions satisfy the equations for all values of the parameters.
    pub proved: bool,
    /// Left sides of the equations that the positions satisfy, where no formula was found.
    pub conditions: Vec<Expr<'p>>,
    /// Whether the equilibrium is stable for the numbers of the model; `None` where that is open.
    pub stable: Option<bool>,
    /// M
    pub mass: Vec<Vec<Expr<'p>>>,
    /// C, the symmetric part of the derivatives by velocities.
    pub damping: Vec<Vec<Expr<'p>>>,
    /// G, their antisymmetric part.
    pub gyroscopic: Vec<Vec<Expr<'p>>>,
    /// K, the symmetric part of the derivatives by positions.
    pub stiffness: Vec<Vec<Expr<'p>>>,
    /// N, their antisymmetric part.
    pub circulatory: Vec<Vec<Expr<'p>>>,
}

/// Linearises the equations of a model about an equilibrium with a formula: a stable one if there is one, else the one
/// nearest to the initial state. Parameters are symbols.
///
/// ```
/// use galilei_model::{Settings, read};
/// let text = "param m, k, c\ncoord x\nkinetic: m*x'^2/2\npotential: k*x^2/2\nforce: x = -c*x'\n";
/// let model = read(text, &Settings::default()).model.unwrap();
/// let linear = galilei_analyse::symbolic_linearisation(&model).unwrap();
/// assert_eq!(linear.damping[0][0].to_string(), "c");
/// ```
///
/// # Errors
/// The reason why there is no such form.
pub fn symbolic_linearisation(model: &Model) -> Result<SymbolicLinearisation<'_>, String> {
    let pool = model.pool();
    let parameters = &model.contents().parameters;
    let symbols: Vec<Expr<'_>> = parameters.iter().map(|p| model.expr(p.symbol)).collect();
    let open = Setting::new(model, &symbols).map_err(|_| "the model cannot be read".to_owned())?;
    let n = open.n();
    if !open.is_autonomous() {
        return Err("the system depends on time: it has no equilibrium at all times to be linearised at with constant matrices".into());
    }
    let holonomic = |r: &galilei_model::ConstraintRow<'_>| {
        r.rate.is_some() && r.enforcement == Enforcement::Ideal
    };
    if !open.rows.iter().all(holonomic) {
        return Err("under constraints on velocities, or reactions that are not ideal, there is no form of second order: `galilei modes` has the matrix A".into());
    }
    // Parameters without a value get some, which formulas do not depend on.
    let mut numbered = model.clone();
    for (k, p) in parameters.iter().enumerate() {
        if p.value.is_none() {
            let value = 0.75 + 0.5 * ((k as f64 + 1.0) * 0.618_033_988_75).fract();
            let value = (value * 1e3).round() / 1e3;
            numbered = numbered.with_parameter(&p.name, value).unwrap_or(numbered);
        }
    }
    let chosen = chosen(&numbered);
    let values = numbered.parameter_values().unwrap_or_default();
    let mut at: Vec<(Expr<'_>, f64)> = symbols
        .iter()
        .zip(&values)
        .map(|(s, (_, v))| (*s, v.evaluate_f64(&[])))
        .collect();
    let mut position = open.x.clone();
    let mut velocity = vec![pool.zero(); n];
    let mut proved = false;
    let mut stable = None;
    if let Some(found) = &chosen {
        stable = found.stable;
        for i in 0..n {
            at.push((open.x[i], found.position[i]));
            at.push((open.u[i], found.velocity[i]));
        }
        if let Some(list) = &found.expressions {
            proved = true;
            for (i, e) in list {
                position[*i] = pool.expr(*e);
            }
        }
        if proved {
            let moving = (0..n).filter(|&i| found.velocity[i] != 0.0);
            for i in moving {
                velocity[i] = open.u[i];
            }
        }
    }
    let moves = velocity.iter().any(|v| !v.is_zero());
    if moves && !open.rows.is_empty() {
        return Err("steady motions under constraints are linearised by `galilei modes`".into());
    }
    let multipliers: Vec<Expr<'_>> = open
        .rows
        .iter()
        .map(|r| pool.symbol(&format!("multiplier({})", r.name)))
        .collect();
    let equations: Vec<Expr<'_>> = open
        .equations()
        .into_iter()
        .enumerate()
        .map(|(i, e)| {
            let reactions = open.rows.iter().zip(&multipliers);
            e - pool.sum(reactions.map(|(r, &l)| r.covector[i] * l))
        })
        .collect();
    let mut here: Vec<(Expr<'_>, Expr<'_>)> = Vec::new();
    for (x, e) in open.x.iter().zip(&position) {
        if let Some([sine, cosine]) = sine_and_cosine(*e) {
            here.extend([(x.sin(), sine), (x.cos(), cosine)]);
        }
    }
    here.extend(open.x.iter().copied().zip(position.iter().copied()));
    here.extend(open.u.iter().copied().zip(velocity.iter().copied()));
    here.extend(open.a.iter().map(|a| (*a, pool.zero())));
    let resting = pool.substitute_all(&equations, &here);
    let solved = solved(&resting, &multipliers, &at);
    let known = solved.clone().unwrap_or_default();
    here.extend(known.iter().copied());
    let lift = lift(&open, &here, &at)?;
    let derivatives = |symbols: &[Expr<'_>]| -> Vec<Vec<Expr<'_>>> {
        let rows: Vec<Vec<Expr<'_>>> = equations
            .iter()
            .map(|e| {
                let list: Vec<Expr<'_>> =
                    symbols.iter().map(|s| e.diff(pool.expr(s.id()))).collect();
                pool.substitute_all(&list, &here)
            })
            .collect();
        lift.restrict(&rows)
    };
    let mass = derivatives(&open.a);
    let (damping, gyroscopic) = parts(&derivatives(&open.u));
    let (stiffness, circulatory) = parts(&derivatives(&open.x));
    let mut conditions = vec![];
    if !proved {
        conditions.extend(resting.iter().copied().filter(|e| !e.is_zero()));
        conditions.extend(open.rows.iter().filter_map(|r| r.residual));
    }
    Ok(SymbolicLinearisation {
        independent: lift
            .free
            .iter()
            .map(|&i| open.coordinate(i).to_owned())
            .collect(),
        position,
        velocity,
        multipliers: open
            .rows
            .iter()
            .zip(&known)
            .map(|(r, (_, e))| (r.name.clone(), *e))
            .collect(),
        proved,
        conditions,
        stable,
        mass,
        damping,
        gyroscopic,
        stiffness,
        circulatory,
    })
}

/// Sine and cosine of an inverse function, of its negative, or of its supplement, without trigonometric functions.
fn sine_and_cosine<'p>(angle: Expr<'p>) -> Option<[Expr<'p>; 2]> {
    let inverse = |e: Expr<'p>| match e.view() {
        View::Call(Function::Acos, z) => Some([(z[0].pool().one() - z[0].pow(2)).sqrt(), z[0]]),
        View::Call(Function::Asin, z) => Some([z[0], (z[0].pool().one() - z[0].pow(2)).sqrt()]),
        _ => None,
    };
    let pi = angle.pool().pi();
    inverse(angle)
        .or_else(|| inverse(-angle).map(|[s, c]| [-s, c]))
        .or_else(|| inverse(pi - angle).map(|[s, c]| [s, -c]))
        .or_else(|| inverse(-pi - angle).map(|[s, c]| [s, -c]))
}

/// The equilibrium at which a model is linearised.
fn chosen(model: &Model) -> Option<Equilibrium> {
    let search = EquilibriumSearch {
        nearest_only: model.contents().coordinates.len() > MAX_DEGREES_FOR_ALL,
        ..Default::default()
    };
    let list = equilibria(model, &search).ok()?.list;
    // States without eigenvalues are singular points of the coordinates.
    let known = |e: &&Equilibrium| e.expressions.is_some() && !e.eigenvalues.is_empty();
    let best = list
        .iter()
        .filter(known)
        .find(|e| e.stable == Some(true))
        .or_else(|| list.iter().find(known))
        .or_else(|| list.iter().find(|e| !e.eigenvalues.is_empty()));
    best.cloned()
}

/// Displacements on constraints between positions: δx as a function of those that are left free.
struct Lift<'p> {
    free: Vec<usize>,
    /// n rows.
    matrix: Vec<Vec<Expr<'p>>>,
}

impl<'p> Lift<'p> {
    /// Nᵀ·rows·N
    fn restrict(&self, rows: &[Vec<Expr<'p>>]) -> Vec<Vec<Expr<'p>>> {
        let (n, k) = (rows.len(), self.free.len());
        let Some(pool) = rows.first().and_then(|r| r.first()).map(|e| e.pool()) else {
            return vec![];
        };
        let entry = |a: usize, b: usize| {
            let terms = (0..n).flat_map(|i| {
                (0..n).map(move |j| self.matrix[i][a] * rows[i][j] * self.matrix[j][b])
            });
            pool.sum(terms)
        };
        (0..k)
            .map(|a| (0..k).map(|b| entry(a, b)).collect())
            .collect()
    }
}

/// The displacements that constraints leave free, with formulas for the others.
fn lift<'p>(
    open: &Setting<'p>,
    here: &[(Expr<'p>, Expr<'p>)],
    at: &[(Expr<'p>, f64)],
) -> Result<Lift<'p>, String> {
    let pool = open.pool();
    let n = open.n();
    let unit = |i: usize, k: usize| if i == k { pool.one() } else { pool.zero() };
    if open.rows.is_empty() {
        return Ok(Lift {
            free: (0..n).collect(),
            matrix: (0..n)
                .map(|i| (0..n).map(|k| unit(i, k)).collect())
                .collect(),
        });
    }
    let rows: Vec<Vec<Expr<'p>>> = open
        .rows
        .iter()
        .map(|r| pool.substitute_all(&r.row, here))
        .collect();
    let m = rows.len();
    let numbers = DMatrix::from_fn(m, n, |a, i| rows[a][i].evaluate_f64(at));
    if numbers.iter().any(|x| !x.is_finite()) {
        return Err("the constraints have no numbers at the equilibrium".into());
    }
    // Bound coordinates by elimination; the last ones where several serve.
    let mut bound: Vec<usize> = Vec::new();
    for i in (0..n).rev() {
        let mut columns = bound.clone();
        columns.push(i);
        let chosen = numbers.select_columns(&columns);
        if bound.len() < m && null_space(&chosen, 1e-9).ncols() == 0 {
            bound.push(i);
        }
    }
    if bound.len() < m {
        return Err("the constraints are not independent at the equilibrium".into());
    }
    let free: Vec<usize> = (0..n).filter(|i| !bound.contains(i)).collect();
    let unknowns: Vec<Expr<'p>> = bound
        .iter()
        .map(|i| pool.symbol(&format!("displacement({i})")))
        .collect();
    let mut matrix = vec![vec![pool.zero(); free.len()]; n];
    for (k, &f) in free.iter().enumerate() {
        matrix[f][k] = pool.one();
        let equations: Vec<Expr<'p>> = rows
            .iter()
            .map(|row| {
                let terms = bound.iter().zip(&unknowns).map(|(&b, &d)| row[b] * d);
                pool.sum(terms.chain([row[f]]))
            })
            .collect();
        let found = solved(&equations, &unknowns, at)
            .ok_or("the constraints are not solved by formulas at the equilibrium")?;
        for (&b, (_, e)) in bound.iter().zip(found) {
            matrix[b][k] = e;
        }
    }
    Ok(Lift { free, matrix })
}

/// A matrix of formulas.
type Matrix<'p> = Vec<Vec<Expr<'p>>>;

/// The symmetric and the antisymmetric part of a matrix.
fn parts<'p>(rows: &[Vec<Expr<'p>>]) -> (Matrix<'p>, Matrix<'p>) {
    let k = rows.len();
    let part = |sign: i64| {
        (0..k)
            .map(|i| {
                (0..k)
                    .map(|j| (rows[i][j] + rows[j][i] * sign) / 2)
                    .collect()
            })
            .collect()
    };
    (part(1), part(-1))
}
