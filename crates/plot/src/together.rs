//! The figures of several runs in one.

use crate::transfers::grouped;
use anabranch_report::THEORY;
use anabranch_study::{Mark, Panel, Point, Series, estimate};

/// The least number of runs with an interval: two runs would give ± 12.7 standard errors.
const LEAST: usize = 3;
/// The most stretches of time of a mean over runs.
const STRETCHES: usize = 240;

/// Runs that differ in their seeds alone.
pub struct Group {
    /// In the legend.
    pub name: String,
    /// For each figure, the panel of each run, or one that has [the transfers of all of them](crate::Run::pooled).
    pub figures: Vec<Vec<Panel>>,
}

/// One panel for each figure, with the series of every group. Those of several panels are means, from three on with 95 % intervals.
pub fn together(groups: &[Group]) -> Vec<Panel> {
    let figures = groups.iter().map(|group| group.figures.len()).min().unwrap_or(0);
    let merged = |k: usize| {
        let panels = || groups.iter().flat_map(|group| &group.figures[k]);
        let mut panel = panels().next()?.clone();
        // Transfers are points only if every group has few.
        let by_size = panels().any(|panel| panel.mark == Mark::Line);
        if by_size {
            panel.mark = Mark::Line;
        }
        panel.series = groups.iter().flat_map(|group| group.series(k, by_size, groups.len() > 1)).collect();
        let union = |domain: fn(&Panel) -> Option<(f64, f64)>| {
            panels().map(domain).reduce(|a, b| Some((a?.0.min(b?.0), a?.1.max(b?.1))))?
        };
        panel.x.domain = union(|p| p.x.domain);
        panel.y.domain = union(|p| p.y.domain);
        Some(panel)
    };
    (0..figures).filter_map(merged).collect()
}

impl Group {
    fn series(&self, figure: usize, by_size: bool, named: bool) -> Vec<Series> {
        let mut all = match &self.figures[figure][..] {
            [only] if by_size && only.mark == Mark::Point => only.series.iter().flat_map(grouped).collect(),
            [only] => only.series.clone(),
            several => means(several),
        };
        if named {
            // A folder is often named after the algorithm, which stands in brackets after the flow's name.
            let algorithm = format!(" ({})", self.name);
            let rename = |name: &str| format!("{}: {}", self.name, name.replacen(&algorithm, "", 1));
            all.iter_mut().for_each(|series| series.name = rename(&series.name));
        }
        all
    }
}

/// Means over runs of each series that the first run has. Theory is the same for all of them.
fn means(panels: &[Panel]) -> Vec<Series> {
    let mean = |first: &Series| {
        let all: Vec<&Series> =
            panels.iter().flat_map(|panel| &panel.series).filter(|s| s.name == first.name).collect();
        let points = match (first.name.ends_with(THEORY), panels[0].mark) {
            (true, _) => first.points.clone(),
            (false, Mark::Bar) => over_labels(&all),
            (false, _) => over_time(&all),
        };
        Series { points, ..first.clone() }
    };
    panels.first().map_or(vec![], |first| first.series.iter().map(mean).collect())
}

/// The mean, and half the width of its 95 % interval; nothing without values.
fn mean_of(values: Vec<f64>) -> Option<(f64, Option<f64>)> {
    let estimate = estimate(values)?;
    Some((estimate.mean, estimate.half_width.filter(|_| estimate.values.len() >= LEAST)))
}

fn over_labels(all: &[&Series]) -> Vec<Point> {
    let mean = |first: &Point| {
        let values = all.iter().filter_map(|s| s.points.iter().find(|p| p.label == first.label)).map(|p| p.y);
        let (y, half_width) = mean_of(values.collect())?;
        Some(Point { y, half_width, ..first.clone() })
    };
    all[0].points.iter().filter_map(mean).collect()
}

/// Means of equal stretches of time, at the mean time of their samples.
fn over_time(all: &[&Series]) -> Vec<Point> {
    let times = || all.iter().flat_map(|s| &s.points).map(|p| p.x);
    let (Some(first), Some(last)) = (times().reduce(f64::min), times().reduce(f64::max)) else {
        return vec![];
    };
    let least = all.iter().map(|s| s.points.len()).min().unwrap_or(1);
    let n = least.clamp(1, STRETCHES);
    // Samples are in the middle of stretches, and not at an edge by rounding.
    let length = (last - first) / (n - 1) as f64;
    let of_run = |series: &&Series| {
        let mut sums = vec![(0.0, 0.0, 0.0); n];
        for p in series.points.iter().filter(|p| p.y.is_finite()) {
            let (times, values, count) = &mut sums[(((p.x - first) / length).round() as usize).min(n - 1)];
            (*times, *values, *count) = (*times + p.x, *values + p.y, *count + 1.0);
        }
        sums
    };
    let runs: Vec<Vec<(f64, f64, f64)>> = all.iter().map(of_run).collect();
    let mean = |k: usize| {
        let of_runs = runs.iter().map(|run| run[k]).filter(|(.., count)| *count > 0.0);
        let (times, values): (Vec<f64>, Vec<f64>) =
            of_runs.map(|(times, values, count)| (times / count, values / count)).unzip();
        // To the nanosecond: sums of times such as 0.1 s and 0.2 s have noise in their last digits.
        let x = (times.iter().sum::<f64>() / times.len() as f64 * 1e9).round() / 1e9;
        match mean_of(values) {
            Some((y, half_width)) => Point { half_width, ..Point::at(x, y) },
            None => Point::at(first + k as f64 * length, f64::NAN),
        }
    };
    (0..n).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::{TIME, ours};
    use crate::transfers::slowdown;
    use anabranch_study::Axis;

    fn run(x: &str, mark: Mark, name: &str, values: &[f64]) -> Panel {
        let at = |(i, y): (usize, &f64)| Point { x: i as f64, ..Point::bar(&i.to_string(), *y) };
        let series = vec![ours(name.to_owned(), values.iter().enumerate().map(at).collect())];
        Panel { x: Axis::new(x, false), y: Axis::new("y", false), mark, series, ..Panel::default() }
    }

    fn group(name: &str, runs: &[Panel]) -> Group {
        Group { name: name.to_owned(), figures: vec![runs.to_vec()] }
    }

    /// For the values m − d, m and m + d, Student's t gives m ± 4.303 · d / √3.
    #[test]
    fn runs_of_several_seeds_are_a_mean_with_its_interval() {
        for (x, mark) in [(TIME, Mark::Line), ("", Mark::Bar)] {
            let of = |values: &[f64]| run(x, mark, "flow", values);
            let runs = [of(&[1.0, 4.0]), of(&[2.0, 6.0]), of(&[3.0, 8.0])];
            let panel = &together(&[group("lia", &runs)])[0];
            assert_eq!((panel.series[0].name.as_str(), panel.series[0].points.len()), ("flow", 2));
            let expected = [(0.0, 2.0, 1.0), (1.0, 6.0, 2.0)];
            for (p, (at, mean, apart)) in panel.series[0].points.iter().zip(expected) {
                let half_width = p.half_width.unwrap();
                assert_eq!(p.x, at, "the time of the samples");
                assert!(
                    (p.y - mean).abs() < 1e-9 && (half_width - 4.303 * apart / 3f64.sqrt()).abs() < 1e-3,
                    "{p:?}"
                );
            }
            let two = &together(&[group("lia", &runs[..2])])[0];
            assert!(two.series[0].points.iter().all(|p| p.half_width.is_none()));
        }
    }

    /// A flow begins one sample later in each run: every stretch has samples, and only a pause is a gap.
    #[test]
    fn a_mean_has_no_gaps_but_pauses() {
        let run = |first: u32, pause: std::ops::Range<u32>| {
            let times = (first..=199).filter(|i| !pause.contains(i)).map(|i| f64::from(i) * 0.1);
            let (times, values): (Vec<f64>, Vec<f64>) = times.map(|t| (t, 3.0 * t)).unzip();
            let series = vec![ours("flow".to_owned(), crate::points::points(&times, &values, 1.0))];
            Panel { x: Axis::new(TIME, false), series, ..Panel::default() }
        };
        // Of 199 samples, the first two are in one of 197 stretches.
        let runs = [1, 2, 3].map(|first| run(first, 0..0));
        let panel = &together(&[group("lia", &runs)])[0];
        assert!(panel.series[0].points.iter().all(|p| p.x.to_string().len() < 13), "{panel:?}");
        for pause in [0..0, 90..120] {
            let runs = [11, 12, 13].map(|first| run(first, pause.clone()));
            let panel = &together(&[group("lia", &runs)])[0];
            let (gaps, there): (Vec<_>, Vec<_>) = panel.series[0].points.iter().partition(|p| p.y.is_nan());
            assert!(there.iter().all(|p| (p.y / p.x - 3.0).abs() < 1e-9), "{there:?}");
            assert!(gaps.iter().all(|p| pause.contains(&((p.x * 10.0).round() as u32))), "{gaps:?}");
            assert_eq!(gaps.is_empty(), pause.is_empty());
        }
    }

    /// One group has few transfers and the other many: both are drawn by size, whichever comes first.
    #[test]
    fn transfers_of_all_groups_are_drawn_alike() {
        let transfers =
            |n: u64| slowdown(vec![("web".to_owned(), (1..=n).map(|i| (1000 * i, 2.0)).collect())]);
        let few = group("few", &[transfers(150)]);
        let many = || group("many", &[transfers(5000)]);
        let names = |panel: &Panel| panel.series.iter().map(|s| s.name.clone()).collect::<Vec<_>>();
        assert_eq!((few.figures[0][0].mark, many().figures[0][0].mark), (Mark::Point, Mark::Line));
        let panel = &together(&[few, many()])[0];
        assert_eq!(panel.mark, Mark::Line);
        let of = |group: &str| ["median", "99th percentile"].map(|which| format!("{group}: web, {which}"));
        assert_eq!(names(panel), [of("few"), of("many")].concat());
    }

    #[test]
    fn groups_have_their_names() {
        let one = run(TIME, Mark::Line, "flow", &[1.0]);
        let names = |groups: &[Group]| -> Vec<String> {
            together(groups)[0].series.iter().map(|s| s.name.clone()).collect()
        };
        assert_eq!(
            names(&[group("lia", std::slice::from_ref(&one)), group("olia", std::slice::from_ref(&one))]),
            ["lia: flow", "olia: flow"]
        );
        assert_eq!(names(&[group("lia", &[one])]), ["flow"]);
        let mp = run(TIME, Mark::Line, "mp (lia)", &[1.0]);
        let groups = [group("lia", std::slice::from_ref(&mp)), group("deep", std::slice::from_ref(&mp))];
        assert_eq!(names(&groups), ["lia: mp", "deep: mp (lia)"]);
    }
}
