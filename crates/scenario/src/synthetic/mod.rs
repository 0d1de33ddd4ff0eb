//! Synthetic traces from a model and a seed. The book's page on links explains the models.

mod lte;
mod mmwave;
mod starlink;

use anabranch_net::Random;

/// The longest trace, in seconds.
const LONGEST_S: f64 = 3600.0;

/// A model of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceModel {
    /// A cellular downlink with outages, up to 12 Mbit/s: delivery opportunities, as in mahimahi.
    Lte,
    /// A satellite's downlink with handovers every 15 s: rate, delay and loss.
    Starlink,
    /// A 5G millimetre-wave cell with blockages by people: rate.
    Mmwave,
}

impl TraceModel {
    /// Each, by its name.
    pub const ALL: [(&str, TraceModel); 3] =
        [("lte", TraceModel::Lte), ("starlink", TraceModel::Starlink), ("mmwave", TraceModel::Mmwave)];
}

/// Approximately standard normal: the sum of twelve uniform numbers, which is the same on every platform.
fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0
}

/// Uniform between the two.
fn between(random: &mut Random, (from, to): (f64, f64)) -> f64 {
    from + (to - from) * random.uniform()
}

/// The lines of a trace's file, the same for the same seed everywhere; `duration` is a time such as `60 s`, up to an hour.
pub fn synthetic_trace(model: TraceModel, seed: u64, duration: &str) -> Result<Vec<String>, String> {
    let seconds = crate::time(duration)?.as_secs_f64();
    if !(1.0..=LONGEST_S).contains(&seconds) {
        return Err(format!("`{duration}` is not from 1 s to an hour"));
    }
    // Traces have milliseconds.
    let seconds = (seconds * 1e3).round() / 1e3;
    let mut random = Random::new(seed, 0);
    Ok(match model {
        TraceModel::Lte => lte::lines(&mut random, seconds),
        TraceModel::Starlink => starlink::lines(&mut random, seconds),
        TraceModel::Mmwave => mmwave::lines(&mut random, seconds),
    })
}
