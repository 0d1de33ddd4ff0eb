//! Sets of sequence numbers as sorted, disjoint, non-adjacent ranges, for SACK.

use crate::packet::{SACK_BLOCKS, widen};
use std::collections::VecDeque;

/// Ranges to look at from the end before a search: one more than a SACK option reports.
const NEWEST: usize = SACK_BLOCKS + 1;

/// A half-open range of sequence numbers.
pub(crate) type Range = (u64, u64);

/// A set of sequence numbers. There are as many ranges as holes, few even in large windows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranges {
    /// Modulo 2³², as the recoveries of many flows are much of their memory.
    held: VecDeque<(u32, u32)>,
    /// A number near all of these: see [`widen`].
    near: u64,
}

impl Ranges {
    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    #[inline]
    fn wide(&self, (start, end): (u32, u32)) -> Range {
        (widen(self.near, start), widen(self.near, end))
    }

    #[inline]
    fn get(&self, i: usize) -> Option<Range> {
        self.held.get(i).map(|range| self.wide(*range))
    }

    /// The index behind the ranges of which `is_before` holds. It is mostly one of the last, since what arrives behind holes is the
    /// newest.
    #[inline]
    fn behind(&self, is_before: impl Fn(&Range) -> bool) -> usize {
        let is_before = |range: &(u32, u32)| is_before(&self.wide(*range));
        let (older, newer) = self.held.as_slices();
        let newest = if newer.is_empty() { older } else { newer };
        match newest.iter().rev().take(NEWEST).position(is_before) {
            Some(i) => self.held.len() - i,
            None if self.held.len() <= NEWEST.min(newest.len()) => 0,
            None => self.held.partition_point(is_before),
        }
    }

    /// Whether it holds all of `range`.
    #[inline]
    pub(crate) fn holds(&self, range: Range) -> bool {
        let held = self.get(self.behind(|r| r.1 < range.1));
        range.0 >= range.1 || held.is_some_and(|held| held.0 <= range.0)
    }

    /// One past the largest member.
    #[cfg(test)]
    pub(crate) fn end(&self) -> Option<u64> {
        self.held.back().map(|range| self.wide(*range).1)
    }

    /// Adds `range` and calls `new` with each subrange that was not in the set. Returns the range that then holds it.
    pub(crate) fn add(&mut self, range: Range, mut new: impl FnMut(Range)) -> Range {
        let (mut low, mut high) = range;
        if low >= high {
            return range;
        }
        self.near = low;
        // Ranges first..last touch or overlap the new one.
        let first = self.behind(|r| r.1 < low);
        let mut at = low;
        let mut last = first;
        while let Some((s, e)) = self.get(last).filter(|r| r.0 <= high) {
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
        let range = (low as u32, high as u32);
        match last - first {
            0 => self.held.insert(first, range),
            1 => self.held[first] = range,
            _ => {
                self.held[first] = range;
                self.held.drain(first + 1..last);
            }
        }
        (low, high)
    }

    pub(crate) fn forget_below(&mut self, n: u64) {
        self.near = n;
        while let Some((start, end)) = self.get(0) {
            if end > n {
                self.held[0].0 = start.max(n) as u32;
                return;
            }
            self.held.pop_front();
        }
    }

    /// Removes the range that starts at `n` and returns its end, or `n` if there is no such range.
    #[inline]
    pub(crate) fn take_from(&mut self, n: u64) -> u64 {
        match self.get(0) {
            Some((s, e)) if s == n => {
                self.held.pop_front();
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
            const FROM: u64 = (1 << 32) - 100; // so that some numbers exceed 32 bits
            let (mut ranges, mut plain) = (Ranges::default(), BTreeSet::new());
            let mut floor = FROM;
            for (start, len, cut) in ops {
                let start = FROM + start;
                let range = (start.max(floor), (start + len).max(floor));
                let mut reported = BTreeSet::new();
                let held = ranges.add(range, |(s, e)| reported.extend(s..e));
                let all = |ranges: &Ranges| (0..).map_while(|i| ranges.get(i)).collect::<Vec<_>>();
                prop_assert!(range.0 >= range.1 || all(&ranges).contains(&held) && held.0 <= range.0 && range.1 <= held.1);
                let fresh: BTreeSet<u64> = (range.0..range.1).filter(|n| plain.insert(*n)).collect();
                prop_assert_eq!(reported, fresh);
                if cut < 10 {
                    floor = floor.max(FROM + cut * 4);
                    ranges.forget_below(floor);
                    plain.retain(|n| *n >= floor);
                }
                for n in FROM..FROM + 210 {
                    prop_assert_eq!(ranges.holds((n, n + 1)), plain.contains(&n));
                }
                let all = all(&ranges);
                let separate = all.iter().zip(all.iter().skip(1)).all(|(a, b)| a.1 < b.0);
                prop_assert!(separate && all.iter().all(|r| r.0 < r.1));
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
