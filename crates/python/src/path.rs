//! What an algorithm in Python sees: the rows of the table of paths, and the events.

use anabranch_cc::{Ack as Event, Congestion as Signalled, Path as Row, Signal, slow_start};
use pyo3::prelude::*;

/// A path of a connection: a row of the table that an algorithm owns. A row is aligned to a cache line, and what Python
/// allocates is not: hence the box.
#[pyclass(module = "anabranch._anabranch")]
pub struct Path(pub Box<Row>);

#[pymethods]
impl Path {
    #[getter]
    fn cwnd(&self) -> f64 {
        self.0.cwnd
    }
    #[setter]
    fn set_cwnd(&mut self, segments: f64) {
        self.0.cwnd = segments;
    }
    #[getter]
    fn ssthresh(&self) -> f64 {
        self.0.ssthresh
    }
    #[setter]
    fn set_ssthresh(&mut self, segments: f64) {
        self.0.ssthresh = segments;
    }
    #[getter]
    fn pacing_rate(&self) -> Option<f64> {
        self.0.pacing_rate
    }
    #[setter]
    fn set_pacing_rate(&mut self, segments_per_s: Option<f64>) {
        self.0.pacing_rate = segments_per_s;
    }
    #[getter]
    fn barred(&self) -> bool {
        self.0.barred
    }
    #[setter]
    fn set_barred(&mut self, barred: bool) {
        self.0.barred = barred;
    }
    #[getter]
    fn srtt(&self) -> f64 {
        self.0.srtt
    }
    #[getter]
    fn min_rtt(&self) -> f64 {
        self.0.min_rtt
    }
    #[getter]
    fn round_rtt(&self) -> f64 {
        self.0.round_rtt
    }
    #[getter]
    fn round_min_rtt(&self) -> f64 {
        self.0.round_min_rtt
    }
    #[getter]
    fn in_flight(&self) -> f64 {
        self.0.in_flight
    }
    #[getter]
    fn round(&self) -> u64 {
        self.0.round
    }
    #[getter]
    fn active(&self) -> bool {
        self.0.active
    }
    #[getter]
    fn counts(&self) -> bool {
        self.0.counts
    }
    #[getter]
    fn delivered_since_loss(&self) -> f64 {
        self.0.delivered_since_loss
    }
    #[getter]
    fn delivered_between_losses(&self) -> f64 {
        self.0.delivered_between_losses
    }
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
    #[getter]
    fn now(&self) -> f64 {
        self.0.now
    }
    #[getter]
    fn acked(&self) -> f64 {
        self.0.acked
    }
    #[getter]
    fn delivered(&self) -> f64 {
        self.0.delivered
    }
    #[getter]
    fn rtt(&self) -> Option<f64> {
        self.0.rtt
    }
    #[getter]
    fn srtt(&self) -> f64 {
        self.0.srtt
    }
    #[getter]
    fn in_flight(&self) -> f64 {
        self.0.in_flight
    }
    #[getter]
    fn round(&self) -> u64 {
        self.0.round
    }
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
    #[getter]
    fn now(&self) -> f64 {
        self.0.now
    }
    #[getter]
    fn signal(&self) -> &'static str {
        match self.0.signal {
            Signal::Loss => "loss",
            Signal::Ecn => "ecn",
            Signal::Timeout => "timeout",
        }
    }
}
