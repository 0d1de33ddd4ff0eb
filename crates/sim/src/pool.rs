//! State of flows whose transfers open their own connections: see `transfers.rs`.

use crate::arrivals::Arrivals;
use anabranch_net::Time;
use anabranch_scenario::{Application as Spec, Connections, Scenario};
use std::collections::VecDeque;

/// The most open connections of transfers, of all flows.
pub(crate) const MAX_OPEN: usize = 10_000;

/// A flow's arrivals, and its closed connections, oldest first. The flow's own connection is never opened: it holds the sums of
/// closed ones.
#[derive(Clone)]
pub(crate) struct TransferPool {
    pub(crate) arrivals: Arrivals,
    pub(crate) over: VecDeque<u32>,
}

impl TransferPool {
    /// The pool of a flow, if its transfers open their own connections.
    pub(crate) fn of(scenario: &Scenario, seed: u64, flow: usize) -> Option<Box<TransferPool>> {
        let application = &scenario.flows[flow].application;
        let Spec::Arrivals { connections: Connections::New, .. } = application else { return None };
        let arrivals = Arrivals::of(application, scenario.application_random(seed, flow))?;
        Some(Box::new(TransferPool { arrivals, over: VecDeque::new() }))
    }
}

/// The current or last transfer of a connection.
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
    /// The transfer is complete, and the connection is closing.
    Complete,
    Over,
}

impl Transfer {
    pub(crate) fn is_open(&self) -> bool {
        self.stage != Stage::Over
    }
}
