//! Text stands out from what it is written on: 4.5:1, as WCAG 2.2 asks of text in 1.4.3.

const CSS: &str = include_str!("../../assets/report.css");

/// The colours of a scheme by name: those of the dark one over those of the light one.
fn colours(schemes: &[&str]) -> Vec<(String, [f64; 3])> {
    let mut all = Vec::new();
    for scheme in schemes {
        let rules = CSS.split(scheme).nth(1).unwrap().split('}').next().unwrap();
        for rule in rules.split(';').filter_map(|rule| rule.trim().strip_prefix("--")) {
            let Some((name, hex)) = rule.split_once(": #") else { continue };
            let channel = |at: usize| {
                let c = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
                if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
            };
            all.insert(0, (name.to_owned(), [0, 2, 4].map(channel)));
        }
    }
    all
}

#[test]
fn text_stands_out() {
    let pairs = [
        ("text", "page"),
        ("text", "raised"),
        ("text", "mark"),
        ("quiet", "page"),
        ("quiet", "mark"),
        ("quiet", "raised"),
        ("link", "page"),
        ("link", "mark"),
        ("good", "page"),
        ("good", "good-tile"),
        ("good", "mark"),
        ("middling", "page"),
        ("middling", "middling-tile"),
        ("middling", "mark"),
        ("bad", "page"),
        ("bad", "bad-tile"),
        ("bad", "mark"),
        ("none", "page"),
        ("none", "none-tile"),
        ("none", "mark"),
    ];
    for schemes in [&[":root {"][..], &[":root {", "(prefers-color-scheme: dark) {\n  :root {"]] {
        let colours = colours(schemes);
        let luminance = |name: &str| {
            let [r, g, b] = colours.iter().find(|(known, _)| known == name).unwrap().1;
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        for (text, ground) in pairs {
            let (a, b) = (luminance(text), luminance(ground));
            let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
            assert!(contrast >= 4.5, "{text} on {ground}: {contrast:.2} in {schemes:?}");
        }
    }
}
