#!/usr/bin/env python3
"""How many questions an order takes: simulated people, whom build/bench_ask asks.

    python3 bench/ask.py [BUILD] [--part order|stop] [--items N,...] [--deviation D,...]
                         [--shape normal] [--first SEED] [--keep FILE] [--jobs N]

Strengths are normal with deviation 1 and 3, answers by Bradley and Terry's model.  Compared with: random
pairs with the same fit; insertion by binary search, merge sort, Elo between nearest ratings.
What was run is kept in FILE (build/ask.json), so that it goes on where it was stopped."""
import argparse
import concurrent.futures
import json
import math
import os
import statistics
import subprocess
import sys
import threading

SEEDS = {30: 20, 100: 20, 1000: 5}
ASKED = {(30, 1): .90, (30, 3): .65, (100, 1): .90, (100, 3): .60, (1000, 3): .60}
# Questions for each item: enough that the mean tau is .8; every batch is fitted anew.
MOST = {(30, 1): (24, 32), (30, 3): (15, 15), (100, 1): (26, 32), (100, 3): (15, 15),
        (1000, 3): (15, 15)}
STEP = {30: 6, 100: 20, 1000: 500}
BATCH = {30: 1, 100: 4, 1000: 100}
STOP_RUNS, STOP_MOST, STOP_BATCH, STOP_ITEMS, STOP_TOP = 200, 6000, 3, 30, 5
SORTS = ("insert", "merge", "elo")


class Runs:
    """Runs of the program by their arguments: way, deviation, items, seed, most questions, step,
    batch, goal."""

    def __init__(self, program, path, shape):
        self.program, self.path, self.shape = program, path, shape
        self.lock, self.done = threading.Lock(), {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.done = json.load(file)

    def run(self, way, *args):
        """The lines of a run, as numbers; of random pairs with a goal, the last."""
        args = [way, self.shape, *args]
        key = " ".join(map(str, args))
        if key not in self.done:
            out = subprocess.run([self.program, *map(str, args)], check=True, text=True,
                                 capture_output=True).stdout
            lines = [[float(x) for x in line.split()] for line in out.splitlines()]
            with self.lock:
                self.done[key] = lines[-1:] if way == "random" and args[-1] else lines
                with open(self.path + ".new", "w", encoding="utf-8") as file:
                    json.dump(self.done, file)
                os.replace(self.path + ".new", self.path)
        return self.done[key]

    def ahead(self, plan, jobs):
        """All of the plan, some at a time."""
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(lambda args: self.run(*args), plan))


def order_plan(items, deviation, first):
    """Runs of the study of the whole order, those that take longest first."""
    most = MOST.get((items, deviation), (26, 32))
    seeds = range(first, first + SEEDS[items])
    plan = [("next", deviation, items, s, most[0] * items, STEP[items], BATCH[items], 0)
            for s in seeds]
    plan += [("random", deviation, items, s, most[1] * items, STEP[items], STEP[items], 0)
             for s in seeds]
    games = round(items * math.log2(items))
    return plan + [(way, deviation, items, s, games, 1, 1, 0) for way in SORTS for s in seeds]


def stop_plan(deviation, first):
    """Runs of the study of the top."""
    seeds = range(first, first + STOP_RUNS)
    return [("next", deviation, STOP_ITEMS, s, STOP_MOST, STOP_BATCH, STOP_BATCH, STOP_TOP)
            for s in seeds] + [
                ("random", deviation, STOP_ITEMS, s, STOP_MOST, 10, 10, STOP_TOP) for s in seeds]


def crossing(curve, level):
    """Where a rising curve of (questions, value) first reaches the level."""
    before = (0, 0.0)
    for q, value in curve:
        if value >= level:
            return before[0] + (q - before[0]) * (level - before[1]) / (value - before[1])
        before = (q, value)
    return math.inf


def at(curve, questions):
    """The curve's value there, in straight lines between its points."""
    before = (0, 0.0)
    for q, value in curve:
        if q >= questions:
            return before[1] + (value - before[1]) * (questions - before[0]) / (q - before[0])
        before = (q, value)
    return curve[-1][1]


def mean_curve(runs):
    return [(lines[0][0], statistics.mean(line[1] for line in lines)) for lines in zip(*runs)]


def order_study(runs, items, deviation, first, rows, cover):
    """How many questions until tau is .8, beside random pairs; and tau beside the sorts."""
    ways = {}
    for args in order_plan(items, deviation, first):
        ways.setdefault(args[0], []).append(runs.run(*args))
    asked, random = ways["next"], ways["random"]
    where = f"{items} items, deviation {deviation:g}"
    curve = mean_curve(asked)
    ours, theirs = crossing(curve, .8), crossing(mean_curve(random), .8)
    rows.append((f"{where}: questions to tau .8, of random pairs' {theirs:.0f}",
                 f"<= {ASKED.get((items, deviation), math.nan):.0%}",
                 f"{ours / theirs:.1%} ({ours:.0f})",
                 ours / theirs <= ASKED.get((items, deviation), math.inf)))
    for way in SORTS:
        got = [lines[0] for lines in ways[way]]
        questions = statistics.mean(g[0] for g in got)
        tau = statistics.mean(g[1] for g in got)
        rows.append((f"{where}: tau after {questions:.0f} questions, {way}", f"> {tau:.3f}",
                     f"{at(curve, questions):.3f}", at(curve, questions) > tau))
    for name, group in (("next", asked), ("random", random)):
        for lines in group:
            for line in lines:
                for times in (5, 15):
                    if line[0] == times * items:
                        cover.setdefault((name, items, deviation, times), []).append(
                            (line[2], items))
    # "Questions left" until pairs are .95 sure, beside what it then took.
    ratios = []
    for lines in asked:
        end = next((line[0] for line in lines if line[3] >= .95), None)
        for line in lines:
            if end and line[0] < end - items / 2 and line[0] >= items:
                ratios.append(line[4] / (end - line[0]))
    if ratios:
        share = sum(.5 <= r <= 2 for r in ratios) / len(ratios)
        rows.append((f"{where}: questions left within a factor of 2, whole order; median ratio "
                     f"{statistics.median(ratios):.2f}", "> 50 %", f"{share:.0%}", share > .5))
    last = [lines[-1] for lines in asked]
    rows.append((f"{where}: pairs asked again, of all questions", "",
                 f"{sum(x[5] for x in last) / sum(x[0] for x in last):.1%}", True))


def cover_table(cover, rows):
    for name in ("next", "random"):
        got = [x for key, group in cover.items() if key[0] == name for x in group]
        if got:
            share = sum(x[0] for x in got) / sum(x[1] for x in got)
            rows.append((f"95 % intervals cover, {name}, all of the above pooled", "93-97 %",
                         f"{share:.1%}", .93 <= share <= .97))
    for key, group in sorted(cover.items()):
        share = sum(x[0] for x in group) / sum(x[1] for x in group)
        rows.append((f"... {key[0]}, {key[1]} items, deviation {key[2]:g}, {key[3]} n", "",
                     f"{share:.1%}", True))


def stop_study(runs, deviation, first, rows):
    items, goal = STOP_ITEMS, STOP_TOP
    stops, randoms, right, n_stopped, ratios = [], [], 0, 0, []
    for args in stop_plan(deviation, first):
        lines = runs.run(*args)
        last = lines[-1]
        if args[0] == "random":
            randoms.append(last[0] if last[1] else math.inf)
            continue
        stops.append(last[0] if last[1] else math.inf)
        if last[1]:
            n_stopped += 1
            right += last[2]
        # Of a run that did not stop, what it had asked by then: else the easy ones alone would count.
        ratios += [line[4] / (last[0] - line[0]) for line in lines
                   if items <= line[0] < last[0] - items / 2]
    where = f"{items} items, deviation {deviation:g}: top {goal}"
    rows.append((f"{where} sure to 95 %, right at the stop, of {n_stopped} of {STOP_RUNS} runs that "
                 f"stopped within {STOP_MOST} questions", ">= 93 %",
                 f"{right / max(1, n_stopped):.1%}", right >= .93 * n_stopped))
    rows.append((f"{where}, questions until then in the median, random pairs'",
                 f"< {statistics.median(randoms):.0f}", f"{statistics.median(stops):.0f}",
                 statistics.median(stops) < statistics.median(randoms)))
    share = sum(.5 <= r <= 2 for r in ratios) / max(1, len(ratios))
    rows.append((f"{where}: questions left within a factor of 2; median ratio "
                 f"{statistics.median(ratios):.2f}", "> 50 %", f"{share:.0%}", share > .5))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", nargs="?", default="build")
    parser.add_argument("--part", choices=("order", "stop"))
    parser.add_argument("--items", default="30,100,1000")
    parser.add_argument("--deviation", default="1,3")
    parser.add_argument("--shape", default="normal")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    runs = Runs(os.path.join(args.build, "bench_ask"),
                args.keep or os.path.join(args.build, "ask.json"), args.shape)
    rows, cover, plan, studies = [], {}, [], []
    for items in map(int, args.items.split(",")):
        for deviation in map(float, args.deviation.split(",")):
            deviation = int(deviation) if deviation == int(deviation) else deviation
            if args.part != "stop" and not (items == 1000 and deviation == 1):
                plan[:0] = order_plan(items, deviation, args.first)
                studies.append((order_study, (items, deviation, args.first, rows, cover)))
            if args.part != "order" and items == STOP_ITEMS:
                plan += stop_plan(deviation, args.first + 1000)
                studies.append((stop_study, (deviation, args.first + 1000, rows)))
    runs.ahead(plan, args.jobs)
    for study, given in studies:
        study(runs, *given)
    cover_table(cover, rows)
    wide = max(len(row[0]) for row in rows)
    print(f"{'':{wide}}  {'asked':>9}  measured")
    for what, bound, value, good in rows:
        print(f"{what:{wide}}  {bound:>9}  {value}{'' if good else '   <-- missed'}")
    return 0 if all(row[3] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
