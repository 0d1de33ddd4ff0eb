//! What the kernel says of a socket and its subflows.
