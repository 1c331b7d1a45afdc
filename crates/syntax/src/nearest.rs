//! The known word that a misspelt one was meant to be.

/// The known word that is nearest to a misspelt one, if any is close enough.
pub fn nearest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let lower = word.to_lowercase();
    known
        .into_iter()
        .map(|w| (distance(word, w), w))
        // A name of one letter is near only to itself in the other case.
        .filter(|(d, w)| {
            let length = w.chars().count().min(word.chars().count());
            (*d <= 1 + w.chars().count() / 4 && *d < length) || w.to_lowercase() == lower
        })
        .min_by_key(|(d, _)| *d)
        .map(|(_, w)| w)
}

/// The edit distance of two words: characters added, left out, changed or exchanged with the next one.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = change.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}
