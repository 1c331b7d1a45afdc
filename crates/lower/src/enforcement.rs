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
    let g = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect());
    let g = Factored::new(model, builder, g.collect())?;
    let raised: Vec<Vec<Reg>> = (n..size)
        .map(|a| g.solve(builder, (0..n).map(|i| entry(i, a)).collect()))
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

/// A symmetric matrix as registers: L·D·Lᵀ, the columns of L below the diagonal and the inverses of D.
struct Factored {
    columns: Vec<Vec<(usize, Reg)>>,
    inverses: Vec<Reg>,
}

impl Factored {
    fn new(
        model: &Model,
        builder: &mut Builder,
        mut g: Vec<Vec<Reg>>,
    ) -> Result<Self, Unsupported> {
        let (n, zero) = (g.len(), builder.number(0.0));
        let (mut columns, mut inverses) = (Vec::new(), Vec::new());
        for k in 0..n {
            let inverse = reciprocal(model, builder, k, g[k][k])?;
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
        Ok(Self { columns, inverses })
    }

    fn solve(&self, builder: &mut Builder, mut b: Vec<Reg>) -> Vec<Reg> {
        for (k, column) in self.columns.iter().enumerate() {
            for &(i, l) in column {
                let t = builder.mul(l, b[k]);
                b[i] = builder.sub(b[i], t);
            }
        }
        for k in (0..b.len()).rev() {
            b[k] = builder.mul(b[k], self.inverses[k]);
            for &(i, l) in &self.columns[k] {
                let t = builder.mul(l, b[i]);
                b[k] = builder.sub(b[k], t);
            }
        }
        b
    }
}

/// The register of 1/r.
fn reciprocal(model: &Model, builder: &mut Builder, k: usize, r: Reg) -> Result<Reg, Unsupported> {
    let symbol: Expr<'_> = model.pool().symbol(&format!("pivot#{k}#{r}"));
    builder.define(symbol, r);
    builder.expr(symbol.recip())
}

/// The multipliers as registers: λ = (J·g⁻¹·Cᵀ)⁻¹(d − J·g⁻¹·f). The registers given are the mass matrix, f, and for each of
/// the constraints its row J, its covector C and d. (T-84)
pub(crate) fn multipliers(
    model: &Model,
    builder: &mut Builder,
    list: &[Reg],
    (n, c): (usize, usize),
) -> Result<Vec<Reg>, Unsupported> {
    let (mass, rest) = list.split_at(n * n);
    let (right, rest) = rest.split_at(n);
    let g = Factored::new(
        model,
        builder,
        mass.chunks(n).map(<[Reg]>::to_vec).collect(),
    )?;
    let free = g.solve(builder, right.to_vec());
    let rows: Vec<&[Reg]> = rest.chunks(2 * n + 1).collect();
    let raised: Vec<Vec<Reg>> = rows
        .iter()
        .map(|r| g.solve(builder, r[n..2 * n].to_vec()))
        .collect();
    let zero = builder.number(0.0);
    let product = |builder: &mut Builder, a: &[Reg], b: &[Reg]| {
        let mut sum = zero;
        for (&a, &b) in a.iter().zip(b) {
            let t = builder.mul(a, b);
            sum = builder.add(sum, t);
        }
        sum
    };
    let mut a: Vec<Vec<Reg>> = Vec::with_capacity(c);
    for row in &rows {
        let mut line: Vec<Reg> = raised
            .iter()
            .map(|y| product(builder, &row[..n], y))
            .collect();
        let t = product(builder, &row[..n], &free);
        line.push(builder.sub(row[2 * n], t));
        a.push(line);
    }
    // Gauss without exchanges: the matrix is nearly symmetric and positive.
    let mut inverses = Vec::with_capacity(c);
    for k in 0..c {
        let inverse = reciprocal(model, builder, n + k, a[k][k])?;
        inverses.push(inverse);
        for i in k + 1..c {
            if a[i][k] == zero {
                continue;
            }
            let l = builder.mul(a[i][k], inverse);
            for j in k + 1..=c {
                let t = builder.mul(l, a[k][j]);
                a[i][j] = builder.sub(a[i][j], t);
            }
        }
    }
    let mut found = vec![zero; c];
    for k in (0..c).rev() {
        let mut sum = a[k][c];
        for j in k + 1..c {
            let t = builder.mul(a[k][j], found[j]);
            sum = builder.sub(sum, t);
        }
        found[k] = builder.mul(sum, inverses[k]);
    }
    Ok(found)
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
