//! Queue disciplines: defaults are the RFCs', lengths become packets or bytes.

use crate::diagnostic::{At, Problems};
use crate::format::{self, Discipline as Given};
use crate::leaf::{Length, PositiveSpan, Probability, Size, Span};
use crate::resolve::queue::{FULL_PACKET, queue};
use anabranch_net::{CoDel, Discipline, FqCoDel, Pie, QueueLimit, Red, Time};

/// PIE's shortest update.
const MIN_UPDATE: Time = Time::from_nanos(100_000);

/// The discipline of a link. Only drop-tail has a threshold for marks: the others mark by their own rules.
pub(super) fn discipline(link: &format::Link, bdp_bytes: f64, problems: &mut Problems) -> Discipline {
    let mut discipline = match &link.aqm {
        Some(format::Aqm(given)) => without_threshold(given, bdp_bytes, problems),
        None => Discipline::default(),
    };
    if let Some(At { value: threshold, place }) = &link.ecn_threshold {
        if let Discipline::DropTail { ecn_threshold_bytes } = &mut discipline {
            *ecn_threshold_bytes = Some(match queue(*threshold, bdp_bytes) {
                QueueLimit::Packets(packets) => packets.saturating_mul(FULL_PACKET),
                QueueLimit::Bytes(bytes) => bytes,
            });
        } else {
            let help = "give `ecn = true` to the `aqm`, which then marks by its own rule";
            problems.add(place, "two rules for marks", "beside an `aqm`", help);
        }
    }
    discipline
}

fn without_threshold(given: &Given, bdp_bytes: f64, problems: &mut Problems) -> Discipline {
    match given {
        Given::DropTail {} => Discipline::default(),
        Given::Red { min, max, max_probability, weight, gentle, ecn } => {
            let usual = Red::default();
            let (min, max, bytes) = thresholds(min.as_ref(), max.as_ref(), bdp_bytes, problems);
            if let Some(At { value: Probability(0.0), place }) = weight {
                problems.add(place, "the weight must be more than 0", "must be more than 0", "");
            }
            Discipline::Red(Red {
                min,
                max,
                bytes,
                max_probability: max_probability.map_or(usual.max_probability, |p| p.0),
                weight: weight.as_ref().map_or(usual.weight, |weight| weight.value.0),
                gentle: gentle.unwrap_or(usual.gentle),
                ecn: ecn.unwrap_or(usual.ecn),
            })
        }
        Given::CoDel { target, interval, ecn } => Discipline::CoDel(codel(*target, *interval, *ecn)),
        Given::Pie { target, update, alpha, beta, max_burst, ecn } => {
            let usual = Pie::default();
            if let Some(At { value: PositiveSpan(update), place }) = update
                && *update < MIN_UPDATE
            {
                problems.add(place, "the time between updates is too short", "must be at least 100 us", "");
            }
            Discipline::Pie(Pie {
                target: target.map_or(usual.target, |target| target.0),
                update: update.as_ref().map_or(usual.update, |update| update.value.0),
                alpha: alpha.map_or(usual.alpha, |alpha| alpha.0),
                beta: beta.map_or(usual.beta, |beta| beta.0),
                max_burst: max_burst.map_or(usual.max_burst, |burst| burst.0),
                ecn: ecn.unwrap_or(usual.ecn),
            })
        }
        Given::FqCoDel { target, interval, queues, quantum, ecn } => {
            let usual = FqCoDel::default();
            if let Some(At { value: Size(bytes), place }) = quantum
                && !(64..=1_000_000).contains(bytes)
            {
                let must = "must be from 64 B to 1 MB";
                problems.add(place, format!("the quantum {must}"), must, "");
            }
            Discipline::FqCoDel(FqCoDel {
                codel: codel(*target, *interval, *ecn),
                queues: queues.map_or(usual.queues, |queues| queues.0 as u32),
                quantum: quantum.as_ref().map_or(usual.quantum, |quantum| quantum.value.0 as u32),
            })
        }
    }
}

fn codel(target: Option<Span>, interval: Option<PositiveSpan>, ecn: Option<bool>) -> CoDel {
    let usual = CoDel::default();
    CoDel {
        target: target.map_or(usual.target, |target| target.0),
        interval: interval.map_or(usual.interval, |interval| interval.0),
        ecn: ecn.unwrap_or(usual.ecn),
    }
}

/// RED's thresholds, and whether they are in bytes. Where one is not given the larger is three times the other.
fn thresholds(
    min: Option<&At<Length>>,
    max: Option<&At<Length>>,
    bdp_bytes: f64,
    problems: &mut Problems,
) -> (f64, f64, bool) {
    let length = |given: &At<Length>| match queue(given.value, bdp_bytes) {
        QueueLimit::Packets(packets) => (packets as f64, false),
        QueueLimit::Bytes(bytes) => (bytes as f64, true),
    };
    let ((low, bytes), (high, high_bytes)) = match (min.map(length), max.map(length)) {
        (Some(low), Some(high)) => (low, high),
        (Some((low, bytes)), None) => ((low, bytes), (3.0 * low, bytes)),
        (None, Some((high, bytes))) => ((high / 3.0, bytes), (high, bytes)),
        (None, None) => ((Red::default().min, false), (Red::default().max, false)),
    };
    if let Some(max) = max {
        if bytes != high_bytes {
            let help = "give both in packets, or both in bytes or BDP";
            problems.add(
                &max.place,
                "RED's thresholds have different units",
                "not in the unit of `min`",
                help,
            );
        } else if high <= low {
            problems.add(
                &max.place,
                "`max` must be more than `min`",
                "not more than `min`",
                "usually 3 times",
            );
        }
    }
    (low, high, bytes)
}
