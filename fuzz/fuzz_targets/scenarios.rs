//! Any text is a scenario or is refused: what is accepted can be built for a run, and each problem can be shown.
#![no_main]

use anabranch_scenario::Overrides;

libfuzzer_sys::fuzz_target!(|text: &str| anabranch_fuzz::scenario(text.to_owned(), &Overrides::default()));
