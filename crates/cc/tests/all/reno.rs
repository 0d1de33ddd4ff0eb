//! Reno's counting as on Linux.

use crate::group;
use anabranch_cc_model::{ack, lose, on_path};
use multipath_cc::Ack;

/// `tcp_cong_avoid_ai` adds a segment for each whole window that is acknowledged, and keeps the rest; `tcp_reno_ssthresh` halves the
/// whole window.
#[test]
fn whole_segments() {
    let mut group = on_path(group("reno"), 0.1, 10.0);
    group.count_whole(0);
    lose(&mut group, 0);
    assert_eq!(group.path(0).cwnd, 5.0);
    let steps = [
        (2.0, 5.0 + 2.0 / 5.0),
        (2.0, 5.0 + 4.0 / 5.0),
        (2.0, 6.0 + 1.0 / 6.0),
        (5.0, 7.0),
        (3.0, 7.0 + 3.0 / 7.0),
    ];
    for (acked, window) in steps {
        group.on_ack(0, &Ack { acked, ..ack(0.0, 0.1) });
        assert_eq!(group.path(0).cwnd, window);
    }
    lose(&mut group, 0);
    assert_eq!((group.path(0).cwnd, group.path(0).ssthresh), (3.0, 3.0));
}
