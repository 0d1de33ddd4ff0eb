//! The functions that expressions of a study may call: what they read from a run.

mod equilibrium;
mod function;
mod goals;
mod presence;
pub mod recovery;
mod utility;

pub use function::{Arguments, Function, Paired, Parameter, Read};

use crate::outcome::Outcome;
use crate::stats::pearson;
use anabranch_record::{FlowSummary, SubflowSeries, SubflowSummary};
use function::{FLOW, FROM, MAYBE, PART, named};

/// Bytes of a full packet.
const PACKET: f64 = 1500.0;

fn flow<'a>(run: &'a Outcome, args: &Arguments<'_>) -> Option<&'a FlowSummary> {
    run.flow(args.text())
}

/// The requested percentile, of those that are recorded.
fn percentile(args: &Arguments<'_>, known: &[f64], recorded: &[Option<f64>]) -> Option<f64> {
    recorded[known.iter().position(|known| Some(*known) == args.number())?]
}

fn mean_or_percentile(args: &Arguments<'_>, mean: f64, percentiles: [f64; 3]) -> Option<f64> {
    let percentile = percentile(args, OF_TIMES, &percentiles.map(Some));
    percentile.or(args.number().is_none().then_some(mean))
}

/// The percentiles of round-trip times, and those of responses and transfers.
const OF_RTT: &[f64] = &[5.0, 50.0, 95.0, 99.0];
const OF_TIMES: &[f64] = &[50.0, 95.0, 99.0];

/// Every function, in the order in which the reference shows them.
pub static FUNCTIONS: &[Function] = &[
    named("goodput", "Mbit/s", "payload delivered in order, of a connection or of one of its subflows")
        .of_part(|flow| Some(flow.goodput_bps? / 1e6), |subflow| Some(subflow.goodput_bps? / 1e6)),
    named(
        "total",
        "Mbit/s",
        "the sum of the goodputs of several connections; \"web\" stands for web/1, web/2, …",
    )
    .of(&[Parameter::Flows], |run, args| {
        let meant = |flow: &&FlowSummary| {
            args.texts.iter().any(|text| *text == flow.name || text == crate::outcome::base(&flow.name))
        };
        let meant: Vec<&FlowSummary> = run.summary.flows.iter().filter(meant).collect();
        (!meant.is_empty()).then_some(())?;
        Some(meant.iter().map(|flow| flow.goodput_bps).sum::<Option<f64>>()? / 1e6)
    }),
    named("share", "", "a connection's goodput ÷ the mean of all connections' goodputs")
        .of(FLOW, |run, args| run.summary.share(flow(run, args)?)),
    named("jain", "", "Jain's index of the connections' goodputs").of(&[], |run, _| run.summary.jain),
    named(
        "captured",
        "Mbit/s",
        "the rate of all segments that a capture at the sender sees, at IP level with headers and retransmissions, over the same period as goodput; each segment counts as a full one",
    )
    .of(PART, |run, args| match args.subflow {
        None => (0..flow(run, args)?.subflows.len()).map(|r| run.captured(args.text(), r)).sum(),
        Some(r) => run.captured(args.text(), r),
    }),
    named("cwnd", "segments", "the mean congestion window over time").of_subflow(|s| s.mean_cwnd_segments),
    named(
        "rtt",
        "s",
        "the time-weighted mean round-trip time, without the wait for delayed ACKs, except where a timer sends the ACK of a single segment; not available from a kernel",
    )
    .of_subflow(|s| s.mean_rtt_s),
    named(
        "srtt",
        "s",
        "the mean smoothed round-trip time, with the wait for delayed ACKs; also available from a kernel",
    )
    .of_subflow(|s| s.mean_srtt_s),
    named(
        "rtt_percentile",
        "s",
        "the 5th, 50th, 95th or 99th percentile of the round-trip times; not available from a kernel",
    )
    .of(FROM, |run, args| {
        let s = run.subflow(args.text(), args.subflow?)?;
        percentile(args, OF_RTT, &[s.rtt_p5_s, s.rtt_p50_s, s.rtt_p95_s, s.rtt_p99_s])
    })
    .percentiles(OF_RTT),
    named(
        "srtt_percentile",
        "s",
        "the 5th, 50th, 95th or 99th percentile of the smoothed round-trip time at the sampling instants",
    )
    .of(FROM, |run, args| {
        let s = run.subflow(args.text(), args.subflow?)?;
        percentile(args, OF_RTT, &[s.srtt_p5_s, s.srtt_p50_s, s.srtt_p95_s, s.srtt_p99_s])
    })
    .percentiles(OF_RTT),
    named("loss", "", "segments dropped in the network ÷ segments sent, of a subflow or of all of a connection")
        .of_part(FlowSummary::loss_rate, |subflow| subflow.loss_rate),
    named("recoveries", "", "entries into loss recovery ÷ segments sent")
        .of_subflow(|s| (s.sent_segments > 0).then(|| s.recoveries as f64 / s.sent_segments as f64)),
    named("timeouts", "", "retransmission timeouts").of_part(
        |flow| Some(flow.subflows.iter().map(|subflow| subflow.timeouts as f64).sum()),
        |subflow| Some(subflow.timeouts as f64),
    ),
    named("retransmitted", "", "retransmitted segments")
        .of(FLOW, |run, args| Some(flow(run, args)?.retransmitted_segments as f64)),
    named(
        "window_rate",
        "segments/s",
        "the sum over subflows of mean window ÷ mean smoothed round-trip time",
    )
    .of(FLOW, |run, args| {
        let rate = |s: &SubflowSummary| Some(s.mean_cwnd_segments? / s.mean_srtt_s?);
        flow(run, args)?.subflows.iter().map(rate).sum()
    }),
    named(
        "observable",
        "",
        "the time-weighted mean of one of the algorithm's observables, such as \"alpha\" (`anabranch cc show` lists them)",
    )
    .of(&[Parameter::Flow, Parameter::Subflow, Parameter::Word], |run, args| {
        run.observable(args.text(), args.subflow?, args.texts.get(1)?)
    })
    .checked(presence::observable),
    named(
        "utility_rate",
        "Mbit/s",
        "the connection's rate at IP level in the allocation that maximises the sum of weight · log(rate) over all connections; a connection's weight is the time-weighted mean of one of its algorithm's observables, summed over its subflows",
    )
    .of(&[Parameter::Flow, Parameter::Word], |run, args| utility::rate(run, args.text(), args.texts.get(1)?))
    .checked(presence::observables),
    named(
        "utility_price",
        "s",
        "the link's price in that allocation: the weight, in segments, of a connection that the link limits ÷ the connection's rate",
    )
    .of(&[Parameter::Link, Parameter::Word], |run, args| utility::price(run, args.text(), args.texts.get(1)?))
    .checked(presence::observables),
    named("completion", "s", "the mean time of a response or a transfer, or its 50th, 95th or 99th percentile")
        .of(MAYBE, |run, args| {
            let times = flow(run, args)?.completion.as_ref()?;
            mean_or_percentile(args, times.mean_s, [times.p50_s, times.p95_s, times.p99_s])
        })
        .percentiles(OF_TIMES)
        .checked(presence::responses),
    named(
        "slowdown",
        "",
        "a transfer's completion time ÷ its ideal time, bits ÷ capacity of the regular paths + their shortest base RTT: the mean, or the 50th, 95th or 99th percentile",
    )
    .of(MAYBE, |run, args| {
        let times = flow(run, args)?.transfers.as_ref()?.slowdown.as_ref()?;
        mean_or_percentile(args, times.mean, [times.p50, times.p95, times.p99])
    })
    .percentiles(OF_TIMES)
    .checked(presence::transfers),
    named(
        "times_alone",
        "",
        "a transfer's completion time ÷ that of the same transfer with the same algorithm alone in the idle network: the mean, or the 50th, 95th or 99th percentile",
    )
    .of(MAYBE, |run, args| {
        let times = flow(run, args)?.transfers.as_ref()?.times_alone.as_ref()?;
        mean_or_percentile(args, times.mean, [times.p50, times.p95, times.p99])
    })
    .percentiles(OF_TIMES)
    .checked(presence::transfers),
    named("utilisation", "", "bits that a link carried ÷ its capacity").of_link(|link| Some(link.utilisation)),
    named("queue", "packets", "the mean queue before a link, in packets of 1500 bytes")
        .of_link(|link| Some(link.mean_queue_bytes / PACKET)),
    named("queue_bytes", "bytes", "the same in bytes").of_link(|link| Some(link.mean_queue_bytes)),
    named("queue_delay", "s", "the mean time that a byte waits before a link")
        .of_link(|link| link.mean_queue_delay_s),
    named("drops", "", "packets that a link's queue dropped").of_link(|link| Some(link.drops as f64)),
    named("marks", "", "packets that a link marked (ECN)").of_link(|link| Some(link.marks as f64)),
    named("duration", "s", "the length of the run").of(&[], |run, _| Some(run.summary.duration_s)),
    named("warmup", "s", "the time at which means begin: the end of the warm-up")
        .of(&[], |run, _| Some(run.summary.warmup_s)),
    named(
        "rtt_correlation",
        "",
        "Pearson's correlation of the smoothed round-trip times of a connection's first two subflows, at the sampling instants at which both have one",
    )
    .of(FLOW, |run, args| {
        let series = |r| run.samples.series(args.text(), r);
        pearson(&round_trips(series(0)?, series(1)?))
    })
    .sampled(),
    named("cwnd_from", "segments", "the mean of the sampled windows from the given second to the end")
        .of(FROM, |run, args| run.cwnd_from(args.text(), args.subflow?, args.number()?))
        .sampled()
        .checked(presence::instant),
    named(
        "loss_time",
        "s",
        "the time of the subflow's first loss after the given second; without a loss, of its last sample",
    )
    .of(FROM, |run, args| Some(run.loss_after(args.text(), args.subflow?, args.number()?)?.0))
    .sampled()
    .checked(presence::instant),
    named("loss_window", "segments", "the subflow's window at that time")
        .of(FROM, |run, args| Some(run.loss_after(args.text(), args.subflow?, args.number()?)?.1))
        .sampled()
        .checked(presence::instant),
    recovery::RECOVERY,
    recovery::RECOVERED_AT_ALL,
    equilibrium::EQUILIBRIUM,
    goals::THROUGHPUT,
    goals::NO_HARM,
    goals::BALANCE,
];

/// The smoothed round-trip times of two subflows at each instant at which both have one: they may join and leave at different times.
fn round_trips(one: &SubflowSeries, other: &SubflowSeries) -> Vec<(f64, f64)> {
    let beside = |t: &f64| other.time_s.binary_search_by(|at| at.total_cmp(t)).ok();
    let pairs = one.time_s.iter().zip(&one.srtt_s);
    let pairs = pairs.filter_map(|(t, x)| Some((*x, *other.srtt_s.get(beside(t)?)?)));
    pairs.filter(|(x, y)| *x > 0.0 && *y > 0.0).collect()
}

/// A subflow's samples over time.
pub(crate) type Series = fn(&SubflowSeries) -> &[f64];

/// Functions for lines in figures over time; each takes a flow and a subflow. Windows and losses are in segments, times in seconds, what
/// is sent and delivered in bytes.
pub(crate) static SERIES: &[(&str, Series)] = &[
    ("cwnd", |s| &s.cwnd_segments),
    ("srtt", |s| &s.srtt_s),
    // The former name of `srtt`.
    ("rtt", |s| &s.srtt_s),
    ("sequence", |s| &s.sent_bytes),
    ("delivered", |s| &s.delivered_bytes),
    ("lost", |s| &s.lost_segments),
];

/// A function of numbers alone.
pub(crate) type Compute = fn(&[f64]) -> f64;

/// Functions of numbers: name, least and largest number of arguments, computation.
pub(crate) static MATH: &[(&str, usize, usize, Compute)] = &[
    ("abs", 1, 1, |x| x[0].abs()),
    ("sqrt", 1, 1, |x| x[0].sqrt()),
    ("round", 1, 1, |x| x[0].round()),
    ("log10", 1, 1, |x| x[0].log10()),
    ("ln", 1, 1, |x| x[0].ln()),
    ("exp", 1, 1, |x| x[0].exp()),
    ("min", 1, usize::MAX, |x| x.iter().copied().fold(f64::INFINITY, f64::min)),
    ("max", 1, usize::MAX, |x| x.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
    ("sum", 1, usize::MAX, |x| x.iter().sum()),
    ("mean", 1, usize::MAX, |x| x.iter().sum::<f64>() / x.len() as f64),
    ("jain_of", 1, usize::MAX, |x| anabranch_record::jain(x).unwrap_or(f64::NAN)),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The second subflow joins later, and the first is away for a while.
    #[test]
    fn round_trips_of_one_instant_are_pairs() {
        let subflow = |times: &[f64], unit: f64| SubflowSeries {
            time_s: times.to_vec(),
            srtt_s: times.iter().map(|t| t * unit).collect(),
            ..SubflowSeries::default()
        };
        let (mut first, second) =
            (subflow(&[1.0, 2.0, 5.0, 6.0], 1.0), subflow(&[2.0, 3.0, 4.0, 5.0, 6.0], 10.0));
        assert_eq!(round_trips(&first, &second), [(2.0, 20.0), (5.0, 50.0), (6.0, 60.0)]);
        first.srtt_s[2] = f64::NAN;
        assert_eq!(round_trips(&first, &second), [(2.0, 20.0), (6.0, 60.0)]);
    }
}
