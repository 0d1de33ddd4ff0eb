//! The sizes of MPTCP's DSS option (RFC 8684 §3.3), and what is left beside it.

use crate::packet::{SACK_BLOCKS, sack_option_bytes};

/// Of TCP's options the timestamps take 12 of 40 bytes.
const OPTIONS: u16 = 40 - 12;

/// Sizes of the option in bytes, padded to whole words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dss {
    /// With a mapping, taken from the payload of a full segment.
    pub(crate) mapping: u16,
    /// With an acknowledgement alone.
    pub(crate) ack: u16,
}

impl Dss {
    /// Plain TCP has none.
    const NONE: Dss = Dss { mapping: 0, ack: 0 };
    /// Numbers of 32 bits, as the retired kernel's (multipath-tcp.org, `MPTCP_SUB_LEN_DSS_ALIGN` and the following).
    const SHORT: Dss = Dss { mapping: 20, ack: 8 };
    /// Upstream Linux's: `mptcp_sendmsg_frag` maps by numbers of 64 bits, and who gets such a mapping acknowledges so
    /// (`mptcp_established_options_dss`, Linux 6.18). A sender that gets none acknowledges by 32 bits.
    const LONG: Dss = Dss { mapping: 24, ack: 12 };

    pub(crate) fn new(multipath: bool, long: bool) -> Dss {
        match (multipath, long) {
            (false, _) => Dss::NONE,
            (true, false) => Dss::SHORT,
            (true, true) => Dss::LONG,
        }
    }

    /// SACK blocks that fit beside an acknowledgement.
    pub(crate) fn sack_blocks(self) -> u8 {
        let fits = |blocks: &u8| sack_option_bytes((*blocks).into()) <= OPTIONS - self.ack;
        (0..=SACK_BLOCKS as u8).rev().find(fits).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 28 bytes are left beside the timestamps: 4 + 3 · 8; 8 + 4 + 2 · 8; 12 + 4 + 1 · 8.
    #[test]
    fn a_longer_option_leaves_room_for_fewer_blocks() {
        assert_eq!(Dss::new(false, true).sack_blocks(), 3);
        assert_eq!(Dss::new(true, false).sack_blocks(), 2);
        assert_eq!(Dss::new(true, true).sack_blocks(), 1);
    }
}
