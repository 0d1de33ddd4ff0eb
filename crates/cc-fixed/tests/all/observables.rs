//! What a monitor shows of the kernel's paths is what the reference shows.

use crate::idle::Run;
use crate::step_by_step;
use anabranch_cc::Ack;
use anabranch_cc_fixed::registry;
use anabranch_cc_fixed::shared::PATHS;

/// Losses, marks, timeouts and undone ones on two paths. Rates and windows are known within 1e-3 there: see `lockstep.rs`.
#[test]
fn observables_are_the_references() {
    for kernel in registry::all() {
        let name = kernel.reference.name;
        let mut run = Run::new([name, kernel.entry.name].map(step_by_step), 1);
        for i in 0..600 {
            run.anything(i % 2);
            for (r, observable) in
                [0, 1].into_iter().flat_map(|r| kernel.reference.observables.iter().map(move |o| (r, o.name)))
            {
                let [reference, ours] = run.groups.each_ref().map(|group| group.see(r, observable));
                let close = (ours - reference).abs() <= 1e-3 * reference.abs() + 1e-6;
                assert!(
                    close || ours.is_nan() && reference.is_nan(),
                    "{name}, event {i}, path {r}: {observable} is {ours}, the reference's {reference}"
                );
            }
        }
    }
}

/// It is from a table: 1/n^2 on each of n paths.
#[test]
fn ewtcp_has_a_share_for_each_number_of_paths() {
    let mut ewtcp = step_by_step("ewtcp@kernel");
    for n in 1..=PATHS {
        let r = ewtcp.add_path(0.1, 10.0);
        ewtcp.on_ack(r, &Ack::of(0.0, 0.0, 0.1));
        let share = ewtcp.see(r, "share");
        assert!((share * (n * n) as f64 - 1.0).abs() < 1e-9, "{n}: {share}");
    }
}
