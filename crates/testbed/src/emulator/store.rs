//! Reusable buffers for packets in flight.

/// The size of a small place: an acknowledgement with all options and the header before it, in bytes.
const SMALL: usize = 160;
/// The approximate size of allocated blocks, in bytes.
const PIECE: usize = 1 << 20;

/// Places of two sizes.
pub(crate) struct Store {
    small: Places,
    large: Places,
}

/// The place of a packet, and its length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    number: u32,
    length: u32,
}

impl Store {
    /// A store for packets of up to `largest` bytes.
    pub fn new(largest: usize) -> Store {
        Store { small: Places::new(SMALL), large: Places::new(largest) }
    }

    /// The largest packet that fits, in bytes.
    pub fn largest(&self) -> usize {
        self.large.size
    }

    /// Allocates a place for a packet of at most `length` bytes. `write` fills it and returns the number of bytes.
    #[inline]
    pub fn put(&mut self, length: usize, write: impl FnOnce(&mut [u8]) -> usize) -> Place {
        let places = self.of(length);
        let number = places.take();
        let written = write(&mut places.get_mut(number)[..length]);
        // The length identifies the kind of place, so it must be the requested one.
        debug_assert_eq!(written, length);
        Place { number, length: length as u32 }
    }

    /// The packet at a place.
    #[inline]
    pub fn packet(&mut self, place: Place) -> &mut [u8] {
        let length = place.length as usize;
        &mut self.of(length).get_mut(place.number)[..length]
    }

    /// Frees a place.
    #[inline]
    pub fn release(&mut self, place: Place) {
        self.of(place.length as usize).free.push(place.number);
    }

    #[inline]
    fn of(&mut self, length: usize) -> &mut Places {
        if length <= SMALL { &mut self.small } else { &mut self.large }
    }
}

/// Places of one size.
struct Places {
    size: usize,
    in_piece: usize,
    pieces: Vec<Box<[u8]>>,
    /// The free places. The last freed one is reused first, because it is in the caches.
    free: Vec<u32>,
}

impl Places {
    fn new(size: usize) -> Places {
        Places { size, in_piece: (PIECE / size).max(1), pieces: Vec::new(), free: Vec::new() }
    }

    #[inline]
    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| self.grow())
    }

    #[cold]
    fn grow(&mut self) -> u32 {
        let first = (self.pieces.len() * self.in_piece) as u32;
        self.pieces.push(vec![0; self.in_piece * self.size].into_boxed_slice());
        self.free.extend((first + 1..first + self.in_piece as u32).rev());
        first
    }

    #[inline]
    fn get_mut(&mut self, number: u32) -> &mut [u8] {
        let (piece, place) = (number as usize / self.in_piece, number as usize % self.in_piece);
        &mut self.pieces[piece][place * self.size..][..self.size]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_keep_their_bytes_and_places_are_used_again() {
        let mut store = Store::new(1500);
        let lengths: Vec<usize> = (0..3000).map(|i| [40, 160, 161, 1500][i % 4]).collect();
        let fill = |i: usize, n: usize| {
            move |to: &mut [u8]| {
                to.fill(i as u8);
                n
            }
        };
        let places: Vec<Place> =
            lengths.iter().enumerate().map(|(i, n)| store.put(*n, fill(i, *n))).collect();
        for (i, place) in places.iter().enumerate() {
            assert_eq!(store.packet(*place), vec![i as u8; lengths[i]], "packet {i}");
        }
        let pieces = |store: &Store| store.small.pieces.len() + store.large.pieces.len();
        let before = pieces(&store);
        assert!(before > 3, "{before} pieces");
        places.iter().for_each(|place| store.release(*place));
        for (i, n) in lengths.iter().enumerate() {
            store.put(*n, fill(i, *n));
        }
        assert_eq!(pieces(&store), before);
    }
}
