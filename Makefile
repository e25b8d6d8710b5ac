# Two commands: `make run` and `make test`. Both set everything up first, from requirements.lock.

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: install run test test-all lint suite wheel pages picture site clean
.DEFAULT_GOAL := run

install: $(STAMP)

# torch goes first and with what it needs: a package that depends on it could pull another build of it.
# Everything else is named in the lock, so nothing is resolved.
$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; name one with: make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock "$$(grep '^torch==' requirements.lock)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

# With a terminal the workbench opens, on the sample workspace; without one the tour runs.
run: install
	@if [ -t 0 ] && [ -t 1 ]; then $(BIN)/mathwb; else $(BIN)/mathwb tour; fi

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Hundreds of processes import the same modules, which are compiled once.
test test-all suite: export PYTHONDONTWRITEBYTECODE =
test: MARKS = -m "not slow and not gpu and not slurm and not online"
test test-all: install
	@$(MAKE) --no-print-directory --jobs=2 lint suite MARKS='$(MARKS)'

# What most tests run is compiled before they begin, while the linters run. One worker more than there are
# cores: tests wait for processes and screens.
suite: install
	$(BIN)/python -m tests.fill_caches
	$(BIN)/python -m pytest --numprocesses $$(($$(getconf _NPROCESSORS_ONLN) + 1)) --dist worksteal $(MARKS)

# The package, in dist/.
wheel: install
	$(BIN)/python -m build --no-isolation --wheel

# All pages that list commands, error codes, first stages or keys, after one of those was added or changed.
pages: install
	$(BIN)/python -m workbench.cli.manual
	$(BIN)/python -m screens.keys

# The pictures of the documents.
picture: install
	$(BIN)/python -m docs.picture

# The documents as a site in build/site; building it needs no network. Its tools have an environment of their own.
build/docs/.installed: pyproject.toml
	$(PYTHON) -m venv build/docs
	$(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"], sep="\n")' > build/docs/requirements.txt
	build/docs/bin/python -m pip install --quiet --disable-pip-version-check --requirement build/docs/requirements.txt
	@touch $@

# The API page is made of the wheel, whose modules have the names that users import.
site: build/docs/.installed wheel
	build/docs/bin/python -m pip install --quiet --disable-pip-version-check --no-index --no-deps --no-compile --upgrade --target build/docs/names dist/mathwb-*.whl
	build/docs/bin/zensical build

clean:
	rm -rf .venv build dist .cache
