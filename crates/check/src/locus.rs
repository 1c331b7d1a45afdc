//! Zeros of determinants: the exceptional sets of claims that hold almost everywhere.

use galilei_expr::{Assumptions, Expr, Reading};
use galilei_geometry::Matrix;
use galilei_mechanics::{ConstraintSet, System};

use crate::Checker;

/// Rows of determinants that are written out.
const MAX_ROWS: usize = 4;
/// Degrees of freedom up to which kinetic energies are searched for squares.
const MAX_SQUARES: usize = 64;
/// Symbols and numbers up to which a determinant is split into factors.
const MAX_FACTORED_SIZE: u64 = 4_000;
/// Characters up to which the exceptional set is written.
const MAX_CHARACTERS: usize = 160;

/// The set on which a determinant vanishes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Locus {
    /// It vanishes nowhere.
    Empty,
    /// It vanishes where one of these equations holds.
    Equations(Vec<String>),
    /// It may vanish somewhere, which could not be written.
    Unknown,
}

impl Locus {
    /// Where at least one of two determinants vanishes.
    pub(crate) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Empty, l) | (l, Self::Empty) => l,
            (Self::Equations(mut a), Self::Equations(b)) => {
                a.extend(b.into_iter().filter(|e| !a.contains(e)).collect::<Vec<_>>());
                Self::Equations(a)
            }
            _ => Self::Unknown,
        }
    }

    /// Whether a claim holds only generically, and where it does not.
    pub(crate) fn scope(&self) -> (bool, Option<String>) {
        match self {
            Self::Empty => (false, None),
            Self::Unknown => (true, None),
            Self::Equations(list) => {
                let text = list.join(" or ");
                let short = text.chars().count() <= MAX_CHARACTERS;
                (true, short.then_some(text))
            }
        }
    }
}

impl<'p> Checker<'p> {
    /// The zeros of a function of the state. Factors that contain only parameters do not count, since parameters have
    /// fixed values.
    pub(crate) fn zeros(self, system: &System<'p>, e: Expr<'p>) -> Locus {
        let assumptions = self.model.assumptions();
        let constants = self.model.known_constants();
        let mut symbols = system.state().chart().coordinates().to_vec();
        if let Some(h) = self.model.given_hamiltonian() {
            symbols.extend(h.momenta);
        }
        let symbols = symbols.as_slice();
        let reading = Reading::new().assuming(&assumptions);
        let never = |e: Expr<'p>| {
            let fixed = e.substitute(&constants);
            fixed.decide_never_zero(&assumptions).is_proved()
        };
        if !e.contains_any(symbols) || never(e) {
            return Locus::Empty;
        }
        if e.written_size() > MAX_FACTORED_SIZE {
            return Locus::Unknown;
        }
        let short = e.present(&reading);
        if !short.contains_any(symbols) || never(short) {
            return Locus::Empty;
        }
        let mut list = Vec::new();
        for (f, q) in short.factors(&reading).list {
            if q.is_negative() || !f.contains_any(symbols) || never(f) {
                continue;
            }
            let equation = format!("{f} = 0");
            if !list.contains(&equation) {
                list.push(equation);
            }
        }
        match list.is_empty() {
            true => Locus::Empty,
            false => Locus::Equations(list),
        }
    }

    /// ∂²H/∂p∂p of the Hamiltonian by which the model is given.
    pub(crate) fn given_inverse_mass(self) -> Option<Vec<Vec<Expr<'p>>>> {
        let h = self.model.given_hamiltonian()?;
        Some(self.model.pool().jacobian(&h.velocities, &h.momenta))
    }

    /// Where the velocities or the momenta do not determine each other: the zeros of det ∂²L/∂u∂u, and those of
    /// det ∂²H/∂p∂p where L has no closed form.
    pub(crate) fn regular_locus(self, system: &System<'p>) -> Locus {
        let inverse = self.given_inverse_mass();
        match inverse.filter(|rows| self.model.is_implicit() && rows.len() <= MAX_ROWS) {
            Some(rows) => {
                let det = Matrix::new(self.model.pool(), rows).determinant();
                self.zeros(system, det)
            }
            None => self.mass_locus(system).0,
        }
    }

    /// Where det ∂²L/∂u∂u vanishes, and whether ∂²L/∂u∂u is known to be positive wherever it does not.
    pub(crate) fn mass_locus(self, system: &System<'p>) -> (Locus, bool) {
        let matrix = system.lagrangian().mass_matrix();
        let rows = matrix.rows();
        let symbols = system.state().chart().coordinates();
        let (left, positive) = self.without_evident_kernel(system);
        if rows.iter().flatten().all(|e| !e.contains_any(symbols)) {
            return (Locus::Empty, positive);
        }
        let mut locus = Locus::Empty;
        for block in blocks(rows, &left) {
            if block.len() > MAX_ROWS {
                return (Locus::Unknown, positive);
            }
            let part = block.iter();
            let part = part.map(|&i| block.iter().map(|&j| rows[i][j]).collect());
            let det = Matrix::new(self.model.pool(), part.collect()).determinant();
            locus = locus.or(self.zeros(system, det));
        }
        (locus, positive)
    }

    /// The velocities that a vector in the kernel of a sum of squares may have, and whether the kinetic energy is
    /// such a sum with positive masses. A velocity that some squares contain alone is zero in the kernel
    /// wherever the squares of its coefficients do not all vanish; then the others follow.
    fn without_evident_kernel(self, system: &System<'p>) -> (Vec<usize>, bool) {
        let n = system.state().degrees_of_freedom();
        let all: Vec<usize> = (0..n).collect();
        if n > MAX_SQUARES {
            return (all, false);
        }
        let found = system.lagrangian().sum_of_squares();
        let u = system.state().velocities();
        let constants = self.model.known_constants();
        let assumptions = self.model.assumptions();
        let left_over = found.rest.function();
        let flat = left_over.polynomial(u, 1).is_ok();
        let positive = |m: Expr<'p>| {
            let fixed = m.substitute(&constants);
            fixed.sign_everywhere(&assumptions) == Some(1)
        };
        if !flat || !found.squares.iter().all(|s| positive(s.mass)) {
            return (all, false);
        }
        let mut open = all;
        loop {
            let certain = |&j: &usize| {
                let alone = found.squares.iter().filter_map(|s| {
                    let mut others = open.iter().filter(|&&k| k != j);
                    s.slope(j).filter(|_| others.all(|&k| s.slope(k).is_none()))
                });
                let sum = self.model.pool().sum(alone.map(|b| b.pow(2)));
                let fixed = sum.substitute(&constants);
                !sum.is_zero() && self.never(fixed, &assumptions)
            };
            let Some(k) = open.iter().position(certain) else {
                return (open, true);
            };
            open.remove(k);
        }
    }

    fn never(self, e: Expr<'p>, assumptions: &Assumptions<'p>) -> bool {
        if e.written_size() > MAX_FACTORED_SIZE {
            return false;
        }
        let reading = Reading::new().assuming(assumptions);
        let short = e.present(&reading);
        short.decide_never_zero(assumptions).is_proved()
    }

    /// Where constraints lose their rank on a sheet of their set: where it meets others, and where the factors that
    /// define it do.
    pub(crate) fn rank_locus(
        self,
        system: &System<'p>,
        set: &ConstraintSet<'p>,
        sheet: usize,
    ) -> Locus {
        let Some(list) = set.rank_loss(sheet) else {
            return Locus::Unknown;
        };
        let own = list.into_iter().map(|gram| self.zeros(system, gram));
        let own = own.fold(Locus::Empty, Locus::or);
        let mut locus = match (own, set.sheets.len()) {
            (Locus::Equations(list), 2..) => {
                let label = set.label(sheet);
                let both = |e: String| format!("{label} and {e}");
                Locus::Equations(list.into_iter().map(both).collect())
            }
            (own, _) => own,
        };
        for (f, other) in set.other_factors(sheet) {
            let branches = set.sheets[sheet].branches.iter();
            let zeros = branches.map(|b| self.zeros(system, b.pullback(f)));
            let zeros = zeros.fold(Locus::Empty, Locus::or);
            if zeros == Locus::Empty && set.sheets[sheet].covered {
                continue;
            }
            let equation = set.equation(f);
            let text = match other {
                None => equation,
                Some(j) if j < sheet => format!("{equation} and {}", set.label(sheet)),
                Some(_) => format!("{} and {equation}", set.label(sheet)),
            };
            locus = locus.or(Locus::Equations(vec![text]));
        }
        locus
    }
}

/// The chosen rows of a symmetric matrix in groups that do not meet.
fn blocks(rows: &[Vec<Expr<'_>>], chosen: &[usize]) -> Vec<Vec<usize>> {
    let mut left = chosen.to_vec();
    let mut out = Vec::new();
    while let Some(first) = left.pop() {
        let mut block = vec![first];
        let mut k = 0;
        while k < block.len() {
            let i = block[k];
            let (near, far): (Vec<usize>, Vec<usize>) =
                left.into_iter().partition(|&j| !rows[i][j].is_zero());
            block.extend(near);
            left = far;
            k += 1;
        }
        block.sort_unstable();
        out.push(block);
    }
    out
}
