//! Selects the connections to watch.

use super::Connection;

/// A filter of connections. An empty member matches all connections.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Algorithms, by their names in the kernel.
    pub algorithms: Vec<&'static str>,
    /// The inode of a network namespace.
    pub netns: Option<u32>,
    /// A local or remote port.
    pub port: Option<u16>,
}

impl Filter {
    pub(super) fn selects(&self, algorithm: &str) -> bool {
        self.algorithms.is_empty() || self.algorithms.contains(&algorithm)
    }

    /// Whether the filter matches the connection or one of its subflows.
    pub fn matches(&self, connection: &Connection) -> bool {
        let mut subflows = connection.subflows.iter();
        self.selects(connection.entry.kernel_name)
            && subflows.any(|s| {
                self.netns.is_none_or(|netns| s.netns == netns)
                    && self.port.is_none_or(|port| [s.local.port(), s.remote.port()].contains(&port))
            })
    }
}
