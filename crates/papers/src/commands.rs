//! The commands that repeat a paper's result.

use anabranch_study::{StudyResult, size};

/// One, or one for each experiment where it is a part of its paper, or runs on request.
pub fn commands(result: &StudyResult) -> Vec<String> {
    let (paper, size) = (crate::find(&result.name), size::named(&result.size));
    let usual = paper.map_or(size.seeds(), |paper| (paper.seeds)(size));
    let options = size::options(size, result.seeds, usual);
    let columns = if result.without_columns { " --no-columns" } else { "" };
    let command = format!("anabranch paper {}{options}{columns}", result.name);
    let known = paper.map_or(&[][..], |paper| &paper.experiments[..]);
    let is_here = |id: &str| result.experiments.iter().any(|e| e.id == id);
    let (apart, usual): (Vec<_>, Vec<_>) = known.iter().partition(|d| d.plan(size).is_on_request());
    let whole = usual.iter().all(|d| is_here(d.id()));
    let apart = if whole { apart } else { known.iter().collect() };
    let each = apart.iter().map(|d| d.id()).filter(|id| is_here(id));
    let each = each.map(|id| format!("{command} --only {id}"));
    whole.then(|| command.clone()).into_iter().chain(each).collect()
}
