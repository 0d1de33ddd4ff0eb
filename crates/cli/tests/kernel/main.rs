//! `anabranch kernel`, with the running kernel where it can take algorithms. A process apart: others run beside it at a
//! lower priority.

mod backend;
mod capture;
mod commands;
mod monitor;
mod pins;
