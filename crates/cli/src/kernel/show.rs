//! `anabranch kernel doctor`, `list` and `status`: the state of the kernel.

use super::args::{DoctorArgs, StatusArgs};
use super::needs::{missing, require_privileges};
use super::users::{mptcp_is_off, note_uncoupled};
use crate::output::{note, print, print_json};
use crate::table::Table;
use anabranch::algorithms::kernel_registry::{self as registry, KernelEntry};
use anabranch::kernel::{Check, Cost, Counters, Coupling, Instance, Namespace, Occupancy, Verdict};
use anabranch::units::PLAIN;
use anabranch::{Error, counted};
use serde_json::{Value as Json, json};
use std::cmp::Reverse;
use std::time::Duration;

pub fn doctor(args: &DoctorArgs) -> Result<(), Error> {
    let checks = match &args.netns {
        Some(name) => {
            require_privileges()?;
            Namespace::find(name)?.doctor()?
        }
        None => anabranch::kernel::doctor(),
    };
    if args.json {
        let describe = |check: &Check| json!({ "need": check.title, "state": state_of(check), "found": check.found, "help": check.help });
        print_json(&checks.iter().map(describe).collect::<Vec<_>>())?;
    } else {
        let table = Table::new()
            .text("", checks.iter().map(state_of))
            .text("what", checks.iter().map(|c| c.title))
            .text("found", checks.iter().map(|c| c.found.as_str()))
            .text("how to get it", checks.iter().map(|c| c.help));
        print(&table.to_string())?;
    }
    missing(&checks)
}

fn state_of(check: &Check) -> &'static str {
    match check.verdict {
        Verdict::Satisfied => "ok",
        Verdict::Optional => "optional",
        Verdict::Warning => "warning",
        Verdict::Unknown => "unknown",
        Verdict::Missing => "missing",
    }
}

/// An algorithm and, if it is loaded, its instance in the kernel.
struct Row {
    entry: &'static KernelEntry,
    instance: Option<Instance>,
    pinned: bool,
    /// The namespaces that select it for new sockets.
    namespaces: Vec<String>,
}

fn rows() -> Result<Vec<Row>, Error> {
    require_privileges()?;
    let pinned = anabranch::kernel::pinned()?;
    let instances = anabranch::kernel::instances()?;
    let pinned: Vec<&str> = pinned.iter().map(|entry| entry.kernel_name).collect();
    let choosers =
        |name: &str| anabranch::kernel::selecting_namespaces(name).into_iter().map(|n| n.name).collect();
    Ok(rows_of(instances, &pinned, choosers))
}

/// A row per algorithm, and another for each instance that is unloading while a new one is loaded.
fn rows_of(
    mut instances: Vec<Instance>,
    pinned: &[&str],
    choosers: impl Fn(&str) -> Vec<String>,
) -> Vec<Row> {
    // Namespaces use the instance that was loaded last: `load` selects it again there.
    instances.sort_by_key(|instance| (!instance.registered, Reverse(instance.map_id)));
    let mut rows = Vec::new();
    for entry in registry::all() {
        let is_ours = |instance: &mut Instance| instance.entry.kernel_name == entry.kernel_name;
        let mut ours = instances.extract_if(.., is_ours);
        let first = ours.next();
        let namespaces = first.iter().flat_map(|_| choosers(entry.kernel_name)).collect();
        let pinned = pinned.contains(&entry.kernel_name);
        rows.push(Row { entry, instance: first, pinned, namespaces });
        rows.extend(ours.map(|older| Row { entry, instance: Some(older), pinned, namespaces: vec![] }));
    }
    rows
}

impl Row {
    fn state(&self) -> &'static str {
        match &self.instance {
            None => "not loaded",
            Some(instance) if !instance.registered => "unloading",
            Some(instance) if !instance.is_of_this_build() => "loaded, other build",
            Some(_) if self.pinned => "loaded",
            Some(_) => "loaded, not pinned",
        }
    }

    fn counters(&self) -> Option<Counters> {
        self.instance.as_ref()?.counters()
    }

    /// The number of sockets that hold its programs, including listeners, for which the programs are not called.
    fn sockets(&self) -> Option<usize> {
        let instance = self.instance.as_ref()?;
        let others = usize::from(instance.registered) + self.namespaces.len();
        Some((instance.references as usize).saturating_sub(others))
    }

    fn age(&self) -> Option<Duration> {
        Some(self.instance.as_ref()?.age())
    }

    /// The names of the namespaces, or their number.
    fn chosen_by(&self) -> String {
        match self.namespaces.len() {
            n @ 4.. => format!("{n} network namespaces"),
            _ => self.namespaces.join(", "),
        }
    }

    fn json(&self) -> Json {
        json!({
            "name": self.entry.reference.name,
            "kernel_name": self.entry.kernel_name,
            "title": self.entry.reference.title,
            "state": self.state(),
            "age_s": self.age().map(|age| age.as_secs()),
            "sockets": self.sockets(),
            "namespaces": self.namespaces,
        })
    }
}

pub fn list(as_json: bool) -> Result<(), Error> {
    if let Err(why) = require_privileges() {
        let names = Table::new()
            .text("name", registry::all().iter().map(|entry| entry.reference.name))
            .text("in the kernel", registry::all().iter().map(|entry| entry.kernel_name));
        return if as_json { Err(why) } else { print(&format!("{names}\nRun as root to see their state.")) };
    }
    let rows = rows()?;
    if as_json {
        return print_json(&rows.iter().map(Row::json).collect::<Vec<_>>());
    }
    let table = Table::new()
        .text("name", rows.iter().map(|r| r.entry.reference.name))
        .text("in the kernel", rows.iter().map(|r| r.entry.kernel_name))
        .text("state", rows.iter().map(Row::state))
        .text("loaded", rows.iter().map(|r| r.age().map_or(String::new(), ago)))
        .text("sockets", rows.iter().map(|r| r.sockets().map_or(String::new(), |n| n.to_string())))
        .text("chosen by", rows.iter().map(Row::chosen_by));
    print(&table.to_string())
}

/// Formats an age in its two largest units.
fn ago(age: Duration) -> String {
    let seconds = age.as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s ago"),
        (0, 0, _) => format!("{minutes} min {} s ago", seconds % 60),
        (0, _, _) => format!("{hours} h {} min ago", minutes % 60),
        _ => format!("{days} d {} h ago", hours % 24),
    }
}

pub fn status(args: &StatusArgs) -> Result<(), Error> {
    let rows: Vec<_> = rows()?.into_iter().filter(|row| row.instance.is_some()).collect();
    let seconds = args.cost.map(Duration::from_secs);
    let costs = seconds.map(anabranch::kernel::measure).transpose()?;
    let occupancy = |row: &Row| row.instance.as_ref().and_then(Instance::occupancy).unwrap_or_default();
    let occupancies: Vec<_> = rows.iter().map(occupancy).collect();
    let ghosts = rows.iter().map(|row| row.instance.as_ref().map_or(Ok(None), Instance::ghosts));
    let ghosts = ghosts.collect::<Result<Vec<_>, _>>()?;
    let coupling = Coupling::open().check();
    if args.json {
        let algorithms = rows.iter().zip(occupancies.iter().zip(&ghosts));
        let algorithms = algorithms.map(|(row, (occupancy, ghosts))| status_json(row, occupancy, *ghosts));
        return print_json(&json!({
            "algorithms": algorithms.collect::<Vec<_>>(),
            "uncoupled": coupling.uncoupled,
            "uncoupled_incomplete": coupling.incomplete,
            "costs": costs.map(|costs| costs.iter().map(cost_json).collect::<Vec<_>>()),
        }));
    }
    if rows.is_empty() {
        return print("No algorithm is loaded. To load one, run `anabranch kernel load NAME`.");
    }
    print(&status_table(&rows, &occupancies))?;
    for (row, ghosts) in rows.iter().zip(&ghosts).filter(|(_, ghosts)| ghosts.is_some_and(|n| n > 0)) {
        let name = row.entry.kernel_name;
        let lost = counted(ghosts.unwrap_or(0) as usize, "row");
        note(&format!(
            "{name} has {lost} of closed sockets: run `anabranch kernel load {name}` to free them"
        ));
    }
    note_uncoupled(&coupling);
    for row in rows.iter().filter(|row| !row.namespaces.is_empty()) {
        anabranch::kernel::selecting_namespaces(row.entry.kernel_name).iter().for_each(mptcp_is_off);
    }
    let Some(mut costs) = costs else { return Ok(()) };
    costs.retain(|cost| cost.calls > 0);
    let table = if costs.is_empty() { "No program has run.".into() } else { cost_table(&costs) };
    print(&format!("\n{table}"))
}

fn status_json(row: &Row, occupancy: &Occupancy, ghosts: Option<u32>) -> Json {
    let mut json = row.json();
    json["refused"] = json!(row.counters().map(|c| c.refused));
    json["connections"] = json!(occupancy.connections);
    json["subflows"] = json!(occupancy.subflows);
    json["capacity"] = json!(occupancy.capacity);
    json["ghosts"] = json!(ghosts);
    json
}

fn status_table(rows: &[Row], occupancies: &[Occupancy]) -> String {
    let counters: Vec<_> = rows.iter().map(|row| row.counters().unwrap_or_default()).collect();
    Table::new()
        .text("in the kernel", rows.iter().map(|r| r.entry.kernel_name))
        .text("state", rows.iter().map(Row::state))
        .count("sockets", rows.iter().map(|r| r.sockets().unwrap_or(0) as u64))
        .count("connections", occupancies.iter().map(|o| o.connections))
        .count("subflows", occupancies.iter().map(|o| o.subflows))
        .text("table", occupancies.iter().map(|o| format!("{}/{}", o.subflows, o.capacity)))
        .count("refused", counters.iter().map(|c| c.refused))
        .to_string()
}

/// Nanoseconds per call; `None` if the program did not run.
fn ns_per_call(cost: &Cost) -> Option<f64> {
    (cost.calls > 0).then(|| cost.time as f64 / cost.calls as f64)
}

fn cost_json(cost: &Cost) -> Json {
    json!({
        "algorithm": cost.algorithm,
        "program": cost.program,
        "calls": cost.calls,
        "time_ns": cost.time,
        "ns_per_call": ns_per_call(cost),
    })
}

fn cost_table(costs: &[Cost]) -> String {
    Table::new()
        .text("in the kernel", costs.iter().map(|c| c.algorithm))
        .text("program", costs.iter().map(|c| c.program.as_str()))
        .count("calls", costs.iter().map(|c| c.calls))
        .quantity("ns per call", PLAIN, costs.iter().map(ns_per_call))
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A namespace refers to one set of functions: a choice of it is one reference, of what it was made from last, wherever the
    /// kernel lists that. Each other reference is a socket's.
    #[test]
    fn namespaces_belong_to_the_last_load() {
        let entry = registry::find_kernel("lia").unwrap();
        let instance = |map_id, registered, references| {
            let (link, programs) = (None, vec![]);
            Instance { entry, map_id, registered, link, references, programs }
        };
        let (old, older, new) = (instance(7, false, 3), instance(5, false, 1), instance(9, true, 2));
        let shown = |instances: &[&Instance]| {
            let instances = instances.iter().map(|instance| Instance { programs: vec![], ..**instance });
            let chosen = |name: &str| match name {
                "ab_lia" => vec!["blue".to_owned()],
                _ => vec![],
            };
            let rows = rows_of(instances.collect(), &["ab_lia"], chosen);
            let of_lia = rows.iter().filter(|row| row.entry.kernel_name == "ab_lia");
            of_lia
                .map(|row| (row.instance.as_ref().map(|i| i.map_id), row.chosen_by(), row.sockets()))
                .collect::<Vec<_>>()
        };
        let expected: Vec<(Option<u32>, String, Option<usize>)> = vec![
            (Some(9), "blue".into(), Some(0)),
            (Some(7), String::new(), Some(3)),
            (Some(5), String::new(), Some(1)),
        ];
        assert_eq!(shown(&[&older, &old, &new]), expected);
        assert_eq!(shown(&[&new, &old, &older]), expected);
        // Unloaded while it is chosen: what was loaded last still has the namespace.
        let expected = vec![(Some(7), "blue".into(), Some(2)), (Some(5), String::new(), Some(1))];
        assert_eq!(shown(&[&older, &old]), expected);
        assert_eq!(shown(&[]), [(None, String::new(), None)]);
    }

    #[test]
    fn ages() {
        for (seconds, text) in [
            (0, "0 s ago"),
            (59, "59 s ago"),
            (61, "1 min 1 s ago"),
            (3 * 3600 + 59 * 60 + 59, "3 h 59 min ago"),
            (86400 * 2 + 3600, "2 d 1 h ago"),
        ] {
            assert_eq!(ago(Duration::from_secs(seconds)), text);
        }
    }
}
