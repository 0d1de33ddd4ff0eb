//! Any bytes are an algorithm with parameters and events: see `anabranch_fuzz_model`.
#![no_main]

use anabranch_fuzz_model::{Plan, check};
use std::{panic, process};

// libFuzzer's own hook aborts at a panic: the events that led to it would be lost.
libfuzzer_sys::fuzz_target!(init: panic::set_hook(Box::new(|info| eprintln!("{info}"))), |bytes: &[u8]| {
    if let Err(failure) = check(&Plan::decode(bytes)) {
        eprintln!("{failure}");
        process::abort();
    }
});
