//! Overrides: changes to a scenario by the command line.

use crate::diagnostic::{At, Place, Problems};
use crate::format::Algorithm;
use crate::model::{CongestionControl, Flow};
use crate::read::Read;
use crate::suggest::suggest;
use crate::tree::{self, Node, Table, Value};

/// Changes to a scenario. Loading the scenario checks them, and diagnostics mark places in their text.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Replaces the seed.
    pub seed: Option<u64>,
    /// Replaces the duration: a time such as `"30 s"`. Later events do not happen.
    pub duration: Option<String>,
    /// Sets keys, each as [`Overrides::set`] does.
    pub set: Vec<String>,
    /// Replaces algorithms, each as [`Overrides::cc`] does.
    pub cc: Vec<String>,
}

impl Overrides {
    /// Sets a key: `links.dsl.rate=50 Mbit/s`. Names identify links and flows; `*` in one stands for any characters, and
    /// `tcp.KEY` for the key of every flow. Quotes around the value are optional; quote a name that contains a dot. Later
    /// assignments win.
    pub fn set(&mut self, assignment: &str) -> &mut Self {
        self.set.push(assignment.to_owned());
        self
    }

    /// Replaces the algorithm of all multipath flows, or of all flows if none has several paths, `lia`, or of one flow, `neighbour=cubic`. For a flow with a count,
    /// `neighbour` selects all connections and `neighbour/2` one. Quotes around the name are optional. An algorithm may be a table with parameters:
    /// `{ name = "lia", count = "acks" }`.
    pub fn cc(&mut self, spec: &str) -> &mut Self {
        self.cc.push(spec.to_owned());
        self
    }

    /// Changes the parsed file.
    pub(crate) fn apply(&self, root: &mut Node, problems: &mut Problems) {
        for assignment in &self.set {
            if let Some(place) = Place::whole("--set", assignment, problems) {
                assign(root, &place, problems);
            }
        }
        if let Some(duration) = &self.duration
            && let Some(place) = Place::whole("--duration", duration, problems)
        {
            let value = At { value: Value::String(duration.clone()), place: place.clone() };
            insert(root, &[At { value: "duration".into(), place }], value, problems);
        }
    }

    /// Changes the algorithms of the checked flows.
    pub(crate) fn apply_cc(&self, flows: &mut [Flow], problems: &mut Problems) {
        for spec in &self.cc {
            let Some(whole) = Place::whole("--cc", spec, problems) else { continue };
            let (flow, cc) = split_flow_name(whole.text());
            let Some(algorithm) = algorithm(&whole.locate(cc), problems) else { continue };
            let any_multipath = flows.iter().any(Flow::is_multipath);
            let selected = |each: &Flow| match flow {
                Some(name) => name == each.name || name == each.key,
                None => each.is_multipath() || !any_multipath,
            };
            if let Some(flow) = flow.filter(|_| !flows.iter().any(selected)) {
                report_no_match(flow, &whole, flows, problems);
            }
            for each in flows.iter_mut().filter(|each| selected(each)) {
                each.cc = algorithm.clone();
            }
        }
    }
}

/// Splits `FLOW=CC`. A table may contain equals signs. An empty CC is the whole text. A name in quotes may have commas, braces and
/// quotes of the other kind.
pub fn split_flow_name(spec: &str) -> (Option<&str>, &str) {
    if let Some((name, cc)) = quoted_flow_name(spec) {
        return (Some(name), cc);
    }
    let before_table = spec.find('{').unwrap_or(spec.len());
    let Some(at) = spec[..before_table].rfind('=') else { return (None, spec) };
    let cc = &spec[at + 1..];
    (Some(spec[..at].trim()), if cc.trim().is_empty() { spec } else { cc })
}

/// Splits `"FLOW"=CC`, whose quotes have no escapes.
fn quoted_flow_name(spec: &str) -> Option<(&str, &str)> {
    let spec = spec.trim_start();
    let quote = spec.chars().next().filter(|c| ['"', '\''].contains(c))?;
    let (name, rest) = spec[1..].split_once(quote)?;
    let cc = rest.trim_start().strip_prefix('=')?;
    (!cc.trim().is_empty()).then_some((name, cc))
}

/// A name, or a table with parameters: `lia`, `{ name = "lia", count = "acks" }`.
fn algorithm(place: &Place, problems: &mut Problems) -> Option<CongestionControl> {
    let text = place.text();
    let node = if text.trim_start().starts_with('{') {
        tree::value(&place.locate(text.trim()), problems)?
    } else {
        let name = text.rsplit_once('=').map_or(text, |(_, name)| name).trim();
        if name.contains(',') {
            let help = "`anabranch compare` and `sweep` take a list; for several flows, repeat --cc FLOW=CC";
            let message = format!("`{name}` names several algorithms, but a run has one");
            return problems.refuse(place, message, "several", help);
        }
        At { value: Value::String(name.to_owned()), place: place.clone() }
    };
    Algorithm::read(&node, problems).map(|algorithm| algorithm.0)
}

fn report_no_match(flow: &str, whole: &Place, flows: &[Flow], problems: &mut Problems) {
    let mut names: Vec<&str> = flows.iter().flat_map(|flow| [&*flow.name, &*flow.key]).collect();
    names.sort_unstable();
    names.dedup();
    let place = whole.locate(flow);
    problems.add(&place, format!("no flow is named `{flow}`"), "not a flow", suggest(flow, names));
}

/// Applies `key.key=value`.
fn assign(root: &mut Node, whole: &Place, problems: &mut Problems) {
    let text = whole.text();
    let Some((keys, value)) = split_keys(whole) else {
        let help = "write KEY=VALUE, for example links.dsl.rate=\"50 Mbit/s\"";
        return problems.add(whole, format!("`{text}` is not an assignment"), "not KEY=VALUE", help);
    };
    // Of blanks alone, the place is behind them.
    let place = whole.locate(value.trim_start().trim_end());
    // Text that does not look like TOML is a string without quotes.
    let written = place.text().starts_with(['"', '\'', '[', '{']);
    let value = match tree::value(&place, &mut Problems::default()) {
        Some(value) => value,
        None if written => {
            tree::value(&place, problems);
            return;
        }
        None => At { value: Value::String(place.text().to_owned()), place: place.clone() },
    };
    for keys in each_name(root, keys, problems) {
        insert(root, &keys, value.clone(), problems);
    }
}

/// The keys with each link or flow that `*` stands for; `tcp.KEY` is `flows.*.tcp.KEY`.
fn each_name(root: &Node, mut keys: Vec<At<String>>, problems: &mut Problems) -> Vec<Vec<At<String>>> {
    if keys.len() > 1 && keys[0].value == "tcp" {
        let part = |text: &str| At { value: text.to_owned(), place: keys[0].place.clone() };
        let every_flow = [part("flows"), part("*")];
        keys.splice(0..0, every_flow);
    }
    let [table, pattern, _, ..] = &keys[..] else { return vec![keys] };
    let names: Vec<&str> = match (table.value.as_str(), root.get(&table.value).map(|node| &node.value)) {
        ("links", Some(Value::Table(links))) => links.names().collect(),
        ("flows", Some(Value::Array(flows))) => flows.iter().filter_map(name).collect(),
        _ => return vec![keys],
    };
    let matching = matching(&pattern.value, &names).filter(|_| !names.contains(&pattern.value.as_str()));
    let Some(matching) = matching else { return vec![keys] };
    if matching.is_empty() {
        let (what, help) = (table.value.trim_end_matches('s'), suggest(&pattern.value, names));
        let message = format!("no {what} is named `{}`", pattern.value);
        problems.add(&pattern.place, message, format!("matches no {what}"), help);
    }
    let with_name = |name: &str| {
        let mut keys = keys.clone();
        name.clone_into(&mut keys[1].value);
        keys
    };
    matching.into_iter().map(with_name).collect()
}

/// The names that a pattern stands for, whose `*` matches any characters; `None` without a `*`.
pub fn matching<'a>(pattern: &str, names: &[&'a str]) -> Option<Vec<&'a str>> {
    let (begin, end) = pattern.split_once('*')?;
    let fits =
        |name: &&str| name.len() >= begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end);
    Some(names.iter().copied().filter(fits).collect())
}

/// The name of a link or a flow in a key of [`Overrides::set`]: quoted unless it is a bare TOML key.
pub fn quoted_key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !name.is_empty() && name.chars().all(bare) {
        true => name.to_owned(),
        false => format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")),
    }
}

/// The keys before the equals sign, and the text after it.
fn split_keys(whole: &Place) -> Option<(Vec<At<String>>, &str)> {
    let text = whole.text();
    let (mut keys, mut start, mut quote) = (Vec::new(), 0, None);
    let mut chars = text.char_indices();
    while let Some((i, c)) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('"'), '\\') => _ = chars.next(),
            (None, '"' | '\'') => quote = Some(c),
            (None, '.' | '=') => {
                let key = &text[start..i];
                let name = key.trim();
                let name = if name.starts_with(['"', '\'']) { unquoted(name)? } else { name.to_owned() };
                if name.is_empty() {
                    return None;
                }
                keys.push(At { value: name, place: whole.locate(key) });
                start = i + 1;
                if c == '=' {
                    return Some((keys, &text[start..]));
                }
            }
            _ => {}
        }
    }
    None
}

/// A string of TOML.
fn unquoted(text: &str) -> Option<String> {
    let ignored = &mut Problems::default();
    tree::value(&Place::whole("", text, ignored)?, ignored)?.string().cloned()
}

/// Inserts a value into the tree and creates missing tables.
fn insert(root: &mut Node, keys: &[At<String>], value: Node, problems: &mut Problems) {
    let [parents @ .., last] = keys else { return };
    let mut node = root;
    for (depth, key) in parents.iter().enumerate() {
        let kind = node.kind();
        let child = match &mut node.value {
            Value::Table(table) => entry(table, key, depth == 1 && parents[0].value == "links", problems),
            Value::Array(items) => element(items, key, problems),
            _ => not_a_table(kind, key, problems),
        };
        let Some(child) = child else { return };
        node = child;
    }
    let kind = node.kind();
    match &mut node.value {
        Value::Table(table) => match table.0.iter_mut().find(|(key, _)| key.value == last.value) {
            Some(entry) => *entry = (last.clone(), value),
            None => table.0.push((last.clone(), value)),
        },
        _ => _ = not_a_table::<()>(kind, last, problems),
    }
}

/// The value of a key, or a new table.
fn entry<'a>(
    table: &'a mut Table,
    key: &At<String>,
    is_link: bool,
    problems: &mut Problems,
) -> Option<&'a mut Node> {
    if table.get(&key.value).is_none() {
        if is_link {
            let help = suggest(&key.value, table.names());
            let message = format!("no link is named `{}`", key.value);
            return problems.refuse(&key.place, message, "not a link", help);
        }
        let new = At { value: Value::Table(Table::default()), place: key.place.clone() };
        table.0.push((key.clone(), new));
    }
    let (_, node) = table.0.iter_mut().find(|(k, _)| k.value == key.value)?;
    // `cc = "cubic"` is short for `cc = { name = "cubic" }`, so that parameters can be set; the same for `aqm` and `trace`.
    let long = match key.value.as_str() {
        "cc" => Some("name"),
        "aqm" => Some("kind"),
        "trace" => Some("file"),
        _ => None,
    };
    if let (Some(long), Value::String(_)) = (long, &node.value) {
        let name = At { value: long.to_owned(), place: node.place.clone() };
        node.value = Value::Table(Table(vec![(name, node.clone())]));
    }
    Some(node)
}

/// The table of that name.
fn element<'a>(items: &'a mut [Node], key: &At<String>, problems: &mut Problems) -> Option<&'a mut Node> {
    let names: Vec<&str> = items.iter().map(|item| name(item).unwrap_or_default()).collect();
    let Some(index) = names.iter().position(|name| *name == key.value) else {
        let message = format!("no flow is named `{}`", key.value);
        return problems.refuse(&key.place, message, "not a flow", suggest(&key.value, names));
    };
    items.get_mut(index)
}

/// The `name` in a table.
fn name(node: &Node) -> Option<&str> {
    node.get("name")?.string().map(String::as_str)
}

fn not_a_table<T>(kind: &str, key: &At<String>, problems: &mut Problems) -> Option<T> {
    let help = match kind {
        "an array" => "address a flow by its name, flows.NAME.KEY=VALUE; replace other arrays as a whole",
        _ => "",
    };
    problems.refuse(&key.place, format!("`{}` is not a key of {kind}", key.value), "not a key", help)
}
