//! HighSpeed TCP against RFC 3649: its table, its response function.

use crate::group;
use anabranch_cc_model::{Loss, Model, Random, ack, assert_close, lose, on_path};

/// RFC 3649, appendix B: from window w on, a(w) and b(w).
const TABLE: [(f64, f64, f64); 24] = [
    (38., 1., 0.50),
    (118., 2., 0.44),
    (221., 3., 0.41),
    (347., 4., 0.38),
    (495., 5., 0.37),
    (663., 6., 0.35),
    (851., 7., 0.34),
    (1058., 8., 0.33),
    (1284., 9., 0.32),
    (1529., 10., 0.31),
    (1793., 11., 0.30),
    (2076., 12., 0.29),
    (2378., 13., 0.28),
    (3399., 16., 0.27),
    (5036., 20., 0.25),
    (7558., 25., 0.22),
    (10661., 30., 0.21),
    (15265., 36., 0.19),
    (21013., 42., 0.17),
    (30975., 50., 0.15),
    (48961., 60., 0.13),
    (64851., 66., 0.11),
    (84035., 71., 0.10),
    (94717., 73., 0.09),
];

fn a_and_b(w: f64) -> [f64; 2] {
    let highspeed = on_path(group("highspeed"), 0.1, w);
    ["a", "b"].map(|name| highspeed.see(0, name))
}

/// The table prints b with two digits and truncates a. Its p is 1/(12.8 w^1.2), where section 5 has
/// 10^-3 (w/38)^-1.1978, from 10^-3 at 38 to 10^-7 at 83 000 segments; a is in proportion to p.
#[test]
fn table_follows_from_the_formulas() {
    let power = 1e4f64.ln() / (83_000.0f64 / 38.0).ln();
    for (w, a, b) in TABLE {
        let [ours_a, ours_b] = a_and_b(w);
        assert!((ours_b - b).abs() <= 0.0051, "b({w}) = {ours_b}, {b} in the table");
        let tables_a = ours_a / (12.8 * w.powf(1.2) * 1e-3 * (w / 38.0).powf(-power));
        assert!((a - 0.01..a + 1.0).contains(&tables_a), "a({w}) = {tables_a}, {a} in the table");
    }
}

/// §5: "a(w) = 72 segments, for b(w) = 0.1" at 83 000 segments, and Reno's up to 38.
#[test]
fn high_and_low_windows_have_the_values_of_the_text() {
    let [a, b] = a_and_b(83_000.0);
    assert_close(a, 72.0, 0.01);
    assert_close(b, 0.1, 1e-12);
    assert_eq!([2.0, 10.0, 38.0].map(a_and_b), [[1.0, 0.5]; 3]);
}

#[test]
fn increase_and_decrease_are_a_and_b() {
    for (w, _, _) in TABLE {
        let mut highspeed = on_path(group("highspeed"), 0.1, w);
        let b = highspeed.see(0, "b");
        lose(&mut highspeed, 0);
        let kept = highspeed.path(0).cwnd;
        assert_close(kept, (1.0 - b) * w, 1e-12);
        let a = highspeed.see(0, "a");
        highspeed.on_ack(0, &ack(1.0, 0.1));
        assert_close(highspeed.path(0).cwnd, kept + a / kept, 1e-12);
    }
}

/// RFC 3649 §5: W = 0.12/p^0.835 up to p = 1e-3, from there Reno's 1.2/√p. The formulas behind a(w) take
/// the window as constant over a cycle, which is why 5 % are allowed.
#[test]
fn response_function_is_the_rfcs() {
    for p in [1e-4, 1e-5, 1e-6, 1e-7] {
        let expected = 0.12 / f64::powf(p, 0.835);
        let mut model = Model::new(group("highspeed")).path(0.1, Loss::Every(1.0 / p), expected);
        model.acks_per_rtt = 50.0;
        let mean = model.mean(20, 20);
        assert_close(mean, expected, 0.05);
    }
}

/// Below Low_Window it is Reno, loss by loss.
#[test]
fn at_high_loss_it_is_reno() {
    let model = |name| Model::new(group(name)).path(0.1, Loss::Bernoulli(0.02, Random(3)), 12.0);
    let (mut highspeed, mut reno) = (model("highspeed"), model("reno"));
    for _ in 0..5000 {
        highspeed.step();
        reno.step();
        if reno.group.path(0).cwnd > 37.0 {
            break;
        }
        assert_eq!(highspeed.group.path(0).cwnd, reno.group.path(0).cwnd);
    }
}
