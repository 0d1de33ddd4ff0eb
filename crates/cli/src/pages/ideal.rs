//! Formats fair shares and equilibria.

use crate::table::{Table, paragraph, titled};
use anabranch::studies::format::plain;
use anabranch::theory::{Allocation, COUPLED, FlowIdeal, Ideals, LinkIdeal, SubflowIdeal};
use anabranch::units::{PERCENT, PLAIN, RATE, TIME, Units};

/// With a smaller window, in segments, a loss may leave too few ACKs for fast retransmit.
const SMALL: f64 = 4.0;

pub fn page(ideals: &Ideals) -> String {
    let all: Vec<&Allocation> = ideals.allocations.iter().collect();
    let settled = |a: &&Allocation| a.links.iter().all(|link| link.loss_rate.is_some());
    let equilibria: Vec<&Allocation> = all.iter().copied().filter(settled).collect();
    let mut page =
        format!("{}: theory, for the network at {} s\n{}", ideals.scenario, ideals.at_s, missing(ideals));
    if !all.is_empty() {
        page += &goodputs(&all);
    }
    if !equilibria.is_empty() {
        page += &subflows("mean congestion window, segments", PLAIN, &equilibria, |s| s.cwnd_segments);
        page += &subflows("mean RTT", TIME, &equilibria, |s| s.rtt_s);
        page += &subflows("loss rate", PERCENT, &equilibria, |s| s.loss_rate);
        page += &links("loss rate through congestion", PERCENT, &equilibria, |link| link.loss_rate);
    }
    if !all.is_empty() {
        page += &links("utilisation", PERCENT, &all, |link| Some(link.utilisation));
        let jain = all.iter().map(|a| a.jain.map_or(String::new(), plain));
        let ids = all.iter().map(|a| a.id.as_str());
        page += &format!("\n{}", Table::new().text("", ids).text("Jain's index of the goodputs", jain));
    }
    page + "\n" + &remarks(ideals, !equilibria.is_empty())
}

/// The meaning of the columns, and assumptions.
fn remarks(ideals: &Ideals, settled: bool) -> String {
    let mut remarks = Vec::new();
    let fair = [
        ("max-min", "no connection can get more without taking from one that has no more"),
        ("pooled", "proportional fairness over the connections' totals, the resource-pooling ideal"),
    ];
    for (id, meaning) in fair.iter().filter(|(id, _)| ideals.allocation(id).is_some()) {
        remarks.push(format!(
            "{id}: {meaning}. Only the totals of connections are unique, not the rates of subflows."
        ));
    }
    if fair.iter().any(|(id, _)| ideals.allocation(id).is_some()) {
        let full = "Fair shares assume full links; few flows over a buffer of less than 1 BDP leave some of a link unused.";
        remarks.push(full.to_owned());
    }
    if settled {
        let own = match ideals.own.as_deref() {
            Some("own") => "own: the scenario's own algorithms. ".to_owned(),
            Some(id) => format!("{id} is the algorithm of the scenario itself. "),
            None => String::new(),
        };
        let others = ideals.allocations.iter().any(|a| COUPLED.iter().any(|(id, _)| *id == a.id));
        let others = if others {
            "The columns named after algorithms are equilibria in which the multipath flows \
             run that algorithm and the other flows the scenario's. "
        } else {
            "Equilibria are the operating points of congestion control. "
        };
        remarks.push(format!(
            "{own}{others}A link drops packets only if it is full; then {} % of its buffer is occupied.",
            (ideals.queue * 1e3).round() / 10.0
        ));
    }
    let windows = ideals.allocations.iter().flat_map(|a| &a.flows).flat_map(|flow| &flow.subflows);
    if windows.filter_map(|subflow| subflow.cwnd_segments).any(|window| window < SMALL) {
        remarks.push(format!(
            "A mean window below {SMALL} segments is not a prediction: probes and timeouts, which theory leaves out, govern the rate there."
        ));
    }
    if ideals.allocation("balia").is_some() {
        remarks.push(
            "balia: with the algorithm's limit of 3/2 on its decrease, which the published fluid model leaves out."
                .to_owned(),
        );
    }
    list(remarks.into_iter().chain(ideals.notes.iter().cloned()))
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.map(|item| paragraph("- ", "  ", &item)).collect()
}

/// The columns that the tables lack, and why.
fn missing(ideals: &Ideals) -> String {
    let of = |id: &str| match id {
        "own" => "the algorithms of the scenario".to_owned(),
        id => id.to_owned(),
    };
    list(
        ideals
            .missing
            .iter()
            .map(|missing| format!("No prediction for {}: {}.", of(&missing.id), missing.why)),
    )
}

/// Adds a column for each allocation and returns the table below its title.
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

/// Groups the flows of one scenario entry that have equal values in every allocation: the first flow, and a name for all.
fn group_equal_flows(all: &[&Allocation]) -> Vec<(usize, String)> {
    let flows = &all[0].flows;
    let numbered = |f: usize| {
        let (base, number) = flows[f].name.rsplit_once('/')?;
        number.parse::<u32>().ok().map(|number| (base, number))
    };
    let same = |a: &FlowIdeal, b: &FlowIdeal| {
        let paths = |flow: &FlowIdeal| flow.subflows.iter().map(|s| s.path.clone()).collect::<Vec<_>>();
        let near = match (a.goodput_bps, b.goodput_bps) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-3 * a.abs(),
            (a, b) => a == b,
        };
        near && paths(a) == paths(b)
    };
    let alike = |a: usize, b: usize| {
        numbered(a).zip(numbered(b)).is_some_and(|((a, _), (b, _))| a == b)
            && all.iter().all(|allocation| same(&allocation.flows[a], &allocation.flows[b]))
    };
    let mut groups: Vec<(usize, String)> = Vec::new();
    for f in 0..flows.len() {
        match (groups.last_mut(), numbered(f)) {
            (Some((first, name)), Some((_, last))) if alike(*first, f) => {
                *name = format!("{}–{last} each", flows[*first].name);
            }
            _ => groups.push((f, flows[f].name.clone())),
        }
    }
    groups
}

/// Goodputs of connections and, below multipath ones, of their subflows.
fn goodputs(all: &[&Allocation]) -> String {
    let flows = &all[0].flows;
    let parts = |f: usize| if flows[f].subflows.len() > 1 { 0..flows[f].subflows.len() } else { 0..0 };
    let groups = group_equal_flows(all);
    let rows: Vec<(usize, &str, Option<usize>)> = groups
        .iter()
        .flat_map(|(f, name)| {
            std::iter::once((*f, name.as_str(), None)).chain(parts(*f).map(move |s| (*f, "", Some(s))))
        })
        .collect();
    let path = |(f, _, part): &(usize, &str, Option<usize>)| match (part, &flows[*f].subflows[..]) {
        (Some(s), subflows) => subflows[*s].path.join("+"),
        (None, [only]) => only.path.join("+"),
        (None, _) => "all".to_owned(),
    };
    let table =
        Table::new().text("flow", rows.iter().map(|(_, name, _)| *name)).text("path", rows.iter().map(path));
    columns("goodput", RATE, table, all, |a| {
        let cell = |(f, _, part): &(usize, &str, Option<usize>)| {
            part.map_or(a.flows[*f].goodput_bps, |s| a.flows[*f].subflows[s].goodput_bps)
        };
        rows.iter().map(cell).collect()
    })
}

fn subflows(
    title: &str,
    units: Units,
    all: &[&Allocation],
    value: impl Fn(&SubflowIdeal) -> Option<f64>,
) -> String {
    let groups = group_equal_flows(all);
    let flows = &all[0].flows;
    let each = || groups.iter().flat_map(|(f, name)| flows[*f].subflows.iter().map(move |s| (name, s)));
    let table = Table::new()
        .text("flow", each().map(|(name, _)| name))
        .text("path", each().map(|(_, s)| s.path.join("+")));
    columns(title, units, table, all, |a| {
        groups.iter().flat_map(|(f, _)| &a.flows[*f].subflows).map(&value).collect()
    })
}

fn links(
    title: &str,
    units: Units,
    all: &[&Allocation],
    value: impl Fn(&LinkIdeal) -> Option<f64>,
) -> String {
    let table = Table::new().text("link", all[0].links.iter().map(|link| &link.name));
    columns(title, units, table, all, |a| a.links.iter().map(&value).collect())
}
