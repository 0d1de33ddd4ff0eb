//! Input beyond the limits is refused with a message of bounded length, in time that grows with the file and not with its square.

use crate::common::{SMALL, read, refused, rendered, small, valid};
use anabranch_scenario::MAX_PATHS;
use std::fmt::Display;

/// The table of a link.
fn link(name: impl Display) -> String {
    format!("[links.{name}]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n")
}

/// A scenario of these tables.
fn of(tables: &str) -> String {
    format!("name = \"x\"\nduration = \"1 s\"\n{tables}")
}

/// 4,000 wrong names: the first are shown, all are counted. Each listed all names once.
#[test]
fn problems_are_capped_and_counted() {
    let links: String = (0..4000).map(|i| link(format!("link{i}"))).collect();
    let flow = |i| format!("[[flows]]\nname = \"f{i}\"\ncc = \"reno\"\npaths = [[\"lnk{i}x\"]]\n");
    let error = read(&of(&(links + &(0..4000).map(flow).collect::<String>()))).unwrap_err();
    assert_eq!(error.problems().len(), 50);
    let shown = rendered(&error);
    assert!(shown.contains("4000 problems in the scenario; the first 50 follow"), "{shown:.200}");
    assert!(shown.contains("did you mean `link1"), "{shown:.2000}");
    assert!(shown.len() < 200_000, "{}", shown.len());
}

/// A million digits and as many letters of an exponent, over many lines: trying each prefix as a number would take 10¹² steps.
#[test]
fn a_long_quantity() {
    let long = |what: &str| format!("{}\\\n", what.repeat(1000)).repeat(1000);
    let rate = format!("\"\"\"{}{}\"\"\"", long("1"), long("e"));
    let error = read(&small("\"10 Mbit/s\"", &rate)).unwrap_err();
    assert_eq!(error.problems().len(), 1);
}

/// A million hops: looking through all of them once for each link would take 10⁹ steps and more.
#[test]
fn many_links_on_many_paths() {
    let links: String = (0..2000).map(|i| link(format!("l{i}"))).collect();
    let path: String = (0..2000).map(|i| format!("    \"l{i}\",\n")).collect();
    let flow = format!("[[flows]]\nname = \"f\"\ncc = \"reno\"\ncount = 1000\npaths = [[\n{path}]]\n");
    let scenario = valid(&of(&format!("{links}{flow}")));
    assert_eq!(scenario.flows.len(), 1000);
    let long = flow.replace("count = 1000", "count = 10000");
    refused(&of(&format!("{links}{long}")), "the limit is 10000000 links");
}

/// The limit counts tables and the links of their counts.
#[test]
fn ten_thousand_links() {
    let file = |n: usize, count: usize| {
        let links: String = (1..n).map(|i| link(format!("l{i}"))).collect();
        SMALL.replace("[links.a]", &format!("{links}{}count = {count}\n[links.a]", link("l")))
    };
    assert_eq!(valid(&file(5000, 4999)).links.len(), 10_000);
    for (n, count) in [(5000, 5000), (10_000, 1)] {
        refused(&file(n, count), "over the limit of 10000 links");
    }
}

/// Each change is a table of two values, and the file has 12 beside them. More than that is refused before places are noted,
/// which a trace does not need.
#[test]
fn a_million_changes_are_for_a_trace() {
    let changes = |n: usize| {
        let all: String = (0..n).map(|i| format!("{{ at = \"{i} us\", rate = \"5 Mbit/s\" }},\n")).collect();
        let link = format!("{}changes = [\n{all}]\n", link("a"));
        let flow = "[[flows]]\nname = \"f\"\ncc = \"reno\"\npaths = [[\"a\"]]\n";
        format!("name = \"x\"\nduration = \"2 s\"\n{link}{flow}")
    };
    assert_eq!(valid(&changes(166_662)).links[0].spec.changes.len(), 166_662);
    let many = changes(1_000_000);
    refused(&many, "the limit is 500000");
    refused(&many, "trace =");
}

#[test]
fn paths_and_hops() {
    let paths = |n: usize| small("[[\"a\"], [\"b\"]]", &format!("[{}]", vec!["[\"a\"]"; n].join(", ")));
    valid(&paths(MAX_PATHS));
    refused(&paths(MAX_PATHS + 1), "too many paths: 33, the limit is 32");
    let kernel = |n: usize| paths(n).replace("cc = \"reno\"", "cc = \"lia@kernel\"");
    assert!(kernel(9).contains("lia@kernel"));
    valid(&kernel(9));
    refused(&kernel(10), "too many paths: 10, the limit of lia@kernel is 9");
    let hops = |n: usize| small("[[\"a\"], [\"b\"]]", &format!("[[\n{}]]", "\"a\",\n".repeat(n)));
    valid(&hops(65_534));
    refused(&hops(65_535), "the limit is 65534 links");
}

/// Links send no slower than 4 bit/s: what is accepted is what is simulated.
#[test]
fn the_least_rate() {
    valid(&small("10 Mbit/s", "4 bit/s"));
    for rate in ["3.9 bit/s", "1 bit/s"] {
        refused(&small("10 Mbit/s", rate), "from 4 bit/s");
    }
}

#[test]
fn names_for_terminals_and_spreadsheets() {
    for name in ["\\u001b[31m", "a\\u202eb", "\\u2066", "a\\u0085", "a\\u200bb"] {
        refused(&small("name = \"f\"", &format!("name = \"{name}\"")), "a name must be printable");
    }
    for name in ["=1+1", "+x", "-x", "@x"] {
        for (from, to) in
            [("name = \"f\"", format!("name = \"{name}\"")), ("links.a]", format!("links.\"{name}\"]"))]
        {
            refused(&small(from, &to), "a name must not begin with");
        }
    }
    valid(&small("name = \"f\"", "name = \"f=1+1-2@x\""));
}

/// Nothing of a file reaches the terminal that would turn or colour it: not its lines, nor words of it in messages.
#[test]
fn diagnostics_are_printable() {
    for hidden in ["\u{202e}", "\u{1b}", "\u{85}"] {
        let key = small("rate = \"10", &format!("\"ra{hidden}te\" = 1 # {hidden}\nrate = \"10"));
        let syntax = small("[links.a]", &format!("[links.{hidden}a"));
        for text in [key, syntax] {
            let shown = rendered(&read(&text).unwrap_err());
            assert!(!shown.contains(hidden), "{shown:?}");
        }
    }
}

/// Whatever a scenario has, Ctrl-C has its summary within a second.
#[test]
fn subflows() {
    let text = |count: usize| {
        let paths = "[[\"a\"], [\"a\"], [\"a\"], [\"a\"]]";
        let flow = format!("[[flows]]\nname = \"f\"\ncc = \"lia\"\ncount = {count}\npaths = {paths}\n");
        of(&(link("a") + &flow))
    };
    valid(&text(8192));
    refused(&text(8193), "the limit is 32768 in all flows");
}
