//! TCP and MPTCP sockets in a host.
