//! `[links.NAME]`.

use crate::diagnostic::At;
use crate::format::{ModelChoice, Trace};
use crate::leaf::{Length, PositiveSpan, Probability, Rate, Span, Whole};
use crate::read::{table, words};
use anabranch_net as net;

table! {
    /// A link in one direction: a queue, a transmitter, a propagation delay, and loss before or after them.
    #[schemars(extend("anyOf" = [{ "required": ["rate", "delay"] }, { "required": ["trace"] }]))]
    struct Link {
        /// Number of such links, named NAME/1, NAME/2, …. Default: one, named NAME.
        count: Option<At<Whole<1, 10_000>>>,
        /// Rate at IP level: a full packet of the default MSS has 1500 bytes. Excludes `trace`, which gives it.
        rate: Option<Rate>,
        /// Propagation delay, one way. Excludes a trace with delays.
        delay: Option<Span>,
        /// Period of the clock on which packets leave, as in an emulator driven by a timer: packets whose transmission would
        /// end within a tick leave together at its end. By default each packet leaves when its transmission ends.
        tick: Option<PositiveSpan>,
        /// Limit of the queue, which does not contain the packet in transmission. Default: 1 BDP.
        queue: Option<Length>,
        /// The queue discipline. Default: drop-tail.
        aqm: Option<ModelChoice<false>>,
        /// Random loss. Default: no loss.
        loss: Option<ModelChoice<true>>,
        /// Where packets are lost at random. Default: entry.
        loss_at: Option<LossAt>,
        /// Random delay and reordering. Default: neither.
        jitter: Option<Jitter>,
        /// Packets of ECN-capable flows that find this much in the queue are marked (RFC 3168). Excludes `aqm`.
        /// Default: never.
        ecn_threshold: Option<At<Length>>,
        /// Changes during the run.
        changes: Option<Vec<At<Change>>>,
        /// A trace that the link follows, instead of rate and changes.
        trace: Option<At<Trace>>,
    }
}

/// Where a link loses packets at random.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LossAt(pub net::LossAt);

words! {
    LossAt, "LossAt", "a place of loss" {
        "entry" => LossAt(net::LossAt::Entry), "Before the queue: a lost packet takes no room in the queue and no transmission time.";
        "exit" => LossAt(net::LossAt::Exit), "After transmission: a lost packet has waited and was transmitted.";
    }
}

table! {
    /// Delay beyond the propagation delay.
    struct Jitter {
        /// Bound of the extra delay, which is uniform from zero and changes with time; packets keep their order. Default: 0 s.
        up_to: Option<Span>,
        /// Correlation time of that delay, at least 0.64 of `up_to`. Default: 1.27 times `up_to`, a slope of one half.
        correlation: Option<At<PositiveSpan>>,
        /// Probability that a packet is delayed so that later ones overtake it. Default: 0.
        reorder_rate: Option<At<Probability>>,
        /// Extra delay of such a packet. Default: 0 s.
        reorder_delay: Option<At<Span>>,
    }
}

table! {
    /// A change at an instant; a missing property stays the same.
    struct Change {
        /// Time since the start of the run.
        at: At<Span>,
        /// New rate.
        rate: Option<Rate>,
        /// New propagation delay.
        delay: Option<Span>,
        /// New loss model.
        loss: Option<ModelChoice<true>>,
        /// false: the link goes down, and waiting and arriving packets are lost. true: it comes up again.
        up: Option<bool>,
    }
}
