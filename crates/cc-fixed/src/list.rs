// Every algorithm of the kernel, in the order in which lists show them: its header in `c`, its reference in
// `multipath-cc`, and its name in the kernel, of at most 15 characters.
//
// `build.rs` compiles each header, `src/registry.rs` makes an entry of each line, and the build script of
// `anabranch-mptcp-bpf` compiles each for eBPF.

algorithms! {
    reno "reno" "ab_reno";
    lia "lia" "ab_lia";
    olia "olia" "ab_olia";
    balia "balia" "ab_balia";
    adw_balia "adw-balia" "ab_adw_balia";
    ewtcp "ewtcp" "ab_ewtcp";
    vegas "vegas" "ab_vegas";
    wvegas "wvegas" "ab_wvegas";
    cubic "cubic" "ab_cubic";
    compound "compound" "ab_compound";
    wcompound "wcompound" "ab_wcompound";
    coupled_cubic "coupled-cubic" "ab_ccubic";
    coupled_cubic_a1 "coupled-cubic-a1" "ab_ccubic_a1";
    linked_cubic "linked-cubic" "ab_lcubic";
}
