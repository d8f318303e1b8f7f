"""Fuzzy-Sort, Fig. 2 as numbers: pairwise error against questions asked.

Yang and Lin, "A practical divide-and-conquer approach for preference-based learning to
rank", 2015, section IV-A: 50,000 items with uniform scores and noisy preferences that are
fixed for a pair, c (s_max - s_min) = 0.8, ten runs.  Here with two sharper oracles beside,
and with decoders that the paper did not try: `sampled`, every item against as many random
opponents, and `active`, which spends the rest of its questions where the order is in doubt.
Error is the share of all pairs in the wrong order.
"""
import os
import statistics
import subprocess

from common import Experiment

SPREADS = (0.8, 5, 20)
BUDGETS = (1e6, 3e6, 1e7, 3e7, 1e8)
DECODERS = ("pivot", "merge", "fuzzy", "sampled", "active")
# Questions and error that were measured before this program was written, at 0.8.
EARLIER = (("fuzzy:window=10", 5.6e6, 0.212), ("fuzzy:window=50", 2.4e7, 0.093),
           ("fuzzy:window=200", 7.9e7, 0.048), ("sampled:opponents=1000", 2.5e7, 0.042))


def decode(e, decoder, items, spread, budget, seed):
    """Questions asked and share of wrong pairs."""
    program = os.path.join(os.path.dirname(e.options.peck), "bench_decode")
    words = [program, decoder, items, spread, budget, seed, 1]
    told = subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True)
    questions, error = told.stdout.split()[:2]
    return float(questions), float(error)


def cell(errors):
    spread = statistics.stdev(errors) if len(errors) > 1 else 0.0
    return f"{statistics.mean(errors):.5f} ± {spread:.5f}"


def figure(e, items, spread, budgets, runs):
    """One table; returns active over the better of fuzzy and sampled at each budget."""
    jobs = [(d, items, spread, b, s) for b in budgets for d in DECODERS for s in runs]
    found = dict(zip(jobs, e.each(lambda job: decode(e, *job)[1], jobs)))
    table = e.table(f"Error, c (s_max - s_min) = {spread:g}, mean and deviation of "
                    f"{len(runs)} runs", ["questions", *DECODERS, "active / best"])
    ratios = []
    with open(e.path(f"spread-{spread:g}.decoders.tsv"), "w") as out:  # for `peck report`
        out.write("decoder\tquestions\terror\n")
        for d in DECODERS:
            for b in budgets:
                error = statistics.mean(found[d, items, spread, b, s] for s in runs)
                out.write(f"{d}\t{b:g}\t{error:.6g}\n")
    for b in budgets:
        errors = {d: [found[d, items, spread, b, s] for s in runs] for d in DECODERS}
        at = {d: statistics.mean(v) for d, v in errors.items()}
        ratios.append(at["active"] / min(at["fuzzy"], at["sampled"]))
        table.row(f"{b:g}", *(cell(v) for v in errors.values()), f"{ratios[-1]:.3f}")
        if spread == 0.8:
            e.bound(f"{b:g} questions: fuzzy over the better of pivot and merge",
                    at["fuzzy"] / min(at["pivot"], at["merge"]), high=0.9999, digits=4)
        e.bound(f"{b:g} questions, {spread:g}: active over the better of fuzzy and sampled",
                ratios[-1], high=1.02, digits=3)
    return ratios


def windows(e, items, runs):
    table = e.table("By setting, c (s_max - s_min) = 0.8",
                    ["decoder", "questions", "error", "a quick study before"])
    for decoder, questions, error in EARLIER:
        found = e.each(lambda s: decode(e, decoder, items, 0.8, 0, s), runs)
        table.row(decoder, f"{statistics.mean(q for q, _ in found):.3g}",
                  cell([error for _, error in found]), f"{error:.3f} with {questions:.2g}")


def main():
    e = Experiment("Fuzzy-Sort, Fig. 2: error against questions", __doc__, items=50_000,
                   runs=10)
    items = 2000 if e.quick else e.options.items
    runs = range(1, (3 if e.quick else e.options.runs) + 1)
    budgets = (3e4, 3e5) if e.quick else BUDGETS
    if not e.quick:
        windows(e, items, runs)
    ratios = [r for spread in SPREADS for r in figure(e, items, spread, budgets, runs)]
    if not e.quick:
        e.bound("active over the better of the two, where it is best", min(ratios), high=0.9)
    e.finish()


if __name__ == "__main__":
    main()
