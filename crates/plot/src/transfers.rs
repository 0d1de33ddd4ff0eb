//! Completion times and slowdown of transfers, so that a hundred thousand of them can be read as well as a few.

use crate::points::ours;
use anabranch_study::{Axis, Mark, Panel, Point, Series};

/// The largest number of transfers per flow that are drawn as points.
const FEW: usize = 200;
/// The least number of transfers per percentile; the largest ones, which may be fewer, have a median alone,
const TOGETHER: usize = 100;
/// and of sizes over at least this factor: a quarter of a decade.
const WIDE: f64 = 1.778;

/// A flow's name and a value for each transfer, with its size.
pub type Transfers = (String, Vec<(u64, f64)>);

/// The distribution of each flow's completion times, given in seconds.
pub fn completions(flows: Vec<Transfers>) -> Panel {
    let series = flows.into_iter().map(|(name, all)| {
        let mut times: Vec<f64> = all.into_iter().map(|(_, seconds)| seconds * 1e3).collect();
        times.sort_by(f64::total_cmp);
        let part = |i: usize| i as f64 / times.len() as f64;
        let steps = times.iter().enumerate();
        ours(name, steps.flat_map(|(i, &ms)| [Point::at(ms, part(i)), Point::at(ms, part(i + 1))]).collect())
    });
    Panel {
        title: "Completion times".to_owned(),
        x: Axis::new("ms", true),
        y: Axis { domain: Some((0.0, 1.0)), ..Axis::new("fraction completed by then", false) },
        mark: Mark::Line,
        series: series.collect(),
    }
}

/// Slowdown by size: each transfer where there are few, else the median and the 99th percentile.
pub fn slowdown(flows: Vec<Transfers>) -> Panel {
    let few = flows.iter().all(|(_, all)| all.len() <= FEW);
    let each = |(name, all): Transfers| match few {
        true => vec![ours(name, all.into_iter().map(|(bytes, value)| at(bytes, value)).collect())],
        false => by_size(&name, all),
    };
    let series: Vec<Series> = flows.into_iter().flat_map(each).collect();
    Panel {
        title: "Slowdown: completion time ÷ ideal time".to_owned(),
        x: Axis::new("size (kB)", true),
        y: Axis { domain: limits(&series), ..Axis::new("completion time ÷ ideal time", true) },
        mark: if few { Mark::Point } else { Mark::Line },
        series,
    }
}

/// Single transfers of a flow, as [`slowdown`] draws few of them, by size as it draws many.
pub(crate) fn grouped(series: &Series) -> Vec<Series> {
    by_size(&series.name, series.points.iter().map(|p| ((p.x * 1e3).round() as u64, p.y)).collect())
}

fn at(bytes: u64, value: f64) -> Point {
    Point::at(bytes as f64 / 1e3, value)
}

/// The median and the 99th percentile of transfers of about one size, at their median size.
fn by_size(name: &str, mut all: Vec<(u64, f64)>) -> Vec<Series> {
    all.sort_by_key(|(bytes, _)| *bytes);
    let stretches = stretches(&all);
    let both = [("median", 50, 1), ("99th percentile", 99, TOGETHER)].map(|(which, percent, least)| {
        let points = stretches.iter().filter(|own| own.len() >= least).map(|own| {
            let mut values: Vec<f64> = own.iter().map(|(_, value)| *value).collect();
            values.sort_by(f64::total_cmp);
            at(own[own.len() / 2].0, values[(values.len() * percent).div_ceil(100) - 1])
        });
        ours(format!("{name}, {which}"), points.collect())
    });
    both.into_iter().filter(|series| !series.points.is_empty()).collect()
}

/// Transfers in order of size in groups of about one size; those of one size are together.
fn stretches(sorted: &[(u64, f64)]) -> Vec<&[(u64, f64)]> {
    let mut starts = vec![0];
    for (i, pair) in sorted.windows(2).enumerate() {
        let (start, next) = (starts[starts.len() - 1], i + 1);
        let is_wide = pair[1].0 as f64 >= WIDE * sorted[start].0 as f64;
        if pair[0].0 < pair[1].0 && is_wide && next - start >= TOGETHER {
            starts.push(next);
        }
    }
    let ends = starts.iter().skip(1).copied().chain([sorted.len()]);
    starts.iter().zip(ends).map(|(&start, end)| &sorted[start..end]).collect()
}

/// From 1, or the 1, 2 or 5 times a power of ten below the least value, up to that above the greatest.
fn limits(series: &[Series]) -> Option<(f64, f64)> {
    let values = || series.iter().flat_map(|s| &s.points).map(|p| p.y).filter(|y| y.is_finite() && *y > 0.0);
    let (least, greatest) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
    let steps = || (-9..9).flat_map(|e| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(e)));
    let low = steps().take_while(|step| *step <= least.min(1.0)).last()?;
    Some((low, steps().find(|step| *step > greatest.max(low))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Picture, Size};

    /// Of sizes that come equally often, over six decades; the slowdown of each is 1 to 2, in turn.
    fn transfers(n: u64) -> Vec<Transfers> {
        let of =
            |i: u64| (10f64.powf(2.0 + 6.0 * (i % 977) as f64 / 977.0) as u64, 1.0 + (i % 100) as f64 / 99.0);
        vec![("web".to_owned(), (0..n).map(of).collect())]
    }

    #[test]
    fn few_transfers_are_points() {
        let panel = slowdown(transfers(FEW as u64));
        assert_eq!((panel.mark, panel.series.len(), panel.series[0].points.len()), (Mark::Point, 1, FEW));
        assert_eq!(panel.y.domain, Some((1.0, 5.0)));
    }

    /// Of 977 sizes each has every slowdown equally often: the median is 1.5 of each stretch, the 99th percentile 1.99.
    #[test]
    fn many_are_percentiles_by_size() {
        let panel = slowdown(transfers(97_700));
        assert_eq!(
            panel.series.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(),
            ["web, median", "web, 99th percentile"]
        );
        for (series, expected) in panel.series.iter().zip([1.0 + 49.0 / 99.0, 1.0 + 98.0 / 99.0]) {
            assert!((20..=25).contains(&series.points.len()), "{}", series.points.len());
            assert!(series.points.iter().all(|p| (p.y - expected).abs() < 0.021), "{series:?}");
            assert!(series.points.windows(2).all(|pair| pair[1].x > 1.5 * pair[0].x), "{series:?}");
        }
    }

    #[test]
    fn groups_have_enough_and_keep_one_size_together() {
        let sizes = |groups: &[(u64, usize)]| {
            let all: Vec<(u64, f64)> =
                groups.iter().flat_map(|(bytes, n)| std::iter::repeat_n((*bytes, 1.0), *n)).collect();
            stretches(&all).iter().map(|own| own.len()).collect::<Vec<_>>()
        };
        assert_eq!(sizes(&[(1000, 500)]), [500]);
        assert_eq!(sizes(&[(1000, 99), (2000, 1), (4000, 300), (5000, 200)]), [100, 500]);
        assert_eq!(sizes(&[(1000, 100), (2000, 100), (90_000, 99)]), [100, 100, 99]);
    }

    #[test]
    fn the_axis_begins_at_one_where_nothing_is_less() {
        let of = |values: &[f64]| {
            slowdown(vec![("web".to_owned(), values.iter().map(|v| (1000, *v)).collect())]).y.domain
        };
        assert_eq!(of(&[1.0, 7.0]), Some((1.0, 10.0)));
        assert_eq!(of(&[1.0]), Some((1.0, 2.0)));
        assert_eq!(of(&[0.97, 130.0]), Some((0.5, 200.0)));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn completions_are_a_distribution() {
        let panel = completions(vec![("web".to_owned(), vec![(1, 0.3), (1, 0.1), (1, 0.2), (1, 0.4)])]);
        let points: Vec<_> = panel.series[0].points.iter().map(|p| (p.x.round(), p.y)).collect();
        let steps = [100.0, 200.0, 300.0, 400.0].into_iter().zip([0.0, 0.25, 0.5, 0.75]);
        assert_eq!(points, steps.flat_map(|(ms, part)| [(ms, part), (ms, part + 0.25)]).collect::<Vec<_>>());
        let alone = completions(vec![("web".to_owned(), vec![(1, 0.5)])]);
        assert_eq!(
            alone.series[0].points.iter().map(|p| (p.x, p.y)).collect::<Vec<_>>(),
            [(500.0, 0.0), (500.0, 1.0)]
        );
    }

    #[test]
    fn fewer_than_a_hundred_have_no_99th_percentile() {
        let all = [(1000, 1.0); 300].into_iter().chain([(90_000, 5.0); 3]).collect();
        let panel = slowdown(vec![("web".to_owned(), all), ("few".to_owned(), vec![(1000, 2.0); 99])]);
        let points =
            panel.series.iter().map(|s| (s.name.as_str(), s.points.iter().map(|p| p.y).collect::<Vec<_>>()));
        let expected = [
            ("web, median", vec![1.0, 5.0]),
            ("web, 99th percentile", vec![1.0]),
            ("few, median", vec![2.0]),
        ];
        assert_eq!(points.collect::<Vec<_>>(), expected);
    }

    /// A hundred times as many transfers take no more room.
    #[test]
    fn a_picture_of_many_is_no_larger() {
        let of = |n| {
            let panels = vec![slowdown(transfers(n)), completions(transfers(n))];
            Picture { panels, ..Picture::default() }.draw(Size::default(), Format::Svg).unwrap().len()
        };
        assert!(of(100_000) < 30_000, "{}", of(100_000));
        assert!(of(100_000) < 2 * of(1000), "{} and {}", of(1000), of(100_000));
    }
}
