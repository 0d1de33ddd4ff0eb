//! The simulator's Linux-accurate hosts against stored traces of Linux, where a link does something exact.
//!
//! `ANABRANCH_WRITE_TRACES=kernel` (as root) or `=guest-6.12` records the traces that are missing or of another case, and
//! `ANABRANCH_WRITE_BOOK=1` renews the table.

use crate::book::renew;
use crate::cases::{Aspect, Case, Cases, KERNELS, Trace};
use anabranch_study::measured::today;
use anabranch_test_support::command::root;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The head of the page's table.
const HEAD: &str = "| case | what happens | keys | Linux 6.12, guest | Linux 6.18, running | cause |\n|---|---|---|---|---|---|\n";
const PAGE: &str = "docs/src/appendix/conformance.md";

#[test]
fn the_simulator_sends_as_linux_does_but_for_listed_differences() {
    let Cases { causes, cases } = Cases::read();
    let folder = tempfile::tempdir().unwrap();
    if let Ok(backend) = std::env::var("ANABRANCH_WRITE_TRACES") {
        let is_current =
            |case: &Case| fs::read_to_string(case.stored(&backend)).is_ok_and(|text| case.is_of(&text));
        let others = cases.iter().filter(|case| !is_current(case));
        others.for_each(|case| record(case, &backend, folder.path()));
    }
    let simulated: Vec<Trace> =
        cases.iter().map(|case| Trace::read(&case.must_trace("sim", folder.path()).0)).collect();
    let mut wrong = String::new();
    let (mut rows, mut details) = (String::new(), String::new());
    let mut releases = vec![];
    let (mut equal, mut sent_alike, mut kernels_alike) = (0, 0, 0);
    for (case, ours) in cases.iter().zip(&simulated) {
        let mut found = BTreeSet::new();
        let (mut cells, mut theirs) = (vec![], vec![]);
        for kernel in KERNELS {
            let text =
                fs::read_to_string(case.stored(kernel)).unwrap_or_else(|why| panic!("{}: {why}", case.name));
            assert!(
                case.is_of(&text),
                "{}: the trace of {kernel} is of another case, expected {}. `ANABRANCH_WRITE_TRACES={kernel} \
                 cargo test -p anabranch-cli --features linux --test all conformance` (for `kernel` as root) records it again",
                case.name,
                case.stamp()
            );
            releases.push(text.lines().next().unwrap().trim_start_matches("# ").to_owned());
            let trace = Trace::read(&text);
            let epochs = [ours, &trace].map(Trace::has_epochs);
            assert_eq!(epochs, [case.epochs; 2], "{}: windows after reductions, on {kernel}", case.name);
            let differences = ours.differences(&trace);
            theirs.push(trace);
            cells.push(match differences[..] {
                [] => "equal".to_owned(),
                _ => join(differences.iter().map(|(aspect, _)| aspect)),
            });
            for (aspect, first) in differences {
                let line = format!("- `{}`, {aspect}: {first}\n", case.name);
                // Most often both kernels do the same.
                if !details.contains(&line) {
                    details += &line;
                }
                found.insert(aspect);
            }
        }
        let between = theirs[0].differences(&theirs[1]);
        kernels_alike += usize::from(between.iter().all(|(aspect, _)| *aspect != Aspect::Sent));
        equal += usize::from(found.is_empty());
        sent_alike += usize::from(!found.contains(&Aspect::Sent));
        let listed: BTreeSet<Aspect> = case.differs.keys().copied().collect();
        if listed != found {
            writeln!(wrong, "{}: listed {listed:?}, found {found:?}", case.name).unwrap();
        }
        let letters: BTreeSet<char> = case.differs.values().flat_map(|letters| letters.chars()).collect();
        let set = case.set.iter().map(|key| format!("`{key}`"));
        let on_linux = case.on_linux.iter().map(|key| format!("`{key}` on Linux"));
        let [guest, kernel] = &cells[..] else { unreachable!() };
        writeln!(
            rows,
            "| `{}` | {} | {} | {guest} | {kernel} | {} |",
            case.name,
            case.shows,
            join(set.chain(on_linux)),
            join(letters)
        )
        .unwrap();
    }
    let all = cases.iter().flat_map(|case| case.differs.values());
    let used: BTreeSet<char> = all.flat_map(|letters| letters.chars()).collect();
    assert_eq!(used, causes.keys().copied().collect(), "each cause has a case, and each letter a cause");
    assert!(wrong.is_empty(), "{wrong}\n{details}");
    releases.sort();
    releases.dedup();
    let all = cases.len();
    let summary = format!(
        "**Of {all} cases, the simulator sends the same segments in the same order as both kernels in {sent_alike}, and is equal in all aspects in {equal}.**\nThe two kernels send the same segments in the same order in {kernels_alike}. Kernels: {}.",
        releases.join("; ")
    );
    let causes: String = causes.iter().map(|(letter, cause)| format!("- **{letter}**: {cause}\n")).collect();
    renew(PAGE, "<!-- cases -->\n", "<!-- end -->", |_| {
        format!("\n{summary}\n\n{HEAD}{rows}\n**Causes**\n\n{causes}\n**First differences**\n\n{details}\n")
    });
}

fn record(case: &Case, backend: &str, folder: &Path) {
    let folder = folder.join(backend);
    fs::create_dir_all(&folder).unwrap();
    let (text, release) = case.must_trace(backend, &folder);
    let file = case.stored(backend);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, format!("# Linux {release} ({backend}), {}\n{}\n{text}", today(), case.stamp())).unwrap();
}

fn join(words: impl IntoIterator<Item = impl ToString>) -> String {
    words.into_iter().map(|word| word.to_string()).collect::<Vec<_>>().join(", ")
}

/// A trace with one change differs in what was changed, and one within the tolerance does not.
#[test]
fn a_planted_difference_is_found() {
    let cases = Cases::read().cases;
    let case = cases.iter().find(|case| case.epochs).expect("a case");
    let text = fs::read_to_string(case.stored(KERNELS[0])).unwrap();
    let whole = Trace::read(&text);
    assert!(whole.differences(&whole).is_empty());
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.ends_with("again")).expect("a retransmission");
    let changed = |change: &dyn Fn(&str) -> Option<String>, at: usize| {
        let lines = lines.iter().enumerate();
        let lines =
            lines.filter_map(|(i, line)| if i == at { change(line) } else { Some((*line).to_owned()) });
        let differences = whole.differences(&Trace::read(&lines.collect::<Vec<_>>().join("\n")));
        differences.into_iter().map(|(aspect, _)| aspect).collect::<Vec<_>>()
    };
    assert_eq!(changed(&|_| None, at), [Aspect::Sent]);
    let later = |by: f64| {
        move |line: &str| {
            let (time, rest) = line.split_once(' ').unwrap();
            Some(format!("{:.1} {rest}", time.parse::<f64>().unwrap() + by))
        }
    };
    assert_eq!(changed(&later(9.0), at), [Aspect::Times]);
    assert_eq!(changed(&later(1.0), at), []);
    let ack = lines.iter().position(|line| line.contains('<') && line.contains('-')).expect("a SACK");
    assert_eq!(changed(&|_| None, ack), [Aspect::Acks]);
    for (word, aspect) in
        [("threshold", Aspect::Thresholds), ("epoch", Aspect::Epochs), ("window", Aspect::Window)]
    {
        let at = lines.iter().position(|line| line.contains(&format!(" {word} "))).expect(word);
        let more = |by: f64| {
            move |line: &str| {
                let (before, number) = line.rsplit_once(' ').unwrap();
                Some(format!("{before} {:.1}", number.parse::<f64>().unwrap() + by))
            }
        };
        assert_eq!(changed(&more(2.0), at), [aspect]);
        assert_eq!(changed(&more(0.5), at), []);
    }
    // A window at another time is another window, even where its value is close, and so is one that is missing before another.
    let epoch = |line: &&str| line.contains(" epoch ");
    let at = lines.windows(2).position(|two| two.iter().all(epoch)).expect("two windows of an epoch");
    let at_later = |line: &str| {
        let (time, rest) = line.split_once(' ').unwrap();
        Some(format!("{} {rest}", time.parse::<u64>().unwrap() + 10))
    };
    assert_eq!(changed(&at_later, at), [Aspect::Epochs]);
    assert_eq!(changed(&|_| None, at), [Aspect::Epochs]);
}

/// A stored trace is of one case: of its keys, what it sets on Linux, and its scenario.
#[test]
fn a_trace_of_another_case_is_found() {
    let case = &Cases::read().cases[0];
    let text = fs::read_to_string(case.stored(KERNELS[0])).unwrap();
    assert!(case.is_of(&text));
    let changes: [fn(&mut Case); 3] = [
        |case| case.set.push("seed=2".to_owned()),
        |case| case.on_linux.push("seed=2".to_owned()),
        |case| case.base = "mptcp".to_owned(),
    ];
    for change in changes {
        let mut other = Cases::read().cases.remove(0);
        change(&mut other);
        assert!(!other.is_of(&text), "{}", other.stamp());
    }
    let scenario = fs::read_to_string(root().join(case.scenario())).unwrap();
    assert_ne!(case.stamp_with(&format!("{scenario}seed = 2\n")), case.stamp());
    assert_eq!(case.stamp_with(&format!("# a comment\n{scenario}")), case.stamp());
}
