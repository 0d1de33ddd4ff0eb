//! What `check` warns of.

use crate::common::{EXAMPLE, SMALL, read, small};

fn warnings(text: &str) -> Vec<String> {
    read(text).unwrap().warnings()
}

#[test]
fn usual_scenarios_have_none() {
    for text in [SMALL, EXAMPLE] {
        assert_eq!(warnings(text), Vec::<String>::new());
    }
}

#[test]
fn each_has_its_own() {
    let flow = |line: &str| format!("{SMALL}{line}\n");
    let warmup = format!("{}stop = \"5 s\"\n", small("duration", "warmup = \"5 s\"\nduration"));
    for (text, warning) in [
        (flow("backup = [1, 2]"), "f: every path is a backup, so all are used: leave one regular"),
        (small("[\"b\"]", "[\"b\", \"a\", \"b\"]"), "f: a path crosses b twice, which halves its capacity"),
        (
            small("[[\"a\"], [\"b\"]]", "[[\"a\", \"b\"]]").replace("reno", "lia"),
            "f: it runs lia, a coupled algorithm, over one path of 2 links: for a subflow over each write paths = [[\"a\"], [\"b\"]]",
        ),
        (
            small("[[\"a\"], [\"b\"]]", "[[\"a\"]]").replace("reno", "lia"),
            "f: it runs lia, a coupled algorithm, over a single path, so nothing is coupled",
        ),
        (warmup, "f: it stops at 5 s, before means begin at 5 s: nothing of it is measured"),
        // 30 Mbit/s × 40 ms are 150 kB.
        (
            flow("tcp.receive_buffer = \"149 kB\""),
            "f: tcp.receive_buffer of 149000 B is less than the bandwidth-delay product of its paths, 150000 B: it limits the flow",
        ),
        (
            flow("tcp.mss = 8948"),
            "f: tcp.mss of 8948 makes packets of 9000 B: links with an MTU of 1500 B, as most have, do not carry them",
        ),
        (small("20 Mbit/s", "20 bit/s"), "b: its rate is 20 bit/s, below 1 kbit/s: did you mean 20 Mbit/s?"),
        (
            small("delay = \"20 ms\"", "delay = \"20 ms\"\nloss = { model = \"bernoulli\", rate = 1.0 }"),
            "b: it loses every packet: a loss rate is a fraction, so 1 % is 0.01",
        ),
    ] {
        assert_eq!(warnings(&text), [warning]);
    }
    assert_eq!(warnings(&flow("tcp.receive_buffer = \"150 kB\"")), Vec::<String>::new());
}

/// A warning of many connections is one.
#[test]
fn counts_are_reported_once() {
    assert_eq!(warnings(&format!("{SMALL}count = 3\nbackup = [1, 2]\n")).len(), 1);
}

/// A name with a slash need not come from a `count`.
#[test]
fn names_are_those_of_the_file() {
    let slow =
        small("20 Mbit/s", "20 bit/s").replace("links.b]", "links.\"b/7\"]").replace("[\"b\"]", "[\"b/7\"]");
    let slow = warnings(&slow);
    assert!(slow[0].starts_with("b/7: its rate is 20 bit/s"), "{slow:?}");
    let names = ["web/12", "web/*", "web/", "web/down", "web/1x"].map(anabranch_scenario::base);
    assert_eq!(names, ["web", "web", "web/", "web/down", "web/1x"]);
}
