//! A host: an anonymous network namespace.
