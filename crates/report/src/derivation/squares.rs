//! The Hamiltonian as a sum of squares, without fractions inside of fractions.

use galilei_expr::{Expr, Rational};
use galilei_mechanics::Canonical;

use super::Derivation;

/// Number of momenta up to which all orders of completing squares are tried.
const MAX_ORDERED_MOMENTA: usize = 3;

/// A mass matrix g and the shifted momenta p − a of ½ g⁻¹(p − a, p − a).
#[derive(Clone)]
struct Quadratic<'m> {
    matrix: Vec<Vec<Expr<'m>>>,
    momenta: Vec<Expr<'m>>,
}

impl<'m> Derivation<'m> {
    /// H in its shortest form, or, if that has fractions inside of fractions, the most readable of several
    /// forms: for each block of the mass matrix squares of momenta over its minors, and the rest. A form is used only if it is
    /// proved to be equal.
    pub(super) fn readable_hamiltonian(&self, c: &Canonical<'m>) -> Expr<'m> {
        let short = self.present(c.hamiltonian());
        if self.effort(short).0 == 0 {
            return short;
        }
        let lagrangian = self.readable.lagrangian();
        let state = lagrangian.state();
        let zero = state.pool().zero();
        let rest: Vec<_> = state.velocities().iter().map(|&u| (u, zero)).collect();
        let matrix = lagrangian.mass_matrix();
        let matrix = matrix.rows().iter().map(|row| {
            let row = row.iter().map(|e| self.present(e.substitute(&rest)));
            row.collect::<Vec<_>>()
        });
        let momenta = lagrangian.momenta().into_iter().enumerate();
        let momenta = momenta.map(|(i, a)| c.momentum(i) - self.present(a.substitute(&rest)));
        let whole = Quadratic {
            matrix: matrix.collect(),
            momenta: momenta.collect(),
        };
        let mut terms = Vec::new();
        for block in whole.blocks() {
            let orders = match block.len() <= MAX_ORDERED_MOMENTA {
                true => permutations(&block),
                false => vec![block],
            };
            let forms = orders.iter().map(|order| self.squares(whole.part(order)));
            terms.extend(forms.min_by_key(|&form| self.effort(form)));
        }
        terms.push(self.present(-lagrangian.function().substitute(&rest)));
        let squares = state.pool().sum(terms);
        let equal = || (squares - c.hamiltonian()).decide_zero().is_proved();
        match self.effort(squares) < self.effort(short) && equal() {
            true => squares,
            false => short,
        }
    }

    /// The effort of reading a formula: the number of nested fractions, then of characters.
    fn effort(&self, e: Expr<'m>) -> (usize, usize) {
        let layout = self.draw(e);
        (layout.nested_fractions(), layout.text_width())
    }

    /// ½ g⁻¹(p, p) = Σ q² / (2 d d′): q and the minors d by elimination without fractions, d′ the minor before.
    fn squares(&self, mut form: Quadratic<'m>) -> Expr<'m> {
        let pool = self.model.pool();
        let mut before = pool.one();
        let mut terms = Vec::new();
        for k in 0..form.momenta.len() {
            let pivot = form.matrix[k][k];
            let square = form.momenta[k].pow(2) / (before * pivot) / Rational::from(2);
            let short = self.present(square);
            terms.push(match self.effort(short) <= self.effort(square) {
                true => short,
                false => square,
            });
            for i in k + 1..form.momenta.len() {
                let factor = form.matrix[i][k];
                for j in k + 1..form.momenta.len() {
                    let minor = pivot * form.matrix[i][j] - factor * form.matrix[k][j];
                    form.matrix[i][j] = self.present(minor / before);
                }
                let momentum = pivot * form.momenta[i] - factor * form.momenta[k];
                form.momenta[i] = self.present(momentum / before);
            }
            before = pivot;
        }
        pool.sum(terms)
    }
}

impl<'m> Quadratic<'m> {
    /// The sets of indices that the matrix couples.
    fn blocks(&self) -> Vec<Vec<usize>> {
        let n = self.momenta.len();
        let mut block: Vec<usize> = (0..n).collect();
        for i in 0..n {
            for j in 0..i {
                let (a, b) = (block[i], block[j]);
                if a != b && !self.matrix[i][j].is_zero() {
                    block.iter_mut().filter(|k| **k == a).for_each(|k| *k = b);
                }
            }
        }
        let of = |b: usize| (0..n).filter(|&i| block[i] == b).collect::<Vec<_>>();
        (0..n).map(of).filter(|list| !list.is_empty()).collect()
    }

    /// Rows and columns in some order.
    fn part(&self, order: &[usize]) -> Self {
        let row = |&i: &usize| order.iter().map(|&j| self.matrix[i][j]).collect();
        Self {
            matrix: order.iter().map(row).collect(),
            momenta: order.iter().map(|&i| self.momenta[i]).collect(),
        }
    }
}

/// All orders of a short list.
fn permutations(list: &[usize]) -> Vec<Vec<usize>> {
    if list.len() <= 1 {
        return vec![list.to_vec()];
    }
    let mut all = Vec::new();
    for (k, &first) in list.iter().enumerate() {
        let mut others = list.to_vec();
        others.remove(k);
        for mut rest in permutations(&others) {
            rest.insert(0, first);
            all.push(rest);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use crate::derivation::Derivation;
    use crate::topic::Topic;
    use galilei_model::{Settings, read};

    fn hamiltonian(text: &str) -> String {
        let model = read(text, &Settings::default()).model.expect("a model");
        let section = Derivation::new(&model).section(Topic::Hamiltonian);
        section.formulas.last().expect("H").layout.to_text()
    }

    /// The Hamiltonians of textbooks: planet, double pendulum, heavy top.
    #[test]
    fn hamiltonians_have_no_nested_fractions() {
        let planet = "param m, k\ncoord r, phi\nassume r > 0, m > 0\n\
            particle planet: mass m at r*(cos(phi), sin(phi))\npotential: -k/r\n";
        assert_eq!(hamiltonian(planet), "H = p_r²/(2 m) + p_φ²/(2 m r²) − k/r");
        let top = "param A, C, w\ncoord phi, theta, psi\n\
            kinetic: A*(theta'^2 + phi'^2*sin(theta)^2)/2 + C*(psi' + phi'*cos(theta))^2/2\n\
            potential: w*cos(theta)\n";
        let h = hamiltonian(top);
        assert!(h.contains("(p_φ − p_ψ cos θ)²/(2 A sin² θ)"), "{h}");
        assert!(h.contains("p_θ²/(2 A)") && h.contains("p_ψ²/(2 C)"), "{h}");
    }
}
