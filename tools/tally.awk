# Adds up the results of all test binaries in the output of `cargo test`.
/^test result:/ {
    for (i = 2; i <= NF; i++) {
        if ($i == "passed;") passed += $(i - 1)
        if ($i == "failed;") failed += $(i - 1)
        if ($i == "ignored;") skipped += $(i - 1)
    }
}
# A machine with steal time cannot judge rates; such a test prints this.
/: not judged, / { unjudged++ }
END { printf "%d passed, %d failed, %d skipped, %d of the passed not judged\n", passed, failed, skipped, unjudged }
