//! What a flow's application writes and asks for: each transfer and each answer is a stream of the connection.

use anabranch_net::{Random, Time};
use anabranch_scenario::{Application as Spec, Scenario};
use anabranch_sim::{Arrivals, Completed, OnOff};
use noq_proto::StreamId;
use std::collections::VecDeque;

/// Data of one stream.
pub(crate) struct Transfer {
    /// When it was requested, or arrived at the sender.
    at: Time,
    /// Its size; `None`: it has no end.
    bytes: Option<u64>,
    /// What the application has not written yet, of that which it may write now.
    pub(crate) left: u64,
    /// Its stream, once open.
    pub(crate) stream: Option<StreamId>,
    /// Whether the sender has ended the stream.
    pub(crate) is_sent: bool,
}

impl Transfer {
    /// Whether the stream ends behind what is left.
    pub(crate) fn ends(&self) -> bool {
        self.bytes.is_some()
    }

    /// Whether less than that was written.
    pub(crate) fn has_written_less(&self, than: u64) -> bool {
        self.bytes.is_some_and(|bytes| bytes - self.left < than)
    }
}

/// The application of a flow, at both ends.
pub(crate) struct Application {
    spec: Spec,
    random: Random,
    arrivals: Option<Arrivals>,
    on_off: Option<OnOff>,
    /// Transfers that the receiver does not have, in order of arrival.
    pub(crate) transfers: VecDeque<Transfer>,
    /// When it acts next on its own.
    pub(crate) next_at: Time,
    is_stopped: bool,
    requests: u64,
    asked_at: Time,
}

impl Application {
    pub(crate) fn new(scenario: &Scenario, f: usize, seed: u64) -> Application {
        let spec = scenario.flows[f].application.clone();
        let random = scenario.application_random(seed, f);
        Application {
            arrivals: Arrivals::of(&spec, random.clone()),
            on_off: OnOff::of(&spec, random.clone()),
            spec,
            random,
            transfers: VecDeque::new(),
            next_at: Time::NEVER,
            is_stopped: false,
            requests: 0,
            asked_at: Time::NEVER,
        }
    }

    fn begin(&mut self, at: Time, bytes: Option<u64>, left: u64, stream: Option<StreamId>) {
        self.transfers.push_back(Transfer { at, bytes, left, stream, is_sent: false });
    }

    /// Whether it is in a period in which it writes as fast as it can. What it has not sent at the end of a period is not sent, so it
    /// writes no more than the connection can send.
    pub(crate) fn is_greedy_now(&self) -> bool {
        self.on_off.as_ref().is_some_and(|on_off| on_off.is_greedy() && on_off.is_on())
    }

    /// The flow starts.
    pub(crate) fn on_open(&mut self, now: Time) {
        if let Some(interval) = self.arrivals.as_mut().and_then(Arrivals::interval) {
            self.next_at = now + interval;
        }
    }

    pub(crate) fn on_sender_connected(&mut self, now: Time) {
        match self.spec {
            Spec::Bulk { bytes } => self.begin(now, bytes, bytes.unwrap_or(u64::MAX), None),
            Spec::OnOff { .. } => {
                self.begin(now, None, 0, None);
                self.next_at = now;
            }
            Spec::RequestResponse { .. } | Spec::Arrivals { .. } => (),
        }
    }

    /// The receiver's connection is established. Returns whether it sends a request now.
    pub(crate) fn on_receiver_connected(&mut self, now: Time) -> bool {
        let asks = matches!(self.spec, Spec::RequestResponse { .. }) && !self.is_stopped;
        if asks {
            self.ask(now);
        }
        asks
    }

    fn ask(&mut self, now: Time) {
        self.requests += 1;
        self.asked_at = now;
    }

    /// Acts, if it is time. `packet`: the payload of a full packet. Returns whether the receiver sends a request now.
    pub(crate) fn on_time(&mut self, now: Time, packet: u64) -> bool {
        if now < self.next_at {
            return false;
        }
        self.next_at = Time::NEVER;
        match &self.spec {
            Spec::Bulk { .. } => (),
            Spec::OnOff { .. } => {
                let Some(on_off) = &mut self.on_off else { return false };
                let turn = on_off.act(now, packet);
                if turn.writes {
                    self.transfers[0].left += packet;
                }
                self.next_at = turn.next_at;
            }
            Spec::RequestResponse { .. } => {
                self.ask(now);
                return true;
            }
            Spec::Arrivals { .. } => {
                let Some(arrivals) = &mut self.arrivals else { return false };
                let bytes = arrivals.bytes();
                self.next_at = arrivals.interval().map_or(Time::NEVER, |interval| now + interval);
                self.begin(now, Some(bytes), bytes, None);
            }
        }
        false
    }

    /// A request reached the sender, which answers it on that stream.
    pub(crate) fn on_request(&mut self, stream: StreamId) {
        if let (Spec::RequestResponse { size, .. }, false) = (&self.spec, self.is_stopped) {
            let bytes = size.sample_bytes(&mut self.random);
            self.begin(self.asked_at, Some(bytes), bytes, Some(stream));
        }
    }

    /// The receiver has read that stream to its end. Returns the response or transfer that is now complete.
    pub(crate) fn on_read(&mut self, stream: StreamId, now: Time) -> Option<Completed> {
        let which = self.transfers.iter().position(|transfer| transfer.stream == Some(stream))?;
        let Transfer { at, bytes, .. } = self.transfers.remove(which)?;
        if let (Spec::RequestResponse { think, count, .. }, false) = (&self.spec, self.is_stopped) {
            match count.is_some_and(|count| self.requests >= count) {
                true => self.is_stopped = true,
                false => self.next_at = now + Time::from_secs_f64(think.sample(&mut self.random)),
            }
        }
        match self.spec {
            Spec::RequestResponse { .. } | Spec::Arrivals { .. } => {
                Some(Completed { bytes: bytes.unwrap_or_default(), since: at, took: now.since(at) })
            }
            Spec::Bulk { .. } | Spec::OnOff { .. } => None,
        }
    }

    /// Whether all data is at the receiver, and none follows. Asked after something was read.
    pub(crate) fn is_complete(&self) -> bool {
        self.transfers.is_empty() && self.next_at == Time::NEVER
    }

    /// The flow's stop time: no new data is sent. Returns whether the connection ends now: answers and transfers that have begun are
    /// finished.
    pub(crate) fn stop(&mut self) -> bool {
        self.is_stopped = true;
        self.next_at = Time::NEVER;
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.stop();
        }
        match self.spec {
            Spec::Bulk { .. } | Spec::OnOff { .. } => true,
            Spec::RequestResponse { .. } | Spec::Arrivals { .. } => self.transfers.is_empty(),
        }
    }

    /// Incomplete transfers that arrived on their own: when, and their bytes.
    pub(crate) fn under_way(&self) -> Vec<(Time, u64)> {
        match self.arrivals {
            Some(_) => self.transfers.iter().filter_map(|t| Some((t.at, t.bytes?))).collect(),
            None => vec![],
        }
    }
}
