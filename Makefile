PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

DEBIAN := tesseract-ocr chromium chromium-driver

.PHONY: install demo test docs man kraken axe bench dist soak fuzz clean debian fonts

install: $(VENV)/.dev

demo: $(VENV)/.run
	$(BIN)/labelfree demo

test: $(VENV)/.dev debian fonts
	-@$(MAKE) --no-print-directory kraken axe
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadscope

# The site in build/site, with every block of code and every notebook run; a link that leads nowhere stops it.
docs: $(VENV)/.dev debian fonts
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m slow tests/test_docs_pages.py
	rm -rf .cache/mkdocs-jupyter
	OMP_NUM_THREADS=1 NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

man: $(VENV)/.run
	$(BIN)/python -m labelfree.cli.manual > man/labelfree.1

# kraken's parser and writer of ALTO and PAGE, for the tests; without what it wants besides, which is older than ours.
kraken: build/kraken
build/kraken: $(VENV)/.run
	$(PIP) install --quiet --no-deps --target build/kraken kraken==7.1.1 shapely==2.2.0 iso639-lang==2.6.3

# What finds faults of pages for people who see, hear or move otherwise; for the tests, by npm.
axe: build/axe
build/axe:
	mkdir -p build/axe.part && cd build/axe.part && npm pack --silent axe-core@4.14.1 >/dev/null && tar -xzf axe-core-*.tgz
	mv build/axe.part build/axe

# Mutated files through every reader, for half an hour; SECONDS=... for more or less.
fuzz: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/fuzz.py --seconds $(or $(SECONDS),1800)

bench: DEBIAN += tesseract-ocr-deu tesseract-ocr-frk tesseract-ocr-fra
bench: $(VENV)/.dev debian fonts
	$(BIN)/python benchmarks/counting.py
	$(BIN)/python benchmarks/decoding.py
	$(BIN)/python benchmarks/spelling.py
	$(BIN)/python benchmarks/decipher.py
	$(BIN)/python benchmarks/nonlinear.py --seeds 3
	$(BIN)/python benchmarks/spdg.py
	$(BIN)/python benchmarks/spdg_sensitivity.py
	$(BIN)/labelfree paper all --quick -o build/paper
	@if [ -n "$$LABELFREE_DATA" ]; then \
		$(BIN)/python benchmarks/books.py --fast --data "$$LABELFREE_DATA"; \
		$(BIN)/python benchmarks/books.py --supervised --data "$$LABELFREE_DATA"; \
		$(BIN)/python benchmarks/parts.py --rescore --data "$$LABELFREE_DATA"; \
		$(BIN)/python benchmarks/spdg.py --task scans --data "$$LABELFREE_DATA"; \
		$(BIN)/python benchmarks/hints.py --data "$$LABELFREE_DATA"; \
		$(BIN)/python benchmarks/verdict.py --data "$$LABELFREE_DATA"; \
		$(BIN)/python benchmarks/handwriting.py --data "$$LABELFREE_DATA"; \
		$(BIN)/python benchmarks/scripts.py --data "$$LABELFREE_DATA"; \
		$(BIN)/python benchmarks/decipher.py --hard --sample 40 --data "$$LABELFREE_DATA"; \
	fi

# Wheel and sdist, each installed in an empty environment where it must pass the self-test.
dist: $(VENV)/.dev
	rm -rf build dist
	$(BIN)/python -m build --quiet --outdir dist .
	for made in dist/*.whl dist/*.tar.gz; do \
		rm -rf build/empty && $(PYTHON) -m venv build/empty && \
		build/empty/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt "$$made" && \
		(cd build && PYTHONPATH= empty/bin/labelfree doctor) || exit 1; \
	done

# Twenty minutes of work in one process: memory, threads and handles must stay flat.
soak: $(VENV)/.dev
	$(BIN)/python benchmarks/soak.py --minutes 20

# What a user needs, and what the demo and the paper's tables need besides; pip alone, no compiler.
$(VENV)/.run: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --constraint constraints.txt --editable '.[repro]'
	touch $@

# What the tests and benchmarks need on top.
$(VENV)/.dev: $(VENV)/.run
	$(PIP) install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

# A real OCR engine and a real browser; where there is no apt-get, the tests that drive them are skipped.
debian:
	@if command -v apt-get >/dev/null && ! dpkg -s $(DEBIAN) >/dev/null 2>&1; then \
		root=; test "$$(id -u)" = 0 || root=sudo; \
		$$root apt-get update -qq && $$root env DEBIAN_FRONTEND=noninteractive \
			apt-get install -qq --no-install-recommends $(DEBIAN) >/dev/null; \
	fi

# The typefaces of the printing house in labelfree.repro.printer, by the packages that its table names.
fonts: $(VENV)/.run
	@$(MAKE) --no-print-directory debian DEBIAN="$$($(BIN)/python -m labelfree.repro.printer)"

clean:
	rm -rf $(VENV) build dist .cache src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
