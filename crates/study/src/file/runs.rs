//! A group of runs: a scenario, its axes, and the simulation of each of their points.

use super::Scenarios;
use super::axes::{Axis, points, written};
use super::build::{Built, within};
use super::error::{Problem, suggest};
use super::lengths;
use super::selection::Selection;
use super::spec::{Count, Group};
use super::template::places;
use crate::column;
use crate::functions::Takes;
use crate::{ScenarioFile, Setup, Size, tidy};
use anabranch_scenario::{Overrides, Scenario, Source};
use indexmap::IndexMap;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use toml::Spanned;

/// A group of runs: a scenario and the points of its axes.
pub(crate) struct Runs {
    pub name: String,
    pub axes: Vec<Axis>,
    pub points: Vec<Vec<usize>>,
    /// Where each point is.
    pub index: HashMap<Vec<usize>, usize>,
    pub file: ScenarioFile,
    pub scenario: Scenario,
    pub spec: Group,
}

impl Runs {
    pub fn read(
        name: &str,
        spec: Group,
        shared: &[Axis],
        quantities: &IndexMap<String, Spanned<String>>,
        scenarios: Scenarios<'_>,
    ) -> Result<Self, Problem> {
        let at = spec.scenario.span();
        let file = scenarios(spec.scenario.get_ref())
            .map_err(|why| Problem::at(at.clone(), format!("cannot read the scenario {why}")))?;
        let path = &file.path;
        let source = Source { name: path.to_string(), text: file.text.to_string() };
        let scenario = anabranch_scenario::load(&source, &Overrides::default()).map_err(|why| {
            let first =
                why.problems().first().map(|p| format!(", line {}: {p}", p.line())).unwrap_or_default();
            Problem::at(at.clone(), format!("{path} is no scenario{first}"))
        })?;
        let axes = spec.vary.iter().map(|(name, axis)| Axis::read(name, axis, shared));
        let axes = axes.collect::<Result<Vec<_>, _>>()?;
        for (count, what) in [(&spec.repeats, "repeats"), (&spec.at_most, "at_most")] {
            let mut counts = count.iter().flat_map(Count::all);
            counts.try_for_each(|n| within(Some(n), what)).map_err(|problem| problem.or_at(at.clone()))?;
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
            let lengths = [&spec.cc, &spec.duration, &spec.warmup].into_iter().flatten().cloned();
            let used = || uses(&set.chain(lengths).collect::<Vec<_>>(), &axis.name, quantities);
            if axis.key.is_none() && axis.values.len() > 1 && !used() {
                let place = format!("{{{}", axis.name);
                return Err(Problem::at(at, format!("axis `{}` changes nothing", axis.name)).help(format!(
                    "give it a `key`, or write {place}}} in `cc`, `duration` or a value of `set`"
                )));
            }
        }
        let points = points(&axes, &spec.zip, at)?;
        let index = points.iter().enumerate().map(|(i, point)| (point.clone(), i)).collect();
        Ok(Runs { name: name.into(), axes, points, index, file, scenario, spec })
    }

    /// Whether there is a point for each combination of values.
    pub fn is_crossed(&self) -> bool {
        self.points.len() == self.axes.iter().map(|axis| axis.values.len()).product::<usize>()
    }

    /// Its flows' names in the file.
    fn flows(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.scenario.flows.iter().map(|flow| column::base(&flow.name)).collect();
        names.dedup();
        names
    }

    /// Whether the scenario has such a flow or link.
    pub fn check(&self, takes: Takes, name: &str) -> Result<(), Problem> {
        let (what, known): (_, Vec<&str>) = match takes {
            Takes::Flow | Takes::Flows => {
                ("flow", self.scenario.flows.iter().map(|flow| flow.name.as_str()).collect())
            }
            Takes::Link => ("link", self.scenario.links.iter().map(|link| link.name.as_str()).collect()),
            _ => return Ok(()),
        };
        // An axis may change how many flows of a name there are: `tcp/7` may be one, `tcp` alone is one or all.
        let base = column::base(name);
        let known_base = takes != Takes::Link && self.flows().contains(&base);
        match known.contains(&name) || (known_base && (takes == Takes::Flows || base != name)) {
            true => Ok(()),
            false if known_base => Err(Problem::new(format!("`{name}` is several flows"))
                .help(format!("name one, `{name}/1`, or all of them: total(\"{name}\")"))),
            false => {
                Err(Problem::new(format!("{} has no {what} `{name}`", self.file.name))
                    .help(suggest(name, known)))
            }
        }
    }

    /// A subflow's index from its number.
    pub fn subflow(&self, flow: &str, number: f64) -> Result<usize, Problem> {
        let paths = self
            .scenario
            .flows
            .iter()
            .find(|known| known.name == flow)
            .map_or(usize::MAX, |flow| flow.paths.len());
        match number.fract() == 0.0 && number >= 1.0 && number <= paths as f64 {
            true => Ok(number as usize - 1),
            false => Err(Problem::new(format!("flow `{flow}` has the subflows 1 to {paths}, not {number}"))),
        }
    }

    /// The simulation of a point.
    pub fn setup(&self, built: &Built, group: usize, point: usize, size: Size) -> Result<Setup, Problem> {
        let here = Selection::of_point(built, group, &self.points[point], size);
        let title = match &self.spec.title {
            Some(title) => here.fill(built, title)?,
            None => {
                let values =
                    self.axes.iter().zip(&self.points[point]).map(|(axis, i)| axis.values[*i].label.clone());
                let values: Vec<String> = values.collect();
                if values.is_empty() { self.name.clone() } else { values.join(", ") }
            }
        };
        let mut setup = Setup::new(title, &self.file);
        if let Some(cc) = &self.spec.cc {
            setup = setup.cc(&here.fill(built, cc)?);
        }
        for (key, value) in &self.spec.set {
            let text =
                here.fill(built, &written(value.get_ref())).map_err(|problem| problem.or_at(value.span()))?;
            setup = self.set(setup, key, &text, value.span())?;
        }
        for (axis, i) in self.axes.iter().zip(&self.points[point]) {
            if let Some(key) = &axis.key {
                let at = self.spec.vary[&axis.name].span();
                setup = self.set(setup, key, &axis.values[*i].id, at)?;
            }
        }
        for length in [&lengths::DURATION, &lengths::WARMUP] {
            if let Some(value) = length.of(self, built, &here, size)? {
                setup = setup.set(length.key, value);
            }
        }
        if let Some(times) = &self.spec.repeats {
            setup = setup.repeats(times.here(built, &here)?.unwrap_or(1));
        }
        Ok(match &self.spec.at_most {
            Some(most) => setup.at_most(most.here(built, &here)?.unwrap_or(u32::MAX)),
            None => setup,
        })
    }

    /// Whether each value of each axis makes a scenario, the others at their first: mistakes show before anything runs.
    pub fn try_each_value(&self, built: &Built, group: usize) -> Result<(), Problem> {
        let attempt = |point: usize, at: Range<usize>| {
            let setup = self.setup(built, group, point, Size::Default);
            let setup = setup.map_err(|problem| problem.or_at(at.clone()))?;
            setup.scenario().map(|_| ()).map_err(|why| {
                let first =
                    why.problems().first().map(|p| format!(": {p}, in \"{}\"", p.text())).unwrap_or_default();
                Problem::at(at, format!("runs `{}` are no scenario{first}", self.name))
                    .help(format!("`{}` shows all of it", setup.command(1).replacen("run", "check", 1)))
            })
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

    /// Sets a key; `*` in it stands for each link or flow, and `tcp.KEY` for that of every flow.
    fn set(&self, setup: Setup, key: &str, value: &str, at: Range<usize>) -> Result<Setup, Problem> {
        if let Some(rest) = key.strip_prefix("tcp.") {
            return self.set(setup, &format!("flows.*.tcp.{rest}"), value, at);
        }
        if !key.contains('*') {
            return Ok(setup.set(key, value));
        }
        let links = || self.scenario.links.iter().map(|link| link.name.as_str()).collect::<Vec<_>>();
        let (names, rest) = match (key.strip_prefix("links.*"), key.strip_prefix("flows.*")) {
            (Some(rest), _) => (links(), rest),
            (_, Some(rest)) => (self.flows(), rest),
            _ => {
                return Err(Problem::at(at, format!("`{key}`: `*` stands for every link or every flow"))
                    .help("write links.*.KEY or flows.*.KEY"));
            }
        };
        let table = &key[..5];
        let quoted = |name: &str| if name.contains('.') { format!("\"{name}\"") } else { name.to_owned() };
        Ok(names
            .into_iter()
            .fold(setup, |setup, name| setup.set(&format!("{table}.{}{rest}", quoted(name)), value)))
    }
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
