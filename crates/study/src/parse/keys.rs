//! Rejects keys that would have no effect, and numbers out of range.

use super::error::Problem;
use super::spec::{Changes, Count, Figure, File, Group, Kind};
use std::ops::Range;
use toml::Spanned;

/// Checks the keys of a figure.
pub(crate) fn figure(figure: &Figure) -> Result<(), Problem> {
    let kind = figure.kind;
    if let Some(log) = &figure.log
        && (log.get_ref().is_empty() || !log.get_ref().chars().all(|c| matches!(c, 'x' | 'y')))
    {
        let message = format!("`log` is \"x\", \"y\" or \"xy\", not \"{}\"", log.get_ref());
        return Err(Problem::at(log.span(), message));
    }
    let (lines, time, heat) = (kind == Kind::Lines, kind == Kind::Time, kind == Kind::Heat);
    let log_x = figure.is_log('x') && !lines && !time;
    let x = figure.panels.iter().filter_map(|panel| panel.x.as_ref()).chain(&figure.x).next();
    let bars = figure.bars.values().find_map(|bars| bars.values().next());
    let idle = [
        ("x", place(x), time),
        ("where", place(figure.only.as_ref()), time),
        ("bars", place(bars), time),
        ("pooled", place(figure.pooled.as_ref()), time),
        ("curves", place(figure.curves.values().next()), !lines),
        ("x_title", place(figure.x_title.as_ref()), !lines),
        ("x_limits", place(figure.x_limits.as_ref()), !lines && !time),
        // A heat map's colours are logarithmic anyway; its places are names.
        ("log", place(figure.log.as_ref()), log_x),
    ];
    for (key, at, idle) in idle {
        if let Some(at) = at.filter(|_| idle) {
            let kind = format!("{kind:?}").to_lowercase();
            let key = if key == "log" { "x in `log`".to_owned() } else { format!("`{key}`") };
            return Err(Problem::at(at, format!("{key} has no effect in a figure of kind \"{kind}\"")));
        }
    }
    if let Some(panel) = figure.panel.as_ref().filter(|_| !figure.panels.is_empty()) {
        return Err(Problem::at(panel.span(), "`panel` has no effect in a figure with `panels`"));
    }
    let own = figure.panels.iter().find_map(|panel| panel.published.values().next());
    if let Some(own) = own.filter(|_| !time) {
        return Err(Problem::at(
            own.span(),
            "`published` of a panel is only allowed in figures of kind \"time\"",
        ));
    }
    limits(figure.x_limits.as_ref(), false)?;
    let own = figure.panels.iter().filter_map(|panel| panel.limits.as_ref());
    own.chain(&figure.limits).try_for_each(|own| limits(Some(own), heat))
}

/// Two finite numbers, the lower first, except for heat maps, where the worst may be higher.
fn limits(limits: Option<&Spanned<(f64, f64)>>, either: bool) -> Result<(), Problem> {
    let Some(limits) = limits else { return Ok(()) };
    let (from, to) = *limits.get_ref();
    match (to - from).is_finite() && (from < to || (either && from != to)) {
        true => Ok(()),
        false => Err(Problem::at(limits.span(), "limits must be two finite numbers, the lower one first")),
    }
}

/// Checks the changes of a size to all runs.
pub(crate) fn sizes(file: &File) -> Result<(), Problem> {
    for changes in [&file.size.quick, &file.size.default, &file.size.full] {
        if let Some(seeds) = &changes.seeds {
            within(*seeds.get_ref(), "seeds").map_err(|problem| problem.or_at(seeds.span()))?;
        }
        scale(changes)?;
        if let Some(only) = &changes.only {
            return Err(Problem::at(
                only.span(),
                "`only` selects points of runs: move it to [runs.NAME.quick] or [runs.NAME.full]",
            ));
        }
    }
    Ok(())
}

/// Checks the changes of a size to some runs.
pub(crate) fn runs(spec: &Group) -> Result<(), Problem> {
    for changes in [&spec.quick, &spec.full] {
        scale(changes)?;
        if let Some(seeds) = &changes.seeds {
            return Err(Problem::at(
                seeds.span(),
                "the number of seeds belongs in [size.quick] or [size.full]",
            )
            .help("to change it for some runs, use `repeats` and `at_most`"));
        }
    }
    for (count, what) in [(&spec.repeats, "repeats"), (&spec.at_most, "at_most")] {
        let Some(count) = count else { continue };
        let all = match count.get_ref() {
            Count::All(n) => vec![*n],
            Count::By(table) if table.is_empty() => {
                return Err(Problem::at(
                    count.span(),
                    format!("`{what}` is an empty table: give a number for each value of an axis"),
                ));
            }
            Count::By(table) => table.values().copied().collect(),
        };
        let mut all = all.into_iter().map(|n| within(n, what));
        all.try_for_each(|checked| checked.map_err(|problem| problem.or_at(count.span())))?;
    }
    Ok(())
}

/// A number of seeds, or a multiple of them.
fn within(n: u32, what: &str) -> Result<(), Problem> {
    match (1..=MAX_SEEDS).contains(&n) {
        true => Ok(()),
        false => {
            Err(Problem::new(format!("`{what}` is {n}: it must be a whole number from 1 to {MAX_SEEDS}")))
        }
    }
}

/// As on the command line.
const MAX_SEEDS: u32 = 10_000;

fn scale(changes: &Changes) -> Result<(), Problem> {
    match &changes.scale {
        Some(scale) if !(scale.get_ref().is_finite() && *scale.get_ref() > 0.0) => {
            Err(Problem::at(scale.span(), "`scale` must be a finite number above 0"))
        }
        _ => Ok(()),
    }
}

fn place<T>(key: Option<&Spanned<T>>) -> Option<Range<usize>> {
    key.map(Spanned::span)
}
