# `make help` lists the targets. `make run` and `make test` need nothing but a Swift toolchain; they install the rest.

SWIFT   ?= swift
PYTHON  ?= python3
PREFIX  ?= /usr/local
SYSCONFDIR ?= /etc
DESTDIR ?=
STRIP   ?= strip
# For a debugger: make build DEBUG_INFO=dwarf. It takes a twelfth longer, makes the binaries twice as large, and is not installed.
DEBUG_INFO ?= none

# One set of flags for every flavour. Debug and release live apart inside .build; each further flavour has a
# scratch path of its own, so that none rebuilds another. Packages that use this one share theirs, so that it is built for them once.
FLAGS   := --explicit-target-dependency-import-check error -Xswiftc -require-explicit-sendable
# Across modules, so that the store, which is generic, is compiled for the app it runs: half of its instructions a dispatch.
# Exclusive access is proven by the compiler or checked in every debug build and test; at run time it costs a tenth.
# The trait has places compiled in at which a test can let the process die.
TESTS   := --traits CrashPoints $(FLAGS)
ARCHIVES := .build/archives
# Functions that came out the same are there once (--icf): a hundredth of each binary.
# Of libstdc++ a tenth is used, which its archive gives alone: a megabyte that an idle daemon would keep resident.
RELEASE := -c release --static-swift-stdlib -Xswiftc -cross-module-optimization -Xswiftc -enforce-exclusivity=unchecked -debug-info-format $(DEBUG_INFO) -Xlinker --icf=safe -Xlinker -L$(abspath $(ARCHIVES)) $(FLAGS)
BIN     := .build/release
FLAVOUR  = --scratch-path .build/flavours/
# With an index, which a test bundle is made from, and without the cached plan, which is that of the package built last.
DEPENDENT = $(FLAVOUR)dependents --disable-build-manifest-caching
VENV    := .build/venv
RUNS    ?= 100
VARLINK := 31.0.0
ICALENDAR := 7.3.2
PYTODOTXT := 3.1.0
PLAYWRIGHT := 1.65.2
AXE     := 0.1.8
PYPI    := $(VENV)/pypi-$(VARLINK)-$(ICALENDAR)-$(PYTODOTXT)-$(PLAYWRIGHT)-$(AXE)
DEPENDENTS := .build/flavours/dependents/debug
COUNTERD := $(DEPENDENTS)/counterd
SOURCES := $(wildcard Package.swift Sources Tests Plugins Benchmarks/Package.swift Benchmarks/Sources Examples)

.DEFAULT_GOAL := help
.PHONY: help setup setup-test programs build run demo test test-example test-faces lint bench docs install deb test-deb test-cluster clean test-tsan test-asan

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup:
	@.ci/packages build
	@mkdir -p $(ARCHIVES)
	@ln -sf "$$(clang -print-file-name=libstdc++.a)" $(ARCHIVES)

setup-test: $(PYPI)
	@:

# The stamp is made last, so that an interrupted installation starts again.
$(PYPI):
	@.ci/packages test
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check varlink==$(VARLINK) \
	    icalendar==$(ICALENDAR) pytodotxt==$(PYTODOTXT) playwright==$(PLAYWRIGHT) axe-playwright-python==$(AXE)
	touch $@

# Package.swift reads the variable and explains it.
OPTIMIZED = TODOD_OPTIMIZED=1 $(SWIFT) build $(RELEASE) --product

programs: setup
	@[ -e $(BIN)/todoctl ] || echo "The first build takes about five minutes on two cores; later ones take seconds."
	$(OPTIMIZED) todod
	$(OPTIMIZED) todoctl

build: programs ## release build of todod, todoctl and todoweb in .build/release
	$(OPTIMIZED) todoweb

run: programs ## build, then todod in the foreground on your own directories
	@exec $(BIN)/todod

demo: programs ## a tour of the main verbs on a private daemon, with a crash in the middle
	@TODOD=$(BIN)/todod TODOCTL=$(BIN)/todoctl .ci/demo

# The page is tested alone, because its timeouts are meant for a machine that a person uses.
test: setup-test lint ## lint, strict build, all tests; the example and the benchmarks build
	@.ci/packages test
	$(SWIFT) build --build-tests $(TESTS)
	$(SWIFT) test --skip-build $(TESTS) --skip DaemonTests
	$(SWIFT) test --skip-build $(TESTS) --filter DaemonTests --skip 'FaultTests|BrowserTests'
	$(SWIFT) test --skip-build $(TESTS) --filter BrowserTests
	$(SWIFT) test --skip-build $(TESTS) --filter FaultTests
	$(MAKE) test-example
	$(SWIFT) build --package-path Benchmarks $(DEPENDENT)

# A run that failed is made again by its seed: CLUSTER_SEED=17 make test-cluster
test-cluster: export CLUSTER_RUNS = $(RUNS)
test-cluster: export CLUSTER_DISPATCHES = 30000
test-cluster: setup-test ## members and daemons of a cluster that die, freeze and are cut off, 100 runs of 30,000 dispatches (RUNS=100)
	@.ci/packages test
	$(SWIFT) build --build-tests $(TESTS)
	$(SWIFT) test --skip-build $(TESTS) --filter FaultTests

# Programs of other packages, built as such. Their products are named, since a build of everything links todod, too.
test-example: .build/debug/todoctl ## the examples: their tests, and their daemons, driven by the client
	$(SWIFT) build --package-path Examples/Counter $(DEPENDENT) --product counterd
	$(SWIFT) build --package-path Examples/Counter $(DEPENDENT) --product tally
	COUNTERD=$(COUNTERD) TALLY=$(DEPENDENTS)/tally TODOCTL=.build/debug/todoctl .ci/example
	$(SWIFT) build --package-path Examples/Links $(DEPENDENT) --product linksd
	$(SWIFT) build --package-path Examples/Links $(DEPENDENT) --product linkpage
	$(SWIFT) build --package-path Examples/Links $(DEPENDENT) --product linksdPackageTests
	$(SWIFT) test --skip-build --package-path Examples/Links $(DEPENDENT)
	LINKSD=$(DEPENDENTS)/linksd LINKPAGE=$(DEPENDENTS)/linkpage TODOCTL=.build/debug/todoctl .ci/example-links

# The browser is Debian's, since none is downloaded.
test-faces: setup-test build ## what people see, all of it: the page in a browser
	@.ci/packages test
	$(SWIFT) build --package-path Examples/Counter $(DEPENDENT) --product counterd
	$(VENV)/bin/python Tests/Browser --todod $(BIN)/todod --todoctl $(BIN)/todoctl --todoweb $(BIN)/todoweb --counterd $(COUNTERD)

.build/debug/todoctl:
	$(SWIFT) build --product todoctl $(TESTS)

# A package import takes every function that uses the module out of what other modules can be compiled together with:
# the store would run a third slower, and nothing would say so. Of LinuxService a dispatch
# needs the right of its peer alone, which no such import touches.
lint: ## swift format, strictly
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	@! grep -rn --exclude-dir=LinuxService '^package import' Sources || { echo "Make these imports public or internal."; exit 1; }

test-tsan: FLAVOURED = $(TESTS) --sanitize=thread $(FLAVOUR)tsan
test-tsan: PRELOADED = $(abspath .build/mutex-for-tsan.so)
test-tsan: setup-test ## the tests under ThreadSanitizer
	$(SWIFT) build --build-tests $(FLAVOURED)
	clang -shared -fPIC -O1 -o $(PRELOADED) Tests/ThreadSanitizer/mutex-for-tsan.c
	LD_PRELOAD=$(PRELOADED) $(SWIFT) test --skip-build $(FLAVOURED) --skip DaemonTests
	LD_PRELOAD=$(PRELOADED) $(SWIFT) test --skip-build $(FLAVOURED) --filter DaemonTests

test-asan: FLAVOURED = $(TESTS) --sanitize=address $(FLAVOUR)asan
test-asan: export ASAN_OPTIONS = detect_leaks=0
test-asan: setup-test ## the tests under AddressSanitizer
	$(SWIFT) build --build-tests $(FLAVOURED)
	$(SWIFT) test --skip-build $(FLAVOURED) --skip DaemonTests
	$(SWIFT) test --skip-build $(FLAVOURED) --filter DaemonTests

bench: build ## the benchmarks: a table, and JSON beside it; ONLY="size faces" runs those parts alone
	$(SWIFT) run -c release --package-path Benchmarks $(FLAVOUR)bench todod-bench $(addprefix --only ,$(ONLY)) \
	    --todod $(BIN)/todod --todoctl $(BIN)/todoctl --todoweb $(BIN)/todoweb --json .build/benchmarks.json \
	    --python $(VENV)/bin/python

$(BIN)/todod $(BIN)/todoctl $(BIN)/todoweb:
	$(MAKE) build

# Without the symbols, which only a debugger reads: a third less.
install: $(BIN)/todod $(BIN)/todoctl $(BIN)/todoweb ## binaries, units, configuration, manual pages, completions (DESTDIR, PREFIX)
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/lib/systemd/system" "$(DESTDIR)$(PREFIX)/lib/systemd/user" \
	    "$(DESTDIR)$(PREFIX)/lib/sysusers.d" "$(DESTDIR)$(SYSCONFDIR)/todod" \
	    "$(DESTDIR)$(PREFIX)/share/man/man1" "$(DESTDIR)$(PREFIX)/share/man/man7" "$(DESTDIR)$(PREFIX)/share/man/man8" \
	    "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" \
	    "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	install -s --strip-program=$(STRIP) -m 0755 $(BIN)/todod $(BIN)/todoctl $(BIN)/todoweb "$(DESTDIR)$(PREFIX)/bin"
	for unit in todod.service todod.socket user/todod.service user/todod.socket; do \
	    sed "s,/usr/local/bin/todod,$(PREFIX)/bin/todod," systemd/$$unit > .build/unit && \
	    case $$unit in user/*) place=$$unit ;; *) place=system/$$unit ;; esac && \
	    install -m 0644 .build/unit "$(DESTDIR)$(PREFIX)/lib/systemd/$$place" || exit 1; \
	done; rm -f .build/unit
	install -m 0644 systemd/todod.sysusers "$(DESTDIR)$(PREFIX)/lib/sysusers.d/todod.conf"
	[ -e "$(DESTDIR)$(SYSCONFDIR)/todod/todod.env" ] || \
	    install -m 0644 config/todod.env "$(DESTDIR)$(SYSCONFDIR)/todod/todod.env"
	install -m 0644 Sources/Programs/todoctl/Manual/todoctl.1 "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -m 0644 Sources/Programs/todod/Manual/todod.8 "$(DESTDIR)$(PREFIX)/share/man/man8"
	install -m 0644 Sources/Programs/todod/Manual/todod-cluster.7 "$(DESTDIR)$(PREFIX)/share/man/man7"
	$(BIN)/todoctl completions bash | sed '1{/^#!/d}' > "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/todoctl"
	$(BIN)/todoctl completions zsh > "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_todoctl"
	$(BIN)/todoctl completions fish > "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/todoctl.fish"
	@if [ -z "$(DESTDIR)" ]; then \
	    echo "For the whole machine: systemd-sysusers && systemctl daemon-reload && systemctl enable --now todod.socket"; \
	    echo "For yourself: systemctl --user daemon-reload && systemctl --user enable --now todod.socket"; \
	fi

deb: ## a Debian package in .build/deb, checked by lintian
	@.ci/packages deb
	fakeroot debian/rules clean
	fakeroot debian/rules binary
	lintian --fail-on error .build/deb/todod_*.deb

test-deb: deb ## the package on a minimal Debian with a systemd of its own; as root
	.ci/try-deb .build/deb/todod_*.deb

# The plugin is no dependency of the package, unless the variable is set.
docs: ## the articles and the reference of the library, for a web server, in .build/docs
	TODOD_DOCS=1 $(SWIFT) package $(FLAVOUR)docs --allow-writing-to-directory .build/docs generate-documentation \
	    --target Chronicle --warnings-as-errors --disable-parameters-and-returns-validation --transform-for-static-hosting --output-path .build/docs

clean: ## remove everything that was built
	rm -rf .build
