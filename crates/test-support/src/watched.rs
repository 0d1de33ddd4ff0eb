//! The monitor's view of a lab.

use crate::lab::client_address;
use anabranch_mptcp_bpf::{Monitor, Subflow};

/// The client's subflow over that path that carries most: iperf's other connection, which controls it, carries little.
pub fn subflow(monitor: &mut Monitor, path: usize) -> Option<Subflow> {
    let connections = monitor.sample().connections;
    let subflows = connections.into_iter().flat_map(|connection| connection.subflows);
    let on_path = subflows.filter(|s| s.local.ip().to_string() == client_address(path));
    on_path.max_by_key(|s| s.acked_bytes)
}
