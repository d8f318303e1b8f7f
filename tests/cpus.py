#!/usr/bin/env python3
"""cpus.py [PECK] [--short] [--save LIST | --against LIST] [--only WORD ...] -- the same bytes on
every processor.

Trains every method (epochs and trees cut), prints scores of its model, orders of every
decoder, metrics, and data of every generator; the sha256 of each must be that of this
machine at one thread from text:

  this machine   at 1, 2, 5 and 16 threads, from text and from a cache
  emulated       x86-64 without AVX (Nehalem) and with AVX2 and FMA (Haswell), and AArch64
                 (built here by `make CROSS=aarch64-linux-gnu-`), each at 2 threads

on `generate web` of 60 queries and on MQ2008 Fold1 of $PECK_DATA (or ../shared/data), and from
preferences; this machine alone also on 600 queries, of which each of 16 threads has work and
sizes of a net are tried.  --short: ten queries, one emulated machine after the other, a minute.  --only:
cases whose name has the word.  Debian's packages: qemu-user, gcc-aarch64-linux-gnu, and
zlib1g-dev and libzstd-dev for arm64; what is missing is skipped, and said so.

Two machines: --save writes the sums of this one, and --against, on the other, compares its own
with them, at 1 thread from text and at 5 from cache.  Nothing is emulated, and the lists hold
what three scripts of bench/papers print as well.
"""
import argparse
import concurrent.futures
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("PECK_DATA") or ROOT.parent / "shared" / "data")
MQ2008 = DATA / "mq2008" / "Fold1" / "train.txt.gz"
CROSS = "aarch64-linux-gnu-"
# Enough to go through every step of the method, few enough for an emulator.
CUT = {"epochs": 2, "trees": 3, "rounds": 10, "max_iter": 1, "generations": 2, "c_steps": 2}
LARGE = ["--set", "queries=600", "--set", "docs=40"]  # documents enough for trials of sizes
SMALL = {"queries": 10, "docs": 10, "items": 20, "pairs": 20}
# Whether the processor has fused multiply-adds: --version tells where they are emulated.
FUSES = {"Nehalem": False, "Haswell": True, "AArch64": True}
PATIENCE_S = 900  # of a command under an emulator
# Three of bench/papers that take half a minute, as two machines run them: nets on real lists, on
# generated ones, and the output between neighbours.
PAPERS = ("rules_letor", "ranknet_table2", "directranker_fig3")
FLAGS = {"AVX-512": {"avx2", "fma", "bmi2", "avx512f", "avx512dq", "avx512bw", "avx512vl"},
         "AVX2 and FMA": {"avx2", "fma", "bmi2"}}  # of cpu.h, the widest first


def is_large(case):
    return case[0].endswith(" on large")


class Machine:
    def __init__(self, name, command, threads=2, form="text"):
        self.name, self.command, self.threads, self.form = name, command, str(threads), form

    def takes(self, case):
        """An emulator would take hours for the large set."""
        return len(self.command) == 1 or not is_large(case)


def out(command, **more):
    return subprocess.run(command, capture_output=True, check=True, **more).stdout


def words(peck, kind):
    return [line.split("\t")[0] for line in out([peck, "list", kind], text=True).splitlines()]


def settings(peck, name, cut):
    """--set words that cut a method or a generator short."""
    known = re.findall(r"^  (\w+)=", out([peck, "help", name], text=True), re.M)
    return [w for key in known if key in cut for w in ("--set", f"{key}={cut[key]}")]


def make_data(peck, folder, short):
    """Files that all machines read, made here; name -> its two forms."""
    sets = {"web": {}}
    make = [peck, "generate", "web", "--seed", "1", "--set", f"queries={10 if short else 60}",
            "--set", f"docs={20 if short else 60}", "-q", "-o"]
    out([*make, folder / "web.txt"])
    if MQ2008.exists() and not short:
        (folder / "mq2008.txt.gz").write_bytes(MQ2008.read_bytes())
        sets["mq2008"] = {}
    if not short:
        out([peck, "generate", "web", "--seed", "2", *LARGE, "-q", "-o", folder / "large.txt"])
        sets["large"] = {}
    for name, forms in sets.items():
        forms["text"] = next(folder.glob(f"{name}.txt*"))
        forms["cache"] = folder / f"{name}.peckdata"
        out([peck, "convert", "-q", forms["text"], forms["cache"]])
    out([peck, "generate", "votes", "--set", "pairs=200", "-q", "-o", folder / "votes.txt"])
    out([peck, "generate", "btl", "--set", f"items={40 if short else 100}", "-q", "-o",
         folder / "btl.csv"])
    # Of two neighbours of a list the one with the larger label was preferred.
    lines = [line.split() for line in sets["web"]["text"].read_text().splitlines()
             if line[:1] != "#"]
    place, rows = {}, ["query,winner,loser"]
    for before, line in zip([None] + lines, lines):
        query = line[1][len("qid:"):]
        at = place[query] = place.get(query, -1) + 1
        if at > 0 and before[0] != line[0]:
            first, second = (at - 1, at) if before[0] > line[0] else (at, at - 1)
            rows.append(f"{query},{first},{second}")
    (folder / "pairs.csv").write_text("\n".join(rows) + "\n")
    return sets


def processor():
    """Its name, and the vectors that are used of it."""
    try:
        info = Path("/proc/cpuinfo").read_text()
    except OSError:
        info = ""
    name = re.search(r"^model name\s*: (.*)", info, re.M)
    flags = re.search(r"^flags\s*: (.*)", info, re.M)
    has = set(flags[1].split()) if flags else set()
    wide = next((w for w, needs in FLAGS.items() if needs <= has), "no wide vectors")
    kind = os.uname().machine
    return f"{name[1] if name else 'processor'}, {kind}" + (f", {wide}" if flags else "")


def plan(peck, folder, sets, short):
    """(name, commands): a command is words; DATA:x is the set x in the machine's form, MODEL
    a file of its own, PAPER a script of bench/papers; what a command prints counts, and so does
    the model that it leaves."""
    cases = []
    for kind in words(peck, "generators"):
        cases.append((f"generate {kind}", [["generate", kind, *settings(peck, kind, SMALL), "-o",
                                           "-", "--to", "csv"]]))
    train = ["train", "-q", "--seed", "3", "-o", "MODEL", "--force"]
    for method in words(peck, "methods"):
        cut = settings(peck, method, CUT)
        for name in sets:
            cases.append((f"{method} on {name}", [
                [*train, "-m", method, *cut, f"DATA:{name}"],
                ["rank", "MODEL", f"DATA:{name}"]]))
        cases.append((f"{method} from pairs", [[*train, "-m", method, *cut, "--pairs",
                                              folder / "pairs.csv", "DATA:web"]]))
    for norm in words(peck, "norms"):
        cases.append((f"ridge with {norm}", [[*train, "-m", "ridge", "--norm", norm, "DATA:web"],
                                             ["score", "MODEL", "DATA:web"]]))
    decoders = words(peck, "decoders")
    for decoder in decoders:
        cases.append((f"decode {decoder} on btl",
                      [["decode", folder / "btl.csv", "-d", decoder]]))
    cases.append(("decoders on votes", [
        [*train, "-m", "cmpnn", *settings(peck, "cmpnn", CUT), folder / "votes.txt"],
        *(["rank", "MODEL", folder / "votes.txt", "--decoder", d] for d in decoders)]))
    one = [*train, "-m", "lambdamart", "--set", "trees=3", "DATA:web"]
    cases.append(("metrics", [one, ["eval", "MODEL", "DATA:web", "-M", "all"],
                              ["eval", "MODEL", "DATA:web", "-M", "all", "-c", "letor4"]]))
    cases.append(("folds", [["cv", "DATA:web", "-m", "ridge,rankboost", "--folds", "2", "--set",
                             "rounds=5", "--json"]]))
    if short:  # each method once
        cases = [c for c in cases if not c[0].endswith("from pairs")]
    return cases


def run_case(machine, sets, commands, room):
    """The sha256 of all that it printed and of its model, or None where a command fails."""
    model, told = room / "model.peck", hashlib.sha256()
    for command in commands:
        line = [sets[w[len("DATA:"):]][machine.form] if str(w).startswith("DATA:") else
                model if w == "MODEL" else w for w in command]
        if command[0] == "PAPER":
            line = [sys.executable, ROOT / "bench" / "papers" / (line[1] + ".py"), "--peck",
                    *machine.command, "--jobs", machine.threads]
        else:
            line = [*machine.command, *line]
        if command[0] not in ("generate", "eval", "cv", "PAPER"):
            line += ["--threads", machine.threads]
        try:
            done = subprocess.run(line, capture_output=True, cwd=room, timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            return None, f"stopped after {PATIENCE_S} seconds"
        if done.returncode != 0:
            return None, (done.stderr or done.stdout).decode(errors="replace").strip()
        told.update(done.stdout)
    if model.exists():
        told.update(model.read_bytes())
    return told.hexdigest(), ""


def run_all(machine, sets, cases, folder):
    def one(case):
        with tempfile.TemporaryDirectory(dir=folder) as room:
            return run_case(machine, sets, case[1], Path(room))
    with concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        return dict(zip((name for name, _ in cases), pool.map(one, cases)))


def machines(peck, short):
    """Those to compare, and (name, why) of those that cannot be run here."""
    here, missing = [peck], []
    found = [Machine("5 threads from cache", here, 5, "cache")]
    if not short:
        found += [Machine("2 threads", here, 2), Machine("5 threads", here, 5),
                  Machine("16 threads", here, 16), Machine("1 thread from cache", here, 1, "cache")]
    is_x86 = os.uname().machine == "x86_64"
    for core in ("Nehalem", "Haswell"):
        if is_x86 and shutil.which("qemu-x86_64"):
            found.append(Machine(core, ["qemu-x86_64", "-cpu", core, peck]))
        else:
            missing.append((core, "it needs qemu-x86_64" if is_x86 else "no x86-64 build here"))
    if os.uname().machine == "aarch64":
        return found, missing
    if not shutil.which("qemu-aarch64") or not shutil.which(CROSS + "gcc"):
        missing.append(("AArch64", "it needs qemu-aarch64 and " + CROSS + "gcc"))
        return found, missing
    made = subprocess.run(["make", "-s", "-j2", "CROSS=" + CROSS, f"build/{CROSS[:-1]}/peck"], cwd=ROOT,
                          capture_output=True, text=True)
    if made.returncode == 0:
        # Debian's arm64 packages lie where the loader looks; the cross compiler's elsewhere.
        is_installed = Path("/lib/ld-linux-aarch64.so.1").exists()
        found.append(Machine("AArch64", ["qemu-aarch64",
                                         *([] if is_installed else ["-L", "/usr/" + CROSS[:-1]]),
                                         ROOT / "build" / CROSS[:-1] / "peck"]))
    elif "cannot find -l" in made.stderr or "No such file" in made.stderr:
        missing.append(("AArch64", "it needs the libraries for arm64"))
    else:
        sys.exit(made.stderr)
    return found, missing


def reference(peck, sets, cases, folder):
    """name -> sha256 at one thread from text; a method that learns from labels alone, as the
    library itself says when it is given preferences, has none for those."""
    right, of_labels = {}, []
    got = run_all(Machine("1 thread", [peck], 1), sets, cases, folder)
    for name, (digest, why) in got.items():
        method, _, how = name.partition(" ")
        if how == "from pairs" and f"{method} learns from labels, not from preferences" in why:
            of_labels.append(method)
        elif digest is None:
            sys.exit(f"{name} fails here: {why}")
        else:
            right[name] = digest
    if of_labels:
        print(f"no preferences, {len(of_labels)} methods of labels: {', '.join(of_labels)}")
    return right


def saved(path):
    """name -> sha256 of a list, and the processor that it is of."""
    first, *lines = Path(path).read_text().splitlines()
    return dict(line.split("  ", 1)[::-1] for line in lines), first.lstrip("# ")


def save(path, right):
    lines = [f"# {processor()}", *(f"{digest}  {name}" for name, digest in right.items())]
    Path(path).write_text("\n".join(lines) + "\n")


def compare(machine, cases, right, sets, folder):
    """How many cases differ there."""
    cases = [c for c in cases if machine.takes(c)]
    got = run_all(machine, sets, cases, folder)
    wrong = [name for name, _ in cases if got[name][0] != right[name]]
    told = out([*machine.command, "--version"], text=True)
    if machine.name in FUSES and ("emulated" in told) == FUSES[machine.name]:
        wrong.append("--version")
        got["--version"] = None, told
    print(f"{machine.name}: {len(wrong)} of {len(cases)} differ", flush=True)
    for name in wrong:
        print(f"    differs: {name} {got[name][1]}".rstrip())
    return len(wrong)


def compare_list(path, right):
    """How many of this machine's sums are not those of the list."""
    theirs, whose = saved(path)
    wrong = sorted(name for name in theirs.keys() | right.keys()
                   if theirs.get(name) != right.get(name))
    print(f"{processor()}, beside {whose}: {len(wrong)} of {len(theirs)} differ", flush=True)
    for name in wrong:
        print(f"    differs: {name}" + " (in one list only)" * ((name in theirs) != (name in right)))
    return len(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peck", nargs="?", default=ROOT / "build" / "peck")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    lists = parser.add_mutually_exclusive_group()
    lists.add_argument("--save", metavar="LIST")
    lists.add_argument("--against", metavar="LIST")
    args = parser.parse_args()
    peck, has_list = os.path.abspath(args.peck), bool(args.save or args.against)
    missing, total, failed = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        sets = make_data(peck, folder, args.short)
        if "mq2008" not in sets and not args.short:
            print(f"skipped: MQ2008; {MQ2008} is not there")
        cases = plan(peck, folder, sets, args.short)
        if has_list:
            cases += [(f"paper {name}", [["PAPER", name]]) for name in PAPERS]
        cases = [c for c in cases if not args.only or any(word in c[0] for word in args.only)]
        right = reference(peck, sets, cases, folder)
        cases = [c for c in cases if c[0] in right]
        if args.save:
            save(args.save, right)
        if args.against:
            total, failed = len(right), compare_list(args.against, right)
        found = [Machine("5 threads from cache", [peck], 5, "cache")]
        if not has_list:
            found, missing = machines(peck, args.short)
        failed += sum(compare(m, cases, right, sets, folder) for m in found)
    for name, why in missing:
        print(f"skipped: {name}; {why}")
    total += sum(m.takes(c) for m in found for c in cases)
    skipped = len(missing) * sum(not is_large(c) for c in cases)
    print(f"cpus: {total + skipped} cases, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
