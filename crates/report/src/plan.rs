//! Names for all pages, anchors and data files, chosen before writing.

use crate::input::{Context, Results};
use crate::prose::Links;
use anabranch_advice::Advice;
use anabranch_cc::registry::{self, Entry, Kind};
use anabranch_papers::standard::AlgorithmResult;
use anabranch_study::{Experiment, Fidelity, Figure, Panel, Row, Run, StudyResult, VariantName, Wording};
use std::collections::BTreeSet;

/// The page of all algorithms.
pub const ALGORITHMS: &str = "algorithms.html";

/// The report's contents, named: a page for each.
pub struct Plan<'a> {
    pub context: &'a Context,
    pub papers: Vec<PaperPlan<'a>>,
    /// This project's own studies.
    pub own: Vec<PaperPlan<'a>>,
    /// Users' studies and sweeps.
    pub studies: Vec<PaperPlan<'a>>,
    pub advice: Vec<AdvicePlan<'a>>,
    /// All of the registry, in its order; beside users' studies and advice alone, those that were run.
    pub algorithms: Vec<AlgorithmPlan<'a>>,
}

/// The page of advice on a scenario.
pub struct AdvicePlan<'a> {
    pub advice: &'a Advice,
    /// "advice-two-paths.html".
    pub file: String,
}

/// An algorithm's page.
pub struct AlgorithmPlan<'a> {
    pub entry: &'static Entry,
    /// How it does in the standard cases, where that was run.
    pub result: Option<&'a AlgorithmResult>,
    /// "algorithm-lia.html".
    pub file: String,
}

/// A paper's page, or another study's.
pub struct PaperPlan<'a> {
    pub result: &'a StudyResult,
    /// "coupled-cubic.html".
    pub file: String,
    /// "data/coupled-cubic-rows.csv.gz".
    pub rows_csv: String,
    /// "data/coupled-cubic-backends.csv.gz".
    pub backends_csv: String,
    /// In the paper's order.
    pub experiments: Vec<ExperimentPlan<'a>>,
    pub wording: Wording,
    /// A user's study or sweep: its values come first.
    pub users: bool,
    /// Where its texts' references lead.
    pub links: Links,
}

/// A section of a paper's page.
pub struct ExperimentPlan<'a> {
    pub experiment: &'a Experiment,
    /// Its page: its own, or the study's where that has no other experiment.
    pub file: String,
    /// Its `id` in the page.
    pub anchor: String,
    /// The path of the commands that repeat its runs: "data/coupled-cubic-A-F5-runs.js".
    pub runs_part: String,
    /// Its rows with their `id` in the page.
    pub rows: Vec<(&'a Row, String)>,
    pub figures: Vec<FigurePlan<'a>>,
    /// The backends that stand beside the simulator.
    pub backends: Vec<BackendPlan<'a>>,
}

/// A backend beside the simulator, in an experiment.
pub struct BackendPlan<'a> {
    pub column: &'a VariantName,
    /// The `id` of its section of the page.
    pub anchor: String,
    /// The comparisons of scenarios that both ran.
    pub scenarios: Vec<&'a Fidelity>,
}

/// A figure of an experiment.
pub struct FigurePlan<'a> {
    pub figure: &'a Figure,
    /// Its `id` in the page.
    pub anchor: String,
    /// The path of its charts' values as tables: "data/coupled-cubic-A-F5.js".
    pub part: String,
    /// Its panels with the path of their values: "data/coupled-cubic-A-F5-1.csv", or of many values ".csv.gz".
    pub panels: Vec<(&'a Panel, String)>,
}

impl<'a> Plan<'a> {
    /// Names everything in `results`.
    pub fn new(results: &Results<'a>, context: &'a Context) -> Self {
        let mut pages = Names::taken(["index", "methods", "algorithms", "laboratory"]);
        let algorithms = registry::ALL.iter().map(|entry| AlgorithmPlan {
            entry,
            result: results.algorithms.iter().find(|result| result.algorithm == entry.name),
            file: format!("{}.html", pages.claim(&format!("algorithm-{}", entry.name))),
        });
        let mut algorithms: Vec<AlgorithmPlan<'_>> = algorithms.collect();
        if results.papers.is_empty() && (!results.studies.is_empty() || !results.advice.is_empty()) {
            let runs = || results.studies.iter().flat_map(|s| &s.experiments).flat_map(|e| &e.runs);
            let cases = results.advice.iter().flat_map(|advice| &advice.cases).map(|case| &case.cc);
            algorithms.retain(|a| {
                a.result.is_some()
                    || runs().any(|run| names(run, a.entry))
                    || cases.clone().any(|cc| cc == a.entry.name)
            });
        }
        let advice = results.advice.iter().map(|advice| AdvicePlan {
            advice,
            file: format!("{}.html", pages.claim(&format!("advice-{}", advice.scenario))),
        });
        let advice = advice.collect();
        let mut named = |of: &'a [StudyResult], users: bool| -> Vec<_> {
            of.iter().map(|result| PaperPlan::new(result, users, &mut pages)).collect()
        };
        let shipped = named(results.papers, false);
        let (own, papers) = shipped.into_iter().partition(|p| anabranch_papers::is_own(&p.result.name));
        Self { context, papers, own, studies: named(results.studies, true), advice, algorithms }
    }

    /// The papers, and then the studies.
    pub fn papers_and_studies(&self) -> impl Iterator<Item = &PaperPlan<'a>> {
        self.papers.iter().chain(&self.own).chain(&self.studies)
    }
}

impl AlgorithmPlan<'_> {
    /// The path of a fragment of its page: "data/algorithm-lia-values.js".
    pub fn part(&self, name: &str) -> String {
        format!("data/{}-{name}.js", self.file.trim_end_matches(".html"))
    }

    /// The path of a standard case's values over time: "data/algorithm-lia-alone-one.csv.gz".
    pub fn case_csv(&self, case: &str) -> String {
        format!("data/{}-{case}.csv.gz", self.file.trim_end_matches(".html"))
    }
}

impl<'a> PaperPlan<'a> {
    /// Whether its experiments have pages of their own.
    pub fn is_split(&self) -> bool {
        self.experiments.iter().any(|e| e.file != self.file)
    }

    fn new(result: &'a StudyResult, users: bool, pages: &mut Names) -> Self {
        let slug = pages.claim(&result.name);
        let mut anchors = Names::taken(["notes", "assumptions", "fidelity", "errata", "contents"]);
        let mut data = Names::taken(["rows", "backends"]);
        let is_split = result.experiments.len() > 1;
        let experiments = result.experiments.iter().map(|e| {
            let page = if is_split { pages.claim(&format!("{slug}-{}", e.id)) } else { slug.clone() };
            ExperimentPlan::new(e, &slug, page, &mut anchors, &mut data)
        });
        let experiments: Vec<_> = experiments.collect();
        let links = experiments.iter().flat_map(ExperimentPlan::links).collect();
        Self {
            result,
            users,
            links,
            file: format!("{slug}.html"),
            rows_csv: format!("data/{slug}-rows.csv.gz"),
            backends_csv: format!("data/{slug}-backends.csv.gz"),
            experiments,
            wording: anabranch_papers::wording(result),
        }
    }
}

/// Whether the algorithm is given to a flow, in the command or in the scenario; `--cc` replaces those of multipath flows.
pub fn names(run: &Run, algorithm: &Entry) -> bool {
    let name = algorithm.name;
    let replaces_all = |rest: &str| rest.split_whitespace().next().is_some_and(|cc| !cc.contains('='));
    let is_replaced =
        algorithm.kind == Kind::Coupled && run.command.split(" --cc ").skip(1).any(replaces_all);
    let text: String = run.text.chars().filter(|c| !matches!(c, ' ' | '\t')).collect();
    let begins_key = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric() || "_-.".contains(c));
    let given = format!("cc=\"{name}\"");
    let in_text = !is_replaced && text.match_indices(&given).any(|(at, _)| begins_key(at));
    let mut words = run.command.split(|c: char| c.is_whitespace() || "='\"".contains(c));
    in_text || words.any(|word| word == name)
}

/// Points beyond which a file of values is compressed.
const MANY_POINTS: usize = 150;

impl<'a> ExperimentPlan<'a> {
    fn new(
        experiment: &'a Experiment,
        paper: &str,
        page: String,
        anchors: &mut Names,
        data: &mut Names,
    ) -> Self {
        let anchor = anchors.claim(&experiment.id);
        let rows = experiment.rows.iter().map(|row| (row, anchors.claim(&row.id))).collect();
        let figures = experiment.figures.iter().map(|figure| {
            let panels = figure.panels.iter().enumerate().map(|(i, panel)| {
                let name = data.claim(&format!("{}-{}", figure.id, i + 1));
                let many = panel.series.iter().map(|s| s.points.len()).sum::<usize>() > MANY_POINTS;
                (panel, format!("data/{paper}-{name}.csv{}", if many { ".gz" } else { "" }))
            });
            let panels = panels.collect();
            let part = format!("data/{paper}-{}.js", data.claim(&figure.id));
            FigurePlan { figure, anchor: anchors.claim(&format!("figure-{}", figure.id)), part, panels }
        });
        let figures = figures.collect();
        let backends = experiment.variants.iter().filter_map(|column| {
            let there: Vec<_> = experiment.fidelity.iter().filter(|f| f.variant == column.id).collect();
            (!there.is_empty()).then(|| {
                let anchor = anchors.claim(&format!("{}-{}", experiment.id, column.id));
                BackendPlan { column, anchor, scenarios: there }
            })
        });
        let backends = backends.collect();
        let runs_part = format!("data/{paper}-{}.js", data.claim(&format!("{}-runs", experiment.id)));
        Self { experiment, file: format!("{page}.html"), anchor, runs_part, rows, figures, backends }
    }

    /// Its identifiers with their places.
    fn links(&self) -> impl Iterator<Item = (String, String)> {
        let rows = self.rows.iter().map(|(row, anchor)| (&row.id, anchor));
        let figures = self.figures.iter().map(|f| (&f.figure.id, &f.anchor));
        let all = rows.chain(figures).chain([(&self.experiment.id, &self.anchor)]);
        all.map(|(id, anchor)| (id.clone(), format!("{}#{anchor}", self.file)))
    }
}

/// Names that are safe in a path and a fragment, and differ even where case is ignored.
struct Names(BTreeSet<String>);

impl Names {
    fn taken<const N: usize>(names: [&str; N]) -> Self {
        Self(names.map(str::to_owned).into())
    }

    /// `wanted` with everything but ASCII letters, digits and `._-` replaced, made unique by a number.
    fn claim(&mut self, wanted: &str) -> String {
        let safe = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
        let slug: String = wanted.trim_start_matches('.').chars().map(safe).collect();
        let slug = if slug.is_empty() { "unnamed".to_owned() } else { slug };
        let mut name = slug.clone();
        let mut n = 1;
        while !self.0.insert(name.to_ascii_lowercase()) {
            n += 1;
            name = format!("{slug}-{n}");
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside_the_folder_and_differ() {
        let mut names = Names::taken(["index"]);
        assert_eq!(names.claim("coupled-cubic"), "coupled-cubic");
        assert_eq!(names.claim("Coupled-CUBIC"), "Coupled-CUBIC-2");
        assert_eq!(names.claim("index"), "index-2");
        assert_eq!(names.claim("../../etc/passwd"), "-..-etc-passwd");
        assert_eq!(names.claim(""), "unnamed");
        assert_eq!(names.claim("A-T1.α=1"), "A-T1.--1");
    }
}
