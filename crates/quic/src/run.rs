//! QUIC flows hosted by the simulator.

use crate::QuicError;
use crate::clock::Clock;
use crate::control::Control;
use crate::flow::{Flow, is_quic};
use crate::meter::PathMeter;
use crate::refused::check;
use crate::stack::{self, Path};
use crate::traces::OpenTrace;
use anabranch_net::Time;
use anabranch_record::{KeepGoing, Measured, Sink, SubflowSample};
use anabranch_scenario::Scenario;
use anabranch_sim::tap::Tap;
use anabranch_sim::{EndpointEvent, Endpoints, Out, Run, run_with};

/// Those who see more of a run than its samples.
#[derive(Default)]
pub struct Observers<'p, 't> {
    /// Its packets, with the secrets that decrypt them.
    pub packets: Option<&'p mut dyn Tap>,
    /// qlog traces of its connections.
    pub traces: Option<OpenTrace<'t>>,
}

/// Runs a scenario as [`anabranch_sim::run`] does, with its flows as QUIC connections. Flows with `transport = "tcp"` are the simulator's.
pub fn run(
    scenario: &Scenario,
    seed: u64,
    sink: &mut dyn Sink,
    observers: Observers<'_, '_>,
    keep_going: KeepGoing<'_>,
) -> Result<Run, QuicError> {
    check(scenario)?;
    let Observers { packets, traces } = observers;
    let mut flows = Flows::new(scenario, seed, packets.is_some(), traces)?;
    Ok(run_with(scenario, seed, sink, Some(&mut flows), packets, keep_going)?)
}

/// The scenario's flows; `None` for those of the simulator.
struct Flows(Vec<Option<Flow>>);

impl Flows {
    fn new(
        scenario: &Scenario,
        seed: u64,
        is_captured: bool,
        traces: Option<OpenTrace<'_>>,
    ) -> Result<Flows, QuicError> {
        let clock = Clock::new();
        let flow = |(f, flow)| {
            is_quic(flow).then(|| Flow::new(scenario, f, seed, clock, is_captured, traces)).transpose()
        };
        Ok(Flows(scenario.flows.iter().enumerate().map(flow).collect::<Result<_, _>>()?))
    }

    fn of(&self, f: usize) -> &Flow {
        self.0[f].as_ref().expect("the simulator asks for QUIC flows only")
    }
}

impl Endpoints for Flows {
    fn hosts(&self, f: usize) -> bool {
        self.0[f].is_some()
    }

    fn handle(&mut self, f: usize, event: EndpointEvent, now: Time, out: &mut Out) -> Result<(), String> {
        let Some(flow) = &mut self.0[f] else { return Ok(()) };
        match event {
            EndpointEvent::Open => flow.open(now, out)?,
            EndpointEvent::Stop => flow.stop(now, out)?,
            EndpointEvent::Timer => flow.timers(now, out)?,
            EndpointEvent::Change(path, action) => flow.change(now, path, action, out)?,
            EndpointEvent::Arrives(datagram) => flow.receive(now, datagram, out)?,
        }
        flow.next_timers(now, out);
        flow.new_secrets(out);
        Ok(())
    }

    fn delivered(&self, f: usize) -> u64 {
        self.of(f).delivered
    }

    fn measure(&mut self, f: usize, now: Time, begins: bool) {
        self.of(f).control.meters(|meters| {
            let paths = meters.paths.iter_mut();
            paths.for_each(|path| if begins { path.begin(now) } else { path.end(now) });
        });
    }

    fn sample(&mut self, f: usize, now: Time, mut sink: Option<&mut dyn Sink>) {
        let flow = self.of(f);
        let mut values = vec![f64::NAN; flow.observables];
        let mut sample = |subflow: usize, path: Path, meter: &mut PathMeter, values: &[f64]| {
            meter.observe(path.flight.srtt(), values);
            let counters = &meter.counters;
            if let Some(sink) = &mut sink {
                sink.subflow(&SubflowSample {
                    time_s: now.as_secs_f64(),
                    flow: f,
                    subflow,
                    cwnd_segments: path.cwnd,
                    ssthresh_segments: path.ssthresh,
                    srtt_s: path.flight.srtt(),
                    in_flight_segments: (path.flight.in_flight() as f64 / path.mtu).ceil() as u64,
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
                let open = state.paths().map(|(r, path)| (r, path.id(), *path.flight(), path.mtu()));
                for (r, id, flight, mtu) in open.collect::<Vec<_>>() {
                    state.group().observe(r, &mut values);
                    let row = state.group().path(r);
                    let path = Path { open: true, mtu, cwnd: row.cwnd, ssthresh: row.ssthresh, flight };
                    let p = state.observer().began[id];
                    sample(p, path, &mut state.observer().paths[p], &values);
                }
            }
            Control::Stack(watched) => {
                let stack::State { paths, observer } = &mut *watched.lock();
                for (id, path) in paths.iter().enumerate().filter(|(_, path)| path.open) {
                    let p = observer.began[id];
                    sample(p, *path, &mut observer.paths[p], &values);
                }
            }
        }
    }

    fn measured(&self, f: usize, seconds: f64, lost: &[u64]) -> Vec<Measured<'static>> {
        self.of(f).control.meters(|meters| {
            let paths = meters.paths.iter().zip(lost);
            paths.map(|(meter, lost)| meter.measured(seconds, *lost)).collect()
        })
    }

    fn under_way(&self, f: usize) -> Vec<(Time, u64)> {
        self.of(f).application.under_way()
    }

    fn alone(&self, scenario: &Scenario, seed: u64) -> Result<Box<dyn Endpoints>, String> {
        let flows = Flows::new(scenario, seed, false, None).map_err(|why| why.to_string())?;
        Ok(Box::new(flows))
    }
}
