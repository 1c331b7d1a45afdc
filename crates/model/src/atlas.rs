//! The model in another chart of its atlas, as a model of its own. (T-125)

use galilei_expr::{Expr, ExprId};
use galilei_mechanics::AdaptedChange;

use crate::code::Code;
use crate::constrained::covector_in_chart;
use crate::contents::{Chart, Contents, Contribution, Coordinate, Enforcement, Part, WithHandles};
use crate::diagnostic::Diagnostic;
use crate::model::Model;
use crate::regularise::{has_inverses, has_poles, regular, regular_lagrangian};

impl Model {
    /// The charts that runs may enter next to the model's own coordinates.
    pub fn atlas(&self) -> Vec<&Chart<ExprId>> {
        let c = self.contents();
        let list = c.atlas.iter().flat_map(|a| &a.charts);
        list.map(|&k| &c.charts[k]).collect()
    }

    /// The change to a chart at the time of the model: charts whose time is shifted are given the model's. (T-9)
    pub fn change_at_own_time<'p>(&'p self, chart: &Chart<ExprId>) -> AdaptedChange<'p> {
        let names: Vec<String> = (self.exprs(&chart.symbols).iter())
            .map(ToString::to_string)
            .collect();
        let new = galilei_mechanics::AdaptedChart::new(self.pool(), "t", &names);
        let time = self.time();
        let earlier = [(time, time - self.expr(chart.shift))];
        let old = self
            .pool()
            .substitute_all(&self.exprs(&chart.old), &earlier);
        AdaptedChange::new(self.state_space().base(), &new, old)
    }

    /// The model with the coordinates of a chart as its own: energies, forces, constraints, outputs and events are
    /// pulled back, at the time of the model. Vector fields, other charts and the initial state are left out.
    ///
    /// # Errors
    /// Where the model is given by a Hamiltonian whose momenta have no closed form.
    pub fn moved_to(&self, chart: &Chart<ExprId>) -> Result<Self, Diagnostic> {
        let change = self.change_at_own_time(chart);
        if let Some(h) = &self.contents().hamiltonian
            && h.implicit
        {
            return Err(Diagnostic::error(
                Code::NotAvailable,
                "charts are not changed along motions of a Hamiltonian whose momenta have no closed form",
                "leave out `atlas`, or write the Lagrangian",
                h.span,
            ));
        }
        let pool = self.pool();
        let map = change.prolonged();
        let mut contents = self.contents().with_handles(&|id: &ExprId| {
            let e = pool.expr(*id);
            map.pullback(&e).id()
        });
        let (own, system) = (self.contents(), self.system());
        let covector = |list: &[ExprId]| -> Vec<ExprId> {
            let moved = covector_in_chart(&change, &self.exprs(list));
            moved.into_iter().map(Expr::id).collect()
        };
        // Parameters and settings are functions of parameters only.
        contents.parameters.clone_from(&own.parameters);
        contents.run = own.run.clone();
        contents.time = own.time;
        for (f, old) in contents.forces.iter_mut().zip(&own.forces) {
            f.components = covector(&old.components);
        }
        let reactions = self.reaction_covectors(&system);
        for ((c, old), along) in
            (contents.constraints.iter_mut().zip(&own.constraints)).zip(reactions)
        {
            if !old.form.is_empty() {
                let form = map.pullback(&self.own_form(old, system.state()));
                c.form = (0..old.form.len())
                    .map(|k| form.component(&[k]).id())
                    .collect();
            }
            if let Some(along) = along {
                let moved = covector_in_chart(&change, &along);
                c.enforcement = Enforcement::Along(moved.into_iter().map(Expr::id).collect());
            }
        }
        let space = change.new_state();
        let old = change.map();
        let old = &old.components()[1..];
        if has_inverses(old) || has_poles(old, space.base().positions()) {
            self.regularise(&change, &mut contents);
        }
        contents.coordinates = (0..space.degrees_of_freedom())
            .map(|i| Coordinate {
                name: space.position(i).to_string(),
                position: space.position(i).id(),
                velocity: space.velocity(i).id(),
                unit: None,
                scale: pool.one().id(),
                initial_position: None,
                initial_velocity: None,
                given_velocity: None,
            })
            .collect();
        contents.dependent = vec![];
        contents.dependent_span = None;
        contents.hamiltonian = None;
        contents.given = None;
        contents.references.clear();
        contents.symmetries.clear();
        contents.variations.clear();
        contents.charts.clear();
        contents.atlas = None;
        Ok(self.with_contents(contents))
    }

    /// Puts pulled-back contents into a form that is regular where the new chart is.
    fn regularise(&self, change: &AdaptedChange<'_>, contents: &mut Contents<ExprId>) {
        let assumptions = self.assumptions();
        let pool = self.pool();
        let regular = |list: &[ExprId]| -> Vec<ExprId> {
            let list: Vec<Expr<'_>> = list.iter().map(|id| pool.expr(*id)).collect();
            let found = regular(&list, &assumptions);
            found.into_iter().map(Expr::id).collect()
        };
        for f in &mut contents.forces {
            f.components = regular(&f.components);
        }
        for c in &mut contents.constraints {
            c.function = regular(&[c.function])[0];
            c.form = regular(&c.form);
            if let Enforcement::Along(list) = &mut c.enforcement {
                *list = regular(list);
            }
        }
        for o in &mut contents.outputs {
            o.value = regular(&[o.value])[0];
        }
        for e in &mut contents.events {
            e.value = regular(&[e.value])[0];
        }
        let lagrangian = change.lagrangian(self.system().lagrangian());
        let function = regular_lagrangian(&lagrangian, &assumptions).function();
        if let Some(first) = contents.contributions.first().cloned() {
            contents.contributions = vec![Contribution {
                name: "lagrangian 1".into(),
                statement: "lagrangian",
                part: Part::Lagrangian,
                value: function.id(),
                ..first
            }];
        }
    }

    /// The motion in a chart as functions of the motion in the model's coordinates: (y, w) of (t, x, u), if the
    /// file gives the inverse. (T-10)
    pub fn inverse_prolonged<'p>(&'p self, chart: &Chart<ExprId>) -> Option<Vec<Expr<'p>>> {
        let inverse = chart.inverse.as_ref()?;
        let y = self.exprs(&inverse.new);
        let mut rates = vec![(self.time(), self.pool().one())];
        rates.extend(self.positions().into_iter().zip(self.velocities()));
        let w: Vec<Expr<'p>> = y.iter().map(|y| y.derivative_along(&rates)).collect();
        Some(y.into_iter().chain(w).collect())
    }
}

/// Points at which compositions of charts are compared.
const MAX_SAMPLES: u32 = 48;
/// The largest difference of two numbers that count as the same, relative to their size.
const SAME: f64 = 1e-7;

/// The composition of a chart and its inverse at some points.
#[derive(Clone, Debug, Default)]
pub struct Composed {
    /// The number of points at which it is the identity, up to shifts that the map applied first does not feel, such as
    /// full turns.
    pub agree: usize,
    /// The number of points at which it is not.
    pub differ: usize,
    /// One of these.
    pub witness: Option<String>,
    /// The largest difference from the identity, where it is one.
    pub largest: f64,
}

/// A composition minus the identity, with the coordinates it acts on.
pub struct Composition<'p> {
    /// X(t, Y(t, x)) − x, or Y(t, X(t, y)) − y.
    pub differences: Vec<Expr<'p>>,
    /// x or y.
    pub coordinates: Vec<Expr<'p>>,
    /// The map that is applied first: Y(t, x) or X(t, y).
    pub first: Vec<Expr<'p>>,
    /// The composition in words.
    pub name: String,
}

impl Model {
    /// Both compositions of a chart with the inverse that the file gives, minus the identity. (T-9, T-125)
    pub fn compositions<'p>(&'p self, chart: &Chart<ExprId>) -> Option<[Composition<'p>; 2]> {
        let inverse = chart.inverse.as_ref()?;
        let change = self.change_at_own_time(chart);
        let old = change.map().components()[1..].to_vec();
        let y = self.exprs(&inverse.new);
        let (x_symbols, y_symbols) = (self.positions(), self.exprs(&chart.symbols));
        let compose = |of: &[Expr<'p>], symbols: &[Expr<'p>], by: &[Expr<'p>], to: &[Expr<'p>]| {
            let pairs: Vec<_> = symbols.iter().copied().zip(by.iter().copied()).collect();
            let list = self.pool().substitute_all(of, &pairs);
            let pairs = list.into_iter().zip(to);
            pairs.map(|(e, &s)| e - s).collect::<Vec<_>>()
        };
        Some([
            Composition {
                differences: compose(&old, &y_symbols, &y, &x_symbols),
                coordinates: x_symbols.clone(),
                first: y.clone(),
                name: format!("chart {} after its inverse", chart.name),
            },
            Composition {
                differences: compose(&y, &x_symbols, &old, &y_symbols),
                coordinates: y_symbols,
                first: old,
                name: format!("inverse after chart {}", chart.name),
            },
        ])
    }

    /// A composition at points near the initial state and elsewhere; `None` where parameters have no values.
    pub fn compose_at_points(&self, c: &Composition<'_>, near: &[f64]) -> Option<Composed> {
        let pool = self.pool();
        let fixed = self.parameter_values().ok()?;
        let differences: Vec<Expr<'_>> = c.differences.iter().map(|e| pool.expr(e.id())).collect();
        let symbols: Vec<Expr<'_>> = c.coordinates.iter().map(|e| pool.expr(e.id())).collect();
        let first: Vec<Expr<'_>> = c.first.iter().map(|e| pool.expr(e.id())).collect();
        let n = symbols.len();
        let number = |x: f64| galilei_expr::Rational::from_f64(x).map(|q| pool.number(q));
        let mut found = Composed::default();
        for k in 0..MAX_SAMPLES {
            let mut seed = f64::from(k) * 0.754_877_666 + 0.31;
            let mut next = || {
                seed = (seed * 1.618_033_988_749 + 0.569_840_290_998).fract();
                2.0 * seed - 1.0
            };
            let close = k % 2 == 0 && near.len() == n;
            let point: Vec<f64> = (0..n)
                .map(|i| match close {
                    true => near[i] + 0.2 * next(),
                    false => 2.0 * next(),
                })
                .collect();
            let time = number(0.3 * next())?;
            let at = |list: &[Expr<'_>], point: &[f64]| {
                let mut values = fixed.clone();
                values.push((self.time(), time));
                for (s, x) in symbols.iter().zip(point) {
                    values.push((*s, number(*x)?));
                }
                let numbers = crate::numbers::doubles(pool, list, &values).into_iter();
                let numbers = numbers.collect::<Option<Vec<f64>>>()?;
                numbers.iter().all(|x| x.is_finite()).then_some(numbers)
            };
            let Some(shift) = at(&differences, &point) else {
                continue;
            };
            let size = point.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            let largest = |l: &mut dyn Iterator<Item = f64>| l.fold(0.0_f64, |m, x| m.max(x.abs()));
            let mut off = largest(&mut shift.iter().copied());
            // Angles may come back with full turns: the same point, by the map that is applied first.
            if off > SAME * size {
                let there: Vec<f64> = point.iter().zip(&shift).map(|(x, c)| x + c).collect();
                if let (Some(a), Some(b)) = (at(&first, &point), at(&first, &there)) {
                    off = largest(&mut a.iter().zip(&b).map(|(a, b)| a - b));
                }
            }
            if off <= SAME * size {
                found.agree += 1;
                found.largest = found.largest.max(off);
            } else {
                found.differ += 1;
                if found.witness.is_none() {
                    let pairs = symbols.iter().zip(&point);
                    let at = pairs.map(|(s, x)| format!("{s} = {x:.4}"));
                    found.witness = Some(at.collect::<Vec<_>>().join(", "));
                }
            }
        }
        Some(found)
    }

    /// The positions at the start in the model's coordinates and in those of a chart, where they have numbers there.
    pub fn start_in_charts(&self, chart: &Chart<ExprId>) -> [Vec<f64>; 2] {
        let (Ok(start), Ok(mut values)) = (self.initial_state(), self.parameter_values()) else {
            return [vec![], vec![]];
        };
        let pool = self.pool();
        let numbers = |list: &[Expr<'_>], values: &[(Expr<'_>, Expr<'_>)]| {
            let same: Vec<_> = (values.iter())
                .map(|(a, b)| (pool.expr(a.id()), pool.expr(b.id())))
                .collect();
            let list: Vec<_> = list.iter().map(|e| pool.expr(e.id())).collect();
            let found = crate::numbers::doubles(pool, &list, &same);
            found
                .into_iter()
                .collect::<Option<Vec<f64>>>()
                .unwrap_or_default()
        };
        let x = numbers(&start.position, &[]);
        values.push((self.time(), start.time));
        values.extend(self.positions().into_iter().zip(start.position));
        let y = match &chart.inverse {
            Some(inverse) => numbers(&self.exprs(&inverse.new), &values),
            None => vec![],
        };
        [x, y]
    }

    /// Diagnoses inverses that do not undo their charts.
    pub(crate) fn judge_inverses(&self, out: &mut Vec<Diagnostic>) {
        for chart in &self.contents().charts {
            let (Some(inverse), Some(both)) = (&chart.inverse, self.compositions(chart)) else {
                continue;
            };
            let near = self.start_in_charts(chart);
            for (c, near) in both.iter().zip(&near) {
                let Some(found) = self.compose_at_points(c, near) else {
                    continue;
                };
                if found.agree == 0 && found.differ > 0 {
                    out.push(Diagnostic::error(
                        Code::NotAnInverse,
                        format!(
                            "the inverse of the chart `{}` does not undo it: they differ at {}",
                            chart.name,
                            found.witness.unwrap_or_default()
                        ),
                        "solve the equations of the chart for its coordinates, or leave out `inverse`: it is then computed numerically",
                        inverse.span,
                    ));
                    break;
                }
            }
        }
    }
}
