//! The compiled programs, embedded in the library.

use anabranch_cc_fixed::registry::KernelEntry;

/// Names in the kernel, builds and objects.
static OBJECTS: &[(&str, &str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/objects.rs"));

/// The ELF object of an algorithm.
pub fn object(entry: &KernelEntry) -> &'static [u8] {
    find(entry).1
}

/// Identifies the objects of this build of the library.
pub fn build(entry: &KernelEntry) -> &'static str {
    find(entry).0
}

fn find(entry: &KernelEntry) -> (&'static str, &'static [u8]) {
    let found = OBJECTS.iter().find(|(name, ..)| *name == entry.kernel_name);
    let (_, build, object) = found.expect("a test checks that each kernel algorithm has an object");
    (build, object)
}

#[cfg(test)]
mod tests {
    use anabranch_cc_fixed::registry;

    #[test]
    fn every_algorithm_has_its_object_and_no_other_is_there() {
        for entry in registry::all() {
            assert!(super::object(entry).starts_with(b"\x7fELF"), "{}", entry.kernel_name);
        }
        assert_eq!(super::OBJECTS.len(), registry::all().len());
    }
}
