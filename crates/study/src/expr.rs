//! Expressions of study files: `goodput("mptcp") / goodput("tcp")`.
//!
//! ```text
//! condition  = both { "or" both }
//! both       = comparison { "and" comparison }
//! comparison = sum [ ("<" | "<=" | ">" | ">=" | "==") sum ]
//! sum        = product { ("+" | "-") product }
//! product    = power { ("*" | "/") power }
//! power      = [ "-" ] atom [ "^" power ]
//! atom       = number | name | name "(" [ argument { "," argument } ] ")" | "(" condition ")"
//! argument   = text | name "=" ( text | number | "*" ) | "*" | condition
//! ```
//!
//! A name may have dots (`case.loss`), a text stands in quotes. A comparison gives 1 where it holds, else 0.

use std::ops::Range;

/// An expression, as it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A number.
    Number(f64),
    /// A name: another quantity, or an axis's value.
    Name(String, Range<usize>),
    /// A function and its arguments.
    Call(String, Vec<Argument>, Range<usize>),
    /// The negative of another.
    Negative(Box<Expr>),
    /// Two of them, and where both stand.
    Two(Operator, Box<Expr>, Box<Expr>, Range<usize>),
}

/// What is given to a function.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A text in quotes.
    Text(String),
    /// `name = value`, the value as it is written, without quotes.
    Named(String, String),
    /// `*`: each of several.
    Every,
    /// A number to be computed.
    Value(Expr),
}

/// What stands between two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`
    Divided,
    /// `^`
    Power,
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
    /// `==`
    Equal,
    /// `and`
    And,
    /// `or`
    Or,
}

impl Operator {
    /// What it makes of two numbers.
    ///
    /// # Errors
    /// Where it has no value: a division by zero, a power that is no number.
    pub fn of(self, a: f64, b: f64) -> Result<f64, String> {
        let truth = |holds: bool| f64::from(u8::from(holds));
        let value = match self {
            Operator::Plus => a + b,
            Operator::Minus => a - b,
            Operator::Times => a * b,
            Operator::Divided if b == 0.0 => return Err("division by zero".into()),
            Operator::Divided => a / b,
            Operator::Power => a.powf(b),
            Operator::Below => truth(a < b),
            Operator::AtMost => truth(a <= b),
            Operator::Above => truth(a > b),
            Operator::AtLeast => truth(a >= b),
            Operator::Equal => truth(a == b),
            Operator::And => truth(a != 0.0 && b != 0.0),
            Operator::Or => truth(a != 0.0 || b != 0.0),
        };
        if value.is_finite() { Ok(value) } else { Err(format!("no finite number: {a} and {b}")) }
    }
}

/// Why a text is no expression.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Wrong {
    /// What is wrong.
    pub message: String,
    /// Where, in bytes of the text.
    pub at: Range<usize>,
}

impl Wrong {
    /// With its place.
    pub fn new(message: impl Into<String>, at: Range<usize>) -> Self {
        Wrong { message: message.into(), at }
    }
}

/// Deeper ones would need more stack than a thread may have.
const MAX_DEPTH: usize = 64;

/// Longer ones would be deep, too: name their parts.
const MAX_LENGTH: usize = 1000;

/// Reads an expression.
///
/// # Errors
/// [`Wrong`] with the place of what does not belong there.
pub fn parse(text: &str) -> Result<Expr, Wrong> {
    if text.len() > MAX_LENGTH {
        return Err(Wrong::new(format!("an expression of more than {MAX_LENGTH} bytes"), 0..0));
    }
    let mut parser = Parser { text, at: 0, depth: 0 };
    let expr = parser.condition()?;
    parser.space();
    match parser.at < text.len() {
        true => Err(Wrong::new("an operator is missing before this", parser.at..text.len())),
        false => Ok(expr),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Takes one of these where it comes next; a word only where it ends there.
    fn take<T: Copy>(&mut self, known: &[(&str, T)]) -> Option<T> {
        self.space();
        let begins = |(sign, _): &&(&str, T)| {
            let rest = self.rest().strip_prefix(*sign);
            let word = sign.ends_with(char::is_alphabetic);
            rest.is_some_and(|rest| !word || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        let (sign, meaning) = *known.iter().find(begins)?;
        self.at += sign.len();
        Some(meaning)
    }

    fn expect(&mut self, sign: &str) -> Result<(), Wrong> {
        let found = self.take(&[(sign, ())]);
        found.ok_or_else(|| self.wrong(&format!("expected `{sign}`")))
    }

    fn wrong(&self, expected: &str) -> Wrong {
        let end = self.rest().char_indices().nth(1).map_or(self.text.len(), |(i, _)| self.at + i);
        Wrong::new(
            if self.rest().is_empty() { format!("{expected}, found the end") } else { expected.into() },
            self.at..end,
        )
    }

    /// Operands with operators of one rank between them, from the left.
    fn chain(
        &mut self,
        operand: fn(&mut Self) -> Result<Expr, Wrong>,
        operators: &[(&str, Operator)],
        at_most: usize,
    ) -> Result<Expr, Wrong> {
        self.space();
        let start = self.at;
        let mut left = operand(self)?;
        for _ in 0..at_most {
            let Some(operator) = self.take(operators) else { break };
            let right = operand(self)?;
            left = Expr::Two(operator, Box::new(left), Box::new(right), start..self.at);
        }
        Ok(left)
    }

    fn condition(&mut self) -> Result<Expr, Wrong> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.wrong("too many brackets within each other"));
        }
        let expr = self.chain(Self::both, &[("or", Operator::Or)], usize::MAX);
        self.depth -= 1;
        expr
    }

    fn both(&mut self) -> Result<Expr, Wrong> {
        self.chain(Self::comparison, &[("and", Operator::And)], usize::MAX)
    }

    fn comparison(&mut self) -> Result<Expr, Wrong> {
        use Operator::{Above, AtLeast, AtMost, Below, Equal};
        self.chain(
            Self::sum,
            &[("<=", AtMost), (">=", AtLeast), ("==", Equal), ("<", Below), (">", Above)],
            1,
        )
    }

    fn sum(&mut self) -> Result<Expr, Wrong> {
        self.chain(Self::product, &[("+", Operator::Plus), ("-", Operator::Minus)], usize::MAX)
    }

    fn product(&mut self) -> Result<Expr, Wrong> {
        self.chain(Self::power, &[("*", Operator::Times), ("/", Operator::Divided)], usize::MAX)
    }

    fn power(&mut self) -> Result<Expr, Wrong> {
        if self.take(&[("-", ())]).is_some() {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(self.wrong("too many signs before each other"));
            }
            let negative = self.power().map(|expr| Expr::Negative(Box::new(expr)));
            self.depth -= 1;
            return negative;
        }
        // `2 ^ 3 ^ 2` is `2 ^ (3 ^ 2)`, as everywhere: the exponent is read by `exponent`.
        let start = self.at;
        let base = self.atom()?;
        if self.take(&[("^", ())]).is_none() {
            return Ok(base);
        }
        self.depth += 1;
        let exponent = if self.depth > MAX_DEPTH { Err(self.wrong("too many powers")) } else { self.power() };
        self.depth -= 1;
        Ok(Expr::Two(Operator::Power, Box::new(base), Box::new(exponent?), start..self.at))
    }

    fn atom(&mut self) -> Result<Expr, Wrong> {
        self.space();
        let start = self.at;
        match self.rest().chars().next() {
            Some('(') => {
                self.at += 1;
                let inner = self.condition()?;
                self.expect(")").map(|()| inner)
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => {
                let name = self.name();
                match self.take(&[("(", ())]) {
                    None => Ok(Expr::Name(name, start..start + self.text[start..self.at].trim_end().len())),
                    Some(()) => {
                        let arguments = self.arguments()?;
                        Ok(Expr::Call(name, arguments, start..self.at))
                    }
                }
            }
            _ => Err(self.wrong("expected a number, a name or a bracket")),
        }
    }

    fn number(&mut self) -> Result<Expr, Wrong> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            let exponents_sign =
                matches!(byte, b'+' | b'-') && matches!(bytes[self.at - 1], b'e' | b'E') && self.at > start;
            if !(byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'_') || exponents_sign) {
                break;
            }
            self.at += 1;
        }
        let digits = self.text[start..self.at].replace('_', "");
        match digits.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Expr::Number(number)),
            _ => Err(Wrong::new("this is no number", start..self.at)),
        }
    }

    fn name(&mut self) -> String {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(rest.len());
        let name = rest[..end].to_owned();
        self.at += end;
        name
    }

    fn arguments(&mut self) -> Result<Vec<Argument>, Wrong> {
        let mut arguments = Vec::new();
        if self.take(&[(")", ())]).is_some() {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.argument()?);
            if self.take(&[(")", ())]).is_some() {
                return Ok(arguments);
            }
            self.expect(",").map_err(|wrong| Wrong { message: "expected `,` or `)`".into(), ..wrong })?;
        }
    }

    fn argument(&mut self) -> Result<Argument, Wrong> {
        self.space();
        if self.rest().starts_with(['"', '\'']) {
            return self.quoted().map(Argument::Text);
        }
        if self.take(&[("*", ())]).is_some() {
            return Ok(Argument::Every);
        }
        let start = self.at;
        if self.rest().starts_with(|c: char| c.is_alphabetic() || c == '_') {
            let name = self.name();
            self.space();
            if self.rest().starts_with('=') && !self.rest().starts_with("==") {
                self.at += 1;
                self.space();
                let value = match self.rest().starts_with(['"', '\'']) {
                    true => self.quoted()?,
                    false => self.word()?,
                };
                return Ok(Argument::Named(name, value));
            }
            self.at = start;
        }
        self.condition().map(Argument::Value)
    }

    fn quoted(&mut self) -> Result<String, Wrong> {
        let quote = &self.rest()[..1];
        match self.rest()[1..].split_once(quote) {
            Some((inside, _)) => {
                let inside = inside.to_owned();
                self.at += inside.len() + 2;
                Ok(inside)
            }
            None => Err(Wrong::new("this text has no end", self.at..self.text.len())),
        }
    }

    fn word(&mut self) -> Result<String, Wrong> {
        let rest = self.rest();
        let end = rest.find([',', ')']).unwrap_or(rest.len());
        let word = rest[..end].trim().to_owned();
        if word.is_empty() {
            return Err(self.wrong("expected a value"));
        }
        self.at += end;
        Ok(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The value of one without names.
    fn value(text: &str) -> Result<f64, String> {
        fn of(expr: &Expr) -> Result<f64, String> {
            match expr {
                Expr::Number(x) => Ok(*x),
                Expr::Negative(e) => Ok(-of(e)?),
                Expr::Two(operator, a, b, _) => operator.of(of(a)?, of(b)?),
                Expr::Name(..) | Expr::Call(..) => Err("a name".into()),
            }
        }
        of(&parse(text).map_err(|wrong| format!("{}: {}", &text[wrong.at.clone()], wrong.message))?)
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
        let Expr::Two(Operator::Divided, call, name, _) = parse(text).unwrap() else { panic!("a quotient") };
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
            assert_eq!(&text[wrong.at.clone()], place, "{text}: {wrong}");
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
                prop_assert!(text.get(wrong.at.clone()).is_some(), "{wrong:?}");
            }
        }
    }
}
