//! Progress on stderr, where that is a terminal: how much is done, how fast, time left.

use crate::table::number;
use anabranch_net::Time;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use std::fmt::Write;

/// Steps of a bar over many runs: fine enough for hours.
const PARTS: f64 = 1e6;

/// A bar over simulated time. Drawn only where stderr is a terminal, gone when dropped.
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar over that much simulated time.
    pub fn over(total: Time) -> Self {
        let template = "{bar:40} {percent:>3} % of the simulated time, {speed} simulated s/s, {eta} left";
        Progress::new(total.as_nanos(), template)
    }

    /// A bar over many runs.
    pub fn over_runs() -> Self {
        Progress::new(PARTS as u64, "{bar:24} {prefix} simulated s/s, {eta} left  {wide_msg}")
    }

    fn new(length: u64, template: &str) -> Self {
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let speed = |state: &ProgressState, out: &mut dyn Write| {
            // The worst case is an empty word.
            let _ = write!(out, "{}", number(state.per_sec() * 1e-9));
        };
        let style = style.with_key("speed", speed);
        Progress(ProgressBar::new(length).with_style(style.progress_chars("━╸─")))
    }

    /// That much more simulated time has passed.
    pub fn advance(&self, by: Time) {
        self.0.inc(by.as_nanos());
    }

    /// Where many runs are.
    pub fn show(&self, p: anabranch_study::Progress<'_>) {
        let speed = p.simulated.as_secs_f64() / self.0.elapsed().as_secs_f64();
        self.0.set_prefix(format!("{} of {} runs, {}", p.done, p.total, number(speed)));
        self.0.set_message(format!("{}: {}", p.experiment, p.label));
        self.0.set_position((p.part * PARTS) as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
