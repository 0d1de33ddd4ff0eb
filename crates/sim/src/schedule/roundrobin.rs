//! In turn, among the subflows with room in the window.

use super::{Rule, ready};
use crate::stream::SendStream;
use crate::subflow::Subflow;
use anabranch_cc::Group;
use anabranch_net::Time;

/// The subflow that sent last.
#[derive(Clone, Debug, Default)]
pub(crate) struct RoundRobin(usize);

impl Rule for RoundRobin {
    fn pick(&mut self, subflows: &mut [Subflow], cc: &Group, _: &SendStream, now: Time) -> Option<usize> {
        let n = subflows.len();
        ready(subflows, cc, now).min_by_key(|i| (i + n - self.0 - 1) % n)
    }

    fn sent_on(&mut self, subflow: usize) {
        self.0 = subflow;
    }
}
