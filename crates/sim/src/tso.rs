//! Bursts of a host with segmentation offload: how many segments it hands to the network card at once, and when it
//! waits until it can hand over more.
//!
//! The rules are those of Linux 5.0 to 5.17 in `net/ipv4`: `tcp_update_pacing_rate`, `tcp_tso_autosize`,
//! `tcp_cwnd_test`, `tcp_tso_should_defer`; those of the 4.x kernels differ only in that a write was recent within a
//! jiffy. (5.18 has larger bursts where the RTT is below 3 ms; 6.18 waits only where the next ACK is due within 1 ms.)
//! What is written and not sent counts as one buffer, whereas Linux has one for each 64 kB.

use crate::packet::flag;
use anabranch_net::Time;

/// What fits an offloaded packet (`sk_gso_max_size`), in bytes.
const MAX_BYTES: f64 = 65_536.0;
/// Segments that are worth an offloaded packet (`tcp_min_tso_segs`).
const MIN_SEGMENTS: u64 = 2;
/// A burst is what the pacing rate sends in that part of a second (`sk_pacing_shift` is 10).
const BURSTS_PER_SECOND: f64 = 1024.0;
/// Of the window's capacity beyond which a burst does not wait, one in so many parts (`tcp_tso_win_divisor`).
const WIN_DIVISOR: u64 = 3;
/// Only what follows another burst within this waits.
const RECENT: Time = Time::from_millis(1);

/// What a subflow may do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Burst {
    /// Send so many segments back to back.
    Send(u64),
    /// Wait until the congestion window has room for more.
    WaitForWindow,
    /// Wait until there is more to send, or the receiver takes more.
    WaitForData,
}

/// What the decision depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question {
    pub(crate) now: Time,
    /// When the last segment was sent.
    pub(crate) last_sent: Time,
    /// When the oldest outstanding segment was sent; `None` where nothing is outstanding.
    pub(crate) head_sent: Option<Time>,
    /// Smoothed RTT.
    pub(crate) srtt: Time,
    /// Whether losses are being repaired.
    pub(crate) recovering: bool,
    /// Congestion window and segments in flight, which are fewer.
    pub(crate) cwnd: u64,
    pub(crate) in_flight: u64,
    /// Bytes that the receiver takes in all, and beyond what was sent.
    pub(crate) offered: u64,
    pub(crate) receivable: u64,
    /// Bytes written and not sent, and whether no more follow.
    pub(crate) unsent: u64,
    pub(crate) closed: bool,
    /// Payload of a segment, in bytes.
    pub(crate) mss: u64,
    /// The largest burst, from [`largest`].
    pub(crate) largest: u64,
}

/// The flag of a segment of a burst of so many, which `left` follow: the last one of several has PSH
/// (`__tcp_transmit_skb`, since Linux 5.5).
pub(crate) fn push(left: u64, segments: u64) -> u8 {
    if left == 0 && segments > 1 { flag::PSH } else { 0 }
}

/// The largest burst at a rate in bytes per second, in segments of `mss` bytes.
pub(crate) fn largest(rate: f64, mss: u64) -> u64 {
    let bytes = (rate / BURSTS_PER_SECOND).min(MAX_BYTES) as u64;
    (bytes / mss).max(MIN_SEGMENTS)
}

/// The rate in segments per second that Linux would pace at, and also knows where it does not pace: the window, or what
/// is outstanding, per smoothed RTT; twice that far below the slow-start threshold, and 1.2 times it elsewhere.
pub(crate) fn pacing_rate(cwnd: f64, ssthresh: f64, outstanding: u64, srtt_s: f64) -> f64 {
    let gain = if cwnd < ssthresh / 2.0 { 2.0 } else { 1.2 };
    gain * cwnd.max(outstanding as f64) / srtt_s
}

/// Whether to send, or to wait for a larger burst.
pub(crate) fn decide(q: &Question) -> Burst {
    let room = q.cwnd.saturating_sub(q.in_flight);
    // Two bursts at least make up a window.
    let send = Burst::Send(room.min((q.cwnd / 2).max(1)).min(q.largest).max(1));
    if q.unsent <= q.mss || q.recovering || q.now.since(q.last_sent) > RECENT {
        return send;
    }
    let limit = q.receivable.min(room * q.mss);
    let part = q.offered.min(q.cwnd * q.mss) / WIN_DIVISOR;
    if limit >= q.largest * q.mss || limit >= part {
        return send;
    }
    // The ACK that would make room is not expected soon.
    let Some(head) = q.head_sent else { return send };
    if q.now.since(head).times(2) < q.srtt {
        return send;
    }
    if room * q.mss < q.receivable {
        if room * q.mss <= q.unsent {
            return Burst::WaitForWindow;
        }
    } else if q.receivable <= q.unsent {
        return Burst::WaitForData;
    }
    if q.closed { send } else { Burst::WaitForData }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Time = Time::from_millis;

    /// A window of 40 segments, 36 in flight, the oldest 20 ms ago where the RTT is 30 ms; bursts of up to 10.
    const ASK: Question = Question {
        now: Time::from_millis(100),
        last_sent: Time::from_millis(100),
        head_sent: Some(Time::from_millis(80)),
        srtt: Time::from_millis(30),
        recovering: false,
        cwnd: 40,
        in_flight: 36,
        offered: 1 << 30,
        receivable: 1 << 30,
        unsent: u64::MAX,
        closed: false,
        mss: 1000,
        largest: 10,
    };

    /// `min(pacing_rate >> 10, 65536) / mss`, at least 2: a megabyte per second is 1000 bytes per burst, 100 Mbit/s are
    /// 12,207, and from 537 Mbit/s on 64 KiB are the bound.
    #[test]
    fn bursts_are_a_thousandth_of_a_second_of_the_rate() {
        for (rate, segments) in [
            (1e3, 2),
            (1.024e6, 2),
            (12.5e6, 8),
            (62.5e6, 42),
            (67.2e6, 45),
            (1.25e9, 45),
            (f64::INFINITY, 45),
        ] {
            assert_eq!(largest(rate, 1448), segments, "at {rate} bytes/s");
        }
    }

    #[test]
    fn the_last_of_several_is_pushed() {
        assert_eq!([push(0, 1), push(1, 2), push(0, 2)], [0, 0, flag::PSH]);
    }

    #[test]
    fn the_rate_is_a_multiple_of_the_windows() {
        assert_eq!(pacing_rate(50.0, 100.0, 10, 0.1), 1.2 * 500.0, "not below half of ssthresh");
        assert_eq!(pacing_rate(50.0, 101.0, 10, 0.1), 2.0 * 500.0);
        assert_eq!(pacing_rate(50.0, 100.0, 60, 0.1), 1.2 * 600.0, "after a reduction");
    }

    /// Each condition of `tcp_tso_should_defer`, at its bound: where it waits, and where it sends.
    #[test]
    fn waits_and_does_not() {
        let wait = |q: Question| assert_eq!(decide(&q), Burst::WaitForWindow, "{q:?}");
        let send = |segments, q: Question| assert_eq!(decide(&q), Burst::Send(segments), "{q:?}");
        wait(ASK);
        send(4, Question { recovering: true, ..ASK });
        send(4, Question { unsent: 1000, ..ASK });
        // The last write was a millisecond ago, or longer.
        wait(Question { now: MS(101), ..ASK });
        send(4, Question { now: Time::from_nanos(101_000_001), ..ASK });
        // Room for a largest burst; for a third of the window, 13.3 segments.
        send(10, Question { in_flight: 30, ..ASK });
        wait(Question { in_flight: 31, ..ASK });
        send(14, Question { in_flight: 26, largest: 45, ..ASK });
        wait(Question { in_flight: 27, largest: 45, ..ASK });
        // Nothing outstanding, or the oldest for less than half the RTT.
        send(4, Question { head_sent: None, ..ASK });
        send(4, Question { head_sent: Some(MS(86)), ..ASK });
        wait(Question { head_sent: Some(MS(85)), ..ASK });
        // A burst is at most half of the window.
        send(20, Question { in_flight: 0, largest: 45, ..ASK });
        send(1, Question { cwnd: 2, in_flight: 1, ..ASK });
    }

    /// Where not the congestion window is what is short.
    #[test]
    fn waits_for_data_unless_no_more_follow() {
        let less = Question { unsent: 3000, ..ASK };
        assert_eq!(decide(&less), Burst::WaitForData);
        assert_eq!(decide(&Question { closed: true, ..less }), Burst::Send(4));
        assert_eq!(decide(&Question { unsent: 4000, ..ASK }), Burst::WaitForWindow);
        let closing = Question { offered: 38_000, receivable: 2000, ..ASK };
        assert_eq!(decide(&closing), Burst::WaitForData);
        // A third of the offered window.
        assert_eq!(decide(&Question { offered: 6000, ..closing }), Burst::Send(4));
    }
}
