//! Hosted flows beside those of the simulator.

use crate::common::scenario;
use anabranch_net::Time;
use anabranch_record::{Measured, NoSamples, Sink};
use anabranch_scenario::Scenario;
use anabranch_sim::{Datagram, EndpointEvent, Endpoints, Out, SimError, run_with};

/// Its first flow sends some datagrams of 1000 bytes at its start; the receiver answers each by one of 100 bytes.
#[derive(Default)]
struct Echo {
    sends: usize,
    /// When the datagrams arrive, forward and back, and when the timer is due.
    seen: [Vec<Time>; 3],
    delivered: u64,
    lost: Vec<u64>,
    fails: bool,
}

fn datagram(is_forward: bool, wire_bytes: u16, content: u8) -> Datagram {
    let data = vec![content; wire_bytes.into()];
    Datagram { path: 0, is_forward, sent_at: Time::ZERO, ecn: (false, false), wire_bytes, data }
}

impl Endpoints for Echo {
    fn hosts(&self, f: usize) -> bool {
        f == 0
    }

    fn handle(&mut self, _: usize, event: EndpointEvent, now: Time, out: &mut Out) -> Result<(), String> {
        match event {
            EndpointEvent::Open => {
                out.datagrams.extend((0..self.sends).map(|i| datagram(true, 1000, i as u8)));
                out.timers.push(now + Time::from_millis(50));
            }
            EndpointEvent::Arrives(came) if came.is_forward => {
                self.seen[0].push(now);
                self.delivered += 1000;
                out.datagrams.push(datagram(false, 100, came.data[0]));
            }
            EndpointEvent::Arrives(came) => {
                assert_eq!(usize::from(came.data[0]), self.seen[1].len(), "in order");
                self.seen[1].push(now);
            }
            EndpointEvent::Timer if self.fails => return Err("out of order".into()),
            EndpointEvent::Timer => self.seen[2].push(now),
            EndpointEvent::Stop | EndpointEvent::Change(..) => (),
        }
        Ok(())
    }

    fn delivered(&self, _: usize) -> u64 {
        self.delivered
    }

    fn measure(&mut self, _: usize, _: Time, _: bool) {}

    fn sample(&mut self, _: usize, _: Time, _: Option<&mut dyn Sink>) {}

    fn measured(&self, _: usize, seconds: f64, lost: &[u64]) -> Vec<Measured<'_>> {
        assert_eq!(lost, self.lost);
        let path = |lost: &u64| Measured {
            bytes: self.delivered,
            seconds,
            sent: self.sends as u64,
            offered: self.sends as u64,
            lost: *lost,
            ..Measured::default()
        };
        lost.iter().map(path).collect()
    }

    fn under_way(&self, _: usize) -> Vec<(Time, u64)> {
        vec![]
    }

    fn alone(&self, _: &Scenario, _: u64) -> Result<Box<dyn Endpoints>, String> {
        Err("it has no transfers".into())
    }
}

const BESIDE: &str = r#"
    links.a = { rate = "8 Mbit/s", delay = "10 ms", queue = "2 packets" }
    links.b = { rate = "8 Mbit/s", delay = "10 ms", queue = "1 BDP" }
    variation = { start_offset = "0 s", host_jitter = "0 s" }
    flows = [
        { name = "hosted", cc = "reno", paths = [["a"]] },
        { name = "own", cc = "reno", paths = [["b"]] },
    ]
"#;

/// A datagram takes 1 ms on the link and 10 ms of propagation each way. One is transmitted, two wait, the others are dropped.
#[test]
fn datagrams_take_the_links_and_the_way_back() {
    let mut echo = Echo { sends: 5, lost: vec![2], ..Echo::default() };
    let scenario = scenario(1.0, 0.0, BESIDE);
    let run = run_with(&scenario, 1, &mut NoSamples, Some(&mut echo), None, &mut |_| true).unwrap();
    let ms = |times: &[u64]| times.iter().map(|t| Time::from_millis(*t)).collect::<Vec<_>>();
    assert_eq!(echo.seen, [ms(&[11, 12, 13]), ms(&[21, 22, 23]), ms(&[50])]);
    let [hosted, own] = &run.summary.flows[..] else { panic!("{:?}", run.summary) };
    assert_eq!((hosted.delivered_bytes, hosted.subflows[0].lost_segments), (3000, 2), "{hosted:?}");
    assert!(own.goodput_bps > Some(7e6), "{own:?}");
}

#[test]
fn end_points_that_cannot_continue_end_the_run() {
    let mut echo = Echo { sends: 1, fails: true, ..Echo::default() };
    let failed =
        run_with(&scenario(1.0, 0.0, BESIDE), 1, &mut NoSamples, Some(&mut echo), None, &mut |_| true);
    let Err(SimError::Endpoints { flow, at, why }) = failed else { panic!("{failed:?}") };
    assert_eq!((&*flow, at, &*why), ("hosted", Time::from_millis(50), "out of order"));
}
