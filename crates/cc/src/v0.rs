//! The arithmetic of out-of-tree MPTCP (v0.9x), which the papers before 2022 ran. `NAME@v0` is the algorithm
//! `NAME` with the parameters set as in that kernel.

use crate::aimd;
use crate::entry::{Param, Value};

/// `mptcp_*_cong_avoid` adds one to its count per call, and is called once per acknowledgement.
pub(crate) const COUNT: Param = Param { default: Value::Word("acks"), ..aimd::COUNT };

/// BALIA's smallest threshold there.
pub(crate) const FLOOR: Param = Param { default: Value::Number(1.0), ..aimd::FLOOR };

/// The interpretation of all of them.
pub(crate) const INTERPRETATION: &str = "The algorithm without @v0, with the defaults of the out-of-tree MPTCP kernel, from its sources. Windows and times stay real numbers. An idle path counts in that kernel, but not here.";

pub(crate) const LIA: &str = "The kernel counts acknowledgements and has alpha/sum w as an integer number of 1/4096, at least one. It updates that in slow start, with each step of a window, after a timeout and after recovery; here it is always current.";

pub(crate) const OLIA: &str = "The kernel adds multiples of 1/1024 segment per acknowledgement: with two equal paths, zero for windows above 256. Its smallest threshold is Reno's, two segments; whether the draft asks for one is not verified.";

pub(crate) const BALIA: &str = "The kernel counts acknowledgements, its alpha is an integer quotient in the decrease, and its smallest threshold is one segment (`mptcp_balia_ssthresh`); whether the draft asks for that is not verified.";

pub(crate) const WVEGAS: &str = "Modelled of the module (`mptcp_wvegas.c`): it takes the smallest RTT - base over all judged rounds, and does not judge a round with two samples or fewer. Not modelled: a judged round lifts the threshold to 3/4 of the window, so that slow start leads back there after a drain; slow start grows in every round; recovery, and any other state than Open, forgets weight, alpha_r and rate at its end and grows as Reno meanwhile; a restart after a pause forgets base; the window grows though it is not used; diff, alpha_r, rates and windows are integers, and a sample is 1 us longer. The cost of a drain here is therefore not shown for the module.";

pub(crate) const COUPLED_CUBIC: &str = "The authors changed that kernel's LIA, which counts acknowledgements. Their own arithmetic is not published.";
