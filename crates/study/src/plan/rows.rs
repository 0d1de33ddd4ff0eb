//! Rows: quantities, and the rules that judge them.

use super::planner::Planner;
use super::{Quantity, RowPlan, RowValue, conditions};
use crate::parse::spec::{Names, Row};
use crate::parse::template::places;
use crate::parse::{OrAt, Problem, Spanned, keys};
use crate::resolve::axes::number;
use crate::resolve::chosen_values::{starts_over, written_ids};
use crate::resolve::selection::Selection;
use crate::result::Published;
use crate::verdict::Rule;
use anabranch_scenario::distinct;
use toml::Value;

/// The names for conditions of explanations.
const VARIABLES: [&str; 4] = ["measured", "low", "high", "published"];

/// Adds a row, or one for each value of the axes that its identifier names.
pub(super) fn add(planner: &mut Planner<'_>, row: &Row) -> Result<(), Problem> {
    let study = planner.study;
    if row.id.is_empty() {
        let problem = Problem::new("the row has no identifier").help("add id = \"…\"");
        let texts = row.of.iter().chain(&row.formula).map(Spanned::span);
        let place = texts.chain(row.ascending.iter().chain(&row.highest).map(Spanned::span)).next();
        return Err(place.map_or(problem.clone(), |place| problem.or_at(place)));
    }
    keys::row(row, false)?;
    let groups = match &row.runs {
        Some(names) => names.all().iter().map(|name| study.group(name).map(Some)).collect(),
        // A formula may use only the file's axes.
        None if row.formula.is_some() || !row.rows.is_empty() => Ok(vec![study.group_or_only(None).ok()]),
        None => study.group_or_only(None).map(|only| vec![Some(only)]),
    };
    for group in groups.or_at(row.id.span())? {
        let open = planner.open(group);
        each(planner, row, open).or_at(row.id.span())?;
    }
    Ok(())
}

/// Adds a row for these values of axes.
fn each<'a>(planner: &mut Planner<'a>, row: &Row, open: Selection<'a>) -> Result<(), Problem> {
    Problem::new("a row needs exactly one of `of`, `formula`, `ascending` and `highest`")
        .unless(row.reads() == 1 || row.reads() == 0 && !row.rows.is_empty())?;
    let named = axes_of(&row.id);
    for start in starts_over(open, &row.at, &named)? {
        for here in start.each(&named)? {
            if let Some(only) = &row.only
                && here.constant(only)? == 0.0
            {
                continue;
            }
            if row.rows.is_empty() {
                one(planner, row, &here)?;
            }
            for own in &row.rows {
                let inner = row.inner(own);
                let at = inner.id.span();
                let mut opens = vec![here.clone()];
                if let Some(names) = &own.runs {
                    let there = names.all().iter().map(|name| here.in_runs(name));
                    opens = there.collect::<Result<_, _>>().or_at(at.clone())?;
                }
                opens.into_iter().try_for_each(|open| each(planner, &inner, open)).or_at(at)?;
            }
        }
    }
    Ok(())
}

/// The distinct axes that a text names.
pub(super) fn axes_of(text: &str) -> Vec<&str> {
    distinct(places(text).into_iter().map(|(name, _)| name.split_once('.').map_or(name, |(axis, _)| axis)))
}

fn one<'a>(planner: &mut Planner<'a>, row: &Row, here: &Selection<'a>) -> Result<(), Problem> {
    let fill = |text: &Option<String>| text.as_deref().map(|text| here.fill(text)).transpose();
    let id = here.fill(&row.id)?;
    planner.names.row(&id, row.id.span())?;
    let some = |value: &Option<Spanned<Value>>| match value {
        Some(value) => text(value, here).or_at(value.span()),
        None => Ok(None),
    };
    let claim = some(&row.claim)?;
    let what = fill(&row.what)?.or_else(|| claim.clone()).unwrap_or_else(|| id.clone());
    let value = match &row.published {
        Some(value) => published(value, value, here).or_at(value.span())?,
        None => None,
    };
    let mut explanations = Vec::new();
    for explanation in &row.explain {
        let when = here.compile(&explanation.when, &VARIABLES)?;
        if !when.runs.is_empty() {
            let message = "a condition may name measured, low, high and published, but cannot read a run";
            return Err(explanation.when.problem(message));
        }
        let by = fill(&explanation.by)?.map(|by| format!(" (see {by})")).unwrap_or_default();
        let text = here.fill(&explanation.text)? + &by;
        conditions::check(&text).or_at(explanation.when.span())?;
        explanations.push((when.code, text));
    }
    let from = fill(&row.from)?;
    let because = some(&row.because)?;
    let place = row.because.as_ref().map_or(row.id.span(), Spanned::span);
    because.iter().try_for_each(|text| conditions::check(text)).or_at(place)?;
    let unit = fill(&row.unit)?.unwrap_or_default();
    let source = row_value(planner, row, here)?;
    let mut interpretations = Vec::new();
    for other in &row.interpretations {
        interpretations.extend(self::interpretations(planner, row, other, here).or_at(row.id.span())?);
    }
    let stated = match &row.rule {
        Some(rule) => Some(self::rule(&Spanned::new(rule.span(), here.filled(rule)?), value)?),
        None => None,
    };
    let compares = row.compares();
    let what = if compares { claim.clone().unwrap_or(what) } else { what };
    Problem::new("`from` needs a published value: it states how that value is derived")
        .unless(from.is_none() || row.published.is_some())?;
    if let (Some(rule), true) = (&row.rule, compares) {
        return Err(rule.problem("a row with `ascending` or `highest` cannot have a `rule`"));
    }
    if let (Some(rule), None, None) = (&row.rule, &row.published, &row.claim) {
        return Err(rule.problem("a row with a `rule` needs a `claim` or a `published` value"));
    }
    Problem::new("a row can have a `claim` or a `published` value, not both")
        .unless(compares || row.claim.is_none() || row.published.is_none())?;
    let of_order = if row.highest.is_some() { Rule::Highest } else { Rule::Ascending };
    let (published, rule) = match (value, from, claim) {
        (Some(value), Some(from), _) => {
            (Published::Derived { value, from }, stated.unwrap_or(Rule::Published(value)))
        }
        (Some(value), None, _) => (Published::Value(value), stated.unwrap_or(Rule::Published(value))),
        (None, ..) if compares => (Published::Claim(what.clone()), of_order),
        (None, _, Some(claim)) => {
            let rule = stated
                .ok_or_else(|| Problem::new("a claim needs a rule").help("for example rule = \"near 1\""))?;
            (Published::Claim(claim), rule)
        }
        (None, ..) => (Published::Nothing, Rule::NotJudged),
    };
    let row =
        RowPlan { id, what, unit, value: source, published, rule, because, explanations, interpretations };
    planner.plan.rows.push(row);
    Ok(())
}

fn row_value<'a>(planner: &mut Planner<'a>, row: &Row, here: &Selection<'a>) -> Result<RowValue, Problem> {
    if let Some(over) = &row.over {
        over.problem("`over` must name one axis, in a row with `ascending` or `highest`")
            .unless(row.compares() && over.len() == 1)?;
    }
    if let Some(of) = &row.of {
        let compiled = here.compile(of, &[])?;
        of.problem("`of` must read a run, and this expression reads none")
            .help("use `formula` for a computed value")
            .unless(!compiled.runs.is_empty())?;
        return planner.needed(compiled).map(RowValue::Measured);
    }
    if let Some(formula) = &row.formula {
        return here.constant(formula).map(RowValue::Formula);
    }
    let list = row.ascending.as_ref().or(row.highest.as_ref());
    let list = list.ok_or_else(|| Problem::new("a row needs an expression"))?;
    let quantities = match row.over.as_ref().and_then(|over| over.first()) {
        None => compared(planner, list, here)?,
        Some((axis, values)) => compared_over(planner, list, axis, values, here)?,
    };
    Ok(RowValue::Compared(quantities))
}

/// A row's values under another interpretation of the text, by name: one for each value of the axes that its `what` names.
fn interpretations<'a>(
    planner: &mut Planner<'a>,
    row: &Row,
    other: &Row,
    here: &Selection<'a>,
) -> Result<Vec<(String, RowValue)>, Problem> {
    let Some(name) = &other.what else {
        return Err(Problem::new("an entry of `interpretations` has no name").help("add what = \"…\""));
    };
    let without_effect = [
        ("id", !other.id.span().is_empty()),
        ("unit", other.unit.is_some()),
        ("where", other.only.is_some()),
        ("published", other.published.is_some()),
        ("from", other.from.is_some()),
        ("claim", other.claim.is_some()),
        ("rule", other.rule.is_some()),
        ("because", other.because.is_some()),
        ("explain", !other.explain.is_empty()),
        ("interpretations", !other.interpretations.is_empty()),
        ("rows", !other.rows.is_empty()),
    ];
    if let Some((key, _)) = without_effect.into_iter().find(|(_, is_given)| *is_given) {
        return Err(Problem::new(format!("`{key}` has no effect in an entry of `interpretations`"))
            .help("an entry may have `what`, `runs`, `at` and an expression: the row has the rest"));
    }
    let inner = row.inner(other);
    let mut open = match &other.runs {
        Some(Names::One(runs)) => here.in_runs(runs)?,
        Some(Names::Several(_)) => {
            return Err(Problem::new("an entry of `interpretations` can have only one name in `runs`"));
        }
        None => here.clone(),
    };
    other.at.keys().try_for_each(|axis| open.clear(axis))?;
    let named = axes_of(name);
    let mut all = Vec::new();
    for start in starts_over(open, &other.at, &named)? {
        for there in start.each(&named)? {
            all.push((there.fill(name)?, row_value(planner, &inner, &there)?));
        }
    }
    Ok(all)
}

/// Quantities with names, which default to the expressions.
fn compared(
    planner: &mut Planner<'_>,
    list: &Spanned<Value>,
    here: &Selection<'_>,
) -> Result<Vec<(String, Quantity)>, Problem> {
    let pairs: Option<Vec<(&str, &str)>> = match &**list {
        Value::Array(items) => items.iter().map(|item| item.as_str().map(|text| (text, text))).collect(),
        Value::Table(table) => table.iter().map(|(name, item)| Some((&**name, item.as_str()?))).collect(),
        _ => None,
    };
    let wrong = || list.problem("give a list of expressions, or a table of names with expressions");
    let pairs = pairs.ok_or_else(wrong)?;
    list.problem("an order needs at least two expressions").unless(pairs.len() >= 2)?;
    let quantity = |(name, text): (&str, &str)| {
        let compiled = here.compile(&Spanned::new(list.span(), text.to_owned()), &[])?;
        Ok((here.fill(name)?, planner.needed(compiled)?))
    };
    pairs.into_iter().map(quantity).collect()
}

/// One quantity for some values of an axis, by name, in order.
fn compared_over(
    planner: &mut Planner<'_>,
    of: &Spanned<Value>,
    axis: &str,
    values: &Spanned<Value>,
    here: &Selection<'_>,
) -> Result<Vec<(String, Quantity)>, Problem> {
    let Value::String(text) = &**of else {
        return Err(of.problem("with `over`, give a single expression"));
    };
    // An order of fewer values would be another claim, so values that were left out are an error below.
    let ids = written_ids(here, axis, values).or_at(values.span())?;
    values.problem("an order needs at least two expressions").unless(ids.len() >= 2)?;
    let text = Spanned::new(of.span(), text.clone());
    let quantity = |id: String| {
        let mut there = here.clone();
        there.set(axis, &id).or_at(values.span())?;
        let label = there.value(axis).map_or(id, |value| value.label.clone());
        Ok((label, planner.needed(there.compile(&text, &[])?)?))
    };
    ids.into_iter().map(quantity).collect()
}

/// A published value here: a number, the mean of a list, an expression, or a table of them by an axis's value.
fn published(whole: &Spanned<Value>, value: &Value, here: &Selection<'_>) -> Result<Option<f64>, Problem> {
    match value {
        Value::Float(x) if !x.is_finite() => Err(Problem::new("a published value must be a finite number")),
        Value::Integer(_) | Value::Float(_) => Ok(number(value)),
        Value::String(text) => here.constant(&Spanned::new(whole.span(), text.clone())).map(Some),
        Value::Array(values) => {
            let values: Option<Vec<f64>> = values.iter().map(number).collect();
            let values = values.filter(|values| !values.is_empty());
            let values =
                values.ok_or_else(|| Problem::new("a list of published values must contain only numbers"))?;
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let infinite = Problem::new("the mean of the published values must be a finite number");
            infinite.unless(mean.is_finite()).map(|()| Some(mean))
        }
        Value::Table(table) => chosen(table, here)?.map_or(Ok(None), |value| published(whole, value, here)),
        Value::Boolean(_) | Value::Datetime(_) => Err(Problem::new("a published value must be a number")),
    }
}

/// A text here: one for all, or one by an axis's value.
fn text(value: &Value, here: &Selection<'_>) -> Result<Option<String>, Problem> {
    match value {
        Value::String(text) => here.fill(text).map(Some),
        Value::Table(table) => chosen(table, here)?.map_or(Ok(None), |value| text(value, here)),
        _ => Err(Problem::new("give a text, or a table of texts by the value of an axis")),
    }
}

/// The entry of a table by an axis's value, if it has one here.
fn chosen<'t>(table: &'t toml::Table, here: &Selection<'_>) -> Result<Option<&'t Value>, Problem> {
    here.chosen(&table.keys().collect::<Vec<_>>(), |value| table.get(value))
}

fn rule(text: &Spanned<String>, published: Option<f64>) -> Result<Rule, Problem> {
    const KNOWN: &str =
        "the rules are: near NUMBER, at least NUMBER, at most NUMBER, within FROM..TO, printed, none";
    let wrong = |why: &str| text.problem(format!("`{}` is not a rule{why}", text.as_str())).help(KNOWN);
    let number =
        |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(|| wrong(""));
    let words = text.trim();
    let kinds = ["near", "at least", "at most", "within"].into_iter();
    let mut split = kinds.filter_map(|kind| Some((kind, words.strip_prefix(kind)?.strip_prefix(' ')?)));
    let (kind, rest) = split.next().unwrap_or((words, ""));
    match (kind, published) {
        ("near", _) => match number(rest)? {
            0.0 => Err(wrong(": only 0 is within 10 % of 0")),
            target => Ok(Rule::Near(target)),
        },
        ("at least", _) => number(rest).map(Rule::AtLeast),
        ("at most", _) => number(rest).map(Rule::AtMost),
        ("within", _) => {
            let (from, to) = rest.split_once("..").ok_or_else(|| wrong(""))?;
            match (number(from)?, number(to)?) {
                (from, to) if from <= to => Ok(Rule::Within(from, to)),
                _ => Err(wrong(": the lower end is above the upper end")),
            }
        }
        ("printed", Some(value)) => Ok(Rule::Printed(value)),
        ("printed", None) => Err(wrong(" without a published value")),
        ("none", _) => Ok(Rule::NotJudged),
        _ => Err(wrong("")),
    }
}
