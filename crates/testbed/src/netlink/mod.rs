//! Requests to the kernel's network configuration.
