//! The input of a report: results, and facts about the run.

use anabranch_advice::Advice;
use anabranch_papers::standard::AlgorithmResult;
use anabranch_study::StudyResult;

/// Facts about the run as a whole, provided by the caller.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// The version that wrote the report.
    pub version: String,
    /// The command that reproduces everything: "make reproduce".
    pub command: String,
    /// The day on which it was written: "2026-11-26".
    pub date: Option<String>,
    /// The commit of the program's source, if known.
    pub commit: Option<String>,
    /// The machine, if it should be shown.
    pub machine: Option<String>,
    /// Further remarks for the overview.
    pub notes: Vec<String>,
    /// The laboratory page, if available.
    pub laboratory: Option<String>,
    /// Whether the command is still running: results of the quick size are provisional, and pages reload.
    pub running: bool,
}

/// The results to report.
#[derive(Clone, Copy, Debug, Default)]
pub struct Results<'a> {
    /// The shipped papers.
    pub papers: &'a [StudyResult],
    /// Users' studies and sweeps, counted separately.
    pub studies: &'a [StudyResult],
    /// Advice on scenarios.
    pub advice: &'a [Advice],
    /// Algorithms in the standard cases.
    pub algorithms: &'a [AlgorithmResult],
}
