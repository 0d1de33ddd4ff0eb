//! From a scenario's congestion control to what a socket is given.
