//! CUBIC: RFC 9438, with the slow start of RFC 9406.

use crate::cubic_linux::LinuxCubic;
use crate::cubic_window::CubicWindow;
use crate::entry::{Entry, Kind, Observable, Param};
use crate::hystart::HyStart;
use crate::{Ack, Congestion, Path, Seconds, Signal, SinglePath, Uncoupled, fill};
use alloc::boxed::Box;

/// How the registry presents CUBIC.
pub(crate) static ENTRY: Entry = Entry {
    name: "cubic",
    title: "CUBIC",
    kind: Kind::SinglePath,
    source: "RFC 9438, RFC 9406 (HyStart++)",
    equations: &[
        "W_cubic(t) = C (t - K)^3 + W_max,  K = cbrt((W_max - cwnd_epoch)/C)",
        "W_est += alpha/w per acknowledged segment,  alpha = 3 (1 - beta)/(1 + beta), 1 from W_est >= cwnd_prior on",
        "per acknowledged segment: w = W_est where W_cubic(t) < W_est,",
        "    else w += (target - w)/w,  target = W_cubic(t + RTT) within [w, 1.5 w]",
        "on loss: W_max = w, or w (1 + beta)/2 where w < W_max (fast convergence); w = beta w",
    ],
    interpretations: &[
        "Windows grow per acknowledged segment: an ACK for two segments adds as much as two ACKs; one ACK counts for at most a window.",
        "In the Reno-friendly region the window is never lowered to W_est, and grows by no more than what was acknowledged.",
        "A stage of congestion avoidance starts with its first acknowledgement that may grow the window, so it excludes recovery.",
        "The window, not the flight size, is reduced (RFC 9438 §4.6 allows it where an application-limited window does not grow).",
        "ECN marks reduce as losses do, to no less than two segments.",
        "If the window after a loss is not below W_max (very small windows), the stage starts on the plateau.",
    ],
    params: &PARAMS,
    observables: &[
        Observable::new("w_cubic", "the cubic function at the last acknowledgement, in segments"),
        Observable::new("w_est", "the window of a Reno flow in the same place, in segments"),
        Observable::new("w_max", "the plateau of the cubic function, in segments"),
        Observable::new("k", "time from the start of the stage to the plateau, in seconds"),
    ],
    build: |params| {
        Box::new(Uncoupled::new(Cubic {
            window: CubicWindow::new(params),
            slow_start: HyStart::new(params.flag("hystart")),
            before: None,
            linux: None,
        }))
    },
};

/// The parameters of RFC 9438 and RFC 9406, for all that run CUBIC.
pub(crate) const PARAMS: [Param; 4] = [C, BETA, FAST_CONVERGENCE, HYSTART];

/// C.
pub(crate) const C: Param = Param::number(
    "c",
    0.4,
    (1e-6, 1e3),
    "C: how fast the window leaves its plateau, in segments per second cubed",
);

/// β.
pub(crate) const BETA: Param =
    Param::number("beta", 0.7, (0.1, 0.99), "beta: the fraction of the window kept on congestion");

/// Fast convergence.
pub(crate) const FAST_CONVERGENCE: Param = Param::flag(
    "fast_convergence",
    true,
    "release bandwidth to newer flows: a lower plateau after a loss below the last one",
);

/// HyStart++.
pub(crate) const HYSTART: Param =
    Param::flag("hystart", true, "end the first slow start when the round-trip time rises (HyStart++)");

/// Laid out as it is written: what most acknowledgements need comes first.
#[derive(Clone)]
#[repr(C, align(64))]
struct Cubic {
    window: CubicWindow,
    slow_start: HyStart,
    /// The window's state before the last congestion (§4.9).
    before: Option<CubicWindow>,
    /// On a path that counts in whole segments, from its first acknowledgement on, this takes the place of the others.
    linux: Option<Box<LinuxCubic>>,
}

const _: () = assert!(size_of::<Cubic>() == 256);

impl Cubic {
    /// Apart, so that it takes nothing from others.
    #[cold]
    fn acked_on_linux(&mut self, path: &mut Path, ack: &Ack) {
        self.linux().acked(path, ack);
    }

    fn linux(&mut self) -> &mut LinuxCubic {
        self.linux.get_or_insert_with(|| self.window.on_linux(self.slow_start.is_enabled()).into())
    }
}

impl SinglePath for Cubic {
    fn acked(&mut self, path: &mut Path, ack: &Ack) {
        if path.whole {
            return self.acked_on_linux(path, ack);
        }
        let acked = self.slow_start.grow(path, ack);
        if acked > 0.0 {
            path.cwnd = self.window.grow(path.cwnd, acked, ack.now, path.srtt);
        }
    }

    fn congestion(&mut self, path: &mut Path, event: &Congestion) {
        let timeout = event.signal == Signal::Timeout;
        if path.whole {
            return path.reduce_to(self.linux().reduce(path.cwnd, timeout));
        }
        self.before = Some(self.window);
        path.reduce_to(self.window.reduce(path.cwnd, timeout));
    }

    fn spurious(&mut self, _: &mut Path) {
        self.window = self.before.take().unwrap_or(self.window);
    }

    fn app_limited(&mut self, _: &mut Path, now: Seconds) {
        match &mut self.linux {
            Some(linux) => linux.pause(now),
            None => self.window.pause(now),
        }
    }

    fn observe(&self, _: &Path, out: &mut [f64]) {
        let inner = self.linux.as_ref().map_or_else(|| self.window.inner(), |linux| linux.inner());
        fill(out, inner.into_iter().flatten());
    }
}
