//! The pictures of README and book are what the commands beside them draw. With `ANABRANCH_WRITE_BOOK=1` the test draws them anew.

use crate::book::renew_file;
use anabranch_test_support::command::{folder, names, root, typed};
use std::fs;
use std::path::PathBuf;

const FOLDER: &str = "docs/src/pictures/";

fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    for folder in ["docs/src", "docs/src/algorithms"] {
        let entries = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        pages.extend(entries.filter(|path| path.extension().is_some_and(|e| e == "md")));
    }
    pages.sort();
    pages
}

/// What stands after `--out` in a command.
fn out(line: &str) -> &str {
    let (_, out) = line.split_once(" --out ").unwrap_or_else(|| panic!("{line}"));
    out.split(' ').next().unwrap()
}

/// Every line `anabranch plot RECORD … --out docs/src/pictures/NAME`, behind the line before it that runs RECORD.
fn pictures(text: &str) -> Vec<[String; 2]> {
    let lines: Vec<&str> = text.lines().collect();
    let drawing =
        lines.windows(2).filter(|pair| pair[1].starts_with("anabranch plot ") && pair[1].contains(FOLDER));
    drawing.map(|pair| [pair[0].to_owned(), pair[1].to_owned()]).collect()
}

fn drawn(commands: &[String; 2]) -> String {
    let folder = folder();
    let [record, file] = commands.each_ref().map(|line| out(line));
    for (line, begin) in commands.iter().zip(["run ".to_owned(), format!("plot {record} ")]) {
        let command = line.strip_prefix("anabranch ").filter(|command| command.starts_with(&begin));
        let line = command.unwrap_or_else(|| panic!("{line}"));
        let line = line.replace(record, &folder.at("record")).replace(file, &folder.at("picture.svg"));
        typed(&line).ok();
    }
    folder.read("picture.svg")
}

#[test]
fn pictures_are_what_the_commands_beside_them_draw() {
    let all: Vec<_> = pages().iter().flat_map(|page| pictures(&fs::read_to_string(page).unwrap())).collect();
    for commands in &all {
        let (svg, file) = (drawn(commands), root().join(out(&commands[1])));
        assert!(svg.len() <= 60_000, "{}: {} bytes", file.display(), svg.len());
        renew_file(&file, &svg);
    }
    let drawn: Vec<_> = all.iter().map(|[_, plot]| out(plot).trim_start_matches(FOLDER)).collect();
    for file in names(&root().join(FOLDER)) {
        assert!(drawn.contains(&&*file), "no page says what draws {file}");
    }
}
