//! The total capacity of a set of paths.

use crate::model::{NamedLink, Path};
use std::collections::BTreeMap;

/// The largest sum of the paths' rates, in bits per second, at which no link exceeds its rate. Backup paths count only if all
/// paths are backup: then they are used (RFC 8684 §3.3.8).
pub(crate) fn capacity_bps(paths: &[Path], links: &[NamedLink]) -> f64 {
    let rate = |link: usize| links[link].spec.rate_bps;
    let paths: Vec<_> = used_paths(paths)
        .map(|path| (&path.links, path.links.iter().map(|link| rate(*link)).fold(f64::INFINITY, f64::min)))
        .collect();
    // The load on each link if each of its paths sends as if alone.
    let mut wanted = BTreeMap::<usize, f64>::new();
    for (links, most) in &paths {
        links.iter().for_each(|link| *wanted.entry(*link).or_default() += most);
    }
    let binds = |link: &usize| wanted[link] > rate(*link);
    let (sharing, free): (Vec<_>, Vec<_>) = paths.iter().partition(|(links, _)| links.iter().any(binds));
    let scarce: Vec<usize> = wanted.keys().copied().filter(binds).collect();
    let of_links = scarce.iter().map(|link| {
        let crosses = sharing.iter().map(|(links, _)| links.iter().filter(|l| *l == link).count() as f64);
        (crosses.collect(), rate(*link))
    });
    let of_paths = sharing.iter().enumerate().map(|(i, (_, most))| {
        let own = (0..sharing.len()).map(|path| f64::from(u8::from(path == i)));
        (own.collect(), *most)
    });
    free.iter().map(|(_, most)| most).sum::<f64>() + max_sum(of_links.chain(of_paths).collect())
}

/// The regular paths, or all paths if all are backup.
pub(crate) fn used_paths(paths: &[Path]) -> impl Iterator<Item = &Path> {
    let only_backups = paths.iter().all(|path| path.backup);
    paths.iter().filter(move |path| only_backups || !path.backup)
}

/// The maximum of Σx with x ≥ 0 and a·x ≤ b for each row (a, b), b > 0, by the simplex method with Bland's rule, which terminates.
fn max_sum(mut rows: Vec<(Vec<f64>, f64)>) -> f64 {
    let columns = rows.first().map_or(0, |(a, _)| a.len());
    // Coefficients are sums of a few ones.
    const ZERO: f64 = 1e-9;
    let mut gain = vec![1.0; columns];
    let mut sum = 0.0;
    // The variable of each column and each row: x, then the slack of each row.
    let mut outside: Vec<usize> = (0..columns).collect();
    let mut inside: Vec<usize> = (columns..columns + rows.len()).collect();
    loop {
        let gains = (0..columns).filter(|j| gain[*j] > ZERO);
        let Some(enters) = gains.min_by_key(|j| outside[*j]) else { return sum };
        let limits = (0..rows.len()).filter(|i| rows[*i].0[enters] > ZERO);
        let ratio = |i: usize| rows[i].1 / rows[i].0[enters];
        let first = |a: &usize, b: &usize| ratio(*a).total_cmp(&ratio(*b)).then(inside[*a].cmp(&inside[*b]));
        let Some(leaves) = limits.min_by(first) else { return f64::INFINITY };
        let pivot = rows[leaves].0[enters];
        let (mut a, mut b) = std::mem::take(&mut rows[leaves]);
        a[enters] = 1.0;
        a.iter_mut().for_each(|a| *a /= pivot);
        b /= pivot;
        let without = |row: &mut [f64]| {
            let times = std::mem::take(&mut row[enters]);
            row.iter_mut().zip(&a).for_each(|(x, a)| *x -= times * a);
            times
        };
        for (row, right) in rows.iter_mut().filter(|(row, _)| !row.is_empty()) {
            *right = (*right - without(row) * b).max(0.0);
        }
        sum += without(&mut gain) * b;
        rows[leaves] = (a, b);
        std::mem::swap(&mut outside[enters], &mut inside[leaves]);
    }
}
