use super::*;
use anabranch_cc_fixed::registry;

fn row(index: usize, owner: u64, cwnd: f64) -> Row {
    Row {
        index,
        owner,
        cwnd,
        ssthresh: f64::INFINITY,
        srtt_us: 20_000,
        min_rtt_us: Some(10_000),
        observables: vec![],
    }
}

/// A `struct ab_subflow` as a C compiler lays it out: by hand, from `bpf/connections.h`.
fn subflow_bytes(owner: u64, family: u16, local: &[u8], remote: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; SUBFLOW];
    let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
    put(0, &owner.to_ne_bytes());
    put(8, &4_026_532_008u32.to_ne_bytes());
    for (at, field) in [(12, family), (14, 40_000), (16, 5201)] {
        put(at, &field.to_ne_bytes());
    }
    put(20, &1448u32.to_ne_bytes());
    put(24, local);
    put(40, remote);
    for (at, field) in [(56, 77_000_000u64), (64, 1_000_000), (72, 1_200_000), (80, 150_000)] {
        put(at, &field.to_ne_bytes());
    }
    for (i, field) in [12u32, 829, 104, 700, 110, 50, 100_000, 3, 2, 1].into_iter().enumerate() {
        put(88 + 4 * i, &field.to_ne_bytes());
    }
    bytes
}

/// A connection's entry with these rows and what else is known of them.
fn value(entry: &KernelEntry, rows: &[Row], subflows: &[(usize, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = entry.bytes(rows);
    bytes.resize(size(entry), 0);
    for (index, subflow) in subflows {
        let at = entry.group_size() + index * SUBFLOW;
        bytes[at..at + SUBFLOW].copy_from_slice(subflow);
    }
    bytes
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
        &[(0, subflow_bytes(7, 2, V4.0, V4.1)), (2, subflow_bytes(8, 10, &v6, &mapped))],
    );
    let c = connection(lia, &0x8f3a_21bc_u64.to_ne_bytes(), &bytes).unwrap();
    assert_eq!((c.key, c.key.to_string()), (Key::Token(0x8f3a_21bc), "8f3a21bc".to_owned()));
    let [a, b] = &c.subflows[..] else { panic!("{c:?}") };
    // The fields of subflow_bytes(): 1,200,000 bytes were sent, 150,000 of them again; 50 segments of 1448
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
    let mut subflow = subflow_bytes(3, 2, V4.0, V4.1);
    subflow[56..].fill(0);
    let c = connection(reno, &(1u64 << 63 | 17).to_ne_bytes(), &value(reno, &[fresh], &[(0, subflow)]));
    let c = c.unwrap();
    assert_eq!((c.key, c.key.to_string()), (Key::Single(17), "tcp-17".to_owned()));
    let s = &c.subflows[0];
    assert_eq!((s.srtt_s, s.min_rtt_s, s.delivery_rate_bps, s.acked_at_us), (None, None, None, None));
}

/// A row is shown once what belongs to it is its own: not while it has a former subflow's addresses.
#[test]
fn rows_that_change() {
    let lia = registry::find_kernel("lia").unwrap();
    let key = 5u64.to_ne_bytes();
    let taken = value(lia, &[row(0, 9, 10.0)], &[(0, subflow_bytes(7, 2, V4.0, V4.1))]);
    assert_eq!(connection(lia, &key, &taken), None);
    let odd_family = value(lia, &[row(0, 9, 10.0)], &[(0, subflow_bytes(9, 0, V4.0, V4.1))]);
    assert_eq!(connection(lia, &key, &odd_family), None);
    assert_eq!(connection(lia, &key, &value(lia, &[], &[])), None);
}

#[test]
fn other_sizes() {
    let lia = registry::find_kernel("lia").unwrap();
    let bytes = value(lia, &[row(8, 9, 10.0)], &[(8, subflow_bytes(9, 2, V4.0, V4.1))]);
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
