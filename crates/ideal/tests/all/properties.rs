//! Properties of equilibria in any network: complementarity, and the published equations.

use crate::common::*;
use anabranch_ideal::Allocation;
use anabranch_net::QueueLimit;
use anabranch_scenario::Scenario;
use proptest::prelude::*;
use proptest::test_runner::{TestRng, TestRunner};

#[derive(Clone, Debug)]
struct Random {
    /// Rate in Mbit/s, delay in ms, buffer in BDP, loss rate.
    links: Vec<(f64, f64, f64, f64)>,
    /// Algorithm, and each path's links.
    flows: Vec<(&'static str, Vec<Vec<usize>>)>,
    queue: f64,
}

impl Random {
    fn text(&self) -> String {
        let mut text = String::new();
        for (i, (rate, delay, queue, loss)) in self.links.iter().enumerate() {
            text += &format!(
                "[links.l{i}]\nrate = \"{rate} Mbit/s\"\ndelay = \"{delay} ms\"\nqueue = \"{queue} BDP\"\n\
                 loss = {{ model = \"bernoulli\", rate = {loss} }}\n"
            );
        }
        for (i, (cc, paths)) in self.flows.iter().enumerate() {
            let path = |links: &Vec<usize>| links.iter().map(|l| format!("l{l}")).collect::<Vec<_>>();
            text += &flow(&format!("f{i}"), cc, &format!("{:?}", paths.iter().map(path).collect::<Vec<_>>()));
        }
        text
    }
}

fn networks() -> impl Strategy<Value = Random> {
    (1..6_usize).prop_flat_map(|links| {
        let loss = prop_oneof![3 => Just(0.0), 1 => 1e-6..1e-2];
        let link = (5.0..500.0, 2.0..60.0, 0.1..4.0, loss);
        let path = prop::sample::subsequence((0..links).collect::<Vec<_>>(), 1..=links.min(3));
        let single = (prop::sample::select(&["reno", "cubic"][..]), prop::collection::vec(path.clone(), 1));
        let multi = (prop::sample::select(&["lia", "balia", "reno"][..]), prop::collection::vec(path, 2..4));
        let flows = prop::collection::vec(prop_oneof![single, multi], 1..7);
        (prop::collection::vec(link, links), flows, 0.0..1.0).prop_map(|(links, flows, queue)| Random {
            links,
            flows,
            queue,
        })
    })
}

/// A subflow: window, loss rate, round-trip time.
#[derive(Clone, Copy, Debug)]
struct Sub {
    w: f64,
    p: f64,
    t: f64,
}

impl Sub {
    fn rate(&self) -> f64 {
        self.w / self.t
    }

    /// The reduction by losses per acknowledgement, p w/2, for a mean of √(3/2p) instead of √(2/p).
    fn halvings(&self) -> f64 {
        self.p * self.w / 1.5
    }
}

fn reno(p: f64) -> f64 {
    (1.5 / p).sqrt()
}

/// A single CUBIC flow's window: the larger of RFC 9438's two regions.
fn cubic(p: f64, t: f64) -> f64 {
    (1.053_8 * (t / p).powf(0.75)).max(reno(p))
}

/// Increase and decrease per acknowledgement as published, evaluated at the windows.
fn balances(cc: &str, paths: &[Sub]) {
    let y: f64 = paths.iter().map(Sub::rate).sum();
    let fastest = paths.iter().map(Sub::rate).fold(0.0, f64::max);
    // RFC 6356: α/Σw = max(w/T²)/(Σ w/T)².
    let linked = paths.iter().map(|s| s.rate() / s.t).fold(0.0, f64::max) / (y * y);
    // A Reno flow's window where a CUBIC flow's is u: its two regions, each solved for p; the larger p holds.
    let reno_beside = |u: f64, t: f64| reno((t * (1.053_8 / u).powf(4.0 / 3.0)).max(1.5 / (u * u)));
    let eta = paths.iter().map(|s| s.w / (s.t * y * reno_beside(s.t * y, s.t))).fold(0.0, f64::max);
    for s in paths {
        match cc {
            "reno" => close(1.0 / s.w, s.halvings(), 1e-6),
            "lia" => close(linked.min(1.0 / s.w), s.halvings(), 1e-6),
            "balia" => {
                // Peng et al. 2016, with the algorithm's limit on the decrease.
                let alpha = fastest / s.rate();
                let increase = s.rate() / (s.t * y * y) * (1.0 + alpha) / 2.0 * (4.0 + alpha) / 5.0;
                close(increase, s.halvings() * ((1.0 + alpha) / 2.0).min(1.5), 1e-6);
            }
            "olia" => {
                // Khalili et al. 2013, Theorem 1: all is on the best paths, at a single flow's rate on them. The solver's
                // choice is not quite sharp.
                let alone = reno(s.p) / s.t;
                assert!(alone <= y * (1.0 + 1e-6), "{s:?}");
                assert!(alone >= 0.997 * y || s.rate() <= 0.01 * y, "{s:?} of {y}");
            }
            // RFC 9438 §5; K has four digits in the text.
            "cubic" => close(s.w, cubic(s.p, s.t), 1e-3),
            "linked-cubic" => close(s.w, (eta * reno(s.p)).min(1.0) * cubic(s.p, s.t), 2e-3),
            other => panic!("{other}"),
        }
    }
}

/// Complementarity, and every flow's own equations, from windows, round-trip times and the links' loss rates alone.
fn check(allocation: &Allocation, network: &Random, scenario: &Scenario) {
    let index = |name: &str| allocation.links.iter().position(|link| link.name == name).unwrap();
    let price = |l: usize| allocation.links[l].loss_rate.unwrap();
    // The content of a full queue, in seconds.
    let wait = |l: usize| match scenario.links[l].spec.queue {
        QueueLimit::Packets(n) => network.queue * n as f64 * 0.012 / network.links[l].0,
        QueueLimit::Bytes(n) => network.queue * n as f64 * 8e-6 / network.links[l].0,
    };
    let mut loads = vec![0.0; network.links.len()];
    for (flow, (_, paths)) in allocation.flows.iter().zip(&network.flows) {
        let mut subs = Vec::new();
        for (subflow, over) in flow.subflows.iter().zip(paths) {
            let over: Vec<usize> = over.iter().map(|l| index(&format!("l{l}"))).collect();
            let (w, t, p) =
                (subflow.cwnd_segments.unwrap(), subflow.rtt_s.unwrap(), subflow.loss_rate.unwrap());
            assert!(w.is_finite() && w >= 0.0 && p > 0.0 && p <= 1.0, "{subflow:?}");
            let survives: f64 =
                over.iter().map(|l| (1.0 - network.links[*l].3) * (1.0 - price(*l))).product();
            // Beyond rounding and what a link without congestion counts for.
            assert!((p - (1.0 - survives)).abs() <= 1e-3 * p + 1e-14, "{p} {survives}");
            // There and back, and a packet's transmission. A link without loss may be about to fill its queue.
            let base: f64 = over.iter().map(|l| network.links[*l]).map(|l| l.1 / 500.0 + 0.012 / l.0).sum();
            let queues = |from: f64| over.iter().filter(|l| price(**l) > from).map(|l| wait(*l)).sum::<f64>();
            // Times are whole nanoseconds.
            let (least, most) = (base + queues(1e-15), base + queues(0.0));
            assert!(t >= least * (1.0 - 1e-6) && t <= most * (1.0 + 1e-6), "{t}: {least} to {most}");
            over.iter().for_each(|l| loads[*l] += w / t * 0.012);
            subs.push(Sub { w, p, t });
        }
        balances(flow.cc.as_deref().unwrap(), &subs);
    }
    for (l, (load, link)) in loads.iter().zip(&network.links).enumerate() {
        let used = load / link.0;
        assert!(used <= 1.0 + 1e-6 && price(l) >= 0.0, "{used}");
        assert!(price(l) == 0.0 || used >= 1.0 - 1e-6, "{used} at {}", price(l));
    }
}

/// A hundred networks, the same in each run. All have every equilibrium. (Of 60,000 all had, but for three whose links are too
/// narrow for windows of a segment.)
#[test]
fn equilibria_are_equilibria() {
    let config = ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() };
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    let run = TestRunner::new_with_rng(config, rng).run(&networks(), |network| {
        let scenario = scenario(&network.text());
        let ideals = ideals_of(&scenario, network.queue);
        prop_assert_eq!(&ideals.missing, &vec![]);
        for allocation in &ideals.allocations {
            let goodputs = allocation.flows.iter().map(|flow| flow.goodput_bps.unwrap());
            prop_assert!(goodputs.clone().all(|goodput| goodput.is_finite() && goodput > 0.0));
            if allocation.links[0].loss_rate.is_some() {
                check(allocation, &network, &scenario);
            }
        }
        Ok(())
    });
    run.unwrap_or_else(|failure| panic!("{failure}"));
}
