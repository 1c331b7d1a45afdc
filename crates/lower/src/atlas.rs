//! From a model with an atlas to the problems of its charts. (T-125)

use std::sync::Arc;

use galilei_expr::Expr;
use galilei_model::{Diagnostic, ManifoldKind, Model};
use galilei_tape::Tape;

use crate::equations::Form;
use crate::lowering::{Lowered, Lowering, Parameters, lower, no_numbers};

/// A chart of an atlas in numbers.
#[derive(Clone, Debug)]
pub struct LoweredChart {
    /// Its name; empty for the chart of the model.
    pub name: String,
    /// The equations of motion in it, and names.
    pub lowered: Lowered,
    /// gᵢⱼ for i ≤ j, then ∂ₖgᵢⱼ for each k, as functions of (t, y, w); `None` for ready-made manifolds, whose
    /// coordinates tell by themselves how good they are.
    pub metric: Option<Arc<Tape>>,
    /// (x, u) of the model's chart as a function of (t, y, w); `None` for that chart.
    pub shown: Option<Arc<Tape>>,
    /// (y, w) as a function of (t, x, u), where the file gives the inverse.
    pub inverse: Option<Arc<Tape>>,
    /// The derivatives of what is shown by (y, w) and by the differentiated parameters, row by row, as a function of
    /// (t, y, w); `None` where nothing is differentiated.
    pub tangent: Option<Arc<Tape>>,
    /// X(t, y), ∂X/∂t and the rows of ∂X/∂y as functions of (t, y).
    pub jacobian: Option<Arc<Tape>>,
}

impl LoweredChart {
    /// The chart with numbers for the parameters that are inputs: see [`Parameters::Inputs`].
    #[must_use]
    pub fn with_fixed(&self, values: &[f64]) -> Self {
        let close = |t: &Option<Arc<Tape>>| t.as_ref().map(|t| Arc::new(t.with_fixed(values)));
        Self {
            name: self.name.clone(),
            lowered: self.lowered.with_fixed(values),
            metric: close(&self.metric),
            shown: close(&self.shown),
            inverse: close(&self.inverse),
            tangent: close(&self.tangent),
            jacobian: close(&self.jacobian),
        }
    }
}

/// Lowers the motion of a model in all charts of its atlas: the model's own, which is lowered already, and then those
/// that the file lists. Empty without an atlas.
///
/// # Errors
/// Where something in a chart has no numbers.
pub fn lower_atlas<'p>(
    model: &'p Model,
    form: Form,
    parameters: Parameters<'_, 'p>,
    own: &Lowered,
) -> Result<Vec<LoweredChart>, Vec<Diagnostic>> {
    if !model.manifolds().is_empty() {
        return lower_manifold_charts(model, form, parameters, own);
    }
    let atlas = model.atlas();
    if atlas.is_empty() {
        return Ok(vec![]);
    }
    let first = Lowering::new(model, parameters)?;
    let mut charts = vec![LoweredChart {
        name: String::new(),
        lowered: own.clone(),
        metric: Some(metric(&first)?),
        shown: None,
        inverse: None,
        tangent: None,
        jacobian: None,
    }];
    for chart in atlas {
        let moved = model.moved_to(chart).map_err(|d| vec![d])?;
        let lowered = lower(&moved, form, parameters)?;
        let lowering = Lowering::new(&moved, parameters)?;
        let change = model.change_at_own_time(chart);
        let space = change.new_state();
        let (x, u) = (change.map(), change.velocities());
        let shown: Vec<Expr<'_>> = x.components()[1..].iter().copied().chain(u).collect();
        let inverse = match model.inverse_prolonged(chart) {
            Some(list) => Some(code(&first, &first.inputs(), &list)?),
            None => None,
        };
        let jacobian = match inverse {
            Some(_) => None,
            None => {
                let positions = &x.components()[1..];
                let mut list = positions.to_vec();
                list.extend(positions.iter().map(|x| x.diff(space.time())));
                list.extend(change.jacobian().rows().iter().flatten());
                let mut inputs = vec![space.time()];
                inputs.extend(space.base().positions());
                Some(code(&first, &inputs, &list)?)
            }
        };
        charts.push(LoweredChart {
            name: chart.name.clone(),
            metric: Some(metric(&lowering)?),
            tangent: match parameters {
                Parameters::Differentiated(by) => {
                    let mut symbols = space.base().positions().to_vec();
                    symbols.extend(space.velocities());
                    symbols.extend(by);
                    let rows = shown
                        .iter()
                        .flat_map(|e| symbols.iter().map(|s| e.diff(*s)));
                    let rows: Vec<Expr<'_>> = rows.collect();
                    Some(numeric(
                        &lowering.inputs(),
                        &model.parameter_values()?,
                        &first,
                        &rows,
                    )?)
                }
                _ => None,
            },
            shown: Some(code(&first, &lowering.inputs(), &shown)?),
            inverse,
            jacobian,
            lowered,
        });
    }
    Ok(charts)
}

/// Lowers the motion in all charts of the ready-made manifolds of a model.
fn lower_manifold_charts<'p>(
    model: &'p Model,
    form: Form,
    parameters: Parameters<'_, 'p>,
    own: &Lowered,
) -> Result<Vec<LoweredChart>, Vec<Diagnostic>> {
    let one = |m: &galilei_model::Manifold| m.kind == ManifoldKind::Circle;
    if model.manifolds().iter().all(one) {
        return Ok(vec![]);
    }
    let mut charts = vec![LoweredChart {
        name: model.manifold_chart_name(0),
        lowered: own.clone(),
        metric: None,
        shown: None,
        inverse: None,
        tangent: None,
        jacobian: None,
    }];
    let first = Lowering::new(model, parameters)?;
    for bits in 1..model.manifold_chart_count() {
        let other = model.in_manifold_chart(bits);
        // Symbols are those of the pool that both models share.
        let lowered = lower(&other, form, parameters)?;
        let inputs = first.inputs();
        let n = model.degrees_of_freedom();
        let mut shown = inputs[1..=2 * n].to_vec();
        for m in model.spheres().filter(|m| bits >> m.bit & 1 == 1) {
            invert(&mut shown, n, m.first);
        }
        charts.push(LoweredChart {
            name: model.manifold_chart_name(bits),
            lowered,
            metric: None,
            shown: Some(code(&first, &inputs, &shown)?),
            inverse: None,
            tangent: None,
            jacobian: None,
        });
    }
    Ok(charts)
}

/// y/|y|² in place of two coordinates, and the velocities of it. (T-10)
fn invert(state: &mut [Expr<'_>], n: usize, first: usize) {
    let (y, w) = (
        [state[first], state[first + 1]],
        [state[n + first], state[n + first + 1]],
    );
    let square = y[0].pow(2) + y[1].pow(2);
    let rate = 2 * (y[0] * w[0] + y[1] * w[1]) / square;
    for k in 0..2 {
        state[first + k] = y[k] / square;
        state[n + first + k] = (w[k] - rate * y[k]) / square;
    }
}

/// Expressions with numbers for all parameters, as code.
fn numeric<'p>(
    inputs: &[Expr<'p>],
    values: &[(Expr<'p>, Expr<'p>)],
    lowering: &Lowering<'_, 'p>,
    list: &[Expr<'p>],
) -> Result<Arc<Tape>, Vec<Diagnostic>> {
    let list: Vec<Expr<'p>> = list.iter().map(|e| e.substitute(values)).collect();
    let tape = lowering.tape(inputs, &list);
    tape.map(Arc::new).map_err(|why| no_numbers(&why))
}

/// Expressions with numbers for parameters, as code.
fn code<'p>(
    lowering: &Lowering<'_, 'p>,
    inputs: &[Expr<'p>],
    list: &[Expr<'p>],
) -> Result<Arc<Tape>, Vec<Diagnostic>> {
    let list = lowering.with_values(list);
    let tape = lowering.tape(inputs, &list);
    tape.map(Arc::new).map_err(|why| no_numbers(&why))
}

/// The metric and its derivatives by the positions.
fn metric(lowering: &Lowering<'_, '_>) -> Result<Arc<Tape>, Vec<Diagnostic>> {
    let state = lowering.state();
    let g = lowering.system.lagrangian().mass_matrix();
    let n = state.degrees_of_freedom();
    let mut triangle: Vec<Expr<'_>> = Vec::new();
    for i in 0..n {
        triangle.extend(&g.rows()[i][i..]);
    }
    let mut list = triangle.clone();
    for &x in state.base().positions() {
        list.extend(triangle.iter().map(|e| e.diff(x)));
    }
    code(lowering, &lowering.inputs(), &list)
}
