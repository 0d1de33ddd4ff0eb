//! MPTCP's options as they are read (RFC 8684 §3).

/// One of them, as far as it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mptcp {
    /// The version, the keys that are there (its sender's, its receiver's), and the length of the data that it maps.
    Capable { version: u8, own: Option<[u8; 8]>, other: Option<[u8; 8]>, data: Option<u16> },
    /// On a SYN: the token of the receiver's connection.
    Join { token: u32 },
    /// The acknowledgement and the mapping of a segment.
    Signal { acknowledged: Option<Number>, mapping: Option<Mapping> },
    /// MP_FAIL: data that was changed on its way.
    Fail,
    /// Another one, or on another packet of a join.
    Other,
}

/// A data sequence number, of which there may be 32 bits only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: u64,
    pub(super) long: bool,
}

/// Bytes of the subflow, where zero means all that follow (an infinite mapping, RFC 8684 §3.7), counted from its initial sequence
/// number, and where they are in the connection's stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mapping {
    pub(super) data: Number,
    pub(super) subflow: u32,
    pub(super) len: u16,
}

/// The option without its kind and length; nothing where it is too short for what it says.
pub(super) fn option(body: &[u8]) -> Option<Mptcp> {
    let (first, rest) = body.split_first()?;
    let key = |at: usize| body.get(at..at + 8).map(|key| key.try_into().expect("8 bytes"));
    Some(match first >> 4 {
        0 => Mptcp::Capable {
            version: first & 15,
            own: key(2),
            other: key(10),
            data: body.get(18..20).map(|len| u16::from_be_bytes([len[0], len[1]])),
        },
        1 if body.len() == 10 => {
            Mptcp::Join { token: u32::from_be_bytes(body[2..6].try_into().expect("4 bytes")) }
        }
        2 => signal(*rest.first()?, &rest[1..])?,
        6 => Mptcp::Fail,
        _ => Mptcp::Other,
    })
}

fn signal(flags: u8, mut body: &[u8]) -> Option<Mptcp> {
    let mut number = |long: bool| {
        let (value, rest) = body.split_at_checked(if long { 8 } else { 4 })?;
        body = rest;
        Some(Number { value: value.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)), long })
    };
    let acknowledged = if flags & 0x01 != 0 { Some(number(flags & 0x02 != 0)?) } else { None };
    let mapping = if flags & 0x04 != 0 {
        let data = number(flags & 0x08 != 0)?;
        let subflow = number(false)?.value as u32;
        let len = u16::from_be_bytes(body.get(..2)?.try_into().expect("2 bytes"));
        Some(Mapping { data, subflow, len })
    } else {
        None
    };
    Some(Mptcp::Signal { acknowledged, mapping })
}
