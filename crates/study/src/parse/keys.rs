//! Rejects keys that would have no effect, and numbers out of range.

use super::spec::{Changes, Count, Figure, File, Group, Kind, Row};
use super::{OrAt, Problem, Spanned};
use std::ops::Range;

/// Checks the keys of a figure.
pub(crate) fn figure(figure: &Figure) -> Result<(), Problem> {
    let kind = figure.kind;
    if let Some(log) = &figure.log
        && (log.is_empty() || !log.chars().all(|c| matches!(c, 'x' | 'y')))
    {
        let message = format!("`log` is \"x\", \"y\" or \"xy\", not \"{}\"", **log);
        return Err(log.problem(message));
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
        return Err(panel.problem("`panel` has no effect in a figure with `panels`"));
    }
    let own = figure.panels.iter().find_map(|panel| panel.published.values().next());
    if let Some(own) = own.filter(|_| !time) {
        return Err(own.problem("`published` of a panel is only allowed in figures of kind \"time\""));
    }
    figure.x_limits.iter().try_for_each(|own| limits(own, false))?;
    let own = figure.panels.iter().filter_map(|panel| panel.limits.as_ref());
    own.chain(&figure.limits).try_for_each(|own| limits(own, heat))
}

/// Checks that what explains a difference belongs to a row with a verdict, which may be one of its `rows`.
pub(crate) fn row(row: &Row, judged_above: bool) -> Result<(), Problem> {
    let judged = judged_above || row.is_judged();
    let because = row.because.as_ref().map(|because| ("because", because.span()));
    let explain = row.explain.first().map(|explain| ("explain", explain.when.span()));
    if let Some((key, at)) = because.or(explain).filter(|_| !judged && !row.holds_verdict()) {
        return Err(Problem::at(at, format!("`{key}` has no effect in a row without a verdict"))
            .help("give the row a `published` value, a `claim` with a `rule`, `ascending` or `highest`"));
    }
    row.rows.iter().try_for_each(|own| self::row(own, judged))
}

/// Two finite numbers, the lower first, except for heat maps: their colours are logarithmic, and the worst may be higher.
fn limits(limits: &Spanned<(f64, f64)>, heat: bool) -> Result<(), Problem> {
    let (from, to) = **limits;
    let (expected, holds) = match heat {
        true => ("limits of a heat map must be unequal numbers above 0", from.min(to) > 0.0 && from != to),
        false => ("limits must be two finite numbers, the lower one first", from < to),
    };
    limits.problem(expected).unless(holds && (to - from).is_finite())
}

/// Checks the changes of a size to all runs.
pub(crate) fn sizes(file: &File) -> Result<(), Problem> {
    for changes in [&file.size.quick, &file.size.default, &file.size.full] {
        if let Some(seeds) = &changes.seeds {
            within(**seeds, "seeds").or_at(seeds.span())?;
        }
        scale(changes)?;
        if let Some(only) = &changes.only {
            return Err(only
                .problem("`only` selects points of runs: move it to [runs.NAME.quick] or [runs.NAME.full]"));
        }
    }
    Ok(())
}

/// Checks the changes of a size to some runs.
pub(crate) fn runs(spec: &Group) -> Result<(), Problem> {
    for changes in [&spec.quick, &spec.full] {
        scale(changes)?;
        if let Some(seeds) = &changes.seeds {
            return Err(seeds
                .problem("the number of seeds belongs in [size.quick] or [size.full]")
                .help("to change it for some runs, use `repeats` and `at_most`"));
        }
    }
    for (key, own) in [("duration", &spec.duration), ("warmup", &spec.warmup)] {
        if let Some(set) = spec.set.get(key).filter(|_| own.is_some()) {
            return Err(set.problem(format!("`{key}` in `set` has no effect beside `{key}` of the runs")));
        }
    }
    for (count, what) in [(&spec.repeats, "repeats"), (&spec.at_most, "at_most")] {
        let Some(count) = count else { continue };
        let all = match &**count {
            Count::All(n) => vec![*n],
            Count::By(table) => table.values().copied().collect(),
        };
        let message = format!("`{what}` is an empty table: give a number for each value of an axis");
        count.problem(message).unless(!all.is_empty())?;
        all.into_iter().try_for_each(|n| within(n, what)).or_at(count.span())?;
    }
    Ok(())
}

/// A number of seeds, or a multiple of them.
fn within(n: u32, what: &str) -> Result<(), Problem> {
    let message = format!("`{what}` is {n}: it must be a whole number from 1 to {MAX_SEEDS}");
    Problem::new(message).unless((1..=MAX_SEEDS).contains(&n))
}

/// As on the command line.
const MAX_SEEDS: u32 = 10_000;

fn scale(changes: &Changes) -> Result<(), Problem> {
    let Some(scale) = &changes.scale else { return Ok(()) };
    scale.problem("`scale` must be a finite number above 0").unless(scale.is_finite() && **scale > 0.0)
}

fn place<T>(key: Option<&Spanned<T>>) -> Option<Range<usize>> {
    key.map(Spanned::span)
}
