//! The sending application, with the decisions and random numbers of the simulator's.

use anabranch_net::{Random, Time};
use anabranch_scenario::Application;
use anabranch_sim::OnOff;

/// The sending half of an application.
pub(super) struct Source {
    application: Application,
    on_off: Option<OnOff>,
    /// The length of a write at a limited rate, in bytes.
    mss: u64,
    /// The time of its next scheduled action.
    pub(super) next_at: Time,
    /// The offset up to which the sender may send.
    pub(super) written: u64,
    /// Whether it has stopped writing.
    pub(super) closed: bool,
}

impl Source {
    pub(super) fn new(application: Application, random: Random, mss: u16) -> Self {
        Source {
            on_off: OnOff::of(&application, random),
            application,
            mss: mss.into(),
            next_at: Time::NEVER,
            written: 0,
            closed: false,
        }
    }

    /// The connection is established at the sender.
    pub(super) fn establish(&mut self, now: Time) {
        match self.application {
            Application::Bulk { bytes } => {
                self.written = bytes.unwrap_or(u64::MAX);
                self.closed = bytes.is_some();
            }
            Application::OnOff { .. } => self.next_at = now,
            Application::RequestResponse { .. } | Application::Arrivals { .. } => (),
        }
    }

    /// Executes all actions that are due. `sent` is the number of bytes passed to the kernel.
    pub(super) fn advance(&mut self, now: Time, sent: u64) {
        let Some(on_off) = &mut self.on_off else { return };
        while self.next_at <= now {
            let turn = on_off.act(self.next_at, self.mss);
            match turn.begins.filter(|_| on_off.is_greedy()) {
                Some(true) => self.written = u64::MAX,
                Some(false) => self.written = sent,
                None => (),
            }
            if turn.writes {
                self.written += self.mss;
            }
            self.next_at = turn.next_at;
        }
    }

    /// The receiver requests `bytes`.
    pub(super) fn respond(&mut self, bytes: u64) {
        self.written += bytes;
    }

    /// The flow's stop time: drops unsent data, except for a response that has begun.
    pub(super) fn stop(&mut self, sent: u64) {
        if !matches!(self.application, Application::RequestResponse { .. }) {
            self.written = sent;
        }
        self.next_at = Time::NEVER;
        self.closed = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_scenario::Draw;

    fn source(application: Application) -> Source {
        Source::new(application, Random::new(1, 0), 1000)
    }

    #[test]
    fn a_sized_transfer_is_written_at_once() {
        let mut source = source(Application::Bulk { bytes: Some(5000) });
        assert_eq!((source.written, source.closed), (0, false));
        source.establish(Time::ZERO);
        assert_eq!((source.written, source.closed), (5000, true));
    }

    /// 8 Mbit/s is 1000 bytes a millisecond, the first at once: 100 in 100 ms, then nothing for 50 ms.
    #[test]
    fn a_rate_is_kept_while_on() {
        let (on, off) = (Draw::Constant(0.1), Draw::Constant(0.05));
        let mut source = source(Application::OnOff { on, off, rate_bps: Some(8e6) });
        let start = Time::from_millis(7);
        source.establish(start);
        let mut written_at = |ms| {
            source.advance(start + Time::from_millis(ms), 0);
            source.written
        };
        assert_eq!(written_at(0), 1000);
        assert_eq!(written_at(50), 51_000);
        assert_eq!(written_at(99), 100_000);
        assert_eq!(written_at(149), 100_000);
        assert_eq!(written_at(150), 101_000);
    }

    #[test]
    fn a_pause_drops_what_was_not_sent() {
        let (on, off) = (Draw::Constant(1.0), Draw::Constant(2.0));
        let mut source = source(Application::OnOff { on, off, rate_bps: None });
        source.establish(Time::ZERO);
        source.advance(Time::ZERO, 0);
        assert_eq!(source.written, u64::MAX);
        source.advance(Time::from_millis(1000), 123);
        assert_eq!((source.written, source.next_at), (123, Time::from_millis(3000)));
        source.advance(Time::from_millis(3000), 123);
        assert_eq!(source.written, u64::MAX);
    }

    #[test]
    fn stopping_leaves_only_a_response_to_finish() {
        let (size, think) = (Draw::Constant(9.0), Draw::Constant(1.0));
        let mut server = source(Application::RequestResponse { size, think, count: None });
        server.establish(Time::ZERO);
        server.respond(900);
        server.stop(100);
        assert_eq!((server.written, server.closed), (900, true));
        let mut bulk = source(Application::Bulk { bytes: None });
        bulk.establish(Time::ZERO);
        bulk.stop(100);
        assert_eq!((bulk.written, bulk.closed), (100, true));
    }
}
