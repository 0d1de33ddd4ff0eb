# Passes `cargo test`'s output on and adds up its closing lines, one per test binary.
{ print }
/^test result:/ {
    for (i = 2; i <= NF; i++) {
        if ($i == "passed;") passed += $(i - 1)
        if ($i == "failed;") failed += $(i - 1)
        if ($i == "ignored;") skipped += $(i - 1)
    }
}
END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }
