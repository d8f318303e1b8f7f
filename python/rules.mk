# The Python package: python/setup.py builds it with the library of this Makefile.
# PY is the python that builds it, and has cffi and setuptools.

PY ?= python3

$(OUT)/python/complete: $(OUT)/libpeck.a include/peck.h $(wildcard python/*.py python/*.toml \
                        python/peck_rank/*.py python/peck_rank/*.pyi)
	cd python && PECK_VARIANT=$(VARIANT) $(PY) -W ignore setup.py -q build \
	    --build-base ../$(OUT)/python-temp --build-lib ../$(OUT)/python
	@rm -rf python/peck_rank.egg-info
	@touch $@

python: $(OUT)/python/complete ## the Python package, under build/python: put that on PYTHONPATH
wheel: ## the Python package as source distribution and as a wheel for any Linux, under build/dist
	python3 python/make_wheel.py $(OUT)

check-python: $(OUT)/peck ## all tests of the Python package, beside what it is compared with (fetched by pip)
	python3 python/check.py $(OUT)
.PHONY: python wheel check-python

LINES_python = '$(LABEL)python: sh python/test.sh $(VARIANT)'
