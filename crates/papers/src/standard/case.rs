//! The cases, each a scenario with a purpose.

use crate::scenarios::{self, ScenarioFile};
use anabranch_study::{Setup, Size};

/// A situation in which every algorithm is put.
pub struct Case {
    /// Its identifier: "shared-reno".
    pub id: &'static str,
    /// What it is.
    pub title: &'static str,
    /// Cases of one group stand beside each other: "Beside Reno".
    pub group: &'static str,
    /// Its title within the group: "shared".
    pub short: &'static str,
    /// The set-up, and what it shows.
    pub purpose: &'static str,
    /// Its key figure.
    pub goal: Goal,
    file: &'static ScenarioFile,
    /// Flows that take another algorithm than the file's, Reno.
    cubic: &'static [&'static str],
    pub(super) changes: &'static [Change],
}

/// What a case's key figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// How full the links are, in percent, averaged over them.
    Utilisation,
    /// The connection's goodput ÷ the mean goodput of all connections: 1 is an equal share.
    Share,
    /// Seconds from a path's return until the connection uses it: see [`crate::standard::Recovery`].
    Recovery,
}

impl Goal {
    /// What it is called.
    pub fn title(self) -> &'static str {
        match self {
            Goal::Utilisation => "utilisation",
            Goal::Share => "share",
            Goal::Recovery => "recovery",
        }
    }

    /// Its unit; none for a ratio.
    pub fn unit(self) -> &'static str {
        match self {
            Goal::Utilisation => "%",
            Goal::Share => "",
            Goal::Recovery => "s",
        }
    }

    /// A value to see others by: the full link, the equal share.
    pub fn mark(self) -> Option<f64> {
        match self {
            Goal::Utilisation => Some(100.0),
            Goal::Share => Some(1.0),
            Goal::Recovery => None,
        }
    }
}

/// Something that changes in the course of a case, and when it is made up for.
pub(crate) struct Change {
    /// What is waited for.
    pub what: &'static str,
    /// When it happens, in seconds.
    pub at_s: f64,
    /// Until when the network then stays as it is.
    pub until_s: f64,
    /// The subflow (from 0) that is watched; all together where none is named.
    pub subflow: Option<usize>,
    /// What the watched paths carry from then on, in Mbit/s at IP level.
    pub capacity_mbps: f64,
}

/// Length and warm-up of the cases without changes in a quick run, in seconds.
const QUICK: (f64, f64) = (24.0, 8.0);

impl Case {
    /// The case with an algorithm of that name in it.
    pub fn setup(&self, algorithm: &str, size: Size) -> Setup {
        let setup = Setup::new(self.title, self.file).cc(&format!("tested={algorithm}")).sampled();
        let setup = self.cubic.iter().fold(setup, |s, flow| s.set(&format!("flows.{flow}.cc"), "cubic"));
        match size {
            Size::Quick if self.changes.is_empty() => setup.lasting(QUICK.0, QUICK.1),
            _ => setup,
        }
    }
}

/// Every case, in the order in which pages show them.
pub static CASES: &[Case] = &[
    Case {
        id: "alone-one",
        title: "Alone on one path",
        group: "Alone",
        short: "1 path",
        purpose: "One flow on a link of 20 Mbit/s with a round-trip time of 40 ms and a buffer of one BDP (67 packets). How full \
                  does it keep a link that nobody else uses, and how long a queue does it leave there?",
        goal: Goal::Utilisation,
        file: &scenarios::ONE_PATH,
        cubic: &[],
        changes: &[],
    },
    Case {
        id: "alone-two",
        title: "Alone on two paths",
        group: "Alone",
        short: "2 paths",
        purpose: "Two such links, one for each path of the connection. Does coupling leave capacity unused where there is nobody \
                  to be fair to?",
        goal: Goal::Utilisation,
        file: &scenarios::TWO_PATHS,
        cubic: &[],
        changes: &[],
    },
    Case {
        id: "one-reno",
        title: "One path, beside Reno",
        group: "Beside Reno",
        short: "1 path",
        purpose: "One path of 20 Mbit/s, 40 ms and a buffer of one BDP, shared with one Reno flow. A coupled algorithm with a \
                  single path is meant to be its single-path parent.",
        goal: Goal::Share,
        file: &scenarios::ONE_PATH_BESIDE,
        cubic: &[],
        changes: &[],
    },
    Case {
        id: "shared-reno",
        title: "Two subflows on a shared bottleneck, beside Reno",
        group: "Beside Reno",
        short: "shared",
        purpose: "Both subflows of the connection cross the link that one Reno flow uses. A coupled connection should take what \
                  one flow takes, a share of 1; two uncoupled subflows take what two flows take, 4/3.",
        goal: Goal::Share,
        file: &scenarios::SHARED,
        cubic: &[],
        changes: &[],
    },
    Case {
        id: "separate-reno",
        title: "Separate bottlenecks, each with a Reno flow",
        group: "Beside Reno",
        short: "separate",
        purpose: "Each of two equal paths has a Reno flow of its own. Three connections divide two links: a connection that pools \
                  them takes two thirds of a link, a share of 1; two uncoupled subflows take a whole link's worth, 1.5.",
        goal: Goal::Share,
        file: &scenarios::SEPARATE,
        cubic: &[],
        changes: &[],
    },
    Case {
        id: "one-cubic",
        title: "One path, beside CUBIC",
        group: "Beside CUBIC",
        short: "1 path",
        purpose: "As beside Reno, with CUBIC as the neighbour. At this bandwidth–delay product CUBIC grows as Reno does most of \
                  the time, and gives way by three tenths of its window instead of half.",
        goal: Goal::Share,
        file: &scenarios::ONE_PATH_BESIDE,
        cubic: &["neighbour"],
        changes: &[],
    },
    Case {
        id: "shared-cubic",
        title: "Two subflows on a shared bottleneck, beside CUBIC",
        group: "Beside CUBIC",
        short: "shared",
        purpose: "Both subflows cross the link that one CUBIC flow uses.",
        goal: Goal::Share,
        file: &scenarios::SHARED,
        cubic: &["neighbour"],
        changes: &[],
    },
    Case {
        id: "separate-cubic",
        title: "Separate bottlenecks, each with a CUBIC flow",
        group: "Beside CUBIC",
        short: "separate",
        purpose: "Each of two equal paths has a CUBIC flow of its own.",
        goal: Goal::Share,
        file: &scenarios::SEPARATE,
        cubic: &["neighbour1", "neighbour2"],
        changes: &[],
    },
    Case {
        id: "unequal-rtts",
        title: "Unequal round-trip times",
        group: "Unequal RTTs",
        short: "20 and 100 ms",
        purpose: "Two paths of 20 Mbit/s, one with a round-trip time of 20 ms, one of 100 ms, each with a buffer of one BDP and a \
                  Reno flow of its own. What a rule compares, windows or rates, shows here.",
        goal: Goal::Share,
        file: &scenarios::UNEQUAL_RTTS,
        cubic: &[],
        changes: &[],
    },
    Case {
        id: "backup",
        title: "A path becomes the backup",
        group: "Backup",
        short: "backup",
        purpose: "Two paths, of 20 Mbit/s with a Reno flow and of 100 Mbit/s. From 5 s on the second one is the backup and carries \
                  nothing, though its window was large. The connection should take what it takes with the first path alone, \
                  a share of 1; it is starved where a path counts that carries nothing.",
        goal: Goal::Share,
        file: &scenarios::BACKUP,
        cubic: &[],
        changes: &[],
    },
    Case {
        id: "failure",
        title: "A path fails and returns",
        group: "Changes",
        short: "path returns",
        purpose: "Alone on two equal paths. Path 1 is dead from 20 s to 25 s, and nobody says so: a timeout finds out. The path is \
                  used again once a retransmission, sent at doubling intervals, gets through; what follows is the \
                  algorithm's growth.",
        goal: Goal::Recovery,
        file: &scenarios::FAILURE,
        cubic: &[],
        changes: &[
            Change {
                what: "after the failure, both subflows on what is left",
                at_s: 20.0,
                until_s: 25.0,
                subflow: None,
                capacity_mbps: 20.0,
            },
            Change {
                what: "after the return, subflow 1",
                at_s: 25.0,
                until_s: 60.0,
                subflow: Some(0),
                capacity_mbps: 20.0,
            },
        ],
    },
    Case {
        id: "rate-change",
        title: "A sudden change of rate",
        group: "Changes",
        short: "rate rises",
        purpose: "Alone on two paths of 40 and 20 Mbit/s with buffers of 67 packets. Path 1 falls to 10 Mbit/s at 20 s, which makes \
                  its window far too large, and rises again at 40 s, which has to be found by probing.",
        goal: Goal::Recovery,
        file: &scenarios::RATE_CHANGE,
        cubic: &[],
        changes: &[
            Change {
                what: "after the fall, subflow 1",
                at_s: 20.0,
                until_s: 40.0,
                subflow: Some(0),
                capacity_mbps: 10.0,
            },
            Change {
                what: "after the rise, subflow 1",
                at_s: 40.0,
                until_s: 60.0,
                subflow: Some(0),
                capacity_mbps: 40.0,
            },
        ],
    },
];
