//! Reads a whole table of connections while it changes.

use libbpf_rs::{MapCore, MapFlags, MapHandle};

/// The capacity of the first read, in connections.
pub(crate) const ROOM: u32 = 256;

/// More keys than a bucket of the kernel's hash table ever holds: the table has a bucket per key.
const BUCKET: usize = 64;

/// What `decode` makes of each entry's key and value. `room`: for how many entries, raised where they were
/// more, to be given again the next time.
///
/// The kernel walks the table bucket by bucket, so that entries which come or go meanwhile cannot lead
/// astray. It ends early where a bucket does not fit into the room that is left: then all is read again.
pub(crate) fn read<T>(
    table: &MapHandle,
    room: &mut u32,
    decode: impl Fn(&[u8], &[u8]) -> Option<T>,
) -> Vec<T> {
    loop {
        // Fails for kinds of maps only that the table is not of.
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
