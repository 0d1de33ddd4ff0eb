//! Sizes of studies.

/// The three sizes of a reproduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Size {
    /// Short runs: about a minute on two cores. Rows with long-run means cannot be reproduced.
    Quick,
    /// The papers' own durations, few seeds.
    #[default]
    Default,
    /// The papers' own durations, more seeds; where a duration is our choice, four times as long.
    Full,
}

impl Size {
    /// Every size, smallest first.
    pub const ALL: [Size; 3] = [Size::Quick, Size::Default, Size::Full];

    /// Its name in results: "quick", "default" or "full".
    pub fn name(self) -> &'static str {
        self.of(["quick", "default", "full"])
    }

    pub(crate) fn of<T>(self, [quick, default, full]: [T; 3]) -> T {
        match self {
            Size::Quick => quick,
            Size::Default => default,
            Size::Full => full,
        }
    }

    /// Seeds of a run that lasts minutes; shorter ones may have more.
    pub fn seeds(self) -> u32 {
        self.of([2, 5, 10])
    }

    /// A reader's note on it.
    pub fn description(self) -> &'static str {
        self.of([
            "Quick run: two seeds (up to eight for short runs). Durations over a minute, and durations that the paper does not give, are cut to a tenth. Use it to check that everything works; long-run means need the default size.",
            "Default run: the paper's own durations where it gives them, five seeds (up to twenty for short runs).",
            "Full run: the paper's own durations where it gives them, else four times the default durations; ten seeds (up to forty for short runs).",
        ])
    }
}

/// The size of that name.
pub fn named(name: &str) -> Size {
    Size::ALL.into_iter().find(|known| known.name() == name).unwrap_or_default()
}

/// The command-line options for a size with that many seeds; the `usual` number is omitted.
pub fn options(size: Size, seeds: u32, usual: u32) -> String {
    let mut options = String::new();
    if size != Size::default() {
        options += &format!(" --{}", size.name());
    }
    if usual != seeds {
        options += &format!(" --seeds {seeds}");
    }
    options
}
