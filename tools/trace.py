#!/usr/bin/env python3
"""trace.py PECK ARGUMENTS... -- what a command would gain on more cores.

Runs the peck of `make VARIANT=trace` (build/trace/peck) with the given arguments, on one thread
(`--threads 1` is added), and prints how its time is spent: for each job of a thread pool how often it ran, of how
many tasks, its seconds on one thread and, from the time of each task, on 2 to 32 workers; then
what runs between jobs, which more workers do not shorten.  The prediction is one of structure: 4 µs
are added for each job, nothing for memory that is slower than the workers (src/base/trace.h).

  --without WORD   leave out rows whose name has this word: reading, say; may be repeated
  --least SHARE    rows of less than this share of the time are summed as one [0.005]
  --clock THREADS  no prediction: run on one thread and on so many, by the clock.  What tasks take of
                   the processors beyond what they take on one thread is memory, or clock rates
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


def table(program, arguments, threads):
    """The lines, as cells, of the table that a run leaves."""
    with tempfile.TemporaryDirectory() as folder:
        # The run's files are named from here, its trace is written there.
        command = ["sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", folder, program]
        ran = subprocess.run(command + arguments + ["--threads", str(threads)])
        if ran.returncode != 0:
            sys.exit(ran.returncode)
        return [line.split("\t") for line in (Path(folder) / "trace.tsv").read_text().splitlines()]


def job_name(names, cells):
    return names.get(int(cells[0]), cells[0])


def gap_name(names, cells):
    return " → ".join(names.get(int(c), "the pool") if int(c) else "·" for c in cells[:2])


def traced(names, lines):
    """Rows (name, jobs, tasks, seconds on one thread, and on each of WIDTHS) of one run."""
    rows = {}
    for kind, *cells in lines:
        if kind == "job":
            jobs, tasks = int(cells[1]), int(cells[2])
            seconds = [float(cells[3])] + [float(c) + WAKE * jobs for c in cells[5:-1]]
            key = job_name(names, cells)
        elif kind == "gap":
            jobs, tasks = int(cells[2]), 0
            seconds = [float(cells[3])] * (1 + len(WIDTHS))
            key = gap_name(names, cells)
        else:
            continue
        row = rows.setdefault(key, [0, 0] + [0.0] * (1 + len(WIDTHS)))
        for i, value in enumerate([jobs, tasks] + seconds):
            row[i] += value
    return rows


def clocked(names, lines):
    """Rows (name, jobs, tasks, processor seconds, seconds by the clock) of one run."""
    rows = {}
    for kind, *cells in lines:
        if kind == "job":
            key, more = job_name(names, cells), [int(cells[1]), int(cells[2]), float(cells[3])]
        elif kind == "gap":
            key, more = gap_name(names, cells), [int(cells[2]), 0, float(cells[3])]
        else:
            continue
        row = rows.setdefault(key, [0, 0, 0.0, 0.0])
        for i, value in enumerate([*more, float(cells[-1])]):
            row[i] += value
    return rows


def show_clock(one, many, threads, least):
    """Two runs side by side, the longest on many threads first."""
    layout = "{:44.44} {:>8} {:>9} {:>9} {:>9} {:>9} {:>6} {:>7}"
    print(layout.format("job, or what runs between two", "times", "tasks", "1 thread",
                        f"{threads}, cpu", f"{threads}, clock", "gain", "cpu ×"))
    total, rest = [0.0] * 3, [0.0] * 3

    def show(name, counts, times):
        alone, busy, clock = times
        print(layout.format(name, counts[0], counts[1] or "serial", f"{alone:.3f}", f"{busy:.3f}",
                            f"{clock:.3f}", f"{alone / clock:.1f}" if clock > 0 else "",
                            f"{busy / alone:.2f}" if alone > 0 else ""))

    for name, row in sorted(many.items(), key=lambda item: -item[1][3]):
        times = (one.get(name, [0, 0, 0.0, 0.0])[3], row[2], row[3])
        total = [a + b for a, b in zip(total, times)]
        if row[3] < least * sum(r[3] for r in many.values()):
            rest = [a + b for a, b in zip(rest, times)]
        else:
            show(name, row, times)
    show("others", ["", "some"], rest)
    show("all", ["", "some"], total)


def main():
    parse = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--without", action="append", default=[])
    parse.add_argument("--least", type=float, default=0.005)
    parse.add_argument("--clock", type=int, metavar="THREADS")
    parse.add_argument("peck")
    parse.add_argument("arguments", nargs=argparse.REMAINDER)
    asked = parse.parse_args()
    program = str(Path(asked.peck).resolve())
    arguments = [str(Path(a).resolve()) if Path(a).exists() else a for a in asked.arguments]
    names = names_of(program)

    def wanted(rows):
        return {name: row for name, row in rows.items()
                if not any(word in name for word in asked.without)}

    one = table(program, arguments, 1)
    if asked.clock:
        many = table(program, arguments, asked.clock)
        show_clock(wanted(clocked(names, one)), wanted(clocked(names, many)), asked.clock,
                   asked.least)
        return
    rows = wanted(traced(names, one))
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
