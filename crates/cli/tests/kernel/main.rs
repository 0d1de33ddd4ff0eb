//! `anabranch kernel`, with the running kernel where it can take algorithms. A process apart: the tests beside these
//! would keep both processors busy while traffic is measured here.

mod backend;
mod capture;
#[path = "../common/mod.rs"]
mod cli;
mod commands;
#[path = "../../../mptcp-bpf/tests/all/common/mod.rs"]
mod common;
mod monitor;
mod pins;
#[path = "../../../mptcp-bpf/tests/all/programs/mod.rs"]
mod programs;
#[path = "../../../mptcp-bpf/tests/all/support/mod.rs"]
mod support;
#[path = "../../../testbed/tests/all/witness.rs"]
mod witness;
