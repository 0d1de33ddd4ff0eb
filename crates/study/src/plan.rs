//! What to run and what to read from the runs, before anything runs: of each experiment and size a [`Plan`].

mod curves;
pub(crate) mod definitions;
pub(crate) mod experiments;
mod figures;
mod findings;
mod planner;
mod rows;
mod time;
mod trace;
pub mod variant;

use crate::parse::spec::{self, Kind};
use crate::resolve::code::Code;
use crate::resolve::compile::Need;
use crate::resolve::resolved::Resolved;
use crate::resolve::selection::Values;
use crate::result::{Axis, Headline, Point, Published};
use crate::setup::Setup;
use crate::size::Size;
use crate::verdict::Rule;
use anabranch_scenario::ScenarioError;
use std::collections::BTreeMap;
use std::sync::Arc;
use trace::Trace;
use variant::Variant;

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
    seeds: [u32; 3],
    /// The hash of its file and scenarios; none of a paper that is part of the program.
    pub hash: Option<String>,
    /// Whether its sizes are what [`Size::description`] says.
    pub(crate) usual_sizes: bool,
    /// What stands beside the default in each of its experiments that it changes.
    pub columns: Vec<&'static Variant>,
    /// Its tables and figures in order, and then those beyond it.
    pub experiments: Vec<Definition>,
    pub(crate) resolved: Arc<Resolved>,
}

impl Study {
    /// The seeds of a long run in that size.
    pub fn seeds(&self, size: Size) -> u32 {
        size.of(self.seeds).max(1)
    }

    /// As a part of the program, which has the usual sizes.
    pub fn shipped(self) -> Self {
        Study { usual_sizes: true, hash: None, ..self }
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
    study: Arc<Resolved>,
    spec: Arc<spec::Experiment>,
    /// The values of axes that its identifiers name.
    fixed: Option<Values>,
}

impl Definition {
    /// The experiment's own identifier.
    pub fn id(&self) -> &str {
        &self.ids[0]
    }
}

/// An experiment written down: simulations, rows with their rules, figures.
#[derive(Default)]
pub struct Plan {
    pub(crate) setups: Vec<Setup>,
    /// The group and the point of each.
    pub(crate) points: Vec<(usize, usize)>,
    /// The values of each setup's axes, where it has axes.
    pub(crate) labels: Vec<Vec<(String, String)>>,
    pub(crate) rows: Vec<RowPlan>,
    pub(crate) figures: Vec<FigurePlan>,
    pub(crate) findings: Vec<FindingPlan>,
    pub(crate) columns: Vec<&'static Variant>,
    pub(crate) beyond: bool,
    pub(crate) on_request: bool,
    /// What runs of a simulation must be able to have.
    pub(crate) needs: Vec<(usize, Need)>,
}

impl Plan {
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

    /// True where it leaves the paper's own setting: nothing that it judges counts as the paper's.
    pub fn is_beyond(&self) -> bool {
        self.beyond
    }

    /// True where it is run only by its name: it takes long.
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
}

/// A number that each seed gives, or all of them together.
pub(crate) struct Quantity {
    /// Simulations of the plan, in the order in which the code has their runs.
    pub setups: Vec<usize>,
    pub code: Code,
    /// What it is and where, for who reads why it has no value.
    pub place: String,
    /// Of all seeds together: of their means, and then without an interval.
    pub pooled: bool,
}

pub(crate) enum RowValue {
    Formula(f64),
    Measured(Quantity),
    Compared(Vec<(String, Quantity)>),
}

impl RowValue {
    /// What it takes from runs.
    pub fn quantities(&self) -> Vec<&Quantity> {
        match self {
            RowValue::Formula(_) => vec![],
            RowValue::Measured(quantity) => vec![quantity],
            RowValue::Compared(quantities) => quantities.iter().map(|(_, quantity)| quantity).collect(),
        }
    }
}

/// A row before the run.
pub(crate) struct RowPlan {
    pub id: String,
    pub what: String,
    pub unit: String,
    pub reading: RowValue,
    pub published: Published,
    pub rule: Rule,
    /// Why it differs; shown unless the row reproduces.
    pub because: Option<String>,
    /// Why it differs where that holds of the mean, the ends of its interval and the published value.
    pub explanations: Vec<(Code, String)>,
    /// Other readings of the text, by name: the row is judged over all.
    pub readings: Vec<(String, RowValue)>,
}

/// A figure before the runs.
pub(crate) struct FigurePlan {
    pub id: String,
    pub title: String,
    pub kind: Kind,
    /// Its limits, over time, are those of the runs where these end earlier.
    pub x: Axis,
    pub plots: Vec<Plot>,
}

/// A panel before the runs.
pub(crate) struct Plot {
    pub title: String,
    pub y: Axis,
    pub lines: Vec<Line>,
}

/// A series before the runs.
pub(crate) enum Line {
    /// A label, a place and a quantity for each point.
    Points(String, Vec<(String, Position, Quantity)>),
    /// Published ones.
    Published(String, Vec<Point>),
    /// A published value that holds throughout.
    Level(String, f64),
    /// Samples over time.
    Time(String, Trace),
}

/// Where a point stands along the horizontal axis.
pub(crate) enum Position {
    At(f64),
    /// At the mean of what was measured.
    Mean(Quantity),
}

/// A sentence before the runs.
pub(crate) struct FindingPlan {
    /// What stands before a mean, the digits of the mean after the point, and it.
    pub parts: Vec<(String, usize, Quantity)>,
    pub end: String,
}
