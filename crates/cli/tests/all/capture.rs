//! `anabranch run --pcap`: where the capture goes, and what is refused. The tests of its crate check its content.

use anabranch_test_support::command::{
    TWO_PATHS, anabranch, binary, command, folder, has, outcome, root, short, signal, typed,
};
use rustix::process::Signal;
use std::fs;
use std::process::{Command, Stdio};

#[test]
fn the_capture_is_whole_or_is_not() {
    let folder = folder();
    let file = folder.at("run.pcapng");
    let ended = anabranch(short("run", &["--pcap", &file, "--links", "dsl"])).done();
    // Before the run.
    has(&ended.stderr, ["run.pcapng may grow to about"]);
    has(&ended.stdout, [format!("Wrote\n  {file}")]);
    let bytes = fs::read(&file).unwrap();
    // The type of a section header.
    assert_eq!(&bytes[..4], b"\n\r\r\n");
    assert!(bytes.len() > 100_000);

    let why = anabranch(short("run", &["--pcap", "/dev/full"])).ended(2);
    has(&why.stderr, ["No space left"]);
    // The summary is printed anyway.
    has(&why.stdout, ["bonded"]);
    assert_eq!(folder.names(), ["run.pcapng"]);
}

/// Files that the run reads stay, by any name, and so do files that this command would not have made; its own files are replaced.
#[test]
fn files_of_others_stay() {
    let folder = folder();
    let text = fs::read_to_string(root().join(TWO_PATHS)).unwrap();
    let scenario = folder.write("s.toml", &text);
    fs::hard_link(&scenario, folder.at("same.svg")).unwrap();
    let run = |more: &str| typed(&format!("run {scenario} --duration '2 s' --set 'warmup=0 s' {more}"));
    for option in [format!("--pcap={scenario}"), format!("--plot={}", folder.at("same.svg"))] {
        run(&option).refused(["which the command reads"]);
        run(&format!("{option} --replace")).refused(["which the command reads"]);
    }
    for (option, name, mine) in [("--pcap", "x.pcapng", "mine"), ("--plot", "x.svg", "<svg>mine</svg>")] {
        let file = folder.write(name, mine);
        let option = format!("{option}={file}");
        run(&option).refused(["this command did not write it", "--replace"]);
        assert_eq!(folder.read(name), mine);
        run(&format!("{option} --replace")).done();
        let own = fs::read(&file).unwrap();
        // The same command again needs nothing.
        run(&option).done();
        assert!(own == fs::read(&file).unwrap());
    }
    for name in ["y.png", "y.html"] {
        let option = format!("--plot={}", folder.at(name));
        run(&option).ok();
        run(&option).ok();
    }
    assert_eq!(folder.read("s.toml"), text);
    assert_eq!(folder.names(), ["s.toml", "same.svg", "x.pcapng", "x.svg", "y.html", "y.png"]);
}

/// A partial run goes beside a whole file, under a name that says so.
#[test]
fn a_part_takes_no_whole_files_name() {
    let folder = folder();
    let [pcap, svg] = ["x.pcapng", "x.svg"].map(|name| folder.at(name));
    let outputs = [format!("--pcap={pcap}"), format!("--plot={svg}")];
    anabranch(short("run", &outputs.each_ref().map(String::as_str))).done();
    let whole = [&pcap, &svg].map(|file| fs::read(file).unwrap());
    for (round, interrupted) in [(1, false), (2, true), (3, true)] {
        let mut long = command();
        long.args(["run", TWO_PATHS, "--duration", "100000 s"]).args(&outputs);
        let mut child = long.stderr(Stdio::null()).spawn().unwrap();
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
    assert_eq!(folder.names(), expected);
}

/// A limit of the size of files is a disk that is full.
#[test]
fn a_file_beyond_the_limit_is_a_failed_write() {
    let folder = folder();
    let limited = |more: &str| {
        let run = format!("ulimit -f 400; exec \"$0\" run {TWO_PATHS} --duration '12 s' {more}");
        let mut shell = Command::new("sh");
        shell.args(["-c", &run]).arg(binary()).current_dir(root()).env("ANABRANCH_PROGRESS_SECONDS", "0");
        let ended = outcome(&mut shell).ended(2);
        has(&ended.stderr, ["File too large"]);
        // The summary is printed.
        has(&ended.stdout, ["bonded"]);
    };
    limited(&format!("--pcap {}", folder.at("x.pcapng")));
    limited(&format!("--format csv --set record.interval='\"1 ms\"' --out {}", folder.at("out")));
    assert_eq!(folder.names(), [""; 0]);
}

/// The connection with the most data comes first, and short ones beside it are only counted. The record has all.
#[test]
fn short_connections_are_counted() {
    let folder = folder();
    let pcap = folder.at("s.pcapng");
    let page = |sizes: [&str; 3]| {
        let flow = |(i, size): (usize, &str)| {
            format!(
                "[[flows]]\nname = \"f{i}\"\ncc = \"lia\"\npaths = [[\"a\"], [\"b\"]]\n\
                 application = {{ kind = \"bulk\", size = \"{size}\" }}\n"
            )
        };
        let flows: String = sizes.into_iter().enumerate().map(flow).collect();
        let links = "name = \"s\"\nduration = \"4 s\"\nlinks.a = { rate = \"10 Mbit/s\", delay = \"5 ms\" }\n\
                     links.b = { rate = \"5 Mbit/s\", delay = \"9 ms\" }\n";
        let scenario = folder.write("s.toml", format!("{links}{flows}"));
        anabranch(["run", &scenario, "--pcap", &pcap, "--replace"]).done();
        anabranch(["capture", &pcap]).ok()
    };
    let said = page(["1 MB", "50 kB", "2 kB"]);
    let (large, middle) = (said.find(" 1000000 ").unwrap(), said.find(" 50000 ").unwrap());
    assert!(large < middle && !said.contains(" 2000 "), "{said}");
    has(&said, ["Not in the tables: 1 connection with less than 10 kB."]);
    let json = anabranch(["capture", &pcap, "--json"]).json();
    let bytes: Vec<u64> =
        json["flows"].as_array().unwrap().iter().map(|f| f["delivered_bytes"].as_u64().unwrap()).collect();
    assert_eq!(bytes, [2_000, 50_000, 1_000_000]);

    let said = page(["4 kB", "3 kB", "2 kB"]);
    assert!(!said.contains("Not in the tables"), "{said}");
    assert!(said.find(" 4000 ").unwrap() < said.find(" 2000 ").unwrap(), "{said}");
}

/// A figure that a capture cannot have: the message says why, and which figures there are.
#[test]
fn a_capture_has_no_windows_to_draw() {
    let folder = folder();
    let (pcap, record, picture) = (folder.at("run.pcapng"), folder.at("record"), folder.at("plot.svg"));
    anabranch(short("run", &["--pcap", &pcap])).done();
    anabranch(["capture", &pcap, "--out", &record]).ok();
    let plot = |figure: &str| anabranch(["plot", &record, "--figure", figure, "--out", &picture]);
    plot("windows").refused(["a capture has no congestion windows", "throughput"]);
    plot("queue").refused(["this record has no queues", "throughput"]);
    plot("throughput").ok();
}

/// The tests of conformance compare whole traces.
#[test]
fn a_trace_has_a_line_per_segment() {
    let folder = folder();
    let pcap = folder.at("p.pcapng");
    anabranch(["run", "scenarios/conformance/tcp.toml", "--pcap", &pcap]).done();
    let trace = anabranch(["capture", &pcap, "--trace"]).ok();
    let lines: Vec<(&str, &str)> = trace.lines().map(|line| line.split_once(' ').unwrap()).collect();
    // The SYN takes 60 bytes at 10 Mbit/s and twice 20 ms, and so do the third packet and the request.
    let begin = [("0.0", "1 > syn"), ("40.0", "1 < syn"), ("80.1", "1 < request"), ("80.1", "1 > 0+1448")];
    assert_eq!(lines[..4], begin);
    anabranch(["capture", &pcap, "--trace", "--json"]).fails(2);
}
