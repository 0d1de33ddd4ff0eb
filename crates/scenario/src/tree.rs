//! A TOML document as a tree of values with their places.

use crate::diagnostic::{At, Place, Problems};
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

pub(crate) type Node = At<Value>;

/// A TOML value.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    String(String),
    Integer(i128),
    Float(f64),
    Boolean(bool),
    Datetime,
    Array(Vec<Node>),
    Table(Table),
}

/// A table, in the order of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table(pub Vec<(At<String>, Node)>);

impl Table {
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.0.iter().find(|(k, _)| k.value == key).map(|(_, node)| node)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.value.as_str())
    }
}

impl Node {
    pub fn table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The value of a key, in a table.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.table()?.get(key)
    }

    pub fn string(&self) -> Option<&String> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The kind of value, with its article.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::String(_) => "a string",
            Value::Integer(_) => "a whole number",
            Value::Float(_) => "a number",
            Value::Boolean(_) => "true or false",
            Value::Datetime => "a date or time of day",
            Value::Array(_) => "an array",
            Value::Table(_) => "a table",
        }
    }

    /// Reports that something else was expected, such as "a rate"; returns `None`.
    pub fn expected<T>(&self, what: &str, example: &str, problems: &mut Problems) -> Option<T> {
        let help = if example.is_empty() { String::new() } else { format!("for example {example}") };
        let message = format!("expected {what}, found {}", self.kind());
        problems.refuse(&self.place, message, format!("not {what}"), help)
    }
}

/// The most values of a document, including tables and arrays. The check follows parsing and limits only later work.
const MAX_VALUES: usize = 500_000;

/// The number of values in a value, including itself.
fn values(value: &DeValue<'_>) -> usize {
    1 + match value {
        DeValue::Array(items) => items.iter().map(|item| values(item.get_ref())).sum(),
        DeValue::Table(entries) => entries.values().map(|entry| values(entry.get_ref())).sum(),
        _ => 0,
    }
}

/// The most syntax errors shown: further ones mostly follow from these.
const MAX_SYNTAX_PROBLEMS: usize = 5;

pub(crate) fn document(whole: &Place, problems: &mut Problems) -> Option<Node> {
    let (root, errors) = DeTable::parse_recoverable(whole.text());
    if let Some(again) = second_flow(whole).filter(|_| !errors.is_empty()) {
        let help = "for several flows write [[flows]] before each";
        let label = "not TOML: a table has each key once";
        return problems.refuse(&again, "a second table [flows]", label, help);
    }
    for error in errors.iter().take(MAX_SYNTAX_PROBLEMS) {
        syntax(whole, 0, error, problems);
    }
    let count: usize = root.get_ref().values().map(|entry| values(entry.get_ref())).sum();
    if count > MAX_VALUES {
        let help = "give links a trace (`trace = \"FILE\"`) instead of many changes";
        let message = format!("the scenario has {count} values, the limit is {MAX_VALUES}");
        return problems.refuse(&whole.part(0..0), message, "too many", help);
    }
    errors
        .is_empty()
        .then(|| At { value: Value::Table(table(root.into_inner(), whole, 0)), place: whole.part(0..0) })
}

pub(crate) fn value(text: &Place, problems: &mut Problems) -> Option<Node> {
    let start = text.range().start;
    match DeValue::parse(text.text()) {
        Ok(value) => Some(node(value, text, start)),
        Err(error) => {
            syntax(text, start, &error, problems);
            None
        }
    }
}

/// The second line with `[flows]`, from which the errors of a file follow.
fn second_flow(whole: &Place) -> Option<Place> {
    let is_flows = |line: &&str| line.split('#').next().unwrap_or_default().trim() == "[flows]";
    Some(whole.locate(whole.text().lines().filter(is_flows).nth(1)?.trim_end()))
}

fn syntax(source: &Place, offset: usize, error: &Error, problems: &mut Problems) {
    let span = error.span().unwrap_or(0..0);
    let place = source.part(span.start + offset..span.end + offset);
    let help = match error.message() {
        message if message.contains("duplicate key") => {
            Some("a table has each key once: remove one of the two".to_owned())
        }
        _ => unquoted(source.text(), place.range().start),
    };
    let help = help.unwrap_or_else(|| "https://toml.io describes the syntax".into());
    problems.add(&place, format!("not TOML: {}", error.message()), "here", help);
}

/// The value with quotes, if the line has one without them that has a unit or is a word: `duration = 60 s`.
fn unquoted(text: &str, at: usize) -> Option<String> {
    let start = text.get(..at)?.rfind('\n').map_or(0, |newline| newline + 1);
    let (key, value) = text[start..].lines().next()?.split_once('=')?;
    let value = value.split('#').next()?.trim();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '.' | '/' | '-' | '_' | 'µ');
    let has_letters = value.contains(char::is_alphabetic) && !["true", "false"].contains(&value);
    (has_letters && value.chars().all(plain))
        .then(|| format!("write it in quotes: {} = \"{value}\"", key.trim()))
}

fn node(spanned: Spanned<DeValue<'_>>, source: &Place, offset: usize) -> Node {
    let span = spanned.span();
    let value = match spanned.into_inner() {
        DeValue::String(text) => Value::String(text.into_owned()),
        DeValue::Integer(digits) => match i128::from_str_radix(digits.as_str(), digits.radix()) {
            Ok(number) => Value::Integer(number),
            Err(_) => Value::Float(f64::INFINITY),
        },
        DeValue::Float(digits) => Value::Float(digits.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Value::Boolean(flag),
        DeValue::Datetime(_) => Value::Datetime,
        DeValue::Array(items) => {
            Value::Array(items.into_iter().map(|item| node(item, source, offset)).collect())
        }
        DeValue::Table(entries) => Value::Table(table(entries, source, offset)),
    };
    At { value, place: source.part(span.start + offset..span.end + offset) }
}

fn table(entries: DeTable<'_>, source: &Place, offset: usize) -> Table {
    let entry = |(key, value): (Spanned<_>, _)| {
        let span = key.span();
        let name: std::borrow::Cow<'_, str> = key.into_inner();
        let place = source.part(span.start + offset..span.end + offset);
        (At { value: name.into_owned(), place }, node(value, source, offset))
    };
    let mut entries: Vec<_> = entries.into_iter().map(entry).collect();
    entries.sort_by_key(|(key, _)| key.place.range().start);
    Table(entries)
}
