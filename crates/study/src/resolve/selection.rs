//! Selections: the values of axes for a row or figure.

use super::axes::{Axis, AxisValue, MAX_POINTS};
use super::group::Group;
use super::network::Network;
use super::resolved::Resolved;
use crate::parse::Problem;
use crate::size::Size;
use std::collections::{BTreeSet, HashMap};

/// Values of some of the axes of a group of runs, and of the file's own.
#[derive(Clone)]
pub(crate) struct Selection<'a> {
    pub study: &'a Resolved,
    pub at: Values,
    /// The chosen values of axes without a fixed value, in order; all without a list.
    kept: Vec<Option<Vec<usize>>>,
    pub size: Size,
    /// The quantities whose texts are being filled, to detect recursion.
    pub within: Vec<String>,
}

/// The values themselves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    /// `None` if no run is read.
    group: Option<usize>,
    /// One for each axis of the group, and then one for each of the file's.
    each: Vec<Option<usize>>,
}

impl<'a> Selection<'a> {
    pub fn of(study: &'a Resolved, at: Values) -> Self {
        let kept = vec![None; at.each.len()];
        Selection { study, at, kept, size: Size::Default, within: vec![] }
    }

    /// A selection in which only single-valued axes have values.
    pub fn open(study: &'a Resolved, group: Option<usize>) -> Self {
        let axes = Selection::of(study, Values { group, each: vec![] }).all();
        let each = axes.map(|axis| (axis.values.len() == 1).then_some(0)).collect();
        Selection::of(study, Values { group, each })
    }

    /// A point of a group in a size: every axis has a value.
    pub fn of_point(study: &'a Resolved, (group, point): (usize, usize), size: Size) -> Self {
        let mut whole = Selection::open(study, Some(group)).sized(size);
        let point = &study.groups[group].points[point];
        whole.at.each.iter_mut().zip(point).for_each(|(value, i)| *value = Some(*i));
        whole
    }

    pub fn sized(self, size: Size) -> Self {
        Selection { size, ..self }
    }

    /// The selection while these quantities are compiled.
    pub fn within(self, within: &[String]) -> Self {
        Selection { within: within.to_vec(), ..self }
    }

    /// A selection without any values.
    pub fn blank(study: &'a Resolved, group: usize) -> Self {
        let mut blank = Selection::open(study, Some(group));
        blank.at.each.fill(None);
        blank
    }

    /// The group whose runs are read.
    pub fn group(&self) -> Result<usize, Problem> {
        self.at.group.map_or_else(|| self.study.group_or_only(None), Ok)
    }

    /// The same.
    pub fn runs(&self) -> Result<&'a Group, Problem> {
        self.group().map(|group| &self.study.groups[group])
    }

    /// The scenario that these values choose.
    pub fn network(&self) -> Result<&'a Network, Problem> {
        let group = self.runs()?;
        match &group.files[..] {
            [only] => Ok(only),
            files => self.point().map(|point| &files[group.file_of[point]]),
        }
    }

    /// The same values of axes with the same names in another group.
    pub fn in_group(&self, group: Option<usize>) -> Self {
        let mut there = Selection::open(self.study, group).sized(self.size).within(&self.within);
        let same = |axis: &Axis| self.value(&axis.name).and_then(|here| axis.find(&here.id));
        let same: Vec<Option<usize>> = there.all().map(same).collect();
        there.at.each.iter_mut().zip(same).for_each(|(value, same)| *value = same.or(*value));
        there
    }

    /// The selection in the runs of that name.
    pub fn in_runs(&self, name: &str) -> Result<Self, Problem> {
        Ok(self.in_group(Some(self.study.group(name)?)))
    }

    /// The group's axes, and the file's.
    fn all(&self) -> impl Iterator<Item = &'a Axis> + use<'a> {
        let study = self.study;
        self.at.group.map_or(&[][..], |group| &study.groups[group].axes).iter().chain(&study.axes)
    }

    /// The axis of that name, and its index: the group's axes precede the file's.
    fn position(&self, name: &str) -> Result<(usize, &'a Axis), Problem> {
        self.all().enumerate().find(|(_, axis)| axis.name == name).ok_or_else(|| {
            let message = match self.at.group {
                Some(group) => format!("`{name}` is not an axis of runs `{}`", self.study.groups[group].name),
                None => format!("`{name}` is not an axis of this file"),
            };
            Problem::new(message).suggest(name, self.axes())
        })
    }

    pub fn axis(&self, name: &str) -> Result<&'a Axis, Problem> {
        self.position(name).map(|(_, axis)| axis)
    }

    /// The entry of a table by an axis's value; `None` if it lacks the value. The table may have values that the command line left out.
    pub fn chosen<V>(
        &self,
        keys: &[&String],
        get: impl FnOnce(&str) -> Option<V>,
    ) -> Result<Option<V>, Problem> {
        let has = |axis: &&Axis| keys.iter().all(|id| axis.find(id).is_some() || axis.left_out.contains(id));
        let axis = self.all().find(has).ok_or_else(|| {
            let values: Vec<&str> = keys.iter().map(|value| value.as_str()).collect();
            Problem::new(format!("no axis has the values {}", values.join(", ")))
        })?;
        Ok(self.value(&axis.name).and_then(|value| get(&value.id)))
    }

    pub fn set(&mut self, axis: &str, value: &str) -> Result<(), Problem> {
        let (i, axis) = self.position(axis)?;
        self.at.each[i] = Some(axis.index(value)?);
        Ok(())
    }

    /// Without a value of an axis.
    pub fn clear(&mut self, axis: &str) -> Result<(), Problem> {
        let (i, _) = self.position(axis)?;
        self.at.each[i] = None;
        Ok(())
    }

    /// Restricts an axis to these values; a single one becomes its value.
    pub fn keep(&mut self, axis: &str, ids: &[String]) -> Result<(), Problem> {
        let (i, axis) = self.position(axis)?;
        let kept: Vec<usize> = ids.iter().map(|id| axis.index(id)).collect::<Result<_, _>>()?;
        match kept[..] {
            [only] => self.at.each[i] = Some(only),
            _ => (self.at.each[i], self.kept[i]) = (None, Some(kept)),
        }
        Ok(())
    }

    /// The value of an axis, if it has one here.
    pub fn value(&self, axis: &str) -> Option<&'a AxisValue> {
        let (axis, i) = self.all().zip(&self.at.each).find(|(known, _)| known.name == axis)?;
        axis.values.get((*i)?)
    }

    /// The names of its axes.
    pub fn axes(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.all().map(|axis| axis.name.as_str())
    }

    /// The point where every axis of the group has a value.
    pub fn point(&self) -> Result<usize, Problem> {
        let group = self.runs()?;
        let own = &self.at.each[..group.axes.len()];
        let impossible = || Problem::new("the axes vary together and never have these values at once");
        let whole: Option<Vec<usize>> = own.iter().copied().collect();
        if let Some(whole) = whole {
            return group.index.get(&whole).copied().ok_or_else(impossible);
        }
        let mut fitting = self.points();
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => Ok(only),
            (None, _) => Err(impossible()),
            (Some(_), Some(_)) => {
                let open = group.axes.iter().zip(own).find(|(_, value)| value.is_none());
                let open = open.map_or("", |(axis, _)| &axis.name);
                Err(Problem::new(format!("axis `{open}` has several values: choose one")).help(format!(
                    "name it in the identifier, `{{{open}}}`, or choose a value: at = {{ {open} = … }}"
                )))
            }
        }
    }

    /// The group and the point; an error if its size does not run the point.
    pub fn run(&self) -> Result<(usize, usize), Problem> {
        let (group, point) = (self.group()?, self.point()?);
        let of = &self.study.groups[group];
        if of.runs(self.size, point) {
            return Ok((group, point));
        }
        let values = of.axes.iter().zip(&of.points[point]);
        let values: Vec<_> =
            values.map(|(axis, i)| format!("{} = {}", axis.name, axis.values[*i].id)).collect();
        let (values, size) = (values.join(", "), self.size.name());
        Err(Problem::new(format!("the {size} size does not run {values}: `only` leaves it out"))
            .help("read a point that is run, or add this one to `only`"))
    }

    /// The value of `{axis}` or `{axis.field}`.
    pub fn text(&self, name: &str) -> Option<String> {
        let (axis, field) = name.split_once('.').map_or((name, None), |(axis, field)| (axis, Some(field)));
        self.value(axis)?.field(field)
    }

    /// Every selection with values for these axes that has runs.
    pub fn each(&self, axes: &[&str]) -> Result<Vec<Self>, Problem> {
        // Zipped axes do not have every pair: the points determine the possible values.
        let group = self.at.group.map(|group| &self.study.groups[group]);
        let sparse = group.filter(|group| !group.is_crossed(self.size));
        let points: Vec<&[usize]> = match sparse {
            Some(group) => self.points().map(|i| &group.points[i][..]).collect(),
            None => vec![],
        };
        if sparse.is_some() && points.is_empty() {
            return Ok(vec![]);
        }
        let mut all = vec![self.clone()];
        let mut taken: Vec<usize> = Vec::new();
        for name in axes {
            let (i, axis) = self.position(name)?;
            let of_group = sparse.is_some_and(|group| i < group.axes.len());
            let chosen = |values: &[usize]| taken.iter().map(|axis| values[*axis]).collect::<Vec<usize>>();
            let mut follow: HashMap<Vec<usize>, BTreeSet<usize>> = HashMap::new();
            for point in points.iter().filter(|_| of_group) {
                follow.entry(chosen(point)).or_default().insert(point[i]);
            }
            let mut next = Vec::new();
            for here in &all {
                let mut values: Vec<usize> = match (here.at.each[i], &here.kept[i]) {
                    (Some(fixed), _) => vec![fixed],
                    (None, Some(kept)) => kept.clone(),
                    (None, None) => (0..axis.values.len()).collect(),
                };
                if of_group {
                    let before: Vec<usize> = taken.iter().filter_map(|axis| here.at.each[*axis]).collect();
                    let possible = follow.get(&before);
                    values.retain(|value| possible.is_some_and(|possible| possible.contains(value)));
                }
                if next.len() + values.len() > MAX_POINTS {
                    let of = axes.join(", ");
                    let message = format!("more than {MAX_POINTS} combinations of the values of {of}");
                    return Err(Problem::new(message).help("name fewer axes, or give them fewer values"));
                }
                next.extend(values.into_iter().map(|value| {
                    let mut here = here.clone();
                    here.at.each[i] = Some(value);
                    here
                }));
            }
            all = next;
            taken.extend(of_group.then_some(i));
        }
        Ok(all)
    }

    /// The selection with a point's values of these axes.
    pub fn at_point(&self, point: usize, axes: &[&str]) -> Result<Self, Problem> {
        let group = self.runs()?;
        let mut there = self.clone();
        for name in axes {
            let i = group.axes.iter().position(|axis| axis.name == *name);
            let none = || Problem::new(format!("`{name}` is not an axis of runs `{}`", group.name));
            let i = i.ok_or_else(|| none().suggest(name, self.axes()))?;
            there.at.each[i] = Some(group.points[point][i]);
        }
        Ok(there)
    }

    /// Whether a point with its values is run in its size.
    pub fn has_point(&self) -> bool {
        let Some(group) = self.at.group.map(|group| &self.study.groups[group]) else { return false };
        let whole: Option<Vec<usize>> = self.at.each[..group.axes.len()].iter().copied().collect();
        match whole {
            Some(whole) => group.index.get(&whole).is_some_and(|point| group.runs(self.size, *point)),
            None => group.is_crossed(self.size) || self.points().next().is_some(),
        }
    }

    /// The points with its values, among those run in its size.
    pub fn points(&self) -> impl Iterator<Item = usize> {
        let each = self.at.group.map(|group| &self.study.groups[group]).into_iter().flat_map(|group| {
            let only = group.only(self.size);
            let count = only.map_or(group.points.len(), <[usize]>::len);
            (0..count).map(move |i| only.map_or(i, |only| only[i])).map(|i| (i, &group.points[i]))
        });
        let fits =
            |point: &[usize]| point.iter().zip(&self.at.each).all(|(i, value)| value.is_none_or(|v| v == *i));
        each.filter(move |(_, point)| fits(point)).map(|(i, _)| i)
    }
}
