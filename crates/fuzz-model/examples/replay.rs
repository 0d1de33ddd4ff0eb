//! Plays an input that the fuzzer found, and shows the shortest sequence of events that still fails:
//! `cargo run --example replay -- fuzz/artifacts/algorithms/crash-…`

use anabranch_fuzz_model::{Plan, check, shrink};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: replay <file>")?;
    let plan = Plan::decode(&std::fs::read(path)?);
    match check(&plan) {
        Ok(()) => println!("{plan}every rule holds"),
        Err(failure) => println!("{}", shrink(failure)),
    }
    Ok(())
}
