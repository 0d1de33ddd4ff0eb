//! Tables of quantities: of subflows and links, in summaries and in samples over time.
//!
//! To add a quantity, add one line here and its measurement. Structs, JSON, files, tables of the terminal, columns in Python and
//! the book's tables (`docs/src/records.md`) follow. Quantities of flows are in `summary.rs`, by hand.

use crate::meter::{Measured, rate_bps};
use anabranch_net::Totals;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A quantity of a summary: of a [`SubflowSummary`] or a [`LinkSummary`].
pub struct Quantity<S> {
    /// Its field, and its column in Python.
    pub name: &'static str,
    /// Its meaning: lines of a comment.
    pub doc: &'static [&'static str],
    /// Its unit.
    pub unit: Unit,
    /// The heading of its column in the terminal.
    pub heading: &'static str,
    /// Which tables of the terminal have it.
    pub shown: &'static [View],
    /// Its value.
    pub read: fn(&S) -> Option<f64>,
}

/// The unit of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bits per second.
    Rate,
    /// Seconds.
    Time,
    /// Segments.
    Segments,
    /// A fraction of 1.
    Fraction,
    /// Bytes.
    Bytes,
    /// Whole segments, packets or events.
    Count,
}

/// A table in the terminal. Tables of links use `Run` and `Compare` on every backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Of a run in the simulator.
    Run,
    /// Of a run on a kernel.
    Kernel,
    /// Of several algorithms.
    Compare,
    /// Of several algorithms on a kernel.
    CompareKernel,
    /// Of a capture.
    Capture,
}

macro_rules! number {
    (Count $value:expr) => {
        Some($value as f64)
    };
    ($unit:ident $value:expr) => {
        $value.into()
    };
}

macro_rules! quantities {
    (
        $(#[$about:meta])* $summary:ident of $measured:ty {
            $(#[$about_first:meta])* $first:ident: $first_type:ty,
            ..
            $($(#[$about_last:meta])* $last:ident: $last_type:ty,)?
        }
        $(
            $(#[doc = $doc:literal])+
            $(#[serde($default:ident)])?
            $name:ident: $type:ty = $source:expr, $unit:ident $(, $heading:literal in $($view:ident)+)?;
        )+
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub struct $summary {
            $(#[$about_first])* pub $first: $first_type,
            $($(#[doc = $doc])+ $(#[serde($default)])? pub $name: $type,)+
            $($(#[$about_last])* pub $last: $last_type,)?
        }

        impl $summary {
            /// Each of the numbers, in their order.
            pub const QUANTITIES: &[Quantity<Self>] = &[$(Quantity {
                name: stringify!($name),
                doc: &[$($doc),+],
                unit: Unit::$unit,
                heading: concat!($($heading)?),
                shown: &[$($(View::$view),+)?],
                read: |summary| number!($unit summary.$name),
            }),+];

            fn measured(measured: &$measured) -> Self {
                $summary {
                    $($name: {
                        let of: fn(&$measured) -> $type = $source;
                        of(measured)
                    },)+
                    ..$summary::default()
                }
            }
        }
    };
}

quantities! {
    /// One subflow.
    SubflowSummary of Measured<'_> {
        /// Names of the links from sender to receiver.
        path: Vec<String>,
        ..
        /// Time-weighted means of the algorithm's observables, in the registry's order; an object in JSON.
        #[serde(with = "crate::ordered")]
        #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<String, Option<f64>>"))]
        mean_observables: Vec<(String, Option<f64>)>,
    }
    /// Payload bytes that arrived here first, bits per second; null if the flow was never measured.
    goodput_bps: Option<f64> = |m| rate_bps(m.bytes, m.seconds), Rate, "goodput" in Run Kernel Compare CompareKernel Capture;
    /// Time-weighted mean congestion window; null if the subflow was never established.
    mean_cwnd_segments: Option<f64> = |m| m.meter.cwnd.mean.value(), Segments, "mean cwnd" in Run Kernel Compare CompareKernel;
    /// Time-weighted mean of the round-trip time: a sample holds until the next. An ACK measures the segment sent last among those
    /// that it newly acknowledges and that were sent once: without the wait of a delayed ACK, except where the receiver's timer
    /// sends the ACK, as for a single segment. Null on a kernel, which reports only the smoothed one.
    mean_rtt_s: Option<f64> = |m| m.meter.rtt.mean.value(), Time, "mean RTT" in Run Compare Capture;
    /// 5th percentile of the round-trip time samples, each counting once. Percentiles are within 1/64 of their value;
    /// null on a kernel.
    rtt_p5_s: Option<f64> = |m| m.meter.rtts.quantile(0.05), Time;
    /// Their median.
    rtt_p50_s: Option<f64> = |m| m.meter.rtts.quantile(0.5), Time;
    /// Their 95th percentile.
    rtt_p95_s: Option<f64> = |m| m.meter.rtts.quantile(0.95), Time, "RTT p95" in Run Capture;
    /// Their 99th percentile.
    rtt_p99_s: Option<f64> = |m| m.meter.rtts.quantile(0.99), Time;
    /// Mean of the smoothed round-trip time (RFC 6298) over the sampling instants. It is of the first of these segments, with
    /// the wait of a delayed ACK.
    #[serde(default)]
    mean_srtt_s: Option<f64> = |m| m.meter.srtt.mean.value(), Time, "mean SRTT" in Kernel CompareKernel Capture;
    /// 5th percentile of the smoothed round-trip time at the sampling instants.
    #[serde(default)]
    srtt_p5_s: Option<f64> = |m| m.meter.srtts.quantile(0.05), Time;
    /// Its median.
    #[serde(default)]
    srtt_p50_s: Option<f64> = |m| m.meter.srtts.quantile(0.5), Time;
    /// Its 95th percentile.
    #[serde(default)]
    srtt_p95_s: Option<f64> = |m| m.meter.srtts.quantile(0.95), Time, "SRTT p95" in Kernel;
    /// Its 99th percentile.
    #[serde(default)]
    srtt_p99_s: Option<f64> = |m| m.meter.srtts.quantile(0.99), Time;
    /// Segments dropped in the network ÷ segments sent; null if nothing was sent.
    loss_rate: Option<f64> = |m| (m.offered > 0).then(|| m.lost as f64 / m.offered as f64), Fraction,
        "loss rate" in Run Kernel Compare CompareKernel;
    /// Segments with payload sent, retransmissions included; SYN, FIN, DATA_FIN and ACKs alone are not (as `data_segs_out` of
    /// the kernel).
    sent_segments: u64 = |m| m.sent, Count;
    /// Segments with payload dropped in the network.
    lost_segments: u64 = |m| m.lost, Count;
    /// Segments with payload retransmitted.
    retransmitted_segments: u64 = |m| m.retransmitted, Count;
    /// Entries into loss recovery.
    recoveries: u64 = |m| m.recoveries, Count;
    /// Retransmission timeouts.
    timeouts: u64 = |m| m.timeouts, Count, "timeouts" in Run Kernel;
    /// Congestion responses undone as spurious.
    spurious: u64 = |m| m.spurious, Count;
}

quantities! {
    /// One link.
    LinkSummary of (&Totals, f64) {
        /// Its name.
        name: String,
        ..
    }
    /// Wire bits transmitted ÷ capacity.
    utilisation: f64 = |(done, _)| done.utilisation(), Fraction, "utilisation" in Run Compare;
    /// Time-weighted mean of the bytes waiting.
    mean_queue_bytes: f64 = |(done, seconds)| if *seconds > 0.0 { done.queue_byte_seconds / seconds } else { 0.0 }, Bytes,
        "mean queue" in Run Compare;
    /// Mean time that a byte waits, by Little's law: the integral of the waiting bytes ÷ bytes delivered; null if nothing was
    /// delivered. Bytes that `loss_at = "exit"` loses waited, too, so the value is too large by their share.
    mean_queue_delay_s: Option<f64> = |(done, _)| done.mean_wait_s(), Time, "mean wait" in Run;
    /// Packets that the queue dropped, because it was full or by its management (AQM).
    drops: u64 = |(done, _)| done.drops, Count, "queue drops" in Run;
    /// Of these, those that the management dropped.
    early_drops: u64 = |(done, _)| done.early_drops, Count;
    /// Packets that the link marked: congestion experienced (RFC 3168).
    marks: u64 = |(done, _)| done.marked, Count, "marks" in Run;
    /// Packets that the loss model dropped, or that met a link that was down.
    losses: u64 = |(done, _)| done.losses, Count, "losses" in Run;
}

impl SubflowSummary {
    /// Of a subflow on that path, of an algorithm with these observables.
    pub fn of(path: Vec<String>, observables: &[&str], measured: &Measured<'_>) -> Self {
        let means = measured.meter.observables.iter().map(|held| held.mean.value());
        let names = observables.iter().map(|name| (*name).to_owned());
        let mean_observables = names.zip(means.chain(std::iter::repeat(None))).collect();
        SubflowSummary { path, mean_observables, ..Self::measured(measured) }
    }
}

impl LinkSummary {
    /// The summary of a link, from its counters over this number of seconds.
    pub fn of(name: &str, done: &Totals, seconds: f64) -> LinkSummary {
        LinkSummary { name: name.to_owned(), ..Self::measured(&(done, seconds)) }
    }
}

/// The type of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A real number, in every row.
    Number,
    /// A real number, or nothing.
    MaybeNumber,
    /// A whole number below 2⁶³.
    Count,
    /// A whole number of 64 bits, such as a seed.
    Unsigned,
    /// Text.
    Text,
}

/// One cell of a row.
#[derive(Clone, Copy, Debug)]
pub enum Cell<'a> {
    /// For [`Kind::Number`] and [`Kind::MaybeNumber`]; of the latter, what is not finite is null.
    Number(f64),
    /// For [`Kind::Count`] and [`Kind::Unsigned`].
    Count(u64),
    /// For [`Kind::Text`].
    Text(&'a str),
}

impl From<f64> for Cell<'_> {
    fn from(x: f64) -> Self {
        Cell::Number(x)
    }
}

impl From<u64> for Cell<'_> {
    fn from(n: u64) -> Self {
        Cell::Count(n)
    }
}

/// A column of samples.
pub struct SampleColumn {
    /// Its name, with the unit.
    pub name: &'static str,
    /// The type of its cells.
    pub kind: Kind,
    /// Its meaning: lines of a comment.
    pub doc: &'static [&'static str],
}

macro_rules! samples {
    (
        $(#[$about_sample:meta])* $sample:ident $(<$life:lifetime>)? {
            $($(#[$about_before:meta])* $before:ident: $before_type:ty,)*
            ..
            $($(#[$about_after:meta])* $after:ident: $after_type:ty,)*
        }
        $(#[$about_series:meta])* $series:ident {
            $($(#[$about_first:meta])* $first:ident: $first_type:ty,)*
            ..
            $($(#[$about_last:meta])* $last:ident: $last_type:ty,)*
        }
        $($(#[doc = $doc:literal])+ $name:ident: $type:ty, $kind:ident;)+
    ) => {
        $(#[$about_sample])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $sample $(<$life>)? {
            /// Simulated time, in seconds.
            pub time_s: f64,
            $($(#[$about_before])* pub $before: $before_type,)*
            $($(#[doc = $doc])+ pub $name: $type,)+
            $($(#[$about_after])* pub $after: $after_type,)*
        }

        impl $(<$life>)? $sample $(<$life>)? {
            /// The values of [`COLUMNS`]($series::COLUMNS).
            pub fn cells<'c>(&self) -> [Cell<'c>; $series::COLUMNS.len()] {
                [$(self.$name.into()),+]
            }

            /// As text for [`read`](Self::read), a space before each number; what follows the columns is left out.
            pub fn text(&self) -> String {
                let mut text = format!(" {}", self.time_s);
                $(write!(text, " {}", self.$before).expect("memory");)*
                $(write!(text, " {}", self.$name).expect("memory");)+
                text
            }

            /// Reads it back from its words.
            pub fn read<'t>(words: &mut impl Iterator<Item = &'t str>) -> Option<Self> {
                Some($sample {
                    time_s: words.next()?.parse().ok()?,
                    $($before: words.next()?.parse().ok()?,)*
                    $($name: words.next()?.parse().ok()?,)+
                    $($after: Default::default(),)*
                })
            }
        }

        $(#[$about_series])*
        #[derive(Clone, Debug, Default)]
        pub struct $series {
            $($(#[$about_first])* pub $first: $first_type,)*
            /// Simulated time, in seconds.
            pub time_s: Vec<f64>,
            $($(#[doc = $doc])+ pub $name: Vec<f64>,)+
            $($(#[$about_last])* pub $last: $last_type,)*
        }

        impl $series {
            /// The columns after those of time and place.
            pub const COLUMNS: &[SampleColumn] =
                &[$(SampleColumn { name: stringify!($name), kind: Kind::$kind, doc: &[$($doc),+] }),+];

            /// The values of each.
            pub fn columns(&self) -> [&Vec<f64>; $series::COLUMNS.len()] {
                [$(&self.$name),+]
            }

            /// Adds a sample's time and columns.
            pub(crate) fn push(&mut self, sample: &$sample) {
                self.time_s.push(sample.time_s);
                $(self.$name.push(sample.$name as f64);)+
            }

            /// Time and columns by their names.
            #[cfg(feature = "files")]
            pub(crate) fn of_columns<E>(of: impl Fn(&str) -> Result<Vec<f64>, E>) -> Result<Self, E> {
                Ok($series {
                    time_s: of("time_s")?,
                    $($name: of(stringify!($name))?,)+
                    ..$series::default()
                })
            }
        }
    };
}

samples! {
    /// One subflow at one instant. Counters run from the start of the run.
    SubflowSample<'a> {
        /// Index of the flow.
        flow: usize,
        /// Index of the subflow in its flow.
        subflow: usize,
        ..
        /// The algorithm's observables; NaN if it lacks one.
        observables: &'a [f64],
    }
    /// One subflow's samples: series of equal length, one value for each instant. Counters run from the start of
    /// the run.
    SubflowSeries {
        /// Names of the links from sender to receiver.
        path: Vec<String>,
        ..
        /// The algorithm's observables by name; NaN if it lacks one.
        observables: Vec<(String, Vec<f64>)>,
    }
    /// Congestion window.
    cwnd_segments: f64, Number;
    /// Slow-start threshold; infinite, in files null, before the first congestion.
    ssthresh_segments: f64, MaybeNumber;
    /// Smoothed RTT; 0 or NaN, in files null, before the first sample.
    srtt_s: f64, MaybeNumber;
    /// Segments sent and neither acknowledged nor deemed lost.
    in_flight_segments: u64, Count;
    /// Payload bytes sent, first transmissions only: the relative sequence number.
    sent_bytes: u64, Count;
    /// Payload bytes acknowledged on the subflow.
    delivered_bytes: u64, Count;
    /// Segments deemed lost by the sender.
    lost_segments: u64, Count;
    /// Retransmitted segments.
    retransmitted_segments: u64, Count;
}

samples! {
    /// One link at one instant. Counters run from the start of the run.
    LinkSample {
        /// Index of the link.
        link: usize,
        ..
    }
    /// One link's samples: series of equal length, one value for each instant. Counters run from the start of
    /// the run.
    LinkSeries {
        /// Its name.
        name: String,
        ..
    }
    /// Bytes waiting.
    queue_bytes: u64, Count;
    /// Packets waiting.
    queue_packets: u64, Count;
    /// Packets that the queue dropped, full or by its management.
    drops: u64, Count;
    /// Packets that the link marked.
    marks: u64, Count;
    /// Packets that the loss model dropped, or that met a link that was down.
    losses: u64, Count;
}

impl SubflowSample<'_> {
    /// With NaN for a smoothed RTT that is not known yet.
    pub(crate) fn known(&self) -> Self {
        SubflowSample { srtt_s: if self.srtt_s > 0.0 { self.srtt_s } else { f64::NAN }, ..*self }
    }
}
