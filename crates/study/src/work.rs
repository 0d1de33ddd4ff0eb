//! A study from its plans to its result.

use crate::error::StudyError;
use crate::judge::SimulationRuns;
use crate::plan::Study;
use crate::plan::experiments::{Options, PlannedExperiment, choose};
use crate::result::{Experiment, StudyResult};
use crate::run::{Outcomes, Simulations, Work};
use crate::setup::{Samples, Setup};
use crate::size::Size;
use anabranch_scenario::Scenario;
use std::collections::HashMap;
use std::sync::Arc;

/// The work of a study's experiments.
///
/// # Errors
/// [`StudyError`], not interrupted.
pub fn work(study: &Arc<Study>, options: &Options) -> Result<Work<StudyResult>, StudyError> {
    Ok(work_with(study, options, false)?.map(|(result, _)| result))
}

/// The work of a study, with its individual runs.
///
/// # Errors
/// [`StudyError`], not interrupted.
pub fn work_with_runs(
    study: &Arc<Study>,
    options: &Options,
) -> Result<Work<(StudyResult, Vec<SimulationRuns>)>, StudyError> {
    work_with(study, options, true)
}

fn work_with(
    study: &Arc<Study>,
    options: &Options,
    with_runs: bool,
) -> Result<Work<(StudyResult, Vec<SimulationRuns>)>, StudyError> {
    let (seeds, size, without_variants) = (options.seeds(study), options.size, options.without_variants);
    let chosen = choose(study, options)?;
    let setups = chosen.iter().map(|planned| (planned.id.as_str(), planned.setups.as_slice()));
    let simulations =
        Simulations::of(setups, seeds).map_err(|error| with_place(study, &chosen, size, error))?;
    for (planned, indices) in chosen.iter().zip(&simulations.of_setup) {
        for (setup, need) in &planned.plan.needs {
            if let Some(problem) = need.missing(simulations.scenario(indices[*setup])) {
                return Err(StudyError::File(study.resolved.error(problem)));
            }
        }
    }
    let study = Arc::clone(study);
    let conclude = move |simulations: &Simulations, outcomes: &[Option<Outcomes>]| {
        let as_explained = size == Size::Default && seeds == study.seeds(Size::Default);
        let each = chosen.iter().zip(&simulations.of_setup);
        let complete = each.filter_map(|(planned, indices)| {
            let all: Vec<_> = indices.iter().map(|i| outcomes[*i].as_deref()).collect::<Option<_>>()?;
            let taken = if with_runs { planned.taken(&all) } else { vec![] };
            Some((planned.conclude(&all, as_explained), taken))
        });
        let (experiments, taken): (Vec<Experiment>, Vec<Vec<SimulationRuns>>) = complete.unzip();
        let partial = experiments.len() < chosen.len();
        let nothing = partial && experiments.is_empty();
        // A study with its own sizes describes them itself.
        let usual = study.usual_sizes && study.seeds(size) == size.seeds();
        let description = usual.then(|| size.description().to_owned());
        (!nothing).then(|| {
            let result = StudyResult {
                id: study.id.clone(),
                name: study.name.clone(),
                title: study.title.clone(),
                citation: study.citation.clone(),
                size: size.name().into(),
                seeds,
                version: env!("CARGO_PKG_VERSION").into(),
                hash: study.hash.clone(),
                without_variants,
                partial,
                notes: description.into_iter().chain(study.notes.iter().cloned()).collect(),
                errata: study.errata.clone(),
                headline: study.headline.clone(),
                experiments,
                ..StudyResult::default()
            };
            (result, taken.into_iter().flatten().collect())
        })
    };
    Ok(Work { simulations, conclude: Box::new(conclude) })
}

/// Simulations with their scenarios, by the scenario's hash.
pub type ByHash = HashMap<String, (Setup, Scenario)>;

/// The runs of a study's variants on other backends, which give their failures; and these simulations. `chosen` may leave some out.
///
/// # Errors
/// [`StudyError`], not interrupted.
pub fn measuring(
    study: &Study,
    options: &Options,
    chosen: &dyn Fn(Setup) -> Option<Setup>,
) -> Result<(Work<Vec<String>>, ByHash), StudyError> {
    let (mut known, mut each) = (HashMap::new(), vec![]);
    for planned in choose(study, options)? {
        let own = planned.plan.setups.iter().cycle();
        let real = planned.setups.iter().zip(own).filter(|(setup, own)| setup.backend != own.backend);
        let real = real.map(|(setup, _)| Setup { samples: Samples::None, ..setup.clone() });
        let real: Vec<Setup> = real.filter_map(chosen).collect();
        for setup in &real {
            let scenario = setup.scenario().map_err(|why| StudyError::of(&planned.id, setup, why))?;
            known.entry(scenario.hash.clone()).or_insert_with(|| (setup.clone(), scenario));
        }
        each.push((planned.id, real));
    }
    let setups = each.iter().map(|(id, setups)| (id.as_str(), setups.as_slice()));
    let simulations = Simulations::of(setups, options.seeds(study))?;
    let failures = |_: &Simulations, outcomes: &[Option<Outcomes>]| {
        Some(outcomes.iter().flatten().flatten().filter_map(|run| run.as_ref().err().cloned()).collect())
    };
    Ok((Work { simulations, conclude: Box::new(failures) }, known))
}

/// Adds the position in the study's file, if the error is of its own simulation.
fn with_place(study: &Study, chosen: &[PlannedExperiment], size: Size, error: StudyError) -> StudyError {
    let StudyError::Scenario { command: wrong, .. } = &error else { return error };
    let point = chosen.iter().find_map(|planned| {
        let mut own = planned.plan.setups.iter().zip(&planned.plan.points);
        own.find(|(setup, _)| setup.command(1) == *wrong).map(|(_, point)| *point)
    });
    point.and_then(|point| study.resolved.no_scenario(point, size)).map_or(error, StudyError::File)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file;
    use crate::simulator::run;

    #[test]
    fn on_request_only() {
        let text = "title = \"\"\n[[experiments]]\nids = [\"Z-1\"]\ntitle = \"\"\n\
                    [[experiments]]\nids = [\"Z-2\"]\ntitle = \"\"\non_request = true\n";
        let study = Arc::new(file::embedded("z.toml", text, &[], &[]).unwrap());
        let chosen = |only: Option<&str>| {
            let options = Options { only: only.map(Into::into), ..Options::default() };
            run(&study, &options).experiments.into_iter().map(|e| e.id).collect::<Vec<_>>()
        };
        assert_eq!(chosen(None), ["Z-1"]);
        assert_eq!(chosen(Some("z-2")), ["Z-2"]);
    }
}
