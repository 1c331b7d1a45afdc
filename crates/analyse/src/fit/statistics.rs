//! Standard errors, covariance and identifiability of what was found, in numbers and in words.

use galilei_model::{Code, Diagnostic};
use nalgebra::{DMatrix, DVector};

use super::comparison::Comparison;
use super::search::Found;
use super::{Fit, Fitted};

/// Singular values below this part of the largest, of derivatives by relative changes, count as zero. Derivatives are as good
/// as the tolerance of runs, 10⁻¹⁰ and better.
const UNDETERMINED_PART: f64 = 1e-7;
/// Components of a direction that are named, relative to the largest.
const NAMED_PART: f64 = 1e-3;

/// A number of percent for a sentence.
fn percent(x: f64) -> String {
    let text = format!("{:.3}", x.abs());
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} %")
}

/// A direction in which the data do not change, in words: relative changes of the unknowns.
fn in_words(names: &[String], values: &DVector<f64>, sizes: &[f64], direction: &[f64]) -> String {
    let largest = direction.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut parts: Vec<(usize, f64)> = (direction.iter().enumerate())
        .map(|(k, x)| (k, x / largest))
        .filter(|(_, x)| x.abs() > NAMED_PART)
        .collect();
    let sign = parts.first().map_or(1.0, |p| p.1.signum());
    parts.iter_mut().for_each(|p| p.1 *= sign);
    let list: Vec<String> = parts
        .iter()
        .map(|(k, _)| format!("`{}`", names[*k]))
        .collect();
    if let [only] = &list[..] {
        return format!("{only} has no influence on the measured outputs");
    }
    let changes: Vec<String> = (parts.iter())
        .map(|(k, x)| {
            let name = &names[*k];
            let verb = if *x > 0.0 { "raising" } else { "lowering" };
            match values[*k].abs() < 0.5 * sizes[*k] {
                true => format!("{verb} `{name}` by {:.3e}", 0.01 * x.abs() * sizes[*k]),
                false => format!("{verb} `{name}` by {}", percent(*x)),
            }
        })
        .collect();
    format!(
        "{} only in combination: {} changes nothing that was measured",
        list.join(" and "),
        changes.join(" and ")
    )
}

/// The statistics of a search.
pub(super) fn judged(comparison: &Comparison<'_>, found: &Found, bounds: &[(f64, f64)]) -> Fit {
    let (x, residuals, jacobian) = (&found.unknowns, &found.residuals, &found.jacobian);
    let (iterations, converged) = (found.iterations, found.converged);
    let (count, q) = jacobian.shape();
    let squares = residuals.norm_squared();
    // Derivatives by relative changes.
    let sizes = comparison.sizes(x);
    let size = |c: usize| sizes[c];
    let relative = DMatrix::from_fn(count, q, |i, c| jacobian[(i, c)] * size(c));
    let norms: Vec<f64> = (0..q).map(|c| relative.column(c).norm()).collect();
    let strongest = norms.iter().fold(0.0_f64, |m, x| m.max(*x));
    let svd = relative.svd(false, true);
    let rows = svd.v_t.unwrap_or_else(|| DMatrix::identity(q, q));
    let largest = svd.singular_values.iter().fold(0.0_f64, |m, s| m.max(*s));
    let weak: Vec<usize> = (0..q)
        .filter(|&k| {
            svd.singular_values.get(k).copied().unwrap_or(0.0) <= UNDETERMINED_PART * largest
        })
        .collect();
    let mut lost = vec![false; q];
    let mut undetermined: Vec<String> = Vec::new();
    let simple: Vec<usize> = (0..q).filter(|&c| norms[c] <= 1e-9 * strongest).collect();
    for &c in &simple {
        lost[c] = true;
        undetermined.push(format!(
            "`{}` has no influence on the measured outputs",
            comparison.names[c]
        ));
    }
    for &k in &weak {
        let direction: Vec<f64> = rows.row(k).iter().copied().collect();
        let top = direction.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let named: Vec<usize> = (0..q)
            .filter(|&c| direction[c].abs() > NAMED_PART * top)
            .collect();
        named.iter().for_each(|&c| lost[c] = true);
        if !named.iter().all(|c| simple.contains(c)) {
            undetermined.push(in_words(&comparison.names, x, &sizes, &direction));
        }
    }
    // σ²(JᵀJ)⁻¹ through the singular values that count.
    let free = count.saturating_sub(q);
    let variance = (free > 0).then(|| squares / free as f64);
    let entry = |a: usize, b: usize| -> Option<f64> {
        if lost[a] || lost[b] {
            return None;
        }
        let sum: f64 = (0..q)
            .filter(|k| !weak.contains(k))
            .map(|k| rows[(k, a)] * rows[(k, b)] / svd.singular_values[k].powi(2))
            .sum();
        Some(variance? * sum * size(a) * size(b))
    };
    let covariance: Vec<Vec<Option<f64>>> = (0..q)
        .map(|a| (0..q).map(|b| entry(a, b)).collect())
        .collect();
    let mut warnings = Vec::new();
    for (c, (low, high)) in bounds.iter().enumerate() {
        if low < high && (x[c] <= *low || x[c] >= *high) {
            warnings.push(Diagnostic::warning(
                Code::ParameterAtBound,
                format!("`{}` = {:?} is at its bound", comparison.names[c], x[c]),
                "the data would have it beyond; its standard error does not count",
                None,
            ));
        }
    }
    if !converged {
        warnings.push(Diagnostic::warning(
            Code::FitNotConverged,
            format!("the search did not converge in {iterations} iterations"),
            "choose values nearer to the data to start from, or several starts",
            None,
        ));
    }
    let residuals_list = comparison.compared(residuals);
    Fit {
        parameters: (0..q)
            .map(|c| Fitted {
                name: comparison.names[c].clone(),
                value: x[c],
                standard_error: covariance[c][c].map(|v| v.max(0.0).sqrt()),
            })
            .collect(),
        residual_rms: (squares / count as f64).sqrt(),
        iterations,
        converged,
        covariance,
        identifiable: undetermined.is_empty(),
        undetermined,
        count,
        residuals: residuals_list,
        output_names: vec![],
        profiles: vec![],
        warnings,
    }
}
