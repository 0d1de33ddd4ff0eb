//! Compiles each algorithm's header natively, by its file in `native/`.

mod layout;

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    for input in ["build.rs", "layout.rs", "src/interface.rs", "c", "native"] {
        println!("cargo:rerun-if-changed={input}");
    }
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    fs::write(out.join("layout.h"), layout::header()).unwrap();
    // The kernel glue's build needs the same headers.
    println!("cargo:include={}", Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap()).join("c").display());
    println!("cargo:layout={}", out.display());
    let mut sources: Vec<_> = fs::read_dir("native")
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    sources.sort();
    let mut build = cc::Build::new();
    if env::var("PROFILE").is_ok_and(|profile| profile == "debug") {
        // Tests end where C leaves open what happens.
        build.flag_if_supported("-fsanitize=undefined");
        build.flag_if_supported("-fsanitize-undefined-trap-on-error");
    }
    build
        .files(sources)
        .include(&out)
        .std("gnu11")
        .opt_level(2)
        .warnings(true)
        .flag("-Wno-unused-parameter")
        .flag("-Wno-unused-function")
        .flag("-Werror")
        .compile("anabranch_cc_fixed");
}
