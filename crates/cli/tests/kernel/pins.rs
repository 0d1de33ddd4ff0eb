//! `anabranch kernel` beside a user without privileges, in a mount namespace and a namespace of processes whose
//! BPF file system is its own.

use anabranch_test_support::Kernel;
use anabranch_test_support::command::{Outcome, binary, folder, outcome};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// The programs that these scripts need beside the kernel.
const TOOLS: &[&str] = &["mount", "setpriv", "unshare", "umount"];

/// Runs a script as root: `$ANABRANCH` is the command, `$AS_NOBODY` runs one as a user without privileges, and no
/// BPF file system is mounted.
fn script(script: &str) -> Outcome {
    let script = format!("set -e; while umount /sys/fs/bpf 2>/dev/null; do :; done\n{script}");
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", &script]);
    unshare.env("ANABRANCH", binary());
    outcome(unshare.env("AS_NOBODY", "setpriv --reuid 65534 --regid 65534 --clear-groups"))
}

/// A new mount belongs to root alone, whatever the kernel's default is: that is 1777, of which the sticky bit is left.
#[test]
fn what_is_mounted_is_roots_alone() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let done = script(
        "$ANABRANCH kernel load lia; stat -c %a /sys/fs/bpf /sys/fs/bpf/anabranch
         ! $AS_NOBODY ls /sys/fs/bpf/anabranch 2>/dev/null
         $ANABRANCH kernel unload lia",
    );
    assert_eq!(done.ok(), "ab_lia: loaded\n1700\n700\nab_lia: unloaded\n");
}

/// Before the first `load`, too, libbpf's warnings stay unseen.
#[test]
fn status_says_only_that_nothing_is_loaded() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let said = script("$ANABRANCH kernel status").ok();
    assert!(said.starts_with("No algorithm is loaded."), "{said}");
}

/// A command in a mount namespace of its own, as under `ip netns exec`, mounts where the algorithm outlasts it.
#[test]
fn what_a_command_loads_outlasts_its_mounts() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let done = script(
        "unshare --mount $ANABRANCH kernel load lia; stat -c %a /sys/fs/bpf/anabranch/ab_lia
         $ANABRANCH kernel unload lia",
    );
    assert_eq!(done.ok(), "ab_lia: loaded\n700\nab_lia: unloaded\n");
}

/// Without CAP_SYS_PTRACE, a command does not see the mounts of the processes above. What it mounts would end with it.
#[test]
fn a_mount_that_ends_with_the_command_is_refused() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let few = "setpriv --bounding-set=-all,+bpf,+perfmon,+net_admin,+sys_admin";
    let done = script(&format!("unshare --mount {few} $ANABRANCH kernel load lia || exit"));
    done.refused(["may end with it", "`mount -t bpf -o mode=0700 bpf /sys/fs/bpf`"]);
}

/// Where anybody may make files, a folder that a user made is refused, and nothing in it is followed or removed.
#[test]
fn what_a_user_points_at_stays() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let victim = folder();
    fs::set_permissions(victim.path(), fs::Permissions::from_mode(0o755)).unwrap();
    victim.write("precious", "data");
    let target = victim.arg();
    let makes_folder = format!("mkdir /sys/fs/bpf/anabranch; ln -s {target} /sys/fs/bpf/anabranch/loading");
    let makes_link = format!("ln -s {target} /sys/fs/bpf/anabranch");
    for makes in [makes_folder, makes_link] {
        for command in ["list", "status", "load reno", "monitor --once"] {
            let done = script(&format!(
                "mount -t bpf bpf /sys/fs/bpf; $AS_NOBODY sh -c '{makes}'; exec $ANABRANCH kernel {command}",
            ));
            done.refused(["users other than root may change", "`chmod 700"]);
            assert_eq!(victim.names(), ["precious"], "{command} removed what {makes} points at");
        }
    }
}

/// A link that root itself left goes, and not what it points at; a folder of a former version becomes root's alone.
#[test]
fn links_are_not_followed() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let victim = folder();
    victim.write("precious", "data");
    let done = script(&format!(
        "mount -t bpf bpf /sys/fs/bpf; mkdir -m 755 /sys/fs/bpf/anabranch
         ln -s {} /sys/fs/bpf/anabranch/loading
         $ANABRANCH kernel list >/dev/null; ls /sys/fs/bpf/anabranch; stat -c %a /sys/fs/bpf/anabranch",
        victim.arg(),
    ));
    assert_eq!(done.ok(), "700\n");
    assert_eq!(victim.names(), ["precious"]);
}

/// A user may not lock it, and so may not stop root.
#[test]
fn a_user_cannot_hold_the_lock() {
    let Some(_kernel) = Kernel::lock_with(&[TOOLS, &["flock"]].concat()) else { return };
    let done = script(
        "mount -t bpf bpf /sys/fs/bpf; $ANABRANCH kernel load lia
         if $AS_NOBODY flock --nonblock /sys/fs/bpf/anabranch true 2>/dev/null; then echo locked; fi
         $ANABRANCH kernel unload lia",
    );
    assert_eq!(done.ok(), "ab_lia: loaded\nab_lia: unloaded\n");
}
