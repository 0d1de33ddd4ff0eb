//! Every mistake is shown with its file, its line, the offending text, and what would be right.

use crate::common::{EXAMPLE, SMALL, read, read_with, rendered, small};
use anabranch_scenario::{Overrides, ScenarioError};

/// Asserts that a text has exactly one problem: in this line, this text, with these words in the diagnostic.
#[track_caller]
fn wrong(text: &str, line: usize, offending: &str, words: &[&str]) {
    shows(&read(text).expect_err("a mistake"), "test.toml", line, offending, words);
}

#[track_caller]
fn shows(error: &ScenarioError, file: &str, line: usize, offending: &str, words: &[&str]) {
    let shown = rendered(error);
    assert_eq!(error.problems().len(), 1, "{shown}");
    assert_eq!(error.problems()[0].line(), line, "{shown}");
    assert_eq!(error.problems()[0].text(), offending, "{shown}");
    assert!(shown.contains(&format!("snippet for {file}")), "{shown}");
    assert!(shown.contains(&format!("label at line {line},")), "{shown}");
    for part in words.iter().chain([&offending]) {
        assert!(shown.contains(part), "no `{part}` in:\n{shown}");
    }
}

/// The small file with a line after line 13, in its flow.
fn flow(line: &str) -> String {
    format!("{SMALL}{line}\n")
}

#[test]
fn the_files_that_the_tests_change_are_valid() {
    for text in [SMALL, EXAMPLE] {
        read(text).unwrap();
    }
}

#[test]
fn a_study_is_no_scenario() {
    let study = "title = \"a\"\n[runs.a]\nscenario = \"a.toml\"\n";
    wrong(study, 1, "\"a\"", &["this is a study, not a scenario", "anabranch study FILE"]);
}

/// A mistake that several links share is reported once.
#[test]
fn counts_of_links() {
    let counted = |count: &str| small("[links.a]", &format!("[links.a]\ncount = {count}"));
    wrong(&counted("0"), 5, "0", &["must be from 1 to 10000"]);
    for flow in ["", "count = 3\n"] {
        let words = ["`a` names 2 links", "name one, `a/1`, or give the flow count = 2"];
        wrong(&format!("{}{flow}", counted("2")), 16, "\"a\"", &words);
    }
    let changes = counted("2\nchanges = [{ at = \"1 s\" }]");
    wrong(&changes.replace("[\"a\"]", "[\"a/1\"]"), 6, "{ at = \"1 s\" }", &["changes nothing"]);
    let twice =
        counted("2").replace("[links.b]", "[links.\"a/2\"]").replace("[[\"a\"], [\"b\"]]", "[[\"a/2\"]]");
    wrong(&twice, 9, "\"a/2\"", &["two links are named `a/2`"]);
    let many = counted("10000").replace("[\"a\"], [\"b\"]", "[\"a/1\"]");
    wrong(&many.replace("[links.b]", "[links.b]\ncount = 1"), 10, "1", &["over the limit of 10000 links"]);
}

#[test]
fn syntax() {
    let error = read("name = \"x\nduration = 1").unwrap_err();
    let shown = rendered(&error);
    assert!(shown.contains("not TOML: invalid basic string") && shown.contains("label at line 1"), "{shown}");
    let error = read(&small("[links.a]", "[links.a")).unwrap_err();
    assert!(rendered(&error).contains("label at line 4"), "{}", rendered(&error));
    let error = read(&small("[links.b]", "[links.a]")).unwrap_err();
    assert_eq!(error.problems()[0].line(), 8);
    assert!(rendered(&error).contains("duplicate key"), "{}", rendered(&error));
}

#[test]
fn long_lines() {
    let long = format!("{SMALL}# {}\n", "é".repeat(10_000));
    let begin = format!("# {}", "é".repeat(58));
    wrong(&long, 16, &begin, &["line too long: 20002 bytes, the limit is 10000", "split it"]);
}

#[test]
fn unknown_keys() {
    wrong(
        &small("duration", "warmpu = \"1 s\"\nduration"),
        2,
        "warmpu",
        &["unknown key", "did you mean `warmup`?"],
    );
    wrong(
        &small("rate", "colour = 1\nrate"),
        5,
        "colour",
        &["unknown key", "known: count, rate, delay, tick"],
    );
    wrong(
        &small("rate", "loss = { model = \"bernoulli\", rat = 0.1, rate = 0.1 }\nrate"),
        5,
        "rat",
        &["`rate`"],
    );
    wrong(&flow("retrun = []"), 16, "retrun", &["did you mean `return`?"]);
    wrong(&flow("tcp = { msss = 1 }"), 16, "msss", &["did you mean `mss`?"]);
}

#[test]
fn missing_keys() {
    wrong(&small("cc = \"reno\"\n", ""), 12, "[[flows]]", &["`cc` is missing"]);
    wrong(&small("rate = \"10 Mbit/s\"\n", ""), 4, "[links.a]", &["`rate` is missing"]);
    wrong(
        &flow("application = { kind = \"request-response\" }"),
        16,
        "{ kind = \"request-response\" }",
        &["`size`"],
    );
    let error = read("").unwrap_err();
    assert_eq!(error.to_string(), "4 problems in the scenario");
    let shown = rendered(&error);
    for key in ["name", "duration", "links", "flows"] {
        assert!(shown.contains(&format!("`{key}` is missing")), "{shown}");
    }
}

#[test]
fn units() {
    let rate = |text: &str| small("\"10 Mbit/s\"", text);
    wrong(&rate("\"10 Mbps\""), 5, "Mbps", &["not a unit of rate", "did you mean `Mbit/s`?"]);
    wrong(&rate("\"10 mbit/s\""), 5, "mbit/s", &["did you mean `Mbit/s`?"]);
    wrong(&rate("\"10 ms\""), 5, "ms", &["not a unit of rate", "bit/s, kbit/s, Mbit/s, Gbit/s"]);
    wrong(&rate("\"10\""), 5, "10", &["a rate needs a unit", "50 Mbit/s"]);
    wrong(&rate("10"), 5, "10", &["a rate needs a unit"]);
    wrong(&rate("\"fast\""), 5, "fast", &["a rate must begin with a number"]);
    wrong(&rate("true"), 5, "true", &["expected a rate, found true or false"]);
    wrong(&small("\"10 ms\"", "\"10 sec\""), 6, "sec", &["not a unit of time", "ns, µs, ms, s, min, h"]);
    wrong(
        &small("rate", "queue = \"3 frames\"\nrate"),
        5,
        "frames",
        &["not a unit of queue length", "packets"],
    );
    wrong(&small("rate", "queue = \"2 bdp\"\nrate"), 5, "bdp", &["did you mean `BDP`?"]);
    wrong(&flow("tcp.receive_buffer = \"1 mb\""), 16, "mb", &["not a unit of size", "did you mean `MB`?"]);
}

#[test]
fn bounds() {
    for rate in ["0 Mbit/s", "-5 Mbit/s", "1e-9 bit/s", "1e99 Gbit/s"] {
        let offending = format!("\"{rate}\"");
        wrong(&small("\"10 Mbit/s\"", &offending), 5, &offending, &["the rate", "must be"]);
    }
    for queue in ["0 packets", "-1 BDP", "0 B", "1.5 packets", "1e30 packets", "1e30 MB", "1e300 BDP"] {
        let offending = format!("\"{queue}\"");
        wrong(
            &small("rate", &format!("queue = {offending}\nrate")),
            5,
            &offending,
            &["the queue", "must be"],
        );
    }
    let spells = "loss = { model = \"gilbert-elliott-time\", good = \"0 s\", bad = \"1 s\" }\nrate";
    wrong(&small("rate", spells), 5, "\"0 s\"", &["must be positive"]);
    let jitter = |keys: &str| small("rate", &format!("jitter = {{ {keys} }}\nrate"));
    let (short, must) = ("\"6 ms\"", &["packets would overtake", "must be at least 0.006366198 s"]);
    wrong(&jitter(&format!("up_to = \"10 ms\", correlation = {short}")), 5, short, must);
    wrong(&jitter("up_to = \"10 ms\", correlation = \"0 s\""), 5, "\"0 s\"", &["must be positive"]);
    wrong(&jitter("correlation = \"1 s\""), 5, "\"1 s\"", &["needs `up_to`"]);
    read(&jitter("up_to = \"10 ms\", correlation = \"6.4 ms\"")).unwrap();
    let tick = |text: &str| small("rate", &format!("tick = {text}\nrate"));
    wrong(&tick("\"0 ms\""), 5, "\"0 ms\"", &["the time", "must be positive"]);
    wrong(&tick("\"-1 ms\""), 5, "\"-1 ms\"", &["the time", "must be positive"]);
    wrong(&tick("1"), 5, "1", &["a time needs a unit"]);
    wrong(&flow("tcp.push_acks = true"), 16, "true", &["needs `tso = true`"]);
    wrong(&flow("tcp.tso = 1"), 16, "1", &["expected true or false, found a whole number"]);
    wrong(&small("\"10 s\"", "\"0 s\""), 2, "\"0 s\"", &["must be positive"]);
    wrong(&small("\"10 s\"", "\"-1 s\""), 2, "\"-1 s\"", &["must be positive"]);
    wrong(&small("\"10 s\"", "\"0.1 ns\""), 2, "\"0.1 ns\"", &["at least 1 ns"]);
    wrong(&small("\"10 s\"", "\"1e40 h\""), 2, "\"1e40 h\"", &["at most 1000000000 s"]);
    wrong(&small("\"10 ms\"", "\"-1 ms\""), 6, "\"-1 ms\"", &["must be zero or more"]);
    for p in ["-0.1", "1.5", "2", "nan", "inf"] {
        let loss = format!("loss = {{ model = \"bernoulli\", rate = {p} }}\nrate");
        wrong(&small("rate", &loss), 5, p, &["the probability", "must be from 0 to 1"]);
    }
    wrong(&small("rate", "loss = { model = \"every-nth\", n = 0 }\nrate"), 5, "0", &["must be 1 or more"]);
    let ascending = "must be one to 16 ascending numbers of packets";
    for (packets, offending, words) in [
        ("[]", "[]", ascending),
        ("[3, 2]", "[3, 2]", ascending),
        ("[2, 2]", "[2, 2]", ascending),
        ("[0]", "0", "must be from 1 to 4294967295"),
        ("17", "17", "an array"),
    ] {
        let loss = format!("loss = {{ model = \"listed\", packets = {packets} }}\nrate");
        wrong(&small("rate", &loss), 5, offending, &[words]);
    }
    wrong(&flow("count = 0"), 16, "0", &["must be from 1 to 10000"]);
    wrong(&flow("count = 99999999999999999999"), 16, "99999999999999999999", &["must be from 1 to 10000"]);
    wrong(&flow("tcp = { mss = 20 }"), 16, "20", &["must be from 100 to 65000"]);
    wrong(&flow("tcp = { receive_buffer = \"2 GiB\" }"), 16, "\"2 GiB\"", &["at most 1 GiB"]);
    let buffer = "\"1447 B\"";
    let must = &["is smaller than a segment of 1448 B", "at least 1448 B"];
    wrong(&flow(&format!("tcp = {{ receive_buffer = {buffer} }}")), 16, buffer, must);
    let must = &["is smaller than a segment of 9000 B"];
    wrong(&flow("tcp = { mss = 9000, receive_buffer = \"8 kB\" }"), 16, "\"8 kB\"", must);
    wrong(&small("duration", "seed = -1\nduration"), 2, "-1", &["the seed", "0 to 18446744073709551615"]);
    let interval = |text: &str| small("duration", &format!("record.interval = {text}\nduration"));
    wrong(&interval("\"0 s\""), 2, "\"0 s\"", &["must be positive"]);
    wrong(&interval("\"9999 ns\""), 2, "\"9999 ns\"", &["the time between samples must be at least 10 µs"]);
    read(&interval("\"10 us\"")).unwrap();
}

#[test]
fn algorithms() {
    let cc = |text: &str| small("\"reno\"", text);
    wrong(
        &cc("\"coupled-cubik\""),
        14,
        "\"coupled-cubik\"",
        &["unknown algorithm", "did you mean `coupled-cubic`?"],
    );
    wrong(&cc("\"zzz\""), 14, "\"zzz\"", &["unknown algorithm", "known: reno, cubic"]);
    wrong(&cc("{ name = \"cubik\" }"), 14, "\"cubik\"", &["did you mean `cubic`?"]);
    wrong(
        &cc("{ name = \"cubic\", betta = 0.5 }"),
        14,
        "betta",
        &["no parameter `betta`", "did you mean `beta`?"],
    );
    wrong(&cc("{ name = \"cubic\", beta = 7 }"), 14, "7", &["must be a number from"]);
    wrong(&cc("{ name = \"cubic\", pacing = 1 }"), 14, "1", &["must be true or false"]);
    wrong(&cc("{ name = \"uncoupled\", over = \"lia\" }"), 14, "\"lia\"", &["must be one of"]);
    wrong(
        &cc("{ name = \"uncoupled\", over = \"cubik\" }"),
        14,
        "\"cubik\"",
        &["must be one of", "did you mean `cubic`?"],
    );
    wrong(&cc("{ pacing = true }"), 14, "{ pacing = true }", &["`name` is missing"]);
    wrong(&cc("5"), 14, "5", &["expected an algorithm"]);
}

#[test]
fn words() {
    wrong(
        &flow("scheduler = \"redundant\"\npenalise = true"),
        17,
        "true",
        &["does not penalise", "use minrtt, roundrobin or blest"],
    );
    wrong(&flow("scheduler = \"minrt\""), 16, "\"minrt\"", &["not a scheduler", "did you mean `minrtt`?"]);
    let loss = "loss = { model = \"bernouli\", rate = 0.1 }\nrate";
    wrong(&small("rate", loss), 5, "\"bernouli\"", &["not a loss model", "did you mean `bernoulli`?"]);
    let at = small("rate", "loss_at = \"exti\"\nrate");
    wrong(&at, 5, "\"exti\"", &["not a place of loss", "did you mean `exit`?"]);
    wrong(&flow("application = { kind = \"burst\" }"), 16, "\"burst\"", &["on-off", "request-response"]);
}

#[test]
fn paths() {
    wrong(
        &small("[[\"a\"], [\"b\"]]", "[[\"a\"], [\"bb\"]]"),
        15,
        "\"bb\"",
        &["no link is named `bb`", "did you mean `b`?"],
    );
    wrong(&small("[[\"a\"], [\"b\"]]", "[]"), 15, "[]", &["a flow needs a path"]);
    wrong(&small("[[\"a\"], [\"b\"]]", "[[\"a\"], []]"), 15, "[]", &["a path needs a link"]);
    let brackets = ["an array of strings", "each a list of links: [[\"a\"]]"];
    wrong(&small("[[\"a\"], [\"b\"]]", "[\"a\"]"), 15, "[\"a\"]", &brackets);
    wrong(&small("[[\"a\"], [\"b\"]]", "[\"a\", []]"), 15, "\"a\"", &["expected an array, found a string"]);
    wrong(&flow("return = [[\"a\"]]"), 16, "[[\"a\"]]", &["1 return path for 2 paths"]);
    wrong(&flow("return = [[\"a\"], [\"c\"]]"), 16, "\"c\"", &["no link is named `c`"]);
    wrong(&flow("backup = [3]"), 16, "3", &["path 3 does not exist", "numbered from 1 to 2"]);
    wrong(&flow("backup = [0]"), 16, "0", &["must be 1 or more"]);
    let alone = small("[[\"a\"], [\"b\"]]", "[[\"a\"]]\nbackup = [1]");
    wrong(&alone, 16, "1", &["the only path cannot be backup"]);
}

#[test]
fn names() {
    let twice = format!("{SMALL}[[flows]]\nname = \"f\"\ncc = \"reno\"\npaths = [[\"a\"]]\n");
    wrong(&twice, 17, "\"f\"", &["two flows are named `f`"]);
    let counted = format!("{SMALL}count = 2\n[[flows]]\nname = \"f/2\"\ncc = \"reno\"\npaths = [[\"a\"]]\n");
    wrong(&counted, 18, "\"f/2\"", &["two flows are named `f/2`"]);
    let one_counted =
        format!("{SMALL}[[flows]]\nname = \"f\"\ncount = 2\ncc = \"reno\"\npaths = [[\"a\"]]\n");
    wrong(&one_counted, 17, "\"f\"", &["two flows are named `f`"]);
    let both_counted = one_counted.replacen("[[\"a\"], [\"b\"]]", "[[\"a\"], [\"b\"]]\ncount = 3", 1);
    wrong(&both_counted, 18, "\"f\"", &["two flows are named `f`"]);
    wrong(&small("\"f\"", "\"\""), 13, "\"\"", &["a name must be printable"]);
}

#[test]
fn instants() {
    wrong(
        &small("[links", "warmup = \"10 s\"\n[links"),
        4,
        "\"10 s\"",
        &["shorter than the duration of 10 s"],
    );
    wrong(&flow("start = \"10 s\""), 16, "\"10 s\"", &["outside the run of 10 s"]);
    wrong(&flow("start = \"2 s\"\nstop = \"1 s\""), 17, "\"1 s\"", &["stops at 1 s, but starts at 2 s"]);
    let change = |text: &str| small("rate", &format!("changes = [{text}]\nrate"));
    wrong(&change("{ at = \"11 s\", up = false }"), 5, "\"11 s\"", &["outside the run of 10 s"]);
    wrong(&change("{ at = \"1 s\" }"), 5, "{ at = \"1 s\" }", &["changes nothing", "rate, delay, loss, up"]);
    wrong(&change("{ at = \"1 s\", rate = \"0 bit/s\" }"), 5, "\"0 bit/s\"", &["must be positive"]);
    let jitter = small("rate", "jitter = { reorder_rate = 0.5 }\nrate");
    wrong(&jitter, 5, "0.5", &["needs a positive `reorder_delay`", "reorder_delay"]);
}

#[test]
fn subflow_events() {
    let event = |text: &str| flow(&format!("start = \"1 s\"\nevents = [{text}]"));
    let add = |at: u32, path: u32| format!("{{ at = \"{at} s\", path = {path}, action = \"add\" }}");
    let remove = |at: u32, path: u32| format!("{{ at = \"{at} s\", path = {path}, action = \"remove\" }}");
    wrong(&event(&add(10, 2)), 17, "\"10 s\"", &["outside the run"]);
    wrong(&event(&add(0, 2)), 17, "\"0 s\"", &["not open at 0 s", "starts at 1 s"]);
    wrong(&event(&add(2, 3)), 17, "3", &["path 3 does not exist"]);
    wrong(
        &event("{ at = \"2 s\", path = 2, action = \"drop\" }"),
        17,
        "\"drop\"",
        &["add, remove, backup, regular"],
    );
    wrong(
        &event(&[remove(2, 2), remove(3, 2)].join(", ")),
        17,
        "\"remove\"",
        &["path 2 is not joined at 3 s"],
    );
    wrong(&event(&[add(3, 2), add(2, 2)].join(", ")), 17, "\"add\"", &["path 2 has already joined"]);
    wrong(&event(&[add(3, 2), add(2, 1)].join(", ")), 17, "\"add\"", &["no path joins at the start"]);
    let alone = small("[[\"a\"], [\"b\"]]", &format!("[[\"a\"]]\nevents = [{}]", remove(2, 1)));
    wrong(&alone, 16, "\"remove\"", &["a single path is plain TCP"]);
}

#[test]
fn distributions() {
    let size = |text: &str| flow(&format!("application = {{ kind = \"request-response\", size = {text} }}"));
    let pareto =
        |shape: &str| size(&format!("{{ distribution = \"pareto\", mean = \"1 kB\", shape = {shape} }}"));
    wrong(&pareto("1"), 16, "1", &["the shape", "more than 1"]);
    wrong(&pareto("\"a\""), 16, "\"a\"", &["expected a number"]);
    let uniform = "{ distribution = \"uniform\", from = \"2 kB\", to = \"1 kB\" }";
    wrong(&size(uniform), 16, uniform, &["`from` must not exceed `to`"]);
    wrong(&size("\"2 s\""), 16, "s", &["not a unit of size"]);
    wrong(
        &size("{ distribution = \"normal\" }"),
        16,
        "\"normal\"",
        &["uniform, exponential, pareto, log-normal"],
    );
    let on = |text: &str| flow(&format!("application = {{ kind = \"on-off\", on = {text}, off = \"0 s\" }}"));
    wrong(&on("\"0 s\""), 16, "\"0 s\"", &["must be positive"]);
    let never = "{ distribution = \"exponential\", mean = \"0 s\" }";
    wrong(&on(never), 16, never, &["the mean must be positive"]);
}

#[test]
fn several_problems_are_shown_at_once() {
    let text =
        small("\"10 Mbit/s\"", "\"10 Mbps\"").replace("\"20 ms\"", "\"-20 ms\"").replace("reno", "rino");
    let error = read(&text).unwrap_err();
    let places: Vec<_> = error.problems().iter().map(|problem| (problem.line(), problem.text())).collect();
    assert_eq!(places, [(5, "Mbps"), (10, "\"-20 ms\""), (14, "\"rino\"")]);
    let shown = rendered(&error);
    assert!(
        ["3 problems", "Mbit/s", "zero or more", "`reno`"].iter().all(|part| shown.contains(part)),
        "{shown}"
    );
}

#[test]
fn mistakes_in_overrides_show_the_override() {
    let set = |text: &str| {
        let mut overrides = Overrides::default();
        overrides.set(text);
        read_with(SMALL, &overrides).unwrap_err()
    };
    shows(
        &set("links.a.rate=5 Mbps"),
        "--set",
        1,
        "Mbps",
        &["did you mean `Mbit/s`?", "links.a.rate=5 Mbps"],
    );
    shows(&set("links.a.rate=\"-5 Mbit/s\""), "--set", 1, "\"-5 Mbit/s\"", &["must be positive"]);
    shows(&set("links.c.rate=5 Mbit/s"), "--set", 1, "c", &["no link is named `c`", "known: a, b"]);
    shows(&set("flows.g.start=1 s"), "--set", 1, "g", &["no flow is named `g`", "known: f"]);
    shows(&set("flows.f.strat=1 s"), "--set", 1, "strat", &["did you mean `start`?"]);
    shows(&set("links.x*.rate=1 Mbit/s"), "--set", 1, "x*", &["no link is named `x*`", "known: a, b"]);
    shows(&set("flows.*.strat=1 s"), "--set", 1, "strat", &["did you mean `start`?"]);
    shows(&set("tcp.ms=500"), "--set", 1, "ms", &["did you mean `mss`?"]);
    shows(&set("flows.f=1"), "--set", 1, "f", &["flows.NAME.KEY=VALUE"]);
    shows(&set("links.a.rate.x=1"), "--set", 1, "x", &["not a key of a string"]);
    shows(&set("links.a.rate"), "--set", 1, "links.a.rate", &["is not an assignment", "KEY=VALUE"]);
    shows(&set(".=1"), "--set", 1, ".=1", &["is not an assignment"]);
    assert!(set("flows.f.paths=[[\"a\"").to_string().contains("not TOML"));
    shows(&set("flows.f.paths=[[\"z\"], [\"a\"]]"), "--set", 1, "\"z\"", &["no link is named `z`"]);
    shows(&set("flows.f.cc.betta=1"), "--set", 1, "betta", &["reno has no parameter"]);

    let mut overrides = Overrides::default();
    overrides.duration = Some("5 min.".into());
    shows(&read_with(SMALL, &overrides).unwrap_err(), "--duration", 1, "min.", &["did you mean `min`?"]);
}

#[test]
fn mistakes_in_cc_show_it() {
    let cc = |text: &str| {
        let mut overrides = Overrides::default();
        overrides.cc(text);
        read_with(SMALL, &overrides).unwrap_err()
    };
    shows(&cc("liaa"), "--cc", 1, "liaa", &["unknown algorithm", "did you mean `lia`?"]);
    shows(&cc("g=lia"), "--cc", 1, "g", &["no flow is named `g`"]);
    shows(&cc("f="), "--cc", 1, "f=", &["not an algorithm", "known: reno"]);
    shows(&cc("f=liaa"), "--cc", 1, "liaa", &["did you mean `lia`?"]);
    shows(&cc("f={ name = \"liaa\" }"), "--cc", 1, "\"liaa\"", &["did you mean `lia`?"]);
    shows(&cc("f={ count = \"acks\" }"), "--cc", 1, "{ count = \"acks\" }", &["`name` is missing"]);
    let words = ["`lia,olia` names several algorithms", "`anabranch compare` and `sweep` take a list"];
    shows(&cc("lia,olia"), "--cc", 1, "lia,olia", &words);
    let words = ["unknown algorithm", "write { name = \"uncoupled\", over = \"cubic\" }"];
    shows(&cc("uncoupled-cubic"), "--cc", 1, "uncoupled-cubic", &words);
}

/// What beginners write, and what would be right.
#[test]
fn common_mistakes() {
    let brackets = ["an array of strings", "a list of paths, each a list of links: [[\"a\"], [\"b\"]]"];
    wrong(&small("[[\"a\"], [\"b\"]]", "[\"a\", \"b\"]"), 15, "[\"a\", \"b\"]", &brackets);
    let twice = small("[[flows]]", "[flows]") + "[flows] # another\nname = \"g\"\n";
    let line = 1 + twice.lines().position(|line| line.starts_with("[flows] #")).unwrap();
    wrong(&twice, line, "[flows] # another", &["for several flows write [[flows]]"]);
    wrong(&small("[[flows]]", "[flows]"), 12, "[flows]", &["expected an array, found a table", "[[flows]]"]);
    let queue = small("rate", "queue = \"20 ms\"\nrate");
    wrong(&queue, 5, "ms", &["20 ms at 20 Mbit/s are 50 kB"]);
    let loss = |text: &str| small("rate", &format!("loss = {text}\nrate"));
    let words = ["expected a loss model", "{ model = \"bernoulli\", rate = 0.02 }"];
    wrong(&loss("0.02"), 5, "0.02", &words);
    wrong(&loss("5"), 5, "5", &["rate = 0.01 }"]);
    for (key, elsewhere) in
        [("rate", "bandwidth"), ("delay", "latency"), ("cc", "algorithm"), ("paths", "subflows")]
    {
        let shown = rendered(&read(&small(&format!("{key} ="), &format!("{elsewhere} ="))).unwrap_err());
        assert!(shown.contains(&format!("unknown key `{elsewhere}`")), "{shown}");
        assert!(shown.contains(&format!("did you mean `{key}`?")), "{shown}");
    }
    for (good, bad, right) in [
        ("duration = \"10 s\"", "duration = 60s", "duration = \"60s\""),
        ("\"10 Mbit/s\"", "10 Mbit/s", "rate = \"10 Mbit/s\""),
        ("cc = \"reno\"", "cc = reno", "cc = \"reno\""),
    ] {
        let shown = rendered(&read(&small(good, bad)).unwrap_err());
        assert!(shown.contains(&format!("write it in quotes: {right}")), "{shown}");
    }
    let shown = rendered(&read(&small("cc =", "cc = \"cubic\"\ncc =")).unwrap_err());
    assert!(shown.contains("duplicate key") && shown.contains("remove one of the two"), "{shown}");
    assert!(!shown.contains("quote"), "{shown}");
}
