//! The links, and datagrams on their way over them.

use anabranch_net::{Arrival, Link, LinkSpec, Outcome, Time, Totals, Waiting};
use bytes::BytesMut;
use noq_proto::EcnCodepoint;

/// IPv4 and UDP.
const HEADERS: usize = 20 + 8;

/// One end of a connection: the sender is the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Client,
    Server,
}

/// A datagram.
pub(crate) struct Datagram {
    pub(crate) flow: usize,
    pub(crate) path: usize,
    pub(crate) to: End,
    pub(crate) sent_at: Time,
    pub(crate) ecn: Option<EcnCodepoint>,
    pub(crate) data: BytesMut,
    /// The links of its route that it has passed.
    pub(crate) hop: usize,
}

impl Datagram {
    pub(crate) fn wire_bytes(&self) -> u32 {
        (self.data.len() + HEADERS) as u32
    }
}

/// What becomes of a datagram.
pub(crate) enum Fate {
    /// It is at the far end of the link at that time.
    Arrives(Time, Datagram),
    Dropped(Datagram),
}

pub(crate) struct Network {
    links: Vec<Link>,
    /// By link and ticket: datagrams in a queue that decides at departure.
    waiting: Vec<Vec<Option<Datagram>>>,
    /// For which time each link's wake is scheduled.
    wakes: Vec<Time>,
}

impl Network {
    pub(crate) fn new<'a>(specs: impl Iterator<Item = &'a LinkSpec>, seed: u64) -> Network {
        let links: Vec<Link> = specs.enumerate().map(|(i, spec)| Link::new(spec, seed, i as u64)).collect();
        Network {
            waiting: links.iter().map(|_| Vec::new()).collect(),
            wakes: vec![Time::NEVER; links.len()],
            links,
        }
    }

    /// A datagram arrives at link `i`. What is decided goes to `fates`.
    pub(crate) fn offer(&mut self, now: Time, i: usize, mut datagram: Datagram, fates: &mut Vec<Fate>) {
        let (wire_bytes, ecn_capable) = (datagram.wire_bytes(), datagram.ecn.is_some());
        match &mut self.links[i] {
            Link::Fifo(link) => {
                let outcome = link.offer(now, wire_bytes, ecn_capable);
                fates.push(fate(outcome, datagram));
            }
            Link::Dequeue(link) => {
                let flow = 2 * (datagram.flow as u64 * 64 + datagram.path as u64)
                    + u64::from(datagram.to == End::Server);
                match link.offer(now, Arrival { wire_bytes, ecn_capable, flow }) {
                    Ok(ticket) => {
                        let tickets = &mut self.waiting[i];
                        if tickets.len() <= ticket as usize {
                            tickets.resize_with(ticket as usize + 1, || None);
                        }
                        tickets[ticket as usize] = Some(datagram);
                    }
                    Err(_) => {
                        datagram.hop += 1;
                        fates.push(Fate::Dropped(datagram));
                    }
                }
                self.collect(now, i, fates);
            }
        }
    }

    /// What link `i` has decided by now.
    pub(crate) fn collect(&mut self, now: Time, i: usize, fates: &mut Vec<Fate>) {
        if let Link::Dequeue(link) = &mut self.links[i] {
            while let Some((ticket, outcome)) = link.next_outcome(now) {
                if let Some(datagram) = self.waiting[i][ticket as usize].take() {
                    fates.push(fate(outcome, datagram));
                }
            }
        }
    }

    /// When link `i` has to be woken, if that is not scheduled.
    pub(crate) fn next_wake(&mut self, i: usize) -> Option<Time> {
        let Link::Dequeue(link) = &self.links[i] else { return None };
        let at = link.wakes_at();
        (at < self.wakes[i]).then(|| {
            self.wakes[i] = at;
            at
        })
    }

    /// Whether a wake of link `i` at `now` is the scheduled one, which is then over.
    pub(crate) fn wakes(&mut self, now: Time, i: usize) -> bool {
        let is_due = self.wakes[i] == now;
        if is_due {
            self.wakes[i] = Time::NEVER;
        }
        is_due
    }

    pub(crate) fn totals(&mut self, now: Time) -> Vec<Totals> {
        let of = |link: &mut Link| match link {
            Link::Fifo(link) => link.totals(now),
            Link::Dequeue(link) => link.totals(now),
        };
        self.links.iter_mut().map(of).collect()
    }

    pub(crate) fn waiting(&mut self, now: Time) -> Vec<Waiting> {
        let of = |link: &mut Link| match link {
            Link::Fifo(link) => link.waiting(now),
            Link::Dequeue(link) => link.waiting(now),
        };
        self.links.iter_mut().map(of).collect()
    }
}

fn fate(outcome: Outcome, mut datagram: Datagram) -> Fate {
    datagram.hop += 1;
    match outcome {
        Outcome::Delivered { at, marked } => {
            if marked {
                datagram.ecn = Some(EcnCodepoint::Ce);
            }
            Fate::Arrives(at, datagram)
        }
        Outcome::Dropped(_) => Fate::Dropped(datagram),
    }
}
