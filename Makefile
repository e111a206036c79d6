# Everything happens in .venv; nothing else on this machine is changed. Name another Python with PY=...
PY ?=
BIN := .venv/bin
UV ?= $(or $(shell command -v uv 2>/dev/null),$(BIN)/uv)
TOOLS := $(UV) pip compile --no-strip-extras --universal --generate-hashes --no-header --quiet -p $(BIN)/python
COMPILE := $(TOOLS) pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help demo test test-all check axe reference docs release conformance conformance-guard seeds documents fuzz-edits fuzz-english fuzz-policy fuzz-readers fuzz-durability races lock clean

help:
	@echo "make demo   generate C# from an OpenAPI document with the offline model and injected faults"
	@echo "make test   make check, then the test suite with a sample of the slow tests: one in five, others for each commit"
	@echo "make test-all   make check, then all tests (half an hour and more)"
	@echo "make check  lint, format, layers, types, dependencies"
	@echo "make axe    install axe-core, with which the tests look for pages that a screen reader cannot read (needs npm)"
	@echo "make reference  write the generated pages of docs/reference again"
	@echo "make docs   build the site into site/, from docs/"
	@echo "make release   build the wheel and the source distribution into dist/, and check them"
	@echo "make conformance   run npm's conformance package of MCP against retouch mcp"
	@echo "make conformance-guard   run it through retouch policy guard, and the guard before public servers (needs npm)"
	@echo "make seeds   run the property and concurrency tests with different random seeds (SEEDS=20)"
	@echo "make documents   ask for every operation of the largest OpenAPI documents"
	@echo "make fuzz-edits   apply replies with known results in all formats (EDIT_CASES=100000)"
	@echo "make fuzz-english  change each word of ordinary sentences, and look for readings that ignore it"
	@echo "make fuzz-policy   compare how policies read paths and addresses with other programs (CASES=200000)"
	@echo "make fuzz-readers  compare them with node, curl, git and bash (READER_CASES=6000)"
	@echo "make fuzz-durability   flip bits of a run and send signals to commands (FLIPS=20000 SIGNALS=100)"
	@echo "make races   let claims of a fleet race, and kill its workers at random moments (RACES=1000 KILLS=10)"
	@echo "make lock   write requirements/*.txt again from pyproject.toml (needs uv)"
	@echo "make clean  remove .venv and what was generated"

.venv/.run: requirements/run.txt pyproject.toml scripts/install
	@scripts/install requirements/run.txt $(PY)
	@touch $@

.venv/.dev: requirements/dev.txt pyproject.toml scripts/install
	@scripts/install requirements/dev.txt $(PY)
	@touch .venv/.run $@

demo: .venv/.run
	@if ! $(BIN)/retouch csharp compiler status >/dev/null; then \
		export RETOUCH_ROSLYN="$(CURDIR)/.venv/roslyn"; \
		$(BIN)/retouch csharp compiler status >/dev/null \
		|| { command -v npm >/dev/null && $(BIN)/retouch csharp compiler install; } \
		|| echo "No C# compiler: the demo will compile nothing. Install npm (Node.js) or the .NET SDK." >&2; \
	fi; \
	$(BIN)/python examples/csharp/demo.py

SAMPLE ?= 5
# The package is compiled first, since each of thousands of short programs would do it.
test: check
	$(BIN)/python -m compileall -q src
	$(BIN)/python -m pytest -n 3 -rsfE --sample $(SAMPLE)

test-all: SAMPLE = 1
test-all: test

check: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/basedpyright
	$(BIN)/deptry src

.venv/axe/.done: Makefile .venv/.dev
	npm install --silent --no-audit --no-fund --prefix .venv/axe axe-core@4.14.1
	@touch $@

axe: .venv/axe/.done

reference: .venv/.dev
	$(BIN)/python scripts/reference.py

.venv/tools-%/.done: requirements/%.txt .venv/.dev
	$(BIN)/python -m venv --clear $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

docs: .venv/tools-docs/.done
	$(BIN)/python scripts/site.py

release: .venv/tools-release/.done
	$(BIN)/python scripts/release.py

conformance: .venv/.dev
	CONFORMANCE=1 $(BIN)/python -m pytest -rs tests/mcp/test_server.py -k conformance

GUARD_PACKAGES := node@22 supergateway@4.0.0 @modelcontextprotocol/conformance@0.1.16 \
	@modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31
GUARD_SERVERS := $(CURDIR)/.venv/guard-servers
.venv/guard-servers/.done: Makefile .venv/.dev
	npm install --silent --no-audit --no-fund --prefix $(GUARD_SERVERS) $(GUARD_PACKAGES)
	$(BIN)/python -m venv --clear $(GUARD_SERVERS)/git
	$(GUARD_SERVERS)/git/bin/python -m pip install --quiet --disable-pip-version-check mcp-server-git==2026.10.19
	@touch $@

conformance-guard: .venv/guard-servers/.done
	GUARD_SERVERS=$(GUARD_SERVERS) MCP_SERVER_GIT=$(GUARD_SERVERS)/git/bin/mcp-server-git $(BIN)/python -m pytest -rs -n 0 \
		tests/recipes/policy/guard/test_public_servers.py tests/recipes/policy/guard/test_git_server.py

SEEDS ?= 20
seeds: .venv/.dev
	for seed in $$(seq $(SEEDS)); do \
		echo "random seed $$seed"; \
		CI= $(BIN)/python -m pytest -n 2 -m "hypothesis or concurrency" --hypothesis-seed=$$seed || exit 1; \
	done

documents: .venv/.dev
	EVERY=1 $(BIN)/python -m pytest -rs -n 2 tests/recipes/csharp/test_recipe.py

EDIT_CASES ?= 100000
fuzz-edits: .venv/.dev
	$(BIN)/python tests/edits/fuzzing.py --cases $(EDIT_CASES)

CASES ?= 200000
fuzz-policy: .venv/.dev
	$(BIN)/python tests/recipes/policy/fuzzing.py --cases $(CASES)

READER_CASES ?= 6000
fuzz-readers: .venv/.dev
	$(BIN)/python -m tests.recipes.policy.differential --cases $(READER_CASES)

fuzz-english: .venv/.dev
	$(BIN)/python -m tests.recipes.policy.english.ignored_words

FLIPS ?= 20000
SIGNALS ?= 100
fuzz-durability: .venv/.dev
	$(BIN)/python tests/durability/fuzzing.py --flips $(FLIPS) --signals $(SIGNALS)

RACES ?= 1000
KILLS ?= 10
races: .venv/.dev
	RACES=$(RACES) $(BIN)/python -m pytest -n 0 tests/fleet/test_store.py
	for seed in $$(seq $(KILLS)); do \
		echo "random seed $$seed"; \
		FLEET_SEED=$$seed $(BIN)/python -m pytest -n 2 tests/fleet/test_kill.py || exit 1; \
	done

lock: .venv/.run
	@command -v $(UV) >/dev/null || { echo "make lock needs uv: install it, or name it with UV=/path/to/uv" >&2; exit 1; }
	$(COMPILE) --all-extras --group dev -o requirements/dev.txt
	$(COMPILE) --group build -c requirements/dev.txt -o requirements/run.txt
	$(TOOLS) --group pyproject.toml:docs -o requirements/docs.txt
	$(TOOLS) --group pyproject.toml:release -o requirements/release.txt

clean:
	rm -rf .venv site dist demo-output .pytest_cache .ruff_cache .hypothesis .import_linter_cache
