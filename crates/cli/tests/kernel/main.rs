//! `anabranch kernel`, with the running kernel where it can take algorithms. A process apart: the tests beside these
//! would keep both processors busy while traffic is measured here.

#[path = "../common/mod.rs"]
mod cli;
mod commands;
#[path = "../../../kernel/tests/all/common/mod.rs"]
mod common;
mod monitor;
mod pins;
#[path = "../../../kernel/tests/all/programs/mod.rs"]
mod programs;
#[path = "../../../kernel/tests/all/support/mod.rs"]
mod support;
