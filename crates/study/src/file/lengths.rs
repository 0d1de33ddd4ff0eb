//! How long runs are, and how many seeds they have.

use super::build::Built;
use super::error::Problem;
use super::runs::Runs;
use super::selection::Selection;
use super::spec::{Changes, Count, Group};
use crate::Size;
use crate::setup::seconds;
use anabranch_net::Time;
use anabranch_scenario::Scenario;
use std::ops::Range;
use toml::Spanned;

/// The duration or the warm-up, and where it may be said.
pub(crate) struct Length {
    pub key: &'static str,
    of_size: fn(&Changes) -> Option<&Spanned<String>>,
    of_runs: fn(&Group) -> Option<&Spanned<String>>,
    of_scenario: fn(&Scenario) -> Time,
}

/// The length of a run.
pub(crate) const DURATION: Length = Length {
    key: "duration",
    of_size: |size| size.duration.as_ref(),
    of_runs: |runs| runs.duration.as_ref(),
    of_scenario: |scenario| scenario.duration,
};

/// Where means begin.
pub(crate) const WARMUP: Length = Length {
    key: "warmup",
    of_size: |size| size.warmup.as_ref(),
    of_runs: |runs| runs.warmup.as_ref(),
    of_scenario: |scenario| scenario.warmup,
};

impl Length {
    /// What it is in that size, and where that is said; none where it is the scenario's own.
    pub fn of(
        &self,
        runs: &Runs,
        built: &Built,
        here: &Selection,
        size: Size,
    ) -> Result<Option<(String, Range<usize>)>, Problem> {
        let none = Changes::default();
        let (of_file, of_group) = match size {
            Size::Quick => (&built.sizes.quick, &runs.spec.quick),
            Size::Default => (&built.sizes.default, &none),
            Size::Full => (&built.sizes.full, &runs.spec.full),
        };
        let exact = (self.of_size)(of_group).or((self.of_size)(of_file));
        let own = exact.or((self.of_runs)(&runs.spec)).map(|text| {
            let filled = here.fill(built, text.get_ref()).map_err(|problem| problem.or_at(text.span()))?;
            Ok((filled, text.span()))
        });
        let own = own.transpose()?;
        let scale = of_group.scale.as_ref().or(of_file.scale.as_ref()).filter(|_| exact.is_none());
        let time = match &own {
            // What is no time is left for the scenario's reader, which says so.
            Some((text, _)) => anabranch_scenario::time(text).ok(),
            None => Some((self.of_scenario)(&runs.network(built, here)?.scenario)),
        };
        Ok(match scale.zip(time) {
            Some((scale, time)) => Some((seconds(time.as_secs_f64() * scale.get_ref()), scale.span())),
            None => own,
        })
    }
}

impl Count {
    /// Every number of it.
    pub fn all(&self) -> Vec<u32> {
        match self {
            Count::All(n) => vec![*n],
            Count::By(table) => table.values().copied().collect(),
        }
    }

    /// The number here; none for a value without one.
    pub fn here(&self, built: &Built, here: &Selection) -> Result<Option<u32>, Problem> {
        match self {
            Count::All(n) => Ok(Some(*n)),
            Count::By(table) => {
                let axis = here.axis_with(built, &table.keys().collect::<Vec<_>>())?;
                Ok(here.value(built, &axis.name).and_then(|value| table.get(&value.id)).copied())
            }
        }
    }
}
