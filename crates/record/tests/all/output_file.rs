//! Single files of results.

use anabranch_record::output::OutputFile;
use std::process::Command;

/// A pipe is not a result of ours, and is not opened to find that out: it would have to wait for a writer.
#[test]
fn a_pipe_stays_unread() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("x.svg");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let refused = OutputFile::create(&pipe, Some(|_| panic!("the pipe is read"))).err().unwrap().to_string();
    assert!(refused.contains("this command did not write it"), "{refused}");
    assert!(pipe.exists());
}
