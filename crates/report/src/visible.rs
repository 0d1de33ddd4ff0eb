//! Texts of studies as pages and drawings show them: XML has no control characters, and a mark of direction turns what follows.

use anabranch_scenario::{is_hidden, printable, printable_line};
use anabranch_study::Panel;
use maud::Markup;
use std::borrow::Cow;

/// The panel with what would be hidden in its texts spelled out.
pub fn visible(panel: &Panel) -> Cow<'_, Panel> {
    let names = panel.series.iter().map(|s| &s.name).chain([&panel.title, &panel.x.title, &panel.y.title]);
    let labels = panel.series.iter().flat_map(|s| &s.points).filter_map(|p| p.label.as_ref());
    if !names.chain(labels).any(|text| text.contains(is_hidden)) {
        return Cow::Borrowed(panel);
    }
    let mut shown = panel.clone();
    let series = shown.series.iter_mut();
    let texts =
        series.flat_map(|s| s.points.iter_mut().filter_map(|p| p.label.as_mut()).chain([&mut s.name]));
    for text in texts.chain([&mut shown.title, &mut shown.x.title, &mut shown.y.title]) {
        *text = printable_line(text);
    }
    Cow::Owned(shown)
}

/// The page, or a fragment of one, with what would be hidden in it spelled out. It must have no script of its own.
pub fn page(html: Markup) -> String {
    printable(&html.into_string().replace("\r\n", "\n"))
}
