//! Compiles each algorithm of `anabranch-cc-fixed`, by the template `bpf/algorithm.bpf.c`, to an object that the binary
//! carries, so that loading needs no compiler.

mod compile;

use compile::{COMPILERS, TEMPLATE};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The benchmark's additions, the tests' programs for routers, and types of other kernels: they are in no table.
const OTHERS: [&str; 4] = [
    "benches/plain.bpf.c",
    "tests/kernel/programs/mark.bpf.c",
    "tests/kernel/programs/skipping.bpf.c",
    "tests/kernel/programs/calling.bpf.c",
];

fn main() {
    println!("cargo:rerun-if-changed=bpf");
    println!("cargo:rerun-if-changed=compile.rs");
    for other in OTHERS {
        println!("cargo:rerun-if-changed={other}");
    }
    println!("cargo:rerun-if-env-changed=CLANG");
    let given = env::var("CLANG").ok();
    let names = given.as_deref().map_or(COMPILERS.to_vec(), |name| vec![name]);
    let clang = compile::first(&names).unwrap_or_else(|why| panic!("{why}"));
    let libbpf = env::var("DEP_BPF_INCLUDE").expect("libbpf-sys tells where libbpf's headers are");
    let headers =
        env::var("DEP_ANABRANCH_CC_FIXED_INCLUDE").expect("anabranch-cc-fixed tells where its headers are");
    let layout = env::var("DEP_ANABRANCH_CC_FIXED_LAYOUT").expect("and where layout.h is");
    println!("cargo:rerun-if-changed={headers}");
    println!("cargo:rerun-if-changed={layout}/layout.h");
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    let target = match env::var("CARGO_CFG_TARGET_ARCH").unwrap().as_str() {
        "x86_64" => "x86",
        "aarch64" => "arm64",
        "riscv64" => "riscv",
        other => panic!("unsupported architecture {other}: libbpf's headers need its name"),
    };
    // The test of other compilers compiles the same.
    let includes = ["bpf", &headers, &layout, &libbpf];
    println!("cargo:rustc-env=BPF_INCLUDES={}", includes.join(":"));
    println!("cargo:rustc-env=BPF_TARGET={target}");
    let includes = includes.map(PathBuf::from);
    let compile = |source: &str, defines: &[String], name: &str| {
        let object = out.join(name).with_extension("o");
        compile::compile(&clang, Path::new(source), defines, &includes, target, &object)
            .unwrap_or_else(|why| panic!("{why}"));
        object
    };
    for other in OTHERS {
        compile(other, &[], Path::new(other).file_name().unwrap().to_str().unwrap());
    }
    let list = env::var("DEP_ANABRANCH_CC_FIXED_ALGORITHMS").expect("and which algorithms there are");
    let mut table = String::new();
    for line in list.split(',') {
        let (header, name) = line.split_once('=').expect("a header and a name");
        let object = compile(TEMPLATE, &compile::defines(header, name), name);
        let build = build(&fs::read(&object).unwrap());
        table += &format!("({name:?}, {build:?}, include_bytes!({object:?})),\n");
    }
    fs::write(out.join("objects.rs"), format!("&[\n{table}]\n")).unwrap();
}

/// Distinguishes an object from those of other builds, with as many characters as the kernel's names of maps can hold: 32 bits of
/// their hash (FNV-1a, folded).
fn build(object: &[u8]) -> String {
    let hash = object.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{:08x}", (hash >> 32) ^ (hash & 0xffff_ffff))
}
