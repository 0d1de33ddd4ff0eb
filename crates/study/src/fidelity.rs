//! The simulator compared with another backend: differences between runs of the same scenarios.

mod hosts;

pub(crate) use hosts::attach_linux_hosts;
pub use hosts::{
    Cause, LINUX_HOSTS_SET, LinuxHosts, Simulated, WithLinuxHosts, exceeds_ten_percent, is_significant,
};

use crate::outcome::{Outcome, base};
use crate::stats::{Estimate, estimate, quantile};
use anabranch_record::{FlowSummary, SubflowSummary, Summary};
use anabranch_scenario::distinct;
use serde::{Deserialize, Serialize};

/// The comparison of one scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fidelity {
    /// The scenario's title.
    pub title: String,
    /// The identifier of the other backend's variant.
    pub variant: String,
    /// The command that runs it there.
    pub command: String,
    /// The number of seeds that both have; the values come from these.
    pub seeds: usize,
    /// The number of requested seeds.
    pub of_seeds: usize,
    /// The compared quantities.
    pub quantities: Vec<Difference>,
}

/// A quantity of one scenario, compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Which.
    pub kind: Measure,
    /// The flow, or the flow and its path: "mptcp", "mptcp, a+b".
    pub of: String,
    /// The simulator's value, in the kind's unit.
    pub simulated: Estimate,
    /// The other backend's value.
    pub real: Estimate,
    /// The simulator's value ÷ the other's − 1; null if the other's is zero.
    pub relative: Option<f64>,
    /// Half the width of its 95 % interval; null if one of the two has a single seed.
    pub half_width: Option<f64>,
    /// The difference with Linux-accurate hosts in the simulator; null if not simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linux_hosts: Option<WithLinuxHosts>,
}

/// The compared quantities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// A flow's goodput, in bits per second; the mean over a group of flows.
    Goodput,
    /// A subflow's mean window, in segments.
    Window,
    /// A subflow's mean smoothed RTT, in seconds, which both report.
    SmoothedRoundTrip,
    /// A subflow's segments dropped in the network ÷ sent.
    Loss,
    /// The mean time of a flow's responses or transfers, in seconds; the mean over a group of flows.
    Completion,
}

impl Measure {
    /// All of them.
    pub const ALL: [Measure; 5] =
        [Measure::Goodput, Measure::Window, Measure::SmoothedRoundTrip, Measure::Loss, Measure::Completion];

    /// Its name for readers.
    pub fn title(self) -> &'static str {
        match self {
            Measure::Goodput => "goodput",
            Measure::Window => "mean window",
            Measure::SmoothedRoundTrip => "mean SRTT",
            Measure::Loss => "loss rate",
            Measure::Completion => "mean completion time",
        }
    }
}

impl Fidelity {
    /// Compares the runs of a scenario in the simulator and on the other backend, one per seed, over the seeds that both have.
    /// `None` without comparisons.
    pub(crate) fn of(
        title: &str,
        variant: &str,
        command: String,
        simulated: &[Result<Outcome, String>],
        real: &[Result<Outcome, String>],
    ) -> Option<Fidelity> {
        let of_seeds = simulated.len().min(real.len());
        let pairs = simulated.iter().zip(real).filter_map(|(simulated, real)| {
            Some((&simulated.as_ref().ok()?.summary, &real.as_ref().ok()?.summary))
        });
        let (simulated, real): (Vec<&Summary>, Vec<&Summary>) = pairs.unzip();
        let quantities = of_flows(&real.first()?.flows).filter_map(|(kind, of, value)| {
            Some(Difference::of(kind, of, each(&simulated, &value)?, each(&real, &value)?))
        });
        Some(Fidelity {
            title: title.into(),
            variant: variant.into(),
            command,
            seeds: real.len(),
            of_seeds,
            quantities: quantities.collect(),
        })
    }
}

impl Difference {
    pub(crate) fn of(kind: Measure, of: String, simulated: Estimate, real: Estimate) -> Self {
        let (relative, half_width) = ratio(&simulated, &real);
        Difference { kind, of, simulated, real, relative, half_width, linux_hosts: None }
    }
}

/// The simulator's value ÷ the other's − 1, and half the width of its interval.
fn ratio(simulated: &Estimate, real: &Estimate) -> (Option<f64>, Option<f64>) {
    let ratio = simulated.mean / real.mean;
    // The delta method for small independent errors. Not relative to the simulator's mean, which may be zero.
    let half_width = match (simulated.exact_half_width(), real.exact_half_width()) {
        (Some(a), Some(b)) if ratio.is_finite() => {
            Some(((a / real.mean).powi(2) + (ratio * b / real.mean).powi(2)).sqrt())
        }
        _ => None,
    };
    (ratio.is_finite().then_some(ratio - 1.0), half_width.filter(|h| h.is_finite()))
}

/// The relative difference between two halves of the simulator's seeds, scaled by √n to the number of seeds in the comparison.
fn chance(simulated: &Estimate) -> Option<f64> {
    let values = &simulated.values;
    let halves = values.split_at(values.len() / 2);
    let [(a, n), (b, m)] = [halves.0, halves.1].map(|half| {
        let n = half.len() as f64;
        (half.iter().sum::<f64>() / n, n)
    });
    let shrink = (2.0 / values.len() as f64 / (1.0 / n + 1.0 / m)).sqrt();
    Some(shrink * ((a - b) / simulated.mean).abs()).filter(|apart| apart.is_finite())
}

/// The estimate of a quantity that each run has.
fn each(runs: &[&Summary], value: &Value) -> Option<Estimate> {
    estimate(runs.iter().map(|run| value(run)).collect::<Option<_>>()?)
}

/// A summary of differences over many scenarios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KindOverview {
    /// The kind of quantity.
    pub kind: Measure,
    /// With idealised hosts.
    pub plain: DifferenceStats,
    /// With Linux-accurate hosts; `None` if no quantity was simulated with them.
    pub linux_hosts: Option<DifferenceStats>,
}

/// Statistics of the relative differences of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DifferenceStats {
    /// The number of quantities that have a difference.
    pub count: usize,
    /// The median and the 90th percentile of the differences' amounts.
    pub quantiles: [f64; 2],
    /// The same of the simulator's difference from itself with as many seeds, the effect of chance; `None` for single seeds.
    pub floor: Option<[f64; 2]>,
    /// The fraction that is at most 10 %.
    pub within: f64,
    /// The number of [significant](is_significant) differences.
    pub significant: usize,
}

impl DifferenceStats {
    /// Statistics of the simulator's values with their differences and intervals; `None` without a difference.
    fn of<'a>(
        all: impl Iterator<Item = (&'a Estimate, Option<f64>, Option<f64>)>,
    ) -> Option<DifferenceStats> {
        let all: Vec<(&Estimate, f64, Option<f64>)> =
            all.filter_map(|(simulated, relative, half)| Some((simulated, relative?, half))).collect();
        let count = all.len();
        let within = all.iter().filter(|(_, relative, _)| !exceeds_ten_percent(*relative)).count();
        let significant = all.iter().filter(|(_, relative, half)| is_significant(Some(*relative), *half));
        Some(DifferenceStats {
            count,
            quantiles: quantiles(all.iter().map(|(_, relative, _)| relative.abs()).collect())?,
            floor: quantiles(all.iter().filter_map(|(simulated, ..)| chance(simulated)).collect()),
            within: within as f64 / count as f64,
            significant: significant.count(),
        })
    }

    /// Whether the median is at or below its floor, so that chance explains it.
    pub fn is_chance(&self) -> bool {
        self.floor.is_some_and(|floor| self.quantiles[0] <= floor[0])
    }
}

/// The median and the 90th percentile; `None` without a value.
fn quantiles(mut amounts: Vec<f64>) -> Option<[f64; 2]> {
    amounts.sort_by(f64::total_cmp);
    (!amounts.is_empty()).then(|| [0.5, 0.9].map(|p| quantile(&amounts, p)))
}

/// An overview for each kind of quantity.
pub fn overview<'a>(all: impl Iterator<Item = &'a Fidelity>) -> Vec<KindOverview> {
    let quantities: Vec<&Difference> = all.flat_map(|fidelity| &fidelity.quantities).collect();
    let of_kind = |kind: Measure| {
        let of_kind = quantities.iter().filter(move |quantity| quantity.kind == kind);
        let hosts = of_kind.clone().filter_map(|quantity| quantity.linux_hosts.as_ref());
        Some(KindOverview {
            kind,
            plain: DifferenceStats::of(of_kind.map(|q| (&q.simulated, q.relative, q.half_width)))?,
            linux_hosts: DifferenceStats::of(hosts.map(|h| (&h.simulated, h.relative, h.half_width))),
        })
    };
    Measure::ALL.into_iter().filter_map(of_kind).collect()
}

type Value = Box<dyn Fn(&Summary) -> Option<f64>>;

/// All compared quantities of these flows; flows of one `count` are averaged.
fn of_flows(flows: &[FlowSummary]) -> impl Iterator<Item = (Measure, String, Value)> + use<'_> {
    let names = distinct(flows.iter().map(|flow| base(&flow.name)));
    names.into_iter().flat_map(|name| {
        let first = flows.iter().find(|flow| base(&flow.name) == name);
        let paths = first.map_or(&[][..], |flow| &flow.subflows);
        let goodput = (Measure::Goodput, name.to_owned(), mean(name, |flow| flow.goodput_bps));
        let of_paths = paths.iter().enumerate().flat_map(move |(path, subflow)| {
            let of = format!("{name}, {}", subflow.path.join("+"));
            let value = move |value: fn(&SubflowSummary) -> Option<f64>| {
                mean(name, move |flow| flow.subflows.get(path).and_then(value))
            };
            [
                (Measure::Window, of.clone(), value(|subflow| subflow.mean_cwnd_segments)),
                (Measure::SmoothedRoundTrip, of.clone(), value(|subflow| subflow.mean_srtt_s)),
                (Measure::Loss, of, value(|subflow| subflow.loss_rate)),
            ]
        });
        let completion = |flow: &FlowSummary| flow.completion.as_ref().map(|times| times.mean_s);
        let completion = (Measure::Completion, name.to_owned(), mean(name, completion));
        std::iter::once(goodput).chain(of_paths).chain(std::iter::once(completion))
    })
}

/// The mean over the flows of that name, as far as they have a value.
fn mean(name: &str, value: impl Fn(&FlowSummary) -> Option<f64> + 'static) -> Value {
    let name = name.to_owned();
    Box::new(move |summary| {
        let alike = summary.flows.iter().filter(|flow| base(&flow.name) == name);
        let values: Vec<f64> = alike.filter_map(&value).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate_of(mean: f64, half_width: Option<f64>) -> Estimate {
        Estimate { mean, half_width, values: vec![mean] }
    }

    /// By hand: 11 ± 1.1 beside 10 ± 1 is 10 % more, and its interval 1.1 · √(0.1² + 0.1²).
    #[test]
    fn intervals_of_a_ratio() {
        let of = |a, b| Difference::of(Measure::Goodput, "tcp".into(), a, b);
        let apart = of(estimate_of(11.0, Some(1.1)), estimate_of(10.0, Some(1.0)));
        assert!((apart.relative.unwrap() - 0.1).abs() < 1e-12);
        assert!((apart.half_width.unwrap() - 1.1 * 0.02f64.sqrt()).abs() < 1e-12);
        let without = of(estimate_of(11.0, None), estimate_of(10.0, Some(1.0)));
        assert!(without.relative.is_some() && without.half_width.is_none());
        // Where all seeds agree on no loss, a loss elsewhere is not chance; a single seed says nothing of it.
        let losses = || estimate(vec![0.008, 0.01, 0.012]).unwrap();
        let never = of(estimate(vec![0.0; 3]).unwrap(), losses());
        assert_eq!((never.relative, never.half_width), (Some(-1.0), Some(0.0)));
        assert_eq!(never.cause(), Cause::Unexplained);
        let once = of(estimate(vec![0.0]).unwrap(), losses());
        assert_eq!((once.half_width, once.cause()), (None, Cause::Chance));
        let lossless = of(estimate(vec![0.0; 3]).unwrap(), estimate(vec![0.0; 3]).unwrap());
        assert_eq!((lossless.relative, lossless.half_width), (None, None));
    }

    /// By hand: 1, 4, 6 and 20 % apart.
    #[test]
    fn medians_of_amounts() {
        let apart = |simulated: f64| {
            let (simulated, real) = (estimate_of(simulated, None), estimate_of(100.0, None));
            Difference::of(Measure::Window, "x".into(), simulated, real)
        };
        let quantities = [101.0, 96.0, 106.0, 80.0].map(apart).to_vec();
        let fidelity = Fidelity { quantities, ..Fidelity::default() };
        let [found] = overview(std::iter::once(&fidelity))[..] else { panic!("one kind") };
        assert_eq!((found.kind, found.linux_hosts), (Measure::Window, None));
        assert_eq!((found.plain.count, found.plain.within), (4, 0.75));
        // The 90th percentile lies 0.7 of the way from the third amount to the fourth.
        for (found, by_hand) in found.plain.quantiles.into_iter().zip([0.05, 0.06 + 0.7 * 0.14]) {
            assert!((found - by_hand).abs() < 1e-12);
        }
        // Without intervals nothing is beyond.
        assert_eq!(found.plain.significant, 0);
    }

    /// By hand: 1, 1, 3 and 3 have halves of 1 and 3 around 2, and means of four differ by 1/√2 of what means of two do; of 2, 3 and 4
    /// one beside two are 1.5 apart around 3, and the root of ⅔ ÷ (1 + ½) is ⅔.
    #[test]
    fn chance_of_the_simulator_beside_itself() {
        let of = |values: &[f64]| chance(&estimate(values.to_vec()).unwrap());
        assert!((of(&[1.0, 1.0, 3.0, 3.0]).unwrap() - 0.5f64.sqrt()).abs() < 1e-12);
        assert!((of(&[2.0, 3.0, 4.0]).unwrap() - 0.5 * 2.0 / 3.0).abs() < 1e-12);
        assert_eq!((of(&[5.0; 4]), of(&[5.0]), of(&[0.0, 0.0])), (Some(0.0), None, None));
    }

    /// Quantities that differ from themselves by chance alone have their quantiles at the floor: both are of means of eight uniform
    /// numbers.
    #[test]
    fn differences_by_chance_alone_are_at_the_floor() {
        let mut state = 1u64;
        let mut seeds = || {
            let values = (0..8).map(|_| {
                // Knuth's MMIX.
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                1.0 + (state >> 11) as f64 / (1u64 << 53) as f64
            });
            estimate(values.collect()).unwrap()
        };
        let differences: Vec<Difference> =
            (0..4000).map(|_| Difference::of(Measure::Goodput, "tcp".into(), seeds(), seeds())).collect();
        let found = DifferenceStats::of(differences.iter().map(|q| (&q.simulated, q.relative, q.half_width)))
            .unwrap();
        // The amount of a normal difference: 0.6745 and 1.6449 times σ √(2/8) around a mean of 1.5, σ² = 1/12.
        let theory = [0.6745, 1.6449].map(|z| z * (1.0f64 / 12.0 / 4.0).sqrt() / 1.5);
        for found in [found.quantiles, found.floor.unwrap()] {
            let near = found.iter().zip(theory).all(|(found, theory)| (found / theory - 1.0).abs() < 0.06);
            assert!(near, "{found:?} {theory:?}");
        }
        let below = DifferenceStats { quantiles: [0.02, 0.1], floor: Some([0.021, 0.1]), ..found };
        assert!(below.is_chance() && !DifferenceStats { quantiles: [0.022, 0.1], ..below }.is_chance());
    }

    fn run(text: &str, seed: u64) -> Result<Outcome, String> {
        Ok(crate::outcome::tests::outcome(&crate::Task::new(text).seed(seed)))
    }

    fn compared(simulated: &[Result<Outcome, String>], real: &[Result<Outcome, String>]) -> Option<Fidelity> {
        Fidelity::of("x", "kernel", "run".into(), simulated, real)
    }

    #[test]
    fn responses_have_their_time() {
        let text = r#"
            name = "requests"
            duration = "5 s"
            links.a = { rate = "10 Mbit/s", delay = "5 ms" }
            flows = [{ name = "web", cc = "reno", paths = [["a"]], application = { kind = "request-response", size = "50 kB", think = "100 ms" } }]
        "#;
        let same = [1, 2].map(|seed| run(text, seed));
        let found = compared(&same, &same).unwrap();
        let time = found.quantities.iter().find(|q| q.kind == Measure::Completion).unwrap();
        // 50 kB at 10 Mbit/s take 40 ms, and half a round trip more at the least.
        assert_eq!((&*time.of, time.relative), ("web", Some(0.0)));
        assert!((0.045..0.5).contains(&time.real.mean), "{}", time.real.mean);
    }

    #[test]
    fn flows_alike_are_taken_together() {
        let text = crate::simulator::BESIDE.replace("\"tcp\",", "\"tcp\", count = 2,");
        let same = [1, 2].map(|seed| run(&text, seed));
        let fidelity = compared(&same, &same).unwrap();
        let goodputs: Vec<_> = fidelity.quantities.iter().filter(|q| q.kind == Measure::Goodput).collect();
        assert_eq!(goodputs.iter().map(|q| &*q.of).collect::<Vec<_>>(), ["mptcp", "tcp"]);
        let summaries: Vec<&Summary> = same.iter().map(|run| &run.as_ref().unwrap().summary).collect();
        let by_hand = summaries
            .iter()
            .map(|s| (s.flows[1].goodput_bps.unwrap() + s.flows[2].goodput_bps.unwrap()) / 4.0);
        assert!((goodputs[1].real.mean / by_hand.sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(fidelity.quantities.len(), 2 + 3 * 3);
        assert!(fidelity.quantities.iter().all(|q| q.relative.is_none_or(|r| r == 0.0)));
    }

    /// A run that failed on one of the two takes its seed out, and not the scenario.
    #[test]
    fn seeds_that_both_have() {
        let run = |seed| run(crate::simulator::ONE_LINK, seed);
        let broken = || Err("broken".to_owned());
        let found = compared(&[run(1), broken(), run(3)], &[run(1), run(2), run(3)]).unwrap();
        assert_eq!((found.seeds, found.of_seeds), (2, 3));
        let quantity = &found.quantities[0];
        assert_eq!((quantity.simulated.values.len(), &quantity.simulated), (2, &quantity.real));
        assert_eq!(compared(&[run(1), broken()], &[broken(), run(2)]), None);
    }
}
