//! Active queue management: dropping or marking before a queue is full (RFC 7567).
//!
//! [`Red`] and [`Pie`] decide when a packet arrives, [`CoDel`] and [`FqCoDel`] when it leaves the queue.

mod codel;
mod fair;
mod longest;
mod pie;
mod red;

pub(crate) use codel::{Control, Departure};
pub(crate) use fair::Fair;
pub(crate) use pie::Controller;
pub(crate) use red::Average;

use crate::Time;

/// A full packet, in bytes: the MTU that the disciplines' constants refer to.
pub(crate) const FULL_PACKET: u32 = 1500;

/// Random early detection (Floyd and Jacobson, IEEE/ACM Transactions on Networking 1993; RFC 2309).
///
/// The defaults are those of Floyd's notes on setting parameters (1997) and on gentle RED (2000), and of ns-2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Red {
    /// Below this average nothing is dropped: packets, or bytes.
    pub min: f64,
    /// At this average the probability reaches `max_probability`; in the unit of `min`, and larger.
    pub max: f64,
    /// Whether the two count bytes.
    pub bytes: bool,
    /// The probability at `max`, 0 to 1.
    pub max_probability: f64,
    /// Weight of a new sample in the average, 0 to 1.
    pub weight: f64,
    /// Beyond `max` the probability rises to 1 at twice `max`, instead of jumping there.
    pub gentle: bool,
    /// Mark ECN-capable packets instead of dropping them, while the average is at most `max` (RFC 3168 §7).
    pub ecn: bool,
}

impl Default for Red {
    fn default() -> Self {
        Red {
            min: 5.0,
            max: 15.0,
            bytes: false,
            max_probability: 0.1,
            weight: 0.002,
            gentle: true,
            ecn: false,
        }
    }
}

/// Controlled delay (RFC 8289).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoDel {
    /// The waiting time that is acceptable as a standing one.
    pub target: Time,
    /// A waiting time above the target must last that long before it counts; a round-trip time or more.
    pub interval: Time,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
}

impl Default for CoDel {
    /// RFC 8289 §4.2 and §4.3.
    fn default() -> Self {
        CoDel { target: Time::from_millis(5), interval: Time::from_millis(100), ecn: false }
    }
}

/// Proportional integral controller, enhanced (RFC 8033).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pie {
    /// The waiting time aimed at, QDELAY_REF.
    pub target: Time,
    /// Time between updates of the probability, T_UPDATE; positive.
    pub update: Time,
    /// Weight of the deviation from the target, per second.
    pub alpha: f64,
    /// Weight of the waiting time's change, per second.
    pub beta: f64,
    /// Bursts of that length pass, MAX_BURST.
    pub max_burst: Time,
    /// Mark ECN-capable packets instead of dropping them, while the probability is at most 0.1 (§5.1).
    pub ecn: bool,
}

impl Default for Pie {
    /// RFC 8033 §4.2 and §4.4.
    fn default() -> Self {
        Pie {
            target: Time::from_millis(15),
            update: Time::from_millis(15),
            alpha: 0.125,
            beta: 1.25,
            max_burst: Time::from_millis(150),
            ecn: false,
        }
    }
}

/// Flow queues under CoDel, served by deficit round robin, new flows first (RFC 8290).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FqCoDel {
    /// The management of each queue.
    pub codel: CoDel,
    /// How many queues; flows are hashed to them. Positive.
    pub queues: u32,
    /// Bytes that a queue may send in its turn; positive.
    pub quantum: u32,
}

impl Default for FqCoDel {
    /// RFC 8290 §5.2. Its quantum of 1514 bytes counts an Ethernet header; links count at IP level.
    fn default() -> Self {
        FqCoDel { codel: CoDel::default(), queues: 1024, quantum: FULL_PACKET }
    }
}

/// What is decided about a packet that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Accept,
    Mark,
    Drop,
}

impl Verdict {
    /// A mark where the packet can carry one, else a drop.
    pub fn congestion(mark: bool) -> Verdict {
        if mark { Verdict::Mark } else { Verdict::Drop }
    }
}
