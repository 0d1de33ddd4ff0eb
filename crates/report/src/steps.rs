//! Delta encoding of long columns of numbers, which halves their compressed size. `unpacked` in `report.js` reverses it.

use serde_json::{Value, json};

/// The length from which a column is delta-encoded.
const MANY: usize = 40;
const MOST_DECIMALS: i32 = 12;
/// Integers up to which JavaScript adds without rounding: 2⁵³.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Encodes the long columns of a specification's data, unless a value would change.
pub fn pack(spec: &mut Value) {
    let datasets = spec["data"]["values"].as_array_mut().into_iter().flatten();
    for column in datasets.filter_map(Value::as_object_mut).flat_map(|dataset| dataset.values_mut()) {
        if let Some(steps) = steps(column) {
            *column = steps;
        }
    }
}

/// `{"decimals":1,"steps":[2,2,-1]}` for 0.2, 0.4, 0.3; a null stays one.
fn steps(column: &Value) -> Option<Value> {
    let numbers: Vec<Option<f64>> = column
        .as_array()
        .filter(|numbers| numbers.len() > MANY)?
        .iter()
        .map(|value| if value.is_null() { Some(None) } else { value.as_f64().map(Some) })
        .collect::<Option<_>>()?;
    let units = |decimals| {
        let unit = 10f64.powi(decimals);
        let of = |number: f64| {
            let units = (number * unit).round();
            (units.abs() < EXACT && units / unit == number).then_some(units as i64)
        };
        let all = numbers.iter().map(|number| number.map_or(Some(None), |number| of(number).map(Some)));
        Some((decimals, all.collect::<Option<Vec<_>>>()?))
    };
    let (decimals, units) = (0..=MOST_DECIMALS).find_map(units)?;
    let mut last = 0;
    let steps = units.into_iter().map(|here| {
        let step = here.map(|here| here - last);
        last = here.unwrap_or(last);
        step
    });
    Some(json!({ "decimals": decimals, "steps": steps.collect::<Vec<_>>() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packed(column: Value) -> Value {
        let mut spec = json!({ "data": { "values": [{ "series": "LIA", "y": column }] } });
        pack(&mut spec);
        spec["data"]["values"][0]["y"].clone()
    }

    #[test]
    fn steps_by_hand() {
        let mut column = vec![json!(0.2), json!(null), json!(0.25), json!(-1)];
        column.extend((0..40).map(|_| json!(2.5)));
        let packed = packed(json!(column));
        assert_eq!(packed["decimals"], 2);
        let steps = &packed["steps"].as_array().unwrap()[..6];
        assert_eq!(json!(steps), json!([20, null, 5, -125, 350, 0]));
    }

    /// Short columns, texts, and numbers with too many digits stay.
    #[test]
    fn what_stays() {
        for column in
            [json!(vec![1.5; MANY]), json!(vec!["1"; 99]), json!(vec![1.0 / 3.0; 99]), json!(vec![1e300; 99])]
        {
            assert_eq!(packed(column.clone()), column);
        }
    }

    proptest! {
        /// As `report.js` does it.
        #[test]
        fn every_value_comes_back(units in prop::collection::vec(-1_000_000_i64..1_000_000, MANY + 1..99), decimals in 0..7_i32) {
            let column: Vec<f64> = units.iter().map(|&u| u as f64 / 10f64.powi(decimals)).collect();
            let packed = packed(json!(column));
            let unit = 10f64.powi(packed["decimals"].as_i64().unwrap() as i32);
            let mut sum = 0;
            for (step, value) in packed["steps"].as_array().unwrap().iter().zip(&column) {
                sum += step.as_i64().unwrap();
                prop_assert_eq!(sum as f64 / unit, *value);
            }
        }
    }
}
