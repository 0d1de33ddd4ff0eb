//! Theory reports the features that it leaves out.

use crate::common::*;
use anabranch_ideal::Ideals;

fn noted(ideals: &Ideals, words: &str) {
    assert!(ideals.notes.iter().any(|note| note.contains(words)), "{words}: {:?}", ideals.notes);
}

#[test]
fn links_are_as_when_means_begin() {
    let changing = "[links.l]\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\n\
                    changes = [{ at = \"5 s\", rate = \"30 Mbit/s\" }, { at = \"20 s\", rate = \"90 Mbit/s\" }]\n";
    let ideals = ideals(&(changing.to_owned() + &flow("f", "reno", "[[\"l\"]]")));
    close(rate(&ideals, "own", "f"), 30.0, 1e-5);
    noted(&ideals, "l changes after 10 s");
}

#[test]
fn losses_are_in_rates() {
    let lossy = |at: &str, rate: f64| {
        let loss = format!("loss = {{ model = \"bernoulli\", rate = {rate} }}, loss_at = \"{at}\"");
        let link = format!("links.l = {{ rate = \"10 Mbit/s\", delay = \"10 ms\", {loss} }}\n");
        ideals(&(link + &flow("f", "reno", "[[\"l\"]]")))
    };
    noted(&lossy("exit", 0.001), "l loses packets at its exit");
    noted(&lossy("entry", 0.01), "a flow that no full link limits");
    assert!(!lossy("entry", 0.001).notes.iter().any(|note| note.contains("loses packets")));
}

#[test]
fn a_link_that_is_down_carries_nothing() {
    let text = link("a", 10.0, 10.0)
        + "[links.b]\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nchanges = [{ at = \"5 s\", up = false }]\n"
        + &flow("m", "lia", "[[\"a\"], [\"b\"]]")
        + &flow("s", "reno", "[[\"b\"]]");
    let ideals = ideals(&text);
    close(rate(&ideals, "lia", "m"), 10.0, 1e-5);
    let m = flow_of(&ideals, "max-min", "m");
    assert_eq!((m.subflows[1].goodput_bps, flow_of(&ideals, "max-min", "s").goodput_bps), (None, None));
    noted(&ideals, "m: 1 of 2 paths");
    noted(&ideals, "s has no path");
}

#[test]
fn paths_are_those_in_use() {
    let text = link("a", 10.0, 10.0)
        + &link("b", 20.0, 10.0)
        + &link("c", 40.0, 10.0)
        + &flow("m", "lia", "[[\"a\"], [\"b\"], [\"c\"]]")
        + "backup = [2]\nevents = [{ at = \"5 s\", path = 3, action = \"remove\" }, { at = \"30 s\", path = 3, action = \"add\" }]\n";
    let ideals = ideals(&text);
    close(rate(&ideals, "max-min", "m"), 10.0, 1e-5);
    noted(&ideals, "changes of its subflows after 10 s");
}

#[test]
fn flows_that_come_and_go() {
    let text = link("a", 30.0, 10.0)
        + &flow("early", "reno", "[[\"a\"]]")
        + "stop = \"5 s\"\n"
        + &flow("late", "reno", "[[\"a\"]]")
        + "start = \"20 s\"\n"
        + &flow("now and then", "reno", "[[\"a\"]]")
        + "application = { kind = \"on-off\", on = \"1 s\", off = \"1 s\" }\n"
        + &flow("bulk", "reno", "[[\"a\"]]");
    let ideals = ideals(&text);
    assert_eq!(flow_of(&ideals, "own", "early").goodput_bps, None);
    for name in ["late", "now and then", "bulk"] {
        close(rate(&ideals, "own", name), 10.0, 1e-5);
    }
    noted(&ideals, "early does not send during the measurement");
    noted(&ideals, "late sends only from 20 s");
    noted(&ideals, "now and then does not always send");
}

#[test]
fn what_answers_to_delay_has_no_equilibrium() {
    let text = link("a", 30.0, 10.0)
        + &link("b", 30.0, 10.0)
        + &flow("m", "wvegas", "[[\"a\"], [\"b\"]]")
        + &flow("s", "reno", "[[\"a\"]]");
    let ideals = ideals(&text);
    // With LIA in its place there is one.
    close(rate(&ideals, "max-min", "m") + rate(&ideals, "max-min", "s"), 60.0, 1e-5);
    assert!(ideals.allocation("lia").is_some() && ideals.own.is_none());
    assert!(ideals.missing[0].why.contains("m runs wvegas"), "{:?}", ideals.missing);

    let beside = text.replace("\"reno\"", "\"vegas\"");
    let ideals = crate::common::ideals(&beside);
    assert_eq!(ideals.allocations.len(), 2);
    // The multipath flow comes first where nothing takes its place.
    let because: Vec<&str> = ideals.missing.iter().map(|missing| &missing.why[..5]).collect();
    assert_eq!(because, ["s run", "s run", "s run", "s run", "m run"]);
}

#[test]
fn a_parameter_that_no_model_shows() {
    let with = |parameter: &str| {
        let cc = format!("{{ name = \"coupled-cubic\", {parameter} }}");
        ideals(&(link("a", 30.0, 10.0) + &flow("f", "reno", "[[\"a\"]]").replace("\"reno\"", &cc)))
    };
    close(rate(&with("c = 0.5"), "own", "f"), 30.0, 1e-5);
    let ideals = with("threshold = 2.0");
    assert!(ideals.own.is_none() && ideals.missing[0].why.contains("`threshold`"), "{:?}", ideals.missing);
}

/// At 2000 segments each, LIA in 1/4096 grows two paths twice as fast as its equation.
#[test]
fn another_arithmetic() {
    let own = |cc: &str| {
        let text = link("a", 30.0, 10.0) + &link("b", 30.0, 10.0) + &flow("m", "lia", "[[\"a\"], [\"b\"]]");
        ideals(&text.replace("\"lia\"", cc)).own
    };
    assert_eq!(own("{ name = \"lia\", hystart = true }").as_deref(), Some("lia"));
    for cc in
        ["name = \"lia\", scale = 4096", "name = \"balia\", quotient = \"integer\"", "name = \"olia@v0\""]
    {
        assert_eq!(own(&format!("{{ {cc} }}")), None, "{cc}");
    }
}

#[test]
fn managed_queues_wait_for_their_target() {
    let packet = 12e3 / 30e6;
    // RED: p = 0.1 (average − 5)/(15 − 5), in packets; a drop each (1/p + 1)/2 packets, and √(3/2 of that) is the window.
    let window = |wait: f64| (0.02 + packet + wait) / packet;
    let gap = |wait: f64| (100.0 / (wait / packet - 5.0) + 1.0) / 2.0;
    let red = root(|wait| (1.5 * gap(wait)).sqrt().recip() - window(wait).recip(), 5.001 * packet, 0.1);
    for (kind, wait) in [("codel", 0.005), ("pie", 0.015), ("red", red)] {
        let text = format!(
            "[links.a]\nrate = \"30 Mbit/s\"\ndelay = \"10 ms\"\nqueue = \"10 BDP\"\naqm = \"{kind}\"\n"
        ) + &flow("f", "reno", "[[\"a\"]]");
        let ideals = ideals_with(&text, 0.5);
        let rtt = flow_of(&ideals, "own", "f").subflows[0].rtt_s.unwrap();
        close(rtt, 0.02 + packet + wait, 1e-6);
        let wait = if kind == "red" { "the delay that its thresholds imply" } else { "its target" };
        noted(&ideals, &format!("a has an AQM: the queueing delay is {wait}"));
    }
}

/// 200 flows in a link of two packets: no window is that small.
#[test]
fn more_than_the_smallest_windows() {
    let text = "links.a = { rate = \"1 Mbit/s\", delay = \"1 ms\", queue = \"2 packets\" }\n".to_owned()
        + &flow("f", "reno", "[[\"a\"]]")
        + "count = 200\n";
    let ideals = ideals_with(&text, 0.5);
    assert!(ideals.allocation("own").is_none() && ideals.allocation("max-min").is_some());
    assert!(ideals.missing[0].why.contains("timeouts"), "{:?}", ideals.missing);
}

#[test]
fn nobody_sends() {
    let text = link("a", 30.0, 10.0) + &flow("f", "reno", "[[\"a\"]]") + "stop = \"5 s\"\n";
    let ideals = ideals(&text);
    assert!(ideals.allocations.is_empty() && ideals.missing.len() == 3, "{ideals:?}");
}

/// On a short path CUBIC's model is Reno's, and says so; on a long one it is not.
#[test]
fn cubic_in_its_reno_friendly_region() {
    let on = |delay_ms: f64| ideals(&(link("l", 20.0, delay_ms) + &flow("f", "cubic", "[[\"l\"]]")));
    let friendly = on(10.0);
    noted(&friendly, "f: CUBIC is in its Reno-friendly region");
    let reno = ideals(&(link("l", 20.0, 10.0) + &flow("f", "reno", "[[\"l\"]]")));
    let loss = |of: &Ideals| flow_of(of, "own", "f").subflows[0].loss_rate.unwrap();
    close(loss(&friendly), loss(&reno), 1e-6);
    let far = on(500.0);
    assert!(!far.notes.iter().any(|note| note.contains("Reno-friendly")), "{:?}", far.notes);
}
