//! The routes of packets.

use crate::packet::{Kind, Packet};

/// The hops of each subflow, forward and return routes alternating.
#[derive(Clone, Default)]
pub(crate) struct Routes {
    hops: Vec<u32>,
    of: Vec<Route>,
}

/// A route has at least one hop.
#[derive(Clone, Copy)]
struct Route {
    first: u32,
    /// The number of its hops, and the end of them among all.
    len: u16,
    end: u32,
    /// Whether the receiver takes its data ahead of time: see [`crate::connection::ahead`].
    ahead: bool,
}

impl Routes {
    /// Adds a subflow's two routes and returns its number.
    pub(crate) fn add(
        &mut self,
        forward: impl IntoIterator<Item = u32>,
        back: impl IntoIterator<Item = u32>,
    ) -> u32 {
        let subflow = self.of.len() as u32 / 2;
        self.add_route(forward);
        self.add_route(back);
        subflow
    }

    fn add_route(&mut self, hops: impl IntoIterator<Item = u32>) {
        let begin = self.hops.len();
        self.hops.extend(hops);
        let end = self.hops.len();
        let (first, len) = (self.hops[begin], (end - begin) as u16);
        self.of.push(Route { first, len, end: end as u32, ahead: false });
    }

    /// Lets a packet begin its route; returns the first hop.
    #[inline]
    pub(crate) fn begin(&self, packet: &mut Packet) -> u32 {
        let Route { first, len, .. } = self.of[route(packet)];
        packet.hops_left = len;
        first
    }

    /// Sets whether the receiver of `subflow` takes its data ahead of time.
    pub(crate) fn set_ahead(&mut self, subflow: u32, ahead: bool) {
        self.of[2 * subflow as usize].ahead = ahead;
    }

    /// Whether the receiver takes a packet ahead of time: data of such a subflow.
    #[inline]
    pub(crate) fn is_ahead(&self, packet: &Packet) -> bool {
        packet.kind == Kind::Data && self.of[2 * packet.subflow as usize].ahead
    }

    /// The next hop of a packet; `None` at the end of its route.
    #[inline]
    pub(crate) fn next(&self, packet: &Packet) -> Option<u32> {
        let next = || self.hops[(self.of[route(packet)].end - u32::from(packet.hops_left)) as usize];
        (packet.hops_left > 0).then(next)
    }
}

/// The number of a packet's route.
#[inline]
fn route(packet: &Packet) -> usize {
    2 * packet.subflow as usize + usize::from(!packet.is_forward())
}
