//! When an on–off source sends.

use anabranch_net::{Random, Time};
use anabranch_scenario::{Application, Draw};

/// The periods and pauses of an on–off source.
#[derive(Clone, Debug)]
pub struct OnOff {
    on: Draw,
    off: Draw,
    /// `None` sends as fast as it can.
    rate_bps: Option<f64>,
    random: Random,
    is_on: bool,
    /// When the present period or pause ends.
    until: Time,
}

/// What a source does now.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Whether a period begins (`true`) or ends (`false`).
    pub begins: Option<bool>,
    /// Whether it writes a packet: a source with a rate.
    pub writes: bool,
    /// When it acts next.
    pub next_at: Time,
}

impl OnOff {
    /// The periods of an application, if it has any.
    pub fn of(application: &Application, random: Random) -> Option<OnOff> {
        match application {
            Application::OnOff { on, off, rate_bps } => Some(OnOff {
                on: on.clone(),
                off: off.clone(),
                rate_bps: *rate_bps,
                random,
                is_on: false,
                until: Time::ZERO,
            }),
            _ => None,
        }
    }

    /// Whether it sends as fast as it can in its periods.
    pub fn is_greedy(&self) -> bool {
        self.rate_bps.is_none()
    }

    /// Whether it is in a period.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Acts: at first when the connection is established, then at each `next_at`. A packet has `packet` bytes.
    pub fn act(&mut self, now: Time, packet: u64) -> Turn {
        let mut turn = Turn { begins: None, writes: false, next_at: Time::NEVER };
        if now >= self.until {
            self.is_on = !self.is_on;
            turn.begins = Some(self.is_on);
            let length = if self.is_on { &self.on } else { &self.off }.sample(&mut self.random);
            // Periods of zero length would loop forever.
            self.until = now + Time::from_secs_f64(length).max(Time::from_nanos(1000));
        }
        turn.next_at = self.until;
        if let (true, Some(rate)) = (self.is_on, self.rate_bps) {
            turn.writes = true;
            let gap = Time::from_secs_f64(packet as f64 * 8.0 / rate);
            turn.next_at = turn.next_at.min(now + gap.max(Time::from_nanos(1)));
        }
        turn
    }
}
