//! Paper C's definitions against its text, and its utility problem against a closed form.

use crate::{quick_options, run};
use anabranch_net::{Loss, QueueLimit};
use anabranch_papers::{find, scenarios};
use anabranch_study::{Setup, Size};
use std::collections::BTreeSet;

/// The paper's rows at that size.
fn row_ids(size: Size) -> BTreeSet<String> {
    let plans = find("C").unwrap().experiments.iter().map(|definition| definition.plan(size));
    plans.flat_map(|plan| plan.row_ids().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Fig. 2 to 5: every bar of every algorithm and every point from 10⁻² to 10⁻⁶, at every size; other buffers and delay.
#[test]
fn every_bar_and_point_is_a_row() {
    for rows in Size::ALL.map(row_ids) {
        let has = |of: String, ends: &[&str]| {
            for end in ends {
                assert!(rows.contains(&format!("{of}.{end}")), "{of}.{end}");
            }
        };
        for cc in ["lia", "olia", "balia", "wvegas", "wcompound"] {
            has(format!("C-F2.{cc}"), &["tcp", "subflow1", "subflow2", "total"]);
            has(format!("C-F4.{cc}"), &["mptcp", "tcp", "jain"]);
            has(format!("C-F5.{cc}"), &["mptcp", "tcp", "jain"]);
        }
        for cc in ["wcompound", "wvegas", "olia", "cubic", "reno", "compound"] {
            has(format!("C-F3.{cc}"), &["1e-2", "1e-3", "1e-4", "1e-5", "1e-6"]);
        }
        for place in ["half-bdp", "two-bdp", "one-way"] {
            has(format!("C-S1.{place}.wcompound"), &["tcp", "subflow1", "subflow2", "total"]);
            has(format!("C-S2.{place}.wcompound"), &["mptcp", "tcp"]);
            has(format!("C-S3.{place}.wcompound"), &["mptcp", "tcp"]);
        }
    }
}

/// A scenario with its links' rates, for each group of five flows the links of its paths, and the links' loss.
type Topology = (&'static str, &'static [f64], &'static [&'static [usize]], Loss);

/// Sec. IV: five TCP flows and five MPTCP connections of two subflows; 150 Mbit/s twice or 300 Mbit/s once, 80 ms of RTT,
/// here with one BDP of buffer. The loss of 10⁻³ is replaced for the others of the second experiment.
#[test]
fn the_topologies_are_those_of_the_text() {
    let cases: [Topology; 3] = [
        ("two-links", &[150e6, 150e6], &[&[0, 1], &[0]], Loss::None),
        ("bottleneck", &[300e6], &[&[0, 0], &[0]], Loss::None),
        ("lossy-links", &[150e6, 150e6], &[&[0, 1]], Loss::bernoulli(1e-3)),
    ];
    for (name, rates, groups, loss) in cases {
        let file = scenarios::at(&format!("papers/WCOMPOUND/wcompound-{name}.toml"));
        let scenario = Setup::new("", file).scenario().unwrap();
        assert_eq!(scenario.links.iter().map(|link| link.spec.rate_bps).collect::<Vec<_>>(), rates);
        for link in &scenario.links {
            assert_eq!(2.0 * link.spec.delay.as_secs_f64(), 0.08);
            // 80 ms at this rate, in bytes.
            assert_eq!(link.spec.queue, QueueLimit::Bytes((link.spec.rate_bps / 100.0) as u64));
            assert_eq!(link.spec.loss, loss);
        }
        let links = |flow: &anabranch_scenario::Flow| flow.paths.iter().map(|p| p.links[0]).collect();
        let flows: Vec<Vec<usize>> = scenario.flows.iter().map(links).collect();
        assert_eq!(flows, groups.iter().flat_map(|group| vec![group.to_vec(); 5]).collect::<Vec<_>>());
    }
}

/// A convex problem with a known answer. On one link, and on two that MPTCP pools, rates are as the weights and sum to
/// 300 Mbit/s, and a link's price is the sum of the weights ÷ that, here in packets of 1500 bytes.
#[test]
fn the_optimum_of_a_pool_is_proportional_to_weights() {
    let result = run(find("C").unwrap(), &quick_options(2, Some("C-N")));
    let rows = &result.experiments[0].rows;
    let values = |id: &str| &rows.iter().find(|r| r.id == id).unwrap().measured.as_ref().unwrap().values;
    let two_links: &[&str] = &["link1", "link2"];
    let cases = [
        ("C-N.F2", two_links),
        ("C-N.F2.tenth-bdp", two_links),
        ("C-N.F4", &["link"]),
        ("C-N.F4.tenth-bdp", &["link"]),
    ];
    for (case, links) in cases {
        let of = |row: &str| values(&format!("{case}.{row}"));
        for seed in 0..2 {
            let weights = [of("mptcp.weight")[seed], of("tcp.weight")[seed]];
            let rates = [of("mptcp.optimal")[seed], of("tcp.optimal")[seed]];
            let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-3, "{case}: {a} {b}");
            // Two links are a pool where MPTCP is to have more than the second.
            assert!(weights[1] < weights[0]);
            close(rates[0] / rates[1], weights[0] / weights[1]);
            close(5.0 * (rates[0] + rates[1]), 300.0);
            let price_s = 5.0 * (weights[0] + weights[1]) / (300e6 / 12e3);
            links.iter().for_each(|link| close(of(&format!("{link}.price"))[seed], price_s * 1e3));
        }
    }
}
