//! From a study file to a study: groups of runs and their points, and a plan for each experiment and size.

use super::Scenarios;
use super::axes::{Axis, AxisValue};
use super::code::{Compiled, constant, part};
use super::error::{Problem, suggest};
use super::experiments::{column, definitions};
use super::runs::Runs;
use super::spec::{Experiment, File, Sizes};
use super::template::{Texts, check_texts, fill, with_texts};
use crate::expr::parse;
use crate::{Plan, Quantity, SetupId, Size, Study};
use indexmap::IndexMap;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::Arc;
use toml::Spanned;

/// What the experiments of a file share.
pub(crate) struct Built {
    pub groups: Vec<Runs>,
    pub quantities: IndexMap<String, Spanned<String>>,
    pub texts: Texts,
    pub sizes: Sizes,
}

/// Values of some of a group's axes.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    pub group: usize,
    pub values: Vec<Option<usize>>,
    pub size: Size,
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
        let values = built.groups[group].axes.iter().map(only).collect();
        Selection { group, values, size: Size::Default }
    }

    /// The same in that size.
    pub fn sized(self, size: Size) -> Self {
        Selection { size, ..self }
    }

    /// No axis has a value yet, not even one that has only one.
    pub fn blank(built: &Built, group: usize) -> Self {
        Selection { group, values: vec![None; built.groups[group].axes.len()], size: Size::Default }
    }

    /// The same values of axes with the same names in another group.
    pub fn in_group(&self, built: &Built, group: usize) -> Self {
        let mut there = Selection::open(built, group).sized(self.size);
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
        let mut fitting = self.points(built);
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

    /// The number that a quantity without runs has here, as a text.
    fn number(&self, built: &Built, name: &str) -> Result<Option<String>, Problem> {
        let Some(quantity) = built.quantities.get(name) else { return Ok(None) };
        constant(built, quantity, self).map(|number| Some(number.to_string()))
    }

    /// A text with the values in their places.
    pub fn fill(&self, built: &Built, text: &str) -> Result<String, Problem> {
        let text = with_texts(text, &built.texts)?;
        let value = |name: &str| {
            self.text(built, name).map_or_else(|| self.number(built, name), |text| Ok(Some(text)))
        };
        fill(&text, &value, &self.axes(built).collect::<Vec<_>>())
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
            all.retain(|here| here.points(built).next().is_some());
        }
        Ok(all)
    }

    /// The points that have its values.
    pub fn points<'a>(&'a self, built: &'a Built) -> impl Iterator<Item = usize> + 'a {
        let fits = |point: &Vec<usize>| {
            point.iter().zip(&self.values).all(|(i, value)| value.is_none_or(|v| v == *i))
        };
        let points = built.groups[self.group].points.iter().enumerate();
        points.filter(move |(_, point)| fits(point)).map(|(i, _)| i)
    }
}

/// A plan that is being made.
pub(crate) struct Planner<'a> {
    pub built: &'a Built,
    pub size: Size,
    pub plan: Plan,
    /// The values of axes that the experiment's identifiers name.
    pub fixed: Option<&'a Selection>,
    pub made: HashMap<(usize, usize), SetupId>,
}

impl Planner<'_> {
    /// No axis of the group has a value yet, but those with one value only, and those that the experiment fixes.
    pub fn open(&self, group: usize) -> Selection {
        let open = || Selection::open(self.built, group);
        self.fixed.map_or_else(open, |fixed| fixed.in_group(self.built, group)).sized(self.size)
    }

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
    let groups = std::mem::take(&mut file.runs)
        .into_iter()
        .map(|(name, spec)| Runs::read(&name, spec, &file.quantities, scenarios));
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
    check_texts(&file.texts)?;
    let built = Arc::new(Built { groups, quantities: file.quantities, texts: file.texts, sizes: file.size });
    for group in 0..built.groups.len() {
        built.groups[group].try_each_value(&built, group)?;
    }
    let columns = file.columns.iter().map(column).collect::<Result<Vec<_>, _>>()?;
    let id = file.id.unwrap_or_else(|| stem.to_owned());
    let mut experiments = file.experiments;
    let alone = !file.rows.is_empty() || !file.figures.is_empty() || experiments.is_empty();
    if alone {
        let all = built.groups.iter().map(|group| Spanned::new(0..0, group.name.clone())).collect();
        let (rows, figures) = (file.rows, file.figures);
        let ids = vec![Spanned::new(0..0, id.clone())];
        experiments.insert(
            0,
            Experiment { ids, title: file.title.clone(), runs: all, rows, figures, ..Default::default() },
        );
    }
    let definitions =
        experiments.into_iter().map(|spec| definitions(&built, spec)).collect::<Result<Vec<_>, _>>()?;
    Ok(Study {
        id,
        name: stem.to_owned(),
        title: file.title,
        citation: file.cite.unwrap_or_default(),
        notes: file.notes.iter().map(|note| with_texts(note, &built.texts)).collect::<Result<_, _>>()?,
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
        experiments: definitions.into_iter().flatten().collect(),
    })
}

/// A number of seeds, or a multiple of them.
pub(crate) fn within(number: Option<u32>, what: &str) -> Result<(), Problem> {
    match number {
        Some(n) if !(1..=MAX_SEEDS).contains(&n) => {
            Err(Problem::new(format!("`{what}` is {n}: it is a whole number from 1 to {MAX_SEEDS}")))
        }
        _ => Ok(()),
    }
}

/// As on the command line.
const MAX_SEEDS: u32 = 10_000;
