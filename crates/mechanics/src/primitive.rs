//! Functions whose differential is a given closed one-form.

use galilei_expr::Expr;
use galilei_geometry::{Form, Homotopy};

/// A function h with dh = α, for a one-form that is known to be closed, if integration along rays from 0 or from 1, or
/// along one coordinate alone, finds one in closed form. Proved by differentiation.
pub(crate) fn primitive<'p>(alpha: &Form<'p>) -> Option<Expr<'p>> {
    let chart = alpha.chart();
    let (pool, n) = (chart.pool(), chart.dimension());
    let radial = |c: Expr<'p>| Homotopy::radial(chart, vec![c; n]);
    let alone = |k: usize| {
        let moving = (0..n).map(|i| i == k).collect();
        Homotopy::partial(chart, vec![pool.zero(); n], moving)
    };
    let ways = [radial(pool.zero()), radial(pool.one())].into_iter();
    ways.chain((0..n).map(alone)).find_map(|homotopy| {
        let found = homotopy.contract(alpha);
        let h = found.form.component(&[]);
        if !found.closed_form || h.is_undefined() {
            return None;
        }
        let d = Form::function(chart, h).d();
        d.decide_equal(alpha).is_proved().then_some(h)
    })
}
