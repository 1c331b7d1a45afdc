//! Where constraints cease to feel reactions that are not ideal.

use galilei_expr::Expr;
use galilei_model::Model;
use galilei_tape::{Builder, Rates, Reg, Unsupported};

/// The largest number of degrees of freedom for which the determinant is watched.
const MAX_DEGREES: usize = 24;
/// The largest number of constraints for which the determinant is watched: it is expanded by minors.
const MAX_CONSTRAINTS: usize = 4;

/// det J·g⁻¹·Cᵀ with the covectors C of the reactions, which vanishes where these cannot enforce the constraints. Beyond such a
/// point multipliers are not determined, and a motion that arrives there is not unique. `None` for ideal reactions, and for
/// systems that are too large. (T-83)
pub(crate) fn determinant(
    model: &Model,
    builder: &mut Builder,
    rates: &Rates,
) -> Result<Option<Reg>, Unsupported> {
    let (n, size) = (rates.dimension, rates.unknowns);
    let c = size - n;
    if !rates.asymmetric || n > MAX_DEGREES || c > MAX_CONSTRAINTS {
        return Ok(None);
    }
    let entry = |i: usize, j: usize| rates.matrix[i * size + j];
    let zero = builder.number(0.0);
    let recip = |builder: &mut Builder, k: usize, r: Reg| {
        let symbol: Expr<'_> = model.pool().symbol(&format!("pivot#{k}"));
        builder.define(symbol, r);
        builder.expr(symbol.recip())
    };
    // g = L·D·Lᵀ, the columns of L below the diagonal.
    let mut g: Vec<Vec<Reg>> = (0..n)
        .map(|i| (0..n).map(|j| entry(i, j)).collect())
        .collect();
    let (mut columns, mut inverses) = (Vec::new(), Vec::new());
    for k in 0..n {
        let inverse = recip(builder, k, g[k][k])?;
        let column: Vec<(usize, Reg)> = (k + 1..n)
            .filter(|&i| g[i][k] != zero)
            .map(|i| (i, builder.mul(g[i][k], inverse)))
            .collect();
        for &(i, l) in &column {
            for j in k + 1..n {
                if g[k][j] != zero {
                    let t = builder.mul(l, g[k][j]);
                    g[i][j] = builder.sub(g[i][j], t);
                }
            }
        }
        columns.push(column);
        inverses.push(inverse);
    }
    let solve = |builder: &mut Builder, mut b: Vec<Reg>| {
        for (k, column) in columns.iter().enumerate() {
            for &(i, l) in column {
                let t = builder.mul(l, b[k]);
                b[i] = builder.sub(b[i], t);
            }
        }
        for k in (0..n).rev() {
            b[k] = builder.mul(b[k], inverses[k]);
            for &(i, l) in &columns[k] {
                let t = builder.mul(l, b[i]);
                b[k] = builder.sub(b[k], t);
            }
        }
        b
    };
    let raised: Vec<Vec<Reg>> = (n..size)
        .map(|a| solve(builder, (0..n).map(|i| entry(i, a)).collect()))
        .collect();
    let mut small = Vec::with_capacity(c);
    for a in n..size {
        let mut row = Vec::with_capacity(c);
        for y in &raised {
            let mut sum = zero;
            for (i, &y) in y.iter().enumerate() {
                let t = builder.mul(entry(a, i), y);
                sum = builder.add(sum, t);
            }
            row.push(sum);
        }
        small.push(row);
    }
    let all: Vec<usize> = (0..c).collect();
    Ok(Some(minor(builder, &small, &all, zero)))
}

/// The determinant of the last rows of a matrix in some columns, expanded along the first of these rows.
fn minor(builder: &mut Builder, rows: &[Vec<Reg>], columns: &[usize], zero: Reg) -> Reg {
    let Some((first, rest)) = rows.split_first() else {
        return builder.number(1.0);
    };
    let mut sum = zero;
    for (k, &column) in columns.iter().enumerate() {
        if first[column] == zero {
            continue;
        }
        let others: Vec<usize> = columns.iter().copied().filter(|&c| c != column).collect();
        let below = minor(builder, rest, &others, zero);
        let term = builder.mul(first[column], below);
        sum = match k % 2 {
            0 => builder.add(sum, term),
            _ => builder.sub(sum, term),
        };
    }
    sum
}
