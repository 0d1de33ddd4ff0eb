//! Progress on stderr: completed fraction, speed, time left. A bar on a terminal; otherwise a line per minute.

use crate::interrupt;
use anabranch::scenarios::{printable, printable_line};
use anabranch::studies::format::plain;
use anabranch::{Time, Watch};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use std::io::{self, IsTerminal, Write as _};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The number of steps of a bar over many runs: fine enough for hours.
const PARTS: f64 = 1e6;

/// The environment variable with the seconds between two lines; 0 disables them.
const SECONDS: &str = "ANABRANCH_PROGRESS_SECONDS";

/// The progress display of a long command. It disappears on drop.
pub struct Progress {
    bar: ProgressBar,
    lines: Option<Lines>,
}

/// Lines at intervals, for log files.
struct Lines {
    begin: Instant,
    every: Duration,
    next: Mutex<Instant>,
}

impl Progress {
    /// Progress over an amount of simulated time.
    pub fn over(total: Time) -> Self {
        let template = "{bar:40} {percent:>3} % of the simulated time, {speed} simulated s/s, {eta} left";
        Progress::new(total.as_nanos(), template)
    }

    pub fn over_runs() -> Self {
        Progress::new(PARTS as u64, "{bar:24} {prefix} simulated s/s, {eta} left  {wide_msg}")
    }

    fn new(length: u64, template: &str) -> Self {
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let speed = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            // On an error, the speed is missing from the bar.
            let _ = write!(out, "{}", plain(state.per_sec() * 1e-9));
        };
        let style = style.with_key("speed", speed);
        let bar = ProgressBar::new(length).with_style(style.progress_chars("━╸─"));
        Progress { bar, lines: if io::stderr().is_terminal() { None } else { Lines::new() } }
    }

    /// A watch that shows its progress here, and ends at Ctrl-C.
    pub fn watch(&self) -> Watch<'_> {
        let show = |now: anabranch::Progress<'_>| match now {
            anabranch::Progress::Reached(now) => self.show_time(now),
            anabranch::Progress::Runs(runs) => self.show(runs),
        };
        Watch { progress: Box::new(show), ..interrupt::watch() }
    }

    /// Hides the bar while `print` runs.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    fn show_time(&self, now: Time) {
        // A repeated run starts again at 0.
        self.bar.set_position(self.bar.position().max(now.as_nanos()));
        let part = self.bar.position() as f64 / self.bar.length().unwrap_or(1) as f64;
        self.print_line(part, "of the simulated time", "");
    }

    fn show(&self, p: anabranch::studies::Progress<'_>) {
        let speed = p.simulated.as_secs_f64() / self.bar.elapsed().as_secs_f64();
        self.bar.set_prefix(format!("{} of {} runs, {}", p.done, p.total, plain(speed)));
        let now = format!("{}: {}", p.experiment, p.label);
        self.bar.set_message(printable_line(&now));
        self.bar.set_position((p.part * PARTS) as u64);
        let what = format!("of the work, {} of {} runs", p.done, p.total);
        self.print_line(p.part, &what, &format!("; now {now}"));
    }

    /// Prints a line if one is due: the completed fraction, its meaning, and what else there is to say.
    fn print_line(&self, part: f64, what: &str, rest: &str) {
        if let Some(after) = self.lines.as_ref().and_then(Lines::due) {
            // If stderr is closed, the line cannot be shown.
            let _ = writeln!(io::stderr(), "{}", printable(&(line(after, part, what) + rest)));
        }
    }
}

impl Lines {
    /// `None` if lines are disabled.
    fn new() -> Option<Self> {
        let asked = std::env::var(SECONDS).ok().and_then(|text| text.parse::<f64>().ok());
        let every =
            Duration::try_from_secs_f64(asked.unwrap_or(60.0)).ok().filter(|every| !every.is_zero())?;
        let begin = Instant::now();
        Some(Lines { begin, every, next: Mutex::new(begin + every) })
    }

    /// The time since the start, once per interval.
    fn due(&self) -> Option<Duration> {
        // Another thread holds the lock and prints the line.
        let mut next = self.next.try_lock().ok()?;
        let now = Instant::now();
        (now >= *next).then(|| {
            *next = now + self.every;
            now - self.begin
        })
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Clears the line of a bar for a note. The bar continues below it.
#[cfg(feature = "linux")]
pub fn clear_line() {
    if io::stderr().is_terminal() {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
}

/// "3 min: 20 % of the work, 14 of 70 runs; about 12 min left".
fn line(after: Duration, part: f64, what: &str) -> String {
    let percent = (part * 1e3).floor() / 10.0;
    let left = match part > 0.0 {
        true => format!(", about {} left", duration(after.mul_f64((1.0 - part).max(0.0) / part))),
        false => String::new(),
    };
    format!("{}: {percent} % {what}{left}", duration(after))
}

/// Formats seconds below a minute, minutes above.
fn duration(time: Duration) -> String {
    let s = time.as_secs_f64().round() as u64;
    match s {
        0..60 => format!("{s} s"),
        60..3600 => format!("{} min", (s + 30) / 60),
        _ => format!("{} h {} min", (s + 30) / 3600, (s + 30) / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: a fifth in 180 s leaves four times as much.
    #[test]
    fn lines_say_what_is_left() {
        let s = Duration::from_secs;
        let said = line(s(180), 0.2, "of the work, 14 of 70 runs");
        assert_eq!(said, "3 min: 20 % of the work, 14 of 70 runs, about 12 min left");
        assert_eq!(
            line(s(7200), 0.999, "of the simulated time"),
            "2 h 0 min: 99.9 % of the simulated time, about 7 s left"
        );
        assert_eq!(line(s(60), 0.0, "of the work"), "1 min: 0 % of the work");
        assert_eq!(
            [59, 89, 90, 3569, 3570, 5400].map(|n| duration(s(n))),
            ["59 s", "1 min", "2 min", "59 min", "60 min", "1 h 30 min"]
        );
    }

    #[test]
    fn one_line_each_interval() {
        let begin = Instant::now();
        let lines = Lines { begin, every: Duration::from_secs(3600), next: Mutex::new(begin) };
        assert!(lines.due().is_some() && lines.due().is_none());
    }
}
