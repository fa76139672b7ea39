# Two commands do everything: `make demo` and `make test`. Both set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CLIENTS := .cache/clients
CLAUDE := $(CLIENTS)/node_modules/.bin/claude
INSPECTOR := .cache/inspector/node_modules/.bin/mcp-inspector
OLDER_MCP := .cache/mcp1/run.stamp
APT := $(if $(filter 0,$(shell id -u)),apt-get,sudo apt-get)

.PHONY: demo test lint types tests setup clean

demo: $(VENV)/run.stamp
	$(BIN)/agentmemory demo

test: setup lint types tests

setup: $(VENV)/dev.stamp $(CLAUDE) $(INSPECTOR) $(OLDER_MCP) .cache/chromium.stamp

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/dev.stamp
	$(BIN)/mypy

tests: setup
	MLX_DISABLE_COMPILE=1 $(BIN)/pytest -n 2 --dist loadfile

$(VENV)/run.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp
	$(BIN)/python -m pip install --quiet --editable ".[sidecar]" --group dev
	touch $@

# the real clients, pinned: the tests run them against a stand-in on the loopback interface
$(CLAUDE):
	npm install --silent --no-fund --no-audit --prefix $(CLIENTS) @anthropic-ai/claude-code@2.1.329 @openai/codex@0.169.0

# a strict MCP client, with the Node it needs (22.19 or newer)
$(INSPECTOR):
	npm install --silent --no-fund --no-audit --prefix .cache/inspector @modelcontextprotocol/inspector@2.12.0 \
		node-$$(node -p process.platform)-$$(node -p process.arch)@22

# a client built on the SDK's first major version
$(OLDER_MCP):
	$(PYTHON) -m venv .cache/mcp1
	.cache/mcp1/bin/python -m pip install --quiet "mcp>=1.20,<2"
	touch $@

# the browser for the page's tests
.cache/chromium.stamp:
	mkdir -p .cache
	command -v chromium >/dev/null || { $(APT) update -qq && $(APT) install -y -qq -o DPkg::Lock::Timeout=600 chromium; }
	touch $@

clean:
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis
