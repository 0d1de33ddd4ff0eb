//! C-S1 to C-S3: other buffers, and 80 ms as the one-way delay.

use super::{Algorithm, CUBIC, LIA, LINKED, OURS, VEGAS, WCOMPOUND, fairness, rate, two_links};
use crate::paper::Definition;
use anabranch_study::draw::{axis, bars, series};
use anabranch_study::{Figure, Setup, Size};
use anabranch_study::{Plan, Quantity, SetupId};

const SILENT: &str = "The paper gives no buffers, and its 80 ms may be one way. LIA and wCompound, not \
                      judged. 40 s after 20 s of warm-up (quick: a tenth of both; full: four times both): \
                      less than elsewhere, so these means hold more of the start.";

pub(super) const TWO_LINKS: Definition = Definition {
    ids: &["C-S1"],
    title: "Sensitivity of C-F2 to buffers and delay",
    notes: &[SILENT, OURS],
    plan: |size| {
        sweep("C-S1", &["link1", "link2"], &two_links::PARTS, &|cc| two_links::two_links(cc, size), size)
    },
};

pub(super) const CUBIC_LINK: Definition = Definition {
    ids: &["C-S2"],
    title: "Sensitivity of C-F4 to buffers and delay",
    notes: &[SILENT, OURS],
    plan: |size| {
        let parts: [Part; 2] = [("mptcp", "MPTCP", mptcp), ("tcp", "CUBIC", tcp)];
        sweep("C-S2", &["link"], &parts, &|cc| fairness::one_link(cc, CUBIC, size), size)
    },
};

pub(super) const VEGAS_LINK: Definition = Definition {
    ids: &["C-S3"],
    title: "Sensitivity of C-F5 to buffers and delay",
    notes: &[SILENT, OURS],
    plan: |size| {
        let parts: [Part; 2] = [("mptcp", "MPTCP", mptcp), ("tcp", "Vegas", tcp)];
        sweep("C-S3", &["link"], &parts, &|cc| fairness::one_link(cc, VEGAS, size), size)
    },
};

/// A bar of a figure: in rows, for readers, and as a quantity.
type Part = (&'static str, &'static str, fn(SetupId) -> Quantity);

fn mptcp(run: SetupId) -> Quantity {
    rate(run, "mptcp")
}

fn tcp(run: SetupId) -> Quantity {
    rate(run, "tcp")
}

/// Buffers and delay of every link.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// In rows.
    id: &'static str,
    /// For readers.
    name: &'static str,
    buffer: &'static str,
    /// One way.
    delay: &'static str,
}

/// Where little can be queued.
pub(super) const TENTH: Place = Place { id: "tenth-bdp", name: "0.1 BDP", buffer: "0.1 BDP", delay: "40 ms" };

const PLACES: [Place; 4] = [
    TENTH,
    Place { id: "half-bdp", name: "0.5 BDP", buffer: "0.5 BDP", delay: "40 ms" },
    Place { id: "two-bdp", name: "2 BDP", buffer: "2 BDP", delay: "40 ms" },
    Place { id: "one-way", name: "80 ms one way", buffer: "1 BDP", delay: "80 ms" },
];

/// A simulation of the paper's with other buffers or delay.
pub(super) fn place(setup: Setup, links: &[&str], at: Place, size: Size) -> Setup {
    let mut setup = setup.lasting(size.own(60.0), size.own(20.0));
    setup.title += &format!(", {}", at.name);
    for link in links {
        setup = setup
            .set(&format!("links.{link}.queue"), at.buffer)
            .set(&format!("links.{link}.delay"), at.delay);
    }
    setup
}

fn sweep(
    id: &'static str,
    links: &[&str],
    parts: &[Part],
    setup: &dyn Fn(Algorithm) -> Setup,
    size: Size,
) -> Plan {
    let mut plan = Plan::new();
    plan.beyond();
    let mut all: Vec<(&'static str, Vec<(&'static str, SetupId)>)> = Vec::new();
    for at in PLACES {
        let Place { id: in_rows, name, .. } = at;
        let mut runs = Vec::new();
        for cc in [LIA, WCOMPOUND, LINKED] {
            let run = plan.simulate(place(setup(cc), links, at, size));
            for (part, what, quantity) in parts {
                let what = format!("{name}, {}: {what}", cc.1);
                plan.row(format!("{id}.{in_rows}.{}.{part}", cc.0), what, "Mbit/s", quantity(run));
            }
            runs.push((cc.1, run));
        }
        all.push((name, runs));
    }
    let parts = parts.to_vec();
    plan.figure(move |outcomes| {
        let panel = |(name, runs): &(&'static str, Vec<(&'static str, SetupId)>)| {
            let bar = |quantity: fn(SetupId) -> Quantity| {
                runs.iter().filter_map(|(cc, run)| outcomes.bar(cc, &quantity(*run))).collect()
            };
            let drawn = parts.iter().map(|(_, what, quantity)| series(*what, bar(*quantity)));
            bars(*name, axis("average rate (Mbit/s)"), drawn.collect())
        };
        Figure {
            id: id.into(),
            title: "Average rates by buffer and delay".into(),
            panels: all.iter().map(panel).collect(),
        }
    });
    plan
}
