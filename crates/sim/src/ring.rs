//! A sliding window of an endless sequence: elements `start..end`, addressed by absolute index.

/// A sliding window in a buffer that grows by an eighth when full. It allocates with the first element.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ring<T> {
    buffer: Box<[T]>,
    start: u64,
    /// The number of elements, and the buffer index of the first.
    len: u32,
    first: u32,
}

impl<T: Copy + Default> Ring<T> {
    /// The first index.
    #[inline]
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// One past the last index.
    #[inline]
    pub(crate) fn end(&self) -> u64 {
        self.start + u64::from(self.len)
    }

    #[inline]
    fn slot(&self, index: u64) -> usize {
        debug_assert!((self.start..self.end()).contains(&index));
        let slot = self.first as usize + (index - self.start) as usize;
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
        if self.len as usize == self.buffer.len() {
            self.grow();
        }
        let slot = (self.first + self.len) as usize;
        let slot = if slot < self.buffer.len() { slot } else { slot - self.buffer.len() };
        self.len += 1;
        self.buffer[slot] = value;
    }

    /// Removes all elements before `index`, which may lie beyond the end.
    #[inline]
    pub(crate) fn forget_before(&mut self, index: u64) {
        let gone = index.saturating_sub(self.start);
        self.start += gone;
        if gone < u64::from(self.len) {
            self.len -= gone as u32;
            self.first += gone as u32;
            if self.first as usize >= self.buffer.len() {
                self.first -= self.buffer.len() as u32;
            }
        } else {
            (self.len, self.first) = (0, 0);
        }
    }

    #[cold]
    fn grow(&mut self) {
        // In place, as a copy needs memory.
        let mut buffer = std::mem::take(&mut self.buffer).into_vec();
        buffer.rotate_left(self.first as usize);
        self.first = 0;
        let len = buffer.len() + buffer.len() / 8 + 8;
        buffer.reserve_exact(len - buffer.len());
        buffer.resize(len, T::default());
        self.buffer = buffer.into_boxed_slice();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_elements_while_it_grows_and_slides() {
        let mut ring = Ring::default();
        for i in 0..1000u64 {
            ring.push(i);
            if i >= 100 {
                ring.forget_before(i - 100);
            }
            assert!((ring.start()..ring.end()).all(|k| *ring.get(k) == k));
        }
        assert_eq!((ring.start(), ring.end()), (899, 1000));
        ring.forget_before(5000);
        assert_eq!((ring.start(), ring.end()), (5000, 5000));
        ring.push(7);
        assert_eq!((*ring.get(5000), ring.end()), (7, 5001));
    }
}
