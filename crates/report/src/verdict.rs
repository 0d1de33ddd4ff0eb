//! Verdicts in words, signs and colours: never in colour alone.

use anabranch_study::{Row, Verdict, Wording};
use maud::{Markup, html};

/// Every verdict, from best to not judged.
pub const ALL: [Verdict; 7] = [
    Verdict::Reproduced,
    Verdict::Partly,
    Verdict::NotReproduced,
    Verdict::Undetermined,
    Verdict::Provisional,
    Verdict::NotJudged,
    Verdict::Failed,
];

/// Its class in the style sheet, and a sign that every font has.
fn look(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Reproduced => ("reproduced", "✓"),
        Verdict::Partly => ("partly", "≈"),
        Verdict::NotReproduced => ("not-reproduced", "×"),
        Verdict::Undetermined => ("undetermined", "?"),
        Verdict::NotJudged => ("not-judged", "–"),
        Verdict::Failed => ("failed", "!"),
        Verdict::Provisional => ("provisional", "…"),
    }
}

/// Its class in the style sheet.
pub fn class(verdict: Verdict) -> &'static str {
    look(verdict).0
}

/// A sign that every font has.
pub fn sign(verdict: Verdict) -> &'static str {
    look(verdict).1
}

/// Sign and words.
pub fn badge(verdict: Verdict, wording: Wording) -> Markup {
    signed(verdict, wording.label(verdict))
}

/// A text with the verdict's sign and colour.
pub fn signed(verdict: Verdict, text: &str) -> Markup {
    html! {
        span class={ "verdict " (class(verdict)) } { span.sign aria-hidden="true" { (sign(verdict)) } " " (text) }
    }
}

/// The verdicts that an interval reaches beyond its row's own.
pub fn crossed(row: &Row, wording: Wording, separator: &str) -> String {
    row.crosses.iter().map(|verdict| wording.label(*verdict)).collect::<Vec<_>>().join(separator)
}

/// The verdicts that a table of counts shows, as indices of [`ALL`]: rare ones only where there are some, and of quick runs no
/// others.
pub fn shown(totals: [usize; ALL.len()]) -> Vec<usize> {
    let is_provisional = (0..ALL.len()).any(|i| ALL[i] == Verdict::Provisional && totals[i] > 0);
    let always = |verdict| !matches!(verdict, Verdict::Undetermined | Verdict::Provisional);
    (0..ALL.len()).filter(|i| totals[*i] > 0 || always(ALL[*i]) && !is_provisional).collect()
}

/// How many rows have each verdict, in the order of [`ALL`].
pub fn counts<'a>(rows: impl IntoIterator<Item = &'a Row>) -> [usize; ALL.len()] {
    count(rows.into_iter().map(|row| row.verdict))
}

/// How many there are of each verdict, in the order of [`ALL`].
pub fn count(verdicts: impl Iterator<Item = Verdict>) -> [usize; ALL.len()] {
    let verdicts: Vec<Verdict> = verdicts.collect();
    ALL.map(|verdict| verdicts.iter().filter(|given| **given == verdict).count())
}

/// The counts in words: "12 reproduced, 3 partly". Verdicts nobody got are left out.
pub fn tally(counts: [usize; ALL.len()], wording: Wording) -> Markup {
    html! {
        span.tally {
            @for (verdict, n) in ALL.into_iter().zip(counts).filter(|&(_, n)| n > 0) {
                (signed(verdict, &format!("{n} {}", wording.label(verdict)))) " "
            }
        }
    }
}

/// One tile for each row, linked to it.
pub fn strip<'a, 'b: 'a>(
    file: &str,
    rows: impl IntoIterator<Item = &'a (&'b Row, String)>,
    wording: Wording,
) -> Markup {
    html! {
        span.strip {
            @for (row, anchor) in rows {
                @let title = format!("{}: {}", row.id, wording.label(row.verdict));
                a class=(class(row.verdict)) href={ (file) "#" (anchor) } title=(title) aria-label=(title) {
                    (sign(row.verdict))
                }
            }
        }
    }
}
