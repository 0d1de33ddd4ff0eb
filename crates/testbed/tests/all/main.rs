//! The testbed on the running kernel.
