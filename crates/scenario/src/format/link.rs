//! `[links.NAME]`.

use crate::diagnostic::At;
use crate::format::{ModelChoice, Trace};
use crate::leaf::{Length, PositiveSpan, Probability, Rate, Span, Whole};
use crate::read::{table, words};

table! {
    /// A link in one direction: a queue, a transmitter, a propagation delay, and loss before or behind them.
    #[schemars(extend("anyOf" = [{ "required": ["rate", "delay"] }, { "required": ["trace"] }]))]
    struct Link {
        /// How many such links there are: NAME/1, NAME/2, … Default: one, called NAME.
        count: Option<At<Whole<1, 10_000>>>,
        /// Rate at IP level: a full packet of the default MSS has 1500 bytes. Not beside a trace, which gives it.
        rate: Option<Rate>,
        /// Propagation delay, one way. Not beside a trace with delays.
        delay: Option<Span>,
        /// Period of the clock on which packets leave, as in an emulator driven by a timer: all whose transmission would
        /// have ended within a tick leave together at its end. Default: none, each leaves when its transmission ends.
        tick: Option<PositiveSpan>,
        /// How much may wait, beside the packet in transmission. Default: 1 BDP.
        queue: Option<Length>,
        /// The queue's management before it is full. Default: a drop-tail queue.
        aqm: Option<ModelChoice<false>>,
        /// Random loss. Default: none.
        loss: Option<ModelChoice<true>>,
        /// Where that takes packets. Default: entry.
        loss_at: Option<LossAt>,
        /// Random delay and reordering. Default: none.
        jitter: Option<Jitter>,
        /// Packets of ECN-capable flows that find this much waiting are marked (RFC 3168); not beside an aqm.
        /// Default: never.
        ecn_threshold: Option<At<Length>>,
        /// Changes while the run lasts.
        changes: Option<Vec<At<Change>>>,
        /// A trace that the link follows, in place of rate and changes.
        trace: Option<At<Trace>>,
    }
}

/// Where a link's loss process takes packets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LossAt {
    Entry,
    Exit,
}

words! {
    LossAt, "LossAt", "a place of loss" {
        "entry" => LossAt::Entry, "Before the queue: a lost packet takes no room and no transmission time.";
        "exit" => LossAt::Exit, "Behind the transmitter: a lost packet has waited and was transmitted.";
    }
}

table! {
    /// Delay beyond the propagation delay.
    struct Jitter {
        /// The extra delay is uniform between zero and this, and changes with time; order is kept. Default: 0 s.
        up_to: Option<Span>,
        /// Correlation time of that delay, at least 0.64 of `up_to`. Default: 1.27 times it, a slope of one half.
        correlation: Option<At<PositiveSpan>>,
        /// Probability that a packet is held back while later ones overtake it. Default: 0.
        reorder_rate: Option<At<Probability>>,
        /// How long such a packet is held back. Default: 0 s.
        reorder_delay: Option<Span>,
    }
}

table! {
    /// A change at an instant; a property that is not given stays as it is.
    struct Change {
        /// When, since the start of the run.
        at: At<Span>,
        /// New rate.
        rate: Option<Rate>,
        /// New propagation delay.
        delay: Option<Span>,
        /// New loss process.
        loss: Option<ModelChoice<true>>,
        /// false: the link goes down, and packets that wait or arrive are lost. true: it is up again.
        up: Option<bool>,
    }
}
