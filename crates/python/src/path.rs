//! What an algorithm in Python sees: the rows of the table of paths, and the events.

use anabranch_cc::{Ack as Event, Congestion as Signalled, Path as Row, Signal, slow_start};
use pyo3::prelude::*;

/// A path of a connection: a row of the table that an algorithm owns. A row is aligned to a cache line, and what Python
/// allocates is not: hence the box.
#[pyclass(module = "anabranch._anabranch")]
pub struct Path(pub Box<Row>);

#[pymethods]
impl Path {
    /// The congestion window. It is kept within what there may be.
    #[getter]
    fn cwnd(&self) -> f64 {
        self.0.cwnd
    }
    #[setter]
    fn set_cwnd(&mut self, segments: f64) {
        self.0.cwnd = segments;
    }
    /// The slow-start threshold; infinite until the first congestion.
    #[getter]
    fn ssthresh(&self) -> f64 {
        self.0.ssthresh
    }
    #[setter]
    fn set_ssthresh(&mut self, segments: f64) {
        self.0.ssthresh = segments;
    }
    /// Segments per second; none sends as the window opens.
    #[getter]
    fn pacing_rate(&self) -> Option<f64> {
        self.0.pacing_rate
    }
    #[setter]
    fn set_pacing_rate(&mut self, segments_per_s: Option<f64>) {
        self.0.pacing_rate = segments_per_s;
    }
    /// Whether the algorithm keeps the path from carrying new data, though it could.
    #[getter]
    fn barred(&self) -> bool {
        self.0.barred
    }
    #[setter]
    fn set_barred(&mut self, barred: bool) {
        self.0.barred = barred;
    }
    /// Smoothed RTT; 0 before the first sample.
    #[getter]
    fn srtt(&self) -> f64 {
        self.0.srtt
    }
    /// The smallest RTT; infinite before the first sample.
    #[getter]
    fn min_rtt(&self) -> f64 {
        self.0.min_rtt
    }
    /// The mean of the last round's samples; 0 before there was one.
    #[getter]
    fn round_rtt(&self) -> f64 {
        self.0.round_rtt
    }
    /// The smallest of them.
    #[getter]
    fn round_min_rtt(&self) -> f64 {
        self.0.round_min_rtt
    }
    /// Segments sent and neither acknowledged nor deemed lost.
    #[getter]
    fn in_flight(&self) -> f64 {
        self.0.in_flight
    }
    /// Counts round trips.
    #[getter]
    fn round(&self) -> u64 {
        self.0.round
    }
    /// Whether the path carries data: rows of removed paths stay.
    #[getter]
    fn active(&self) -> bool {
        self.0.active
    }
    /// Whether it counts where paths are added up or compared: another path's values are out of date.
    #[getter]
    fn counts(&self) -> bool {
        self.0.counts
    }
    /// Segments delivered since the last congestion.
    #[getter]
    fn delivered_since_loss(&self) -> f64 {
        self.0.delivered_since_loss
    }
    /// Segments delivered between the last two.
    #[getter]
    fn delivered_between_losses(&self) -> f64 {
        self.0.delivered_between_losses
    }
    /// Whether the window is below the threshold.
    #[getter]
    fn in_slow_start(&self) -> bool {
        self.0.in_slow_start()
    }

    /// Grows the window up to the threshold; gives the acknowledged segments that are left for congestion avoidance.
    fn slow_start(&mut self, acked: f64) -> f64 {
        slow_start::grow(&mut self.0, acked)
    }

    /// Sets window and threshold, both at least two segments.
    fn reduce_to(&mut self, segments: f64) {
        self.0.reduce_to(segments);
    }
}

/// An acknowledgement.
#[pyclass(frozen, module = "anabranch._anabranch")]
pub struct Ack(pub Event);

#[pymethods]
impl Ack {
    /// When it arrived.
    #[getter]
    fn now(&self) -> f64 {
        self.0.now
    }
    /// Segments that may grow the window.
    #[getter]
    fn acked(&self) -> f64 {
        self.0.acked
    }
    /// Segments newly delivered.
    #[getter]
    fn delivered(&self) -> f64 {
        self.0.delivered
    }
    /// The RTT that it measured, if it did.
    #[getter]
    fn rtt(&self) -> Option<f64> {
        self.0.rtt
    }
    /// The smoothed RTT with it.
    #[getter]
    fn srtt(&self) -> f64 {
        self.0.srtt
    }
    /// Segments in flight after it.
    #[getter]
    fn in_flight(&self) -> f64 {
        self.0.in_flight
    }
    /// The path's round after it.
    #[getter]
    fn round(&self) -> u64 {
        self.0.round
    }
    /// Whether the window limited the sender.
    #[getter]
    fn cwnd_limited(&self) -> bool {
        self.0.cwnd_limited
    }
}

/// A congestion signal.
#[pyclass(frozen, module = "anabranch._anabranch")]
pub struct Congestion(pub Signalled);

#[pymethods]
impl Congestion {
    /// When it was detected.
    #[getter]
    fn now(&self) -> f64 {
        self.0.now
    }
    /// Its kind.
    #[getter]
    fn signal(&self) -> &'static str {
        match self.0.signal {
            Signal::Loss => "loss",
            Signal::Ecn => "ecn",
            Signal::Timeout => "timeout",
        }
    }
}
