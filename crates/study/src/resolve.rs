//! Resolves a study's names: reads scenarios, enumerates points of axes, and compiles expressions to code over runs.

pub(crate) mod axes;
pub(crate) mod chosen_values;
pub(crate) mod code;
pub(crate) mod compile;
mod group;
pub(crate) mod network;
mod points;
pub(crate) mod resolved;
pub(crate) mod selection;
mod setups;
pub(crate) mod signature;
mod star;
pub(crate) mod sweep;

use crate::key::Key;
use crate::parse::spec::File;
use crate::parse::template::{check_texts, named, places};
use crate::parse::{FileError, OrAt, Problem, keys};
use crate::size::Size;
use axes::{Axis, AxisSubset, parts};
use compile::expression;
use group::Group;
use network::Scenarios;
use resolved::Resolved;
use selection::Selection;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::ops::Range;
use sweep::{replaces, sets_cc_of};

impl Resolved {
    /// Resolves a file's runs, axes, quantities, texts and sizes.
    pub fn of(
        file: &mut File,
        (name, text): (&str, &str),
        scenarios: Scenarios<'_>,
        of: &[AxisSubset],
    ) -> Result<Self, Problem> {
        let axes = file.axes.iter().map(|(name, axis)| Axis::read(name, axis, &[]));
        let axes = axes.collect::<Result<Vec<_>, _>>()?;
        let groups = std::mem::take(&mut file.runs).into_iter();
        let groups =
            groups.map(|(name, spec)| Group::read(&name, spec, &axes, &file.quantities, scenarios, of));
        let groups = groups.collect::<Result<Vec<_>, _>>()?;
        let axes = parts(&axes, &Vec::from_iter(0..axes.len()), of)?;
        let every = axes.iter().chain(groups.iter().flat_map(|group| &group.axes));
        of.iter().try_for_each(|part| has(every.clone(), part))?;
        let files = groups.iter().flat_map(|group| &group.files).map(|network| &*network.file.text);
        let part =
            of.iter().flat_map(|(axis, values)| std::iter::once(axis).chain(values)).map(String::as_str);
        let texts = std::iter::once(text).chain(files).chain(part);
        let digests: Vec<u8> = texts.flat_map(|text| Sha256::digest(text.as_bytes())).collect();
        keys::sizes(file)?;
        for (name, quantity) in &file.quantities {
            named(name, "a quantity").or_at(quantity.span())?;
        }
        for quantity in file.quantities.values().filter(|quantity| places(quantity).is_empty()) {
            expression(quantity)?;
        }
        check_texts(&file.texts)?;
        let resolved = Resolved {
            groups,
            axes,
            quantities: std::mem::take(&mut file.quantities),
            texts: std::mem::take(&mut file.texts),
            sizes: std::mem::take(&mut file.size),
            lines: std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect(),
            source: (name.to_owned(), text.to_owned()),
            hash: Key::sum(&digests).to_string(),
        };
        resolved.try_each_key()?;
        resolved.try_each_value()?;
        // A part of the points may leave out those where the key has an effect.
        if of.is_empty() {
            resolved.try_each_cc()?;
        }
        Ok(resolved)
    }

    /// Checks that no runs set a key that one of their axes sets again at every point.
    fn try_each_key(&self) -> Result<(), Problem> {
        for group in &self.groups {
            let mut set: Vec<(&String, Range<usize>)> =
                group.spec.set.iter().map(|(key, value)| (key, value.span())).collect();
            for axis in &group.axes {
                let at = group.spec.vary[&axis.name].span();
                let replaced = |by: &String| set.iter().find(|(key, _)| replaces(by, key));
                if let Some((key, at)) = axis.key.as_ref().and_then(replaced) {
                    let message =
                        format!("the axis `{}` replaces the value of `{key}`: leave one out", axis.name);
                    return Err(Problem::at(at.clone(), message));
                }
                let of_values = axis.values.iter().filter_map(|value| value.set()).flat_map(|set| set.keys());
                set.extend(of_values.chain(&axis.key).map(|key| (key, at.clone())));
            }
        }
        Ok(())
    }

    /// Checks that no runs set an algorithm that their `cc` replaces at every point.
    fn try_each_cc(&self) -> Result<(), Problem> {
        for (g, group) in self.groups.iter().enumerate() {
            let Some(cc) = &group.spec.cc else { continue };
            let of_runs = group.spec.set.iter().map(|(key, value)| (key, value.span()));
            let of_axes = group.axes.iter().flat_map(|axis| {
                let own = axis.values.iter().filter_map(|value| value.set()).flat_map(|set| set.keys());
                own.chain(&axis.key).map(|key| (key, group.spec.vary[&axis.name].span()))
            });
            for (key, at) in of_runs.chain(of_axes) {
                let replaced = (0..group.points.len()).all(|point| {
                    let scenario = &group.files[group.file_of[point]].scenario;
                    let cc = Selection::of_point(self, (g, point), Size::Default).filled(cc);
                    cc.is_ok_and(|cc| sets_cc_of(key, &[cc], scenario))
                });
                let message = format!("`cc` replaces the value of `{key}`: leave one out");
                Problem::at(at, message).unless(!replaced)?;
            }
        }
        Ok(())
    }

    /// The problem, with its position, if a point's scenario is invalid in that size.
    pub fn no_scenario(&self, point: (usize, usize), size: Size) -> Option<FileError> {
        let at = self.groups[point.0].spec.scenario.span();
        Some(self.error(Selection::of_point(self, point, size).no_scenario(at)?))
    }

    /// Checks that names of runs' axes have no other use, which `taken` describes.
    pub fn axes_beside(&self, taken: impl Fn(&Group, &Axis) -> Option<String>) -> Result<(), Problem> {
        let axes = self.groups.iter().flat_map(|group| group.axes.iter().map(move |axis| (group, axis)));
        axes.into_iter().try_for_each(|(group, axis)| {
            let Some(why) = taken(group, axis) else { return Ok(()) };
            let message = format!("an axis cannot be called `{}`", axis.name);
            Err(group.spec.vary[&axis.name].problem(message).help(why))
        })
    }

    /// Checks the scenario of each value of each axis, with the first values of the others, so that mistakes show before anything
    /// runs.
    fn try_each_value(&self) -> Result<(), Problem> {
        for (g, group) in self.groups.iter().enumerate() {
            let attempt = |point: usize, at| {
                let here = Selection::of_point(self, (g, point), Size::Default);
                here.no_scenario(at).map_or(Ok(()), Err)
            };
            attempt(0, group.spec.scenario.span())?;
            for (i, axis) in group.axes.iter().enumerate() {
                let mut first = vec![None; axis.values.len()];
                for (at, point) in group.points.iter().enumerate().rev() {
                    first[point[i]] = Some(at);
                }
                for point in first.into_iter().skip(1).flatten() {
                    attempt(point, group.spec.vary[&axis.name].span())?;
                }
            }
        }
        Ok(())
    }
}

/// Checks that the axis and these values exist.
fn has<'a>(axes: impl Iterator<Item = &'a Axis> + Clone, (name, values): &AxisSubset) -> Result<(), Problem> {
    let of_name = || axes.clone().filter(|axis| axis.name == *name);
    if of_name().next().is_none() {
        let known: BTreeSet<&str> = axes.map(|axis| axis.name.as_str()).collect();
        return Err(Problem::new(format!("there is no axis `{name}`")).suggest(name, known));
    }
    let known =
        |value: &String| of_name().any(|axis| axis.find(value).is_some() || axis.left_out.contains(value));
    match values.iter().find(|value| !known(value)) {
        Some(value) => Err(Problem::new(format!("axis `{name}` has no value `{value}`"))),
        None => Ok(()),
    }
}
