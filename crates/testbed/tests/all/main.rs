//! The testbed on the running kernel.

mod algorithm;
mod common;
mod emulator;
mod host;
mod run;
mod support;
mod traffic;
mod witness;
mod witnesses;
