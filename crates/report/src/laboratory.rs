//! Links that open a run in the laboratory, the page that simulates.

use crate::layout::LABORATORY;
use crate::site::{Site, deflated};
use anabranch_record::unescaped;
use anabranch_study::Run;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use maud::{Markup, html};
use serde::Serialize;
use std::collections::BTreeMap;

/// The neighbour beside it.
const BESIDE: [&str; 2] = ["lia", "uncoupled"];
/// The longest text that a link holds, in bytes: a scenario's with traces may have megabytes, and a page has a link for each run.
const LONGEST: usize = 16_000;

/// The page's state, as `page/link.js` reads it. The text comes first: links that differ in the rest then begin alike, which
/// compresses well.
#[derive(Default, Serialize)]
struct State<'a> {
    text: &'a str,
    /// The algorithm of each side: the left one has the run's.
    cc: [&'a str; 2],
    /// The changes of controls: empty.
    set: BTreeMap<&'a str, &'a str>,
    /// The run's `--set`.
    changes: Vec<String>,
    /// The run's `--cc`.
    own: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
}

/// A function of the page's script that reads compressed links; a page of an earlier version lacks it.
const UNPACKS: &str = "deflate-raw";
/// What a page's script that reads plain links has.
const READS_PLAIN: &str = "decodeURIComponent";

/// "Open in the laboratory", where the report has it, the text is short and the run's command has nothing that the page does not know.
pub fn open(run: &Run, site: &Site) -> Markup {
    match site.text(LABORATORY) {
        Some(page) if page.contains(UNPACKS) => {
            link(run, |state| format!("z={}", URL_SAFE_NO_PAD.encode(deflated(state))))
        }
        _ => open_within(run, site),
    }
}

/// The same for a fragment, which is compressed as a whole: the text of a link is plain, as the command's beside it.
pub fn open_within(run: &Run, site: &Site) -> Markup {
    match site.text(LABORATORY) {
        Some(page) if page.contains(READS_PLAIN) => {
            link(run, |state| format!("t={}", state.replace('%', "%25")))
        }
        Some(_) => link(run, |state| format!("s={}", URL_SAFE_NO_PAD.encode(state))),
        None => html! {},
    }
}

fn link(run: &Run, written: impl Fn(&str) -> String) -> Markup {
    html! {
        @if let Some(state) = state(run) { a.open href={ (LABORATORY) "#" (written(&state)) } { "Open in the laboratory" } }
    }
}

fn state(run: &Run) -> Option<String> {
    if run.text.len() > LONGEST {
        return None;
    }
    let mut words =
        shlex::split(&run.command)?.into_iter().map(unescaped).skip_while(|word| word != "run").skip(2);
    let mut state = State { text: &run.text, ..State::default() };
    while let Some(word) = words.next() {
        match (word.as_str(), words.next()?) {
            ("--set", change) => state.changes.push(change),
            ("--cc", cc) => state.own.push(cc),
            ("--seed", seed) => state.seed = Some(seed.parse().ok()?),
            _ => return None,
        }
    }
    let runs = |cc: &str| {
        state.own.iter().any(|own| own.rsplit('=').next() == Some(cc))
            || state.changes.iter().any(|c| c.ends_with(&format!(".cc={cc}")))
    };
    state.cc[1] = if runs(BESIDE[0]) { BESIDE[1] } else { BESIDE[0] };
    Some(serde_json::to_string(&state).expect("texts and numbers"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::DeflateDecoder;
    use serde_json::{Value, json};
    use std::io::Read;

    #[test]
    fn the_command_is_in_the_link() {
        let text = "name = \"ä, 5 %, %41\"".to_owned();
        let run = |command: &str| Run { command: command.into(), text: text.clone(), ..Run::default() };
        let of =
            |command: &str| -> Option<Value> { Some(serde_json::from_str(&state(&run(command))?).unwrap()) };
        let command = "anabranch run x.toml --cc lia --set 'duration=6 s' --seed 2";
        let state = json!({
            "text": text, "cc": ["", "uncoupled"], "set": {}, "changes": ["duration=6 s"], "own": ["lia"], "seed": 2
        });
        assert_eq!(of(command), Some(state));
        assert_eq!(of("anabranch run x.toml --set flows.a.cc=olia").unwrap()["cc"], json!(["", "lia"]));
        assert_eq!(of("anabranch run x.toml --cc tested=lia").unwrap()["cc"], json!(["", "uncoupled"]));
        let lines = of(r"anabranch run x.toml --set $'links.a.loss.model=bernoulli\n'").unwrap();
        assert_eq!(lines["changes"], json!(["links.a.loss.model=bernoulli\n"]));
        assert_eq!(of("anabranch run x.toml --backend kernel"), None);
        let mut site = Site::with_assets();
        assert_eq!(open(&run(command), &site).into_string(), "", "a report without the page");
        site.add(LABORATORY, "knows #s= only".into());
        let link = |html: Markup, kind: &str| {
            let html = html.into_string();
            URL_SAFE_NO_PAD.decode(html.split(kind).nth(1).unwrap().split('"').next().unwrap()).unwrap()
        };
        assert_eq!(open(&run(command), &site).into_string(), open_within(&run(command), &site).into_string());
        site.add(LABORATORY, format!("new DecompressionStream(\"{UNPACKS}\")"));
        let mut text = String::new();
        DeflateDecoder::new(&link(open(&run(command), &site), "#z=")[..]).read_to_string(&mut text).unwrap();
        assert_eq!(Some(&text), super::state(&run(command)).as_ref());
        assert_eq!(link(open_within(&run(command), &site), "#s="), text.as_bytes());
        site.add(LABORATORY, format!("{UNPACKS} {READS_PLAIN}"));
        let html = open_within(&run(command), &site).into_string();
        let plain = html.split("#t=").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(plain.replace("&quot;", "\"").replace("%25", "%"), text);
        let long = Run { text: "#".repeat(LONGEST + 1), ..run(command) };
        assert_eq!(super::state(&long), None);
    }
}
