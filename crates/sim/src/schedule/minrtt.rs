//! The subflow with the smallest smoothed RTT among those with room in the window.

use super::{Holds, Rule, least_and_number, srtt};
use crate::stream::SendStream;
use crate::subflow::Subflow;
use anabranch_cc::Group;
use anabranch_net::Time;

/// Whether the subflow that it picked last was the only one with room.
#[derive(Clone, Debug, Default)]
pub(crate) struct MinRtt(bool);

impl Rule for MinRtt {
    fn pick(&mut self, subflows: &mut [Subflow], cc: &Group, _: &SendStream, now: Time) -> Option<usize> {
        let (fastest, number) = least_and_number(subflows, cc, now, srtt)?;
        self.0 = number == 1;
        Some(fastest)
    }

    #[inline]
    fn holds(&self) -> Holds {
        if self.0 { Holds::LastTurn } else { Holds::Turn }
    }
}
