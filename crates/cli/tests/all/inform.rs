//! The commands that run nothing: `cc`, `check`, `schema`, `completions`, `--help`.

use anabranch_cc::registry;
use anabranch_test_support::command::{TWO_PATHS, anabranch, fits, one_line, root};
use std::fs;

#[test]
fn cc_list() {
    let page = anabranch(["cc", "list"]).ok();
    fits(&page);
    let json = anabranch(["cc", "list", "--json"]).json();
    let names: Vec<_> = json.as_array().unwrap().iter().map(|e| e["name"].as_str().unwrap()).collect();
    assert_eq!(names, registry::ALL.iter().map(|e| e.name).collect::<Vec<_>>());
    for name in names {
        assert!(page.contains(&format!(" {name} ")), "{name}");
    }
}

#[test]
fn cc_show() {
    for entry in registry::ALL {
        let page = anabranch(["cc", "show", entry.name]).ok();
        fits(&page);
        let words = one_line(&page);
        for part in [&[entry.title, entry.source], entry.equations, entry.interpretations].concat() {
            assert!(words.contains(&one_line(part)), "{}: {part}", entry.name);
        }
        let names = entry.all_params().map(|p| p.name).chain(entry.observables.iter().map(|o| o.name));
        for name in names {
            assert!(page.contains(name), "{}: {name}", entry.name);
        }
        let json = anabranch(["cc", "show", entry.name, "--json"]).json();
        assert_eq!(json["params"].as_array().unwrap().len(), entry.all_params().count());
        assert_eq!(json["observables"].as_array().unwrap().len(), entry.observables.len());
    }
}

#[test]
fn check_describes() {
    let page = anabranch(["check", TWO_PATHS]).ok();
    fits(&page);
    let words = one_line(&page);
    for part in [
        "OK: two paths and a neighbour, 60 s",
        // 100 packets of 1500 bytes over 100 Mbit/s × 20 ms = 250 kB.
        "100 packets, 0.6000 BDP",
        // 500 Mbit/s × 100 ms = 6.25 MB, 4166.7 packets of 1500 bytes.
        "6.25 MB: 4166 packets, 1.000 BDP",
        "bonded fibre 100 ms",
        "neighbour/2 dsl 20 ms",
    ] {
        assert!(words.contains(part), "{part} is not in\n{page}");
    }
    let changed = anabranch(["check", TWO_PATHS, "--cc", "lia", "--set", "links.dsl.queue=\"2 BDP\""]).ok();
    assert!(changed.contains("500 kB: 333 packets, 2.000 BDP") && changed.contains(" lia "), "{changed}");
}

#[test]
fn every_scenario_of_the_project_is_good() {
    let mut files = 0;
    for file in fs::read_dir(root().join("scenarios")).unwrap() {
        let file = file.unwrap().path();
        if file.extension().is_some_and(|e| e == "toml") {
            let page = anabranch(["check".as_ref(), file.as_os_str()]).ok();
            assert!(page.starts_with("OK"));
            fits(&page);
            files += 1;
        }
    }
    assert!(files >= 3);
}

#[test]
fn schema() {
    let schema = anabranch(["schema"]).json();
    assert!(schema["$schema"].is_string() && schema["properties"]["links"].is_object(), "{schema}");
}

#[test]
fn completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = anabranch(["completions", shell]).ok();
        assert!(script.contains("compare") && script.contains("duration"), "{shell}");
    }
}

#[test]
fn man_pages() {
    let dir = tempfile::tempdir().unwrap();
    anabranch(["man".as_ref(), dir.path().as_os_str()]).ok();
    for (page, says) in [
        ("anabranch.1", "anabranch\\-kernel(1)"),
        ("anabranch-compare.1", "seeds"),
        ("anabranch-kernel-load.1", "anabranch kernel load all"),
    ] {
        let text = fs::read_to_string(dir.path().join(page)).unwrap();
        assert!(text.contains(says), "{page}: {text}");
    }
    // Whole or not at all, and not through a link.
    let (file, elsewhere) = (dir.path().join("anabranch.1"), dir.path().join("mine"));
    let page = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    fs::write(&elsewhere, "mine").unwrap();
    std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
    anabranch(["man".as_ref(), dir.path().as_os_str()]).ok();
    assert_eq!(
        (fs::read(&file).unwrap(), fs::read_to_string(&elsewhere).unwrap()),
        (page, "mine".to_owned())
    );
    let unlike = |name: &std::ffi::OsStr| name != "mine" && !name.to_str().unwrap().ends_with(".1");
    assert!(!fs::read_dir(dir.path()).unwrap().any(|entry| unlike(&entry.unwrap().file_name())));
    assert!(anabranch(["man".as_ref(), file.as_os_str()]).fails(2).contains("cannot write into"));
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
            assert!(page.contains(&example), "{page}");
            fits(&page);
        }
    }
    // The sizes of the standard cases are described as such.
    let page = anabranch(["cc", "report", "--help"]).ok();
    assert!(page.contains("24 s") && !page.contains("of our own"), "{page}");
    let page = anabranch(["paper", "--help"]).ok();
    let words = one_line(&page);
    assert!(
        anabranch_papers::all().iter().all(|p| words.contains(&p.name) && words.contains(&p.title)),
        "{page}"
    );
    fits(&anabranch(["--help"]).ok());
    assert_eq!(anabranch(["--version"]).ok(), concat!("anabranch ", env!("CARGO_PKG_VERSION"), "\n"));
}
