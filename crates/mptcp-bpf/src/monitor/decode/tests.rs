use super::*;
use anabranch_cc_fixed::registry;
use anabranch_cc_fixed::shared::PATHS;
use zerocopy::IntoBytes;

fn row(index: usize, owner: u64, cwnd: f64) -> Row {
    let (ssthresh, srtt_us, min_rtt_us) = (f64::INFINITY, 20_000, Some(10_000));
    Row { index, owner, cwnd, ssthresh, srtt_us, min_rtt_us, observables: vec![] }
}

/// The content of a row.
fn shown(owner: u64, family: u16, local: &[u8], remote: &[u8]) -> shared::Subflow {
    let address = |bytes: &[u8]| std::array::from_fn(|i| bytes.get(i).copied().unwrap_or(0));
    shared::Subflow {
        owner,
        netns: 4_026_532_008,
        family,
        local_port: 40_000,
        remote_port: 5201,
        user: 0,
        mss: 1448,
        local: address(local),
        remote: address(remote),
        updated: 77_000_000,
        acked: 1_000_000,
        sent: 1_200_000,
        resent: 150_000,
        in_flight: 12,
        sent_segments: 829,
        resent_segments: 104,
        delivered: 700,
        lost: 110,
        rate_delivered: 50,
        rate_interval: 100_000,
        recoveries: 3,
        timeouts: 2,
        undone: 1,
    }
}

/// A connection's entry with these rows and what else is known of them.
fn value(entry: &KernelEntry, rows: &[Row], shown: &[(usize, shared::Subflow)]) -> Vec<u8> {
    let mut sockets = Sockets { subflow: Default::default(), socket: [0; PATHS], key: 0, users: 0 };
    for (index, subflow) in shown {
        sockets.subflow[*index] = *subflow;
    }
    [&entry.bytes(rows), sockets.as_bytes()].concat()
}

const V4: (&[u8], &[u8]) = (&[10, 77, 1, 1], &[10, 77, 1, 2]);

#[test]
fn a_connection_of_two_subflows() {
    let lia = registry::find_kernel("lia").unwrap();
    let v6 = [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    let mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1];
    let bytes = value(
        lia,
        &[row(0, 7, 10.0), row(2, 8, 30.0)],
        &[(0, shown(7, 2, V4.0, V4.1)), (2, shown(8, 10, &v6, &mapped))],
    );
    let c = connection(lia, &0x8f3a_21bc_u64.to_ne_bytes(), &bytes).unwrap();
    assert_eq!((c.key, c.key.to_string()), (Key::Token(0x8f3a_21bc), "8f3a21bc".to_owned()));
    let [a, b] = &c.subflows[..] else { panic!("{c:?}") };
    // The fields of shown(): 1,200,000 bytes were sent, 150,000 of them again; 50 segments of 1448
    // bytes in 100 ms are 5.792 Mbit/s.
    let expected = Subflow {
        owner: 7,
        netns: 4_026_532_008,
        local: "10.77.1.1:40000".parse().unwrap(),
        remote: "10.77.1.2:5201".parse().unwrap(),
        mss: 1448,
        cwnd: 10.0,
        ssthresh: f64::INFINITY,
        srtt_s: Some(0.02),
        min_rtt_s: Some(0.01),
        delivery_rate_bps: Some(5.792e6),
        in_flight_segments: 12,
        sent_bytes: 1_050_000,
        acked_bytes: 1_000_000,
        sent_segments: 829,
        delivered_segments: 700,
        lost_segments: 110,
        retransmitted_segments: 104,
        recoveries: 3,
        timeouts: 2,
        spurious: 1,
        acked_at_us: Some(77_000_000),
        observables: a.observables.clone(),
    };
    assert_eq!(*a, expected);
    assert_eq!((b.local, b.remote.ip()), ("[fd00::1]:40000".parse().unwrap(), [192, 0, 2, 1].into()));
    // RFC 6356: α = Σw · max(w/T²) / (Σ w/T)², with equal round-trip times 40 · 30 / 40².
    assert_eq!(lia.entry.observables[0].name, "alpha");
    for subflow in [a, b] {
        assert!((subflow.observables[0] - 0.75).abs() < 1e-3, "{:?}", subflow.observables);
    }
}

/// A socket without MPTCP, before its first acknowledgement.
#[test]
fn a_single_socket() {
    let reno = registry::find_kernel("reno").unwrap();
    let fresh = Row { srtt_us: 0, min_rtt_us: None, ..row(0, 3, 10.0) };
    let joined = shared::Subflow { updated: 0, rate_interval: 0, ..shown(3, 2, V4.0, V4.1) };
    let bytes = value(reno, &[fresh], &[(0, joined)]);
    let c = connection(reno, &(ALONE | 17).to_ne_bytes(), &bytes).unwrap();
    assert_eq!((c.key, c.key.to_string()), (Key::Single(17), "tcp-17".to_owned()));
    let s = &c.subflows[0];
    assert_eq!((s.srtt_s, s.min_rtt_s, s.delivery_rate_bps, s.acked_at_us), (None, None, None, None));
}

/// A row is shown once what belongs to it is its own: not while it has a former subflow's addresses.
#[test]
fn rows_that_change() {
    let lia = registry::find_kernel("lia").unwrap();
    let key = 5u64.to_ne_bytes();
    let taken = value(lia, &[row(0, 9, 10.0)], &[(0, shown(7, 2, V4.0, V4.1))]);
    assert_eq!(connection(lia, &key, &taken), None);
    let odd_family = value(lia, &[row(0, 9, 10.0)], &[(0, shown(9, 0, V4.0, V4.1))]);
    assert_eq!(connection(lia, &key, &odd_family), None);
    assert_eq!(connection(lia, &key, &value(lia, &[], &[])), None);
}

#[test]
fn other_sizes() {
    let lia = registry::find_kernel("lia").unwrap();
    let bytes = value(lia, &[row(8, 9, 10.0)], &[(8, shown(9, 2, V4.0, V4.1))]);
    assert!(connection(lia, &5u64.to_ne_bytes(), &bytes).is_some());
    for length in [0, 1, lia.group_size(), bytes.len() - 1] {
        assert_eq!(connection(lia, &5u64.to_ne_bytes(), &bytes[..length]), None, "{length}");
    }
    assert_eq!(connection(lia, &[5; 4], &bytes), None);
}

/// The compiled programs agree with what is read here.
#[test]
fn the_size_of_each_table() {
    for entry in registry::all() {
        let object = libbpf_rs::ObjectBuilder::default().open_memory(crate::object(entry)).unwrap();
        let map = object.maps().find(|map| map.name() == "connections").unwrap();
        assert_eq!(map.value_size() as usize, size(entry), "{}", entry.kernel_name);
    }
}
