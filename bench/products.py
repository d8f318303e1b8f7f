"""Products of a net's layers beside OpenBLAS's, by shape, on one thread.  bench.py puts the
table on its page.

usage: products.py BUILD_DIR [--rounds N]      the table alone
"""
import argparse
import ctypes
import ctypes.util
import os
import subprocess
from pathlib import Path

FORMS = {"forward": "`Y = X W`", "back": "`dX = dY W^T`", "weights": "`dW += X^T dY`"}
ROWS, INPUTS, UNITS = (10, 40, 120, 512), (46, 136, 512, 700), (10, 20, 64, 256, 512, 1024)
ASKED = 0.95
LEFT = """OpenBLAS was a part of Peck until these products took its place:

| | with it | without |
|---|---|---|
| libraries of `ldd build/peck`, those of C apart | libz, libzstd, libopenblas, libgfortran, libquadmath, libgcc_s | libz, libzstd |
| packages that `scripts/quickstart` asks for, besides the compiler's | zlib1g-dev, libzstd-dev, libopenblas-dev | zlib1g-dev, libzstd-dev |
| `peck --version`, the best of 300 | 3.2 ms | 1.2 ms |"""


def library():
    """OpenBLAS (Debian: libopenblas0); None where there is none.  Where the processor has AVX-512
    it is asked for those kernels: an OpenBLAS older than the processor takes others, and so does
    one that is told to."""
    if " avx512f " in Path("/proc/cpuinfo").read_text():
        os.environ["OPENBLAS_CORETYPE"] = "SkylakeX"
    return ctypes.util.find_library("openblas")


def version():
    """OpenBLAS's name, version and the processor that its kernels are for."""
    config = ctypes.CDLL(library()).openblas_get_config
    config.restype = ctypes.c_char_p
    words = config().decode().split()
    return f"{' '.join(words[:2])}, kernels for {words[-2]}"


def ratio(program, rounds, *shape):
    """Their time over ours."""
    command = [program, library(), str(rounds), *map(str, shape)]
    ours, theirs = subprocess.run(command, check=True, capture_output=True,
                                  text=True).stdout.split()
    return float(theirs) / float(ours)


def table(build, rounds):
    """Lines of Markdown."""
    program = os.path.join(build, "bench_gemm")
    lines = ["## Products against OpenBLAS", ""]
    if library() is None:
        return lines + ["Skipped: no OpenBLAS here."]
    lines += [
        "Times of `cblas_sgemm` over ours, one thread, the best of many rounds that take turns;",
        f"{ASKED} is asked. A list of so many documents, a layer of so many inputs and units.",
        f"{version()}.", "",
        "| | documents | inputs | " + " | ".join(f"{n:,} units" for n in UNITS) + " |",
        "|---|---:|---:|" + "---:|" * len(UNITS),
    ]
    all_ratios = []
    for form, formula in FORMS.items():
        for rows in ROWS:
            for inputs in INPUTS:
                ratios = [ratio(program, rounds, form, rows, inputs, n) for n in UNITS]
                all_ratios += ratios
                lines.append(f"| {form}, {formula} | {rows} | {inputs} | " +
                             " | ".join(f"{r:.2f}" for r in ratios) + " |")
    short = [r for r in all_ratios if r < ASKED]
    lines += ["", f"{len(all_ratios) - len(short)} of {len(all_ratios)} reach {ASKED}; the least "
                  f"is {min(all_ratios):.2f}, the median "
                  f"{sorted(all_ratios)[len(all_ratios) // 2]:.2f}.", "", LEFT]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=60)
    args = parser.parse_args()
    print("\n".join(table(args.build, args.rounds)))


if __name__ == "__main__":
    main()
