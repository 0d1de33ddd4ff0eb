//! The Rust extension module of the Python package `anabranch`. The package with the public functions is in `python/`.

use pyo3::prelude::*;

mod advise;
mod algorithm;
mod algorithms;
mod background;
mod campaign;
mod errors;
mod examples;
mod execute;
mod files;
mod lock;
mod path;
mod run;
mod samples;
mod session;
mod shards;
mod study;
mod table;
mod tables;
mod text;

/// The module that the package's Python code calls.
#[pymodule]
mod _anabranch {
    #[pymodule_export]
    use crate::{
        advise::advise,
        algorithm::register,
        algorithms::{algorithms, ideal},
        campaign::Campaign,
        examples::{example, examples},
        execute::{after_fork, before_fork, build, execute},
        files::{load, save},
        path::{Ack, Congestion, LostSegment, Path, RateSample},
        run::{backends, run},
        session::{Session, Threads, advance_all},
        shards::{Finished, Part, Shard, axes},
        study::{Study, shown},
        table::Table,
        tables::table_of,
        text::{inline, printable, rate, time, toml, trace},
    };

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
