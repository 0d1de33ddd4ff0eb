//! Bad input: each mistake is named on stderr, with exit status 2 and nothing on stdout.

use anabranch_test_support::command::{TWO_PATHS, anabranch, anabranch_reading, root, words};
use std::fs;

#[test]
fn command_lines() {
    for (args, said) in [
        (vec![], "Usage"),
        (vec!["fly"], "unrecognized subcommand"),
        (vec!["run"], "<FILE>"),
        (vec!["run", TWO_PATHS, "--fast"], "--fast"),
        (vec!["run", TWO_PATHS, "--seed", "-1"], "a seed is a whole number from 0 to 18446744073709551615"),
        (vec!["run", TWO_PATHS, "--seed", "1.5"], "a seed is a whole number"),
        (vec!["run", TWO_PATHS, "--plot", "out.svg"], "tip: write --plot=out.svg"),
        (
            vec!["run", TWO_PATHS, "--plot", "--size", "single"],
            "tip: an option of `plot`: anabranch run FILE --out DIR, then anabranch plot DIR --size …",
        ),
        (vec!["run", TWO_PATHS, "--cc", "lia,", "olia"], "no space after the comma: --cc lia,olia"),
        (
            vec!["run", TWO_PATHS, "--set", "links.dsl.rate=10", "Mbit/s"],
            "put the value in quotes: --set 'links.dsl.rate=10 Mbit/s'",
        ),
        (vec!["run", "--duration", "30", "s", TWO_PATHS], "put the value in quotes: --duration '30 s'"),
        (
            vec!["sweep", "--vary=links.dsl.queue=1", "BDP", TWO_PATHS],
            "put the value in quotes: '--vary=links.dsl.queue=1 BDP'",
        ),
        (vec!["run", TWO_PATHS, "--seeds", "5"], "anabranch compare FILE --cc CC --seeds N"),
        (vec!["run", TWO_PATHS, "--cc", "lia,olia"], "`anabranch compare` and `sweep` take a list"),
        (vec!["run", TWO_PATHS, "--format", "csv"], "--out"),
        (vec!["run", TWO_PATHS, "--out", "x", "--format", "xls"], "parquet, csv"),
        (vec!["compare", TWO_PATHS], "--cc"),
        (vec!["compare", TWO_PATHS, "--cc", ""], "a value is required"),
        (vec!["compare", TWO_PATHS, "--cc", "lia,"], "unknown algorithm"),
        (vec!["compare", TWO_PATHS, "--cc", "lia,{name=\"lia\", beta=1}"], "lia has no parameter `beta`"),
        (vec!["run", TWO_PATHS, "--cc", ""], "a value is required"),
        (vec!["run", TWO_PATHS, "--set", ""], "a value is required"),
        (vec!["paper"], "<PAPER,…>"),
        (vec!["paper", "all", "--quick", "--full"], "cannot be used with"),
        (vec!["paper", "coupled"], "unknown paper `coupled`"),
        (vec!["cc", "show", "cubick"], "did you mean `cubic`?"),
        (vec!["cc", "show", "tahoe"], "known: reno"),
        (vec!["cc", "report", "lai"], "did you mean `lia`?"),
        (vec!["completions", "cmd"], "invalid value 'cmd'"),
    ] {
        let stderr = anabranch(&args).fails(2);
        assert!(stderr.contains(said), "{args:?}: `{said}` is not in: {stderr}");
    }
}

/// No unit stands after the number, or another argument is the mistake.
#[test]
fn values_without_a_space_get_no_tip() {
    for args in [["--seed", "7", "lia", "--json"], ["--fast", "--duration", "30", "s"]] {
        let stderr = anabranch([&["run", TWO_PATHS], &args[..]].concat()).fails(2);
        assert!(!stderr.contains("in quotes"), "{args:?}: {stderr}");
    }
}

#[test]
fn files() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let latin = dir.join("latin-1.toml");
    fs::write(&latin, b"# two\nname = \"caf\xe9\"").unwrap();
    for (file, said) in [
        (dir.join("missing.toml"), "No such file"),
        (dir.to_owned(), "directory"),
        (latin, "line 2 is not UTF-8"),
    ] {
        for command in ["run", "check"] {
            let stderr = anabranch([command.as_ref(), file.as_os_str()]).fails(2);
            assert!(stderr.contains("cannot read") && stderr.contains(said), "{stderr}");
        }
    }
    // A directory that cannot be made.
    let file = dir.join("file");
    fs::write(&file, "").unwrap();
    let stderr = anabranch(["run", TWO_PATHS, "--out", file.join("out").to_str().unwrap()]).fails(2);
    assert!(stderr.contains("cannot write"), "{stderr}");
}

/// Mistakes in the scenario, each made by a replacement in a good one: the message, and the line that it names.
#[test]
fn scenarios() {
    let good = fs::read_to_string(root().join(TWO_PATHS)).unwrap();
    for (part, mistake, said) in [
        ("rate = \"100 Mbit/s\"", "rate = \"100 parsec\"", "parsec"),
        ("rate = \"100 Mbit/s\"", "rate = \"0 Mbit/s\"", "rate"),
        ("rate = \"100 Mbit/s\"", "rate = \"-5 Mbit/s\"", "rate"),
        ("rate = \"100 Mbit/s\"", "rate = \"100 Mbit/s", "string"),
        ("rate = \"100 Mbit/s\"", "speed = \"100 Mbit/s\"", "unknown key `speed`"),
        ("delay = \"10 ms\"", "delay = \"-10 ms\"", "delay"),
        ("delay = \"10 ms\"", "delay = \"10\"", "delay"),
        ("queue = \"100 packets\"", "queue = \"0 packets\"", "queue"),
        ("rate = 1e-6", "rate = 1.5", "1.5"),
        ("rate = 1e-6", "rate = -0.1", "-0.1"),
        ("duration = \"60 s\"", "duration = \"0 s\"", "duration"),
        ("cc = \"reno\"", "cc = \"reeno\"", "did you mean `reno`?"),
        ("paths = [[\"dsl\"]]", "paths = [[\"dls\"]]", "did you mean `dsl`?"),
        ("paths = [[\"dsl\"]]", "paths = []", "path"),
    ] {
        let bad = good.replacen(part, mistake, 1);
        assert_ne!(bad, good, "{part} is not in the scenario");
        let line = bad.lines().zip(good.lines()).position(|(a, b)| a != b).unwrap() + 1;
        for command in ["check", "run"] {
            let stderr = anabranch_reading(&bad, [command, "-"]).fails(2);
            assert!(stderr.contains(said), "{mistake}: `{said}` is not in: {stderr}");
            assert!(
                stderr.contains(&format!("standard input:{line}")),
                "{mistake}: line {line} is not in: {stderr}"
            );
        }
    }
    assert!(anabranch_reading("", ["check", "-"]).fails(2).contains("missing"));
}

#[test]
fn changes() {
    for (options, said) in [
        (["--set", "links.dsl.rat=5 Mbit/s"], "did you mean `rate`?"),
        (["--set", "links.dls.rate=5 Mbit/s"], "did you mean `dsl`?"),
        (["--set", "links.dsl.rate"], "KEY=VALUE"),
        (["--set", "flows.bonded.start=soon"], "soon"),
        (["--cc", "lai"], "did you mean `lia`?"),
        (["--cc", "bondd=lia"], "did you mean `bonded`?"),
        (["--duration", "0 s"], "duration"),
        (["--duration", "sixty"], "sixty"),
    ] {
        let stderr = anabranch([["run", TWO_PATHS], options].concat()).fails(2);
        assert!(stderr.contains(said), "{options:?}: `{said}` is not in: {stderr}");
    }
}

/// Numbers beyond reason are refused by name, before anything is allocated or started for them.
#[test]
fn limits() {
    for (option, value) in
        [("--seeds", "99999999999999"), ("--seeds", "0"), ("--jobs", "100000"), ("--jobs", "0")]
    {
        let said = anabranch(["compare", TWO_PATHS, "--cc", "lia", option, value]).fails(2);
        assert!(said.contains(option) && said.contains("is not in 1..="), "{said}");
    }
    let said = anabranch(["check", "/dev/zero"]).fails(2);
    assert!(said.contains("larger than 64 MB"), "{said}");
}

/// 100 windows of 1 GiB under way in a queue of 1 TB: refused before it is simulated, unless the user says that it may.
#[test]
fn memory_is_asked_for() {
    let large = "--duration '1000 s' --set 'links.dsl.rate=100 Gbit/s' --set 'links.dsl.queue=1000 GB' \
                 --set flows.neighbour.count=100";
    for command in ["run", "check", "compare --cc lia"] {
        let said = anabranch(words(&format!("{command} {TWO_PATHS} {large}"))).fails(2);
        assert!(said.contains("GB of memory") && said.contains("--yes"), "{said}");
    }
    let page = anabranch(words(&format!("check {TWO_PATHS} --yes {large}"))).ok();
    assert!(page.contains("of memory"), "{page}");
    // The project's own scenarios need much less.
    assert!(anabranch(["check", TWO_PATHS]).ok().contains(" MB of memory"));
}

/// The estimate is an upper one: a run that fills a long queue has enough with it, and 300 MB for the program itself.
#[test]
fn memory_is_enough() {
    let args = format!(
        "{TWO_PATHS} --duration '3 s' --set 'warmup=0 s' --set 'links.dsl.queue=100 MB' --set 'links.dsl.rate=1 Gbit/s'"
    );
    let page = anabranch(words(&format!("check {args}"))).ok();
    let line = page.lines().find(|line| line.contains("of memory")).unwrap();
    let words: Vec<&str> = line.split(' ').collect();
    let at = words.iter().position(|word| *word == "MB").unwrap();
    let limit_kb = (words[at - 1].parse::<f64>().unwrap() * 1e3 + 300e3) as u64;
    let run = format!("ulimit -v {limit_kb}; exec '{}' run {args}", env!("CARGO_BIN_EXE_anabranch"));
    let output = std::process::Command::new("sh").args(["-c", &run]).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{limit_kb} kB: {}", String::from_utf8_lossy(&output.stderr));
}

/// Sequences in a file or its name that would affect the terminal are spelled out; JSON stays the same data.
#[test]
fn the_terminal_is_safe() {
    let text = std::fs::read_to_string(anabranch_test_support::command::root().join(TWO_PATHS)).unwrap();
    let text = text.replacen("name = \"", "name = \"\\u001b[31m\\u202e", 1);
    let short = ["--duration", "100 ms", "--set", "warmup=0 s"];
    for command in
        [&["run", "-"] as &[&str], &["check", "-"], &["compare", "-", "--cc", "lia"], &["run", "-", "--json"]]
    {
        let shown =
            anabranch_test_support::command::anabranch_reading(&text, [command, &short].concat()).ok();
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown:?}");
        if command.contains(&"--json") {
            let json: serde_json::Value = serde_json::from_str(&shown).unwrap();
            assert!(json["scenario"].as_str().unwrap().starts_with("\u{1b}[31m\u{202e}"));
        }
    }
    for args in [["check", "no\u{1b}[31m\u{202e}file"], ["run", "--no\u{1b}[31m\u{202e}"]] {
        let said = anabranch(args).fails(2);
        assert!(!said.contains(['\u{1b}', '\u{202e}']) && said.contains("\\u{202e}"), "{said:?}");
    }
}

/// What `sweep` refuses, at its option and not in a generated file.
#[test]
fn sweeps() {
    for (options, said) in [
        (&["--vary", "queue=1 BDP,2 BDP"][..], "write links.*.queue for every link"),
        (&["--vary", "cc=lia"], "write --cc lia,olia"),
        (
            &["--vary", "links.*.queue=1 BDP,5 parsec"],
            "--vary links.*.queue: runs `sweep`: the scenario at queue = 5 parsec",
        ),
        (&["--cc", "lia,lai"], "--cc: "),
        (&["--cc", "uncoupled-cubic"], "uncoupled-cubic"),
    ] {
        let stderr = anabranch([&["sweep", TWO_PATHS], options].concat()).fails(2);
        assert!(stderr.contains(said), "{options:?}: `{said}` is not in: {stderr}");
        assert!(!stderr.contains("--print-study"), "{options:?}: {stderr}");
    }
}

/// Without multipath flows, `--cc` is the algorithm of every flow.
#[test]
fn algorithms_of_single_path_flows() {
    let dumbbell = ["scenarios/dumbbell.toml", "--duration", "2 s", "--set", "warmup=0 s"];
    let run = anabranch([&["run"], &dumbbell[..], &["--cc", "cubic", "--json"]].concat()).json();
    let flows = run["flows"].as_array().unwrap();
    assert!(flows.len() > 1 && flows.iter().all(|flow| flow["cc"] == "cubic"), "{run}");
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let sweep = ["--cc", "reno,cubic", "--seeds", "1", "--out", out];
    let page = anabranch([&["sweep"], &dumbbell[..], &sweep].concat()).ok();
    assert!(page.lines().any(|line| line.trim_start().starts_with("cubic")), "{page}");
}

/// No tip is better than a wrong one.
#[test]
fn an_argument_too_many_may_be_anything() {
    let said = anabranch(["run", TWO_PATHS, "--seed", "7", "other.toml"]).fails(2);
    assert!(!said.contains("tip:"), "{said}");
}

/// A valid scenario that is probably not meant.
#[test]
fn warnings() {
    let page = anabranch(["check", TWO_PATHS, "--set", "flows.bonded.backup=[1, 2]"]).ok();
    assert!(page.contains("Warning: bonded: every path is a backup"), "{page}");
    assert!(!anabranch(["check", TWO_PATHS]).ok().contains("Warning"));
    let dir = tempfile::tempdir().unwrap();
    for command in ["run", "sweep"] {
        let out = format!("--out={}", dir.path().join(command).display());
        let slow = ["--cc=reno", "--duration=11 s", "--set=links.dsl.rate=500 bit/s", &out];
        let said = anabranch([&[command, TWO_PATHS][..], &slow].concat()).stderr;
        assert!(said.contains("Note: dsl: its rate is 500 bit/s"), "{said}");
    }
}

/// Names of files need not be UTF-8.
#[test]
fn arguments_that_are_not_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.toml");
    let stderr = anabranch(["run".as_ref(), "--fast".as_ref(), name]).fails(2);
    assert!(stderr.contains("--fast"), "{stderr}");
    let stderr = anabranch(["run".as_ref(), name]).fails(2);
    assert!(stderr.contains("cannot read caf"), "{stderr}");
}
