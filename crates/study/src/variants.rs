//! Variants of several experiments, whose titles have the last day of measured runs.

use crate::VariantName;
use anabranch_scenario::distinct_by;

/// Each variant once, in order of first appearance, with the title of the last day.
pub fn distinct_variants<'a>(all: impl Iterator<Item = &'a VariantName> + Clone) -> Vec<&'a VariantName> {
    fn day(variant: &VariantName) -> &str {
        name_and_day(&variant.title).1
    }
    let later = |one, other| if day(other) > day(one) { other } else { one };
    let last = |first: &VariantName| all.clone().filter(|v| v.id == first.id).reduce(later);
    distinct_by(all.clone(), |variant| &variant.id).into_iter().filter_map(last).collect()
}

/// A title in two: the name, and the last day of measured runs, which is empty for others.
pub fn name_and_day(title: &str) -> (&str, &str) {
    title.split_once(", measured ").unwrap_or((title, ""))
}
