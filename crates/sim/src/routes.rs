//! The routes of packets.

use crate::packet::Packet;

/// The hops of each subflow, forward and return routes alternating.
#[derive(Clone)]
pub(crate) struct Routes {
    hops: Vec<u32>,
    /// The start of each route, and the end of the last.
    begins: Vec<u32>,
}

impl Default for Routes {
    fn default() -> Routes {
        Routes { hops: Vec::new(), begins: vec![0] }
    }
}

impl Routes {
    /// Adds a subflow's two routes and returns its number.
    pub(crate) fn add(
        &mut self,
        forward: impl IntoIterator<Item = u32>,
        back: impl IntoIterator<Item = u32>,
    ) -> u32 {
        let subflow = self.begins.len() as u32 / 2;
        self.hops.extend(forward);
        self.begins.push(self.hops.len() as u32);
        self.hops.extend(back);
        self.begins.push(self.hops.len() as u32);
        subflow
    }

    /// Lets a packet begin its route; returns the first hop.
    #[inline]
    pub(crate) fn begin(&self, packet: &mut Packet) -> u32 {
        let route = route(packet);
        let (begin, end) = (self.begins[route], self.begins[route + 1]);
        packet.hops_left = (end - begin) as u16;
        self.hops[begin as usize]
    }

    /// The next hop of a packet; `None` at the end of its route.
    #[inline]
    pub(crate) fn next(&self, packet: &Packet) -> Option<u32> {
        let next = || self.hops[(self.begins[route(packet) + 1] - u32::from(packet.hops_left)) as usize];
        (packet.hops_left > 0).then(next)
    }
}

/// The number of a packet's route.
#[inline]
fn route(packet: &Packet) -> usize {
    2 * packet.subflow as usize + usize::from(!packet.is_forward())
}
