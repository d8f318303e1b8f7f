"""check.py BUILD_DIR -- make check-python: the tests of the package beside the programs that it is
compared with, which pip fetches into BUILD_DIR/check-python; its types; its limited API; ten
thousand fits, after which memory must be where it was; and all of it under AddressSanitizer.
"""
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TOOLS = ["cffi", "setuptools<81", "numpy", "pytest", "scikit-learn", "scipy", "joblib", "tqdm",
         "pandas", "polars", "pyarrow", "duckdb", "pytrec_eval-terrier", "ranx", "ir_measures",
         "mypy", "abi3audit"]


NOT_UNDER_ASAN = ["sklearn", "flat", "trec_eval", "ranx", "ir_measures"]


def run(*command, **more):
    print("+", *command, flush=True)
    return subprocess.run([str(word) for word in command], **more).returncode


def environment(folder):
    """A python that has all of them."""
    python = folder / "bin" / "python"
    mark = folder / "complete"
    if not mark.exists() or mark.read_text() != " ".join(TOOLS):
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check",
                        *TOOLS], check=True)
        mark.write_text(" ".join(TOOLS))
    return python


def library_of_asan():
    told = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True)
    return told.stdout.strip()


def main():
    build = Path(sys.argv[1]).resolve()
    python = environment(build / "check-python")
    tested = {**os.environ, "PYTHON_FOR_PECK": str(python)}
    test = ["sh", HERE / "test.sh"]
    failed = [
        run(*test, "release", env={**tested, "PECK_LEAK_FITS": "10000"}),
        run(python, "-m", "mypy", "--cache-dir", build / "mypy", cwd=HERE),
        run(python, "-m", "abi3audit", "--strict", "--assume-minimum-abi3", "3.9",
            build / "python" / "peck_rank" / "_c.abi3.so"),
        # Python itself leaves memory at its end; what is written or read amiss is told.  Other
        # programs, and limits of memory, are not for a sanitizer.
        run(*test, "asan", "-s", "-k", f"not {' and not '.join(NOT_UNDER_ASAN)}", env={
            **tested, "LD_PRELOAD": library_of_asan(),
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1"}),
    ]
    print(f"check-python: {len(failed)} cases, {sum(map(bool, failed))} failed")
    return int(any(failed))


if __name__ == "__main__":
    sys.exit(main())
