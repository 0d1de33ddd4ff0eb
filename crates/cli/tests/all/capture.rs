//! `anabranch run --pcap`: where the capture goes, and what is refused. The tests of its crate check its content.

use anabranch_test_support::command::{TWO_PATHS, anabranch, command, names, root, scratch, short, signal};
use rustix::process::Signal;
use std::fs;
use std::process::{Command, Stdio};

#[test]
fn the_capture_is_whole_or_is_not() {
    let (folder, path) = scratch("run.pcapng");
    let name = path.to_str().unwrap();
    let ended = anabranch(short("run", &["--pcap", name, "--links", "dsl"]));
    // Before the run.
    assert!(ended.stderr.contains("run.pcapng may grow to about"), "{}", ended.stderr);
    assert_eq!(ended.status, 0);
    let said = ended.stdout;
    assert!(said.contains(&format!("Wrote\n  {name}")), "{said}");
    let bytes = fs::read(&path).unwrap();
    // The type of a section header.
    assert_eq!(&bytes[..4], b"\n\r\r\n");
    assert!(bytes.len() > 100_000);

    let why = anabranch(short("run", &["--pcap", "/dev/full"]));
    assert_eq!(why.status, 2, "{}", why.stderr);
    assert!(why.stderr.contains("No space left"), "{}", why.stderr);
    // The summary is printed anyway.
    assert!(why.stdout.contains("bonded"));
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["run.pcapng"]);
}

#[test]
fn impossible_captures_are_refused() {
    for (options, said) in [
        (&["--pcap", "x", "--links", "cable"][..], "unknown link `cable` help: known: fibre, dsl"),
        (&["--pcap", "."], "cannot write .: it is a directory"),
        (&["--pcap", "/nowhere/x"], "cannot write /nowhere/x"),
        (&["--pcap", "x", "--links", "dsl", "--backend", "guest-6.12"], "work only with the simulator"),
        (&["--pcap", "x", "--snap", "0", "--backend", "guest-6.12"], "work only with the simulator"),
        (&["--links", "dsl"], "--pcap <FILE>"),
    ] {
        let why = anabranch(short("run", options)).fails(2);
        assert!(why.contains(said), "{options:?}: {why}");
    }
}

/// Files that the run reads stay, by any name, and so do files that this command would not have made; its own files are replaced.
#[test]
fn files_of_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let scenario = at("s.toml");
    let text = fs::read_to_string(root().join(TWO_PATHS)).unwrap();
    fs::write(&scenario, &text).unwrap();
    fs::hard_link(&scenario, at("same.svg")).unwrap();
    let run = |more: &[&str]| {
        let args = ["run", &scenario, "--duration", "2 s", "--set", "warmup=0 s"];
        anabranch([&args[..], more].concat())
    };
    for option in [format!("--pcap={scenario}"), format!("--plot={}", at("same.svg"))] {
        for more in [&[][..], &["--replace"]] {
            let said = run(&[&[&*option], more].concat()).fails(2);
            assert!(said.contains("which the command reads"), "{option}: {said}");
        }
    }
    for (option, file, mine) in
        [("--pcap", at("x.pcapng"), "mine"), ("--plot", at("x.svg"), "<svg>mine</svg>")]
    {
        fs::write(&file, mine).unwrap();
        let said = run(&[&format!("{option}={file}")]).fails(2);
        assert!(said.contains("this command did not write it") && said.contains("--replace"), "{said}");
        assert_eq!(fs::read_to_string(&file).unwrap(), mine);
        assert_eq!(run(&[&format!("{option}={file}"), "--replace"]).status, 0);
        let own = fs::read(&file).unwrap();
        // The same command again needs nothing.
        assert_eq!(run(&[&format!("{option}={file}")]).status, 0);
        assert!(own == fs::read(&file).unwrap());
    }
    for file in ["y.png", "y.html"].map(at) {
        run(&[&format!("--plot={file}")]).ok();
        run(&[&format!("--plot={file}")]).ok();
    }
    assert_eq!(fs::read_to_string(&scenario).unwrap(), text);
    assert_eq!(names(folder.path()), ["s.toml", "same.svg", "x.pcapng", "x.svg", "y.html", "y.png"]);
}

/// A partial run goes beside a whole file, under a name that says so.
#[test]
fn a_part_takes_no_whole_files_name() {
    let folder = tempfile::tempdir().unwrap();
    let [pcap, svg] = ["x.pcapng", "x.svg"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    let outputs = ["--pcap".to_owned(), pcap.clone(), format!("--plot={svg}")];
    assert_eq!(anabranch(short("run", &outputs.each_ref().map(String::as_str))).status, 0);
    let whole = [&pcap, &svg].map(|file| fs::read(file).unwrap());
    for (round, interrupted) in [(1, false), (2, true), (3, true)] {
        let long = ["run", TWO_PATHS, "--duration", "100000 s"];
        let mut child = command();
        let mut child = child.args(long).args(&outputs).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(1500));
        match interrupted {
            true => signal(&child, Signal::INT),
            // The next command removes its leftovers.
            false => child.kill().unwrap(),
        }
        let status = child.wait().unwrap();
        assert_eq!(status.code(), interrupted.then_some(130), "{round}");
        assert!(whole == [&pcap, &svg].map(|file| fs::read(file).unwrap()), "{round}");
    }
    let expected =
        ["x.pcapng", "x.pcapng.partial", "x.pcapng.partial-2", "x.svg", "x.svg.partial", "x.svg.partial-2"];
    assert_eq!(names(folder.path()), expected);
}

/// A limit of the size of files is a disk that is full.
#[test]
fn a_file_beyond_the_limit_is_a_failed_write() {
    let folder = tempfile::tempdir().unwrap();
    let limited = |more: &str| {
        let run = format!("ulimit -f 400; exec \"$0\" run {TWO_PATHS} --duration '12 s' {more}");
        let mut shell = Command::new("sh");
        shell.args(["-c", &run, env!("CARGO_BIN_EXE_anabranch")]).current_dir(root());
        let output = shell.env("ANABRANCH_PROGRESS_SECONDS", "0").output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("File too large"), "{said}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("bonded"), "the summary is printed");
    };
    let at = |name: &str| folder.path().join(name).display().to_string();
    limited(&format!("--pcap {}", at("x.pcapng")));
    limited(&format!("--format csv --set record.interval='\"1 ms\"' --out {}", at("out")));
    assert_eq!(names(folder.path()), [""; 0]);
}

/// The connection with the most data comes first, and short ones beside it are only counted. The record has all.
#[test]
fn short_connections_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (scenario, pcap) = (at("s.toml"), at("s.pcapng"));
    let text = |sizes: [&str; 3]| {
        let flow = |(i, size): (usize, &str)| {
            format!(
                "[[flows]]\nname = \"f{i}\"\ncc = \"lia\"\npaths = [[\"a\"], [\"b\"]]\n\
                 application = {{ kind = \"bulk\", size = \"{size}\" }}\n"
            )
        };
        let flows: String = sizes.into_iter().enumerate().map(flow).collect();
        format!(
            "name = \"s\"\nduration = \"4 s\"\nlinks.a = {{ rate = \"10 Mbit/s\", delay = \"5 ms\" }}\n\
             links.b = {{ rate = \"5 Mbit/s\", delay = \"9 ms\" }}\n{flows}"
        )
    };
    let page = |sizes| {
        fs::write(&scenario, text(sizes)).unwrap();
        assert_eq!(anabranch(["run", &scenario, "--pcap", &pcap, "--replace"]).status, 0);
        anabranch(["capture", &pcap]).ok()
    };
    let said = page(["1 MB", "50 kB", "2 kB"]);
    let (large, middle) = (said.find(" 1000000 ").unwrap(), said.find(" 50000 ").unwrap());
    assert!(large < middle && !said.contains(" 2000 "), "{said}");
    assert!(said.contains("Not in the tables: 1 connection with less than 10 kB."), "{said}");
    let json: serde_json::Value =
        serde_json::from_str(&anabranch(["capture", &pcap, "--json"]).ok()).unwrap();
    let bytes: Vec<u64> =
        json["flows"].as_array().unwrap().iter().map(|f| f["delivered_bytes"].as_u64().unwrap()).collect();
    assert_eq!(bytes, [2_000, 50_000, 1_000_000]);

    let said = page(["4 kB", "3 kB", "2 kB"]);
    assert!(
        !said.contains("Not in the tables") && said.find(" 4000 ").unwrap() < said.find(" 2000 ").unwrap(),
        "{said}"
    );
}

/// A figure that a capture cannot have: the message says why, and which figures there are.
#[test]
fn a_capture_has_no_windows_to_draw() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (pcap, record, picture) = (at("run.pcapng"), at("record"), at("plot.svg"));
    assert_eq!(anabranch(short("run", &["--pcap", &pcap])).status, 0);
    anabranch(["capture", &pcap, "--out", &record]).ok();
    let plot = |figure: &str| anabranch(["plot", &record, "--figure", figure, "--out", &picture]);
    for (figure, why) in
        [("windows", "a capture has no congestion windows"), ("queue", "this record has no queues")]
    {
        let said = plot(figure).fails(2);
        assert!(said.contains(why) && said.contains("throughput"), "{said}");
    }
    plot("throughput").ok();
}

/// The 20th data segment is lost and retransmitted; the loss model counts neither the SYN nor the client's own ACK.
#[test]
fn a_trace_has_a_line_per_segment() {
    let folder = tempfile::tempdir().unwrap();
    let pcap = folder.path().join("p.pcapng").to_str().unwrap().to_owned();
    let loss = "links.path.loss={ model = \"listed\", packets = [20] }";
    let run = anabranch(["run", "scenarios/conformance/tcp.toml", "--set", loss, "--pcap", &pcap]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let trace = anabranch(["capture", &pcap, "--trace"]).ok();
    let lines: Vec<(&str, &str)> = trace.lines().map(|line| line.split_once(' ').unwrap()).collect();
    // The SYN takes 60 bytes at 10 Mbit/s and twice 20 ms, and so do the third packet and the request.
    let begin = [("0.0", "1 > syn"), ("40.0", "1 < syn"), ("80.1", "1 < request"), ("80.1", "1 > 0+1448")];
    assert_eq!(lines[..4], begin);
    let again: Vec<&str> =
        lines.iter().map(|(_, what)| *what).filter(|what| what.ends_with("again")).collect();
    assert_eq!(again, ["1 > 27512+1448 again"]);
    let first = lines.iter().filter(|(_, what)| what.contains('>') && what.contains('+')).count() - 1;
    assert_eq!(first, 100);
    let holes = lines.iter().filter(|(_, what)| what.starts_with("1 < 27512 28960-")).count();
    assert!(holes >= 3, "{trace}");
    assert_eq!(lines.iter().rev().find(|(_, what)| what.contains('<')).unwrap().1, "1 < 144800");
    anabranch(["capture", &pcap, "--trace", "--json"]).fails(2);
}
