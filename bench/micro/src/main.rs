//! Runs a scenario and prints the number of segments sent: `tools/instructions.sh` counts the instructions that it takes. It uses
//! only the simulator's crates, so it builds in a minute; the command takes several.

use anabranch_record::NoSamples;
use anabranch_scenario::{Overrides, Source, load};
use std::error::Error;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let (Some(name), Some(duration)) = (args.next(), args.next()) else {
        return Err("usage: anabranch-bench SCENARIO DURATION [KEY=VALUE…]".into());
    };
    let overrides = Overrides { duration: Some(duration), set: args.collect(), ..Overrides::default() };
    let text = fs::read_to_string(&name)?;
    let scenario = load(&Source { name, text }, &overrides)?;
    let run = anabranch_sim::run(&scenario, scenario.seed, &mut NoSamples, &mut |_| true)?;
    let subflows = run.summary.flows.iter().flat_map(|flow| &flow.subflows);
    println!("{}", subflows.map(|subflow| subflow.sent_segments).sum::<u64>());
    Ok(())
}
