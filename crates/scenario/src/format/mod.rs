//! The types of the file. Their doc comments are the descriptions in the JSON Schema.

mod algorithm;
mod application;
mod flow;
mod link;
mod model;
mod trace;

pub(crate) use algorithm::Algorithm;
pub(crate) use application::{Application, Distribution, Draw};
pub(crate) use flow::{Event, Flow, Tcp};
pub(crate) use link::{Change, Jitter, Link};
pub(crate) use model::ModelChoice;
pub(crate) use trace::{TextFile, Trace, TraceStart};

use crate::diagnostic::{At, Problems};
use crate::leaf::{PositiveSpan, Seed, Span};
use crate::model::{Hosts, RandomDelay};
use crate::read::{Named, Read, schema, table, words};
use crate::tree::{Node, Value};
use schemars::json_schema;

table! {
    /// A scenario: links, and flows over them.
    #[schemars(title = "Anabranch scenario")]
    struct File {
        /// The scenario's name; results carry it.
        name: String,
        /// The scenario's purpose.
        description: Option<String>,
        /// Length of a run, the warm-up included.
        duration: At<PositiveSpan>,
        /// Means cover the time from here on; shorter than the duration. Default: 0 s.
        warmup: Option<At<Span>>,
        /// Seed of every random process. Default: 1.
        seed: Option<Seed>,
        /// The recording.
        record: Option<Record>,
        /// Random variation at the hosts.
        variation: Option<Variation>,
        /// The host model. Default: plain.
        hosts: Option<Hosts>,
        /// The links, each under its name. A link carries packets in one direction.
        links: Named<At<Link>>,
        /// The connections.
        #[schemars(length(min = 1))]
        flows: At<Vec<Flow>>,
        /// Files that links and applications refer to, each under its name. Commands add them when they read a scenario file.
        files: Option<Named<TextFile>>,
    }
}

table! {
    /// The recording of samples.
    struct Record {
        /// Time between samples, at least 10 µs. Default: 100 ms.
        interval: Option<At<PositiveSpan>>,
    }
}

table! {
    /// Random variation at the hosts, so that runs with different seeds differ even without random links.
    struct Variation {
        /// Each connection opens later by a uniform time up to this. "auto", the default: up to its longest base RTT.
        start_offset: Option<RandomDelay>,
        /// Each ACK leaves the receiving host later by a uniform time up to this; ACKs keep their order.
        /// "auto", the default: up to the transmission time of a full packet on the path's slowest link.
        host_jitter: Option<RandomDelay>,
    }
}

words! {
    Hosts, "Hosts", "a host model" {
        "plain" => Hosts::Plain, "Idealised, by the RFCs: a segment leaves when the window allows it.";
        "linux" => Hosts::Linux, "Linux-accurate, as 6.12 and 6.18: flows default to scheduler = \"linux\" and to tso, \
            push_acks, sack_compression, long_dss and linux_recovery of tcp.";
    }
}

impl Read for RandomDelay {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.value {
            Value::String(word) if word == "auto" => Some(RandomDelay::Auto),
            _ => Span::read(node, problems).map(|span| RandomDelay::UpTo(span.0)),
        }
    }
}

schema!(RandomDelay, "RandomDelay", |generator| {
    json_schema!({ "anyOf": [{ "const": "auto" }, generator.subschema_for::<Span>()] })
});
