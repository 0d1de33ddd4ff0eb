//! Invariants that hold after every event, over random scenarios: what an outside view of a run
//! cannot see.

use crate::connection::Connection;
use crate::held::{Held, SinkOf};
use crate::packet::Kind;
use crate::sender::{GENERAL_ONLY, IN_ORDER, TURNS};
use crate::simulator::Simulator;
use crate::subflow::Stage;
use crate::summary::summarise;
use anabranch_cc::registry::{Entry, Value};
use anabranch_cc_fixed::registry;
use anabranch_net::{Discipline, Time};
use anabranch_record::{MemorySink, NoSamples};
use anabranch_scenario::Scenario;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::RefCell;

fn scenario(text: &str) -> Scenario {
    text.parse::<Scenario>().unwrap_or_else(|e| panic!("{e}: {:?}\n{text}", e.problems()))
}

/// An audit's record of each subflow: segments in flight, spurious reductions, timeouts.
type Before = Vec<Vec<(u64, u64, u64)>>;

impl Simulator<'_> {
    fn audit(&self, before: &mut Before) {
        for (c, connection) in self.connections.iter().enumerate() {
            assert!(connection.incoming.stream.bytes <= connection.out.cut_bytes);
            assert!(connection.incoming.stream.next <= connection.out.nxt);
            assert!(connection.out.una <= connection.incoming.stream.next);
            let first: u64 = connection.subflows.iter().map(|s| s.first_bytes).sum();
            assert!(first >= connection.incoming.stream.bytes && first <= connection.out.cut_bytes);
            before.resize(before.len().max(c + 1), Vec::new());
            for (s, subflow) in connection.subflows.iter().enumerate() {
                let known = before[c].len();
                before[c].resize(known.max(s + 1), (0, 0, 0));
                let counters = subflow.tx.counters;
                let (was, undone, expired) = before[c][s];
                let in_flight = subflow.tx.board.in_flight();
                before[c][s] = (in_flight, counters.spurious, counters.timeouts);
                if subflow.stage != Stage::Up {
                    continue;
                }
                if counters.timeouts > expired {
                    // RFC 6298 §5.4: "Retransmit the earliest segment that has not been acknowledged".
                    let board = &subflow.tx.board;
                    assert_eq!(
                        { board.get(board.una()).sent },
                        self.net.now(),
                        "not retransmitted at a timeout"
                    );
                }
                subflow.tx.board.audit();
                let path = connection.cc.path(subflow.tx.row);
                let floor = floor(self.scenario.flows[self.flow_of(c)].cc.entry);
                assert!(path.cwnd >= 1.0 && path.cwnd.is_finite() && path.ssthresh >= floor);
                // Sending stops at the window; a probe (RFC 8985 §7) is one segment whatever the window, and so is what
                // a timeout retransmits (RFC 6298 §5.4).
                // An undone reduction finds segments in flight that were deemed lost; a penalty comes after what was sent.
                let penalised = subflow.penalised_at == self.net.now();
                if in_flight > was && undone == counters.spurious && !penalised {
                    let window = subflow.tx.window(path);
                    let probing = subflow.tx.is_probing() || counters.timeouts > expired;
                    let probe = probing && in_flight == was + 1;
                    assert!(in_flight <= window || probe, "{in_flight} in flight, window {window}");
                }
            }
        }
    }

    /// Segments with payload that were sent have been dropped, have arrived or are on their way.
    fn audit_conservation(&self, arrived: &[u64]) {
        for connection in &self.connections {
            for subflow in &connection.subflows {
                let there = self.net.drops.all(subflow.id) + self.net.in_transit(subflow.id);
                let early = self.net.early.get(&subflow.id).unwrap_or(&0);
                // A receiver that is not ahead also counts as early where segments join the stream late.
                let taken = if subflow.ahead { *early } else { arrived[subflow.id as usize] };
                assert_eq!(subflow.tx.counters.sent, there + taken);
            }
        }
    }
}

/// The least threshold, segments: two (RFC 5681, Eq. 4), unless the algorithm sets another.
fn floor(entry: &Entry) -> f64 {
    match entry.params.iter().find(|param| param.name == "floor").map(|param| param.default) {
        Some(Value::Number(floor)) => floor,
        _ => 2.0,
    }
}

/// Runs a scenario event by event, audited.
fn run_audited(scenario: &Scenario, seed: u64) {
    let mut sink = NoSamples;
    let mut simulator = Simulator::new(scenario, seed, &mut sink).expect("it can be simulated");
    let subflows = simulator.connections.iter().map(|c| c.subflows.len()).sum();
    let (mut before, mut last) = (Vec::new(), Time::ZERO);
    let mut arrived = vec![0u64; subflows];
    let mut n = 0u64;
    loop {
        if let Some((packet, true)) = simulator.net.next_packet()
            && packet.kind == Kind::Data
            && packet.len > 0
        {
            arrived[packet.subflow as usize] += 1;
        }
        let Some(now) = simulator.step(&mut |_| true).expect("the stream is whole") else { break };
        assert!(now >= last);
        last = now;
        n += 1;
        simulator.audit(&mut before);
        if n.is_multiple_of(256) {
            simulator.audit_conservation(&arrived);
        }
    }
    simulator.audit_conservation(&arrived);
    simulator.finish(scenario.duration);
}

/// Takes all steps up to `until`, by default the time of the next event, inclusive. Returns that time; `None` at the end.
fn step_instant(simulator: &mut Simulator<'_>, until: Option<Time>) -> Option<Time> {
    let until = until.or(simulator.net.events.peek().map(|(at, _)| at))?;
    while simulator.net.events.peek().is_some_and(|(at, _)| at <= until) {
        simulator.step(&mut |_| true).expect("the stream is whole")?;
    }
    Some(until)
}

/// What a run took on a short way: segments received early, by flows with one path, by those of them with Linux-accurate ACKs, and by
/// multipath flows, and stragglers.
#[derive(Default)]
struct Short {
    early: [u64; 3],
    stragglers: u64,
}

/// Runs a scenario in two simulators, one with the general rules only: for every ACK, for sending, and for receivers. Both have the same
/// state after every instant, and the same record and samples.
fn run_side_by_side(scenario: &Scenario, seed: u64) -> Short {
    let simulator = |ahead| {
        let sink = SinkOf::Kept(Box::new(MemorySink::new()));
        Simulator::with(Held::Lent(scenario), seed, sink, None, ahead).expect("it can be simulated")
    };
    let (mut simulator, mut general) = (simulator(true), simulator(false));
    for n in 0u64.. {
        let at = step_instant(&mut simulator, None);
        GENERAL_ONLY.set(true);
        step_instant(&mut general, at.or(Some(scenario.duration)));
        GENERAL_ONLY.set(false);
        for (c, (own, other)) in simulator.connections.iter().zip(&general.connections).enumerate() {
            assert_eq!((own.cc.paths(), own.out.una), (other.cc.paths(), other.out.una), "at {at:?}");
            if let Some(at) = at.filter(|_| simulator.measured[c].running) {
                // What the record of a run that is interrupted now counts.
                let (delivered, _) = own.delivered_before(at + Time::from_nanos(1));
                let possible = simulator.measured[c].bytes..=other.incoming.stream.bytes;
                assert!(possible.contains(&delivered), "at {at:?}: {delivered} of {possible:?}");
            }
            if n.is_multiple_of(16) || at.is_none() {
                let senders =
                    |c: &Connection| c.subflows.iter().map(|s| format!("{:?}", s.tx)).collect::<Vec<_>>();
                assert_eq!(senders(own), senders(other));
            }
        }
        if at.is_none() {
            break;
        }
    }
    let mut short = Short { stragglers: simulator.net.stragglers(), ..Short::default() };
    for connection in &simulator.connections {
        let early = connection.subflows.iter().map(|s| simulator.net.early.get(&s.id).unwrap_or(&0));
        let incoming = &connection.incoming;
        let kind = match connection.subflows.len() {
            1 => usize::from(incoming.push_acks && incoming.compresses),
            _ => 2,
        };
        short.early[kind] += early.sum::<u64>();
    }
    let result = |mut simulator: Simulator<'_>| {
        simulator.finish(scenario.duration);
        let summary = summarise(&mut simulator, scenario.duration).to_json();
        let SinkOf::Kept(samples) = simulator.sink else { unreachable!("samples are kept") };
        (summary, format!("{samples:?}"))
    };
    let (own, other) = (result(simulator), result(general));
    own.0.lines().zip(other.0.lines()).for_each(|(own, other)| assert_eq!(own, other));
    assert!(own == other, "the samples differ");
    short
}

/// How many segments a flow alone at 100 Mbit/s sends at an instant, by count, from 2 s on.
fn bursts(tcp: &str, rtt_ms: u32) -> Vec<u32> {
    let text = format!(
        "name = \"bursts\"\nduration = \"6 s\"\n\
         links.a = {{ rate = \"100 Mbit/s\", delay = \"{} ms\", queue = \"4 BDP\" }}\n\
         [[flows]]\nname = \"one\"\ncc = \"reno\"\npaths = [[\"a\"]]\ntcp = {{ {tcp} }}\n\
         [variation]\nhost_jitter = \"0 s\"\n",
        rtt_ms / 2
    );
    let (scenario, mut sink) = (scenario(&text), NoSamples);
    let mut simulator = Simulator::new(&scenario, 1, &mut sink).expect("it can be simulated");
    let (mut counts, mut before) = (vec![0; 64], 0);
    while let Some(now) = simulator.step(&mut |_| true).expect("the stream is whole") {
        let sent = simulator.connections[0].subflows[0].tx.counters.sent;
        if now > Time::from_millis(2000) {
            counts[(sent - before) as usize] += 1;
        }
        before = sent;
    }
    counts
}

/// A full link is an ACK clock of 8333 segments a second, two for each ACK. With offload a burst is what 1.2 times the
/// rate sends in 1/1024 s: 9.8 segments, so 9. Without, an ACK brings two, and three where the window grows.
#[test]
fn bursts_are_those_of_linux() {
    let share = |counts: &[u32], sizes: std::ops::RangeInclusive<usize>| {
        let segments = |(n, count): (usize, &u32)| n as u32 * count;
        let all: u32 = counts.iter().enumerate().map(segments).sum();
        let of_size: u32 = counts.iter().enumerate().filter(|(n, _)| sizes.contains(n)).map(segments).sum();
        f64::from(of_size) / f64::from(all)
    };
    let (without, with) = (bursts("", 40), bursts("tso = true", 40));
    assert!(share(&without, 2..=3) > 0.99, "{without:?}");
    assert!(share(&with, 9..=9) > 0.9, "{with:?}");
}

fn loss() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("{ model = \"none\" }".to_owned()),
        (1e-4..0.1f64).prop_map(|p| format!("{{ model = \"bernoulli\", rate = {p} }}")),
        (3u32..500).prop_map(|n| format!("{{ model = \"every-nth\", n = {n} }}")),
        (1e-3..0.05f64, 0.1..0.5f64).prop_map(|(bad, good)| format!(
            "{{ model = \"gilbert-elliott\", good_to_bad = {bad}, bad_to_good = {good} }}"
        )),
    ]
}

fn link() -> impl Strategy<Value = String> {
    let jitter = prop_oneof![
        Just(String::new()),
        (1u32..20, 0.0..0.05f64).prop_map(|(ms, p)| format!(
            "jitter = {{ up_to = \"{ms} ms\", reorder_rate = {p}, reorder_delay = \"{} ms\" }}\n",
            2 * ms
        )),
    ];
    let changes = prop_oneof![
        Just(String::new()),
        (200u32..900, 1u32..10).prop_map(|(at, rate)| format!(
            "changes = [{{ at = \"{at} ms\", rate = \"{rate} Mbit/s\", delay = \"1 ms\" }}, \
             {{ at = \"{} ms\", up = false }}, {{ at = \"{} ms\", up = true }}]\n",
            at + 300,
            at + 600
        )),
    ];
    let disciplines: Vec<&str> = Discipline::ALL[1..].iter().map(|kind| kind.name).collect();
    let management = prop_oneof![
        4 => Just(String::new()),
        3 => (2u32..30).prop_map(|n| format!("ecn_threshold = \"{n} packets\"\n")),
        5 => (prop::sample::select(disciplines), any::<bool>())
            .prop_map(|(kind, ecn)| format!("aqm = {{ kind = \"{kind}\", ecn = {ecn} }}\n")),
    ];
    let tick = prop_oneof![
        2 => Just(String::new()),
        1 => (1u32..5).prop_map(|ms| format!("tick = \"{ms} ms\"\n")),
    ];
    (1u32..20, 1u32..40, 2u32..60, tick, management, loss(), jitter, changes).prop_map(
        |(rate, delay, queue, tick, management, loss, jitter, changes)| {
            format!(
                "rate = \"{rate} Mbit/s\"\ndelay = \"{delay} ms\"\nqueue = \"{queue} packets\"\n\
                 {tick}{management}loss = {loss}\n{jitter}{changes}"
            )
        },
    )
}

fn flow() -> impl Strategy<Value = String> {
    let cc = prop::sample::select(registry::entries().map(|entry| entry.name).collect::<Vec<_>>());
    let scheduler = prop::sample::select(vec!["minrtt", "roundrobin", "redundant", "blest", "linux"]);
    let paths = prop::sample::select(vec![
        "[[\"a\"]]",
        "[[\"a\"], [\"b\"]]",
        "[[\"a\", \"b\"]]",
        "[[\"a\"], [\"b\"], [\"a\", \"b\"]]",
    ]);
    let application = prop_oneof![
        4 => Just("{ kind = \"bulk\" }"),
        1 => Just("{ kind = \"bulk\", size = \"300 kB\" }"),
        1 => Just("{ kind = \"on-off\", on = \"200 ms\", off = \"100 ms\" }"),
        1 => Just("{ kind = \"on-off\", on = \"200 ms\", off = \"100 ms\", rate = \"2 Mbit/s\" }"),
        1 => Just("{ kind = \"request-response\", size = \"40 kB\", think = \"20 ms\" }"),
    ];
    let flags = any::<(bool, bool, bool, bool, bool)>();
    (cc, flags, scheduler, paths, application, 1u32..5, 0u32..200, 5u32..300).prop_map(
        |(cc, (pacing, ecn, tso, recovery, removes), scheduler, paths, application, delayed_ack, start, buffer)| {
            let events = match (paths.matches("], [").count(), removes) {
                (0, _) => "",
                (_, false) => {
                    "events = [{ at = \"300 ms\", path = 2, action = \"add\" }, \
                     { at = \"1100 ms\", path = 1, action = \"backup\" }]\n"
                }
                (_, true) => {
                    "events = [{ at = \"400 ms\", path = 2, action = \"remove\" }, \
                     { at = \"900 ms\", path = 2, action = \"add\" }, \
                     { at = \"1100 ms\", path = 1, action = \"backup\" }]\n"
                }
            };
            format!(
                "cc = {{ name = \"{cc}\", pacing = {pacing} }}\nscheduler = \"{scheduler}\"\n\
                 paths = {paths}\napplication = {application}\nstart = \"{start} ms\"\n{events}\
                 tcp = {{ delayed_ack = {delayed_ack}, ecn = {ecn}, tso = {tso}, linux_recovery = {recovery}, \
                 receive_buffer = \"{buffer} kB\" }}\n"
            )
        },
    )
}

/// A scenario of two links and these flows.
fn random(a: &str, b: &str, flows: &[String]) -> String {
    let flows: String =
        flows.iter().enumerate().map(|(i, f)| format!("[[flows]]\nname = \"f{i}\"\n{f}")).collect();
    format!("name = \"random\"\nduration = \"2 s\"\n[links.a]\n{a}[links.b]\n{b}{flows}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn invariants_hold_after_every_event(
        a in link(),
        b in link(),
        flows in prop::collection::vec(flow(), 1..4),
        seed in 0u64..1000,
    ) {
        run_audited(&scenario(&random(&a, &b, &flows)), seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn short_ways_do_what_the_general_rules_say(
        a in link(),
        b in link(),
        flows in prop::collection::vec(flow(), 1..4),
        seed in 0u64..1000,
    ) {
        run_side_by_side(&scenario(&random(&a, &b, &flows)), seed);
    }
}

/// A link for receivers ahead of time.
fn certain_link() -> impl Strategy<Value = String> {
    let management = prop_oneof![
        2 => Just("".to_owned()),
        1 => (2u32..30).prop_map(|n| format!("ecn_threshold = \"{n} packets\"\n")),
        1 => prop::sample::select(vec!["red", "pie"]).prop_map(|kind| format!("aqm = {{ kind = \"{kind}\" }}\n")),
    ];
    let changes = prop_oneof![
        2 => Just("".to_owned()),
        1 => (200u32..900, 1u32..10).prop_map(|(at, rate)| format!(
            "changes = [{{ at = \"{at} ms\", rate = \"{rate} Mbit/s\" }}, {{ at = \"1 s\", up = false }}, \
             {{ at = \"1300 ms\", up = true }}]\n"
        )),
        1 => (200u32..900).prop_map(|at| format!("changes = [{{ at = \"{at} ms\", delay = \"1 ms\" }}]\n")),
    ];
    let delay = prop_oneof![5 => 1u32..40, 1 => 500u32..700];
    (1u32..20, delay, 2u32..200, management, loss(), changes).prop_map(
        |(rate, delay, queue, management, loss, changes)| {
            format!(
                "rate = \"{rate} Mbit/s\"\ndelay = \"{delay} ms\"\nqueue = \"{queue} packets\"\n\
                 {management}loss = {loss}\n{changes}"
            )
        },
    )
}

/// A flow whose receivers can be ahead of time, if its links allow it.
fn certain_flow() -> impl Strategy<Value = String> {
    let cc = prop::sample::select(registry::entries().map(|entry| entry.name).collect::<Vec<_>>());
    let scheduler = prop::sample::select(vec!["minrtt", "roundrobin", "redundant", "blest", "linux"]);
    let buffer = prop_oneof![(5u32..300).prop_map(|kb| format!("{kb} kB")), Just("1073741824 B".to_owned())];
    let paths = prop::sample::select(vec![
        "[[\"a\"]]",
        "[[\"a\", \"b\"]]\nreturn = [[\"b\"]]",
        "[[\"a\"], [\"b\"]]",
        "[[\"a\"], [\"b\"], [\"a\", \"b\"]]\nreturn = [[], [\"a\"], []]",
    ]);
    // Bursts, ACKs at their ends, and compressed ACKs: Linux has all, and the first is needed for the second.
    let bursts = prop_oneof![
        Just((false, false, false)),
        Just((true, true, true)),
        any::<(bool, bool, bool)>().prop_map(|(tso, push, compression)| (tso, tso && push, compression)),
    ];
    let timeout = prop::sample::select(vec!["40 ms", "40 ms", "1 ms", "0 s"]);
    let flags = any::<(bool, bool, bool)>();
    (cc, flags, bursts, scheduler, paths, (1u32..5, timeout), 0u32..900, buffer, 1u32..4).prop_map(
        |(cc, (pacing, ecn, recovery), bursts, scheduler, paths, (delayed_ack, timeout), start, buffer, count)| {
            let (tso, push, compression) = bursts;
            format!(
                "cc = {{ name = \"{cc}\", pacing = {pacing} }}\nscheduler = \"{scheduler}\"\ncount = {count}\n\
                 paths = {paths}\nstart = \"{start} ms\"\n\
                 tcp = {{ delayed_ack = {delayed_ack}, delayed_ack_timeout = \"{timeout}\", ecn = {ecn}, tso = {tso}, push_acks = {push}, \
                 sack_compression = {compression}, linux_recovery = {recovery}, receive_buffer = \"{buffer}\" }}\n"
            )
        },
    )
}

/// Receivers ahead of time change nothing: not the senders, not the record, whose measurement begins in the middle, and not the samples.
/// Over all cases, flows of each kind take segments early, and ACKs straggle.
#[test]
fn receivers_ahead_of_time_change_nothing() {
    let mut runner = TestRunner::new(ProptestConfig::with_cases(128));
    let short = RefCell::new(Short::default());
    // Equal links deliver at one instant more often.
    let links = (certain_link(), certain_link(), any::<bool>())
        .prop_map(|(a, b, are_equal)| if are_equal { (a.clone(), a) } else { (a, b) });
    let jitter = prop::sample::select(vec!["auto", "0 s", "1 ns", "1 ms"]);
    let flows = prop::collection::vec(certain_flow(), 1..4);
    let ran = runner.run(
        &(links, flows, jitter, 0u32..1500, 0u64..1000),
        |((a, b), flows, jitter, warmup, seed)| {
            let variation = match jitter {
                "auto" => String::new(),
                jitter => format!("variation = {{ host_jitter = \"{jitter}\" }}\n"),
            };
            let text = format!("{variation}warmup = \"{warmup} ms\"\n{}", random(&a, &b, &flows));
            let of_case = run_side_by_side(&scenario(&text), seed);
            let mut all = short.borrow_mut();
            all.stragglers += of_case.stragglers;
            all.early.iter_mut().zip(of_case.early).for_each(|(all, n)| *all += n);
            Ok(())
        },
    );
    ran.unwrap();
    let Short { early, stragglers } = short.into_inner();
    assert!(early.iter().all(|early| *early > 1000) && stragglers > 100, "{early:?} {stragglers}");
    assert!(TURNS.get() > 1000, "{}", TURNS.get());
}

/// Two Reno flows fill a link; at most one ACK of ten arrives while losses are repaired.
#[test]
fn most_acks_are_in_order() {
    let scenario = scenario(
        "name = \"t\"\nduration = \"30 s\"\n[links.a]\nrate = \"50 Mbit/s\"\ndelay = \"10 ms\"\nqueue = \"1 BDP\"\n\
         [[flows]]\nname = \"f\"\ncc = \"reno\"\ncount = 2\npaths = [[\"a\"]]\ntcp = { delayed_ack = 1 }\n",
    );
    IN_ORDER.set(0);
    run_side_by_side(&scenario, 1);
    let arrived = 50e6 * 29.0 / 12_000.0;
    assert!(IN_ORDER.get() as f64 > 0.9 * arrived, "{} of {arrived}", IN_ORDER.get());
}

/// A timeout retransmits though most of what is in flight is not overdue yet: with reordering RACK waits for a quarter of the round trip of
/// 1.2 s, the timer for 200 ms. The link is down for longer than either; the audit looks at each timeout.
#[test]
fn a_timeout_retransmits_the_oldest_segment() {
    let scenario = scenario(
        "name = \"t\"\nduration = \"40 s\"\n[links.a]\nrate = \"5 Mbit/s\"\ndelay = \"600 ms\"\n\
         jitter = { reorder_rate = 0.01, reorder_delay = \"15 ms\" }\n\
         changes = [{ at = \"20 s\", up = false }, { at = \"25 s\", up = true }]\n\
         [[flows]]\nname = \"one\"\ncc = \"reno\"\npaths = [[\"a\"]]\n",
    );
    run_audited(&scenario, 1);
}

/// Connections of transfers that are over are used again, and their packets in flight do no harm: every invariant holds, and there
/// are no more than are open at once.
#[test]
fn connections_that_are_over_are_used_again() {
    let scenario = scenario(
        "name = \"t\"\nduration = \"40 s\"\n[links.a]\nrate = \"50 Mbit/s\"\ndelay = \"2 ms\"\n\
         [links.b]\nrate = \"30 Mbit/s\"\ndelay = \"80 ms\"\n\
         loss = { model = \"bernoulli\", rate = 0.01 }\n\
         [[flows]]\nname = \"web\"\ncc = \"lia\"\npaths = [[\"a\"], [\"b\"]]\n\
         application = { kind = \"arrivals\", load = 0.3, \
         size = { distribution = \"exponential\", mean = \"20 kB\" } }\n",
    );
    let mut sink = NoSamples;
    let mut simulator = Simulator::new(&scenario, 1, &mut sink).unwrap();
    let mut most = 0;
    while simulator.step(&mut |_| true).unwrap().is_some() {
        let open = simulator.transfers.iter().filter(|t| t.is_open()).count();
        most = most.max(open);
    }
    let lives: u64 = simulator.connections.iter().map(|c| u64::from(c.subflows[0].life) + 1).sum();
    assert_eq!(simulator.transfers.len(), most);
    assert!(lives > 4000 && most < 200, "{lives} connections in the places of {most}");
}
