//! Sizes of MPTCP's DSS option (RFC 8684 §3.3), and the space left for SACK blocks.

use crate::packet::{SACK_BLOCKS, sack_option_bytes};

/// Bytes for options without timestamps, which take 12 of 40.
const OPTIONS: u16 = 40 - 12;

/// Sizes of the option in bytes, padded to whole words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dss {
    /// With a mapping; reduces the payload of a full segment.
    pub(crate) mapping: u16,
    /// With an acknowledgement alone.
    pub(crate) ack: u16,
}

impl Dss {
    pub(crate) fn new(multipath: bool, long: bool) -> Dss {
        match (multipath, long) {
            // Plain TCP has no DSS.
            (false, _) => Dss { mapping: 0, ack: 0 },
            // 32-bit numbers, as in out-of-tree MPTCP (multipath-tcp.org, `MPTCP_SUB_LEN_DSS_ALIGN` and the following).
            (true, false) => Dss { mapping: 20, ack: 8 },
            // Upstream Linux: `mptcp_sendmsg_frag` maps with 64-bit numbers, and the receiver of such a mapping acknowledges with them
            // (`mptcp_established_options_dss`, Linux 6.18). A sender without incoming mappings acknowledges with 32 bits.
            (true, true) => Dss { mapping: 24, ack: 12 },
        }
    }

    /// SACK blocks that fit into an ACK.
    pub(crate) fn sack_blocks(self) -> u8 {
        let fits = |blocks: &u8| sack_option_bytes((*blocks).into()) <= OPTIONS - self.ack;
        (0..=SACK_BLOCKS as u8).rev().find(fits).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 28 bytes are left after the timestamps: 4 + 3 · 8; 8 + 4 + 2 · 8; 12 + 4 + 1 · 8.
    #[test]
    fn a_longer_option_leaves_room_for_fewer_blocks() {
        assert_eq!(Dss::new(false, true).sack_blocks(), 3);
        assert_eq!(Dss::new(true, false).sack_blocks(), 2);
        assert_eq!(Dss::new(true, true).sack_blocks(), 1);
    }
}
