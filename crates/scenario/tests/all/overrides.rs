//! Keys that the command line changes, and keys that it leaves.

use crate::common::{EXAMPLE, SMALL, valid_with};
use anabranch_cc::registry::ParamValue;
use anabranch_net::{CoDel, Discipline, QueueLimit, Time};
use anabranch_scenario::{Overrides, Scenario, quoted_key};

fn with(change: impl FnOnce(&mut Overrides) -> &mut Overrides) -> Scenario {
    valid_with(EXAMPLE, change(&mut Overrides::default()))
}

fn set(assignment: &str) -> Scenario {
    with(|o| o.set(assignment))
}

fn algorithms(scenario: &Scenario) -> Vec<&str> {
    scenario.flows.iter().map(|flow| flow.cc.entry.name).collect()
}

#[test]
fn quotes_around_a_value_are_optional() {
    for assignment in
        ["links.dsl.rate=50 Mbit/s", "links.dsl.rate=\"50 Mbit/s\"", " links . dsl.rate = '50 Mbit/s' "]
    {
        assert_eq!(set(assignment).links[1].spec.rate_bps, 50e6, "{assignment}");
    }
}

#[test]
fn flows_go_by_their_names() {
    let scenario = with(|o| o.set("flows.bonded.start=5 s").set("flows.\"neighbour\".count=3"));
    assert_eq!(scenario.flows[0].start, Time::from_millis(5000));
    assert_eq!(scenario.flows.len(), 4);
}

#[test]
fn a_star_stands_for_every_name() {
    let rates = |text: &str| set(text).links.iter().map(|link| link.spec.rate_bps / 1e6).collect::<Vec<_>>();
    let windows = |text: &str| set(text).flows.iter().map(|flow| flow.tcp.initial_window).collect::<Vec<_>>();
    let before = rates("name=as before");
    assert_eq!(rates("links.*.rate=7 Mbit/s"), [7.0, 7.0]);
    assert_eq!(rates("links.d*l.rate=7 Mbit/s"), [before[0], 7.0]);
    assert_eq!(windows("tcp.initial_window=4"), [4, 4, 4]);
    assert_eq!(windows("flows.*.tcp.initial_window=4"), [4, 4, 4]);
    assert_eq!(windows("flows.bond*.tcp.initial_window=4"), [4, 10, 10]);
}

/// TOML v1.0.0, "Keys": a bare key has ASCII letters, digits, underscores and dashes; the others are in quotes.
#[test]
fn names_that_are_no_bare_keys_are_quoted() {
    assert_eq!(quoted_key("dsl_2-b"), "dsl_2-b");
    for name in
        ["core link", "a.b", "a=b", "a\"b", "it's", "both \" and '", "back\\slash", "Zürich", "链路", " x "]
    {
        let key = quoted_key(name);
        // Independently of ours: the TOML parser has it as one key.
        let table: toml::Table = format!("{key} = 1").parse().unwrap();
        assert_eq!(table.keys().collect::<Vec<_>>(), [name]);
        let text = SMALL.replace("[links.a]", &format!("[links.{key}]"));
        // A JSON string is one of TOML, too.
        let text = text.replace("\"a\"", &serde_json::Value::from(name).to_string());
        let scenario = valid_with(&text, Overrides::default().set(&format!("links.{key}.rate=50 Mbit/s")));
        let link = scenario.links.iter().find(|link| link.name == name).unwrap();
        assert_eq!(link.spec.rate_bps, 50e6, "{name}");
    }
}

#[test]
fn tables_are_made_on_the_way_and_the_last_assignment_wins() {
    let scenario = with(|o| {
        o.set("record.interval=10 ms").set("record.interval=20 ms").set("flows.bonded.tcp.ecn=true");
        o.set("links.extra={ rate = \"1 Mbit/s\", delay = \"1 ms\" }").set("name=5 paths");
        o.set("flows.bonded.paths=[[\"fibre\"], [\"extra\"]]").set("flows.bonded.cc.pacing=true")
    });
    assert_eq!(scenario.record_interval, Time::from_millis(20));
    assert!(scenario.flows[0].tcp.ecn && !scenario.flows[1].tcp.ecn);
    assert_eq!(scenario.flows[0].paths[1].links, [2]);
    assert_eq!(scenario.name, "5 paths");
    assert_eq!(scenario.flows[0].cc.entry.name, "coupled-cubic");
    assert_eq!(scenario.flows[0].cc.params, [("pacing".to_owned(), ParamValue::Flag(true))]);
}

/// A name alone becomes a table where one of its parameters is set.
#[test]
fn a_short_discipline_takes_parameters() {
    let scenario = with(|o| o.set("links.dsl.aqm=codel").set("links.dsl.aqm.ecn=true"));
    let expected = Discipline::CoDel(CoDel { ecn: true, ..CoDel::default() });
    assert_eq!(scenario.links[1].spec.discipline, expected);
}

#[test]
fn a_bdp_follows_the_overridden_rate() {
    // 100 Mbit/s for 100 ms are 1.25 MB.
    assert_eq!(set("links.fibre.rate=100 Mbit/s").links[0].spec.queue, QueueLimit::Bytes(1_250_000));
}

/// Alone it is for the multipath flows or, without such flows, for all.
#[test]
fn cc_changes_the_flows_that_it_is_for() {
    let single = EXAMPLE.replace("[[\"fibre\"], [\"dsl\"]]", "[[\"fibre\"]]");
    let named = EXAMPLE.replace("\"neighbour\"", "'a, \"b\"={'");
    for (text, spec, expected) in [
        (&*named, "'a, \"b\"={' = cubic", ["coupled-cubic", "cubic", "cubic"]),
        (EXAMPLE, "\"neighbour\"=cubic", ["coupled-cubic", "cubic", "cubic"]),
        (EXAMPLE, "lia", ["lia", "reno", "reno"]),
        (&single, "cubic", ["cubic"; 3]),
        (EXAMPLE, "neighbour=cubic", ["coupled-cubic", "cubic", "cubic"]),
        (EXAMPLE, "neighbour/2=cubic", ["coupled-cubic", "reno", "cubic"]),
    ] {
        let scenario = valid_with(text, Overrides::default().cc(spec));
        assert_eq!(algorithms(&scenario), expected, "{spec}");
    }
}

/// A table as the file has it: the same scenario as with the table in the file.
#[test]
fn cc_takes_a_table_with_parameters() {
    let table = r#"{ name = "uncoupled", over = "reno" }"#;
    let set = |flow: &str| set(&format!("flows.{flow}.cc={table}"));
    let multipath = with(|o| o.cc(table));
    assert_eq!(algorithms(&multipath), ["uncoupled", "reno", "reno"]);
    assert_eq!(multipath.hash, set("bonded").hash);
    assert_eq!(with(|o| o.cc(&format!("neighbour = {table} "))).hash, set("neighbour").hash);
}

#[test]
fn seed_and_duration() {
    let scenario = with(|o| {
        o.seed = Some(u64::MAX);
        o.duration = Some("30 s".into());
        o
    });
    assert_eq!(scenario.seed, u64::MAX);
    assert_eq!(scenario.duration, Time::from_millis(30_000));
    assert!(scenario.flows.iter().all(|flow| flow.stop == scenario.duration));
}

#[test]
fn a_shorter_run_leaves_out_what_comes_later() {
    let text = EXAMPLE.replace("start = \"1 s\"", "start = \"50 s\"");
    let overrides = Overrides { duration: Some("20 s".into()), ..Overrides::default() };
    let scenario = valid_with(&text, &overrides);
    assert_eq!(scenario.flows[1].start, Time::from_millis(50_000));
    assert!(scenario.flows[1].stop >= scenario.flows[1].start);
}
