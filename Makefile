# Everything happens in .venv; nothing else on this machine is changed. Name another Python with PY=...
PY ?=
BIN := .venv/bin
UV ?= $(or $(shell command -v uv 2>/dev/null),$(BIN)/uv)
TOOLS := $(UV) pip compile --universal --generate-hashes --no-header --quiet -p $(BIN)/python
COMPILE := $(TOOLS) pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help demo test check reference docs release conformance seeds fuzz-edits fuzz-english fuzz-policy fuzz-durability lock clean

help:
	@echo "make demo   generate C# from an OpenAPI document with the offline model and injected faults"
	@echo "make test   make check, then the whole test suite"
	@echo "make check  lint, format, layers, types, dependencies"
	@echo "make reference  write the generated pages of docs/reference again"
	@echo "make docs   build the site into site/, from docs/"
	@echo "make release   build the wheel and the source distribution into dist/, and check them"
	@echo "make conformance   run npm's conformance package of MCP against retouch mcp"
	@echo "make seeds   run the property and concurrency tests with different random seeds (SEEDS=20)"
	@echo "make fuzz-edits   apply replies with known results in all formats (EDIT_CASES=100000)"
	@echo "make fuzz-english  change each word of ordinary sentences, and look for readings that ignore it"
	@echo "make fuzz-policy   compare how policies read paths and addresses with other programs (CASES=200000)"
	@echo "make fuzz-durability   flip bits of a run and send signals to commands (FLIPS=20000 SIGNALS=100)"
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

test: check
	$(BIN)/python -m pytest -n 2

check: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/basedpyright
	$(BIN)/deptry src

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

SEEDS ?= 20
seeds: .venv/.dev
	for seed in $$(seq $(SEEDS)); do \
		echo "random seed $$seed"; \
		CI= $(BIN)/python -m pytest -n 2 -m "hypothesis or concurrency" --hypothesis-seed=$$seed || exit 1; \
	done

EDIT_CASES ?= 100000
fuzz-edits: .venv/.dev
	$(BIN)/python tests/edits/fuzzing.py --cases $(EDIT_CASES)

CASES ?= 200000
fuzz-policy: .venv/.dev
	$(BIN)/python tests/recipes/policy/fuzzing.py --cases $(CASES)

fuzz-english: .venv/.dev
	$(BIN)/python -m tests.recipes.policy.english.ignored_words

FLIPS ?= 20000
SIGNALS ?= 100
fuzz-durability: .venv/.dev
	$(BIN)/python tests/durability/fuzzing.py --flips $(FLIPS) --signals $(SIGNALS)

lock: .venv/.run
	@command -v $(UV) >/dev/null || { echo "make lock needs uv: install it, or name it with UV=/path/to/uv" >&2; exit 1; }
	$(COMPILE) --all-extras --group dev -o requirements/dev.txt
	$(COMPILE) --group build -c requirements/dev.txt -o requirements/run.txt
	$(TOOLS) --group pyproject.toml:docs -o requirements/docs.txt
	$(TOOLS) --group pyproject.toml:release -o requirements/release.txt

clean:
	rm -rf .venv site dist demo-output .pytest_cache .ruff_cache .hypothesis .import_linter_cache
