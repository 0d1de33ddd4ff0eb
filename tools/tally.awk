# Passes `cargo test`'s output on and adds up its closing lines, one per test binary.
{ print }
/^test result:/ {
    for (i = 2; i <= NF; i++) {
        if ($i == "passed;") passed += $(i - 1)
        if ($i == "failed;") failed += $(i - 1)
        if ($i == "ignored;") skipped += $(i - 1)
    }
}
# A machine whose processors were taken from it cannot judge rates; the test has said so.
/: not judged, / { unjudged++ }
END { printf "%d passed, %d failed, %d skipped, %d of the passed not judged\n", passed, failed, skipped, unjudged }
