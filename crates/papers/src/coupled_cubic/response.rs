//! A-T1 and A-F2: response functions, by formula and by packets.

use crate::paper::Definition;
use crate::scenarios;
use anabranch_study::draw::{lines, log_axis, point, published, series};
use anabranch_study::{Figure, Point, Rule, Setup, Size};
use anabranch_study::{Plan, SetupId, measure};

/// The RTT of Tab. 1 and Fig. 2, in seconds.
const RTT: f64 = 0.1;

/// Tab. 1: loss rate, and the mean window of Reno and of CUBIC with each C of [`VARIANTS`].
pub(super) const TABLE_1: [(f64, [f64; 4]); 7] = [
    (1e-2, [12.0, 12.0, 12.0, 12.0]),
    (1e-3, [38.0, 38.0, 38.0, 59.0]),
    (1e-4, [120.0, 120.0, 187.0, 333.0]),
    (1e-5, [379.0, 593.0, 1054.0, 1874.0]),
    (1e-6, [1200.0, 3332.0, 5926.0, 10538.0]),
    (1e-7, [3795.0, 18740.0, 33325.0, 59267.0]),
    (1e-8, [12000.0, 105_383.0, 187_400.0, 333_250.0]),
];

/// A column of Tab. 1.
#[derive(Clone, Copy)]
struct Variant {
    /// In rows' identifiers.
    id: &'static str,
    name: &'static str,
    /// CUBIC's C, in segments/s³; `None` is Reno.
    c: Option<f64>,
}

const VARIANTS: [Variant; 4] = [
    Variant { id: "reno", name: "Reno", c: None },
    Variant { id: "cubic-c0.04", name: "CUBIC, C = 0.04", c: Some(0.04) },
    Variant { id: "cubic-c0.4", name: "CUBIC, C = 0.4", c: Some(0.4) },
    Variant { id: "cubic-c4", name: "CUBIC, C = 4", c: Some(4.0) },
];
const RENO: Variant = VARIANTS[0];
const CUBIC: Variant = VARIANTS[2];

/// Eq. 6 (lower row) with the constant of Tab. 1.
fn reno_window(p: f64) -> f64 {
    1.2 / p.sqrt()
}

/// Eq. 6 (upper row): CUBIC's mean window for the *decrease* `beta`, away from Reno's.
fn cubic_window(c: f64, beta: f64, p: f64) -> f64 {
    (c * (4.0 - beta) / (4.0 * beta)).powf(0.25) * (RTT / p).powf(0.75)
}

/// Eq. 7: the loss rate at which the rows of Eq. 6 meet, for the decrease `beta`.
pub(super) fn crossing(beta: f64) -> f64 {
    0.4 * (4.0 - beta) / (4.0 * beta) * RTT.powi(3) * 10f64.powf(-0.36)
}

impl Variant {
    /// The mean window by Eq. 6, with the decrease of 0.3 that Tab. 1 is computed with.
    fn window(self, p: f64) -> f64 {
        self.c.map_or(0.0, |c| cubic_window(c, 0.3, p)).max(reno_window(p))
    }

    /// What the formula leaves out.
    fn offset(self, loss: Loss) -> &'static str {
        match (loss, self.c) {
            (Loss::Bernoulli, _) => "The formula assumes periodic loss: the row above has that.",
            (Loss::EveryNth, None) => {
                "The formula leaves out the time spent in recovery, which is most where cycles are short."
            }
            (Loss::EveryNth, Some(_)) => {
                "The formula leaves out fast convergence (rows without it stand below, at 1e-4 and 1e-5), the way from the \
                 run's start into the cycle, and that near the crossing with Reno's region the mean of the larger window \
                 exceeds the larger mean."
            }
        }
    }

    fn cc(self, fast_convergence: bool) -> String {
        match self.c {
            None => "reno".into(),
            Some(c) => format!("{{ name = \"cubic\", c = {c:?}, fast_convergence = {fast_convergence} }}"),
        }
    }
}

/// A loss process.
#[derive(Clone, Copy, PartialEq)]
enum Loss {
    EveryNth,
    Bernoulli,
}

impl Loss {
    fn name(self) -> &'static str {
        match self {
            Loss::EveryNth => "every n-th packet lost",
            Loss::Bernoulli => "Bernoulli loss",
        }
    }

    fn id(self) -> &'static str {
        match self {
            Loss::EveryNth => "nth",
            Loss::Bernoulli => "bernoulli",
        }
    }

    /// Loss epochs of warm-up, and over which the window is averaged, as many as packets allow. Periodic loss needs a
    /// long warm-up, because its cycle attracts slowly (2 million packets, between 5 and 200 epochs), and then few
    /// epochs (1 million, 6 to 100); random loss needs the opposite (4 million, 12 to 400).
    fn epochs(self, size: Size, p: f64) -> (f64, f64) {
        match self {
            Loss::EveryNth => (
                (size.own(2e6) * p).clamp(5.0, size.own(200.0)),
                (size.own(1e6) * p).clamp(6.0, size.own(100.0)),
            ),
            Loss::Bernoulli => (6.0, (size.own(4e6) * p).clamp(12.0, size.own(400.0))),
        }
    }

    /// The receive window, in multiples of the expected mean: periodic windows swing by a third, random ones exceed
    /// 16 means less than once in 10⁶ epochs.
    fn headroom(self) -> f64 {
        match self {
            Loss::EveryNth => 3.0,
            Loss::Bernoulli => 16.0,
        }
    }
}

/// A flow of that kind under that loss; its mean window is the result.
fn setup(size: Size, variant: Variant, p: f64, loss: Loss, fast_convergence: bool) -> Setup {
    let window = variant.window(p);
    let epoch_s = RTT / (p * window);
    let (warmup, measured) = loss.epochs(size, p);
    // Recovery takes a few round trips even where epochs are short.
    let (warmup_s, measured_s) = ((warmup * epoch_s).max(5.0), measured * epoch_s);
    let fast = if fast_convergence || variant.c.is_none() { "" } else { ", no fast convergence" };
    let setup =
        Setup::new(format!("{}{fast}, {}, p = {p:e}", variant.name, loss.name()), &scenarios::LOSSY_LINK)
            .set("flows.tcp.cc", variant.cc(fast_convergence))
            .set("flows.tcp.tcp.receive_buffer", format!("{:.0} B", loss.headroom() * window * 1448.0))
            .lasting(warmup_s + measured_s, warmup_s);
    match loss {
        Loss::EveryNth => setup.every_nth("link", (1.0 / p).round() as u64),
        Loss::Bernoulli => setup.bernoulli("link", p),
    }
}

fn window(setup: SetupId) -> anabranch_study::Quantity {
    measure(setup, |run| run.cwnd("tcp", 0))
}

/// The loss rates simulated: 1e-6 takes millions of packets per epoch, too many for the quick size.
fn simulated(size: Size, p: f64) -> bool {
    p > if size == Size::Quick { 0.5e-5 } else { 0.5e-6 }
}

pub(super) const TABLE: Definition = Definition {
    ids: &["A-T1"],
    title: "Mean windows of Reno and CUBIC by loss rate",
    notes: &[
        "RTT 100 ms. Formula: Eq. 6 with the constants that the table was computed with (Reno 1.2/√p, \
         CUBIC's decrease 0.3).",
        "Packets: one flow on a link that is never full. \"Every n-th packet lost\" is what the formula \
         assumes, \"Bernoulli\" is nearer to a real path. CUBIC is that of RFC 9438, with fast convergence; \
         the formula does not know it, so at 1e-4 and 1e-5 rows without it are added, and both are judged.",
        "Runs last as many loss epochs (1/p packets each) as fit into a number of packets. Every n-th packet lost: \
         2 million of warm-up (between 5 and 200 epochs) and 1 million measured (6 to 100 epochs). Bernoulli loss: \
         6 epochs of warm-up and 4 million packets measured (12 to 400 epochs). The full size has four times, the \
         quick one a tenth of these packets and most epochs; the quick one leaves out 1e-6.",
        "A deviation from the cycle that the formula describes shrinks with its third power only: periodic loss at 1e-5 and \
         1e-6, with 20 and 5 epochs of warm-up, may show part of the way there.",
        "The receive window, 16 (periodic loss: 3) times the expected mean, ends the first slow start.",
    ],
    plan: table,
};

fn table(size: Size) -> Plan {
    let mut plan = Plan::new();
    for (p, printed) in TABLE_1 {
        for (variant, printed) in VARIANTS.into_iter().zip(printed) {
            let (id, name) = (format!("A-T1.{p:e}.{}", variant.id), format!("{}, p = {p:e}", variant.name));
            plan.formula(format!("{id}.formula"), format!("{name}: Eq. 6"), "segments", variant.window(p))
                .printed(printed);
            if !simulated(size, p) {
                continue;
            }
            for loss in [Loss::EveryNth, Loss::Bernoulli] {
                let run = plan.simulate(setup(size, variant, p, loss, true));
                let row = format!("{id}.{}", loss.id());
                plan.row(row, format!("{name}: {}", loss.name()), "segments", window(run))
                    .published(printed)
                    .because(variant.offset(loss));
            }
        }
        // CUBIC's cubic region.
        if simulated(size, p) && (0.5e-5..2e-4).contains(&p) {
            for loss in [Loss::EveryNth, Loss::Bernoulli] {
                let run = plan.simulate(setup(size, CUBIC, p, loss, false));
                let id = format!("A-T1.{p:e}.{}.{}-no-fast-convergence", CUBIC.id, loss.id());
                let what = format!("{}, p = {p:e}: {}, without fast convergence", CUBIC.name, loss.name());
                plan.row(id, what, "segments", window(run)).published(printed[2]).because(match loss {
                    Loss::EveryNth => {
                        "In the formula's cycle each loss finds the window back at W_max. A deviation from it shrinks with its \
                         third power only, and runs start at up to 3 means; no row has a longer warm-up."
                    }
                    Loss::Bernoulli => CUBIC.offset(loss),
                });
            }
        }
    }
    plan
}

pub(super) const FUNCTION: Definition = Definition {
    ids: &["A-F2"],
    title: "Response functions, and where CUBIC leaves Reno",
    notes: &[
        "Eq. 7 with the printed β = 0.7 gives the text's \"about 0.0002\" at 100 ms; the decrease of 0.3, \
         which Eq. 9 and Tab. 1 need, gives 5.4e-4. At p = 3e-4, between the two, the readings differ in \
         whether CUBIC's window exceeds Reno's: packets decide.",
    ],
    plan: function,
};

fn function(size: Size) -> Plan {
    const BETWEEN: f64 = 3e-4;
    let mut plan = Plan::new();
    plan.formula("A-F2.crossing-printed", "Eq. 7, T = 100 ms, β = 0.7 as printed", "", crossing(0.7))
        .published(2e-4);
    plan.formula("A-F2.crossing-decrease", "Eq. 7, T = 100 ms, β = 0.3, CUBIC's decrease", "", crossing(0.3));

    let reno = plan.simulate(setup(size, RENO, BETWEEN, Loss::EveryNth, true));
    let cubic = plan.simulate(setup(size, CUBIC, BETWEEN, Loss::EveryNth, true));
    plan.row(
        "A-F2.between",
        "CUBIC's mean window ÷ Reno's at p = 3e-4, RTT 100 ms (every n-th packet lost)",
        "",
        anabranch_study::compare(reno, cubic, |reno, cubic| Some(cubic.cwnd("tcp", 0)? / reno.cwnd("tcp", 0)?)),
    )
    .claim("CUBIC's window is Reno's where p > about 0.0002", Rule::Near(1.0))
    .because(format!(
        "0.0002 comes from evaluating Eq. 7 with β = 0.7; with CUBIC's decrease of 0.3 the crossing is at {:.1e}, \
         which makes CUBIC's window here {:.2} times Reno's.",
        crossing(0.3),
        (crossing(0.3) / BETWEEN).powf(0.25)
    ));

    let mut measured = Vec::new();
    for loss in [Loss::EveryNth, Loss::Bernoulli] {
        for variant in [RENO, CUBIC] {
            let losses = TABLE_1.iter().map(|(p, _)| *p).filter(|p| simulated(size, *p));
            let runs: Vec<(f64, SetupId)> =
                losses.map(|p| (p, plan.simulate(setup(size, variant, p, loss, true)))).collect();
            measured.push((format!("{}, {}", variant.name, loss.name()), runs));
        }
    }
    plan.figure(move |runs| {
        let losses: Vec<f64> = (0..=60).map(|i| 10f64.powf(-8.0 + f64::from(i) / 10.0)).collect();
        let curve =
            |w: &dyn Fn(f64) -> f64| -> Vec<Point> { losses.iter().map(|p| point(*p, w(*p))).collect() };
        let mut all = vec![
            published("Eq. 6, Reno", curve(&reno_window)),
            published("Eq. 6, CUBIC, β = 0.3", curve(&|p| cubic_window(0.4, 0.3, p).max(reno_window(p)))),
            published(
                "Eq. 6, CUBIC, β = 0.7 as printed",
                curve(&|p| cubic_window(0.4, 0.7, p).max(reno_window(p))),
            ),
        ];
        all.extend(measured.iter().map(|(name, points)| {
            series(name, points.iter().filter_map(|(p, run)| runs.point(*p, &window(*run))).collect())
        }));
        let panel = lines(
            "RTT 100 ms, C = 0.4",
            log_axis("packet loss rate"),
            log_axis("congestion window (segments)"),
            all,
        );
        Figure {
            id: "A-F2".into(),
            title: "Response function of congestion window according to packet loss rate".into(),
            panels: vec![panel],
        }
    });
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tab. 1 is Eq. 6, and the text's 0.0002 is Eq. 7 with 0.7: two readings of one letter.
    #[test]
    fn the_table_needs_a_decrease_of_three_tenths() {
        for (p, printed) in TABLE_1 {
            for (variant, printed) in VARIANTS.into_iter().zip(printed) {
                let error = (variant.window(p) - printed).abs();
                assert!(
                    error <= f64::max(1.0, 1e-3 * printed),
                    "{p:e} {}: {}",
                    variant.id,
                    variant.window(p)
                );
            }
        }
        assert!((crossing(0.7) - 2.06e-4).abs() < 0.005e-4);
        assert!((crossing(0.3) - 5.38e-4).abs() < 0.005e-4);
    }
}
