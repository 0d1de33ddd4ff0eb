//! The emulator's thread: reads packets, passes them to the network, and writes them when they are due.

use super::counts::{PathCounts, SendingBehaviour, Watch};
use super::headers::SeenPacket;
use super::health::Health;
use super::network::{Network, Packet};
use super::options::EmulatorOptions;
use super::standstill::Standstills;
use super::store::Store;
use super::wire::{self, Header};
use crate::clock::{Clock, nanos};
use crate::device::{LARGEST_READ, Tun, VNET_HEADER};
use crate::realtime;
use anabranch_net::{Time, Totals, Waiting};
use rustix::event::epoll;
use rustix::io::Errno;
use rustix::thread::{clock_nanosleep_absolute, set_current_timer_slack};
use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use std::hint::spin_loop;
use std::io;
use std::num::NonZero;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::time::{Duration, Instant};

/// The most packets read from a device before the next one.
const AT_ONCE: usize = 16;
/// After a pause of this length, the thread wakes early by this time and spins until a packet is due, because timers wake it
/// 20 to 60 µs late.
const PAUSE: Time = Time::from_millis(1);
const EARLY: Time = Time::from_nanos(60_000);
/// Event numbers other than devices.
const TIMER: u64 = u64::MAX;
const REQUESTS: u64 = u64::MAX - 1;

/// The state of links and paths at an instant.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The instant, from time 0 of the run.
    pub at: Time,
    /// The counters and the queue of each link.
    pub links: Vec<(Totals, Waiting)>,
    /// The counters of each path.
    pub paths: Vec<PathCounts>,
    /// The total standstill time: the sum of all times longer than 1 ms in which the thread should have run and did not.
    pub standstill: Time,
}

/// The final report of the emulator.
#[derive(Debug)]
pub struct Report {
    /// The state at the end.
    pub end: Snapshot,
    /// The sending behaviour of each path's hosts.
    pub manners: Vec<SendingBehaviour>,
    /// The packets at the senders' hosts, if they were to be captured.
    pub packets: Vec<SeenPacket>,
    /// The accuracy of its timing.
    pub health: Health,
}

/// A request for a snapshot: the channel for the answer. The emulator ends when the sender of requests is dropped.
pub(super) type Request = Sender<Snapshot>;

pub(super) struct Engine {
    network: Network,
    store: Store,
    watches: Vec<Watch>,
    /// Path p has the devices 2p (sender) and 2p + 1 (receiver). A device's packets take the route of the same number.
    devices: Vec<Device>,
    /// Devices that may have packets.
    ready: Vec<u32>,
    scratch: Vec<u8>,
    clock: Clock,
    timer: OwnedFd,
    /// The timer's expiry.
    set: Time,
    /// The packets at the senders' hosts, if they are captured.
    packets: Option<Vec<SeenPacket>>,
    /// The last time at which due packets were delivered to their hosts.
    advanced: Time,
    epoll: OwnedFd,
    waker: Arc<OwnedFd>,
    requests: Receiver<Request>,
    health: Health,
    standstills: Standstills,
}

struct Device {
    tun: Tun,
    ready: bool,
}

/// Whether the route or device belongs to a sender.
fn is_forward(route: u32) -> bool {
    route & 1 == 0
}

impl Engine {
    pub fn new(
        network: Network,
        watches: Vec<Watch>,
        tuns: Vec<Tun>,
        clock: Clock,
        options: &EmulatorOptions,
        waker: Arc<OwnedFd>,
        requests: Receiver<Request>,
    ) -> io::Result<Engine> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let timer =
            timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        let add = |fd: &dyn AsFd, data: u64| {
            let flags = epoll::EventFlags::IN | epoll::EventFlags::ET;
            epoll::add(&epoll, fd.as_fd(), epoll::EventData::new_u64(data), flags)
        };
        add(&timer, TIMER)?;
        add(&*waker, REQUESTS)?;
        for (i, tun) in tuns.iter().enumerate() {
            add(tun, i as u64)?;
        }
        let largest = tuns.iter().map(|tun| tun.mtu).max().unwrap_or(0) as usize + VNET_HEADER;
        Ok(Engine {
            network,
            store: Store::new(largest),
            watches,
            // Packets that arrived before the thread's start do not trigger an event.
            ready: (0..tuns.len() as u32).collect(),
            devices: tuns.into_iter().map(|tun| Device { tun, ready: true }).collect(),
            scratch: vec![0; LARGEST_READ],
            clock,
            timer,
            set: Time::NEVER,
            packets: options.capture.then(Vec::new),
            advanced: Time::ZERO,
            epoll,
            waker,
            requests,
            health: Health { quantum: options.quantum, ..Health::default() },
            standstills: Standstills::default(),
        })
    }

    /// Runs until the sender of requests is dropped.
    pub fn run(mut self) -> io::Result<Report> {
        self.health.realtime = realtime::raise(realtime::EMULATOR).is_ok();
        let began = Instant::now();
        self.standstills.record_sleep(self.clock.now());
        // By default, the kernel may wake a thread without real-time priority 50 µs late.
        set_current_timer_slack(Some(NonZero::<u64>::MIN))?;
        let mut events = Vec::with_capacity(64);
        loop {
            self.advance();
            let mut until = Time::ZERO;
            if !self.read()? && self.ready.is_empty() {
                until = self.network.next();
                let soon = self.advanced + self.health.quantum;
                if until < soon {
                    self.sleep(soon);
                }
            }
            let woken = self.wait(until, &mut events)?;
            if woken && !self.answer() {
                break;
            }
        }
        self.health.cpu = Duration::from_nanos(nanos(ClockId::ThreadCPUTime) as u64);
        self.health.wall = began.elapsed();
        let end = self.snapshot();
        let manners = self.watches.into_iter().map(|watch| watch.manner).collect();
        let packets = self.packets.unwrap_or_default();
        Ok(Report { end, manners, packets, health: self.health })
    }

    /// Waits for packets or requests until the given time; returns whether requests arrived.
    fn wait(&mut self, until: Time, events: &mut Vec<epoll::Event>) -> io::Result<bool> {
        const NOW: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
        let now = self.clock.now();
        let busy = until <= now;
        // Wakes regularly, so that a standstill during a long sleep is detected: packets that arrive then would wait unnoticed.
        let until = if until.since(now) > PAUSE.times(3) { now + PAUSE } else { until };
        let early = if until.since(now) > PAUSE { EARLY } else { Time::ZERO };
        if !busy {
            self.set_timer(until.since(early))?;
            self.standstills.record_sleep(until);
        }
        events.clear();
        match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(events), busy.then_some(&NOW)) {
            Ok(_) | Err(Errno::INTR) => (),
            Err(error) => return Err(error.into()),
        }
        while early > Time::ZERO && (Time::from_nanos(1)..=early).contains(&until.since(self.clock.now())) {
            spin_loop();
        }
        let mut woken = false;
        for event in events.iter() {
            match event.data.u64() {
                TIMER => self.set = Time::NEVER,
                REQUESTS => woken = true,
                device => {
                    let known = &mut self.devices[device as usize];
                    if !known.ready {
                        known.ready = true;
                        self.ready.push(device as u32);
                    }
                }
            }
        }
        Ok(woken)
    }

    /// Sleeps, ignoring packets and requests.
    fn sleep(&mut self, until: Time) {
        self.standstills.record_sleep(until);
        // An early wake-up by a signal does no harm.
        let _ = clock_nanosleep_absolute(ClockId::Monotonic, &self.clock.timespec(until));
    }

    /// Sets the timer. An early expiry does no harm.
    fn set_timer(&mut self, until: Time) -> io::Result<()> {
        if until < self.set {
            let spec = Itimerspec { it_interval: Timespec::default(), it_value: self.clock.timespec(until) };
            timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &spec)?;
            self.set = until;
        }
        Ok(())
    }

    /// Moves packets up to now and delivers those at the end of their routes.
    fn advance(&mut self) {
        self.advanced = self.record_work();
        self.network.run(self.advanced);
        while let Some((due, packet)) = self.network.arrived.pop_front() {
            self.deliver(due, packet);
        }
        while let Some((packet, why)) = self.network.dropped.pop() {
            let watch = &mut self.watches[packet.route as usize / 2];
            let cause = self.standstills.cause(self.advanced, watch.reach);
            watch.dropped(is_forward(packet.route), packet.data, why, cause);
            self.store.release(packet.place);
        }
    }

    /// Reads the clock and records that the thread runs.
    #[inline]
    fn record_work(&mut self) -> Time {
        let now = self.clock.now();
        self.standstills.record_work(now);
        now
    }

    fn deliver(&mut self, due: Time, packet: Packet) {
        if packet.marked {
            wire::mark(self.store.packet(packet.place));
        }
        let now = self.record_work();
        if !is_forward(packet.route)
            && let Some(packets) = &mut self.packets
        {
            let frame = self.store.packet(packet.place);
            packets.extend(SeenPacket::new(now, packet.route as usize / 2, frame));
        }
        let late = now.since(due);
        self.health.lateness.record(late.as_nanos());
        self.health.latest = self.health.latest.max(late);
        let tun = &self.devices[packet.route as usize ^ 1].tun;
        self.health.refused += u64::from(tun.write(self.store.packet(packet.place)).is_err());
        self.store.release(packet.place);
    }

    /// Reads some packets of each device; returns whether there were any.
    fn read(&mut self) -> io::Result<bool> {
        let mut any = false;
        let mut i = 0;
        while i < self.ready.len() {
            let device = self.ready[i];
            let mut left = AT_ONCE;
            while left > 0 {
                let Some(length) = self.devices[device as usize].tun.read(&mut self.scratch)? else { break };
                self.enter(device, length);
                left -= 1;
                any = true;
            }
            if left > 0 {
                self.devices[device as usize].ready = false;
                self.ready.swap_remove(i);
            } else {
                i += 1;
            }
        }
        Ok(any)
    }

    /// Splits a packet into its segments on the wire and passes them to the network.
    fn enter(&mut self, device: u32, length: usize) {
        let frame = &self.scratch[..length];
        let fits = |header: &Header| header.length(0) + VNET_HEADER <= self.store.largest();
        let Some(header) = Header::read(frame).filter(fits) else {
            self.health.foreign += 1;
            return;
        };
        let now = self.clock.now();
        self.standstills.record_work(now);
        self.network.run(now);
        let watch = &mut self.watches[device as usize / 2];
        if is_forward(device) {
            watch.forward(&header);
        } else {
            watch.back(&header);
        }
        for i in 0..header.segments() {
            let size = header.length(i);
            let place = self.store.put(VNET_HEADER + size, |to| header.write(frame, i, to));
            if is_forward(device)
                && let Some(packets) = &mut self.packets
            {
                packets.extend(SeenPacket::new(now, device as usize / 2, self.store.packet(place)));
            }
            self.network.enter(
                now,
                Packet {
                    place,
                    route: device,
                    stage: 0,
                    size: size as u16,
                    ecn_capable: header.ecn_capable,
                    marked: false,
                    data: header.tcp.is_some() && header.payload > 0,
                },
            );
        }
    }

    /// Answers all requests; returns whether more can arrive.
    fn answer(&mut self) -> bool {
        let _ = rustix::io::read(&*self.waker, &mut [0; 8]);
        loop {
            match self.requests.try_recv() {
                // The requester may have stopped waiting.
                Ok(request) => drop(request.send(self.snapshot())),
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
    }

    fn snapshot(&mut self) -> Snapshot {
        self.advance();
        let at = self.clock.now();
        self.network.run(at);
        Snapshot {
            at,
            links: (0..self.network.links).map(|i| self.network.link(i, at)).collect(),
            paths: self.watches.iter().map(|watch| watch.counts).collect(),
            standstill: self.standstills.sum,
        }
    }
}
