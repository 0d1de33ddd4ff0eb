//! Applications: when the sender has something to send.

use crate::arrivals::Arrivals;
use crate::data::Outgoing;
use anabranch_net::{Random, Time};
use anabranch_scenario::Application as Spec;
use std::collections::VecDeque;

/// How long a receiver waits for a response to begin before it asks again.
const ASK_AGAIN: Time = Time::from_millis(1000);

/// A response that the receiver has asked for.
#[derive(Clone, Copy, Debug)]
struct Asked {
    at: Time,
    /// Offset of the response's first byte.
    from: u64,
    /// Offset behind its last byte, once the sender has answered.
    end: Option<u64>,
}

/// A response or a transfer that arrived whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Completed {
    pub(crate) bytes: u64,
    /// When it was asked for, or arrived at the sender.
    pub(crate) since: Time,
    pub(crate) took: Time,
}

/// Transfers that share the connection, in order of arrival.
#[derive(Clone, Debug)]
struct Shared {
    arrivals: Arrivals,
    /// Those under way: when each arrived, where it begins and the offset behind its last byte.
    under_way: VecDeque<(Time, u64, u64)>,
}

/// The state of one connection's application, at both ends.
#[derive(Clone, Debug)]
pub(crate) struct Application {
    spec: Spec,
    random: Random,
    sending: bool,
    stopped: bool,
    /// When it acts next of its own accord.
    pub(crate) next_at: Time,
    /// When the current sending period or pause of an on–off source ends.
    toggle_at: Time,
    asked: Option<Asked>,
    shared: Option<Box<Shared>>,
    /// Requests so far, and how often the latest was repeated.
    pub(crate) requests: u64,
    pub(crate) repeats: u32,
}

impl Application {
    pub(crate) fn new(spec: Spec, random: Random) -> Application {
        let arrivals = Arrivals::of(&spec, random.clone());
        Application {
            shared: arrivals.map(|arrivals| Box::new(Shared { arrivals, under_way: VecDeque::new() })),
            spec,
            random,
            sending: false,
            stopped: false,
            next_at: Time::NEVER,
            toggle_at: Time::NEVER,
            asked: None,
            requests: 0,
            repeats: 0,
        }
    }

    /// Whether it writes without end, until it is stopped.
    pub(crate) fn is_endless(&self) -> bool {
        matches!(self.spec, Spec::Bulk { bytes: None })
    }

    /// The connection is opened.
    pub(crate) fn on_open(&mut self, now: Time) {
        if let (Some(shared), false) = (&mut self.shared, self.stopped) {
            self.next_at = shared.arrivals.interval().map_or(Time::NEVER, |interval| now + interval);
        }
    }

    /// Transfers that have arrived and are not complete: when each arrived, and its bytes.
    pub(crate) fn under_way(&self) -> impl Iterator<Item = (Time, u64)> {
        self.shared.iter().flat_map(|shared| &shared.under_way).map(|&(at, from, end)| (at, end - from))
    }

    /// The sender may send: the connection is established there.
    pub(crate) fn on_established(&mut self, now: Time, out: &mut Outgoing) {
        if self.stopped {
            return;
        }
        match self.spec {
            Spec::Bulk { bytes: Some(bytes) } => {
                out.write_up_to(bytes);
                out.close();
            }
            Spec::Bulk { bytes: None } => out.write_up_to(u64::MAX),
            Spec::OnOff { .. } => {
                self.toggle_at = now;
                self.next_at = now;
            }
            Spec::RequestResponse { .. } | Spec::Arrivals { .. } => (),
        }
    }

    /// The receiver may ask: it knows that the connection is established. True: it asks now.
    pub(crate) fn on_receiver_established(&mut self, now: Time) -> bool {
        let first = self.requests == 0 && !self.stopped && matches!(self.spec, Spec::RequestResponse { .. });
        if first {
            self.ask(now, 0);
        }
        first
    }

    /// Acts when `next_at` has come. True: the receiver sends a request now.
    pub(crate) fn on_time(&mut self, now: Time, out: &mut Outgoing, received: u64, mss: u16) -> bool {
        self.next_at = Time::NEVER;
        match &self.spec {
            Spec::Bulk { .. } => false,
            Spec::OnOff { on, off, rate_bps } => {
                let rate_bps = *rate_bps;
                if now >= self.toggle_at {
                    self.sending = !self.sending;
                    let period = if self.sending { on } else { off }.sample(&mut self.random);
                    // A period of no length would never let time pass.
                    self.toggle_at = now + Time::from_secs_f64(period).max(Time::from_nanos(1000));
                    match (self.sending, rate_bps) {
                        (true, None) => out.write_up_to(u64::MAX),
                        (true, Some(_)) => (),
                        (false, None) => out.pause(),
                        (false, Some(_)) => (),
                    }
                }
                self.next_at = self.toggle_at;
                if let (true, Some(rate)) = (self.sending, rate_bps) {
                    out.write_up_to(out.cut_bytes() + out.unsent() + u64::from(mss));
                    let gap = Time::from_secs_f64(f64::from(mss) * 8.0 / rate);
                    self.next_at = self.next_at.min(now + gap.max(Time::from_nanos(1)));
                }
                false
            }
            Spec::RequestResponse { .. } => match self.asked {
                None => {
                    self.ask(now, received);
                    true
                }
                Some(asked) if received == asked.from => {
                    self.repeats += 1;
                    self.next_at = now + ASK_AGAIN.times(1 << self.repeats.min(6));
                    true
                }
                Some(_) => false,
            },
            Spec::Arrivals { .. } => {
                let Some(shared) = &mut self.shared else { return false };
                let from = out.cut_bytes() + out.unsent();
                let end = from.saturating_add(shared.arrivals.bytes());
                shared.under_way.push_back((now, from, end));
                out.write_up_to(end);
                match shared.arrivals.interval() {
                    Some(interval) => self.next_at = now + interval,
                    None => out.close(),
                }
                false
            }
        }
    }

    fn ask(&mut self, now: Time, received: u64) {
        self.requests += 1;
        self.asked = Some(Asked { at: now, from: received, end: None });
        self.repeats = 0;
        self.next_at = now + ASK_AGAIN;
    }

    /// Request `number`, modulo 2³², reached the sender: it answers, unless it has already.
    pub(crate) fn on_request(&mut self, number: u32, out: &mut Outgoing) {
        let Spec::RequestResponse { size, .. } = &self.spec else { return };
        let Some(asked) = &mut self.asked else { return };
        if number != self.requests as u32 || asked.end.is_some() || self.stopped {
            return;
        }
        let bytes = size.sample_bytes(&mut self.random);
        let end = (out.cut_bytes() + out.unsent()).saturating_add(bytes);
        asked.end = Some(end);
        out.write_up_to(end);
    }

    /// Bytes up to `received` were delivered. Returns the response that is now complete, or a transfer that is: to be asked
    /// until there is none.
    pub(crate) fn on_delivered(&mut self, now: Time, received: u64, out: &mut Outgoing) -> Option<Completed> {
        if let Some(shared) = &mut self.shared {
            let &(since, from, end) = shared.under_way.front().filter(|(_, _, end)| received >= *end)?;
            shared.under_way.pop_front();
            return Some(Completed { bytes: end - from, since, took: now.since(since) });
        }
        let Spec::RequestResponse { think, count, .. } = &self.spec else { return None };
        let Asked { at, from, end: Some(end) } = self.asked? else { return None };
        if received < end {
            return None;
        }
        self.asked = None;
        if self.stopped || count.is_some_and(|n| self.requests >= n) {
            self.stop(out);
        } else {
            self.next_at = now + Time::from_secs_f64(think.sample(&mut self.random));
        }
        Some(Completed { bytes: end - from, since: at, took: now.since(at) })
    }

    /// The flow's stop time: nothing new is sent, what was sent is finished; a response that was
    /// begun, too.
    pub(crate) fn stop(&mut self, out: &mut Outgoing) {
        if self.stopped && self.asked.is_none() {
            out.close();
            return;
        }
        self.stopped = true;
        self.next_at = Time::NEVER;
        match self.spec {
            Spec::RequestResponse { .. } if self.asked.is_some_and(|a| a.end.is_some()) => (),
            Spec::RequestResponse { .. } | Spec::Arrivals { .. } => out.close(),
            Spec::Bulk { .. } | Spec::OnOff { .. } => {
                out.pause(); // what is not sent by now is not sent at all
                out.close();
            }
        }
    }
}
