//! The algorithms that find out by themselves which paths share a bottleneck, and what their authors promise.

use crate::common::*;

/// The multipath flow's rate over a neighbour's, after the time that RFC 8382's statistics take: two subflows on
/// one link beside one neighbour, or on a link each beside one neighbour there.
fn share(cc: &str, beside: &str, shared: bool) -> f64 {
    let link =
        |name: &str| format!("[links.{name}]\nrate = \"20 Mbit/s\"\ndelay = \"20 ms\"\nqueue = \"1 BDP\"\n");
    let neighbour =
        |link: &str| format!("[[flows]]\nname = \"on {link}\"\ncc = \"{beside}\"\npaths = [[\"{link}\"]]\n");
    let second = if shared { "a" } else { "b" };
    let mut text = link("a") + &neighbour("a");
    if !shared {
        text = link("a") + &link("b") + &neighbour("a") + &neighbour("b");
    }
    text += &format!("[[flows]]\nname = \"multipath\"\ncc = \"{cc}\"\npaths = [[\"a\"], [\"{second}\"]]\n");
    let shares = [1, 2, 3].map(|seed| {
        let summary = run_seed(150.0, 30.0, &text, seed);
        let rate = |name: &str| flow(&summary, name).goodput_bps.unwrap();
        rate("multipath") / rate("on a")
    });
    shares.iter().sum::<f64>() / 3.0
}

/// On separate bottlenecks MPTCP-SBD is to have clearly more than LIA, which has one flow's share in all; on a shared
/// one it is to stay fair to a single-path flow, where uncoupled Reno takes two shares (Ferlin et al., §V).
#[test]
fn mptcp_sbd_couples_where_the_bottleneck_is_shared() {
    let [lia, sbd] = ["lia", "mptcp-sbd"].map(|cc| share(cc, "reno", false));
    println!("separate links: LIA {lia:.3}, MPTCP-SBD {sbd:.3} of a Reno flow");
    assert!(sbd > 1.3 * lia && sbd < 2.15, "{lia} {sbd}");
    let [uncoupled, sbd] = ["reno", "mptcp-sbd"].map(|cc| share(cc, "reno", true));
    println!("one link: Reno twice {uncoupled:.3}, MPTCP-SBD {sbd:.3} of a Reno flow");
    assert!(sbd < 0.8 * uncoupled && sbd < 1.4, "{uncoupled} {sbd}");
}

/// C-MPBBR divides the bandwidth of a shared bottleneck, and not that of separate ones (Mahmud et al., §IV).
#[test]
fn c_mpbbr_divides_what_is_shared() {
    let [uncoupled, coupled] = ["bbr", "c-mpbbr"].map(|cc| share(cc, "bbr", true));
    println!("one link: BBR twice {uncoupled:.3}, C-MPBBR {coupled:.3} of a BBR flow");
    assert!(coupled < 0.75 * uncoupled, "{uncoupled} {coupled}");
}
