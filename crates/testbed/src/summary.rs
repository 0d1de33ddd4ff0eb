//! The summary of a run.

use crate::emulator::{PathCounts, Report, Snapshot, Tally};
use crate::observe::{Observer, SampleCounts};
use crate::recording::Recording;
use crate::{RunOptions, Traffic, hardware, release};
use anabranch_net::Time;
use anabranch_record::{
    Completion, EmulatorHealth, FlowLayout, FlowSummary, KernelRun, Layout, LinkSummary, PathTraffic, Summary,
};
use anabranch_scenario::{Flow, Scenario};

/// Limits of a valid run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The limit of the 99th percentile of packet lateness.
    pub late: Time,
    /// The limit of the maximum packet lateness, in which a queue may run empty.
    pub too_late: Time,
    /// The limit of the lateness of samples: the traffic's threads wait equally long.
    pub sample: Time,
    /// The limit of the emulator's CPU use, as a fraction of a core.
    pub busy: f64,
    /// The limit of the cost of standstills, as a fraction of the goodput.
    pub effect: f64,
}

impl Limits {
    /// The limits except in tests.
    pub const USUAL: Limits = Limits {
        late: Time::from_millis(1),
        too_late: Time::from_millis(20),
        sample: Time::from_millis(50),
        busy: 0.9,
        effect: 0.01,
    };
}

/// The state at the end of a run.
pub(crate) struct End {
    /// The end of the run: early, if it was interrupted.
    pub until: Time,
    /// Links and paths at the end of the warm-up.
    pub warm: Snapshot,
    /// Links and paths at the end.
    pub end: Snapshot,
    pub report: Report,
    /// Packets that devices dropped before the emulator took them.
    pub device_drops: u64,
    /// The number of times that TCP came under memory pressure: its buffers went beyond `net.ipv4.tcp_mem`, for which the kernel
    /// reduces windows without a loss.
    pub memory_pressures: u64,
    pub skips_programs: Option<bool>,
    /// The number of times that a program's table refused a row to a socket. Such a socket is not coupled and not sampled.
    pub without_row: u64,
    pub options: RunOptions,
    /// The largest lateness of samples of sockets.
    pub samples_late: Time,
    /// The delay after time 0 until all hosts and connections were ready; zero if they were ready before.
    pub start_delay: Time,
    /// The fraction of CPU time withheld from this machine; `None` if the kernel does not report it.
    pub stolen: Option<f64>,
}

/// The fraction of steal time that explains late links.
const STOLEN: f64 = 0.01;

/// The summary of a run that ended at `end.until`.
pub(crate) fn of(
    scenario: &Scenario,
    seed: u64,
    observer: &Observer<'_>,
    recording: &Recording<'_>,
    end: &End,
) -> Summary {
    let layouts = Layout::of(scenario).flows;
    let flows = layouts.iter().enumerate();
    let flows: Vec<_> =
        flows.map(|(f, layout)| flow(scenario, f, layout, observer, recording, end)).collect();
    let seconds = end.end.at.since(end.warm.at).as_secs_f64();
    let done = end.end.links.iter().zip(&end.warm.links).map(|(end, warm)| end.0.since(&warm.0));
    let links =
        scenario.links.iter().zip(done).map(|(link, done)| LinkSummary::of(&link.name, &done, seconds));
    let kernel = Some(kernel(scenario, &flows, observer, end));
    Summary { kernel, ..Summary::of_run(scenario, seed, end.until, flows, links.collect()) }
}

fn flow(
    scenario: &Scenario,
    f: usize,
    layout: &FlowLayout,
    observer: &Observer<'_>,
    recording: &Recording<'_>,
    end: &End,
) -> FlowSummary {
    let observed = &observer.flows[f];
    let seconds = observed.seconds();
    let (bytes, reinjected_bytes) = observed.bytes();
    let first = scenario.flows[..f].iter().map(|flow| flow.paths.len()).sum::<usize>();
    let measured = observed.meters.iter().zip(first..).map(|(meter, i)| {
        let (before, after) = (&end.warm.paths[i], &end.end.paths[i]);
        let dropped = after.dropped_segments - before.dropped_segments;
        meter.measured(seconds, after.segments - before.segments, dropped)
    });
    let (times, sum_s) = recording.completion_times(f);
    FlowSummary {
        reinjected_segments: reinjected_bytes.div_ceil(u64::from(scenario.flows[f].tcp.mss)),
        completion: Completion::of(&times, sum_s),
        ..FlowSummary::of(layout, bytes, seconds, measured)
    }
}

/// All paths, in the emulator's order: each flow with the index of its path.
fn paths(scenario: &Scenario) -> impl Iterator<Item = (&Flow, usize)> {
    scenario.flows.iter().flat_map(|flow| (0..flow.paths.len()).map(move |p| (flow, p)))
}

fn kernel(scenario: &Scenario, flows: &[FlowSummary], observer: &Observer<'_>, end: &End) -> KernelRun {
    let health = &end.report.health;
    let standstill_s = end.end.standstill.since(end.warm.standstill).as_secs_f64();
    let of = |count: fn(&PathCounts) -> f64| {
        end.end.paths.iter().map(count).sum::<f64>() - end.warm.paths.iter().map(count).sum::<f64>()
    };
    let standstill_losses = of(|path| path.standstill_losses as f64) as u64;
    let cycles = of(|path| path.standstill_cycles);
    let responses: u64 = flows.iter().flat_map(|f| &f.subflows).map(|s| s.recoveries + s.timeouts).sum();
    let measured_s = end.end.at.since(end.warm.at).as_secs_f64();
    let emulator = EmulatorHealth {
        lateness_p50_s: health.lateness.quantile(0.5),
        lateness_p99_s: health.lateness.quantile(0.99),
        lateness_max_s: (health.lateness.count() > 0).then(|| health.latest.as_secs_f64()),
        standstill_s,
        standstill_losses,
        standstill_effect: standstill_effect(
            standstill_s,
            measured_s,
            cycles,
            responses.max(standstill_losses),
        ),
        cpu: health.cpu_share(),
        device_drops: end.device_drops + health.refused,
        quantum_s: Some(health.quantum.as_secs_f64()),
        real_time_priority: health.realtime,
    };
    let mut invalid = invalid(&emulator, &end.options.limits);
    invalid.extend(refused(end.without_row));
    invalid.extend(short_of_memory(end.memory_pressures));
    invalid.extend(impossible(observer.sample_counts));
    let beyond = |what: &str, late: Time, limit: Time| {
        (late > limit).then(|| format!("{what} {:.1} ms late", late.as_secs_f64() * 1e3))
    };
    invalid.extend(beyond("sockets were sampled", end.samples_late, end.options.limits.sample));
    invalid.extend(beyond("hosts and connections were ready", end.start_delay, Time::ZERO));
    let fallen = scenario.flows.iter().zip(&observer.flows).filter(|(_, observed)| observed.is_fallback);
    invalid.extend(
        fallen.map(|(flow, _)| format!("the MPTCP connection of {} fell back to plain TCP", flow.name)),
    );
    if end.options.traffic == Traffic::Iperf3 {
        invalid.extend(silent_subflows(scenario, end.until, &end.end.paths));
    }
    if let Some(stolen) = end.stolen.filter(|stolen| *stolen > STOLEN)
        && invalid.iter().any(|why| why.contains(" late") || why.contains(STOOD_STILL))
    {
        let percent = stolen * 100.0;
        invalid.push(format!("the host withheld {percent:.0} % of this virtual machine's CPU time (steal)"));
    }
    let seen = end.report.manners.iter().zip(&end.end.paths);
    let paths = paths(scenario).zip(seen).map(|((flow, subflow), (manner, counts))| {
        let per_ack = manner.segments_per_ack.without_zeros();
        PathTraffic {
            flow: flow.name.clone(),
            subflow,
            segments: counts.segments,
            mean_burst_segments: manner.segments_per_burst.mean(),
            acknowledgements: counts.acks,
            mean_segments_per_ack: per_ack.mean(),
            p95_segments_per_ack: p95(&per_ack),
        }
    });
    KernelRun {
        release: release(),
        machine: hardware::machine(),
        invalid,
        invalid_attempts: 0,
        traffic: end.options.traffic.name().to_owned(),
        impossible_samples: observer.sample_counts.impossible,
        samples_late_max_s: end.samples_late.as_secs_f64(),
        emulator,
        skips_programs: end.skips_programs,
        paths: paths.collect(),
    }
}

/// An upper bound of the cost of standstills, as a fraction of the goodput. It adds the standstill time, in which packets do
/// not enter links, and `cycles` as a fraction of all cycles between two reactions to congestion, for windows halved too
/// early.
///
/// A window that grows evenly from W/2 to W in a time T carries 3/4 WT, in units of W·RTT. Halved once more at W(1 + x)/2, x
/// from 0 to 1, it carries 3/16 (1 − x²) WT less. This is (1 − x²)/4 of a cycle's data, at most a quarter. The packets of a
/// standstill of length s arrive at once after it. If the queue holds the packets of a longer time Q, it has drained by the
/// same amount before. It can then overflow only if it was about to: with less room than s of Q, at a window within s/Q of W.
/// Then x is at least 1 − 2 s/Q, and the cost is at most s/Q.
fn standstill_effect(standstill_s: f64, measured_s: f64, cycles: f64, responses: u64) -> f64 {
    let of = |part: f64, all: f64| if part > 0.0 { part / all } else { 0.0 };
    of(standstill_s, measured_s) + of(cycles, responses as f64)
}

/// The start of the reason.
const STOOD_STILL: &str = "the emulator stood still";

/// Reasons in the emulator's health that make a run invalid.
fn invalid(emulator: &EmulatorHealth, limits: &Limits) -> Vec<String> {
    let Limits { late, too_late, busy, effect, .. } = *limits;
    let ms = |seconds: f64| format!("{:.1} ms", seconds * 1e3);
    let limit = |limit: Time| ms(limit.as_secs_f64());
    let p99 = emulator.lateness_p99_s.filter(|p99| *p99 > late.as_secs_f64());
    let max = emulator.lateness_max_s.filter(|max| *max > too_late.as_secs_f64());
    let cpu = (emulator.cpu > busy).then_some(emulator.cpu * 100.0);
    let drops = (emulator.device_drops > 0).then_some(emulator.device_drops);
    let said = [
        p99.map(|p99| {
            format!("1 % of packets left their link at least {} late, the limit is {}", ms(p99), limit(late))
        }),
        max.map(|max| format!("a packet left its link {} late, the limit is {}", ms(max), limit(too_late))),
        cpu.map(|cpu| format!("the emulator took {cpu:.0} % of a core, the limit is {:.0} %", busy * 100.0)),
        drops.map(|drops| format!("{drops} packets were lost outside the links")),
        (emulator.standstill_effect > effect).then(|| {
            format!(
                "{STOOD_STILL} for {} in total, and queues dropped data {} times right after: this may cost {:.1} % of the \
                 goodput, the limit is {:.0} %",
                ms(emulator.standstill_s),
                emulator.standstill_losses,
                emulator.standstill_effect * 100.0,
                effect * 100.0
            )
        }),
    ];
    said.into_iter().flatten().collect()
}

/// Subflows that should have existed from the flow's start and never sent: a program's listener may refuse them.
fn silent_subflows(scenario: &Scenario, until: Time, counts: &[PathCounts]) -> Vec<String> {
    let asked = paths(scenario).zip(counts).filter(|((flow, p), _)| {
        let joins = !flow.paths[*p].backup && flow.events.iter().all(|event| event.path != *p);
        flow.start < until && joins
    });
    let silent = asked.filter(|(_, counts)| counts.segments == 0);
    silent.map(|((flow, p), _)| format!("subflow {} of {} never sent", p + 1, flow.name)).collect()
}

/// The reason in the algorithms' tables that makes a run invalid.
fn refused(times: u64) -> Option<String> {
    (times > 0).then(|| {
        format!(
            "an algorithm's program had no row for a subflow {times} times: its table holds 4096 connections"
        )
    })
}

/// The reason in the kernel's memory that makes a run invalid.
fn short_of_memory(times: u64) -> Option<String> {
    (times > 0).then(|| {
        format!(
            "TCP was short of memory {times} times and reduced windows: on this machine, raise net.ipv4.tcp_mem; in a guest, set a \
             smaller tcp.receive_buffer"
        )
    })
}

/// The largest fraction of impossible samples in a valid run.
const IMPOSSIBLE: f64 = 0.01;

/// The reason in the sockets' samples that makes a run invalid.
fn impossible(sample_counts: SampleCounts) -> Option<String> {
    let SampleCounts { all, impossible } = sample_counts;
    (impossible as f64 > IMPOSSIBLE * all as f64).then(|| {
        format!("{impossible} of {all} samples of subflows have a window beyond all sent data, the limit is {:.0} %", IMPOSSIBLE * 100.0)
    })
}

/// The 95th percentile of small numbers.
fn p95(tally: &Tally) -> Option<f64> {
    let all: u64 = tally.counts.iter().sum();
    let rank = (all as f64 * 0.95).ceil() as u64;
    let mut seen = 0;
    let found = tally.counts.iter().position(|count| {
        seen += count;
        seen >= rank.max(1)
    });
    found.map(|number| number as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_of_invalid_runs() {
        let good = EmulatorHealth {
            lateness_p99_s: Some(150e-6),
            lateness_max_s: Some(3e-3),
            standstill_s: 0.01,
            standstill_losses: 1,
            standstill_effect: 0.01,
            cpu: 0.4,
            ..EmulatorHealth::default()
        };
        assert!(invalid(&good, &Limits::USUAL).is_empty());
        for (bad, said) in [
            (
                EmulatorHealth { lateness_p99_s: Some(2e-3), ..good.clone() },
                "1 % of packets left their link at least 2.0 ms late, the limit is 1.0 ms",
            ),
            (
                EmulatorHealth { lateness_max_s: Some(0.05), ..good.clone() },
                "a packet left its link 50.0 ms late, the limit is 20.0 ms",
            ),
            (EmulatorHealth { cpu: 0.95, ..good.clone() }, "95 % of a core"),
            (EmulatorHealth { device_drops: 3, ..good.clone() }, "3 packets were lost outside"),
            (EmulatorHealth { standstill_effect: 0.011, ..good.clone() }, "may cost 1.1 % of the goodput"),
        ] {
            let [why] = &invalid(&bad, &Limits::USUAL)[..] else { panic!("one reason: {bad:?}") };
            assert!(why.contains(said), "{why}");
        }
        assert_eq!(impossible(SampleCounts { all: 300, impossible: 3 }), None);
        let why = impossible(SampleCounts { all: 299, impossible: 3 });
        assert!(why.is_some_and(|why| why.contains("3 of 299 samples")));
        assert_eq!(refused(0), None);
        assert!(refused(2).is_some_and(|why| why.contains("no row for a subflow 2 times")));
        assert_eq!(short_of_memory(0), None);
        assert!(short_of_memory(3).is_some_and(|why| why.contains("short of memory 3 times")));
    }

    /// A backup subflow may stay silent, as may a flow that has not begun.
    #[test]
    fn a_subflow_that_never_sent() {
        let text = r#"
            name = "two flows"
            duration = "4 s"
            links.a = { rate = "20 Mbit/s", delay = "10 ms", queue = "1 BDP" }
            flows = [
                { name = "whole", cc = "lia", paths = [["a"], ["a"]] },
                { name = "backed", cc = "lia", paths = [["a"], ["a"]], backup = [2] },
                { name = "late", cc = "reno", paths = [["a"]], start = "3 s" },
            ]
        "#;
        let scenario = text.parse::<Scenario>().unwrap();
        let said = |segments: [u64; 5], until| {
            let counts = segments.map(|segments| PathCounts { segments, ..PathCounts::default() });
            silent_subflows(&scenario, Time::from_millis(until), &counts)
        };
        assert!(said([1, 1, 1, 0, 0], 2000).is_empty());
        assert_eq!(said([1, 0, 1, 0, 1], 4000), ["subflow 2 of whole never sent"]);
        assert_eq!(said([1, 1, 1, 1, 0], 4000), ["subflow 1 of late never sent"]);
    }

    /// By hand: 80 ms of 10 s are 0.8 %, and half a cycle of 50 is 1 %.
    #[test]
    fn standstill_costs_are_bounded() {
        for (standstill_s, cycles, responses, effect) in [
            (0.0, 0.0, 0, 0.0),
            (0.0, 0.0, 50, 0.0),
            (0.08, 0.0, 50, 0.008),
            (0.0, 0.5, 50, 0.01),
            (0.08, 0.5, 50, 0.018),
        ] {
            let is: f64 = standstill_effect(standstill_s, 10.0, cycles, responses);
            assert!((is - effect).abs() < 1e-12, "{is} {effect}");
        }
        assert_eq!(standstill_effect(0.0, 0.0, 0.0, 0), 0.0, "interrupted in the warm-up");
    }
}
