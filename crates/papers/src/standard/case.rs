//! The cases: experiments of `studies/standard/standard-cases.toml`.

use crate::files::STANDARD;
use anabranch_cc::registry;
use anabranch_study::{Definition, Size, Study};
use std::sync::LazyLock;

/// A situation in which every algorithm is put.
pub struct Case {
    /// Its identifier: "shared-reno".
    pub id: String,
    /// Its description.
    pub title: String,
    /// Cases of one group stand beside each other: "Beside Reno".
    pub group: String,
    /// Its title within the group: "shared".
    pub short: String,
    /// The set-up, and what it shows.
    pub purpose: String,
    /// Its key figure.
    pub goal: Goal,
    /// The changes that it recovers from: how each one's row identifier continues after the key figure's, and its description.
    pub(super) changes: Vec<(&'static str, String)>,
}

/// A case's key figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// How full the links are, in percent, averaged over them.
    Utilisation,
    /// The connection's goodput ÷ the mean goodput of all connections: 1 is an equal share.
    Share,
    /// Seconds from a path's return until the connection uses it: see [`crate::standard::Recovery`].
    Recovery,
}

impl Goal {
    /// Its name.
    pub fn title(self) -> &'static str {
        match self {
            Goal::Utilisation => "utilisation",
            Goal::Share => "share",
            Goal::Recovery => "recovery",
        }
    }

    /// Its unit; empty for a ratio.
    pub fn unit(self) -> &'static str {
        match self {
            Goal::Utilisation => "%",
            Goal::Share => "",
            Goal::Recovery => "s",
        }
    }
}

/// The identifier of the row with an algorithm's key figure.
pub(super) fn key_row(case: &str, algorithm: &str) -> String {
    format!("{case}.{algorithm}")
}

/// The study of one algorithm: a case is an experiment with one simulation.
pub(super) fn study(algorithm: &str) -> Study {
    STANDARD.read(&[("cc".into(), vec![algorithm.into()])])
}

/// Every case, in the order in which pages show them.
pub static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let any = registry::ALL[0].name;
    study(any).experiments.iter().map(|definition| Case::of(definition, any)).collect()
});

impl Case {
    /// From its experiment, as it is for some algorithm.
    fn of(definition: &Definition, algorithm: &str) -> Case {
        let id = definition.id().to_owned();
        let field = |name: &str| definition.field(&format!("case.{name}"));
        let plan = definition.plan(Size::Default);
        let unit = plan.unit_of(&key_row(&id, algorithm));
        let goal =
            [Goal::Utilisation, Goal::Share, Goal::Recovery].into_iter().find(|g| Some(g.unit()) == unit);
        let changes = [(".first", field("first")), ("", field("last"))];
        Case {
            goal: goal.unwrap_or_else(|| panic!("{id}: the key figure's unit is {unit:?}")),
            changes: changes.into_iter().filter_map(|(row, what)| Some((row, what?))).collect(),
            title: definition.title.clone(),
            group: field("group").unwrap_or_default(),
            short: field("short").unwrap_or_default(),
            purpose: field("purpose").unwrap_or_default(),
            id,
        }
    }
}
