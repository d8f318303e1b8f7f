"""make papers: every experiment beside this file, in order; then their sections of
docs/RESULTS.md, and the tables of other documents (SHOWN) that stand between <!-- NAME --> and
<!-- end of NAME -->.

Runs that a script kept are under build/papers/runs, and shown on one page an experiment,
build/papers/NAME.html.

A result is kept in build/papers under the sum of the binary, the script and what scripts
share, with the time that it took; an experiment whose result is there already is not run again,
so a run that was stopped goes on where it was.  Two experiments run side by side, each on half
of the processors, so that none waits while one of them does a thing that is not parallel.
Exits 1 where a bound is missed or a page cannot be made.

usage: run.py BUILD_DIR [NAME ...]    NAME: only these experiments, such as ranknet_table1
"""
import concurrent.futures
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time

from common import CLAIMS, write_page
from table import markdown

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SHOWN = ("METHODS.md", "NUMBERS.md")
SIDE_BY_SIDE = 2  # experiments
# The longest, which begin, so that none is left over at the end.
LONGEST = ("fuzzysort_fig2", "fuzzysort_table2", "rules_tables", "directranker_mq2008",
           "sortnet_letor", "sortnet_tables4to7", "all_methods", "directranker_fig2")
PREFACE = """# The papers' experiments, run here

Written by `make papers`; do not edit. Each section is one script of `bench/papers`, and says
by which build it was made: a second run of that build prints the same numbers, seconds apart,
at any number of threads and on any processor. Tried: `rules_letor`, `ranknet_table2` and
`directranker_fig3` print the same, byte for byte, on an AMD EPYC with AVX2 and on an Intel Xeon
with AVX-512, built by gcc 12 and by gcc 13 (`tests/cpus.py --save` and `--against`); and every
method learns the same model there (`make check-cpus`).

"""
CLAIMS_INTRO = """What the papers claim, and whether the figures below say so too:

"""


def fingerprint(*paths):
    total = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as source:
            total.update(hashlib.sha256(source.read()).digest())
    return total.hexdigest()[:16]


def show(name, peck, folder, is_new):
    """The page of an experiment's runs: what to say of it, and whether all is well."""
    runs, page = os.path.join(folder, "runs", name), os.path.join(folder, name + ".html")
    told = os.path.relpath(page, ROOT)
    if not is_new and os.path.exists(page):
        return told, True
    if not os.path.isdir(runs):
        return f"no page, {os.path.relpath(runs, ROOT)} is gone; remove the result", not is_new
    try:
        size = write_page(peck, runs, page)
    except SystemExit as failure:
        return f"no page: {failure}", False
    return f"{told}, {size / 1000:.0f} kB", True


def measured(command):
    """Its exit status, seconds of wall clock and of processors, its children's with them."""
    start = time.time()
    child = subprocess.Popen(command)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)  # so that nobody waits for it again
    return child.returncode, {"wall": time.time() - start,
                              "processor": used.ru_utime + used.ru_stime}


def told_of(took):
    return (f"{took['processor']:.0f} s of processor time, {took['wall']:.0f} s by the clock on "
            f"{took['jobs']} of {took['cores']} processors")


def run(script, peck, folder):
    """Its result (None: there is none), the time it took, what to say of its page, whether all
    is well."""
    name = os.path.basename(script)[:-3]
    runs = os.path.join(folder, "runs", name)
    shared = [p for p in glob.glob(os.path.join(HERE, "*.py")) if "_" not in os.path.basename(p)]
    key = fingerprint(peck, script, *sorted(shared))
    result = os.path.join(folder, f"{name}.{key}.md")
    is_new = not os.path.exists(result)
    if is_new:
        shutil.rmtree(runs, ignore_errors=True)
        fresh, cores = result + ".new", os.cpu_count()
        jobs = max(1, cores // SIDE_BY_SIDE)
        print(f"{name} ...", flush=True)
        status, took = measured([sys.executable, script, "--peck", peck, "--result", fresh,
                                 "--runs", runs, "--jobs", str(jobs)])
        took |= {"jobs": jobs, "cores": cores}
        print(f"{name}: {told_of(took)}\n", flush=True)
        if not os.path.exists(fresh):
            return None, None, "no page", status == 0  # without its data it is skipped
        with open(result + ".time", "w") as out:
            json.dump(took, out)
        os.replace(fresh, result)
    else:
        print(f"{name}: kept, {os.path.relpath(result, ROOT)}")
    with open(result) as kept, open(result + ".time") as kept_time:
        text, took = kept.read(), json.load(kept_time)
    page, is_shown = show(name, peck, folder, is_new)
    return (f"{text}\nBuild {fingerprint(peck)}; {told_of(took)}.\n", took, page,
            is_shown and "MISSED" not in text)


def run_all(scripts, peck, folder):
    """{name: what run returns}, in the order of scripts."""
    name_of = lambda script: os.path.basename(script)[:-3]
    first = sorted(scripts, key=lambda s: LONGEST.index(name_of(s)) if name_of(s) in LONGEST
                   else len(LONGEST))
    with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        done = dict(zip(first, pool.map(lambda s: run(s, peck, folder), first)))
    return {name_of(s): done[s] for s in scripts}


def tables_of(text):
    """What a result found, without how and without its bounds."""
    found = re.findall(r"^[^|\n]*:\n\n(?:\|.*\n)+", text, re.M)
    return "\n".join(t for t in found if not t.startswith(("Bounds", CLAIMS)))


def put_in_documents(results):
    """results: name of an experiment -> text."""
    for path in (os.path.join(ROOT, "docs", name) for name in SHOWN):
        with open(path) as file:
            page = file.read()
        for name, text in results.items():
            page = re.sub(f"(<!-- {name} -->\n).*(<!-- end of {name} -->)",
                          lambda found, text=text: found[1] + tables_of(text) + found[2], page,
                          flags=re.S)
        with open(path, "w") as out:
            out.write(page)


def claims_of(sections):
    """One table of the claims of all sections; nothing where there are none."""
    rows = [["claim", "here", "where"]]
    for text in sections:
        title = re.match("## (.*)", text)[1]
        anchor = re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
        claimed = re.search(f"^{CLAIMS}:\n\n(?:\\|.*\n){{2}}((?:\\|.*\n)+)", text, re.M)
        rows += [[*(c.strip() for c in line.strip("|").split(" | ")), f"[{title}](#{anchor})"]
                 for line in (claimed[1].splitlines() if claimed else ())]
    return CLAIMS_INTRO + markdown(rows, words=3) + "\n" if len(rows) > 1 else ""


def time_of(sections):
    """One sentence on the time of all sections, if all tell it."""
    took = [re.search(r"^Build .*; (\d+) s of processor time", text, re.M) for text in sections]
    if not sections or not all(took):
        return ""
    minutes = sum(int(t[1]) for t in took) / 60
    return (f"All of it took {minutes:.0f} minutes of processor time, reading and Python included: "
            f"{minutes / 2:.0f} minutes of two processors that do nothing else.\n\n")


def put_in_results(texts):
    """Replaces their sections, or adds them; those of other experiments stay while their
    scripts are there."""
    path, sections = os.path.join(ROOT, "docs", "RESULTS.md"), {}
    with open(path) as file:
        for text in re.split(r"^(?=## )", file.read(), flags=re.M)[1:] + texts:
            script = re.search(r"^`(bench/papers/.*)`", text, re.M)[1]
            if os.path.exists(os.path.join(ROOT, script)):
                sections[script] = text.strip() + "\n"
    with open(path, "w") as out:
        in_order = sorted(sections.values())
        out.write(PREFACE + time_of(in_order) + claims_of(in_order) + "\n".join(in_order))


def main():
    peck, names = os.path.join(sys.argv[1], "peck"), sys.argv[2:]
    folder = os.path.join(sys.argv[1], "papers")
    os.makedirs(folder, exist_ok=True)
    scripts = sorted(glob.glob(os.path.join(HERE, "*_*.py")))
    chosen = [s for s in scripts if not names or os.path.basename(s)[:-3] in names]
    found = run_all(chosen, peck, folder)
    texts = {name: text for name, (text, *_) in found.items() if text}
    put_in_results(list(texts.values()))
    put_in_documents(texts)
    for name, (*_, page, is_well) in found.items():
        print(f"{name}: {page}{'' if is_well else '; NOT WELL'}")
    sys.exit(0 if all(is_well for *_, is_well in found.values()) else 1)


if __name__ == "__main__":
    main()
