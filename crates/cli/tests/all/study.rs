//! `anabranch study` and `anabranch sweep`.

use anabranch_papers::standard::AlgorithmResult;
use anabranch_study::{StudyResult, Verdict};
use anabranch_test_support::command::{anabranch, fits, kept, one_line, scratch, words};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The study that the book explains.
const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/examples/buffer-and-delay.toml");

const FILES: [&str; 3] = ["buffer-and-delay.json", "buffer-and-delay.csv", "buffer-and-delay.parquet"];

fn result(out: &Path, name: &str) -> StudyResult {
    let json = fs::read_to_string(out.join("studies").join(name).with_extension("json")).unwrap();
    serde_json::from_str(&json).unwrap()
}

/// The example of the book: every row measured and judged, both figures drawn, all runs in one table, and a report.
#[test]
fn the_example_runs() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let page = anabranch(["study", EXAMPLE, "--quick", "--out", out]).ok();
    fits(page.replace(out, "OUT").as_str());
    assert!(page.contains("goal-1.lia") && page.contains("report/index.html"), "{page}");
    let result = result(dir.path(), "buffer-and-delay");
    let [experiment] = &result.experiments[..] else { panic!("one experiment") };
    assert_eq!((experiment.rows.len(), experiment.figures.len(), experiment.runs.len()), (6, 2, 18));
    assert!(experiment.rows.iter().all(|row| row.verdict != Verdict::Failed), "{:?}", experiment.rows);
    // 3 algorithms, 3 buffers, 2 delays, 2 seeds, 3 connections, and the header.
    let csv = fs::read_to_string(dir.path().join("studies/buffer-and-delay.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 3 * 3 * 2 * 2 * 3);
    let report = fs::read_to_string(dir.path().join("report/buffer-and-delay.html")).unwrap();
    assert!(report.contains("anabranch study") && report.contains("goal-2.olia"));
    // A command more runs only what needs samples over time, one simulation's first seed, and says so.
    let again = anabranch(["study", EXAMPLE, "--quick", "--out", out]);
    assert!(again.stderr.contains("reused 35 runs of an earlier command"), "{}", again.stderr);
}

/// `study` on some of the standard cases and `cc report` agree.
#[test]
fn a_part_of_the_standard_cases() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/standard/standard-cases.toml");
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let made = anabranch(["study", file, "--at", "cc=lia,ewtcp", "--quick", "--out", out]);
    // One of the standard cases is a single path, as `check` says.
    let warned = "tested: it runs lia, a coupled algorithm, over a single path, so nothing is coupled";
    assert!(made.status == 0 && one_line(&made.stderr).matches(warned).count() == 1, "{}", made.stderr);
    let checked = anabranch(["study", "check", file]).stderr;
    assert!(one_line(&checked).contains(warned) || checked.contains("further warnings"), "{checked}");
    let page = made.stdout;
    assert!(page.contains("backup.ewtcp") && !page.contains("reno.olia"), "{page}");
    anabranch(["cc", "report", "ewtcp", "--quick", "--out", out]).ok();
    let json = fs::read_to_string(dir.path().join("algorithms/ewtcp.json")).unwrap();
    let report: AlgorithmResult = serde_json::from_str(&json).unwrap();
    let result = result(dir.path(), "standard-cases");
    assert!(result.command.as_ref().unwrap().contains("--at cc=lia,ewtcp"), "{:?}", result.command);
    for (experiment, case) in result.experiments.iter().zip(&report.cases) {
        let row = |id: String| experiment.rows.iter().find(|row| row.id == id).unwrap().measured.clone();
        let key = case.key.as_ref().map(|key| key.value.clone());
        assert!(key.is_some() && row(format!("{}.ewtcp", case.id)) == key, "{}", case.id);
        assert_eq!(row(format!("{}.ewtcp.queue", case.id)), case.queue_packets);
        let bars = &experiment.figures[0].panels[0].series[0].points;
        assert_eq!(
            bars.iter().map(|bar| bar.label.as_deref().unwrap()).collect::<Vec<_>>(),
            ["ewtcp", "lia"]
        );
    }
    let wrong = anabranch(["study", file, "--at", "cc"]);
    assert!(wrong.stderr.contains("AXIS=VALUE"), "{}", wrong.stderr);
}

/// Killed whenever it may be, the same command resumes and ends with the same bytes as an uninterrupted one.
#[test]
fn killed_and_resumed() {
    let (killed, whole) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let args =
        |out: &Path| ["study", EXAMPLE, "--seeds", "6", "--out", out.to_str().unwrap()].map(str::to_owned);
    anabranch(args(whole.path())).ok();
    for round in 1.. {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anabranch"));
        let mut child =
            command.args(args(killed.path())).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Another twenty runs each time.
        let enough = 20 * round;
        let ended = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if kept(&killed.path().join("store")) >= enough {
                break None;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        };
        if let Some(status) = ended {
            assert!(status.success());
            assert!(round > 1, "it was killed at least once");
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    for file in FILES {
        let read = |dir: &Path| fs::read(dir.join("studies").join(file)).unwrap();
        let (a, b) = (read(killed.path()), read(whole.path()));
        let plain = |bytes: Vec<u8>, dir: &Path| match String::from_utf8(bytes) {
            Ok(text) => text.replace(dir.to_str().unwrap(), "OUT").into_bytes(),
            Err(binary) => binary.into_bytes(),
        };
        assert!(plain(a, killed.path()) == plain(b, whole.path()), "{file}");
    }
}

/// Two commands at once, each with a folder of its own for its results, make each run once and come to the same result.
#[test]
fn a_store_for_two() {
    let (store, one, other) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let args = |out: &Path| {
        let (out, store) = (out.to_str().unwrap(), store.path().join("store"));
        ["study", EXAMPLE, "--quick", "--out", out, "--store", store.to_str().unwrap()].map(str::to_owned)
    };
    let both = [one.path(), other.path()].map(|out| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anabranch"));
        command.args(args(out)).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    });
    let reused = both.map(|child| {
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(ended.status.success(), "{said}");
        let before = said.split(" of an earlier command").next().filter(|before| *before != said);
        before.map_or(0, |before| before.rsplit(' ').nth(1).unwrap().parse::<usize>().unwrap())
    });
    // All but the one whose samples a figure draws; each is executed by one command and reused by the other.
    assert_eq!((kept(&store.path().join("store")), reused.iter().sum()), (35, 35), "{reused:?}");
    assert!(!one.path().join("store").exists() && !other.path().join("store").exists());
    let runs = |out: &Path| fs::read(out.join("studies/buffer-and-delay.csv")).unwrap();
    assert_eq!(runs(one.path()), runs(other.path()));
    let mut status = args(one.path()).to_vec();
    status.insert(1, "status".into());
    let page = anabranch(status.iter().map(String::as_str)).ok();
    assert!(page.contains("35 of the 35 runs") && page.contains("there is a result\n"), "{page}");
}

/// A result of another size, or of a file that has changed since, is not the one that the command would give.
#[test]
fn status_tells_an_outdated_result() {
    let dir = tempfile::tempdir().unwrap();
    fs::copy(Path::new(EXAMPLE).with_file_name("two-links.toml"), dir.path().join("two-links.toml")).unwrap();
    let (file, out) = (dir.path().join("mine.toml"), dir.path().join("out"));
    let text = r#"title = "mine"
        runs.links = { scenario = "two-links.toml", duration = "2 s", set.warmup = "1 s" }
        rows = [{ id = "jain", of = 'jain()' }]
    "#;
    fs::write(&file, text).unwrap();
    let command = |words: &[&str]| {
        let args = [&["study"], words, &[file.to_str().unwrap(), "--out", out.to_str().unwrap()]].concat();
        anabranch(args).ok()
    };
    let status = |words: &[&str]| {
        let page = command(&[&["status"], words].concat());
        one_line(page.split_once("mine.json: ").unwrap().1)
    };
    assert_eq!(status(&["--quick"]), "no result yet");
    command(&["--quick"]);
    assert_eq!(status(&["--quick"]), "there is a result");
    let another = "there is a result, but of another size (quick), of another number of seeds (2)";
    assert_eq!(status(&[]), another);
    fs::write(&file, text.replace("jain()", "2 * jain()")).unwrap();
    assert_eq!(status(&["--quick"]), "there is a result, but of another study file, scenario or --at");
    fs::write(out.join("studies/mine.json"), "{").unwrap();
    assert!(status(&["--quick"]).starts_with("the result cannot be read"));
}

#[test]
fn checked_without_a_run() {
    let page = anabranch(["study", "check", EXAMPLE]).ok();
    assert!(page.contains("quick    36 runs") && page.contains("6 rows in 1 experiment"), "{page}");
    let dir = tempfile::tempdir().unwrap();
    let page = anabranch(["study", "status", EXAMPLE, "--out", dir.path().to_str().unwrap()]).ok();
    assert!(page.contains("72 runs") && page.contains("no result yet"), "{page}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

/// Each names the command for the other.
#[test]
fn a_study_and_a_scenario_are_distinguished() {
    let scenario = Path::new(EXAMPLE).with_file_name("two-links.toml");
    let scenario = scenario.to_str().unwrap();
    let (study, run) = ("run it with `anabranch study FILE`", "run it with `anabranch run FILE`");
    for (words, said) in [
        (vec!["run", EXAMPLE], study),
        (vec!["sweep", EXAMPLE, "--cc", "lia"], study),
        (vec!["compare", EXAMPLE, "--cc", "lia"], study),
        (vec!["check", EXAMPLE], study),
        (vec!["study", scenario], run),
        (vec!["study", "check", scenario], run),
    ] {
        let message = anabranch(&words).fails(2);
        assert!(message.contains(said), "{words:?}: {message}");
    }
}

/// A message with the place, exit status 2, and nothing written.
#[test]
fn mistakes_are_reported_before_anything_runs() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Path::new(EXAMPLE).parent().unwrap();
    fs::copy(folder.join("two-links.toml"), dir.path().join("two-links.toml")).unwrap();
    let text = fs::read_to_string(EXAMPLE).unwrap();
    let (file, out) = (dir.path().join("mine.toml"), dir.path().join("out"));
    for (old, new, said) in [
        ("[quantities]", "[quantity]", "unknown field `quantity`"),
        ("share(\"mptcp\")", "share(\"mptpc\")", "did you mean `mptcp`?"),
        ("links.*.queue", "links.*.quueue", "unknown key `quueue`"),
        ("0.5..2 BDP", "0..2 BDP", "above 0"),
        ("seeds = 4", "seeds = \"four\"", "expected u32"),
        ("rule = \"near 1\"", "rule = \"nearly\"", "not a rule"),
        ("steps = 3", "steps = 50000", "twice"),
    ] {
        assert!(text.contains(old), "{old}");
        fs::write(&file, text.replacen(old, new, 1)).unwrap();
        let args = ["study", file.to_str().unwrap(), "--out", out.to_str().unwrap()];
        let stderr = anabranch(args).fails(2);
        assert!(stderr.contains(said) && stderr.contains("mine.toml:"), "{new}: {stderr}");
        assert!(!out.exists(), "{new}");
    }
    // 18 simulations, each with 10,000 seeds.
    fs::write(&file, text.replacen("seeds = 4", "seeds = 10000", 1)).unwrap();
    let stderr = anabranch(["study", file.to_str().unwrap(), "--out", out.to_str().unwrap()]).fails(2);
    assert!(stderr.contains("mine has 180000 runs, about") && stderr.contains("--yes"), "{stderr}");
    assert!(!out.exists());
    let stderr = anabranch(["study", "no-such.toml"]).fails(2);
    assert!(stderr.contains("no-such.toml"), "{stderr}");
}

/// A sweep is a study: what it prints as one gives the same rows.
#[test]
fn a_sweep_is_a_study() {
    let dir = tempfile::tempdir().unwrap();
    let scenario = Path::new(EXAMPLE).with_file_name("two-links.toml");
    let out = dir.path().to_str().unwrap();
    let mut args = vec!["sweep", scenario.to_str().unwrap(), "--vary", "links.*.queue=0.5..2 BDP/3log"];
    args.extend(["--vary", "tcp.initial_window=4,10", "--cc", "lia,{name=\"lia\", count=\"acks\"}"]);
    args.extend(["--seeds", "2", "--duration", "3 s", "--set", "warmup=1 s", "--out", out]);
    let page = anabranch(args.clone()).ok();
    fits(page.replace(out, "OUT").as_str());
    let swept = result(dir.path(), "two-links");
    // Two algorithms, three buffers, two windows; three connections and Jain's index.
    assert_eq!(swept.experiments[0].runs.len(), 12);
    assert_eq!(swept.experiments[0].rows.len(), 12 * 4);
    assert_eq!(swept.experiments[0].figures.len(), 4);

    // The printed command runs anywhere, though the scenario was named from the current folder.
    args[1] = "two-links.toml";
    args.push("--print-study");
    let mut sweep = Command::new(env!("CARGO_BIN_EXE_anabranch"));
    let printed = sweep.args(args).current_dir(scenario.parent().unwrap()).output().unwrap();
    assert!(printed.status.success(), "{printed:?}");
    let file = dir.path().join("printed.toml");
    fs::write(&file, printed.stdout).unwrap();
    let other = tempfile::tempdir().unwrap();
    anabranch(["study", file.to_str().unwrap(), "--out", other.path().to_str().unwrap()]).ok();
    assert_eq!(result(other.path(), "printed").experiments[0].rows, swept.experiments[0].rows);
}

/// Names that take quotes in TOML are swept as others are: the same rows as with plain names.
#[test]
fn a_sweep_over_links_of_any_name() {
    let rows = |[a, b, flow]: [&str; 3]| {
        let (dir, file) = scratch("names.toml");
        let text = r#"
            name = "names"
            duration = "2 s"
            links = { "A" = { rate = "10 Mbit/s", delay = "5 ms" }, "B" = { rate = "5 Mbit/s", delay = "9 ms" } }
            flows = [{ name = "F", cc = "lia", paths = [["A"], ["B"]] }]
        "#;
        let text = text.replace("\"A\"", a).replace("\"B\"", b).replace("\"F\"", flow);
        fs::write(&file, text).unwrap();
        let out = dir.path().join("out");
        let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
        let vary = ["--vary", "links.*.queue=1 BDP,4 BDP", "--cc", "lia,{name=\"olia\"}"];
        anabranch([&["sweep", file, "--seeds", "2", "--out", out, "--linux-hosts"], &vary[..]].concat()).ok();
        let result = result(Path::new(out), "names");
        let rows = result.experiments[0].rows.iter().map(|row| row.measured.clone()).collect::<Vec<_>>();
        assert_eq!(rows.len(), 4);
        assert!(rows.iter().all(Option::is_some) && rows[0] != rows[2], "{rows:?}");
        rows
    };
    let plain = rows(["\"a\"", "\"b\"", "\"f\""]);
    assert_eq!(rows(["\"core link\"", "'the \"x\"'", "\"my flow\""]), plain);
    assert_eq!(rows(["\"Zürich\"", "\"a.b=c's\"", "\"流\""]), plain);
}

#[test]
fn another_sweep_of_the_same_name_stays_unless_it_may_be_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let scenario = Path::new(EXAMPLE).with_file_name("two-links.toml");
    let sweep = |window: &str, more: &str| {
        let sweep = format!(
            "sweep {} --vary tcp.initial_window={window} --duration '2 s' --set 'warmup=0 s' --out {} {}",
            scenario.display(),
            dir.path().display(),
            if more.contains("--seeds") { more.to_owned() } else { format!("--seeds 2 {more}") }
        );
        anabranch(words(&sweep))
    };
    sweep("4,10", "").ok();
    let refused = sweep("2,3", "").fails(2);
    assert!(refused.contains("two-links: ") && refused.contains("--replace"), "{refused}");
    assert!(
        one_line(&refused).contains("differs in: definition (its file or options, or the scenario)"),
        "{refused}"
    );
    assert!(result(dir.path(), "two-links").experiments[0].rows[0].what.contains("initial_window 4"));
    assert_eq!(sweep("4,10", "").status, 0, "the same again");
    let more = sweep("4,10", "--seeds 3");
    assert_eq!(result(dir.path(), "two-links").seeds, 3, "{}", more.stderr);
    assert!(one_line(&more.stderr).contains("reused 4 runs"), "only the missing ones: {}", more.stderr);
    let refused = sweep("4,10", "--seeds 2").fails(2);
    assert!(refused.contains("differs in: seeds"), "{refused}");
    let second = sweep("2,3", "--replace");
    assert!(second.stderr.contains("replaces"), "{}", second.stderr);
    assert!(result(dir.path(), "two-links").experiments[0].rows[0].what.contains("initial_window 2"));
}

/// A value that turns out to be missing in the runs: the message has the row, the expression and its line; the others are kept.
#[test]
fn a_row_without_a_value_names_its_expression() {
    let dir = tempfile::tempdir().unwrap();
    fs::copy(Path::new(EXAMPLE).with_file_name("two-links.toml"), dir.path().join("two-links.toml")).unwrap();
    let file = dir.path().join("none.toml");
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
    fs::write(&file, text).unwrap();
    let out = dir.path().join("out");
    let outcome = anabranch(["study", file.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    let said = one_line(&outcome.stderr);
    assert_eq!(outcome.status, 1, "{said}");
    let message = "ratio: division by zero, in `jain() / (duration() - duration())` on line 6";
    assert!(said.contains(message), "{said}");
    let rows = &result(&out, "none").experiments[0].rows;
    assert_eq!((rows[0].verdict, rows[1].measured.is_some()), (Verdict::Failed, true));
}

/// Without `--out`, a study has a folder of its own below `out`.
#[test]
fn each_study_has_its_own_folder() {
    let dir = tempfile::tempdir().unwrap();
    let scenario = Path::new(EXAMPLE).with_file_name("two-links.toml");
    let sweep =
        ["--seeds", "1", "--duration", "1 s", "--set", "warmup=0 s", "--name", "short", "--jobs", "1"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_anabranch"));
    let ended = command.arg("sweep").arg(scenario).args(sweep).current_dir(dir.path()).output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    assert!(String::from_utf8(ended.stdout).unwrap().contains("Report: out/short/report/index.html"));
    assert!(dir.path().join("out/short/studies/short.csv").exists());
    assert_eq!(fs::read_dir(dir.path().join("out")).unwrap().count(), 1);
}
