//! The points of a group to run: all, or those in a list.

use super::axes::{Axis, each_written, position};
use crate::parse::{OrAt, Problem, Spanned};
use toml::Value;

/// The points that `only` names, in its order; `None` for all.
pub(crate) fn named(
    only: &Spanned<Value>,
    axes: &[Axis],
    points: &[Vec<usize>],
) -> Result<Option<Vec<usize>>, Problem> {
    let usage = || {
        Problem::new("`only` must be \"all\", or a list of tables with values of axes")
            .help("for example only = [{ rate = 10, queue = [\"1 BDP\", \"4 BDP\"] }]")
    };
    let list = match &**only {
        Value::String(all) if all == "all" => return Ok(None),
        Value::Array(list) if !list.is_empty() => list,
        _ => return Err(usage().or_at(only.span())),
    };
    let mut found = Vec::new();
    for entry in list {
        let wanted = entry.as_table().ok_or_else(usage).and_then(|entry| wanted(entry, axes));
        let Some(wanted) = wanted.or_at(only.span())? else { continue };
        let fits = |point: &[usize]| {
            point.iter().zip(&wanted).all(|(i, values)| values.is_empty() || values.contains(i))
        };
        let before = found.len();
        let fitting = points.iter().enumerate().filter(|(_, point)| fits(point)).map(|(i, _)| i);
        found.extend(fitting.filter(|i| !found.contains(i)).collect::<Vec<_>>());
        only.problem(format!("`{entry}` in `only` selects no point that is not selected already"))
            .unless(found.len() > before || axes.iter().any(|axis| !axis.left_out.is_empty()))?;
    }
    Ok(Some(found))
}

/// The wanted values of each axis, empty for any; `None` if the command line left out all those of one.
fn wanted(entry: &toml::Table, axes: &[Axis]) -> Result<Option<Vec<Vec<usize>>>, Problem> {
    let mut wanted = vec![Vec::new(); axes.len()];
    for (name, values) in entry {
        let i = position(axes, name, || format!("`{name}` in `only` is not an axis of these runs"))?;
        let named = each_written(values);
        for value in named.iter().filter(|value| !axes[i].left_out.contains(value)) {
            wanted[i].push(axes[i].index(value)?);
        }
        if wanted[i].is_empty() && !named.is_empty() {
            return Ok(None);
        }
    }
    Ok(Some(wanted))
}

#[cfg(test)]
mod tests {
    use crate::simulator::{ONE_LINK, run, study};
    use crate::{Options, Size};

    const STUDY: &str = r#"
        title = "Only some"
        quantities.n = '0 * goodput("tested") + 1'
        size.full = { seeds = 2, duration = "2 s" }
        [runs.links]
        scenario = "link.toml"
        only = [
            { delay = "5 ms", cc = ["reno", "cubic"] },
            { delay = "1 ms", cc = "cubic" },
        ]
        full.only = "all"
        cc = "tested={cc}"
        vary.cc = ["reno", "cubic"]
        vary.delay = { key = "links.a.delay", values = ["1 ms", "5 ms", "9 ms"] }
        [[rows]]
        id = "each.{delay}.{cc}"
        of = 'goodput("tested")'
        [[rows]]
        id = "count"
        of = 'sum(at(cc = *, delay = *, n))'
        [[rows]]
        id = "within.{delay}"
        of = 'sum(abs(at(cc = *, at(delay = "1 ms", n)))) + 10 * sum(at(cc = *, at(delay = "5 ms", n)))'
    "#;

    fn rows(text: &str, size: Size) -> Result<Vec<(String, f64)>, String> {
        let study = study(text, &[("link.toml", ONE_LINK)]);
        let study = study.map_err(|why| format!("{:?}: {why}", why.line()))?;
        let result = run(&study, &Options { size, seeds: Some(2), ..Options::default() });
        let rows = result.experiments.into_iter().flat_map(|e| e.rows);
        Ok(rows.map(|row| (row.id, row.measured.map_or(f64::NAN, |measured| measured.mean))).collect())
    }

    #[test]
    fn rows_and_stars_go_over_what_is_run() {
        let some = rows(STUDY, Size::Default).unwrap();
        let ids: Vec<&str> = some.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids[..3], ["each.1 ms.cubic", "each.5 ms.reno", "each.5 ms.cubic"]);
        assert_eq!(ids[3..], ["count", "within.1 ms", "within.5 ms"]);
        assert_eq!((some[3].1, some[4].1, some[5].1), (3.0, 21.0, 21.0));
        let all = rows(STUDY, Size::Full).unwrap();
        assert_eq!((all.len(), all[6].1, all[7].1), (10, 6.0, 22.0));
    }

    #[test]
    fn at_reads_only_what_is_run() {
        let of = "at(cc = reno, delay = \"9 ms\", n)";
        let text = format!("{STUDY}[[rows]]\nid = \"left-out\"\nof = '{of}'\n");
        let why = rows(&text, Size::Full).unwrap_err();
        assert!(why.contains("does not run cc = reno, delay = 9 ms: `only` leaves it out"), "{why}");
        assert!(why.starts_with("Some(26)"), "{why}");
        rows(&text.replace("reno, delay = \"9", "cubic, delay = \"1"), Size::Full).unwrap();
    }

    #[test]
    fn what_is_no_point() {
        for (wrong, said) in [
            ("{ delay = \"2 ms\" }", "axis `delay` has no value `2 ms`"),
            ("{ rate = 1 }", "`rate` in `only` is not an axis"),
            ("{ delay = \"5 ms\", cc = \"cubic\" }", "selects no point"),
            ("3", "`only` must be \"all\", or a list"),
        ] {
            let why =
                rows(&STUDY.replace("{ delay = \"1 ms\", cc = \"cubic\" }", wrong), Size::Quick).unwrap_err();
            assert!(why.contains(said) && why.starts_with("Some(7)"), "{why}");
        }
    }
}
