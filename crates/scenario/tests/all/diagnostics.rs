//! Every mistake is shown with its file, its line, the offending text, and what would be right.

use crate::common::{SMALL, read, read_with, rendered, shows, small};
use anabranch_scenario::Overrides;

/// [`shows`] in a scenario.
#[track_caller]
fn wrong(marked: &str, words: &[&str]) {
    shows(marked, "test.toml", read, words);
}

/// The small file with a line after line 15, in its flow.
fn flow(line: &str) -> String {
    format!("{SMALL}{line}\n")
}

/// The small file with keys at the beginning of its first link.
fn link(keys: &str) -> String {
    small("rate", &format!("{keys}\nrate"))
}

#[test]
fn a_study_is_no_scenario() {
    let study = "title = «\"a\"»\n[runs.a]\nscenario = \"a.toml\"\n";
    wrong(study, &["this is a study, not a scenario", "anabranch study FILE"]);
}

/// A mistake that several links share is reported once.
#[test]
fn counts_of_links() {
    let counted = |count: &str| small("[links.a]", &format!("[links.a]\ncount = {count}"));
    wrong(&counted("«0»"), &["must be from 1 to 10000"]);
    for flow in ["", "count = 3\n"] {
        let words = ["`a` names 2 links", "name one, `a/1`, or give the flow count = 2"];
        wrong(&format!("{}{flow}", counted("2").replace("[\"a\"]", "[«\"a\"»]")), &words);
    }
    let changes = counted("2\nchanges = [«{ at = \"1 s\" }»]");
    wrong(&changes.replace("[\"a\"]", "[\"a/1\"]"), &["changes nothing"]);
    let twice = counted("2").replace("links.b", "links.«\"a/2\"»");
    wrong(&twice.replace("[[\"a\"], [\"b\"]]", "[[\"a/2\"]]"), &["two links are named `a/2`"]);
    let many = counted("10000").replace("[\"a\"], [\"b\"]", "[\"a/1\"]");
    wrong(&many.replace("[links.b]", "[links.b]\ncount = «1»"), &["over the limit of 10000 links"]);
}

#[test]
fn syntax() {
    for (text, message, line) in [
        ("name = \"x\nduration = 1", "not TOML: invalid basic string", 1),
        (&*small("[links.a]", "[links.a"), "not TOML", 4),
        (&*small("[links.b]", "[links.a]"), "duplicate key", 8),
    ] {
        let error = read(text).unwrap_err();
        let shown = rendered(&error);
        assert!(shown.contains(message) && shown.contains(&format!("label at line {line}")), "{shown}");
        assert_eq!(error.problems()[0].line(), line, "{shown}");
    }
}

#[test]
fn long_lines() {
    let long = format!("{SMALL}«# {}»{}\n", "é".repeat(58), "é".repeat(9942));
    wrong(&long, &["line too long: 20002 bytes, the limit is 10000", "split it"]);
}

#[test]
fn unknown_keys() {
    let warmup = small("duration", "«warmpu» = \"1 s\"\nduration");
    wrong(&warmup, &["unknown key", "did you mean `warmup`?"]);
    wrong(&link("«colour» = 1"), &["unknown key", "known: count, rate, delay, tick"]);
    wrong(&link("loss = { model = \"bernoulli\", «rat» = 0.1, rate = 0.1 }"), &["`rate`"]);
    wrong(&flow("«retrun» = []"), &["did you mean `return`?"]);
    wrong(&flow("tcp = { «msss» = 1 }"), &["did you mean `mss`?"]);
}

#[test]
fn missing_keys() {
    let without_cc = small("cc = \"reno\"\n", "").replace("[[flows]]", "«[[flows]]»");
    wrong(&without_cc, &["`cc` is missing"]);
    let without_rate = small("rate = \"10 Mbit/s\"\n", "").replace("[links.a]", "«[links.a]»");
    wrong(&without_rate, &["`rate` is missing"]);
    wrong(&flow("application = «{ kind = \"request-response\" }»"), &["`size`"]);
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
    wrong(&rate("\"10 «Mbps»\""), &["not a unit of rate", "did you mean `Mbit/s`?"]);
    wrong(&rate("\"10 «mbit/s»\""), &["did you mean `Mbit/s`?"]);
    wrong(&rate("\"10 «ms»\""), &["not a unit of rate", "bit/s, kbit/s, Mbit/s, Gbit/s"]);
    wrong(&rate("\"10 «MB/s»\""), &["not a unit of rate", "1 MB/s is 8 Mbit/s"]);
    wrong(&rate("\"«10»\""), &["a rate needs a unit", "50 Mbit/s"]);
    wrong(&rate("«10»"), &["a rate needs a unit"]);
    wrong(&rate("\"«fast»\""), &["a rate must begin with a number"]);
    wrong(&rate("«true»"), &["expected a rate, found true or false"]);
    wrong(&small("\"10 ms\"", "\"10 «sec»\""), &["not a unit of time", "ns, µs, ms, s, min, h"]);
    wrong(&link("queue = \"3 «frames»\""), &["not a unit of queue length", "packets"]);
    wrong(&link("queue = \"2 «bdp»\""), &["did you mean `BDP`?"]);
    wrong(&flow("tcp.receive_buffer = \"1 «mb»\""), &["not a unit of size", "did you mean `MB`?"]);
}

#[test]
fn bounds() {
    for rate in ["0 Mbit/s", "-5 Mbit/s", "1e-9 bit/s", "1e99 Gbit/s"] {
        wrong(&small("\"10 Mbit/s\"", &format!("«\"{rate}\"»")), &["the rate", "must be"]);
    }
    for queue in ["0 packets", "-1 BDP", "0 B", "1.5 packets", "1e30 packets", "1e30 MB", "1e300 BDP"] {
        wrong(&link(&format!("queue = «\"{queue}\"»")), &["the queue", "must be"]);
    }
    let spells = "loss = { model = \"gilbert-elliott-time\", good = «\"0 s\"», bad = \"1 s\" }";
    wrong(&link(spells), &["must be positive"]);
    let jitter = |keys: &str| link(&format!("jitter = {{ {keys} }}"));
    let must = &["packets would overtake", "must be at least 0.006366198 s"];
    wrong(&jitter("up_to = \"10 ms\", correlation = «\"6 ms\"»"), must);
    wrong(&jitter("up_to = \"10 ms\", correlation = «\"0 s\"»"), &["must be positive"]);
    wrong(&jitter("correlation = «\"1 s\"»"), &["needs `up_to`"]);
    read(&jitter("up_to = \"10 ms\", correlation = \"6.4 ms\"")).unwrap();
    wrong(&jitter("reorder_delay = «\"5 ms\"»"), &["no effect without `reorder_rate`"]);
    wrong(&jitter("reorder_rate = «0.5»"), &["needs a positive `reorder_delay`", "reorder_delay"]);
    wrong(&link("tick = «\"0 ms\"»"), &["the time", "must be positive"]);
    wrong(&link("tick = «\"-1 ms\"»"), &["the time", "must be positive"]);
    wrong(&link("tick = «1»"), &["a time needs a unit"]);
    wrong(&flow("tcp.push_acks = «true»"), &["needs `tso = true`"]);
    wrong(&flow("tcp.tso = «1»"), &["expected true or false, found a whole number"]);
    for (duration, must) in [
        ("0 s", "must be positive"),
        ("-1 s", "must be positive"),
        ("0.1 ns", "at least 1 ns"),
        ("1e40 h", "at most 1000000000 s"),
    ] {
        wrong(&small("\"10 s\"", &format!("«\"{duration}\"»")), &[must]);
    }
    wrong(&small("\"10 ms\"", "«\"-1 ms\"»"), &["must be zero or more"]);
    for p in ["-0.1", "1.5", "2", "nan", "inf"] {
        let loss = format!("loss = {{ model = \"bernoulli\", rate = «{p}» }}");
        wrong(&link(&loss), &["the probability", "must be from 0 to 1"]);
    }
    wrong(&link("loss = { model = \"every-nth\", n = «0» }"), &["must be 1 or more"]);
    let ascending = "must be one to 16 ascending numbers of packets";
    for (packets, words) in [
        ("«[]»", ascending),
        ("«[3, 2]»", ascending),
        ("«[2, 2]»", ascending),
        ("[«0»]", "must be from 1 to 4294967295"),
        ("«17»", "an array"),
    ] {
        wrong(&link(&format!("loss = {{ model = \"listed\", packets = {packets} }}")), &[words]);
    }
    wrong(&flow("count = «0»"), &["must be from 1 to 10000"]);
    wrong(&flow("count = «99999999999999999999»"), &["must be from 1 to 10000"]);
    wrong(&flow("tcp = { mss = «20» }"), &["must be from 100 to 65000"]);
    wrong(&flow("tcp = { receive_buffer = «\"2 GiB\"» }"), &["at most 1 GiB"]);
    let must = &["is smaller than a segment of 1448 B", "at least 1448 B"];
    wrong(&flow("tcp = { receive_buffer = «\"1447 B\"» }"), must);
    let must = &["is smaller than a segment of 9000 B"];
    wrong(&flow("tcp = { mss = 9000, receive_buffer = «\"8 kB\"» }"), must);
    wrong(&small("duration", "seed = «-1»\nduration"), &["the seed", "0 to 18446744073709551615"]);
    let interval = |text: &str| small("duration", &format!("record.interval = {text}\nduration"));
    wrong(&interval("«\"0 s\"»"), &["must be positive"]);
    wrong(&interval("«\"9999 ns\"»"), &["the time between samples must be at least 10 µs"]);
    read(&interval("\"10 us\"")).unwrap();
}

#[test]
fn algorithms() {
    let cc = |text: &str| small("\"reno\"", text);
    wrong(&cc("«\"coupled-cubik\"»"), &["unknown algorithm", "did you mean `coupled-cubic`?"]);
    wrong(&cc("«\"zzz\"»"), &["unknown algorithm", "known: reno, cubic"]);
    wrong(&cc("{ name = «\"cubik\"» }"), &["did you mean `cubic`?"]);
    wrong(&cc("{ name = \"cubic\", «betta» = 0.5 }"), &["no parameter `betta`", "did you mean `beta`?"]);
    wrong(&cc("{ name = \"cubic\", beta = «7» }"), &["must be a number from"]);
    wrong(&cc("{ name = \"cubic\", pacing = «1» }"), &["must be true or false"]);
    wrong(&cc("{ name = \"uncoupled\", over = «\"lia\"» }"), &["must be one of"]);
    let over = cc("{ name = \"uncoupled\", over = «\"cubik\"» }");
    wrong(&over, &["must be one of", "did you mean `cubic`?"]);
    wrong(&cc("«{ pacing = true }»"), &["`name` is missing"]);
    wrong(&cc("«5»"), &["expected an algorithm"]);
}

#[test]
fn words() {
    let penalise = flow("scheduler = \"redundant\"\npenalise = «true»");
    wrong(&penalise, &["does not penalise", "use one of: minrtt, roundrobin, blest"]);
    wrong(&flow("scheduler = «\"minrt\"»"), &["not a scheduler", "did you mean `minrtt`?"]);
    let loss = link("loss = { model = «\"bernouli\"», rate = 0.1 }");
    wrong(&loss, &["not a loss model", "did you mean `bernoulli`?"]);
    wrong(&link("loss_at = «\"exti\"»"), &["not a place of loss", "did you mean `exit`?"]);
    wrong(&flow("application = { kind = «\"burst\"» }"), &["on-off", "request-response"]);
}

#[test]
fn paths() {
    let paths = |text: &str| small("[[\"a\"], [\"b\"]]", text);
    wrong(&paths("[[\"a\"], [«\"bb\"»]]"), &["no link is named `bb`", "did you mean `b`?"]);
    wrong(&paths("«[]»"), &["a flow needs a path"]);
    wrong(&paths("[[\"a\"], «[]»]"), &["a path needs a link"]);
    wrong(&paths("«[\"a\"]»"), &["an array of strings", "each a list of links: [[\"a\"]]"]);
    wrong(&paths("[«\"a\"», []]"), &["expected an array, found a string", "for example [\"a\"]"]);
    wrong(&paths("«\"a\"»"), &["expected an array, found a string", "for example [[\"a\"]]"]);
    wrong(&flow("return = «[[\"a\"]]»"), &["1 return path for 2 paths"]);
    wrong(&flow("return = [[\"a\"], [«\"c\"»]]"), &["no link is named `c`"]);
    wrong(&flow("backup = [«3»]"), &["path 3 does not exist", "numbered from 1 to 2"]);
    wrong(&flow("backup = [«0»]"), &["must be 1 or more"]);
    wrong(&paths("[[\"a\"]]\nbackup = [«1»]"), &["the only path cannot be backup"]);
}

#[test]
fn names() {
    let second = "[[flows]]\nname = «\"f\"»\ncc = \"reno\"\npaths = [[\"a\"]]\n";
    wrong(&flow(second), &["two flows are named `f`"]);
    let numbered = second.replace("\"f\"", "\"f/2\"");
    wrong(&flow(&format!("count = 2\n{numbered}")), &["two flows are named `f/2`"]);
    for before in ["", "count = 1\n"] {
        let message = "`f/2` is the name of a connection of the flow `f`";
        wrong(&flow(&format!("{before}{numbered}")), &[message]);
    }
    for before in ["", "count = 3\n"] {
        wrong(&flow(&format!("{before}{second}count = 2")), &["two flows are named `f`"]);
    }
    wrong(&small("\"f\"", "«\"\"»"), &["a name must be printable"]);
}

#[test]
fn instants() {
    let warmup = small("[links", "warmup = «\"10 s\"»\n[links");
    wrong(&warmup, &["shorter than the duration of 10 s"]);
    wrong(&flow("start = «\"10 s\"»"), &["outside the run of 10 s"]);
    wrong(&flow("start = \"2 s\"\nstop = «\"1 s\"»"), &["stops at 1 s, but starts at 2 s"]);
    wrong(&link("changes = [{ at = «\"11 s\"», up = false }]"), &["outside the run of 10 s"]);
    wrong(&link("changes = [«{ at = \"1 s\" }»]"), &["changes nothing", "rate, delay, loss, up"]);
    wrong(&link("changes = [{ at = \"1 s\", rate = «\"0 bit/s\"» }]"), &["must be positive"]);
}

#[test]
fn subflow_events() {
    let events = |text: &str| flow(&format!("start = \"1 s\"\nevents = [{text}]"));
    wrong(&events("{ at = «\"10 s\"», path = 2, action = \"add\" }"), &["outside the run"]);
    let early = events("{ at = «\"0 s\"», path = 2, action = \"add\" }");
    wrong(&early, &["not open at 0 s", "starts at 1 s"]);
    wrong(&events("{ at = \"2 s\", path = «3», action = \"add\" }"), &["path 3 does not exist"]);
    let (add, added, removed) = ("\"add\"", "«\"add\"»", "«\"remove\"»");
    let event = |at: u32, path: u32, action: &str| {
        format!("{{ at = \"{at} s\", path = {path}, action = {action} }}, ")
    };
    wrong(&events(&event(2, 2, "«\"drop\"»")), &["add, remove, backup, regular"]);
    let twice = event(2, 2, "\"remove\"") + &event(3, 2, removed);
    wrong(&events(&twice), &["path 2 is not joined at 3 s"]);
    wrong(&events(&(event(3, 2, added) + &event(2, 2, add))), &["path 2 has already joined"]);
    wrong(&events(&(event(3, 2, added) + &event(2, 1, add))), &["no path joins at the start"]);
    let alone = small("[[\"a\"], [\"b\"]]", &format!("[[\"a\"]]\nevents = [{}]", event(2, 1, removed)));
    wrong(&alone, &["a single path is plain TCP"]);
}

#[test]
fn distributions() {
    let size = |text: &str| flow(&format!("application = {{ kind = \"request-response\", size = {text} }}"));
    let pareto =
        |shape: &str| size(&format!("{{ distribution = \"pareto\", mean = \"1 kB\", shape = {shape} }}"));
    wrong(&pareto("«1»"), &["the shape", "more than 1"]);
    wrong(&pareto("«\"a\"»"), &["expected a number"]);
    let uniform = "«{ distribution = \"uniform\", from = \"2 kB\", to = \"1 kB\" }»";
    wrong(&size(uniform), &["`from` must not exceed `to`"]);
    wrong(&size("\"2 «s»\""), &["not a unit of size"]);
    let normal = size("{ distribution = «\"normal\"» }");
    wrong(&normal, &["uniform, exponential, pareto, log-normal"]);
    let on = |text: &str| flow(&format!("application = {{ kind = \"on-off\", on = {text}, off = \"0 s\" }}"));
    wrong(&on("«\"0 s\"»"), &["must be positive"]);
    let never = on("«{ distribution = \"exponential\", mean = \"0 s\" }»");
    wrong(&never, &["the mean must be positive"]);
}

#[test]
fn several_problems_are_shown_at_once() {
    let text =
        small("\"10 Mbit/s\"", "\"10 Mbps\"").replace("\"20 ms\"", "\"-20 ms\"").replace("reno", "rino");
    let error = read(&text).unwrap_err();
    let places: Vec<_> = error.problems().iter().map(|problem| (problem.line(), problem.text())).collect();
    assert_eq!(places, [(5, "Mbps"), (10, "\"-20 ms\""), (14, "\"rino\"")]);
    let shown = rendered(&error);
    for part in ["3 problems", "Mbit/s", "zero or more", "`reno`"] {
        assert!(shown.contains(part), "no `{part}` in {shown}");
    }
}

#[test]
fn mistakes_in_overrides_show_the_override() {
    let load = |text: &str| read_with(SMALL, Overrides::default().set(text));
    for (set, words) in [
        ("links.a.rate=5 «Mbps»", &["did you mean `Mbit/s`?", "links.a.rate=5 Mbps"][..]),
        ("links.a.rate=«\"-5 Mbit/s\"»", &["must be positive"]),
        ("links.«c».rate=5 Mbit/s", &["no link is named `c`", "known: a, b"]),
        ("flows.«g».start=1 s", &["no flow is named `g`", "known: f"]),
        ("flows.f.«strat»=1 s", &["did you mean `start`?"]),
        ("links.«x*».rate=1 Mbit/s", &["no link is named `x*`", "known: a, b"]),
        ("flows.*.«strat»=1 s", &["did you mean `start`?"]),
        ("tcp.«ms»=500", &["did you mean `mss`?"]),
        ("flows.«f»=1", &["flows.NAME.KEY=VALUE"]),
        ("links.a.rate.«x»=1", &["not a key of a string"]),
        ("«links.a.rate»", &["is not an assignment", "KEY=VALUE"]),
        ("«.=1»", &["is not an assignment"]),
        ("flows.f.paths=[[«\"z\"»], [\"a\"]]", &["no link is named `z`"]),
        ("flows.f.cc.«betta»=1", &["reno has no parameter"]),
    ] {
        shows(set, "--set", load, words);
    }
    assert!(load("flows.f.paths=[[\"a\"").unwrap_err().to_string().contains("not TOML"));

    let duration =
        |text: &str| read_with(SMALL, &Overrides { duration: Some(text.into()), ..Overrides::default() });
    shows("5 «min.»", "--duration", duration, &["did you mean `min`?"]);
}

#[test]
fn mistakes_in_cc_show_it() {
    let uncoupled = "write { name = \"uncoupled\", over = \"cubic\" }";
    let lists = ["`lia,olia` names several algorithms", "`anabranch compare` and `sweep` take a list"];
    for (cc, words) in [
        ("«liaa»", &["unknown algorithm", "did you mean `lia`?"][..]),
        ("«noq:reno»", &["unknown algorithm", "noq:newreno"]),
        ("«g»=lia", &["no flow is named `g`"]),
        ("«f=»", &["not an algorithm", "known: reno"]),
        ("f=«liaa»", &["did you mean `lia`?"]),
        ("f={ name = «\"liaa\"» }", &["did you mean `lia`?"]),
        ("f=«{ count = \"acks\" }»", &["`name` is missing"]),
        ("«lia,olia»", &lists),
        ("«uncoupled-cubic»", &["unknown algorithm", uncoupled]),
    ] {
        shows(cc, "--cc", |text| read_with(SMALL, Overrides::default().cc(text)), words);
    }
}

/// What beginners write, and what would be right.
#[test]
fn common_mistakes() {
    let brackets = ["an array of strings", "a list of paths, each a list of links: [[\"a\"], [\"b\"]]"];
    wrong(&small("[[\"a\"], [\"b\"]]", "«[\"a\", \"b\"]»"), &brackets);
    let twice = small("[[flows]]", "[flows]") + "«[flows] # another»\nname = \"g\"\n";
    wrong(&twice, &["for several flows write [[flows]]"]);
    wrong(&small("[[flows]]", "«[flows]»"), &["expected an array, found a table", "[[flows]]"]);
    wrong(&link("queue = \"20 «ms»\""), &["20 ms at 20 Mbit/s are 50 kB"]);
    let words = ["expected a loss model", "{ model = \"bernoulli\", rate = 0.02 }"];
    wrong(&link("loss = «0.02»"), &words);
    wrong(&link("loss = «5»"), &["rate = 0.01 }"]);
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
