//! Flows whose end points are not the simulator's: it carries their datagrams over its links and calls them in its event loop.

use crate::application::Completed;
use anabranch_net::Time;
use anabranch_record::{Measured, Sink};
use anabranch_scenario::{Scenario, SubflowAction};

/// The end points of some flows of a scenario. Each is a sender and a receiver, with a path for each of the flow's.
pub trait Endpoints: Send {
    /// Whether flow `f` is one of them.
    fn hosts(&self, f: usize) -> bool;
    /// Something happens to flow `f`.
    ///
    /// # Errors
    /// The reason why the run cannot continue.
    fn handle(&mut self, f: usize, event: EndpointEvent, now: Time, out: &mut Out) -> Result<(), String>;
    /// The bytes that the receiver of flow `f` has read, in order.
    fn delivered(&self, f: usize) -> u64;
    /// The measurement of flow `f` begins or ends.
    fn measure(&mut self, f: usize, now: Time, begins: bool);
    /// A sampling instant of flow `f`; samples go to `sink`, if they are wanted.
    fn sample(&mut self, f: usize, now: Time, sink: Option<&mut dyn Sink>);
    /// The paths of flow `f` over the `seconds` of its measurement, in which the network dropped `lost` of each path's datagrams.
    fn measured(&self, f: usize, seconds: f64, lost: &[u64]) -> Vec<Measured<'_>>;
    /// The incomplete transfers of flow `f`: when each arrived, and its bytes.
    fn under_way(&self, f: usize) -> Vec<(Time, u64)>;
    /// End points of the same kind for another scenario, in which a transfer is alone in an idle network.
    ///
    /// # Errors
    /// The reason why they cannot be made.
    fn alone(&self, scenario: &Scenario, seed: u64) -> Result<Box<dyn Endpoints>, String>;
}

/// What happens to a flow.
#[derive(Debug)]
pub enum EndpointEvent {
    /// It starts.
    Open,
    /// Its sender stops.
    Stop,
    /// A timer is due.
    Timer,
    /// The scenario changes a path, by its index; also before it starts.
    Change(usize, SubflowAction),
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
    /// New secrets of its packets, as lines of TLS's key log, for a capture.
    pub secrets: String,
    /// Times of [`EndpointEvent::Timer`]: each given one happens.
    pub timers: Vec<Time>,
    /// Responses or transfers that its receiver now has.
    pub completed: Vec<Completed>,
    /// Whether its receiver has all data.
    pub is_complete: bool,
}

/// The end points in a simulation.
pub(crate) struct Hosted<'a> {
    pub(crate) of: &'a mut dyn Endpoints,
    /// The event target of each flow's timers.
    pub(crate) timers: Vec<u32>,
    pub(crate) out: Out,
}

impl Hosted<'_> {
    /// The end points of flow or connection `c`, if it is hosted.
    pub(crate) fn get_mut(&mut self, c: usize) -> Option<&mut (dyn Endpoints + '_)> {
        if c < self.timers.len() && self.of.hosts(c) { Some(&mut *self.of) } else { None }
    }

    /// The same, to read.
    pub(crate) fn get(&self, c: usize) -> Option<&(dyn Endpoints + '_)> {
        if c < self.timers.len() && self.of.hosts(c) { Some(&*self.of) } else { None }
    }
}
