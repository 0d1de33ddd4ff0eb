//! Sessions: the run in steps, its copies, and links that change while they run.

use crate::common::{record, scenario};
use anabranch_cc::registry;
use anabranch_net::Time;
use anabranch_record::{MemorySink, Summary};
use anabranch_sim::Session;

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
}
