//! Links that follow traces: what files mean, what is wrong in one, and what does not go with it.

use crate::common::{MS, SMALL, read, refused, rendered, shows, small, valid, valid_with, with_files};
use anabranch_net::{Loss, Trace, TraceData};
use anabranch_scenario::{Application, Overrides, Source};

/// The small file with a trace in place of the rate and delay of link `a`.
fn with(keys: &str, file: &str) -> String {
    let own = "rate = \"10 Mbit/s\"\ndelay = \"10 ms\"\n";
    assert!(SMALL.contains(own));
    format!("{}\n[files.\"x.csv\"]\ntext = '''\n{file}'''\n", SMALL.replacen(own, keys, 1))
}

const PLAIN: &str = "trace = \"x.csv\"\ndelay = \"10 ms\"\n";
const ALONE: &str = "trace = \"x.csv\"\n";

fn trace(keys: &str, file: &str) -> Trace {
    valid(&with(keys, file)).links[0].spec.trace.clone().unwrap()
}

#[test]
fn lines_of_opportunities() {
    let Trace { data, period, start } = trace(PLAIN, "# ours\n2\n\n5\n5\n10\n");
    assert_eq!(data, TraceData::Opportunities([2, 5, 5, 10].map(MS).into()));
    assert_eq!((period, start), (MS(10), None));
    let spec = &valid(&with(PLAIN, "2\n5\n5\n10\n")).links[0].spec;
    assert!((spec.rate_bps - 4.8e6).abs() < 1e-6 && spec.delay == MS(10), "{spec:?}");
}

#[test]
fn columns_in_any_order_with_units() {
    let file =
        "rate (kbit/s), time (min) ,loss,delay\n2000,1,0,20 ms\n4000,1.5,0.5,0.05 s\n0,2,1,30 ms\n,3,,\n";
    let spec = &valid(&with(ALONE, file)).links[0].spec;
    let trace = spec.trace.as_ref().unwrap();
    let TraceData::Steps(steps) = &trace.data else { panic!("{trace:?}") };
    let rows: Vec<_> =
        steps.iter().map(|step| (step.at.as_secs_f64(), step.rate_bps, step.delay, step.loss)).collect();
    let loss = |rate| Some(Loss::bernoulli(rate));
    let expected = [
        (0.0, Some(2e6), Some(MS(20)), loss(0.0)),
        (30.0, Some(4e6), Some(MS(50)), loss(0.5)),
        (60.0, Some(0.0), Some(MS(30)), loss(1.0)),
    ];
    assert_eq!(rows, expected);
    // The last row lasts until the time that stands alone: 2 minutes after the first.
    assert_eq!(trace.period.as_secs_f64(), 120.0);
    assert_eq!((spec.rate_bps, spec.delay), (1.5e6, MS(20)));
    assert_eq!(spec.loss, Loss::bernoulli(0.625));
    // Without it, it lasts as long as the row before.
    assert_eq!(self::trace(PLAIN, "time (s),rate (Mbit/s)\n0,1\n2,3\n7,5\n").period.as_secs_f64(), 12.0);
    assert_eq!(self::trace(PLAIN, "time,rate\r\n5 s,1 Mbit/s\r\n").mean_rate_bps(), 1e6);
}

#[test]
fn a_start_is_the_seeds_or_given() {
    let at = |start: &str| {
        with(&format!("trace = {{ file = \"x.csv\", start = {start} }}\ndelay = \"10 ms\"\n"), "2\n10\n")
    };
    for (start, expected) in [("\"random\"", None), ("\"3 ms\"", Some(MS(3)))] {
        assert_eq!(valid(&at(start)).links[0].spec.trace.as_ref().unwrap().start, expected);
    }
    let set = valid_with(&with(PLAIN, "2\n10\n"), Overrides::default().set("links.a.trace.start=7 ms"));
    assert_eq!(set.links[0].spec.trace.as_ref().unwrap().start, Some(MS(7)));
    refused(&at("\"10 ms\""), "outside the trace");
}

/// All of a trace counts, and nothing of how it is written.
#[test]
fn a_trace_is_a_part_of_the_hash() {
    let hash = |file: &str| valid(&with(PLAIN, file)).hash;
    let steps = "time (s),rate (Mbit/s)\n0,1\n1,2\n";
    assert_eq!(hash(steps), hash("# other\ntime,rate\n9 s, 1000 kbit/s\n\n10 s,2 Mbit/s\n"));
    for other in ["time (s),rate (Mbit/s)\n0,1\n1,3\n", "time (s),rate (Mbit/s)\n0,1\n1,2\n3,\n", "2\n5\n"] {
        assert_ne!(hash(steps), hash(other));
    }
    assert_ne!(hash("2\n5\n"), hash("1\n5\n"));
    assert_ne!(
        hash("2\n5\n"),
        valid(&with(&PLAIN.replace("\"x.csv\"", "{ file = \"x.csv\", start = \"1 ms\" }"), "2\n5\n")).hash
    );
}

/// Each with its line of the trace, and what is marked there.
#[test]
fn mistakes_in_a_trace() {
    let columns = "time (s),rate (Mbit/s)\n";
    for (file, word) in [
        ("«\n# nothing\n»", "the trace is empty"),
        ("5\n«3»\n", "3 ms is before 5 ms"),
        ("5\n«-3»\n", "not a time in milliseconds"),
        ("5\n«6.5»\n", "not a time in milliseconds"),
        ("5\n«NaN»\n", "not a time in milliseconds"),
        ("«0\n0\n»", "has no length"),
        ("5\n«99999999999999999999999»\n", "not a time in milliseconds"),
        ("«time (s),rate (Mbit/s)»\n", "the trace has no rows"),
        (&format!("{columns}0,1\n2,1\n«1,1»\n"), "not after"),
        (&format!("{columns}0,1\n«0,1»\n"), "not after"),
        (&format!("{columns}0,1\n1,«-2»\n"), "a rate is 0 or from 4 bit/s"),
        (&format!("{columns}0,1\n«-1»,2\n"), "a time is from 0 to 2000000000 s"),
        (&format!("{columns}0,«NaN»\n"), "must begin with a number"),
        (&format!("{columns}0,«inf»\n"), "must begin with a number"),
        (&format!("{columns}0,«1e300»\n"), "a rate is 0 or from"),
        (&format!("{columns}0,«1 Mbit/s»\n"), "the header already gives the unit"),
        (&format!("{columns}«0,1,2»\n"), "too many values: the header has 2 columns"),
        ("«time (s),rate (Mbit/s)»\n0,0\n1,0\n", "at least 1 kbit/s"),
        (&format!("{columns}0,1\n1,\n«2,3»\n"), "after the end"),
        (&format!("{columns}0,1\n1,\n«2,»\n"), "after the end"),
        ("time,rate\n«0»,1\n", "needs a unit"),
        ("time (s),rate (Mbit/s),delay\n0,1,1 ms\n«1,2»\n", "too few values"),
        ("time (s),rate (Mbit/s),loss\n0,1,«2»\n", "from 0 to 1"),
        ("time (s),rate (Mbit/s),loss\n0,1,«nan»\n", "not a number"),
        ("time (s),«rat (Mbit/s)»\n0,1\n", "did you mean"),
        ("time (s),«rate (Mbps)»\n0,1\n", "`Mbps` is not a unit"),
        ("«time (s)»\n0\n", "column `rate` is missing"),
        ("time,«time»,rate\n", "duplicate column"),
    ] {
        shows(file, "x.csv", |file| read(&with(PLAIN, file)), &[word]);
    }
}

#[test]
fn what_does_not_go_with_a_trace() {
    let lossy = "time (s),rate (Mbit/s),delay (ms),loss\n0,1,5,0\n";
    for (keys, file, word) in [
        ("trace = \"x.csv\"\n", "2\n", "`delay` is missing"),
        ("trace = \"x.csv\"\ndelay = \"1 ms\"\nrate = \"1 Mbit/s\"\n", "2\n", "`trace` and `rate` exclude"),
        ("trace = \"x.csv\"\ndelay = \"1 ms\"\ntick = \"1 ms\"\n", "2\n", "`trace` and `tick` exclude"),
        ("trace = \"x.csv\"\ndelay = \"1 ms\"\nchanges = []\n", "2\n", "`trace` and `changes` exclude"),
        ("trace = \"x.csv\"\ndelay = \"1 ms\"\n", lossy, "`trace` and `delay` exclude"),
        ("trace = \"x.csv\"\nloss = { model = \"every-nth\", n = 3 }\n", lossy, "`trace` and `loss` exclude"),
        ("trace = \"y.csv\"\ndelay = \"1 ms\"\n", "2\n", "no file `y.csv`"),
        ("trace = 3\ndelay = \"1 ms\"\n", "2\n", "expected a trace"),
        ("delay = \"1 ms\"\n", "2\n", "`rate` is missing"),
        ("rate = \"1 Mbit/s\"\n", "2\n", "`delay` is missing"),
    ] {
        let error = read(&with(keys, file)).unwrap_err();
        let shown = rendered(&error);
        assert!(error.problems().len() == 1 && shown.contains(word), "no `{word}` in {shown}");
    }
}

#[test]
fn files_are_read_into_the_text() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("traces")).unwrap();
    std::fs::write(folder.path().join("traces/a.csv"), "time (s),rate (Mbit/s)\r\n0,3\r\n").unwrap();
    std::fs::write(folder.path().join("b"), "\u{feff}2\n5").unwrap();
    std::fs::write(folder.path().join("sizes"), "10 B,0.5\n20 B,1").unwrap();
    let sizes = "{ kind = \"request-response\", size = { distribution = \"empirical\", file = \"sizes\" } }";
    let text = small("rate = \"10 Mbit/s\"", "trace = { file = \"traces/a.csv\" }")
        + &format!("application = {sizes}\n");
    let source = Source { name: "small.toml".into(), text };
    let mut overrides = Overrides::default();
    overrides.set("links.b={ trace = \"b\", delay = \"1 ms\" }");
    let whole = source.clone().with_files(&overrides, folder.path()).unwrap();
    assert!(whole.text.starts_with(&source.text));
    // All files are present, and a second reading does not add any.
    assert_eq!(whole.clone().with_files(&overrides, "/nowhere".as_ref()).unwrap(), whole);
    let scenario = anabranch_scenario::load(&whole, &overrides).unwrap();
    assert_eq!([0, 1].map(|link| scenario.links[link].spec.rate_bps), [3e6, 4.8e6]);
    let Application::RequestResponse { size, .. } = &scenario.flows[0].application else { panic!() };
    assert_eq!(size.mean(), 0.5 * 10.0 + 0.5 * 15.0);

    for (name, content, why) in [
        ("no", None, "cannot read `no`"),
        ("b", Some(&b"1\n\xff"[..]), "UTF-8"),
        ("b", Some(b"1\n\x002"), "line 2 has control characters"),
    ] {
        if let Some(content) = content {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        let text = small("rate = \"10 Mbit/s\"", &format!("trace = «\"{name}\"»"));
        shows(&text, "small.toml", |text| with_files(text, folder.path()), &[why]);
    }
}

/// No file can be added to a table in braces: the error names the missing file and the place.
#[test]
fn files_in_braces_take_no_others() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), "2\n5\n").unwrap();
    let of = |files: &str| {
        let small = small("rate = \"10 Mbit/s\"", "trace = \"a\"");
        with_files(&format!("files = {files}\n{small}"), folder.path())
    };
    for braces in ["«{}»", "«{ \"b\" = { text = \"2\\n\" } }»"] {
        shows(braces, "small.toml", of, &["cannot add the file `a`", "[files.\"NAME\"]"]);
    }
    let whole = of("{ \"a\" = { text = \"2\\n5\\n\" } }").unwrap();
    assert_eq!(valid(&whole.text).links[0].spec.rate_bps, 4.8e6);
    // Another type is reported as such.
    refused(&of("3").unwrap().text, "expected a table, found a whole number");
}
