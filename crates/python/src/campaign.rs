//! A study's runs: passes missing runs to executors as tasks, executes the rest here, and judges all of them.

use crate::algorithms::json;
use crate::background;
use crate::errors::{Error, RunError, VersionError, refused, warn};
use crate::lock::lock;
use crate::table::Table;
use crate::tables::{Names, table_of_runs};
use anabranch::papers::Simulator;
use anabranch::records::Sink;
use anabranch::scenarios::distinct;
use anabranch::studies::store::{Key, Record};
use anabranch::studies::task::SIM;
use anabranch::studies::{
    Backend, Backends, Claim, Kind, PendingRun, Results, RunCache, RunId, SimulationRuns, Store, Study, Task,
    TaskError, Work,
};
use anabranch::{Progress, RESULTS_VERSION, StudyResult, Summary, Time, Watch, keep_study};
use pyo3::prelude::*;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

thread_local! {
    /// Notes about a folder of results, for this thread.
    static NOTES: RefCell<Vec<String>> = const { RefCell::new(vec![]) };
}

type Notes = Arc<Mutex<Vec<String>>>;

/// For studies with metrics or algorithms in Python, whose runs workers alone make.
struct InWorkers {
    /// Why a run that they did not deliver cannot be made here.
    missing: Mutex<Option<String>>,
}

impl Backend for InWorkers {
    fn name(&self) -> &str {
        SIM
    }

    fn run(
        &self,
        task: &Task,
        _: &mut dyn Sink,
        _: &mut dyn FnMut(Time) -> bool,
    ) -> Result<Summary, TaskError> {
        let seed = task.seed_of_run();
        let why = format!(
            "no worker returned a run with seed {seed}, which has metrics or algorithms in Python. A store keeps finished runs: \
             repeat the call to resume"
        );
        lock(&self.missing).get_or_insert(why.clone());
        Err(TaskError::Failed(why))
    }
}

/// Runs of a study, and their results.
#[pyclass(frozen, module = "anabranch._anabranch")]
pub struct Campaign {
    study: Arc<Study>,
    shipped: bool,
    /// Whether it contains the whole study.
    whole: bool,
    work: Work<(StudyResult, Vec<SimulationRuns>)>,
    names: Names,
    /// The name under which the simulator's runs are stored.
    identity: String,
    store: Option<Store>,
    /// Notes for the user.
    notes: Notes,
    missing: Vec<PendingRun>,
    /// Claims of the runs that workers execute for us.
    claims: Mutex<HashMap<Key, Claim>>,
    done: OnceLock<(StudyResult, Vec<SimulationRuns>)>,
}

impl Campaign {
    /// A campaign with the runs that are kept under that name, in that folder.
    pub fn new(
        py: Python<'_>,
        study: Arc<Study>,
        shipped: bool,
        whole: bool,
        work: Work<(StudyResult, Vec<SimulationRuns>)>,
        names: Names,
        (identity, store): (String, Option<PathBuf>),
    ) -> PyResult<Self> {
        let store = store.map(|folder| Store::open(folder, RESULTS_VERSION)).transpose();
        let store = store.map_err(|why| Error::new_err(why.to_string()))?;
        let notes = Notes::default();
        let shared = notes.clone();
        let store = store.map(|store| store.with_notify(move |note| lock(&shared).push(note.to_owned())));
        let missing = match &store {
            Some(store) => py.detach(|| work.simulations.missing(store)),
            None => vec![],
        };
        let (claims, done) = Default::default();
        let campaign =
            Campaign { study, shipped, whole, work, names, identity, store, notes, missing, claims, done };
        campaign.warn(py).map(|()| campaign)
    }

    /// Raises the notes as Python warnings.
    fn warn(&self, py: Python<'_>) -> PyResult<()> {
        let notes = std::mem::take(&mut *lock(&self.notes));
        // The caller of the package is three frames up.
        warn(py, notes, 3)
    }

    /// Whether its metrics or algorithms are in Python.
    fn is_in_python(&self) -> bool {
        self.identity != SIM || !self.names.algorithms.is_empty()
    }

    fn done(&self) -> PyResult<&(StudyResult, Vec<SimulationRuns>)> {
        self.done.get().ok_or_else(|| RunError::new_err("the study has not been run"))
    }
}

#[pymethods]
impl Campaign {
    /// The number of missing runs that workers may execute, the longest first.
    #[getter]
    fn missing(&self) -> usize {
        self.missing.len()
    }

    /// The estimated duration of the `i`-th missing run on a core, in seconds.
    fn seconds(&self, i: usize) -> f64 {
        self.missing[i].seconds()
    }

    /// Claims the `i`-th missing run and returns its task. `None` if another process executes it or has completed it.
    fn begin(&self, py: Python<'_>, i: usize) -> PyResult<Option<String>> {
        let simulations = &self.work.simulations;
        let Some(store) = &self.store else { return Ok(None) };
        let missing = self.missing[i];
        let run = simulations.run_id(missing);
        let claim = store.claim(run).filter(|_| store.find(run).is_none());
        self.warn(py)?;
        let Some(claim) = claim else { return Ok(None) };
        lock(&self.claims).insert(Key::of(store.version(), run), claim);
        json(&simulations.task(missing)).map(Some)
    }

    /// Stores a worker's record of a task; a run that failed has none.
    #[pyo3(signature = (_task, record))]
    fn put(&self, _task: &str, record: Option<&[u8]>) -> PyResult<()> {
        let Some(record) = record else { return Ok(()) };
        let wrong = |why: String| VersionError::new_err(format!("invalid record from a worker: {why}"));
        let record: Record = serde_json::from_slice(record).map_err(|why| wrong(why.to_string()))?;
        let Some(store) = &self.store else { return Ok(()) };
        let Record { key, version, summary } = record;
        let run =
            RunId { scenario_hash: &summary.scenario_hash, seed: summary.seed, backend: &self.identity };
        if version != store.version() || Key::of(&version, run) != key {
            return Err(wrong("it belongs to another run, or to a version with other results".into()));
        }
        if let Some(claim) = lock(&self.claims).remove(&key) {
            store.add(claim, &summary).map_err(|why| {
                Error::new_err(format!(
                    "cannot store a run in {}: {why}. Pass another folder as `store`",
                    store.dir().display()
                ))
            })?;
        }
        Ok(())
    }

    /// Releases all claims.
    fn end(&self) {
        lock(&self.claims).clear();
    }

    /// Executes the remaining runs in this process, on all cores, and judges; those with metrics or algorithms in Python must be
    /// stored. Calls `progress` with the completed fraction, 0
    /// to 1, the number of completed runs and the total. Returns the result as JSON.
    fn run(&self, py: Python<'_>, progress: Option<Bound<'_, PyAny>>) -> PyResult<String> {
        let at = Mutex::new((0.0, 0, 0));
        let report = || match &progress {
            Some(progress) => {
                let at = *lock(&at);
                progress.call1(at).map(drop)
            }
            None => Ok(()),
        };
        let kept = self.store.as_ref().map(|store| store as &dyn RunCache);
        let in_workers = InWorkers { missing: Mutex::new(None) };
        let backend: &dyn Backend = if self.is_in_python() { &in_workers } else { &Simulator };
        let mut done = None;
        let ended = background::work(py, 0, report, |cancel| {
            let show = |p: Progress<'_>| {
                if let Progress::Runs(p) = p {
                    *lock(&at) = (p.part, p.done, p.total);
                }
            };
            let watch = Watch { progress: Box::new(show), cancel: cancel.clone(), ..Watch::default() };
            let work = std::slice::from_ref(&self.work);
            watch.run_all(Backends(&[backend]), work, kept, &mut |finished| done = Some(finished))
        })?;
        ended.map_err(|why| RunError::new_err(why.to_string()))?;
        self.warn(py)?;
        if let Some(why) = lock(&in_workers.missing).take() {
            return Err(RunError::new_err(why));
        }
        let total = lock(&at).2;
        *lock(&at) = (1.0, total, total);
        report()?;
        let done = done.ok_or_else(|| RunError::new_err("the study returned no result"))?;
        let result = json(&*done.0.shown())?;
        // Again it gives the same.
        let _ = self.done.set(done);
        Ok(result)
    }

    /// Why runs failed, which tables leave out.
    fn failed(&self) -> PyResult<Vec<String>> {
        let lines = anabranch::failed(&self.done()?.0);
        let reasons = lines.iter().map(|line| line.split_once(": ").map_or(&**line, |(_, why)| why));
        Ok(distinct(reasons).into_iter().map(str::to_owned).collect())
    }

    /// A table of the runs: `runs`, `flows`, `subflows` or `links`.
    fn table(&self, rows: &str) -> PyResult<Table> {
        table_of_runs(rows, &self.done()?.1, &self.names)
    }

    /// Writes the result and the report, with the laboratory's page, into a folder of results; returns the report's first page.
    fn report(
        &self,
        py: Python<'_>,
        out: PathBuf,
        command: &str,
        laboratory: Option<String>,
    ) -> PyResult<String> {
        let (result, taken) = self.done()?;
        let write = || {
            let keep = |note: &str| NOTES.with_borrow_mut(|notes| notes.push(note.to_owned()));
            let results = Results::open(&out, keep)?;
            let kind = if self.shipped { Kind::Paper } else { Kind::Study };
            let result = StudyResult { command: Some(command.to_owned()), ..result.clone() };
            let notices = keep_study(&results, kind, &self.study, result, self.whole, taken)?;
            lock(&self.notes).extend(notices);
            anabranch::report(&results, command, laboratory, false)
        };
        let index = py.detach(write).map_err(|why| Error::new_err(why.to_string()))?;
        lock(&self.notes).extend(NOTES.take());
        self.warn(py)?;
        index.into_os_string().into_string().map_err(|_| refused("the folder's name is not UTF-8"))
    }
}
