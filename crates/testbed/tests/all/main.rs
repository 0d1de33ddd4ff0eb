//! The testbed on the running kernel.

mod common;
mod emulator;
