//! Applications at both ends of a connection.
