//! A value that no run has is refused before the runs.

use super::*;

/// In place of the flow that always sends, two that ask and are answered.
const WEB: &str =
    r#""reno", count = 2, application = { kind = "request-response", size = "10 kB", think = "100 ms" }"#;

fn before_it_runs(of: &str, rest: &str) -> Result<(), (String, Option<usize>)> {
    let text = format!(
        "title = \"t\"\n[runs.r]\nscenario = \"web.toml\"\nset.\"flows.mptcp.cc\" = \"{{cc}}\"\nvary.cc = [\"lia\", \"cubic\"]\n\
         [quantities]\nq = 'observable(\"mptcp\", 1, \"alpha\")'\n\
         [[rows]]\nid = \"r.{{cc}}\"\n{of}\n{rest}"
    );
    let shown = |error: &FileError| (error.to_string(), error.line());
    let web = BESIDE.replace("\"reno\"", WEB);
    let study = simulator::study(&text, &[("web.toml", &web)]).map_err(|error| shown(&error))?;
    match work(&study, &Options::default()) {
        Ok(_) => Ok(()),
        Err(StudyError::File(error)) => Err(shown(&error)),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn what_no_run_has() {
    for (of, message) in [
        (
            "of = 'observable(\"mptcp\", 1, \"nope\")'",
            "the algorithm `lia` of flow `mptcp` has no observable `nope`; its observables: alpha",
        ),
        // The other algorithm has no such value.
        ("of = 'q'", "`cubic` of flow `mptcp` has no observable `alpha`"),
        ("ascending = ['jain()', '2 * q']", "`cubic` of flow `mptcp` has no observable `alpha`"),
        ("of = 'completion(\"mptcp\")'", "flow `mptcp` has no requests"),
        ("of = 'slowdown(\"mptcp\", 99)'", "flow `mptcp` has no arrivals"),
        ("of = 'cwnd_from(\"mptcp\", 1, 1e9)'", "the run ends at 4 s, before 1000000000 s"),
        ("of = 'loss_time(\"mptcp\", 1, 5)'", "ends at 4 s"),
        ("of = 'utility_rate(\"mptcp\", \"alpha\")'", "has no observable `alpha`"),
        ("of = 'goodput(\"tcp/3\")'", "there is no flow `tcp/3`"),
        ("of = '1'", "`of` must read a run, and this expression reads none"),
    ] {
        let (said, line) = before_it_runs(of, "").unwrap_err();
        assert!(said.contains(message), "{of}: {said}");
        assert_eq!(line, Some(10), "{of}: {said}");
    }
}

/// A value that a run may lack by chance, or that an expression can do without; of figures a point is left out.
#[test]
fn what_a_run_may_have() {
    let figure = "[[figures]]\nid = \"F\"\ntitle = \"\"\nkind = \"bars\"\nx = \"cc\"\nof = \"q\"";
    for of in [
        "at = { cc = \"lia\" }\nof = 'q'",
        "of = 'completion(\"tcp/2\", 99)'",
        "of = 'cwnd_from(\"mptcp\", 1, 3)'",
        "of = 'jain() and q'",
        "where = '0 < 1 or 1 / 0'\nof = '0 and 1 / 0 or jain()'",
        "of = 'mean(goodput(\"tcp/*\"))'",
    ] {
        assert_eq!(before_it_runs(of, figure), Ok(()), "{of}");
    }
}
