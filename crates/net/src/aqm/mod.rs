//! Queue disciplines: the list of them, one file and one line each. Those beside drop-tail drop or mark before a queue is full
//! (RFC 7567); some decide when a packet arrives, others when it leaves the queue.

mod longest;

use crate::fine::Fine;
use crate::law::{Law, Refusal, Value};
use crate::store::Store;
use crate::{Arrival, Time, Waiting};

/// A full packet, in bytes: the MTU that the disciplines' constants refer to.
pub(crate) const FULL_PACKET: u32 = 1500;

/// The random processes of queues that decide at arrival have a seed of their own.
const QUEUE_SEED: u64 = 0x7175_6575_6520_7072;

/// A discipline's parameters.
pub(crate) trait Rule: Sized {
    /// It at work.
    type AtWork;

    /// In a link at time 0; the seed and stream are those of the link.
    fn start(self, seed: u64, stream: u64) -> Self::AtWork;

    /// Checks the parameters together, of which these values were given, and derives the others.
    fn complete(self, _values: &[Option<Value>]) -> Result<Self, Refusal> {
        Ok(self)
    }

    /// The waiting time at which it holds the queue; none where that depends on what else it drops.
    fn target(&self) -> Option<Time>;

    /// How many queues it keeps for flows.
    fn flow_queues(&self) -> u32 {
        0
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

/// What a packet finds that arrives, or an update.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    pub waiting: Waiting,
    /// How long nothing has been transmitted.
    pub idle: Fine,
    /// Of the link, in bits per second.
    pub rate_bps: f64,
    pub ecn_capable: bool,
}

/// A rule for packets before the queue is full, at work.
pub(crate) trait Arrives {
    fn arrive(&mut self, found: &Found) -> Verdict;

    /// When [`Arrives::update`] is due.
    fn next_update(&self) -> Time {
        Time::NEVER
    }

    /// At its instant; updates are wanted up to `now`, and find the same up to `same_until`.
    fn update(&mut self, _: &Found, _now: Time, _same_until: Time) {}

    /// The queue was full, and a packet dropped.
    fn dropped(&mut self) {}
}

/// A packet to be transmitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departure {
    pub ticket: u32,
    pub size: u32,
    pub marked: bool,
}

/// A rule for packets that leave the queue, at work.
trait Departs {
    /// Whether a packet that finds the queue full is dropped; else others give way to it.
    const TAIL_DROP: bool;

    /// A packet waits from now on; its ticket.
    fn push(&mut self, store: &mut Store, now: Time, packet: Arrival) -> u32;

    /// Takes the next packet to transmit; those dropped before it are noted in the store. `None`: nothing waits.
    fn dequeue(&mut self, store: &mut Store, now: Time) -> Option<Departure>;

    /// Takes a packet that gives way: ticket and size.
    fn take(&mut self, store: &mut Store, now: Time) -> Option<(u32, u32)>;
}

/// Marks ECN-capable packets that find so many bytes waiting.
#[derive(Clone, Debug)]
pub(crate) struct Threshold(u64);

impl Arrives for Threshold {
    fn arrive(&mut self, found: &Found) -> Verdict {
        if found.ecn_capable && found.waiting.bytes >= self.0 { Verdict::Mark } else { Verdict::Accept }
    }
}

const DROP_TAIL: Law = Law {
    name: "drop-tail",
    title: "drop-tail",
    meaning: "Drops only packets that find the queue full: as without `aqm`.",
    params: &[],
};

/// Of each discipline its file and its parameters.
macro_rules! disciplines {
    (
        at arrival: { $($early:ident: $Early:ident;)* }
        at departure: { $($late:ident: $Late:ident;)* }
    ) => {
        $(mod $early; pub use $early::$Early;)*
        $(mod $late; pub use $late::$Late;)*
        disciplines! { all $($Early)* $($Late)* }

        /// A discipline that decides at arrival, at work.
        #[derive(Clone, Debug)]
        pub(crate) enum AtArrival { Threshold(Threshold), $($Early(<$Early as Rule>::AtWork),)* }

        impl AtArrival {
            pub fn arrive(&mut self, found: &Found) -> Verdict {
                match self { Self::Threshold(rule) => rule.arrive(found), $(Self::$Early(rule) => rule.arrive(found),)* }
            }

            /// For what does not come with each packet.
            pub fn rule(&mut self) -> &mut dyn Arrives {
                match self { Self::Threshold(rule) => rule, $(Self::$Early(rule) => rule,)* }
            }
        }

        /// A discipline that decides at departure, at work.
        #[derive(Clone, Debug)]
        pub(crate) enum AtDeparture { $($Late(<$Late as Rule>::AtWork),)* }

        impl AtDeparture {
            pub fn is_tail_drop(&self) -> bool {
                match self { $(Self::$Late(_) => <<$Late as Rule>::AtWork as Departs>::TAIL_DROP,)* }
            }

            pub fn push(&mut self, store: &mut Store, now: Time, packet: Arrival) -> u32 {
                match self { $(Self::$Late(rule) => rule.push(store, now, packet),)* }
            }

            pub fn dequeue(&mut self, store: &mut Store, now: Time) -> Option<Departure> {
                match self { $(Self::$Late(rule) => rule.dequeue(store, now),)* }
            }

            pub fn take(&mut self, store: &mut Store, now: Time) -> Option<(u32, u32)> {
                match self { $(Self::$Late(rule) => rule.take(store, now),)* }
            }
        }

        impl Discipline {
            /// It at work in a link at time 0.
            pub(crate) fn start(self, seed: u64, stream: u64) -> AtWork {
                match self {
                    Discipline::DropTail { ecn_threshold_bytes: threshold } => {
                        AtWork::Arrival(threshold.map(|bytes| AtArrival::Threshold(Threshold(bytes))))
                    }
                    $(Self::$Early(rule) => AtWork::Arrival(Some(AtArrival::$Early(rule.start(seed, stream)))),)*
                    $(Self::$Late(rule) => AtWork::Departure(AtDeparture::$Late(rule.start(seed, stream))),)*
                }
            }
        }
    };
    (all $($name:ident)*) => {
        /// A queue discipline and its parameters.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[expect(missing_docs, reason = "each has the documentation of its parameters")]
        pub enum Discipline {
            /// Packets that find the queue full are dropped, and no others.
            DropTail {
                /// ECN-capable packets (RFC 3168) that find this many bytes waiting are marked; `None`: no packet is.
                ecn_threshold_bytes: Option<u64>,
            },
            $($name($name),)*
        }

        $(impl Default for $name {
            fn default() -> Self {
                $name::given(&[]).expect("every parameter of a discipline has a default")
            }
        })*

        impl Discipline {
            /// Every discipline.
            pub const ALL: &[&Law] = &[&DROP_TAIL, $($name::LAW),*];

            /// The discipline of that name, or drop-tail, with these values.
            ///
            /// # Errors
            /// The values do not go together.
            pub fn new(name: &str, values: &[Option<Value>]) -> Result<Discipline, Refusal> {
                $(if name == $name::LAW.name {
                    let given = $name::given(values).unwrap_or_default();
                    return given.complete(values).map(Discipline::$name);
                })*
                Ok(Discipline::default())
            }

            /// The discipline, and the values of its parameters.
            pub fn law(&self) -> (&'static Law, Vec<Value>) {
                match self {
                    Self::DropTail { .. } => (&DROP_TAIL, Vec::new()),
                    $(Self::$name(rule) => rule.law(),)*
                }
            }

            /// The waiting time at which it holds the queue, if it does.
            pub fn target(&self) -> Option<Time> {
                match self { Self::DropTail { .. } => None, $(Self::$name(rule) => rule.target(),)* }
            }

            /// How many queues it keeps for flows.
            pub fn flow_queues(&self) -> u32 {
                match self { Self::DropTail { .. } => 0, $(Self::$name(rule) => rule.flow_queues(),)* }
            }
        }
    };
}

disciplines! {
    at arrival: {
        red: Red;
        pie: Pie;
    }
    at departure: {
        codel: CoDel;
        fair: FqCoDel;
    }
}

/// A discipline at work.
pub(crate) enum AtWork {
    /// None: drop-tail.
    Arrival(Option<AtArrival>),
    Departure(AtDeparture),
}

impl Default for Discipline {
    /// Drop-tail without marks.
    fn default() -> Self {
        Discipline::DropTail { ecn_threshold_bytes: None }
    }
}
