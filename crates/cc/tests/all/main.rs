//! The algorithms from outside: events in, windows out, held against RFCs, papers and closed forms.

mod adw;
mod balia;
mod bbr;
mod compound;
mod coupled;
mod coupled_cubic;
mod cubic;
mod cubic_law;
mod cubic_linux;
mod ewtcp;
mod highspeed;
mod hystart;
mod idle;
mod independent;
mod lia;
mod linked_bbr;
mod linked_cubic;
mod measurements;
mod olia;
mod one_path;
#[cfg(feature = "noq")]
mod quic;
mod registry;
mod reno;
mod v0;
mod vegas;
mod wcompound;
mod windows;
mod wvegas;

use anabranch_cc_model::Tested;

/// A group of an algorithm, whose parameters may follow its name.
fn group(algorithm: &str) -> Tested {
    Tested::new(multipath_cc::registry::find, algorithm)
}
