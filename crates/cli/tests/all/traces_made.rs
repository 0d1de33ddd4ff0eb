//! `anabranch trace`, and the scenarios that follow what it made.

use crate::book::renew_file;
use anabranch_test_support::command::{anabranch, folder, root};
use std::fs;

/// The shipped traces are those of the commands in their first lines.
#[test]
fn the_shipped_traces_are_made_by_their_commands() {
    let mut models = Vec::new();
    for file in fs::read_dir(root().join("scenarios/traces")).unwrap() {
        let file = file.unwrap().path();
        let shipped = fs::read_to_string(&file).unwrap();
        let command = shipped.lines().next().unwrap().strip_prefix("# Synthetic: anabranch ").unwrap();
        let arguments = shlex::split(command).unwrap();
        renew_file(&file, &anabranch(&arguments).ok());
        models.push(arguments[1].clone());
    }
    models.sort();
    assert_eq!(models, ["lte", "mmwave", "starlink"]);
}

/// Times and rates in Mbit/s of the rows, and what else they have.
fn rows(model: &str, seed: u64) -> Vec<Vec<f64>> {
    let text = anabranch(["trace", model, "--seed", &seed.to_string(), "--duration", "20 min"]).ok();
    let rows = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    rows.map(|row| row.split(',').filter_map(|cell| cell.parse().ok()).collect()).collect()
}

/// The fraction of time for which a row says so, and how often that begins.
fn part(rows: &[Vec<f64>], is: impl Fn(f64) -> bool) -> (f64, usize) {
    let (mut time, mut count, mut was) = (0.0, 0, false);
    for pair in rows.windows(2) {
        let now = is(pair[0][1]);
        time += if now { pair[1][0] - pair[0][0] } else { 0.0 };
        count += usize::from(now && !was);
        was = now;
    }
    (time / rows.last().unwrap()[0], count)
}

#[test]
fn satellites_change_every_15_s() {
    let rows = rows("starlink", 3);
    let changes: Vec<f64> =
        rows.windows(2).filter(|w| w[1].len() == 4 && w[0][2] != w[1][2]).map(|w| w[1][0]).collect();
    assert!(changes.len() >= 75 && changes.iter().all(|at| at % 15.0 == 0.0), "{changes:?}");
    let delays: Vec<f64> = rows.iter().filter_map(|row| row.get(2)).copied().collect();
    assert!(delays.iter().all(|delay| (15.0..=35.0).contains(delay)));
    // 80 handovers of 50 ms on average, of which each is at most 250 ms.
    let (paused, times) = part(&rows, |rate| rate == 0.0);
    assert_eq!(times, 80);
    assert!((0.03..0.075).contains(&(paused * 1200.0 / 80.0)), "{paused}");
}

/// Blocked 0.299 s of every 4.999: the mean of 240 exponential times is within 4 standard errors.
#[test]
fn people_block_millimetre_waves() {
    let rows = rows("mmwave", 5);
    let clear = rows[0][1];
    let (blocked, times) = part(&rows, |rate| rate < clear);
    let mean = blocked * 1200.0 / times as f64;
    assert!((mean / 0.299 - 1.0).abs() < 4.0 / (times as f64).sqrt(), "{mean} s");
    assert!((180..300).contains(&times), "{times}");
    // 100 MHz at 25 dB.
    assert!((clear - 831.0).abs() < 1.0, "{clear}");
}

#[test]
fn cells_deliver_at_most_12_mbps_and_pause() {
    let at: Vec<f64> = rows("lte", 2).into_iter().map(|row| row[0]).collect();
    assert_eq!(at.last(), Some(&1_200_000.0));
    let mbps = at.len() as f64 * 12e3 / 1200.0 / 1e6;
    assert!((3.0..9.0).contains(&mbps), "{mbps}");
    // Outages last for a second on average, and a bit longer as the rate behind them is low.
    let gaps: Vec<f64> = at.windows(2).map(|w| w[1] - w[0]).filter(|gap| *gap > 300.0).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    assert!(gaps.len() > 40 && (1000.0..1700.0).contains(&mean), "{} of {mean} ms", gaps.len());
    // Poisson with a mean of at most one a millisecond: more than eight are rarer than 10⁻⁶.
    let most = at.chunk_by(|a, b| a == b).map(<[f64]>::len).max();
    assert!(most <= Some(9), "{most:?}");
}

#[test]
fn each_seed_has_another_trace() {
    for model in ["lte", "starlink", "mmwave"] {
        let made = |seed: &str| anabranch(["trace", model, "--seed", seed, "--duration", "30 s"]).ok();
        assert_eq!(made("1"), made("1"));
        assert_ne!(made("1").lines().nth(5), made("2").lines().nth(5));
    }
}

/// Whatever the duration, a link can follow it.
#[test]
fn any_duration_is_a_trace() {
    let folder = folder();
    for model in ["lte", "starlink", "mmwave"] {
        let durations = ["1 s", "15 s", "15.0004 s", "15.001 s", "15.002 s", "15.05 s", "75.1 s"];
        for (seed, duration) in durations.iter().enumerate() {
            let made = anabranch(["trace", model, "--seed", &seed.to_string(), "--duration", duration]).ok();
            folder.write("made", made);
            let delay = if model == "starlink" { "" } else { "delay = \"1 ms\"\n" };
            let text = format!(
                "name = \"any\"\nduration = \"1 s\"\n[links.a]\ntrace = \"made\"\n{delay}\
                 [[flows]]\nname = \"f\"\ncc = \"reno\"\npaths = [[\"a\"]]\n"
            );
            let page = anabranch(["check", &folder.write("any.toml", text)]).ok();
            assert!(page.starts_with("OK"), "{model} {duration}: {page}");
        }
    }
}
