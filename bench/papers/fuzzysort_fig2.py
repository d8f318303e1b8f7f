#!/usr/bin/env python3
"""Fig. 2 of the Fuzzy-Sort paper as numbers: pairwise error against questions asked.

Yang and Lin, "A practical divide-and-conquer approach for preference-based learning to
rank", 2015, section IV-A: 50,000 items with uniform scores, noisy preferences that are
fixed for a pair, c (s_max - s_min) = 0.8.  Here with two sharper oracles beside, and with
decoders that the paper did not try.  Prints the mean and the deviation over the runs, and
`active` over the better of `fuzzy` and `sampled`.

    python3 bench/papers/fuzzysort_fig2.py [BUILD] [--runs N] [--items N] [--budgets ...]
"""
import argparse
import concurrent.futures
import statistics
import subprocess

SPREADS = (0.8, 5, 20)
DECODERS = ("pivot", "merge", "fuzzy", "sampled", "active")
# Questions and error that were measured before this program was written, at 0.8.
EARLIER = (("fuzzy:window=10", 5.6e6, 0.212), ("fuzzy:window=50", 2.4e7, 0.093),
           ("fuzzy:window=200", 7.9e7, 0.048), ("sampled:opponents=1000", 2.5e7, 0.042))


def decode(build, decoder, items, spread, budget, seed):
    """Questions asked and share of wrong pairs."""
    words = [f"{build}/bench_decode", decoder, items, spread, budget, seed, 1]
    told = subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True)
    questions, error = told.stdout.split()[:2]
    return float(questions), float(error)


def mean_and_deviation(results):
    errors = [error for _, error in results]
    spread = statistics.stdev(errors) if len(errors) > 1 else 0.0
    return statistics.mean(errors), spread


def figure(args, crew, spread):
    print(f"\nc (s_max - s_min) = {spread:g}")
    print("budget\t" + "\t".join(DECODERS) + "\tactive / best of fuzzy, sampled")
    for budget in args.budgets:
        jobs = {d: [crew.submit(decode, args.build, d, args.items, spread, budget, seed)
                    for seed in range(1, args.runs + 1)] for d in DECODERS}
        found = {d: mean_and_deviation([job.result() for job in runs])
                 for d, runs in jobs.items()}
        cells = [f"{mean:.5f} ± {deviation:.5f}" for mean, deviation in found.values()]
        ratio = found["active"][0] / min(found["fuzzy"][0], found["sampled"][0])
        print(f"{budget:g}\t" + "\t".join(cells) + f"\t{ratio:.3f}", flush=True)


def windows(args, crew):
    print("\nby setting, c (s_max - s_min) = 0.8\ndecoder\tquestions\terror\tearlier")
    for decoder, questions, error in EARLIER:
        runs = [crew.submit(decode, args.build, decoder, args.items, 0.8, 0, seed)
                for seed in range(1, args.runs + 1)]
        results = [job.result() for job in runs]
        mean, deviation = mean_and_deviation(results)
        asked = statistics.mean(q for q, _ in results)
        print(f"{decoder}\t{asked:.3g}\t{mean:.4f} ± {deviation:.4f}\t"
              f"{error:.3f} with {questions:.2g}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", nargs="?", default="build")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--items", type=int, default=50_000)
    parser.add_argument("--budgets", type=float, nargs="+",
                        default=(1e6, 3e6, 1e7, 3e7, 1e8))
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as crew:
        windows(args, crew)
        for spread in SPREADS:
            figure(args, crew, spread)


if __name__ == "__main__":
    main()
