//! The compiled programs that the library carries.

use anabranch_cc_kernel::registry::KernelEntry;

/// By the name of the source, `bpf/NAME.bpf.c`: the reference's name with `_` for `-`.
static OBJECTS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/objects.rs"));

/// The ELF object of an algorithm.
pub fn object(entry: &KernelEntry) -> &'static [u8] {
    let source = entry.reference.name.replace('-', "_");
    let found = OBJECTS.iter().find(|(name, _)| *name == source);
    found.expect("a test sees that each algorithm of the kernel has an object").1
}

#[cfg(test)]
mod tests {
    use anabranch_cc_kernel::registry;

    #[test]
    fn every_algorithm_has_its_object_and_no_other_is_there() {
        for entry in registry::all() {
            assert!(super::object(entry).starts_with(b"\x7fELF"), "{}", entry.kernel_name);
        }
        assert_eq!(super::OBJECTS.len(), registry::all().len());
    }
}
