//! Runs a paper: every simulation of its plans in parallel, then rows and figures from the outcomes.

use crate::plan::{Definition, Paper, Plan, Quantity, Reading, RowPlan, Runs, Setup};
use crate::shares::shares;
use crate::{Estimate, Experiment, Outcome, PaperResult, Published, Row, Rule, Run, Size, Verdict, estimate};
use anabranch_net::Time;
use anabranch_record::{MemorySink, NoSamples, Sink};
use anabranch_scenario::{Scenario, ScenarioError};
use anabranch_sim::SimError;
use rayon::iter::{ParallelBridge, ParallelIterator};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What to run of a paper.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How much.
    pub size: Size,
    /// Seeds of long runs, instead of the size's own number.
    pub seeds: Option<u32>,
    /// Only the experiment with this identifier, or with a figure or table of this identifier.
    pub only: Option<String>,
}

/// Where a run of a paper is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Simulations that have ended.
    pub done: usize,
    /// All of them.
    pub total: usize,
    /// What the one that began or ended last belongs to: an experiment's identifier, or a standard case's.
    pub experiment: &'static str,
    /// What it is.
    pub label: &'a str,
}

/// Why a paper has no result.
#[derive(Debug, thiserror::Error)]
pub enum PaperError {
    /// The paper has no experiment of that identifier.
    #[error("no experiment `{asked}` in {paper}; there are: {known}")]
    NoExperiment {
        /// What was asked for.
        asked: String,
        /// Of which paper.
        paper: &'static str,
        /// Those it has.
        known: String,
    },
    /// A scenario of the paper, with what the experiment changes in it, is not a scenario.
    #[error("{experiment}: `{command}` is not a scenario: {why}")]
    Scenario {
        /// Whose it is.
        experiment: &'static str,
        /// How to see it.
        command: String,
        /// What the reader of scenarios says.
        #[source]
        why: Box<ScenarioError>,
    },
    /// `keep_going` said no.
    #[error("interrupted")]
    Interrupted,
}

/// Runs a paper's experiments and judges them.
///
/// The result does not depend on the number of threads. A simulation that fails makes its rows
/// [`Verdict::Failed`]; the others are judged all the same. `progress` is called from several threads.
///
/// # Errors
/// [`PaperError`].
pub fn run(
    paper: &Paper,
    options: &Options,
    progress: &(dyn Fn(Progress<'_>) + Sync),
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<PaperResult, PaperError> {
    let seeds = options.seeds.unwrap_or((paper.seeds)(options.size)).max(1);
    let chosen = choose(paper, options)?;
    let setups = chosen.iter().map(|(definition, plan)| (definition.id(), plan.setups.as_slice()));
    let simulations = Simulations::of(setups, seeds)?;
    let outcomes = simulations.run(progress, keep_going)?;

    let as_explained = options.size == Size::Default && seeds == (paper.seeds)(Size::Default);
    let experiments = chosen.iter().zip(&simulations.of_setup).map(|((definition, plan), indices)| {
        let runs = Runs { of: indices.iter().map(|i| outcomes[*i].as_slice()).collect() };
        conclude(definition, plan, &runs, as_explained)
    });
    // A paper with seeds of its own says itself what a size is.
    let usual = (paper.seeds)(options.size) == options.size.seeds();
    let description = usual.then(|| options.size.description().to_owned());
    Ok(PaperResult {
        id: paper.id.into(),
        name: paper.name.into(),
        title: paper.title.into(),
        citation: paper.citation.into(),
        size: options.size.name().into(),
        seeds,
        version: env!("CARGO_PKG_VERSION").into(),
        notes: description.into_iter().chain(owned(paper.notes)).collect(),
        errata: owned(paper.errata),
        experiments: experiments.collect(),
    })
}

/// The experiment that was asked for; without a question all but those that run on request.
fn choose(paper: &Paper, options: &Options) -> Result<Vec<(&'static Definition, Plan)>, PaperError> {
    let only = options.only.as_deref();
    let asked =
        |d: &&Definition| only.is_none_or(|id| d.ids.iter().any(|known| known.eq_ignore_ascii_case(id)));
    let chosen: Vec<_> = paper.experiments.iter().filter(asked).collect();
    if let (Some(asked), true) = (only, chosen.is_empty()) {
        let known: Vec<&str> = paper.experiments.iter().flat_map(|d| d.ids).copied().collect();
        return Err(PaperError::NoExperiment {
            asked: asked.into(),
            paper: paper.id,
            known: known.join(", "),
        });
    }
    let planned = chosen.into_iter().map(|d| (d, (d.plan)(options.size)));
    Ok(planned.filter(|(_, plan)| only.is_some() || !plan.on_request).collect())
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|t| (*t).to_owned()).collect()
}

/// Every simulation of several experiments, equal ones once.
pub(crate) struct Simulations {
    each: Vec<Simulation>,
    /// For each experiment and each of its setups the simulation.
    pub(crate) of_setup: Vec<Vec<usize>>,
}

struct Simulation {
    /// The first experiment that asks for it.
    experiment: &'static str,
    title: String,
    scenario: Scenario,
    sampled: bool,
    seeds: u32,
}

/// What the seeds of one simulation gave.
pub(crate) type Outcomes = Vec<Result<Outcome, String>>;

impl Simulations {
    /// Of experiments' setups, each with the experiment's identifier.
    pub(crate) fn of<'a>(
        experiments: impl IntoIterator<Item = (&'static str, &'a [Setup])>,
        seeds: u32,
    ) -> Result<Self, PaperError> {
        let mut each: Vec<Simulation> = Vec::new();
        let mut of_setup = Vec::new();
        for (experiment, setups) in experiments {
            let mut indices = Vec::new();
            for setup in setups {
                let scenario = setup.scenario().map_err(|why| PaperError::Scenario {
                    experiment,
                    command: setup.command(1),
                    why: Box::new(why),
                })?;
                let known = each.iter().position(|s| s.scenario.hash == scenario.hash);
                let i = known.unwrap_or_else(|| {
                    let title = setup.title.clone();
                    each.push(Simulation { experiment, title, scenario, sampled: false, seeds: 0 });
                    each.len() - 1
                });
                each[i].sampled |= setup.sampled;
                each[i].seeds = each[i].seeds.max(setup.seeds(seeds));
                indices.push(i);
            }
            of_setup.push(indices);
        }
        Ok(Simulations { each, of_setup })
    }

    pub(crate) fn run(
        &self,
        progress: &(dyn Fn(Progress<'_>) + Sync),
        keep_going: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Outcomes>, PaperError> {
        let mut jobs: Vec<(usize, u32)> = self
            .each
            .iter()
            .enumerate()
            .flat_map(|(i, s)| (1..=s.seeds).map(move |seed| (i, seed)))
            .collect();
        let total = jobs.len();
        // Long ones first, so that no core waits for another at the end.
        jobs.sort_by_key(|(i, _)| std::cmp::Reverse(self.each[*i].scenario.duration));

        let done = AtomicUsize::new(0);
        let run = |(i, seed): (usize, u32)| {
            let simulation = &self.each[i];
            let (experiment, label) = (simulation.experiment, simulation.title.as_str());
            let report = |done| progress(Progress { done, total, experiment, label });
            report(done.load(Ordering::Relaxed));
            let outcome = simulation.run(seed.into(), keep_going);
            report(done.fetch_add(1, Ordering::Relaxed) + 1);
            ((i, seed), outcome)
        };
        let mut finished: Vec<_> = jobs.into_iter().par_bridge().map(run).collect();
        finished.sort_by_key(|(job, _)| *job);

        let mut outcomes: Vec<Outcomes> = self.each.iter().map(|_| Outcomes::new()).collect();
        for ((i, seed), outcome) in finished {
            match outcome {
                Err(SimError::Interrupted { .. }) => return Err(PaperError::Interrupted),
                Err(error) => outcomes[i].push(Err(format!("{}, seed {seed}: {error}", self.each[i].title))),
                Ok(outcome) => outcomes[i].push(Ok(outcome)),
            }
        }
        Ok(outcomes)
    }
}

impl Simulation {
    fn run(&self, seed: u64, keep_going: &(dyn Fn() -> bool + Sync)) -> Result<Outcome, SimError> {
        // A short run may end before it asks.
        if !keep_going() {
            return Err(SimError::Interrupted { at: Time::ZERO, partial: None });
        }
        let mut samples = MemorySink::new();
        let sink: &mut dyn Sink = if self.sampled { &mut samples } else { &mut NoSamples };
        let summary = anabranch_sim::run(&self.scenario, seed, sink, &mut |_| keep_going())?;
        Ok(Outcome { summary, samples })
    }
}

/// `as_explained` where the run has the size for which explanations are written, the default one.
fn conclude(definition: &Definition, plan: &Plan, runs: &Runs<'_>, as_explained: bool) -> Experiment {
    let run = |i: usize| {
        let setup = &plan.setups[i];
        Run {
            title: setup.title.clone(),
            command: setup.command(1),
            scenario: setup.file.name.into(),
            text: setup.file.text.into(),
            shares: shares(setup, runs.of[i]),
        }
    };
    Experiment {
        id: definition.id().into(),
        title: definition.title.into(),
        notes: [
            owned(definition.notes),
            plan.notes.clone(),
            plan.conclusions.iter().flat_map(|say| say(runs)).collect(),
        ]
        .concat(),
        rows: plan.rows.iter().map(|row| row.conclude(runs, as_explained)).collect(),
        figures: plan.figures.iter().map(|draw| draw(runs)).collect(),
        runs: distinct(&plan.setups).map(run).collect(),
    }
}

/// Indices of setups without repetitions.
fn distinct(setups: &[Setup]) -> impl Iterator<Item = usize> {
    (0..setups.len()).filter(|i| !setups[..*i].iter().any(|t| t.is_same(&setups[*i])))
}

/// What a row's runs gave, and the verdict.
struct Found {
    measured: Option<Estimate>,
    compared: Vec<(String, Estimate)>,
    verdict: Verdict,
}

impl Found {
    fn of(reading: &Reading, rule: Rule, runs: &Runs<'_>) -> Result<Self, String> {
        match reading {
            Reading::Formula(value) => {
                let measured = Some(Estimate { mean: *value, half_width: None, values: vec![*value] });
                Ok(Found { measured, compared: vec![], verdict: rule.judge_formula(*value) })
            }
            Reading::Measured(quantity) => {
                let ours = measured(quantity, runs)?;
                Ok(Found { verdict: rule.judge(&ours), measured: Some(ours), compared: vec![] })
            }
            Reading::Compared(quantities) => {
                let named = |(name, q): &(&str, Quantity)| Ok(((*name).to_owned(), measured(q, runs)?));
                let compared: Vec<(String, Estimate)> =
                    quantities.iter().map(named).collect::<Result<_, String>>()?;
                let verdict = rule.judge_all(compared.iter().map(|(_, ours)| ours));
                Ok(Found { measured: None, compared, verdict })
            }
        }
    }

    /// Why a measured value has no interval.
    fn without_interval(&self) -> Option<&'static str> {
        let mut all = self.measured.iter().chain(self.compared.iter().map(|(_, ours)| ours));
        let bare = all.find(|ours| ours.half_width.is_none())?;
        Some(match bare.values.len() {
            1 => "A single run has no interval, so partly is the best verdict.",
            _ => "Every seed gave exactly this value: without an interval partly is the best verdict.",
        })
    }
}

impl RowPlan {
    fn conclude(&self, runs: &Runs<'_>, as_explained: bool) -> Row {
        let (found, failure) = match Found::of(&self.reading, self.rule, runs) {
            Ok(found) => (found, None),
            Err(why) => (Found { measured: None, compared: vec![], verdict: Verdict::Failed }, Some(why)),
        };
        let explanation = failure.or_else(|| self.explanation(&found, as_explained));
        Row {
            id: self.id.clone(),
            what: self.what.clone(),
            unit: self.unit.into(),
            published: self.published.clone(),
            rule: self.stated_rule(),
            measured: found.measured,
            compared: found.compared,
            verdict: found.verdict,
            explanation,
        }
    }

    /// Why the row does not reproduce, or is not judged as it could be.
    fn explanation(&self, found: &Found, as_explained: bool) -> Option<String> {
        match found.verdict {
            Verdict::Partly | Verdict::NotReproduced => {}
            _ => return None,
        }
        let bare = found.without_interval().filter(|_| found.verdict == Verdict::Partly);
        if let (Some(bare), Reading::Measured(_) | Reading::Compared(_)) = (bare, &self.reading) {
            return Some(bare.into());
        }
        let because = self.because.as_ref()?;
        Some(if as_explained { because.clone() } else { format!("At the default size: {because}") })
    }

    fn stated_rule(&self) -> String {
        match (&self.published, self.rule) {
            (Published::Nothing, Rule::NotJudged) => self.rule.to_string(),
            (_, Rule::NotJudged) => "not judged: shown for comparison".into(),
            (_, rule) => rule.to_string(),
        }
    }
}

fn measured(quantity: &Quantity, runs: &Runs<'_>) -> Result<Estimate, String> {
    estimate(runs.values(quantity)?).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn definition(ids: &'static [&'static str], plan: fn(Size) -> Plan) -> Definition {
        Definition { ids, title: "", notes: &[], plan }
    }

    /// Empty plans, of which the second takes long.
    static PAPER: Paper = Paper {
        id: "Z",
        name: "z",
        title: "",
        citation: "",
        notes: &[],
        errata: &[],
        seeds: Size::seeds,
        experiments: &[
            definition(&["Z-1"], |_| Plan::new()),
            definition(&["Z-2"], |_| {
                let mut plan = Plan::new();
                plan.on_request();
                plan
            }),
        ],
    };

    #[test]
    fn on_request_only() {
        let chosen = |only: Option<&str>| {
            let options = Options { only: only.map(Into::into), ..Options::default() };
            let result = run(&PAPER, &options, &|_| (), &|| true).unwrap();
            result.experiments.into_iter().map(|e| e.id).collect::<Vec<_>>()
        };
        assert_eq!(chosen(None), ["Z-1"]);
        assert_eq!(chosen(Some("z-2")), ["Z-2"]);
    }
}
