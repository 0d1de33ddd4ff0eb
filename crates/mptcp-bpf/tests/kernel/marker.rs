//! A router that marks packets (`tests/kernel/programs/mark.bpf.c`).

use anabranch_test_support::namespace::Namespace;
use anabranch_test_support::programs::map;
use libbpf_rs::{MapCore, MapFlags, Object, ObjectBuilder, TC_INGRESS, TcHookBuilder};
use std::os::fd::AsFd;

static MARK: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/mark.bpf.o"));

/// Marks what comes in by an interface, as long as there is something to mark.
pub struct Marker(Object);

impl Marker {
    pub fn attach(namespace: &Namespace, interface: &str) -> Self {
        let object = ObjectBuilder::default().open_memory(MARK).unwrap().load().unwrap();
        let link = namespace.command(&format!("ip -o link show {interface}"));
        let index = link.split(':').next().unwrap().parse().unwrap();
        let program = object.progs().next().unwrap();
        let program = program.as_fd();
        namespace.run(|| {
            let mut hook = TcHookBuilder::new(program).ifindex(index).handle(1).priority(1).hook(TC_INGRESS);
            hook.create().unwrap();
            hook.attach().unwrap();
        });
        Marker(object)
    }

    /// Marks the next packets of this number whose sender understands ECN.
    pub fn mark(&self, packets: u64) {
        map(&self.0, ".bss").update(&0u32.to_ne_bytes(), &packets.to_ne_bytes(), MapFlags::ANY).unwrap();
    }

    /// How many of them there still are.
    pub fn remaining(&self) -> u64 {
        let value = map(&self.0, ".bss").lookup(&0u32.to_ne_bytes(), MapFlags::ANY).unwrap().unwrap();
        u64::from_ne_bytes(value[..8].try_into().unwrap())
    }
}
