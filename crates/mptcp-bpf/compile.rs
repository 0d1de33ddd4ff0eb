//! The compiler of the kernel's programs: for the build script, and for the test that tries several.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where one of them is looked for, the newest first that the programs are tried with; `CLANG` overrides.
pub const COMPILERS: [&str; 9] =
    ["clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-20", "clang-21", "clang-22", "clang"];

/// The oldest clang of whose programs the kernel's verifier takes all: clang 14 reads `ewtcp.h`'s table at an index
/// that the verifier cannot follow.
pub const OLDEST: u32 = 15;

/// A clang that knows BPF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// Its program.
    pub name: String,
    /// Its major version.
    pub version: u32,
}

/// The compiler of that name, or why it does not do.
pub fn compiler(name: &str) -> Result<Compiler, String> {
    let output = Command::new(name).args(["-target", "bpf", "--version"]).output();
    let output = output.map_err(|e| format!("{name}: {e}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let version = version(&said).filter(|_| output.status.success());
    let version = version.ok_or_else(|| format!("{name}: not a clang with BPF support"))?;
    if version < OLDEST {
        return Err(format!(
            "{name}: clang {version} is too old, the kernel's verifier rejects its programs"
        ));
    }
    Ok(Compiler { name: name.to_owned(), version })
}

/// The major version in what `clang --version` says: `Debian clang version 15.0.6`.
pub fn version(said: &str) -> Option<u32> {
    let (_, rest) = said.split_once("clang version ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The first of these that does, or what is wrong with each.
pub fn first(names: &[&str]) -> Result<Compiler, String> {
    let tried: Vec<_> = names.iter().map(|name| compiler(name)).collect();
    let refused: Vec<_> = tried.iter().filter_map(|tried| tried.as_ref().err().cloned()).collect();
    tried.into_iter().find_map(Result::ok).ok_or_else(|| {
        format!(
            "the kernel's programs need clang {OLDEST} or later, which was not found:\n  {}\n\
             `make setup` installs clang-19 if apt has it; set CLANG=… to use another",
            refused.join("\n  ")
        )
    })
}

/// The source that is compiled for each algorithm.
pub const TEMPLATE: &str = "bpf/algorithm.bpf.c";

/// The variables of the template: the algorithm's header, without `.h`, and its name in the kernel.
pub fn defines(header: &str, name: &str) -> [String; 2] {
    [format!("-DAB_HEADER=\"{header}.h\""), format!("-DAB_NAME=\"{name}\"")]
}

/// Compiles `source` for BPF into `object`, or says why not. Paths are relative to this crate.
pub fn compile(
    clang: &Compiler,
    source: &Path,
    defines: &[String],
    includes: &[PathBuf],
    target: &str,
    object: &Path,
) -> Result<(), String> {
    let mut command = Command::new(&clang.name);
    command.args(["-g", "-O2", "-target", "bpf", "-mcpu=v3", "-Wall", "-Wextra", "-Werror"]);
    command.args(["-Wno-unused-parameter", "-Wno-missing-declarations"]);
    command.arg(format!("-D__TARGET_ARCH_{target}")).args(defines);
    // The object must not depend on where it is built.
    command.arg("-fdebug-compilation-dir=.");
    for include in includes {
        command.arg("-I").arg(include);
        command.arg(format!("-ffile-prefix-map={}=.", include.display()));
    }
    let output = command.arg("-c").arg(source).arg("-o").arg(object).output();
    let failed =
        |why: String| format!("{} failed to compile {} {defines:?}: {why}", clang.name, source.display());
    let output = output.map_err(|e| failed(e.to_string()))?;
    if output.status.success() { Ok(()) } else { Err(failed(String::from_utf8_lossy(&output.stderr).into())) }
}
