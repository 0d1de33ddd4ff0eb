//! Formats descriptions and standard cases of algorithms.

use crate::table::{Table, paragraph, titled};
use anabranch::algorithms::kernel_registry as registry;
use anabranch::algorithms::registry::{ALL, Entry, V0};
use anabranch::papers::standard::{AlgorithmResult, CASES, Case};
use anabranch::scenarios::describe::{default, kind};
use anabranch::units::PLAIN;

pub fn list() -> String {
    let for_linux = |e: &&Entry| registry::find_kernel(e.name).map_or("", |kernel| kernel.kernel_name);
    let table = Table::new()
        .text("name", ALL.iter().map(|e| e.name))
        .text("algorithm", ALL.iter().map(|e| e.title))
        .text("kind", ALL.iter().map(|e| kind(e)))
        .text("for Linux", ALL.iter().map(for_linux));
    let variants: Vec<_> = V0.iter().map(|e| e.name).collect();
    let variants = format!("With the arithmetic of out-of-tree MPTCP (v0.9x): {}.", variants.join(", "));
    format!(
        "{table}\nAlgorithms for Linux also run in the simulator with the kernel's arithmetic, for example lia@kernel.\n{}",
        paragraph("", "", &variants)
    )
}

pub fn page(entry: &Entry) -> String {
    let mut page = format!("{}: {} ({})\n", entry.name, entry.title, kind(entry));
    page += &paragraph("Source: ", "  ", entry.source);
    page += &section("Equations", entry.equations);
    page += &section("Interpretation", entry.interpretations);
    let params: Vec<_> = entry.all_params().collect();
    let table = Table::new()
        .text("parameter", params.iter().map(|p| p.name))
        .text("default", params.iter().map(|p| default(p).to_string().replace('"', "")))
        .text("may be", params.iter().map(|p| p.allowed.to_string()))
        .text("meaning", params.iter().map(|p| p.meaning));
    page += &format!("\n{table}");
    if !entry.observables.is_empty() {
        let table = Table::new()
            .text("observable", entry.observables.iter().map(|o| o.name))
            .text("meaning", entry.observables.iter().map(|o| o.meaning));
        page += &format!("\n{table}");
    }
    page
}

fn section(heading: &str, lines: &[&str]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(|line| paragraph("  ", "    ", line)).collect();
    format!("\n{heading}\n{lines}")
}

/// The key figures of an algorithm in the standard cases.
pub fn standard_cases(result: &AlgorithmResult) -> String {
    let cases: Vec<_> = CASES.iter().filter_map(|case| Some((case, result.case(&case.id)?))).collect();
    let goal = |case: &Case| titled(case.goal.title(), case.goal.unit());
    let bound = |at_least: bool| if at_least { "at least" } else { "" };
    let keys = || cases.iter().map(|(_, r)| r.key.as_ref());
    let table = Table::new()
        .text("standard case", cases.iter().map(|(case, _)| case.title.as_str()))
        .text("figure", cases.iter().map(|(case, _)| goal(case)))
        .text("", keys().map(|k| bound(k.is_some_and(|k| k.at_least))))
        .estimates("value", PLAIN, keys().map(|k| k.map(|k| &k.value).into()))
        .estimates("mean queue, packets", PLAIN, cases.iter().map(|(_, r)| r.queue_packets.as_ref().into()));
    let heading = format!("{} ({} size; seeds: {})", result.algorithm, result.size, result.seeds);
    paragraph("", "", &heading) + &table.to_string()
}
