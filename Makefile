# What a person does here: make demo | test | check | docs | train | measure | bench.
# Everything runs in .venv, which is made on the first call and again when its ingredients change. `make demo` puts only
# what it shows there; every other target puts the rest.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
DEMO := $(VENV)/.demo
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CONSTRAINT="$(CURDIR)/constraints.txt" $(BIN)/pip install --quiet
WORKERS := $(shell python3 -c 'import os; print((os.cpu_count() or 1) + 1)')  # one more than cores: tests wait too
SPREAD := -n $(WORKERS) --dist loadfile --no-loadscope-reorder  # long files first

.PHONY: engines lint types imports suite help keep-folds kills scale soak audit bill dist pins pinned setup demo test check docs figures train measure bench clean browser database components app screenshots library-checks words

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## set up .venv for development

$(BIN)/python:
	@python3 -c 'import sys; sys.exit("tabellion needs Python 3.11 or later" if sys.version_info < (3, 11) else 0)'
	@python3 -m venv $(VENV)

$(STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[dev]'
	@touch $@ $(DEMO)

# Nothing is compiled beforehand: the demo uses a small part of what is installed.
$(DEMO): pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --no-compile -e '.[library]'
	@touch $@

demo: $(DEMO) ## read the examples and show the results
	@$(BIN)/python examples/demo.py

# Rendered pages are tested against a real Chromium; where this is root on Debian it is installed, elsewhere those tests skip.
browser:
	@command -v chromium google-chrome >/dev/null || test -n "$${TABELLION_CHROMIUM:-}" || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } || echo "no Chromium: the tests of rendered pages are skipped"

# The library is tested on a PostgreSQL server that the tests start and stop themselves; it is installed in the same way.
database: | browser  # one after the other: both may ask apt
	@command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql; } || echo "no PostgreSQL: the tests of a library on it are skipped"

# The app's components are tested by Node, where it is there; its build is committed, so nothing else needs it. The lock file
# names what this platform needs of the optional packages, so it is installed from and never written.
components:
	@if command -v npm >/dev/null; then cd frontend && npm install --no-save --silent --no-fund --no-audit && npm run --silent check && npm run --silent test; else echo "no Node: the tests of the app's components are skipped"; fi

app: ## build the app in frontend/ into src/tabellion/web/static
	cd frontend && npm install --no-save --silent --no-fund --no-audit && npm run --silent build

screenshots: $(STAMP) ## take the pictures of the app in docs/images with Chromium
	$(BIN)/python docs/figures/draw_app.py

# What waits for the network goes side by side with what computes, and so do the checks and the tests.
test: ## everything that check does, and all tests
	@$(MAKE) --no-print-directory --jobs 3 --output-sync $(STAMP) database components
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory --jobs 3 types imports suite

suite: $(STAMP)
	$(BIN)/python -m pytest $(SPREAD)

check: $(STAMP) lint ## lint, format, types, imports, documentation
	@$(MAKE) --no-print-directory --jobs 2 --output-sync types imports
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup tests/docs

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

imports: $(STAMP)
	$(BIN)/lint-imports

docs: $(STAMP) ## build the documentation as a site: site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open site/index.html, or with search: python3 -m http.server -d site"

figures: $(STAMP) ## write the tables, lists, plots, pictures and the gallery of docs/
	$(BIN)/python docs/figures/write_figures.py
	$(BIN)/python docs/figures/write_reference.py
	$(BIN)/python docs/figures/draw_front.py
	$(BIN)/python docs/figures/make_gallery.py
	$(BIN)/python docs/figures/draw_gallery.py
	$(BIN)/python docs/figures/draw_pictures.py

train: $(STAMP) ## train all weights from the corpora (docs/measuring.md); TRAIN='--jobs 8 --resume'
	made=0; $(BIN)/python -m tabellion.learn train $(TRAIN) || made=$$?; $(MAKE) keep-folds; exit $$made

FOLDS = $(shell $(BIN)/python -c 'from tabellion.learn.training import default_folds; print(default_folds())')

keep-folds: $(STAMP) ## keep the weights by fold that tests read with: FOLDS=DIR
	@for fold in 0 1 2 3 4; do \
		mkdir -p "tests/learn/held_out/fold$$fold"; \
		cp "$(FOLDS)/fold$$fold"/{rows,edges,columns,left_parents,top_parents,genuine.,web_header}* "tests/learn/held_out/fold$$fold"; \
	done
	@cp "$(FOLDS)/fold1"/printed* tests/learn/held_out/fold1

measure: $(STAMP) ## score on the corpora, by folds (docs/measuring.md)
	$(BIN)/python -m tabellion.learn measure

words: $(STAMP) ## check that every word of every table of the dev PDFs is in one cell (minutes)
	TABELLION_ALL_PDFS=1 $(BIN)/python -m pytest -q tests/recognise/test_words_kept.py

library-checks: $(STAMP) ## relations, joins and databases over all tables of the dev corpora
	@for check in relations joins_offered databases; do echo "== $$check"; $(BIN)/python "bench/$$check.py"; done

bench: $(STAMP) ## speed and memory against peers
	@for bench in bench/*.py; do echo "== $$bench"; $(BIN)/python "$$bench"; done

scale: $(STAMP) ## runs on a cluster at length: costs, an archive, the same as add, memory (docs/scale.md)
	$(BIN)/python bench/scale.py --documents 200 --records 5000 --made 20000 --dev 0 --tasks 200000

soak: $(STAMP) ## attacks at length: mutants, flipped bytes, kills, load (hours; docs/security.md)
	$(BIN)/python tests/soak.py

kills: $(STAMP) ## fifty runs on a cluster, a part of each killed; ends in minutes (docs/scale.md)
	$(BIN)/python tests/scale/disturbing.py

engines: $(STAMP) ## the same work on Ray and Spark, as docs/scale.md shows it (half a gigabyte of packages; Spark needs Java)
	$(PIP) ray pyspark
	$(BIN)/python -m pytest -q tests/scale/test_engines.py

audit: $(STAMP) ## known weaknesses of dependencies (needs the network)
	$(BIN)/python -m pip install --quiet pip-audit && $(BIN)/pip-audit --skip-editable
	@if command -v npm >/dev/null; then cd frontend && npm audit; fi

bill: $(STAMP) ## dist/tabellion.cdx.json: every package, its version and licence
	$(BIN)/python .ci/bill_of_materials.py dist/tabellion.cdx.json

dist: $(STAMP) ## the packages of a release in dist/, with their bill of materials
	rm -rf dist && $(BIN)/python -m build --no-isolation && $(BIN)/twine check dist/*
	$(MAKE) bill

pins: $(STAMP) ## .ci/pins.txt: hashes of all packages in constraints.txt (needs the network)
	$(BIN)/python .ci/hash_pins.py

pinned: | $(BIN)/python ## set up .venv from .ci/pins.txt, each file by its hash
	$(PIP) --require-hashes --no-deps -r .ci/pins.txt
	$(PIP) --no-deps --no-build-isolation -e .
	@touch $(STAMP) $(DEMO)

clean: ## remove .venv and all caches
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
