//! Pairs as a JSON object in their own order, for serde's `with`.

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use std::fmt;

type Pairs = Vec<(String, Option<f64>)>;

/// Writes an object.
pub fn serialize<S: Serializer>(pairs: &[(String, Option<f64>)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(pairs.iter().map(|(name, value)| (name, value)))
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
            std::iter::from_fn(|| map.next_entry().transpose()).collect()
        }
    }

    from.deserialize_map(InOrder)
}
