//! Pairs as a JSON object in their own order, for serde's `with`.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::Serializer;
use serde_json::{Map, Value};

type Pairs = Vec<(String, Option<f64>)>;

/// Writes an object.
pub fn serialize<S: Serializer>(pairs: &[(String, Option<f64>)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// Reads it back.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Pairs, D::Error> {
    let object = Map::<String, Value>::deserialize(from)?;
    let pair = |(name, value)| Ok((name, serde_json::from_value(value).map_err(D::Error::custom)?));
    object.into_iter().map(pair).collect()
}
