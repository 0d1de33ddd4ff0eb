//! The adaptive decrease of ADW-BALIA, computed by hand.

use crate::group;
use anabranch_cc_model::{Tested, ack, assert_close, lose, settled};
use multipath_cc::{Ack, Group};

const ADW: [&str; 3] = ["adw-lia", "adw-olia", "adw-balia"];

/// A connection of equal paths whose round-trip times have so far been between 100 ms and 100 ms + D.
fn fluctuating(algorithm: &str, spreads: &[f64]) -> Tested {
    let mut group = settled(group(algorithm), &vec![(0.1, 40.0); spreads.len()]);
    for (r, spread) in spreads.iter().enumerate() {
        fluctuate(&mut group, r, *spread);
    }
    group
}

/// Samples of 100 ms and 100 ms + D on path `r`, which grow nothing and leave the smoothed time.
fn fluctuate(group: &mut Group, r: usize, spread: f64) {
    for rtt in [0.1, 0.1 + spread, 0.1] {
        group.on_ack(r, &Ack { acked: 0.0, rtt: Some(rtt), ..ack(1.0, 0.1) });
    }
}

/// With D up to the present loss.
fn running(name: &str) -> String {
    format!("{name} span=running")
}

/// D in seconds. The first A is their mean, 20 ms each time. d is 5 %, 15 % and 30 %, first of the largest
/// and then of the smallest; so are levels 0, 1 and 2, and the decreases 1/2, 3/8 and 1/4 of 40.
#[test]
fn levels_and_decreases() {
    let cases: [(&[f64], f64, f64); 8] = [
        (&[0.021, 0.019], 0.05, 20.0),
        (&[0.023, 0.017], 0.15, 25.0),
        (&[0.026, 0.014], 0.30, 30.0),
        (&[0.023, 0.0185, 0.0185], 0.15, 25.0),
        (&[0.017, 0.0215, 0.0215], 0.15, 25.0),
        (&[0.026, 0.017, 0.017], 0.30, 30.0),
        (&[0.014, 0.023, 0.023], 0.30, 30.0),
        (&[0.021, 0.019, 0.02, 0.02, 0.0205, 0.0195, 0.02, 0.02], 0.05, 20.0),
    ];
    for name in ADW {
        for (spreads, dissimilarity, left) in cases {
            let mut adw = fluctuating(&running(name), spreads);
            for (r, spread) in spreads.iter().enumerate() {
                assert_close(adw.see(r, "spread"), *spread, 1e-9);
            }
            lose(&mut adw, 1);
            assert_close(adw.path(1).cwnd, left, 1e-9);
            assert_eq!(adw.path(1).ssthresh, adw.path(1).cwnd);
            assert_close(adw.see(0, "mean_spread"), 0.02, 1e-9);
            assert_close(adw.see(0, "dissimilarity"), dissimilarity, 1e-6);
            assert_eq!(adw.see(0, "level"), (left - 20.0) / 5.0, "{name} {spreads:?}");
        }
    }
}

/// BALIA's own decrease is min(α, 3/2) halves. The worse path here has α = 4: 3/4 of 40 without a level,
/// then 5/8 and 1/2; with `fixed` 3/8 and 1/4 of it, as on the best path.
#[test]
fn a_level_is_taken_off_balias_decrease_or_off_a_half() {
    for (spreads, additive, fixed) in
        [([0.021, 0.019], 10.0, 10.0), ([0.023, 0.017], 15.0, 25.0), ([0.026, 0.014], 20.0, 30.0)]
    {
        for (variant, left) in [("additive", additive), ("fixed", fixed)] {
            let algorithm = running(&format!("adw-balia variant={variant}"));
            let mut adw = settled(group(&algorithm), &[(0.1, 160.0), (0.1, 40.0)]);
            assert_eq!(adw.see(1, "alpha"), 4.0);
            for (r, spread) in spreads.iter().enumerate() {
                fluctuate(&mut adw, r, *spread);
            }
            lose(&mut adw, 1);
            assert_close(adw.path(1).cwnd, left, 1e-9);
        }
    }
}

#[test]
fn thresholds_and_steps_can_be_set() {
    for (spreads, left) in [([0.023, 0.017], 20.0), ([0.0245, 0.0155], 30.0), ([0.026, 0.014], 40.0)] {
        let mut adw = fluctuating(&running("adw-lia low=0.2 high=0.25 step=0.5"), &spreads);
        lose(&mut adw, 0);
        assert_close(adw.path(0).cwnd, left, 1e-9);
    }
}

/// A ← 3/8 A + 5/8 mean D (Eq. 4); extremes restart on the path that lost, and only there.
#[test]
fn the_average_moves_and_extremes_restart() {
    for name in ADW {
        let mut adw = fluctuating(&running(name), &[0.020, 0.020]);
        assert!(adw.see(0, "mean_spread").is_nan(), "nothing was lost yet");
        lose(&mut adw, 0);
        assert_close(adw.see(0, "mean_spread"), 0.020, 1e-9);
        assert!(adw.see(0, "spread").is_nan(), "no sample since");
        assert_close(adw.see(1, "spread"), 0.020, 1e-9);
        // Path 0 fluctuates by 30 ms from now on: mean 25 ms, A = 7.5 + 15.625 = 23.125 ms, d = 30/A - 1.
        fluctuate(&mut adw, 0, 0.030);
        lose(&mut adw, 1);
        assert_close(adw.see(0, "mean_spread"), 0.023_125, 1e-9);
        assert_close(adw.see(0, "dissimilarity"), 30.0 / 23.125 - 1.0, 1e-6);
        assert_eq!(adw.see(0, "level"), 2.0);
        // Path 1 by 25 ms: mean 27.5 ms, A = 8.671875 + 17.1875 ms, d = 30/A - 1 = 16 %.
        fluctuate(&mut adw, 1, 0.025);
        lose(&mut adw, 0);
        assert_close(adw.see(0, "mean_spread"), 0.025_859_375, 1e-9);
        assert_eq!(adw.see(0, "level"), 1.0);
        // The loss was spurious: the average before it returns, and the extremes since the loss before it.
        adw.on_spurious(0);
        assert_close(adw.see(0, "mean_spread"), 0.023_125, 1e-9);
        assert_eq!(adw.see(0, "level"), 2.0);
        assert_close(adw.see(0, "spread"), 0.030, 1e-9);
    }
}

/// A timeout behind a loss is not a second one: the average stays, and so do the extremes since the loss.
#[test]
fn a_timeout_behind_a_loss_moves_nothing() {
    for name in ADW {
        let mut adw = fluctuating(&running(name), &[0.020, 0.020]);
        lose(&mut adw, 0);
        fluctuate(&mut adw, 0, 0.030);
        adw.on_timeout_again(0, 2.0);
        adw.on_ack(0, &Ack { acked: 0.0, ..ack(2.5, 0.1) }); // it counts again
        assert_close(adw.see(0, "mean_spread"), 0.020, 1e-9);
        assert_close(adw.see(0, "spread"), 0.030, 1e-9);
    }
}

/// With `complete` spans D is between a path's last two losses: 20 ms on path 0 until its next loss, whatever
/// its round-trip time has done since.
#[test]
fn complete_spans_end_with_a_paths_own_losses() {
    for name in ADW {
        let mut adw = fluctuating(&format!("{name} span=complete"), &[0.020, 0.026]);
        lose(&mut adw, 0);
        assert_close(adw.see(0, "spread"), 0.020, 1e-9);
        assert!(adw.see(1, "spread").is_nan(), "no second loss yet");
        assert_eq!((adw.path(0).cwnd, adw.see(0, "level")), (20.0, 0.0));
        fluctuate(&mut adw, 0, 0.001);
        lose(&mut adw, 1);
        // Mean 23 ms, A = 7.5 + 14.375 = 21.875 ms, d = 26/A - 1 = 18.9 %: 3/8 off 40.
        assert_close(adw.see(0, "mean_spread"), 0.021_875, 1e-9);
        assert_close(adw.path(1).cwnd, 25.0, 1e-9);
        adw.on_spurious(1);
        assert_close(adw.see(0, "mean_spread"), 0.020, 1e-9);
        assert_eq!((adw.path(1).cwnd, adw.see(1, "spread").is_nan()), (40.0, true));
        lose(&mut adw, 0);
        assert_close(adw.see(0, "spread"), 0.001, 1e-9);
    }
}

/// Undone is what the one loss did, not what another path's real loss has done since: path 0 has its window
/// and its D back, A and the level are still those of the loss on path 1. Undone in the opposite order, both
/// go.
#[test]
fn an_undo_keeps_what_other_paths_losses_did() {
    for (name, span) in ADW.iter().flat_map(|name| [(name, "running"), (name, "complete")]) {
        let algorithm = format!("{name} span={span}");
        let mut adw = fluctuating(&algorithm, &[0.020, 0.026]);
        let memory =
            |adw: &Tested| ["mean_spread", "dissimilarity", "level"].map(|what| adw.see(0, what).to_bits());
        let nothing = memory(&adw);
        lose(&mut adw, 0);
        let first = memory(&adw);
        fluctuate(&mut adw, 0, 0.030);
        lose(&mut adw, 1);
        let second = memory(&adw);
        assert!(nothing != first && first != second);
        let mut both = adw;
        both.on_spurious(0);
        assert_eq!(memory(&both), second, "{name} {span}: path 1 did lose");
        assert_eq!(both.path(0).cwnd, 40.0);
        both.on_spurious(1);
        assert_eq!(memory(&both), first);

        let mut adw = fluctuating(&algorithm, &[0.020, 0.026]);
        lose(&mut adw, 0);
        lose(&mut adw, 1);
        adw.on_spurious(1);
        assert_eq!(memory(&adw), first);
        adw.on_spurious(0);
        assert_eq!(memory(&adw), nothing);
    }
}

/// Two equal paths that lose together, an acknowledgement apart: with `running` the first has one sample by then, so D = 0 and 20
/// ms, A = 7.5 + 6.25 = 13.75 ms and d = max(20/A - 1, 1 - 0/A) = 1. `complete` compares
/// the intervals that have ended, 20 ms each.
#[test]
fn losses_in_step_are_alike_to_complete_spans_only() {
    for name in ADW {
        for (span, average, dissimilarity, level) in
            [("running", 0.01375, 1.0, 2.0), ("complete", 0.020, 0.0, 0.0)]
        {
            let mut adw = fluctuating(&format!("{name} span={span}"), &[0.020, 0.020]);
            lose(&mut adw, 0);
            adw.on_ack(0, &Ack { acked: 0.0, ..ack(1.0, 0.1) });
            lose(&mut adw, 1);
            assert_close(adw.see(1, "mean_spread"), average, 1e-9);
            assert_close(1.0 + adw.see(1, "dissimilarity"), 1.0 + dissimilarity, 1e-9);
            assert_eq!((adw.see(1, "level"), adw.path(1).cwnd), (level, 20.0 + 5.0 * level), "{name} {span}");
        }
    }
}

/// One path, one path with samples, and paths whose times do not change at all are similar.
#[test]
fn without_two_fluctuations_to_compare_a_loss_halves() {
    for name in ADW {
        for spreads in [&[0.02][..], &[0.0, 0.0]] {
            let mut adw = fluctuating(name, spreads);
            lose(&mut adw, 0);
            assert_eq!((adw.path(0).cwnd, adw.see(0, "level")), (20.0, 0.0));
        }
        let mut adw = fluctuating(&running(name), &[0.03, 0.02]);
        lose(&mut adw, 0);
        lose(&mut adw, 1); // path 0 has no sample since its loss
        assert_eq!((adw.path(1).cwnd, adw.see(0, "level")), (20.0, 0.0));
    }
}

#[test]
fn the_average_goes_with_the_last_path() {
    for name in ADW {
        let mut adw = fluctuating(&running(name), &[0.04, 0.02]);
        lose(&mut adw, 0);
        adw.remove_path(0);
        assert_close(adw.see(0, "mean_spread"), 0.03, 1e-9);
        adw.remove_path(1);
        assert!(adw.see(0, "mean_spread").is_nan());
        adw.add_path(0.1, 40.0);
        adw.add_path(0.1, 40.0);
        assert!(adw.see(0, "mean_spread").is_nan());
        fluctuate(&mut adw, 0, 0.01);
        fluctuate(&mut adw, 1, 0.01);
        lose(&mut adw, 0);
        assert_close(adw.see(0, "mean_spread"), 0.01, 1e-9);
    }
}

/// The increase is the underlying algorithm's.
#[test]
fn the_increase_is_the_bases() {
    for base in ["lia", "olia", "balia"] {
        let paths = [(0.1, 40.0), (0.02, 30.0), (0.2, 100.0)];
        let mut plain = settled(group(base), &paths);
        let mut adw = settled(group(&format!("adw-{base}")), &paths);
        for i in 0..300 {
            let r = i % 3;
            for group in [&mut plain, &mut adw] {
                group.on_ack(r, &ack(i as f64, paths[r].0));
            }
            assert_eq!(plain.path(r).cwnd, adw.path(r).cwnd, "{base}");
        }
    }
}

/// The text's reading is the default: `fixed` with `complete`. The worse path has α = 4 and would lose 3/4; its D
/// of 26 ms against the other's 20 ms is 18.9 % off A (see above), level 1, and a constant 3/8 is taken off 40.
#[test]
fn the_default_is_what_the_text_says() {
    let mut adw = settled(group("adw-balia"), &[(0.1, 160.0), (0.1, 40.0)]);
    fluctuate(&mut adw, 0, 0.020);
    fluctuate(&mut adw, 1, 0.026);
    lose(&mut adw, 0);
    lose(&mut adw, 1);
    assert_eq!(adw.see(1, "level"), 1.0);
    assert_close(adw.path(1).cwnd, 25.0, 1e-9);
}
