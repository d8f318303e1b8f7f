#!/usr/bin/env python3
"""trace.py PECK ARGUMENTS... -- what a command would gain on more cores.

Runs the peck of `make VARIANT=trace` (build/trace/peck) with the given arguments, on one thread
(`--threads 1` is added), and prints how its time is spent: for each job of a thread pool how often it ran, of how
many tasks, its seconds on one thread and, from the time of each task, on 2 to 32 workers; then
what runs between jobs, which more workers do not shorten.  The prediction is one of structure: 4 µs
are added for each job, nothing for memory that is slower than the workers (src/base/trace.h).

  --without WORD   leave out rows whose name has this word: reading, say; may be repeated
  --least SHARE    rows of less than this share of the time are summed as one [0.005]
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

WIDTHS = (2, 4, 8, 16, 32)
WAKE = 4e-6  # seconds to give a job to workers that wait for it


def names_of(program):
    """Address -> name of every function, counted from pool_free."""
    found = {}
    listed = subprocess.run(["nm", program], stdout=subprocess.PIPE, text=True, check=True)
    for line in listed.stdout.splitlines():
        parts = line.split()
        if len(parts) == 3 and parts[1] in "tT":
            found[int(parts[0], 16)] = parts[2]
    origin = next(a for a, name in found.items() if name == "pool_free")
    return {a - origin: name for a, name in found.items() if name != "pool_free"}


def traced(program, arguments):
    """Rows (name, jobs, tasks, seconds on one thread, and on each of WIDTHS) of one run."""
    names = names_of(program)
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        # The run's files are named from here, its trace is written there.
        command = ["sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", folder, program]
        ran = subprocess.run(command + arguments + ["--threads", "1"])
        if ran.returncode != 0:
            sys.exit(ran.returncode)
        lines = (Path(folder) / "trace.tsv").read_text().splitlines()
    for line in lines:
        kind, *cells = line.split("\t")
        if kind == "job":
            jobs, tasks = int(cells[1]), int(cells[2])
            seconds = [float(cells[3])] + [float(c) + WAKE * jobs for c in cells[5:]]
            key = names.get(int(cells[0]), cells[0])
        elif kind == "gap":
            jobs, tasks = int(cells[2]), 0
            seconds = [float(cells[3])] * (1 + len(WIDTHS))
            ends = [names.get(int(c), "the pool") if int(c) else "·" for c in cells[:2]]
            key = f"{ends[0]} → {ends[1]}"
        else:
            continue
        row = rows.setdefault(key, [0, 0] + [0.0] * (1 + len(WIDTHS)))
        for i, value in enumerate([jobs, tasks] + seconds):
            row[i] += value
    return rows


def main():
    parse = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--without", action="append", default=[])
    parse.add_argument("--least", type=float, default=0.005)
    parse.add_argument("peck")
    parse.add_argument("arguments", nargs=argparse.REMAINDER)
    asked = parse.parse_args()
    program = str(Path(asked.peck).resolve())
    arguments = [str(Path(a).resolve()) if Path(a).exists() else a for a in asked.arguments]
    rows = {name: row for name, row in traced(program, arguments).items()
            if not any(word in name for word in asked.without)}
    total = [sum(row[i] for row in rows.values()) for i in range(2 + 1 + len(WIDTHS))]
    rest = [0.0] * len(total)
    layout = "{:44.44} {:>8} {:>9}" + " {:>8}" * (1 + len(WIDTHS))
    print(layout.format("job, or what runs between two", "times", "tasks", "1",
                        *(str(w) for w in WIDTHS)))

    def show(name, row):
        print(layout.format(name, row[0], row[1] or "serial", *(f"{s:.3f}" for s in row[2:])))

    for name, row in sorted(rows.items(), key=lambda item: -item[1][-2]):
        if row[-2] < asked.least * total[-2]:
            rest = [a + b for a, b in zip(rest, row)]
        else:
            show(name, row)
    show("others", [int(r) for r in rest[:2]] + rest[2:])
    show("all", total)
    print(layout.format("times as fast", "", "", *(f"{total[2] / s:.2f}" for s in total[2:])))


if __name__ == "__main__":
    main()
