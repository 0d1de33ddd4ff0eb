//! `anabranch kernel`, with the running kernel where it can take algorithms.

use crate::backend::{for_all_users, unprivileged};
use anabranch_cc_fixed::registry;
use anabranch_test_support::command::{anabranch, command, fits};
use anabranch_test_support::namespace::{Namespace, exchange, mptcp_socket};
use anabranch_test_support::programs;
use anabranch_test_support::{Kernel, skipped, until};
use rustix::net::sockopt::set_tcp_congestion;
use rustix::net::{bind, connect};
use serde_json::Value;
use std::net::{SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::thread::sleep;
use std::time::Duration;

/// The line of `list` on `ab_reno`.
fn state() -> String {
    let all = anabranch(["kernel", "list", "--json"]).json();
    let of_reno = |row: &&Value| row["kernel_name"] == "ab_reno";
    all.as_array().unwrap().iter().find(of_reno).unwrap()["state"].as_str().unwrap().to_owned()
}

fn kernel(args: &[&str]) -> String {
    anabranch([&["kernel"], args].concat()).ok()
}

#[test]
fn names() {
    for command in ["load", "unload", "use"] {
        let said = anabranch(["kernel", command, "lai"]).fails(2);
        assert!(said.contains("unknown algorithm `lai`") && said.contains("did you mean `lia`?"), "{said}");
    }
    anabranch(["kernel", "load"]).fails(2);
    anabranch(["kernel", "status", "--cost", "0"]).fails(2);
}

/// Every check stands in both forms, and the exit status reflects the missing ones.
#[test]
fn doctor() {
    let page = anabranch(["kernel", "doctor"]);
    fits(&page.stdout);
    let json = anabranch(["kernel", "doctor", "--json"]);
    let checks: Value = serde_json::from_str(&json.stdout).unwrap();
    let checks = checks.as_array().unwrap();
    assert_eq!(checks.len(), 12);
    assert!(checks.iter().all(|check| page.stdout.contains(check["need"].as_str().unwrap())));
    let missing = checks.iter().any(|check| check["state"] == "missing");
    assert_eq!((page.status, json.status), if missing { (2, 2) } else { (0, 0) });
    for check in checks {
        assert_eq!(check["state"] == "ok", check["help"] == "", "{check}");
    }
}

#[test]
fn without_privileges() {
    let dir = tempfile::tempdir().unwrap();
    let copy = for_all_users(dir.path());
    for args in [
        &["load", "lia"][..],
        &["unload", "all"],
        &["list", "--json"],
        &["status"],
        &["doctor"],
        &["monitor", "--once"],
    ] {
        let output = unprivileged(&copy).arg("kernel").args(args).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("CAP_BPF") && said.contains("as root"), "{said}");
    }
    let names = unprivileged(&copy).args(["kernel", "list"]).output().unwrap();
    let said = String::from_utf8(names.stdout).unwrap();
    assert!(names.status.success() && said.contains("ab_lia") && said.contains("as root"), "{said}");
}

#[test]
fn load_list_status_unload() {
    let Some(_kernel) = Kernel::lock() else { return };
    assert_eq!(kernel(&["load", "ab_reno"]), "ab_reno: loaded\n");
    assert_eq!(kernel(&["load", "ab_reno"]), "ab_reno: already loaded\n");
    assert_eq!(state(), "loaded");
    assert_eq!(kernel(&["unload", "ab_reno"]), "ab_reno: unloaded\n");
    let beside = "ab_reno: loaded, beside the kernel's own reno, which needs no loading\n";
    assert_eq!(kernel(&["load", "reno"]), beside);
    let list = kernel(&["list"]);
    fits(&list);
    assert!(list.contains(" reno ") && list.contains(" s ago "), "{list}");
    let status = kernel(&["status", "--cost", "1"]);
    fits(&status);
    assert!(status.contains("ab_reno") && status.contains("refused"), "{status}");
    let json = anabranch(["kernel", "status", "--json"]).json();
    let of_reno = |row: &&Value| row["kernel_name"] == "ab_reno";
    let reno = json["algorithms"].as_array().unwrap().iter().find(of_reno).unwrap();
    assert_eq!(
        (&reno["sockets"], &reno["connections"], &reno["capacity"]),
        (&0.into(), &0.into(), &65536.into())
    );
    assert_eq!(kernel(&["unload", "reno"]), "ab_reno: unloaded\n");
    assert_eq!(kernel(&["unload", "reno"]), "ab_reno: not loaded\n");
    assert_eq!(state(), "not loaded");
}

/// Loads what is chosen; a namespace keeps what is unloaded until it chooses another.
#[test]
fn a_namespace_uses_it() {
    let Some(_kernel) = Kernel::lock() else { return };
    let namespace = Namespace::new();
    let here = ["--netns", &namespace.name];
    let said = kernel(&["use", "ab_reno", here[0], here[1]]);
    assert!(
        said.starts_with(&format!(
            "New sockets of {} use ab_reno, which is anabranch's, now loaded; before, ",
            namespace.name
        )),
        "{said}"
    );
    assert_eq!((namespace.chosen().as_str(), state().as_str()), ("ab_reno", "loaded"));
    let said = kernel(&["unload", "reno"]);
    assert!(said.contains("unloading; new sockets of") && said.contains(&namespace.name), "{said}");
    assert_eq!(state(), "unloading");
    // By its name the kernel's own reno, and by a path.
    let said = kernel(&["use", "reno", "--netns", &format!("/run/netns/{}", namespace.name)]);
    assert!(
        said.contains("use reno, which is the kernel's own (anabranch's is ab_reno); before, "),
        "{said}"
    );
    assert_eq!(namespace.chosen(), "reno");
    until(|| state() == "not loaded", "nobody uses it");

    namespace.run(|| std::fs::write("/proc/sys/net/mptcp/enabled", "0").unwrap());
    let off = anabranch(["kernel", "use", "reno", here[0], here[1]]);
    assert!(off.status == 0 && off.stderr.contains("MPTCP is off"), "{}", off.stderr);
    let doctor = anabranch(["kernel", "doctor", "--json", here[0], here[1]]);
    let checks: Value = serde_json::from_str(&doctor.stdout).unwrap();
    let found = |need: &str| {
        let check = checks.as_array().unwrap().iter().find(|check| check["need"] == need);
        check.unwrap_or_else(|| panic!("{checks}")).clone()
    };
    assert_eq!((doctor.status, &found("net.mptcp.enabled")["state"]), (2, &"missing".into()));
    // The namespace does not show the compiler's setting; the machine's own does.
    let jit = &found("BPF compiler (JIT)");
    assert!(jit["found"] == "on" || jit["state"] == "unknown", "{jit}");
    namespace.command("ip mptcp endpoint add 10.9.9.7 subflow");
    let doctor = anabranch(["kernel", "doctor", "--json", here[0], here[1]]);
    assert!(doctor.stdout.contains("10.9.9.7 id 1 subflow"), "{}", doctor.stdout);
    let off = namespace.run(|| anabranch(["kernel", "load", "ab_reno"])).fails(2);
    assert!(off.contains("net.mptcp.enabled") && off.contains("sysctl -w"), "{off}");
    assert_eq!(state(), "not loaded");
}

/// Without --host nothing is loaded or chosen.
#[test]
fn the_machines_own_namespace_is_left_alone() {
    let Some(_kernel) = Kernel::lock() else { return };
    if !std::path::Path::new("/proc/sys/net/ipv4/tcp_mem").exists() {
        return skipped("not in the machine's own network namespace");
    }
    let chosen = || std::fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control").unwrap();
    let before = chosen();
    for place in [&[][..], &["--netns", "/proc/self/ns/net"], &["--netns", &std::process::id().to_string()]] {
        let said = anabranch([&["kernel", "use", "ab_reno"], place].concat()).fails(2);
        assert!(said.contains("--host"), "{said}");
    }
    assert_eq!((chosen(), state().as_str()), (before, "not loaded"));
    let said = anabranch(["kernel", "use", "ab_reno", "--netns", "/etc/passwd"]).fails(2);
    assert!(said.contains("/etc/passwd: it is not a network namespace"), "{said}");
    let said = anabranch(["kernel", "use", "ab_reno", "--netns", "anabranch-test-none"]).fails(2);
    assert!(said.contains("there is no network namespace `anabranch-test-none`; "), "{said}");
}

/// Wherever SIGKILL meets the loader: what it leaves is all or nothing, and the next command works.
#[test]
fn a_killed_loader_leaves_a_usable_kernel() {
    let Some(_kernel) = Kernel::lock() else { return };
    let mut states = [0, 0];
    for delay in (0..150).step_by(6) {
        let mut loader = command().args(["kernel", "load", "ab_reno"]).spawn().unwrap();
        sleep(Duration::from_millis(delay));
        loader.kill().unwrap();
        loader.wait().unwrap();
        until(|| state() != "unloading", "the kernel has closed what the loader had open");
        let state = state();
        assert!(["loaded", "not loaded"].contains(&state.as_str()), "{state}");
        states[usize::from(state == "loaded")] += 1;
        assert!(kernel(&["load", "ab_reno"]).ends_with(" loaded\n"));
        assert_eq!(kernel(&["unload", "reno"]), "ab_reno: unloaded\n");
    }
    eprintln!("killed before it was loaded: {}, after: {}", states[0], states[1]);
}

/// The systemd unit: its commands are commands, and its capabilities those that `doctor` asks for.
#[test]
fn the_unit_fits() {
    let unit = std::fs::read_to_string(
        anabranch_test_support::command::root().join("contrib/anabranch-kernel.service"),
    )
    .unwrap();
    let values =
        |key: &'static str| unit.lines().filter_map(move |line| line.strip_prefix(key)?.strip_prefix('='));
    for key in ["ExecStart", "ExecStop"] {
        let words: Vec<_> = values(key).next().unwrap().split(' ').collect();
        assert_eq!((words[0], words[3]), ("/usr/local/bin/anabranch", "all"));
        anabranch([words[1], words[2], "--help"]).ok();
    }
    let capabilities: Vec<_> = values("CapabilityBoundingSet").next().unwrap().split(' ').collect();
    assert_eq!(capabilities, ["CAP_BPF", "CAP_PERFMON", "CAP_NET_ADMIN", "CAP_SYS_ADMIN"]);
}

/// A namespace's choice means programs, not a name: loading again must bring it the new ones.
#[test]
fn a_namespace_gets_what_is_loaded_again() {
    let Some(_kernel) = Kernel::lock() else { return };
    kernel(&["load", "ab_reno"]);
    let namespace = Namespace::new();
    namespace.choose("ab_reno");
    assert!(kernel(&["unload", "reno"]).contains("unloading"));
    assert!(kernel(&["load", "ab_reno"]).starts_with("ab_reno: loaded; new sockets of "));
    let connection = namespace.connect();
    let json = anabranch(["kernel", "status", "--json"]).json();
    let new = |row: &&Value| row["kernel_name"] == "ab_reno" && row["state"] == "loaded";
    let row =
        json["algorithms"].as_array().unwrap().iter().find(new).unwrap_or_else(|| panic!("{json}")).clone();
    assert_eq!(row["sockets"], 2, "{json}");
    drop(connection);
}

/// After an upgrade: programs of another build are reported, left to their users, and replaced if they have no users.
#[test]
fn another_builds() {
    let Some(_kernel) = Kernel::lock() else { return };
    let namespace = Namespace::new();
    let reno = registry::find_kernel("ab_reno").unwrap();
    programs::load_as_other_build(reno, programs::registrations()[0]);
    assert_eq!(state(), "loaded, other build");
    assert!(kernel(&["status"]).contains("other build"));
    namespace.choose("ab_reno");
    let said = kernel(&["load", "ab_reno"]);
    assert!(said.contains(&namespace.name) && said.contains("kernel unload ab_reno"), "{said}");
    assert_eq!(state(), "loaded, other build");
    namespace.choose("reno");
    let replaced = "ab_reno: loaded in place of another build's\n";
    until(|| kernel(&["load", "ab_reno"]) == replaced, "nobody uses it, and it is replaced");
    assert_eq!(state(), "loaded");
}

/// A namespace whose clients, of 10.9.9.2, open a second subflow.
fn with_two_addresses() -> Namespace {
    let namespace = Namespace::new();
    for address in ["10.9.9.1", "10.9.9.2", "10.9.9.3"] {
        namespace.command(&format!("ip address add {address}/32 dev lo"));
    }
    namespace.command("ip mptcp limits set subflow 2");
    namespace.command("ip mptcp endpoint add 10.9.9.3 dev lo subflow");
    namespace
}

/// An MPTCP listener there, to which `prepare` does something before it listens.
fn listen(namespace: &Namespace, port: u16, prepare: impl FnOnce(&OwnedFd)) -> TcpListener {
    let listener = namespace.run(mptcp_socket);
    bind(&listener, &SocketAddrV4::new([10, 9, 9, 1].into(), port)).unwrap();
    prepare(&listener);
    rustix::net::listen(&listener, 1).unwrap();
    TcpListener::from(listener)
}

/// A connection of two subflows, whose server sets a socket option before the second one joins.
fn open(namespace: &Namespace, listener: &TcpListener) -> (TcpStream, TcpStream) {
    let client = namespace.run(mptcp_socket);
    bind(&client, &"10.9.9.2:0".parse::<SocketAddrV4>().unwrap()).unwrap();
    let SocketAddr::V4(server) = listener.local_addr().unwrap() else { unreachable!() };
    connect(&client, &server).unwrap();
    let accepted = listener.accept().unwrap().0;
    accepted.set_nodelay(true).unwrap();
    let mut ends = (client.into(), accepted);
    exchange(&mut ends);
    let joined = || {
        let sockets = namespace.command("ss -Htn state established");
        sockets.lines().filter(|line| line.contains(&server.to_string())).count() == 4
    };
    until(joined, "a second subflow has joined");
    ends
}

/// Texts about what is not coupled.
fn uncoupled() -> Vec<String> {
    let json = anabranch(["kernel", "status", "--json"]).json();
    assert_eq!(json["uncoupled_incomplete"], Value::Null);
    let texts = json["uncoupled"].as_array().unwrap().iter();
    texts.map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// A listener for which its program chose the algorithm keeps the load of that time, and hands it on; what joins gets the new one.
#[test]
fn a_listener_that_chose_is_named_once_its_load_is_older() {
    let Some(_kernel) = Kernel::lock() else { return };
    let namespace = with_two_addresses();
    kernel(&["load", "ab_reno"]);
    let listener = listen(&namespace, 4713, |listener| set_tcp_congestion(listener, "ab_reno").unwrap());
    assert_eq!(uncoupled(), [""; 0]);
    kernel(&["unload", "reno"]);
    kernel(&["load", "ab_reno"]);
    let ends = open(&namespace, &listener);
    until(|| uncoupled().len() == 2, "the listener and its connection are named");
    let texts = uncoupled().join("\n");
    let named = format!(
        "the listener 10.9.9.1:4713 in {} will accept connections that are not coupled",
        namespace.name
    );
    assert!(texts.contains(&named), "{texts}");
    assert!(texts.contains("gets ab_reno of an earlier load, joining subflows get ab_reno"), "{texts}");
    assert!(texts.contains("its subflows use two loads of one algorithm"), "{texts}");
    drop((ends, listener));
    until(|| uncoupled().is_empty(), "nothing is left");
    kernel(&["unload", "reno"]);
}

/// Connections that `use` came too late for, and one whose other end has no MPTCP.
#[test]
fn connections_without_coupling_are_named() {
    let Some(_kernel) = Kernel::lock() else { return };
    let namespace = with_two_addresses();
    namespace.choose("reno");
    let listener = listen(&namespace, 4714, |_| ());
    let older = open(&namespace, &listener);
    assert_eq!(uncoupled(), [""; 0]);
    kernel(&["use", "ab_reno", "--netns", &namespace.name]);
    let texts = uncoupled().join("\n");
    let own = format!("(process {})", std::process::id());
    assert!(texts.contains("is not coupled: it is older than the choice") && texts.contains(&own), "{texts}");
    drop((older, listener));

    let tcp = namespace.run(|| TcpListener::bind("10.9.9.1:4715").unwrap());
    let client = namespace.run(mptcp_socket);
    connect(&client, &"10.9.9.1:4715".parse::<SocketAddrV4>().unwrap()).unwrap();
    let mut ends = (TcpStream::from(client), tcp.accept().unwrap().0);
    exchange(&mut ends);
    let of_it = format!("a connection in {} (", namespace.name);
    let is_named = |text: &String| text.starts_with(&of_it) && text.contains(") fell back to TCP");
    until(|| uncoupled().iter().any(is_named), "the fallback is named");
    drop(ends);
    namespace.choose("reno");
    kernel(&["unload", "ab_reno"]);
}

/// A listener of before `use`: what it accepts has the new algorithm, what joins after a socket option the old one.
#[test]
fn connections_that_are_not_coupled_are_named() {
    let Some(_kernel) = Kernel::lock() else { return };
    let namespace = with_two_addresses();
    namespace.choose("reno");
    let older = listen(&namespace, 4711, |_| ());
    kernel(&["use", "ab_reno", "--netns", &namespace.name]);
    let newer = listen(&namespace, 4712, |_| ());
    let status = anabranch(["kernel", "status"]);
    let said = status.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    let listener = format!("the listener 10.9.9.1:4711 in {} will accept", namespace.name);
    assert!(status.status == 0 && said.contains(&listener), "{said}");
    let own = format!("(process {})", std::process::id());
    assert!(said.contains(" Restart ") && said.contains(&own), "{said}");
    assert!(!said.contains("4712") && !said.contains("connection "), "{said}");
    let good = open(&namespace, &newer);
    assert_eq!(uncoupled().len(), 1);
    let bad = open(&namespace, &older);
    let split = |texts: &[String]| {
        texts.iter().any(|text| {
            text.contains("its subflows have several algorithms")
                && text.contains("10.9.9.1:4711→10.9.9.2:")
                && text.contains(" ab_reno")
                && text.contains("→10.9.9.3:")
                && text.contains(" reno")
        })
    };
    until(|| split(&uncoupled()), "the split connection is named");
    let monitored = anabranch(["kernel", "monitor", "--once", "--json"]).json();
    let monitored = serde_json::from_value::<Vec<String>>(monitored["uncoupled"].clone()).unwrap();
    assert!(split(&monitored), "{monitored:?}");
    drop((good, bad));

    // Listeners alone hold what was unloaded: they are its sockets.
    drop(older);
    until(|| uncoupled().is_empty(), "nothing is left");
    kernel(&["unload", "reno"]);
    namespace.choose("reno");
    let listening = |json: &Value| {
        let row = json["algorithms"].as_array().unwrap().iter().find(|row| row["kernel_name"] == "ab_reno");
        row.is_some_and(|row| (&row["state"], &row["sockets"]) == (&"unloading".into(), &1.into()))
    };
    until(|| listening(&anabranch(["kernel", "status", "--json"]).json()), "the listener is a socket");
}
