//! `anabranch kernel`, with the running kernel where it can take algorithms.

use crate::backend::{for_all_users, unprivileged};
use anabranch_test_support::command::{anabranch, binary, command, fits, folder, has, outcome, typed};
use anabranch_test_support::namespace::{Namespace, exchange, mptcp_socket};
use anabranch_test_support::{Kernel, programs, reno, skipped, until};
use rustix::net::sockopt::set_tcp_congestion;
use rustix::net::{bind, connect};
use serde_json::Value;
use std::net::{SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

/// The first row of `ab_reno`.
fn of_reno(rows: &Value) -> Value {
    let first = rows.as_array().unwrap().iter().find(|row| row["kernel_name"] == "ab_reno");
    first.cloned().unwrap_or_default()
}

/// The state of `ab_reno` in `list`.
fn state() -> String {
    of_reno(&anabranch(["kernel", "list", "--json"]).json())["state"].as_str().unwrap().to_owned()
}

fn status() -> Value {
    anabranch(["kernel", "status", "--json"]).json()
}

fn kernel(args: &[&str]) -> String {
    anabranch([&["kernel"], args].concat()).ok()
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
    let dir = folder();
    let copy = for_all_users(dir.path());
    for args in [
        &["load", "lia"][..],
        &["unload", "all"],
        &["list", "--json"],
        &["status"],
        &["doctor"],
        &["monitor", "--once"],
    ] {
        let ended = outcome(unprivileged(&copy).arg("kernel").args(args)).ended(2);
        has(&ended.stderr, ["CAP_BPF", "as root"]);
    }
    let names = outcome(unprivileged(&copy).args(["kernel", "list"])).done().stdout;
    has(&names, ["ab_lia", "as root"]);
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
    has(&list, [" reno ", " s ago "]);
    let page = kernel(&["status", "--cost", "1"]);
    fits(&page);
    has(&page, ["ab_reno", "refused"]);
    let reno = of_reno(&status()["algorithms"]);
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
    let name = &*namespace.name;
    let here = ["--netns", name];
    let said = kernel(&["use", "ab_reno", here[0], here[1]]);
    let begin = format!("New sockets of {name} use ab_reno, which is anabranch's, now loaded; before, ");
    assert!(said.starts_with(&begin), "{said}");
    assert_eq!((namespace.chosen().as_str(), state().as_str()), ("ab_reno", "loaded"));
    has(&kernel(&["unload", "reno"]), ["unloading; new sockets of", name]);
    assert_eq!(state(), "unloading");
    // By its name the kernel's own reno, and by a path.
    let said = kernel(&["use", "reno", "--netns", &format!("/run/netns/{name}")]);
    has(&said, ["use reno, which is the kernel's own (anabranch's is ab_reno); before, "]);
    assert_eq!(namespace.chosen(), "reno");
    until(|| state() == "not loaded", "nobody uses it");

    namespace.set("mptcp/enabled", "0");
    anabranch(["kernel", "use", "reno", here[0], here[1]]).notes(["MPTCP is off"]);
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
    has(&doctor.stdout, ["10.9.9.7 id 1 subflow"]);
    namespace.run(|| anabranch(["kernel", "load", "ab_reno"])).refused(["net.mptcp.enabled", "sysctl -w"]);
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
        anabranch([&["kernel", "use", "ab_reno"], place].concat()).refused(["--host"]);
    }
    assert_eq!((chosen(), state().as_str()), (before, "not loaded"));
    let using = "kernel use ab_reno --netns";
    typed(&format!("{using} /etc/passwd")).refused(["/etc/passwd: it is not a network namespace"]);
    typed(&format!("{using} nowhere")).refused(["there is no network namespace `nowhere`; "]);
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
    // The first of both loads.
    let row = of_reno(&status()["algorithms"]);
    assert_eq!((&row["state"], &row["sockets"]), (&"loaded".into(), &2.into()), "{row}");
    drop(connection);
}

/// After an upgrade: programs of another build are reported, left to their users, and replaced if they have no users.
#[test]
fn another_builds() {
    let Some(_kernel) = Kernel::lock() else { return };
    let namespace = Namespace::new();
    programs::load_as_other_build(reno(), programs::registrations()[0]);
    assert_eq!(state(), "loaded, other build");
    has(&kernel(&["status"]), ["other build"]);
    namespace.choose("ab_reno");
    has(&kernel(&["load", "ab_reno"]), [&namespace.name, "kernel unload ab_reno"]);
    assert_eq!(state(), "loaded, other build");
    namespace.choose("reno");
    let replaced = "ab_reno: loaded in place of another build's\n";
    until(|| kernel(&["load", "ab_reno"]) == replaced, "nobody uses it, and it is replaced");
    assert_eq!(state(), "loaded");
}

/// What the kernel refuses does not replace what is loaded.
#[test]
fn a_refused_load_leaves_another_builds() {
    let Some(_kernel) = Kernel::lock() else { return };
    programs::load_as_other_build(reno(), programs::registrations()[0]);
    // Too few descriptors for the programs.
    let few = "ulimit -n 12; exec \"$0\" kernel load ab_reno";
    outcome(Command::new("sh").args(["-c", few]).arg(binary())).refused(["Too many open files"]);
    assert_eq!(state(), "loaded, other build");
    kernel(&["unload", "reno"]);
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

fn uncoupled() -> Vec<String> {
    let mut json = status();
    assert_eq!(json["uncoupled_incomplete"], Value::Null);
    serde_json::from_value(json["uncoupled"].take()).unwrap()
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
    let name = &namespace.name;
    has(
        &uncoupled().join("\n"),
        [
            &format!("the listener 10.9.9.1:4713 in {name} will accept connections that are not coupled"),
            "gets ab_reno of an earlier load, joining subflows get ab_reno",
            "its subflows use two loads of one algorithm",
        ],
    );
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
    let own = format!("(process {})", std::process::id());
    has(&uncoupled().join("\n"), ["is not coupled: it is older than the choice", &own]);
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
    let listener = format!("the listener 10.9.9.1:4711 in {} will accept", namespace.name);
    let own = format!("(process {})", std::process::id());
    let said = anabranch(["kernel", "status"]).notes([&listener, " Restart ", &own]);
    assert!(!said.contains("4712") && !said.contains("connection "), "{said}");
    let good = open(&namespace, &newer);
    assert_eq!(uncoupled().len(), 1);
    let bad = open(&namespace, &older);
    let split = |texts: &[String]| {
        let several = "its subflows have several algorithms";
        let parts = [several, "10.9.9.1:4711→10.9.9.2:", " ab_reno", "→10.9.9.3:", " reno"];
        texts.iter().any(|text| parts.iter().all(|part| text.contains(part)))
    };
    until(|| split(&uncoupled()), "the split connection is named");
    let mut monitored = anabranch(["kernel", "monitor", "--once", "--json"]).json();
    let monitored: Vec<String> = serde_json::from_value(monitored["uncoupled"].take()).unwrap();
    assert!(split(&monitored), "{monitored:?}");
    drop((good, bad));

    // Listeners alone hold what was unloaded: they are its sockets.
    drop(older);
    until(|| uncoupled().is_empty(), "nothing is left");
    kernel(&["unload", "reno"]);
    namespace.choose("reno");
    let listens = || {
        let row = of_reno(&status()["algorithms"]);
        row["state"] == "unloading" && row["sockets"] == 1
    };
    until(listens, "the listener is a socket");
}
