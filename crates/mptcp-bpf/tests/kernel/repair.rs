//! The leftovers of a loader killed by SIGKILL, at each of its steps, and the next command's repair.

use anabranch_mptcp_bpf::{Error, Load, Pins, Registration, Unload, load, load_as, pinned, unload};
use anabranch_test_support::programs::{nameless, pin, register, registrations};
use anabranch_test_support::{Kernel, is_listed, reno, reno_instance, skipped, until};
use std::fs;
use std::path::PathBuf;

fn directory(name: &str) -> PathBuf {
    Pins::open().unwrap().directory(name)
}

fn is_registered() -> bool {
    is_listed("ab_reno")
}

fn is_pinned() -> bool {
    pinned().unwrap().iter().any(|entry| entry.kernel_name == "ab_reno")
}

/// Leaves the state that a loader has pinned after this number of steps.
fn killed_after(steps: usize, registration: Registration) -> PathBuf {
    let loading = directory("loading");
    fs::create_dir(&loading).unwrap();
    pin(&mut nameless(reno(), registration), registration, &loading, steps);
    loading
}

#[test]
fn whatever_a_killed_loader_leaves_is_removed() {
    let Some(_kernel) = Kernel::lock() else { return };
    for &registration in registrations() {
        for steps in 0..=4 {
            let leftover = killed_after(steps, registration);
            until(|| is_registered() == (steps == 4), &format!("{registration:?} {steps}"));
            // The next check already finds a kernel without it.
            assert!(!is_pinned());
            assert!(!leftover.exists());
            assert_eq!(load(reno()).unwrap(), Load::Done);
            assert!(is_registered());
            assert_eq!(unload(reno()).unwrap(), Unload::Done);
        }
    }
}

/// Killed between the renaming and the end.
#[test]
fn whatever_a_killed_unloader_leaves_is_removed() {
    let Some(_kernel) = Kernel::lock() else { return };
    for &registration in registrations() {
        for removed in [&[][..], &["connections"], &["connections", "counters"]] {
            load_as(reno(), registration).unwrap();
            let unloading = directory("unloading");
            fs::rename(directory("ab_reno"), &unloading).unwrap();
            removed.iter().for_each(|file| fs::remove_file(unloading.join(file)).unwrap());
            assert_eq!(load(reno()).unwrap(), Load::Done);
            assert!(!unloading.exists() && is_registered());
            assert_eq!(unload(reno()).unwrap(), Unload::Done);
        }
    }
}

/// Another process registered it, and has it still.
#[test]
fn an_algorithm_of_another_process_is_taken_over() {
    let Some(_kernel) = Kernel::lock() else { return };
    if !registrations().contains(&Registration::Link) {
        return skipped("another process's registration is its link, which this kernel has not");
    }
    let mut object = nameless(reno(), Registration::Link);
    let _link = register(&mut object);
    assert!(is_registered() && !is_pinned());
    match load(reno()) {
        Ok(done) => assert_eq!(done, Load::Done),
        // Before Linux 6.11 nobody else can end a link.
        Err(Error::Held(_)) => return skipped("this kernel does not let others end a link"),
        Err(error) => panic!("{error}"),
    }
    assert!(is_registered() && is_pinned());
    assert_eq!(unload(reno()).unwrap(), Unload::Done);
}

/// Somebody removed the files: of a registered map, which then stays without them.
#[test]
fn an_algorithm_without_its_pins_is_found() {
    let Some(_kernel) = Kernel::lock() else { return };
    let lose = || {
        load_as(reno(), Registration::Map).unwrap();
        fs::remove_file(directory("ab_reno").join("ops")).unwrap();
        assert!(is_registered() && !is_pinned());
        let instance = reno_instance();
        assert!(instance.registered && instance.counters().is_some());
    };
    lose();
    assert_eq!(unload(reno()).unwrap(), Unload::Done);
    until(|| !is_registered() && !directory("ab_reno").exists(), "neither it nor its pins are there");
    lose();
    assert_eq!(load(reno()).unwrap(), Load::Done);
    assert!(is_pinned());
    assert_eq!(unload(reno()).unwrap(), Unload::Done);
}
