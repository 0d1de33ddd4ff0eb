//! The trace of a capture: a line per segment that carries data, opens or ends a connection, or acknowledges.

use super::connections::{Connections, SeenSegment};
use super::segment::Segment;
use super::{ReadError, packets};
use std::fmt::Write;
use std::io::Read;

/// The trace of a capture, with a line for each of
///
/// - segments of a connection's client with data, a SYN, a FIN or a reset: `20.1 1 > 1448+1448 again`, which is the time in ms since
///   the first packet, the number of the TCP connection in order of the first packets, the offset of the data and its length.
///   `= 2856` is the offset in the MPTCP connection's stream;
/// - segments of its server with data or PSH: `request`;
/// - other segments of its server with an acknowledgement: `40.2 1 < 1448 2896-4344`, with the acknowledged offset and SACK's ranges.
pub fn trace<R: Read + Send>(file: R) -> Result<String, ReadError> {
    let mut connections = Connections::new(u64::MAX);
    let (mut text, mut from) = (String::new(), None);
    packets(file, &mut || true, |segment, at| {
        let Some(segment) = segment else { return };
        let seen = connections.on_segment(segment, at);
        let since = at - *from.get_or_insert(at);
        if let Some(line) = line(segment, &seen) {
            // Rounded in whole numbers, so that the text is the same everywhere.
            let tenths = (since + 50_000) / 100_000;
            let direction = if seen.direction == 0 { '>' } else { '<' };
            let stream = seen.tcp + 1;
            writeln!(text, "{}.{} {stream} {direction} {line}", tenths / 10, tenths % 10)
                .expect("a string takes everything");
        }
    })?;
    Ok(text)
}

/// The line without its beginning.
fn line(segment: &Segment, seen: &SeenSegment) -> Option<String> {
    let again = if seen.again { " again" } else { "" };
    if segment.rst {
        return Some("rst".into());
    }
    if segment.syn {
        return Some(format!("syn{again}"));
    }
    if seen.direction == 1 && (segment.payload > 0 || segment.push) {
        return Some("request".into());
    }
    if seen.direction == 1 {
        let mut text = seen.acknowledged?.to_string();
        for (from, to) in seen.sack.iter().flatten() {
            write!(text, " {from}-{to}").expect("a string takes everything");
        }
        if segment.echo {
            text += " ece";
        }
        return Some(text);
    }
    if segment.payload == 0 {
        return segment.fin.then(|| "fin".into());
    }
    let stream = seen.stream.map_or(String::new(), |place| format!(" = {place}"));
    let reduced = if segment.reduced { " cwr" } else { "" };
    Some(format!("{}+{}{stream}{reduced}{again}", seen.start, segment.payload))
}
