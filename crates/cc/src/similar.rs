//! "Did you mean …?"

use alloc::vec::Vec;

/// The candidate that is closest to `word`, if it is close enough to be what was meant: within one
/// edit for every three letters, and the first of equals.
pub(crate) fn closest(word: &str, candidates: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let enough = word.chars().count().div_ceil(3);
    let distances = candidates.map(|c| (distance(word, c), c)).filter(|(d, _)| *d <= enough);
    distances.min_by_key(|(d, _)| *d).map(|(_, c)| c)
}

/// Levenshtein's distance, with `a` in lower case: insertions, deletions and substitutions that turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    // row[j]: the distance between what was read of `a` and the first j letters of `b`.
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x.to_ascii_lowercase() != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_by_hand() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("lia", "lia"), 0);
        assert_eq!(distance("flaw", "lawn"), 2);
    }

    #[test]
    fn only_what_is_close_is_offered() {
        let names = ["reno", "cubic", "coupled-cubic"];
        assert_eq!(closest("cubik", names.into_iter()), Some("cubic"));
        assert_eq!(closest("coupledcubic", names.into_iter()), Some("coupled-cubic"));
        assert_eq!(closest("zzz", names.into_iter()), None);
        assert_eq!(closest("", names.into_iter()), None);
    }
}
