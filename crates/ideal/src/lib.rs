//! Theory for a scenario: fair shares of its links, and equilibria of congestion control.
//!
//! [`Ideals::of`] takes a [`Scenario`] as it is when its measurement begins and gives
//!
//! - **max–min fairness** over the connections' totals ([`max_min`]);
//! - the **resource-pooling ideal**: proportional fairness over the connections' totals ([`utility`]);
//! - the **equilibria** of LIA, OLIA and BALIA from their published fluid models and of Linked CUBIC from its fixed
//!   point, with windows, round-trip times and loss rates. Links are drop-tail queues that limit capacity; flows of
//!   one path follow the response function of what they run.
//!
//! BALIA's published model has no limit on the decrease. Ours has the algorithm's, 3/2 of half the window: the two differ
//! where a path's rate is less than half of the best path's.

mod algorithm;
#[cfg(feature = "fair")]
mod cone;
mod equilibrium;
#[cfg(feature = "fair")]
mod fair;
#[cfg(feature = "fair")]
mod max_min;
mod network;
mod queue_delay;
mod response;
mod result;
mod rule;
#[cfg(feature = "fair")]
pub mod utility;

pub use algorithm::COUPLED;
#[cfg(feature = "fair")]
pub use max_min::max_min;
pub use network::{HEADERS, dss};
pub use result::{Allocation, FlowIdeal, Ideals, LinkIdeal, Missing, SubflowIdeal};

use anabranch_scenario::Scenario;
use network::Network;

/// The assumed mean fill level of a bottleneck's buffer. With one BDP it is 0.56 for a single Reno flow, and in packet runs 0.65
/// for three and 0.8 for fifteen; CUBIC's are higher.
pub const QUEUE: f64 = 0.75;

impl Ideals {
    /// The ideals of a scenario: both fair allocations, the equilibria in which the multipath flows run each of `coupled` (of
    /// [`COUPLED`]; others have no equilibrium), and the one in which every flow runs what the scenario gives it.
    /// `queue`, from 0 to 1, is the fraction of a bottleneck's buffer that is full on average: see [`QUEUE`].
    ///
    /// Without the feature `fair` there are the equilibria alone.
    pub fn of(scenario: &Scenario, coupled: &[&str], queue: f64) -> Ideals {
        let network = Network::of(scenario, queue);
        let mut ideals = result::Builder::new(scenario, network, queue);
        #[cfg(feature = "fair")]
        ideals.fair_allocations();
        ideals.equilibria(coupled);
        ideals.finish()
    }
}
