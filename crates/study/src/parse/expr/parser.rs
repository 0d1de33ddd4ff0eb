//! A recursive-descent parser of expressions.

use super::{Argument, Expr, Operator};
use crate::parse::Problem;

/// Deeper nesting could overflow a thread's stack.
const MAX_DEPTH: usize = 64;

/// Longer expressions could be too deep: name subexpressions.
const MAX_LENGTH: usize = 1000;

/// Operators of one precedence, and how many of them may follow each other.
type Level = (&'static [(&'static str, Operator)], usize);

/// From the lowest precedence on.
const LEVELS: &[Level] = &[
    (&[("or", Operator::Or)], usize::MAX),
    (&[("and", Operator::And)], usize::MAX),
    (
        &[
            ("<=", Operator::AtMost),
            (">=", Operator::AtLeast),
            ("==", Operator::Equal),
            ("<", Operator::Below),
            (">", Operator::Above),
        ],
        1,
    ),
    (&[("+", Operator::Plus), ("-", Operator::Minus)], usize::MAX),
    (&[("*", Operator::Times), ("/", Operator::Divided)], usize::MAX),
];

/// Reads an expression. A problem's position is in the text.
pub fn parse(text: &str) -> Result<Expr, Problem> {
    if text.len() > MAX_LENGTH {
        let message = format!("expression too long: {} bytes, the limit is {MAX_LENGTH}", text.len());
        return Err(Problem::at(0..0, message));
    }
    let mut parser = Parser { text, at: 0, depth: 0 };
    let expr = parser.condition()?;
    parser.space();
    let rest = Problem::at(parser.at..text.len(), "an operator is missing before this");
    rest.unless(parser.at == text.len()).map(|()| expr)
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

    /// Consumes one of these tokens if it comes next; a word only as a whole.
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

    fn takes(&mut self, sign: &str) -> bool {
        self.take(&[(sign, ())]).is_some()
    }

    fn wrong(&self, expected: &str) -> Problem {
        let end = self.rest().char_indices().nth(1).map_or(self.text.len(), |(i, _)| self.at + i);
        let at_end = if self.rest().is_empty() { ", found the end" } else { "" };
        Problem::at(self.at..end, format!("{expected}{at_end}"))
    }

    /// The whole expression, one level of brackets deeper.
    fn condition(&mut self) -> Result<Expr, Problem> {
        self.deeper("brackets are nested too deeply", |parser| parser.binary(LEVELS))
    }

    fn deeper(
        &mut self,
        too_deep: &str,
        parse: impl FnOnce(&mut Self) -> Result<Expr, Problem>,
    ) -> Result<Expr, Problem> {
        if self.depth == MAX_DEPTH {
            return Err(self.wrong(too_deep));
        }
        self.depth += 1;
        let expr = parse(self);
        self.depth -= 1;
        expr
    }

    /// Left-associative operators of these levels.
    fn binary(&mut self, levels: &[Level]) -> Result<Expr, Problem> {
        let Some(((operators, at_most), higher)) = levels.split_first() else { return self.power() };
        self.space();
        let start = self.at;
        let mut left = self.binary(higher)?;
        for _ in 0..*at_most {
            let Some(operator) = self.take(operators) else { break };
            let right = self.binary(higher)?;
            left = Expr::Binary(operator, Box::new(left), Box::new(right), start..self.at);
        }
        Ok(left)
    }

    fn power(&mut self) -> Result<Expr, Problem> {
        if self.takes("-") {
            let negative = self.deeper("too many minus signs in a row", Self::power);
            return negative.map(|expr| Expr::Negative(Box::new(expr)));
        }
        // `2 ^ 3 ^ 2` is `2 ^ (3 ^ 2)`.
        let start = self.at;
        let base = self.atom()?;
        if !self.takes("^") {
            return Ok(base);
        }
        let exponent = self.deeper("too many nested powers", Self::power)?;
        Ok(Expr::Binary(Operator::Power, Box::new(base), Box::new(exponent), start..self.at))
    }

    fn atom(&mut self) -> Result<Expr, Problem> {
        self.space();
        let start = self.at;
        match self.rest().chars().next() {
            Some('(') => {
                self.at += 1;
                let inner = self.condition()?;
                if self.takes(")") { Ok(inner) } else { Err(self.wrong("expected `)`")) }
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => {
                let name = self.name();
                let end = self.at;
                if !self.takes("(") {
                    return Ok(Expr::Name(name, start..end));
                }
                let arguments = self.arguments()?;
                Ok(Expr::Call(name, arguments, start..self.at))
            }
            _ => Err(self.wrong("expected a number, a name or a bracket")),
        }
    }

    fn number(&mut self) -> Result<Expr, Problem> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            let exponents_sign = matches!(byte, b'+' | b'-') && matches!(bytes[self.at - 1], b'e' | b'E');
            if !(byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'_') || exponents_sign) {
                break;
            }
            self.at += 1;
        }
        let digits = self.text[start..self.at].replace('_', "");
        match digits.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Expr::Number(number)),
            _ => Err(Problem::at(start..self.at, "this is not a number")),
        }
    }

    fn name(&mut self) -> String {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(rest.len());
        let name = rest[..end].to_owned();
        self.at += end;
        name
    }

    fn arguments(&mut self) -> Result<Vec<Argument>, Problem> {
        let mut arguments = Vec::new();
        if self.takes(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.argument()?);
            if self.takes(")") {
                return Ok(arguments);
            }
            if !self.takes(",") {
                return Err(Problem { message: "expected `,` or `)`".into(), ..self.wrong("") });
            }
        }
    }

    fn argument(&mut self) -> Result<Argument, Problem> {
        self.space();
        if self.rest().starts_with(['"', '\'']) {
            return self.quoted().map(Argument::Text);
        }
        if self.takes("*") {
            return Ok(Argument::Star);
        }
        let start = self.at;
        if self.rest().starts_with(|c: char| c.is_alphabetic() || c == '_') {
            let name = self.name();
            self.space();
            if self.rest().starts_with('=') && !self.rest().starts_with("==") {
                self.at += 1;
                self.space();
                let value = if self.rest().starts_with(['"', '\'']) { self.quoted()? } else { self.word()? };
                return Ok(Argument::Named(name, value));
            }
            self.at = start;
        }
        self.condition().map(Argument::Value)
    }

    fn quoted(&mut self) -> Result<String, Problem> {
        let quote = &self.rest()[..1];
        match self.rest()[1..].split_once(quote) {
            Some((inside, _)) => {
                let inside = inside.to_owned();
                self.at += inside.len() + 2;
                Ok(inside)
            }
            None => Err(Problem::at(self.at..self.text.len(), "the closing quote is missing")),
        }
    }

    fn word(&mut self) -> Result<String, Problem> {
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
