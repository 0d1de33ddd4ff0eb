//! What an experiment runs and what it reads from the runs, written down before anything runs.

use crate::{Figure, Outcome, Published, Rule, Size, scenarios::ScenarioFile};
use anabranch_record::Summary;
use anabranch_scenario::{Overrides, Scenario, ScenarioError, Source};

/// A paper and its experiments.
pub struct Paper {
    /// Its letter: "A".
    pub id: &'static str,
    /// Its name on the command line and in file names.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Authors, venue, year.
    pub citation: &'static str,
    /// What it is about; what was assumed throughout.
    pub notes: &'static [&'static str],
    /// Mistakes and contradictions in its text.
    pub errata: &'static [&'static str],
    /// The seeds of a long run, for each size.
    pub seeds: fn(Size) -> u32,
    /// Its tables and figures in order, and then ours beyond it.
    pub experiments: &'static [Definition],
}

/// A table or figure of a paper, or an experiment beyond it.
pub struct Definition {
    /// Its identifiers, the experiment's own first: a table, and the figures from the same runs.
    pub ids: &'static [&'static str],
    /// What it shows.
    pub title: &'static str,
    /// The set-up, and the choices where the paper is silent.
    pub notes: &'static [&'static str],
    /// Writes it down for a size.
    pub plan: fn(Size) -> Plan,
}

impl Definition {
    /// The experiment's own identifier.
    pub fn id(&self) -> &'static str {
        self.ids[0]
    }
}

/// An experiment written down: simulations, rows with their rules, figures.
#[derive(Default)]
pub struct Plan {
    pub(crate) setups: Vec<Setup>,
    pub(crate) rows: Vec<RowPlan>,
    pub(crate) figures: Vec<DrawFigure>,
    pub(crate) notes: Vec<String>,
    pub(crate) conclusions: Vec<Conclude>,
    pub(crate) on_request: bool,
}

/// A simulation of a [`Plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetupId(pub(crate) usize);

pub(crate) type Conclude = Box<dyn Fn(&Runs<'_>) -> Vec<String> + Send + Sync>;
pub(crate) type DrawFigure = Box<dyn Fn(&Runs<'_>) -> Figure + Send + Sync>;

impl Plan {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a simulation.
    pub fn simulate(&mut self, setup: Setup) -> SetupId {
        self.setups.push(setup);
        SetupId(self.setups.len() - 1)
    }

    /// Adds a row whose value is measured. It is not judged until told how: see [`RowPlan`].
    pub fn row(
        &mut self,
        id: impl Into<String>,
        what: impl Into<String>,
        unit: &'static str,
        quantity: Quantity,
    ) -> &mut RowPlan {
        self.add(id.into(), what.into(), unit, Reading::Measured(quantity))
    }

    /// Adds a row whose value is computed.
    pub fn formula(
        &mut self,
        id: impl Into<String>,
        what: impl Into<String>,
        unit: &'static str,
        value: f64,
    ) -> &mut RowPlan {
        self.add(id.into(), what.into(), unit, Reading::Formula(value))
    }

    /// Adds the paper's claim that these quantities ascend, each with its name.
    pub fn ordering(
        &mut self,
        id: impl Into<String>,
        claim: impl Into<String>,
        unit: &'static str,
        quantities: Vec<(&'static str, Quantity)>,
    ) -> &mut RowPlan {
        self.compared(id.into(), claim.into(), unit, quantities, Rule::Ascending)
    }

    /// Adds the paper's claim that the last of these quantities is the highest.
    pub fn highest(
        &mut self,
        id: impl Into<String>,
        claim: impl Into<String>,
        unit: &'static str,
        quantities: Vec<(&'static str, Quantity)>,
    ) -> &mut RowPlan {
        self.compared(id.into(), claim.into(), unit, quantities, Rule::Highest)
    }

    fn compared(
        &mut self,
        id: String,
        claim: String,
        unit: &'static str,
        quantities: Vec<(&'static str, Quantity)>,
        rule: Rule,
    ) -> &mut RowPlan {
        self.add(id, claim.clone(), unit, Reading::Compared(quantities)).claim(claim, rule)
    }

    /// Adds a figure, drawn from the runs.
    pub fn figure(&mut self, draw: impl Fn(&Runs<'_>) -> Figure + Send + Sync + 'static) {
        self.figures.push(Box::new(draw));
    }

    /// Adds a sentence for the reader.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Adds sentences that follow from the runs.
    pub fn conclude(&mut self, say: impl Fn(&Runs<'_>) -> Vec<String> + Send + Sync + 'static) {
        self.conclusions.push(Box::new(say));
    }

    /// Runs it only where its experiment is asked for by name: it takes long.
    pub fn on_request(&mut self) {
        self.on_request = true;
    }

    /// Its rows' identifiers.
    pub fn row_ids(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| row.id.as_str())
    }

    /// Whether every simulation has a scenario.
    ///
    /// # Errors
    /// What is wrong with the first that has none.
    pub fn check(&self) -> Result<(), ScenarioError> {
        self.setups.iter().try_for_each(|setup| setup.scenario().map(|_| ()))
    }

    fn add(&mut self, id: String, what: String, unit: &'static str, reading: Reading) -> &mut RowPlan {
        let published = Published::Nothing;
        self.rows.push(RowPlan { id, what, unit, reading, published, rule: Rule::NotJudged, because: None });
        self.rows.last_mut().expect("just pushed")
    }
}

/// A scenario with what is changed in it, over several seeds. Equal ones are simulated once per paper.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// What it is.
    pub title: String,
    pub(crate) file: &'static ScenarioFile,
    pub(crate) cc: Option<String>,
    pub(crate) set: Vec<(String, String)>,
    pub(crate) repeats: u32,
    pub(crate) at_most: u32,
    pub(crate) sampled: bool,
}

impl Setup {
    /// The scenario as its file has it.
    pub fn new(title: impl Into<String>, file: &'static ScenarioFile) -> Self {
        Setup {
            title: title.into(),
            file,
            cc: None,
            set: Vec::new(),
            repeats: 1,
            at_most: u32::MAX,
            sampled: false,
        }
    }

    /// The multipath flows' algorithm: `--cc`.
    pub fn cc(mut self, name: &str) -> Self {
        self.cc = Some(name.into());
        self
    }

    /// A key's value: `--set KEY=VALUE`.
    pub fn set(mut self, key: &str, value: impl Into<String>) -> Self {
        self.set.push((key.into(), value.into()));
        self
    }

    /// The length of a run and where its means begin, in seconds.
    pub fn lasting(self, duration_s: f64, warmup_s: f64) -> Self {
        self.set("duration", seconds(duration_s)).set("warmup", seconds(warmup_s))
    }

    /// Independent loss of packets on a link.
    pub fn bernoulli(self, link: &str, rate: f64) -> Self {
        self.set(&format!("links.{link}.loss"), format!("{{ model = \"bernoulli\", rate = {rate:e} }}"))
    }

    /// Loss of every `n`-th packet on a link.
    pub fn every_nth(self, link: &str, n: u64) -> Self {
        self.set(&format!("links.{link}.loss"), format!("{{ model = \"every-nth\", n = {n} }}"))
    }

    /// That many times the seeds of a long run: a run of seconds varies more, and costs less.
    pub fn repeats(mut self, times: u32) -> Self {
        self.repeats = times;
        self
    }

    /// No more than that many seeds, where nothing is judged by a costly run.
    pub fn at_most(mut self, seeds: u32) -> Self {
        self.at_most = seeds;
        self
    }

    /// How many runs it has where a long one has that many.
    pub(crate) fn seeds(&self, seeds: u32) -> u32 {
        (seeds * self.repeats).min(self.at_most)
    }

    /// Keeps samples over time, at the scenario's interval, for figures and for rows about instants.
    pub fn sampled(mut self) -> Self {
        self.sampled = true;
        self
    }

    /// Whether it simulates the same.
    pub(crate) fn is_same(&self, other: &Setup) -> bool {
        self.file == other.file && self.cc == other.cc && self.set == other.set
    }

    /// The scenario that it stands for.
    pub(crate) fn scenario(&self) -> Result<Scenario, ScenarioError> {
        let source = Source { name: self.file.path(), text: self.file.text.into() };
        let mut overrides = Overrides::default();
        for (key, value) in &self.set {
            overrides.set(&format!("{key}={value}"));
        }
        if let Some(cc) = &self.cc {
            overrides.cc(cc);
        }
        anabranch_scenario::load(&source, &overrides)
    }

    /// The command that runs it with that seed.
    pub fn command(&self, seed: u64) -> String {
        let mut command = format!("anabranch run {}", self.file.path());
        if let Some(cc) = &self.cc {
            command += &format!(" --cc {cc}");
        }
        for (key, value) in &self.set {
            command += &format!(" --set '{key}={value}'");
        }
        command + &format!(" --seed {seed}")
    }
}

/// A time as a scenario writes it: milliseconds are enough.
fn seconds(s: f64) -> String {
    format!("{} s", (s * 1e3).round() / 1e3)
}

/// A number that each seed gives.
pub struct Quantity {
    pub(crate) setups: Vec<SetupId>,
    pub(crate) value: ReadValue,
}

type ReadValue = Box<dyn Fn(&[&Outcome]) -> Option<f64> + Send + Sync>;

/// Reads a number from each run of a simulation; `None` fails the row.
pub fn measure(setup: SetupId, value: impl Fn(&Outcome) -> Option<f64> + Send + Sync + 'static) -> Quantity {
    Quantity { setups: vec![setup], value: Box::new(move |o| value(o[0])) }
}

/// Reads a number from two simulations' runs of the same seed.
pub fn compare(
    a: SetupId,
    b: SetupId,
    value: impl Fn(&Outcome, &Outcome) -> Option<f64> + Send + Sync + 'static,
) -> Quantity {
    Quantity { setups: vec![a, b], value: Box::new(move |o| value(o[0], o[1])) }
}

pub(crate) enum Reading {
    Formula(f64),
    Measured(Quantity),
    Compared(Vec<(&'static str, Quantity)>),
}

/// A row before the run.
pub struct RowPlan {
    pub(crate) id: String,
    pub(crate) what: String,
    pub(crate) unit: &'static str,
    pub(crate) reading: Reading,
    pub(crate) published: Published,
    pub(crate) rule: Rule,
    pub(crate) because: Option<String>,
}

impl RowPlan {
    /// The published value, judged by the default rule.
    pub fn published(&mut self, value: f64) -> &mut Self {
        self.published = Published::Value(value);
        self.rule = Rule::Published(value);
        self
    }

    /// A value that follows from published ones (`from` says how), judged by the default rule.
    pub fn derived(&mut self, value: f64, from: impl Into<String>) -> &mut Self {
        self.rule = Rule::Published(value);
        self.beside(value, from)
    }

    /// A value that follows from published ones (`from` says how), shown beside ours without a judgement.
    pub fn beside(&mut self, value: f64, from: impl Into<String>) -> &mut Self {
        self.published = Published::Derived { value, from: from.into() };
        self
    }

    /// A printed value that a formula must give.
    pub fn printed(&mut self, value: f64) -> &mut Self {
        self.published = Published::Value(value);
        self.rule = Rule::Printed(value);
        self
    }

    /// A published statement and the rule for it.
    pub fn claim(&mut self, text: impl Into<String>, rule: Rule) -> &mut Self {
        self.published = Published::Claim(text.into());
        self.rule = rule;
        self
    }

    /// Why it differs; shown unless the row reproduces.
    pub fn because(&mut self, text: impl Into<String>) -> &mut Self {
        self.because = Some(text.into());
        self
    }
}

/// What came of a plan's simulations.
pub struct Runs<'a> {
    pub(crate) of: Vec<&'a [Result<Outcome, String>]>,
}

impl Runs<'_> {
    /// The first seed's run; `None` where it failed.
    pub fn first(&self, setup: SetupId) -> Option<&Outcome> {
        self.of[setup.0].first()?.as_ref().ok()
    }

    /// Each seed's run; `None` where one failed.
    pub(crate) fn all(&self, setup: SetupId) -> Option<Vec<&Outcome>> {
        self.of[setup.0].iter().map(|run| run.as_ref().ok()).collect()
    }

    /// What each seed gives.
    ///
    /// # Errors
    /// What went wrong: a run failed or has no such value, or the seeds did not vary the runs at all.
    pub fn values(&self, quantity: &Quantity) -> Result<Vec<f64>, String> {
        let seeds = quantity.setups.iter().map(|s| self.of[s.0].len()).min().unwrap_or(0);
        let value = |i: usize| {
            let outcomes: Result<Vec<&Outcome>, String> =
                quantity.setups.iter().map(|s| self.of[s.0][i].as_ref().map_err(Clone::clone)).collect();
            (quantity.value)(&outcomes?).ok_or_else(|| "a run did not have this value".to_owned())
        };
        let values: Vec<f64> = (0..seeds).map(value).collect::<Result<_, _>>()?;
        match quantity.setups.iter().any(|s| identical(self.of[s.0])) {
            true => Err("the seeds did not vary the runs: an interval of zero width".into()),
            false => Ok(values),
        }
    }
}

/// Whether several runs are the same, but for their seed.
fn identical(runs: &[Result<Outcome, String>]) -> bool {
    let summary =
        |run: &Result<Outcome, String>| run.as_ref().ok().map(|o| Summary { seed: 0, ..o.summary.clone() });
    let first = runs.first().map(summary);
    runs.len() > 1 && runs[1..].iter().all(|run| Some(summary(run)) == first)
}
