//! The commands that repeat a paper's result.

use anabranch_study::{Experiment, StudyResult, size};

/// One command; or one for each experiment if it is a subset of its paper, or runs on request, or if not all ran on the same
/// backends.
pub fn commands(result: &StudyResult) -> Vec<String> {
    let (paper, size) = (crate::find(&result.name), size::named(&result.size));
    let usual = paper.map_or(size.seeds(), |paper| paper.seeds(size));
    let options = size::options(size, result.seeds, usual);
    let variants = if result.without_variants { " --no-variants" } else { "" };
    let command = format!("anabranch paper {}{options}{variants}", result.name);
    let known = paper.map_or(&[][..], |paper| &paper.experiments[..]);
    let here = |id: &str| result.experiments.iter().find(|e| e.id == id);
    let plans: Vec<_> = known.iter().map(|d| (d.id(), d.plan(size))).collect();
    let own = || plans.iter().filter(|(_, plan)| !plan.on_request);
    // A command for a whole paper takes no other backend for what goes beyond it.
    let of_all = |asked: &[String]| {
        own()
            .all(|(id, plan)| here(id).is_some_and(|e| e.asked == asked || plan.beyond && e.asked.is_empty()))
    };
    let first = own().find(|(_, plan)| !plan.beyond).or(own().next());
    let asked = first.and_then(|(id, _)| here(id)).map_or(&[][..], |e| &e.asked);
    let whole = of_all(asked);
    let apart = plans.iter().filter(|(_, plan)| !whole || plan.on_request);
    let each = apart
        .filter_map(|(id, _)| here(id))
        .flat_map(|e: &Experiment| with_backends(&format!("{command} --only {}", e.id), &e.asked));
    let all = if whole { with_backends(&command, asked) } else { vec![] };
    all.into_iter().chain(each).collect()
}

/// The command for each of the backends: one has the simulator's runs, too.
fn with_backends(command: &str, asked: &[String]) -> Vec<String> {
    match asked {
        [] => vec![command.to_owned()],
        asked => asked.iter().map(|backend| format!("{command} --backend {backend}")).collect(),
    }
}
