//! Why rows differ, where more than one experiment needs it: what the runs show.

/// LIA and its kin take less than two thirds on separate bottlenecks.
pub(super) const TOGETHER: &str = "With two equal paths LIA and BALIA add 1/4 segment per RTT to a subflow where Reno adds 1. Losses that hit each packet \
     alike would give the connection 2/3 of its ideal; flows that always lose together share as they grow, which gives \
     2/5. On our bottlenecks four in five losses of a subflow come within 30 ms of one of the TCP flow's (LIA, seed 1): a \
     full drop-tail queue stops both. With random loss of 0.05 % it is 0.62 (D-F15). More than 2/3 needs something \
     that favours the MPTCP host, as uncoupled Reno's 1.2 in the paper shows.";

/// ADW takes more than its share of a shared bottleneck.
pub(super) const UNDETECTED: &str = "The RTTs of two subflows on a shared bottleneck are alike (D-F3), but not their fluctuations between losses: a full \
     queue often stops only one of them, whose RTT extremes then restart while the other's do not. At half of the losses \
     in Scenario 1 (seed 1) d is above 20 %, so that j = 2 and the window keeps 3/4 instead of 1/2. With the span between \
     complete losses it is hardly better.";

/// Longer RTTs, and with them Scenario 3.
pub(super) const LESS_TOGETHER: &str = "The longer RTT does this, not the bottlenecks before the shared one: Scenario 1 with 20 ms gives the same. With larger \
     windows fewer losses come together with a TCP flow's (about 75 % instead of 92 %, LIA, three seeds), and α, which \
     takes the larger of two varying windows, is 0.7 instead of 1/2.";

/// Two queues in a row.
pub(super) const TWO_QUEUES: &str = "The subflows cross two full queues: they lose on both, and where h3 and h5 leave before the second, their RTT is 22 ms \
     against 16. Even uncoupled Reno has only 0.63 of the ideal then, and 0.88 where h3 and h5 cross.";

/// Random loss hardly matters in Scenario 1.
pub(super) const QUEUE_LOSSES: &str = "The queue alone drops 0.3 to 0.4 % of the packets (LIA, seed 1); random loss of up to 0.1 % mostly takes the place of \
     these, and changes little for anybody.";
