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
use anabranch_study::{Outcomes, Plan, Setup, Simulations, Size, StudyError, Work};

/// An algorithm's standard cases, to be run with `seeds` in place of the size's own number.
///
/// # Errors
/// [`StudyError::Scenario`] if a case is not a scenario.
pub fn work(
    algorithm: &'static Entry,
    size: Size,
    seeds: Option<u32>,
) -> Result<Work<AlgorithmResult>, StudyError> {
    let study = case::study(algorithm.name);
    let seeds = seeds.unwrap_or(study.seeds(size)).max(1);
    let plans: Vec<Plan> = study.experiments.iter().map(|case| case.plan(size)).collect();
    // Pages draw all of them over time.
    let sampled = |plan: &Plan| plan.setups.iter().cloned().map(Setup::sampled).collect();
    let setups: Vec<Vec<Setup>> = plans.iter().map(sampled).collect();
    let named = CASES.iter().zip(&setups).map(|(case, setups)| (case.id.as_str(), setups.as_slice()));
    let simulations = Simulations::of(named, seeds)?;
    let conclude = move |simulations: &Simulations, outcomes: &[Option<Outcomes>]| {
        let cases = CASES.iter().zip(&plans).zip(&setups).zip(&simulations.of_setup);
        let cases = cases.map(|(((case, plan), setups), indices)| {
            let ([setup], [i]) = (&setups[..], &indices[..]) else { return None };
            let outcomes = outcomes[*i].as_ref()?;
            Some(measure::case(case, algorithm, setup, outcomes, &plan.rows(&[outcomes])))
        });
        Some(AlgorithmResult {
            algorithm: algorithm.name.into(),
            size: size.name().into(),
            seeds,
            version: env!("CARGO_PKG_VERSION").into(),
            cases: cases.collect::<Option<_>>()?,
        })
    };
    Ok(Work { simulations, conclude: Box::new(conclude) })
}
