//! A window onto an endless sequence: elements `start..end`, addressed by their absolute index.

/// Keeps the elements of a sliding window in a power-of-two buffer that grows when the window does.
#[derive(Clone, Debug)]
pub(crate) struct Ring<T> {
    buffer: Vec<T>,
    start: u64,
    end: u64,
}

impl<T: Copy + Default> Ring<T> {
    pub(crate) fn new() -> Self {
        Ring { buffer: vec![T::default(); 16], start: 0, end: 0 }
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
        index as usize & (self.buffer.len() - 1)
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
    }

    #[cold]
    fn grow(&mut self) {
        let old = std::mem::take(&mut self.buffer);
        self.buffer = vec![T::default(); old.len() * 2];
        for index in self.start..self.end {
            self.buffer[index as usize & (old.len() * 2 - 1)] = old[index as usize & (old.len() - 1)];
        }
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
    }
}
