//! `anabranch kernel`, with the running kernel where it can take algorithms. A process apart: others run beside it at a
//! lower priority.

#[path = "../conformance/mod.rs"]
#[allow(dead_code, reason = "the comparison with stored traces uses all of it")]
mod cases;

mod backend;
mod capture;
mod commands;
mod conformance;
mod monitor;
mod pins;
