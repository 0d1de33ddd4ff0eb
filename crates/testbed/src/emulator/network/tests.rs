use super::*;
use crate::emulator::store::Store;
use anabranch_net::{CoDel, Discipline, FqCoDel, Jitter, Loss, QueueLimit, Random};

/// A packet, of which the place is of no use here.
fn packet(route: u32, size: u16, ecn_capable: bool) -> Packet {
    let place = Store::new(2000).put(10, |_| 10);
    Packet { place, route, stage: 0, size, ecn_capable, marked: false, data: true }
}

fn at(ns: u64) -> Time {
    Time::from_nanos(ns)
}

fn route(delay: Time, links: &[usize]) -> Route {
    Route { delay, links: links.to_vec() }
}

/// Packets at random instants and of random sizes.
fn schedule(n: usize) -> Vec<(Time, u16)> {
    let mut random = Random::new(7, 7);
    let mut now = 0;
    let next = |_| {
        now += (random.uniform() * 200_000.0) as u64;
        (at(now), 52 + (random.uniform() * 1448.0) as u16)
    };
    (0..n).map(next).collect()
}

/// Runs the schedule through a network that is looked at only every `step`, as by a thread that sleeps: the numbers of
/// packets that arrive, when, and whether marked.
fn through(network: &mut Network, schedule: &[(Time, u16)], step: Time) -> Vec<(u16, Time, bool)> {
    let mut arrived = Vec::new();
    let mut take = |network: &mut Network| {
        arrived.extend(network.arrived.drain(..).map(|(due, p)| (p.size, due, p.marked)));
    };
    for (now, size) in schedule {
        network.run(*now);
        network.enter(*now, packet(0, *size, true));
        if now.as_nanos() % 3 == 0 {
            take(network);
        }
    }
    let mut now = schedule.last().unwrap().0;
    while network.next() < Time::NEVER {
        now += step;
        network.run(now);
        take(network);
    }
    arrived
}

/// The same by one link alone, asked directly.
fn alone(spec: &LinkSpec, schedule: &[(Time, u16)]) -> Vec<(u16, Time, bool)> {
    let mut link = Link::new(spec, 5, 0).fifo().unwrap();
    let outcomes = schedule.iter().map(|(now, size)| (*size, link.offer(*now, (*size).into(), true)));
    let delivered = outcomes.filter_map(|(size, outcome)| match outcome {
        Outcome::Delivered { at, marked } => Some((size, at, marked)),
        Outcome::Dropped(_) => None,
    });
    let mut delivered: Vec<_> = delivered.collect();
    delivered.sort_by_key(|(_, at, _)| *at);
    delivered
}

#[test]
fn a_link_in_the_network_is_the_link_alone() {
    let plain = LinkSpec::new(60e6, Time::from_millis(5), QueueLimit::Packets(20));
    let marking = LinkSpec {
        discipline: Discipline::DropTail { ecn_threshold_bytes: Some(3000) },
        loss: Loss::bernoulli(0.05),
        ..plain.clone()
    };
    let jitter = Jitter { reorder_rate: 0.2, reorder_delay: Time::from_millis(3), ..Jitter::default() };
    let reordering = LinkSpec { jitter, ..plain.clone() };
    let schedule = schedule(3000);
    for spec in [plain, marking, reordering] {
        let expected = alone(&spec, &schedule);
        assert!(
            (1000..3000).contains(&expected.len()),
            "{} arrive: the queue was full at times",
            expected.len()
        );
        for step in [at(1), at(700_000)].map(|step| step.times(1000)) {
            let mut network = Network::new(std::slice::from_ref(&spec), 5, &[route(Time::ZERO, &[0])]);
            assert_eq!(through(&mut network, &schedule, step), expected, "{spec:?}");
            assert_eq!(network.dropped.len() + expected.len(), 3000);
            let (totals, waiting) = network.link(0, Time::from_millis(10_000));
            assert_eq!((totals.offered, totals.delivered), (3000, expected.len() as u64));
            assert_eq!(waiting, Waiting::default());
        }
    }
}

#[test]
fn a_second_link_sees_packets_when_they_are_due_and_not_when_the_thread_wakes() {
    let fast = LinkSpec::new(100e6, Time::from_millis(2), QueueLimit::Packets(1000));
    let slow = LinkSpec::new(20e6, Time::from_millis(1), QueueLimit::Packets(10));
    let schedule = schedule(500);
    let middle: Vec<_> = alone(&fast, &schedule).iter().map(|(size, due, _)| (*due, *size)).collect();
    let expected = alone(&slow, &middle);
    assert!(expected.len() < 450, "{} pass the slow link", expected.len());
    let mut network = Network::new(&[fast, slow], 5, &[route(Time::ZERO, &[0, 1])]);
    assert_eq!(through(&mut network, &schedule, Time::from_millis(400)), expected);
}

#[test]
fn links_that_hold_packets_decide_at_their_own_times() {
    let codel = CoDel { ecn: true, ..CoDel::default() };
    let fair =
        FqCoDel { target: codel.target, interval: codel.interval, ecn: codel.ecn, ..FqCoDel::default() };
    for discipline in [Discipline::CoDel(codel), Discipline::FqCoDel(fair)] {
        let plain = LinkSpec::new(20e6, Time::from_millis(5), QueueLimit::Packets(100));
        let spec = LinkSpec { discipline, ..plain };
        let schedule = schedule(3000);
        let network = |step| {
            let mut network = Network::new(std::slice::from_ref(&spec), 5, &[route(Time::ZERO, &[0])]);
            let arrived = through(&mut network, &schedule, step);
            assert_eq!(network.dropped.len() + arrived.len(), 3000);
            arrived
        };
        let arrived = network(at(1000));
        assert!(arrived.iter().any(|(_, _, marked)| *marked), "CoDel has marked");
        assert_eq!(arrived, network(Time::from_millis(50)));
        // Work is conserved: from the first to the last arrival the link transmits.
        let bytes: u64 = arrived.iter().skip(1).map(|(size, ..)| u64::from(*size)).sum();
        let (first, last) = (arrived[0].1, arrived.last().unwrap().1);
        let busy = bytes as f64 * 8.0 / 20e6 / last.since(first).as_secs_f64();
        assert!((0.95..1.0001).contains(&busy), "{busy} of the rate");
    }
}

#[test]
fn a_delay_alone_delays_and_routes_share_links() {
    let spec = LinkSpec::new(12e6, Time::from_millis(1), QueueLimit::Packets(5));
    let routes = [route(Time::ZERO, &[0]), route(Time::from_millis(7), &[]), route(Time::ZERO, &[0])];
    let mut network = Network::new(&[spec], 1, &routes);
    for r in 0..3 {
        network.enter(at(0), packet(r, 1500, false));
    }
    network.run(Time::from_millis(100));
    let arrived: Vec<_> = network.arrived.iter().map(|(due, p)| (p.route, *due)).collect();
    // 1500 bytes take 1 ms.
    let ms = Time::from_millis;
    assert_eq!(arrived, [(0, ms(2)), (2, ms(3)), (1, ms(7))]);
    assert_eq!(network.next(), Time::NEVER);
}
