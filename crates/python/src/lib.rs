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
    use crate::advise::advise;
    #[pymodule_export]
    use crate::algorithm::register;
    #[pymodule_export]
    use crate::algorithms::{algorithms, ideal};
    #[pymodule_export]
    use crate::campaign::Campaign;
    #[pymodule_export]
    use crate::examples::{example, examples};
    #[pymodule_export]
    use crate::execute::{after_fork, before_fork, build, execute};
    #[pymodule_export]
    use crate::files::{load, save};
    #[pymodule_export]
    use crate::path::{Ack, Congestion, LostSegment, Path, RateSample};
    #[pymodule_export]
    use crate::run::{backends, run};
    #[pymodule_export]
    use crate::session::{Session, Threads, advance_all};
    #[pymodule_export]
    use crate::shards::{Finished, Part, Shard, axes};
    #[pymodule_export]
    use crate::study::{Study, shown};
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::tables::table_of;
    #[pymodule_export]
    use crate::text::{inline, printable, rate, time, toml, trace};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
