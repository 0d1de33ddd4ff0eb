//! Experiments: sections of a study, or one for each value of the axes that their identifiers name.

use super::planner::{Names, Planner};
use super::rows::axes_of;
use super::variant::Variant;
use super::{Definition, Plan, Study, conditions, figures, findings, rows};
use crate::parse::spec::{Experiment, File};
use crate::parse::template::with_texts;
use crate::parse::{OrAt, Problem, Spanned};
use crate::resolve::axes::{AxisSubset, each_written, written};
use crate::resolve::resolved::Resolved;
use crate::resolve::selection::{Selection, Values};
use crate::setup::Samples;
use crate::size::Size;
use std::sync::Arc;
use toml::Value;

/// The study of a file, possibly restricted to subsets of axes. Tries its plans if asked to.
pub(crate) fn study(
    file: File,
    resolved: Resolved,
    stem: &str,
    of: &[AxisSubset],
    try_plans: bool,
) -> Result<Study, Problem> {
    let variants = file.variants.iter().map(variant).collect::<Result<Vec<_>, _>>()?;
    let id = file.id.unwrap_or_else(|| stem.to_owned());
    let mut specs = file.experiments;
    let (rows, figures, findings) = (file.rows, file.figures, file.findings);
    if !rows.is_empty() || !figures.is_empty() || !findings.is_empty() || specs.is_empty() {
        let unplaced = |name: &String| Spanned::new(0..0, name.clone());
        let (ids, title) = (vec![unplaced(&id)], file.title.clone());
        let runs = resolved.groups.iter().map(|group| unplaced(&group.name)).collect();
        specs.insert(0, Experiment { ids, title, runs, rows, figures, findings, ..Default::default() });
    }
    let resolved = Arc::new(resolved);
    let tried = if try_plans { &Size::ALL[..] } else { &[] };
    let mut names: Vec<_> = tried.iter().map(|size| (*size, Names::default())).collect();
    let mut experiments = Vec::new();
    for spec in specs {
        experiments.extend(definitions(&resolved, spec, &mut names)?);
    }
    // A restricted study may lack rows.
    let headline = file.headline.iter().filter(|_| try_plans && of.is_empty());
    for headline in headline {
        for id in headline.judged.iter().chain(headline.values.values()) {
            id.problem(format!("there is no row with the identifier `{}`", **id))
                .unless(names.iter().any(|(_, names)| names.has_row(id)))?;
        }
        let plans: Vec<Plan> = experiments.iter().map(|own: &Definition| own.plan(Size::Default)).collect();
        let unit = |id: &Spanned<String>| plans.iter().find_map(|plan| plan.unit_of(id));
        let first = headline.values.values().find_map(unit);
        let has_another = |id: &&Spanned<String>| unit(id).is_some_and(|other| Some(other) != first);
        if let Some(id) = headline.values.values().find(has_another) {
            let message = format!("the row `{}` has another unit than the headline's first value", **id);
            return Err(id.problem(message));
        }
    }
    let filled = |texts: &[String]| -> Result<Vec<String>, Problem> {
        texts.iter().map(|text| with_texts(text, &resolved.texts)).collect()
    };
    Ok(Study {
        id,
        name: stem.to_owned(),
        title: without_axes(&file.title, &resolved)?,
        citation: file.cite.unwrap_or_default(),
        notes: filled(&file.notes)?,
        errata: filled(&file.errata)?,
        headline: file.headline.map(Into::into),
        hash: Some(resolved.hash.clone()),
        usual_sizes: false,
        variants,
        experiments,
        resolved,
    })
}

/// A title of all values of the axes, so that no placeholder in it has a value.
fn without_axes(title: &str, study: &Resolved) -> Result<String, Problem> {
    let filled = with_texts(title, &study.texts)?;
    let is_axis =
        |name: &str| study.groups.iter().flat_map(|group| &group.axes).any(|known| known.name == name);
    let open = axes_of(&filled).into_iter().find(|name| is_axis(name));
    match open {
        Some(axis) => Err(Problem::new(format!(
            "`{{{axis}}}` in the title \"{filled}\" has no value: it is a title of all values"
        ))
        .help(format!("leave it out, or give an experiment an identifier with `{{{axis}}}`"))),
        None => Ok(filled),
    }
}

/// The experiments of a section: one for each combination of values of the axes that its identifier names, from its own runs or
/// else from the first runs that have them.
fn definitions(
    study: &Arc<Resolved>,
    spec: Experiment,
    names: &mut [(Size, Names)],
) -> Result<Vec<Definition>, Problem> {
    let Some(first) = spec.ids.first() else { return Ok(vec![]) };
    let place = first.span();
    let axes = axes_of(first);
    let has = |group: usize| {
        let blank = Selection::blank(study, group);
        axes.iter().all(|axis| blank.axes().any(|known| known == *axis))
    };
    let each = || {
        if axes.is_empty() {
            return Ok(vec![None]);
        }
        let own = spec.runs.iter().map(|name| study.group(name)).collect::<Result<Vec<_>, _>>()?;
        let group = own.into_iter().chain(0..study.groups.len()).find(|group| has(*group));
        let group = group.ok_or_else(|| {
            Problem::new(format!("\"{}\" names axes that no [runs] have", first.as_str()))
                .help("add them to `vary` of some runs")
        })?;
        let each = Selection::blank(study, group).each(&axes)?;
        Ok(each.into_iter().map(|here| Some(here.at)).collect())
    };
    let each: Vec<Option<Values>> = each().or_at(place.clone())?;
    let spec = Arc::new(spec);
    let define = |fixed| definition(study, &spec, fixed, names).or_at(place.clone());
    each.into_iter().map(define).collect()
}

fn definition(
    study: &Arc<Resolved>,
    spec: &Arc<Experiment>,
    fixed: Option<Values>,
    names: &mut [(Size, Names)],
) -> Result<Definition, Problem> {
    let here = fixed.clone().map(|fixed| Selection::of(study, fixed));
    let unset = |text: &str| with_texts(text, &study.texts);
    let fill = |text: &str| here.as_ref().map_or_else(|| unset(text), |here| here.fill(text));
    let notes = spec.notes.iter().map(|note| fill(note)).collect::<Result<Vec<_>, _>>()?;
    notes.iter().try_for_each(|note| conditions::check(note))?;
    let definition = Definition {
        ids: spec.ids.iter().map(|id| fill(id)).collect::<Result<Vec<_>, _>>()?,
        title: match &here {
            Some(_) => fill(&spec.title)?,
            None => without_axes(&spec.title, study)?,
        },
        notes,
        study: Arc::clone(study),
        spec: Arc::clone(spec),
        fixed,
    };
    for (size, names) in names {
        for (place, id) in spec.ids.iter().zip(&definition.ids) {
            names.experiment(id, place.span())?;
        }
        definition.planned(*size, names)?;
    }
    Ok(definition)
}

impl Definition {
    /// Its plan for that size.
    pub fn plan(&self, size: Size) -> Plan {
        // Each size has been tried, now or by a test.
        self.planned(size, &mut Names::default()).unwrap_or_default()
    }

    fn planned(&self, size: Size, names: &mut Names) -> Result<Plan, Problem> {
        let (study, spec) = (&*self.study, &*self.spec);
        let fixed = self.fixed.clone().map(|fixed| Selection::of(study, fixed));
        let mut planner =
            Planner { study, size, plan: Plan::default(), fixed, made: Default::default(), names };
        for name in &spec.runs {
            let group = study.group(name).or_at(name.span())?;
            for point in planner.open(Some(group)).points() {
                planner.simulate((group, point), Samples::None)?;
            }
        }
        spec.rows.iter().try_for_each(|row| rows::add(&mut planner, row))?;
        for figure in &spec.figures {
            figures::add(&mut planner, figure).or_at(figure.id.span())?;
        }
        for finding in &spec.findings {
            findings::add(&mut planner, finding).or_at(finding.text.span())?;
        }
        let Planner { plan, fixed, .. } = planner;
        let variants = spec.variants.iter().map(variant).collect::<Result<Vec<_>, _>>()?;
        let on_request = match &spec.on_request {
            Some(request) => on_request(request, fixed.as_ref(), size).or_at(request.span())?,
            None => false,
        };
        Ok(Plan { variants, beyond: spec.beyond, on_request, ..plan })
    }
}

/// Whether an experiment runs in that size only on request.
fn on_request(request: &Value, fixed: Option<&Selection<'_>>, size: Size) -> Result<bool, Problem> {
    let known = Size::ALL.map(Size::name);
    let check = |name: &str| {
        let unknown = Problem::new(format!("there is no size `{name}`")).suggest(name, known);
        unknown.unless(known.contains(&name))
    };
    match request {
        Value::Boolean(always) => Ok(*always),
        Value::Array(sizes) => {
            sizes.iter().try_for_each(|name| check(&written(name)))?;
            Ok(sizes.iter().any(|name| written(name) == size.name()))
        }
        Value::Table(sizes) => {
            sizes.keys().try_for_each(|name| check(name))?;
            let Some(fixed) = fixed else {
                return Err(Problem::new("a table of sizes needs an axis in `ids`, and `ids` name no axis"));
            };
            let here =
                |value: &String| fixed.axes().any(|axis| fixed.value(axis).is_some_and(|v| v.id == *value));
            Ok(sizes.get(size.name()).is_some_and(|values| each_written(values).iter().any(here)))
        }
        _ => Err(Problem::new(
            "`on_request` must be true, a list of sizes, or a table of sizes with values of the experiment's axis",
        )),
    }
}

fn variant(name: &Spanned<String>) -> Result<&'static Variant, Problem> {
    conditions::find(name).or_at(name.span())
}

#[cfg(test)]
mod tests {
    use crate::simulator::{self, made};
    use crate::{Options, Size, Study, work_with_runs};
    use std::sync::Arc;

    /// A link of its own for one subflow, another for two.
    const SCENARIO: &str = r#"
        name = "links"
        duration = "6 s"
        warmup = "2 s"
        links.a = { rate = "4 Mbit/s", delay = "10 ms" }
        links.b = { rate = "6 Mbit/s", delay = "10 ms" }
        flows = [
            { name = "tested", cc = "lia", paths = [["a"], ["b"], ["b"]] },
            { name = "tcp1", cc = "reno", paths = [["a"]] },
            { name = "tcp2", cc = "reno", paths = [["b"]] },
        ]
    "#;

    const STUDY: &str = r#"
        title = "Goals"
        [runs.connection]
        scenario = "links.toml"
        cc = "tested={cc}"
        vary.cc = { values = ["lia", "olia"], names = ["LIA", "OLIA"] }
        set."links.b.loss" = '{ model = "bernoulli", rate = {loss} }'
        vary.loss = [0.001, 0.01]
        [runs.single]
        scenario = "links.toml"
        cc = "tested=reno"
        set."flows.tested.paths" = '[["a"], ["b"]]'
        set."links.b.loss" = '{ model = "bernoulli", rate = {loss} }'
        vary.loss = [0.001, 0.01]
        [[experiments]]
        ids = ["G-{cc}"]
        title = "Goals with {cc.name}"
        notes = ["Of {cc.name} only."]
        on_request = { quick = ["olia"], full = ["lia", "olia"] }
        [[experiments.rows]]
        id = "{cc}.goal1"
        runs = "connection"
        at = { loss = 0.01 }
        of = 'goal1("tested", runs = single)'
        [[experiments.rows]]
        id = "{cc}.goal2"
        runs = "connection"
        at = { loss = 0.01 }
        of = 'goal2("tested", runs = single, loss = 0.01)'
        [[experiments.rows]]
        id = "{cc}.decided"
        runs = "connection"
        at = { loss = 0.01 }
        of = '(1 < 0 and 1 / timeouts("tcp1") > 0) + (goodput("tcp1") > 0 or 1 / (0 * goodput("tcp1")))'
    "#;

    fn study(text: &str) -> Result<Arc<Study>, String> {
        let study = simulator::study(text, &[("links.toml", SCENARIO)]);
        study.map_err(|why| format!("line {:?}: {why}", why.line()))
    }

    /// A marker that nothing fills would stand in the report.
    #[test]
    fn a_title_of_all_values_names_no_axis() {
        let why = study(&STUDY.replacen("\"Goals\"", "\"Goals of {cc.name}\"", 1)).err().unwrap();
        assert!(why.contains("`{cc}` in the title \"Goals of {cc.name}\" has no value"), "{why}");
        study(&STUDY.replacen("\"Goals\"", "\"Goals of {all}\"", 1)).unwrap();
    }

    #[test]
    fn values_of_a_headline_have_one_unit() {
        let values = "values = { a = \"lia.goal1\", b = \"LIA.goal2\" }";
        let headline =
            format!("\"Goals\"\nheadline = {{ claim = \"\", judged = [\"lia.goal1\"], {values} }}");
        let text = STUDY.replacen("\"Goals\"", &headline, 1);
        study(&text).unwrap();
        let id = "id = \"{cc}.goal2\"";
        let why = study(&text.replace(id, &format!("{id}\nunit = \"s\""))).err().unwrap();
        assert!(why.contains("the row `LIA.goal2` has another unit"), "{why}");
    }

    #[test]
    fn one_for_each_value_of_an_axis() {
        let study = study(STUDY).unwrap();
        let ids: Vec<&str> = study.experiments.iter().map(|e| e.id()).collect();
        assert_eq!(ids, ["G-lia", "G-olia"]);
        assert_eq!(study.experiments[1].title, "Goals with OLIA");
        assert_eq!(study.experiments[1].notes, ["Of OLIA only."]);
        let requested = |size| study.experiments.iter().map(|e| e.plan(size).on_request).collect::<Vec<_>>();
        assert_eq!(requested(Size::Quick), [false, true]);
        assert_eq!(requested(Size::Default), [false, false]);
        assert_eq!(requested(Size::Full), [true, true]);
        let plan = study.experiments[1].plan(Size::Default);
        assert_eq!(plan.row_ids().collect::<Vec<_>>(), ["olia.goal1", "olia.goal2", "olia.decided"]);
    }

    /// By hand from the same runs: subflows 2 and 3 share link b, and MPTCP's option takes 20 of 1448 bytes of both.
    #[test]
    fn goals_of_two_runs() {
        let options =
            Options { size: Size::Quick, seeds: Some(1), only: Some("G-lia".into()), ..Options::default() };
        let (result, runs) = made(work_with_runs(&study(STUDY).unwrap(), &options).unwrap());
        let goodput = |of: &str, r: usize| {
            let is =
                |run: &&crate::SimulationRuns| run.axes[0].1 == of && run.axes.last().unwrap().1 == "0.01";
            let run = runs.iter().find(is).unwrap();
            run.summaries[0].flows[0].subflows[r].goodput_bps.unwrap()
        };
        let a = goodput("connection", 0) / goodput("single", 0);
        let b = (goodput("connection", 1) + goodput("connection", 2)) / goodput("single", 1);
        let all = (0..3).map(|r| goodput("connection", r)).sum::<f64>();
        let best = goodput("single", 0).max(goodput("single", 1));
        let row = |i: usize| result.experiments[0].rows[i].measured.clone().unwrap().mean;
        for (measured, expected) in [(row(0), all / best), (row(1), a.max(b)), (row(2), 1.0)] {
            assert!((measured / expected - 1.0).abs() < 1e-12, "{measured}, not {expected}");
        }
    }

    #[test]
    fn mistakes_of_experiments() {
        const SIZES: &str = "{ quick = [\"olia\"], full = [\"lia\", \"olia\"] }";
        const GOAL: &str = "goal1(\"tested\", runs = single)";
        for (old, wrong, line, said) in [
            (SIZES, "[\"fast\"]", "Some(19)", "no size `fast`"),
            (SIZES, "3", "Some(19)", "must be true, a list"),
            (SIZES, "{ slow = [\"lia\"] }", "Some(19)", "no size `slow`"),
            ("G-{cc}", "G-{dd}", "", "names axes that no [runs] have"),
            (
                GOAL,
                "goal1(\"tested\")",
                "",
                "wrong arguments for `goal1`: write goal1(\"flow\", runs = NAME)",
            ),
            (GOAL, "goodput(\"tested\", \"b\")", "", "a subflow is its number, from 1"),
            (GOAL, "goodput(\"tested\", runs = single)", "", "reads one run"),
        ] {
            let why = study(&STUDY.replace(old, wrong)).err().unwrap();
            assert!(why.contains(said) && why.contains(&format!("line {line}")), "{why}");
        }
    }
}
