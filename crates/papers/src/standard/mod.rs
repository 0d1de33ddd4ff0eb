//! The standard cases: every algorithm in the same few situations, so that they can be seen side by side.
//!
//! A [`Case`] is a scenario with a purpose and one key figure; the study file `studies/standard/standard-cases.toml` has them, and
//! rows that measure them. [`work`] puts an algorithm of the registry in the place of the flow that each case calls `tested`,
//! over several seeds, and gives an [`AlgorithmResult`]. An algorithm that knows one path only runs uncoupled where the case
//! has two.

mod case;
mod measure;
mod over_time;
mod result;

pub use case::{CASES, Case, Goal};
pub use result::{AlgorithmResult, CaseResult, FlowRow, Key, LinkRow, Observed, Recovery, Trace};

use anabranch_cc::registry::Entry;
use anabranch_study::{Options, Outcomes, Simulations, Size, StudyError, Work};
use std::sync::Arc;

/// An algorithm's standard cases, to be run with `seeds` in place of the size's own number.
///
/// # Errors
/// [`StudyError::Scenario`] if a case is not a scenario.
pub fn work(
    algorithm: &'static Entry,
    size: Size,
    seeds: Option<u32>,
) -> Result<Work<AlgorithmResult>, StudyError> {
    let (study, options) = (case::study(algorithm.name), Options { size, seeds, ..Options::default() });
    let Work { simulations, conclude } = anabranch_study::work(&Arc::new(study), &options)?;
    let conclude = move |simulations: &Simulations, outcomes: &[Option<Outcomes>]| {
        let result = conclude(simulations, outcomes).filter(|result| !result.partial)?;
        let cases = CASES.iter().zip(&result.experiments).zip(&simulations.of_setup);
        let cases = cases.map(|((case, experiment), indices)| {
            let [i] = indices[..] else { return None };
            Some(measure::case(case, algorithm, experiment, outcomes[i].as_ref()?))
        });
        Some(AlgorithmResult {
            algorithm: algorithm.name.into(),
            cases: cases.collect::<Option<_>>()?,
            size: result.size,
            seeds: result.seeds,
            version: result.version,
        })
    };
    // Pages draw all of them over time.
    Ok(Work { simulations: simulations.sampled(), conclude: Box::new(conclude) })
}
