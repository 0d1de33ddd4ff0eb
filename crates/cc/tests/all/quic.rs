//! The controllers of noq, over real sockets.

use std::time::Duration;

#[path = "../../examples/two_paths/main.rs"]
#[allow(dead_code)]
mod two_paths;

#[test]
fn two_paths_over_loopback_addresses() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let outcome = runtime.block_on(two_paths::transfer(10_000_000)).unwrap();
    assert_eq!((outcome.used.len(), outcome.coupled.len()), (2, 2));
    for (used, cwnd) in outcome.used.iter().zip(outcome.coupled) {
        assert!(used.packets > 100, "{} packets", used.packets);
        // The least size of a QUIC packet, and the largest that the stack tries.
        assert!((1200.0..1453.0).contains(&(used.window as f64 / cwnd)), "{} bytes, {cwnd}", used.window);
    }
    // The connection drains for three timeouts, then its controllers are dropped.
    let freed = || outcome.paths.lock().paths().count() == 0;
    runtime.block_on(async {
        for _ in 0..1000 {
            if freed() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    assert!(freed(), "its paths leave the group");
}
