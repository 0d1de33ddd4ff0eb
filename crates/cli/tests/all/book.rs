//! The examples of README and of the book are what the command prints. With `ANABRANCH_WRITE_BOOK=1` the tests write them.

use anabranch_record::{LinkSeries, LinkSummary, SampleColumn, SubflowSeries, SubflowSummary};
use anabranch_test_support::command::{TWO_PATHS, anabranch, command, folder, outcome, root, typed, words};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Compares a file with what it should be, or writes it.
#[track_caller]
pub fn renew_file(file: &Path, made: &str) {
    if std::env::var_os("ANABRANCH_WRITE_BOOK").is_some() {
        fs::write(file, made).unwrap();
    } else {
        let there = fs::read_to_string(file).unwrap_or_default();
        assert!(made == there, "ANABRANCH_WRITE_BOOK=1 renews {}", file.display());
    }
}

/// The same of what stands between two marks of a page.
#[track_caller]
pub fn renew(page: &str, start: &str, end: &str, made: impl FnOnce(&str) -> String) {
    let path = root().join(page);
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(start).expect("a mark");
    let (between, after) = rest.split_once(end).expect("its end");
    renew_file(&path, &format!("{before}{start}{}{end}{after}", made(between)));
}

#[test]
fn the_readme_shows_a_run() {
    renew("README.md", "```text\n$ target/release/anabranch ", "```\n", |session| {
        let line = session.lines().next().unwrap();
        format!("{line}\n{}", anabranch(line.split(' ')).ok())
    });
}

/// The sessions of the tutorials, in which `…` stands for lines that a page leaves out, and the table of comparisons.
#[test]
fn the_tutorials_show_what_is_printed() {
    tutorial("docs/src/quick-start.md", &root());
    let (page, folder) = ("docs/src/first-scenario.md", folder());
    let text = fs::read_to_string(root().join(page)).unwrap();
    let (_, scenario) = text.split_once("phone.toml <<'END'\n").unwrap();
    folder.write("phone.toml", scenario.split_once("END\n").unwrap().0);
    tutorial(page, folder.path());
    renew(page, "<!-- compare -->\n", "\n<!-- end -->", |table| {
        let mut lines = table.lines();
        let heading: String = lines.by_ref().take(3).map(|line| format!("{line}\n")).collect();
        lines.fold(heading, |table, line| {
            let options = line.split('`').nth(1).unwrap();
            let printed = printed_in(folder.path(), &format!("compare phone.toml {options} --seeds 5"));
            let goodput = |flow: &str| {
                let of_flow = printed.lines().find(|line| line.starts_with(flow)).unwrap();
                of_flow.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).nth(2).unwrap()
            };
            format!("{table}| `{options}` | {} | {} |\n", goodput(" phone "), goodput(" laptop "))
        })
    });
}

/// What a command line prints in a folder.
fn printed_in(folder: &Path, line: &str) -> String {
    outcome(command().current_dir(folder).args(words(line))).ok()
}

/// Renews the sessions of a page, which are typed in that folder. Of a session without a line of `…`, all is shown.
fn tutorial(page: &str, folder: &Path) {
    const START: &str = "```text\n$ anabranch ";
    let path = root().join(page);
    let text = fs::read_to_string(&path).unwrap();
    let (before, sessions) = text.split_once(START).unwrap();
    let sessions = sessions.split(START).map(|session| {
        let (shown, after) = session.split_once("```\n").unwrap();
        let (line, shown) = shown.split_once('\n').unwrap();
        // Away from a terminal, a message has another frame around its words.
        if let Some(message) = shown.strip_prefix("  ×") {
            let said = outcome(command().current_dir(folder).args(words(line))).ended(2).stderr;
            let words = |text: &str| text.replace(|c: char| !c.is_alphanumeric(), " ");
            let said = words(said.strip_prefix("  x").unwrap());
            assert!(words(message).split_whitespace().eq(said.split_whitespace()), "{page}: {said}");
            return format!("{START}{session}");
        }
        let printed = printed_in(folder, line);
        // A piece begins as before, and is as long.
        let pieces = shown.split("…\n").map(|piece| {
            let first = piece.lines().next().unwrap_or_default();
            let at = printed.find(first).unwrap_or_else(|| panic!("{page}: `{line}` does not print {first}"));
            printed[at..].split_inclusive('\n').take(piece.lines().count()).collect::<String>()
        });
        let pieces = Vec::from_iter(pieces).join("…\n");
        let whole = if shown.contains("…\n") { pieces } else { printed.clone() };
        format!("{START}{line}\n{whole}```\n{after}")
    });
    let sessions: String = sessions.collect();
    renew_file(&path, &format!("{before}{sessions}"));
}

/// Names, and lines of what they mean.
type Rows = Vec<(&'static str, &'static [&'static str])>;

/// The tables of quantities are those that the program has.
#[test]
fn the_page_on_records_names_each_quantity() {
    let of_samples = |columns: &'static [SampleColumn]| columns.iter().map(|c| (c.name, c.doc)).collect();
    let tables: [(_, _, Rows); 4] = [
        (
            "summary of subflows",
            "field",
            SubflowSummary::QUANTITIES.iter().map(|q| (q.name, q.doc)).collect(),
        ),
        ("summary of links", "field", LinkSummary::QUANTITIES.iter().map(|q| (q.name, q.doc)).collect()),
        ("samples of subflows", "column", of_samples(SubflowSeries::COLUMNS)),
        ("samples of links", "column", of_samples(LinkSeries::COLUMNS)),
    ];
    for (name, heading, rows) in tables {
        let row = |(name, doc): &(&str, &[&str])| format!("| `{name}` | {} |\n", doc.concat().trim());
        let rows: String = rows.iter().map(row).collect();
        renew("docs/src/records.md", &format!("<!-- {name} -->\n"), "<!-- end -->", |_| {
            format!("\n| {heading} | meaning |\n|---|---|\n{rows}\n")
        });
    }
}

/// The run and the ideals of "Is my fairness number right?", by the names that both have.
#[test]
fn the_page_on_ideals_shows_a_run_beside_them() {
    let run = typed(&format!("run {TWO_PATHS} --cc lia --json --duration '610 s' --seed 1")).json();
    let ideal = typed(&format!("ideal {TWO_PATHS} --cc lia --json")).json();
    let ideals = |id: &str| {
        let all = ideal["allocations"].as_array().unwrap();
        all.iter().find(|allocation| allocation["id"] == id).expect("an ideal").clone()
    };
    let columns = [run, ideals("max-min"), ideals("lia"), ideals("olia"), ideals("linked-cubic")];
    let rows = [
        ("`bonded`, Mbit/s", "/flows/0/goodput_bps", 1e-6),
        ("on fibre", "/flows/0/subflows/0/goodput_bps", 1e-6),
        ("on DSL", "/flows/0/subflows/1/goodput_bps", 1e-6),
        ("`neighbour/1`", "/flows/1/goodput_bps", 1e-6),
        ("`neighbour/2`", "/flows/2/goodput_bps", 1e-6),
        ("Jain's index", "/jain", 1.0),
        ("utilisation of the fibre, %", "/links/0/utilisation", 1e2),
        ("`bonded`'s window on fibre, segments", "/flows/0/subflows/0/mean_cwnd_segments", 1.0),
        ("on DSL", "/flows/0/subflows/1/mean_cwnd_segments", 1.0),
        ("`bonded`'s loss rate on DSL, %", "/flows/0/subflows/1/loss_rate", 1e2),
        ("`neighbour/1`'s loss rate, %", "/flows/1/subflows/0/loss_rate", 1e2),
    ];
    let mut table =
        "| | measured | `max-min` | `lia` | `olia` | `linked-cubic` |\n|---|---|---|---|---|---|\n"
            .to_owned();
    for (name, key, unit) in rows {
        write!(table, "| {name} ").unwrap();
        for column in &columns {
            let value = column.pointer(key).or_else(|| column.pointer(&key.replace("mean_cwnd", "cwnd")));
            write!(table, "| {} ", value.and_then(Value::as_f64).map_or("–".into(), |x| digits(x * unit)))
                .unwrap();
        }
        table += "|\n";
    }
    renew("docs/src/ideal.md", "<!-- example -->\n", "\n<!-- end -->", |_| format!("\n{table}"));
}

/// Three digits, but for digits before the point.
fn digits(x: f64) -> String {
    let x = (x * 1e6).round() / 1e6; // what a solver leaves of 0 and of 100 %
    if x == 0.0 {
        return "0".into();
    }
    let decimals = 2 - x.abs().log10().floor() as i32;
    format!("{x:.*}", decimals.max(0) as usize)
}
