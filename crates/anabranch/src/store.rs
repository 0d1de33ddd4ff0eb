//! Where runs are kept: after an interruption or a crash the same goes on where it was.

use crate::error::counted;
use crate::units::{BYTES, with_unit};
use anabranch_papers::RESULTS_VERSION;
use anabranch_record::output::Notify;
use anabranch_study::Store;
use std::path::Path;

/// The store in `folder`, of what runs give today; what the user should know of it is noted. None where there can be none, which
/// is no reason not to make the runs.
pub fn open(folder: &Path, note: Notify) -> Option<Store> {
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
