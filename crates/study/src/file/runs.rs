//! A group of runs: a scenario, its axes, and the simulation of each of their points.

use super::axes::{Axis, assigned, leaders, points, written};
use super::build::{Built, within};
use super::error::Problem;
use super::keys;
use super::lengths;
use super::network::{Network, with_traces};
use super::only;
use super::selection::Selection;
use super::spec::{Count, Group};
use super::template::{fill, places};
use super::{Part, Scenarios};
use crate::{Setup, Size, tidy};
use indexmap::IndexMap;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use toml::{Spanned, Value};

/// A group of runs: a scenario and the points of its axes.
pub(crate) struct Runs {
    pub name: String,
    pub axes: Vec<Axis>,
    pub points: Vec<Vec<usize>>,
    /// Those of them that are run, of each size; none where that is all.
    only: [Option<Vec<usize>>; 3],
    /// Where each point is.
    pub index: HashMap<Vec<usize>, usize>,
    /// Its scenario files: one, or several that an axis names.
    pub files: Vec<Network>,
    /// Which of them each point has.
    file_of: Vec<usize>,
    pub spec: Group,
}

impl Runs {
    pub fn read(
        name: &str,
        spec: Group,
        shared: &[Axis],
        quantities: &IndexMap<String, Spanned<String>>,
        scenarios: Scenarios<'_>,
        of: &[Part],
    ) -> Result<Self, Problem> {
        let at = spec.scenario.span();
        keys::runs(&spec)?;
        let axes = spec.vary.iter().map(|(name, axis)| Axis::read(name, axis, shared)?.part(of));
        let axes = axes.collect::<Result<Vec<_>, _>>()?;
        for (count, what) in [(&spec.repeats, "repeats"), (&spec.at_most, "at_most")] {
            let Some(count) = count else { continue };
            if count.get_ref().all().is_empty() {
                return Err(Problem::at(count.span(), format!("`{what}` has no value of an axis")));
            }
            let mut counts = count.get_ref().all().into_iter();
            counts.try_for_each(|n| within(Some(n), what)).map_err(|problem| problem.or_at(count.span()))?;
        }
        for axis in &axes {
            let at = spec.vary[&axis.name].span();
            if tidy::COLUMNS.iter().any(|(name, _)| *name == axis.name)
                || ["runs", "texts"].contains(&&*axis.name)
            {
                return Err(Problem::at(at, format!("an axis cannot be called `{}`", axis.name))
                    .help("the study has something else of that name"));
            }
            let set = spec.set.values().map(|value| written(value.get_ref()));
            let texts = [
                Some(spec.scenario.get_ref()),
                spec.cc.as_ref(),
                spec.duration.as_ref().map(Spanned::get_ref),
                spec.warmup.as_ref().map(Spanned::get_ref),
            ];
            let texts = texts.into_iter().flatten().cloned();
            let used = || uses(&set.chain(texts).collect::<Vec<_>>(), &axis.name, quantities);
            let sets = axis.key.is_some() || axis.values.iter().any(|value| value.set().is_some());
            if !sets && axis.values.len() > 1 && !used() {
                let place = format!("{{{}", axis.name);
                return Err(Problem::at(at, format!("axis `{}` changes nothing", axis.name)).help(format!(
                    "give it a `key`, its values a `set`, or write {place}}} in `cc`, `scenario`, `duration` or a value of `set`"
                )));
            }
        }
        let leaders = leaders(&axes, spec.zip.as_ref().map_or(&[], |zip| zip.get_ref()));
        let leaders = leaders
            .map_err(|problem| spec.zip.iter().fold(problem, |problem, zip| problem.or_at(zip.span())))?;
        let points = points(&axes, &leaders).map_err(|problem| problem.or_at(at))?;
        let index = points.iter().enumerate().map(|(i, point)| (point.clone(), i)).collect();
        let named = |own: Option<&Spanned<Value>>| {
            let only = own.or(spec.only.as_ref()).map(|only| only::named(only, &axes, &points));
            only.transpose().map(Option::flatten)
        };
        let only = [named(spec.quick.only.as_ref())?, named(None)?, named(spec.full.only.as_ref())?];
        let (files, file_of) = (vec![], vec![]);
        let mut runs = Runs { name: name.into(), axes, points, only, index, files, file_of, spec };
        runs.read_files(scenarios).map_err(|problem| problem.or_at(runs.spec.scenario.span()))?;
        Ok(runs)
    }

    /// Reads the scenario of each point, each file once.
    fn read_files(&mut self, scenarios: Scenarios<'_>) -> Result<(), Problem> {
        let known: Vec<&str> = self.axes.iter().map(|axis| axis.name.as_str()).collect();
        let mut names: Vec<String> = Vec::new();
        for point in &self.points {
            let value = |name: &str| {
                let (axis, field) = name.split_once('.').map_or((name, None), |(axis, f)| (axis, Some(f)));
                let i = self.axes.iter().position(|known| known.name == axis);
                Ok(i.and_then(|i| self.axes[i].values[point[i]].field(field)))
            };
            let name = fill(self.spec.scenario.get_ref(), &value, &known)?;
            let file = match names.iter().position(|known| *known == name) {
                Some(file) => file,
                None => {
                    self.files.push(Network::read(&name, scenarios)?);
                    names.push(name);
                    names.len() - 1
                }
            };
            self.file_of.push(file);
        }
        Ok(())
    }

    /// The scenario that these values choose.
    pub fn network(&self, built: &Built, here: &Selection) -> Result<&Network, Problem> {
        match &self.files[..] {
            [only] => Ok(only),
            _ => here.point(built).map(|point| &self.files[self.file_of[point]]),
        }
    }

    /// The points that are run in that size, in order; none where that is all.
    pub fn only(&self, size: Size) -> Option<&[usize]> {
        let [quick, default, full] = &self.only;
        match size {
            Size::Quick => quick.as_deref(),
            Size::Default => default.as_deref(),
            Size::Full => full.as_deref(),
        }
    }

    /// Whether there is a point for each combination of values.
    pub fn is_crossed(&self, size: Size) -> bool {
        let all = self.axes.iter().map(|axis| axis.values.len()).product::<usize>();
        self.only(size).is_none() && self.points.len() == all
    }

    /// The simulation of a point.
    pub fn setup(&self, built: &Built, group: usize, point: usize, size: Size) -> Result<Setup, Problem> {
        let here = Selection::of_point(built, group, &self.points[point], size);
        self.placed(built, &here).map(|(setup, _)| setup)
    }

    /// The same, and where in the file each of the keys that it sets comes from; what has no place there is left out.
    pub fn placed(&self, built: &Built, here: &Selection) -> Result<Placed, Problem> {
        let mut places: Vec<Range<usize>> = Vec::new();
        let (point, size) = (here.point(built)?, here.size);
        let title = match &self.spec.title {
            Some(title) => here.fill(built, title)?,
            None => {
                let values =
                    self.axes.iter().zip(&self.points[point]).map(|(axis, i)| axis.values[*i].label.clone());
                let values: Vec<String> = values.collect();
                if values.is_empty() { self.name.clone() } else { values.join(", ") }
            }
        };
        let network = &self.files[self.file_of[point]];
        let mut setup = Setup::new(title, &network.file);
        if let Some(cc) = &self.spec.cc {
            setup = setup.cc(&here.fill(built, cc)?);
        }
        for (key, value) in &self.spec.set {
            let text = here
                .fill(built, &assigned(value.get_ref()))
                .map_err(|problem| problem.or_at(value.span()))?;
            setup = network.set(setup, key, &text).map_err(|problem| problem.or_at(value.span()))?;
            places.resize(setup.set.len(), value.span());
        }
        for (axis, i) in self.axes.iter().zip(&self.points[point]) {
            let value = &axis.values[*i];
            let own = value.set().into_iter().flatten().map(|(key, value)| (key, assigned(value)));
            for (key, text) in own.chain(axis.key.iter().map(|key| (key, value.id.clone()))) {
                let set = here.fill(built, &text).and_then(|text| network.set(setup, key, &text));
                let at = self.spec.vary[&axis.name].span();
                setup = set.map_err(|problem| problem.or_at(at.clone()))?;
                places.resize(setup.set.len(), at);
            }
        }
        // An axis of lengths has its own.
        let varies = |key: &str| self.axes.iter().any(|axis| axis.key.as_deref() == Some(key));
        for length in [&lengths::DURATION, &lengths::WARMUP].into_iter().filter(|length| !varies(length.key))
        {
            if let Some((value, at)) = length.of(self, built, here, size)? {
                setup = setup.set(length.key, value);
                places.resize(setup.set.len(), at);
            }
        }
        let count = |count: &Option<Spanned<Count>>| match count {
            Some(count) => count.get_ref().here(built, here).map_err(|problem| problem.or_at(count.span())),
            None => Ok(None),
        };
        setup = setup.repeats(count(&self.spec.repeats)?.unwrap_or(1));
        setup = setup.at_most(count(&self.spec.at_most)?.unwrap_or(u32::MAX));
        if self.spec.samples {
            setup = setup.sampled();
        }
        Ok((with_traces(setup)?, places))
    }

    /// Why a point is no scenario; none where it is one. The place is that of the key or axis without which it would be one,
    /// or would be none for another reason; else `at`.
    pub fn no_scenario(
        &self,
        built: &Built,
        group: usize,
        point: usize,
        size: Size,
        at: Range<usize>,
    ) -> Option<Problem> {
        let here = Selection::of_point(built, group, &self.points[point], size);
        let (setup, places) = match self.placed(built, &here) {
            Ok(placed) => placed,
            Err(problem) => return Some(problem.or_at(at)),
        };
        let said = first_problem(&setup)?;
        let without = |place: &&Range<usize>| {
            let others = setup.set.iter().enumerate().filter(|(i, _)| places.get(*i) != Some(place));
            let set = others.map(|(_, set)| set.clone()).collect();
            first_problem(&Setup { set, ..setup.clone() }).as_ref() != Some(&said)
        };
        // Later ones win.
        let at = places.iter().rev().find(without).cloned().unwrap_or(at);
        let values = self.axes.iter().zip(&self.points[point]);
        let values = values.map(|(axis, i)| format!("{} = {}", axis.name, axis.values[*i].id));
        let values = values.collect::<Vec<_>>().join(", ");
        let of = if values.is_empty() { values } else { format!(" at {values}") };
        let help = format!("`{}` shows all of it", setup.command(1).replacen("run", "check", 1));
        Some(Problem::at(at, format!("runs `{}` are no scenario{of}: {said}", self.name)).help(help))
    }

    /// Whether each value of each axis makes a scenario, the others at their first: mistakes show before anything runs.
    pub fn try_each_value(&self, built: &Built, group: usize) -> Result<(), Problem> {
        let attempt =
            |point: usize, at: Range<usize>| match self.no_scenario(built, group, point, Size::Default, at) {
                Some(problem) => Err(problem),
                None => Ok(()),
            };
        attempt(0, self.spec.scenario.span())?;
        for (i, axis) in self.axes.iter().enumerate() {
            let mut first = vec![None; axis.values.len()];
            for (at, point) in self.points.iter().enumerate().rev() {
                first[point[i]] = Some(at);
            }
            for point in first.into_iter().skip(1).flatten() {
                attempt(point, self.spec.vary[&axis.name].span())?;
            }
        }
        Ok(())
    }
}

/// A simulation, and the place of each of its first keys.
type Placed = (Setup, Vec<Range<usize>>);

/// What is wrong first with a simulation's scenario, which the rest often follows from.
fn first_problem(setup: &Setup) -> Option<String> {
    setup.scenario().err().map(|why| crate::runner::first(&why))
}

/// Whether texts depend on an axis, by its name or by that of a quantity.
fn uses(texts: &[String], axis: &str, quantities: &IndexMap<String, Spanned<String>>) -> bool {
    let mut names: Vec<&str> = texts.iter().flat_map(|text| places(text)).map(|(name, _)| name).collect();
    let mut known = HashSet::new();
    while let Some(name) = names.pop() {
        if name.split_once('.').map_or(name, |(axis, _)| axis) == axis {
            return true;
        }
        if let Some(quantity) = quantities.get(name).filter(|_| known.insert(name)) {
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
            names.extend(quantity.get_ref().split(|c| !is_part(c)));
        }
    }
    false
}
