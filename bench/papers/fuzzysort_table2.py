"""Fuzzy-Sort, Tables II and III: orders of a forest's preferences.

Yang and Lin, "A practical divide-and-conquer approach for preference-based learning to
rank", 2015, section IV-B.  Pairwise error is the paper's: pairs of documents in the wrong
order over all N (N - 1) / 2 pairs of a list, those of equal labels included.  bike, cadata
and cpusmall are one list each, cut in two halves by a seeded shuffle; of MQ2008 the five
test parts are ranked, each by the forest of its own training part, and all pairs of all
queries count the same.  Their bike has 16 features, which hold both parts of the target;
the public one has 12.

MQ2007 and both sets of Yahoo's challenge are measured, without bounds, where folders mq2007
(Fold1 to Fold5), yahoo1 and yahoo2 (set1.train.txt and set1.test.txt, set2 likewise) lie
beside mq2008.

Recipe: `pairforest`; on MQ2008 with 50,000 pairs and on Yahoo's first set with 200,000, as in
the paper, which does not say how many it took of MQ2007 and the second: 100,000.  `fuzzy` is
the paper's algorithm; beside it our merge that remembers, memory=1, and the paper's
symmetrisation h(i, j) / (h(i, j) + h(j, i)), where the others take the mean of both answers.
Forests and the draws of decoders are of three seeds: mean ± deviation.  `centrality` draws
nothing and takes longest; it, the ratio and the rivals that score are of the first seed alone.

Those are `ranksvm` as it comes, `rankboost` as it comes and with preset=paper, and `lambdamart`
on the pairwise error, as theirs was: as it comes, with preset=paper (1,000 trees at rate 0.1, as
theirs had), and with 1,000 trees of 31 leaves.  A fifth of the training documents of a single
list, or the validation part of a fold, says which; then all training documents are learnt.

A * marks what is not worse than the best of its set by a one-tailed t-test at 5 %, the paper's
bold face.  Seconds are those of the whole command on one thread, mean of the seeds; a forest is
learnt once a seed and then put in order by each decoder.  Commands run side by side, as many as
there are processors.
"""
import gzip
import os
import random
import statistics

from common import Experiment, fold_file, mean, option_list, timed

SEEDS = (1, 2, 3)
DECODERS = {"fuzzy": "fuzzy:window=50", "fuzzy with memory": "fuzzy:window=50,memory=1",
            "fuzzy by ratio": "fuzzy:window=50,symmetry=ratio",
            "pivot": "pivot:runs=50", "merge": "merge:runs=50", "centrality": "centrality"}
ONCE = ("fuzzy by ratio", "centrality")  # of the first seed alone
RIVALS = {  # settings to choose from
    "ranksvm": [{}], "rankboost": [{}, {"preset": "paper"}],
    "lambdamart": [{"delta": "pairerr", **more} for more in (
        {}, {"preset": "paper"},
        {"size": "small", "leaves": 31, "min_leaf": 20, "trees": 1000})]}
# One-tailed t at 5 % by degrees of freedom, from 1.
CRITICAL = (6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860)
THEIRS = {  # error and seconds of prediction; seconds of training
    "bike": {"fuzzy": (.0748, 110), "pivot": (.0907, 294), "merge": (.0862, 312),
             "centrality": (.1028, 1932), "train": 210},
    "cadata": {"fuzzy": (.2251, 167), "pivot": (.2386, 305), "merge": (.2251, 347),
               "centrality": (.2287, 3181), "train": 211},
    "cpusmall": {"fuzzy": (.0939, 52), "pivot": (.0972, 97), "merge": (.0981, 109),
                 "centrality": (.0920, 667), "train": 264},
    "mq2008": {"fuzzy": (.0553, 2), "pivot": (.0568, 17), "merge": (.0562, 17),
               "centrality": (.0576, 3), "train": 127},
    "mq2007": {"fuzzy": (.0889, 106), "pivot": (.0902, 1330), "merge": (.0910, 1438),
               "centrality": (.0886, 18), "train": 288},
    "yahoo1": {"fuzzy": (.1782, 131), "pivot": (.1849, 1183), "merge": (.1805, 1320),
               "centrality": (.1805, 222), "train": 3195},
    "yahoo2": {"fuzzy": (.1497, 60), "pivot": (.1545, 691), "merge": (.1522, 619),
               "centrality": (.1476, 122), "train": 2831},
}
THEIR_SPREAD = {  # of fuzzy, pivot and merge
    "bike": (.0001, .0009, .0003), "cadata": (.0001, .0009, .0003),
    "cpusmall": (.0004, .0004, .0003), "mq2008": (.0008, .0018, .0018),
    "mq2007": (.0004, .0009, .0006), "yahoo1": (.0004, .0005, .0005),
    "yahoo2": (.0002, .0003, .0003),
}
THEIR_RIVALS = {  # error, seconds of training
    "bike": {"ranksvm": (.1756, 2460), "rankboost": (.2486, 2244), "lambdamart": (.0586, 26)},
    "cadata": {"ranksvm": (.1643, 14763), "rankboost": (.2902, 2556), "lambdamart": (.2158, 11823)},
    "cpusmall": {"ranksvm": (.1050, 162), "rankboost": (.1657, 351), "lambdamart": (.0775, 108)},
    "mq2008": {"ranksvm": (.0562, 2), "rankboost": (.1400, 33), "lambdamart": (.0652, 108)},
    "mq2007": {"ranksvm": (.0932, 4), "rankboost": (.1532, 153), "lambdamart": (.0887, 624)},
    "yahoo1": {"ranksvm": (.2031, 569), "rankboost": (.2142, 21611), "lambdamart": (.1626, 86400)},  # stopped by then
    "yahoo2": {"ranksvm": (.1587, 376), "rankboost": (.1544, 675), "lambdamart": (.1409, 15602)},
}
# Which runs are the longest: documents of a list, and questions that a decoder puts.
LONG = {"cadata": 5, "bike": 4, "cpusmall": 1}
DEAR = {"centrality": 16, "merge": 4, "pivot": 1.5}
MAX_PAIRS = {"mq2008": 50_000, "mq2007": 100_000, "yahoo1": 200_000, "yahoo2": 100_000}
AIM = {"bike": .140, "cadata": .165, "cpusmall": .090, "mq2008": .0553}


def inversions(labels):
    """Pairs of a list, best first, whose later one has the larger label."""
    if len(labels) < 2:
        return 0, labels
    middle = len(labels) // 2
    left, a = inversions(labels[:middle])
    right, b = inversions(labels[middle:])
    wrong, merged, i, j = left + right, [], 0, 0
    while i < len(a) and j < len(b):
        if a[i] >= b[j]:
            merged.append(a[i])
            i += 1
        else:
            wrong += len(a) - i
            merged.append(b[j])
            j += 1
    return wrong, merged + a[i:] + b[j:]


def documents(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as lines:
        return [line for line in lines if line.strip() and line[0] != "#"]


def parts(e, name, seed=1):
    """(training file, test file) of every part of a data set; a list that is cut in two is cut
    once, before anything runs."""
    if name.startswith("mq"):
        for fold in range(1, 2 if e.quick else 6):
            yield tuple(fold_file(e.dataset(name), fold, part) for part in ("train", "test"))
        return
    if name.startswith("yahoo"):
        at = os.path.join(e.dataset(name), "set" + name[-1])
        yield at + ".train.txt", at + ".test.txt"
        return
    files = {part: e.path(f"{name}.{part}") for part in ("train", "test")}
    if not os.path.exists(files["test"]):
        lines = documents(e.dataset(os.path.join("regression", name + ".txt.gz")))
        random.Random(seed).shuffle(lines)
        halves = {"train": lines[:len(lines) // 2], "test": lines[len(lines) // 2:]}
        for part, path in files.items():
            with open(path, "w") as out:
                out.writelines(halves[part])
    yield files["train"], files["test"]


def judge(ranked, test):
    """Wrong pairs and all pairs of what `peck rank` printed (query, rank, document)."""
    labels, ids, order = {}, {}, {}
    for line in documents(test):
        words, comment = line.split(), line.partition("#")[2]
        query, names = words[1][4:], ids.setdefault(words[1][4:], {})
        labels.setdefault(query, []).append(float(words[0]))
        names[comment.split()[2] if "docid" in comment else str(len(names))] = len(names)
    for line in ranked.splitlines()[1:]:
        query, _, document = line.split("\t")[:3]
        order.setdefault(query, []).append(labels[query][ids[query][document]])
    return (sum(inversions(ys)[0] for ys in order.values()),
            sum(len(ys) * (len(ys) - 1) // 2 for ys in order.values()))


def train(e, method, train_file, seed, settings, model):
    """Seconds."""
    took, _ = timed(lambda: e.peck("train", "-q", "-m", method, train_file, "-o", model,
                                   "--force", "--valid-split", "0", "--seed", seed, "--threads",
                                   1, *option_list(settings)))
    return took


def learn(e, name, method, seed, settings, is_kept):
    """Models of a data set's parts, and the seconds of training.  is_kept: for the page."""
    models, took = [], 0.0
    for fold, (train_file, test_file) in enumerate(parts(e, name), 1):
        models.append(e.path(f"{name}.{method}.{seed}.{fold}.peck"))
        took += train(e, method, train_file, seed, settings, models[-1])
        if is_kept and name.startswith("mq"):
            e.keep(f"{name}/{method}/Fold{fold}", models[-1], test_file, metric="pairerr")
        elif is_kept:  # one long list, or very many
            e.keep(f"{name}/{method}", models[-1])
    return models, took


def order(e, name, models, decoder, seed):
    """Error and seconds of ranking.  decoder: None where documents have scores."""
    wrong, pairs, seconds = 0, 0, 0.0
    how = ["--decoder", DECODERS[decoder]] if decoder else []
    for model, (_, test_file) in zip(models, parts(e, name)):
        took, out = timed(lambda: e.peck("rank", model, test_file, "--seed", seed, "--threads", 1,
                                         *how))
        seconds += took
        bad, of = judge(out, test_file)
        wrong, pairs = wrong + bad, pairs + of
    return wrong / pairs, seconds


def choice_parts(e, name, method):
    """(training file, validation file) of every part: what settings are chosen by."""
    for fold, (train_file, _) in enumerate(parts(e, name), 1):
        if name.startswith("mq"):
            yield train_file, fold_file(e.dataset(name), fold, "vali")
            continue
        lines = documents(train_file)
        if name.startswith("yahoo"):  # whole queries
            queries = sorted({line.split(" ", 2)[1] for line in lines})
            held = set(queries[::5])
            kept = [[x for x in lines if (x.split(" ", 2)[1] in held) == is_held]
                    for is_held in (False, True)]
        else:
            kept = lines[len(lines) // 5:], lines[:len(lines) // 5]
        files = [e.path(f"{name}.{method}.{part}") for part in ("most", "fifth")]
        for path, some in zip(files, kept):
            with open(path, "w") as out:
                out.writelines(some)
        yield files


def choose(e, name, method, candidates):
    """The settings whose error on the validation documents is least."""
    if len(candidates) == 1:
        return candidates[0]
    found = []
    for settings in candidates:
        wrong, pairs = 0, 0
        for train_file, valid_file in choice_parts(e, name, method):
            model = e.path(f"{name}.{method}.choice.peck")
            train(e, method, train_file, SEEDS[0], settings, model)
            bad, of = judge(e.peck("rank", model, valid_file, "--threads", 1), valid_file)
            wrong, pairs = wrong + bad, pairs + of
        found.append(wrong / pairs)
    return candidates[found.index(min(found))]


def is_close(errors, best):
    """Whether a mean is not above the best by a one-tailed t-test; a single value has no
    spread of its own."""
    n, m = len(errors), len(best)
    if errors is best or mean(errors) <= mean(best):
        return True
    squares = sum(statistics.variance(v) * (len(v) - 1) for v in (errors, best) if len(v) > 1)
    if n + m == 2 or squares == 0:
        return False
    spread = (squares / (n + m - 2) * (1 / n + 1 / m)) ** 0.5
    return (mean(errors) - mean(best)) / spread < CRITICAL[n + m - 3]


def cell(errors):
    spread = f" ± {statistics.stdev(errors):.4f}" if len(errors) > 1 else ""
    return f"{mean(errors):.4f}{spread}"


def forest(e, name, seed):
    """A data set's forests of one seed: models and seconds of training."""
    settings = {"max_pairs": 5000 if e.quick else MAX_PAIRS[name]} if name in MAX_PAIRS else {}
    return learn(e, name, "pairforest", seed, settings, seed == SEEDS[0])


def decode(e, forests, name, decoder, seed):
    """What decoder makes of forests that are learnt: a title and what is told of it."""
    models, learnt = forests[name, seed]
    return decoder, (*order(e, name, models, decoder, seed), learnt)


def rival(e, _, name, method):
    """The same of a method that scores."""
    settings = choose(e, name, method, RIVALS[method])
    told = ", ".join(f"{k}={v}" for k, v in settings.items() if k != "delta")
    models, learnt = learn(e, name, method, SEEDS[0], settings, True)
    return (f"{method} ({told})" if told else method,
            (*order(e, name, models, None, SEEDS[0]), learnt))


def jobs_of(e, name, seeds):
    """(function, data set, decoder and seed, or method): what is run of a data set."""
    return [*((decode, name, d, s) for d in (("fuzzy", "fuzzy by ratio") if e.quick else DECODERS)
              for s in (SEEDS[:1] if d in ONCE else seeds)),
            *((rival, name, m) for m in (("rankboost",) if e.quick else RIVALS))]


def cost(job):
    return LONG.get(job[1], 0) * DEAR.get(job[2], 1)


def run_all(e, names):
    """{data set: {title: (errors of the seeds, seconds of ranking, of training)}}"""
    for name in names:
        list(parts(e, name))
    seeds = SEEDS[:2] if e.quick else SEEDS
    learnt = [(name, s) for name in names for s in seeds]
    forests = dict(zip(learnt, e.each(lambda job: forest(e, *job), learnt)))
    jobs = [job for name in names for job in jobs_of(e, name, seeds)]
    found = {name: {} for name in names}
    for (_, name, *_), (title, values) in zip(jobs, e.each(lambda j: j[0](e, forests, *j[1:]),
                                                           jobs, cost)):
        found[name].setdefault(title, ([], [], []))
        for kept, value in zip(found[name][title], values):
            kept.append(value)
    return found


def tell(e, name, table, found):
    """The rows of a data set."""
    best = min((errors for errors, *_ in found.values()), key=mean)
    for title, (errors, ranked, learnt) in found.items():
        theirs, method = THEIRS[name].get(title), title.split(" ")[0]
        rival = THEIR_RIVALS[name].get(method)
        paper, spread = theirs or rival, dict(zip(("fuzzy", "pivot", "merge"),
                                                  THEIR_SPREAD[name])).get(title)
        table.row(name, f"pairforest, {title}" if title in DECODERS else title,
                  (f"{paper[0]:.4f}" if paper else "-") + (f" ± {spread:.4f}" if spread else ""),
                  cell(errors) + (" *" if is_close(errors, best) else ""),
                  str(theirs[1]) if theirs else "-", f"{mean(ranked):.2f}",
                  str(THEIRS[name]["train"]) if title in DECODERS else str(rival[1]),
                  f"{mean(learnt):.2f}")


def check(e, name, found):
    """Bounds, of the paper's algorithm."""
    error = {title: mean(errors) for title, (errors, *_) in found.items()}
    if name not in AIM:
        return
    e.bound(f"{name}: error under fuzzy", error["fuzzy"],
            high=.08 if e.quick else AIM[name], digits=4)
    if e.quick:
        return
    e.bound(f"{name}: fuzzy less the better of pivot and merge",
            error["fuzzy"] - min(error["pivot"], error["merge"]), high=0.0, digits=4)


def misses(at, took):
    """{claim: (data sets where it does not hold, whether most are enough)}.  at: errors, took:
    seconds of ranking, by data set and method."""
    return {
        "fuzzy is below pivot and merge in all data sets (Table II)":
            ([n for n, v in at.items() if v["fuzzy"] >= min(v["pivot"], v["merge"])], False),
        "fuzzy and centrality are really close in most data sets (Table II): within .005":
            ([n for n, v in at.items() if abs(v["fuzzy"] - v["centrality"]) > .005], True),
        "fuzzy is largely better than RankSVM and RankBoost (Table II)":
            ([n for n, v in at.items() if v["fuzzy"] >= min(v["ranksvm"], v["rankboost"])], False),
        "fuzzy falls behind LambdaMART in most data sets (Table II)":
            ([n for n, v in at.items() if v["fuzzy"] < v["lambdamart"]], True),
        "fuzzy takes the least time to rank of the four decoders (Table III)":
            ([n for n, v in took.items()
              if v["fuzzy"] > min(v["pivot"], v["merge"], v["centrality"])], False),
    }


def claims(e, found):
    """What the paper says of its tables, and where our figures, and its own, do not show it."""
    at = {name: {title.split(" ")[0] if title not in DECODERS else title: mean(errors)
                 for title, (errors, *_) in of.items()} for name, of in found.items()}
    took = {name: {t: mean(ranked) for t, (_, ranked, _) in of.items() if t in DECODERS}
            for name, of in found.items()}
    decoded = {name: {t: v for t, v in of.items() if t in DECODERS} for name, of in THEIRS.items()}
    theirs = misses({name: {t: v[0] for t, v in {**of, **THEIR_RIVALS[name]}.items()}
                     for name, of in decoded.items()},
                    {name: {t: v[1] for t, v in of.items()} for name, of in decoded.items()})
    for claim, (names, is_most) in misses(at, took).items():
        told = [f"{whose}not on {', '.join(of)}" for whose, of in (
            ("", names), ("in the paper's own figures ", theirs[claim][0])) if of]
        e.claim(claim, len(names) < len(at) / 2 if is_most else not names, "; ".join(told))
    higher = [n for n, v in at.items() if v["fuzzy"] > THEIRS[n]["fuzzy"][0]]
    e.claim("errors as low as the paper's under fuzzy (Table II)", not higher,
            f"not on {', '.join(higher)}" if higher else "")


def main():
    e = Experiment("Fuzzy-Sort, Tables II and III: a forest on pairs, and decoders", __doc__)
    missing = [] if e.quick else [n for n in THEIRS if n not in AIM and
                                  not e.dataset_if_there(n)]
    names = ["mq2008"] if e.quick else [n for n in THEIRS if n not in missing]
    table = e.table("Pairwise error and seconds", [
        "data", "method", "paper: error", "ours", "paper: rank s", "ours", "paper: train s",
        "ours"])
    found = run_all(e, names)
    for name in names:
        tell(e, name, table, found[name])
        check(e, name, found[name])
    if not e.quick:
        claims(e, found)
    if missing:
        e.say(f"Not at hand: {', '.join(missing)}.")
    e.finish()


if __name__ == "__main__":
    main()
