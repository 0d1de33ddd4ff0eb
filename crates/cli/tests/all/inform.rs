//! The commands that run nothing: `cc`, `check`, `schema`, `completions`, `--help`.

use anabranch_cc::registry;
use anabranch_test_support::command::{TWO_PATHS, anabranch, fits, folder, has, one_line};
use std::fs;

#[test]
fn cc_list() {
    let page = anabranch(["cc", "list"]).ok();
    fits(&page);
    let json = anabranch(["cc", "list", "--json"]).json();
    let names: Vec<_> = json.as_array().unwrap().iter().map(|e| e["name"].as_str().unwrap()).collect();
    assert_eq!(names, registry::ALL.iter().map(|e| e.name).collect::<Vec<_>>());
    has(&page, names.iter().map(|name| format!(" {name} ")));
}

#[test]
fn cc_show() {
    for entry in registry::ALL {
        let page = anabranch(["cc", "show", entry.name]).ok();
        fits(&page);
        let texts = [&[entry.title, entry.source], entry.equations, entry.interpretations].concat();
        has(&one_line(&page), texts.into_iter().map(one_line));
        has(&page, entry.all_params().map(|p| p.name).chain(entry.observables.iter().map(|o| o.name)));
        let json = anabranch(["cc", "show", entry.name, "--json"]).json();
        assert_eq!(json["params"].as_array().unwrap().len(), entry.all_params().count());
        assert_eq!(json["observables"].as_array().unwrap().len(), entry.observables.len());
    }
}

#[test]
fn check_describes() {
    let page = anabranch(["check", TWO_PATHS]).ok();
    fits(&page);
    has(
        &one_line(&page),
        [
            "OK: two paths and a neighbour, 60 s",
            // 100 packets of 1500 bytes over 100 Mbit/s × 20 ms = 250 kB.
            "100 packets, 0.6000 BDP",
            // 500 Mbit/s × 100 ms = 6.25 MB, 4166.7 packets of 1500 bytes.
            "6.25 MB: 4166 packets, 1.000 BDP",
            "bonded fibre 100 ms",
            "neighbour/2 dsl 20 ms",
        ],
    );
    let changed = anabranch(["check", TWO_PATHS, "--cc", "lia", "--set", "links.dsl.queue=\"2 BDP\""]).ok();
    has(&changed, ["500 kB: 333 packets, 2.000 BDP", " lia "]);
}

#[test]
fn schema() {
    let schema = anabranch(["schema"]).json();
    assert!(schema["$schema"].is_string() && schema["properties"]["links"].is_object(), "{schema}");
}

#[test]
fn completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        has(&anabranch(["completions", shell]).ok(), ["compare", "duration"]);
    }
}

#[test]
fn man_pages() {
    let dir = folder();
    anabranch(["man", dir.arg()]).ok();
    for (page, says) in [
        ("anabranch.1", "anabranch\\-kernel(1)"),
        ("anabranch-compare.1", "seeds"),
        ("anabranch-kernel-load.1", "anabranch kernel load all"),
    ] {
        has(&dir.read(page), [says]);
    }
    // Whole or not at all, and not through a link.
    let (file, page) = (dir.at("anabranch.1"), dir.read("anabranch.1"));
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(dir.write("mine", "mine"), &file).unwrap();
    anabranch(["man", dir.arg()]).ok();
    assert_eq!((dir.read("anabranch.1"), dir.read("mine")), (page, "mine".to_owned()));
    assert!(dir.names().iter().all(|name| name == "mine" || name.ends_with(".1")), "{:?}", dir.names());
    anabranch(["man", &file]).refused(["cannot write into"]);
}

#[test]
fn help() {
    let all = "run compare paper cc check kernel schema completions man";
    for (of, commands) in [
        (None, all),
        (Some("kernel"), "doctor load unload list status use"),
        (Some("cc"), "list show report"),
    ] {
        for command in commands.split(' ') {
            let page = anabranch(of.into_iter().chain([command, "--help"])).ok();
            let example = of.map_or("Examples:".to_owned(), |of| format!("  anabranch {of} {command}"));
            has(&page, [example]);
            fits(&page);
        }
    }
    // The sizes of the standard cases are described as such.
    let page = anabranch(["cc", "report", "--help"]).ok();
    assert!(page.contains("24 s") && !page.contains("of our own"), "{page}");
    let page = one_line(&anabranch(["paper", "--help"]).ok());
    anabranch_papers::all().iter().for_each(|p| has(&page, [&p.name, &p.title]));
    fits(&anabranch(["--help"]).ok());
    assert_eq!(anabranch(["--version"]).ok(), concat!("anabranch ", env!("CARGO_PKG_VERSION"), "\n"));
}
