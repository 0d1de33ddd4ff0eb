//! An algorithm's rule as the book writes it, with Greek letters and signs: sources have it in ASCII.

/// Letters that rules spell out.
const GREEK: [(&str, char); 8] = [
    ("alpha", 'α'),
    ("beta", 'β'),
    ("gamma", 'γ'),
    ("zeta", 'ζ'),
    ("eta", 'η'),
    ("lambda", 'λ'),
    ("xi", 'ξ'),
    ("wbar", 'w'),
];
/// Signs, longest first.
const SIGNS: [(&str, &str); 11] = [
    (" * ", " · "),
    ("sqrt(", "√("),
    ("cbrt(", "∛("),
    ("<=", "≤"),
    (">=", "≥"),
    ("-=", "−="),
    (" - ", " − "),
    ("^2", "²"),
    ("^3", "³"),
    ("^4", "⁴"),
    ("^k", "ᵏ"),
];
const SUBSCRIPTS: [char; 3] = ['₀', '₁', '₂'];

/// The rule for a page.
pub fn typeset(rule: &str) -> String {
    let mut out = String::new();
    let mut rest = rule;
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        // A parameter's name stays.
        let is_within = out.ends_with('_');
        let is_root = rest.starts_with("sqrt(") || rest.starts_with("cbrt(");
        let (text, after) = rest.split_at(length);
        if is_within && length > 0 || first.is_ascii_alphabetic() && !is_root {
            out += &if is_within { text.to_owned() } else { word(text, after) };
            rest = after;
            continue;
        }
        match SIGNS.iter().find(|(ascii, _)| rest.starts_with(ascii)) {
            Some((ascii, sign)) => {
                out += sign;
                rest = &rest[ascii.len()..];
            }
            None => {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    out
}

/// A word of a rule: a letter with its number, or the sign of a sum before what it adds.
fn word(word: &str, after: &str) -> String {
    let name = word.trim_end_matches(['1', '2']);
    let number = word[name.len()..].chars().filter_map(|c| SUBSCRIPTS.get(c.to_digit(10)? as usize));
    if let Some((_, letter)) = GREEK.iter().find(|(known, _)| *known == name) {
        let bar = if name == "wbar" { "\u{304}" } else { "" };
        return format!("{letter}{bar}{}", number.collect::<String>());
    }
    let next = after.trim_start().split(' ').next().unwrap_or("");
    let is_prose = next.len() > 2 && next.chars().all(|c| c.is_ascii_alphabetic());
    if word == "sum" && after.starts_with(' ') && !is_prose { "Σ".to_owned() } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_letters_and_signs() {
        for (ascii, set) in [
            ("alpha = sum w * max(w/T^2) / (sum w/T)^2", "α = Σ w · max(w/T²) / (Σ w/T)²"),
            ("on loss: w -= w/2 * (1 - j step) where j <= 2", "on loss: w −= w/2 · (1 − j step) where j ≤ 2"),
            ("L = V sqrt(alpha1),  alpha_r = x_r/y", "L = V √(α₁),  α_r = x_r/y"),
            ("alpha and sum over the path's group", "α and sum over the path's group"),
            ("C (t - K)^3, beta 0.7, RFC 8382", "C (t − K)³, β 0.7, RFC 8382"),
            ("max(weight_r total_alpha, initial_alpha)", "max(weight_r total_alpha, initial_alpha)"),
        ] {
            assert_eq!(typeset(ascii), set);
        }
    }
}
