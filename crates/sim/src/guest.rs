//! Flows whose end points are not the simulator's. It carries their datagrams over its links and calls them in its event loop.

use crate::SimError;
use crate::packet::{Kind, Packet, flag};
use crate::simulator::{Simulator, Target};
use anabranch_net::Time;
use anabranch_record::{Measured, Sink};

/// The end points of some flows of a scenario. Each is a sender and a receiver, with a path for each of the flow's.
pub trait Guest: Send {
    /// Whether flow `f` is one of them.
    fn hosts(&self, f: usize) -> bool;
    /// Something happens to flow `f`.
    ///
    /// # Errors
    /// The reason why the run cannot continue.
    fn handle(&mut self, f: usize, event: GuestEvent, now: Time, out: &mut Out) -> Result<(), String>;
    /// The bytes that the receiver of flow `f` has read, in order.
    fn delivered(&self, f: usize) -> u64;
    /// The measurement of flow `f` begins or ends.
    fn measure(&mut self, f: usize, now: Time, begins: bool);
    /// A sampling instant of flow `f`; samples go to `sink`, if they are wanted.
    fn sample(&mut self, f: usize, now: Time, sink: Option<&mut dyn Sink>);
    /// The paths of flow `f` over the `seconds` of its measurement, in which the network dropped `lost` of each path's datagrams.
    fn measured(&self, f: usize, seconds: f64, lost: &[u64]) -> Vec<Measured<'_>>;
}

/// What happens to a flow.
#[derive(Debug)]
pub enum GuestEvent {
    /// It starts.
    Open,
    /// Its sender stops.
    Stop,
    /// A timer is due.
    Timer,
    /// A datagram arrives.
    Arrives(Datagram),
}

/// A datagram.
#[derive(Debug)]
pub struct Datagram {
    /// The index of the flow's path.
    pub path: usize,
    /// Whether the sender of the flow sends it, over the path's links.
    pub is_forward: bool,
    /// When it leaves its host: set by the simulator.
    pub sent_at: Time,
    /// ECN-capable transport, and congestion experienced (RFC 3168).
    pub ecn: (bool, bool),
    /// Its size at IP level.
    pub wire_bytes: u16,
    /// Its content.
    pub data: Vec<u8>,
}

/// What a flow does in answer to an event.
#[derive(Debug, Default)]
pub struct Out {
    /// Datagrams to send, in order.
    pub datagrams: Vec<Datagram>,
    /// Times of [`GuestEvent::Timer`]: each given one happens.
    pub timers: Vec<Time>,
    /// Whether its receiver has all data.
    pub is_complete: bool,
}

/// A guest in a simulation.
pub(crate) struct Guests<'a> {
    pub(crate) of: &'a mut dyn Guest,
    /// The event target of each flow's timers.
    timers: Vec<u32>,
    out: Out,
}

impl Guests<'_> {
    /// The end points of flow or connection `c`, if they are the guest's.
    pub(crate) fn hosting(&mut self, c: usize) -> Option<&mut (dyn Guest + '_)> {
        if c < self.timers.len() && self.of.hosts(c) { Some(&mut *self.of) } else { None }
    }

    /// The same, to read.
    pub(crate) fn hosted(&self, c: usize) -> Option<&(dyn Guest + '_)> {
        if c < self.timers.len() && self.of.hosts(c) { Some(&*self.of) } else { None }
    }
}

impl<'a> Simulator<'a> {
    /// Leaves the flows that it hosts to `guest`. Before the first event.
    pub(crate) fn invite(&mut self, guest: &'a mut dyn Guest) {
        let flows = 0..self.scenario.flows.len() as u32;
        let timer = |f| {
            self.targets.push(Target::Guest(f));
            self.targets() as u32 - 1
        };
        let timers = flows.map(timer).collect();
        self.guests = Some(Guests { of: guest, timers, out: Out::default() });
    }

    /// Handles an event of a guest's flow. False if it is none.
    #[cold]
    pub(crate) fn is_guests(&mut self, target: Target, now: Time) -> Result<bool, SimError> {
        let (f, event) = match target {
            Target::Open(f) => (f, GuestEvent::Open),
            Target::Stop(f) => (f, GuestEvent::Stop),
            Target::Guest(f) => (f, GuestEvent::Timer),
            _ => return Ok(false),
        };
        let is_its = self.guests.as_mut().is_some_and(|guests| guests.hosting(f as usize).is_some());
        if is_its {
            self.host(f as usize, event, now)?;
        }
        Ok(is_its)
    }

    /// A datagram is at the end of its route.
    pub(crate) fn deliver(&mut self, packet: &Packet, now: Time) -> Result<(), SimError> {
        let (f, path) = self.owners[packet.subflow as usize];
        let datagram = Datagram {
            path: path as usize,
            is_forward: packet.is_forward(),
            sent_at: packet.stamp,
            ecn: (packet.has(flag::ECT), packet.has(flag::CE)),
            wire_bytes: packet.wire,
            data: self.net.datagrams.remove(packet.offset as usize),
        };
        self.host(f as usize, GuestEvent::Arrives(datagram), now)
    }

    fn host(&mut self, f: usize, event: GuestEvent, now: Time) -> Result<(), SimError> {
        let Some(Guests { of, timers, out }) = &mut self.guests else { return Ok(()) };
        if let Err(why) = of.handle(f, event, now, out) {
            return Err(SimError::Guest { flow: self.scenario.flows[f].name.clone(), at: now, why });
        }
        for datagram in out.datagrams.drain(..) {
            let subflow = self.connections[f].subflows[datagram.path].id;
            let kind = if datagram.is_forward { Kind::Datagram } else { Kind::DatagramBack };
            let mut packet = Packet::new(kind, subflow, 0, datagram.wire_bytes, now);
            if datagram.ecn.0 {
                packet.flags |= flag::ECT;
            }
            packet.offset = self.net.datagrams.insert(datagram.data) as u32;
            self.net.send_datagram(packet);
        }
        for at in out.timers.drain(..) {
            self.net.events.schedule(at, timers[f]);
        }
        if std::mem::take(&mut out.is_complete) && self.connections[f].completed_at.is_none() {
            self.connections[f].completed_at = Some(now);
            self.end(f, now);
        }
        Ok(())
    }
}
