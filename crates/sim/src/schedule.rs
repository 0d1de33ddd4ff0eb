//! MPTCP's packet schedulers: which subflow sends the next chunk.

use crate::stream::SendStream;
use crate::subflow::Subflow;
use anabranch_cc::Group;
use anabranch_net::Time;
use anabranch_scenario::Scheduler;

/// Whether `subflow` is a regular subflow that may carry data, so that backups are not used.
fn is_regular(subflow: &Subflow, cc: &Group) -> bool {
    !subflow.backup && subflow.is_usable(cc)
}

/// The places of the subflows that may send now: those with room, backups only if no regular one is usable. A subflow
/// that only its pacer holds back will wake the connection.
#[inline]
pub(crate) fn ready(subflows: &mut [Subflow], cc: &Group, now: Time) -> impl Iterator<Item = usize> {
    let backups_wait = backups_wait(subflows, cc);
    let subflows = subflows.iter_mut().enumerate();
    subflows.filter_map(move |(i, subflow)| may_send(subflow, backups_wait, cc, now).then_some(i))
}

/// Whether backups are not used, as a regular subflow is usable.
#[inline]
fn backups_wait(subflows: &[Subflow], cc: &Group) -> bool {
    subflows.iter().any(|s| s.backup) && has_regular(subflows, cc)
}

#[inline(never)]
fn has_regular(subflows: &[Subflow], cc: &Group) -> bool {
    subflows.iter().any(|s| is_regular(s, cc))
}

#[inline(always)] // a call costs as much as what it decides
fn may_send(subflow: &mut Subflow, backups_wait: bool, cc: &Group, now: Time) -> bool {
    !(subflow.backup && backups_wait) && subflow.has_room(cc) && subflow.tx.pace_or_wait(now)
}

/// How long a choice holds, if only sending happens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// For a chunk.
    Chunk,
    /// While the subflow may send.
    Turn,
    /// The same, and no other subflow may send afterwards.
    LastTurn,
}

/// A rule that picks the subflow for the next chunk, with its state.
trait Rule: Default {
    /// How long its last choice holds.
    #[inline]
    fn holds(&self) -> Holds {
        Holds::Chunk
    }

    fn pick(&mut self, subflows: &mut [Subflow], cc: &Group, out: &SendStream, now: Time) -> Option<usize>;

    /// A chunk went out on `subflow`.
    fn sent_on(&mut self, _subflow: usize) {}

    /// The receive window is full: a slow subflow blocks it.
    fn blocked(&mut self) {}
}

/// The scheduler of a connection.
macro_rules! picker {
    (
        picks: { $($file:ident $Pick:ident $meaning:literal;)* }
        gives: { $($give:ident $Give:ident $gives:literal;)* }
    ) => {
        $(mod $file;)*

        /// A connection's scheduler. Schedulers that distribute data in other ways pick like `minrtt` if needed.
        #[derive(Clone, Debug)]
        pub(crate) enum Picker { $($Pick($file::$Pick),)* }

        impl Picker {
            pub(crate) fn new(scheduler: Scheduler) -> Picker {
                match scheduler {
                    $(Scheduler::$Pick => Picker::$Pick(Default::default()),)*
                    $(Scheduler::$Give => Picker::MinRtt(Default::default()),)*
                }
            }

            /// Picks the subflow for the next chunk.
            pub(crate) fn pick(
                &mut self,
                subflows: &mut [Subflow],
                cc: &Group,
                out: &SendStream,
                now: Time,
            ) -> Option<usize> {
                match self { $(Picker::$Pick(rule) => rule.pick(subflows, cc, out, now),)* }
            }

            /// How long the last choice holds.
            #[inline]
            pub(crate) fn holds(&self) -> Holds {
                match self { $(Picker::$Pick(rule) => rule.holds(),)* }
            }

            /// A chunk went out on `subflow`.
            #[inline]
            pub(crate) fn sent_on(&mut self, subflow: usize) {
                match self { $(Picker::$Pick(rule) => rule.sent_on(subflow),)* }
            }

            /// The receive window is full: a slow subflow blocks it.
            #[inline]
            pub(crate) fn blocked(&mut self) {
                match self { $(Picker::$Pick(rule) => rule.blocked(),)* }
            }
        }
    };
}

anabranch_scenario::schedulers!(picker);

fn srtt(subflow: &Subflow) -> Time {
    subflow.tx.rtt.smoothed
}

/// The subflow with the smallest `key` among those that may send, the first one among equals.
#[inline]
fn least_ready<K: Ord + Copy>(
    subflows: &mut [Subflow],
    cc: &Group,
    now: Time,
    key: impl Fn(&Subflow) -> K,
) -> Option<usize> {
    least_and_number(subflows, cc, now, key).map(|(least, _)| least)
}

/// The same, and the number of those that may send.
#[inline(always)]
fn least_and_number<K: Ord + Copy>(
    subflows: &mut [Subflow],
    cc: &Group,
    now: Time,
    key: impl Fn(&Subflow) -> K,
) -> Option<(usize, usize)> {
    let (mut least, mut number) = (None, 0);
    for i in 0..subflows.len() {
        let backups_wait = subflows[i].backup && has_regular(subflows, cc);
        let subflow = &mut subflows[i];
        if may_send(subflow, backups_wait, cc, now) {
            number += 1;
            let key = key(subflow);
            if least.is_none_or(|(least, _)| key < least) {
                least = Some((key, i));
            }
        }
    }
    least.map(|(_, i)| (i, number))
}
