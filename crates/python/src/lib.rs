//! The Rust extension module of the Python package `anabranch`. The package with the public functions is in `python/`.

use anabranch_record::{Quantity, SubflowSummary, Unit};
use pyo3::prelude::*;

mod algorithm;
mod algorithms;
mod campaign;
mod errors;
mod execute;
mod path;
mod run;
mod samples;
mod study;
mod table;
mod text;

/// The module that the package's Python code calls.
#[pymodule]
mod _anabranch {
    #[pymodule_export]
    use crate::algorithms::{algorithms, ideal};
    #[pymodule_export]
    use crate::campaign::Campaign;
    #[pymodule_export]
    use crate::errors::{Error, InputError, RunError, VersionError};
    #[pymodule_export]
    use crate::execute::{after_fork, before_fork, build, execute};
    #[pymodule_export]
    use crate::path::{Ack, Congestion, Path};
    #[pymodule_export]
    use crate::run::run;
    #[pymodule_export]
    use crate::study::Study;
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::text::{inline, printable, toml, trace};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let column = |q: &Quantity| (q.name, if q.unit == Unit::Count { "count" } else { "number" });
        let columns: Vec<_> = SubflowSummary::QUANTITIES.iter().map(column).collect();
        module.add("SUBFLOW_COLUMNS", columns)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
