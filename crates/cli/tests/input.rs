//! Bad input: each mistake is named on stderr, with exit status 2 and nothing on stdout.

mod common;

use common::{TWO_PATHS, anabranch, anabranch_reading, root};
use std::fs;

#[test]
fn command_lines() {
    for (args, said) in [
        (vec![], "Usage"),
        (vec!["fly"], "unrecognized subcommand"),
        (vec!["run"], "<FILE>"),
        (vec!["run", TWO_PATHS, "--fast"], "--fast"),
        (vec!["run", TWO_PATHS, "--seed", "-1"], "--seed"),
        (vec!["run", TWO_PATHS, "--seed", "1.5"], "invalid digit"),
        (vec!["run", TWO_PATHS, "--format", "csv"], "--out"),
        (vec!["run", TWO_PATHS, "--out", "x", "--format", "xls"], "parquet, csv"),
        (vec!["compare", TWO_PATHS], "--cc"),
        (vec!["compare", TWO_PATHS, "--cc", ""], "a value is required"),
        (vec!["compare", TWO_PATHS, "--cc", "lia,"], "a value is required"),
        (vec!["run", TWO_PATHS, "--cc", ""], "a value is required"),
        (vec!["run", TWO_PATHS, "--set", ""], "a value is required"),
        (vec!["compare", TWO_PATHS, "--cc", "lia", "--seeds", "0"], "--seeds"),
        (vec!["compare", TWO_PATHS, "--cc", "lia", "--jobs", "0"], "--jobs"),
        (vec!["paper"], "<PAPER,…>"),
        (vec!["paper", "all", "--quick", "--full"], "cannot be used with"),
        (vec!["paper", "coupled"], "unknown paper `coupled`"),
        (vec!["cc", "show", "cubick"], "did you mean `cubic`?"),
        (vec!["cc", "show", "tahoe"], "there are: reno"),
        (vec!["completions", "cmd"], "invalid value 'cmd'"),
    ] {
        let stderr = anabranch(&args).fails(2);
        assert!(stderr.contains(said), "{args:?}: `{said}` is not in: {stderr}");
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

/// Mistakes in the scenario, each made by replacing a part of a good one: what is said, and the line it is
/// said of.
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
