//! `anabranch ideal`: what theory gives for a scenario.

use crate::args::IdealArgs;
use crate::failure::Failure;
use crate::input;
use crate::output::{print, print_json};
use crate::table::{LOSS, PERCENT, PLAIN, RATE, TIME, Table, Units, WIDTH, number, titled};
use anabranch_ideal::{Allocation, COUPLED, Ideals, LinkIdeal, SubflowIdeal};

/// `anabranch ideal`.
pub fn ideal(args: &IdealArgs) -> Result<(), Failure> {
    let source = input::read(&args.scenario.file)?;
    let scenario = input::load(&source, &args.scenario, &args.cc)?;
    let ideals = Ideals::of(&scenario, &COUPLED.map(|(name, _)| name), args.queue);
    if args.json { print_json(&ideals) } else { print(&page(&ideals)) }
}

/// The ideals for people.
fn page(ideals: &Ideals) -> String {
    let all: Vec<&Allocation> = ideals.allocations.iter().collect();
    let settled = |a: &&Allocation| a.links.iter().all(|link| link.loss_rate.is_some());
    let equilibria: Vec<&Allocation> = all.iter().copied().filter(settled).collect();
    let mut page =
        format!("{}: what theory gives for the network as it is at {} s\n", ideals.scenario, ideals.at_s);
    if !all.is_empty() {
        page += &goodputs(&all);
    }
    if !equilibria.is_empty() {
        page += &subflows("mean congestion window, segments", PLAIN, &equilibria, |s| s.cwnd_segments);
        page += &subflows("mean RTT", TIME, &equilibria, |s| s.rtt_s);
        page += &subflows("loss rate", LOSS, &equilibria, |s| s.loss_rate);
        page += &links("loss rate through congestion", LOSS, &equilibria, |link| link.loss_rate);
    }
    if !all.is_empty() {
        page += &links("utilisation", PERCENT, &all, |link| Some(link.utilisation));
        let jain = all.iter().map(|a| a.jain.map_or(String::new(), number));
        let ids = all.iter().map(|a| a.id.as_str());
        page += &format!("\n{}", Table::new().text("", ids).text("Jain's index of the goodputs", jain));
    }
    page + "\n" + &remarks(ideals, !equilibria.is_empty())
}

/// What the columns mean, what is missing and what was assumed.
fn remarks(ideals: &Ideals, settled: bool) -> String {
    let mut remarks = Vec::new();
    let fair = [
        ("max-min", "no connection can have more without taking from one that has no more"),
        ("pooled", "proportional fairness over the connections' totals, the resource-pooling ideal"),
    ];
    for (id, meaning) in fair.iter().filter(|(id, _)| ideals.allocation(id).is_some()) {
        remarks.push(format!("{id}: {meaning}. Only connections' totals are unique, not their parts."));
    }
    if settled {
        let own = if ideals.allocation("own").is_some() { " In own every flow does." } else { "" };
        remarks.push(format!(
            "The others are where congestion control settles if the multipath flows run that algorithm and the \
             rest what the scenario gives them.{own} A link drops only where it is full, and then {} % of its \
             buffer are taken up.",
            (ideals.queue * 1e3).round() / 10.0
        ));
    }
    let missing = ideals.missing.iter().map(|missing| format!("No {}: {}.", missing.id, missing.why));
    let options = textwrap::Options::new(WIDTH).initial_indent("- ").subsequent_indent("  ");
    let remarks = remarks.into_iter().chain(missing).chain(ideals.notes.iter().cloned());
    remarks.map(|remark| textwrap::fill(&remark, &options) + "\n").collect()
}

/// Adds a column for each allocation; the table under its title.
fn columns(
    title: &str,
    units: Units,
    table: Table,
    all: &[&Allocation],
    cells: impl Fn(&Allocation) -> Vec<Option<f64>>,
) -> String {
    let (table, unit) = table.quantities(units, all.iter().map(|a| (a.id.as_str(), cells(a))));
    format!("\n{}\n{table}", titled(title, unit))
}

/// Goodputs of connections and, below those with several, of their subflows.
fn goodputs(all: &[&Allocation]) -> String {
    let flows = &all[0].flows;
    let parts = |f: usize| if flows[f].subflows.len() > 1 { 0..flows[f].subflows.len() } else { 0..0 };
    let rows: Vec<(usize, Option<usize>)> = (0..flows.len())
        .flat_map(|f| std::iter::once((f, None)).chain(parts(f).map(move |s| (f, Some(s)))))
        .collect();
    let name = |(f, part): &(usize, Option<usize>)| part.map_or(flows[*f].name.as_str(), |_| "");
    let path = |(f, part): &(usize, Option<usize>)| match (part, &flows[*f].subflows[..]) {
        (Some(s), subflows) => subflows[*s].path.join("+"),
        (None, [only]) => only.path.join("+"),
        (None, _) => "all".to_owned(),
    };
    let table = Table::new().text("flow", rows.iter().map(name)).text("path", rows.iter().map(path));
    columns("goodput", RATE, table, all, |a| {
        let cell = |(f, part): &(usize, Option<usize>)| {
            part.map_or(a.flows[*f].goodput_bps, |s| a.flows[*f].subflows[s].goodput_bps)
        };
        rows.iter().map(cell).collect()
    })
}

/// A row for each subflow.
fn subflows(
    title: &str,
    units: Units,
    all: &[&Allocation],
    value: impl Fn(&SubflowIdeal) -> Option<f64>,
) -> String {
    let each = || all[0].flows.iter().flat_map(|f| f.subflows.iter().map(move |s| (f, s)));
    let table = Table::new()
        .text("flow", each().map(|(f, _)| &f.name))
        .text("path", each().map(|(_, s)| s.path.join("+")));
    columns(title, units, table, all, |a| a.flows.iter().flat_map(|f| &f.subflows).map(&value).collect())
}

/// A row for each link.
fn links(
    title: &str,
    units: Units,
    all: &[&Allocation],
    value: impl Fn(&LinkIdeal) -> Option<f64>,
) -> String {
    let table = Table::new().text("link", all[0].links.iter().map(|link| &link.name));
    columns(title, units, table, all, |a| a.links.iter().map(&value).collect())
}
