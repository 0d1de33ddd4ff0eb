//! The run time of the programs, by the kernel's statistics.

use crate::{Error, Instance, instances, system};
use std::collections::HashMap;
use std::thread::sleep;
use std::time::Duration;

/// The measured run time of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The algorithm's name in the kernel.
    pub algorithm: &'static str,
    /// The program, such as `ab_cong_avoid`.
    pub program: String,
    /// The number of its runs.
    pub calls: u64,
    /// The total time of all runs, in nanoseconds.
    pub time: u64,
}

/// Measures every program of ours for the given time.
pub fn measure(duration: Duration) -> Result<Vec<Cost>, Error> {
    // The kernel reads the clock twice per call while this exists.
    let _statistics = system::enable_statistics().map_err(Error::bpf("enable BPF statistics"))?;
    let programs = |instances: Vec<Instance>| {
        instances.into_iter().flat_map(|i| i.programs.into_iter().map(move |p| (i.entry.kernel_name, p)))
    };
    let before: HashMap<u32, _> =
        programs(instances()?).map(|(_, p)| (p.id, (p.run_cnt, p.run_time_ns))).collect();
    sleep(duration);
    let costs = programs(instances()?).map(|(algorithm, program)| {
        let (calls, time) = before.get(&program.id).copied().unwrap_or_default();
        Cost {
            algorithm,
            program: program.name.to_string_lossy().into_owned(),
            calls: program.run_cnt.saturating_sub(calls),
            time: program.run_time_ns.saturating_sub(time),
        }
    });
    Ok(costs.collect())
}
