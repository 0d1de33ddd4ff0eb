//! A queue in a ring.

/// A queue in a ring that grows by an eighth when it is full, since long ones determine the memory of a run. It keeps the places of
/// both ends, so that each step takes fewer instructions than those of a `VecDeque`.
#[derive(Clone, Debug)]
pub struct Fifo<T> {
    ring: Box<[T]>,
    /// The places of the first and of the last element; if there is none, `last` is the place before `first`.
    first: usize,
    last: usize,
    len: usize,
}

impl<T> Default for Fifo<T> {
    fn default() -> Self {
        Fifo { ring: Box::default(), first: 0, last: 0, len: 0 }
    }
}

impl<T: Copy> Fifo<T> {
    /// The number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no element.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first element.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        (self.len > 0).then(|| &self.ring[self.first])
    }

    /// The last element.
    #[inline]
    pub fn back(&self) -> Option<&T> {
        (self.len > 0).then(|| &self.ring[self.last])
    }

    /// All elements, in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len).map(|i| &self.ring[self.place(i)])
    }

    /// Adds an element as the last.
    #[inline]
    pub fn push(&mut self, value: T) {
        if self.is_full() {
            self.grow(value);
        }
        self.push_in_place(value);
    }

    /// The same, if the ring [is not full](Fifo::is_full).
    #[inline]
    pub fn push_in_place(&mut self, value: T) {
        self.last = self.behind(self.last);
        self.len += 1;
        self.ring[self.last] = value;
    }

    /// Adds an element behind the last one of which `is_later` does not hold, and returns how many are in front of it.
    #[inline(always)] // outlined, it costs more than a push
    pub fn insert(&mut self, value: T, is_later: impl Fn(&T) -> bool) -> usize {
        let overtakes = self.back().is_some_and(&is_later);
        self.push(value);
        if overtakes { self.sift(self.len - 1, is_later) } else { self.len - 1 }
    }

    /// Removes the first element.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let value = *self.front()?;
        self.drop_front();
        Some(value)
    }

    /// Removes the first element, which exists.
    #[inline]
    pub fn drop_front(&mut self) {
        debug_assert!(self.len > 0, "the queue is empty");
        self.first = self.behind(self.first);
        self.len -= 1;
    }

    /// Removes elements from the front, as long as `leaves` holds for them.
    #[inline]
    pub fn drop_while(&mut self, mut leaves: impl FnMut(&T) -> bool) {
        let (mut first, mut len) = (self.first, self.len);
        while len > 0 && leaves(&self.ring[first]) {
            first = self.behind(first);
            len -= 1;
        }
        (self.first, self.len) = (first, len);
    }

    /// Whether the ring has to grow for another element.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.len == self.ring.len()
    }

    /// Removes all elements but the first `len`.
    pub fn truncate(&mut self, len: usize) {
        while self.len > len {
            self.last = self.last.checked_sub(1).unwrap_or(self.ring.len() - 1);
            self.len -= 1;
        }
    }

    /// Moves element `i` in front of those before it of which `is_later` holds, and returns its new index.
    #[inline(never)]
    fn sift(&mut self, mut i: usize, is_later: impl Fn(&T) -> bool) -> usize {
        let value = self.ring[self.place(i)];
        while i > 0 && is_later(&self.ring[self.place(i - 1)]) {
            self.ring[self.place(i)] = self.ring[self.place(i - 1)];
            i -= 1;
        }
        self.ring[self.place(i)] = value;
        i
    }

    #[inline]
    fn place(&self, i: usize) -> usize {
        let place = self.first + i;
        if place < self.ring.len() { place } else { place - self.ring.len() }
    }

    #[inline]
    fn behind(&self, place: usize) -> usize {
        if place + 1 < self.ring.len() { place + 1 } else { 0 }
    }

    /// Makes room, filled with `value` as it has to be filled.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, value: T) {
        // In place, as a copy needs memory.
        let mut ring = std::mem::take(&mut self.ring).into_vec();
        ring.rotate_left(self.first);
        let len = self.len + self.len / 8 + 8;
        ring.reserve_exact(len - self.len);
        ring.resize(len, value);
        self.ring = ring.into_boxed_slice();
        (self.first, self.last) = (0, self.len.checked_sub(1).unwrap_or(len - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn agrees_with_a_deque(steps in prop::collection::vec((0u8..12, 0u32..40), 0..300)) {
            let (mut fifo, mut plain) = (Fifo::default(), VecDeque::new());
            for (step, n) in steps {
                match step {
                    0..6 => {
                        fifo.push(n);
                        plain.push_back(n);
                    }
                    6..9 => prop_assert_eq!(fifo.pop(), plain.pop_front()),
                    9 => {
                        let index = plain.iter().rposition(|m| *m <= n).map_or(0, |i| i + 1);
                        plain.insert(index, n);
                        prop_assert_eq!(fifo.insert(n, |m| *m > n), index);
                    }
                    10 => {
                        fifo.drop_while(|m| *m < n);
                        while plain.front().is_some_and(|m| *m < n) {
                            plain.pop_front();
                        }
                    }
                    _ => {
                        fifo.truncate(n as usize);
                        plain.truncate(n as usize);
                    }
                }
                prop_assert!(fifo.iter().eq(&plain));
                prop_assert_eq!((fifo.len(), fifo.is_empty()), (plain.len(), plain.is_empty()));
                prop_assert_eq!((fifo.front(), fifo.back()), (plain.front(), plain.back()));
            }
        }
    }
}
