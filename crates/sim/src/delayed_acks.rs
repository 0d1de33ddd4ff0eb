//! The receivers' timers: when a delayed acknowledgement is sent at the latest (RFC 1122, 4.2.3.2).

use crate::event::EventQueue;
use anabranch_net::Time;

/// The timer of every subflow's receiver.
#[derive(Default)]
pub(crate) struct DelayedAcks {
    of: Vec<Delayed>,
}

/// That of a subflow. Most of its events find that there was an acknowledgement already: they need only this.
#[derive(Clone, Copy, Debug)]
struct Delayed {
    /// Acknowledge at the latest then.
    at: Time,
    /// When the valid event is due; one at another time is void.
    event: Time,
}

impl DelayedAcks {
    /// Adds a subflow.
    pub(crate) fn add(&mut self) {
        self.of.push(Delayed { at: Time::NEVER, event: Time::NEVER });
    }

    /// `subflow` acknowledges within `patience`, if it does not wait already; its event is `target`.
    #[inline]
    pub(crate) fn delay(&mut self, subflow: u32, patience: Time, target: u32, events: &mut EventQueue) {
        let delayed = &mut self.of[subflow as usize];
        if delayed.at == Time::NEVER {
            delayed.at = events.now() + patience;
            if delayed.at < delayed.event {
                delayed.event = delayed.at;
                events.schedule(delayed.at, target);
            }
        }
    }

    /// Nothing of `subflow` waits to be acknowledged.
    #[inline]
    pub(crate) fn forget(&mut self, subflow: u32) {
        self.of[subflow as usize].at = Time::NEVER;
    }

    /// The event of `subflow`, `target`: whether the acknowledgement is sent now. Where it is not yet due, schedules the next
    /// event.
    #[inline]
    pub(crate) fn is_due(&mut self, subflow: u32, target: u32, events: &mut EventQueue) -> bool {
        let now = events.now();
        let delayed = &mut self.of[subflow as usize];
        if delayed.event != now {
            return false;
        }
        delayed.event = delayed.at;
        if delayed.at <= now {
            (delayed.at, delayed.event) = (Time::NEVER, Time::NEVER);
            return true;
        }
        if delayed.at != Time::NEVER {
            events.schedule(delayed.at, target);
        }
        false
    }
}
