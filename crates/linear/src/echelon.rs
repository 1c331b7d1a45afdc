//! Row echelon forms: determinants and ranks.

/// Entries below this part of the largest are zero where a rank is counted.
const RANK_TOLERANCE: f64 = 1e-12;

/// Brings a matrix to row echelon form, with the largest entry of each column as its pivot; columns without an entry
/// above `least` are passed over. Gives the pivots, and whether rows were exchanged an odd number of times.
fn eliminate(a: &mut [Vec<f64>], least: f64) -> (Vec<f64>, bool) {
    let columns = a.first().map_or(0, Vec::len);
    let (mut pivots, mut odd) = (Vec::new(), false);
    for column in 0..columns {
        let row = pivots.len();
        let size = |i: usize| a[i][column].abs();
        let Some(best) = (row..a.len()).max_by(|&i, &j| size(i).total_cmp(&size(j))) else {
            break;
        };
        if size(best) <= least {
            continue;
        }
        a.swap(best, row);
        odd ^= best != row;
        let (above, below) = a.split_at_mut(row + 1);
        let above = &above[row];
        for other in below {
            let factor = other[column] / above[column];
            for j in column..columns {
                other[j] -= factor * above[j];
            }
        }
        pivots.push(above[column]);
    }
    (pivots, odd)
}

/// The determinant of a square matrix, given by its rows.
pub fn determinant(mut matrix: Vec<Vec<f64>>) -> f64 {
    let (pivots, odd) = eliminate(&mut matrix, 0.0);
    if pivots.len() < matrix.len() {
        return 0.0;
    }
    let sign = if odd { -1.0 } else { 1.0 };
    pivots.into_iter().fold(sign, |product, p| product * p)
}

/// The rank of a matrix, given by its rows: pivots below 10⁻¹² of the largest entry count as zero.
pub fn rank(mut matrix: Vec<Vec<f64>>) -> usize {
    let entries = matrix.iter().flatten();
    let largest = entries.fold(0.0_f64, |m, x| m.max(x.abs()));
    eliminate(&mut matrix, RANK_TOLERANCE * largest).0.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vandermonde's matrix has the product of all differences as its determinant.
    #[test]
    fn determinants_have_the_sign_of_their_permutation() {
        let nodes: [f64; 4] = [2.0, -1.0, 3.0, 0.5];
        let rows = |order: [usize; 4]| -> Vec<Vec<f64>> {
            let row = |k: usize| (0..4).map(|p| nodes[k].powi(p)).collect();
            order.into_iter().map(row).collect()
        };
        let mut product = 1.0;
        for j in 0..4 {
            for i in 0..j {
                product *= nodes[j] - nodes[i];
            }
        }
        let even = determinant(rows([0, 1, 2, 3]));
        assert!((even - product).abs() < 1e-13 * product.abs());
        let odd = determinant(rows([1, 0, 2, 3]));
        assert!((odd + product).abs() < 1e-13 * product.abs());
        assert_eq!(determinant(vec![]), 1.0);
        assert_eq!(determinant(vec![vec![0.0, 0.0], vec![1.0, 2.0]]), 0.0);
        assert_eq!(determinant(vec![vec![0.0, 2.0], vec![3.0, 0.0]]), -6.0);
    }

    /// Sums of two outer products have rank two, with zeros where pivots would be first.
    #[test]
    fn ranks_of_sums_of_outer_products() {
        let (a, b) = ([0.0, 1.0, 2.0, -1.0], [0.0, 3.0, 0.1, 1.0]);
        let (u, v) = ([1.0, 1e-3, 5.0], [2.0, 7.0, -1.0]);
        let sum = |second: f64| -> Vec<Vec<f64>> {
            let row = |i: usize| (0..4).map(|j| u[i] * a[j] + second * v[i] * b[j]).collect();
            (0..3).map(row).collect()
        };
        assert_eq!((rank(sum(0.0)), rank(sum(1.0))), (1, 2));
        assert_eq!((rank(vec![]), rank(vec![vec![0.0; 3]; 2])), (0, 0));
    }
}
