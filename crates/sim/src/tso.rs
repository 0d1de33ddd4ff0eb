//! Bursts of a host with segmentation offload: the number of segments per burst, and when to wait for a larger one.
//!
//! The rules are those of Linux 6.18 in `net/ipv4`: `tcp_update_pacing_rate`, `tcp_tso_autosize`, `tcp_cwnd_test`,
//! `tcp_grow_skb`, `tcp_tso_should_defer`. Unsent data waits in buffers (`sk_buff`).

use crate::packet::flag;
use anabranch_net::Time;

/// The most bytes of an offloaded packet: 64 KiB without the headers (`sk_dst_gso_max_size`).
const MAX_BYTES: u64 = 65_215;
/// The fewest segments of an offloaded packet (`tcp_min_tso_segs`).
const MIN_SEGMENTS: u64 = 2;
/// Bursts per second at the pacing rate (`sk_pacing_shift` is 10).
const BURSTS_PER_SECOND: f64 = 1024.0;
/// A burst does not wait beyond the window divided by this (`tcp_tso_win_divisor`).
const WIN_DIVISOR: u64 = 3;
/// A burst waits only if it follows another one within this time, and only for an ACK due within this time.
const RECENT: Time = Time::from_millis(1);
/// Microseconds of the minimum RTT that halve the bonus of a near receiver (2 to the power of `tcp_tso_rtt_log`).
const HALVED_EACH_US: u64 = 512;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Burst {
    /// Send this many segments back to back.
    Send(u64),
    /// Wait until the congestion window has room for more.
    WaitForWindow,
    /// Wait for more data or a larger receive window.
    WaitForData,
}

/// The state for the decision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BurstState {
    pub(crate) now: Time,
    /// When the last segment was sent.
    pub(crate) last_sent: Time,
    /// When the oldest outstanding segment was sent; `None` if no segment is outstanding.
    pub(crate) head_sent: Option<Time>,
    pub(crate) srtt: Time,
    /// Whether losses are being repaired.
    pub(crate) recovering: bool,
    /// Congestion window, and fewer segments in flight.
    pub(crate) cwnd: u64,
    pub(crate) in_flight: u64,
    /// The receive window in bytes: in total, and beyond the sent data.
    pub(crate) offered: u64,
    pub(crate) receivable: u64,
    /// The first buffer.
    pub(crate) buffer: Buffer,
    /// Whether the last buffer takes no further data, because the stream is closed.
    pub(crate) closed: bool,
    /// Payload of a segment, in bytes.
    pub(crate) mss: u64,
    /// The largest burst, from [`largest`].
    pub(crate) largest: u64,
}

/// The first unsent buffer (`sk_buff`), in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Buffer {
    pub(crate) bytes: u64,
    /// Bytes that can be moved here from the next buffer (`tcp_grow_skb`): 0 in MPTCP, whose buffers have one mapping each.
    pub(crate) movable: u64,
    /// Whether it is the last buffer, which takes further data.
    pub(crate) is_last: bool,
}

/// Bytes of a full buffer, in segments of `mss` bytes: at most an offloaded packet, and half of the advertised window
/// (`tcp_xmit_size_goal`).
pub(crate) fn buffer_size(mss: u64, offered: u64) -> u64 {
    (MAX_BYTES.min(offered / 2) / mss).max(1) * mss
}

/// The flag of a segment in a burst, with `left` segments after it: the last one of several has PSH (`__tcp_transmit_skb`,
/// since Linux 5.5).
#[inline]
pub(crate) fn push(left: u64, segments: u64) -> u8 {
    if left == 0 && segments > 1 { flag::PSH } else { 0 }
}

/// The largest burst at a rate in bytes per second to a receiver at this RTT, in segments of `mss` bytes.
#[inline]
pub(crate) fn largest(rate: f64, min_rtt: Time, mss: u64) -> u64 {
    let halvings = min_rtt.as_nanos() / 1000 / HALVED_EACH_US;
    let near = MAX_BYTES.checked_shr(halvings.min(64) as u32).unwrap_or(0);
    let bytes = ((rate / BURSTS_PER_SECOND) as u64).saturating_add(near).min(MAX_BYTES);
    (bytes / mss).max(MIN_SEGMENTS)
}

/// Linux's pacing rate in segments per second, which it computes even without pacing: the larger of window and outstanding
/// segments per smoothed RTT; times 2 far below the slow-start threshold, else times 1.2.
#[inline]
pub(crate) fn pacing_rate(cwnd: f64, ssthresh: f64, outstanding: u64, srtt_s: f64) -> f64 {
    let gain = if cwnd < ssthresh / 2.0 { 2.0 } else { 1.2 };
    gain * cwnd.max(outstanding as f64) / srtt_s
}

/// Whether to send, or to wait for a larger burst.
#[inline]
pub(crate) fn decide(q: &BurstState) -> Burst {
    let room = q.cwnd.saturating_sub(q.in_flight);
    // A window has at least two bursts.
    let quota = room.min((q.cwnd / 2).max(1)).min(q.largest).max(1);
    let Buffer { bytes, movable, is_last } = q.buffer;
    let bytes = bytes + (quota * q.mss).saturating_sub(bytes).min(movable);
    let send = Burst::Send(quota.min(bytes.div_ceil(q.mss)).max(1));
    if bytes <= q.mss || q.recovering || q.now.since(q.last_sent) > RECENT {
        return send;
    }
    let limit = q.receivable.min(room * q.mss);
    let part = q.offered.min(q.cwnd * q.mss) / WIN_DIVISOR;
    if limit >= q.largest * q.mss || limit >= part || !is_last && limit >= bytes {
        return send;
    }
    // The ACK that would make room is not expected soon.
    let Some(head) = q.head_sent else { return send };
    if (head + q.srtt).since(q.now) > RECENT.min(Time::from_nanos(q.srtt.as_nanos() / 2)) {
        return send;
    }
    if room * q.mss < q.receivable {
        if room * q.mss <= bytes {
            return Burst::WaitForWindow;
        }
    } else if q.receivable <= bytes {
        return Burst::WaitForData;
    }
    if q.closed && is_last { send } else { Burst::WaitForData }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Time = Time::from_millis;

    /// A window of 40 segments, 36 in flight, the oldest 29 ms ago where the RTT is 30 ms; bursts of up to 10.
    const STATE: BurstState = BurstState {
        now: Time::from_millis(100),
        last_sent: Time::from_millis(100),
        head_sent: Some(Time::from_millis(71)),
        srtt: Time::from_millis(30),
        recovering: false,
        cwnd: 40,
        in_flight: 36,
        offered: 1 << 30,
        receivable: 1 << 30,
        buffer: Buffer { bytes: 45_000, movable: 45_000, is_last: false },
        closed: false,
        mss: 1000,
        largest: 10,
    };

    /// `min(pacing_rate >> 10, 65215) / mss`, at least 2: a megabyte per second is 1000 bytes per burst, 100 Mbit/s are
    /// 12,207, and from 534 Mbit/s on an offloaded packet is the bound.
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
            assert_eq!(largest(rate, MS(40), 1448), segments, "at {rate} bytes/s");
        }
    }

    /// `tcp_tso_autosize`: 65,215 bytes more, halved for each 512 µs of the smallest RTT. At 1 ms that is once: 32,607 and the 12,207
    /// of 100 Mbit/s are 30 segments; at 2 ms thrice, 8151 and 12,207 are 14; at 8 ms 15 times, which is one byte.
    #[test]
    fn bursts_to_a_near_receiver_are_larger() {
        for (rtt, segments) in [(Time::ZERO, 45), (MS(1), 30), (MS(2), 14), (MS(8), 8), (Time::NEVER, 8)] {
            assert_eq!(largest(12.5e6, rtt, 1448), segments, "{rtt:?}");
        }
    }

    /// 65,215 bytes are 45 segments of 1448 and of 1424 bytes, half of a window of 65,535 bytes is 22.
    #[test]
    fn a_buffer_fits_an_offloaded_packet_and_half_of_the_window() {
        let segments = |mss, offered| buffer_size(mss, offered) / mss;
        assert_eq!([segments(1448, 1 << 30), segments(1424, 1 << 30), segments(1448, 65_535)], [45, 45, 22]);
        assert_eq!(buffer_size(1448, 1000), 1448);
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
        let wait = |q: BurstState| assert_eq!(decide(&q), Burst::WaitForWindow, "{q:?}");
        let send = |segments, q: BurstState| assert_eq!(decide(&q), Burst::Send(segments), "{q:?}");
        wait(STATE);
        send(4, BurstState { recovering: true, ..STATE });
        send(1, BurstState { buffer: Buffer { bytes: 1000, movable: 0, is_last: true }, ..STATE });
        // The last write was a millisecond ago, or longer.
        wait(BurstState { now: MS(101), ..STATE });
        send(4, BurstState { now: Time::from_nanos(101_000_001), ..STATE });
        // Room for a largest burst; for a third of the window, 13.3 segments.
        send(10, BurstState { in_flight: 30, ..STATE });
        wait(BurstState { in_flight: 31, ..STATE });
        send(14, BurstState { in_flight: 26, largest: 45, ..STATE });
        wait(BurstState { in_flight: 27, largest: 45, ..STATE });
        // Nothing outstanding, or its ACK is due in more than a millisecond, or in more than half of an RTT that is shorter.
        send(4, BurstState { head_sent: None, ..STATE });
        send(4, BurstState { head_sent: Some(Time::from_nanos(71_000_001)), ..STATE });
        wait(BurstState { head_sent: Some(MS(60)), ..STATE });
        let near = BurstState { srtt: MS(1), head_sent: Some(Time::from_nanos(99_500_000)), ..STATE };
        wait(near);
        send(4, BurstState { head_sent: Some(Time::from_nanos(99_500_001)), ..near });
        // A burst is at most half of the window.
        send(20, BurstState { in_flight: 0, largest: 45, ..STATE });
        send(1, BurstState { cwnd: 2, in_flight: 1, ..STATE });
    }

    /// The rest of a buffer that is not the last goes out as soon as it fits (`tcp_tso_should_defer`: "middle in queue won't get
    /// any more data"). TCP fills it from the next one before (`tcp_grow_skb`), MPTCP does not.
    #[test]
    fn the_rest_of_a_buffer_does_not_wait() {
        let rest = |bytes, movable| {
            decide(&BurstState { buffer: Buffer { bytes, movable, is_last: false }, ..STATE })
        };
        assert_eq!(rest(5000, 45_000), Burst::WaitForWindow);
        assert_eq!(rest(5000, 0), Burst::WaitForWindow);
        assert_eq!(rest(4000, 45_000), Burst::Send(4));
        assert_eq!(rest(3000, 45_000), Burst::Send(4));
        assert_eq!(rest(3000, 0), Burst::Send(3));
        assert_eq!(rest(1000, 500), Burst::Send(2), "the next one has half a segment");
        assert_eq!(rest(1000, 0), Burst::Send(1));
    }

    /// Where not the congestion window is what is short.
    #[test]
    fn waits_for_data_unless_no_more_follow() {
        let last = |bytes| Buffer { bytes, movable: 0, is_last: true };
        let less = BurstState { buffer: last(3000), ..STATE };
        assert_eq!(decide(&less), Burst::WaitForData);
        assert_eq!(decide(&BurstState { closed: true, ..less }), Burst::Send(3));
        assert_eq!(decide(&BurstState { buffer: last(4000), ..STATE }), Burst::WaitForWindow);
        let closing = BurstState { offered: 38_000, receivable: 2000, ..STATE };
        assert_eq!(decide(&closing), Burst::WaitForData);
        // A third of the offered window.
        assert_eq!(decide(&BurstState { offered: 6000, ..closing }), Burst::Send(4));
    }
}
