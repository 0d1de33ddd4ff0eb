//! Builds a plan: its simulations and quantities, and the study's identifiers so far.

use super::{Plan, Quantity};
use crate::parse::{Problem, Spanned};
use crate::resolve::compile::Compiled;
use crate::resolve::resolved::Resolved;
use crate::resolve::selection::Selection;
use crate::setup::Samples;
use crate::size::Size;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

pub(super) struct Planner<'a> {
    pub study: &'a Resolved,
    pub size: Size,
    pub plan: Plan,
    /// The values of axes that the experiment's identifiers name.
    pub fixed: Option<Selection<'a>>,
    pub made: HashMap<(usize, usize), usize>,
    /// The identifiers of the study so far.
    pub names: &'a mut Names,
}

impl<'a> Planner<'a> {
    /// A selection in which only single-valued axes, and those that the experiment fixes, have values.
    pub fn open(&self, group: Option<usize>) -> Selection<'a> {
        let open = || Selection::open(self.study, group);
        self.fixed.as_ref().map_or_else(open, |fixed| fixed.in_group(group)).sized(self.size)
    }

    /// The simulation of a group's point, added once.
    pub fn simulate(&mut self, run: (usize, usize), samples: Samples) -> Result<usize, Problem> {
        let id = match self.made.get(&run) {
            Some(id) => *id,
            None => {
                let (setup, _) = Selection::of_point(self.study, run, self.size).setup()?;
                let runs = &self.study.groups[run.0];
                let labels = runs.axes.iter().zip(&runs.points[run.1]);
                let labels = labels.map(|(axis, i)| (axis.name.clone(), axis.values[*i].id.clone()));
                // Groups may have axes of equal names.
                let several = self.study.groups.len() > 1;
                let of = several.then(|| ("runs".to_owned(), runs.name.clone()));
                self.plan.axes.push(of.into_iter().chain(labels).collect());
                self.plan.points.push(run);
                self.plan.setups.push(setup);
                let id = self.plan.setups.len() - 1;
                self.made.insert(run, id);
                id
            }
        };
        let kept = &mut self.plan.setups[id].samples;
        *kept = samples.max(*kept);
        Ok(id)
    }

    /// An expression as a quantity of a row: values that no run can have are errors.
    pub fn needed(&mut self, mut compiled: Compiled) -> Result<Quantity, Problem> {
        let needs = std::mem::take(&mut compiled.needs);
        let quantity = self.quantity(compiled)?;
        self.plan.needs.extend(needs.into_iter().map(|(run, need)| (quantity.setups[run], need)));
        Ok(quantity)
    }

    pub fn quantity(&mut self, compiled: Compiled) -> Result<Quantity, Problem> {
        let kept = if compiled.samples { Samples::All } else { Samples::None };
        let setups = compiled.runs.iter().map(|run| self.simulate(*run, kept)).collect::<Result<_, _>>()?;
        Ok(Quantity { setups, of: compiled, pooled: false })
    }

    /// Compiles an expression here into a quantity, of all seeds together if pooled.
    pub fn read(
        &mut self,
        of: &Spanned<String>,
        here: &Selection<'_>,
        pooled: bool,
    ) -> Result<Quantity, Problem> {
        Ok(Quantity { pooled, ..self.quantity(here.compile(of, &[])?)? })
    }
}

/// The identifiers of a study in a size, which must be unique.
#[derive(Default)]
pub(crate) struct Names {
    rows: HashSet<String>,
    figures: HashSet<String>,
    experiments: HashSet<String>,
}

/// More rows are a mistake.
const MAX_ROWS: usize = 100_000;

impl Names {
    pub fn row(&mut self, id: &str, at: Range<usize>) -> Result<(), Problem> {
        if self.rows.len() == MAX_ROWS {
            return Err(Problem::at(at, format!("the study has more than {MAX_ROWS} rows"))
                .help("name fewer axes in identifiers, or split the study"));
        }
        note(&mut self.rows, "rows", id, at)
    }

    pub fn figure(&mut self, id: &str, at: Range<usize>) -> Result<(), Problem> {
        note(&mut self.figures, "figures", id, at)
    }

    pub fn experiment(&mut self, id: &str, at: Range<usize>) -> Result<(), Problem> {
        note(&mut self.experiments, "experiments", id, at)
    }

    pub fn has_row(&self, id: &str) -> bool {
        self.rows.contains(&id.to_lowercase())
    }
}

/// Adds an identifier, which must be neither empty nor known.
fn note(known: &mut HashSet<String>, what: &str, id: &str, at: Range<usize>) -> Result<(), Problem> {
    if id.trim().is_empty() {
        return Err(Problem::at(at, "an identifier must not be empty"));
    }
    // `--only` ignores case.
    Problem::at(at, format!("two {what} have the identifier `{id}`"))
        .help("name the axis in the identifier: {AXIS}")
        .unless(known.insert(id.to_lowercase()))
}
