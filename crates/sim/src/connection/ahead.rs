//! Receivers ahead of time.
//!
//! When a segment enters the last link of its path, its arrival is certain, if the link decides then and keeps the order. The subflow's
//! receiver takes the segment at once, with the time of its arrival, and its ACK enters the return path. So a segment needs no event, and
//! is received while the state of its connection is in the caches.
//!
//! The stream of a connection with several subflows depends on the order in which they deliver, which is certain only later. Their segments
//! join the stream *late*, in the order of arrival, when an ACK that covers them reaches the sender. The ACK says up to when.

use super::Connection;
use super::receiving::{COMPRESSION, RTT_OF_FULL_COMPRESSION};
use crate::incoming::{Early, Incoming};
use crate::network::Network;
use crate::packet::{Chunk, Packet, widen};
use crate::receiver::Reply;
use crate::subflow::Subflow;
use anabranch_net::Time;
use anabranch_scenario::{Flow, Path, Scenario, SubflowAction};

/// Whether what the receivers of a flow do depends on nothing but their own segments, and the arrival of these is certain.
pub(crate) fn is_certain(flow: &Flow, scenario: &Scenario, net: &Network) -> bool {
    let removes = flow.events.iter().any(|event| event.action == SubflowAction::Remove);
    let in_order = |path: &Path| {
        path.links.last().is_some_and(|last| {
            let link = &scenario.links[*last].spec;
            // Segments of a link join a stream late by their times, which must differ.
            let in_order = link.delivers_apart() || !flow.is_multipath() && link.jitter.reorder_rate == 0.0;
            in_order && net.decides_at_arrival(*last)
        })
    };
    // The delay of a compressed ACK depends on the sender's smallest RTT, unless that is long.
    let delay = |link: usize| scenario.links[link].spec.shortest_delay();
    let is_long = |path: &Path| path.base_rtt(delay) >= RTT_OF_FULL_COMPRESSION;
    // Other applications react to data.
    flow.is_greedy()
        && flow.stop >= scenario.duration
        && !removes
        // These ACKs depend on other subflows.
        && !(flow.tcp.push_acks && flow.is_multipath())
        && (!flow.tcp.sack_compression || flow.paths.iter().all(is_long))
        // Otherwise a timer can be due when its segment arrives.
        && flow.tcp.delayed_ack_timeout > Time::ZERO
        && flow.paths.iter().all(in_order)
}

/// Which segments an ACK of a stream covers that they join late: those that arrived before a time, and of those that arrive then, in the
/// order of links, ...
#[derive(Clone, Copy)]
pub(super) enum Covers {
    /// none: a timer expires before packets arrive.
    None,
    /// those before the ACK's link: the segment that arrives is not taken yet.
    Before,
    /// those up to the ACK's link.
    UpTo,
}

/// The time's bits in the fields of an ACK; the two highest say what it covers of that time.
const TIME: u32 = 62;

impl Covers {
    /// The fields `data` and `offset` of an ACK at `at`.
    fn at(self, at: Time) -> (u32, u32) {
        let fields = (self as u64) << TIME | at.as_nanos();
        (fields as u32, (fields >> 32) as u32)
    }

    /// The end of what an ACK of a subflow covers: a time, and the first link that it does not cover at that time.
    #[inline]
    fn end(ack: &Packet, last_link: u32) -> (Time, u32) {
        let fields = u64::from(ack.offset) << 32 | u64::from(ack.data);
        let link = match fields >> TIME {
            0 => 0,
            1 => last_link,
            _ => last_link + 1,
        };
        (Time::from_nanos(fields & ((1 << TIME) - 1)), link)
    }
}

impl Connection {
    /// Whether subflow `s` takes segments by [`Subflow::receive_early`], now or ahead of time.
    #[inline]
    pub(super) fn receives_early(&self, s: usize) -> bool {
        self.subflows[s].ahead || self.incoming.joins_late
    }

    /// A segment enters the last of several links, or arrives.
    #[inline(never)]
    pub(super) fn receive(&mut self, s: usize, packet: &Packet, at: Time, net: &mut Network) {
        self.subflows[s].receive_early(packet, at, &mut self.incoming, net);
    }

    /// Whether its only receiver is ahead of time, so that its segments join the stream at once.
    pub(crate) fn has_lone_receiver_ahead(&self) -> bool {
        self.subflows[0].ahead && !self.incoming.joins_late
    }

    /// What an ACK of subflow `s` says of the stream: the next chunk and its offset when the receiver sent it, or later, if another ACK has
    /// said so.
    #[inline]
    pub(super) fn delivered(&mut self, s: usize, ack: &Packet) -> (u32, u32) {
        let mut delivered = (ack.data, ack.offset);
        if self.incoming.joins_late {
            let end = Covers::end(ack, self.subflows[s].last_link);
            while let Some(subflow) = self.first_early(end).map(|s| &mut self.subflows[s])
                && let Some(early) = subflow.early.pop()
            {
                subflow.first_bytes += self.incoming.take(early.n, early.chunk());
            }
            delivered = self.incoming.delivered();
        }
        self.needs_attention |= self.incoming.corrupt.is_some();
        delivered
    }

    /// The subflow of the first segment before `end` that has not joined the stream.
    #[inline]
    fn first_early(&self, end: (Time, u32)) -> Option<usize> {
        let (mut first, mut on) = (end, None);
        for (s, subflow) in self.subflows.iter().enumerate() {
            if let Some(early) = subflow.early.front()
                && ({ early.at }, subflow.last_link) < first
            {
                (first, on) = ((early.at, subflow.last_link), Some(s));
            }
        }
        on
    }

    /// The bytes delivered in order before `now`, and those whose first copy arrived on each subflow. Planned measurements begin and end
    /// before anything else that happens at that instant.
    pub(crate) fn delivered_before(&self, now: Time) -> (u64, Vec<u64>) {
        let mut first_bytes: Vec<u64> = self.subflows.iter().map(|subflow| subflow.first_bytes).collect();
        if self.has_lone_receiver_ahead() {
            let (bytes, first_bytes) =
                self.incoming.delivered_before(now, first_bytes[0], self.out.acked_bytes);
            return (bytes, vec![first_bytes]);
        }
        let of_subflow = |(s, subflow): (usize, &Subflow)| {
            subflow.early.iter().map(|early| (*early, s)).collect::<Vec<_>>()
        };
        let mut early: Vec<_> = self.subflows.iter().enumerate().flat_map(of_subflow).collect();
        early.retain(|(early, _)| { early.at } < now);
        early.sort_by_key(|(early, s)| (early.at, self.subflows[*s].last_link));
        let mut stream = self.incoming.stream.clone();
        for (early, s) in early {
            if stream.take(widen(stream.next, early.n), early.chunk()) == Ok(true) {
                first_bytes[s] += u64::from(early.chunk().len);
            }
        }
        (stream.bytes, first_bytes)
    }
}

impl Subflow {
    /// Takes a segment that arrives at `at`.
    #[inline(always)] // a call would take a fifth of its instructions
    pub(super) fn receive_early(
        &mut self,
        packet: &Packet,
        at: Time,
        incoming: &mut Incoming,
        net: &mut Network,
    ) {
        #[cfg(test)]
        net.count_early(packet);
        let due = self.rx.due();
        debug_assert_eq!(due, net.delayed_acks.due(self.id));
        if due <= at {
            self.acknowledge_early(due, Covers::None, incoming, net);
        } else if self.rx.displaces_unreported(packet) {
            self.acknowledge_early(at, Covers::Before, incoming, net);
        }
        if incoming.joins_late {
            self.early.push(Early::new(at, packet.data, Chunk::of(packet)));
        } else {
            incoming.pass(at, self.first_bytes);
            self.first_bytes += incoming.take(packet.data, Chunk::of(packet));
        }
        match self.rx.on_data(packet, incoming.delayed_ack.into(), incoming.push_acks) {
            Reply::Later => self.acknowledge_later(at + incoming.delayed_ack_timeout, net),
            Reply::Compressible if incoming.compresses => self.acknowledge_later(at + COMPRESSION, net),
            Reply::Now | Reply::Compressible => self.acknowledge_early(at, Covers::UpTo, incoming, net),
        }
    }

    /// Acknowledges by `due`.
    #[inline]
    fn acknowledge_later(&mut self, due: Time, net: &mut Network) {
        self.rx.delay(due);
        self.delay_ack(due, net);
    }

    /// Sends an ACK at `at`.
    #[inline]
    pub(super) fn acknowledge_early(
        &mut self,
        at: Time,
        covers: Covers,
        incoming: &Incoming,
        net: &mut Network,
    ) {
        let delivered = if incoming.joins_late { covers.at(at) } else { incoming.delivered() };
        self.acknowledge(delivered, at, incoming, net);
    }
}
