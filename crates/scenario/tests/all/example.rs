//! The format's introductory example means exactly what it should.

use crate::common::{EXAMPLE, valid};
use anabranch_net::{Loss, QueueLimit, Time};
use anabranch_scenario::{Application, Path, RandomDelay, Scheduler, Tcp};

#[test]
fn the_example_means_what_it_says() {
    let scenario = valid(EXAMPLE);
    assert_eq!(scenario.name, "two paths and a neighbour");
    assert_eq!(scenario.duration, Time::from_millis(60_000));
    assert_eq!(scenario.warmup, Time::from_millis(10_000));
    assert_eq!(scenario.seed, 1);
    assert_eq!(scenario.record_interval, Time::from_millis(100));
    assert_eq!(scenario.variation.start_offset, RandomDelay::Auto);

    let [fibre, dsl] = &*scenario.links else { panic!("{:?}", scenario.links) };
    assert_eq!((fibre.name.as_str(), dsl.name.as_str()), ("fibre", "dsl"));
    assert_eq!(fibre.spec.rate_bps, 500e6);
    assert_eq!(fibre.spec.delay, Time::from_millis(50));
    // 500 Mbit/s for 100 ms: 50 Mbit are 6.25 MB.
    assert_eq!(fibre.spec.queue, QueueLimit::Bytes(6_250_000));
    assert_eq!(fibre.spec.loss, Loss::bernoulli(1e-6));
    assert_eq!(dsl.spec.queue, QueueLimit::Packets(100));
    assert_eq!(dsl.spec.loss, Loss::None);

    let names: Vec<&str> = scenario.flows.iter().map(|flow| flow.name.as_str()).collect();
    assert_eq!(names, ["bonded", "neighbour/1", "neighbour/2"]);
    let bonded = &scenario.flows[0];
    assert!(bonded.is_multipath());
    assert_eq!(bonded.cc.entry.name, "coupled-cubic");
    assert_eq!(bonded.scheduler, Scheduler::MinRtt);
    assert_eq!((bonded.start, bonded.stop), (Time::ZERO, Time::from_millis(60_000)));
    assert_eq!(bonded.application, Application::Bulk { bytes: None });
    assert_eq!(bonded.tcp, Tcp::default());
    assert_eq!((bonded.tcp.mss, bonded.tcp.initial_window), (1448, 10));
    let path = |link| Path { links: vec![link], return_links: vec![], backup: false };
    assert_eq!(bonded.paths, [path(0), path(1)]);
    for neighbour in &scenario.flows[1..] {
        assert!(!neighbour.is_multipath());
        assert_eq!(neighbour.cc.entry.name, "reno");
        assert_eq!(neighbour.start, Time::from_millis(1000));
        assert_eq!(neighbour.paths, [path(1)]);
    }
}
