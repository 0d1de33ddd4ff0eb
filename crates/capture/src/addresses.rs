//! Addresses of the simulated hosts. A flow has hosts of its own: the sender one address for each path, the receiver one.

/// Both ends of a TCP connection: IPv4 addresses and ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ends {
    pub(crate) sender: ([u8; 4], u16),
    pub(crate) receiver: ([u8; 4], u16),
}

/// The receivers' port.
const PORT: u16 = 5001;
/// The senders' first.
const EPHEMERAL: u16 = 40_000;
/// Of the receivers' addresses, above those of all paths.
const RECEIVERS: u8 = 200;
const _: () = assert!(anabranch_scenario::MAX_PATHS < RECEIVERS as usize);

/// The senders' ports of one of the receivers'.
const PORTS: u32 = (u16::MAX - EPHEMERAL) as u32;

impl Ends {
    /// Of a flow's path: its `number`th TCP connection, so with other ports.
    pub(crate) fn of(flow: usize, path: usize, number: u32) -> Ends {
        let [high, low] = ((flow + 1) as u16).to_be_bytes();
        let (turn, place) = (number / PORTS, number % PORTS);
        Ends {
            sender: ([10, 1 + path as u8, high, low], EPHEMERAL + place as u16),
            receiver: ([10, RECEIVERS, high, low], PORT.wrapping_add(turn as u16)),
        }
    }
}
