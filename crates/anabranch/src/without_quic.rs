//! Stands for QUIC in a build without the feature `quic`.

use crate::{Error, Runner};
use anabranch_record::{KeepGoing, Sink, Summary};
use anabranch_study::{Backend, Task, TaskError};
use miette::miette;

const WHY: &str = "this build has no QUIC: use the binary or the Debian package of a release, or build it with `--features quic`";

struct Absent;

impl Backend for Absent {
    fn name(&self) -> &str {
        "noq"
    }

    fn run(&self, _: &Task, _: &mut dyn Sink, _: KeepGoing<'_>) -> Result<Summary, TaskError> {
        Err(TaskError::Refused(WHY.into()))
    }
}

/// The QUIC stack noq.
pub static NOQ: Runner = Runner {
    backend: &Absent,
    with_iperf3: None,
    variant: None,
    is_ready: || Err(Error::Input(miette!("{WHY}"))),
};
