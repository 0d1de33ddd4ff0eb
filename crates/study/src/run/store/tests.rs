//! Outcomes outlast a process, to the last bit; what is damaged, another's or another version's is never taken for one.

use super::*;
use std::fs::{File, Permissions};
use std::io::Write;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

fn summary(scenario_hash: &str, seed: u64) -> Summary {
    Summary {
        scenario: "two paths".into(),
        scenario_hash: scenario_hash.into(),
        seed,
        version: "0.1.0".into(),
        duration_s: 10.0,
        // A parser that does not round correctly makes another number of it.
        warmup_s: 3.3 * 3.0,
        jain: Some(1.0 / 3.0),
        ..Summary::default()
    }
}

/// A store, and what it said.
fn store(dir: &Path, version: &str) -> (Store, Arc<Mutex<Vec<String>>>) {
    let said = Arc::new(Mutex::new(Vec::new()));
    let tell = said.clone();
    (Store::open(dir, version).unwrap().with_notify(move |text| tell.lock().unwrap().push(text.into())), said)
}

pub fn run(scenario_hash: &str, seed: u64) -> RunId<'_> {
    RunId { scenario_hash, seed, backend: "sim" }
}

fn keep(store: &Store, scenario_hash: &str, seed: u64) {
    let claim = store.claim(run(scenario_hash, seed)).expect("nobody else makes it");
    store.keep(claim, &summary(scenario_hash, seed));
}

/// Every file below a folder.
fn files(dir: &Path) -> Vec<PathBuf> {
    let below = fs::read_dir(dir).into_iter().flatten().map(|entry| entry.unwrap().path());
    below.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn the_next_process_finds_what_was_kept() {
    const RUNS: [(&str, u64); 3] = [("a", 1), ("a", 2), ("b", 1)];
    let dir = tempfile::tempdir().unwrap();
    let (first, _) = store(dir.path(), "v1");
    assert_eq!(first.find(run("a", 1)), None);
    for (hash, seed) in RUNS {
        keep(&first, hash, seed);
    }
    assert_eq!((first.found(), first.kept()), (0, 3));

    let (second, said) = store(dir.path(), "v1");
    for (hash, seed) in RUNS {
        assert_eq!(second.find(run(hash, seed)), Some(summary(hash, seed)));
    }
    assert_eq!((second.find(run("b", 2)), second.found(), second.kept()), (None, 3, 0));
    assert_eq!(*said.lock().unwrap(), [""; 0]);
    assert_eq!(files(dir.path()), [second.file()]);
    let lines = fs::read_to_string(second.file()).unwrap();
    let keys = lines.lines().map(|line| {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        json["outcome"]["key"].as_str().unwrap().parse().unwrap()
    });
    assert_eq!(keys.collect::<Vec<Key>>(), RUNS.map(|(hash, seed)| first.key(run(hash, seed))));
}

/// With any byte changed: missing, and made again. The next run is lost only if both have become one line.
#[test]
fn what_is_damaged_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, _) = store(dir.path(), "v1");
    keep(&whole, "a", 1);
    let length = whole.file().metadata().unwrap().len();
    keep(&whole, "a", 2);
    let bytes = fs::read(whole.file()).unwrap();
    for byte in 0..length {
        fs::write(whole.file(), &bytes).unwrap();
        File::options().write(true).open(whole.file()).unwrap().write_at(b"\0", byte).unwrap();
        let (damaged, said) = store(dir.path(), "v1");
        assert_eq!(damaged.find(run("a", 1)), None, "byte {byte}");
        assert_eq!(damaged.find(run("a", 2)).is_some(), byte + 1 < length, "byte {byte}");
        keep(&damaged, "a", 1);
        assert_eq!(damaged.find(run("a", 1)), Some(summary("a", 1)), "byte {byte}");
        assert!(said.lock().unwrap().len() <= 1, "byte {byte}");
        let (after, said) = store(dir.path(), "v1");
        assert_eq!(after.find(run("a", 1)), Some(summary("a", 1)), "byte {byte}");
        assert_eq!(*said.lock().unwrap(), [""; 0], "byte {byte}");
    }
}

/// A damaged line and one with another run's key are named once, and go.
#[test]
fn what_is_damaged_is_named_once() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, _) = store(dir.path(), "v1");
    (1..=4).for_each(|seed| keep(&whole, "a", seed));
    let text = fs::read_to_string(whole.file()).unwrap();
    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
    lines[0].replace_range(..1, "?");
    lines[2] = lines[2].replace("\"seed\":\"3\"", "\"seed\":\"5\"");
    assert_ne!(lines[2], text.lines().nth(2).unwrap());
    fs::write(whole.file(), lines.join("\n") + "\n").unwrap();

    let (store, said) = store(dir.path(), "v1");
    let missing = |seed: &u64| store.find(run("a", *seed)).is_none();
    assert_eq!((1..=4).filter(missing).collect::<Vec<_>>(), [1, 3]);
    assert_eq!((1..=4).filter(missing).collect::<Vec<_>>(), [1, 3]);
    let name =
        |line| format!("{}: line {line} is cut off or damaged: the run is repeated", store.file().display());
    assert_eq!(*said.lock().unwrap(), [name(1), name(3)]);
    [1, 3].iter().for_each(|seed| keep(&store, "a", *seed));
    let kept = fs::read_to_string(store.file()).unwrap();
    let sorted = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!((kept.lines().count(), sorted(&kept)), (4, sorted(&text)));
    assert_eq!(files(dir.path()), [store.file()]);
}

/// A whole line of another version, as after a copy of files.
#[test]
fn another_versions_line_is_no_outcome() {
    let dir = tempfile::tempdir().unwrap();
    let (first, _) = store(dir.path(), "v1");
    keep(&first, "a", 1);
    let (second, said) = store(dir.path(), "v2");
    let line = record::write(&second.key(run("a", 1)), "v1", &summary("a", 1));
    fs::write(second.file(), line).unwrap();
    assert_eq!(second.find(run("a", 1)), None);
    let once = format!("{}: line 1 contains another run: the run is repeated", second.file().display());
    assert_eq!(*said.lock().unwrap(), [once]);
}

/// A disk that has lost much does not fill the screen.
#[test]
fn the_first_damaged_ones_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let (store, said) = store(dir.path(), "v1");
    for seed in 0..20 {
        keep(&store, "a", seed);
    }
    let damaged = fs::read_to_string(store.file()).unwrap().replace("two paths", "two pathz");
    fs::write(store.file(), damaged).unwrap();
    for seed in 0..20 {
        assert_eq!(store.find(run("a", seed)), None);
    }
    let said = said.lock().unwrap();
    assert_eq!(said.len(), NAMED + 1);
    assert!(said[0].ends_with(": line 1 is cut off or damaged: the run is repeated"), "{said:?}");
    assert!(said[NAMED].ends_with("other lines may be damaged too: their runs are repeated"), "{said:?}");
}

/// A pipe is not waited for, a folder does not cost a run, and a symbolic link's target stays as it is.
#[test]
fn other_things_than_files_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let (users, folder) = (dir.path().join("thesis.tex"), dir.path().join("store"));
    fs::write(&users, "mine").unwrap();
    let file = store(&folder, "v1").0.file();
    let pipe = || assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    let link = || std::os::unix::fs::symlink(&users, &file).unwrap();
    let directory = || fs::create_dir(&file).unwrap();
    for (make, remove) in [
        (&pipe as &dyn Fn(), fs::remove_file as fn(PathBuf) -> io::Result<()>),
        (&link, fs::remove_file),
        (&directory, fs::remove_dir),
    ] {
        make();
        let (store, said) = store(&folder, "v1");
        assert_eq!(store.find(run("a", 1)), None);
        keep(&store, "a", 1);
        store.remove_used();
        remove(file.clone()).unwrap();
        let said = said.lock().unwrap();
        assert!(said.len() == 1 && said[0].starts_with("cannot store runs for later use"), "{said:?}");
    }
    assert_eq!((fs::read_to_string(&users).unwrap(), files(dir.path())), ("mine".into(), vec![users]));
}

/// One at a time makes a run. Whoever asks after it has ended finds it; after it has failed, may make it.
#[test]
fn a_run_is_claimed_once() {
    let dir = tempfile::tempdir().unwrap();
    let [(one, _), (two, _)] = ["v1", "v1"].map(|version| store(dir.path(), version));
    let claim = one.claim(run("a", 1)).unwrap();
    assert!(two.claim(run("a", 1)).is_none() && one.claim(run("a", 1)).is_none());
    assert!(two.claim(run("a", 2)).is_some());
    drop(claim);
    let claim = two.claim(run("a", 1)).unwrap();
    two.keep(claim, &summary("a", 1));
    assert_eq!(one.find(run("a", 1)), Some(summary("a", 1)));
    assert_eq!(fs::read_to_string(one.file()).unwrap().lines().count(), 1);
}

/// A killed process's incomplete line, cut off at any byte, is ignored and in nobody's way.
#[test]
fn what_was_being_written_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, _) = store(dir.path(), "v1");
    keep(&whole, "a", 1);
    let first = fs::read(whole.file()).unwrap();
    keep(&whole, "a", 2);
    let bytes = fs::read(whole.file()).unwrap();
    for length in first.len()..bytes.len() {
        fs::write(whole.file(), &bytes[..length]).unwrap();
        let (store, said) = store(dir.path(), "v1");
        assert_eq!(
            (store.find(run("a", 1)), store.find(run("a", 2))),
            (Some(summary("a", 1)), None),
            "{length} bytes"
        );
        keep(&store, "a", 2);
        assert_eq!(fs::read(store.file()).unwrap(), bytes, "{length} bytes");
        assert_eq!(*said.lock().unwrap(), [""; 0]);
    }
}

/// Who has a line half read reads it again when it is whole; and who has a file open that another process has replaced or
/// removed writes into the one that is there now.
#[test]
fn a_file_that_changes_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    let [(one, _), (two, _)] = ["v1", "v1"].map(|version| store(dir.path(), version));
    keep(&one, "a", 1);
    let line = record::write(&one.key(run("a", 2)), "v1", &summary("a", 2));
    let mut file = File::options().append(true).open(one.file()).unwrap();
    for part in line.chunks(100) {
        assert_eq!(two.find(run("a", 2)), None);
        file.write_all(part).unwrap();
    }
    assert_eq!(two.find(run("a", 2)), Some(summary("a", 2)));

    keep(&two, "a", 3);
    let claim = one.claim(run("a", 4)).unwrap();
    // It has found one and made one: the other one is left, in another file.
    two.remove_used();
    one.keep(claim, &summary("a", 4));
    let found =
        |store: &Store| (1..=4).filter(|seed| store.find(run("a", *seed)).is_some()).collect::<Vec<_>>();
    assert_eq!((found(&one), found(&two)), (vec![1, 4], vec![1, 4]));

    let claim = two.claim(run("a", 5)).unwrap();
    fs::remove_dir_all(dir.path().join("v1")).unwrap();
    two.keep(claim, &summary("a", 5));
    keep(&one, "a", 6);
    let (after, _) = store(dir.path(), "v1");
    assert_eq!([5, 6].map(|seed| after.find(run("a", seed))), [5, 6].map(|seed| Some(summary("a", seed))));
}

/// Many threads, many claims of the same runs: each run has one at a time.
#[test]
fn claims_exclude_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let held: Vec<AtomicBool> = (0..3).map(|_| AtomicBool::new(false)).collect();
    // Threads of one process and of another.
    let stores = [(); 2].map(|()| store(dir.path(), "v1").0);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (store, held) = (&stores[thread % 2], &held);
            scope.spawn(move || {
                let mut claimed = 0;
                while claimed < 100 {
                    let seed = (claimed + thread) % 3;
                    let Some(claim) = store.claim(run("a", seed as u64)) else {
                        std::thread::yield_now();
                        continue;
                    };
                    assert!(!held[seed].swap(true, Ordering::SeqCst), "claimed twice");
                    claimed += 1;
                    std::thread::yield_now();
                    held[seed].store(false, Ordering::SeqCst);
                    match claimed % 2 {
                        0 => store.keep(claim, &summary("a", seed as u64)),
                        _ => drop(claim),
                    }
                }
            });
        }
    });
    let (after, said) = store(dir.path(), "v1");
    (0..3).for_each(|seed| assert_eq!(after.find(run("a", seed)), Some(summary("a", seed))));
    assert_eq!(*said.lock().unwrap(), [""; 0]);
    let lines = fs::read_to_string(after.file()).unwrap().lines().count();
    assert_eq!(lines, 8 * 100 / 2, "no line is lost");
}

/// Outcomes of another version are neither found nor touched, but counted.
#[test]
fn other_versions_stay() {
    let dir = tempfile::tempdir().unwrap();
    let (old, _) = store(dir.path(), "v1");
    keep(&old, "a", 1);
    keep(&old, "a", 2);
    let bytes = files(dir.path()).iter().map(|file| file.metadata().unwrap().len()).sum();
    let (new, _) = store(dir.path(), "v2");
    assert_eq!((new.find(run("a", 1)), new.others()), (None, OtherVersions { outcomes: 2, bytes }));
    keep(&new, "a", 1);
    new.remove_used();
    assert_eq!(old.find(run("a", 1)), Some(summary("a", 1)));
}

/// Used runs go, with the folders; other files stay.
#[test]
fn what_was_used_can_be_removed() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("store");
    keep(&store(&folder, "v1").0, "a", 1);
    keep(&store(&folder, "v1").0, "b", 1);
    let (second, _) = store(&folder, "v1");
    assert!(second.find(run("a", 1)).is_some());
    keep(&second, "c", 1);
    second.remove_used();
    let (third, _) = store(&folder, "v1");
    assert_eq!((third.find(run("a", 1)), third.find(run("c", 1))), (None, None));
    assert!(third.find(run("b", 1)).is_some());
    third.remove_used();
    assert!(!folder.exists());
}

/// A folder that cannot be made is an error; one in which nothing can be written is reported once, and costs no run.
#[test]
fn an_unwritable_folder_is_reported_once() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let said = Store::open(&file, "v1").err().unwrap().to_string();
    assert!(said.starts_with(&format!("cannot create {}", file.join("v1").display())), "{said}");
    for version in ["", "..", "a/b"] {
        assert!(matches!(Store::open(dir.path(), version), Err(StoreError::Version(_))), "{version}");
    }

    let (store, said) = store(dir.path(), "v1");
    // Root writes everywhere, but not below a file.
    fs::remove_dir(dir.path().join("v1")).unwrap();
    fs::write(dir.path().join("v1"), "").unwrap();
    fs::set_permissions(dir.path().join("v1"), Permissions::from_mode(0o400)).unwrap();
    for seed in 0..2 {
        store.keep(store.claim(run("a", seed)).unwrap(), &summary("a", seed));
    }
    let said = said.lock().unwrap();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("cannot store runs for later use ("), "{said:?}");
}

/// A disk that fills up while a line is written: a limit of the file's size fails so, with a fragment of the line in the file. The
/// limit is the process's: the test runs itself.
#[test]
fn a_full_disk_is_reported_and_leaves_nothing_half_written() {
    const CHILD: &str = "ANABRANCH_TEST_FULL_DISK";
    if std::env::var_os(CHILD).is_none() {
        let limited = "trap '' XFSZ; ulimit -f 4; exec \"$0\" --exact run::store::tests::a_full_disk_is_reported_and_leaves_nothing_half_written";
        let test = std::env::current_exe().unwrap();
        let child = Command::new("sh").args(["-c", limited]).arg(test).env(CHILD, "1").output().unwrap();
        let said = String::from_utf8(child.stdout).unwrap();
        return assert!(child.status.success() && said.contains("1 passed"), "{said}");
    }
    let dir = tempfile::tempdir().unwrap();
    let (full, said) = store(dir.path(), "v1");
    (0..30).for_each(|seed| keep(&full, "a", seed));
    let said = said.lock().unwrap();
    assert!(said.len() == 1 && said[0].contains("File too large"), "{said:?}");
    let text = fs::read_to_string(full.file()).unwrap();
    assert!(text.ends_with("}\n") && text.lines().count() == full.kept());
    let (after, _) = store(dir.path(), "v1");
    let found: Vec<u64> = (0..30).filter(|seed| after.find(run("a", *seed)).is_some()).collect();
    assert!(0 < full.kept() && full.kept() < 30 && found == (0..full.kept() as u64).collect::<Vec<_>>());
}
