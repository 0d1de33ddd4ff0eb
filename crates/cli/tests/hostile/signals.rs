//! Signals at any time: a command ends with status 130, or by the signal where it had not begun to listen; its files are whole, and
//! say that the run is partial.

use anabranch_record::{Sink, SubflowSample, Summary};
use anabranch_test_support::command::{
    self, TWO_PATHS, command, content, is_caught, is_ignored, scratch, skipped, wait_for, words,
};
use rustix::process::Signal;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The longest time for which a command may continue after the signal: a second where it has the machine to itself, as under `make
/// hostile`; other tests run beside this one.
fn patience() -> Duration {
    Duration::from_secs(if crate::times() > 1 { 1 } else { 20 })
}

fn long(what: &str, out: &Path) -> Vec<String> {
    let out = out.display();
    words(&match what {
        "run" => format!("run {TWO_PATHS} --duration '1000000 s' --set 'warmup=0 s' --out {out}"),
        "compare" => format!("compare {TWO_PATHS} --duration '1000000 s' --cc lia,olia --seeds 3 --json"),
        "paper" => format!("paper E --only E-1000 --out {out}"),
        _ => format!("cc report lia --full --out {out}"),
    })
}

#[test]
fn whatever_asks_for_the_end_gets_it() {
    let (mut done, mut noticed, mut slowest) = (0, 0, Duration::ZERO);
    for round in 0..crate::times().min(100) {
        for what in ["run", "compare", "paper", "report"] {
            for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
                if is_ignored(signal) {
                    skipped("a signal is ignored here, and so by the command");
                    continue;
                }
                for (delay_ms, listens) in [(3 + round * 7 % 50, false), (50 + round * 13 % 100, true)] {
                    let (dir, out) = scratch("out");
                    let mut child = command().args(long(what, &out)).spawn().unwrap();
                    if listens {
                        let process = child.id();
                        wait_for(&mut child, || is_caught(process, signal));
                    }
                    sleep(Duration::from_millis(delay_ms));
                    assert_eq!(child.try_wait().unwrap(), None, "{what} ended early");
                    command::signal(&child, signal);
                    let asked = Instant::now();
                    let output = child.wait_with_output().unwrap();
                    let waited = asked.elapsed();
                    slowest = slowest.max(waited);
                    assert!(waited < patience(), "{what}, {signal:?} after {delay_ms} ms: {waited:?}");
                    let said = String::from_utf8_lossy(&output.stderr);
                    assert!(!said.contains("panicked"), "{said}");
                    done += 1;
                    let Some(status) = output.status.code() else {
                        assert!(!listens, "{what}, {signal:?}: it had begun to listen");
                        continue;
                    };
                    noticed += 1;
                    assert_eq!(status, 130, "{what}, {signal:?} after {delay_ms} ms: {said}");
                    if what == "run" {
                        let summary = Summary::read(&out.join("summary.json")).unwrap();
                        assert!(summary.partial_until_s.is_some());
                    }
                    assert!(content(dir.path()).keys().all(|f| f.extension().is_none_or(|e| e != "partial")));
                }
            }
        }
    }
    eprintln!("signals: {done}, of which {noticed} noticed; the slowest end took {slowest:?}");
}

/// The clock decides when to ask whether to continue, not the number of events: here a few hundred take long.
#[test]
fn slow_events_are_interrupted_too() {
    struct Slow;
    impl Sink for Slow {
        fn subflow(&mut self, _: &SubflowSample<'_>) {
            sleep(Duration::from_millis(1));
        }
    }
    let text = r#"
        name = "few events"
        duration = "100 s"
        record.interval = "100 ms"
        links.a = { rate = "20 kbit/s", delay = "10 ms" }
        flows = [{ name = "f", cc = "reno", paths = [["a"]] }]
    "#;
    let scenario = text.parse::<anabranch_scenario::Scenario>().unwrap();
    let mut asked = 0;
    let ended = anabranch_sim::run(&scenario, 1, &mut Slow, &mut |_| {
        asked += 1;
        asked < 3
    });
    assert!(matches!(ended.unwrap().end, anabranch_sim::End::Cancelled(_)), "asked {asked} times");
}
