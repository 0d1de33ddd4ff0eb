//! The header that the book shows in "Port an algorithm to the kernel" compiles.

use std::path::Path;
use std::process::Command;

/// The page's first block of C.
fn header() -> &'static str {
    let page = include_str!("../../../../docs/src/port-to-the-kernel.md");
    let (_, block) = page.split_once("```c\n").expect("the page shows a header");
    block.split_once("```").expect("a block ends").0
}

/// By the template that the build compiles for each line of the list.
#[test]
fn the_books_header_compiles_natively() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("gentle.h"), header()).unwrap();
    let compile = |defines: &[&str]| {
        let mut cc = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
        cc.args([
            "-std=gnu11",
            "-O2",
            "-Wall",
            "-Wextra",
            "-Wno-unused-parameter",
            "-Wno-unused-function",
            "-Werror",
        ]);
        cc.args(["-DAB_HEADER=\"gentle.h\"", "-DAB_TABLE=ab_native_gentle"]).args(defines);
        for include in ["c", "native", env!("OUT_DIR"), directory.path().to_str().unwrap()] {
            cc.args(["-I", include]);
        }
        let object = directory.path().join("gentle.o");
        let output = cc.args(["-c", "native/algorithm.c", "-o"]).arg(object).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert!(Path::new("native/algorithm.c").exists(), "tests run in the crate's directory");
    let (compiles, said) = compile(&[]);
    assert!(compiles, "{said}");
    let (compiles, said) = compile(&["-DAB_ONCE_PER_ROUND"]);
    assert!(!compiles && said.contains("AB_ONCE_PER_ROUND needs AB_SAMPLES"), "{said}");
}
