//! Locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks despite poisoning: a panic of another thread ends the call anyway.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
