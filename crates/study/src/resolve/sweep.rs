//! A sweep: a study generated from a scenario, keys to vary, and algorithms.

use super::axes::{Axis, written};
use crate::parse::Spanned;
use anabranch_scenario::{Application, Flow, Scenario, base, distinct, matching, split_flow_name};
use std::collections::HashSet;
use toml::{Table, Value};

/// A sweep's definition.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    /// The scenario's file, as named in the study file.
    pub scenario: String,
    /// Keys and their values: `links.*.queue=0.1..4 BDP/12log`, `tcp.initial_window=4,10`.
    pub vary: Vec<String>,
    /// Algorithms of the multipath flows, or of all flows if none has several paths: names, `flow=name`, or tables with parameters; empty for the scenario's own.
    pub cc: Vec<String>,
    /// Keys that are set in every run: `KEY=VALUE`.
    pub set: Vec<String>,
    /// The length of every run.
    pub duration: Option<String>,
    /// The number of seeds; `None` if whoever runs it gives the number.
    pub seeds: Option<u32>,
}

/// The text of the study file.
///
/// # Errors
/// A message on a mistake in the axes.
pub fn sweep(sweep: &Sweep, scenario: &Scenario) -> Result<String, String> {
    let vary = vary(&sweep.vary, &sweep.cc)?;
    let axes = read(&vary)?;
    let assignment = |set: &String| {
        let (key, value) = set.split_once('=').ok_or_else(|| format!("`{set}` is not KEY=VALUE"))?;
        Ok((key.trim().to_owned(), Value::from(value.trim())))
    };
    let set = sweep.set.iter().map(assignment).collect::<Result<Table, String>>()?;
    let given = set.keys().map(|key| (key.as_str(), format!("--set {key}")));
    let duration = sweep.duration.iter().map(|_| ("duration", "--duration".to_owned()));
    let keys = axes.iter().filter_map(|axis| axis.key.as_deref());
    let varied = keys.map(|key| (key, format!("--vary {key}")));
    // In the order in which they take effect.
    let all: Vec<(&str, String)> = given.chain(duration).chain(varied).collect();
    for (i, (key, option)) in all.iter().enumerate() {
        let is_axis = |(later, by): &&(&str, String)| by.starts_with("--vary ") && replaces(later, key);
        let by = all[i + 1..].iter().find(is_axis).map(|(_, by)| by.as_str());
        if let Some(by) = by.or_else(|| sets_cc_of(key, &sweep.cc, scenario).then_some("--cc")) {
            return Err(format!("`{by}` replaces the value of `{option}`: leave one out"));
        }
    }
    let group = table([
        Some(("scenario", sweep.scenario.as_str().into())),
        (!sweep.cc.is_empty()).then(|| ("cc", "{cc}".into())),
        sweep.duration.as_deref().map(|duration| ("duration", duration.into())),
        (!set.is_empty()).then(|| ("set", set.into())),
        Some(("vary", vary.into_iter().collect::<Table>().into())),
    ]);
    let names: Vec<&str> = axes.iter().map(|axis| axis.name.as_str()).collect();
    let over = if names.is_empty() { String::new() } else { format!(" over {}", names.join(", ")) };
    let seeds = |seeds: u32| {
        let seeds = Value::from(table([Some(("seeds", i64::from(seeds).into()))]));
        ("size", table(["quick", "default", "full"].map(|size| Some((size, seeds.clone())))).into())
    };
    let measured = measured(scenario, &axes)?;
    let rows = measured.iter().map(|measured| measured.row(&names));
    let figures = measured.iter().enumerate().map(|(i, measured)| measured.figure(i + 1, &axes));
    let file = table([
        Some(("title", format!("{}{over}", scenario.name).into())),
        sweep.seeds.map(seeds),
        Some(("runs", table([Some(("sweep", group.into()))]).into())),
        Some(("rows", Value::Array(rows.collect()))),
        (!axes.is_empty()).then(|| ("figures", Value::Array(figures.collect()))),
    ]);
    Ok(file.to_string())
}

/// The names and the values of a sweep's axes, by which it may be divided.
///
/// # Errors
/// A message on a mistake in them.
pub fn axes(vary: &[String], cc: &[String]) -> Result<Vec<(String, Vec<String>)>, String> {
    let axes = read(&self::vary(vary, cc)?)?.into_iter();
    Ok(axes.map(|axis| (axis.name, axis.values.into_iter().map(|value| value.id).collect())).collect())
}

/// The axes by name, as a study file has them.
fn vary(specs: &[String], cc: &[String]) -> Result<Vec<(String, Value)>, String> {
    let mut vary: Vec<(String, Value)> = Vec::new();
    let mut keys = HashSet::new();
    for spec in specs {
        let (key, values) = axis(spec)?;
        if !keys.insert(whole(&key)) {
            return Err(format!("`{key}` is varied twice: give all its values at once"));
        }
        let taken = |name: &str| name == "cc" || vary.iter().any(|(known, _)| known == name);
        let name = name(&key, taken);
        vary.push((name, values));
    }
    if !cc.is_empty() {
        vary.insert(0, ("cc".into(), Value::Array(cc.iter().map(|cc| cc.as_str().into()).collect())));
    }
    Ok(vary)
}

fn read(vary: &[(String, Value)]) -> Result<Vec<Axis>, String> {
    let axes = vary.iter().map(|(name, values)| {
        let axis = Axis::read(name, &Spanned::new(0..0, values.clone()), &[]);
        axis.map_err(|problem| match problem.help {
            Some(help) => format!("{}: {help}", problem.message),
            None => problem.message,
        })
    });
    axes.collect()
}

/// The entries that there are, in their order.
fn table<const N: usize>(entries: [Option<(&str, Value)>; N]) -> Table {
    entries.into_iter().flatten().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Splits at commas outside brackets and quotes.
pub fn parts(text: &str) -> Vec<String> {
    let (mut parts, mut depth, mut quote) = (vec![String::new()], 0u32, None);
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '{' | '[') => depth += 1,
            (None, '}' | ']') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).collect()
}

/// The key of `KEY=VALUES`, and its axis for a study file.
fn axis(spec: &str) -> Result<(String, Value), String> {
    let help = "write KEY=VALUES, for example links.*.queue=0.1..4 BDP/12log or tcp.initial_window=4,10";
    let (key, values) = spec.split_once('=').ok_or_else(|| format!("`{spec}` varies nothing: {help}"))?;
    let (key, values) = (key.trim(), values.trim());
    if let Some(right) = right_key(key) {
        return Err(format!("--vary {spec}: {right}"));
    }
    if key.is_empty() || values.is_empty() {
        return Err(format!("`{spec}` varies nothing: {help}"));
    }
    let axis = match values.split_once("..") {
        // Not `../a.trace`.
        Some((low, rest)) if !values.contains(',') && !low.is_empty() && !low.ends_with('/') => {
            let is_number = |steps: &str| steps.starts_with(|c: char| c.is_ascii_digit());
            let Some((high, steps)) = rest.rsplit_once('/').filter(|(_, steps)| is_number(steps)) else {
                return Err(format!("`{values}` has no number of steps: {help}"));
            };
            let (steps, scale) = match steps.strip_suffix("log") {
                Some(steps) => (steps, "log"),
                None => (steps.strip_suffix("lin").unwrap_or(steps), "linear"),
            };
            let steps: i64 =
                steps.trim().parse().map_err(|_| format!("`{steps}` is no number of steps: {help}"))?;
            if steps < 2 {
                return Err(format!("`{values}` has too few steps, at least 2 are needed: {help}"));
            }
            let (range, steps, scale) = (format!("{low}..{high}").into(), steps.into(), scale.into());
            let entries = [("key", key.into()), ("range", range), ("steps", steps), ("scale", scale)];
            table(entries.map(Some))
        }
        _ if has_steps(values) => return Err(format!("`{values}` has steps, but no range: {help}")),
        _ => table([("key", key.into()), ("values", parts(values).into())].map(Some)),
    };
    Ok((key.to_owned(), axis.into()))
}

/// The key that `tcp.KEY` stands for; any other as it is.
fn whole(key: &str) -> String {
    if key.starts_with("tcp.") { format!("flows.*.{key}") } else { key.to_owned() }
}

/// The components of a key. A name with a dot has several.
fn components(key: &str) -> Vec<String> {
    whole(key).split('.').map(|part| part.trim().trim_matches(['"', '\'']).to_owned()).collect()
}

fn fits(pattern: &str, name: &str) -> bool {
    pattern == name || matching(pattern, &[name]).is_some_and(|found| !found.is_empty())
}

/// Whether a later key replaces all that an earlier one sets. One link may have its own values beside those that `*` sets before.
pub(super) fn replaces(later: &str, earlier: &str) -> bool {
    let (later, earlier) = (components(later), components(earlier));
    later.len() <= earlier.len() && later.iter().zip(&earlier).all(|(pattern, name)| fits(pattern, name))
}

/// Whether the key sets only algorithms that each of these choices of `cc` replaces.
pub(super) fn sets_cc_of(key: &str, cc: &[impl AsRef<str>], scenario: &Scenario) -> bool {
    let components = components(key);
    let [table, pattern, last, ..] = &components[..] else { return false };
    let any_multipath = scenario.flows.iter().any(Flow::is_multipath);
    let is_chosen = |flow: &&Flow| {
        cc.iter().all(|cc| match split_flow_name(cc.as_ref()).0 {
            Some(name) => name == flow.name || name == flow.key,
            None => flow.is_multipath() || !any_multipath,
        })
    };
    let of_key: Vec<&Flow> = scenario.flows.iter().filter(|flow| fits(pattern, &flow.key)).collect();
    let sets_cc = table == "flows" && last == "cc" && !cc.is_empty() && !of_key.is_empty();
    sets_cc && of_key.iter().all(is_chosen)
}

/// What to write for a key of a link, a flow or TCP without its table.
fn right_key(key: &str) -> Option<String> {
    let table = match key {
        "cc" => return Some("write --cc lia,olia to vary the algorithms".into()),
        "rate" | "delay" | "queue" | "loss" | "aqm" | "jitter" | "tick" | "trace" => "links",
        "scheduler" | "start" | "stop" | "count" | "paths" | "application" => "flows",
        "mss" | "initial_window" | "receive_buffer" | "min_rto" | "delayed_ack" | "ecn" => {
            return Some(format!("write tcp.{key}, for every flow"));
        }
        _ => return None,
    };
    let one = table.trim_end_matches('s');
    Some(format!("write {table}.*.{key} for every {one}, or {table}.NAME.{key} for one"))
}

/// Whether a value ends with a number of steps: `1/12log`.
fn has_steps(values: &str) -> bool {
    let steps = values.rsplit_once('/').map_or("", |(_, steps)| steps.trim());
    let number = steps.strip_suffix("log").or(steps.strip_suffix("lin")).unwrap_or(steps);
    number.parse::<u32>().is_ok()
}

/// An axis's name: the last component of its key, of a loss model `loss_rate` and not the rate of a link; or the whole key if that is
/// taken.
fn name(key: &str, taken: impl Fn(&str) -> bool) -> String {
    let words =
        |text: &str| text.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect::<String>();
    let of_loss = key.rfind(".loss.").map(|dot| &key[dot + 1..]);
    let last = words(of_loss.or(key.rsplit('.').next()).unwrap_or(key));
    if taken(&last) { words(key) } else { last }
}

/// A name without one of the two kinds of quotes as a text of an expression. These have no escapes.
fn quoted(name: &str) -> String {
    let quote = if name.contains('"') { '\'' } else { '"' };
    format!("{quote}{name}{quote}")
}

/// The measured quantities of a sweep.
struct Measured {
    /// In identifiers.
    id: String,
    what: String,
    unit: &'static str,
    of: String,
}

/// The last words of keys that decide when a flow is measured.
const TIMES: [&str; 4] = ["start", "stop", "duration", "warmup"];

/// The goodput of each connection or group of connections, and their fairness; without flows that are over before means begin, or
/// start after the end, unless an axis may change that.
fn measured(scenario: &Scenario, axes: &[Axis]) -> Result<Vec<Measured>, String> {
    let keys = || axes.iter().filter_map(|axis| axis.key.as_deref());
    let is_fixed = !keys().any(|key| TIMES.contains(&key.rsplit('.').next().unwrap_or(key)));
    let is_never = |flow: &&Flow| flow.stop <= scenario.warmup || flow.start >= scenario.duration;
    let flows: Vec<&Flow> = scenario.flows.iter().filter(|flow| !(is_fixed && is_never(flow))).collect();
    let bases = distinct(flows.iter().map(|flow| base(&flow.name)));
    if let Some(name) = bases.iter().find(|name| name.contains('"') && name.contains('\'')) {
        return Err(format!("the flow `{name}` has both kinds of quotes in its name: rename it"));
    }
    let goodput = |base: &&str| Measured {
        id: format!("goodput.{base}"),
        what: format!("goodput of {base}"),
        unit: "Mbit/s",
        of: format!("total({})", quoted(base)),
    };
    let mut all: Vec<Measured> = bases.iter().map(goodput).collect();
    all.extend(flows.iter().filter(|flow| has_arrivals(flow)).flat_map(|flow| of_arrivals(flow)));
    all.extend(fairness(&flows));
    Ok(all)
}

/// Jain's index of the flows that could take more: a flow that its load limits has what it asks for.
fn fairness(flows: &[&Flow]) -> Option<Measured> {
    let counts = |flow: &&Flow| matches!(flow.application, Application::Bulk { .. });
    let counted: Vec<&Flow> = flows.iter().copied().filter(counts).collect();
    let names = distinct(counted.iter().map(|flow| base(&flow.name)));
    let goodput = |name: &&str| format!("goodput({})", quoted(&format!("{name}/*")));
    let goodputs = names.iter().map(goodput).collect::<Vec<_>>().join(", ");
    let (what, of) = match counted.len() == flows.len() {
        true => ("Jain's index", "jain()".into()),
        false => ("Jain's index without flows that their load limits", format!("jain_of({goodputs})")),
    };
    (counted.len() > 1).then(|| Measured { id: "jain".into(), what: what.into(), unit: "", of })
}

/// Whether transfers arrive for a single flow of its name.
fn has_arrivals(flow: &Flow) -> bool {
    matches!(flow.application, Application::Arrivals { .. }) && base(&flow.name) == flow.name
}

/// Its transfers' completion times and slowdown.
fn of_arrivals(flow: &Flow) -> [Measured; 3] {
    let name = &flow.name;
    let text = quoted(name);
    [
        ("completion", "completion time of", "s", format!("completion({text})")),
        ("slowdown", "slowdown of", "", format!("slowdown({text})")),
        ("slowdown99", "99th percentile of the slowdown of", "", format!("slowdown({text}, 99)")),
    ]
    .map(|(id, what, unit, of)| Measured {
        id: format!("{id}.{name}"),
        what: format!("{what} {name}"),
        unit,
        of,
    })
}

impl Measured {
    fn row(&self, axes: &[&str]) -> Value {
        let place = |axis: &&str| format!("{{{axis}}}");
        let id: Vec<String> = std::iter::once(self.id.clone()).chain(axes.iter().map(place)).collect();
        let at: Vec<String> = axes.iter().map(|axis| format!("{axis} {{{axis}.name}}")).collect();
        let what =
            if at.is_empty() { self.what.clone() } else { format!("{}: {}", self.what, at.join(", ")) };
        let (id, of) = (id.join(".").into(), self.of.as_str().into());
        table([("id", id), ("what", what.into()), ("unit", self.unit.into()), ("of", of)].map(Some)).into()
    }

    /// A figure over the first axis of numbers, with a line for each value of a second and a panel for each of a third axis.
    fn figure(&self, number: usize, axes: &[Axis]) -> Value {
        let of_numbers =
            |axis: &&Axis| axis.values.len() > 1 && axis.values.iter().all(|value| value.number.is_some());
        let x = axes.iter().find(of_numbers).unwrap_or(&axes[0]);
        let lines = of_numbers(&x);
        let mut others = axes.iter().filter(|axis| axis.name != x.name);
        let titled = |what: &str, unit: &str| {
            if unit.is_empty() { what.to_owned() } else { format!("{what} ({unit})") }
        };
        let x_title = titled(x.key.as_deref().unwrap_or(&x.name), x.values[0].unit());
        let [by, panel] = ["by", "panel"].map(|key| Some((key, others.next()?.name.as_str().into())));
        let at: Table =
            others.map(|axis| (axis.name.clone(), Value::from(axis.values[0].id.as_str()))).collect();
        let places: String = at.iter().map(|(name, value)| format!(", {name} {}", written(value))).collect();
        let figure = table([
            Some(("id", format!("F{number}").into())),
            Some(("kind", if lines { "lines" } else { "bars" }.into())),
            Some(("x", x.name.as_str().into())),
            Some(("of", self.of.as_str().into())),
            lines.then(|| ("x_title", x_title.into())),
            (lines && is_logarithmic(x)).then(|| ("log", "x".into())),
            by,
            panel,
            Some(("title", format!("{}{places}", self.what).into())),
            Some(("y_title", titled(&self.what, self.unit).into())),
            (!at.is_empty()).then(|| ("at", at.into())),
        ]);
        figure.into()
    }
}

fn is_logarithmic(axis: &Axis) -> bool {
    let numbers: Vec<f64> = axis.values.iter().filter_map(|value| value.number).collect();
    numbers.len() > 2
        && numbers.iter().all(|x| *x > 0.0)
        && numbers.windows(3).all(|w| (w[1] / w[0] / (w[2] / w[1]) - 1.0).abs() < 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::{BESIDE, study};
    use crate::{Plan, Size};

    /// With two flows alike.
    fn scenario() -> String {
        BESIDE.replace("\"tcp\",", "\"tcp\", count = 2,")
    }

    fn text(vary: &[&str], cc: &[&str]) -> Result<String, String> {
        text_of(&scenario(), vary, cc)
    }

    fn text_of(scenario: &str, vary: &[&str], cc: &[&str]) -> Result<String, String> {
        let scenario = scenario.parse::<Scenario>().unwrap();
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let spec = Sweep {
            scenario: "beside.toml".into(),
            vary: owned(vary),
            cc: owned(cc),
            seeds: Some(2),
            ..Sweep::default()
        };
        sweep(&spec, &scenario)
    }

    fn plan(text: &str, scenario: &str) -> Plan {
        let study = study(text, &[("beside.toml", scenario)]).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let plan = study.experiments[0].plan(Size::Default);
        plan.setups.iter().for_each(|setup| drop(setup.scenario().unwrap()));
        plan
    }

    #[test]
    fn a_sweep_is_a_study() {
        let vary = ["links.*.queue=0.5..2 BDP/3log", "tcp.initial_window=4,10"];
        let cc = ["lia", "{ name = \"lia\", count = \"acks\" }", "tcp=cubic"];
        let text = text(&vary, &cc).unwrap();
        let plan = plan(&text, &scenario());
        assert_eq!(plan.setups.len(), 2 * 3 * 3);
        // Goodputs of the connection and of both flows, and how fair they are.
        assert_eq!(plan.row_ids().count(), 3 * 18);
        assert!(text.contains("log = \"x\"") && text.contains("x_title = \"links.*.queue (BDP)\""), "{text}");
        // In two of three runs, the flow has the varied algorithm.
        self::text(&["flows.tcp.cc=reno,vegas"], &cc).unwrap();
    }

    /// A sweep with transfers also reports their times.
    #[test]
    fn a_sweep_of_a_load() {
        let arrivals =
            "name = \"mptcp\", application = { kind = \"arrivals\", size = \"50 kB\", load = 0.2 }";
        let scenario = scenario().replace("name = \"mptcp\"", arrivals);
        let text = text_of(&scenario, &["flows.mptcp.application.load=0.2,0.4,0.6"], &[]).unwrap();
        // Goodputs of both, how fair they are, and three of the transfers.
        assert_eq!(plan(&text, &scenario).row_ids().count(), 6 * 3);
    }

    /// A flow that ends before means begin has no goodput, and takes Jain's index from no other. With an axis of times it may have one.
    #[test]
    fn a_sweep_beside_a_flow_that_is_over() {
        let over = "{ name = \"over\", cc = \"reno\", paths = [[\"a\"]], stop = \"1 s\" },";
        let scenario = scenario().replacen("flows = [", &format!("flows = [{over}"), 1);
        let ids = |vary: &str| {
            let text = text_of(&scenario, &[vary], &[]).unwrap();
            let ids: Vec<String> = plan(&text, &scenario).row_ids().map(str::to_owned).collect();
            ids.iter().filter(|id| id.contains("over")).count()
        };
        assert_eq!(ids("links.*.queue=1 BDP,2 BDP"), 0);
        assert_eq!(ids("flows.over.stop=1 s,2 s"), 2);
    }

    #[test]
    fn what_is_wrong() {
        for (vary, why) in [
            ("links.a.queue", "varies nothing"),
            ("links.a.queue=", "varies nothing"),
            ("links.a.queue=1..2 BDP", "no number of steps"),
            ("links.a.queue=1..2 BDP/1", "at least 2"),
            ("links.a.queue=1 BDP/12log", "has steps, but no range"),
            ("links.a.queue=0..2 BDP/5log", "above 0"),
            ("links.a.queue=1 BDP,1 BDP", "twice"),
            ("queue=1 BDP,2 BDP", "write links.*.queue for every link, or links.NAME.queue for one"),
            ("scheduler=minrtt", "write flows.*.scheduler for every flow"),
            ("initial_window=4,10", "write tcp.initial_window, for every flow"),
            ("cc=", "write --cc lia,olia to vary the algorithms"),
        ] {
            let wrong = text(&[vary], &[]).unwrap_err();
            assert!(wrong.contains(why), "{vary}: {wrong}");
        }
    }

    #[test]
    fn quotes_in_a_flows_name() {
        let named = |name: &str| scenario().replace("\"tcp\"", name);
        for name in ["'a\"b'", "\"a'b\""] {
            let scenario = named(name);
            let text = text_of(&scenario, &["links.a.queue=1 BDP,2 BDP"], &[]).unwrap();
            assert_eq!(plan(&text, &scenario).row_ids().count(), 3 * 2);
        }
        let both = named("\"a\\\"b'c\"");
        let wrong = text_of(&both, &["links.a.queue=1 BDP,2 BDP"], &[]).unwrap_err();
        assert!(wrong.contains("the flow `a\"b'c` has both kinds of quotes"), "{wrong}");
    }

    #[test]
    fn a_sweep_has_axes() {
        let owned = |text: &str| text.to_owned();
        let axes = axes(
            &["links.*.queue=0.5..2 BDP/3log", "links.a.trace=../a.trace"].map(owned),
            &["lia"].map(owned),
        );
        let values =
            |name: &str, values: &[&str]| (owned(name), values.iter().map(|v| owned(v)).collect::<Vec<_>>());
        let queues = values("queue", &["0.5 BDP", "1 BDP", "2 BDP"]);
        assert_eq!(axes, Ok(vec![values("cc", &["lia"]), queues, values("trace", &["../a.trace"])]));
    }

    #[test]
    fn commas_within_brackets_do_not_part() {
        assert_eq!(
            parts("lia, {name=\"lia\", pacing=true},olia"),
            ["lia", "{name=\"lia\", pacing=true}", "olia"]
        );
    }
}
