# Functions that boot guests, to be sourced. They need `say`, the folder `work`, and `limit`, the time limit of a guest in
# seconds.

# Copies programs with their libraries.
put_programs() {
    local root="$1" program library
    shift
    for program in "$@"; do
        cp "$program" "$root/bin/"
        for library in $(ldd "$program" | grep -o '/[^ ]*'); do
            mkdir -p "$root/${library%/*}"
            cp -uL "$library" "$root$library"
        done
    done
}

# Boots an image with the archive work/programs. The output of its second serial port goes to NAME.tsv, its messages to
# NAME.log.
guest() {
    local image="$1" name="$2"
    shift 2
    rm -f "$work/$name.tsv"
    cat "$image/initramfs" "$work/programs" >"$work/$name.initramfs"
    # The processor takes 1 ns per instruction; while it idles, the clock jumps to the next event.
    nice timeout "$limit" qemu-system-x86_64 -nodefaults -no-reboot -display none -m 512 -smp 1 -cpu max \
        -accel tcg -icount shift=0,sleep=off -rtc base=2024-01-01,clock=vm \
        -serial "file:$work/$name.log" -serial "file:$work/$name.tsv" \
        -kernel "$image/kernel" -initrd "$work/$name.initramfs" \
        -append "console=ttyS0 quiet panic=-1 -- $*" </dev/null || say "$name: QEMU's exit status $?"
}
