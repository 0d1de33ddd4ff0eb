//! From a study file to a study: groups of runs and their points, and a plan for each experiment and size.

use super::axes::{Axis, AxisValue, points, written};
use super::code::{Compiled, part};
use super::error::{Problem, suggest};
use super::spec::{Changes, Experiment, File, Group, Sizes};
use super::{Scenarios, figures, rows, template};
use crate::column::{self, BOTH, PLAIN_START, RETIRED, TICK, TSO};
use crate::expr::parse;
use crate::functions::Takes;
use crate::{Column, Definition, Plan, Quantity, ScenarioFile, Setup, SetupId, Size, Study, tidy};
use anabranch_scenario::{Overrides, Scenario, Source};
use indexmap::IndexMap;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;

/// What the experiments of a file share.
pub(crate) struct Built {
    pub groups: Vec<Runs>,
    pub quantities: IndexMap<String, Spanned<String>>,
    sizes: Sizes,
}

/// A group of runs: a scenario and the points of its axes.
pub(crate) struct Runs {
    pub name: String,
    pub axes: Vec<Axis>,
    points: Vec<Vec<usize>>,
    /// Where each point is.
    index: HashMap<Vec<usize>, usize>,
    file: ScenarioFile,
    scenario: Scenario,
    spec: Group,
}

/// Values of some of a group's axes.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    pub group: usize,
    values: Vec<Option<usize>>,
}

impl Built {
    /// The group of that name.
    pub fn group(&self, name: &str) -> Result<usize, Problem> {
        let found = self.groups.iter().position(|group| group.name == name);
        let known = self.groups.iter().map(|group| group.name.as_str());
        found.ok_or_else(|| Problem::new(format!("there are no runs `{name}`")).help(suggest(name, known)))
    }

    /// That, or the only one.
    pub fn group_or_only(&self, name: Option<&str>) -> Result<usize, Problem> {
        match (name, &self.groups[..]) {
            (Some(name), _) => self.group(name),
            (None, [_]) => Ok(0),
            (None, []) => Err(Problem::new("the study has no runs").help("add [runs.NAME] with a scenario")),
            (None, groups) => {
                let known = groups.iter().map(|group| group.name.as_str()).collect::<Vec<_>>().join(", ");
                Err(Problem::new("which runs are meant?").help(format!("add runs = …; there are: {known}")))
            }
        }
    }
}

impl Selection {
    /// No axis has a value yet, but those with one value only.
    pub fn open(built: &Built, group: usize) -> Self {
        let only = |axis: &Axis| (axis.values.len() == 1).then_some(0);
        Selection { group, values: built.groups[group].axes.iter().map(only).collect() }
    }

    /// The same values of axes with the same names in another group.
    pub fn in_group(&self, built: &Built, group: usize) -> Self {
        let mut there = Selection::open(built, group);
        for (axis, value) in built.groups[group].axes.iter().zip(&mut there.values) {
            let same = self.value(built, &axis.name).and_then(|here| axis.find(&here.id));
            *value = same.or(*value);
        }
        there
    }

    /// Gives an axis a value.
    pub fn set(&mut self, built: &Built, axis: &str, value: &str) -> Result<(), Problem> {
        let axes = &built.groups[self.group].axes;
        let i = axes.iter().position(|known| known.name == axis).ok_or_else(|| {
            let known = axes.iter().map(|axis| axis.name.as_str());
            Problem::new(format!("`{axis}` is no axis of runs `{}`", built.groups[self.group].name))
                .help(suggest(axis, known))
        })?;
        let known = || axes[i].values.iter().map(|value| value.id.as_str());
        let found = axes[i].find(value).ok_or_else(|| {
            Problem::new(format!("axis `{axis}` has no value `{value}`")).help(suggest(value, known()))
        })?;
        self.values[i] = Some(found);
        Ok(())
    }

    /// The value of an axis, if it has one here.
    pub fn value<'a>(&self, built: &'a Built, axis: &str) -> Option<&'a AxisValue> {
        let axes = &built.groups[self.group].axes;
        let i = axes.iter().position(|known| known.name == axis)?;
        Some(&axes[i].values[self.values[i]?])
    }

    /// The names of its axes.
    pub fn axes<'a>(&self, built: &'a Built) -> impl Iterator<Item = &'a str> {
        built.groups[self.group].axes.iter().map(|axis| axis.name.as_str())
    }

    /// The point where every axis has a value.
    pub fn point(&self, built: &Built) -> Result<usize, Problem> {
        let group = &built.groups[self.group];
        let whole: Option<Vec<usize>> = self.values.iter().copied().collect();
        if let Some(whole) = whole {
            let impossible = || Problem::new("axes that go together have no such values in common");
            return group.index.get(&whole).copied().ok_or_else(impossible);
        }
        let fits = |point: &Vec<usize>| {
            point.iter().zip(&self.values).all(|(i, value)| value.is_none_or(|v| v == *i))
        };
        let mut fitting = group.points.iter().enumerate().filter(|(_, point)| fits(point)).map(|(i, _)| i);
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => Ok(only),
            (None, _) => Err(Problem::new("axes that go together have no such values in common")),
            (Some(_), Some(_)) => {
                let open = group.axes.iter().zip(&self.values).find(|(_, value)| value.is_none());
                let open = open.map_or("", |(axis, _)| &axis.name);
                Err(Problem::new(format!("which value of axis `{open}` is meant?")).help(format!(
                    "name it in the identifier, `{{{open}}}`, or give it: at = {{ {open} = … }}"
                )))
            }
        }
    }

    /// What `{axis}` or `{axis.field}` stands for.
    pub fn text(&self, built: &Built, name: &str) -> Option<String> {
        let (axis, field) = name.split_once('.').map_or((name, None), |(axis, field)| (axis, Some(field)));
        self.value(built, axis)?.field(field)
    }

    /// A text with the values in their places.
    pub fn fill(&self, built: &Built, text: &str) -> Result<String, Problem> {
        template::fill(text, &|name| self.text(built, name), &self.axes(built).collect::<Vec<_>>())
    }

    /// Every selection that gives these axes values beside its own.
    pub fn each(&self, built: &Built, axes: &[&str]) -> Result<Vec<Selection>, Problem> {
        let group = &built.groups[self.group];
        let mut all = vec![self.clone()];
        for name in axes {
            let i = group.axes.iter().position(|axis| axis.name == *name).ok_or_else(|| {
                Problem::new(format!("`{name}` is no axis of runs `{}`", group.name))
                    .help(suggest(name, self.axes(built)))
            })?;
            let of = |here: &Selection| {
                let here = here.clone();
                let values = match here.values[i] {
                    Some(fixed) => fixed..fixed + 1,
                    None => 0..group.axes[i].values.len(),
                };
                values.map(move |value| {
                    let mut here = here.clone();
                    here.values[i] = Some(value);
                    here
                })
            };
            all = all.iter().flat_map(of).collect();
        }
        // Axes that go together have not every pair.
        if !group.spec.zip.is_empty() {
            all.retain(|here| here.is_possible(group));
        }
        Ok(all)
    }

    fn is_possible(&self, group: &Runs) -> bool {
        let fits = |point: &Vec<usize>| {
            point.iter().zip(&self.values).all(|(i, value)| value.is_none_or(|v| v == *i))
        };
        group.points.iter().any(fits)
    }
}

impl Runs {
    fn read(name: &str, spec: Group, scenarios: Scenarios<'_>) -> Result<Self, Problem> {
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
        let axes =
            spec.vary.iter().map(|(name, axis)| Axis::read(name, axis)).collect::<Result<Vec<_>, _>>()?;
        for number in [(spec.repeats, "repeats"), (spec.at_most, "at_most")] {
            within(number.0, number.1).map_err(|problem| problem.or_at(at.clone()))?;
        }
        for axis in &axes {
            let at = spec.vary[&axis.name].span();
            if tidy::COLUMNS.iter().any(|(name, _)| *name == axis.name) || axis.name == "runs" {
                return Err(Problem::at(at, format!("an axis cannot be called `{}`", axis.name))
                    .help("the table of all runs has a column of that name"));
            }
            let place = format!("{{{}", axis.name);
            let texts =
                spec.cc.iter().cloned().chain(spec.set.values().map(|value| written(value.get_ref())));
            let used =
                |text: String| text.contains(&format!("{place}}}")) || text.contains(&format!("{place}."));
            if axis.key.is_none() && axis.values.len() > 1 && !texts.into_iter().any(used) {
                return Err(Problem::at(at, format!("axis `{}` changes nothing", axis.name))
                    .help(format!("give it a `key`, or write {place}}} in `cc` or in a value of `set`")));
            }
        }
        let points = points(&axes, &spec.zip, at)?;
        let index = points.iter().enumerate().map(|(i, point)| (point.clone(), i)).collect();
        Ok(Runs { name: name.into(), axes, points, index, file, scenario, spec })
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
    fn setup(&self, built: &Built, group: usize, point: usize, size: Size) -> Result<Setup, Problem> {
        let here = Selection { group, values: self.points[point].iter().copied().map(Some).collect() };
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
        let none = Changes::default();
        let (of_file, of_group) = match size {
            Size::Quick => (&built.sizes.quick, &self.spec.quick),
            Size::Default => (&built.sizes.default, &none),
            Size::Full => (&built.sizes.full, &self.spec.full),
        };
        let duration =
            of_group.duration.as_ref().or(of_file.duration.as_ref()).or(self.spec.duration.as_ref());
        let warmup = of_group.warmup.as_ref().or(of_file.warmup.as_ref()).or(self.spec.warmup.as_ref());
        for (key, value) in [("duration", duration), ("warmup", warmup)] {
            if let Some(value) = value {
                setup = setup.set(key, value.clone());
            }
        }
        if let Some(times) = self.spec.repeats {
            setup = setup.repeats(times.max(1));
        }
        Ok(match self.spec.at_most {
            Some(most) => setup.at_most(most.max(1)),
            None => setup,
        })
    }

    /// Whether each value of each axis makes a scenario, the others at their first: mistakes show before anything runs.
    fn try_each_value(&self, built: &Built, group: usize) -> Result<(), Problem> {
        let attempt = |point: usize, at: Range<usize>| {
            let setup = self.setup(built, group, point, Size::Default)?;
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

/// A plan that is being made.
pub(crate) struct Planner<'a> {
    pub built: &'a Built,
    pub size: Size,
    pub plan: Plan,
    made: HashMap<(usize, usize), SetupId>,
}

impl Planner<'_> {
    /// The simulation of a group's point, made once.
    pub fn simulate(&mut self, (group, point): (usize, usize), samples: bool) -> Result<SetupId, Problem> {
        let id = match self.made.get(&(group, point)) {
            Some(id) => *id,
            None => {
                let runs = &self.built.groups[group];
                let setup = runs.setup(self.built, group, point, self.size)?;
                let labels = runs.axes.iter().zip(&runs.points[point]);
                let labels = labels.map(|(axis, i)| (axis.name.clone(), axis.values[*i].id.clone()));
                // Groups may have axes of the same names.
                let several = self.built.groups.len() > 1;
                let of = several.then(|| ("runs".to_owned(), runs.name.clone()));
                let labels = of.into_iter().chain(labels).collect();
                let id = self.plan.simulate_at(setup, labels);
                self.made.insert((group, point), id);
                id
            }
        };
        if samples {
            self.plan.sample(id);
        }
        Ok(id)
    }

    /// An expression as a quantity.
    pub fn quantity(&mut self, compiled: Compiled) -> Result<Quantity, Problem> {
        for run in &compiled.runs {
            self.simulate(*run, compiled.samples)?;
        }
        let made = &self.made;
        Ok(compiled.quantity(|run, _| made[&run]))
    }
}

/// The study that a file is.
pub(crate) fn study(
    mut file: File,
    text: &str,
    stem: &str,
    scenarios: Scenarios<'_>,
) -> Result<Study, Problem> {
    let groups =
        std::mem::take(&mut file.runs).into_iter().map(|(name, spec)| Runs::read(&name, spec, scenarios));
    let groups = groups.collect::<Result<Vec<_>, _>>()?;
    let texts = std::iter::once(text).chain(groups.iter().map(|group| &*group.file.text));
    let digest = texts.fold(Sha256::new(), |hash, text| hash.chain_update(Sha256::digest(text.as_bytes())));
    let hash = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let sizes = [&file.size.quick, &file.size.default, &file.size.full];
    for changes in sizes {
        within(changes.seeds, "seeds")?;
    }
    let seeds = sizes.map(|changes| changes.seeds);
    for quantity in file.quantities.values() {
        parse(quantity.get_ref()).map_err(|wrong| Problem::at(part(quantity, wrong.at), wrong.message))?;
    }
    let built = Arc::new(Built { groups, quantities: file.quantities, sizes: file.size });
    for group in 0..built.groups.len() {
        built.groups[group].try_each_value(&built, group)?;
    }
    let columns = file.columns.iter().map(named_column).collect::<Result<Vec<_>, _>>()?;
    let id = file.id.unwrap_or_else(|| stem.to_owned());
    let mut experiments = file.experiments;
    let alone = !file.rows.is_empty() || !file.figures.is_empty() || experiments.is_empty();
    if alone {
        let all = built.groups.iter().map(|group| Spanned::new(0..0, group.name.clone())).collect();
        let (rows, figures) = (file.rows, file.figures);
        let ids = vec![id.clone()];
        experiments.insert(
            0,
            Experiment { ids, title: file.title.clone(), runs: all, rows, figures, ..Default::default() },
        );
    }
    let definitions =
        experiments.into_iter().map(|spec| definition(&built, spec)).collect::<Result<Vec<_>, _>>()?;
    Ok(Study {
        id,
        name: stem.to_owned(),
        title: file.title,
        citation: file.cite.unwrap_or_default(),
        notes: file.notes,
        errata: file.errata,
        seeds: Box::new(move |size: Size| {
            let own = match size {
                Size::Quick => seeds[0],
                Size::Default => seeds[1],
                Size::Full => seeds[2],
            };
            own.unwrap_or(size.seeds()).max(1)
        }),
        hash: Some(hash),
        usual_sizes: false,
        columns,
        experiments: definitions,
    })
}

fn definition(built: &Arc<Built>, mut spec: Experiment) -> Result<Definition, Problem> {
    let ids = std::mem::take(&mut spec.ids);
    if ids.is_empty() {
        return Err(Problem::new(format!("the experiment \"{}\" has no identifier", spec.title))
            .help("add ids = [\"…\"]"));
    }
    let (title, notes) = (std::mem::take(&mut spec.title), std::mem::take(&mut spec.notes));
    for size in Size::ALL {
        plan(built, &spec, size)?;
    }
    let built = Arc::clone(built);
    // Each size has been tried.
    let plan = Box::new(move |size| plan(&built, &spec, size).unwrap_or_default());
    Ok(Definition { ids, title, notes, plan })
}

fn plan(built: &Built, spec: &Experiment, size: Size) -> Result<Plan, Problem> {
    let mut planner = Planner { built, size, plan: Plan::new(), made: HashMap::new() };
    for name in &spec.runs {
        let group = built.group(name.get_ref()).map_err(|problem| problem.or_at(name.span()))?;
        for point in 0..built.groups[group].points.len() {
            planner.simulate((group, point), false)?;
        }
    }
    for row in &spec.rows {
        rows::add(&mut planner, row)?;
    }
    for figure in &spec.figures {
        figures::add(&mut planner, figure)?;
    }
    let mut plan = planner.plan;
    let mut ids = HashSet::new();
    if let Some(twice) = plan.row_ids().find(|id| !ids.insert(*id)) {
        return Err(Problem::new(format!("two rows have the identifier `{twice}`"))
            .help("name in it the axis whose values they are of: {AXIS}"));
    }
    plan.columns(&spec.columns.iter().map(named_column).collect::<Result<Vec<_>, _>>()?);
    if spec.beyond {
        plan.beyond();
    }
    if spec.on_request {
        plan.on_request();
    }
    Ok(plan)
}

/// A number of seeds, or a multiple of them.
fn within(number: Option<u32>, what: &str) -> Result<(), Problem> {
    match number {
        Some(n) if !(1..=MAX_SEEDS).contains(&n) => {
            Err(Problem::new(format!("`{what}` is {n}: it is a whole number from 1 to {MAX_SEEDS}")))
        }
        _ => Ok(()),
    }
}

/// As on the command line.
const MAX_SEEDS: u32 = 10_000;

fn named_column(name: &Spanned<String>) -> Result<&'static Column, Problem> {
    let known: [&'static Column; 5] = [&RETIRED, &PLAIN_START, &TICK, &TSO, &BOTH];
    known.into_iter().find(|column| column.id == name.get_ref()).ok_or_else(|| {
        Problem::at(name.span(), format!("there is no column `{}`", name.get_ref()))
            .help(suggest(name.get_ref(), known.map(|column| column.id)))
    })
}
