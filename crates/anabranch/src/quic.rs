//! Scenarios over real QUIC end points, in virtual time.

use crate::Runner;
use crate::qlog::Traces;
use anabranch_papers::ended;
use anabranch_quic::{Destination, Observers, OpenTrace, QuicError};
use anabranch_record::{KeepGoing, Sink, Summary};
use anabranch_scenario::Scenario;
use anabranch_sim::tap::Tap;
use anabranch_study::{Backend, Task, TaskError, Variant};

/// The QUIC stack noq: a flow is a multipath QUIC connection, except with `transport = "tcp"`.
pub static NOQ: Runner = Runner { variant: Some(&COLUMN), ..Runner::of(&Noq) };

static COLUMN: Variant = Variant::on(
    &Noq,
    "noq",
    "QUIC",
    "The same scenarios over the QUIC stack noq, in virtual time: flows are multipath QUIC connections, on the simulator's links.",
    "QUIC is left out: it cannot run any of these scenarios.",
);

struct Noq;

impl Backend for Noq {
    fn name(&self) -> &str {
        "noq"
    }

    fn refuses(&self, scenario: &Scenario) -> Option<String> {
        anabranch_quic::check(scenario).err().map(|why| why.to_string())
    }

    fn packet_cost(&self) -> Option<f64> {
        Some(7.0) // measured: of the simulator's time for a packet
    }

    fn run(&self, task: &Task, sink: &mut dyn Sink, keep_going: KeepGoing<'_>) -> Result<Summary, TaskError> {
        run(task, sink, None, None, keep_going)
    }
}

/// Runs the task, with a capture of its packets and with traces, if wanted.
pub(crate) fn run(
    task: &Task,
    sink: &mut dyn Sink,
    packets: Option<&mut dyn Tap>,
    traces: Option<&Traces>,
    keep_going: KeepGoing<'_>,
) -> Result<Summary, TaskError> {
    let scenario = task.scenario("the task's scenario")?;
    let open = |f, is_sender| -> Destination { traces.expect("wanted").open(f, is_sender) };
    let observers = Observers { packets, traces: traces.map(|_| &open as OpenTrace<'_>) };
    match anabranch_quic::run(&scenario, task.seed_of_run(), sink, observers, keep_going) {
        Err(error @ QuicError::Refused { .. }) => Err(TaskError::Refused(error.to_string())),
        Err(QuicError::Simulator(error)) => ended(Err(error)),
        Ok(run) => ended(Ok(run)),
    }
}
