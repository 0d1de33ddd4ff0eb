//! CoDel (RFC 8289 §4.4 and §5). The defaults are those of §4.2 and §4.3.

use super::{Departure, DequeueRule, DisciplineParams};
use crate::model_spec::{POSITIVE, model_spec};
use crate::store::{Fifo, Held, Store};
use crate::{Arrival, Time};

model_spec! {
    /// Controlled delay (RFC 8289).
    "codel" "CoDel" CoDel {
        /// The acceptable standing delay. Default: 5 ms.
        target: Time as Time => Time::from_millis(5),
        /// How long the delay must exceed the target before packets are dropped. Default: 100 ms.
        interval: Time as TimeFrom(POSITIVE) => Time::from_millis(100),
        /// Mark packets of ECN-capable flows instead of dropping them. Default: false.
        ecn: bool as Flag => false,
    }
}

impl DisciplineParams for CoDel {
    type State = CoDelQueue;

    fn start(self, _: u64, _: u64) -> CoDelQueue {
        CoDelQueue { law: self, queue: Controlled::default() }
    }

    fn target(&self) -> Option<Time> {
        Some(self.target)
    }
}

/// One queue, and its law.
#[derive(Clone, Debug)]
pub(crate) struct CoDelQueue {
    law: CoDel,
    queue: Controlled,
}

impl DequeueRule for CoDelQueue {
    const TAIL_DROP: bool = true;

    fn push(&mut self, store: &mut Store, now: Time, packet: Arrival) -> u32 {
        store.push(&mut self.queue.fifo, now, packet.wire_bytes, packet.ecn_capable)
    }

    fn dequeue(&mut self, store: &mut Store, now: Time) -> Option<Departure> {
        self.queue.dequeue(&self.law, store, now)
    }

    fn evict(&mut self, store: &mut Store, now: Time) -> Option<(u32, u32)> {
        store.pop(&mut self.queue.fifo, now).map(|(ticket, held)| (ticket, held.size))
    }
}

/// Dropping resumes at the last rate if it ended less than this many intervals ago (§5.4).
const MEMORY: u64 = 16;

/// A queue under the control law.
#[derive(Clone, Debug, Default)]
pub(super) struct Controlled {
    pub fifo: Fifo,
    /// When the waiting time will have been above the target for an interval; `None` while it is below.
    first_above: Option<Time>,
    dropping: bool,
    /// When the next packet is dropped, while dropping.
    drop_next: Time,
    /// Packets dropped since dropping began, and the count at its beginning.
    count: u64,
    last_count: u64,
    /// The largest packet seen, in bytes.
    largest: u32,
}

impl Controlled {
    /// Takes the next packet to transmit at `now`, and reports drops before it to the store. `None` if the queue is empty.
    pub fn dequeue(&mut self, spec: &CoDel, store: &mut Store, now: Time) -> Option<Departure> {
        let (mut packet, mut above) = self.take(spec, store, now);
        let mut marked = false;
        if self.dropping {
            self.dropping = above;
            while self.dropping && now >= self.drop_next && !marked {
                self.count += 1;
                marked = mark_or_drop(spec, packet, store);
                if !marked {
                    (packet, above) = self.take(spec, store, now);
                    self.dropping = above;
                }
                if self.dropping {
                    self.drop_next = control_law(spec, self.drop_next, self.count);
                }
            }
        } else if above {
            marked = mark_or_drop(spec, packet, store);
            if !marked {
                (packet, _) = self.take(spec, store, now);
            }
            self.dropping = true;
            // If dropping ended recently, its rate is a good start.
            let rise = self.count - self.last_count;
            let soon = now.since(self.drop_next) < spec.interval.times(MEMORY);
            self.count = if rise > 1 && soon { rise } else { 1 };
            self.drop_next = control_law(spec, now, self.count);
            self.last_count = self.count;
        }
        packet.map(|(ticket, held)| Departure { ticket, size: held.size, marked })
    }

    /// Drops and marks since dropping began, including the count with which it resumed.
    #[cfg(test)]
    pub fn drops(&self) -> u64 {
        self.count
    }

    /// Takes the head. Returns also whether the waiting time has been above the target for an interval; it counts as
    /// below if at most one full packet remains.
    fn take(&mut self, spec: &CoDel, store: &mut Store, now: Time) -> (Option<(u32, Held)>, bool) {
        let packet = store.pop(&mut self.fifo, now);
        let Some((_, held)) = packet else {
            self.first_above = None;
            return (None, false);
        };
        self.largest = self.largest.max(held.size);
        if now.since(held.arrival) < spec.target || self.fifo.waiting.bytes <= u64::from(self.largest) {
            self.first_above = None;
            return (packet, false);
        }
        let first_above = *self.first_above.get_or_insert(now + spec.interval);
        (packet, now >= first_above)
    }
}

/// Marks or drops the packet to signal congestion; returns whether it was marked.
fn mark_or_drop(spec: &CoDel, packet: Option<(u32, Held)>, store: &mut Store) -> bool {
    let Some((ticket, held)) = packet else { return false };
    let marked = spec.ecn && held.ecn_capable;
    if !marked {
        store.drop_early(ticket, held.size);
    }
    marked
}

/// The next drop: the interval divided by the square root of the number of drops (§4.4).
fn control_law(spec: &CoDel, from: Time, count: u64) -> Time {
    from + Time::from_secs_f64(spec.interval.as_secs_f64() / libm::sqrt(count as f64))
}

#[cfg(test)]
mod tests;
