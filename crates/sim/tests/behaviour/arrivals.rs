//! Transfers that arrive of their own accord: their load, their times, and what is counted.

use crate::common::{EXACT, into_sink, mean_and_error, record, run, run_seed, scenario};
use anabranch_net::Time;
use anabranch_record::{CompletionSample, MemorySink, NoSamples};
use anabranch_sim::{End, SimError};

const TWO_PATHS: &str = "[links.a]\nrate = \"50 Mbit/s\"\ndelay = \"10 ms\"\n\
    [links.b]\nrate = \"30 Mbit/s\"\ndelay = \"30 ms\"\n\
    [[flows]]\nname = \"web\"\ncc = \"lia\"\npaths = [[\"a\"], [\"b\"]]\n";
const ONE_PATH: &str = "[links.a]\nrate = \"50 Mbit/s\"\ndelay = \"10 ms\"\n\
    [[flows]]\nname = \"web\"\ncc = \"cubic\"\npaths = [[\"a\"]]\n";
const LOGNORMAL: &str = "{ distribution = \"log-normal\", median = \"20 kB\", sigma = 1.5 }";

fn arrivals(network: &str, keys: &str) -> String {
    format!("{network}application = {{ kind = \"arrivals\", {keys} }}\n")
}

fn completions(duration: f64, text: &str) -> Vec<CompletionSample> {
    record(duration, 0.0, text).1.completions
}

/// Where transfers do not meet, each takes as long as alone: to the nanosecond, so that lost packets, joins and delayed
/// acknowledgements are the same.
#[test]
fn a_lone_transfer_takes_as_long_as_alone() {
    for network in [ONE_PATH, TWO_PATHS] {
        for hosts in ["plain", "linux"] {
            let sizes = "size = { distribution = \"uniform\", from = \"100 B\", to = \"3 MB\" }";
            let text = arrivals(network, &format!("{sizes}, interval = \"5 s\", count = 20"));
            let done = completions(110.0, &format!("hosts = \"{hosts}\"\n{EXACT}{text}"));
            assert_eq!(done.len(), 20);
            assert!(done.iter().all(|c| c.times_alone == 1.0), "{hosts}: {done:?}");
        }
    }
}

/// The first of those that share a connection finds it as alone.
#[test]
fn the_first_on_a_shared_connection_takes_as_long_as_alone() {
    for network in [ONE_PATH, TWO_PATHS] {
        let keys = "size = \"500 kB\", interval = \"2 s\", count = 1, connections = \"one\"";
        let done = completions(10.0, &format!("{EXACT}{}", arrivals(network, keys)));
        assert_eq!(done.iter().map(|c| c.times_alone).collect::<Vec<_>>(), [1.0]);
    }
}

/// By hand, whatever the algorithm: bits ÷ the rate of all paths + the RTT of the shortest one. Data that fits the first window
/// takes a round trip for the handshake, half of one for the data, and the transmission, as in
/// `a_transfer_opens_its_connection_first`.
#[test]
fn slowdown_is_by_one_ideal_time() {
    for cc in ["lia", "wvegas"] {
        let lone = |network: &str, bytes: u32| {
            let keys = format!("size = \"{bytes} B\", interval = \"5 s\", count = 1");
            let other = ["lia", "cubic"].iter().fold(network.to_owned(), |text, old| {
                text.replace(&format!("cc = \"{old}\""), &format!("cc = \"{cc}\""))
            });
            assert!(other.contains(&format!("cc = \"{cc}\"")));
            completions(20.0, &format!("{EXACT}{}", arrivals(&other, &keys))).remove(0)
        };
        for (network, ideal) in [(ONE_PATH, 4e6 / 50e6 + 0.02), (TWO_PATHS, 4e6 / 80e6 + 0.02)] {
            let done = lone(network, 500_000);
            assert!((done.slowdown * ideal / done.completion_s - 1.0).abs() < 1e-9, "{cc}: {done:?}");
            assert!(done.slowdown > 1.0 && done.times_alone == 1.0, "{cc}: {done:?}");
        }
        let done = lone(ONE_PATH, 14_480);
        let took = 0.03 + (60.0 + 10.0 * 1500.0) * 8.0 / 50e6;
        let expected = took / (14_480.0 * 8.0 / 50e6 + 0.02);
        assert!((done.slowdown - expected).abs() < 1e-4, "{cc}: {done:?} for {expected}");
    }
}

/// Links have their state of 0 s in the idle network too, but no link is down there.
#[test]
fn changes_at_0_s_are_in_the_idle_network() {
    let keys = "size = \"500 kB\", interval = \"2 s\", count = 2";
    let of = |changes: &str| {
        let network =
            ONE_PATH.replace("delay = \"10 ms\"\n", &format!("delay = \"10 ms\"\nchanges = [{changes}]\n"));
        assert!(network.contains("changes"));
        completions(10.0, &format!("{EXACT}{}", arrivals(&network, keys)))
    };
    let ratios = |changes: &str| of(changes).iter().map(|c| c.times_alone).collect::<Vec<_>>();
    let slower = "{ at = \"0 s\", rate = \"5 Mbit/s\", delay = \"40 ms\" }";
    assert!(of(slower)[0].completion_s > 0.5e6 * 8.0 / 5e6, "the link is slower");
    assert_eq!(ratios(slower), [1.0, 1.0]);
    assert_eq!(ratios("{ at = \"0 s\", up = false }, { at = \"1 s\", up = true }"), [1.0, 1.0]);
    let later = ratios("{ at = \"3 s\", rate = \"5 Mbit/s\" }");
    assert!(later[0] == 1.0 && later[1] > 2.0, "{later:?}");
}

/// A transfer of ten segments in the first window: one round trip for the handshake, half of one for the data, and the
/// transmission of a SYN of 60 bytes and of the segments.
#[test]
fn a_transfer_opens_its_connection_first() {
    let keys = "size = \"14480 B\", interval = \"1 s\", count = 1";
    let done = completions(3.0, &format!("{EXACT}{}", arrivals(ONE_PATH, keys)));
    let wire = (60.0 + 10.0 * 1500.0) * 8.0 / 50e6;
    assert!((done[0].completion_s - (0.03 + wire)).abs() < 1e-6, "{done:?}");
    let start = done[0].time_s - done[0].completion_s;
    assert!((start - 1.0).abs() < 1e-9, "{start}");
}

/// λ·E[size] is the load, within 4.5 standard errors of a Poisson count of exponential sizes: E[S²] = 2 E[S]².
#[test]
fn the_load_is_the_one_asked_for() {
    for (network, capacity) in [(ONE_PATH, 50e6), (TWO_PATHS, 80e6)] {
        let keys = "size = { distribution = \"exponential\", mean = \"50 kB\" }, load = 0.5";
        let (warmup, seconds) = (10.0, 200.0);
        let summary = run(warmup + seconds, warmup, &arrivals(network, keys));
        let transfers = summary.flows[0].transfers.as_ref().unwrap();
        let expected = 0.5 * capacity * seconds / (50e3 * 8.0);
        let load = transfers.offered_bps.unwrap() / capacity;
        let error = 0.5 * (2.0 / expected).sqrt();
        assert!((load - 0.5).abs() < 4.5 * error, "{load} for 0.5, error {error}");
        let count = transfers.started as f64;
        assert!((count - expected).abs() < 4.5 * expected.sqrt(), "{count} for {expected}");
        // All offered data is delivered, except for data under way at both ends.
        let goodput = summary.flows[0].goodput_bps.unwrap() / capacity;
        assert!((goodput - load).abs() < 0.02, "{goodput} for {load}");
    }
}

#[test]
fn what_completes_is_what_is_delivered() {
    for connections in ["new", "one"] {
        for network in [ONE_PATH, TWO_PATHS] {
            let keys =
                format!("size = {LOGNORMAL}, load = 0.7, count = 2000, connections = \"{connections}\"");
            let (summary, samples) = record(60.0, 0.0, &arrivals(network, &keys));
            let flow = &summary.flows[0];
            let bytes: u64 = samples.completions.iter().map(|c| c.bytes).sum();
            assert_eq!((flow.delivered_bytes, samples.completions.len()), (bytes, 2000), "{connections}");
            let transfers = flow.transfers.as_ref().unwrap();
            assert_eq!((transfers.started, transfers.unfinished), (2000, 0));
            assert_eq!(flow.completion.as_ref().unwrap().count, 2000);
            let by_class: u64 = transfers.classes.iter().map(|c| c.completion.as_ref().unwrap().count).sum();
            assert_eq!(by_class, 2000);
            let by_path: u64 = flow.subflows.iter().map(|s| s.sent_segments).sum();
            assert!(by_path * 1448 >= bytes, "{by_path} segments");
        }
    }
}

#[test]
fn what_is_not_complete_is_counted() {
    for connections in ["new", "one"] {
        let keys = format!("size = \"1 MB\", interval = \"1 s\", connections = \"{connections}\"");
        // At 50 Mbit/s a megabyte takes 160 ms at least; the last has 100 ms.
        let summary = run(4.1, 1.5, &format!("{EXACT}{}", arrivals(ONE_PATH, &keys)));
        let transfers = summary.flows[0].transfers.as_ref().unwrap();
        assert_eq!((transfers.started, transfers.unfinished), (3, 1), "{connections}");
        assert_eq!(transfers.classes[0].unfinished, 1);
    }
}

/// The offered rate is over the whole window, though the ten megabytes have arrived before its end.
#[test]
fn what_is_offered_is_over_the_window() {
    for connections in ["new", "one"] {
        let keys =
            format!("size = \"1 MB\", interval = \"1 s\", count = 10, connections = \"{connections}\"");
        let text = format!("{EXACT}{}", arrivals(&ONE_PATH.replace("cc =", "stop = \"30 s\"\ncc ="), &keys));
        // The first four arrive in the warm-up.
        let summary = run(40.0, 4.5, &text);
        let offered = summary.flows[0].transfers.as_ref().unwrap().offered_bps.unwrap();
        assert!((offered - 6.0 * 8e6 / 25.5).abs() < 1.0, "{connections}: {offered}");
    }
}

/// A lone run takes as long as a large transfer: it can be interrupted, and what was measured by then is kept.
#[test]
fn lone_runs_can_be_interrupted() {
    for connections in ["new", "one"] {
        let keys = format!("size = \"5 GB\", interval = \"1 s\", count = 1, connections = \"{connections}\"");
        let network = ONE_PATH.replace("50 Mbit/s", "10 Gbit/s").replace("10 ms", "100 us");
        let spec = scenario(20.0, 0.0, &format!("{EXACT}{}", arrivals(&network, &keys)));
        let (mut reached, mut stood) = (Time::ZERO, 0);
        // Only in lone runs does the time of the run stand still between questions.
        let mut keep_going = |now: Time| {
            stood += u32::from(now == reached);
            reached = now;
            stood == 0
        };
        let run = anabranch_sim::run(&spec, 1, &mut NoSamples, &mut keep_going).unwrap();
        assert_eq!(run.end, End::Cancelled(reached));
        let transfers = run.summary.flows[0].transfers.as_ref().unwrap();
        assert_eq!((transfers.started, transfers.unfinished, &transfers.times_alone), (1, 0, &None));
    }
}

/// Arrivals and sizes have random numbers of their own: whatever is done with a transfer, the next ones are the same.
#[test]
fn every_algorithm_sees_the_same_transfers() {
    let of = |network: &str, seed: u64| {
        let keys = format!("size = {LOGNORMAL}, load = 0.4, count = 500");
        let mut sink = MemorySink::new();
        into_sink(&scenario(40.0, 0.0, &arrivals(network, &keys)), seed, &mut sink).unwrap();
        let start = |c: &CompletionSample| ((c.time_s - c.completion_s) * 1e9).round() as u64;
        let mut all: Vec<_> = sink.completions.iter().map(|c| (start(c), c.bytes)).collect();
        all.sort_unstable();
        (all, sink.completions.iter().map(|c| c.time_s).collect::<Vec<_>>())
    };
    let (lia, lia_ends) = of(TWO_PATHS, 1);
    let (coupled, coupled_ends) = of(&TWO_PATHS.replace("lia", "coupled-cubic"), 1);
    assert_eq!(lia.len(), 500);
    assert_eq!(lia, coupled);
    assert_ne!(lia_ends, coupled_ends);
    assert_eq!(of(TWO_PATHS, 1), (lia.clone(), lia_ends));
    assert_ne!(of(TWO_PATHS, 2).0, lia);
    // A shared connection gets the same transfers.
    let keys = format!("size = {LOGNORMAL}, load = 0.4, count = 500, connections = \"one\"");
    let shared = completions(40.0, &arrivals(TWO_PATHS, &keys));
    let mut sizes: Vec<u64> = shared.iter().map(|c| c.bytes).collect();
    let mut own: Vec<u64> = lia.iter().map(|(_, bytes)| *bytes).collect();
    assert_eq!(own.len(), sizes.len());
    // On one connection they complete as they arrived.
    assert_eq!(sizes[..20], own[..20]);
    own.sort_unstable();
    sizes.sort_unstable();
    assert_eq!(own, sizes);
}

/// Pollaczek and Khinchine: through one queue in order of arrival a transfer waits λE[S²] ÷ 2(1 − ρ) on average. Each segment is a
/// transfer's or a fraction of it, the window never limits, and nothing else takes time.
#[test]
fn waiting_on_one_connection_is_that_of_m_g_1() {
    let rate = 12e6;
    let segment = 1500.0 * 8.0 / rate;
    for (sizes, moments) in [
        // Always one segment: M/D/1.
        ("1448,0\n1448,1\n", [1.0, 1.0]),
        // One segment, or of one in five eleven: M/G/1.
        ("1448,0.8\n15928,0.8\n15928,1\n", [0.8 + 0.2 * 11.0, 0.8 + 0.2 * 121.0]),
    ] {
        let [first, second] = [moments[0] * segment, moments[1] * segment * segment];
        for load in [0.5, 0.8] {
            let interval = first / load;
            let text = format!(
                "{EXACT}links.a = {{ rate = \"12 Mbit/s\", delay = \"1 us\", queue = \"1000000 packets\" }}\n\
                 [[flows]]\nname = \"web\"\ncc = \"reno\"\npaths = [[\"a\"]]\n\
                 tcp = {{ initial_window = 1000, delayed_ack = 1, slow_start_after_idle = false }}\n\
                 application = {{ kind = \"arrivals\", connections = \"one\", interval = {{ distribution = \
                 \"exponential\", mean = \"{interval} s\" }}, size = {{ distribution = \"empirical\", file = \"s\" }} }}\n\
                 [files.s]\ntext = '''\n{sizes}'''\n"
            );
            // A share for each unknown subflow, the rest in shares that hardly depend on each other.
            let done = completions(30_000.0 * interval, &text);
            let waits: Vec<f64> = done
                .iter()
                .skip(1000)
                .map(|c| c.completion_s - (c.bytes / 1448) as f64 * segment - 1e-6)
                .collect();
            let parts: Vec<f64> = waits.chunks_exact(1000).map(|part| mean_and_error(part).0).collect();
            let (mean, error) = mean_and_error(&parts);
            let theory = second / interval / (2.0 * (1.0 - load));
            assert!((mean - theory).abs() < 4.0 * error, "load {load}: {mean} ± {error} for {theory}");
            assert!(error < 0.15 * theory, "load {load}: {error} of {theory}");
        }
    }
}

/// Utilisation is the load and its headers.
#[test]
fn the_wire_carries_the_load_and_headers() {
    let keys = "size = \"144800 B\", interval = \"100 ms\"";
    let summary = run_seed(110.0, 10.0, &arrivals(ONE_PATH, keys), 3);
    // Ten transfers a second of 100 segments, with a SYN, what ends it, and no loss.
    let packets = 10.0 * (100.0 * 1500.0 + 60.0 + 52.0) * 8.0;
    let sent = summary.links[0].utilisation * 50e6;
    assert!((sent / packets - 1.0).abs() < 0.01, "{sent} for {packets}");
    assert_eq!(summary.links[0].drops, 0);
}

#[test]
fn transfers_that_pile_up_end_the_run() {
    let keys = "size = \"1 GB\", interval = \"1 ms\"";
    let text = arrivals(&ONE_PATH.replace("50 Mbit/s", "100 kbit/s"), keys);
    let error = into_sink(&scenario(60.0, 0.0, &text), 1, &mut NoSamples).unwrap_err();
    assert!(matches!(error, SimError::TooManyOpen { most: 10_000, .. }), "{error}");
    assert!(error.to_string().contains("flow `web`: too many transfers with open connections at"), "{error}");
}

/// 6000 are open at 1 s, and 6000 of another flow at 20 s.
#[test]
fn connections_that_are_over_do_not_count_as_open() {
    let flow = |name: &str, start: &str| {
        format!(
            "[[flows]]\nname = \"{name}\"\ncc = \"reno\"\nstart = \"{start}\"\npaths = [[\"a\"]]\n\
             application = {{ kind = \"arrivals\", size = \"1 kB\", interval = \"50 us\", count = 6000 }}\n"
        )
    };
    let link = "links.a = { rate = \"400 Mbit/s\", delay = \"300 ms\", queue = \"100000 packets\" }\n";
    let summary = run(40.0, 0.0, &format!("{link}{}{}", flow("early", "0 s"), flow("late", "20 s")));
    for flow in &summary.flows {
        let transfers = flow.transfers.as_ref().unwrap();
        assert_eq!((transfers.started, transfers.unfinished), (6000, 0));
    }
}

/// Samples of a flow whose transfers have connections of their own are sums: they acknowledge at least what the summary has.
#[test]
fn samples_are_sums_over_connections() {
    let keys = format!("size = {LOGNORMAL}, load = 0.5, count = 300");
    let (summary, samples) = record(60.0, 0.0, &arrivals(TWO_PATHS, &keys));
    let flow = &summary.flows[0];
    for (series, subflow) in samples.flows[0].subflows.iter().zip(&flow.subflows) {
        assert_eq!(series.time_s.len(), 600);
        assert!(series.delivered_bytes.is_sorted());
        assert_eq!(*series.cwnd_segments.last().unwrap(), 0.0);
        assert!(subflow.mean_cwnd_segments.is_some() && subflow.rtt_p50_s > Some(0.02));
    }
    let acknowledged: f64 = samples.flows[0].subflows.iter().map(|s| s.delivered_bytes.last().unwrap()).sum();
    assert!(acknowledged >= flow.delivered_bytes as f64, "{acknowledged} of {}", flow.delivered_bytes);
}
