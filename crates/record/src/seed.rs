//! Seeds as text, for serde's `with`.

use serde::{Deserialize, Deserializer, Serializer, de::Error};

/// Writes the seed in decimal.
pub fn serialize<S: Serializer>(seed: &u64, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(seed)
}

/// Reads it back.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    String::deserialize(from)?.parse().map_err(D::Error::custom)
}
