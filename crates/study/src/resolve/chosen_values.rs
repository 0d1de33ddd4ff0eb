//! The values of axes that `at` chooses.

use super::axes::{Axis, each_written, written};
use super::selection::Selection;
use crate::parse::{OrAt, Problem, Spanned};
use indexmap::IndexMap;
use toml::Value;

/// Selections with the values of `at`: one, or one for each value of a list, except that the axes `over` keep all values of their
/// lists. An axis keeps a value that it already has.
pub(crate) fn starts_over<'s>(
    open: Selection<'s>,
    at: &IndexMap<String, Spanned<Value>>,
    over: &[&str],
) -> Result<Vec<Selection<'s>>, Problem> {
    let (kept, fixed): (Vec<_>, Vec<_>) = at.iter().partition(|(axis, _)| over.contains(&axis.as_str()));
    let mut all = vec![open];
    for (axis, values) in fixed {
        let mut next = Vec::new();
        for here in &all {
            for id in ids(here, axis, values).or_at(values.span())? {
                let mut there = here.clone();
                there.set(axis, &id).or_at(values.span())?;
                if here.value(axis).is_none_or(|before| before.id == id) {
                    next.push(there);
                }
            }
        }
        all = next;
    }
    for (axis, values) in kept {
        let mut next = Vec::new();
        for mut here in all {
            let ids = ids(&here, axis, values).or_at(values.span())?;
            match here.value(axis) {
                Some(before) if !ids.contains(&before.id) => continue,
                Some(_) => {}
                None => here.keep(axis, &ids).or_at(values.span())?,
            }
            next.push(here);
        }
        all = next;
    }
    Ok(all)
}

/// The chosen values of an axis, without those that the command line left out: an identifier, a list, or `{ kind = "coupled" }`,
/// all with that field.
pub(crate) fn ids(here: &Selection<'_>, axis: &str, values: &Value) -> Result<Vec<String>, Problem> {
    let mut ids = written_ids(here, axis, values)?;
    let left_out = here.axis(axis).map_or(&[][..], |axis| &axis.left_out);
    ids.retain(|id| !left_out.contains(id));
    Ok(ids)
}

/// The same with those that the command line left out.
pub(crate) fn written_ids(here: &Selection<'_>, axis: &str, values: &Value) -> Result<Vec<String>, Problem> {
    match values {
        Value::Array(list) => list.iter().map(|id| here.fill(&written(id))).collect(),
        Value::Table(fields) if !fields.contains_key("id") && !fields.is_empty() => {
            let axis = here.axis(axis)?;
            let mut ids: Vec<String> = axis.values.iter().map(|value| value.id.clone()).collect();
            for (field, wanted) in fields {
                let wanted = each_written(wanted);
                has_field(axis, field, &wanted)?;
                let fits = |id: &String| {
                    let value = axis.find(id).and_then(|i| axis.values[i].field(Some(field)));
                    value.is_some_and(|value| wanted.contains(&value))
                };
                ids.retain(fits);
            }
            let none = Problem::new(format!("no value of axis `{}` has all of these fields", axis.name));
            none.unless(!ids.is_empty()).map(|()| ids)
        }
        one => Ok(vec![here.fill(&written(one))?]),
    }
}

/// Checks that some value of the axis has each of these in that field.
fn has_field(axis: &Axis, field: &str, wanted: &[String]) -> Result<(), Problem> {
    let known: Vec<String> = axis.values.iter().filter_map(|value| value.field(Some(field))).collect();
    let Some(missing) = wanted.iter().find(|wanted| !known.contains(wanted)) else { return Ok(()) };
    let message = format!("no value of axis `{}` has `{missing}` as its `{field}`", axis.name);
    Err(Problem::new(message).suggest(missing, known.iter().map(String::as_str)))
}
