//! Links: rate, delay, queue, loss.
//!
//! A [`Link`] knows no clock. A [`FifoLink`] takes a packet's size and the time of its arrival and answers with
//! the packet's [`Fate`]: dropped, or delivered at an instant. Whoever drives it, a simulator with
//! virtual time or an emulator with real time, the same code decides.
//!
//! A [`HoldingLink`] has a queue that decides when a packet leaves it (CoDel, FQ-CoDel). It answers with a ticket, and
//! with the fate when it is asked at the end of a transmission.

mod aqm;
mod course;
mod epoch;
mod fate;
mod fifo;
mod fine;
mod holding;
mod law;
mod link;
mod loss;
mod moment;
mod opportunities;
mod queue;
mod random;
mod spec;
mod store;
mod time;
mod trace;
mod transmitter;
mod wander;

pub use aqm::*;
pub use fate::{DropReason, Fate, Totals, Waiting};
pub use fifo::FifoLink;
pub use holding::{Arrival, HoldingLink};
pub use law::{Kind, Law, Param, Refusal, Value};
pub use link::Link;
pub use loss::*;
pub use random::Random;
pub use spec::{Change, Jitter, LinkSpec, LossAt, QueueLimit};
pub use time::Time;
pub use trace::{Course, Trace};
