//! The live screen: its content and its keys.

use super::columns::{COLUMNS, Column, ORDERS, observables};
use anabranch::counted;
use anabranch::kernel::{Sample, Watched, WatchedSubflow};
use anabranch::scenarios::printable_line;
use anabranch::units::{RATE, with_unit};
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Cell, Paragraph, Row, Table};

#[derive(Default)]
pub struct Screen {
    /// The latest sample, unless the screen is paused.
    sample: Sample,
    /// The watched algorithms, by their names in the kernel.
    algorithms: Vec<&'static str>,
    /// The text at the right end of the head, such as the record's folder.
    note: String,
    /// Index of the sort order.
    order: usize,
    reversed: bool,
    paused: bool,
    /// The filter: each word must occur in the name of a connection or its subflows.
    words: String,
    /// Whether keys edit `words`.
    typing: bool,
    /// Lines above the first visible one.
    scroll: usize,
    /// The number of lines, and the number that fit.
    lines: usize,
    room: usize,
}

/// A subflow without acknowledgements for this time, in seconds, is shown as idle.
const IDLE: f64 = 2.0;

/// The most warnings about uncoupled connections; `anabranch kernel status` prints all.
const MOST_WARNINGS: usize = 4;

const KEYS: &str = " q quit  s sort  r reverse  / filter  space pause  ↑↓ scroll";

const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const DIM: Style = Style::new().add_modifier(Modifier::DIM);
const REVERSED: Style = Style::new().add_modifier(Modifier::REVERSED);

impl Screen {
    pub fn new(note: String) -> Self {
        Screen { note: printable_line(&note), ..Screen::default() }
    }

    pub fn show(&mut self, sample: Sample, algorithms: Vec<&'static str>) {
        if !self.paused {
            self.sample = sample;
            self.algorithms = algorithms;
        }
    }

    /// Handles a key; returns whether it ends the command.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return key.code == KeyCode::Char('c');
        }
        if self.typing {
            self.type_word(key.code);
            return false;
        }
        let page = self.room.saturating_sub(1).max(1);
        match key.code {
            KeyCode::Char('q') => return true,
            KeyCode::Char('s') => self.order = (self.order + 1) % ORDERS.len(),
            KeyCode::Char('r') => self.reversed = !self.reversed,
            KeyCode::Char(' ') => self.paused = !self.paused,
            KeyCode::Char('/') => self.typing = true,
            KeyCode::Esc => self.words.clear(),
            KeyCode::Down | KeyCode::Char('j') => self.scroll += 1,
            KeyCode::Up | KeyCode::Char('k') => self.scroll = self.scroll.saturating_sub(1),
            KeyCode::PageDown => self.scroll += page,
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(page),
            KeyCode::Home => self.scroll = 0,
            KeyCode::End => self.scroll = self.lines,
            _ => {}
        }
        false
    }

    fn type_word(&mut self, code: KeyCode) {
        match code {
            KeyCode::Char(c) => self.words.push(c),
            KeyCode::Backspace => _ = self.words.pop(),
            KeyCode::Enter => self.typing = false,
            KeyCode::Esc => {
                self.typing = false;
                self.words.clear();
            }
            _ => {}
        }
    }

    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let coupling = &self.sample.coupling;
        let warnings = coupling.incomplete.iter().chain(&coupling.uncoupled);
        let warnings: Vec<_> =
            warnings.map(|text| Line::from(printable_line(&format!(" ! {text}")))).collect();
        let warned = Constraint::Length(warnings.len().min(MOST_WARNINGS) as u16);
        let parts = [Constraint::Length(1), Constraint::Min(0), warned, Constraint::Length(1)];
        let [head, body, warned, foot] = Layout::vertical(parts).areas(frame.area());
        frame.render_widget(Paragraph::new(warnings), warned);
        let mut connections: Vec<&Watched> =
            self.sample.connections.iter().filter(|c| self.matches_filter(c)).collect();
        let (_, value) = ORDERS[self.order];
        // Equal ones keep their order.
        connections.sort_by(|a, b| value(b).total_cmp(&value(a)));
        if self.reversed {
            connections.reverse();
        }
        let page = (!connections.is_empty()).then(|| Page::new(&connections, body.width));
        self.lines = page.as_ref().map_or(0, |page| page.rows.len());
        self.room = usize::from(body.height).saturating_sub(1);
        self.scroll = self.scroll.min(self.lines.saturating_sub(self.room));
        frame.render_widget(Paragraph::new(self.head(&connections, head)).style(REVERSED), head);
        match page {
            Some(page) => frame.render_widget(page.table(self.scroll), body),
            None => frame.render_widget(Paragraph::new(self.empty_message()).style(DIM), body),
        }
        frame.render_widget(Paragraph::new(self.foot()), foot);
    }

    fn matches_filter(&self, c: &Watched) -> bool {
        let mut name = format!("{} {} {}", c.entry.kernel_name, c.key, c.netns);
        for s in &c.subflows {
            name += &format!(" {} {}", s.now.local, s.now.remote);
        }
        self.words.split_whitespace().all(|word| name.contains(word))
    }

    /// The head line: counts, sort order and, if it fits, the note at the right end.
    fn head(&self, connections: &[&Watched], area: Rect) -> Line<'static> {
        let subflows: usize = connections.iter().map(|c| c.subflows.len()).sum();
        // The first sample has no rates.
        let rates: Vec<f64> = connections.iter().filter_map(|c| c.rate_bps()).collect();
        let rate = match &rates[..] {
            [] => String::new(),
            rates => format!(", {}", with_unit(rates.iter().sum::<f64>().round(), RATE)),
        };
        let reversed = if self.reversed { ", reversed" } else { "" };
        let mut text = format!(
            " {}, {}{rate}, by {}{reversed}",
            counted(connections.len(), "connection"),
            counted(subflows, "subflow"),
            ORDERS[self.order].0,
        );
        if !self.words.is_empty() {
            text += &format!(", with \"{}\"", printable_line(&self.words));
        }
        if self.paused {
            text += ", paused";
        }
        let room = usize::from(area.width).saturating_sub(text.chars().count() + 2);
        let note = format!("{} ", self.note);
        if note.chars().count() <= room { Line::from(format!("{text}  {note:>room$}")) } else { text.into() }
    }

    fn empty_message(&self) -> Text<'static> {
        let (all, names) = (self.sample.connections.len(), self.algorithms.join(", "));
        Text::from(match (all, self.algorithms.is_empty()) {
            (0, true) => "\n No algorithm is loaded now.".to_owned(),
            (0, false) => format!(
                "\n No connection yet. One appears once data that it sent is acknowledged.\n Algorithms: {names}"
            ),
            _ => {
                let words = printable_line(&self.words);
                format!("\n No match for \"{words}\" in {}.", counted(all, "connection"))
            }
        })
    }

    fn foot(&self) -> Line<'static> {
        if self.typing {
            let hint = Span::styled("  Enter keeps it, Esc clears it", DIM);
            return Line::from(vec![Span::raw(format!(" filter: {}▏", printable_line(&self.words))), hint]);
        }
        Line::styled(KEYS, DIM)
    }
}

/// The table, with the columns that fit.
struct Page {
    headings: Row<'static>,
    rows: Vec<Row<'static>>,
    widths: Vec<Constraint>,
}

/// The gap between cells, in characters.
const GAP: usize = 1;
/// Names are cut for this width of the algorithm's values.
const LEAST_VALUES: usize = 16;
/// Columns are dropped for this one.
const MOST_VALUES: usize = 60;
/// The width to which names are cut.
const NAME: usize = 18;
/// The heading of the values.
const HEADING: &str = "values";

fn right(text: String) -> Cell<'static> {
    Cell::from(Line::from(text).right_aligned())
}

fn width(texts: impl IntoIterator<Item = String>) -> usize {
    texts.into_iter().map(|text| text.chars().count()).max().unwrap_or(0)
}

/// The words that fit: a piece of a number would be another number.
fn whole_words(mut text: String, room: usize) -> String {
    while text.chars().count() > room {
        text.truncate(text.rfind(' ').unwrap_or(0));
    }
    text
}

/// The text, with `…` in place of what does not fit: a piece of an address would be another address.
fn cut(text: String, room: usize) -> String {
    if text.chars().count() <= room {
        return text;
    }
    text.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

impl Page {
    fn new(connections: &[&Watched], room: u16) -> Self {
        let subflows = || connections.iter().flat_map(|c| c.subflows.iter().map(|s| (*c, s)));
        let names = subflows().map(|(_, s)| path(s)).chain(connections.iter().map(|c| title(c)));
        let name = width(names);
        let values = width(subflows().map(|(c, s)| observables(c, s))).min(MOST_VALUES);
        let room = usize::from(room);
        let columns = fitting_columns(connections, name, values + GAP, room);
        let taken = columns.iter().map(|(_, width)| width + GAP).sum::<usize>();
        let beside = |name: usize| room.saturating_sub(taken + name + GAP);
        let left = beside(name).max(LEAST_VALUES.min(beside(name.min(NAME))));
        let whole = |c, s| whole_words(observables(c, s), left);
        let values = width(subflows().map(|(c, s)| whole(c, s)));
        let values = (values > 0).then_some(values.max(HEADING.len()));
        let name = name.min(room.saturating_sub(taken + values.map_or(0, |values| values + GAP)));
        let lengths = columns.iter().map(|(_, width)| *width).chain(values);
        let widths =
            std::iter::once(name).chain(lengths).map(|width| Constraint::Length(width as u16)).collect();
        let headings = columns.iter().map(|(column, _)| right(column.heading.to_owned()));
        let last = values.map(|_| Cell::from(HEADING));
        let headings = std::iter::once(Cell::from("connection")).chain(headings).chain(last);
        let mut rows = Vec::new();
        for c in connections {
            let numbers = columns.iter().map(|(column, _)| {
                let value = (column.connection)(c);
                right(value.map_or_else(String::new, |x| column.show(Some(x))))
            });
            rows.push(Row::new(std::iter::once(Cell::from(cut(title(c), name))).chain(numbers)).style(BOLD));
            for s in &c.subflows {
                let numbers = columns.iter().map(|(column, _)| right(column.show((column.subflow)(s))));
                let cells = std::iter::once(Cell::from(cut(path(s), name))).chain(numbers);
                let row = Row::new(cells.chain(values.map(|_| Cell::from(whole(c, s)))));
                let idle = s.idle_s.is_none_or(|idle| idle > IDLE);
                rows.push(if idle { row.style(DIM) } else { row });
            }
        }
        Page {
            headings: Row::new(headings).style(Style::new().add_modifier(Modifier::UNDERLINED)),
            rows,
            widths,
        }
    }

    fn table(self, scroll: usize) -> Table<'static> {
        Table::new(self.rows.into_iter().skip(scroll), self.widths)
            .header(self.headings)
            .column_spacing(GAP as u16)
    }
}

/// The columns that fit beside names and values of these widths, with their own; each has a gap before it. Where even the
/// indispensable ones do not, names are cut and values go first.
fn fitting_columns(
    connections: &[&Watched],
    name: usize,
    values: usize,
    room: usize,
) -> Vec<(&'static Column, usize)> {
    let needs = |column: &Column| {
        let subflows = connections.iter().flat_map(|c| &c.subflows);
        let cells = subflows.map(|s| column.show((column.subflow)(s)));
        let sums = connections.iter().map(|c| column.show((column.connection)(c)));
        width(cells.chain(sums).chain([column.heading.to_owned()]))
    };
    let mut columns: Vec<_> = COLUMNS.iter().map(|column| (column, needs(column))).collect();
    let total = |columns: &[(&Column, usize)]| columns.iter().map(|(_, width)| width + GAP).sum::<usize>();
    loop {
        let first = columns.iter().enumerate().max_by_key(|(_, (column, _))| column.dispensable);
        let Some((i, (column, _))) = first else { return columns };
        let beside = if column.dispensable > 0 { name + values } else { name.min(NAME) };
        if total(&columns) + beside <= room {
            return columns;
        }
        columns.remove(i);
    }
}

fn title(c: &Watched) -> String {
    format!("{} {} in {}", c.entry.kernel_name, c.key, printable_line(&c.netns))
}

fn path(s: &WatchedSubflow) -> String {
    format!("  {} → {}", s.now.local, s.now.remote)
}

#[cfg(test)]
mod tests;
