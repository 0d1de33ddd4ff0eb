//! `anabranch run --pcap`: where the capture goes, and what is refused. What is in it: the tests of its crate.

use crate::common::{anabranch, short};
use std::fs;

#[test]
fn the_capture_is_whole_or_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pcapng");
    let name = path.to_str().unwrap();
    let ended = anabranch(short("run", &["--pcap", name, "--links", "dsl"]));
    // Before the run.
    assert!(ended.stderr.contains("run.pcapng may become about"), "{}", ended.stderr);
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
    // What was simulated is told all the same.
    assert!(why.stdout.contains("bonded"));
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["run.pcapng"]);
}

#[test]
fn what_cannot_be_captured_is_told() {
    for (options, said) in [
        (&["--pcap", "x", "--links", "cable"][..], "no link `cable` help: its links are: fibre, dsl"),
        (&["--pcap", "."], "cannot write the capture .: is a directory"),
        (&["--pcap", "/nowhere/x"], "cannot write the capture /nowhere/x"),
        (&["--pcap", "x", "--backend", "guest-6.12"], "`--pcap` is for the simulator"),
        (&["--links", "dsl"], "--pcap <FILE>"),
    ] {
        let why = anabranch(short("run", options)).fails(2);
        assert!(why.contains(said), "{options:?}: {why}");
    }
}
