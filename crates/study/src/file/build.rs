//! From a study file to a study: groups of runs and their points, and a plan for each experiment and size.

use super::axes::Axis;
use super::compile::{Compiled, part};
use super::error::Problem;
use super::experiments::{column, definitions};
use super::keys;
use super::names::Names;
use super::runs::Runs;
use super::selection::Selection;
use super::spec::{Experiment, File, Headline, Sizes};
use super::template::{Texts, check_texts, named, places, with_texts};
use super::{Part, Scenarios};
use crate::expr::parse;
use crate::setup::Samples;
use crate::{Plan, Quantity, SetupId, Size, Study};
use anabranch_scenario::suggest;
use indexmap::IndexMap;
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use toml::Spanned;

/// What the experiments of a file share.
pub(crate) struct Built {
    pub groups: Vec<Runs>,
    /// The file's own, which runs may take, and rows and figures may go over.
    pub axes: Vec<Axis>,
    pub quantities: IndexMap<String, Spanned<String>>,
    pub texts: Texts,
    pub sizes: Sizes,
    /// Where the file's lines begin.
    pub lines: Vec<usize>,
    /// Its name, as messages have it, and its text.
    pub source: Arc<(String, String)>,
}

impl Built {
    /// The line of a place in the file, from 1.
    pub fn line(&self, place: usize) -> usize {
        self.lines.partition_point(|begin| *begin <= place)
    }

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

/// A plan that is being made.
pub(crate) struct Planner<'a> {
    pub built: &'a Built,
    pub size: Size,
    pub plan: Plan,
    /// The values of axes that the experiment's identifiers name.
    pub fixed: Option<&'a Selection>,
    pub made: HashMap<(usize, usize), SetupId>,
    /// The identifiers of the study so far.
    pub names: &'a mut Names,
}

impl Planner<'_> {
    /// No axis of the group has a value yet, but those with one value only, and those that the experiment fixes.
    pub fn open(&self, group: Option<usize>) -> Selection {
        let open = || Selection::open(self.built, group);
        self.fixed.map_or_else(open, |fixed| fixed.in_group(self.built, group)).sized(self.size)
    }

    /// The simulation of a group's point, made once.
    pub fn simulate(&mut self, (group, point): (usize, usize), samples: Samples) -> Result<SetupId, Problem> {
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
        self.plan.sample(id, samples);
        Ok(id)
    }

    /// An expression as a quantity that a row stands or falls with: what no run can have is a mistake.
    pub fn needed(&mut self, mut compiled: Compiled) -> Result<Quantity, Problem> {
        let needs = compiled.take_needs();
        let quantity = self.quantity(compiled)?;
        for (run, missing) in needs {
            let source = Arc::clone(&self.built.source);
            let place = move |scenario: &_| Some(missing(scenario)?.within(&source.0, &source.1));
            self.plan.need(self.made[&run], place);
        }
        Ok(quantity)
    }

    /// An expression as a quantity.
    pub fn quantity(&mut self, compiled: Compiled) -> Result<Quantity, Problem> {
        for run in &compiled.runs {
            self.simulate(*run, if compiled.samples { Samples::All } else { Samples::None })?;
        }
        let made = &self.made;
        Ok(compiled.quantity(|run, _| made[&run]))
    }
}

/// The study that a file is.
pub(crate) fn study(
    mut file: File,
    name: &str,
    text: &str,
    stem: &str,
    scenarios: Scenarios<'_>,
    of: &[Part],
) -> Result<Study, Problem> {
    let axes = file.axes.iter().map(|(name, axis)| Axis::read(name, axis, &[]));
    let axes = axes.collect::<Result<Vec<_>, _>>()?;
    let groups = std::mem::take(&mut file.runs).into_iter();
    let groups = groups.map(|(name, spec)| Runs::read(&name, spec, &axes, &file.quantities, scenarios, of));
    let groups = groups.collect::<Result<Vec<_>, _>>()?;
    let axes = axes.into_iter().map(|axis| axis.part(of)).collect::<Result<Vec<_>, _>>()?;
    let every = axes.iter().chain(groups.iter().flat_map(|group| &group.axes));
    of.iter().try_for_each(|part| has(every.clone(), part))?;
    let files = groups.iter().flat_map(|group| &group.files);
    let texts = std::iter::once(text).chain(files.map(|network| &*network.file.text));
    let digest = texts.fold(Sha256::new(), |hash, text| hash.chain_update(Sha256::digest(text.as_bytes())));
    let values = of.iter().flat_map(|(axis, values)| std::iter::once(axis).chain(values));
    let digest = values.fold(digest, |hash, text| hash.chain_update(Sha256::digest(text.as_bytes())));
    let hash = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let sizes = [&file.size.quick, &file.size.default, &file.size.full];
    for changes in sizes {
        if let Some(seeds) = &changes.seeds {
            within(Some(*seeds.get_ref()), "seeds").map_err(|problem| problem.or_at(seeds.span()))?;
        }
    }
    keys::sizes(&file)?;
    for (name, quantity) in &file.quantities {
        named(name, "a quantity").map_err(|problem| problem.or_at(quantity.span()))?;
    }
    let seeds = sizes.map(|changes| changes.seeds.as_ref().map(|seeds| *seeds.get_ref()));
    for quantity in file.quantities.values().filter(|quantity| places(quantity.get_ref()).is_empty()) {
        parse(quantity.get_ref()).map_err(|wrong| Problem::at(part(quantity, wrong.at), wrong.message))?;
    }
    check_texts(&file.texts)?;
    let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let built = Arc::new(Built {
        groups,
        axes,
        quantities: file.quantities,
        texts: file.texts,
        sizes: file.size,
        lines,
        source: Arc::new((name.to_owned(), text.to_owned())),
    });
    for group in 0..built.groups.len() {
        built.groups[group].try_each_value(&built, group)?;
    }
    let columns = file.columns.iter().map(column).collect::<Result<Vec<_>, _>>()?;
    let id = file.id.unwrap_or_else(|| stem.to_owned());
    let mut experiments = file.experiments;
    let alone = !file.rows.is_empty()
        || !file.figures.is_empty()
        || !file.findings.is_empty()
        || experiments.is_empty();
    if alone {
        let all = built.groups.iter().map(|group| Spanned::new(0..0, group.name.clone())).collect();
        let (rows, figures, findings) = (file.rows, file.figures, file.findings);
        let ids = vec![Spanned::new(0..0, id.clone())];
        experiments.insert(
            0,
            Experiment {
                ids,
                title: file.title.clone(),
                runs: all,
                rows,
                figures,
                findings,
                ..Default::default()
            },
        );
    }
    let place = {
        let built = Arc::clone(&built);
        move |command: &str, size| {
            let is = |runs: &Runs, group, point: &usize| {
                runs.setup(&built, group, *point, size).is_ok_and(|setup| setup.command(1) == command)
            };
            built
                .groups
                .iter()
                .enumerate()
                .find_map(|(group, runs)| {
                    let point = (0..runs.points.len()).find(|point| is(runs, group, point))?;
                    runs.no_scenario(&built, group, point, size, runs.spec.scenario.span())
                })
                .map(|problem| problem.within(&built.source.0, &built.source.1))
        }
    };
    let mut names = Names::of_sizes();
    let definitions = experiments.into_iter().map(|spec| definitions(&built, spec, &mut names));
    let definitions = definitions.collect::<Result<Vec<_>, _>>()?;
    // A part of a study may lack rows.
    if let Some(headline) = file.headline.as_ref().filter(|_| of.is_empty()) {
        let known = |id: &str| names.iter().any(|(_, names)| names.has_row(id));
        let ids = headline.judged.iter().chain(headline.values.values());
        ids.into_iter().try_for_each(|id| match known(id.get_ref()) {
            true => Ok(()),
            false => Err(Problem::at(id.span(), format!("no row has the identifier `{}`", id.get_ref()))),
        })?;
    }
    Ok(Study {
        id,
        name: stem.to_owned(),
        title: with_texts(&file.title, &built.texts)?,
        citation: file.cite.unwrap_or_default(),
        notes: file.notes.iter().map(|note| with_texts(note, &built.texts)).collect::<Result<_, _>>()?,
        errata: file.errata.iter().map(|text| with_texts(text, &built.texts)).collect::<Result<_, _>>()?,
        headline: file.headline.map(Headline::into),
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
        place: Some(Box::new(place)),
    })
}

/// Whether there are an axis of that name and these values of it.
fn has<'a>(axes: impl Iterator<Item = &'a Axis> + Clone, (name, values): &Part) -> Result<(), Problem> {
    let of_name = || axes.clone().filter(|axis| axis.name == *name);
    if of_name().next().is_none() {
        let known: BTreeSet<&str> = axes.map(|axis| axis.name.as_str()).collect();
        return Err(Problem::new(format!("there is no axis `{name}`")).help(suggest(name, known)));
    }
    match values.iter().find(|value| of_name().all(|axis| axis.find(value).is_none())) {
        Some(value) => Err(Problem::new(format!("axis `{name}` has no value `{value}`"))),
        None => Ok(()),
    }
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
