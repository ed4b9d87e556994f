# The two commands: `make bench` measures, `make test` builds and checks everything. Each makes its own environment
# under a git-ignored .venv-* directory. PYTHON=... chooses another interpreter than the machine's python3.
PYTHON ?= python3

.PHONY: bench bench-engines test conformance build unit wheel docs format clean
# Recipes share environments and build folders, and start their own parallel builds.
.NOTPARALLEL:

bench:     ## build, install the peers, measure, write build/bench.{json,html,md}; BENCH="--full" passes options on
	@tools/bench "$(PYTHON)" $(BENCH)

bench-engines: ## Ray, Dask and Spark reading 4 GB, with ocior and without; BENCH="--megabytes 200" passes options on
	@tools/bench-engines "$(PYTHON)" $(BENCH)

test:      ## everything: C++ unit tests, sanitizers, NEON under qemu, Python tests at every level and version; QUICK=1: the quick part
	@tools/test "$(PYTHON)"

conformance: ## CPython's own tests of json, and those of peers, with ocior in their place, on PYTHON and other CPythons of this machine
	@tools/test "$(PYTHON)" conformance

build:     ## in-place incremental build for development; LEVELS=v4 (or host, all) chooses
	@tools/build "$(PYTHON)" $(if $(LEVELS),"-DOCIOR_LEVELS=$(LEVELS)")

unit:      ## C++ unit tests alone, plain, at every level of this machine
	@tools/unit plain

wheel:     ## a wheel of all levels into dist/, optimised by the profiles of a training run
	@tools/wheel "$(PYTHON)"

docs:      ## the site of the documentation, into build/docs
	@tools/docs "$(PYTHON)"

format:    ## lay out all C++ and Python as .clang-format and pyproject.toml say
	@tools/format "$(PYTHON)"

clean:     ## removes all that the other commands made in this folder; what they keep for all checkouts is named
	rm -rf build dist .venv-* python/ocior/*.so *.egg-info .pytest_cache .hypothesis .ruff_cache .mypy_cache .cache
	find python src tests tools -name __pycache__ -prune -exec rm -rf {} +
	@bash -c '. tools/lib.sh; [ ! -e "$$(cache_dir)" ] || echo "What all checkouts share stays, interpreters and roots: rm -r $$(cache_dir)"'
