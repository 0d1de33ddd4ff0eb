//! Memory that runs may need.

use crate::failure::Failure;
use crate::table::{BYTES, with_unit};
use anabranch_scenario::Scenario;
use miette::miette;

/// More than that is asked for.
const ASK: u64 = 4_000_000_000;

/// Refuses what may need more than 4 GB, as so many runs at a time and with so many bytes of samples for each, unless the user has
/// said `--yes`.
pub fn check(scenario: &Scenario, samples: u64, at_a_time: usize, yes: bool) -> Result<(), Failure> {
    let of_each = anabranch_sim::memory(scenario).saturating_add(samples);
    let bytes = of_each.saturating_mul(at_a_time as u64);
    if yes || bytes <= ASK {
        return Ok(());
    }
    let many = if at_a_time > 1 { format!(", {at_a_time} runs at a time") } else { String::new() };
    let less = match samples > of_each / 2 {
        true => "take samples less often (record.interval), or draw fewer flows",
        false => "set tcp.receive_buffer of the flows, or shorter queues",
    };
    let help = format!("{less}; or say --yes where there is that much");
    let needed = with_unit(bytes as f64, BYTES);
    Err(Failure::Input(miette!(help = help, "{} may need {needed} of memory{many}", scenario.name)))
}
