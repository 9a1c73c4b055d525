# Each target sets up what it needs. A second call installs nothing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Compiled tests are kept also where Python is told to keep nothing: each of the two processes would
# take five seconds to compile them again. Whichever is done first takes tests from the other.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: demo test check bench campaign format clean

demo: $(READY)
	$(BIN)/sda demo

test: $(READY)
	$(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/mypy
	$(PYTEST)

# Properties are tried on a quarter of the examples that `make test` tries them on.
check: $(READY)
	$(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/mypy
	$(PYTEST) -m "not slow" --hypothesis-profile quick

bench: $(READY) $(VENV)/.bench
	$(BIN)/python -m benchmarks

# Minutes and seed may be given: make campaign MINUTES=60 SEED=1
campaign: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.campaign --minutes $(or $(MINUTES),10) --seed $(or $(SEED),0)

format: $(READY)
	$(BIN)/ruff format . && $(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

# The constraints pin every version; pip alone decides where packages come from.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	touch $@

$(VENV)/.bench: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev,bench]"
	touch $@
