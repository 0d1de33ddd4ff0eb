//! The list of MPTCP's packet schedulers.

use crate::read::words;

/// Hands the list to a macro. Of a rule that picks the subflow for the next chunk the word, which is also its file in
/// `crates/sim/src/schedule`, and its type there; then the two that give out data in ways of their own.
#[macro_export]
macro_rules! schedulers {
    ($then:ident) => {
        $then! {
            picks: {
                minrtt MinRtt "The subflow with the smallest smoothed RTT whose window has room.";
                roundrobin RoundRobin "In turn, among those whose window has room.";
                blest Blest "As minrtt, but a slow subflow is left unused where it would block the fast one.";
            }
            gives: {
                redundant Redundant "Everything on every subflow.";
                linux Linux "As upstream Linux: the least queued over pacing rate.";
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
            /// Its word in the scenario.
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

#[expect(
    clippy::derivable_impls,
    reason = "the variants come from a list, which has no place for `#[default]`"
)]
impl Default for Scheduler {
    fn default() -> Self {
        Scheduler::MinRtt
    }
}
