//! The simulation of a point: scenario, changes, length and number of seeds.

use super::axes::{Axis, AxisValue, assigned};
use super::network::with_traces;
use super::selection::Selection;
use crate::parse::spec::{Changes, Count};
use crate::parse::{OrAt, Problem, Spanned};
use crate::setup::{Samples, Setup, seconds};
use anabranch_net::Time;
use std::ops::Range;

/// A simulation, with the position in the file of each key that it sets.
type LocatedSetup = (Setup, Vec<Range<usize>>);

impl Selection<'_> {
    /// The simulation of a point, with the positions of its first keys; those without a position are left out.
    pub fn setup(&self) -> Result<LocatedSetup, Problem> {
        let mut places: Vec<Range<usize>> = Vec::new();
        let (group, point) = (self.runs()?, self.point()?);
        let values = group.axes.iter().zip(&group.points[point]).map(|(axis, i)| (axis, &axis.values[*i]));
        let title = match &group.spec.title {
            Some(title) => self.filled(title)?,
            None => match values.clone().map(|(_, value)| value.label.clone()).collect::<Vec<_>>() {
                labels if labels.is_empty() => group.name.clone(),
                labels => labels.join(", "),
            },
        };
        let network = &group.files[group.file_of[point]];
        let mut setup = Setup::new(title, &network.file);
        if let Some(cc) = &group.spec.cc {
            setup = setup.cc(&self.filled(cc)?);
        }
        if let Some(backend) = &group.spec.backend {
            setup.backend = self.filled(backend)?.into();
            setup.identity = setup.backend.clone();
        }
        let of_runs = group.spec.set.iter().map(|(key, value)| (key, assigned(value), value.span()));
        let of_axes = values.clone().flat_map(|(axis, value)| {
            let own = value.set().into_iter().flatten().map(|(key, value)| (key, assigned(value)));
            let own = own.chain(axis.key.iter().map(move |key| (key, value.id.clone())));
            own.map(move |(key, text)| (key, text, group.spec.vary[&axis.name].span()))
        });
        for (key, text, at) in of_runs.chain(of_axes) {
            let set = self.fill(&text).and_then(|text| network.set(setup, key, &text));
            setup = set.or_at(at.clone())?;
            places.resize(setup.set.len(), at);
        }
        let scenario = &network.scenario;
        for (key, own, length) in [
            ("duration", &group.spec.duration, scenario.duration),
            ("warmup", &group.spec.warmup, scenario.warmup),
        ] {
            // An axis of lengths has its own.
            let sets = |value: &AxisValue| value.set().is_some_and(|set| set.contains_key(key));
            if values.clone().any(|(axis, value)| axis.key.as_deref() == Some(key) || sets(value)) {
                continue;
            }
            let set = setup.set.iter().rfind(|(known, _)| known == key);
            let length = set.and_then(|(_, text)| anabranch_scenario::time(text).ok()).unwrap_or(length);
            if let Some((value, at)) = self.length(key, own.as_ref(), length)? {
                setup = setup.set(key, value);
                places.resize(setup.set.len(), at);
            }
        }
        setup.repeats = self.count(group.spec.repeats.as_ref())?.unwrap_or(1);
        setup.at_most = self.count(group.spec.at_most.as_ref())?.unwrap_or(u32::MAX);
        if group.spec.samples {
            setup.samples = Samples::All;
        }
        Ok((with_traces(setup)?, places))
    }

    /// A length in this size with its position; `None` for the scenario's own.
    fn length(
        &self,
        key: &str,
        of_runs: Option<&Spanned<String>>,
        of_scenario: Time,
    ) -> Result<Option<(String, Range<usize>)>, Problem> {
        let (none, sizes, spec) = (Changes::default(), &self.study.sizes, &self.runs()?.spec);
        let (of_file, of_group) =
            self.size.of([(&sizes.quick, &spec.quick), (&sizes.default, &none), (&sizes.full, &spec.full)]);
        let of = |size: &Changes| if key == "warmup" { size.warmup.clone() } else { size.duration.clone() };
        let exact = of(of_group).or_else(|| of(of_file));
        let own = exact.as_ref().or(of_runs).map(|text| Ok((self.filled(text)?, text.span()))).transpose()?;
        let scale = of_group.scale.as_ref().or(of_file.scale.as_ref()).filter(|_| exact.is_none());
        let time = match &own {
            // The scenario reader reports invalid times.
            Some((text, _)) => anabranch_scenario::time(text).ok(),
            None => Some(of_scenario),
        };
        Ok(match scale.zip(time) {
            Some((scale, time)) => Some((seconds(time.as_secs_f64() * **scale), scale.span())),
            None => own,
        })
    }

    /// A number of seeds here; `None` for a value without one.
    fn count(&self, count: Option<&Spanned<Count>>) -> Result<Option<u32>, Problem> {
        let Some(count) = count else { return Ok(None) };
        match &**count {
            Count::All(n) => Ok(Some(*n)),
            Count::By(table) => {
                let keys: Vec<&String> = table.keys().collect();
                self.chosen(&keys, |value| table.get(value).copied()).or_at(count.span())
            }
        }
    }

    /// The problem if a point's scenario is invalid, at the key or axis whose removal changes the problem; else at `at`.
    pub fn no_scenario(&self, at: Range<usize>) -> Option<Problem> {
        let (setup, places) = match self.setup() {
            Ok(placed) => placed,
            Err(problem) => return Some(problem.or_at(at)),
        };
        let said = setup.problem()?;
        let without = |place: &&Range<usize>| {
            let others = setup.set.iter().enumerate().filter(|(i, _)| places.get(*i) != Some(place));
            let set = others.map(|(_, set)| set.clone()).collect();
            Setup { set, ..setup.clone() }.problem().as_ref() != Some(&said)
        };
        // Later ones win.
        let at = places.iter().rev().find(without).cloned().unwrap_or(at);
        let group = self.runs().ok()?;
        let value = |axis: &Axis| Some(format!("{} = {}", axis.name, self.value(&axis.name)?.id));
        let values = group.axes.iter().filter_map(value).collect::<Vec<_>>().join(", ");
        let of = if values.is_empty() { values } else { format!(" at {values}") };
        let help = format!("run `{}` to see the whole error", setup.command(1).replacen("run", "check", 1));
        let message = format!("runs `{}`: the scenario{of} is invalid: {said}", group.name);
        Some(Problem::at(at, message).help(help))
    }
}
