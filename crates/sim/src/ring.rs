//! A window onto an endless sequence: elements `start..end`, addressed by their absolute index.

/// Keeps the elements of a sliding window in a buffer that grows by an eighth when the window outgrows it; nothing
/// is allocated before the first element.
#[derive(Clone, Debug)]
pub(crate) struct Ring<T> {
    buffer: Vec<T>,
    start: u64,
    end: u64,
    /// Which index the buffer's first slot holds, or would hold: the window starts within a buffer's length of it.
    origin: u64,
}

impl<T: Copy + Default> Ring<T> {
    pub(crate) fn new() -> Self {
        Ring { buffer: Vec::new(), start: 0, end: 0, origin: 0 }
    }

    /// First index kept.
    #[inline]
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// One past the last index kept.
    #[inline]
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    #[inline]
    fn slot(&self, index: u64) -> usize {
        debug_assert!((self.start..self.end).contains(&index));
        let slot = (index - self.origin) as usize;
        if slot < self.buffer.len() { slot } else { slot - self.buffer.len() }
    }

    #[inline]
    pub(crate) fn get(&self, index: u64) -> &T {
        &self.buffer[self.slot(index)]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: u64) -> &mut T {
        let slot = self.slot(index);
        &mut self.buffer[slot]
    }

    #[inline]
    pub(crate) fn push(&mut self, value: T) {
        if self.end - self.start == self.buffer.len() as u64 {
            self.grow();
        }
        self.end += 1;
        *self.get_mut(self.end - 1) = value;
    }

    /// Extends the window with default elements so that it holds `index`.
    pub(crate) fn extend_to(&mut self, index: u64) {
        while self.end <= index {
            self.push(T::default());
        }
    }

    /// Forgets everything before `index`, which may lie beyond the end.
    #[inline]
    pub(crate) fn forget_before(&mut self, index: u64) {
        self.start = self.start.max(index);
        self.end = self.end.max(self.start);
        let len = self.buffer.len() as u64;
        if self.start - self.origin >= len {
            let lap = self.origin + len;
            self.origin = if self.start - lap < len { lap } else { self.start };
        }
    }

    #[cold]
    fn grow(&mut self) {
        // In place: a copy beside it would count where memory is tight.
        let len = self.buffer.len();
        self.buffer.rotate_left((self.start - self.origin) as usize);
        self.origin = self.start;
        self.buffer.reserve_exact(len / 8 + 8);
        self.buffer.resize(self.buffer.capacity(), T::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_elements_while_it_grows_and_slides() {
        let mut ring = Ring::new();
        for i in 0..1000u64 {
            ring.push(i);
            if i >= 100 {
                ring.forget_before(i - 100);
            }
            assert!((ring.start()..ring.end()).all(|k| *ring.get(k) == k));
        }
        assert_eq!((ring.start(), ring.end()), (899, 1000));
        ring.extend_to(1009);
        assert_eq!((*ring.get(1009), ring.end()), (0, 1010));
        ring.forget_before(5000);
        assert_eq!((ring.start(), ring.end()), (5000, 5000));
        ring.push(7);
        assert_eq!((*ring.get(5000), ring.end()), (7, 5001));
    }
}
