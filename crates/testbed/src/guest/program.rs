//! Copies a program of this machine, with its libraries, into a guest.

use super::cpio::Archive;
use crate::{TestbedError, environment};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Adds a program as `/bin/NAME`, and its libraries at the paths where it expects them.
pub fn add(archive: &mut Archive, program: &Path, name: &str) -> Result<(), TestbedError> {
    put(archive, &Path::new("/bin").join(name), program)?;
    libraries(program)?.iter().try_for_each(|library| put(archive, library, library))
}

fn put(archive: &mut Archive, at: &Path, from: &Path) -> Result<(), TestbedError> {
    let content = fs::read(from).map_err(TestbedError::kernel(format!("read {}", from.display())))?;
    archive.file(at, 0o755, &content);
    Ok(())
}

/// Adds iperf3 and, for multipath connections, the library that turns its sockets into MPTCP sockets.
pub fn add_iperf3(archive: &mut Archive, multipath: bool) -> Result<(), TestbedError> {
    add(archive, &environment::find("iperf3")?, "iperf3")?;
    if !multipath {
        return Ok(());
    }
    let mptcpize = environment::find("mptcpize")?;
    add(archive, &mptcpize, "mptcpize")?;
    // mptcpize contains the path of the library that it preloads.
    let content = fs::read(&mptcpize).map_err(TestbedError::kernel("read mptcpize"))?;
    let words = content.split(|byte| !byte.is_ascii_graphic()).filter_map(|word| str::from_utf8(word).ok());
    let mut paths = words.filter_map(|word| word.strip_prefix("LD_PRELOAD=")).map(Path::new);
    let library = paths.find(|path| path.is_absolute()).ok_or_else(|| {
        TestbedError::Environment(format!("{} does not name its library", mptcpize.display()))
    })?;
    put(archive, library, library)
}

/// The libraries of a program, and their loader.
fn libraries(program: &Path) -> Result<Vec<PathBuf>, TestbedError> {
    let ldd = Command::new("ldd").arg(program).output().map_err(TestbedError::kernel("run ldd"))?;
    let said = String::from_utf8_lossy(&ldd.stdout);
    if let Some(missing) = said.lines().find(|line| line.contains("not found")) {
        return Err(TestbedError::Environment(format!("{}: {}", program.display(), missing.trim())));
    }
    // For a static program, ldd prints "not a dynamic executable" without a path.
    Ok(said.split_whitespace().filter(|word| word.starts_with('/')).map(PathBuf::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The libraries of this program are what the kernel has mapped for it.
    #[test]
    fn libraries_are_those_that_are_mapped() {
        let listed = libraries(&std::env::current_exe().unwrap()).unwrap();
        let listed: Vec<_> = listed.iter().map(|path| path.canonicalize().unwrap()).collect();
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let mapped = maps.lines().filter_map(|line| line.split_whitespace().nth(5));
        let mapped: Vec<_> = mapped.filter(|path| path.contains(".so")).map(PathBuf::from).collect();
        assert!(mapped.iter().any(|path| path.to_string_lossy().contains("libc")), "{mapped:?}");
        for path in &mapped {
            assert!(listed.contains(path), "{} of {mapped:?} is not among {listed:?}", path.display());
        }
    }
}
