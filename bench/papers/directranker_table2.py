"""DirectRanker, Table 2: the time that training takes.

Koeppel et al. 2019, section 5.1: seconds of training on MSLR-WEB10K, mean of the five folds
(6,000 training queries of about 120 documents, 136 features).  Their own net ran in
TensorFlow, the systems marked + in RankLib, both on a Core i7-6850K; those marked ++ are
from Ibrahim and Landa-Silva 2018.  The paper says itself that programs so different are hard
to compare, and finds that a RankNet in TensorFlow takes time of the same order as its net.

A folder mslr-web10k beside the other real data (Fold1 to Fold5, train.txt and vali.txt in
each) is used where there is one.  Otherwise the data is generated, of the same shape but a
sixtieth of the size: `generate web` with 136 features, 100 queries to train on and 33 to
choose the epoch.  Labels of 2 and more become 1, as in the paper.

Every method as it comes, one after the other, each on one thread; seconds are those of
`peck train`, reading included, mean of the folds with the deviation in brackets.  They depend
on the machine, and not all grow with the data alike: the ratios to DirectRanker are what can
be compared, and with care.  `ranksvm` is not in the paper's table.
"""
from common import Experiment, fold_file, is_ahead, mean, standard_error, timed

FOLDS = 5
SHAPE = {"docs": 120, "dim": 136}
PAPER = {  # name in the table: method, seconds as printed, seconds
    "DirectRanker": ("directranker", "151.94(41)", 151.94),
    "RankNet+": ("ranknet", "2215(351)", 2215),
    "AdaRank+": ("adarank", "1261(50)", 1261),
    "LambdaMART+": ("lambdamart", "2664(234)", 2664),
    "ListNet+": ("listnet", "3947(481)", 3947),
    "ES-Rank++": ("es-rank", "1800", 1800),
    "IESR-Rank++": ("iesr-rank", "1957", 1957),
    "IESVM-Rank++": ("iesvm-rank", "34209", 34209),
    "RankSVM": ("ranksvm", "-", None),
}
QUICK = ("DirectRanker", "RankNet+", "AdaRank+")


def parts_of(e, folder, fold):
    """Training and validation data of a fold."""
    if folder:
        return [fold_file(folder, fold, part) for part in ("train", "vali")]
    sizes = (10, 5) if e.quick else (100, 33)
    return [e.data("web", seed=10 * fold + i, queries=n, **SHAPE) for i, n in enumerate(sizes)]


def seconds_of(e, method, parts):
    """Of training on each fold."""
    settings = {"epochs": 2} if e.quick and method != "adarank" else {}
    model, found = method + ".peck", []
    for k, (train, valid) in enumerate(parts, 1):
        found.append(timed(lambda: e.train(method, train, valid=valid, metric="ndcg@10",
                                           binarise=2, model=model, **settings))[0])
        e.keep(f"validation data/{method}/Fold{k}", e.path(model), valid)
    return found


def claim(e, found):
    """Training in the least time of all; found: seconds of each fold.  Seconds vary: what is
    slower is so in the interval of 95 % of the folds."""
    first, theirs = found["DirectRanker"], PAPER["DirectRanker"][2]
    slower = {name: is_ahead([a - b for a, b in zip(seconds, first)])
              for name, seconds in found.items() if PAPER[name][2] and name != "DirectRanker"}
    ratio = {name: mean(found[name]) / mean(first) for name in slower}
    named = lambda holds: [f"{n} ({ratio[n]:.2f} times)" for n in slower if slower[n] is holds]
    nearest, farthest = min(ratio, key=ratio.get), max(ratio, key=ratio.get)
    told = (f"the others take {ratio[nearest]:.2f} ({nearest}) to {ratio[farthest]:.2f} times "
            f"({farthest}) its seconds, in the paper {min(PAPER[n][2] for n in slower) / theirs:.2f} "
            f"to {max(PAPER[n][2] for n in slower) / theirs:.2f}")
    for how, names in (("faster", named(False)), ("within the error", named(None))):
        told += f"; {how}: {', '.join(names)}" if names else ""
    if "RankSVM" in found:
        told += f"; RankSVM, not in the paper's table, {mean(found['RankSVM']) / mean(first):.2f}"
    e.claim("DirectRanker trains in less time than all other models (Table 2)",
            False if named(False) else None if named(None) else True, told)
    e.claim("a RankNet of the same making takes time of the same order as DirectRanker "
            "(section 5.1)", 0.1 < ratio["RankNet+"] < 10, f"{ratio['RankNet+']:.2f} times")


def main():
    e = Experiment("DirectRanker, Table 2: run times", __doc__)
    folder = None if e.quick else e.dataset_if_there("mslr-web10k")
    parts = [parts_of(e, folder, k) for k in range(1, 2 if e.quick else FOLDS + 1)]
    found = {name: seconds_of(e, PAPER[name][0], parts)
             for name in (QUICK if e.quick else PAPER)}
    first = mean(found["DirectRanker"])
    table = e.table(f"Seconds of training on {'MSLR-WEB10K' if folder else 'generated data'}", [
        "algorithm", "paper: seconds", "times DirectRanker's", "ours: seconds",
        "times DirectRanker's"])
    for name, seconds in found.items():
        _, printed, theirs = PAPER[name]
        deviation = standard_error(seconds) * len(seconds) ** 0.5
        table.row(name, printed, theirs and theirs / PAPER["DirectRanker"][2],
                  f"{mean(seconds):.2f} ({deviation:.2f})", mean(seconds) / first)
    if not e.quick:
        claim(e, found)
    factor = 100 if e.quick else 10  # a quick run takes no time to speak of
    e.bound("RankNet's time, times DirectRanker's (paper: of the same order)",
            mean(found["RankNet+"]) / first, low=1 / factor, high=factor)
    e.finish()


if __name__ == "__main__":
    main()
