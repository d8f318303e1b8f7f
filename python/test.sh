#!/bin/sh
# test.sh VARIANT [ARGUMENTS] -- builds the Python package, and runs its tests and the examples of
# its texts by pytest; the last line counts them for tests/run.sh.  PYTHON_FOR_PECK names the
# python to use; without it, the first one that has all that this takes.

set -eu
cd "$(dirname "$0")/.."
variant=$1
shift
build=build
[ "$variant" = release ] || build=build/$variant
needs='import cffi, numpy, pytest, setuptools, sklearn'
python=
for p in ${PYTHON_FOR_PECK:-python3 /usr/bin/python3}; do
    if "$p" -c "$needs" 2>/dev/null; then
        python=$p
        break
    fi
done
if [ -z "$python" ]; then
    echo "skipped: no python3 can do \`$needs\`; scripts/test installs what is missing"
    echo "python: 1 cases, 0 failed, 1 skipped"
    exit 0
fi
make -s VARIANT="$variant" PY="$python" "$build/peck" python # the command, to compare with
export PYTHONPATH="$PWD/$build/python${PYTHONPATH:+:$PYTHONPATH}" PYTHONDONTWRITEBYTECODE=1 PECK="$PWD/$build/peck"
exec "$python" -m pytest -q -p no:cacheprovider -c python/pyproject.toml --rootdir python \
    --doctest-modules -o doctest_optionflags=ELLIPSIS python/tests "$build/python/peck_rank" \
    --ignore "$build/python/peck_rank/__main__.py" "$@"
