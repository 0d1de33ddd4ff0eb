//! The arguments of Python algorithms: rows of the table of paths, and events.

use crate::errors::refused;
use anabranch::algorithms::{
    Ack as Event, Congestion as Signalled, LostSegment as Lost, Path as Row, RateSample as Sample, Signal,
    slow_start,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Declares a class around a Rust value, its field `of`: a property for each field, a constructor with a keyword for each, and
/// further methods. A property with `= set_NAME: CHECK` is writable. A function after `or` sets what is not a field of the value; it
/// returns false if the class has nothing of that name.
macro_rules! properties {
    ($class:ident $(or $set_other:ident)? {
        $($(#[$doc:meta])* $field:ident $(= $set:ident($check:ident))?: $type:ty,)*
    } $($rest:tt)*) => {
        #[pymethods]
        impl $class {
            /// For tests of algorithms: each field by its name.
            #[new]
            #[pyo3(signature = (**fields))]
            fn new(fields: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
                let mut new = Self::default();
                for (name, value) in fields.into_iter().flatten() {
                    match name.extract::<&str>()? {
                        $(stringify!($field) => new.of.$field = value.extract::<$type>()?,)*
                        $(name if new.$set_other(name, &value)? => {})?
                        name => {
                            let class = stringify!($class);
                            return Err(PyTypeError::new_err(format!("{class} has no field `{name}`")));
                        }
                    }
                }
                Ok(new)
            }

            $(
                $(#[$doc])*
                #[getter]
                fn $field(&self) -> $type {
                    self.of.$field
                }
                $(
                    #[setter($field)]
                    fn $set(&mut self, value: $type) -> PyResult<()> {
                        self.of.$field = self.$check(stringify!($field), value)?;
                        Ok(())
                    }
                )?
            )*
            $($rest)*
        }
    };
}

/// A path of a connection: a row of the algorithm's table. Windows are in segments, times in seconds. Tests of algorithms can
/// make one, with a keyword for each property: `Path(cwnd=10, srtt=0.1)`.
#[pyclass(module = "anabranch._anabranch")]
pub struct Path {
    // A box, because a row is aligned to a cache line, and Python's allocations are not.
    pub of: Box<Row>,
    /// Whether it is the row of the event, whose window the algorithm sets.
    pub writable: bool,
    /// Its number.
    pub row: usize,
}

impl Default for Path {
    fn default() -> Self {
        let mut row = Row::new(10.0);
        row.counts = true;
        Path { of: Box::new(row), writable: true, row: 0 }
    }
}

impl Path {
    fn own(&self, name: &str) -> PyResult<()> {
        match self.writable {
            true => Ok(()),
            false => Err(refused(format!(
                "`paths[{}].{name}` cannot be set now: an algorithm sets the row of the event, in `acked`, `congestion` and the \
                 like; of other rows it may set `barred`",
                self.row
            ))),
        }
    }

    fn window(&self, name: &str, value: f64) -> PyResult<f64> {
        self.own(name)?;
        match value >= 0.0 {
            true => Ok(value),
            false => Err(refused(format!("`{name}` = {value}: it must be a number of segments, at least 0"))),
        }
    }

    fn rate(&self, name: &str, value: Option<f64>) -> PyResult<Option<f64>> {
        self.own(name)?;
        match value {
            Some(rate) if rate.is_nan() || rate <= 0.0 => Err(refused(format!(
                "`{name}` = {rate}: it must be positive, in segments per second, or None"
            ))),
            _ => Ok(value),
        }
    }

    fn any(&self, _: &str, value: bool) -> PyResult<bool> {
        Ok(value)
    }
}

properties! {
    Path {
        /// The congestion window; the simulator clamps it to valid values.
        cwnd = set_cwnd(window): f64,
        /// The slow-start threshold; infinite until the first congestion.
        ssthresh = set_ssthresh(window): f64,
        /// The pacing rate, in segments per second; `None` disables pacing.
        pacing_rate = set_pacing_rate(rate): Option<f64>,
        /// Whether the algorithm bars the path from new data.
        barred = set_barred(any): bool,
        /// Smoothed RTT; 0 before the first sample.
        srtt: f64,
        /// The smallest RTT; infinite before the first sample.
        min_rtt: f64,
        /// The mean RTT of the last round; 0 before the first sample.
        round_rtt: f64,
        /// The smallest RTT of the last round.
        round_min_rtt: f64,
        /// How many samples that round had.
        round_samples: u32,
        /// Segments sent and neither acknowledged nor deemed lost.
        in_flight: f64,
        /// The largest window so far.
        largest_cwnd: f64,
        /// The number of round trips so far.
        round: u64,
        /// Whether the path carries data: rows of removed paths stay.
        active: bool,
        /// Whether sums and comparisons of paths include it: the values of other paths are out of date.
        counts: bool,
        /// The smallest RTT since the last congestion; infinite before a sample.
        min_rtt_since_loss: f64,
        /// The largest RTT since the last congestion; 0 before a sample.
        max_rtt_since_loss: f64,
        /// Segments delivered since the last congestion.
        delivered_since_loss: f64,
        /// Segments delivered between the last two congestion events.
        delivered_between_losses: f64,
    }

    /// Whether the window is below the threshold.
    #[getter]
    fn in_slow_start(&self) -> bool {
        self.of.in_slow_start()
    }

    /// Grows the window up to the threshold and returns the acknowledged segments left for congestion avoidance.
    fn slow_start(&mut self, acked: f64) -> PyResult<f64> {
        self.own("cwnd")?;
        if !acked.is_finite() || acked < 0.0 {
            return Err(refused(format!(
                "`slow_start` of {acked}: it must be a finite number of segments, at least 0"
            )));
        }
        Ok(slow_start::grow(&mut self.of, acked))
    }

    /// Sets window and threshold, both at least two segments.
    fn reduce_to(&mut self, segments: f64) -> PyResult<()> {
        self.window("cwnd", segments)?;
        self.of.reduce_to(segments);
        Ok(())
    }
}

/// An acknowledgement. Tests of algorithms can make one, with a keyword for each property: `Ack(now=1.0, acked=2)`.
#[pyclass(frozen, module = "anabranch._anabranch")]
pub struct Ack {
    pub of: Event,
}

impl Default for Ack {
    fn default() -> Self {
        Ack { of: Event { cwnd_limited: true, ..Event::default() } }
    }
}

impl Ack {
    fn set_other(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        if name == "rate" {
            let rate: Option<PyRef<'_, RateSample>> = value.extract()?;
            self.of.rate = rate.map(|rate| rate.of);
        }
        Ok(name == "rate")
    }
}

properties! {
    Ack or set_other {
        /// The time of its arrival.
        now: f64,
        /// Segments that may grow the window.
        acked: f64,
        /// Segments newly delivered.
        delivered: f64,
        /// The RTT that it measured, if any.
        rtt: Option<f64>,
        /// The smoothed RTT after it.
        srtt: f64,
        /// Segments in flight after it.
        in_flight: f64,
        /// The path's round after it.
        round: u64,
        /// Whether the window limited the sender.
        cwnd_limited: bool,
    }

    /// The delivery rate that it measured; only for algorithms with `model_based = True`.
    #[getter]
    fn rate(&self) -> Option<RateSample> {
        self.of.rate.map(|of| RateSample { of })
    }
}

/// A sample of the delivery rate.
#[pyclass(frozen, module = "anabranch._anabranch")]
#[derive(Default)]
pub struct RateSample {
    of: Sample,
}

properties! {
    RateSample {
        /// Segments delivered on the path so far.
        total_delivered: f64,
        /// Segments that had been delivered when the newest acknowledged segment was sent.
        prior_delivered: f64,
        /// The time over which the segments since then were delivered; 0 where the rate is unknown.
        interval: f64,
        /// Segments deemed lost since then.
        lost: f64,
        /// Segments in flight just after that segment was sent.
        tx_in_flight: f64,
        /// Whether the application limited the sender then.
        app_limited: bool,
        /// Whether the window stopped the sender in the last window of data.
        cwnd_limited: bool,
        /// Whether losses are being repaired.
        in_recovery: bool,
        /// Whether sending had begun anew, with nothing in flight.
        resumed: bool,
    }

    /// Segments per second; 0 if unknown.
    #[getter]
    fn delivery_rate(&self) -> f64 {
        self.of.delivery_rate()
    }
}

/// A segment that was deemed lost.
#[pyclass(frozen, module = "anabranch._anabranch")]
#[derive(Default)]
pub struct LostSegment {
    pub of: Lost,
}

properties! {
    LostSegment {
        /// When that was.
        now: f64,
        /// Its place among the path's segments: neighbours differ by one.
        number: u64,
        /// Segments delivered on the path so far.
        total_delivered: f64,
        /// Segments deemed lost since it was sent, itself included.
        lost: f64,
        /// Segments in flight just after it was sent, itself included.
        tx_in_flight: f64,
        /// Whether the application limited the sender then.
        app_limited: bool,
    }
}

/// A congestion signal. Tests of algorithms can make one, with a keyword for each property: `Congestion(signal="ecn")`.
#[pyclass(frozen, module = "anabranch._anabranch")]
pub struct Congestion {
    pub of: Signalled,
}

impl Default for Congestion {
    fn default() -> Self {
        Congestion { of: Signalled { now: 0.0, signal: Signal::Loss } }
    }
}

impl Congestion {
    fn set_other(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.of.signal = match (name, value.extract::<&str>()) {
            ("signal", Ok("loss")) => Signal::Loss,
            ("signal", Ok("ecn")) => Signal::Ecn,
            ("signal", Ok("timeout")) => Signal::Timeout,
            ("signal", _) => return Err(refused("`signal` must be 'loss', 'ecn' or 'timeout'")),
            _ => return Ok(false),
        };
        Ok(true)
    }
}

properties! {
    Congestion or set_other {
        /// The time of its detection.
        now: f64,
    }

    /// Its kind.
    #[getter]
    fn signal(&self) -> &'static str {
        match self.of.signal {
            Signal::Loss => "loss",
            Signal::Ecn => "ecn",
            Signal::Timeout => "timeout",
        }
    }
}
