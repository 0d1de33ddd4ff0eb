//! BBR driven by acknowledgements, against the numbers of draft-ietf-ccwg-bbr-06; its sections are named.

use crate::group;
use anabranch_cc_model::{Tested, assert_close, on_path};
use multipath_cc::{Ack, Congestion, LostSegment, RateSample, Signal};

const RTT: f64 = 0.1;
/// States by number: see the observable `state`.
const STARTUP: f64 = 0.0;
const DRAIN: f64 = 1.0;
const DOWN: f64 = 2.0;
const CRUISE: f64 = 3.0;
const REFILL: f64 = 4.0;
const UP: f64 = 5.0;
const PROBE_RTT: f64 = 6.0;
/// More than any model's BDP here.
const MUCH: f64 = 1e6;

/// A flow that hears one acknowledgement per round trip.
struct Flow {
    group: Tested,
    now: f64,
    delivered: f64,
    in_flight: f64,
    rtt: f64,
    app_limited: bool,
    in_recovery: bool,
}

impl Flow {
    fn new() -> Flow {
        let group = on_path(group("bbr"), RTT, 10.0);
        let (now, delivered, in_flight, rtt) = (0.0, 0.0, MUCH, RTT);
        Flow { group, now, delivered, in_flight, rtt, app_limited: false, in_recovery: false }
    }

    /// A flow whose model says `bw` segments per second, in CRUISE.
    fn cruising(bw: f64) -> Flow {
        let mut flow = Flow::new();
        (0..5).for_each(|_| flow.round(bw));
        flow.in_flight = 0.0;
        flow.round(bw);
        assert_eq!(flow.observe("state"), CRUISE);
        flow
    }

    /// The same in UP.
    fn probing(bw: f64) -> Flow {
        let mut flow = Flow::cruising(bw);
        flow.until(UP, bw);
        flow
    }

    /// A round in which `rate` segments per second are delivered.
    fn round(&mut self, rate: f64) {
        self.now += RTT;
        let Flow { app_limited, in_recovery, .. } = *self;
        let tx_in_flight = rate * RTT;
        let sample = RateSample { tx_in_flight, app_limited, in_recovery, ..RateSample::default() };
        self.deliver(rate * RTT, RTT, sample);
    }

    /// Segments are delivered in this interval; the rest of the sample is given.
    fn deliver(&mut self, segments: f64, interval: f64, rest: RateSample) {
        let Flow { now, delivered: prior_delivered, in_flight, rtt, .. } = *self;
        self.delivered += segments;
        let sample = RateSample { total_delivered: self.delivered, prior_delivered, interval, ..rest };
        let ack = Ack { srtt: RTT, in_flight, rate: Some(sample), ..Ack::of(now, sample.delivered(), rtt) };
        self.group.on_ack(0, &ack);
    }

    /// Rounds until the flow is in `state`.
    fn until(&mut self, state: f64, rate: f64) {
        for _ in 0..1000 {
            if self.observe("state") == state {
                return;
            }
            self.round(rate);
        }
        panic!("never in state {state}");
    }

    fn congestion(&mut self, signal: Signal) {
        self.group.on_congestion(0, &Congestion { now: self.now, signal });
    }

    /// Segment `number` is the `lost`-th lost of `tx_in_flight`.
    fn lose(&mut self, number: u64, lost: f64, tx_in_flight: f64) {
        let (now, total_delivered) = (self.now, self.delivered);
        let segment = LostSegment { now, number, total_delivered, lost, tx_in_flight, app_limited: false };
        self.group.on_lost(0, &segment);
    }

    fn observe(&self, name: &str) -> f64 {
        self.group.see(0, name)
    }

    fn pacing_rate(&self) -> f64 {
        self.group.path(0).pacing_rate.unwrap()
    }

    fn cwnd(&self) -> f64 {
        self.group.path(0).cwnd
    }
}

/// §5.6.2: 2.77 w/RTT before the first sample, then 2.77 times the bandwidth less 1 %, and not less.
#[test]
fn startup_paces_at_2_77() {
    let mut flow = Flow::new();
    assert_close(flow.pacing_rate(), 2.77 * 10.0 / RTT, 1e-12);
    flow.round(50.0);
    assert_close(flow.pacing_rate(), 2.77 * 10.0 / RTT, 1e-12);
    flow.round(1000.0);
    assert_close(flow.pacing_rate(), 2.77 * 0.99 * 1000.0, 1e-12);
    assert_eq!((flow.observe("pacing_gain"), flow.observe("cwnd_gain")), (2.77, 2.0));
}

/// §5.3.1.2: three rounds with less than 25 % more, which a round with 25 % more begins anew.
#[test]
fn startup_ends_after_three_rounds_without_growth() {
    for (rates, full) in [
        (&[100.0, 200.0, 400.0, 490.0, 490.0, 490.0][..], true),
        (&[100.0, 200.0, 400.0, 490.0, 490.0][..], false),
        (&[100.0, 200.0, 400.0, 490.0, 500.0, 500.0, 500.0][..], false),
        (&[100.0, 200.0, 400.0, 490.0, 500.0, 500.0, 500.0, 500.0][..], true),
    ] {
        let mut flow = Flow::new();
        rates.iter().for_each(|rate| flow.round(*rate));
        assert_eq!(flow.observe("state"), if full { DRAIN } else { STARTUP }, "{rates:?}");
    }
    let mut flow = Flow::new();
    flow.app_limited = true;
    (0..20).for_each(|_| flow.round(100.0));
    assert_eq!(flow.observe("state"), STARTUP, "the application limits (A.7)");
}

/// §5.3.1.3: in recovery for a round, more than 2 % lost, in six ranges at least. The bound is then what
/// was delivered, or the BDP.
#[test]
fn startup_ends_where_much_is_lost() {
    for (step, lost, ended) in [(2, 6, true), (1, 6, false), (2, 5, false), (2, 2, false)] {
        let mut flow = Flow::new();
        flow.round(1000.0);
        flow.congestion(Signal::Loss);
        (0..lost).for_each(|k| flow.lose(step * k, k as f64 + 1.0, 200.0));
        flow.in_recovery = true;
        flow.now += RTT;
        let lost = lost as f64;
        let sample = RateSample { lost, tx_in_flight: 200.0, in_recovery: true, ..RateSample::default() };
        flow.deliver(300.0, 0.2, sample);
        assert_eq!(flow.observe("state"), if ended { DRAIN } else { STARTUP }, "{lost} lost, {step} apart");
        if ended {
            // 300 in 0.2 s over 0.1 s are 150, less than the 300 that were delivered.
            assert_eq!(flow.observe("inflight_longterm"), 300.0);
        }
    }
}

/// §5.3.2: half the rate until no more than a BDP is in flight, or for three rounds.
#[test]
fn drain_halves_the_rate() {
    let mut flow = Flow::new();
    (0..4).for_each(|_| flow.round(1000.0));
    assert_eq!(flow.observe("state"), DRAIN);
    assert_close(flow.pacing_rate(), 0.5 * 0.99 * 1000.0, 1e-12);
    assert_eq!(flow.observe("cwnd_gain"), 2.0);
    flow.in_flight = 101.0;
    flow.round(1000.0);
    assert_eq!(flow.observe("state"), DRAIN, "the BDP is 100");
    flow.in_flight = 100.0;
    flow.round(1000.0);
    assert_eq!(flow.observe("state"), CRUISE, "with no queue, DOWN is over at once");

    let mut flow = Flow::new();
    (0..4).for_each(|_| flow.round(1000.0));
    (0..3).for_each(|_| flow.round(1000.0));
    assert_eq!(flow.observe("state"), DRAIN);
    flow.round(1000.0);
    assert_eq!(flow.observe("state"), DOWN);
}

/// §5.6.1: gains of the states of ProbeBW; the order in which they come.
#[test]
fn the_cycle_of_probe_bw() {
    let mut flow = Flow::cruising(1000.0);
    assert_close(flow.pacing_rate(), 0.99 * 1000.0, 1e-12);
    // Two BDPs, and the 100 segments of one acknowledgement, beyond what the rate explains (§5.5.9).
    assert_close(flow.cwnd(), 300.0, 1e-9);
    flow.until(REFILL, 1000.0);
    assert_close(flow.pacing_rate(), 0.99 * 1000.0, 1e-12);
    flow.round(1000.0);
    assert_eq!(flow.observe("state"), UP, "REFILL takes a round");
    assert_close(flow.pacing_rate(), 1.25 * 0.99 * 1000.0, 1e-12);
    assert_close(flow.cwnd(), 225.0 + 100.0 + 2.0, 1e-9);
    // The rate at its beginning is the baseline: three more rounds without growth.
    flow.in_flight = MUCH;
    flow.round(1000.0);
    flow.round(1000.0);
    assert_eq!(flow.observe("state"), UP);
    flow.round(1000.0);
    assert_eq!(flow.observe("state"), DOWN);
    assert_close(flow.pacing_rate(), 0.9 * 0.99 * 1000.0, 1e-12);
    flow.in_flight = 100.0;
    flow.round(1000.0);
    assert_eq!(flow.observe("state"), CRUISE);
}

/// Times between the ends of UP and the next REFILL. The round-trip time falls by a trifle each time, so
/// that ProbeRTT does not come in between.
fn waits(bw: f64) -> Vec<f64> {
    let mut flow = Flow::cruising(bw);
    let wait = |_| {
        flow.rtt -= 1e-9;
        flow.until(UP, bw);
        flow.until(DOWN, bw);
        let since = flow.now;
        flow.rtt -= 1e-9;
        flow.until(REFILL, bw);
        flow.now - since
    };
    (0..20).map(wait).collect()
}

/// §5.3.3.8: 2 to 3 s, not always the same; or as many rounds as the BDP has segments, if they are fewer.
#[test]
fn the_time_between_probes() {
    let long = waits(1000.0);
    assert!(long.iter().all(|t| (2.0..=3.0 + RTT + 1e-9).contains(t)), "{long:?}");
    let (least, most) = long.iter().fold((9.0f64, 0.0f64), |(a, b), t| (a.min(*t), b.max(*t)));
    assert!(most - least > 0.4, "{long:?}");
    // A BDP of 10: ten rounds after a count that begins with 0 or 1.
    let short = waits(100.0);
    assert!(short.iter().all(|t| (9.0 * RTT - 1e-9..=10.0 * RTT + 1e-9).contains(t)), "{short:?}");
}

/// §5.5.10.2: losses of more than 2 % in UP set the long-term bound to what was in flight where they
/// crossed that, at least 0.7 of the BDP, and end the probe.
#[test]
fn losses_end_a_probe() {
    let mut flow = Flow::probing(1000.0);
    flow.congestion(Signal::Loss);
    flow.lose(0, 1.0, 98.0);
    flow.lose(1, 2.0, 100.0);
    assert_eq!(flow.observe("state"), UP, "2 of 100 is not more than 2 %");
    assert!(flow.observe("inflight_longterm").is_nan());
    flow.lose(2, 3.0, 100.0);
    // (0.02 · 99 − 2)/0.98 beyond the 99 before it: 98.98.
    assert_eq!((flow.observe("state"), flow.observe("inflight_longterm")), (DOWN, 98.0));

    let mut flow = Flow::probing(1000.0);
    flow.congestion(Signal::Loss);
    flow.lose(0, 2.0, 50.0);
    assert_eq!((flow.observe("state"), flow.observe("inflight_longterm")), (DOWN, 70.0));
    // CRUISE leaves 15 % of it free (§5.6.4.7).
    flow.until(CRUISE, 1000.0);
    flow.round(1000.0);
    assert!(flow.cwnd() < flow.observe("inflight_longterm") * 0.85 + 1e-9);
}

/// §5.5.10.3: not probing, each round with losses lowers the short-term bounds to what was delivered, at
/// most by 30 %; REFILL forgets them.
#[test]
fn losses_lower_the_short_term_model() {
    let mut flow = Flow::cruising(1000.0);
    let mut lossy = |rate, bw| {
        flow.lose(0, 1.0, 100.0);
        flow.round(rate);
        assert_close(flow.observe("bw"), bw, 1e-12);
        assert_close(flow.pacing_rate(), 0.99 * bw, 1e-12);
    };
    lossy(800.0, 1000.0); // the best sample of this round and the end of the last
    lossy(500.0, 800.0);
    lossy(500.0, 560.0);
    lossy(100.0, 500.0);
    lossy(100.0, 350.0);
    assert!(flow.observe("inflight_shortterm") < 200.0);
    flow.until(REFILL, 100.0);
    assert!(flow.observe("inflight_shortterm").is_nan());
    assert_eq!(flow.observe("bw"), 1000.0);
}

/// §5.5.6: a rate is remembered for the rest of its cycle, here Startup and Drain, and all of the next.
#[test]
fn the_bandwidth_is_that_of_two_cycles() {
    let mut flow = Flow::cruising(1000.0);
    flow.until(DOWN, 500.0);
    assert_eq!(flow.observe("bw"), 1000.0);
    flow.round(500.0);
    assert_eq!(flow.observe("bw"), 500.0, "a round after UP");
}

/// §5.3.4: after 5 s without a smaller RTT half of a BDP is in flight for 200 ms and a round.
#[test]
fn probe_rtt_comes_every_five_seconds() {
    let mut flow = Flow::cruising(1000.0);
    let mut since = RTT; // the only RTT came first with the first acknowledgement
    for _ in 0..4 {
        flow.in_flight = 60.0;
        flow.until(PROBE_RTT, 1000.0);
        assert!((5.0..5.0 + 2.0 * RTT).contains(&(flow.now - since)), "{}", flow.now - since);
        assert_eq!((flow.observe("pacing_gain"), flow.observe("cwnd_gain")), (1.0, 0.5));
        assert_close(flow.cwnd(), 50.0, 1e-12);
        (0..10).for_each(|_| flow.round(500.0));
        assert_eq!(flow.observe("state"), PROBE_RTT, "60 segments are too much");
        flow.in_flight = 50.0;
        let begun = flow.now + RTT;
        flow.until(CRUISE, 500.0);
        assert!((0.2..0.2 + 2.0 * RTT).contains(&(flow.now - begun)), "{}", flow.now - begun);
        assert_eq!(flow.observe("bw"), 1000.0, "its samples tell nothing of the path");
        since = flow.now;
    }
}

/// Idleness drains the queue as well (§5.4.1), and no probe is needed.
#[test]
fn no_probe_rtt_after_a_pause() {
    let mut flow = Flow::cruising(1000.0);
    flow.now += 6.0;
    let sample = RateSample { tx_in_flight: 1.0, app_limited: true, resumed: true, ..RateSample::default() };
    flow.deliver(1.0, RTT, sample);
    (0..10).for_each(|_| flow.round(1000.0));
    assert_ne!(flow.observe("state"), PROBE_RTT);
}

/// §5.5.11: if the losses that ended a probe were spurious, its bounds return and it begins again.
#[test]
fn a_spurious_recovery_is_undone() {
    let mut flow = Flow::probing(1000.0);
    let before = flow.cwnd();
    flow.congestion(Signal::Loss);
    (0..5).for_each(|k| flow.lose(k, k as f64 + 1.0, 100.0));
    flow.in_recovery = true;
    flow.round(1000.0);
    assert!(flow.cwnd() < before && flow.observe("inflight_longterm").is_finite());
    flow.group.on_spurious(0);
    assert_eq!(flow.observe("state"), REFILL);
    assert!(flow.observe("inflight_longterm").is_nan() && flow.cwnd() >= before);
}

/// §5.6.4.4: one segment after a timeout, four or more with the first acknowledgement, and the former
/// window at once when all is repaired.
#[test]
fn the_window_returns_after_a_timeout() {
    let mut flow = Flow::cruising(1000.0);
    let before = flow.cwnd();
    flow.congestion(Signal::Timeout);
    assert_eq!(flow.cwnd(), 1.0);
    flow.in_recovery = true;
    flow.round(10.0);
    assert_eq!(flow.cwnd(), 4.0);
    flow.in_recovery = false;
    flow.round(10.0);
    // The round with the loss bounds it: 0.7 of the window (§5.5.10.3).
    assert!(flow.cwnd() > 0.69 * before, "{} of {before}", flow.cwnd());
}

/// Our interpretation of §3.7: a mark ends a probe as losses above the threshold do; outside of probes it lowers the short-term
/// model.
#[test]
fn marks_count_as_losses() {
    let mut flow = Flow::probing(1000.0);
    flow.congestion(Signal::Ecn);
    assert_eq!((flow.observe("state"), flow.observe("inflight_longterm")), (DOWN, 100.0));
    let mut flow = Flow::cruising(1000.0);
    flow.round(500.0);
    flow.congestion(Signal::Ecn);
    flow.round(500.0);
    assert_close(flow.observe("bw"), 700.0, 1e-12);
    let mut flow = Flow::new();
    flow.round(1000.0);
    flow.congestion(Signal::Ecn);
    flow.round(1000.0);
    assert_eq!(flow.observe("state"), DRAIN);
}
