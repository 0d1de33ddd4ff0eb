//! Results in a lower layer of an overlay file system, as in a container made from an image: a folder there cannot be renamed.

use anabranch_test_support::command::{TWO_PATHS, binary, of_output, root, skipped};
use std::process::Command;

/// Runs into a folder of the lower layer, then twice into the same folder of the merged one; status 77 where it cannot mount. The
/// private folder of a killed command is in the lower layer, too.
const SCRIPT: &str = r#"
mount -t tmpfs none "$1" 2>&1 || exit 77
cd "$1"
mkdir lower upper work merged
"$ANABRANCH" run "$SCENARIO" --duration "300 ms" --set "warmup=0 s" --seed 1 --out lower/out >lower/said || exit 1
mkdir lower/.out.anabranch
mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged 2>&1 || exit 77
for seed in 2 3; do
    "$ANABRANCH" run "$SCENARIO" --duration "300 ms" --set "warmup=0 s" --seed $seed --replace --out merged/out >said || exit 1
    grep '"seed"' merged/out/summary.json
done
ls -A merged
"#;

#[test]
fn a_folder_of_a_lower_layer_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "sh", "-c", SCRIPT, "sh"]).arg(dir.path());
    unshare.env("ANABRANCH", binary()).env("SCENARIO", root().join(TWO_PATHS).canonicalize().unwrap());
    let Ok(output) = unshare.output() else { return skipped("the program unshare is missing") };
    let ended = of_output(&output);
    if ended.status == 77 || ended.stderr.contains("unshare:") {
        return skipped(&format!("cannot mount an overlay file system: {}{}", ended.stdout, ended.stderr));
    }
    let ended = ended.done();
    let lines: Vec<&str> = ended.stdout.lines().map(str::trim).collect();
    assert_eq!(lines, ["\"seed\": \"2\",", "\"seed\": \"3\",", "out", "said"], "{}", ended.stderr);
}
