//! Links: rate, delay, queue, loss.
//!
//! A [`Link`] has no clock of its own. A [`FifoLink`] takes a packet's size and arrival time and returns the packet's
//! [`Outcome`]: dropped, or delivered at an instant. The simulator, in virtual time, and the emulator, in real time,
//! run the same code.
//!
//! In a [`DequeueLink`] the queue decides when a packet leaves (CoDel, FQ-CoDel). It returns a ticket at arrival and
//! the outcome at the end of a transmission.

mod aqm;
mod arrival;
mod dequeue_link;
mod epoch;
mod fifo;
mod fifo_link;
mod fine_time;
mod jitter;
mod link;
mod loss;
mod model_spec;
mod opportunities;
mod outcome;
mod queue;
mod queue_integral;
mod random;
mod spec;
mod steer;
mod store;
mod time;
mod trace;
mod trace_steps;
mod transmitter;

pub use aqm::*;
pub use arrival::Arrival;
pub use dequeue_link::DequeueLink;
pub use fifo::Fifo;
pub use fifo_link::FifoLink;
pub use link::Link;
pub use loss::*;
pub use model_spec::{Kind, ModelSpec, Packets, Param, ParamConflict, Value};
pub use outcome::{DropReason, Outcome, Totals, Waiting};
pub use random::Random;
pub use spec::{Change, Jitter, LinkSpec, LossAt, QueueLimit};
pub use steer::{Replanned, Steering};
pub use time::Time;
pub use trace::{Trace, TraceData};
