//! The number of runs at once.

use anabranch::Error;
use clap::Args;

/// The option `--jobs`.
#[derive(Debug, Args)]
pub struct Jobs {
    /// The number of runs at once; by default the number of cores. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
}

impl Jobs {
    /// Sets the number of threads of this process, before anything uses them.
    pub fn apply(&self) -> Result<(), Error> {
        let Some(jobs) = self.jobs else { return Ok(()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs as usize).build_global();
        pool.map_err(|e| Error::environment("cannot start threads", &e))
    }
}
