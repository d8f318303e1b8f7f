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
from common import Experiment, fold_file, mean, standard_error, timed

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
    factor = 100 if e.quick else 10  # a quick run takes no time to speak of
    e.bound("RankNet's time, times DirectRanker's (paper: of the same order)",
            mean(found["RankNet+"]) / first, low=1 / factor, high=factor)
    e.finish()


if __name__ == "__main__":
    main()
