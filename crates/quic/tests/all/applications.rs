//! Applications other than bulk data: each answer and each transfer is a stream.

use crate::{ONE, goodput, scenario, summary};
use anabranch_record::{NoSamples, Summary};

fn with(application: &str) -> String {
    ONE.replace(r#"paths = [["a"]] }"#, &format!(r#"paths = [["a"]], application = {application} }}"#))
        .replace(r#"warmup = "5 s""#, r#"warmup = "0 s""#)
}

fn tcp(text: &str) -> Summary {
    anabranch_sim::run(&scenario(text, &[]), 1, &mut NoSamples, &mut |_| true).unwrap().summary
}

/// A round trip of 40 ms, and the answer's packets of 1439 bytes at 1.2 ms each: 70 of them, once the window has grown to a BDP, as the
/// receive windows bound nothing. TCP's answers take as long, with packets of 1448 bytes.
#[test]
fn an_answer_takes_a_round_trip_and_its_bytes() {
    let text = with(
        r#"{ kind = "request-response", size = "100 kB", think = { distribution = "uniform", from = "50 ms", to = "150 ms" }, count = 50 }"#,
    );
    let quic = &summary(&text, &[], 1).flows[0];
    let times = quic.completion.as_ref().unwrap();
    assert_eq!((times.count, quic.delivered_bytes), (50, 5_000_000), "{quic:?}");
    let alone = 0.040 + 70.0 * 0.0012;
    assert!((0.99 * alone..1.06 * alone).contains(&times.p50_s), "{times:?}");
    let of_tcp = tcp(&text).flows[0].completion.clone().unwrap();
    assert!((0.8..1.2).contains(&(times.p50_s / of_tcp.p50_s)), "{times:?}, TCP {of_tcp:?}");
}

/// More answers than the stack allows streams at once, 100.
#[test]
fn answers_give_their_streams_back() {
    let text = with(r#"{ kind = "request-response", size = "10 kB", think = "1 ms", count = 150 }"#);
    let quic = &summary(&text, &[], 1).flows[0];
    assert_eq!((quic.completion.as_ref().unwrap().count, quic.delivered_bytes), (150, 1_500_000));
}

/// Seven packets fit the first window: they take 20 ms and 1.2 ms each, and what the pacer adds, which is less for later transfers, whose
/// window has grown. The lone run is a first transfer.
#[test]
fn transfers_that_do_not_meet_take_as_long_as_alone() {
    let text =
        with(r#"{ kind = "arrivals", size = "10 kB", interval = "1 s", count = 15, connections = "one" }"#);
    let flow = &summary(&text, &[], 1).flows[0];
    let (times, transfers) = (flow.completion.as_ref().unwrap(), flow.transfers.as_ref().unwrap());
    assert_eq!((times.count, flow.delivered_bytes), (15, 150_000), "{flow:?}");
    assert!((0.0284..0.036).contains(&times.mean_s), "{times:?}");
    let alone = transfers.times_alone.as_ref().unwrap();
    assert!((0.95..=1.05).contains(&alone.p95) && alone.p50 <= 1.0, "{transfers:?}");
}

/// Transfers at half of the link's rate, as in the simulator: the same arrivals and sizes, whose streams share the connection. More
/// than fit before the end are counted as incomplete.
#[test]
fn transfers_meet_as_streams() {
    let text = with(
        r#"{ kind = "arrivals", size = { distribution = "exponential", mean = "100 kB" }, load = 0.5, connections = "one" }"#,
    );
    let (quic, tcp) = (summary(&text, &[], 1), tcp(&text));
    let [quic, tcp] = [&quic.flows[0], &tcp.flows[0]];
    let count = |flow: &anabranch_record::FlowSummary| flow.completion.as_ref().unwrap().count as f64;
    assert!((count(quic) - count(tcp)).abs() <= 3.0, "{} and {}", count(quic), count(tcp));
    let bytes = quic.delivered_bytes as f64 / tcp.delivered_bytes as f64;
    assert!((0.98..1.02).contains(&bytes), "{bytes}");
    let means = [quic, tcp].map(|flow| flow.completion.as_ref().unwrap().mean_s);
    assert!((0.5..1.6).contains(&(means[0] / means[1])), "{means:?}");
}

/// What arrived before the stop is finished.
#[test]
fn transfers_under_way_at_the_stop_are_finished() {
    let text =
        with(r#"{ kind = "arrivals", size = "3 MB", interval = "4 s", count = 9, connections = "one" }"#);
    let flow = &summary(&text, &["flows.bulk.stop=9 s"], 1).flows[0];
    assert_eq!(flow.completion.as_ref().unwrap().count, 2, "{flow:?}");
}

/// Half of the time at 2 Mbit/s; and half of the time as fast as the link allows: what waits at the end of a period is not sent then.
#[test]
fn an_on_off_source_sends_in_its_periods() {
    let flow = summary(&with(r#"{ kind = "on-off", on = "1 s", off = "1 s", rate = "2 Mbit/s" }"#), &[], 1);
    assert!((0.97e6..1.03e6).contains(&goodput(&flow, 0)), "{}", goodput(&flow, 0));
    let text = with(r#"{ kind = "on-off", on = "2 s", off = "2 s" }"#);
    let (quic, tcp) = (goodput(&summary(&text, &[], 1), 0), goodput(&tcp(&text), 0));
    // Of the 10 s, the queue of a BDP sends 40 ms longer, and slow start takes 0.2 s at first.
    assert!((0.9..1.03).contains(&(quic / (0.5 * 9.59e6))), "{quic}");
    assert!((0.93..1.07).contains(&(quic / tcp)), "{quic}, TCP {tcp}");
}
