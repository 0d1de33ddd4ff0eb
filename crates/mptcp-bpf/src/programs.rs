//! The programs that have TCP sockets open.

use crate::namespace::entries;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::path::Path;

/// The tables of a thread's network namespace. `/proc/net` has the tables of the process.
const TABLES: [&str; 2] = ["/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6"];
/// The columns of the addresses and of the inode in such a table.
const LOCAL: usize = 1;
const REMOTE: usize = 2;
const INODE: usize = 9;
/// The field of `/proc/PID/stat` with the time when the process started; the first is 1.
const START: usize = 22;

/// The inodes of the sockets in this thread's network namespace, by local and remote address.
pub(crate) fn inodes() -> HashMap<(SocketAddr, SocketAddr), u64> {
    TABLES.iter().filter_map(|table| fs::read_to_string(table).ok()).flat_map(|table| parse(&table)).collect()
}

fn parse(table: &str) -> Vec<((SocketAddr, SocketAddr), u64)> {
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let inode = words.get(INODE)?.parse().ok()?;
        Some(((address(words[LOCAL])?, address(words[REMOTE])?), inode))
    };
    table.lines().filter_map(row).collect()
}

/// `0100007F:1F90`: words of the address as this machine stores them, and the port.
fn address(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let word = |i: usize| u32::from_str_radix(address.get(8 * i..8 * i + 8)?, 16).ok().map(u32::to_ne_bytes);
    let ip = match address.len() {
        8 => IpAddr::from(word(0)?),
        32 => {
            let words = [word(0)?, word(1)?, word(2)?, word(3)?].concat();
            Ipv6Addr::from(<[u8; 16]>::try_from(words).ok()?).to_canonical()
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, u16::from_str_radix(port, 16).ok()?))
}

/// When a process started, in clock ticks after the machine.
fn started(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in parentheses, is the second field and may contain spaces.
    stat.rsplit_once(") ")?.1.split(' ').nth(START - 3)?.parse().ok()
}

/// The processes that have these sockets open, by inode, as `iperf3 (process 4711)`: of several, the one that started first, because a
/// process that it starts may share them.
pub(crate) fn holders(wanted: &HashSet<u64>) -> HashMap<u64, String> {
    let mut processes: Vec<u32> = entries("/proc").filter_map(|(name, _)| name.parse().ok()).collect();
    processes.sort_by_cached_key(|&process| (started(process), process));
    let mut found = HashMap::new();
    for process in processes {
        let folder = Path::new("/proc").join(process.to_string());
        for file in entries(folder.join("fd")).filter_map(|(_, file)| fs::read_link(file).ok()) {
            let inode = file.to_str().and_then(|file| file.strip_prefix("socket:[")?.strip_suffix(']'));
            if let Some(inode) = inode.and_then(|inode| inode.parse().ok()).filter(|n| wanted.contains(n)) {
                let name = fs::read_to_string(folder.join("comm")).unwrap_or_default();
                found.entry(inode).or_insert_with(|| format!("{} (process {process})", name.trim_end()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, TcpListener};

    #[test]
    fn this_process_holds_its_listeners() {
        for ip in [IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST)] {
            // Some machines lack IPv6.
            let Ok(listener) = TcpListener::bind((ip, 0)) else { continue };
            let local = listener.local_addr().unwrap();
            let nobody: SocketAddr = if ip.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" }.parse().unwrap();
            let inode = inodes()[&(local, nobody)];
            let holders = holders(&HashSet::from([inode]));
            let process = format!("(process {})", std::process::id());
            assert!(holders[&inode].ends_with(&process), "{holders:?}");
        }
    }

    /// Numbers of processes wrap; times do not.
    #[test]
    fn what_a_process_starts_started_later() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let (own, of_child) = (started(std::process::id()), started(child.id()));
        child.kill().and_then(|()| child.wait()).unwrap();
        assert!(own.is_some() && own <= of_child, "{own:?} {of_child:?}");
        assert!(started(1) <= own);
    }

    #[test]
    fn headings_are_no_sockets() {
        let heading = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid";
        assert_eq!(parse(heading), []);
    }
}
