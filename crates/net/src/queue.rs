//! The queue of a link.

use crate::fifo::Fifo;
use crate::fine_time::FineTime;
use crate::queue_integral::QueueIntegral;
use crate::{QueueLimit, Time, Waiting};

/// A FIFO queue with tail drop. The departure time of a packet is known when it enters, so packets are removed lazily.
// The default is only for `new`, which sets what differs from zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    waiting: Fifo<Queued>,
    /// When the first of them has left, in whole nanoseconds; never if none waits.
    left_at: u64,
    bytes: u64,
    max_packets: u64,
    max_bytes: u64,
    integral: QueueIntegral,
}

/// A packet that waits. Its instant of departure is rounded down to 2⁻³² ns: 16 bytes in all.
#[derive(Clone, Copy, Debug)]
struct Queued {
    /// The first whole nanosecond that is not before the departure.
    left_at: u64,
    /// How long before that, in 2⁻³² ns.
    before: u32,
    size: u32,
}

impl Queued {
    #[inline]
    fn new(departure: FineTime, size: u32) -> Queued {
        let departure = departure.to_32();
        let (nanos, fraction) = ((departure >> 32) as u64, departure as u32);
        let left_at = nanos.saturating_add(u64::from(fraction > 0));
        Queued { left_at, before: fraction.wrapping_neg(), size }
    }

    #[inline]
    fn departure(self) -> u128 {
        (u128::from(self.left_at) << 32) - u128::from(self.before)
    }
}

impl Queue {
    pub fn new(limit: QueueLimit) -> Queue {
        let (max_packets, max_bytes) = match limit {
            QueueLimit::Packets(n) => (n, u64::MAX),
            QueueLimit::Bytes(n) => (u64::MAX, n),
        };
        Queue { left_at: u64::MAX, max_packets, max_bytes, ..Queue::default() }
    }

    /// Whether packets left by `now` that are not removed.
    #[inline]
    pub fn has_departures(&self, now: Time) -> bool {
        now.as_nanos() >= self.left_at
    }

    /// Removes the packets that left by `now`.
    #[inline]
    pub fn advance(&mut self, now: Time) {
        if !self.has_departures(now) {
            return;
        }
        let (mut bytes, mut integral) = (self.bytes, self.integral);
        self.waiting.drop_while(|packet| {
            let has_left = packet.left_at <= now.as_nanos();
            if has_left {
                bytes -= u64::from(packet.size);
                integral.leave_at(packet.departure(), packet.size);
            }
            has_left
        });
        (self.bytes, self.integral) = (bytes, integral);
        self.set_left_at();
    }

    #[inline]
    fn set_left_at(&mut self) {
        self.left_at = self.waiting.front().map_or(u64::MAX, |first| first.left_at);
    }

    /// The packets that wait leave at other times, or at `now` for ever.
    pub fn replan(&mut self, now: Time, departure: impl Fn(FineTime) -> Option<FineTime>) {
        let waiting = std::mem::take(&mut self.waiting);
        for packet in waiting.iter() {
            match departure(FineTime::from_32(packet.departure())) {
                Some(at) => self.waiting.push(Queued::new(at, packet.size)),
                None => {
                    self.bytes -= u64::from(packet.size);
                    self.integral.leave_at(FineTime::from_time(now).to_32(), packet.size);
                }
            }
        }
        self.set_left_at();
    }

    /// What waits, as of the last `advance`.
    #[inline]
    pub fn waiting(&self) -> Waiting {
        Waiting { packets: self.waiting.len() as u64, bytes: self.bytes }
    }

    /// Whether one more packet may wait.
    #[inline]
    pub fn has_room(&self, size: u32) -> bool {
        (self.waiting.len() as u64) < self.max_packets && u64::from(size) <= self.max_bytes - self.bytes
    }

    /// Whether its memory has a place for one more packet.
    #[inline]
    pub fn has_place(&self) -> bool {
        !self.waiting.is_full()
    }

    /// Takes a packet that will leave at `departure`, not before those that entered earlier.
    #[inline]
    pub fn push(&mut self, now: Time, departure: FineTime, size: u32) {
        let packet = self.enter(now, departure, size);
        self.waiting.push(packet);
    }

    /// The same, if it [has a place](Queue::has_place).
    #[inline]
    pub fn push_in_place(&mut self, now: Time, departure: FineTime, size: u32) {
        let packet = self.enter(now, departure, size);
        self.waiting.push_in_place(packet);
    }

    #[inline]
    fn enter(&mut self, now: Time, departure: FineTime, size: u32) -> Queued {
        self.bytes += u64::from(size);
        self.integral.enter(now, size);
        let packet = Queued::new(departure, size);
        if self.waiting.is_empty() {
            self.left_at = packet.left_at;
        }
        packet
    }

    /// The time of the next departure, rounded down.
    #[inline]
    pub fn next_departure(&self) -> Time {
        self.waiting.front().map_or(Time::NEVER, |first| FineTime::from_32(first.departure()).whole())
    }

    /// The integral of the waiting bytes over time up to `now`, to which the queue must have been
    /// advanced, in byte-seconds.
    pub fn byte_seconds(&self, now: Time) -> f64 {
        self.integral.byte_seconds(now, self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    /// 100 bytes from 10 to 30 and 50 bytes from 20 to 60, in nanoseconds.
    #[test]
    fn integral_of_two_packets() {
        let mut queue = Queue::new(QueueLimit::Packets(2));
        queue.push(at(10), FineTime::from_time(at(30)), 100);
        queue.advance(at(20));
        assert!((queue.byte_seconds(at(20)) - 1000e-9).abs() < 1e-15);
        queue.push(at(20), FineTime::from_time(at(60)), 50);
        assert!(!queue.has_room(1));
        queue.advance(at(30));
        assert_eq!(queue.waiting(), Waiting { packets: 1, bytes: 50 }, "a packet has left at its departure");
        queue.advance(at(100));
        assert_eq!(queue.waiting(), Waiting::default());
        assert!((queue.byte_seconds(at(100)) - 4000e-9).abs() < 1e-15);
    }

    #[test]
    fn limits_count_packets_or_bytes() {
        let mut bytes = Queue::new(QueueLimit::Bytes(150));
        assert!(bytes.has_room(150) && !bytes.has_room(151));
        bytes.push(at(0), FineTime::from_time(Time::NEVER), 100);
        assert!(bytes.has_room(50) && !bytes.has_room(51));
        let mut packets = Queue::new(QueueLimit::Packets(1));
        assert!(packets.has_room(u32::MAX));
        packets.push(at(0), FineTime::from_time(Time::NEVER), 1);
        assert!(!packets.has_room(1));
    }
}
