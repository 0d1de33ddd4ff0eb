//! Pairs as a JSON object in their own order, for serde's `with`.

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use std::fmt;

type Pairs = Vec<(String, Option<f64>)>;

/// Writes an object.
pub fn serialize<S: Serializer>(pairs: &[(String, Option<f64>)], to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(pairs.len()))?;
    for (name, value) in pairs {
        map.serialize_entry(name, value)?;
    }
    map.end()
}

/// Reads it back.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Pairs, D::Error> {
    struct InOrder;

    impl<'de> Visitor<'de> for InOrder {
        type Value = Pairs;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object of numbers")
        }

        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Pairs, M::Error> {
            let mut pairs = Vec::new();
            while let Some(pair) = map.next_entry()? {
                pairs.push(pair);
            }
            Ok(pairs)
        }
    }

    from.deserialize_map(InOrder)
}
