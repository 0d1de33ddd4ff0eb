//! Scenarios by an axis, what a value sets, which values are meant, panels, findings.

use super::*;
use crate::{Mark, Row};

/// One link with both flows.
const SHARED: &str = r#"
    name = "shared"
    duration = "4 s"
    links.bottleneck = { rate = "10 Mbit/s", delay = "10 ms", queue = "1 BDP" }
    flows = [
        { name = "mptcp", cc = "lia", paths = [["bottleneck"], ["bottleneck"]] },
        { name = "tcp", cc = "reno", paths = [["bottleneck"]] },
    ]
"#;

/// Two links, each with a flow; `mptcp` uses both.
const APART: &str = r#"
    name = "apart"
    duration = "4 s"
    links.bottleneck1 = { rate = "10 Mbit/s", delay = "10 ms", queue = "1 BDP" }
    links.bottleneck2 = { rate = "10 Mbit/s", delay = "10 ms", queue = "1 BDP" }
    links.access = { rate = "100 Mbit/s", delay = "1 ms", queue = "100 packets" }
    flows = [
        { name = "mptcp", cc = "lia", paths = [["access", "bottleneck1"], ["access", "bottleneck2"]] },
        { name = "tcp", cc = "reno", paths = [["bottleneck1"]] },
        { name = "second", cc = "reno", paths = [["bottleneck2"]] },
    ]
"#;

const STUDY: &str = r#"
    title = "Networks and queues"
    size.default.seeds = 2

    [runs.all]
    scenario = "{net.file}"
    title = "{net.name}, {cc.name}{queue.title}"
    set."flows.mptcp.cc" = "{cc}"

    [runs.all.vary]
    net = [
        { id = "shared", file = "shared.toml", fair = 5 },
        { id = "apart", name = "separate links", file = "apart.toml", fair = 10 },
    ]
    cc = [
        { id = "lia", name = "LIA", kind = "coupled" },
        { id = "olia", name = "OLIA", kind = "coupled" },
        { id = "reno", name = "uncoupled", kind = "plain" },
    ]
    queue = [
        { id = "as-written", title = "", value = 1 },
        { id = "short", title = ", short", value = 0.5, set = { "links.bottleneck*.queue" = "0.5 BDP" } },
    ]

    [quantities]
    share = 'goodput("mptcp") / net.fair'

    [[rows]]
    id = "{net}.{cc}"
    at = { cc = { kind = "coupled" }, queue = "as-written" }
    of = "share"
    rows = [
        { at = { net = "shared" }, claim = "twice a fair share at most", rule = "at most 2" },
        { at = { net = "apart" } },
    ]

    [[rows]]
    id = "{cc}.highest"
    claim = "uncoupled flows take more than {cc.name}"
    at = { net = "shared", queue = "as-written", cc = "reno" }
    highest = "share"
    over = { cc = ["olia", "lia", "{cc}"] }

    [[rows]]
    id = "second"
    at = { net = "apart", cc = "lia", queue = "as-written" }
    of = 'goodput("second")'

    [[rows]]
    id = "fair"
    at = { net = "apart", cc = "lia", queue = "as-written" }
    of = 'jain_of(goodput("tcp"), goodput("second"), goodput("mptcp"))'

    [[figures]]
    id = "F1"
    title = "Shares by network"
    kind = "boxes"
    letters = true
    limits = [0.0, 2.0]

    [[figures.panels]]
    title = "by algorithm"
    at = { queue = "as-written", cc = ["reno", "lia"] }
    x = "net"
    by = "cc"
    of = "share"
    limits = [0.0, 3.0]

    [[figures.panels]]
    title = "who has what"
    at = { net = "apart", queue = "as-written", cc = "lia" }
    x = { MPTCP = "share", "{net.name}: tcp" = 'goodput("tcp") / 10' }

    [[figures]]
    id = "F2"
    title = "Shares by buffer"
    kind = "lines"
    panel = "net"
    at = { cc = "lia" }
    x = "queue"
    of = "share"

    [[figures]]
    id = "F3"
    title = "Throughput"
    kind = "time"
    at = { net = "apart", cc = "lia", queue = "short" }
    x_limits = [0.0, 100.0]
    series = { both = 'throughput("tcp", "second")', "RTT" = 'rtt("mptcp", 1) * 1000' }

    [[findings]]
    text = "{net.name}: {share:.3} with {cc.name}, {twice:.1}."
    values = { share = "share", twice = "2 * share" }
    at = { cc = "lia", queue = "as-written" }
"#;

const SCENARIOS: [(&str, &str); 2] = [("shared.toml", SHARED), ("apart.toml", APART)];

/// A study with only these values of axes.
fn part(text: &str, of: &[(&str, &[&str])]) -> Result<Arc<Study>, FileError> {
    let scenarios = SCENARIOS.map(|(name, text)| ScenarioFile::named(name, text));
    let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
    let of: Vec<AxisSubset> = of.iter().map(|(axis, values)| ((*axis).into(), owned(values))).collect();
    embedded("my.toml", text, &scenarios, &of).map(Arc::new)
}

fn result() -> StudyResult {
    run(&simulator::study(STUDY, &SCENARIOS).unwrap(), &Options::default())
}

fn mean(row: &Row) -> f64 {
    row.measured.as_ref().unwrap().mean
}

#[test]
fn networks_and_what_values_set() {
    let result = result();
    let [all] = &result.experiments[..] else { panic!("one experiment") };
    let [shared, _, apart, _, highest, second, fair] = &all.rows[..] else { panic!("seven rows") };
    let ids: Vec<&str> = all.rows.iter().map(|row| &*row.id).collect();
    assert_eq!(
        ids,
        ["shared.lia", "shared.olia", "apart.lia", "apart.olia", "reno.highest", "second", "fair"]
    );
    assert!(matches!(shared.published, Published::Claim(_)), "{:?}", shared.published);
    assert_eq!(apart.published, Published::Nothing);
    let names: Vec<&str> = highest.compared.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["OLIA", "LIA", "uncoupled"]);
    assert_eq!(highest.compared[1].1, shared.measured.clone().unwrap());
    // Two of the three flows on two links of 10 Mbit/s.
    let total = mean(apart) * 10.0 + mean(second);
    assert!((8.0..20.0).contains(&total), "{total}");
    assert!((1.0 / 3.0..=1.0).contains(&mean(fair)));
    let of = |title: &str| all.runs.iter().find(|run| run.title == title).expect(title);
    assert_eq!(of("separate links, LIA").scenario, "apart.toml");
    let short = &of("separate links, LIA, short").command;
    let both = "--set 'links.bottleneck1.queue=0.5 BDP' --set 'links.bottleneck2.queue=0.5 BDP'";
    assert!(short.contains(both) && !short.contains("access"), "{short}");
    let said = format!("separate links: {:.3} with LIA, {:.1}.", mean(apart), 2.0 * mean(apart));
    assert!(all.notes.contains(&said), "{:?}", all.notes);
}

#[test]
fn panels_with_keys_of_their_own() {
    let result = result();
    let [boxes, lines, time] = &result.experiments[0].figures[..] else { panic!("three figures") };
    let [by, who] = &boxes.panels[..] else { panic!("two panels") };
    assert_eq!((&*by.title, &*who.title), ("(a) by algorithm", "(b) who has what"));
    assert_eq!((by.y.domain, who.y.domain), (Some((0.0, 3.0)), Some((0.0, 2.0))));
    let names: Vec<&str> = by.series.iter().map(|series| &*series.name).collect();
    assert_eq!(names, ["uncoupled", "LIA"]);
    let labels = |panel: &crate::Panel| {
        let labels = panel.series[0].points.iter().filter_map(|point| point.label.clone());
        labels.collect::<Vec<_>>()
    };
    assert_eq!(labels(by), ["shared", "shared", "separate links", "separate links"]);
    assert_eq!(labels(who), ["MPTCP", "MPTCP", "separate links: tcp", "separate links: tcp"]);
    assert_eq!((lines.panels.len(), &*lines.panels[1].title), (2, "separate links"));
    assert_eq!(lines.panels[1].series[0].points[0].x, 0.5);
    let [panel] = &time.panels[..] else { panic!("one panel") };
    assert_eq!((panel.mark, panel.x.domain), (Mark::Line, Some((0.0, 4.0))));
    let [both, rtt] = &panel.series[..] else { panic!("two lines") };
    assert_eq!(both.points.len(), 4);
    // The propagation delay is 22 ms there and back, and a buffer of half a BDP doubles it at most.
    assert!(rtt.points.iter().skip(1).all(|point| (22.0..50.0).contains(&point.y)), "{rtt:?}");
}

#[test]
fn mistakes_of_these_and_their_places() {
    refuses(
        STUDY,
        &SCENARIOS,
        r#"
        file = "shared.toml" | file = "sharde.toml" | {net.file} | cannot read |
        {net.file} | {net.flie} | {net.flie} | `{net.flie}` |
        links.bottleneck* | links.neck* | queue = [ | no links `neck*` | bottleneck
        set = { "links | set = [1], sett = { "links | queue = [ | a table of keys |
        value = 1 | value = "1" |  | `value` of the value `as-written` must be a number |
        { kind = "coupled" } | { kind = "couple" } | "couple" | `couple` as its `kind` | `coupled`
        over = { cc = ["olia", | over = { cc = ["oila", | oila | no value `oila` | olia
        highest = "share" | of = "share" | over = | `over` must name one axis |
        of = 'goodput("second")' | of = 'at(net = shared, goodput("second"))' | shared, goodput | shared.toml has no flow `second` | tcp
        cc = ["reno", "lia"] | cc = "vegas" | vegas | no value `vegas` |
        x = { MPTCP = "share" | x = { MPTCP = "shar" | MPTCP | `shar` is neither | share
        x = "queue" | x = { a = "share" } | x = { a | a figure of lines needs an axis |
        * 1000 | * share | * share | a line over time must be |
        id = "second"¶ |  | goodput("second") | the row has no identifier | add id
        {twice:.1} | {thrice:.1} | thrice | `values` has no `thrice` | twice
        "#,
    );
}

/// `*` is each link of a run's own scenario, by hand from the same runs; of an axis only the requested values count.
#[test]
fn every_link_of_a_part() {
    const TEXT: &str = r#"
        title = "Links"
        [runs.each]
        scenario = "{net}.toml"
        cc = "{cc}"
        vary = { net = ["shared", "apart"], cc = ["lia", "olia"] }
        [[rows]]
        id = "{net}.{cc}"
        of = 'mean(utilisation("*") - 1)'
    "#;
    let olia = part(TEXT, &[("cc", &["olia"])]).unwrap();
    let work = crate::work_with_runs(&olia, &Options { seeds: Some(1), ..Options::default() }).unwrap();
    let (result, runs) = crate::simulator::made(work);
    let rows = &result.experiments[0].rows;
    assert_eq!(rows.iter().map(|row| &*row.id).collect::<Vec<_>>(), ["shared.olia", "apart.olia"]);
    for ((row, run), links) in rows.iter().zip(&runs).zip([1, 3]) {
        let used: Vec<f64> = run.summaries[0].links.iter().map(|link| link.utilisation).collect();
        assert_eq!(used.len(), links);
        let expected = used.iter().sum::<f64>() / links as f64 - 1.0;
        assert!((mean(row) - expected).abs() < 1e-12, "{}: {expected}", row.id);
    }
    let both = part(TEXT, &[("cc", &["olia"]), ("cc", &["lia"])]).unwrap();
    assert_eq!(both.experiments[0].plan(Default::default()).setups.len(), 4);
    let whole = part(TEXT, &[]).unwrap();
    assert_eq!(whole.experiments[0].plan(Default::default()).setups.len(), 4);
    assert_ne!(whole.hash, olia.hash, "results of a part are not those of the whole");

    let said = |text: &str, of: &[(&str, &[&str])]| part(text, of).err().unwrap().to_string();
    assert!(said(TEXT, &[("cc", &["reno"])]).contains("none of the requested values"));
    assert!(said(&TEXT.replace("mean(", "abs("), &[]).contains("stands for several"));
    assert!(said(TEXT, &[("queue", &["1"])]).contains("no axis `queue`"));
    assert!(said(TEXT, &[("cc", &["olia", "reno"])]).contains("no value `reno`"));
}

/// A row of values that the command line left out is left out, too; one that reads such a value beside its own says so.
#[test]
fn rows_of_left_out_values_are_left_out() {
    const TEXT: &str = r#"
        title = "Some"
        [runs.each]
        scenario = "shared.toml"
        cc = "{cc}"
        vary = { cc = ["lia", "olia", "balia"] }
        [[rows]]
        id = "{cc}"
        at = { cc = ["olia", "balia"] }
        of = 'utilisation("bottleneck")'
        [[rows]]
        id = "only"
        at = { cc = "balia" }
        of = 'utilisation("bottleneck")'
    "#;
    let load = |text: &str, values: &[&str]| part(text, &[("cc", values)]);
    let ids = |values: &[&str]| -> Vec<String> {
        let study = load(TEXT, values).unwrap();
        let plan = study.experiments[0].plan(Default::default());
        plan.row_ids().map(|id| id.to_string()).collect()
    };
    assert_eq!(ids(&["lia", "olia"]), ["olia"]);
    assert_eq!(ids(&["balia"]), ["balia", "only"]);
    let table = TEXT
        .replace("'\n        [[rows]]", "'\n        published = { olia = 1, balia = 2 }\n        [[rows]]");
    let published = load(&table, &["olia"]).unwrap().experiments[0].plan(Default::default());
    assert_eq!(published.rows[0].published, Published::Value(1.0));
    let beside = TEXT.replace("utilisation(\"bottleneck\")", "at(cc = lia, utilisation(\"bottleneck\"))");
    let said = load(&beside, &["olia"]).err().unwrap().to_string();
    assert!(said.contains("`--at` leaves out the value `lia` of axis `cc`"), "{said}");
    // An order of the values that are left would be another claim.
    let order = "\n[[rows]]\nid = \"order\"\nclaim = \"rises\"\nover = { cc = [\"lia\", \"olia\", \"balia\"] }\n\
                 ascending = 'utilisation(\"bottleneck\")'\n";
    let said = load(&format!("{TEXT}{order}"), &["olia", "balia"]).err().unwrap().to_string();
    assert!(said.contains("`--at` leaves out the value `lia` of axis `cc`"), "{said}");
}

/// What varies together stays together, and `only` may name values that the command line left out.
#[test]
fn a_part_of_axes_that_vary_together() {
    const ZIP: &str = "zip = [[\"rate\", \"delay\"]]";
    const TEXT: &str = r#"
        title = "Together"
        [runs.each]
        scenario = "shared.toml"
        vary.rate = { key = "links.*.rate", values = ["5 Mbit/s", "10 Mbit/s", "20 Mbit/s"] }
        vary.delay = { key = "links.*.delay", values = ["40 ms", "20 ms", "10 ms"] }
        zip = [["rate", "delay"]]
        [[rows]]
        id = "{rate}.{delay}"
        of = 'utilisation("bottleneck")'
    "#;
    let ids = |text: &str, of: &[(&str, &[&str])]| -> Vec<String> {
        let plan = part(text, of).unwrap().experiments[0].plan(Default::default());
        plan.row_ids().map(str::to_owned).collect()
    };
    assert_eq!(ids(TEXT, &[("rate", &["10 Mbit/s"])]), ["10 Mbit/s.20 ms"]);
    let both: [(&str, &[&str]); 2] = [("rate", &["5 Mbit/s", "20 Mbit/s"]), ("delay", &["10 ms"])];
    assert_eq!(ids(TEXT, &both), ["20 Mbit/s.10 ms"]);
    let said = |of: &[(&str, &[&str])]| part(TEXT, of).err().unwrap().to_string();
    assert!(
        said(&[("rate", &["5 Mbit/s"]), ("delay", &["10 ms"])]).contains("never have the requested values")
    );
    assert!(said(&[("delay", &["7 ms"])]).contains("axis `delay` has none of the requested values"));
    let only = "only = [{ rate = \"5 Mbit/s\" }, { rate = \"10 Mbit/s\", delay = \"40 ms\" }, { delay = \"20 ms\" }]";
    let some = ids(&TEXT.replace(ZIP, only), &[("delay", &["20 ms"])]);
    assert_eq!(some, ["5 Mbit/s.20 ms", "10 Mbit/s.20 ms", "20 Mbit/s.20 ms"]);
}

/// No size changes a length that an axis's value sets; one that the runs set is scaled.
#[test]
fn a_value_that_sets_a_length() {
    const TEXT: &str = r#"
        title = "Lengths"
        size.quick.scale = 0.5
        [runs.each]
        scenario = "shared.toml"
        set.warmup = "1 s"
        vary.length = [{ id = "short", set = { duration = "3 s" } }, "usual"]
        [[rows]]
        id = "{length}"
        of = 'utilisation("bottleneck")'
    "#;
    let plan = part(TEXT, &[]).unwrap().experiments[0].plan(Size::Quick);
    let scenarios = plan.setups.iter().map(|setup| setup.scenario().unwrap());
    let seconds =
        scenarios.map(|scenario| [scenario.duration, scenario.warmup].map(|time| time.as_secs_f64()));
    assert_eq!(seconds.collect::<Vec<_>>(), [[3.0, 0.5], [2.0, 0.5]]);
}
