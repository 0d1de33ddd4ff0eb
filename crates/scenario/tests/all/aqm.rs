//! Queue disciplines in the file.

use crate::common::{MS, SMALL, read, shows, small, valid};
use anabranch_net::{CoDel, Discipline, FqCoDel, Pie, Red, Time};

/// The small file whose first link has a discipline.
fn file(aqm: &str) -> String {
    small("[links.a]", &format!("[links.a]\naqm = {aqm}"))
}

fn discipline(aqm: &str) -> Discipline {
    valid(&file(aqm)).links[0].spec.discipline
}

/// RFC 8289 §4.3, RFC 8033 §4, RFC 8290 §5.2 at IP level, Floyd's recommendations of 1997 and 2000.
#[test]
fn the_defaults_are_the_published_parameters() {
    for (name, parameters) in [
        ("codel", r#"target = "5 ms", interval = "100 ms", ecn = false"#),
        (
            "fq-codel",
            r#"queues = 1024, quantum = "1500 B", target = "5 ms", interval = "100 ms", ecn = false"#,
        ),
        (
            "pie",
            r#"target = "15 ms", update = "15 ms", alpha = 0.125, beta = 1.25, max_burst = "150 ms", ecn = false"#,
        ),
        (
            "red",
            r#"min = "5 packets", max = "15 packets", max_probability = 0.1, weight = 0.002, gentle = true, ecn = false"#,
        ),
    ] {
        let published = discipline(&format!("{{ kind = \"{name}\", {parameters} }}"));
        assert_eq!(discipline(&format!("\"{name}\"")), published);
    }
}

#[test]
fn a_name_stands_for_the_defaults() {
    for law in Discipline::ALL {
        let name = format!("\"{}\"", law.name);
        assert_eq!(discipline(&name), Discipline::new(law.name, &[]).unwrap());
        assert_eq!(discipline(&format!("{{ kind = {name} }}")), discipline(&name));
    }
    assert_eq!(valid(SMALL).links[0].spec.discipline, Discipline::default());
}

/// 10 Mbit/s and a longest base RTT of 20 ms: 1 BDP is 25 kB.
#[test]
fn every_key() {
    let codel = "target = \"1 ms\", interval = \"20 ms\", ecn = true";
    let (target, interval, ecn) = (MS(1), MS(20), true);
    assert_eq!(
        discipline(&format!("{{ kind = \"codel\", {codel} }}")),
        Discipline::CoDel(CoDel { target, interval, ecn })
    );
    let fair = format!("{{ kind = \"fq-codel\", {codel}, queues = 8, quantum = \"300 B\" }}");
    let expected = FqCoDel { queues: 8, quantum: 300, target, interval, ecn };
    assert_eq!(discipline(&fair), Discipline::FqCoDel(expected));
    let pie = "{ kind = \"pie\", target = \"20 ms\", update = \"30 ms\", alpha = 0.2, beta = 2, max_burst = \"0 s\", ecn = true }";
    let (target, update, max_burst) = (MS(20), MS(30), Time::ZERO);
    assert_eq!(
        discipline(pie),
        Discipline::Pie(Pie { target, update, alpha: 0.2, beta: 2.0, max_burst, ecn })
    );
    let red = "{ kind = \"red\", min = \"9 kB\", max = \"0.8 BDP\", max_probability = 0.02, weight = 0.01, gentle = false, ecn = true }";
    let (min, max, bytes) = (9000.0, 20_000.0, true);
    let expected = Red { min, max, bytes, max_probability: 0.02, weight: 0.01, gentle: false, ecn };
    assert_eq!(discipline(red), Discipline::Red(expected));
}

#[test]
fn one_threshold_gives_the_other() {
    let thresholds = |keys: &str| match discipline(&format!("{{ kind = \"red\", {keys} }}")) {
        Discipline::Red(Red { min, max, bytes, .. }) => (min, max, bytes),
        other => panic!("{other:?}"),
    };
    assert_eq!(thresholds("min = \"10 packets\""), (10.0, 30.0, false));
    assert_eq!(thresholds("max = \"60 kB\""), (20_000.0, 60_000.0, true));
}

#[test]
fn mistakes() {
    let known = Discipline::ALL.iter().map(|spec| spec.name).collect::<Vec<_>>().join(", ");
    for (aqm, words) in [
        ("«\"codl\"»", &["`codl` is not a queue discipline", "codel"][..]),
        ("«5»", &["expected a queue discipline", "codel"]),
        ("«{ target = \"5 ms\" }»", &["`kind` is missing", &format!("known: {known}")]),
        ("{ kind = \"codel\", «alpha» = 1 }", &["unknown key `alpha`"]),
        ("{ kind = \"codel\", interval = «\"0 s\"» }", &["positive"]),
        ("{ kind = \"pie\", alpha = «-1» }", &["from 0 to 1000000"]),
        ("{ kind = \"pie\", update = «\"1 us\"» }", &["at least 0.0001 s"]),
        ("{ kind = \"fq-codel\", queues = «0» }", &["from 1 to 65536"]),
        ("{ kind = \"fq-codel\", quantum = «\"1 B\"» }", &["from 64 B to 1000000 B"]),
        ("{ kind = \"red\", weight = «0» }", &["more than 0"]),
        (
            "{ kind = \"red\", min = \"5 packets\", max = «\"15 kB\"» }",
            &["different units", "both in packets"],
        ),
        ("{ kind = \"red\", min = \"5 packets\", max = «\"5 packets\"» }", &["must be more than `min`"]),
        ("\"codel\"\necn_threshold = «\"20 packets\"»", &["ecn = true"]),
    ] {
        shows(&file(aqm), "test.toml", read, words);
    }
}
