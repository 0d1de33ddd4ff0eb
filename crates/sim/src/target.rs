//! The targets of events.

/// The target of an event that does not move a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    Timer(u32, u32),
    /// A subflow of the network.
    Ack(u32),
    Application(u32),
    Open(u32),
    Stop(u32),
    Begin(u32),
    End(u32),
    Change(u32, u32),
    /// A transfer that opens its own connection.
    Arrival(u32),
    /// The timers of a hosted flow.
    Endpoints(u32),
    WarmedUp,
    Sample,
    Finish,
    /// The end of a step of a session.
    Pause,
}
