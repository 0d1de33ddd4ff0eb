//! The pages "An algorithm in Rust" and "Add a loss model …" of the book, taken literally: each file that they show, and the line that
//! goes with it, in a copy of the crates.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

const PAGE: &str = concat!(
    include_str!("../../../../docs/src/add-an-algorithm.md"),
    include_str!("../../../../docs/src/add-a-model.md")
);
const CRATES: [&str; 7] = ["cc", "cc-fixed", "cc-model", "net", "record", "scenario", "sim"];

/// Each file that the pages show, and where its line goes: the file with the list, and what stands before the line.
const ADDED: [(&str, &str, &str); 4] = [
    ("crates/cc/src/gentle.rs", "crates/cc/src/lib.rs", "algorithms! {\n"),
    ("crates/net/src/loss/spaced.rs", "crates/net/src/loss/mod.rs", "models! {\n"),
    ("crates/net/src/aqm/step.rs", "crates/net/src/aqm/mod.rs", "    at arrival: {\n"),
    ("crates/sim/src/schedule/fewest.rs", "crates/scenario/src/scheduler.rs", "picks: {\n"),
];

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return fs::copy(from, to).map(drop);
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        copy(&from.join(&name), &to.join(&name))?;
    }
    Ok(())
}

/// The next block of Rust, and what follows it.
fn block(page: &str) -> (&str, &str) {
    let (_, rest) = page.split_once("```rust,ignore\n").expect("a block of Rust");
    rest.split_once("```\n").expect("a block ends")
}

#[test]
fn what_the_page_adds_compiles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("book");
    let _ = fs::remove_dir_all(folder.join("crates"));
    for name in CRATES {
        copy(&root.join("crates").join(name), &folder.join("crates").join(name)).unwrap();
    }
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let manifest = manifest.replace(", \"bench/micro\"", "");
    let manifest: String =
        manifest.split_inclusive('\n').filter(|line| !line.contains("crates/cli")).collect();
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    for (file, list, before) in ADDED {
        let (_, rest) = PAGE.split_once(&format!("`{file}`")).expect("the page names the file");
        let ((text, rest), path) = (block(rest), folder.join(list));
        fs::write(folder.join(file), text).unwrap();
        let listed = fs::read_to_string(&path).unwrap();
        let (start, end) = listed.rsplit_once(before).expect("the list is there");
        fs::write(path, format!("{start}{before}{}{end}", block(rest).0)).unwrap();
        let beside = rest.split_once("```").expect("the line is a block").0;
        assert!(beside.contains(list.trim_start_matches("crates/cc/src/")), "the page names {list}");
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["check", "--offline", "--quiet", "-p", "anabranch-sim"]).current_dir(&folder);
    cargo.env("CARGO_TARGET_DIR", folder.join("target")).env("RUSTFLAGS", "-D warnings");
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
