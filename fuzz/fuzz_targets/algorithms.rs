//! Any bytes are an algorithm with parameters and events: see `anabranch_fuzz_model`.
#![no_main]

use anabranch_fuzz_model::{Plan, check};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Err(failure) = check(&Plan::decode(bytes)) {
        panic!("{failure}");
    }
});
