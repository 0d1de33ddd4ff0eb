//! Reusable buffers for packets in flight.

/// Buffers, each as long as the longest packet that it has had.
#[derive(Default)]
pub(crate) struct Store {
    buffers: Vec<Vec<u8>>,
    /// The free buffers. The last freed one is reused first, because it is in the caches.
    free: Vec<u32>,
}

/// The place of a packet, and its length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    number: u32,
    length: u32,
}

impl Store {
    /// Takes a buffer for a packet of `length` bytes. `write` fills it and returns the number of bytes.
    #[inline]
    pub fn put(&mut self, length: usize, write: impl FnOnce(&mut [u8]) -> usize) -> Place {
        let number = self.free.pop().unwrap_or_else(|| {
            self.buffers.push(Vec::new());
            self.buffers.len() as u32 - 1
        });
        let buffer = &mut self.buffers[number as usize];
        if buffer.len() < length {
            buffer.resize(length, 0);
        }
        let written = write(&mut buffer[..length]);
        debug_assert_eq!(written, length);
        Place { number, length: length as u32 }
    }

    /// Reads the packet at a place.
    #[inline]
    pub fn read(&self, Place { number, length }: Place) -> &[u8] {
        &self.buffers[number as usize][..length as usize]
    }

    /// The packet at a place, mutable.
    #[inline]
    pub fn get_mut(&mut self, Place { number, length }: Place) -> &mut [u8] {
        &mut self.buffers[number as usize][..length as usize]
    }

    /// Frees a place.
    #[inline]
    pub fn release(&mut self, place: Place) {
        self.free.push(place.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_keep_their_bytes_and_buffers_are_used_again() {
        let mut store = Store::default();
        let lengths: Vec<usize> = (0..3000).map(|i| [40, 160, 161, 1500][i % 4]).collect();
        let fill = |i: usize, n: usize| {
            move |to: &mut [u8]| {
                to.fill(i as u8);
                n
            }
        };
        for _ in 0..2 {
            let places: Vec<Place> =
                lengths.iter().enumerate().map(|(i, n)| store.put(*n, fill(i, *n))).collect();
            for (i, place) in places.iter().enumerate() {
                assert_eq!(store.get_mut(*place), vec![i as u8; lengths[i]], "packet {i}");
                assert_eq!(store.read(*place).len(), lengths[i]);
            }
            assert_eq!(store.buffers.len(), places.len());
            // The next packets have other lengths than those before them in their buffers.
            places.iter().for_each(|place| store.release(*place));
        }
    }
}
