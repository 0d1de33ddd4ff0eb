//! Sets of sequence numbers as sorted, disjoint, non-adjacent ranges, for SACK.

use crate::packet::SACK_BLOCKS;
use std::collections::VecDeque;

/// Ranges to look at from the end before a search: one more than a SACK option reports.
const NEWEST: usize = SACK_BLOCKS + 1;

/// A half-open range of sequence numbers.
pub(crate) type Range = (u64, u64);

/// A set of sequence numbers. There are as many ranges as holes, few even in large windows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranges(VecDeque<Range>);

impl Ranges {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The index behind the ranges of which `is_before` holds. It is mostly one of the last, since what arrives behind holes is the
    /// newest.
    #[inline]
    fn behind(&self, is_before: impl Fn(&Range) -> bool) -> usize {
        let oldest = self.0.len().saturating_sub(NEWEST);
        match (oldest..self.0.len()).rev().find(|i| is_before(&self.0[*i])) {
            Some(i) => i + 1,
            None if oldest == 0 => 0,
            None => self.0.partition_point(is_before),
        }
    }

    /// Whether it holds all of `range`.
    #[inline]
    pub(crate) fn holds(&self, range: Range) -> bool {
        let held = self.0.get(self.behind(|r| r.1 < range.1));
        range.0 >= range.1 || held.is_some_and(|held| held.0 <= range.0)
    }

    /// One past the largest member.
    #[cfg(test)]
    pub(crate) fn end(&self) -> Option<u64> {
        self.0.back().map(|r| r.1)
    }

    /// Adds `range` and calls `new` with each subrange that was not in the set. Returns the range that then holds it.
    pub(crate) fn add(&mut self, range: Range, mut new: impl FnMut(Range)) -> Range {
        let (mut low, mut high) = range;
        if low >= high {
            return range;
        }
        // Ranges first..last touch or overlap the new one.
        let first = self.behind(|r| r.1 < low);
        let mut at = low;
        let mut last = first;
        while let Some(&(s, e)) = self.0.get(last).filter(|r| r.0 <= high) {
            if at < s {
                new((at, s));
            }
            at = at.max(e);
            low = low.min(s);
            last += 1;
        }
        if at < high {
            new((at, high));
        }
        high = high.max(at);
        match last - first {
            0 => self.0.insert(first, (low, high)),
            1 => self.0[first] = (low, high),
            _ => {
                self.0[first] = (low, high);
                self.0.drain(first + 1..last);
            }
        }
        (low, high)
    }

    /// Removes everything below `n`.
    pub(crate) fn forget_below(&mut self, n: u64) {
        while let Some(front) = self.0.front_mut() {
            if front.1 > n {
                front.0 = front.0.max(n);
                return;
            }
            self.0.pop_front();
        }
    }

    /// Removes the range that starts at `n` and returns its end, or `n` if there is no such range.
    #[inline]
    pub(crate) fn take_from(&mut self, n: u64) -> u64 {
        match self.0.front() {
            Some(&(s, e)) if s == n => {
                self.0.pop_front();
                e
            }
            _ => n,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn agrees_with_a_plain_set(ops in prop::collection::vec((0u64..200, 0u64..8, 0u64..60), 1..60)) {
            let (mut ranges, mut plain) = (Ranges::default(), BTreeSet::new());
            let mut floor = 0;
            for (start, len, cut) in ops {
                let range = (start.max(floor), (start + len).max(floor));
                let mut reported = BTreeSet::new();
                let held = ranges.add(range, |(s, e)| reported.extend(s..e));
                prop_assert!(range.0 >= range.1 || ranges.0.contains(&held) && held.0 <= range.0 && range.1 <= held.1);
                let fresh: BTreeSet<u64> = (range.0..range.1).filter(|n| plain.insert(*n)).collect();
                prop_assert_eq!(reported, fresh);
                if cut < 10 {
                    floor = floor.max(cut * 4);
                    ranges.forget_below(floor);
                    plain.retain(|n| *n >= floor);
                }
                for n in 0..210 {
                    prop_assert_eq!(ranges.holds((n, n + 1)), plain.contains(&n));
                }
                let separate = ranges.0.iter().zip(ranges.0.iter().skip(1)).all(|(a, b)| a.1 < b.0);
                prop_assert!(separate && ranges.0.iter().all(|r| r.0 < r.1));
                prop_assert_eq!(ranges.end(), plain.last().map(|n| n + 1));
            }
        }
    }

    #[test]
    fn takes_the_range_at_the_edge_only() {
        let mut ranges = Ranges::default();
        ranges.add((5, 8), |_| ());
        assert_eq!(ranges.take_from(4), 4);
        assert_eq!(ranges.take_from(5), 8);
        assert!(ranges.is_empty());
    }
}
