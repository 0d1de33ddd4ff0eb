//! What bears on rows that differ, where more than one experiment needs it, and where it is measured.

/// LIA and its kin on separate bottlenecks.
pub(super) const TOGETHER: &str = "With two equal paths LIA and BALIA add 1/4 segment per RTT to a subflow where Reno adds 1. Losses that hit each packet \
     alike would give the connection 2/3 of its ideal; flows that always lose together share as they grow, which gives \
     2/5. D-F15 has random loss, D-X1 other receivers, D-A other queues.";

/// ADW and shared bottlenecks.
pub(super) const UNDETECTED: &str = "D-F3 has ADW's dissimilarity d and level j on both kinds of bottleneck.";

/// Longer RTTs, and with them Scenario 3.
pub(super) const LESS_TOGETHER: &str = "Row D-F9.lia.S1-20ms, and its like, have Scenario 1 with this RTT of 20 ms, without the bottlenecks before the shared one.";

/// Two queues in a row.
pub(super) const TWO_QUEUES: &str =
    "The row of uncoupled Reno has what is left on these paths without any coupling.";

/// Random loss in Scenario 1.
pub(super) const QUEUE_LOSSES: &str = "Row D-F15.S1.0e0.lia.lost has what the queue alone drops, with LIA.";
