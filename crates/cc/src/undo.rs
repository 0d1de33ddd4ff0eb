//! State that returns when a congestion turns out to be spurious.

use core::ops::{Deref, DerefMut};

/// An algorithm's state that congestion changes, with its value before the last congestion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Undoable<T> {
    now: T,
    before: Option<T>,
}

impl<T: Copy> Undoable<T> {
    pub(crate) fn new(state: T) -> Self {
        Undoable { now: state, before: None }
    }

    /// A congestion is about to change the state.
    pub(crate) fn save(&mut self) {
        self.before = Some(self.now);
    }

    /// The last congestion was spurious. Nothing to undo, or undone already: the state stays.
    pub(crate) fn undo(&mut self) {
        self.now = self.before.take().unwrap_or(self.now);
    }
}

impl<T> Deref for Undoable<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.now
    }
}

impl<T> DerefMut for Undoable<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.now
    }
}
