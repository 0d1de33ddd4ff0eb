//! `anabranch cc`: the algorithms as the registry has them.

use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::table::{Table, WIDTH};
use anabranch_cc::registry::{ALL, Entry, V0};
use anabranch_cc_fixed::registry;
use anabranch_scenario::describe::{default, describe, kind};
use anabranch_scenario::suggest;
use miette::miette;

/// `anabranch cc list`.
pub fn list(as_json: bool) -> Result<(), Failure> {
    let all = ALL;
    if as_json {
        return print_json(&all.iter().map(|e| describe(e)).collect::<Vec<_>>());
    }
    let table = Table::new()
        .text("name", all.iter().map(|e| e.name))
        .text("algorithm", all.iter().map(|e| e.title))
        .text("kind", all.iter().map(|e| kind(e)))
        .text("for Linux", all.iter().map(|e| in_the_kernel(e).unwrap_or("")));
    let variants: Vec<_> = V0.iter().map(|e| e.name).collect();
    let variants = format!("With the arithmetic of the retired MPTCP kernel: {}.", variants.join(", "));
    print(&format!(
        "{table}\nWhat is there for Linux runs in the simulator too, with the kernel's arithmetic: lia@kernel.\n{}",
        paragraph("", "", &variants)
    ))
}

/// `anabranch cc show NAME`.
pub fn show(name: &str, as_json: bool) -> Result<(), Failure> {
    let entry = find(name)?;
    if as_json { print_json(&describe(entry)) } else { print(&page(entry)) }
}

/// The algorithm called `name`.
pub fn find(name: &str) -> Result<&'static Entry, Failure> {
    registry::find(name).ok_or_else(|| unknown(name, registry::entries().map(|e| e.name)))
}

/// That none of these algorithms is called `name`.
pub fn unknown(name: &str, names: impl Iterator<Item = &'static str>) -> Failure {
    let help = suggest(name, names);
    Failure::Input(miette!(help = help, "unknown algorithm `{name}`"))
}

/// The name of the program for Linux, where there is one.
fn in_the_kernel(entry: &Entry) -> Option<&'static str> {
    registry::find_kernel(entry.name).map(|kernel| kernel.kernel_name)
}

fn page(entry: &Entry) -> String {
    let mut page = format!("{}: {} ({})\n", entry.name, entry.title, kind(entry));
    page += &paragraph("Source: ", "  ", entry.source);
    page += &section("Equations", entry.equations);
    page += &section("How we read it", entry.readings);
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

fn paragraph(first: &str, rest: &str, text: &str) -> String {
    let options = textwrap::Options::new(WIDTH).initial_indent(first).subsequent_indent(rest);
    textwrap::fill(text, options) + "\n"
}
