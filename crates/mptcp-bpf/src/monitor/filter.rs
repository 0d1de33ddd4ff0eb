//! The choice of connections to watch.

use super::Connection;

/// A choice of connections. A part that is not given takes all of them.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Algorithms, by their names in the kernel.
    pub algorithms: Vec<&'static str>,
    /// The inode of a network namespace.
    pub netns: Option<u32>,
    /// A port, here or there.
    pub port: Option<u16>,
}

impl Filter {
    /// True where the choice takes the connection, or one of its subflows.
    pub fn takes(&self, connection: &Connection) -> bool {
        let algorithm = connection.entry.kernel_name;
        let mut subflows = connection.subflows.iter();
        (self.algorithms.is_empty() || self.algorithms.contains(&algorithm))
            && subflows.any(|s| {
                self.netns.is_none_or(|netns| s.netns == netns)
                    && self.port.is_none_or(|port| [s.local.port(), s.remote.port()].contains(&port))
            })
    }
}
