//! Controllers driven by hand, without a connection.

use super::*;
use crate::registry;

/// A connection whose paths begin at 0 ms.
struct Tested {
    factory: Arc<Factory<Seen>>,
    begin: Instant,
}

/// What an observer saw, by path.
#[derive(Default)]
struct Seen(Vec<(usize, Event)>);

impl Observer for Seen {
    fn observe(&mut self, path: usize, event: Event) {
        self.0.push((path, event));
    }
}

impl Tested {
    fn new(name: &str, threshold: Option<f64>) -> Tested {
        let mut coupled =
            Coupled::observed(registry::find(name).unwrap().group(&[]).unwrap(), Seen::default());
        coupled.0.initial_ssthresh = threshold;
        Tested { factory: coupled.factory_and_paths().1.0, begin: Instant::now() }
    }

    fn at(&self, ms: u64) -> Instant {
        self.begin + Duration::from_millis(ms)
    }

    fn build(&self) -> Box<OnePath<Seen>> {
        self.factory.clone().build(self.at(0), 1000).into_any().downcast().unwrap()
    }

    fn active(&self) -> Vec<bool> {
        self.factory.lock().group.paths().iter().map(|path| path.active).collect()
    }
}

#[test]
fn a_build_is_a_row_and_a_clone_is_not() {
    let of = Tested::new("lia", None);
    let (first, second) = (of.build(), of.build());
    let moved = first.clone_box();
    assert_eq!(of.active(), [true, true]);
    drop(first);
    assert_eq!(of.active(), [true, true], "the clone is the same path");
    drop(moved);
    assert_eq!(of.active(), [false, true]);
    drop(second);
    assert_eq!(of.active(), [false, false]);
    let _third = of.build();
    assert_eq!(of.active(), [true, false], "a freed row is used again");
    let ids: Vec<_> = of.factory.lock().paths().map(|(row, path)| (row, path.id())).collect();
    assert_eq!(ids, [(0, 2)], "but it is another path");
}

/// Path 0 begins once in a connection; it may migrate, and other paths begin and migrate, too.
#[cfg(noq_patched)]
#[test]
fn a_second_connection_is_refused() {
    let of = Tested::new("lia", None);
    let build = |id: u8, migrates| {
        let id = noq_proto::PathId::from(id);
        of.factory.clone().build_for_path(id, migrates, of.at(0), 1000)
    };
    let kept = [build(0, false), build(1, false), build(0, true), build(1, true), build(2, false)];
    assert_eq!(of.active(), [true; 5]);
    drop(kept);
    let second = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| build(0, false))).map(drop);
    assert!(second.is_err());
}

/// Two losses of one flight are one response, a loss of the next flight another: 10 → 5 → 2.5.
#[test]
fn one_response_in_a_round_trip() {
    let of = Tested::new("lia", None);
    let mut path = of.build();
    for (now, sent, window) in [(100, 0, 5000), (110, 50, 5000), (300, 200, 2500)] {
        path.on_congestion_event(of.at(now), of.at(sent), false, false, 1000, 1);
        assert_eq!(path.window(), window, "at {now} ms");
    }
    let seen = &of.factory.lock().observer.0;
    assert_eq!(seen.iter().filter(|(_, event)| matches!(event, Event::Recovery)).count(), 2);
}

/// RFC 9002 §B.8: the threshold is half the window, 10 → 5, and the window the least, one segment in the group; also behind a loss of the
/// same flight.
#[test]
fn persistent_congestion_reduces_once() {
    for behind_loss in [false, true] {
        let of = Tested::new("lia", None);
        let mut path = of.build();
        if behind_loss {
            path.on_congestion_event(of.at(90), of.at(40), false, false, 1000, 1);
        }
        path.on_congestion_event(of.at(100), of.at(50), true, false, 1000, 1);
        assert_eq!((path.metrics().ssthresh, path.window()), (Some(5000), 1000));
        path.on_spurious_congestion_event();
        assert_eq!(path.window(), 10_000);
    }
}

/// RFC 9002 §5.1: an acknowledgement that fills a hole below the largest acknowledged packet gives no sample.
#[test]
fn only_the_largest_packet_gives_a_round_trip_time() {
    let of = Tested::new("lia", None);
    let mut path = of.build();
    for (now, pn) in [(100, 2), (500, 1)] {
        path.acked(of.at(now), of.at(0), 1000, pn);
        path.on_end_acks(of.at(now), 0, false, Some(2));
        assert_eq!(of.factory.lock().paths[0].flight.srtt(), 0.1, "at {now} ms");
    }
}

/// A window of 10 that held back no packet grows in slow start only if half of it was in flight, and after slow start not at all.
#[test]
fn an_unused_window_does_not_grow() {
    let grown = |threshold: f64, sent: u64, limited: bool| {
        let of = Tested::new("reno", Some(threshold));
        let mut path = of.build();
        (0..sent).for_each(|pn| path.on_packet_sent(of.at(0), 1000, pn));
        if limited {
            path.on_cwnd_limited();
        }
        (0..sent).for_each(|pn| path.acked(of.at(100), of.at(0), 1000, pn));
        path.on_end_acks(of.at(100), 0, false, Some(sent - 1));
        path.window() > 10_000
    };
    assert!(grown(20.0, 6, false) && !grown(20.0, 5, false), "in slow start");
    assert!(grown(10.0, 9, true) && !grown(10.0, 9, false), "after it");
}

/// Three packets of which two are acknowledged and one is lost, on the second of two paths.
#[test]
fn an_observer_sees_each_path_apart() {
    let of = Tested::new("lia", None);
    let (_first, mut second) = (of.build(), of.build());
    (0..3).for_each(|pn| second.on_packet_sent(of.at(0), 1000, pn));
    [1, 2].into_iter().for_each(|pn| second.acked(of.at(100), of.at(0), 1000, pn));
    second.on_end_acks(of.at(100), 0, false, Some(2));
    second.on_packet_lost(1000, 0, of.at(100));
    let seen: Vec<_> = of
        .factory
        .lock()
        .observer
        .0
        .iter()
        .map(|(path, event)| match event {
            Event::Window { cwnd, .. } => std::format!("{path} window {cwnd}"),
            Event::RoundTrip { rtt, .. } => std::format!("{path} rtt {rtt:?}"),
            event => std::format!("{path} {event:?}"),
        })
        .collect();
    let sent = "1 Sent(1000)";
    let acked = "1 Acked(1000)";
    #[rustfmt::skip]
    let expected =
        ["0 window 10", "1 window 10", sent, sent, sent, acked, acked, "1 rtt 100ms", "1 window 10", "1 Lost"];
    assert_eq!(seen, expected);
}

/// A path that the application closes frees its row before the stack drops its controller, whose later events change no other path.
#[test]
fn a_path_that_leaves_frees_its_row() {
    let of = Tested::new("lia", None);
    let (mut first, _second) = (of.build(), of.build());
    of.factory.lock().leave(0);
    assert_eq!(of.active(), [false, true]);
    let third = of.build();
    first.on_congestion_event(of.at(100), of.at(50), false, false, 1000, 1);
    first.on_packet_lost(1000, 1, of.at(100));
    assert_eq!(third.window(), 10_000);
    drop(first);
    assert_eq!(of.active(), [true, true]);
    let seen = &of.factory.lock().observer.0;
    assert!(seen.iter().any(|(path, event)| *path == 0 && matches!(event, Event::Lost)), "{seen:?}");
}
