//! The runs and quantities of each experiment and size, as a [`Plan`] made before anything runs.

pub(crate) mod conditions;
mod curves;
pub(crate) mod definitions;
pub(crate) mod experiments;
mod figures;
mod findings;
mod planner;
mod rows;
mod time;
pub mod variant;

use crate::outcome::Outcome;
use crate::parse::spec::{self, Kind};
use crate::resolve::code::Code;
use crate::resolve::compile::{Compiled, Need};
use crate::resolve::resolved::Resolved;
use crate::resolve::selection::{Selection, Values};
use crate::result::{Axis, Headline, Point, Published};
use crate::setup::Setup;
use crate::size::Size;
use crate::verdict::Rule;
use std::sync::Arc;
use variant::Variant;

/// A study, of a paper or the user's own, with its experiments.
pub struct Study {
    /// Its letter or short name: "A".
    pub id: String,
    /// Its name on the command line and in file names.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Authors, venue, year.
    pub citation: String,
    /// Its subject and general assumptions.
    pub notes: Vec<String>,
    /// Mistakes and contradictions in the cited work.
    pub errata: Vec<String>,
    /// The main claim.
    pub headline: Option<Headline>,
    /// The hash of its file and scenarios; `None` for a built-in paper.
    pub hash: Option<String>,
    /// Whether [`Size::description`] applies to its sizes.
    pub(crate) usual_sizes: bool,
    /// Its sensitivity variants.
    pub variants: Vec<&'static Variant>,
    /// Its experiments: the paper's own in order, then those beyond it.
    pub experiments: Vec<Definition>,
    pub(crate) resolved: Arc<Resolved>,
}

impl Study {
    /// The seeds of a long run in that size.
    pub fn seeds(&self, size: Size) -> u32 {
        let sizes = &self.resolved.sizes;
        let own = &size.of([&sizes.quick, &sizes.default, &sizes.full]).seeds;
        own.as_ref().map_or(size.seeds(), |seeds| **seeds)
    }

    /// Marks it as built in, with the usual sizes.
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

    /// A field of an axis value that its identifiers name, as text: "case.group".
    pub fn field(&self, name: &str) -> Option<String> {
        Selection::of(&self.study, self.fixed.clone()?).text(name)
    }
}

/// An experiment's simulations, rows with their rules, and figures.
#[derive(Default)]
pub struct Plan {
    /// Its simulations.
    pub setups: Vec<Setup>,
    /// The group and the point of each.
    pub(crate) points: Vec<(usize, usize)>,
    /// The names and values of each simulation's axes, where it has axes.
    pub axes: Vec<Vec<(String, String)>>,
    pub(crate) rows: Vec<RowPlan>,
    pub(crate) figures: Vec<FigurePlan>,
    pub(crate) findings: Vec<FindingPlan>,
    pub(crate) variants: Vec<&'static Variant>,
    /// True if it departs from the paper's setting: its verdicts are counted separately.
    pub beyond: bool,
    /// True if it runs only when named, because it takes long.
    pub on_request: bool,
    /// The values that runs of a simulation must have.
    pub(crate) needs: Vec<(usize, Need)>,
}

impl Plan {
    /// Its rows' identifiers.
    pub fn row_ids(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| row.id.as_str())
    }

    /// The unit of the row with that identifier, in any case.
    pub fn unit_of(&self, row: &str) -> Option<&str> {
        let same = |known: &&RowPlan| known.id.to_lowercase() == row.to_lowercase();
        self.rows.iter().find(same).map(|row| row.unit.as_str())
    }
}

/// A number from each seed, or from all seeds together.
pub(crate) struct Quantity {
    /// The plan's simulations, in the order of the runs in the code.
    pub setups: Vec<usize>,
    pub of: Compiled,
    /// Whether it is one value from the seeds' means, without an interval.
    pub pooled: bool,
}

pub(crate) enum RowValue {
    Formula(f64),
    Measured(Quantity),
    Compared(Vec<(String, Quantity)>),
}

impl RowValue {
    /// The source of a row's value.
    pub fn quantities(&self) -> Vec<&Quantity> {
        match self {
            RowValue::Formula(_) => vec![],
            RowValue::Measured(quantity) => vec![quantity],
            RowValue::Compared(quantities) => quantities.iter().map(|(_, quantity)| quantity).collect(),
        }
    }
}

pub(crate) struct RowPlan {
    pub id: String,
    pub what: String,
    pub unit: String,
    pub value: RowValue,
    pub published: Published,
    pub rule: Rule,
    /// The reason for a difference, shown unless the row is reproduced.
    pub because: Option<String>,
    /// Reasons for a difference, each with a condition on the mean, its interval and the published value.
    pub explanations: Vec<(Code, String)>,
    /// Other interpretations of the text, by name: the verdict considers all.
    pub interpretations: Vec<(String, RowValue)>,
}

impl RowPlan {
    /// The sources of its values, in each interpretation.
    pub fn quantities(&self) -> Vec<&Quantity> {
        let others = self.interpretations.iter().map(|(_, value)| value);
        std::iter::once(&self.value).chain(others).flat_map(RowValue::quantities).collect()
    }

    /// The plan's simulations that it needs.
    pub fn setups(&self) -> impl Iterator<Item = usize> {
        self.quantities().into_iter().flat_map(|quantity| &quantity.setups).copied()
    }

    /// Whether it needs samples over time.
    pub fn needs_samples(&self) -> bool {
        self.quantities().iter().any(|quantity| quantity.of.samples)
    }
}

pub(crate) struct FigurePlan {
    pub id: String,
    pub title: String,
    pub kind: Kind,
    pub x: Axis,
    pub plots: Vec<Plot>,
}

impl FigurePlan {
    /// Whether it needs samples over time.
    pub fn needs_samples(&self) -> bool {
        self.plots.iter().flat_map(|plot| &plot.lines).any(|line| match line {
            Line::Points(_, points) => {
                points.iter().any(|(_, x, y)| y.of.samples || matches!(x, Position::Mean(x) if x.of.samples))
            }
            Line::Published(..) | Line::Level(..) => false,
            Line::Time(..) => true,
        })
    }
}

/// A panel before the runs.
pub(crate) struct Plot {
    pub title: String,
    pub y: Axis,
    pub lines: Vec<Line>,
}

/// A series before the runs.
pub(crate) enum Line {
    /// A label, a position and a quantity for each point.
    Points(String, Vec<(String, Position, Quantity)>),
    Published(String, Vec<Point>),
    /// A published constant.
    Level(String, f64),
    /// Samples over time, of this simulation.
    Time(String, usize, Points),
}

/// The points of a line over time, from a run; empty if the run lacks them.
pub(crate) type Points = Box<dyn Fn(&Outcome) -> Vec<Point> + Send + Sync>;

/// A point's position on the horizontal axis.
pub(crate) enum Position {
    At(f64),
    Mean(Quantity),
}

/// A sentence before the runs.
pub(crate) struct FindingPlan {
    /// Each mean with the text before it and its number of decimals.
    pub parts: Vec<(String, usize, Quantity)>,
    pub end: String,
}
