//! Memory pressure: TCP's buffers beyond `net.ipv4.tcp_mem`, for which the kernel reduces windows without a loss.

use crate::TestbedError;
use std::fs;

/// The number of times that the sockets of the calling thread's namespace put TCP under memory pressure.
pub(crate) fn pressures() -> Result<u64, TestbedError> {
    let file = "/proc/thread-self/net/netstat";
    let table = fs::read_to_string(file).map_err(TestbedError::kernel(format!("read {file}")))?;
    read(&table, "TCPMemoryPressures")
        .ok_or_else(|| TestbedError::Environment(format!("{file} has no counter TCPMemoryPressures")))
}

/// A counter of `netstat`: a line of names before each line of numbers.
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
        assert!(read(&fs::read_to_string("/proc/net/netstat").unwrap(), "TCPMemoryPressures").is_some());
    }
}
