//! Outcomes outlast a process, to the last bit; what is damaged, another's or another version's is never taken for one.

use super::*;
use std::fs::Permissions;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::sync::Arc;

pub fn summary(scenario_hash: &str, seed: u64) -> Summary {
    Summary {
        scenario: "two paths".into(),
        scenario_hash: scenario_hash.into(),
        seed,
        version: "0.1.0".into(),
        duration_s: 10.0,
        // A parser that does not round correctly makes another number of it.
        warmup_s: 3.3 * 3.0,
        partial_until_s: None,
        flows: vec![],
        links: vec![],
        jain: Some(1.0 / 3.0),
        kernel: None,
    }
}

/// A store, and what it said.
fn store(dir: &Path, version: &str) -> (Store, Arc<Mutex<Vec<String>>>) {
    let said = Arc::new(Mutex::new(Vec::new()));
    let tell = said.clone();
    (Store::open(dir, version).unwrap().telling(move |text| tell.lock().unwrap().push(text.into())), said)
}

fn run(scenario_hash: &str, seed: u64) -> RunId<'_> {
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
    let dir = tempfile::tempdir().unwrap();
    let (first, _) = store(dir.path(), "v1");
    assert_eq!(first.find(run("a", 1)), None);
    for (hash, seed) in [("a", 1), ("a", 2), ("b", 1)] {
        keep(&first, hash, seed);
    }
    assert_eq!((first.found(), first.kept()), (0, 3));

    let (second, said) = store(dir.path(), "v1");
    for (hash, seed) in [("a", 1), ("a", 2), ("b", 1)] {
        assert_eq!(second.find(run(hash, seed)), Some(summary(hash, seed)));
    }
    assert_eq!((second.find(run("b", 2)), second.found(), second.kept()), (None, 3, 0));
    assert_eq!(*said.lock().unwrap(), [""; 0]);
    let file = &files(dir.path())[0];
    let json: serde_json::Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    assert_eq!(json["outcome"]["key"], *file.file_stem().unwrap().to_str().unwrap());
}

/// Cut off at any byte, with any byte changed, or under another run's name: missing, named, and made again.
#[test]
fn what_is_damaged_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, _) = store(dir.path(), "v1");
    keep(&whole, "a", 1);
    keep(&whole, "a", 2);
    let [file, other] = [1, 2].map(|seed| whole.file(&whole.key(run("a", seed))));
    let bytes = fs::read(&file).unwrap();
    for length in 0..bytes.len() {
        fs::write(&file, &bytes[..length]).unwrap();
        assert_eq!(whole.find(run("a", 1)), None, "{length} bytes");
        fs::write(&file, &bytes).unwrap();
        File::options().write(true).open(&file).unwrap().write_at(b"\0", length as u64).unwrap();
        assert_eq!(whole.find(run("a", 1)), None, "byte {length}");
    }
    fs::copy(&other, &file).unwrap();
    let (store, said) = store(dir.path(), "v1");
    assert_eq!([store.find(run("a", 1)), store.find(run("a", 1))], [None, None]);
    let once = [format!("{} holds another run: the run is made again", file.display())];
    assert_eq!(*said.lock().unwrap(), once);
    keep(&store, "a", 1);
    assert_eq!(fs::read(&file).unwrap(), bytes);
}

/// A disk that has lost much does not fill the screen.
#[test]
fn the_first_damaged_ones_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let (store, said) = store(dir.path(), "v1");
    for seed in 0..20 {
        keep(&store, "a", seed);
        fs::write(store.file(&store.key(run("a", seed))), "").unwrap();
        assert_eq!(store.find(run("a", seed)), None);
    }
    let said = said.lock().unwrap();
    assert_eq!(said.len(), NAMED + 1);
    assert!(said[0].ends_with(".json is cut off or damaged: the run is made again"), "{said:?}");
    assert!(said[NAMED].ends_with("others may be damaged too: all are made again"), "{said:?}");
}

/// A pipe is not waited for, a folder is no reason to lose a run, and a symbolic link's target stays as it is.
#[test]
fn what_is_no_file_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let (store, said) = store(dir.path(), "v1");
    let file = store.file(&store.key(run("a", 1)));
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    for ending in ["json", "new"] {
        let made = std::process::Command::new("mkfifo").arg(file.with_extension(ending)).status().unwrap();
        assert!(made.success());
    }
    assert_eq!(store.find(run("a", 1)), None);
    store.keep(store.claim(run("a", 1)).unwrap(), &summary("a", 1));
    let users = dir.path().join("thesis.tex");
    fs::write(&users, "mine").unwrap();
    fs::remove_file(file.with_extension("new")).unwrap();
    std::os::unix::fs::symlink(&users, file.with_extension("new")).unwrap();
    store.keep(store.claim(run("a", 1)).unwrap(), &summary("a", 1));
    assert_eq!(fs::read_to_string(&users).unwrap(), "mine");
    fs::remove_file(file.with_extension("new")).unwrap();
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    store.keep(store.claim(run("a", 1)).unwrap(), &summary("a", 1));

    let said = said.lock().unwrap();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said[0].contains("is no file") && said[1].starts_with("runs cannot be kept for later"),
        "{said:?}"
    );
    assert_eq!(files(dir.path()), [users]);
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
    assert_eq!(files(dir.path()).len(), 1, "claims leave nothing");
}

/// What a killed process left of an outcome is written anew, whole.
#[test]
fn what_was_being_written_is_taken_over() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = store(dir.path(), "v1");
    let left = store.file(&store.key(run("a", 1))).with_extension("new");
    fs::create_dir_all(left.parent().unwrap()).unwrap();
    fs::write(&left, "x".repeat(100_000)).unwrap();
    keep(&store, "a", 1);
    assert_eq!(store.find(run("a", 1)), Some(summary("a", 1)));
    assert!(!left.exists());
}

/// A file that has become an outcome between its opening and its lock is not taken for a claim, and not emptied.
#[test]
fn an_outcome_is_no_claim() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = store(dir.path(), "v1");
    let (claim, path) =
        (store.claim(run("a", 1)).unwrap(), store.file(&store.key(run("a", 1))).with_extension("new"));
    let open = || File::options().write(true).open(&path).unwrap();
    let (early, late) = (open(), open());
    assert!(matches!(locked(open(), &path), Ok(Lock::Others)));
    store.keep(claim, &summary("a", 1));
    assert!(matches!(locked(early, &path), Ok(Lock::Gone)));
    let another = store.claim(run("a", 1)).unwrap();
    assert!(matches!(locked(late, &path), Ok(Lock::Gone)));
    assert_eq!(store.find(run("a", 1)), Some(summary("a", 1)));
    drop(another);
}

/// Many threads, many claims of the same runs: each run has one at a time, and no file is left.
#[test]
fn claims_exclude_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let held: Vec<AtomicBool> = (0..3).map(|_| AtomicBool::new(false)).collect();
    let claimed = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (dir, held, claimed) = (dir.path(), &held, &claimed);
            scope.spawn(move || {
                let (store, _) = store(dir, "v1");
                for i in 0..400 {
                    let seed = (i + thread) % 3;
                    let Some(claim) = store.claim(run("a", seed as u64)) else { continue };
                    assert!(!held[seed].swap(true, Ordering::SeqCst), "claimed twice");
                    claimed.fetch_add(1, Ordering::Relaxed);
                    std::thread::yield_now();
                    held[seed].store(false, Ordering::SeqCst);
                    match i % 2 {
                        0 => store.keep(claim, &summary("a", seed as u64)),
                        _ => drop(claim),
                    }
                }
            });
        }
    });
    assert!(claimed.into_inner() > 400);
    assert_eq!(files(dir.path()).len(), 3);
}

/// Outcomes of another version are neither found nor touched, but counted; they go when that is asked for, and nothing else.
#[test]
fn other_versions_stay() {
    let dir = tempfile::tempdir().unwrap();
    let (old, _) = store(dir.path(), "v1");
    keep(&old, "a", 1);
    keep(&old, "a", 2);
    let bytes = files(dir.path()).iter().map(|file| file.metadata().unwrap().len()).sum();
    let at_work = old.claim(run("a", 3)).unwrap();
    let (new, _) = store(dir.path(), "v2");
    assert_eq!((new.find(run("a", 1)), new.others()), (None, Others { outcomes: 2, bytes }));
    keep(&new, "a", 1);
    new.remove_used();
    assert_eq!(old.find(run("a", 1)), Some(summary("a", 1)));

    let users = dir.path().join("v1").join("notes.json");
    fs::write(&users, "mine").unwrap();
    keep(&new, "a", 1);
    assert_eq!(new.remove_others(), Others::default());
    assert_eq!(new.find(run("a", 1)), Some(summary("a", 1)));
    old.keep(at_work, &summary("a", 3));
    assert_eq!(old.find(run("a", 3)), Some(summary("a", 3)), "what is being written is left alone");
    assert_eq!(fs::read_to_string(users).unwrap(), "mine");
}

/// What was used goes, with the folders; what was not asked for stays.
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

/// A folder that cannot be made is an error; one in which nothing can be written is told once, and loses no run.
#[test]
fn an_unwritable_folder_is_told_once() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let said = Store::open(&file, "v1").err().unwrap().to_string();
    assert!(said.starts_with(&format!("cannot make {}", file.join("v1").display())), "{said}");
    for version in ["", "..", "a/b"] {
        assert!(matches!(Store::open(dir.path(), version), Err(StoreError::Version(_))), "{version}");
    }

    let (store, said) = store(dir.path(), "v1");
    // Root writes everywhere, but not below a file.
    for seed in 0..2 {
        let folder = store.file(&store.key(run("a", seed))).parent().unwrap().to_owned();
        fs::write(&folder, "").unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o400)).unwrap();
        store.keep(store.claim(run("a", seed)).unwrap(), &summary("a", seed));
    }
    let said = said.lock().unwrap();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("runs cannot be kept for later, but their results are used: "), "{said:?}");
}

/// A disk that fills up while an outcome is written: `/dev/full` fails as such a disk does.
#[test]
fn a_full_disk_is_told_and_leaves_nothing_half_written() {
    let dir = tempfile::tempdir().unwrap();
    let (store, said) = store(dir.path(), "v1");
    let mut claim = store.claim(run("a", 1)).unwrap();
    claim.0.as_mut().unwrap().file = File::options().write(true).open("/dev/full").unwrap();
    store.keep(claim, &summary("a", 1));
    let said = said.lock().unwrap();
    assert!(said.len() == 1 && said[0].contains("No space left"), "{said:?}");
    assert!(files(dir.path()).is_empty());
    assert_eq!((store.find(run("a", 1)), store.kept()), (None, 0));
}
