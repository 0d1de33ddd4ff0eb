//! Texts of studies as pages and drawings show them: XML has no control characters, and a mark of direction turns what follows.

use anabranch_scenario::{is_hidden, printable, printable_line};
use anabranch_study::Panel;
use maud::Markup;
use std::borrow::Cow;

/// The panel with what would be hidden in its texts spelled out.
pub fn visible(panel: &Panel) -> Cow<'_, Panel> {
    let mut panel = Cow::Borrowed(panel);
    let is_clean = |text: &str| !text.contains(is_hidden);
    let series_are_clean = panel
        .series
        .iter()
        .all(|s| is_clean(&s.name) && s.points.iter().filter_map(|p| p.label.as_deref()).all(is_clean));
    if series_are_clean
        && [&panel.title, &panel.x.title, &panel.y.title].into_iter().all(|text| is_clean(text))
    {
        return panel;
    }
    let shown = panel.to_mut();
    let series = shown.series.iter_mut();
    let texts =
        series.flat_map(|s| s.points.iter_mut().filter_map(|p| p.label.as_mut()).chain([&mut s.name]));
    for text in texts.chain([&mut shown.title, &mut shown.x.title, &mut shown.y.title]) {
        *text = printable_line(text);
    }
    panel
}

/// The page, or a fragment of one, with what would be hidden in it spelled out. It must have no script of its own.
pub fn page(html: Markup) -> String {
    printable(&html.into_string().replace("\r\n", "\n"))
}
