//! Times by hand: no loss, no jitter, nothing drawn.
//!
//! A packet of b bytes takes 8 b/r to transmit and d to propagate; the way back takes d alone. A SYN is
//! 60 bytes long, an ACK of the handshake 52, a full segment 1500.

use crate::common::*;
use anabranch_record::{CompletionSample, LinkSample, Sink, SubflowSample};

/// Sampling is each 10 us, so that an instant is known to within this.
const SAMPLED: f64 = 11e-6;

/// Transmission time.
fn wire(bytes: f64, rate_bps: f64) -> f64 {
    8.0 * bytes / rate_bps
}

/// When each subflow first had sent and first had delivered data, and what completed.
#[derive(Default)]
struct Instants {
    sent: [Option<f64>; 2],
    acked: [Option<f64>; 2],
    all_acked: f64,
    completions: Vec<CompletionSample>,
    first_queue: Option<f64>,
}

impl Sink for Instants {
    fn subflow(&mut self, s: &SubflowSample<'_>) {
        if s.sent_bytes > 0 {
            self.sent[s.subflow].get_or_insert(s.time_s);
        }
        if s.delivered_bytes > 0 {
            self.acked[s.subflow].get_or_insert(s.time_s);
            if s.delivered_bytes < s.sent_bytes {
                self.all_acked = s.time_s;
            }
        }
    }

    fn link(&mut self, s: &LinkSample) {
        if s.queue_packets > 0 {
            self.first_queue.get_or_insert(s.time_s);
        }
    }

    fn completion(&mut self, sample: &CompletionSample) {
        self.completions.push(*sample);
    }
}

fn observe(duration: f64, text: &str) -> (anabranch_record::Summary, Instants) {
    let mut instants = Instants::default();
    let text = format!("{EXACT}record = {{ interval = \"10 us\" }}\n{text}");
    let summary = into_sink(&scenario(duration, 0.0, &text), 1, &mut instants);
    (summary.unwrap(), instants)
}

/// One flow over a link of this rate in Mbit/s and delay in ms.
fn one(mbit: u32, delay_ms: u32, cc: &str, keys: &str) -> String {
    link_of("path", mbit, delay_ms, "") + &flow_of("one", cc, &["path"], keys)
}

fn near(what: &str, measured: f64, expected: f64, within: f64) {
    println!("{what}: {measured:.6}, by hand {expected:.6}");
    assert!((measured - expected).abs() <= within, "{what}: {measured:.6} s, by hand {expected:.6} s");
}

/// SYN, SYN/ACK, then data: the first ACK for two segments, since the receiver waits for the second.
#[test]
fn data_follows_one_round_trip_after_the_syn() {
    let (_, at) = observe(0.2, &one(10, 10, "reno", "start = \"50 ms\""));
    let established = 0.05 + wire(60.0, 10e6) + 0.02;
    near("first data", at.sent[0].unwrap(), established, SAMPLED);
    near("first queue", at.first_queue.unwrap(), established, SAMPLED);
    near("first ACK", at.acked[0].unwrap(), established + wire(3000.0, 10e6) + 0.02, SAMPLED);
}

/// n segments of an initial window go out at once; the last arrives after n transmissions. The measured time is from the flow's
/// start to its last byte.
#[test]
fn a_small_transfer_takes_a_handshake_and_its_transmission() {
    for (bytes, segments, wires) in
        [(1448, 1, 1500.0), (14480, 10, 15000.0), (10000, 7, 10000.0 + 7.0 * 52.0)]
    {
        let bulk = format!("application = {{ kind = \"bulk\", size = \"{bytes} B\" }}");
        let (summary, _) = observe(1.0, &one(10, 10, "reno", &bulk));
        let took = wire(60.0, 10e6) + 0.02 + wire(wires, 10e6) + 0.01;
        let one = &summary.flows[0];
        assert_eq!(one.delivered_bytes, bytes);
        near(&format!("{segments} segments"), bytes as f64 * 8.0 / one.goodput_bps.unwrap(), took, 1e-8);
    }
}

/// Twenty segments need a second round: ten at once, and two for each ACK of two. The first ACK comes
/// back a round trip after the second segment was transmitted; with 2 d = 20 ms and 1.2 ms per segment the
/// link falls idle, and what is sent then is not delayed by what was before.
#[test]
fn a_second_round_waits_for_the_acks() {
    let bulk = "application = { kind = \"bulk\", size = \"28960 B\" }";
    let (summary, _) = observe(1.0, &one(10, 10, "reno", bulk));
    let segment = wire(1500.0, 10e6);
    let established = wire(60.0, 10e6) + 0.02;
    // The first ACK, for two segments, lets four out, the second four more and the third the last two.
    // The link is then busy from the first ACK on: ten segments in a row.
    let took = established + 2.0 * segment + 0.02 + 10.0 * segment + 0.01;
    near("twenty segments", 28960.0 * 8.0 / summary.flows[0].goodput_bps.unwrap(), took, 1e-8);
}

/// MPTCP: the second subflow's SYN leaves when the first DATA_ACK has come, and MP_JOIN takes a SYN, a
/// SYN/ACK, an ACK and its confirmation: two round trips (RFC 8684 §3.2).
#[test]
fn a_join_takes_two_round_trips_after_the_first_data_ack() {
    let links = link_of("a", 10, 10, "") + &link_of("b", 20, 35, "");
    let (_, at) = observe(0.5, &(links + &flow_of("two", "lia", &["a", "b"], "")));
    let established = wire(60.0, 10e6) + 0.02;
    near("first subflow", at.sent[0].unwrap(), established, SAMPLED);
    // A segment of MPTCP is as large on the wire: its option takes 20 bytes of payload.
    let data_ack = established + wire(3000.0, 10e6) + 0.02;
    near("DATA_ACK", at.acked[0].unwrap(), data_ack, SAMPLED);
    let joined = data_ack + wire(60.0, 20e6) + 0.07 + wire(52.0, 20e6) + 0.07;
    near("second subflow", at.sent[1].unwrap(), joined, SAMPLED);
}

/// A response that fits into the window takes a round trip and its transmission; the first request goes
/// out with the connection's establishment at the receiver.
#[test]
fn a_response_over_an_idle_path_takes_a_round_trip_and_its_transmission() {
    let application =
        "application = { kind = \"request-response\", size = \"5000 B\", think = \"100 ms\", count = 5 }";
    let (summary, at) = observe(3.0, &one(8, 15, "cubic", application));
    assert_eq!(at.completions.len(), 5);
    let took = 0.03 + wire(5000.0 + 4.0 * 52.0, 8e6);
    // SYN and the ACK of the handshake go forward, SYN/ACK between them.
    let first_request = wire(60.0, 8e6) + 0.03 + wire(52.0, 8e6) + 0.015;
    for (i, done) in at.completions.iter().enumerate() {
        assert_eq!((done.bytes, done.flow), (5000, 0));
        near("completion", done.completion_s, took, 1e-8);
        near("when", done.time_s, first_request + (i as f64 + 1.0) * took + i as f64 * 0.1, 1e-7);
    }
    let completion = summary.flows[0].completion.as_ref().unwrap();
    assert_eq!(completion.count, 5);
    near("mean", completion.mean_s, took, 1e-8);
    near("median", completion.p50_s, took, 0.02 * took); // a histogram's bucket
    assert_eq!(summary.flows[0].delivered_bytes, 25_000);
}

/// An unloaded path's RTT is a transmission and two propagation delays; an ACK may be delayed by the
/// second segment's transmission.
#[test]
fn the_rtt_of_a_quiet_path_is_its_propagation_and_a_segment() {
    let keys = "application = { kind = \"on-off\", on = \"100 s\", off = \"1 s\", rate = \"1 Mbit/s\" }\n\
        tcp = { delayed_ack = 1 }";
    let (summary, _) = observe(5.0, &one(10, 20, "reno", keys));
    let one = subflow(&summary);
    near("mean RTT", one.mean_rtt_s.unwrap(), 0.04 + wire(1500.0, 10e6), 2e-4);
    // All data that the application writes arrives, less the data under way at the end.
    let goodput = summary.flows[0].goodput_bps.unwrap();
    assert!((0.98e6..1.001e6).contains(&goodput), "{goodput}");
}

/// Several links in a row: store and forward at each, the slowest sets the pace.
#[test]
fn links_in_a_row_store_and_forward() {
    let text = "[links.a]\nrate = \"100 Mbit/s\"\ndelay = \"3 ms\"\n[links.b]\nrate = \"10 Mbit/s\"\ndelay = \"4 ms\"\n\
        [links.c]\nrate = \"50 Mbit/s\"\ndelay = \"5 ms\"\n\
        [links.back]\nrate = \"1 Mbit/s\"\ndelay = \"6 ms\"\n\
        [[flows]]\nname = \"one\"\ncc = \"reno\"\npaths = [[\"a\", \"b\", \"c\"]]\nreturn = [[\"back\"]]\n\
        application = { kind = \"bulk\", size = \"4344 B\" }\n";
    let (summary, _) = observe(1.0, text);
    let through = |bytes| wire(bytes, 100e6) + wire(bytes, 10e6) + wire(bytes, 50e6);
    let handshake = through(60.0) + 0.012 + wire(60.0, 1e6) + 0.006;
    let took = handshake + through(1500.0) + 2.0 * wire(1500.0, 10e6) + 0.012;
    near("three segments", 4344.0 * 8.0 / summary.flows[0].goodput_bps.unwrap(), took, 1e-8);
}
