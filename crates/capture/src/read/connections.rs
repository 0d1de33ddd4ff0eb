//! The connections of a capture: which TCP connections there are, and which of them are subflows of which MPTCP connection.

use super::half::Half;
use super::mptcp::{Mapping, Mptcp};
use super::segment::Segment;
use super::stream::Stream;
use crate::keys::{initial_data_sequence, token};
use anabranch_record::FallbackSign;
use std::collections::HashMap;
use std::net::SocketAddr;

/// A subflow, or a TCP connection without MPTCP.
pub(super) struct Tcp {
    /// Who opened it, and who answered.
    pub(super) ends: [SocketAddr; 2],
    /// Its connection, and which of its subflows it is.
    pub(super) connection: usize,
    pub(super) index: usize,
    /// What either sends, who opened it first.
    pub(super) halves: [Half; 2],
    /// The latest mapping of either, and its first place.
    pub(super) mappings: [Option<(Mapping, u64)>; 2],
    /// The sequence number of its SYN, by which another connection of the same ports is told.
    syn: Option<u32>,
    /// A packet of it came since the last sample.
    touched: bool,
}

/// A connection.
#[derive(Default)]
pub(super) struct Connection {
    /// That of who answered; the token that names it.
    pub(super) token: Option<[u8; 4]>,
    /// A SYN of who opened it asks for MPTCP.
    pub(super) offered: bool,
    /// It was answered, by whatever protocol.
    pub(super) answered: bool,
    /// MPTCP is what both SYNs have.
    pub(super) multipath: bool,
    /// The first packet that tells of a fallback to TCP, while none after it denies that.
    pub(super) fallback: Option<Sign>,
    /// Its subflows, in the order of their first packets.
    pub(super) subflows: Vec<usize>,
    /// Of either direction, who opened it first.
    pub(super) streams: [Stream; 2],
    /// Times of its first and its latest packet.
    pub(super) from: u64,
    pub(super) to: u64,
}

/// A packet that tells of a fallback.
#[derive(Clone, Copy)]
pub(super) struct Sign {
    pub(super) at: u64,
    pub(super) sign: FallbackSign,
    /// The subflow that it came on.
    pub(super) tcp: usize,
}

/// What a segment has beside options.
struct Carries {
    /// Payload that no mapping says the place of.
    unmapped: bool,
    /// An acknowledgement of payload.
    acknowledges: bool,
}

impl Connection {
    /// Hosts fall back where the other side's packets lose MPTCP's options, or by MP_FAIL and an infinite mapping, and use none from
    /// then on (RFC 8684 §3.7). A packet without any is no fallback while others have them, and a reset says nothing of what follows.
    /// After MP_FAIL what is under way on the same subflow still has mappings; a connection of several resets that subflow alone,
    /// and lives on in the others.
    fn look_for_fallback(&mut self, segment: &Segment, carries: Carries, tcp: usize, at: u64) {
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
        let bare = segment.mptcp.iter().all(Option::is_none) && !segment.rst;
        if bare && (carries.unmapped || carries.acknowledges) {
            sign = Some(FallbackSign::NoOptions);
        }
        let weak = |said: Sign| said.sign == FallbackSign::NoOptions;
        match sign {
            Some(sign) if self.fallback.is_none_or(|said| weak(said) && sign != FallbackSign::NoOptions) => {
                self.fallback = Some(Sign { at, sign, tcp });
            }
            None if signals => {
                self.fallback = self.fallback.filter(|said| !weak(*said) && said.tcp == tcp);
            }
            _ => (),
        }
    }
}

/// One direction of a subflow at one instant.
pub(super) struct Row {
    pub(super) at: u64,
    pub(super) tcp: usize,
    pub(super) direction: usize,
    pub(super) srtt_s: f64,
    pub(super) in_flight_segments: u64,
    pub(super) sent_bytes: u64,
    pub(super) delivered_bytes: u64,
    pub(super) again: u64,
}

pub(super) struct Connections {
    interval: u64,
    pub(super) packets: u64,
    /// Packets that are no TCP segments, or whose headers are cut off.
    pub(super) others: u64,
    pub(super) tcp: Vec<Tcp>,
    pub(super) connections: Vec<Connection>,
    /// By both ends, the smaller first.
    by_ends: HashMap<[SocketAddr; 2], usize>,
    by_token: HashMap<u32, usize>,
    /// Those whose packets came since the last sample.
    touched: Vec<usize>,
    pub(super) rows: Vec<Row>,
    /// When the first packet came, and when the next sample is due.
    pub(super) from: Option<u64>,
    due: u64,
    /// Joins of connections whose beginning is not in the capture.
    pub(super) strangers: u64,
}

impl Connections {
    pub(super) fn new(interval: u64) -> Self {
        Connections {
            interval,
            packets: 0,
            others: 0,
            tcp: vec![],
            connections: vec![],
            by_ends: HashMap::new(),
            by_token: HashMap::new(),
            touched: vec![],
            rows: vec![],
            from: None,
            due: 0,
            strangers: 0,
        }
    }

    /// Takes the next segment.
    pub(super) fn take(&mut self, segment: &Segment, at: u64) {
        let from = *self.from.get_or_insert(at);
        if self.due == 0 {
            self.due = from + self.interval;
        }
        if at >= self.due {
            self.sample();
            self.due += (at - self.due) / self.interval * self.interval + self.interval;
        }
        let t = self.find(segment, at);
        let tcp = &mut self.tcp[t];
        if !tcp.touched {
            tcp.touched = true;
            self.touched.push(t);
        }
        let direction = usize::from(segment.from != tcp.ends[0]);
        for option in segment.mptcp.iter().flatten() {
            self.learn(t, direction, *option, segment);
        }
        let tcp = &mut self.tcp[t];
        let connection = &mut self.connections[tcp.connection];
        connection.to = at;
        connection.answered |= segment.syn && segment.acknowledged.is_some();
        let acknowledged_before = tcp.halves[1 - direction].acknowledged;
        if segment.syn {
            tcp.halves[1 - direction].limit(segment.mss);
        }
        let (start, end) = tcp.halves[direction].on_sent(segment, at);
        if let Some(acknowledged) = segment.acknowledged {
            tcp.halves[1 - direction].on_acknowledged(acknowledged, &segment.sack, at);
        }
        for option in segment.mptcp.iter().flatten() {
            match option {
                Mptcp::Signal { mapping: Some(mapping), .. } if segment.payload > 0 => {
                    tcp.mappings[direction] = Some((*mapping, near(start, mapping.subflow.wrapping_sub(1))));
                }
                Mptcp::Signal { .. }
                | Mptcp::Capable { .. }
                | Mptcp::Join { .. }
                | Mptcp::Joining
                | Mptcp::Fail
                | Mptcp::Other => (),
            }
            if let Mptcp::Signal { acknowledged: Some(number), .. } = option {
                connection.streams[1 - direction].on_acknowledged(*number);
            }
        }
        if let Some((mapping, first)) = tcp.mappings[direction].filter(|_| end > start) {
            connection.streams[direction].on_sent(mapping, first, (start, end), tcp.index);
        }
        let is_mapped = |(mapping, first): (Mapping, u64)| end <= first + u64::from(mapping.len);
        let carries = Carries {
            unmapped: end > start && !tcp.mappings[direction].is_some_and(is_mapped),
            acknowledges: tcp.halves[1 - direction].acknowledged > acknowledged_before,
        };
        connection.look_for_fallback(segment, carries, t, at);
    }

    /// The TCP connection of a segment; a new one where there is none, or where ports are used again.
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
            index: 0,
            halves: Default::default(),
            mappings: [None; 2],
            syn: opens.then_some(segment.sequence),
            touched: false,
        });
        t
    }

    /// What an option tells of the connection.
    fn learn(&mut self, t: usize, direction: usize, option: Mptcp, segment: &Segment) {
        let c = self.tcp[t].connection;
        match option {
            Mptcp::Capable { version: 1, own, other, data } => {
                let connection = &mut self.connections[c];
                let asks = segment.syn && segment.acknowledged.is_none();
                connection.offered |= asks;
                // The third packet and the first data show that the answer had it, too.
                connection.multipath |= !asks;
                // The answer has the key of who answers; what follows has both.
                for (key, of) in [(own, direction), (other, 1 - direction)] {
                    let Some(key) = key else { continue };
                    connection.streams[of].begins_at(initial_data_sequence(key).wrapping_add(1));
                    self.by_token.insert(u32::from_be_bytes(token(key)), c);
                    if of == 1 {
                        connection.token = Some(token(key));
                    }
                }
                if let (Some(len), Some(key), 1..) = (data, own, segment.payload) {
                    let data = super::mptcp::Number {
                        value: initial_data_sequence(key).wrapping_add(1),
                        long: true,
                    };
                    self.tcp[t].mappings[direction] = Some((Mapping { data, subflow: 1, len }, 0));
                }
            }
            Mptcp::Join { token } if segment.syn => match self.by_token.get(&token) {
                Some(&joined) if joined != c => {
                    let subflows = &mut self.connections[joined].subflows;
                    subflows.push(t);
                    self.tcp[t].connection = joined;
                    self.tcp[t].index = subflows.len() - 1;
                    self.connections[c].subflows.clear();
                }
                Some(_) => (),
                None => self.strangers += 1,
            },
            Mptcp::Capable { .. }
            | Mptcp::Join { .. }
            | Mptcp::Joining
            | Mptcp::Signal { .. }
            | Mptcp::Fail
            | Mptcp::Other => (),
        }
    }

    /// Looks at every direction with data whose packets came since the last time.
    pub(super) fn sample(&mut self) {
        for t in self.touched.drain(..) {
            let tcp = &mut self.tcp[t];
            tcp.touched = false;
            for (direction, half) in tcp.halves.iter_mut().enumerate().filter(|(_, half)| half.packets > 0) {
                half.look();
                self.rows.push(Row {
                    at: self.due,
                    tcp: t,
                    direction,
                    srtt_s: half.srtt_s,
                    in_flight_segments: half.in_flight_segments(),
                    sent_bytes: half.next,
                    delivered_bytes: half.acknowledged,
                    again: half.again,
                });
            }
        }
    }
}

/// The number next to `at` that is `low` modulo 2³².
fn near(at: u64, low: u32) -> u64 {
    at.saturating_add_signed(i64::from(low.wrapping_sub(at as u32) as i32))
}
