//! Where commands keep their runs: after an interruption or a crash the same command goes on where it was.

use crate::output::{counted, note};
use crate::table::{BYTES, with_unit};
use anabranch_papers::RESULTS_VERSION;
use anabranch_study::Store;
use std::path::Path;

/// The store in `folder`, of what runs give today; what the user should know of it is noted. None where there can be none, which
/// is no reason not to make the runs.
pub fn open(folder: &Path) -> Option<Store> {
    let opened = Store::open(folder, RESULTS_VERSION);
    let store =
        opened.map_err(|why| note(&format!("an interrupted command could not go on later: {why}"))).ok()?;
    let others = store.others();
    if others.outcomes > 0 {
        note(&format!(
            "this version does not use what another one has left in {}, {} of {}: it may be deleted",
            folder.display(),
            counted(others.outcomes, "run"),
            with_unit(others.bytes as f64, BYTES)
        ));
    }
    Some(store.with_notify(note))
}

/// Says how many runs of earlier commands were taken over. Gives whether there are any that the same command would find.
pub fn note_found(store: &Store) -> bool {
    if store.found() > 0 {
        note(&format!("{} of an earlier command taken over", counted(store.found(), "run")));
    }
    store.found() + store.kept() > 0
}
