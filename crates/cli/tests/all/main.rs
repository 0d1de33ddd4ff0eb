//! The `anabranch` command as its users run it: command lines and files in, pages, JSON and exit codes out.

#[path = "../conformance/mod.rs"]
mod cases;

mod advise;
mod book;
mod boot;
mod capture;
mod compare;
mod conformance;
mod examples;
mod fixtures;
mod guest;
mod ideal;
mod inform;
mod input;
mod interrupted;
#[cfg(target_os = "linux")]
mod overlay;
mod own_style;
mod paper;
mod pictures;
mod plot;
#[cfg(feature = "quic")]
mod quic;
mod results;
mod run;
mod study;
mod task;
mod trace;
mod traces_made;
