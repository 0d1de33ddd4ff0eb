//! Coupled congestion control for the MPTCP of an unmodified Linux kernel: the programs, made of the
//! headers of `anabranch-cc-kernel`, and what loads and watches them.

mod object;

pub use object::object;
