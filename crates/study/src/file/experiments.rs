//! Experiments: parts of a study, or one for each value of the axes that their identifiers name.

use super::axes::written;
use super::build::{Built, Planner};
use super::error::Problem;
use super::names::Names;
use super::rows::axes_of;
use super::selection::Selection;
use super::spec::Experiment;
use super::template::with_texts;
use super::{figures, findings, rows};
use crate::column::{BOTH, PLAIN_START, RETIRED, TICK, TSO};
use crate::setup::Samples;
use crate::{Column, Definition, Plan, Size};
use anabranch_scenario::suggest;
use std::collections::HashMap;
use std::sync::Arc;
use toml::{Spanned, Value};

/// The experiments that a part of a file is.
pub(crate) fn definitions(
    built: &Arc<Built>,
    spec: Experiment,
    names: &mut [(Size, Names); 3],
) -> Result<Vec<Definition>, Problem> {
    let Some(first) = spec.ids.first() else { return Ok(vec![]) };
    let place = first.span();
    let at = |problem: Problem| problem.or_at(place.clone());
    let each = values(built, first.get_ref(), &spec.runs).map_err(at)?;
    let spec = Arc::new(spec);
    each.into_iter().map(|fixed| definition(built, &spec, fixed, names).map_err(at)).collect()
}

/// Each combination of values of the axes that an identifier names, as the experiment's own runs have them, or the first that
/// do; nothing, once, where it names none.
fn values(built: &Built, id: &str, runs: &[Spanned<String>]) -> Result<Vec<Option<Selection>>, Problem> {
    let axes = axes_of(id);
    if axes.is_empty() {
        return Ok(vec![None]);
    }
    let has =
        |group: usize| axes.iter().all(|axis| Selection::blank(built, group).axes(built).any(|a| a == *axis));
    let own = runs.iter().map(|name| built.group(name.get_ref())).collect::<Result<Vec<_>, _>>()?;
    let group = own.into_iter().chain(0..built.groups.len()).find(|group| has(*group)).ok_or_else(|| {
        Problem::new(format!("no runs have the axes that \"{id}\" names"))
            .help("add them to `vary` of some runs")
    })?;
    Ok(Selection::blank(built, group).each(built, &axes)?.into_iter().map(Some).collect())
}

fn definition(
    built: &Arc<Built>,
    spec: &Arc<Experiment>,
    fixed: Option<Selection>,
    names: &mut [(Size, Names); 3],
) -> Result<Definition, Problem> {
    let fill = |text: &str| match &fixed {
        Some(here) => here.fill(built, text),
        None => with_texts(text, &built.texts),
    };
    let ids = spec.ids.iter().map(|id| fill(id.get_ref())).collect::<Result<Vec<_>, _>>()?;
    let title = fill(&spec.title)?;
    let notes = spec.notes.iter().map(|note| fill(note)).collect::<Result<_, _>>()?;
    let fields = fixed.iter().flat_map(|here| here.fields(built)).collect();
    for (size, names) in names {
        spec.ids.iter().zip(&ids).try_for_each(|(place, id)| names.experiment(id, place.span()))?;
        plan(built, spec, fixed.as_ref(), *size, names)?;
    }
    let (built, spec) = (Arc::clone(built), Arc::clone(spec));
    // Each size has been tried.
    let plan = Box::new(move |size| {
        plan(&built, &spec, fixed.as_ref(), size, &mut Names::default()).unwrap_or_default()
    });
    Ok(Definition { ids, title, notes, fields, plan })
}

fn plan(
    built: &Built,
    spec: &Experiment,
    fixed: Option<&Selection>,
    size: Size,
    names: &mut Names,
) -> Result<Plan, Problem> {
    let mut planner = Planner { built, size, plan: Plan::new(), fixed, made: HashMap::new(), names };
    for name in &spec.runs {
        let group = built.group(name.get_ref()).map_err(|problem| problem.or_at(name.span()))?;
        let here = planner.open(Some(group));
        for point in here.points(built) {
            planner.simulate((group, point), Samples::None)?;
        }
    }
    for row in &spec.rows {
        rows::add(&mut planner, row)?;
    }
    for figure in &spec.figures {
        figures::add(&mut planner, figure)?;
    }
    for finding in &spec.findings {
        findings::add(&mut planner, finding)?;
    }
    let mut plan = planner.plan;
    plan.columns(&spec.columns.iter().map(column).collect::<Result<Vec<_>, _>>()?);
    if spec.beyond {
        plan.beyond();
    }
    if let Some(request) = &spec.on_request
        && on_request(built, request.get_ref(), fixed, size)
            .map_err(|problem| problem.or_at(request.span()))?
    {
        plan.on_request();
    }
    Ok(plan)
}

/// Whether an experiment runs in that size only where it is asked for.
fn on_request(
    built: &Built,
    request: &Value,
    fixed: Option<&Selection>,
    size: Size,
) -> Result<bool, Problem> {
    let known = Size::ALL.map(Size::name);
    let check = |name: &str| match known.contains(&name) {
        true => Ok(()),
        false => Err(Problem::new(format!("there is no size `{name}`")).help(suggest(name, known))),
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
                return Err(Problem::new(
                    "a table of sizes has values of the axis that `ids` name, and they name none",
                ));
            };
            let values = match sizes.get(size.name()) {
                None => return Ok(false),
                Some(Value::Array(values)) => values.iter().map(written).collect(),
                Some(one) => vec![written(one)],
            };
            let here = |value: &String| {
                fixed.axes(built).any(|axis| fixed.value(built, axis).is_some_and(|v| v.id == *value))
            };
            Ok(values.iter().any(here))
        }
        _ => Err(Problem::new(
            "`on_request` is true, a list of sizes, or a table of sizes with values of the experiment's axis",
        )),
    }
}

/// The column of that name.
pub(crate) fn column(name: &Spanned<String>) -> Result<&'static Column, Problem> {
    let known: [&'static Column; 5] = [&RETIRED, &PLAIN_START, &TICK, &TSO, &BOTH];
    known.into_iter().find(|column| column.id == name.get_ref()).ok_or_else(|| {
        Problem::at(name.span(), format!("there is no column `{}`", name.get_ref()))
            .help(suggest(name.get_ref(), known.map(|column| column.id)))
    })
}

#[cfg(test)]
mod tests {
    use crate::runner::work_with_runs;
    use crate::{Options, ScenarioFile, Size, Study, file, run_all};
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
        let scenario =
            ScenarioFile { name: "links.toml".into(), path: "links.toml".into(), text: SCENARIO.into() };
        let study = file::embedded("goals.toml", text, &[&scenario], &[]);
        study.map(Arc::new).map_err(|why| format!("line {:?}: {why}", why.line()))
    }

    #[test]
    fn one_for_each_value_of_an_axis() {
        let study = study(STUDY).unwrap();
        let ids: Vec<&str> = study.experiments.iter().map(|e| e.id()).collect();
        assert_eq!(ids, ["G-lia", "G-olia"]);
        assert_eq!(study.experiments[1].title, "Goals with OLIA");
        assert_eq!(study.experiments[1].notes, ["Of OLIA only."]);
        let requested =
            |size| study.experiments.iter().map(|e| e.plan(size).is_on_request()).collect::<Vec<_>>();
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
        let work = [work_with_runs(&study(STUDY).unwrap(), &options).unwrap()];
        let mut found = None;
        run_all(&work, None, &|_| (), &|| true, &mut |done| found = Some(done)).unwrap();
        let (result, runs) = found.unwrap();
        let goodput = |of: &str, r: usize| {
            let is = |run: &&crate::Taken| run.axes[0].1 == of && run.axes.last().unwrap().1 == "0.01";
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
    fn what_is_no_request() {
        for (wrong, said) in [
            ("[\"fast\"]", "no size `fast`"),
            ("3", "is true, a list"),
            ("{ slow = [\"lia\"] }", "no size `slow`"),
        ] {
            let text = STUDY.replace("{ quick = [\"olia\"], full = [\"lia\", \"olia\"] }", wrong);
            let why = study(&text).err().unwrap();
            assert!(why.contains(said) && why.contains("line Some(19)"), "{why}");
        }
        let why = study(&STUDY.replace("G-{cc}", "G-{dd}")).err().unwrap();
        assert!(why.contains("no runs have the axes"), "{why}");
        let why =
            study(&STUDY.replace("goal1(\"tested\", runs = single)", "goal1(\"tested\")")).err().unwrap();
        assert!(why.contains("it is goal1(\"flow\", runs = NAME)"), "{why}");
        let why = study(&STUDY.replace("goal1(\"tested\", ", "goodput(\"tested\", ")).err().unwrap();
        assert!(why.contains("reads one run"), "{why}");
    }
}
