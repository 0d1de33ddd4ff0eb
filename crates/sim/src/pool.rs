//! What is kept of flows whose transfers open connections of their own: see `transfers.rs`.

use crate::arrivals::Arrivals;
use anabranch_net::Time;
use anabranch_scenario::{Application as Spec, Connections, Scenario};
use std::collections::VecDeque;

/// The most connections that transfers may have open at once, in all.
pub(crate) const MAX_OPEN: usize = 10_000;

/// Of a flow: its arrivals, and its connections that are over, the one that was over first in front. The flow's own connection is
/// never opened: it keeps the sums of those that are over.
pub(crate) struct TransferPool {
    pub(crate) arrivals: Arrivals,
    pub(crate) over: VecDeque<u32>,
}

impl TransferPool {
    /// Of a flow that needs one.
    pub(crate) fn of(scenario: &Scenario, seed: u64, flow: usize) -> Option<TransferPool> {
        let application = &scenario.flows[flow].application;
        let Spec::Arrivals { connections: Connections::New, .. } = application else { return None };
        let arrivals = Arrivals::of(application, scenario.application_random(seed, flow))?;
        Some(TransferPool { arrivals, over: VecDeque::new() })
    }
}

/// The transfer that a connection carries, or has carried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub(crate) flow: u32,
    pub(crate) at: Time,
    pub(crate) bytes: u64,
    pub(crate) stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    UnderWay,
    /// The receiver has all of it, and the connection is being closed.
    Complete,
    Over,
}

impl Transfer {
    pub(crate) fn is_under_way(&self) -> bool {
        self.stage == Stage::UnderWay
    }

    /// Whether its connection is open.
    pub(crate) fn is_open(&self) -> bool {
        self.stage != Stage::Over
    }
}
