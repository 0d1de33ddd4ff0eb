//! Where two rules meet: a size and a stop, a request and a dead path, a pause and an estimate.

use crate::common::*;

fn link_a(keys: &str) -> String {
    link_of("a", 10, 10, &format!("queue = \"50 packets\"\n{keys}"))
}

/// A transfer of 100 MB that stops after 5 s leaves the link idle for the other 15.
#[test]
fn a_transfer_with_a_size_stops_at_its_stop_time() {
    let stop = "stop = \"5 s\"\napplication = { kind = \"bulk\", size = \"100 MB\" }";
    let summary = run(20.0, 0.0, &(link_a("") + &flow_of("big", "reno", &["a"], stop)));
    let used = link(&summary, "a").utilisation;
    assert!((0.23..0.27).contains(&used), "{used}");
}

/// Both directions of path 1 die at 10 s: requests and answers continue over path 2.
#[test]
fn requests_go_on_over_another_path() {
    let down = "changes = [{ at = \"10 s\", up = false }]";
    let other = |name, keys: &str| link_of(name, 10, 20, &format!("queue = \"50 packets\"\n{keys}"));
    let text = link_a(down)
        + &other("ar", down)
        + &other("b", "")
        + &other("br", "")
        + "[[flows]]\nname = \"rr\"\ncc = \"lia\"\npaths = [[\"a\"], [\"b\"]]\nreturn = [[\"ar\"], [\"br\"]]\n\
           application = { kind = \"request-response\", size = \"20 kB\", think = \"100 ms\" }\n";
    let (_, samples) = record(60.0, 0.0, &text);
    let late = samples.completions.iter().filter(|c| c.time_s > 20.0).count();
    assert!(late > 100, "{late} answers in the 40 s after the failure");
}

/// The sender has the SYN-ACK after 20 ms, and the receiver would have the third packet after 30 ms. Path 1 is removed in between: the
/// receiver asks over path 2, which joins.
#[test]
fn requests_begin_though_the_first_path_goes_before_its_third_packet_arrives() {
    let text = EXACT.to_owned()
        + &link_a("")
        + "[[flows]]\nname = \"rr\"\ncc = \"lia\"\npaths = [[\"a\"], [\"a\"]]\n\
           events = [{ at = \"25 ms\", path = 1, action = \"remove\" }]\n\
           application = { kind = \"request-response\", size = \"20 kB\", think = \"100 ms\", count = 5 }\n";
    let (summary, samples) = record(10.0, 0.0, &text);
    assert_eq!(summary.flows[0].delivered_bytes, 100_000);
    assert!(samples.completions[0].completion_s < 0.1, "{:?}", samples.completions[0]);
}

/// A path without loss never times out, however steady its RTT and however late a lone segment's
/// acknowledgement (RFC 6298 §2.3: the margin is at least the clock's granularity).
#[test]
fn a_steady_path_has_no_timeouts() {
    for delay in [20, 100, 150, 200] {
        let requests = "application = { kind = \"request-response\", think = \"100 ms\", \
                        size = { distribution = \"exponential\", mean = \"20 kB\" } }";
        let text = link_of("a", 100, delay, "queue = \"1 BDP\"") + &flow_of("rr", "reno", &["a"], requests);
        let summary = run(300.0, 0.0, &text);
        let one = subflow(&summary);
        assert_eq!((one.timeouts, one.retransmitted_segments), (0, 0), "{delay} ms");
    }
}

/// Acknowledgements that wait for a timeout do not measure the path: no RTT on an idle path of 60 ms is
/// seconds long.
#[test]
fn a_timeout_is_not_a_round_trip() {
    let text = "[links.a]\nrate = \"10 Mbit/s\"\ndelay = \"30 ms\"\nqueue = \"100 packets\"\n\
                [links.back]\nrate = \"10 Mbit/s\"\ndelay = \"30 ms\"\nqueue = \"100 packets\"\n\
                loss = { model = \"bernoulli\", rate = 0.3 }\n\
                [[flows]]\nname = \"rr\"\ncc = \"reno\"\npaths = [[\"a\"]]\nreturn = [[\"back\"]]\n\
                application = { kind = \"request-response\", size = \"1 kB\", think = \"50 ms\" }\n";
    let summary = run(300.0, 0.0, text);
    let p99 = subflow(&summary).rtt_p99_s.unwrap();
    assert!(p99 < 0.11, "{p99}"); // 60 ms and a delayed ACK of 40 ms
}

/// A subflow's measurements stay after it has left; a flow that was never measured has no share.
#[test]
fn what_is_over_is_not_measured() {
    let gone = |duration: f64| {
        let b = link_a("").replace("links.a", "links.b");
        let removed = "events = [{ at = \"1 s\", path = 1, action = \"remove\" }]";
        let text = link_a("") + &b + &flow_of("two", "lia", &["a", "b"], removed);
        subflow(&run(duration, 0.0, &text)).mean_rtt_s.unwrap()
    };
    assert_eq!(gone(2.0), gone(30.0));

    let flows = "[[flows]]\nname = \"stays\"\ncc = \"reno\"\npaths = [[\"a\"]]\n\
                 [[flows]]\nname = \"early\"\ncc = \"reno\"\nstop = \"2 s\"\npaths = [[\"a\"]]\n";
    let summary = run(10.0, 5.0, &(link_a("") + flows));
    assert_eq!(summary.jain, Some(1.0));
    let goodputs = |name| (flow(&summary, name).goodput_bps, flow(&summary, name).subflows[0].goodput_bps);
    assert!(goodputs("stays").0.is_some_and(|bps| bps > 0.0));
    assert_eq!(goodputs("early"), (None, None));
}

/// Each timeout on a dead path deems only the one resent segment lost again.
#[test]
fn losses_are_counted_once() {
    let text = link_a("changes = [{ at = \"5 s\", up = false }]") + &flow_of("one", "reno", &["a"], "");
    let (summary, samples) = record(60.0, 0.0, &text);
    let series = samples.series("one", 0).unwrap();
    let last = series.lost_segments.last().unwrap();
    let dropped = subflow(&summary).lost_segments as f64;
    assert!(*last <= dropped + 5.0, "{last} deemed lost, {dropped} dropped");
}

/// A path over more links than a byte counts.
#[test]
fn a_path_may_have_many_links() {
    let names: Vec<String> = (0..300).map(|i| format!("l{i}")).collect();
    let links: String = names.iter().map(|name| link_of(name, 100, 0.01, "queue = \"50 packets\"")).collect();
    let text = format!("{links}[[flows]]\nname = \"long\"\ncc = \"reno\"\npaths = [{names:?}]\n");
    assert!(run(3.0, 1.0, &text).flows[0].goodput_bps.unwrap() > 5e6);
}
