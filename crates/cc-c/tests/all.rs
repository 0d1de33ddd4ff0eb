//! The header is of the sources, and a C program gets the same windows as a Rust program.

use anabranch_cc::{Ack, Congestion, Group, Signal, registry};
use multipath_cc_c::{mpcc_free, mpcc_join, mpcc_new, mpcc_on_loss, mpcc_on_timeout, mpcc_path};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_header_is_current() {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).unwrap();
    let source = root().join("src/lib.rs");
    let mut header = Vec::new();
    cbindgen::Builder::new().with_config(config).with_src(source).generate().unwrap().write(&mut header);
    let file = root().join("include/multipath_cc.h");
    if std::env::var_os("ANABRANCH_WRITE_BOOK").is_some() {
        std::fs::write(&file, &header).unwrap();
    }
    let stored = std::fs::read(&file).unwrap();
    assert!(stored == header, "stale: ANABRANCH_WRITE_BOOK=1 cargo test -p multipath-cc-c renews {file:?}");
}

/// The program `tests/drive.c` with the static library, the newest beside this test.
fn program() -> PathBuf {
    let here = std::env::current_exe().unwrap();
    let files = here.parent().unwrap().read_dir().unwrap().map(|file| file.unwrap());
    let libraries = files.filter(|file| {
        let name = file.file_name().into_string().unwrap_or_default();
        name.starts_with("libmultipath_cc_c") && name.ends_with(".a")
    });
    let newest = libraries.max_by_key(|file| file.metadata().and_then(|data| data.modified()).ok());
    let library = newest.expect("cargo builds the static library").path();
    let program = here.with_extension("drive");
    let compiled = Command::new(std::env::var_os("CC").unwrap_or("cc".into()))
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(root().join("include"))
        .arg("-o")
        .args([&program, &root().join("tests/drive.c"), &library])
        .args(["-lm", "-lpthread", "-ldl"])
        .status()
        .expect("a C compiler");
    assert!(compiled.success());
    program
}

/// A line for the program.
fn line(kind: &str, row: usize, numbers: &[f64]) -> String {
    let bits = numbers.iter().map(|x| format!(" {:x}", x.to_bits()));
    format!("{kind} {row}{}", bits.collect::<String>())
}

/// Events of two paths with other round-trip times and losses, and a path that leaves and joins; and what the Rust group answers.
fn drive(mut group: Group, events: usize) -> (Vec<String>, Vec<String>) {
    let (mut input, mut output) = (Vec::new(), Vec::new());
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    };
    let (mut now, mut reduced) = (0.0, None);
    for row in 0..2 {
        assert_eq!(group.add_path(0.0, 10.0), row);
        input.push(line("join", row, &[0.0, 10.0]));
        output.push(answer(&group, row));
    }
    for event in 0..events {
        now += if reduced.is_some() && random() < 0.5 { 0.0 } else { 0.02 * random() };
        let row = usize::from(random() < 0.4);
        let srtt = [0.02, 0.05][row];
        let behind = reduced.take();
        match random() {
            x if x < 0.9 => {
                let rtt = if random() < 0.8 { srtt * (1.0 + 0.2 * random()) } else { 0.0 };
                let (acked, in_flight) = ((3.0 * random()).floor(), (20.0 * random()).floor());
                let (round, limited) = ((event / 20) as u64, random() < 0.9);
                let (delivered, sample) = (acked + 1.0, (rtt > 0.0).then_some(rtt));
                let ack = Ack { delivered, rtt: sample, in_flight, round, ..Ack::of(now, acked, srtt) };
                group.on_ack(row, &Ack { cwnd_limited: limited, ..ack });
                let numbers = [now, acked, delivered, rtt, srtt, in_flight, round as f64, f64::from(limited)];
                input.push(line("ack", row, &numbers));
            }
            x if x < 0.97 => {
                let (kind, signal) = match random() {
                    x if x < 0.7 => ("loss", Signal::Loss),
                    x if x < 0.9 => ("ecn", Signal::Ecn),
                    _ => ("timeout", Signal::Timeout),
                };
                match signal {
                    Signal::Timeout if behind == Some((row, now)) => group.on_timeout_again(row, now),
                    _ => group.on_congestion(row, &Congestion { now, signal }),
                }
                reduced = (signal != Signal::Timeout).then_some((row, now));
                input.push(line(kind, row, &[now]));
            }
            x if x < 0.99 => {
                group.on_spurious(row);
                input.push(line("spurious", row, &[]));
            }
            _ => {
                group.remove_path(row);
                input.push(line("leave", row, &[]));
                output.push(answer(&group, row));
                group.add_path(srtt, 10.0);
                input.push(line("join", row, &[srtt, 10.0]));
            }
        }
        output.push(answer(&group, row));
    }
    (input, output)
}

fn answer(group: &Group, row: usize) -> String {
    let path = group.path(row);
    let values = match path.active {
        true => [path.cwnd, path.ssthresh, path.pacing_rate.unwrap_or(0.0)],
        false => [0.0; 3],
    };
    values.map(|x| format!("{:016x}", x.to_bits())).join(" ")
}

#[test]
fn a_c_program_gets_the_same_windows() {
    let program = program();
    let entries = registry::ALL.iter().map(|entry| (entry.name, entry.group(&[]).unwrap()));
    for (name, group) in entries.filter(|(_, group)| !group.is_model_based()) {
        let (input, output) = drive(group, 2000);
        let mut child =
            Command::new(&program).arg(name).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || stdin.write_all((input.join("\n") + "\n").as_bytes()));
        let result = child.wait_with_output().unwrap();
        writer.join().unwrap().unwrap();
        assert!(result.status.success(), "{name}: {}", result.status);
        let seen: Vec<_> = std::str::from_utf8(&result.stdout).unwrap().lines().collect();
        assert_eq!(seen.len(), output.len(), "{name}");
        for (i, (seen, expected)) in seen.iter().zip(&output).enumerate() {
            assert_eq!(seen, expected, "{name}, event {i}");
        }
    }
}

/// RFC 9002, B.8: a loss halves the window, and persistent congestion behind it leaves the threshold there. On its own it halves, too.
#[test]
fn persistent_congestion_halves_once() {
    let group = unsafe { mpcc_new(c"reno".as_ptr()) };
    let after = |loss: bool| unsafe {
        let row = mpcc_join(group, 0.0, 100.0);
        if loss {
            mpcc_on_loss(group, row, 1.0);
        }
        mpcc_on_timeout(group, row, 1.0);
        let path = mpcc_path(group, row);
        (path.window, path.ssthresh)
    };
    assert_eq!([after(true), after(false)], [(1.0, 50.0); 2]);
    unsafe { mpcc_free(group) };
}
