//! The JSON Schema of the file, for editors.

use crate::format::File;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::Value;

/// The JSON Schema (draft 2020-12) of a scenario file, made from the types that read it.
pub fn json_schema() -> Value {
    let settings = SchemaSettings::draft2020_12().with_transform(SimplifySchema);
    settings.into_generator().into_root_schema_for::<File>().to_value()
}

/// Removes null from optional keys, as TOML has no null, and joins the lines of descriptions.
#[derive(Clone)]
struct SimplifySchema;

impl Transform for SimplifySchema {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        if let Some(Value::Array(types)) = schema.get_mut("type") {
            types.retain(|kind| kind != "null");
            if let [only] = &**types {
                let only = only.clone();
                schema.insert("type".into(), only);
            }
        }
        if let Some(Value::Array(any)) = schema.get_mut("anyOf") {
            any.retain(|option| option["type"] != "null");
            if let [Value::Object(only)] = &**any
                && only.contains_key("$ref")
            {
                let only = only.clone();
                schema.remove("anyOf");
                schema.ensure_object().extend(only);
            }
        }
        if let Some(Value::String(description)) = schema.get_mut("description") {
            *description = description.replace('\n', " ");
        }
    }
}
