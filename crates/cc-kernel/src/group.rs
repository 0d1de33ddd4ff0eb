//! A connection's table in C, made safe.
//!
//! Why each call is sound: the memory is a zeroed or copied `struct ab_group` of the algorithm's own size,
//! aligned to words, and borrowed for the call; the row exists; the C code keeps no pointer and, of the
//! observables, writes as many as it is told there is room for.

use crate::native::{Ack, Functions, PATHS, View};

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

    /// A copy of a table that lay elsewhere, such as in a map of the kernel's; `None` where the size is
    /// not that of this algorithm's.
    pub fn from_bytes(functions: &'static Functions, bytes: &[u8]) -> Option<Self> {
        if bytes.len() as u64 != functions.group_size {
            return None;
        }
        let word = |chunk: &[u8]| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        };
        Some(Table { functions, memory: bytes.chunks(8).map(word).collect() })
    }

    /// As it would lie in a map of the kernel's.
    pub fn into_bytes(self) -> Vec<u8> {
        let bytes = self.memory.into_iter().flat_map(u64::to_ne_bytes);
        bytes.take(self.functions.group_size as usize).collect()
    }

    pub fn added(&mut self, r: usize, owner: u64, cwnd: f64, srtt: u32) {
        // SAFETY: see the head of the file.
        self.change(r, |f, group, r| unsafe { (f.added)(group, r, owner, cwnd, srtt) });
    }

    pub fn removed(&mut self, r: usize) {
        // SAFETY: see the head of the file.
        self.change(r, |f, group, r| unsafe { (f.removed)(group, r) });
    }

    pub fn ack(&mut self, r: usize, ack: &Ack) {
        // SAFETY: see the head of the file.
        self.change(r, |f, group, r| unsafe { (f.ack)(group, r, ack) });
    }

    pub fn congestion(&mut self, r: usize, now: u64, timeout: bool) {
        // SAFETY: see the head of the file.
        self.change(r, |f, group, r| unsafe { (f.congestion)(group, r, now, timeout.into()) });
    }

    pub fn spurious(&mut self, r: usize) {
        // SAFETY: see the head of the file.
        self.change(r, |f, group, r| unsafe { (f.spurious)(group, r) });
    }

    pub fn set(&mut self, r: usize, cwnd: f64, ssthresh: f64) {
        // SAFETY: see the head of the file.
        self.change(r, |f, group, r| unsafe { (f.set)(group, r, cwnd, ssthresh) });
    }

    pub fn view(&self, r: usize) -> View {
        let mut view = View::default();
        if r < PATHS {
            // SAFETY: see the head of the file.
            unsafe { (self.functions.view)(self.memory.as_ptr().cast(), r as u32, &mut view) };
        }
        view
    }

    pub fn observe(&self, r: usize, out: &mut [f64]) {
        if r < PATHS {
            // SAFETY: see the head of the file.
            unsafe {
                (self.functions.observe)(
                    self.memory.as_ptr().cast(),
                    r as u32,
                    out.as_mut_ptr(),
                    out.len() as u32,
                )
            };
        }
    }

    /// Calls one of the functions that change a row.
    fn change(&mut self, r: usize, call: impl FnOnce(&Functions, *mut std::ffi::c_void, u32)) {
        if r < PATHS {
            call(self.functions, self.memory.as_mut_ptr().cast(), r as u32);
        }
    }
}
