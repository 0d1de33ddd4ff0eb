//! Sessions: the run in steps, its copies, and links that change while they run.

use crate::common::{record, scenario};
use anabranch_cc::registry;
use anabranch_net::Time;
use anabranch_record::{MemorySink, Summary};
use anabranch_sim::{Session, SimError};

/// A flow of every algorithm beside links that are full.
fn network(cc: &str) -> String {
    format!(
        "links.a = {{ rate = \"10 Mbit/s\", delay = \"5 ms\" }}\n\
         links.b = {{ rate = \"4 Mbit/s\", delay = \"20 ms\", loss = {{ model = \"bernoulli\", rate = 1e-3 }}, aqm = \"codel\" }}\n\
         [[flows]]\nname = \"ours\"\ncc = \"{cc}\"\npaths = [[\"a\"], [\"b\"]]\n\
         [[flows]]\nname = \"other\"\ncc = \"cubic\"\npaths = [[\"a\"]]\n"
    )
}

fn open(cc: &str) -> Session {
    Session::new(scenario(3.0, 1.0, &network(cc)), 1, &[], true).unwrap()
}

/// A flow alone over a link, whose windows the caller sets if it is `controlled`.
fn alone(link: &str, flow: &str, controlled: bool) -> Result<Session, SimError> {
    let text = format!(
        "links.a = {{ {link} }}\n[[flows]]\nname = \"f\"\ncc = \"reno\"\npaths = [[\"a\"]]\n{flow}\n"
    );
    Session::new(scenario(3.0, 1.0, &text), 1, if controlled { &[0] } else { &[] }, false)
}

/// Steps to the end, of lengths that fit nothing.
fn ended(mut session: Session, step: f64) -> (Summary, MemorySink) {
    while !session.is_over() {
        let until = session.now() + Time::from_secs_f64(step);
        assert!(session.advance(until, &mut || true).unwrap());
    }
    session.finish()
}

/// Steps are not seen in the record: for every algorithm, and for a copy made in the middle.
#[test]
fn it_is_the_run_and_so_is_its_copy() {
    for entry in registry::ALL {
        let (summary, samples) = record(3.0, 1.0, &network(entry.name));
        let mut session = open(entry.name);
        session.advance(Time::from_secs_f64(1.2345), &mut || true).unwrap();
        let copy = session.fork().unwrap_or_else(|| panic!("{} cannot be copied", entry.name));
        for (stepped, kept) in [ended(session, 0.0137), ended(copy, 0.7)] {
            assert_eq!(stepped.to_json(), summary.to_json(), "{}", entry.name);
            assert_eq!(format!("{kept:?}"), format!("{samples:?}"), "{}", entry.name);
        }
    }
}

/// Both kinds of links, up and down at odd instants: every packet is delivered, dropped or lost once, and the stream stays whole.
#[test]
fn links_change_and_nothing_is_lost_track_of() {
    let mut session = open("lia");
    for step in 1..60u64 {
        let link = (step % 2) as usize;
        let rate = [1e6, 20e6, 3e6][(step % 3) as usize];
        session.set_link(link, Some(rate), Some(Time::from_millis(step)), None, Some(step % 5 != 0));
        session.advance(Time::from_millis(37 * step), &mut || true).unwrap();
    }
    for link in [0, 1] {
        session.set_link(link, Some(10e6), Some(Time::from_millis(5)), None, Some(true));
    }
    let before = session.flows()[0].delivered_bytes;
    session.advance(Time::from_secs_f64(3.0), &mut || true).unwrap();
    assert!(session.flows()[0].delivered_bytes > before);
    let (summary, _) = session.finish();
    assert!(summary.scenario_hash.ends_with("+steered"));
}

/// A packet that propagates over 100 ms arrives, although the delay falls and then the link goes down; one that waits is lost.
#[test]
fn what_propagates_arrives() {
    let mut session = alone("rate = \"1 Mbit/s\", delay = \"100 ms\"", "", false).unwrap();
    let step = |session: &mut Session, ms| {
        session.advance(session.now() + Time::from_millis(ms), &mut || true).unwrap();
    };
    // Ten segments of 12 ms each.
    while session.links()[0].totals.transmitted_bits < 40_000.0 {
        step(&mut session, 1);
    }
    session.set_link(0, None, Some(Time::from_millis(10)), None, None);
    step(&mut session, 10);
    let transmitted = session.links()[0].totals.transmitted_bits;
    let segments = ((transmitted / 8.0 - 112.0) / 1500.0).floor();
    assert!((3.0..6.0).contains(&segments), "{transmitted}");
    session.set_link(0, None, None, None, Some(false));
    step(&mut session, 150);
    assert_eq!(session.flows()[0].delivered_bytes as f64, segments * 1448.0);
    assert_eq!(session.links()[0].totals.losses as f64, 10.0 - segments);
}

/// Links with random delays cannot be changed, and a flow whose transfers open connections has no windows to set.
#[test]
fn what_cannot_be_steered() {
    let can_set = |jitter: &str| {
        let link = format!("rate = \"1 Mbit/s\", delay = \"5 ms\", jitter = {{ {jitter} }}");
        alone(&link, "", false).unwrap().can_set_link(0)
    };
    assert!(can_set("up_to = \"2 ms\""));
    assert!(!can_set("reorder_rate = 0.01, reorder_delay = \"5 ms\""));
    let arrivals = |connections| {
        let keys = format!("size = \"10 kB\", interval = \"1 s\", connections = \"{connections}\"");
        let flow = format!("application = {{ kind = \"arrivals\", {keys} }}");
        alone("rate = \"1 Mbit/s\", delay = \"5 ms\"", &flow, true)
    };
    let why = arrivals("new").err().map(|error| error.to_string());
    let expected = "flow `f` opens a connection for each transfer: set `connections = \"one\"` to control it";
    assert_eq!(why.as_deref(), Some(expected));
    assert!(arrivals("one").is_ok());
}

/// A pacing rate replaces a slower one at once.
#[test]
fn a_pacing_rate_holds_at_once() {
    let mut session = alone("rate = \"10 Mbit/s\", delay = \"5 ms\"", "", true).unwrap();
    session.advance(Time::from_millis(100), &mut || true).unwrap();
    session.set_pacing_rate(0, 0, Some(0.2)); // a segment every five seconds
    session.advance(Time::from_millis(300), &mut || true).unwrap();
    let before = session.flows()[0].subflows[0].sent_bytes;
    session.set_pacing_rate(0, 0, Some(100.0));
    session.advance(Time::from_millis(800), &mut || true).unwrap();
    let sent = (session.flows()[0].subflows[0].sent_bytes - before) / 1448;
    assert!((48..=51).contains(&sent), "{sent}");
}

/// What the caller lets a flow send at the end of the run is behind the measurement.
#[test]
fn what_is_sent_at_the_end_does_not_count() {
    let sent = |at_the_end: f64| {
        let mut session = alone("rate = \"10 Mbit/s\", delay = \"5 ms\"", "", true).unwrap();
        session.advance(Time::from_millis(3000), &mut || true).unwrap();
        assert!(session.is_over());
        let before = session.flows()[0].subflows[0].sent_bytes;
        session.set_cwnd(0, 0, at_the_end);
        let more = session.flows()[0].subflows[0].sent_bytes - before;
        (more > 0, session.finish().0.flows[0].subflows[0].sent_segments)
    };
    let (more, none) = (sent(1000.0), sent(1.0));
    assert_eq!((more, none.0), ((true, none.1), false));
}
