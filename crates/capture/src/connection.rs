//! The state of a connection that hosts have and the model omits: keys, ports, and byte offsets of segments.

use crate::addresses::Ends;
use crate::encode::flag::{ACK, CWR, ECE, FIN, PSH, RST, SYN};
use crate::encode::{Frame, HeaderTemplate, Segment};
use crate::keys::{Keys, Nonces, first_data_number};
use crate::near::near;
use crate::options::{Mapping, Options};
use anabranch_net::Time;
use anabranch_scenario::{Flow, SubflowAction};
use anabranch_sim::tap::{PacketKind, Place, SeenPacket, window_scale};
use sha2::{Digest, Sha256};

/// Timestamps (RFC 7323) count milliseconds from this arbitrary start.
const CLOCK: u64 = 1 << 20;
/// Shift and size of the sender's advertised window; the sender receives only ACKs.
const SENDER_SCALE: u8 = 7;
const SENDER_WINDOW: u16 = 512;
/// RFC 8684 §3.6: administratively prohibited.
const PROHIBITED: u8 = 3;

pub(crate) struct Connection {
    pub(crate) flow: usize,
    /// The number of the flow's transfer that it carries, from 1, if transfers have their own connections.
    transfer: u32,
    /// The lives of its subflows before it was opened, modulo 2¹⁶.
    life: u16,
    multipath: bool,
    long: bool,
    ecn: bool,
    mss: u16,
    scale: u8,
    keys: Keys,
    /// The first data sequence numbers of both hosts.
    sender_data: u64,
    receiver_data: u64,
    /// The lives of each path, the present one last.
    paths: Vec<Path>,
    /// The chunk that is the DATA_FIN.
    data_fin: Option<u32>,
    /// A stream offset near those of the latest packets, which have 32 bits of it.
    near: u64,
    /// Acknowledged bytes of the stream, as known to the sender.
    data_acknowledged: u64,
}

struct Path {
    backup: bool,
    /// Whether its latest life is in use.
    open: bool,
    lives: Vec<Subflow>,
}

/// One TCP connection.
struct Subflow {
    /// It opened the connection rather than joined it.
    first: bool,
    nonces: Nonces,
    /// Initial sequence numbers of sender and receiver.
    initial: (u32, u32),
    /// Bytes before each sent segment, and at the end the total.
    before: Vec<u32>,
    /// The receiver's latest timestamp at the sender, and the sender's latest echoed timestamp.
    stamps: (u32, u32),
    /// The segment that the latest ACK at the sender expects.
    expected: u32,
    /// The FIN was sent.
    finished: bool,
    /// From the sender, and back to it.
    directions: [HeaderTemplate; 2],
}

fn clock(at: Time) -> u32 {
    (CLOCK + at.as_nanos() / 1_000_000) as u32
}

/// `flags` if the condition holds, else 0.
fn flags_if(condition: bool, flags: u8) -> u8 {
    if condition { flags } else { 0 }
}

impl Connection {
    pub(crate) fn new(flow: usize, transfer: u32, life: u16, spec: &Flow, seed: u64) -> Connection {
        let keys = Keys::of(seed, flow, transfer);
        Connection {
            flow,
            transfer,
            life,
            multipath: spec.is_multipath(),
            long: spec.tcp.long_dss,
            ecn: spec.tcp.ecn,
            mss: spec.tcp.mss + 12, // RFC 6691: without the timestamps that each segment has
            scale: window_scale(spec.tcp.receive_buffer) as u8,
            keys,
            sender_data: first_data_number(keys.sender),
            receiver_data: first_data_number(keys.receiver),
            paths: spec.paths.iter().map(|p| Path { backup: p.backup, open: false, lives: vec![] }).collect(),
            data_fin: None,
            near: 0,
            data_acknowledged: 0,
        }
    }

    /// The life of a packet's subflow, counted from the opening of the connection; `None` if the packet belongs to an
    /// earlier connection. Lives are modulo 2¹⁶: the nearer distance decides.
    #[inline]
    pub(crate) fn life(&self, seen: &SeenPacket) -> Option<usize> {
        let life = seen.life.wrapping_sub(self.life);
        (life <= u16::MAX >> 1).then_some(life.into())
    }

    /// The number of a TCP connection among those of its flow's path.
    fn number(&self, life: usize) -> u32 {
        self.transfer + life as u32
    }

    /// Updates the state with a packet that the sender's host sends or receives.
    pub(crate) fn note(&mut self, seen: &SeenPacket, life: usize) {
        if seen.place != Place::Sender {
            return;
        }
        if seen.kind == PacketKind::Syn {
            self.open(seen.path, life);
        }
        let Some(subflow) = self.paths[seen.path].lives.get_mut(life) else { return };
        match seen.kind {
            PacketKind::Syn => subflow.first = !seen.joins,
            PacketKind::Data => {
                if seen.segment as usize + 1 == subflow.before.len() {
                    let end = subflow.before[seen.segment as usize];
                    let takes = u32::from(seen.payload_bytes) + u32::from(seen.fin);
                    subflow.before.push(end.wrapping_add(takes));
                }
                subflow.finished |= seen.fin;
                if seen.payload_bytes == 0 && !seen.fin {
                    self.data_fin = Some(seen.chunk);
                }
            }
            // Hosted flows are not captured.
            PacketKind::HandshakeAck | PacketKind::Datagram | PacketKind::DatagramBack => (),
            PacketKind::SynAck | PacketKind::JoinAck | PacketKind::Ack | PacketKind::Request => {
                // Packets that others overtook change nothing (RFC 7323 §5.3, RFC 9293 §3.10.7.4).
                let later =
                    |known: u32, now: u32| if now.wrapping_sub(known) as i32 > 0 { now } else { known };
                subflow.stamps.0 = later(subflow.stamps.0, clock(seen.sent));
                if let Some(returned) = seen.returns {
                    subflow.stamps.1 = later(subflow.stamps.1, clock(returned));
                }
                if seen.kind == PacketKind::Ack {
                    subflow.expected = subflow.expected.max(seen.segment);
                    let at = self.data_ack(seen);
                    self.data_acknowledged = self.data_acknowledged.max(at);
                }
            }
        }
    }

    fn open(&mut self, path: usize, life: usize) {
        let present = self.paths[path].lives.len();
        for life in present..=life {
            let ends = Ends::of(self.flow, path, self.number(life));
            let subflow = Subflow::new(&self.keys, self.flow, path, life, ends);
            self.paths[path].lives.push(subflow);
            self.paths[path].open = true;
        }
    }

    /// The stream offset with these low bits.
    fn widen(&mut self, offset: u32) -> u64 {
        self.near = near(self.near, offset);
        self.near
    }

    /// The stream offset that an ACK acknowledges; the DATA_FIN counts as a byte.
    fn data_ack(&mut self, seen: &SeenPacket) -> u64 {
        let fin = self.data_fin.is_some_and(|fin| fin.wrapping_add(1) == seen.chunk);
        self.widen(seen.offset) + u64::from(fin)
    }

    /// A packet as a host sends it; `None` if the subflow is unknown.
    pub(crate) fn frame(&mut self, seen: &SeenPacket, life: usize) -> Option<Frame> {
        let forward = matches!(seen.kind, PacketKind::Syn | PacketKind::HandshakeAck | PacketKind::Data);
        let data = match seen.kind {
            PacketKind::Data => self.widen(seen.offset),
            PacketKind::Ack => self.data_ack(seen),
            _ => self.data_acknowledged,
        };
        let Connection { keys, multipath, .. } = *self;
        let path = &self.paths[seen.path];
        let subflow = path.lives.get(life)?;
        let own = clock(seen.sent);
        let mut segment = Segment {
            sequence: if forward { subflow.initial.0 } else { subflow.initial.1.wrapping_add(1) },
            acknowledged: if forward { subflow.initial.1.wrapping_add(1) } else { subflow.at(0) },
            flags: ACK | flags_if(seen.push, PSH) | flags_if(seen.echo.0, ECE) | flags_if(seen.echo.1, CWR),
            window: if forward { SENDER_WINDOW } else { seen.window },
            ecn: seen.ecn,
            options: Options::of_segment((own, if forward { subflow.stamps.0 } else { subflow.stamps.1 })),
            payload: seen.payload_bytes,
        };
        let capable = multipath && subflow.first;
        let joins = multipath && !subflow.first;
        let options = &mut segment.options;
        match seen.kind {
            PacketKind::Syn => {
                segment.acknowledged = 0;
                segment.flags = SYN | flags_if(self.ecn, ECE | CWR);
                segment.window = u16::MAX;
                *options = Options::of_syn(self.mss, (own, 0), SENDER_SCALE);
                if capable {
                    *options = options.capable(&[]);
                } else if joins {
                    *options = options.join(path.backup, seen.path as u8, keys, subflow.nonces);
                }
            }
            PacketKind::SynAck => {
                segment.sequence = subflow.initial.1;
                segment.flags = SYN | ACK | flags_if(self.ecn, ECE);
                segment.window = u16::MAX;
                let returned = seen.returns.map_or(0, clock);
                *options = Options::of_syn(self.mss, (own, returned), self.scale);
                if capable {
                    *options = options.capable(&[keys.receiver]);
                } else if joins {
                    *options = options.join_answer(path.backup, keys, subflow.nonces);
                }
            }
            PacketKind::HandshakeAck => {
                segment.sequence = subflow.at(0);
                if capable {
                    *options = options.capable(&[keys.sender, keys.receiver]);
                } else if joins {
                    *options = options.join_proof(keys, subflow.nonces);
                }
            }
            PacketKind::Datagram | PacketKind::DatagramBack => return None,
            PacketKind::JoinAck | PacketKind::Request => {
                segment.window = u16::MAX >> 1;
                segment.flags = ACK | flags_if(seen.kind == PacketKind::Request, PSH);
                segment.acknowledged = subflow.at(subflow.expected);
                if multipath {
                    *options = options.data_ack(self.sender_data.wrapping_add(data), self.long);
                }
            }
            PacketKind::Data => {
                segment.sequence = subflow.at(seen.segment);
                segment.flags |= flags_if(seen.fin, FIN);
                if multipath && !seen.fin {
                    *options = self.mapped(seen, data, subflow, *options);
                } else if multipath {
                    *options = options.data_ack(self.receiver_data, false);
                }
            }
            PacketKind::Ack => {
                segment.acknowledged = subflow.at(seen.segment);
                *options = Options::of_segment((own, seen.returns.map_or(0, clock)));
                let blocks = seen.sack.into_iter().map(|(start, len)| {
                    let from = seen.segment.wrapping_add_signed(start);
                    (subflow.at(from), subflow.at(from.wrapping_add(len)))
                });
                *options = options.sack(blocks.filter(|(from, to)| from != to));
                if multipath {
                    *options = options.data_ack(self.sender_data.wrapping_add(data), self.long);
                }
            }
        }
        let [there, back] = &subflow.directions;
        Some(if forward { there } else { back }.frame(&segment))
    }

    #[inline(always)]
    fn mapped(&self, seen: &SeenPacket, data: u64, subflow: &Subflow, options: Options) -> Options {
        let fin = self.data_fin == Some(seen.chunk) && seen.payload_bytes == 0;
        if subflow.first && seen.segment == 0 && data == 0 && !fin {
            return options.capable_with_data(self.keys, seen.payload_bytes);
        }
        let mapping = Mapping {
            data: self.sender_data.wrapping_add(data),
            // RFC 8684 §3.3.3: a DATA_FIN without data has no subflow sequence number and is one byte long.
            subflow: if fin { 0 } else { subflow.before[seen.segment as usize].wrapping_add(1) },
            len: if fin { 1 } else { seen.payload_bytes },
            fin,
        };
        options.mapping(mapping, self.receiver_data, self.long)
    }

    /// The packets with which hosts announce a subflow event: the path of each, and the packet.
    pub(crate) fn announcements(
        &mut self,
        at: Time,
        path: usize,
        action: SubflowAction,
    ) -> Vec<(usize, Frame)> {
        if !self.multipath {
            return vec![];
        }
        let is_open = |p: &usize| {
            let Path { open, lives, .. } = &self.paths[*p];
            *open && lives.last().is_some_and(|subflow| !subflow.finished)
        };
        let other = (0..self.paths.len()).find(|p| *p != path && is_open(p));
        let itself = Some(path).filter(is_open);
        let id = path as u8;
        let mut said = vec![];
        match action {
            SubflowAction::Add => {
                let address = Ends::of(self.flow, path, self.number(0)).sender.0;
                said.extend(
                    other.map(|p| (p, self.notice(at, p, false, |o| o.add_address(id, address, self.keys)))),
                );
            }
            SubflowAction::Remove => {
                said.extend(other.map(|p| (p, self.notice(at, p, false, |o| o.remove_address(id)))));
                said.extend(itself.map(|p| (p, self.notice(at, p, true, |o| o.reset(PROHIBITED)))));
                self.paths[path].open = false;
            }
            SubflowAction::Backup(backup) => {
                self.paths[path].backup = backup;
                said.extend(itself.map(|p| (p, self.notice(at, p, false, |o| o.priority(backup)))));
            }
        }
        said
    }

    /// A packet without payload that carries an announcement of the sender.
    fn notice(&self, at: Time, path: usize, reset: bool, add: impl Fn(Options) -> Options) -> Frame {
        let subflow = self.paths[path].lives.last().expect("one that is open");
        let segment = Segment {
            sequence: subflow.at(subflow.before.len() as u32 - 1),
            acknowledged: subflow.initial.1.wrapping_add(1),
            flags: ACK | flags_if(reset, RST),
            window: SENDER_WINDOW,
            ecn: (false, false),
            options: add(Options::of_segment((clock(at), subflow.stamps.0))),
            payload: 0,
        };
        subflow.directions[0].frame(&segment)
    }
}

impl Subflow {
    fn new(keys: &Keys, flow: usize, path: usize, life: usize, ends: Ends) -> Subflow {
        // Reproducible random numbers: derived from the connection's key, which is derived from the seed.
        let random = Sha256::new()
            .chain_update(keys.sender)
            .chain_update(format!("flow {flow}, path {path}, life {life}"))
            .finalize();
        let part = |from: usize| -> [u8; 4] { random[from..from + 4].try_into().expect("4 bytes") };
        Subflow {
            first: false,
            nonces: Nonces { sender: part(0), receiver: part(4) },
            initial: (u32::from_be_bytes(part(8)), u32::from_be_bytes(part(12))),
            before: vec![0],
            stamps: (0, 0),
            expected: 0,
            finished: false,
            directions: HeaderTemplate::of(ends),
        }
    }

    /// The first sequence number of a segment.
    fn at(&self, segment: u32) -> u32 {
        let last = *self.before.last().expect("the first is there");
        let bytes = self.before.get(segment as usize).copied().unwrap_or(last);
        self.initial.0.wrapping_add(1).wrapping_add(bytes)
    }
}
