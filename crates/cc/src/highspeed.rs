//! HighSpeed TCP: RFC 3649.

use crate::entry::{Entry, Kind, Observable, Param, Params};
use crate::{Ack, Congestion, Path, Segments, SinglePath, Uncoupled, fill, math, slow_start};
use alloc::boxed::Box;

/// How the registry presents HighSpeed TCP.
pub(crate) static ENTRY: Entry = Entry {
    name: "highspeed",
    title: "HighSpeed TCP",
    kind: Kind::SinglePath,
    source: "RFC 3649",
    equations: &[
        "per acknowledged segment: w += a(w)/w;  on loss: w = (1 - b(w)) w",
        "w <= low_window: a = 1, b = 1/2, as Reno",
        "w > low_window, with f = log(w/low_window)/log(high_window/low_window):",
        "b = 1/2 + (high_decrease - 1/2) f",
        "p = low_p (high_p/low_p)^f",
        "a = 2 w^2 p b/(2 - b), 1 at least",
    ],
    interpretations: &[
        "a and b are the formulas of section 5. The table of appendix B is made with 0.078/w^1.2 for p, which gives up to 3 % less for a.",
        "Low_Window and Low_P give an a of 0.96, Reno's constant being rounded; no a is less than 1.",
        "They continue beyond high_window, as the table does; b is at least half of high_decrease.",
        "a is computed anew when the window has moved by a segment.",
        "The increase is at most one segment per acknowledged segment.",
        "Slow start is the standard one, without the limit of RFC 3742.",
        "ECN marks and timeouts reduce as losses do; after a timeout the window is one segment.",
    ],
    params: &[
        Param::number(
            "low_window",
            38.0,
            (2.0, 1000.0),
            "the largest window at which it is Reno, in segments",
        ),
        Param::number("low_p", 1e-3, (1e-5, 0.1), "the loss rate that gives the window low_window"),
        Param::number(
            "high_window",
            83_000.0,
            (2000.0, 1e8),
            "the window that the loss rate high_p gives, in segments",
        ),
        Param::number("high_p", 1e-7, (1e-12, 1e-6), "the loss rate that gives the window high_window"),
        Param::number(
            "high_decrease",
            0.1,
            (0.01, 0.5),
            "the fraction of the window that a loss takes off at high_window",
        ),
    ],
    observables: &[
        Observable::new("a", "a(w), the increase per round trip, in segments"),
        Observable::new("b", "b(w), the fraction of the window that a loss takes off"),
    ],
    build: |params| {
        let response = Response::new(params);
        Box::new(Uncoupled::new(HighSpeed { response, at: 0.0, a: 1.0 }))
    },
};

/// The response function (RFC 3649 §5).
#[derive(Clone, Copy)]
struct Response {
    low_window: Segments,
    low_p: f64,
    high_decrease: f64,
    /// 1/log(high_window/low_window).
    scale: f64,
    /// log(high_p/low_p).
    fall: f64,
}

impl Response {
    fn new(params: &Params) -> Self {
        let low_window = params.number("low_window");
        let low_p = params.number("low_p");
        Response {
            low_window,
            low_p,
            high_decrease: params.number("high_decrease"),
            scale: 1.0 / math::log(params.number("high_window") / low_window),
            fall: math::log(params.number("high_p") / low_p),
        }
    }

    /// Where the window lies between Low_Window (0) and High_Window (1), on a logarithmic scale.
    fn place(&self, window: Segments) -> f64 {
        if window <= self.low_window { 0.0 } else { math::log(window / self.low_window) * self.scale }
    }

    fn b(&self, window: Segments) -> f64 {
        (0.5 + (self.high_decrease - 0.5) * self.place(window)).max(self.high_decrease / 2.0)
    }

    fn a(&self, window: Segments) -> Segments {
        if window <= self.low_window {
            return 1.0;
        }
        let p = self.low_p * math::exp(self.fall * self.place(window));
        let b = self.b(window);
        (2.0 * window * window * p * b / (2.0 - b)).max(1.0)
    }
}

#[derive(Clone)]
struct HighSpeed {
    response: Response,
    /// The window at which `a` was computed.
    at: Segments,
    a: Segments,
}

impl SinglePath for HighSpeed {
    fn acked(&mut self, path: &mut Path, ack: &Ack) {
        let acked = slow_start::grow(path, ack.acked);
        if acked > 0.0 {
            if (path.cwnd - self.at).abs() >= 1.0 {
                self.at = path.cwnd;
                self.a = self.response.a(path.cwnd);
            }
            path.cwnd += acked * (self.a / path.cwnd).min(1.0);
        }
    }

    fn congestion(&mut self, path: &mut Path, _: &Congestion) {
        path.reduce_to((1.0 - self.response.b(path.cwnd)) * path.cwnd);
    }

    fn observe(&self, path: &Path, out: &mut [f64]) {
        fill(out, [self.response.a(path.cwnd), self.response.b(path.cwnd)]);
    }
}
