# `make run` starts Teahouse, `make test` tests it; both install what they need on first use.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Markers: the packages for running, and those for developing, are installed. Redone when the lock file changes.
RUN := $(VENV)/.installed
DEV := $(VENV)/.installed-dev
# Marker: the package teahouse/ is generated.
CODE := teahouse/.generated
# TypeScript checks the types of the web table.
TYPESCRIPT := typescript@5.9.3
TSC := build/tools/node_modules/.bin/tsc
# Write the list of dependencies and their licences.
SBOM_TOOLS := cyclonedx-bom==7.5.0 pip-licenses==5.5.5
PROTOS := $(shell find proto -name '*.proto') proto/generate.py
LOCK := uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links --no-header \
	--python-version 3.11 pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help run test test-fast test-stack lint types format bench arena peers soak chaos screenshots proto new-game \
	deployment kubernetes lock platforms doctor sbom clean
.DELETE_ON_ERROR:
.NOTPARALLEL:

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(RUN) $(CODE) ## start everything on http://127.0.0.1:8080 (TEAHOUSE_PORT); Ctrl-C stops it
	@exec $(BIN)/python -m deploy.local

test: test-fast test-stack ## run every test; those that need Docker or a browser are skipped where there is none

test-fast: $(DEV) $(CODE) ## run the tests of single parts, in parallel
	$(BIN)/python -m pytest -n 2 --ignore=tests/contract --ignore=tests/integration --ignore=tests/containers \
		--ignore=tests/browser

# Tests with containers run last: when their networks come and go, Chromium aborts what it is loading.
test-stack: $(DEV) $(CODE) ## run the tests against a running stack, two files at a time
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder tests/browser tests/integration \
		tests/contract tests/containers -rs

lint: $(DEV) $(CODE) ## check style, formatting, imports between rooms, and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --cache-dir build/import_linter
	$(BIN)/mypy
	@$(MAKE) --no-print-directory types

types: ## check the types of the web table, where Node is installed
	@if command -v npm >/dev/null && { test -x $(TSC) || npm install --silent --no-audit --no-fund --fetch-retries=1 --fetch-timeout=20000 --prefix build/tools $(TYPESCRIPT); }; \
	then echo $(TSC) --project gateway/web/jsconfig.json; $(TSC) --project gateway/web/jsconfig.json; \
	else echo "the types of the web table were not checked: Node or TypeScript is missing"; fi

format: $(DEV) ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(DEV) $(CODE) ## measure moves per second through the whole stack
	$(BIN)/python -m tests.bench

arena: $(DEV) $(CODE) ## play bots against each other: GAME=tea_garden A=medium B=greedy N=40 (SEATS=2 OPTIONS='{…}' WEIGHTS='{…}' PLOT=file.png)
	$(BIN)/python -m services.bots.arena $(GAME) $(A) $(B) --games $(or $(N),100) --seats $(or $(SEATS),2) \
		--options '$(or $(OPTIONS),{})' --weights '$(WEIGHTS)' --plot $(or $(PLOT),build/arena/$(GAME)-$(A)-$(B).png)

peers: ## install other game engines for `make bench` to compare with, in build/peers (one needs npm)
	$(PYTHON) -m venv build/peers/venv
	build/peers/venv/bin/pip install --quiet catanatron
	-npm install --prefix build/peers boardgame.io@0.50.2 node-persist@3

soak: $(DEV) $(CODE) ## run every long test: thousands of random games, killed processes, races, tickets (hours)
	$(BIN)/python -m tests.campaigns.random_games
	$(BIN)/python -m tests.unit.tea_garden.lookahead
	$(BIN)/python -m tests.campaigns.crashes
	$(BIN)/python -m tests.campaigns.crash_points
	$(BIN)/python -m tests.campaigns.races
	$(BIN)/python -m tests.campaigns.clock_expiries
	$(BIN)/python -m tests.campaigns.tickets
	$(BIN)/python -m tests.campaigns.webhook_deliveries
	$(BIN)/python -m tests.campaigns.api_schema
	$(BIN)/python -m tests.campaigns.rolling_restarts
	$(BIN)/python -m tests.campaigns.slow_readers
	$(BIN)/python -m tests.campaigns.bot_pool
	$(BIN)/python -m tests.campaigns.leaks
	$(BIN)/python -m tests.campaigns.rabbitmq

chaos: $(DEV) $(CODE) ## play a hundred tables while processes, network, disk and clocks fail (5 minutes)
	$(BIN)/python -m tests.chaos

screenshots: $(DEV) $(CODE) ## take pictures of every page and game of the web table, in build/screenshots (needs Chromium)
	$(BIN)/python -m tests.browser.shots

proto: $(RUN) ## generate the package teahouse/ from proto/
	@$(BIN)/python proto/generate.py
	@touch $(CODE)

deployment: kubernetes ## every game in docker-compose.yml, Prometheus and deploy/kubernetes
	@$(BIN)/python -m deploy.games

new-game: $(DEV) ## a game to begin with, made from examples/starter_game: NAME=paper_boats
	@$(BIN)/python examples/starter_game/new_game.py $(NAME)
	@$(MAKE) --no-print-directory $(CODE)

kubernetes: $(RUN) ## regenerate deploy/kubernetes, after adding a game or changing an alert
	@$(BIN)/python -m deploy.kubernetes.manifests

doctor: ## list what is missing on this machine, and what does not work without it
	@$(PYTHON) deploy/doctor.py

sbom: $(RUN) ## list all dependencies with versions and licences, in build/sbom.json (CycloneDX) and build/licences.md
	@rm -rf build/sbom && $(PYTHON) -m venv build/sbom
	@build/sbom/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(PYTHON) -m venv build/sbom-tools && build/sbom-tools/bin/python -m pip install --quiet --disable-pip-version-check $(SBOM_TOOLS)
	@build/sbom-tools/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible \
		--output-file build/sbom.json build/sbom/bin/python
	@build/sbom-tools/bin/pip-licenses --python build/sbom/bin/python --format markdown --with-urls \
		--output-file build/licences.md
	@echo "build/sbom.json and build/licences.md are written"

platforms: $(DEV) ## check that every locked package has a wheel for every supported Python and platform
	@for python in 3.11 3.12 3.13 3.14; do for platform in \
		x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu aarch64-apple-darwin x86_64-apple-darwin; do \
		$(BIN)/uv pip install --quiet --dry-run --require-hashes --only-binary :all: --python-version $$python \
			--python-platform $$platform --target build/platforms -r requirements.lock || exit 1; \
		echo "Python $$python on $$platform: a wheel for every package"; done; done

lock: $(DEV) ## update requirements*.lock after a change in pyproject.toml; UPGRADE=--upgrade takes all new versions
	$(BIN)/$(LOCK) $(UPGRADE) -o requirements.lock
	$(BIN)/$(LOCK) $(UPGRADE) --group dev -c requirements.lock -o requirements-dev.lock

clean: ## remove everything that was built or installed; the data in var/ stays
	rm -rf $(VENV) teahouse build .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Teahouse needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1)."; \
		echo "Choose another one: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@echo "Creating the virtual environment $(VENV)"
	@$(PYTHON) -m venv $(VENV) || { \
		rm -rf $(VENV); echo "Python's venv module does not work (on Debian: apt-get install python3-venv)."; exit 1; }

$(RUN): requirements.lock | $(BIN)/python
	@echo "Installing the packages Teahouse needs to run (once; about a minute)"
	@$(BIN)/python -m pip install --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

# The development lock contains everything in requirements.lock too.
$(DEV): requirements-dev.lock | $(BIN)/python
	@echo "Installing the packages for developing Teahouse (once; about a minute)"
	@$(BIN)/python -m pip install --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $(RUN) $@

# Rebuilt after $(DEV) is installed, because the development tools also generate type stubs.
$(CODE): $(PROTOS) $(RUN)
	@echo "Generating the package teahouse/ from proto/"
	@$(BIN)/python proto/generate.py
	@touch $@
