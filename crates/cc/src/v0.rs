//! The arithmetic of the retired kernel: the out-of-tree MPTCP v0 that the papers before 2022 ran. `NAME@v0`
//! is the algorithm `NAME` with the parameters set to what that kernel does.

use crate::aimd;
use crate::registry::{Param, Value};

/// `mptcp_*_cong_avoid` adds one to its count per call, and is called once per acknowledgement.
pub(crate) const COUNT: Param = Param { default: Value::Word("acks"), ..aimd::COUNT };

/// BALIA's least threshold there.
pub(crate) const FLOOR: Param = Param { default: Value::Number(1.0), ..aimd::FLOOR };

/// What all of them are.
pub(crate) const READING: &str = "The algorithm without @v0 with other defaults: those of the out-of-tree MPTCP kernel, as read in its sources. Windows and times stay real numbers. An idle path counts in that kernel, and not here.";

/// LIA there.
pub(crate) const LIA: &str = "The kernel counts acknowledgements and has alpha/sum w as an integer number of 1/4096, at least one. It renews that in slow start, with each step of a window, after a timeout and after recovery; here it is always current.";

/// OLIA there.
pub(crate) const OLIA: &str = "The kernel adds whole parts of 1/1024 segment per acknowledgement: with two alike paths none at windows of more than 256. Its least threshold is Reno's, two segments.";

/// BALIA there.
pub(crate) const BALIA: &str = "The kernel counts acknowledgements, its alpha is an integer quotient in the decrease, and its least threshold is one segment.";

/// wVegas there.
pub(crate) const WVEGAS: &str = "The module takes the smallest RTT - base over all judged rounds, and a round with two samples or fewer is not judged.";

/// Coupled CUBIC there.
pub(crate) const COUPLED_CUBIC: &str = "The authors changed that kernel's LIA, which counts acknowledgements. Their own arithmetic is not published.";
