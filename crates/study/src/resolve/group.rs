//! A group of runs: a scenario, its axes and their points.

use super::axes::{Axis, AxisSubset, leaders, parts, points, written};
use super::network::{Network, Scenarios};
use super::points;
use crate::parse::template::{fill, places};
use crate::parse::{OrAt, Problem, Spanned, keys, spec};
use crate::size::Size;
use indexmap::IndexMap;
use std::collections::{HashMap, HashSet};
use toml::Value;

/// A group of runs: a scenario and the points of its axes.
pub(crate) struct Group {
    pub name: String,
    pub axes: Vec<Axis>,
    pub points: Vec<Vec<usize>>,
    /// The points to run in each size; `None` for all.
    only: [Option<Vec<usize>>; 3],
    /// The index of each point.
    pub index: HashMap<Vec<usize>, usize>,
    /// Its scenario files: one, or several that an axis names.
    pub files: Vec<Network>,
    /// Each point's scenario file.
    pub file_of: Vec<usize>,
    pub spec: spec::Group,
}

impl Group {
    pub fn read(
        name: &str,
        spec: spec::Group,
        shared: &[Axis],
        quantities: &IndexMap<String, Spanned<String>>,
        scenarios: Scenarios<'_>,
        of: &[AxisSubset],
    ) -> Result<Self, Problem> {
        let at = spec.scenario.span();
        keys::runs(&spec)?;
        let axes = spec.vary.iter().map(|(name, axis)| Axis::read(name, axis, shared));
        let axes = axes.collect::<Result<Vec<_>, _>>()?;
        let leaders = leaders(&axes, spec.zip.as_ref().map_or(&[], |zip| &zip[..]));
        let leaders = leaders
            .map_err(|problem| spec.zip.iter().fold(problem, |problem, zip| problem.or_at(zip.span())))?;
        let axes = parts(&axes, &leaders, of)?;
        for axis in &axes {
            let at = spec.vary[&axis.name].span();
            let set = spec.set.values().map(|value| written(value));
            let others = [&spec.backend, &spec.duration, &spec.warmup].into_iter().flatten();
            let texts = others.chain([&spec.scenario]).map(|text| &**text).chain(spec.cc.as_deref()).cloned();
            let used = || uses(&set.chain(texts).collect::<Vec<_>>(), &axis.name, quantities);
            let sets = axis.key.is_some() || axis.values.iter().any(|value| value.set().is_some());
            if !sets && axis.values.len() > 1 && !used() {
                let place = format!("{{{}", axis.name);
                return Err(Problem::at(at, format!("axis `{}` has no effect", axis.name)).help(format!(
                    "give it a `key`, its values a `set`, or write {place}}} in `cc`, `scenario`, `backend`, `duration` or a value of `set`"
                )));
            }
        }
        let points = points(&axes, &leaders).or_at(at)?;
        let index = points.iter().enumerate().map(|(i, point)| (point.clone(), i)).collect();
        let named = |own: Option<&Spanned<Value>>| {
            let only = own.or(spec.only.as_ref()).map(|only| points::named(only, &axes, &points));
            only.transpose().map(Option::flatten)
        };
        let only = [named(spec.quick.only.as_ref())?, named(None)?, named(spec.full.only.as_ref())?];
        let (files, file_of) = (vec![], vec![]);
        let mut runs = Group { name: name.into(), axes, points, only, index, files, file_of, spec };
        runs.read_files(scenarios).or_at(runs.spec.scenario.span())?;
        Ok(runs)
    }

    /// Reads the scenario of each point, each file once.
    fn read_files(&mut self, scenarios: Scenarios<'_>) -> Result<(), Problem> {
        let known: Vec<&str> = self.axes.iter().map(|axis| axis.name.as_str()).collect();
        for point in &self.points {
            let value = |name: &str| {
                let (axis, field) = name.split_once('.').map_or((name, None), |(axis, f)| (axis, Some(f)));
                let i = self.axes.iter().position(|known| known.name == axis);
                Ok(i.and_then(|i| self.axes[i].values[point[i]].field(field)))
            };
            let name = fill(&self.spec.scenario, &value, &known)?;
            let known = self.files.iter().position(|known| *known.file.name == *name);
            self.file_of.push(known.unwrap_or(self.files.len()));
            if known.is_none() {
                self.files.push(Network::read(&name, scenarios)?);
            }
        }
        Ok(())
    }

    /// The points to run in that size, in order; `None` for all.
    pub fn only(&self, size: Size) -> Option<&[usize]> {
        size.of(self.only.each_ref()).as_deref()
    }

    /// Whether that size runs the point.
    pub fn runs(&self, size: Size, point: usize) -> bool {
        self.only(size).is_none_or(|only| only.contains(&point))
    }

    /// Whether every combination of values has a point.
    pub fn is_crossed(&self, size: Size) -> bool {
        let all = self.axes.iter().map(|axis| axis.values.len()).product::<usize>();
        self.only(size).is_none() && self.points.len() == all
    }
}

/// Whether texts depend on an axis, by its name or by a quantity's name.
fn uses(texts: &[String], axis: &str, quantities: &IndexMap<String, Spanned<String>>) -> bool {
    let mut names: Vec<&str> = texts.iter().flat_map(|text| places(text)).map(|(name, _)| name).collect();
    let mut known = HashSet::new();
    while let Some(name) = names.pop() {
        if name.split_once('.').map_or(name, |(axis, _)| axis) == axis {
            return true;
        }
        if let Some(quantity) = quantities.get(name).filter(|_| known.insert(name)) {
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
            names.extend(quantity.split(|c| !is_part(c)));
        }
    }
    false
}
