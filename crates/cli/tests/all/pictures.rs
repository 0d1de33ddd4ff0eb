//! The pictures of README and book are what the commands beside them draw. With `ANABRANCH_WRITE_BOOK=1` the test draws them anew.

use anabranch_test_support::command::{anabranch, root};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// A picture: the arguments of `run` and of `plot`, both without `--out`.
#[derive(Debug)]
struct Picture {
    file: PathBuf,
    run: Vec<String>,
    plot: Vec<String>,
}

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

/// Words of a command without quotes, and what stands after `--out` in it.
fn words(line: &str) -> (Vec<String>, String) {
    assert!(!line.contains('\'') && !line.contains('"'), "{line}");
    let mut words: Vec<String> = line.split(' ').skip(2).map(str::to_owned).collect();
    let at = words.iter().position(|word| word == "--out").unwrap_or_else(|| panic!("{line}"));
    words.remove(at);
    let out = words.remove(at);
    (words, out)
}

/// Every line `anabranch plot RECORD … --out docs/src/pictures/NAME`, with the line before it that runs RECORD.
fn pictures(text: &str) -> Vec<Picture> {
    let lines: Vec<&str> = text.lines().collect();
    let drawing =
        lines.windows(2).filter(|pair| pair[1].starts_with("anabranch plot ") && pair[1].contains(FOLDER));
    let one = |pair: &[&str]| {
        assert!(pair[0].starts_with("anabranch run "), "{}", pair[1]);
        let ((run, record), (mut plot, file)) = (words(pair[0]), words(pair[1]));
        assert_eq!(plot.remove(0), record, "{}", pair[1]);
        Picture { file: root().join(file), run, plot }
    };
    drawing.map(one).collect()
}

fn drawn(picture: &Picture, folder: &Path) -> String {
    let [record, file] = ["record", "picture.svg"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    let with = |command: &str, args: &[String], out: &str| {
        let args = [&[command.to_owned()], args, &["--out".to_owned(), out.to_owned()]].concat();
        anabranch(args).ok();
    };
    with("run", &picture.run, &record);
    with("plot", &[std::slice::from_ref(&record), &picture.plot[..]].concat(), &file);
    fs::read_to_string(file).unwrap()
}

#[test]
fn pictures_are_what_the_commands_beside_them_draw() {
    let all: Vec<Picture> =
        pages().iter().flat_map(|page| pictures(&fs::read_to_string(page).unwrap())).collect();
    for picture in &all {
        let svg = drawn(picture, tempfile::tempdir().unwrap().path());
        assert!(svg.len() <= 60_000, "{}: {} bytes", picture.file.display(), svg.len());
        if env::var_os("ANABRANCH_WRITE_BOOK").is_some() {
            fs::create_dir_all(picture.file.parent().unwrap()).unwrap();
            fs::write(&picture.file, svg).unwrap();
        } else {
            let there = fs::read_to_string(&picture.file).unwrap_or_default();
            assert!(there == svg, "`make pictures` draws {} anew", picture.file.display());
        }
    }
    let files = fs::read_dir(root().join(FOLDER)).unwrap();
    for file in files.map(|entry| fs::canonicalize(entry.unwrap().path()).unwrap()) {
        let has = |picture: &&Picture| fs::canonicalize(&picture.file).is_ok_and(|own| own == file);
        assert!(all.iter().any(|picture| has(&picture)), "no page says what draws {}", file.display());
    }
}
