//! How a page is cited: what made it, and an entry for BibTeX.

use crate::input::Context;
use maud::{Markup, html};

/// Folded at the foot of every page.
pub fn section(context: &Context, file: &str, title: &str) -> Markup {
    html! {
        details.cite {
            summary { "Cite this page" }
            pre tabindex="0" { (bibtex(context, file, title)) }
        }
    }
}

fn bibtex(context: &Context, file: &str, title: &str) -> String {
    let commit = context.commit.as_ref().map(|commit| format!(", commit {commit}")).unwrap_or_default();
    let date = context.date.as_deref();
    let mut fields = vec![
        ("author", "{The Anabranch authors}".to_owned()),
        ("title", latex(title.trim_end_matches(" – Anabranch"))),
        ("howpublished", latex(&format!("Report of Anabranch {}{commit}: {file}", context.version))),
    ];
    // "2026-11-26".
    fields.extend(date.and_then(|date| Some(("year", latex(date.split('-').next()?)))));
    let said = [("written on", date), ("with", Some(&*context.command)), ("on", context.machine.as_deref())];
    let said: Vec<String> =
        said.iter().filter_map(|(how, what)| Some(format!("{how} {}", (*what)?))).collect();
    fields.push(("note", latex(&said.join(" "))));
    let fields: Vec<String> = fields.iter().map(|(key, value)| format!("  {key} = {{{value}}}")).collect();
    format!("@misc{{anabranch-{},\n{}\n}}", key(file), fields.join(",\n"))
}

/// A name that BibTeX takes as a key.
fn key(file: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    file.trim_end_matches(".html").chars().map(safe).collect()
}

/// Text as LaTeX reads it. Braces have names, because BibTeX counts them.
fn latex(text: &str) -> String {
    let mut written = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '#' | '$' | '_' => written.extend(['\\', c]),
            '{' => written += "\\textbraceleft{}",
            '}' => written += "\\textbraceright{}",
            '\\' => written += "\\textbackslash{}",
            '~' => written += "\\textasciitilde{}",
            '^' => written += "\\textasciicircum{}",
            '\n' | '\r' => written.push(' '),
            c => written.push(c),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The characters that LaTeX reads otherwise (Lamport, Appendix C), and braces in pairs.
    #[test]
    fn names_are_escaped() {
        let context = Context {
            version: "1.2.3".into(),
            command: "anabranch study 100%_loss.toml --at '{a}'".into(),
            date: Some("2026-11-26".into()),
            commit: Some("0123abc".into()),
            machine: Some("host_1".into()),
            ..Context::default()
        };
        assert_eq!(
            bibtex(&context, "a_b.html", "R&D: 5 % #1 costs $2 of C:\\x^2~_"),
            "@misc{anabranch-a-b,\n  author = {{The Anabranch authors}},\n  \
             title = {R\\&D: 5 \\% \\#1 costs \\$2 of C:\\textbackslash{}x\\textasciicircum{}2\\textasciitilde{}\\_},\n  \
             howpublished = {Report of Anabranch 1.2.3, commit 0123abc: a\\_b.html},\n  \
             year = {2026},\n  \
             note = {written on 2026-11-26 with anabranch study 100\\%\\_loss.toml --at '\\textbraceleft{}a\\textbraceright{}' on host\\_1}\n}"
        );
    }
}
