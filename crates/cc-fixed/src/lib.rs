//! The kernel's algorithms, run outside the kernel.
//!
//! The kernel has integers only. There each algorithm is a header of pure functions (`c/NAME.h`) over a
//! plain table of paths (`c/group.h`). This crate compiles the same headers natively and puts them
//! behind the contract of `multipath-cc`, so that the simulator runs `lia@kernel` beside `lia`, and a
//! test holds the two together step by step. It also reads tables as they lie in the kernel's maps.
//!
//! ```
//! use anabranch_cc_fixed::registry;
//!
//! let mut group = registry::find("lia@kernel").unwrap().group(&[]).unwrap();
//! let r = group.add_path(0.1, 10.0);
//! assert_eq!(group.path(r).cwnd, 10.0);
//! ```

mod algorithm;
mod group;
pub mod registry;
pub mod shared;
