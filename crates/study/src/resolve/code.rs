//! Compiled expressions, and their evaluation.

use super::signature::written;
use super::star::StarFlows;
use crate::functions::{Arguments, Compute, Function};
use crate::outcome::Outcome;
use crate::parse::expr::Operator;

/// An expression over some runs.
#[derive(Clone)]
pub(crate) enum Code {
    Number(f64),
    /// A value known after the row's measurement.
    Variable(usize),
    /// A function's value from the run of that position.
    Read {
        run: usize,
        elsewhere: Option<usize>,
        function: &'static Function,
        texts: Vec<String>,
        subflow: Option<Subflow>,
        numbers: Vec<Code>,
    },
    Negative(Box<Code>),
    Binary(Operator, Box<Code>, Box<Code>),
    Math(Compute, Vec<Term>),
}

/// A subflow, from 0.
#[derive(Clone, Copy)]
pub(crate) enum Subflow {
    Is(usize),
    /// The subflow for `*`.
    Each,
}

/// An argument of a function of numbers.
#[derive(Clone)]
pub(crate) enum Term {
    One(Code),
    /// A number for each match of `*`.
    Each(StarFlows, Code),
}

/// Where an expression takes its values from.
#[derive(Clone, Copy)]
struct Sources<'a> {
    /// In the order in which the compiled expression has them.
    runs: &'a [&'a [&'a Outcome]],
    variables: &'a [f64],
    /// The flow and the subflow that `*` stands for.
    each: Option<(&'a str, usize)>,
}

impl Code {
    /// Its value if it needs no run.
    pub fn number(&self) -> Option<f64> {
        if let Code::Number(number) = self { Some(*number) } else { None }
    }

    /// Its value from the runs that it reads, one or several of each, in the order of the compiled expression.
    pub fn value(&self, runs: &[&[&Outcome]], variables: &[f64]) -> Result<f64, String> {
        self.of(Sources { runs, variables, each: None })
    }

    fn of(&self, sources: Sources<'_>) -> Result<f64, String> {
        match self {
            Code::Number(number) => Ok(*number),
            Code::Variable(i) => Ok(sources.variables[*i]),
            Code::Negative(code) => Ok(-code.of(sources)?),
            Code::Binary(operator, a, b) => {
                let a = a.of(sources)?;
                match operator {
                    // The right operand may have no value if the left one decides.
                    Operator::And if a == 0.0 => Ok(0.0),
                    Operator::Or if a != 0.0 => Ok(1.0),
                    _ => operator.of(a, b.of(sources)?),
                }
            }
            Code::Math(compute, terms) => {
                let mut values = Vec::new();
                terms.iter().try_for_each(|term| term.put(sources, &mut values))?;
                let finite = Some(compute(&values)).filter(|value| value.is_finite());
                finite.ok_or_else(|| "the value of a function is not a finite number".into())
            }
            Code::Read { run, elsewhere, function, texts, subflow, numbers } => {
                let numbers = numbers.iter().map(|code| code.of(sources)).collect::<Result<Vec<_>, _>>()?;
                let mut texts = texts.clone();
                if let (Some(first), Some((flow, _))) = (texts.first_mut(), sources.each)
                    && first.ends_with("/*")
                {
                    flow.clone_into(first);
                }
                let subflow = subflow.map(|subflow| match subflow {
                    Subflow::Is(r) => r,
                    Subflow::Each => sources.each.map_or(0, |(_, r)| r),
                });
                let given = Arguments { texts: &texts, subflow, numbers: &numbers };
                let elsewhere = elsewhere.map_or(&[][..], |run| sources.runs[run]);
                let value = function.read.value(sources.runs[*run], elsewhere, &given);
                let finite = value.and_then(|x| x.is_finite().then_some(x).ok_or_else(String::new));
                finite.map_err(|why| match &*why {
                    "" => format!("a run lacks this value: {}", written(function, &given)),
                    why => format!("{} has no value: {why}", written(function, &given)),
                })
            }
        }
    }
}

impl Term {
    /// Adds its value or values.
    fn put(&self, sources: Sources<'_>, values: &mut Vec<f64>) -> Result<(), String> {
        match self {
            Term::One(code) => values.push(code.of(sources)?),
            Term::Each(every, code) => {
                let before = values.len();
                // Seeds have the same flows.
                let run = every.run.and_then(|run| sources.runs[run].first());
                for each in run.iter().flat_map(|run| every.of(run)) {
                    values.push(code.of(Sources { each: Some(each), ..sources })?);
                }
                if values.len() == before {
                    return Err(format!("a run has no flow `{}`", every.flows));
                }
            }
        }
        Ok(())
    }
}
