//! A recursive-descent parser of expressions, with a function for each precedence.

use super::{Argument, Expr, Operator, ParseError};

/// Deeper nesting could overflow a thread's stack.
const MAX_DEPTH: usize = 64;

/// Longer expressions could be too deep: name subexpressions.
const MAX_LENGTH: usize = 1000;

/// Reads an expression.
///
/// # Errors
/// [`ParseError`] with its position.
pub fn parse(text: &str) -> Result<Expr, ParseError> {
    if text.len() > MAX_LENGTH {
        return Err(ParseError::new(
            format!("expression too long: {} bytes, the limit is {MAX_LENGTH}", text.len()),
            0..0,
        ));
    }
    let mut parser = Parser { text, at: 0, depth: 0 };
    let expr = parser.condition()?;
    parser.space();
    match parser.at < text.len() {
        true => Err(ParseError::new("an operator is missing before this", parser.at..text.len())),
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

    fn expect(&mut self, sign: &str) -> Result<(), ParseError> {
        let found = self.take(&[(sign, ())]);
        found.ok_or_else(|| self.wrong(&format!("expected `{sign}`")))
    }

    fn wrong(&self, expected: &str) -> ParseError {
        let end = self.rest().char_indices().nth(1).map_or(self.text.len(), |(i, _)| self.at + i);
        ParseError::new(
            if self.rest().is_empty() { format!("{expected}, found the end") } else { expected.into() },
            self.at..end,
        )
    }

    /// Parses left-associative operators of one precedence.
    fn chain(
        &mut self,
        operand: fn(&mut Self) -> Result<Expr, ParseError>,
        operators: &[(&str, Operator)],
        at_most: usize,
    ) -> Result<Expr, ParseError> {
        self.space();
        let start = self.at;
        let mut left = operand(self)?;
        for _ in 0..at_most {
            let Some(operator) = self.take(operators) else { break };
            let right = operand(self)?;
            left = Expr::Binary(operator, Box::new(left), Box::new(right), start..self.at);
        }
        Ok(left)
    }

    fn condition(&mut self) -> Result<Expr, ParseError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.wrong("brackets are nested too deeply"));
        }
        let expr = self.chain(Self::both, &[("or", Operator::Or)], usize::MAX);
        self.depth -= 1;
        expr
    }

    fn both(&mut self) -> Result<Expr, ParseError> {
        self.chain(Self::comparison, &[("and", Operator::And)], usize::MAX)
    }

    fn comparison(&mut self) -> Result<Expr, ParseError> {
        use Operator::{Above, AtLeast, AtMost, Below, Equal};
        self.chain(
            Self::sum,
            &[("<=", AtMost), (">=", AtLeast), ("==", Equal), ("<", Below), (">", Above)],
            1,
        )
    }

    fn sum(&mut self) -> Result<Expr, ParseError> {
        self.chain(Self::product, &[("+", Operator::Plus), ("-", Operator::Minus)], usize::MAX)
    }

    fn product(&mut self) -> Result<Expr, ParseError> {
        self.chain(Self::power, &[("*", Operator::Times), ("/", Operator::Divided)], usize::MAX)
    }

    fn power(&mut self) -> Result<Expr, ParseError> {
        if self.take(&[("-", ())]).is_some() {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(self.wrong("too many minus signs in a row"));
            }
            let negative = self.power().map(|expr| Expr::Negative(Box::new(expr)));
            self.depth -= 1;
            return negative;
        }
        // `2 ^ 3 ^ 2` is `2 ^ (3 ^ 2)`.
        let start = self.at;
        let base = self.atom()?;
        if self.take(&[("^", ())]).is_none() {
            return Ok(base);
        }
        self.depth += 1;
        let exponent =
            if self.depth > MAX_DEPTH { Err(self.wrong("too many nested powers")) } else { self.power() };
        self.depth -= 1;
        Ok(Expr::Binary(Operator::Power, Box::new(base), Box::new(exponent?), start..self.at))
    }

    fn atom(&mut self) -> Result<Expr, ParseError> {
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

    fn number(&mut self) -> Result<Expr, ParseError> {
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
            _ => Err(ParseError::new("this is not a number", start..self.at)),
        }
    }

    fn name(&mut self) -> String {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(rest.len());
        let name = rest[..end].to_owned();
        self.at += end;
        name
    }

    fn arguments(&mut self) -> Result<Vec<Argument>, ParseError> {
        let mut arguments = Vec::new();
        if self.take(&[(")", ())]).is_some() {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.argument()?);
            if self.take(&[(")", ())]).is_some() {
                return Ok(arguments);
            }
            self.expect(",")
                .map_err(|wrong| ParseError { message: "expected `,` or `)`".into(), ..wrong })?;
        }
    }

    fn argument(&mut self) -> Result<Argument, ParseError> {
        self.space();
        if self.rest().starts_with(['"', '\'']) {
            return self.quoted().map(Argument::Text);
        }
        if self.take(&[("*", ())]).is_some() {
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

    fn quoted(&mut self) -> Result<String, ParseError> {
        let quote = &self.rest()[..1];
        match self.rest()[1..].split_once(quote) {
            Some((inside, _)) => {
                let inside = inside.to_owned();
                self.at += inside.len() + 2;
                Ok(inside)
            }
            None => Err(ParseError::new("the closing quote is missing", self.at..self.text.len())),
        }
    }

    fn word(&mut self) -> Result<String, ParseError> {
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
