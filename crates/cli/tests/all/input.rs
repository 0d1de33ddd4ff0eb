//! Bad input: each mistake is named on stderr, with exit status 2 and nothing on stdout.

use anabranch_test_support::command::{
    TWO_PATHS, anabranch, anabranch_reading, binary, folder, has, outcome, root, typed,
};
use serde_json::Value;
use std::fs;
use std::process::Command;

/// Command lines on the scenario FILE, on the STUDY or on its SCENARIO, and what is said to them.
const MISTAKES: &[(&str, &str)] = &[
    ("", "Usage"),
    ("fly", "unrecognized subcommand"),
    ("run", "<FILE>"),
    ("run FILE --fast", "--fast"),
    ("run FILE --seed -1", "a seed is a whole number from 0 to 18446744073709551615"),
    ("run FILE --seed 1.5", "a seed is a whole number"),
    ("run FILE --plot out.svg", "tip: write --plot=out.svg"),
    (
        "run FILE --plot --size single",
        "tip: an option of `plot`: anabranch run FILE --out DIR, then anabranch plot DIR --size …",
    ),
    ("run FILE --cc lia, olia", "no space after the comma: --cc lia,olia"),
    ("run FILE --set links.dsl.rate=10 Mbit/s", "put the value in quotes: --set 'links.dsl.rate=10 Mbit/s'"),
    ("run --duration 30 s FILE", "put the value in quotes: --duration '30 s'"),
    ("sweep --vary=links.dsl.queue=1 BDP FILE", "put the value in quotes: '--vary=links.dsl.queue=1 BDP'"),
    ("run FILE --seeds 5", "anabranch compare FILE --cc CC --seeds N"),
    ("run FILE --cc lia,olia", "`anabranch compare` and `sweep` take a list"),
    ("run FILE --format csv", "--out"),
    ("run FILE --out x --format xls", "parquet, csv"),
    ("run FILE --out x --plot=x/y.svg", "`--plot` cannot write into the folder of `--out`"),
    ("run FILE --out x --pcap x/y.pcapng", "`--pcap` cannot write into the folder of `--out`"),
    // Nobody may make folders there.
    ("run FILE --out /dev/pts/x", "so the folder above must be writable"),
    ("run FILE --cc ''", "a value is required"),
    ("run FILE --cc lai", "did you mean `lia`?"),
    ("run FILE --set ''", "a value is required"),
    ("run FILE --set 'links.dsl.rat=5 Mbit/s'", "did you mean `rate`?"),
    ("run FILE --duration sixty", "sixty"),
    ("run FILE --set hosts=plain --linux-hosts", "`--set hosts=plain` and `--linux-hosts` set the same"),
    ("run FILE --cc lia --cc olia", "`--cc lia` and `--cc olia` set the same"),
    (
        "run FILE --cc bonded=lia --set flows.bonded.cc=olia",
        "`--set flows.bonded.cc=olia` and `--cc bonded=lia` set the same",
    ),
    (
        "run FILE --set tcp.mss=500 --set tcp.mss=600",
        "`--set tcp.mss=500` and `--set tcp.mss=600` set the same",
    ),
    ("run FILE --seed 5 --set seed=6", "`--set seed=6` and `--seed` set the same"),
    (
        "compare FILE --cc lia --duration '30 s' --set 'duration=30s'",
        "`--set duration=30s` and `--duration` set the same",
    ),
    ("compare FILE", "--cc"),
    ("compare FILE --cc ''", "a value is required"),
    ("compare FILE --cc lia,", "unknown algorithm"),
    ("compare FILE --cc 'lia,{name=\"lia\", beta=1}'", "lia has no parameter `beta`"),
    ("compare FILE --cc lia --seeds 99999999999999", "for '--seeds <SEEDS>': 99999999999999 is not in 1..="),
    ("compare FILE --cc lia --seeds 0", "for '--seeds <SEEDS>': 0 is not in 1..="),
    (
        "compare FILE --cc lia --seed 18446744073709551615 --seeds 2",
        "2 seeds from 18446744073709551615 on do not exist: the largest seed is 18446744073709551615",
    ),
    ("advise FILE --set seed=18446744073709551612 --seeds 5", "5 seeds from 18446744073709551612 on"),
    ("compare FILE --cc lia --jobs 100000", "for '--jobs <N>': 100000 is not in 1..="),
    ("compare FILE --cc lia --jobs 0", "for '--jobs <N>': 0 is not in 1..="),
    // At its option, and not in a generated file.
    ("sweep FILE --vary 'queue=1 BDP,2 BDP'", "write links.*.queue for every link"),
    ("sweep FILE --vary cc=lia", "write --cc lia,olia"),
    (
        "sweep FILE --vary 'links.*.queue=1 BDP,5 parsec'",
        "--vary links.*.queue: runs `sweep`: the scenario at queue = 5 parsec",
    ),
    ("sweep FILE --cc lia,lai", "--cc: "),
    (
        "sweep FILE --set tcp.initial_window=4 --vary 'flows.*.tcp.initial_window=4,10'",
        "`--vary flows.*.tcp.initial_window` replaces the value of `--set tcp.initial_window`: leave one out",
    ),
    (
        "sweep FILE --duration '30 s' --vary 'duration=30 s,40 s'",
        "`--vary duration` replaces the value of `--duration`",
    ),
    (
        "sweep FILE --vary 'links.dsl.queue=3 BDP' --vary 'links.*.queue=1 BDP,2 BDP'",
        "`--vary links.*.queue` replaces the value of `--vary links.dsl.queue`",
    ),
    (
        "sweep FILE --vary flows.bonded.cc=lia,olia --cc reno",
        "`--cc` replaces the value of `--vary flows.bonded.cc`",
    ),
    ("sweep FILE --vary tcp.mss=500,1000 --vary 'flows.*.tcp.mss=700'", "`flows.*.tcp.mss` is varied twice"),
    ("sweep FILE --cc lia --set seed=7", "`seed` has no effect here: the command chooses the seeds"),
    ("sweep FILE --name a/b", "`a/b` cannot be the name of the sweep's files"),
    ("sweep FILE --cc uncoupled-cubic", "uncoupled-cubic"),
    ("ideal FILE --queue 2", "from 0 to 1"),
    ("ideal nowhere.toml", "cannot read nowhere.toml"),
    ("advise scenarios/dumbbell.toml", "no flow with several paths"),
    ("advise scenarios/dumbbell.toml", "anabranch compare"),
    ("advise FILE --flow bondd", "did you mean `bonded`?"),
    ("advise FILE --cc lia,oila", "unknown algorithm `oila`"),
    ("advise FILE --cc bonded=lia", "`bonded=lia` names a flow: `--cc` of advise is for bonded alone"),
    ("advise FILE --buffers '2 frames'", "`frames` is not a unit of queue length"),
    // A backup carries nothing while the other path works.
    ("advise FILE --set flows.bonded.backup=[2]", "path 2 of bonded is a backup: coupling changes nothing"),
    (
        "advise FILE --set 'flows.bonded.paths=[[\"fibre\"], [\"dsl\"], [\"dsl\"], [\"dsl\"]]' \
         --set 'flows.bonded.backup=[2, 3, 4]'",
        "paths 2, 3 and 4 of bonded are backups: coupling changes nothing",
    ),
    ("run FILE --pcap x --links cable", "unknown link `cable` help: known: fibre, dsl"),
    ("run FILE --pcap .", "cannot write .: it is a directory"),
    ("run FILE --pcap /nowhere/x", "cannot write /nowhere/x"),
    ("run FILE --pcap x --links dsl --backend guest-6.12", "work only with the simulator"),
    ("run FILE --pcap x --snap 0 --backend guest-6.12", "work only with the simulator"),
    ("run FILE --links dsl", "--pcap <FILE>"),
    ("run FILE --plot=/nowhere/x.svg --duration '1000000 s'", ": the folder /nowhere does not exist"),
    ("run FILE --traffic iperf3", "`--backend kernel`"),
    ("run FILE --backend ns3", "sim, kernel"),
    ("paper", "<PAPER,…>"),
    ("paper all --quick --full", "cannot be used with"),
    ("paper coupled", "unknown paper `coupled`"),
    ("paper all,coupled --quick --only Z-1 --out x", "unknown paper `coupled`"),
    ("paper all --only Z-1 --out x", "A has no experiment `Z-1`"),
    ("paper all --only Z-1 --out x", "B-T1"),
    // Each names the command for the other.
    ("run STUDY", "run it with `anabranch study FILE`"),
    ("sweep STUDY --cc lia", "run it with `anabranch study FILE`"),
    ("compare STUDY --cc lia", "run it with `anabranch study FILE`"),
    ("check STUDY", "run it with `anabranch study FILE`"),
    ("study SCENARIO", "run it with `anabranch run FILE`"),
    ("study check SCENARIO", "run it with `anabranch run FILE`"),
    ("study no-such.toml", "no-such.toml"),
    ("study STUDY --at cc", "AXIS=VALUE"),
    ("cc show cubick", "did you mean `cubic`?"),
    ("cc show tahoe", "known: reno"),
    ("cc report lai", "did you mean `lia`?"),
    ("cc report all lai --quick --seeds 1 --out x", "did you mean `lia`?"),
    ("trace lte --duration='0.5 s'", "--duration"),
    ("trace lte --duration '2 h'", "--duration"),
    ("trace lte --duration 10", "--duration"),
    ("trace lte --duration='-1 s'", "--duration"),
    ("trace lte --duration nan", "--duration"),
    ("kernel load", "<NAME>..."),
    ("kernel load lai", "unknown algorithm `lai`"),
    ("kernel unload lai", "did you mean `lia`?"),
    ("kernel use lai", "did you mean `lia`?"),
    ("kernel status --cost 0", "0 is not in 1..=3600"),
    ("completions cmd", "invalid value 'cmd'"),
    ("check /dev/zero", "larger than 64 MB"),
];

#[test]
fn command_lines() {
    let [study, scenario] = ["studies/examples/buffer-and-delay.toml", "studies/examples/two-links.toml"];
    for (line, said) in MISTAKES {
        let line = line.replace("FILE", TWO_PATHS).replace("STUDY", study).replace("SCENARIO", scenario);
        let message = typed(&line).fails(2);
        assert!(message.contains(said), "{line}: `{said}` is not in: {message}");
        assert!(!message.contains("--print-study"), "{line}: {message}");
    }
    assert!(!root().join("x").exists());
}

/// No unit stands after the number, or another argument is the mistake: no tip is better than a wrong one.
#[test]
fn wrong_tips_are_not_given() {
    for (options, tip) in [
        ("--seed 7 lia --json", "in quotes"),
        ("--fast --duration 30 s", "in quotes"),
        ("--seed 7 other.toml", "tip:"),
    ] {
        let said = typed(&format!("run {TWO_PATHS} {options}")).fails(2);
        assert!(!said.contains(tip), "{options}: {said}");
    }
}

#[test]
fn files() {
    let dir = folder();
    let latin = dir.write("latin-1.toml", b"# two\nname = \"caf\xe9\"");
    for (file, said) in
        [(dir.at("missing.toml"), "No such file"), (dir.at("."), "directory"), (latin, "line 2 is not UTF-8")]
    {
        for command in ["run", "check"] {
            anabranch([command, &file]).refused(["cannot read", said]);
        }
    }
    // A directory that cannot be made.
    let out = format!("{}/out", dir.write("file", ""));
    anabranch(["run", TWO_PATHS, "--out", &out]).refused(["cannot write"]);
}

/// A mistake in the scenario, made by a replacement in a good one, is shown with its line. The tests of the scenario's crate have the
/// other mistakes.
#[test]
fn scenarios() {
    let good = fs::read_to_string(root().join(TWO_PATHS)).unwrap();
    for (part, mistake, said) in [
        ("rate = \"100 Mbit/s\"", "rate = \"100 parsec\"", "parsec"),
        ("rate = \"100 Mbit/s\"", "rate = \"100 Mbit/s", "string"),
        ("paths = [[\"dsl\"]]", "paths = [[\"dls\"]]", "did you mean `dsl`?"),
    ] {
        let bad = good.replacen(part, mistake, 1);
        let line = bad.lines().zip(good.lines()).position(|(a, b)| a != b);
        let line = line.unwrap_or_else(|| panic!("`{part}` is not in the scenario")) + 1;
        for command in ["check", "run"] {
            anabranch_reading(&bad, [command, "-"]).refused([said, &format!("standard input:{line}")]);
        }
    }
    anabranch_reading("", ["check", "-"]).refused(["missing"]);
    anabranch_reading("name = 1", ["ideal", "-"]).refused(["name"]);
}

/// 100 windows of 1 GiB under way in a queue of 1 TB: refused before it is simulated, unless the user says that it may.
#[test]
fn memory_is_asked_for() {
    let large = "--duration '1000 s' --set 'links.dsl.rate=100 Gbit/s' --set 'links.dsl.queue=1000 GB' \
                 --set flows.neighbour.count=100";
    for command in ["run", "check", "compare --cc lia"] {
        typed(&format!("{command} {TWO_PATHS} {large}")).refused(["GB of memory", "--yes"]);
    }
    has(&typed(&format!("check {TWO_PATHS} --yes {large}")).ok(), ["of memory"]);
    // The project's own scenarios need much less.
    has(&anabranch(["check", TWO_PATHS]).ok(), [" MB of memory"]);
}

/// The estimate is an upper one: a run that fills a long queue has enough with it, and 300 MB for the program itself.
#[test]
fn memory_is_enough() {
    let args = format!(
        "{TWO_PATHS} --duration '3 s' --set 'warmup=0 s' --set 'links.dsl.queue=100 MB' --set 'links.dsl.rate=1 Gbit/s'"
    );
    let page = typed(&format!("check {args}")).ok();
    let estimate = page.split_once(" MB of memory").unwrap().0.rsplit(' ').next().unwrap();
    let limit_kb = (estimate.parse::<f64>().unwrap() * 1e3 + 300e3) as u64;
    let run = format!("ulimit -v {limit_kb}; exec '{}' run {args}", binary().display());
    outcome(Command::new("sh").args(["-c", &run]).current_dir(root())).done();
}

/// Sequences in a file or its name that would affect the terminal are spelled out; JSON stays the same data.
#[test]
fn the_terminal_is_safe() {
    let text = fs::read_to_string(root().join(TWO_PATHS)).unwrap();
    let text = text.replacen("name = \"", "name = \"\\u001b[31m\\u202e", 1);
    let short = ["--duration", "100 ms", "--set", "warmup=0 s"];
    for command in
        [&["run", "-"] as &[&str], &["check", "-"], &["compare", "-", "--cc", "lia"], &["run", "-", "--json"]]
    {
        let shown = anabranch_reading(&text, [command, &short].concat()).ok();
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown:?}");
        if command.contains(&"--json") {
            let json: Value = serde_json::from_str(&shown).unwrap();
            assert!(json["scenario"].as_str().unwrap().starts_with("\u{1b}[31m\u{202e}"));
        }
    }
    for args in [["check", "no\u{1b}[31m\u{202e}file"], ["run", "--no\u{1b}[31m\u{202e}"]] {
        let said = anabranch(args).refused(["\\u{202e}"]);
        assert!(!said.contains(['\u{1b}', '\u{202e}']), "{said:?}");
    }
}

/// Without multipath flows, `--cc` is the algorithm of every flow.
#[test]
fn algorithms_of_single_path_flows() {
    let dumbbell = "scenarios/dumbbell.toml --duration '2 s' --set 'warmup=0 s'";
    let run = typed(&format!("run {dumbbell} --cc cubic --json")).json();
    let flows = run["flows"].as_array().unwrap();
    assert!(flows.len() > 1 && flows.iter().all(|flow| flow["cc"] == "cubic"), "{run}");
    let out = folder();
    let page = typed(&format!("sweep {dumbbell} --cc reno,cubic --seeds 1 --out {}", out.at("out"))).ok();
    assert!(page.lines().any(|line| line.trim_start().starts_with("cubic")), "{page}");
}

/// A valid scenario that is probably not meant.
#[test]
fn warnings() {
    let page = anabranch(["check", TWO_PATHS, "--set", "flows.bonded.backup=[1, 2]"]).ok();
    has(&page, ["Warning: bonded: every path is a backup"]);
    assert!(!anabranch(["check", TWO_PATHS]).ok().contains("Warning"));
    let dir = folder();
    for command in ["run", "sweep"] {
        let out = format!("--out={}", dir.at(command));
        let slow = ["--cc=reno", "--duration=11 s", "--set=links.dsl.rate=500 bit/s", &out];
        has(
            &anabranch([&[command, TWO_PATHS][..], &slow].concat()).stderr,
            ["Note: dsl: its rate is 500 bit/s"],
        );
    }
}

#[test]
fn arguments_that_are_not_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.toml");
    anabranch(["run".as_ref(), "--fast".as_ref(), name]).refused(["--fast"]);
    anabranch(["run".as_ref(), name]).refused(["cannot read caf"]);
}
