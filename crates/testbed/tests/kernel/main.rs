//! The testbed on the running kernel.

mod algorithm;
mod emulator;
mod host;
mod run;
mod traffic;
mod witnesses;
