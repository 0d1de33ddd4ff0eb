//! Programs of other compilers than the one that built these: the verifier takes them, or the build script says that
//! they are too old.

use crate::compile::{COMPILERS, Compiler, OLDEST, TEMPLATE, compiler, defines, first, version};
use anabranch_cc_fixed::registry::{self, KernelEntry};
use anabranch_mptcp_bpf::omit_missing;
use anabranch_test_support::{Kernel, skipped};
use libbpf_rs::ObjectBuilder;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread::{available_parallelism, scope};

/// Compiles an algorithm's header, also one in that directory, where the object goes, and loads it.
fn compile_and_load(clang: &Compiler, header: &str, name: &str, directory: &Path) {
    // Relative to the crate, where tests run.
    let mut includes: Vec<_> = env!("BPF_INCLUDES").split(':').map(PathBuf::from).collect();
    includes.push(directory.to_owned());
    let (source, object) = (Path::new(TEMPLATE), directory.join(name));
    crate::compile::compile(clang, source, &defines(header, name), &includes, env!("BPF_TARGET"), &object)
        .unwrap_or_else(|why| panic!("{why}"));
    let mut open = ObjectBuilder::default().open_file(&object).unwrap();
    omit_missing(&mut open).unwrap();
    let loaded = open.load();
    assert!(loaded.is_ok(), "{}, {name}: {}", clang.name, loaded.unwrap_err());
}

/// Every compiler that is here and not refused. Which those were is said past the harness.
#[test]
fn the_verifier_takes_what_each_compiles() {
    let Some(_kernel) = Kernel::lock() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut versions = vec![];
    for name in COMPILERS {
        let Ok(clang) = compiler(name) else { continue };
        if versions.contains(&clang.version) {
            continue;
        }
        let is_taken =
            |entry: &KernelEntry| compile_and_load(&clang, entry.header, entry.kernel_name, directory.path());
        // On all cores: it takes longer than most tests.
        let (all, cores) = (registry::all(), available_parallelism().map_or(1, usize::from));
        scope(|scope| {
            for part in all.chunks(all.len().div_ceil(cores)) {
                scope.spawn(|| part.iter().for_each(is_taken));
            }
        });
        versions.push(clang.version);
    }
    let _ = writeln!(io::stderr(), "tried: clang {versions:?}");
    if versions.len() < 2 || !versions.contains(&OLDEST) {
        skipped(&format!("the oldest compiler and others: `apt-get install clang-{OLDEST} clang-16`"));
    }
}

/// The header that the book shows in "Port an algorithm to the kernel".
#[test]
fn the_verifier_takes_the_books_header() {
    let Some(_kernel) = Kernel::lock() else { return };
    let page = include_str!("../../../../docs/src/port-to-the-kernel.md");
    let (_, block) = page.split_once("```c\n").expect("the page shows a header");
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("gentle.h"), block.split_once("```").expect("a block ends").0).unwrap();
    compile_and_load(&first(&COMPILERS).unwrap(), "gentle", "ab_gentle", directory.path());
}

#[test]
fn versions() {
    for (said, expected) in [
        ("Debian clang version 14.0.6\nTarget: bpf\n", Some(14)),
        ("Ubuntu clang version 18.1.3 (1ubuntu1)\n", Some(18)),
        ("clang version 21.0.0git (https://github.com/llvm/llvm-project)", Some(21)),
        ("gcc (Debian 12.2.0-14) 12.2.0", None),
        ("", None),
    ] {
        assert_eq!(version(said), expected, "{said}");
    }
}

/// A program that says that it is clang of a version.
fn pretender(directory: &Path, version: u32) -> String {
    let path = directory.join(format!("clang-{version}"));
    fs::write(&path, format!("#!/bin/sh\necho 'clang version {version}.0.1'\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn too_old_compilers_are_refused_by_version() {
    let directory = tempfile::tempdir().unwrap();
    let [old, good] = [OLDEST - 1, OLDEST].map(|version| pretender(directory.path(), version));
    assert_eq!(first(&[&old, "no-such-clang", &good]).unwrap().version, OLDEST);
    let why = first(&[&old, "no-such-clang"]).unwrap_err();
    for part in
        [&format!("{old}: clang {}", OLDEST - 1), "no-such-clang: ", &format!("clang {OLDEST} or later")]
    {
        assert!(why.contains(part), "{part} is not in: {why}");
    }
}
