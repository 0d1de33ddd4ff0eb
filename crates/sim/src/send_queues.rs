//! The send queues of upstream Linux for the subflows of a connection, and its packet scheduler, which fills them
//! (`mptcp_subflow_get_send`, `mptcp_pm_subflow_chk_stale`, `__mptcp_retransmit_pending_data`; Linux 6.18).
//!
//! Data is assigned to a subflow before its window has room, and stays there.

use crate::packet::Chunk;
use crate::stream::SendStream;
use crate::subflow::Subflow;
use crate::tso::{self, Buffer};
use anabranch_cc::Group;
use anabranch_net::Time;
use std::collections::VecDeque;

/// Bytes assigned to one subflow before another may be chosen: `MPTCP_SEND_BURST_SIZE`, 64 KiB less the headers.
const BURST: u64 = 65_428;
/// A subflow's send buffer in windows, the smallest window that counts, and the memory accounted per segment, in bytes
/// (`tcp_sndbuf_expand`): headers, payload and `skb_shared_info` up to the next power of two, and an `sk_buff`.
const SEND_BUFFER_WINDOWS: f64 = 2.0;
const LEAST_WINDOW: f64 = 10.0;
const MAX_TCP_HEADER: u64 = 320;
const SHARED_INFO: u64 = 320;
/// Bytes of options in the peer's MSS that are not payload: timestamps and DSS.
const OPTIONS: u64 = 12 + 24;
const BUFFER_HEAD: u64 = 256;
/// Intervals without a reply after which a subflow is stale: `stale_loss_cnt`. Another subflow with fewer than
/// [`ALIVE`] must take its place.
const STALE: u32 = 4;
const ALIVE: u32 = STALE - 1;
/// The shortest interval between connection-level retransmissions: `TCP_RTO_MIN`.
const LEAST_INTERVAL: Time = Time::from_millis(200);
/// Bytes of a data fragment: a page fragment of 32 KiB less its `mptcp_data_frag`. Data is assigned and retransmitted in
/// fragments (`__subflow_push_pending`, `__mptcp_retrans`).
const FRAGMENT: u64 = 32_768 - 40;

#[derive(Clone, Debug, Default)]
struct Queue {
    /// Unsent chunks assigned to it: ranges of numbers, one per buffer.
    ranges: VecDeque<(u64, u64)>,
    len: u64,
    /// The largest window so far, in segments: the send buffer grows with it and never shrinks.
    largest_window: f64,
    /// Average pacing rate in segments per second; 0 before the first burst.
    pace: f64,
    /// When the last reply came on it, and that time at the first counted interval.
    heard_at: Time,
    heard_then: Time,
    /// Connection-level retransmission intervals without a reply.
    silent: u32,
    stale: bool,
}

impl Queue {
    /// Adds a chunk. A buffer has one mapping, so it takes contiguous chunks, up to `size` (`mptcp_sendmsg_frag`).
    fn push(&mut self, n: u64, size: u64) {
        self.len += 1;
        match self.ranges.back_mut() {
            Some(last) if last.1 == n && last.1 - last.0 < size => last.1 += 1,
            _ => self.ranges.push_back((n, n + 1)),
        }
    }

    /// Takes the first chunk from `una` on, skipping acknowledged ones.
    fn pop(&mut self, una: u64) -> Option<u64> {
        while let Some(front) = self.ranges.front_mut() {
            let n = front.0.max(una).min(front.1);
            self.len -= n - front.0;
            front.0 = n;
            let found = n < front.1;
            if found {
                front.0 += 1;
                self.len -= 1;
            }
            if front.0 == front.1 {
                self.ranges.pop_front();
            }
            if found {
                return Some(n);
            }
        }
        None
    }
}

/// Whether a fragment of the stream ends in a chunk.
fn ends_fragment(chunk: Chunk) -> bool {
    let start = u64::from(chunk.offset);
    start / FRAGMENT != (start + u64::from(chunk.len)) / FRAGMENT
}

#[derive(Clone, Debug)]
pub(crate) struct SendQueues {
    queues: Box<[Queue]>,
    /// Chunks to assign again, regardless of their carriers: the next one and the end.
    again: (u64, u64),
    /// Whether a queue has shrunk by acknowledged chunks since the last `fill`.
    pub(crate) has_left_out: bool,
    /// When to retransmit at connection level.
    pub(crate) retransmit_at: Time,
}

impl SendQueues {
    pub(crate) fn new(subflows: usize) -> SendQueues {
        let queues = vec![Queue::default(); subflows].into();
        SendQueues { queues, again: (0, 0), has_left_out: false, retransmit_at: Time::NEVER }
    }

    /// A reply came on `s`: it is alive.
    #[inline]
    pub(crate) fn heard(&mut self, s: usize, now: Time) {
        self.queues[s].heard_at = now;
        self.queues[s].stale = false;
    }

    /// Whether new data may be assigned to `s`.
    fn is_active(&self, s: usize, subflows: &[Subflow], cc: &Group) -> bool {
        let subflow = &subflows[s];
        subflow.is_up() && !self.queues[s].stale && !cc.path(subflow.tx.row).barred
    }

    /// Unacknowledged segments assigned to `s`.
    fn held(&self, s: usize, subflows: &[Subflow]) -> u64 {
        let board = &subflows[s].tx.board;
        board.nxt() - board.una() + self.queues[s].len
    }

    /// Bytes of the send buffer of `s`, for segments of `mss` bytes.
    fn buffer(&self, s: usize, mss: u64) -> u64 {
        let memory = (mss + OPTIONS + MAX_TCP_HEADER + SHARED_INFO).next_power_of_two() + BUFFER_HEAD;
        (SEND_BUFFER_WINDOWS * self.queues[s].largest_window.max(LEAST_WINDOW)) as u64 * memory
    }

    fn has_space(&self, s: usize, subflows: &[Subflow], mss: u64) -> bool {
        self.held(s, subflows) * mss < self.buffer(s, mss)
    }

    /// Whether the connection's send buffer, the sum of the subflows' ones (`__mptcp_sync_sndbuf`), has room. It holds data
    /// until the DATA_ACK.
    fn takes_more(&self, subflows: &[Subflow], out: &SendStream) -> bool {
        let mss = u64::from(out.mss);
        let buffers = (0..subflows.len()).filter(|s| subflows[*s].is_up()).map(|s| self.buffer(s, mss));
        (out.nxt - out.una) * mss < buffers.sum()
    }

    /// The subflow that would first finish sending its data, at its average pacing rate. Backups only if no regular one is active.
    fn pick(&mut self, subflows: &[Subflow], cc: &Group) -> Option<usize> {
        let regular = (0..subflows.len()).any(|s| !subflows[s].backup && self.is_active(s, subflows, cc));
        let mut best: Option<(f64, usize)> = None;
        for s in 0..subflows.len() {
            if subflows[s].backup && regular || !self.is_active(s, subflows, cc) {
                continue;
            }
            if self.queues[s].pace == 0.0 {
                self.queues[s].pace = pacing_rate(&subflows[s], cc);
            }
            let linger = self.held(s, subflows) as f64 / self.queues[s].pace;
            if best.is_none_or(|(least, _)| linger < least) {
                best = Some((linger, s));
            }
        }
        best.map(|(_, s)| s)
    }

    /// Assigns data in bursts until the next subflow has no space. Returns the subflows that got data, one bit each.
    pub(crate) fn fill(&mut self, subflows: &[Subflow], cc: &Group, out: &mut SendStream) -> u32 {
        let mut given_to = 0;
        self.has_left_out = false;
        let mss = u64::from(out.mss);
        let size = tso::buffer_size(mss, out.window()) / mss;
        for (queue, subflow) in self.queues.iter_mut().zip(subflows).filter(|(_, subflow)| subflow.is_up()) {
            queue.largest_window = queue.largest_window.max(cc.path(subflow.tx.row).cwnd);
        }
        while self.again.0 < self.again.1 || out.can_cut() && self.takes_more(subflows, out) {
            let Some(s) = self.pick(subflows, cc) else { break };
            if !self.has_space(s, subflows, mss) {
                if self.queues[s].len == 0 || self.holds_unsent(s, out) {
                    break;
                }
                // Other subflows have delivered all of it, so nothing will be taken from it.
                (self.queues[s].ranges, self.queues[s].len) = (VecDeque::new(), 0);
                continue;
            }
            let burst = BURST.min(out.receivable()).max(mss);
            let held = (self.held(s, subflows) * mss) as f64;
            let (pace, burst_bytes) = (pacing_rate(&subflows[s], cc), burst as f64);
            let queue = &mut self.queues[s];
            queue.pace = (queue.pace * held + pace * burst_bytes) / (held + burst_bytes);
            let (before, mut given) = (self.queues[s].len, 0);
            while let Some((n, chunk)) = self.next(s, out) {
                self.queues[s].push(n, size);
                if ends_fragment(chunk) {
                    given += FRAGMENT;
                    if given >= burst || !self.has_space(s, subflows, mss) {
                        break;
                    }
                }
            }
            if self.queues[s].len == before {
                break;
            }
            given_to |= 1 << s;
        }
        given_to
    }

    /// The next chunk to assign to `s`.
    fn next(&mut self, s: usize, out: &mut SendStream) -> Option<(u64, Chunk)> {
        self.again.0 = self.again.0.max(out.una);
        if self.again.0 < self.again.1 {
            let n = self.again.0;
            self.again.0 += 1;
            return out.carry_on(n, s).map(|chunk| (n, chunk));
        }
        out.cut(s)
    }

    /// The next assigned chunk that `s` sends; it counts as `reinjected` if it has payload and was sent before.
    pub(crate) fn take(
        &mut self,
        s: usize,
        out: &mut SendStream,
        reinjected: &mut u64,
    ) -> Option<(u64, Chunk)> {
        let len = self.queues[s].len;
        let next = self.queues[s].pop(out.una);
        self.has_left_out |= self.queues[s].len + u64::from(next.is_some()) < len;
        let (n, (chunk, sent_before)) = next.and_then(|n| Some((n, out.send_on(n, s)?)))?;
        *reinjected += u64::from(sent_before && chunk.len > 0);
        Some((n, chunk))
    }

    /// Whether `s` has an unsent and unacknowledged chunk.
    #[inline]
    pub(crate) fn holds_unsent(&self, s: usize, out: &SendStream) -> bool {
        self.queues[s].ranges.iter().any(|range| range.1 > out.una)
    }

    pub(crate) fn first_buffer(&self, s: usize, mss: u64) -> Buffer {
        let ranges = &self.queues[s].ranges;
        let bytes = ranges.front().map_or(0, |(from, to)| (to - from) * mss);
        Buffer { bytes, movable: 0, is_last: ranges.len() < 2 }
    }

    /// `s` left the connection or begins a new life.
    pub(crate) fn reset(&mut self, s: usize) {
        self.queues[s] = Queue::default();
    }

    /// Assigns all unacknowledged chunks again, regardless of their carriers.
    pub(crate) fn repeat_all(&mut self, out: &SendStream) {
        self.again = (out.una, out.nxt);
    }

    /// After sending or an ACK (`progress`): runs the retransmission timer while data is outstanding.
    pub(crate) fn restart_timer(
        &mut self,
        subflows: &[Subflow],
        out: &SendStream,
        progress: bool,
        now: Time,
    ) {
        if out.is_acked() {
            self.retransmit_at = Time::NEVER;
        } else if progress || self.retransmit_at == Time::NEVER {
            let waits = |(s, subflow): (usize, &Subflow)| {
                let at = subflow.tx.repairs_at();
                (subflow.is_up() && self.queues[s].silent == 0 && at != Time::NEVER).then(|| at.since(now))
            };
            let longest = subflows.iter().enumerate().filter_map(waits).max();
            self.retransmit_at = now + longest.filter(|t| *t > Time::ZERO).unwrap_or(LEAST_INTERVAL);
        }
    }

    /// The timer expired. Retransmits the blocking fragment on a subflow without data to send or repair; on a backup only
    /// if no subflow has made progress. A subflow without replies while another works becomes stale: it gets no data, and
    /// all data is assigned again.
    pub(crate) fn on_timeout(&mut self, subflows: &[Subflow], cc: &Group, out: &mut SendStream) {
        self.retransmit_at = Time::NEVER;
        let (mut pick, mut backup, mut least) = (None, None, u32::MAX);
        for s in 0..subflows.len() {
            if !subflows[s].is_up() || cc.path(subflows[s].tx.row).barred {
                continue;
            }
            if self.held(s, subflows) > 0 {
                self.check_stale(s, subflows, cc, out);
                least = least.min(self.queues[s].silent);
            } else if subflows[s].backup {
                backup = backup.or(Some(s));
            } else {
                pick = pick.or(Some(s));
            }
        }
        let Some(s) = pick.or(backup.filter(|_| least > 1)) else { return };
        let mut bytes = 0;
        let mss = u64::from(out.mss);
        let size = tso::buffer_size(mss, out.window()) / mss;
        for n in out.una..out.nxt {
            if bytes >= FRAGMENT {
                break;
            }
            if let Some(chunk) = out.carry_on(n, s) {
                self.queues[s].push(n, size);
                bytes += u64::from(chunk.len.max(1));
            }
        }
    }

    fn check_stale(&mut self, s: usize, subflows: &[Subflow], cc: &Group, out: &SendStream) {
        let queue = &mut self.queues[s];
        if queue.silent == 0 {
            (queue.heard_then, queue.silent) = (queue.heard_at, 1);
            return;
        }
        if queue.heard_then != queue.heard_at {
            (queue.silent, queue.stale) = (0, false);
            return;
        }
        queue.silent += 1;
        if queue.stale || queue.silent <= STALE {
            return;
        }
        let alive = |other: usize| {
            other != s && self.is_active(other, subflows, cc) && self.queues[other].silent < ALIVE
        };
        if (0..subflows.len()).any(alive) {
            self.queues[s].stale = true;
            self.repeat_all(out);
        }
    }
}

/// Segments per second: the algorithm's pacing rate, or Linux's default.
fn pacing_rate(subflow: &Subflow, cc: &Group) -> f64 {
    let path = cc.path(subflow.tx.row);
    path.pacing_rate.unwrap_or_else(|| {
        let outstanding = subflow.tx.board.nxt() - subflow.tx.board.una();
        tso::pacing_rate(path.cwnd, path.ssthresh, outstanding, subflow.tx.rtt.smoothed_s().max(1e-9))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtt::Rtt;
    use crate::sender::Sender;
    use crate::subflow::Stage;
    use anabranch_cc::registry;
    use anabranch_scenario::Tcp;

    /// Subflows that are up, with an empty pipe, by window in segments and RTT in ms; their queues, filled from an endless stream.
    fn filled(of: &[(f64, u64)]) -> (Vec<Subflow>, Group, SendQueues, SendStream) {
        let mut cc = registry::find("reno").unwrap().group(&[]).unwrap();
        let subflow = |(id, &(cwnd, rtt_ms)): (usize, &(f64, u64))| {
            let mut rtt = Rtt::new(Time::from_millis(200));
            rtt.sample(crate::scoreboard::RoundTrip::of(Time::from_millis(rtt_ms)));
            let row = cc.add_path(rtt.smoothed_s(), cwnd);
            let mut subflow = Subflow::new(id as u32, false, Time::from_millis(200), 0);
            subflow.stage = Stage::Up;
            subflow.tx = Sender::new(row, rtt, &Tcp::default(), false);
            subflow
        };
        let subflows: Vec<_> = of.iter().enumerate().map(subflow).collect();
        let (mut queues, mut out) = (SendQueues::new(of.len()), SendStream::new(1428, 1 << 30, of.len()));
        out.write_up_to(u64::MAX);
        queues.fill(&subflows, &cc, &mut out);
        (subflows, cc, queues, out)
    }

    /// By hand: 10 segments per 10 ms in slow start are paced at 2,000 a second, per 50 ms at 400. A send buffer of two windows is
    /// 20 · (4096 + 256) = 87,040 bytes, the one that sockets on Ethernet begin with: it has space as long as it holds 60 segments.
    /// A burst is two fragments of 32,728 bytes, which end in the 23rd, 46th, 69th, 92nd and 115th segment. The first takes a burst
    /// (23 ms to send it), the second one (115 ms), the first a fragment, with which it holds 69: it is still the
    /// first (34.5 ms), and nothing more is given out.
    #[test]
    fn the_least_linger_time_gets_the_next_burst() {
        let (.., mut queues, mut out) = filled(&[(10.0, 10), (10.0, 50)]);
        assert_eq!(queues.queues[0].ranges, [(0, 45), (45, 46), (92, 115)]);
        assert_eq!(queues.queues[1].ranges, [(46, 91), (91, 92)]);
        assert_eq!(out.nxt, 115);
        assert_eq!(
            queues.take(1, &mut out, &mut 0).map(|(n, chunk)| (n, chunk.offset)),
            Some((46, 46 * 1428))
        );
    }

    /// Five intervals without a reply make a subflow stale, if another has been heard of; all then goes to that one,
    /// until something is heard.
    #[test]
    fn a_silent_subflow_is_stale_after_five_intervals() {
        let (subflows, cc, mut queues, mut out) = filled(&[(10.0, 10), (10.0, 50)]);
        for interval in 1..=5 {
            assert!(!queues.queues[0].stale, "before interval {interval}");
            queues.heard(1, Time::from_millis(200 * interval));
            queues.on_timeout(&subflows, &cc, &mut out);
        }
        assert!(queues.queues[0].stale && !queues.queues[1].stale);
        assert_eq!(queues.again, (0, 115));
        queues.fill(&subflows, &cc, &mut out);
        assert_eq!(queues.queues[1].ranges.back(), Some(&(0, 23))); // a fragment, with the 46 that it had
        queues.heard(0, Time::from_millis(2000));
        assert!(queues.is_active(0, &subflows, &cc));
    }

    /// An idle subflow repeats the first fragment of what is missing; a busy one does not.
    #[test]
    fn an_idle_subflow_repeats_what_is_missing() {
        let (subflows, cc, mut queues, mut out) = filled(&[(10.0, 10), (10.0, 50)]);
        queues.reset(1);
        queues.on_timeout(&subflows, &cc, &mut out);
        // 32,728 bytes are 23 segments of 1428 bytes.
        assert_eq!((queues.queues[1].ranges.back(), queues.queues[1].len), (Some(&(0, 23)), 23));
        queues.on_timeout(&subflows, &cc, &mut out);
        assert_eq!(queues.queues[1].len, 23);
    }

    /// Of the first fragment, 23 segments, the first subflow has sent ten when the idle second one is given it again. Four of them are
    /// acknowledged before the second one's turn: six are sent twice, the 13 others once by it, and then by the first one again.
    #[test]
    fn only_what_is_sent_again_is_reinjected() {
        let (subflows, cc, mut queues, mut out) = filled(&[(10.0, 10), (10.0, 50)]);
        let mut reinjected = 0;
        queues.reset(1);
        for _ in 0..10 {
            queues.take(0, &mut out, &mut reinjected);
        }
        queues.on_timeout(&subflows, &cc, &mut out);
        out.on_data_ack(4, 4 * 1428, 1 << 30);
        assert_eq!(reinjected, 0);
        assert_eq!(
            (4..23).filter(|n| queues.take(1, &mut out, &mut reinjected).unwrap().0 == *n).count(),
            19
        );
        assert_eq!(reinjected, 6);
        for _ in 10..23 {
            queues.take(0, &mut out, &mut reinjected);
        }
        assert_eq!(reinjected, 6 + 13);
        queues.take(0, &mut out, &mut reinjected);
        assert_eq!(reinjected, 6 + 13, "sent for the first time");
    }

    /// `tcp_sndbuf_expand` runs where the window is larger than ever; nothing takes the buffer back. The connection's own is as large as
    /// both (`__mptcp_sync_sndbuf`): data that waits for its DATA_ACK is in it, on whichever subflow it was acknowledged.
    #[test]
    fn a_send_buffer_grows_with_the_window_and_never_shrinks() {
        let (subflows, mut cc, mut queues, mut out) = filled(&[(40.0, 10), (10.0, 10)]);
        cc.restart(subflows[0].tx.row, 1.0, 5.0);
        queues.fill(&subflows, &cc, &mut out);
        assert_eq!((queues.buffer(0, 1428), queues.buffer(1, 1428)), (80 * 4352, 20 * 4352));
        let both = 100 * 4352 / 1428;
        queues.queues.iter_mut().for_each(|queue| (queue.ranges, queue.len) = (VecDeque::new(), 0));
        queues.fill(&subflows, &cc, &mut out);
        assert!((both..both + 46).contains(&out.nxt), "{} chunks", out.nxt);
    }

    /// `mptcp_sendmsg_frag`: a buffer takes what continues its mapping, up to what fits an offloaded packet; what was sent of it makes
    /// room again, and one that was sent whole is gone.
    #[test]
    fn a_buffer_has_one_mapping() {
        let mut queue = Queue::default();
        (0..3).for_each(|n| queue.push(n, 4));
        queue.pop(0);
        (3..6).for_each(|n| queue.push(n, 4));
        queue.push(9, 4);
        assert_eq!(queue.ranges, [(1, 5), (5, 6), (9, 10)]);
        (1..6).for_each(|n| assert_eq!(queue.pop(0), Some(n)));
        assert_eq!(queue.pop(0), Some(9));
        queue.push(10, 4);
        assert_eq!((queue.ranges, queue.len), (VecDeque::from([(10, 11)]), 1));
    }

    #[test]
    fn a_queue_leaves_out_what_was_acknowledged() {
        let mut queue = Queue::default();
        [3, 4, 5, 9, 10].into_iter().for_each(|n| queue.push(n, 45));
        assert_eq!((queue.pop(0), queue.pop(5), queue.len), (Some(3), Some(5), 2));
        assert_eq!((queue.pop(20), queue.len), (None, 0));
    }
}
