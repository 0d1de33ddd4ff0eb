//! The plan of an experiment: its runs, and the quantities that it reads from them.

use crate::file::FileError;
use crate::setup::Samples;
use crate::{Column, Figure, Headline, Outcome, Published, Rule, Setup, Size, StudyError};
use anabranch_record::Summary;
use anabranch_scenario::{Scenario, ScenarioError};
use std::collections::BTreeMap;

/// A paper, or a study of one's own: its experiments.
pub struct Study {
    /// Its letter or short name: "A".
    pub id: String,
    /// Its name on the command line and in file names.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Authors, venue, year.
    pub citation: String,
    /// What it is about; what was assumed throughout.
    pub notes: Vec<String>,
    /// Mistakes and contradictions in the text that it is about.
    pub errata: Vec<String>,
    /// What it claims above all.
    pub headline: Option<Headline>,
    /// The seeds of a long run, for each size.
    pub seeds: Box<dyn Fn(Size) -> u32 + Send + Sync>,
    /// The hash of its file and scenarios, where it is read from files.
    pub hash: Option<String>,
    /// Whether its sizes are what [`Size::description`] says.
    pub usual_sizes: bool,
    /// What stands beside the default in each of its experiments that it changes.
    pub columns: Vec<&'static Column>,
    /// Its tables and figures in order, and then those beyond it.
    pub experiments: Vec<Definition>,
    /// Why a simulation, by the command that runs it, is no scenario in that size, with its place in the study's file.
    pub place: Option<PlaceOf>,
}

type PlaceOf = Box<dyn Fn(&str, Size) -> Option<FileError> + Send + Sync>;

impl Study {
    /// The error with its place in the study's file, if it has one.
    pub(crate) fn with_place(&self, error: StudyError, size: Size) -> StudyError {
        let place = match (&error, &self.place) {
            (StudyError::Scenario { command, .. }, Some(place)) => place(command, size),
            _ => None,
        };
        place.map_or(error, StudyError::File)
    }
}

/// A table or figure of a paper, or an experiment beyond it.
pub struct Definition {
    /// Its identifiers, the experiment's own first: a table, and the figures from the same runs.
    pub ids: Vec<String>,
    /// Its title.
    pub title: String,
    /// The set-up, and the choices where the paper is silent.
    pub notes: Vec<String>,
    /// What the values of axes that its identifier names have beside their identifiers: "case.group" with its text.
    pub fields: BTreeMap<String, String>,
    /// Writes it down for a size.
    pub plan: Box<dyn Fn(Size) -> Plan + Send + Sync>,
}

impl Definition {
    /// The experiment's own identifier.
    pub fn id(&self) -> &str {
        &self.ids[0]
    }

    /// It, written down for that size.
    pub fn plan(&self, size: Size) -> Plan {
        (self.plan)(size)
    }
}

/// An experiment written down: simulations, rows with their rules, figures.
#[derive(Default)]
pub struct Plan {
    pub(crate) setups: Vec<Setup>,
    /// The values of each setup's axes, where it has axes.
    pub(crate) labels: Vec<Vec<(String, String)>>,
    pub(crate) rows: Vec<RowPlan>,
    pub(crate) figures: Vec<DrawFigure>,
    pub(crate) conclusions: Vec<Conclude>,
    pub(crate) columns: Vec<&'static Column>,
    pub(crate) beyond: bool,
    pub(crate) on_request: bool,
    /// What runs of a simulation must be able to have.
    pub(crate) needs: Vec<(SetupId, Missing)>,
}

/// A simulation of a [`Plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SetupId(pub(crate) usize);

/// Why runs of a scenario never have a value, with its place; none where they may.
pub(crate) type Missing = Box<dyn Fn(&Scenario) -> Option<FileError> + Send + Sync>;
pub(crate) type Conclude = Box<dyn Fn(&Runs<'_>) -> Vec<String> + Send + Sync>;
pub(crate) type DrawFigure = Box<dyn Fn(&Runs<'_>) -> Figure + Send + Sync>;

impl Plan {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a simulation with the values of its axes.
    pub(crate) fn simulate_at(&mut self, setup: Setup, labels: Vec<(String, String)>) -> SetupId {
        self.setups.push(setup);
        self.labels.push(labels);
        SetupId(self.setups.len() - 1)
    }

    /// Keeps samples over time of a simulation's runs.
    pub(crate) fn sample(&mut self, setup: SetupId, samples: Samples) {
        let kept = &mut self.setups[setup.0].samples;
        *kept = samples.max(*kept);
    }

    /// Adds a row whose value is measured. It is not judged until told how: see [`RowPlan`].
    pub(crate) fn row(
        &mut self,
        id: impl Into<String>,
        what: impl Into<String>,
        unit: impl Into<String>,
        quantity: Quantity,
    ) -> &mut RowPlan {
        self.add(id.into(), what.into(), unit.into(), Reading::Measured(quantity))
    }

    /// Adds a row whose value is computed.
    pub(crate) fn formula(
        &mut self,
        id: impl Into<String>,
        what: impl Into<String>,
        unit: impl Into<String>,
        value: f64,
    ) -> &mut RowPlan {
        self.add(id.into(), what.into(), unit.into(), Reading::Formula(value))
    }

    /// Adds the paper's claim that these quantities ascend, each with its name.
    pub(crate) fn ordering(
        &mut self,
        id: impl Into<String>,
        claim: impl Into<String>,
        unit: impl Into<String>,
        quantities: Vec<(impl Into<String>, Quantity)>,
    ) -> &mut RowPlan {
        self.compared(id.into(), claim.into(), unit.into(), quantities, Rule::Ascending)
    }

    /// Adds the paper's claim that the last of these quantities is the highest.
    pub(crate) fn highest(
        &mut self,
        id: impl Into<String>,
        claim: impl Into<String>,
        unit: impl Into<String>,
        quantities: Vec<(impl Into<String>, Quantity)>,
    ) -> &mut RowPlan {
        self.compared(id.into(), claim.into(), unit.into(), quantities, Rule::Highest)
    }

    fn compared(
        &mut self,
        id: String,
        claim: String,
        unit: String,
        quantities: Vec<(impl Into<String>, Quantity)>,
        rule: Rule,
    ) -> &mut RowPlan {
        let quantities = quantities.into_iter().map(|(name, quantity)| (name.into(), quantity)).collect();
        self.add(id, claim.clone(), unit, Reading::Compared(quantities)).claim(claim, rule)
    }

    /// Adds a figure, drawn from the runs.
    pub(crate) fn figure(&mut self, draw: impl Fn(&Runs<'_>) -> Figure + Send + Sync + 'static) {
        self.figures.push(Box::new(draw));
    }

    /// Adds sentences that follow from the runs.
    pub(crate) fn conclude(&mut self, say: impl Fn(&Runs<'_>) -> Vec<String> + Send + Sync + 'static) {
        self.conclusions.push(Box::new(say));
    }

    /// Runs it again for these columns, beside the paper's.
    pub(crate) fn columns(&mut self, columns: &[&'static Column]) {
        self.columns.extend(columns);
    }

    /// It leaves the paper's own setting: nothing that it judges counts as the paper's.
    pub(crate) fn beyond(&mut self) {
        self.beyond = true;
    }

    /// Runs it only where its experiment is asked for by name: it takes long.
    pub(crate) fn on_request(&mut self) {
        self.on_request = true;
    }

    /// Runs of the simulation must be able to have a value; else that is a mistake of the study's file.
    pub(crate) fn need(
        &mut self,
        setup: SetupId,
        missing: impl Fn(&Scenario) -> Option<FileError> + Send + Sync + 'static,
    ) {
        self.needs.push((setup, Box::new(missing)));
    }

    /// Its rows' identifiers.
    pub fn row_ids(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| row.id.as_str())
    }

    /// The unit of the row with that identifier.
    pub fn unit_of(&self, row: &str) -> Option<&str> {
        self.rows.iter().find(|known| known.id == row).map(|row| row.unit.as_str())
    }

    /// Its simulations.
    pub fn setups(&self) -> &[Setup] {
        &self.setups
    }

    /// True where it leaves the paper's own setting.
    pub fn is_beyond(&self) -> bool {
        self.beyond
    }

    /// True where it is run only by its name.
    pub fn is_on_request(&self) -> bool {
        self.on_request
    }

    /// Whether every simulation has a scenario.
    ///
    /// # Errors
    /// What is wrong with the first that has none.
    pub fn check(&self) -> Result<(), ScenarioError> {
        self.setups.iter().try_for_each(|setup| setup.scenario().map(|_| ()))
    }

    fn add(&mut self, id: String, what: String, unit: String, reading: Reading) -> &mut RowPlan {
        let published = Published::Nothing;
        self.rows.push(RowPlan {
            id,
            what,
            unit,
            reading,
            published,
            rule: Rule::NotJudged,
            because: None,
            explanations: vec![],
            readings: vec![],
        });
        self.rows.last_mut().expect("just pushed")
    }
}

/// A number that each seed gives, or all of them together.
pub(crate) struct Quantity {
    pub(crate) setups: Vec<SetupId>,
    pub(crate) value: ReadValue,
    pub(crate) pooled: bool,
}

impl Quantity {
    /// Of all seeds together, if so: of their means, and then without an interval.
    pub(crate) fn pooled(self, pooled: bool) -> Quantity {
        Quantity { pooled, ..self }
    }
}

/// From runs of each simulation: one of a seed, or those of all seeds.
type ReadValue = Box<dyn Fn(&[&[&Outcome]]) -> Result<f64, String> + Send + Sync>;

pub(crate) enum Reading {
    Formula(f64),
    Measured(Quantity),
    Compared(Vec<(String, Quantity)>),
}

impl Reading {
    /// What it takes from runs.
    pub(crate) fn quantities(&self) -> Vec<&Quantity> {
        match self {
            Reading::Formula(_) => vec![],
            Reading::Measured(quantity) => vec![quantity],
            Reading::Compared(quantities) => quantities.iter().map(|(_, quantity)| quantity).collect(),
        }
    }
}

/// A row before the run.
pub(crate) struct RowPlan {
    pub(crate) id: String,
    pub(crate) what: String,
    pub(crate) unit: String,
    pub(crate) reading: Reading,
    pub(crate) published: Published,
    pub(crate) rule: Rule,
    pub(crate) because: Option<String>,
    pub(crate) explanations: Vec<(Holds, String)>,
    /// Other readings of the text, by name.
    pub(crate) readings: Vec<(String, Reading)>,
}

/// Whether an explanation holds of the mean, the two ends of its interval, and the published value; what there is not is NaN.
pub(crate) type Holds = Box<dyn Fn(&[f64; 4]) -> bool + Send + Sync>;

impl RowPlan {
    /// The published value, judged by the default rule.
    pub(crate) fn published(&mut self, value: f64) -> &mut Self {
        self.published = Published::Value(value);
        self.rule = Rule::Published(value);
        self
    }

    /// A value that follows from published ones (`from` says how), judged by the default rule.
    pub(crate) fn derived(&mut self, value: f64, from: impl Into<String>) -> &mut Self {
        self.rule = Rule::Published(value);
        self.beside(value, from)
    }

    /// A value that follows from published ones (`from` says how), shown beside ours without a judgement.
    pub(crate) fn beside(&mut self, value: f64, from: impl Into<String>) -> &mut Self {
        self.published = Published::Derived { value, from: from.into() };
        self
    }

    /// A published statement and the rule for it.
    pub(crate) fn claim(&mut self, text: impl Into<String>, rule: Rule) -> &mut Self {
        self.published = Published::Claim(text.into());
        self.rule = rule;
        self
    }

    /// Another rule than the usual one for what is published.
    pub(crate) fn judged_by(&mut self, rule: Rule) -> &mut Self {
        self.rule = rule;
        self
    }

    /// Why it differs where that holds of the mean, the ends of its interval and the published value.
    pub(crate) fn because_when(
        &mut self,
        holds: impl Fn(&[f64; 4]) -> bool + Send + Sync + 'static,
        text: impl Into<String>,
    ) -> &mut Self {
        self.explanations.push((Box::new(holds), text.into()));
        self
    }

    /// Other readings that the text allows, each by its name: the row is judged over all.
    pub(crate) fn over(&mut self, readings: Vec<(String, Reading)>) -> &mut Self {
        self.readings = readings;
        self
    }

    /// Why it differs; shown unless the row reproduces.
    pub(crate) fn because(&mut self, text: impl Into<String>) -> &mut Self {
        self.because = Some(text.into());
        self
    }
}

/// What came of a plan's simulations.
pub(crate) struct Runs<'a> {
    pub(crate) of: Vec<&'a [Result<Outcome, String>]>,
    /// Whether a seed that failed is left out. Otherwise it takes its rows with it: a failure of the simulator is a defect, while a
    /// run in real time may fail because of what else the machine does.
    pub(crate) leaves_out_failed: bool,
}

impl Runs<'_> {
    /// The first seed's run; `None` where it failed.
    pub(crate) fn first(&self, setup: SetupId) -> Option<&Outcome> {
        self.of[setup.0].first()?.as_ref().ok()
    }

    /// The first of so many seeds, as far as their runs are taken. Where none is left all are: their failure is told.
    fn taken(&self, setups: &[SetupId], seeds: usize) -> Vec<usize> {
        let whole = |seed: &usize| setups.iter().all(|s| self.of[s.0][*seed].is_ok());
        let taken: Vec<usize> = (0..seeds).filter(|seed| !self.leaves_out_failed || whole(seed)).collect();
        if taken.is_empty() { (0..seeds).collect() } else { taken }
    }

    /// What each seed gives, or all of them together where the quantity is pooled.
    ///
    /// # Errors
    /// What went wrong: a run failed or has no such value, or the seeds did not vary the runs at all.
    pub(crate) fn values(&self, quantity: &Quantity) -> Result<Vec<f64>, String> {
        let seeds = quantity.setups.iter().map(|s| self.of[s.0].len()).min().unwrap_or(0);
        let value = |seeds: &dyn Fn(SetupId) -> Vec<usize>| {
            let runs = quantity.setups.iter().map(|s| {
                let runs = seeds(*s).into_iter().map(|seed| self.of[s.0][seed].as_ref());
                runs.collect::<Result<Vec<&Outcome>, _>>().map_err(String::clone)
            });
            let runs = runs.collect::<Result<Vec<_>, _>>()?;
            (quantity.value)(&runs.iter().map(Vec::as_slice).collect::<Vec<_>>())
        };
        let values: Vec<f64> = match quantity.pooled {
            true => vec![value(&|s| self.taken(&[s], self.of[s.0].len()))?],
            false => {
                let seeds = self.taken(&quantity.setups, seeds).into_iter();
                seeds.map(|seed| value(&|_| vec![seed])).collect::<Result<_, _>>()?
            }
        };
        match quantity.setups.iter().any(|s| identical(self.of[s.0])) {
            true => Err("the seeds did not vary the runs: an interval of zero width".into()),
            false => Ok(values),
        }
    }
}

/// Whether several runs are the same, but for their seed.
fn identical(runs: &[Result<Outcome, String>]) -> bool {
    let mut summaries = runs.iter().flatten().map(|run| Summary { seed: 0, ..run.summary.clone() });
    let first = summaries.next();
    let mut others = summaries.peekable();
    others.peek().is_some() && others.all(|other| Some(other) == first)
}
