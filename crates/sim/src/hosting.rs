//! The simulator's part of hosted flows: their events, datagrams and completions.

use crate::SimError;
use crate::endpoints::{Datagram, EndpointEvent, Endpoints, Hosted, Out};
use crate::packet::{Kind, Packet, flag};
use crate::simulator::Simulator;
use crate::target::Target;
use anabranch_record::KeepGoing;
use anabranch_scenario::Application;

impl<'a> Simulator<'a> {
    /// Leaves the flows that they host to `endpoints`. Before the first event.
    pub(crate) fn attach(&mut self, endpoints: &'a mut dyn Endpoints) {
        let flows = 0..self.scenario.flows.len() as u32;
        let timers = flows.map(|f| self.add_target(Target::Endpoints(f))).collect();
        self.hosted = Some(Hosted { of: endpoints, timers, out: Out::default() });
    }

    /// Handles an event of a hosted flow. False if it is none.
    #[cold]
    pub(crate) fn handle_hosted(
        &mut self,
        target: Target,
        keep_going: KeepGoing<'_>,
    ) -> Result<bool, SimError> {
        let (f, event) = match target {
            Target::Open(f) => (f, EndpointEvent::Open),
            Target::Stop(f) => (f, EndpointEvent::Stop),
            Target::Endpoints(f) => (f, EndpointEvent::Timer),
            Target::Change(f, k) => {
                let change = self.scenario.flows[f as usize].events[k as usize];
                (f, EndpointEvent::Change(change.path, change.action))
            }
            _ => return Ok(false),
        };
        let is_its = self.hosted.as_ref().is_some_and(|hosted| hosted.get(f as usize).is_some());
        if is_its {
            self.host(f as usize, event, keep_going)?;
        }
        Ok(is_its)
    }

    /// A datagram is at the end of its route.
    pub(crate) fn deliver(&mut self, packet: &Packet, keep_going: KeepGoing<'_>) -> Result<(), SimError> {
        let (f, path) = self.owners[packet.subflow as usize];
        let datagram = Datagram {
            path: path as usize,
            is_forward: packet.is_forward(),
            sent_at: packet.stamp,
            ecn: (packet.has(flag::ECT), packet.has(flag::CE)),
            wire_bytes: packet.wire,
            data: self.net.datagrams.remove(packet.offset as usize),
        };
        self.host(f as usize, EndpointEvent::Arrives(datagram), keep_going)
    }

    fn host(&mut self, f: usize, event: EndpointEvent, keep_going: KeepGoing<'_>) -> Result<(), SimError> {
        let now = self.net.now();
        let Some(Hosted { of, out, .. }) = &mut self.hosted else { return Ok(()) };
        if let Err(why) = of.handle(f, event, now, out) {
            return Err(SimError::Endpoints { flow: self.scenario.flows[f].name.clone(), at: now, why });
        }
        if !out.secrets.is_empty() {
            let secrets = std::mem::take(&mut out.secrets);
            self.show();
            if let Some(tap) = &mut self.tap {
                tap.secrets(&secrets);
            }
        }
        let Some(Hosted { timers, out, .. }) = &mut self.hosted else { return Ok(()) };
        for datagram in out.datagrams.drain(..) {
            let subflow = self.connections[f].subflows[datagram.path].id;
            let kind = if datagram.is_forward { Kind::Datagram } else { Kind::DatagramBack };
            let mut packet = Packet::new(kind, subflow, 0, datagram.wire_bytes, now);
            if datagram.ecn.0 {
                packet.flags |= flag::ECT;
            }
            packet.offset = self.net.datagrams.insert(datagram.data) as u32;
            self.net.send(packet);
        }
        for at in out.timers.drain(..) {
            self.net.events.schedule(at, timers[f]);
        }
        let completed = std::mem::take(&mut out.completed);
        let is_complete = std::mem::take(&mut out.is_complete);
        for done in completed {
            match self.scenario.flows[f].application {
                Application::Arrivals { .. } => self.note_transfer(f, done, keep_going)?,
                _ => self.note_response(f, done),
            }
        }
        if is_complete && self.connections[f].completed_at.is_none() {
            self.connections[f].completed_at = Some(now);
            self.end(f, now);
        }
        Ok(())
    }
}
