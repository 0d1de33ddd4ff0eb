//! The two ends of the traffic of `emulators`, each a process in its namespace. They print their measurements as a line.

use anabranch_testbed::tcp_info::subflows;
use rustix::net::sockopt::{set_socket_recv_buffer_size_force, set_tcp_congestion};
use rustix::time::{ClockId, clock_gettime};
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// The beginning of the line.
pub const RESULT: &str = "RESULT ";
/// The IP packets of UDP, and their data behind two headers.
pub const PACKET: usize = 1500;
const DATA: usize = PACKET - 28;
const PORT: u16 = 5001;
/// The longest wait of the receiver for the first packet, and for any other.
const FIRST: Duration = Duration::from_secs(15);
const NEXT: Duration = Duration::from_millis(800);
/// The sender's wait before it begins: the receiver, and readers of clocks, are there then.
pub const HEAD: Duration = Duration::from_millis(500);

/// No end takes longer: one whose other end was killed goes, too.
const LONGEST: Duration = Duration::from_secs(60);

/// Does what the arguments behind `end` say.
pub fn run(arguments: &[String]) {
    std::thread::spawn(|| {
        sleep(LONGEST);
        std::process::exit(1);
    });
    let number = |i: usize| arguments[i].parse::<f64>().expect("a number");
    match arguments[0].as_str() {
        "send" => {
            send(&arguments[1], number(2) as u64, number(3) as u64, Duration::from_micros(number(4) as u64))
        }
        "receive" => receive(number(1), number(2) * 1e6),
        "tcp-send" => tcp_send(&arguments[1], Duration::from_secs_f64(number(2))),
        "tcp-receive" => tcp_receive(Duration::from_secs_f64(number(1))),
        other => panic!("no end is `{other}`"),
    }
}

fn nanos() -> i64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

/// Sends `batches` of this number of packets, one batch in a period, each packet with the time at which it was sent.
fn send(to: &str, batches: u64, batch: u64, period: Duration) {
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    socket.connect((to, PORT)).unwrap();
    sleep(HEAD);
    let begin = Instant::now();
    let mut packet = [0; DATA];
    for i in 0..batches {
        sleep((begin + period * i as u32).saturating_duration_since(Instant::now()));
        for _ in 0..batch {
            packet[..8].copy_from_slice(&nanos().to_ne_bytes());
            // A full queue before the first link refuses it: then it is lost.
            let _ = socket.send(&packet);
        }
    }
    println!("{RESULT}sent={}", batches * batch);
    sleep(HEAD);
}

/// Receives them, and compares the times with those of a link with that rate (bits per second; 0 means no limit) and that delay
/// (ns).
fn receive(rate_bps: f64, delay: f64) {
    let socket = UdpSocket::bind(("0.0.0.0", PORT)).unwrap();
    set_socket_recv_buffer_size_force(&socket, 64 << 20).unwrap();
    socket.set_read_timeout(Some(FIRST)).unwrap();
    let (mut packets, mut packet) = (Vec::<(i64, i64)>::new(), [0; DATA]);
    loop {
        match socket.recv(&mut packet) {
            Ok(_) => packets.push((i64::from_ne_bytes(packet[..8].try_into().unwrap()), nanos())),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        }
        if packets.len() == 1 {
            socket.set_read_timeout(Some(NEXT)).unwrap();
        }
    }
    let serialised = if rate_bps > 0.0 { PACKET as f64 * 8e9 / rate_bps } else { 0.0 };
    let (mut free, mut late) = (0.0_f64, Vec::new());
    for (sent, received) in &packets {
        let base = packets[0].0;
        free = free.max((sent - base) as f64) + serialised;
        late.push((received - base) as f64 - free - delay);
    }
    // Without the beginning, when caches and neighbours are not known yet and the queue fills.
    let from = packets.len() / 5;
    let mut late = late.split_off(from.min(late.len()));
    late.sort_by(f64::total_cmp);
    let at =
        |q: f64| late.get((q * (late.len().max(1) - 1) as f64) as usize).copied().unwrap_or(f64::NAN) / 1e3;
    let behind = &packets[from.min(packets.len())..];
    let seconds = behind.last().map_or(f64::NAN, |last| (last.1 - behind[0].1) as f64 / 1e9);
    let rate = (behind.len().max(1) - 1) as f64 * PACKET as f64 * 8.0 / seconds;
    println!(
        "{RESULT}received={} rate={rate} p50={} p99={} most={}",
        packets.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

/// Room for the windows of fast links.
fn allow_buffers() {
    for buffer in ["tcp_rmem", "tcp_wmem"] {
        fs::write(format!("/proc/sys/net/ipv4/{buffer}"), "4096 131072 268435456").unwrap();
    }
}

/// Sends without end for this time, under CUBIC; the mean RTT and the fraction of retransmitted segments, of the second half.
fn tcp_send(to: &str, length: Duration) {
    allow_buffers();
    sleep(HEAD);
    let mut stream = TcpStream::connect((to, PORT)).unwrap();
    set_tcp_congestion(&stream, "cubic").unwrap();
    let end = Instant::now() + length;
    let other = stream.try_clone().unwrap();
    let look = || subflows(&other, false).unwrap().expect("a list of one")[0].info;
    scope(|scope| {
        scope.spawn(|| {
            let block = vec![0; 1 << 18];
            while stream.write_all(&block).is_ok() {}
        });
        sleep(length / 2);
        let (before, mut rtts) = (look(), Vec::new());
        while Instant::now() < end {
            sleep(Duration::from_millis(10));
            rtts.push(f64::from(look().rtt_us));
        }
        let after = look();
        // The receiver may have ended before.
        let _ = other.shutdown(std::net::Shutdown::Both);
        let rtt = rtts.iter().sum::<f64>() / rtts.len() as f64;
        let again = f64::from(after.total_retrans - before.total_retrans);
        let share = again / f64::from(after.data_segs_out - before.data_segs_out);
        println!("{RESULT}rtt={rtt} again={share}");
    });
    // Packets under way arrive before the links go.
    sleep(HEAD);
}

/// Receives, and counts in the second half.
fn tcp_receive(length: Duration) {
    allow_buffers();
    let listener = TcpListener::bind(("0.0.0.0", PORT)).unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(FIRST)).unwrap();
    let begin = Instant::now();
    let mut buffer = vec![0; 1 << 18];
    // From the first reading in the second half on, whose bytes may be older.
    let (mut first, mut last, mut counted) = (None, begin, 0);
    while let Ok(length_read @ 1..) = stream.read(&mut buffer)
        && begin.elapsed() < length
    {
        last = Instant::now();
        match first {
            Some(_) => counted += length_read,
            None if begin.elapsed() > length / 2 => first = Some(last),
            None => {}
        }
    }
    let seconds = last.duration_since(first.unwrap_or(last)).as_secs_f64();
    println!("{RESULT}goodput={}", counted as f64 * 8.0 / seconds);
}
