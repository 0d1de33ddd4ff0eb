//! Real MPTCP over two paths, by programs that are not ours: both subflows run the algorithm and carry
//! data, and data arrives as it was sent.

use anabranch_test_support::algorithm::Algorithm;
use anabranch_test_support::lab::{Bottleneck, Lab, SERVER, client_address};
use anabranch_test_support::{Kernel, TOOLS, mptcp, ss, until};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};

/// A queue of 30 ms each.
const PATHS: [Bottleneck; 2] =
    [Bottleneck { mbit_s: 20.0, queue: 50 }, Bottleneck { mbit_s: 10.0, queue: 25 }];

/// A subflow carries data if it carries more than what sets it up.
const SOME_DATA: u64 = 500_000;

#[test]
fn data_arrives_as_it_was_sent() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let _algorithm = Algorithm::load("ab_lia");
    let lab = Lab::two_paths(PATHS);
    lab.set_congestion_control("ab_lia");
    let data = mptcp::noise(8_000_000);
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&data).unwrap();
    let put = format!("mptcpize run curl -sSf -H Expect: -T {} http://{SERVER}/", file.path().display());
    let listener = mptcp::listener(&lab.server, 80);
    let mut sockets = Vec::new();
    // The bottlenecks lie towards the server. A busy kernel may reset the subflow that joins: another transfer then follows.
    let upload = || {
        let curl = lab.client.start(&put);
        let mut stream = BufReader::new(listener.accept().unwrap().0);
        let header = stream.by_ref().lines().map(Result::unwrap).take_while(|line| !line.is_empty()).count();
        let mut arrived = vec![0; data.len()];
        stream.read_exact(&mut arrived).unwrap();
        assert!(header > 1 && arrived == data);
        sockets = ss::sockets(&lab.client, "dport = 80");
        stream.get_ref().write_all(b"HTTP/1.0 200 OK\r\n\r\n").unwrap();
        drop(stream);
        curl.output();
        let with_data = sockets.iter().filter(|s| s.acked > SOME_DATA);
        with_data.map(|s| s.local.clone()).collect::<BTreeSet<_>>() == [1, 2].map(client_address).into()
    };
    until(upload, "both subflows have carried data");
    assert!(sockets.iter().all(|s| s.mptcp && s.algorithm == "ab_lia"), "{sockets:?}");
}
