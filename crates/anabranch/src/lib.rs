//! Congestion control for multipath transports: simulate it, compare it, reproduce its papers. The command `anabranch` and
//! the Python package use this crate.
//!
//! A [`Scenario`] describes flows and the links that they send over. [`run`] simulates it:
//!
//! ```
//! use anabranch::{Changes, SIM, Scenario, Watch};
//!
//! # fn main() -> Result<(), anabranch::Error> {
//! let text = r#"
//!     name = "two paths"
//!     duration = "5 s"
//!     links.dsl = { rate = "8 Mbit/s", delay = "10 ms" }
//!     links.lte = { rate = "4 Mbit/s", delay = "30 ms" }
//!     flows = [{ name = "bonded", cc = "lia", paths = [["dsl"], ["lte"]] }]
//! "#;
//! let scenario = Scenario::of_text("two-paths.toml", text, Changes::default())?;
//! let summary = anabranch::run(&scenario, SIM.backend, &mut anabranch::NoSamples, &Watch::default())?;
//! assert!(summary.flows[0].goodput_bps.is_some_and(|bps| bps > 6e6));
//!
//! // The fair shares and equilibria of theory.
//! let ideals = scenario.ideal(anabranch::QUEUE);
//! assert!(ideals.allocation("max-min").is_some());
//!
//! // Other algorithms over two seeds.
//! let compared = anabranch::compare(&scenario, &["uncoupled", "olia"], 2, &Watch::default())?;
//! assert_eq!(compared.complete(), 4);
//! # Ok(())
//! # }
//! ```
//!
//! Long functions report their progress to a [`Watch`], and end when its [`Cancel`] is set:
//!
//! ```
//! # use anabranch::{Changes, Error, Options, Scenario, Watch};
//! # fn main() -> Result<(), Error> {
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/shared-bottleneck.toml");
//! let scenario = Scenario::open(file)?;
//! let vary = ["links.shared.queue=0.5 BDP,1 BDP".to_owned()];
//! let study = anabranch::study_of_sweep("queues", file.as_ref(), &scenario.sweep(file, &vary, &[], Some(3))?)?;
//!
//! let watch = Watch::default();
//! watch.cancel.cancel();
//! let result = anabranch::study(&study, &Options::default(), &watch);
//! assert!(matches!(result, Err(Error::Interrupted(_))));
//! # Ok(())
//! # }
//! ```
//!
//! [`advise`](fn@advise) runs algorithms beside single-path flows and recommends one.
//!
//! An [`Error`] distinguishes bad input, a failed result and cancellation. It shows a mistake in a file with its place.
//!
//! [`algorithms`], [`links`], [`mod@papers`], [`pictures`], [`records`], [`scenarios`], [`simulator`],
//! [`studies`] and [`theory`] are the crates below, whose types these results and arguments use: a program needs
//! only this crate.
//!
//! A [`Campaign`] runs studies and papers and writes their results and a report. [`plot`] draws results, [`capture`] reads
//! packets of real hosts. With the feature `linux`, a scenario runs on Linux kernels too, with `quic` over a QUIC stack.

#[cfg(not(all(feature = "linux", feature = "quic")))]
mod absent;
pub mod advise;
mod backend;
mod campaign;
mod capture;
mod compare;
mod earlier;
mod error;
pub mod examples;
#[cfg(feature = "linux")]
pub mod linux;
mod measured;
mod pcap;
mod plot;
mod qlog;
#[cfg(feature = "quic")]
mod quic;
mod run;
mod runner;
mod scenario;
pub mod store;
mod study;
pub mod units;
mod watch;

#[cfg(not(feature = "linux"))]
pub use absent::linux;
#[cfg(not(feature = "quic"))]
use absent::quic;
pub use advise::{Advice, AdviseOptions, advise};
pub use anabranch_ideal::QUEUE;
pub use anabranch_net::Time;
pub use anabranch_papers::RESULTS_VERSION;
pub use anabranch_record::{MemorySink, NoSamples, SampleFormat, Summary};
pub use anabranch_scenario::Overrides as Changes;
pub use anabranch_study::{Options, Size, StudyResult};
pub use backend::{RUNNERS, backends};
pub use campaign::{Campaign, CampaignOutcome, Finished, Place, keep_study, report};
pub use capture::{CaptureOptions, capture, capture_trace};
pub use compare::{Compared, Comparison, compare};
pub use earlier::check as check_record;
pub use error::{Error, counted, input_error};
pub use measured::{measure, measured_beside, shipped};
pub use pcap::Packets;
pub use plot::{Drawable, Plot, plot};
pub use quic::NOQ;
pub use run::{CompletedRun, Outputs, run};
pub use runner::{Runner, SIM};
pub use scenario::{Scenario, check_memory, read};
pub use study::{
    check_failed, describe_extent, failed, open_study, papers, status, study, study_of_sweep, study_of_text,
    sweep_error, without_result,
};
pub use watch::{Cancel, Progress, Watch};

use algorithms::{kernel_registry, registry::Entry};

#[cfg(feature = "linux")]
pub use anabranch_mptcp_bpf as kernel;

pub use anabranch_ideal as theory;
pub use anabranch_net as links;
pub use anabranch_papers as papers;
pub use anabranch_plot as pictures;
pub use anabranch_record as records;
pub use anabranch_scenario as scenarios;
pub use anabranch_sim as simulator;
pub use anabranch_study as studies;

/// The algorithms, and the contract that they are written against.
pub mod algorithms {
    pub use anabranch_cc::*;
    pub use anabranch_cc_fixed::registry as kernel_registry;
}

/// Finds the algorithm called `name`, in any arithmetic.
pub fn algorithm(name: &str) -> Result<&'static Entry, Error> {
    kernel_registry::find(name).ok_or_else(|| {
        let help = anabranch_scenario::suggest(name, kernel_registry::entries().map(|e| e.name));
        input_error(format!("unknown algorithm `{name}`"), Some(&help))
    })
}
