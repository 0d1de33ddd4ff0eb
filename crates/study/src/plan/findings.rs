//! Findings: sentences with means of the runs.

use super::planner::Planner;
use super::rows::axes_of;
use super::{FindingPlan, Quantity};
use crate::parse::Problem;
use crate::parse::spec::Finding;
use crate::resolve::chosen_values::starts_over;
use crate::resolve::compile::part;
use crate::resolve::selection::Selection;
use std::ops::Range;

/// Adds a sentence, or one for each value of the axes that it names.
pub(super) fn add(planner: &mut Planner<'_>, finding: &Finding) -> Result<(), Problem> {
    let group = planner.study.group_or_only(finding.runs.as_deref())?;
    let named = axes_of(&finding.text);
    // An axis may have others in its fields.
    let used = numbers(&finding.text);
    let is_used = |name: &String| !named.is_empty() || used.iter().any(|(used, ..)| used == name);
    if let Some((name, of)) = finding.values.iter().find(|(name, _)| !is_used(name)) {
        return Err(of
            .problem(format!("`{name}` has no effect: the text does not contain it"))
            .help(format!("write {{{name}:.2}} in the text for two decimals")));
    }
    let named: Vec<&str> = named.into_iter().filter(|name| *name != "texts").collect();
    for start in starts_over(planner.open(Some(group)), &finding.at, &named)? {
        for point in start.each(&named)? {
            one(planner, finding, &point)?;
        }
    }
    Ok(())
}

fn one(planner: &mut Planner<'_>, finding: &Finding, here: &Selection<'_>) -> Result<(), Problem> {
    let text = here.fill(&finding.text)?;
    // Positions in a filled text are not positions in the file.
    let place = |at: Range<usize>| match text == *finding.text {
        true => part(&finding.text, at),
        false => finding.text.span(),
    };
    let mut parts: Vec<(String, usize, Quantity)> = Vec::new();
    let mut from = 0;
    for (name, digits, at) in numbers(&text) {
        let of = finding.values.get(name).ok_or_else(|| {
            let known = finding.values.keys().map(String::as_str);
            Problem::at(place(at.clone()), format!("`values` has no `{name}`")).suggest(name, known)
        })?;
        let quantity = planner.read(of, here, finding.pooled)?;
        parts.push((text[from..at.start].to_owned(), digits, quantity));
        from = at.end;
    }
    let end = text[from..].to_owned();
    planner.plan.findings.push(FindingPlan { parts, end });
    Ok(())
}

/// The placeholders `{name:.2}`, with their number of decimals.
fn numbers(text: &str) -> Vec<(&str, usize, Range<usize>)> {
    let mut numbers = Vec::new();
    for (close, _) in text.match_indices('}') {
        // The closest brace: a name does not contain any.
        let Some(open) = text[..close].rfind(['{', '}']).filter(|open| text[*open..].starts_with('{')) else {
            continue;
        };
        let place = text[open + 1..close].split_once(":.");
        if let Some((name, Ok(digits))) = place.map(|(name, digits)| (name, digits.parse::<u8>())) {
            numbers.push((name, usize::from(digits), open..close + 1));
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_numbers() {
        let names = |text: &'static str| {
            numbers(text).into_iter().map(|(name, digits, at)| (name, digits, &text[at]))
        };
        let of = |text| names(text).collect::<Vec<_>>();
        assert_eq!(of("{a:.1}, {cc} and {b:.0}."), [("a", 1, "{a:.1}"), ("b", 0, "{b:.0}")]);
        assert_eq!(of("{a{b:.1}"), [("b", 1, "{b:.1}")]);
        assert_eq!(of("}{a:.1}:.2}"), [("a", 1, "{a:.1}")]);
        assert_eq!(of("{a:.}{b:.-1}{"), []);
    }
}
