//! The papers' scenario files, embedded.

pub use anabranch_study::ScenarioFile;
use std::sync::LazyLock;

/// Embeds the files of folders of the repository and lists them.
macro_rules! files {
    ($($folder:literal { $($id:ident = $name:literal;)* })*) => {
        $($(
            #[doc = concat!("`", $name, "`: see its first lines.")]
            pub static $id: LazyLock<ScenarioFile> = LazyLock::new(|| ScenarioFile {
                name: $name.into(),
                path: concat!($folder, $name).into(),
                text: include_str!(concat!("../../../", $folder, $name)).into(),
            });
        )*)*
        /// Every file.
        pub static ALL: LazyLock<Vec<&ScenarioFile>> = LazyLock::new(|| vec![$($(&$id),*),*]);
    };
}

files! {
    "studies/" {
        TESTBED = "coupled-cubic-testbed.toml";
        TESTBED_ALONE = "coupled-cubic-alone.toml";
        SHARED_BOTTLENECK = "shared-large-bottleneck.toml";
        LOSSY_LINK = "lossy-link.toml";
        LOSSY_PATHS = "lossy-paths.toml";
        ADW_FIG_1A = "adw-balia-fig1a.toml";
        ADW_S1 = "adw-balia-s1.toml";
        ADW_S2 = "adw-balia-s2.toml";
        ADW_S3 = "adw-balia-s3.toml";
        ADW_S4 = "adw-balia-s4.toml";
        ADW_S5 = "adw-balia-s5.toml";
        KATO_LOSS = "kato-loss.toml";
        KATO_BOTTLENECK = "kato-bottleneck.toml";
        WCOMPOUND_TWO_LINKS = "wcompound-two-links.toml";
        WCOMPOUND_LOSSY_LINKS = "wcompound-lossy-links.toml";
        WCOMPOUND_BOTTLENECK = "wcompound-bottleneck.toml";
        COUPLING_SHARED = "coupling/shared.toml";
        COUPLING_SEPARATE_2 = "coupling/separate-2.toml";
        COUPLING_SEPARATE_4 = "coupling/separate-4.toml";
        COUPLING_SEPARATE_8 = "coupling/separate-8.toml";
        COUPLING_HALF_SHARED_4 = "coupling/half-shared-4.toml";
        COUPLING_HALF_SHARED_8 = "coupling/half-shared-8.toml";
        COUPLING_CHANGES = "coupling/changes.toml";
        STANDARD_ONE_PATH = "standard/one-path.toml";
        STANDARD_TWO_PATHS = "standard/two-paths.toml";
        STANDARD_ONE_PATH_BESIDE = "standard/one-path-beside.toml";
        STANDARD_SHARED = "standard/shared.toml";
        STANDARD_SEPARATE = "standard/separate.toml";
        STANDARD_UNEQUAL_RTTS = "standard/unequal-rtts.toml";
        STANDARD_BACKUP = "standard/backup.toml";
        STANDARD_FAILURE = "standard/failure.toml";
        STANDARD_RATE_CHANGE = "standard/rate-change.toml";
    }
}
