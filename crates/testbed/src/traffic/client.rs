//! The receiving application: sends requests and measures response times.

use anabranch_net::{Random, Time};
use anabranch_scenario::Application;

/// A complete response.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Completed {
    /// The arrival time of its last byte.
    pub at: Time,
    /// Its size.
    pub bytes: u64,
    /// The time from the request to the last byte.
    pub took: Time,
}

/// The client of a request-response application; inactive for others.
pub(super) struct Client {
    application: Application,
    random: Random,
    requests: u64,
    /// The time of the outstanding request, and the response's first and last offset.
    asked: Option<(Time, u64, u64)>,
    /// The time of the next request.
    pub(super) next_at: Time,
    pub(super) done: bool,
}

impl Client {
    pub(super) fn new(application: Application, random: Random) -> Self {
        let done = !matches!(application, Application::RequestResponse { .. });
        Client { application, random, requests: 0, asked: None, next_at: Time::NEVER, done }
    }

    /// The connection is established at the receiver.
    pub(super) fn establish(&mut self, now: Time) {
        if !self.done {
            self.next_at = now;
        }
    }

    /// The size of the response to request now, if any.
    pub(super) fn next_request(&mut self, now: Time, received: u64) -> Option<u64> {
        let Application::RequestResponse { size, .. } = &self.application else { return None };
        if self.done || now < self.next_at {
            return None;
        }
        let bytes = size.sample_bytes(&mut self.random);
        self.requests += 1;
        self.asked = Some((now, received, received + bytes));
        self.next_at = Time::NEVER;
        Some(bytes)
    }

    /// Bytes up to `received` have arrived; returns the response that is now complete.
    pub(super) fn receive(&mut self, now: Time, received: u64) -> Option<Completed> {
        let Application::RequestResponse { think, count, .. } = &self.application else { return None };
        let (at, from, to) = self.asked.filter(|&(_, _, to)| received >= to)?;
        self.asked = None;
        if count.is_some_and(|count| self.requests >= count) {
            self.done = true;
        } else {
            self.next_at = now + Time::from_secs_f64(think.sample(&mut self.random));
        }
        Some(Completed { at: now, bytes: to - from, took: now.since(at) })
    }

    /// The flow's stop time: ends the requests.
    pub(super) fn stop(&mut self) {
        self.next_at = Time::NEVER;
        self.done = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_scenario::Draw;

    const MS: Time = Time::from_millis(1);

    fn client(size: Draw, think: Draw) -> Client {
        let mut client =
            Client::new(Application::RequestResponse { size, think, count: Some(2) }, Random::new(3, 0));
        client.establish(MS);
        client
    }

    #[test]
    fn it_asks_waits_thinks_and_ends() {
        let mut client = client(Draw::Constant(100.0), Draw::Constant(0.005));
        assert_eq!(client.next_request(Time::ZERO, 0), None);
        assert_eq!(client.next_request(MS, 0), Some(100));
        assert_eq!(client.next_request(MS, 0), None);
        assert_eq!(client.receive(MS.times(3), 99), None);
        let completed = Completed { at: MS.times(4), bytes: 100, took: MS.times(3) };
        assert_eq!(client.receive(MS.times(4), 100), Some(completed));
        assert_eq!((client.next_at, client.done), (MS.times(9), false));
        assert_eq!(client.next_request(MS.times(9), 100), Some(100));
        assert!(client.receive(MS.times(10), 200).is_some());
        assert!(client.done);
    }

    /// The simulator draws the sizes and pauses of one stream in turn.
    #[test]
    fn sizes_and_pauses_come_in_turn_from_one_stream() {
        let (size, think) = (Draw::Exponential(1e6), Draw::Uniform(0.0, 1.0));
        let mut random = Random::new(3, 0);
        let mut client = client(size.clone(), think.clone());
        let bytes = client.next_request(MS, 0).unwrap();
        assert_eq!(bytes, size.sample(&mut random).round() as u64);
        client.receive(MS, bytes).unwrap();
        assert_eq!(client.next_at, MS + Time::from_secs_f64(think.sample(&mut random)));
        let again = client.next_request(client.next_at, bytes).unwrap();
        assert_eq!(again, size.sample(&mut random).round() as u64);
    }
}
