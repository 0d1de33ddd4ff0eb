//! CUBIC in the arithmetic of Linux (`net/ipv4/tcp_cubic.c`): whole segments, time in ticks, and the HyStart of Ha and Rhee (2008).

use crate::path::lower;
use crate::{Ack, Path, Seconds, Segments, math, slow_start};

/// A tick of the clock of Debian's kernels (`HZ`).
const TICK: Seconds = 0.004;
/// 1/32 s, in ticks: as long as this, an unchanged window keeps its growth.
const KEPT: u64 = 7;
/// For one second after a reduction, no sample counts for the smallest round-trip time.
const IGNORED: u64 = 250;
/// The window from which HyStart acts, and the samples that a round needs.
const LOW_WINDOW: Segments = 16.0;
const MIN_SAMPLES: u32 = 8;
/// The longest gap within a train of acknowledgements, and what `hystart_ack_delay` gives below 2 Gbit/s.
const TRAIN_GAP: Seconds = 0.002;
const ACK_DELAY: Seconds = 0.001;

/// A path's state. Linux rounds the constants to fractions of 1024.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinuxCubic {
    c: f64,
    beta: f64,
    /// Acknowledged windows for a segment of the Reno-friendly window, in eighths (`beta_scale`).
    friendly_scale: u32,
    fast_convergence: bool,
    /// Acknowledged segments for a segment of growth (`cnt`), and at which window and when they were computed.
    each: u32,
    at_window: u32,
    at_tick: u64,
    /// Acknowledged segments towards the next segment of growth (`snd_cwnd_cnt`).
    count: u32,
    /// The window before the last loss; 0 before the first (`last_max_cwnd`).
    last_max: u32,
    epoch: Option<Epoch>,
    /// The smallest round-trip time; infinite before the first sample (`delay_min`).
    min_rtt: Seconds,
    hystart: HyStart,
}

/// The time since the first acknowledgement in congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// When it began, moved on by the time in which the application limited the sender, and the last acknowledgement.
    start: u64,
    last: u64,
    /// The plateau, and the time to it.
    origin: u32,
    k: Seconds,
    /// The window of a Reno flow in the same place, and acknowledged segments towards its growth (`tcp_cwnd`, `ack_cnt`).
    friendly: u32,
    count: u32,
}

#[derive(Clone, Copy, Debug)]
struct HyStart {
    enabled: bool,
    /// Whether slow start has ended.
    found: bool,
    round: u64,
    round_start: Seconds,
    last_ack: Seconds,
    /// The smallest round-trip time of this round.
    rtt: Seconds,
    samples: u32,
}

impl LinuxCubic {
    pub(crate) fn new(c: f64, beta: f64, fast_convergence: bool, hystart: bool) -> Self {
        let of_1024 = |x: f64| math::floor(x * 1024.0 + 0.5).clamp(1.0, 1023.0);
        let beta = of_1024(beta);
        LinuxCubic {
            c: math::floor(c * 1024.0 + 0.5).max(1.0) / 1024.0,
            beta: beta / 1024.0,
            friendly_scale: (8.0 * (1024.0 + beta) / 3.0 / (1024.0 - beta)) as u32,
            fast_convergence,
            each: 0,
            at_window: 0,
            at_tick: 0,
            count: 0,
            last_max: 0,
            epoch: None,
            min_rtt: Seconds::INFINITY,
            hystart: HyStart::new(hystart),
        }
    }

    pub(crate) fn acked(&mut self, path: &mut Path, ack: &Ack) {
        // After a pause or a penalty they may have fractions.
        (path.cwnd, path.ssthresh) = (math::floor(path.cwnd), math::floor(path.ssthresh));
        let tick = ticks(ack.now);
        if let Some(rtt) = ack.rtt
            && self.epoch.is_none_or(|epoch| tick.saturating_sub(epoch.start) >= IGNORED)
        {
            lower(&mut self.min_rtt, rtt);
            self.hystart.acked(path, ack, rtt, self.min_rtt);
        }
        let acked = slow_start::grow(path, ack.acked) as u32;
        if acked > 0 {
            let cwnd = path.cwnd as u32;
            self.update(cwnd, acked, tick);
            path.cwnd = f64::from(self.grown(cwnd, acked));
        }
    }

    /// `bictcp_update`.
    fn update(&mut self, cwnd: u32, acked: u32, tick: u64) {
        if let Some(epoch) = &mut self.epoch {
            epoch.count = epoch.count.saturating_add(acked);
            epoch.last = tick;
        }
        if self.at_window == cwnd && tick.saturating_sub(self.at_tick) <= KEPT {
            return;
        }
        if self.epoch.is_none() || tick != self.at_tick {
            (self.at_window, self.at_tick) = (cwnd, tick);
            let (c, last_max) = (self.c, self.last_max);
            let epoch = self.epoch.get_or_insert_with(|| {
                let k = math::cbrt(f64::from(last_max.saturating_sub(cwnd)) / c);
                Epoch { start: tick, last: tick, origin: last_max.max(cwnd), k, friendly: cwnd, count: acked }
            });
            let rtt = if self.min_rtt.is_finite() { self.min_rtt } else { 0.0 };
            let target = epoch.cubic(c, tick.saturating_sub(epoch.start) + math::ceil(rtt / TICK) as u64);
            self.each = if target > cwnd { cwnd / (target - cwnd) } else { cwnd.saturating_mul(100) };
            if self.last_max == 0 {
                self.each = self.each.min(20);
            }
        }
        let epoch = self.epoch.as_mut().expect("made above");
        let friendly_each = (cwnd.saturating_mul(self.friendly_scale) / 8).max(1);
        while epoch.count > friendly_each {
            epoch.count -= friendly_each;
            epoch.friendly += 1;
        }
        if epoch.friendly > cwnd {
            self.each = self.each.min(cwnd / (epoch.friendly - cwnd));
        }
        self.each = self.each.max(2);
    }

    /// `tcp_cong_avoid_ai`.
    fn grown(&mut self, mut cwnd: u32, acked: u32) -> u32 {
        if self.count >= self.each {
            self.count = 0;
            cwnd += 1;
        }
        self.count = self.count.saturating_add(acked);
        cwnd += self.count / self.each;
        self.count %= self.each;
        cwnd
    }

    /// The window after congestion (`cubictcp_recalc_ssthresh`). A timeout also resets the state (`bictcp_reset`).
    pub(crate) fn reduce(&mut self, cwnd: Segments, timeout: bool) -> Segments {
        let cwnd = math::floor(cwnd);
        if timeout {
            *self = LinuxCubic {
                hystart: HyStart::new(self.hystart.enabled),
                epoch: None,
                last_max: 0,
                at_window: 0,
                count: 0,
                min_rtt: Seconds::INFINITY,
                ..*self
            };
        } else {
            let yields = self.fast_convergence && cwnd < f64::from(self.last_max);
            self.last_max = if yields { cwnd * (1.0 + self.beta) / 2.0 } else { cwnd } as u32;
            (self.epoch, self.count) = (None, 0);
        }
        math::floor(cwnd * self.beta)
    }

    /// The application limited the sender since the last acknowledgement: that time does not count.
    pub(crate) fn pause(&mut self, now: Seconds) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start += ticks(now).saturating_sub(epoch.last);
            epoch.last = ticks(now);
        }
    }

    /// See [`crate::cubic_window::CubicWindow::inner`].
    pub(crate) fn inner(&self) -> Option<[f64; 4]> {
        let inner = |e: Epoch| {
            [e.cubic(self.c, e.last.saturating_sub(e.start)).into(), e.friendly.into(), e.origin.into(), e.k]
        };
        self.epoch.map(inner)
    }
}

impl Epoch {
    /// The cubic function, in whole segments above or below the plateau.
    fn cubic(&self, c: f64, ticks: u64) -> u32 {
        let t = ticks as f64 * TICK - self.k;
        let apart = (c * (t * t * t).abs()) as u32;
        if t < 0.0 { self.origin.saturating_sub(apart) } else { self.origin.saturating_add(apart) }
    }
}

impl HyStart {
    fn new(enabled: bool) -> Self {
        HyStart {
            enabled,
            found: false,
            round: 0,
            round_start: 0.0,
            last_ack: 0.0,
            rtt: Seconds::INFINITY,
            samples: 0,
        }
    }

    /// `hystart_update`: a train of acknowledgements of half a round-trip time ends slow start, paced of a whole one, and so does a rise of
    /// that time.
    fn acked(&mut self, path: &mut Path, ack: &Ack, rtt: Seconds, min_rtt: Seconds) {
        if !self.enabled || self.found || !path.in_slow_start() {
            return;
        }
        if ack.round != self.round {
            (self.round, self.round_start, self.last_ack) = (ack.round, ack.now, ack.now);
            (self.rtt, self.samples) = (Seconds::INFINITY, 0);
        }
        if path.cwnd < LOW_WINDOW {
            return;
        }
        if ack.now - self.last_ack <= TRAIN_GAP {
            self.last_ack = ack.now;
            let share = if path.pacing_rate.is_some() { 1.0 } else { 0.5 };
            self.found = ack.now - self.round_start > share * (min_rtt + ACK_DELAY);
        }
        lower(&mut self.rtt, rtt);
        if self.samples < MIN_SAMPLES {
            self.samples += 1;
        } else if self.rtt > min_rtt + (min_rtt / 8.0).clamp(0.004, 0.016) {
            self.found = true;
        }
        if self.found {
            path.ssthresh = path.cwnd;
        }
    }
}

/// Of the kernel's clock.
fn ticks(time: Seconds) -> u64 {
    (time / TICK + 1e-6) as u64 // also of multiples that are not exact
}
