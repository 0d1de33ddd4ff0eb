//! Applications: when the sender has data to send.

use crate::arrivals::Arrivals;
use crate::on_off::OnOff;
use crate::stream::SendStream;
use anabranch_net::{Random, Time};
use anabranch_scenario::Application as Spec;
use std::collections::VecDeque;

/// How long a receiver waits for a response to begin before it repeats the request.
const REQUEST_TIMEOUT: Time = Time::from_millis(1000);

#[derive(Clone, Copy, Debug)]
struct PendingResponse {
    at: Time,
    /// Offset of the response's first byte.
    from: u64,
    /// Offset after its last byte, once the sender has answered.
    end: Option<u64>,
}

/// A complete response or transfer.
#[derive(Clone, Copy, Debug)]
pub struct Completed {
    /// Its size.
    pub bytes: u64,
    /// When it was requested, or arrived at the sender.
    pub since: Time,
    /// From then to its last byte at the receiver.
    pub took: Time,
}

/// Transfers that share the connection, in order of arrival.
#[derive(Clone, Debug)]
struct SharedTransfers {
    arrivals: Arrivals,
    /// Transfers under way: arrival time, start offset and end offset.
    under_way: VecDeque<(Time, u64, u64)>,
}

/// The state of one connection's application, at both ends.
#[derive(Clone, Debug)]
pub(crate) struct Application {
    spec: Spec,
    random: Random,
    stopped: bool,
    /// When it acts next on its own.
    pub(crate) next_at: Time,
    asked: Option<PendingResponse>,
    shared: Option<Box<SharedTransfers>>,
    on_off: Option<Box<OnOff>>,
    /// Requests so far, and how often the latest was repeated.
    pub(crate) requests: u64,
    pub(crate) repeats: u32,
}

impl Application {
    pub(crate) fn new(spec: Spec, random: Random) -> Application {
        let arrivals = Arrivals::of(&spec, random.clone());
        Application {
            shared: arrivals
                .map(|arrivals| Box::new(SharedTransfers { arrivals, under_way: VecDeque::new() })),
            on_off: OnOff::of(&spec, random.clone()).map(Box::new),
            spec,
            random,
            stopped: false,
            next_at: Time::NEVER,
            asked: None,
            requests: 0,
            repeats: 0,
        }
    }

    /// Whether it writes until it is stopped.
    pub(crate) fn is_endless(&self) -> bool {
        matches!(self.spec, Spec::Bulk { bytes: None })
    }

    pub(crate) fn on_open(&mut self, now: Time) {
        if let (Some(shared), false) = (&mut self.shared, self.stopped) {
            self.next_at = shared.arrivals.interval().map_or(Time::NEVER, |interval| now + interval);
        }
    }

    /// Incomplete transfers: arrival time and bytes.
    pub(crate) fn under_way(&self) -> impl Iterator<Item = (Time, u64)> {
        self.shared.iter().flat_map(|shared| &shared.under_way).map(|&(at, from, end)| (at, end - from))
    }

    /// The connection is established at the sender.
    pub(crate) fn on_established(&mut self, now: Time, out: &mut SendStream) {
        if self.stopped {
            return;
        }
        match self.spec {
            Spec::Bulk { bytes: Some(bytes) } => {
                out.write_up_to(bytes);
                out.closed = true;
            }
            Spec::Bulk { bytes: None } => out.write_up_to(u64::MAX),
            Spec::OnOff { .. } => self.next_at = now,
            Spec::RequestResponse { .. } | Spec::Arrivals { .. } => (),
        }
    }

    /// The connection is established at the receiver. Returns whether it sends a request now.
    pub(crate) fn on_receiver_established(&mut self, now: Time) -> bool {
        let first = self.requests == 0 && !self.stopped && matches!(self.spec, Spec::RequestResponse { .. });
        if first {
            self.request(now, 0);
        }
        first
    }

    /// Acts at `next_at`. Returns whether the receiver sends a request now.
    pub(crate) fn on_time(&mut self, now: Time, out: &mut SendStream, received: u64, mss: u16) -> bool {
        self.next_at = Time::NEVER;
        match &self.spec {
            Spec::Bulk { .. } => false,
            Spec::OnOff { .. } => {
                let Some(on_off) = &mut self.on_off else { return false };
                let turn = on_off.act(now, mss.into());
                match turn.begins.filter(|_| on_off.is_greedy()) {
                    Some(true) => out.write_up_to(u64::MAX),
                    Some(false) => out.pause(),
                    None => (),
                }
                if turn.writes {
                    out.write_up_to(out.cut_bytes + out.unsent() + u64::from(mss));
                }
                self.next_at = turn.next_at;
                false
            }
            Spec::RequestResponse { .. } => match self.asked {
                None => {
                    self.request(now, received);
                    true
                }
                Some(asked) if received == asked.from => {
                    self.repeats += 1;
                    self.next_at = now + REQUEST_TIMEOUT.times(1 << self.repeats.min(6));
                    true
                }
                Some(_) => false,
            },
            Spec::Arrivals { .. } => {
                let Some(shared) = &mut self.shared else { return false };
                let from = out.cut_bytes + out.unsent();
                let end = from.saturating_add(shared.arrivals.bytes());
                shared.under_way.push_back((now, from, end));
                out.write_up_to(end);
                match shared.arrivals.interval() {
                    Some(interval) => self.next_at = now + interval,
                    None => out.closed = true,
                }
                false
            }
        }
    }

    fn request(&mut self, now: Time, received: u64) {
        self.requests += 1;
        self.asked = Some(PendingResponse { at: now, from: received, end: None });
        self.repeats = 0;
        self.next_at = now + REQUEST_TIMEOUT;
    }

    /// Request `number`, modulo 2³², reached the sender, which answers it once.
    pub(crate) fn on_request(&mut self, number: u32, out: &mut SendStream) {
        let Spec::RequestResponse { size, .. } = &self.spec else { return };
        let Some(asked) = &mut self.asked else { return };
        if number != self.requests as u32 || asked.end.is_some() || self.stopped {
            return;
        }
        let bytes = size.sample_bytes(&mut self.random);
        let end = (out.cut_bytes + out.unsent()).saturating_add(bytes);
        asked.end = Some(end);
        out.write_up_to(end);
    }

    /// Bytes up to `received` were delivered. Returns a response or transfer that is now complete; call it until it
    /// returns `None`.
    pub(crate) fn on_delivered(
        &mut self,
        now: Time,
        received: u64,
        out: &mut SendStream,
    ) -> Option<Completed> {
        if let Some(shared) = &mut self.shared {
            let &(since, from, end) = shared.under_way.front().filter(|(_, _, end)| received >= *end)?;
            shared.under_way.pop_front();
            return Some(Completed { bytes: end - from, since, took: now.since(since) });
        }
        let Spec::RequestResponse { think, count, .. } = &self.spec else { return None };
        let PendingResponse { at, from, end: Some(end) } = self.asked? else { return None };
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

    /// The flow's stop time: no new data is sent; a response that has begun is finished.
    pub(crate) fn stop(&mut self, out: &mut SendStream) {
        if self.stopped && self.asked.is_none() {
            out.closed = true;
            return;
        }
        self.stopped = true;
        self.next_at = Time::NEVER;
        match self.spec {
            Spec::RequestResponse { .. } if self.asked.is_some_and(|a| a.end.is_some()) => (),
            Spec::RequestResponse { .. } | Spec::Arrivals { .. } => out.closed = true,
            Spec::Bulk { .. } | Spec::OnOff { .. } => {
                out.pause(); // unsent data is dropped
                out.closed = true;
            }
        }
    }
}
