//! The receiver's side of a connection: what it does with segments, and when it acknowledges them.

use super::Connection;
use super::ahead::Covers;
use crate::incoming::Incoming;
use crate::network::Network;
use crate::packet::{Chunk, Packet, flag};
use crate::receiver::Reply;
use crate::subflow::Subflow;
use anabranch_net::Time;

/// The delay of compressed ACKs: a fraction of the RTT, up to a limit (`tcp_comp_sack_rtt_percent`, `tcp_comp_sack_delay_ns`).
const COMPRESSION_PART: f64 = 0.05;
pub(super) const COMPRESSION: Time = Time::from_millis(1);
/// From this RTT on, the delay is the limit.
pub(super) const RTT_OF_FULL_COMPRESSION: Time = Time::from_millis(20);
const _: () = assert!(20.0 * COMPRESSION_PART >= 1.0);

impl Connection {
    #[inline]
    pub(super) fn on_data(&mut self, s: usize, packet: &Packet, net: &mut Network) {
        if !self.receiver_established {
            self.establish_receiver(net);
        }
        let (subflow, now) = (&mut self.subflows[s], net.now());
        if subflow.rx.displaces_unreported(packet) {
            subflow.acknowledge(self.incoming.delivered(), now, &self.incoming, net);
        }
        let reply = subflow.rx.on_data(packet, self.tcp.delayed_ack.into(), false);
        if !packet.has(flag::FIN) {
            subflow.first_bytes += self.incoming.take(packet.data, Chunk::of(packet));
            self.needs_attention |= self.incoming.corrupt.is_some();
            if !self.endless {
                self.on_delivered(net);
            }
        }
        match reply {
            Reply::Compressible if self.incoming.compresses => {
                let rtt = self.subflows[s].tx.rtt.min.as_secs_f64();
                let delay = Time::from_secs_f64(COMPRESSION_PART * rtt).min(COMPRESSION);
                self.subflows[s].delay_ack(now + delay, net);
            }
            Reply::Later => self.subflows[s].delay_ack(now + self.tcp.delayed_ack_timeout, net),
            Reply::Now | Reply::Compressible => self.send_ack(s, net),
        }
        if self.tcp.push_acks {
            self.ack_read_bursts(net);
        }
    }

    /// The application has read the data in order. If no data is left, Linux acknowledges the end of a burst (`tcp_cleanup_rbuf`;
    /// `mptcp_cleanup_rbuf`, even with out-of-order data in the connection; Linux 6.18).
    fn ack_read_bursts(&mut self, net: &mut Network) {
        if self.incoming.stream.is_in_order() {
            for s in 0..self.subflows.len() {
                if self.subflows[s].rx.is_pushed() {
                    self.send_ack(s, net);
                }
            }
        }
    }

    /// Sends an ACK on `s`: of a receiver that takes segments early, as its timer expires.
    pub(crate) fn send_ack(&mut self, s: usize, net: &mut Network) {
        let (receives_early, now) = (self.receives_early(s), net.now());
        let subflow = &mut self.subflows[s];
        if receives_early {
            return subflow.acknowledge_early(now, Covers::None, &self.incoming, net);
        }
        subflow.acknowledge(self.incoming.delivered(), now, &self.incoming, net);
    }
}

impl Subflow {
    /// Acknowledges at `at`, unless it does before.
    #[inline]
    pub(super) fn delay_ack(&self, at: Time, net: &mut Network) {
        net.delayed_acks.delay(self.id, at, self.target + 1, &mut net.events);
    }

    /// Sends an ACK at `at`. `delivered`: what it says of the stream.
    #[inline]
    pub(super) fn acknowledge(
        &mut self,
        delivered: (u32, u32),
        at: Time,
        incoming: &Incoming,
        net: &mut Network,
    ) {
        net.delayed_acks.forget(self.id);
        let (mut ack, sack) = self.rx.acknowledge(self.id, self.life, incoming.sack_blocks.into());
        ack.sack = sack.map_or(0, |sack| net.sacks.keep(sack));
        (ack.data, ack.offset) = delivered;
        ack.window = incoming.window;
        ack.wire += incoming.dss.ack;
        net.send_ack(ack, at);
    }
}
