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
//! A name may contain dots (`case.loss`); texts are quoted. A comparison has the value 1 if true, else 0.

mod parser;

pub use parser::parse;

use std::ops::Range;

/// An expression tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A number.
    Number(f64),
    /// A name: another quantity, or an axis's value.
    Name(String, Range<usize>),
    /// A function and its arguments.
    Call(String, Vec<Argument>, Range<usize>),
    /// A negated expression.
    Negative(Box<Expr>),
    /// A binary operation and its position.
    Binary(Operator, Box<Expr>, Box<Expr>, Range<usize>),
}

/// An argument of a function.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A text in quotes.
    Text(String),
    /// `name = value`, the value as it is written, without quotes.
    Named(String, String),
    /// `*`: all flows, subflows, links or values.
    Star,
    /// An expression.
    Value(Expr),
}

/// A binary operator.
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
    /// Applies it to two numbers.
    ///
    /// # Errors
    /// Without a finite value, such as for a division by zero.
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
        if value.is_finite() {
            Ok(value)
        } else {
            Err(format!("the result for {a} and {b} is not a finite number"))
        }
    }
}

/// An error in an expression.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// The mistake.
    pub message: String,
    /// The position, in bytes of the text.
    pub at: Range<usize>,
}

impl ParseError {
    pub fn new(message: impl Into<String>, at: Range<usize>) -> Self {
        ParseError { message: message.into(), at }
    }
}

#[cfg(test)]
mod tests;
