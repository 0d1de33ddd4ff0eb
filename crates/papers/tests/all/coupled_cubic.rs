//! The equations of paper A in the words and numbers of its file.

use anabranch_study::theory::{cubic_crossing, lia_alpha, virtual_reno};

/// Reno's constant in Eq. 8, and in Eq. 6.
const RENO: [f64; 2] = [1.224_745, 1.230_269];

/// Numbers in errata, notes and reasons are those that the equations give.
#[test]
fn numbers_in_texts_are_computed() {
    let file = include_str!("../../../../studies/papers/COUPLED-CUBIC/coupled-cubic.toml");
    // Without its breaks of lines within strings.
    let file: String = file.split("\\\n").map(str::trim_start).collect();
    let has = |text: String| assert!(file.contains(&text), "{text}");
    let eq_10 = |decrease, reno| format!("{:.0}", virtual_reno(5950.0, 0.4, decrease, 0.1, reno));
    has(format!("{} at 100 ms", eq_10(0.3, RENO[0])));
    has(format!("{} to {}", eq_10(0.7, RENO[0]), eq_10(0.7, RENO[1])));
    let alphas = [0.02, 0.04].map(|rtt_2| lia_alpha([(1493.0, 0.1), (68.0, rtt_2)]));
    has(format!("{:.2} to {:.2}", alphas[0], alphas[1]));
    has(format!("{:.2} to {:.2}", alphas[0].sqrt(), alphas[1].sqrt()));
    assert_eq!([4730.0 / 5950.0, 1182.0 / 1493.0].map(|ratio: f64| format!("{ratio:.2}")), ["0.79", "0.79"]);
    // Where Eq. 7 is evaluated with CUBIC's decrease, and what that means at 3e-4.
    let crossing = cubic_crossing(0.4, 0.3, 0.1);
    has(format!(
        "the crossing is at {crossing:.1e}, which makes CUBIC's window here {:.2} times",
        (crossing / 3e-4).powf(0.25)
    ));
}
