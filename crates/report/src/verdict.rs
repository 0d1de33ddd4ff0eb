//! Verdicts in words, signs and colours: never in colour alone.

use anabranch_study::{Row, Verdict};
use maud::{Markup, html};

/// Every verdict, from best to not judged.
pub const ALL: [Verdict; 6] = [
    Verdict::Reproduced,
    Verdict::Partly,
    Verdict::NotReproduced,
    Verdict::Undetermined,
    Verdict::NotJudged,
    Verdict::Failed,
];

/// As a reader says it.
pub fn label(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "reproduced",
        Verdict::Partly => "partly",
        Verdict::NotReproduced => "not reproduced",
        Verdict::Undetermined => "undetermined",
        Verdict::NotJudged => "not judged",
        Verdict::Failed => "failed",
    }
}

/// Its class in the style sheet.
pub fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "reproduced",
        Verdict::Partly => "partly",
        Verdict::NotReproduced => "not-reproduced",
        Verdict::Undetermined => "undetermined",
        Verdict::NotJudged => "not-judged",
        Verdict::Failed => "failed",
    }
}

/// A sign that every font has.
pub fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "✓",
        Verdict::Partly => "≈",
        Verdict::NotReproduced => "×",
        Verdict::Undetermined => "?",
        Verdict::NotJudged => "–",
        Verdict::Failed => "!",
    }
}

/// Sign and words.
pub fn badge(verdict: Verdict) -> Markup {
    html! {
        span class={ "verdict " (class(verdict)) } { span.sign aria-hidden="true" { (sign(verdict)) } " " (label(verdict)) }
    }
}

/// The verdicts that an interval reaches beyond its row's own: "interval reaches partly"; empty if it reaches no other.
pub fn crossing(row: &Row) -> Option<String> {
    let reached: Vec<&str> = row.crosses.iter().map(|verdict| label(*verdict)).collect();
    (!reached.is_empty()).then(|| format!("interval reaches {}", reached.join(" and ")))
}

/// How many rows have each verdict, in the order of [`ALL`].
pub fn counts<'a>(rows: impl IntoIterator<Item = &'a Row>) -> [usize; ALL.len()] {
    count(rows.into_iter().map(|row| row.verdict))
}

/// How many there are of each verdict, in the order of [`ALL`].
pub fn count(verdicts: impl IntoIterator<Item = Verdict>) -> [usize; ALL.len()] {
    let mut counts = [0; ALL.len()];
    for given in verdicts {
        for (verdict, n) in ALL.iter().zip(&mut counts) {
            *n += usize::from(*verdict == given);
        }
    }
    counts
}

/// The counts in words: "12 reproduced, 3 partly". Verdicts nobody got are left out.
pub fn tally(counts: [usize; ALL.len()]) -> Markup {
    html! {
        span.tally {
            @for (verdict, n) in ALL.into_iter().zip(counts).filter(|&(_, n)| n > 0) {
                span class={ "verdict " (class(verdict)) } {
                    span.sign aria-hidden="true" { (sign(verdict)) } " " (n) " " (label(verdict))
                }
                " "
            }
        }
    }
}

/// One tile for each row, linked to it.
pub fn strip<'a, 'b: 'a>(file: &str, rows: impl IntoIterator<Item = &'a (&'b Row, String)>) -> Markup {
    html! {
        span.strip {
            @for (row, anchor) in rows {
                @let title = format!("{}: {}", row.id, label(row.verdict));
                a class=(class(row.verdict)) href={ (file) "#" (anchor) } title=(title) aria-label=(title) {
                    (sign(row.verdict))
                }
            }
        }
    }
}
