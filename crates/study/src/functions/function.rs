//! A function that expressions may call, its parameters and its arguments.

use super::presence;
use crate::outcome::Outcome;
use anabranch_record::{FlowSummary, LinkSummary, SubflowSummary};
use anabranch_scenario::Scenario;

/// A function that reads a number from a run.
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// Its parameters.
    pub takes: &'static [Parameter],
    /// The unit of its value; empty for a ratio or a count.
    pub unit: &'static str,
    /// The description of its value.
    pub doc: &'static str,
    /// The percentiles that it offers, if any.
    pub percentiles: &'static [f64],
    /// Whether it needs samples over time.
    pub samples: bool,
    /// The computation.
    pub read: Read,
    /// Whether runs of a scenario can have the value; `None` if every run has it.
    pub(super) check: Option<presence::Check>,
}

impl Function {
    /// Whether runs of that scenario can have the value.
    ///
    /// # Errors
    /// The reason why no run has it.
    pub fn check(&self, scenario: &Scenario, args: &Arguments<'_>) -> Result<(), String> {
        if self.takes.first() == Some(&Parameter::Flow) {
            let flow = scenario.flows.iter().find(|flow| flow.name == args.text());
            let flow = flow.ok_or_else(|| format!("there is no flow `{}`", args.text()))?;
            if let Some(r) = args.subflow.filter(|r| *r >= flow.paths.len()) {
                return Err(format!("flow `{}` has {} subflows, not {}", flow.name, flow.paths.len(), r + 1));
            }
        }
        self.check.map_or(Ok(()), |check| check(scenario, args))
    }
}

/// Reads a value from runs and those of the same seeds in another setup, or finds the reason for its absence.
pub type Paired = fn(&[&Outcome], &[&Outcome], &Arguments<'_>) -> Result<f64, String>;

/// The computation of a value; `None` if a run has no such value.
#[derive(Clone, Copy)]
pub enum Read {
    /// From a run; the mean over several seeds.
    Run(fn(&Outcome, &Arguments<'_>) -> Option<f64>),
    /// The same from a connection, or from one of its subflows.
    Part(fn(&FlowSummary) -> Option<f64>, fn(&SubflowSummary) -> Option<f64>),
    /// The same from a subflow.
    Subflow(fn(&SubflowSummary) -> Option<f64>),
    /// The same from a link.
    Link(fn(&LinkSummary) -> Option<f64>),
    /// From several seeds' runs and those of the same seeds in another setup.
    Paired(Paired),
    /// From the scenario alone, before anything runs.
    Scenario(fn(&Scenario, &Arguments<'_>) -> Result<f64, String>),
}

impl Read {
    /// The value of one seed's run, or of several together; `elsewhere` has the runs for [`Parameter::Elsewhere`].
    ///
    /// # Errors
    /// The reason for a missing value; empty if a run lacks it.
    pub fn value(
        self,
        runs: &[&Outcome],
        elsewhere: &[&Outcome],
        args: &Arguments<'_>,
    ) -> Result<f64, String> {
        if let Read::Paired(read) = self {
            return read(runs, elsewhere, args);
        }
        let sum: Option<f64> = runs.iter().map(|run| self.of_run(run, args)).sum();
        Ok(sum.ok_or_else(String::new)? / runs.len() as f64)
    }

    fn of_run(self, run: &Outcome, args: &Arguments<'_>) -> Option<f64> {
        match self {
            Read::Run(read) => read(run, args),
            Read::Part(connection, _) if args.subflow.is_none() => connection(run.flow(args.text())?),
            Read::Part(_, read) | Read::Subflow(read) => read(run.subflow(args.text(), args.subflow?)?),
            Read::Link(read) => read(run.summary.links.iter().find(|link| link.name == args.text())?),
            Read::Paired(_) | Read::Scenario(_) => None,
        }
    }
}

/// A parameter of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A flow's name.
    Flow,
    /// Any number of flows' names, at least one.
    Flows,
    /// A subflow's number, from 1.
    Subflow,
    /// A subflow's number, or nothing for the whole connection.
    MaybeSubflow,
    /// A link's name.
    Link,
    /// Another text.
    Word,
    /// A number.
    Number,
    /// A number, or nothing.
    MaybeNumber,
    /// `runs = NAME` or `axis = value`: other runs of the same seeds.
    Elsewhere,
}

/// The arguments of a call, by type in their order.
pub struct Arguments<'a> {
    /// Flows, links and words.
    pub texts: &'a [String],
    /// Subflow, from 0.
    pub subflow: Option<usize>,
    /// Other numbers.
    pub numbers: &'a [f64],
}

impl Arguments<'_> {
    pub(super) fn text(&self) -> &str {
        self.texts.first().map_or("", String::as_str)
    }

    pub(super) fn number(&self) -> Option<f64> {
        self.numbers.first().copied()
    }
}

pub(super) const FLOW: &[Parameter] = &[Parameter::Flow];
pub(super) const PART: &[Parameter] = &[Parameter::Flow, Parameter::MaybeSubflow];
const SUBFLOW: &[Parameter] = &[Parameter::Flow, Parameter::Subflow];
pub(super) const MAYBE: &[Parameter] = &[Parameter::Flow, Parameter::MaybeNumber];
pub(super) const FROM: &[Parameter] = &[Parameter::Flow, Parameter::Subflow, Parameter::Number];

/// A function without parameters that reads nothing yet.
pub(super) const fn named(name: &'static str, unit: &'static str, doc: &'static str) -> Function {
    let read = Read::Run(|_, _| None);
    Function { name, takes: &[], unit, doc, percentiles: &[], samples: false, read, check: None }
}

impl Function {
    pub(super) const fn of(
        self,
        takes: &'static [Parameter],
        read: fn(&Outcome, &Arguments<'_>) -> Option<f64>,
    ) -> Self {
        Function { takes, read: Read::Run(read), ..self }
    }

    pub(super) const fn of_part(
        self,
        connection: fn(&FlowSummary) -> Option<f64>,
        subflow: fn(&SubflowSummary) -> Option<f64>,
    ) -> Self {
        Function { takes: PART, read: Read::Part(connection, subflow), ..self }
    }

    pub(super) const fn of_subflow(self, read: fn(&SubflowSummary) -> Option<f64>) -> Self {
        Function { takes: SUBFLOW, read: Read::Subflow(read), ..self }
    }

    pub(super) const fn of_link(self, read: fn(&LinkSummary) -> Option<f64>) -> Self {
        Function { takes: &[Parameter::Link], read: Read::Link(read), ..self }
    }

    pub(super) const fn percentiles(self, percentiles: &'static [f64]) -> Self {
        Function { percentiles, ..self }
    }

    pub(super) const fn sampled(self) -> Self {
        Function { samples: true, ..self }
    }

    pub(super) const fn checked(self, check: presence::Check) -> Self {
        Function { check: Some(check), ..self }
    }
}
