//! A study from its plans to rows and figures.

mod beside;

use crate::campaign::{Outcomes, Progress, Simulations, Work, run_all};
use crate::file::FileError;
use crate::plan::{Definition, Plan, Quantity, Reading, RowPlan, Runs, Study};
use crate::shares::shares;
use crate::verdict::over_readings;
use crate::{
    Column, ColumnName, Estimate, Experiment, Other, Outcome, Published, Row, Rule, Run, Setup, Size,
    StudyResult, Verdict, estimate,
};
use anabranch_record::Summary;
use anabranch_scenario::ScenarioError;
use std::collections::HashSet;
use std::sync::Arc;

/// What to run of a paper.
#[derive(Clone, Default)]
pub struct Options {
    /// How much.
    pub size: Size,
    /// Seeds of long runs, instead of the size's own number.
    pub seeds: Option<u32>,
    /// Only the experiment with this identifier, or with a figure or table of this identifier.
    pub only: Option<String>,
    /// Leaves out the study's columns: nothing is run again under another assumption.
    pub without_columns: bool,
    /// Columns beside the study's own, in its own experiments and in one that is asked for by name.
    pub beside: Vec<&'static Column>,
}

/// Why a paper has no result.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The study has no experiment of that identifier.
    #[error("no experiment `{asked}` in {study}; there are: {known}")]
    NoExperiment {
        /// What was asked for.
        asked: String,
        /// Of which paper.
        study: String,
        /// Those it has.
        known: String,
    },
    /// A scenario of the paper, with what the experiment changes in it, is not a scenario.
    #[error("{experiment}: `{command}` is not a scenario: {}", first(why))]
    Scenario {
        /// Whose it is.
        experiment: String,
        /// How to see it.
        command: String,
        /// What the reader of scenarios says.
        #[source]
        why: Box<ScenarioError>,
    },
    /// The same, of a study file: with the place there.
    #[error(transparent)]
    File(FileError),
    /// `keep_going` said no.
    #[error("interrupted")]
    Interrupted,
}

/// The first problem, which the others often follow from.
pub(crate) fn first(why: &ScenarioError) -> String {
    let first = why.problems().first();
    first.map_or_else(|| why.to_string(), |problem| format!("{problem}, in \"{}\"", problem.text()))
}

/// Runs a study's experiments and judges them: see [`run_all`].
///
/// # Errors
/// [`StudyError`].
pub fn run(
    study: &Arc<Study>,
    options: &Options,
    progress: &(dyn Fn(Progress<'_>) + Sync),
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<StudyResult, StudyError> {
    let mut result = None;
    run_all(&[work(study, options)?], None, progress, keep_going, &mut |finished| result = Some(finished))?;
    result.ok_or(StudyError::Interrupted)
}

/// A paper's experiments, to be run.
///
/// # Errors
/// [`StudyError`], not interrupted.
pub fn work(study: &Arc<Study>, options: &Options) -> Result<Work<StudyResult>, StudyError> {
    Ok(work_with(study, options, |_, _| vec![])?.map(|(result, _)| result))
}

/// The same, and each of its runs.
///
/// # Errors
/// [`StudyError`], not interrupted.
pub fn work_with_runs(
    study: &Arc<Study>,
    options: &Options,
) -> Result<Work<(StudyResult, Vec<Taken>)>, StudyError> {
    work_with(study, options, Planned::taken)
}

/// What a simulation's seeds gave, with the values of its axes.
#[derive(Clone, Debug)]
pub struct Taken {
    /// Whose it is.
    pub experiment: String,
    /// What it is.
    pub title: String,
    /// Each axis and its value.
    pub axes: Vec<(String, String)>,
    /// One for each seed, in their order.
    pub summaries: Vec<Summary>,
}

type Take = fn(&Planned, &[&[Result<Outcome, String>]]) -> Vec<Taken>;

fn work_with(
    study: &Arc<Study>,
    options: &Options,
    take: Take,
) -> Result<Work<(StudyResult, Vec<Taken>)>, StudyError> {
    let seeds = options.seeds.unwrap_or((study.seeds)(options.size)).max(1);
    let (size, without_columns) = (options.size, options.without_columns);
    let chosen = choose(study, options)?;
    let setups = chosen.iter().map(|planned| (planned.id.as_str(), planned.setups.as_slice()));
    let simulations = Simulations::of(setups, seeds).map_err(|error| study.with_place(error, size))?;

    for (planned, indices) in chosen.iter().zip(&simulations.of_setup) {
        for (setup, missing) in &planned.plan.needs {
            if let Some(error) = missing(simulations.scenario(indices[setup.0])) {
                return Err(StudyError::File(error));
            }
        }
    }

    let study = Arc::clone(study);
    let conclude = move |simulations: &Simulations, outcomes: &[Option<Outcomes>]| {
        let as_explained = size == Size::Default && seeds == (study.seeds)(Size::Default);
        let each = chosen.iter().zip(&simulations.of_setup);
        let complete = each.filter_map(|(planned, indices)| {
            let all: Vec<_> = indices.iter().map(|i| outcomes[*i].as_deref()).collect::<Option<_>>()?;
            Some((planned.conclude(&all, as_explained), take(planned, &all)))
        });
        let (experiments, taken): (Vec<Experiment>, Vec<Vec<Taken>>) = complete.unzip();
        let partial = experiments.len() < chosen.len();
        let nothing = partial && experiments.is_empty();
        // A study with sizes of its own says itself what they are.
        let usual = study.usual_sizes && (study.seeds)(size) == size.seeds();
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
                command: None,
                earlier_commands: vec![],
                without_columns,
                partial,
                notes: description.into_iter().chain(study.notes.iter().cloned()).collect(),
                errata: study.errata.clone(),
                headline: study.headline.clone(),
                experiments,
            };
            (result, taken.into_iter().flatten().collect())
        })
    };
    Ok(Work { simulations, conclude: Box::new(conclude) })
}

/// The experiment that was asked for; without a question all but those that run on request.
pub(crate) fn choose(study: &Study, options: &Options) -> Result<Vec<Planned>, StudyError> {
    let only = options.only.as_deref();
    let asked =
        |d: &&Definition| only.is_none_or(|id| d.ids.iter().any(|known| known.eq_ignore_ascii_case(id)));
    let chosen: Vec<_> = study.experiments.iter().filter(asked).collect();
    if let (Some(asked), true) = (only, chosen.is_empty()) {
        let known: Vec<&str> = study.experiments.iter().flat_map(|d| &d.ids).map(String::as_str).collect();
        return Err(StudyError::NoExperiment {
            asked: asked.into(),
            study: study.id.clone(),
            known: known.join(", "),
        });
    }
    let planned = chosen.into_iter().map(|d| (d, d.plan(options.size)));
    let planned = planned.filter(|(_, plan)| only.is_some() || !plan.on_request);
    planned.map(|(definition, plan)| Planned::of(study, definition, plan, options)).collect()
}

/// An experiment with all its simulations.
pub(crate) struct Planned {
    pub id: String,
    title: String,
    notes: Vec<String>,
    plan: Plan,
    /// What changes something in it.
    columns: Vec<Changed>,
    /// The plan's, and then each column's in the same order.
    setups: Vec<Setup>,
    /// What is said of columns that change nothing.
    unchanged: Vec<String>,
    /// Whether another backend was asked for.
    asked_beside: bool,
    /// The identifiers of the columns that were asked for in this experiment.
    asked: Vec<String>,
}

/// A column, and which of the plan's simulations it changes.
struct Changed {
    column: &'static Column,
    setups: Vec<bool>,
    /// What a backend cannot run, and why.
    refused: Vec<String>,
}

impl Planned {
    fn of(study: &Study, definition: &Definition, plan: Plan, options: &Options) -> Result<Self, StudyError> {
        let seeds = options.seeds.unwrap_or((study.seeds)(options.size)).max(1);
        let all = study.columns.iter().chain(&plan.columns).copied();
        let own = all.filter(|_| !options.without_columns);
        // What leaves the paper's own setting is taken to another backend where it is asked for by name.
        let beside = options.beside.iter().filter(|_| !plan.beyond || options.only.is_some());
        let all = beside.map(|column| (*column, true)).chain(own.map(|column| (column, false)));
        let all: Vec<(&'static Column, bool)> = all.collect();
        let mut planned = Planned {
            id: definition.id().to_owned(),
            title: definition.title.clone(),
            notes: definition.notes.clone(),
            setups: plan.setups.clone(),
            plan,
            columns: vec![],
            unchanged: vec![],
            asked_beside: options.beside.iter().any(|column| column.is_of_backend()),
            asked: vec![],
        };
        for (column, asked) in all {
            let of = |setup: &Setup| {
                column.of(setup).map_err(|why| StudyError::Scenario {
                    experiment: definition.id().to_owned(),
                    command: setup.command(1),
                    why: Box::new(why),
                })
            };
            let changed = planned.plan.setups.iter().map(of).collect::<Result<Vec<_>, _>>()?;
            let setups: Vec<bool> = changed.iter().map(Option::is_some).collect();
            let mut refused = vec![];
            if asked {
                planned.asked.push(column.id.into());
            }
            if column.is_of_backend() {
                refused = beside::refused(column, &planned.plan.setups, seeds);
            }
            if !setups.contains(&true) {
                planned.unchanged.push(column.unchanged.into());
                planned.unchanged.extend(refused);
                continue;
            }
            let all = changed.into_iter().zip(&planned.plan.setups);
            planned.setups.extend(all.map(|(changed, same)| changed.unwrap_or_else(|| same.clone())));
            planned.columns.push(Changed { column, setups, refused });
        }
        Ok(planned)
    }

    /// The columns that were asked for, by their identifiers.
    pub(crate) fn asked(&self) -> &[String] {
        &self.asked
    }

    /// The runs of its plan's simulations, each followed by those of the same on other backends. Where others were asked for,
    /// the backend is an axis.
    fn taken(&self, outcomes: &[&[Result<Outcome, String>]]) -> Vec<Taken> {
        let n = self.plan.setups.len();
        let backends = self.columns.iter().enumerate().filter(|(_, changed)| changed.column.is_of_backend());
        let backends: Vec<(usize, &Changed)> = backends.collect();
        let all = (0..n).flat_map(|i| {
            let there = backends.iter().filter(move |(_, changed)| changed.setups[i]);
            std::iter::once((i, i)).chain(there.map(move |(c, _)| (i, n * (c + 1) + i)))
        });
        let taken = all.map(|(i, at)| {
            let backend =
                self.asked_beside.then(|| ("backend".to_owned(), self.setups[at].backend.to_string()));
            Taken {
                experiment: self.id.clone(),
                title: self.setups[at].title.clone(),
                axes: self.plan.labels[i].iter().cloned().chain(backend).collect(),
                summaries: outcomes[at].iter().flatten().map(|run| run.summary.clone()).collect(),
            }
        });
        taken.collect()
    }

    /// From what came of each of its simulations; `as_explained` where the run has the size for which explanations are
    /// written, the default one.
    fn conclude<'a>(&'a self, outcomes: &[&'a [Result<Outcome, String>]], as_explained: bool) -> Experiment {
        let plan = &self.plan;
        let n = plan.setups.len();
        let runs = Runs { of: outcomes[..n].to_vec(), leaves_out_failed: false };
        let of_column = |(c, changed): (usize, &'a Changed)| {
            let of = outcomes[n * (c + 1)..n * (c + 2)].to_vec();
            (changed, Runs { of, leaves_out_failed: changed.column.is_of_backend() })
        };
        let others: Vec<(&Changed, Runs<'_>)> = self.columns.iter().enumerate().map(of_column).collect();
        let run = |i: usize| {
            let setup = &self.setups[i];
            Run {
                title: setup.title.clone(),
                command: setup.command(1),
                scenario: setup.file.name.to_string(),
                text: setup.file.text.to_string(),
                column: (i >= n).then(|| self.columns[i / n - 1].column.id.into()),
                // Theory knows the default's rules.
                shares: if i < n { shares(setup, outcomes[i]) } else { None },
            }
        };
        let (figures, not_drawn) = self.figures(&runs, &others);
        let name = |(changed, runs): &(&Changed, Runs<'_>)| {
            let Column { id, title, meaning, .. } = changed.column;
            let mut name = ColumnName {
                id: (*id).into(),
                title: (*title).into(),
                meaning: (*meaning).into(),
                of_backend: changed.column.is_of_backend(),
                notes: vec![],
                failed: vec![],
            };
            if name.of_backend {
                let not_drawn = not_drawn.iter().filter(|(id, _)| *id == changed.column.id);
                name.notes = beside::kernels(runs);
                name.notes.extend(changed.refused.iter().cloned());
                name.notes.extend(not_drawn.map(|(_, said)| said.clone()));
                name.failed = beside::failed(runs);
            }
            name
        };
        let row = |row: &RowPlan| Row {
            others: others.iter().filter_map(|(changed, runs)| row.under(changed, runs)).collect(),
            ..row.conclude(&runs, as_explained)
        };
        let (fidelity, linux_hosts) = self.fidelity(outcomes);
        Experiment {
            id: self.id.clone(),
            title: self.title.clone(),
            notes: [
                self.notes.clone(),
                plan.conclusions.iter().flat_map(|say| say(&runs)).collect(),
                self.unchanged.clone(),
            ]
            .concat(),
            beyond: plan.beyond,
            columns: others.iter().map(name).collect(),
            asked: self.asked.clone(),
            rows: plan.rows.iter().map(row).collect(),
            figures,
            runs: distinct(&self.setups).map(run).collect(),
            fidelity,
            linux_hosts,
        }
    }
}

/// Indices of setups without repetitions.
fn distinct(setups: &[Setup]) -> impl Iterator<Item = usize> {
    let mut known = HashSet::new();
    (0..setups.len()).filter(move |i| known.insert(setups[*i].command(1)))
}

/// What a row's runs gave, and the verdict.
struct Found {
    measured: Option<Estimate>,
    compared: Vec<(String, Estimate)>,
    verdict: Verdict,
    crosses: Vec<Verdict>,
}

impl Found {
    fn of(reading: &Reading, rule: Rule, runs: &Runs<'_>) -> Result<Self, String> {
        match reading {
            Reading::Formula(value) => {
                let measured = Some(Estimate { mean: *value, half_width: None, values: vec![*value] });
                Ok(Found { measured, verdict: rule.judge_formula(*value), ..Found::nothing() })
            }
            Reading::Measured(quantity) => {
                let ours = measured(quantity, runs)?;
                let (verdict, crosses) = (rule.judge(&ours), rule.crosses(&ours));
                Ok(Found { measured: Some(ours), compared: vec![], verdict, crosses })
            }
            Reading::Compared(quantities) => {
                let named = |(name, q): &(String, Quantity)| Ok((name.clone(), measured(q, runs)?));
                let compared: Vec<(String, Estimate)> =
                    quantities.iter().map(named).collect::<Result<_, String>>()?;
                let all = || compared.iter().map(|(_, ours)| ours);
                let (verdict, crosses) = (rule.judge_all(all()), rule.crosses_all(all()));
                Ok(Found { measured: None, compared, verdict, crosses })
            }
        }
    }

    /// Of a row that failed.
    fn nothing() -> Self {
        Found { measured: None, compared: vec![], verdict: Verdict::Failed, crosses: vec![] }
    }

    fn named(self, name: &str, failure: Option<String>) -> Other {
        let Found { measured, compared, verdict, .. } = self;
        Other { column: name.into(), measured, compared, verdict, failure }
    }

    /// Why a measured value has no interval.
    fn without_interval(&self) -> Option<&'static str> {
        let mut all = self.measured.iter().chain(self.compared.iter().map(|(_, ours)| ours));
        let bare = all.find(|ours| ours.half_width.is_none())?;
        Some(match bare.values.len() {
            1 => "A single run has no interval, so partly is the best verdict.",
            _ if self.measured.is_none() => {
                "Every seed gave one of these values exactly: without an interval partly is the best verdict."
            }
            _ => "Every seed gave exactly this value: without an interval partly is the best verdict.",
        })
    }
}

impl Plan {
    /// Its rows, from what came of each of its simulations.
    pub fn rows(&self, outcomes: &[&Outcomes]) -> Vec<Row> {
        let of = outcomes.iter().map(|outcomes| outcomes.as_slice()).collect();
        let runs = Runs { of, leaves_out_failed: false };
        self.rows.iter().map(|row| row.conclude(&runs, false)).collect()
    }
}

impl RowPlan {
    fn conclude(&self, runs: &Runs<'_>, as_explained: bool) -> Row {
        let (found, readings, failure) = self.found(runs);
        let explanation = failure.or_else(|| self.explanation(&found, as_explained));
        Row {
            id: self.id.clone(),
            what: self.what.clone(),
            unit: self.unit.clone(),
            published: self.published.clone(),
            rule: self.stated_rule(),
            measured: found.measured,
            compared: found.compared,
            verdict: found.verdict,
            crosses: found.crosses,
            readings,
            explanation,
            others: vec![],
        }
    }

    /// The row in a column; `None` where that changes none of its simulations, and where another backend lacks one of them.
    fn under(&self, changed: &Changed, runs: &Runs<'_>) -> Option<Other> {
        let readings = std::iter::once(&self.reading).chain(self.readings.iter().map(|(_, reading)| reading));
        let quantities: Vec<&Quantity> = readings.flat_map(Reading::quantities).collect();
        let mut setups = quantities.iter().flat_map(|q| &q.setups).map(|setup| changed.setups[setup.0]);
        let differs = match changed.column.is_of_backend() {
            true => !quantities.is_empty() && setups.all(|changed| changed),
            false => setups.any(|changed| changed),
        };
        differs.then(|| {
            let (found, _, failure) = self.found(runs);
            found.named(changed.column.id, failure)
        })
    }

    /// What the runs gave, judged over all readings; the others of these; and what went wrong.
    fn found(&self, runs: &Runs<'_>) -> (Found, Vec<Other>, Option<String>) {
        let of = |reading: &Reading| match Found::of(reading, self.rule, runs) {
            Ok(found) => (found, None),
            Err(why) => (Found::nothing(), Some(why)),
        };
        let (mut found, mut failure) = of(&self.reading);
        let mut readings = Vec::new();
        for (name, reading) in &self.readings {
            let (there, why) = of(reading);
            failure = failure.or_else(|| why.as_ref().map(|why| format!("{name}: {why}")));
            readings.push(there.named(name, why));
        }
        let others: Vec<Verdict> = readings.iter().map(|reading| reading.verdict).collect();
        found.verdict = over_readings(found.verdict, &others);
        (found, readings, failure)
    }

    /// Why the row does not reproduce, or is not judged as it could be.
    fn explanation(&self, found: &Found, as_explained: bool) -> Option<String> {
        match found.verdict {
            Verdict::Partly | Verdict::NotReproduced | Verdict::Undetermined => {}
            _ => return None,
        }
        let bare = found.without_interval().filter(|_| found.verdict == Verdict::Partly);
        if let (Some(bare), Reading::Measured(_) | Reading::Compared(_)) = (bare, &self.reading) {
            return Some(bare.into());
        }
        let ours = found.measured.as_ref();
        let (mean, half) =
            (ours.map_or(f64::NAN, |e| e.mean), ours.and_then(|e| e.half_width).unwrap_or(f64::NAN));
        let values = [mean, mean - half, mean + half, self.published.value().unwrap_or(f64::NAN)];
        if let Some((_, text)) = self.explanations.iter().find(|(holds, _)| holds(&values)) {
            return Some(text.clone());
        }
        let because = self.because.as_ref()?;
        Some(if as_explained { because.clone() } else { format!("At the default size: {because}") })
    }

    fn stated_rule(&self) -> String {
        match (&self.published, self.rule) {
            (Published::Nothing, Rule::NotJudged) => self.rule.to_string(),
            (_, Rule::NotJudged) => "not judged: shown for comparison".into(),
            (_, rule) if self.readings.is_empty() => rule.to_string(),
            (_, rule) => format!(
                "{rule}; over {} readings of the text, undetermined where only some refute",
                self.readings.len() + 1
            ),
        }
    }
}

fn measured(quantity: &Quantity, runs: &Runs<'_>) -> Result<Estimate, String> {
    estimate(runs.values(quantity)?).map_err(|error| error.to_string())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Empty plans, of which the second takes long.
    pub(crate) fn empty_study() -> Arc<Study> {
        let definition = |id: &str, on_request: bool| Definition {
            ids: vec![id.into()],
            title: String::new(),
            notes: vec![],
            fields: Default::default(),
            plan: Box::new(move |_| {
                let mut plan = Plan::new();
                if on_request {
                    plan.on_request();
                }
                plan
            }),
        };
        Arc::new(Study {
            id: "Z".into(),
            name: "z".into(),
            title: String::new(),
            citation: String::new(),
            notes: vec![],
            errata: vec![],
            seeds: Box::new(Size::seeds),
            hash: None,
            headline: None,
            usual_sizes: true,
            columns: vec![],
            experiments: vec![definition("Z-1", false), definition("Z-2", true)],
            place: None,
        })
    }

    #[test]
    fn on_request_only() {
        let chosen = |only: Option<&str>| {
            let options = Options { only: only.map(Into::into), ..Options::default() };
            let result = run(&empty_study(), &options, &|_| (), &|| true).unwrap();
            result.experiments.into_iter().map(|e| e.id).collect::<Vec<_>>()
        };
        assert_eq!(chosen(None), ["Z-1"]);
        assert_eq!(chosen(Some("z-2")), ["Z-2"]);
    }
}
