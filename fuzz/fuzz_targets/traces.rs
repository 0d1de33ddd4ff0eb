//! Any text is a trace that a link follows, or is refused.
#![no_main]

use anabranch_fuzz::{as_toml, scenario};
use anabranch_scenario::Overrides;

/// The flow's path goes over the link with the trace.
const AROUND: &str = r#"
name = "trace"
duration = "1 s"
links.a = { trace = "t", delay = "1 ms" }
flows = [{ name = "f", cc = "reno", paths = [["a"]] }]
"#;

libfuzzer_sys::fuzz_target!(|text: &str| {
    // Columns of delays take the place of the link's own.
    for around in [AROUND.to_owned(), AROUND.replace(", delay = \"1 ms\"", "")] {
        scenario(format!("{around}[files.t]\ntext = {}\n", as_toml(text)), &Overrides::default());
    }
});
