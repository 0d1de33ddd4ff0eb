//! Counters of the kernel's network stack.

use crate::TestbedError;
use std::fs;

/// A counter of the calling thread's namespace by its name in `/proc/net/netstat` or `/proc/net/snmp`.
///
/// # Errors
/// If the kernel does not have it.
pub fn counter(table: &str, name: &str) -> Result<u64, TestbedError> {
    let file = format!("/proc/thread-self/net/{table}");
    let text = fs::read_to_string(&file).map_err(TestbedError::kernel(format!("read {file}")))?;
    read(&text, name).ok_or_else(|| TestbedError::Environment(format!("{file} has no counter {name}")))
}

/// A line of names comes before each line of numbers.
fn read(table: &str, name: &str) -> Option<u64> {
    let lines: Vec<_> = table.lines().map(str::split_whitespace).collect();
    let mut pairs = lines.chunks_exact(2).flat_map(|pair| pair[0].clone().zip(pair[1].clone()));
    pairs.find(|(label, _)| *label == name)?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_found_by_name() {
        let table = "TcpExt: SyncookiesSent TCPMemoryPressures\nTcpExt: 1 7\nIpExt: InNoRoutes InOctets\nIpExt: 2 9\n";
        assert_eq!(read(table, "TCPMemoryPressures"), Some(7));
        assert_eq!(read(table, "InOctets"), Some(9));
        assert_eq!(read(table, "OutOctets"), None);
        assert!(counter("netstat", "TCPMemoryPressures").is_ok());
    }
}
