//! Runs algorithms written in Python in the simulator.

use crate::errors::refused;
use crate::lock::lock;
use crate::path::{Ack, Congestion, LostSegment, Path};
use crate::samples;
use anabranch::MemorySink;
use anabranch::algorithms::registry::{Allowed, Entry, Kind, Observable, Param, Params, Value};
use anabranch::algorithms::{
    Ack as Event, Algorithm, Congestion as Signalled, LostSegment as Lost, Path as Row, Seconds,
};
use anabranch::scenarios::add_algorithm;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::cell::RefCell;
use std::sync::Mutex;

type Makers = Vec<(String, Py<PyAny>)>;

thread_local! {
    /// The makers of this thread's algorithms by their names in scenarios, and the first error of one of them.
    static OWN: RefCell<(Makers, Option<PyErr>)> = const { RefCell::new((vec![], None)) };
}

/// The parameter with an algorithm's index among [`ENTRIES`].
const INDEX: &str = "python";

/// The entries of all algorithms in Python so far, which live until the process ends.
static ENTRIES: Mutex<Vec<&'static Entry>> = Mutex::new(vec![]);

/// An algorithm in Python: its name in scenarios, which identifies its code, the names of its observables, and a function
/// that makes an object of it.
#[derive(FromPyObject)]
pub struct Own {
    name: String,
    observables: Vec<String>,
    make: Py<PyAny>,
}

/// While it exists, this thread knows algorithms. Its end restores those before: a metric or an algorithm may run a scenario.
pub struct Known((Makers, Option<PyErr>));

impl Known {
    /// Makes algorithms known to scenarios, and to this thread.
    pub fn begin(own: Vec<Own>) -> PyResult<Known> {
        let makers = makers(own)?;
        Ok(Known(OWN.replace((makers, None))))
    }

    /// Forgets them and returns the error of one of them.
    pub fn end(self) -> PyResult<()> {
        check()
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        // What they replace is dropped outside, as Python may run code then.
        drop(OWN.replace(std::mem::take(&mut self.0)));
    }
}

/// Makes algorithms known to scenarios.
#[pyfunction]
pub fn register(own: Vec<Own>) -> PyResult<()> {
    makers(own).map(drop)
}

fn makers(own: Vec<Own>) -> PyResult<Makers> {
    let mut makers = Vec::new();
    for Own { name, observables, make } in own {
        distinct(&name, &observables)?;
        add_algorithm(entry(&name, &observables));
        makers.push((name, make));
    }
    Ok(makers)
}

/// Checks that the names of observables are unique columns of the samples.
fn distinct(name: &str, observables: &[String]) -> PyResult<()> {
    let name = name.split('@').next().unwrap_or(name);
    let taken = samples::subflows(&MemorySink::new())?.column_names();
    for (i, observable) in observables.iter().enumerate() {
        let why = match observable.as_str() {
            "" => "which is empty",
            _ if taken.contains(observable) => "which is a column of the samples already",
            _ if observables[..i].contains(observable) => "which is listed twice",
            _ => continue,
        };
        return Err(refused(format!("`{name}.observables` has `{observable}`, {why}: use another name")));
    }
    Ok(())
}

/// Whether this thread's algorithms are free of errors.
pub fn is_well() -> bool {
    OWN.with_borrow(|(_, error)| error.is_none())
}

/// Takes the error of one of them.
pub fn check() -> PyResult<()> {
    OWN.with_borrow_mut(|(_, error)| error.take()).map_or(Ok(()), Err)
}

/// The registry entry of an algorithm; those of one name share it.
fn entry(name: &str, observables: &[String]) -> &'static Entry {
    let mut entries = lock(&ENTRIES);
    if let Some(entry) = entries.iter().find(|entry| entry.name == name) {
        return entry;
    }
    let observable = |name: &String| Observable { name: name.clone().leak(), meaning: "" };
    let index = entries.len() as f64;
    let param = Param {
        name: INDEX,
        default: Value::Number(index),
        allowed: Allowed::Range(index, index),
        meaning: "the index of the algorithm",
    };
    let entry: &'static Entry = Box::leak(Box::new(Entry {
        name: name.to_owned().leak(),
        title: "an algorithm in Python",
        kind: Kind::Coupled,
        source: "",
        equations: &[],
        interpretations: &[],
        params: vec![param].leak(),
        observables: observables.iter().map(observable).collect::<Vec<_>>().leak(),
        build,
    }));
    entries.push(entry);
    entry
}

fn build(params: &Params) -> Box<dyn Algorithm> {
    let name = lock(&ENTRIES)[params.number(INDEX) as usize].name;
    let object = Python::attach(|py| {
        let make = OWN.with_borrow(|(all, _)| {
            let own = all.iter().find(|(known, _)| known == name);
            own.map(|(_, make)| make.clone_ref(py))
        });
        let make = make.ok_or_else(|| refused("algorithms in Python work in `run` and `sweep` only"))?;
        let object = make.call0(py)?;
        let is_model_based = object.getattr(py, "model_based")?.is_truthy(py)?;
        Ok((object, is_model_based, PyList::empty(py).unbind()))
    });
    match object {
        Ok((object, is_model_based, list)) => {
            Box::new(InPython { object, is_model_based, list, rows: vec![] })
        }
        Err(error) => {
            fail(error);
            Box::new(Failed)
        }
    }
}

/// Keeps the first error.
fn fail(error: PyErr) {
    if is_well() {
        OWN.with_borrow_mut(|(_, first)| *first = Some(error));
    }
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
    is_model_based: bool,
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
        if !is_well() {
            return;
        }
        let call = |py: Python<'_>| {
            for path in &paths[self.rows.len().min(paths.len())..] {
                let row = self.rows.len();
                let row = Py::new(py, Path { of: Box::new(*path), writable: false, row })?;
                self.list.bind(py).append(&row)?;
                self.rows.push(row);
            }
            self.show(py, paths, Some(r));
            let list = self.list.bind(py);
            match event(py)? {
                Some(event) => self.object.call_method1(py, method, (list, r, event))?,
                None => self.object.call_method1(py, method, (list, r))?,
            };
            for (i, (path, row)) in paths.iter_mut().zip(&self.rows).enumerate() {
                let row = &*row.borrow(py).of;
                path.barred = row.barred;
                if i == r {
                    (path.cwnd, path.ssthresh, path.pacing_rate) = (row.cwnd, row.ssthresh, row.pacing_rate);
                }
            }
            Ok(())
        };
        Python::attach(call).unwrap_or_else(fail);
    }

    /// Copies the rows to the Python objects, of which row `own` is writable.
    fn show(&self, py: Python<'_>, paths: &[Row], own: Option<usize>) {
        for (i, (path, row)) in paths.iter().zip(&self.rows).enumerate() {
            let mut row = row.borrow_mut(py);
            *row.of = *path;
            row.writable = own == Some(i);
        }
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
        self.call(paths, r, "acked", |py| Ok(Some(Py::new(py, Ack { of: *ack })?.into_any())));
    }

    fn congestion(&mut self, paths: &mut [Row], r: usize, event: &Signalled) {
        self.call(paths, r, "congestion", |py| Ok(Some(Py::new(py, Congestion { of: *event })?.into_any())));
    }

    fn spurious(&mut self, paths: &mut [Row], r: usize) {
        self.call(paths, r, "spurious", |_| Ok(None));
    }

    fn app_limited(&mut self, paths: &mut [Row], r: usize, now: Seconds) {
        self.call(paths, r, "app_limited", |py| Ok(Some(now.into_pyobject(py)?.into_any().unbind())));
    }

    fn is_model_based(&self) -> bool {
        self.is_model_based
    }

    fn lost(&mut self, paths: &mut [Row], r: usize, lost: &Lost) {
        self.call(paths, r, "lost", |py| Ok(Some(Py::new(py, LostSegment { of: *lost })?.into_any())));
    }

    fn observe(&self, paths: &[Row], r: usize, out: &mut [f64]) {
        if out.is_empty() || !is_well() || paths.len() != self.rows.len() {
            return;
        }
        let observe = |py: Python<'_>| {
            self.show(py, paths, None);
            let values = self.object.call_method1(py, "observe", (self.list.bind(py), r))?;
            let wrong = |what: String| {
                let class = self.object.bind(py).get_type();
                let name = class.name().map_or_else(|_| String::new(), |name| name.to_string());
                let wanted = out.len();
                refused(format!("`{name}.observe` returned {what}; `observables` has {wanted} names"))
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
