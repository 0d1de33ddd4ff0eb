//! The registry is complete and consistent.

use crate::group;
use anabranch_cc_model::{Random, ack, lose, on_path};
use multipath_cc::registry::{ALL, Allowed, COMMON, Entry, Kind, ParamError, ParamValue, V0, Value, find};
use multipath_cc::{Ack, Congestion, Group, Signal};

fn given(name: &str, value: ParamValue) -> Vec<(String, ParamValue)> {
    vec![(name.into(), value)]
}

fn as_given(value: Value) -> ParamValue {
    match value {
        Value::Number(x) => ParamValue::Number(x),
        Value::Flag(x) => ParamValue::Flag(x),
        Value::Word(x) => ParamValue::Word(x.into()),
    }
}

fn entries() -> impl Iterator<Item = &'static Entry> {
    ALL.iter().chain(V0).copied()
}

#[test]
fn names_are_unique_and_found() {
    for (i, entry) in entries().enumerate() {
        assert!(entries().take(i).all(|other| other.name != entry.name), "{}", entry.name);
        assert!(std::ptr::eq(find(entry.name).unwrap(), entry));
    }
    assert!(find("nothing").is_none());
}

#[test]
fn entries_are_documented() {
    for entry in entries() {
        assert!(!entry.title.is_empty() && !entry.source.is_empty() && !entry.equations.is_empty());
        let params = entry.all_params().map(|p| (p.name, p.meaning));
        let observables = entry.observables.iter().map(|o| (o.name, o.meaning));
        let named: Vec<_> = params.chain(observables).collect();
        for (i, (name, meaning)) in named.iter().enumerate() {
            assert!(!meaning.is_empty(), "{}.{name}", entry.name);
            assert!(named[..i].iter().all(|(other, _)| other != name), "{}.{name} twice", entry.name);
        }
        assert!(
            entry.interpretations.iter().all(|r| r.ends_with('.') || r.ends_with(").")),
            "{}",
            entry.name
        );
    }
}

#[test]
fn defaults_are_allowed_and_build() {
    for entry in entries() {
        for param in entry.all_params() {
            let group = entry.group(&given(param.name, as_given(param.default)));
            assert!(group.is_ok(), "{}.{}", entry.name, param.name);
        }
    }
}

#[test]
fn bounds_of_numbers_are_allowed_and_beyond_is_not() {
    for entry in entries() {
        for param in entry.all_params() {
            let (Allowed::Range(low, high) | Allowed::Whole(low, high)) = param.allowed else { continue };
            let fractions = matches!(param.allowed, Allowed::Range(..));
            let inside = low + 0.37 * (high - low);
            let beyond = [low - 1.0, high + 1.0, f64::NAN].map(|x| (x, false));
            for (x, allowed) in [(low, true), (high, true), (inside, fractions)].into_iter().chain(beyond) {
                let group = entry.group(&given(param.name, ParamValue::Number(x)));
                assert_eq!(group.is_ok(), allowed, "{}.{} = {x}", entry.name, param.name);
            }
        }
    }
}

#[test]
fn every_listed_observable_is_written_and_no_more() {
    for entry in entries() {
        let mut group = entry.group(&[]).unwrap();
        let r = group.add_path(0.1, 100.0);
        group.on_ack(r, &ack(0.0, 0.1));
        lose(&mut group, r);
        group.on_ack(r, &Ack { round: 1, ..ack(0.2, 0.1) });
        let mut out = vec![0.0; entry.observables.len()];
        group.observe(r, &mut out);
        for (x, observable) in out.iter().zip(entry.observables) {
            let optional = observable.meaning.ends_with("if any");
            assert!(x.is_finite() || optional, "{}.{}: {x}", entry.name, observable.name);
        }
        group.observe(r, &mut []); // too few slots are not an error
        if entry.name != "uncoupled" {
            let mut out = vec![0.0; entry.observables.len() + 1];
            group.observe(r, &mut out);
            assert!(out.last().unwrap().is_nan(), "{} writes more than it lists", entry.name);
        }
    }
}

#[test]
fn unknown_parameters_name_the_known_ones() {
    let error = find("cubic").unwrap().group(&given("betta", ParamValue::Number(0.5))).err().unwrap();
    let ParamError::Unknown { name, known } = &error else { panic!("{error:?}") };
    assert_eq!(name, "betta");
    assert_eq!(*known, ["c", "beta", "fast_convergence", "hystart", "pacing"]);
    assert!(error.to_string().contains("no parameter `betta`"));
}

#[test]
fn invalid_values_name_what_is_allowed() {
    let cubic = find("cubic").unwrap();
    for value in [ParamValue::Number(1.5), ParamValue::Flag(true), ParamValue::Word("much".into())] {
        let error = cubic.group(&given("beta", value)).err().unwrap();
        assert_eq!(error.to_string(), "`beta` must be a number from 0.1 to 0.99");
    }
    let error =
        find("uncoupled").unwrap().group(&given("over", ParamValue::Word("lia".into()))).err().unwrap();
    assert!(error.to_string().starts_with("`over` must be one of reno, cubic, "), "{error}");
    assert!(find("reno").unwrap().group(&given(COMMON[0].name, ParamValue::Number(1.0))).is_err());
}

#[test]
fn a_single_path_algorithm_can_be_run_by_uncoupled_and_independent() {
    for runs_another in ["uncoupled", "independent"] {
        let entry = find(runs_another).unwrap();
        for over in ALL {
            let simple = over.kind == Kind::SinglePath && over.name != "uncoupled";
            let group = entry.group(&given("over", ParamValue::Word(over.name.into())));
            assert_eq!(group.is_ok(), simple, "{runs_another} over {}", over.name);
            assert_eq!(entry.params[0].allowed.words().contains(&over.name), simple, "{}", over.name);
        }
    }
}

/// Those that run another algorithm differ in which they run by default: lists show titles, and these say so.
#[test]
fn titles_name_the_algorithm_that_runs_by_default() {
    let runs_another = |entry: &&Entry| entry.params.iter().any(|param| param.name == "over");
    let titles: Vec<_> = ALL.iter().filter(|entry| runs_another(entry)).map(|entry| entry.title).collect();
    assert_eq!(titles.len(), 2);
    for (name, default, shown) in
        [("uncoupled", "cubic", "CUBIC by default"), ("independent", "reno", "Reno by default")]
    {
        let entry = find(name).unwrap();
        let over = entry.params.iter().find(|param| param.name == "over").unwrap();
        assert_eq!(over.default, Value::Word(default));
        assert!(entry.title.contains(shown), "{}", entry.title);
    }
}

#[test]
fn uncoupled_and_independent_run_the_algorithm_as_if_it_were_alone() {
    for over in find("uncoupled").unwrap().params[0].allowed.words() {
        let mut alone = on_path(group(over), 0.1, 50.0);
        let mut both = ["uncoupled", "independent path=2"].map(|name| group(&format!("{name} over={over}")));
        for group in &mut both {
            (0..2).for_each(|_| _ = group.add_path(0.1, 50.0));
        }
        for i in 0..1000 {
            let now = f64::from(i) * 0.002;
            for (group, r) in both.iter_mut().map(|group| (group, 1)).chain([(&mut alone, 0)]) {
                match i % 100 {
                    50 => group.on_congestion(r, &Congestion { now, signal: Signal::Loss }),
                    _ => group.on_ack(r, &ack(now, 0.1)),
                }
            }
        }
        for group in both {
            assert_eq!(group.path(1), alone.path(0), "{over}");
            assert_eq!(group.path(0).cwnd, 50.0, "the other path is not touched");
        }
    }
}

/// What an algorithm shows of a connection's paths.
fn shown(entry: &Entry, group: &Group) -> Vec<u64> {
    let of_path = |r| {
        let mut out = vec![0.0; entry.observables.len()];
        group.observe(r, &mut out);
        out
    };
    (0..group.paths().len()).flat_map(of_path).map(f64::to_bits).collect()
}

/// After an undo everything that follows is as if the event had not happened. A model of the path is not restored as a whole.
#[test]
fn an_undo_restores_everything() {
    let rtts = [0.1, 0.02];
    let acknowledge = |group: &mut Group, random: &mut Random, i: u32| {
        let (r, now) = (i as usize % 2, f64::from(i) * 1e-3);
        let rtt = rtts[r] * (1.0 + 0.1 * random.uniform());
        group.on_ack(r, &Ack { round: u64::from(i) / 40, ..ack(now, rtt) });
    };
    let events =
        [Signal::Loss, Signal::Ecn, Signal::Timeout].map(|signal| [(signal, 0), (signal, 1)]).concat();
    for entry in entries().filter(|entry| !entry.group(&[]).unwrap().is_model_based()) {
        let run = |undone: Option<(Signal, usize)>| {
            let (mut group, mut random) = (entry.group(&[]).unwrap(), Random(7));
            rtts.iter().zip([800.0, 100.0]).for_each(|(rtt, window)| _ = group.add_path(*rtt, window));
            (0..200).for_each(|i| acknowledge(&mut group, &mut random, i));
            (0..2).for_each(|r| lose(&mut group, r));
            (200..1000).for_each(|i| acknowledge(&mut group, &mut random, i));
            if let Some((signal, r)) = undone {
                group.on_congestion(r, &Congestion { now: 1.0, signal });
                group.on_spurious(r);
            }
            (1000..3000).for_each(|i| acknowledge(&mut group, &mut random, i));
            group
        };
        let spared = run(None);
        for event in &events {
            let undone = run(Some(*event));
            assert_eq!(undone.paths(), spared.paths(), "{} {event:?}", entry.name);
            assert_eq!(shown(entry, &undone), shown(entry, &spared), "{} {event:?}", entry.name);
        }
    }
}

#[test]
fn a_variant_is_its_algorithm_with_other_defaults() {
    for variant in V0 {
        let of = find(variant.name.strip_suffix("@v0").unwrap()).unwrap();
        assert_eq!((variant.kind, variant.source), (of.kind, of.source));
        assert_eq!(variant.equations, of.equations);
        let names = |entry: &Entry| entry.params.iter().map(|p| p.name).collect::<Vec<_>>();
        assert_eq!(names(variant), names(of), "{}", variant.name);
        assert!(
            variant.params.iter().zip(of.params).any(|(v, o)| v.default != o.default),
            "{}",
            variant.name
        );
        // With the defaults of one, the other is the same algorithm.
        let given: Vec<_> =
            variant.params.iter().map(|p| (p.name.to_string(), as_given(p.default))).collect();
        let [a, b] = [variant.group(&[]), of.group(&given)].map(|group| {
            let mut group = group.unwrap();
            for r in 0..2 {
                group.add_path(0.1, 50.0 + 10.0 * r as f64);
                lose(&mut group, r);
            }
            for i in 0..1000_u32 {
                let (now, rtt) = (f64::from(i) * 0.002, 0.1 + 1e-5 * f64::from(i));
                let ack = Ack { srtt: 0.1, round: u64::from(i) / 30, ..Ack::of(now, 2.0, rtt) };
                group.on_ack((i % 3 == 0).into(), &ack);
            }
            group
        });
        assert_eq!(a.paths(), b.paths(), "{}", variant.name);
    }
}
