//! Throughput of one MPTCP connection that changes its congestion control twenty times a second.
//!
//! Between runs the kernel's own CUBIC varies by a quarter, by who was woken where. Within a connection neighbours in time
//! differ little, and each turn is compared with CUBIC's before and after it. Nothing is lost there, so windows hardly
//! change with the algorithm: what differs is what it costs.

use anabranch_test_support::lab::Lab;
use anabranch_test_support::mptcp::{connection, count, flood, listener};
use anabranch_test_support::summary::Median;
use anabranch_test_support::{ss, until};
use rustix::net::sockopt::set_tcp_congestion;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

const PORT: u16 = 5203;
const TURN: Duration = Duration::from_millis(50);
/// Of it, before anything is measured: what is on its way was sent under the other one.
const SETTLE: Duration = Duration::from_millis(10);
/// Before the first turn, so that windows are as large as they get.
const WARM_UP: Duration = Duration::from_secs(2);
/// Bytes that each subflow must have carried by then.
const CARRIED: u64 = 100 << 20;

/// The rates of an algorithm's turns, Gbit/s, and their ratio to CUBIC's mean before and after each. Neighbours share a
/// turn of CUBIC's, so that the intervals are some 15 % too narrow.
pub struct Turns {
    pub goodput: Median,
    pub of_cubic: Median,
}

/// Over this number of turns of the algorithm.
pub fn turns(lab: &Lab, name: &str, number: usize) -> Turns {
    let listener = listener(&lab.server, PORT);
    let sender = lab.client.run(|| connection(PORT)).unwrap();
    let receiver = listener.accept().unwrap().0;
    let received = AtomicU64::new(0);
    scope(|scope| {
        let _end = End(&sender);
        scope.spawn(|| count(receiver, &received));
        scope.spawn(|| flood(&sender));
        sleep(WARM_UP);
        let flow = || ss::carried(lab, PORT).iter().all(|&bytes| bytes > CARRIED);
        until(flow, "both subflows carry data");
        let turn = |name| {
            set_tcp_congestion(&sender, name).unwrap();
            sleep(SETTLE);
            let (start, before) = (Instant::now(), received.load(Ordering::Relaxed));
            sleep(TURN - SETTLE);
            let bytes = received.load(Ordering::Relaxed) - before;
            bytes as f64 * 8e-9 / start.elapsed().as_secs_f64()
        };
        let mut before = turn("cubic");
        let (goodput, of_cubic): (Vec<_>, Vec<_>) = (0..number)
            .map(|_| {
                let (own, after) = (turn(name), turn("cubic"));
                let beside = (before + after) / 2.0;
                before = after;
                (own, own / beside)
            })
            .unzip();
        Turns { goodput: Median::of(&goodput), of_cubic: Median::of(&of_cubic) }
    })
}

/// Ends the threads that send and receive, however it comes to it.
struct End<'a>(&'a TcpStream);

impl Drop for End<'_> {
    fn drop(&mut self) {
        let _ = self.0.shutdown(Shutdown::Both);
    }
}
