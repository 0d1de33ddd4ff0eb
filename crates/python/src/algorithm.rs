//! Runs algorithms written in Python in the simulator.

use crate::errors::refused;
use crate::path::{Ack, Congestion, Path};
use crate::samples;
use anabranch_cc::registry::{Allowed, Entry, Kind, Observable, Param, ParamValue, Params, Value};
use anabranch_cc::{Ack as Event, Algorithm, Congestion as Signalled, Path as Row, Seconds};
use anabranch_record::MemorySink;
use anabranch_scenario::{CongestionControl, Scenario};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::cell::RefCell;
use std::sync::Mutex;

thread_local! {
    /// The classes of this thread's run, and the first error of one of them.
    static CLASSES: RefCell<Vec<Py<PyAny>>> = const { RefCell::new(vec![]) };
    static ERROR: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// The parameter with the index of a connection's class.
const CLASS: &str = "class";

static PARAMS: [Param; 1] = [Param {
    name: CLASS,
    default: Value::Number(0.0),
    allowed: Allowed::Range(0.0, 1e9),
    meaning: "the index of the Python class",
}];

/// A flow's name (`None` for all multipath flows), a class's name, the names of its observables, and the class.
pub type Chosen = (Option<String>, String, Vec<String>, Py<PyAny>);

/// Sets the Python algorithms of a scenario's flows and of this thread, until the next call.
pub fn choose(py: Python<'_>, scenario: &mut Scenario, chosen: Vec<Chosen>) -> PyResult<()> {
    let mut classes = Vec::new();
    for (flow, name, observables, class) in chosen {
        distinct(py, &name, &observables)?;
        let entry = entry(&name, &observables);
        let meant = |f: &&mut anabranch_scenario::Flow| match &flow {
            Some(name) => *name == f.name || f.name.rsplit_once('/').is_some_and(|(base, _)| base == name),
            None => f.is_multipath(),
        };
        let mut any = false;
        for flow in scenario.flows.iter_mut().filter(meant) {
            let params = vec![(CLASS.to_owned(), ParamValue::Number(classes.len() as f64))];
            flow.cc = CongestionControl { entry, params };
            any = true;
        }
        if !any {
            let which = flow.map_or("the scenario has no multipath flow: name a flow".into(), |f| {
                format!("unknown flow `{f}`")
            });
            return Err(refused(py, which));
        }
        // The run differs from those of all built-in algorithms.
        scenario.hash += &format!("+{name}");
        classes.push(class);
    }
    CLASSES.set(classes);
    ERROR.set(None);
    Ok(())
}

/// Checks that the names of observables are unique columns of the samples.
fn distinct(py: Python<'_>, name: &str, observables: &[String]) -> PyResult<()> {
    let taken = samples::subflows(&MemorySink::new())?.column_names();
    for (i, observable) in observables.iter().enumerate() {
        let why = match observable.as_str() {
            "" => "which is empty",
            _ if taken.contains(observable) => "which is a column of the samples already",
            _ if observables[..i].contains(observable) => "which is listed twice",
            _ => continue,
        };
        return Err(refused(py, format!("`{name}.observables` has `{observable}`, {why}: use another name")));
    }
    Ok(())
}

/// Whether this thread's classes are free of errors.
pub fn is_well() -> bool {
    ERROR.with_borrow(Option::is_none)
}

/// Removes the classes and returns the error of one of them.
pub fn end() -> PyResult<()> {
    CLASSES.set(vec![]);
    ERROR.take().map_or(Ok(()), Err)
}

/// The registry entry of a class. Classes with the same name and observables share an entry, which lives until the process ends.
fn entry(name: &str, observables: &[String]) -> &'static Entry {
    static ENTRIES: Mutex<Vec<&'static Entry>> = Mutex::new(vec![]);
    let mut entries = ENTRIES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let same = |entry: &&&Entry| {
        entry.name == name
            && entry.observables.iter().map(|o| o.name).eq(observables.iter().map(String::as_str))
    };
    if let Some(entry) = entries.iter().find(same) {
        return entry;
    }
    let observable = |name: &String| Observable { name: name.clone().leak(), meaning: "" };
    let entry: &'static Entry = Box::leak(Box::new(Entry {
        name: name.to_owned().leak(),
        title: "an algorithm in Python",
        kind: Kind::Coupled,
        source: "",
        equations: &[],
        readings: &[],
        params: &PARAMS,
        observables: observables.iter().map(observable).collect::<Vec<_>>().leak(),
        build,
    }));
    entries.push(entry);
    entry
}

fn build(params: &Params) -> Box<dyn Algorithm> {
    let class = params.number(CLASS) as usize;
    let object = Python::attach(|py| {
        let class = CLASSES.with_borrow(|all| all.get(class).map(|class| class.clone_ref(py)));
        let class = class.ok_or_else(|| refused(py, "Python algorithms work only in `run`"))?;
        Ok((class.call0(py)?, PyList::empty(py).unbind()))
    });
    match object {
        Ok((object, list)) => Box::new(InPython { object, list, rows: vec![] }),
        Err(error) => {
            fail(error);
            Box::new(Failed)
        }
    }
}

fn fail(error: PyErr) {
    ERROR.with_borrow_mut(|first| _ = first.get_or_insert(error));
}

/// A placeholder after the constructor of a class failed: the run ends soon.
struct Failed;

impl Algorithm for Failed {
    fn acked(&mut self, _: &mut [Row], _: usize, _: &Event) {}
    fn congestion(&mut self, _: &mut [Row], _: usize, _: &Signalled) {}
}

/// An instance of the class, for one connection.
struct InPython {
    object: Py<PyAny>,
    /// The paths as Python objects, and a list of them.
    rows: Vec<Py<Path>>,
    list: Py<PyList>,
}

impl InPython {
    /// Calls a method with the paths, and copies its changes back.
    fn call(
        &mut self,
        paths: &mut [Row],
        r: usize,
        method: &str,
        event: impl FnOnce(Python<'_>) -> PyResult<Option<Py<PyAny>>>,
    ) {
        if is_well() {
            Python::attach(|py| self.attached(py, paths, r, method, event)).unwrap_or_else(fail);
        }
    }

    fn attached(
        &mut self,
        py: Python<'_>,
        paths: &mut [Row],
        r: usize,
        method: &str,
        event: impl FnOnce(Python<'_>) -> PyResult<Option<Py<PyAny>>>,
    ) -> PyResult<()> {
        self.show(py, paths)?;
        let list = self.list.bind(py);
        match event(py)? {
            Some(event) => self.object.call_method1(py, method, (list, r, event))?,
            None => self.object.call_method1(py, method, (list, r))?,
        };
        for (i, (path, row)) in paths.iter_mut().zip(&self.rows).enumerate() {
            let Path(row) = &*row.borrow(py);
            path.barred = row.barred;
            if i == r {
                if row.cwnd.is_nan() || row.ssthresh.is_nan() || row.pacing_rate.is_some_and(f64::is_nan) {
                    return Err(refused(py, format!("{method} set a window, threshold or rate to NaN")));
                }
                (path.cwnd, path.ssthresh, path.pacing_rate) = (row.cwnd, row.ssthresh, row.pacing_rate);
            }
        }
        Ok(())
    }

    /// Copies the rows to the Python objects.
    fn show(&mut self, py: Python<'_>, paths: &[Row]) -> PyResult<()> {
        for (path, row) in paths.iter().zip(&self.rows) {
            *row.borrow_mut(py).0 = *path;
        }
        for path in &paths[self.rows.len()..] {
            let row = Py::new(py, Path(Box::new(*path)))?;
            self.list.bind(py).append(&row)?;
            self.rows.push(row);
        }
        Ok(())
    }
}

impl Algorithm for InPython {
    fn path_added(&mut self, paths: &mut [Row], r: usize) {
        self.call(paths, r, "path_added", |_| Ok(None));
    }

    fn path_removed(&mut self, paths: &mut [Row], r: usize) {
        self.call(paths, r, "path_removed", |_| Ok(None));
    }

    fn acked(&mut self, paths: &mut [Row], r: usize, ack: &Event) {
        self.call(paths, r, "acked", |py| Ok(Some(Py::new(py, Ack(*ack))?.into_any())));
    }

    fn congestion(&mut self, paths: &mut [Row], r: usize, event: &Signalled) {
        self.call(paths, r, "congestion", |py| Ok(Some(Py::new(py, Congestion(*event))?.into_any())));
    }

    fn spurious(&mut self, paths: &mut [Row], r: usize) {
        self.call(paths, r, "spurious", |_| Ok(None));
    }

    fn app_limited(&mut self, paths: &mut [Row], r: usize, now: Seconds) {
        self.call(paths, r, "app_limited", |py| Ok(Some(now.into_pyobject(py)?.into_any().unbind())));
    }

    fn observe(&self, paths: &[Row], r: usize, out: &mut [f64]) {
        if out.is_empty() || !is_well() || paths.len() != self.rows.len() {
            return;
        }
        let observe = |py: Python<'_>| {
            for (path, row) in paths.iter().zip(&self.rows) {
                *row.borrow_mut(py).0 = *path;
            }
            let values = self.object.call_method1(py, "observe", (self.list.bind(py), r))?;
            let wrong = |what: String| {
                let class = self.object.bind(py).get_type();
                let wanted = out.len();
                refused(py, format!("`{class}.observe` returned {what}; `observables` has {wanted} names"))
            };
            let numbers: Vec<f64> =
                values.extract(py).map_err(|_| wrong(format!("{values}, which are not numbers")))?;
            if numbers.len() != out.len() {
                return Err(wrong(format!("{} values", numbers.len())));
            }
            out.copy_from_slice(&numbers);
            Ok(())
        };
        Python::attach(observe).unwrap_or_else(fail);
    }
}
