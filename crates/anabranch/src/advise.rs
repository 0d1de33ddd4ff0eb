//! Which algorithm suits a scenario: runs several on the connection with several paths, compares each with a single-path flow
//! in its place (RFC 6356's goals), and recommends one by a stated rule.

pub use anabranch_advice::{ALGORITHMS, Advice, Baseline, Case, Goal, Met, RULE, Recommendation};

use crate::{Comparison, Error, SIM, Scenario, Watch, input_error};
use anabranch_advice::Plan;
use miette::miette;

/// What to try.
#[derive(Clone, Debug)]
pub struct AdviseOptions {
    /// The connection, by its name in the file; `None` for the only one with several paths.
    pub flow: Option<String>,
    /// The algorithms, as in [`Comparison::new`].
    pub cc: Vec<String>,
    /// Buffers of every link, such as `1 BDP`; empty for the scenario's own.
    pub buffers: Vec<String>,
    /// The number of seeds.
    pub seeds: u32,
    /// Whether runs may need more than 4 GB of memory.
    pub lax: bool,
    /// The command that repeats it, for the report.
    pub command: String,
}

impl Default for AdviseOptions {
    /// The usual algorithms with five seeds.
    fn default() -> Self {
        let cc = ALGORITHMS.map(str::to_owned).to_vec();
        AdviseOptions { flow: None, cc, buffers: vec![], seeds: 5, lax: false, command: String::new() }
    }
}

/// Runs everything and concludes.
pub fn advise(scenario: &Scenario, options: &AdviseOptions, watch: &Watch<'_>) -> Result<Advice, Error> {
    let AdviseOptions { flow, cc, buffers, seeds, .. } = options;
    let plan = Plan::of(scenario, flow.as_deref(), cc, buffers)
        .map_err(|why| input_error(why.to_string(), Some(&why.help)))?;
    let mut runs = Vec::new();
    for run in &plan.runs {
        let named = |why: Error| Error::Input(miette!("{}: {why}", run.what));
        let changed = scenario.changed(&run.set, run.cc.clone());
        let changed = if run.cc.is_some() { changed? } else { changed.map_err(named)? };
        changed.check().map_err(named)?;
        runs.push(changed);
    }
    let comparison = Comparison::of(runs, *seeds, &SIM, options.lax)?;
    let compared = comparison.run(watch)?;
    compared.check(|_| ()).map_err(|why| match why {
        Error::Interrupted(_) => {
            let (complete, total) = (compared.complete(), compared.total);
            Error::Interrupted(miette!(
                "interrupted: {complete} of {total} runs were complete, too few for advice"
            ))
        }
        why => why,
    })?;
    Ok(plan.conclude(&scenario.name, &options.command, *seeds, &compared.runs))
}
