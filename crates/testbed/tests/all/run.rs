//! Whole runs, held against what links carry, and against the simulator.

use crate::support::kernel;
use anabranch_net::Time;
use anabranch_record::{MemorySink, NoSamples, Summary};
use anabranch_scenario::{Overrides, Scenario, Source, load};
use anabranch_testbed::{Limits, RunOptions, TestbedError, Traffic};

/// A machine that has other things to do makes links late; a run without is wanted.
const OPTIONS: RunOptions = RunOptions { repeats: 9, traffic: Traffic::Own, limits: Limits::USUAL };

fn scenario(text: &str) -> Scenario {
    let source = Source { name: "test.toml".into(), text: text.into() };
    load(&source, &Overrides::default()).unwrap_or_else(|e| panic!("{e:?}"))
}

fn run(scenario: &Scenario) -> Summary {
    let summary = anabranch_testbed::run(scenario, 1, &OPTIONS, &mut NoSamples, &mut |_| true).unwrap();
    let kernel = summary.kernel.as_ref().unwrap();
    assert!(kernel.invalid.is_empty(), "{:?}", kernel.invalid);
    summary
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
    if !kernel(&[]) {
        return;
    }
    let summary = run(&scenario(ONE_LINK));
    let goodput = summary.flows[0].goodput_bps.unwrap();
    assert!((goodput / (20e6 * 1448.0 / 1500.0) - 1.0).abs() < 0.03, "{goodput}");
    assert!(summary.links[0].utilisation > 0.97, "{:?}", summary.links[0]);
    let rtt = summary.flows[0].subflows[0].mean_rtt_s.unwrap();
    assert!((0.020..0.045).contains(&rtt), "{rtt}");
    let path = &summary.kernel.unwrap().paths[0];
    assert!(path.segments > 5000 && path.mean_segments_per_ack.unwrap() > 0.9, "{path:?}");
}

/// LIA, as a program of ours, uses both paths; samples have both subflows, and its observables.
#[test]
fn a_connection_over_two_paths() {
    if !kernel(&[]) {
        return;
    }
    let mut samples = MemorySink::new();
    let scenario = scenario(TWO_PATHS);
    let summary = anabranch_testbed::run(&scenario, 1, &OPTIONS, &mut samples, &mut |_| true).unwrap();
    let flow = &summary.flows[0];
    let each: Vec<f64> = flow.subflows.iter().map(|s| s.goodput_bps.unwrap()).collect();
    assert!(each[0] > 15e6 && each[1] > 6e6, "{each:?}");
    let all = flow.goodput_bps.unwrap();
    assert!((all / each.iter().sum::<f64>() - 1.0).abs() < 0.05, "{all} of {each:?}");
    let of = |subflow: usize| &samples.flows[0].subflows[subflow];
    for subflow in [0, 1] {
        assert!(of(subflow).time_s.len() > 30, "{}", of(subflow).time_s.len());
        assert!(of(subflow).cwnd_segments.iter().any(|cwnd| *cwnd > 10.0));
    }
    let alpha = &flow.subflows[0].mean_observables[0];
    assert!(alpha.1.is_some_and(|mean| mean > 0.0), "{alpha:?}");
}

/// Two flows of one kind share a link; the link is one for both.
#[test]
fn flows_share_a_link() {
    if !kernel(&[]) {
        return;
    }
    let text = ONE_LINK.replace("name = \"tcp\",", "name = \"tcp\", count = 2,");
    let summary = run(&scenario(&text));
    let all: f64 = summary.flows.iter().map(|flow| flow.goodput_bps.unwrap()).sum();
    assert!((all / (20e6 * 1448.0 / 1500.0) - 1.0).abs() < 0.03, "{all}");
    assert!(summary.flows.iter().all(|flow| flow.goodput_bps.unwrap() > 2e6), "{:?}", summary.jain);
}

/// Responses are counted, and take the time that their bytes take: 100 kB at 20 Mbit/s are 40 ms and slow start's round trips.
#[test]
fn requests_and_responses() {
    if !kernel(&[]) {
        return;
    }
    let application =
        "application = { kind = \"request-response\", size = \"100 kB\", think = \"100 ms\", count = 5 },";
    let text =
        ONE_LINK.replace("name = \"tcp\",", &format!("name = \"tcp\", {application}")).replace("1 s", "0 s");
    let summary = run(&scenario(&text));
    let completion = summary.flows[0].completion.as_ref().unwrap();
    assert_eq!((completion.count, summary.flows[0].delivered_bytes), (5, 500_000));
    assert!((0.06..0.4).contains(&completion.mean_s), "{completion:?}");
}

/// Of some 1800 segments a link of 1 % loses that part, within three standard deviations.
#[test]
fn losses_are_the_links() {
    if !kernel(&[]) {
        return;
    }
    let text = ONE_LINK
        .replace("queue = \"1 BDP\"", "queue = \"9 BDP\", loss = { model = \"bernoulli\", rate = 0.01 }");
    let scenario = scenario(&text);
    let real = run(&scenario);
    let rate = real.flows[0].subflows[0].loss_rate.unwrap();
    assert!((0.003..0.017).contains(&rate), "{rate}");
}

/// Interrupted, there is what was measured by then.
#[test]
fn an_interruption_leaves_what_there_is() {
    if !kernel(&[]) {
        return;
    }
    let mut go_on = |now: Time| now.as_secs_f64() < 2.0;
    let ended = anabranch_testbed::run(&scenario(ONE_LINK), 1, &OPTIONS, &mut NoSamples, &mut go_on);
    let Err(TestbedError::Interrupted { at, partial: Some(partial) }) = ended else { panic!("{ended:?}") };
    assert!((2.0..3.0).contains(&at.as_secs_f64()), "{at}");
    assert!(partial.flows[0].goodput_bps.unwrap() > 5e6);
}

/// Where no limit can be kept, every attempt is made, the summary says so, and samples are the last attempt's alone.
#[test]
fn an_invalid_run_is_repeated_and_says_so() {
    if !kernel(&[]) {
        return;
    }
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

/// Rates that no machine's emulator carries are refused before anything runs.
#[test]
fn a_rate_beyond_the_machine_is_refused() {
    if !kernel(&[]) {
        return;
    }
    let text = ONE_LINK.replace("20 Mbit/s", "100 Gbit/s");
    let refused =
        anabranch_testbed::run(&scenario(&text), 1, &OPTIONS, &mut NoSamples, &mut |_| true).unwrap_err();
    let said = refused.to_string();
    assert!(said.contains("`links.a.rate`") && said.contains("8333333 packets"), "{said}");
}

/// iperf3 in place of our own applications.
#[test]
fn iperf3_sends() {
    if !kernel(&["iperf3"]) {
        return;
    }
    let options = RunOptions { traffic: Traffic::Iperf3, ..OPTIONS };
    let run =
        anabranch_testbed::run(&scenario(ONE_LINK), 1, &options, &mut NoSamples, &mut |_| true).unwrap();
    let goodput = run.flows[0].goodput_bps.unwrap();
    assert!((goodput / (20e6 * 1448.0 / 1500.0) - 1.0).abs() < 0.03, "{goodput}");
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
