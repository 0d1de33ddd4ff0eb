//! A connection's table in C, made safe.
//!
//! Why each call is sound: the memory is a zeroed or copied `struct ab_group` of the algorithm's own size,
//! aligned to words, and borrowed for the call; the row exists; the C code keeps no pointer and, of the
//! observables, writes at most the given number.

use crate::shared::{Ack, Functions, Group, PATHS, Pending, View};
use std::ptr;
use zerocopy::IntoBytes;

/// A `struct ab_group` of one algorithm. Rows beyond the table are ignored.
pub(crate) struct Table {
    functions: &'static Functions,
    /// In words, for the alignment.
    memory: Vec<u64>,
}

impl Table {
    pub fn new(functions: &'static Functions) -> Self {
        Table { functions, memory: vec![0; (functions.group_size as usize).div_ceil(8)] }
    }

    /// A copy of a table that lay elsewhere, such as in a map of the kernel's; `None` if the size is not this algorithm's.
    pub fn from_bytes(functions: &'static Functions, bytes: &[u8]) -> Option<Self> {
        let mut table = Table::new(functions);
        let own = &mut table.memory.as_mut_bytes()[..functions.group_size as usize];
        if own.len() != bytes.len() {
            return None;
        }
        own.copy_from_slice(bytes);
        Some(table)
    }

    /// As it would lie in a map of the kernel's.
    pub fn into_bytes(self) -> Vec<u8> {
        self.memory.as_bytes()[..self.functions.group_size as usize].to_vec()
    }

    pub fn added(&mut self, r: usize, owner: u64, cwnd: f64, srtt: u32) {
        // SAFETY: see the head of the file.
        self.change(r, |f, group, r| unsafe { (f.added)(group, r, owner, cwnd, srtt) });
    }

    pub fn removed(&mut self, r: usize) {
        // SAFETY: see the head of the file.
        self.change(r, |f, group, r| unsafe { (f.removed)(group, r) });
    }

    /// Without `pending` each acknowledgement is reported to the row at once.
    pub fn ack(&mut self, r: usize, pending: Option<&mut Pending>, ack: &Ack) {
        let pending = pending.map_or(ptr::null_mut(), ptr::from_mut);
        // SAFETY: see the head of the file.
        self.change(r, |f, group, r| unsafe { (f.ack)(group, r, pending, ack) });
    }

    pub fn congestion(&mut self, r: usize, pending: Option<&mut Pending>, now: u64) {
        let pending = pending.map_or(ptr::null_mut(), ptr::from_mut);
        // SAFETY: see the head of the file.
        self.change(r, |f, group, r| unsafe { (f.congestion)(group, r, pending, now) });
    }

    /// The last congestion was a timeout, or one has followed it.
    pub fn timed_out(&mut self, r: usize) {
        // SAFETY: see the head of the file.
        self.change(r, |f, group, r| unsafe { (f.timed_out)(group, r) });
    }

    pub fn spurious(&mut self, r: usize) {
        // SAFETY: see the head of the file.
        self.change(r, |f, group, r| unsafe { (f.spurious)(group, r) });
    }

    pub fn paused(&mut self, r: usize, now: u64) {
        // SAFETY: see the head of the file.
        self.change(r, |f, group, r| unsafe { (f.paused)(group, r, now) });
    }

    pub fn set(&mut self, r: usize, cwnd: f64, ssthresh: f64) {
        // SAFETY: see the head of the file.
        self.change(r, |f, group, r| unsafe { (f.set)(group, r, cwnd, ssthresh) });
    }

    /// Takes over the window from the kernel, in segments, as the kernel's glue does; returns whether it does.
    #[cfg(test)]
    fn adopt(&mut self, r: usize, cwnd: u32, ssthresh: u32) -> bool {
        let mut adopted = 0;
        // SAFETY: see the head of the file.
        self.change(r, |f, group, r| adopted = unsafe { (f.adopt)(group, r, cwnd, ssthresh) });
        adopted != 0
    }

    pub fn view(&self, r: usize) -> View {
        let mut view = View::default();
        if r < PATHS {
            // SAFETY: see the head of the file.
            unsafe { (self.functions.view)(self.memory.as_ptr().cast(), r as u32, &mut view) };
        }
        view
    }

    pub fn observe(&self, r: usize, now: u64, out: &mut [f64]) {
        if r < PATHS {
            // SAFETY: see the head of the file.
            unsafe {
                (self.functions.observe)(
                    self.memory.as_ptr().cast(),
                    r as u32,
                    now,
                    out.as_mut_ptr(),
                    out.len() as u32,
                )
            };
        }
    }

    /// Calls one of the functions that change a row.
    fn change(&mut self, r: usize, call: impl FnOnce(&Functions, *mut Group, u32)) {
        if r < PATHS {
            call(self.functions, self.memory.as_mut_ptr().cast(), r as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Table;
    use crate::registry::find_kernel;
    use crate::shared::{Ack, Samples};
    use proptest::prelude::*;

    /// The kernel's threshold before the first congestion (`TCP_INFINITE_SSTHRESH`).
    const INFINITE: u32 = 0x7fff_ffff;

    /// A path with this window that has had a round-trip time of 1 ms.
    fn table(cwnd: f64) -> Table {
        let mut table = Table::new(find_kernel("reno").unwrap().functions);
        table.added(0, 1, cwnd, 1000);
        table.ack(0, None, &Ack { rtt: Samples::one(1000), srtt: 1000, ..Ack::default() });
        table
    }

    fn seen(table: &Table) -> (f64, f64) {
        let view = table.view(0);
        (view.cwnd, view.ssthresh)
    }

    #[test]
    fn what_the_kernel_leaves_alone_keeps_its_fraction() {
        let mut table = table(43.75);
        assert!(table.adopt(0, 43, INFINITE));
        assert_eq!(seen(&table), (43.75, f64::INFINITY));
    }

    /// A restart after idleness: the initial window, and three quarters of the old one as threshold.
    #[test]
    fn a_smaller_window_is_taken_over() {
        let mut table = table(100.0);
        assert!(table.adopt(0, 10, 75));
        assert_eq!(seen(&table), (10.0, 75.0));
        assert!(table.adopt(0, 0, 75));
        assert_eq!(seen(&table).0, 1.0);
    }

    /// During recovery the kernel's window lies between the algorithm's and the one before (RFC 9937), and an undo
    /// of its own brings back window and threshold.
    #[test]
    fn what_was_before_the_last_congestion_returns() {
        let mut table = table(100.0);
        table.congestion(0, None, 0);
        assert_eq!(seen(&table), (50.0, 50.0));
        assert!(table.adopt(0, 80, 50));
        assert_eq!(seen(&table), (80.0, 50.0));
        assert!(table.adopt(0, 100, INFINITE));
        assert_eq!(seen(&table), (100.0, f64::INFINITY));
    }

    /// A probe of the MTU takes a segment of the window, and gives it back where it failed.
    #[test]
    fn a_segment_that_returns_is_taken_over() {
        let mut table = table(100.0);
        assert!(table.adopt(0, 99, INFINITE) && table.adopt(0, 100, INFINITE));
        assert_eq!(seen(&table), (100.0, f64::INFINITY));
    }

    /// Seen in the kernel: a threshold from the stack, and what proportional rate reduction makes of it.
    #[test]
    fn garbage_is_not_taken_over() {
        let mut table = table(43.75);
        assert!(!table.adopt(0, 2_114_969_676, 2_165_326_096));
        assert!(!table.adopt(0, 354_809, INFINITE) && !table.adopt(0, 43, 2_165_326_096));
        assert_eq!(seen(&table), (43.75, f64::INFINITY));
        table.congestion(0, None, 0);
        table.congestion(0, None, 0);
        assert_eq!(seen(&table), (10.9375, 10.9375));
        // Twice the largest window that is remembered, and no threshold where there was one before.
        assert!(!table.adopt(0, 44, 10) && !table.adopt(0, 10, 44) && !table.adopt(0, 10, INFINITE));
        assert_eq!(seen(&table), (10.9375, 10.9375));
    }

    proptest! {
        /// Whatever the kernel says: neither exceeds what was there before, but for a segment.
        #[test]
        fn nothing_grows(cwnd in 1.0..1e6f64, losses in 0..4u32, told in any::<(u32, u32)>()) {
            let mut table = table(cwnd);
            (0..losses).for_each(|_| table.congestion(0, None, 0));
            let before = seen(&table);
            let adopted = table.adopt(0, told.0, told.1);
            let after = seen(&table);
            prop_assert!(adopted || after == before);
            prop_assert!(after.0 <= cwnd + 1.0 && (after.1 <= f64::from(1 << 20) || after.1.is_infinite()));
        }
    }
}
