//! Formats the summary of a run.

use crate::pages::fairness::Fairness;
use crate::table::Table;
use anabranch::Summary;
use anabranch::records::{KernelRun, LinkSummary, Slowdown, SubflowSummary, View};
use anabranch::scenarios::{Scenario, printable};
use anabranch::studies::format::plain;
use anabranch::units::{PERCENT, PLAIN, RATE, TIME, with_unit};

pub fn page(s: &Summary, scenario: &Scenario) -> String {
    let partial = s.partial_until_s.map(|at| format!(", interrupted at {at} s"));
    let mut page = format!(
        "{}: {} s{}, means from {} s on, seed {}, anabranch {}\n",
        printable(&s.scenario),
        s.duration_s,
        partial.unwrap_or_default(),
        s.warmup_s,
        s.seed,
        s.version
    );
    if let Some(kernel) = &s.kernel {
        page += &describe_kernel(kernel);
    }
    if !has_means(s) {
        page += "It ended before the end of its warm-up, so it has no means.\n";
    }
    for table in [flows(s), subflows(s), links(s)].into_iter().chain(completions(s)).chain(transfers(s)) {
        page += &format!("\n{table}");
    }
    let fairness = Fairness::of(scenario);
    if let Some(jain) = fairness.jain(s).filter(|_| fairness.applies) {
        let without = fairness.without();
        page += &format!("\nJain's index of the flows' goodputs{without}: {}\n", plain(jain));
    }
    page
}

fn flows(s: &Summary) -> Table {
    Table::new()
        .text("flow", s.flows.iter().map(|f| &f.name))
        .text("algorithm", s.flows.iter().map(|f| &f.cc))
        .quantity("goodput", RATE, s.flows.iter().map(|f| f.goodput_bps))
        .count("retransmitted segments", s.flows.iter().map(|f| f.retransmitted_segments))
        .count("reinjected segments", s.flows.iter().map(|f| f.reinjected_segments))
}

fn subflows(s: &Summary) -> Table {
    let all = || s.flows.iter().flat_map(|f| f.subflows.iter().map(move |subflow| (f, subflow)));
    // A kernel reports only the smoothed RTT.
    let view = if s.kernel.is_some() { View::Kernel } else { View::Run };
    Table::new()
        .text("flow", all().map(|(f, _)| &f.name))
        .text("path", all().map(|(_, subflow)| subflow.path.join("+")))
        .view(view, SubflowSummary::QUANTITIES, all().map(|(_, subflow)| subflow), true)
}

/// Whether the run came beyond its warm-up.
fn has_means(s: &Summary) -> bool {
    s.partial_until_s.is_none_or(|end| end > s.warmup_s)
}

fn links(s: &Summary) -> Table {
    let table = Table::new().text("link", s.links.iter().map(|l| &l.name));
    table.view(View::Run, LinkSummary::QUANTITIES, &s.links, has_means(s))
}

fn completions(s: &Summary) -> Option<Table> {
    let all: Vec<_> = s.flows.iter().filter_map(|f| Some((f, f.completion.as_ref()?))).collect();
    let table = Table::new()
        .text("flow", all.iter().map(|(f, _)| &f.name))
        .count("completed", all.iter().map(|(_, c)| c.count))
        .quantity("mean completion", TIME, all.iter().map(|(_, c)| Some(c.mean_s)))
        .quantity("p50", TIME, all.iter().map(|(_, c)| Some(c.p50_s)))
        .quantity("p95", TIME, all.iter().map(|(_, c)| Some(c.p95_s)))
        .quantity("p99", TIME, all.iter().map(|(_, c)| Some(c.p99_s)));
    (!all.is_empty()).then_some(table)
}

/// The transfers of each flow, in total and by size.
fn transfers(s: &Summary) -> Option<Table> {
    let mut rows = vec![];
    for (flow, transfers) in s.flows.iter().filter_map(|f| Some((f, f.transfers.as_ref()?))) {
        rows.push((
            &*flow.name,
            "all".to_owned(),
            transfers.unfinished,
            &flow.completion,
            &transfers.slowdown,
        ));
        for class in &transfers.classes {
            let size = match class.below_bytes {
                Some(below) if class.from_bytes == 0 => format!("< {}", bytes(below)),
                Some(below) => format!("to {}", bytes(below)),
                None => format!("≥ {}", bytes(class.from_bytes)),
            };
            rows.push(("", size, class.unfinished, &class.completion, &class.slowdown));
        }
    }
    let slowdown = |of: fn(&Slowdown) -> f64| rows.iter().map(move |row| row.4.as_ref().map(of));
    let table = Table::new()
        .text("flow", rows.iter().map(|row| row.0))
        .text("size", rows.iter().map(|row| &row.1))
        .count("completed", rows.iter().map(|row| row.3.as_ref().map_or(0, |c| c.count)))
        .count("unfinished", rows.iter().map(|row| row.2))
        .quantity("p50", TIME, rows.iter().map(|row| row.3.as_ref().map(|c| c.p50_s)))
        .quantity("p99", TIME, rows.iter().map(|row| row.3.as_ref().map(|c| c.p99_s)))
        .quantity("slowdown", PLAIN, slowdown(|s| s.mean))
        .quantity("p50", PLAIN, slowdown(|s| s.p50))
        .quantity("p95", PLAIN, slowdown(|s| s.p95))
        .quantity("p99", PLAIN, slowdown(|s| s.p99));
    (!rows.is_empty()).then_some(table)
}

/// Formats a size that is a power of ten.
fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

fn describe_kernel(run: &KernelRun) -> String {
    let emulator = &run.emulator;
    let lateness = emulator.lateness_p99_s.map_or("unknown".into(), |late| with_unit(late, TIME));
    let mut page = format!(
        "On Linux {}; 99 % of the packets left the emulated links less than {lateness} late, by {} of a core{}\n",
        printable(&run.release),
        with_unit(emulator.cpu, PERCENT),
        if emulator.real_time_priority { "" } else { ", without real-time priority" }
    );
    if run.skips_programs == Some(true) {
        page += "This kernel skips some calls of eBPF programs (see `anabranch kernel doctor`).\n";
    }
    if run.invalid_attempts > 0 {
        page += &format!("Invalid attempts before this one: {}\n", run.invalid_attempts);
    }
    for why in &run.invalid {
        page += &format!("NOT VALID: {why}\n");
    }
    page
}
