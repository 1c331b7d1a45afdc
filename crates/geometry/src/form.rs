//! Differential forms of any degree.

use std::collections::BTreeMap;
use std::fmt;

use galilei_expr::{Expr, Verdict};

use crate::chart::Chart;
use crate::vector::VectorField;
use crate::verdict::decide_all_zero;

/// A k-form Σ ω_I dx^I over strictly increasing index lists I, only non-zero coefficients stored.
///
/// A function is a form of degree 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form<'p> {
    chart: Chart<'p>,
    degree: usize,
    terms: BTreeMap<Vec<u16>, Expr<'p>>,
}

impl<'p> Form<'p> {
    /// The zero form of a degree.
    pub fn zero(chart: &Chart<'p>, degree: usize) -> Self {
        Self {
            chart: chart.clone(),
            degree,
            terms: BTreeMap::new(),
        }
    }

    /// A function as a form of degree 0.
    pub fn function(chart: &Chart<'p>, f: Expr<'p>) -> Self {
        let mut form = Self::zero(chart, 0);
        form.add_term(vec![], f);
        form
    }

    /// The one-form Σ αₖ dxᵏ.
    pub fn one_form(chart: &Chart<'p>, components: &[Expr<'p>]) -> Self {
        assert_eq!(
            components.len(),
            chart.dimension(),
            "components of a one-form"
        );
        let mut form = Self::zero(chart, 1);
        for (k, &c) in components.iter().enumerate() {
            form.add_term(vec![k as u16], c);
        }
        form
    }

    /// dx^{i₁}∧…∧dx^{iₖ}, for indices in any order.
    pub(crate) fn basis(chart: &Chart<'p>, indices: &[usize]) -> Self {
        Self::from_terms(
            chart,
            indices.len(),
            [(indices.to_vec(), chart.pool().one())],
        )
    }

    /// Σ c·dx^{i₁}∧…∧dx^{iₖ}; indices in any order, antisymmetry does the rest.
    ///
    /// # Panics
    /// If an index list has not the degree's length or an index is out of range.
    pub fn from_terms(
        chart: &Chart<'p>,
        degree: usize,
        terms: impl IntoIterator<Item = (Vec<usize>, Expr<'p>)>,
    ) -> Self {
        let mut form = Self::zero(chart, degree);
        for (indices, c) in terms {
            assert_eq!(indices.len(), degree, "indices of a {degree}-form");
            assert!(
                indices.iter().all(|&i| i < chart.dimension()),
                "an index out of range"
            );
            let list: Vec<u16> = indices.iter().map(|&i| i as u16).collect();
            if let Some((sorted, even)) = sort(list) {
                form.add_term(sorted, if even { c } else { -c });
            }
        }
        form
    }

    fn add_term(&mut self, indices: Vec<u16>, c: Expr<'p>) {
        if c.is_zero() {
            return;
        }
        match self.terms.entry(indices) {
            std::collections::btree_map::Entry::Vacant(e) => {
                e.insert(c);
            }
            std::collections::btree_map::Entry::Occupied(mut e) => {
                let sum = *e.get() + c;
                if sum.is_zero() {
                    e.remove();
                } else {
                    e.insert(sum);
                }
            }
        }
    }

    /// The form whose coefficients are sums of given parts.
    fn collect(chart: &Chart<'p>, degree: usize, parts: BTreeMap<Vec<u16>, Vec<Expr<'p>>>) -> Self {
        let mut form = Self::zero(chart, degree);
        for (indices, list) in parts {
            let c = match list.as_slice() {
                [one] => *one,
                many => chart.pool().sum(many.iter().copied()),
            };
            form.add_term(indices, c);
        }
        form
    }

    /// The chart.
    pub fn chart(&self) -> &Chart<'p> {
        &self.chart
    }

    /// The degree.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// The stored terms: strictly increasing indices and their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (Vec<usize>, Expr<'p>)> {
        self.terms
            .iter()
            .map(|(i, &c)| (i.iter().map(|&k| k as usize).collect(), c))
    }

    /// ω(∂_{i₁}, …, ∂_{iₖ}), for indices in any order.
    pub fn component(&self, indices: &[usize]) -> Expr<'p> {
        assert_eq!(
            indices.len(),
            self.degree,
            "indices of a {}-form",
            self.degree
        );
        let list: Vec<u16> = indices.iter().map(|&i| i as u16).collect();
        match sort(list) {
            None => self.chart.zero(),
            Some((sorted, even)) => {
                let c = self
                    .terms
                    .get(&sorted)
                    .copied()
                    .unwrap_or(self.chart.zero());
                if even { c } else { -c }
            }
        }
    }

    fn assert_same_kind(&self, other: &Self) {
        self.chart.assert_same(&other.chart);
        assert_eq!(
            self.degree, other.degree,
            "forms of different degrees were added"
        );
    }

    fn map(&self, f: impl Fn(Expr<'p>) -> Expr<'p>) -> Self {
        let mut form = Self::zero(&self.chart, self.degree);
        for (i, &c) in &self.terms {
            form.add_term(i.clone(), f(c));
        }
        form
    }

    /// ω + η
    pub fn plus(&self, other: &Self) -> Self {
        self.assert_same_kind(other);
        let mut sum = self.clone();
        for (i, &c) in &other.terms {
            sum.add_term(i.clone(), c);
        }
        sum
    }

    /// ω − η
    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negated())
    }

    /// −ω
    pub fn negated(&self) -> Self {
        self.map(|c| -c)
    }

    /// f·ω
    pub fn scaled(&self, f: Expr<'p>) -> Self {
        self.map(|c| f * c)
    }

    /// ω∧η
    pub fn wedge(&self, other: &Self) -> Self {
        self.chart.assert_same(&other.chart);
        let mut parts: BTreeMap<Vec<u16>, Vec<Expr<'p>>> = BTreeMap::new();
        for (i, &c) in &self.terms {
            for (j, &d) in &other.terms {
                if let Some((indices, even)) = merge(i, j) {
                    let product = c * d;
                    parts
                        .entry(indices)
                        .or_default()
                        .push(if even { product } else { -product });
                }
            }
        }
        Self::collect(&self.chart, self.degree + other.degree, parts)
    }

    /// dω, differentiating each coefficient only by the coordinates it depends on.
    pub fn d(&self) -> Self {
        let coefficients: Vec<Expr<'p>> = self.terms.values().copied().collect();
        let coordinates = self.chart.coordinates();
        let rows = self.chart.pool().jacobian(&coefficients, coordinates);
        let mut parts: BTreeMap<Vec<u16>, Vec<Expr<'p>>> = BTreeMap::new();
        for (i, row) in self.terms.keys().zip(rows) {
            for (k, derivative) in row.into_iter().enumerate() {
                if derivative.is_zero() {
                    continue;
                }
                if let Some((indices, even)) = merge(&[k as u16], i) {
                    let c = if even { derivative } else { -derivative };
                    parts.entry(indices).or_default().push(c);
                }
            }
        }
        Self::collect(&self.chart, self.degree + 1, parts)
    }

    /// The form with a vector in its first slot.
    pub(crate) fn with_first(&self, x: &VectorField<'p>) -> Self {
        self.chart.assert_same(x.chart());
        if self.degree == 0 {
            return Self::zero(&self.chart, 0);
        }
        let mut parts: BTreeMap<Vec<u16>, Vec<Expr<'p>>> = BTreeMap::new();
        for (i, &c) in &self.terms {
            for (slot, &k) in i.iter().enumerate() {
                let component = x.component(k as usize);
                if component.is_zero() {
                    continue;
                }
                let mut rest = i.clone();
                rest.remove(slot);
                let product = component * c;
                let entry = parts.entry(rest).or_default();
                entry.push(if slot % 2 == 0 { product } else { -product });
            }
        }
        Self::collect(&self.chart, self.degree - 1, parts)
    }

    /// ω(X₁, …, Xₖ)
    ///
    /// # Panics
    /// If there are not as many vectors as the degree says.
    pub fn evaluate(&self, vectors: &[&VectorField<'p>]) -> Expr<'p> {
        assert_eq!(
            vectors.len(),
            self.degree,
            "arguments of a {}-form",
            self.degree
        );
        let inserted = vectors
            .iter()
            .fold(self.clone(), |form, x| form.with_first(x));
        inserted.component(&[])
    }

    /// Rewrites every coefficient.
    pub fn map_coefficients(&self, f: impl Fn(Expr<'p>) -> Expr<'p>) -> Self {
        self.map(f)
    }

    /// The form in the syntax of the model language, `m*d(x') /\ d(x) - k*x*d(x) /\ d(t)`, which can be read again.
    ///
    /// ```
    /// use galilei_expr::Pool;
    /// use galilei_geometry::Chart;
    /// let pool = Pool::new();
    /// let chart = Chart::new(&pool, ["x", "y"]);
    /// let area = chart.differential(0).wedge(&chart.differential(1));
    /// let form = area.scaled(pool.symbol("x") - pool.symbol("y"));
    /// assert_eq!(form.written(), "(x - y)*d(x) /\\ d(y)");
    /// assert_eq!(area.negated().written(), "-d(x) /\\ d(y)");
    /// ```
    pub fn written(&self) -> String {
        let name = |k: usize| format!("d({})", self.chart.coordinate(k));
        written_terms(self.terms().map(|(indices, c)| {
            let names: Vec<String> = indices.iter().map(|&k| name(k)).collect();
            (c, names)
        }))
    }

    /// Whether the form vanishes.
    pub fn decide_zero(&self) -> Verdict {
        decide_all_zero(self.terms.values().copied())
    }

    /// Whether two forms are equal.
    pub fn decide_equal(&self, other: &Self) -> Verdict {
        self.minus(other).decide_zero()
    }
}

impl fmt::Display for Form<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("0");
        }
        for (k, (indices, c)) in self.terms.iter().enumerate() {
            if k > 0 {
                f.write_str(" + ")?;
            }
            let names: Vec<String> = indices
                .iter()
                .map(|&i| format!("d{}", self.chart.coordinate(i as usize)))
                .collect();
            let text = c.to_string();
            let sum = text.contains(" + ") || text.contains(" - ") || text.starts_with('-');
            match (c.is_one() && self.degree > 0, sum && self.degree > 0) {
                (true, _) => {}
                (_, true) => write!(f, "({text}) ")?,
                (_, false) => write!(f, "{text} ")?,
            }
            f.write_str(&names.join("∧"))?;
        }
        Ok(())
    }
}

/// Writes a sum of multiples of wedge products of named one-forms in the syntax of the model language.
pub fn written_terms<'p>(terms: impl IntoIterator<Item = (Expr<'p>, Vec<String>)>) -> String {
    let mut text = String::new();
    for (c, names) in terms {
        let (sign, c) = match c.to_string() {
            t if t.starts_with('-') && !is_sum(&t[1..]) => ("-", t[1..].to_owned()),
            t => ("", t),
        };
        text += match (text.is_empty(), sign) {
            (true, sign) => sign,
            (false, "") => " + ",
            (false, _) => " - ",
        };
        let basis = names.join(" /\\ ");
        text += &match (c.as_str(), basis.is_empty()) {
            (c, true) => c.to_owned(),
            ("1", false) => basis,
            (c, false) if is_sum(c) => format!("({c})*{basis}"),
            (c, false) => format!("{c}*{basis}"),
        };
    }
    if text.is_empty() {
        text.push('0');
    }
    text
}

/// Whether a formula is a sum or difference at its outermost level.
fn is_sum(text: &str) -> bool {
    let mut depth = 0_usize;
    text.char_indices().any(|(k, c)| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && k > 0 && (text[k..].starts_with(" + ") || text[k..].starts_with(" - "))
    })
}

/// The indices in increasing order and whether that took an even number of exchanges; `None` if
/// one occurs twice.
fn sort(mut indices: Vec<u16>) -> Option<(Vec<u16>, bool)> {
    let mut even = true;
    for k in 1..indices.len() {
        let mut j = k;
        while j > 0 && indices[j - 1] > indices[j] {
            indices.swap(j - 1, j);
            even = !even;
            j -= 1;
        }
        if j > 0 && indices[j - 1] == indices[j] {
            return None;
        }
    }
    Some((indices, even))
}

/// Two increasing lists, merged in order, with the parity of the permutation.
fn merge(left: &[u16], right: &[u16]) -> Option<(Vec<u16>, bool)> {
    let mut indices = Vec::with_capacity(left.len() + right.len());
    let (mut i, mut j, mut exchanges) = (0, 0, 0);
    while i < left.len() && j < right.len() {
        match left[i].cmp(&right[j]) {
            std::cmp::Ordering::Less => {
                indices.push(left[i]);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                indices.push(right[j]);
                j += 1;
                exchanges += left.len() - i;
            }
            std::cmp::Ordering::Equal => return None,
        }
    }
    indices.extend_from_slice(&left[i..]);
    indices.extend_from_slice(&right[j..]);
    Some((indices, exchanges % 2 == 0))
}
