//! Building blocks for expressions in a basis: forms, vector fields, linear combinations.

use super::Layout;

impl Layout {
    /// dθ ∧ dt and longer; a single factor stays as it is.
    pub fn wedge(factors: impl IntoIterator<Item = Layout>) -> Self {
        let mut list: Vec<Layout> = factors.into_iter().collect();
        match list.len() {
            1 => list.remove(0),
            _ => Self::Wedge(list),
        }
    }

    /// Σ coefficient·basis: coefficients 1 and −1 disappear, signs move between the terms, and
    /// sums are put in parentheses. An empty combination is 0.
    ///
    /// ```
    /// use galilei_expr::{Layout, Plain, Pool};
    /// let pool = Pool::new();
    /// let [m, u] = pool.symbols(["m", "u"]);
    /// let d = |x: &str| Layout::name(x).differential();
    /// let form = Layout::combination([
    ///     (m.layout(&Plain), Layout::wedge([d("u"), d("x")])),
    ///     ((-m * u).layout(&Plain), Layout::wedge([d("u"), d("t")])),
    /// ]);
    /// assert_eq!(form.to_text(), "m du ∧ dx − m u du ∧ dt");
    /// ```
    pub fn combination(terms: impl IntoIterator<Item = (Layout, Layout)>) -> Self {
        let mut list = Vec::new();
        for (coefficient, basis) in terms {
            let (negative, coefficient) = match coefficient {
                Self::Sum(mut one) if one.len() == 1 => one.remove(0),
                c => (false, c),
            };
            let term = match coefficient {
                Self::Number(n) if n == "0" => continue,
                Self::Number(n) if n == "1" => basis,
                Self::Product(mut factors) => {
                    factors.push(basis);
                    Self::Product(factors)
                }
                c => Self::Product(vec![c, basis]),
            };
            list.push((negative, term));
        }
        match list.len() {
            0 => Self::Number("0".into()),
            1 if !list[0].0 => list.remove(0).1,
            _ => Self::Sum(list),
        }
    }
}
