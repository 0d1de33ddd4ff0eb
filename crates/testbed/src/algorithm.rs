//! Maps a scenario's congestion control to the kernel's.

use crate::TestbedError;
use anabranch_cc_fixed::registry::{self, KernelEntry};
use anabranch_mptcp_bpf::{Private, available};
use anabranch_scenario::{Flow, suggest};

/// The kernel's own algorithms that match the simulator's. Its `bbr` does not: it is version 1, the simulator's is version 3.
const OWN: [&str; 2] = ["reno", "cubic"];

/// The name of the uncoupled algorithm, and the parameter with its single-path algorithm. The kernel runs every algorithm of
/// its own so.
const UNCOUPLED: &str = "uncoupled";
const OVER: &str = "over";

/// The algorithms of a run's flows. Programs of ours stay loaded until this is dropped.
pub struct Algorithms {
    of_flows: Vec<Requirement>,
    /// The loaded programs, each once.
    pub programs: Vec<Private>,
}

/// The algorithm that a flow needs.
enum Requirement {
    /// An algorithm of the kernel itself.
    Own(&'static str),
    /// One of our programs.
    Program(&'static KernelEntry),
}

impl Algorithms {
    /// Loads the programs that the flows use, for this process only.
    ///
    /// # Errors
    /// If an algorithm or a parameter does not exist on the kernel, or the kernel rejects a program.
    pub fn load(flows: &[Flow]) -> Result<Self, TestbedError> {
        // An unsupported scenario loads nothing.
        let mut algorithms = Algorithms { of_flows: requirements(flows)?, programs: Vec::new() };
        for flow in 0..flows.len() {
            if let Requirement::Program(entry) = algorithms.of_flows[flow]
                && algorithms.program_index(flow).is_none()
            {
                algorithms.programs.push(Private::load(entry).map_err(environment)?);
            }
        }
        Ok(algorithms)
    }

    /// The algorithm set on the sockets of a flow (`TCP_CONGESTION`).
    pub fn name(&self, flow: usize) -> &str {
        match self.of_flows[flow] {
            Requirement::Own(name) => name,
            Requirement::Program(_) => {
                self.programs[self.program_index(flow).expect("every program is loaded")].name()
            }
        }
    }

    /// The index in [`Algorithms::programs`] of a flow's program, if it uses one of ours.
    pub fn program_index(&self, flow: usize) -> Option<usize> {
        let Requirement::Program(entry) = self.of_flows[flow] else { return None };
        self.programs.iter().position(|program| program.entry().kernel_name == entry.kernel_name)
    }

    /// The number of times that a program had no row for a socket.
    pub fn refused(&self) -> u64 {
        let counters = self.programs.iter().filter_map(|program| program.counters().ok());
        counters.map(|counters| counters.refused).sum()
    }
}

/// Checks whether the kernel has all algorithms that the flows use.
pub(crate) fn check(flows: &[Flow]) -> Result<(), TestbedError> {
    requirements(flows).map(drop)
}

/// The same for a guest's kernel, which has all of the kernel's own algorithms.
pub(crate) fn check_for_guest(flows: &[Flow]) -> Result<(), TestbedError> {
    let available = OWN.map(str::to_owned);
    flows.iter().try_for_each(|flow| requirement(flow, &available).map(drop))
}

fn requirements(flows: &[Flow]) -> Result<Vec<Requirement>, TestbedError> {
    let available = available().map_err(environment)?;
    flows.iter().map(|flow| requirement(flow, &available)).collect()
}

fn environment(error: anabranch_mptcp_bpf::Error) -> TestbedError {
    TestbedError::Environment(error.to_string())
}

/// A flow's congestion control on a kernel with these algorithms `available`.
fn requirement(flow: &Flow, available: &[String]) -> Result<Requirement, TestbedError> {
    let cc = &flow.cc;
    let refused =
        |part: &str, why| TestbedError::Inexpressible { key: format!("flows.{}.cc{part}", flow.name), why };
    let params = cc.entry.params(&cc.params).map_err(|e| refused("", e.to_string()))?;
    let is_uncoupled = cc.entry.name == UNCOUPLED;
    let (name, part) = if is_uncoupled { (params.word(OVER), ".over") } else { (cc.entry.name, "") };
    let others = cc.entry.all_params().filter(|param| !(is_uncoupled && param.name == OVER));
    if let Some(other) = others.into_iter().find(|param| params.find(param.name) != Some(param.default)) {
        let why = "algorithms on the kernel do not take parameters: remove it".to_owned();
        return Err(refused(&format!(".{}", other.name), why));
    }
    if let Some(own) = OWN.into_iter().find(|own| *own == name) {
        let there = available.iter().any(|available| available == own);
        let why =
            format!("this kernel lacks `{own}`; it has {} (try `modprobe tcp_{own}`)", available.join(", "));
        return if there { Ok(Requirement::Own(own)) } else { Err(refused(part, why)) };
    }
    // One name for each: `reno@kernel` differs from `reno`.
    let names = registry::all().iter().map(|program| match program.reference.name {
        name if OWN.contains(&name) => program.entry.name,
        name => name,
    });
    let known = OWN.into_iter().chain([UNCOUPLED]).chain(names);
    let unknown = || refused(part, format!("`{name}` does not run on the kernel; {}", suggest(name, known)));
    registry::find_kernel(name).map(Requirement::Program).ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_scenario::Scenario;

    fn scenario(cc: &str) -> Scenario {
        let text = format!(
            "name = \"test\"\nduration = \"1 s\"\n[links.l]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n\
             [[flows]]\nname = \"f\"\ncc = {cc}\npaths = [[\"l\"]]\n"
        );
        text.parse().unwrap()
    }

    /// The requirement on a kernel with Reno and CUBIC, or the reason of a refusal.
    fn resolved(cc: &str) -> Result<String, String> {
        let available = ["reno", "cubic"].map(str::to_owned);
        match requirement(&scenario(cc).flows[0], &available) {
            Ok(Requirement::Own(name)) => Ok(name.to_owned()),
            Ok(Requirement::Program(entry)) => Ok(entry.kernel_name.to_owned()),
            Err(TestbedError::Inexpressible { key, why }) => Err(format!("{key}: {why}")),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn names_of_scenarios_and_of_the_kernel() {
        for (cc, name) in [
            ("\"reno\"", "reno"),
            ("\"cubic\"", "cubic"),
            ("\"uncoupled\"", "cubic"),
            (r#"{ name = "uncoupled", over = "reno" }"#, "reno"),
            (r#"{ name = "uncoupled", over = "vegas" }"#, "ab_vegas"),
            ("\"reno@kernel\"", "ab_reno"),
            ("\"lia\"", "ab_lia"),
            ("\"lia@kernel\"", "ab_lia"),
            ("\"coupled-cubic\"", "ab_ccubic"),
            // As without the parameter.
            (r#"{ name = "lia@kernel", together = true }"#, "ab_lia"),
            (r#"{ name = "cubic", beta = 0.7 }"#, "cubic"),
        ] {
            assert_eq!(resolved(cc).as_deref(), Ok(name), "{cc}");
        }
    }

    #[test]
    fn unsupported_keys_are_refused() {
        for (cc, key, why) in [
            (r#"{ name = "lia@kernel", together = false }"#, "flows.f.cc.together: ", "remove it"),
            (r#"{ name = "lia", pacing = true }"#, "flows.f.cc.pacing: ", "remove it"),
            (r#"{ name = "cubic", beta = 0.8 }"#, "flows.f.cc.beta: ", "remove it"),
            ("\"bbr\"", "flows.f.cc: ", "`bbr` does not run on the kernel"),
            (
                r#"{ name = "uncoupled", over = "highspeed" }"#,
                "flows.f.cc.over: ",
                "`highspeed` does not run",
            ),
            ("\"lia@v0\"", "flows.f.cc: ", "known: reno, cubic, uncoupled, reno@kernel, lia, "),
        ] {
            let said = resolved(cc).unwrap_err();
            assert!(said.starts_with(key) && said.contains(why), "{said}");
        }
    }

    #[test]
    fn a_module_that_is_not_loaded_is_named() {
        let refused = requirement(&scenario("\"cubic\"").flows[0], &["reno".to_owned()]);
        assert!(refused.is_err_and(|why| why.to_string().contains("modprobe tcp_cubic")));
    }
}
