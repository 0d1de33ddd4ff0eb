//! Out-of-tree MPTCP's arithmetic, against its integers worked out by hand.

use crate::group;
use anabranch_cc_model::{RENO_FAMILY, ack, added, assert_close, left, on_path, quiet, settled};
use multipath_cc::Ack;

#[test]
fn an_acknowledgement_counts_as_one_segment_or_as_its_segments() {
    let paths = [(0.1, 40.0), (0.05, 30.0)];
    for name in RENO_FAMILY.into_iter().chain(["coupled-cubic", "coupled-cubic-a1"]) {
        let one = added(group(name), &paths, 0, 1.0);
        assert!(one > 0.0, "{name}");
        assert_close(added(group(name), &paths, 0, 2.0), 2.0 * one, 1e-9);
        let per_ack = format!("{name} count=acks");
        for acked in [1.0, 2.0, 7.0] {
            assert_close(added(group(&per_ack), &paths, 0, acked), one, 1e-9);
        }
        assert_close(added(group(&per_ack), &paths, 0, 0.5), one / 2.0, 1e-9);
    }
}

#[test]
fn slow_start_counts_segments_all_the_same() {
    for name in RENO_FAMILY.into_iter().chain(["coupled-cubic"]) {
        let mut connection = on_path(group(&format!("{name} count=acks")), 0.1, 10.0);
        connection.on_ack(0, &Ack { acked: 2.0, delivered: 2.0, ..ack(0.1, 0.1) });
        assert_eq!(connection.path(0).cwnd, 12.0, "{name}");
    }
}

/// Two alike paths: α/Σw = 1/(4w), so the kernel has ⌊1024/w⌋ of 1/4096, at least one, and counts to 4096 over
/// that: 409 at w = 100 (exactly 400), 1024 at 256, 4096 at 700 (2800) and at 2000 (8000).
#[test]
fn lia_counts_to_an_integer() {
    for (w, steps) in [(100.0, 409.0), (256.0, 1024.0), (700.0, 4096.0), (2000.0, 4096.0)] {
        let paths = [(0.1, w), (0.1, w)];
        assert_close(added(group("lia@v0"), &paths, 0, 2.0), 1.0 / steps, 1e-9);
        assert_close(added(group("lia"), &paths, 0, 1.0), 1.0 / (4.0 * w), 1e-9);
    }
    // 4096 · 100/(100 + 0.3)² = 40.7, and ⌊4096/40⌋ = 102, whatever the window; below a window, that is it.
    let paths = [(0.01, 100.0), (0.1, 3.0)];
    assert_close(added(group("lia@v0"), &paths, 1, 2.0), 1.0 / 102.0, 1e-9);
    let paths = [(0.01, 100.0), (0.1, 300.0)];
    assert_close(added(group("lia@v0"), &paths, 1, 2.0), 1.0 / 300.0, 1e-9);
    // One path alone counts to its window.
    assert_close(added(group("lia@v0"), &[(0.1, 5000.0)], 0, 2.0), 1.0 / 5000.0, 1e-8);
}

/// Two alike paths: 1024/(4w) of 1/1024 segment, without the fraction.
#[test]
fn olia_adds_whole_parts_of_a_segment() {
    for (w, parts) in [(50.0, 5.0), (100.0, 2.0), (200.0, 1.0), (257.0, 0.0), (1000.0, 0.0)] {
        let grown = added(group("olia@v0"), &[(0.1, w), (0.1, w)], 0, 2.0);
        assert!((grown - parts / 1024.0).abs() < 1e-12, "{w}: {grown}");
    }
    // A window of M against a better path: 40/78² - 1/(2·40) = -0.005925, which is -6.07/1024.
    let mut connection = settled(group("olia@v0"), &[(0.1, 40.0), (0.1, 38.0)]);
    connection.on_ack(1, &Ack { acked: 0.0, delivered: 1000.0, ..ack(0.5, 0.1) });
    assert_eq!(connection.see(0, "a"), -0.5);
    connection.on_ack(0, &Ack { acked: 2.0, delivered: 2.0, ..ack(1.0, 0.1) });
    assert!((connection.path(0).cwnd - (40.0 - 6.0 / 1024.0)).abs() < 1e-12);
}

/// A path alone is the fastest, so a loss halves its window, however w/T · T/w is rounded.
#[test]
fn balia_halves_the_fastest_paths_window_whatever_rounding_does() {
    let rounded_down = |w: f64, rtt: f64| (w / rtt) * rtt / w < 1.0;
    let cases = (3..2000).flat_map(|w| [0.0137, 0.1, 0.3, 3.35].map(|rtt| (rtt, f64::from(w))));
    let cases: Vec<_> = cases.filter(|&(rtt, w)| rounded_down(w, rtt)).collect();
    assert!(cases.len() > 100, "{}", cases.len());
    for (rtt, w) in cases {
        for algorithm in ["balia@v0", "adw-balia@v0"] {
            assert_eq!(left(group(algorithm), &[(rtt, w)], 0), w / 2.0, "{algorithm} {rtt} {w}");
        }
    }
}

/// `max_rate / rate` in integers is 1 up to twice the rate: the kernel halves where the paper takes up to ¾.
#[test]
fn balia_divides_in_integers() {
    for (w, real, integer) in [(40.0, 20.0, 20.0), (25.0, 6.25, 12.5), (21.0, 5.25, 10.5), (20.0, 5.0, 5.0)] {
        let paths = [(0.1, 40.0), (0.1, w)];
        for algorithm in ["balia", "adw-balia"] {
            assert_close(left(group(algorithm), &paths, 1), real, 1e-12);
            assert_close(left(group(&format!("{algorithm}@v0")), &paths, 1), integer, 1e-12);
            assert_close(left(group(&format!("{algorithm}@v0 quotient=real")), &paths, 1), real, 1e-12);
        }
    }
    // 3 - 3/2 · 3/2 is below one segment.
    assert_eq!(left(group("balia@v0"), &[(0.1, 40.0), (0.1, 3.0)], 1), 1.0);
    assert_eq!(left(group("balia"), &[(0.1, 40.0), (0.1, 3.0)], 1), 2.0);
}

#[test]
fn the_floor_is_two_segments_or_one() {
    let paths = [(0.1, 100.0), (0.1, 3.0)];
    for (floor, least) in [(1.0, 1.0), (1.5, 1.5), (2.0, 2.0)] {
        assert_eq!(left(group(&format!("coupled floor={floor}")), &paths, 1), least);
    }
    assert_eq!(left(group("coupled"), &paths, 1), 2.0);
    for algorithm in ["lia@v0", "olia@v0"] {
        assert_eq!(left(group(algorithm), &[(0.1, 3.0)], 0), 2.0, "Reno's");
    }
}

/// A round without queue: judged, it adds a segment; with two samples or fewer it adds what its last
/// acknowledgement covers over the window.
#[test]
fn wvegas_judges_no_round_of_two_samples() {
    for (name, samples, expected) in
        [("wvegas@v0", 2, 2.0 / 50.0), ("wvegas@v0", 3, 1.0), ("wvegas", 2, 1.0), ("wvegas", 1, 1.0)]
    {
        let mut connection = quiet(group(name), &[(0.1, 50.0)]);
        let (before, round) = (connection.path(0).cwnd, connection.path(0).round);
        for i in 1..=samples {
            let round = round + u64::from(i == samples);
            connection.on_ack(0, &Ack { acked: 2.0, delivered: 2.0, round, ..ack(9.0, 0.1) });
        }
        assert_close(connection.path(0).cwnd - before, expected * 50.0 / before, 0.02 + before / 50.0 - 1.0);
    }
}
