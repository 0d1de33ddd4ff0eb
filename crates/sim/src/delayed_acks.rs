//! Delayed-ACK timers of the receivers (RFC 1122, 4.2.3.2).

use crate::event::EventQueue;
use anabranch_net::Time;

#[derive(Clone, Default)]
pub(crate) struct DelayedAcks {
    of: Vec<AckTimer>,
}

/// The timer of a subflow. It is apart because most of its events find the ACK already sent and need no other state.
#[derive(Clone, Copy, Debug)]
struct AckTimer {
    /// The deadline of the ACK.
    at: Time,
    /// When the valid event is due; events at other times are void.
    event: Time,
}

impl DelayedAcks {
    pub(crate) fn add(&mut self) {
        self.of.push(AckTimer { at: Time::NEVER, event: Time::NEVER });
    }

    /// `subflow` acknowledges at `at`, unless an ACK is pending; its event is `target`.
    #[inline]
    pub(crate) fn delay(&mut self, subflow: u32, at: Time, target: u32, events: &mut EventQueue) {
        let delayed = &mut self.of[subflow as usize];
        if delayed.at == Time::NEVER {
            delayed.at = at;
            events.arm(&mut delayed.event, at, target);
        }
    }

    /// When the pending ACK of `subflow` is due; [`Time::NEVER`] without one.
    #[inline]
    pub(crate) fn due(&self, subflow: u32) -> Time {
        self.of[subflow as usize].at
    }

    /// Cancels the pending ACK of `subflow`.
    #[inline]
    pub(crate) fn forget(&mut self, subflow: u32) {
        self.of[subflow as usize].at = Time::NEVER;
    }

    /// Handles the event `target` of `subflow`: returns whether to send the ACK now. If it is not due, schedules the next event.
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
