//! Transfers samples from a guest as text over a port: a line per sample, with a letter and numbers.

use anabranch_record::{CompletionSample, LinkSample, Sink, SubflowSample};
use std::io::{self, Write};

/// Writes samples for `replay`.
pub struct SampleWriter<W> {
    to: W,
    failed: Option<io::Error>,
}

impl<W: Write> SampleWriter<W> {
    /// A writer into `to`, which should be buffered.
    pub fn new(to: W) -> Self {
        SampleWriter { to, failed: None }
    }

    /// Flushes the output.
    ///
    /// # Errors
    /// The first error of a write.
    pub fn finish(mut self) -> io::Result<()> {
        self.failed.map_or_else(|| self.to.flush(), Err)
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        if self.failed.is_none() {
            self.failed = writeln!(self.to, "{line}").err();
        }
    }
}

impl<W: Write + Send> Sink for SampleWriter<W> {
    // The shortest text that parses to the same number.
    fn subflow(&mut self, s: &SubflowSample<'_>) {
        let observables: String = s.observables.iter().map(|value| format!(" {value}")).collect();
        self.line(format_args!("s{}{observables}", s.text()));
    }

    fn link(&mut self, s: &LinkSample) {
        self.line(format_args!("l{}", s.text()));
    }

    fn completion(&mut self, s: &CompletionSample) {
        self.line(format_args!("c {} {} {} {}", s.time_s, s.flow, s.bytes, s.completion_s));
    }
}

/// Passes the written samples to a sink; `None` if the text is damaged.
pub fn replay(text: &str, sink: &mut dyn Sink) -> Option<()> {
    text.lines().try_for_each(|line| {
        let mut words = line.split_ascii_whitespace();
        match words.next()? {
            "s" => {
                let mut sample = SubflowSample::read(&mut words)?;
                let observables = words.map(|value| value.parse().ok()).collect::<Option<Vec<f64>>>()?;
                sample.observables = &observables;
                sink.subflow(&sample);
            }
            "l" => sink.link(&LinkSample::read(&mut words)?),
            "c" => sink.completion(&CompletionSample {
                time_s: words.next()?.parse().ok()?,
                flow: words.next()?.parse().ok()?,
                bytes: words.next()?.parse().ok()?,
                completion_s: words.next()?.parse().ok()?,
                slowdown: f64::NAN,
                times_alone: f64::NAN,
            }),
            _ => return None,
        }
        Some(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that it is given, as text that shows each bit of a number.
    #[derive(Default)]
    struct Shown(Vec<String>);

    impl Sink for Shown {
        fn subflow(&mut self, sample: &SubflowSample<'_>) {
            self.0.push(format!("{sample:?}"));
        }
        fn link(&mut self, sample: &LinkSample) {
            self.0.push(format!("{sample:?}"));
        }
        fn completion(&mut self, sample: &CompletionSample) {
            self.0.push(format!("{sample:?}"));
        }
    }

    fn give(sink: &mut dyn Sink) {
        sink.subflow(&SubflowSample {
            time_s: 0.1 + 0.2,
            flow: 3,
            subflow: 1,
            cwnd_segments: 10.0 / 3.0,
            ssthresh_segments: f64::INFINITY,
            srtt_s: 5e-324,
            in_flight_segments: u64::MAX,
            sent_bytes: 1,
            delivered_bytes: 2,
            lost_segments: 3,
            retransmitted_segments: 4,
            observables: &[f64::NAN, -0.0, 1e300],
        });
        sink.link(&LinkSample {
            time_s: 1.0,
            link: 2,
            queue_bytes: 3,
            queue_packets: 4,
            drops: 5,
            marks: 6,
            losses: 7,
        });
        sink.completion(&CompletionSample {
            time_s: 1.5,
            flow: 0,
            bytes: 9,
            completion_s: 0.25,
            slowdown: f64::NAN,
            times_alone: f64::NAN,
        });
    }

    #[test]
    fn samples_survive_a_round_trip() {
        let (mut shown, mut text) = (Shown::default(), Vec::new());
        give(&mut shown);
        let mut writer = SampleWriter::new(&mut text);
        give(&mut writer);
        writer.finish().unwrap();
        let (mut read, text) = (Shown::default(), String::from_utf8(text).unwrap());
        replay(&text, &mut read).unwrap();
        assert_eq!(read.0, shown.0);
        assert_eq!(read.0.len(), 3);
        for damaged in ["x 1", "l 1 2 3", "s 0 0 0 1 1 1 1 1 1 1 1 word"] {
            assert!(replay(damaged, &mut Shown::default()).is_none(), "{damaged}");
        }
    }

    #[test]
    fn a_full_disk_is_reported_at_the_end() {
        let mut writer = SampleWriter::new(io::Cursor::new([0_u8; 20]));
        give(&mut writer);
        assert_eq!(writer.finish().unwrap_err().kind(), io::ErrorKind::WriteZero);
    }
}
