//! TCP's options, those of MPTCP v1 (RFC 8684) included.

use crate::keys::{Keys, Nonces, token};

const NO_OPERATION: u8 = 1;
/// Option kind of MPTCP.
const MPTCP: u8 = 30;
/// Subtypes, in the upper half of their byte (RFC 8684 §8).
const MP_CAPABLE: u8 = 0x00;
const MP_JOIN: u8 = 0x10;
const DSS: u8 = 0x20;
const ADD_ADDR: u8 = 0x30;
const REMOVE_ADDR: u8 = 0x40;
const MP_PRIO: u8 = 0x50;
const MP_TCPRST: u8 = 0x80;
/// Version 1, and HMAC-SHA256 without checksums of data.
const VERSION: u8 = 1;
const HMAC_SHA256: u8 = 1;

/// Options as they stand in a header, padded to whole words.
#[derive(Clone, Copy, Default)]
pub(crate) struct Options {
    bytes: [[u8; 8]; 5],
    len: usize,
}

/// A mapping: the place of data in the connection's stream and on the subflow, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapping {
    /// Data sequence number of the first byte.
    pub(crate) data: u64,
    /// The subflow's sequence number of it, the first byte's being 1; 0 without one.
    pub(crate) subflow: u32,
    pub(crate) len: u16,
    /// The last byte is the DATA_FIN.
    pub(crate) fin: bool,
}

impl Options {
    /// The options, zeros to the room that a header has for them, and how many bytes are theirs.
    pub(crate) fn padded(&self) -> (&[u8; 40], usize) {
        (self.bytes.as_flattened().first_chunk().expect("40 bytes"), self.len)
    }

    // Inlined, lengths are known and copies are of single words.
    #[inline(always)]
    fn put(mut self, option: &[&[u8]]) -> Self {
        for part in option {
            self.bytes.as_flattened_mut()[self.len..self.len + part.len()].copy_from_slice(part);
            self.len += part.len();
        }
        self
    }

    #[inline(always)]
    fn pad(self) -> Self {
        match self.len % 4 {
            0 => self,
            1 => self.put(&[&[NO_OPERATION; 3]]),
            2 => self.put(&[&[NO_OPERATION; 2]]),
            _ => self.put(&[&[NO_OPERATION]]),
        }
    }

    /// Maximum segment size, SACK permitted, timestamps and window scale: 20 bytes.
    pub(crate) fn of_syn(mss: u16, stamps: (u32, u32), scale: u8) -> Self {
        let options = Options::default().put(&[&[2, 4], &mss.to_be_bytes(), &[4, 2]]);
        options.timestamps(stamps).put(&[&[NO_OPERATION, 3, 3, scale]])
    }

    /// Timestamps: 12 bytes.
    #[inline(always)]
    pub(crate) fn of_segment(stamps: (u32, u32)) -> Self {
        Options::default().put(&[&[NO_OPERATION, NO_OPERATION]]).timestamps(stamps)
    }

    /// The host's own time, and what it returns (RFC 7323 §3.2).
    #[inline(always)]
    fn timestamps(self, (own, returned): (u32, u32)) -> Self {
        self.put(&[&[8, 10], &own.to_be_bytes(), &returned.to_be_bytes()])
    }

    /// Ranges of bytes that were received (RFC 2018 §3).
    #[inline(always)]
    pub(crate) fn sack(self, blocks: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let n = blocks.clone().count() as u8;
        if n == 0 {
            return self;
        }
        let head = self.put(&[&[NO_OPERATION, NO_OPERATION, 5, 2 + 8 * n]]);
        blocks.fold(head, |options, (from, to)| options.put(&[&from.to_be_bytes(), &to.to_be_bytes()]))
    }

    /// §3.1: on the SYN, on its answer with the receiver's key, on the third packet with both.
    pub(crate) fn capable(self, keys: &[[u8; 8]]) -> Self {
        let head = [MPTCP, 4 + 8 * keys.len() as u8, MP_CAPABLE | VERSION, HMAC_SHA256];
        self.put(&[&head, keys.as_flattened()])
    }

    /// §3.1: on the first data, in place of its mapping.
    pub(crate) fn capable_with_data(self, keys: Keys, len: u16) -> Self {
        let head = [MPTCP, 22, MP_CAPABLE | VERSION, HMAC_SHA256];
        self.put(&[&head, &keys.sender, &keys.receiver, &len.to_be_bytes()]).pad()
    }

    /// §3.2: on the SYN of another subflow.
    pub(crate) fn join(self, backup: bool, id: u8, keys: Keys, nonces: Nonces) -> Self {
        let head = [MPTCP, 12, MP_JOIN | u8::from(backup), id];
        self.put(&[&head, &token(keys.receiver), &nonces.sender])
    }

    pub(crate) fn join_answer(self, backup: bool, keys: Keys, nonces: Nonces) -> Self {
        // The receiver's only address has the number 0.
        let head = [MPTCP, 16, MP_JOIN | u8::from(backup), 0];
        self.put(&[&head, &keys.receiver_proof(nonces), &nonces.receiver])
    }

    /// The third packet.
    pub(crate) fn join_proof(self, keys: Keys, nonces: Nonces) -> Self {
        self.put(&[&[MPTCP, 24, MP_JOIN, 0], &keys.sender_proof(nonces)])
    }

    /// §3.3: an acknowledgement of data, of 64 bits where `long`.
    #[inline(always)]
    pub(crate) fn data_ack(self, data: u64, long: bool) -> Self {
        match long {
            true => self.put(&[&[MPTCP, 12, DSS, 0x03], &data.to_be_bytes()]),
            false => self.put(&[&[MPTCP, 8, DSS, 0x01], &(data as u32).to_be_bytes()]),
        }
    }

    /// §3.3: a mapping, its data sequence number of 64 bits where `long`, and an acknowledgement of 32.
    #[inline(always)]
    pub(crate) fn mapping(self, mapping: Mapping, acknowledged: u64, long: bool) -> Self {
        let Mapping { data, subflow, len, fin } = mapping;
        let flags = 0x05 | u8::from(long) << 3 | u8::from(fin) << 4;
        let head = [MPTCP, if long { 22 } else { 18 }, DSS, flags];
        let (acknowledged, data) = ((acknowledged as u32).to_be_bytes(), data.to_be_bytes());
        let data = if long { &data[..] } else { &data[4..] };
        self.put(&[&head, &acknowledged, data, &subflow.to_be_bytes(), &len.to_be_bytes()]).pad()
    }

    /// §3.4.1: another address of the sender.
    pub(crate) fn add_address(self, id: u8, address: [u8; 4], keys: Keys) -> Self {
        self.put(&[&[MPTCP, 16, ADD_ADDR, id], &address, &keys.address_proof(id, address)])
    }

    /// §3.4.2: one that it has no more.
    pub(crate) fn remove_address(self, id: u8) -> Self {
        self.put(&[&[MPTCP, 4, REMOVE_ADDR, id]])
    }

    /// §3.3.8: the subflow becomes backup, or regular again.
    pub(crate) fn priority(self, backup: bool) -> Self {
        self.put(&[&[MPTCP, 3, MP_PRIO | u8::from(backup)]]).pad()
    }

    /// §3.6: why a subflow is reset.
    pub(crate) fn reset(self, reason: u8) -> Self {
        self.put(&[&[MPTCP, 4, MP_TCPRST, reason]])
    }
}
