//! The list of MPTCP's packet schedulers.

use crate::read::words;

/// Passes the list to a macro: for a scheduler that picks the subflow of the next chunk, its name, which is also its file in
/// `crates/sim/src/schedule`, and its type there; then two schedulers that distribute data in other ways.
#[macro_export]
macro_rules! schedulers {
    ($then:ident) => {
        $then! {
            picks: {
                minrtt MinRtt "The subflow with the smallest smoothed RTT among those with room in the window.";
                roundrobin RoundRobin "In turn, among those with room in the window.";
                blest Blest "Like minrtt, but skips a slow subflow that would block the fast one.";
            }
            gives: {
                redundant Redundant "Everything on every subflow.";
                linux Linux "Like upstream Linux: the least queued bytes over pacing rate.";
            }
        }
    };
}

macro_rules! define {
    (
        picks: { $($pick:ident $Pick:ident $meaning:literal;)* }
        gives: { $($give:ident $Give:ident $gives:literal;)* }
    ) => {
        /// MPTCP's packet scheduler.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Scheduler {
            $(#[doc = $meaning] $Pick,)*
            $(#[doc = $gives] $Give,)*
        }

        impl Scheduler {
            /// The names of those that pick a subflow for each chunk.
            pub(crate) const PICKING: &[&str] = &[$(stringify!($pick)),*];

            /// Its name in scenarios.
            pub fn name(self) -> &'static str {
                match self {
                    $(Scheduler::$Pick => stringify!($pick),)*
                    $(Scheduler::$Give => stringify!($give),)*
                }
            }

            /// Whether it picks a subflow for each chunk.
            pub fn picks(self) -> bool {
                matches!(self, $(Scheduler::$Pick)|*)
            }
        }

        words! {
            Scheduler, "Scheduler", "a scheduler" {
                $(stringify!($pick) => Scheduler::$Pick, $meaning;)*
                $(stringify!($give) => Scheduler::$Give, $gives;)*
            }
        }
    };
}

schedulers!(define);
