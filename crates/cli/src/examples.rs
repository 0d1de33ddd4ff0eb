//! `anabranch examples` and `anabranch new`: what ships in the binary, and a file to start from.

use crate::output::{print, print_json};
use crate::table::Table;
use anabranch::Error;
use anabranch::examples::{EXAMPLES, named};
use clap::Args;
use miette::miette;
use serde_json::json;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

pub const EXAMPLES_EXAMPLES: &str = "\
Examples:
  anabranch examples
  anabranch run example:two-paths
  anabranch study example:buffer-and-delay --quick";

pub const NEW_EXAMPLES: &str = "\
Examples:
  anabranch new my-scenario.toml
  anabranch new office.toml --from failover
  anabranch new my-study.toml --from buffer-and-delay
  anabranch run my-scenario.toml";

#[derive(Debug, Args)]
pub struct ExamplesArgs {
    /// Print a JSON array.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct NewArgs {
    /// The file to write; an existing one stays.
    pub file: PathBuf,
    /// The example to copy, with the traces or the scenario that it names.
    #[arg(long, value_name = "EXAMPLE", default_value = "template")]
    pub from: String,
}

pub fn examples(args: &ExamplesArgs) -> Result<(), Error> {
    let kind = |is_study| if is_study { "study" } else { "run, compare, sweep" };
    if args.json {
        let all = EXAMPLES.iter().map(|e| json!({ "name": e.name, "study": e.is_study, "title": e.title() }));
        return print_json(&all.collect::<Vec<_>>());
    }
    let table = Table::new()
        .text("example", EXAMPLES.iter().map(|example| format!("example:{}", example.name)))
        .text("for", EXAMPLES.iter().map(|example| kind(example.is_study)))
        .text("what it shows", EXAMPLES.iter().map(|example| example.title()));
    print(&table.to_string())
}

pub fn new(args: &NewArgs) -> Result<(), Error> {
    if args.file == Path::new("-") {
        return Err(Error::Input(miette!("`-` is not possible here: `new` writes a file; give its name")));
    }
    let name = args.from.trim_start_matches("example:");
    let example = named(Path::new(&format!("example:{name}")))?;
    let copies = example.map_or(Ok(vec![]), |example| example.copies(&args.file))?;
    for (i, (file, text)) in copies.iter().enumerate() {
        let written = File::create_new(file).and_then(|mut to| to.write_all(text.as_bytes()));
        let Err(why) = written else { continue };
        let is_there = why.kind() == std::io::ErrorKind::AlreadyExists;
        // A scenario beside a study may be from an earlier copy.
        if is_there && fs::read(file).is_ok_and(|there| i > 0 && there == text.as_bytes()) {
            continue;
        }
        // Such as on a full disk: the same command must work again.
        for (written, _) in &copies[..if is_there { i } else { i + 1 }] {
            let _ = fs::remove_file(written);
        }
        let shown = file.display();
        return Err(match is_there {
            true => {
                Error::Input(miette!(help = "name another file, or another folder", "{shown} exists already"))
            }
            false => Error::environment(format!("cannot write {shown}"), &why),
        });
    }
    let names: Vec<String> = copies.iter().map(|(file, _)| file.display().to_string()).collect();
    print(&format!("Wrote {}", names.join(" and ")))
}
