//! The subflow with the smallest smoothed RTT among those with room in the window.

use super::{Rule, fastest_ready};
use crate::stream::SendStream;
use crate::subflow::Subflow;
use anabranch_cc::Group;
use anabranch_net::Time;

#[derive(Clone, Debug, Default)]
pub(crate) struct MinRtt;

impl Rule for MinRtt {
    fn pick(&mut self, subflows: &mut [Subflow], cc: &Group, _: &SendStream, now: Time) -> Option<usize> {
        fastest_ready(subflows, cc, now)
    }
}
