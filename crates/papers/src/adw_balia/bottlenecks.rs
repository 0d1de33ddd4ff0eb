//! D-F2, D-F3: the two types of bottleneck, with one TCP flow on each.

use super::{scenario::*, why};
use crate::paper::Definition;
use anabranch_study::draw::{axis, lines, point, series, time_axis, trace};
use anabranch_study::{Figure, Outcome, Point, Setup, Size};
use anabranch_study::{Plan, Quantity, SetupId, measure};

/// Both types: identifier, name, TCP flows.
const SHARED: Type = Type { id: "shared", name: "shared bottleneck", tcp: &["h3"] };
const SEPARATE: Type = Type { id: "separate", name: "separate bottlenecks", tcp: &["h3", "h5"] };

#[derive(Clone, Copy)]
struct Type {
    id: &'static str,
    name: &'static str,
    tcp: &'static [&'static str],
}

/// Fig. 1b is Scenario 2.
fn setup(kind: Type, cc: Algorithm, size: Size) -> Setup {
    if kind.id == SHARED.id { FIG_1A.setup(cc, size) } else { S2.setup(cc, size) }
}

fn mptcp(run: SetupId) -> Quantity {
    measure(run, |run| run.goodput("mptcp"))
}

fn tcp(run: SetupId, kind: Type) -> Quantity {
    measure(run, move |run| run.total(kind.tcp))
}

pub(super) const THROUGHPUT: Definition = Definition {
    ids: &["D-F2"],
    title: "Throughput by type of bottleneck: one TCP flow on each",
    notes: &[
        "Shared: 120 Mbit/s. Separate: 60 Mbit/s each, which is Scenario 2. RTT 10 ms, buffer 1 BDP, as there.",
        "The algorithm is not named; it is read as LIA, the default of MPTCP for Linux. OLIA and BALIA are shown \
         beside it.",
        OURS,
    ],
    plan: throughput,
};

fn throughput(size: Size) -> Plan {
    let mut plan = Plan::new();
    let mut figure = Vec::new();
    for kind in [SHARED, SEPARATE] {
        for cc in [LIA, OLIA, BALIA, LINKED] {
            let setup = setup(kind, cc, size);
            let run = plan.simulate(if cc == LIA { setup.sampled() } else { setup });
            let id = |row: &str| format!("D-F2.{}.{}.{row}", kind.id, cc.id);
            let what = |what: &str| format!("{}, {}: {what}", kind.name, cc.name);
            let published = if kind.id == SHARED.id { 60.0 } else { 40.0 };
            let row = plan.row(id("mptcp"), what("MPTCP"), "Mbit/s", mptcp(run));
            if cc == LIA {
                row.published(published).because(if kind.id == SHARED.id {
                    "Headers leave 57.9 of 60 Mbit/s."
                } else {
                    why::TOGETHER
                });
                figure.push((kind, run));
            } else if cc != LINKED {
                row.beside(published, "the text, if this was the algorithm");
            }
            let row = plan.row(id("tcp"), what("TCP"), "Mbit/s", tcp(run, kind));
            if cc == LIA && kind.id == SHARED.id {
                row.published(60.0);
            }
        }
    }
    plan.figure(move |runs| {
        let panel = |(letter, (kind, run)): (char, &(Type, SetupId))| {
            let of = |name, flows: &[&str]| series(name, over_time(runs.first(*run), flows));
            lines(
                format!("({letter}) {}", kind.name),
                time_axis(duration_s(size)),
                axis("throughput (Mbit/s)"),
                vec![of("MPTCP", &["mptcp"]), of("TCP", kind.tcp)],
            )
        };
        Figure {
            id: "D-F2".into(),
            title: "Throughput comparison by bottleneck type, LIA (seed 1)".into(),
            panels: ['a', 'b'].into_iter().zip(&figure).map(panel).collect(),
        }
    });
    plan
}

/// The throughput of some flows together in each second, in Mbit/s; empty where the run failed.
fn over_time(run: Option<&Outcome>, flows: &[&str]) -> Vec<Point> {
    let Some(run) = run else { return vec![] };
    let subflows =
        || run.samples.flows.iter().filter(|f| flows.contains(&f.name.as_str())).flat_map(|f| &f.subflows);
    let delivered = |until_s: f64| -> f64 {
        let last = subflows().map(|s| {
            s.time_s.partition_point(|t| *t <= until_s).checked_sub(1).map(|i| s.delivered_bytes[i])
        });
        last.flatten().sum()
    };
    let seconds = run.summary.duration_s as u32;
    let mbit = |s: u32| (delivered(f64::from(s)) - delivered(f64::from(s) - 1.0)) * 8.0 / 1e6;
    (1..=seconds).map(|s| point(f64::from(s), mbit(s))).collect()
}

/// What Fig. 3 shows, in seconds: the text speaks of 10 to 25 s. All of a run that ends before.
fn shown_s(duration_s: f64) -> (f64, f64) {
    if duration_s < 25.0 { (0.0, duration_s) } else { (10.0, 25.0) }
}

pub(super) const RTT: Definition = Definition {
    ids: &["D-F3"],
    title: "RTT fluctuations of both subflows by type of bottleneck",
    notes: &[
        "The runs of D-F2 with ADW-BALIA, so that its own measure of similarity can be read as well: d, by how much the \
         fluctuations (RTT_max − RTT_min since a subflow's last loss) differ from their average at a loss, and the \
         level j that follows: 0 \"similar\" (d ≤ 10 %), 1 (d ≤ 20 %), 2. Means over time.",
        "Claims are read as orderings: correlated more, d and j less with a shared bottleneck than with separate ones.",
    ],
    plan: rtt,
};

fn rtt(size: Size) -> Plan {
    let mut plan = Plan::new();
    let [shared, separate] = [SHARED, SEPARATE].map(|kind| {
        let run = plan.simulate(setup(kind, ADW, size).sampled());
        let id = format!("D-F3.{}.correlation", kind.id);
        let what = format!("{}: correlation of the subflows' smoothed RTTs", kind.name);
        plan.row(id, what, "", correlation(run));
        run
    });
    plan.ordering(
        "D-F3.correlation",
        "smoothed RTTs are alike with a shared bottleneck and distinct with separate ones: correlation",
        "",
        vec![("separate", correlation(separate)), ("shared", correlation(shared))],
    );
    for adw in [ADW, RUNNING] {
        let runs = [SHARED, SEPARATE].map(|kind| (kind, plan.simulate(setup(kind, adw, size))));
        for (id, name, observable) in [("d", "dissimilarity d", "dissimilarity"), ("j", "level j", "level")] {
            for (kind, run) in runs {
                let what = format!("{}, {}: mean {name}", kind.name, adw.name);
                plan.row(format!("D-F3.{}.{}.{id}", adw.id, kind.id), what, "", observed(run, observable));
            }
            plan.ordering(
                format!("D-F3.{}.{id}", adw.id),
                format!("{}: fluctuations are more alike with a shared bottleneck: {name}", adw.name),
                "",
                runs.map(|(kind, run)| (kind.id, observed(run, observable))).into(),
            );
        }
    }
    let (from_s, until_s) = shown_s(duration_s(size));
    plan.figure(move |runs| {
        let panel = |(title, run): (&str, SetupId)| {
            let of = |name, r| {
                let mut series = trace(name, runs.first(run), "mptcp", r, |s| Some(&s.srtt_s));
                series.points.retain(|p| (from_s..=until_s).contains(&p.x));
                series.points.iter_mut().for_each(|p| p.y *= 1e3);
                series
            };
            let mut time = time_axis(until_s);
            time.domain = Some((from_s, until_s));
            lines(title, time, axis("smoothed RTT (ms)"), vec![of("subflow 1", 0), of("subflow 2", 1)])
        };
        Figure {
            id: "D-F3".into(),
            title: "RTT fluctuations according to the type of bottleneck (seed 1)".into(),
            panels: [("(a) shared bottleneck", shared), ("(b) separate bottlenecks", separate)]
                .map(panel)
                .into(),
        }
    });
    plan
}

fn observed(run: SetupId, name: &'static str) -> Quantity {
    measure(run, move |run| run.observable("mptcp", 0, name))
}

/// Pearson's correlation of the subflows' sampled smoothed RTTs.
fn correlation(run: SetupId) -> Quantity {
    measure(run, |run| {
        let [first, second] = [run.series("mptcp", 0)?, run.series("mptcp", 1)?];
        let pairs = first.srtt_s.iter().zip(&second.srtt_s).map(|(x, y)| (*x, *y));
        pearson(&pairs.filter(|(x, y)| x.is_finite() && y.is_finite()).collect::<Vec<_>>())
    })
}

fn pearson(pairs: &[(f64, f64)]) -> Option<f64> {
    let n = pairs.len() as f64;
    let (mean_x, mean_y) =
        (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in pairs.iter().map(|(x, y)| (x - mean_x, y - mean_y)) {
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
    }
    let r = xy / (xx * yy).sqrt();
    r.is_finite().then_some(r)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quick run ends before what the paper shows.
    #[test]
    fn the_figure_shows_a_part_of_the_run() {
        for size in Size::ALL {
            let (from, until) = shown_s(duration_s(size));
            assert!(0.0 <= from && from < until && until <= duration_s(size), "{size:?}");
        }
        assert_eq!(shown_s(duration_s(Size::Default)), (10.0, 25.0));
    }

    /// By hand: deviations (−1, 0, 1) and (−1, 1, 0) give 1/2.
    #[test]
    fn correlations_by_hand() {
        let r = |pairs: &[(f64, f64)]| pearson(pairs).unwrap();
        assert!((r(&[(1.0, 10.0), (2.0, 20.0), (3.0, 30.0)]) - 1.0).abs() < 1e-12);
        assert!((r(&[(1.0, 3.0), (2.0, 5.0), (3.0, 4.0)]) - 0.5).abs() < 1e-12);
        assert_eq!(pearson(&[(1.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(pearson(&[]), None);
    }
}
