//! The JSON Schema of the file, for editors.

use crate::format::File;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::Value;

/// The JSON Schema (draft 2020-12) of a scenario file, made from the types that read it.
pub fn json_schema() -> Value {
    let settings = SchemaSettings::draft2020_12().with_transform(NoNull);
    settings.into_generator().into_root_schema_for::<File>().to_value()
}

/// TOML has no null: an optional key is absent.
#[derive(Clone)]
struct NoNull;

impl Transform for NoNull {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        if let Some(Value::Array(types)) = schema.get_mut("type") {
            types.retain(|kind| kind != "null");
        }
        let null = serde_json::json!({ "type": "null" });
        if let Some(Value::Array(any)) = schema.get_mut("anyOf") {
            any.retain(|option| *option != null);
        }
    }
}
