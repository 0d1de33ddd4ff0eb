//! `anabranch kernel`, with the running kernel where it can take algorithms. A process apart: the tests beside these
//! would keep both processors busy while traffic is measured here.

mod backend;
mod capture;
mod commands;
mod monitor;
mod pins;
