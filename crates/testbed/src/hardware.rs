//! The machine on which the kernel runs.

use std::fs;
use std::thread::available_parallelism;

/// Processor, number of cores, and memory, such as "QEMU TCG CPU version 2.5+, 1 core, 4 GB".
pub(crate) fn machine() -> String {
    let cores = available_parallelism().map_or(1, usize::from);
    describe(&read("/proc/cpuinfo"), cores, &read("/proc/meminfo"))
}

fn read(file: &str) -> String {
    fs::read_to_string(file).unwrap_or_default()
}

fn describe(processors: &str, cores: usize, memory: &str) -> String {
    let value = |table: &str, name: &str| {
        let line = table.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim_start_matches(['\t', ' ', ':']).trim_end().to_owned())
    };
    let name = value(processors, "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let kilobytes = value(memory, "MemTotal").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    // The kernel leaves out what it needs itself.
    let memory = kilobytes.map(|kilobytes| format!(", {} GB", kilobytes.div_ceil(1 << 20)));
    format!("{name}, {cores} core{}{}", if cores == 1 { "" } else { "s" }, memory.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_named() {
        let processors = "processor\t: 0\nmodel name\t: QEMU TCG CPU version 2.5+\nstepping\t: 3\n";
        let said = describe(processors, 1, "MemTotal:        4018504 kB\nMemFree:          100 kB\n");
        assert_eq!(said, "QEMU TCG CPU version 2.5+, 1 core, 4 GB");
        assert_eq!(describe("", 2, ""), format!("{}, 2 cores", std::env::consts::ARCH));
    }
}
