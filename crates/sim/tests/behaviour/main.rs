//! The simulator from outside: scenarios in, summaries and samples out, held against formulas, RFCs and
//! hand computation.

mod arrivals;
mod bbr;
mod book;
mod bottlenecks;
mod common;
mod coupling;
mod delay;
mod determinism;
mod edges;
mod endpoints;
mod every_algorithm;
mod hosts;
mod idle;
mod independent;
mod kernel;
mod lia;
mod multipath;
mod pauses;
mod queues;
mod random;
mod recovery;
mod session;
mod sharing;
mod slow_start;
mod timing;
mod windows;
