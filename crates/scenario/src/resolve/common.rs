//! Names, instants and texts that several keys use.

use crate::diagnostic::{At, Place, Problems};
use crate::format::{File, TextFile};
use crate::leaf::{Span, Whole};
use crate::model::Path;
use crate::printable::is_hidden;
use crate::read::Named;
use crate::suggest::suggest;
use anabranch_net::Time;
use std::collections::HashMap;
use std::ops::Range;

/// Reports an instant after the end of the run.
pub(super) fn check_instant(at: &At<Span>, horizon: Time, problems: &mut Problems) {
    if at.value.0 >= horizon {
        let message = format!("{} is outside the run of {horizon}", at.value.0);
        problems.add(&at.place, message, format!("must be less than {horizon}"), "");
    }
}

/// Reports a name that is not safe in tables and CSV files.
pub(super) fn check_name(name: &At<String>, problems: &mut Problems) {
    if name.value.is_empty() || name.value.contains(is_hidden) {
        problems.add(&name.place, "a name must be printable", "not a name", "for example \"dsl\"");
    }
    // CSV files have names, and spreadsheets read such text as a formula.
    if name.value.starts_with(['=', '+', '-', '@']) {
        let message = format!("a name must not begin with `{}`", &name.value[..1]);
        problems.add(&name.place, message, "spreadsheets read it as a formula", "for example \"dsl\"");
    }
}

pub(super) fn text_of(
    name: &At<String>,
    files: Option<&Named<TextFile>>,
    problems: &mut Problems,
) -> Option<Place> {
    let file = files.and_then(|files| files.0.iter().find(|(known, _)| known.value == name.value));
    if let Some((_, TextFile { text })) = file {
        return Place::whole(&name.value, text, problems);
    }
    let name_text = &name.value;
    let help = format!("put its content into the scenario: the key `text` under [files.\"{name_text}\"]");
    problems.refuse(&name.place, format!("the scenario has no file `{name_text}`"), "not found", help)
}

const MAX_LINKS: usize = 10_000;
const MAX_CHANGES: usize = 500_000;

/// The links' names, with counts expanded.
pub(super) struct LinkNames {
    pub(super) list: Vec<String>,
    /// Index in the file of each link.
    pub(super) origin: Vec<usize>,
    /// The index of each name; from the list's length on, indices into `alike`.
    index: HashMap<String, usize>,
    /// The ranges of links that share a table.
    alike: Vec<Range<usize>>,
}

impl LinkNames {
    pub(super) fn of(file: &File, problems: &mut Problems) -> Self {
        let (mut list, mut origin, mut alike, mut changes) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for (i, (name, At { value: link, .. })) in file.links.0.iter().enumerate() {
            let begin = list.len();
            let (count, place) = link
                .count
                .as_ref()
                .map_or((1, &name.place), |At { value: Whole(count), place }| (*count as usize, place));
            changes += count * link.changes.as_ref().map_or(0, Vec::len);
            if begin + count > MAX_LINKS || changes > MAX_CHANGES {
                let all = match changes > MAX_CHANGES {
                    true => format!("{MAX_CHANGES} changes of links"),
                    false => format!("{MAX_LINKS} links"),
                };
                problems.add(place, format!("over the limit of {all}"), "too many", "");
                break;
            }
            if link.count.is_some() {
                list.extend((1..=count).map(|number| format!("{}/{number}", name.value)));
                alike.push(begin..list.len());
            } else {
                list.push(name.value.clone());
            }
            origin.resize(list.len(), i);
        }
        let mut index = HashMap::new();
        // With a count, the name in the file selects all of its links, so it must be unique, too.
        let all = alike.iter().map(|each: &Range<usize>| origin[each.start]);
        let names = list.iter().chain(all.clone().map(|origin| &file.links.0[origin].0.value));
        for (i, (name, origin)) in names.zip(origin.iter().copied().chain(all)).enumerate() {
            if index.insert(name.clone(), i).is_some() {
                let message = format!("two links are named `{name}`");
                problems.add(&file.links.0[origin].0.place, message, "not unique", "");
            }
        }
        LinkNames { list, origin, index, alike }
    }

    /// Assigns links with a count to the connection with that number, from 0.
    pub(super) fn assign(&self, paths: &mut [Path], number: usize) {
        for link in paths.iter_mut().flat_map(|path| path.links.iter_mut().chain(&mut path.return_links)) {
            if let Some(alike) = link.checked_sub(self.list.len()) {
                *link = self.alike[alike].start + number;
            }
        }
    }
}

/// The index of a link, for a flow with that count.
pub(super) fn link_index(
    name: &At<String>,
    links: &LinkNames,
    count: Option<usize>,
    problems: &mut Problems,
) -> Option<usize> {
    let Some(found) = links.index.get(&name.value).copied() else {
        let known = if problems.is_full() { &[] } else { &*links.list };
        let help = suggest(&name.value, known.iter().map(String::as_str));
        let message = format!("no link is named `{}`", name.value);
        return problems.refuse(&name.place, message, "not a link", help);
    };
    let alike = found.checked_sub(links.list.len()).map(|alike| links.alike[alike].len());
    if let Some(alike) = alike.filter(|alike| Some(*alike) != count) {
        let help = format!(
            "name one, `{0}/1`, or give the flow count = {alike}: its n-th connection then uses `{0}/n`",
            name.value
        );
        let message = format!("`{}` names {alike} links", name.value);
        return problems.refuse(&name.place, message, "ambiguous", help);
    }
    Some(found)
}
