//! Compiles expressions: resolves names and the runs to read. Also fills texts with expressions.

use super::code::{Code, Subflow, Term};
use super::selection::Selection;
use super::signature::{signature, written};
use super::star::{StarFlows, open_axis, reads_every_link, takes_list, with_link, with_value};
use crate::functions::{Arguments, FUNCTIONS, Function, MATH, Parameter, Read};
use crate::parse::expr::{Argument, Expr, Operator, parse};
use crate::parse::template::{fill, places, with_texts};
use crate::parse::{OrAt, Problem, Spanned};
use crate::size::Size;
use crate::theory::FORMULAS;
use anabranch_scenario::Scenario;
use std::ops::Range;

/// An expression, and the runs that it reads.
pub(crate) struct Compiled {
    pub code: Code,
    /// Group and point.
    pub runs: Vec<(usize, usize)>,
    /// Whether it needs samples over time.
    pub samples: bool,
    /// The values that it needs, each with the position of its run.
    pub needs: Vec<(usize, Need)>,
    /// Its expression and position, for messages about missing values.
    pub place: String,
}

/// A value that runs must be able to have.
pub(crate) struct Need {
    function: &'static Function,
    texts: Vec<String>,
    subflow: Option<usize>,
    numbers: Vec<f64>,
    at: Range<usize>,
}

impl Need {
    /// The reason why runs of that scenario never have it; `None` if they may.
    pub fn missing(&self, scenario: &Scenario) -> Option<Problem> {
        let given = Arguments { texts: &self.texts, subflow: self.subflow, numbers: &self.numbers };
        let why = self.function.check(scenario, &given).err()?;
        let what = written(self.function, &given);
        Some(Problem::at(self.at.clone(), format!("no run of \"{}\" has {what}: {why}", scenario.name)))
    }
}

impl Selection<'_> {
    pub fn compile(&self, text: &Spanned<String>, variables: &[&str]) -> Result<Compiled, Problem> {
        let (within, place) = (self.within.clone(), text.span());
        let mut compiler = Compiler { variables, within, place, certain: true, ..Compiler::default() };
        let code = compiler.text(text, self)?;
        let (line, file) = (self.study.line(text.span().start), &self.study.source.0);
        let place = format!("`{}` on line {line} of {file}", text.as_str());
        let Compiler { runs, samples, needs, .. } = compiler;
        Ok(Compiled { code, runs, samples, needs, place })
    }

    /// An expression that reads no run.
    pub fn constant(&self, text: &Spanned<String>) -> Result<f64, Problem> {
        let compiled = self.compile(text, &[])?;
        text.problem("a published value, a formula or a number in a text cannot read a run")
            .unless(compiled.runs.is_empty())?;
        compiled.code.value(&[], &[]).map_err(|why| text.problem(why))
    }

    /// A text with the values in their places.
    pub fn fill(&self, text: &str) -> Result<String, Problem> {
        let text = with_texts(text, &self.study.texts)?;
        let value = |name: &str| self.text(name).map_or_else(|| self.number(name), |text| Ok(Some(text)));
        fill(&text, &value, &self.axes().collect::<Vec<_>>())
    }

    /// Fills a text that has a position in the file.
    pub fn filled(&self, text: &Spanned<String>) -> Result<String, Problem> {
        self.fill(text).or_at(text.span())
    }

    /// The value of a quantity without runs, as text.
    fn number(&self, name: &str) -> Result<Option<String>, Problem> {
        let Some(quantity) = self.study.quantities.get(name) else { return Ok(None) };
        if self.within.iter().any(|outer| outer == name) {
            return Err(contains_itself(name).or_at(quantity.span()));
        }
        if self.within.len() == MAX_WITHIN {
            return Err(quantity.problem(TOO_LONG));
        }
        let mut inside = self.clone();
        inside.within.push(name.to_owned());
        inside.constant(quantity).map(|number| Some(number.to_string()))
    }
}

const TOO_LONG: &str = "this expression is too long, with its quantities expanded";

/// The limit for nested quantities: deeper nesting could overflow a thread's stack.
const MAX_WITHIN: usize = 20;

/// The position in the file of a range of a quoted text; the whole text if it has escapes.
pub(crate) fn part(text: &Spanned<String>, at: Range<usize>) -> Range<usize> {
    let span = text.span();
    if span.len() == text.len() + 2 { span.start + 1 + at.start..span.start + 1 + at.end } else { span }
}

pub(crate) fn expression(text: &Spanned<String>) -> Result<Expr, Problem> {
    parse(text).map_err(|wrong| Problem { at: wrong.at.map(|at| part(text, at)), ..wrong })
}

#[derive(Default)]
struct Compiler<'a> {
    variables: &'a [&'a str],
    runs: Vec<(usize, usize)>,
    samples: bool,
    /// The quantities being compiled, to detect recursion.
    within: Vec<String>,
    /// Where the expression is that has them.
    place: Range<usize>,
    /// The matches of `*`; `None` outside a function of a list.
    every: Option<StarFlows>,
    needs: Vec<(usize, Need)>,
    /// Whether the value is always needed: not to the right of `and` or `or`.
    certain: bool,
    parts: usize,
    depth: usize,
}

/// Longer code is a mistake: nested quantities can grow exponentially.
const MAX_PARTS: usize = 20_000;
/// Deeper nesting could overflow a thread's stack.
const MAX_DEPTH: usize = 500;

impl Compiler<'_> {
    fn text(&mut self, text: &Spanned<String>, here: &Selection<'_>) -> Result<Code, Problem> {
        if places(text).is_empty() {
            return self.code(&expression(text)?, text, here);
        }
        // Its positions are not in the file.
        let filled = Spanned::new(0..0, here.clone().within(&self.within).filled(text)?);
        let code = expression(&filled).and_then(|expr| self.code(&expr, &filled, here));
        code.map_err(|problem| Problem { at: Some(text.span()), ..problem })
    }

    fn code(&mut self, expr: &Expr, text: &Spanned<String>, here: &Selection<'_>) -> Result<Code, Problem> {
        self.parts += 1;
        self.depth += 1;
        if self.parts > MAX_PARTS || self.depth > MAX_DEPTH {
            return Err(text.problem(TOO_LONG));
        }
        let code = self.part(expr, text, here);
        self.depth -= 1;
        code
    }

    fn part(&mut self, expr: &Expr, text: &Spanned<String>, here: &Selection<'_>) -> Result<Code, Problem> {
        match expr {
            Expr::Number(number) => Ok(Code::Number(*number)),
            Expr::Negative(inner) => Ok(Code::Negative(Box::new(self.code(inner, text, here)?))),
            Expr::Binary(operator, a, b, at) => {
                let a = self.code(a, text, here)?;
                let certain = self.certain;
                self.certain &= !matches!(operator, Operator::And | Operator::Or);
                let b = self.code(b, text, here)?;
                self.certain = certain;
                if let (Code::Number(x), Code::Number(y)) = (&a, &b) {
                    match operator.of(*x, *y) {
                        Ok(value) => return Ok(Code::Number(value)),
                        Err(why) if self.certain => return Err(Problem::at(part(text, at.clone()), why)),
                        // The left operand of `and` or `or` may decide.
                        Err(_) => {}
                    }
                }
                Ok(Code::Binary(*operator, Box::new(a), Box::new(b)))
            }
            Expr::Name(name, at) => self.name(name, here).or_at(part(text, at.clone())),
            Expr::Call(name, arguments, at) => {
                self.call(name, arguments, text, here).or_at(part(text, at.clone()))
            }
        }
    }

    fn name(&mut self, name: &str, here: &Selection<'_>) -> Result<Code, Problem> {
        if let Some(i) = self.variables.iter().position(|known| *known == name) {
            return Ok(Code::Variable(i));
        }
        let (axis, field) = name.split_once('.').map_or((name, None), |(axis, field)| (axis, Some(field)));
        if let Some(value) = here.value(axis) {
            let (number, id) = (value.field_number(field), &value.id);
            let message = || match field {
                None => format!("the value `{id}` of axis `{axis}` is not a number"),
                Some(field) => format!("`{id}` of axis `{axis}` has no number `{field}`"),
            };
            return number.map(Code::Number).ok_or_else(|| Problem::new(message()));
        }
        let Some(quantity) = here.study.quantities.get(name) else {
            let known = self.variables.iter().copied();
            let known = known.chain(here.study.quantities.keys().map(String::as_str));
            let known = known.chain(here.axes());
            let message = format!("`{name}` is neither a quantity nor an axis with a value here");
            return Err(Problem::new(message).suggest(name, known));
        };
        if self.within.iter().any(|outer| outer == name) {
            return Err(contains_itself(name));
        }
        self.within.push(name.to_owned());
        let code = self.text(quantity, here);
        self.within.pop();
        code
    }

    fn call(
        &mut self,
        name: &str,
        arguments: &[Argument],
        text: &Spanned<String>,
        here: &Selection<'_>,
    ) -> Result<Code, Problem> {
        if name == "at" {
            let (there, rest) = self.named(arguments, here)?;
            let [Argument::Value(expr)] = rest[..] else { return Err(not_an_at()) };
            return self.code(expr, text, &there.ok_or_else(not_an_at)?);
        }
        if name == "by_size" {
            return match arguments {
                [Argument::Value(quick), Argument::Value(default), Argument::Value(full)] => {
                    self.code(here.size.of([quick, default, full]), text, here)
                }
                _ => Err(Problem::new("write by_size(QUICK, DEFAULT, FULL), with three numbers")),
            };
        }
        let formulas = FORMULAS.iter().map(|f| (f.name, f.takes.len(), f.takes.len(), f.compute));
        let computing = || MATH.iter().copied().chain(formulas.clone());
        if let Some((_, least, most, compute)) = computing().find(|(known, ..)| *known == name) {
            let mut terms = Vec::new();
            for argument in arguments {
                let Argument::Value(expr) = argument else {
                    return Err(Problem::new(format!("`{name}` takes numbers")));
                };
                match list(expr, here) {
                    Some(list) => terms.extend(list.into_iter().map(|x| Term::One(Code::Number(x)))),
                    None if takes_list(name) => self.spread(expr, text, here, &mut terms)?,
                    None => terms.push(Term::One(self.code(expr, text, here)?)),
                }
            }
            return match (least..=most).contains(&terms.len()) {
                true => Ok(Code::Math(compute, terms)),
                false => Err(Problem::new(match most {
                    usize::MAX => format!("`{name}` takes at least {least} number, not {}", terms.len()),
                    1 => format!("`{name}` takes one number, not {}", terms.len()),
                    _ => format!("`{name}` takes {most} numbers, not {}", terms.len()),
                })),
            };
        }
        let function = FUNCTIONS.iter().find(|function| function.name == name).ok_or_else(|| {
            let known =
                FUNCTIONS.iter().map(|function| function.name).chain(computing().map(|(name, ..)| name));
            Problem::new(format!("there is no function `{name}`"))
                .suggest(name, known.chain(["at", "by_size"]))
        })?;
        self.read(function, arguments, text, here)
    }

    /// An argument of a function of a list: compiled for each value of an open axis, each link, and each flow.
    fn spread(
        &mut self,
        expr: &Expr,
        text: &Spanned<String>,
        here: &Selection<'_>,
        terms: &mut Vec<Term>,
    ) -> Result<(), Problem> {
        if let Some((axis, runs)) = open_axis(expr) {
            let there = runs.map_or_else(|| Ok(here.clone()), |runs| here.in_runs(runs))?;
            let values = &there.axis(axis)?.values;
            return values.iter().try_for_each(|value| {
                let expr = with_value(expr, axis, &value.id);
                if self.is_run(&expr, here)? { self.spread(&expr, text, here, terms) } else { Ok(()) }
            });
        }
        if reads_every_link(expr) {
            let mut each = here.network()?.links().into_iter().map(|link| with_link(expr, link));
            return each.try_for_each(|expr| self.spread(&expr, text, here, terms));
        }
        let outer = self.every.replace(StarFlows::default());
        let code = self.code(expr, text, here);
        let every = std::mem::replace(&mut self.every, outer).unwrap_or_default();
        terms.push(match every.run {
            Some(_) => Term::Each(every, code?),
            None => Term::One(code?),
        });
        Ok(())
    }

    /// Whether the runs of an `at(…)` without `*` exist: not every combination of values need be run.
    fn is_run(&self, expr: &Expr, here: &Selection<'_>) -> Result<bool, Problem> {
        match expr {
            Expr::Call(name, arguments, _) if !takes_list(name) => {
                let is_closed =
                    |a: &&Argument| name == "at" && a.named().is_some_and(|(_, value)| value != "*");
                let closed: Vec<Argument> = arguments.iter().filter(is_closed).cloned().collect();
                let there = self.named(&closed, here)?.0;
                let here = there.as_ref().unwrap_or(here);
                // An `at` directly within this one changes its point.
                let is_at = |a: &Argument| matches!(a, Argument::Value(Expr::Call(name, ..)) if name == "at");
                let mut is_run =
                    there.as_ref().is_none_or(Selection::has_point) || arguments.iter().any(is_at);
                for argument in arguments {
                    is_run &=
                        if let Argument::Value(inner) = argument { self.is_run(inner, here)? } else { true };
                }
                Ok(is_run)
            }
            Expr::Negative(inner) => self.is_run(inner, here),
            Expr::Binary(_, a, b, _) => Ok(self.is_run(a, here)? && self.is_run(b, here)?),
            _ => Ok(true),
        }
    }

    /// Binds `*` to these flows or their subflows.
    fn each(&mut self, flows: &str, subflows: bool, run: usize) -> Result<(), Problem> {
        let Some(every) = &mut self.every else {
            return Err(several(flows));
        };
        if every.run.is_some() && every.flows != flows {
            let message = format!("`*` stands for \"{}\" and for \"{flows}\" in one argument", every.flows);
            return Err(Problem::new(message)
                .help("an argument of mean, sum, min or max can use `*` of one group of flows only"));
        }
        *every = StarFlows {
            run: every.run.or(Some(run)),
            flows: flows.to_owned(),
            subflows: every.subflows || subflows,
        };
        Ok(())
    }

    fn read(
        &mut self,
        function: &'static Function,
        arguments: &[Argument],
        text: &Spanned<String>,
        here: &Selection<'_>,
    ) -> Result<Code, Problem> {
        let usage = || {
            Problem::new(format!("wrong arguments for `{}`: write {}", function.name, signature(function)))
        };
        let network = here.network().map_err(|problem| self.unless_direct(problem))?;
        let (mut texts, mut subflow, mut numbers) = (Vec::new(), None, Vec::new());
        let (named, arguments) = self.named(arguments, here)?;
        let mut elsewhere = None;
        let mut given = arguments.into_iter().peekable();
        for (i, takes) in function.takes.iter().enumerate() {
            let (left, flow) = (given.len(), texts.first().map_or("", String::as_str));
            match (takes, given.peek()) {
                // Those that are left are for what follows.
                (Parameter::MaybeSubflow, _) if left < function.takes.len() - i => continue,
                (Parameter::MaybeNumber, None) => continue,
                (Parameter::Elsewhere, _) => {
                    elsewhere = Some(named.clone().ok_or_else(usage)?);
                    continue;
                }
                (Parameter::Flows, Some(Argument::Text(_))) => {
                    while let Some(Argument::Text(name)) = given.peek() {
                        network.check(Parameter::Flows, name)?;
                        texts.push(name.clone());
                        given.next();
                    }
                    continue;
                }
                (Parameter::Link, Some(Argument::Text(name))) if name == "*" => return Err(several(name)),
                (Parameter::Flow | Parameter::Link | Parameter::Word, Some(Argument::Text(name))) => {
                    let every = *takes == Parameter::Flow && name.ends_with("/*");
                    network.check(if every { Parameter::Flows } else { *takes }, name)?;
                    texts.push(name.clone());
                }
                (Parameter::Subflow | Parameter::MaybeSubflow, Some(Argument::Value(expr))) => {
                    let no_number =
                        || Problem::new("a subflow must be a whole number from 1, written as digits");
                    let number = self.code(expr, text, here)?.number().ok_or_else(no_number)?;
                    subflow = Some(Subflow::Is(network.subflow(flow, number)?));
                }
                (Parameter::Subflow | Parameter::MaybeSubflow, Some(Argument::Text(name))) => {
                    return Err(network.not_a_subflow(flow, name));
                }
                (Parameter::Subflow | Parameter::MaybeSubflow, Some(Argument::Star)) => {
                    subflow = Some(Subflow::Each);
                }
                (Parameter::Number | Parameter::MaybeNumber, Some(Argument::Value(expr))) => {
                    let number = self.code(expr, text, here)?;
                    if let (Code::Number(x), [_, ..]) = (&number, function.percentiles)
                        && !function.percentiles.contains(x)
                    {
                        let known: Vec<String> = function.percentiles.iter().map(f64::to_string).collect();
                        let help = format!("known: {}", known.join(", "));
                        return Err(Problem::new(format!("percentile {x} is not recorded")).help(help));
                    }
                    numbers.push(number);
                }
                _ => return Err(usage()),
            }
            given.next();
        }
        if given.next().is_some() {
            return Err(usage());
        }
        if named.is_some() && elsewhere.is_none() {
            return Err(Problem::new(format!("`{}` reads one run; put `… = …` into at(…)", function.name)));
        }
        let known: Option<Vec<f64>> = numbers.iter().map(Code::number).collect();
        if let Read::Scenario(read) = function.read {
            let message = format!("the numbers given to `{}` cannot read a run", function.name);
            let numbers = known.ok_or_else(|| Problem::new(message))?;
            let Some(Subflow::Is(subflow)) = subflow else { return Err(usage()) };
            let point = Selection::of_point(here.study, (here.group()?, here.point()?), Size::Default);
            let (setup, _) = point.within(&self.within).setup()?;
            let scenario = setup.scenario().map_err(|why| Problem::new(why.to_string()))?;
            let value =
                read(&scenario, &Arguments { texts: &texts, subflow: Some(subflow), numbers: &numbers });
            return value.map(Code::Number).map_err(Problem::new);
        }
        let run = self.run(here)?;
        let elsewhere = elsewhere.map(|there| self.run(&there)).transpose()?;
        let every_subflow = matches!(subflow, Some(Subflow::Each));
        let flow = texts.first().filter(|_| function.takes.first() == Some(&Parameter::Flow));
        let starred = flow.filter(|flow| every_subflow || flow.ends_with("/*"));
        starred.map_or(Ok(()), |flow| self.each(flow, every_subflow, run))?;
        self.samples |= function.samples;
        if let Some(numbers) = known.filter(|_| self.certain && starred.is_none()) {
            let subflow =
                subflow.and_then(|subflow| if let Subflow::Is(r) = subflow { Some(r) } else { None });
            let (texts, at) = (texts.clone(), self.place.clone());
            self.needs.push((run, Need { function, texts, subflow, numbers, at }));
        }
        Ok(Code::Read { run, elsewhere, function, texts, subflow, numbers })
    }

    /// If a quantity needs a missing value of an axis, reports it at the expression that uses the quantity.
    fn unless_direct(&self, problem: Problem) -> Problem {
        if self.within.is_empty() { problem } else { problem.or_at(self.place.clone()) }
    }

    /// The position of a run among those to read.
    fn run(&mut self, here: &Selection<'_>) -> Result<usize, Problem> {
        let run = here.run().map_err(|problem| self.unless_direct(problem))?;
        let known = self.runs.iter().position(|other| *other == run);
        Ok(known.unwrap_or_else(|| {
            self.runs.push(run);
            self.runs.len() - 1
        }))
    }

    /// The selection of `axis = value` and `runs = NAME`, and the other arguments.
    fn named<'a, 's>(
        &self,
        arguments: &'a [Argument],
        here: &Selection<'s>,
    ) -> Result<(Option<Selection<'s>>, Vec<&'a Argument>), Problem> {
        let named = || arguments.iter().filter_map(Argument::named);
        let rest = arguments.iter().filter(|argument| argument.named().is_none()).collect();
        if named().next().is_none() {
            return Ok((None, rest));
        }
        let mut there = match named().find(|(name, _)| *name == "runs") {
            Some((_, runs)) => here.in_runs(runs)?,
            None => here.clone(),
        };
        for (axis, value) in named().filter(|(name, _)| *name != "runs") {
            there.set(axis, value)?;
        }
        Ok((Some(there), rest))
    }
}

fn not_an_at() -> Problem {
    Problem::new("write at(AXIS = VALUE, …, EXPRESSION), with `runs = NAME` for other runs")
}

/// The numbers of an axis's field that is a list.
fn list(expr: &Expr, here: &Selection<'_>) -> Option<Vec<f64>> {
    let Expr::Name(name, _) = expr else { return None };
    let (axis, field) = name.split_once('.')?;
    here.value(axis)?.field_numbers(field)
}

fn contains_itself(name: &str) -> Problem {
    Problem::new(format!("the quantity `{name}` refers to itself"))
}

/// The error for `*` in place of one flow.
fn several(name: &str) -> Problem {
    Problem::new(format!("`*` of \"{name}\" stands for several flows"))
        .help("put it into mean(…), sum(…), min(…) or max(…)")
}
