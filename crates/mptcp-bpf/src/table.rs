//! Reads a whole table of connections while it changes.

use libbpf_rs::{MapCore, MapFlags, MapHandle};

/// The capacity of the first read, in connections.
pub(crate) const ROOM: u32 = 256;

/// More keys than a bucket of the kernel's hash table ever holds: the table has a bucket per key.
const BUCKET: usize = 64;

/// Decodes each entry of a table from its key and value. `room` is the number of entries to read at once; it grows as needed
/// and is passed again to the next read.
///
/// The kernel reads the table bucket by bucket, so entries that are added or removed meanwhile do no harm. It ends early if a
/// bucket exceeds the remaining room; then the read starts again with more room.
pub(crate) fn read<T>(
    table: &MapHandle,
    room: &mut u32,
    decode: impl Fn(&[u8], &[u8]) -> Option<T>,
) -> Vec<T> {
    loop {
        // Fails only for other kinds of maps.
        let Ok(batch) = table.lookup_batch(*room, MapFlags::ANY, MapFlags::ANY) else { return Vec::new() };
        let mut entries = 0;
        let each = batch.inspect(|_| entries += 1);
        let found = each.filter_map(|(key, value)| decode(&key, &value)).collect();
        if entries + BUCKET <= *room as usize || *room > 2 * table.max_entries() {
            return found;
        }
        *room *= 2;
    }
}
