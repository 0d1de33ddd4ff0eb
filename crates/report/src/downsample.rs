//! Fewer points for a chart, without losing a peak.

use anabranch_study::Point;

/// At most `limit` (≥ 4) of `points`, in order: the ends, and the lowest and highest of each of equally long
/// stretches. A line through them covers the same area as one through all of them.
pub fn downsample<'a>(points: &[&'a Point], limit: usize) -> Vec<&'a Point> {
    if points.len() <= limit {
        return points.to_vec();
    }
    let last = points.len() - 1;
    let buckets = (limit.max(4) - 2) / 2;
    let mut kept = vec![points[0]];
    for b in 0..buckets {
        // Between the ends: 1..last, cut into `buckets` stretches.
        let start = 1 + b * (last - 1) / buckets;
        let end = 1 + (b + 1) * (last - 1) / buckets;
        let by_y = |&i: &usize, &j: &usize| points[i].y.total_cmp(&points[j].y);
        if let (Some(low), Some(high)) = ((start..end).min_by(by_y), (start..end).max_by(by_y)) {
            kept.push(points[low.min(high)]);
            if low != high {
                kept.push(points[low.max(high)]);
            }
        }
    }
    kept.push(points[last]);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ends_extremes_order_and_limit(ys in prop::collection::vec(-1e6..1e6_f64, 1..400), limit in 4..80_usize) {
            let points: Vec<_> = ys.iter().enumerate().map(|(i, &y)| Point::at(i as f64, y)).collect();
            let kept = downsample(&points.iter().collect::<Vec<_>>(), limit);
            prop_assert!(kept.len() <= limit && (points.len() > limit || kept.len() == points.len()));
            prop_assert!(kept.windows(2).all(|w| w[0].x < w[1].x));
            prop_assert_eq!(kept[0], &points[0]);
            prop_assert_eq!(*kept.last().unwrap(), points.last().unwrap());
            let max = ys.iter().copied().fold(f64::MIN, f64::max);
            let min = ys.iter().copied().fold(f64::MAX, f64::min);
            prop_assert!(kept.iter().any(|p| p.y == max));
            prop_assert!(kept.iter().any(|p| p.y == min));
        }
    }
}
