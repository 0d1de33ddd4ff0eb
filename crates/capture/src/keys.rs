//! Keys of an MPTCP connection and what is derived from them (RFC 8684 §3.1, §3.2, §3.4.1).

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys {
    pub(crate) sender: [u8; 8],
    pub(crate) receiver: [u8; 8],
}

impl Keys {
    /// Of a flow in a run with that seed: the same ones each time, since a run is a function of its seed. A flow whose transfers
    /// have connections of their own has those of its `transfer`th, from 1 on; else that is 0.
    pub(crate) fn of(seed: u64, flow: usize, transfer: u32) -> Keys {
        let transfer = if transfer > 0 { format!("transfer {transfer} of ") } else { String::new() };
        let hash = Sha256::digest(format!("keys of {transfer}flow {flow} in run {seed}").as_bytes());
        let part = |from: usize| hash[from..from + 8].try_into().expect("8 bytes");
        Keys { sender: part(0), receiver: part(8) }
    }

    /// The sender's proof in a join: HMAC of both nonces, its own key and nonce first; the leftmost 160 bits.
    pub(crate) fn sender_proof(&self, nonces: Nonces) -> [u8; 20] {
        let hmac = hmac([self.sender, self.receiver], &[&nonces.sender, &nonces.receiver]);
        hmac[..20].try_into().expect("20 of 32 bytes")
    }

    /// The receiver's: its own first; the leftmost 64 bits.
    pub(crate) fn receiver_proof(&self, nonces: Nonces) -> [u8; 8] {
        let hmac = hmac([self.receiver, self.sender], &[&nonces.receiver, &nonces.sender]);
        hmac[..8].try_into().expect("8 of 32 bytes")
    }

    /// The proof of an address that the sender announces without a port: the rightmost 64 bits.
    pub(crate) fn address_proof(&self, id: u8, address: [u8; 4]) -> [u8; 8] {
        let hmac = hmac([self.sender, self.receiver], &[&[id], &address, &[0, 0]]);
        hmac[24..].try_into().expect("8 of 32 bytes")
    }
}

/// The random numbers of a join.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nonces {
    pub(crate) sender: [u8; 4],
    pub(crate) receiver: [u8; 4],
}

/// Identifies a connection to the host with this key.
pub(crate) fn token(key: [u8; 8]) -> [u8; 4] {
    Sha256::digest(key)[..4].try_into().expect("4 of 32 bytes")
}

/// The data sequence number of the first byte of the host with this key: one behind the initial one.
pub(crate) fn first_data_number(key: [u8; 8]) -> u64 {
    u64::from_be_bytes(Sha256::digest(key)[24..].try_into().expect("8 of 32 bytes")).wrapping_add(1)
}

fn hmac(keys: [[u8; 8]; 2], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(keys.as_flattened()).expect("a key of any length");
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}
