//! Sums with fewer products.

use galilei_expr::{Expr, View};

/// The largest number of terms of a sum that is factored.
const MAX_FACTORED_TERMS: usize = 100;

/// The sum with the factors taken out that several of its terms share. In a series each product costs a sum over all
/// orders; an addition costs next to nothing.
pub(crate) fn factored(e: Expr<'_>) -> Expr<'_> {
    let pool = e.pool();
    let terms = match e.view() {
        View::Sum(terms) if terms.len() <= MAX_FACTORED_TERMS => terms,
        _ => return e,
    };
    let products: Vec<Vec<Expr<'_>>> = terms.iter().map(|(_, t)| plain_factors(*t)).collect();
    let count = |f: Expr<'_>| products.iter().filter(|list| list.contains(&f)).count();
    // The first of those that most terms share.
    let most = products
        .iter()
        .flatten()
        .rev()
        .max_by_key(|f| count(**f))
        .filter(|f| count(**f) > 1);
    let Some(&shared) = most else {
        return e;
    };
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for ((c, term), list) in terms.iter().zip(&products) {
        let c = pool.number(c.clone());
        match list.contains(&shared) {
            true => inside.push(c * without(*term, shared)),
            false => outside.push(c * *term),
        }
    }
    // Now it has fewer terms.
    factored(shared * factored(pool.sum(inside)) + pool.sum(outside))
}

/// The factors of a product that are no powers; none of what is no product.
fn plain_factors(e: Expr<'_>) -> Vec<Expr<'_>> {
    match e.view() {
        View::Product(factors) => {
            let plain = factors.into_iter().filter(|(_, q)| q.to_i64() == Some(1));
            plain.map(|(f, _)| f).collect()
        }
        _ => vec![],
    }
}

/// A product without one of its factors.
fn without<'p>(e: Expr<'p>, factor: Expr<'p>) -> Expr<'p> {
    let View::Product(factors) = e.view() else {
        return e;
    };
    let rest = factors.into_iter().filter(|(f, _)| *f != factor);
    let pool = e.pool();
    pool.product(rest.map(|(f, q)| f.pow(pool.number(q))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use galilei_expr::{Pool, Verdict};

    /// The number of products of two factors that are no numbers.
    fn products(e: Expr<'_>) -> usize {
        match e.view() {
            View::Sum(terms) => terms.iter().map(|(_, t)| products(*t)).sum(),
            View::Product(factors) => {
                let own: usize = factors.iter().map(|(f, _)| products(*f)).sum();
                own + factors.len() - 1
            }
            _ => 0,
        }
    }

    #[test]
    fn shared_factors_are_multiplied_once() {
        let pool = Pool::new();
        let [a, b, c, x, y] = pool.symbols(["a", "b", "c", "x", "y"]);
        let cases = [
            (x * a * 3 + x * b + y * c, 2),
            (x * a + x * b + y * a * 2 + y * b * 2, 1),
            (x * a + x.pow(2) * b, 2),
            (x * y * a + x * y * b + x * c, 2),
            (a + x * b, 1),
            (a.sin() * x + a.sin() * (b + y), 1),
        ];
        for (e, expected) in cases {
            let f = factored(e);
            assert_eq!(products(f), expected, "{e} → {f}");
            assert!(products(f) <= products(e));
            let same = matches!(e.decide_equal(f), Verdict::Proved(_));
            assert!(same, "{e} → {f}");
        }
    }
}
