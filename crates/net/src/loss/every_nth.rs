//! Periodic losses.

use super::{Loss, Model, State};
use crate::model_spec::model_spec;
use crate::{Random, Time};

model_spec! {
    /// Every n-th packet is lost.
    "every-nth" "every n-th" EveryNth {
        /// The first packet lost is the n-th.
        n: u64 as Count(1, u64::MAX),
    }
}

impl Model for EveryNth {
    #[inline]
    fn loses(&self, State { count, .. }: &mut State, _: Time, _: &mut Random) -> bool {
        *count += 1;
        let lost = *count == self.n;
        if lost {
            *count = 0;
        }
        lost
    }

    fn mean_rate(&self) -> f64 {
        1.0 / self.n as f64
    }
}

impl Loss {
    /// Every `n`-th packet is lost.
    pub fn every_nth(n: u64) -> Loss {
        Loss::EveryNth(EveryNth { n })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::tests::losses;

    #[test]
    fn it_is_exact() {
        assert_eq!(losses(Loss::every_nth(3), 11), [3, 6, 9]);
        assert_eq!(losses(Loss::every_nth(1), 4), [1, 2, 3, 4]);
    }
}
