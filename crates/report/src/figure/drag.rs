//! A point of the mechanism is dragged: positions at which the observer sees it at a place, as far as constraints allow.

use galilei_expr::{Expr, Program};
use galilei_linear::Factors;
use galilei_model::{Level, Model};

use super::Mechanism;
use super::camera::seen;

/// The most steps of a search.
const MAX_STEPS: usize = 60;
/// The damping of the first step, and the range of damping in which steps are tried.
const FIRST_DAMPING: f64 = 1e-3;
const DAMPING: [f64; 2] = [1e-9, 1e9];
/// The weight of a coordinate that moves nothing, relative to the one that moves most.
const LEAST_WEIGHT: f64 = 1e-6;
/// The regularisation of constraints that depend on each other, relative to their slopes.
const REDUNDANCY: f64 = 1e-12;
/// Steps on the picture below this part of the drag are the last.
const LAST_STEP: f64 = 1e-10;
/// Newton steps onto the constraints, and their residual relative to the slopes that is zero.
const MAX_PROJECTION_STEPS: usize = 30;
const CONVERGED: f64 = 1e-13;

/// Positions and velocities after a drag.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Dragged {
    /// The positions, in SI units.
    pub positions: Vec<f64>,
    /// The velocities, in SI units: those before, as far as constraints admit them at the new positions.
    pub velocities: Vec<f64>,
    /// For each point of the mechanism the way that it has gone, as the observer sees it.
    pub moved: Vec<[f64; 2]>,
    /// The distance of the dragged point from the wanted place, as the observer sees it.
    pub miss: f64,
}

/// Everything at some positions.
struct Look {
    /// All points, as the observer sees them.
    points: Vec<[f64; 2]>,
    /// For each point and coordinate the slope.
    slopes: Vec<Vec<[f64; 2]>>,
    constraints: Vec<f64>,
    /// For each constraint the slopes by time and coordinates.
    forbidden: Vec<Vec<f64>>,
}

/// The mechanism and its constraints as code.
struct Dragging<'a, 'm> {
    mechanism: &'a Mechanism<'m>,
    program: Program,
    /// Constraints on velocities, each followed by its slopes by velocities.
    rolling: Program,
    time: f64,
    coordinates: usize,
    constraints: usize,
    rolling_constraints: usize,
}

/// Drags a point of the mechanism of a model, by its number, from the state (t, x, u) by a way that the observer sees, right
/// and upward, in units of length. Of all positions that bring it there, or as near as can be, the search goes to those at which
/// the mechanism as a whole has moved little. `None` if nothing can be dragged.
pub fn drag(model: &Model, state: &[f64], point: usize, by: [f64; 2]) -> Option<Dragged> {
    let mechanism = Mechanism::new(model)?;
    let n = model.degrees_of_freedom();
    let (positions, velocities) = (state.get(1..=n)?, state.get(n + 1..=2 * n)?);
    if point >= mechanism.points.len() || state.iter().chain(&by).any(|x| !x.is_finite()) {
        return None;
    }
    let dragging = Dragging::new(&mechanism, model, state[0])?;
    let first = dragging.look(positions)?;
    let from = first.points[point];
    let target = [from[0] + by[0], from[1] + by[1]];
    let (positions, look) = dragging.search(positions, point, target)?;
    let velocities = dragging.admitted(&look, velocities);
    let velocities = velocities.and_then(|u| dragging.rolling(&look, &positions, &u));
    let ways = look.points.iter().zip(&first.points);
    Some(Dragged {
        velocities: velocities?,
        moved: ways.map(|(p, q)| [p[0] - q[0], p[1] - q[1]]).collect(),
        miss: distance(look.points[point], target),
        positions,
    })
}

fn distance(p: [f64; 2], q: [f64; 2]) -> f64 {
    (p[0] - q[0]).hypot(p[1] - q[1])
}

/// The vector v with the least ½vᵀAv − bᵀv that has Cv = c; rows of C have an entry for time in front.
fn least(
    matrix: impl Fn(usize, usize) -> f64,
    b: &[f64],
    rows: &[Vec<f64>],
    c: &[f64],
) -> Option<Vec<f64>> {
    let n = b.len();
    let scale = |k: usize| rows[k][1..].iter().fold(0.0_f64, |a, s| a.max(s.abs()));
    let trace = (0..n).map(|i| matrix(i, i)).sum::<f64>() / n.max(1) as f64;
    let entry = |i: usize, j: usize| match (i < n, j < n) {
        (true, true) => matrix(i, j),
        (true, false) => rows[j - n][1 + i],
        (false, true) => rows[i - n][1 + j],
        (false, false) if i == j => -REDUNDANCY * scale(i - n).powi(2) / trace,
        _ => 0.0,
    };
    let mut factors = Factors::new(n + rows.len());
    factors.factor(entry).ok()?;
    let mut v: Vec<f64> = b.iter().chain(c).copied().collect();
    factors.solve(&mut v);
    v.truncate(n);
    v.iter().all(|x| x.is_finite()).then_some(v)
}

impl<'a, 'm> Dragging<'a, 'm> {
    fn new(mechanism: &'a Mechanism<'m>, model: &'m Model, time: f64) -> Option<Self> {
        let positions = model.positions();
        let of_level = |level: fn(&Level) -> bool| -> Vec<Expr<'m>> {
            let list = model.contents().constraints.iter();
            let list = list.filter(|c| level(&c.level));
            list.map(|c| model.expr(c.function)).collect()
        };
        let constraints = of_level(|l| matches!(l, Level::Position));
        let rolling = of_level(|l| matches!(l, Level::Velocity));
        let mut outputs: Vec<Expr<'m>> = Vec::new();
        for part in mechanism.points.iter().flat_map(|p| p.at.iter()) {
            outputs.push(*part);
            outputs.extend(positions.iter().map(|x| part.diff(*x)));
        }
        for c in &constraints {
            outputs.extend([*c, c.diff(model.time())]);
            outputs.extend(positions.iter().map(|x| c.diff(*x)));
        }
        let values = model.parameter_values().ok()?;
        let outputs = model.pool().substitute_all(&outputs, &values);
        let mut inputs: Vec<Expr<'m>> = std::iter::once(model.time()).chain(positions).collect();
        let program = Program::new(&outputs, &inputs).ok()?;
        let velocities = model.velocities();
        let slopes = |f: &Expr<'m>| {
            let by = velocities.iter().map(|u| f.diff(*u));
            std::iter::once(*f).chain(by).collect::<Vec<_>>()
        };
        let parts: Vec<Expr<'m>> = rolling.iter().flat_map(slopes).collect();
        let parts = model.pool().substitute_all(&parts, &values);
        inputs.extend(&velocities);
        Some(Self {
            mechanism,
            program,
            rolling: Program::new(&parts, &inputs).ok()?,
            time,
            coordinates: velocities.len(),
            constraints: constraints.len(),
            rolling_constraints: rolling.len(),
        })
    }

    /// Everything at some positions; `None` where something is not a number.
    fn look(&self, x: &[f64]) -> Option<Look> {
        let input: Vec<f64> = std::iter::once(self.time)
            .chain(x.iter().copied())
            .collect();
        let values = self.program.f64(&input);
        if values.iter().any(|v| !v.is_finite()) {
            return None;
        }
        let (n, dimension) = (self.coordinates, self.mechanism.dimension);
        let mut rest = values.as_slice();
        let mut take = |count: usize| {
            let (first, behind) = rest.split_at(count);
            rest = behind;
            first
        };
        let (mut points, mut slopes) = (Vec::new(), Vec::new());
        for p in &self.mechanism.points {
            let parts: Vec<&[f64]> = p.at.iter().map(|_| take(1 + n)).collect();
            let column = |k: usize| {
                let mut place = [0.0; 3];
                place
                    .iter_mut()
                    .zip(&parts)
                    .for_each(|(a, part)| *a = part[k]);
                seen(place, dimension)
            };
            points.push(column(0));
            slopes.push((1..=n).map(column).collect());
        }
        let rows: Vec<&[f64]> = (0..self.constraints).map(|_| take(2 + n)).collect();
        Some(Look {
            points,
            slopes,
            constraints: rows.iter().map(|r| r[0]).collect(),
            forbidden: rows.iter().map(|r| r[1..].to_vec()).collect(),
        })
    }

    /// The weights of the coordinates: how much of the picture each of them moves.
    fn weights(&self, look: &Look) -> Vec<f64> {
        let square = |s: &[f64; 2]| s[0] * s[0] + s[1] * s[1];
        let weight = |i: usize| look.slopes.iter().map(|s| square(&s[i])).sum::<f64>();
        let weights: Vec<f64> = (0..self.coordinates).map(weight).collect();
        let largest = weights.iter().fold(0.0_f64, |a, w| a.max(*w));
        let least = match largest > 0.0 {
            true => LEAST_WEIGHT * largest,
            false => 1.0,
        };
        weights.into_iter().map(|w| w.max(least)).collect()
    }

    /// The nearest positions on the constraints.
    fn projected(&self, x: &[f64]) -> Option<(Vec<f64>, Look)> {
        let mut x = x.to_vec();
        let mut look = self.look(&x)?;
        for _ in 0..MAX_PROJECTION_STEPS {
            let size = |k: usize| -> f64 {
                let terms = look.forbidden[k][1..].iter().zip(&x);
                terms.map(|(s, x)| s.abs() * (1.0 + x.abs())).sum()
            };
            let rest =
                (0..self.constraints).all(|k| look.constraints[k].abs() <= CONVERGED * size(k));
            if rest {
                return Some((x, look));
            }
            let weights = self.weights(&look);
            let c: Vec<f64> = look.constraints.iter().map(|c| -c).collect();
            let diagonal = |i: usize, j: usize| if i == j { weights[i] } else { 0.0 };
            let step = least(diagonal, &vec![0.0; x.len()], &look.forbidden, &c)?;
            x.iter_mut().zip(&step).for_each(|(x, s)| *x += s);
            look = self.look(&x)?;
        }
        None
    }

    /// Levenberg's and Marquardt's method for the distance of the point from its target, on the constraints.
    fn search(&self, x: &[f64], point: usize, target: [f64; 2]) -> Option<(Vec<f64>, Look)> {
        let (mut x, mut look) = self.projected(x)?;
        let mut damping = FIRST_DAMPING;
        let drag = distance(look.points[point], target);
        for _ in 0..MAX_STEPS {
            let p = look.points[point];
            let rest = [target[0] - p[0], target[1] - p[1]];
            let slopes = &look.slopes[point];
            let weights = self.weights(&look);
            let product = |s: [f64; 2], q: [f64; 2]| s[0] * q[0] + s[1] * q[1];
            let matrix = |i: usize, j: usize| {
                let own = if i == j { damping * weights[i] } else { 0.0 };
                product(slopes[i], slopes[j]) + own
            };
            let b: Vec<f64> = slopes.iter().map(|s| product(*s, rest)).collect();
            let zero = vec![0.0; self.constraints];
            let next = least(matrix, &b, &look.forbidden, &zero).and_then(|step| {
                let next: Vec<f64> = x.iter().zip(&step).map(|(x, s)| x + s).collect();
                self.projected(&next)
            });
            let better = next.filter(|(_, l)| {
                distance(l.points[point], target) < distance(look.points[point], target)
            });
            match better {
                Some((next, there)) => {
                    let gone = distance(there.points[point], look.points[point]);
                    (x, look) = (next, there);
                    damping = (0.2 * damping).max(DAMPING[0]);
                    if gone <= LAST_STEP * drag {
                        break;
                    }
                }
                None if damping >= DAMPING[1] => break,
                None => damping *= 8.0,
            }
        }
        Some((x, look))
    }

    /// The velocities that are nearest to the given ones and that constraints between positions admit.
    fn admitted(&self, look: &Look, u: &[f64]) -> Option<Vec<f64>> {
        if self.constraints == 0 {
            return Some(u.to_vec());
        }
        let rate =
            |row: &Vec<f64>| row[0] + row[1..].iter().zip(u).map(|(s, u)| s * u).sum::<f64>();
        let c: Vec<f64> = look.forbidden.iter().map(|row| -rate(row)).collect();
        let weights = self.weights(look);
        let diagonal = |i: usize, j: usize| if i == j { weights[i] } else { 0.0 };
        let step = least(diagonal, &vec![0.0; u.len()], &look.forbidden, &c)?;
        Some(u.iter().zip(step).map(|(u, s)| u + s).collect())
    }

    /// The velocities that are nearest to the given ones and that all constraints admit: Newton's method by the shortest steps, on the
    /// velocities that constraints between positions admit.
    fn rolling(&self, look: &Look, x: &[f64], u: &[f64]) -> Option<Vec<f64>> {
        let (n, mut u) = (self.coordinates, u.to_vec());
        let weights = self.weights(look);
        let diagonal = |i: usize, j: usize| if i == j { weights[i] } else { 0.0 };
        for _ in 0..MAX_PROJECTION_STEPS {
            let input: Vec<f64> = [&[self.time], x, &u].concat();
            let values = self.rolling.f64(&input);
            if values.iter().any(|v| !v.is_finite()) {
                return None;
            }
            let found = || values.chunks(1 + n).take(self.rolling_constraints);
            let size = |row: &[f64]| -> f64 {
                let terms = row[1..].iter().zip(&u);
                terms.map(|(s, u)| s.abs() * (1.0 + u.abs())).sum()
            };
            if found().all(|row| row[0].abs() <= CONVERGED * size(row)) {
                return Some(u);
            }
            let rows = look
                .forbidden
                .iter()
                .cloned()
                .chain(found().map(<[f64]>::to_vec));
            let rows: Vec<Vec<f64>> = rows.collect();
            let held = vec![0.0; self.constraints];
            let c: Vec<f64> = held.into_iter().chain(found().map(|row| -row[0])).collect();
            let step = least(diagonal, &vec![0.0; n], &rows, &c)?;
            u.iter_mut().zip(&step).for_each(|(u, s)| *u += s);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use galilei_model::{Settings, read};

    use super::*;

    fn model(text: &str) -> Model {
        let read = read(text, &Settings::default());
        read.model
            .unwrap_or_else(|| panic!("{:?}", read.diagnostics))
    }

    const PENDULUM: &str = "param m = 1, l = 2\ncoord theta\n\
        particle bob: mass m at (l*sin(theta), -l*cos(theta))\ngravity: (0, -9.81)\n";

    #[test]
    fn the_point_follows_on_its_circle() {
        // From the lowest place toward a place on the circle, and toward one outside of it, in the same direction.
        let model = model(PENDULUM);
        for length in [2.0, 5.0] {
            let angle = 0.7_f64;
            let target = [length * angle.sin(), -length * angle.cos()];
            let by = [target[0], target[1] + 2.0];
            let got = drag(&model, &[0.0, 0.0, 0.3], 0, by).expect("a drag");
            assert!((got.positions[0] - angle).abs() < 1e-6, "{got:?}");
            assert!((got.miss - (length - 2.0)).abs() < 1e-9, "{got:?}");
            assert_eq!(got.velocities, [0.3]);
        }
    }

    #[test]
    fn a_chain_reaches_the_place_exactly() {
        // Two links of length 1: the elbow at a distance d has the angle 2·acos(d/2) between the links.
        let model = model(
            "coord a, b\nparticle first: mass 1 at (sin(a), -cos(a))\n\
             particle second: mass 1 at (sin(a) + sin(b), -cos(a) - cos(b))\n",
        );
        let got = drag(&model, &[0.0, 0.3, -0.2, 0.0, 0.0], 1, [0.4, 0.5]).expect("a drag");
        let place = [
            0.3_f64.sin() + (-0.2_f64).sin() + 0.4,
            -0.3_f64.cos() - 0.2_f64.cos() + 0.5,
        ];
        let elbow = 2.0 * (0.5 * place[0].hypot(place[1])).acos();
        let between = (got.positions[0] - got.positions[1]).abs();
        assert!(got.miss < 1e-9 && (between - elbow).abs() < 1e-8, "{got:?}");
    }

    #[test]
    fn constraints_hold_after_a_drag() {
        let model = model(
            "coord x, y\nparticle bob: mass 1 at (x, y)\nconstraint rod: x^2 + y^2 = 25\n\
             initial x = 3, y = -4, x' = 4, y' = 3\n",
        );
        let got = drag(&model, &[0.0, 3.0, -4.0, 4.0, 3.0], 0, [1.0, 1.0]).expect("a drag");
        let [x, y] = [got.positions[0], got.positions[1]];
        assert!((x.hypot(y) - 5.0).abs() < 1e-12, "{got:?}");
        // The nearest place of the circle to (4, −3) is that place.
        assert!((x - 4.0).hypot(y + 3.0) < 1e-8, "{got:?}");
        let rate = x * got.velocities[0] + y * got.velocities[1];
        assert!(rate.abs() < 1e-9, "{got:?}");
    }

    #[test]
    fn blades_and_wheels_go_on_along_themselves() {
        // A blade that glides along its edge, and has to do so after it was turned.
        let model = model(
            "coord x, y, phi\nparticle blade: mass 1 at (x, y)\n\
             particle tip: mass 1 at (x + cos(phi), y + sin(phi))\n\
             constraint edge: y'*cos(phi) = x'*sin(phi)\n",
        );
        let state = [0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.5];
        let got = drag(&model, &state, 1, [-0.5, 1.5]).expect("a drag");
        let (phi, u) = (got.positions[2], &got.velocities);
        assert!(got.miss < 1e-9 && phi.abs() > 0.1, "{got:?}");
        assert!(
            (u[1] * phi.cos() - u[0] * phi.sin()).abs() < 1e-12,
            "{got:?}"
        );
    }

    #[test]
    fn what_cannot_be_dragged_is_refused() {
        let model = model(PENDULUM);
        assert_eq!(drag(&model, &[0.0, 0.0, 0.0], 7, [0.1, 0.0]), None);
        assert_eq!(drag(&model, &[0.0, 0.0], 0, [0.1, 0.0]), None);
        assert_eq!(drag(&model, &[0.0, 0.0, 0.0], 0, [f64::NAN, 0.0]), None);
    }
}
