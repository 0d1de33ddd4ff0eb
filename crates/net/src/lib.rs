//! Links: rate, delay, queue, loss.
//!
//! A [`Link`] knows no clock. It takes a packet's size and the time of its arrival and answers with
//! the packet's [`Fate`]: dropped, or delivered at an instant. Whoever drives it, a simulator with
//! virtual time or an emulator with real time, the same code decides.
//!
//! A queue discipline that decides at dequeue (CoDel, FQ-CoDel) would answer with a third fate, "waits",
//! to be settled by a call at the end of each transmission; links without one go on deciding at arrival.

mod epoch;
mod fate;
mod fine;
mod link;
mod loss;
mod queue;
mod random;
mod spec;
mod time;

pub use fate::{Drop, Fate, Totals, Waiting};
pub use link::Link;
pub use random::Random;
pub use spec::{Change, Jitter, LinkSpec, Loss, QueueLimit};
pub use time::Time;
