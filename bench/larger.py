#!/usr/bin/env python3
"""larger.py [BUILD] -- training on features that are larger than memory may be.

Each row is trained three times from one cache: as it comes; with --memory, whose peak is told;
and with --memory in a memory cgroup of --limit, where root can make one (else that is said), the
page cache emptied before, so that the pages of the file count in it.  The models must be the same
bytes.  What was measured is kept in BUILD/larger/found.json: a run that was stopped goes on.
Writes a part of docs/SCALE.md.

  --queries 110500   `generate web`, 136 features, about 100 documents each: a cache of 6.2 GB
  --memory 1G        what is made of the features may take
  --limit 2          GB that all may take
  --again            measure again what is known
"""
import argparse
import hashlib
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from scale import LARGER, ROOT, TREES, Kept, put_section, timed  # noqa: E402

# Row -> method and settings; one size, so that none is tried before.
ROWS = {
    "lambdamart, 50 trees": ("lambdamart", {"trees": 50, **TREES}),
    "ranknet 64-32, 2 epochs": ("ranknet", {"size": "wide", "hidden": "64-32", "epochs": 2}),
}
GROUPS = Path("/sys/fs/cgroup/memory")  # version 1; of version 2: /sys/fs/cgroup
WAYS = ("as it comes", "limited", "cgroup")


def make_group(limit):
    """A cgroup that may take so many bytes, as (the file that takes processes, its folder); None
    where none can be made."""
    is_first = GROUPS.is_dir()
    folder = (GROUPS if is_first else Path("/sys/fs/cgroup")) / f"peck-{os.getpid()}"
    try:
        folder.mkdir()
        (folder / ("memory.limit_in_bytes" if is_first else "memory.max")).write_text(str(limit))
    except OSError:
        return None
    return folder / "cgroup.procs", folder


class Study(Kept):
    def train(self, row, way):
        method, settings = ROWS[row]
        model, data = self.folder / "model.peck", self.data(self.asked.queries)
        words = [w for k, v in settings.items() for w in ("--set", f"{k}={v}")]
        limited = ["--memory", self.asked.memory, "--scratch", self.folder]
        command = [self.peck, "train", "-q", "-m", method, data, "-o", model, *words,
                   *(limited if way != "as it comes" else [])]
        if way != "cgroup":
            told = timed(*command)
        else:
            group = make_group(int(self.asked.limit * 1e9))
            if group is None:
                print("no memory cgroup can be made here; left out", flush=True)
                return None
            try:
                os.sync()
                Path("/proc/sys/vm/drop_caches").write_text("3")
                told = timed("sh", "-c", f'echo $$ >"{group[0]}" && exec "$@"', "sh", *command)
            finally:
                group[1].rmdir()
        return {**told, "sha": hashlib.sha256(model.read_bytes()).hexdigest()[:16]}

    def measure(self):
        for row in ROWS:
            for way in WAYS:
                self.once(f"{row}|{self.asked.queries}|{way}", lambda: self.train(row, way))


def page(study):
    size = study.data(study.asked.queries).stat().st_size
    lines = [LARGER, "", "Written by `python3 bench/larger.py`: `generate web`, 136 features, "
             f"{study.asked.queries:,} queries, a cache of {size / 1e9:.1f} GB; whole commands, a "
             "fifth of the queries held out. The peak is that of resident memory, mapped pages of "
             "the file counted. In the cgroup the page cache of the file counts too, and was empty "
             f"before. Machine: {study.machines()}.",
             "", f"| | as it comes | `--memory {study.asked.memory}` | the same in a cgroup of "
             f"{study.asked.limit:g} GB | models |", "|---|---:|---:|---:|---|"]
    for row in ROWS:
        told = [study.found.get(f"{row}|{study.asked.queries}|{way}") for way in WAYS]
        if told[0] is None:
            continue
        cells = [f"{t['seconds']:.0f} s ({t['seconds'] / told[0]['seconds']:.2f} ×), "
                 f"{t['bytes'] / 1e9:.2f} GB" if t else "" for t in told]
        shas = {t["sha"] for t in told if t}
        lines.append(f"| {row} | {' | '.join(cells)} | "
                     f"{'the same bytes' if len(shas) == 1 else 'DIFFERENT'} |")
    put_section(lines)


def main():
    parse = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("build", nargs="?", default=str(ROOT / "build"))
    parse.add_argument("--queries", type=int, default=110500)
    parse.add_argument("--memory", default="1G")
    parse.add_argument("--limit", type=float, default=2.0)
    parse.add_argument("--again", action="store_true")
    study = Study(parse.parse_args(), "larger")
    study.measure()
    page(study)


if __name__ == "__main__":
    main()
