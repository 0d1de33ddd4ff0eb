//! The papers' scenario files, embedded.

pub use anabranch_study::ScenarioFile;
use std::sync::LazyLock;

/// Embeds the files of folders of the repository and lists them.
macro_rules! files {
    ($($folder:literal { $($name:literal)* })*) => {
        /// Every file.
        pub static ALL: LazyLock<Vec<ScenarioFile>> = LazyLock::new(|| vec![$($(ScenarioFile {
            name: $name.into(),
            path: concat!("studies/", $folder, $name).into(),
            text: include_str!(concat!("../studies/", $folder, $name)).into(),
        }),*),*]);
    };
}

files! {
    "papers/" {
        "lossy-paths.toml"
    }
    "papers/COUPLED-CUBIC/" {
        "coupled-cubic-testbed.toml"
        "coupled-cubic-alone.toml"
        "shared-large-bottleneck.toml"
        "lossy-link.toml"
    }
    "papers/KATO-LIA-EVALUATION/" {
        "kato-loss.toml"
        "kato-bottleneck.toml"
    }
    "papers/WCOMPOUND/" {
        "wcompound-two-links.toml"
        "wcompound-lossy-links.toml"
        "wcompound-bottleneck.toml"
    }
    "papers/ADW-BALIA/" {
        "adw-balia-fig1a.toml"
        "adw-balia-s1.toml"
        "adw-balia-s2.toml"
        "adw-balia-s3.toml"
        "adw-balia-s4.toml"
        "adw-balia-s5.toml"
    }
    "own/coupling-cubic/" {
        "shared.toml"
        "separate-2.toml"
        "separate-4.toml"
        "separate-8.toml"
        "half-shared-4.toml"
        "half-shared-8.toml"
        "changes.toml"
    }
    "standard/" {
        "one-path.toml"
        "two-paths.toml"
        "one-path-beside.toml"
        "shared.toml"
        "separate.toml"
        "unequal-rtts.toml"
        "backup.toml"
        "failure.toml"
        "rate-change.toml"
    }
}

/// The file at that path below `studies/`.
///
/// # Panics
/// If it does not exist.
pub fn at(path: &str) -> &'static ScenarioFile {
    let is = |file: &&ScenarioFile| file.path.strip_prefix("studies/") == Some(path);
    ALL.iter().find(is).unwrap_or_else(|| panic!("there is no scenario studies/{path}"))
}

/// The scenarios that a study in that folder may name: the files beside it, and those of the folder above.
pub(crate) fn around(folder: &str) -> Vec<ScenarioFile> {
    let above = folder.rsplit_once('/').map(|(above, _)| above);
    let named = |file: &ScenarioFile| {
        let (own, _) = file.path.rsplit_once('/')?;
        let name = match own == folder {
            true => file.name.clone(),
            false => above.filter(|above| *above == own).map(|_| format!("../{}", file.name).into())?,
        };
        Some(ScenarioFile { name, ..file.clone() })
    };
    ALL.iter().filter_map(named).collect()
}
