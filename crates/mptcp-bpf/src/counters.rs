//! What the programs count.

/// What an algorithm's programs count since it was loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Connected sockets that use it now: TCP sockets and subflows of MPTCP.
    pub sockets: u64,
    /// Rows that could not be had: no memory, no share left, or too many connections or subflows.
    pub refused: u64,
    /// Rows that were asked for.
    pub owners: u64,
}

impl Counters {
    /// As they lie in the map (`bpf/share.h`); `None` where it is shorter.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let word = |i: usize| Some(u64::from_ne_bytes(bytes.get(8 * i..8 * i + 8)?.try_into().ok()?));
        Some(Counters { sockets: word(0)?, refused: word(1)?, owners: word(2)? })
    }
}

#[cfg(test)]
mod tests {
    use super::Counters;

    #[test]
    fn three_words() {
        let bytes: Vec<u8> = [3u64, 2, 1].iter().flat_map(|word| word.to_ne_bytes()).collect();
        let counters = Counters { sockets: 3, refused: 2, owners: 1 };
        assert_eq!(Counters::from_bytes(&bytes), Some(counters));
        assert_eq!(Counters::from_bytes(&bytes[..23]), None);
    }
}
