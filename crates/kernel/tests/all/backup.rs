//! A path that has become the backup no longer counts for the one in use.

use crate::common::{Kernel, skipped};
use crate::support::TOOLS;
use crate::support::algorithm::Algorithm;
use crate::support::iperf::{Iperf, Options};
use crate::support::lab::{Bottleneck, Lab};
use std::thread::sleep;
use std::time::Duration;

/// The path in use, which a Reno socket shares, and a faster one, which is the backup from `BACKUP_S` on.
const PATHS: [Bottleneck; 2] =
    [Bottleneck { mbit_s: 10.0, queue: 50 }, Bottleneck { mbit_s: 50.0, queue: 250 }];
const BACKUP_S: u64 = 3;

const SECONDS: u32 = 10;
/// Before them.
const OMIT: u32 = 6;

/// A connection, with its neighbour on the first path.
struct Pair {
    name: &'static str,
    mptcp: Iperf,
    tcp: Iperf,
    lab: Lab,
}

impl Pair {
    fn start(name: &'static str) -> Self {
        let lab = Lab::two_paths(PATHS);
        let side = |mptcp, port, algorithm| {
            let congestion_control = Some(algorithm);
            Iperf::start(&lab, &Options { mptcp, port, seconds: SECONDS, omit: OMIT, congestion_control })
        };
        let (mptcp, tcp) = (side(true, 5201, name), side(false, 5202, "reno"));
        Pair { name, mptcp, tcp, lab }
    }

    /// The goodputs of both, Mbit/s.
    fn end(self) -> Result<[f64; 2], String> {
        Ok([self.mptcp.end()?, self.tcp.end()?].map(|done| done.goodput / 1e6))
    }
}

/// On its only path each is Reno or nearly so: it takes half, give or take what a run of ten seconds scatters. With
/// idle rows counted, OLIA had 0.21 of its neighbour's goodput here, and LIA 0.73: it is OLIA that the band catches.
#[test]
fn the_path_in_use_is_not_starved() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let names = ["ab_lia", "ab_olia"];
    let _algorithms = names.map(Algorithm::load);
    let pairs = names.map(Pair::start);
    sleep(Duration::from_secs(BACKUP_S));
    pairs.iter().for_each(|pair| pair.lab.make_backup(2));
    for pair in pairs {
        let name = pair.name;
        let [mptcp, tcp] = match pair.end() {
            Ok(goodputs) => goodputs,
            Err(why) => {
                skipped(&why);
                continue;
            }
        };
        println!("{name}: {mptcp:.2} Mbit/s, its neighbour {tcp:.2}");
        if mptcp + tcp < 0.85 * PATHS[0].mbit_s || mptcp + tcp > PATHS[0].mbit_s {
            skipped(
                "the first path was not the bottleneck: the machine is too busy, or the second is no backup",
            );
            continue;
        }
        assert!((0.5..2.0).contains(&(mptcp / tcp)), "{name}: {mptcp} Mbit/s, its neighbour {tcp}");
    }
}
