//! Scenarios changed at random, by their structure: numbers, quantities, words, lines and tables. No mutant panics, `run` refuses
//! no mutant that `check` accepts, and every number of a summary is finite.

use anabranch_cc_fixed::registry;
use anabranch_net::{Random, Time};
use anabranch_record::{NoSamples, Summary};
use anabranch_scenario::{Overrides, Scenario, Source};
use anabranch_sim::{End, Run};
use anabranch_test_support::command::{content, root};
use rustix::time::{ClockId, clock_gettime};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Mutants with every test.
const USUAL: u64 = 500;
/// Those that ask for more memory are not run.
const MEMORY: u64 = 500_000_000;
/// A mutant that takes longer hangs.
const HANGS: Duration = Duration::from_secs(120);
/// How long one is run, by the clock on the wall.
const RUN: Duration = Duration::from_millis(60);

/// The longest that Ctrl-C may wait.
const CTRL_C: Duration = Duration::from_secs(1);

/// The processor's time that this thread had: other work of the machine does not count against the scenario.
fn busy() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Numbers at which things break.
const NUMBERS: &str =
    "0 -0.0 1 -1 2 3.5 31 33 1e-9 0.999999 1e6 4294967296 9223372036854775807 1e18 1e308 nan";
/// Quantities at which things break, of every kind: the last word of each names its kind.
const QUANTITIES: &str = "0 s, 1 ns, 1 us, 10 us, 1 ms, 40 ms, 3 s, 100000 s, 4 bit/s, 1 kbit/s, 1 Mbit/s, 100 Gbit/s, \
                          1 B, 1500 B, 1 MB, 1 packets, 1000000 packets, 0.001 BDP, 1 BDP, 1000 BDP";
/// This number of lines belongs to a link, the others to a flow.
const LINK_LINES: usize = 10;
/// Lines that a link or a flow can have.
const LINES: [&str; 19] = [
    "loss = { model = \"bernoulli\", rate = 0.5 }",
    "loss = { model = \"every-nth\", n = 2 }",
    "loss = { model = \"listed\", packets = [1, 2, 5], larger_than = \"1 B\" }",
    "loss = { model = \"gilbert-elliott\", good_to_bad = 0.1, bad_to_good = 0.2 }",
    "jitter = { up_to = \"30 ms\", reorder_rate = 0.3, reorder_delay = \"50 ms\" }",
    "aqm = { kind = \"codel\" }",
    "aqm = { kind = \"pie\", target = \"0 s\" }",
    "aqm = { kind = \"fq-codel\", flows = 1 }",
    "aqm = { kind = \"red\", min = \"1 packets\", max = \"2 packets\" }",
    "changes = [{ at = \"100 ms\", up = false }, { at = \"200 ms\", up = true }]",
    "changes = [{ at = \"100 ms\", rate = \"10 kbit/s\" }, { at = \"150 ms\", delay = \"0 s\" }]",
    "scheduler = \"redundant\"",
    "scheduler = \"blest\"",
    "count = 40",
    "stop = \"300 ms\"",
    "tcp = { mss = 100, receive_buffer = \"3000 B\", delayed_ack = 1000 }",
    "application = { kind = \"request-response\", size = \"1 B\", think = \"0 s\" }",
    "application = { kind = \"on-off\", on = \"1 us\", off = \"1 us\" }",
    "events = [{ at = \"100 ms\", path = 1, action = \"remove\" }]",
];

struct Mutator {
    random: Random,
    texts: Vec<String>,
}

impl Mutator {
    fn new(seed: u64) -> Self {
        let folders = ["bench/scenarios", "scenarios", "studies"].into_iter();
        let mut files: Vec<_> = folders.flat_map(|folder| content(&root().join(folder))).collect();
        files.retain(|(file, _)| file.extension().is_some_and(|e| e == "toml"));
        assert!(files.len() > 5);
        let texts = files.into_iter().map(|(_, text)| String::from_utf8(text).unwrap());
        // Study files stand beside their scenarios.
        let texts = texts.filter(|text| text.contains("[links.")).collect();
        Mutator { random: Random::new(seed, 0), texts }
    }

    fn below(&mut self, n: usize) -> usize {
        self.random.below(n.max(1) as u64) as usize
    }

    fn one_of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    /// A scenario with one to four changes.
    fn mutant(&mut self) -> String {
        let text = self.below(self.texts.len());
        let mut text = self.texts[text].clone();
        for _ in 0..=self.below(4) {
            text = self.changed(text);
        }
        text
    }

    fn changed(&mut self, text: String) -> String {
        match self.below(9) {
            0 | 1 => self.quantity_replaced(text),
            2 => self.number_replaced(text),
            3 => {
                let names: Vec<&str> = registry::entries().map(|entry| entry.name).collect();
                let lines = text.lines().map(|line| match line.trim_start().starts_with("cc = \"") {
                    true => format!("cc = \"{}\"", self.one_of(&names)),
                    false => line.to_owned(),
                });
                lines.collect::<Vec<_>>().join("\n")
            }
            // A key more, in a table that can have it.
            4..=6 => {
                let i = self.below(LINES.len());
                let begin = if i < LINK_LINES { "delay = " } else { "paths = " };
                let mut lines: Vec<&str> = text.lines().collect();
                let places: Vec<usize> =
                    (0..lines.len()).filter(|at| lines[*at].starts_with(begin)).collect();
                if !places.is_empty() {
                    lines.insert(places[self.below(places.len())], LINES[i]);
                }
                lines.join("\n")
            }
            // A line less, twice, or in another's place.
            7 => {
                let mut lines: Vec<&str> = text.lines().collect();
                let (i, j) = (self.below(lines.len()), self.below(lines.len()));
                match self.below(3) {
                    _ if lines.is_empty() => {}
                    0 => _ = lines.remove(i),
                    1 => lines.insert(i, lines[j]),
                    _ => lines.swap(i, j),
                }
                lines.join("\n")
            }
            // Bytes: cut off, or one that does not belong there.
            _ => {
                let mut chars: Vec<char> = text.chars().collect();
                let i = self.below(chars.len());
                match self.below(3) {
                    0 => chars.truncate(i),
                    _ => chars.insert(i, ['\u{1b}', '\u{202e}', '"', '[', '{', '=', '\0'][self.below(7)]),
                }
                chars.into_iter().collect()
            }
        }
    }

    /// A quantity by another of its kind.
    fn quantity_replaced(&mut self, text: String) -> String {
        let kind = |quantity: &str| match quantity.rsplit(' ').next().unwrap_or_default() {
            unit if unit.ends_with("bit/s") => 1,
            "s" | "ms" | "us" | "ns" | "min" => 2,
            "packets" | "BDP" | "B" | "kB" | "MB" | "KiB" | "MiB" => 3,
            _ => 0,
        };
        let mut parts: Vec<&str> = text.split('"').collect();
        let places: Vec<usize> = (0..parts.len()).filter(|i| i % 2 == 1 && kind(parts[*i]) > 0).collect();
        if !places.is_empty() {
            let i = places[self.below(places.len())];
            let alike: Vec<&str> = QUANTITIES.split(", ").filter(|q| kind(q) == kind(parts[i])).collect();
            parts[i] = self.one_of(&alike);
        }
        parts.join("\"")
    }

    fn number_replaced(&mut self, text: String) -> String {
        let is_number = |c: char| c.is_ascii_digit() || c == '.';
        let starts: Vec<usize> = text.match_indices(is_number).map(|(i, _)| i).collect();
        if starts.is_empty() {
            return text;
        }
        let start = starts[self.below(starts.len())];
        let rest = text[start..].trim_start_matches(is_number);
        format!("{}{}{rest}", &text[..start], self.one_of(&NUMBERS.split(' ').collect::<Vec<_>>()))
    }
}

/// The fate of a mutant.
#[derive(Debug, Default)]
struct Counts {
    refused: u64,
    whole: u64,
    interrupted: u64,
    large: u64,
    /// The longest that Ctrl-C would have waited.
    slowest: Duration,
}

/// Loads and runs a scenario; gives what is wrong with how that went.
fn tried(text: &str, short: bool, counts: &mut Counts) -> Result<(), String> {
    let duration = short.then(|| "400 ms".to_owned());
    let overrides = Overrides { duration, ..Overrides::default() };
    let scenario =
        match anabranch_scenario::load(&Source { name: "mutant".into(), text: text.into() }, &overrides) {
            Ok(scenario) => scenario,
            Err(error) => {
                counts.refused += 1;
                let shown = format!("{:?}", miette::Report::new(error));
                return match shown.len() < 1_000_000 {
                    true => Ok(()),
                    false => Err(format!("a diagnostic of {} bytes", shown.len())),
                };
            }
        };
    if anabranch_sim::memory(&scenario) > MEMORY {
        counts.large += 1;
        return Ok(());
    }
    anabranch_sim::check(&scenario).map_err(|e| format!("checked, and refused by the simulator: {e}"))?;
    run(&scenario, counts)
}

fn run(scenario: &Scenario, counts: &mut Counts) -> Result<(), String> {
    let start = Instant::now();
    let (mut asked, mut slowest) = (busy(), Duration::ZERO);
    let mut wait = |until: Duration| {
        slowest = slowest.max(until.saturating_sub(asked));
        asked = until;
    };
    let ended = anabranch_sim::run(scenario, scenario.seed, &mut NoSamples, &mut |_: Time| {
        wait(busy());
        start.elapsed() < RUN
    });
    // From one query to the next, as from the start to the first and from the last to the end: the longest wait of Ctrl-C.
    wait(busy());
    counts.slowest = counts.slowest.max(slowest);
    if slowest >= CTRL_C {
        return Err(format!("Ctrl-C waits for {slowest:?}"));
    }
    let summary = match ended {
        Ok(Run { summary, end: End::Reached }) => {
            counts.whole += 1;
            summary
        }
        Ok(run) => {
            counts.interrupted += 1;
            run.summary
        }
        Err(error) => return Err(format!("{error}")),
    };
    // Numbers that are not finite do not come back from JSON, or differ from themselves.
    let back = Summary::from_json(&summary.to_json()).map_err(|e| format!("not read back: {e}"))?;
    if back != summary {
        return Err("a number is none".to_owned());
    }
    for link in &summary.links {
        if !(0.0..=1.0 + 1e-9).contains(&link.utilisation) {
            return Err(format!("link {} is used to {}", link.name, link.utilisation));
        }
    }
    let shares = summary.jain.is_none_or(|jain| (0.0..=1.0 + 1e-9).contains(&jain));
    if shares { Ok(()) } else { Err(format!("Jain's index {:?}", summary.jain)) }
}

#[test]
fn no_mutant_breaks_anything() {
    let seed = std::env::var("ANABRANCH_HOSTILE_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut mutator = Mutator::new(seed);
    let (mut counts, mut broken) = (Counts::default(), Vec::new());
    let tmp = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let current = tmp.join("mutant.toml");
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    std::thread::spawn({
        let current = current.clone();
        move || loop {
            let before = NUMBER.load(Ordering::Relaxed);
            std::thread::sleep(HANGS);
            if NUMBER.load(Ordering::Relaxed) == before && before != u64::MAX {
                eprintln!("mutant {before} hangs: {}", current.display());
                std::process::abort();
            }
        }
    });
    for number in 1..=USUAL * crate::times() {
        let text = mutator.mutant();
        let short = mutator.below(4) > 0;
        // Hangs and aborts are found there.
        fs::write(&current, &text).unwrap();
        NUMBER.store(number, Ordering::Relaxed);
        let ended = catch_unwind(AssertUnwindSafe(|| tried(&text, short, &mut counts)));
        if let Err(why) = ended.unwrap_or_else(|_| Err("a panic".to_owned())) {
            let kept = tmp.join(format!("mutant-{seed}-{number}.toml"));
            fs::write(&kept, &text).unwrap();
            broken.push(format!("{}: {why}", kept.display()));
        }
    }
    NUMBER.store(u64::MAX, Ordering::Relaxed);
    eprintln!("mutants: {counts:?}");
    // Enough must be worth running.
    assert!(counts.whole + counts.interrupted > counts.refused / 4, "{counts:?}");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
