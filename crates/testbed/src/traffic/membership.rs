//! Applies the scenario's subflow events by requests to MPTCP's path manager.

use crate::TestbedError;
use crate::netlink::{Endpoint, PathManager, Routes};
use crate::pair::{device_name, sender_address};
use anabranch_net::Time;
use anabranch_scenario::{Flow, SubflowAction, SubflowEvent};

/// The paths of a flow at its sender.
pub(super) struct Membership {
    /// `None` for plain TCP.
    manager: Option<PathManager>,
    endpoints: Vec<Endpoint>,
    /// Whether each path should have a subflow now.
    pub(super) wanted: Vec<bool>,
    /// Future events, the next one last.
    events: Vec<SubflowEvent>,
}

impl Membership {
    /// Call it in a thread of the sender. Every wanted path gets an endpoint, including the first: the kernel uses it to
    /// identify the initial subflow.
    pub(super) fn new(flow: &Flow) -> Result<Self, TestbedError> {
        let endpoint = |(path, given): (usize, &anabranch_scenario::Path)| -> Result<_, TestbedError> {
            let device = Routes::open()?.device(&device_name(path))?;
            Ok(Endpoint { id: path as u8 + 1, address: sender_address(path), device, backup: given.backup })
        };
        let membership = Membership {
            manager: if flow.is_multipath() { Some(PathManager::open()?) } else { None },
            endpoints: flow.paths.iter().enumerate().map(endpoint).collect::<Result<_, _>>()?,
            wanted: (0..flow.paths.len()).map(|path| flow.joins_at_start(path)).collect(),
            events: flow.events.iter().rev().copied().collect(),
        };
        if let Some(manager) = &membership.manager {
            let members = membership.endpoints.iter().zip(&membership.wanted);
            members.filter(|(_, wanted)| **wanted).try_for_each(|(endpoint, _)| manager.add(endpoint))?;
        }
        Ok(membership)
    }

    /// The first wanted path.
    pub(super) fn first(&self) -> Option<usize> {
        self.wanted.iter().position(|wanted| *wanted)
    }

    pub(super) fn next_at(&self) -> Time {
        self.events.last().map_or(Time::NEVER, |event| event.at)
    }

    pub(super) fn advance(&mut self, now: Time) -> Result<(), TestbedError> {
        while let Some(event) = self.events.pop_if(|event| event.at <= now) {
            self.apply(event)?;
        }
        Ok(())
    }

    fn apply(&mut self, SubflowEvent { path, action, .. }: SubflowEvent) -> Result<(), TestbedError> {
        let Some(manager) = &self.manager else { return Ok(()) };
        let (endpoint, wanted) = (&mut self.endpoints[path], &mut self.wanted[path]);
        match action {
            SubflowAction::Add if !*wanted => {
                *wanted = true;
                manager.add(endpoint)
            }
            SubflowAction::Remove if *wanted => {
                *wanted = false;
                manager.remove(endpoint)
            }
            SubflowAction::Backup(backup) => {
                endpoint.backup = backup;
                if *wanted { manager.set_backup(endpoint) } else { Ok(()) }
            }
            SubflowAction::Add | SubflowAction::Remove => Ok(()),
        }
    }
}
