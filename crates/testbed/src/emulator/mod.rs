//! The links: one thread that takes packets from the hosts' devices and gives them to others when `anabranch-net` says so.
