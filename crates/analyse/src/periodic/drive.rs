//! The period of a drive, and how it depends on parameters.

use galilei_expr::{Expr, Function, View, subexpressions};
use galilei_model::{Code, Diagnostic, Model};

use super::{Along, Shooting};
use crate::flow::Flow;
use crate::setting::refused;

/// The rate of a drive in a model with other values of its parameters.
fn rate_at(rate: Expr<'_>, model: &Model) -> Option<f64> {
    let pool = rate.pool();
    let values = model.parameter_values().ok()?;
    let values: Vec<(Expr<'_>, Expr<'_>)> = values
        .iter()
        .map(|(s, v)| (pool.expr(s.id()), pool.expr(v.id())))
        .collect();
    let now = pool.expr(rate.id()).substitute(&values).evaluate_f64(&[]);
    (now.is_finite() && now != 0.0).then_some(now)
}

/// Whether the equations are the same a period later, at some random states.
fn repeats(s: &crate::setting::Setting<'_>, period: f64) -> bool {
    let mut all = s.equations();
    all.extend(s.rows.iter().filter_map(|r| r.residual));
    all.extend(s.contact_formulas());
    let symbols = [&s.state_symbols()[..], &s.a].concat();
    let Ok(program) = galilei_expr::Program::new(&all, &symbols) else {
        return true;
    };
    let mut random = crate::eigen::Random::new(23);
    (0..6).all(|_| {
        let point: Vec<f64> = symbols.iter().map(|_| 0.1 + random.unit()).collect();
        let mut later = point.clone();
        later[0] += period;
        let (a, b) = (program.f64(&point), program.f64(&later));
        let size = a.iter().fold(1e-300_f64, |m, x| m.max(x.abs()));
        !a.iter().zip(&b).any(|(a, b)| (a - b).abs() > 1e-6 * size)
    })
}

impl<'m> Shooting<'m> {
    /// Finds how the drive's rate depends on parameters, and the period of the drive that is meant: the given one, up to
    /// rounding, or the given one at the value that the varied parameter has in the model. Others are refused.
    pub(super) fn find_drive(
        &mut self,
        flow: &Flow<'m>,
        given: &Model,
    ) -> Result<(), Vec<Diagnostic>> {
        // The drive's phase, with parameters as symbols.
        let contents = self.model.contents();
        let open: Vec<Expr<'m>> = contents
            .parameters
            .iter()
            .map(|p| self.model.expr(p.symbol))
            .collect();
        let setting = crate::setting::Setting::new(self.model, &open)?;
        let mut formulas = setting.equations();
        formulas.extend(setting.rows.iter().filter_map(|r| r.residual));
        formulas.extend(setting.contact_formulas());
        let state = [&setting.x[..], &setting.u, &setting.a].concat();
        let phases = subexpressions(formulas)
            .into_iter()
            .filter_map(|e| match e.view() {
                View::Call(Function::Sin | Function::Cos, arguments) => {
                    let rate = arguments[0].diff(setting.time);
                    let steady = !rate.contains_any(&state) && !rate.contains(setting.time);
                    (steady && !rate.is_zero()).then_some(rate)
                }
                _ => None,
            });
        self.drive = phases.into_iter().next();
        let wanted = self.period;
        let mut candidates = vec![wanted];
        if let Some(rate) = self.drive {
            self.rate = rate_at(rate, self.model).unwrap_or(0.0);
            let turn = std::f64::consts::TAU / self.rate.abs();
            // A period that was rounded when it was written.
            let exact = |period: f64| turn * (period / turn).round();
            let rounded = |period: f64| (exact(period) - period).abs() <= 1e-5 * period;
            if turn.is_finite() && rounded(wanted) {
                candidates.insert(0, exact(wanted));
            }
            let own = wanted * rate_at(rate, given).unwrap_or(0.0).abs() / self.rate.abs();
            if turn.is_finite() && rounded(own) {
                candidates.push(exact(own));
            }
        }
        let found = candidates
            .into_iter()
            .find(|&period| period > 0.0 && repeats(&flow.setting, period));
        let Some(period) = found else {
            return Err(refused(
                Code::WrongSetting,
                format!("the system depends on time, and {wanted} is not a period of it"),
                "a driven system wants a multiple of the period of its drive, such as 2π/w for cos(w*t)",
            ));
        };
        self.period = period;
        // The period must stay one along the family.
        if let (Some((name, _, last)), Along::Parameter) = (&self.search.vary, self.along)
            && let Some(changed) = self.model.with_parameter(name, *last)
            && let Some(later) = self.driven_period(Some(*last))
            && let Ok(setting) = crate::setting::Setting::new(&changed, &[])
            && !repeats(&setting, later)
        {
            return Err(refused(
                Code::WrongSetting,
                format!(
                    "at {name} = {last} the system does not repeat itself after {later}, as the drive at the start of the family does"
                ),
                "follow a parameter that does not change the rate of one of several drives",
            ));
        }
        Ok(())
    }

    /// The period of a driven system at a value of the parameter.
    pub(crate) fn driven_period(&self, parameter: Option<f64>) -> Option<f64> {
        if self.autonomous {
            return None;
        }
        let period = self.period;
        let (Some(rate), Some((name, _, _)), Some(value)) =
            (self.drive, &self.search.vary, parameter)
        else {
            return Some(period);
        };
        let changed = self.model.with_parameter(name, value)?;
        let now = rate_at(rate, &changed)?;
        Some(period * self.rate / now)
    }
}
