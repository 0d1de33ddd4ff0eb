//! The meaning of the format: each rule against a value computed by hand.

use crate::common::{EXAMPLE, MS, SMALL, valid, valid_with};
use anabranch_net::{
    Change, Discipline, GilbertElliott, GilbertElliottTime, Jitter, Listed, Loss, LossAt, Packets,
    QueueLimit, Time,
};
use anabranch_scenario::*;
use std::collections::HashMap;

#[test]
fn a_bdp_takes_the_longest_base_rtt_of_the_paths_that_cross_the_link() {
    let file = |queue: &str| {
        format!(
            r#"
            name = "bdp"
            duration = "1 s"
            links.access = {{ rate = "80 Mbit/s", delay = "10 ms", queue = "{queue}" }}
            links.core = {{ rate = "1 Gbit/s", delay = "40 ms", queue = "2 packets" }}
            links.back = {{ rate = "8 Mbit/s", delay = "5 ms", queue = "{queue}" }}
            links.unused = {{ rate = "8 Mbit/s", delay = "50 ms" }}
            [[flows]]
            name = "short"
            cc = "reno"
            paths = [["access"]]
            [[flows]]
            name = "long"
            cc = "reno"
            paths = [["access", "core"], ["core"]]
            return = [["back"], []]
            "#
        )
    };
    let queues = |queue: &str| -> Vec<QueueLimit> {
        valid(&file(queue)).links.iter().map(|link| link.spec.queue).collect()
    };
    let [access, core, back, unused] = queues("1 BDP")[..] else { panic!() };
    // access, core and back: 10 + 40 + 5 = 55 ms; 80 Mbit/s for that are 550,000 bytes, 8 Mbit/s 55,000.
    assert_eq!(access, QueueLimit::Bytes(550_000));
    assert_eq!(core, QueueLimit::Packets(2));
    assert_eq!(back, QueueLimit::Bytes(55_000));
    // No path crosses it: there and back over itself, 8 Mbit/s for 100 ms.
    assert_eq!(unused, QueueLimit::Bytes(100_000));
    assert_eq!(queues("0.5 BDP")[0], QueueLimit::Bytes(275_000));
    assert_eq!(queues("0.0001 BDP")[0], QueueLimit::Bytes(1500), "at least a full packet");
    assert_eq!(queues("64 KiB")[0], QueueLimit::Bytes(65_536));
    assert_eq!(queues("2 kB")[0], QueueLimit::Bytes(2000));
}

/// Links with a count are those written out, and flows with the same count take one each.
#[test]
fn links_alike_are_counted() {
    let link = "rate = \"10 Mbit/s\"\ndelay = \"10 ms\"\n";
    assert!(SMALL.contains(&format!("[links.a]\n{link}")));
    let counted = SMALL.replace("[links.a]", "[links.a]\ncount = 2");
    let each = valid(&format!("{counted}count = 2\n"));
    let names: Vec<_> = each.links.iter().map(|link| (&*link.name, &*link.key)).collect();
    assert_eq!(names, [("a/1", "a"), ("a/2", "a"), ("b", "b")]);
    assert_eq!(each.link_keys(), ["a", "b"]);
    let crossed: Vec<_> = each.flows.iter().map(|f| (f.paths[0].links[0], f.paths[1].links[0])).collect();
    assert_eq!(crossed, [(0, 2), (1, 2)]);

    let named = counted.replace("[\"a\"]", "[\"a/2\"]");
    let written = SMALL.replace("[links.a]", &format!("[links.\"a/1\"]\n{link}[links.\"a/2\"]"));
    let written = written.replace("[\"a\"]", "[\"a/2\"]");
    assert_eq!(valid(&named).hash, valid(&written).hash);
    let changed = valid_with(&named, Overrides::default().set("links.a.rate=5 Mbit/s"));
    assert!(changed.links[..2].iter().all(|link| link.spec.rate_bps == 5e6));
}

/// Outside of files: where a figure begins, and the new delay of a link.
#[test]
fn a_time_alone_may_be_zero() {
    assert_eq!(anabranch_scenario::time("0 s"), Ok(Time::ZERO));
    for wrong in ["-1 ns", "1e10 s", "1e400 s", "nan s", "5"] {
        assert!(anabranch_scenario::time(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn base_rtt_goes_there_and_back() {
    let text = SMALL
        .replace("paths = [[\"a\"], [\"b\"]]", "paths = [[\"a\", \"b\"], [\"b\"]]\nreturn = [[], [\"a\"]]");
    let scenario = valid(&text);
    assert_eq!(scenario.base_rtt(0, 0), MS(60), "2 × (10 + 20)");
    assert_eq!(scenario.base_rtt(0, 1), MS(30), "20 + 10");
}

#[test]
fn the_seed_varies_start_and_acks() {
    // However rare a link's random process is: a loss in 10¹² packets must not make all seeds alike.
    for keys in [
        "",
        "loss = { model = \"bernoulli\", rate = 1e-12 }",
        "loss = { model = \"bernoulli\", rate = 0.1 }",
        "jitter = { up_to = \"1 ms\" }",
        "changes = [{ at = \"1 s\", loss = { model = \"bernoulli\", rate = 0.1 } }]",
    ] {
        let scenario = valid(&SMALL.replace("[links.b]", &format!("[links.b]\n{keys}")));
        assert_eq!(scenario.start_offset(0), MS(40), "{keys}");
        // 1500 bytes at 10 and at 20 Mbit/s.
        let jitter = [0, 1].map(|path| scenario.host_jitter(0, path).as_nanos());
        assert_eq!(jitter, [1_200_000, 600_000], "{keys}");
    }
    let given = "[variation]\nstart_offset = \"0 s\"\nhost_jitter = \"7 us\"\n[links.a]";
    let scenario = valid(&SMALL.replace("[links.a]", given));
    assert_eq!(scenario.start_offset(0), Time::ZERO);
    assert_eq!(scenario.host_jitter(0, 1), Time::from_nanos(7000));
}

#[test]
fn every_key_of_a_link() {
    let keys = r#"[links.a]
        tick = "4 ms"
        loss = { model = "gilbert-elliott", good_to_bad = 0.01, bad_to_good = 0.2 }
        jitter = { up_to = "1 ms", reorder_rate = 0.25, reorder_delay = "3 ms" }
        ecn_threshold = "20 packets"
        changes = [
            { at = "2 s", up = true, loss = { model = "every-nth", n = 9 } },
            { at = "3 s", loss = { model = "listed", packets = [17, 19], larger_than = "1 B" } },
            { at = "1 s", rate = "64 kbit/s", delay = "1.5 ms" },
        ]"#;
    let scenario = valid(&SMALL.replace("[links.a]", keys));
    let link = &scenario.links[0].spec;
    let bursts = GilbertElliott { good_to_bad: 0.01, bad_to_good: 0.2, loss_good: 0.0, loss_bad: 1.0 };
    let bursts = Loss::GilbertElliott(bursts);
    assert_eq!(link.loss, bursts);
    assert_eq!((link.tick, scenario.links[1].spec.tick), (MS(4), Time::ZERO));
    let correlation = Time::from_nanos(1_273_240); // 4/π ms
    assert_eq!(link.jitter, Jitter { up_to: MS(1), correlation, reorder_rate: 0.25, reorder_delay: MS(3) });
    assert_eq!(link.discipline, Discipline::DropTail { ecn_threshold_bytes: Some(30_000) });
    let first = Change {
        at: MS(1000),
        rate_bps: Some(64e3),
        delay: Some(Time::from_nanos(1_500_000)),
        ..Change::default()
    };
    let second = Change { at: MS(2000), up: Some(true), loss: Some(Loss::every_nth(9)), ..Change::default() };
    let listed = Listed { packets: Packets::new(&[17, 19]).unwrap(), larger_than: 1 };
    let third = Change { at: MS(3000), loss: Some(Loss::Listed(listed)), ..Change::default() };
    assert_eq!(link.changes, [first, second, third], "in order of time");
}

#[test]
fn loss_by_time_and_behind_the_transmitter() {
    let link =
        |keys: &str| valid(&SMALL.replace("[links.a]", &format!("[links.a]\n{keys}"))).links[0].spec.clone();
    let given = link(
        "loss = { model = \"gilbert-elliott-time\", good = \"2 s\", bad = \"50 ms\", loss_good = 0.01 }",
    );
    let (good, bad) = (MS(2000), MS(50));
    let expected = GilbertElliottTime { good, bad, loss_good: 0.01, loss_bad: 1.0 };
    assert_eq!(given.loss, Loss::GilbertElliottTime(expected));
    assert_eq!(given.loss_at, LossAt::Entry);
    assert_eq!(link("loss_at = \"exit\"").loss_at, LossAt::Exit);
}

#[test]
fn every_key_of_a_flow() {
    let keys = r#"
        cc = { name = "cubic", beta = 0.5, pacing = true }
        scheduler = "blest"
        penalise = false
        count = 1
        start = "1 s"
        stop = "1 min"
        backup = [2]
        events = [
            { at = "5 s", path = 1, action = "regular" },
            { at = "4 s", path = 1, action = "backup" },
            { at = "3 s", path = 2, action = "add" },
        ]
        tcp = { mss = 1460, initial_window = 4, initial_ssthresh = 64, receive_buffer = "64 KiB", min_rto = "1 s", delayed_ack = 1, delayed_ack_timeout = "0 s", ecn = true, tso = true, push_acks = true, sack_compression = true, long_dss = true, linux_recovery = true, slow_start_after_idle = false }
        "#;
    let scenario = valid(&format!("{}{keys}", SMALL.replace("cc = \"reno\"\n", "")));
    let flow = &scenario.flows[0];
    assert_eq!(flow.name, "f/1");
    assert_eq!(flow.cc.entry.name, "cubic");
    assert_eq!(flow.cc.params.len(), 2);
    assert_eq!((flow.scheduler, flow.penalise), (Scheduler::Blest, false));
    assert_eq!((flow.start, flow.stop), (MS(1000), MS(10_000)), "at the latest the end of the run");
    assert_eq!([flow.paths[0].backup, flow.paths[1].backup], [false, true]);
    let event = |s: u64, path, action| SubflowEvent { at: MS(1000 * s), path, action };
    let (backup, regular) = (SubflowAction::Backup(true), SubflowAction::Backup(false));
    assert_eq!(flow.events, [event(3, 1, SubflowAction::Add), event(4, 0, backup), event(5, 0, regular)]);
    let tcp = Tcp {
        mss: 1460,
        initial_window: 4,
        initial_ssthresh: Some(64),
        receive_buffer: 65_536,
        min_rto: MS(1000),
        delayed_ack: 1,
        delayed_ack_timeout: Time::ZERO,
        ecn: true,
        tso: true,
        push_acks: true,
        sack_compression: true,
        long_dss: true,
        linux_recovery: true,
        slow_start_after_idle: false,
    };
    assert_eq!(flow.tcp, tcp);
    let default = valid(SMALL).flows[0].tcp;
    assert_eq!((default.tso, default.initial_ssthresh), (false, None));
}

/// `hosts` has defaults only: a flow's own keys are before them. The idealised host model is the default, and scenarios that run
/// the same have the same hash.
#[test]
fn hosts_are_defaults_of_flows() {
    let hosts = |model: &str| SMALL.replace("[links.a]", &format!("hosts = \"{model}\"\n[links.a]"));
    let linux = valid(&hosts("linux"));
    let Flow { scheduler, penalise, tcp, .. } = &linux.flows[0];
    assert_eq!((*scheduler, *penalise), (Scheduler::Linux, false));
    let all = Tcp {
        tso: true,
        push_acks: true,
        sack_compression: true,
        long_dss: true,
        linux_recovery: true,
        ..Tcp::default()
    };
    assert_eq!(*tcp, all);
    let keys = "scheduler = \"blest\"\ntcp = { push_acks = false, mss = 1000 }\n";
    let own = valid(&(hosts("linux") + keys));
    assert_eq!(own.flows[0].scheduler, Scheduler::Blest);
    assert_eq!(own.flows[0].tcp, Tcp { push_acks: false, mss: 1000, ..all });
    let plain = valid(&hosts("plain"));
    assert_eq!(plain.hash, valid(SMALL).hash);
    let spelt = "scheduler = \"linux\"\ntcp = { tso = true, push_acks = true, sack_compression = true, long_dss = true, linux_recovery = true }\n";
    assert_eq!(valid(&format!("{SMALL}{spelt}")).hash, linux.hash);
    assert_ne!(linux.hash, plain.hash);
    assert_ne!(linux.hash, valid(&(hosts("linux") + "tcp.linux_recovery = false\n")).hash);
}

#[test]
fn applications() {
    let application =
        |text: &str| valid(&format!("{SMALL}application = {text}\n")).flows[0].application.clone();
    assert_eq!(application(r#"{ kind = "bulk" }"#), Application::Bulk { bytes: None });
    assert_eq!(
        application(r#"{ kind = "bulk", size = "10 MB" }"#),
        Application::Bulk { bytes: Some(10_000_000) }
    );
    let on_off = r#"{ kind = "on-off", on = "2 s", off = { distribution = "uniform", from = "0 s", to = "500 ms" }, rate = "1 Mbit/s" }"#;
    let expected =
        Application::OnOff { on: Draw::Constant(2.0), off: Draw::Uniform(0.0, 0.5), rate_bps: Some(1e6) };
    assert_eq!(application(on_off), expected);
    let web =
        |size: &str| application(&format!("{{ kind = \"request-response\", size = {size}, count = 3 }}"));
    let answer = |size| Application::RequestResponse { size, think: Draw::Constant(0.0), count: Some(3) };
    assert_eq!(web("\"2 kB\""), answer(Draw::Constant(2000.0)));
    let exponential = r#"{ distribution = "exponential", mean = "2 kB" }"#;
    assert_eq!(web(exponential), answer(Draw::Exponential(2000.0)));
    let pareto = r#"{ distribution = "pareto", mean = "2 kB", shape = 1.2 }"#;
    assert_eq!(web(pareto), answer(Draw::Pareto { mean: 2000.0, shape: 1.2 }));
    let log_normal = r#"{ distribution = "log-normal", median = "2 kB", sigma = 2 }"#;
    assert_eq!(web(log_normal), answer(Draw::LogNormal { median: 2000.0, sigma: 2.0 }));
}

#[test]
fn seeds_above_toml_integers_are_strings() {
    let seed = |text: &str| valid(&SMALL.replace("duration", &format!("seed = {text}\nduration"))).seed;
    assert_eq!(seed("0"), 0);
    assert_eq!(seed("\"18446744073709551615\""), u64::MAX);
    assert_eq!(valid(SMALL).seed, 1);
}

#[test]
fn links_keep_the_order_of_the_file() {
    let text = EXAMPLE
        .replace("[links.dsl]", "[links.a-later-one]\nrate = \"1 Mbit/s\"\ndelay = \"0 s\"\n[links.dsl]");
    let names: Vec<String> = valid(&text).links.into_iter().map(|link| link.name).collect();
    assert_eq!(names, ["fibre", "a-later-one", "dsl"]);
}

#[test]
fn the_hash_is_of_what_runs_not_of_how_it_is_written() {
    let hash = |text: &str| valid(text).hash;
    let base = hash(EXAMPLE);
    assert!(base.len() == 64 && base.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let same = [
        ("seed = 1", "seed = 2"),
        ("seed = 1", "description = \"what for\" # and a comment"),
        ("\"500 Mbit/s\"", "\"0.5Gbit/s\""),
        ("\"1 BDP\"", "\"6.25 MB\""),
        ("scheduler = \"minrtt\"\n", ""),
        ("scheduler = \"minrtt\"\n", "penalise = true\n"),
        ("cc = \"reno\"\n", "cc = { name = \"reno\" }\napplication = { kind = \"bulk\" }\n"),
        ("delay = \"10 ms\"", "delay = \"10 ms\"\naqm = \"drop-tail\""),
    ];
    for (from, to) in same {
        assert!(EXAMPLE.contains(from));
        assert_eq!(hash(&EXAMPLE.replacen(from, to, 1)), base, "{from} -> {to}");
    }
    let arrivals =
        |keys: &str| format!("application = {{ kind = \"arrivals\", size = \"1 kB\", {keys} }}\ncount = 2");
    let mut known = HashMap::from([(base, EXAMPLE.to_owned())]);
    for (from, to) in [
        ("two paths", "three paths"),
        ("\"60 s\"", "\"61 s\""),
        ("\"10 s\"", "\"11 s\""),
        ("\"500 Mbit/s\"", "\"501 Mbit/s\""),
        ("\"50 ms\"", "\"51 ms\""),
        ("1e-6", "2e-6"),
        ("100 packets", "101 packets"),
        ("minrtt", "redundant"),
        ("scheduler = \"minrtt\"", "penalise = false"),
        ("coupled-cubic", "coupled-cubic-a1"),
        ("\"coupled-cubic\"", "{ name = \"coupled-cubic\", pacing = true }"),
        ("count = 2", "count = 3"),
        ("start = \"1 s\"", "start = \"2 s\""),
        ("[\"dsl\"]]\n\n", "[\"dsl\"]]\nbackup = [2]\n\n"),
        ("[\"dsl\"]]\n\n", "[\"dsl\"]]\ntcp.ecn = true\n\n"),
        ("[\"dsl\"]]\n\n", "[\"dsl\"]]\nreturn = [[\"dsl\"], []]\n\n"),
        ("seed = 1", "record.interval = \"1 s\""),
        ("seed = 1", "variation.host_jitter = \"0 s\""),
        ("delay = \"10 ms\"", "delay = \"10 ms\"\njitter = { up_to = \"1 ms\" }"),
        ("rate = 1e-6 }", "rate = 1e-6 }\nloss_at = \"exit\""),
        ("\"bernoulli\", rate = 1e-6 }", "\"gilbert-elliott-time\", good = \"9 s\", bad = \"1 s\" }"),
        ("delay = \"10 ms\"", "delay = \"10 ms\"\njitter = { up_to = \"1 ms\", correlation = \"9 ms\" }"),
        ("delay = \"10 ms\"", "delay = \"10 ms\"\ntick = \"1 ms\""),
        ("[\"dsl\"]]\n\n", "[\"dsl\"]]\ntcp.tso = true\n\n"),
        ("delay = \"10 ms\"", "delay = \"10 ms\"\naqm = \"red\""),
        ("delay = \"10 ms\"", "delay = \"10 ms\"\naqm = \"codel\""),
        ("delay = \"10 ms\"", "delay = \"10 ms\"\naqm = \"pie\""),
        ("delay = \"10 ms\"", "delay = \"10 ms\"\naqm = \"fq-codel\""),
        ("delay = \"10 ms\"", "delay = \"10 ms\"\naqm = { kind = \"codel\", ecn = true }"),
        ("delay = \"10 ms\"", "delay = \"10 ms\"\naqm = { kind = \"fq-codel\", queues = 1023 }"),
        ("delay = \"10 ms\"", "delay = \"10 ms\"\naqm = { kind = \"red\", gentle = false }"),
        ("delay = \"10 ms\"", "delay = \"10 ms\"\naqm = { kind = \"pie\", target = \"16 ms\" }"),
        ("count = 2", &arrivals("load = 0.5")),
        ("count = 2", &arrivals("load = 0.6")),
        ("count = 2", &arrivals("load = 0.5, connections = \"one\"")),
        ("count = 2", &arrivals("load = 0.5, count = 9")),
    ] {
        assert!(EXAMPLE.contains(from), "{from}");
        let same = known.insert(hash(&EXAMPLE.replacen(from, to, 1)), to.to_owned());
        assert_eq!(same, None, "{from} -> {to}");
    }
}
