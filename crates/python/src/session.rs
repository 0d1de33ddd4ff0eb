//! A run that Python steps, observes and steers.

use crate::errors::{RunError, refused, run_error};
use crate::lock::lock;
use crate::run::{self, Named, RunRecord, scenario};
use anabranch::Time;
use anabranch::links::Loss;
use anabranch::papers::task_error;
use anabranch::simulator::{LinkNow, SimError, SubflowNow};
use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::process;
use std::sync::{Arc, Mutex};

/// A session; closed if it is empty.
#[pyclass(frozen, module = "anabranch._anabranch")]
pub struct Session {
    inner: Mutex<Option<anabranch::simulator::Session>>,
    /// The names of flows with the number of their subflows, and of links.
    #[pyo3(get)]
    flows: Vec<(String, usize)>,
    #[pyo3(get)]
    links: Vec<String>,
    /// Segment size of each flow, in bytes of payload at most.
    #[pyo3(get)]
    mss: Vec<u32>,
    #[pyo3(get)]
    duration: f64,
}

/// What is seen of a subflow: see [`SubflowNow`].
type Subflow = (bool, f64, Option<f64>, f64, f64, u64, u64, u64, u64, u64);
/// What is seen of a link: see [`LinkNow`].
type Link = (u64, u64, u64, u64, u64, f64);
/// The time, whether the run is over, each flow's bytes delivered in order, the subflows of all flows, and the links.
type Seen = (f64, bool, Vec<u64>, Vec<Subflow>, Vec<Link>);

fn closed() -> PyErr {
    RunError::new_err("the session is closed")
}

fn failed(error: SimError) -> PyErr {
    run_error(task_error(&error))
}

fn subflow(s: &SubflowNow) -> Subflow {
    (
        s.up,
        s.cwnd_segments,
        s.pacing_rate,
        s.srtt_s,
        s.min_rtt_s,
        s.in_flight_segments,
        s.sent_bytes,
        s.delivered_bytes,
        s.lost_segments,
        s.retransmitted_segments,
    )
}

fn link(LinkNow { waiting, totals }: &LinkNow) -> Link {
    (waiting.bytes, waiting.packets, totals.drops, totals.marked, totals.losses, totals.transmitted_bits)
}

fn seen(session: &mut anabranch::simulator::Session) -> Seen {
    let flows = session.flows();
    (
        session.now().as_secs_f64(),
        session.is_over(),
        flows.iter().map(|flow| flow.delivered_bytes).collect(),
        flows.iter().flat_map(|flow| &flow.subflows).map(subflow).collect(),
        session.links().iter().map(link).collect(),
    )
}

fn until(seconds: f64) -> PyResult<Time> {
    match (0.0..9e9).contains(&seconds) {
        true => Ok(Time::from_secs_f64(seconds)),
        false => Err(refused(format!("the time is {seconds:?} s: it must be from 0 to 9e9 s"))),
    }
}

impl Session {
    fn of(inner: anabranch::simulator::Session) -> Self {
        let scenario = inner.scenario();
        let flows = scenario.flows.iter().map(|flow| (flow.name.clone(), flow.paths.len())).collect();
        let links = scenario.links.iter().map(|link| link.name.clone()).collect();
        let mss = scenario.flows.iter().map(|flow| u32::from(flow.tcp.mss)).collect();
        let duration = scenario.duration.as_secs_f64();
        Session { flows, links, mss, duration, inner: Mutex::new(Some(inner)) }
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut anabranch::simulator::Session) -> T + Send,
    ) -> PyResult<T> {
        // Another thread that has the session may wait for the interpreter.
        py.detach(|| lock(&self.inner).as_mut().map(act)).ok_or_else(closed)
    }

    fn step(&self, to: Time) -> PyResult<Seen> {
        let mut inner = lock(&self.inner);
        let session = inner.as_mut().ok_or_else(closed)?;
        let mut signal = Ok(());
        let mut keep_going = || {
            signal = Python::attach(|py| py.check_signals());
            signal.is_ok()
        };
        session.advance(to, &mut keep_going).map_err(failed)?;
        signal?;
        Ok(seen(session))
    }
}

#[pymethods]
impl Session {
    #[new]
    fn new(
        py: Python<'_>,
        source: Named,
        set: Vec<String>,
        cc: Vec<String>,
        seed: Option<u64>,
        controlled: Vec<String>,
        sampled: bool,
    ) -> PyResult<Self> {
        let scenario = (*scenario(py, source, set, cc)?).clone();
        let find = |name: &String| {
            scenario.flows.iter().position(|flow| flow.name == *name).ok_or_else(|| {
                let all: Vec<&str> = scenario.flows.iter().map(|flow| flow.name.as_str()).collect();
                refused(format!("no flow is named `{name}`; there are {}", all.join(", ")))
            })
        };
        let controlled = controlled.iter().map(find).collect::<PyResult<Vec<_>>>()?;
        let seed = seed.unwrap_or(scenario.seed);
        let inner =
            anabranch::simulator::Session::new(scenario, seed, &controlled, sampled).map_err(failed)?;
        Ok(Session::of(inner))
    }

    /// Runs until a time, and observes.
    fn advance(&self, py: Python<'_>, to: f64) -> PyResult<Seen> {
        let to = until(to)?;
        py.detach(|| self.step(to))
    }

    fn observe(&self, py: Python<'_>) -> PyResult<Seen> {
        self.with(py, seen)
    }

    fn set_cwnd(&self, py: Python<'_>, flow: usize, path: usize, segments: f64) -> PyResult<()> {
        if segments.is_nan() || segments < 0.0 {
            return Err(refused(format!(
                "the window is {segments}: it must be a number of segments, at least 0"
            )));
        }
        self.with(py, |session| session.set_cwnd(flow, path, segments))
    }

    fn set_pacing_rate(&self, py: Python<'_>, flow: usize, path: usize, rate: Option<f64>) -> PyResult<()> {
        if let Some(rate) = rate.filter(|rate| rate.is_nan() || *rate <= 0.0) {
            return Err(refused(format!("the pacing rate is {rate}: it must be positive, or None")));
        }
        self.with(py, |session| session.set_pacing_rate(flow, path, rate))
    }

    #[allow(clippy::too_many_arguments)]
    fn set_link(
        &self,
        py: Python<'_>,
        link: usize,
        rate: Option<f64>,
        delay: Option<f64>,
        loss: Option<f64>,
        up: Option<bool>,
    ) -> PyResult<()> {
        if let Some(rate) = rate.filter(|rate| !rate.is_finite() || *rate <= 0.0) {
            return Err(refused(format!(
                "`rate` is {rate}: it must be positive, in bit/s; `up=False` stops a link"
            )));
        }
        let delay = delay.map(until).transpose()?;
        let loss = match loss {
            Some(rate) if !(0.0..=1.0).contains(&rate) => {
                return Err(refused(format!("`loss` is {rate}: it must be a fraction from 0 to 1")));
            }
            Some(0.0) => Some(Loss::None),
            Some(rate) => Some(Loss::bernoulli(rate)),
            None => None,
        };
        let name = self.links[link].clone();
        self.with(py, |session| {
            if !session.can_set_link(link) {
                return Err(refused(format!(
                    "the link `{name}` has a trace, a clock, reordering or changes of its own: a session changes only \
                     links without them"
                )));
            }
            session.set_link(link, rate, delay, loss, up);
            Ok(())
        })?
    }

    /// The same state again.
    fn fork(&self, py: Python<'_>) -> PyResult<Self> {
        let fork = self.with(py, |session| session.fork())?;
        fork.map(Session::of).ok_or_else(|| {
            PyNotImplementedError::new_err(
                "an algorithm of this scenario cannot be copied: those of the kernel (`@kernel`) keep their state in C",
            )
        })
    }

    /// Ends the session and returns the record up to now.
    fn finish(&self, py: Python<'_>) -> PyResult<RunRecord> {
        let inner = py.detach(|| lock(&self.inner).take()).ok_or_else(closed)?;
        let (summary, samples) = py.detach(|| inner.finish());
        run::record_of(&summary, &samples)
    }

    fn close(&self, py: Python<'_>) {
        drop(py.detach(|| lock(&self.inner).take()));
    }
}

/// Steps several sessions at once, each until its time, on threads of `pool` without the interpreter.
#[pyfunction]
pub fn advance_all(
    py: Python<'_>,
    sessions: Vec<Py<Session>>,
    to: Vec<f64>,
    pool: Py<Threads>,
) -> PyResult<Vec<Seen>> {
    let to = to.into_iter().map(until).collect::<PyResult<Vec<_>>>()?;
    let (sessions, pool): (Vec<&Session>, &Threads) =
        (sessions.iter().map(|session| session.get()).collect(), pool.get());
    let pool = pool.present()?;
    py.detach(|| pool.install(|| sessions.par_iter().zip(to).map(|(session, to)| session.step(to)).collect()))
}

/// Threads for [`advance_all`].
#[pyclass(frozen, module = "anabranch._anabranch")]
pub struct Threads {
    count: usize,
    /// The pool, and the process that has its threads.
    pool: Mutex<(u32, Arc<ThreadPool>)>,
}

#[pymethods]
impl Threads {
    #[new]
    fn new(count: usize) -> PyResult<Self> {
        Ok(Threads { count, pool: Mutex::new((process::id(), pool(count)?)) })
    }
}

impl Threads {
    /// The pool of this process: threads do not survive a fork.
    fn present(&self) -> PyResult<Arc<ThreadPool>> {
        let mut own = lock(&self.pool);
        if own.0 != process::id() {
            // Never dropped: that would wait for the parent's threads.
            std::mem::forget(std::mem::replace(&mut *own, (process::id(), pool(self.count)?)));
        }
        Ok(own.1.clone())
    }
}

fn pool(count: usize) -> PyResult<Arc<ThreadPool>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
    pool.map(Arc::new).map_err(|why| RunError::new_err(why.to_string()))
}
