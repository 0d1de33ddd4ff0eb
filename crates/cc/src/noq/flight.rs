//! Packets in flight on a path, its round-trip time and its periods of recovery.

use crate::Seconds;
use std::time::{Duration, Instant};

/// What the events of a controller say of a path, beside its window.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flight {
    srtt: Seconds,
    in_flight: u64,
    recovery_start: Option<Instant>,
    /// The last packet that the present acknowledgement covers, and when it was sent.
    latest: Option<(u64, Instant)>,
}

impl Flight {
    /// The smoothed round-trip time (RFC 9002 §5.3), but with the receiver's delay; 0 before the first sample.
    pub fn srtt(&self) -> Seconds {
        self.srtt
    }

    /// Bytes sent and neither acknowledged nor deemed lost.
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// A packet is sent.
    pub fn sent(&mut self, bytes: u16) {
        self.in_flight += u64::from(bytes);
    }

    /// A packet is deemed lost.
    pub fn lost(&mut self, bytes: u16) {
        self.in_flight = self.in_flight.saturating_sub(bytes.into());
    }

    /// A packet of the present acknowledgement is acknowledged. Returns whether it was sent outside of a recovery.
    pub fn acked(&mut self, pn: u64, sent: Instant) -> bool {
        if self.latest.is_none_or(|(latest, _)| pn > latest) {
            self.latest = Some((pn, sent));
        }
        self.is_outside_recovery(sent)
    }

    /// The acknowledgement ends. Returns the last packet that it covers, and its round-trip time if that packet is the largest
    /// acknowledged one, as else it is not new (RFC 9002 §5.1).
    pub fn end_acks(
        &mut self,
        now: Instant,
        in_flight: u64,
        largest: Option<u64>,
    ) -> Option<(u64, Option<Duration>)> {
        self.in_flight = in_flight;
        let (pn, sent) = self.latest.take()?;
        let rtt = (largest == Some(pn)).then(|| now.saturating_duration_since(sent));
        if let Some(seconds) = rtt.map(|rtt| rtt.as_secs_f64()) {
            self.srtt += if self.srtt > 0.0 { (seconds - self.srtt) / 8.0 } else { seconds };
        }
        Some((pn, rtt))
    }

    /// A packet that left at `sent` was lost or marked. Returns whether this begins a recovery: one answer to the losses of a round
    /// trip (RFC 9002 §7.3.2).
    pub fn congestion(&mut self, now: Instant, sent: Instant) -> bool {
        let begins = self.is_outside_recovery(sent);
        if begins {
            self.recovery_start = Some(now);
        }
        begins
    }

    /// The last recovery was needless.
    pub fn spurious(&mut self) {
        self.recovery_start = None;
    }

    /// Whether a packet that left at `sent` was sent outside of a recovery.
    pub(super) fn is_outside_recovery(&self, sent: Instant) -> bool {
        self.recovery_start.is_none_or(|start| sent > start)
    }
}
