//! `anabranch study` and `anabranch sweep`.

use anabranch_papers::standard::AlgorithmResult;
use anabranch_study::{StudyResult, Verdict};
use anabranch_test_support::command::{
    Folder, anabranch, anabranch_reading, command, ended, fits, folder, has, kept, one_line, outcome, root,
    typed,
};
use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

/// The study that the book explains, and its scenario.
const EXAMPLE: &str = "studies/examples/buffer-and-delay.toml";
const SCENARIO: &str = "studies/examples/two-links.toml";

fn result(out: &Folder, name: &str) -> StudyResult {
    out.json(&format!("studies/{name}.json"))
}

fn with_scenario() -> Folder {
    let dir = folder();
    fs::copy(root().join(SCENARIO), dir.at("two-links.toml")).unwrap();
    dir
}

/// The example of the book: every row measured and judged, both figures drawn, all runs in one table, and a report.
#[test]
fn the_example_runs() {
    let dir = folder();
    let out = dir.arg();
    let page = anabranch(["study", EXAMPLE, "--quick", "--out", out]).ok();
    fits(&page.replace(out, "OUT"));
    has(&page, ["goal-1.lia", "report/index.html"]);
    let result = result(&dir, "buffer-and-delay");
    let [experiment] = &result.experiments[..] else { panic!("one experiment") };
    assert_eq!((experiment.rows.len(), experiment.figures.len(), experiment.runs.len()), (6, 2, 18));
    assert!(experiment.rows.iter().all(|row| row.verdict != Verdict::Failed), "{:?}", experiment.rows);
    // 3 algorithms, 3 buffers, 2 delays, 2 seeds, 3 connections, and the header.
    assert_eq!(dir.read("studies/buffer-and-delay.csv").lines().count(), 1 + 3 * 3 * 2 * 2 * 3);
    has(&dir.read("report/buffer-and-delay.html"), ["anabranch study", "goal-2.olia"]);
    // A command more runs only what needs samples over time, one simulation's first seed, and says so.
    let again = anabranch(["study", EXAMPLE, "--quick", "--out", out]);
    has(&again.stderr, ["reused 35 runs of an earlier command"]);
}

/// `study` on some of the standard cases and `cc report` agree.
#[test]
fn a_part_of_the_standard_cases() {
    let file = "studies/standard/standard-cases.toml";
    let dir = folder();
    let out = dir.arg();
    let made = anabranch(["study", file, "--at", "cc=lia,ewtcp", "--quick", "--out", out]).done();
    // One of the standard cases is a single path, as `check` says.
    let warned = "tested: it runs lia, a coupled algorithm, over a single path, so nothing is coupled";
    assert_eq!(one_line(&made.stderr).matches(warned).count(), 1, "{}", made.stderr);
    let checked = anabranch(["study", "check", file]).stderr;
    assert!(one_line(&checked).contains(warned) || checked.contains("further warnings"), "{checked}");
    has(&made.stdout, ["backup.ewtcp"]);
    assert!(!made.stdout.contains("reno.olia"), "{}", made.stdout);
    anabranch(["cc", "report", "ewtcp", "--quick", "--out", out]).ok();
    let report: AlgorithmResult = dir.json("algorithms/ewtcp.json");
    let result = result(&dir, "standard-cases");
    has(result.command.as_ref().unwrap(), ["--at cc=lia,ewtcp"]);
    for (experiment, case) in result.experiments.iter().zip(&report.cases) {
        let row = |id: String| experiment.rows.iter().find(|row| row.id == id).unwrap().measured.clone();
        let key = case.key.as_ref().map(|key| key.value.clone());
        assert!(key.is_some() && row(format!("{}.ewtcp", case.id)) == key, "{}", case.id);
        assert_eq!(row(format!("{}.ewtcp.queue", case.id)), case.queue_packets);
        let bars = &experiment.figures[0].panels[0].series[0].points;
        let labels: Vec<_> = bars.iter().map(|bar| bar.label.as_deref().unwrap()).collect();
        assert_eq!(labels, ["ewtcp", "lia"]);
    }
}

/// Killed whenever it may be, the same command resumes and ends with the same bytes as an uninterrupted one.
#[test]
fn killed_and_resumed() {
    let (killed, whole) = (folder(), folder());
    let start = |out: &Folder| {
        let mut study = command();
        study.args(["study", EXAMPLE, "--seeds", "6", "--out", out.arg()]);
        study.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    ended(start(&whole)).done();
    for round in 1.. {
        let mut child = start(&killed);
        // Another twenty runs each time.
        while child.try_wait().unwrap().is_none() && kept(&killed.path().join("store")) < 20 * round {
            sleep(Duration::from_millis(5));
        }
        if child.try_wait().unwrap().is_some() {
            ended(child).done();
            assert!(round > 1, "it was killed at least once");
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    for file in ["buffer-and-delay.json", "buffer-and-delay.csv", "buffer-and-delay.parquet"] {
        let [a, b] = [&killed, &whole].map(|dir| {
            let bytes = fs::read(dir.at(&format!("studies/{file}"))).unwrap();
            match String::from_utf8(bytes) {
                Ok(text) => text.replace(dir.arg(), "OUT").into_bytes(),
                Err(binary) => binary.into_bytes(),
            }
        });
        assert!(a == b, "{file}");
    }
}

/// Two commands at once, each with a folder of its own for its results, make each run once and come to the same result.
#[test]
fn a_store_for_two() {
    let (store, one, other) = (folder(), folder(), folder());
    let options =
        |out: &Folder| format!("{EXAMPLE} --quick --out {} --store {}", out.arg(), store.at("store"));
    let both = [&one, &other].map(|out| {
        let mut study = command();
        study.arg("study").args(options(out).split(' ')).stdout(Stdio::null()).spawn().unwrap()
    });
    let reused = both.map(|child| {
        let said = ended(child).done().stderr;
        let before = said.split_once(" of an earlier command").map(|(before, _)| before);
        before.map_or(0, |before| before.rsplit(' ').nth(1).unwrap().parse::<usize>().unwrap())
    });
    // All but the one whose samples a figure draws; each is executed by one command and reused by the other.
    assert_eq!((kept(&store.path().join("store")), reused.iter().sum()), (35, 35), "{reused:?}");
    assert!(!one.path().join("store").exists() && !other.path().join("store").exists());
    let runs = |out: &Folder| out.read("studies/buffer-and-delay.csv");
    assert_eq!(runs(&one), runs(&other));
    has(
        &typed(&format!("study status {}", options(&one))).ok(),
        ["35 of the 35 runs", "there is a result\n"],
    );
}

/// A study of one row, beside its scenario.
const MINE: &str = r#"title = "mine"
    runs.links = { scenario = "two-links.toml", duration = "2 s", set.warmup = "1 s" }
    rows = [{ id = "jain", of = 'jain()' }]
"#;

/// A result of another size, or of a file that has changed since, is not the one that the command would give.
#[test]
fn status_tells_an_outdated_result() {
    let dir = with_scenario();
    let file = dir.write("mine.toml", MINE);
    let command = |words: &str| typed(&format!("study {words} {file} --out {}", dir.at("out"))).ok();
    let status = |words: &str| {
        let page = command(&format!("status {words}"));
        one_line(page.split_once("mine.json: ").unwrap().1)
    };
    assert_eq!(status("--quick"), "no result yet");
    command("--quick");
    assert_eq!(status("--quick"), "there is a result");
    let another = "there is a result, but of another size (quick), of another number of seeds (2)";
    assert_eq!(status(""), another);
    dir.write("mine.toml", MINE.replace("jain()", "2 * jain()"));
    assert_eq!(status("--quick"), "there is a result, but of another study file, scenario or --at");
    dir.write("out/studies/mine.json", "{");
    assert!(status("--quick").starts_with("the result cannot be read"));
    // The whole study again: nothing is missing in the report.
    let again = typed(&format!("study --quick {file} --out {}", dir.at("out"))).done();
    has(&one_line(&again.stderr), ["mine.json.damaged"]);
    assert_eq!(status("--quick"), "there is a result");
}

/// Its scenario is relative to the current folder, and its results have a name.
#[test]
fn a_study_on_standard_input() {
    let dir = folder();
    let text = MINE.replace("two-links.toml", SCENARIO);
    anabranch_reading(&text, ["study", "-", "--quick", "--out", dir.arg()]).ok();
    assert_eq!(result(&dir, "stdin").experiments[0].rows.len(), 1);
    anabranch_reading(&text.replace("title", "tilte"), ["study", "-"]).refused(["tilte", "standard input:1"]);
}

#[test]
fn checked_without_a_run() {
    let page = anabranch(["study", "check", EXAMPLE]).ok();
    has(&page, ["quick    36 runs", "6 rows in 1 experiment"]);
    let dir = folder();
    has(&anabranch(["study", "status", EXAMPLE, "--out", dir.arg()]).ok(), ["72 runs", "no result yet"]);
    assert_eq!(dir.names(), [""; 0]);
}

/// A message with the place, exit status 2, and nothing written. The tests of studies' files have the other mistakes.
#[test]
fn mistakes_are_reported_before_anything_runs() {
    let dir = with_scenario();
    let text = fs::read_to_string(root().join(EXAMPLE)).unwrap();
    let refused = |old, new, said: [&str; 2]| {
        has(&text, [old]);
        let file = dir.write("mine.toml", text.replacen(old, new, 1));
        anabranch(["study", &file, "--out", &dir.at("out")]).refused(said);
        assert_eq!(dir.names(), ["mine.toml", "two-links.toml"], "{new}");
    };
    for (old, new, said) in [
        ("[quantities]", "[quantity]", "unknown field `quantity`"),
        ("share(\"mptcp\")", "share(\"mptpc\")", "did you mean `mptcp`?"),
        ("seeds = 4", "seeds = \"four\"", "expected u32"),
    ] {
        refused(old, new, [said, "mine.toml:"]);
    }
    // 18 simulations, each with 10,000 seeds.
    refused("seeds = 4", "seeds = 10000", ["mine has 180000 runs, about", "--yes"]);
    let text = "title = \"t\"\n[runs.r]\nscenario = \"two-links.toml\"\ncc = \"{cc}\"\nvary.cc = [\"lia\", \"olia\"]\n\
                vary.iw = { key = \"tcp.initial_window\", values = [4, 10] }\nonly = [{ cc = \"lia\" }, { iw = 4 }]\n\
                [[rows]]\nid = \"{cc}.{iw}\"\nof = \"jain()\"";
    let file = dir.write("only.toml", text);
    let left_out = ["study", &file, "--at", "cc=olia", "--at", "iw=10", "--out", &dir.at("out")];
    anabranch(left_out).refused(["only has nothing to run", "`only` of runs may leave out"]);
    assert!(!fs::exists(dir.at("out")).unwrap());
}

/// A sweep is a study: what it prints as one gives the same rows.
#[test]
fn a_sweep_is_a_study() {
    let (dir, other) = (folder(), folder());
    let out = dir.arg();
    let options = ["--vary", "links.*.queue=0.5..2 BDP/3log", "--vary", "tcp.initial_window=4,10"];
    let options = [&options[..], &["--cc", "lia,{name=\"lia\", count=\"acks\"}", "--seeds", "2"]].concat();
    let options = [&options[..], &["--duration", "3 s", "--set", "warmup=1 s", "--out", out]].concat();
    let page = anabranch([&["sweep", SCENARIO], &options[..]].concat()).ok();
    fits(&page.replace(out, "OUT"));
    let swept = result(&dir, "two-links");
    // Two algorithms, three buffers, two windows; three connections and Jain's index.
    assert_eq!(swept.experiments[0].runs.len(), 12);
    assert_eq!(swept.experiments[0].rows.len(), 12 * 4);
    assert_eq!(swept.experiments[0].figures.len(), 4);

    // The printed command runs anywhere, though the scenario was named from the current folder.
    let mut sweep = command();
    sweep.args(["sweep", "two-links.toml"]).args(options).arg("--print-study");
    let printed = outcome(sweep.current_dir(root().join("studies/examples"))).done().stdout;
    let file = dir.write("printed.toml", printed);
    anabranch(["study", &file, "--out", other.arg()]).ok();
    assert_eq!(result(&other, "printed").experiments[0].rows, swept.experiments[0].rows);
}

/// Names that take quotes in TOML are swept as others are: the same rows as with plain names.
#[test]
fn a_sweep_over_links_of_any_name() {
    let rows = |[a, b, flow]: [&str; 3]| {
        let dir = folder();
        let text = r#"
            name = "names"
            duration = "2 s"
            links = { "A" = { rate = "10 Mbit/s", delay = "5 ms" }, "B" = { rate = "5 Mbit/s", delay = "9 ms" } }
            flows = [{ name = "F", cc = "lia", paths = [["A"], ["B"]] }]
        "#;
        let text = text.replace("\"A\"", a).replace("\"B\"", b).replace("\"F\"", flow);
        let file = dir.write("names.toml", text);
        let vary = ["--vary", "links.*.queue=1 BDP,4 BDP", "--cc", "lia,{name=\"olia\"}", "--linux-hosts"];
        anabranch([&["sweep", &file, "--seeds", "2", "--out", dir.arg()], &vary[..]].concat()).ok();
        let result = result(&dir, "names");
        let rows = result.experiments[0].rows.iter().map(|row| row.measured.clone()).collect::<Vec<_>>();
        assert_eq!(rows.len(), 4);
        assert!(rows.iter().all(Option::is_some) && rows[0] != rows[2], "{rows:?}");
        rows
    };
    let plain = rows(["\"a\"", "\"b\"", "\"f\""]);
    assert_eq!(rows(["\"core link\"", "'the \"x\"'", "'my \"flow\"'"]), plain);
    assert_eq!(rows(["\"Zürich\"", "\"a.b=c's\"", "\"流\""]), plain);
}

#[test]
fn another_sweep_of_the_same_name_stays_unless_it_may_be_replaced() {
    let dir = folder();
    let sweep = |window: &str, more: &str| {
        let vary = format!("--vary tcp.initial_window={window} --duration '2 s' --set 'warmup=0 s'");
        typed(&format!("sweep {SCENARIO} {vary} --out {} {more}", dir.arg()))
    };
    let first = || result(&dir, "two-links").experiments[0].rows[0].what.clone();
    sweep("4,10", "--seeds 2").ok();
    let differs = "differs in: definition (its file or options, or the scenario)";
    sweep("2,3", "--seeds 2").refused(["two-links: ", "--replace", differs]);
    has(&first(), ["initial_window 4"]);
    sweep("4,10", "--seeds 2").done();
    // Only the missing ones.
    sweep("4,10", "--seeds 3").notes(["reused 4 runs"]);
    assert_eq!(result(&dir, "two-links").seeds, 3);
    sweep("4,10", "--seeds 2").refused(["differs in: seeds"]);
    sweep("2,3", "--seeds 2 --replace").notes(["replaces"]);
    has(&first(), ["initial_window 2"]);
}

/// A value that turns out to be missing in the runs: the message has the row, the expression and its line; the others are kept.
#[test]
fn a_row_without_a_value_names_its_expression() {
    let dir = with_scenario();
    let text = r#"title = "no value"
        runs.links = { scenario = "two-links.toml", duration = "2 s", set.warmup = "1 s" }
        [[rows]]
        id = "ratio"
        what = "a ratio to nothing"
        of = 'jain() / (duration() - duration())'
        [[rows]]
        id = "jain"
        what = "Jain's index"
        of = 'jain()'
    "#;
    let outcome = anabranch(["study", &dir.write("none.toml", text), "--out", dir.arg()]).ended(1);
    let message = "ratio: division by zero, in `jain() / (duration() - duration())` on line 6";
    has(&one_line(&outcome.stderr), [message]);
    let rows = &result(&dir, "none").experiments[0].rows;
    assert_eq!((rows[0].verdict, rows[1].measured.is_some()), (Verdict::Failed, true));
}

/// Without `--out`, a study has a folder of its own below `out`.
#[test]
fn each_study_has_its_own_folder() {
    let dir = folder();
    let sweep =
        ["--seeds", "1", "--duration", "1 s", "--set", "warmup=0 s", "--name", "short", "--jobs", "1"];
    let mut command = command();
    command.arg("sweep").arg(root().join(SCENARIO)).args(sweep);
    let page = outcome(command.current_dir(dir.path())).done().stdout;
    has(&page, ["Report: out/short/report/index.html"]);
    assert!(fs::exists(dir.at("out/short/studies/short.csv")).unwrap());
    assert_eq!(fs::read_dir(dir.at("out")).unwrap().count(), 1);
}
