use super::*;
use anabranch::kernel::example::{last_sample, lia, subflow};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

/// Two connections, after a second in which the first gained 2 + 0.8 Mbit and the second 8.
fn screen() -> Screen {
    let with = |[a, b, c]: [u64; 3]| {
        vec![lia(0xbeef, vec![subflow(7, 1, a), subflow(8, 2, b)]), lia(0xcafe, vec![subflow(9, 3, c)])]
    };
    let mut screen = Screen::new("recording into out".to_owned());
    screen.show(last_sample(vec![with([0, 0, 0]), with([250_000, 100_000, 1_000_000])]), vec!["ab_lia"]);
    screen
}

/// The lines of the screen, without spaces at their ends.
fn lines(screen: &mut Screen, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| screen.draw(frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let cells = buffer.content().chunks(usize::from(width));
    cells
        .map(|line| line.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned())
        .collect()
}

fn press(screen: &mut Screen, codes: impl IntoIterator<Item = KeyCode>) -> bool {
    codes.into_iter().any(|code| screen.key(KeyEvent::from(code)))
}

fn type_in(screen: &mut Screen, text: &str) {
    press(screen, text.chars().map(KeyCode::Char));
}

#[test]
fn all_columns_where_there_is_room() {
    let lines = lines(&mut screen(), 140, 8);
    assert_eq!(lines[0].split("  ").next().unwrap(), " 2 connections, 3 subflows, 10.8 Mbit/s, by Mbit/s");
    assert!(lines[0].ends_with("recording into out"), "{lines:#?}");
    let words = |i: usize| lines[i].split_whitespace().collect::<Vec<_>>();
    let columns = [
        "cwnd", "flight", "ssthresh", "srtt/ms", "min/ms", "Mbit/s", "delivery", "acked/MB", "lost",
        "timeouts",
    ];
    assert_eq!(words(1), [&["connection"][..], &columns, &["values"]].concat());
    // The one with the larger rate comes first.
    assert_eq!(words(2), ["ab_lia", "0000cafe", "in", "77", "8.00", "1.00", "5", "2"]);
    let numbers = ["13.00", "3", "–", "20.00", "10.00", "8.00", "5.00", "1.00", "5", "2", "alpha=0.7500"];
    assert_eq!(words(3), [&["10.0.3.1:40003", "→", "10.0.3.2:5201"][..], &numbers].concat());
    assert_eq!(words(4), ["ab_lia", "0000beef", "in", "77", "2.80", "0.35", "10", "4"]);
    assert_eq!(words(6)[8..11], ["0.80", "5.00", "0.10"]);
    assert!(lines[7].starts_with(" q quit"), "{lines:#?}");
    // Numbers stand under the ends of their headings.
    let end = |line: &str, word: &str| line[..line.find(word).unwrap() + word.len()].chars().count();
    assert_eq!(end(&lines[1], "srtt/ms"), end(&lines[3], "20.00"), "{lines:#?}");
}

/// However many connections are not coupled.
#[test]
fn an_incomplete_list_says_so() {
    let mut screen = screen();
    screen.sample.coupling.uncoupled = (1..9).map(|n| format!("connection {n}")).collect();
    screen.sample.coupling.incomplete = Some("incomplete".to_owned());
    let lines = lines(&mut screen, 80, 12);
    assert_eq!(lines[7..11], [" ! incomplete", " ! connection 1", " ! connection 2", " ! connection 3"]);
}

#[test]
fn the_dispensable_go_where_there_is_none() {
    for (width, columns) in [(100, 8), (80, 5)] {
        let lines = lines(&mut screen(), width, 8);
        assert!(lines[1].split_whitespace().count() >= columns, "{width}: {lines:#?}");
        assert!(lines[3].contains("10.0.3.1:40003"), "{width}: {lines:#?}");
    }
    // The window, the round-trip time, the rate and the algorithm's own stay longest.
    let lines = lines(&mut screen(), 75, 8);
    assert_eq!(
        lines[1].split_whitespace().collect::<Vec<_>>(),
        ["connection", "cwnd", "srtt/ms", "Mbit/s", "lost", "values"]
    );
    assert!(lines[3].ends_with("alpha=0.7500"), "{lines:#?}");
}

/// A cut number would be another one: addresses, which then end with `…`, are cut, then values and columns go.
#[test]
fn numbers_are_whole_or_missing() {
    for (width, headings, end) in [
        (55, vec!["connection", "cwnd", "srtt/ms", "Mbit/s", "values"], "13.00   20.00   8.00 alpha=0.7500"),
        (40, vec!["connection", "cwnd", "srtt/ms", "Mbit/s"], "13.00   20.00   8.00"),
        (32, vec!["connection", "cwnd", "srtt/ms"], "13.00   20.00"),
        (12, vec!["connection"], "  10.0.3.1:…"),
    ] {
        let lines = lines(&mut screen(), width, 8);
        assert_eq!(lines[1].split_whitespace().collect::<Vec<_>>(), headings, "{width}");
        assert!(lines[3].starts_with("  10.0.3.1:") && lines[3].ends_with(end), "{width}: {lines:#?}");
    }
}

#[test]
fn keys_sort_and_filter() {
    let mut screen = screen();
    press(&mut screen, [KeyCode::Char('r')]);
    assert!(lines(&mut screen, 100, 8)[2].contains("beef"));
    press(&mut screen, [KeyCode::Char('r'), KeyCode::Char('s'), KeyCode::Char('s')]);
    let by_window = lines(&mut screen, 100, 8);
    // 11 + 12 segments against 13.
    assert!(by_window[2].contains("beef") && by_window[0].contains("by cwnd"), "{by_window:#?}");
    press(&mut screen, [KeyCode::Char('/')]);
    type_in(&mut screen, "qs 40003");
    assert!(lines(&mut screen, 100, 8)[7].contains("filter: qs 40003"));
    assert!(lines(&mut screen, 100, 8).concat().contains("No match for \"qs 40003\" in 2 connections"));
    press(&mut screen, [KeyCode::Esc, KeyCode::Char('/')]);
    type_in(&mut screen, "lia 40003");
    press(&mut screen, [KeyCode::Enter]);
    let filtered = lines(&mut screen, 100, 8).concat();
    assert!(filtered.contains("cafe") && !filtered.contains("beef"), "{filtered}");
}

#[test]
fn pauses_scrolls_and_ends() {
    let mut screen = screen();
    press(&mut screen, [KeyCode::Char(' ')]);
    screen.show(Sample::default(), vec![]);
    assert!(lines(&mut screen, 100, 8)[0].contains("paused"));
    // A head, headings, two of five lines, a foot.
    assert!(lines(&mut screen, 100, 5)[2].contains("cafe"));
    press(&mut screen, [KeyCode::End]);
    let end = lines(&mut screen, 100, 5);
    assert!(end[2].contains("40001") && end[3].contains("40002"), "{end:#?}");
    press(&mut screen, [KeyCode::Up]);
    assert!(lines(&mut screen, 100, 5)[2].contains("beef"));
    press(&mut screen, [KeyCode::Char(' ')]);
    screen.show(Sample::default(), vec!["ab_lia", "ab_olia"]);
    let nothing = lines(&mut screen, 100, 5);
    let said = "No connection yet. One appears once data that it sent is acknowledged.";
    assert!(nothing.concat().contains(said), "{nothing:#?}");
    // A rate that nothing has measured is left out.
    assert!(nothing[0].starts_with(" 0 connections, 0 subflows, by Mbit/s"), "{nothing:#?}");
    assert!(!screen.key(KeyEvent::new(KeyCode::Char('q'), KeyModifiers::CONTROL)));
    assert!(screen.key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)));
    assert!(press(&mut screen, [KeyCode::Char('q')]));
}

/// Whoever names a network namespace, or the folder of a record, does not write on the screen.
#[test]
fn names_are_shown_as_they_are_spelled() {
    let mut screen = screen();
    let mut sample = screen.sample.clone();
    sample.connections[0].netns = "a\u{1b}[31m\u{202e}b\nc".to_owned();
    screen.show(sample, vec!["ab_lia"]);
    screen.note = Screen::new("into \u{9b}2J\u{2066}x".to_owned()).note;
    press(&mut screen, [KeyCode::Char('/')]);
    type_in(&mut screen, "c\u{202e}");
    press(&mut screen, [KeyCode::Backspace, KeyCode::Enter]);
    let shown = lines(&mut screen, 200, 8);
    assert!(shown[0].ends_with(r"into \u{9b}2J\u{2066}x"), "{shown:#?}");
    assert!(shown.concat().contains(r"beef in a\u{1b}[31m\u{202e}b\nc"), "{shown:#?}");
}

/// No size makes it panic.
#[test]
fn any_size() {
    let mut screen = screen();
    for (width, height) in [(1, 1), (2, 3), (5, 2), (300, 1), (10, 60)] {
        lines(&mut screen, width, height);
    }
}
