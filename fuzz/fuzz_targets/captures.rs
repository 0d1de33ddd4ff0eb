//! Any bytes are a file that may be a capture: it is read, or refused, and nothing panics.
#![no_main]

use anabranch_capture::{ReadOptions, read};
use anabranch_record::MemorySink;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let options = ReadOptions { name: "fuzz".into(), interval: 10_000_000, tcp: true };
    match read(bytes, &options, &mut MemorySink::new(), &mut || true) {
        Ok(summary) => drop(summary.to_json()),
        Err(why) => drop((why.to_string(), why.help())),
    }
});
