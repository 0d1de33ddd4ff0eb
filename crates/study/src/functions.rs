//! The functions that expressions of a study may call: what they read from a run.

mod equilibrium;
mod goals;
mod presence;
pub mod recovery;
mod utility;

use crate::outcome::Outcome;
use crate::stats::pearson;
use anabranch_record::{FlowSummary, LinkSummary, SubflowSeries, SubflowSummary};
use anabranch_scenario::Scenario;

/// A function that reads a number from a run.
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// Its parameters.
    pub takes: &'static [Parameter],
    /// The unit of its value; empty for a ratio or a count.
    pub unit: &'static str,
    /// The description of its value.
    pub doc: &'static str,
    /// The percentiles that it offers, if any.
    pub percentiles: &'static [f64],
    /// Whether it needs samples over time.
    pub samples: bool,
    /// The computation.
    pub read: Read,
    /// Whether runs of a scenario can have the value.
    check: presence::Check,
}

impl Function {
    /// Whether runs of that scenario can have the value.
    ///
    /// # Errors
    /// The reason why no run has it.
    pub fn check(&self, scenario: &Scenario, args: &Arguments<'_>) -> Result<(), String> {
        if self.takes.first() == Some(&Parameter::Flow) {
            let flow = scenario.flows.iter().find(|flow| flow.name == args.text());
            let flow = flow.ok_or_else(|| format!("there is no flow `{}`", args.text()))?;
            if let Some(r) = args.subflow.filter(|r| *r >= flow.paths.len()) {
                return Err(format!("flow `{}` has {} subflows, not {}", flow.name, flow.paths.len(), r + 1));
            }
        }
        (self.check)(scenario, args)
    }
}

/// Reads a value from runs and those of the same seeds in another setup, or finds the reason for its absence.
pub type Paired = fn(&[&Outcome], &[&Outcome], &Arguments<'_>) -> Result<f64, String>;

/// The computation of a value; `None` if a run has no such value.
#[derive(Clone, Copy)]
pub enum Read {
    /// From a run; the mean over several seeds.
    Run(fn(&Outcome, &Arguments<'_>) -> Option<f64>),
    /// From several seeds' runs and those of the same seeds in another setup.
    Paired(Paired),
    /// From the scenario alone, before anything runs.
    Scenario(fn(&Scenario, &Arguments<'_>) -> Result<f64, String>),
}

impl Read {
    /// The value of one seed's run, or of several together; `elsewhere` has the runs for [`Parameter::Elsewhere`].
    ///
    /// # Errors
    /// The reason for a missing value; empty if a run lacks it.
    pub fn value(
        self,
        runs: &[&Outcome],
        elsewhere: &[&Outcome],
        args: &Arguments<'_>,
    ) -> Result<f64, String> {
        match (self, runs) {
            (Read::Run(read), [run]) => read(run, args).ok_or_else(String::new),
            (Read::Run(read), _) => {
                let sum: Option<f64> = runs.iter().map(|run| read(run, args)).sum();
                Ok(sum.ok_or_else(String::new)? / runs.len() as f64)
            }
            (Read::Paired(read), _) => read(runs, elsewhere, args),
            (Read::Scenario(_), _) => Err(String::new()),
        }
    }
}

/// A parameter of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A flow's name.
    Flow,
    /// Any number of flows' names, at least one.
    Flows,
    /// A subflow's number, from 1.
    Subflow,
    /// A subflow's number, or nothing for the whole connection.
    MaybeSubflow,
    /// A link's name.
    Link,
    /// Another text.
    Word,
    /// A number.
    Number,
    /// A number, or nothing.
    MaybeNumber,
    /// `runs = NAME` or `axis = value`: other runs of the same seeds.
    Elsewhere,
}

/// The arguments of a call, by type in their order.
pub struct Arguments<'a> {
    /// Flows, links and words.
    pub texts: &'a [String],
    /// Subflow, from 0.
    pub subflow: Option<usize>,
    /// Other numbers.
    pub numbers: &'a [f64],
}

impl Arguments<'_> {
    fn text(&self) -> &str {
        self.texts.first().map_or("", String::as_str)
    }

    fn number(&self) -> Option<f64> {
        self.numbers.first().copied()
    }
}

/// Bytes of a full packet.
const PACKET: f64 = 1500.0;

fn flow<'a>(run: &'a Outcome, args: &Arguments<'_>) -> Option<&'a FlowSummary> {
    run.flow(args.text())
}

fn subflow<'a>(run: &'a Outcome, args: &Arguments<'_>) -> Option<&'a SubflowSummary> {
    run.subflow(args.text(), args.subflow?)
}

fn link<'a>(run: &'a Outcome, args: &Arguments<'_>) -> Option<&'a LinkSummary> {
    run.summary.links.iter().find(|link| link.name == args.text())
}

/// The requested percentile, of those that are recorded.
fn percentile(args: &Arguments<'_>, recorded: [(f64, Option<f64>); 4]) -> Option<f64> {
    recorded.into_iter().find(|(known, _)| Some(*known) == args.number())?.1
}

/// The mean, or the requested percentile.
fn mean_or_percentile(args: &Arguments<'_>, mean: f64, [p50, p95, p99]: [f64; 3]) -> Option<f64> {
    percentile(args, [(50.0, Some(p50)), (95.0, Some(p95)), (99.0, Some(p99)), (f64::NAN, None)])
        .or(args.number().is_none().then_some(mean))
}

const FLOW: &[Parameter] = &[Parameter::Flow];
const PART: &[Parameter] = &[Parameter::Flow, Parameter::MaybeSubflow];
const SUBFLOW: &[Parameter] = &[Parameter::Flow, Parameter::Subflow];
const LINK: &[Parameter] = &[Parameter::Link];
const MAYBE: &[Parameter] = &[Parameter::Flow, Parameter::MaybeNumber];
const FROM: &[Parameter] = &[Parameter::Flow, Parameter::Subflow, Parameter::Number];

const fn function(
    name: &'static str,
    takes: &'static [Parameter],
    unit: &'static str,
    doc: &'static str,
    read: fn(&Outcome, &Arguments<'_>) -> Option<f64>,
) -> Function {
    let (read, check) = (Read::Run(read), presence::always as presence::Check);
    Function { name, takes, unit, doc, percentiles: &[], samples: false, read, check }
}

const fn checked(check: presence::Check, function: Function) -> Function {
    Function { check, ..function }
}

const fn of_percentiles(percentiles: &'static [f64], function: Function) -> Function {
    Function { percentiles, ..function }
}

const fn of_times(check: presence::Check, function: Function) -> Function {
    Function { check, percentiles: &[50.0, 95.0, 99.0], ..function }
}

const fn sampled(check: presence::Check, function: Function) -> Function {
    Function { check, samples: true, ..function }
}

/// Every function, in the order in which the reference shows them.
pub static FUNCTIONS: &[Function] = &[
    function(
        "goodput",
        PART,
        "Mbit/s",
        "payload delivered in order, of a connection or of one of its subflows",
        |run, args| match args.subflow {
            None => Some(flow(run, args)?.goodput_bps? / 1e6),
            Some(_) => Some(subflow(run, args)?.goodput_bps? / 1e6),
        },
    ),
    function(
        "total",
        &[Parameter::Flows],
        "Mbit/s",
        "the sum of the goodputs of several connections; \"web\" stands for web/1, web/2, …",
        |run, args| {
            let meant = |flow: &&FlowSummary| {
                args.texts.iter().any(|text| *text == flow.name || text == crate::outcome::base(&flow.name))
            };
            let meant: Vec<&FlowSummary> = run.summary.flows.iter().filter(meant).collect();
            (!meant.is_empty()).then_some(())?;
            Some(meant.iter().map(|flow| flow.goodput_bps).sum::<Option<f64>>()? / 1e6)
        },
    ),
    function(
        "share",
        FLOW,
        "",
        "a connection's goodput ÷ the mean of all connections' goodputs",
        |run, args| run.summary.share(flow(run, args)?),
    ),
    function("jain", &[], "", "Jain's index of the connections' goodputs", |run, _| run.summary.jain),
    function(
        "captured",
        PART,
        "Mbit/s",
        "the rate of all segments that a capture at the sender sees, at IP level with headers and retransmissions, over the same period as goodput; each segment counts as a full one",
        |run, args| match args.subflow {
            None => (0..flow(run, args)?.subflows.len()).map(|r| run.captured(args.text(), r)).sum(),
            Some(r) => run.captured(args.text(), r),
        },
    ),
    function("cwnd", SUBFLOW, "segments", "the mean congestion window over time", |run, args| {
        subflow(run, args)?.mean_cwnd_segments
    }),
    function(
        "rtt",
        SUBFLOW,
        "s",
        "the time-weighted mean round-trip time, without the wait for delayed ACKs, except where a timer sends the ACK of a single segment; not available from a kernel",
        |run, args| subflow(run, args)?.mean_rtt_s,
    ),
    function(
        "srtt",
        SUBFLOW,
        "s",
        "the mean smoothed round-trip time, with the wait for delayed ACKs; also available from a kernel",
        |run, args| subflow(run, args)?.mean_srtt_s,
    ),
    of_percentiles(
        &[5.0, 50.0, 95.0, 99.0],
        function(
            "rtt_percentile",
            FROM,
            "s",
            "the 5th, 50th, 95th or 99th percentile of the round-trip times; not available from a kernel",
            |run, args| {
                let s = subflow(run, args)?;
                percentile(
                    args,
                    [(5.0, s.rtt_p5_s), (50.0, s.rtt_p50_s), (95.0, s.rtt_p95_s), (99.0, s.rtt_p99_s)],
                )
            },
        ),
    ),
    of_percentiles(
        &[5.0, 50.0, 95.0, 99.0],
        function(
            "srtt_percentile",
            FROM,
            "s",
            "the 5th, 50th, 95th or 99th percentile of the smoothed round-trip time at the sampling instants",
            |run, args| {
                let s = subflow(run, args)?;
                let recorded =
                    [(5.0, s.srtt_p5_s), (50.0, s.srtt_p50_s), (95.0, s.srtt_p95_s), (99.0, s.srtt_p99_s)];
                percentile(args, recorded)
            },
        ),
    ),
    function(
        "loss",
        PART,
        "",
        "segments dropped in the network ÷ segments sent, of a subflow or of all of a connection",
        |run, args| match args.subflow {
            None => flow(run, args)?.loss_rate(),
            Some(_) => subflow(run, args)?.loss_rate,
        },
    ),
    function("recoveries", SUBFLOW, "", "entries into loss recovery ÷ segments sent", |run, args| {
        let s = subflow(run, args)?;
        (s.sent_segments > 0).then(|| s.recoveries as f64 / s.sent_segments as f64)
    }),
    function("timeouts", PART, "", "retransmission timeouts", |run, args| match args.subflow {
        None => Some(flow(run, args)?.subflows.iter().map(|subflow| subflow.timeouts as f64).sum()),
        Some(_) => Some(subflow(run, args)?.timeouts as f64),
    }),
    function("retransmitted", FLOW, "", "retransmitted segments", |run, args| {
        Some(flow(run, args)?.retransmitted_segments as f64)
    }),
    function(
        "window_rate",
        FLOW,
        "segments/s",
        "the sum over subflows of mean window ÷ mean smoothed round-trip time",
        |run, args| {
            let rate = |s: &SubflowSummary| Some(s.mean_cwnd_segments? / s.mean_srtt_s?);
            flow(run, args)?.subflows.iter().map(rate).sum()
        },
    ),
    checked(
        presence::observable,
        function(
            "observable",
            &[Parameter::Flow, Parameter::Subflow, Parameter::Word],
            "",
            "the time-weighted mean of one of the algorithm's observables, such as \"alpha\" (`anabranch cc show` lists them)",
            |run, args| run.observable(args.text(), args.subflow?, args.texts.get(1)?),
        ),
    ),
    checked(
        presence::observables,
        function(
            "utility_rate",
            &[Parameter::Flow, Parameter::Word],
            "Mbit/s",
            "the connection's rate at IP level in the allocation that maximises the sum of weight · log(rate) over all connections; a connection's weight is the time-weighted mean of one of its algorithm's observables, summed over its subflows",
            |run, args| utility::rate(run, args.text(), args.texts.get(1)?),
        ),
    ),
    checked(
        presence::observables,
        function(
            "utility_price",
            &[Parameter::Link, Parameter::Word],
            "s",
            "the link's price in that allocation: the weight, in segments, of a connection that the link limits ÷ the connection's rate",
            |run, args| utility::price(run, args.text(), args.texts.get(1)?),
        ),
    ),
    of_times(
        presence::responses,
        function(
            "completion",
            MAYBE,
            "s",
            "the mean time of a response or a transfer, or its 50th, 95th or 99th percentile",
            |run, args| {
                let times = flow(run, args)?.completion.as_ref()?;
                mean_or_percentile(args, times.mean_s, [times.p50_s, times.p95_s, times.p99_s])
            },
        ),
    ),
    of_times(
        presence::transfers,
        function(
            "slowdown",
            MAYBE,
            "",
            "a transfer's completion time ÷ its ideal time, bits ÷ capacity of the regular paths + their shortest base RTT: the mean, or the 50th, 95th or 99th percentile",
            |run, args| {
                let times = flow(run, args)?.transfers.as_ref()?.slowdown.as_ref()?;
                mean_or_percentile(args, times.mean, [times.p50, times.p95, times.p99])
            },
        ),
    ),
    of_times(
        presence::transfers,
        function(
            "times_alone",
            MAYBE,
            "",
            "a transfer's completion time ÷ that of the same transfer with the same algorithm alone in the idle network: the mean, or the 50th, 95th or 99th percentile",
            |run, args| {
                let times = flow(run, args)?.transfers.as_ref()?.times_alone.as_ref()?;
                mean_or_percentile(args, times.mean, [times.p50, times.p95, times.p99])
            },
        ),
    ),
    function("utilisation", LINK, "", "bits that a link carried ÷ its capacity", |run, args| {
        Some(link(run, args)?.utilisation)
    }),
    function(
        "queue",
        LINK,
        "packets",
        "the mean queue before a link, in packets of 1500 bytes",
        |run, args| Some(link(run, args)?.mean_queue_bytes / PACKET),
    ),
    function("queue_bytes", LINK, "bytes", "the same in bytes", |run, args| {
        Some(link(run, args)?.mean_queue_bytes)
    }),
    function("queue_delay", LINK, "s", "the mean time that a byte waits before a link", |run, args| {
        link(run, args)?.mean_queue_delay_s
    }),
    function("drops", LINK, "", "packets that a link's queue dropped", |run, args| {
        Some(link(run, args)?.drops as f64)
    }),
    function("marks", LINK, "", "packets that a link marked (ECN)", |run, args| {
        Some(link(run, args)?.marks as f64)
    }),
    function("duration", &[], "s", "the length of the run", |run, _| Some(run.summary.duration_s)),
    function("warmup", &[], "s", "the time at which means begin: the end of the warm-up", |run, _| {
        Some(run.summary.warmup_s)
    }),
    sampled(
        presence::always,
        function(
            "rtt_correlation",
            FLOW,
            "",
            "Pearson's correlation of the smoothed round-trip times of a connection's first two subflows",
            |run, args| {
                let series = |r| run.samples.series(args.text(), r);
                let pairs = series(0)?.srtt_s.iter().zip(&series(1)?.srtt_s).map(|(x, y)| (*x, *y));
                pearson(&pairs.filter(|(x, y)| x.is_finite() && y.is_finite()).collect::<Vec<_>>())
            },
        ),
    ),
    sampled(
        presence::instant,
        function(
            "cwnd_from",
            FROM,
            "segments",
            "the mean of the sampled windows from the given second to the end",
            |run, args| run.cwnd_from(args.text(), args.subflow?, args.number()?),
        ),
    ),
    sampled(
        presence::instant,
        function(
            "loss_time",
            FROM,
            "s",
            "the time of the subflow's first loss after the given second",
            |run, args| Some(run.loss_after(args.text(), args.subflow?, args.number()?)?.0),
        ),
    ),
    sampled(
        presence::instant,
        function("loss_window", FROM, "segments", "the subflow's window at that loss", |run, args| {
            Some(run.loss_after(args.text(), args.subflow?, args.number()?)?.1)
        }),
    ),
    recovery::RECOVERY,
    recovery::RECOVERED_AT_ALL,
    equilibrium::EQUILIBRIUM,
    goals::THROUGHPUT,
    goals::NO_HARM,
    goals::BALANCE,
];

/// A function for lines in figures over time.
pub struct SeriesFunction {
    /// Its name.
    pub name: &'static str,
    /// Its value, with the unit.
    pub doc: &'static str,
    /// The subflow's series.
    pub column: fn(&SubflowSeries) -> &[f64],
}

/// All of them; each takes a flow and a subflow.
pub static SERIES: &[SeriesFunction] = &[
    SeriesFunction { name: "cwnd", doc: "congestion window (segments)", column: |s| &s.cwnd_segments },
    SeriesFunction { name: "srtt", doc: "smoothed round-trip time (s)", column: |s| &s.srtt_s },
    SeriesFunction { name: "rtt", doc: "the same as `srtt`, under its former name", column: |s| &s.srtt_s },
    SeriesFunction { name: "sequence", doc: "payload sent (bytes)", column: |s| &s.sent_bytes },
    SeriesFunction { name: "delivered", doc: "payload acknowledged (bytes)", column: |s| &s.delivered_bytes },
    SeriesFunction { name: "lost", doc: "segments lost so far", column: |s| &s.lost_segments },
];

/// A function of numbers alone.
pub type Compute = fn(&[f64]) -> f64;

/// Functions of numbers: name, least and largest number of arguments, computation.
pub static MATH: &[(&str, usize, usize, Compute)] = &[
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
