//! The systemd unit that loads the algorithms at boot, beside those of a Debian machine whose network cloud-init and
//! netplan configure. systemd itself orders the jobs of `multi-user.target`; nothing is started.

use crate::common::{root, skipped};
use std::fs::{self, create_dir_all};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

const UNIT: &str = "contrib/anabranch-kernel.service";
const SYSTEM: &str = "etc/systemd/system";

/// What `systemctl enable` links, and at boot the generators of cloud-init and netplan.
const ENABLED: [(&str, &str); 7] = [
    ("multi-user.target", "cloud-init.target"),
    ("cloud-init.target", "cloud-init-local.service"),
    ("cloud-init.target", "cloud-init.service"),
    ("cloud-init.target", "cloud-config.service"),
    ("cloud-init.target", "cloud-final.service"),
    ("multi-user.target", "systemd-networkd.service"),
    ("network-online.target", "systemd-networkd-wait-online.service"),
];

/// The units of the distribution's own packages in a folder; `Err` where they cannot be had.
fn debian(folder: &Path) -> Result<(), String> {
    let run =
        |program: &str, args: &[&str]| match Command::new(program).args(args).current_dir(folder).output() {
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr))),
            Err(error) => Err(format!("{program}: {error}")),
        };
    run("systemd-analyze", &["--version"])?;
    // The sandbox of apt's downloads is a user who may not write here.
    run("apt-get", &["download", "-o", "APT::Sandbox::User=root", "systemd", "cloud-init", "netplan.io"])?;
    for package in fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        run("dpkg-deb", &["-x", package.to_str().unwrap(), "."])?;
    }
    Ok(())
}

/// Enables a unit as `systemctl enable` does.
fn enable(folder: &Path, target: &str, unit: &str, file: &str) {
    let wants = folder.join(SYSTEM).join(format!("{target}.wants"));
    create_dir_all(&wants).unwrap();
    symlink(file, wants.join(unit)).unwrap();
}

/// What systemd says of the machine's jobs at boot, with that unit or without one.
fn verify(folder: &Path, unit: &str) -> String {
    fs::write(folder.join(SYSTEM).join("anabranch-kernel.service"), unit).unwrap();
    let mut analyze = Command::new("systemd-analyze");
    analyze.args(["verify", "--man=no", "--root"]).arg(folder).arg("multi-user.target");
    String::from_utf8(analyze.output().unwrap().stderr).unwrap()
}

#[test]
fn the_unit_makes_no_cycle_with_cloud_init_and_netplan() {
    let machine = tempfile::tempdir().unwrap();
    let folder = machine.path();
    if let Err(why) = debian(folder) {
        return skipped(why.trim());
    }
    let command = folder.join("usr/local/bin/anabranch");
    create_dir_all(command.parent().unwrap()).unwrap();
    fs::write(&command, "").unwrap();
    fs::set_permissions(&command, PermissionsExt::from_mode(0o755)).unwrap();
    for (target, unit) in ENABLED {
        let file = ["usr/lib", "lib"].map(|lib| format!("{lib}/systemd/system/{unit}"));
        let file = file.iter().find(|file| folder.join(file).exists()).expect(unit);
        enable(folder, target, unit, &format!("/{file}"));
    }
    enable(
        folder,
        "multi-user.target",
        "anabranch-kernel.service",
        &format!("/{SYSTEM}/anabranch-kernel.service"),
    );
    let unit = fs::read_to_string(root().join(UNIT)).unwrap();
    assert_eq!(verify(folder, &unit), "");

    // With default dependencies, as the unit once had: systemd finds the cycle, so it would find another.
    let dangerous = unit.replace("DefaultDependencies=no\n", "");
    assert_ne!(dangerous, unit);
    let said = verify(folder, &dangerous);
    assert!(said.contains("ordering cycle") && said.contains("anabranch-kernel.service/start"), "{said}");
}

/// A unit without default dependencies says itself that it stops before the machine does.
#[test]
fn the_unit_stops_before_the_machine() {
    let unit = fs::read_to_string(root().join(UNIT)).unwrap();
    let has = |key: &str, word: &str| {
        let values = unit.lines().filter_map(|line| line.split_once('='));
        values.filter(|(k, _)| *k == key).any(|(_, value)| value.split(' ').any(|w| w == word))
    };
    assert!(has("Conflicts", "shutdown.target") && has("Before", "shutdown.target"));
    assert!(
        unit.lines().filter(|line| line.starts_with("Exec")).all(|line| line.contains("=/usr/local/bin/"))
    );
}
