//! Why a capture cannot be read.

/// Errors of reading a capture.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// `keep_going` returned false.
    #[error("interrupted")]
    Interrupted,
    /// The file is empty.
    #[error("the file is empty")]
    Empty,
    /// The file has another format.
    #[error("not a capture: neither pcap nor pcapng")]
    NoCapture,
    /// The file ends before its first packet is complete.
    #[error("the capture ends within its first packet")]
    CutOff,
    /// The file is corrupt.
    #[error("the capture is corrupt after packet {packets}")]
    Broken {
        /// Packets before the corruption.
        packets: u64,
    },
    /// A packet of an interface that the file does not describe.
    #[error("packet {packet} belongs to an interface that the file does not describe")]
    NoInterface {
        /// Number of the packet.
        packet: u64,
    },
    /// Time goes back.
    #[error("packet {packet} is {by_ms} ms earlier than the one before it")]
    Backwards {
        /// Number of the packet.
        packet: u64,
        /// The difference.
        by_ms: u64,
    },
    /// The capture has no connection to record.
    #[error("no MPTCP connection {}", without_mptcp(*packets, *tcp, *refused, *late))]
    NoMptcp {
        /// All packets.
        packets: u64,
        /// Connections with plain TCP.
        tcp: usize,
        /// Those whose SYN requested MPTCP, and whose SYN-ACK did not confirm it.
        refused: usize,
        /// Those whose packets have MPTCP's options, but began before the capture.
        late: usize,
    },
}

fn without_mptcp(packets: u64, tcp: usize, refused: usize, late: usize) -> String {
    match late {
        0 => format!(
            "in {packets} packets; TCP connections: {tcp}, of which {refused} requested MPTCP without success"
        ),
        _ => format!(
            "begins in this capture of {packets} packets; MPTCP connections or subflows that began before it: {late}"
        ),
    }
}

impl ReadError {
    /// Help for the error.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            ReadError::NoCapture => "tcpdump -w FILE, dumpcap and Wireshark write captures",
            ReadError::Backwards { .. } => "`reordercap FILE SORTED` (of Wireshark) sorts packets by time",
            ReadError::NoMptcp { packets: 0, .. } => {
                "are port and interface those of the connection? `tcpdump -i any` captures on all interfaces"
            }
            ReadError::NoMptcp { late: 1.., .. } => {
                "start the capture before the connection opens, on all interfaces (`tcpdump -i any`); --tcp reads the subflows as TCP connections"
            }
            ReadError::NoMptcp { tcp: 1.., .. } => "--tcp reads TCP connections, too",
            ReadError::NoMptcp { .. } => {
                "are these packets of TCP, with their whole headers? `tcpdump -s 128` keeps enough of each"
            }
            _ => return None,
        })
    }
}
