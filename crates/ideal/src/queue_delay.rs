//! Queueing delays at bottlenecks.

use anabranch_net::{Discipline, LinkSpec, QueueLimit, Red};

/// The queueing delay of a bottleneck.
#[derive(Clone, Copy, Debug)]
pub(crate) enum QueueDelay {
    /// Constant seconds.
    Constant(f64),
    /// RED's average queue at the loss rate.
    Red {
        law: Red,
        /// Seconds for each unit of the thresholds.
        unit_s: f64,
        /// Seconds that the full buffer takes.
        full_s: f64,
    },
}

impl QueueDelay {
    /// At a link of packets of `packet` bytes, `queue` being the fraction of a drop-tail buffer that is full on average.
    pub fn of(spec: &LinkSpec, packet: f64, queue: f64) -> Self {
        let buffer = match spec.queue {
            QueueLimit::Packets(n) => n as f64 * packet,
            QueueLimit::Bytes(n) => n as f64,
        };
        let full_s = buffer * 8.0 / spec.rate_bps;
        if let Discipline::Red(law) = spec.discipline {
            let unit_s = if law.bytes { 1.0 } else { packet } * 8.0 / spec.rate_bps;
            return QueueDelay::Red { law, unit_s, full_s };
        }
        let target = spec.discipline.target();
        QueueDelay::Constant(target.map_or(queue * full_s, |target| target.as_secs_f64().min(full_s)))
    }

    /// In seconds, where the fraction `loss` (above 0) of the packets is lost through congestion.
    pub fn seconds(&self, loss: f64) -> f64 {
        match *self {
            QueueDelay::Constant(seconds) => seconds,
            QueueDelay::Red { law, unit_s, full_s } => (average(&law, loss) * unit_s).min(full_s),
        }
    }
}

/// RED's average queue where it drops the fraction `loss`, in the unit of its thresholds.
///
/// Its gaps between drops are uniform from 1 to 1/p (Floyd and Jacobson 1993, §VII), so of mean (1/p + 1)/2: loss = 2p/(1 + p).
fn average(&Red { min, max, max_probability, gentle, .. }: &Red, loss: f64) -> f64 {
    let p = loss / (2.0 - loss);
    if p <= max_probability {
        min + (max - min) * p / max_probability
    } else if gentle {
        max * (1.0 + (p - max_probability) / (1.0 - max_probability))
    } else {
        max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drop each (1/p + 1)/2 packets, and straight lines between (5, 0), (15, 0.1) and (30, 1).
    #[test]
    fn average_by_hand() {
        let law = Red::default();
        for (p, packets) in [(1e-9, 5.0), (0.05, 10.0), (0.1, 15.0), (0.55, 22.5), (1.0, 30.0)] {
            let gap = (1.0 / p + 1.0) / 2.0;
            assert!((average(&law, 1.0 / gap) - packets).abs() < 1e-6, "{packets} at {p}");
        }
        assert_eq!(average(&Red { gentle: false, ..law }, 0.5), 15.0);
        // A steep line, and one that ends at 1.
        let steep = Red { max_probability: 1e-4, ..law };
        assert!((average(&steep, 1e-4) - 10.0).abs() < 1e-3);
        assert_eq!(average(&Red { max_probability: 1.0, ..law }, 1.0), 15.0);
    }

    /// Packets of 1500 bytes at 12 Mbit/s take a millisecond each.
    #[test]
    fn no_longer_than_the_buffer() {
        let wait = QueueDelay::Red { law: Red::default(), unit_s: 1e-3, full_s: 0.02 };
        assert!((wait.seconds(0.1 / 1.05) - 0.01).abs() < 1e-12);
        assert_eq!(wait.seconds(0.9), 0.02);
    }
}
