//! QUIC flows as guests of the simulator.

use crate::QuicError;
use crate::clock::Clock;
use crate::flow::{Control, Flow, is_quic};
use crate::meter::PathMeter;
use crate::refused::check;
use anabranch_net::Time;
use anabranch_record::{KeepGoing, Measured, Sink, SubflowSample, Summary};
use anabranch_scenario::Scenario;
use anabranch_sim::{End, Guest, GuestEvent, Out, run_hosting};

/// Runs a scenario to its end, with its flows as QUIC connections. Flows with `transport = "tcp"` are the simulator's.
///
/// # Errors
/// [`QuicError`].
pub fn run(
    scenario: &Scenario,
    seed: u64,
    sink: &mut dyn Sink,
    keep_going: KeepGoing<'_>,
) -> Result<Summary, QuicError> {
    check(scenario)?;
    let clock = Clock::new();
    let flow = |(f, flow)| is_quic(flow).then(|| Flow::new(f, flow, seed, clock)).transpose();
    let flows = scenario.flows.iter().enumerate().map(flow).collect::<Result<_, _>>()?;
    let run = run_hosting(scenario, seed, &mut Flows(flows), sink, keep_going)?;
    match run.end {
        End::Cancelled(at) => Err(QuicError::Interrupted { at, partial: Box::new(run.summary) }),
        End::Reached | End::Completed(_) => Ok(run.summary),
    }
}

/// The scenario's flows; `None` for those of the simulator.
struct Flows(Vec<Option<Flow>>);

impl Flows {
    fn of(&self, f: usize) -> &Flow {
        self.0[f].as_ref().expect("the simulator asks for QUIC flows only")
    }
}

impl Guest for Flows {
    fn hosts(&self, f: usize) -> bool {
        self.0[f].is_some()
    }

    fn handle(&mut self, f: usize, event: GuestEvent, now: Time, out: &mut Out) -> Result<(), String> {
        let Some(flow) = &mut self.0[f] else { return Ok(()) };
        match event {
            GuestEvent::Open => flow.open(now, out)?,
            GuestEvent::Stop => flow.stop(now, out)?,
            GuestEvent::Timer => flow.timers(now, out)?,
            GuestEvent::Arrives(datagram) => flow.receive(now, datagram, out)?,
        }
        flow.next_timers(now, out);
        out.is_complete = flow.is_complete;
        Ok(())
    }

    fn delivered(&self, f: usize) -> u64 {
        self.of(f).delivered
    }

    fn measure(&mut self, f: usize, now: Time, begins: bool) {
        match &self.of(f).control {
            Control::Coupled(coupled) => {
                let mut state = coupled.lock();
                if begins { state.observer().begin(now) } else { state.observer().end(now) }
            }
            Control::Stack(watched) => watched.lock().measure(now, begins),
        }
    }

    fn sample(&mut self, f: usize, now: Time, mut sink: Option<&mut dyn Sink>) {
        let flow = self.of(f);
        let mut values = vec![f64::NAN; flow.observables];
        let mut sample = |subflow: usize, path: Now, meter: &mut PathMeter, values: &[f64]| {
            meter.observe(path.srtt_s, values);
            let counters = &meter.counters;
            if let Some(sink) = &mut sink {
                sink.subflow(&SubflowSample {
                    time_s: now.as_secs_f64(),
                    flow: f,
                    subflow,
                    cwnd_segments: path.cwnd,
                    ssthresh_segments: path.ssthresh,
                    srtt_s: path.srtt_s,
                    in_flight_segments: path.in_flight,
                    sent_bytes: counters.sent_bytes,
                    delivered_bytes: counters.delivered_bytes,
                    lost_segments: counters.deemed_lost,
                    retransmitted_segments: counters.deemed_lost,
                    observables: values,
                });
            }
        };
        match &flow.control {
            Control::Coupled(coupled) => {
                let mut state = coupled.lock();
                let open = state.paths().map(|(r, path)| {
                    let in_flight = (path.in_flight() as f64 / path.mtu()).ceil() as u64;
                    (r, path.id(), path.srtt(), in_flight)
                });
                for (r, p, srtt_s, in_flight) in open.collect::<Vec<_>>() {
                    state.group().observe(r, &mut values);
                    let row = state.group().path(r);
                    let now = Now { cwnd: row.cwnd, ssthresh: row.ssthresh, srtt_s, in_flight };
                    sample(p, now, &mut state.observer().paths[p], &values);
                }
            }
            Control::Stack(watched) => {
                let mut state = watched.lock();
                for (p, path) in state.paths.iter_mut().enumerate().filter(|(_, path)| path.open) {
                    let (srtt_s, in_flight) = (path.srtt_s, path.in_flight_segments());
                    let now = Now { cwnd: path.cwnd, ssthresh: path.ssthresh, srtt_s, in_flight };
                    sample(p, now, &mut path.meter, &values);
                }
            }
        }
    }

    fn measured(&self, f: usize, seconds: f64, lost: &[u64]) -> Vec<Measured<'static>> {
        let flow = self.of(f);
        let unopened = PathMeter::new(flow.observables);
        let path =
            |(meter, lost): (Option<&PathMeter>, &u64)| meter.unwrap_or(&unopened).measured(seconds, *lost);
        match &flow.control {
            Control::Coupled(coupled) => {
                let mut state = coupled.lock();
                let meters = &state.observer().paths;
                lost.iter().enumerate().map(|(p, lost)| path((meters.get(p), lost))).collect()
            }
            Control::Stack(watched) => {
                let state = watched.lock();
                let meter = |p: usize| state.paths.get(p).map(|path| &path.meter);
                lost.iter().enumerate().map(|(p, lost)| path((meter(p), lost))).collect()
            }
        }
    }
}

/// A path at a sampling instant, in segments.
struct Now {
    cwnd: f64,
    ssthresh: f64,
    srtt_s: f64,
    in_flight: u64,
}
