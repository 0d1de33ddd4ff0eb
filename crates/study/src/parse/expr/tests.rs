use super::*;
use proptest::prelude::*;

/// The value of one without names.
fn value(text: &str) -> Result<f64, String> {
    fn of(expr: &Expr) -> Result<f64, String> {
        match expr {
            Expr::Number(x) => Ok(*x),
            Expr::Negative(e) => Ok(-of(e)?),
            Expr::Binary(operator, a, b, _) => operator.of(of(a)?, of(b)?),
            Expr::Name(..) | Expr::Call(..) => Err("a name".into()),
        }
    }
    of(&parse(text).map_err(|wrong| wrong.message)?)
}

/// As schools have it.
#[test]
fn ranks() {
    for (text, expected) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("8 - 3 - 2", 3.0),
        ("8 / 4 / 2", 1.0),
        ("2 ^ 3 ^ 2", 512.0),
        ("-2 ^ 2", -4.0),
        ("2 * -3", -6.0),
        ("1.5e-3 * 1e+3", 1.5),
        ("1_000", 1000.0),
        ("1 < 2 and 2 <= 1", 0.0),
        ("1 < 2 or 2 <= 1", 1.0),
        ("1 < 2 or 1 < 2 and 2 < 1", 1.0),
        ("2 == 1 + 1", 1.0),
    ] {
        assert_eq!(value(text), Ok(expected), "{text}");
    }
}

#[test]
fn functions_and_their_arguments() {
    let text = r#"at(cc = lia, single="reno", goodput('mptcp', 1 + 1)) / x.y"#;
    let Expr::Binary(Operator::Divided, call, name, _) = parse(text).unwrap() else { panic!("a quotient") };
    assert_eq!(*name, Expr::Name("x.y".into(), 55..58));
    let Expr::Call(at, arguments, _) = *call else { panic!("a call") };
    assert_eq!((at.as_str(), arguments.len()), ("at", 3));
    assert_eq!(arguments[0], Argument::Named("cc".into(), "lia".into()));
    assert_eq!(arguments[1], Argument::Named("single".into(), "reno".into()));
    let Argument::Value(Expr::Call(goodput, inner, _)) = &arguments[2] else { panic!("a call") };
    assert_eq!((goodput.as_str(), &inner[0]), ("goodput", &Argument::Text("mptcp".into())));
}

#[test]
fn what_is_wrong_and_where() {
    for (text, place) in [
        ("1 +", ""),
        ("1 2", "2"),
        ("(1", ""),
        ("f(1", ""),
        ("f(\"x", "\"x"),
        ("1..2", "1..2"),
        ("a = 1", "= 1"),
        ("$", "$"),
        ("1 < 2 < 3", "< 3"),
    ] {
        let wrong = parse(text).unwrap_err();
        assert_eq!(&text[wrong.at.clone().unwrap()], place, "{text}: {wrong:?}");
    }
    assert_eq!(value("1 / (2 - 2)"), Err("division by zero".into()));
    assert!(parse(&"(".repeat(900)).is_err() && parse(&"-".repeat(900)).is_err());
    assert!(parse(&format!("1{}", "^1".repeat(400))).is_err());
    assert!(parse(&format!("1{}", "+1".repeat(1000))).is_err());
}

proptest! {
    /// Nothing panics, and a place lies in its text.
    #[test]
    fn any_text(text in "[-+*/^()<>=., a-c\"'0-9µ]{0,40}") {
        if let Err(wrong) = parse(&text) {
            prop_assert!(wrong.at.clone().is_some_and(|at| text.get(at).is_some()), "{wrong:?}");
        }
    }
}
