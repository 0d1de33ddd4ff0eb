//! How much is run: the one place that knows.

/// The three sizes of a reproduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Size {
    /// Everything runs, briefly: about a minute on two cores. Rows whose published values are means over a long run
    /// cannot reproduce.
    Quick,
    /// The papers' own durations, few seeds: minutes.
    #[default]
    Default,
    /// The papers' own durations and at least ten seeds; experiments of our own run four times as long.
    Full,
}

impl Size {
    /// Every size, smallest first.
    pub const ALL: [Size; 3] = [Size::Quick, Size::Default, Size::Full];

    /// Its name in results: "quick", "default" or "full".
    pub fn name(self) -> &'static str {
        match self {
            Size::Quick => "quick",
            Size::Default => "default",
            Size::Full => "full",
        }
    }

    /// Seeds of a run that lasts minutes; see [`crate::Setup::repeats`] for shorter ones.
    pub fn seeds(self) -> u32 {
        match self {
            Size::Quick => 2,
            Size::Default => 5,
            Size::Full => 10,
        }
    }

    /// The duration, in seconds, of a run that lasts `seconds` in its paper.
    pub fn published(self, seconds: f64) -> f64 {
        match self {
            Size::Quick => seconds.min((seconds / 10.0).max(60.0)),
            Size::Default | Size::Full => seconds,
        }
    }

    /// The extent (seconds, loss epochs) of a run of our own choice, where the default is `extent`.
    pub fn own(self, extent: f64) -> f64 {
        match self {
            Size::Quick => extent / 10.0,
            Size::Default => extent,
            Size::Full => extent * 4.0,
        }
    }

    /// What a reader must know of it.
    pub fn description(self) -> &'static str {
        match self {
            Size::Quick => {
                "Quick run: few seeds, and runs of more than a minute are cut to a tenth. It shows that \
                 everything works; long-run means need the default size."
            }
            Size::Default => {
                "Default run: the paper's own durations where it gives them, five seeds (twenty for short runs)."
            }
            Size::Full => {
                "Full run: the paper's own durations where it gives them, ten seeds (forty for short runs)."
            }
        }
    }
}
