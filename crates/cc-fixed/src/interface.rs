// The structs and numbers that Rust and C share: all that the one writes and the other reads. C has them in `c` and
// `native`, by the names in brackets. The file that includes this list defines `shared!`: `src/shared.rs` makes the structs for
// Rust, `build.rs` assertions for the C compiler, of each name, type, offset and size. So a layout or a
// signature that changes on one side alone does not compile, neither natively nor for eBPF.
//
// In the brackets: who compiles it (`native`, the `kernel`'s programs or `both`), the struct, and whether Rust has all of it
// (`whole`), its first fields (`first`), or those behind the group of paths, whose size depends on the algorithm
// (`behind_group`). Padding has a name, so that no field of C's hides in it.

numbers! {
    /// Rows of a group.
    [both: AB_PATHS] PATHS: usize = 9;
    /// The longest distinct round-trip time, in microseconds.
    [both: AB_MAX_RTT] MAX_RTT: u32 = 100_000_000;
    /// No round-trip time has been measured.
    [both: AB_NO_RTT] NO_RTT: u32 = u32::MAX;
    /// The bit of a table's key that says: not an MPTCP connection's token, but a number of a TCP socket's.
    [kernel: AB_ALONE] ALONE: u64 = 1 << 63;
}

shared! {
    /// Round-trip times as they were measured, microseconds.
    #[derive(Clone, Default)]
    [both: ab_samples whole]
    Samples {
        sum: u64,
        count: u32,
        last: u32,
        min: u32,
        max: u32,
    }

    /// The content of one acknowledgement, or of several together.
    #[derive(Clone, Default)]
    [both: ab_ack whole]
    Ack {
        rtt: Samples,
        now: u64,
        acked: u32,
        delivered: u32,
        srtt: u32,
        ends_round: u32,
        limited: u32,
        burst: u32,
        rto: u64,
    }

    /// Acknowledgements not reported to a row.
    #[derive(Clone, Default)]
    [both: ab_waiting whole]
    Waiting {
        paused: u64,
        acked: u32,
        shown: u32,
    }

    /// The same with all that they say.
    #[derive(Clone, Default)]
    [native: ab_pending whole]
    Pending {
        waiting: Waiting,
        ack: Ack,
        any: u64,
    }

    /// The visible state of a row.
    #[derive(Clone, Copy, Default)]
    [native: ab_view whole]
    View {
        owner: u64,
        cwnd: f64,
        ssthresh: f64,
        srtt: u32,
        min_rtt: u32,
    }

    /// An algorithm's functions.
    [native: ab_native whole]
    Functions {
        group_size: u64,
        added: unsafe extern "C" fn(*mut Group, u32, u64, f64, u32),
        removed: unsafe extern "C" fn(*mut Group, u32),
        ack: unsafe extern "C" fn(*mut Group, u32, *mut Pending, *const Ack),
        congestion: unsafe extern "C" fn(*mut Group, u32, *mut Pending, u64),
        timed_out: unsafe extern "C" fn(*mut Group, u32),
        spurious: unsafe extern "C" fn(*mut Group, u32),
        paused: unsafe extern "C" fn(*mut Group, u32, u64),
        set: unsafe extern "C" fn(*mut Group, u32, f64, f64),
        adopt: unsafe extern "C" fn(*mut Group, u32, u32, u32) -> i32,
        view: unsafe extern "C" fn(*const Group, u32, *mut View),
        observables: u64,
        observe: unsafe extern "C" fn(*const Group, u32, u64, *mut f64, u32),
    }

    /// A subflow's state outside of the algorithm; units as in C.
    #[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
    [kernel: ab_subflow whole]
    Subflow {
        owner: u64,
        netns: u32,
        family: u16,
        local_port: u16,
        remote_port: u16,
        user: u16,
        mss: u32,
        local: [u8; 16],
        remote: [u8; 16],
        updated: u64,
        acked: u64,
        sent: u64,
        resent: u64,
        in_flight: u32,
        sent_segments: u32,
        resent_segments: u32,
        delivered: u32,
        lost: u32,
        rate_delivered: u32,
        rate_interval: u32,
        recoveries: u32,
        timeouts: u32,
        undone: u32,
    }

    /// The end of a table's entry, behind the group.
    #[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
    [kernel: ab_connection behind_group]
    Sockets {
        subflow: [Subflow; PATHS],
        socket: [u64; PATHS],
        key: u64,
        users: u64,
    }

    /// The counters of an algorithm's programs, since it was loaded.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, Immutable, KnownLayout)]
    [kernel: ab_counters first]
    Counters {
        /// Connected sockets that use it now: TCP sockets and subflows of MPTCP.
        sockets: u64,
        /// Rows that could not be had: no memory, no share left, or too many connections or subflows.
        refused: u64,
        /// The number given to the last requested row. The first row of a load has 1, or 2^32 n + 1 beside earlier loads.
        owners: u64,
    }
}
