//! Results are never destroyed before there are new ones, and nothing of the user's with them.

use crate::interrupted::{long_run, private};
use anabranch_record::Summary;
use anabranch_test_support::command::{
    Outcome, TWO_PATHS, anabranch, command, content, ended, folder, has, interrupted_when, is_ignored, kept,
    outcome, root, scratch, short, signal, skipped, typed, wait_for,
};
use parquet::file::reader::{FileReader, SerializedFileReader};
use rustix::process::Signal;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A run of three samples.
fn tiny(out: &Path, options: &[&str]) -> Outcome {
    let run = ["run", TWO_PATHS, "--duration", "300 ms", "--set", "warmup=0 s"];
    anabranch([&run[..], &["--out", out.to_str().unwrap()], options].concat())
}

fn run_into(out: &Path, options: &[&str]) -> Outcome {
    tiny(out, &[&["--replace"], options].concat())
}

#[test]
fn another_run_stays_unless_it_may_be_replaced() {
    let (_folder, out) = scratch("run");
    tiny(&out, &["--cc", "lia"]).ok();
    let first = content(&out);
    for (more, said) in [
        (&["--cc", "olia"][..], "this one has bonded with olia instead of lia"),
        (&["--cc", "lia", "--seed", "9"], "this one has seed 9"),
        (&["--cc", "lia", "--set", "links.dsl.delay=11 ms"], "this one has other values of the scenario"),
    ] {
        tiny(&out, more).refused(["seed 1,", said, "add --replace to replace it"]);
        assert_eq!(content(&out), first);
    }
    tiny(&out, &["--cc", "lia"]).ok(); // the same run
    replaces(run_into(&out, &["--seed", "2"]), 1);
}

/// A capture's page beside its tables: the fate of MPTCP, and that the file is cut off.
#[test]
fn a_capture_names_fallbacks_refusals_and_its_cut_end() {
    let folder = folder();
    let fixture = |name: &str| format!("crates/capture/tests/fallbacks/{name}");
    let fell_back = anabranch(["capture", &fixture("changed-payload-client.pcap")]).ok();
    let said = fell_back.lines().any(|line| {
        line.starts_with("mptcp-")
            && line.contains(" fell back to TCP at 0.")
            && line.ends_with(" s: MP_FAIL.")
    });
    assert!(said, "{fell_back}");
    let refused = anabranch(["capture", &fixture("listener-without-mptcp.pcap"), "--tcp"]).ok();
    has(&refused, ["\n1 requested MPTCP and got TCP: only --tcp shows them.\n"]);

    let whole = fs::read(root().join(fixture("no-fallback.pcap"))).unwrap();
    let cut = folder.write("cut.pcap", &whole[..whole.len() - 1]);
    anabranch(["capture", &cut]).notes(["cut.pcap ends within a packet; this last packet is left out"]);
    anabranch(["capture", &fixture("no-fallback.pcap")]).ok();
}

/// A capture's record replaces no run, and another run no record of a capture.
#[test]
fn a_capture_replaces_no_run() {
    let folder = folder();
    let (out, pcap) = (folder.at("out"), folder.at("run.pcapng"));
    let record = || content(out.as_ref());
    anabranch(short("run", &["--pcap", &pcap, "--out", &out])).done();
    let run = record();
    let capture = |more: &[&str]| anabranch([&["capture", &pcap, "--out", &out], more].concat());
    capture(&[]).refused(["has a run of", "--replace"]);
    assert_eq!(record(), run);
    capture(&["--replace"]).done();
    capture(&[]).ok(); // the same capture again
    let captured = record();
    // By other options, and with other packets under the same name.
    capture(&["--interval", "50 ms"]).refused(["has a record of", "0.1 s,"]);
    capture(&["--tcp"]).refused(["has a record of", "0.1 s,"]);
    anabranch(short("run", &["--seed", "2", "--pcap", &pcap])).done();
    capture(&[]).refused(["with other packets", "--replace"]);
    assert_eq!(record(), captured);
    capture(&["--replace"]).done();
    anabranch(short("run", &["--out", &out])).refused(["has a record of"]);
}

/// Each fact is in every Parquet file, and the schema names each field of a summary.
#[test]
fn files_say_whose_they_are() {
    let (_folder, out) = scratch("run");
    run_into(&out, &[]).ok();
    let summary: Value = serde_json::from_slice(&fs::read(out.join("summary.json")).unwrap()).unwrap();
    for table in ["subflows", "links"] {
        let file = File::open(out.join(table).with_extension("parquet")).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let facts = reader.metadata().file_metadata().key_value_metadata().unwrap();
        let fact = |key: &str| {
            let found = facts.iter().find(|fact| fact.key == format!("anabranch.{key}"));
            found.and_then(|fact| fact.value.clone()).unwrap_or_else(|| panic!("no {key} in {facts:?}"))
        };
        for key in ["seed", "version", "scenario", "scenario_hash"] {
            assert_eq!(fact(key), summary[key].as_str().unwrap());
        }
        let algorithms: Value = serde_json::from_str(&fact("cc")).unwrap();
        assert_eq!(algorithms["bonded"], summary["flows"][0]["cc"]);
        assert!(fact("units").contains(r#""_s":"seconds""#));
    }
    let schema = anabranch(["schema", "summary"]).json();
    let has_each = |value: &Value, properties: &Value| {
        for name in value.as_object().unwrap().keys() {
            assert!(properties.get(name).is_some(), "{name} is not in the schema");
        }
    };
    has_each(&summary, &schema["properties"]);
    has_each(&summary["flows"][0], &schema["$defs"]["FlowSummary"]["properties"]);
    has_each(&summary["flows"][0]["subflows"][0], &schema["$defs"]["SubflowSummary"]["properties"]);
    has_each(&summary["links"][0], &schema["$defs"]["LinkSummary"]["properties"]);
}

/// The run succeeded, and said that it replaces the run of another seed.
#[track_caller]
fn replaces(outcome: Outcome, seed: u64) {
    let note = format!("has a run of two paths and a neighbour, seed {seed}, version");
    let said = outcome.notes([note]);
    assert!(said.ends_with(": this one replaces it"), "{said}");
}

/// A run without end into the same folder, of which samples are there.
fn long_run_into(out: &Path) -> Child {
    long_run(out, &["--set", "warmup=0 s", "--seed", "9", "--replace"])
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A folder with a scenario of the user's in it is refused, wherever the command is given.
#[test]
fn a_users_scenario_stays() {
    let (dir, mine) = scratch("mine");
    fs::create_dir(&mine).unwrap();
    fs::copy(root().join(TWO_PATHS), mine.join("scenario.toml")).unwrap();
    let before = content(&mine);
    for (out, from) in [(".", mine.as_path()), ("mine", dir.path()), ("../mine", &mine)] {
        let mut run = command();
        run.arg("run").arg(mine.join("scenario.toml")).args(["--duration", "2 s", "--set", "warmup=0 s"]);
        outcome(run.args(["--out", out]).current_dir(from)).refused(["contains scenario.toml"]);
        assert_eq!(content(&mine), before);
    }
    assert_eq!(content(dir.path()).len(), 1, "nothing is left behind");
}

/// Files that were written, and then edited or added to, are the user's too, and so are results without the list of what was written.
/// Other programs can check that list.
#[test]
fn what_was_edited_stays() {
    let (_dir, out) = scratch("my out");
    run_into(&out, &[]).ok();
    let check = || Command::new("sha256sum").args(["--check", ".anabranch"]).current_dir(&out).output();
    assert!(check().unwrap().status.success());
    let scenario = out.join("scenario.toml");
    let text = fs::read_to_string(&scenario).unwrap();
    fs::write(&scenario, text.replace("20 ms", "30 ms").replace("10 ms", "30 ms")).unwrap();
    let before = content(&out);
    run_into(&out, &[]).refused(["scenario.toml, which has been changed"]);
    assert!(!check().unwrap().status.success());
    fs::write(&scenario, text).unwrap();
    fs::write(out.join("plot.png"), "mine").unwrap();
    run_into(&out, &[]).refused(["contains plot.png"]);
    fs::remove_file(out.join("plot.png")).unwrap();
    assert_ne!(content(&out), before);
    replaces(run_into(&out, &["--seed", "3"]), 1);

    fs::remove_file(out.join(".anabranch")).unwrap();
    let before = content(&out);
    run_into(&out, &[]).refused(["which anabranch did not write", "move that file away"]);
    assert_eq!(content(&out), before);
}

/// Earlier results stay where the next command is refused, or killed; and then are replaced.
#[test]
fn earlier_results_stay_until_there_are_new_ones() {
    let (dir, out) = scratch("out");
    run_into(&out, &[]).ok();
    let before = content(&out);
    run_into(&out, &["--set", "flows.bonded.cc=nonsense"]).fails(2);
    assert_eq!(content(&out), before, "refused");

    kill(long_run_into(&out));
    assert_eq!(content(&out), before, "killed");

    replaces(run_into(&out, &["--seed", "4"]), 1);
    assert_ne!(content(&out), before);
    run_into(&out, &["--seed", "4"]).ok();
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "leftovers are gone");
}

/// The leftovers of a command that is killed while the names change: earlier results under another name, which go, or come back
/// where there are no others. Files that somebody put among them stay.
#[test]
fn killed_while_the_names_changed() {
    let dir = tempfile::tempdir().unwrap();
    let (out, others) = (dir.path().join("out"), dir.path().join("out.others"));
    run_into(&out, &[]).ok();
    let before = content(&out);
    let former = dir.path().join(".out.anabranch-former");
    for leftover in [private(&out), former.clone()] {
        let copied = Command::new("cp").arg("-r").args([&out, &leftover]).status().unwrap();
        assert!(copied.success());
        fs::write(leftover.join("notes.txt"), "another's").unwrap();
        run_into(&out, &["--seed", "4"]).notes(["out.others has the files that others put into"]);
        assert_eq!(content(&others), BTreeMap::from([(PathBuf::from("notes.txt"), b"another's".to_vec())]));
        fs::remove_dir_all(&others).unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing else is left");
        replaces(run_into(&out, &[]), 4);
    }
    for empty in [false, true] {
        fs::rename(&out, &former).unwrap();
        if empty {
            fs::create_dir(&out).unwrap();
        }
        kill(long_run_into(&out));
        assert!(content(&out) == before, "{empty}");
        fs::remove_dir_all(private(&out)).unwrap();
    }
}

/// A list that somebody else wrote deletes nothing outside its folder.
#[test]
fn a_list_reaches_no_other_folder() {
    let dir = tempfile::tempdir().unwrap();
    let (out, mine, deep) = (dir.path().join("out"), dir.path().join("mine"), dir.path().join("deep"));
    fs::create_dir_all(&deep).unwrap();
    for file in [&mine, &deep.join("mine")] {
        fs::write(file, "mine").unwrap();
    }
    let nothing = "0".repeat(64);
    for name in ["../mine".to_owned(), mine.display().to_string(), "link/mine".to_owned()] {
        fs::create_dir(&out).unwrap();
        fs::write(out.join(".anabranch"), format!("{nothing}  {name}\n")).unwrap();
        let private = private(&out);
        for found in [&out, &private] {
            if found == &private {
                fs::create_dir(&private).unwrap();
                fs::copy(out.join(".anabranch"), private.join(".anabranch")).unwrap();
                symlink(&deep, private.join("link")).unwrap();
            }
            run_into(&out, &[]).done();
            assert!(mine.exists() && deep.join("mine").exists(), "{name}");
        }
        fs::remove_dir_all(&out).unwrap();
        fs::remove_dir_all(dir.path().join("out.others")).unwrap();
    }
}

/// A change is found wherever it is in a file, and whoever wrote the list.
#[test]
fn the_last_byte_of_a_large_file_counts() {
    let (_dir, out) = scratch("out");
    fs::create_dir(&out).unwrap();
    let mut bytes: Vec<u8> = (0..3_000_000_u32).map(|i| (i >> 8) as u8).collect();
    fs::write(out.join("large"), &bytes).unwrap();
    let list = Command::new("sha256sum").arg("large").current_dir(&out).output().unwrap();
    fs::write(out.join(".anabranch"), list.stdout).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(out.join("large"), &bytes).unwrap();
    run_into(&out, &[]).refused(["contains large, which has been changed"]);
    assert_eq!(fs::read(out.join("large")).unwrap(), bytes);
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(out.join("large"), &bytes).unwrap();
    run_into(&out, &[]).ok();
    assert!(!out.join("large").exists());
}

/// Runs that are asked to stay are there for the next command; when they go, notes of the user's in their folder stay.
#[test]
fn runs_that_are_kept() {
    let (dir, store) = scratch("store");
    fs::create_dir_all(store.join("ab")).unwrap();
    for notes in ["notes.json", "ab/notes.json", "runs.jsonl"] {
        fs::write(store.join(notes), "mine").unwrap();
    }
    let before = content(&store);
    let out = dir.path().display();
    let paper = |more| typed(&format!("paper E --quick --seeds 1 --only E-10 --out {out} {more}"));
    let first = paper("--keep-runs").ok();
    let runs = kept(&store);
    let second = paper("").done();
    assert_eq!(second.stdout, first);
    assert_eq!(second.stderr, format!("Note: reused {runs} runs of an earlier command\n"));
    assert!(runs > 10 && content(&store) == before);
}

/// A second command on the same folder is refused at once, and does not disturb the first.
#[test]
fn one_command_at_a_time() {
    let (dir, out) = scratch("out");
    let first = long_run_into(&out);
    run_into(&out, &[]).refused(["another command is writing to"]);
    interrupted_when(first, || true);
    assert!(out.join("summary.json").exists());

    let paper = || {
        let args = ["paper", "E", "--only", "E-10", "--out"];
        command().args(args).arg(dir.path().join("papers")).spawn().unwrap()
    };
    let mut first = paper();
    wait_for(&mut first, || dir.path().join("papers/store").exists());
    ended(paper()).ended(2);
    signal(&first, Signal::TERM);
    ended(first).ended(130);
}

/// A partial run does not replace a whole one, whatever ended it.
#[test]
fn a_partial_run_goes_beside_a_whole_one() {
    let (dir, out) = scratch("out");
    run_into(&out, &[]).ok();
    let before = content(&out);
    for (asked, name) in [(Signal::TERM, "out.partial"), (Signal::HUP, "out.partial-2")] {
        if is_ignored(asked) {
            skipped("SIGHUP is ignored here, and so by the run");
            continue;
        }
        let run = long_run_into(&out);
        signal(&run, asked);
        ended(run).ended(130);
        assert_eq!(content(&out), before);
        let summary = Summary::read(&dir.path().join(name).join("summary.json")).unwrap();
        assert!(summary.partial_until_s.unwrap() > 0.0);
    }
}

/// A folder that cannot be written is refused before the simulation.
#[test]
fn told_before_the_simulation() {
    let (_dir, inner) = scratch("outer/inner");
    fs::create_dir_all(&inner).unwrap();
    let scenario = root().join(TWO_PATHS).canonicalize().unwrap();
    let run = ["run", scenario.to_str().unwrap(), "--duration", "1000000 s", "--out"];
    let refused = |args: &[&str], out, why: &str| {
        outcome(command().args(args).arg(out).current_dir(&inner)).refused([why]);
    };
    for (out, why) in [
        ("/proc/anabranch", "cannot write"),
        ("/dev/null", "not a folder"),
        ("/dev/null/below", "Not a directory"),
        ("..", "contains inner"),
        (".", "working directory"),
        ("", "a value is required"),
    ] {
        refused(&run, out, why);
    }
    for out in ["/proc/anabranch", "/dev/null", "/dev/null/below"] {
        refused(&["paper", "wcompound", "--full", "--out"], out, out);
    }
}

/// Damaged results of a paper: each is named, kept aside, missing in the report that says so, and status 1.
#[test]
fn damaged_results_are_named() {
    let (_dir, out) = scratch("out");
    let paper = |id| typed(&format!("paper all --quick --seeds 1 --only {id} --out {}", out.display()));
    paper("A-T2").ok();
    let file = out.join("papers/coupled-cubic.json");
    let whole = fs::read(&file).unwrap();
    let half = whole[..whole.len() / 2].to_vec();
    for (i, damage) in [half, Vec::new(), b"\0\xff garbage".to_vec()].iter().enumerate() {
        fs::write(&file, damage).unwrap();
        paper("B-D").ended(1);
        let name = if i == 0 { "damaged".to_owned() } else { format!("damaged-{}", i + 1) };
        let aside = out.join(format!("papers/coupled-cubic.json.{name}"));
        assert_eq!(fs::read(&aside).unwrap(), *damage);
        assert!(!file.exists());
        let index = fs::read_to_string(out.join("report/index.html")).unwrap();
        has(&index, ["cannot read", &format!("coupled-cubic.json.{name}")]);
    }
    // Where the command itself makes the result anew, the former one is named all the same.
    for make in ["mkdir", "mkfifo"] {
        let _ = fs::remove_file(&file);
        assert!(Command::new(make).arg(&file).status().unwrap().success());
        has(&paper("A-T2").ended(1).stderr, ["it is not a regular file"]);
        assert_eq!(fs::read(&file).unwrap(), whole, "{make}");
    }
    // Everything in order again.
    paper("A-T2").ok();
}

/// Where nobody reads what a command prints, its report is written all the same.
#[test]
fn a_closed_pipe_costs_no_report() {
    let dir = tempfile::tempdir().unwrap();
    let mut paper = command();
    paper.args(["paper", "B", "--quick", "--seeds", "1", "--only", "B-D", "--out"]).arg(dir.path());
    let mut child = paper.stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
    assert!(dir.path().join("report/index.html").exists());
    assert!(!dir.path().join("store").exists());
}

#[test]
fn a_report_replaces_no_other_folder() {
    let dir = folder();
    fs::create_dir(dir.at("report")).unwrap();
    dir.write("report/thesis.tex", "mine");
    typed(&format!("paper B --quick --only B-D --out {}", dir.arg())).refused(["contains thesis.tex"]);
    assert_eq!(dir.read("report/thesis.tex"), "mine");
}
