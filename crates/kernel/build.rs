//! Compiles each `bpf/NAME.bpf.c` to an object that the binary carries, so that loading needs no compiler.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Debian's and Ubuntu's names for it; `CLANG` overrides.
const COMPILERS: &[&str] = &["clang-19", "clang"];

/// What the benchmark sets beside ours, and what tests put into a router: they are in no table.
const OTHERS: [&str; 2] = ["benches/plain.bpf.c", "tests/programs/mark.bpf.c"];

fn main() {
    println!("cargo:rerun-if-changed=bpf");
    for other in OTHERS {
        println!("cargo:rerun-if-changed={other}");
    }
    println!("cargo:rerun-if-env-changed=CLANG");
    let clang = compiler();
    let libbpf = env::var("DEP_BPF_INCLUDE").expect("libbpf-sys tells where libbpf's headers are");
    let headers =
        env::var("DEP_ANABRANCH_CC_KERNEL_INCLUDE").expect("anabranch-cc-kernel tells where its headers are");
    println!("cargo:rerun-if-changed={headers}");
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    let target = match env::var("CARGO_CFG_TARGET_ARCH").unwrap().as_str() {
        "x86_64" => "x86",
        "aarch64" => "arm64",
        "riscv64" => "riscv",
        other => panic!("no name of {other} for libbpf's headers is known"),
    };
    let mut sources: Vec<_> = fs::read_dir("bpf")
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.to_str().is_some_and(|p| p.ends_with(".bpf.c")))
        .collect();
    sources.sort();
    let compile = |source: &Path| {
        let object = out.join(source.file_name().unwrap()).with_extension("o");
        let mut command = Command::new(&clang);
        command.args(["-g", "-O2", "-target", "bpf", "-mcpu=v3", "-Wall", "-Wextra", "-Werror"]);
        command.args(["-Wno-unused-parameter", "-Wno-missing-declarations"]);
        command.arg(format!("-D__TARGET_ARCH_{target}"));
        // The object must not depend on where it is built.
        command.arg("-fdebug-compilation-dir=.");
        for include in [Path::new("bpf"), Path::new(&headers), Path::new(&libbpf)] {
            command.arg("-I").arg(include);
            command.arg(format!("-ffile-prefix-map={}=.", include.display()));
        }
        let done = command.arg("-c").arg(source).arg("-o").arg(&object).status();
        assert!(done.is_ok_and(|status| status.success()), "{clang} could not compile {}", source.display());
        object
    };
    for other in OTHERS {
        compile(Path::new(other));
    }
    let mut table = String::new();
    for source in sources {
        let object = compile(&source);
        let name = source.file_name().unwrap().to_str().unwrap().trim_end_matches(".bpf.c");
        let build = build(&fs::read(&object).unwrap());
        table += &format!("({name:?}, {build:?}, include_bytes!({object:?})),\n");
    }
    fs::write(out.join("objects.rs"), format!("&[\n{table}]\n")).unwrap();
}

/// What tells an object from those of other builds, in as many characters as the kernel's names of maps have
/// room for: 32 bits of their hash (FNV-1a, folded).
fn build(object: &[u8]) -> String {
    let hash = object.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{:08x}", (hash >> 32) ^ (hash & 0xffff_ffff))
}

/// A clang that knows BPF.
fn compiler() -> String {
    let given = env::var("CLANG").ok();
    let names = given.as_deref().map_or(COMPILERS.to_vec(), |name| vec![name]);
    let knows_bpf = |name: &&&str| {
        Command::new(name)
            .args(["-target", "bpf", "--version"])
            .output()
            .is_ok_and(|out| out.status.success())
    };
    let found = names.iter().find(knows_bpf);
    found.unwrap_or_else(|| panic!("none of {names:?} is here: `make setup` installs clang")).to_string()
}
