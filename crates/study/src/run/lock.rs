//! Locks within a process.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A poisoned lock is harmless: what it guards is whole after a panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
