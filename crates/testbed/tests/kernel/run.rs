//! Whole runs, held against what links carry, and against the simulator.

use anabranch_net::Time;
use anabranch_record::{MemorySink, NoSamples, Sink, Summary};
use anabranch_scenario::Scenario;
use anabranch_test_support::host::kernel;
use anabranch_test_support::witness::{go_first, held, stay_on, within};
use anabranch_testbed::{Limits, RunOptions, TestbedError, Traffic};
use rustix::thread::{CpuSet, sched_getaffinity};
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// Tests make their attempts themselves.
const OPTIONS: RunOptions =
    RunOptions { repeats: 0, repeating: |_| {}, traffic: Traffic::Own, limits: Limits::USUAL };

fn scenario(text: &str) -> Scenario {
    text.parse().unwrap_or_else(|e| panic!("{e:?}"))
}

/// A run, or the reason why it failed.
fn run(scenario: &Scenario) -> Result<Summary, String> {
    run_with(scenario, &OPTIONS, &mut NoSamples)
}

fn run_with(scenario: &Scenario, options: &RunOptions, to: &mut dyn Sink) -> Result<Summary, String> {
    let run =
        anabranch_testbed::run(scenario, 1, options, to, &mut |_| true).map_err(|why| why.to_string())?;
    // A run whose links were late says nothing of times and rates.
    let invalid = &run.kernel.as_ref().unwrap().invalid;
    let others = ["plain TCP", "no row", "never sent"];
    assert_eq!(invalid.iter().find(|why| others.iter().any(|said| why.contains(said))), None);
    if invalid.is_empty() { Ok(run) } else { Err(invalid.join(", ")) }
}

/// The data that the link carries, less the headers.
fn is_the_rate(goodput_bps: f64) -> Result<(), String> {
    within("of the link's payload", goodput_bps / (20e6 * 1448.0 / 1500.0), 0.97..1.03)
}

const ONE_LINK: &str = r#"
    name = "one link"
    duration = "4 s"
    warmup = "1 s"
    links.a = { rate = "20 Mbit/s", delay = "10 ms", queue = "1 BDP" }
    flows = [{ name = "tcp", cc = "reno", paths = [["a"]] }]
"#;

const TWO_PATHS: &str = r#"
    name = "two paths"
    duration = "5 s"
    warmup = "2 s"
    record.interval = "100 ms"
    links.a = { rate = "20 Mbit/s", delay = "5 ms", queue = "1 BDP" }
    links.b = { rate = "10 Mbit/s", delay = "10 ms", queue = "1 BDP" }
    flows = [{ name = "mptcp", cc = "lia", paths = [["a"], ["b"]] }]
"#;

/// A full link carries its rate less the headers, and its RTT is between the empty and the full queue's.
#[test]
fn a_link_carries_its_rate() {
    let Some(()) = kernel(&[]) else { return };
    held(|| {
        let summary = run(&scenario(ONE_LINK))?;
        let path = &summary.kernel.as_ref().unwrap().paths[0];
        assert!(path.segments > 5000 && path.mean_segments_per_ack.unwrap() > 0.9, "{path:?}");
        is_the_rate(summary.flows[0].goodput_bps.unwrap())?;
        within("the link's utilisation", summary.links[0].utilisation, 0.97..1.001)?;
        within("the smoothed RTT", summary.flows[0].subflows[0].mean_srtt_s.unwrap(), 0.020..0.045)
    });
}

/// LIA, as a program of ours, uses both paths; samples have both subflows, and its observables.
#[test]
fn a_connection_over_two_paths() {
    let Some(()) = kernel(&[]) else { return };
    let scenario = scenario(TWO_PATHS);
    held(|| {
        let mut samples = MemorySink::new();
        let summary = run_with(&scenario, &OPTIONS, &mut samples)?;
        let flow = &summary.flows[0];
        let alpha = &flow.subflows[0].mean_observables[0];
        assert!(alpha.1.is_some_and(|mean| mean > 0.0), "{alpha:?}");
        let of = |subflow: usize| flow.subflows[subflow].goodput_bps.unwrap();
        within("the first subflow's goodput", of(0), 15e6..20e6)?;
        within("the second's", of(1), 6e6..10e6)?;
        within("of both", flow.goodput_bps.unwrap() / (of(0) + of(1)), 0.95..1.05)?;
        for subflow in &samples.flows[0].subflows {
            within("samples", subflow.time_s.len() as f64, 30.0..60.0)?;
            let most = subflow.cwnd_segments.iter().copied().fold(0.0, f64::max);
            within("the largest window", most, 10.0..200.0)?;
        }
        Ok(())
    });
}

/// Two flows of one kind share a link; the link is one for both.
#[test]
fn flows_share_a_link() {
    let Some(()) = kernel(&[]) else { return };
    let text = ONE_LINK.replace("name = \"tcp\",", "name = \"tcp\", count = 2,");
    held(|| {
        let summary = run(&scenario(&text))?;
        let each = summary.flows.iter().map(|flow| flow.goodput_bps.unwrap());
        is_the_rate(each.clone().sum())?;
        within("the smaller of both", each.fold(f64::INFINITY, f64::min), 2e6..10e6)
    });
}

/// Responses are counted, and take the time that their bytes take: 100 kB at 20 Mbit/s are 40 ms and slow start's round trips.
#[test]
fn requests_and_responses() {
    let Some(()) = kernel(&[]) else { return };
    let application =
        "application = { kind = \"request-response\", size = \"100 kB\", think = \"100 ms\", count = 5 },";
    let text =
        ONE_LINK.replace("name = \"tcp\",", &format!("name = \"tcp\", {application}")).replace("1 s", "0 s");
    held(|| {
        let summary = run(&scenario(&text))?;
        let completion = summary.flows[0].completion.as_ref().unwrap();
        assert_eq!((completion.count, summary.flows[0].delivered_bytes), (5, 500_000));
        within("the mean time", completion.mean_s, 0.06..0.4)
    });
}

/// Of some 1800 segments a link of 1 % loses that fraction, within four standard deviations.
#[test]
fn losses_are_the_links() {
    let Some(()) = kernel(&[]) else { return };
    let text = ONE_LINK
        .replace("queue = \"1 BDP\"", "queue = \"9 BDP\", loss = { model = \"bernoulli\", rate = 0.01 }");
    let scenario = scenario(&text);
    held(|| {
        let rate = run(&scenario)?.flows[0].subflows[0].loss_rate.unwrap();
        assert!((0.0005..0.0195).contains(&rate), "{rate}");
        Ok(())
    });
}

/// The segments of a trace, each 1.5 s long, in Mbit/s; then it begins again.
const PARTS: [u32; 3] = [20, 8, 16];

/// A bulk flow gets the rate of each segment of a trace, less the headers, from columns and from opportunities.
#[test]
fn a_traced_link_has_its_traces_rates() {
    let Some(()) = kernel(&[]) else { return };
    let rows = PARTS.iter().enumerate().map(|(i, rate)| format!("{},{rate}\n", i as f64 * 1.5));
    let columns = format!("time (s),rate (Mbit/s)\n{}4.5,\n", rows.collect::<String>());
    // An opportunity is 12,000 bits, and a megabit a second 1000 of them in each millisecond.
    let mut bits = 0;
    let mut opportunities = String::new();
    for ms in 0..4500 {
        bits += PARTS[ms / 1500] * 1000;
        opportunities += &format!("{}\n", ms + 1).repeat((bits / 12_000) as usize);
        bits %= 12_000;
    }
    for trace in [columns, opportunities] {
        // The window is more than the path holds and less than path and queue: the link is never idle and loses nothing.
        let text = format!(
            "name = \"traced\"\nduration = \"6 s\"\nrecord.interval = \"20 ms\"\n\
             links.a = {{ trace = {{ file = \"t\", start = \"0 s\" }}, delay = \"10 ms\", queue = \"300 packets\" }}\n\
             flows = [{{ name = \"tcp\", cc = \"reno\", paths = [[\"a\"]], tcp.receive_buffer = \"120 kB\" }}]\n\
             [files.t]\ntext = \"\"\"\n{trace}\"\"\"\n"
        );
        let scenario = scenario(&text);
        held(|| {
            let mut samples = MemorySink::new();
            run_with(&scenario, &OPTIONS, &mut samples)?;
            let subflow = &samples.flows[0].subflows[0];
            let at: Vec<(f64, f64)> =
                subflow.time_s.iter().copied().zip(subflow.delivered_bytes.iter().copied()).collect();
            for part in 0..4 {
                // Packets that left the queue before the change have been acknowledged by then.
                let (from, to) = (part as f64 * 1.5 + 0.4, (part + 1) as f64 * 1.5);
                let own: Vec<_> = at.iter().filter(|(time, _)| (from..to).contains(time)).collect();
                let [(begin, before), .., (end, after)] = own[..] else {
                    return Err(format!("{} samples between {from} and {to} s", own.len()));
                };
                let payload = f64::from(PARTS[part % 3]) * 1e6 * 1448.0 / 1500.0;
                let rate = (after - before) * 8.0 / (end - begin);
                within(&format!("of the payload of part {}", part + 1), rate / payload, 0.97..1.03)?;
            }
            Ok(())
        });
    }
}

/// Interrupted, there is what was measured by then.
#[test]
fn an_interruption_leaves_what_there_is() {
    let Some(()) = kernel(&[]) else { return };
    let mut go_on = |now: Time| now.as_secs_f64() < 2.0;
    let ended = anabranch_testbed::run(&scenario(ONE_LINK), 1, &OPTIONS, &mut NoSamples, &mut go_on);
    let Err(TestbedError::Interrupted { at, partial: Some(partial) }) = ended else { panic!("{ended:?}") };
    assert!(at.as_secs_f64() >= 2.0, "{at}");
    assert!(partial.flows[0].goodput_bps.unwrap() > 0.0);
}

/// Where no limit can be kept, every attempt is made, the summary says so, and samples are the last attempt's alone.
#[test]
fn an_invalid_run_is_repeated_and_says_so() {
    let Some(()) = kernel(&[]) else { return };
    let limits = Limits { late: Time::ZERO, too_late: Time::ZERO, ..Limits::USUAL };
    let options = RunOptions { repeats: 1, limits, ..OPTIONS };
    let text = ONE_LINK.replace("4 s", "1500 ms").replace("1 s", "500 ms");
    let mut samples = MemorySink::new();
    let run = anabranch_testbed::run(&scenario(&text), 1, &options, &mut samples, &mut |_| true).unwrap();
    let kernel = run.kernel.unwrap();
    assert_eq!(kernel.invalid_attempts, 1);
    assert!(kernel.invalid.iter().any(|why| why.contains("a packet left its link")), "{:?}", kernel.invalid);
    let times = &samples.flows[0].subflows[0].time_s;
    assert!(!times.is_empty() && times.is_sorted(), "{times:?}");
}

/// Takes this processor from everything for 8 ms each half second.
fn stall(cpu: usize, start: Instant, over: &AtomicBool) {
    stay_on(cpu).and_then(|()| go_first()).unwrap();
    let mut due = start;
    while !over.load(Ordering::Relaxed) {
        sleep(due.saturating_duration_since(Instant::now()));
        while Instant::now() < due + Duration::from_millis(8) {
            spin_loop();
        }
        due += Duration::from_millis(500);
    }
}

/// No packet is 20 ms late. The link has a queue of 5 ms, which 8 ms of packets at once overflow.
#[test]
fn a_run_that_stands_still_is_not_valid() {
    let Some(()) = kernel(&[]) else { return };
    let text = ONE_LINK.replace("4 s", "12 s").replace("1 BDP", "0.25 BDP");
    let (over, start) = (&AtomicBool::new(false), Instant::now());
    let all = sched_getaffinity(None).unwrap();
    let run = scope(|scope| {
        let processors = (0..CpuSet::MAX_CPU).filter(|cpu| all.is_set(*cpu));
        for cpu in processors {
            scope.spawn(move || stall(cpu, start, over));
        }
        let run = anabranch_testbed::run(&scenario(&text), 1, &OPTIONS, &mut NoSamples, &mut |_| true);
        over.store(true, Ordering::Relaxed);
        run.unwrap()
    });
    let kernel = run.kernel.unwrap();
    // 22 times in the eleven seconds that are measured; some may begin before, and end after the emulator had to be at work.
    assert!(kernel.emulator.standstill_s > 0.09, "{kernel:?}");
    assert!(kernel.invalid.iter().any(|why| why.contains("the emulator stood still")), "{kernel:?}");
}

/// Rates that no machine's emulator carries are refused before anything runs.
#[test]
fn a_rate_beyond_the_machine_is_refused() {
    let Some(()) = kernel(&[]) else { return };
    let text = ONE_LINK.replace("20 Mbit/s", "100 Gbit/s");
    let refused =
        anabranch_testbed::run(&scenario(&text), 1, &OPTIONS, &mut NoSamples, &mut |_| true).unwrap_err();
    let said = refused.to_string();
    assert!(said.contains("`links.a.rate`") && said.contains("8333333 packets"), "{said}");
}

/// iperf3 in place of our own applications.
#[test]
fn iperf3_sends() {
    let Some(()) = kernel(&["iperf3"]) else { return };
    let options = RunOptions { traffic: Traffic::Iperf3, ..OPTIONS };
    held(|| {
        let run = run_with(&scenario(ONE_LINK), &options, &mut NoSamples)?;
        is_the_rate(run.flows[0].goodput_bps.unwrap())
    });
    let asks = "application = { kind = \"request-response\", size = \"5 kB\" },";
    let asks = ONE_LINK.replace("name = \"tcp\",", &format!("name = \"tcp\", {asks}"));
    let why = run_with(&scenario(&asks), &options, &mut NoSamples).unwrap_err();
    assert!(why.contains("flows.tcp.application") && why.contains("bulk"), "{why}");
}

/// Every subflow joins: iperf3's server has to listen all the time. Four connections, since a server that listens anew
/// refuses two subflows in five.
#[test]
fn iperf3_has_all_subflows() {
    let Some(()) = kernel(&["iperf3", "mptcpize"]) else { return };
    let flow = |n: u32| format!("{{ name = \"mptcp{n}\", cc = \"lia\", paths = [[\"a\"], [\"b\"]] }}");
    let flows: Vec<String> = (0..4).map(flow).collect();
    let (rest, _) = TWO_PATHS.split_once("flows =").unwrap();
    let text = format!("{rest}flows = [{}]", flows.join(", "));
    let options = RunOptions { traffic: Traffic::Iperf3, ..OPTIONS };
    held(|| {
        let run = run_with(&scenario(&text), &options, &mut NoSamples)?;
        for path in run.kernel.unwrap().paths {
            assert!(path.segments > 0, "{path:?}");
        }
        Ok(())
    });
}

/// Everywhere, and without privileges: keys that the kernel cannot express.
#[test]
fn what_the_kernel_cannot_do_is_refused_by_its_key() {
    for (flow, key) in [
        ("scheduler = \"redundant\"", "flows.mptcp.scheduler"),
        ("tcp.min_rto = \"0.5 ms\"", "flows.mptcp.tcp.min_rto"),
        ("tcp.initial_ssthresh = 20", "flows.mptcp.tcp.initial_ssthresh"),
        ("tcp.delayed_ack = 4", "flows.mptcp.tcp.delayed_ack"),
        ("tcp.delayed_ack_timeout = \"100 ms\"", "flows.mptcp.tcp.delayed_ack_timeout"),
        (
            "application = { kind = \"arrivals\", size = \"1 kB\", load = 0.5 }",
            "flows.mptcp.application.kind",
        ),
    ] {
        let text = TWO_PATHS.replace("name = \"mptcp\",", &format!("name = \"mptcp\", {flow},"));
        let refused = anabranch_testbed::check(&scenario(&text));
        assert!(
            matches!(&refused, Err(TestbedError::Inexpressible { key: k, .. }) if k == key),
            "{key}: {refused:?}"
        );
    }
}
