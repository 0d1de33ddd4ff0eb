//! Transfers samples from a guest as text over a port: a line per sample, with a letter and numbers.

use anabranch_net::Time;
use anabranch_record::{CompletionSample, LinkSample, PacketSample, Sink, SubflowSample};
use std::io::{self, Write};

/// Writes samples for `replay`.
pub struct SampleWriter<W> {
    to: W,
    packets: bool,
    failed: Option<io::Error>,
}

impl<W: Write> SampleWriter<W> {
    /// A writer into `to`, which should be buffered; with packets if wanted.
    pub fn new(to: W, packets: bool) -> Self {
        SampleWriter { to, packets, failed: None }
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
    fn wants_packets(&self) -> bool {
        self.packets
    }

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

    fn packet(&mut self, p: &PacketSample<'_>) {
        let headers: String = p.headers.iter().map(|byte| format!("{byte:02x}")).collect();
        self.line(format_args!("p {} {} {} {} {headers}", p.at.as_nanos(), p.flow, p.path, p.length));
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
            "c" => sink.completion(&CompletionSample::response(
                words.next()?.parse().ok()?,
                words.next()?.parse().ok()?,
                words.next()?.parse().ok()?,
                words.next()?.parse().ok()?,
            )),
            "p" => sink.packet(&PacketSample {
                at: Time::from_nanos(words.next()?.parse().ok()?),
                flow: words.next()?.parse().ok()?,
                path: words.next()?.parse().ok()?,
                length: words.next()?.parse().ok()?,
                headers: &bytes(words.next()?)?,
            }),
            _ => return None,
        }
        Some(())
    })
}

/// Bytes from two hexadecimal digits each.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    digits.as_bytes().chunks(2).map(|two| u8::from_str_radix(str::from_utf8(two).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_record::NoSamples;

    /// What is given below, with the shortest text of each number.
    const TEXT: &str = "s 0.30000000000000004 3 1 3.3333333333333335 inf 0.02 18446744073709551615 1 2 3 4 NaN -0 1.5\n\
                        l 1 2 3 4 5 6 7\nc 1.5 0 9 0.25\np 1234567890123 1 2 1500 4500ff\n";

    fn give(sink: &mut dyn Sink) {
        sink.subflow(&SubflowSample {
            time_s: 0.1 + 0.2,
            flow: 3,
            subflow: 1,
            cwnd_segments: 10.0 / 3.0,
            ssthresh_segments: f64::INFINITY,
            srtt_s: 0.02,
            in_flight_segments: u64::MAX,
            sent_bytes: 1,
            delivered_bytes: 2,
            lost_segments: 3,
            retransmitted_segments: 4,
            observables: &[f64::NAN, -0.0, 1.5],
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
        sink.completion(&CompletionSample::response(1.5, 0, 9, 0.25));
        let (at, headers) = (Time::from_nanos(1_234_567_890_123), &[0x45, 0, 0xff][..]);
        sink.packet(&PacketSample { at, flow: 1, path: 2, length: 1500, headers });
    }

    fn written(samples: impl FnOnce(&mut dyn Sink)) -> String {
        let mut text = Vec::new();
        let mut writer = SampleWriter::new(&mut text, true);
        samples(&mut writer);
        writer.finish().unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn samples_survive_a_round_trip() {
        assert_eq!(written(give), TEXT);
        assert_eq!(written(|sink| replay(TEXT, sink).unwrap()), TEXT);
        for damaged in ["x 1", "l 1 2 3", "s 0 0 0 1 1 1 1 1 1 1 1 word", "p 1 0 0 40 4g"] {
            assert!(replay(damaged, &mut NoSamples).is_none(), "{damaged}");
        }
    }

    #[test]
    fn a_full_disk_is_reported_at_the_end() {
        let mut writer = SampleWriter::new(io::Cursor::new([0_u8; 20]), false);
        give(&mut writer);
        assert_eq!(writer.finish().unwrap_err().kind(), io::ErrorKind::WriteZero);
    }
}
