//! Percentiles of times in constant memory.

/// Buckets per doubling of the value, as a power of two.
const SUB_BITS: u32 = 5;
const SUB: usize = 1 << SUB_BITS;
/// Doublings between the smallest and the largest distinguishable value.
const OCTAVES: usize = 15;
const BUCKETS: usize = OCTAVES * SUB;

/// A log-linear histogram of times in nanoseconds, for percentiles: 128 bytes for each doubling between the
/// smallest and the largest time, at most 2 KiB however many times are recorded.
///
/// Each doubling is divided into 32 equal buckets and a quantile is its bucket's middle, so its relative
/// error is at most 1/64 (1.6 %). The buckets cover a factor of at least 2¹⁴ below the largest time
/// recorded; what is smaller counts as the smallest bucket.
///
/// `hdrhistogram` counts from its smallest value on. At two digits, from 1 ns to 100 s, that is 16 KiB of `u32` for each of
/// a run's subflows and connections; at one digit, 2 KiB and an error of 6 %.
#[derive(Clone, Debug)]
pub struct Histogram {
    /// Whole octaves, at most [`BUCKETS`] counts.
    counts: Vec<u32>,
    /// Number of the first bucket, counted from 1 ns; a multiple of `SUB`.
    base: usize,
    count: u64,
    min: u64,
    max: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { counts: Vec::new(), base: 0, count: 0, min: u64::MAX, max: 0 }
    }
}

impl Histogram {
    /// Counts a time of `ns` nanoseconds; 0 counts as 1.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        let ns = ns.max(1);
        self.count += 1;
        if ns < self.min {
            self.min = ns;
        }
        if ns > self.max {
            self.max = ns;
        }
        let bucket = number(ns);
        match self.counts.get_mut(bucket.wrapping_sub(self.base)) {
            Some(n) if *n < u32::MAX => *n += 1,
            _ => self.count_rarely(bucket),
        }
    }

    /// The bucket has no place yet, or is full.
    #[cold]
    fn count_rarely(&mut self, bucket: usize) {
        let i = self.place(bucket);
        match self.counts[i].checked_add(1) {
            Some(n) => self.counts[i] = n,
            None => self.halve(i),
        }
    }

    /// Adds what another counted.
    pub fn merge(&mut self, other: &Histogram) {
        for (i, &n) in other.counts.iter().enumerate().filter(|(_, n)| **n > 0) {
            let own = self.place(other.base + i);
            self.counts[own] = self.counts[own].saturating_add(n);
        }
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// The index of a bucket, for which it makes room.
    fn place(&mut self, bucket: usize) -> usize {
        let i = bucket.wrapping_sub(self.base);
        if i < self.counts.len() { i } else { self.make_room(bucket) }
    }

    /// The number of times that were recorded.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The `q`-quantile in seconds: the smallest time with at least the share `q` (0 to 1) of all times at or
    /// below it. `None` where nothing was recorded.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let total: u64 = self.counts.iter().map(|&n| u64::from(n)).sum();
        let rank = ((q.clamp(0.0, 1.0) * total as f64).ceil() as u64).max(1);
        let mut below = 0;
        let i = self.counts.iter().position(|&n| {
            below += u64::from(n);
            below >= rank
        })?;
        // No time is outside of these.
        Some(middle(self.base + i).clamp(self.min as f64, self.max as f64) * 1e-9)
    }

    /// Moves the covered range so that it holds the bucket; the index of the bucket in it.
    #[cold]
    fn make_room(&mut self, bucket: usize) -> usize {
        let octave = bucket - bucket % SUB;
        if self.counts.is_empty() {
            self.base = octave;
        }
        if bucket < self.base {
            let more = (self.base - octave).min(BUCKETS - self.counts.len());
            self.counts.splice(0..0, std::iter::repeat_n(0, more));
            self.base -= more;
        } else {
            let dropped = (octave + SUB - self.base).saturating_sub(BUCKETS);
            let merged = self.counts.drain(..dropped.min(self.counts.len()));
            let smallest = merged.fold(0u32, u32::saturating_add);
            self.base += dropped;
            self.counts.resize(octave + SUB - self.base, 0);
            self.counts[0] = self.counts[0].saturating_add(smallest);
        }
        bucket.saturating_sub(self.base)
    }

    /// Bucket `i` is full: keeps the shares, at half the counts.
    #[cold]
    fn halve(&mut self, i: usize) {
        for n in &mut self.counts {
            *n = n.div_ceil(2);
        }
        self.counts[i] += 1;
    }
}

/// The bucket of a time of at least 1 ns: its octave, then the five bits after the leading one.
#[inline]
fn number(ns: u64) -> usize {
    let zeros = ns.leading_zeros();
    let octave = (u64::BITS - 1 - zeros) as usize;
    let sub = ((ns << zeros) >> (u64::BITS - 1 - SUB_BITS)) as usize & (SUB - 1);
    octave * SUB + sub
}

/// The middle of a bucket, in nanoseconds.
fn middle(bucket: usize) -> f64 {
    let (octave, sub) = (bucket / SUB, bucket % SUB);
    ((1u128 << octave) as f64) * (1.0 + (sub as f64 + 0.5) / SUB as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The quantile by its definition, from all the times.
    fn exact(times: &mut [u64], q: f64) -> f64 {
        times.sort_unstable();
        let rank = (q * times.len() as f64).ceil().max(1.0) as usize;
        times[rank - 1] as f64 * 1e-9
    }

    fn of(times: &[u64]) -> Histogram {
        let mut h = Histogram::default();
        times.iter().for_each(|&t| h.record(t));
        h
    }

    #[test]
    fn small_and_empty() {
        assert!(of(&[1, u64::MAX, 1]).counts.len() <= 2048 / size_of::<u32>());
        assert_eq!(Histogram::default().quantile(0.5), None);
        assert_eq!(of(&[20_000_000]).quantile(0.99), Some(0.02));
    }

    #[test]
    fn beyond_the_range_the_smallest_merge() {
        let mut times = vec![3; 10];
        times.extend([1_000_000_000; 90]);
        for _ in 0..2 {
            let h = of(&times);
            assert!((h.quantile(0.5).unwrap() - 1.0).abs() < 0.016);
            let lowest = h.quantile(0.05).unwrap();
            assert!(lowest < 1.0 / f64::from(1 << 13), "{lowest}");
            assert_eq!(h.count(), 100);
            times.reverse();
        }
        assert!(of(&[0, u64::MAX]).quantile(1.0).unwrap() > 1.8e10);
    }

    #[test]
    fn a_full_bucket_keeps_the_shares() {
        let mut h = of(&[1_000_000, 2_000_000]);
        let full = h.counts.iter().position(|&n| n > 0).unwrap();
        h.counts[full] = u32::MAX;
        let other = h.counts.iter().rposition(|&n| n > 0).unwrap();
        h.counts[other] = u32::MAX / 3; // a quarter of all
        h.record(1_000_000);
        assert!((h.quantile(0.74).unwrap() - 0.001).abs() < 2e-5);
        assert!((h.quantile(0.76).unwrap() - 0.002).abs() < 4e-5);
    }

    proptest! {
        #[test]
        fn within_two_percent_of_exact(
            base in 1e3..1e9f64,
            factors in prop::collection::vec(1.0..8000.0f64, 1..300),
            q in 0.0..=1.0f64,
        ) {
            let mut times: Vec<u64> = factors.iter().map(|f| (base * f) as u64).collect();
            let estimate = of(&times).quantile(q).unwrap();
            let exact = exact(&mut times, q);
            prop_assert!((estimate / exact - 1.0).abs() <= 1.0 / 64.0 + 1e-12, "{estimate} for {exact}");
        }

        #[test]
        fn merged_is_as_if_recorded_in_one(
            a in prop::collection::vec(1000u64..8_000_000, 0..50),
            b in prop::collection::vec(1000u64..8_000_000, 0..50),
            q in 0.0..=1.0f64,
        ) {
            let mut merged = of(&a);
            merged.merge(&of(&b));
            let all = of(&[a, b].concat());
            prop_assert_eq!((merged.count(), merged.quantile(q)), (all.count(), all.quantile(q)));
        }

        #[test]
        fn any_time_is_taken(times in prop::collection::vec(any::<u64>(), 1..50), q in any::<f64>()) {
            let h = of(&times);
            let v = h.quantile(q).unwrap() * 1e9;
            prop_assert!((1.0..=1.9e19).contains(&v));
            prop_assert_eq!(h.count(), times.len() as u64);
        }

        #[test]
        fn buckets_are_contiguous_and_narrow(ns in 1u64..u64::MAX) {
            let (here, next) = (number(ns), number(ns + 1));
            prop_assert!(next >= here);
            prop_assert!((middle(here) / ns as f64 - 1.0).abs() <= 1.0 / 64.0 + 1e-12);
        }
    }
}
