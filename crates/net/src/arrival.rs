//! A packet that arrives.

/// A packet that arrives at a [`crate::DequeueLink`].
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Its size, positive.
    pub wire_bytes: u32,
    /// Whether it is ECN-capable (RFC 3168).
    pub ecn_capable: bool,
    /// Its flow: any number that packets of the flow share.
    pub flow: u64,
}
