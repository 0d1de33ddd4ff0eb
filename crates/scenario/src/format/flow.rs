//! `[[flows]]`.

use crate::diagnostic::At;
use crate::format::{Algorithm, Application};
use crate::leaf::{PositiveSpan, Size, Span, Whole};
use crate::model::{SubflowAction, Transport};
use crate::read::{table, words};
use crate::scheduler::Scheduler;

table! {
    /// A connection, or several identical ones. One path is plain TCP, several are MPTCP.
    struct Flow {
        /// Its name, unique in the file.
        name: At<String>,
        /// The congestion control: a name, or a table of name and parameters.
        cc: Algorithm,
        /// Which subflow sends next (MPTCP). Default: minrtt.
        scheduler: Option<Scheduler>,
        /// Whether a slow subflow that blocks the receive window has its window halved (MPTCP). Default: true, but
        /// redundant and linux never do this.
        penalise: Option<At<bool>>,
        /// The protocol on a QUIC stack. Default: backend.
        transport: Option<Transport>,
        /// Number of such flows, named NAME/1, NAME/2, …. Default: one, named NAME.
        count: Option<At<Whole<1, 10_000>>>,
        /// When the connection is opened. Default: 0 s.
        start: Option<At<Span>>,
        /// When the application stops sending. Default: the end of the run.
        stop: Option<At<Span>>,
        /// The path of each subflow: names of links from sender to receiver.
        #[schemars(length(min = 1))]
        paths: At<Vec<At<Vec<At<String>>>>>,
        /// For each path, the names of links from receiver to sender. By default, or if empty: the
        /// forward delay, without queue or loss.
        r#return: Option<At<Vec<Vec<At<String>>>>>,
        /// Numbers of the paths that are used only while no other path is usable; 1 is the first.
        backup: Option<Vec<At<Whole<1, { u64::MAX }>>>>,
        /// Subflows that are added, removed or made backup while the connection lasts.
        events: Option<Vec<Event>>,
        /// The data to send. Default: bulk until the flow stops.
        application: Option<At<Application>>,
        /// TCP's parameters.
        tcp: Option<Tcp>,
    }
}

table! {
    /// A change to the connection's subflows.
    struct Event {
        /// Time since the start of the run.
        at: At<Span>,
        /// Number of the path; 1 is the first.
        path: At<Whole<1, { u64::MAX }>>,
        /// The event.
        action: At<SubflowAction>,
    }
}

table! {
    /// Parameters of TCP.
    struct Tcp {
        /// Payload of a full segment, in bytes; the packet has 52 bytes more. MPTCP takes 20 bytes of
        /// it. Default: 1448.
        mss: Option<Whole<100, 65_000>>,
        /// Initial window, in segments. Default: 10 (RFC 6928).
        initial_window: Option<Whole<1, 1000>>,
        /// Slow-start threshold of a new subflow, in segments. Default: infinite, slow start ends with a loss.
        initial_ssthresh: Option<Whole<2, 1_000_000>>,
        /// The largest advertised window, at least the MSS. Default and maximum: 1 GiB (RFC 7323).
        receive_buffer: Option<At<Size>>,
        /// Minimum retransmission timeout. Default: 200 ms.
        min_rto: Option<PositiveSpan>,
        /// Full-sized segments per ACK. Default: 2.
        delayed_ack: Option<Whole<1, 1000>>,
        /// The longest delay of an ACK. Default: 40 ms.
        delayed_ack_timeout: Option<Span>,
        /// Whether ECN is negotiated (RFC 3168). Default: false.
        ecn: Option<bool>,
        /// Whether segments leave in bursts, as with Linux and a network card that segments them (TSO), and wait for a
        /// larger burst. Default: false, each segment leaves when the window allows it.
        tso: Option<bool>,
        /// Whether the last segment of a burst, which has PSH, is acknowledged once the application has read all data, as by
        /// Linux since 6.6; needs tso. Default: false.
        push_acks: Option<At<bool>>,
        /// Whether ACKs of segments after a hole wait for further segments, from the fourth on, as by Linux. Default: false.
        sack_compression: Option<bool>,
        /// Whether MPTCP's DSS has 64-bit data sequence numbers, as in upstream Linux: it takes 24 bytes of a segment
        /// instead of 20, and leaves room for one SACK block instead of two. Default: false.
        long_dss: Option<bool>,
        /// Whether loss recovery and its timers follow Linux in these points: F-RTO, PRR by the window and after
        /// marks, one reduction per window, the delay of a probe for a single segment, the window after a lost SYN. Default: false.
        linux_recovery: Option<bool>,
        /// Whether the window restarts at the initial window after a pause longer than the timeout (RFC 5681 §4.1).
        /// Default: true.
        slow_start_after_idle: Option<bool>,
    }
}

words! {
    Transport, "Transport", "a transport" {
        "backend" => Transport::Backend, "The backend's: QUIC on a QUIC stack, TCP elsewhere.";
        "tcp" => Transport::Tcp, "TCP everywhere; beside QUIC, the simulator's.";
    }
}

words! {
    SubflowAction, "SubflowAction", "an action" {
        "add" => SubflowAction::Add, "It joins; a path whose first event is `add` does not join at the start.";
        "remove" => SubflowAction::Remove, "It leaves.";
        "backup" => SubflowAction::Backup(true), "It is used only while no regular subflow is usable.";
        "regular" => SubflowAction::Backup(false), "It is no longer backup.";
    }
}
