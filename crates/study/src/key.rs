//! The name of a run.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// A run's identity: scenario, seed and backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunId<'a> {
    /// The effective scenario's hash.
    pub scenario_hash: &'a str,
    /// Its seed.
    pub seed: u64,
    /// The backend's name.
    pub backend: &'a str,
}

/// The key of a run: SHA-256 of the version, the scenario's hash, the seed and the backend; hexadecimal as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key([u8; 32]);

impl Key {
    /// The key of a run.
    pub fn of(version: &str, run: RunId<'_>) -> Self {
        let RunId { scenario_hash, seed, backend } = run;
        // One line each: they contain no line breaks.
        Key::sum(format!("{version}\n{scenario_hash}\n{seed}\n{backend}\n").as_bytes())
    }

    /// SHA-256 of anything.
    pub(crate) fn sum(bytes: &[u8]) -> Self {
        Key(Sha256::digest(bytes).into())
    }

    /// Its first 64 bits.
    #[cfg(target_os = "linux")]
    pub(crate) fn leading(&self) -> u64 {
        let (first, _) = self.0.split_first_chunk().expect("32 bytes");
        u64::from_be_bytes(*first)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Key {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = "a key must have 64 hexadecimal digits";
        if text.len() != 64 || !text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(wrong);
        }
        let mut bytes = [0; 32];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).map_err(|_| wrong)?;
        }
        Ok(Key(bytes))
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `printf '1\nab\n3\nsim\n' | sha256sum`.
    #[test]
    fn as_other_programs_find_it() {
        let key = Key::of("1", RunId { scenario_hash: "ab", seed: 3, backend: "sim" });
        let by_coreutils = "aba5a3e1dc0606e5f888d9fbcc6e0da5c26b36f6d23bd1739f80de392990c28a";
        assert_eq!(key.to_string(), by_coreutils);
        assert_eq!(by_coreutils.parse(), Ok(key));
        assert!("abc".parse::<Key>().is_err() && "é".repeat(32).parse::<Key>().is_err());
        assert!("G".repeat(64).parse::<Key>().is_err());
    }
}
