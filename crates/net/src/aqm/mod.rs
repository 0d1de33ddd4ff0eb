//! The list of queue disciplines, one file and one line each. All but drop-tail drop or mark before the queue is full
//! (RFC 7567), some when a packet arrives, others when it leaves the queue.

mod longest;

use crate::fine_time::FineTime;
use crate::model_spec::{ModelSpec, ParamConflict, Value};
use crate::store::Store;
use crate::{Arrival, Time, Waiting};

/// A full packet, in bytes: the MTU that the disciplines' constants refer to.
pub(crate) const FULL_PACKET: u32 = 1500;

/// Seed of the random processes of disciplines that decide at arrival.
const QUEUE_SEED: u64 = 0x7175_6575_6520_7072;

pub(crate) trait DisciplineParams: Sized {
    /// The running discipline.
    type State;

    /// Starts it at time 0, with the link's seed and stream.
    fn start(self, seed: u64, stream: u64) -> Self::State;

    /// Checks the given values against each other and derives the other parameters.
    fn complete(self, _values: &[Option<Value>]) -> Result<Self, ParamConflict> {
        Ok(self)
    }

    /// The waiting time at which it holds the queue; `None` if it has no such target.
    fn target(&self) -> Option<Time> {
        None
    }

    /// Number of flow queues.
    fn flow_queues(&self) -> u32 {
        0
    }
}

/// The decision about an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Accept,
    Mark,
    Drop,
}

impl Verdict {
    /// A mark if `mark`, else a drop.
    pub fn congestion(mark: bool) -> Verdict {
        if mark { Verdict::Mark } else { Verdict::Drop }
    }
}

/// The link's state at an arrival or an update.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QueueView {
    pub waiting: Waiting,
    /// Time since the last transmission ended.
    pub idle: FineTime,
    /// The link's rate, in bits per second.
    pub rate_bps: f64,
    pub ecn_capable: bool,
}

/// A running discipline that decides at arrival.
pub(crate) trait EnqueueRule {
    fn arrive(&mut self, view: &QueueView) -> Verdict;

    /// When [`EnqueueRule::update`] is due.
    fn next_update(&self) -> Time {
        Time::NEVER
    }

    /// The update at its instant. The caller wants all updates up to `now`; the view is the same up to `same_until`.
    fn update(&mut self, _: &QueueView, _now: Time, _same_until: Time) {}

    /// The queue was full, and a packet was dropped.
    fn dropped(&mut self) {}
}

/// A packet to be transmitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departure {
    pub ticket: u32,
    pub size: u32,
    pub marked: bool,
}

/// A running discipline that decides when a packet leaves the queue.
trait DequeueRule {
    /// Whether a packet that finds the queue full is dropped; if not, another one is.
    const TAIL_DROP: bool;

    /// Enqueues a packet and returns its ticket.
    fn push(&mut self, store: &mut Store, now: Time, packet: Arrival) -> u32;

    /// Takes the next packet to transmit, and reports drops before it to the store. `None` if the queue is empty.
    fn dequeue(&mut self, store: &mut Store, now: Time) -> Option<Departure>;

    /// Takes a packet to be dropped: ticket and size.
    fn evict(&mut self, store: &mut Store, now: Time) -> Option<(u32, u32)>;
}

/// Marks ECN-capable packets that find at least this many bytes waiting.
#[derive(Clone, Debug)]
pub(crate) struct Threshold(u64);

impl EnqueueRule for Threshold {
    fn arrive(&mut self, view: &QueueView) -> Verdict {
        if view.ecn_capable && view.waiting.bytes >= self.0 { Verdict::Mark } else { Verdict::Accept }
    }
}

const DROP_TAIL: ModelSpec = ModelSpec {
    name: "drop-tail",
    title: "drop-tail",
    meaning: "Drops only packets that find the queue full, as without `aqm`.",
    params: &[],
};

/// Lists each discipline: its file and its parameters.
macro_rules! disciplines {
    (
        at arrival: { $($early:ident: $Early:ident;)* }
        at departure: { $($late:ident: $Late:ident;)* }
    ) => {
        $(mod $early; pub use $early::$Early;)*
        $(mod $late; pub use $late::$Late;)*
        disciplines! { all $($Early)* $($Late)* }

        /// A running discipline that decides at arrival.
        #[derive(Clone, Debug)]
        pub(crate) enum EnqueueDiscipline { Threshold(Threshold), $($Early(<$Early as DisciplineParams>::State),)* }

        impl EnqueueDiscipline {
            pub fn arrive(&mut self, view: &QueueView) -> Verdict {
                match self { Self::Threshold(rule) => rule.arrive(view), $(Self::$Early(rule) => rule.arrive(view),)* }
            }

            /// The discipline as a trait object, for calls that are not made for each packet.
            pub fn rule(&mut self) -> &mut dyn EnqueueRule {
                match self { Self::Threshold(rule) => rule, $(Self::$Early(rule) => rule,)* }
            }
        }

        /// A running discipline that decides when a packet leaves the queue.
        #[derive(Clone, Debug)]
        pub(crate) enum DequeueDiscipline { $($Late(<$Late as DisciplineParams>::State),)* }

        impl DequeueDiscipline {
            pub fn is_tail_drop(&self) -> bool {
                match self { $(Self::$Late(_) => <<$Late as DisciplineParams>::State as DequeueRule>::TAIL_DROP,)* }
            }

            pub fn push(&mut self, store: &mut Store, now: Time, packet: Arrival) -> u32 {
                match self { $(Self::$Late(rule) => rule.push(store, now, packet),)* }
            }

            pub fn dequeue(&mut self, store: &mut Store, now: Time) -> Option<Departure> {
                match self { $(Self::$Late(rule) => rule.dequeue(store, now),)* }
            }

            pub fn evict(&mut self, store: &mut Store, now: Time) -> Option<(u32, u32)> {
                match self { $(Self::$Late(rule) => rule.evict(store, now),)* }
            }
        }

        impl Discipline {
            /// Starts it in a link at time 0.
            pub(crate) fn start(self, seed: u64, stream: u64) -> ActiveDiscipline {
                match self {
                    Discipline::DropTail { ecn_threshold_bytes: threshold } => {
                        ActiveDiscipline::Enqueue(threshold.map(|bytes| EnqueueDiscipline::Threshold(Threshold(bytes))))
                    }
                    $(Self::$Early(rule) => ActiveDiscipline::Enqueue(Some(EnqueueDiscipline::$Early(rule.start(seed, stream)))),)*
                    $(Self::$Late(rule) => ActiveDiscipline::Dequeue(DequeueDiscipline::$Late(rule.start(seed, stream))),)*
                }
            }
        }
    };
    (all $($name:ident)*) => {
        /// A queue discipline and its parameters.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[expect(missing_docs, reason = "each has the documentation of its parameters")]
        pub enum Discipline {
            /// Drops only packets that find the queue full.
            DropTail {
                /// Marks ECN-capable packets (RFC 3168) that find this many bytes waiting; `None`: marks no packet.
                ecn_threshold_bytes: Option<u64>,
            },
            $($name($name),)*
        }

        $(impl Default for $name {
            fn default() -> Self {
                $name::from_values(&[]).expect("every parameter of a discipline has a default")
            }
        })*

        impl Discipline {
            /// Every discipline.
            pub const ALL: &[&ModelSpec] = &[&DROP_TAIL, $($name::SPEC),*];

            /// The discipline of that name, or drop-tail, with these values.
            ///
            /// # Errors
            /// The values contradict each other.
            pub fn new(name: &str, values: &[Option<Value>]) -> Result<Discipline, ParamConflict> {
                $(if name == $name::SPEC.name {
                    let given = $name::from_values(values).unwrap_or_default();
                    return given.complete(values).map(Discipline::$name);
                })*
                Ok(Discipline::default())
            }

            /// The discipline's description, and the values of its parameters.
            pub fn spec(&self) -> (&'static ModelSpec, Vec<Value>) {
                match self {
                    Self::DropTail { .. } => (&DROP_TAIL, Vec::new()),
                    $(Self::$name(rule) => rule.spec(),)*
                }
            }

            /// The waiting time at which it holds the queue, if it has such a target.
            pub fn target(&self) -> Option<Time> {
                match self { Self::DropTail { .. } => None, $(Self::$name(rule) => rule.target(),)* }
            }

            /// Number of flow queues.
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
        fq_codel: FqCoDel;
    }
}

pub(crate) enum ActiveDiscipline {
    /// `None`: drop-tail.
    Enqueue(Option<EnqueueDiscipline>),
    Dequeue(DequeueDiscipline),
}

impl Default for Discipline {
    /// Drop-tail without marks.
    fn default() -> Self {
        Discipline::DropTail { ecn_threshold_bytes: None }
    }
}
