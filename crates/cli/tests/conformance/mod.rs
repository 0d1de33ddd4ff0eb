//! Conformance by script: small cases in which a link does something exact, and the comparison of what two senders do then.

use anabranch_record::{Record, SubflowSeries};
use anabranch_test_support::command::{Outcome, anabranch, root};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// The tolerances. They were fixed before the first comparison.
///
/// What is sent first and again, in which order, and what is acknowledged must be equal. The time since the packet before it on the
/// same path may differ by 2 ms and 15 %: timers of Linux are late by up to an eighth.
const GAP_MS: f64 = 2.0;
const GAP: f64 = 0.15;
/// Thresholds and windows, in segments.
const SEGMENTS: f64 = 1.0;
/// The windows between reductions are compared this long after each, and again as long after that.
const EPOCH_MS: u64 = 500;

/// Each backend with stored traces.
pub const KERNELS: [&str; 2] = ["guest-6.12", "kernel"];

/// The cases, and the causes of the differences.
#[derive(Deserialize)]
pub struct Cases {
    /// Each with its letter.
    pub causes: BTreeMap<char, String>,
    pub cases: Vec<Case>,
}

impl Cases {
    pub fn read() -> Cases {
        let file = root().join("crates/cli/tests/conformance/cases.json");
        serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
    }
}

#[derive(Deserialize)]
pub struct Case {
    pub name: String,
    /// The scenario, in `scenarios/conformance`.
    pub base: String,
    /// The keys that it sets.
    pub set: Vec<String>,
    /// What it also sets on Linux. The seed selects the packets that a link holds back, and Linux sends one packet more before the data:
    /// the third of the handshake. With large segments, Linux offers more of a receive buffer.
    #[serde(default)]
    pub on_linux: Vec<String>,
    /// Whether the windows between reductions are compared: where the algorithm's growth is what the case is about.
    #[serde(default)]
    pub epochs: bool,
    pub shows: String,
    /// In what the simulator differs from Linux beyond the tolerance, with the letters of the causes.
    #[serde(default)]
    pub differs: BTreeMap<Aspect, String>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum Aspect {
    /// The segments of each path, in order: the offset, the length, first or again.
    Sent,
    /// The time between two of them.
    Times,
    /// The ACKs of each path, in order, with their SACK ranges.
    Acks,
    /// The slow-start threshold after each reduction.
    Thresholds,
    /// The window at intervals after each reduction.
    Epochs,
    /// The window at the end, of paths that both have.
    Window,
}

impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Aspect::Sent => "segments",
            Aspect::Times => "times",
            Aspect::Acks => "ACKs",
            Aspect::Thresholds => "thresholds",
            Aspect::Epochs => "epochs",
            Aspect::Window => "last window",
        })
    }
}

impl Case {
    /// The file of its trace on a kernel.
    pub fn stored(&self, kernel: &str) -> PathBuf {
        root().join(format!("crates/cli/tests/conformance/{kernel}/{}.txt", self.name))
    }

    pub fn scenario(&self) -> String {
        format!("scenarios/conformance/{}.toml", self.base)
    }

    /// The second line of its stored traces: how it runs on Linux, and a hash (FNV-1a) of the scenario without comments. A trace with
    /// another line is of another case.
    pub fn stamp(&self) -> String {
        self.stamp_with(&fs::read_to_string(root().join(self.scenario())).unwrap())
    }

    /// The same with this text in place of the scenario's.
    pub fn stamp_with(&self, scenario: &str) -> String {
        let lines = scenario.lines().filter(|line| !line.starts_with('#'));
        let hash = lines
            .flat_map(|line| line.bytes().chain([b'\n']))
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        format!("# {}, of {hash:016x}", self.run("kernel").join(" "))
    }

    /// Whether a stored trace is of the case as it is now.
    pub fn is_of(&self, stored: &str) -> bool {
        stored.lines().nth(1) == Some(&self.stamp())
    }

    /// The arguments that run it on a backend.
    pub fn run(&self, backend: &str) -> Vec<String> {
        let file = self.scenario();
        let more: &[String] = if backend == "sim" { &[] } else { &self.on_linux };
        let set = self.set.iter().chain(more).flat_map(|key| ["--set".to_owned(), key.clone()]);
        ["run".to_owned(), file].into_iter().chain(set).collect()
    }

    /// Its trace on a backend, and the kernel's release, of a run that must succeed.
    pub fn must_trace(&self, backend: &str, folder: &Path) -> (String, String) {
        self.trace(backend, folder).unwrap_or_else(|why| panic!("{}: {}", self.name, why.stderr))
    }

    /// The same; or how the run failed.
    pub fn trace(&self, backend: &str, folder: &Path) -> Result<(String, String), Outcome> {
        let folder = folder.join(&self.name);
        fs::create_dir(&folder).unwrap();
        let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        let outputs = ["--backend", backend, "--pcap", &at("p.pcapng"), "--out", &at("out")];
        let ended = anabranch(self.run(backend).into_iter().chain(outputs.map(str::to_owned)));
        if ended.status != 0 {
            return Err(ended);
        }
        let mut text = anabranch(["capture", "--trace", &at("p.pcapng")]).ok();
        let record = Record::read(&folder.join("out")).unwrap();
        let paths = record.samples.flows.iter().flat_map(|flow| &flow.subflows);
        text.extend((1..).zip(paths).map(|(path, samples)| windows(path, samples, self.epochs)));
        Ok((text, record.summary.kernel.map_or(String::new(), |kernel| kernel.release)))
    }
}

/// Lines for each change of a path's threshold, for windows after it if they are `epochs`, and for the last window.
fn windows(path: usize, samples: &SubflowSeries, epochs: bool) -> String {
    let mut text = String::new();
    let (mut before, mut reduced) = (f64::INFINITY, f64::INFINITY);
    let rows = samples.time_s.iter().zip(&samples.cwnd_segments).zip(&samples.ssthresh_segments);
    for ((time, cwnd), threshold) in rows {
        // An infinite threshold of a kernel is a large number.
        let threshold = if *threshold > 1e6 { f64::INFINITY } else { *threshold };
        if threshold != before && threshold.is_finite() {
            text += &format!("{:.0} {path} threshold {threshold:.1}\n", time * 1e3);
            reduced = *time;
        }
        let since = ((time - reduced) * 1e3).round() as u64; // 0 before the first
        if epochs && since > 0 && since.is_multiple_of(EPOCH_MS) {
            text += &format!("{:.0} {path} epoch {cwnd:.1}\n", time * 1e3);
        }
        before = threshold;
    }
    let last = samples.cwnd_segments.last().copied().unwrap_or_default();
    text + &format!("end {path} window {last:.1}\n")
}

/// A trace, by paths.
pub struct Trace(Vec<PathTrace>);

#[derive(Default)]
struct PathTrace {
    /// The time and the text of each segment.
    sent: Vec<(f64, String)>,
    acks: Vec<String>,
    thresholds: Vec<f64>,
    /// The windows after each.
    epochs: Vec<Epoch>,
    window: Option<f64>,
}

/// Windows after a reduction.
struct Epoch {
    /// When the reduction was.
    start: f64,
    windows: Vec<Sample>,
}

/// A window of an epoch.
#[derive(Clone)]
struct Sample {
    /// The time since the reduction, in ms.
    since: f64,
    window: f64,
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} after {} ms", self.window, self.since)
    }
}

impl Trace {
    /// Reads lines of `anabranch capture --trace` and of `windows`. Lines that begin with `#` are comments.
    pub fn read(text: &str) -> Trace {
        let mut paths: Vec<PathTrace> = vec![];
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.splitn(4, ' ');
            let mut word = || words.next().unwrap_or_else(|| panic!("a word is missing: {line}"));
            let (time, path, kind, what) = (word(), word(), word(), word());
            let path = path.parse::<usize>().unwrap();
            paths.resize_with(path.max(paths.len()), PathTrace::default);
            let path = &mut paths[path - 1];
            let number = |text: &str| text.parse::<f64>().unwrap_or_else(|_| panic!("{line}"));
            match kind {
                // A kernel's socket ends with a reset, the model's with nothing.
                ">" if what == "rst" || what == "fin" => (),
                ">" => path.sent.push((number(time), what.to_owned())),
                "<" if what == "rst" => (),
                "<" => path.acks.push(what.to_owned()),
                "threshold" => {
                    path.thresholds.push(number(what));
                    path.epochs.push(Epoch { start: number(time), windows: vec![] });
                }
                "epoch" => {
                    let epoch = path.epochs.last_mut().expect("a threshold before");
                    epoch.windows.push(Sample { since: number(time) - epoch.start, window: number(what) });
                }
                "window" => path.window = Some(number(what)),
                _ => panic!("{line}"),
            }
        }
        for PathTrace { sent, acks, .. } in &mut paths {
            let end = sent.iter().filter_map(|(_, what)| end(what)).max().unwrap_or(0);
            // What is acknowledged beyond the data is a FIN.
            acks.retain(|ack| {
                let number = ack.split(' ').next().and_then(|number| number.parse::<u64>().ok());
                number.is_none_or(|number| number <= end)
            });
            // So is a repetition of the last one, by the server's FIN or of MPTCP's.
            while acks.len() > 1 && acks.last() == acks.get(acks.len() - 2) {
                acks.pop();
            }
        }
        Trace(paths)
    }

    /// The aspects in which `other`, a kernel, differs beyond the tolerance, each with the first difference.
    pub fn differences(&self, other: &Trace) -> Vec<(Aspect, String)> {
        let mut found = vec![];
        let mut add = |aspect, first: Option<String>| found.extend(first.map(|first| (aspect, first)));
        let segments = |path: &PathTrace| path.sent.iter().map(|(_, what)| what.clone()).collect();
        let sent = self.first(other, |path, _| segments(path), String::eq);
        let is_same = sent.is_none();
        add(Aspect::Sent, sent);
        // Times of other segments do not compare.
        add(Aspect::Times, if is_same { self.late(other) } else { None });
        add(Aspect::Acks, self.first(other, |path, _| path.acks.clone(), String::eq));
        let close = |a: &f64, b: &f64| (a - b).abs() <= SEGMENTS;
        add(Aspect::Thresholds, self.first(other, |path, _| path.thresholds.clone(), close));
        let is_same = |a: &Sample, b: &Sample| a.since == b.since && close(&a.window, &b.window);
        add(Aspect::Epochs, self.first(other, PathTrace::epochs_beside, is_same));
        // A kernel's paths may last longer than the model's.
        let window =
            |path: &PathTrace, other: &PathTrace| other.window.and(path.window).into_iter().collect();
        add(Aspect::Window, self.first(other, window, close));
        found
    }

    pub fn has_epochs(&self) -> bool {
        self.0.iter().flat_map(|path| &path.epochs).any(|epoch| !epoch.windows.is_empty())
    }

    /// The first gap that differs beyond the tolerance.
    fn late(&self, other: &Trace) -> Option<String> {
        self.0.iter().zip(&other.0).enumerate().find_map(|(path, (ours, theirs))| {
            ours.sent.windows(2).zip(theirs.sent.windows(2)).find_map(|(ours, theirs)| {
                let [gap, expected] = [ours, theirs].map(|two| two[1].0 - two[0].0);
                let is_close = (gap - expected).abs() <= GAP_MS + GAP * expected;
                let what = &ours[1].1;
                (!is_close).then(|| {
                    format!(
                        "path {}, `{what}`: {gap:.1} ms behind the one before it, Linux {expected:.1}",
                        path + 1
                    )
                })
            })
        })
    }

    /// The first pair that differs of what `of` takes from a path, beside the other trace's.
    fn first<T: fmt::Display>(
        &self,
        other: &Trace,
        of: impl Fn(&PathTrace, &PathTrace) -> Vec<T>,
        is_same: impl Fn(&T, &T) -> bool,
    ) -> Option<String> {
        let none = PathTrace::default();
        (0..self.0.len().max(other.0.len())).find_map(|path| {
            let [ours, theirs] = [self, other].map(|trace| trace.0.get(path).unwrap_or(&none));
            let (ours, theirs) = (of(ours, theirs), of(theirs, ours));
            let same = ours.iter().zip(&theirs).take_while(|(a, b)| is_same(a, b)).count();
            let show = |all: &[T]| all.get(same).map_or("nothing".to_owned(), |what| format!("`{what}`"));
            (same < ours.len().max(theirs.len())).then(|| {
                format!("path {}, number {}: {}, Linux {}", path + 1, same + 1, show(&ours), show(&theirs))
            })
        })
    }
}

impl PathTrace {
    /// The windows, up to the last one there of the same epoch: an epoch may last longer here.
    fn epochs_beside(&self, other: &PathTrace) -> Vec<Sample> {
        let both = |(here, there): (&Epoch, &Epoch)| {
            let end = there.windows.last().map_or(0.0, |last| last.since);
            here.windows.iter().filter(|sample| sample.since <= end).cloned().collect::<Vec<_>>()
        };
        self.epochs.iter().zip(&other.epochs).flat_map(both).collect()
    }
}

/// The offset behind the data of a segment.
fn end(what: &str) -> Option<u64> {
    let (start, length) = what.split(' ').next()?.split_once('+')?;
    Some(start.parse::<u64>().ok()? + length.parse::<u64>().ok()?)
}
