//! Opens the store of runs, from which an interrupted command resumes.

use crate::error::counted;
use crate::units::{BYTES, with_unit};
use anabranch_papers::RESULTS_VERSION;
use anabranch_record::output::Notify;
use anabranch_study::Store;
use std::path::Path;

/// Opens the store of this version's runs in `folder`. If that fails, notes it and returns `None`: the command then runs
/// without a store.
pub fn open(folder: &Path, note: Notify) -> Option<Store> {
    let opened = Store::open(folder, RESULTS_VERSION);
    let store = opened
        .map_err(|why| note(&format!("without a store of runs, an interrupted command cannot resume: {why}")))
        .ok()?;
    let others = store.others();
    if others.outcomes > 0 {
        note(&format!(
            "{} has runs of another version, which this one does not use ({} of {}): you can delete them",
            folder.display(),
            counted(others.outcomes, "run"),
            with_unit(others.bytes as f64, BYTES)
        ));
    }
    Some(store.with_notify(note))
}
