# Every command that a developer needs. `make` alone lists them.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.PHONY: help up setup test lint format types schema bench bench-quality clean

PYTHON ?=
VAST_PORT ?=
ARGS ?=
BIN := .venv/bin
# Code with types that are checked; the rest of the server is Django, which has few.
TYPED := vast/scheduling vast/vendors vast/allocation vast/simulator vast/client vast/runtime vast/agent

export PYTHON
ifneq ($(VAST_PORT),)
export VAST_PORT
endif

help: ## Show this list
	@echo "usage: make COMMAND [VARIABLE=VALUE ...]"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  VAST_PORT=N   port to listen on           (make up; default 8400 or the next free one)"
	@echo "  ARGS='...'    further options             (make up: vast up; make test: pytest; make bench)"
	@echo "  PYTHON=PATH   Python 3.11 or newer        (default: python3)"

up: ## Set up, build and run VAST with a simulated site of eight vendors
	@scripts/setup.sh python frontend
	@exec $(BIN)/vast up --demo $(ARGS)

setup: ## Install everything and build the console, without starting it
	@scripts/setup.sh python frontend

test: setup ## Set up and run every check and every test
	@scripts/ensure-browser.sh
	@$(MAKE) lint types
	@scripts/schema.sh check
	@npm --prefix frontend test
	@exec $(BIN)/pytest $(ARGS)

lint: setup ## Check style, import rules and YAML
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/yamllint --strict .
	npm --prefix frontend run lint

format: ## Put the Python code into the common format
	@scripts/setup.sh python
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

types: ## Check types
	@scripts/setup.sh python
	$(BIN)/mypy $(TYPED)

schema: setup ## Renew docs/openapi.yaml and the console's types
	@scripts/schema.sh write

bench: setup ## Measure latency and load; prints a table and writes bench/out/
	@exec $(BIN)/python -m bench $(ARGS)

bench-quality: setup ## How well the engine packs: public traces, next to published policies (VAST_BENCH_DATA)
	@exec $(BIN)/python -m bench.quality $(ARGS)

clean: ## Delete everything that was built or installed here (VAST_HOME is kept)
	rm -rf .venv .stamps frontend/node_modules frontend/dist build bench/out tests/screenshots *.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
