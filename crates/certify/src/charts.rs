//! Changes of chart along a certified motion: the formulas of a change, applied to an enclosing set. (T-125)
//!
//! The image of a set under a change φ is found as that of a step: φ at the centre with many digits, and the derivatives of φ
//! over the set by the mean value theorem. Where to change is decided by others, by numbers; nothing of the proof rests on it.

use galilei_expr::{Ball, Balls, Enclosures, Expr, ExprId, Function, Interval, Program, View};
use galilei_model::{Chart, Diagnostic, ManifoldKind, Model};

use crate::set::Set;

/// A change of coordinates of states, as a function of time, state and parameters that are intervals.
pub(crate) struct Change {
    value: Program,
    slopes: Program,
    states: usize,
}

impl Change {
    /// The change with the given image; `inputs` are time, state and parameters. `None` if it has kinks or jumps, where the
    /// mean value theorem does not hold.
    fn new<'p>(inputs: &[Expr<'p>], image: &[Expr<'p>]) -> Option<Self> {
        let pool = inputs.first()?.pool();
        if !image.iter().all(|e| is_smooth(*e)) {
            return None;
        }
        let slopes = pool.jacobian(image, &inputs[1..]).concat();
        Some(Self {
            value: Program::new(image, inputs).ok()?,
            slopes: Program::new(&slopes, inputs).ok()?,
            states: image.len(),
        })
    }

    /// The image of a box.
    pub(crate) fn of_box(&self, time: Interval, bounds: &[Interval]) -> Option<Vec<Interval>> {
        let inputs = [&[time], bounds].concat();
        let image = self.value.run(&mut Enclosures::new(), &inputs);
        let mut image: Vec<Interval> = image.into_iter().collect::<Result<_, _>>().ok()?;
        image.extend(&bounds[self.states..]);
        Some(image)
    }

    /// The image of a set.
    pub(crate) fn of_set<const N: usize>(&self, set: &Set<N>) -> Option<Set<N>> {
        let (d, n) = (self.states, set.len());
        let time = set.time.to_interval();
        let mut inputs = vec![set.time];
        inputs.extend(&set.centre);
        let image = self.value.run(&mut Balls::<N>::new(), &inputs);
        let mut image: Vec<Ball<N>> = image.into_iter().collect::<Result<_, _>>().ok()?;
        image.extend(&set.centre[d..]);
        // The segments from the centre to all states lie in this box.
        let around: Vec<Interval> = (set.bounds.iter().zip(&set.centre))
            .map(|(b, c)| b.hull(c.to_interval()))
            .collect();
        let known = self.of_box(time, &around)?;
        let inputs = [&[time], &around[..]].concat();
        let slopes = self.slopes.run(&mut Enclosures::new(), &inputs);
        let mut slopes: Vec<Interval> = slopes.into_iter().collect::<Result<_, _>>().ok()?;
        for i in d..n {
            slopes.extend((0..n).map(|j| Interval::point(f64::from(u8::from(i == j)))));
        }
        set.mapped(set.time, &image, &slopes, &known)
    }
}

/// Whether an expression is differentiable wherever it is defined, as its form shows.
fn is_smooth(e: Expr<'_>) -> bool {
    match e.view() {
        View::Number(_) | View::Pi | View::Symbol(_) => true,
        View::Sum(terms) => terms.into_iter().all(|t| is_smooth(t.1)),
        View::Product(parts) => parts.into_iter().all(|p| is_smooth(p.0)),
        View::Call(f, arguments) => {
            let kinked = matches!(
                f,
                Function::Abs | Function::Sign | Function::Min | Function::Max
            );
            !kinked && arguments.into_iter().all(is_smooth)
        }
        _ => false,
    }
}

/// The changes between the charts of a model, by their numbers: 0 is the chart of the model, others are those that its atlas
/// lists, or those of its ready-made manifolds.
pub(crate) struct Charts<'p> {
    model: &'p Model,
    values: Vec<(Expr<'p>, Expr<'p>)>,
    kept: Vec<Expr<'p>>,
}

impl<'p> Charts<'p> {
    /// The charts of a model in which some parameters stay symbols.
    pub(crate) fn new(model: &'p Model, kept: &[Expr<'p>]) -> Result<Self, Vec<Diagnostic>> {
        Ok(Self {
            model,
            values: model.values_but(kept)?,
            kept: kept.to_vec(),
        })
    }

    /// The model with the coordinates of a chart as its own; `None` for its own chart.
    pub(crate) fn model_in(&self, chart: usize) -> Result<Option<Model>, Vec<Diagnostic>> {
        if chart == 0 {
            return Ok(None);
        }
        match self.listed(chart) {
            Some(found) => self.model.moved_to(found).map(Some).map_err(|d| vec![d]),
            None => Ok(Some(self.model.in_manifold_chart(chart))),
        }
    }

    /// The name of a chart.
    pub(crate) fn name(&self, chart: usize) -> String {
        match (chart, self.listed(chart)) {
            (_, Some(found)) => found.name.clone(),
            (0, None) if self.model.manifolds().is_empty() => "of the model".into(),
            (_, None) => self.model.manifold_chart_name(chart),
        }
    }

    fn listed(&self, chart: usize) -> Option<&'p Chart<ExprId>> {
        let list = self.model.atlas();
        list.into_iter().nth(chart.checked_sub(1)?)
    }

    fn change(&self, inputs: Vec<Expr<'p>>, image: &[Expr<'p>]) -> Option<Change> {
        let pool = self.model.pool();
        let mut inputs = inputs;
        inputs.extend(&self.kept);
        Change::new(&inputs, &pool.substitute_all(image, &self.values))
    }

    fn own_inputs(&self) -> Vec<Expr<'p>> {
        let mut inputs = vec![self.model.time()];
        inputs.extend(self.model.positions());
        inputs.extend(self.model.velocities());
        inputs
    }

    /// The changes from a chart to that of the model, one after the other; `None` if there are no formulas for them.
    pub(crate) fn to_first(&self, chart: usize) -> Option<Vec<Change>> {
        if chart == 0 {
            return Some(vec![]);
        }
        let Some(found) = self.listed(chart) else {
            return Some(vec![self.folded(chart, &[])?]);
        };
        let change = self.model.change_at_own_time(found);
        let space = change.new_state();
        let mut inputs = vec![space.time()];
        inputs.extend(space.base().positions());
        inputs.extend(space.velocities());
        let map = change.map();
        let positions = map.components()[1..].iter().copied();
        let image: Vec<Expr<'p>> = positions.chain(change.velocities()).collect();
        Some(vec![self.change(inputs, &image)?])
    }

    /// The changes from one chart to another at a set, one after the other; `None` if there are no formulas for them.
    pub(crate) fn between<const N: usize>(
        &self,
        from: usize,
        to: usize,
        set: &Set<N>,
    ) -> Option<Vec<Change>> {
        if !self.model.manifolds().is_empty() {
            let rotations = self.model.manifolds().iter();
            let rotations = rotations.filter(|m| m.kind == ManifoldKind::Rotations);
            let square = |first: usize| -> f64 {
                let y = set.centre[first..first + 3].iter().map(Ball::to_f64);
                y.map(|y| y * y).sum()
            };
            // The chart of a rotation has the same equations beyond its unit sphere, mirrored.
            let turned = rotations.map(|m| m.first).filter(|&k| square(k) > 1.0);
            return Some(vec![self.folded(from ^ to, &turned.collect::<Vec<_>>())?]);
        }
        let mut list = self.to_first(from)?;
        if let Some(found) = self.listed(to) {
            let image = self.model.inverse_prolonged(found)?;
            list.push(self.change(self.own_inputs(), &image)?);
        }
        Some(list)
    }

    /// y/|y|² in place of the coordinates of the spheres with these bits, −y/|y|² in place of those of rotations, with their
    /// velocities. (T-10)
    fn folded(&self, bits: usize, rotations: &[usize]) -> Option<Change> {
        let inputs = self.own_inputs();
        let n = self.model.degrees_of_freedom();
        let mut image = inputs[1..].to_vec();
        let spheres = self.model.spheres().filter(|m| bits >> m.bit & 1 == 1);
        let folds = spheres.map(|m| (m.first, 2, 1));
        for (first, count, sign) in folds.chain(rotations.iter().map(|&k| (k, 3, -1))) {
            let pool = self.model.pool();
            let y = image[first..first + count].to_vec();
            let w = image[n + first..n + first + count].to_vec();
            let square = pool.sum(y.iter().map(|y| y.pow(2)));
            let rate = 2 * pool.sum(y.iter().zip(&w).map(|(&y, &w)| y * w)) / square;
            for k in 0..count {
                image[first + k] = sign * y[k] / square;
                image[n + first + k] = sign * (w[k] - rate * y[k]) / square;
            }
        }
        self.change(inputs, &image)
    }
}
