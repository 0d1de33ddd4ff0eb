//! Links: rate, delay, queue, loss.
//!
//! A [`Link`] knows no clock. It takes a packet's size and the time of its arrival and answers with
//! the packet's [`Fate`]: dropped, or delivered at an instant. Whoever drives it, a simulator with
//! virtual time or an emulator with real time, the same code decides.

mod spec;
mod time;

pub use spec::{Change, Jitter, LinkSpec, Loss, QueueLimit};
pub use time::Time;
