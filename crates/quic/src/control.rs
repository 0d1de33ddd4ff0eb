//! The congestion control of a connection.

use crate::QuicError;
use crate::clock::Clock;
use crate::meter::Meters;
use crate::stack::{self, Factory, Watched};
use anabranch_cc::noq::{Coupled, Paths};
use anabranch_net::{Random, Time};
use anabranch_scenario::Flow as Spec;
use std::sync::Arc;

pub(crate) enum Control {
    /// One algorithm over all paths.
    Coupled(Paths<Meters>),
    /// A controller of the stack on each path.
    Stack(Arc<Watched>),
}

impl Control {
    /// The flow's control and the stack's factory of it. `payload`: bytes of a full packet. `random`: numbers of its own.
    pub(crate) fn new(
        spec: &Spec,
        clock: Clock,
        payload: u16,
        random: impl FnOnce() -> Random,
    ) -> Result<(Control, Factory), QuicError> {
        let first = u64::from(spec.tcp.initial_window) * u64::from(payload);
        let meters = Meters::new(clock, spec.paths.len(), spec.cc.entry.observables.len());
        if let Some(own) = stack::named(spec.cc.entry.name, first, random) {
            let watched = Arc::new(Watched::new(own, meters));
            return Ok((Control::Stack(watched.clone()), watched));
        }
        let group = spec.cc.entry.group(&spec.cc.params).map_err(|why| QuicError::Refused {
            key: format!("flows.{}.cc", spec.name),
            why: why.to_string(),
        })?;
        let coupled = Coupled::observed(group, meters)
            .origin(clock.instant(Time::ZERO))
            .initial_window(spec.tcp.initial_window.into());
        let coupled = match spec.tcp.initial_ssthresh {
            Some(packets) => coupled.initial_ssthresh(packets.into()),
            None => coupled,
        };
        let (factory, paths) = coupled.factory_and_paths();
        Ok((Control::Coupled(paths), factory))
    }

    /// Reads or changes the meters.
    pub(crate) fn meters<T>(&self, of: impl FnOnce(&mut Meters) -> T) -> T {
        match self {
            Control::Coupled(coupled) => of(coupled.lock().observer()),
            Control::Stack(watched) => of(&mut watched.lock().observer),
        }
    }

    /// The scenario's path `p` begins next.
    pub(crate) fn expect(&self, p: usize) {
        self.meters(|meters| meters.next = p);
    }

    /// The scenario's path `p` was closed.
    pub(crate) fn leave(&self, p: usize, now: Time) {
        let Some(id) = self.meters(|meters| meters.leave(p, now)) else { return };
        match self {
            Control::Coupled(coupled) => coupled.lock().leave(id),
            Control::Stack(watched) => watched.lock().paths[id].open = false,
        }
    }
}
