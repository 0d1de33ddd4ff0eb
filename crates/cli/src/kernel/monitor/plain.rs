//! A sample as a plain table for scripts: a line per subflow, without spaces in its cells.

use super::columns::{COLUMNS, RATE, observables};
use anabranch::kernel::Sample;
use anabranch::scenarios::printable_line;

pub fn table(sample: &Sample) -> String {
    // A single sample has no rates.
    let columns = || COLUMNS.iter().filter(|c| c.heading != RATE);
    let names = ["algorithm", "connection", "netns", "local", "remote"];
    let numbers = columns().map(|c| c.heading);
    let mut lines: Vec<Vec<String>> =
        vec![names.into_iter().chain(numbers).chain(["values"]).map(str::to_owned).collect()];
    for c in &sample.connections {
        for s in &c.subflows {
            // Cells contain no spaces.
            let netns = printable_line(&c.netns).replace(' ', "\\u{20}");
            let mut line = vec![c.entry.kernel_name.to_owned(), c.key.to_string(), netns];
            line.extend([s.now.local.to_string(), s.now.remote.to_string()]);
            line.extend(columns().map(|column| column.show((column.subflow)(s))));
            let values = observables(c, s).replace(' ', ",");
            line.push(if values.is_empty() { "–".to_owned() } else { values });
            lines.push(line);
        }
    }
    let width = |i: usize| lines.iter().map(|line| line[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..lines[0].len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        for (i, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let left = i < names.len() || i + 1 == widths.len();
            text += &if left { format!("{cell:<width$}  ") } else { format!("{cell:>width$}  ") };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch::kernel::example::{lia, sample, subflow};

    #[test]
    fn as_many_words_as_headings() {
        let subflows = vec![subflow(7, 1, 1_234_567), subflow(8, 2, 0)];
        let text = table(&sample(vec![lia(0xbeef, subflows)]));
        let lines: Vec<Vec<_>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{text}");
        let cell = |heading: &str| lines[1][lines[0].iter().position(|h| *h == heading).unwrap()];
        assert_eq!((cell("algorithm"), cell("connection"), cell("netns")), ("ab_lia", "0000beef", "77"));
        assert_eq!((cell("local"), cell("remote")), ("10.0.1.1:40001", "10.0.1.2:5201"));
        assert_eq!((cell("cwnd"), cell("ssthresh"), cell("srtt/ms")), ("11.00", "–", "20.00"));
        assert_eq!((cell("delivery"), cell("acked/MB"), cell("lost")), ("5.00", "1.23", "5"));
        assert_eq!(cell("values"), "alpha=0.7500");
    }

    #[test]
    fn a_name_is_a_word() {
        let mut sample = sample(vec![lia(0xbeef, vec![subflow(7, 1, 1)])]);
        sample.connections[0].netns = "my space\n\u{1b}[2J".to_owned();
        let text = table(&sample);
        assert!(text.lines().count() == 2 && text.contains(r" my\u{20}space\n\u{1b}[2J "), "{text}");
    }
}
