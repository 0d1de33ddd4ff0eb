# Formats the output of examples/measure.rs, one kernel per file, as tables.
BEGIN { FS = "\t" }
$1 == "kernel" { split($2, part, "."); version[++kernels] = $2; kernel[kernels] = part[1] "." part[2] }
$1 == "loaded" { by[kernels] = $3; note($2) }
$1 == "program" { insns[$2, $3, kernels] = $4; insns[$2, "all together", kernels] += $4 }
$1 == "transfer" { transfers++; shares[$2, kernels] = sprintf("%.0f + %.0f", 100 * $3, 100 * $4) }
$1 == "duel" { fought++; note($2); n = ++duels[$2, kernels]; ratio[$2, kernels, n] = $3 }

function note(algorithm) {
    if (!(algorithm in known)) { known[algorithm] = 1; order[++algorithms] = algorithm }
}

# The mean and the half-width of its 95 % interval: Student's t with 4 degrees of freedom, for five duels.
function of_duels(algorithm, k,    n, i, mean, squares) {
    n = duels[algorithm, k]
    for (i = 1; i <= n; i++) mean += ratio[algorithm, k, i] / n
    for (i = 1; i <= n; i++) squares += (ratio[algorithm, k, i] - mean) ^ 2
    if (n == 0) return "–"
    return n == 5 ? sprintf("%.2f ± %.2f", mean, 2.776 * sqrt(squares / (n - 1) / n)) : sprintf("%.2f", mean)
}

function cell(value) { printf " %s |", value == "" ? "–" : value }

# One column per kernel and title.
function head(title, count,    t, k) {
    printf "\n\n| |"
    for (t = 1; t <= count; t++) for (k = 1; k <= kernels; k++) cell(title[t] kernel[k])
    printf "\n|---|"
    for (k = 1; k <= count * kernels; k++) printf "---|"
}

END {
    for (k = 1; k <= kernels; k++) printf "%s%s (registered by %s)", (k == 1 ? "" : ", "), version[k], by[k]

    printf "\n\nInstructions that the verifier processed:"
    programs = split("ab_cong_avoid,ab_ssthresh,all together", program, ",")
    split("`cong_avoid` ,`ssthresh` ,all together ", title, ",")
    head(title, programs)
    for (a = 1; a <= algorithms; a++) {
        if (order[a] !~ /^ab_/) continue
        printf "\n| `%s` |", order[a]
        for (p = 1; p <= programs; p++) for (k = 1; k <= kernels; k++) cell(insns[order[a], program[p], k])
    }

    if (!fought) { print ""; exit }
    if (transfers) printf "\n\nA transfer over two paths: the share of each, %%."
    printf "\n\nA duel: ratio of goodputs, MPTCP to TCP."
    if (transfers) split("paths ,duel ", title, ","); else title[1] = "duel "
    head(title, transfers ? 2 : 1)
    for (a = 1; a <= algorithms; a++) {
        printf "\n| `%s` |", order[a]
        for (k = 1; transfers && k <= kernels; k++) cell(shares[order[a], k])
        for (k = 1; k <= kernels; k++) cell(of_duels(order[a], k))
    }
    print ""
}
