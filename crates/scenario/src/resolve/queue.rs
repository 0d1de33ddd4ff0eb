//! Queues: converts lengths to packets or bytes, and completes disciplines.

use crate::diagnostic::{At, Problems};
use crate::format;
use crate::leaf::Length;
use anabranch_net::{Discipline, QueueLimit, Value};

/// A full packet: the default MSS and its 52 bytes of headers.
const FULL_PACKET: u64 = 1500;

/// Converts BDPs to bytes, rounded to the nearest, at least one full packet.
pub(super) fn queue(length: Length, bdp_bytes: f64) -> QueueLimit {
    match length {
        Length::Packets(packets) => QueueLimit::Packets(packets),
        Length::Bytes(bytes) => QueueLimit::Bytes(bytes),
        Length::Bdp(n) => QueueLimit::Bytes(((n * bdp_bytes).round() as u64).max(FULL_PACKET)),
    }
}

/// The discipline of a link. Only drop-tail has a marking threshold: other disciplines mark by their own rules.
pub(super) fn discipline(link: &format::Link, bdp_bytes: f64, problems: &mut Problems) -> Discipline {
    let length = |length| match queue(length, bdp_bytes) {
        QueueLimit::Packets(packets) => Value::Length(packets as f64, false),
        QueueLimit::Bytes(bytes) => Value::Length(bytes as f64, true),
    };
    let mut discipline = Discipline::default();
    if let Some(aqm) = &link.aqm {
        match Discipline::new(aqm.model.name, &aqm.values(length)) {
            Ok(given) => discipline = given,
            Err([param, message, label, help]) => {
                let Some(place) = aqm.place(param) else { return discipline };
                problems.add(place, message, label, help);
            }
        }
    }
    if let Some(At { value: threshold, place }) = &link.ecn_threshold {
        if let Discipline::DropTail { ecn_threshold_bytes } = &mut discipline {
            *ecn_threshold_bytes = Some(match queue(*threshold, bdp_bytes) {
                QueueLimit::Packets(packets) => packets.saturating_mul(FULL_PACKET),
                QueueLimit::Bytes(bytes) => bytes,
            });
        } else {
            let help = "set `ecn = true` in the `aqm`, which marks by its own rule";
            let message = "`ecn_threshold` and `aqm` exclude each other";
            problems.add(place, message, "conflicts with `aqm`", help);
        }
    }
    discipline
}
