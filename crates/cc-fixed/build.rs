//! Compiles the headers natively: the template `native/algorithm.c` for each line of `src/list.rs`, and the arithmetic that
//! tests call by itself.

mod layout;

use std::path::{Path, PathBuf};
use std::{env, fs};

macro_rules! algorithms {
    ($($header:ident $name:literal $kernel_name:literal;)*) => {
        /// Headers and names in the kernel.
        const ALGORITHMS: &[(&str, &str)] = &[$((stringify!($header), $kernel_name)),*];
    };
}

include!("src/list.rs");

fn main() {
    for input in ["build.rs", "layout.rs", "src/interface.rs", "src/list.rs", "c", "native"] {
        println!("cargo:rerun-if-changed={input}");
    }
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    fs::write(out.join("layout.h"), layout::header()).unwrap();
    // The build of the kernel's programs needs the same headers and the same list.
    println!("cargo:include={}", Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap()).join("c").display());
    println!("cargo:layout={}", out.display());
    let list: Vec<_> = ALGORITHMS.iter().map(|(header, name)| format!("{header}={name}")).collect();
    println!("cargo:algorithms={}", list.join(","));

    let mut objects = compiler(&out).file("native/arithmetic.c").compile_intermediates();
    for (header, _) in ALGORITHMS {
        let mut build = compiler(&out);
        build.define("AB_HEADER", format!("\"{header}.h\"").as_str());
        build.define("AB_TABLE", format!("ab_native_{header}").as_str());
        // The names of objects follow from those of sources.
        let source = out.join(format!("{header}.c"));
        fs::copy("native/algorithm.c", &source).unwrap();
        objects.extend(build.file(source).compile_intermediates());
    }
    cc::Build::new().objects(objects).compile("anabranch_cc_fixed");
}

fn compiler(out: &Path) -> cc::Build {
    let mut build = cc::Build::new();
    if env::var("PROFILE").is_ok_and(|profile| profile == "debug") {
        // Tests end where C leaves open what happens.
        build.flag_if_supported("-fsanitize=undefined");
        build.flag_if_supported("-fsanitize-undefined-trap-on-error");
    }
    build
        .includes(["c", "native"])
        .include(out)
        .std("gnu11")
        .opt_level(2)
        .warnings(true)
        .flag("-Wno-unused-parameter")
        .flag("-Wno-unused-function")
        .flag("-Werror");
    build
}
