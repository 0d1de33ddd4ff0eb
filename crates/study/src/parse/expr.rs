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

#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Number(f64),
    /// A name: another quantity, or an axis's value.
    Name(String, Range<usize>),
    Call(String, Vec<Argument>, Range<usize>),
    Negative(Box<Expr>),
    /// A binary operation and its position.
    Binary(Operator, Box<Expr>, Box<Expr>, Range<usize>),
}

impl Expr {
    /// The first value that `of` finds in it or in its operands.
    pub fn find<'a, T>(&'a self, of: &dyn Fn(&'a Expr) -> Option<T>) -> Option<T> {
        of(self).or_else(|| match self {
            Expr::Negative(inner) => inner.find(of),
            Expr::Binary(_, a, b, _) => a.find(of).or_else(|| b.find(of)),
            Expr::Number(_) | Expr::Name(..) | Expr::Call(..) => None,
        })
    }

    /// The same expression with what `with` gives for it or for its operands.
    pub fn replaced(&self, with: &dyn Fn(&Expr) -> Option<Expr>) -> Expr {
        let again = |inner: &Expr| Box::new(inner.replaced(with));
        with(self).unwrap_or_else(|| match self {
            Expr::Negative(inner) => Expr::Negative(again(inner)),
            Expr::Binary(operator, a, b, at) => Expr::Binary(*operator, again(a), again(b), at.clone()),
            Expr::Number(_) | Expr::Name(..) | Expr::Call(..) => self.clone(),
        })
    }
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

impl Argument {
    /// The name and the value of `name = value`.
    pub fn named(&self) -> Option<(&str, &str)> {
        if let Argument::Named(name, value) = self { Some((name, value)) } else { None }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Plus,
    Minus,
    Times,
    Divided,
    Power,
    Below,
    AtMost,
    Above,
    AtLeast,
    Equal,
    And,
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
        let finite = value.is_finite().then_some(value);
        finite.ok_or_else(|| format!("the result for {a} and {b} is not a finite number"))
    }
}

#[cfg(test)]
mod tests;
