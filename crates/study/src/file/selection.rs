//! Values of axes: what a row or a figure is about.

use super::axes::{Axis, AxisValue, written};
use super::build::Built;
use super::compile::{constant, contains_itself};
use super::error::Problem;
use super::runs::Runs;
use super::template::{fill, with_texts};
use crate::Size;
use anabranch_scenario::suggest;
use std::collections::{BTreeSet, HashMap};

/// Values of some of the axes of a group of runs, and of the file's own.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    /// None where no run is read.
    group: Option<usize>,
    /// One for each axis of the group, and then one for each of the file's.
    values: Vec<Option<usize>>,
    /// Of axes without a value here those that are meant, in their order; all where there is no list.
    kept: Vec<Option<Vec<usize>>>,
    pub size: Size,
    /// The quantities in whose texts places are being filled, so that none contains itself.
    pub within: Vec<String>,
}

/// Beyond that a study is a mistake, or wants to be several.
const MAX_SELECTIONS: usize = 100_000;

/// Quantities in the places of quantities: deeper ones would need more stack than a thread may have.
const MAX_WITHIN: usize = 20;

impl Selection {
    /// No axis has a value yet, but those with one value only.
    pub fn open(built: &Built, group: Option<usize>) -> Self {
        let size = Size::Default;
        let mut open = Selection { group, values: vec![], kept: vec![], size, within: vec![] };
        open.values = open.all(built).map(|axis| (axis.values.len() == 1).then_some(0)).collect();
        open.kept = vec![None; open.values.len()];
        open
    }

    /// A point of a group in a size: every axis has a value.
    pub fn of_point(built: &Built, group: usize, point: &[usize], size: Size) -> Self {
        let mut whole = Selection::open(built, Some(group)).sized(size);
        whole.values.iter_mut().zip(point).for_each(|(value, i)| *value = Some(*i));
        whole
    }

    /// The same in that size.
    pub fn sized(self, size: Size) -> Self {
        Selection { size, ..self }
    }

    /// The same while those quantities are being read.
    pub fn within(self, within: &[String]) -> Self {
        Selection { within: within.to_vec(), ..self }
    }

    /// No axis has a value yet, not even one that has only one.
    pub fn blank(built: &Built, group: usize) -> Self {
        let mut blank = Selection::open(built, Some(group));
        blank.values.fill(None);
        blank
    }

    /// The group whose runs are read.
    pub fn group(&self, built: &Built) -> Result<usize, Problem> {
        self.group.map_or_else(|| built.group_or_only(None), Ok)
    }

    /// The same values of axes with the same names in another group.
    pub fn in_group(&self, built: &Built, group: Option<usize>) -> Self {
        let mut there = Selection::open(built, group).sized(self.size).within(&self.within);
        let same: Vec<Option<usize>> = there
            .all(built)
            .map(|axis| self.value(built, &axis.name).and_then(|here| axis.find(&here.id)))
            .collect();
        there.values.iter_mut().zip(same).for_each(|(value, same)| *value = same.or(*value));
        there
    }

    /// The group's axes, and the file's.
    fn all<'a>(&self, built: &'a Built) -> impl Iterator<Item = &'a Axis> + use<'a> {
        self.group.map_or(&[][..], |group| &built.groups[group].axes).iter().chain(&built.axes)
    }

    /// Where an axis is among all: the group's comes before the file's of the same name.
    fn position(&self, built: &Built, name: &str) -> Result<usize, Problem> {
        self.all(built).position(|axis| axis.name == name).ok_or_else(|| {
            let message = match self.group {
                Some(group) => format!("`{name}` is no axis of runs `{}`", built.groups[group].name),
                None => format!("`{name}` is no axis of this file"),
            };
            Problem::new(message).help(suggest(name, self.axes(built)))
        })
    }

    /// The axis of that name.
    pub fn axis<'a>(&self, built: &'a Built, name: &str) -> Result<&'a Axis, Problem> {
        let i = self.position(built, name)?;
        self.all(built).nth(i).ok_or_else(|| Problem::new("no such axis"))
    }

    /// The axis that has all these values.
    pub fn axis_with<'a>(&self, built: &'a Built, values: &[&String]) -> Result<&'a Axis, Problem> {
        let has = |axis: &&Axis| values.iter().all(|value| axis.find(value).is_some());
        self.all(built).find(has).ok_or_else(|| {
            let values: Vec<&str> = values.iter().map(|value| value.as_str()).collect();
            Problem::new(format!("no axis has the values {}", values.join(", ")))
        })
    }

    /// Gives an axis a value.
    pub fn set(&mut self, built: &Built, axis: &str, value: &str) -> Result<(), Problem> {
        let i = self.position(built, axis)?;
        self.values[i] = Some(self.axis(built, axis)?.index(value)?);
        Ok(())
    }

    /// Without a value of an axis.
    pub fn clear(&mut self, built: &Built, axis: &str) -> Result<(), Problem> {
        let i = self.position(built, axis)?;
        self.values[i] = None;
        Ok(())
    }

    /// Keeps these values of an axis only; a single one is its value.
    pub fn keep(&mut self, built: &Built, axis: &str, ids: &[String]) -> Result<(), Problem> {
        let (i, axis) = (self.position(built, axis)?, self.axis(built, axis)?);
        let kept: Vec<usize> = ids.iter().map(|id| axis.index(id)).collect::<Result<_, _>>()?;
        match kept[..] {
            [only] => self.values[i] = Some(only),
            _ => (self.values[i], self.kept[i]) = (None, Some(kept)),
        }
        Ok(())
    }

    /// The value of an axis, if it has one here.
    pub fn value<'a>(&self, built: &'a Built, axis: &str) -> Option<&'a AxisValue> {
        let i = self.all(built).position(|known| known.name == axis)?;
        self.all(built).nth(i)?.values.get(self.values[i]?)
    }

    /// The names of its axes.
    pub fn axes<'a>(&self, built: &'a Built) -> impl Iterator<Item = &'a str> + use<'a> {
        self.all(built).map(|axis| axis.name.as_str())
    }

    /// The values of the group's axes.
    fn own(&self, group: &Runs) -> &[Option<usize>] {
        &self.values[..group.axes.len()]
    }

    /// The point where every axis of the group has a value.
    pub fn point(&self, built: &Built) -> Result<usize, Problem> {
        let group = &built.groups[self.group(built)?];
        let own = self.own(group);
        let whole: Option<Vec<usize>> = own.iter().copied().collect();
        if let Some(whole) = whole {
            let impossible = || Problem::new("axes that go together have no such values in common");
            return group.index.get(&whole).copied().ok_or_else(impossible);
        }
        let mut fitting = self.points(built);
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => Ok(only),
            (None, _) => Err(Problem::new("axes that go together have no such values in common")),
            (Some(_), Some(_)) => {
                let open = group.axes.iter().zip(own).find(|(_, value)| value.is_none());
                let open = open.map_or("", |(axis, _)| &axis.name);
                Err(Problem::new(format!("which value of axis `{open}` is meant?")).help(format!(
                    "name it in the identifier, `{{{open}}}`, or give it: at = {{ {open} = … }}"
                )))
            }
        }
    }

    /// What `{axis}` or `{axis.field}` stands for.
    pub fn text(&self, built: &Built, name: &str) -> Option<String> {
        let (axis, field) = name.split_once('.').map_or((name, None), |(axis, field)| (axis, Some(field)));
        self.value(built, axis)?.field(field)
    }

    /// The number that a quantity without runs has here, as a text.
    fn number(&self, built: &Built, name: &str) -> Result<Option<String>, Problem> {
        let Some(quantity) = built.quantities.get(name) else { return Ok(None) };
        if self.within.iter().any(|outer| outer == name) {
            return Err(contains_itself(name).or_at(quantity.span()));
        }
        if self.within.len() == MAX_WITHIN {
            return Err(Problem::at(quantity.span(), "with its quantities this expression is too long"));
        }
        let mut inside = self.clone();
        inside.within.push(name.to_owned());
        constant(built, quantity, &inside).map(|number| Some(number.to_string()))
    }

    /// A text with the values in their places.
    pub fn fill(&self, built: &Built, text: &str) -> Result<String, Problem> {
        let text = with_texts(text, &built.texts)?;
        let value = |name: &str| {
            self.text(built, name).map_or_else(|| self.number(built, name), |text| Ok(Some(text)))
        };
        fill(&text, &value, &self.axes(built).collect::<Vec<_>>())
    }

    /// The fields of each value that it has, by the axis and their own name.
    pub fn fields(&self, built: &Built) -> Vec<(String, String)> {
        let values =
            self.all(built).zip(&self.values).filter_map(|(axis, i)| Some((axis, &axis.values[(*i)?])));
        let fields = |(axis, value): (&Axis, &AxisValue)| {
            let each =
                value.fields.iter().map(|(field, own)| (format!("{}.{field}", axis.name), written(own)));
            each.collect::<Vec<_>>()
        };
        values.flat_map(fields).collect()
    }

    /// Every selection that gives these axes values beside its own, of which there are runs.
    pub fn each(&self, built: &Built, axes: &[&str]) -> Result<Vec<Selection>, Problem> {
        // Axes that go together have not every pair: of those already taken, in their order, the points say what may follow.
        let sparse =
            self.group.map(|group| &built.groups[group]).filter(|group| !group.is_crossed(self.size));
        let points: Vec<&[usize]> = match sparse {
            Some(group) => self.points(built).map(|i| &group.points[i][..]).collect(),
            None => vec![],
        };
        if sparse.is_some() && points.is_empty() {
            return Ok(vec![]);
        }
        let mut all = vec![self.clone()];
        let mut taken: Vec<usize> = Vec::new();
        for name in axes {
            let (i, values) = (self.position(built, name)?, self.axis(built, name)?.values.len());
            let of_group = sparse.is_some_and(|group| i < group.axes.len());
            let chosen = |values: &[usize]| taken.iter().map(|axis| values[*axis]).collect::<Vec<usize>>();
            let mut follow: HashMap<Vec<usize>, BTreeSet<usize>> = HashMap::new();
            for point in points.iter().filter(|_| of_group) {
                follow.entry(chosen(point)).or_default().insert(point[i]);
            }
            let mut next = Vec::new();
            for here in &all {
                let mut values: Vec<usize> = match (here.values[i], &here.kept[i]) {
                    (Some(fixed), _) => vec![fixed],
                    (None, Some(kept)) => kept.clone(),
                    (None, None) => (0..values).collect(),
                };
                if of_group {
                    let before: Vec<usize> = taken.iter().filter_map(|axis| here.values[*axis]).collect();
                    let possible = follow.get(&before);
                    values.retain(|value| possible.is_some_and(|possible| possible.contains(value)));
                }
                if next.len() + values.len() > MAX_SELECTIONS {
                    let message =
                        format!("more than {MAX_SELECTIONS} combinations of values of {}", axes.join(", "));
                    return Err(Problem::new(message).help("name fewer axes, or give them fewer values"));
                }
                next.extend(values.into_iter().map(|value| {
                    let mut here = here.clone();
                    here.values[i] = Some(value);
                    here
                }));
            }
            all = next;
            taken.extend(of_group.then_some(i));
        }
        Ok(all)
    }

    /// With a point's values of these axes of the group.
    pub fn at_point(&self, built: &Built, point: usize, axes: &[&str]) -> Result<Self, Problem> {
        let group = &built.groups[self.group(built)?];
        let mut there = self.clone();
        for name in axes {
            let i = group.axes.iter().position(|axis| axis.name == *name);
            let none = || Problem::new(format!("`{name}` is no axis of runs `{}`", group.name));
            let i = i.ok_or_else(|| none().help(suggest(name, self.axes(built))))?;
            there.values[i] = Some(group.points[point][i]);
        }
        Ok(there)
    }

    /// The points that have its values, of those that are run in its size.
    pub fn points<'a>(&'a self, built: &'a Built) -> impl Iterator<Item = usize> + 'a {
        let group = self.group.map(|group| &built.groups[group]);
        let each = group.into_iter().flat_map(|group| {
            let only = group.only(self.size);
            let count = only.map_or(group.points.len(), <[usize]>::len);
            (0..count).map(move |i| only.map_or(i, |only| only[i])).map(|i| (i, &group.points[i]))
        });
        let fits =
            |point: &[usize]| point.iter().zip(&self.values).all(|(i, value)| value.is_none_or(|v| v == *i));
        each.filter(move |(_, point)| fits(point)).map(|(i, _)| i)
    }
}
