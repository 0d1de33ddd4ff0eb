# setup · page · reproduce · test · bench · random · fuzz · hostile. Targets that build call setup first, which is quick if
# nothing is missing.

SHELL := bash -o pipefail
export PATH := $(or $(CARGO_HOME),$(HOME)/.cargo)/bin:$(PATH)
FUZZ_SECONDS ?= 60
HOSTILE ?= 200
ROUNDS ?= 100
# Files that a macro declares as modules, which `cargo fmt` misses.
LISTED := $(wildcard crates/cc/src/*.rs crates/cc/src/*/*.rs crates/net/src/loss/*.rs crates/net/src/aqm/*.rs crates/sim/src/schedule/*.rs)
# `--features linux,quic` where the machine has what the first needs, else `--features quic`. Not before setup has run.
FEATURES = $(shell tools/setup.sh features)
HAS_LINUX = $(findstring linux,$(FEATURES))
WORKSPACE = --workspace $(FEATURES) $(if $(HAS_LINUX),,$(addprefix --exclude anabranch-,mptcp-bpf testbed test-support cli bench))
# How long each part of `make test` took.
TIMES = $(TARGET)/times
TARGET = $(or $(CARGO_TARGET_DIR),target)
RELEASE = $(TARGET)/release/anabranch
# `make test` uses the binary that its tests have built: results are the same, byte for byte.
ANABRANCH_BINARY ?= $(RELEASE)
# The report names the commit.
ANABRANCH = ANABRANCH_COMMIT="$$(git describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null)" $(ANABRANCH_BINARY)

# For root on a kernel with BTF and MPTCP, the tests of the kernel's algorithms must not be skipped.
export ANABRANCH_REQUIRE_KERNEL ?= $(shell [ "$$(id -u)" = 0 ] && [ -e /sys/kernel/btf/vmlinux ] && \
	[ -e /proc/sys/net/mptcp/enabled ] && unshare --net true 2>/dev/null && echo 1)
# For root on Debian, setup installs Chromium, and the tests of pages must not be skipped.
export ANABRANCH_REQUIRE_BROWSER ?= $(shell [ "$$(id -u)" = 0 ] && grep -qsx ID=debian /etc/os-release && echo 1)

.PHONY: help release release-check noq-patches artefact semver setup setup-test setup-release build page page-check site reproduce test unskipped lint unit python wheel deny docs quick instructions cross-check bench random fuzz hostile fmt pictures report-picture guest-images guests test-kernels kernel-proof
.NOTPARALLEL:

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what building needs and this machine lacks: C compilers, libraries, the Rust toolchain
	@tools/setup.sh build

setup-test: ## the same, and what the tests use: Chromium, tshark, Valgrind, iperf3 and others
	@tools/setup.sh test

build: setup ## build the release binary, target/release/anabranch
	cargo build --release --locked $(FEATURES) --bin anabranch

page: setup ## build the laboratory, a page that simulates in a browser: target/page/laboratory.html
	@tools/page.sh

$(RELEASE): build

page-check: $(ANABRANCH_BINARY) ## build it, compare its records with the command's, and check pages for assistive technology
	@tools/page.sh --check $(ANABRANCH_BINARY)

reproduce: build page ## run every paper's experiments and every algorithm's standard cases; the report is out/report/index.html
	$(ANABRANCH) paper all --no-variants --quick-first --replace
	@tools/weight.sh out/report 15

test: export BESIDE = $(addprefix timed-,python docs)
test: export APART = $(addprefix timed-,deny instructions quick page-check)
test: export ANABRANCH_BINARY = $(if $(HAS_LINUX),$(TARGET)/debug/anabranch,$(RELEASE))
test: unskipped setup-test $(addprefix timed-,lint unit) ## run every check; print how long each took, and the skipped ones
	@cat $(TIMES)
	@tools/skipped.sh --count

unskipped:
	@tools/skipped.sh --clear
	@rm -f $(TIMES)

timed-%:
	@start=$$SECONDS; $(MAKE) --no-print-directory $*; status=$$?; \
	echo "test: $*: $$((SECONDS - start)) s$$([ $$status = 0 ] || echo ', failed')" | tee -a $(TIMES); exit $$status

lint: ## check formatting, clippy, that multipath-cc can be packed for a registry, the wording of README, book and other pages, circles of imports, and the subjects of commits
	cargo fmt --all --check -- $(LISTED)
	cargo metadata --quiet --locked --format-version 1 --manifest-path fuzz/Cargo.toml >/dev/null
	cargo clippy $(WORKSPACE) --all-targets --locked -- -D warnings
	cargo clippy --package multipath-cc --no-default-features --locked -- -D warnings
	cargo package --quiet --package multipath-cc --locked --allow-dirty
	python3 tools/words.py --self-test
	python3 tools/words.py
	python3 tools/words.py --commits
	python3 tools/circles.py --self-test
	python3 tools/circles.py

# The random cases are fixed, so that a failure is due to a change; `make random` draws others.
unit: export PROPTEST_RNG_SEED ?= 1
unit: ## run cargo test and add up its results
	@command -v "$${CHROMIUM:-chromium}" >/dev/null || tools/skipped.sh "the pages of reports in a browser" "Chromium is not installed"
	@[ -n "$(HAS_LINUX)" ] || tools/skipped.sh "the command, the testbed and the kernel's algorithms" "the libraries of the feature linux are not installed"
	@tools/unit.sh $(WORKSPACE)

python: ## test the Python package, as a wheel
	@tools/python.sh test

wheel: page ## build the Python package's wheel, into target/wheels
	@tools/python.sh wheel

deny: ## check licences, sources and known vulnerabilities of the dependencies
	@tools/deny.sh

setup-release: ## install what making and checking the files of a release uses: buildah, debootstrap, QEMU and others
	@tools/setup.sh release

release: setup-release page ## make the files of a release under dist/; needs the report of make reproduce
	@tools/release.sh

release-check: setup-release ## try the files under dist/ as users would: bare roots of Debian 12 and 13, pip, cargo install, the same bytes
	@tools/release-check.sh

noq-patches: setup ## test the patches for the QUIC stack noq, each without and with its change; see contrib/noq
	@contrib/noq/try.sh

artefact: ## put sources, outcomes and environment into one archive under dist/; needs the report of make reproduce
	@tools/release.sh artefact

semver: ## check that the public crates keep their interface since the last tag, or since BASE=COMMIT
	@tools/semver.sh --self-test
	@tools/semver.sh $(BASE)

site: setup ## put report, book, laboratory and a front page into target/site; needs the report of make reproduce
	@tools/site.sh target/site

docs: ## build the crates' documentation and the book
	RUSTDOCFLAGS="-D warnings" cargo doc $(WORKSPACE) --no-deps --locked
	@tools/book.sh

quick: page $(ANABRANCH_BINARY) ## reproduce at the quick size, into target/quick
	$(ANABRANCH) paper all --quick --replace --out target/quick
	@tools/weight.sh target/quick/report 12

instructions: setup-test ## check the instructions per packet against bench/instructions.txt (callgrind)
	@tools/instructions.sh

guest-images: ## build the guest images of Debian's kernels 6.1, 6.12 and newest
	@tools/guest-image.sh

guests: setup-test ## load and try every algorithm in Debian's kernels 6.1 and 6.12, under QEMU
	@tools/test-kernels.sh --guests

test-kernels: setup-test ## the same, also in the running kernel, as one table; see the book, "Measured on Linux"
	@tools/test-kernels.sh

kernel-proof: setup-test ## test on this kernel: duels in twelve runs each, 10,000 connections; see the book, "Measured on Linux"
	cargo test --locked -p anabranch-mptcp-bpf --test kernel -- --ignored --nocapture duel churn

cross-check: setup ## check that the command, with QUIC and without Linux kernels, compiles for macOS and Windows
	@tools/cross-check.sh

bench: setup-test build ## measure speed and memory, and compare with ns-3; see bench/README.md
	@bench/run

random: setup ## run the property tests of simulator, links, optima and arithmetic ROUNDS=100 times with new random cases
	@tools/random.sh $(ROUNDS)

fuzz: setup ## fuzz algorithms, captures, traces, scenarios and studies, each for FUZZ_SECONDS=60; see the book
	@tools/fuzz.sh $(FUZZ_SECONDS)

hostile: setup-test ## run the hostile tests HOSTILE=200 times: mutants, faults, kills and signals; about an hour
	ANABRANCH_HOSTILE=$(HOSTILE) cargo test --release --locked -p anabranch-cli $(FEATURES) --test hostile -- --nocapture --test-threads 1

pictures: setup-test ## redraw the pictures of README and book with the commands beside them
	ANABRANCH_WRITE_BOOK=1 cargo test --locked -p anabranch-cli $(FEATURES) --test all pictures::

report-picture: setup-test reproduce ## renew the README's screenshot of the report, with Chromium
	"$${CHROMIUM:-chromium}" --headless --no-sandbox --hide-scrollbars --window-size=1280,1300 \
		--screenshot=docs/src/report.png "file://$(CURDIR)/out/report/index.html"

fmt: ## format the sources
	cargo fmt --all -- $(LISTED)
