#!/usr/bin/env python3
"""How many questions an order takes: simulated people, whom build/bench_ask asks.

    python3 bench/ask.py [BUILD] [--part order|stop] [--items N,...] [--deviation D,...]
                         [--shape normal] [--first SEED] [--keep FILE]

Strengths are normal with deviation 1 and 3, answers by Bradley and Terry's model.  Compared with: random
pairs with the same fit; insertion by binary search, merge sort, Elo between nearest ratings.
What was run is kept in FILE (build/ask.json), so that it goes on where it was stopped."""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys

SEEDS = {30: 20, 100: 20, 1000: 5}
ASKED = {(30, 1): .90, (30, 3): .65, (100, 1): .90, (100, 3): .60, (1000, 3): .60}
# Questions for each item: enough that the mean tau is .8; every batch is fitted anew.
MOST = {(30, 1): (24, 32), (30, 3): (15, 15), (100, 1): (26, 32), (100, 3): (15, 15),
        (1000, 3): (15, 15)}
STEP = {30: 6, 100: 20, 1000: 500}
BATCH = {30: 1, 100: 4, 1000: 100}
STOP_RUNS, STOP_MOST, STOP_BATCH = 200, 1500, 3


class Runs:
    def __init__(self, program, path, shape):
        self.program, self.path, self.shape = program, path, shape
        self.done = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.done = json.load(file)

    def run(self, way, deviation, items, seed, most, step, batch, goal, last=False):
        """The lines of a run, as numbers; of one with a goal, the last."""
        args = [way, self.shape, deviation, items, seed, most, step, batch, goal]
        key = " ".join(map(str, args))
        if key not in self.done:
            out = subprocess.run([self.program, *map(str, args)], check=True, text=True,
                                 capture_output=True).stdout
            lines = [[float(x) for x in line.split()] for line in out.splitlines()]
            self.done[key] = lines[-1:] if last else lines
            with open(self.path + ".new", "w", encoding="utf-8") as file:
                json.dump(self.done, file)
            os.replace(self.path + ".new", self.path)
        return self.done[key]


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
    seeds = range(first, first + SEEDS[items])
    most = MOST.get((items, deviation), (26, 32))
    asked = [runs.run("next", deviation, items, s, most[0] * items, STEP[items], BATCH[items], 0)
             for s in seeds]
    random = [runs.run("random", deviation, items, s, most[1] * items, STEP[items],
                       STEP[items], 0) for s in seeds]
    where = f"{items} items, deviation {deviation:g}"
    curve = mean_curve(asked)
    ours, theirs = crossing(curve, .8), crossing(mean_curve(random), .8)
    rows.append((f"{where}: questions to tau .8, of random pairs' {theirs:.0f}",
                 f"<= {ASKED.get((items, deviation), math.nan):.0%}",
                 f"{ours / theirs:.1%} ({ours:.0f})",
                 ours / theirs <= ASKED.get((items, deviation), math.inf)))
    for way in ("insert", "merge", "elo"):
        games = round(items * math.log2(items))
        got = [runs.run(way, deviation, items, s, games, 1, 1, 0)[0] for s in seeds]
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
    items, goal = 30, 5
    stops, randoms, right, n_stopped, ratios = [], [], 0, 0, []
    for seed in range(first, first + STOP_RUNS):
        lines = runs.run("next", deviation, items, seed, STOP_MOST, STOP_BATCH, STOP_BATCH, goal)
        last = lines[-1]
        stops.append(last[0] if last[1] else math.inf)
        if last[1]:
            n_stopped += 1
            right += last[2]
            ratios += [line[4] / (last[0] - line[0]) for line in lines
                       if items <= line[0] < last[0] - items / 2]
        last = runs.run("random", deviation, items, seed, STOP_MOST, 10, 10, goal, True)[-1]
        randoms.append(last[0] if last[1] else math.inf)
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
    args = parser.parse_args()
    runs = Runs(os.path.join(args.build, "bench_ask"),
                args.keep or os.path.join(args.build, "ask.json"), args.shape)
    rows, cover = [], {}
    for items in map(int, args.items.split(",")):
        for deviation in map(float, args.deviation.split(",")):
            deviation = int(deviation) if deviation == int(deviation) else deviation
            if args.part != "stop" and not (items == 1000 and deviation == 1):
                order_study(runs, items, deviation, args.first, rows, cover)
            if args.part != "order" and items == 30:
                stop_study(runs, deviation, args.first + 1000, rows)
    cover_table(cover, rows)
    wide = max(len(row[0]) for row in rows)
    print(f"{'':{wide}}  {'asked':>9}  measured")
    for what, bound, value, good in rows:
        print(f"{what:{wide}}  {bound:>9}  {value}{'' if good else '   <-- missed'}")
    return 0 if all(row[3] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
