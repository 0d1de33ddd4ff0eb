//! The files of stores on Windows.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Deref;
use std::os::windows::fs::{FileExt, OpenOptionsExt};
use std::thread::sleep;
use std::time::Duration;

/// A file of a store.
pub struct StoreFile(File);

impl From<File> for StoreFile {
    fn from(file: File) -> Self {
        StoreFile(file)
    }
}

impl Deref for StoreFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

/// Options to read.
pub fn options() -> OpenOptions {
    let mut options = File::options();
    options.read(true);
    options
}

/// Options to read and to write at the end. A file for appending could not be cut.
pub fn to_append() -> OpenOptions {
    /// `GENERIC_READ` and `GENERIC_WRITE`.
    const READ_AND_WRITE: u32 = 0xC000_0000;
    let mut options = options();
    options.append(true).access_mode(READ_AND_WRITE);
    options
}

/// Whether two names are of one file, which the standard library cannot say here. After another process has replaced the file, this
/// one's outcomes are lost, and made again.
pub fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// Reads at a place. While another process writes, nobody else can read.
pub fn read_at(file: &File, to: &mut [u8], at: u64) -> io::Result<usize> {
    /// `ERROR_LOCK_VIOLATION`.
    const LOCKED: i32 = 33;
    loop {
        match file.seek_read(to, at) {
            Err(why) if why.raw_os_error() == Some(LOCKED) => sleep(Duration::from_millis(1)),
            read => return read,
        }
    }
}

/// Writes at the end.
pub fn append(mut file: &File, line: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::End(0))?;
    file.write_all(line)
}
