//! The systemd unit that loads the algorithms at boot, beside those of a Debian machine whose network cloud-init and
//! netplan configure. systemd itself orders the jobs of `multi-user.target`; nothing is started.

use anabranch_test_support::command::{anabranch, root, skipped};
use std::fs::{self, create_dir_all};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

const UNIT: &str = "contrib/anabranch-kernel.service";
const SYSTEM: &str = "etc/systemd/system";

/// The links that `systemctl enable` makes, and at boot the generators of cloud-init and netplan: a target and a unit by any of its
/// names.
const ENABLED: [(&str, &[&str]); 7] = [
    ("multi-user.target", &["cloud-init.target"]),
    ("cloud-init.target", &["cloud-init-local.service"]),
    // The later name is from cloud-init 24.3, in Debian 13.
    ("cloud-init.target", &["cloud-init.service", "cloud-init-network.service"]),
    ("cloud-init.target", &["cloud-config.service"]),
    ("cloud-init.target", &["cloud-final.service"]),
    ("multi-user.target", &["systemd-networkd.service"]),
    ("network-online.target", &["systemd-networkd-wait-online.service"]),
];

/// Enabled where it is there: cloud-init 24.3 has it.
const MAIN: (&str, &str) = ("cloud-init.target", "cloud-init-main.service");

/// The unit as it was until it left default dependencies, word for word.
const DANGEROUS: &str = include_str!("boot/default-dependencies.service");

fn command(program: &str, args: &[&str], folder: &Path) -> Result<(), String> {
    match Command::new(program).args(args).current_dir(folder).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr))),
        Err(error) => Err(format!("{program}: {error}")),
    }
}

/// Downloads the distribution's own packages into a folder; `Err` where the machine has no systemd, no apt or no network.
fn download(folder: &Path) -> Result<(), String> {
    command("systemd-analyze", &["--version"], folder)?;
    // The sandbox of apt's downloads is a user who may not write here.
    let args = ["download", "-o", "APT::Sandbox::User=root", "systemd", "cloud-init", "netplan.io"];
    command("apt-get", &args, folder)
}

fn unpack(packages: &Path, root: &Path) {
    let files: Vec<_> = fs::read_dir(packages).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 3, "{files:?}");
    for file in files {
        command("dpkg-deb", &["-x", file.to_str().unwrap(), "."], root).unwrap();
    }
}

/// Where a unit of a package is, by the first of its names that is there.
fn find<'a>(root: &Path, names: &[&'a str]) -> Option<(&'a str, String)> {
    let files = names
        .iter()
        .flat_map(|name| ["usr/lib", "lib"].map(|lib| (*name, format!("{lib}/systemd/system/{name}"))));
    files.into_iter().find(|(_, file)| root.join(file).exists())
}

/// Enables a unit as `systemctl enable` does.
fn enable(root: &Path, target: &str, unit: &str, file: &str) {
    let wants = root.join(SYSTEM).join(format!("{target}.wants"));
    create_dir_all(&wants).unwrap();
    symlink(format!("/{file}"), wants.join(unit)).unwrap();
}

/// systemd's report on the machine's jobs at boot, with that unit.
fn verify(root: &Path, unit: &str) -> String {
    fs::write(root.join(SYSTEM).join("anabranch-kernel.service"), unit).unwrap();
    let mut analyze = Command::new("systemd-analyze");
    analyze.args(["verify", "--man=no", "--root"]).arg(root).arg("multi-user.target");
    String::from_utf8(analyze.output().unwrap().stderr).unwrap()
}

#[test]
fn the_unit_makes_no_cycle_with_cloud_init_and_netplan() {
    let machine = tempfile::tempdir().unwrap();
    let [packages, folder] = ["packages", "root"].map(|name| machine.path().join(name));
    [&packages, &folder].into_iter().for_each(|folder| create_dir_all(folder).unwrap());
    if let Err(why) = download(&packages) {
        return skipped(why.trim());
    }
    unpack(&packages, &folder);
    let command = folder.join("usr/local/bin/anabranch");
    create_dir_all(command.parent().unwrap()).unwrap();
    fs::write(&command, "").unwrap();
    fs::set_permissions(&command, PermissionsExt::from_mode(0o755)).unwrap();
    for (target, names) in ENABLED {
        let (unit, file) = find(&folder, names).unwrap_or_else(|| panic!("no {names:?}"));
        enable(&folder, target, unit, &file);
    }
    if let Some((unit, file)) = find(&folder, &[MAIN.1]) {
        enable(&folder, MAIN.0, unit, &file);
    }
    let file = format!("{SYSTEM}/anabranch-kernel.service");
    enable(&folder, "multi-user.target", "anabranch-kernel.service", &file);
    let unit = fs::read_to_string(root().join(UNIT)).unwrap();
    assert_eq!(verify(&folder, &unit), "");

    // systemd finds the cycle of the unit that there was, so it would find another.
    let said = verify(&folder, DANGEROUS);
    assert!(said.contains("ordering cycle") && said.contains("anabranch-kernel.service/start"), "{said}");
}

/// Its commands are commands, and its capabilities those that `doctor` asks for. A unit without default dependencies says itself that
/// it stops before the machine does.
#[test]
fn the_unit_fits() {
    let unit = fs::read_to_string(root().join(UNIT)).unwrap();
    let words = |key: &str| {
        let values = unit.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        values.flat_map(|value| value.split(' ')).collect::<Vec<_>>()
    };
    for key in ["ExecStart", "ExecStop"] {
        let [program, command, action, "all"] = words(key)[..] else { panic!("{:?}", words(key)) };
        assert_eq!(program, "/usr/local/bin/anabranch");
        anabranch([command, action, "--help"]).ok();
    }
    let capabilities = ["CAP_BPF", "CAP_PERFMON", "CAP_NET_ADMIN", "CAP_SYS_ADMIN"];
    assert_eq!(words("CapabilityBoundingSet"), capabilities);
    assert!(words("Conflicts").contains(&"shutdown.target") && words("Before").contains(&"shutdown.target"));
    assert!(
        unit.lines().filter(|line| line.starts_with("Exec")).all(|line| line.contains("=/usr/local/bin/"))
    );
}
