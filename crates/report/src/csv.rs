//! All values behind tables and figures, for other tools.

use crate::boxes::{NAMES, five_numbers, groups};
use crate::chart::labelled;
use crate::pages::{assumptions, fidelity};
use crate::plan::PaperPlan;
use crate::verdict;
use anabranch_papers::standard::{CaseResult, Trace};
use anabranch_study::{Estimate, Mark, Other, Panel, Published, Series, Wording, format};
use std::collections::BTreeMap;

/// A panel's points, before any are left out of the drawing.
pub fn panel(panel: &Panel) -> String {
    if panel.mark == Mark::Box {
        return boxes(panel);
    }
    let mut out = line(["series", "source", "label", &panel.x.title, &panel.y.title, "half_width_95"]);
    for series in &panel.series {
        for p in &series.points {
            let (x, y, half_width) = (digits(p.x), digits(p.y), p.half_width.map(digits).unwrap_or_default());
            let label = p.label.as_deref().unwrap_or("");
            out += &line([&series.name, source(series), label, &x, &y, &half_width]);
        }
    }
    out
}

/// The points of all panels, in the same columns for every kind of panel.
pub fn values(panels: &[Panel]) -> String {
    let mut out = format!("{VALUES}\r\n");
    for panel in panels {
        let x_title = if labelled(panel) { "" } else { &panel.x.title };
        for series in &panel.series {
            for p in series.points.iter().filter(|p| !p.y.is_nan()) {
                let (x, y) = (text((!labelled(panel)).then_some(p.x)), p.y.to_string());
                let of = [&panel.title, &series.name, source(series), p.label.as_deref().unwrap_or("")];
                let values = [x_title, &x, &panel.y.title, &y, &text(p.half_width)];
                out += &line(of.into_iter().chain(values));
            }
        }
    }
    out
}

/// The columns of [`values()`].
pub const VALUES: &str = "panel,series,source,label,x_quantity,x,y_quantity,y,half_width_95";

/// Every value behind a panel of boxes, and the numbers of each box.
fn boxes(panel: &Panel) -> String {
    let mut out = line(["series", "source", "label", "kind", &panel.y.title]);
    for series in &panel.series {
        for (label, values) in groups(series) {
            let numbers =
                five_numbers(&values).into_iter().flat_map(|numbers| NAMES.into_iter().zip(numbers));
            for (kind, y) in values.iter().map(|y| ("value", *y)).chain(numbers) {
                out += &line([&series.name, source(series), label, kind, &y.to_string()]);
            }
        }
    }
    out
}

fn source(series: &Series) -> &'static str {
    if series.published { "published" } else { "ours" }
}

/// A value of a drawn line. More digits would make these files half as large again.
fn digits(value: f64) -> String {
    format::significant(value, 9).to_string()
}

/// A number, where there is one.
fn text(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// A standard case over time: one line for each instant, one column for each line of its drawings.
pub fn traces(case: &CaseResult) -> String {
    let named = |what: &str, traces: &[Trace]| -> Vec<(String, Trace)> {
        traces.iter().map(|t| (format!("{} {what}", t.name), t.clone())).collect()
    };
    let mut columns = named("cwnd (segments)", &case.windows);
    columns.extend(named("goodput (Mbit/s)", &case.rates));
    columns.extend(case.observables.iter().flat_map(|o| named(&o.name, &o.traces)));
    // Instants are whole milliseconds.
    let mut lines: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    for (i, (_, trace)) in columns.iter().enumerate() {
        for (t, y) in trace.time_s.iter().zip(&trace.values) {
            let line =
                lines.entry((t * 1e3).round() as i64).or_insert_with(|| vec![String::new(); columns.len()]);
            line[i] = digits(*y);
        }
    }
    let mut out = line(std::iter::once("time (s)").chain(columns.iter().map(|(name, _)| name.as_str())));
    for (ms, values) in lines {
        let time = (ms as f64 / 1e3).to_string();
        out += &line(std::iter::once(time.as_str()).chain(values.iter().map(String::as_str)));
    }
    out
}

/// The columns of [`rows`].
const ROWS: &str = "experiment,row,what,unit,published,claim_or_derivation,mean,half_width_95,n,values,compared,rule,verdict,\
    explanation,others,beyond,interval_reaches,interpretations";

/// Every row of a paper, with the value of each seed.
pub fn rows(paper: &PaperPlan) -> String {
    let mut out = format!("{ROWS}\r\n");
    let others = |of: &[Other]| of.iter().map(|o| other(o, paper.wording)).collect::<Vec<_>>().join("; ");
    for plan in &paper.experiments {
        let beyond = if plan.experiment.beyond { "yes" } else { "" };
        for (row, _) in &plan.rows {
            let claim = match &row.published {
                Published::Claim(claim) => claim.as_str(),
                Published::Derived { from, .. } => from.as_str(),
                Published::Value(_) | Published::Nothing => "",
            };
            let compared: Vec<String> =
                row.compared.iter().map(|(name, m)| format!("{name} {}", format::of(m))).collect();
            let of = |f: fn(&Estimate) -> String| row.measured.as_ref().map(f).unwrap_or_default();
            out += &line([
                &plan.experiment.id,
                &row.id,
                &row.what,
                &row.unit,
                &text(row.published.value()),
                claim,
                &of(|m| m.mean.to_string()),
                &of(|m| text(m.half_width)),
                &of(|m| m.values.len().to_string()),
                &of(|m| m.values.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")),
                &compared.join("; "),
                &paper.wording.rule(&row.rule),
                paper.wording.label(row.verdict),
                row.explanation.as_deref().unwrap_or(""),
                &others(&row.others),
                beyond,
                &verdict::crossed(row, paper.wording, "; "),
                &others(&row.interpretations),
            ]);
        }
    }
    out
}

/// The columns of [`backends`].
const BACKENDS: &str = "experiment,scenario,backend,quantity,of,unit,simulated,simulated_half_width_95,there,there_half_width_95,\
    difference_percent,difference_half_width_95,linux_hosts,linux_hosts_half_width_95,linux_hosts_difference_percent,\
    linux_hosts_difference_half_width_95,command";

/// Every quantity of the scenarios that ran in the simulator and on another backend.
pub fn backends(paper: &PaperPlan) -> String {
    let mut out = format!("{BACKENDS}\r\n");
    for plan in &paper.experiments {
        for scenario in plan.backends.iter().flat_map(|backend| &backend.scenarios) {
            for quantity in &scenario.quantities {
                let (factor, unit) = fidelity::unit(quantity.kind);
                let scaled = |value| fidelity::scaled(value, |x| x * factor);
                let [here, there] = [&quantity.simulated, &quantity.real].map(scaled);
                let hosts = quantity.linux_hosts.as_ref();
                let with_hosts = hosts.map(|hosts| scaled(&hosts.simulated));
                let percent = |part: Option<f64>| text(part.map(|part| 100.0 * part));
                out += &line([
                    &plan.experiment.id,
                    &scenario.title,
                    &scenario.variant,
                    quantity.kind.title(),
                    &quantity.of,
                    unit,
                    &here.mean.to_string(),
                    &text(here.half_width),
                    &there.mean.to_string(),
                    &text(there.half_width),
                    &percent(quantity.relative),
                    &percent(quantity.half_width),
                    &text(with_hosts.as_ref().map(|value| value.mean)),
                    &text(with_hosts.and_then(|value| value.half_width)),
                    &percent(hosts.and_then(|hosts| hosts.relative)),
                    &percent(hosts.and_then(|hosts| hosts.half_width)),
                    &scenario.command,
                ]);
            }
        }
    }
    out
}

/// A row under another assumption: "v0: 121 ± 3, reproduced".
fn other(other: &Other, wording: Wording) -> String {
    format!("{}: {}, {}", other.variant, assumptions::values(other), wording.label(other.verdict))
}

/// A record as in RFC 4180. Text that a spreadsheet would take for a formula has an apostrophe before it (OWASP, "CSV Injection");
/// negative numbers are not formulae.
fn line<'a>(fields: impl IntoIterator<Item = &'a str>) -> String {
    let as_text = fields.into_iter().map(|field| {
        let calculated = field.starts_with(['=', '+', '-', '@', '\t', '\r']) && field.parse::<f64>().is_err();
        format!("{}{field}", if calculated { "'" } else { "" })
    });
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(as_text).expect("memory takes every record");
    String::from_utf8(writer.into_inner().expect("memory is flushed")).expect("fields are text")
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_study::{Axis, Point};

    /// 1, 2 and 9: the quartiles 1.5 and 5.5 by hand.
    #[test]
    fn boxes_have_their_values_and_numbers() {
        let points = [9.0, 1.0, 2.0].map(|y| Point::bar("S1", y)).into();
        let series = vec![Series { name: "LIA".into(), published: false, points }];
        let panel = Panel { y: Axis::new("share", false), mark: Mark::Box, series, ..Panel::default() };
        let kinds = [("value", 9.0), ("value", 1.0), ("value", 2.0), ("lower whisker", 1.0)];
        let quartiles = [("lower quartile", 1.5), ("median", 2.0), ("upper quartile", 5.5)];
        let mut expected = "series,source,label,kind,share\r\n".to_owned();
        for (kind, y) in kinds.into_iter().chain(quartiles).chain([("upper whisker", 9.0)]) {
            expected += &format!("LIA,ours,S1,{kind},{y}\r\n");
        }
        assert_eq!(super::panel(&panel), expected);
    }

    /// As in RFC 4180; LibreOffice and Excel calculate a cell that begins like a formula.
    #[test]
    fn fields_are_quoted_and_formulae_are_text() {
        assert_eq!(line(["a", "b,c", "d\"e", "f\ng"]), "a,\"b,c\",\"d\"\"e\",\"f\ng\"\r\n");
        let fields = ["=1+1", "+1 s", "-x", "@SUM(1)", "-1.5", "+2", "1=1"];
        assert_eq!(line(fields), "'=1+1,'+1 s,'-x,'@SUM(1),-1.5,+2,1=1\r\n");
    }
}
