//! The connections of a capture: assigns TCP connections to MPTCP connections as subflows.

use super::direction::Direction;
use super::mptcp::{Mapping, Mptcp, Number};
use super::segment::Segment;
use super::stream::Stream;
use crate::keys::{first_data_number, token};
use crate::near::near;
use anabranch_record::{FallbackSign, SubflowSample};
use std::collections::HashMap;
use std::net::SocketAddr;

/// A subflow, or a TCP connection without MPTCP.
pub(super) struct Tcp {
    /// The client and the server.
    pub(super) ends: [SocketAddr; 2],
    pub(super) connection: usize,
    /// Both directions, the client's first.
    pub(super) directions: [Direction; 2],
    /// The latest mapping in each direction, and its first offset.
    pub(super) mappings: [Option<(Mapping, u64)>; 2],
    /// The sequence number of its SYN, which distinguishes connections with the same ports.
    syn: Option<u32>,
    /// Whether packets came since the last sample.
    updated: bool,
}

#[derive(Default)]
pub(super) struct Connection {
    /// The tokens of the client and the server; the server's identifies the connection.
    pub(super) tokens: [Option<[u8; 4]>; 2],
    /// A packet has MPTCP's options.
    pub(super) signals: bool,
    /// The client's SYN requests MPTCP.
    pub(super) offered: bool,
    /// The SYN was answered.
    pub(super) answered: bool,
    /// Both SYNs have MPTCP.
    pub(super) multipath: bool,
    /// The first packet that indicates a fallback to TCP, unless a later packet contradicts it.
    pub(super) fallback: Option<FallbackEvidence>,
    /// Its subflows, in the order of their first packets.
    pub(super) subflows: Vec<usize>,
    /// Both directions, the client's first.
    pub(super) streams: [Stream; 2],
    /// Times of its first and its latest packet.
    pub(super) from: u64,
    pub(super) to: u64,
}

/// A packet that indicates a fallback.
#[derive(Clone, Copy)]
pub(super) struct FallbackEvidence {
    pub(super) at: u64,
    pub(super) sign: FallbackSign,
    /// The subflow of the packet.
    pub(super) tcp: usize,
}

impl Connection {
    /// Hosts fall back if the peer's packets lose MPTCP's options, or by MP_FAIL and an infinite mapping, and use no options from
    /// then on (RFC 8684 §3.7). A packet without options does not prove a fallback while others have them, nor does a reset.
    /// After MP_FAIL, data in flight on the same subflow still has mappings. A connection with several subflows only resets
    /// that subflow and continues on the others. `needs_options`: the segment has payload outside of any mapping, or acknowledges
    /// payload.
    fn update_fallback(&mut self, segment: &Segment, needs_options: bool, tcp: usize, at: u64) {
        let (mut sign, mut signals) = (None, false);
        for option in segment.mptcp.iter().flatten() {
            match option {
                Mptcp::Fail => sign = Some(FallbackSign::Fail),
                Mptcp::Signal { mapping: Some(Mapping { len: 0, .. }), .. } => {
                    sign = sign.or(Some(FallbackSign::InfiniteMapping));
                }
                Mptcp::Signal { .. } | Mptcp::Capable { .. } if !segment.syn => signals = true,
                _ => (),
            }
        }
        if needs_options && segment.mptcp.iter().all(Option::is_none) && !segment.rst {
            sign = Some(FallbackSign::NoOptions);
        }
        let weak = |evidence: FallbackEvidence| evidence.sign == FallbackSign::NoOptions;
        match sign {
            Some(sign)
                if self.fallback.is_none_or(|evidence| weak(evidence) && sign != FallbackSign::NoOptions) =>
            {
                self.fallback = Some(FallbackEvidence { at, sign, tcp });
            }
            None if signals => {
                self.fallback = self.fallback.filter(|evidence| !weak(*evidence) && evidence.tcp == tcp);
            }
            _ => (),
        }
    }
}

/// What a segment is within its connection. Offsets are bytes since the first byte of payload.
pub(super) struct SeenSegment {
    /// Its TCP connection, and its direction: 0 from the client.
    pub(super) tcp: usize,
    pub(super) direction: usize,
    /// The offset of its payload, and in the MPTCP connection's stream.
    pub(super) start: u64,
    pub(super) stream: Option<u64>,
    /// Its SYN or the begin of its payload was sent before.
    pub(super) again: bool,
    /// The acknowledged offset and the offsets of SACK's ranges.
    pub(super) acknowledged: Option<u64>,
    pub(super) sack: [Option<(u64, u64)>; 4],
}

/// A sample of one direction of a TCP connection at `at`. Its own time and places are set when it is written.
pub(super) struct Row {
    pub(super) at: u64,
    pub(super) tcp: usize,
    pub(super) direction: usize,
    pub(super) sample: SubflowSample<'static>,
}

#[derive(Default)]
pub(super) struct Connections {
    interval: u64,
    pub(super) packets: u64,
    /// Packets that are not TCP segments or have truncated headers.
    pub(super) others: u64,
    pub(super) tcp: Vec<Tcp>,
    pub(super) connections: Vec<Connection>,
    /// TCP connections by both ends, the smaller first.
    by_ends: HashMap<[SocketAddr; 2], usize>,
    by_token: HashMap<u32, usize>,
    /// TCP connections with packets since the last sample.
    updated: Vec<usize>,
    pub(super) rows: Vec<Row>,
    /// Time of the first packet, and of the next sample.
    pub(super) from: Option<u64>,
    due: u64,
    /// Joins of connections that began before the capture.
    pub(super) unmatched_joins: u64,
}

impl Connections {
    pub(super) fn new(interval: u64) -> Self {
        Connections { interval, ..Connections::default() }
    }

    pub(super) fn on_segment(&mut self, segment: &Segment, at: u64) -> SeenSegment {
        let from = *self.from.get_or_insert(at);
        if self.due == 0 {
            self.due = from.saturating_add(self.interval);
        }
        if at >= self.due {
            self.sample();
            self.due += (at - self.due) / self.interval * self.interval + self.interval;
        }
        let t = self.find(segment, at);
        let tcp = &mut self.tcp[t];
        if !tcp.updated {
            tcp.updated = true;
            self.updated.push(t);
        }
        let direction = usize::from(segment.from != tcp.ends[0]);
        for option in segment.mptcp.iter().flatten() {
            self.apply_option(t, direction, *option, segment);
        }
        let tcp = &mut self.tcp[t];
        let connection = &mut self.connections[tcp.connection];
        connection.to = at;
        connection.answered |= segment.syn && segment.acknowledged.is_some();
        let acknowledged_before = tcp.directions[1 - direction].acknowledged;
        if segment.syn {
            let mss = &mut tcp.directions[1 - direction].mss;
            *mss = segment.mss.or(*mss);
        }
        let (sent_before, syn_before) = (tcp.directions[direction].next, tcp.directions[direction].has_syn);
        let (start, end) = tcp.directions[direction].on_sent(segment, at);
        if let Some(acknowledged) = segment.acknowledged {
            tcp.directions[1 - direction].on_acknowledged(acknowledged, &segment.sack, at);
        }
        for option in segment.mptcp.iter().flatten() {
            let Mptcp::Signal { acknowledged, mapping } = option else { continue };
            connection.signals = true;
            if let Some(mapping) = mapping.filter(|_| segment.payload > 0) {
                tcp.mappings[direction] = Some((mapping, near(start, mapping.subflow.wrapping_sub(1))));
            }
            if let Some(number) = acknowledged {
                connection.streams[1 - direction].on_acknowledged(*number);
            }
        }
        let mapped = tcp.mappings[direction].filter(|_| end > start);
        if let Some((mapping, first)) = mapped {
            connection.streams[direction].on_sent(mapping, first, (start, end), start < sent_before);
        }
        let is_mapped = |(mapping, first): (Mapping, u64)| end <= first + u64::from(mapping.len);
        let unmapped = end > start && !mapped.is_some_and(is_mapped);
        let acknowledges = tcp.directions[1 - direction].acknowledged > acknowledged_before;
        connection.update_fallback(segment, unmapped || acknowledges, t, at);
        let other = &tcp.directions[1 - direction];
        SeenSegment {
            tcp: t,
            direction,
            start,
            stream: mapped.and_then(|(mapping, first)| {
                (connection.streams[direction].begin(mapping)? + start).checked_sub(first)
            }),
            again: if segment.syn { syn_before } else { end > start && start < sent_before },
            acknowledged: segment.acknowledged.and_then(|number| other.offset(number)),
            sack: segment.sack.map(|range| {
                let (from, to) = range?;
                Some((other.offset(from)?, other.offset(to)?))
            }),
        }
    }

    /// The TCP connection of a segment; a new one if the ports are new or reused.
    fn find(&mut self, segment: &Segment, at: u64) -> usize {
        let ends = [segment.from.min(segment.to), segment.from.max(segment.to)];
        let opens = segment.syn && segment.acknowledged.is_none();
        if let Some(&t) = self.by_ends.get(&ends)
            && !(opens && self.tcp[t].syn.is_some_and(|syn| syn != segment.sequence))
        {
            return t;
        }
        let t = self.tcp.len();
        let answers = segment.syn && segment.acknowledged.is_some();
        self.by_ends.insert(ends, t);
        self.connections.push(Connection { subflows: vec![t], from: at, to: at, ..Connection::default() });
        self.tcp.push(Tcp {
            ends: if answers { [segment.to, segment.from] } else { [segment.from, segment.to] },
            connection: self.connections.len() - 1,
            directions: Default::default(),
            mappings: [None; 2],
            syn: opens.then_some(segment.sequence),
            updated: false,
        });
        t
    }

    fn apply_option(&mut self, t: usize, direction: usize, option: Mptcp, segment: &Segment) {
        let c = self.tcp[t].connection;
        match option {
            Mptcp::Capable { version: 1, own, other, data } => {
                let connection = &mut self.connections[c];
                let asks = segment.syn && segment.acknowledged.is_none();
                connection.offered |= asks;
                // The third packet and the first data show that the SYN-ACK had the option, too.
                connection.multipath |= !asks;
                // The SYN-ACK has the server's key, later packets both keys.
                for (key, of) in [(own, direction), (other, 1 - direction)] {
                    let Some(key) = key else { continue };
                    connection.streams[of].base = Some(first_data_number(key));
                    self.by_token.insert(u32::from_be_bytes(token(key)), c);
                    connection.tokens[of] = Some(token(key));
                }
                if let (Some(len), Some(key), 1..) = (data, own, segment.payload) {
                    let data = Number { value: first_data_number(key), long: true };
                    self.tcp[t].mappings[direction] = Some((Mapping { data, subflow: 1, len }, 0));
                }
            }
            Mptcp::Join { token } if segment.syn => match self.by_token.get(&token) {
                Some(&joined) if joined != c => {
                    self.connections[joined].subflows.push(t);
                    self.tcp[t].connection = joined;
                    self.connections[c].subflows.clear();
                }
                Some(_) => (),
                None => self.unmatched_joins += 1,
            },
            _ => (),
        }
    }

    /// Samples every direction with data, of connections with packets since the last sample.
    pub(super) fn sample(&mut self) {
        for t in self.updated.drain(..) {
            let tcp = &mut self.tcp[t];
            tcp.updated = false;
            let states = tcp.directions.iter_mut().enumerate();
            for (direction, state) in states.filter(|(_, state)| state.packets > 0) {
                state.record_srtt();
                self.rows.push(Row { at: self.due, tcp: t, direction, sample: state.state() });
            }
        }
    }
}
